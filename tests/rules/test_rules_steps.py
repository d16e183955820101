"""Which steps and batches survive (docs/rules.md, section 5)."""

import unittest

from fleets import ONE, al, cap, co, job, sp
from rules_case import Cases, Rules, steps

case = Cases()

# 5. Which steps survive

case("a successful end saves everything", [al(1, 0, 30, outcome="completed")] + steps(1, 2, 3), {("j", "unrated"): 30})
case(
    "a failed end keeps what is durable",
    [al(1, 0, 30, outcome="failed"), co(2, 20, 25)] + steps(1, 2, 3),
    {("j", "unrated"): 20, ("j", "lost"): 10},
)
for outcome in ("cancelled", "preempted", "timeout", "node_fail", None):
    case(
        "so does an end that is %s" % outcome,
        [al(1, 0, 30, outcome=outcome), co(2, 20, 25)] + steps(1, 2, 3),
        {("j", "unrated"): 20, ("j", "lost"): 10},
    )
case(
    "a running job's steps after its last save are pending",
    [al(1, 0, 50), co(2, 20, 25)] + steps(1, 2, 3),
    {("j", "unrated"): 20, ("j", "pending"): 10, ("j", "unknown"): 10},
    as_of=40,
)
RANK = [job(), al(1, 0, 30, outcome="failed")] + steps(1, 2, 3)
case(
    "a second rank's steps inside the first's are restarts, and listed",
    RANK + [sp("step", 1 + 10 * i, 9 + 10 * i, 1 + i) for i in range(3)],
    {("j", "lost"): 6, ("j", "unrated"): 16, ("j", "unknown", "no_checkpoint_data"): 8},
    issues={"concurrent_steps", "no_capacity"},
)
case(
    "batches of two workers, each with its own numbers",
    [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 10, 7), sp("batch", 5, 20, 1)],
    {("j", "unrated"): 20},
    issues={"overlapping_spans", "no_capacity"},
)
case(
    "batches of two workers with one number",
    [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 10, 1), sp("batch", 5, 20, 1)],
    {("j", "lost"): 5, ("j", "unrated"): 15},
    issues={"concurrent_steps", "overlapping_spans", "no_capacity"},
)
case(
    "a batch of a higher number that begins meanwhile",
    [job(), al(1, 0, 20, outcome="completed"), sp("batch", 0, 20, 1), sp("batch", 5, 10, 7)],
    {("j", "unrated"): 20},
    issues={"no_capacity"},
)
case(
    "going back when the step is over is a restart, and listed where nothing else tells of one",
    [job(), al(1, 0, 20, outcome="completed"), sp("step", 0, 10, 1), sp("step", 10, 20, 1)],
    {("j", "lost"): 10, ("j", "unrated"): 10},
    issues={"no_capacity", "repeated_steps"},
)
for kind, listed in (
    ("restore", False),
    ("init", False),
    ("compile", True),
    ("prep", True),
    ("checkpoint", True),
    ("eval", True),
):
    case(
        "going back, with a span of kind %s between" % kind,
        [job(), al(1, 0, 30, outcome="completed"), sp("step", 0, 10, 5), sp(kind, 10, 20), sp("step", 20, 30, 4)],
        {("j", "lost"): 10, ("j", {"init": "startup", "prep": "startup"}.get(kind, kind)): 10, ("j", "unrated"): 10},
        issues={"no_capacity", "repeated_steps"} if listed else {"no_capacity"},
    )
for cause in ("hang", "reshard"):
    case(
        "going back, with a %s between" % cause,
        [job(), al(1, 0, 30, outcome="completed"), sp("step", 0, 10, 5), sp(cause, 10, 20), sp("step", 20, 30, 4)],
        {("j", "lost"): 10, ("j", "stall", cause): 10, ("j", "unrated"): 10},
        issues={"no_capacity", "repeated_steps"},
    )
