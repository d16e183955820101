"""mpg_progress: what is reported of a scan, to whom, and what stops it."""

import importlib.util
import os
import pty
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from fleets import ROOT, connect

GOLDEN = os.path.join(ROOT, "fixtures", "golden")
SCAN = "SELECT sum(chip_us) FROM trace_rollup(?)"


def asked(callback, *given):
    db = connect()
    db.create_function("report", 5, callback)
    db.execute("SELECT mpg_progress('function', 'report', 0)")
    return db, [db.execute(SCAN, path).fetchall() for path in given]


def size(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def on_terminal(sql):
    """What a program that runs `sql` writes on a terminal, and on standard output."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(':memory:', isolation_level=None); db.enable_load_extension(True); "
        f"db.load_extension({os.path.join(ROOT, 'mpg')!r}); [print(db.execute(each).fetchall()) for each in sys.argv[1:]]"
    )
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # a root of its own in which nothing is mounted at /dev/pts
        raise unittest.SkipTest(f"no terminal can be made here: {error}") from error
    with subprocess.Popen([sys.executable, "-c", code, *sql], stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the other side is closed
            pass
        printed = process.stdout.read()
    os.close(ours)
    return shown.decode(), printed.decode(), process.returncode


class Progress(unittest.TestCase):
    def test_function(self):
        calls = []
        db, answers = asked(lambda *given: calls.append(given), [GOLDEN])
        self.assertEqual(answers[0], connect().execute(SCAN, [GOLDEN]).fetchall())
        self.assertEqual(calls[0], (0, 0, 0, 0, 0.0))  # when it was named
        for before, after in zip(calls, calls[1:]):
            self.assertLessEqual(before[:2], after[:2])
        read, of, jobs, jobs_all, seconds = calls[-1]
        jobs_there = (
            connect()
            .execute("SELECT count(DISTINCT job) FROM trace_ledger(?) WHERE job IS NOT NULL", [GOLDEN])
            .fetchone()[0]
        )
        self.assertEqual((read, of), (size(GOLDEN),) * 2)
        self.assertEqual((jobs, jobs_all), (jobs_there,) * 2)
        self.assertGreaterEqual(seconds, 0)
        self.assertEqual(db.execute("SELECT mpg_progress()").fetchone(), ("function",))

    def test_whole_from_the_first(self):
        """The bytes of all files are known before the second is read."""
        with tempfile.TemporaryDirectory() as folder:
            for i in range(3):
                with open(os.path.join(folder, f"{i}.jsonl"), "w", encoding="utf-8") as file:
                    file.write(f'{{"record":"capacity","pool":"p{i}","chips":8,"start_time":0,"end_time":9}}\n')
            calls = []
            asked(lambda *given: calls.append(given), [folder])
            self.assertEqual({call[1] for call in calls[1:] if call[0] > 0}, {size(folder)})

    def test_function_that_fails_ends_the_statement(self):
        def fails(*given):
            if given[4] > 0:
                raise ValueError

        db = connect()
        db.create_function("report", 5, fails)
        db.execute("SELECT mpg_progress('function', 'report', 0)")
        with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
            db.execute(SCAN, [GOLDEN]).fetchall()
        db.execute("SELECT mpg_progress('off')")
        self.assertEqual(db.execute(SCAN, [GOLDEN]).fetchall(), connect().execute(SCAN, [GOLDEN]).fetchall())

    def test_function_may_ask(self):
        """A scan within the function answers, and is not reported."""
        inner = []
        db = connect()
        db.create_function("report", 5, lambda *given: inner.append(db.execute(SCAN, [GOLDEN]).fetchall()))
        db.execute("SELECT mpg_progress('function', 'report', 0)")
        answer = db.execute(SCAN, [GOLDEN]).fetchall()
        self.assertGreater(len(inner), 1)
        self.assertTrue(all(each == answer for each in inner))

    def test_delay(self):
        calls = []
        db = connect()
        db.create_function("report", 5, lambda *given: calls.append(given))
        db.execute("SELECT mpg_progress('function', 'report', 1000000)")
        db.execute(SCAN, [GOLDEN]).fetchall()
        self.assertEqual(len(calls), 1)  # when it was named

    def test_refused(self):
        db = connect()
        for call, why in [
            ("'bar'", "expected 'terminal'"),
            ("NULL", "expected 'terminal'"),
            ("'function'", "name of a function"),
            ("'function', 'nobody'", "no such function"),
            ("'function', ''", "name of a function"),
            ("'terminal', -1", "seconds"),
            ("'terminal', 'soon'", "seconds"),
            ("'off', 1", "seconds"),
            ("'terminal', 1, 1", "seconds"),
        ]:
            with self.subTest(call), self.assertRaisesRegex(sqlite3.OperationalError, why):
                db.execute(f"SELECT mpg_progress({call})")
            self.assertEqual(db.execute("SELECT mpg_progress()").fetchone(), ("off",))
        db.execute("SELECT mpg_progress('terminal', 0)")
        cursor = db.execute("SELECT * FROM trace_ledger(?)", [GOLDEN])
        cursor.fetchone()
        with self.assertRaisesRegex(sqlite3.OperationalError, "a statement that reads one"):
            db.execute("SELECT mpg_progress('off')")
        cursor.close()
        db.execute("SELECT mpg_progress('off')")
        db.execute("CREATE VIEW v AS SELECT mpg_progress('terminal')")
        with self.assertRaisesRegex(sqlite3.OperationalError, "unsafe use"):
            db.execute("SELECT * FROM v")

    def test_terminal(self):
        ask = f"SELECT count(*) FROM trace_rollup('{GOLDEN}')"
        shown, printed, code = on_terminal(["SELECT mpg_progress('terminal', 0)", ask])
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"mpg \[[#.]{24}\] \d+\.\d of \d+\.\d MB  \d+\.\d MB/s")
        self.assertRegex(shown, r"mpg \[#{24}\] (\d+) of \1 jobs")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown[-40:]))  # nothing stays
        self.assertLessEqual(max(map(len, re.split(r"\r\x1b\[K", shown))), 79)
        for before in (["SELECT mpg_progress('terminal', 1000000)"], ["SELECT mpg_progress('off')"], ["SELECT 1"]):
            silent, again, code = on_terminal([*before, ask])
            self.assertEqual((silent, code), ("", 0))
            self.assertEqual(again.splitlines()[1], printed.splitlines()[1])

    def test_python(self):
        """What the wheel's module does of it: a callback, None, and its build, which leaves what was asked."""
        spec = importlib.util.spec_from_file_location(
            "sqlite_mpg", os.path.join(ROOT, "ext/package/python/sqlite_mpg.py")
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        calls = []
        db = connect()
        module.progress(db, lambda *given: calls.append(given), 0)
        db.execute(SCAN, [GOLDEN]).fetchall()
        self.assertEqual(calls[-1][:2], (size(GOLDEN),) * 2)
        module.build(db, GOLDEN)
        self.assertEqual(db.execute("SELECT mpg_progress()").fetchone(), ("function",))
        there = len(calls)
        module.progress(db, None)
        db.execute(SCAN, [GOLDEN]).fetchall()
        self.assertEqual(len(calls), there)
        module.build(db, GOLDEN)
        self.assertEqual(db.execute("SELECT mpg_progress()").fetchone(), ("off",))

    def test_no_terminal(self):
        code = (
            f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(sys.modules['fleets'].__file__))!r}); import fleets; "
            f"db = fleets.connect(); db.execute(\"SELECT mpg_progress('terminal', 0)\"); print(db.execute({SCAN!r}, [{GOLDEN!r}]).fetchall())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(eval(done.stdout), connect().execute(SCAN, [GOLDEN]).fetchall())


if __name__ == "__main__":
    unittest.main()
