"""Comparisons that the extension's tables make before SQLite sees a row: they are SQLite's own, or SQLite makes them alone.

IN of a list or a subquery is a set, so a row comes once; which rows come is for the affinity of both sides to say. A copy of the rows in
the database, whose columns are declared as the table's are, says what is right."""
import unittest

from cases import Case as BaseCase
from fleets import quote


class Cases(BaseCase):
    POOLS = {"7": 1, "007": 2, "7.0": 4, "b": 8}

    def setUp(self):
        super().setUp()
        self.db.execute("CREATE TABLE capacity(pool, chip, chips, start_time, end_time)")
        self.db.executemany("INSERT INTO capacity VALUES (?, 'tpu-v4', ?, 0, 1)", self.POOLS.items())
        self.db.execute("CREATE TABLE copied(pool TEXT, chip_us BIGINT, start_time REAL)")
        self.db.execute("INSERT INTO copied SELECT pool, chip_us, start_time FROM mpg_ledger")
        self.path = self.file("pool,n,m\n" + "".join(f"{pool},{n + 6},{chips}\n" for n, (pool, chips) in enumerate(self.POOLS.items())), "t.csv")
        types = "types='pool TEXT, n BIGINT, m BIGINT'"
        self.db.execute(f"CREATE VIRTUAL TABLE temp.runs USING csv_trace({quote(self.path)}, {types})")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.sums USING csv_rollup({quote(self.path)}, {types}, measures='m')")
        self.db.execute("CREATE TABLE records AS SELECT * FROM runs")

    def same(self, where, expected, other="", tables=("copied", "mpg_ledger")):
        """`other` is FROM's beside the table t."""
        measure = "chip_us / 1000000" if "copied" in tables else "m"
        for table in tables:
            found = self.rows(f"SELECT sum({measure}) FROM {other}{table} AS t WHERE {where}")
            self.assertEqual(found, [(expected,)], (table, where))
        rows = [sorted(self.rows(f"SELECT pool FROM {other}{table} AS t WHERE {where}")) for table in tables if table != "sums"]
        self.assertEqual(rows[1:], rows[:-1], where)

    def every(self, where, expected, other=""):
        self.same(where, expected, other)
        self.same(where, expected, other, ("records", "runs", "sums"))

    def test_in_of_a_column_of_numbers(self):
        self.db.executescript("CREATE TABLE mine(id INTEGER, r REAL, n NUMERIC, s TEXT); INSERT INTO mine VALUES (7, 7, 7, 7), (7, 7.0, '7.0', '7.0'), (NULL, NULL, NULL, NULL);")
        for column in ("id", "r", "n"):
            self.every(f"pool IN (SELECT {column} FROM mine)", 7)
            self.every(f"(pool, 1) IN (SELECT {column}, 1 FROM mine)", 7)
            self.every(f"pool = (SELECT {column} FROM mine)", 7)
            self.every(f"t.pool = w.{column}", 7, f"(SELECT DISTINCT {column} FROM mine) AS w JOIN ")
        self.every("pool IN (SELECT s FROM mine)", 5)
        self.every("pool IN (SELECT CAST(id AS TEXT) FROM mine)", 1)

    def test_in_counts_a_row_once(self):
        self.db.executescript("CREATE TABLE wanted(pool, n); INSERT INTO wanted VALUES (7, 6), ('7', 6), (x'37', 6), (7.0, 6), ('b', 9), ('b', 9.0);")
        for among in ("SELECT pool FROM wanted", "SELECT value FROM json_each('[7, \"7\", \"b\", 7.0]')", "SELECT pool FROM wanted WHERE n = 6 OR n > 8"):
            self.every(f"pool IN ({among})", 9)
        self.every("pool IN (7, '7', 'b')", 9)
        self.every("pool IN ('7', '7', 'b')", 9)
        self.every("(pool, 1) IN (SELECT pool, 1 FROM wanted)", 9)
        self.every("(pool, 1) IN (VALUES ('7', 1), ('b', 1), (7, 1))", 9)
        self.same("(pool, start_time) IN (SELECT pool, 0 FROM wanted)", 9)
        self.same("start_time IN (SELECT 0 UNION ALL SELECT '0' UNION ALL SELECT 0.0)", 15)
        self.same("(pool, n) IN (SELECT pool, n FROM wanted)", 9, tables=("records", "runs", "sums"))
        self.same("(pool, n) IN (SELECT pool, n FROM wanted) AND m > 0 AND pool IN ('7', 'b')", 9, tables=("records", "runs"))
        self.same("EXISTS (SELECT 1 FROM wanted AS w WHERE (t.pool, t.n) IN (SELECT w.pool, w.n))", 9, tables=("records", "runs", "sums"))

    def test_a_text_of_a_column_of_numbers(self):
        """A column of a compound view has an affinity, and holds a text all the same (before SQLite 3.51 or so)."""
        self.db.executescript("CREATE TABLE i(x INTEGER); INSERT INTO i VALUES (1); CREATE VIEW v AS SELECT x FROM i UNION ALL SELECT '7.0';")
        for operator in ("=", "IS", "<=", ">="):
            wanted, = self.rows(f"SELECT sum(chip_us / 1000000) FROM v CROSS JOIN copied AS t WHERE t.pool {operator} v.x")
            self.every(f"t.pool {operator} v.x", wanted[0], "v CROSS JOIN ")
            self.every(f"+t.pool {operator} v.x", wanted[0], "v CROSS JOIN ")
        self.every("t.pool = '7.0'", 4)
        self.assertEqual(self.rows("SELECT sum(m) FROM runs WHERE pool = ?", "7.0"), [(4,)])

    def numbers(self, table, where):
        """How many numbers there are in the plan of a scan: more, where more is compared."""
        plan, = [row[3] for row in self.rows(f"EXPLAIN QUERY PLAN SELECT count(*) FROM {table} WHERE {where}", *["b"] * where.count("?")) if "VIRTUAL" in row[3]]
        return len(plan.split(":")[1].split())

    def test_plain_comparisons_are_made_early(self):
        """Of what is equal to a constant or a parameter, and of IN where it is had whole, but not of a row's."""
        self.db.execute("CREATE TABLE w(a, b)")
        for table, other in (("mpg_ledger", "start_time"), ("runs", "n"), ("sums", "n")):
            none = self.numbers(table, "+pool = 'b'")
            for where in ("pool = 'b'", "pool = ?", f"{other} = 7", f"{other} = ?", "pool = (SELECT a FROM w)", "(pool, 1) = (?, 1)"):
                self.assertGreater(self.numbers(table, where), none, (table, where))
            for where in (f"(pool, {other}) IN (SELECT a, b FROM w)", f"({other}, 1) IN (SELECT a, b FROM w)", "pool COLLATE NOCASE = 'b'"):
                self.assertEqual(self.numbers(table, where), none, (table, where))
            self.assertEqual(self.numbers(table, "pool IN (SELECT a FROM w)") > none, table != "mpg_ledger")
            self.assertEqual(self.numbers(table, f"pool = 'b' AND (pool, {other}) IN (SELECT a, b FROM w)"), self.numbers(table, "pool = 'b'"), table)


if __name__ == "__main__":
    unittest.main()
