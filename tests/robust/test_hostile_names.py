"""Names that try to be SQL, at every place where a name gets in: they stay names, and come out as they went in."""

import csv
import io
import json
import os
import sqlite3
import unittest

import table_functions
from cases import FolderCase
from fleets import connect, quote

NAMES = [
    '"; DROP TABLE canary; --',
    "'; DROP TABLE canary; --",
    "`; DROP TABLE canary; --",
    "[a]",
    "]; DROP TABLE canary; --",
    "a, b",
    "a)",
    "(",
    "a INTEGER HIDDEN",
    "a TEXT, b HIDDEN",
    "/* a */",
    "-- a",
    "%s%n%w%q%Q",
    "\\",
    "''",
    '""',
    '"',
    "'",
    "`",
    " ",
    "a\tb",
    "a\nb",
    "select",
    "rowid",
    "_rowid_",
    "main",
    "temp.x",
    "*",
    "?1",
    ":a",
    "é",
    "日本",
    "\U0001f40e",
    "x" * 3000,
    "\x01",
    "a=b",
    "a='b",
    "$.a",
    "a.b.c",
    "1",
    "NULL",
]


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})") if not row[6]]


class HostileNames(FolderCase):
    def setUp(self):
        super().setUp()
        self.db = self.fresh()

    def fresh(self):
        db = connect()
        db.execute("CREATE TABLE canary(a)")
        db.execute("INSERT INTO canary VALUES (42)")
        return db

    def tearDown(self):
        self.intact(self.db)

    def intact(self, db):
        self.assertEqual([(42,)], db.execute("SELECT a FROM main.canary").fetchall())

    def attempt(self, db, sql, *values):
        """Whatever it says, it is an error of SQLite, and nothing has happened."""
        try:
            return db.execute(sql, values).fetchall()
        except (sqlite3.Error, ValueError):  # Python itself refuses a NUL in SQL
            return None
        finally:
            self.intact(db)

    def test_headers(self):
        """Columns of a file become columns of a table."""
        for name in NAMES:
            with self.subTest(name):
                if not name.strip():
                    continue  # a header without a name: c1
                out = io.StringIO()
                csv.writer(out).writerows([[name, "other"], ["1", "2"]])
                path = quote(self.file(out.getvalue(), "a.csv"))
                lines = quote(self.file(json.dumps({name: 1, "other": 2}) + "\n", "a.jsonl"))
                for module, source in (("csv_trace", path), ("jsonl_trace", lines)):
                    db = self.fresh()
                    ((record,),) = db.execute(f"SELECT record FROM {module}({source})").fetchall()
                    self.assertEqual([name, "other"], list(json.loads(record)))
                    db.execute(f"CREATE VIRTUAL TABLE temp.t USING {module}({source})")
                    self.assertEqual([name, "other"], columns(db, "t"))
                    self.assertEqual([(1, 2)], db.execute("SELECT * FROM t").fetchall())
                    quoted = '"%s"' % name.replace('"', '""')
                    self.assertEqual([(1,)], db.execute(f"SELECT t.{quoted} FROM t WHERE t.{quoted} = 1").fetchall())
                    self.intact(db)
                for module, source in (("csv_rollup", path), ("jsonl_rollup", lines)):
                    db = self.fresh()
                    by = '"%s"' % name.replace('"', '""')
                    ((record,),) = db.execute(f"SELECT record FROM {module}({source}, 'other', {quote(by)})").fetchall()
                    self.assertEqual({name: 1, "other": 2, "rows": 1}, json.loads(record))
                    db.execute(f"CREATE VIRTUAL TABLE temp.t USING {module}({source}, measures='other')")
                    self.assertEqual([name, "other", "rows"], columns(db, "t"))
                    self.assertEqual([(1, 2, 1)], db.execute("SELECT * FROM t").fetchall())
                    self.intact(db)

    def test_names_of_tables(self):
        path = quote(self.file("a\n1\n", "a.csv"))
        for name in NAMES:
            with self.subTest(name):
                db = self.fresh()
                quoted = '"%s"' % name.replace('"', '""')
                db.execute(f"CREATE VIRTUAL TABLE temp.{quoted} USING csv_trace({path})")
                self.assertEqual([(1,)], db.execute(f"SELECT * FROM temp.{quoted}").fetchall())
                with self.assertRaisesRegex(sqlite3.OperationalError, "is made in the schema temp"):
                    db.execute(f"CREATE VIRTUAL TABLE main.{quoted} USING csv_trace({path})")
                self.intact(db)

    def test_schemas(self):
        for name in NAMES:
            if name in ("main", "temp"):
                continue
            with self.subTest(name):
                db = self.fresh()
                db.execute("ATTACH ':memory:' AS ?", (name,))
                quoted = '"%s"' % name.replace('"', '""')
                db.execute(f"CREATE TABLE {quoted}.capacity(pool, chip, chips, start_time, end_time)")
                db.execute(f"INSERT INTO {quoted}.capacity VALUES ('p', 'mine', 2, 0, 10)")
                db.execute(f"CREATE TABLE {quoted}.chips(chip, dtype, peak_flops)")
                db.execute(f"INSERT INTO {quoted}.chips VALUES ('mine', 'bf16', 5.0)")
                self.assertEqual(
                    [(20_000_000,)], db.execute("SELECT sum(chip_us) FROM mpg_rollup(?)", (name,)).fetchall()
                )
                self.assertEqual(
                    [("capacity", "p")], db.execute("SELECT record, pool FROM mpg_records(?)", (name,)).fetchall()
                )
                self.attempt(db, "SELECT chip_peak_flops('mine')")
                self.intact(db)
        for name in [*NAMES, "main\0", "", "x" * 100_000, None]:
            for table in ("mpg_ledger(?)", "mpg_rollup(?)", "mpg_timeline('j', ?)", "mpg_runs(?)", "mpg_records(?)"):
                self.attempt(self.db, f"SELECT * FROM {table}", name)

    def test_values(self):
        """Every function and every argument of a table, given a name for each of its arguments. The tables that are SQL files share one
        module: each is given a fifth of the names, another one than the next (MPG_FULL=1: all)."""
        shared, given = {table.name for table in table_functions.every()}, 0
        plain = sqlite3.connect(":memory:")
        functions = "SELECT name, narg FROM pragma_function_list"
        for name, narg in sorted(set(self.db.execute(functions)) - set(plain.execute(functions))):
            for value in [*NAMES, "a\0b", b"\0\xff"]:
                self.attempt(self.db, f"SELECT {name}({', '.join(['?'] * narg)})", *[value] * narg)
        tables = "SELECT name FROM pragma_module_list"
        path = self.file('{"record":"capacity","pool":"p","chips":1,"start_time":0,"end_time":1}\n', "a.jsonl")
        for table in sorted({name for name, in set(self.db.execute(tables)) - set(plain.execute(tables))}):
            arguments = [
                row[1]
                for row in self.db.execute(f"PRAGMA table_xinfo({table})")
                if row[6] == 1 and not row[1].startswith("_")
            ]
            for argument in arguments:
                values = [*NAMES, "a\0b", b"\0\xff"]
                if table in shared and not os.environ.get("MPG_FULL"):
                    given += 1
                    values = values[given % 5 :: 5]
                for value in values:
                    first = "" if argument == "path" or "path" not in arguments else f"path = {quote(path)} AND "
                    self.attempt(self.db, f"SELECT * FROM {table} WHERE {first}{argument} = ?", value)

    def test_zones_are_not_paths(self):
        path = quote(self.file("JobID|Start\n1|2026-01-01T00:00:00\n", "sacct"))
        for zone in (
            "../../../etc/passwd",
            "/etc/passwd",
            "Europe/../../../../etc/passwd",
            "./UTC",
            "Europe//Berlin",
            "Europe/Berlin/",
            "posixrules\0",
            "",
            "..",
            ".",
            "Europe/.",
            "%s",
            "Europe\nBerlin",
        ):
            with self.subTest(zone), self.assertRaisesRegex(
                sqlite3.OperationalError, "^slurm_trace: (zone: )?(expected UTC, an offset|no time zone)"
            ):
                self.db.execute(f"SELECT * FROM slurm_trace({path}, ?)", (zone,)).fetchall()

    def test_records(self):
        """Jobs, pools and owners of such names, through the ledger and back."""
        rows = [{"record": "capacity", "pool": name, "chips": 2, "start_time": 0, "end_time": 10} for name in NAMES]
        rows += [
            {"record": "allocation", "job": name, "pool": name, "chips": 1, "start_time": 0, "end_time": 10}
            for name in NAMES
        ]
        path = self.file("".join(json.dumps(row) + "\n" for row in rows), "names.jsonl")
        found = dict(
            self.db.execute(f"SELECT pool, sum(chip_us) FROM trace_rollup({quote(path)}) GROUP BY 1").fetchall()
        )
        self.assertEqual({name: 20_000_000 for name in NAMES}, found)
        for name in NAMES:
            self.assertEqual(
                [(name, 10.0)],
                self.db.execute(
                    f"SELECT job, sum(end_time - start_time) FROM trace_timeline({quote(path)}, ?)", (name,)
                ).fetchall(),
            )


if __name__ == "__main__":
    unittest.main()
