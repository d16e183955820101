"""What BI tools see of a database that mpg_build made: types as their drivers report them, and times that their literals find.

The statements are those that the tools send, after their sources. A driver that is not here is skipped; with MPG_CLIENTS set, as
`make test-clients` does after installing them, it is a failure.
"""

import os
import sqlite3
import subprocess
import tempfile
import unittest

from fleets import ROOT, connect
from test_clients import JAR, PYTHON, require, run

FLEET = os.path.join(ROOT, "fixtures", "fleet")
GOLDEN = os.path.join(ROOT, "fixtures", "golden")
GRAFANA = "CAST(CASE WHEN typeof({0}) = 'integer' THEN {0} ELSE strftime('%s', {0}) END AS INTEGER) BETWEEN {1} AND {2}"
ODBC = """
import pyodbc, sys
db = pyodbc.connect(f"Driver=SQLite3;Database={sys.argv[1]}", autocommit=True)
for table in sys.argv[2:]:
    for row in db.cursor().columns(table):
        print("schema", table, row.column_name, row.type_name, sep="\\t")
    for column in db.execute(f"SELECT * FROM {table}").description:
        print("answer", table, column[0], column[1].__name__, sep="\\t")
"""
SQLALCHEMY = """
import sqlalchemy, sys
engine = sqlalchemy.create_engine("sqlite:///" + sys.argv[1])
seen = sqlalchemy.inspect(engine)
for table in seen.get_table_names() + seen.get_view_names():
    for column in seen.get_columns(table):
        print("schema", table, column["name"], column["type"], sep="\\t")
    with engine.connect() as db:
        rows = db.execute(sqlalchemy.select(sqlalchemy.Table(table, sqlalchemy.MetaData(), autoload_with=engine))).fetchall()
    print("rows", table, len(rows), len({tuple(row) for row in rows}), sep="\\t")
"""


def type_of(column):
    """The declared type that a column of this name has, in any table."""
    if column in ("hour", "day") or column.endswith("_time"):
        return "DATETIME"
    if column.endswith("_us") or column in (
        "id",
        "time",
        "attempt",
        "intervals",
        "tasks",
        "step",
        "run",
        "line",
        "count",
        "year",
        "micros_per_chip_hour",
    ):
        return "BIGINT"
    if column.endswith(("_chip_hours", "_per_s", "_w", "_flops")) or column in (
        "chip_hours",
        "SG",
        "RG",
        "PG",
        "MPG",
        "MPG_lower",
        "traced",
        "rated",
        "chips",
        "min_chips",
        "flops",
        "bytes",
        "executions",
        "hbm_bytes",
    ):
        return "REAL"
    return "TEXT"


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = cls.build("fleet.db", FLEET)

    @classmethod
    def build(cls, name, trace, **config):
        path = os.path.join(cls.folder.name, name)
        db = connect(path)
        db.execute("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT)")
        db.executemany("INSERT INTO mpg_config VALUES (?, ?)", config.items())
        db.commit()
        db.execute("SELECT mpg_build(?)", (trace,)).fetchall()
        db.close()
        return path

    def asked(self, *command):
        done = run([*command])
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        return [line.split("\t") for line in done.stdout.splitlines()]

    def plain(self, path=None):
        db = sqlite3.connect(path or self.path)
        self.addCleanup(db.close)
        return db


