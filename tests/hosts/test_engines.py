#!/usr/bin/python3
"""The SQL of docs/engines.md, as it stands there, on the engines that are here: their goodput is mpg's."""
import csv
import os
import random
import re
import sqlite3
import subprocess
import tempfile
import unittest

import clickhouse
import postgres
from fleets import ROOT, connect

PACKAGE = os.path.join(ROOT, "build", "bench", "node_modules", "@duckdb", "node-bindings-linux-x64", "libduckdb.so")
COLUMNS = ["sg", "rg", "pg", "mpg", "mpg_lower", "runtime_coverage", "program_coverage"]
FUNCTIONS = [
    "scheduling_goodput",
    "runtime_goodput",
    "program_goodput",
    "mpg",
    "mpg_lower",
    "runtime_coverage",
    "program_coverage",
]


def block(name):
    with open(os.path.join(ROOT, "docs/engines.md"), encoding="utf-8") as file:
        return re.search(r"^```\w+ %s\n(.*?)^```$" % re.escape(name), file.read(), re.M | re.S)[1]


def types_of(engine):
    """What the page says that the engine calls DOUBLE and DECIMAL."""
    with open(os.path.join(ROOT, "docs/engines.md"), encoding="utf-8") as file:
        listed = dict(
            (name, (double, decimal))
            for name, double, decimal in re.findall(r"^- (\w+): `(.*?)`, `(.*?)`$", file.read(), re.M)
        )
    return listed.get(engine, ("DOUBLE", "DECIMAL(38, 0)"))


def standard(engine):
    double, decimal = types_of(engine)
    return block("goodput").replace("AS DOUBLE)", f"AS {double})").replace("DECIMAL(38, 0)", decimal)


def export(trace, folder):
    """ledger.csv by the page's command."""
    subprocess.run(
        ["sh", "-euc", block("export")], cwd=folder, env=dict(os.environ, TRACE=trace, LD_LIBRARY_PATH=ROOT), check=True
    )
    with open(os.path.join(folder, "ledger.csv"), newline="") as file:
        return list(csv.reader(file))


def trouble(big):
    """Rows of every kind: sums that cancel, nothing at all, and where `big`, sums past 64 bits."""
    rng = random.Random(9)
    names = [row[0] for row in connect().execute("SELECT category FROM mpg_categories")]
    rows = [
        ["2026-01-01", "only queued", "queued", 5],
        ["2026-01-01", "zero", "idle", 7],
        ["2026-01-02", "zero", "idle", -7],
        ["2026-01-01", "zero", "ideal", 0],
        ["2026-01-01", "untraced", "untraced", 9],
        ["2026-01-01", "unrated", "unrated", 9],
    ]
    rows += [
        ["2026-01-03", "whole", "ideal", 3],
        ["2026-01-03", "whole", "idle", 5],
        ["2026-01-03", "whole", "lost", 11],
    ]
    for _ in range(300):
        rows.append(
            [f"2026-01-{rng.randrange(1, 29):02}", rng.choice("abc"), rng.choice(names), rng.randrange(10**12)]
        )
    if big:
        rows += [
            ["2026-01-05", "big", name, 9 * 10**18] for name in ("idle", "ideal", "inefficiency") for _ in range(3)
        ]
    return [[day, pool, "c", "j", "o", "p", "f", "S", name, "", str(us), "1"] for day, pool, name, us in rows]


def expected(rows):
    db = connect()
    db.execute("CREATE TABLE ledger(pool, category, chip_us)")
    db.executemany("INSERT INTO ledger VALUES(?, ?, ?)", [(row[1] or None, row[8], int(row[10])) for row in rows])
    calls = ", ".join(f"{name}(category, chip_us)" for name in FUNCTIONS)
    return {row[0]: row[1:] for row in db.execute(f"SELECT pool, {calls} FROM ledger GROUP BY pool")}


