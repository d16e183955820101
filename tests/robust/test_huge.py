"""Counts, sums and times at the ends of what numbers hold. MPG_FULL: more rows than 2^31, and 10^8 spans."""

import json
import os
import sqlite3
import subprocess
import sys
import time
import unittest

import figures
import naive
from cases import FolderCase
from fleets import FORMS, ONE, TWO, ROOT, al, as_source, cap, connect, fleet, job, out, quote, sp

ALONE = "it takes the memory of the machine"
FULL = bool(os.environ.get("MPG_FULL"))
ROWS = 2**31 + 1000
FIRST, LAST = 0, 9214646399  # the seconds of 1970-01-01 and of the end of 2261
TEXTS = {
    -1: "1969-12-31T23:59:59Z",
    FIRST: "1970-01-01T00:00:00Z",
    LAST: "2261-12-31T23:59:59Z",
    LAST + 1: "2262-01-01T00:00:00Z",
    253402300799: "9999-12-31T23:59:59Z",
}
RELATION = {"record": "capacity", "pool": "p", "chips": 1}


def record(fields):
    return json.dumps(fields) + "\n"


def otlp(ns):
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "name": "s",
        "startTimeUnixNano": ns,
        "endTimeUnixNano": ns,
    }
    return record({"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [span]}]}]})


def mllog(ms):
    return ":::MLLOG " + record(
        {
            "namespace": "",
            "time_ms": ms,
            "event_type": "POINT_IN_TIME",
            "key": "k",
            "value": 1,
            "metadata": {"file": "f", "lineno": 1},
        }
    )


def prometheus(seconds):
    return json.dumps(
        {
            "status": "success",
            "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "m"}, "values": [[seconds, "1"]]}]},
        }
    )


# (table and arguments, its column of a time, seconds and text to a file, of it to seconds). 0 is no time to those marked.
TIMES = {
    "records, by text": ("trace_records(%s)", "start_time", lambda s, t: record({**RELATION, "start_time": t}), 1),
    "records, by number": ("trace_records(%s)", "start_time", lambda s, t: record({**RELATION, "start_time": s}), 1),
    "csv_trace": ("csv_trace(%s) WHERE types = 't TIME'", "record ->> 't'", lambda s, t: f"t\n{t}\n", 1),
    "csv_trace, by number": ("csv_trace(%s) WHERE types = 't TIME'", "record ->> 't'", lambda s, t: f"t\n{s}\n", 1),
    "jsonl_trace": ("jsonl_trace(%s) WHERE columns = 't TIME'", "record ->> 't'", lambda s, t: record({"t": t}), 1),
    "slurm_trace": ("slurm_trace(%s, 'UTC')", "Start", lambda s, t: f"JobID|Start\n1|{t[:-1]}\n", 1),
    "pbs_trace": (
        "pbs_trace(%s, 'UTC')",
        "ctime",
        lambda s, t: f"01/05/2026 10:00:00;E;1.s;user=u ctime={s} start=1\n",
        1,
    ),
    "pbs_trace, its own": (
        "pbs_trace(%s, 'UTC')",
        "date_time",
        lambda s, t: f"{t[5:7]}/{t[8:10]}/{t[:4]} {t[11:19]};E;1.s;user=u ctime=5 start=1\n",
        1,
    ),
    "kube_trace": (
        "kube_trace(%s)",
        "creationTimestamp",
        lambda s, t: json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "a", "creationTimestamp": t},
                "spec": {},
                "status": {},
            }
        ),
        1,
    ),
    "prometheus_trace": ("prometheus_trace(%s)", "time", lambda s, t: prometheus(s), 1),
    "prometheus_trace, text": (
        "prometheus_trace(%s)",
        "time",
        lambda s, t: f"# TYPE m gauge\nm 1 {s * 1000 if abs(s) >= 10 ** 8 else s}\n",
        1,
    ),
    "otlp_trace": ("otlp_trace(%s)", "start_time", lambda s, t: otlp(str(s * 10**9)), 1),
    "log_trace": ("log_trace(%s, '(?<time>[^ ]+) x')", "time", lambda s, t: f"{t} x\n", 1),
    "goodput_trace": (
        "goodput_trace(%s)",
        "time",
        lambda s, t: record({"job_name": "g", "job_start_time": float(s)}),
        1,
    ),
    "goodput_trace, exported": (
        "goodput_trace(%s)",
        "time_ns",
        lambda s, t: record({"jsonPayload": {"job_name": "g", "job_start_time": 5.0}, "timestamp": t, "insertId": "x"}),
        10**9,
    ),
    "mllog_trace": ("mllog_trace(%s)", "time_ms", lambda s, t: mllog(s * 1000), 1000),
}
NO_ZERO = {"otlp_trace", "pbs_trace"}  # there 0 says that it is not known


