"""Who held what (docs/rules.md, sections 1 to 3 and 7): the end of the trace, capacity, attempts and gangs, demand."""

import unittest

from fleets import ONE, TWO, al, cap, co, job, out, sp
from rules_case import CHIPS, Cases, Rules

case = Cases()

# 1. The end of the trace

case(
    "an open allocation lasts to the latest time of any record",
    [al(2, 0), sp("hang", 0, 10)],
    {("j", "stall", "hang"): 20},
)
case(
    "a capacity record may be the latest, and is listed where a job runs until then",
    [job(), cap(2, 0, 30), al(2, 0)],
    {("j", "untraced"): 60},
    issues={"as_of_ahead"},
)
case(
    "so may an outage that is planned",
    [job(), cap(2, 0), out(2, 20, 30), al(2, 0, 10), al(1, 0, job="k"), job("k")],
    {("j", "untraced"): 20, ("k", "untraced"): 30, (None, "down", "hw_down"): 20, (None, "idle"): -10},
    issues={"as_of_ahead", "oversubscribed"},
)
case("capacity alone that is open says not until when it is there", [cap(2, 5)], {}, issues={"not_observed"})
case("nor does what comes in the end", [cap(2, 0, 30), cap(4, 30)], {(None, "idle"): 60}, issues={"not_observed"})
case("as_of says it", [cap(2, 5)], {(None, "idle"): 50}, issues=set(), as_of=30)
case(
    "not where all have ended",
    [job(), cap(2, 0, 30), al(2, 0, 10)],
    {("j", "untraced"): 20, (None, "idle"): 40},
    issues=set(),
)
case(
    "nor where a job's record is as late",
    [job(), cap(2, 0, 30), al(2, 0), sp("hang", 20, 30)],
    {("j", "unknown"): 40, ("j", "stall", "hang"): 20},
    issues=set(),
)
case("nor where as_of is told", [job(), cap(2, 0, 30), al(2, 0)], {("j", "untraced"): 40}, issues=set(), as_of=20)
case("a submission may be the latest", [al(1, 0), job("k", submit_time=25)], {("j", "untraced"): 25})
case("a commit may be the latest", [al(1, 0), co(1, 3, 40)], {("j", "unknown"): 40})
case(
    "as_of cuts, and what it cuts is running",
    [al(2, 0, 100, outcome="completed"), sp("step", 0, 30, 1)],
    {("j", "unknown", "no_checkpoint_data"): 60, ("j", "unknown"): 20},
    as_of=40,
)
case(
    "as_of after the last record lets open ones run on",
    [al(1, 0), sp("hang", 0, 10)],
    {("j", "stall", "hang"): 10, ("j", "unknown"): 15},
    as_of=25,
)
case(
    "an allocation that ends at as_of has ended",
    [al(1, 0, 40, outcome="completed"), sp("step", 0, 40, 1)],
    {("j", "unrated"): 40},
    as_of=40,
)
RESTARTED = [
    al(1, 0, 40, outcome="failed"),
    al(1, 40, 80, attempt=2, outcome="completed"),
    sp("step", 0, 40, 1),
    co(0, 1, 1),
    sp("init", 40, 80, attempt=2),
]
case("what starts at as_of does not count", RESTARTED, {("j", "lost"): 40}, as_of=40)
case("what starts before as_of does", RESTARTED, {("j", "pending"): 40, ("j", "startup"): 1}, as_of=41)
case("and in the end", RESTARTED, {("j", "lost"): 40, ("j", "startup"): 40})
SAVED = [al(1, 0, 80, outcome="failed"), sp("step", 0, 30, 1), sp("hang", 30, 80), co(1, 30, 41)]
case(
    "a commit durable after as_of is not durable yet",
    SAVED,
    {("j", "pending"): 30, ("j", "stall", "hang"): 10},
    as_of=40,
)
case("a commit taken after as_of is none", SAVED, {("j", "unknown", "no_checkpoint_data"): 29}, as_of=29)
case(
    "nor is one that says only when it became durable, later",
    SAVED[:-1] + [co(1, None, 41)],
    {("j", "unknown", "no_checkpoint_data"): 30, ("j", "stall", "hang"): 10},
    as_of=40,
)
case("a commit durable at as_of does", SAVED, {("j", "unrated"): 30, ("j", "stall", "hang"): 11}, as_of=41)

# 2. Capacity, down, idle

