"""Tables of the extension in questions that SQLite's planner takes apart: joins of every kind, OR, DISTINCT, ORDER BY and what else it
asks virtual tables to do for it.

Each table is asked beside a copy of its rows in the database, which has the same columns and an index or two: the answers must be the
same. Roll-ups, of which a question has the rows that it names, are asked for combinations of their dimensions."""

import json
import os
import random
import re
import sqlite3
import unittest
from collections import Counter

import formats
import random_fleets
from cases import Case as BaseCase
from fleets import ROOT, al, cap, connect, create_tables, fleet, job, quote, sp, write_csv

ENCODINGS = ("UTF-8", "UTF-16le", "UTF-16be")
NAMES = ["a", "A", "pod-a", "7", "007", "é", "Ā", "｡", "😀", "", "x y", "pod-b"]
FULL = bool(os.environ.get("MPG_FULL"))


def literal(value):
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str) and not value.isprintable():
        return f"CAST(x'{value.encode().hex()}' AS TEXT)"
    return (
        "NULL"
        if value is None
        else "(-9223372036854775807 - 1)"
        if value == -(2**63) and isinstance(value, int)
        else quote(value)
    )


class Question:
    """One at random, over {t} and the table `w`."""

    def __init__(self, rng, columns, values, rolled):
        self.rng, self.values, self.rolled = rng, values, rolled
        self.columns = rng.sample(columns, min(len(columns), rng.choice([1, 2, 3, 5])))

    def value(self, column):
        value = self.rng.choice(self.values[column] + [None, 0, "x", 2**53 + 1, 1.5, b"ab"])
        how = self.rng.randrange(10)
        if how == 0 and value is not None and not isinstance(value, bytes):
            value = str(value)
        elif how == 1 and isinstance(value, str):
            value = value.encode()
        elif how == 2 and isinstance(value, int) and abs(value) < 2**53:
            value = float(value)
        return literal(value)

    def term(self, t):
        rng, name = self.rng, self.rng.choice(self.columns)
        column = f'{rng.choice(["", "", "", "+"])}{t}."{name}"'
        collate = rng.choice(["", "", "", "", " COLLATE NOCASE", " COLLATE RTRIM"])
        some, other = (self.value(name) for _ in range(2))
        return rng.choice(
            [
                f"{column}{collate} {rng.choice('= = = < <= > >= <> IS'.split() + ['IS NOT'])} {some}",
                f"{column}{collate} {rng.choice(['', 'NOT '])}BETWEEN {some} AND {other}",
                f"{column}{collate} {rng.choice(['', '', 'NOT '])}IN ({some}, {other})",
                f"{column} IS {rng.choice(['', 'NOT '])}NULL",
                f"{column} {rng.choice(['LIKE', 'GLOB'])} {rng.choice(['p%', 'p*', '*a*', '%A%'])!r}",
                f"({column}, {column}) {rng.choice(['=', '<', 'IS'])} ({some}, {other})",
                f"{column} {rng.choice(['', 'NOT '])}IN (SELECT {rng.choice('ab')} FROM w)",
                f"{column} = (SELECT a FROM w WHERE id = {rng.randrange(5)})",
            ]
        )

    def terms(self, t, depth=2):
        if depth == 0 or self.rng.random() < 0.5:
            return self.term(t)
        return "(" + self.rng.choice([" OR ", " AND "]).join(self.terms(t, depth - 1) for _ in range(2)) + ")"

    def join(self, t):
        rng, column = self.rng, lambda: f'{t}."{rng.choice(self.columns)}"'
        on = f"{column()} {rng.choice(['=', '=', 'IS', '<'])} w.{rng.choice('ab')}"
        return rng.choice([on, on, f"{on} AND {self.terms(t, 1)}", f"({on} AND {self.term(t)}) OR {column()} = w.a"])

    def ask(self):
        rng = self.rng
        chosen = rng.sample(self.columns, rng.randrange(1, len(self.columns) + 1))
        out, first = ", ".join(f't."{name}"' for name in chosen), f't."{chosen[0]}"'
        where = rng.choice(["", f" WHERE {self.terms('t')}", f" WHERE {self.terms('t')}"])
        order = " ORDER BY " + ", ".join(
            f"{i + 1}{rng.choice(['', ' DESC'])}" for i in rng.sample(range(len(chosen)), len(chosen))
        )
        join = rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        ends = rng.choice([f"{{t}} AS t {join} w", f"w {join} {{t}} AS t"]) + f" ON {self.join('t')}"
        after = rng.choice(
            ["", " WHERE w.id IS NULL", f" WHERE {self.term('t')}", f" WHERE w.id > 2 OR {self.term('t')}"]
        )
        forms = [
            f"SELECT {out} FROM {{t}} AS t{where}",
            f"SELECT DISTINCT {out} FROM {{t}} AS t{where}{rng.choice(['', order])}",
            f"SELECT {out} FROM {{t}} AS t{where} GROUP BY {out}{order}",
            f"SELECT {rng.choice(['min', 'max'])}({first}) FROM {{t}} AS t{where}",
            f"SELECT w.id, {out} FROM {ends}{after}",
            f"SELECT {out} FROM {ends}{after}",
            f"SELECT DISTINCT {out} FROM {ends}{after}",
            f"SELECT {first} FROM {{t}} AS t{where} {rng.choice(['UNION', 'INTERSECT', 'EXCEPT'])} SELECT t.\"{self.columns[0]}\" FROM {{t}} AS t ORDER BY 1",
            f"SELECT w.id FROM w WHERE EXISTS (SELECT 1 FROM {{t}} AS t WHERE {self.join('t')})",
            f"SELECT w.id FROM w WHERE w.a NOT IN (SELECT {first} FROM {{t}} AS t{where})",
        ]
        if not self.rolled:
            forms += [
                f"SELECT {out} FROM {{t}} AS t{where}{order} LIMIT {rng.randrange(8)} OFFSET {rng.randrange(4)}",
                f"SELECT count(*), count(DISTINCT {first}) FROM {{t}} AS t{where}",
                f"SELECT {first}, count(*) FROM {{t}} AS t{where} GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 DESC",
                f"SELECT {first}, row_number() OVER (PARTITION BY {first}) FROM {{t}} AS t{where}",
                f"SELECT w.id, (SELECT count(*) FROM {{t}} AS t WHERE {self.join('t')}) FROM w",
            ]
        return rng.choice(forms)


