"""Above mpg_limit('packed_bytes') spans and commits wait in a temporary file: the same rows and bytes, in less memory, and one error."""

import os
import subprocess
import sys
import tempfile
import unittest

from fleets import ROOT, connect, generator

QUERIES = [
    "SELECT pool, phase, job, category, cause, chip_us, intervals FROM trace_rollup('{path}') WHERE threads = {threads} AND grain = 'full'",
    "SELECT job, attempt, category, cause, start_time, end_time, chip_us FROM trace_ledger('{path}') WHERE threads = {threads}",
    "SELECT pool, sum(chip_us) FROM trace_ledger('{path}') WHERE threads = {threads} GROUP BY pool",
    "SELECT * FROM trace_timeline('{path}', 'train-000005')",
    "SELECT * FROM trace_records('{path}')",
]
# A process of its own: run(statements), with a limit on files or on SQLite's memory; prints the rows, or the error.
CHILD = """
import os, resource, sqlite3, sys
if int(sys.argv[1]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.execute("SELECT load_extension('./mpg', ?)", (os.environ.get("ENTRY", "sqlite3_mpg_init"),))
try:
    for statement in sys.argv[2:]:
        print(db.execute(statement).fetchall())
except sqlite3.Error as error:
    sys.exit(str(error))
"""


def run(*statements, file_bytes=0, **environment):
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(file_bytes), *statements],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=dict(os.environ, **environment),
    )


