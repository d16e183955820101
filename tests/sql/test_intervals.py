#!/usr/bin/python3
"""The interval aggregates, held against counts at every place, and interval_buckets against datetime."""

import datetime
import random
import sqlite3
import unittest
from fractions import Fraction

from cases import Case

INF = float("inf")
UTC = datetime.timezone.utc


def naive(rows, k):
    """(union, overlap, all_up, peak) of (start, end, is_b), between every two neighbouring places."""
    places = sorted({Fraction(p) for s, e, _ in rows for p in (s, e)})
    union = overlap = up = Fraction(0)
    peak = 0
    for left, right in zip(places, places[1:]):
        a = sum(1 for s, e, b in rows if not b and s <= left and right <= e)
        b = sum(1 for s, e, b in rows if b and s <= left and right <= e)
        union += (right - left) * (a + b > 0)
        overlap += (right - left) * (a > 0 and b > 0)
        up += (right - left) * (a + b >= k)
        peak = max(peak, a + b)
    return union, overlap, up, peak


class AggregatesTest(Case):
    ALL = (
        "SELECT interval_union(s, e), interval_overlap(s, e, b), all_up(s, e, {k}), peak_concurrency(s, e) "
        "FROM (SELECT * FROM t {order}) {group}"
    )

    def table(self, rows):
        self.db.execute("DROP TABLE IF EXISTS t")
        self.db.execute("CREATE TABLE t(s, e, b)")
        self.db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)

    def test_integers(self):
        random.seed(11)
        for round in range(300):
            n, width, k = random.randrange(1, 30), random.choice((5, 50, 10**18)), random.randrange(1, 5)
            rows = []
            for _ in range(n):
                s = random.randrange(-width, width)
                rows.append((s, s + random.randrange(0, width), random.randrange(2)))
            self.table(rows)
            for order in ("", "ORDER BY s", "ORDER BY e DESC"):
                (got,) = self.db.execute(self.ALL.format(k=k, order=order, group="")).fetchall()
                self.assertEqual(got, tuple(map(int, naive(rows, k))))
                self.assertEqual({type(v) for v in got}, {int})

    def test_reals(self):
        random.seed(12)
        for round in range(300):
            n, base, k = random.randrange(1, 30), random.choice((0, -3.5, 1.8e9)), random.randrange(1, 5)
            rows = []
            for _ in range(n):
                s = base + random.uniform(-10, 10)
                e = s + random.choice((0, random.uniform(0, 10)))
                if random.randrange(4) == 0 and int(e) >= s:
                    e = int(e)
                rows.append((s, e, random.randrange(2)))
            self.table(rows)
            union, overlap, up, peak = naive(rows, k)
            (got,) = self.db.execute(self.ALL.format(k=k, order="ORDER BY random()", group="")).fetchall()
            for value, exact in zip(got, (union, overlap, up)):
                self.assertIsInstance(value, float)
                self.assertLessEqual(abs(Fraction(value) - exact), abs(exact) * Fraction(2, 10**16))
            self.assertEqual((got[3], type(got[3])), (peak, int))

    def test_one_real_makes_all_real(self):
        self.table([(0, 10, 0), (5, 15, 1), (20, 22.5, 0)])
        self.assertEqual(
            repr(self.db.execute(self.ALL.format(k=2, order="", group="")).fetchall()), "[(17.5, 5.0, 5.0, 2)]"
        )
        self.table([(0.0, 10.0, 0), (-0.0, 0.0, 1), (-1, -0.0, 0)])
        self.assertEqual(self.one("SELECT interval_union(s, e) FROM t"), 11.0)
        self.assertEqual(self.one("SELECT peak_concurrency(s, e) FROM t"), 1)
        # A real that comes late turns large integers into what it would have made of them at once.
        big = 2**53 + 1
        self.table([(0, big, 0), (0.5, 0.5, 0)])
        self.assertEqual(self.one("SELECT interval_union(s, e) FROM t"), float(big))

    def test_touching_and_empty(self):
        self.table([(0, 10, 0), (10, 20, 1), (15, 15, 0), (20, 20, 0)])
        self.assertEqual(self.db.execute(self.ALL.format(k=2, order="", group="")).fetchall(), [(20, 0, 0, 1)])
        self.table([(3, 3, 0)])
        self.assertEqual(self.db.execute(self.ALL.format(k=1, order="", group="")).fetchall(), [(0, 0, 0, 0)])
        self.table([(2.5, 2.5, 0)])
        self.assertEqual(
            repr(self.db.execute(self.ALL.format(k=1, order="", group="")).fetchall()), "[(0.0, 0.0, 0.0, 0)]"
        )

    def test_null(self):
        self.table([])
        self.assertEqual(self.db.execute(self.ALL.format(k=1, order="", group="")).fetchall(), [(None,) * 4])
        self.table([(None, 5, 0), (5, None, 0), (None, None, 0)])
        self.assertEqual(self.db.execute(self.ALL.format(k=1, order="", group="")).fetchall(), [(None,) * 4])
        self.table([(None, 5, 0), (1, 5, 0), (4, 9, None), (4, 9, 1)])
        self.assertEqual(
            self.db.execute(self.ALL.format(k="nullif(b, 1) + 3", order="", group="")).fetchall(), [(8, 1, 0, 3)]
        )

    def test_groups(self):
        rows = [(i, i + i % 7, i % 2) for i in range(100)]
        self.table(rows)
        got = self.db.execute("SELECT e % 3, interval_union(s, e) FROM t GROUP BY 1").fetchall()
        for group, value in got:
            self.assertEqual(value, naive([r for r in rows if r[1] % 3 == group], 1)[0])
        self.assertEqual(len(got), 3)

    def test_whole_range(self):
        low, high = -(2**63), 2**63 - 1
        self.table([(low, -1, 0), (low, -1, 1)])
        self.assertEqual(self.db.execute(self.ALL.format(k=2, order="", group="")).fetchall(), [(high, high, high, 2)])
        self.table([(low, 0, 0), (low, 0, 1)])
        for f in ("interval_union(s, e)", "interval_overlap(s, e, b)", "all_up(s, e, 2)"):
            name = f[: f.index("(")]
            self.fails(f"{name}: the length does not fit in 64 bits", f"SELECT {f} FROM t")
        self.assertEqual(self.one("SELECT peak_concurrency(s, e) FROM t"), 2)
        self.table([(-1.7e308, 1.7e308, 0)])
        self.fails("interval_union: the length is too large for a REAL", "SELECT interval_union(s, e) FROM t")

    def test_errors(self):
        for f, more in (
            ("interval_union", ""),
            ("interval_overlap", ", 0"),
            ("all_up", ", 1"),
            ("peak_concurrency", ""),
        ):
            self.fails(f"{f}: the end 4 is before the start 5", f"SELECT {f}(5, 4{more})")
            self.fails(f"{f}: the end -0.5 is before the start 0", f"SELECT {f}(0, -0.5{more})")
            self.fails(f"{f}: expected a number as start, found '2026-01-01'", f"SELECT {f}('2026-01-01', 1{more})")
            self.fails(f"{f}: expected a number as end, found '7'", f"SELECT {f}(1, '7'{more})")
            self.fails(f"{f}: expected a finite number as end, found inf", f"SELECT {f}(1, ?{more})", INF)
            self.fails(f"{f}: expected a finite number as start, found -inf", f"SELECT {f}(?, 1{more})", -INF)
        self.fails("interval_overlap: expected 0 or 1 as is_b, found 'b'", "SELECT interval_overlap(1, 2, 'b')")
        for k in ("0", "-1", "1.0", "'2'"):
            self.fails(f"all_up: expected a positive integer as k, found {k}", f"SELECT all_up(1, 2, {k})")
        self.fails(
            "all_up: expected the same k in every row, found 1 and 2",
            "SELECT all_up(1, 2, k) FROM (SELECT 1 AS k UNION ALL SELECT 2)",
        )
        self.fails("interval_union() may not be used as a window function", "SELECT interval_union(1, 2) OVER ()")

    def test_many(self):
        """Many intervals in random order."""
        self.db.execute(
            "CREATE TABLE t AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 299999) "
            "SELECT (i * 7919) % 300000 AS s FROM r"
        )
        self.assertEqual(
            self.db.execute(
                "SELECT interval_union(s, s + 10), peak_concurrency(s, s + 10), " "all_up(s, s + 10, 10) FROM t"
            ).fetchall(),
            [(300009, 10, 299991)],
        )

    def test_pure(self):
        rows = self.db.execute(
            "SELECT name, narg, type, flags FROM pragma_function_list WHERE name LIKE 'interval%' "
            "OR name IN ('all_up', 'peak_concurrency')"
        ).fetchall()
        self.assertEqual(
            {r[:3] for r in rows},
            {
                ("interval_union", 2, "a"),
                ("interval_overlap", 3, "a"),
                ("all_up", 3, "a"),
                ("peak_concurrency", 2, "a"),
            },
        )
        for row in rows:
            self.assertEqual(row[3] & 0x280800, 0x200800, row)


