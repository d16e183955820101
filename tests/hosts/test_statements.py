"""Statements of BI tools, as they write them: what each answers over the ledger, a roll-up of a fixed grain, the tables of mpg_build and
their views is what it answers over a copy of that; in Python, and in the drivers that the tools stand on.

tests/clients/bi.sql has the statements. A client that is not here is skipped; with MPG_CLIENTS set it is a failure.
"""

import os
import sqlite3
import tempfile
import unittest

from answers import built
from fleets import ROOT, connect, create_tables
import naive
from test_clients import CLIENTS, HERE, PYTHON, parsed, require, run

FLEET = "fixtures/fleet"
COLUMNS = "pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority, category, cause, {hour} AS hour, chip_us"
ROWS = f"(SELECT {COLUMNS.format(hour='bucket')} FROM %s)"
SOURCES = {
    "trace_ledger": ROWS % f"trace_ledger('{FLEET}', '1 hour')",
    "trace_rollup": ROWS % f"trace_rollup('{FLEET}', '1 hour') WHERE grain = 'full'",
    "mpg_rollup": ROWS % "mpg_rollup WHERE grain = 'full' AND bucket_width = '1 hour'",
    "a view of mpg_rollup": "saved",
}
PLAIN = {"ledger": f"(SELECT {COLUMNS.format(hour='hour')} FROM ledger)", "ledger itself": "ledger", "cells": "cells"}
UNTIL = (
    "2026-01-05 01:00:00"  # of a join with a part of itself: newer versions of SQLite may run that anew for each row
)
DRIVERS = ("apsw", "pyodbc", "JDBC", "better-sqlite3", "node:sqlite")
SQLALCHEMY = """
import json, sqlalchemy, sys
with sqlalchemy.create_engine("sqlite:///" + sys.argv[1]).connect() as db:
    for text in open(sys.argv[2], encoding="utf-8").read().split("\\n-- ")[1:]:
        name, statement = text.split("\\n", 1)
        found = db.exec_driver_sql(statement)
        print(json.dumps({"name": name, "columns": list(found.keys()), "rows": [list(row) for row in found]}))
"""


def statements():
    with open(os.path.join(ROOT, HERE, "bi.sql"), encoding="utf-8") as file:
        return [text.split("\n", 1) for text in file.read().split("\n-- ")[1:]]


def asked(statement, source):
    """The statement of a source; a join with a part of itself is asked of an hour of it."""
    return statement.replace(
        "{s}", f"(SELECT * FROM {source} WHERE hour < '{UNTIL}')" if "JOIN (SELECT" in statement else source
    )


def rounded(rows):
    """Reals with 12 digits: libsqliteodbc has 15, and sums of another order differ in the last."""
    return [[float(f"{v:.12g}") if isinstance(v, float) else v for v in row] for row in rows]


class Statements(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        os.chdir(ROOT)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = os.path.join(cls.folder.name, "fleet.db")
        built(FLEET, cls.path).close()

    def check(self, db, source):
        """Every statement over the source and over a copy; its answers."""
        db.execute(f"CREATE TEMP TABLE copy AS SELECT * FROM {source}")
        answers = []
        for name, statement in statements():
            with self.subTest(f"{name} of {source}"):
                expected = db.execute(asked(statement, "copy")).fetchall()
                self.assertEqual(rounded(expected), rounded(db.execute(asked(statement, source)).fetchall()))
                answers.append({"name": name, "rows": rounded(expected)})
        db.execute("DROP TABLE temp.copy")
        return answers

    def test_there_are_sixty_four(self):
        self.assertEqual(64, len(statements()))
        self.assertEqual(
            {"Metabase", "Superset", "Grafana", "Tableau", "Power BI", "DBeaver", "Datasette", "SQLAlchemy"},
            {name.rsplit(" ", 1)[0] for name, _ in statements()},
        )

    def test_with_the_extension(self):
        db = connect()
        create_tables(db, naive.load_folder(os.path.join(ROOT, FLEET)))
        db.execute(
            f"CREATE TEMP VIEW saved AS SELECT {COLUMNS.format(hour='bucket')} FROM mpg_rollup WHERE grain = 'full' AND bucket_width = '1 hour'"
        )
        for source in SOURCES.values():
            answers = self.check(db, source)
            empty = [answer["name"] for answer in answers if not answer["rows"]]
            self.assertLessEqual(len(empty), 1, empty)
        db.close()

    def test_plain(self):
        """Roll-up, table and view are the same rows: so are their answers."""
        db = sqlite3.connect(self.path)
        answers = [self.check(db, source) for source in PLAIN.values()]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        db.close()

    def expanded(self, source):
        path = os.path.join(self.folder.name, "statements.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"\n-- {name}\n{asked(statement, source)}" for name, statement in statements()))
        return path

    def driven(self, client):
        """A driver's answers over the roll-up are Python's."""
        require(self, client)
        source = SOURCES["trace_rollup"]
        db = connect()
        expected = [
            [name, rounded(db.execute(asked(statement, source)).fetchall())] for name, statement in statements()
        ]
        command = [os.path.join(HERE, part) if part[:6].lower() == "driver" else part for part in CLIENTS[client][0]]
        library = [client] if "driver.mjs" in CLIENTS[client][0] else []
        done = run([*command, os.path.join(ROOT, "mpg"), self.expanded(source), *library])
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        found = [
            [answer["name"], rounded(answer.get("rows", [[answer.get("error")]]))] for answer in parsed(done.stdout)
        ]
        self.assertEqual(expected, found)

    def test_sqlalchemy(self):
        if run([PYTHON, "-c", "import sqlalchemy"]).returncode:
            (self.fail if os.environ.get("MPG_CLIENTS") else self.skipTest)(
                "SQLAlchemy is not here: make test-clients installs it"
            )
        done = run([PYTHON, "-c", SQLALCHEMY, self.path, self.expanded("cells")])
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        db = sqlite3.connect(self.path)
        expected = [
            [name, rounded(db.execute(asked(statement, "cells")).fetchall())] for name, statement in statements()
        ]
        self.assertEqual(expected, [[answer["name"], rounded(answer["rows"])] for answer in parsed(done.stdout)])
        db.close()


for driver in DRIVERS:
    setattr(
        Statements,
        "test_" + driver.replace("-", "_").replace(":", "_"),
        lambda self, driver=driver: self.driven(driver),
    )

if __name__ == "__main__":
    unittest.main()
