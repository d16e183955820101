#!/usr/bin/python3
"""Foreign traces in PostgreSQL: the same rows as in SQLite over the same paths, who may read them, and how a read ends."""

import gzip
import os
import shutil
import subprocess
import time
import unittest

import postgres
import postgres_ledger
from fleets import ROOT, connect, quote
from postgres_ledger import new_folder, written

TARGETS = ["postgres"]
FORMATS = ("exports", "slurm", "kube", "pbs", "training", "mlperf", "golden")
TABLES = ("trace_sources", "trace_ledger", "trace_rollup", "trace_timeline")


def setUpModule():
    global server, folder
    server, folder, fixtures = postgres_ledger.started()
    for name in FORMATS:
        shutil.copytree(os.path.join(ROOT, "fixtures", name), os.path.join(folder, name))
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)


def canonical(rows, types):
    """Rows of either host, numbers as numbers, in an order of their own."""
    convert = [{"BIGINT": int, "REAL": float}.get(t, str) for t in types]
    return sorted([[None if v is None else f(v) for f, v in zip(convert, row)] for row in rows], key=repr)


class Sources(unittest.TestCase):
    def ours(self, text):
        """Rows of SQLite, or its error."""
        try:
            return connect().execute(text).fetchall()
        except Exception as error:
            return str(error)

    def theirs(self, text):
        """Rows of PostgreSQL, or its error."""
        try:
            return server.sql(text)
        except postgres.Failed as error:
            return str(error).split("ERROR:  ", 1)[1].split("\nCONTEXT")[0]

    def same(self, table, arguments):
        """The rows, or the error, of both."""
        types = [t for _, _, t, _, _, _, hidden in connect().execute(f"PRAGMA table_xinfo({table})") if not hidden]
        text = f"SELECT * FROM {table}({arguments})"
        ours, theirs = self.ours(text), self.theirs(text)
        if isinstance(ours, str) or isinstance(theirs, str):
            self.assertEqual(ours, theirs, text)
            return ours
        self.assertEqual(canonical(ours, types), canonical(theirs, types), text)
        return ours

    def malformed(self):
        """The path of a Slurm export with a time that is none."""
        with open(os.path.join(ROOT, "fixtures", "exports", "sacct.psv"), encoding="utf-8") as file:
            path = written(bad__psv=file.read().replace("2026-03", "noon-03", 1))
        subprocess.run(["chmod", "-R", "a+r", path], check=True)
        return os.path.join(path, "bad.psv")

    def test_fixtures(self):
        paths = [os.path.join(folder, name) for name in FORMATS] + [
            os.path.join(folder, "exports", "fleet.json"),
            os.path.join(folder, "slurm", "*.psv"),
        ]
        for table in TABLES:
            rows = 0
            for path in paths:
                if table != "trace_timeline":
                    found = self.same(table, quote(path))
                    rows += len(found) if isinstance(found, list) else 0
                    continue
                jobs = self.ours(
                    f"SELECT DISTINCT job FROM trace_rollup({quote(path)}) WHERE job IS NOT NULL ORDER BY 1 LIMIT 2"
                )
                for (job,) in jobs if isinstance(jobs, list) else []:
                    rows += len(self.same(table, f"{quote(path)}, {quote(job)}"))
            self.assertGreater(rows, 30, table)

    def test_arguments(self):
        path = quote(os.path.join(folder, "exports"))
        self.assertGreater(len(self.same("trace_ledger", f"{path}, 60")), len(self.same("trace_ledger", path)))
        self.assertNotEqual(
            self.same("trace_ledger", f"{path}, NULL, '2026-03-02T10:02:00Z'"), self.same("trace_ledger", path)
        )
        self.same("trace_rollup", f"{path}, '1 day', NULL, NULL, NULL, 'in_service'")
        self.assertEqual(self.theirs("SELECT * FROM trace_sources(NULL)"), [])
        self.assertEqual(
            self.theirs(f"SELECT * FROM trace_sources({path}, 'ignore')"),
            "trace_sources: on_error: expected 'stop' or 'skip', found 'ignore'",
        )

    def test_a_fleet_file_as_text(self):
        text = quote(
            '{"sources": [{"path": "%s/exports/sacct.psv"}, {"path": "%s/exports/events.psv"}]}' % (folder, folder)
        )
        for table in ("trace_sources", "trace_ledger"):
            self.assertIsInstance(self.same(table, text), list)
        self.assertIn("pathh", self.same("trace_sources", quote('{"sources": [{"pathh": "x"}]}')))

    def test_packed(self):
        path = new_folder()
        with open(os.path.join(ROOT, "fixtures", "exports", "sacct.psv"), "rb") as file:
            with gzip.open(os.path.join(path, "sacct.psv.gz"), "wb") as packed:
                packed.write(file.read())
        subprocess.run(["chmod", "-R", "a+r", path], check=True)
        self.assertIsInstance(self.same("trace_ledger", quote(path)), list)

    def test_errors(self):
        self.assertIn("no such file", self.same("trace_sources", "'/nowhere/at/all'"))
        self.assertIn(
            "expected a file of a known format",
            self.same("trace_ledger", quote(written(notes__txt="what we did on Monday\n"))),
        )
        hlo = quote(os.path.join(folder, "exports", "train_step.hlo"))
        self.assertIn("expected a scheduler's records", self.same("trace_ledger", hlo))
        bad = quote(self.malformed())
        self.assertIn("bad.psv:2", self.same("trace_ledger", bad))
        self.assertIn("bad.psv:2", self.same("trace_sources", bad + ", 'stop'"))
        self.assertIsInstance(
            self.same("trace_ledger", f"{bad}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'skip'"), list
        )

    def test_issues(self):
        """They are of the session, and those of a file that is mended are forgotten."""
        path = written(notes__txt="what we did on Monday\n")
        shutil.copy(os.path.join(folder, "exports", "sacct.psv"), path)
        subprocess.run(["chmod", "-R", "a+r", path], check=True)
        db = connect()
        db.execute(f"SELECT * FROM trace_rollup({quote(path)})").fetchall()
        ours = db.execute("SELECT source, severity, kind, line, count, detail FROM mpg_issues ORDER BY 1, 3").fetchall()
        sink = f"CREATE TEMP TABLE {{}} AS SELECT * FROM trace_rollup({quote(path)}); "
        issues = 'SELECT * FROM mpg_issues ORDER BY source COLLATE "C", kind COLLATE "C"'
        once = server.sql(sink.format("a") + issues)
        self.assertIn("ignored_file", [row[2] for row in once])
        self.assertEqual([[None if v is None else str(v) for v in row] for row in ours], once)
        self.assertEqual(once, server.sql(sink.format("a") + sink.format("b") + issues))

    def test_roles(self):
        path = quote(os.path.join(folder, "exports"))
        server.sql("CREATE ROLE stranger LOGIN; CREATE ROLE reader LOGIN IN ROLE pg_read_server_files")
        for table in TABLES:
            with self.assertRaises(postgres.Failed) as caught:
                server.sql(f"SET ROLE stranger; SELECT count(*) FROM {table}({path})")
            self.assertIn(
                f"{table}: must be superuser or have privileges of the pg_read_server_files role", str(caught.exception)
            )
            self.assertGreater(int(server.sql(f"SET ROLE reader; SELECT count(*) FROM {table}({path})")[0][0]), 0)

    def many_jobs(self):
        """The path of a Slurm export that takes seconds to read."""
        path = new_folder()
        with open(os.path.join(ROOT, "fixtures", "exports", "sacct.psv"), encoding="utf-8") as file:
            head, *rows = file.read().splitlines()
        with open(os.path.join(path, "sacct.psv"), "w", encoding="utf-8") as file:
            file.write(head + "\n")
            file.writelines(f"{i + 100000}|" + rows[i % len(rows)].split("|", 1)[1] + "\n" for i in range(100000))
        subprocess.run(["chmod", "-R", "a+r", path], check=True)
        return path

    def test_nothing_is_left(self):
        """After an answer, an error and a time-out a backend has no trace file open, one thread and no memory of ours."""
        bad, good = quote(self.malformed()), quote(os.path.join(folder, "exports"))

        def failing(table, of):
            return (
                f"DO $do$ BEGIN PERFORM * FROM {table}({of}); RAISE 'it did not fail';"
                " EXCEPTION WHEN query_canceled OR data_exception OR io_error THEN NULL; END $do$;"
            )

        script = 3 * (
            f"DO $do$ BEGIN PERFORM * FROM trace_ledger({good}); PERFORM * FROM trace_sources({good}); END $do$;"
            + failing("trace_ledger", bad)
            + failing("trace_sources", bad + ", 'stop'")
            + failing("trace_sources", "'/nowhere/at/all'")
        )
        big = quote(self.many_jobs())
        script += "".join(
            f"SET statement_timeout = {ms};" + failing(table, big) + "RESET statement_timeout;"
            for ms, table in ((60, "trace_ledger"), (200, "trace_rollup"), (350, "trace_sources"))
        )
        rows = server.sql(
            script + "CREATE TEMP TABLE held(name text); COPY held FROM PROGRAM 'readlink /proc/$PPID/fd/*; true';"
            " SELECT (SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts"
            " WHERE name LIKE 'mpg%' AND name <> 'mpg issues'), count(*) > 5,"
            f" count(*) FILTER (WHERE name LIKE {quote(os.path.dirname(folder) + '/tmp%')}),"
            " (SELECT count(*) FROM pg_ls_dir('/proc/' || pg_backend_pid() || '/task')) FROM held"
        )
        self.assertEqual(rows, [["0", "t", "0", "1"]])

    def test_a_time_out_ends_it(self):
        path = quote(self.many_jobs())
        for table in ("trace_ledger", "trace_sources"):
            started = time.monotonic()
            with self.assertRaisesRegex(postgres.Failed, "canceling statement due to statement timeout"):
                server.sql(f"SET statement_timeout = 100; SELECT count(*) FROM {table}({path})")
            self.assertLess(time.monotonic() - started, 2)


if __name__ == "__main__":
    unittest.main()
