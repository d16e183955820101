"""What readers take at most: the table in docs/security.md, how limits are set, and bombs that meet each of them."""

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import unittest

import cases
import figures
import formats
from formats import READERS
from fleets import ROOT, connect, quote

ALONE = "it compares seconds"
PAGE = os.path.join(ROOT, "docs", "security.md")
MIB = 1 << 20

# Answers lists of statements, each run in a connection of its own, with [error or null, rows, MiB by which memory peaked, rows of
# mpg_issues]. It is a process of its own, whose peak can be set back.
CHILD = r"""
import json, sqlite3, sys
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
for line in sys.stdin:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension("./mpg")
    db.execute("SELECT * FROM mpg_chips").fetchall()
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before, error, rows, issues = peak(), None, 0, 0
    try:
        for sql in json.loads(line):
            rows = sum(1 for _ in db.execute(sql))
    except sqlite3.Error as failure:
        error = str(failure)
    except MemoryError:
        error = "out of memory"
    memory = peak() - before
    if error is None:
        issues = db.execute("SELECT count(*) FROM mpg_issues").fetchone()[0]
    db.close()
    print(json.dumps([error, rows, memory, issues]), flush=True)
"""


class Child:
    process, bombs, peak = None, 0, 0

    @classmethod
    def run(cls, *statements):
        if cls.process is None:
            cls.process = subprocess.Popen(
                [sys.executable, "-c", CHILD], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        cls.process.stdin.write(json.dumps(statements) + "\n")
        cls.process.stdin.flush()
        answer = cls.process.stdout.readline()
        if not answer:
            raise AssertionError(f"{statements}: ended with {cls.process.wait()}")
        answer = json.loads(answer)
        cls.bombs += answer[0] is not None
        cls.peak = max(cls.peak, answer[2])
        return answer

    @classmethod
    def end(cls):
        if cls.process is not None:
            cls.process.communicate()
        cls.process = None


run = Child.run


def tearDownModule():
    Child.end()
    figures.record(
        "bombs",
        {"bombs and other hostile files that ended in an error": Child.bombs, "most memory of any, MiB": Child.peak},
    )


def call(table, path):
    return f"{table}({quote(path)}{formats.more(formats.first(table))})"


class Case(cases.FolderCase):
    def bomb(self, name, piece, mebibytes, head=b""):
        """A few KB that unpack to so much: gzip members, or zstd frames, in a row are one stream."""
        block = piece * (16 * MIB // len(piece))
        if name.endswith(".gz"):
            return self.file((gzip.compress(head) if head else b"") + gzip.compress(block) * (mebibytes // 16), name)

        def pack(content):
            return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True, check=True).stdout

        return self.file((pack(head) if head else b"") + pack(block) * (mebibytes // 16), name)

    def check(self, pattern, mebibytes, *statements):
        error, _, peak, _ = run(*statements)
        self.assertRegex(error or "no error", pattern, statements)
        self.assertLess(peak, mebibytes, statements)


class Settings(Case):
    def test_the_page(self):
        with open(PAGE, encoding="utf-8") as page:
            rows = re.findall(r"^\| `(\w+)` \| ([\d,]+|none) \| ([\d,]+|none) \| (.*?) \|$", page.read(), re.M)

        def number(text):
            return 1 << 60 if text == "none" else int(text.replace(",", ""))

        self.assertEqual(
            connect().execute("SELECT name, standard, most, meaning FROM mpg_limits").fetchall(),
            [(name, number(standard), number(most), meaning) for name, standard, most, meaning in rows],
        )

    def test_values(self):
        db = connect()
        for name, value, standard, most in db.execute("SELECT name, value, standard, most FROM mpg_limits").fetchall():
            self.assertEqual(value, standard)
            self.assertEqual((standard,), db.execute("SELECT mpg_limit(?)", (name,)).fetchone())
            for wanted in (1, most, standard):
                self.assertEqual((wanted,), db.execute("SELECT mpg_limit(?, ?)", (name.upper(), wanted)).fetchone())
                self.assertEqual(
                    (wanted,), db.execute("SELECT value FROM mpg_limits WHERE name = ?", (name,)).fetchone()
                )
            self.assertEqual((1,), db.execute("SELECT mpg_limit(?, '1')", (name,)).fetchone())  # as clients bind it
            self.assertEqual((standard,), db.execute("SELECT mpg_limit(?, ?)", (name, standard)).fetchone())
            for bad, found in ((0, 0), (-1, -1), (most + 1, most + 1), (1.5, 1.5), ("one", "'one'"), (None, "NULL")):
                with self.assertRaisesRegex(
                    sqlite3.OperationalError,
                    f"^mpg_limit: {name}: expected a whole number from 1 to {most}, found {found}$",
                ):
                    db.execute("SELECT mpg_limit(?, ?)", (name, bad))
            self.assertEqual((standard,), db.execute("SELECT mpg_limit(?)", (name,)).fetchone())
        for bad in ("", "record", None, 1, "record_bytes\0", "x" * 1000):
            with self.assertRaisesRegex(sqlite3.OperationalError, "^mpg_limit: expected the name of a limit"):
                db.execute("SELECT mpg_limit(?)", (bad,))

    def test_a_lowered_limit_of_sqlite_is_named(self):
        """A host may lower how long a text may be: the limit is named, and nothing is said to be out of memory."""
        names = [
            name
            for (name,) in connect().execute(
                "SELECT name FROM pragma_module_list WHERE name GLOB 'mpg_*' OR name GLOB '*_trace' OR name GLOB '*_rollup'"
            )
        ]
        self.assertGreater(len(names), 20)
        for limit, word in (
            (sqlite3.SQLITE_LIMIT_LENGTH, "SQLITE_LIMIT_LENGTH"),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, "SQLITE_LIMIT_SQL_LENGTH"),
        ):
            named = 0
            for most in (30, 100, 300, 1000):
                for name in names:
                    db = connect()
                    db.setlimit(limit, most)
                    try:
                        db.execute(f"SELECT 1 FROM {name}('x')")
                    except (sqlite3.Error, MemoryError, OverflowError) as error:
                        self.assertNotIsInstance(error, MemoryError, (name, most))
                        self.assertNotRegex(str(error), "out of memory|SQL logic error", (name, most))
                        if re.fullmatch(rf"{name}: {word} is {most}: the table is declared in \d+ bytes", str(error)):
                            named += 1
            self.assertGreater(named, 20, word)

    def test_of_one_connection(self):
        one, other = connect(), connect()
        path = self.file("a,b\n1,2\n", "wide.csv")
        one.execute("SELECT mpg_limit('record_fields', 1)")
        with self.assertRaisesRegex(sqlite3.DataError, "wide.csv:1:1: record of more than 1 fields"):
            one.execute(f"SELECT * FROM csv_trace({quote(path)})").fetchall()
        self.assertEqual(1, len(other.execute(f"SELECT * FROM csv_trace({quote(path)})").fetchall()))

    def test_while_a_scan_runs(self):
        """It keeps what held when it began to read, for its threads look at it."""
        db = connect()
        path = self.file("a\n" + "123456\n" * 300000, "long.csv")
        self.assertEqual(
            (300000,),
            db.execute(
                f"SELECT count(mpg_limit('record_bytes', 3 + (length(record) > 0))) FROM csv_trace({quote(path)})"
            ).fetchone(),
        )
        with self.assertRaisesRegex(sqlite3.DataError, "record of more than 4 bytes"):
            db.execute(f"SELECT count(*) FROM csv_rollup({quote(path)}, 'a')").fetchone()


class Bombs(Case):
    def test_unpacked_bytes_of_every_reader(self):
        for suffix in (".gz", ".zst"):
            path = self.bomb(f"spans.csv{suffix}", b"\n", 32)
            for table in READERS:
                with self.subTest(table=table, suffix=suffix):
                    error, _, peak, _ = run(
                        "SELECT mpg_limit('unpacked_bytes', 1048576)", f"SELECT count(*) FROM {call(table, path)}"
                    )
                    self.assertIsNotNone(error)
                    self.assertIn(path, error)
                    self.assertLess(peak, 100)
                    if table in ("csv_trace", "jsonl_trace", "log_trace", "mllog_trace", "csv_rollup"):
                        self.assertIn(": unpacks to more than 1048576 bytes (unpacked_bytes)", error)

    def test_unpacked_ratio(self):
        """It counts above 256 MiB."""
        for suffix in (".gz", ".zst"):
            path = self.bomb(f"ratio{suffix}", b" " * 65535 + b"\n", 1024, b"a\n")
            pattern = f"^log_trace: {re.escape(path)}: unpacks to more than 900 times its size; if it is no bomb, raise mpg_limit"
            self.check(
                pattern,
                50,
                "SELECT mpg_limit('unpacked_ratio', 900)",
                f"SELECT count(*) FROM log_trace({quote(path)}, '^(?<x>a)')",
            )

    LIMITS = (".gz", 64 * MIB, ()), (
        ".zst",
        8 * MIB,
        ("SELECT mpg_limit('record_bytes', 8388608)",),
    )  # unless set, and less

    def test_a_field_without_end(self):
        for suffix, most, before in self.LIMITS:
            path = self.bomb(f"field{suffix}", b"a", 256, b'a,b\n1,"')
            for table in (
                "csv_trace",
                "csv_rollup",
                "jsonl_trace",
                "log_trace",
                "mllog_trace",
                "pbs_trace",
                "swf_trace",
                "slurm_trace",
                "prometheus_trace",
                "hlo_trace",
            ):
                with self.subTest(table=table, suffix=suffix):
                    error, _, peak, _ = run(*before, f"SELECT count(*) FROM {call(table, path)}")
                    self.assertIsNotNone(error)
                    self.assertIn(path, error)
                    self.assertLess(
                        peak, 300
                    )  # twice the record, and the next window of twice that which is being filled
                    if table in ("csv_trace", "log_trace"):
                        self.assertRegex(error, f"(record|line) of more than {most} bytes$")

    def test_strings_without_end(self):
        for suffix, most, before in self.LIMITS:
            for head, table in (
                (b'{"a":"', "jsonl_trace"),
                (b'[{"ph":"', "chrome_trace"),
                (b'{"items":[{"kind":"', "kube_trace"),
                (b'{"resourceSpans":[{"resource":"', "otlp_trace"),
                (b'{"status":"', "prometheus_trace"),
                (b'{"jobs":[{"name":"', "slurm_trace"),
                (b'{"job_name":"', "goodput_trace"),
                (b'{"record":"', "trace_records"),
            ):
                with self.subTest(table=table, suffix=suffix):
                    path = self.bomb(f"{table}.json{suffix}", b"a", 160, head)
                    self.check(f"of more than {most} bytes$", 300, *before, f"SELECT count(*) FROM {call(table, path)}")

    def test_sparse_files(self):
        """A terabyte that takes no room: no reader looks at all of it, or at more than a record may have."""
        path = self.file('{"a":"x', "sparse.json")
        os.truncate(path, 1 << 40)
        for table in READERS:
            with self.subTest(table=table):
                error, _, peak, _ = run(
                    "SELECT mpg_limit('record_bytes', 8388608)", f"SELECT count(*) FROM {call(table, path)}"
                )
                self.assertIn(path, error or "no error")
                self.assertLess(peak, 60)

    def test_ten_megabytes_of_brackets(self):
        path = self.file("[" * 10_000_000, "deep.json")
        inside = self.file('{"a":' + '{"a":[' * 2_000_000, "inside.json")
        for table in READERS:
            for deep in (path, inside):
                with self.subTest(table=table, path=deep):
                    error, _, peak, issues = run(f"SELECT count(*) FROM {call(table, deep)}")
                    self.assertTrue(issues if error is None else deep in error, error)
                    self.assertLess(peak, 200)
        self.check("nest at most 512 deep", 60, f"SELECT * FROM jsonl_trace({quote(inside)})")
        db = connect()
        for function in ("transformer_flops(?)", "op_flops('aten::mm', ?)", "op_bytes('aten::mm', ?, '[]')"):
            for text in ("[" * 1_000_000, '{"a":' * 200_000, "[" * 600 + "]" * 600):
                try:
                    self.assertEqual((None,), db.execute(f"SELECT {function}", (text,)).fetchone())
                except sqlite3.OperationalError as error:
                    self.assertLess(len(str(error)), 500)

    def test_members(self):
        path = self.file("{" + ",".join(f'"{i:x}":1' for i in range(30000)) + "}\n", "members.json")
        self.check(
            "1:[0-9]+: expected no more members than mpg_limit..json_members.. allows, found another one$",
            50,
            "SELECT mpg_limit('json_members', 29999)",
            f"SELECT length(record) FROM jsonl_trace({quote(path)})",
        )
        self.assertEqual(
            [None, 1],
            run("SELECT mpg_limit('json_members', 30000)", f"SELECT length(record) FROM jsonl_trace({quote(path)})")[
                :2
            ],
        )

    def test_fields(self):
        path = self.file("," * 10_000_000, "fields.csv")
        self.check("fields.csv:1:1: record of more than 65536 fields$", 60, f"SELECT * FROM csv_trace({quote(path)})")
        self.check(
            "fields.csv:1:1: record of more than 3 fields$",
            60,
            "SELECT mpg_limit('record_fields', 3)",
            f"SELECT * FROM csv_trace({quote(path)})",
        )

    def test_record_bytes_can_be_lowered_everywhere(self):
        for sample in formats.SAMPLES:
            table = sample.table
            with self.subTest(sample):
                scan = f"SELECT count(*) FROM {call(table, 'fixtures/' + formats.several(sample))}"
                self.assertIsNone(run(scan)[0])
                if table != "chrome_trace":  # which asks only where an event is longer than its window of 1 MiB
                    self.check("(more|longer) than 2\\b", 50, "SELECT mpg_limit('record_bytes', 2)", scan)

    def test_files(self):
        os.mkdir(self.path("many"))
        for i in range(40):
            self.file("a\n1\n", f"many/{i}.csv")
        for path in ("many", "many/*.csv", "*/*"):
            self.check(
                "more than 39 files or folders$",
                50,
                "SELECT mpg_limit('files', 39)",
                f"SELECT * FROM csv_trace({quote(self.path(path))})",
            )
        self.assertIsNone(
            run("SELECT mpg_limit('files', 40)", f"SELECT * FROM csv_trace({quote(self.path('many'))})")[0]
        )

    def test_modules_and_planes(self):
        self.check(
            "module of more than 100 bytes$",
            50,
            "SELECT mpg_limit('module_bytes', 100)",
            "SELECT * FROM hlo_trace('fixtures/hlo/decode.hlo')",
        )
        self.check(
            "one plane take more than 500 bytes$",
            50,
            "SELECT mpg_limit('plane_bytes', 500)",
            "SELECT * FROM xplane_trace('fixtures/xplane')",
        )
        self.check(
            "more than 1 planes$", 50, "SELECT mpg_limit('planes', 1)", "SELECT * FROM xplane_planes('fixtures/xplane')"
        )

    def test_patterns(self):
        path = self.file("a" * 40 + "b\n", "steps.log")
        self.check(
            "takes more than 10000000 steps on this line", 50, f"SELECT * FROM log_trace({quote(path)}, '(?<x>(a+)+)$')"
        )
        self.check(
            "takes more than 1000 steps on this line",
            50,
            "SELECT mpg_limit('pattern_steps', 1000)",
            f"SELECT * FROM log_trace({quote(path)}, '(?<x>(a+)+)$')",
        )

    def test_buckets(self):
        self.check("into more than 10000000 buckets$", 50, "SELECT * FROM trace_rollup('fixtures/golden', 0.000001)")
        self.check(
            "into more than 5 buckets$",
            50,
            "SELECT mpg_limit('buckets', 5)",
            "SELECT * FROM trace_rollup('fixtures/golden', 10)",
        )
        self.assertIsNone(run("SELECT * FROM trace_rollup('fixtures/golden', 10)")[0])
        # The golden fleet lasts for 100 s from 1970 on, and the last bucket may be cut off.
        for limit, enough, fewer in ((10, "10", "9.9"), (4, "'30'", "'24.9'"), (1, "'1 month'", "99"), (2, "50", "49")):
            self.assertIsNone(
                run(
                    f"SELECT mpg_limit('buckets', {limit})", f"SELECT * FROM trace_rollup('fixtures/golden', {enough})"
                )[0]
            )
            self.check(
                f"into more than {limit} buckets$",
                50,
                f"SELECT mpg_limit('buckets', {limit})",
                f"SELECT * FROM trace_rollup('fixtures/golden', {fewer})",
            )
        self.check(
            "into more than 1 buckets$",
            50,
            "SELECT mpg_limit('buckets', 1)",
            "SELECT * FROM trace_rollup('fixtures/fleet', '1 month') WHERE as_of = '2026-02-01T00:00:01'",
        )

    def test_groups(self):
        path = self.file("a,b\n" + "".join(f"{i},1\n" for i in range(200000)), "groups.csv")
        for threads in (1, 4):
            rollup = f"SELECT * FROM csv_rollup({quote(path)}, 'b', 'a') WHERE threads = {threads}"
            self.check("groups.csv:[0-9]+:1: more than 1000 groups$", 100, "SELECT mpg_limit('groups', 1000)", rollup)
            self.check(
                "groups.csv:[0-9]+:1: more than 199999 groups$", 200, "SELECT mpg_limit('groups', 199999)", rollup
            )
            self.assertEqual([None, 200000], run("SELECT mpg_limit('groups', 200000)", rollup)[:2])

    def test_issues(self):
        os.mkdir(self.path("broken"))
        for i in range(30):
            self.file('{"a":1}\n{"a":\n{\n', f"broken/{i:02}.jsonl")
        db = connect()
        db.execute("SELECT mpg_limit('issues', 10)")
        scan = f"SELECT count(*) FROM jsonl_trace({quote(self.path('broken'))}) WHERE on_error = 'skip'"
        self.assertEqual((30,), db.execute(scan).fetchone())
        rows = db.execute("SELECT source, kind, count, severity, detail FROM mpg_issues").fetchall()
        self.assertEqual(11, len(rows))
        self.assertEqual(60, sum(row[2] for row in rows))
        self.assertEqual(
            [
                (
                    "mpg_issues",
                    "issues_not_listed",
                    40,
                    "data_loss",
                    "more than mpg_limit('issues') allows: the first that is not listed is skipped_record of "
                    + self.path("broken/10.jsonl"),
                )
            ],
            [row for row in rows if row[0] == "mpg_issues"],
        )

    def test_the_heap(self):
        """SQLite's own limit holds for all memory of the extension; decompressors too, whose memory is SQLite's."""
        relations = self.file(
            '{"record":"capacity","pool":"p","chips":1,"start_time":0}\n'
            + "".join(
                f'{{"record":"allocation","job":"job-{i}","pool":"p","chips":1,"start_time":{i},"end_time":{i + 1}}}\n'
                for i in range(100000)
            ),
            "heap.jsonl",
        )
        packed = self.file(gzip.compress(b"a\n1\n"), "heap.gz")
        for limit, scan in (
            (4_000_000, f"SELECT count(*) FROM trace_rollup({quote(relations)}) WHERE threads = 1"),
            (700_000, f"SELECT count(*) FROM csv_trace({quote(packed)})"),
        ):
            self.assertIsNone(run(scan)[0])
            self.check("^out of memory$", 60, f"PRAGMA hard_heap_limit = {limit}", scan)
            Child.end()  # SQLite lowers that limit and never raises it


@unittest.skipUnless(os.environ.get("MPG_FULL"), "MPG_FULL=1: it goes by a clock")
class Collisions(Case):
    """Names made to have one hash, for whoever knows how they are hashed, take no longer than others: the hash has a seed."""

    N = 40000
    ODD = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03  # what words are multiplied with where there is no seed

    @staticmethod
    def fold(a, b):
        product = a * b
        return (product ^ product >> 64) & (1 << 64) - 1

    def seconds(self, sql, n, rows):
        path = self.file(b"job,name\n" + b"".join(row + b",a\n" for row in rows), "jobs.csv")
        db = connect()
        started = time.process_time()
        self.assertEqual((n,), db.execute(sql.format(quote(path))).fetchone())
        return time.process_time() - started

    def compare(self, sql, n, rows):
        rows = [row for row in rows if min(row) > 13 and not set(row) & set(b'",')][: self.N]
        others = [row[8:] + row[:8] for row in rows]
        usual = min(self.seconds(sql, n, others) for _ in range(2))
        self.assertLess(self.seconds(sql, n, rows), 10 * usual + 0.1)

    def test_names(self):
        start = self.fold(16 ^ self.ODD[0], self.ODD[1])
        words = [int.from_bytes(b"%08d" % i, "little") for i in range(3 * self.N)]
        rows = [w.to_bytes(8, "little") + self.fold(start ^ w, self.ODD[0]).to_bytes(8, "little") for w in words]
        self.compare("SELECT count(*) FROM trace_rollup({})", 0, rows)

    def test_groups(self):
        rows = [b"%08d" % i + self.ODD[0].to_bytes(8, "little") for i in range(self.N)]
        self.compare("SELECT count(*) FROM csv_rollup WHERE path = {} AND by = 'job'", self.N, rows)


@unittest.skipUnless(os.environ.get("MPG_FULL"), "MPG_FULL=1: it goes by a clock")
class Squares(Case):
    """One job with very many cells makes what follows no slower, however many pools or jobs there are."""

    def seconds(self, sql, lines):
        path = self.file("".join(lines), "fleet.jsonl")
        db = connect()
        started = time.process_time()
        db.execute(sql.format(quote(path))).fetchall()
        return time.process_time() - started

    def compare(self, sql, one, others):
        apart = self.seconds(sql, one) + self.seconds(sql, others)
        self.assertLess(self.seconds(sql, one + others), 3 * apart + 0.2)

    @staticmethod
    def attempts(job, n):
        return [
            f'{{"record":"allocation","job":"{job}","attempt":{i},"pool":"p","chips":8,"start_time":{i},"end_time":{i + 1}}}\n'
            for i in range(n)
        ]

    def test_pools(self):
        pools = [
            f'{{"record":"capacity","pool":"p{i}","chips":8,"start_time":0,"end_time":9}}\n' for i in range(200_000)
        ]
        self.compare(
            "SELECT attempt, sum(chip_us) FROM trace_rollup({}) WHERE threads = 1 GROUP BY attempt",
            self.attempts("j", 200_000),
            pools,
        )


if __name__ == "__main__":
    unittest.main()
