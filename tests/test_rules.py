"""One small fleet for each rule of the ledger, with the answer by hand, in chip-seconds.

Every case is held against the naive computation, and against the extension over CSV, JSON Lines and tables.
A fleet without capacity has no idle time and its productive time is `unrated`, which keeps most cases small.
"""
import unittest
from collections import Counter

import naive
from fleets import FORMS, ONE, TWO, al, as_source, cap, co, difference, fleet, job, ledger, out, pr, project, sp

CASES = {}
MS = 10**-6


def case(name, records, expected, by=("job", "category", "cause"), issues=None, **options):
    """expected: {(values of `by`): chip-seconds}; trailing NULLs may be left out."""
    assert name not in CASES, name
    wanted = Counter()
    for key, seconds in expected.items():
        key = key if isinstance(key, tuple) else (key,)
        wanted[key + (None,) * (len(by) - len(key))] = round(seconds * 10**6)
    CASES[name] = fleet(*records), wanted, by, issues, options


CHIPS = [("chips", ONE), ("chips", TWO)]

# 1. The end of the trace

case("an open allocation lasts to the latest time of any record", [al(2, 0), sp("hang", 0, 10)],
     {("j", "stall", "hang"): 20})
case("a capacity record may be the latest, and is listed where a job runs until then", [job(), cap(2, 0, 30), al(2, 0)],
     {("j", "untraced"): 60}, issues={"as_of_ahead"})
case("so may an outage that is planned", [job(), cap(2, 0), out(2, 20, 30), al(2, 0, 10), al(1, 0, job="k"), job("k")],
     {("j", "untraced"): 20, ("k", "untraced"): 30, (None, "down", "hw_down"): 20, (None, "idle"): -10},
     issues={"as_of_ahead", "oversubscribed"})
case("not where all have ended", [job(), cap(2, 0, 30), al(2, 0, 10)], {("j", "untraced"): 20, (None, "idle"): 40}, issues=set())
case("nor where a job's record is as late", [job(), cap(2, 0, 30), al(2, 0), sp("hang", 20, 30)],
     {("j", "unknown"): 40, ("j", "stall", "hang"): 20}, issues=set())
case("nor where as_of is told", [job(), cap(2, 0, 30), al(2, 0)], {("j", "untraced"): 40}, issues=set(), as_of=20)
case("a submission may be the latest", [al(1, 0), job("k", submit_time=25)], {("j", "untraced"): 25})
case("a commit may be the latest", [al(1, 0), co(1, 3, 40)], {("j", "unknown"): 40})
case("as_of cuts, and what it cuts is running", [al(2, 0, 100, outcome="completed"), sp("step", 0, 30, 1)],
     {("j", "unknown", "no_checkpoint_data"): 60, ("j", "unknown"): 20}, as_of=40)
case("as_of after the last record lets open ones run on", [al(1, 0), sp("hang", 0, 10)],
     {("j", "stall", "hang"): 10, ("j", "unknown"): 15}, as_of=25)
case("an allocation that ends at as_of has ended",
     [al(1, 0, 40, outcome="completed"), sp("step", 0, 40, 1)], {("j", "unrated"): 40}, as_of=40)
RESTARTED = [al(1, 0, 40, outcome="failed"), al(1, 40, 80, attempt=2, outcome="completed"),
             sp("step", 0, 40, 1), co(0, 1, 1), sp("init", 40, 80, attempt=2)]
case("what starts at as_of does not count", RESTARTED, {("j", "lost"): 40}, as_of=40)
case("what starts before as_of does", RESTARTED, {("j", "pending"): 40, ("j", "startup"): 1}, as_of=41)
case("and in the end", RESTARTED, {("j", "unrated"): 40, ("j", "startup"): 40})
SAVED = [al(1, 0, 80, outcome="failed"), sp("step", 0, 30, 1), sp("hang", 30, 80), co(1, 30, 41)]
case("a commit durable after as_of is not durable yet", SAVED, {("j", "pending"): 30, ("j", "stall", "hang"): 10}, as_of=40)
case("a commit taken after as_of is none", SAVED, {("j", "unknown", "no_checkpoint_data"): 29}, as_of=29)
case("nor is one that says only when it became durable, later", SAVED[:-1] + [co(1, None, 41)],
     {("j", "unknown", "no_checkpoint_data"): 30, ("j", "stall", "hang"): 10}, as_of=40)
case("a commit durable at as_of does", SAVED, {("j", "unrated"): 30, ("j", "stall", "hang"): 11}, as_of=41)

# 2. Capacity, down, idle

case("idle is what is left", [cap(8, 0, 10), out(1, 2, 4), al(3, 0, 10)],
     {(None, "down", "hw_down"): 2, ("j", "untraced"): 30, (None, "idle"): 48})
case("capacity records add up", [cap(2, 0, 10), cap(3, 4, 6), cap(1, 20, 21)], {(None, "idle"): 27})
case("outages by kind add up", [cap(4, 0, 10), out(1, 0, 5), out(1, 3, 6), out(1, 4, 8, "maintenance")],
     {(None, "down", "hw_down"): 8, (None, "down", "maintenance"): 4, (None, "idle"): 28})
case("an outage without a kind is down", [cap(1, 0, 10), out(1, 0, 4, None)],
     {(None, "down", "down"): 4, (None, "idle"): 6})
case("an open outage lasts", [cap(1, 0, 10), out(1, 7)], {(None, "down", "hw_down"): 3, (None, "idle"): 7})
case("more held than there is makes idle negative", [job(), cap(2, 0, 10), al(3, 0, 10)],
     {("j", "untraced"): 30, (None, "idle"): -10}, issues={"oversubscribed"})
case("down chips that are held make idle negative", [job(), cap(2, 0, 10), out(1, 0, 4), al(2, 0, 10)],
     {("j", "untraced"): 20, (None, "down", "hw_down"): 4, (None, "idle"): -4}, issues={"oversubscribed"})
case("held outside the capacity records' time", [job(), cap(2, 0, 10), al(1, 5, 15)],
     {("j", "untraced"): 10, (None, "idle"): 10}, issues={"oversubscribed"})
case("a pool without capacity has what is down and held", [job(), out(1, 0, 4), al(2, 0, 10)],
     {("j", "untraced"): 20, (None, "down", "hw_down"): 4}, issues={"no_capacity"})
case("two pools are two accounts", [cap(1, 0, 10), cap(2, 0, 10, "q"), al(1, 0, 10), al(1, 0, 5, 1, pool="q")],
     {("p", "untraced"): 10, ("q", "untraced"): 5, ("q", "idle"): 15}, by=("pool", "category"))
case("capacity in service", [cap(4, 0, 10), out(1, 2, 4), al(3, 0, 10)],
     {("j", "untraced"): 30, (None, "idle"): 8}, basis="in_service")
case("a shard's jobs are taken from the idle time of all", [cap(4, 0, 10), out(1, 2, 4), al(3, 0, 10)],
     {("j", "untraced"): 30, (None, "idle"): -30}, basis="shard")
case("but not where capacity is what is held", [out(1, 2, 4), al(3, 0, 10)], {("j", "untraced"): 30}, basis="shard")
case("a pool's chip is that of its records then",
     [("chips", ONE), ("chips", TWO), cap(1, 0, 10), cap(1, 10, 20, chip="two"), cap(1, 30, 40, chip=None)],
     {("one", "idle"): 10, ("two", "idle"): 10, (None, "idle"): 10}, by=("chip", "category"))
