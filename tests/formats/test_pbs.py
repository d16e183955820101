"""PBS accounting logs: pbs_trace.

What it says of the logs is held against a reading of them in Python, their local times against Python's
zoneinfo and the epoch times beside them."""

import datetime
import gzip
import json
import os
import re
import threading
import unittest
import zoneinfo

import cases
from fleets import ROOT

LOG = os.path.join(ROOT, "fixtures/pbs/accounting.log")
TORQUE = os.path.join(ROOT, "fixtures/pbs/torque.log")
REAL = os.path.join(ROOT, "../shared/traces/pbs/qhist_testdata.log")
SACCT = os.path.join(ROOT, "fixtures/slurm/sacct_jobs.psv")
SWF = os.path.join(ROOT, "fixtures/swf/small.swf")
T0 = 1743440400  # 11:00:00 in Denver: the fixture's first second
EXPECTED = "expected a PBS accounting record such as 03/31/2025 10:59:15;Q;123.server;user=..., found "
HEAD = ["date_time", "record_type", "id_string", "message_text"]
DERIVED = "other job_base array_index server outcome req_gpus req_cpus alloc_gpus alloc_cpus gpu_type nodes".split()
TIMES = "ctime qtime etime start end".split()
COUNTS = (
    "Resource_List.ncpus Resource_List.ngpus Resource_List.nodect resource_assigned.ncpus resource_assigned.ngpus Exit_status "
    "resources_used.cpupercent resources_used.ncpus resources_used.ngpus run_count"
).split()
DURATIONS = "Resource_List.walltime resources_used.cput resources_used.walltime eligible_time".split()
AT = "03/31/2025 10:59:15;"


def seconds(text):
    total = 0
    for part in text.split(":"):
        total = total * 60 + int(part)
    return total