case(
    "a restore before the step that is gone back from tells nothing",
    [job(), al(1, 0, 30, outcome="completed"), sp("restore", 0, 10), sp("step", 10, 20, 1), sp("step", 20, 30, 1)],
    {("j", "restore"): 10, ("j", "lost"): 10, ("j", "unrated"): 10},
    issues={"no_capacity", "repeated_steps"},
)
case(
    "a step without a number has no rank, one of no length has",
    [job(), al(1, 0, 20, outcome="completed"), sp("step", 0, 20, 3), sp("step", 2, 4), sp("step", 5, 5, 1)],
    {("j", "lost"): 18, ("j", "unrated"): 2},
    issues={"concurrent_steps", "unnumbered_steps", "no_capacity"},
)
case(
    "a number below 0 counts as given",
    [job(), al(1, 0, 40, outcome="failed"), co(-1, 20, 20)] + steps(-2, -1, 0),
    {("j", "unrated"): 20, ("j", "lost"): 10, ("j", "unknown"): 10},
    issues={"impossible_value", "no_capacity"},
)
TWICE = [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="completed")] + steps(1, 2, 3, 4)
case("resumed at n + 1: nothing is lost", TWICE + steps(5, 6, start=40, attempt=2), {("j", "unrated"): 60})
case("resumed at n", TWICE + steps(4, 5, start=40, attempt=2), {("j", "unrated"): 50, ("j", "lost"): 10})
case("resumed deeper", TWICE + steps(2, 3, start=40, attempt=2), {("j", "unrated"): 30, ("j", "lost"): 30})
case("resumed at 0", TWICE + steps(0, 1, start=40, attempt=2), {("j", "unrated"): 20, ("j", "lost"): 40})
case("resumed further on", TWICE + steps(9, start=40, attempt=2), {("j", "unrated"): 50, ("j", "unknown"): 10})
case(
    "the step resumed at decides, not the checkpoints",
    TWICE + [co(4, 40, 40)] + steps(2, 3, start=40, attempt=2),
    {("j", "unrated"): 30, ("j", "lost"): 30},
)
case(
    "a resume proves a save that nothing recorded",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="failed"), co(0, 0, 0)]
    + steps(1, 2, 3, 4)
    + steps(3, 4, start=40, attempt=2),
    {("j", "unrated"): 20, ("j", "lost"): 40},
)
case(
    "going back within an attempt",
    [al(1, 0, 60, outcome="failed"), co(0, 0, 0)] + steps(1, 2, 3, 2, 3, 4),
    {("j", "unrated"): 10, ("j", "lost"): 50},
)
case(
    "the same number again",
    [al(1, 0, 30, outcome="completed")] + steps(1, 1, 2),
    {("j", "lost"): 10, ("j", "unrated"): 20},
)
case(
    "going back and failing",
    [al(1, 0, 50, outcome="failed"), co(3, 35, 40)] + steps(1, 2, 3, 3, 4),
    {("j", "unrated"): 20 + 10, ("j", "lost"): 20},
)
case(
    "an asynchronous save protects up to its snapshot",
    [al(1, 0, 40, outcome="failed"), co(9, 15, 35)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 20, ("j", "lost"): 20},
)
case(
    "and only up to its number",
    [al(1, 0, 40, outcome="failed"), co(1, 35, 35)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 10, ("j", "lost"): 30},
)
case(
    "a step that starts with the snapshot is in it only by its number",
    [al(1, 0, 20, outcome="failed"), co(3, 10, 12)] + steps(1, 2),
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "nor is one that starts later, whose number counts, and that is listed",
    [job(), al(1, 0, 40, outcome="failed"), co(2, None, 5)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 20, ("j", "lost"): 20},
    issues={"impossible_time", "no_capacity"},
)
case(
    "a good end says the same of it",
    [job(), al(1, 0, 40, outcome="completed"), co(2, None, 5)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 40},
    issues={"no_capacity"},
)
case(
    "a save that is durable before its snapshot is listed",
    [job(), al(1, 0, 40, outcome="failed"), co(2, 25, 22), co(1, 15, 15)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 20, ("j", "lost"): 20},
    issues={"impossible_time", "no_capacity"},
)
case(
    "without a snapshot the durable time stands in",
    [al(1, 0, 30, outcome="failed"), co(9, None, 15)] + steps(1, 2, 3),
    {("j", "unrated"): 20, ("j", "lost"): 10},
)
case(
    "a save without a step protects what ended",
    [al(1, 0, 40, outcome="failed"), co(None, 25, 30)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 20, ("j", "lost"): 20},
)
case(
    "what ends with the snapshot has ended",
    [al(1, 0, 20, outcome="failed"), co(None, 10, 30)] + steps(1, 2),
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "a save that never became durable",
    [al(1, 0, 20, outcome="failed"), co(2, 15, None)] + steps(1, 2),
    {("j", "lost"): 20},
)
case("no checkpoint data", [al(1, 0, 20, outcome="failed")] + steps(1, 2), {("j", "unknown", "no_checkpoint_data"): 20})
case(
    "no checkpoint data and still running",
    [al(1, 0, 40)] + steps(1, 2),
    {("j", "unknown", "no_checkpoint_data"): 20, ("j", "unknown"): 10},
    as_of=30,
)
case(
    "no checkpoint data, and a resume",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="failed")]
    + steps(1, 2, 3, 4)
    + steps(3, 4, start=40, attempt=2),
    {("j", "unrated"): 20, ("j", "lost"): 20, ("j", "unknown", "no_checkpoint_data"): 20},
)
case(
    "an attempt without steps is not a resume",
    [
        al(1, 0, 20, outcome="failed"),
        al(1, 20, 30, attempt=2, outcome="failed"),
        co(1, 10, 11),
        sp("init", 20, 30, attempt=2),
    ]
    + steps(1, 2),
    {("j", "unrated"): 10, ("j", "lost"): 10, ("j", "startup"): 10},
)
case(
    "but its success counts",
    [al(1, 0, 20, outcome="failed"), al(1, 20, 30, attempt=2, outcome="completed"), sp("init", 20, 30, attempt=2)]
    + steps(1, 2),
    {("j", "unrated"): 20, ("j", "startup"): 10},
)
case(
    "steps without numbers are decided by the end",
    [al(1, 0, 20, outcome="failed"), al(1, 20, 40, attempt=2, outcome="failed"), co(0, 0, 0)]
    + steps(None, 1)
    + steps(2, None, start=20, attempt=2),
    {("j", "unrated"): 10, ("j", "lost"): 30},
)
UNTOLD = [job(), al(1, 40, 60, attempt=2, outcome="completed")] + steps(None, None) + steps(None, start=40, attempt=2)
case(
    "steps without numbers before a restart, and a successful end",
    UNTOLD + [al(1, 0, 20, outcome="failed")],
    {("j", "unrated"): 30, ("j", "unknown"): 10},
    issues={"unnumbered_steps", "no_capacity"},
)
case(
    "those of an attempt that completed are as it left them",
    UNTOLD + [al(1, 0, 20, outcome="completed")],
    {("j", "unrated"): 30, ("j", "unknown"): 10},
    issues={"no_capacity"},
)
case(
    "and those that a save protects",
    UNTOLD + [al(1, 0, 20, outcome="failed"), co(None, 20, 25)],
    {("j", "unrated"): 30, ("j", "unknown"): 10},
    issues={"no_capacity"},
)
case(
    "but not those that it does not",
    UNTOLD + [al(1, 0, 20, outcome="failed"), co(7, 10, 25)],
    {("j", "unrated"): 30, ("j", "unknown"): 10},
    issues={"unnumbered_steps", "no_capacity"},
)
case(
    "steps without numbers and a successful end",
    [al(1, 0, 20, outcome="completed")] + steps(None, None),
    {("j", "unrated"): 20},
)
case(
    "steps without numbers and a save without one",
    [al(1, 0, 20, outcome="failed"), co(None, 15, 15)] + steps(None, None),
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "a numbered save protects the steps without numbers that had ended",
    [al(1, 0, 30, outcome="failed"), co(9, 15, 15)] + steps(None, 1, None),
    {("j", "lost"): 10, ("j", "unrated"): 20},
)
case(
    "a save without a step protects numbered steps that had ended",
    [al(1, 0, 30, outcome="failed"), co(None, 15, 15)] + steps(1, 2, None),
    {("j", "lost"): 20, ("j", "unrated"): 10},
)
case(
    "a save taken at as_of counts as one",
    [al(1, 0, 30, outcome="failed"), co(2, 20, None)] + steps(1, 2),
    {("j", "pending"): 20},
    as_of=20,
)
case(
    "a save taken after as_of does not",
    [al(1, 0, 30, outcome="failed"), co(2, 21, None)] + steps(1, 2),
    {("j", "unknown", "no_checkpoint_data"): 20},
    as_of=20,
)
case(
    "a save of an earlier attempt protects a step of the last",
    [al(1, 0, 10, outcome="failed"), al(1, 10, 30, attempt=2, outcome="failed"), co(5, 25, 26, attempt=1)]
    + steps(4, start=0)
    + steps(5, 6, start=10, attempt=2),
    {("j", "unrated"): 20, ("j", "lost"): 10},
)
case(
    "bulk inference commits shards",
    [job(phase="bulk_inference"), al(1, 0, 30, outcome="failed"), co(2, 20, 21)]
    + [sp("batch", 10 * i, 10 * i + 10, i + 1) for i in range(3)],
    {("j", "unrated"): 20, ("j", "lost"): 10},
)