case("a mixed pool has none", CHIPS + [job(), cap(1, 0, 20), cap(1, 10, 20, chip="two"), al(1, 0, 20, outcome="completed"),
     sp("serve", 0, 20, flops=8e12)],
     {("one", "ideal"): 4, ("one", "inefficiency"): 6, (None, "unrated"): 10, (None, "idle"): 10},
     by=("chip", "category"), issues={"mixed_pool"})
case("a pool of one chip has it always", CHIPS + [cap(1, 5, 10), cap(1, 15, 20), al(1, 0, 20)],
     {("one", "untraced"): 20, ("one", "idle"): -10}, by=("chip", "category"))
case("a record that names no chip is none of another", CHIPS + [cap(1, 5, 10), cap(1, 10, 15, chip=None), al(1, 0, 20)],
     {("one", "untraced"): 20, ("one", "idle"): -10}, by=("chip", "category"))
case("a pool of several has none between its records", CHIPS + [cap(1, 0, 5), cap(1, 15, 20, chip="two"), al(1, 0, 20)],
     {("one", "untraced"): 5, (None, "untraced"): 10, (None, "idle"): -10, ("two", "untraced"): 5}, by=("chip", "category"))
case("capacity records that start at as_of or later are none", CHIPS + [job(), cap(1, 5, 10), al(1, 0, 10)],
     {(None, "untraced"): 5}, by=("chip", "category"), as_of=5, issues={"no_capacity"})
case("several records of one chip are not mixed", CHIPS + [job(), cap(1, 0, 20), cap(1, 10, 20), al(2, 10, 20)],
     {("one", "idle"): 10, ("one", "untraced"): 20}, by=("chip", "category"), issues=set())

# 3. Attempts and gangs

case("partial until the gang holds its chips", [job(chips=4), al(2, 0, 10), al(2, 4, 10)],
     {("j", "partial"): 8, ("j", "untraced"): 24, ("j", "queued"): 8})
case("partial again when one goes", [job(chips=4), al(3, 0, 10), al(1, 0, 4), al(1, 8, 10)],
     {("j", "partial"): 12, ("j", "untraced"): 24, ("j", "queued"): 4})
case("a gang spans pools", [job(chips=2), al(1, 0, 10), al(1, 4, 10, pool="q")],
     {("p", "partial"): 4, ("p", "untraced"): 6, ("q", "untraced"): 6, ("q", "queued"): 4}, by=("pool", "category"))
case("a gang of tasks", [job(tasks=2), al(1, 0, 10, task="a"), al(1, 5, 10, task="b")],
     {("j", "partial"): 5, ("j", "untraced"): 10})
case("a task twice is one task", [job(tasks=2), al(1, 0, 10, task="a"), al(1, 5, 10, task="a")],
     {("j", "partial"): 15})
case("tasks cannot be counted where one has no name", [job(tasks=3), al(1, 0, 10, task="a"), al(1, 5, 6)],
     {("j", "untraced"): 11})
case("chips and tasks", [job(chips=2, tasks=2), al(2, 0, 10, task="a"), al(1, 6, 10, task="b")],
     {("j", "partial"): 12, ("j", "partial", "surplus"): 4, ("j", "untraced"): 8})
case("chips decide where a task has no name", [job(chips=2, tasks=2), al(2, 0, 10, task="a"), al(1, 6, 10)],
     {("j", "partial", "surplus"): 4, ("j", "untraced"): 20})
case("a task without a name counts in its own attempt",
     [job(tasks=2), al(1, 0, 10), al(1, 20, 30, attempt=2, task="a")], {("j", "untraced"): 10, ("j", "partial"): 10})
case("surplus is taken from the last pools", [job(chips=3), al(2, 0, 10, pool="a"), al(2, 0, 10, pool="b")],
     {("a", "untraced"): 20, ("b", "untraced"): 10, ("b", "partial", "surplus"): 10},
     by=("pool", "category", "cause"))
case("surplus is taken from all the pools it needs", [job(chips=1), al(2, 0, 10, pool="a"), al(1, 0, 10, pool="b")],
     {("a", "untraced"): 10, ("a", "partial", "surplus"): 10, ("b", "partial", "surplus"): 10},
     by=("pool", "category", "cause"))
case("an elastic job runs with its least", [job(chips=4, min_chips=2), al(1, 0, 5), al(2, 5, 10, attempt=2)],
     {("j", "partial"): 5, ("j", "untraced"): 10, ("j", "queued"): 25})
case("an elastic job has no surplus", [job(chips=4, min_chips=2), al(6, 0, 10)], {("j", "untraced"): 60})
case("an elastic job needs no tasks", [job(min_chips=1, tasks=9), al(1, 0, 10, task="a")], {("j", "untraced"): 10})
case("a job that says nothing is complete", [job(), al(3, 0, 10)], {("j", "untraced"): 30}, issues={"no_capacity"})
case("a job without a record", [al(3, 0, 10)], {("j", "untraced"): 30}, issues={"unknown_job", "no_capacity"})
case("a commit under another job's id protects nothing, and is listed",
     [cap(1, 0, 10), job(), al(1, 0, 10), sp("step", 0, 10, 1), co(1, 9, 9, job="J")],
     {("j", "unknown", "no_checkpoint_data"): 10}, issues={"commit_without_allocation"})
case("spans alone, of a job without a record", [cap(1, 0, 10), sp("step", 0, 10)], {(None, "idle"): 10}, issues={"span_without_allocation"})
case("attempts without numbers: a gap begins the next",
     [al(1, 0, 10, None), al(1, 5, 12, None), al(1, 12, 20, None), al(1, 21, 30, None)],
     {(1, "untraced"): 25, (2, "untraced"): 9}, by=("attempt", "category"))
case("attempts that overlap count each by itself", [job(chips=2), al(2, 0, 10), al(1, 5, 10, attempt=2)],
     {(1, "untraced"): 20, (2, "partial"): 5}, by=("attempt", "category"), issues={"overlapping_attempts", "no_capacity"})
case("an allocation told twice counts twice", [job(), al(2, 0, 10, task="t"), al(2, 0, 10, task="t")],
     {("j", "untraced"): 40}, issues={"duplicate_allocation", "no_capacity"})
case("a task may hold more for a while", [job(), al(2, 0, 10, task="t"), al(1, 5, 8, task="t")],
     {("j", "untraced"): 23}, issues={"no_capacity"})
case("attempts one after another do not", [al(1, 0, 10), al(1, 10, 20, attempt=2), job()],
     {("j", "untraced"): 20}, issues={"no_capacity"})
case("attempts are ordered by their starts, not by their numbers",
     [job(), al(1, 0, 10, attempt=7, outcome="completed"), al(1, 20, 30, attempt=3, outcome="failed"),
      sp("step", 20, 30, 5, attempt=3), sp("step", 0, 10, 5, attempt=7), co(0, 0, 0)], {("j", "lost"): 20})
case("fractions of chips", [cap(1, 0, 10), al(0.25, 0, 10, job="a"), al(0.5, 0, 10, job="b")],
     {("a", "untraced"): 2.5, ("b", "untraced"): 5, (None, "idle"): 2.5})
