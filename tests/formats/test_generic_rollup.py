"""csv_rollup and jsonl_rollup: files summed by the columns that a query names.

Whatever is asked of a roll-up is held against the same question put to the rows themselves, copied into the database by
csv_trace: sums, counts (sum(rows)), GROUP BY, WHERE, HAVING, DISTINCT and ORDER BY, of plain text and of text with quotes,
NULLs and spaces, for any number of threads."""

import csv
import gzip
import io
import json
import os
import random
import re
import sqlite3
import threading
import unittest

from cases import peak
from fleets import quote
from generic import REFUSED, Case as GenericCase

COLUMNS = 'pool, kind, n, r, gpus, start, "end"'
MEASURES = 'gpus, gpus * ("end" - start) AS gpu_s, r AS rr, r * gpus - 1 AS mixed'
PLAIN = 'sum(gpus), sum(gpus * ("end" - start)), sum(r), sum(r * gpus - 1), count(*)'
ROLLED = "sum(gpus), sum(gpu_s), sum(rr), sum(mixed), sum(rows)"


class Case(GenericCase):
    def rollup(self, path, options="", module="csv_rollup", name="r", measures=MEASURES):
        self.db.execute(f"DROP TABLE IF EXISTS temp.{name}")
        self.db.execute(
            f"CREATE VIRTUAL TABLE temp.{name} USING {module}({quote(path)}, measures={quote(measures)}{', ' if options else ''}{options})"
        )

    def records(self, rng, count, plain):
        """Rows of text; reals are quarters, so that sums of them are exact in any order."""
        pools = ["pod-a", "pod-b", "", "a pool with a long name indeed", "é"] + (
            [] if plain else ["x,y", 'say "hi"', "two\nlines", " "]
        )
        for _ in range(count):
            start = rng.randrange(10**9)
            yield [
                rng.choice(pools),
                rng.choice(["step", "save", "7", "007"]),
                rng.choice(["", "1", "2", "-3"]),
                rng.choice(["", str(rng.randrange(-400, 400) / 4)]),
                rng.choice(["", "8", "64", "1024"]),
                str(start),
                str(start + rng.randrange(10**5)),
            ]

    def csv_text(self, records, end="\n"):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator=end)
        writer.writerow("pool kind n r gpus start end".split())
        writer.writerows(records)
        return out.getvalue().encode()