class Times(FolderCase):
    def test_of_every_reader(self):
        """From 1970 to 2261; whatever is beyond is an error that names the place and shows what was found."""
        for name, (table, column, write, unit) in TIMES.items():
            for seconds, text in TEXTS.items():
                with self.subTest(name, text=text):
                    path = self.file(write(seconds, text), "t")
                    sql = f"SELECT {column} FROM {table % quote(path)}"
                    if FIRST <= seconds <= LAST:
                        expected = None if seconds == 0 and name in NO_ZERO else seconds * unit
                        self.assertEqual([(expected,)], connect().execute(sql).fetchall())
                    else:
                        with self.assertRaisesRegex(
                            sqlite3.OperationalError, rf"^\w+: {path}:\d+(:\d+)?: .*expected .*(, found|found)"
                        ):
                            connect().execute(sql).fetchall()

    def test_numbers_that_are_no_times(self):
        for value in ("1e300", "-1e300", "1e18", "9223372036854775807", "-9223372036854775808", "1" * 400):
            for name in ("records, by number", "prometheus_trace", "goodput_trace", "csv_trace, by number"):
                table, column, write, _ = TIMES[name]
                with self.subTest(name, value=value):
                    path = self.file(write(1234567, "x").replace("1234567.0", value).replace("1234567", value), "t")
                    with self.assertRaisesRegex(sqlite3.OperationalError, rf"^\w+: {path}:\d+(:\d+)?: .*expected "):
                        connect().execute(f"SELECT {column} FROM {table % quote(path)}").fetchall()

    def test_of_functions(self):
        for function in ("time_bucket(?, '1 day')", "iso_week(?)"):
            for seconds, text in TEXTS.items():
                for value in (seconds, text):
                    with self.subTest(function, value=value):
                        if FIRST <= seconds <= LAST:
                            self.assertIsNotNone(connect().execute(f"SELECT {function}", (value,)).fetchone()[0])
                        else:
                            with self.assertRaisesRegex(
                                sqlite3.OperationalError, "expected a time (from 1970-01-01 on|before 2262-01-01)"
                            ):
                                connect().execute(f"SELECT {function}", (value,))


class Sums(FolderCase):
    def test_aggregates(self):
        """Beyond 64 bits they stay exact: the shares of 3 and of 1 times 2^62, eight times each."""
        db = connect()
        rows = (
            "(WITH n(i) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) SELECT 'ideal' AS c, 4611686018427387904 AS v FROM n "
            "UNION ALL SELECT 'idle', 4611686018427387904 FROM n, (VALUES (1), (2), (3)))"
        )
        self.assertEqual((0.25,), db.execute(f"SELECT mpg(c, v) FROM {rows}").fetchone())
        self.assertEqual(
            (0.25,),
            db.execute(f"SELECT mpg(s) FROM (SELECT goodput_state(c, v) AS s FROM {rows} GROUP BY c)").fetchone(),
        )
        ideal, idle = db.execute(
            f"SELECT goodput(c, v) ->> '$.share.ideal', goodput(c, v) ->> '$.share.idle' FROM {rows}"
        ).fetchone()
        self.assertEqual((0.25, 0.75), (ideal, idle))

    def test_by_a_hair(self):
        """2^64 + 1 of 2^65 + 2: half, which doubles alone would not say of sums that differ by one."""
        db = connect()
        db.execute("CREATE TABLE t(c, v)")
        most = 9223372036854775807
        db.executemany(
            "INSERT INTO t VALUES (?, ?)", [("ideal", most)] * 2 + [("ideal", 3)] + [("idle", most)] * 2 + [("idle", 3)]
        )
        self.assertEqual((0.5,), db.execute("SELECT mpg(c, v) FROM t").fetchone())
        self.assertEqual(
            (1.0,),
            db.execute(
                "SELECT mpg(c, v) OVER (ORDER BY rowid ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t LIMIT 1"
            ).fetchone(),
        )

    def test_roll_ups(self):
        """Of files: exact up to 64 bits, and an error above."""
        path = self.file("a,b\n" + "9223372036854775807,x\n" + "-5,x\n" * 3 + "15,x\n", "a.csv")
        self.assertEqual(
            [(9223372036854775807,)],
            connect().execute(f"SELECT record ->> 'a' FROM csv_rollup({quote(path)}, 'a', 'b')").fetchall(),
        )
        path = self.file("a,b\n" + "9223372036854775807,x\n" * 3, "b.csv")
        with self.assertRaisesRegex(sqlite3.DataError, "csv_rollup: the sum of a is beyond 64 bits$"):
            connect().execute(f"SELECT * FROM csv_rollup({quote(path)}, 'a', 'b')").fetchall()

    def test_ledgers(self):
        """Ten thousand millions of chips for a day and more are beyond 64 bits of chip-microseconds: several rows, whose sum is exact."""
        records = [
            {**RELATION, "pool": f"p{i}", "chips": 1_000_000_000, "start_time": 0, "end_time": 100_000}
            for i in range(10)
        ]
        path = self.file("".join(map(record, records)), "a.jsonl")
        db = connect()
        found = db.execute(f"SELECT category, chip_us FROM trace_rollup({quote(path)})").fetchall()
        self.assertEqual({"idle"}, {category for category, _ in found})
        self.assertEqual(10 * 10**9 * 100_000 * 10**6, sum(us for _, us in found))
        self.assertEqual(
            (0.0,), db.execute(f"SELECT occupancy(category, chip_us) FROM trace_rollup({quote(path)})").fetchone()
        )