class Engines(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(self.folder, 0o755)

    def traces(self, big=True):
        """Name, header and rows of the ledgers that are tried, each left as ledger.csv."""
        for name in ("fixtures/fleet", "fixtures/golden"):
            rows = export(os.path.join(ROOT, name), self.folder)
            yield name, rows[1:]
        with open(os.path.join(self.folder, "ledger.csv"), "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([rows[0]] + trouble(big))
        yield "trouble", trouble(big)

    def same(self, rows, found):
        wanted = expected(rows)
        self.assertGreater(len(wanted), 0)
        self.assertEqual(set(wanted), {row[0] for row in found})
        for pool, *values in found:
            for name, a, b in zip(COLUMNS, wanted[pool], values):
                self.assertEqual(a is None, b is None, (pool, name, a, b))
                if a is not None:
                    self.assertAlmostEqual(a, float(b), delta=1e-14 * abs(a), msg=f"{pool} {name}")

    def test_sqlite(self):
        for name, rows in self.traces(big=False):
            with self.subTest(name):
                db = sqlite3.connect(":memory:")
                db.execute(block("table"))
                db.executemany(
                    "INSERT INTO ledger VALUES(%s)" % ", ".join("?" * 12), [[v or None for v in row] for row in rows]
                )
                self.same(rows, db.execute(standard("SQLite")).fetchall())
        db.executemany("INSERT INTO ledger(pool, category, chip_us) VALUES('big', 'idle', ?)", [(9 * 10**18,)] * 2)
        with self.assertRaisesRegex(sqlite3.OperationalError, "integer overflow"):
            db.execute(standard("SQLite")).fetchall()

    def test_postgres(self):
        if postgres.missing():
            self.skipTest(postgres.missing())
        tree = postgres.Tree()
        self.addCleanup(tree.remove)
        server = postgres.Server(tree)
        self.addCleanup(server.stop)
        for name, rows in self.traces():
            with self.subTest(name):
                load = "\\copy ledger FROM '%s' CSV HEADER\n" % os.path.join(self.folder, "ledger.csv")
                self.same(
                    rows, server.sql("DROP TABLE IF EXISTS ledger;" + block("table") + load + standard("PostgreSQL"))
                )

    def test_duckdb(self):
        """By the library that npm's package has, where make bench has fetched it."""
        library = os.environ.get("DUCKDB", PACKAGE)
        if not os.path.exists(library):
            self.skipTest("no DuckDB: make bench fetches it")
        driver = os.path.join(self.folder, "duckdb")
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-o", driver, os.path.join(ROOT, "tests", "bench", "duckdb.c"), "-ldl"],
            check=True,
        )
        for name, rows in self.traces():
            with self.subTest(name):
                done = subprocess.run(
                    [
                        driver,
                        library,
                        block("table") + "INSERT INTO ledger SELECT * FROM read_csv('ledger.csv');",
                        standard("DuckDB"),
                    ],
                    cwd=self.folder,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.same(rows, rows_of(done.stdout, between="|"))

    def test_clickhouse(self):
        if clickhouse.missing():
            self.skipTest(clickhouse.missing())
        server = clickhouse.Server()
        self.addCleanup(server.stop)
        insert = re.search(r'--query "(.*)"', block("clickhouse-load"))[1]
        for name, rows in self.traces():
            with self.subTest(name):
                server.sql("DROP TABLE IF EXISTS ledger")
                server.sql(block("clickhouse-table").rstrip().rstrip(";"))
                with open(os.path.join(self.folder, "ledger.csv"), "rb") as file:
                    server.sql(insert, file)
                if name == "trouble":  # what the page warns of
                    self.assertLess(
                        int(server.sql("SELECT sum(chip_us) FROM ledger WHERE pool = 'big' AND category = 'idle'")),
                        27 * 10**18,
                    )
                query = block("clickhouse-goodput").rstrip().rstrip(";")
                self.same(rows, rows_of(server.sql(query), "\\N"))
                server.sql("OPTIMIZE TABLE ledger FINAL")  # rows of one key are summed now
                self.same(
                    rows if name != "trouble" else trouble(False),
                    [row for row in rows_of(server.sql(query), "\\N") if row[0] != "big"],
                )


def rows_of(text, null="", between="\t"):
    return [[None if v in ("", null) else v for v in line.split(between)] for line in text.splitlines()]


if __name__ == "__main__":
    unittest.main()
