"""Builds beside dashboards: neither waits for the other, however long a reader's transaction is open."""

import os
import sqlite3
import tempfile
import threading
import unittest

from fleets import ROOT, connect

GOLDEN = os.path.join(ROOT, "fixtures", "golden")
FLEET = os.path.join(ROOT, "fixtures", "fleet")
CAPACITY = "SELECT sum(capacity_us) FROM ledger"


class Beside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "fleet.db")

    def build(self, trace, timeout=0):
        """As a program of its own would, with no patience."""
        db = connect(self.path)
        db.execute(f"PRAGMA busy_timeout = {timeout}")
        try:
            return db.execute("SELECT mpg_build(?)", (trace,)).fetchone()
        finally:
            db.close()

    def reader(self, **options):
        db = sqlite3.connect(self.path, timeout=0, isolation_level=None, **options)
        self.addCleanup(db.close)
        return db

    def test_a_reader_in_a_transaction(self):
        self.build(GOLDEN)
        reader, other = self.reader(), self.reader()
        reader.execute("BEGIN")
        before = reader.execute(CAPACITY).fetchone()
        self.build(FLEET)
        self.assertEqual(before, reader.execute(CAPACITY).fetchone())
        self.assertGreater(other.execute(CAPACITY).fetchone()[0], before[0])
        reader.execute("COMMIT")
        self.assertEqual(other.execute(CAPACITY).fetchone(), reader.execute(CAPACITY).fetchone())

    def test_readers_all_the_while(self):
        """With the patience that drivers have unless told otherwise (JDBC's 3 s), for connections come and go: each read sees one build or the
        other, whole."""
        self.build(GOLDEN)
        seen, failed, stop = set(), [], threading.Event()

        def read():
            while not stop.is_set():
                try:
                    db = sqlite3.connect(self.path, timeout=3)
                    seen.add(
                        db.execute(
                            "SELECT (SELECT sum(capacity_us) FROM ledger), (SELECT sum(capacity_us) FROM day_sums)"
                        ).fetchone()
                    )
                    db.close()
                except sqlite3.Error as error:
                    failed.append(str(error))

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for trace in (FLEET, GOLDEN, FLEET):
                self.build(trace, timeout=3000)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual([], failed)
        self.assertEqual({(ledger, ledger) for ledger, _ in seen}, seen)
        self.assertLessEqual(len(seen), 2)

    def test_two_builds(self):
        """One after the other, within the time that the second waits."""
        self.build(GOLDEN)
        holder = self.reader()
        holder.execute("BEGIN IMMEDIATE")
        with self.assertRaisesRegex(sqlite3.OperationalError, "mpg_build: database is locked"):
            self.build(FLEET)
        waiting = threading.Thread(target=self.build, args=(FLEET, 60000))
        waiting.start()
        holder.execute("COMMIT")
        waiting.join()
        self.assertEqual((315,), holder.execute("SELECT count(*) FROM jobs WHERE job NOT IN ('J1', 'J2')").fetchone())

    def test_journals(self):
        """WAL for SQLite's default; another that the connection has chosen stays."""
        self.build(GOLDEN)
        self.assertEqual(("wal",), self.reader().execute("PRAGMA journal_mode").fetchone())
        for mode in ("truncate", "persist"):
            db = connect(os.path.join(self.folder, mode + ".db"))
            db.execute(f"PRAGMA journal_mode = {mode}")
            db.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchone()
            self.assertEqual((mode,), db.execute("PRAGMA journal_mode").fetchone())
            db.close()

    def test_what_is_built_beside_the_first_reader(self):
        """Of a file that had another journal, whose reader sits in a transaction: an error that says so, and all is as it was."""
        old = sqlite3.connect(self.path)
        old.execute("CREATE TABLE other(x)")
        old.commit()
        old.execute("INSERT INTO other VALUES (1)")
        old.commit()
        old.execute("BEGIN")
        old.execute("SELECT * FROM other").fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "database is locked"):
            self.build(GOLDEN)
        old.rollback()
        self.build(GOLDEN)
        self.assertEqual([(1,)], old.execute("SELECT * FROM other").fetchall())
        old.close()


class StoredViews(unittest.TestCase):
    """What docs/bi.md says of views that a schema keeps."""

    def test_over_files(self):
        db = connect()
        db.execute(f"CREATE VIEW saved AS SELECT * FROM trace_rollup('{GOLDEN}')")
        with self.assertRaisesRegex(sqlite3.OperationalError, 'unsafe use of virtual table "trace_rollup"'):
            db.execute("SELECT * FROM saved")
        db.execute("DROP VIEW saved")
        db.execute(f"CREATE TEMP VIEW saved AS SELECT * FROM trace_rollup('{GOLDEN}')")
        self.assertEqual((1,), db.execute("SELECT count(*) FROM saved").fetchone())

    def test_over_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "v.db")
            db = connect(path)
            db.execute(
                "CREATE TABLE allocations AS SELECT 'j' AS job, 'p' AS pool, 2 AS chips, 0 AS start_time, 5 AS end_time"
            )
            db.execute("CREATE VIEW saved AS SELECT * FROM mpg_rollup WHERE grain = 'full'")
            self.assertEqual((1, 10 * 10**6), db.execute("SELECT count(*), sum(chip_us) FROM saved").fetchone())
            db.commit()
            db.close()
            plain = sqlite3.connect(path)
            with self.assertRaisesRegex(sqlite3.OperationalError, "no such table: main.mpg_rollup"):
                plain.execute(
                    "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c"
                ).fetchall()
            plain.close()


if __name__ == "__main__":
    unittest.main()