class Types(Case):
    """Every column of every table and view has a declared type, and drivers report it."""

    TIMES = {"DATETIME": "datetime", "BIGINT": "int", "REAL": "float", "TEXT": "str"}

    def tables(self, kind="'table', 'view'"):
        return [
            name
            for name, in self.plain().execute(f"SELECT name FROM sqlite_schema WHERE type IN ({kind}) ORDER BY name")
        ]

    def columns(self, tables):
        """(table, column) of all, with the types that they should have."""
        db = self.plain()
        return {
            (table, row[1]): type_of(row[1]) for table in tables for row in db.execute(f"PRAGMA table_xinfo({table})")
        }

    def test_declared(self):
        db = self.plain()
        for table in self.tables():
            found = {(table, row[1]): row[2] for row in db.execute(f"PRAGMA table_xinfo({table})")}
            self.assertEqual(self.columns([table]), found)

    def test_values_are_of_their_types(self):
        """No text in a column of numbers, and times that date functions read."""
        db, storage = self.plain(), {"DATETIME": "text", "BIGINT": "integer", "REAL": "real", "TEXT": "text"}
        for (table, column), declared in self.columns(self.tables()).items():
            kinds = {kind for kind, in db.execute(f'SELECT DISTINCT typeof("{column}") FROM {table}')}
            self.assertLessEqual(kinds, {storage[declared], "null"}, (table, column))
            if declared == "DATETIME":
                self.assertEqual(
                    (0,),
                    db.execute(
                        f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL AND julianday({column}) IS NULL"
                    ).fetchone(),
                )

    def test_jdbc(self):
        require(self, "JDBC")
        lines = self.asked("java", "-cp", JAR, "tests/clients/Metadata.java", self.path)
        expected = self.columns(self.tables())
        for kind in ("schema", "answer"):
            self.assertEqual(
                expected,
                {(table, column): name for k, table, column, name in lines if k == kind and table != "sqlite_schema"},
                kind,
            )

    def test_odbc(self):
        """The driver lists no generated columns of tables; views have them all."""
        require(self, "pyodbc")
        lines = self.asked(PYTHON, "-c", ODBC, self.path, *self.tables())
        views = self.columns(self.tables("'view'"))
        listed = {(table, column): name for kind, table, column, name in lines if kind == "schema"}
        self.assertEqual(views, {key: listed[key] for key in views})
        answers = {(table, column): name for kind, table, column, name in lines if kind == "answer"}
        self.assertEqual({key: self.TIMES[name] for key, name in self.columns(self.tables()).items()}, answers)

    def test_sqlalchemy(self):
        """As Superset reads it; a row of each table makes it through its types."""
        if subprocess.run([PYTHON, "-c", "import sqlalchemy"], capture_output=True).returncode:
            (self.fail if os.environ.get("MPG_CLIENTS") else self.skipTest)(
                "SQLAlchemy is not here: make test-clients installs it"
            )
        lines = self.asked(PYTHON, "-c", SQLALCHEMY, self.path)
        self.assertEqual(
            self.columns(self.tables()), {(line[1], line[2]): line[3] for line in lines if line[0] == "schema"}
        )
        db = self.plain()
        for _, table, count, _ in (line for line in lines if line[0] == "rows"):
            self.assertEqual(int(count), db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], table)

    def test_generated_columns_are_found_in_the_text(self):
        """SQLAlchemy until 2.0.40 expects that the text of a table that has some ends with a bracket."""
        generated = (
            self.plain()
            .execute(
                """SELECT DISTINCT s.name, s.sql FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
                                            WHERE s.type = 'table' AND c.hidden > 1"""
            )
            .fetchall()
        )
        self.assertGreater(len(generated), 5)
        for table, text in generated:
            self.assertRegex(text.strip(), r"(?is)^create table .*?\((.*)\)$", table)

    def test_keys_are_unique_indexes(self):
        """Cube refuses a primary key of several columns; tools that draw relations read unique indexes."""
        db = self.plain()
        for table, key in {
            "attempts": ["job", "attempt"],
            "runs": ["job", "attempt", "run"],
            "chips": ["chip", "dtype"],
            "day_sums": ["day"],
            "pool_sums": ["pool"],
            "job_sums": ["job"],
        }.items():
            keys = [
                [row[2] for row in db.execute(f"PRAGMA index_info({index[1]})")]
                for index in db.execute(f"PRAGMA index_list({table})")
                if index[2]
            ]
            self.assertEqual([key], keys, table)
            self.assertEqual(0, max(row[5] for row in db.execute(f"PRAGMA table_info({table})")), table)

    def test_hours_fit_32_bits(self):
        """A client that takes the low 32 bits of an integer has a real beside each sum."""
        db = self.plain()
        for table, column in self.columns(self.tables()):
            if column.endswith("_us") and not column.startswith(
                ("start", "end", "submit", "snapshot", "durable", "until", "ready", "last_span", "progress", "restore")
            ):
                hours = column[:-3] + "_hours" if column == "chip_us" else column[:-3] + "_chip_hours"
                columns = [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})")]
                self.assertIn(hours, columns, table)
                us, real = db.execute(f"SELECT sum({column}), sum({hours}) FROM {table}").fetchone()
                self.assertAlmostEqual((us or 0) / 3.6e9, real or 0, 6, (table, column))


