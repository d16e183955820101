#!/usr/bin/python3
"""The ledger's functions in PostgreSQL against SQLite's tables, row by row, and the examples of docs/postgres.md."""

import os
import re
import subprocess
import unittest

import naive
import random_fleets
import postgres_ledger
from fleets import ROOT, connect, create_tables, quote, where, write_csv, write_jsonl
from postgres_ledger import new_folder

TARGETS = ["postgres"]
TABLES = ("trace_ledger", "trace_rollup", "trace_timeline")
WHOLE = {"attempt", "step", "tasks", "year"}
NUMBERS = WHOLE | {
    "chips",
    "min_chips",
    "start_time",
    "end_time",
    "submit_time",
    "snapshot_time",
    "durable_time",
    "flops",
    "bytes",
    "executions",
    "peak_flops",
    "hbm_bytes",
    "hbm_bytes_per_s",
    "ici_bytes_per_s",
    "tdp_w",
}


def setUpModule():
    global server, FIXTURES
    server, _, FIXTURES = postgres_ledger.started()


def named(options):
    """SQLite's hidden arguments in PostgreSQL's named notation."""
    return "".join(
        ", %s => %s"
        % (dict(bucket="bucket_width").get(name, name), quote(",".join(map(str, value)) if name == "sizes" else value))
        for name, value in options.items()
    )


def canonical(rows, types):
    """Rows of either host, numbers as numbers, in an order of their own."""
    convert = [{"BIGINT": int, "REAL": float}.get(t, str) for t in types]
    return sorted([[None if v is None else f(v) for f, v in zip(convert, row)] for row in rows], key=repr)


def types_of(db, table):
    return [t for _, _, t, _, _, _, hidden in db.execute(f"PRAGMA table_xinfo({table})") if not hidden]


def query_as(columns, queries):
    """One statement for many: its rows begin with the number of theirs."""
    return " UNION ALL ".join(f"SELECT {i}, {columns} FROM {q}" for i, q in enumerate(queries))


class SameAsSqlite(unittest.TestCase):
    def same(self, table, arguments):
        """Calls with [(path, options)], in both."""
        db = connect()
        types = types_of(db, table)
        ours = [
            canonical(db.execute(f"SELECT * FROM {table}({quote(path)}){where(options)}"), types)
            for path, options in arguments
        ]
        theirs = [[] for _ in arguments]
        for row in server.sql(
            query_as("t.*", [f"{table}({quote(path)}{named(options)}) AS t" for path, options in arguments])
        ):
            theirs[int(row[0])].append(row[1:])
        for mine, rows, (path, options) in zip(ours, theirs, arguments):
            self.assertEqual(mine, canonical(rows, types), f"{table} {path} {options}")
        return sum(map(len, ours))

    def test_fixtures(self):
        options = [
            {},
            dict(bucket="1 day"),
            dict(bucket=3600, since=1767600000, until="2026-01-06T03:00:00Z"),
            dict(as_of=1767650000.5),
            dict(basis="in_service", roofline="memory"),
            dict(basis="shard", sizes=[1, 2, 4096]),
            dict(on_error="skip", threads=4),
        ]
        for table in TABLES:
            calls = [(name, o) for name in ("golden", "golden.jsonl") for o in options] + [
                ("fleet", options[1]),
                ("fleet", options[2]),
            ]
            found = self.same(table, [(os.path.join(FIXTURES, name), o) for name, o in calls])
            self.assertGreater(found, 1000)

    def test_odd_fleets(self):
        """Random fleets full of trouble, as files."""
        arguments, issues = [], []
        for seed in range(60):
            relations, options = random_fleets.odd_fleet(seed)
            path = new_folder()
            if seed % 2:
                write_csv(path, relations)
            else:
                write_jsonl(path, relations)
            subprocess.run(["chmod", "-R", "a+r", path], check=True)
            arguments.append((path, options))
        for table in TABLES:
            self.same(table, arguments)
        db = connect()
        for path, options in arguments[:20]:
            db.execute(f"SELECT count(*) FROM trace_ledger({quote(path)}){where(options)}")
            issues += [(path, options)]
        ours = canonical(db.execute("SELECT * FROM mpg_issues"), types_of(db, "mpg_issues"))
        theirs = server.sql(
            "CREATE TEMP TABLE sink AS "
            + query_as("count(*)", [f"trace_ledger({quote(p)}{named(o)})" for p, o in issues])
            + "; SELECT * FROM mpg_issues"
        )
        self.assertGreater(len(ours), 30)
        self.assertEqual(ours, canonical(theirs, types_of(db, "mpg_issues")))

    def test_odd_fleets_in_tables(self):
        """The same in schemas of tables: of text, or of the types that a database would have."""
        script, calls, ours, db = [], [], [], connect()
        types = types_of(db, "mpg_ledger")
        for seed in range(100, 140):
            relations, options = random_fleets.odd_fleet(seed)
            if not any(name != "chips" for name in relations):
                continue
            mine = connect()
            create_tables(mine, relations)
            ours.append(canonical(mine.execute("SELECT * FROM mpg_ledger" + where(options)), types))
            schema = f"odd_{seed}"
            script.append(f"CREATE SCHEMA {schema};")
            for name, rows in relations.items():
                script.append(table_of(schema, name, rows, seed % 3))
            calls.append(f"mpg_ledger({quote(schema)}{named(options)}) AS t")
        theirs = [[] for _ in calls]
        for row in server.sql("".join(script) + query_as("t.*", calls)):
            theirs[int(row[0])].append(row[1:])
        self.assertGreater(len(calls), 30)
        for mine, rows, call in zip(ours, theirs, calls):
            self.assertEqual(mine, canonical(rows, types), call)

    def test_goodput_of_it(self):
        """The whole way in one query: bytes of states, with a bucket."""
        db = connect()
        path = quote(os.path.join(FIXTURES, "fleet"))
        ours = db.execute(
            f"SELECT pool, bucket, lower(hex(goodput_state(category, chip_us))) FROM trace_rollup({path})"
            " WHERE bucket_width = '1 day' GROUP BY 1, 2 ORDER BY 1, 2"
        ).fetchall()
        theirs = server.sql(
            f"SELECT pool, bucket, encode(goodput_state(category, chip_us), 'hex')"
            f" FROM trace_rollup({path}, bucket_width => '1 day') GROUP BY 1, 2 ORDER BY pool COLLATE \"C\" NULLS FIRST, 2 NULLS FIRST"
        )
        self.assertEqual([list(row) for row in ours], theirs)


