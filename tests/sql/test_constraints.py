"""Comparisons that the extension's tables make before SQLite sees a row: they are SQLite's own, or SQLite makes them alone.

IN of a list or a subquery is a set, so a row comes once; which rows come is for the affinity of both sides to say. A copy of the rows in
the database, whose columns are declared as the table's are, says what is right.

MPG_COMPARISONS says how many questions are asked at random."""

import json
import os
import random
import re
import sqlite3
import unittest
from collections import Counter

from cases import Case as BaseCase
from fleets import ROOT, al, cap, connect, create_tables, fleet, job, quote, sp, write_csv

COMPARISONS = int(os.environ.get("MPG_COMPARISONS", "3000"))


class Cases(BaseCase):
    POOLS = {"7": 1, "007": 2, "7.0": 4, "b": 8}

    def setUp(self):
        super().setUp()
        self.db.execute("CREATE TABLE capacity(pool, chip, chips, start_time, end_time)")
        self.db.executemany("INSERT INTO capacity VALUES (?, 'tpu-v4', ?, 0, 1)", self.POOLS.items())
        self.db.execute("CREATE TABLE copied(pool TEXT, chip_us BIGINT, start_time REAL)")
        self.db.execute("INSERT INTO copied SELECT pool, chip_us, start_time FROM mpg_ledger")
        self.path = self.file(
            "pool,n,m\n" + "".join(f"{pool},{n + 6},{chips}\n" for n, (pool, chips) in enumerate(self.POOLS.items())),
            "t.csv",
        )
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
        rows = [
            sorted(self.rows(f"SELECT pool FROM {other}{table} AS t WHERE {where}"))
            for table in tables
            if table != "sums"
        ]
        self.assertEqual(rows[1:], rows[:-1], where)

    def every(self, where, expected, other=""):
        self.same(where, expected, other)
        self.same(where, expected, other, ("records", "runs", "sums"))

    def test_in_of_a_column_of_numbers(self):
        self.db.executescript(
            "CREATE TABLE mine(id INTEGER, r REAL, n NUMERIC, s TEXT); INSERT INTO mine VALUES (7, 7, 7, 7), (7, 7.0, '7.0', '7.0'), (NULL, NULL, NULL, NULL);"
        )
        for column in ("id", "r", "n"):
            self.every(f"pool IN (SELECT {column} FROM mine)", 7)
            self.every(f"(pool, 1) IN (SELECT {column}, 1 FROM mine)", 7)
            self.every(f"pool = (SELECT {column} FROM mine)", 7)
            self.every(f"t.pool = w.{column}", 7, f"(SELECT DISTINCT {column} FROM mine) AS w JOIN ")
        self.every("pool IN (SELECT s FROM mine)", 5)
        self.every("pool IN (SELECT CAST(id AS TEXT) FROM mine)", 1)

    def test_records_of_a_job(self):
        """trace_records leaves out other jobs' spans and commits itself, and has them in the order of the names."""
        names = ("7", "007", "b", "a", "7.0", " 7")
        folder = self.folder_of(
            {
                "spans.csv": "job,kind,start_time,end_time,step\n"
                + "".join(f"{name},step,{step},{step + 1},{step}\n" for step in range(3) for name in names),
                "commits.csv": "job,step,snapshot_time,durable_time\n" + "".join(f"{name},1,2,3\n" for name in names),
            }
        )
        self.db.execute("CREATE TABLE copy AS SELECT * FROM trace_records(?)", (folder,))
        self.db.executescript(
            "CREATE TABLE mine(id INTEGER, n NUMERIC, s TEXT); INSERT INTO mine VALUES (7, '7.0', '7'), (NULL, 'b', 'b'), (NULL, NULL, ' 7');"
        )
        for condition in (
            "job = '7'",
            "(job, step) IN (SELECT n, id - 7 FROM mine)",
            "(job, job) IN (SELECT o.n, m.s FROM mine AS o CROSS JOIN mine AS m)",
            "job = 7",
            "job = 7.0",
            "job = x'37'",
            "job = NULL",
            "job = 'none'",
            "job = 'B' COLLATE NOCASE",
            "job IN ('7', 'b', 7, NULL)",
            "job IN (SELECT id FROM mine)",
            "job IN (SELECT n FROM mine)",
            "job IN (SELECT s FROM mine)",
            "(job = '7' AND step = 1) OR (job = 'b' AND step < 2)",
            "(job = '7' AND record = 'spans') OR (job = '7' AND record = 'commits')",
            "record = NULL",
            "record <> NULL",
            "record <> 'spans'",
            "record = 5",
            "record IN ('spans', 'commits') AND job = 'a'",
        ):
            for columns in ("count(*)", "count(DISTINCT step), sum(id % 1000), min(start_time)"):
                found, expected = (
                    self.rows(f"SELECT {columns} FROM {table} WHERE {condition}")
                    for table in (f"trace_records({quote(folder)})", "copy")
                )
                self.assertEqual(found, expected, condition)
        for query in (
            "SELECT job, count(*) FROM {} WHERE record = 'spans' GROUP BY job",
            "SELECT DISTINCT job FROM {} WHERE record = 'commits' ORDER BY job",
            "SELECT job, step FROM {} WHERE record = 'spans' ORDER BY job DESC, step",
            "SELECT m.s, count(*) FROM mine AS m CROSS JOIN {} AS r ON r.job = m.s GROUP BY 1",
            "SELECT m.s, count(*) FROM mine AS m CROSS JOIN {} AS r ON (r.job, r.job) IN (SELECT o.n, m.s FROM mine AS o) GROUP BY 1",
        ):
            found, expected = (self.rows(query.format(table)) for table in (f"trace_records({quote(folder)})", "copy"))
            self.assertEqual(found, expected, query)

    def test_in_counts_a_row_once(self):
        self.db.executescript(
            "CREATE TABLE wanted(pool, n); INSERT INTO wanted VALUES (7, 6), ('7', 6), (x'37', 6), (7.0, 6), ('b', 9), ('b', 9.0);"
        )
        for among in (
            "SELECT pool FROM wanted",
            'SELECT value FROM json_each(\'[7, "7", "b", 7.0]\')',
            "SELECT pool FROM wanted WHERE n = 6 OR n > 8",
        ):
            self.every(f"pool IN ({among})", 9)
        self.every("pool IN (7, '7', 'b')", 9)
        self.every("pool IN ('b', NULL)", 8)
        self.every("pool IN (SELECT pool FROM wanted WHERE 0)", None)
        self.every("pool NOT IN ('b', '7')", 6)
        for others in (62, 63, 70):  # more than a scan compares with
            self.every(
                f"pool IN (SELECT 'b' UNION ALL SELECT 'x' || value FROM json_each('{list(range(others))}') UNION ALL SELECT 'y')",
                8,
            )
        self.every("pool IN ('7', '7', 'b')", 9)
        self.every("(pool, 1) IN (SELECT pool, 1 FROM wanted)", 9)
        self.every("(pool, 1) IN (VALUES ('7', 1), ('b', 1), (7, 1))", 9)
        self.same("(pool, start_time) IN (SELECT pool, 0 FROM wanted)", 9)
        self.same("start_time IN (SELECT 0 UNION ALL SELECT '0' UNION ALL SELECT 0.0)", 15)
        self.same("(pool, n) IN (SELECT pool, n FROM wanted)", 9, tables=("records", "runs", "sums"))
        self.same(
            "(pool, n) IN (SELECT pool, n FROM wanted) AND m > 0 AND pool IN ('7', 'b')", 9, tables=("records", "runs")
        )
        self.same(
            "EXISTS (SELECT 1 FROM wanted AS w WHERE (t.pool, t.n) IN (SELECT w.pool, w.n))",
            9,
            tables=("records", "runs", "sums"),
        )

    def test_a_text_of_a_column_of_numbers(self):
        """A column of a compound view has an affinity, and holds a text all the same (before SQLite 3.51 or so)."""
        self.db.executescript(
            "CREATE TABLE i(x INTEGER); INSERT INTO i VALUES (1); CREATE VIEW v AS SELECT x FROM i UNION ALL SELECT '7.0';"
        )
        for operator in ("=", "IS", "<=", ">="):
            (wanted,) = self.rows(
                f"SELECT sum(chip_us / 1000000) FROM v CROSS JOIN copied AS t WHERE t.pool {operator} v.x"
            )
            self.every(f"t.pool {operator} v.x", wanted[0], "v CROSS JOIN ")
            self.every(f"+t.pool {operator} v.x", wanted[0], "v CROSS JOIN ")
        self.every("t.pool = '7.0'", 4)
        self.assertEqual(self.rows("SELECT sum(m) FROM runs WHERE pool = ?", "7.0"), [(4,)])

    def numbers(self, table, where):
        """How many numbers there are in the plan of a scan: more, where more is compared."""
        (plan,) = [
            row[3]
            for row in self.rows(
                f"EXPLAIN QUERY PLAN SELECT count(*) FROM {table} WHERE {where}", *["b"] * where.count("?")
            )
            if "VIRTUAL" in row[3]
        ]
        return len(plan.split(":")[1].split())

    def test_plain_comparisons_are_made_early(self):
        """Of what is equal to a constant or a parameter, and of IN where it is had whole, but not of a row's."""
        self.db.execute("CREATE TABLE w(a, b)")
        for table, other in (("mpg_ledger", "start_time"), ("runs", "n"), ("sums", "n")):
            none = self.numbers(table, "+pool = 'b'")
            for where in (
                "pool = 'b'",
                "pool = ?",
                f"{other} = 7",
                f"{other} = ?",
                "pool = (SELECT a FROM w)",
                "(pool, 1) = (?, 1)",
            ):
                self.assertGreater(self.numbers(table, where), none, (table, where))
            for where in (
                f"(pool, {other}) IN (SELECT a, b FROM w)",
                f"({other}, 1) IN (SELECT a, b FROM w)",
                "pool COLLATE NOCASE = 'b'",
            ):
                self.assertEqual(self.numbers(table, where), none, (table, where))
            for where in ("pool IN (SELECT a FROM w)", "pool IN ('7', 'b')", "pool IN (?, ?)"):
                self.assertGreater(self.numbers(table, where), none, (table, where))
            self.assertEqual(
                self.numbers(table, f"pool = 'b' AND (pool, {other}) IN (SELECT a, b FROM w)"),
                self.numbers(table, "pool = 'b'"),
                table,
            )


