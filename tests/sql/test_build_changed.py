"""mpg_build makes the rows of those jobs and days alone anew that it accounts otherwise than the build before: the tables are those of a build that makes all anew.

A file keeps what was accounted of each job in mpg_accounted. Small files have no such table, and all is made anew there: here the same is
built twice, with and without the table.
"""

import os
import random
import unittest

from cases import Case
from fleets import connect, write_jsonl
from random_fleets import odd_fleet

FULL = bool(os.environ.get("MPG_FULL"))
KEPT = "CREATE TABLE mpg_accounted(kind TEXT, name TEXT, day BIGINT, digest BIGINT, PRIMARY KEY (kind, name, day)) WITHOUT ROWID"
MADE = ("ledger", "waits", "attempts", "job_labels", "runs", "program_ledger", "day_sums", "pool_sums", "job_sums")


def many_jobs(seed, parts=6):
    """The jobs of several odd fleets, in the same pools, over some hours, days or weeks."""
    rng = random.Random(seed)
    slower, origin, found, part = rng.choice([1, 700, 9000]), None, {}, 0
    while part < parts:
        relations, _ = odd_fleet(rng.randrange(10**6))
        times = [row[name] for rows in relations.values() for row in rows for name in row if name.endswith("_time")]
        first = 0 if min((time for time in times if time is not None), default=0) < 1e9 else 1700000000
        origin = first if origin is None else origin
        if origin != first:
            continue
        for name, rows in relations.items():
            for row in rows:
                row = {
                    key: value
                    if value is None or not key.endswith("_time")
                    else round(origin + (value - origin) * slower, 6)
                    for key, value in row.items()
                }
                if "job" in row:
                    row["job"] = f"{part}-{row['job']}"
                if name == "jobs" and rng.random() < 0.5:
                    row["labels"] = '{"team": "%s", "tier": "%s"}' % (rng.choice("ab"), rng.choice("xyz"))
                found.setdefault(name, []).append(row)
        part += 1
    return found


def changed(relations, rng):
    """The same after some records of a few jobs, or of pools, went, came or changed."""
    jobs = sorted({row["job"] for rows in relations.values() for row in rows if "job" in row})
    some = set(rng.sample(jobs, min(len(jobs), rng.choice([0, 1, 1, 2, 3]))))
    found = {}
    for name, rows in relations.items():
        found[name] = kept = []
        for row in rows:
            mine = row["job"] in some if "job" in row else rng.random() < 0.03
            if mine and rng.random() < 0.1:
                continue
            row = dict(row)
            if mine and rng.random() < 0.3:
                if row.get("end_time") is not None:
                    row["end_time"] = rng.choice([None, row["end_time"] + rng.choice([1, 5000])])
                elif name == "jobs":
                    row["owner"] = rng.choice(["zoe", "zed"])
                    row["labels"] = rng.choice([None, '{"team": "c"}', '{"tier": "w", "n": 1}'])
                elif name == "programs" and row.get("flops") is not None:
                    row["flops"] *= 2
            kept.append(row)
    return found


