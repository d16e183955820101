"""The questions of sql/questions, each on a generated fleet, against what the generator knows.

What the tests expect comes from three places, none of them the extension: the generator's truth (chip-time by job, pool, category and cause; and its events:
gangs that are complete, preemptions and for whom), the naive accounting of tests/naive.py where time matters, and loops over the records themselves.
Every question is asked of a connection without the extension.
"""
import csv
import math
import os
import statistics
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict, namedtuple
from fractions import Fraction

import naive
from answers import Question, built, paths, question
from fleets import ROOT, write_csv

SEED, SPANS = 1, 10000
HOUR = 3600 * 10**6
CHIP_HOUR = HOUR
SIZES = ["S", "M", "L", "XL"]
DIMENSIONS = ["pool", "chip", "phase", "framework", "runtime", "model", "size", "team", "owner", "priority", "job"]
FAILURES = ("failed", "node_fail", "gang_broken")
INTERRUPTIONS = FAILURES + ("preempted", "timeout")
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
        self.steps = self.productive + by["lost"] + by["pending"] + sum(c.us for c in cells if c.cause == "no_checkpoint_data")

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


def rank(values, percent):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


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
        self.chips = {job: float(row["chips"]) if row.get("chips") else self.most_held(job) for job, row in self.jobs.items()}
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
        import json
        team = json.loads(row["labels"])["team"] if row.get("labels") else None
        return Cell(hour, us, category, cause, attempt, pool, chip, row.get("phase"), row.get("framework"), row.get("runtime"), row.get("model"),
                    self.size.get(job), team, row.get("owner"), row.get("priority"), job, row.get("name"))

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
            rows = [r for r in self.relations["allocations"] if r["job"] == job
                    and a["start"] <= naive.microseconds(r["start_time"]) < a["end"]]
            if any(not r.get("end_time") for r in rows):
                a["outcome"] = None
            else:
                last = max(naive.microseconds(r["end_time"]) for r in rows)
                a["outcome"] = min((r["outcome"] for r in rows if naive.microseconds(r["end_time"]) == last), key=order.index)
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
        return [dict(kind=r["kind"], start=naive.microseconds(r["start_time"]),
                     end=naive.microseconds(r["end_time"]) if r.get("end_time") else None) for r in self.spans_by_job[job]]

    @property
    def spans_by_job(self):
        if not hasattr(self, "_spans"):
            self._spans = defaultdict(list)
            for r in self.relations["spans"]:
                self._spans[r["job"]].append(r)
        return self._spans


WORLD = None


