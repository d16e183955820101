"""Other questions of files that a connection has mapped: they map nothing again, and never have another answer than a connection that keeps nothing."""

import os
import random
import shutil
import time

from cases import Case, FolderCase
from fleets import ROOT, connect

FULL = bool(os.environ.get("MPG_FULL"))
OLD_ENOUGH = 2.1  # seconds, before the times of a file are trusted
FOLDERS = "condor exports flux goodput kube lsf mlperf otlp pbs public sge slurm swf tfevents trainer training".split()
ISSUES = "SELECT source, severity, kind, line, count, detail FROM mpg_issues"
QUESTIONS = (
    "SELECT pool, phase, category, cause, sum(chip_us), sum(intervals) FROM trace_rollup(?) GROUP BY 1, 2, 3, 4",
    "SELECT bucket, job, category, sum(chip_us) FROM trace_rollup(?) WHERE bucket_width = '1 day' GROUP BY 1, 2, 3",
    "SELECT owner, size, category, sum(chip_us) FROM trace_rollup(?) WHERE sizes = '2,4,16' AND basis = 'in_service' GROUP BY 1, 2, 3",
    "SELECT job, category, sum(chip_us) FROM trace_rollup(?) WHERE on_error = 'skip' GROUP BY 1, 2",
    "SELECT * FROM trace_ledger(?)",
    "SELECT * FROM trace_ledger(?) LIMIT 5",
    "SELECT * FROM trace_ledger(?) WHERE category = 'idle' ORDER BY start_time DESC",
    "SELECT * FROM trace_sources(?)",
    "SELECT * FROM trace_records(?)",
    "SELECT record, count(*) FROM trace_records(?) GROUP BY 1",
    "SELECT a.id FROM trace_records(?1) AS a JOIN trace_records(?1) AS b ON a.id = b.id",
    "SELECT * FROM trace_timeline(?)",
    "SELECT * FROM trace_timeline(?1) WHERE of_job = (SELECT max(job) FROM trace_rollup(?1))",
    "SELECT count(*) FROM trace_rollup(?1) AS a JOIN trace_ledger(?1) AS b ON a.job = b.job AND a.category = b.category",
)


def bytes_read():
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.readline().split()[1])  # rchar: whether from a disk or from memory


class Any(Case):
    def test_any_order_of_questions(self):
        rng = random.Random(3)
        for name in FOLDERS if FULL else rng.sample(FOLDERS, 7):
            path = os.path.join(ROOT, "fixtures", name)
            fresh, kept = connect(), connect()
            fresh.execute("SELECT mpg_keep(0)")
            for question in rng.sample(QUESTIONS, len(QUESTIONS) if FULL else 4):
                self.assertEqual(
                    fresh.execute(question, (path,)).fetchall(),
                    kept.execute(question, (path,)).fetchall(),
                    (name, question),
                )
                self.assertEqual(sorted(fresh.execute(ISSUES)), sorted(kept.execute(ISSUES)), (name, question))
            fresh.close()
            kept.close()