case("three thirds are a chip", [job(chips=1)] + [al(1 / 3, 0, 9, task=i) for i in range(3)],
     {("j", "untraced"): 8.999991})
case("and seven sevenths", [cap(1, 0, 10), job(min_chips=1, chips=1)] + [al(1 / 7, 0, 10, task=i) for i in range(7)],
     {("j", "untraced"): 9.99999, (None, "idle"): 0.00001})
case("two thirds are none", [job(chips=1)] + [al(1 / 3, 0, 9, task=i) for i in range(2)],
     {("j", "partial"): 5.999994, ("j", "queued"): 3.000006})
case("nor is a fraction that is a millionth too small", [job(chips=1), al(0.999999, 0, 9)],
     {("j", "partial"): 8.999991, ("j", "queued"): 0.000009})
case("a fraction completes a gang", [job(chips=0.5), al(0.3, 0, 10), al(0.2, 4, 10)],
     {("j", "partial"): 1.2, ("j", "untraced"): 3, ("j", "queued"): 0.8})

# 4. What the program did

EACH = ["init", "prep", "compile", "restore", "input", "checkpoint", "eval", "hang", "defragment"]
case("each kind has its category", [al(2, 0, 20)] + [sp(kind, 2 * i, 2 * i + 1) for i, kind in enumerate(EACH)],
     {("j", "startup"): 4, ("j", "compile"): 2, ("j", "restore"): 2, ("j", "input"): 2, ("j", "checkpoint"): 2,
      ("j", "eval"): 2, ("j", "stall", "hang"): 2, ("j", "stall", "defragment"): 2, ("j", "unknown"): 22})
DONE = al(1, 0, 10, outcome="completed")
case("input and a save inside a step", [DONE, sp("step", 0, 10, 1), sp("input", 2, 4), sp("checkpoint", 9, 10)],
     {("j", "unrated"): 7, ("j", "input"): 2, ("j", "checkpoint"): 1})
case("inside of inside", [DONE, sp("step", 0, 10, 1), sp("eval", 2, 9), sp("input", 3, 4)],
     {("j", "unrated"): 3, ("j", "eval"): 6, ("j", "input"): 1})
case("a step inside an evaluation", [DONE, sp("eval", 0, 8), sp("step", 2, 4, 1)],
     {("j", "eval"): 6, ("j", "unrated"): 2, ("j", "unknown"): 2})
case("of spans that overlap the last to start", [DONE, sp("init", 0, 6), sp("compile", 4, 10)],
     {("j", "startup"): 4, ("j", "compile"): 6})
case("and again when the later one is over", [DONE, sp("init", 0, 10), sp("compile", 4, 6)],
     {("j", "startup"): 8, ("j", "compile"): 2})
case("of spans that start together the first to end", [DONE, sp("step", 0, 10, 1), sp("input", 0, 3)],
     {("j", "input"): 3, ("j", "unrated"): 7})
case("of equal spans the first kind", [DONE, sp("eval", 0, 10), sp("compile", 0, 10), sp("zzz", 0, 10)],
     {("j", "compile"): 10})
case("a span of no length changes nothing", [DONE, sp("init", 0, 10), sp("compile", 4, 4)], {("j", "startup"): 10})
case("a span without an attempt belongs to what covers its start",
     [al(1, 0, 10), al(1, 10, 20, attempt=2), sp("init", 8, 12, attempt=None), sp("compile", 10, 15, attempt=None)],
     {(1, "startup"): 2, (1, "unknown"): 8, (2, "compile"): 5, (2, "unknown"): 5}, by=("attempt", "category"))
case("to the latest-started of those",
     [al(1, 0, 10), al(1, 5, 10, attempt=2), sp("init", 6, 10, attempt=None)],
     {(1, "unknown"): 10, (2, "startup"): 4, (2, "unknown"): 1}, by=("attempt", "category"))
case("an open span lasts until the next of its kind",
     [al(1, 0, 10, outcome="completed"), sp("step", 0, None, 1), sp("input", 2, 3), sp("step", 4, 9, 2)],
     {("j", "unrated"): 8, ("j", "input"): 1, ("j", "unknown"): 1}, issues={"missing_end", "unknown_job", "no_capacity"})
case("an open span lasts to the end of its attempt",
     [job(), al(1, 0, 10), sp("hang", 4), al(1, 10, 20, attempt=2)],
     {("j", "unknown"): 14, ("j", "stall", "hang"): 6}, issues={"missing_end", "no_capacity"})
case("an open span of a running attempt is no issue", [job(), al(1, 0), sp("hang", 4), cap(1, 0, 10)],
     {("j", "unknown"): 4, ("j", "stall", "hang"): 6}, issues=set(), as_of=10)
case("one that the next of its kind ends is",
     [job(), al(1, 0), sp("step", 0, None, 1), sp("step", 6, None, 2), cap(1, 0, 10)],
     {("j", "unknown", "no_checkpoint_data"): 10}, issues={"missing_end"}, as_of=10)
case("a span while the gang is not complete", [job(chips=2), al(1, 0, 10), al(1, 4, 10, task="b"), sp("init", 0, 6)],
     {("j", "partial"): 4, ("j", "startup"): 4, ("j", "unknown"): 8, ("j", "queued"): 4},
     issues={"span_outside_allocation", "no_capacity"})
case("a span before and after its attempt", [job(), al(1, 5, 10), sp("init", 0, 20)], {("j", "startup"): 5},
     issues={"span_outside_allocation", "no_capacity"})
case("a span of an attempt that held nothing", [job(), al(1, 5, 10), sp("init", 5, 10, attempt=2)],
     {("j", "unknown"): 5}, issues={"span_without_allocation", "no_capacity"})
case("a span of a job that held nothing", [job(), sp("init", 5, 10)], {}, issues={"span_without_allocation"})
case("a job with a commit alone is traced", [al(1, 0, 10), co(1, 2, 3)], {("j", "unknown"): 10})
case("a job without records of its program is not", [al(1, 0, 10), al(1, 0, 10, job="k"), sp("hang", 1, 2, job="k")],
     {("j", "untraced"): 10, ("k", "stall", "hang"): 1, ("k", "unknown"): 9})
case("tracing is the job's, not the attempt's", [al(1, 0, 10), al(1, 20, 30, attempt=2), sp("hang", 0, 10)],
     {("j", "stall", "hang"): 10, ("j", "unknown"): 10})
SERVING = [al(1, 0, 10), al(1, 10, 20, attempt=2), sp("serve", 2, 5), sp("init", 0, 1), sp("init", 10, 11, attempt=2)]
case("no traffic", [job(phase="serving")] + SERVING,
     {("j", "startup"): 2, ("j", "unrated"): 3, ("j", "stall", "no_traffic"): 6, ("j", "unknown"): 9})
case("no traffic is for serving", [job(phase="training")] + SERVING,
     {("j", "startup"): 2, ("j", "unrated"): 3, ("j", "unknown"): 15})
DIED = [sp("init", 1, 3), sp("compile", 4, 6)]
case("a node that fails and no outage", [al(1, 0, 10, outcome="node_fail")] + DIED,
     {("j", "startup"): 2, ("j", "compile"): 2, ("j", "unknown"): 2, ("j", "stall", "node_fail"): 4})