def read_plain(path, zone):
    """The records as dictionaries of texts, by regular expressions."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            time, kind, job, message = line.split(";", 3)
            local = datetime.datetime.strptime(time, "%m/%d/%Y %H:%M:%S").replace(tzinfo=zoneinfo.ZoneInfo(zone))
            keys = {
                key: quoted or plain for key, quoted, plain in re.findall(r'([A-Za-z_.]+)=(?:"([^"]*)"|(\S*))', message)
            }
            yield number, int(local.timestamp()), kind, job, keys


class Case(cases.Case):
    FILE = "20250331"


class Files(Case):
    def compare(self, path, zone):
        known = [
            row[0]
            for row in self.rows("SELECT name FROM pragma_table_xinfo('pbs_trace') WHERE hidden = 0")
            if row[0] not in HEAD + DERIVED
        ]
        listed = ", ".join(f'"{name}"' for name in known)
        found = self.rows(
            f"SELECT _line, date_time, record_type, id_string, other, {listed} FROM pbs_trace(?, ?)", path, zone
        )
        wanted = []
        for number, time, kind, job, keys in read_plain(path, zone):
            row = [number, time, kind, job]
            others = {key: value for key, value in keys.items() if key not in known}
            row.append(others or None)
            for name in known:
                text = keys.get(name)
                if not text or (name in TIMES and text == "0"):
                    row.append(None)
                else:
                    row.append(seconds(text) if name in DURATIONS else int(text) if name in TIMES + COUNTS else text)
            wanted.append(tuple(row))
        found = [row[:4] + (row[4] and json.loads(row[4]),) + row[5:] for row in found]
        self.assertEqual(found, wanted)
        return len(found)

    def test_fixture(self):
        self.assertEqual(self.compare(LOG, "America/Denver"), 31)

    def test_the_real_log(self):
        if not os.path.exists(REAL):
            self.skipTest("../shared is not here")
        self.assertEqual(self.compare(REAL, "America/Denver"), 18)
        self.assertEqual(
            self.rows("SELECT record_type, count(*) FROM pbs_trace(?) GROUP BY 1", REAL),
            [("E", 4), ("Q", 8), ("R", 1), ("S", 5)],
        )
        # The server's own clock beside its epoch times: the zone is right.
        self.assertEqual(
            self.rows(
                """SELECT DISTINCT record_type, date_time - CASE record_type WHEN 'Q' THEN qtime WHEN 'S' THEN start ELSE "end" END
                         FROM pbs_trace(?, 'America/Denver') ORDER BY 1""",
                REAL,
            ),
            [("E", 0), ("Q", 0), ("R", 0), ("S", 0)],
        )
        self.assertEqual(
            self.rows(
                """SELECT id_string, server, outcome, Exit_status, alloc_cpus, alloc_gpus, nodes FROM pbs_trace(?)
                         WHERE record_type IN ('E', 'R') ORDER BY job_base, _line""",
                REAL,
            ),
            [
                ("4215033.casper-pbs", "casper-pbs", "preempted", -3, 1, 0, '["crhtc65"]'),
                ("4215033.casper-pbs", "casper-pbs", "failed", -1, 1, 0, '["crhtc65"]'),
                ("4215034.casper-pbs", "casper-pbs", "completed", 0, 1, 0, '["crhtc86"]'),
                ("4215065.casper-pbs", "casper-pbs", "completed", 0, 1, 0, '["crhtc82"]'),
                ("4215265.casper-pbs", "casper-pbs", "completed", 0, 5, 0, '["crhtc72"]'),
            ],
        )
        self.assertEqual(
            self.issues(REAL), {"other_zone": 10}
        )  # of all but the 8 of type Q: in UTC the clock is 6 hours off
        self.assertEqual(self.one("SELECT count(*) FROM pbs_trace(?, 'America/Denver')", REAL), 18)
        self.assertEqual(self.issues(REAL), {})

    def test_types(self):
        for name, kind in self.rows("SELECT name, type FROM pragma_table_xinfo('pbs_trace') WHERE hidden = 0"):
            wanted = (
                "REAL"
                if name.endswith("gpus") and name != "exec_gpus"
                else (
                    "BIGINT"
                    if name in TIMES + COUNTS + DURATIONS + ["date_time"]
                    or name in DERIVED
                    and re.search("base|pus$", name)
                    else "TEXT"
                )
            )
            self.assertEqual(kind, wanted, name)
        for row in self.rows(
            'SELECT typeof(date_time), typeof(ctime), typeof(jobname), typeof("Resource_List.walltime") FROM pbs_trace(?) LIMIT 1',
            LOG,
        ):
            self.assertEqual(row, ("integer", "integer", "text", "integer"))

    def test_torque(self):
        self.assertEqual(
            self.rows(
                """SELECT id_string, array_index, jobname, owner, req_gpus, req_cpus, alloc_gpus, alloc_cpus, nodes, outcome
                         FROM pbs_trace(?) WHERE record_type <> 'Q' ORDER BY job_base, _line""",
                TORQUE,
            ),
            [
                ("7.head", None, "relax md run", "erin@login", 4, 4, 4, 4, '["g1","g2"]', None),
                ("7.head", None, "relax md run", "erin@login", 4, 4, 4, 4, '["g1","g2"]', "completed"),
                ("8-1.head", "1", "fold", "erin@login", 1, 1, 1, 1, '["g2"]', None),
                ("8-1.head", "1", "fold", "erin@login", 1, 1, 1, 1, '["g2"]', "failed"),
            ],
        )

    def test_exit_codes_of_both(self):
        """A negative number is the server's own, and not the same in both."""
        vnode, host = "exec_host=n/0 exec_vnode=(n:ncpus=1)", "exec_host=n/0"
        for where, status, outcome in (
            (vnode, -11, "preempted"),
            (vnode, -12, "failed"),
            (vnode, -29, "timeout"),
            (host, -10, "failed"),
            (host, -11, "timeout"),
            (host, -12, "timeout"),
            (host, -14, "failed"),
            (host, 0, "completed"),
            (host, 271, "failed"),
        ):
            path = self.file(f"{AT}E;1.s;start=1 {where} end=2 Exit_status={status}\n")
            self.assertEqual(self.one("SELECT outcome FROM pbs_trace(?)", path), outcome, (where, status))

    def test_where_gpus_are_told(self):
        cases = [
            ("Resource_List.ngpus=0.50 exec_vnode=(n1:ngpus=0.25)+(n2:ngpus=0.75)", 0.5, 1, None),
            ("Resource_List.ngpus=4 Resource_List.select=1:ngpus=8", 4, None, None),
            ("Resource_List.select=2:ncpus=8:ngpus=4:gpu_type=h100+1:ncpus=1", 8, None, "h100"),
            ("Resource_List.select=2:ncpus=8", 0, None, None),
            ("exec_vnode=(n1:ncpus=1:ngpus=2)+(n2:ngpus=1) resource_assigned.ngpus=9", None, 3, None),
            ("exec_vnode=(n1:ncpus=1) resource_assigned.ngpus=9", None, 9, None),
            ("exec_vnode=(n1:ncpus=1) resources_used.ngpus=2", None, 2, None),
            ("exec_vnode=(n1:ncpus=1)", None, 0, None),
            ("exec_host=n1/0 exec_gpus=n1-gpu/3+n1-gpu/1 Resource_List.nodes=1:gpus=4", 4, 2, None),
            ("exec_host=n1/0 Resource_List.nodes=1:gpus=4", 4, 4, None),
            ("Resource_List.gpu_type=v100", None, None, "v100"),
            ("user=x", None, None, None),
        ]
        path = self.file("".join(f"{AT}S;1.s;{text}\n" for text, *_ in cases))
        self.assertEqual(
            self.rows("SELECT req_gpus, alloc_gpus, gpu_type FROM pbs_trace(?)", path),
            [tuple(case[1:]) for case in cases],
        )

    def test_compressed_glob_and_folder(self):
        with open(LOG, "rb") as file:
            text = file.read()
        path = self.file(gzip.compress(text), "20250331.gz")
        folder = os.path.dirname(path)
        with open(os.path.join(folder, "20250401"), "wb") as file:
            file.write(text)
        for of_both in (folder, folder + "/2025*"):
            self.assertEqual(
                self.rows("SELECT _file, count(*), max(_line) FROM pbs_trace(?) GROUP BY 1", of_both),
                [(path, 31, 31), (folder + "/20250401", 31, 31)],
            )


