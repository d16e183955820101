"""Files that no format describes: csv_trace and jsonl_trace, as table functions and as tables made over files.

What the tables say is held against Python's csv and json modules on files made at random, and equality that is tested
before SQLite sees a row against the same query on a copy of the rows in the database."""
import csv
import gzip
import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
import threading
import unittest

import cases
from fleets import ROOT, quote

SHARED = os.path.join(ROOT, "../shared/traces/fleet")
GOLDEN = os.path.join(ROOT, "fixtures/golden")
REFUSED = ("a table that opens files is made in the schema temp, where no database that somebody else wrote can hold one: "
           "CREATE VIRTUAL TABLE temp.")


class Case(cases.Case):
    FILE = "f.csv"

    def make(self, module, path, options="", name="t"):
        self.db.execute(f"DROP TABLE IF EXISTS temp.{name}")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.{name} USING {module}({quote(path)}{', ' if options else ''}{options})")

    def types(self, name="t"):
        return dict(self.rows("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", name))

    def refused(self, module, path, options=""):
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.make(module, path, options)
        return str(raised.exception)


class Forms(Case):
    def test_quick_look(self):
        path = self.file('job,gpus,note\nj1,8,"a ""b"", c"\nj2,4,\n')
        self.assertEqual(self.rows("SELECT record ->> 'job', record ->> 'gpus', typeof(record ->> 'gpus'), _line FROM csv_trace(?)", path),
                         [("j1", 8, "integer", 2), ("j2", 4, "integer", 3)])
        self.assertEqual(json.loads(self.rows("SELECT record FROM csv_trace(?)", path)[0][0]), {"job": "j1", "gpus": 8, "note": 'a "b", c'})
        path = self.file('{"job": "j1",  "n": [1, {"a": 2}]}\n', "f.jsonl")
        self.assertEqual(self.rows("SELECT record, record ->> '$.n[1].a', _line FROM jsonl_trace(?)", path),
                         [('{"job": "j1",  "n": [1, {"a": 2}]}', 2, 1)])
        self.assertEqual(self.rows("SELECT record FROM jsonl_trace(?, 'x $.n[1].a, job, n')", path), [('{"x":2,"job":"j1","n":[1, {"a": 2}]}',)])

    def test_table(self):
        path = self.file("job,gpus,hours,at\nj1,8,1.5,2017-10-07 01:12:09\nj2,NA,2,\n")
        self.make("csv_trace", path, "nulls='NA', types='at TIME', zone='America/Los_Angeles'")
        self.assertEqual(self.types(), {"job": "TEXT", "gpus": "BIGINT", "hours": "REAL", "at": "REAL"})
        self.assertEqual(self.rows("SELECT *, _file, _line FROM t"),
                         [("j1", 8, 1.5, 1507363929.0, path, 2), ("j2", None, 2.0, None, path, 3)])
        self.assertEqual(self.rows("SELECT typeof(gpus), typeof(hours) FROM t"), [("integer", "real"), ("null", "real")])
        # Twice in one statement, and once for each row of another.
        self.assertEqual(self.one("SELECT count(*) FROM t AS a, t AS b WHERE a.job <= b.job"), 3)

    def test_paths_of_json(self):
        path = self.file('{"jobid": "a", "attempts": [{"n": 3, "at": {"x y": 1.5}}], "ok": true}\n{"jobid": 7, "attempts": []}\n', "f.jsonl")
        self.make("jsonl_trace", path, """columns='job $.jobid TEXT, gpus $.attempts[0].n BIGINT, "x y" $.attempts[0].at."x y", ok, all $.attempts'""")
        self.assertEqual(self.types(), {"job": "TEXT", "gpus": "BIGINT", "x y": "REAL", "ok": "BIGINT", "all": "TEXT"})
        self.assertEqual(self.rows("SELECT * FROM t"),
                         [("a", 3, 1.5, 1, '[{"n": 3, "at": {"x y": 1.5}}]'), ("7", None, None, None, "[]")])
        self.make("jsonl_trace", path, "types='jobid TEXT'")
        self.assertEqual(self.rows("SELECT jobid, ok FROM t"), [("a", 1), ("7", None)])

    def test_truths_beside_numbers(self):
        """Whichever comes first: the records that types are found from are read by them."""
        for values, kind, shown in [(["true", "1.5"], "TEXT", ["true", "1.5"]), (["1.5", "true"], "TEXT", ["1.5", "true"]),
                                    (["true", "7", "1.5"], "TEXT", ["true", "7", "1.5"]), (["7", "false", "1e2"], "TEXT", ["7", "false", "1e2"]),
                                    (["true", "null", "7", "false"], "BIGINT", [1, None, 7, 0])]:
            with self.subTest(values=values):
                self.make("jsonl_trace", self.file("".join(f'{{"a": {v}}}\n' for v in values), "f.jsonl"))
                self.assertEqual(self.types(), {"a": kind})
                self.assertEqual(self.rows("SELECT a FROM t"), [(v,) for v in shown])

    def test_an_array_of_objects(self):
        path = self.file(json.dumps([{"a": 1, "b": "x"}, {"a": 2, "b": None}], indent=1), "f.json")
        self.make("jsonl_trace", path)
        self.assertEqual(self.rows("SELECT *, _line FROM t"), [(1, "x", 2), (2, None, 6)])

    def test_shapes_of_text(self):
        cases = [
            ("a;b\n1;2\n", "delimiter=';'", ["a", "b"], [(1, 2)]),
            ("a\tb\n1\t2\n", "delimiter=tab", ["a", "b"], [(1, 2)]),
            ("a\tb\n1\t2\n", r"delimiter='\t'", ["a", "b"], [(1, 2)]),
            ("1,x\n2,y\n", "header=no", ["c1", "c2"], [(1, "x"), (2, "y")]),
            ("1,x\n2,y\n", "names='n, \"t u\"'", ["n", "t u"], [(1, "x"), (2, "y")]),
            ("n,t\n1,x\n", "names='a,b', header=yes", ["a", "b"], [(1, "x")]),
            ('a,b\n1,"x\n', "quote=none", ["a", "b"], [(1, '"x')]),
            ("a,b\n007,1\n", "", ["a", "b"], [("007", 1)]),
            ("a,b\n,x\n, \n1,y\n", "", ["a", "b"], [(None, "x"), (None, " "), (1, "y")]),
            ("a\n1\n18446744073709551616\n", "", ["a"], [("1",), ("18446744073709551616",)]),
            (",x\n5,6\n", "", ["c1", "x"], [(5, 6)]),
            ("a,b\r\n1,2\r\n", "", ["a", "b"], [(1, 2)]),
        ]
        for text, options, names, rows in cases:
            with self.subTest(text=text, options=options):
                self.make("csv_trace", self.file(text), options)
                self.assertEqual(list(self.types()), names)
                self.assertEqual(self.rows("SELECT * FROM t"), rows)

    def test_options_as_arguments(self):
        path = self.file("1;x\n2;-\n")
        self.assertEqual(self.rows("SELECT record FROM csv_trace(?, ';', 'no', 'n,t', 't TEXT', '-')", path),
                         [('{"n":1,"t":"x"}',), ('{"n":2,"t":null}',)])
        self.assertEqual(self.rows("SELECT record FROM csv_trace(?) WHERE delimiter = ';' AND header = 0", path),
                         [('{"c1":1,"c2":"x"}',), ('{"c1":2,"c2":"-"}',)])
        self.assertEqual(self.rows("SELECT * FROM csv_trace(?, NULL)", path), [])
        self.assertEqual(self.rows("SELECT * FROM csv_trace(NULL)"), [])

    def test_text_outlives_its_row(self):
        self.make("csv_trace", self.file("n,t\n1,a\n3,b\n2,c\n"))
        self.assertEqual(self.rows("SELECT max(n), t FROM t"), [(3, "b")])
        self.assertEqual(self.rows("SELECT t FROM t ORDER BY n DESC"), [("b",), ("c",), ("a",)])