case("a failure that is not the node's", [al(1, 0, 10, outcome="failed")] + DIED,
     {("j", "startup"): 2, ("j", "compile"): 2, ("j", "unknown"): 6})
case("the outcome is that of the allocation that ends last",
     [al(1, 0, 9, outcome="node_fail"), al(1, 0, 10, outcome="failed")] + DIED,
     {("j", "startup"): 4, ("j", "compile"): 4, ("j", "unknown"): 11})
case("of several that end last the worst",
     [al(1, 0, 10, outcome="completed"), al(1, 0, 10, outcome="node_fail")] + DIED,
     {("j", "startup"): 4, ("j", "compile"): 4, ("j", "unknown"): 4, ("j", "stall", "node_fail"): 8})
case("cancelled beats completed", [al(1, 0, 10, outcome="completed"), al(1, 0, 10, outcome="cancelled"),
     sp("step", 0, 10, 1), co(0, 0, 0)], {("j", "lost"): 20})

# 5. Which steps survive

def steps(*numbers, start=0, attempt=1, **columns):
    """Steps of 10 s one after another."""
    return [sp("step", start + 10 * i, start + 10 * i + 10, n, attempt, **columns) for i, n in enumerate(numbers)]


case("a successful end saves everything", [al(1, 0, 30, outcome="completed")] + steps(1, 2, 3), {("j", "unrated"): 30})
case("a failed end keeps what is durable", [al(1, 0, 30, outcome="failed"), co(2, 20, 25)] + steps(1, 2, 3),
     {("j", "unrated"): 20, ("j", "lost"): 10})
for outcome in ("cancelled", "preempted", "timeout", "node_fail", None):
    case("so does an end that is %s" % outcome, [al(1, 0, 30, outcome=outcome), co(2, 20, 25)] + steps(1, 2, 3),
         {("j", "unrated"): 20, ("j", "lost"): 10})
case("a running job's steps after its last save are pending",
     [al(1, 0, 50), co(2, 20, 25)] + steps(1, 2, 3), {("j", "unrated"): 20, ("j", "pending"): 10, ("j", "unknown"): 10},
     as_of=40)
RANK = [job(), al(1, 0, 30, outcome="failed")] + steps(1, 2, 3)
case("a second rank's steps inside the first's are restarts, and listed", RANK + [sp("step", 1 + 10 * i, 9 + 10 * i, 1 + i) for i in range(3)],
     {("j", "lost"): 6, ("j", "unrated"): 16, ("j", "unknown", "no_checkpoint_data"): 8}, issues={"concurrent_steps", "no_capacity"})
case("batches of two workers, each with its own numbers", [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 10, 7), sp("batch", 5, 20, 1)],
     {("j", "unrated"): 20}, issues={"overlapping_spans", "no_capacity"})
case("batches of two workers with one number", [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 10, 1), sp("batch", 5, 20, 1)],
     {("j", "lost"): 5, ("j", "unrated"): 15}, issues={"concurrent_steps", "overlapping_spans", "no_capacity"})
case("a batch of a higher number that begins meanwhile", [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 20, 1), sp("batch", 5, 10, 7)],
     {("j", "unrated"): 20}, issues={"no_capacity"})
case("going back when the step is over is a restart, and listed where nothing else tells of one",
     [job(), al(1, 0, 20, outcome="completed"), sp("step", 0, 10, 1), sp("step", 10, 20, 1)],
     {("j", "lost"): 10, ("j", "unrated"): 10}, issues={"no_capacity", "repeated_steps"})
for kind, listed in (("restore", False), ("init", False), ("compile", False), ("prep", True), ("checkpoint", True), ("eval", True)):
    case("going back, with a span of kind %s between" % kind,
         [job(), al(1, 0, 30, outcome="completed"), sp("step", 0, 10, 5), sp(kind, 10, 20), sp("step", 20, 30, 4)],
         {("j", "lost"): 10, ("j", {"init": "startup", "prep": "startup"}.get(kind, kind)): 10, ("j", "unrated"): 10},
         issues={"no_capacity", "repeated_steps"} if listed else {"no_capacity"})
for cause in ("hang", "reshard"):
    case("going back, with a %s between" % cause,
         [job(), al(1, 0, 30, outcome="completed"), sp("step", 0, 10, 5), sp(cause, 10, 20), sp("step", 20, 30, 4)],
         {("j", "lost"): 10, ("j", "stall", cause): 10, ("j", "unrated"): 10}, issues={"no_capacity"})
case("a restore before the step that is gone back from tells nothing",
     [job(), al(1, 0, 30, outcome="completed"), sp("restore", 0, 10), sp("step", 10, 20, 1), sp("step", 20, 30, 1)],
     {("j", "restore"): 10, ("j", "lost"): 10, ("j", "unrated"): 10}, issues={"no_capacity", "repeated_steps"})
case("a step without a number has no rank, one of no length has", [job(), al(1, 0, 20, outcome="completed"), sp("step", 0, 20, 3), sp("step", 2, 4), sp("step", 5, 5, 1)],
     {("j", "lost"): 18, ("j", "unrated"): 2}, issues={"concurrent_steps", "no_capacity"})
TWICE = [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="completed")] + steps(1, 2, 3, 4)
case("resumed at n + 1: nothing is lost", TWICE + steps(5, 6, start=40, attempt=2), {("j", "unrated"): 60})
case("resumed at n", TWICE + steps(4, 5, start=40, attempt=2), {("j", "unrated"): 50, ("j", "lost"): 10})
case("resumed deeper", TWICE + steps(2, 3, start=40, attempt=2), {("j", "unrated"): 30, ("j", "lost"): 30})
case("resumed at 0", TWICE + steps(0, 1, start=40, attempt=2), {("j", "unrated"): 20, ("j", "lost"): 40})
case("resumed further on", TWICE + steps(9, start=40, attempt=2),
     {("j", "unrated"): 50, ("j", "unknown"): 10})
case("the step resumed at decides, not the checkpoints", TWICE + [co(4, 40, 40)] + steps(2, 3, start=40, attempt=2),
     {("j", "unrated"): 30, ("j", "lost"): 30})
case("a resume proves a save that nothing recorded",
     [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="failed"), co(0, 0, 0)] + steps(1, 2, 3, 4)
     + steps(3, 4, start=40, attempt=2), {("j", "unrated"): 20, ("j", "lost"): 40})
case("going back within an attempt", [al(1, 0, 60, outcome="failed"), co(0, 0, 0)] + steps(1, 2, 3, 2, 3, 4),
     {("j", "unrated"): 10, ("j", "lost"): 50})
case("the same number again", [al(1, 0, 30, outcome="completed")] + steps(1, 1, 2),
     {("j", "lost"): 10, ("j", "unrated"): 20})
case("going back and failing", [al(1, 0, 50, outcome="failed"), co(3, 35, 40)] + steps(1, 2, 3, 3, 4),
     {("j", "unrated"): 20 + 10, ("j", "lost"): 20})
case("an asynchronous save protects up to its snapshot",
     [al(1, 0, 40, outcome="failed"), co(9, 15, 35)] + steps(1, 2, 3, 4), {("j", "unrated"): 20, ("j", "lost"): 20})
case("and only up to its number", [al(1, 0, 40, outcome="failed"), co(1, 35, 35)] + steps(1, 2, 3, 4),
     {("j", "unrated"): 10, ("j", "lost"): 30})
