#!/usr/bin/python3
"""The page of make web in Chromium: files that are given to it, the same rows as the shell's, errors, and that nothing may leave.

make test-web builds the page; without it the suite is skipped. A picture to be looked at: build/web/page.png.
"""
import gzip
import os
import shutil
import sqlite3
import tempfile
import unittest

import browser
from fleets import ROOT, connect

PAGE = os.path.join(ROOT, "build", "web", "mpg.html")
MISSING = browser.MISSING or (None if os.path.exists(PAGE) else "no build/web/mpg.html: make test-web builds it")
ASK = """
try { const { columns, rows, more } = await mpgWeb.ask(arguments[0], arguments[1] ?? 100000); return { columns, rows, more }; } catch (error) { return { error: error.message }; }
"""
FORMATS = [
    "exports",
    "golden",
    "fleet",
    "slurm",
    "kube",
    "pbs",
    "lsf",
    "swf",
    "goodput",
    "training",
    "otlp",
    "hlo",
    "profile",
    "perfetto",
    "generic",
    "prometheus",
    "tfevents",
    "mlperf",
    "public",
]
BROWSER = None


def setUpModule():
    global BROWSER
    if MISSING:
        raise unittest.SkipTest(MISSING)
    BROWSER = browser.Browser()


def tearDownModule():
    if BROWSER:
        BROWSER.close()


def files_below(folder):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)


