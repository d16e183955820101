"""The questions about what jobs do while they run, and about their programs: see test_questions.py."""

import json
import math
import statistics
import tempfile
import unittest
from collections import Counter, defaultdict
from fractions import Fraction

import naive
import world
from answers import built
from fleets import write_csv
from world import HOUR, NOT_ALLOCATED, PRODUCTIVE, Sums, groups, ratio

WORLD = None


def setUpModule():
    global WORLD
    WORLD = world.the_world()


class Runtime(world.Case):
    def test_checkpoint_blocking(self):
        for by in ("phase", "pool", "size", "job", "fleet"):
            cells = [c for c in WORLD.cells if c.job]
            expected = {
                k: s
                for k, s in groups(cells, (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by))).items()
                if s.traced
            }
            rows = self.ask("checkpoint_blocking", by=by)
            self.in_order(rows, "blocked_chip_hours")
            self.assertEqual(set(expected), {row["segment"] for row in rows})
            for row in rows:
                s = expected[row["segment"]]
                blocked = s.by["checkpoint"]
                then = ratio(s.productive, s.traced - blocked)
                for name, value in dict(
                    blocked_chip_hours=Fraction(blocked, HOUR),
                    share=ratio(blocked, s.traced),
                    RG=s.RG,
                    RG_async=then,
                    gain=100 * (then - s.RG) if then is not None else None,
                    ideal_chip_hours=blocked * then * s.PG / HOUR if then is not None and s.rated else None,
                ).items():
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
            self.assertEqual(rows, sorted(rows, key=lambda row: -row["compile_chip_hours"] - row["startup_chip_hours"]))
            self.assertEqual({k for k, s in expected.items() if s.traced}, {row["segment"] for row in rows})
            for row in rows:
                s = expected[row["segment"]]
                for name, value in dict(
                    compile_chip_hours=Fraction(s.by["compile"], HOUR),
                    startup_chip_hours=Fraction(s.by["startup"], HOUR),
                    compile_share=ratio(s.by["compile"], s.traced),
                    startup_share=ratio(s.by["startup"], s.traced),
                    repeated_chip_hours=Fraction(again[row["segment"]], HOUR),
                    gain=100 * (ratio(s.productive, s.traced - again[row["segment"]]) - s.RG),
                ).items():
                    self.near(value, row[name], (by, row["segment"], name))
        self.assertGreater(sum(again.values()), 0)

    def figures_of_saves(self, jobs):
        """Mean interval, mean save and mean time between interruptions of some jobs, in seconds; None where there is no such thing."""
        gaps, lengths, ran, hits = [], [], 0, 0
        for job in jobs:
            runs = sorted((start, end, outcome) for j, _, start, end, outcome in WORLD.runs if j == job)
            durable = sorted(
                naive.microseconds(c["durable_time"])
                for c in WORLD.relations["commits"]
                if c["job"] == job and c.get("durable_time")
            )
            for (start, end, outcome), later in zip(runs, [start for start, _, _ in runs[1:]] + [math.inf]):
                times = [at for at in durable if start <= at < later]
                gaps += [b - a for a, b in zip(times, times[1:]) if b > a]
                ran, hits = ran + end - start, hits + (
                    outcome in ("failed", "node_fail", "preempted", "timeout", "gang_broken")
                )
            lengths += [
                s["end"] - s["start"] for s in WORLD.spans_of(job) if s["kind"] == "checkpoint" and s["end"] is not None
            ]
        return (
            sum(gaps) / len(gaps) / 1e6 if gaps else None,
            sum(lengths) / len(lengths) / 1e6 if lengths else None,
            ran / hits / 1e6 if hits else None,
        )

    def broken_gangs(self, pool):
        """Chip-time that gangs of a pool held after they had once been complete and while they missed chips; and the most that they missed at once."""
        whole = {
            (job, attempt): min(start for start, _ in a["runs"])
            for (job, attempt), a in WORLD.attempts.items()
            if a["runs"]
        }
        waits = [
            (i.start, i.end, i.us, WORLD.chips[i.job])
            for i in WORLD.intervals
            if i.pool == pool
            and i.category == "partial"
            and i.cause is None
            and i.start >= whole.get((i.job, i.attempt), math.inf)
        ]
        missed = [
            sum(chips - us / (end - start) for start, end, us, chips in waits if start <= at < end) for at, *_ in waits
        ]
        return sum(us for _, _, us, _ in waits), max(missed, default=None)

    def test_what_if(self):
        first = {}
        for c in WORLD.cells:
            if c.category == "compile":
                first[c.job] = min(first.get(c.job, c.attempt), c.attempt)
        length = max(i.end for i in WORLD.intervals if i.category != "queued") - min(
            i.start for i in WORLD.intervals if i.category != "queued"
        )
        changes = Counter()
        for by, given in (
            ("pool", {}),
            ("phase", dict(snapshot=7, interval=900, cached=0.75)),
            ("pool", dict(spares=20, snapshot=3)),
            ("pool", dict(spares=10**6)),
            ("job", dict(interval=600)),
            ("fleet", {}),
        ):
            key = (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by))
            jobs_of = {(c.job, key(c)) for c in WORLD.cells if c.job and c.us and c.category != "queued"}
            expected = {}
            for segment, s in groups([c for c in WORLD.cells if c.job or by in ("pool", "fleet")], key).items():
                again = sum(
                    c.us
                    for c in WORLD.cells
                    if c.category == "compile" and c.attempt > first[c.job] and key(c) == segment
                )
                interval, save, mtti = self.figures_of_saves([job for job, its in jobs_of if its == segment])
                SG, ran = ratio(s.allocated, s.capacity), s.productive + s.by["lost"] + s.by["pending"]
                freed = {}
                if s.by["checkpoint"]:
                    freed["asynchronous saves"] = given.get("snapshot", 0), s.by["checkpoint"] * (
                        1 - min(1, given.get("snapshot", 0) / save) if save else 1
                    )
                    daly = (
                        math.sqrt(2 * save * mtti) * (1 + math.sqrt(save / 2 / mtti) / 3 + save / 2 / mtti / 9) - save
                        if save and mtti and save < 2 * mtti
                        else mtti
                        if save
                        else None
                    )
                    new = given.get("interval", daly)
                    if new and interval:
                        freed["checkpoint interval"] = new, s.by["checkpoint"] * (1 - interval / new) + s.by["lost"] * (
                            1 + s.by["input"] / ran if ran else 1
                        ) * (1 - new / interval)
                if again:
                    freed["compilation cache"] = given.get("cached", 1), again * given.get("cached", 1)
                for change, (assumed, us) in freed.items():
                    then = s.productive / (float(s.traced) - float(us))
                    expected[segment, change] = (
                        assumed,
                        SG,
                        s.RG,
                        SG,
                        then,
                        100 * float(s.lower) * (then / float(s.RG) - 1) if s.RG else None,
                    )
                waiting, most = self.broken_gangs(segment) if by == "pool" else (0, None)
                if waiting:
                    chips = given.get("spares", most)
                    then = max(0, s.allocated + waiting - max(0, chips * length - s.by["down"])) / s.capacity
                    expected[segment, "spare chips"] = (
                        chips,
                        SG,
                        s.RG,
                        then,
                        s.RG,
                        100 * float(s.lower) * (then / float(SG) - 1),
                    )
            rows = self.ask("what_if", by=by, **given)
            self.assertEqual(set(expected), {(row["segment"], row["change"]) for row in rows})
            for row in rows:
                changes[row["change"]] += 1
                for name, value in zip(
                    ("assumed", "SG", "RG", "SG_then", "RG_then", "gain"), expected[row["segment"], row["change"]]
                ):
                    self.assertAlmostEqual(
                        float(value or 0), row[name] or 0, 7, (by, row["segment"], row["change"], name)
                    )
            self.in_order([row for row in rows if row["gain"] is not None], "gain")
        self.assertEqual(4, len(changes), changes)

    def test_what_if_a_gang_is_of_several_pools(self):
        """A pool misses what the gang held of it: of 4 + 4 chips one, for 600 s, in the second."""
        allocation = dict(job="x", attempt=1, outcome="completed")
        relations = dict(
            capacity=[dict(pool=pool, chip="tpu-v4", chips=8, start_time=0, end_time=7200) for pool in "ab"],
            jobs=[dict(job="x", chips=8)],
            allocations=[
                allocation | dict(task="a", pool="a", chips=4, start_time=0, end_time=7200),
                allocation | dict(task="b", pool="b", chips=3, start_time=0, end_time=7200),
                allocation | dict(task="c", pool="b", chips=1, start_time=0, end_time=1000),
                allocation | dict(task="c", pool="b", chips=1, start_time=1600, end_time=7200),
            ],
            spans=[dict(job="x", attempt=1, kind="step", step=1, start_time=0, end_time=7200, flops=1e18)],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            (row,) = self.ask("what_if", built(folder))
        self.assertEqual(("b", "spare chips", 1), (row["segment"], row["change"], row["assumed"]))
        self.near(Fraction(4 * 6600 + 3 * 600 - 7200, 8 * 7200), row["SG_then"])

    def test_what_if_of_a_group_without_a_name_and_of_a_second_pool(self):
        """A snapshot of 10 s spares nine tenths of saves of 100 s, also where no framework is told, and in each pool of a gang."""
        allocation = dict(attempt=1, start_time=0, end_time=4000, outcome="completed")
        relations = dict(
            capacity=[dict(pool=pool, chip="tpu-v4", chips=8, start_time=0, end_time=4000) for pool in "ab"],
            jobs=[dict(job="x", chips=8), dict(job="y", chips=4, framework="jax")],
            allocations=[
                allocation | dict(job="x", task="a", pool="a", chips=4),
                allocation | dict(job="x", task="b", pool="b", chips=4),
                allocation | dict(job="y", task="a", pool="a", chips=4),
            ],
            spans=[
                dict(job=job, attempt=1, kind=kind, step=step, start_time=start, end_time=end, flops=1e15)
                for job, save in (("x", 100), ("y", 50))
                for step in range(1, 5)
                for kind, start, end in (
                    ("step", step * 900 - 900, step * 900),
                    ("checkpoint", step * 900 - save, step * 900),
                )
            ],
            commits=[
                dict(job=job, step=step, snapshot_time=step * 900, durable_time=step * 900)
                for job in "xy"
                for step in range(1, 5)
            ],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        for by, segments in (
            ("framework", {None: (400, 100), "jax": (200, 50)}),
            ("pool", {"a": (300, 75), "b": (400, 100)}),
        ):
            rows = self.ask("what_if", db, by=by, snapshot=10, interval=1800)
            self.assertEqual(2 * len(segments), len(rows), by)
            for row in rows:
                blocked, save = segments[row["segment"]]
                allocated, productive = 4000, 3600 - blocked
                freed = (
                    blocked * (1 - 10 / save) if row["change"] == "asynchronous saves" else blocked * (1 - 900 / 1800)
                )
                self.near(productive / (allocated - freed), row["RG_then"], (by, row["segment"], row["change"]))

    def test_what_if_the_length_of_a_save_is_unknown(self):
        """Saves that no record ends: nobody can say what a snapshot of 10 s would spare; without one all of it."""
        relations = dict(
            capacity=[dict(pool="a", chip="tpu-v4", chips=8, start_time=0, end_time=1000)],
            jobs=[dict(job="x", chips=8)],
            allocations=[
                dict(job="x", attempt=1, task="a", pool="a", chips=8, start_time=0, end_time=1000, outcome="completed")
            ],
            spans=[
                dict(job="x", attempt=1, kind="step", step=1, start_time=0, end_time=900, flops=1e15),
                dict(job="x", attempt=1, kind="checkpoint", start_time=900),
            ],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        self.assertEqual([], self.ask("what_if", db, snapshot=10))
        for given in ({}, dict(snapshot=0)):
            (row,) = self.ask("what_if", db, **given)
            self.near(1, row["RG_then"])

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
            expected = [
                dict(
                    job=job,
                    size=WORLD.size[job],
                    input_chip_hours=Fraction(s.by["input"], HOUR),
                    step_chip_hours=Fraction(s.steps, HOUR),
                    share=ratio(s.by["input"], s.by["input"] + s.steps),
                    RG=s.RG,
                    RG_without=ratio(s.productive, s.traced - s.by["input"]),
                )
                for job, s in by.items()
                if s.by["input"] and s.by["input"] >= share * (s.by["input"] + s.steps)
            ]
            expected.sort(key=lambda r: (-r["input_chip_hours"], r["job"]))
            self.assertGreater(len(expected), 3)
            self.rows_near(expected, self.ask("input_bound", share=share), ["job"])

    def test_stragglers(self):
        for factor, top in ((1.3, 10), (1.05, 40)):
            expected = []
            for job in WORLD.jobs:
                if WORLD.jobs[job].get("min_chips"):
                    continue
                lengths = sorted(
                    s["end"] - s["start"]
                    for s in WORLD.spans_of(job)
                    if s["kind"] in ("step", "batch") and s["end"] is not None
                )
                if not lengths:
                    continue
                median = statistics.median_low(lengths)
                slow = [x for x in lengths if x >= factor * median]
                if slow:
                    excess = Fraction(sum(slow) - median * len(slow), HOUR) * Fraction(WORLD.chips[job])
                    expected.append(
                        dict(
                            job=job,
                            size=WORLD.size[job],
                            steps=len(lengths),
                            median_s=Fraction(median, 10**6),
                            stragglers=len(slow),
                            share=Fraction(len(slow), len(lengths)),
                            worst_s=Fraction(lengths[-1], 10**6),
                            excess_chip_hours=excess,
                        )
                    )
            expected.sort(key=lambda r: (-r["excess_chip_hours"], r["job"]))
            self.rows_near(expected[:top], self.ask("stragglers", factor=factor, top=top), ["job"])


class Programs(world.Case):
    def sides(self, cells, key, side, before, after):
        works = defaultdict(lambda: ([], []))
        for c in cells:
            if c.job and c.category != "queued" and key(c) is not None and side(c) in (before, after):
                works[key(c)][side(c) == after].append(c)
        return {work: pair for work, pair in works.items() if pair[0] and pair[1]}

    def test_migration(self):
        for what, before, after, same in (
            ("runtime", "multi-controller", "pathways", "name"),
            ("framework", "pytorch", "jax", "model"),
            ("chip", "tpu-v4", "tpu-v5e", "team"),
        ):
            works = self.sides(WORLD.cells, lambda c: getattr(c, same), lambda c: getattr(c, what), before, after)
            self.assertGreater(len(works), 2)
            everything = ([c for b, _ in works.values() for c in b], [c for _, a in works.values() for c in a])
            rows = self.ask("migration", what=what, before=before, after=after, same=same)
            self.assertEqual(set(works) | {"all"}, {row["work"] for row in rows})
            self.assertEqual("all", rows[-1]["work"])
            held = [row["chip_hours_before"] + row["chip_hours_after"] for row in rows[:-1]]
            self.assertEqual(sorted(held, reverse=True), held)
            for row in rows:
                for cells, suffix in zip(
                    everything if row["work"] == "all" else works[row["work"]], ("_before", "_after")
                ):
                    s = Sums(cells)
                    self.assertEqual(len({c.job for c in cells}), row["jobs" + suffix])
                    for name, value in dict(
                        chip_hours=Fraction(s.held, HOUR),
                        SG=ratio(s.allocated, s.held),
                        RG=s.RG,
                        PG=s.PG,
                        MPG=ratio(s.ideal, s.held),
                    ).items():
                        self.near(value, row[name + suffix], (row["work"], name + suffix))

    def relabelled(self):
        """The fleet with programs that jobs share, and a compiler version on each job."""

        def program(name):
            return name.rsplit("-", 1)[0] if name else name

        jobs = [
            dict(r, labels='{"team":"t","compiler":"%s"}' % ("old" if i % 2 else "new"))
            for i, r in enumerate(WORLD.relations["jobs"])
        ]
        spans = []
        flops = {p["program"]: p for p in WORLD.relations["programs"]}
        for r in WORLD.relations["spans"]:
            old = flops.get(r.get("program"))
            own = r.get("flops") or (
                repr(float(old["flops"]) * float(r.get("executions") or 1)) if old and old.get("flops") else None
            )
            spans.append(
                dict(
                    r,
                    program=program(r.get("program")),
                    flops=own,
                    executions=None,
                    dtype=r.get("dtype") or (old or {}).get("dtype"),
                )
            )
        programs = [
            dict(program=p, flops=None, bytes=None, dtype=None)
            for p in sorted({program(p["program"]) for p in WORLD.relations["programs"]})
        ]
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
        days = Counter()
        for (_, _, job, _, category, _, day), us in naive.compute(relations, bucket="1 day").ledger.items():
            if category in PRODUCTIVE and program_of[job]:
                days[job, day[:10] + " 00:00:00"] += us
        found = {
            (job, day): us
            for job, day, us in db.execute(
                "SELECT job, day, sum(productive_us) FROM program_ledger GROUP BY job, day HAVING sum(productive_us) > 0"
            )
        }
        self.assertEqual({key: us for key, us in days.items() if us}, found)
        expected = []
        for program, (b, a) in by.items():
            br, ar = b["ideal"] + b["inefficiency"], a["ideal"] + a["inefficiency"]
            if br and ar:
                expected.append(
                    dict(
                        program=program,
                        chip_hours_before=Fraction(br + b["unrated"], HOUR),
                        chip_hours_after=Fraction(ar + a["unrated"], HOUR),
                        PG_before=ratio(b["ideal"], br),
                        PG_after=ratio(a["ideal"], ar),
                        change=100 * (ratio(a["ideal"], ar) - ratio(b["ideal"], br)),
                        saved_chip_hours=(Fraction(a["ideal"] * br, b["ideal"]) - ar) / HOUR,
                    )
                )
        expected.sort(key=lambda r: (-(r["chip_hours_before"] + r["chip_hours_after"]), r["program"]))
        self.assertGreater(len(expected), 5)
        rows = self.ask("program_versions", db, before="old", after="new")
        self.rows_near(expected[:10], rows, ["program"])
        self.assertEqual(3, len(self.ask("program_versions", db, before="old", after="new", top=3)))
        for label, values in (
            ("app.kubernetes.io/version", ("v1", "v2")),
            ("a b", (1, 2)),
            ("$x[0]", (0.5, 1.5)),
        ):  # no path into an object
            labels = {"old": json.dumps({label: values[0]}), "new": json.dumps({label: values[1]})}
            relabelled = relations | {
                "jobs": [r | {"labels": labels["new" if version[r["job"]] else "old"]} for r in relations["jobs"]]
            }
            with tempfile.TemporaryDirectory() as folder:
                write_csv(folder, relabelled)
                self.assertEqual(
                    rows,
                    self.ask(
                        "program_versions", built(folder), label=label, before=str(values[0]), after=str(values[1])
                    ),
                    label,
                )
        day = self.ask("program_versions", db, since="2026-01-06", top=100)
        self.assertGreater(len(day), 3)
        job, program = db.execute("SELECT job, program FROM program_ledger ORDER BY productive_us DESC").fetchone()
        db.execute(
            "UPDATE jobs SET labels = 'compiler=new' WHERE job = ?", (job,)
        )  # no JSON: it has no version, the others keep theirs
        without = self.ask("program_versions", db, before="old", after="new")
        self.assertEqual(
            [row for row in rows if row["program"] != program][:9],
            [row for row in without if row["program"] != program][:9],
        )

    def test_a_year_parts_before_from_after(self):
        """As its first day does: a year alone is no number."""
        new_year = 1767225600
        times = [(n, new_year + (n - 2) * 3600) for n in range(1, 5)]
        relations = dict(
            capacity=[dict(pool="a", chip="tpu-v4", chips=8, start_time=new_year - 3600, end_time=new_year + 10800)],
            jobs=[dict(job="x", chips=8, model="m")],
            allocations=[dict(job="x", attempt=1, task="a", pool="a", chips=8, start_time=new_year - 3600)],
            spans=[
                dict(
                    job="x",
                    attempt=1,
                    kind="step",
                    step=n,
                    start_time=at,
                    end_time=at + 3000,
                    program="p",
                    flops=n * 1e15,
                )
                for n, at in times
            ],
            commits=[dict(job="x", step=4, snapshot_time=new_year + 10800, durable_time=new_year + 10800)],
            programs=[dict(program="p", flops=1e15)],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        for name in ("net_mpg", "program_versions"):
            days = self.ask(name, db, since="2026-01-01")
            self.assertEqual(days, self.ask(name, db, since="2026"), name)
            self.assertEqual(1, len(days), name)
            self.assertIsNotNone(days[0]["dPG" if name == "net_mpg" else "change"], name)

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
                s, b, a = (g.get(row["segment"], Sums([])) for g in (expected, before, after))
                if None in (a.RG, b.RG, a.PG, b.PG):  # nothing to compare with
                    self.assertEqual((None, None), (row["dnet"], row["verdict"]), row["segment"])
                    continue
                for name, value in dict(
                    RG=s.RG,
                    PG=s.PG,
                    net=s.RG * s.PG,
                    dRG=100 * (a.RG - b.RG),
                    dPG=100 * (a.PG - b.PG),
                    dnet=100 * (a.RG * a.PG - b.RG * b.PG),
                ).items():
                    self.near(value, row[name], (by, row["segment"], name), 1e-7)
                up = (a.RG >= b.RG, a.PG >= b.PG)
                verdict = {
                    (True, True): "both",
                    (False, False): "neither",
                    (False, True): "PG, paid with RG",
                    (True, False): "RG, paid with PG",
                }[up]
                self.assertEqual(
                    verdict + (" at a loss" if up[0] != up[1] and a.RG * a.PG < b.RG * b.PG else ""), row["verdict"]
                )


if __name__ == "__main__":
    unittest.main()