case("a step that starts with the snapshot is not in it", [al(1, 0, 20, outcome="failed"), co(2, 10, 12)] + steps(1, 2),
     {("j", "unrated"): 10, ("j", "lost"): 10})
case("without a snapshot the durable time stands in", [al(1, 0, 30, outcome="failed"), co(9, None, 15)] + steps(1, 2, 3),
     {("j", "unrated"): 20, ("j", "lost"): 10})
case("a save without a step protects what ended", [al(1, 0, 40, outcome="failed"), co(None, 25, 30)] + steps(1, 2, 3, 4),
     {("j", "unrated"): 20, ("j", "lost"): 20})
case("what ends with the snapshot has ended", [al(1, 0, 20, outcome="failed"), co(None, 10, 30)] + steps(1, 2),
     {("j", "unrated"): 10, ("j", "lost"): 10})
case("a save that never became durable", [al(1, 0, 20, outcome="failed"), co(2, 15, None)] + steps(1, 2),
     {("j", "lost"): 20})
case("no checkpoint data", [al(1, 0, 20, outcome="failed")] + steps(1, 2), {("j", "unknown", "no_checkpoint_data"): 20})
case("no checkpoint data and still running", [al(1, 0, 40)] + steps(1, 2),
     {("j", "unknown", "no_checkpoint_data"): 20, ("j", "unknown"): 10}, as_of=30)
case("no checkpoint data, and a resume",
     [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="failed")] + steps(1, 2, 3, 4)
     + steps(3, 4, start=40, attempt=2),
     {("j", "unrated"): 20, ("j", "lost"): 20, ("j", "unknown", "no_checkpoint_data"): 20})
case("an attempt without steps is not a resume",
     [al(1, 0, 20, outcome="failed"), al(1, 20, 30, attempt=2, outcome="failed"), co(1, 10, 11), sp("init", 20, 30, attempt=2)]
     + steps(1, 2), {("j", "unrated"): 10, ("j", "lost"): 10, ("j", "startup"): 10})
case("but its success counts",
     [al(1, 0, 20, outcome="failed"), al(1, 20, 30, attempt=2, outcome="completed"), sp("init", 20, 30, attempt=2)]
     + steps(1, 2), {("j", "unrated"): 20, ("j", "startup"): 10})
case("steps without numbers are decided by the end",
     [al(1, 0, 20, outcome="failed"), al(1, 20, 40, attempt=2, outcome="failed"), co(0, 0, 0)] + steps(None, 1)
     + steps(2, None, start=20, attempt=2), {("j", "unrated"): 10, ("j", "lost"): 30})
UNTOLD = [job(), al(1, 40, 60, attempt=2, outcome="completed")] + steps(None, None) + steps(None, start=40, attempt=2)
case("steps without numbers before a restart, and a successful end", UNTOLD + [al(1, 0, 20, outcome="failed")],
     {("j", "unrated"): 30, ("j", "unknown"): 10}, issues={"unnumbered_steps", "no_capacity"})
case("those of an attempt that completed are as it left them", UNTOLD + [al(1, 0, 20, outcome="completed")],
     {("j", "unrated"): 30, ("j", "unknown"): 10}, issues={"no_capacity"})
case("and those that a save protects", UNTOLD + [al(1, 0, 20, outcome="failed"), co(None, 20, 25)],
     {("j", "unrated"): 30, ("j", "unknown"): 10}, issues={"no_capacity"})
case("but not those that it does not", UNTOLD + [al(1, 0, 20, outcome="failed"), co(7, 10, 25)],
     {("j", "unrated"): 30, ("j", "unknown"): 10}, issues={"unnumbered_steps", "no_capacity"})
case("steps without numbers and a successful end", [al(1, 0, 20, outcome="completed")] + steps(None, None),
     {("j", "unrated"): 20})
case("steps without numbers and a save without one",
     [al(1, 0, 20, outcome="failed"), co(None, 15, 15)] + steps(None, None), {("j", "unrated"): 10, ("j", "lost"): 10})
case("a numbered save protects the steps without numbers that had ended",
     [al(1, 0, 30, outcome="failed"), co(9, 15, 15)] + steps(None, 1, None), {("j", "lost"): 10, ("j", "unrated"): 20})
case("a save without a step protects numbered steps that had ended",
     [al(1, 0, 30, outcome="failed"), co(None, 15, 15)] + steps(1, 2, None), {("j", "lost"): 20, ("j", "unrated"): 10})
case("a save taken at as_of counts as one", [al(1, 0, 30, outcome="failed"), co(2, 20, None)] + steps(1, 2), {("j", "pending"): 20},
     as_of=20)
case("a save taken after as_of does not", [al(1, 0, 30, outcome="failed"), co(2, 21, None)] + steps(1, 2),
     {("j", "unknown", "no_checkpoint_data"): 20}, as_of=20)
case("a save of an earlier attempt protects a step of the last",
     [al(1, 0, 10, outcome="failed"), al(1, 10, 30, attempt=2, outcome="failed"), co(5, 25, 26, attempt=1)]
     + steps(4, start=0) + steps(5, 6, start=10, attempt=2), {("j", "unrated"): 20, ("j", "lost"): 10})
case("bulk inference commits shards",
     [job(phase="bulk_inference"), al(1, 0, 30, outcome="failed"), co(2, 20, 21)]
     + [sp("batch", 10 * i, 10 * i + 10, i + 1) for i in range(3)], {("j", "unrated"): 20, ("j", "lost"): 10})
def batches(*numbers, start=0, attempt=1):
    """Batches of 10 s one after another."""
    return [sp("batch", start + 10 * i, start + 10 * i + 10, n, attempt) for i, n in enumerate(numbers)]


case("batches run in any order", [job(), al(1, 0, 40, outcome="completed")] + batches(3, 1, 4, 2), {("j", "unrated"): 40}, issues={"no_capacity"})
case("a restart that runs one shard again and goes on behind the others loses that one",
     TWICE[:2] + batches(6, 7, 8, 9) + batches(7, 10, start=40, attempt=2), {("j", "lost"): 10, ("j", "unrated"): 50})
case("the first batch of the next attempt tells nothing of those above it",
     [job(), al(1, 0, 40, outcome="failed"), al(1, 40, 80, attempt=2)] + batches(6, 7, 8, 9) + batches(7, 8, start=40, attempt=2),
     {("j", "lost"): 20, ("j", "unrated"): 10, ("j", "unknown", "no_checkpoint_data"): 30}, as_of=60, issues={"no_capacity"})
case("but a shard that is committed is safe",
     [job(), al(1, 0, 40, outcome="failed"), al(1, 40, 80, attempt=2), co(9, 40, 40)] + batches(6, 7, 8, 9) + batches(7, 10, start=40, attempt=2),
     {("j", "lost"): 10, ("j", "unrated"): 30, ("j", "pending"): 20}, as_of=60, issues={"no_capacity"})
case("a shard that still runs while another is committed is not safe",
     [al(1, 0, 30, outcome="failed"), co(7, 20, 20), sp("batch", 0, 15, 7), sp("batch", 15, 30, 6)], {("j", "unrated"): 15, ("j", "lost"): 15})
