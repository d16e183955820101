"""The mpg.so of `make release` in bare roots of Debian 10 to 13, with their own sqlite3 and python3: it finds its libraries, answers the
clients' thirty-one queries as anywhere, reads a folder of several formats, and mpg-report writes its page.

A root is made by debootstrap once, in build/roots; one that cannot be had is skipped, and says so.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

import figures
from fleets import ROOT

TARGETS = ["mpg.so", "release"]
ROOTS = os.path.join(ROOT, "build", "roots")
# Debian's name, its number, and where its packages are.
MIRROR, ARCHIVE = "http://deb.debian.org/debian", "http://archive.debian.org/debian"
SUITES = {"buster": (10, ARCHIVE), "bullseye": (11, MIRROR), "bookworm": (12, MIRROR), "trixie": (13, MIRROR)}
SECONDS = 900  # for debootstrap
ROLLUP = "SELECT pool, category, sum(chip_us), sum(intervals) FROM trace_rollup('fixtures/exports') GROUP BY pool, category ORDER BY pool, category;"


def run(command, **options):
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        check=False,
        **options,
    )
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def root_of(suite):
    """A root with sqlite3 and python3."""
    folder = os.path.join(ROOTS, suite)
    if not os.path.exists(folder):
        shutil.rmtree(folder + ".new", ignore_errors=True)
        os.makedirs(ROOTS, exist_ok=True)
        run(
            ["debootstrap", "--variant=minbase", "--include=sqlite3,python3", suite, folder + ".new", SUITES[suite][1]],
            timeout=SECONDS,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"},
        )
        os.rename(folder + ".new", folder)
    return folder


class Roots(unittest.TestCase):
    maxDiff = None
    rows = []

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0 or not shutil.which("debootstrap", path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise unittest.SkipTest("needs root and debootstrap")

    @classmethod
    def tearDownClass(cls):
        if cls.rows:
            figures.record("roots", sorted(cls.rows, key=lambda row: row["Debian"]))

    def check(self, suite):
        try:
            root = root_of(suite)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            raise unittest.SkipTest(
                f"Debian {SUITES[suite][0]} ({suite}) cannot be had here: {str(error)[:200]}"
            ) from error
        work = os.path.join(root, "mpg")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(os.path.join(ROOT, "tests/clients"), os.path.join(work, "tests/clients"))
        for folder in ("fixtures", "sql"):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(work, folder))
        shutil.copy(os.path.join(ROOT, "build/release/mpg.so"), work)

        def inside(*command):
            return run(
                ["chroot", root, "/usr/bin/env", "-i", "-C", "/mpg", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", *command]
            )

        self.assertNotIn("not found", inside("ldd", "mpg.so"))
        versions = (
            inside("sqlite3", ":memory:", ".load ./mpg", "SELECT sqlite_version() || '|' || mpg_version()")
            .strip()
            .split("|")
        )
        expected = run(["sqlite3", ":memory:", ".load ./mpg", ROLLUP], cwd=ROOT)
        self.assertGreater(expected.count("\n"), 4)
        self.assertEqual(expected, inside("sqlite3", ":memory:", ".load ./mpg", ROLLUP))
        with open(os.path.join(ROOT, "tests/clients/answers.jsonl"), encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
        found = inside("python3", "tests/clients/driver.py", "./mpg", "tests/clients/queries.sql")
        self.assertEqual(list(map(repr, answers)), [repr(json.loads(line)) for line in found.splitlines()])
        inside("sqlite3", "fleet.db", ".load ./mpg", "SELECT mpg_build('fixtures/exports')")
        inside("python3", "sql/report/mpg-report", "-o", "report.html", "fleet.db")
        with open(os.path.join(work, "report.html"), encoding="utf-8") as file:
            self.assertIn("Where the chip-hours went", file.read())
        python = inside("python3", "--version").split()[1]
        libc = re.search(r"(\d+\.\d+)\s*$", inside("ldd", "--version").splitlines()[0])[1]
        self.rows.append(
            {
                "Debian": SUITES[suite][0],
                "glibc": libc,
                "SQLite": versions[0],
                "Python": python,
                "queries": len(answers),
            }
        )


for name in SUITES:
    setattr(Roots, f"test_{name}", lambda self, name=name: self.check(name))


if __name__ == "__main__":
    unittest.main()