class Case(BaseCase):
    def open(self, encoding):
        self.db.close()
        self.db = connect()
        self.db.execute(f"PRAGMA encoding = '{encoding}'")
        self.db.execute("CREATE TABLE w(id, a, b)")

    def compare(self, table, rng, questions, columns=None, rolled=False):
        """`table` as FROM has it."""
        found = self.rows("SELECT * FROM pragma_table_xinfo(?)", table.split("(")[0].removeprefix("temp."))
        kind = {row[1]: row[2] for row in found}
        columns = columns or [row[1] for row in found if not row[6]]
        names = ", ".join(f'"{name}"' for name in columns)
        self.db.execute("DROP TABLE IF EXISTS copied")
        self.db.execute("CREATE TABLE copied({})".format(", ".join(f'"{name}" {kind[name]}' for name in columns)))
        self.db.execute(f"INSERT INTO copied SELECT {names} FROM {table}")
        self.db.execute(
            'CREATE INDEX copied_by ON copied("{}", "{}")'.format(*rng.choices(columns, k=2))
            if len(columns) > 1
            else "SELECT 1"
        )
        values = {
            name: [row[0] for row in self.rows(f'SELECT DISTINCT "{name}" FROM copied LIMIT 12')] for name in columns
        }
        every = sum(values.values(), [])
        self.db.execute("DROP TABLE w")
        self.db.execute(
            "CREATE TABLE w(id, a {}, b {})".format(
                *(rng.choice(["", "NUMERIC", "TEXT", "TEXT COLLATE NOCASE"]) for _ in range(2))
            )
        )
        for i in range(5 if every else 0):
            self.db.execute(f"INSERT INTO w VALUES ({i}, {literal(rng.choice(every))}, {literal(rng.choice(every))})")
        for _ in range(questions):
            sql = Question(rng, columns, values, rolled).ask()
            try:
                found = self.rows(sql.replace("{t}", table))
            except sqlite3.OperationalError as error:  # SQLite forgets arguments on the right of a RIGHT JOIN
                if re.search("(category|size|record|severity): expected one of|expected a number, such as", str(error)):
                    continue  # a word that the column never has, or a time beside numbers
                self.assertRegex(str(error), "expected a path|the path takes = alone")
                self.assertRegex(sql, "(RIGHT|FULL) JOIN")
                continue
            wanted = self.rows(sql.replace("{t}", "copied"))
            same = set if rolled else Counter
            self.assertEqual(same(found), same(wanted), (table, sql))
            if "ORDER BY" in sql and "OVER" not in sql and not rolled:
                self.assertEqual(found, wanted, (table, sql))