def batches(*numbers, start=0, attempt=1):
    """Batches of 10 s one after another."""
    return [sp("batch", start + 10 * i, start + 10 * i + 10, n, attempt) for i, n in enumerate(numbers)]


case(
    "batches run in any order",
    [job(), al(1, 0, 40, outcome="completed")] + batches(3, 1, 4, 2),
    {("j", "unrated"): 40},
    issues={"no_capacity"},
)
case(
    "a restart that runs one shard again and goes on behind the others loses that one",
    TWICE[:2] + batches(6, 7, 8, 9) + batches(7, 10, start=40, attempt=2),
    {("j", "lost"): 10, ("j", "unrated"): 50},
)
case(
    "the first batch of the next attempt tells nothing of those above it",
    [job(), al(1, 0, 40, outcome="failed"), al(1, 40, 80, attempt=2)]
    + batches(6, 7, 8, 9)
    + batches(7, 8, start=40, attempt=2),
    {("j", "lost"): 20, ("j", "unrated"): 10, ("j", "unknown", "no_checkpoint_data"): 30},
    as_of=60,
    issues={"no_capacity"},
)
case(
    "but a shard that is committed is safe",
    [job(), al(1, 0, 40, outcome="failed"), al(1, 40, 80, attempt=2), co(9, 40, 40)]
    + batches(6, 7, 8, 9)
    + batches(7, 10, start=40, attempt=2),
    {("j", "lost"): 10, ("j", "unrated"): 30, ("j", "pending"): 20},
    as_of=60,
    issues={"no_capacity"},
)
case(
    "a shard that still runs while another is committed is not safe",
    [al(1, 0, 30, outcome="failed"), co(7, 20, 20), sp("batch", 0, 15, 7), sp("batch", 15, 30, 6)],
    {("j", "unrated"): 15, ("j", "lost"): 15},
)
case(
    "one that was done before is, and the committed one to its end",
    [al(1, 0, 30, outcome="failed"), co(7, 20, 21), sp("batch", 0, 15, 6), sp("batch", 15, 30, 7)],
    {("j", "unrated"): 30},
)
case(
    "going back within an attempt proves no batch",
    [al(1, 0, 30, outcome="failed"), co(1, 0, None)] + batches(1, 3, 2),
    {("j", "lost"): 30},
)
case(
    "a batch that runs again in its attempt is listed, whatever ran between",
    [job(), al(1, 0, 30, outcome="completed")] + batches(1, 2, 1),
    {("j", "lost"): 10, ("j", "unrated"): 20},
    issues={"no_capacity", "repeated_steps"},
)
case(
    "a restore that begins with a batch comes before it",
    [job(), al(1, 0, 30, outcome="completed"), sp("batch", 0, 10, 1), sp("restore", 10, 10), sp("batch", 10, 30, 1)],
    {("j", "lost"): 10, ("j", "unrated"): 20},
    issues={"no_capacity"},
)
case(
    "also behind a stall, which is no evidence of a restart",
    [job(), al(1, 0, 40, outcome="completed")] + batches(1, 2) + [sp("hang", 20, 30)] + batches(1, start=30),
    {("j", "lost"): 10, ("j", "unrated"): 20, ("j", "stall", "hang"): 10},
    issues={"no_capacity", "repeated_steps"},
)
case(
    "a stall after both tells nothing",
    [job(), al(1, 0, 40, outcome="completed")] + batches(1, 2, 1) + [sp("hang", 30, 40)],
    {("j", "lost"): 10, ("j", "unrated"): 20, ("j", "stall", "hang"): 10},
    issues={"no_capacity", "repeated_steps"},
)
case(
    "a shard that fails three times is lost three times",
    [al(1, 0, 40, outcome="completed")] + batches(5, 5, 4, 5),
    {("j", "lost"): 20, ("j", "unrated"): 20},
)
case(
    "steps and batches tell nothing of each other",
    [job(), al(1, 0, 40, outcome="completed")] + batches(5, 6) + steps(5, 4, start=20),
    {("j", "lost"): 10, ("j", "unrated"): 30},
    issues={"no_capacity", "repeated_steps"},
)
case(
    "a batch without a number is decided by the end",
    [al(1, 0, 20, outcome="failed"), co(None, 10, 10)] + batches(None, None),
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "serving survives a failure",
    [al(1, 0, 10, outcome="failed"), sp("serve", 0, 10), co(0, 0, 0)],
    {("j", "unrated"): 10},
)
RL = [
    job(),
    al(1, 0, 400, outcome="failed"),
    al(1, 410, 620, attempt=2, outcome="completed"),
    co(2, 200, 200),
    sp("restore", 410, 420, attempt=2),
]


