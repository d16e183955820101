"""What a program did, and how well (docs/rules.md, sections 4 and 6)."""

import unittest

from fleets import ONE, al, cap, co, job, pr, sp
from rules_case import CHIPS, MS, POOL, Cases, Rules

case = Cases()

# 4. What the program did

EACH = ["init", "prep", "compile", "restore", "input", "checkpoint", "eval", "hang", "defragment"]
case(
    "each kind has its category",
    [al(2, 0, 20)] + [sp(kind, 2 * i, 2 * i + 1) for i, kind in enumerate(EACH)],
    {
        ("j", "startup"): 4,
        ("j", "compile"): 2,
        ("j", "restore"): 2,
        ("j", "input"): 2,
        ("j", "checkpoint"): 2,
        ("j", "eval"): 2,
        ("j", "stall", "hang"): 2,
        ("j", "stall", "defragment"): 2,
        ("j", "unknown"): 22,
    },
)
DONE = al(1, 0, 10, outcome="completed")
case(
    "input and a save inside a step",
    [DONE, sp("step", 0, 10, 1), sp("input", 2, 4), sp("checkpoint", 9, 10)],
    {("j", "unrated"): 7, ("j", "input"): 2, ("j", "checkpoint"): 1},
)
case(
    "inside of inside",
    [DONE, sp("step", 0, 10, 1), sp("eval", 2, 9), sp("input", 3, 4)],
    {("j", "unrated"): 3, ("j", "eval"): 6, ("j", "input"): 1},
)
case(
    "a step inside an evaluation",
    [DONE, sp("eval", 0, 8), sp("step", 2, 4, 1)],
    {("j", "eval"): 6, ("j", "unrated"): 2, ("j", "unknown"): 2},
)
case(
    "of spans that overlap the last to start",
    [DONE, sp("init", 0, 6), sp("compile", 4, 10)],
    {("j", "startup"): 4, ("j", "compile"): 6},
)
case(
    "and again when the later one is over",
    [DONE, sp("init", 0, 10), sp("compile", 4, 6)],
    {("j", "startup"): 8, ("j", "compile"): 2},
)
case(
    "of spans that start together the first to end",
    [DONE, sp("step", 0, 10, 1), sp("input", 0, 3)],
    {("j", "input"): 3, ("j", "unrated"): 7},
)
case(
    "of equal spans the first kind",
    [DONE, sp("eval", 0, 10), sp("compile", 0, 10), sp("zzz", 0, 10)],
    {("j", "compile"): 10},
)
case(
    "a kind that is written like one of the rules' is a stall, and said",
    [job(), cap(1, 0, 10), DONE, sp("Step", 0, 6, 1), sp("eval-uation", 6, 8), sp("train_steps", 8, 10, 2)],
    {("j", "stall", "Step"): 6, ("j", "stall", "eval-uation"): 2, ("j", "stall", "train_steps"): 2},
    by=("job", "category", "cause"),
    issues={"similar_kind"},
)
case(
    "labels that are no JSON object are said",
    [job(labels="team=x"), cap(1, 0, 10), al(1, 0, 10, outcome="completed"), sp("init", 0, 10)],
    {("j", "startup"): 10},
    issues={"invalid_labels"},
)
case(
    "labels with space around them are one",
    [job(labels=' {\n "team" : "x" }\n'), cap(1, 0, 10), al(1, 0, 10, outcome="completed"), sp("init", 0, 10)],
    {("j", "startup"): 10},
    issues=set(),
)
case(
    "labels as Python prints them are none",
    [job(labels="{'team': 'x'}"), cap(1, 0, 10), al(1, 0, 10, outcome="completed"), sp("init", 0, 10)],
    {("j", "startup"): 10},
    issues={"invalid_labels"},
)
case("a span of no length changes nothing", [DONE, sp("init", 0, 10), sp("compile", 4, 4)], {("j", "startup"): 10})
case(
    "a span without an attempt belongs to what covers its start",
    [al(1, 0, 10), al(1, 10, 20, attempt=2), sp("init", 8, 12, attempt=None), sp("compile", 10, 15, attempt=None)],
    {(1, "startup"): 2, (1, "unknown"): 8, (2, "compile"): 5, (2, "unknown"): 5},
    by=("attempt", "category"),
)
case(
    "to the latest-started of those",
    [al(1, 0, 10), al(1, 5, 10, attempt=2), sp("init", 6, 10, attempt=None)],
    {(1, "unknown"): 10, (2, "startup"): 4, (2, "unknown"): 1},
    by=("attempt", "category"),
)
case(
    "an open span lasts until the next of its kind",
    [al(1, 0, 10, outcome="completed"), sp("step", 0, None, 1), sp("input", 2, 3), sp("step", 4, 9, 2)],
    {("j", "unrated"): 8, ("j", "input"): 1, ("j", "unknown"): 1},
    issues={"missing_end", "unknown_job", "no_capacity"},
)
case(
    "an open span lasts to the end of its attempt",
    [job(), al(1, 0, 10), sp("hang", 4), al(1, 10, 20, attempt=2)],
    {("j", "unknown"): 14, ("j", "stall", "hang"): 6},
    issues={"missing_end", "no_capacity"},
)
case(
    "an open span of a running attempt is no issue",
    [job(), al(1, 0), sp("hang", 4), cap(1, 0, 10)],
    {("j", "unknown"): 4, ("j", "stall", "hang"): 6},
    issues=set(),
    as_of=10,
)
case(
    "one that the next of its kind ends is",
    [job(), al(1, 0), sp("step", 0, None, 1), sp("step", 6, None, 2), cap(1, 0, 10)],
    {("j", "unknown", "no_checkpoint_data"): 10},
    issues={"missing_end"},
    as_of=10,
)
case(
    "a span while the gang is not complete",
    [job(chips=2), al(1, 0, 10), al(1, 4, 10, task="b"), sp("init", 0, 6)],
    {("j", "partial"): 4, ("j", "startup"): 4, ("j", "unknown"): 8, ("j", "queued"): 4},
    issues={"span_outside_allocation", "no_capacity"},
)
case(
    "a span before and after its attempt",
    [job(), al(1, 5, 10), sp("init", 0, 20)],
    {("j", "startup"): 5},
    issues={"span_outside_allocation", "no_capacity"},
)
case(
    "a span of an attempt that held nothing",
    [job(), al(1, 5, 10), sp("init", 5, 10, attempt=2)],
    {("j", "unknown"): 5},
    issues={"span_without_allocation", "no_capacity"},
)
case("a span of a job that held nothing", [job(), sp("init", 5, 10)], {}, issues={"span_without_allocation"})
case("a job with a commit alone is traced", [al(1, 0, 10), co(1, 2, 3)], {("j", "unknown"): 10})
case(
    "a job without records of its program is not",
    [al(1, 0, 10), al(1, 0, 10, job="k"), sp("hang", 1, 2, job="k")],
    {("j", "untraced"): 10, ("k", "stall", "hang"): 1, ("k", "unknown"): 9},
)
case(
    "tracing is the job's, not the attempt's",
    [al(1, 0, 10), al(1, 20, 30, attempt=2), sp("hang", 0, 10)],
    {("j", "stall", "hang"): 10, ("j", "unknown"): 10},
)
SERVING = [al(1, 0, 10), al(1, 10, 20, attempt=2), sp("serve", 2, 5), sp("init", 0, 1), sp("init", 10, 11, attempt=2)]
case(
    "no traffic",
    [job(phase="serving")] + SERVING,
    {("j", "startup"): 2, ("j", "unrated"): 3, ("j", "stall", "no_traffic"): 6, ("j", "unknown"): 9},
)
case(
    "no traffic is for serving",
    [job(phase="training")] + SERVING,
    {("j", "startup"): 2, ("j", "unrated"): 3, ("j", "unknown"): 15},
)
DIED = [sp("init", 1, 3), sp("compile", 4, 6)]
case(
    "a node that fails and no outage",
    [al(1, 0, 10, outcome="node_fail")] + DIED,
    {("j", "startup"): 2, ("j", "compile"): 2, ("j", "unknown"): 2, ("j", "stall", "node_fail"): 4},
)
case(
    "a failure that is not the node's",
    [al(1, 0, 10, outcome="failed")] + DIED,
    {("j", "startup"): 2, ("j", "compile"): 2, ("j", "unknown"): 6},
)
case(
    "the outcome is that of the allocation that ends last",
    [al(1, 0, 9, outcome="node_fail"), al(1, 0, 10, outcome="failed")] + DIED,
    {("j", "startup"): 4, ("j", "compile"): 4, ("j", "unknown"): 11},
)
case(
    "of several that end last the worst",
    [al(1, 0, 10, outcome="completed"), al(1, 0, 10, outcome="node_fail")] + DIED,
    {("j", "startup"): 4, ("j", "compile"): 4, ("j", "unknown"): 4, ("j", "stall", "node_fail"): 8},
)
case(
    "cancelled beats completed",
    [al(1, 0, 10, outcome="completed"), al(1, 0, 10, outcome="cancelled"), sp("step", 0, 10, 1), co(0, 0, 0)],
    {("j", "lost"): 20},
)