def setUpModule():
    global WORLD
    done = subprocess.run(["make", "-s", "build/generate"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t")
        subprocess.run([os.path.join(ROOT, "build", "generate"), "--seed", str(SEED), "--spans", str(SPANS), "--format", "csv", "--out", trace,
                        "--truth", folder + "/truth.csv", "--events", folder + "/events.csv"], check=True, capture_output=True)
        with open(folder + "/truth.csv", newline="") as file:
            truth = [dict(r, chip_us=int(r["chip_us"]), job=r["job"] or None, cause=r["cause"] or None) for r in csv.DictReader(file)]
        with open(folder + "/events.csv", newline="") as file:
            events = [dict(r, at_us=int(r["at_us"]), attempt=int(r["attempt"])) for r in csv.DictReader(file)]
        WORLD = World(naive.load_folder(trace), trace, truth, events)


class Case(unittest.TestCase):
    maxDiff = None

    def ask(self, name, db=None, **given):
        return question(name).ask(db or WORLD.db, **given)

    def near(self, expected, found, what=None, places=1e-9):
        """Equal but for the rounding of the last division."""
        if expected is None or found is None:
            self.assertEqual(expected, found, what)
        elif abs(float(expected) - found) > places * max(1e-9, abs(float(expected))):
            self.fail(f"{what}: expected {float(expected)!r}, found {found!r}")

    def rows_near(self, expected, found, key):
        """Rows by `key`, and each expected field of theirs."""
        self.assertEqual([tuple(row[k] for k in key) for row in expected], [tuple(row[k] for k in key) for row in found])
        for e, f in zip(expected, found):
            for field, value in e.items():
                if isinstance(value, (Fraction, float)) or isinstance(f[field], float):
                    self.near(value, f[field], (e, field))
                else:
                    self.assertEqual(value, f[field], (e, field))


def groups(cells, by):
    found = defaultdict(list)
    for c in cells:
        found[by(c)].append(c)
    return {key: Sums(cells) for key, cells in found.items()}


class World_(Case):
    """The two sources of what is expected agree with each other, so that neither is wrong alone."""

    def test_naive_is_the_truth(self):
        found = Counter()
        for c in WORLD.cells:
            found[c.job, c.pool or "", c.category, c.cause] += c.us
        self.assertEqual({(r["job"], r["pool"], r["category"], r["cause"]): r["chip_us"] for r in WORLD.truth}, found)

    def test_gangs_are_those_of_the_events(self):
        complete = sorted((e["job"], e["at_us"]) for e in WORLD.events if e["event"] == "complete")
        self.assertEqual(complete, sorted((job, start) for job, _, start, _, _ in WORLD.runs))
        broken = [e for e in WORLD.events if e["event"] == "broken"]
        self.assertGreater(len(broken), 1)
        self.assertLessEqual({(e["job"], e["at_us"]) for e in broken}, {(job, end) for job, _, _, end, _ in WORLD.runs})


class Goodput(Case):
    def test_goodput(self):
        fleet = Sums(WORLD.cells)
        keys = {name: (lambda c, name=name: getattr(c, name)) for name in DIMENSIONS}
        keys.update(fleet=lambda c: "fleet", hour=lambda c: c.hour, day=lambda c: c.hour[:10], month=lambda c: c.hour[:7], week=lambda c: "2026-W02")
        for by, key in keys.items():
            found = {row["segment"]: row for row in self.ask("goodput", by=by)}
            expected = {segment: sums for segment, sums in groups(WORLD.cells, key).items() if sums.capacity}
            self.assertEqual(set(expected), set(found), by)
            for segment, s in expected.items():
                row = found[segment]
                self.near(Fraction(s.capacity, CHIP_HOUR), row["capacity_chip_hours"], (by, segment))
                for name, value in dict(SG=s.SG, RG=s.RG, PG=s.PG, MPG_lower=s.lower, traced=ratio(s.traced, s.allocated),
                                        rated=ratio(s.rated, s.productive), contribution=ratio(s.ideal, fleet.capacity),
                                        MPG=s.lower if s.traced == s.allocated and s.rated == s.productive else None).items():
                    self.near(value, row[name], (by, segment, name))

    def test_goodput_in_a_window(self):
        cells = [c for c in WORLD.cells if "2026-01-05 06:00:00" <= c.hour < "2026-01-06"]
        s = Sums(cells)
        row, = self.ask("goodput", since="2026-01-05 06:00:00", until="2026-01-06")
        self.near(s.lower, row["MPG_lower"])
        self.near(Fraction(s.capacity, CHIP_HOUR), row["capacity_chip_hours"])

    def test_losses(self):
        expected = Counter()
        for r in WORLD.truth:
            if r["category"] != "queued":
                expected[r["category"] + ("/" + r["cause"] if r["cause"] else "")] += r["chip_us"]
        rows = self.ask("losses")
        self.assertEqual("capacity", rows[0]["step"])
        self.assertEqual("ideal", rows[-1]["step"])
        left = Fraction(sum(expected.values()), CHIP_HOUR)
        self.near(left, rows[0]["chip_hours"])
        self.assertEqual(set(expected), {row["step"] for row in rows[1:]})
        for row in rows[1:]:
            hours = Fraction(expected[row["step"]], CHIP_HOUR)
            self.near(hours, row["chip_hours"], row["step"])
            left -= hours if row["step"] != "ideal" else 0
            self.near(left, row["remaining_chip_hours"], row["step"])
            self.assertIsNone(row["money"])
        self.near(rows[-1]["chip_hours"], rows[-1]["remaining_chip_hours"])

    def test_losses_in_money(self):
        """Dearer chips count for more; a chip without a price makes it unknown."""
        prices = {chip: 1_000_000 * (i + 1) + 37 for i, chip in enumerate(sorted({c.chip for c in WORLD.cells if c.chip}))}
        WORLD.db.executemany("INSERT INTO prices VALUES (?, ?)", prices.items())
        try:
            expected = Counter()
            for c in WORLD.cells:
                if c.category != "queued":
                    expected[c.category + ("/" + c.cause if c.cause else "")] += Fraction(c.us * prices[c.chip], HOUR * 10**6)
            for row in self.ask("losses")[1:]:
                self.near(expected[row["step"]], row["money"], row["step"], 1e-6)
            WORLD.db.execute("DELETE FROM prices WHERE chip = 'tpu-v4'")
            self.assertEqual({None}, {row["money"] for row in self.ask("losses", pool="v4-zürich")})
            self.assertNotIn(None, {row["money"] for row in self.ask("losses", pool="h100-us-west2")})
        finally:
            WORLD.db.execute("DELETE FROM prices")

    def periods(self, cut="2026-01-06"):
        return [c for c in WORLD.cells if c.hour < cut], [c for c in WORLD.cells if c.hour >= cut]

    def test_change(self):
        before, after = map(Sums, self.periods())
        rows = self.ask("change", after_since="2026-01-06")
        self.assertEqual(["SG", "RG", "PG", "traced", "rated", "MPG_lower"], [row["factor"] for row in rows])
        for row, b, a in zip(rows, *[(s.SG, s.RG, s.PG, ratio(s.traced, s.allocated), ratio(s.rated, s.productive), s.lower) for s in (before, after)]):
            self.near(b, row["before"], row["factor"])
            self.near(a, row["after"], row["factor"])
            self.near(math.log(a) - math.log(b), row["change"], row["factor"], 1e-8)
        for column in ("change", "points"):
            self.near(rows[-1][column], sum(row[column] for row in rows[:-1]), column)
        self.near(100 * (after.lower - before.lower), rows[-1]["points"])

    def test_change_mix(self):
        before, after = self.periods()
        total_before, total_after = Sums(before).capacity, Sums(after).capacity
        for by in ("pool", "chip", "phase", "model", "size", "team"):
            key = lambda c: getattr(c, by)
            b, a = groups(before, key), groups(after, key)
            rows = self.ask("change_mix", by=by, after_since="2026-01-06")
            parts = ("mix", "SG", "RG", "PG", "coverage", "new")
            for row in rows:
                self.near(row["total"], sum(row[p] for p in parts), (by, row["segment"]), 1e-6)
            for row in rows[:-1]:
                sb, sa = b.get(row["segment"], Sums([])), a.get(row["segment"], Sums([]))
                share_b, share_a = Fraction(sb.ideal, total_before), Fraction(sa.ideal, total_after)
                self.near(100 * (share_a - share_b), row["total"], (by, row["segment"]), 1e-6)
                if not sb.ideal or not sa.ideal:
                    self.assertEqual([0, 0, 0, 0], [row[p] for p in parts[:4]])
                    continue
                weight = 100 * float(share_a - share_b) / math.log(share_a / share_b)
                for part, value in dict(mix=Fraction(sa.capacity * total_before, sb.capacity * total_after), SG=sa.SG / sb.SG, RG=sa.RG / sb.RG,
                                        PG=sa.PG / sb.PG).items():
                    self.near(weight * math.log(value), row[part], (by, row["segment"], part), 1e-6)
            self.near(100 * (Sums(after).lower - Sums(before).lower), rows[-1]["total"], by, 1e-6)

    def test_mix_alone_and_within_alone(self):
        """Two pools that only change in size, then two that only get better."""
        def fleet(days):
            relations = dict(capacity=[], jobs=[], allocations=[], spans=[], programs=[dict(program="p", flops=1e14)], commits=[])
            for day, pools in enumerate(days):
                for pool, (chips, busy) in pools.items():
                    start = 1767571200 + day * 86400
                    relations["capacity"].append(dict(pool=pool, chip="tpu-v4", chips=chips, start_time=start, end_time=start + 86400))
                    job = f"{pool}{day}"
                    relations["jobs"].append(dict(job=job, chips=chips, submit_time=start))
                    relations["allocations"].append(dict(job=job, attempt=1, task="0", pool=pool, chips=chips, start_time=start,
                                                         end_time=start + busy, outcome="completed"))
                    relations["spans"].append(dict(job=job, attempt=1, kind="step", step=1, start_time=start, end_time=start + busy,
                                                   flops=chips * busy * 1e14))
            return relations
        for days, column in (([{"a": (10, 80000), "b": (30, 20000)}, {"a": (30, 80000), "b": (10, 20000)}], "mix"),
                             ([{"a": (10, 40000), "b": (30, 20000)}, {"a": (10, 80000), "b": (30, 30000)}], "SG")):
            with tempfile.TemporaryDirectory() as folder:
                write_csv(folder, fleet(days))
                row = self.ask("change_mix", built(folder), after_since="2026-01-06")[-1]
            self.assertGreater(row["total"], 1)
            self.near(row["total"], row[column], column, 1e-9)

    def test_top_jobs(self):
        by = defaultdict(Counter)
        for r in WORLD.truth:
            if r["job"] and r["category"] != "queued":
                by[r["job"]][r["category"]] += r["chip_us"]
        def row(job, c):
            lost = {k: v for k, v in c.items() if k not in ("ideal", "untraced", "unrated")}
            worst = {k: v for k, v in lost.items() if k != "inefficiency"}
            return dict(job=job, name=WORLD.jobs[job]["name"], size=WORLD.size[job], held_chip_hours=Fraction(sum(c.values()), HOUR),
                        lost_chip_hours=Fraction(sum(lost.values()), HOUR), scheduling=Fraction(c["partial"], HOUR),
                        runtime=Fraction(sum(worst.values()) - c["partial"], HOUR), program=Fraction(c["inefficiency"], HOUR),
                        worst=min(worst, key=lambda k: (-worst[k], k)) if worst else None)
        expected = sorted((row(job, c) for job, c in by.items()), key=lambda r: (-r["lost_chip_hours"], r["job"]))
        self.rows_near(expected[:10], self.ask("top_jobs"), ["job"])
        self.rows_near(expected[:25], self.ask("top_jobs", top=25), ["job"])

    def test_rolling(self):
        by = groups(WORLD.cells, lambda c: c.hour)
        hours = sorted(by)
        rows = self.ask("rolling")
        self.assertEqual(hours, [row["hour"] for row in rows])
        for i, row in enumerate(rows):
            last = by[hours[i]]
            window = Sums([c for c in WORLD.cells if hours[max(0, i - 23)] <= c.hour <= hours[i]]) if i in (0, 5, 23, 24, 40, len(rows) - 1) else None
            for suffix, s in (("_1h", last), ("_24h", window)):
                if s:
                    for name, value in (("SG", s.SG), ("RG", s.RG), ("PG", s.PG), ("MPG", s.lower)):
                        self.near(value, row[name + suffix], (row["hour"], name + suffix))
        pool = Sums([c for c in WORLD.cells if c.pool == "h100-us-west2" and c.hour == hours[7]])
        self.near(pool.SG, self.ask("rolling", pool="h100-us-west2")[7]["SG_1h"])


class Scheduling(Case):
    def test_sg_by_size(self):
        capacity = sum(r["chip_us"] for r in WORLD.truth if r["category"] != "queued")
        rows = self.ask("sg_by_size")
        self.assertEqual(SIZES, [row["size"] for row in rows])
        for row in rows:
            mine = [r for r in WORLD.truth if r["job"] and WORLD.size[r["job"]] == row["size"]]
            partial = sum(r["chip_us"] for r in mine if r["category"] == "partial")
            queued = sum(r["chip_us"] for r in mine if r["category"] == "queued")
            allocated = sum(r["chip_us"] for r in mine) - partial - queued
            self.assertEqual(len({r["job"] for r in mine}), row["jobs"])
            for name, value in dict(held_chip_hours=Fraction(allocated + partial, HOUR), queued_chip_hours=Fraction(queued, HOUR),
                                    own=ratio(allocated, allocated + partial), demand=ratio(allocated, allocated + partial + queued),
                                    contribution=ratio(allocated, capacity)).items():
                self.near(value, row[name], (row["size"], name))

    def test_stranded_idle(self):
        """A sweep over each pool's records: capacity less outages less held, against the shortfalls of the naive accounting."""
        for row in self.ask("stranded_idle"):
            pool, edges = row["pool"], []
            for name, sign in (("capacity", 1), ("outages", -1), ("allocations", -1)):
                for r in WORLD.relations[name]:
                    if r["pool"] == pool:
                        start, end = naive.microseconds(r["start_time"]), naive.microseconds(r["end_time"]) if r.get("end_time") else WORLD.as_of
                        edges += [(start, sign * Fraction(r["chips"]), None), (end, -sign * Fraction(r["chips"]), None)]
            for i in WORLD.intervals:
                if i.category == "queued" and i.pool == pool:
                    chips = Fraction(WORLD.jobs[i.job]["chips"]).limit_denominator(10**6)
                    wanted = round(Fraction(i.us, i.end - i.start), 3) if chips >= 1 else Fraction(round(4 * i.us / (i.end - i.start)), 4)
                    edges += [(i.start, wanted, (i.job, i.start)), (i.end, -wanted, (i.job, i.start))]
            edges.sort(key=lambda e: e[0])
            idle, waiting, totals, at = Fraction(0), Counter(), Counter(), None
            for time, change, job in edges:
                if at is not None and time > at:
                    fits = sum(w for w in waiting.values() if 0 < w <= idle)
                    queued = sum(waiting.values())
                    for what, chips in (("idle", idle), ("queued", queued), ("stranded", min(idle, queued)), ("fitting", min(idle, fits))):
                        totals[what] += max(chips, 0) * (time - at)
                at = time
                if job is None:
                    idle += change
                else:
                    waiting[job] += change
            for what, us in totals.items():
                self.near(us / HOUR, row[what + "_chip_hours"], (pool, what), 1e-5)
            self.near(totals["stranded"] / totals["idle"], row["stranded_share"], pool, 1e-5)
            self.assertGreater(totals["stranded"], 0)

    def test_gang_assembly(self):
        """The generator's own events: first chip, gang complete, ended."""
        first, took, ready = {}, defaultdict(list), set()
        for e in WORLD.events:
            key = e["job"], e["attempt"]
            if e["event"] == "first_chip":
                first[key] = e["at_us"]
            elif e["event"] == "complete" and key not in ready:
                ready.add(key)
                took[WORLD.size[e["job"]]].append(e["at_us"] - first[key])
        attempts = Counter(WORLD.size[job] for job, _ in first)
        never = Counter(WORLD.size[job] for job, attempt in first if (job, attempt) not in ready)
        for row in self.ask("gang_assembly"):
            size = row["size"]
            mine = [r for r in WORLD.truth if r["job"] and WORLD.size[r["job"]] == size]
            incomplete = sum(r["chip_us"] for r in mine if r["category"] == "partial" and not r["cause"])
            surplus = sum(r["chip_us"] for r in mine if r["category"] == "partial" and r["cause"])
            held = sum(r["chip_us"] for r in mine if r["category"] != "queued")
            self.assertEqual((attempts[size], never[size]), (row["attempts"], row["never_ready"]), size)
            for name, value in dict(incomplete_chip_hours=Fraction(incomplete, HOUR), surplus_chip_hours=Fraction(surplus, HOUR),
                                    share=ratio(incomplete, held), p50_s=Fraction(rank(took[size], 50), 10**6),
                                    p90_s=Fraction(rank(took[size], 90), 10**6), p99_s=Fraction(rank(took[size], 99), 10**6),
                                    max_s=Fraction(max(took[size]), 10**6)).items():
                self.near(value, row[name], (size, name))

    def test_preemptions(self):
        """Who was preempted for whom, as the scheduler that did it tells."""
        expected = defaultdict(list)
        for e in WORLD.events:
            if e["event"] == "preempted":
                expected[WORLD.size[e["job"]], WORLD.size[e["other"]]].append(e)
        self.assertGreater(len(expected), 1)
        rows = self.ask("preemptions")
        self.assertEqual({key: len(events) for key, events in expected.items()},
                         {(row["victim_size"], row["beneficiary_size"]): row["preemptions"] for row in rows})
        for row in rows:
            events = expected[row["victim_size"], row["beneficiary_size"]]
            destroyed = sum(a["sums"]["lost"] for (job, _), a in WORLD.attempts.items()
                            if a["outcome"] == "preempted" and any(e["job"] == job and e["at_us"] == a["end"] for e in events))
            self.near(Fraction(destroyed, HOUR), row["destroyed_chip_hours"])
            self.near(Fraction(destroyed, HOUR) / len(events), row["per_preemption"])
            self.assertEqual(sum(WORLD.chips[e["job"]] for e in events), row["freed_chips"])
            self.assertEqual(len({e["job"] for e in events}), row["victims"])
        self.assertGreater(sum(row["destroyed_chip_hours"] for row in rows), 0)
        self.assertEqual({None}, {row["beneficiary_size"] for row in self.ask("preemptions", within=-1)})

    def test_queue_delay(self):
        first = {}
        for r in WORLD.relations["allocations"]:
            at = naive.microseconds(r["start_time"]), r["pool"]
            first[r["job"]] = min(first.get(r["job"], at), at)
        def delays(segment):
            found = defaultdict(list)
            for job, (at, pool) in first.items():
                if WORLD.jobs[job].get("submit_time"):
                    found[segment(job, pool)].append(max(0, at - naive.microseconds(WORLD.jobs[job]["submit_time"])))
            return found
        for by, segment in (("pool", lambda job, pool: pool), ("size", lambda job, pool: WORLD.size[job]), ("fleet", lambda job, pool: "fleet"),
                            ("priority", lambda job, pool: WORLD.jobs[job]["priority"])):
            expected = delays(segment)
            sums = groups(WORLD.cells, (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by)))
            rows = self.ask("queue_delay", by=by)
            self.assertEqual({key for key in sums if key is not None}, {row["segment"] for row in rows})
            for row in rows:
                waits, s = expected.get(row["segment"], []), sums[row["segment"]]
                self.assertEqual(len(waits), row["jobs"])
                for name, value in dict(p50_s=Fraction(rank(waits, 50), 10**6) if waits else None, p90_s=Fraction(rank(waits, 90), 10**6) if waits else None,
                                        max_s=Fraction(max(waits), 10**6) if waits else None, queued_chip_hours=Fraction(s.queued, HOUR), SG=s.SG,
                                        occupancy=ratio(s.held, s.capacity)).items():
                    self.near(value, row[name], (by, row["segment"], name))
        self.assertEqual(len(first), sum(row["jobs"] for row in self.ask("queue_delay", by="day")) + sum(
            1 for job in first if not WORLD.jobs[job].get("submit_time")) + sum(1 for job in first if WORLD.jobs[job].get("submit_time")
                                                                                and WORLD.jobs[job]["submit_time"][:10] not in ("2026-01-05", "2026-01-06")))


class Reliability(Case):
    def loops(self, least):
        found, streak = [], []
        for key in sorted(WORLD.attempts) + [(None, 0)]:
            a = WORLD.attempts.get(key)
            dud = a is not None and a["outcome"] in ("failed", "node_fail") and not a["productive"]
            if streak and (not dud or key[0] != streak[-1][0]):
                if len(streak) >= least:
                    found.append(streak)
                streak = []
            if dud:
                streak.append(key)
        return found

    def test_crash_loops(self):
        for least in (3, 2):
            rows = self.ask("crash_loops", **({} if least == 3 else {"attempts": least}))
            loops = self.loops(least)
            self.assertEqual(sorted((keys[0][0], len(keys)) for keys in loops), sorted((row["job"], row["attempts"]) for row in rows))
            self.assertGreater(len(loops), 3)
            for keys in loops:
                job = keys[0][0]
                members = [WORLD.attempts[key] for key in keys]
                row, = [row for row in rows if row["job"] == job and row["first_us"] == members[0]["start"]]
                self.assertEqual(members[-1]["end"], row["last_us"])
                self.near(Fraction(sum(a["held"] for a in members), HOUR), row["held_chip_hours"])
                blocked, others = 0, set()
                for a in members:
                    chips = Fraction(a["held"], a["end"] - a["start"])
                    queue = [i for i in WORLD.intervals if i.category == "queued" and i.pool == a["pool"] and i.job != job
                             and i.start < a["end"] and i.end > a["start"]]
                    others |= {i.job for i in queue}
                    edges = sorted({min(max(t, a["start"]), a["end"]) for i in queue for t in (i.start, i.end)})
                    for s, e in zip(edges, edges[1:]):
                        wanted = sum(Fraction(i.us, i.end - i.start) for i in queue if i.start <= s and i.end >= e)
                        blocked += min(chips, wanted) * (e - s)
                self.near(blocked / HOUR, row["blocked_chip_hours"], (job, "blocked"), 1e-4)
                self.assertEqual(len(others), row["blocked_jobs"], job)

    def held_in(self, job, attempt, start, end):
        return sum(i.us for i in self.by_attempt[job, attempt] if start <= i.start and i.end <= end and (i.category != "partial" or i.cause))

    @property
    def by_attempt(self):
        if not hasattr(Reliability, "_by"):
            Reliability._by = defaultdict(list)
            for i in WORLD.intervals:
                Reliability._by[i.job, i.attempt].append(i)
        return Reliability._by

    def test_mttf(self):
        by = defaultdict(list)
        for job, attempt, start, end, outcome in WORLD.runs:
            by[WORLD.size[job]].append((end - start, self.held_in(job, attempt, start, end), outcome))
        fleet = Fraction(sum(r[1] for runs in by.values() for r in runs), sum(r[2] in FAILURES for runs in by.values() for r in runs))
        rows = self.ask("mttf")
        self.assertEqual(SIZES, [row["size"] for row in rows])
        for row in rows:
            runs = by[row["size"]]
            time, held, failures = sum(r[0] for r in runs), sum(r[1] for r in runs), sum(r[2] in FAILURES for r in runs)
            self.assertEqual((len(runs), failures, sum(r[2] == "preempted" for r in runs)), (row["runs"], row["failures"], row["preemptions"]))
            chips = Fraction(held, time)
            mttf = Fraction(time, failures * HOUR) if failures else None
            for name, value in dict(run_hours=Fraction(time, HOUR), mean_chips=chips, mttf_hours=mttf, expected_hours=fleet / chips / HOUR,
                                    ratio=mttf / (fleet / chips / HOUR) if failures else None).items():
                self.near(value, row[name], (row["size"], name))

    def test_mttr(self):
        """The spans of each job around each interruption, as they are recorded."""
        expected = defaultdict(list)
        for (job, attempt, start, end, outcome), after in zip(WORLD.runs, WORLD.runs[1:]):
            if job != after[0] or outcome not in INTERRUPTIONS:
                continue
            spans = WORLD.spans_of(job)
            cut = lambda s: min(s["end"] if s["end"] is not None else after[3], after[3])
            ran = [min(s["end"] if s["end"] is not None else end, end) for s in spans if start <= s["start"] < end]
            steps = [s["start"] for s in spans if s["kind"] in ("step", "serve", "batch") and after[2] <= s["start"] < after[3]]
            if not steps:
                continue
            progress = min(steps)
            for s in sorted((s for s in spans if s["kind"] == "input"), key=lambda s: s["start"]):
                if s["start"] == progress and s["end"] is not None:  # nested at the very start of the step
                    progress = s["end"]
            restore = sum(cut(s) - s["start"] for s in spans if s["kind"] == "restore" and after[2] <= s["start"] < progress)
            expected[WORLD.size[job], outcome].append((end - max(ran, default=end), after[2] - end, restore, progress - after[2] - restore))
        self.assertGreater(len(expected), 5)
        rows = self.ask("mttr")
        self.assertEqual({key: len(v) for key, v in expected.items()}, {(row["size"], row["outcome"]): row["interruptions"] for row in rows})
        for row in rows:
            found = expected[row["size"], row["outcome"]]
            for n, name in enumerate(("detect_s", "replace_s", "restore_s", "warm_up_s")):
                self.near(Fraction(sum(f[n] for f in found), len(found) * 10**6), row[name], (row["size"], row["outcome"], name))
            self.near(Fraction(sum(map(sum, found)), len(found) * 10**6), row["mttr_s"])
        self.assertGreater(max(row["detect_s"] for row in rows), 60)

    def test_checkpoint_interval(self):
        hits, by_size = Counter(), defaultdict(lambda: [0, 0])
        totals = defaultdict(lambda: [0, 0, 0])
        for job, attempt, start, end, outcome in WORLD.runs:
            hit = outcome in INTERRUPTIONS
            hits[job] += hit
            by_size[WORLD.size[job]][0] += end - start
            by_size[WORLD.size[job]][1] += hit
            t = totals[job]
            t[0] += end - start
            t[1] += self.held_in(job, attempt, start, end)
        for (job, _), a in WORLD.attempts.items():
            totals[job][2] += a["sums"]["lost"]
        rows = {row["job"]: row for row in self.ask("checkpoint_interval")}
        self.assertEqual({job for job, n in hits.items() if n}, set(rows))
        seen = 0
        for job, row in rows.items():
            run, held, lost = totals[job]
            mtti = by_size[WORLD.size[job]][0] / by_size[WORLD.size[job]][1] / 1e6
            self.assertEqual((hits[job], WORLD.size[job]), (row["interruptions"], row["size"]))
            self.near(Fraction(lost, HOUR), row["lost_chip_hours"], job)
            self.near(Fraction(lost * run, held * hits[job] * 10**6), row["lost_s"], job)
            self.near(mtti, row["mtti_s"], job)
            saves = [s for s in WORLD.spans_of(job) if s["kind"] == "checkpoint" and s["end"] is not None]
            save = sum(s["end"] - s["start"] for s in saves) / len(saves) / 1e6 if saves else None
            self.near(save, row["save_s"], job)
            gaps = []
            for attempt in sorted(n for j, n in WORLD.attempts if j == job):
                later = min([a["start"] for (j, n), a in WORLD.attempts.items() if j == job and n > attempt], default=math.inf)
                times = sorted(t for t in (naive.microseconds(c["durable_time"]) for c in WORLD.relations["commits"] if c["job"] == job and c.get("durable_time"))
                               if WORLD.attempts[job, attempt]["start"] <= t < later)
                gaps += [b - a for a, b in zip(times, times[1:]) if b > a]
            self.near(sum(gaps) / len(gaps) / 1e6 if gaps else None, row["interval_s"], job)
            self.near(sum(gaps) / len(gaps) / 2e6 if gaps else None, row["expected_lost_s"], job)
            if save:
                self.near(math.sqrt(2 * save * mtti), row["young_s"], job)
                daly = math.sqrt(2 * save * mtti) * (1 + math.sqrt(save / 2 / mtti) / 3 + save / 2 / mtti / 9) - save if save < 2 * mtti else mtti
                self.near(daly, row["daly_s"], job)
                seen += bool(gaps)
        self.assertGreater(seen, 10)

    def test_bad_nodes(self):
        """Tasks that name hosts, some of which fail more often than the others."""
        relations = dict(WORLD.relations)
        hosts = [dict(r, task=f"host-{(int(r['task'] or 0) * 7 + len(r['job'])) % 11}") for r in relations["allocations"]]
        for i, r in enumerate(hosts):
            if r["task"] == "host-3" and i % 3 == 0 and r.get("outcome") == "failed":
                r["outcome"] = "node_fail"
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, dict(relations, allocations=hosts))
            db = built(folder)
        failures, held = Counter(), Counter()
        for r in hosts:
            key = r["pool"], r["task"]
            failures[key] += r.get("outcome") == "node_fail"
            end = naive.microseconds(r["end_time"]) if r.get("end_time") else WORLD.as_of
            held[key] += Fraction(r["chips"]) * (end - naive.microseconds(r["start_time"]))
        for given in ({}, {"least": 1, "times": 1}):
            least, times = given.get("least", 2), given.get("times", 2)
            expected = []
            for pool, node in held:
                others = [key for key in held if key[0] == pool and key[1] != node]
                of_others, time = sum(failures[k] for k in others), sum(held[k] for k in others)
                mine = failures[pool, node]
                share = of_others * held[pool, node] / time
                if mine >= least and (not of_others or mine >= times * share):
                    expected.append(dict(pool=pool, node=node, failures=mine, held_chip_hours=held[pool, node] / HOUR,
                                         rate=mine / (held[pool, node] / HOUR / 1000), peers_rate=of_others / (time / HOUR / 1000), expected=share,
                                         ratio=mine / share if share else None))
            rows = self.ask("bad_nodes", db, **given)
            self.assertGreater(len(rows), 0)
            key = lambda r: (r["pool"], r["node"])
            self.rows_near(sorted(expected, key=key), sorted(rows, key=key), ["pool", "node"])
        self.assertIn("host-3", {row["node"] for row in rows})


