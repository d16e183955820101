"""What earlier releases wrote, read by this one: states, and a database with tables, views, generated columns and indexes that use
the extension. fixtures/compat/VERSION is written once by each release: MPG_WRITE_RELEASE=1 tests/run test_release."""

import glob
import json
import os
import shutil
import sqlite3
import tempfile
import unittest

from fleets import ROOT, connect, quote
from test_fleets import RATIOS

COMPAT = os.path.join(ROOT, "fixtures", "compat")
MERGED = "SELECT hex(goodput_merge(state)), goodput(state), " + ", ".join(f"{f}(state)" for f in RATIOS) + " FROM "

# Groups of rows whose states are kept: sums that are small, fractions, beyond 64 bits, negative, nothing; and wide rows.
GROUPS = {
    "one": [("ideal", 1)],
    "every category": None,  # the golden fleet's ledger
    "fractions": [("idle", 0.1), ("idle", 0.2), ("ideal", 1e-300), ("lost", 123456789.125)],
    "beyond 64 bits": [("ideal", 2**63 - 1)] * 5 + [("idle", 2**62)] * 7,
    "negative": [("idle", -5), ("ideal", 7), ("queued", 9)],
    "cancelled": [("ideal", 5), ("ideal", -5)],
}
WIDE = [(100, 80, 60, 40), (10.5, 8, None, None), (7, 6, 5, None)]

# What a database of a user of the extension holds: that PRAGMA integrity_check computes anew, and views over it.
SCHEMA = """
PRAGMA page_size = 1024;
CREATE TABLE rows(name TEXT, category TEXT, chip_time);
CREATE TABLE wide(capacity, allocated, productive, ideal);
CREATE TABLE states(name TEXT PRIMARY KEY, state BLOB);
CREATE TABLE answers(name TEXT PRIMARY KEY, answer TEXT);
CREATE TABLE runs(name TEXT, chip TEXT, dtype TEXT, flops REAL, chips INT, at INT,
  size TEXT AS (job_size(chips)) STORED, day TEXT AS (time_bucket(at, 'day +02:00')) STORED, week TEXT AS (iso_week(at)) STORED,
  chart TEXT AS (bar(chips, 64, 20)) STORED);
CREATE INDEX runs_uuid ON runs(mpg_uuid('url', name));
CREATE VIEW merged AS SELECT hex(goodput_merge(state)) AS state, goodput(state) AS json FROM states;
CREATE VIEW ratios AS SELECT pool, mpg(category, chip_us) AS mpg, scheduling_goodput(category, chip_us) AS sg FROM mpg_rollup GROUP BY pool;
"""


def folders():
    found = sorted(glob.glob(COMPAT + "/*/"))
    if not found:
        raise AssertionError("no release in fixtures/compat")
    return found


def states_of(db, category_rows, wide_rows):
    """{name: state} of this release."""
    states = {}
    for name, rows in category_rows.items():
        db.execute("CREATE TEMP TABLE part(category, chip_time)")
        db.executemany("INSERT INTO part VALUES (?, ?)", rows)
        (states[name],) = db.execute("SELECT goodput_state(category, chip_time) FROM part").fetchone()
        db.execute("DROP TABLE temp.part")
    db.execute("CREATE TEMP TABLE part(capacity, allocated, productive, ideal)")
    db.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", wide_rows)
    (states["wide"],) = db.execute("SELECT goodput_state(capacity, allocated, productive, ideal) FROM part").fetchone()
    db.execute("DROP TABLE temp.part")
    return states


def write(folder):
    """What a release leaves behind."""
    os.makedirs(folder)
    db = connect(os.path.join(folder, "fleet.db"))
    db.executescript(SCHEMA)
    with open(os.path.join(ROOT, "schema", "fleet.sql"), encoding="utf-8") as file:
        db.executescript(file.read())
    for relation in ("capacity", "outages", "jobs", "allocations", "spans", "commits", "programs"):
        table = f"csv_trace({quote(os.path.join(ROOT, 'fixtures', 'golden', relation + '.csv'))})"
        for (record,) in db.execute(f"SELECT record FROM {table}").fetchall():
            values = {key: value for key, value in json.loads(record).items() if value not in (None, "")}
            db.execute(
                f"INSERT INTO {relation}({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                list(values.values()),
            )
    groups = dict(GROUPS, **{"every category": db.execute("SELECT category, chip_us FROM mpg_ledger").fetchall()})
    for name, rows in groups.items():
        db.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(name, *row) for row in rows])
    db.executemany("INSERT INTO wide VALUES (?, ?, ?, ?)", WIDE)
    db.executemany("INSERT INTO states VALUES (?, ?)", list(states_of(db, groups, WIDE).items()))
    for i, (chip, dtype) in enumerate(
        (("tpu-v4", None), ("TPU v5p", "int8"), ("NVIDIA H200", "fp8"), ("nvidia-a100-80-sxm4", "bf16"))
    ):
        db.execute(
            "INSERT INTO runs(name, chip, dtype, flops, chips, at) VALUES (?, ?, ?, ?, ?, ?)",
            (f"https://run/{i}", chip, dtype, 1e15 * (i + 1), 4**i, 1767571200 + i * 40000),
        )
    db.execute(
        "CREATE TABLE rollup AS SELECT * FROM mpg_rollup WHERE bucket_width = 10 ORDER BY job, category, cause, bucket, pool, attempt, chip_us"
    )
    for name, query in answers(db):
        db.execute("INSERT INTO answers VALUES (?, ?)", (name, json.dumps(db.execute(query).fetchall())))
    db.execute("VACUUM")
    db.close()