case("one that was done before is, and the committed one to its end",
     [al(1, 0, 30, outcome="failed"), co(7, 20, 21), sp("batch", 0, 15, 6), sp("batch", 15, 30, 7)], {("j", "unrated"): 30})
case("going back within an attempt proves no batch",
     [al(1, 0, 30, outcome="failed"), co(1, 0, None)] + batches(1, 3, 2), {("j", "lost"): 30})
case("a batch that runs again in its attempt is listed, whatever ran between",
     [job(), al(1, 0, 30, outcome="completed")] + batches(1, 2, 1), {("j", "lost"): 10, ("j", "unrated"): 20}, issues={"no_capacity", "repeated_steps"})
case("but not behind a stall",
     [job(), al(1, 0, 40, outcome="completed")] + batches(1, 2) + [sp("hang", 20, 30)] + batches(1, start=30),
     {("j", "lost"): 10, ("j", "unrated"): 20, ("j", "stall", "hang"): 10}, issues={"no_capacity"})
case("a stall after both tells nothing",
     [job(), al(1, 0, 40, outcome="completed")] + batches(1, 2, 1) + [sp("hang", 30, 40)],
     {("j", "lost"): 10, ("j", "unrated"): 20, ("j", "stall", "hang"): 10}, issues={"no_capacity", "repeated_steps"})
case("a shard that fails three times is lost three times", [al(1, 0, 40, outcome="completed")] + batches(5, 5, 4, 5), {("j", "lost"): 20, ("j", "unrated"): 20})
case("steps and batches tell nothing of each other",
     [job(), al(1, 0, 40, outcome="completed")] + batches(5, 6) + steps(5, 4, start=20), {("j", "lost"): 10, ("j", "unrated"): 30},
     issues={"no_capacity", "repeated_steps"})
case("a batch without a number is decided by the end",
     [al(1, 0, 20, outcome="failed"), co(None, 10, 10)] + batches(None, None), {("j", "unrated"): 10, ("j", "lost"): 10})
case("serving survives a failure", [al(1, 0, 10, outcome="failed"), sp("serve", 0, 10), co(0, 0, 0)], {("j", "unrated"): 10})
case("lost work is lost with what was carved out of it kept",
     [al(1, 0, 20, outcome="failed"), co(1, 10, 10), sp("input", 12, 15)] + steps(1, 2),
     {("j", "unrated"): 10, ("j", "lost"): 7, ("j", "input"): 3})
case("a hidden step still counts in the lineage",
     [al(1, 0, 20, outcome="completed"), sp("step", 0, 10, 2), sp("step", 12, 12, 1)],
     {("j", "lost"): 10, ("j", "unknown"): 10})
case("the fate of one job is not another's",
     [al(1, 0, 20, outcome="completed"), al(1, 0, 20, outcome="failed", job="k"), co(0, 0, 0, job="k")] + steps(1, 2)
     + steps(1, 2, job="k"), {("j", "unrated"): 20, ("k", "lost"): 20})

# 6. Ideal, inefficiency, unrated

POOL = CHIPS + [cap(2, 0, 10), al(2, 0, 10, outcome="completed"), job()]
case("a span's own FLOPs", POOL + [sp("step", 0, 10, 1, flops=5e12)], {("j", "ideal"): 5, ("j", "inefficiency"): 15})
case("a program's FLOPs", POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f")],
     {("j", "ideal"): 3, ("j", "inefficiency"): 17})
case("times its executions", POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f", executions=4)],
     {("j", "ideal"): 12, ("j", "inefficiency"): 8})
case("its own FLOPs win, as they are", POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f", executions=4, flops=7e12)],
     {("j", "ideal"): 7, ("j", "inefficiency"): 13})
case("no FLOPs at all is all inefficiency", POOL + [sp("step", 0, 10, 1, flops=0)], {("j", "inefficiency"): 20})
INT8 = [("chips", dict(chip="one", dtype="int8", peak_flops=4e12))]
case("a span's dtype", INT8 + POOL + [sp("step", 0, 10, 1, flops=8e12, dtype="int8")],
     {("j", "ideal"): 2, ("j", "inefficiency"): 18})
case("a program's dtype", INT8 + POOL + [pr("f", 8e12, "int8"), sp("step", 0, 10, 1, program="f")],
     {("j", "ideal"): 2, ("j", "inefficiency"): 18})
case("a span's dtype wins", INT8 + POOL + [pr("f", 8e12, "int8"), sp("step", 0, 10, 1, program="f", dtype="bf16")],
     {("j", "ideal"): 8, ("j", "inefficiency"): 12})
case("a program's dtype serves the span's own FLOPs",
     INT8 + POOL + [pr("f", 1e12, "int8"), sp("step", 0, 10, 1, program="f", flops=4e12)],
     {("j", "ideal"): 1, ("j", "inefficiency"): 19})
case("a span that beats the roofline", POOL + [sp("step", 0, 10, 1, flops=25e12)], {("j", "ideal"): 25, ("j", "inefficiency"): -5})
case("no FLOPs known", POOL + [sp("step", 0, 5, 1), sp("step", 5, 10, 2, program="g")], {("j", "unrated"): 20})
case("a chip that is unknown",
     [job(), cap(1, 0, 10, chip="abacus"), al(1, 0, 10, outcome="completed"), sp("step", 0, 10, 1, flops=1e12)],
     {("abacus", "unrated"): 10}, by=("chip", "category"), issues={"unknown_chip"})
case("a dtype that the chip lacks", POOL + [sp("step", 0, 10, 1, flops=1e12, dtype="int4")], {("j", "unrated"): 20},
     issues={"unknown_dtype"})
case("a chip of the catalogue", [cap(1, 0, 10, chip="tpu-v4"), al(1, 0, 10, outcome="completed"),
     sp("step", 0, 10, 1, flops=2.75e14)], {("tpu-v4", "ideal"): 1, ("tpu-v4", "inefficiency"): 9}, by=("chip", "category"))
WIDE = [("chips", dict(ONE, hbm_bytes_per_s=1e9))] + POOL[1:]
case("the memory roofline is an option", WIDE + [sp("step", 0, 10, 1, flops=5e12, bytes=8e9)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 15})
case("with it the longer of the two counts", WIDE + [sp("step", 0, 5, 1, flops=5e12, bytes=8e9), sp("step", 5, 10, 2, flops=5e12, bytes=1e9)],
     {("j", "ideal"): 8 + 5, ("j", "inefficiency"): 20 - 13}, roofline="memory")
case("bytes are the program's too", WIDE + [("programs", dict(program="f", flops=1e12, bytes=2e9)),
     sp("step", 0, 10, 1, program="f", executions=3)], {("j", "ideal"): 6, ("j", "inefficiency"): 14}, roofline="memory")
case("unknown bytes count for nothing", WIDE + [sp("step", 0, 10, 1, flops=5e12)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 15}, roofline="memory")
case("a chip of unknown bandwidth likewise", POOL + [sp("step", 0, 10, 1, flops=5e12, bytes=8e12)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 15}, roofline="memory")
case("bytes without FLOPs rate nothing", WIDE + [sp("step", 0, 10, 1, bytes=5e9)], {("j", "unrated"): 20}, roofline="memory")
case("all FLOPs are the step's own time's", POOL + [sp("step", 0, 10, 1, flops=5e12), sp("input", 2, 4)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 11, ("j", "input"): 4})
case("FLOPs of time that is not the job's are left out",
     CHIPS + [cap(2, 0, 10), job(chips=2), al(1, 0, 10, outcome="completed"), al(1, 4, 10, outcome="completed"),
              sp("step", 0, 10, 1, flops=10e12)],
     {("j", "partial"): 4, ("j", "ideal"): 6, ("j", "inefficiency"): 6, ("j", "queued"): 4, (None, "idle"): 4})