class BucketsTest(Case):
    def test_days(self):
        self.assertEqual(
            self.db.execute("SELECT * FROM interval_buckets('2026-11-20 23:30', '2026-11-22 12:00', 'day')").fetchall(),
            [
                ("2026-11-20", 1795217400.0, 1795219200.0, 1800.0),
                ("2026-11-21", 1795219200.0, 1795305600.0, 86400.0),
                ("2026-11-22", 1795305600.0, 1795348800.0, 43200.0),
            ],
        )

    def test_against_datetime(self):
        random.seed(13)

        def day(t):
            return t.replace(hour=0, minute=0, second=0, microsecond=0)

        def month(t):
            return day(t).replace(day=1)

        edges = {
            "hour": (lambda t: t.replace(minute=0, second=0, microsecond=0), lambda t: t + datetime.timedelta(hours=1)),
            "day": (day, lambda t: t + datetime.timedelta(days=1)),
            "week": (lambda t: day(t) - datetime.timedelta(days=t.weekday()), lambda t: t + datetime.timedelta(days=7)),
            "month": (month, lambda t: month(t + datetime.timedelta(days=32))),
            "year": (lambda t: month(t).replace(month=1), lambda t: t.replace(year=t.year + 1)),
        }
        for _ in range(200):
            width = random.choice(sorted(edges))
            first, after = edges[width]
            start = random.randrange(0, 2**31) + random.randrange(10**6) / 10**6
            end = start + random.uniform(0, {"hour": 1e5, "day": 2e6, "week": 9e6, "month": 4e7, "year": 2e8}[width])
            start, end = round(start, 6), round(end, 6)
            expected = []
            at = datetime.datetime.fromtimestamp(0, UTC) + datetime.timedelta(microseconds=round(start * 10**6))
            stop = datetime.datetime.fromtimestamp(0, UTC) + datetime.timedelta(microseconds=round(end * 10**6))
            while at < stop:
                bucket = first(at)
                until = min(after(bucket), stop)
                label = bucket.strftime("%Y-%m-%d %H:%M:%S" if width == "hour" else "%Y-%m-%d")
                expected.append((label, at.timestamp(), until.timestamp(), (until - at).total_seconds()))
                at = until
            got = self.db.execute("SELECT * FROM interval_buckets(?, ?, ?)", (start, end, width)).fetchall()
            self.assertEqual(got, expected)

    def test_fixed_widths(self):
        self.assertEqual(
            self.db.execute("SELECT start_time, end_time, seconds FROM interval_buckets(0, 100, 40)").fetchall(),
            [(0, 40, 40), (40, 80, 40), (80, 100, 20)],
        )
        self.assertEqual(
            self.db.execute("SELECT seconds FROM interval_buckets(0.25, 1, 0.5)").fetchall(), [(0.25,), (0.5,)]
        )
        self.assertEqual(self.db.execute("SELECT seconds FROM interval_buckets(10, 20, 10)").fetchall(), [(10,)])

    def test_no_rows(self):
        for args in ("5, 5, 'day'", "NULL, 5, 'day'", "1, NULL, 'day'", "1, 5, NULL"):
            self.assertEqual(self.db.execute(f"SELECT * FROM interval_buckets({args})").fetchall(), [])

    def test_errors(self):
        missing = "interval_buckets: expected 3 arguments: start, end and the width of a bucket"
        self.fails(missing, "SELECT * FROM interval_buckets")
        self.fails(missing, "SELECT * FROM interval_buckets(1, 2)")
        self.fails("too many arguments on interval_buckets() - max 3", "SELECT * FROM interval_buckets(1, 2, 3, 4)")
        self.fails(
            "interval_buckets: the end 1970-01-01T00:00:05Z is before the start 1970-01-01T00:00:10Z",
            "SELECT * FROM interval_buckets(10, 5, 'day')",
        )
        for args in ("'yesterday', 5, 'day'", "1, 2, 'fortnight'", "1, 2, 0", "-1, 2, 'day'", "1, 1e12, 'day'"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "^interval_buckets: "):
                self.db.execute(f"SELECT * FROM interval_buckets({args})").fetchall()

    def test_in_queries(self):
        self.db.executescript(
            """
            CREATE TABLE runs(job, s, e);
            INSERT INTO runs VALUES ('a', 0, 90000), ('b', 80000, 180000), ('c', NULL, 5), ('d', 7, 7);
        """
        )
        self.assertEqual(
            self.db.execute(
                "SELECT bucket, sum(seconds), group_concat(job) FROM runs, interval_buckets(s, e, 'day') "
                "GROUP BY 1 ORDER BY 1"
            ).fetchall(),
            [("1970-01-01", 92800.0, "a,b"), ("1970-01-02", 90000.0, "a,b"), ("1970-01-03", 7200.0, "b")],
        )
        self.assertEqual(
            self.db.execute(
                "SELECT job, max(start_time), bucket FROM runs LEFT JOIN interval_buckets(s, e, 'day') " "GROUP BY job"
            ).fetchall(),
            [("a", 86400.0, "1970-01-02"), ("b", 172800.0, "1970-01-03"), ("c", None, None), ("d", None, None)],
        )
        self.assertEqual(
            self.db.execute(
                "SELECT start_time, rowid - min(rowid) OVER () + 1 FROM interval_buckets WHERE interval_end = 100 AND width = 60 "
                "AND interval_start = 0 ORDER BY start_time DESC"
            ).fetchall(),
            [(60, 2), (0, 1)],
        )
        self.assertEqual(
            self.db.execute(
                "SELECT interval_start, interval_end, width FROM " "interval_buckets('1970-01-01', 7, '1 day')"
            ).fetchall(),
            [("1970-01-01", 7, "1 day")],
        )
        self.assertEqual(self.one("SELECT sum(seconds) FROM interval_buckets(0, 100, 7) WHERE start_time >= 49"), 51)
        self.assertEqual(len(self.db.execute("SELECT * FROM interval_buckets(0, 1e9, 1e-6) LIMIT 3").fetchall()), 3)
        # SQLite also asks for a plan of each term of an OR by itself, without the arguments.
        self.assertEqual(
            self.one("SELECT sum(seconds) FROM interval_buckets(0, 100, 7) WHERE start_time = 49 OR seconds = 2"), 9
        )
        self.assertEqual(
            self.rows(
                "SELECT job, start_time FROM runs, interval_buckets(s, e, 'day') WHERE end_time = 90000 OR start_time = 80000"
            ),
            [("a", 86400), ("b", 80000)],
        )
        self.db.executescript(
            "PRAGMA trusted_schema = OFF;" "CREATE VIEW v AS SELECT * FROM runs, interval_buckets(s, e, 'week');"
        )
        self.assertEqual(self.one("SELECT count(*) FROM v"), 2)


if __name__ == "__main__":
    unittest.main()
