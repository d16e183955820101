#!/usr/bin/python3
"""The aggregate mpg_median, held against the middle of a sorted list."""

import random
import unittest

from cases import Case


class Median(Case):
    def median(self, values):
        self.db.execute("BEGIN")
        self.db.execute("CREATE TEMP TABLE t(v)")
        self.db.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        median = self.one("SELECT mpg_median(v) FROM t")
        self.db.execute("ROLLBACK")
        return median

    def test_values_of_any_order(self):
        random.seed(21)
        for turn in range(400):
            n, width = random.randrange(1, 60), random.choice((1, 3, 1000, 2**53))
            values = [random.randrange(-width, width) for _ in range(n)]
            if turn % 2:
                values = [value / 4 for value in values]
            if turn % 3 == 0:
                values.sort(reverse=turn % 2 == 0)
            median = self.median(values + [None] * random.randrange(3))
            self.assertEqual(median, sorted(values)[(n - 1) // 2])
            self.assertIs(type(median), type(values[0]))

    def test_many(self):
        """As many as are polled for, of many equal ones and of none: the pivots of either end differ."""
        for values in (
            [i * 7919 % 200_003 for i in range(200_003)],
            list(range(150_000)),
            [5] * 100_000 + [4] * 70_000,
            [abs(i - 80_000) for i in range(160_001)],
        ):
            self.assertEqual(self.median(values), sorted(values)[(len(values) - 1) // 2])

    def test_types(self):
        self.assertIsNone(self.median([]))
        self.assertIsNone(self.median([None, None]))
        self.assertEqual(repr(self.median([1, 2.0, 3])), "2.0")
        self.assertEqual(repr(self.median([2**53 + 2])), str(float(2**53 + 2)))
        self.assertEqual(self.median([float("-inf"), 1, float("inf"), float("inf")]), 1)

    def test_groups(self):
        rows = "WITH t(g, v) AS (VALUES ('a', 1), ('b', 7), ('a', 3), ('b', 8), ('a', 2), ('c', NULL))"
        self.assertEqual(
            self.db.execute(rows + " SELECT g, mpg_median(v) FROM t GROUP BY g").fetchall(),
            [("a", 2), ("b", 7), ("c", None)],
        )

    def test_errors(self):
        self.fails("mpg_median: expected a number, found '7'", "SELECT mpg_median('7')")
        self.fails(
            "mpg_median: expected a number, found 'x'", "SELECT mpg_median(column1) FROM (VALUES (1), ('x'), (2))"
        )


if __name__ == "__main__":
    unittest.main()