case(
    "idle is what is left",
    [cap(8, 0, 10), out(1, 2, 4), al(3, 0, 10)],
    {(None, "down", "hw_down"): 2, ("j", "untraced"): 30, (None, "idle"): 48},
)
case("capacity records add up", [cap(2, 0, 10), cap(3, 4, 6), cap(1, 20, 21)], {(None, "idle"): 27})
case(
    "outages by kind add up",
    [cap(4, 0, 10), out(1, 0, 5), out(1, 3, 6), out(1, 4, 8, "maintenance")],
    {(None, "down", "hw_down"): 8, (None, "down", "maintenance"): 4, (None, "idle"): 28},
)
case(
    "an outage without a kind is down",
    [cap(1, 0, 10), out(1, 0, 4, None)],
    {(None, "down", "down"): 4, (None, "idle"): 6},
)
case("an open outage lasts", [cap(1, 0, 10), out(1, 7)], {(None, "down", "hw_down"): 3, (None, "idle"): 7})
case(
    "more held than there is makes idle negative",
    [job(), cap(2, 0, 10), al(3, 0, 10)],
    {("j", "untraced"): 30, (None, "idle"): -10},
    issues={"oversubscribed"},
)
case(
    "down chips that are held make idle negative",
    [job(), cap(2, 0, 10), out(1, 0, 4), al(2, 0, 10)],
    {("j", "untraced"): 20, (None, "down", "hw_down"): 4, (None, "idle"): -4},
    issues={"oversubscribed"},
)
case(
    "held outside the capacity records' time",
    [job(), cap(2, 0, 10), al(1, 5, 15)],
    {("j", "untraced"): 10, (None, "idle"): 10},
    issues={"oversubscribed"},
)
case(
    "a pool without capacity has what is down and held",
    [job(), out(1, 0, 4), al(2, 0, 10)],
    {("j", "untraced"): 20, (None, "down", "hw_down"): 4},
    issues={"no_capacity"},
)
case(
    "two pools are two accounts",
    [cap(1, 0, 10), cap(2, 0, 10, "q"), al(1, 0, 10), al(1, 0, 5, 1, pool="q")],
    {("p", "untraced"): 10, ("q", "untraced"): 5, ("q", "idle"): 15},
    by=("pool", "category"),
)
case(
    "capacity in service",
    [cap(4, 0, 10), out(1, 2, 4), al(3, 0, 10)],
    {("j", "untraced"): 30, (None, "idle"): 8},
    basis="in_service",
)
case(
    "a shard's jobs are taken from the idle time of all",
    [cap(4, 0, 10), out(1, 2, 4), al(3, 0, 10)],
    {("j", "untraced"): 30, (None, "idle"): -30},
    basis="shard",
)
case("but not where capacity is what is held", [out(1, 2, 4), al(3, 0, 10)], {("j", "untraced"): 30}, basis="shard")
case(
    "a pool's chip is that of its records then",
    [("chips", ONE), ("chips", TWO), cap(1, 0, 10), cap(1, 10, 20, chip="two"), cap(1, 30, 40, chip=None)],
    {("one", "idle"): 10, ("two", "idle"): 10, (None, "idle"): 10},
    by=("chip", "category"),
)
case(
    "a mixed pool has none",
    CHIPS
    + [
        job(),
        cap(1, 0, 20),
        cap(1, 10, 20, chip="two"),
        al(1, 0, 20, outcome="completed"),
        sp("serve", 0, 20, flops=8e12),
    ],
    {("one", "ideal"): 4, ("one", "inefficiency"): 6, (None, "unrated"): 10, (None, "idle"): 10},
    by=("chip", "category"),
    issues={"mixed_pool"},
)
case(
    "a pool of one chip has it always",
    CHIPS + [cap(1, 5, 10), cap(1, 15, 20), al(1, 0, 20)],
    {("one", "untraced"): 20, ("one", "idle"): -10},
    by=("chip", "category"),
)
case(
    "a record that names no chip is none of another",
    CHIPS + [cap(1, 5, 10), cap(1, 10, 15, chip=None), al(1, 0, 20)],
    {("one", "untraced"): 20, ("one", "idle"): -10},
    by=("chip", "category"),
)
case(
    "a pool of several has none between its records",
    CHIPS + [cap(1, 0, 5), cap(1, 15, 20, chip="two"), al(1, 0, 20)],
    {("one", "untraced"): 5, (None, "untraced"): 10, (None, "idle"): -10, ("two", "untraced"): 5},
    by=("chip", "category"),
)
case(
    "capacity records that start at as_of or later are none",
    CHIPS + [job(), cap(1, 5, 10), al(1, 0, 10)],
    {(None, "untraced"): 5},
    by=("chip", "category"),
    as_of=5,
    issues={"no_capacity"},
)
case(
    "several records of one chip are not mixed",
    CHIPS + [job(), cap(1, 0, 20), cap(1, 10, 20), al(2, 10, 20)],
    {("one", "idle"): 10, ("one", "untraced"): 20},
    by=("chip", "category"),
    issues=set(),
)

