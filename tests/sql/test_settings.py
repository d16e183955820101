"""Builds, imports and roll-ups under whatever a connection is set to, in whatever transaction, beside other connections: each answer is that of
a plain connection, or an error that says why there is none."""

import os
import random
import sqlite3
import threading
import unittest

from cases import Case
from fleets import ROOT, al, cap, connect, create_tables, fleet, job

GOLDEN, FLEET, EXPORTS = (os.path.join(ROOT, "fixtures", name) for name in ("golden", "fleet", "exports"))
ROLLUP = "SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1"
PRAGMAS = [
    "full_column_names = ON; short_column_names = OFF",
    "full_column_names = ON",
    "short_column_names = OFF",
    "recursive_triggers = ON",
    "case_sensitive_like = ON",
    "encoding = 'UTF-16le'",
    "encoding = 'UTF-16be'",
    "trusted_schema = OFF",
    "temp_store = MEMORY",
    "temp_store = FILE",
    "reverse_unordered_selects = ON",
    "legacy_alter_table = ON",
    "foreign_keys = ON",
    "automatic_index = OFF",
    "count_changes = ON",
    "empty_result_callbacks = ON",
    "ignore_check_constraints = ON",
    "secure_delete = ON",
    "journal_mode = OFF",
    "journal_mode = MEMORY",
    "journal_mode = PERSIST",
    "locking_mode = EXCLUSIVE",
    "page_size = 512",
    "auto_vacuum = FULL",
    "cache_size = 1",
    "mmap_size = 100000000",
    "synchronous = OFF",
    "read_uncommitted = ON",
    "cache_spill = OFF",
    "wal_autocheckpoint = 1",
    "journal_size_limit = 0",
]
SETTINGS = {
    "offset": [None, "+02:00", "-11:30", "Z"],
    "sizes": [None, "1,2,3", "16,64,128"],
    "as_of": [None, "2026-01-08", "2026-01-06T12:00:00Z"],
    "basis": [None, "in_service"],
    "roofline": [None, "memory"],
    "labels": [None, "tier", "tier,project"],
}


def content(db):
    """All rows of all tables and views of the database."""
    names = [
        name
        for name, in db.execute(
            "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name <> 'mpg_config'"
        )
    ]
    return {name: sorted(map(repr, db.execute(f'SELECT * FROM main."{name}"'))) for name in names}


