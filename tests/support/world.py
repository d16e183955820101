"""A generated fleet as the tests of the questions know it: its records, the generator's truth and events, and the naive accounting.

Nothing here comes from the extension, but for `World.db`, which is what is asked.
"""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict, namedtuple
from fractions import Fraction

import naive
from answers import built, question
from fleets import generator

SEED, SPANS = 1, 10000
HOUR = 3600 * 10**6  # of a chip: a chip-hour
SIZES = ["S", "M", "L", "XL"]
DIMENSIONS = ["pool", "chip", "phase", "framework", "runtime", "model", "size", "team", "owner", "priority", "job"]
NOT_ALLOCATED = ("down", "idle", "partial", "queued")
PRODUCTIVE = ("ideal", "inefficiency", "unrated")

Cell = namedtuple("Cell", "hour us category cause attempt " + " ".join(DIMENSIONS) + " name")
Interval = namedtuple("Interval", "pool job attempt category cause start end us")


class Intervals(naive.Ledger):
    """The naive accounting with the interval of every amount."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.found, self.at = [], None

    def pieces(self, s, e):
        for piece in super().pieces(s, e):
            self.at = piece[:2]
            yield piece

    def add(self, pool, chip, job, attempt, category, cause, bucket, us):
        super().add(pool, chip, job, attempt, category, cause, bucket, us)
        if us:
            self.found.append(Interval(pool, job, attempt, category, cause, *self.at, us))


class Sums:
    """Chip-time as every ratio needs it."""

    def __init__(self, cells):
        by = Counter()
        for c in cells:
            by[c.category] += c.us
        self.by = by
        self.capacity = sum(us for category, us in by.items() if category != "queued")
        self.allocated = sum(us for category, us in by.items() if category not in NOT_ALLOCATED)
        self.partial, self.queued, self.ideal = by["partial"], by["queued"], by["ideal"]
        self.traced = self.allocated - by["untraced"]
        self.productive = sum(by[category] for category in PRODUCTIVE)
        self.rated = self.productive - by["unrated"]
        self.held = self.allocated + self.partial
        self.steps = (
            self.productive + by["lost"] + by["pending"] + sum(c.us for c in cells if c.cause == "no_checkpoint_data")
        )

    @property
    def SG(self):
        return ratio(self.allocated, self.capacity)

    @property
    def RG(self):
        return ratio(self.productive, self.traced)

    @property
    def PG(self):
        return ratio(self.ideal, self.rated)

    @property
    def lower(self):
        return ratio(self.ideal, self.capacity)


def ratio(a, b):
    return Fraction(a, b) if b else None


def size_of(chips):
    return "S" if chips < 16 else "M" if chips < 256 else "L" if chips < 2048 else "XL"


class World:
    """A generated fleet: its records, its truth, and the database that build.sql made of it."""

    def __init__(self, relations, folder, truth=None, events=None):
        self.relations = relations
        self.jobs = {row["job"]: row for row in relations["jobs"]}
        ledger = Intervals(relations)
        ledger.compute()
        self.intervals = ledger.found
        self.as_of = ledger.as_of
        most = Counter()
        for row in relations["allocations"]:
            most[row["job"]] = max(most[row["job"]], float(row["chips"]))
        self.chips = {
            job: float(row["chips"]) if row.get("chips") else self.most_held(job) for job, row in self.jobs.items()
        }
        self.size = {job: size_of(chips) for job, chips in self.chips.items()}
        self.cells = [self.cell(*key, us) for key, us in naive.compute(relations, bucket="1 hour").ledger.items()]
        self.by_attempt = defaultdict(Counter)
        for i in self.intervals:
            if i.attempt is not None:
                self.by_attempt[i.job, i.attempt][i.category] += i.us
        self.truth, self.events = truth, events
        self.find_attempts()
        self.db = built(folder)

    def most_held(self, job):
        edges = []
        for row in self.relations["allocations"]:
            if row["job"] == job:
                edges.append((naive.microseconds(row["start_time"]), float(row["chips"])))
                if row.get("end_time"):
                    edges.append((naive.microseconds(row["end_time"]), -float(row["chips"])))
        held = most = 0
        for at, chips in sorted(edges):
            held += chips
            most = max(most, held)
        return most

    def cell(self, pool, chip, job, attempt, category, cause, hour, us):
        row = self.jobs.get(job, {})
        team = json.loads(row["labels"])["team"] if row.get("labels") else None
        return Cell(
            hour,
            us,
            category,
            cause,
            attempt,
            pool,
            chip,
            row.get("phase"),
            row.get("framework"),
            row.get("runtime"),
            row.get("model"),
            self.size.get(job),
            team,
            row.get("owner"),
            row.get("priority"),
            job,
            row.get("name"),
        )

    def find_attempts(self):
        """Attempts and runs from the allocations and the naive intervals: (job, attempt) -> dict."""
        self.attempts, whole = {}, defaultdict(list)
        for i in self.intervals:
            if i.attempt is None:
                continue
            a = self.attempts.setdefault((i.job, i.attempt), dict(start=i.start, end=i.end))
            a["start"], a["end"] = min(a["start"], i.start), max(a["end"], i.end)
            if i.category != "partial" or i.cause is not None:
                whole[i.job, i.attempt].append((i.start, i.end))
        order = ["node_fail", "preempted", "timeout", "failed", "cancelled", "completed"]
        for (job, attempt), a in self.attempts.items():
            rows = [
                r
                for r in self.relations["allocations"]
                if r["job"] == job and a["start"] <= naive.microseconds(r["start_time"]) < a["end"]
            ]
            if any(not r.get("end_time") for r in rows):
                a["outcome"] = None
            else:
                last = max(naive.microseconds(r["end_time"]) for r in rows)
                a["outcome"] = min(
                    (r["outcome"] for r in rows if naive.microseconds(r["end_time"]) == last), key=order.index
                )
            a["pool"] = min(r["pool"] for r in rows if naive.microseconds(r["start_time"]) == a["start"])
            runs = []
            for start, end in sorted(whole[job, attempt]):
                if runs and start <= runs[-1][1]:
                    runs[-1][1] = max(runs[-1][1], end)
                else:
                    runs.append([start, end])
            a["runs"] = runs
            a["sums"] = self.by_attempt[job, attempt]
            a["held"] = sum(a["sums"].values())
            a["productive"] = sum(a["sums"][c] for c in PRODUCTIVE)
        self.runs = []  # (job, attempt, start, end, outcome) in order of time
        for (job, attempt), a in self.attempts.items():
            for n, (start, end) in enumerate(a["runs"]):
                self.runs.append((job, attempt, start, end, "gang_broken" if n + 1 < len(a["runs"]) else a["outcome"]))
        self.runs.sort(key=lambda r: (r[0], r[2]))

    def spans_of(self, job):
        return [
            dict(
                kind=r["kind"],
                start=naive.microseconds(r["start_time"]),
                end=naive.microseconds(r["end_time"]) if r.get("end_time") else None,
            )
            for r in self.spans_by_job[job]
        ]

    @property
    def spans_by_job(self):
        if not hasattr(self, "_spans"):
            self._spans = defaultdict(list)
            for r in self.relations["spans"]:
                self._spans[r["job"]].append(r)
        return self._spans


def groups(cells, by):
    found = defaultdict(list)
    for c in cells:
        found[by(c)].append(c)
    return {key: Sums(cells) for key, cells in found.items()}


_WORLD = []


def the_world():
    """The one fleet that every test asks about, generated when it is first wanted."""
    if _WORLD:
        return _WORLD[0]
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t")
        subprocess.run(
            [
                generator(),
                "--seed",
                str(SEED),
                "--spans",
                str(SPANS),
                "--format",
                "csv",
                "--out",
                trace,
                "--truth",
                folder + "/truth.csv",
                "--events",
                folder + "/events.csv",
            ],
            check=True,
            capture_output=True,
        )
        with open(folder + "/truth.csv", newline="") as file:
            truth = [
                dict(r, chip_us=int(r["chip_us"]), job=r["job"] or None, cause=r["cause"] or None)
                for r in csv.DictReader(file)
            ]
        with open(folder + "/events.csv", newline="") as file:
            events = [dict(r, at_us=int(r["at_us"]), attempt=int(r["attempt"])) for r in csv.DictReader(file)]
        _WORLD.append(World(naive.load_folder(trace), trace, truth, events))
    return _WORLD[0]


class Case(unittest.TestCase):
    maxDiff = None

    def ask(self, name, db=None, **given):
        """A question of sql/questions, about the world or another database."""
        return question(name).ask(db or the_world().db, **given)

    def near(self, expected, found, what=None, places=1e-9):
        """Equal but for the rounding of the last division."""
        if expected is None or found is None:
            self.assertEqual(expected, found, what)
        elif abs(float(expected) - found) > places * max(1e-9, abs(float(expected))):
            self.fail(f"{what}: expected {float(expected)!r}, found {found!r}")

    def in_order(self, rows, column):
        """The largest first."""
        self.assertEqual([row[column] for row in rows], sorted((row[column] for row in rows), reverse=True))

    def rows_near(self, expected, found, key):
        """Rows by `key`, and each expected field of theirs."""
        self.assertEqual(
            [tuple(row[k] for k in key) for row in expected], [tuple(row[k] for k in key) for row in found]
        )
        for e, f in zip(expected, found):
            for field, value in e.items():
                if isinstance(value, (Fraction, float)) or isinstance(f[field], float):
                    self.near(value, f[field], (e, field))
                else:
                    self.assertEqual(value, f[field], (e, field))