class Runtime(Case):
    def test_checkpoint_blocking(self):
        for by in ("phase", "pool", "size", "job", "fleet"):
            cells = [c for c in WORLD.cells if c.job]
            expected = {k: s for k, s in groups(cells, (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by))).items() if s.traced}
            rows = self.ask("checkpoint_blocking", by=by)
            self.assertEqual(set(expected), {row["segment"] for row in rows})
            for row in rows:
                s = expected[row["segment"]]
                blocked, steps = s.by["checkpoint"], s.productive + s.by["lost"] + s.by["pending"]
                gained = Fraction(blocked * s.productive, steps) if steps else None
                for name, value in dict(blocked_chip_hours=Fraction(blocked, HOUR), share=ratio(blocked, s.traced), RG=s.RG,
                                        RG_async=(s.productive + gained) / s.traced if steps else None,
                                        gain=100 * gained / s.traced if steps else None,
                                        ideal_chip_hours=gained * s.PG / HOUR if steps and s.rated else None).items():
                    self.near(value, row[name], (by, row["segment"], name))

    def test_compile_startup(self):
        first = {}
        for c in WORLD.cells:
            if c.category == "compile":
                first[c.job] = min(first.get(c.job, c.attempt), c.attempt)
        cells = [c for c in WORLD.cells if c.job]
        for by in ("framework", "phase", "model", "fleet"):
            expected = groups(cells, (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by)))
            again = Counter()
            for c in cells:
                if c.category == "compile" and c.attempt > first[c.job]:
                    again["fleet" if by == "fleet" else getattr(c, by)] += c.us
            rows = self.ask("compile_startup", by=by)
            self.assertEqual({k for k, s in expected.items() if s.traced}, {row["segment"] for row in rows})
            for row in rows:
                s = expected[row["segment"]]
                for name, value in dict(compile_chip_hours=Fraction(s.by["compile"], HOUR), startup_chip_hours=Fraction(s.by["startup"], HOUR),
                                        compile_share=ratio(s.by["compile"], s.traced), startup_share=ratio(s.by["startup"], s.traced),
                                        repeated_chip_hours=Fraction(again[row["segment"]], HOUR), gain=100 * ratio(again[row["segment"]], s.traced)).items():
                    self.near(value, row[name], (by, row["segment"], name))
        self.assertGreater(sum(again.values()), 0)

    def test_rg_by_phase(self):
        rows = self.ask("rg_by_phase")
        self.assertEqual(["bulk_inference", "serving", "training"], [row["phase"] for row in rows])
        shares = ["startup", "compile", "restore", "input", "checkpoint", "eval", "stall", "lost", "pending", "unknown"]
        for row in rows:
            by = Counter()
            for r in WORLD.truth:
                if r["job"] and WORLD.jobs[r["job"]]["phase"] == row["phase"]:
                    by[r["category"]] += r["chip_us"]
            traced = sum(us for c, us in by.items() if c not in NOT_ALLOCATED + ("untraced",))
            self.near(Fraction(traced, HOUR), row["traced_chip_hours"])
            self.near(ratio(sum(by[c] for c in PRODUCTIVE), traced), row["RG"])
            for name in shares:
                self.near(ratio(by[name], traced), row[name], (row["phase"], name))
            self.near(1, row["RG"] + sum(row[name] for name in shares))

    def test_input_bound(self):
        by = groups([c for c in WORLD.cells if c.job], lambda c: c.job)
        for share in (0.05, 0.01):
            expected = [dict(job=job, size=WORLD.size[job], input_chip_hours=Fraction(s.by["input"], HOUR), step_chip_hours=Fraction(s.steps, HOUR),
                             share=ratio(s.by["input"], s.by["input"] + s.steps), RG=s.RG, RG_without=ratio(s.productive, s.traced - s.by["input"]))
                        for job, s in by.items() if s.by["input"] and s.by["input"] >= share * (s.by["input"] + s.steps)]
            expected.sort(key=lambda r: (-r["input_chip_hours"], r["job"]))
            self.assertGreater(len(expected), 3)
            self.rows_near(expected, self.ask("input_bound", share=share), ["job"])

    def test_stragglers(self):
        for factor, top in ((1.3, 10), (1.05, 40)):
            expected = []
            for job in WORLD.jobs:
                if WORLD.jobs[job].get("min_chips"):
                    continue
                lengths = sorted(s["end"] - s["start"] for s in WORLD.spans_of(job) if s["kind"] in ("step", "batch") and s["end"] is not None)
                if not lengths:
                    continue
                median = statistics.median_low(lengths)
                slow = [x for x in lengths if x >= factor * median]
                if slow:
                    excess = Fraction(sum(slow) - median * len(slow), HOUR) * Fraction(WORLD.chips[job])
                    expected.append(dict(job=job, size=WORLD.size[job], steps=len(lengths), median_s=Fraction(median, 10**6), stragglers=len(slow),
                                         share=Fraction(len(slow), len(lengths)), worst_s=Fraction(lengths[-1], 10**6), excess_chip_hours=excess))
            expected.sort(key=lambda r: (-r["excess_chip_hours"], r["job"]))
            self.rows_near(expected[:top], self.ask("stragglers", factor=factor, top=top), ["job"])