class Settings(Case):
    @classmethod
    def setUpClass(cls):
        cls.built = {}
        for path in (GOLDEN, EXPORTS):
            db = connect()
            db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            cls.built[path] = content(db)
            db.close()

    def test_pragmas(self):
        wanted = self.rows(ROLLUP.replace("mpg_rollup", "trace_rollup(?)"), GOLDEN)
        for pragma in PRAGMAS:
            with self.subTest(pragma):
                for path, times in ((GOLDEN, 2), (EXPORTS, 1)):
                    db = connect(os.path.join(self.new_folder(), "fleet.db"))
                    for statement in pragma.split(";"):
                        db.execute("PRAGMA " + statement).fetchall()
                    for _ in range(times):
                        db.execute("SELECT mpg_build(?)", (path,)).fetchall()
                        self.assertEqual(self.built[path], content(db))
                    self.assertEqual([("ok",)], db.execute("PRAGMA integrity_check").fetchall())
                    db.close()
                db = connect()
                for statement in pragma.split(";"):
                    db.execute("PRAGMA " + statement).fetchall()
                before = [
                    db.execute(f"PRAGMA {name}").fetchall()
                    for name in ("full_column_names", "short_column_names", "foreign_keys")
                ]
                db.execute("SELECT mpg_import(?)", (GOLDEN,)).fetchall()
                self.assertEqual(
                    before,
                    [
                        db.execute(f"PRAGMA {name}").fetchall()
                        for name in ("full_column_names", "short_column_names", "foreign_keys")
                    ],
                )
                self.assertEqual(wanted, db.execute(ROLLUP).fetchall())
                db.close()

    def test_questions_find_their_columns(self):
        """Or say which setting is in the way."""
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        self.db.execute("PRAGMA full_column_names = ON")
        self.rows("SELECT * FROM mpg_bad_nodes")
        self.db.execute("PRAGMA short_column_names = OFF")
        self.fails(
            "mpg_bad_nodes: expected PRAGMA short_column_names = ON beside full_column_names, found OFF",
            "SELECT * FROM mpg_bad_nodes",
        )

    def test_what_may_not_be_written(self):
        path = os.path.join(self.new_folder(), "fleet.db")
        db = connect(path)
        db.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchall()
        wanted = db.execute(ROLLUP).fetchall()
        db.execute("PRAGMA query_only = ON")
        with self.assertRaisesRegex(sqlite3.OperationalError, "^mpg_build: attempt to write a readonly database$"):
            db.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchall()
        db.close()
        for uri in (f"file:{path}?mode=ro", f"file:{path}?immutable=1"):
            db = sqlite3.connect(uri, uri=True, isolation_level=None)
            db.enable_load_extension(True)
            db.load_extension(os.path.join(ROOT, "mpg"))
            with self.assertRaisesRegex(sqlite3.OperationalError, "^mpg_build: attempt to write a readonly database$"):
                db.execute("SELECT mpg_build(?)", (FLEET,)).fetchall()
            self.assertEqual(wanted, db.execute(ROLLUP).fetchall())
            self.assertGreater(len(db.execute("SELECT * FROM mpg_top_jobs").fetchall()), 0)
            db.close()

    def test_an_authorizer(self):
        """That forbids an action makes an error of it; one that ignores BEGIN leaves the tables as they were."""
        self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
        self.db.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_IGNORE if action == sqlite3.SQLITE_TRANSACTION else sqlite3.SQLITE_OK
        )
        self.fails("mpg_build: expected a transaction, but an authorizer ignores BEGIN", "SELECT mpg_build(?)", FLEET)
        for action in (
            sqlite3.SQLITE_DROP_TABLE,
            sqlite3.SQLITE_CREATE_TEMP_TABLE,
            sqlite3.SQLITE_ALTER_TABLE,
            sqlite3.SQLITE_INSERT,
        ):
            self.db.set_authorizer(
                lambda did, *_, action=action: sqlite3.SQLITE_DENY if did == action else sqlite3.SQLITE_OK
            )
            self.assertRegex(self.error("SELECT mpg_build(?)", FLEET), "^mpg_build: .*(not authorized|prohibited)")
            self.assertFalse(self.db.in_transaction)
            self.db.set_authorizer(None)
            self.assertEqual(self.built[GOLDEN], content(self.db))

    def test_settings_of_a_build_that_change(self):
        """A build of the same files with other settings makes what a new file has of them."""
        for seed in range(6 if os.environ.get("MPG_FULL") else 3):
            rng, path, settings = random.Random(seed), [GOLDEN, EXPORTS][seed % 2], {}
            self.db = connect()
            for _ in range(3):
                settings |= {name: rng.choice(SETTINGS[name]) for name in rng.sample(list(SETTINGS), 3)}
                once = connect()
                for db in (self.db, once):
                    db.execute("CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT)")
                    db.execute("DELETE FROM mpg_config")
                    db.executemany(
                        "INSERT INTO mpg_config VALUES (?, ?)", [setting for setting in settings.items() if setting[1]]
                    )
                    db.execute("SELECT mpg_build(?)", (path,)).fetchall()
                self.assertEqual(content(once), content(self.db), (seed, settings))
                once.close()


