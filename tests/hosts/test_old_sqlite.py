"""SQLite 3.34, the oldest that loads the extension: no routine and no SQL of a later one is used where it may not be there.

tests/full/full_versions.py runs the suites in SQLite 3.34.0 itself."""

import glob
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest

from fleets import ROOT

TARGETS = ["mpg.so", "build/old_host.so"]
OLDEST = 3034000
HEADER = "/usr/include/sqlite3ext.h"
# What SQLite's SQL has later, as it is written here; json is built in from 3.38, and an option before. AS MATERIALIZED may stand in
# scripts: it is taken out for an older host.
LATER = {
    "3.35": r"\bRETURNING\b|\bON\s+CONFLICT\s+DO\s+UPDATE\b|\bDROP\s+COLUMN\b|\bNOT MATERIALIZED\b|\b(acos|asin|atan2?|ceil|ceiling|cos|degrees|exp|floor|ln|log|log10|log2|mod|pi|pow|power|radians|sign|sin|sqrt|tan|trunc)\s*\(",
    "3.37": r"\)\s*STRICT\b",
    "3.38": r"->|\b(unixepoch|format)\s*\(",
    "3.39": r"\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b|\bIS\s+(NOT\s+)?DISTINCT\b",
    "3.41": r"\bunhex\s*\(",
    "3.42": r"\bjson_error_position\s*\(|'subsec'",
    "3.43": r"\b(octet_length|timediff)\s*\(",
    "3.44": r"\b(concat|concat_ws|string_agg)\s*\(|\b(group_concat|json_group_array|json_group_object|max|min|sum)\([^()]*\bORDER\s+BY\b",
    "3.45": r"\bjsonb\w*\s*\(",
    "3.48": r"\bif\s*\(",
}
PROGRAM = """
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
try:
    db.load_extension("build/old_host.so")
except sqlite3.Error as error:
    sys.exit(str(error))
for query in sys.argv[1:]:
    print(json.dumps(db.execute(query).fetchall()))
"""
# Every way in which a plan is told more by a later SQLite: IN, DISTINCT, GROUP BY, ORDER BY, constants, other types, attached databases.
QUERIES = [
    "SELECT pool, job, category, sum(chip_us) FROM trace_rollup('fixtures/exports') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    "SELECT count(*), sum(chip_us) FROM trace_ledger('fixtures/golden.jsonl') WHERE job IN ('J1', 'J2') AND category IN (SELECT 'idle' UNION SELECT 'lost')",
    "SELECT count(*), sum(chip_us) FROM trace_ledger('fixtures/golden.jsonl') WHERE job = 'J1'",
    "SELECT DISTINCT pool, category FROM trace_ledger('fixtures/golden.jsonl') ORDER BY pool DESC, category",
    "SELECT category, count(*) FROM trace_ledger('fixtures/golden.jsonl') GROUP BY category",
    "SELECT State, count(*) FROM slurm_trace('fixtures/exports/sacct.psv') GROUP BY State ORDER BY State",
    "SELECT count(*) FROM slurm_trace('fixtures/exports/sacct.psv') WHERE State = 'COMPLETED'",
    "SELECT count(*) FROM slurm_trace('fixtures/exports/sacct.psv') WHERE State IN ('COMPLETED', 'FAILED')",
    "SELECT * FROM trace_sources('fixtures/exports') ORDER BY 1",
    "SELECT count(*) FROM mpg_chips WHERE chip IN ('h100', 'H100-SXM')",
    "SELECT count(*), sum(chip_us) FROM trace_rollup('fixtures/training')",
    "SELECT count(*), sum(chip_us) FROM trace_rollup('fixtures/kube')",
    "SELECT count(*), max(start_ns) FROM trace_device_activity('fixtures/profile/rank0.json')",
    "SELECT * FROM trace_hta_annotations('fixtures/profile/rank*.json')",
    "SELECT mpg_import('fixtures/exports')",
    "SELECT mpg_build('fixtures/exports')",
]


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def old(version, *queries):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *queries],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "OLD_HOST_MPG": os.path.join(ROOT, "mpg.so"), "OLD_HOST_VERSION": str(version)},
    )


def without_comments(sql):
    return re.sub(r"(?m)--(?!>).*$", "", sql)


def is_sql(text):
    """Of a text of a script: statements that it writes have several lines."""
    return "\n" in text and re.search(r"\b(SELECT|INSERT|UPDATE|ON CONFLICT)\b", text)


