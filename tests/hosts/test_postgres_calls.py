#!/usr/bin/python3
"""Calls of the ledger's functions in PostgreSQL: their arguments and errors, what they read, who may call them, and how they end."""

import os
import subprocess
import unittest

import postgres
import postgres_ledger
from fleets import connect, generator, quote
from postgres_ledger import new_folder, written

TARGETS = ["postgres"]


def setUpModule():
    global server, folder, FIXTURES
    server, folder, FIXTURES = postgres_ledger.started()
    Calls.GOLDEN = quote(os.path.join(FIXTURES, "golden"))


class Calls(unittest.TestCase):
    def error(self, text):
        with self.assertRaises(postgres.Failed) as caught:
            server.sql(text)
        return str(caught.exception).split("ERROR:  ", 1)[1]

    def test_arguments_of_any_type(self):
        rows = server.sql(f"SELECT * FROM trace_ledger({self.GOLDEN}, 30, 10, 90, 80) ORDER BY 1, 3, 4, 14, 16")
        self.assertGreater(len(rows), 10)
        for arguments in (
            "'30', '1970-01-01T00:00:10Z', 90.0, 80",
            "bucket_width => 30::smallint, since => timestamptz '1970-01-01 02:00:10+02', until => 90::real, as_of => 80::numeric",
            "bucket_width => 30::float8, since => timestamp '1970-01-01 00:00:10', until => '90'::varchar, as_of => 80.000",
        ):
            self.assertEqual(
                rows,
                server.sql(f"SELECT * FROM trace_ledger({self.GOLDEN}, {arguments}) ORDER BY 1, 3, 4, 14, 16"),
                arguments,
            )
        self.assertEqual(
            server.sql(f"SELECT * FROM trace_ledger({self.GOLDEN}, as_of => date '1970-01-02')"),
            server.sql(f"SELECT * FROM trace_ledger({self.GOLDEN}, as_of => 86400)"),
        )
        self.assertEqual(
            server.sql(
                f"PREPARE q(timestamptz) AS SELECT count(*) FROM trace_ledger({self.GOLDEN}, until => $1);"
                "EXECUTE q('1970-01-01 00:00:30+00')"
            ),
            server.sql(f"SELECT count(*) FROM trace_ledger({self.GOLDEN}, until => 30)"),
        )

    def test_the_grain(self):
        db = connect()
        for by in ("category", "category, cause", " pool,job", "SIZE", "bucket, phase"):
            mine = db.execute(f"SELECT {by}, chip_us, intervals FROM trace_rollup({self.GOLDEN}, 30)").fetchall()
            rows = server.sql(f"SELECT {by}, chip_us, intervals FROM trace_rollup({self.GOLDEN}, 30, by => '{by}')")
            self.assertEqual([[None if v is None else str(v) for v in row] for row in mine], rows)
        self.assertEqual(
            server.sql(f"SELECT sum(chip_us), sum(intervals) FROM trace_rollup({self.GOLDEN}, by => '')"),
            server.sql(f"SELECT sum(chip_us), count(*) FROM trace_ledger({self.GOLDEN})"),
        )
        for by in ("poool", "pool,", "pool,,job", "chip_us", "pool job"):
            self.assertIn(
                "trace_rollup: by: expected ", self.error(f"SELECT * FROM trace_rollup({self.GOLDEN}, by => '{by}')")
            )

    def test_errors(self):
        for tail, message in (
            ("since => 'noon'", 'since: expected Unix seconds or ISO 8601 time, found "noon"'),
            ("since => 'infinity'::timestamptz", 'since: expected Unix seconds or ISO 8601 time, found "infinity"'),
            ("until => '290000-01-01'::timestamptz", "until: expected "),
            ("bucket_width => 0", "bucket_width: "),
            ("bucket_width => '1 fortnight'", "bucket_width: "),
            ("bucket_width => true", "bucket_width: "),
            ("basis => 'installd'", "basis: expected 'installed', 'in_service' or 'shard', found 'installd'"),
            ("on_error => 'ignore'", "on_error: expected 'stop' or 'skip', found 'ignore'"),
            ("threads => 0", "threads: expected a whole number from 1 to 64, found '0'"),
            (
                "sizes => '16,256'",
                "sizes: expected three rising numbers of chips such as '16,256,2048', found '16,256'",
            ),
        ):
            self.assertTrue(
                self.error(f"SELECT * FROM trace_rollup({self.GOLDEN}, {tail})").startswith("trace_rollup: " + message),
                tail,
            )
        self.assertEqual(
            "trace_ledger: no such file: /nowhere/at/all",
            self.error("SELECT * FROM trace_ledger('/nowhere/at/all')").split("\n")[0],
        )
        self.assertIn("function trace_ledger() does not exist", self.error("SELECT * FROM trace_ledger()"))
        self.assertIn(
            "more than 10000000 buckets", self.error(f"SELECT count(*) FROM trace_ledger({self.GOLDEN}, 0.000001)")
        )
        self.assertEqual(server.sql("SELECT * FROM trace_ledger(NULL)"), [])
        self.assertEqual(server.sql(f"SELECT * FROM trace_timeline({self.GOLDEN}, 'nobody')"), [])

    def test_what_has_no_rows_is_listed(self):
        """As in SQLite: a path of NULL, which a bound parameter may be, and a job that nothing tells of."""
        golden = self.GOLDEN.strip("'")
        for call, source, kind, detail in (
            ("trace_ledger(NULL)", "trace_ledger", "null_argument", "path is NULL: no rows"),
            ("trace_rollup(NULL)", "trace_rollup", "null_argument", "path is NULL: no rows"),
            ("trace_timeline(NULL)", "trace_timeline", "null_argument", "path is NULL: no rows"),
            ("trace_sources(NULL)", "trace_sources", "null_argument", "path is NULL: no rows"),
            (
                f"trace_timeline({self.GOLDEN}, 'nobody')",
                golden,
                "no_such_job",
                "no record is of the job 'nobody': its timeline has no rows",
            ),
        ):
            listed = "SELECT source, severity, kind, count, detail FROM mpg_issues"
            self.assertEqual([[source, "info", kind, "1", detail]], server.sql(f"SELECT * FROM {call}; {listed}")[-1:])
            db = connect()
            self.assertEqual([], db.execute(f"SELECT * FROM {call}").fetchall())
            self.assertEqual([(source, "info", kind, 1, detail)], db.execute(listed).fetchall())
            db.close()

    def test_bad_files_name_the_place(self):
        db = connect()
        for text in (
            "job,pool,chips,start_time\nj,p,four,0\n",
            "job,pool,chips,start_time\nj,p,4\n",
            "job,pool\n",
            'job,pool,chips,start_time\nj,p,1,"0\n',
            "job,pool,chips,start_time\nj\xff\xfe,p,\xc3\xbc,0\n".encode("latin-1"),
        ):
            path = written(allocations__csv=text)
            with self.assertRaises(Exception) as caught:
                db.execute(f"SELECT * FROM trace_ledger({quote(path)})")
            mine = str(caught.exception)
            self.assertRegex(mine, r"allocations\.csv:\d+:\d+: ")
            self.assertEqual(
                mine.split(", found")[0],
                self.error(f"SELECT * FROM trace_ledger({quote(path)})").split("\n")[0].split(", found")[0],
            )

    def test_text_that_is_not_utf8(self):
        path = written(allocations__csv=b"job,pool,chips,start_time,end_time\nj\xff,p,1,0,9\n")
        self.assertEqual(
            [["j\ufffd"]], server.sql(f"SELECT DISTINCT job FROM trace_ledger({quote(path)}) WHERE job IS NOT NULL")
        )
        path = written(
            trace__jsonl='{"record": "allocation", "job": "j\\u0000k", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9}\n'
        )
        self.assertIn(
            'trace_ledger: expected UTF-8 as job, found "j\\x00k"',
            self.error(f"SELECT * FROM trace_ledger({quote(path)})"),
        )

    def test_a_database_of_another_encoding(self):
        server.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")

        def latin(text):
            return [row[0] for row in server.sql("SET client_encoding = 'UTF8';" + text, "latin")]

        def latin_error(text):
            with self.assertRaises(postgres.Failed) as caught:
                latin(text)
            return str(caught.exception)

        path = quote(os.path.join(FIXTURES, "fleet"))
        self.assertIn(
            "v4-zürich", latin(f"CREATE EXTENSION mpg; SELECT DISTINCT pool FROM trace_rollup({path}, by => 'pool')")
        )
        self.assertEqual(
            latin(
                "CREATE TABLE allocations(job text, pool text, chips int, start_time int, end_time int);"
                "INSERT INTO allocations VALUES('jürg', 'p', 1, 0, 9); SELECT job FROM mpg_ledger WHERE job IS NOT NULL"
            ),
            ["jürg"],
        )
        self.assertEqual(latin("SELECT category FROM mpg_timeline('jürg')"), ["untraced"])
        greek = quote(written(allocations__csv="job,pool,chips,start_time,end_time\nαβ,p,1,0,9\n"))
        self.assertIn('has no equivalent in encoding "LATIN1"', latin_error(f"SELECT * FROM trace_ledger({greek})"))
        greek = quote(written(allocations__csv="job,pool,chips,start_time,end_time\nj,p,α,0,9\n"))
        self.assertIn('found "\\xce\\xb1"', latin_error(f"SELECT * FROM trace_ledger({greek})"))

    def test_relations(self):
        server.sql(
            'CREATE SCHEMA "we""ird; --"; SET search_path = "we""ird; --";'
            "CREATE TABLE capacity(pool text, chip varchar(9), chips numeric(9, 3), start_time date, note text);"
            "INSERT INTO capacity VALUES ('p', 'tpu-v4', 8, '1970-01-01', 'x');"
            "CREATE VIEW allocations AS SELECT 'j'::name AS job, 'p'::char(1) AS pool, 2::smallint AS chips,"
            " timestamp '1970-01-01' AS start_time, timestamptz '1970-01-01 00:00:10+00' AS end_time, NULL::jsonb AS outcome;"
            "CREATE INDEX spans ON capacity(pool); CREATE TABLE chips(fried bool)"
        )
        total = "SELECT sum(chip_us) FROM public.mpg_rollup"
        schema = quote('we"ird; --')
        self.assertEqual(server.sql(f"{total}({schema}) WHERE category <> 'queued'"), [["80000000"]])
        self.assertEqual(server.sql(f'SET search_path = "we""ird; --"; {total}'), [["80000000"]])
        self.assertEqual(server.sql(f"SELECT sum(chip_us) FROM mpg_ledger({schema}); ")[0][0], "80000000")
        self.assertEqual(
            server.sql(
                f"CREATE TEMP TABLE sink AS {total}({schema}); SELECT * FROM mpg_issues WHERE source LIKE '%capacity'"
            ),
            [
                [
                    'we"ird; --.capacity',
                    "info",
                    "unknown_column",
                    None,
                    "1",
                    "note is no column of capacity and was left out",
                ]
            ],
        )
        # A temporary table comes before all others, as in SQLite.
        self.assertEqual(
            server.sql(
                f'SET search_path = "we""ird; --"; CREATE TEMP TABLE capacity AS SELECT \'p\' AS pool, 3 AS chips, 0 AS start_time;'
                f"{total}"
            ),
            [["30000000"]],
        )
        self.assertEqual(
            self.error("SELECT * FROM mpg_ledger('else')").split("\n")[0],
            'mpg_ledger: expected the name of a schema, found "else"',
        )
        self.assertEqual(
            self.error("CREATE SCHEMA empty; SELECT * FROM mpg_ledger('empty')").split("\n")[0],
            "mpg_ledger: expected tables or views capacity, allocations, ... (schema/fleet.sql), found none",
        )
        self.assertEqual(
            self.error(
                "CREATE SCHEMA half; CREATE TABLE half.capacity(pool text); SELECT * FROM mpg_ledger('half')"
            ).split("\n")[0],
            'mpg_ledger: half.capacity: expected a column "chips", found none',
        )
        server.sql(
            "CREATE SCHEMA bad; CREATE TABLE bad.allocations(job text, pool text, chips int, start_time int, end_time int);"
            "INSERT INTO bad.allocations SELECT 'j', 'p', 1, 0, 9 FROM generate_series(1, 2500); INSERT INTO bad.allocations VALUES ('k', 'p', 1, 5, 4)"
        )
        self.assertEqual(
            self.error("SELECT * FROM mpg_ledger('bad')").split("\n")[0],
            "mpg_ledger: bad.allocations:2501: allocations.end_time: expected an end that is not before the start, found 4",
        )
        self.assertEqual(
            server.sql(
                "CREATE TEMP TABLE sink AS SELECT * FROM mpg_ledger('bad', on_error => 'skip');"
                "SELECT severity, kind, line, count FROM mpg_issues WHERE kind = 'skipped_record'"
            ),
            [["data_loss", "skipped_record", "2501", "1"]],
        )

    def test_a_ledger_over_itself(self):
        server.sql(
            "CREATE SCHEMA self; SET search_path = self, public;"
            "CREATE VIEW capacity AS SELECT pool, chip, 1 AS chips, 0 AS start_time FROM mpg_rollup('self')"
        )
        self.assertIn(
            "a relation is defined by itself, through the ledger", self.error("SELECT * FROM mpg_ledger('self')")
        )
        # And the session is none the worse for it.
        self.assertEqual(
            server.sql(
                "DO $$ BEGIN PERFORM * FROM mpg_ledger('self'); EXCEPTION WHEN OTHERS THEN NULL; END $$;"
                f"SELECT count(*) > 10 FROM trace_ledger({self.GOLDEN})"
            ),
            [["t"]],
        )

    def test_as_a_view_and_in_a_table(self):
        server.sql(
            f"CREATE VIEW golden AS SELECT * FROM trace_ledger({self.GOLDEN}, as_of => 100);"
            "CREATE TABLE golden_table AS TABLE golden; CREATE MATERIALIZED VIEW golden_kept AS TABLE golden"
        )
        self.assertEqual(server.sql("SELECT count(*) FROM golden"), server.sql("SELECT count(*) FROM golden_kept"))
        self.assertEqual(server.sql("SELECT * FROM golden LIMIT 1"), server.sql("SELECT * FROM golden_table LIMIT 1"))
        server.sql(
            "CREATE SCHEMA kept; CREATE TABLE kept.capacity AS SELECT 'p' AS pool, 1 AS chips, 0 AS start_time, 9 AS end_time;"
            "CREATE MATERIALIZED VIEW kept.day AS SELECT * FROM mpg_ledger('kept') WITH NO DATA;"
            "SET search_path = ''; REFRESH MATERIALIZED VIEW kept.day"
        )  # as pg_restore does
        self.assertEqual(server.sql("SELECT chip_us FROM kept.day"), [["9000000"]])
        self.assertEqual(
            [[".155"]],
            [[r[0].lstrip("0")] for r in server.sql("SELECT round(mpg(category, chip_us)::numeric, 3) FROM golden")],
        )