class Transactions(Case):
    def test_an_import(self):
        """Is undone with the transaction that it is in, and what is changed after it with a savepoint."""
        wanted = self.rows(ROLLUP.replace("mpg_rollup", "trace_rollup(?)"), GOLDEN)
        for begin, undo in (("BEGIN", "ROLLBACK"), ("SAVEPOINT a", "ROLLBACK TO a; RELEASE a")):
            self.db.execute(begin)
            self.db.execute("SELECT mpg_import(?)", (GOLDEN,))
            self.assertEqual(wanted, self.rows(ROLLUP))
            self.db.execute("SAVEPOINT b")
            self.db.execute("DELETE FROM temp.allocations")
            self.assertNotEqual(wanted, self.rows(ROLLUP))
            self.db.execute("ROLLBACK TO b")
            self.assertEqual(wanted, self.rows(ROLLUP))
            for statement in undo.split(";"):
                self.db.execute(statement)
            self.assertEqual([], self.rows("SELECT name FROM temp.sqlite_schema"))
            self.assertIn("found none", self.error(ROLLUP))

    def test_a_build_needs_its_own(self):
        for begin in ("BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT a"):
            self.db.execute(begin)
            self.fails(
                "mpg_build: expected no open transaction, for it begins one: COMMIT first; a driver that begins one by itself needs its autocommit on",
                "SELECT mpg_build(?)",
                GOLDEN,
            )
            self.assertTrue(self.db.in_transaction)
            self.db.execute("ROLLBACK")
        self.assertEqual([], self.rows("SELECT name FROM sqlite_schema"))

    def test_answers_follow_what_is_undone(self):
        """Also of another connection, and not before what it sees has changed."""
        path = os.path.join(self.new_folder(), "fleet.db")
        one, two = connect(path), connect(path)
        create_tables(one, fleet(cap(4, 0, 100), job("j"), al(1, 0, 50)))
        held = {n: [("idle", (400 - 50 * n) * 10**6), ("untraced", 50 * n * 10**6)] for n in (1, 2, 3, 4)}
        change = "UPDATE allocations SET chips = ?"
        self.assertEqual((held[1], held[1]), (one.execute(ROLLUP).fetchall(), two.execute(ROLLUP).fetchall()))
        one.execute("BEGIN")
        one.execute(change, (2,))
        self.assertEqual((held[2], held[1]), (one.execute(ROLLUP).fetchall(), two.execute(ROLLUP).fetchall()))
        one.execute("SAVEPOINT s")
        one.execute(change, (3,))
        self.assertEqual(held[3], one.execute(ROLLUP).fetchall())
        one.execute("ROLLBACK TO s")
        self.assertEqual(held[2], one.execute(ROLLUP).fetchall())
        one.execute("ROLLBACK")
        self.assertEqual(held[1], one.execute(ROLLUP).fetchall())
        self.assertEqual(("wal",), one.execute("PRAGMA journal_mode = WAL").fetchone())
        two.execute("BEGIN")
        self.assertEqual(held[1], two.execute(ROLLUP).fetchall())
        one.execute(change, (4,))
        self.assertEqual((held[4], held[1]), (one.execute(ROLLUP).fetchall(), two.execute(ROLLUP).fetchall()))
        two.execute("COMMIT")
        self.assertEqual(held[4], two.execute(ROLLUP).fetchall())
        one.close()
        two.close()

    def test_several_build_at_once(self):
        """One waits for the other; what is there in the end is that of all."""
        path, failed = os.path.join(self.new_folder(), "fleet.db"), []

        def build(trace):
            db = connect(path)
            db.execute("PRAGMA busy_timeout = 60000")
            try:
                db.execute("SELECT mpg_build(?)", (trace,)).fetchall()
            except sqlite3.Error as error:
                failed.append((trace, str(error)))
            db.close()

        for _ in range(2 if os.environ.get("MPG_FULL") else 1):
            threads = [threading.Thread(target=build, args=(trace,)) for trace in (GOLDEN, FLEET, EXPORTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([], failed)
        for trace in (GOLDEN, FLEET, EXPORTS):
            self.db.execute("SELECT mpg_build(?)", (trace,))
        db, sums = connect(path), "SELECT pool, job, category, sum(chip_us) FROM ledger GROUP BY 1, 2, 3"
        self.assertEqual(self.rows(sums), db.execute(sums).fetchall())
        self.assertEqual([("ok",)], db.execute("PRAGMA integrity_check").fetchall())
        db.close()

    def test_beside_attached_databases(self):
        """Of the same tables: a build writes its own alone, and reads no other."""
        path = os.path.join(self.new_folder(), "other.db")
        other = connect(path)
        other.execute("SELECT mpg_build(?)", (FLEET,)).fetchall()
        wanted = content(other)
        other.close()
        self.db.execute("ATTACH ? AS other", (path,))
        for _ in range(2):
            self.db.execute("SELECT mpg_build(?)", (GOLDEN,))
            once = connect()
            once.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchall()
            self.assertEqual(content(once), content(self.db))
            once.close()
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) FROM other.ledger GROUP BY 1"),
            self.rows("SELECT category, sum(chip_us) FROM mpg_rollup('other') GROUP BY 1"),
        )
        self.db.execute("DETACH other")
        other = connect(path)
        self.assertEqual(wanted, content(other))
        other.close()


if __name__ == "__main__":
    unittest.main()
