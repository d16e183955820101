"""Roll-ups answered from what a connection has kept, and work shared by threads: never another answer."""

import glob
import json
import os
import random
import shutil
import sqlite3
import tempfile
import time
import unittest

import random_fleets
import test_table_functions
from cases import FolderCase
from fleets import ROOT, connect, quote, write_csv, write_jsonl
from table_functions import every
from test_fleets import DIMENSIONS

FULL = bool(os.environ.get("MPG_FULL"))
FLEETS = 60 if FULL else 30
OLD_ENOUGH = 2.1  # seconds, before the times of a file are trusted


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.fleets = []
        for seed in range(FLEETS):
            relations, options = random_fleets.odd_fleet(seed)
            path = os.path.join(cls.folder, str(seed))
            os.mkdir(path)
            if seed % 2:
                write_csv(path, relations)
            else:
                write_jsonl(path, relations)
            cls.fleets.append((path, options.get("bucket", 10) if seed % 3 else None))
        time.sleep(OLD_ENOUGH)


def queries(path, bucket, rng, n, threads=None):
    for _ in range(n):
        names = ", ".join(rng.sample(DIMENSIONS, rng.randrange(1, 6)))
        terms = f" WHERE bucket_width = {quote(bucket)}" if bucket else ""
        if threads:
            terms += (" AND" if terms else " WHERE") + f" threads = {threads}"
        yield f"SELECT {names}, chip_us, chip_seconds, intervals FROM trace_rollup({quote(path)}){terms}"


ISSUES = "SELECT source, severity, kind, line, count, detail FROM mpg_issues"


class Kept(Case):
    def test_same_rows_in_the_same_order(self):
        rng = random.Random(4)
        for path, bucket in self.fleets:
            kept = connect()
            for query in queries(path, bucket, rng, 4):
                fresh = connect()
                fresh.execute("SELECT mpg_keep(0)")
                self.assertEqual(fresh.execute(query).fetchall(), kept.execute(query).fetchall(), query)
                self.assertEqual(fresh.execute(ISSUES).fetchall(), kept.execute(ISSUES).fetchall(), query)
                fresh.close()
            kept.close()

    def test_threads(self):
        """The same rows in the same order, and the same issues, for any number of threads."""
        rng = random.Random(5)
        for path, bucket in self.fleets:
            seed = rng.random()
            said = []
            for threads in (1, 2, 5):
                db = connect()
                db.execute("SELECT mpg_keep(0)")
                said.append(
                    [
                        db.execute(q.replace(f"threads = {threads}", "threads = +" + str(threads))).fetchall()
                        for q in queries(path, bucket, random.Random(seed), 2, threads)
                    ]
                )
                said[-1].append(db.execute(ISSUES).fetchall())
                db.close()
            self.assertEqual(said[0], said[1], path)
            self.assertEqual(said[0], said[2], path)

    def test_options_are_part_of_the_question(self):
        path, _ = self.fleets[1]
        db, plain = connect(), connect()
        plain.execute("SELECT mpg_keep(0)")
        for terms in (
            "",
            "since = 5",
            "until = 9",
            "as_of = 30",
            "basis = 'in_service'",
            "sizes = '1,2,3'",
            "bucket_width = 7",
            "roofline = 'memory'",
            "on_error = 'skip'",
            "",
        ):
            sql = f"SELECT size, category, bucket, sum(chip_us) FROM trace_rollup({quote(path)}){' WHERE ' * bool(terms)}{terms} GROUP BY 1, 2, 3"
            for _ in range(2):
                self.assertEqual(plain.execute(sql).fetchall(), db.execute(sql).fetchall(), terms)

    def test_a_chip_of_ones_own(self):
        path, _ = self.fleets[3]
        with open(os.path.join(path, "allocations.csv"), "w") as file:
            file.write("job,pool,chips,start_time,end_time,outcome\nj,p,1,0,10,completed\n")
        with open(os.path.join(path, "capacity.csv"), "w") as file:
            file.write("pool,chip,chips,start_time,end_time\np,mine,1,0,10\n")
        with open(os.path.join(path, "spans.csv"), "w") as file:
            file.write("job,kind,start_time,end_time,flops\nj,serve,0,10,1e12\n")
        time.sleep(OLD_ENOUGH)
        db = connect()
        ask = lambda: db.execute(
            f"SELECT sum(chip_us) FROM trace_rollup({quote(path)}) WHERE category = 'ideal'"
        ).fetchone()[0]
        self.assertIsNone(ask())
        db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        db.execute("INSERT INTO chips VALUES ('mine', 'bf16', 1e12)")
        self.assertEqual(1000000, ask())
        db.execute("UPDATE chips SET peak_flops = 5e11")
        self.assertEqual(2000000, ask())


