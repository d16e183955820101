"""sql/report: what the pages and dashboards are drawn from, against the same truth as the questions."""

import unittest
from collections import Counter
from fractions import Fraction

import world
from answers import Question, paths, question
from test_questions import layer_of
from world import HOUR, Sums, groups, ratio

WORLD = None


def setUpModule():
    global WORLD
    WORLD = world.the_world()


class Report(world.Case):
    def ask(self, name, **given):
        return question(name, "report").ask(WORLD.db, **given)

    def test_headline(self):
        s = Sums(WORLD.cells)
        (row,) = self.ask("headline")
        self.assertEqual(
            ("2026-01-05 00:00:00", "2026-01-06 23:00:00", 48, 7, len(WORLD.jobs)),
            tuple(row[name] for name in ("first_hour", "last_hour", "hours", "pools", "jobs")),
        )
        for name, value in dict(
            chips=Fraction(s.capacity, 48 * HOUR),
            capacity_chip_hours=Fraction(s.capacity, HOUR),
            ideal_chip_hours=Fraction(s.ideal, HOUR),
            queued_chip_hours=Fraction(s.queued, HOUR),
            SG=s.SG,
            RG=s.RG,
            PG=s.PG,
            MPG=None,
            MPG_lower=s.lower,
            traced=ratio(s.traced, s.allocated),
            rated=ratio(s.rated, s.productive),
        ).items():
            self.near(value, row[name], name)
        self.assertEqual(24, self.ask("headline", since="2026-01-06")[0]["hours"])
        self.assertEqual([], self.ask("headline", since="2027"))

    def test_one_moment_in_any_form(self):
        """A day is its midnight, and a year its first: a number to a column of times, and text here."""
        same = (("2026-01-06 00:00:00", ("2026-01-06", "2026-01-06T00:00Z")), ("2027-01-01 00:00:00", ("2027",)))
        asked = 0
        for folder in ("questions", "report"):
            for path in paths(folder):
                told = Question(path)
                for name in (parameter[1:] for parameter in told.parameters if parameter.endswith(("since", "until"))):
                    given = {"after_since": "2026-01-06 00:00:00"} if ":after_since" in told.parameters else {}
                    for moment, forms in same:
                        expected = told.ask(WORLD.db, **given | {name: moment})
                        for form in forms:
                            found = told.ask(WORLD.db, **given | {name: form})
                            if name == "after_since":  # before_after says where it was cut, as it was given
                                expected, found = (
                                    [{key: value for key, value in row.items() if key != "cut"} for row in rows]
                                    for rows in (expected, found)
                                )
                            self.assertEqual(expected, found, f"{path} {name} {form}")
                            asked += 1
        self.assertGreater(asked, 60)

    def test_trend(self):
        for width, key in (
            ("hour", lambda c: c.hour),
            ("day", lambda c: c.hour[:10]),
            ("week", lambda c: "2026-W02"),
            ("month", lambda c: "2026-01"),
        ):
            by = groups(WORLD.cells, key)
            rows = self.ask("trend", width=width)
            self.assertEqual(sorted(by), [row["bucket"] for row in rows])
            for i, row in enumerate(rows):
                s, last = by[row["bucket"]], [by[b] for b in sorted(by)[max(0, i - 6) : i + 1]]
                for name, value in dict(
                    capacity_chip_hours=Fraction(s.capacity, HOUR),
                    SG=s.SG,
                    RG=s.RG,
                    PG=s.PG,
                    MPG_lower=s.lower,
                    MPG_7=ratio(sum(x.ideal for x in last), sum(x.capacity for x in last)),
                ).items():
                    self.near(value, row[name], (row["bucket"], name))

    def test_waterfall(self):
        by = Counter()
        for r in WORLD.truth:
            if r["category"] != "queued":
                by[r["category"]] += r["chip_us"]
        rows = self.ask("waterfall")
        self.assertEqual(
            ["capacity"]
            + [
                c
                for c in (
                    "down idle partial startup compile restore input checkpoint eval stall lost pending unknown untraced "
                    "unrated inefficiency ideal"
                ).split()
                if by[c]
            ],
            [row["category"] for row in rows],
        )
        at = Fraction(sum(by.values()), HOUR)
        self.near(at, rows[0]["chip_hours"])
        self.assertEqual((0, rows[0]["chip_hours"]), (rows[0]["from_hours"], rows[0]["to_hours"]))
        for row in rows[1:-1]:
            self.near(Fraction(by[row["category"]], HOUR), row["chip_hours"], row["category"])
            self.near(at, row["from_hours"], row["category"])
            at -= Fraction(by[row["category"]], HOUR)
            self.near(at, row["to_hours"], row["category"])
        self.assertEqual(["capacity"] + [layer_of(row["category"]) for row in rows[1:]], [row["layer"] for row in rows])
        self.near(at, rows[-1]["chip_hours"])
        self.assertEqual((0, rows[-1]["chip_hours"]), (rows[-1]["from_hours"], rows[-1]["to_hours"]))
        self.near(1, sum(row["share"] for row in rows[1:]))

    def test_heatmap(self):
        cells = [c for c in WORLD.cells if c.job and c.pool]
        for a, b in (("phase", "size"), ("pool", "framework"), ("team", "model")):
            by = {k: s for k, s in groups(cells, lambda c: (getattr(c, a), getattr(c, b))).items() if s.held}
            rows = self.ask("heatmap", rows=a, columns=b)
            self.assertEqual(set(by), {(row["row_segment"], row["column_segment"]) for row in rows})
            for row in rows:
                s = by[row["row_segment"], row["column_segment"]]
                for name, value in dict(
                    held_chip_hours=Fraction(s.held, HOUR),
                    SG=ratio(s.allocated, s.held),
                    RG=s.RG,
                    PG=s.PG,
                    MPG_lower=ratio(s.ideal, s.held),
                    lost_chip_hours=Fraction(s.held - s.ideal - s.by["untraced"] - s.by["unrated"], HOUR),
                ).items():
                    self.near(value, row[name], (row["row_segment"], name))

    def test_top_offenders(self):
        jobs = {row["job"]: row for row in question("top_jobs").ask(WORLD.db, top=1000)}
        rows = self.ask("top_offenders", top=1000)
        self.assertEqual(list(jobs), [row["segment"] for row in rows])
        for row in rows:
            for name in ("name", "held_chip_hours", "lost_chip_hours", "scheduling", "runtime", "program"):
                self.assertEqual(jobs[row["segment"]][name], row[name], (row["segment"], name))
        in_view = WORLD.db.execute(
            "SELECT job, held_chip_hours, lost_chip_hours FROM goodput_by_job WHERE held_chip_hours > 0"
        )
        for job, held, lost in in_view:
            self.near(jobs[job]["held_chip_hours"], held, job)
            self.near(jobs[job]["lost_chip_hours"], lost, job)
        by = groups([c for c in WORLD.cells if c.job], lambda c: c.team)
        for row in self.ask("top_offenders", by="team"):
            s = by[row["segment"]]
            lost = s.held - s.ideal - s.by["untraced"] - s.by["unrated"]
            for name, value in dict(
                held_chip_hours=Fraction(s.held, HOUR),
                lost_chip_hours=Fraction(lost, HOUR),
                scheduling=Fraction(s.partial, HOUR),
                program=Fraction(s.by["inefficiency"], HOUR),
                runtime=Fraction(lost - s.partial - s.by["inefficiency"], HOUR),
                MPG_lower=ratio(s.ideal, s.held),
            ).items():
                self.near(value, row[name], (row["segment"], name))

    def test_before_after(self):
        for given, cut in (
            ({}, "2026-01-06 00:00:00"),
            ({"after_since": "2026-01-05 18:00:00"}, "2026-01-05 18:00:00"),
        ):
            before, after = (Sums([c for c in WORLD.cells if (c.hour >= cut) == late]) for late in (False, True))
            rows = {(row["kind"], row["item"]): row for row in self.ask("before_after", **given)}
            for name in ("SG", "RG", "PG", "lower"):
                row = rows["factor", "MPG_lower" if name == "lower" else name]
                self.near(getattr(before, name), row["before"], name)
                self.near(getattr(after, name), row["after"], name)
                self.near(100 * (getattr(after, name) - getattr(before, name)), row["change"], name, 1e-7)
            categories = {c.category for c in WORLD.cells} - {"queued"}
            self.assertEqual(categories, {item for kind, item in rows if kind == "category"})
            for category in categories:
                self.near(ratio(before.by[category], before.capacity), rows["category", category]["before"], category)
                self.near(ratio(after.by[category], after.capacity), rows["category", category]["after"], category)
            self.assertAlmostEqual(0, sum(row["change"] for (kind, _), row in rows.items() if kind == "category"), 9)

    def test_data_quality(self):
        by = dict(groups([c for c in WORLD.cells if c.pool], lambda c: c.pool), all=Sums(WORLD.cells))
        rows = {row["pool"]: row for row in self.ask("data_quality")}
        self.assertEqual(set(by), set(rows))
        for pool, s in by.items():
            for name, value in dict(
                capacity_chip_hours=Fraction(s.capacity, HOUR),
                traced=ratio(s.traced, s.allocated),
                rated=ratio(s.rated, s.productive),
                unknown=ratio(s.by["unknown"], s.allocated),
                pending=ratio(s.by["pending"], s.allocated),
                idle_below_zero=0,
            ).items():
                self.near(value, rows[pool][name], (pool, name))
        # Restarts in place that only a hang or a compile stands for are listed, and nothing else is.
        self.assertEqual(
            [("repeated_steps", rows["all"]["issues"])],
            WORLD.db.execute("SELECT kind, sum(count) FROM issues WHERE severity <> 'info' GROUP BY kind").fetchall(),
        )


if __name__ == "__main__":
    unittest.main()
