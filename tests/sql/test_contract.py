"""What the extension adds to SQLite, exactly: names, arguments, flags, columns; and what it keeps hostile schemas from."""

import os
import re
import sqlite3
import tempfile
import unittest

from contract import COLUMNS, DETERMINISTIC, DIRECTONLY, FUNCTIONS, INNOCUOUS, MADE, READERS, TABLES, added
from formats import FORMATS
from fleets import ROOT, al, cap, connect, fleet, quote, write_csv


class Names(unittest.TestCase):
    maxDiff = None

    def test_functions(self):
        found = {
            (name, narg, kind, flags & (DETERMINISTIC | DIRECTONLY | INNOCUOUS))
            for name, narg, kind, flags in added("SELECT name, narg, type, flags FROM pragma_function_list")
        }
        self.assertEqual(sorted(FUNCTIONS), sorted(found))

    def test_modules(self):
        self.assertEqual(sorted(TABLES), sorted(name for name, in added("SELECT name FROM pragma_module_list")))

    def test_nothing_else(self):
        for pragma in ("pragma_collation_list", "pragma_database_list"):
            self.assertEqual(set(), {row[1] for row in added(f"SELECT * FROM {pragma}")})

    def test_columns(self):
        self.assertEqual(sorted(TABLES), sorted(COLUMNS))
        for table, columns in COLUMNS.items():
            expected = []
            for column in re.split(r",\s*", columns):
                name, _, kind = column.partition(" ")
                expected.append((name, kind.removesuffix("hidden").strip(), int(kind.endswith("hidden"))))
            found = connect().execute("SELECT name, type, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
            self.assertEqual(expected, found, table)

    def test_loaded_twice(self):
        db = connect()
        db.execute("CREATE TABLE t(c, v)")
        cursor = db.execute("SELECT mpg_version() UNION ALL SELECT 1 UNION ALL SELECT 2")
        cursor.fetchone()
        db.load_extension(os.path.join(ROOT, "mpg"))
        self.assertEqual([(1,), (2,)], cursor.fetchall())
        self.assertEqual((1.0,), db.execute("SELECT mpg('ideal', 1)").fetchone())


class Security(unittest.TestCase):
    """What a database file that somebody else wrote may do with the extension loaded."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = write_csv(cls.folder.name, fleet(cap(2, 0, 10), al(1, 0, 10)))
        cls.calls = {table: f"{table}({quote(cls.path)}{', 1' if 'timeline' in table else ''})" for table in READERS}
        cls.calls["log_trace"] = f"log_trace({quote(cls.path)}, 'x')"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_rows_are_taken_in_statements_of_its_own_alone(self):
        """No user has the pointer that the first argument is."""
        for arguments in ("", "NULL", "1, 2", "x'00', 'a'", "mpg_version()"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "^mpg_take_row: it is of mpg's own statements$"):
                connect().execute(f"SELECT mpg_take_row({arguments})").fetchall()

    def connect(self, trusted):
        db = connect()
        db.execute(f"PRAGMA trusted_schema = {trusted}")
        return db

    def test_readers_in_views(self):
        for trusted in (0, 1):
            for table, call in self.calls.items():
                db = self.connect(trusted)
                db.execute(f"CREATE VIEW v AS SELECT * FROM {call}")
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("SELECT * FROM v")
                db.execute("CREATE TEMP VIEW w AS SELECT * FROM main.v")
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("SELECT * FROM w")

    def test_readers_in_triggers(self):
        for trusted in (0, 1):
            for table, call in self.calls.items():
                db = self.connect(trusted)
                db.execute("CREATE TABLE t(a)")
                db.execute(
                    f"CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t WHERE a IN (SELECT 1 FROM {call}); END"
                )
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("INSERT INTO t VALUES (1)")

    def test_readers_of_ones_own(self):
        """At the top level, in common table expressions, temporary views and copies they work."""
        for trusted in (0, 1):
            db = self.connect(trusted)
            call = self.calls["trace_ledger"]
            db.execute(f"CREATE TEMP VIEW w AS SELECT * FROM {call}")
            db.execute(f"CREATE TABLE t AS SELECT * FROM {call}")
            for query in ("w", "t", call, f"(SELECT * FROM {call})"):
                self.assertEqual((20_000_000,), db.execute(f"SELECT sum(chip_us) FROM {query}").fetchone())
            self.assertEqual(
                (20_000_000,), db.execute(f"WITH c AS (SELECT * FROM {call}) SELECT sum(chip_us) FROM c").fetchone()
            )

    def test_functions_in_schemas(self):
        """Pure ones work everywhere, even in what nobody trusts; those that look into the catalogue in a view."""
        db = self.connect(0)
        db.execute("CREATE TABLE t(category, us, week GENERATED ALWAYS AS (iso_week(us)) VIRTUAL)")
        db.execute("CREATE INDEX i ON t(mpg_uuid('dns', category))")
        db.execute("INSERT INTO t VALUES ('tpu-v4', 1)")
        db.execute(
            "CREATE VIEW v AS SELECT mpg('ideal', us) AS mpg, interval_union(0, us) AS covered, max(chip_peak_flops(category)) AS peak FROM t"
        )
        self.assertEqual((1.0, 1, 2.75e14), db.execute("SELECT * FROM v").fetchone())

    def test_tables_over_the_database(self):
        """The ledger over relations reads the database alone: at home in a view that is trusted."""
        db = self.connect(1)
        db.execute("CREATE TABLE capacity(pool, chips, start_time, end_time)")
        db.execute("INSERT INTO capacity VALUES ('p', 2, 0, 10)")
        db.execute("CREATE VIEW v AS SELECT * FROM mpg_rollup")
        self.assertEqual((20_000_000,), db.execute("SELECT sum(chip_us) FROM v").fetchone())

    def test_nothing_is_opened_before_the_query_runs(self):
        db = connect()
        for table, call in self.calls.items():
            missing = call.replace(self.path, self.path + "/missing")
            self.assertGreater(len(db.execute(f"EXPLAIN SELECT * FROM {missing}").fetchall()), 0)
            self.assertGreater(len(db.execute(f"EXPLAIN QUERY PLAN SELECT * FROM {missing}").fetchall()), 0)
            db.execute(f"CREATE VIEW v_{table} AS SELECT * FROM {missing}")
            with self.assertRaisesRegex(sqlite3.OperationalError, "missing"):
                db.execute(f"SELECT * FROM {missing}").fetchall()

    def test_eponymous_only(self):
        for table in sorted(set(TABLES) - set(MADE)):
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^no such module: {table}$"):
                connect().execute(f"CREATE VIRTUAL TABLE x USING {table}")

    def test_made_in_temp_only(self):
        for table in MADE:
            with self.assertRaisesRegex(
                sqlite3.OperationalError, f"^{table}: a table that opens files is made in the schema temp"
            ):
                connect().execute(f"CREATE VIRTUAL TABLE main.x USING {table}({quote(self.path)})")

    def test_read_only(self):
        for table in sorted(set(TABLES) - {"mpg_issues"}):
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^table {table} may not be modified$"):
                connect().execute(f"DELETE FROM {table}")

    def test_issues_are_only_added(self):
        db = connect()
        db.execute(
            "INSERT INTO mpg_issues(source, severity, kind, line, count, detail) VALUES ('a.log', 'warning', 'unknown_event', 3, 2, 'x')"
        )
        for sql in ("DELETE FROM mpg_issues", "UPDATE mpg_issues SET count = 1"):
            with self.assertRaisesRegex(
                sqlite3.OperationalError, "^mpg_issues: rows can be inserted, not updated or deleted$"
            ):
                db.execute(sql)
        self.assertEqual(
            [("a.log", "warning", "unknown_event", 3, 2, "x")], db.execute("SELECT * FROM mpg_issues").fetchall()
        )

    def test_a_missing_path(self):
        for table in ("trace_ledger", "trace_rollup", "trace_timeline", "trace_records", "trace_files"):
            with self.assertRaisesRegex(sqlite3.OperationalError, rf"^{table}: .*path"):
                connect().execute(f"SELECT * FROM {table}").fetchall()

    def test_an_interval_of_null_has_no_buckets(self):
        self.assertEqual([], connect().execute("SELECT * FROM interval_buckets(0, NULL, 1)").fetchall())
        self.assertEqual([], connect().execute("SELECT * FROM mpg_issues").fetchall())

    def test_null_arguments(self):
        """Of any table over files: a path of NULL has no rows, which mpg_issues says, and any other NULL is as not given, as of who binds every argument."""
        db = connect()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        calls = {
            sample.table: f"fixtures/{sample.file}"
            for format in FORMATS.values()
            for sample in format.samples
            if not sample.arguments
        }
        calls |= {
            table: "fixtures/golden"
            for table in (
                "trace_ledger",
                "trace_rollup",
                "trace_timeline",
                "trace_records",
                "trace_sources",
                "trace_files",
            )
        }
        with open("docs/table-functions.md", encoding="utf-8") as page:
            calls |= {
                table: path
                for table, path, rest in re.findall(r"^- `(trace_\w+)\('([^']+)'(.)", page.read(), re.M)
                if table != "trace_profile_diff"
            }
        self.assertGreater(len(calls), 30)
        for table, path in sorted(calls.items()):
            with self.subTest(table):
                first, *others = [
                    row[1]
                    for row in db.execute("SELECT * FROM pragma_table_xinfo(?)", (table,))
                    if row[6] == 1 and row[1] not in ("_file", "_line", "_record")
                ]
                self.assertEqual(
                    [],
                    db.execute(
                        f"SELECT * FROM {table}({', '.join(['NULL'] + ['?'] * len(others))})",
                        others and [None] * len(others),
                    ).fetchall(),
                )
                self.assertEqual(
                    [("info", "null_argument", f"{first} is NULL: no rows")],
                    db.execute("SELECT severity, kind, detail FROM mpg_issues WHERE source = ?", (table,)).fetchall(),
                )
                bound = [None] * len(others)
                if "of_job" in others:
                    self.assertEqual([], db.execute(f"SELECT * FROM {table}(?, NULL)", (path,)).fetchall())
                    self.assertIn(2, db.execute("SELECT count FROM mpg_issues WHERE source = ?", (table,)).fetchone())
                    bound[others.index("of_job")] = "J1"
                wanted = (
                    db.execute(f"SELECT count(*) FROM {table}(?, ?)", (path, "J1"))
                    if "of_job" in others
                    else db.execute(f"SELECT count(*) FROM {table}(?)", (path,))
                )
                wanted = wanted.fetchone()
                self.assertTrue(wanted[0] > 0 or table == "trace_hlo_ideal")
                self.assertEqual(
                    wanted,
                    db.execute(
                        f"SELECT count(*) FROM {table}({', '.join(['?'] * (1 + len(others)))})", [path] + bound
                    ).fetchone(),
                )
                for name in set(others) - {"of_job"}:
                    named = (
                        {other: None for other in others}
                        | {first: path, name: None}
                        | ({"of_job": "J1"} if "of_job" in others else {})
                    )
                    terms = " AND ".join(
                        f'"{key}" = :{key}'
                        for key in ([first, "of_job", name] if "of_job" in others else [first, name])
                    )
                    self.assertEqual(
                        wanted, db.execute(f"SELECT count(*) FROM {table} WHERE {terms}", named).fetchone(), name
                    )
                    many = " AND ".join(["rowid > -9e18"] * 16)
                    with self.assertRaisesRegex(
                        sqlite3.OperationalError,
                        f"the argument {name} is NULL, which SQLite does not hand over behind 16 other conditions",
                    ):
                        db.execute(f"SELECT count(*) FROM {table} WHERE {many} AND {terms}", named).fetchall()

    def test_numbers_as_texts(self):
        """As clients give them that bind everything as text."""
        db = connect()
        for call, argument, number in (
            ("chrome_trace('fixtures/profile/rank0.json')", "threads", 2),
            ("slurm_trace('fixtures/slurm/sacct_jobs.psv')", "threads", 1),
            ("trace_rollup('fixtures/golden')", "threads", 2),
            ("trace_ledger('fixtures/golden')", "threads", 3),
            ("csv_rollup('fixtures/generic/jobs-1.csv')", "threads", 2),
            ("csv_trace('fixtures/generic/jobs-1.csv')", "header", 0),
            ("trace_rollup('fixtures/golden')", "since", 50),
            ("trace_rollup('fixtures/golden')", "bucket_width", 10),
            ("log_trace('fixtures/training/maxtext.log', 'step: (?<step>[0-9]+)')", "year", 2026),
            ("goodput_report('fixtures/goodput')", "query_time", 1795240000),
        ):
            sql = f"SELECT count(*) FROM {call} WHERE {argument} = ?".replace(
                "fixtures", os.path.join(ROOT, "fixtures")
            )
            self.assertEqual(
                db.execute(sql, (number,)).fetchone(), db.execute(sql, (str(number),)).fetchone(), (call, argument)
            )
            self.assertGreater(db.execute(sql, (str(number),)).fetchone()[0], 0)

    def test_null_arguments_of_files_without_a_format(self):
        db, path = connect(), os.path.join(ROOT, "fixtures/generic/jobs-1.csv")
        for table in ("csv_trace", "csv_rollup"):
            call = f"SELECT count(*) FROM {table} WHERE path = ? AND delimiter = ? AND {'by' if table == 'csv_rollup' else 'quote'} = ?"
            self.assertEqual(
                db.execute(call, (path, ";", "pool" if table == "csv_rollup" else '"')).fetchone()[0] > 0, True
            )
            self.assertEqual(
                db.execute(f"SELECT count(*) FROM {table}(?)", (path,)).fetchone(),
                db.execute(call, (path, None, None)).fetchone(),
            )


if __name__ == "__main__":
    unittest.main()