NAMES = ["7", "007", "7.0", "7e0", " 7", "7 ", "+7", "-3", "0", "a", "A", "a ", "b", "é", "1e3", "1000", "", "x y"]
NUMBERS = [0, 1, 7, 7.0, 7.5, -3, 1000, 0.5, 2**53 + 1, 9007199254740992.0, None]
AFFINITIES = [
    "",
    "INTEGER",
    "BIGINT",
    "REAL",
    "NUMERIC",
    "TEXT",
    "BLOB",
    "DATETIME",
    "TEXT COLLATE NOCASE",
    "TEXT COLLATE RTRIM",
    "COLLATE NOCASE",
]
OPERATORS = "= = = = == IS < <= > >= <>".split() + ["IS NOT"]


def literal(value):
    return "NULL" if value is None else f"x'{value.hex()}'" if isinstance(value, bytes) else quote(value)


class Question:
    """One at random over {t}, of which a view is {v}, and the tables w and u, and the view mixed, whose columns are a and b."""

    def __init__(self, rng, columns, values, measures):
        self.rng, self.values, self.measures, self.parameters = rng, values, measures, []
        self.columns = rng.sample(columns, min(len(columns), rng.choice([1, 2, 2, 3, 4])))

    def column(self):
        return f't."{self.rng.choice(self.columns)}"'

    def value(self):
        rng = self.rng
        value = rng.choice(self.values + NAMES + NUMBERS)
        how = rng.randrange(8)
        if how == 0 and isinstance(value, (int, float)):
            value = str(value)
        elif how == 1 and isinstance(value, str):
            value = value.encode()
        elif how == 2 and isinstance(value, int) and abs(value) < 2**53:
            value = float(value)
        if rng.random() < 0.25:
            self.parameters.append(value)
            return f"?{len(self.parameters)}"
        return rng.choice(
            ["{}", "{}", "{}", "{}", "CAST({} AS TEXT)", "CAST({} AS INTEGER)", "CAST({} AS NUMERIC)", "+{}"]
        ).format(literal(value))

    def source(self, columns):
        """A subquery of so many columns."""
        rng = self.rng
        if rng.random() < 0.2:
            return "VALUES " + ", ".join(
                f"({', '.join(self.value() for _ in range(columns))})" for _ in range(rng.randrange(1, 4))
            )
        table = rng.choice(["w", "w", "u", "mixed", "{t}"])
        names = [
            (
                f's."{rng.choice(self.columns)}"'
                if table == "{t}"
                else rng.choice(["s.a", "s.b", "s.a", "s.b", "CAST(s.a AS TEXT)", "s.a || ''", "+s.b", "7", "'7'"])
            )
            for _ in range(columns)
        ]
        where = (
            ""
            if table == "{t}"
            else rng.choice(
                ["", "", "", " WHERE s.id < 4", f" WHERE s.b = {self.column()}", f" WHERE s.a IS NOT {self.column()}"]
            )
        )
        end = (
            rng.choice(
                [
                    "",
                    "",
                    "",
                    "",
                    " UNION ALL SELECT " + ", ".join(self.value() for _ in range(columns)),
                    " ORDER BY s.id LIMIT 3",
                ]
            )
            if table != "{t}"
            else ""
        )
        distinct = (
            rng.choice(["", "DISTINCT "]) if table == "{t}" else ""
        )  # of others a collation may tell less apart, and which comes is SQLite's choice
        return f"SELECT {distinct}{', '.join(names)} FROM {table} AS s{where}{end}"

    def row(self, width):
        """A row value of columns, and perhaps of something else."""
        parts = [self.column() for _ in range(width)]
        if self.rng.random() < 0.4:
            parts[self.rng.randrange(width)] = self.rng.choice([self.value(), f"+{self.column()}"])
        return f"({', '.join(parts)})"

    def term(self):
        rng, column = self.rng, self.rng.choice(["", "", "", "", "+"]) + self.column()
        collate, no, width = (
            rng.choice(["", "", "", "", " COLLATE NOCASE", " COLLATE BINARY"]),
            rng.choice(["", "", "", "NOT "]),
            rng.choice([2, 2, 3]),
        )
        return rng.choice(
            [
                lambda: f"{column}{collate} {rng.choice(OPERATORS)} {self.value()}",
                lambda: f"{self.value()} {rng.choice(OPERATORS)} {column}{collate}",
                lambda: f"{column}{collate} {no}IN ({', '.join(self.value() for _ in range(rng.randrange(1, 5)))})",
                lambda: f"{column}{collate} {no}IN ({self.source(1)})",
                lambda: f"{column} {no}IN ({self.source(1)})",
                lambda: f'{column} IN (SELECT value FROM json_each(\'[7, "7", "007", 7.0, null, "a"]\'))',
                lambda: f"{column} {rng.choice(OPERATORS)} (SELECT {rng.choice(['s.a', 's.b', '+s.a'])} FROM {rng.choice('wu')} AS s WHERE s.id = {rng.randrange(4)})",
                lambda: f"{self.row(width)} {no}IN ({self.source(width)})",
                lambda: f"{self.row(width)} IN ({self.source(width)})",
                lambda: f"{self.row(width)} {rng.choice(['=', 'IS', '<', '>=', '<>'])} ({', '.join(self.value() for _ in range(width))})",
                lambda: f"{column} BETWEEN {self.value()} AND {self.value()}",
                lambda: f"{column} IS {no}NULL",
                lambda: f"{column} {no}{rng.choice(['LIKE', 'GLOB'])} {rng.choice(['7%', '7*', '*7*', '%A%', '7'])!r}",
                lambda: f"{no}EXISTS (SELECT 1 FROM w AS s WHERE s.a {rng.choice(OPERATORS)} {column} AND s.b {rng.choice(OPERATORS)} {self.column()})",
                lambda: f"EXISTS (SELECT 1 FROM w AS s WHERE {self.row(2)} IN (SELECT s.a, s.b))",
            ]
        )()

    def terms(self, depth=2):
        if depth == 0 or self.rng.random() < 0.5:
            return self.term()
        return "(" + self.rng.choice([" AND ", " AND ", " OR "]).join(self.terms(depth - 1) for _ in range(2)) + ")"

    def on(self):
        on = f"{self.column()} {self.rng.choice(OPERATORS)} w.{self.rng.choice('ab')}"
        return self.rng.choice(
            [
                on,
                on,
                f"{on} AND {self.terms(1)}",
                f"{self.row(2)} = (w.a, w.b)",
                f"{self.row(2)} IN (SELECT w.a, w.b)",
                f"{self.row(2)} IN (SELECT s.a, w.b FROM u AS s)",
            ]
        )

    def ask(self):
        rng, t = self.rng, self.rng.choice(["{t}", "{t}", "{t}", "{v}", "(SELECT * FROM {t})"])
        out = ", ".join(f't."{name}"' for name in self.columns)
        grouped = out.replace(
            't."', '{+}t."'
        )  # as WHERE says that b = CAST('7' AS INTEGER), SQLite takes '7' and '+7' of a table for one group
        where = f" WHERE {self.terms()}"
        other = rng.choice(["w", "w", "u AS w", "mixed AS w"])
        joins = [
            f"{other} JOIN {t} AS t ON {self.on()}",
            f"{other} CROSS JOIN {t} AS t ON {self.on()}",
            f"{other} LEFT JOIN {t} AS t ON {self.on()}",
            f"{t} AS t LEFT JOIN {other} ON {self.on()}",
            f"{t} AS t CROSS JOIN {other} ON {self.on()}",
        ]
        origin = rng.choice([f"{t} AS t{where}"] * 3 + [join + rng.choice(["", "", where]) for join in joins])
        if self.measures is None:
            return rng.choice(
                [
                    f"SELECT {out} FROM {origin}",
                    f"SELECT DISTINCT {grouped} FROM {origin}",
                    f"SELECT count(*), count({out.split(', ')[0]}) FROM {origin}",
                    f"SELECT {out}, count(*) FROM {origin} GROUP BY {grouped}",
                ]
            )
        sums = ", ".join(f't."{name}"' for name in self.measures)
        sums = ", ".join(f"sum({name})" for name in sums.split(", "))
        return rng.choice(
            [
                f"SELECT {sums} FROM {origin}",
                f"SELECT DISTINCT {grouped} FROM {origin}",
                f"SELECT {out}, {sums} FROM {origin} GROUP BY {grouped}",
            ]
        )


