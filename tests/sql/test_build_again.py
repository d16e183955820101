"""mpg_build of the same folder again, whatever became of its files: the tables have the spans of the files, and the ledger is theirs.

A build passes over the spans that the tables have. If they hold what it read and nothing else, it accounts what it read. mpg_rollup and
mpg_runs over the tables alone say what is right.
"""

import json
import os
import random
import re
import shutil
import sqlite3
import unittest

from cases import Case
from fleets import ROOT, connect, write_jsonl
from random_fleets import odd_fleet

FULL = bool(os.environ.get("MPG_FULL"))
SEEDS = 2000 if FULL else 15
LEDGER = "bucket, pool, chip, job, attempt, name, owner, phase, size, category, cause, sum(chip_us) FROM mpg_rollup WHERE bucket_width = '1 hour' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
BUILT = "hour, pool, chip, job, attempt, name, owner, phase, size, category, cause, sum(chip_us) FROM ledger GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
MISSING = "SELECT id FROM trace_records(?) WHERE record = 'spans' AND end_time NOT NULL EXCEPT SELECT id FROM spans"
RUNS = "job, attempt, sum(held_us), sum(productive_us), sum(lost_us) FROM mpg_runs GROUP BY 1, 2"
ATTEMPTS = "job, attempt, held_us, productive_us, lost_us FROM attempts"


def changed(relations, rng):
    """The fleet after somebody worked on its files: records that are gone, that are there twice, that say something else."""
    found, lost = {}, rng.choice([0, 0.05])
    for name, rows in relations.items():
        rows = [dict(row) for row in rows if rng.random() > lost]
        if name in ("spans", "commits") and rows and rng.random() < 0.5:
            rows += rng.sample(rows, min(2, len(rows)))
        for row in rng.sample(rows, min(len(rows), 1 if name == "jobs" else rng.choice([0, 0, 1]))):
            if row.get("end_time") is not None:
                row["end_time"] = rng.choice([None, row["end_time"] + 1])
            elif row.get("owner") is not None:
                row["owner"] = rng.choice(["0" + row["owner"], row["owner"] + "2"])  # of two the greater stays
        found[name] = rows
    return found


def bytes_read():
    """By this process so far, from any file."""
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.readline().split()[1])


