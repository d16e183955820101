"""The ledger's tables as SQL sees them: arguments, plans, errors, interruption. What they hold is tested elsewhere
(test_rules_*.py, test_fleets.py)."""

import gzip
import os
import sqlite3
import threading
import unittest

from cases import Case
from fleets import ROOT, al, as_source, cap, connect, fleet, job, out

GOLDEN = os.path.join(ROOT, "fixtures", "golden")
TABLES = """
CREATE TABLE {0}capacity(pool, chip, chips, start_time, end_time);
CREATE TABLE {0}allocations(job, attempt, task, pool, chips, start_time, end_time, outcome);
INSERT INTO {0}capacity VALUES ('p', 'tpu-v4', {1}, 0, 10);
INSERT INTO {0}allocations VALUES ('j', 1, NULL, 'p', 2, 0, 5, 'completed');
"""


class Arguments(Case):
    def test_named_or_by_position(self):
        by_name = self.rows(
            "SELECT * FROM trace_ledger WHERE path = ? AND bucket_width = 30 AND since = 10 AND until = 90 AND as_of = 80",
            GOLDEN,
        )
        self.assertEqual(by_name, self.rows("SELECT * FROM trace_ledger(?, 30, 10, 90, 80)", GOLDEN))
        self.assertEqual(
            by_name,
            self.rows("SELECT * FROM trace_ledger(?, '30', '1970-01-01T00:00:10Z', 90.0) WHERE as_of = 80", GOLDEN),
        )
        self.assertNotEqual([], by_name)

    def test_hidden_columns_show_what_was_given(self):
        self.assertEqual(
            [(GOLDEN, 30, None, "compute")],
            self.rows(
                "SELECT DISTINCT path, bucket_width, since, roofline FROM trace_rollup(?, 30, NULL) WHERE roofline = 'compute'",
                GOLDEN,
            ),
        )

    def test_a_condition_that_cannot_be_handed_over_is_an_error(self):
        for tail in ("+since = 5", "since + 1 = 6", "(since = 10 AND job = 'J1') OR job = 'nobody'"):
            self.fails(
                "trace_ledger: the argument since takes = alone, outside OR and RIGHT or FULL JOIN",
                f"SELECT * FROM trace_ledger(?) WHERE {tail}",
                GOLDEN,
            )
        # Of the right side of a RIGHT JOIN SQLite asks for two scans, and hands conditions of WHERE to one of them; before 3.41 a call's too.
        self.db.executescript(TABLES.format("", 4))
        self.db.execute("CREATE TABLE w AS SELECT '1970-01-01 00:00:05' AS bucket")
        for table in ("mpg_ledger", "mpg_rollup"):
            right = "SELECT sum(w.bucket IS NOT NULL), count(DISTINCT t.bucket) FROM w RIGHT JOIN %s AS t ON t.bucket = w.bucket"
            self.fails(
                f"{table}: the argument bucket_width takes = alone, outside OR and RIGHT or FULL JOIN",
                right % table + " WHERE t.bucket_width = 5",
            )
            self.assertEqual(
                [(1, 2)], self.rows(right % f"(SELECT bucket, category FROM {table} WHERE bucket_width = 5)")
            )
            if sqlite3.sqlite_version_info >= (3, 41):
                self.assertEqual([(1, 2)], self.rows(right % f"{table}(NULL, 5)"))
            else:
                self.fails(
                    f"{table}: the argument schema takes = alone, outside OR and RIGHT or FULL JOIN",
                    right % f"{table}(NULL, 5)",
                )

    def test_null(self):
        self.assertEqual([], self.rows("SELECT * FROM trace_ledger(NULL)"))
        self.assertEqual([], self.rows("SELECT * FROM trace_timeline(?, NULL)", GOLDEN))
        whole = self.rows("SELECT * FROM trace_ledger(?)", GOLDEN)
        self.assertEqual(
            whole, self.rows("SELECT * FROM trace_ledger(?, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)", GOLDEN)
        )

    def test_null_beside_many_conditions(self):
        """SQLite compares an argument itself where there are more than 16: nothing equals NULL, so that would be no rows."""
        self.db.executescript(TABLES.format("", 4))
        for call, lost in (
            (f"trace_ledger('{GOLDEN}', NULL)", "bucket_width"),
            ("mpg_rollup(NULL, 5)", "schema"),
            (f"trace_timeline('{GOLDEN}', 'J1', NULL)", "bucket_width"),
            (f"trace_records('{GOLDEN}', NULL)", "on_error"),
            ("mpg_records(NULL)", "schema"),
        ):
            column = "start_time" if "rollup" not in call else "category"
            for n in range(30):
                where = " AND ".join(f"{column} > {-i - 10**15}" for i in range(1, n + 2))
                sql = f"SELECT count(*) FROM {call} WHERE {where}"
                if n == 0:
                    whole = self.one(sql)
                    self.assertGreater(whole, 0)
                try:
                    self.assertEqual(whole, self.one(sql), sql)
                except sqlite3.Error as error:
                    table = call.split("(")[0]
                    self.assertEqual(
                        f"{table}: the argument {lost} is NULL, which SQLite does not hand over behind 16 other conditions: leave it out",
                        str(error),
                    )
                    self.assertGreater(n, 12)
            self.assertRaises(sqlite3.Error, self.rows, sql)
            self.assertEqual(
                whole, self.one(sql.replace("NULL, 5", "'main', 5").replace(", NULL)", ")").replace("(NULL)", ""))
            )
        where = " AND ".join(f"start_time > {-i}" for i in range(20))
        for call in ("trace_ledger(NULL)", "trace_timeline(?, NULL)", "trace_records(NULL)"):
            self.assertEqual([], self.rows(f"SELECT * FROM {call} WHERE {where}", *[GOLDEN] * call.count("?")))

    def test_dates_without_dashes(self):
        """All of them count as seconds of 1970, which is no silence, and so do the days of a spreadsheet; a time that is none among them says that they are seconds."""
        listed = "SELECT severity, count, detail FROM mpg_issues WHERE kind = 'impossible_time'"
        said = (
            "records whose times read as dates without dashes, such as 20260109, and count as seconds of 1970: "
            "write 2026-01-06"
        )
        serial = (
            "records whose times read as days of a spreadsheet, such as 46028.25000, and count as seconds of 1970: "
            "write 2026-01-06T12:00:00"
        )
        self.db.executescript(
            "CREATE TABLE capacity(pool, chips, start_time, end_time);"
            "CREATE TABLE allocations(job, pool, chips, start_time, end_time)"
        )
        for times, found in (
            ((20260105, 20260109, 20260106, 20260107), [("warning", 2, said)]),
            (("20260105", None, "20260106", 20260109), [("warning", 2, said)]),
            ((20260105, 20260109, 20260106, 20260107.5), []),
            ((20260105, 20260109, 20260100, 20260107), []),
            ((20260105, 20261309, 20260106, 20260107), []),
            (("2026-01-05", "2026-01-09", "2026-01-06", "2026-01-07"), []),
            ((0, 100, 5, 10), []),
            ((46027.5, 46028.25, 46027.75, 46028), [("warning", 2, serial)]),
            ((46027, None, 46027, 46028.0625), [("warning", 2, serial.replace("28.25000", "28.06250"))]),
            ((0, 46028.25, 46027.75, 46028), []),
            ((46027.5, 80000, 46027.75, 46028), []),
        ):
            self.db.execute("DELETE FROM capacity")
            self.db.execute("DELETE FROM allocations")
            self.db.execute("INSERT INTO capacity VALUES ('a', 8, ?, ?)", times[:2])
            self.db.execute("INSERT INTO allocations VALUES ('j', 'a', 8, ?, ?)", times[2:])
            for table in ("mpg_rollup", "mpg_ledger"):
                self.rows(f"SELECT count(*) FROM {table}")
                self.assertEqual(found, self.rows(listed), (table, times))

    def test_a_job_that_is_nowhere(self):
        """No rows of it are no silence: its name may be misspelt, or another argument stand where it does."""
        listed = "SELECT source, severity, count, detail FROM mpg_issues WHERE kind = 'no_such_job'"
        self.db.execute("SELECT mpg_import(?)", (GOLDEN,))
        for call, source in ((f"trace_timeline('{GOLDEN}', ?)", GOLDEN), ("mpg_timeline(?)", "main")):
            for name in ("j1", "1 day", "é" * 40):
                self.assertEqual([], self.rows(f"SELECT * FROM {call}", name))
                (found,) = self.rows(listed + " AND source = ?", source)
                self.assertEqual((source, "info", 1), found[:3])
                self.assertRegex(
                    found[3], "^no record is of the job '(j1|1 day|é+\\.\\.\\.)': its timeline has no rows$"
                )
            self.assertGreater(len(self.rows(f"SELECT * FROM {call}", "J1")), 0)
            self.assertEqual([], self.rows(listed + " AND source = ?", source))

    def test_errors(self):
        for tail, text in (
            ("since = 'noon'", 'since: expected Unix seconds or ISO 8601 time, found "noon"'),
            (
                "since = 2026-01-06",
                "since: expected Unix seconds or ISO 8601 time, found 2019, which a date without quotes or dashes comes to: "
                "write '2026-01-06', or 2019.0 for seconds",
            ),
            ("bucket_width = 0", None),
            ("bucket_width = '1 fortnight'", None),
            ("bucket_width = -1", None),
            ("basis = 'installd'", "basis: expected 'installed', 'in_service' or 'shard', found 'installd'"),
            ("roofline = 'both'", "roofline: expected 'compute' or 'memory', found 'both'"),
            ("on_error = 'ignore'", "on_error: expected 'stop' or 'skip', found 'ignore'"),
            ("sizes = '16,256'", "sizes: expected three rising numbers of chips such as '16,256,2048', found '16,256'"),
            (
                "sizes = '16,16,2048'",
                "sizes: expected three rising numbers of chips such as '16,256,2048', found '16,16,2048'",
            ),
            (
                "sizes = '1,2,3,4'",
                "sizes: expected three rising numbers of chips such as '16,256,2048', found '1,2,3,4'",
            ),
            ("since > 5", "the argument since takes = alone, outside OR and RIGHT or FULL JOIN"),
            ("path LIKE '%x'", None),
        ):
            with self.subTest(tail):
                found = (
                    self.error("SELECT * FROM trace_rollup(?) WHERE " + tail, GOLDEN)
                    if not tail.startswith("path")
                    else self.error("SELECT * FROM trace_rollup WHERE " + tail)
                )
                self.assertTrue(found.startswith("trace_rollup: "), found)
                if text:
                    self.assertEqual("trace_rollup: " + text, found)
        self.fails("trace_ledger: expected a path: trace_ledger('traces/')", "SELECT * FROM trace_ledger")
        self.fails("trace_ledger: path: expected text, found 7", "SELECT * FROM trace_ledger(7)")
        self.fails("trace_ledger: no such file: /nowhere/at/all", "SELECT * FROM trace_ledger('/nowhere/at/all')")
        self.fails(
            'mpg_ledger: schema: expected the name of an open database, found "else"',
            "SELECT * FROM mpg_ledger('else')",
        )
        self.fails(
            "mpg_ledger: expected tables or views capacity, allocations, ... (schema/fleet.sql), found none",
            "SELECT * FROM mpg_ledger",
        )
        self.assertIn(
            "more than 10000000 buckets", self.error("SELECT count(*) FROM trace_ledger(?, 0.000001)", GOLDEN)
        )

    def test_sizes(self):
        self.assertEqual(
            [("J1", "XL"), ("J2", "L")],
            self.rows(
                "SELECT job, size FROM trace_rollup(?) WHERE sizes = '1,2,3' AND job IS NOT NULL GROUP BY 1, 2", GOLDEN
            ),
        )