class Differential(BaseCase):
    """Tables of every kind, asked at random beside copies of them."""

    def texts(self, rng, count):
        return [rng.choice(NAMES[:12] + ["a", "b"]) for _ in range(count)]

    def ledger(self, rng):
        names = list(dict.fromkeys(name for name in self.texts(rng, 6) if name.strip()))
        records = [
            record
            for i, name in enumerate(names)
            for record in (
                cap(2, 0, rng.choice([7, 10, 1000]), name, name),
                job(name, owner=rng.choice(names), phase=rng.choice(["training", names[-i]])),
                al(1, i, rng.choice([5, 7]), pool=name, job=name),
                sp(name, i, 7, job=name),
            )
        ]
        create_tables(self.db, fleet(*records))
        folder = write_csv(self.new_folder(), fleet(*records))
        measures = ["chip_us"]
        return [
            ("mpg_ledger", None),
            (f"trace_ledger({quote(folder)})", None),
            ("mpg_rollup", measures),
            (f"trace_rollup({quote(folder)})", measures),
            ("mpg_timeline", None),
            ("mpg_runs", None),
            ("mpg_records", None),
            (f"trace_records({quote(folder)})", None),
        ]

    def files(self, rng):
        types = {name: rng.choice(["TEXT", "TEXT", "BIGINT", "REAL", "TIME"]) for name in ("a", "b", "c d", "e")}
        draw = {
            "TEXT": NAMES[:12] + ["a", "b"],
            "BIGINT": [0, 1, 7, -3, 1000, 2**53 + 1, None],
            "REAL": [0.5, 7.0, 7.5, 9007199254740992.0, None],
            "TIME": [0, 7, 1000, 7.5, None],
        }
        records = [[rng.choice(draw[kind]) for kind in types.values()] + [rng.randrange(9)] for _ in range(40)]
        lines = [json.dumps(dict(zip([*types, "m"], record))) for record in records]
        text = "a,b,c d,e,m\n" + "".join(
            ",".join(
                "" if value is None else f'"{value}"' if isinstance(value, str) else repr(value) for value in record
            )
            + "\n"
            for record in records
        )
        folder = self.folder_of({"1.csv": text, "2.csv": text, "1.jsonl": "\n".join(lines)})
        given = ", ".join(f"{json.dumps(name)} {kind}" for name, kind in types.items()) + ", m BIGINT"
        found = []
        for module in ("csv_trace", "jsonl_trace", "csv_rollup", "jsonl_rollup"):
            options = f"types='{given}', threads={rng.choice([1, 2])}" + (
                ", measures='m'" if "rollup" in module else ""
            )
            self.db.execute(f"DROP TABLE IF EXISTS temp.of_{module}")
            self.db.execute(
                f"CREATE VIRTUAL TABLE temp.of_{module} USING {module}({quote(folder + '/*.' + module.split('_')[0])}, {options})"
            )
            found.append((f"temp.of_{module}", ["m"] if "rollup" in module else None))
        return found

    def others(self, _):
        os.chdir(ROOT)
        return [(f"interval_buckets({i}, 1000, 7)", None) for i in (0, 7)] + [
            ("mpg_categories", None),
            ("mpg_limits", None),
            ("mpg_help", None),
            ("trace_files('fixtures/slurm')", None),
            ("slurm_trace('fixtures/slurm/sacct_default.p')", None),
            ("chrome_trace('fixtures/profile/rank0.json')", None),
            ("swf_trace('fixtures/swf/small.swf')", None),
        ]

    def prepare(self, rng, table, measures):
        """The copy, the tables beside it, and what their values are drawn from."""
        info = self.rows(
            "SELECT name, type, hidden FROM pragma_table_xinfo(?)", table.split("(")[0].removeprefix("temp.")
        )
        declared = {name: kind for name, kind, hidden in info if not hidden}
        names = ", ".join(f'"{name}"' for name in declared)
        for kind, name in (
            ("TABLE", "copied"),
            ("TABLE", "w"),
            ("TABLE", "u"),
            ("VIEW", "mixed"),
            ("VIEW", "temp.of_table"),
            ("VIEW", "temp.of_copy"),
        ):
            self.db.execute(f"DROP {kind} IF EXISTS {name}")
        self.db.execute(
            "CREATE TABLE copied({})".format(", ".join(f'"{name}" {kind}' for name, kind in declared.items()))
        )
        self.db.execute(f"INSERT INTO copied SELECT {names} FROM {table}")
        columns = [
            name
            for name in declared
            if measures is None or name not in measures + ["chip_seconds", "intervals", "rows"]
        ]
        values = sorted(
            {row[0] for name in columns for row in self.rows(f'SELECT DISTINCT "{name}" FROM copied LIMIT 8')}, key=repr
        )
        for name in "wu":
            self.db.execute(f"CREATE TABLE {name}(id, a {rng.choice(AFFINITIES)}, b {rng.choice(AFFINITIES)})")
            for i in range(rng.randrange(3, 8)):
                self.db.execute(
                    f"INSERT INTO {name} VALUES (?, ?, ?)",
                    (i, *(rng.choice(values + NAMES + NUMBERS) for _ in range(2))),
                )
        self.db.execute(
            "CREATE VIEW mixed AS SELECT id, a, b FROM w UNION ALL SELECT 9, {}, {}".format(
                *(literal(rng.choice(values + NAMES)) for _ in range(2))
            )
        )
        self.db.execute(f"CREATE TEMP VIEW of_table AS SELECT * FROM {table}")
        self.db.execute(f"CREATE TEMP VIEW of_copy AS SELECT {names} FROM copied")
        return columns, values

    def test_any_question(self):
        asked, with_rows, seed = 0, 0, 0
        while asked < COMPARISONS:
            rng = random.Random(f"constraints {seed}")
            self.db.close()
            self.db = connect()
            self.db.execute(f"PRAGMA encoding = '{'UTF-16le' if seed % 7 == 6 else 'UTF-8'}'")
            for table, measures in (self.ledger, self.files, self.others)[(0, 1, 0, 1, 2)[seed % 5]](rng):
                columns, values = self.prepare(rng, table, measures)
                for _ in range(40):
                    question = Question(rng, columns, values, measures)
                    sql = question.ask()
                    given = question.parameters[: max(map(int, re.findall(r"\?(\d+)", sql)), default=0)]
                    try:
                        found, wanted = (
                            [
                                tuple((type(value), value) for value in row)
                                for row in self.rows(
                                    sql.replace("{t}", t).replace("{v}", v).replace("{+}", plus), *given
                                )
                            ]
                            for t, v, plus in ((table, "of_table", ""), ("copied", "of_copy", "+"))
                        )
                    except sqlite3.OperationalError as error:  # a word that the column never has
                        self.assertRegex(str(error), "(category|size|record|severity): expected one of")
                        continue
                    self.assertEqual(Counter(found), Counter(wanted), (seed, table, sql, given))
                    with_rows += bool(wanted)
                    asked += 1
            seed += 1
        self.assertGreater(with_rows, asked // 4)
        if "MPG_COMPARISONS" in os.environ:
            print(f"{asked} comparisons, {with_rows} with rows, none differs")


if __name__ == "__main__":
    unittest.main()
