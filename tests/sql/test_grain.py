"""The grain of a roll-up: what its rows are, with the argument `grain` and without it, and that a comparison on a measure never misleads."""

import os
import sqlite3
import unittest

from fleets import ROOT, connect, create_tables, quote
import naive
from test_fleets import DIMENSIONS

FLEET = os.path.join(ROOT, "fixtures", "fleet")


class Grain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.db = connect()
        create_tables(cls.db, naive.load_folder(FLEET))
        cls.db.execute(
            f"CREATE TEMP TABLE copy AS SELECT {', '.join(DIMENSIONS)}, sum(chip_us) AS chip_us, sum(chip_us) / 1e6 AS chip_seconds, count(*) AS intervals "
            f"FROM trace_ledger({quote(FLEET)}, '1 hour') GROUP BY {', '.join(DIMENSIONS)}"
        )
        cls.sources = [f"trace_rollup({quote(FLEET)}, '1 hour')", "mpg_rollup"]

    def ask(self, what, source, grain="full"):
        given = f"grain = '{grain}'" + (" AND bucket_width = '1 hour'" if source == "mpg_rollup" else "")
        return self.db.execute(what.format(source, "WHERE " + given + " AND ")).fetchall()

    def test_counts_facets_sliders_and_comparisons(self):
        """What tools ask of a table, of the finest grain and of a copy."""
        for what in (
            "SELECT count(*) FROM {} {} 1",
            "SELECT count(*) FROM (SELECT pool, chip_us FROM {} {} 1)",
            "SELECT category, count(*) FROM {} {} 1 GROUP BY category ORDER BY 1",
            "SELECT min(chip_us), max(chip_us) FROM {} {} 1",
            "SELECT phase, round(avg(chip_seconds), 6) FROM {} {} 1 GROUP BY phase ORDER BY 1",
            "SELECT sum(chip_us) FROM {} {} chip_us > 1e11",
            "SELECT count(*), sum(chip_us) FROM {} {} intervals BETWEEN 2 AND 9",
            "SELECT sum(chip_us) FROM {} {} (chip_us > 1e11 OR pool = 'v4-zürich')",
            "SELECT pool, count(DISTINCT job) FROM {} {} chip_us <> 0 GROUP BY pool ORDER BY 1",
            "SELECT count(*) FROM {} {} chip_us + 0 > 1e10",
            "SELECT job, chip_us FROM {} {} chip_us > 0 ORDER BY chip_us DESC, job LIMIT 5",
        ):
            expected = self.db.execute(what.format("copy", "WHERE")).fetchall()
            self.assertTrue(expected[0][-1], what)
            for source in self.sources:
                self.assertEqual(expected, self.ask(what, source), (what, source))

    def test_named(self):
        expected = self.db.execute(
            "SELECT count(*), max(us) FROM (SELECT sum(chip_us) AS us FROM copy GROUP BY pool, bucket)"
        ).fetchone()
        for source in self.sources:
            for grain in ("pool,bucket", "bucket, Pool"):
                self.assertEqual([expected], self.ask("SELECT count(*), max(chip_us) FROM {} {} 1", source, grain))
                self.assertEqual(
                    self.db.execute("SELECT pool, sum(chip_us) FROM copy GROUP BY pool ORDER BY pool").fetchall(),
                    self.ask("SELECT pool, sum(chip_us) FROM {} {} 1 GROUP BY pool ORDER BY pool", source, grain),
                )

    def test_behind_a_view(self):
        self.db.execute(
            "CREATE TEMP VIEW saved AS SELECT * FROM mpg_rollup WHERE grain = 'full' AND bucket_width = '1 hour'"
        )
        self.addCleanup(self.db.execute, "DROP VIEW saved")
        for what in (
            "SELECT count(*), sum(chip_us) FROM {}",
            "SELECT count(*), sum(chip_us) FROM {} WHERE chip_us > 1e11",
        ):
            self.assertEqual(
                self.db.execute(what.format("copy")).fetchall(), self.db.execute(what.format("saved")).fetchall()
            )

    def test_refused(self):
        """A measure means nothing at a grain that moves with the statement; IS NOT NULL, which tools add, does."""
        for source in self.sources:
            for condition in (
                "chip_us > 1e11",
                "chip_us = 5",
                "intervals IN (1, 2)",
                "chip_seconds BETWEEN 1 AND 2",
                "chip_us <> 0 AND pool = 'v4-zürich'",
            ):
                with self.subTest(source + condition), self.assertRaisesRegex(
                    sqlite3.OperationalError, "_rollup: expected grain = 'full', .* beside a comparison of chip_us"
                ):
                    self.db.execute(
                        f"SELECT pool, sum(chip_us) FROM {source} WHERE {condition} GROUP BY pool"
                    ).fetchall()
            self.assertEqual(
                (1,), self.db.execute(f"SELECT count(*) FROM {source} WHERE chip_us IS NOT NULL").fetchone()
            )
            self.assertGreater(
                len(self.db.execute(f"SELECT pool FROM {source} GROUP BY pool HAVING sum(chip_us) > 1e11").fetchall()),
                3,
            )

    def test_mistakes(self):
        for grain, error in {
            "pol": "grain: expected 'full', or names of its dimensions such as 'pool, category', found 'pol'",
            "pool,": "grain: expected a name after the last comma",
            "pool": "grain: expected also phase, which the statement names",
        }.items():
            for source in self.sources:
                with self.assertRaises(sqlite3.OperationalError) as caught:
                    self.ask("SELECT phase, count(*) FROM {} {} 1 GROUP BY phase", source, grain)
                self.assertEqual(f"{source[:source.index('_rollup')]}_rollup: {error}", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