class Plans(Case):
    """However SQLite plans it, the rows are the same."""

    def test_terms_of_or(self):
        for tail in ("pool = 'golden' OR job = 'J1'", "category = 'idle' OR (job = 'J2' AND category = 'ideal')"):
            found = sorted(self.rows(f"SELECT * FROM trace_ledger(?) WHERE {tail}", GOLDEN), key=repr)
            self.assertNotEqual([], found)
            self.assertEqual(
                found,
                sorted(self.rows(f"SELECT * FROM trace_ledger(?) WHERE {tail.replace('=', 'IS')}", GOLDEN), key=repr),
            )

    def test_several_paths_and_times(self):
        both = self.rows("SELECT sum(chip_us) FROM trace_rollup WHERE path IN (?, ?)", GOLDEN, GOLDEN + ".jsonl")
        self.assertEqual([(2 * 828000000,)], both)
        found = self.rows(
            "SELECT t.column1, sum(chip_us) FROM (VALUES (10), (50), (NULL)) AS t JOIN trace_rollup(?, NULL, 0, t.column1) "
            "WHERE category <> 'queued' GROUP BY 1",
            GOLDEN,
        )
        self.assertEqual([(None, 800000000), (10, 80000000), (50, 400000000)], found)

    def test_two_scans_at_once(self):
        self.assertEqual(
            [(10,)],
            self.rows(
                "SELECT count(*) FROM trace_rollup(?1) a JOIN trace_rollup(?1) b USING (category) "
                "WHERE a.pool = b.pool AND a.grain = 'pool, category' AND b.grain = 'pool, category' AND a.chip_us = b.chip_us",
                GOLDEN,
            ),
        )

    def test_texts_outlive_their_scan(self):
        def trace(pools):
            return self.folder_of(
                {
                    "capacity.csv": "pool,chip,chips,start_time,end_time\n"
                    + "".join(f"{pool},v4,1,0,{i + 1}\n" for i, pool in enumerate(pools))
                }
            )

        many = [f"pool-{i:05d}" for i in range(6000)]  # more than the connection keeps
        long = ["x" * n + "y" for n in (46, 47, 48, 49, 300)]
        paths = [trace(["one"]), trace(["two"]), trace(long), trace(many), trace(["two"])]
        self.db.execute("CREATE TABLE paths AS SELECT value AS path FROM json_each(json_array(?, ?, ?, ?, ?))", paths)
        # Each scan is closed before the next begins, and what it gave is looked at after that.
        for what, expected in (("min(pool)", "one"), ("max(pool)", max(long))):
            self.assertEqual(
                [(expected,)],
                self.rows(
                    f"SELECT {what} FROM (SELECT (SELECT pool FROM trace_ledger(paths.path) ORDER BY pool DESC LIMIT 1) AS pool FROM paths)"
                ),
            )
        self.assertEqual(
            [("one", 1), ("pool-05999", 6000), ("two", 1), (max(long), 5)],
            self.rows(
                "SELECT max(pool), count(*) FROM paths, trace_ledger(paths.path) WHERE paths.rowid < 5 GROUP BY paths.path ORDER BY 1"
            ),
        )
        self.assertEqual(
            sorted(many), [pool for pool, in self.rows("SELECT pool FROM trace_ledger(?) GROUP BY pool", paths[3])]
        )
        self.assertEqual(
            sorted(many + long),
            sorted(
                {
                    pool
                    for pool, in self.rows(
                        "SELECT pool FROM trace_ledger(?) UNION SELECT pool FROM trace_rollup(?)", paths[3], paths[2]
                    )
                }
            ),
        )

    def test_texts_of_all_encodings(self):
        for encoding in ("UTF-8", "UTF-16le", "UTF-16be"):
            db = connect()
            self.addCleanup(db.close)
            db.execute(f"PRAGMA encoding = '{encoding}'")
            db.execute(
                "CREATE TABLE kept AS SELECT pool, chip, phase, category, cause, chip_us FROM trace_ledger(?)",
                (GOLDEN,),
            )
            query = "SELECT pool, chip, phase, goodput(category, chip_us), group_concat(pool || cause), length(max(pool)), min(cause) FROM {} GROUP BY pool, chip, phase"
            self.assertEqual(
                db.execute(query.format("(SELECT * FROM kept ORDER BY rowid)")).fetchall(),
                db.execute(query.format(f"trace_ledger('{GOLDEN}')")).fetchall(),
            )

    def test_first_rows_only(self):
        self.assertEqual(1, len(self.rows("SELECT * FROM trace_ledger(?) LIMIT 1", GOLDEN)))
        self.assertEqual(3, len(self.rows("SELECT * FROM trace_ledger(?) ORDER BY chip_us LIMIT 3 OFFSET 2", GOLDEN)))

    def test_the_grain(self):
        for columns, cells in (
            ("category", 10),
            ("category, cause", 10),
            ("pool", 1),
            ("job", 3),
            ("job, attempt", 5),
            ("size", 2),
        ):
            self.assertEqual(cells, len(self.rows(f"SELECT {columns}, chip_us FROM trace_rollup(?)", GOLDEN)), columns)
        self.assertEqual(
            self.rows("SELECT count(*) FROM trace_ledger(?)", GOLDEN),
            self.rows("SELECT sum(intervals) FROM trace_rollup(?)", GOLDEN),
        )