def bytes_read():
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.readline().split()[1])  # rchar: whether from a disk or from memory


class Files(FolderCase):
    def setUp(self):
        super().setUp()
        self.spans = self.path("spans.csv")

    def ask(self):
        """The answer, and how many bytes the process read for it."""
        before = bytes_read()
        row = self.db.execute(
            "SELECT sum(intervals), sum(chip_us) FROM trace_rollup(?) WHERE category = 'idle' OR category <> 'idle'",
            (self.folder,),
        ).fetchone()
        return row, bytes_read() - before

    def write(self, spans, end=2):
        self.file(f"job,pool,chips,start_time,end_time\nj,p,1,0,{spans + 2}\n", "allocations.csv")
        self.file(
            "job,kind,start_time,end_time,step\n" + "".join(f"j,step,{i},{i + 1},{i}\n" for i in range(spans)),
            "spans.csv",
        )

    def test_many_cells(self):
        """The host is asked while what was kept is summed: of 300,000 cells at least four times more than of one."""
        looks = []
        for n in (1, 300_000):
            self.file(
                "job,attempt,pool,chips,start_time,end_time\n" + "".join(f"j,{i},p,1,{i},{i + 1}\n" for i in range(n)),
                "allocations.csv",
            )
            time.sleep(OLD_ENOUGH)
            for _ in range(2):
                calls = []
                self.db.set_progress_handler(lambda calls=calls: calls.append(1) and 0, 1)
                self.assertEqual([(n * 1_000_000,)], self.rows("SELECT sum(chip_us) FROM trace_rollup(?)", self.folder))
            looks.append(len(calls))
            calls = []
            self.db.set_progress_handler(
                lambda calls=calls, most=looks[-1] - 6: calls.append(1) or len(calls) > most, 1
            )
            self.assertEqual("interrupted", self.error("SELECT sum(chip_us) FROM trace_rollup(?)", self.folder))
            self.db.set_progress_handler(None, 0)
        self.assertGreaterEqual(looks[1], looks[0] + 4)

    def test_the_second_question_reads_nothing(self):
        self.write(400000)
        time.sleep(OLD_ENOUGH)
        size = os.path.getsize(self.spans)
        first, read = self.ask()
        again, kept = self.ask()
        self.assertEqual(first, again)
        self.assertGreaterEqual(read, size)
        self.assertLess(kept, size / 100)
        self.assertEqual((1024,), self.db.execute("SELECT mpg_keep()").fetchone())
        self.assertEqual((0,), self.db.execute("SELECT mpg_keep(0)").fetchone())
        forgot, read = self.ask()
        self.assertEqual(first, forgot)
        self.assertGreaterEqual(read, size)

    def test_a_file_that_changes_is_read_again(self):
        self.write(5)
        time.sleep(OLD_ENOUGH)
        before, _ = self.ask()
        self.assertEqual(before, self.ask()[0])
        stat = os.stat(self.spans)
        with open(self.spans, "r+") as file:  # as long as before, and with the times of before
            text = file.read()
            file.seek(0)
            file.write(text.replace("j,step,3,4,3", "j,hang,3,4,3"))
        os.utime(self.spans, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        idle = "SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1"
        fresh = connect()
        self.addCleanup(fresh.close)
        self.assertEqual(
            fresh.execute(idle, (self.folder,)).fetchall(), self.db.execute(idle, (self.folder,)).fetchall()
        )
        self.assertIn(("stall", 1000000), self.db.execute(idle, (self.folder,)).fetchall())
        added = self.file("job,kind,start_time,end_time\nj,hang,0,1\n", "spans-2.csv")
        self.assertIn(("stall", 2000000), self.db.execute(idle, (self.folder,)).fetchall())
        os.remove(added)
        self.assertIn(("stall", 1000000), self.db.execute(idle, (self.folder,)).fetchall())

    def test_the_limit(self):
        self.assertRaisesRegex(Exception, "mpg_keep: expected a whole number", self.db.execute, "SELECT mpg_keep(-1)")
        self.assertRaisesRegex(Exception, "mpg_keep: expected a whole number", self.db.execute, "SELECT mpg_keep('x')")
        self.db.execute("SELECT mpg_keep(1)")
        self.write(40000)  # more cells than a MiB holds, one a second
        time.sleep(OLD_ENOUGH)
        sql = "SELECT bucket, chip_us FROM trace_rollup(?, 1)"
        first = self.db.execute(sql, (self.folder,)).fetchall()
        self.assertGreater(len(first), 40000)
        self.assertEqual(first, self.db.execute(sql, (self.folder,)).fetchall())


class TableFunctions(FolderCase):
    """A table function over files answers from memory until a file, a limit or a table of the user's that it reads changes."""

    STEPS = "SELECT job, step, seconds, loss FROM trace_training_steps(?)"

    def setUp(self):
        super().setUp()
        self.log = self.path("run.log")
        shutil.copy(os.path.join(ROOT, "fixtures/training/maxtext.log"), self.log)

    def ask(self, sql, *parameters, db=None):
        """Rows, issues, and how many bytes the process read for them."""
        db, before = db or self.db, bytes_read()
        rows = db.execute(sql, parameters).fetchall()
        read = bytes_read() - before
        return rows, db.execute(ISSUES).fetchall(), read

    def both(self, sql, *parameters, times=1):
        """Asked some times, and once by another connection, that keeps nothing: each time the same rows and issues; how much each time read."""
        found = [self.ask(sql, *parameters) for _ in range(times)]
        fresh = connect_with(0)
        expected, listed, _ = self.ask(sql, *parameters, db=fresh)
        fresh.close()
        of_these = {source for source, *_ in listed}
        for rows, issues, _ in found:
            self.assertTrue(expected == rows, (sql, parameters))
            self.assertEqual(listed, [issue for issue in issues if issue[0] in of_these])
        return expected, *(read for _, _, read in found)

    def kept(self, sql, *parameters):
        """That the next question reads no file, and says the same."""
        rows, _, read = self.both(sql, *parameters, times=2)
        self.assertLess(read, 300, sql)
        return rows

    def test_every_function(self):
        for table in every():
            if not table.over_files:
                continue
            with self.subTest(table.name):
                arguments = test_table_functions.ASKED[table.path]
                types = ", ".join(f"typeof({quoted(name)}), json_array({quoted(name)})" for name, *_ in table.columns)
                call = f"{table.name}({', '.join('?' for _ in arguments)})"
                rows, read, none = self.both(f"SELECT rowid, *, {types} FROM {call}", *arguments, times=2)
                self.assertTrue(rows)
                self.assertGreater(read, 1000)
                self.assertLess(none, 300)

    def test_a_file_that_changes_is_read_again(self):
        time.sleep(OLD_ENOUGH)
        before = self.kept(self.STEPS, self.folder)
        stat = os.stat(self.log)
        with open(self.log, "r+", encoding="utf-8") as file:  # as long as before, and with the times of before
            text = file.read()
            file.seek(0)
            file.write(text.replace("seconds: 1", "seconds: 2").replace("seconds: 4", "seconds: 5"))
        self.assertEqual(stat.st_size, os.path.getsize(self.log))
        os.utime(self.log, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        changed, _ = self.both(self.STEPS, self.folder)
        self.assertNotEqual(before, changed)
        added = self.file(text.replace("run-a", "run-b"), "second.log")
        more, _ = self.both(self.STEPS, self.folder)
        self.assertGreater(len(more), len(changed))
        os.remove(added)
        self.assertEqual(changed, self.both(self.STEPS, self.folder)[0])
        os.remove(self.log)
        self.assertIn("holds no file", self.error(self.STEPS, self.folder))
        self.assertIn("holds no file", self.error(self.STEPS, self.folder))

    def test_a_change_that_the_clock_does_not_show(self):
        """A file that was written just now is read each time."""
        for _ in range(2):
            self.assertGreater(self.both(self.STEPS, self.folder)[1], 1000)

    def test_arguments_are_part_of_the_question(self):
        time.sleep(OLD_ENOUGH)
        calls = [
            ("trace_training_steps(?)", (self.folder,)),
            ("trace_training_steps(?)", (self.log,)),
            ("trace_training_steps(?) WHERE on_error = 'skip'", (self.log,)),
            ("trace_hlo_ideal('fixtures/hlo', ?)", ("nvidia-h100-sxm",)),
            ("trace_hlo_ideal('fixtures/hlo', ?)", ("TPU v4",)),
            ("trace_hlo_ideal('fixtures/hlo', 'TPU v4', ?)", ("bf16",)),
            ("trace_hlo_ideal('fixtures/hlo', 'TPU v4', NULL, ?)", (4,)),
            ("trace_hlo_programs('fixtures/hlo', 'TPU v4', NULL, ?)", (4,)),
            ("trace_hlo_programs('fixtures/hlo', 'TPU v4', NULL, ?)", (8,)),
        ]
        first = [self.both(f"SELECT * FROM {call}", *parameters)[0] for call, parameters in calls]
        self.assertEqual(first, [self.both(f"SELECT * FROM {call}", *parameters)[0] for call, parameters in calls])
        self.assertEqual(5, len({str(rows) for rows in first[3:]}))

    def shared(self, change, sql, *parameters, other=None):
        """After a change of a table of this connection: as another one says, that never kept anything and has the table too."""
        fresh = connect()
        self.addCleanup(fresh.close)
        fresh.execute("SELECT mpg_keep(0)")
        for db in (fresh, self.db):
            db.executescript(other if db is fresh and other else change)
        self.assertEqual(self.ask(sql, *parameters, db=fresh)[:2], self.ask(sql, *parameters)[:2], change)
        return self.ask(sql, *parameters)[0]

    def test_chips_of_ones_own(self):
        sql, folder = "SELECT * FROM trace_hlo_ideal(?, 'mine')", os.path.join(ROOT, "fixtures/hlo")
        made = "CREATE TABLE chips(chip, dtype, peak_flops, hbm_bytes_per_s);"
        rows = [
            self.shared(
                made + "INSERT INTO chips VALUES ('mine', 'bf16', 1e12, 1e12), ('mine', 'fp32', 1e12, 1e12)",
                sql,
                folder,
            )
        ]
        rows.append(
            self.shared(
                "UPDATE chips SET peak_flops = 2e12",
                sql,
                folder,
                other=made + "INSERT INTO chips VALUES ('mine', 'bf16', 2e12, 1e12), ('mine', 'fp32', 2e12, 1e12)",
            )
        )
        self.assertNotEqual(*rows)

    def test_rules_of_ones_own(self):
        sql, profiles = "SELECT class, count(*) FROM trace_device_activity(?) GROUP BY 1", os.path.join(
            ROOT, test_table_functions.PROFILES
        )
        before = self.kept(sql, profiles)
        after = self.shared(
            "CREATE TABLE device_class_rules(priority, kind, name, class); INSERT INTO device_class_rules VALUES (0, '*', '*', 'sync')",
            sql,
            profiles,
        )
        self.assertNotEqual(before, after)

    def test_a_limit(self):
        time.sleep(OLD_ENOUGH)
        self.kept(self.STEPS, self.folder)
        self.db.execute("SELECT mpg_limit('record_bytes', 10)")
        self.assertIn("line of more than 10 bytes", self.error(self.STEPS, self.folder))
        self.db.execute("SELECT mpg_limit('record_bytes', 1 << 24)")
        self.assertTrue(self.kept(self.STEPS, self.folder))

    def test_a_file_beside(self):
        """The description of a system lies outside of the path."""
        for folder in ("results", "systems"):
            shutil.copytree(os.path.join(ROOT, "fixtures/mlperf", folder), self.path(folder))
        time.sleep(OLD_ENOUGH)
        path, sql = self.path("results"), "SELECT pool, chip, chips FROM trace_mlperf_runs(?)"
        rollup = "SELECT pool, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2"
        before = self.kept(sql, path), self.kept(rollup, path)
        for system in glob.glob(self.path("systems/*.json")):
            with open(system, encoding="utf-8") as file:
                told = json.load(file)
            told["accelerators_per_node"] = 3
            with open(system, "w", encoding="utf-8") as file:
                json.dump(told, file)
        after = self.both(sql, path)[0], self.both(rollup, path)[0]
        self.assertNotEqual(before[0], after[0])
        self.assertNotEqual(before[1], after[1])

    def test_reasons_of_ones_own_and_roll_ups(self):
        slurm = os.path.join(ROOT, "fixtures/slurm/sacctmgr_events.psv"), os.path.join(
            ROOT, "fixtures/slurm/sacct_default.p"
        )
        path = json.dumps(slurm)
        sql = "SELECT category, cause, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2"
        before = self.rows(sql, path)
        after = self.shared(
            "CREATE TABLE outage_reasons(pattern, kind); INSERT INTO outage_reasons VALUES ('%', 'of ours')", sql, path
        )
        self.assertNotEqual(before, after)

    def test_cursors_share(self):
        """A statement with several cursors reads once; a cursor that is open is not disturbed by what is forgotten or changes."""
        time.sleep(OLD_ENOUGH)
        once = self.ask(self.STEPS, self.folder)[2]
        self.db.close()
        self.db = connect()
        sql = "SELECT count(*) FROM trace_training_steps(?1) AS a JOIN trace_training_steps(?1) AS b ON a.step = b.step"
        rows, _, read = self.ask(sql, self.folder)
        self.assertLess(read, once * 1.3)
        self.assertEqual(
            self.rows(
                f"SELECT count(*) FROM ({self.STEPS}) AS a JOIN ({self.STEPS}) AS b ON a.step = b.step",
                self.folder,
                self.folder,
            ),
            rows,
        )
        whole = self.rows(self.STEPS, self.folder)
        for change in (lambda: self.rows("SELECT mpg_keep(0)"), lambda: os.remove(self.log)):
            self.db.execute("SELECT mpg_keep(128)")
            cursor = self.db.execute(self.STEPS, (self.folder,))
            first = cursor.fetchone()
            change()
            self.assertEqual(whole, [first, *cursor.fetchall()])
        self.assertIn("holds no file", self.error(self.STEPS, self.folder))

    def test_the_limit(self):
        """Answers together take no more than is allowed, those used last stay; one that is larger than all is not kept, and complete."""
        events = [
            {
                "ph": "X",
                "cat": "kernel",
                "name": f"kernel {i % 7}",
                "pid": 0,
                "tid": 7,
                "ts": 10 * i,
                "dur": 5,
                "args": {"device": 0, "stream": 7, "correlation": i},
            }
            for i in range(20_000)
        ]
        large = self.file(
            {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": events},
            "large.json",
        )
        time.sleep(OLD_ENOUGH)
        sql = "SELECT * FROM trace_device_activity(?)"
        self.db.execute("SELECT mpg_keep(1)")
        rows = self.rows(sql, large)
        self.assertEqual(20_000, len(rows))
        again, _, read = self.ask(sql, large)
        self.assertEqual(rows, again)
        self.assertGreater(read, os.path.getsize(large))
        self.db.execute("SELECT mpg_keep(64)")
        self.assertEqual(rows, self.kept(sql, large))
        small = [f"SELECT *, {i} FROM trace_training_steps(?)" for i in range(2)]
        self.kept(small[0], self.log)
        self.db.execute("SELECT mpg_keep(1)")  # what was used last stays
        self.assertLess(self.both(small[1], self.log)[1], 300)
        again, _, read = self.ask(sql, large)
        self.assertEqual(rows, again)
        self.assertGreater(read, os.path.getsize(large))

    def test_an_interruption_keeps_nothing(self):
        time.sleep(OLD_ENOUGH)
        whole = self.rows(self.STEPS, self.folder)
        self.db.close()
        stopped = 0
        for most in range(1, 400, 3 if FULL else 7):
            self.db = connect()
            calls = []
            self.db.set_progress_handler(lambda calls=calls, most=most: calls.append(1) or len(calls) > most, 1)
            try:
                self.rows(self.STEPS, self.folder)
            except sqlite3.OperationalError as error:
                self.assertEqual("interrupted", str(error))
                stopped += 1
            self.db.set_progress_handler(None, 0)
            self.assertEqual(whole, self.rows(self.STEPS, self.folder))
            self.assertEqual(whole, self.rows(self.STEPS, self.folder))
            self.db.close()
            if len(calls) <= most:
                break
        self.assertGreater(stopped, 3)
        self.db = connect()

    def test_an_error_keeps_nothing(self):
        bad = self.file(
            '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "args": {"device": 0}}, {"ph": oops}]}',
            "bad.json",
        )
        time.sleep(OLD_ENOUGH)
        for _ in range(3):
            self.assertIn("bad.json:1:", self.error("SELECT * FROM trace_device_activity(?)", bad))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def connect_with(keep):
    db = connect()
    db.execute("SELECT mpg_keep(?)", (keep,))
    return db


class Previews(Case):
    """The first rows of a ledger, as tools ask for them with LIMIT: those of the whole ledger, in its order, the second time from memory."""

    WRAPS = (
        "SELECT {} FROM trace_ledger({}) LIMIT {}",
        "SELECT {} FROM (SELECT * FROM trace_ledger({})) AS q LIMIT {}",
        "SELECT {} FROM trace_ledger({}) WHERE sizes = '2,4,8' LIMIT {}",
        "SELECT {} FROM trace_ledger({}) WHERE category <> 'idle' LIMIT {}",
        "SELECT {} FROM trace_ledger({}) ORDER BY pool, start_time, end_time, job LIMIT {}",
        "SELECT DISTINCT {} FROM trace_ledger({}) LIMIT {}",
        "SELECT {} FROM trace_ledger({}) WHERE category LIKE 's%' LIMIT {}",
        "SELECT {} FROM trace_ledger({}) GROUP BY pool LIMIT {}",
    )

    def test_any_limit_is_that_of_the_whole(self):
        rng = random.Random(7)
        for path, _ in self.fleets[:20]:
            db, fresh = connect(), connect()
            fresh.execute("SELECT mpg_keep(0)")
            for _ in range(25):
                wrap = rng.choice(self.WRAPS)
                columns = rng.choice(["*", "rowid, *", "rowid", "pool, category, chip_us", "1", "start_time"])
                if "AS q" in wrap:
                    columns = columns.replace("rowid, ", "").replace("rowid", "job")
                limit = rng.choice([0, 1, 2, 3, 7, 50, 9999, 10000, 20000])
                offset = rng.choice([None, None, 0, 1, 5, 40])
                whole = wrap.removesuffix(" LIMIT {}").format(columns, quote(path))
                rows = fresh.execute(f"SELECT * FROM ({whole})" if "ORDER" not in whole else whole).fetchall()
                asked = wrap.format(columns, quote(path), limit) + (f" OFFSET {offset}" if offset is not None else "")
                for _ in range(2):
                    self.assertEqual(rows[offset or 0 :][:limit], db.execute(asked).fetchall(), asked)
                self.assertEqual(
                    rows[:limit], db.execute(wrap.format(columns, quote(path), "?"), (limit,)).fetchall(), wrap
                )
            db.close()
            fresh.close()

    def test_the_second_preview_reads_nothing(self):
        path, _ = max(
            self.fleets,
            key=lambda fleet: sum(os.path.getsize(os.path.join(fleet[0], name)) for name in os.listdir(fleet[0])),
        )
        if sqlite3.sqlite_version_info < (3, 38):
            self.skipTest("SQLite tells a table of a LIMIT since 3.38")
        db = connect()
        read = []
        for _ in range(2):
            before = bytes_read()
            db.execute("SELECT * FROM trace_ledger(?) LIMIT 5", (path,)).fetchall()
            read.append(bytes_read() - before)
        self.assertLess(read[1], 1000)
        self.assertGreater(read[0], 1000)
        db.close()


class Tables(FolderCase):
    """mpg_rollup answers from memory until a table changes, in whatever way."""

    ANSWER = "SELECT pool, category, cause, sum(chip_us) FROM {} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"

    def setUp(self):
        super().setUp()
        self.db.close()
        self.db = connect(self.path("fleet.db"))
        self.db.isolation_level = None  # transactions are those of the test
        self.db.executescript(
            """PRAGMA journal_mode = wal;
            CREATE TABLE capacity(pool, chip, chips, start_time, end_time);
            CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time, outcome);
            CREATE TABLE spans(job, kind, start_time, end_time, step);
            INSERT INTO capacity VALUES ('p', 'mine', 8, 0, 1000);
            INSERT INTO allocations VALUES ('a', 1, 'p', 4, 0, 900, 'completed'), ('b', 1, 'p', 2, 100, 700, 'failed');
            INSERT INTO spans VALUES ('a', 'step', 0, 800, 1), ('b', 'hang', 100, 200, NULL);"""
        )

    def reads(self, sql):
        """The answer, and from how many of the relations it was read."""
        tables = set()
        self.db.set_authorizer(
            lambda action, table, column, *_: tables.add(table) or 0 if action == 20 and column else 0
        )  # SQLITE_READ of a column
        rows = self.rows(sql)
        self.db.set_authorizer(None)
        return rows, len(tables & {"capacity", "allocations", "spans"})

    def same(self, said=None):
        whole = self.rows("SELECT * FROM mpg_ledger")  # which is always read
        self.assertEqual(self.rows(self.ANSWER.format("mpg_ledger")), self.rows(self.ANSWER.format("mpg_rollup")), said)
        self.assertEqual(whole[:2], self.rows("SELECT * FROM mpg_ledger LIMIT 2"), said)

    def test_the_second_question_reads_no_table(self):
        for sql in (
            self.ANSWER.format("mpg_rollup"),
            self.ANSWER.format("mpg_rollup(NULL, NULL, 60)"),
            self.ANSWER.format("(SELECT * FROM mpg_rollup WHERE sizes = '1,2,3')"),
        ):
            (first, read), (again, kept) = self.reads(sql), self.reads(sql)
            self.assertEqual((first, 3, 0), (again, read, kept), sql)
        self.assertEqual(
            0, self.reads("SELECT cause, intervals FROM mpg_rollup WHERE schema = 'main'")[1]
        )  # another grain follows from what is kept
        self.rows("CREATE TEMP VIEW cards AS SELECT * FROM mpg_rollup")
        self.reads("SELECT pool, sum(chip_us) FROM cards GROUP BY pool")
        self.assertEqual(0, self.reads("SELECT pool, sum(chip_us) FROM cards GROUP BY pool")[1])
        for _ in range(2):
            first = self.reads("SELECT * FROM mpg_ledger LIMIT 3")
        read = 0 if sqlite3.sqlite_version_info >= (3, 38) else 3  # SQLite tells a table of a LIMIT since then
        self.assertEqual((self.rows("SELECT * FROM mpg_ledger")[:3], read), first)

    def test_issues_are_listed_again(self):
        self.db.execute("INSERT INTO allocations VALUES ('c', 1, 'p', 9, 0, 10, 'completed')")
        said = []
        for _ in range(3):
            self.same()
            said.append(self.rows(ISSUES))
        self.assertTrue(said[0])
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])

    def test_what_is_not_kept(self):
        self.reads(self.ANSWER.format("mpg_rollup"))
        self.db.execute("BEGIN")
        self.assertEqual(3, self.reads(self.ANSWER.format("mpg_rollup"))[1])
        self.db.execute("COMMIT")
        for change in (
            "ATTACH ':memory:' AS other",
            "ALTER TABLE spans RENAME TO spans_of; CREATE VIEW spans AS SELECT * FROM spans_of",
        ):
            self.db.executescript(change)
            for _ in range(2):
                self.reads(self.ANSWER.format("mpg_rollup"))
            self.assertGreaterEqual(self.reads(self.ANSWER.format("mpg_rollup"))[1], 2, change)
            self.db.executescript("DETACH other" if "other" in change else "")

    def test_any_change_is_noticed(self):
        other = connect(self.path("fleet.db"))
        other.isolation_level = None
        self.addCleanup(other.close)
        rng = random.Random(3)
        changes = {
            "insert": lambda: self.db.execute(
                "INSERT INTO spans VALUES ('a', 'hang', ?, ?, NULL)", (rng.randrange(400), rng.randrange(400, 800))
            ),
            "update": lambda: self.db.execute(
                "UPDATE allocations SET chips = ? WHERE job = 'b'", (rng.randrange(1, 5),)
            ),
            "delete": lambda: self.db.execute(
                "DELETE FROM spans WHERE rowid IN (SELECT rowid FROM spans ORDER BY random() LIMIT 1)"
            ),
            "truncate": lambda: self.db.execute("DELETE FROM spans"),
            "elsewhere": lambda: (
                other.execute("UPDATE capacity SET chips = ?", (rng.randrange(6, 12),))
                if not self.db.in_transaction
                else None
            ),
            "recreate": lambda: self.db.executescript(
                "CREATE TABLE again AS SELECT * FROM spans; DROP TABLE spans; ALTER TABLE again RENAME TO spans"
                if not self.db.in_transaction
                else ""
            ),
            "shadow": lambda: self.db.executescript(
                "DROP TABLE IF EXISTS temp.capacity; CREATE TEMP TABLE capacity AS SELECT pool, chip, chips + 1 AS chips, "
                "start_time, end_time FROM main.capacity"
                if not self.db.in_transaction
                else ""
            ),
            "unshadow": lambda: self.db.execute("DROP TABLE IF EXISTS temp.capacity"),
            "temp": lambda: (
                self.db.execute("UPDATE temp.capacity SET chips = ?", (rng.randrange(6, 12),))
                if self.rows("SELECT 1 FROM temp.sqlite_schema WHERE name = 'capacity'")
                else None
            ),
            "chips": lambda: self.db.executescript(
                "CREATE TABLE IF NOT EXISTS chips(chip, dtype, peak_flops); INSERT INTO chips VALUES ('mine', 'bf16', 1e12)"
                if not self.db.in_transaction
                else ""
            ),
            "begin": lambda: None if self.db.in_transaction else self.db.execute("BEGIN"),
            "savepoint": lambda: self.db.execute("SAVEPOINT s"),
            "commit": lambda: self.db.execute("COMMIT") if self.db.in_transaction else None,
            "rollback": lambda: self.db.execute("ROLLBACK") if self.db.in_transaction else None,
        }
        done = []
        for _ in range(1500 if FULL else 750):
            name = rng.choice(sorted(changes))
            done.append(name)
            changes[name]()
            if rng.random() < 0.7:
                self.same(done[-12:])


if __name__ == "__main__":
    unittest.main()