class Times(Case):
    def test_superset(self):
        """Its literal of a DATETIME column, against days and hours: the first is there."""
        db = self.plain()
        days = [day for day, in db.execute("SELECT DISTINCT substr(hour, 1, 10) FROM ledger ORDER BY 1")]
        self.assertEqual(2, len(days))
        for table in ("ledger", "cells"):
            for column in ("day", "hour"):
                total = db.execute(
                    f"SELECT sum(capacity_us) FROM {table} WHERE {column} >= '{days[0]} 00:00:00' AND {column} < '{days[1]} 00:00:00'"
                ).fetchone()
                self.assertEqual(
                    db.execute("SELECT sum(capacity_us) FROM day_sums WHERE day LIKE ? || '%'", (days[0],)).fetchone(),
                    total,
                )
                self.assertGreater(total[0], 0)
        rows = db.execute(
            "SELECT DATETIME(day, 'start of day') AS __timestamp, sum(capacity_us) FROM cells GROUP BY DATETIME(day, 'start of day')"
        ).fetchall()
        self.assertEqual([day + " 00:00:00" for day in days], [row[0] for row in rows])

    def test_grafana(self):
        """$__timeFilter, whatever the ledger's clocks: of Unix seconds and of ISO text, not of microseconds."""
        for offset in ("+00:00", "+02:00", "-05:30"):
            db = self.plain(self.build(offset + ".db", FLEET, offset=offset))
            first, last = db.execute("SELECT min(start_us) / 1000000, max(end_us) / 1000000 FROM waits").fetchone()
            for table, column in (
                ("cells", "time"),
                ("ledger", "time"),
                ("waits", "start_time"),
                ("attempts", "start_time"),
                ("jobs", "submit_time"),
            ):
                found = db.execute(
                    f"SELECT count(*) FROM {table} WHERE " + GRAFANA.format(column, first - 3600, last + 1)
                ).fetchone()
                self.assertEqual(db.execute(f"SELECT count({column}) FROM {table}").fetchone(), found, (table, column))
            hours = db.execute(
                "SELECT count(DISTINCT time), count(DISTINCT hour), min(time) % 1800 FROM ledger"
            ).fetchone()
            self.assertEqual((hours[1], hours[1], 0), hours)
            ahead = (int(offset[1:3]) * 60 + int(offset[4:])) * (60 if offset[0] == "+" else -60)
            self.assertEqual(
                [],
                db.execute(
                    "SELECT hour FROM ledger WHERE datetime(time + ?, 'unixepoch') <> hour LIMIT 1", (ahead,)
                ).fetchall(),
            )

    def test_microseconds(self):
        """ISO text is exact."""
        db = connect()
        db.executescript(
            "CREATE TEMP TABLE allocations AS SELECT 'j' AS job, 1 AS attempt, 'p' AS pool, 4 AS chips, 1.000001 AS start_time, 2.25 AS end_time;"
        )
        db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual(
            [("1970-01-01 00:00:01.000001", "1970-01-01 00:00:02.250000")],
            db.execute("SELECT start_time, end_time FROM main.allocations").fetchall(),
        )


class Measures(Case):
    def test_capacity_has_no_queue(self):
        """The sum that a tool makes of everything: of chip_us more than capacity, of capacity_us what was installed."""
        db = self.plain()
        chips, capacity, queued = db.execute(
            "SELECT sum(chip_us), sum(capacity_us), sum(queued_us) FROM ledger"
        ).fetchone()
        self.assertGreater(queued, 0)
        self.assertEqual(chips, capacity + queued)
        loaded = connect()
        self.assertEqual(
            loaded.execute("SELECT sum(chip_us) FROM trace_rollup(?) WHERE category <> 'queued'", (FLEET,)).fetchone(),
            (capacity,),
        )

    def test_the_roll_up_of_the_file(self):
        """Its relations' times are exact, so that the extension reads it as a trace."""
        loaded = connect(self.path)
        query = "SELECT pool, category, sum(chip_us) FROM {} GROUP BY pool, category ORDER BY pool, category"
        self.assertEqual(
            loaded.execute(query.format("ledger")).fetchall(), loaded.execute(query.format("mpg_rollup")).fetchall()
        )
        loaded.close()


if __name__ == "__main__":
    unittest.main()
