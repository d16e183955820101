"""Sizes, calendars and charts of text, against what Python's own calendar and a naive drawing say."""

import datetime
import random
import sqlite3
import unittest

from cases import Case

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Sizes(Case):
    def test_bounds(self):
        for chips, size in (
            (0, "S"),
            (0.0, "S"),
            (0.25, "S"),
            (15.999999, "S"),
            (16, "M"),
            (255, "M"),
            (256, "L"),
            (2047.5, "L"),
            (2048, "XL"),
            (10**12, "XL"),
            ("64", "M"),
            (None, None),
        ):
            self.assertEqual(size, self.one("SELECT job_size(?)", chips), chips)
        for chips, size in ((0.5, "S"), (1, "M"), (2.4, "M"), (2.5, "L"), (9, "XL")):
            self.assertEqual(size, self.one("SELECT job_size(?, '1,2.5,9')", chips), chips)
        self.assertIsNone(self.one("SELECT job_size(1, NULL)"))

    def test_refused(self):
        for chips, found in (
            (-1, "-1"),
            ("many", "'many'"),
            (1e300, "1e+300"),
            (-0.5, "-0.5"),
            (float("inf"), "inf"),
            (b"", "''"),
        ):
            self.fails(f"job_size: expected a number of chips, found {found}", "SELECT job_size(?)", chips)
        self.fails(
            "job_size: bounds: expected three rising numbers of chips such as '16,256,2048', found 16",
            "SELECT job_size(1, 16)",
        )
        for bounds in ("", "1,2", "1,2,3,4", "3,2,1", "1,1,2", "0,1,2", "a,b,c", "1, 2, 3"):
            self.fails(
                f"job_size: bounds: expected three rising numbers of chips such as '16,256,2048', found '{bounds}'",
                "SELECT job_size(1, ?)",
                bounds,
            )

    def test_as_the_ledger_has_them(self):
        for sizes in ("16,256,2048", "3,5,100"):
            rows = self.db.execute(
                "SELECT DISTINCT job, size FROM trace_rollup('fixtures/golden') WHERE sizes = ? AND job NOT NULL",
                (sizes,),
            ).fetchall()
            self.assertEqual(
                {(job, self.one("SELECT job_size(?, ?)", {"J1": 4, "J2": 2}[job], sizes)) for job, _ in rows}, set(rows)
            )


