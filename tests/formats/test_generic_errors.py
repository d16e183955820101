"""What csv_trace and jsonl_trace say of files and options that are wrong, of values that do not fit, and of a file that is being written; and that
a schema that somebody else wrote opens none."""

import gzip
import os
import sqlite3
import threading
import unittest

import cases
from fleets import ROOT, quote
from generic import REFUSED, Case


class Errors(Case):
    def test_ragged_records(self):
        path = self.file("a,b\n1,2\n3\n4,5,6\n7,8\n")
        self.make("csv_trace", path)
        self.assertEqual(
            self.error("SELECT * FROM t"), f"csv_trace: {path}:3:2: expected 2 fields, as in the header, found 1"
        )
        self.make("csv_trace", path, "on_error='skip'")
        self.assertEqual(self.rows("SELECT a, b, _line FROM t"), [(1, 2, 2), (7, 8, 5)])
        self.assertEqual(
            self.rows("SELECT severity, kind, line, count FROM mpg_issues WHERE source = ?", path),
            [("data_loss", "skipped_record", 3, 2)],
        )
        self.assertEqual(
            self.rows("SELECT record FROM csv_trace(?) WHERE on_error = 'skip'", path),
            [('{"a":1,"b":2}',), ('{"a":7,"b":8}',)],
        )

    def test_a_damaged_compressed_file_ends(self):
        """Its error cannot be skipped: what was read before it is told, it is counted once, and the scan is over."""
        for module, line in (("csv_trace", b"%d,x\n"), ("jsonl_trace", b'{"a":%d}\n')):
            data = gzip.compress(b"a,b\n" * (module == "csv_trace") + b"".join(line % n for n in range(400_000)), 1)
            path = self.file(data[:-9000], "f.gz")
            count = self.one(f"SELECT count(*) FROM {module}(?) WHERE on_error = 'skip'", path)
            self.assertTrue(100_000 < count < 400_000, (module, count))
            self.assertEqual(
                self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 1)]
            )
            self.assertIn("truncated gzip stream", self.error(f"SELECT count(*) FROM {module}(?)", path))

    def test_values_that_do_not_fit(self):
        """Beyond the records that types are found from: an error with the place, never another type."""
        path = self.file("n,t\n" + "1,a\n" * 10000 + "x,b\n2,c\n")
        text = f"{path}:10002:1: expected a whole number within 64 bits for n, found \"x\" (nulls='x' reads it as NULL, types='n TEXT' the column as text)"
        self.make("csv_trace", path)
        self.assertEqual(self.error("SELECT sum(n) FROM t"), "csv_trace: " + text)
        self.assertEqual(self.one("SELECT count(t) FROM t"), 10002)  # a column that nobody asks for is not decoded
        self.make("csv_trace", path, "nulls='x'")
        self.assertEqual(self.one("SELECT sum(n) FROM t"), 10002)
        self.make("csv_trace", path, "types='n TEXT'")
        self.assertEqual(self.one("SELECT count(*) FROM t WHERE n = 'x'"), 1)
        self.make("csv_trace", path, "on_error=skip")
        self.assertEqual(self.rows("SELECT sum(n), count(*) FROM t"), [(10002, 10001)])
        self.assertEqual(
            self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path),
            [("skipped_record", 10002, 1, text)],
        )
        self.assertEqual(self.one("SELECT count(t) FROM t"), 10002)
        self.assertEqual(self.issues(path), {})
        path = self.file('{"a": 1}\n' * 10000 + '{"a": {"b": 2}}\n', "f.jsonl")
        self.make("jsonl_trace", path)
        self.assertIn(
            ':10001:7: expected a whole number within 64 bits for a, found "{"b": 2}" (types=',
            self.error("SELECT sum(a) FROM t"),
        )
        # What the first records would have told to be a name is no number later either: of "007" and "7" neither is the other.
        for first, later, fits in (
            (1, "007", 0),
            (1, " 007", 0),
            (1, "-07", 0),
            (1, "0", 1),
            (1, "-0", 1),
            (1, " 7 ", 1),
            (1.5, "007", 0),
            (1.5, "00.5", 0),
            (1.5, "-00.5", 0),
            (1.5, "0.5", 1),
            (1.5, "-0.5", 1),
            (1.5, "0e1", 1),
            (1.5, "18446744073709551616", 0),
            (1.5, "9223372036854775807", 1),
            (1.5, "01234567890.123456", 0),
        ):
            for module, text in (
                ("csv_trace", "n,t\n" + f"{first},a\n" * 10000 + f"{later},b\n"),
                ("jsonl_trace", f'{{"n":{first},"t":"a"}}\n' * 10000 + f'{{"n":"{later}","t":"b"}}\n'),
            ):
                path = self.file(text, "f." + module[:4])
                for options in ("", "threads=1", "on_error=skip"):
                    with self.subTest(first=first, later=later, module=module, options=options):
                        self.make(module, path, options)
                        sums = (
                            "SELECT sum(n) FROM t",
                            "SELECT count(*) FROM t WHERE n < 1e300",
                            "SELECT count(DISTINCT n) FROM t",
                        )
                        rolled = f"SELECT record FROM {module[:-6]}_rollup(?, 'n', 'n')" + (
                            " WHERE on_error = 'skip'" if "skip" in options else ""
                        )
                        if fits:
                            self.assertEqual([self.one(sql) for sql in sums], [first * 10000 + float(later), 10001, 2])
                            self.assertEqual(len(self.rows(rolled, path)), 2)
                        elif "skip" in options:
                            self.assertEqual([self.one(sql) for sql in sums], [first * 10000, 10000, 1])
                            self.assertEqual(len(self.rows(rolled, path)), 1)
                        else:
                            for sql in sums:
                                self.assertIn(
                                    f'expected a number as the first records have them, no name of digits, for n, found "{later}"',
                                    self.error(sql),
                                )
                            self.assertIn("no name of digits", self.error(rolled, path))
                if not fits:  # a type that was given reads what it can
                    self.make(module, path, f"types='n {'BIGINT' if first == 1 else 'REAL'}'")
                    self.assertEqual(self.one("SELECT sum(n) FROM t"), first * 10000 + float(later))
        # Of JSON only strings are held against nulls: of others the message does not speak of them.
        path = self.file('{"a": 1}\n' * 10000 + '{"a": 2.5}\n{"a": "-"}\n', "f.jsonl")
        self.make("jsonl_trace", path, "nulls='2.5'")
        self.assertEqual(
            self.error("SELECT sum(a) FROM t"),
            f'jsonl_trace: {path}:10001:7: expected a whole number within 64 bits for a, found "2.5" '
            "(types='a TEXT' reads the column as text)",
        )
        self.assertIn(
            "(nulls='-' reads it as NULL, types='a TEXT' the column as text)",
            self.error("SELECT sum(a) FROM t WHERE _line > 10001"),
        )

    def test_wrong_formats(self):
        path = self.file('{"a": 1}\n')
        self.assertEqual(
            self.refused("csv_trace", path),
            f'csv_trace: {path}:1:1: expected a header that names columns, found "{{"a": 1}}" (JSON: read it with jsonl_trace)',
        )
        path = self.file("a,b\n1,2\n")
        self.assertEqual(self.refused("jsonl_trace", path), f"jsonl_trace: {path}:1:1: expected an object, found 'a'")
        path = self.file(bytes(range(256)) * 50)
        self.assertRegex(self.refused("csv_trace", path), "^csv_trace: .*:1:1: expected text, found byte 0x00$")
        self.assertRegex(
            self.error("SELECT * FROM jsonl_trace(?)", path),
            "^jsonl_trace: .*:1:1: expected an object, found byte 0x00$",
        )
        path = self.file("")
        self.assertEqual(
            self.refused("csv_trace", path),
            f"csv_trace: {path}:1:1: expected a record that names the columns, found end of file",
        )
        self.assertIn("no such file", self.refused("csv_trace", path + ".missing"))
        cut = self.file(gzip.compress(b"a,b\n1,2\n")[:11], "cut.gz")
        self.assertIn("truncated gzip stream", self.refused("csv_trace", cut))
        cut = self.file(gzip.compress(b"a,b\n1,2\n3,4\n")[:-9], "cut.gz")
        self.make("csv_trace", cut)
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM t"))
        self.make("csv_trace", cut, "on_error=skip")
        self.assertEqual(self.rows("SELECT * FROM t"), [(1, 2), (3, 4)])
        cut = self.file(
            gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(500000)))[:-30], "cut.gz"
        )
        self.make("csv_trace", cut)
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM t"))

    def test_a_file_that_is_being_written(self):
        text = 'a,b\n1,"x y"\n2,"z"\n'
        # Records that are whole, and whether a part of one is left, by the bytes that are there. Behind its delimiter
        # a last field may be empty, or not written yet: there is no telling.
        expected = {6: (1, 0), 11: (1, 0), 12: (1, 0), 14: (2, 0), 17: (2, 0), 18: (2, 0)}
        for size in range(4, len(text) + 1):
            path = self.file(text[:size])
            whole, part = expected.get(size, (int(size > 12), int(size != 4)))
            self.assertEqual(self.one("SELECT count(*) FROM csv_trace(?)", path), whole, text[:size])
            issues = {"unfinished_record": 1} if part else {} if text[size - 1] == "\n" else {"no_line_end": 1}
            self.assertEqual(self.issues(path), issues, text[:size])
        lines = '{"a": 1}\n{"a": [1, "x"]}\n'
        for size in range(1, len(lines) + 1):
            path = self.file(lines[:size], "f.jsonl")
            whole = (size >= 8) + (size >= 24)
            self.assertEqual(self.one("SELECT count(*) FROM jsonl_trace(?)", path), whole)
            self.assertEqual(self.issues(path), {} if size in (8, 9, 24, 25) else {"unfinished_record": 1})

    def test_options(self):
        path = self.file("a,b\n1,2\n")
        for options, text in (
            (
                "columns='a'",
                "expected the path in quotes, or one of path, delimiter, header, names, types, nulls, quote, zone, on_error, threads = value, found \"columns='a'\"",
            ),
            (
                "delimiter=';' x",
                "expected the path in quotes, or one of path, delimiter, header, names, types, nulls, quote, zone, on_error, threads = value, found \"delimiter=';' x\"",
            ),
            ("delimiter='ab'", "delimiter: expected one byte, or tab, found 'ab'"),
            ("delimiter='\"'", "delimiter: expected no quote, line end or NUL, found '\"'"),
            ("header=maybe", "header: expected yes or no, found 'maybe'"),
            ("names='a,a'", 'names: expected names that differ, found "a"'),
            ("types='a BLOB'", 'types: expected NAME and BIGINT, REAL, TEXT or TIME, found "a BLOB"'),
            ("types='z TEXT'", 'types: expected the name of a column, found "z"'),
            (
                "zone='/etc/x'",
                'zone: expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, found "/etc/x"',
            ),
            ("on_error=no", "on_error: expected 'stop' or 'skip', found 'no'"),
            ("quote=x", "quote: expected '\"' or none, found 'x'"),
            ("header=yes, header=no", "header is given twice"),
        ):
            self.assertEqual(self.refused("csv_trace", path, options), "csv_trace: " + text)
        for options, text in (
            (
                "columns='a $.b c'",
                'columns: expected NAME, NAME $.PATH, NAME TYPE or NAME $.PATH TYPE, with BIGINT, REAL, TEXT or TIME as the type, found "a $.b c"',
            ),
            ("columns='a $b'", "columns: path \"$b\": expected '.' or '[' at byte 2"),
            (
                "header=no",
                'expected the path in quotes, or one of path, columns, types, nulls, zone, on_error, threads = value, found "header=no"',
            ),
        ):
            self.assertEqual(self.refused("jsonl_trace", self.file("{}", "f.jsonl"), options), "jsonl_trace: " + text)
        for table in ("csv_trace", "jsonl_trace"):
            self.assertRegex(
                self.error(f"SELECT * FROM {table}"), rf"^{table}: expected a path, as in {table}\('jobs\.\w+'\)$"
            )
            self.assertEqual(
                self.error(f"SELECT * FROM {table}(5)"), f"{table}: path: expected a file, a glob or a folder, found 5"
            )
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^{table}: expected a path, as in "):
                self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING {table}")

    def test_interrupt(self):
        path = self.file("a,b\n" + "x\n" * 3000000)
        timer = threading.Timer(0.1, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM csv_trace(?) WHERE on_error = 'skip'", path), "interrupted")
        timer.join()

    def test_memory_does_not_grow_with_the_file(self):
        peaks = []
        for times in (20000, 1000000):
            path = self.file("")
            with open(path, "w", encoding="utf-8") as file:
                file.write("job,gpus,note\n")
                for i in range(times):
                    file.write(f"job-{i},8,some text that takes its place\n")
            self.make("csv_trace", path)
            self.assertEqual(self.one("SELECT sum(gpus) FROM t WHERE note <> 'x'"), 8 * times)
            peaks.append(cases.peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 50 MB


class Security(Case):
    """A stored schema must never open a file."""

    def test_only_in_temp(self):
        path = self.file("a\n1\n")
        self.db.execute("ATTACH ':memory:' AS other")
        for schema in ("", "main.", "other."):
            for table in ("csv_trace", "jsonl_trace"):
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    self.db.execute(f"CREATE VIRTUAL TABLE {schema}t USING {table}({quote(path)}, types='a TEXT')")
                self.assertEqual(
                    str(raised.exception), f"{table}: {REFUSED}\"t\" USING {table}({quote(path)}, types='a TEXT')"
                )

    def test_a_schema_that_somebody_else_wrote(self):
        path = self.file("a\n1\n")
        database = os.path.join(os.path.dirname(path), "evil.db")
        with sqlite3.connect(database) as evil:
            evil.execute("CREATE TABLE t(a)")
            evil.execute("PRAGMA writable_schema = 1")
            for name in ("x", "csv_trace"):
                evil.execute(
                    "INSERT INTO sqlite_schema VALUES ('table', ?1, ?1, 0, 'CREATE VIRTUAL TABLE ' || ?1 || ' USING csv_trace(''' || ?2 || ''')')",
                    (name, path),
                )
        evil.close()
        for trusted in (0, 1):
            db = sqlite3.connect(database)
            db.enable_load_extension(True)
            db.load_extension(os.path.join(ROOT, "mpg"))
            db.execute(f"PRAGMA trusted_schema = {trusted}")
            for name in ("x", "csv_trace"):
                with self.assertRaisesRegex(sqlite3.DatabaseError, "is made in the schema temp"):
                    db.execute(f"SELECT * FROM {name}").fetchall()
            db.close()

    def test_views_and_triggers(self):
        path = self.file("a\n1\n")
        self.make("csv_trace", path)
        self.db.execute(f"CREATE VIEW v AS SELECT * FROM csv_trace({quote(path)})")
        self.assertEqual(self.error("SELECT * FROM v"), 'unsafe use of virtual table "csv_trace"')
        self.db.execute("CREATE TEMP VIEW mine AS SELECT a + 1 AS b FROM t")
        self.assertEqual(self.rows("SELECT b FROM mine"), [(2,)])
        self.db.execute("CREATE TABLE log(a)")
        self.assertEqual(self.error("DELETE FROM t"), "table t may not be modified")

    def test_nothing_is_opened_before_the_query_runs(self):
        """Of the table function; making a table reads the first file, for its header."""
        self.assertGreater(len(self.rows("EXPLAIN SELECT * FROM csv_trace('/missing')")), 0)
        path = self.file("a\n1\n")
        self.make("csv_trace", path)
        os.remove(path)
        self.assertGreater(len(self.rows("EXPLAIN SELECT * FROM t")), 0)
        self.assertIn("no such file", self.error("SELECT * FROM t"))


if __name__ == "__main__":
    unittest.main()
