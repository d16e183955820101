"""The questions of sql/questions, each on a generated fleet, against what the generator knows: goodput, its change, and figures beside it.

What the tests expect comes from three places, none of them the extension: the generator's truth (chip-time by job, pool, category and cause; and its events:
gangs that are complete, preemptions and for whom), the naive accounting of tests/support/naive.py where time matters, and loops over the records themselves.
Every question is asked of a connection without the extension.
"""

import glob
import math
import os
import tempfile
import unittest
from collections import Counter, defaultdict
from fractions import Fraction

import naive
import world
from answers import built, paths, Question, question
from fleets import write_csv
from world import DIMENSIONS, HOUR, Sums, groups, ratio

WORLD = None


def setUpModule():
    global WORLD
    WORLD = world.the_world()


class TheWorld(world.Case):
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


def layer_of(category):
    for layer, categories in dict(
        scheduling=("down", "idle", "partial"), program=("inefficiency",), ideal=("ideal",)
    ).items():
        if category in categories:
            return layer
    return "no data" if category in ("untraced", "unrated") else "runtime"


class Goodput(world.Case):
    def test_goodput(self):
        fleet = Sums(WORLD.cells)
        keys = {name: (lambda c, name=name: getattr(c, name)) for name in DIMENSIONS}
        keys.update(
            fleet=lambda c: "fleet",
            hour=lambda c: c.hour,
            day=lambda c: c.hour[:10],
            month=lambda c: c.hour[:7],
            week=lambda c: "2026-W02",
        )
        for by, key in keys.items():
            found = {row["segment"]: row for row in self.ask("goodput", by=by)}
            expected = {segment: sums for segment, sums in groups(WORLD.cells, key).items() if sums.capacity}
            self.assertEqual(set(expected), set(found), by)
            for segment, s in expected.items():
                row = found[segment]
                self.near(Fraction(s.capacity, HOUR), row["capacity_chip_hours"], (by, segment))
                for name, value in dict(
                    SG=s.SG,
                    RG=s.RG,
                    PG=s.PG,
                    MPG_lower=s.lower,
                    traced=ratio(s.traced, s.allocated),
                    rated=ratio(s.rated, s.productive),
                    contribution=ratio(s.ideal, fleet.capacity),
                    MPG=s.lower if s.traced == s.allocated and s.rated == s.productive else None,
                ).items():
                    self.near(value, row[name], (by, segment, name))

    def test_values_that_a_question_does_not_know(self):
        """Every group says so, and no answer over all passes for one by a misspelt name."""
        for name, folder, inputs, columns in (
            ("goodput", "questions", ["by"], ["segment"]),
            ("net_mpg", "questions", ["by"], ["segment"]),
            ("queue_delay", "questions", ["by"], ["segment"]),
            ("checkpoint_blocking", "questions", ["by"], ["segment"]),
            ("compile_startup", "questions", ["by"], ["segment"]),
            ("change_mix", "questions", ["by"], ["segment"]),
            ("top_offenders", "report", ["by"], ["segment"]),
            ("trend", "report", ["width"], ["bucket"]),
            ("heatmap", "report", ["rows", "columns"], ["row_segment", "column_segment"]),
        ):
            given = {key: "pools" for key in inputs} | ({"after_since": "2026-01-06"} if name == "change_mix" else {})
            rows = question(name, folder).ask(WORLD.db, **given)
            found = {tuple(row[column] for column in columns) for row in rows}
            self.assertEqual(found - {("all",)}, {tuple(f"unknown :{key}, pools" for key in inputs)}, name)

    def test_goodput_in_a_window(self):
        cells = [c for c in WORLD.cells if "2026-01-05 06:00:00" <= c.hour < "2026-01-06"]
        s = Sums(cells)
        (row,) = self.ask("goodput", since="2026-01-05 06:00:00", until="2026-01-06")
        self.near(s.lower, row["MPG_lower"])
        self.near(Fraction(s.capacity, HOUR), row["capacity_chip_hours"])

    def test_windows_as_iso_8601_writes_them(self):
        """Hours of the ledger have a blank where other tables take a T as well: text alone would take all the day's hours for earlier than any of them."""
        asked = 0
        for folder in ("questions", "report"):
            for path in paths(folder):
                told = Question(path)
                times = {
                    name[1:]: value
                    for name, value in (
                        (":since", "2026-01-05 06:00:00"),
                        (":until", "2026-01-06 03:00:00"),
                        (":before_since", "2026-01-05 06:00:00"),
                        (":before_until", "2026-01-05 20:00:00"),
                        (":after_since", "2026-01-06 00:00:00"),
                        (":after_until", "2026-01-06 09:00:00"),
                    )
                    if name in told.parameters
                }
                if times:
                    self.assertEqual(
                        told.ask(WORLD.db, **times),
                        told.ask(WORLD.db, **{name: time.replace(" ", "T") + "Z" for name, time in times.items()}),
                        path,
                    )
                    asked += 1
        self.assertGreater(asked, 12)

    def test_losses(self):
        expected = Counter()
        for r in WORLD.truth:
            if r["category"] != "queued":
                expected[r["category"] + ("/" + r["cause"] if r["cause"] else "")] += r["chip_us"]
        rows = self.ask("losses")
        self.assertEqual("capacity", rows[0]["step"])
        self.assertEqual("ideal", rows[-1]["step"])
        left = Fraction(sum(expected.values()), HOUR)
        self.near(left, rows[0]["chip_hours"])
        self.assertEqual(set(expected), {row["step"] for row in rows[1:]})
        for row in rows[1:]:
            hours = Fraction(expected[row["step"]], HOUR)
            self.near(hours, row["chip_hours"], row["step"])
            self.near(hours / Fraction(sum(expected.values()), HOUR), row["share"], row["step"])
            self.assertEqual(layer_of(row["step"].partition("/")[0]), row["layer"])
            left -= hours if row["step"] != "ideal" else 0
            self.near(left, row["remaining_chip_hours"], row["step"])
            self.assertIsNone(row["money"])
        self.near(rows[-1]["chip_hours"], rows[-1]["remaining_chip_hours"])

    def test_losses_in_money(self):
        """Dearer chips count for more; a chip without a price makes it unknown."""
        prices = {
            chip: 1_000_000 * (i + 1) + 37 for i, chip in enumerate(sorted({c.chip for c in WORLD.cells if c.chip}))
        }
        WORLD.db.executemany("INSERT INTO prices VALUES (?, ?)", prices.items())
        try:
            expected = Counter()
            for c in WORLD.cells:
                if c.category != "queued":
                    expected[c.category + ("/" + c.cause if c.cause else "")] += Fraction(
                        c.us * prices[c.chip], HOUR * 10**6
                    )
            expected["capacity"] = sum(expected.values())
            for row in self.ask("losses"):
                self.near(expected[row["step"]], row["money"], row["step"], 1e-12)
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
        for row, b, a in zip(
            rows,
            *[
                (s.SG, s.RG, s.PG, ratio(s.traced, s.allocated), ratio(s.rated, s.productive), s.lower)
                for s in (before, after)
            ],
        ):
            self.near(b, row["before"], row["factor"])
            self.near(a, row["after"], row["factor"])
            self.near(math.log(a) - math.log(b), row["change"], row["factor"], 1e-8)
        for column in ("change", "points"):
            self.near(rows[-1][column], sum(row[column] for row in rows[:-1]), column)
        self.near(100 * (after.lower - before.lower), rows[-1]["points"])

    def test_changes_from_the_middle_of_the_ledger(self):
        hours = sorted({c.hour for c in WORLD.cells if c.category != "queued"})
        for name in ("change", "change_mix"):
            self.assertGreater(len(self.ask(name)), 2)
            self.assertEqual(self.ask(name, after_since=hours[len(hours) // 2]), self.ask(name))

    def test_periods_that_overlap(self):
        """Of each period all its hours count, also those that the other has, and the second may be the earlier one."""
        hours = sorted({c.hour for c in WORLD.cells})
        for first, second in (((0, 40), (10, 20)), ((10, 20), (0, 40)), ((0, 20), (10, 30)), ((30, 40), (0, 10))):
            before, after = (
                Sums([c for c in WORLD.cells if hours[a] <= c.hour < hours[b]]).lower for a, b in (first, second)
            )
            times = [hours[n] for n in (*first, *second)]
            given = dict(zip(("before_since", "before_until", "after_since", "after_until"), times))
            for name, folder in (("change", "questions"), ("before_after", "report")):
                (row,) = [
                    row
                    for row in question(name, folder).ask(WORLD.db, **given)
                    if "MPG_lower" in (row.get("factor"), row.get("item"))
                ]
                self.near(before, row["before"], (name, times))
                self.near(after, row["after"], (name, times))
            self.near(100 * (after - before), self.ask("change_mix", **given)[-1]["total"], times, 1e-6)

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
                for part, value in dict(
                    mix=Fraction(sa.capacity * total_before, sb.capacity * total_after),
                    SG=sa.SG / sb.SG,
                    RG=sa.RG / sb.RG,
                    PG=sa.PG / sb.PG,
                    coverage=Fraction(
                        sa.traced * sa.rated * sb.allocated * sb.productive,
                        sa.allocated * sa.productive * sb.traced * sb.rated,
                    ),
                ).items():
                    self.near(weight * math.log(value), row[part], (by, row["segment"], part), 1e-6)
            self.near(100 * (Sums(after).lower - Sums(before).lower), rows[-1]["total"], by, 1e-6)

    def test_mix_alone_and_within_alone(self):
        """Two pools that only change in size, then two that only get better."""

        def fleet(days):
            relations = dict(
                capacity=[], jobs=[], allocations=[], spans=[], programs=[dict(program="p", flops=1e14)], commits=[]
            )
            for day, pools in enumerate(days):
                for pool, (chips, busy) in pools.items():
                    start = 1767571200 + day * 86400
                    relations["capacity"].append(
                        dict(pool=pool, chip="tpu-v4", chips=chips, start_time=start, end_time=start + 86400)
                    )
                    job = f"{pool}{day}"
                    relations["jobs"].append(dict(job=job, chips=chips, submit_time=start))
                    relations["allocations"].append(
                        dict(
                            job=job,
                            attempt=1,
                            task="0",
                            pool=pool,
                            chips=chips,
                            start_time=start,
                            end_time=start + busy,
                            outcome="completed",
                        )
                    )
                    relations["spans"].append(
                        dict(
                            job=job,
                            attempt=1,
                            kind="step",
                            step=1,
                            start_time=start,
                            end_time=start + busy,
                            flops=chips * busy * 1e14,
                        )
                    )
            return relations

        for days, column in (
            ([{"a": (10, 80000), "b": (30, 20000)}, {"a": (30, 80000), "b": (10, 20000)}], "mix"),
            ([{"a": (10, 40000), "b": (30, 20000)}, {"a": (10, 80000), "b": (30, 30000)}], "SG"),
        ):
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
            return dict(
                job=job,
                name=WORLD.jobs[job]["name"],
                size=WORLD.size[job],
                held_chip_hours=Fraction(sum(c.values()), HOUR),
                lost_chip_hours=Fraction(sum(lost.values()), HOUR),
                scheduling=Fraction(c["partial"], HOUR),
                runtime=Fraction(sum(worst.values()) - c["partial"], HOUR),
                program=Fraction(c["inefficiency"], HOUR),
                worst=min(worst, key=lambda k: (-worst[k], k)) if worst else None,
            )

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
            window = (
                Sums([c for c in WORLD.cells if hours[max(0, i - 23)] <= c.hour <= hours[i]])
                if i in (0, 5, 23, 24, 40, len(rows) - 1)
                else None
            )
            for suffix, s in (("_1h", last), ("_24h", window)):
                if s:
                    for name, value in (("SG", s.SG), ("RG", s.RG), ("PG", s.PG), ("MPG", s.lower)):
                        self.near(value, row[name + suffix], (row["hour"], name + suffix))
        pool = Sums([c for c in WORLD.cells if c.pool == "h100-us-west2" and c.hour == hours[7]])
        self.near(pool.SG, self.ask("rolling", pool="h100-us-west2")[7]["SG_1h"])


class Metrics(world.Case):
    def test_rank_disagreements(self):
        values = {}
        for job, s in groups([c for c in WORLD.cells if c.job], lambda c: c.job).items():
            if s.allocated and s.traced == s.allocated and s.rated == s.productive:
                values[job] = dict(
                    MPG=ratio(s.ideal, s.held),
                    MFU=ratio(s.ideal, s.allocated),
                    ETTR=ratio(s.productive, s.held + s.queued),
                    occupancy=ratio(s.held, s.held + s.queued),
                    duty_cycle=ratio(s.steps, s.held),
                )
        names = dict(
            MPG="rank_MPG", MFU="rank_MFU", ETTR="rank_ETTR", occupancy="rank_occupancy", duty_cycle="rank_duty"
        )
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
        self.assertEqual(
            [row["disagreement"] for row in rows], sorted((row["disagreement"] for row in rows), reverse=True)
        )
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
                ideal = (
                    lambda capacity, rg: capacity
                    * s.SG
                    * ratio(s.traced, s.allocated)
                    * rg
                    * s.PG
                    * ratio(s.rated, s.productive)
                )
                gain = ideal(chips, s.RG + more) - ideal(chips, s.RG)
                for name, value in dict(
                    chips=chips,
                    RG=s.RG,
                    ideal_chips=ideal(chips, s.RG),
                    more_ideal_chips=gain,
                    equivalent_chips=gain / ideal(1, s.RG),
                ).items():
                    self.near(value, rows[pool][name], (pool, name))

    def test_chips_for_demand(self):
        expected = groups([c for c in WORLD.cells if c.chip], lambda c: c.chip)
        for given in ({}, {"ideal_chips": 100}, {"ideal_chips": 100, "rg": 0.95}, {"pg": 0.6, "rg": 0.9}):
            rows = {row["chip"]: row for row in self.ask("chips_for_demand", **given)}
            self.assertEqual(set(expected), set(rows))
            for chip, s in expected.items():
                row = rows[chip]
                chips = Fraction(s.capacity, self.length())
                goodput = (
                    s.lower
                    * (Fraction(given["rg"]) / s.RG if "rg" in given else 1)
                    * (Fraction(given["pg"]) / s.PG if "pg" in given else 1)
                )
                demand = Fraction(given.get("ideal_chips", Fraction(s.ideal, self.length())))
                needed = demand / goodput
                for name, value in dict(
                    chips=chips,
                    MPG_lower=s.lower,
                    MPG=goodput,
                    demand_chips=demand,
                    needed_chips=needed,
                    with_queue_chips=needed * (s.held + s.queued) / s.held,
                ).items():
                    self.near(value, row[name], (chip, name, given))
                self.assertAlmostEqual(float(needed - chips), row["missing_chips"], 6)
                if not given:
                    self.assertEqual(0, row["missing_chips"])

    def test_a_fleet_that_is_never_idle(self):
        """Two pools full over the turn of the year, but for 20 minutes of the second; and a job that waits 10 hours before them and gets nothing."""
        start = 1767223800  # 2025-12-31 23:30
        end = start + 5400
        step = 275e12 * 8 * 5400 / 2
        relations = dict(
            capacity=[
                dict(pool=pool, chip="tpu-v4", chips=chips, start_time=start, end_time=end)
                for pool, chips in (("p", 8), ("q", 4))
            ],
            jobs=[
                dict(job="x", chips=8),
                dict(job="y", chips=4),
                dict(job="starved", chips=64, submit_time=start - 36000),
            ],
            allocations=[
                dict(job="x", attempt=1, task="a", pool="p", chips=8, start_time=start),
                dict(
                    job="y",
                    attempt=1,
                    task="b",
                    pool="q",
                    chips=4,
                    start_time=start,
                    end_time=start + 1800,
                    outcome="node_fail",
                ),
                dict(job="y", attempt=2, task="c", pool="q", chips=4, start_time=start + 3000),
            ],
            spans=[dict(job="x", attempt=1, kind="serve", start_time=start, end_time=end, flops=step)],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        points = {row["pool"]: row for row in self.ask("rg_point_in_chips", db)}
        self.assertEqual({"p": 8, "q": 4, "all": 12}, {pool: row["chips"] for pool, row in points.items()})
        self.near(4, points["p"]["ideal_chips"])
        (row,) = self.ask("chips_for_demand", db)
        self.near(4, row["demand_chips"])
        self.assertEqual((12, 12), (row["chips"], round(row["needed_chips"], 6)))
        (row,) = self.ask("bad_nodes", db, least=1)
        self.assertEqual(("b", 2), (row["node"], row["held_chip_hours"]))
        report = lambda name, **given: question(name, "report").ask(db, **given)
        self.assertEqual(12, report("headline")[0]["chips"])
        self.assertEqual(12, report("headline", since="2026-01-01")[0]["chips"])
        self.assertIsNone(report("headline", until="2025-12-31 20:00:00")[0]["chips"])
        (share,) = [row for row in report("before_after") if row["item"] == "idle"]
        self.assertEqual((0, 12), (share["before"], round(12 * share["after"] / Fraction(4 * 1200, 12 * 3600), 6)))
        waits = {row["segment"]: row for row in self.ask("queue_delay", db)}
        self.assertEqual((0, 64 * 11.5), (waits[None]["jobs"], waits[None]["queued_chip_hours"]))

    def test_a_pool_of_no_chips(self):
        """Whose jobs hold more than there is: its work is part of the fleet's, though no ratio of its own has a basis."""
        start, hour = 1767571200, 3600
        relations = dict(
            capacity=[
                dict(pool="p", chip="tpu-v4", chips=8, start_time=start, end_time=start + 2 * hour),
                dict(pool="burst", chip="tpu-v5p", chips=0, start_time=start, end_time=start + 2 * hour),
            ],
            jobs=[dict(job="x", chips=4), dict(job="y", chips=4)],
            allocations=[
                dict(job=job, attempt=1, task="a", pool=pool, chips=4, start_time=start, end_time=start + 2 * hour)
                | dict(outcome="completed")
                for job, pool in (("x", "p"), ("y", "burst"))
            ],
            spans=[
                dict(
                    job=job,
                    attempt=1,
                    kind="step",
                    step=n,
                    start_time=start + (n - 1) * hour,
                    end_time=start + n * hour,
                )
                | dict(flops=n * 1e18)
                for job in "xy"
                for n in (1, 2)
            ],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        (fleet,) = self.ask("goodput", db)
        hours = [row["MPG_lower"] for row in self.ask("goodput", db, by="hour")]
        for by in ("pool", "chip"):
            rows = self.ask("goodput", db, by=by)
            self.near(fleet["MPG_lower"], sum(row["contribution"] for row in rows), by)
            self.assertEqual([(0.0, None)], [(r["capacity_chip_hours"], r["SG"]) for r in rows if not r["SG"]], by)
            rows = self.ask("change_mix", db, by=by)
            self.near(100 * (hours[1] - hours[0]), rows[-1]["total"], by)
            for row in rows:
                parts = [row[part] for part in ("mix", "SG", "RG", "PG", "coverage", "new")]
                self.near(row["total"], sum(parts), (by, row["segment"]), 1e-6)
        demand = {row["chip"]: row["needed_chips"] for row in self.ask("chips_for_demand", db)}
        self.assertEqual({"tpu-v4": 8, "tpu-v5p": None}, demand)

    def test_data_quality(self):
        s = Sums(WORLD.cells)
        rows = {(row["topic"], row["what"]): row["value"] for row in self.ask("data_quality")}
        self.near(ratio(s.traced, s.allocated), rows["coverage", "traced"])
        self.near(ratio(s.rated, s.productive), rows["coverage", "rated"])
        self.near(ratio(s.by["unknown"], s.allocated), rows["unclassified", "unknown"])
        self.near(ratio(s.by["pending"], s.allocated), rows["unclassified", "pending"])
        self.assertEqual(
            len({r["job"] for r in WORLD.truth if r["category"] == "untraced"}),
            rows["coverage", "jobs without runtime records"],
        )
        self.assertEqual(
            sum(not p.get("flops") for p in WORLD.relations["programs"]), rows["coverage", "programs without FLOPs"]
        )
        self.assertEqual(
            (0, 0), (rows["beyond", "jobs with PG above 1"], rows["beyond", "hours with more held than exists"])
        )

    def test_data_quality_counts_nothing_as_0(self):
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, dict(capacity=[dict(pool="p", chip="tpu-v4", chips=8, start_time=0, end_time=3600)]))
            rows = self.ask("data_quality", built(folder))
        self.assertEqual(
            {"jobs": 0, "programs": 0, "hours of a pool": 0},
            {row["of"]: row["value"] for row in rows if row["of"] in ("jobs", "programs", "hours of a pool")},
        )
        self.assertEqual({None}, {row["value"] for row in rows if row["of"] in ("allocated time", "productive time")})

    def test_data_quality_of_a_bad_fleet(self):
        """Too much held, FLOPs that no chip could do, an unknown chip, records twice."""
        start = 1767571200
        relations = dict(
            capacity=[
                dict(pool="p", chip="tpu-v4", chips=4, start_time=start, end_time=start + 7200),
                dict(pool="q", chip="abacus", chips=1, start_time=start, end_time=start + 60),
            ],
            jobs=[dict(job="x", chips=4), dict(job="y", chips=1)],
            allocations=[
                dict(
                    job=job,
                    attempt=1,
                    pool=pool,
                    chips=chips,
                    start_time=start,
                    end_time=start + 3600,
                    outcome="completed",
                )
                for job, pool, chips in (("x", "p", 4), ("y", "p", 1))
            ],
            spans=[dict(job="x", attempt=1, kind="step", step=1, start_time=start, end_time=start + 3600, flops=1e20)]
            * 2,
            programs=[],
            commits=[],
            outages=[],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, {name: rows for name, rows in relations.items() if rows})
            db = built(folder)
        rows = {(row["topic"], row["what"]): row["value"] for row in self.ask("data_quality", db)}
        pools = {row["pool"]: row for row in question("data_quality", "report").ask(db)}
        self.assertEqual(
            (1.0, None, 1.0), (pools["p"]["idle_below_zero"], pools["p"]["issues"], pools["all"]["idle_below_zero"])
        )
        self.assertEqual(
            sum(value for (topic, what), value in rows.items() if topic == "issue" and not what.startswith("info")),
            pools["all"]["issues"],
        )
        self.assertGreater(pools["all"]["issues"], 2)
        self.assertEqual(
            (1, 1), (rows["beyond", "jobs with PG above 1"], rows["beyond", "hours with more held than exists"])
        )
        kinds = {what.split()[1] for topic, what in rows if topic == "issue"}
        self.assertLessEqual({"oversubscribed", "duplicate_span"}, kinds)
        self.near(0.2, 1 - rows["coverage", "traced"])


class Every(world.Case):
    """Every question there is has a test here, and answers an empty fleet with no error."""

    def test_all_are_asked(self):
        text = ""
        for path in glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_questions*.py")):
            with open(path, encoding="utf-8") as file:
                text += file.read()
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