def answers(db):
    """(name, query) of everything that a database is asked."""
    for (name,) in db.execute("SELECT name FROM states ORDER BY name").fetchall():
        yield f"state {name}", f"{MERGED} states WHERE name = {quote(name)}"
    yield "all states", f"{MERGED} states"
    yield "merged", "SELECT * FROM merged"
    yield "ratios", "SELECT * FROM ratios ORDER BY pool"
    yield "runs", "SELECT * FROM runs ORDER BY name"
    yield "by uuid", "SELECT name FROM runs WHERE mpg_uuid('url', name) = mpg_uuid('url', 'https://run/2')"


class Release(unittest.TestCase):
    maxDiff = None

    def databases(self):
        for folder in folders():
            with self.subTest(os.path.basename(folder[:-1])), tempfile.TemporaryDirectory() as scratch:
                path = shutil.copy(folder + "fleet.db", scratch)
                db = connect(path)
                yield db
                db.close()

    @classmethod
    def setUpClass(cls):
        (version,) = connect().execute("SELECT mpg_version()").fetchone()
        cls.folder = os.path.join(COMPAT, version)
        if os.environ.get("MPG_WRITE_RELEASE") and not os.path.exists(cls.folder):
            write(cls.folder)

    def test_this_release_is_kept(self):
        self.assertTrue(os.path.exists(os.path.join(self.folder, "fleet.db")), "MPG_WRITE_RELEASE=1 writes it")

    def test_what_was_computed_then(self):
        """Generated columns and indexes over expressions hold what functions gave then, and SQLite computes it again."""
        for db in self.databases():
            self.assertEqual([("ok",)], db.execute("PRAGMA integrity_check").fetchall())
            before = db.execute("SELECT * FROM runs ORDER BY name").fetchall()
            self.assertEqual(4, len(before))
            db.execute("UPDATE runs SET chip = chip")
            self.assertEqual(before, db.execute("SELECT * FROM runs ORDER BY name").fetchall())
            db.execute("REINDEX")

    def test_answers(self):
        for db in self.databases():
            kept = dict(db.execute("SELECT name, answer FROM answers"))
            self.assertEqual(sorted(kept), sorted(name for name, _ in answers(db)))
            for name, query in answers(db):
                self.assertEqual(json.loads(kept[name]), json.loads(json.dumps(db.execute(query).fetchall())), name)

    def test_ledger(self):
        """The roll-up that was written into a table is that of the tables now."""
        for db in self.databases():
            names = [row[1] for row in db.execute("PRAGMA table_info(rollup)")]
            found = db.execute(f"SELECT {', '.join(names)} FROM mpg_rollup WHERE bucket_width = 10").fetchall()
            self.assertEqual(sorted(db.execute("SELECT * FROM rollup"), key=repr), sorted(found, key=repr))
            self.assertGreater(len(found), 20)

    def test_states(self):
        """Merged with states of this release they are the states of all rows; and the bytes are the same."""
        for db in self.databases():
            rows = {}
            for name, category, chip_time in db.execute("SELECT * FROM rows"):
                rows.setdefault(name, []).append((category, chip_time))
            wide = db.execute("SELECT * FROM wide").fetchall()
            now, then = states_of(db, rows, wide), dict(db.execute("SELECT name, state FROM states"))
            self.assertEqual(set(now), set(then))
            for name, state in then.items():
                other = [n for n in now if n != name]
                db.execute("CREATE TEMP TABLE mixed(state)")
                db.executemany("INSERT INTO mixed VALUES (?)", [(state,)] + [(now[n],) for n in other])
                mixed = db.execute(f"{MERGED} mixed").fetchone()
                db.execute("DELETE FROM mixed")
                db.executemany("INSERT INTO mixed VALUES (?)", [(s,) for s in now.values()])
                self.assertEqual(db.execute(f"{MERGED} mixed").fetchone(), mixed, name)
                db.execute("DROP TABLE mixed")
                if now[name][4:6] == state[4:6]:  # the same layout and definitions
                    self.assertEqual(now[name], state, name)

    def test_damage_is_seen(self):
        for db in self.databases():
            for name, state in db.execute("SELECT name, state FROM states").fetchall():
                for at in range(len(state)):
                    changed = state[:at] + bytes([state[at] ^ 0x10]) + state[at + 1 :]
                    with self.assertRaises(sqlite3.OperationalError, msg=f"{name}, byte {at}"):
                        db.execute("SELECT goodput(?)", (changed,)).fetchone()

    def test_plain_sqlite_reads_it(self):
        """Tables, without the extension."""
        for folder in folders():
            db = sqlite3.connect(f"file:{folder}fleet.db?mode=ro", uri=True)
            self.assertGreater(db.execute("SELECT count(*) FROM rollup").fetchone()[0], 20)
            self.assertEqual(4, len(db.execute("SELECT name, chip, flops FROM runs").fetchall()))
            db.close()


if __name__ == "__main__":
    unittest.main()