# 3. Attempts and gangs

case(
    "partial until the gang holds its chips",
    [job(chips=4), al(2, 0, 10), al(2, 4, 10)],
    {("j", "partial"): 8, ("j", "untraced"): 24, ("j", "queued"): 8},
)
case(
    "partial again when one goes",
    [job(chips=4), al(3, 0, 10), al(1, 0, 4), al(1, 8, 10)],
    {("j", "partial"): 12, ("j", "untraced"): 24, ("j", "queued"): 4},
)
case(
    "a gang spans pools",
    [job(chips=2), al(1, 0, 10), al(1, 4, 10, pool="q")],
    {("p", "partial"): 4, ("p", "untraced"): 6, ("q", "untraced"): 6, ("q", "queued"): 4},
    by=("pool", "category"),
)
case(
    "a gang of tasks",
    [job(tasks=2), al(1, 0, 10, task="a"), al(1, 5, 10, task="b")],
    {("j", "partial"): 5, ("j", "untraced"): 10},
)
case("a task twice is one task", [job(tasks=2), al(1, 0, 10, task="a"), al(1, 5, 10, task="a")], {("j", "partial"): 15})
case(
    "tasks cannot be counted where one has no name",
    [job(tasks=3), al(1, 0, 10, task="a"), al(1, 5, 6)],
    {("j", "untraced"): 11},
)
case(
    "chips and tasks",
    [job(chips=2, tasks=2), al(2, 0, 10, task="a"), al(1, 6, 10, task="b")],
    {("j", "partial"): 12, ("j", "partial", "surplus"): 4, ("j", "untraced"): 8},
)
case(
    "chips decide where a task has no name",
    [job(chips=2, tasks=2), al(2, 0, 10, task="a"), al(1, 6, 10)],
    {("j", "partial", "surplus"): 4, ("j", "untraced"): 20},
)
case(
    "a task without a name counts in its own attempt",
    [job(tasks=2), al(1, 0, 10), al(1, 20, 30, attempt=2, task="a")],
    {("j", "untraced"): 10, ("j", "partial"): 10},
)
case(
    "surplus is taken from the last pools",
    [job(chips=3), al(2, 0, 10, pool="a"), al(2, 0, 10, pool="b")],
    {("a", "untraced"): 20, ("b", "untraced"): 10, ("b", "partial", "surplus"): 10},
    by=("pool", "category", "cause"),
)
case(
    "surplus is taken from all the pools it needs",
    [job(chips=1), al(2, 0, 10, pool="a"), al(1, 0, 10, pool="b")],
    {("a", "untraced"): 10, ("a", "partial", "surplus"): 10, ("b", "partial", "surplus"): 10},
    by=("pool", "category", "cause"),
)
case(
    "an elastic job runs with its least",
    [job(chips=4, min_chips=2), al(1, 0, 5), al(2, 5, 10, attempt=2)],
    {("j", "partial"): 5, ("j", "untraced"): 10, ("j", "queued"): 25},
)
case("an elastic job has no surplus", [job(chips=4, min_chips=2), al(6, 0, 10)], {("j", "untraced"): 60})
case("an elastic job needs no tasks", [job(min_chips=1, tasks=9), al(1, 0, 10, task="a")], {("j", "untraced"): 10})
case("a job that says nothing is complete", [job(), al(3, 0, 10)], {("j", "untraced"): 30}, issues={"no_capacity"})
case("a job without a record", [al(3, 0, 10)], {("j", "untraced"): 30}, issues={"unknown_job", "no_capacity"})
case(
    "a commit under another job's id protects nothing, and is listed",
    [cap(1, 0, 10), job(), al(1, 0, 10), sp("step", 0, 10, 1), co(1, 9, 9, job="J")],
    {("j", "unknown", "no_checkpoint_data"): 10},
    issues={"commit_without_allocation"},
)
case(
    "spans alone, of a job without a record",
    [cap(1, 0, 10), sp("step", 0, 10)],
    {(None, "idle"): 10},
    issues={"span_without_allocation"},
)
case(
    "attempts without numbers: a gap begins the next",
    [al(1, 0, 10, None), al(1, 5, 12, None), al(1, 12, 20, None), al(1, 21, 30, None)],
    {(1, "untraced"): 25, (2, "untraced"): 9},
    by=("attempt", "category"),
)
case(
    "attempts that overlap count each by itself",
    [job(chips=2), al(2, 0, 10), al(1, 5, 10, attempt=2)],
    {(1, "untraced"): 20, (2, "partial"): 5},
    by=("attempt", "category"),
    issues={"overlapping_attempts", "no_capacity"},
)
case(
    "an allocation told twice counts twice",
    [job(), al(2, 0, 10, task="t"), al(2, 0, 10, task="t")],
    {("j", "untraced"): 40},
    issues={"duplicate_allocation", "no_capacity"},
)
case(
    "a task may hold more for a while",
    [job(), al(2, 0, 10, task="t"), al(1, 5, 8, task="t")],
    {("j", "untraced"): 23},
    issues={"no_capacity"},
)
case(
    "attempts one after another do not",
    [al(1, 0, 10), al(1, 10, 20, attempt=2), job()],
    {("j", "untraced"): 20},
    issues={"no_capacity"},
)
case(
    "attempts are ordered by their starts, not by their numbers",
    [
        job(),
        al(1, 0, 10, attempt=7, outcome="completed"),
        al(1, 20, 30, attempt=3, outcome="failed"),
        sp("step", 20, 30, 4, attempt=3),
        sp("step", 0, 10, 5, attempt=7),
        co(0, 0, 0),
    ],
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "fractions of chips",
    [cap(1, 0, 10), al(0.25, 0, 10, job="a"), al(0.5, 0, 10, job="b")],
    {("a", "untraced"): 2.5, ("b", "untraced"): 5, (None, "idle"): 2.5},
)
case(
    "three thirds are a chip",
    [job(chips=1)] + [al(1 / 3, 0, 9, task=i) for i in range(3)],
    {("j", "untraced"): 8.999991},
)
case(
    "and seven sevenths",
    [cap(1, 0, 10), job(min_chips=1, chips=1)] + [al(1 / 7, 0, 10, task=i) for i in range(7)],
    {("j", "untraced"): 9.99999, (None, "idle"): 0.00001},
)
case(
    "two thirds are none",
    [job(chips=1)] + [al(1 / 3, 0, 9, task=i) for i in range(2)],
    {("j", "partial"): 5.999994, ("j", "queued"): 3.000006},
)
case(
    "nor is a fraction that is a millionth too small",
    [job(chips=1), al(0.999999, 0, 9)],
    {("j", "partial"): 8.999991, ("j", "queued"): 0.000009},
)
case(
    "a fraction completes a gang",
    [job(chips=0.5), al(0.3, 0, 10), al(0.2, 4, 10)],
    {("j", "partial"): 1.2, ("j", "untraced"): 3, ("j", "queued"): 0.8},
)