case("FLOPs of time outside the attempt are left out",
     CHIPS + [cap(1, 0, 10), al(1, 0, 10), sp("serve", 5, 15, flops=8e12)],
     {("j", "ideal"): 4, ("j", "inefficiency"): 1, ("j", "unknown"): 5}, as_of=20)
case("FLOPs are shared among kinds of chip by chip-time",
     CHIPS + [cap(1, 0, 10, "a"), cap(3, 0, 10, "b", "two"), al(1, 0, 10, pool="a", outcome="completed"),
              al(3, 0, 10, pool="b", outcome="completed"), sp("step", 0, 10, 1, flops=8e12)],
     {("a", "ideal"): 2, ("a", "inefficiency"): 8, ("b", "ideal"): 3, ("b", "inefficiency"): 27}, by=("pool", "category"))
case("and of unknown kinds",
     CHIPS + [cap(1, 0, 10, "a"), cap(3, 0, 10, "b", None), al(1, 0, 10, pool="a", outcome="completed"),
              al(3, 0, 10, pool="b", outcome="completed"), sp("step", 0, 10, 1, flops=8e12)],
     {("a", "ideal"): 2, ("a", "inefficiency"): 8, ("b", "unrated"): 30}, by=("pool", "category"))
case("a surplus computes nothing", CHIPS + [cap(3, 0, 10), job(chips=2), al(3, 0, 10, outcome="completed"),
     sp("step", 0, 10, 1, flops=8e12)], {("j", "partial", "surplus"): 10, ("j", "ideal"): 8, ("j", "inefficiency"): 12})
case("a span that is wholly hidden", POOL + [sp("step", 0, 10, 1, flops=5e12), sp("eval", 0, 10, flops=1e12)],
     {("j", "eval"): 20}, issues={"hidden_span"})
case("parts share the ideal in the order of time and pool",
     CHIPS + [cap(1, 0, 9, "a"), cap(2, 0, 9, "b"), al(1, 0, 9, pool="a", outcome="completed"),
              al(2, 0, 9, pool="b", outcome="completed"), sp("step", 0, 9, 1, flops=1e7)],
     {("a", "ideal"): 3 * MS, ("a", "inefficiency"): 9 - 3 * MS, ("b", "ideal"): 7 * MS, ("b", "inefficiency"): 18 - 7 * MS},
     by=("pool", "category"))
case("half a microsecond is rounded away from nothing", POOL + [sp("step", 0, 5, 1, flops=2.5e6), sp("step", 5, 10, 2, flops=0.5e6)],
     {("j", "ideal"): 4 * MS, ("j", "inefficiency"): 20 - 4 * MS})
case("lost time has no ideal", CHIPS + [cap(1, 0, 10), al(1, 0, 10, outcome="failed"), co(0, 0, 0), sp("step", 0, 10, 1, flops=1e12)],
     {("j", "lost"): 10})

# 7. Queued

case("queued from the submission", [job(chips=2, submit_time=3), al(2, 10, 20)],
     {("p", "queued"): 14, ("p", "untraced"): 20}, by=("pool", "category"))
case("queued between attempts", [job(chips=2, submit_time=0), al(2, 0, 10, outcome="preempted"), al(2, 15, 20, attempt=2)],
     {("j", "queued"): 10, ("j", "untraced"): 30})
case("queued has no attempt", [job(chips=2), al(1, 0, 10)],
     {("j", None, "queued"): 10, ("j", 1, "partial"): 10}, by=("job", "attempt", "category"))
case("not queued after the last attempt", [job(chips=2, submit_time=0), al(2, 5, 10), sp("hang", 0, 30, job="k")],
     {("j", "queued"): 10, ("j", "untraced"): 10})
case("queued while it runs", [job(chips=2, submit_time=0), al(1, 5), sp("hang", 0, 30, job="k")],
     {("j", "queued"): 10 + 25, ("j", "partial"): 25})
case("never held anything", [job(chips=2, submit_time=5), cap(1, 0, 30)], {("j", None, "queued"): 50, (None, "p", "idle"): 30},
     by=("job", "pool", "category"))
case("never held anything nor said when", [job(chips=2), cap(1, 0, 30)], {(None, "idle"): 30})
case("held before it asked", [job(chips=2, submit_time=5), al(1, 0, 10)], {("j", "queued"): 10, ("j", "partial"): 10})
case("a job that names no chips asks for none", [job(submit_time=0), al(1, 5, 10)], {("j", "untraced"): 5})
case("an elastic job asks for all its chips", [job(chips=4, min_chips=1, submit_time=0), al(3, 5, 10)],
     {("j", "queued"): 20 + 5, ("j", "untraced"): 15})
case("the pool is that of the next allocation, then of the last",
     [job(chips=3, submit_time=0), al(1, 2, 20, pool="b"), al(1, 6, 20, pool="a"), al(1, 6, 10, pool="c")],
     {("b", "queued"): 6, ("a", "queued"): 8 + 10, ("b", "partial"): 4 + 10, ("b", "untraced"): 4, ("a", "partial"): 10,
      ("a", "untraced"): 4, ("c", "untraced"): 4}, by=("pool", "category"))
case("held is of all attempts and pools", [job(chips=3), al(1, 0, 10), al(1, 0, 10, attempt=2, pool="q")],
     {("j", "queued"): 10, ("j", "partial"): 20})
case("the submission is at as_of", [job(chips=3, submit_time=10), cap(1, 0, 10)], {(None, "idle"): 10})
case("queued carries the pool's chip", [job(chips=1, submit_time=0), cap(1, 0, 5), cap(1, 5, 10, chip="two"), al(1, 10, 20)],
     {("one", "idle"): 5, ("two", "idle"): 5, ("one", "queued"): 5, ("two", "queued"): 5, (None, "idle"): -10,
      (None, "untraced"): 10}, by=("chip", "category"))

# 8. Windows, buckets and integers

case("buckets", [cap(2, 1800, 9000), al(1, 3000, 4000)],
     {("1970-01-01 00:00:00", "idle"): 3600 - 600, ("1970-01-01 00:00:00", "untraced"): 600,
      ("1970-01-01 01:00:00", "idle"): 7200 - 400, ("1970-01-01 01:00:00", "untraced"): 400,
      ("1970-01-01 02:00:00", "idle"): 3600}, by=("bucket", "category"), bucket="1 hour")
case("buckets of days", [cap(1, 0, 86400 * 2)], {("1970-01-01",): 86400, ("1970-01-02",): 86400}, by=("bucket",), bucket=86400)
case("buckets of weeks begin on Mondays", [cap(1, 86400 * 3, 86400 * 5)], {("1969-12-29",): 86400, ("1970-01-05",): 86400},
     by=("bucket",), bucket="1 week")