class Again(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()
        self.database = os.path.join(self.new_folder(), "fleet.db")
        self.read_back = {False: 0, True: 0}  # builds that took the fleet of the files, and that read the tables

    def build(self, relations, rng):
        write_jsonl(self.folder, relations, rng=rng)
        db, statements = connect(self.database), []
        db.isolation_level = None
        db.set_trace_callback(statements.append)
        db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()
        self.read_back[any(re.search(r'FROM "main"\."spans" NOT INDEXED', statement) for statement in statements)] += 1
        db.close()

    def check(self, *of):
        db = connect(self.database)
        self.assertEqual([], db.execute(MISSING, (self.folder,)).fetchall(), of)
        built = [sorted(db.execute("SELECT " + sql), key=repr) for sql in (BUILT, ATTEMPTS)]
        self.assertEqual([sorted(db.execute("SELECT " + sql), key=repr) for sql in (LEDGER, RUNS)], built, of)
        db.close()

    def test_whatever_becomes_of_the_files(self):
        for seed in range(SEEDS):
            rng = random.Random(seed)
            relations, _ = odd_fleet(seed)
            if os.path.exists(self.database):
                os.remove(self.database)
            for nth in range(4):
                self.build(relations, rng)
                self.check(seed, nth)
                if rng.random() < 0.6:
                    relations = changed(relations, rng)
        self.assertGreater(min(self.read_back.values()), SEEDS // 2, self.read_back)

    def test_issues_are_those_of_the_build(self):
        """Of what the connection read before nothing, but of TEMP tables and what was listed of them."""
        other = os.path.join(self.new_folder(), "allocations.jsonl")
        with open(other, "w", encoding="utf-8") as file:
            file.write(
                '{"record": "allocation", "job": "x", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9, "odd": 1}\n'
            )
        golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/golden")
        db = connect()
        db.execute("SELECT count(*) FROM trace_rollup(?)", (other,)).fetchall()
        db.execute("SELECT mpg_build(?)", (golden,)).fetchall()
        self.assertEqual([], db.execute("SELECT * FROM issues").fetchall())
        self.assertIn(
            ("unknown_column",), db.execute("SELECT kind FROM mpg_issues WHERE source = ?", (other,)).fetchall()
        )
        for _ in range(2):
            db.execute("SELECT mpg_build(?)", (other,)).fetchall()
            self.assertIn((other, "unknown_column", 1), db.execute("SELECT source, kind, count FROM issues").fetchall())
        db.execute("SELECT mpg_build(?)", (golden,)).fetchall()
        self.assertEqual({"main"}, {source for source, in db.execute("SELECT source FROM issues")})
        db.execute("SELECT mpg_import(?)", (other,)).fetchall()
        db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertIn((other, "unknown_column", 1), db.execute("SELECT source, kind, count FROM issues").fetchall())

    CHANGES = {  # of what the tables are made of, and whether files and tables tell the same after the next build
        "INSERT INTO mpg_config VALUES ('offset', '+02:00')": True,
        "UPDATE mpg_config SET value = '+03:00' WHERE name = 'offset'": True,
        "INSERT INTO mpg_config VALUES ('labels', 'tier')": True,
        "DELETE FROM mpg_config": True,
        "INSERT INTO chips(chip, dtype, peak_flops) VALUES ('a chip of mine', 'bf16', 1e12)": True,
        "UPDATE chips SET peak_flops = 2e12 WHERE chip = 'a chip of mine'": True,
        "DELETE FROM chips WHERE chip = 'a chip of mine'": True,
        "DELETE FROM allocations WHERE id = (SELECT min(id) FROM allocations)": True,
        "DELETE FROM spans WHERE id = (SELECT min(id) FROM spans)": True,
        "INSERT INTO capacity(id, pool, chips, start_us, end_us) VALUES (1, 'mine', 1, 0, 1)": False,
        "DELETE FROM capacity WHERE id = 1": True,
        "DROP TABLE waits": True,
        "DROP VIEW goodput_by_day": True,
        "DROP INDEX ledger_by_job": True,
        "ALTER TABLE ledger ADD COLUMN note TEXT": False,
        "DELETE FROM mpg_built": False,
        "UPDATE jobs SET owner = 'somebody' WHERE job = (SELECT min(job) FROM jobs)": False,
        "UPDATE allocations SET outcome = 'timeout' WHERE id = (SELECT min(id) FROM allocations)": False,
    }

    def open(self):
        db = connect(self.database)
        db.isolation_level = None
        self.addCleanup(db.close)
        return db

    def is_left(self, db):
        """Builds the folder, and says whether a sum still has the mark that we put there."""
        db.execute("UPDATE day_sums SET ideal_us = -7 WHERE day = (SELECT min(day) FROM day_sums)")
        added = json.loads(db.execute("SELECT mpg_build(?)", (self.folder,)).fetchone()[0])
        self.assertEqual([], db.execute("SELECT name FROM temp.sqlite_schema").fetchall())
        left = db.execute("SELECT count(*) FROM day_sums WHERE ideal_us = -7").fetchone() == (1,)
        self.assertFalse(left and any(added.values()))
        return left

    def test_a_build_of_nothing_new_leaves_the_tables_as_they_are(self):
        """And makes them anew after any change of what they are made of, by whomever. What the files are matters for their records alone."""
        of_records = re.compile("(INTO|FROM|UPDATE) (allocations|spans|capacity|jobs)[ (]")
        stored = "SELECT source, kind, line, count FROM issues ORDER BY 1, 2, 3, 4"
        listed = "SELECT source, kind, line, count FROM mpg_issues ORDER BY 1, 2, 3, 4"
        for fixture in ("golden", "exports", "kube"):
            shutil.copytree(os.path.join(ROOT, "fixtures", fixture), self.folder, dirs_exist_ok=True)
            if os.path.exists(self.database):
                os.remove(self.database)
            db = self.open()
            db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()
            issues = [db.execute(sql).fetchall() for sql in (stored, listed)]
            sums = db.execute("SELECT job, held_us, ideal_us FROM job_sums ORDER BY 1").fetchall()
            db = self.open()
            self.assertTrue(self.is_left(db), fixture)
            self.assertEqual(issues, [db.execute(sql).fetchall() for sql in (stored, listed)])
            for change, alike in self.CHANGES.items():
                if fixture != "golden" and not FULL and not of_records.search(change):
                    continue
                changes = db.total_changes
                db.execute(change)
                if db.total_changes > changes or change.startswith(("ALTER", "DROP")):
                    self.assertFalse(self.is_left(db), (fixture, change))
                    self.assertEqual(alike or change.endswith("mpg_built"), self.is_left(db), (fixture, change))
                if change.startswith("ALTER"):
                    self.assertEqual(
                        sums, db.execute("SELECT job, held_us, ideal_us FROM job_sums ORDER BY 1").fetchall()
                    )
                    db.execute("ALTER TABLE ledger DROP COLUMN note")
            shutil.rmtree(self.folder)
            os.mkdir(self.folder)

    def test_a_folder_is_read_once(self):
        """A scheduler's jobs alone have no spans: whoever asks for them asks all the same reading."""
        jobs = [f"{n}|{n}|gpu|job{n}|COMPLETED|{1000 + n}|{1000 + n}|{2000 + n}|1|gres/gpu=8" for n in range(1, 4001)]
        head = "JobID|JobIDRaw|Partition|JobName|State|Submit|Start|End|NNodes|AllocTRES"
        swf = [f"{n} {n} 1 1000 8 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1" for n in range(1, 6001)]
        for name, lines in ("sacct.psv", [head, *jobs]), ("log.swf", ["; Version: 2.2", "; UnixStartTime: 1000", *swf]):
            folder = self.new_folder()
            path, db = os.path.join(folder, name), connect()
            for part in 0.5, 1, 1:  # of the log, which grows, and then does not
                with open(path, "w", encoding="ascii") as file:
                    file.write("\n".join(lines[: int(part * len(lines))]) + "\n")
                before = bytes_read()
                db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
                self.assertLess(bytes_read() - before, 1.5 * os.path.getsize(path), (name, part))
            db.close()

    def test_rows_of_the_ledger_that_are_gone(self):
        """What somebody deleted or changed by hand the next build of the same files makes anew."""
        path = os.path.join(ROOT, "fixtures", "golden")
        self.rows("SELECT mpg_build(?)", path)
        wanted = self.rows(f"SELECT {BUILT} ORDER BY 1, 2, 4, 11, 12")
        for change in (
            "DELETE FROM ledger WHERE category = 'idle'",
            "UPDATE ledger SET chip_us = 1 WHERE category = 'ideal'",
            "DELETE FROM ledger",
            "DELETE FROM day_sums",
        ):
            self.db.execute(change)
            self.rows("SELECT mpg_build(?)", path)
            self.assertEqual(wanted, self.rows(f"SELECT {BUILT} ORDER BY 1, 2, 4, 11, 12"), change)
            self.assertLess(0, self.one("SELECT count(*) FROM day_sums"), change)

    def test_a_setting_that_is_there_twice(self):
        path = os.path.join(ROOT, "fixtures", "golden")
        self.rows("SELECT mpg_build(?)", path)
        self.db.executescript(
            "DROP TABLE mpg_config; CREATE TABLE mpg_config(name, value);"
            "INSERT INTO mpg_config VALUES ('offset', '+02:00'), ('offset', '+03:00')"
        )
        self.fails(
            "mpg_build: mpg_config: expected each name once, found 'offset' 2 times", "SELECT mpg_build(?)", path
        )

    def test_after_a_job_that_files_told_otherwise(self):
        """What they tell since then is what the tables have: a further build leaves them."""
        shutil.copytree(os.path.join(ROOT, "fixtures", "golden"), self.folder, dirs_exist_ok=True)
        db = self.open()
        db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()
        for name, was, now in (("jobs.csv", "ada,training", "alan,training"), ("programs.csv", "bf16", "fp16")):
            path = os.path.join(self.folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertIn(was, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(was, now))
            self.assertFalse(self.is_left(db), name)
            self.assertTrue(self.is_left(db), name)
        self.assertEqual([("alan",), ("grace",)], db.execute("SELECT owner FROM jobs").fetchall())

    def test_issues_of_a_build_of_nothing_new(self):
        shutil.copytree(os.path.join(ROOT, "fixtures", "golden"), self.folder, dirs_exist_ok=True)
        db = self.open()
        db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()
        notes = os.path.join(self.folder, "jobs.csv.bak")
        of_notes = "SELECT source, kind, count FROM {} WHERE source LIKE '%.bak'"
        with open(notes, "w", encoding="utf-8") as file:
            file.write("nothing that is a trace\n")
        for there in (True, False):
            self.assertTrue(self.is_left(db))
            found = db.execute(of_notes.format("issues")).fetchall()
            self.assertEqual(there, bool(found))
            self.assertEqual(found, db.execute(of_notes.format("mpg_issues")).fetchall())
            if there:
                os.remove(notes)

    def test_an_import_beside_its_path(self):
        """TEMP tables that were imported from the path count with it once; of jobs that were changed in them both count, which is listed."""
        for folder in ("golden", "exports", "fleet"):
            path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures", folder)
            found = []
            for imports in (False, True):
                db = connect()
                if imports:
                    db.execute("SELECT mpg_import(?)", (path,)).fetchall()
                found.append(
                    [json.loads(db.execute("SELECT mpg_build(?)", (path,)).fetchone()[0])]
                    + [sorted(db.execute("SELECT " + sql), key=repr) for sql in (BUILT, ATTEMPTS)]
                )
                self.assertEqual([], db.execute("SELECT * FROM issues WHERE kind = 'told_otherwise'").fetchall())
                db.close()
            self.assertEqual(*found)
            db = connect()
            db.execute("SELECT mpg_import(?)", (path,)).fetchall()
            (job,) = db.execute("SELECT min(job) FROM temp.allocations").fetchone()
            db.execute("UPDATE temp.allocations SET chips = chips + 1 WHERE job = ?", (job,))
            db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            self.assertEqual(
                [("temp", 1)], db.execute("SELECT source, count FROM issues WHERE kind = 'told_otherwise'").fetchall()
            )
            self.assertIn(job, db.execute("SELECT detail FROM mpg_issues WHERE kind = 'told_otherwise'").fetchone()[0])
            db.close()

    def test_an_attempt_with_another_start(self):
        """What a later export tells of an attempt that is over counts beside what an earlier one told, which is listed."""
        sacct = "JobID|State|Submit|Start|End|AllocTRES|ElapsedRaw\n" + "".join(
            f"{n}|COMPLETED|2026-01-06T11:59:00|2026-01-06T12:00:{{0}}|2026-01-06T12:10:00|gres/gpu=8|60{{1}}\n"
            for n in (1, 2)
        ).replace("{0}|", "00|", 1)
        path = os.path.join(self.folder, "sacct.psv")
        db = connect()
        for start, wanted in (("00", []), ("00", []), ("03", [(1,)])):
            with open(path, "w", encoding="utf-8") as file:
                file.write(sacct.format(start, 0))
            db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            self.assertEqual(wanted, db.execute("SELECT count FROM issues WHERE kind = 'told_otherwise'").fetchall())
        db.close()

    def test_what_users_add_to_the_tables(self):
        """Their columns, indexes and triggers are there after the next build, also of tables that it makes anew; what the tables say is the same."""
        found = []
        for adds in (False, True):
            relations, _ = odd_fleet(3)
            part = {
                name: (
                    rows[: len(rows) // 2] if name in ("spans", "allocations", "commits", "jobs", "programs") else rows
                )
                for name, rows in relations.items()
            }
            if os.path.exists(self.database):
                os.remove(self.database)
            self.build(part, None)
            db = connect(self.database)
            if adds:
                for table in ("capacity", "outages", "jobs", "allocations", "spans", "commits", "programs"):
                    db.execute(f"ALTER TABLE {table} ADD COLUMN note TEXT")
                    db.execute(f"UPDATE {table} SET note = 'mine'")
                db.execute("INSERT INTO mpg_config VALUES ('labels', 'tier')")
                db.execute("CREATE TABLE seen(of TEXT)")
                for table in ("ledger", "waits", "attempts", "jobs", "job_sums"):
                    db.execute(f'CREATE INDEX "my {table}" ON {table}(job)')
                    db.execute(
                        f"CREATE TRIGGER after_{table} AFTER UPDATE ON {table} BEGIN INSERT INTO seen VALUES ('{table}'); END"
                    )
                db.execute("CREATE VIEW mine AS SELECT pool, sum(chip_us) AS us FROM cells GROUP BY pool")
                db.commit()
            db.close()
            self.build(relations, None)
            self.check(adds)
            db = connect(self.database)
            found.append([sorted(db.execute("SELECT " + sql), key=repr) for sql in (BUILT, ATTEMPTS)])
            if adds:
                self.assertEqual(
                    {f"my {table}" for table in ("ledger", "waits", "attempts", "jobs", "job_sums")}
                    | {f"after_{table}" for table in ("ledger", "waits", "attempts", "jobs", "job_sums")},
                    {
                        name
                        for name, in db.execute(
                            "SELECT name FROM sqlite_schema WHERE name GLOB 'my *' OR name GLOB 'after_*'"
                        )
                    },
                )
                self.assertGreater(db.execute("SELECT count(note) FROM spans").fetchone()[0], 0)
                self.assertEqual(
                    db.execute("SELECT sum(chip_us) FROM ledger").fetchone(),
                    db.execute("SELECT sum(us) FROM mine").fetchone(),
                )
                db.execute("UPDATE job_sums SET name = name")
                self.assertGreater(db.execute("SELECT count(*) FROM seen WHERE of = 'job_sums'").fetchone()[0], 0)
            db.close()
        self.assertEqual(*found)

    COLUMNS = (
        ("ledger", "note", "note TEXT"),
        ("ledger", "cost", "cost REAL AS (chip_hours * 2.5)"),
        ("ledger", "odd, (one)", "\"odd, (one)\" TEXT DEFAULT 'a,(b'"),
        ("waits", "my x", "[my x] INT /* yes, ( */"),
        ("attempts", "cause", "cause TEXT COLLATE NOCASE CHECK (cause <> 'bad')"),
        ("job_sums", "good", "`good` BOOLEAN NOT NULL DEFAULT 1"),
        ("job_labels", "z", "z"),
        ("runs", "why", "why /* a, b ( */ TEXT"),
        ("day_sums", "event", "event TEXT"),
        ("pool_sums", "owner", "owner TEXT"),
        ("program_ledger", "twice", "twice AS (2 * ideal_us)"),
        ("mpg_columns", "meaning_de", "meaning_de TEXT"),
        ("issues", "seen", "seen INT"),
        ("observed", "x", "x"),
        ("chips", "y", "y"),
        ("prices", "z", "z"),
        ("mpg_config", "z", "z"),
        ("jobs", "rack", "rack TEXT"),
    )

    def test_columns_that_users_add(self):
        """Of every table, also of those that it makes anew: with what is in them where the row is there again."""
        relations, _ = odd_fleet(3)
        self.build(relations, None)
        db = connect(self.database)
        listed = "SELECT table_name, column_name, meaning FROM mpg_columns"
        before = db.execute(listed).fetchall()
        for table, column, definition in self.COLUMNS:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {definition}\n")
        db.execute("UPDATE ledger SET note = rowid WHERE rowid % 3 = 1")
        db.execute('UPDATE ledger SET "odd, (one)" = NULL WHERE rowid % 5 = 1')
        db.execute("UPDATE waits SET [my x] = 7")
        db.execute("UPDATE attempts SET cause = 'disk' WHERE rowid % 2")
        db.execute("UPDATE job_sums SET good = 0 WHERE rowid % 2")
        for table, column in (
            ("runs", "why"),
            ("day_sums", "event"),
            ("pool_sums", "owner"),
            ("job_labels", "z"),
            ("mpg_columns", "meaning_de"),
            ("jobs", "rack"),
        ):
            db.execute(f"UPDATE {table} SET {column} = 'mine'")
        asked = [
            'SELECT hour, pool, job, attempt, category, cause, chip_us, note, cost, iif("odd, (one)" IS NULL, \'a,(b\', "odd, (one)") FROM ledger ORDER BY 1, 2, 3, 4, 5, 6'
        ]
        asked += [
            f"SELECT * FROM {table} ORDER BY 1, 2, 3"
            for table, *_ in self.COLUMNS
            if table not in ("ledger", "mpg_columns", "issues")
        ]
        wanted = [db.execute(sql).fetchall() for sql in asked]
        texts = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL ORDER BY name"
        db.execute("SELECT mpg_build(NULL)").fetchall()
        made = db.execute(texts).fetchall()
        for _ in range(2):
            db.execute("SELECT mpg_build(NULL)").fetchall()
            self.assertEqual(wanted, [db.execute(sql).fetchall() for sql in asked])
            self.assertEqual(made, db.execute(texts).fetchall())
            self.assertEqual([], db.execute("SELECT * FROM issues WHERE kind = 'lost_values'").fetchall())
            self.assertEqual(
                sorted(
                    before
                    + [
                        (table, column, "A column of your own.")
                        for table, column, _ in self.COLUMNS
                        if table != "mpg_columns"
                    ],
                    key=repr,
                ),
                sorted(db.execute(listed), key=repr),
            )
            self.assertEqual(len(before), db.execute("SELECT count(meaning_de) FROM mpg_columns").fetchone()[0])
        self.assertEqual([], db.execute("SELECT name FROM temp.sqlite_schema WHERE name GLOB 'mpg_*'").fetchall())
        self.check("with columns of users")
        db.execute("PRAGMA foreign_keys = ON")
        (gone,) = db.execute("SELECT job FROM attempts WHERE cause = 'disk' LIMIT 1").fetchone()
        lost = db.execute("SELECT count(*) FROM attempts WHERE job = ? AND cause = 'disk'", (gone,)).fetchone()
        db.execute("DELETE FROM allocations WHERE job = ?", (gone,))
        db.execute("SELECT mpg_build(NULL)").fetchall()
        for table in ("issues", "mpg_issues"):
            self.assertEqual(
                [("warning", *lost)],
                db.execute(
                    f"SELECT severity, count FROM {table} WHERE kind = 'lost_values' AND source = 'main.attempts'"
                ).fetchall(),
            )
        db.execute("INSERT INTO mpg_config(name, value) VALUES ('labels', 'note,later')")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual(
            [("later", "The job's label later."), ("note", "The job's label note.")],
            db.execute(
                "SELECT column_name, meaning FROM mpg_columns WHERE table_name = 'ledger' AND meaning LIKE '%label %' AND column_name <> 'team' ORDER BY 1"
            ).fetchall(),
        )
        self.assertEqual((0,), db.execute("SELECT count(note) FROM ledger").fetchone())
        db.execute("DELETE FROM mpg_config WHERE name = 'labels'")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual(
            [("odd, (one)",)],
            db.execute(
                "SELECT name FROM pragma_table_info('ledger') EXCEPT SELECT column_name FROM mpg_columns WHERE table_name = 'ledger' AND meaning <> 'A column of your own.'"
            ).fetchall(),
        )
        db.close()

    def test_values_of_users_whose_rows_nothing_tells_apart(self):
        """A column of the key was renamed: what stood in the user's own is lost, which is said."""
        self.db.execute("SELECT mpg_build(?)", (os.path.join(ROOT, "fixtures/golden"),))
        self.db.executescript(
            "ALTER TABLE attempts ADD COLUMN note TEXT; UPDATE attempts SET note = 'mine';"
            "ALTER TABLE attempts RENAME COLUMN attempt TO try"
        )
        self.db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual((0,), self.db.execute("SELECT count(note) FROM attempts").fetchone())
        listed = "SELECT source, count, detail FROM {} WHERE kind = 'lost_values' ORDER BY detail"
        self.assertEqual(
            [
                ("main.attempts", 1, "the name try of a column that the build makes: it has its own again"),
                (
                    "main.attempts",
                    1,
                    "what users wrote into the column note: a column that tells rows apart was renamed: job,attempt",
                ),
            ],
            self.rows(listed.format("issues")),
        )
        self.assertEqual(["note"], self.own("attempts"))

    def own(self, table):
        return [
            name
            for (name,) in self.db.execute(
                "SELECT name FROM pragma_table_xinfo(?1, 'main') AS c WHERE NOT EXISTS (SELECT 1 FROM mpg_columns AS d "
                "WHERE d.table_name = ?1 AND d.column_name = c.name AND d.meaning <> 'A column of your own.')",
                (table,),
            )
        ]

    def test_columns_of_the_build_that_were_renamed(self):
        """They are no users' own: they have their names again, and what users wrote beside them stays where the key does."""
        self.db.execute("SELECT mpg_build(?)", (os.path.join(ROOT, "fixtures/golden"),))
        for table, column in (
            ("attempts", "held_us"),
            ("ledger", "phase"),
            ("job_sums", "ideal_us"),
            ("pool_sums", "ideal_us"),
            ("day_sums", "ideal_us"),
        ):
            before = self.rows(f"SELECT name FROM pragma_table_xinfo('{table}')")
            self.assertIn((column,), before)
            self.db.executescript(
                f"ALTER TABLE {table} ADD COLUMN note TEXT; UPDATE {table} SET note = 'mine';"
                f"ALTER TABLE {table} RENAME COLUMN {column} TO other"
            )
            self.db.execute("SELECT mpg_build(NULL)").fetchall()
            self.assertEqual(before + [("note",)], self.rows(f"SELECT name FROM pragma_table_xinfo('{table}')"))
            self.assertEqual([("mine",)], self.rows(f"SELECT DISTINCT note FROM {table}"))
            told = [(f"main.{table}", 1, "the name other of a column that the build makes: it has its own again")]
            listed = "SELECT source, count, detail FROM {} WHERE kind = 'lost_values'"
            for issues in ("issues", "mpg_issues"):
                self.assertEqual(told, self.rows(listed.format(issues)), (table, issues))
            self.db.execute("SELECT mpg_build(NULL)").fetchall()
            for issues in ("issues", "mpg_issues"):  # an earlier build's rows are its own
                self.assertEqual([], self.rows(listed.format(issues)), (table, issues))

    def test_rows_that_refer_to_tables_that_are_made_anew(self):
        """With foreign keys on, as SQLAlchemy and Django have them, no row of a user's own is deleted or changed with the table that it refers to."""
        relations, _ = odd_fleet(3)
        self.build(relations, None)
        for parent, key in (
            ("job_sums", "job"),
            ("attempts", "job, attempt"),
            ("pool_sums", "pool"),
            ("day_sums", "day"),
            ("jobs", "job"),
            ("capacity", "id"),
        ):
            for action in (
                "",
                "ON DELETE CASCADE",
                "ON DELETE SET NULL",
                "ON DELETE RESTRICT",
                "DEFERRABLE INITIALLY DEFERRED",
            ):
                db = connect(self.database)
                db.execute("PRAGMA foreign_keys = ON")
                db.execute(f"CREATE TABLE notes({key}, said, FOREIGN KEY ({key}) REFERENCES {parent}({key}) {action})")
                db.execute(f"INSERT INTO notes SELECT {key}, 'x' FROM {parent}")
                wanted = db.execute("SELECT * FROM notes").fetchall()
                self.assertGreater(len(wanted), 0)
                db.execute("SELECT mpg_build(NULL)").fetchall()
                self.assertEqual(
                    (wanted, (1,)),
                    (db.execute("SELECT * FROM notes").fetchall(), db.execute("PRAGMA foreign_keys").fetchone()),
                    (parent, action),
                )
                self.assertEqual(
                    [],
                    db.execute("PRAGMA foreign_key_check").fetchall()
                    + db.execute("SELECT * FROM issues WHERE kind = 'lost_values'").fetchall(),
                )
                db.execute("DROP TABLE notes")
                db.close()
        db = connect(self.database)
        db.execute("CREATE TABLE notes(job REFERENCES job_sums(job) ON DELETE CASCADE)")
        db.execute("INSERT INTO notes SELECT job FROM job_sums")
        (gone,) = db.execute("SELECT job FROM allocations LIMIT 1").fetchone()
        for table in ("jobs", "allocations", "spans", "commits", "observed"):
            db.execute(f"DELETE FROM {table} WHERE job = ?", (gone,))
        for keys, listed in (
            (0, []),
            (1, [("main.notes", 1, "rows that refer to rows of job_sums which are no more")]),
        ):
            db.execute(f"PRAGMA foreign_keys = {keys}")
            db.execute("SELECT mpg_build(NULL)").fetchall()
            self.assertEqual(
                listed, db.execute("SELECT source, count, detail FROM issues WHERE kind = 'lost_values'").fetchall()
            )
            self.assertEqual((keys,), db.execute("PRAGMA foreign_keys").fetchone())
        self.assertEqual((1,), db.execute("SELECT count(*) FROM notes WHERE job = ?", (gone,)).fetchone())
        db.close()

    def test_columns_that_cannot_be_made_again(self):
        relations, _ = odd_fleet(3)
        self.build(relations, None)
        db = connect(self.database)
        db.execute("INSERT INTO mpg_config VALUES ('labels', 'tier')")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        db.execute("ALTER TABLE ledger ADD COLUMN upper_tier AS (upper(tier))")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        db.execute("DELETE FROM mpg_config")
        with self.assertRaisesRegex(
            sqlite3.OperationalError,
            "^mpg_build: column upper_tier of ledger cannot be made again: .*no such column.*tier.*; drop it, or the table, then build$",
        ):
            db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertFalse(db.in_transaction)
        db.execute("ALTER TABLE ledger DROP COLUMN upper_tier")
        db.execute("ALTER TABLE waits RENAME COLUMN start_us TO begin_us")  # of the key of its rows
        db.execute("ALTER TABLE waits ADD COLUMN note DEFAULT 5")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual(
            {("start_us",), ("note",)},
            set(
                db.execute("SELECT name FROM pragma_table_info('waits') WHERE name IN ('start_us', 'begin_us', 'note')")
            ),
        )
        db.close()

    def test_an_index_that_cannot_be_made_again(self):
        """One of a column that the ledger has no more; and a crafted one, behind which the schema has another statement: none of it is run."""
        relations, _ = odd_fleet(3)
        self.build(relations, None)
        db = connect(self.database)
        db.execute("CREATE TABLE seen(n)")
        db.execute("INSERT INTO mpg_config VALUES ('labels', 'gone')")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        db.execute("DELETE FROM mpg_config")
        db.execute("CREATE INDEX by_gone ON ledger(gone)")
        db.commit()
        with self.assertRaisesRegex(
            sqlite3.OperationalError,
            "^mpg_build: index or trigger by_gone cannot be made again: no such column: gone; drop it, then build$",
        ):
            db.execute("SELECT mpg_build(NULL)").fetchall()
        db.execute("DROP INDEX by_gone")
        db.execute("CREATE INDEX by_pool ON ledger(pool)")
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_schema SET sql = sql || '; INSERT INTO seen SELECT count(*) FROM csv_trace(''fixtures/fleet/jobs.csv'')' WHERE name = 'by_pool'"
        )
        db.commit()
        db.close()
        db = connect(self.database)
        with self.assertRaisesRegex(
            sqlite3.OperationalError,
            "index or trigger by_pool cannot be made again: expected one CREATE INDEX or CREATE TRIGGER",
        ):
            db.execute("SELECT mpg_build(NULL)").fetchall()
        self.assertEqual(0, db.execute("SELECT count(*) FROM seen").fetchone()[0])
        db.execute("DROP INDEX by_pool")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        db.close()

    def test_spans_that_are_there_twice_are_said_each_time(self):
        relations, _ = odd_fleet(1)
        relations["spans"] = relations["spans"][:3] * 2
        for _ in range(2):
            self.build(relations, None)
            db = connect(self.database)
            self.assertEqual([(3,)], db.execute("SELECT count FROM issues WHERE kind = 'duplicate_span'").fetchall())
            db.close()


if __name__ == "__main__":
    unittest.main()
