"""trace_files: what a path stands for, against Python's own listing and against what the readers read; and files that none of them reads."""

import collections
import glob
import gzip
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from cases import Case, FolderCase
import formats
from fleets import ROOT, connect, quote


class Files(FolderCase):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("b/c"))
        for name in ("b/2.csv", "b/10.csv", "b/.hidden.csv", "b/c/x y.csv", "a.csv", "b/'.csv"):
            self.file("n\n1\n2\n", name)

    def listed(self, pattern):
        return [path for path, in self.rows("SELECT path FROM trace_files(?)", self.path(pattern))]

    def test_folders_globs_and_files(self):
        within = os.path.join(self.folder, "")
        for pattern, expected in (
            ("", ["a.csv", "b/'.csv", "b/10.csv", "b/2.csv", "b/c/x y.csv"]),
            ("b/*.csv", ["b/'.csv", "b/10.csv", "b/2.csv"]),
            ("*/*/x*", ["b/c/x y.csv"]),
            ("b/c/x y.csv", ["b/c/x y.csv"]),
            ("b/.h*", ["b/.hidden.csv"]),
            ("b/[0-9]*.csv", ["b/10.csv", "b/2.csv"]),
            ("**", ["a.csv", "b/'.csv", "b/10.csv", "b/2.csv", "b/c/x y.csv"]),
            ("**/*1*.csv", ["b/10.csv"]),
            ("**/a.csv", ["a.csv"]),
            ("b/**/x*", ["b/c/x y.csv"]),
            ("**/c/*", ["b/c/x y.csv"]),
            ("**/**/**", ["a.csv", "b/'.csv", "b/10.csv", "b/2.csv", "b/c/x y.csv"]),
        ):
            self.assertEqual(self.listed(pattern), [within + name for name in expected], pattern)

    def test_a_list(self):
        """A file that two paths of a list name, or find, is read once. In other words it is read twice, and said."""
        for named, expected in (
            (["b/*.csv", "a.csv"], 4),
            (["a.csv", "a.csv"], 1),
            (["b", "b/2.csv", "b/*.csv", "b"], 4),
            (["", "a.csv", "**"], 5),
        ):
            listed = json.dumps([self.path(name) for name in named])
            self.assertEqual([(expected,)], self.rows("SELECT count(*) FROM trace_files(?)", listed), named)
            self.assertEqual([(2 * expected,)], self.rows("SELECT count(*) FROM csv_trace(?)", listed), named)
            self.assertEqual([], self.rows("SELECT source, detail FROM mpg_issues WHERE kind = 'same_content'"))
        listed = json.dumps([self.path("a.csv"), self.path("b/../a.csv")])
        self.assertEqual([(4,)], self.rows("SELECT count(*) FROM csv_trace(?)", listed))
        self.assertEqual(
            [(self.path("b/../a.csv"), 1)],
            self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'same_content'"),
        )
        fleet = self.path("fleet")
        os.mkdir(fleet)
        self.file("pool,chips,start_time,end_time\np,4,0,9\n", "fleet/capacity.csv")
        listed = json.dumps([fleet, fleet, fleet + "/*.csv"])
        self.assertEqual([(36.0,)], self.rows("SELECT sum(chip_seconds) FROM trace_rollup(?)", listed))

    def test_as_the_readers_have_it(self):
        for pattern in ("", "b/*.csv", "*/*/x*", "a.csv"):
            path = self.path(pattern)
            self.assertEqual(
                self.listed(pattern), [name for name, in self.rows("SELECT DISTINCT _file FROM csv_trace(?)", path)]
            )
        for folder in ("golden", "slurm", "public"):
            path = os.path.join(ROOT, "fixtures", folder)
            expected = sorted(name for name in glob.glob(path + "/**", recursive=True) if os.path.isfile(name))
            self.assertEqual([name for name, in self.rows("SELECT path FROM trace_files(?)", path)], expected)

    def test_state(self):
        path = self.path("a.csv")
        os.utime(path, ns=(0, 1_700_000_000_250_000_000))
        self.assertEqual(
            self.rows("SELECT path, bytes, modified, pattern FROM trace_files(?)", path),
            [(path, 6, 1700000000.25, path)],
        )
        rows = self.db.execute("SELECT path, bytes FROM trace_files(?)", (self.path("b/[0-9]*"),))
        os.unlink(self.path("b/2.csv"))
        self.assertEqual(rows.fetchall(), [(self.path("b/10.csv"), 6), (self.path("b/2.csv"), None)])

    def test_nothing_there(self):
        for pattern in ("nope", "nope*", "a.csv/x", "b/*/*/*"):
            self.assertEqual(self.listed(pattern), [], pattern)
            self.assertEqual(
                self.rows("SELECT r.* FROM trace_files(?) AS f, csv_trace(f.path) AS r", self.path(pattern)), []
            )
            with self.assertRaisesRegex(sqlite3.OperationalError, "csv_trace: no "):
                self.rows("SELECT * FROM csv_trace(?)", self.path(pattern))
        self.assertEqual(self.rows("SELECT * FROM trace_files(NULL)"), [])
        os.mkdir(self.path("empty"))
        self.assertEqual(self.listed("empty"), [])

    def test_errors(self):
        for argument, expected in (
            ("'a' || char(0)", "path: expected text, found a NUL byte"),
            ("1", "path: expected text, found 1"),
            ("printf('%.5000c', 'x')", "path: expected at most 4095 bytes, found 5000"),
        ):
            self.fails("trace_files: " + expected, f"SELECT * FROM trace_files({argument})")

    def test_joined_from_either_side(self):
        self.db.execute("CREATE TABLE wanted(pattern)")
        self.db.executemany("INSERT INTO wanted VALUES (?)", [(self.path(name),) for name in ("b/1*", "nope", "a.csv")])
        self.db.execute("INSERT INTO wanted VALUES (NULL)")
        expected = [self.path(name) for name in ("b/10.csv", "a.csv")]
        for sql in (
            "SELECT f.path FROM wanted AS w, trace_files(w.pattern) AS f",
            "SELECT f.path FROM trace_files AS f JOIN wanted AS w ON f.pattern = w.pattern",
        ):
            self.assertEqual([path for path, in self.rows(sql)], expected)
        self.assertEqual(
            self.rows(f"SELECT count(*) FROM trace_files({quote(self.folder)}) WHERE path LIKE '%.csv' AND bytes = 6"),
            [(5,)],
        )