class Ledger(Case):
    MEASURES = "chip_us", "chip_seconds", "intervals"

    def compare_all(self, rng, folder, questions):
        for table in (
            "mpg_ledger",
            "trace_ledger",
            "mpg_rollup",
            "trace_rollup",
            "mpg_timeline",
            "mpg_runs",
            "mpg_records",
        ):
            rolled = "rollup" in table
            columns = [
                row[1]
                for row in self.rows("SELECT * FROM pragma_table_xinfo(?)", table)
                if not row[6] and not (rolled and row[1] in self.MEASURES)
            ]
            self.compare(
                f"trace_{table[6:]}({quote(folder)})" if table.startswith("trace") else table,
                rng,
                questions,
                columns,
                rolled,
            )

    def test_any_question(self):
        asked = 0
        for seed in range(400 if FULL else 40):
            rng = random.Random(f"planner {seed}")
            relations, _ = random_fleets.odd_fleet(seed)
            self.open(rng.choice(ENCODINGS))
            create_tables(self.db, relations)
            folder = write_csv(self.new_folder(), relations)
            try:
                self.one("SELECT count(*) FROM mpg_ledger")
            except sqlite3.Error:
                continue  # not all of them can be accounted
            self.compare_all(rng, folder, 8)
            asked += 1
        self.assertGreater(asked, 20)

    def named(self):
        """A fleet whose names are in another order in UTF-16."""
        names = [name for name in NAMES if name]
        return fleet(
            *[
                record
                for i, name in enumerate(names)
                for record in (
                    cap(2, 0, 100, name, name),
                    job(name, owner=names[-i], phase="training"),
                    al(1, i, 50, pool=name, job=name),
                    sp(name, i, 20, job=name),
                )
            ]
        )

    def test_names_in_any_order(self):
        for encoding in ENCODINGS:
            rng = random.Random(encoding)
            self.open(encoding)
            create_tables(self.db, self.named())
            self.compare_all(rng, write_csv(self.new_folder(), self.named()), 60)

    def test_joins_that_look_at_rowids(self):
        create_tables(self.db, self.named())
        self.db.execute("CREATE TABLE copied AS SELECT * FROM mpg_ledger")
        self.db.execute("CREATE TABLE w(id, a, b)")
        self.db.executemany(
            "INSERT INTO w VALUES (?, ?, ?)", [(1, "pod-a", "idle"), (2, "é", "unknown"), (3, "nobody", "none")]
        )
        for sql in (
            "SELECT w.id, t.pool, t.category FROM w RIGHT JOIN {t} AS t ON t.pool = w.a",
            "SELECT w.id, t.pool, t.category FROM w FULL JOIN {t} AS t ON t.pool = w.a AND t.category = w.b",
            "SELECT w.id, t.pool, t.category FROM w FULL JOIN {t} AS t ON t.start_time > w.id AND t.category = 'idle'",
            "SELECT t.pool FROM w RIGHT JOIN {t} AS t ON t.pool = w.a WHERE w.id IS NULL",
            "SELECT DISTINCT t.pool FROM w RIGHT JOIN {t} AS t ON t.pool = w.a WHERE w.id IS NULL",
            "SELECT DISTINCT t.pool FROM w RIGHT JOIN {t} AS t ON t.pool > w.a AND w.id = 1 WHERE w.id IS NULL",
            "SELECT DISTINCT t.category FROM w RIGHT JOIN {t} AS t ON t.category > 'j' AND w.id = 1 WHERE w.id IS NULL",
        ):
            self.assertEqual(*(Counter(self.rows(sql.format(t=t))) for t in ("mpg_ledger", "copied")), sql)
        every = {
            (row[:-1], row[-1]) for row in self.rows("SELECT pool, job, category, start_time, rowid FROM mpg_ledger")
        }
        self.assertEqual(len(every), len({number for _, number in every}))
        for rest in ("WHERE category = 'idle'", "WHERE start_time > 3 ORDER BY category DESC, pool", "ORDER BY job"):
            self.assertLessEqual(
                {
                    (row[:-1], row[-1])
                    for row in self.rows(f"SELECT pool, job, category, start_time, rowid FROM mpg_ledger {rest}")
                },
                every,
            )
        self.rows("SELECT rowid FROM mpg_ledger")
        issues = self.rows("SELECT * FROM mpg_issues")
        self.rows("SELECT count(*) FROM mpg_ledger")
        self.assertEqual(issues, self.rows("SELECT * FROM mpg_issues"))

    def test_arguments_of_terms_of_an_or(self):
        """SQLite tells rows of such terms apart by their rowids."""
        create_tables(self.db, self.named())
        folders = [write_csv(self.new_folder(), self.named()) for _ in range(2)]
        first, second = map(quote, folders)
        for table, columns, terms in (
            (
                "mpg_rollup",
                "since, until, category, chip_us",
                ("since = 0 AND until = 10", "since = 20 AND until = 40"),
            ),
            (
                "mpg_rollup",
                "bucket_width, bucket, chip_us",
                ("until = 50 AND bucket_width = 10", "until = 60 AND bucket_width = 20"),
            ),
            (
                "trace_rollup",
                "path, pool, chip_us",
                (f"path = {first} AND pool > 'b'", f"path = {second} AND pool < 'c'"),
            ),
            (
                "trace_ledger",
                "path, pool, start_time",
                (f"path = {first} AND pool > 'b'", f"path = {second} AND pool < 'c'"),
            ),
            (
                "trace_timeline",
                "of_job, category, start_time",
                (f"path = {first} AND of_job = 'a'", f"path = {second} AND of_job = 'A'"),
            ),
            (
                "trace_records",
                "path, record, pool",
                (f"path = {first} AND pool > 'b'", f"path = {second} AND pool < 'c'"),
            ),
            (
                "chrome_trace",
                "path, name, ts",
                tuple(f"path = '{ROOT}/fixtures/profile/rank{i}.json' AND dur > {i}" for i in range(2)),
            ),
            (
                "csv_trace",
                "path, record",
                tuple(f"path = {folder[:-1]}/jobs.csv' AND _line > {i}" for i, folder in enumerate((first, second))),
            ),
            (
                "csv_rollup",
                'path, "by", record',
                tuple(f"path = {folder[:-1]}/jobs.csv' AND \"by\" = 'job'" for folder in (first, second)),
            ),
            (
                "goodput_report",
                "path, job",
                tuple(
                    f"path = '{ROOT}/fixtures/goodput/ranker-{name}' AND job > 'a'" for name in ("7.jsonl", "8.json")
                ),
            ),
            (
                "trace_files",
                "pattern, path",
                tuple(f"pattern = {folder} AND bytes > {i}" for i, folder in enumerate((first, second))),
            ),
            (
                "interval_buckets",
                "start_time, width",
                (
                    "interval_start = 0 AND interval_end = 9 AND width = 2",
                    "interval_start = 0 AND interval_end = 9 AND width = 3",
                ),
            ),
        ):
            found = self.rows(f"SELECT {columns} FROM {table} WHERE ({terms[0]}) OR ({terms[1]})")
            wanted = [Counter(self.rows(f"SELECT {columns} FROM {table} WHERE {term}")) for term in terms]
            self.assertTrue(all(wanted))
            self.assertEqual(Counter(found), wanted[0] + wanted[1], (table, terms))
        for sql in (
            "SELECT pool FROM mpg_records WHERE (schema = 'main' AND chips = 2) OR (schema = 'temp' AND chips = 2)",
            "SELECT pool FROM (SELECT 1 AS one) RIGHT JOIN mpg_records ON one = chips WHERE schema = 'main'",
        ):
            with self.assertRaisesRegex(
                sqlite3.OperationalError,
                "mpg_records: the argument schema takes = alone, outside OR and RIGHT or FULL JOIN",
            ):
                self.rows(sql)
        self.assertEqual(
            self.one("SELECT count(*) FROM mpg_records WHERE schema IN ('main')"),
            self.one("SELECT count(*) FROM mpg_records"),
        )

    def test_arguments_that_are_not_handed_over(self):
        """They are errors: as good as not given, they would be NULL, which no condition lets pass."""
        for call, argument, value in (
            ("slurm_trace('fixtures/slurm/sacct_jobs.psv')", "zone", "UTC"),
            ("csv_trace('fixtures/generic/jobs-1.csv')", "delimiter", ";"),
            ("csv_rollup('fixtures/generic/jobs-1.csv')", "delimiter", ";"),
            ("goodput_report('fixtures/goodput')", "on_error", "skip"),
            ("trace_ledger('fixtures/golden')", "on_error", "skip"),
        ):
            call = call.replace("fixtures", f"{ROOT}/fixtures")
            for given in (f"= '{value}'", f"IN ('{value}')"):
                self.assertGreater(self.one(f"SELECT count(*) FROM {call} WHERE {argument} {given}"), 0)
            for term in (
                f"{argument} IS '{value}'",
                f"{argument} LIKE '{value}'",
                f"+{argument} = '{value}'",
                f"{argument} = '{value}' OR random() = 0",
            ):
                with self.assertRaisesRegex(
                    sqlite3.OperationalError,
                    f"the argument {argument} takes = alone, outside OR and RIGHT or FULL JOIN",
                ):
                    self.rows(f"SELECT count(*) FROM {call} WHERE {term}")

    def test_arguments_that_are_texts_of_digits(self):
        """IN of several hands over values of the column's affinity: a job 007 is no job 7."""
        names = ["007", "1e3", "4711", "12345678901234567890"]
        records = fleet(
            *[
                record
                for name in names
                for record in (cap(2, 0, 10, name), job(name), al(1, 0, 10, pool=name, job=name))
            ]
        )
        create_tables(self.db, records)
        folder = os.path.join(self.new_folder(), "2026")
        os.mkdir(folder)
        write_csv(folder, records)
        self.db.execute("CREATE TABLE w AS SELECT DISTINCT job FROM mpg_rollup WHERE job IS NOT NULL")
        for table in ("mpg_timeline", f"trace_timeline({quote(folder)})"):
            for among in (", ".join(map(quote, names)), "SELECT job FROM w", "SELECT job FROM mpg_rollup"):
                self.assertEqual(
                    sorted(names),
                    [
                        name
                        for name, in self.rows(f"SELECT DISTINCT job FROM {table} WHERE of_job IN ({among}) ORDER BY 1")
                    ],
                    (table, among),
                )
            self.assertEqual([("4711",)], self.rows(f"SELECT DISTINCT job FROM {table} WHERE of_job IN (7, 4711)"))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(os.path.dirname(folder))
        os.symlink(os.path.join(folder, "jobs.csv"), "7")
        for table, argument, path in (
            ("trace_ledger", "path", "2026"),
            ("trace_records", "path", "2026"),
            ("csv_trace", "path", "7"),
            ("csv_rollup", "path", "7"),
            ("trace_files", "pattern", "7"),
        ):
            once = self.one(f"SELECT count(*) FROM {table} WHERE {argument} = '{path}'")
            self.assertGreater(once, 0)
            self.assertEqual(
                2 * once, self.one(f"SELECT count(*) FROM {table} WHERE {argument} IN ('{path}', './{path}')"), table
            )