class Roles(unittest.TestCase):
    def test_files_are_for_those_who_may_read_them(self):
        golden = quote(os.path.join(FIXTURES, "golden"))
        query = f"SELECT count(*) > 0 FROM trace_rollup({golden})"
        server.sql("CREATE ROLE guest; CREATE ROLE reader; GRANT pg_read_server_files TO reader")
        with self.assertRaisesRegex(
            postgres.Failed, "trace_rollup: must be superuser or have privileges of the pg_read_server_files role"
        ):
            server.sql(f"SET ROLE guest; {query}")
        for secret in ("/etc/shadow", "/nowhere"):  # nor whether a file exists
            with self.assertRaisesRegex(postgres.Failed, "must be superuser"):
                server.sql(f"SET ROLE guest; SELECT * FROM trace_timeline('{secret}')")
        self.assertEqual(server.sql(f"SET ROLE reader; {query}"), [["t"]])
        self.assertEqual(server.sql(f"SET ROLE guest; {query.replace(golden, 'NULL')}"), [["f"]])
        # What an administrator hands out: this path, to that role.
        server.sql(
            f"CREATE FUNCTION our_fleet() RETURNS SETOF mpg_rollup SECURITY DEFINER LANGUAGE sql AS $$ SELECT * FROM trace_rollup({golden}) $$"
        )
        self.assertEqual(server.sql("SET ROLE guest; SELECT count(*) > 0 FROM our_fleet()"), [["t"]])

    def test_tables_are_read_as_the_user(self):
        server.sql(
            "CREATE ROLE visitor; CREATE SCHEMA closed; CREATE TABLE closed.capacity AS SELECT 'p' AS pool, 1 AS chips, 0 AS start_time, 9 AS end_time"
        )
        with self.assertRaisesRegex(postgres.Failed, "permission denied for schema closed"):
            server.sql("SET ROLE visitor; SELECT * FROM mpg_ledger('closed')")
        server.sql("GRANT USAGE ON SCHEMA closed TO visitor")
        with self.assertRaisesRegex(postgres.Failed, "permission denied for table capacity"):
            server.sql("SET ROLE visitor; SELECT * FROM mpg_ledger('closed')")
        server.sql(
            "GRANT SELECT ON closed.capacity TO visitor; ALTER TABLE closed.capacity ENABLE ROW LEVEL SECURITY;"
            "INSERT INTO closed.capacity VALUES ('q', 1, 0, 9); CREATE POLICY p ON closed.capacity USING (pool = 'q')"
        )
        self.assertEqual(server.sql("SET ROLE visitor; SELECT DISTINCT pool FROM mpg_ledger('closed')"), [["q"]])
        self.assertEqual(
            server.sql("SET ROLE visitor; SET search_path = closed, public; SELECT DISTINCT pool FROM mpg_ledger"),
            [["q"]],
        )