class Files(FolderCase):
    """A log of 4,000 jobs, and what may change beside it."""

    def setUp(self):
        super().setUp()
        self.log = self.file(
            "; UnixStartTime: 0\n"
            + "".join(f"{n} {n} 1 10 8 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1\n" for n in range(1, 4001)),
            "log.swf",
        )
        time.sleep(OLD_ENOUGH)

    def ask(self, sql):
        """The rows, and how often the log was read for them."""
        before = bytes_read()
        rows = self.rows(sql, self.folder)
        return rows, (bytes_read() - before) // os.path.getsize(self.log)

    def both(self, sql):
        """The same, after the rows of a connection that keeps nothing, but knows the same chips, were seen to be like them."""
        fresh = connect()
        fresh.execute("SELECT mpg_keep(0)")
        if self.rows("SELECT 1 FROM sqlite_schema WHERE name = 'chips'"):
            fresh.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
            fresh.executemany("INSERT INTO chips VALUES (?, ?, ?)", self.rows("SELECT * FROM chips"))
        right = fresh.execute(sql, (self.folder,)).fetchall()
        fresh.close()
        rows, read = self.ask(sql)
        self.assertEqual(right, rows)
        return read

    DAY, HOUR, SUM = (
        f"SELECT bucket, category, sum(chip_us) FROM trace_rollup(?) WHERE bucket_width = '{width}' GROUP BY 1, 2"
        for width in ("1 day", "1 hour", "100 days")
    )
    LEDGER = "SELECT * FROM trace_ledger(?)"

    def test_it_is_mapped_once(self):
        self.assertEqual(
            [1, 0, 0, 0, 0], [self.both(sql) for sql in (self.DAY, self.HOUR, self.LEDGER, self.DAY, self.LEDGER)]
        )
        self.assertEqual(0, self.both("SELECT * FROM trace_timeline(?)"))
        records = ("SELECT * FROM trace_records(?)", "SELECT * FROM trace_records(?) WHERE job = '77'")
        self.assertEqual([1, 0, 0], [self.both(sql) for sql in (*records, self.DAY)])
        self.assertEqual(1, self.both(self.DAY.replace("WHERE", "WHERE on_error = 'skip' AND")))

    def test_what_there_is_and_what_it_says(self):
        """Who asks first what lies at a path has the fleet mapped that is asked for next."""
        sources = "SELECT * FROM trace_sources(?)"
        self.assertEqual([1, 0, 0, 0], [self.both(sql) for sql in (sources, self.DAY, self.LEDGER, sources)])

    def test_what_lies_at_the_path(self):
        sources = "SELECT * FROM trace_sources(?)"
        first = self.rows(sources, self.folder)
        self.assertEqual((first, 0), self.ask(sources))
        self.assertEqual(
            (first * 2, 0),
            self.ask("SELECT a.* FROM trace_sources(?1) AS a, trace_sources(?1) AS b, (VALUES (1), (2))"),
        )
        more = self.file("nothing that is known\n", "notes.txt")
        self.assertEqual(2, len(self.rows(sources, self.folder)))
        os.remove(more)
        self.assertEqual(first, self.rows(sources, self.folder))

    def test_what_changes_is_mapped_again(self):
        self.assertEqual([1, 0], [self.both(self.DAY), self.both(self.LEDGER)])
        more = self.file(
            "; UnixStartTime: 0\n; Computer: other\n1 1 1 10 8 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1\n", "more.swf"
        )
        self.assertEqual(1, self.both(self.HOUR))
        os.remove(more)  # and all is as it was
        self.assertEqual([0, 0], [self.both(self.SUM), self.both(self.LEDGER)])
        stat = os.stat(self.log)
        with open(self.log, "r+", encoding="ascii") as file:  # as long as before, and with the times of before
            file.write("; UnixStartTime: 9")
        os.utime(self.log, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.assertEqual(1, self.both(self.LEDGER))

    def test_chips_and_limits_are_part_of_the_question(self):
        self.assertEqual([1, 0], [self.both(self.DAY), self.both(self.LEDGER)])
        self.rows("CREATE TABLE chips(chip, dtype, peak_flops)")
        self.rows("INSERT INTO chips VALUES ('mine', 'bf16', 1e12)")
        self.assertEqual([1, 0], [self.both(self.LEDGER), self.both(self.DAY)])
        self.rows("SELECT mpg_limit('record_bytes', 10)")
        self.assertIn("more than 10 bytes", self.error(self.LEDGER, self.folder))

    def test_the_limit_of_what_is_kept(self):
        """Answers stay before the fleet that they were made of; without room for any nothing is kept."""
        self.assertEqual([1, 0, 0], [self.both(sql) for sql in (self.SUM, self.HOUR, self.LEDGER)])
        self.rows("SELECT mpg_keep(2)")
        self.assertEqual([0, 1, 1], [self.both(sql) for sql in (self.HOUR, self.LEDGER, self.LEDGER)])
        self.rows("SELECT mpg_keep(0)")
        self.assertEqual([1, 1], [self.both(self.HOUR), self.both(self.HOUR)])

    def test_a_million_jobs(self):
        """What is kept unless mpg_keep is asked is enough for them: of a fiftieth of them a fiftieth is."""
        mib = self.one("SELECT mpg_keep()")
        with open(self.log, "a", encoding="ascii") as file:
            file.writelines(f"{n} {n} 1 10 8 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1\n" for n in range(4001, 20001))
        time.sleep(OLD_ENOUGH)
        self.rows("SELECT mpg_keep(?)", mib // 50)
        self.assertEqual([1, 0, 0, 0], [self.both(sql) for sql in (self.SUM, self.SUM, self.LEDGER, self.SUM)])

    def test_a_second_scan_meanwhile(self):
        self.ask(self.LEDGER)
        whole = self.rows(self.LEDGER, self.folder)
        cursor = self.db.execute(self.LEDGER, (self.folder,))
        first = cursor.fetchone()
        self.assertEqual(whole, self.rows(self.LEDGER, self.folder))
        shutil.move(self.log, self.path("moved.swf"))
        self.rows("SELECT mpg_keep(0)")
        self.assertEqual(whole, [first, *cursor.fetchall()])

    def test_an_interruption(self):
        """A scan that ends early leaves what was mapped, for whoever asks next."""
        whole = self.rows(self.LEDGER, self.folder)
        for most in range(1, 60, 7):
            calls = []
            self.db.set_progress_handler(lambda calls=calls, most=most: calls.append(1) or len(calls) > most, 1)
            try:
                self.rows(self.LEDGER, self.folder)
            except Exception as error:  # SQLite's class of it depends on where
                self.assertEqual("interrupted", str(error))
            self.db.set_progress_handler(None, 0)
            self.assertEqual(whole, self.rows(self.LEDGER, self.folder))
        self.assertEqual(0, self.ask(self.LEDGER)[1])