def table_of(schema, name, rows, typed):
    """CREATE TABLE and COPY. typed 0: text; 1: numbers; 2: numeric, timestamptz and jsonb."""
    columns = naive.COLUMNS[name]

    def type_of(column):
        if typed == 0 or column not in NUMBERS:
            return "jsonb" if typed == 2 and column == "labels" else "text"
        if column in WHOLE:
            return "bigint"
        if typed == 2:
            return "timestamptz" if column.endswith("_time") else "numeric"
        return "double precision"

    def text(column, value):
        if value is None:
            return "\\N"
        if type_of(column) == "timestamptz":
            return str(round(value * 10**6))
        return repr(value) if isinstance(value, float) else str(value)

    declared = ", ".join(f"{c} {type_of(c).replace('timestamptz', 'bigint')}" for c in columns)
    script = f"CREATE TABLE {schema}.{name}({declared});\nCOPY {schema}.{name} FROM STDIN;\n"
    for row in rows:
        script += "\t".join(text(c, row.get(c)) for c in columns) + "\n"
    script += "\\.\n"
    for c in columns:
        if type_of(c) == "timestamptz":
            script += (
                f"ALTER TABLE {schema}.{name} ALTER {c} TYPE timestamptz"
                f" USING timestamptz '1970-01-01 00:00:00+00' + {c} * interval '1 microsecond';\n"
            )
    return script


class Page(unittest.TestCase):
    def test_examples(self):
        """Those of docs/postgres.md; MPG_WRITE_DOCS=1 writes what comes out."""
        page = os.path.join(ROOT, "docs/postgres.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for name, schema in (("ledger", "public"), ("tables", "page_tables"), ("sources", "public")):
            found = re.search(r"^```pgsql %s\n(.*?)^```\n```\n(.*?)^```$" % name, text, re.M | re.S)
            script = found[1].replace("/srv/traces", FIXTURES)
            out = server.shown(f"CREATE SCHEMA IF NOT EXISTS {schema}; SET search_path = {schema}, public;" + script)
            out = "".join(line.rstrip() + "\n" for line in out.splitlines() if line and not line.startswith("("))
            if os.environ.get("MPG_WRITE_DOCS"):
                text = text[: found.start(2)] + out + text[found.end(2) :]
                with open(page, "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(out, text[found.start(2) : found.start(2) + len(out)])


if __name__ == "__main__":
    unittest.main()