class Spill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.paths = []
        for name, form, options in (
            ("csv", "csv", []),
            ("mixed", "csv", ["--shuffle"]),
            ("jsonl", "jsonl", ["--shuffle", "--split", "3"]),
        ):
            path = os.path.join(cls.folder.name, name)
            os.makedirs(path)
            subprocess.run(
                [generator(), "--seed", "3", "--spans", "1e4", "--format", form, "--out", path, *options],
                check=True,
                capture_output=True,
            )
            cls.paths.append(path)

    def rows(self, query, path, threads, limit):
        db = connect()
        db.execute("SELECT mpg_limit('packed_bytes', ?)", (limit,))
        rows = db.execute(query.format(path=path, threads=threads)).fetchall()
        issues = db.execute("SELECT severity, kind, source, line, count, detail FROM mpg_issues").fetchall()
        db.close()
        return rows, issues

    def test_the_same_rows(self):
        for path in self.paths:
            for query in QUERIES:
                expected = self.rows(query, path, 1, 1 << 40)
                self.assertTrue(len(expected[0]) > 5 or "timeline" in query)
                for threads, limit in ((1, 1), (2, 5000), (2, 40000)):
                    with self.subTest(path=path, query=query, threads=threads, limit=limit):
                        self.assertEqual(expected, self.rows(query, path, threads, limit))

    def test_over_tables(self):
        answers = []
        for limit in (1 << 40, 3000):
            db = connect()
            db.execute("SELECT mpg_limit('packed_bytes', ?)", (limit,))
            db.execute("SELECT mpg_import(?)", (self.paths[1],))
            answers.append(
                [
                    db.execute(query).fetchall()
                    for query in (
                        "SELECT job, category, cause, chip_us FROM mpg_rollup",
                        "SELECT job, category, start_time, chip_us FROM mpg_ledger",
                        "SELECT * FROM mpg_records",
                    )
                ]
            )
            db.close()
        self.assertEqual(answers[0], answers[1])
        self.assertGreater(len(answers[0][0]), 100)

    def test_less_memory(self):
        """Where SQLite may have little memory the limit decides whether there is enough."""
        path = os.path.join(self.folder.name, "large")
        os.makedirs(path)
        subprocess.run(
            [generator(), "--seed", "3", "--spans", "6e5", "--format", "csv", "--out", path],
            check=True,
            capture_output=True,
        )
        heap = "PRAGMA hard_heap_limit = 8000000"
        query = f"SELECT sum(chip_us) FROM trace_rollup('{path}') WHERE threads = 1"
        keep = "SELECT mpg_keep(0)"
        free = run(query)
        little, enough = run(heap, keep, query), run(heap, keep, "SELECT mpg_limit('packed_bytes', 200000)", query)
        self.assertIn("MemoryError", little.stderr)
        self.assertEqual("", enough.stderr)
        self.assertEqual(free.stdout.splitlines()[-1], enough.stdout.splitlines()[-1])

    def test_one_job(self):
        """A job's spans are accounted all at once; of a rating only those in several parts take memory."""
        path = os.path.join(self.folder.name, "one")
        os.makedirs(path)
        with open(os.path.join(path, "jobs.jsonl"), "w", encoding="utf-8") as file:
            file.write(
                '{"record":"capacity","pool":"p","chips":8,"start_time":0,"end_time":2000000}\n'
                '{"record":"allocation","job":"j","attempt":1,"pool":"p","chips":8,"start_time":0,"end_time":1800000,"outcome":"completed"}\n'
            )
        with open(os.path.join(path, "spans.csv"), "w", encoding="utf-8") as file:
            file.write("job,attempt,kind,start_time,end_time,step\n")
            for i in range(180000):
                file.write(f"j,1,step,{10 * i},{10 * i + 10},{i}\n")
                if i % 10 == 0:
                    file.write(f"j,1,input,{10 * i + 2},{10 * i + 3},\n")
        query = f"SELECT category, cause, chip_us, intervals FROM trace_rollup('{path}') WHERE threads = 1"
        free, enough = run(query), run("PRAGMA hard_heap_limit = 48000000", "SELECT mpg_keep(0)", query)
        self.assertEqual(("", free.stdout), (enough.stderr, "".join(enough.stdout.splitlines(True)[2:])))

    def test_a_full_disk(self):
        """One error that says where and what; nothing is left, and the next statement is fine."""
        with tempfile.TemporaryDirectory() as folder:
            done = run(
                "SELECT mpg_limit('packed_bytes', 1000)",
                f"SELECT count(*) FROM trace_rollup('{self.paths[0]}')",
                file_bytes=4096,
                SQLITE_TMPDIR=folder,
            )
            self.assertEqual(
                f"trace_rollup: {folder}: a temporary file for spans beyond mpg_limit('packed_bytes'): write: File too large",
                done.stderr.strip(),
            )
            self.assertEqual([], os.listdir(folder))

    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(
                "SELECT mpg_limit('packed_bytes', 1000)",
                f"SELECT sum(intervals) > 9 FROM trace_rollup('{self.paths[0]}')",
                TMPDIR=folder,
            )
            self.assertEqual("[(1000,)]\n[(1,)]\n", done.stdout)
            self.assertEqual([], os.listdir(folder))

    def test_no_files(self):
        """A connection that is to open no files opens no temporary one either."""
        tables = (
            "CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time)",
            "CREATE TABLE capacity(pool, chip, chips, start_time, end_time)",
            "CREATE TABLE spans(job, kind, start_time, end_time, step)",
            "INSERT INTO capacity VALUES('p', 'tpu-v4', 8, 0, 100)",
            "INSERT INTO allocations VALUES('j', 1, 'p', 8, 0, 100)",
            "INSERT INTO spans SELECT 'j', 'step', i, i + 1, i FROM (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < 89) SELECT i FROM n)",
            "SELECT mpg_limit('packed_bytes', 1)",
            "SELECT count(*) > 0 FROM mpg_rollup",
        )
        whole = run(*tables, file_bytes=1)
        self.assertIn("a temporary file for spans beyond", whole.stderr)
        none = run(*tables, file_bytes=1, ENTRY="sqlite3_mpg_nofs_init")
        self.assertEqual(("[(1,)]", ""), (none.stdout.splitlines()[-1], none.stderr))


if __name__ == "__main__":
    unittest.main()