class Relations(Case):
    def test_where_they_are_looked_for(self):
        total = "SELECT sum(chip_us) / 1000000 FROM mpg_rollup"
        self.db.executescript("ATTACH ':memory:' AS other;" + TABLES.format("other.", 4))
        self.assertEqual([(40,)], self.rows(total))
        self.db.executescript(TABLES.format("main.", 8))
        self.assertEqual([(80,)], self.rows(total))
        self.assertEqual([(40,)], self.rows(total + "('OTHER')"))
        self.db.executescript(
            "CREATE TEMP VIEW capacity AS SELECT 'p' AS pool, 3 AS CHIPS, 0 AS start_time, 10 AS end_time"
        )
        self.assertEqual([(30,)], self.rows(total))
        self.assertEqual([(80,)], self.rows(total + "('main')"))

    def test_a_ledger_over_itself(self):
        self.db.execute("CREATE VIEW capacity AS SELECT pool, chip, 1 AS chips, 0 AS start_time FROM mpg_rollup")
        self.assertTrue(
            self.error("SELECT * FROM mpg_ledger").endswith("a relation is defined by itself, through the ledger")
        )
        self.db.execute("DROP VIEW capacity")
        self.db.executescript(TABLES.format("", 4))  # and the connection is none the worse for it
        self.assertEqual([(40,)], self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup"))

    def test_errors_name_the_row(self):
        self.db.executescript(TABLES.format("", 4))
        self.db.execute(
            "INSERT INTO allocations(rowid, job, pool, chips, start_time, end_time) VALUES (77, 'k', 'p', 1, 5, 4)"
        )
        self.fails(
            "mpg_ledger: main.allocations:77: allocations.end_time: expected an end that is not before the start, found 4",
            "SELECT * FROM mpg_ledger",
        )
        self.assertEqual([(40,)], self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE on_error = 'skip'"))
        self.assertEqual(
            [("main.allocations", "skipped_record", 77, 1)],
            self.rows("SELECT source, kind, line, count FROM mpg_issues WHERE severity = 'data_loss'"),
        )
        self.db.execute("DROP TABLE capacity")
        self.db.execute("CREATE TABLE capacity(pool, chips)")
        self.fails('mpg_ledger: main.capacity: expected a column "start_time", found none', "SELECT * FROM mpg_ledger")

    def test_other_encodings_and_kinds_of_tables(self):
        self.db.close()
        self.db = sqlite3.connect(":memory:")
        self.db.execute("PRAGMA encoding = 'UTF-16le'")
        self.db.enable_load_extension(True)
        self.db.load_extension(os.path.join(ROOT, "mpg"))
        self.db.executescript(
            """
            CREATE TABLE capacity(pool TEXT PRIMARY KEY, chip, chips TEXT, start_time TEXT, end_time REAL) WITHOUT ROWID;
            INSERT INTO capacity VALUES ('zürich', 'TPU v4', '2.5', '1970-01-01', 10.0)"""
        )
        self.assertEqual(
            [("zürich", "tpu-v4", "idle", 25000000)], self.rows("SELECT pool, chip, category, chip_us FROM mpg_ledger")
        )

    def test_views_may_be_stored(self):
        """Over relations nothing of the file system is read: a view may, and BI tools need it to."""
        self.db.executescript(
            TABLES.format("", 4) + "CREATE VIEW v AS SELECT category, sum(chip_us) AS us FROM mpg_rollup GROUP BY 1"
        )
        self.assertEqual([("idle", 30000000), ("untraced", 10000000)], self.rows("SELECT * FROM v"))


class Sums(Case):
    def test_more_than_64_bits(self):
        folder = self.folder_of({"capacity.csv": "pool,chips,start_time,end_time\np,900000000,0,9000000000\n"})
        exact = 900000000 * 9000000000 * 10**6
        for table in ("trace_ledger", "trace_rollup"):
            parts = [us for us, in self.rows(f"SELECT chip_us FROM {table}(?)", folder)]
            self.assertEqual(exact, sum(parts))
            self.assertGreater(len(parts), 1)
        self.assertEqual([(0.0,)], self.rows("SELECT mpg(category, chip_us) FROM trace_rollup(?)", folder))
        self.assertTrue(
            self.rows("SELECT goodput(category, chip_us) FROM trace_rollup(?)", folder)[0][0].startswith(
                '{"capacity":%d,' % exact
            )
        )
        self.assertEqual([(1,)], self.rows("SELECT sum(intervals) > 0 FROM trace_rollup(?)", folder))


class Issues(Case):
    def test_reading_again_replaces(self):
        folder = self.folder_of(
            {
                "capacity.csv": "pool,chips,start_time,end_time,rack\np,1,0,10,7\n",
                "spans.csv": "job,kind,start_time\na,step,5\na,step,3\n",
                "notes.txt": "no trace\n",
            }
        )
        for _ in range(2):
            self.rows("SELECT * FROM trace_rollup(?)", folder)
            found = {
                kind: (severity, line, count)
                for kind, severity, line, count in self.rows("SELECT kind, severity, line, count FROM mpg_issues")
            }
            self.assertEqual(
                {
                    "unknown_column": ("info", 1, 1),
                    "ignored_file": ("info", None, 1),
                    "span_without_allocation": ("data_loss", None, 2),
                    "out_of_order": ("info", None, 1),
                },
                found,
            )
        self.rows("SELECT * FROM trace_rollup(?)", GOLDEN)
        self.assertEqual([(4,)], self.rows("SELECT count(*) FROM mpg_issues"))


class LoadedAgain(Case):
    def test_while_a_scan_runs(self):
        """The scan goes on with what it began with, though the tables it came from were registered anew."""
        self.db.executescript(TABLES.format("", 4))
        for sql in (
            f"SELECT * FROM trace_ledger('{GOLDEN}')",
            "SELECT * FROM mpg_ledger",
            f"SELECT * FROM trace_timeline('{GOLDEN}', 'J1')",
            "SELECT chip, dtype FROM mpg_chips",
            "SELECT category FROM mpg_categories",
            "SELECT bucket FROM interval_buckets(0, 9, 2)",
        ):
            whole = self.rows(sql)
            running = self.db.execute(sql)
            first = running.fetchone()
            other = connect()
            self.db.load_extension(os.path.join(ROOT, "mpg"))
            other.close()
            self.assertEqual(whole, [first] + running.fetchall(), sql)
            self.assertEqual(whole, self.rows(sql), sql)


class Skipping(Case):
    CAPACITY = '{"record": "capacity", "pool": "p", "chips": 1, "start_time": %d, "end_time": 10}\n'

    def test_lines_that_are_no_json(self):
        folder = self.folder_of(
            {"a.jsonl": self.CAPACITY % 0 + "{oops\n" + self.CAPACITY % 20 + self.CAPACITY % 5 + '{"record": "capac'}
        )
        self.fails(
            f"trace_rollup: {folder}/a.jsonl:2:2: expected a key in double quotes or '}}', found 'o'",
            "SELECT sum(chip_us) FROM trace_rollup(?)",
            folder,
        )
        self.assertEqual(
            [(15000000,)], self.rows("SELECT sum(chip_us) FROM trace_rollup(?) WHERE on_error = 'skip'", folder)
        )
        self.assertEqual(
            [("skipped_record", "data_loss", 2, 2), ("unfinished_record", "warning", 5, 1)],
            self.rows("SELECT kind, severity, line, count FROM mpg_issues"),
        )

    def test_records_that_are_no_csv(self):
        folder = self.folder_of(
            {"capacity.csv": 'pool,chips,start_time,end_time\np,1,0,10\np,"1"x,0,10\np,1,0\np,2,0,10\n'}
        )
        self.assertEqual(
            [(30000000,)], self.rows("SELECT sum(chip_us) FROM trace_rollup(?) WHERE on_error = 'skip'", folder)
        )
        self.assertEqual([(3, 2)], self.rows("SELECT line, count FROM mpg_issues"))

    def test_what_cannot_be_passed_over(self):
        folder = self.folder_of(
            {"capacity.csv": gzip.compress(b"pool,chips,start_time,end_time\n" + b"p,1,0,10\n" * 10000)[:-20]}
        )
        self.assertIn(
            "truncated gzip", self.error("SELECT sum(chip_us) FROM trace_rollup(?) WHERE on_error = 'skip'", folder)
        )


class Interrupts(Case):
    def test_within_a_long_read(self):
        """A statement that would take seconds ends in the middle of its reading or its accounting."""
        folder = self.new_folder()
        with open(os.path.join(folder, "spans.csv"), "w") as file:
            file.write("job,kind,start_time,end_time,step\n")
            for block in range(30):
                file.writelines(
                    f"job-{i % 50},step,{i},{i + 1},{i}\n" for i in range(block * 100000, block * 100000 + 100000)
                )
        self.rows("SELECT mpg_keep(0)")  # what is kept is not read again
        looks, stop_at = 0, None

        def look():
            nonlocal looks
            looks += 1
            if looks == stop_at:
                other = threading.Thread(target=self.db.interrupt)
                other.start()
                other.join()
            return 0

        self.db.set_progress_handler(look, 1)
        self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
        whole = looks
        self.assertGreater(whole, 100)
        for share in (0.05, 0.3, 0.6):
            looks, stop_at = 0, int(whole * share)
            self.fails("interrupted", "SELECT count(*) FROM trace_rollup(?)", folder)
            self.assertLess(looks, stop_at + whole * 0.05)  # who is on the way out may ask again
        self.db.set_progress_handler(None, 0)
        self.assertEqual(1, len(self.rows("SELECT count(*) FROM trace_rollup(?)", GOLDEN)))


class FirstTime(unittest.TestCase):
    """What begins first says how many buckets there are, whichever record it is; and too many are refused."""

    def check(self, *early):
        for place in range(3):
            for at, fits in ((0, False), (19990, True)):
                records = [
                    cap(4, 20000, 20100),
                    cap(2, 20000, 20100),
                    out(1, 20000, 20050),
                    out(1, 20010, 20050),
                    job("j", submit_time=20000),
                    job("k", submit_time=20010),
                    al(2, 20000, 20060),
                    al(1, 20010, 20050, job="k"),
                ]
                records.insert((0, 4, len(records))[place], early[0](at))
                with as_source(fleet(*records), "csv") as (db, source):
                    query = f"SELECT count(*) FROM {source} WHERE bucket_width = 0.001 AND until = 20001"
                    if fits:
                        self.assertGreater(db.execute(query).fetchone()[0], 1000)
                    else:
                        with self.assertRaisesRegex(
                            sqlite3.Error, "the bucket width divides the trace into more than 10000000 buckets"
                        ):
                            db.execute(query)

    def test_capacity(self):
        self.check(lambda at: cap(1, at, 20100))

    def test_outages(self):
        self.check(lambda at: out(1, at, 20100))

    def test_allocations(self):
        self.check(lambda at: al(1, at, 20100, job="first"))

    def test_submissions(self):
        self.check(lambda at: job("first", submit_time=at))

    def test_exactly_as_many(self):
        with as_source(fleet(cap(1, 0, 10**7 + 1)), "tables") as (db, source):
            for until, fits in ((10**7, True), (10**7 + 1, False)):
                query = f"SELECT count(*) FROM {source.replace('ledger', 'rollup')} WHERE bucket_width = 1 AND since = 0 AND until = {until}"
                if not fits:
                    with self.assertRaisesRegex(sqlite3.Error, "more than 10000000 buckets"):
                        db.execute(query)


class ManyGroups(unittest.TestCase):
    """More groups of jobs than a first table of them holds, in any order of jobs: what the ledger's own rows add up to."""

    def test_by_dimensions(self):
        records = [cap(4000, 0, 100)]
        for i in range(700):
            records += [
                job(
                    f"j{i}",
                    submit_time=0,
                    owner=f"u{i * 7 % 131}",
                    model=f"m{i % 17}" if i % 5 else None,
                    phase=("training", "serving", None)[i % 3],
                    labels='{"n":%d}' % (i // 2),
                ),
                al(1 + i % 3, i % 90, 100, job=f"j{i}"),
            ]
        for form in ("csv", "tables"):
            with as_source(fleet(*records), form) as (db, source):
                for keys in (
                    "owner",
                    "owner, model",
                    "labels",
                    "owner, model, phase, labels",
                    "model, category",
                    "job",
                    "owner, bucket",
                ):
                    query = f"SELECT {keys}, sum(chip_us), sum(chip_seconds) FROM {{}} WHERE bucket_width = 50 GROUP BY {keys} ORDER BY {keys}"
                    expected = db.execute(query.format(source)).fetchall()
                    self.assertEqual(
                        expected, db.execute(query.format(source.replace("ledger", "rollup"))).fetchall(), keys
                    )
                    self.assertGreater(len(expected), 16)
                # A cell is one row, however many there are.
                names = [
                    row[1]
                    for row in db.execute("PRAGMA table_xinfo(mpg_rollup)")
                    if row[1] not in ("chip_us", "chip_seconds", "intervals") and not row[6]
                ]
                rows = db.execute(
                    f"SELECT {', '.join(names)} FROM {source.replace('ledger', 'rollup')} WHERE bucket_width = 7"
                ).fetchall()
                self.assertGreater(len(rows), 5000)
                self.assertEqual(len(rows), len(set(rows)))


class Names(unittest.TestCase):
    def test_chips_are_canonical(self):
        """Whatever else has the same name, and was there first."""
        for pool, called in (("TPU v4", "TPU v4"), ("p", "TPU v4"), ("tpu-v4", "TPU v4")):
            with as_source(fleet(cap(4, 0, 10, pool, called), cap(4, 0, 10, "q", None)), "csv") as (db, source):
                self.assertEqual(
                    [(pool, "tpu-v4"), ("q", None)] if pool != "tpu-v4" else [("q", None), (pool, "tpu-v4")],
                    sorted(db.execute(f"SELECT DISTINCT pool, chip FROM {source}").fetchall()),
                )


if __name__ == "__main__":
    unittest.main()