class Calendars(Case):
    def test_weeks(self):
        """Every day of forty years, at its first and last microsecond."""
        for day in range(0, 14600, 3):
            at = EPOCH + datetime.timedelta(days=day)
            year, week, _ = at.isocalendar()
            for seconds in (0, 86399.999999):
                self.assertEqual(f"{year:04d}-W{week:02d}", self.one("SELECT iso_week(?)", day * 86400 + seconds), at)

    def test_local(self):
        rng = random.Random(3)
        for _ in range(500):
            us = rng.randrange(0, 4 * 10**15)
            minutes = rng.randrange(-14 * 60, 14 * 60)
            zone = "%s%02d:%02d" % ("+-"[minutes < 0], abs(minutes) // 60, abs(minutes) % 60)
            local = EPOCH + datetime.timedelta(microseconds=us, minutes=minutes)
            year, week, weekday = local.isocalendar()
            monday = local - datetime.timedelta(days=weekday - 1)
            seconds = us / 1e6
            self.assertEqual(f"{year:04d}-W{week:02d}", self.one("SELECT iso_week(?, ?)", seconds, zone))
            for unit, label in (
                ("day", local.strftime("%Y-%m-%d")),
                ("month", local.strftime("%Y-%m-01")),
                ("week", monday.strftime("%Y-%m-%d")),
                ("hour", local.strftime("%Y-%m-%d %H:00:00")),
                ("quarter", f"{local.year:04d}-{(local.month - 1) // 3 * 3 + 1:02d}-01"),
            ):
                self.assertEqual(label, self.one("SELECT time_bucket(?, ?)", seconds, f"{unit} {zone}"), (us, zone))

    def test_of_buckets_of_a_ledger(self):
        rows = self.db.execute(
            "SELECT DISTINCT bucket FROM trace_rollup('fixtures/fleet') WHERE bucket_width = '12 hours -06:00'"
        )
        self.assertEqual(
            [
                "2026-01-04 12:00:00",
                "2026-01-05 00:00:00",
                "2026-01-05 12:00:00",
                "2026-01-06 00:00:00",
                "2026-01-06 12:00:00",
            ],
            sorted(bucket for bucket, in rows),
        )

    def test_nothing_and_refused(self):
        for query in ("time_bucket(NULL, 'day')", "time_bucket(0, NULL)", "iso_week(NULL)", "iso_week(0, NULL)"):
            self.assertIsNone(self.one(f"SELECT {query}"))
        self.fails("iso_week: expected an offset from UTC such as '+02:00', found 'CET'", "SELECT iso_week(0, 'CET')")
        self.fails("iso_week: expected an offset from UTC such as '+02:00', found 'a number'", "SELECT iso_week(0, 2)")
        for query in (
            "time_bucket('soon', 'day')",
            "time_bucket(-1, 'day')",
            "time_bucket(0, 'fortnight')",
            "iso_week('W1')",
        ):
            with self.assertRaises(sqlite3.OperationalError):
                self.one(f"SELECT {query}")


class Bars(Case):
    def naive(self, value, most, width, ascii):
        if abs(value) / most * width > width:
            return (("-" if value < 0 else "#") if ascii else ("░" if value < 0 else "█")) * (width - 1) + (
                ">" if ascii else "▶"
            )
        if ascii or value < 0:
            return (("-" if value < 0 else "#") if ascii else "░") * int(abs(value) / most * width + 0.5)
        parts = int(value / most * width * 8 + 0.5)
        return "█" * (parts // 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][parts % 8]

    def test_drawn(self):
        rng = random.Random(1)
        for _ in range(2000):
            value, most, width = (
                rng.choice([rng.uniform(-9, 9), rng.randrange(10)]),
                rng.uniform(0.1, 9),
                rng.randrange(1, 60),
            )
            self.assertEqual(self.naive(value, most, width, False), self.one("SELECT bar(?, ?, ?)", value, most, width))
            self.assertEqual(
                self.naive(value, most, width, True), self.one("SELECT bar(?, ?, ?, 'ascii')", value, most, width)
            )
        self.assertEqual("█" * 1000, self.one("SELECT bar(1, 1, 1000, NULL)"))
        self.assertEqual("██▶", self.one("SELECT bar(?, 1, 3)", float("inf")))

    def test_nothing_and_refused(self):
        for arguments in ((None, 1, 5), (1, None, 5), (1, 0, 5), (1, -1, 5)):
            self.assertIsNone(self.one("SELECT bar(?, ?, ?)", *arguments))
        self.fails("bar: expected a number as value, found 'x'", "SELECT bar('x', 1, 5)")
        for width, found in ((0, "0"), (1001, "1001"), (-1, "-1"), (2.5, "2.5"), (None, "NULL")):
            self.fails(f"bar: expected a width of 1 to 1000, found {found}", "SELECT bar(1, 1, ?)", width)
        self.fails("bar: expected 'unicode' or 'ascii' as style, found 'emoji'", "SELECT bar(1, 1, 5, 'emoji')")


class Sparks(Case):
    CELLS = "▁▂▃▄▅▆▇█"

    def naive(self, values, low=None, high=None, cells=CELLS):
        finite = [v for v in values if v is not None and abs(v) != float("inf")]
        low, high = (min(finite), max(finite)) if low is None and finite else (low or 0, high or 0)
        out = ""
        for v in values:
            if v is None:
                out += " "
            elif v == low == high:
                out += cells[3]
            elif v <= low:
                out += cells[0]
            else:
                out += cells[7 if v >= high else int((v / 2 - low / 2) / (high / 2 - low / 2) * 8)]
        return out

    def table(self, values):
        self.db.execute("DROP TABLE IF EXISTS t")
        self.db.execute("CREATE TABLE t(at INTEGER PRIMARY KEY, v)")
        self.db.executemany("INSERT INTO t(v) VALUES (?)", [(v,) for v in values])

    def test_drawn(self):
        rng = random.Random(2)
        for _ in range(300):
            values = [
                rng.choice(
                    [None, rng.randrange(5), rng.uniform(-2, 7), float("inf")]
                    if rng.random() < 0.2
                    else [rng.uniform(0, 9)]
                )
                for _ in range(rng.randrange(1, 30))
            ]
            self.table(values)
            self.assertEqual(self.naive(values), self.one("SELECT spark(v) FROM (SELECT v FROM t ORDER BY at)"), values)
            self.assertEqual(
                self.naive(values, 0, 5), self.one("SELECT spark(v, 0, 5) FROM (SELECT v FROM t ORDER BY at)")
            )
            self.assertEqual(
                self.naive(values, cells="_.:-=+*#"),
                self.one("SELECT spark(v, 'ascii') FROM (SELECT v FROM t ORDER BY at)"),
            )
            self.assertEqual(
                self.naive(values[::-1]), self.one("SELECT spark(v) FROM (SELECT v FROM t ORDER BY at DESC)")
            )
            frame = rng.randrange(4)
            found = self.db.execute(f"SELECT spark(v) OVER (ORDER BY at ROWS {frame} PRECEDING) FROM t").fetchall()
            self.assertEqual(
                [self.naive(values[max(0, i - frame) : i + 1]) for i in range(len(values))], [text for text, in found]
            )

    def test_shapes(self):
        self.table([3, 3, 3])
        self.assertEqual("▄▄▄", self.one("SELECT spark(v) FROM t"))
        self.table([None, None])
        self.assertEqual("  ", self.one("SELECT spark(v) FROM t"))
        self.table([-1.7e308, 0, 1.7e308])
        self.assertEqual("▁▅█", self.one("SELECT spark(v) FROM t"))
        self.assertIsNone(self.one("SELECT spark(v) FROM t WHERE 0"))

    def test_refused(self):
        self.table([1, 2])
        self.fails("spark: expected a number as value, found 'x'", "SELECT spark('x') FROM t")
        self.fails("spark: expected 'unicode' or 'ascii' as style, found 'a number'", "SELECT spark(v, 1) FROM t")
        for bounds in ("9, 1", "0, v"):
            self.fails(
                "spark: expected a low that is not above high, the same in every row",
                f"SELECT spark(v, {bounds}) FROM t",
            )


if __name__ == "__main__":
    unittest.main()