class Law(Case):
    TYPES = "types='pool TEXT, kind TEXT, n BIGINT, r REAL, gpus BIGINT, start BIGINT, \"end\" BIGINT'"

    def compare(self):
        for keys in ("pool", "kind, pool", "n", "pool, kind, n", "start % 2", "r", "pool || kind, n"):
            self.same(f"SELECT {keys}, {{sums}} FROM {{t}} GROUP BY {keys} ORDER BY {keys}")
        self.same("SELECT {sums} FROM {t}")
        self.same("SELECT {sums} FROM {t} WHERE pool = 'pod-a'")
        self.same("SELECT {sums} FROM {t} WHERE +pool = 'pod-a'")
        self.same("SELECT n, {sums} FROM {t} WHERE pool = 'pod-a' AND n = -3 GROUP BY n")
        self.same("SELECT n, {sums} FROM {t} WHERE kind = '7' GROUP BY n ORDER BY n DESC")
        self.same("SELECT n, {sums} FROM {t} WHERE kind = 7 OR n IS NULL GROUP BY n ORDER BY n")
        self.same("SELECT pool, {sums} FROM {t} WHERE n IN (1, 2, 1) GROUP BY pool ORDER BY pool DESC")
        self.same("SELECT pool, kind, {sums} FROM {t} GROUP BY pool, kind HAVING {count} > 3 ORDER BY kind DESC, pool")
        self.same("SELECT DISTINCT pool, n FROM {t} ORDER BY n, pool DESC")
        self.same("SELECT pool COLLATE NOCASE AS p, {sums} FROM {t} WHERE pool COLLATE NOCASE = 'POD-A' GROUP BY 1")
        self.same("SELECT kind, max(n), min(pool) FROM {t} GROUP BY kind ORDER BY kind")

    def same(self, sql):
        plain = self.rows(sql.format(sums=PLAIN, t="plain", count="count(*)"))
        rolled = self.rows(sql.format(sums=ROLLED, t="r", count="sum(rows)"))
        self.assertEqual(rolled, plain, sql)

    def test_any_question(self):
        rng = random.Random(3)
        for plain in (True, False):
            for end in ("\n", "\r\n"):
                path = self.file(self.csv_text(self.records(rng, 3000, plain), end))
                self.make("csv_trace", path, self.TYPES)
                self.db.execute("DROP TABLE IF EXISTS plain")
                self.db.execute("CREATE TABLE plain AS SELECT * FROM t")
                for threads in (1, 2, 5):
                    self.rollup(path, f"threads={threads}, {self.TYPES}")
                    self.compare()

    def test_many_blocks_and_files(self):
        """Some megabytes, so that several threads have blocks of the same file, with quotes here and there."""
        rng = random.Random(4)
        records = list(self.records(rng, 36000, True))
        for i in range(5000, 36000, 20000):
            records[i][0] = 'say "hi", then\ngo'
        one = self.file(self.csv_text(records), "1.csv")
        folder = os.path.dirname(one)
        with open(folder + "/2.csv.gz", "wb") as file:
            file.write(gzip.compress(self.csv_text(self.records(rng, 9000, False))))
        with open(folder + "/3.csv", "w", encoding="utf-8") as file:
            file.write("end,start,gpus,r,n,kind,pool\n5,4,2,,,k,p\n")
        self.make("csv_trace", folder, self.TYPES)
        self.db.execute("CREATE TABLE plain AS SELECT * FROM t")
        self.assertEqual(self.one("SELECT count(*) FROM plain"), 45001)
        for threads in (1, 2, 4):
            self.rollup(folder, f"threads={threads}, {self.TYPES}")
            self.compare()

    def test_json(self):
        rng = random.Random(5)
        names = "pool kind n r gpus start end".split()
        lines = []
        for i, record in enumerate(self.records(rng, 4000, False)):
            row = {
                name: None if value == "" else value if name in ("pool", "kind") else json.loads(value)
                for name, value in zip(names, record)
            }
            if i % 7 == 0:
                row = {key: value for key, value in row.items() if value is not None}
            if i % 11 == 0:
                row = dict(sorted(row.items()))
            lines.append(json.dumps(row, ensure_ascii=i % 2 == 0, separators=[(",", ":"), (", ", ": ")][i % 3 == 0]))
        for text, name in (("\n".join(lines) + "\n", "f.jsonl"), ("[" + ",\n".join(lines) + "]", "f.json")):
            path = self.file(text, name)
            self.make("jsonl_trace", path, self.TYPES)
            self.db.execute("DROP TABLE IF EXISTS plain")
            self.db.execute('CREATE TABLE plain AS SELECT pool, kind, n, r, gpus, start, "end" FROM t')
            for threads in (1, 3):
                self.rollup(path, f"threads={threads}, {self.TYPES}", "jsonl_rollup")
                self.compare()

    def test_an_empty_file_among_others(self):
        """As of the rows: not a byte is not what was to be read; a header, or blank lines, are."""
        folder = self.folder_of(
            {"1.csv": "n,pool\n1,a\n", "2.csv": "", "3.csv": "n,pool\n", "4.csv": "\n\n", "5.csv": "pool,n\na,2\n"}
        )
        empty = folder + "/2.csv"
        for threads in (1, 3):
            for skip in (False, True):
                options = f"threads={threads}" + (", on_error=skip" if skip else "")
                for module, question in (
                    ("csv_trace", "SELECT count(*), sum(n) FROM t"),
                    ("csv_rollup", "SELECT sum(rows), sum(n) FROM r"),
                ):
                    with self.subTest(module=module, options=options):
                        if module == "csv_trace":
                            self.make("csv_trace", folder, options)
                        else:
                            self.rollup(folder, options, measures="n")
                        self.assertEqual(self.rows(question), [(2, 3)])
                        self.assertEqual(
                            self.rows("SELECT kind, severity, source, count FROM mpg_issues"),
                            [("empty_file", "warning", empty, 1)],
                        )

    def test_empty_files_alone(self):
        """The table function over files none of which has a record, and so no column: as of the rows."""
        folder = self.folder_of({"1.csv": "", "2.csv": "\n\n", "3.jsonl": "", "4.jsonl": "\n"})
        for name, n in (("1.csv", 1), ("2.csv", 0), ("3.jsonl", 1), ("4.jsonl", 0)):
            kind, path = "jsonl" if "json" in name else "csv", f"{folder}/{name}"
            for module, arguments in ((f"{kind}_trace", "?"), (f"{kind}_rollup", "?, 'n', 'pool'")):
                with self.subTest(name=name, module=module):
                    if n > 0:
                        with self.assertRaisesRegex(
                            sqlite3.OperationalError, "[13].(csv|jsonl): expected records, found an empty file"
                        ):
                            self.rows(f"SELECT record FROM {module}({arguments})", path)
                    for _ in range(2):
                        self.assertEqual(
                            self.rows(f"SELECT record FROM {module}({arguments}) WHERE on_error = 'skip'", path), []
                        )
                        self.assertEqual(
                            self.rows("SELECT kind, line, count FROM mpg_issues WHERE source GLOB ?", path),
                            [("skipped_record", 1, 1)] * n,
                        )

        for module, arguments in (("csv_trace", "?"), ("csv_rollup", "?, 'n', 'pool'")):
            self.assertEqual(self.rows(f"SELECT record FROM {module}({arguments})", f"{folder}/[12].csv"), [])
            self.assertEqual(
                self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", f"{folder}/1.csv"), [("empty_file", 1)]
            )

    def test_rowids(self):
        """A group has one rowid in every scan, whatever is compared: SQLite looks at it for OR, RIGHT JOIN and FULL JOIN."""
        rng = random.Random(6)
        path = self.folder_of({f"{i}.csv": self.csv_text(self.records(rng, 2000, i == 1)) for i in (1, 2, 3)})
        self.make("csv_trace", path, self.TYPES)
        self.db.execute("CREATE TABLE plain AS SELECT DISTINCT pool, kind, n FROM t")
        self.db.execute("CREATE TABLE w(pool, kind, n)")
        self.db.executemany(
            "INSERT INTO w VALUES (?, ?, ?)",
            [("pod-b", "7", 2), ("pod-a", None, None), ("x,y", "save", "1"), ("é", "7", -3)],
        )
        for threads in (1, 3):
            self.rollup(path, f"threads={threads}, {self.TYPES}")
            some = self.rows("SELECT pool, kind, n, rowid FROM r WHERE kind = '7' ORDER BY n DESC")
            self.assertGreater(len(some), 9)
            every = self.rows("SELECT pool, kind, n, rowid FROM r")
            self.assertLess(set(some), set(every))
            self.assertEqual(len({row[3] for row in every}), self.one("SELECT count(*) FROM plain"))
            for sql in (
                "SELECT w.rowid, t.pool, t.kind, t.n FROM w RIGHT JOIN {t} AS t ON t.pool = w.pool",
                "SELECT w.rowid, t.pool, t.kind, t.n FROM w RIGHT JOIN {t} AS t ON t.pool > w.pool AND t.n = w.n",
                "SELECT w.rowid, t.pool, t.kind, t.n FROM w FULL JOIN {t} AS t ON t.pool = w.pool AND t.kind = w.kind WHERE w.rowid IS NULL OR t.n = 1",
                "SELECT w.rowid, t.pool, t.kind, t.n FROM {t} AS t FULL JOIN w ON t.pool = w.pool AND t.kind IS w.kind",
                "SELECT w.rowid, t.pool, t.kind, t.n FROM {t} AS t LEFT JOIN w ON t.pool = w.pool AND t.n <> -3 AND t.kind IS NOT NULL",
                "SELECT t.pool, t.kind, t.n FROM {t} AS t JOIN w WHERE (t.pool = 'pod-a' AND t.n = 1 OR t.kind = '7') AND w.rowid = 1 + (t.n = 2)",
            ):
                found, wanted = (
                    self.rows(sql.format(t=t) + " ORDER BY 1, 2, 3, 4"[: -3 if sql.startswith("SELECT t.") else None])
                    for t in ("r", "plain")
                )
                self.assertEqual(found, wanted, sql)

    def test_grain(self):
        """A row is one combination of the columns named, no finer, and rows come in order."""
        path = self.file("a,b,v\ny,1,1\nx,2,2\ny,1,3\nx,,4\nx,10,5\n")
        self.rollup(path, measures="v")
        self.assertEqual(
            self.rows("SELECT * FROM r"), [("x", None, 4, 1), ("x", 2, 2, 1), ("x", 10, 5, 1), ("y", 1, 4, 2)]
        )
        self.assertEqual(self.rows("SELECT a, v, rows FROM r"), [("x", 11, 3), ("y", 4, 2)])
        self.assertEqual(self.rows("SELECT v, rows FROM r"), [(15, 5)])
        self.assertEqual(self.rows("SELECT b FROM r"), [(None,), (1,), (2,), (10,)])
        self.assertEqual(self.one("SELECT count(*) FROM r WHERE a = 'x'"), 1)
        self.assertEqual(self.rows("SELECT a, sum(v) FROM r GROUP BY a ORDER BY a DESC"), [("y", 4), ("x", 11)])
        if sqlite3.sqlite_version_info > (
            3,
            40,
            0,
        ):  # which tells extensions a value's type as its encoding: no text seems to be UTF-8, and SQLite sorts
            plan = [
                row[3] for row in self.rows("EXPLAIN QUERY PLAN SELECT a, sum(v) FROM r GROUP BY a ORDER BY a DESC")
            ]
            self.assertEqual([step for step in plan if "B-TREE" in step], [], plan)
        self.assertEqual(
            dict(self.rows("SELECT name, type FROM pragma_table_xinfo('r')")),
            {"a": "TEXT", "b": "BIGINT", "v": "BIGINT", "rows": "BIGINT"},
        )

    def test_wide_files(self):
        """SQLite tells the first 63 columns of a query apart: no other is named along with a measure."""
        for n in (62, 63, 64, 65, 130, 700):
            names = [f"c{i}" for i in range(n)]
            path = self.file(
                ",".join(names) + "\n" + "".join(",".join(str((i + k) % 5) for k in range(n)) + "\n" for i in range(30))
            )
            self.rollup(path, measures="c0, c1 * 2 AS m")
            self.assertEqual(self.rows("SELECT * FROM (SELECT c0, m, rows FROM r)"), [(60, 120, 30)])
            self.assertEqual(
                self.rows("SELECT c2, c51, c0, m, rows, count(*) FROM r GROUP BY c2, c51 ORDER BY c2 DESC LIMIT 2"),
                [(4, 3, 12, 36, 6, 1), (3, 2, 6, 24, 6, 1)],
            )
            self.assertEqual(self.rows("SELECT sum(rows) FROM r WHERE c3 > 2"), [(12,)])
            if n < 130:
                self.assertEqual(self.rows(f"SELECT c{n - 1}, c{n - 2}, rows FROM r WHERE c{n - 1} = 1"), [(1, 0, 6)])

    def test_table_function(self):
        path = self.file("a,b,v\ny,1,1\nx,2,2.5\ny,1,3\n")
        self.assertEqual(
            self.rows("SELECT record FROM csv_rollup(?, 'v, v * b AS w', 'b, a')", path),
            [('{"b":1,"a":"y","v":4.0,"w":4.0,"rows":2}',), ('{"b":2,"a":"x","v":2.5,"w":5.0,"rows":1}',)],
        )
        self.assertEqual(self.rows("SELECT record FROM csv_rollup(?)", path), [('{"rows":3}',)])
        self.assertEqual(
            self.rows(
                "SELECT record ->> 'rows' FROM csv_rollup(?) WHERE by = 'a' AND header = 'no' AND names = 'a, b, v'",
                path,
            ),
            [(1,), (1,), (2,)],
        )
        path = self.file('{"a": "y", "v": {"w": 2}}\n{"a": "y", "v": {"w": 3}}\n', "f.jsonl")
        self.assertEqual(
            self.rows("SELECT record FROM jsonl_rollup(?, 'w', 'a', 'a, w $.v.w')", path),
            [('{"a":"y","w":5,"rows":2}',)],
        )
        self.assertEqual(self.rows("SELECT * FROM csv_rollup(NULL)"), [])
        self.assertEqual(self.rows("SELECT * FROM csv_rollup(?)", self.file("\n")), [])