class Many(Case):
    def test_compressed_glob_and_folder(self):
        one = self.file(gzip.compress(b"a,b\n1,x\n"), "1.csv.gz")
        folder = os.path.dirname(one)
        paths = [one]
        if shutil.which("zstd"):
            plain = self.file("a,b\n2,y\n", "2.csv")
            shutil.move(plain, folder + "/2.csv")
            subprocess.run(["zstd", "-q", "--rm", folder + "/2.csv"], check=True)
            paths.append(folder + "/2.csv.zst")
        with open(folder + "/3.csv", "w", encoding="utf-8") as file:
            file.write("a,b\n3,z\n")
        paths.append(folder + "/3.csv")
        for path in (folder, folder + "/*.csv*"):
            self.make("csv_trace", path)
            self.assertEqual(self.rows("SELECT _file, _line, a FROM t"), [(p, 2, int(os.path.basename(p)[0])) for p in paths])

    def test_headers_that_differ(self):
        one = self.file("a,b\n1,x\n", "1.csv")
        folder = os.path.dirname(one)

        def second(text):
            with open(folder + "/2.csv", "w", encoding="utf-8") as file:
                file.write(text)
            self.make("csv_trace", folder)
        second("b,a\ny,2\n")
        self.assertEqual(self.rows("SELECT a, b FROM t"), [(1, "x"), (2, "y")])
        self.assertEqual(self.issues(folder + "/2.csv"), {})
        second("a,c,b\n3,0,z\n")
        self.assertEqual(self.rows("SELECT a, b FROM t"), [(1, "x"), (3, "z")])
        self.assertEqual(self.issues(folder + "/2.csv"), {"undeclared_column": 1})
        second("c,a\n3,0\n")
        text = f'{folder}/2.csv:1:1: expected a header with "b", which the first file has, found one of 2 names from "c" on'
        self.assertEqual(self.error("SELECT a FROM t"), "csv_trace: " + text)
        self.make("csv_trace", folder, "on_error=skip")
        self.assertEqual(self.rows("SELECT a FROM t"), [(1,)])
        self.assertEqual(self.rows("SELECT kind, detail FROM mpg_issues WHERE source = ?", folder + "/2.csv"), [("skipped_record", text)])

    def test_the_quick_look_takes_each_file_as_it_is(self):
        one = self.file("a,b\n1,x\n", "1.csv")
        folder = os.path.dirname(one)
        with open(folder + "/2.csv", "w", encoding="utf-8") as file:
            file.write("b,c\n7,n/a\n8,9\n")
        self.assertEqual(self.rows("SELECT record FROM csv_trace(?)", folder),
                         [('{"a":1,"b":"x"}',), ('{"b":7,"c":"n/a"}',), ('{"b":8,"c":"9"}',)])
        self.assertEqual(self.issues(folder + "/2.csv"), {})

    def test_the_first_file_with_records_tells_the_types(self):
        one = self.file("a,b\n", "1.csv")
        folder = os.path.dirname(one)
        for name, text in (("2.csv", "a,b\n"), ("3.csv", "a,b\n1,x\n")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        self.make("csv_trace", folder)
        self.assertEqual(self.types(), {"a": "BIGINT", "b": "TEXT"})
        self.assertEqual(self.rows("SELECT * FROM t"), [(1, "x")])


class Differential(Case):
    ALPHABET = ["a", "B", "7", " ", ",", ";", '"', "\n", "\r\n", "é", "0", "-", ".", "x" * 70]

    def test_csv(self):
        rng = random.Random(5)
        for turn in range(60):
            width = rng.randrange(1, 7)
            rows = [["".join(rng.choices(self.ALPHABET, k=rng.randrange(6))) for _ in range(width)] for _ in range(rng.randrange(40))]
            rows = [row for row in rows if width > 1 or row[0]]
            out = io.StringIO(newline="")
            delimiter = rng.choice(",;")
            writer = csv.writer(out, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"]), quoting=rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
            writer.writerow([f"n{i}" for i in range(width)])
            writer.writerows(rows)
            path = self.file(out.getvalue().encode(), "f.csv")
            self.make("csv_trace", path, f"delimiter='{delimiter}', types=TEXT")
            self.assertEqual(self.rows("SELECT * FROM t"), [tuple(value or None for value in row) for row in rows], turn)
            records = [json.loads(row[0]) for row in self.rows("SELECT record FROM csv_trace(?, ?) WHERE types = 'TEXT'", path, delimiter)]
            self.assertEqual(records, [{f"n{i}": value or None for i, value in enumerate(row)} for row in rows])

    def test_numbers(self):
        rng = random.Random(6)
        rows = [(rng.randrange(-2**63, 2**63), rng.choice([rng.uniform(-1, 1) * 10**rng.randrange(-300, 300), float(rng.randrange(9))])) for _ in range(500)]
        self.make("csv_trace", self.file("i,r\n" + "".join(f"{i},{r!r}\n" for i, r in rows)))
        self.assertEqual(self.types(), {"i": "BIGINT", "r": "REAL"})
        self.assertEqual(self.rows("SELECT * FROM t"), rows)
        self.make("jsonl_trace", self.file("".join(json.dumps({"i": i, "r": r}) + "\n" for i, r in rows), "f.jsonl"))
        self.assertEqual(self.rows("SELECT i, r FROM t"), rows)

    def test_json(self):
        rng = random.Random(7)

        def value(depth=0):
            kind = rng.randrange(7 if depth < 3 else 5)
            if kind < 5:
                return [None, True, rng.randrange(-10**15, 10**15), rng.random(), "".join(rng.choices(self.ALPHABET, k=3))][kind]
            return [value(depth + 1) for _ in range(rng.randrange(3))] if kind == 5 else {k: value(depth + 1) for k in rng.sample("abc", rng.randrange(3))}

        records = [{key: value() for key in rng.sample(["a", "b", "c", "d e"], 4)} for _ in range(400)]
        path = self.file("".join(json.dumps(r, ensure_ascii=rng.random() < 0.5) + "\n" for r in records), "f.jsonl")
        self.make("jsonl_trace", path, "types=TEXT")
        for name in ("a", "b", "c", "d e"):
            for record, (found,) in zip(records, self.rows(f'SELECT "{name}" FROM t'), strict=True):
                v = record[name]
                expected = v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False)
                if v is not None and not isinstance(v, str):
                    found, expected = json.loads(found), json.loads(expected)
                self.assertEqual(found, expected)
        self.assertEqual([json.loads(r) for r, in self.rows("SELECT record FROM jsonl_trace(?)", path)], records)

    def test_equality(self):
        """Tested before SQLite sees a row, and never any other rows than SQLite would find."""
        self.make("csv_trace", self.file("t,i,r\na,1,1\nA,2,1.5\n1,1,2\nNA,,\n,3,\n007,9223372036854775807,1e300\n"), "types='t TEXT', nulls=NA")
        self.db.execute("CREATE TABLE copy AS SELECT *, _line FROM t")
        values = ["'a'", "'A'", "'1'", "1", "1.0", "'1.0'", "NULL", "''", "'NA'", "x'61'", "'007'", "7", "9223372036854775807", "9.3e18", "1.5", "3", "'3'", "true"]
        for name in "tir":
            for v in values:
                for how in (f"{name} = {v}", f"{name} = {v} COLLATE NOCASE", f"{name} COLLATE NOCASE = {v}", f"{name} IN ({v}, 'a', 3)", f"{name} IS {v}"):
                    self.assertEqual(self.rows(f"SELECT *, _line FROM t WHERE {how} ORDER BY _line"),
                                     self.rows(f"SELECT * FROM copy WHERE {how} ORDER BY _line"), how)
        self.assertEqual(self.rows("SELECT _line FROM t WHERE t = '1' AND i = 1 AND r = 2"), [(4,)])
        self.assertEqual(self.rows("SELECT a._line, b._line FROM t AS a JOIN t AS b ON a.t = b.t AND a.i = b.i ORDER BY 1"),
                         [(2, 2), (3, 3), (4, 4), (7, 7)])

    def test_equality_in_utf16(self):
        db = sqlite3.connect(":memory:")
        self.addCleanup(db.close)
        db.execute("PRAGMA encoding = 'UTF-16'")
        db.enable_load_extension(True)
        db.load_extension(os.path.join(ROOT, "mpg"))
        db.execute(f"CREATE VIRTUAL TABLE temp.t USING csv_trace({quote(self.file('t' + chr(10) + 'é' + chr(10)))})")
        self.assertEqual(db.execute("SELECT t FROM t WHERE t = 'é'").fetchall(), [("é",)])


class Errors(Case):
    def test_ragged_records(self):
        path = self.file("a,b\n1,2\n3\n4,5,6\n7,8\n")
        self.make("csv_trace", path)
        self.assertEqual(self.error("SELECT * FROM t"), f"csv_trace: {path}:3:2: expected 2 fields, as in the header, found 1")
        self.make("csv_trace", path, "on_error='skip'")
        self.assertEqual(self.rows("SELECT a, b, _line FROM t"), [(1, 2, 2), (7, 8, 5)])
        self.assertEqual(self.rows("SELECT severity, kind, line, count FROM mpg_issues WHERE source = ?", path), [("data_loss", "skipped_record", 3, 2)])
        self.assertEqual(self.rows("SELECT record FROM csv_trace(?) WHERE on_error = 'skip'", path), [('{"a":1,"b":2}',), ('{"a":7,"b":8}',)])

    def test_a_damaged_compressed_file_ends(self):
        """Its error cannot be skipped: what was read before it is told, it is counted once, and the scan is over."""
        for module, line in (("csv_trace", b"%d,x\n"), ("jsonl_trace", b'{"a":%d}\n')):
            data = gzip.compress(b"a,b\n" * (module == "csv_trace") + b"".join(line % n for n in range(400_000)), 1)
            path = self.file(data[:-9000], "f.gz")
            count = self.one(f"SELECT count(*) FROM {module}(?) WHERE on_error = 'skip'", path)
            self.assertTrue(100_000 < count < 400_000, (module, count))
            self.assertEqual(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 1)])
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
        self.assertEqual(self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path), [("skipped_record", 10002, 1, text)])
        self.assertEqual(self.one("SELECT count(t) FROM t"), 10002)
        self.assertEqual(self.issues(path), {})
        path = self.file('{"a": 1}\n' * 10000 + '{"a": {"b": 2}}\n', "f.jsonl")
        self.make("jsonl_trace", path)
        self.assertIn(':10001:7: expected a whole number within 64 bits for a, found "{"b": 2}" (types=', self.error("SELECT sum(a) FROM t"))
        # What the first records would have told to be a name is no number later either: of "007" and "7" neither is the other.
        for first, later, fits in ((1, "007", 0), (1, " 007", 0), (1, "-07", 0), (1, "0", 1), (1, "-0", 1), (1, " 7 ", 1), (1.5, "007", 0), (1.5, "00.5", 0), (1.5, "-00.5", 0),
                                   (1.5, "0.5", 1), (1.5, "-0.5", 1), (1.5, "0e1", 1), (1.5, "18446744073709551616", 0), (1.5, "9223372036854775807", 1), (1.5, "01234567890.123456", 0)):
            for module, text in (("csv_trace", "n,t\n" + f"{first},a\n" * 10000 + f"{later},b\n"),
                                 ("jsonl_trace", f'{{"n":{first},"t":"a"}}\n' * 10000 + f'{{"n":"{later}","t":"b"}}\n')):
                path = self.file(text, "f." + module[:4])
                for options in ("", "threads=1", "on_error=skip"):
                    with self.subTest(first=first, later=later, module=module, options=options):
                        self.make(module, path, options)
                        sums = ("SELECT sum(n) FROM t", "SELECT count(*) FROM t WHERE n < 1e300", "SELECT count(DISTINCT n) FROM t")
                        rolled = f"SELECT record FROM {module[:-6]}_rollup(?, 'n', 'n')" + (" WHERE on_error = 'skip'" if "skip" in options else "")
                        if fits:
                            self.assertEqual([self.one(sql) for sql in sums], [first * 10000 + float(later), 10001, 2])
                            self.assertEqual(len(self.rows(rolled, path)), 2)
                        elif "skip" in options:
                            self.assertEqual([self.one(sql) for sql in sums], [first * 10000, 10000, 1])
                            self.assertEqual(len(self.rows(rolled, path)), 1)
                        else:
                            for sql in sums:
                                self.assertIn(f'expected a number as the first records have them, no name of digits, for n, found "{later}"', self.error(sql))
                            self.assertIn("no name of digits", self.error(rolled, path))
                if not fits:  # a type that was given reads what it can
                    self.make(module, path, f"types='n {'BIGINT' if first == 1 else 'REAL'}'")
                    self.assertEqual(self.one("SELECT sum(n) FROM t"), first * 10000 + float(later))
        # Of JSON only strings are held against nulls: of others the message does not speak of them.
        path = self.file('{"a": 1}\n' * 10000 + '{"a": 2.5}\n{"a": "-"}\n', "f.jsonl")
        self.make("jsonl_trace", path, "nulls='2.5'")
        self.assertEqual(self.error("SELECT sum(a) FROM t"), f"jsonl_trace: {path}:10001:7: expected a whole number within 64 bits for a, found \"2.5\" "
                         "(types='a TEXT' reads the column as text)")
        self.assertIn("(nulls='-' reads it as NULL, types='a TEXT' the column as text)", self.error("SELECT sum(a) FROM t WHERE _line > 10001"))

    def test_wrong_formats(self):
        path = self.file('{"a": 1}\n')
        self.assertEqual(self.refused("csv_trace", path),
                         f'csv_trace: {path}:1:1: expected a header that names columns, found "{{"a": 1}}" (JSON: read it with jsonl_trace)')
        path = self.file("a,b\n1,2\n")
        self.assertEqual(self.refused("jsonl_trace", path), f"jsonl_trace: {path}:1:1: expected an object, found 'a'")
        path = self.file(bytes(range(256)) * 50)
        self.assertRegex(self.refused("csv_trace", path), "^csv_trace: .*:1:1: expected text, found byte 0x00$")
        self.assertRegex(self.error("SELECT * FROM jsonl_trace(?)", path), "^jsonl_trace: .*:1:1: expected an object, found byte 0x00$")
        path = self.file("")
        self.assertEqual(self.refused("csv_trace", path), f"csv_trace: {path}:1:1: expected a record that shows the columns, found end of file")
        self.assertIn("no such file", self.refused("csv_trace", path + ".missing"))
        cut = self.file(gzip.compress(b"a,b\n1,2\n")[:-12], "cut.gz")
        self.assertIn("truncated gzip stream", self.refused("csv_trace", cut))
        cut = self.file(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(500000)))[:-30], "cut.gz")
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
            ("columns='a'", "expected the path in quotes, or one of path, delimiter, header, names, types, nulls, quote, zone, on_error, threads = value, found \"columns='a'\""),
            ("delimiter=';' x", "expected the path in quotes, or one of path, delimiter, header, names, types, nulls, quote, zone, on_error, threads = value, found \"delimiter=';' x\""),
            ("delimiter='ab'", "delimiter: expected one byte, or tab"),
            ("delimiter='\"'", "delimiter: cannot be a quote, a line end or NUL"),
            ("header=maybe", "header: expected yes or no"),
            ("names='a,a'", 'names: expected names that differ, found "a"'),
            ("types='a BLOB'", 'types: expected NAME and BIGINT, REAL, TEXT or TIME, found "a BLOB"'),
            ("types='z TEXT'", 'types: no column is called "z"'),
            ("zone='/etc/x'", "zone: expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, found \"/etc/x\""),
            ("on_error=no", "on_error: expected 'stop' or 'skip'"),
            ("quote=x", "quote: expected '\"' or none"),
            ("header=yes, header=no", "header is given twice"),
        ):
            self.assertEqual(self.refused("csv_trace", path, options), "csv_trace: " + text)
        for options, text in (
            ("columns='a $.b c'", "columns: expected NAME, NAME $.PATH, NAME TYPE or NAME $.PATH TYPE, with BIGINT, REAL, TEXT or TIME as the type, found \"a $.b c\""),
            ("columns='a $b'", "columns: path \"$b\": expected '.' or '[' at byte 2"),
            ("header=no", "expected the path in quotes, or one of path, columns, types, nulls, zone, on_error, threads = value, found \"header=no\""),
        ):
            self.assertEqual(self.refused("jsonl_trace", self.file("{}", "f.jsonl"), options), "jsonl_trace: " + text)
        for table in ("csv_trace", "jsonl_trace"):
            self.assertRegex(self.error(f"SELECT * FROM {table}"), rf"^{table}: expected a path, as in {table}\('jobs\.\w+'\)$")
            self.assertEqual(self.error(f"SELECT * FROM {table}(5)"), f"{table}: path: expected a file, a glob or a folder")
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
                self.assertEqual(str(raised.exception), f"{table}: {REFUSED}\"t\" USING {table}({quote(path)}, types='a TEXT')")

    def test_a_schema_that_somebody_else_wrote(self):
        path = self.file("a\n1\n")
        database = os.path.join(os.path.dirname(path), "evil.db")
        with sqlite3.connect(database) as evil:
            evil.execute("CREATE TABLE t(a)")
            evil.execute("PRAGMA writable_schema = 1")
            for name in ("x", "csv_trace"):
                evil.execute("INSERT INTO sqlite_schema VALUES ('table', ?1, ?1, 0, 'CREATE VIRTUAL TABLE ' || ?1 || ' USING csv_trace(''' || ?2 || ''')')",
                             (name, path))
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


