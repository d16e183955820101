"""What slurm_trace promises as every reader does: arguments, its declaration, records and files that are skipped, issues, interrupts."""

import gzip
import json
import random
import threading
import unittest

from slurm import CLOCKS, COUNTS, DERIVED, DURATIONS, JOBS, NODUP, TIMES, Case


class Contract(Case):
    def test_argument_errors(self):
        query = "SELECT count(*) FROM slurm_trace"
        zone = "expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, found"
        for sql, parameters, text in (
            (query, (), "slurm_trace: expected a path, as in slurm_trace('sacct.psv')"),
            (
                "SELECT * FROM slurm_events_trace",
                (),
                "slurm_events_trace: expected a path, as in slurm_events_trace('events.psv')",
            ),
            (
                query + "(2026-11)",
                (),
                "slurm_trace: expected a path, as in slurm_trace('sacct.psv'), found the number 2015 (.param set computes what it can: write \"'2026-11'\")",
            ),
            (query + "(1.5)", (), "slurm_trace: path: expected a file, a glob or a folder, found 1.5"),
            (query + "(?, 'Europe/../../etc/passwd')", (JOBS,), f'slurm_trace: zone: {zone} "Europe/../../etc/passwd"'),
            (query + "(?, '/etc/localtime')", (JOBS,), f'slurm_trace: zone: {zone} "/etc/localtime"'),
            (
                query + "(?, 'CEST')",
                (JOBS,),
                'slurm_trace: zone: no time zone "CEST" in /usr/share/zoneinfo (is the package tzdata installed?)',
            ),
            (
                query + "(?, 2)",
                (JOBS,),
                "slurm_trace: zone: expected UTC, an offset or the name of a time zone, found 2",
            ),
            (
                query + "(?, 'UTC', 'JobID,Stat')",
                (JOBS,),
                'slurm_trace: columns: expected sacct fields such as "Account", separated by commas, or - for a column to ignore, '
                'found "Stat"',
            ),
            (
                query + "(?, 'UTC', '', char(10))",
                (JOBS,),
                "slurm_trace: delimiter: expected up to 16 bytes, no line break or NUL, found '\\x0a'",
            ),
            (
                query + "(?) WHERE on_error = 'ignore'",
                (JOBS,),
                "slurm_trace: on_error: expected 'stop' or 'skip', found 'ignore'",
            ),
        ):
            with self.subTest(sql):
                self.assertEqual(self.error(sql, *parameters), text)
        self.assertTrue(self.error(query + "('/no/such/file')").startswith("slurm_trace: "))

    def test_null_arguments(self):
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(NULL)"), [])
        self.assertEqual(*(self.rows(f"SELECT * FROM slurm_trace(?{more})", JOBS) for more in (", NULL", "")))
        self.assertEqual(
            *(self.rows(f"SELECT * FROM slurm_trace(?){more}", JOBS) for more in (" WHERE on_error = NULL", ""))
        )

    def test_declaration(self):
        rows = self.rows("SELECT name, type, hidden FROM pragma_table_xinfo('slurm_trace')")
        self.assertEqual(
            [row[0] for row in rows if row[2]],
            ["path", "zone", "columns", "delimiter", "on_error", "threads", "_file", "_line"],
        )
        self.assertEqual([row[0] for row in rows if not row[2]][-len(DERIVED) :], DERIVED)
        types = {row[0]: row[1] for row in rows}
        for name, kind in types.items():
            wanted = "BIGINT" if name in TIMES + DURATIONS + COUNTS else "REAL" if name in CLOCKS else None
            self.assertEqual(kind, wanted or kind, name)
        self.assertEqual({row[1] for row in rows if not row[2]}, {"TEXT", "BIGINT", "REAL"})

    def test_no_schema_can_hold_a_path(self):
        self.db.execute(f"CREATE TEMP VIEW mine AS SELECT count(*) AS n FROM slurm_trace('{JOBS}')")
        self.assertEqual(self.one("SELECT n FROM mine"), 29)
        self.db.execute(f"CREATE VIEW stored AS SELECT count(*) AS n FROM slurm_trace('{JOBS}')")
        self.assertEqual(self.error("SELECT n FROM stored"), 'unsafe use of virtual table "slurm_trace"')
        self.assertEqual(self.error("CREATE VIRTUAL TABLE x USING slurm_trace"), "no such module: slurm_trace")

    def test_skipped_records(self):
        path = self.file(
            "JobID|State|Start\n1|FAILED|1795240353\n2|FAILED|noon\n3|FAILED\n1|FAILED|1795240353\nx|FAILED|0\n"
        )
        text = f'{path}:3:10: expected a time such as 2026-11-21T05:52:33 or Unix seconds for Start, found "noon"'
        self.assertEqual(self.error("SELECT * FROM slurm_trace(?)", path), "slurm_trace: " + text)
        for _ in range(2):  # a source that is read again replaces its rows
            self.assertEqual(
                self.rows("SELECT JobID, _line FROM slurm_trace(?) WHERE on_error = 'skip'", path), [("1", 2), ("1", 5)]
            )
            self.assertEqual(
                self.rows(
                    "SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? AND kind <> 'no_tres'",
                    path,
                ),
                [("data_loss", "skipped_record", 3, 3, text)],
            )

    def test_skipped_files(self):
        bad, good = self.file("nonsense\n"), self.file("JobID|State\n1|FAILED\n")
        self.assertEqual(
            self.rows("SELECT JobID FROM slurm_trace WHERE path IN (?, ?) AND on_error = 'skip'", bad, good), [("1",)]
        )
        self.assertEqual(self.issues(bad), {"skipped_record": 1})
        nul = self.file("JobID|State\n1|FAILED\n2|FAI\0LED\n1|FAILED\n")
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", nul), 2)
        self.assertEqual(self.issues(nul), {"skipped_record": 1, "no_tres": 1})
        nul = self.file("JobID|Comment\n1|a\n2|b\0\n1|c\n")  # where a line may go on in the next
        self.assertEqual(self.rows("SELECT Comment FROM slurm_trace(?) WHERE on_error = 'skip'", nul), [("a",), ("c",)])
        self.assertEqual(self.issues(nul), {"skipped_record": 1, "no_tres": 1})

    def test_a_file_that_breaks_off(self):
        pick = random.Random(3)
        whole = gzip.compress(b"JobID|State\n" + b"".join(b"%d|FAILED\n" % pick.getrandbits(60) for _ in range(99999)))
        cut = self.file(whole[:-9000], "cut.gz")
        self.assertIn("truncated", self.error("SELECT count(*) FROM slurm_trace(?)", cut))
        found = self.one("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", cut)
        self.assertGreater(found, 1000)
        self.assertEqual(self.issues(cut)["skipped_record"], 1)

    def test_issues_of_whole_files(self):
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", JOBS), 29)
        self.assertEqual(self.issues(JOBS), {})
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", NODUP), 26)
        self.assertEqual(self.issues(NODUP), {"no_requeues": 1})
        cut = self.file("JobIDRaw|State\n1.batch|FAILED\n1.0|FAILED\n2|FAILED\n2.batch|FAILED\n2|FAILED\n")
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?) WHERE step IS NULL", cut), 2)
        self.assertEqual(self.issues(cut)["left_out"], 2)
        path = self.file("JobID|Frobs|State|Nitz\n1|x|FAILED|y\n1|x|FAILED|y\n")
        self.assertEqual(self.rows("SELECT JobID, State FROM slurm_trace(?)", path), [("1", "FAILED")] * 2)
        self.assertEqual(
            self.rows("SELECT kind, severity, count, detail FROM mpg_issues WHERE source = ? ORDER BY kind", path),
            [
                ("no_tres", "warning", 1, "neither AllocTRES nor ReqTRES was exported: nobody knows of GPUs"),
                ("unknown_column", "info", 2, "left out: Frobs, Nitz"),
            ],
        )
        path = self.file("1|FAILED|gres/gpu=1\n")
        for columns, missing in (
            ("JobID,State,AllocTRES", {"no_requeues": 1}),
            ("JobID,State,-", {"no_requeues": 1, "no_tres": 1}),
        ):
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?, 'UTC', ?)", path, columns), 1)
            self.assertEqual(self.issues(path), missing)

    def test_no_gpus_among_the_resources(self):
        """AccountingStorageTRES has no gres/gpu unless it is given it: that is not to look like a cluster without work."""
        header, job = "JobID|State|ReqTRES|AllocTRES\n", "1|FAILED|{}|{}\n"
        detail = "no job's AllocTRES or ReqTRES lists gres/gpu: did AccountingStorageTRES have it when the jobs ran?"
        plain = job.format("billing=8,cpu=8,mem=64G,node=1", "billing=8,cpu=8,mem=64G,node=1")
        tres = [{"type": "cpu", "count": 8}]
        gpus = tres + [{"type": "gres", "name": "gpu:h100", "count": 8}]
        for text, wanted in (
            (header + plain * 2, {"no_tres": 1}),
            (header + plain * 40000, {"no_tres": 1}),
            (header + plain * 40000 + job.format("cpu=8,gres/gpu=1", ""), {}),
            (header + plain + job.format("", "cpu=8,gres/gpu:h100=1"), {}),
            (header + job.format("", "") * 2, {}),
            (header, {}),
            (json.dumps({"jobs": [{"job_id": 1, "tres": {"allocated": [], "requested": tres}}] * 2}), {"no_tres": 1}),
            (json.dumps({"jobs": [{"job_id": 1, "tres": {"allocated": gpus, "requested": tres}}] * 2}), {}),
            (
                json.dumps(
                    {
                        "jobs": [
                            {"job_id": 1, "job_state": "RUNNING", "tres_alloc_str": "cpu=8", "gres_detail": ["gpu:8"]}
                        ]
                        * 2
                    }
                ),
                {},
            ),
        ):
            with self.subTest(text[:90]):
                path = self.file(text)
                self.rows("SELECT count(*) FROM slurm_trace(?)", path)
                self.assertEqual(self.issues(path), wanted)
                self.assertEqual(
                    self.rows("SELECT severity, detail FROM mpg_issues WHERE source = ?", path),
                    [("warning", detail)] * len(wanted),
                )

    def test_texts_outlive_their_row(self):
        """min() and max() keep values while the scan goes on."""
        self.assertEqual(
            self.rows("SELECT max(Start), JobName, nodes FROM slurm_trace(?)", JOBS),
            [(1795240849, "node-fail2", '["n2","n3"]')],
        )
        self.assertEqual(
            self.rows("SELECT min(JobName), max(JobName) FROM slurm_trace(?)", JOBS), [("arr", "too-big-pending")]
        )

    def test_interrupt(self):
        path = self.file("JobID|State\n" + "x\n" * 3000000)
        timer = threading.Timer(0.1, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", path), "interrupted")
        timer.join()

    def test_utf16_database(self):
        self.db.execute("PRAGMA encoding = 'UTF-16'")
        self.db.execute("CREATE TABLE t(x)")
        self.assertEqual(self.one("SELECT min(Start) FROM slurm_trace(?, '+01:00')", JOBS), 1795240353 - 3600)


if __name__ == "__main__":
    unittest.main()