class Programs(Case):
    def sides(self, cells, key, side, before, after):
        works = defaultdict(lambda: ([], []))
        for c in cells:
            if c.job and c.category != "queued" and key(c) is not None and side(c) in (before, after):
                works[key(c)][side(c) == after].append(c)
        return {work: pair for work, pair in works.items() if pair[0] and pair[1]}

    def test_migration(self):
        for what, before, after, same in (("runtime", "multi-controller", "pathways", "name"), ("framework", "pytorch", "jax", "model"),
                                          ("chip", "tpu-v4", "tpu-v5e", "team")):
            works = self.sides(WORLD.cells, lambda c: getattr(c, same), lambda c: getattr(c, what), before, after)
            self.assertGreater(len(works), 2)
            everything = ([c for b, _ in works.values() for c in b], [c for _, a in works.values() for c in a])
            rows = self.ask("migration", what=what, before=before, after=after, same=same)
            self.assertEqual(set(works) | {"all"}, {row["work"] for row in rows})
            self.assertEqual("all", rows[-1]["work"])
            for row in rows:
                for cells, suffix in zip(everything if row["work"] == "all" else works[row["work"]], ("_before", "_after")):
                    s = Sums(cells)
                    self.assertEqual(len({c.job for c in cells}), row["jobs" + suffix])
                    for name, value in dict(chip_hours=Fraction(s.held, HOUR), SG=ratio(s.allocated, s.held), RG=s.RG, PG=s.PG,
                                            MPG=ratio(s.ideal, s.held)).items():
                        self.near(value, row[name + suffix], (row["work"], name + suffix))

    def relabelled(self):
        """The fleet with programs that jobs share, and a compiler version on each job."""
        def program(name):
            return name.rsplit("-", 1)[0] if name else name
        jobs = [dict(r, labels='{"team":"t","compiler":"%s"}' % ("old" if i % 2 else "new")) for i, r in enumerate(WORLD.relations["jobs"])]
        spans = []
        flops = {p["program"]: p for p in WORLD.relations["programs"]}
        for r in WORLD.relations["spans"]:
            old = flops.get(r.get("program"))
            own = r.get("flops") or (repr(float(old["flops"]) * float(r.get("executions") or 1)) if old and old.get("flops") else None)
            spans.append(dict(r, program=program(r.get("program")), flops=own, executions=None, dtype=r.get("dtype") or (old or {}).get("dtype")))
        programs = [dict(program=p, flops=None, bytes=None, dtype=None) for p in sorted({program(p["program"]) for p in WORLD.relations["programs"]})]
        return dict(WORLD.relations, jobs=jobs, spans=spans, programs=programs)

    def test_program_versions(self):
        relations = self.relabelled()
        ledger = naive.Ledger(relations)
        by = defaultdict(lambda: [Counter(), Counter()])
        version = {r["job"]: "new" in r["labels"] for r in relations["jobs"]}
        program_of = defaultdict(set)
        for r in relations["spans"]:
            if r.get("program"):
                program_of[r["job"]].add(r["program"])
        for (_, _, job, _, category, _, _), us in ledger.compute().ledger.items():
            if category in PRODUCTIVE and program_of[job]:
                (program,) = program_of[job]
                by[program][version[job]][category] += us
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        expected = []
        for program, (b, a) in by.items():
            br, ar = b["ideal"] + b["inefficiency"], a["ideal"] + a["inefficiency"]
            if br and ar:
                expected.append(dict(program=program, chip_hours_before=Fraction(br + b["unrated"], HOUR), chip_hours_after=Fraction(ar + a["unrated"], HOUR),
                                     PG_before=ratio(b["ideal"], br), PG_after=ratio(a["ideal"], ar),
                                     change=100 * (ratio(a["ideal"], ar) - ratio(b["ideal"], br)),
                                     saved_chip_hours=(Fraction(a["ideal"] * br, b["ideal"]) - ar) / HOUR))
        expected.sort(key=lambda r: (-(r["chip_hours_before"] + r["chip_hours_after"]), r["program"]))
        self.assertGreater(len(expected), 5)
        rows = self.ask("program_versions", db, before="old", after="new")
        self.rows_near(expected[:10], rows, ["program"])
        self.assertEqual(3, len(self.ask("program_versions", db, before="old", after="new", top=3)))
        day = self.ask("program_versions", db, since="2026-01-06", top=100)
        self.assertGreater(len(day), 3)

    def test_net_mpg(self):
        hours = sorted({c.hour for c in WORLD.cells})
        middle = hours[len(hours) // 2]
        cells = [c for c in WORLD.cells if c.job]
        for by in ("model", "phase", "pool"):
            rows = self.ask("net_mpg", by=by)
            expected = groups(cells, lambda c: getattr(c, by))
            before = groups([c for c in cells if c.hour < middle], lambda c: getattr(c, by))
            after = groups([c for c in cells if c.hour >= middle], lambda c: getattr(c, by))
            self.assertEqual({k for k, s in expected.items() if s.traced}, {row["segment"] for row in rows})
            for row in rows:
                s, b, a = (g[row["segment"]] for g in (expected, before, after))
                for name, value in dict(RG=s.RG, PG=s.PG, net=s.RG * s.PG, dRG=100 * (a.RG - b.RG), dPG=100 * (a.PG - b.PG),
                                        dnet=100 * (a.RG * a.PG - b.RG * b.PG)).items():
                    self.near(value, row[name], (by, row["segment"], name), 1e-7)
                up = (a.RG >= b.RG, a.PG >= b.PG)
                verdict = {(True, True): "both", (False, False): "neither", (False, True): "PG, paid with RG", (True, False): "RG, paid with PG"}[up]
                self.assertEqual(verdict + (" at a loss" if up[0] != up[1] and a.RG * a.PG < b.RG * b.PG else ""), row["verdict"])


class Metrics(Case):
    def test_rank_disagreements(self):
        values = {}
        for job, s in groups([c for c in WORLD.cells if c.job], lambda c: c.job).items():
            if s.allocated and s.traced == s.allocated and s.rated == s.productive:
                values[job] = dict(MPG=ratio(s.ideal, s.held), MFU=ratio(s.ideal, s.allocated), ETTR=ratio(s.productive, s.held + s.queued),
                                   occupancy=ratio(s.held, s.held + s.queued), duty_cycle=ratio(s.steps, s.held))
        names = dict(MPG="rank_MPG", MFU="rank_MFU", ETTR="rank_ETTR", occupancy="rank_occupancy", duty_cycle="rank_duty")
        ranks = {name: sorted((v[name] for v in values.values()), reverse=True) for name in names}
        rows = self.ask("rank_disagreements", top=1000)
        self.assertEqual(set(values), {row["job"] for row in rows})
        for row in rows:
            v = values[row["job"]]
            mine = {}
            for name, column in names.items():
                self.near(v[name], row[name], (row["job"], name))
                mine[name] = ranks[name].index(v[name]) + 1
                # Two ratios that differ by less than a double holds may change places.
                self.assertLessEqual(abs(mine[name] - row[column]), 1, (row["job"], name))
            self.assertLessEqual(abs(max(abs(r - mine["MPG"]) for r in mine.values()) - row["disagreement"]), 2)
        self.assertEqual([row["disagreement"] for row in rows], sorted((row["disagreement"] for row in rows), reverse=True))
        self.assertEqual(rows[:10], self.ask("rank_disagreements"))

    def length(self):
        starts = [naive.microseconds(r["start_time"]) for r in WORLD.relations["capacity"]]
        return WORLD.as_of - min(starts)

    def test_rg_point_in_chips(self):
        expected = dict(groups([c for c in WORLD.cells if c.pool], lambda c: c.pool), all=Sums(WORLD.cells))
        for points in (1, 2.5):
            rows = {row["pool"]: row for row in self.ask("rg_point_in_chips", points=points)}
            self.assertEqual(set(expected), set(rows))
            for pool, s in expected.items():
                chips = Fraction(s.capacity, self.length())
                more = Fraction(points) / 100
                # What RG + more would make of the same capacity, against what more capacity would make at the same RG.
                ideal = lambda capacity, rg: capacity * s.SG * ratio(s.traced, s.allocated) * rg * s.PG * ratio(s.rated, s.productive)
                gain = ideal(chips, s.RG + more) - ideal(chips, s.RG)
                for name, value in dict(chips=chips, RG=s.RG, ideal_chips=ideal(chips, s.RG), more_ideal_chips=gain,
                                        equivalent_chips=gain / ideal(1, s.RG)).items():
                    self.near(value, rows[pool][name], (pool, name))

    def test_chips_for_demand(self):
        expected = groups([c for c in WORLD.cells if c.chip], lambda c: c.chip)
        for given in ({}, {"ideal_chips": 100}, {"ideal_chips": 100, "rg": 0.95}, {"pg": 0.6, "rg": 0.9}):
            rows = {row["chip"]: row for row in self.ask("chips_for_demand", **given)}
            self.assertEqual(set(expected), set(rows))
            for chip, s in expected.items():
                row = rows[chip]
                chips = Fraction(s.capacity, self.length())
                goodput = s.lower * (Fraction(given["rg"]) / s.RG if "rg" in given else 1) * (Fraction(given["pg"]) / s.PG if "pg" in given else 1)
                demand = Fraction(given.get("ideal_chips", Fraction(s.ideal, self.length())))
                needed = demand / goodput
                for name, value in dict(chips=chips, MPG_lower=s.lower, MPG=goodput, demand_chips=demand, needed_chips=needed,
                                        with_queue_chips=needed * (s.held + s.queued) / s.held).items():
                    self.near(value, row[name], (chip, name, given))
                self.assertAlmostEqual(float(needed - chips), row["missing_chips"], 6)

    def test_data_quality(self):
        s = Sums(WORLD.cells)
        rows = {(row["topic"], row["what"]): row["value"] for row in self.ask("data_quality")}
        self.near(ratio(s.traced, s.allocated), rows["coverage", "traced"])
        self.near(ratio(s.rated, s.productive), rows["coverage", "rated"])
        self.near(ratio(s.by["unknown"], s.allocated), rows["unclassified", "unknown"])
        self.near(ratio(s.by["pending"], s.allocated), rows["unclassified", "pending"])
        self.assertEqual(len({r["job"] for r in WORLD.truth if r["category"] == "untraced"}), rows["coverage", "jobs without runtime records"])
        self.assertEqual(sum(not p.get("flops") for p in WORLD.relations["programs"]), rows["coverage", "programs without FLOPs"])
        self.assertEqual((0, 0), (rows["beyond", "jobs with PG above 1"], rows["beyond", "hours with more held than exists"]))

    def test_data_quality_of_a_bad_fleet(self):
        """Too much held, FLOPs that no chip could do, an unknown chip, records twice."""
        start = 1767571200
        relations = dict(
            capacity=[dict(pool="p", chip="tpu-v4", chips=4, start_time=start, end_time=start + 7200), dict(pool="q", chip="abacus", chips=1, start_time=start, end_time=start + 60)],
            jobs=[dict(job="x", chips=4), dict(job="y", chips=1)],
            allocations=[dict(job=job, attempt=1, pool=pool, chips=chips, start_time=start, end_time=start + 3600, outcome="completed") for job, pool, chips in (("x", "p", 4), ("y", "p", 1))],
            spans=[dict(job="x", attempt=1, kind="step", step=1, start_time=start, end_time=start + 3600, flops=1e20)] * 2,
            programs=[], commits=[], outages=[])
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, {name: rows for name, rows in relations.items() if rows})
            rows = {(row["topic"], row["what"]): row["value"] for row in self.ask("data_quality", built(folder))}
        self.assertEqual((1, 1), (rows["beyond", "jobs with PG above 1"], rows["beyond", "hours with more held than exists"]))
        kinds = {what.split()[1] for topic, what in rows if topic == "issue"}
        self.assertLessEqual({"oversubscribed", "duplicate_span"}, kinds)
        self.near(0.2, 1 - rows["coverage", "traced"])


class Every(Case):
    """Every question there is has a test here, and answers an empty fleet with no error."""

    def test_all_are_asked(self):
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual([], [path for path in paths("questions") if f'"{os.path.basename(path)[:-4]}"' not in text])

    def test_of_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, dict(capacity=[dict(pool="p", chip="tpu-v4", chips=4, start_time=0, end_time=10)]))
            db = built(folder)
        for path in paths("questions") + paths("report"):
            with self.subTest(path):
                Question(path).ask(db)


if __name__ == "__main__":
    unittest.main()