# 6. Ideal, inefficiency, unrated

case("a span's own FLOPs", POOL + [sp("step", 0, 10, 1, flops=5e12)], {("j", "ideal"): 5, ("j", "inefficiency"): 15})
case(
    "a program's FLOPs",
    POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f")],
    {("j", "ideal"): 3, ("j", "inefficiency"): 17},
)
case(
    "times its executions",
    POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f", executions=4)],
    {("j", "ideal"): 12, ("j", "inefficiency"): 8},
)
case(
    "its own FLOPs win, as they are",
    POOL + [pr("f", 3e12), sp("step", 0, 10, 1, program="f", executions=4, flops=7e12)],
    {("j", "ideal"): 7, ("j", "inefficiency"): 13},
)
case("no FLOPs at all is all inefficiency", POOL + [sp("step", 0, 10, 1, flops=0)], {("j", "inefficiency"): 20})
INT8 = [("chips", dict(chip="one", dtype="int8", peak_flops=4e12))]
case(
    "a span's dtype",
    INT8 + POOL + [sp("step", 0, 10, 1, flops=8e12, dtype="int8")],
    {("j", "ideal"): 2, ("j", "inefficiency"): 18},
)
case(
    "a program's dtype",
    INT8 + POOL + [pr("f", 8e12, "int8"), sp("step", 0, 10, 1, program="f")],
    {("j", "ideal"): 2, ("j", "inefficiency"): 18},
)
case(
    "a span's dtype wins",
    INT8 + POOL + [pr("f", 8e12, "int8"), sp("step", 0, 10, 1, program="f", dtype="bf16")],
    {("j", "ideal"): 8, ("j", "inefficiency"): 12},
)
case(
    "a program's dtype serves the span's own FLOPs",
    INT8 + POOL + [pr("f", 1e12, "int8"), sp("step", 0, 10, 1, program="f", flops=4e12)],
    {("j", "ideal"): 1, ("j", "inefficiency"): 19},
)
case(
    "a span that beats the roofline",
    POOL + [sp("step", 0, 10, 1, flops=25e12)],
    {("j", "ideal"): 25, ("j", "inefficiency"): -5},
)
case("no FLOPs known", POOL + [sp("step", 0, 5, 1), sp("step", 5, 10, 2, program="g")], {("j", "unrated"): 20})
case(
    "a chip that is unknown",
    [job(), cap(1, 0, 10, chip="abacus"), al(1, 0, 10, outcome="completed"), sp("step", 0, 10, 1, flops=1e12)],
    {("abacus", "unrated"): 10},
    by=("chip", "category"),
    issues={"unknown_chip"},
)
case(
    "a dtype that the chip lacks",
    POOL + [sp("step", 0, 10, 1, flops=1e12, dtype="int4")],
    {("j", "unrated"): 20},
    issues={"unknown_dtype"},
)
case(
    "a chip of the catalogue",
    [cap(1, 0, 10, chip="tpu-v4"), al(1, 0, 10, outcome="completed"), sp("step", 0, 10, 1, flops=2.75e14)],
    {("tpu-v4", "ideal"): 1, ("tpu-v4", "inefficiency"): 9},
    by=("chip", "category"),
)
WIDE = [("chips", dict(ONE, hbm_bytes_per_s=1e9))] + POOL[1:]
case(
    "the memory roofline is an option",
    WIDE + [sp("step", 0, 10, 1, flops=5e12, bytes=8e9)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 15},
)
case(
    "with it the longer of the two counts",
    WIDE + [sp("step", 0, 5, 1, flops=5e12, bytes=8e9), sp("step", 5, 10, 2, flops=5e12, bytes=1e9)],
    {("j", "ideal"): 8 + 5, ("j", "inefficiency"): 20 - 13},
    roofline="memory",
)
case(
    "bytes are the program's too",
    WIDE + [("programs", dict(program="f", flops=1e12, bytes=2e9)), sp("step", 0, 10, 1, program="f", executions=3)],
    {("j", "ideal"): 6, ("j", "inefficiency"): 14},
    roofline="memory",
)
case(
    "unknown bytes count for nothing",
    WIDE + [sp("step", 0, 10, 1, flops=5e12)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 15},
    roofline="memory",
)
case(
    "a chip of unknown bandwidth likewise",
    POOL + [sp("step", 0, 10, 1, flops=5e12, bytes=8e12)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 15},
    roofline="memory",
)
case(
    "bytes without FLOPs rate nothing",
    WIDE + [sp("step", 0, 10, 1, bytes=5e9)],
    {("j", "unrated"): 20},
    roofline="memory",
)
case(
    "all FLOPs are the step's own time's",
    POOL + [sp("step", 0, 10, 1, flops=5e12), sp("input", 2, 4)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 11, ("j", "input"): 4},
)
case(
    "FLOPs of time that is not the job's are left out",
    CHIPS
    + [
        cap(2, 0, 10),
        job(chips=2),
        al(1, 0, 10, outcome="completed"),
        al(1, 4, 10, outcome="completed"),
        sp("step", 0, 10, 1, flops=10e12),
    ],
    {("j", "partial"): 4, ("j", "ideal"): 6, ("j", "inefficiency"): 6, ("j", "queued"): 4, (None, "idle"): 4},
)
case(
    "FLOPs of time outside the attempt are left out",
    CHIPS + [cap(1, 0, 10), al(1, 0, 10), sp("serve", 5, 15, flops=8e12)],
    {("j", "ideal"): 4, ("j", "inefficiency"): 1, ("j", "unknown"): 5},
    as_of=20,
)
case(
    "FLOPs are shared among kinds of chip by chip-time",
    CHIPS
    + [
        cap(1, 0, 10, "a"),
        cap(3, 0, 10, "b", "two"),
        al(1, 0, 10, pool="a", outcome="completed"),
        al(3, 0, 10, pool="b", outcome="completed"),
        sp("step", 0, 10, 1, flops=8e12),
    ],
    {("a", "ideal"): 2, ("a", "inefficiency"): 8, ("b", "ideal"): 3, ("b", "inefficiency"): 27},
    by=("pool", "category"),
)
case(
    "and of unknown kinds",
    CHIPS
    + [
        cap(1, 0, 10, "a"),
        cap(3, 0, 10, "b", None),
        al(1, 0, 10, pool="a", outcome="completed"),
        al(3, 0, 10, pool="b", outcome="completed"),
        sp("step", 0, 10, 1, flops=8e12),
    ],
    {("a", "ideal"): 2, ("a", "inefficiency"): 8, ("b", "unrated"): 30},
    by=("pool", "category"),
)
case(
    "a job that needs no chips has a surplus alone, and its spans are listed",
    [job(chips=0), al(2, 0, 20, outcome="completed"), sp("step", 5, 10, 1)],
    {("j", "partial", "surplus"): 40},
    issues={"span_outside_allocation", "no_capacity"},
)
case(
    "not where it is elastic",
    [job(chips=0, min_chips=0), al(2, 0, 20, outcome="completed"), sp("step", 5, 10, 1)],
    {("j", "unrated"): 10, ("j", "unknown"): 30},
    issues={"no_capacity"},
)
case(
    "a surplus computes nothing",
    CHIPS + [cap(3, 0, 10), job(chips=2), al(3, 0, 10, outcome="completed"), sp("step", 0, 10, 1, flops=8e12)],
    {("j", "partial", "surplus"): 10, ("j", "ideal"): 8, ("j", "inefficiency"): 12},
)
case(
    "a span that is wholly hidden",
    POOL + [sp("step", 0, 10, 1, flops=5e12), sp("eval", 0, 10, flops=1e12)],
    {("j", "eval"): 20},
    issues={"hidden_span"},
)
case(
    "parts share the ideal in the order of time and pool",
    CHIPS
    + [
        cap(1, 0, 9, "a"),
        cap(2, 0, 9, "b"),
        al(1, 0, 9, pool="a", outcome="completed"),
        al(2, 0, 9, pool="b", outcome="completed"),
        sp("step", 0, 9, 1, flops=1e7),
    ],
    {
        ("a", "ideal"): 3 * MS,
        ("a", "inefficiency"): 9 - 3 * MS,
        ("b", "ideal"): 7 * MS,
        ("b", "inefficiency"): 18 - 7 * MS,
    },
    by=("pool", "category"),
)
case(
    "half a microsecond is rounded away from nothing",
    POOL + [sp("step", 0, 5, 1, flops=2.5e6), sp("step", 5, 10, 2, flops=0.5e6)],
    {("j", "ideal"): 4 * MS, ("j", "inefficiency"): 20 - 4 * MS},
)
case(
    "lost time has no ideal",
    CHIPS + [cap(1, 0, 10), al(1, 0, 10, outcome="failed"), co(0, 0, 0), sp("step", 0, 10, 1, flops=1e12)],
    {("j", "lost"): 10},
)


@case.add_to
class Ledger(Rules):
    pass


if __name__ == "__main__":
    unittest.main()