def iteration(start, number, attempt=1, of=None, kind="rollout"):
    """60 s of generation and then 40 s of update."""
    return [sp(kind, start, start + 60, of, attempt), sp("step", start + 60, start + 100, number, attempt)]


for of in ("without a number", "with one"):
    case(
        "rollouts %s are lost with their steps" % of,
        RL
        + [x for i in range(4) for x in iteration(100 * i, i + 1, of=i + 1 if of == "with one" else None)]
        + [
            x
            for i in range(2)
            for x in iteration(420 + 100 * i, i + 3, attempt=2, of=i + 3 if of == "with one" else None)
        ],
        {("j", "lost"): 200, ("j", "unrated"): 400, ("j", "restore"): 10},
        issues={"no_capacity"},
    )
case(
    "serving before steps that are lost survives, which is listed",
    RL
    + [x for i in range(4) for x in iteration(100 * i, i + 1, kind="serve")]
    + [x for i in range(2) for x in iteration(420 + 100 * i, i + 3, attempt=2, kind="serve")],
    {("j", "lost"): 80, ("j", "unrated"): 520, ("j", "restore"): 10},
    issues={"no_capacity", "surviving_serve"},
)
case(
    "a rollout inside its step is of that step",
    [al(1, 0, 20, outcome="failed"), co(1, 10, 10), sp("rollout", 2, 8), sp("rollout", 12, 18)] + steps(1, 2),
    {("j", "unrated"): 10, ("j", "lost"): 10},
)
case(
    "a rollout ahead of the step that runs is of its own number's",
    [
        al(1, 0, 30, outcome="failed"),
        co(1, 10, 10),
        sp("rollout", 2, 8, 2),
        sp("step", 0, 10, 1),
        sp("step", 20, 30, 2),
    ],
    {("j", "unrated"): 4, ("j", "lost"): 16, ("j", "unknown"): 10},
)
case(
    "scoring after its step is of that step",
    [al(1, 0, 20, outcome="failed"), co(1, 10, 10), sp("step", 0, 10, 1), sp("rollout", 12, 18, 1)],
    {("j", "unrated"): 16, ("j", "unknown"): 4},
)
case(
    "a rollout whose update never ran is as a step would be",
    [al(1, 0, 20, outcome="failed"), co(1, 10, 10), sp("step", 0, 10, 1), sp("rollout", 12, 18)],
    {("j", "unrated"): 10, ("j", "lost"): 6, ("j", "unknown"): 4},
)
case(
    "and with a number is lost where the next attempt runs that step",
    [
        al(1, 0, 20, outcome="failed"),
        al(1, 20, 60, attempt=2, outcome="completed"),
        sp("step", 0, 10, 1),
        sp("rollout", 10, 20, 2),
    ]
    + [sp("rollout", 20, 40, 2, 2), sp("step", 40, 60, 2, 2)],
    {("j", "unrated"): 50, ("j", "lost"): 10},
)
case(
    "a rollout is no step: it supersedes none and proves none",
    [al(1, 0, 40, outcome="failed"), co(0, 0, 0), sp("rollout", 20, 30, 1), sp("rollout", 30, 40, 9)] + steps(1, 2),
    {("j", "lost"): 40},
)
case(
    "rollouts alone are decided by the end",
    [al(1, 0, 30), sp("rollout", 0, 5, 1), sp("rollout", 5, 10), co(0, 0, 0)],
    {("j", "pending"): 10, ("j", "unknown"): 10},
    as_of=20,
)
case(
    "a rollout may have work of its own",
    [
        ("chips", ONE),
        cap(1, 0, 10),
        al(1, 0, 10, outcome="completed"),
        job(),
        sp("step", 0, 10, 1),
        sp("rollout", 0, 4, flops=1e12),
    ],
    {("j", "ideal"): 1, ("j", "inefficiency"): 3, ("j", "unrated"): 6},
)
case(
    "lost work is lost with what was carved out of it kept",
    [al(1, 0, 20, outcome="failed"), co(1, 10, 10), sp("input", 12, 15)] + steps(1, 2),
    {("j", "unrated"): 10, ("j", "lost"): 7, ("j", "input"): 3},
)
case(
    "a hidden step still counts in the lineage",
    [al(1, 0, 20, outcome="completed"), sp("step", 0, 10, 2), sp("step", 12, 12, 1)],
    {("j", "lost"): 10, ("j", "unknown"): 10},
)
case(
    "the fate of one job is not another's",
    [al(1, 0, 20, outcome="completed"), al(1, 0, 20, outcome="failed", job="k"), co(0, 0, 0, job="k")]
    + steps(1, 2)
    + steps(1, 2, job="k"),
    {("j", "unrated"): 20, ("k", "lost"): 20},
)


@case.add_to
class Ledger(Rules):
    pass


if __name__ == "__main__":
    unittest.main()