class Errors(Case):
    def test_sums_that_are_too_large(self):
        path = self.file(f"v\n{2**63 - 1}\n1\n-2\n")
        self.rollup(path, measures="v")
        self.assertEqual(self.rows("SELECT v FROM r"), [(2**63 - 2,)])  # beyond 64 bits only on the way
        self.rollup(path, measures="v * 2 AS w, v")
        self.assertEqual(self.rows("SELECT v FROM r"), [(2**63 - 2,)])
        with self.assertRaisesRegex(sqlite3.Error, "^csv_rollup: the sum of w is beyond 64 bits$"):
            self.rows("SELECT w FROM r")
        self.rollup(path, measures="v * v * v AS w")
        with self.assertRaisesRegex(sqlite3.Error, f"^csv_rollup: {re.escape(path)}:2:1: the sum of w is too large$"):
            self.rows("SELECT w FROM r")

    def test_malformed_records(self):
        path = self.file("a,v\n" + "x,1\n" * 200000 + "x,y\nx\n" + "x,2\n" * 200000)
        text = f"{path}:200002:3: expected a whole number within 64 bits for v, found \"y\" (nulls='y' reads it as NULL, types='v TEXT' the column as text)"
        for threads in (1, 2, 4):
            self.rollup(path, f"threads={threads}", measures="v")
            self.assertEqual(self.error("SELECT sum(v) FROM r"), "csv_rollup: " + text)
            self.rollup(path, f"threads={threads}, on_error=skip", measures="v")
            self.assertEqual(self.rows("SELECT a, v, rows FROM r"), [("x", 600000, 400000)])
            self.assertEqual(
                self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path),
                [("skipped_record", 200002, 2, text)],
            )

    def test_a_file_with_another_header(self):
        one = self.file("a,v\nx,1\n", "1.csv")
        two = os.path.dirname(one) + "/2.csv"
        with open(two, "w", encoding="utf-8") as file:
            file.write("b,v\nx,1\n")
        self.rollup(os.path.dirname(one), measures="v")
        self.assertIn(
            '2.csv:1:1: expected a header with "a", which the first file has, found', self.error("SELECT v FROM r")
        )
        self.rollup(os.path.dirname(one), "on_error=skip", measures="v")
        self.assertEqual(self.rows("SELECT v FROM r"), [(1,)])
        self.assertEqual(self.issues(two), {"skipped_record": 1})

    def test_arguments(self):
        path = self.file("a,v\nx,1\n")
        for options, text in (
            ("measures='w'", 'measures: expected the name of a column, found "w"'),
            (
                "measures='a'",
                "measures: \"a\" is TEXT by its first records; types='a REAL' gives it a type, nulls='...' texts that are NULL",
            ),
            ("measures='v +'", "measures: expected a column, a number or '(', found the end"),
            ("measures='v AS rows'", 'measures: "rows" is the count of records'),
            ("by='a'", "by: only the table function has it; a table is summed by the columns that a query names"),
            ("threads=0", "threads: expected a whole number from 1 to 64, found 0"),
            ("threads=x", "threads: expected a whole number from 1 to 64, found 'x'"),
        ):
            self.assertEqual(self.refused("csv_rollup", path, options), "csv_rollup: " + text)
        self.assertEqual(
            self.error("SELECT * FROM csv_rollup(?, 'v', 'w')", path),
            'csv_rollup: by: expected the name of a column, found "w"',
        )
        for table in ("csv_rollup", "jsonl_rollup"):
            self.assertRegex(self.error(f"SELECT * FROM {table}"), rf"^{table}: expected a path, as in {table}\(")
            with self.assertRaises(sqlite3.OperationalError) as raised:
                self.db.execute(f"CREATE VIRTUAL TABLE main.t USING {table}({quote(path)})")
            self.assertEqual(str(raised.exception), f'{table}: {REFUSED}"t" USING {table}({quote(path)})')
        wide = self.file(",".join(f"c{i}" for i in range(70)) + "\n" + ",".join("1" * 70) + "\n")
        self.rollup(wide, measures="c0")
        with self.assertRaisesRegex(
            sqlite3.Error, "^csv_rollup: a query may name at most 64 columns besides measures$"
        ):
            self.rows("SELECT * FROM r")
        self.assertEqual(self.rows("SELECT c1, c40, c0 FROM r"), [(1, 1, 1)])

    def test_interrupt(self):
        path = self.file("")
        with open(path, "w", encoding="utf-8") as file:
            file.write("a,v\n" + "".join(f"{i},1\n" for i in range(100000)) * 30)
        self.rollup(path, measures="v")
        timer = threading.Timer(0.05, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM r AS x, r AS y WHERE x.a = 'z' OR y.a = 'z'"), "interrupted")
        timer.join()

    def test_memory_does_not_grow_with_the_file(self):
        peaks = []
        for times in (20000, 1500000):
            path = self.file("")
            with open(path, "w", encoding="utf-8") as file:
                file.write("job,gpus,note\n")
                for i in range(times):
                    file.write(f"job-{i % 100},8,some text that takes its place\n")
            self.rollup(path, "threads=2", measures="gpus")
            self.assertEqual(self.rows("SELECT count(*), sum(gpus) FROM r WHERE job <> 'x'"), [(100, 8 * times)])
            peaks.append(peak())
        self.assertLess(peaks[1] - peaks[0], 16 * 1024)  # kB; the second file is 60 MB


if __name__ == "__main__":
    unittest.main()