class Errors(Case):
    def test_wrong_formats(self):
        with open(SACCT, encoding="utf-8") as file:
            start = file.readline()[:40]
        text = self.error("SELECT * FROM pbs_trace(?)", SACCT)
        self.assertTrue(text.startswith(f'pbs_trace: {SACCT}:1:1: {EXPECTED}"{start[:30]}'), text)
        self.assertTrue(text.endswith(" (a header of sacct: read it with slurm_trace)"), text)
        self.assertIn(
            f'pbs_trace: {SWF}:1:1: {EXPECTED}"; Version: 2.2"', self.error("SELECT * FROM pbs_trace(?)", SWF)
        )
        self.assertTrue(
            self.error("SELECT * FROM slurm_trace(?)", LOG).startswith(
                f'slurm_trace: {LOG}:1:1: expected a header of sacct field names such as JobID|State|Start, found "03/31/2025 11:00:00;Q;101.pod;'
            )
        )

    def test_broken_files(self):
        binary = self.file(bytes(range(256)) * 50)
        self.assertRegex(self.error("SELECT * FROM pbs_trace(?)", binary), "^pbs_trace: .*:1:1: expected ")
        with open(LOG, "rb") as file:
            cut = self.file(gzip.compress(file.read() * 400)[:-200], "cut.gz")
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM pbs_trace(?)", cut))
        self.assertGreater(self.one("SELECT count(*) FROM pbs_trace(?) WHERE on_error = 'skip'", cut), 100)
        self.assertEqual(self.issues(cut)["skipped_record"], 1)

    def test_a_log_that_is_being_written(self):
        with open(LOG, encoding="utf-8") as file:
            text = file.read()
        whole = [text.count("\n", 0, size) for size in range(len(text) + 1)]
        for size in (1, 10, 22, 23, 200, 2000, 5000, len(text) - 1, len(text)):
            path = self.file(text[:size])
            if whole[size] == 0 and size < 30:
                self.assertIn(EXPECTED, self.error("SELECT count(*) FROM pbs_trace(?)", path))
                continue
            self.assertEqual(self.one("SELECT count(*) FROM pbs_trace(?, 'America/Denver')", path), whole[size])
            self.assertEqual(
                self.issues(path), {} if size == len(text) or text[size - 1] == "\n" else {"unfinished_record": 1}
            )

    def test_skipped_records(self):
        path = self.file(f"{AT}Q;1.s;ctime=7\n{AT}Q;2.s;ctime=x\nnonsense\n{AT}Q;3.s;ctime=8\n")
        text = f'{path}:2:33: expected Unix seconds for ctime, found "x"'
        self.assertEqual(self.error("SELECT * FROM pbs_trace(?)", path), "pbs_trace: " + text)
        for _ in range(2):
            self.assertEqual(
                self.rows("SELECT id_string, ctime, _line FROM pbs_trace(?) WHERE on_error = 'skip'", path),
                [("1.s", 7, 1), ("3.s", 8, 4)],
            )
            self.assertEqual(
                self.rows("SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ?", path),
                [("data_loss", "skipped_record", 2, 2, text)],
            )

    def test_arguments(self):
        for sql, text in (
            ("SELECT * FROM pbs_trace", "pbs_trace: expected a path, as in pbs_trace('accounting/20250331')"),
            (
                "SELECT * FROM pbs_trace(?1, 7)",
                "pbs_trace: zone: expected UTC, an offset or the name of a time zone, found 7",
            ),
            (
                "SELECT * FROM pbs_trace(?1, '/etc/x')",
                'pbs_trace: zone: expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, found "/etc/x"',
            ),
            (
                "SELECT * FROM pbs_trace(?1) WHERE on_error = 'no'",
                "pbs_trace: on_error: expected 'stop' or 'skip', found 'no'",
            ),
        ):
            self.assertEqual(self.error(sql, *([LOG] if "?1" in sql else [])), text)
        self.assertEqual(self.rows("SELECT * FROM pbs_trace(NULL)"), [])
        self.assertEqual(*(self.rows(f"SELECT * FROM pbs_trace(?{more})", LOG) for more in (", NULL", "")))
        self.assertEqual(self.one("SELECT min(date_time) FROM pbs_trace(?, '-06:00')", LOG), T0)
        self.db.execute(f"CREATE VIEW stored AS SELECT * FROM pbs_trace('{LOG}')")
        self.assertEqual(self.error("SELECT * FROM stored"), 'unsafe use of virtual table "pbs_trace"')

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows("SELECT max(start), record_type, id_string, nodes FROM pbs_trace(?)", LOG),
            [(T0 + 3000, "S", "108.pod", '["n3"]')],
        )

    def test_interrupt(self):
        path = self.file("x\n" * 3000000)
        timer = threading.Timer(0.1, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM pbs_trace(?) WHERE on_error = 'skip'", path), "interrupted")
        timer.join()

    def test_memory_does_not_grow_with_the_file(self):
        with open(LOG, "rb") as file:
            text = file.read()
        peaks = []
        for times in (200, 4000):
            path = self.file("")
            with open(path, "wb") as file:
                for _ in range(times):
                    file.write(text)
            self.one("SELECT sum(length(other)) FROM pbs_trace(?)", path)
            peaks.append(cases.peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 50 MB


if __name__ == "__main__":
    unittest.main()
