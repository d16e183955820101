"""mpg_build that is stopped, or has no more memory or disk: the file is as it was before, and the next build makes what a first one does."""

import ctypes
import os
import shutil
import sqlite3
import unittest

from cases import Case
from fleets import ROOT, connect
from retold import folders

SQLITE = ctypes.CDLL("libsqlite3.so.0")
SQLITE.sqlite3_memory_used.restype = ctypes.c_int64
SQLITE.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]
FLEET, GOLDEN = (os.path.join(ROOT, "fixtures", name) for name in ("fleet", "golden"))
FULL = bool(os.environ.get("MPG_FULL"))
TRIES = 400 if FULL else 4
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
        failed = used = left = 0
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
                    left += self.undo(db)
                    self.assertIn(self.content(db), (wanted,) if is_second else (None, wanted))
                    db.execute("SELECT mpg_build(?)", (GOLDEN,))
                    self.assertEqual(wanted, self.content(db))
                    db.close()
                    used = used or SQLITE.sqlite3_memory_used()
                    self.assertLessEqual(SQLITE.sqlite3_memory_used(), used + 4096)
        self.assertGreater(failed, TRIES)
        self.assertLess(left, 1 + failed / 10)

    def test_stopped_over_a_folder_that_tells_otherwise(self):
        """At places all over a build of a folder that was built before, of each folder at another one unless MPG_FULL is set: the tables are as
        they were, then as a build without a stop makes them."""
        held = "SELECT job, attempt, pool, chips, start_us, end_us, outcome FROM allocations UNION ALL SELECT category, 0, pool, 0, sum(chip_us), count(*), '' FROM ledger GROUP BY 1, 3 ORDER BY 1, 2, 3, 5"
        stopped, tried, places = 0, 0, TRIES // 2 if FULL else TRIES
        for nth, (name, told) in enumerate(folders()):
            folder, earlier = self.new_folder(), os.path.join(self.new_folder(), "earlier.db")
            db = connect(earlier)
            for files in told:
                before = db.execute(held).fetchall() if files is told[-1] else None
                if files is told[-1]:
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    shutil.copy(earlier, self.path)
                for old in os.listdir(folder):
                    os.remove(os.path.join(folder, old))
                for file, text in files.items():
                    with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                        out.write(text)
                looks = []
                db.set_progress_handler(lambda looks=looks: looks.append(1) and 0, 100)
                db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
            wanted = db.execute(held).fetchall()
            db.close()
            shutil.copy(self.path, earlier)
            for place in range(places) if FULL else (nth % places,):
                with self.subTest(name, place=place):
                    tried += 1
                    self.remove()
                    shutil.copy(earlier, self.path)
                    db, left = self.again(), [(2 * place + 1) * len(looks) // (2 * places)]
                    db.set_progress_handler(lambda left=left: left.append(left.pop() - 1) or left[0] <= 0, 100)
                    stopped += self.fails(db, folder, "interrupted$")
                    db.set_progress_handler(None, 0)
                    self.assertFalse(db.in_transaction)
                    self.assertEqual(before, db.execute(held).fetchall())
                    db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
                    self.assertEqual(wanted, db.execute(held).fetchall())
                    db.close()
        self.assertGreater(stopped, 0.8 * tried, tried)

    @staticmethod
    def undo(db):
        """Whether a transaction was left open: then there was no memory to undo it, either."""
        is_open = db.in_transaction
        if is_open:
            db.execute("ROLLBACK")
        return is_open

    def test_import_out_of_memory(self):
        """TEMP tables of before, or those of the import, and no transaction of its own that stays open."""
        failed = left = 0
        for i in range(TRIES * 2):
            with self.subTest(limit=i):
                db = connect()
                db.execute("CREATE TEMP TABLE jobs AS SELECT 'x' AS job")
                SQLITE.sqlite3_hard_heap_limit64(SQLITE.sqlite3_memory_used() + i * 4500000 // (TRIES * 2))
                try:
                    db.execute("SELECT mpg_import(?)", (GOLDEN,)).fetchall()
                except (sqlite3.Error, MemoryError):
                    failed += 1
                finally:
                    SQLITE.sqlite3_hard_heap_limit64(0)
                left += self.undo(db)
                self.assertIn(db.execute("SELECT count(*), max(job) FROM jobs").fetchone(), [(1, "x"), (2, "J2")])
                db.execute("SELECT mpg_import(?)", (GOLDEN,))
                db.close()
        self.assertGreater(failed, TRIES)
        self.assertLess(left, 1 + failed / 10)


class InTheWay(Case):
    def fails(self, words):
        self.assertEqual(words, self.error("SELECT mpg_build(?)", GOLDEN))
        self.assertFalse(self.db.in_transaction)

    def test_what_the_user_has_under_such_a_name(self):
        """Each table and view that a build makes: one of the user's own is no matter of a build, and stays."""
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        made = self.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        self.assertGreater(len(made), 20)
        for (name,) in made:
            for create in (f"CREATE TABLE {name.upper()} AS SELECT 5 AS a", f"CREATE VIEW {name} AS SELECT 5 AS a"):
                self.db = connect()
                self.db.execute(create)
                with self.subTest(create=create):
                    self.fails(
                        f"mpg_build: expected no table or view {create.split()[2]} but that of an earlier build, found one of another kind: build into a new file"
                    )
                    self.assertEqual([(5,)], self.rows(f"SELECT * FROM {name}"))
                    self.assertEqual(1, self.one("SELECT count(*) FROM sqlite_schema"))

    def test_other_tables_stay(self):
        self.db.execute("CREATE TABLE notes AS SELECT 5 AS a")
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        self.assertEqual([(5,)], self.rows("SELECT * FROM notes"))

    def test_settings(self):
        self.db.execute("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT)")
        for name, value, words in (
            (
                "ofset",
                "+01:00",
                "mpg_config: expected one of the names trace, offset, as_of, sizes, basis, roofline, labels, currency, target_MPG, target_SG, target_RG and "
                "target_PG, found 'ofset'",
            ),
            *(
                ("offset", value, f"mpg_config: offset: expected an offset from UTC such as +02:00, found '{value}'")
                for value in ("2", "", "Europe/Berlin", "+0200", "+02", "-15:00", "+02:60")
            ),
            (
                "labels",
                "tier, Job",
                'mpg_config: labels: expected labels that are no columns of the ledger, each once, found "Job"',
            ),
            (
                "labels",
                "tier,tier",
                'mpg_config: labels: expected labels that are no columns of the ledger, each once, found "tier"',
            ),
            (
                "basis",
                "in-service",
                "mpg_config: basis: expected 'installed', 'in_service' or 'shard', found 'in-service'",
            ),
            ("roofline", "mem", "mpg_config: roofline: expected 'compute' or 'memory', found 'mem'"),
            (
                "sizes",
                "16",
                "mpg_config: sizes: expected three rising numbers of chips such as '16,256,2048', found '16'",
            ),
            ("as_of", "noon", 'mpg_config: as_of: expected Unix seconds or ISO 8601 time, found "noon"'),
        ):
            self.db.execute("INSERT INTO mpg_config VALUES (?, ?)", (name, value))
            self.fails("mpg_build: " + words)
            self.db.execute("DELETE FROM mpg_config")
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))

    def test_temp_tables_of_other_kinds(self):
        """Those that users have for themselves are not lost to an import, or to the end of a build."""
        for made, words in (
            ("TABLE jobs(id, title)", "table jobs but of the relation"),
            ("VIEW jobs AS SELECT 1 AS job", "view jobs"),
            ("TABLE Observed(pool)", "table Observed but of the relation"),
        ):
            self.db.execute(f"CREATE TEMP {made}")
            says = f"expected no TEMP {words}, found one, which would be lost: rename or drop it"
            self.assertEqual("mpg_import: " + says, self.error("SELECT mpg_import(?)", GOLDEN))
            self.assertEqual("mpg_build: " + says, self.error("SELECT mpg_build(?)", GOLDEN))
            self.db.execute(f"DROP {' '.join(made.split('(')[0].split()[:2])}")
        self.db.execute("CREATE TEMP TABLE capacity(pool, note)")
        self.db.execute("CREATE TEMP TABLE others(a)")
        for _ in range(2):
            self.db.execute("SELECT mpg_import(?)", (GOLDEN,))
        self.assertEqual(
            [(1, 0)], self.rows("SELECT (SELECT count(*) FROM temp.capacity), (SELECT count(*) FROM others)")
        )

    def test_temp_tables_and_views_of_other_names(self):
        """Whatever users have in temp under the name of a table or view of a build: the build writes its own, and theirs stays."""
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        names = [name for name, in self.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
        relations = {"capacity", "outages", "jobs", "allocations", "spans", "commits", "programs", "observed"}
        content = lambda: {name: self.rows(f'SELECT * FROM main."{name}" ORDER BY 1, 2') for name in names}
        wanted, tried = content(), 0
        for name in set(names) - relations:
            for make in (
                f"TABLE {name}(x)",
                f"VIEW {name} AS SELECT 5 AS x",
                f"TABLE {name} AS SELECT * FROM main.{name}",
            ):
                self.db = connect()
                if "main" in make:
                    self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
                self.db.execute(f"CREATE TEMP {make}")
                theirs = self.rows(f"SELECT * FROM temp.{name}")
                for _ in range(2):
                    self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
                    self.assertEqual(wanted, content(), make)
                    self.assertEqual(theirs, self.rows(f"SELECT * FROM temp.{name}"), make)
                tried += 1
        self.assertGreater(tried, 40)

    def test_nothing_to_read(self):
        self.assertEqual(
            "mpg_build: expected a path, TEMP tables of the relations or the setting trace in mpg_config, found none of them",
            self.error("SELECT mpg_build(NULL)"),
        )

    def test_within_a_statement_that_reads(self):
        self.db.execute("CREATE TABLE paths AS SELECT ? AS path", (GOLDEN,))
        self.assertIn(
            "expected no other statement that reads this database meanwhile",
            self.error("SELECT mpg_build(path) FROM paths"),
        )


if __name__ == "__main__":
    unittest.main()