class Oldest(unittest.TestCase):
    maxDiff = None

    @unittest.skipUnless(os.path.exists(HEADER), "no sqlite3ext.h here")
    def test_later_routines_are_called_in_one_file(self):
        """The table of routines says by comments since when each is there."""
        later, since = [], 0
        with open(HEADER, encoding="utf-8") as file:
            for line in file.read().split("struct sqlite3_api_routines {")[1].split("};")[0].splitlines():
                version = re.search(r"Version (\d+)\.(\d+)\.(\d+) and later", line)
                if version:
                    major, minor, patch = map(int, version.groups())
                    since = major * 1_000_000 + minor * 1000 + patch
                later += re.findall(r"\(\*(\w+)\)\(", line) if since > OLDEST else []
        self.assertIn("vtab_distinct", later)
        self.assertIn("value_encoding", later)
        calls = {
            path: re.findall(rf"\bsqlite3_(?:{'|'.join(later)})\(", re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.S))
            for path in glob.glob("ext/**/*.[ch]", root_dir=ROOT, recursive=True)
        }
        self.assertEqual(["ext/sqlite/host.c"], [path for path, found in calls.items() if found])

    def test_later_names_are_declared(self):
        """An older sqlite3.h lacks them: who uses one includes host.h, which has them then."""
        header = text_of("ext/sqlite/host.h")
        later = re.findall(r"#define (SQLITE_\w+)", header)
        self.assertIn("SQLITE_INDEX_CONSTRAINT_LIMIT", later)
        uses = [
            path
            for path in glob.glob("ext/sqlite/**/*.c", root_dir=ROOT, recursive=True)
            if re.search(rf"\b({'|'.join(later)})\b", text_of(path))
        ]
        self.assertGreater(len(uses), 2)
        self.assertEqual([], [path for path in uses if not re.search(r'#include "(\.\./)*host\.h"', text_of(path))])

    def test_the_oldest_is_said_once(self):
        said = int(re.search(r"#define MPG_OLDEST_SQLITE (\d+)", text_of("ext/sqlite/host.h"))[1])
        self.assertEqual(OLDEST, said)
        self.assertIn("SQLite 3.34", text_of("docs/development/dependencies.md"))
        self.assertIn("SQLite 3.34", text_of("docs/install.md"))

    def test_sql_that_is_compiled_in(self):
        scripts = [
            *glob.glob("sql/formats/**/*.sql", root_dir=ROOT, recursive=True),
            *glob.glob("sql/sources/*.sql", root_dir=ROOT),
            "sql/build.sql",
            *glob.glob("sql/build/*.sql", root_dir=ROOT),
            "schema/fleet.sql",
            "schema/import.sql",
            *glob.glob("sql/report/*.sql", root_dir=ROOT),
        ]
        self.assertGreater(len(scripts), 30)
        found = {
            (path, since, word[0])
            for path in scripts
            for since, later in LATER.items()
            for word in re.finditer(
                later,
                re.sub(r"'[^']*'", lambda text: text[0] if is_sql(text[0]) else "''", without_comments(text_of(path))),
            )
        }
        self.assertEqual(set(), found)

    def test_sql_that_the_shell_reads(self):
        """make demo runs in the shell of the machine: no hint is taken out there."""
        sql = without_comments(text_of("docs/demo.sql"))
        self.assertIn("trace_rollup", sql)
        for since, later in {**LATER, "3.35, too": r"\bMATERIALIZED\b"}.items():
            self.assertIsNone(re.search(later, re.sub(r"'[^']*'", "''", sql)), since)

    def test_having_has_a_group_by(self):
        """Before 3.39 it must; a subquery in parentheses is a query of its own, and so is SQL that a script writes."""
        for path in glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True):
            sql = without_comments(text_of(path))
            for text in [re.sub(r"'[^']*'", "", sql), *filter(is_sql, re.findall(r"'((?:[^']|'')*)'", sql))]:
                grouped = [False]
                for word in re.findall(r"\(|\)|;|\bSELECT\b|\bGROUP BY\b|\bHAVING\b", re.sub(r"''[^']*''", "", text)):
                    if word == "(":
                        grouped.append(False)
                    elif word == ")":
                        grouped = grouped[:-1] or [True]  # what a script writes may begin elsewhere
                    elif word in (";", "SELECT"):
                        grouped[-1] = False
                    elif word == "GROUP BY":
                        grouped[-1] = True
                    else:
                        self.assertTrue(grouped[-1], path)

    def test_sql_in_c(self):
        for path in glob.glob("ext/**/*.c", root_dir=ROOT, recursive=True):
            if path.startswith("ext/postgres/"):
                continue
            for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', text_of(path)):
                if re.search(r"\b(SELECT|UPDATE|INSERT|FROM|WHERE)\b", text) and "json_error_position" not in text:
                    for later in LATER.values():
                        self.assertNotRegex(text, later, path)

    def test_an_older_host_is_told(self):
        done = old(OLDEST - 1)
        self.assertIn("mpg needs SQLite 3.34.0 or later, this is of a test", done.stderr)

    def test_a_host_of_the_oldest(self):
        db = sqlite3.connect(":memory:")
        db.enable_load_extension(True)
        db.load_extension(os.path.join(ROOT, "mpg"))
        os.chdir(ROOT)
        expected = [[list(row) for row in db.execute(query)] for query in QUERIES]
        done = old(OLDEST, *QUERIES)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        for query, rows, line in zip(QUERIES, expected, done.stdout.splitlines(), strict=True):
            self.assertTrue(rows, query)
            self.assertEqual(rows, json.loads(line), query)


if __name__ == "__main__":
    unittest.main()