class Files(Case):
    def test_tables_of_no_format(self):
        for seed in range(120 if FULL else 15):
            rng = random.Random(f"files {seed}")
            self.open(ENCODINGS[seed % 3])
            names = rng.sample(["a", "b", "n", "r", "at", 'e"x', "select", "Z z"][:5], 4)
            types = {
                name: "BIGINT" if name == "n" else "REAL" if name == "r" else "TIME" if name == "at" else "TEXT"
                for name in names
            }
            draw = {
                "TEXT": NAMES,
                "BIGINT": [0, 1, -3, 2**53 + 1, 2**63 - 1, -(2**63), None],
                "REAL": [0.5, 0.0, 7.0, 9007199254740992.0, 1e300, None],
                "TIME": [0, 1767323045.5, 5, None],
            }
            records = [[rng.choice(draw[types[name]]) for name in names] for _ in range(60)]
            lines = [json.dumps(dict(zip(names, record)), ensure_ascii=rng.random() < 0.5) for record in records]
            text = "\n".join(
                ",".join(
                    (
                        ""
                        if value is None
                        else repr(value)
                        if isinstance(value, float)
                        else f'"{value}"'
                        if value == "x y"
                        else str(value)
                    )
                    for value in record
                )
                for record in records
            )
            folder = self.folder_of(
                {
                    "1.csv": f"{','.join(names)}\n{text}\n",
                    "2.csv": f"{','.join(names)}\n{text}\n",
                    "1.jsonl": "\n".join(lines),
                }
            )
            given = ", ".join(f"{name} {types[name]}" for name in names)
            for module, pattern in (
                ("csv_trace", "*.csv"),
                ("jsonl_trace", "*.jsonl"),
                ("csv_rollup", "*.csv"),
                ("jsonl_rollup", "*.jsonl"),
            ):
                self.db.execute("DROP TABLE IF EXISTS temp.t")
                self.db.execute(
                    f"CREATE VIRTUAL TABLE temp.t USING {module}({quote(folder + '/' + pattern)}, types='{given}', threads={rng.choice([1, 2])})"
                )
                rolled = "rollup" in module
                self.compare("temp.t", rng, 25, names if rolled else names + ["_file", "_line"], rolled)

    def test_texts_beside_columns_of_numbers(self):
        """SQLite compares them as numbers where they are some, also with a text that such a column holds: no text is less than a number."""
        texts = ["007", "7", " 7 ", "-1e3", ".5", "7x", "2026-03-02", "e", "-", "a", "é", "Ω", "", None]
        lines = [json.dumps({"b": text, "n": 1}) for text in texts]
        folder = self.folder_of(
            {
                "1.jsonl": "\n".join(lines),
                "1.csv": "b,n\n" + "".join(f"{'' if text is None else text},1\n" for text in texts),
            }
        )
        for module in ("csv_trace", "jsonl_trace", "csv_rollup", "jsonl_rollup"):
            path, measures = f"{folder}/1.{module.split('_')[0]}", ", measures='n'" if "rollup" in module else ""
            self.db.executescript(
                f"""DROP TABLE IF EXISTS temp.t; DROP TABLE IF EXISTS copied; DROP TABLE IF EXISTS w;
                CREATE VIRTUAL TABLE temp.t USING {module}({quote(path)}, types='b TEXT, n BIGINT'{measures}); CREATE TABLE copied AS SELECT b, n FROM t; CREATE TABLE w(n INT, at DATETIME, s TEXT, v);
                INSERT INTO w VALUES (' a', '2026-03-01', ' a', ' a'), ('x', '1999-12-31 09:00:00', '2026-03-01', '5'), (3, 0.25, 3, 3), ('', NULL, '', '');"""
            )
            for column in ("n", "at", "s", "v", "coalesce(w.n, '')"):
                column = column if "(" in column else f"w.{column}"
                for condition in (
                    f"t.b {op} {column}"
                    for op in ("<", "<=", ">", ">=", "=", "<>", "IS", "BETWEEN '5' AND", "NOT BETWEEN '5' AND")
                ):
                    sql = f"SELECT w.rowid, (SELECT sum(t.n) FROM {{t}} AS t WHERE {condition}), (SELECT group_concat(b) FROM (SELECT DISTINCT t.b FROM {{t}} AS t WHERE {condition} ORDER BY 1)) FROM w"
                    self.assertEqual(*(self.rows(sql.format(t=t)) for t in ("temp.t", "copied")), (module, condition))

    def test_readers(self):
        os.chdir(ROOT)
        readers = [
            sample
            for format in formats.FORMATS.values()
            for sample in format.samples
            if format.gives != "rows" and not sample.arguments
        ]
        calls = [f"{sample.table}('fixtures/{sample.file}'{formats.more(sample)})" for sample in readers]
        calls += ["trace_files('fixtures/slurm')", "mpg_chips", "mpg_categories", "mpg_limits"]
        for encoding in ENCODINGS:
            rng = random.Random(f"readers {encoding}")
            self.open(encoding)
            for call in calls:
                self.compare(call, rng, 40 if FULL else 12)

    def test_events_with_names_in_any_order(self):
        events = {
            "traceEvents": [
                {"ph": "X", "name": name, "cat": NAMES[i * 5 % 12], "ts": i, "dur": 1}
                for i, name in enumerate(3 * NAMES)
            ]
        }
        path = self.file(json.dumps(events), "trace.json")
        for encoding in ENCODINGS:
            self.open(encoding)
            self.compare(
                f"chrome_trace({quote(path)})", random.Random(encoding), 60, ["name", "cat", "ts", "ph", "_line"]
            )


if __name__ == "__main__":
    unittest.main()
