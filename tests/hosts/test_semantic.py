"""The semantic layer: mpg_columns says of every column what it means, and the models for BI tools are made from it."""

import importlib.machinery
import importlib.util
import json
import os
import re
import sqlite3
import unittest

from answers import built
from fleets import ROOT

FOLDER = os.path.join(ROOT, "sql", "semantic")
FLEET = os.path.join(ROOT, "fixtures", "fleet")


def generator():
    loader = importlib.machinery.SourceFileLoader("generate", os.path.join(FOLDER, "generate"))
    spec = importlib.util.spec_from_loader("generate", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Columns(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.db = built(FLEET, labels="cost_center, team")
        cls.addClassCleanup(cls.db.close)

    def test_every_column_of_every_table(self):
        declared = {
            (table, row[1], row[2])
            for table, in self.db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
            for row in self.db.execute(f"PRAGMA table_xinfo({table})")
        }
        listed = set(
            self.db.execute("SELECT table_name, column_name, type FROM mpg_columns WHERE column_name IS NOT NULL")
        )
        self.assertEqual(declared, listed)
        self.assertEqual(
            {table for table, _, _ in declared},
            {table for table, in self.db.execute("SELECT table_name FROM mpg_columns WHERE column_name IS NULL")},
        )

    def test_meanings(self):
        for table, column, unit, meaning, adds_up in self.db.execute(
            "SELECT table_name, column_name, unit, meaning, adds_up FROM mpg_columns"
        ):
            with self.subTest(f"{table}.{column}"):
                self.assertRegex(meaning, r"^[A-Za-z0-9].*\.$")
                if column is not None:
                    self.assertTrue(adds_up in ("sum", "group", "min and max") or unit == "ratio")
                    self.assertEqual(column.endswith("_us") or column == "chip_us", unit in ("us", "chip-us"))
                    self.assertEqual(column.endswith("chip_hours"), unit == "chip-hours")

    def test_a_label_that_nobody_listed(self):
        self.assertEqual(
            [("The job's label cost_center.", "group")],
            self.db.execute(
                "SELECT meaning, adds_up FROM mpg_columns WHERE table_name = 'cells' AND column_name = 'cost_center'"
            ).fetchall(),
        )

    def test_ratios_are_those_of_the_tables(self):
        """The expression over the sums gives what the table says of each row, and over the ledger what it says of each day, pool and job."""
        for table, key in (("day_sums", "day"), ("pool_sums", "pool"), ("job_sums", "job")):
            for column, expression in self.db.execute(
                "SELECT column_name, adds_up FROM mpg_columns WHERE table_name = ? AND unit = 'ratio'", (table,)
            ).fetchall():
                expected = self.db.execute(f"SELECT {key}, {column} FROM {table} ORDER BY 1").fetchall()
                for source in (table, "ledger"):
                    found = self.db.execute(
                        f"SELECT {key}, {expression} FROM {source} WHERE {key} IS NOT NULL GROUP BY {key} ORDER BY 1"
                    ).fetchall()
                    self.assertEqual(expected, found, (table, column, source))

    def test_labels(self):
        expected = [
            (job, json.loads(labels)["cost_center"])
            for job, labels in self.db.execute("SELECT job, labels FROM jobs ORDER BY job")
        ]
        self.assertEqual(
            expected,
            self.db.execute("SELECT job, value FROM job_labels WHERE key = 'cost_center' ORDER BY job").fetchall(),
        )
        for table in ("ledger", "cells"):
            self.assertEqual(
                expected,
                self.db.execute(
                    f"SELECT DISTINCT job, cost_center FROM {table} WHERE job IS NOT NULL ORDER BY job"
                ).fetchall(),
            )
        self.assertEqual(
            [(None,)], self.db.execute("SELECT DISTINCT cost_center FROM cells WHERE job IS NULL").fetchall()
        )

    def test_a_label_with_the_name_of_a_column(self):
        with self.assertRaisesRegex(
            sqlite3.OperationalError,
            'mpg_build: mpg_config: labels: expected labels that are no columns of the ledger, each once, found "pool"',
        ):
            built(FLEET, labels="pool")


class Models(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.db, cls.generate = built(FLEET), generator()
        cls.addClassCleanup(cls.db.close)
        cls.files = cls.generate.files(cls.db)

    def test_are_up_to_date(self):
        """MPG_WRITE_DOCS=1 writes them."""
        there = {
            os.path.relpath(os.path.join(folder, name), FOLDER)
            for folder, _, names in os.walk(FOLDER)
            for name in names
            if not name.endswith((".pyc", "generate"))
        }
        self.assertEqual(there | {"../dashboards/grafana.json"}, set(self.files))
        for path, text in self.files.items():
            if os.environ.get("MPG_WRITE_DOCS"):
                with open(os.path.join(FOLDER, path), "w", encoding="utf-8") as file:
                    file.write(text)
            with open(os.path.join(FOLDER, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, path)

    def parsed(self, path):
        if path.endswith(".json"):
            return json.loads(self.files[path])
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not here")
        return yaml.safe_load(self.files[path])

    def test_what_is_read_is_what_was_meant(self):
        """The YAML is YAML, of the same content."""
        for maker in ("superset", "metabase", "cube", "dbt", "datasette", "grafana"):
            for path, value in getattr(self.generate, maker)(self.db).items():
                self.assertEqual(value, self.parsed(path), path)

    def expressions(self):
        yield from (
            (m["metric_name"], m["expression"]) for m in self.parsed("superset/datasets/mpg/cells.yaml")["metrics"]
        )
        yield from ((m["name"], m["sql"][7:-11]) for m in self.parsed("metabase.yaml")["metrics"])
        yield from (
            (m["name"], f"sum({m['sql']})" if m["type"] == "sum" else m["sql"])
            for m in self.parsed("cube.yml")["cubes"][0]["measures"]
        )
        yield from self.parsed("dbt.yml")["sources"][0]["meta"]["measures"].items()

    def test_measures_are_right(self):
        """Each, by pool, against the sums and ratios of the database."""
        wanted = {
            row[0]: row
            for row in self.db.execute("SELECT pool, SG, RG, PG, MPG, MPG_lower, traced, rated FROM pool_sums")
        }
        count = 0
        for name, expression in self.expressions():
            with self.subTest(name):
                for pool, value in self.db.execute(
                    f"SELECT pool, {expression} FROM cells WHERE pool IS NOT NULL GROUP BY pool"
                ):
                    ratios = dict(zip(("SG", "RG", "PG", "MPG", "MPG_lower", "traced", "rated"), wanted[pool][1:]))
                    ratios.update({title: ratios[ratio] for ratio, title in self.generate.TITLES.items()})
                    if name in ratios:
                        self.assertEqual(ratios[name], value)
                    elif not re.search("^(sum_)?chip_hours$", name):
                        column = name.replace("sum_", "").replace("_chip_hours", "_us")
                        self.assertAlmostEqual(
                            value,
                            self.db.execute(
                                f"SELECT {column} / 3.6e9 FROM pool_sums WHERE pool = ?", (pool,)
                            ).fetchone()[0],
                            6,
                        )
                    count += 1
        self.assertGreater(count, 4 * 14 * 6)

    def test_every_column_is_there(self):
        columns = [row[1] for row in self.db.execute("PRAGMA table_xinfo(cells)")]
        self.assertEqual(
            columns, [c["column_name"] for c in self.parsed("superset/datasets/mpg/cells.yaml")["columns"]]
        )
        self.assertEqual(columns, [c["name"] for c in self.parsed("metabase.yaml")["result_metadata"]])
        self.assertEqual(
            columns, list(self.parsed("datasette.json")["databases"]["fleet"]["tables"]["cells"]["columns"])
        )
        self.assertEqual(
            columns,
            [
                c["name"]
                for t in self.parsed("dbt.yml")["sources"][0]["tables"]
                if t["name"] == "cells"
                for c in t["columns"]
            ],
        )

    def test_stored_queries_run(self):
        for name, query in self.parsed("datasette.json")["databases"]["fleet"]["queries"].items():
            self.assertGreater(len(self.db.execute(query["sql"]).fetchall()), 0, name)

    def test_average_of_ratios_is_offered_nowhere(self):
        for path, text in self.files.items():
            self.assertNotRegex(text, r"\bavg\(|\"(avg|average|mean)\"", path)


if __name__ == "__main__":
    unittest.main()
