"""Evidence of a resume and of durability, the strongest first: every combination of docs/rules.md, section 5."""

import itertools
import random
import unittest

import naive
from fleets import al, as_source, co, difference, fleet, job, ledger, sp
from rules_case import Cases, Rules, steps

case = Cases()

# An abandoned branch: attempt 2 goes on from step 2 of attempt 1 and fails; attempt 3 goes on from step 4 of attempt 1.
ABANDONED = (
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 70, attempt=2, outcome="failed"),
        al(1, 70, 100, attempt=3, outcome="completed"),
    ]
    + steps(1, 2, 3, 4)
    + [sp("restore", 40, 50, 2, 2)]
    + steps(3, 4, start=50, attempt=2)
    + [sp("restore", 70, 80, 4, 3)]
)
case(
    "the latest branch that ran the step that is loaded was gone on from",
    ABANDONED + steps(5, 6, start=80, attempt=3),
    {("j", "restore"): 20, ("j", "lost"): 20, ("j", "unrated"): 60},
)
case(
    "but where the commit that is loaded is of an earlier one, that one",
    ABANDONED + [co(4, 40, 41), co(4, 70, None)] + steps(5, 6, start=80, attempt=3),
    {("j", "restore"): 20, ("j", "lost"): 20, ("j", "unrated"): 60},
)
case(
    "a branch that never came to the step that is loaded is abandoned",
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 60, attempt=2, outcome="failed"),
        al(1, 60, 90, attempt=3, outcome="completed"),
    ]
    + steps(1, 2, 3, 4)
    + [sp("restore", 40, 50, 2, 2)]
    + steps(3, start=50, attempt=2)
    + [sp("restore", 60, 70, 4, 3)]
    + steps(5, 6, start=70, attempt=3),
    {("j", "restore"): 20, ("j", "lost"): 10, ("j", "unrated"): 60},
)
case(
    "a load that no step followed decides where it is the last",
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 60, attempt=2, outcome="completed"),
        sp("restore", 40, 50, 2, 2),
        sp("eval", 50, 60, attempt=2),
    ]
    + steps(1, 2, 3, 4),
    {("j", "restore"): 10, ("j", "eval"): 10, ("j", "lost"): 20, ("j", "unrated"): 20},
)
case(
    "and nothing where another load follows",
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 50, attempt=2, outcome="failed"),
        al(1, 50, 70, attempt=3, outcome="completed"),
        sp("restore", 40, 50, 2, 2),
        sp("restore", 50, 60, 4, 3),
    ]
    + steps(1, 2, 3, 4)
    + steps(5, start=60, attempt=3),
    {("j", "restore"): 20, ("j", "unrated"): 50},
)
case(
    "a good end without steps saves what a commit holds alone",
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 50, attempt=2, outcome="completed"),
        co(2, 20, 21),
        sp("eval", 40, 50, attempt=2),
    ]
    + steps(1, 2, 3, 4),
    {("j", "eval"): 10, ("j", "lost"): 20, ("j", "unrated"): 20},
)
case(
    "also where it restored, and does not say what",
    [
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 60, attempt=2, outcome="completed"),
        co(2, 20, 21),
        sp("restore", 40, 50, attempt=2),
        sp("eval", 50, 60, attempt=2),
    ]
    + steps(1, 2, 3, 4),
    {("j", "restore"): 10, ("j", "eval"): 10, ("j", "lost"): 20, ("j", "unrated"): 20},
)
case(
    "and all where the job has no commit, which is listed",
    [
        job(),
        al(1, 0, 40, outcome="failed"),
        al(1, 40, 50, attempt=2, outcome="completed"),
        sp("eval", 40, 50, attempt=2),
    ]
    + steps(1, 2, 3, 4),
    {("j", "eval"): 10, ("j", "unrated"): 40},
    issues={"no_capacity", "unproven_steps"},
)
case(
    "a good end vouches for its own attempt, whatever follows",
    [
        al(1, 0, 40, outcome="completed"),
        al(1, 40, 50, attempt=2, outcome="failed"),
        co(2, 20, 21),
        sp("eval", 40, 50, attempt=2),
    ]
    + steps(1, 2, 3, 4),
    {("j", "eval"): 10, ("j", "unrated"): 40},
)
case(
    "a second stage that counts from 1",
    [
        job(),
        al(1, 0, 30, outcome="completed"),
        al(1, 30, 60, attempt=2, outcome="failed"),
        al(1, 60, 80, attempt=3, outcome="completed"),
    ]
    + steps(1, 2, 3)
    + steps(1, 2, 3, start=30, attempt=2)
    + [sp("restore", 60, 70, 2, 3)]
    + steps(3, start=70, attempt=3),
    {("j", "restore"): 10, ("j", "lost"): 10, ("j", "unrated"): 60},
    issues={"no_capacity"},
)
case(
    "a second stage that loads the first",
    [al(1, 0, 30, outcome="completed"), al(1, 30, 60, attempt=2, outcome="completed"), sp("restore", 30, 40, 3, 2)]
    + steps(1, 2, 3)
    + steps(1, 2, start=40, attempt=2),
    {("j", "restore"): 10, ("j", "unrated"): 50},
)
case(
    "steps that were left out are no lost work",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 70, attempt=2, outcome="completed"), sp("restore", 40, 50, 2, 2)]
    + steps(1, 2, 3, 4)
    + steps(9, 10, start=50, attempt=2),
    {("j", "restore"): 10, ("j", "lost"): 20, ("j", "unrated"): 40},
)
case(
    "a load of the step that comes next",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="completed"), sp("restore", 40, 50, 3, 2)]
    + steps(1, 2, 3, 4)
    + steps(3, start=50, attempt=2),
    {("j", "restore"): 10, ("j", "lost"): 20, ("j", "unrated"): 30},
)
case(
    "a load that begins with the first step",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="completed"), sp("restore", 40, 40, 2, 2)]
    + steps(1, 2, 3, 4)
    + steps(9, 10, start=40, attempt=2),
    {("j", "lost"): 20, ("j", "unrated"): 40},
)
case(
    "a commit's number outranks its clock",
    [al(1, 0, 40, outcome="failed"), co(3, 5, 6)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 30, ("j", "lost"): 10},
)
case(
    "but a number that no step has does not",
    [al(1, 0, 40, outcome="failed"), co(300, 15, 16)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 20, ("j", "lost"): 20},
)
case(
    "and a commit of before the last resume holds no step after it",
    [al(1, 0, 40, outcome="failed"), al(1, 40, 60, attempt=2, outcome="failed"), co(4, 39, 39)]
    + steps(1, 2, 3, 4)
    + steps(3, 4, start=40, attempt=2),
    {("j", "unrated"): 20, ("j", "lost"): 40},
)
case(
    "going back from one attempt to the next with nothing between is listed",
    [job(), al(1, 0, 20, outcome="failed"), al(1, 20, 40, attempt=2, outcome="completed")]
    + steps(1, 2)
    + steps(2, 3, start=20, attempt=2),
    {("j", "lost"): 10, ("j", "unrated"): 30},
    issues={"no_capacity", "repeated_steps"},
)