class Endings(unittest.TestCase):
    """However a call ends, the session keeps no memory and no file of it."""

    @classmethod
    def setUpClass(cls):
        cls.big = os.path.join(new_folder(), "fleet")
        subprocess.run(
            [generator(), "--seed", "5", "--spans", "800000", "--format", "csv", "--out", cls.big], check=True
        )
        subprocess.run(["chmod", "-R", "a+rX", cls.big], check=True)

    def held(self, script):
        """What the session holds after a script: bytes, and trace files."""
        return server.sql(
            script + "CREATE TEMP TABLE files(name text); COPY files FROM PROGRAM 'readlink /proc/$PPID/fd/*; true';"
            " SELECT (SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts"
            " WHERE name LIKE 'mpg%' AND name <> 'mpg issues'), count(*) > 5,"
            f" count(*) FILTER (WHERE name LIKE {quote(folder + '%')}) FROM files"
        )

    def attempt(self, statement):
        return (
            f"DO $do$ BEGIN PERFORM * FROM {statement}; RAISE 'it did not fail'; EXCEPTION WHEN query_canceled OR data_exception"
            " OR invalid_parameter_value OR io_error OR division_by_zero OR character_not_in_repertoire THEN NULL; END $do$;"
        )

    def test_errors_leave_nothing(self):
        bad = quote(written(allocations__csv="job,pool,chips,start_time\n" + "j,p,4,0\n" * 5000 + "j,p,four,0\n"))
        text = quote(
            written(
                trace__jsonl=5000
                * '{"record": "allocation", "job": "j", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9}\n'
                + '{"record": "allocation", "job": "j\\u0000k", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9}\n'
            )
        )
        view = (
            "CREATE SCHEMA trap; CREATE VIEW trap.capacity AS SELECT 'p' AS pool, 1 AS chips, 100 / (9000 - i) AS start_time"
            " FROM generate_series(1, 10000) AS i;"
        )
        script = view + 20 * (
            self.attempt(f"trace_ledger({bad})")
            + self.attempt(f"trace_ledger({text})")
            + self.attempt("mpg_ledger('trap')")
            + self.attempt(f"trace_rollup({bad}, by => 'x')")
            + self.attempt("trace_ledger('/nowhere')")
        )
        self.assertEqual(self.held(script), [["0", "t", "0"]])

    def test_cancel(self):
        path = quote(self.big)
        script = 3 * "".join(
            "SET statement_timeout = %d;" % ms + self.attempt(f"{f}({path})") + "RESET statement_timeout;"
            for ms, f in ((20, "trace_rollup"), (150, "trace_ledger"), (45, "trace_rollup"), (60, "trace_timeline"))
        )
        self.assertEqual(self.held(script), [["0", "t", "0"]])
        with self.assertRaisesRegex(postgres.Failed, "canceling statement due to statement timeout"):
            server.sql(f"SET statement_timeout = 100; SELECT count(*) FROM trace_ledger({path})")

    def test_rows_beyond_work_mem_are_in_a_file(self):
        plan = "\n".join(
            row[0]
            for row in server.sql(
                f"SET work_mem = '64kB'; EXPLAIN (ANALYZE, BUFFERS, TIMING off) SELECT * FROM trace_ledger({quote(os.path.join(FIXTURES, 'fleet'))})"
            )
        )
        self.assertRegex(plan, r"temp read=\d+ written=\d+")

    def test_a_second_statement_sees_its_own_time(self):
        """Relations are read in the snapshot of the statement, its own changes included."""
        self.assertEqual(
            server.sql(
                "BEGIN; CREATE SCHEMA now; CREATE TABLE now.capacity AS SELECT 'p' AS pool, 1 AS chips, 0 AS start_time, 9 AS end_time;"
                "UPDATE now.capacity SET chips = 3; SELECT sum(chip_us) FROM mpg_ledger('now')"
            ),
            [["27000000"]],
        )


if __name__ == "__main__":
    unittest.main()