class Chips(unittest.TestCase):
    """A record is of 10^9 chips at most, and all allocations of a job or records of a pool of 9 x 10^12, so that no sum of them overflows."""

    def test_as_many_as_there_may_be(self):
        most = 10**9
        fleets = {
            "job j: its allocations": lambda n: [al(most, 0, 2)] * n,
            "pool p: its capacity records": lambda n: [cap(most, 0, 2)] * n,
            "pool p: its outages": lambda n: [cap(1, 0, 2)] + [out(most, 0, 2)] * n,
        }
        for text, records in fleets.items():
            for form in FORMS:
                with self.subTest(text, form=form), as_source(fleet(*records(9000)), form) as (db, source):
                    (found,) = db.execute(
                        f"SELECT goodput(category, chip_us) ->> '$.chip_time' FROM {source}"
                    ).fetchone()
                    self.assertIn(9000 * most * 2 * 10**6, json.loads(found).values())
                with self.subTest(text, form=form), as_source(fleet(*records(9001)), form) as (db, source):
                    with self.assertRaisesRegex(sqlite3.Error, f": {text} hold more than 9 x 10\\^12 chips$"):
                        db.execute(f"SELECT count(*) FROM {source}").fetchone()


BIG, YEAR = 10**6, 86400 * 365  # chips, and seconds: some 3 x 10^19 chip-microseconds
CHIPS = [("chips", ONE), ("chips", TWO), job()]
MANY = CHIPS + [cap(BIG, 0, YEAR), al(BIG, 0, YEAR, outcome="completed")]
# Records, and {(pool, category): chip-seconds}.
SPANS = {
    "split by others": (
        MANY + [sp("serve", 0, YEAR, flops=1e24), sp("input", 10, 20)],
        {("p", "unrated"): BIG * (YEAR - 10), ("p", "input"): BIG * 10},
    ),
    "in one piece": (MANY + [sp("serve", 0, YEAR, flops=1e24)], {("p", "unrated"): BIG * YEAR}),
    "of two kinds of chip": (
        CHIPS
        + [
            cap(BIG, 0, YEAR, "a"),
            cap(BIG, 0, YEAR, "b", "two"),
            al(BIG, 0, YEAR, pool="a", outcome="completed"),
            al(BIG, 0, YEAR, pool="b", outcome="completed"),
            sp("serve", 0, YEAR, flops=1e24),
        ],
        {("a", "unrated"): BIG * YEAR, ("b", "unrated"): BIG * YEAR},
    ),
    "just below that": (
        MANY + [sp("serve", 0, 4 * BIG + 9, flops=1e24), sp("input", 10, 20), sp("hang", 4 * BIG + 9, YEAR)],
        {
            ("p", "ideal"): BIG**2,
            ("p", "inefficiency"): BIG * (3 * BIG - 1),
            ("p", "input"): BIG * 10,
            ("p", "stall"): BIG * (YEAR - 4 * BIG - 9),
        },
    ),
    "an ideal as large": (
        MANY + [sp("serve", 0, 10, flops=4e24), sp("serve", 10, 20, flops=3e24), sp("hang", 20, YEAR)],
        {
            ("p", "unrated"): BIG * 10,
            ("p", "ideal"): 3 * 10**12,
            ("p", "inefficiency"): BIG * 10 - 3 * 10**12,
            ("p", "stall"): BIG * (YEAR - 20),
        },
    ),
}