@case.add_to
class Ledger(Rules):
    pass


ENDS = "completed", "failed", "running"
LOADS = "nothing", "init", "a restore", 0, 2, 3, 4
COMMITS = "none", "durable", "staged"  # of step 2
FIRSTS = None, 1, 3, 4, 5, 9


def chain(name, first_end, load, commit, first, end):
    """Steps 1 to 4 of attempt 1, and what attempt 2 did, as records."""
    records = [
        job(name),
        al(1, 0, 40, 1, outcome=first_end, job=name),
        al(1, 40, 90 if end == "running" else 80, 2, outcome=None if end == "running" else end, job=name),
    ]
    records += [sp("step", 10 * i, 10 * i + 10, i + 1, 1, name) for i in range(4)]
    if load != "nothing":
        records.append(
            sp("init" if load == "init" else "restore", 40, 50, load if isinstance(load, int) else None, 2, name)
        )
    if first is not None:
        records += [sp("step", 50 + 10 * i, 60 + 10 * i, first + i, 2, name) for i in range(2)]
    if commit != "none":
        records.append(co(2, 20, 25 if commit == "durable" else None, 1, name))
    return records


def survivors(first_end, load, commit, first, end):
    """(seconds of attempt 1 that are productive, what the rest is, whether going back is listed), by the table of evidence."""
    if isinstance(load, int):  # a load that names a step
        return 10 * (load - (load == first)), "lost", False
    if first is None:
        if first_end == "completed" or (end == "completed" and commit == "none"):
            return 40, None, False
        rest = "unknown" if commit == "none" else "pending" if end == "running" else "lost"
        return (20 if commit == "durable" else 0), rest, False
    if load != "a restore" and first_end == "completed":  # no restore, and the attempt before completed
        return 40, None, False
    return 10 * min(first - 1, 4), "lost", load == "nothing" and first <= 4


