"""mpg.so in SQLite from 3.34.0 to the newest, with SQLite's own asserts, for one thread, by gcc and clang, at -O0 and -O3: the
suites that ask most of SQLite, the clients' queries, and failing allocations."""

import json
import os
import re
import shutil
import sys
import tempfile
import time
import unittest

import figures
import versions
from fleets import ROOT

# What leans most on SQLite; and what only takes longer, in the newest and the oldest that knows all of these suites' own SQL.
SUITES = [
    "test_sql",
    "test_contract",
    "test_release",
    "test_kept",
    "test_intervals",
    "test_goodput",
    "test_goodput_sql",
]
MORE = [
    "test_generic_forms",
    "test_generic_differential",
    "test_generic_errors",
    "test_generic_rollup",
    "test_ledger",
    "test_catalogue",
    "test_statements",
    "test_security.CraftedSchemas",
]
OLDEST, WHOLE, NEWEST = (
    min(versions.SQLITE, key=lambda p: int(p.split(".")[0])),
    "8.0.0",
    max(versions.SQLITE, key=lambda p: [int(n) for n in p.split(".")]),
)
# All versions as they are and under SQLite's asserts; the oldest and the newest in every other way; mpg.so in turn.
MATRIX = [(package, "debug", extension) for package, extension in zip(versions.SQLITE, list(versions.EXTENSIONS) * 9)]
MATRIX += [
    (package, build, extension)
    for package in (OLDEST, NEWEST)
    for build, extension in zip(list(versions.BUILDS) * 9, versions.EXTENSIONS)
]
MATRIX = list(dict.fromkeys(MATRIX))


def environment(folder):
    return {"LD_LIBRARY_PATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}


def by_result(rows):
    """A row for all builds of which as many tests and queries were run."""
    results = dict.fromkeys((row["tests"], row["queries"]) for row in rows)
    for tests, queries in results:
        of = [row["SQLite"] for row in rows if (row["tests"], row["queries"]) == (tests, queries)]
        yield {"SQLite": ", ".join(dict.fromkeys(of)), "builds": len(of), "tests": tests, "queries": queries}


class Versions(unittest.TestCase):
    maxDiff = None
    rows = []

    @classmethod
    def setUpClass(cls):
        for tool in ("npm", "clang"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"no {tool} here")
        versions.run(["make", "-s", "--no-print-directory", "mpg.so", "build/memory/loaded"], cwd=ROOT)
        try:
            versions.source(NEWEST)
        except AssertionError as error:
            raise unittest.SkipTest("npm gives no better-sqlite3 here") from error

    @classmethod
    def tearDownClass(cls):
        if cls.rows:
            figures.record(
                "versions",
                list(by_result(sorted(cls.rows, key=lambda row: [int(n) for n in row["SQLite"].split(".")]))),
            )

    def suite(self, tree, folder, name):
        with tempfile.TemporaryDirectory() as scratch:
            report = os.path.join(scratch, "report")
            versions.run(
                [
                    sys.executable,
                    os.path.join(tree, "tests", "run"),
                    "--python",
                    re.sub(r"^\w+", r"\g<0>.py", name),
                    report,
                ],
                cwd=tree,
                env=environment(folder),
            )
            with open(report, encoding="utf-8") as file:
                passed, failed, _ = json.load(file)
        self.assertEqual(0, failed)
        return passed

    def check(self, package, build, extension):
        started, passed = time.monotonic(), 0
        version, folder, tree = versions.SQLITE[package], versions.library(package, build), versions.tree(extension)
        found = versions.run(
            [sys.executable, "-c", "import sqlite3; print(sqlite3.sqlite_version)"], env=environment(folder)
        )
        self.assertEqual(version, found.strip())
        for name in SUITES + (MORE if package in (WHOLE, NEWEST) else []):
            with self.subTest(name):
                passed += self.suite(tree, folder, name)
        with open(os.path.join(ROOT, "tests/clients/answers.jsonl"), encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
        told = versions.run(
            [sys.executable, "tests/clients/driver.py", os.path.join(tree, "mpg"), "tests/clients/queries.sql"],
            cwd=ROOT,
            env=environment(folder),
        )
        self.assertEqual(list(map(repr, answers)), [repr(json.loads(line)) for line in told.splitlines()])
        told = versions.run(
            ["build/memory/loaded", "sqlite", os.path.join(tree, "mpg"), "499"], cwd=ROOT, env=environment(folder)
        )
        points = int(re.search(r"^points (\d+)$", told, re.M)[1])
        self.assertGreater(points, 100)
        self.rows.append(
            {"SQLite": version, "built": build, "mpg.so": extension, "tests": passed, "queries": len(answers)}
        )
        print(
            f"{version}, {build}, mpg.so {extension}: {passed} tests ({time.monotonic() - started:.0f} s)", flush=True
        )


for case in MATRIX:
    setattr(
        Versions,
        "test_" + "_".join(versions.name_of(part).replace("-", "_") for part in (versions.SQLITE[case[0]], *case[1:])),
        lambda self, case=case: self.check(*case),
    )


if __name__ == "__main__":
    unittest.main()