case("buckets of months", [cap(1, 86400 * 30, 86400 * 60)],
     {("1970-01-01",): 86400, ("1970-02-01",): 28 * 86400, ("1970-03-01",): 86400}, by=("bucket",), bucket="1 month")
case("a window", [cap(2, 0, 100), al(1, 10, 40), sp("hang", 15, 35)],
     {("j", "unknown"): 5, ("j", "stall", "hang"): 10, (None, "idle"): 15}, since=25, until=40)
case("a window does not change what is decided", [al(1, 0, 40, outcome="failed"), co(2, 35, 36)] + steps(1, 2, 3, 4),
     {("j", "unrated"): 15, ("j", "lost"): 5}, since=5, until=25)
case("ideal time is cut in proportion",
     CHIPS + [cap(1, 0, 9), al(1, 0, 9, outcome="completed"), sp("step", 0, 9, 1, flops=1e7)],
     {("ideal",): 4 * MS, ("inefficiency",): 4 - 4 * MS}, by=("category",), since=2, until=6)
case("fractions are cut so that they add up", [al(1e-6, 0, 3), job()],
     {("1970-01-01 00:00:01", "untraced"): 1 * MS, ("1970-01-01 00:00:02", "untraced"): 1 * MS,
      ("1970-01-01 00:00:00", "untraced"): 1 * MS}, by=("bucket", "category"), bucket=1)
case("a fraction of a chip-microsecond comes with its last part", [al(1e-6, 0.25, 2.25), job()],
     {("1970-01-01 00:00:00.500000", "untraced"): 1 * MS, ("1970-01-01 00:00:01.500000", "untraced"): 1 * MS},
     by=("bucket", "category"), bucket=0.5)

# 10. The same record twice

case("equal jobs are one", [job(chips=2), job(chips=2), al(1, 0, 10)], {("j", "partial"): 10, ("j", "queued"): 10},
     issues={"no_capacity"})
case("jobs are merged", [job(chips=2), job(chips=3), job(), al(3, 0, 10)], {("j", "untraced"): 30},
     issues={"no_capacity", "conflicting_job"})
case("programs are merged", POOL + [pr("f", 3e12), pr("f", 4e12), pr("f"), sp("step", 0, 10, 1, program="f")],
     {("j", "ideal"): 4, ("j", "inefficiency"): 16}, issues={"conflicting_program"})
case("spans that repeat take no time twice", [al(1, 0, 20, outcome="completed")] + steps(1, 2) + steps(1, 2), {("j", "unrated"): 20},
     issues={"duplicate_span", "no_capacity", "unknown_job"})
case("nor steps with all their figures", POOL + 2 * [sp("step", 0, 10, 1, program="f", flops=5e12, bytes=7, dtype="bf16", executions=2)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 15}, issues={"duplicate_span"})
case("steps that differ in one figure are two", POOL + [sp("step", 0, 10, 1, flops=5e12), sp("step", 0, 10, 1, flops=6e12)],
     {("j", "ideal"): 5, ("j", "inefficiency"): 15}, issues={"concurrent_steps"})
case("allocations that repeat count twice", [al(1, 0, 10), al(1, 0, 10)], {("j", "untraced"): 20})
case("capacity and outages too", [cap(1, 0, 10), cap(1, 0, 10), out(1, 0, 4), out(1, 0, 4)],
     {(None, "idle"): 12, (None, "down", "hw_down"): 8})
case("UUIDs are compared as UUIDs",
     [job("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", chips=1), al(1, 0, 10, job="{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"),
      sp("hang", 0, 4, job="urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8")],
     {("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "stall", "hang"): 4, ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "unknown"): 6})


class Rules(unittest.TestCase):
    maxDiff = None

    def check_ledger(self, expected, found):
        text = difference(expected, found)
        if text:
            self.fail("\n" + text)

    def naive(self, name):
        relations, expected, by, issues, options = CASES[name]
        result = naive.compute(relations, **options)
        self.check_ledger(expected, project(result.ledger, by))
        if issues is not None:
            self.assertEqual(issues, result.issues)

    def extension(self, name, form):
        relations, expected, by, issues, options = CASES[name]
        with as_source(relations, form) as (db, source):
            self.check_ledger(expected, ledger(db, source, options, by))
            if issues is not None:
                kinds = {kind for kind, in db.execute("SELECT kind FROM mpg_issues WHERE kind <> 'out_of_order'")}
                self.assertEqual(issues, kinds)


def add_tests():
    for name in CASES:
        words = "".join(c if c.isalnum() else "_" for c in name)
        setattr(Rules, "test_naive__" + words, lambda self, name=name: self.naive(name))
        for form in FORMS:
            setattr(Rules, f"test_{form}__{words}", lambda self, name=name, form=form: self.extension(name, form))


add_tests()


class Sizes(unittest.TestCase):
    """9. By the chips that a job needs, or the most it ever held."""

    FLEET = fleet(job("a", chips=15), al(1, 0, 1, job="a"), job("b", chips=16), al(16, 0, 1, job="b"),
                  job("c", chips=255.5), al(1, 0, 1, job="c"), job("d", chips=2047), al(1, 0, 1, job="d"),
                  job("e", chips=2048), al(1, 0, 1, job="e"), al(100, 0, 10, job="f"), al(156, 5, 6, job="f"),
                  al(100, 0, 10, job="g"), al(156, 10, 11, job="g"))
    EXPECTED = dict(a="S", b="M", c="M", d="L", e="XL", f="L", g="M")
    OTHER = dict(a="M", b="M", c="L", d="XL", e="XL", f="L", g="L")

    def test_naive(self):
        for expected, options in ((self.EXPECTED, {}), (self.OTHER, {"sizes": (10, 100, 1000)})):
            jobs = naive.compute(self.FLEET, **options).jobs
            self.assertEqual(expected, {name: jobs[name]["size"] for name in expected})

    def test_extension(self):
        for form in FORMS:
            with as_source(self.FLEET, form) as (db, source):
                for clause, expected in (("", self.EXPECTED), (" WHERE sizes = '10,100,1000'", self.OTHER)):
                    rows = db.execute(f"SELECT DISTINCT job, size FROM {source}{clause}").fetchall()
                    self.assertEqual(sorted(expected.items()), sorted(rows))


class Dimensions(unittest.TestCase):
    """Of two records of a job a value wins over NULL and of two values the greater."""

    FLEET = fleet(job("a", name="n", owner="x", priority="1", labels='{"a":1}'), job("a", owner="y", phase="training"),
                  al(1, 0, 1, job="a"), al(1, 0, 1, job="b"))

    def test_dimensions(self):
        wanted = [("a", "n", "y", "training", None, None, None, "1", '{"a":1}'),
                  ("b", None, None, None, None, None, None, None, None)]
        for form in FORMS:
            with as_source(self.FLEET, form) as (db, source):
                rows = db.execute("SELECT DISTINCT job, name, owner, phase, framework, runtime, model, priority, labels "
                                  f"FROM {source} ORDER BY job").fetchall()
                self.assertEqual(wanted, rows)


class BadRecords(unittest.TestCase):
    def test_end_before_start(self):
        for record in (cap(1, 5, 4), out(1, 5, 4), al(1, 5, 4), sp("step", 5, 4)):
            with self.assertRaises(ValueError):
                naive.compute(fleet(record))


if __name__ == "__main__":
    unittest.main()