class Combinations(unittest.TestCase):
    def test_every_combination(self):
        cases = {f"{i}": c for i, c in enumerate(itertools.product(ENDS[:2], LOADS, COMMITS, FIRSTS, ENDS))}
        records = [r for name, c in cases.items() for r in chain(name, *c)]
        relations, options = fleet(*records), dict(as_of=80)
        expected = naive.compute(relations, **options)
        listed = 0
        with as_source(relations, "csv") as (db, source):
            self.assertIsNone(difference(expected.ledger, ledger(db, source, options)))
            found = {}
            for name, category, us in db.execute(
                f"SELECT job, category, sum(chip_us) FROM {source} "
                "WHERE as_of = 80 AND attempt = 1 AND category <> 'queued' GROUP BY 1, 2"
            ):
                found.setdefault(name, {})[category] = us // 10**6
            for name, c in cases.items():
                kept, rest, back = survivors(*c)
                listed += back
                wanted = {k: v for k, v in (("unrated", kept), (rest, 40 - kept)) if v}
                self.assertEqual(found[name], wanted, c)
            self.assertEqual(
                db.execute("SELECT sum(count) FROM mpg_issues WHERE kind = 'repeated_steps'").fetchall(), [(listed,)]
            )

    def test_random_chains(self):
        """Attempts that go on from each other, against the naive computation."""
        rng = random.Random(34)
        records = []
        for j in range(400):
            name, at, number = f"j{j}", 0, 1
            records.append(job(name))
            for attempt in range(1, rng.choice([2, 3, 4, 6])):
                start = at
                for _ in range(rng.choice([1, 1, 2])):
                    if rng.random() < 0.6:
                        number = max(0, number - rng.choice([0, 0, 1, 2, 5]))
                        records.append(
                            sp("restore", at, at + 1, number - 1 if rng.random() < 0.6 else None, attempt, name)
                        )
                    for _ in range(rng.choice([0, 1, 3, 4])):
                        kind = rng.choice(["step"] * 5 + ["rollout"])
                        records.append(sp(kind, at + 1, at + 2, number if rng.random() < 0.9 else None, attempt, name))
                        number += kind == "step"
                        at += 1
                        if rng.random() < 0.2:
                            records.append(
                                co(
                                    number - 1,
                                    max(0, at + rng.choice([-5, 0, 1])),
                                    rng.choice([at + 1, at + 9, None]),
                                    attempt,
                                    name,
                                )
                            )
                    at += 2
                if rng.random() < 0.1:
                    number = 1
                records.append(
                    al(1, start, at, attempt, outcome=rng.choice(["completed", "failed", "failed", None]), job=name)
                )
        relations = fleet(*records)
        expected = naive.compute(relations)
        with as_source(relations, "csv") as (db, source):
            self.assertIsNone(difference(expected.ledger, ledger(db, source, {})))
            kinds = {kind for kind, in db.execute("SELECT kind FROM mpg_issues WHERE kind <> 'out_of_order'")}
        self.assertEqual(expected.issues, kinds)


if __name__ == "__main__":
    unittest.main()
