"""Several threads end, and say what one does, where each has so much that it asks on the way whether to stop.

Only the thread of the host may ask SQLite: another would wait for the mutex that this one holds, for ever. So every statement
is run by a process of its own, which is given up after a while.
"""

import os
import subprocess
import sys
import tempfile
import unittest

from fleets import ROOT, quote

SECONDS = 120  # each takes one or two
MANY = 30_000  # names, and rows of a job: far more than a thread goes through between two looks


def names():
    """Names alone, and thousands of them in each block of the file."""
    yield "jobs.csv", ["job\n", *(f"{i}\n" for i in range(5 * MANY))]
    yield "capacity.csv", ["pool,chips,start_time,end_time\np,8,0,100\n"]


def jobs():
    """A few jobs with very many rows each."""
    yield "trace.jsonl", [f'{{"record":"capacity","pool":"p","chips":8,"start_time":0,"end_time":{MANY}}}\n']
    for j in range(5):
        yield "trace.jsonl", [
            f'{{"record":"allocation","job":"j{j}","pool":"p","chips":1,"start_time":0,"end_time":{MANY}}}\n'
        ]
        yield "trace.jsonl", (
            f'{{"record":"span","job":"j{j}","kind":"{("step", "input")[i % 2]}","step":{i},"start_time":{i},"end_time":{i + 1}}}\n'
            for i in range(MANY)
        )


def rows():
    yield "rows.csv", ["id,kind\n", *(f"{i},{i % 7}\n" for i in range(6 * MANY))]
    yield "rows.jsonl", (f'{{"id":{i},"kind":{i % 7}}}\n' for i in range(5 * MANY))


STATEMENTS = {
    "names of a trace": (names, "", "SELECT count(*), sum(chip_us) FROM trace_rollup({}) WHERE threads = {}"),
    "rows of large parts in order": (
        jobs,
        "",
        "SELECT category, attempt, job, start_time FROM trace_ledger({}) WHERE threads = {} ORDER BY category, attempt",
    ),
    "one row of each": (
        jobs,
        "",
        "SELECT DISTINCT category, cause FROM trace_ledger({}) WHERE threads = {} ORDER BY category, cause",
    ),
    "a roll-up of large jobs": (
        jobs,
        "",
        "SELECT job, category, sum(chip_us), sum(intervals) FROM trace_rollup({}) WHERE threads = {} GROUP BY job, category",
    ),
    "groups of CSV": (rows, "rows.csv", "SELECT record FROM csv_rollup({}, 'kind', 'id') WHERE threads = {}"),
    "groups of JSON Lines": (
        rows,
        "rows.jsonl",
        "SELECT record FROM jsonl_rollup({}, 'kind', 'id') WHERE threads = {}",
    ),
    "distinct values of CSV": (
        rows,
        "rows.csv",
        "CREATE VIRTUAL TABLE temp.t USING csv_trace({}, threads={}); SELECT DISTINCT id FROM t",
    ),
}


CHILD = """
import hashlib, sys
sys.path.insert(0, "tests/support")
from fleets import connect
db, (*before, last) = connect(), sys.argv[1].split("; ")
db.executescript(";".join(before))
found = [repr(row) for row in db.execute(last)]
if "ORDER BY" not in last:
    found.sort()
print(len(found), hashlib.sha256("\\n".join(found).encode()).hexdigest(), *found[:100], sep="\\n")
"""


class Threads(unittest.TestCase):
    def made(self, files):
        """A folder of these files, made at first sight."""
        folder = os.path.join(self.folder, files.__name__)
        if not os.path.exists(folder):
            os.mkdir(folder)
            for file, lines in files():
                with open(os.path.join(folder, file), "a", encoding="utf-8") as to:
                    to.writelines(lines)
        return folder

    def told(self, sql, path, threads):
        command = [sys.executable, "-c", CHILD, sql.format(quote(path), threads)]
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, timeout=SECONDS, check=True).stdout

    def test_each_statement(self):
        with tempfile.TemporaryDirectory() as self.folder:
            for name, (files, file, sql) in STATEMENTS.items():
                with self.subTest(name):
                    path = os.path.join(self.made(files), file)
                    one = self.told(sql, path, 1)
                    self.assertGreater(len(one), 5)
                    for _ in range(2):
                        self.assertTrue(one == self.told(sql, path, 4))