class Changed(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()
        self.partly = self.anew = 0

    def open(self, keeps):
        db = connect(":memory:")
        db.isolation_level = None
        self.addCleanup(db.close)
        if keeps:
            db.execute(KEPT)
        return db

    def build(self, db, path=None):
        """Builds, and says whether a part of the tables was made."""
        statements = []
        db.set_trace_callback(statements.append)
        db.execute("SELECT mpg_build(?)", (path or self.folder,)).fetchall()
        db.set_trace_callback(None)
        self.assertEqual([], db.execute("SELECT name FROM temp.sqlite_schema").fetchall())
        made = [text for text in statements if "INSERT INTO main.ledger(" in text]
        anew = any("DROP TABLE IF EXISTS main.ledger" in text for text in statements)
        self.partly += bool(made) and not anew
        self.anew += bool(made) and anew
        return bool(made) and not anew

    def tables(self, db):
        """All that a build leaves, but for what it keeps beside."""
        names = [
            name
            for (name,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name <> 'mpg_accounted' ORDER BY 1"
            )
        ]
        found = {
            name: sorted(db.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in names
            if name != "mpg_columns"
        }
        found["mpg_columns"] = sorted(
            row
            for row in db.execute("SELECT * FROM mpg_columns WHERE table_name <> 'mpg_accounted'").fetchall()
            if row[1]
        )
        found["schema"] = sorted(
            (name, str(text))
            for name, text in db.execute("SELECT name, sql FROM sqlite_schema")
            if "mpg_accounted" not in name
        )
        return found

    def same(self, one, other, *of):
        one, other = self.tables(one), self.tables(other)
        for name, rows in other.items():
            self.assertEqual(rows, one[name], (name, *of))
        self.assertEqual(set(one), set(other))

    def set(self, db, settings):
        db.execute("CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT)")
        db.executemany("INSERT OR REPLACE INTO mpg_config VALUES (?, ?)", settings)

    SETTINGS = (
        ("offset", "+05:30"),
        ("offset", "-03:00"),
        ("labels", "tier"),
        ("sizes", "2,4,8"),
        ("basis", "in_service"),
    )

    def test_whatever_changes(self):
        """Records of a few jobs or of pools, now and then a setting, and rows that somebody deleted or changed by hand."""
        for seed in range(400 if FULL else 8):
            rng = random.Random(seed)
            relations = many_jobs(seed)
            dbs = [self.open(True), self.open(False)]
            for nth in range(5):
                settings = rng.sample(self.SETTINGS, 1) if rng.random() < (0.1 if nth else 0.5) else []
                table, by_hand = rng.choice(MADE), nth > 0 and rng.random() < 0.2
                write_jsonl(self.folder, relations, rng=rng)
                for db in dbs:
                    self.set(db, settings)
                    if by_hand:
                        column = {"day_sums": "day", "pool_sums": "pool"}.get(table, "job")
                        db.execute(f"DELETE FROM {table} WHERE {column} = (SELECT max({column}) FROM {table})")
                    self.build(db)
                self.same(*dbs, seed, nth, settings, by_hand and table)
                relations = changed(relations, rng)
            for db in dbs:
                db.close()
        self.assertGreater(self.partly, 8)

    def grow(self, n, moved=()):
        """A cluster of n jobs, an hour each, on one of two pools; those that moved ran later."""
        lines = [
            "JobIDRaw|JobName|Cluster|User|Account|Partition|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList"
        ]
        for i in range(n):
            start = 1795240000 + 3000 * i + 777 * (i in moved)
            lines.append(
                f"{i}|n{i}|c|u{i % 3}|a{i % 2}|p{i % 2}|COMPLETED|{start - 600}|{start}|{start + 3600}|1|gres/gpu=8|gres/gpu=8|n1"
            )
        with open(os.path.join(self.folder, "sacct.psv"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def test_other_rows_stay(self):
        """With what users have made: indexes, views, rows that refer to them."""
        dbs = [self.open(True), self.open(False)]
        self.grow(40)
        for db in dbs:
            self.build(db)
            db.execute("CREATE INDEX mine ON waits(job)")
            db.execute("CREATE VIEW mine_too AS SELECT pool, sum(chip_us) AS us FROM cells GROUP BY pool")
            db.execute("CREATE TABLE notes(job REFERENCES job_sums(job) ON DELETE CASCADE, said)")
            db.execute("INSERT INTO notes SELECT job, 'x' FROM job_sums")
        before = dbs[0].execute("SELECT rowid, * FROM ledger WHERE job < '30' ORDER BY rowid").fetchall()
        for n, moved, part in ((40, (), False), (41, (), True), (44, (39,), True), (44, (38,), True), (40, (), True)):
            self.grow(n, moved)
            self.assertEqual([part, False], [self.build(db) for db in dbs], (n, moved))
            self.same(*dbs, n, moved)
            self.assertEqual(
                before, dbs[0].execute("SELECT rowid, * FROM ledger WHERE job < '30' ORDER BY rowid").fetchall()
            )

    IN_THE_WAY = (
        "ALTER TABLE ledger ADD COLUMN note TEXT",
        "ALTER TABLE job_sums ADD COLUMN note TEXT DEFAULT 'x'",
        "ALTER TABLE waits DROP COLUMN chip_hours",
        "ALTER TABLE attempts RENAME COLUMN held_us TO was",
        "CREATE UNIQUE INDEX mine ON job_sums(job, name)",
        "CREATE TRIGGER seen AFTER INSERT ON runs BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER seen AFTER DELETE ON main.waits BEGIN SELECT 1; END",
        "DROP TABLE waits",
        "DROP VIEW cells",
        "DROP INDEX ledger_by_job",
        "INSERT INTO mpg_config VALUES ('sizes', '2,4,8')",
        "INSERT INTO mpg_config VALUES ('labels', 'partition')",
        "INSERT INTO chips(chip, dtype, peak_flops) VALUES ('mine', 'bf16', 1e12)",
        "DELETE FROM mpg_built",
        "UPDATE mpg_built SET made_of = made_of || ' '",
        "DELETE FROM mpg_accounted WHERE kind = 'built'",
        "DELETE FROM mpg_accounted",
        "UPDATE ledger SET chip_us = chip_us + 1 WHERE job = '3'",
        "DELETE FROM ledger WHERE job IS NULL",
        "UPDATE waits SET chip_us = 1 WHERE job = '3'",
        "UPDATE attempts SET held_us = 1 WHERE job = '3'",
        "UPDATE runs SET lost_us = 1 WHERE job = '3'",
        "UPDATE job_sums SET allocated_us = 1, capacity_us = 1 WHERE job = '3'",
        *(
            f"DELETE FROM {table} WHERE job = '3'"
            for table in MADE
            if table not in ("day_sums", "pool_sums", "program_ledger")
        ),
    )

    def test_what_is_in_the_way(self):
        """Then all is made anew, as ever; and the next build makes a part again, unless it is a user's that is still there."""
        self.grow(20)
        built = [self.open(True), self.open(False)]
        for db in built:
            self.build(db)
        for statement in self.IN_THE_WAY:
            dbs = [self.open(False), self.open(False)]
            for first, db in zip(built, dbs):
                first.backup(db)
                if "mpg_accounted" not in statement or db is dbs[0]:
                    db.execute(statement)
            self.grow(21)
            for db in dbs:
                self.assertFalse(
                    self.build(db) and "ledger WHERE job IS NULL" not in statement, statement
                )  # they change now
            self.same(*dbs, statement)
            if any(word in statement for word in ("ADD COLUMN", "UNIQUE", "TRIGGER", "DROP", "chip_us")):
                self.grow(22)
                stays = any(word in statement for word in ("ADD COLUMN", "UNIQUE", "CREATE TRIGGER"))
                self.assertEqual([not stays, False], [self.build(db) for db in dbs], statement)
                self.same(*dbs, statement)

    def test_a_file_that_has_no_digests_yet(self):
        """As an earlier version leaves it: it gets them once it has many records, and from then on a part is made."""
        db = self.open(False)
        for n, part in ((5, False), (10050, False), (10051, True)):
            self.grow(n)
            self.assertEqual(part, self.build(db))
        kept = "SELECT kind, count(*) FROM mpg_accounted WHERE kind IN ('built', 'job') GROUP BY 1"
        self.assertEqual([("built", 1), ("job", 10051)], db.execute(kept).fetchall())
        db.execute("DROP TABLE mpg_accounted")
        self.grow(10052)
        self.assertFalse(self.build(db))
        self.assertEqual([("built", 1), ("job", 10052)], db.execute(kept).fetchall())


if __name__ == "__main__":
    unittest.main()