class Fleets(Case):
    """Tables of real fleets, read as they are."""

    def setUp(self):
        super().setUp()
        if not os.path.isdir(SHARED):
            self.skipTest("../shared is not here")

    def test_philly(self):
        self.make("csv_trace", SHARED + "/helios_philly_node_sequence.csv", "types='time TIME'")
        self.assertEqual(self.types(), {"time": "REAL", "active": "BIGINT", "total": "BIGINT"})
        self.assertEqual(self.rows("SELECT round(avg(active), 2), count(*) FROM t"), [(312.99, 105644)])
        self.assertEqual(self.rows("SELECT total, count(*) FROM t GROUP BY total ORDER BY 2 DESC"), [(420, 102704), (552, 2880), (174, 60)])
        self.make("csv_trace", SHARED + "/alibaba_philly_runtime.csv")
        with open(SHARED + "/alibaba_philly_runtime.csv", encoding="utf-8") as file:
            times = [float(row["runtime"]) for row in csv.DictReader(file)]
        self.assertEqual(self.rows("SELECT count(*), max(runtime) FROM t"), [(len(times), max(times))])

    def test_acme(self):
        """Of jobs, and of the time of GPUs: what most jobs are is not where the chips went."""
        self.make("csv_trace", SHARED + "/acme_cluster_summary.csv")
        found = self.rows("SELECT id, complete_rate_gpu, complete_gpu_time / (complete_gpu_time + cancel_gpu_time + fail_gpu_time) FROM t")
        self.assertEqual([row[0] for row in found], ["Seren", "Kalos", "Philly", "Helios", "PAI"])
        with open(SHARED + "/acme_cluster_summary.csv", encoding="utf-8") as file:
            for row, (_, jobs, time) in zip(csv.DictReader(file), found, strict=True):
                if row["id"] == "PAI":
                    self.assertEqual((jobs, time), (None, None))
                    continue
                self.assertAlmostEqual(time, float(row["complete_rate_gpu_time"]), delta=0.001)
                self.assertGreater(jobs - time, 0.1)


if __name__ == "__main__":
    unittest.main()
