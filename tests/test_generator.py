#!/usr/bin/python3
"""The generator of fleets, and what it promises in fixtures/README.md.

The fleets are looked at here by naive means: every record is read into memory, and no rule of the ledger is
computed, but for the sums that conservation speaks of.
"""
import collections
import csv
import datetime
import filecmp
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

from goodput_model import CATEGORIES

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENERATE = os.path.join(ROOT, "build", "generate")
RELATIONS = {
    "capacity": "capacity",
    "outages": "outage",
    "jobs": "job",
    "allocations": "allocation",
    "spans": "span",
    "commits": "commit",
    "programs": "program",
}
NUMBERS = {"attempt", "chips", "min_chips", "tasks", "priority", "step", "flops", "bytes", "executions"}
TIMES = {"start_time", "end_time", "submit_time", "snapshot_time", "durable_time"}
MILLION = 10**6


def setUpModule():
    subprocess.run(["make", "-s", "-C", ROOT, "build/generate"], check=True, stdout=subprocess.DEVNULL)


def generate(out, *more, seed=1, spans="1e3", form="csv"):
    done = subprocess.run(
        [GENERATE, "--seed", str(seed), "--spans", spans, "--format", form, "--out", out, *more],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def micros(value):
    """Unix seconds or ISO 8601 in UTC, as text, exactly."""
    if "T" in value:
        value, _, fraction = value.rstrip("Z").partition(".")
        seconds = int(datetime.datetime.fromisoformat(value + "+00:00").timestamp())
    else:
        seconds, _, fraction = value.partition(".")
    return int(seconds) * MILLION + int(fraction.ljust(6, "0") or 0)


def value(column, text):
    if text is None or text == "":
        return None
    if column in TIMES:
        return micros(text)
    if column == "chips" or column == "min_chips":
        return round(float(text) * MILLION)
    if column in NUMBERS:
        return float(text)
    if column == "labels":
        return json.dumps(json.loads(text), sort_keys=True)
    return text


class Record(dict):
    __getattr__ = dict.get


def read_csv(folder):
    fleet = {relation: [] for relation in RELATIONS}
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        relation = re.match("[a-z]*", os.path.basename(path)).group()
        with open(path, newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                fleet[relation].append(Record((k, value(k, v)) for k, v in row.items()))
    return fleet


def read_jsonl(folder):
    fleet = {relation: [] for relation in RELATIONS}
    plural = {v: k for k, v in RELATIONS.items()}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line, parse_float=str, parse_int=str)
                relation = plural[row.pop("record")]
                if "labels" in row:
                    row["labels"] = json.dumps(row["labels"])
                fleet[relation].append(Record((k, value(k, v)) for k, v in row.items()))
    return fleet


def contents(fleet):
    """Every record, in whatever order."""
    return {
        relation: sorted(repr(sorted((k, v) for k, v in row.items() if v is not None)) for row in rows)
        for relation, rows in fleet.items()
    }


def read_truth(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return [Record(row, chip_us=int(row["chip_us"])) for row in csv.DictReader(lines)]


def chip_time(chips, start, end):
    return chips * end // MILLION - chips * start // MILLION


class Same(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = temporary.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def test_the_same_seed_gives_the_same_bytes(self):
        for form, more in (("csv", []), ("jsonl", ["--shuffle", "--split", "3"])):
            for run in "ab":
                generate(self.path(form + run), "--truth", self.path(run + ".csv"), *more, seed=5, form=form)
            names = sorted(os.listdir(self.path(form + "a")))
            self.assertEqual(names, sorted(os.listdir(self.path(form + "b"))))
            _, mismatch, errors = filecmp.cmpfiles(self.path(form + "a"), self.path(form + "b"), names, shallow=False)
            self.assertEqual((mismatch, errors), ([], []))
            self.assertTrue(filecmp.cmp(self.path("a.csv"), self.path("b.csv"), shallow=False))
        generate(self.path("other"), seed=6)
        self.assertFalse(filecmp.cmp(self.path("csva/spans.csv"), self.path("other/spans.csv"), shallow=False))

    def test_every_form_holds_the_same_records(self):
        generate(self.path("plain"), "--truth", self.path("plain.csv"), seed=3)
        plain = contents(read_csv(self.path("plain")))
        self.assertGreater(len(plain["spans"]), 500)
        generate(self.path("json"), "--truth", self.path("json.csv"), seed=3, form="jsonl")
        self.assertEqual(os.listdir(self.path("json")), ["fleet.jsonl"])
        self.assertEqual(contents(read_jsonl(self.path("json"))), plain)
        generate(self.path("shuffled"), "--shuffle", "--split", "4", seed=3)
        self.assertEqual(len(glob.glob(self.path("shuffled/spans-000?.csv"))), 4)
        self.assertEqual(contents(read_csv(self.path("shuffled"))), plain)
        with open(self.path("shuffled/allocations.csv")) as a, open(self.path("plain/allocations.csv")) as b:
            a, b = a.readlines(), b.readlines()
            self.assertEqual(a[0], b[0])
            self.assertNotEqual(a, b)
        generate(self.path("split"), "--split", "2", seed=3, form="jsonl")
        self.assertEqual(sorted(os.listdir(self.path("split"))), ["fleet-0001.jsonl", "fleet-0002.jsonl"])
        self.assertEqual(contents(read_jsonl(self.path("split"))), plain)
        self.assertTrue(filecmp.cmp(self.path("plain.csv"), self.path("json.csv"), shallow=False))

    def test_the_committed_fixtures_are_made_anew_the_same(self):
        generate(self.path("fleet"), "--truth", self.path("truth.csv"), seed=1, spans="1e4")
        committed = os.path.join(ROOT, "fixtures", "fleet")
        self.assertEqual(sorted(os.listdir(committed)), sorted(r + ".csv" for r in RELATIONS))
        for name in os.listdir(committed):
            self.assertTrue(filecmp.cmp(os.path.join(committed, name), self.path("fleet/" + name), shallow=False), name)
        self.assertTrue(
            filecmp.cmp(os.path.join(ROOT, "fixtures", "fleet-truth.csv"), self.path("truth.csv"), shallow=False)
        )
        size = sum(os.path.getsize(path) for path in glob.glob(committed + "*/*")) + os.path.getsize(
            committed + "-truth.csv"
        )
        self.assertLess(size, 1.5e6)

    def test_bad_arguments_are_refused(self):
        good = ["--seed", "1", "--spans", "1e3", "--format", "csv", "--out", self.path("x")]
        for bad in (
            good[2:],
            good[:6],
            good + ["--spans", "5"],
            good + ["--format", "xml"],
            good + ["--colour"],
            good + ["--days", "0"],
            good + ["--split", "many"],
            good + ["--truth"],
        ):
            done = subprocess.run([GENERATE, *bad], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, bad)
            self.assertTrue(done.stderr.startswith("usage: generate "))
            self.assertFalse(os.path.exists(self.path("x")))
        done = subprocess.run([GENERATE, *good[:-1], self.path("no/such")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "generate: %s: No such file or directory\n" % self.path("no/such"))


class Fleet(unittest.TestCase):
    """One fleet of 10^4 spans after the other."""

    SEEDS = range(1, 5)

    @classmethod
    def setUpClass(cls):
        cls.fleets = []
        for seed in cls.SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                told = generate(folder + "/fleet", "--truth", folder + "/truth.csv", seed=seed, spans="1e4")
                cls.fleets.append((seed, told, read_csv(folder + "/fleet"), read_truth(folder + "/truth.csv")))

    def each(self):
        for seed, told, fleet, truth in self.fleets:
            with self.subTest(seed=seed):
                yield told, fleet, truth

    @staticmethod
    def end(fleet):
        return max(r.end_time for r in fleet["capacity"] if r.end_time)

    def test_the_truth_adds_up(self):
        for _, fleet, truth in self.each():
            end = self.end(fleet)
            capacity, held = collections.Counter(), collections.Counter()
            for r in fleet["capacity"]:
                capacity[r.pool] += chip_time(r.chips, r.start_time, r.end_time or end)
            for r in fleet["allocations"]:
                held[r.job, r.pool] += chip_time(r.chips, r.start_time, r.end_time or end)
            by_pool, by_job = collections.Counter(), collections.Counter()
            for r in truth:
                if r.category != "queued":
                    by_pool[r.pool] += r.chip_us
                    if r.job:
                        by_job[r.job, r.pool] += r.chip_us
            self.assertEqual(by_pool, capacity)
            self.assertEqual(by_job, held)
            self.assertEqual(len(truth), len({(r.job, r.pool, r.category, r.cause) for r in truth}))

    def test_no_pool_is_over_subscribed(self):
        for _, fleet, _ in self.each():
            end = self.end(fleet)
            changes = collections.defaultdict(collections.Counter)
            for relation, sign in (("capacity", 1), ("outages", -1), ("allocations", -1)):
                for r in fleet[relation]:
                    changes[r.pool][r.start_time] += sign * r.chips
                    changes[r.pool][r.end_time or end] -= sign * r.chips
            for pool, deltas in changes.items():
                free = 0
                for at in sorted(deltas):
                    free += deltas[at]
                    self.assertGreaterEqual(free, 0, (pool, at))
                self.assertEqual(free, 0)

    def test_no_time_is_after_the_end(self):
        for _, fleet, _ in self.each():
            end = self.end(fleet)
            for rows in fleet.values():
                for row in rows:
                    for column in TIMES & set(row):
                        self.assertLessEqual(row[column] or 0, end)
                    if row.end_time:
                        self.assertLess(row.start_time, row.end_time)

    def test_the_shares_are_believable(self):
        for told, fleet, _ in self.each():
            found = re.fullmatch(r"(\d+) spans, (\d+) jobs, SG (\S+), RG (\S+), PG (\S+)\n", told)
            spans, jobs, sg, rg, pg = map(float, found.groups())
            self.assertEqual((spans, jobs), (len(fleet["spans"]), len(fleet["jobs"])))
            self.assertTrue(9000 < spans < 11000 and 0.8 < sg < 0.96 and 0.75 < rg < 0.95 and 0.3 < pg < 0.7, told)

    def test_every_oddity_occurs(self):
        for _, fleet, truth in self.each():
            for promise, kept in oddities(fleet, truth).items():
                self.assertTrue(kept, promise)


def by(rows, *columns):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[c] for c in columns) if len(columns) > 1 else row[columns[0]]].append(row)
    return groups


def oddities(fleet, truth):
    """What fixtures/README.md promises of every fleet -> whether it is so."""
    jobs = {r.job: r for r in fleet["jobs"]}
    allocations, spans, commits = (by(fleet[r], "job") for r in ("allocations", "spans", "commits"))
    attempts = by((r for r in fleet["allocations"] if r.attempt), "job", "attempt")
    pools = by(fleet["capacity"], "pool")
    programs = {r.program: r for r in fleet["programs"]}
    reasons = {(r.category, r.cause) for r in truth}
    minute = 60 * MILLION

    def outcome(job):
        rows = allocations[job]
        return (
            None if any(r.end_time is None for r in rows) else max(rows, key=lambda r: (r.end_time, r.outcome)).outcome
        )

    outcomes = collections.Counter(outcome(j) for j in allocations)
    outcomes_at_all = {r.outcome for r in fleet["allocations"]}
    died = [r for r in fleet["allocations"] if r.outcome == "node_fail"]
    outages = {(r.pool, r.start_time) for r in fleet["outages"]}
    sizes = [r.chips // MILLION for r in fleet["jobs"] if r.chips]
    kinds = {r.kind for r in fleet["spans"]}
    steps = {
        j: sorted((s for s in rows if s.step is not None), key=lambda s: s.start_time) for j, rows in spans.items()
    }

    def restarts(job):
        """(first step of the job, last durable checkpoint before, step it resumed at), attempt after attempt."""
        last = None
        for step in steps.get(job, []):
            if last is not None and step.attempt != last:
                before = [
                    c
                    for c in commits.get(job, [])
                    if c.attempt is not None and c.attempt < step.attempt and c.durable_time
                ]
                yield (steps[job][0].step, max((c.step for c in before), default=None), step.step)
            last = step.attempt

    resumed = [r for j in steps for r in restarts(j)]
    first_ends = {k: min(r.end_time or 1 << 62 for r in rows) for k, rows in attempts.items()}

    def nested(kind, outer):
        for job, rows in spans.items():
            outers = [r for r in rows if r.kind == outer and r.end_time]
            for inner in rows:
                if inner.kind == kind and any(
                    o.start_time <= inner.start_time
                    and inner.end_time
                    and inner.end_time <= o.end_time
                    and o is not inner
                    for o in outers
                ):
                    return True
        return False

    def crash_loops(job):
        short = [
            rows
            for (j, _), rows in attempts.items()
            if j == job and all(r.outcome == "failed" and r.end_time - r.start_time < 40 * minute for r in rows)
        ]
        return len(short) >= 3

    def reappears(rows):
        """A task's chips came back within the attempt."""
        return any(
            a is not b and a.task == b.task and a.end_time and a.end_time < b.start_time for a in rows for b in rows
        )

    synchronous = {(s.job, s.start_time, s.end_time) for s in fleet["spans"] if s.kind == "checkpoint"}
    no_commits = [j for j in steps if steps[j] and j not in commits]
    return {
        "several pools and generations": len(pools) == 7 and len({r.chip for r in fleet["capacity"]}) >= 5,
        "capacity that is added": any(len(p) == 2 and all(r.end_time is None for r in p) for p in pools.values()),
        "capacity that is replaced": any(len(p) == 2 and p[0].end_time == p[1].start_time for p in pools.values()),
        "hardware outages and maintenance": {r.kind for r in fleet["outages"]} == {"hw_down", "maintenance"},
        "three phases": {r.phase for r in fleet["jobs"]} == {"training", "serving", "bulk_inference"},
        "frameworks": {r.framework for r in fleet["jobs"]} == {"jax", "pytorch"},
        "runtimes": {r.runtime for r in fleet["jobs"]} == {"pathways", "multi-controller"},
        "labels": all("team" in json.loads(r.labels) for r in fleet["jobs"]),
        "sizes S to XL": min(sizes) < 16
        and max(sizes) >= 2048
        and any(16 <= s < 256 for s in sizes)
        and any(256 <= s < 2048 for s in sizes),
        "gangs that assemble slowly": any(
            max(r.start_time for r in rows) - min(r.start_time for r in rows) > 5 * minute and len(rows) == 16
            for rows in attempts.values()
        ),
        "preemption": "preempted" in outcomes_at_all,
        "chips that die with an outage": any((r.pool, r.end_time) in outages for r in died),
        "chips that die without one": any((r.pool, r.end_time) not in outages for r in died),
        "synchronous saves": any((c.job, c.snapshot_time, c.durable_time) in synchronous for c in fleet["commits"]),
        "asynchronous saves": any(
            c.durable_time and c.durable_time - c.snapshot_time > minute for c in fleet["commits"]
        ),
        "saves nested in steps": nested("checkpoint", "step"),
        "saves that never become durable": any(c.durable_time is None for c in fleet["commits"]),
        "a job none of whose saves does": any(
            all(c.durable_time is None for c in rows) and len(rows) > 1 for rows in commits.values()
        ),
        "restart at n + 1": any(d is not None and at == d + 1 for _, d, at in resumed),
        "restart at n": any(d is not None and at == d for _, d, at in resumed),
        "restart deeper": any(d is not None and first < at < d for first, d, at in resumed),
        "restart at 0 in spite of checkpoints": any(d is not None and first == at < d for first, d, at in resumed),
        "crash loops": any(crash_loops(j) for j in jobs),
        "an elastic job that shrinks and grows": any(
            jobs[j].min_chips and reappears(rows) for (j, _), rows in attempts.items()
        ),
        "a repair within the attempt": any(
            not jobs[j].min_chips and reappears(rows) for (j, _), rows in attempts.items()
        ),
        "an attempt that follows at once": any(
            first_ends.get((j, a - 1)) == min(r.start_time for r in rows) for (j, a), rows in attempts.items()
        ),
        "every kind of span": kinds
        == {
            "init",
            "prep",
            "compile",
            "restore",
            "input",
            "checkpoint",
            "eval",
            "hang",
            "step",
            "serve",
            "batch",
            "collective_timeout",
            "reshard",
            "data_rebalance",
        },
        "input inside steps": nested("input", "step"),
        "input at the very start of a step": any(
            a.kind == "input" and b.kind == "step"
            for rows in by(fleet["spans"], "job", "start_time").values()
            for a in rows
            for b in rows
        ),
        "hangs inside steps": nested("hang", "step"),
        "input inside evaluation": nested("input", "eval"),
        "spans that are still open": any(r.end_time is None for r in fleet["spans"]),
        "programs with and without FLOPs": {r.flops is None for r in programs.values()} == {True, False},
        "a program counted several times": any((r.executions or 0) > 1 and r.step is not None for r in fleet["spans"]),
        "spans with FLOPs of their own": any(r.flops and not r.program for r in fleet["spans"]),
        "FLOPs that override the program": any(r.flops and r.program and r.dtype for r in fleet["spans"]),
        "steps of no program": any(r.kind == "step" and not r.program and not r.flops for r in fleet["spans"]),
        "every end": set(outcomes) >= {"completed", "failed", "cancelled", "timeout", None},
        "jobs without runtime records": any(j not in spans and j not in commits for j in allocations),
        "jobs without checkpoints that succeed": any(outcome(j) == "completed" for j in no_commits),
        "jobs without checkpoints that fail": any(outcome(j) == "failed" for j in no_commits),
        "one UUID": sum(bool(re.fullmatch(r"\w{8}(-\w{4}){3}-\w{12}", j)) for j in jobs) == 1,
        "names beyond ASCII": not all((r.name + r.owner).isascii() for r in fleet["jobs"])
        and not all(p.isascii() for p in pools),
        "names that CSV must quote": any("," in r.name and '"' in r.name for r in fleet["jobs"]),
        "fractions of chips": {r.chips for r in fleet["allocations"]} >= {MILLION // 2, MILLION // 4},
        "a job over two pools": any(len({r.pool for r in rows}) == 2 for rows in attempts.values()),
        "a job that moves": any(
            len({r.pool for r in rows}) == 2
            and all(len({r.pool for r in a}) == 1 for (j, _), a in attempts.items() if j == job)
            for job, rows in allocations.items()
        ),
        "more held than needed": ("partial", "surplus") in reasons,
        "attempts without numbers": any(r.attempt is None for r in fleet["allocations"])
        and any(r.attempt is None for r in fleet["spans"]),
        "tasks without names": any(r.task is None for r in fleet["allocations"]),
        "a job that only knows its tasks": any(r.chips is None and r.tasks for r in fleet["jobs"]),
        "no submission time": any(r.submit_time is None for r in fleet["jobs"]),
        "jobs that never got a chip": any(j not in allocations for j in jobs),
        "every category but unknown causes": {c for c, _ in reasons} == set(CATEGORIES),
        "every cause": {c for _, c in reasons}
        == {
            "",
            "hw_down",
            "maintenance",
            "surplus",
            "hang",
            "collective_timeout",
            "reshard",
            "data_rebalance",
            "no_traffic",
            "node_fail",
            "no_checkpoint_data",
        },
    }


if __name__ == "__main__":
    unittest.main()