class Spans(unittest.TestCase):
    """From 4 x 10^18 chip-microseconds on, a span's chip-time or ideal is beyond what the roofline splits: the time is unrated."""

    def test_by_hand(self):
        for name, (records, expected) in SPANS.items():
            expected = {key: seconds * 10**6 for key, seconds in expected.items()}
            found = {(key[0], key[4]): us for key, us in naive.compute(fleet(*records)).ledger.items()}
            self.assertEqual(expected, found, name)
            for form in FORMS:
                with self.subTest(name, form=form), as_source(fleet(*records), form) as (db, source):
                    rows = db.execute(
                        f"SELECT pool, goodput(category, chip_us) ->> '$.chip_time' FROM {source} GROUP BY pool"
                    ).fetchall()
                    self.assertEqual(
                        expected,
                        {(pool, category): us for pool, times in rows for category, us in json.loads(times).items()},
                    )


def told(**more):
    figures.record("huge", {**(figures.recorded("huge") or {}), **more})


@unittest.skipUnless(FULL, "MPG_FULL is not set")
class Huge(FolderCase):
    def write_packed(self, name, pieces):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            packer = subprocess.Popen(["zstd", "-q", "-1", "-c"], stdin=subprocess.PIPE, stdout=file)
            for piece in pieces:
                packer.stdin.write(piece)
            packer.stdin.close()
            self.assertEqual(0, packer.wait())
        return path

    def test_more_rows_than_31_bits_count(self):
        """4.3 GB of rows of one digit, and behind them one that is none: rows, sums, the number of a line and the rowid, in two scans."""
        block = b"3\n" * 1_000_000
        path = self.write_packed(
            "rows.csv.zst", [b"a\n", *[block] * (ROWS // 1_000_000), b"3\n" * (ROWS % 1_000_000), b"x\n"]
        )
        db = connect()
        db.execute("SELECT mpg_limit('unpacked_ratio', 1000000000)")
        started = time.process_time()
        self.assertEqual(
            [(ROWS, 3 * ROWS)],
            db.execute(
                f"SELECT record ->> 'rows', record ->> 'a' FROM csv_rollup({quote(path)}, 'a') "
                "WHERE types = 'a BIGINT' AND on_error = 'skip'"
            ).fetchall(),
        )
        summed = time.process_time()
        [(line, detail)] = db.execute("SELECT line, detail FROM mpg_issues WHERE kind = 'skipped_record'").fetchall()
        self.assertEqual(ROWS + 2, line)
        self.assertIn(f"rows.csv.zst:{ROWS + 2}:1: expected a whole number", detail)
        first = f"SELECT rowid FROM csv_trace({quote(path)}) WHERE types = 'a TEXT' LIMIT 1"
        found = db.execute(
            f"SELECT rowid - ({first}) + 1, _line, record FROM csv_trace({quote(path)}) WHERE types = 'a TEXT' LIMIT 1 OFFSET {ROWS}"
        ).fetchall()
        self.assertEqual([(ROWS + 1, ROWS + 2, '{"a":"x"}')], found)
        told(
            **{
                "rows of one file, counted, summed and numbered": ROWS,
                "processor seconds of the sum": round(summed - started),
                "processor seconds to the last row": round(time.process_time() - summed),
            }
        )

    def test_a_hundred_million_spans(self):
        """Of a thousand jobs, in no more than 1 GiB (docs/sql.md, Memory)."""
        spans, jobs = 100_000_000, 1000
        each = spans // jobs

        def pieces():
            yield b'{"record":"capacity","pool":"p","chips":8000,"start_time":0,"end_time":%d}\n' % (2 * each)
            for j in range(jobs):
                yield b'{"record":"allocation","job":"j%d","pool":"p","chips":8,"start_time":0,"end_time":%d}\n' % (
                    j,
                    2 * each,
                )
                yield b"".join(
                    b'{"record":"span","job":"j%d","kind":"step","start_time":%d,"end_time":%d,"step":%d}\n'
                    % (j, 2 * i, 2 * i + 1, i)
                    for i in range(each)
                )

        path = self.write_packed("spans.jsonl.zst", pieces())
        script = f"""
import resource, sqlite3
db = sqlite3.connect(":memory:"); db.enable_load_extension(True); db.load_extension("./mpg")
print(db.execute("SELECT sum(intervals) FILTER (WHERE category = 'untraced' OR category IN ('unrated', 'lost', 'unknown')), sum(chip_us) FROM trace_rollup(?)",
                 ({path!r},)).fetchone(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)"""
        done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
        sums, _, peak = done.stdout.strip().rpartition(" ")
        print(f"{spans} spans: {peak} MiB, {sums}", end=" ", flush=True)
        self.assertIn(str(8000 * 2 * each * 10**6), sums)
        self.assertLess(int(peak), 1024)
        told(**{"spans of one roll-up": spans, "its memory, MiB": int(peak)})


if __name__ == "__main__":
    unittest.main()
