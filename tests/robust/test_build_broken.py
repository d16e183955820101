"""mpg_build that is stopped, or has no more memory or disk: the file is as it was before, and the next build makes what a first one does."""
import ctypes
import os
import sqlite3
import unittest

from cases import Case
from fleets import ROOT, connect

SQLITE = ctypes.CDLL("libsqlite3.so.0")
SQLITE.sqlite3_memory_used.restype = ctypes.c_int64
SQLITE.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]
FLEET, GOLDEN = (os.path.join(ROOT, "fixtures", name) for name in ("fleet", "golden"))
TRIES = 400 if os.environ.get("MPG_FULL") else 8
CONTENT = "SELECT category, cause, sum(chip_us), count(*) FROM ledger GROUP BY 1, 2 UNION ALL SELECT 'spans', NULL, sum(id & 4294967295), count(*) FROM spans ORDER BY 1, 2"


class Broken(Case):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.new_folder(), "fleet.db")

    def again(self):
        """The file, opened anew."""
        db = connect(self.path)
        self.addCleanup(db.close)
        return db

    def remove(self):
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(self.path + end):
                os.remove(self.path + end)

    @staticmethod
    def content(db):
        """What the tables hold; None: there are none."""
        try:
            return db.execute(CONTENT).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return None

    def fails(self, db, trace, said):
        """Whether a build fails, which it does for this reason alone."""
        try:
            db.execute("SELECT mpg_build(?)", (trace,)).fetchall()
        except (sqlite3.Error, MemoryError) as error:
            self.assertRegex(str(error) or "out of memory", said)
            return True
        return False

    def test_stopped_and_full(self):
        """At places all over a first build and a second."""
        db = self.again()
        looks = []
        db.set_progress_handler(lambda: looks.append(1) and 0, 1000)
        db.execute("SELECT mpg_build(?)", (FLEET,))
        first = len(looks)
        wanted, pages = self.content(db), db.execute("PRAGMA page_count").fetchone()[0]
        db.execute("SELECT mpg_build(?)", (FLEET,))
        second, stopped, full = len(looks) - first, 0, 0
        db.close()
        for i in range(TRIES):
            for is_second, n in ((False, first), (True, second)):
                with self.subTest(place=i, is_second=is_second):
                    if not is_second:
                        self.remove()
                    db = self.again()
                    before, left = self.content(db), [max(1, (2 * i + 1) * n // (2 * TRIES))]
                    db.set_progress_handler(lambda left=left: left.append(left.pop() - 1) or left[0] <= 0, 1000)
                    stopped += self.fails(db, FLEET, "interrupted$")
                    db.set_progress_handler(None, 0)
                    self.assertEqual(before, self.content(db))
                    if not is_second:
                        db.execute(f"PRAGMA max_page_count = {max(1, pages * i // TRIES)}")
                        full += self.fails(db, FLEET, "disk is full")
                        self.assertIsNone(self.content(db))
                        db.execute("PRAGMA max_page_count = 1000000")
                    db.execute("SELECT mpg_build(?)", (FLEET,))
                    self.assertEqual(wanted, self.content(db))
                    db.close()
        self.assertGreater(stopped, 2 * TRIES - 2)
        self.assertEqual(TRIES, full)

    def test_out_of_memory(self):
        """With a limit of SQLite's heap from none to enough: nothing is half there, and nothing is kept after the connection is closed."""
        db = self.again()
        db.execute("SELECT mpg_build(?)", (GOLDEN,))
        wanted = self.content(db)
        db.close()
        failed = used = 0
        for i in range(TRIES * 2):
            for is_second in (False, True):
                with self.subTest(limit=i, is_second=is_second):
                    if not is_second:
                        self.remove()
                    db = self.again()
                    SQLITE.sqlite3_hard_heap_limit64(SQLITE.sqlite3_memory_used() + i * 9000000 // (TRIES * 2))
                    try:
                        failed += self.fails(db, GOLDEN, "out of memory|disk")
                    finally:
                        SQLITE.sqlite3_hard_heap_limit64(0)
                    self.assertIn(self.content(db), (wanted,) if is_second else (None, wanted))
                    db.execute("SELECT mpg_build(?)", (GOLDEN,))
                    self.assertEqual(wanted, self.content(db))
                    db.close()
                    used = used or SQLITE.sqlite3_memory_used()
                    self.assertLessEqual(SQLITE.sqlite3_memory_used(), used + 4096)
        self.assertGreater(failed, TRIES)


if __name__ == "__main__":
    unittest.main()