class Web(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        BROWSER.open(PAGE)
        BROWSER.console()

    def tearDown(self):
        self.assertEqual([], BROWSER.console())

    def wait(self):
        self.assertTrue(
            BROWSER.run(
                "for (let i = 0; i < 2000; i++) { if (document.body.dataset.state === 'ready') return true; await new Promise((done) => setTimeout(done, 20)); } return false"
            )
        )

    def give(self, paths):
        """As somebody who chooses files."""
        document = BROWSER.protocol("DOM.getDocument")["root"]["nodeId"]
        node = BROWSER.protocol("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
        BROWSER.run("document.body.dataset.state = 'waiting'")
        BROWSER.protocol("DOM.setFileInputFiles", nodeId=node, files=paths)
        self.wait()

    def ask(self, sql, most=None):
        return BROWSER.run(ASK, sql, most)

    def same(self, sql, folder, db=None):
        """The rows of the page are those of SQLite here, over the same files."""
        db = db or connect()
        expected = [list(row) for row in db.execute(sql.replace("/traces", folder))]
        found = self.ask(sql)
        self.assertNotIn("error", found, sql)
        self.assertEqual(
            self.plain(expected),
            self.plain([[self.moved(value, folder) for value in row] for row in found["rows"]]),
            sql,
        )
        return expected

    def moved(self, value, folder):
        return value.replace("/traces", folder) if isinstance(value, str) else value

    def plain(self, rows):
        """Whole numbers and reals alike, as JSON does not tell 1.0 from 1; of more than 53 bits as texts."""
        return [
            [
                (
                    float(f"{value:.12g}")
                    if isinstance(value, (int, float)) and abs(value) < 2**53
                    else value
                    if value is None
                    else str(value)
                )
                for value in row
            ]
            for row in rows
        ]

    def test_the_same_rows_as_the_shell(self):
        """Over the fixtures of each format, as long as their files have different names."""
        for name in FORMATS:
            folder = os.path.join(ROOT, "fixtures", name)
            with tempfile.TemporaryDirectory() as above, self.subTest(name):
                flat = os.path.join(above, "traces")  # the folder's name can be a pool's
                os.mkdir(flat)
                for path in files_below(folder):
                    if not path.endswith("fleet.json"):
                        shutil.copy(path, os.path.join(flat, os.path.relpath(path, folder).replace("/", "-")))
                paths = files_below(flat)
                self.give(paths)
                self.same(
                    "SELECT file, format, certainty, feeds, missing, inferred, jobs FROM trace_sources('/traces') ORDER BY file",
                    flat,
                )
                rollup = "SELECT pool, job, category, cause, sum(chip_us), sum(intervals) FROM trace_rollup('/traces') GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
                try:
                    connect().execute(rollup.replace("/traces", flat)).fetchall()
                except sqlite3.Error as error:
                    self.assertEqual(
                        {"error": str(error)}, {key: self.moved(value, flat) for key, value in self.ask(rollup).items()}
                    )
                else:
                    self.same(rollup, flat)

    def test_packed_files_and_whole_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in files_below(os.path.join(ROOT, "fixtures", "golden")):
                with open(path, "rb") as plain, gzip.open(
                    os.path.join(folder, os.path.basename(path) + ".gz"), "wb"
                ) as packed:
                    packed.write(plain.read())
            self.give(files_below(folder))
            self.assertGreater(
                len(
                    self.same(
                        "SELECT job, category, sum(chip_us) FROM trace_rollup('/traces') GROUP BY 1, 2 ORDER BY 1, 2",
                        os.path.join(ROOT, "fixtures", "golden"),
                    )
                ),
                10,
            )
        self.assertEqual(
            [["9223372036854775807", "-9223372036854775808", 9007199254740992]],
            self.ask("SELECT 9223372036854775807, -9223372036854775807 - 1, 9007199254740992")["rows"],
        )
        self.assertEqual(
            [["\"'\\\x01é", None, "Inf", "(3 bytes)"]],
            self.ask("SELECT '\"''\\' || char(1) || 'é', NULL, 9e999, x'000102'")["rows"],
        )

    def test_by_hand(self):
        """The example, a statement by Ctrl+Enter, an error that says what, and what comes after it."""
        BROWSER.click("#example")
        self.wait()
        self.assertEqual(6, BROWSER.run("return document.querySelectorAll('#sources tr').length"))
        self.assertIn("maxtext", BROWSER.run("return document.querySelector('#sources').innerText"))
        BROWSER.run(
            "document.querySelector('#sql').value = 'SELECT mpg_version() AS version, $a'; document.querySelector('#run').click()"
        )
        self.wait()
        self.assertIn("version", BROWSER.run("return document.querySelector('#rows').innerText"))
        BROWSER.run("document.querySelector('#sql').value = 'SELECT nowhere'; document.querySelector('#run').click()")
        self.wait()
        self.assertEqual(
            "no such column: nowhere", BROWSER.run("return document.querySelector('#rows [role=alert]').innerText")
        )
        for i in range(BROWSER.run("return document.querySelectorAll('#examples option').length")):
            BROWSER.run(
                "const box = document.querySelector('#examples'); box.value = arguments[0]; box.dispatchEvent(new Event('change')); document.querySelector('#run').click()",
                str(i),
            )
            self.wait()
            error = BROWSER.run("return document.querySelector('#rows [role=alert]')?.innerText")
            if "trace_device_activity" in BROWSER.run(
                "return document.querySelector('#sql').value"
            ):  # the example has no profile
                self.assertIn("expected a file of one of the formats ascend, kineto", error)
            else:
                self.assertIsNone(error, i)
        self.assertRegex(BROWSER.run("return document.querySelector('#memory').textContent"), r"^memory: \d+ MB$")

    def test_the_report(self):
        """Drawn in the page: its whole numbers are those of mpg_build here."""
        folder = os.path.join(ROOT, "fixtures", "fleet")
        self.give(files_below(folder))
        BROWSER.click("#report")
        self.wait()
        self.assertIsNone(BROWSER.run("return document.querySelector('#drawing [role=alert]')?.innerText"))
        db = connect()
        db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
        capacity, ideal = db.execute("SELECT sum(capacity_us), sum(ideal_us) FROM cells").fetchone()
        found = dict(
            BROWSER.run(
                "return [...document.querySelectorAll('#live data')].map((one) => [one.dataset.name, one.value])"
            )[::-1]
        )
        self.assertEqual((str(capacity), str(ideal)), (found["capacity_us"], found["ideal_us"]))
        BROWSER.click("#live-segment [data-pick]")
        self.assertIn("pool=", BROWSER.run("await new Promise((done) => setTimeout(done, 200)); return location.hash"))
        BROWSER.picture(os.path.join(ROOT, "build", "web", "page.png"))

    def test_stop(self):
        """A statement that does not end is stopped; the files are there afterwards."""
        BROWSER.click("#example")
        self.wait()
        BROWSER.run(
            "document.querySelector('#sql').value = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'; document.querySelector('#run').click()"
        )
        BROWSER.click("#stop")
        self.wait()
        self.assertEqual("stopped", BROWSER.run("return document.querySelector('#rows [role=alert]').innerText"))
        self.assertEqual(5, self.ask("SELECT count(*) FROM trace_sources('/traces')")["rows"][0][0])

    def test_nothing_leaves(self):
        """Whatever asks for a connection is refused by the page's policy."""
        tried = BROWSER.run(
            "const tries = [() => fetch('http://127.0.0.1:9/'), () => fetch('data:,x'), () => import('http://127.0.0.1:9/x.js')]; "
            "return Promise.all(tries.map((one) => one().then(() => 'connected', () => 'refused')))"
        )
        self.assertEqual(["refused"] * 3, tried)
        self.assertTrue(BROWSER.console())  # the policy says so


if __name__ == "__main__":
    unittest.main()
