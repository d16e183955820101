"""What is done for a query over csv_trace and jsonl_trace before SQLite sees a row: comparisons and DISTINCT.

Every question is put to the table over files, to the same with unary plus before its columns (which keeps comparisons from
being pushed down), and to a copy of its rows in the database: the answers must be the same, in the same order, for any number
of threads."""

import os
import random
import sqlite3
import unittest

from generic import COLUMNS, TYPES, Scanned


class Comparisons(Scanned):
    VALUES = {
        "pool": ["'pod-a'", "'pod-b'", "'POD-A'", "''", "'x'", "'x,y'", "'zz'", "7", "NULL", "x'706f642d61'", "'é'"],
        "kind": ["'7'", "7", "'007'", "7.0", "'step'", "NULL"],
        "n": [
            "1",
            "2",
            "-3",
            "'1'",
            "1.0",
            "1.5",
            "1e300",
            "-1e300",
            "9007199254740993",
            "9007199254740992.0",
            "-9223372036854775808",
            "-9223372036854775808.0",
            "9223372036854775807",
            "9223372036854775808.0",
            "NULL",
            "'x'",
            "x'31'",
            "9e999",
            "-9e999",
        ],
        "r": ["0", "0.5", "-0.0", "2", "'2'", "9007199254740993", "9007199254740992", "1e3", "NULL", "'x'", "9e999"],
        "at": ["1767323045.5", "1767323045", "5e8", "500000000", "NULL", "'2026-01-02'"],
    }

    def term(self, rng):
        column = rng.choice(list(self.VALUES))
        values, name = self.VALUES[column], "{" + column + "}"
        value = lambda: rng.choice(values)
        collate = rng.choice(["", "", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"])
        form = rng.randrange(11)
        if form < 4:
            operator = rng.choice("= == < <= > >= <> != IS".split() + ["IS NOT"])
            return rng.choice(
                [
                    f"{name}{collate} {operator} {value()}",
                    f"{value()} {operator} {name}{collate}",
                    f"{name} {operator} {value()}{collate}",
                ]
            )
        if form < 6:
            return f"{name}{collate} {rng.choice(['', 'NOT '])}BETWEEN {value()} AND {value()}"
        if form < 8:
            return f"{name}{collate} {rng.choice(['', '', 'NOT '])}IN ({', '.join(value() for _ in range(rng.randrange(0, 5)))})"
        if form == 8:
            return f"{name} {rng.choice(['IS NULL', 'IS NOT NULL', 'NOTNULL', 'ISNULL'])}"
        if form == 9:
            return f"{name} IN (SELECT column1 FROM (VALUES {', '.join(f'({value()})' for _ in range(3))}))"
        return f"{name} {rng.choice(['LIKE', 'GLOB'])} {rng.choice(['{q}p%{q}', '{q}pod*{q}', '{q}p_d-A{q}', '{q}[!p]*{q}']).format(q=chr(39))}"

    def test_any_condition(self):
        rng = random.Random(12)
        for path in self.tables():
            for _ in range(400 if os.environ.get("MPG_FULL") else 40):
                where = self.term(rng)
                for _ in range(rng.choice([0, 0, 1, 1, 2])):
                    where = f"{where} {rng.choice(['AND', 'AND', 'OR'])} {self.term(rng)}"
                columns = rng.choice(
                    [
                        COLUMNS,
                        "pool, kind",
                        "_line",
                        "n",
                        "count(*), sum(n IS NULL), min(_line)",
                        "_file, _line, pool",
                        "r, pool",
                    ]
                )
                self.same(f"SELECT {columns} FROM {{t}} WHERE {where}")

    def test_a_rowid_is_of_the_record(self):
        for path in self.tables():
            self.assertEqual(self.one("SELECT count(DISTINCT rowid) FROM t"), 1500)
            for where in (
                "{pool} = 'pod-a'",
                "{n} > 5 AND {kind} = '7'",
                "{pool} = 'pod-a' OR {n} = 2 OR {kind} = 'save'",
                "_file GLOB '*2*'",
                "{pool} = 'x,y' OR _file GLOB '*2*'",
            ):
                self.same(f"SELECT {{id}}, _line FROM {{t}} WHERE {where}")
            self.same("SELECT max({id}), count(*) FROM {t}")
            self.make(
                "csv_trace" if "1.csv" in os.listdir(path) else "jsonl_trace",
                path,
                TYPES.replace("kind TEXT", "kind BIGINT") + ", on_error=skip, threads=2",
            )
            rows = dict(self.rows("SELECT _file || _line, rowid FROM t"))
            some = self.rows("SELECT _file || _line, rowid, kind FROM t WHERE kind >= 7")
            self.assertTrue(0 < len(some) < len(rows))
            for line, rowid, _ in some:
                self.assertEqual(rows[line], rowid)

    def test_a_rowid_is_of_the_files_alone(self):
        """Whoever reads them, and with whatever memory: a large file leaves larger blocks to the next."""
        large, small = ("".join(f"p{i % 7},{i:040d}\n" for i in range(n)) for n in (200_000, 30_000))
        path = self.folder({"1.csv": b"pool,n\n" + large.encode(), "2.csv": b"pool,n\n" + small.encode()})
        expected = None
        for threads in (1, 2, 3, 4):
            self.db.execute("DROP TABLE IF EXISTS temp.t")
            self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING csv_trace('{path}', threads={threads})")
            found = self.rows("SELECT rowid FROM t")
            self.assertEqual(230_000, len(found))
            expected = expected or found
            self.assertTrue(expected == found, threads)

    def test_values_of_other_tables(self):
        self.db.execute("CREATE TABLE wanted(pool TEXT, n, r REAL, any)")
        self.db.executemany(
            "INSERT INTO wanted VALUES (?, ?, ?, ?)",
            [("pod-a", 1, 0.5, "x,y"), ("x,y", "2", -0.0, 7), (None, None, None, None), ("POD-B", 2.5, 2, "pod-b")],
        )
        for path in self.tables():
            for sql in (
                "SELECT w.rowid, _line FROM wanted AS w JOIN {t} AS x ON x.pool = w.pool AND x.n > w.n ORDER BY 1, 2",
                "SELECT w.rowid, _line FROM wanted AS w LEFT JOIN {t} AS x ON x.r = w.r AND x.pool IS w.any ORDER BY 1, 2",
                "SELECT w.rowid, count(x._line) FROM wanted AS w LEFT JOIN {t} AS x ON x.n = w.n WHERE x.n IS NULL OR x.n = 1 GROUP BY 1",
                "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.n = w.n AND x.n <> 1 ORDER BY 2, 3, 1",
                "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x.n IS NOT NULL AND x._file NOT NULL ORDER BY 2, 3, 1",
                "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x._file GLOB '*2*' ORDER BY 2, 3, 1",
                "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x._file LIKE '%2%' AND x.n = 1 AND x.r IS NOT 2 ORDER BY 2, 3, 1",
                "SELECT w.rowid, _line FROM {t} AS x RIGHT JOIN wanted AS w ON x.n = w.n AND x.pool = 'pod-a' ORDER BY 1, 2",
                "SELECT w.rowid, x._line FROM wanted AS w RIGHT JOIN {t} AS x ON x.n = w.n AND x.pool = 'pod-a' ORDER BY 1, x._file, x._line",
                "SELECT w.rowid, x._line FROM wanted AS w FULL JOIN {t} AS x ON x.pool = w.pool AND x.n > w.n AND x.n < 900 ORDER BY 1, x._file, x._line",
                "SELECT w.rowid, x._line FROM wanted AS w JOIN {t} AS x WHERE (x.pool = w.pool AND x.n = w.n) OR x.n = w.n OR x.kind = w.any ORDER BY 1, x._file, x._line",
                "SELECT _line FROM {t} WHERE {pool} IN (SELECT any FROM wanted)",
                "SELECT _line FROM {t} WHERE {n} IN (SELECT n FROM wanted)",
                "SELECT _line FROM {t} AS x WHERE EXISTS (SELECT 1 FROM wanted AS w WHERE w.any = x.pool AND w.n = x.n)",
            ):
                self.same(sql)
            self.same("SELECT _line, pool FROM {t} WHERE {pool} = ? AND {n} < ?", "pod-a", 2.5)
            self.same("SELECT _line, pool FROM {t} WHERE {pool} IN (?, ?) AND {r} >= ?", "x,y", None, "0")

    def test_files_that_no_row_can_be_of_stay_closed(self):
        for path in self.tables():
            one, two = (os.path.join(path, name) for name in sorted(os.listdir(path))[1:3])
            for where, parameters in (
                ("{_file} = ?", (one,)),
                ("{_file} = ? AND {pool} = 'pod-a'", (two,)),
                ("{_file} IN (?, ?, 'x')", (two, one)),
                ("{_file} GLOB '*/2*'", ()),
                ("{_file} LIKE '%TWO%'", ()),
                ("{_file} LIKE '%É%'", ()),
                ("{_file} > ?", (one,)),
                ("{_file} IS NOT ?", (one,)),
                ("{_file} <> ?", (two,)),
                ("{_file} IS NULL", ()),
                ("{_file} = ? COLLATE NOCASE", (one.upper(),)),
                ("{_file} = 7", ()),
                ("{_file} GLOB NULL", ()),
            ):
                self.same(f"SELECT _file, count(*), min(_line) FROM {{t}} WHERE {where} GROUP BY 1", *parameters)
        path = self.folder({"1.csv": b"a,b\n1,2\n", "2.csv": b"a,b\n3,4\n", "3.csv": b"something else\n"})
        self.make("csv_trace", path)
        self.assertIn("3.csv:1:1: expected a header with", self.error("SELECT count(*) FROM t"))
        self.assertEqual(self.rows("SELECT a FROM t WHERE _file < ?", path + "/3"), [(1,), (3,)])
        self.assertEqual(
            self.rows(f"SELECT a FROM t WHERE _file GLOB '{path}/1*'"), [(1,)]
        )  # SQLite makes >= and < of it
        for where, found in (("_file GLOB '*/[12].csv'", [(1,), (3,)]), ("_file LIKE '%/2.CSV'", [(3,)])):
            if sqlite3.sqlite_version_info >= (3, 51):
                self.assertEqual(self.rows(f"SELECT a FROM t WHERE {where}"), found)
            else:
                self.assertIn("3.csv:1:1: expected a header with", self.error(f"SELECT a FROM t WHERE {where}"))
        self.assertIn("3.csv:1:1: expected a header with", self.error("SELECT a FROM t WHERE +_file LIKE '%/2.CSV'"))

    def test_databases_of_utf16(self):
        """Where bytes that are no text become others, and text is in another order."""
        self.db.execute("PRAGMA encoding = 'UTF-16le'")
        path = self.file(b"pool,n\nab\xff,1\nab\xef\xbf\xbd,2\n\xf0\x9f\x98\x80,3\n\xef\xbd\xa1,4\nplain,5\n")
        self.make("csv_trace", path, "types='pool TEXT, n BIGINT'")
        self.copy()
        for value in ("ab\ufffd", "\uff61", "\U0001f600", "plain"):
            for operator in ("=", "<", ">=", "<>", "IS"):
                self.same(f"SELECT n FROM {{t}} WHERE {{pool}} {operator} ?", value)
            self.same("SELECT n FROM {t} WHERE {pool} IN (?, 'x')", value)
            self.same("SELECT DISTINCT pool FROM {t} WHERE {n} > 1")


class Distinct(Scanned):
    def test_any_question(self):
        keys = (
            "pool",
            "n",
            "r",
            "at",
            "pool, kind",
            "kind, r",
            COLUMNS,
            "_file",
            "_file, pool",
            "pool COLLATE NOCASE",
            "n % 2",
            "upper(pool)",
            "_line % 10",
            "1",
        )
        for path in self.tables():
            for key in keys:
                self.same(f"SELECT DISTINCT {key} FROM {{t}}")
                self.same(f"SELECT DISTINCT {key} FROM {{t}} WHERE {{pool}} > 'a' AND {{n}} IS NOT NULL")
                self.same(f"SELECT DISTINCT {key} FROM {{t}} ORDER BY 1 DESC")
            for sql in (
                "SELECT count(DISTINCT {pool}) FROM {t}",
                "SELECT count(DISTINCT {pool}), count(*), sum({n} > 1) FROM {t}",
                "SELECT {kind}, count(DISTINCT {pool}) FROM {t} GROUP BY 1",
                "SELECT DISTINCT {kind}, count(*) OVER (PARTITION BY {pool}) FROM {t} ORDER BY 1, 2",
                "SELECT DISTINCT a.kind, b.pool FROM {t} AS a JOIN {t} AS b ON a.n = b.n AND a.n = 2 ORDER BY 1, 2",
                "SELECT {pool} FROM {t} UNION SELECT {kind} FROM {t}",
                "SELECT DISTINCT {pool} FROM {t} LIMIT 3 OFFSET 1",
                "SELECT DISTINCT {pool} FROM {t} WHERE {id} % 2",
                "SELECT DISTINCT x.pool FROM (SELECT 1 AS n) AS u RIGHT JOIN {t} AS x ON x.n = u.n WHERE u.n IS NULL ORDER BY 1",
                "SELECT DISTINCT {id}, pool FROM {t}",
                "SELECT DISTINCT {pool} FROM {t} WHERE _line = 7",
                "SELECT DISTINCT * FROM (SELECT {pool}, {n} FROM {t} LIMIT 20)",
                "SELECT DISTINCT {pool} FROM {t} GROUP BY {kind}, {pool}",
                "SELECT count(*) FROM {t} WHERE {pool} IN (SELECT DISTINCT {note} FROM {t})",
            ):
                self.same(sql)

    def test_more_than_is_remembered(self):
        """Of a column that is mostly different no rows are held back for long; of the next file they are again."""
        text = "".join(f"job number {i // 2}\n" for i in range(120000))
        path = self.folder(
            {
                "1.csv": ("name,b\n" + text.replace("\n", ",\n")).encode(),
                "2.csv": ("name,b\n" + "x,y\n" * 50000).encode(),
            }
        )
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            self.assertEqual(
                self.rows("SELECT count(*), min(name), max(name) FROM (SELECT DISTINCT name FROM t)"),
                [(60001, "job number 0", "x")],
            )
            self.assertEqual(self.rows("SELECT DISTINCT b FROM t"), [(None,), ("y",)])


if __name__ == "__main__":
    unittest.main()