# 7. Queued

case(
    "queued from the submission",
    [job(chips=2, submit_time=3), al(2, 10, 20)],
    {("p", "queued"): 14, ("p", "untraced"): 20},
    by=("pool", "category"),
)
case(
    "queued between attempts",
    [job(chips=2, submit_time=0), al(2, 0, 10, outcome="preempted"), al(2, 15, 20, attempt=2)],
    {("j", "queued"): 10, ("j", "untraced"): 30},
)
for ended, asked in [
    ("cancelled", 0),
    ("completed", 0),
    ("failed", 10),
    ("node_fail", 10),
    ("timeout", 10),
    (None, 10),
]:
    case(
        f"asked for between attempts, the first {ended}",
        [job(chips=2, submit_time=0), al(2, 0, 10, outcome=ended), al(2, 15, 20, attempt=2)],
        {("j", "queued"): asked, ("j", "untraced"): 30} if asked else {("j", "untraced"): 30},
    )
case(
    "a pause ends where the next attempt begins, though not whole",
    [
        job(chips=2, submit_time=0),
        al(2, 5, 10, outcome="cancelled"),
        al(1, 15, 20, attempt=2),
        al(1, 18, 20, attempt=2),
    ],
    {("j", "queued"): 10 + 3, ("j", "partial"): 3, ("j", "untraced"): 10 + 4},
)
case(
    "a pause begins where the last of several attempts at once ends",
    [
        job(chips=4),
        al(2, 0, 10, outcome="failed"),
        al(2, 0, 12, attempt=2, outcome="cancelled"),
        al(4, 20, 30, attempt=3),
    ],
    {("j", "queued"): 4, ("j", "partial"): 20 + 24, ("j", "untraced"): 40},
    issues={"overlapping_attempts", "no_capacity"},
)
case(
    "an attempt of no length ends a pause, and its own end decides",
    [
        job(chips=2),
        al(2, 0, 10, outcome="cancelled"),
        al(2, 12, 12, attempt=2, outcome="failed"),
        al(2, 20, 30, attempt=3),
    ],
    {("j", "queued"): 16, ("j", "untraced"): 40},
)
case(
    "what a job gave back it asks for no more, until its next attempt",
    [
        job(chips=4, min_chips=1, submit_time=0),
        al(4, 5, 10, outcome="released"),
        al(2, 10, 20, outcome="failed"),
        al(4, 25, 30, attempt=2),
        al(3, 30, 40, attempt=2),
    ],
    {("j", "queued"): 20 + 0 + 10 + 10, ("j", "untraced"): 20 + 20 + 20 + 30},
)
case(
    "though of what it gets after that, and loses",
    [job(chips=8, min_chips=1), al(1, 0, 40), al(7, 0, 10, outcome="released"), al(2, 15, 20), al(6, 30, 35)],
    {("j", "queued"): 10 * 2 + 6 * 5, ("j", "untraced"): 40 + 70 + 10 + 30},
)
case(
    "queued has no attempt",
    [job(chips=2), al(1, 0, 10)],
    {("j", None, "queued"): 10, ("j", 1, "partial"): 10},
    by=("job", "attempt", "category"),
)
case(
    "not queued after the last attempt",
    [job(chips=2, submit_time=0), al(2, 5, 10), sp("hang", 0, 30, job="k")],
    {("j", "queued"): 10, ("j", "untraced"): 10},
)
case(
    "queued while it runs",
    [job(chips=2, submit_time=0), al(1, 5), sp("hang", 0, 30, job="k")],
    {("j", "queued"): 10 + 25, ("j", "partial"): 25},
)
case(
    "never held anything",
    [job(chips=2, submit_time=5), cap(1, 0, 30)],
    {("j", None, "queued"): 50, (None, "p", "idle"): 30},
    by=("job", "pool", "category"),
)
case("never held anything nor said when", [job(chips=2), cap(1, 0, 30)], {(None, "idle"): 30})
case("held before it asked", [job(chips=2, submit_time=5), al(1, 0, 10)], {("j", "queued"): 10, ("j", "partial"): 10})
case("a job that names no chips asks for none", [job(submit_time=0), al(1, 5, 10)], {("j", "untraced"): 5})
case(
    "an elastic job asks for all its chips",
    [job(chips=4, min_chips=1, submit_time=0), al(3, 5, 10)],
    {("j", "queued"): 20 + 5, ("j", "untraced"): 15},
)
case(
    "the pool is that of the next allocation, then of the last",
    [job(chips=3, submit_time=0), al(1, 2, 20, pool="b"), al(1, 6, 20, pool="a"), al(1, 6, 10, pool="c")],
    {
        ("b", "queued"): 6,
        ("a", "queued"): 8 + 10,
        ("b", "partial"): 4 + 10,
        ("b", "untraced"): 4,
        ("a", "partial"): 10,
        ("a", "untraced"): 4,
        ("c", "untraced"): 4,
    },
    by=("pool", "category"),
)
case(
    "held is of all attempts and pools",
    [job(chips=3), al(1, 0, 10), al(1, 0, 10, attempt=2, pool="q")],
    {("j", "queued"): 10, ("j", "partial"): 20},
)
case("the submission is at as_of", [job(chips=3, submit_time=10), cap(1, 0, 10)], {(None, "idle"): 10})
case(
    "queued carries the pool's chip",
    [job(chips=1, submit_time=0), cap(1, 0, 5), cap(1, 5, 10, chip="two"), al(1, 10, 20)],
    {
        ("one", "idle"): 5,
        ("two", "idle"): 5,
        ("one", "queued"): 5,
        ("two", "queued"): 5,
        (None, "idle"): -10,
        (None, "untraced"): 10,
    },
    by=("chip", "category"),
)


@case.add_to
class Ledger(Rules):
    pass


if __name__ == "__main__":
    unittest.main()