class Many(FolderCase):
    """A look at the host for each file of a folder, wherever each is looked at: a stat may wait for a server."""

    N = 2000

    def setUp(self):
        super().setUp()
        for i in range(self.N):
            os.close(os.open(self.path(f"{i:04}.txt"), os.O_CREAT))
        self.file("job,pool,chips,start_time,end_time\nj,p,8,0,100\n", "allocations.csv")

    def looks(self, sql, *parameters):
        """How often the host is asked, by calls of a handler, and that it is heard."""
        looks = 0

        def look():
            nonlocal looks
            looks += 1
            return 0 < stop <= looks  # as an interruption stays

        self.db.set_progress_handler(look, 1)
        stop = -1
        rows = self.rows(sql, *parameters)
        found = looks
        for stop in (found // 7, found // 2, found * 5 // 6):
            looks = 0
            self.assertEqual("interrupted", self.error(sql, *parameters))
        self.db.set_progress_handler(None, 0)
        self.assertEqual(rows, self.rows(sql, *parameters))
        return found / 5  # of its calls, or more where SQLite is newer, a look takes about so many

    def test_listed(self):
        self.assertGreater(self.looks("SELECT count(*) FROM trace_files(?)", self.folder), 1.5 * self.N)

    def test_kept(self):
        sql = "SELECT sum(chip_us) FROM trace_rollup(?)"
        time.sleep(2.1)  # until the times of the files are old enough to be trusted
        for expected in (self.rows(sql, self.folder), self.rows(sql, self.folder)):
            self.assertEqual(expected, [(800_000_000,)])
        issues = self.rows("SELECT * FROM mpg_issues ORDER BY source")
        self.assertGreater(len(issues), self.N)
        self.assertGreater(
            self.looks(sql, self.folder), 1.5 * self.N
        )  # of a roll-up that is kept: each file is looked at once
        self.assertEqual(issues, self.rows("SELECT * FROM mpg_issues ORDER BY source"))


class Opened(FolderCase):
    """Each folder of a roll-up is listed once, and each file opened once, however many rooms look at it."""

    def calls(self, path):
        """{(call, path): how often} of the system calls that name something there."""
        if os.environ.get("MPG_SANITIZED") or not shutil.which("strace"):
            self.skipTest("needs strace, and no sanitizer, whose leak check cannot be traced")
        log = self.path("calls.strace")
        code = "import sys; from fleets import connect; print(connect().execute('SELECT count(*) > 0 FROM trace_rollup(?)', sys.argv[1:]).fetchone())"
        run = subprocess.run(
            ["strace", "-f", "-o", log, "-e", "trace=file", sys.executable, "-c", code, path],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
        if "ptrace" in run.stderr:
            self.skipTest("strace may not trace here")
        self.assertEqual((0, "(1,)\n"), (run.returncode, run.stdout), run.stderr)
        with open(log, encoding="utf-8") as lines:
            found = re.findall(
                r'^\d+ +(open(?:at)?|\w*stat\w*)\((?:AT_FDCWD, )?"(' + re.escape(path) + '[^"]*)"', lines.read(), re.M
            )
        return collections.Counter(
            ("open" if call.startswith("open") else "stat", os.path.relpath(name, path)) for call, name in found
        )

    def copied(self, *names):
        os.mkdir(self.path("trace"))
        for name in names:
            shutil.copy(os.path.join(ROOT, "fixtures", name), self.path("trace"))
            os.utime(self.path(os.path.join("trace", os.path.basename(name))), (0, 0))
        time.sleep(2.1)  # until their times are old enough to be trusted
        return self.path("trace")

    def test_native(self):
        names = [
            "golden/" + name for name in os.listdir(os.path.join(ROOT, "fixtures/golden")) if name.endswith(".csv")
        ]
        calls = self.calls(self.copied(*names))
        expected = {("open", "."): 1, ("stat", "."): 1}
        for name in names:
            expected["open", os.path.basename(name)] = 1
            expected["stat", os.path.basename(name)] = 2  # listed, and looked at again before it is kept
        self.assertEqual(expected, dict(calls))

    def test_scripts(self):
        calls = self.calls(
            self.copied(
                "slurm/sacct_jobs.psv", "slurm/scontrol_nodes.txt", "prometheus/dcgm.json", "prometheus/dcgm.prom"
            )
        )
        self.assertEqual({1}, {n for (call, _), n in calls.items() if call == "open"}, calls)


class OpenDatabases(FolderCase):
    """A reader that opened and closed a database of its connection would take SQLite's locks off it, and let another process write."""

    READERS = [
        table for table in formats.READERS if not formats.first(table).arguments
    ]  # these are asked by a path alone

    def others_write(self, path):
        write = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).executescript('BEGIN IMMEDIATE; INSERT INTO x VALUES (99); COMMIT')"
        done = subprocess.run([sys.executable, "-c", write, path], capture_output=True, text=True, check=False)
        self.assertTrue(done.returncode == 0 or "database is locked" in done.stderr, done.stderr)
        return done.returncode == 0

    def test_locks_stay(self):
        for mode in ("delete", "wal"):
            path, attached = self.path(mode + ".db"), self.path(mode + "2.db")
            db = connect(path)
            self.addCleanup(db.close)
            db.execute("ATTACH ? AS two", (attached,))
            for schema in ("main", "two"):
                db.execute(f"PRAGMA {schema}.journal_mode = {mode}")
                db.execute(f"CREATE TABLE {schema}.x(a)")
            db.execute("BEGIN IMMEDIATE")
            for schema in ("main", "two"):
                db.execute(f"INSERT INTO {schema}.x VALUES (1)")
            os.symlink(path, self.path(mode + ".csv"))
            names = [path, attached, self.path(mode + ".csv"), self.path(mode + ".c*")] + [
                name + "-shm" for name in (path, attached) if mode == "wal"
            ]
            for name in names:
                for reader in self.READERS:
                    with self.assertRaisesRegex(
                        sqlite3.OperationalError, "expected a file, found a database that this connection has open$"
                    ):
                        db.execute(f"SELECT * FROM {reader} WHERE path = ?", (name,)).fetchall()
            folder = tempfile.mkdtemp(dir=self.path(""))
            with open(folder + "/a.csv", "w", encoding="utf-8") as out:
                out.write("a\n1\n")
            os.symlink(path, folder + "/own.csv")
            for module, sql in (
                ("csv_trace", "SELECT count(*) FROM csv_trace WHERE path = ? AND on_error = 'skip'"),
                ("csv_rollup", "SELECT sum(record ->> 'rows') FROM csv_rollup WHERE path = ? AND on_error = 'skip'"),
            ):
                with self.subTest(mode=mode, module=module):  # among others it is left out, as what is no trace
                    self.assertEqual(db.execute(sql, (folder,)).fetchall(), [(1,)])
                    self.assertEqual(
                        db.execute(
                            "SELECT kind, count FROM mpg_issues WHERE source = ?", (folder + "/own.csv",)
                        ).fetchall(),
                        [("skipped_record", 1)],
                    )
            self.assertFalse(self.others_write(path) or self.others_write(attached))
            db.execute("COMMIT")
            self.assertEqual(db.execute("SELECT * FROM main.x UNION ALL SELECT * FROM two.x").fetchall(), [(1,), (1,)])
            db.execute("DETACH two")
            self.assertTrue(self.others_write(path) and self.others_write(attached))
            with self.assertRaisesRegex(sqlite3.OperationalError, "found byte 0x00$"):  # no longer ours
                db.execute("SELECT * FROM csv_trace WHERE path = ?", (attached,)).fetchall()


class LongPaths(FolderCase):
    """A path of 4,000 bytes leaves room for what is wrong: records are passed over as in any file, and each is told."""

    def setUp(self):
        super().setUp()
        self.deep = os.path.join(self.folder, *["d" * 200] * 19)
        os.makedirs(self.deep)

    def test_skipped(self):
        wrong = {
            "jobs.csv": 'job,name\na,b\nc,"d"e\nf,"g"h\ni,j\n',
            "jobs.jsonl": '{"record":"job","job":"a"}\n{]\n{}}\n{"record":"job","job":"b"}\n',
            "sacct.psv": "JobID|State|Start\n1|COMPLETED|2026-01-01T00:00:00\n2|COMPLETED|never\n3|COMPLETED|whenever\n4|COMPLETED|2026-01-01T00:00:00\n",
        }
        for name, text in wrong.items():
            for table in {
                "csv": ("trace_records", "csv_trace"),
                "jsonl": ("trace_records", "jsonl_trace"),
                "psv": ("slurm_trace",),
            }[name.split(".")[1]]:
                path = os.path.join(self.deep, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                self.assertGreater(len(path), 3800)
                error = self.error(f"SELECT * FROM {table}(?)", path)
                self.assertRegex(error, rf"^{table}: /.*\.\.\..*/{name}:[23]:\d+: expected ")
                rows = self.one(f"SELECT count(*) FROM {table} WHERE path = ? AND on_error = 'skip'", path)
                ((line, count, detail),) = self.rows(
                    "SELECT line, count, detail FROM mpg_issues WHERE source = ? AND kind = 'skipped_record'", path
                )
                short = self.path(name)
                with open(short, "w", encoding="ascii") as file:
                    file.write(text)
                self.assertEqual(
                    rows, self.one(f"SELECT count(*) FROM {table} WHERE path = ? AND on_error = 'skip'", short)
                )
                told = self.rows(
                    "SELECT line, count, detail FROM mpg_issues WHERE source = ? AND kind = 'skipped_record'", short
                )
                self.assertEqual(
                    [(line, count, detail[detail.rindex(name) :])],
                    [(at, n, text[text.rindex(name) :]) for at, n, text in told],
                )


class Links(Case):
    """Links within a folder: to a file that is there too, whose records come twice; to a folder, which is not followed."""

    def test_readers(self):
        spans = "job,kind,start_time,end_time\nj,step,1,2\n"
        inner, elsewhere = self.folder_of({"spans.csv": spans}), self.folder_of({"spans.csv": spans.replace("j", "k")})
        os.symlink("spans.csv", os.path.join(inner, "latest.csv"))
        os.link(os.path.join(inner, "spans.csv"), os.path.join(inner, "zz.csv"))
        os.symlink(elsewhere, os.path.join(inner, "more"))
        os.symlink(".", os.path.join(inner, "more2"))
        first = os.path.join(inner, "latest.csv")
        for again in range(2):
            for reader, n in (
                ("csv_trace(%s)", 3),
                ("csv_rollup(%s, 'end_time')", 1),
                ("log_trace(%s, '(?<x>.*)')", 6),
            ):
                with self.subTest(reader=reader, again=again):
                    self.assertEqual(n, len(self.rows("SELECT * FROM " + reader % quote(inner))))
                    links = [
                        row
                        for row in self.rows("SELECT source, severity, kind, count, detail FROM mpg_issues")
                        if row[2] == "ignored_file"
                    ]
                    self.assertEqual([(first, "info", "ignored_file", 2)], [row[:4] for row in links])
                    self.assertRegex(
                        links[0][4], re.escape(inner) + "/more2?: a link to a folder, not followed: name it itself$"
                    )
                    self.assertEqual(
                        [
                            (
                                os.path.join(inner, name),
                                "warning",
                                1,
                                f"by a link, or by another spelling of its path, it is the file {first}: its records come twice",
                            )
                            for name in ("spans.csv", "zz.csv")
                        ],
                        self.rows(
                            "SELECT source, severity, count, detail FROM mpg_issues WHERE kind = 'same_content' ORDER BY source"
                        ),
                    )

    def test_sources(self):
        """What reads all formats lists the link that it does not follow; a copy it knows by its content."""
        capacity = "pool,chips,start_time,end_time\np,4,0,9\n"
        inner, elsewhere = self.folder_of({"capacity.csv": capacity}), self.folder_of(
            {"capacity.csv": capacity.replace("p,4", "q,4")}
        )
        link = os.path.join(inner, "more")
        os.symlink(elsewhere, link)
        for again in range(2):
            for sql in (
                "SELECT path FROM trace_sources(%s)",
                "SELECT pool FROM trace_rollup(%s) WHERE pool IS NOT NULL",
            ):
                with self.subTest(sql=sql, again=again):
                    self.assertEqual(1, len(set(self.rows(sql % quote(inner)))))
                    self.assertEqual(
                        [("info", 1, "a link to a folder, not followed: name it itself")],
                        self.rows("SELECT severity, count, detail FROM mpg_issues WHERE source = ?", link),
                    )

    def test_what_is_no_file(self):
        """A link that leads nowhere, a pipe, a socket: passed over, and said, each by trace_sources, in sum by a reader."""
        capacity = "pool,chips,start_time,end_time\np,4,0,9\n"
        folder = self.folder_of({"capacity.csv": capacity})
        path = lambda name: os.path.join(folder, name)
        os.symlink("nowhere.csv", path("broken.csv"))
        os.symlink("loop.csv", path("loop.csv"))
        os.mkfifo(path("pipe.csv"))
        os.symlink(".", path("more"))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path("socket.csv"))
        nowhere, special, link = (
            "a link that leads nowhere",
            "a pipe, socket or device: not opened",
            "a link to a folder, not followed: name it itself",
        )
        wanted = [
            ("broken.csv", nowhere),
            ("loop.csv", nowhere),
            ("more", link),
            ("pipe.csv", special),
            ("socket.csv", special),
        ]
        self.assertEqual(
            [(path(name), None, why) for name, why in wanted],
            self.rows("SELECT file, format, reason FROM trace_sources(?) WHERE format IS NULL ORDER BY file", folder),
        )
        for again in range(2):
            for sql in ("SELECT file FROM trace_sources(?)", "SELECT pool FROM trace_rollup(?)"):
                self.rows(sql, folder)
                self.assertEqual(
                    [(path(name), "info", 1, why) for name, why in wanted],
                    self.rows(
                        "SELECT source, severity, count, detail FROM mpg_issues WHERE kind = 'ignored_file' ORDER BY source"
                    ),
                )
        self.db.close()
        self.db = connect()
        self.assertEqual(1, len(self.rows("SELECT * FROM csv_trace(?)", folder)))
        self.assertEqual(
            [(path("capacity.csv"), 5)], self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'ignored_file'")
        )
        # A glob as well, which lists folders, too, unless it ends with "**"; a list has no file by such a name.
        os.makedirs(path("below"))
        for pattern, listed in (("*", 6), ("**", 5)):
            self.assertEqual(1, len(self.rows("SELECT * FROM csv_trace(?)", path(pattern))))
            self.assertEqual(
                [(listed,)],
                self.rows(
                    "SELECT count FROM mpg_issues WHERE kind = 'ignored_file' AND source = ?", path("capacity.csv")
                ),
            )
        self.assertEqual(
            [(path("below"), "a folder: end the glob with /** for what is below")],
            self.rows("SELECT file, reason FROM trace_sources(?) WHERE file LIKE '%/below'", path("*")),
        )
        self.fails(f"csv_trace: only folders match: {path('b[e]*')}", "SELECT * FROM csv_trace(?)", path("b[e]*"))
        self.assertIn(
            "no such file",
            self.error("SELECT * FROM csv_trace(?)", json.dumps([path("capacity.csv"), path("br*.csv")])),
        )


class SameName(Case):
    """Of a file that a folder holds plain and packed the second is listed; compression is told by the bytes, so any packer will do."""

    def folder_with(self, text, *names):
        return self.folder_of(
            {name: gzip.compress(text.encode()) if name.endswith((".gz", ".zst")) else text for name in names}
        )

    def check(self, read, text, end):
        listed = "SELECT source, severity, count, detail FROM mpg_issues WHERE kind = 'same_name' ORDER BY source"
        folder = self.folder_with(
            text,
            "spans" + end,
            "spans-b" + end + ".gz",
            "spans" + end + "-1",
            "spans" + end + ".gz",
            "spans" + end + ".zst",
            "spans-c" + end + ".zst",
            "spans-c" + end + ".gz",
        )
        here = os.path.join(folder, "spans")
        for again in range(2):
            read(os.path.join(folder, "*[vlt]*"))
            self.assertEqual(
                self.rows(listed),
                [
                    (
                        here + packed,
                        "warning",
                        1,
                        here + other + " is read too: where one is a copy of the other, its records come twice",
                    )
                    for packed, other in ((f"-c{end}.zst", f"-c{end}.gz"), (f"{end}.gz", end), (f"{end}.zst", end))
                ],
                again,
            )
        for name in (f"spans{end}.gz", f"spans{end}.zst", f"spans-c{end}.gz"):
            os.unlink(os.path.join(folder, name))
        read(os.path.join(folder, "*[vlt]*"))
        self.assertEqual([row for row in self.rows(listed) if os.path.exists(row[0])], [])

    def test_readers(self):
        spans = "job,kind,start_time,end_time\na,step,1,2\n"
        for table, text, end in (
            ("trace_records", spans, ".csv"),
            ("csv_trace", spans, ".csv"),
            ("jsonl_trace", '{"a":1}\n', ".jsonl"),
            ("slurm_trace", "JobID|State\n1|FAILED\n", ".psv.txt"),
            ("goodput_trace", '{"job_name":"a","job_start_time":1}\n', ".jsonl"),
            ("goodput_report", '{"job_name":"a","job_start_time":1}\n', ".jsonl"),
            ("otlp_trace", "{}\n", ".jsonl"),
        ):
            with self.subTest(table):
                self.db.close()
                self.db = connect()
                self.check(lambda path: self.rows(f"SELECT * FROM {table}(?)", path), text, end)

    def test_tables(self):
        for table in ("csv_trace", "csv_rollup"):
            with self.subTest(table):
                self.db.close()
                self.db = connect()

                def read(path):
                    self.db.execute("DROP TABLE IF EXISTS temp.t")
                    self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING {table}({quote(path)})")
                    self.rows("SELECT a, count(*) FROM t GROUP BY a")

                self.check(read, "a,b\n1,2\n", ".csv")

    def test_those_that_are_read(self):
        """A condition of _file leaves the other unread."""
        folder = self.folder_with("a,b\n1,2\n", "x.csv", "x.csv.gz")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING csv_trace({quote(folder)})")
        for name in ("x.csv", "x.csv.gz"):
            self.assertEqual(self.rows("SELECT a FROM t WHERE _file = ?", os.path.join(folder, name)), [(1,)])
            self.assertEqual(self.rows("SELECT * FROM mpg_issues"), [])

    def test_an_older_one_kept(self):
        """As editors and people keep it: read too, by its content, and listed."""
        for end in ("~", ".bak", ".old", ".orig", ".save"):
            folder = self.folder_with(
                "pool,chips,start_time,end_time\np,8,0,10\n", "capacity.csv", "capacity.csv" + end
            )
            self.assertEqual(self.rows("SELECT sum(chip_us) FROM trace_rollup(?)", folder), [(160000000,)], end)
            self.assertIn(
                (os.path.join(folder, "capacity.csv" + end), "same_name"),
                self.rows("SELECT source, kind FROM mpg_issues"),
            )

    def test_the_ledger(self):
        folder = self.folder_with("pool,chips,start_time,end_time\np,8,0,10\n", "capacity.csv", "capacity.csv.gz")
        for again in range(2):
            self.assertEqual(self.rows("SELECT category, chip_us FROM trace_rollup(?)", folder), [("idle", 160000000)])
            self.assertEqual(
                self.rows("SELECT source, severity, kind FROM mpg_issues"),
                [(os.path.join(folder, "capacity.csv.gz"), "warning", "same_name")],
                again,
            )


if __name__ == "__main__":
    unittest.main()
