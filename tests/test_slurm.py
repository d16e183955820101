"""Slurm's exports: slurm_trace, slurm_events_trace and the mapping sql/formats/slurm.sql.

What the tables say of the recorded files is held against a reading of them in Python, named time zones against
Python's zoneinfo, and the ledger against the utilisation that sreport gave for the same cluster."""
import datetime
import gzip
import os
import random
import sqlite3
import threading
import unittest
import zoneinfo

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures", "slurm")
JOBS, EPOCH, STEPS, ALL_FIELDS, NODUP, PIPE, EVENTS, SREPORT = (
    os.path.join(FIXTURES, name)
    for name in ("sacct_jobs.psv", "sacct_jobs_epoch.psv", "sacct_jobs_steps.psv", "sacct_all_fields.psv", "sacct_jobs_nodup.psv",
                 "sacct_pipe_in_name.psv", "sacctmgr_events.psv", "sreport_util.psv")
)
SINCE, UNTIL = 1795240284, 1795240800  # 05:51:24 to 06:00:00 on 2026-11-21, what sreport was asked for
DERIVED = (
    "job_base array_task array_count het_offset step state_base cancelled_by outcome alloc_gpus req_gpus gpu_type "
    "alloc_gpu_types req_gpu_types nodes"
).split()


def read_plain(path):
    """The header and the records, by cutting lines at the delimiter and nothing else."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split("|") for line in file.read().splitlines()]
    return lines[0], lines[1:]


NOTHING = ("", "None", "Unknown", "N/A", "UNLIMITED", "Partition_Limit", "INVALID")
TIMES = "Eligible End Start Submit TimeStart TimeEnd".split()
CLOCKS = "AveCPU MinCPU SystemCPU TotalCPU UserCPU".split()
DURATIONS = "CPUTime Duration Elapsed Planned PlannedCPU Reserved ResvCPU Suspended".split()
COUNTS = (
    "AllocCPUS AllocNodes AssocID ConsumedEnergyRaw CPUTimeRAW DBIndex ElapsedRaw GID MaxDiskReadTask MaxDiskWriteTask "
    "MaxPagesTask MaxRSSTask MaxVMSizeTask MinCPUTask NCPUS NNodes NTasks Priority QOSRAW ReqCPUS ReqNodes ReservationId "
    "ResvCPURAW TimelimitRaw UID WCKeyID"
).split()


def seconds(text):
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + 86400 * int(days or 0)


def expected_value(name, text):
    if name not in TIMES + CLOCKS + DURATIONS + COUNTS:
        return text or None
    if text in NOTHING:
        return None
    if name in TIMES and not text.isdigit():
        return int(datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp())
    if name in CLOCKS:
        return seconds(text)
    return int(seconds(text)) if name in DURATIONS else int(text)


class Case(cases.Case):
    FILE = "sacct.psv"


class Files(Case):
    def columns(self, table):
        return [row[0] for row in self.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", table)]

    def compare(self, table, path):
        header, records = read_plain(path)
        if header[-1] == "":
            header, records = header[:-1], [record[:-1] for record in records]
        fields = [name.replace(" ", "") for name in header]
        listed = ", ".join(f'"{name}"' for name in fields)
        found = self.rows(f"SELECT {listed}, _line FROM {table}(?)", path)
        wanted = [tuple(map(expected_value, fields, record)) + (i + 2,) for i, record in enumerate(records)]
        self.assertEqual(found, wanted)
        self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted])
        absent = [f'"{name}"' for name in self.columns(table) if name not in fields and name not in DERIVED]
        if table == "slurm_trace":
            self.assertEqual(set(self.rows(f"SELECT {', '.join(absent)} FROM {table}(?)", path)), {(None,) * len(absent)})
        return len(found)

    def test_every_recorded_file(self):
        sizes = {
            "sacct_jobs.psv": 29, "sacct_jobs_epoch.psv": 29, "sacct_jobs_steps.psv": 62, "sacct_all_fields.psv": 62,
            "sacct_jobs_nodup.psv": 26, "sacct_default.p": 29,
        }
        for name, size in sizes.items():
            with self.subTest(name):
                self.assertEqual(self.compare("slurm_trace", os.path.join(FIXTURES, name)), size)
        self.assertEqual(self.compare("slurm_events_trace", EVENTS), 9)

    def test_the_recorded_field_list(self):
        """Every field that sacct 22.05 lists is a column."""
        path = os.path.join(ROOT, "../shared/traces/slurm/sacct_fields.txt")
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        with open(path, encoding="ascii") as file:
            fields = file.read().split()
        self.assertGreater(len(fields), 100)
        self.assertEqual(set(fields) - set(self.columns("slurm_trace")), set())

    def test_local_and_epoch_exports_agree(self):
        listed = ", ".join(f'"{name}"' for name in self.columns("slurm_trace"))
        self.assertEqual(self.rows(f"SELECT {listed} FROM slurm_trace(?)", JOBS), self.rows(f"SELECT {listed} FROM slurm_trace(?)", EPOCH))

    def test_other_output_is_refused(self):
        fixed = self.file("JobID           JobName  Partition \n------------ ---------- ----------\n1  a b\n")
        unnamed = " (exported with -n? then name the fields in the argument columns)"
        for path, first, hint in (
            (SREPORT, "-" * 44 + "...", unnamed),
            (EVENTS, "Cluster|Cluster Nodes|Event|NodeName|TimeSta...", " (a header of sacctmgr show event: read it with slurm_events_trace)"),
            (self.file("JOBID|NAME|STATE|REASON|SUBMIT_TIME|START_TIME\n"), "JOBID|NAME|STATE|REASON|SUBMIT_TIME|START_TI...", " (a header of squeue: export it with --json)"),
            (self.file("NodeName=n1 Arch=x86_64\n"), "NodeName=n1 Arch=x86_64", " (nodes of scontrol: read them with slurm_nodes_trace)"),
            (self.file("JobId=14 JobName=x\n"), "JobId=14 JobName=x", " (jobs of scontrol: export them with --json)"),
            (fixed, "JobID           JobName  Partition ", " (fixed-width output: export it with -P)"),
        ):
            self.assertEqual(
                self.error("SELECT * FROM slurm_trace(?)", path),
                f"slurm_trace: {path}:1:1: expected a header of sacct field names such as JobID|State|Start, found \"{first}\"{hint}",
            )
        for path, first, hint in (
            (JOBS, "JobIDRaw|JobID|JobName|Cluster|User|Account|...", " (a header of sacct: read it with slurm_trace)"),
            (self.file("NodeName=n1 Arch=x86_64\n"), "NodeName=n1 Arch=x86_64", " (nodes of scontrol: read them with slurm_nodes_trace)"),
            (self.file('{"events": []}'), '{"events": []}', " (JSON: export events with -P)"),
            (self.file("a|b\n"), "a|b", unnamed),
        ):
            self.assertEqual(
                self.error("SELECT * FROM slurm_events_trace(?)", path),
                f"slurm_events_trace: {path}:1:1: expected a header of sacctmgr show event field names such as Cluster|NodeName|TimeStart, found \"{first}\"{hint}",
            )

    def test_numbers_that_are_none(self):
        """Energy of nodes that do not measure it is what Slurm has for no number."""
        path = self.file("JobID|State|ConsumedEnergyRaw|Priority|AllocTRES\n1|COMPLETED|18446744073709551614|18446744073709551615|energy=18446744073709551614,gres/gpu=2\n")
        self.assertEqual(self.rows("SELECT ConsumedEnergyRaw, Priority, alloc_gpus FROM slurm_trace(?)", path), [(None, None, 2)])
        path = self.file("JobID|State|ConsumedEnergyRaw\n1|COMPLETED|18446744073709551613\n")
        self.assertIn('expected a number for ConsumedEnergyRaw, found "18446744073709551613"', self.error("SELECT * FROM slurm_trace(?)", path))

    def test_steps_and_arrays(self):
        self.assertEqual(
            self.rows("SELECT step, count(*) FROM slurm_trace(?) GROUP BY step ORDER BY step", STEPS),
            [(None, 29), ("0", 4), ("1", 1), ("2", 1), ("batch", 27)],
        )
        self.assertEqual(
            self.rows("SELECT JobID, job_base, array_task, array_count, step FROM slurm_trace(?) WHERE JobIDRaw LIKE '18%'", STEPS),
            [("18_4", 18, "4", 1, None), ("18_4.batch", 18, "4", 1, "batch")],
        )

    def test_derived_columns(self):
        self.assertEqual(
            self.rows("SELECT State, state_base, cancelled_by, outcome, alloc_gpus, req_gpus, gpu_type, alloc_gpu_types, nodes "
                      "FROM slurm_trace(?) WHERE JobIDRaw IN ('12', '14') ORDER BY _line", JOBS),
            [("PREEMPTED", "PREEMPTED", None, "preempted", 24, 24, "h100", '{"h100":24}', '["n1","n2","n4"]'),
             ("CANCELLED by 0", "CANCELLED", "0", "cancelled", 0, 40, "h100", "{}", None),
             ("COMPLETED", "COMPLETED", None, "completed", 24, 24, "h100", '{"h100":24}', '["n2","n3","n4"]')],
        )
        path = self.file(
            "JobID|State|AllocTRES|NodeList\n1|RUNNING|gres/gpu=8,gres/gpu:a100=4|gpu-[01-02]\n"
            "2+1|FROBBED|gres/gpu:a100=4,gres/gpu:v100=2|x\n3_[1-3,9%2]|PENDING||None assigned\n")
        self.assertEqual(
            self.rows("SELECT outcome, alloc_gpus, gpu_type, alloc_gpu_types, nodes, req_gpus, het_offset, array_count FROM slurm_trace(?)", path),
            [(None, 8, None, '{"a100":4,"":4}', '["gpu-01","gpu-02"]', None, None, 1),
             (None, 6, None, '{"a100":4,"v100":2}', '["x"]', None, 1, 1),
             (None, 0, None, "{}", None, None, None, 4)],
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT state_base, gpus, gpu_type, gpu_types FROM slurm_events_trace(?) ORDER BY 1", EVENTS),
            [(None, 32, "h100", '{"h100":32}'), ("DOWN", 8, "h100", '{"h100":8}'), ("DRAIN", 8, "h100", '{"h100":8}'),
             ("INVAL", 8, "h100", '{"h100":8}')],
        )


class Shapes(Case):
    COLUMNS = "JobIDRaw, JobName, State, Start, alloc_gpus, Comment"

    def same_as_recorded(self, path, *arguments):
        marks = ", ".join("?" * (1 + len(arguments)))
        self.assertEqual(
            self.rows(f"SELECT {self.COLUMNS} FROM slurm_trace({marks})", path, *arguments),
            self.rows(f"SELECT {self.COLUMNS} FROM slurm_trace(?)", JOBS),
        )

    def text(self):
        with open(JOBS, encoding="utf-8") as file:
            return file.read()

    def test_no_header(self):
        header, _, body = self.text().partition("\n")
        path = self.file(body)
        self.same_as_recorded(path, "UTC", header.replace("|", ","))
        self.assertEqual(
            self.error("SELECT * FROM slurm_trace(?)", path).partition(", found")[0],
            f"slurm_trace: {path}:1:1: expected a header of sacct field names such as JobID|State|Start",
        )
        self.assertEqual(
            self.error("SELECT * FROM slurm_trace(?, 'UTC', 'JobID,State')", path),
            f"slurm_trace: {path}:1:5: expected 2 fields, found 28; if a field holds the delimiter |, export with another, such as "
            "--delimiter=$'\\x1f'",
        )

    def test_delimiters(self):
        for delimiter in ("\x1f", "\t", ";", "^|^", "~"):
            path = self.file(self.text().replace("|", delimiter))
            self.same_as_recorded(path)
            self.same_as_recorded(path, "UTC", "", delimiter)
        header, _, body = self.text().replace("|", "\x1f").partition("\n")
        self.same_as_recorded(self.file(body), "UTC", header.replace("\x1f", ","), "\x1f")

    def test_trailing_delimiter(self):
        self.same_as_recorded(self.file(self.text().replace("\n", "|\n")))

    def test_line_ends_and_byte_order_mark(self):
        self.same_as_recorded(self.file("\ufeff" + self.text().replace("\n", "\r\n").rstrip()))

    def test_threads_change_nothing(self):
        """Some blocks of lines, with texts that hold the delimiter, line ends and a header, and faults, looked over by several threads and by none."""
        header, _, body = self.text().partition("\n")
        odd = body.replace("|llm-fail|", "|a|b|").replace("|llm-pretrain-ok|", "|two\nlines|") + header + "\n\n" + "1|2\n" + "x\0y\n"
        text = header + "\n" + body * 70 + odd + body * 70 + odd.replace("2026-11-21T05:52:32", "2026-03-29T02:30:00") + body * 20
        names = header.split("|")
        last = "|".join(names[:-1]) + "|Comment\n" + body * 70  # free text in the last field
        for content, zone in ((text, "UTC"), (text, "Europe/Berlin"), (text.replace("\n", "|\n"), "UTC"), (last, "UTC"), (text.replace("|", "\x1f"), "UTC"),
                              (text.replace("\n", "\r\n"), "UTC"), (text + "7|cut", "UTC")):
            path = self.file(content)
            for more in ("", " AND on_error = 'skip'"):
                found = []
                for threads in (1, 3):
                    sql = f"SELECT *, _line FROM slurm_trace(?, ?) WHERE threads = ?{more}"
                    try:
                        found.append((self.rows(sql, path, zone, threads), self.issues(path)))
                    except Exception as error:
                        found.append(str(error))
                self.assertTrue(found[0] == found[1], (zone, more))

    def test_header_that_comes_again(self):
        path = self.file(self.text() + self.text())
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT JobIDRaw) FROM slurm_trace(?)", path), [(58, 26)])

    def test_compressed_glob_and_folder(self):
        text = self.text().encode()
        path = self.file(gzip.compress(text), "a.psv.gz")
        folder = os.path.dirname(path)
        self.same_as_recorded(path)
        self.same_as_recorded(folder)
        with open(os.path.join(folder, "b.psv"), "wb") as file:
            file.write(text)
        for of_both in (folder, folder + "/*.psv*"):
            self.assertEqual(
                self.rows("SELECT _file, count(*), min(_line), max(_line) FROM slurm_trace(?) GROUP BY _file", of_both),
                [(path, 29, 2, 30), (folder + "/b.psv", 29, 2, 30)],
            )
        self.assertEqual(self.one("SELECT count(DISTINCT rowid) FROM slurm_trace(?)", folder), 58)

    def test_pipe_in_text(self):
        self.assertEqual(
            self.rows("SELECT JobID, JobName, State, Comment FROM slurm_trace(?)", PIPE), [("27", "pipe|name `q`", "COMPLETED", "x|y")])
        self.assertEqual(self.issues(PIPE), {"split_text": 1, "no_requeues": 1, "no_tres": 1})
        for name in ("a|b", "|", "||x", "COMPLETED|0", "1795240353|n1"):
            path = self.file(self.text().replace("llm-pretrain-ok", name))
            self.assertEqual(
                self.rows("SELECT JobName, Start, NodeList, WorkDir FROM slurm_trace(?) LIMIT 1", path),
                [(name, 1795240353, "n[1-2]", "/home/mlpod")],
            )
        path = self.file(self.text().replace("/home/mlpod|\n", "/home/mlpod|a100|h100\n", 1))
        self.assertEqual(self.rows('SELECT WorkDir, "Constraints" FROM slurm_trace(?) LIMIT 1', path), [("/home/mlpod", "a100|h100")])

    def test_pipe_in_any_text_of_the_widest_export(self):
        """Of 109 fields, in every record: those that come back are right, the others are errors that say what to do."""
        header, records = read_plain(ALL_FIELDS)
        for field in ("JobName", "SubmitLine", "WorkDir", "Comment"):
            at = header.index(field)
            for number in (0, 1, 13, 40):
                changed = list(records[number])
                changed[at] = "/a|b" if field == "WorkDir" else "a|b"
                path = self.file("\n".join("|".join(record) for record in (header, changed)) + "\n")
                try:
                    found = self.rows(f"SELECT {field}, Start, State FROM slurm_trace(?)", path)
                except sqlite3.OperationalError as error:
                    self.assertIn("--delimiter=$'\\x1f'", str(error))
                    continue
                start = expected_value("Start", changed[header.index("Start")])
                self.assertEqual(found, [(changed[at], start, changed[header.index("State")])])

    def test_newline_in_text(self):
        header, records = read_plain(ALL_FIELDS)
        at = header.index("SubmitLine")
        texts = {1: "srun bash -c 'a &&\nb'", 2: "x\n\n\ny | wc\n\nz"}
        for number, text in texts.items():
            records[number][at] = text
        path = self.file("\n".join("|".join(record) for record in [header] + records) + "\n")
        found = self.rows("SELECT SubmitLine, _line FROM slurm_trace(?)", path)
        self.assertEqual(len(found), 62)
        self.assertEqual([row[1] for row in found[:5]], [2, 3, 5, 11, 12])
        self.assertEqual([row[0] for row in found[1:3]], list(texts.values()))
        self.assertEqual(self.issues(path), {"joined_lines": 2, "split_text": 1})

    def test_newline_in_the_last_field(self):
        path = self.file("JobID|State|Start|Comment\n1|FAILED|1795240353|a\nb\n2|FAILED|1795240354|c\n1|FAILED|1795240355|\n")
        self.assertEqual(self.rows("SELECT JobID, Comment FROM slurm_trace(?)", path), [("1", "a\nb"), ("2", "c"), ("1", None)])

    def test_arguments_by_name_and_in_joins(self):
        self.assertEqual(self.rows("SELECT Start FROM slurm_trace WHERE path = ? AND zone = '+01:00'", JOBS)[0], (1795240353 - 3600,))
        self.db.execute("CREATE TABLE paths(p, z)")
        self.db.executemany("INSERT INTO paths VALUES (?, ?)", [(JOBS, "UTC"), (EPOCH, "+05:00"), (JOBS, "-01:00")])
        self.assertEqual(
            self.rows("SELECT z, min(Start), count(*) FROM paths, slurm_trace(p, z) GROUP BY z ORDER BY z"),
            [("+05:00", 1795240353, 29), ("-01:00", 1795240353 + 3600, 29), ("UTC", 1795240353, 29)],
        )
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace WHERE path IN (?, ?)", JOBS, EPOCH), 58)
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?) WHERE path = ?", JOBS, EPOCH), 0)
        self.assertEqual(self.rows("SELECT path = ?, zone FROM slurm_trace(?, 'UTC') LIMIT 1", JOBS, JOBS), [(1, "UTC")])


class Contract(Case):
    def test_argument_errors(self):
        query = "SELECT count(*) FROM slurm_trace"
        zone = "expected UTC, an offset such as +02:00 or a time zone such as Europe/Berlin, found"
        for sql, parameters, text in (
            (query, (), "slurm_trace: expected a path, as in slurm_trace('sacct.psv')"),
            ("SELECT * FROM slurm_events_trace", (), "slurm_events_trace: expected a path, as in slurm_events_trace('events.psv')"),
            (query + "(1)", (), "slurm_trace: expected a path, as in slurm_trace('sacct.psv')"),
            (query + "(?, 'Europe/../../etc/passwd')", (JOBS,), f'slurm_trace: zone: {zone} "Europe/../../etc/passwd"'),
            (query + "(?, '/etc/localtime')", (JOBS,), f'slurm_trace: zone: {zone} "/etc/localtime"'),
            (query + "(?, 'CEST')", (JOBS,), 'slurm_trace: no time zone "CEST" in /usr/share/zoneinfo (is the package tzdata installed?)'),
            (query + "(?, 2)", (JOBS,), "slurm_trace: zone: expected text"),
            (query + "(?, 'UTC', 'JobID,Stat')", (JOBS,),
             'slurm_trace: columns: expected names of sacct fields such as "Account" with commas between, or - for one to leave out, '
             'found "Stat"'),
            (query + "(?, 'UTC', '', char(10))", (JOBS,), "slurm_trace: delimiter: a line break or NUL cannot be one"),
            (query + "(?) WHERE on_error = 'ignore'", (JOBS,), "slurm_trace: on_error: expected 'stop' or 'skip'"),
        ):
            with self.subTest(sql):
                self.assertEqual(self.error(sql, *parameters), text)
        self.assertTrue(self.error(query + "('/no/such/file')").startswith("slurm_trace: "))

    def test_null_arguments_give_no_rows(self):
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(NULL)"), [])
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(?, NULL)", JOBS), [])
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(?) WHERE on_error = NULL", JOBS), [])

    def test_declaration(self):
        rows = self.rows("SELECT name, type, hidden FROM pragma_table_xinfo('slurm_trace')")
        self.assertEqual([row[0] for row in rows if row[2]], ["path", "zone", "columns", "delimiter", "on_error", "threads", "_file", "_line"])
        self.assertEqual([row[0] for row in rows if not row[2]][-len(DERIVED):], DERIVED)
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
        path = self.file("JobID|State|Start\n1|FAILED|1795240353\n2|FAILED|noon\n3|FAILED\n1|FAILED|1795240353\nx|FAILED|0\n")
        text = f'{path}:3:10: expected a time such as 2026-11-21T05:52:33 or Unix seconds for Start, found "noon"'
        self.assertEqual(self.error("SELECT * FROM slurm_trace(?)", path), "slurm_trace: " + text)
        for _ in range(2):  # a source that is read again replaces its rows
            self.assertEqual(self.rows("SELECT JobID, _line FROM slurm_trace(?) WHERE on_error = 'skip'", path), [("1", 2), ("1", 5)])
            self.assertEqual(
                self.rows("SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? AND kind <> 'no_tres'", path),
                [("data_loss", "skipped_record", 3, 3, text)],
            )

    def test_skipped_files(self):
        bad, good = self.file("nonsense\n"), self.file("JobID|State\n1|FAILED\n")
        self.assertEqual(self.rows("SELECT JobID FROM slurm_trace WHERE path IN (?, ?) AND on_error = 'skip'", bad, good), [("1",)])
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
        path = self.file("JobID|Frobs|State|Nitz\n1|x|FAILED|y\n1|x|FAILED|y\n")
        self.assertEqual(self.rows("SELECT JobID, State FROM slurm_trace(?)", path), [("1", "FAILED")] * 2)
        self.assertEqual(self.rows("SELECT kind, severity, count, detail FROM mpg_issues WHERE source = ? ORDER BY kind", path),
                         [("no_tres", "warning", 1, "neither AllocTRES nor ReqTRES was exported: nobody knows of GPUs"),
                          ("unknown_column", "info", 2, "left out: Frobs, Nitz")])
        path = self.file("1|FAILED|gres/gpu=1\n")
        for columns, missing in (("JobID,State,AllocTRES", {"no_requeues": 1}), ("JobID,State,-", {"no_requeues": 1, "no_tres": 1})):
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?, 'UTC', ?)", path, columns), 1)
            self.assertEqual(self.issues(path), missing)

    def test_texts_outlive_their_row(self):
        """min() and max() keep values while the scan goes on."""
        self.assertEqual(self.rows("SELECT max(Start), JobName, nodes FROM slurm_trace(?)", JOBS), [(1795240849, "node-fail2", '["n2","n3"]')])
        self.assertEqual(self.rows("SELECT min(JobName), max(JobName) FROM slurm_trace(?)", JOBS), [("arr", "too-big-pending")])

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


class Zones(Case):
    def check(self, zone, times, path):
        """Python's fold = 0 is the same choice: the first of two readings, and a skipped time moved forward."""
        key = zoneinfo.ZoneInfo(zone)
        wanted = [int(time.replace(tzinfo=key).timestamp()) for time in times]
        found = [row[0] for row in self.rows("SELECT Start FROM slurm_trace(?, ?)", path, zone)]
        self.assertEqual(len(found), len(wanted))
        wrong = [(zone, t, f - w) for t, f, w in zip(times, found, wanted) if f != w]
        self.assertEqual(wrong[:5], [])

    def write(self, times):
        return self.file("JobID|Start\n" + "".join(f"{i + 1}|{t.isoformat()}\n" for i, t in enumerate(times)))

    def test_all_zones(self):
        """From 1971, so that no time falls before 1970 in UTC; the rules are carried on to 2261."""
        pick = random.Random(7)
        times = [datetime.datetime(1971, 1, 1) + datetime.timedelta(minutes=15 * pick.randrange(35040 * 290)) for _ in range(150)]
        times += [datetime.datetime(1971, 1, 1) + datetime.timedelta(minutes=15 * pick.randrange(35040 * 70)) for _ in range(350)]
        path = self.write(times)
        zones = sorted(z for z in zoneinfo.available_timezones() if not z.startswith(("right/", "posix/")) and z not in ("localtime", "posixrules"))
        self.assertGreater(len(zones), 300)
        for zone in zones:
            self.check(zone, times, path)

    def test_every_quarter_of_an_hour_around_the_changes(self):
        checked = 0
        for zone in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca", "Asia/Kathmandu",
                     "America/St_Johns", "Pacific/Apia", "America/Sao_Paulo", "Asia/Gaza", "Antarctica/Troll", "America/Nuuk", "Africa/Cairo"):
            key = zoneinfo.ZoneInfo(zone)
            times = []
            for year in (1980, 1986, 1995, 2007, 2011, 2026, 2027, 2037, 2038, 2099, 2260):
                for n in range(365):
                    day = datetime.datetime(year, 1, 1) + datetime.timedelta(days=n)
                    if day.replace(tzinfo=key).utcoffset() != (day + datetime.timedelta(days=1)).replace(tzinfo=key).utcoffset():
                        times += [day + datetime.timedelta(minutes=15 * quarter - 360) for quarter in range(144)]
            if times:
                self.check(zone, times, self.write(times))
                checked += len(times)
        self.assertGreater(checked, 10000)

    def test_repeated_and_skipped_times_are_counted(self):
        path = self.write([datetime.datetime(2026, 3, 29, 2, 30), datetime.datetime(2026, 10, 25, 2, 30), datetime.datetime(2026, 10, 25, 2, 59)])
        found = self.rows("SELECT datetime(Start, 'unixepoch') FROM slurm_trace(?, 'Europe/Berlin')", path)
        self.assertEqual(found, [("2026-03-29 01:30:00",), ("2026-10-25 00:30:00",), ("2026-10-25 00:59:00",)])
        self.assertEqual(self.issues(path), {"skipped_time": 1, "repeated_time": 2, "no_requeues": 1, "no_tres": 1})

    def test_only_local_times_need_a_zone(self):
        path = self.file("JobID|Submit|Start|End\n1|1795240353|2026-11-21T05:52:33Z|2026-11-21T05:52:33+02:00\n")
        self.assertEqual(self.rows('SELECT Submit, Start, "End" FROM slurm_trace(?, \'Asia/Tokyo\')', path), [(1795240353, 1795240353, 1795233153)])


class Mapping(Case):
    def map(self, sacct, events=None, zone="UTC"):
        self.db.execute("CREATE TEMP TABLE slurm_jobs AS SELECT * FROM slurm_trace(?, ?)", (sacct, zone))
        self.db.execute("CREATE TEMP TABLE slurm_events AS SELECT * FROM slurm_events_trace(?, ?)", (events, zone))
        self.script("formats/slurm.sql")

    HEADER = "Cluster|JobIDRaw|JobID|JobName|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList|Comment\n"
    EVENT_HEADER = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n"

    def job(self, job, state, submit, start, end, req, alloc, nodes="", comment="", cluster="c"):
        return f"{cluster}|{job}|{job}|j{job}|{state}|{submit}|{start}|{end}|{req}|{alloc}|{nodes}|{comment}\n"

    def map_text(self, jobs, events=""):
        self.map(self.file(self.HEADER + jobs), self.file(self.EVENT_HEADER + events, "events.psv"))

    def test_the_oracle_in_plain_sql(self):
        """sreport: gres/gpu allocated 3609 and reported 16512 GPU-seconds."""
        with open(SREPORT, encoding="ascii") as file:
            oracle = file.read().splitlines()[-1].split("|")
        self.assertEqual((oracle[2], oracle[7]), ("3609", "16512"))
        for sacct in (JOBS, EPOCH, STEPS, ALL_FIELDS):
            with self.subTest(sacct):
                self.map(sacct, EVENTS)
                for table, wanted in (("allocations", 3609), ("capacity", 16512)):
                    self.assertEqual(
                        self.one(f"SELECT sum(chips * max(0, min(coalesce(end_time, ?2), ?2) - max(start_time, ?1))) FROM {table}", SINCE, UNTIL),
                        wanted)
                self.assertEqual(self.rows("SELECT DISTINCT pool, chip, chips FROM capacity"), [("mlpod", "h100", 32)])
                self.assertEqual(self.rows("SELECT sum(chips * (end_time - start_time)), group_concat(DISTINCT kind) FROM outages"), [(1752, "hw_down")])

    def test_jobs_that_ask_for_no_type(self):
        """slurm.conf, AccountingStorageTRES: gres/gpu:tesla "will track only jobs that explicitly request" it. Others hold what their nodes have."""
        def held(job, nodes, alloc, state="COMPLETED"):
            return self.job(job, state, 1000, 1000, 1100, "gres/gpu=4", alloc, nodes)
        gpus = {"tesla": "gres/gpu=4,gres/gpu:tesla=4", "volta": "gres/gpu=4,gres/gpu:volta=4", "both": "gres/gpu=4,gres/gpu:tesla=2,gres/gpu:volta=2"}
        self.map_text(
            held(1, "t1", "gres/gpu=4") + held(2, "v[1-2]", "gres/gpu=8") + held(3, "v3", gpus["volta"]) + held(4, "v3", "gres/gpu=1")
            + held(5, "t1,v1", "gres/gpu=4") + held(6, "b1", "gres/gpu=4") + held(7, "x1", "gres/gpu=4") + held(8, "t[1,4]", "gres/gpu=4") + held(9, "v1", "")
            + held(10, "v1", gpus["tesla"]),
            "c|Cluster||900|Unknown|||gres/gpu=24,gres/gpu:tesla=8,gres/gpu:volta=16\n"
            + "".join(f"c|Node|{node}|2000|2100|x|DOWN|{gpus[kind]}\n" for node, kind in (("t1", "tesla"), ("v2", "volta"), ("b1", "both"))) + f"c|Node|v1|2000|2100|x|DOWN|{gpus['volta']}\n")
        self.assertEqual(self.rows("SELECT job, pool, chips FROM allocations WHERE chips > 0 ORDER BY CAST(job AS INTEGER)"), [
            ("1", "c/tesla", 4), ("2", "c/gpu", 8), ("3", "c/volta", 4), ("4", "c/volta", 1), ("5", "c/gpu", 4), ("6", "c/gpu", 4), ("7", "c/gpu", 4), ("8", "c/gpu", 4),
            ("10", "c/tesla", 4)])
        self.map_text(held(1, "t1", "gres/gpu=4") + held(2, "v[1-2]", "gres/gpu=8") + held(3, "v1", "gres/gpu=4,gres/gpu:volta=3"),
                      "c|Cluster||1000|1100|||gres/gpu=12,gres/gpu:tesla=4,gres/gpu:volta=8\n"
                      + "".join(f"c|Node|{node}|2000|2100|x|DOWN|{gpus[kind]}\n" for node, kind in (("t1", "tesla"), ("v1", "volta"), ("v2", "volta"))))
        self.assertEqual(self.rows("SELECT job, pool, chips FROM allocations WHERE chips > 0"), [("1", "c/tesla", 4), ("2", "c/volta", 8), ("3", "c/volta", 4)])
        self.map_text(held(1, "t1", "gres/gpu=4") + held(2, "v[1-2]", "gres/gpu=8") + held(3, "t1", gpus["tesla"]) + held(4, "v[1-2]", "gres/gpu=8,gres/gpu:volta=8"),
                      "c|Cluster||1000|1100|||gres/gpu=12,gres/gpu:tesla=4,gres/gpu:volta=8\n")
        self.assertEqual(self.rows("SELECT pool, sum(chips) FROM allocations GROUP BY pool"), [("c/tesla", 8), ("c/volta", 16)])

    def test_the_oracle_in_the_ledger(self):
        self.map(JOBS, EVENTS)
        for table in ("mpg_ledger", "mpg_rollup"):
            self.assertEqual(
                self.rows(f"""SELECT sum(chip_us) FILTER (WHERE category NOT IN ('down', 'idle', 'queued')),
                                     sum(chip_us) FILTER (WHERE category <> 'queued'),
                                     sum(chip_us) FILTER (WHERE category = 'down'),
                                     group_concat(DISTINCT pool)
                              FROM {table} WHERE since = '2026-11-21T05:51:24Z' AND until = '2026-11-21T06:00:00Z'"""),
                [(3609 * 10**6, 16512 * 10**6, 1752 * 10**6, "mlpod")],
            )
        self.assertEqual(
            self.rows("""SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), mpg(category, chip_us)
                         FROM mpg_rollup WHERE since = ? AND until = ?""", SINCE, UNTIL),
            [(3609 / 16512, None, None)],
        )

    def test_conservation(self):
        """Every bucket of every pool adds up to what is installed, and idle is never negative."""
        self.map(JOBS, EVENTS)
        for width in ("1 minute", "7", "1 hour"):
            rows = self.rows("""SELECT pool, bucket, sum(chip_us), min(chip_us) FROM mpg_ledger
                                WHERE bucket_width = ? AND since = ? AND until = ? AND category <> 'queued' GROUP BY pool, bucket""",
                             width, SINCE, UNTIL)
            self.assertEqual(sum(row[2] for row in rows), 16512 * 10**6)
            self.assertTrue(all(row[3] >= 0 for row in rows))
            if width == "1 minute":
                self.assertEqual([row[2] for row in rows], [32 * 36 * 10**6] + [32 * 60 * 10**6] * 8)

    def test_in_the_shell(self):
        """With parameters, as the header of the script shows it."""
        self.db.execute("CREATE TABLE here(x)")
        self.script("formats/slurm.sql", sacct=JOBS, events=EVENTS, zone="+01:00", columns=None, delimiter=None, nodes=None)
        self.assertEqual(self.rows("SELECT min(start_time), count(*) FROM allocations"), [(1795240353 - 3600, 29)])
        self.assertEqual(self.rows("SELECT min(start_time) FROM capacity"), [(SINCE - 3600,)])

    def test_jobs_and_attempts(self):
        self.map(JOBS, EVENTS)
        self.assertEqual(self.one("SELECT count(*) FROM jobs"), 26)
        self.assertEqual(
            self.rows("SELECT job, name, owner, priority, chips, min_chips, submit_time, json(labels) FROM jobs WHERE job IN ('1', '12', '22') ORDER BY name"),
            [("22", "arr", "vision", "normal", 4, None, 1795240505, '{"user":"games","partition":"train","nodes":1,"array_job":18}'),
             ("1", "llm-pretrain-ok", "llm", "normal", 16, None, 1795240352,
              '{"user":"root","partition":"train","nodes":2,"segment":"pretrain","chip":"h100"}'),
             ("12", "low-preemptee", "vision", "low", 24, None, 1795240380, '{"user":"root","partition":"train","nodes":3}')],
        )
        self.assertEqual(
            self.rows("SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations WHERE job IN ('11', '12', '14', '26') ORDER BY job, attempt"),
            [("11", 1, 8, 1795240373, 1795240380, "preempted"), ("11", 2, 8, 1795240504, 1795240529, "completed"),
             ("12", 1, 24, 1795240380, 1795240391, "preempted"), ("12", 2, 24, 1795240530, 1795240570, "completed"),
             ("14", 1, 0, 1795240888, 1795240888, "cancelled"),
             ("26", 1, 16, 1795240721, 1795240726, "node_fail"), ("26", 2, 16, 1795240849, 1795240879, "completed")],
        )
        self.assertEqual(self.rows("SELECT count(*) FROM temp.sqlite_schema WHERE name LIKE 'slurm%'"), [(0,)])

    def test_demand_ends_with_a_job_that_never_started(self):
        self.map(JOBS, EVENTS)
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) FROM mpg_ledger WHERE category = 'queued' AND job IN ('14', '15') GROUP BY job"),
            [("14", 40 * (1795240888 - 1795240390) * 10**6), ("15", 32 * 4 * 10**6)],
        )

    def test_a_draining_node_works_until_its_jobs_end(self):
        gpus = "gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1")
            + self.job(2, "RUNNING", 1000, 1000, "Unknown", "gres/gpu=16", "gres/gpu=16", "n[2-3]"),
            "c|Cluster||900|Unknown|||gres/gpu=40\n"
            f"c|Node|n1|1050|1200|ticket 42|DRAIN|{gpus}\n"
            f"c|Node|n1|1080|1300|Not responding|DOWN*|{gpus}\n"
            f"c|Node|n1|1150|1350|Kernel upgrade|DRAIN|{gpus}\n"
            f"c|Node|n2|1050|Unknown|drained for maintenance|DRAIN|{gpus}\n"
            f"c|Node|n5|1400|Unknown||POWERED_DOWN|{gpus}\n"
            f"c|Node|n4|1400|1400||DOWN|{gpus}\n",
        )
        self.assertEqual(
            self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
            [(4, 1050, 1080, "drained"), (4, 1080, 1100, "hw_down"), (8, 1100, 1150, "hw_down"), (8, 1150, 1200, "hw_down"),
             (8, 1200, 1300, "hw_down"), (8, 1300, 1350, "maintenance"), (8, 1400, None, "power_saving")],
        )
        self.assertEqual(self.rows("SELECT min(chip_us) >= 0, sum(chip_us) FILTER (WHERE category <> 'queued') FROM mpg_ledger WHERE as_of = 1500"),
                         [(1, 40 * 600 * 10**6)])

    def test_states_of_events_are_short(self):
        """sacctmgr writes states as `sinfo -o %t` does, with a mark behind some."""
        states = (("DRNG", "ticket 42", "drained"), ("DRNG*", "ticket 42", "drained"), ("DRNG", "Xid 48", "hw_down"), ("DRAIN@", "ASAP", "maintenance"),
                  ("DRNG@", "Reboot ASAP", "maintenance"), ("DOWN^", "", "maintenance"), ("MAINT*", "", "maintenance"), ("BOOT", "", "maintenance"), ("IDLE$", "", "maintenance"), ("IDLE^", "", "maintenance"),
                  ("IDLE~", "", "power_saving"), ("IDLE%", "", "power_saving"), ("MIX!", "", "power_saving"), ("POW_DN", "", "power_saving"), ("POWERED_DOWN", "", "power_saving"),
                  ("DOWN~", "", "hw_down"), ("DRAIN~", "ticket", "drained"), ("FAILG", "", "hw_down"), ("INVAL", "", "hw_down"), ("IDLE*", "", "hw_down"),
                  ("DOWN", "Node unexpectedly rebooted", "hw_down"), ("DRAIN", "Node unexpectedly rebooted", "hw_down"), ("DOWN", "Reboot ASAP : reboot issued", "maintenance"))
        for i, (state, reason, kind) in enumerate(states):
            self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"), f"c|Node|n2|1050|1200|{reason}|{state}|gres/gpu=8\n")
            self.assertEqual(self.rows("SELECT chips, kind FROM outages"), [(8, kind)], (i, state))

    def test_a_controller_that_was_away_installs_nothing(self):
        """With TrackSlurmctldDown slurmdbd has a second row of the cluster while slurmctld is not connected."""
        self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
                      "c|Cluster||900|2000|Cluster Registered TRES||gres/gpu=8\nc|Cluster||1050|1060|slurmctld disconnect||gres/gpu=8\n")
        self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(8, 900, 2000)])

    def test_exports_that_overlap(self):
        """What waited in the first and has started in the second waits no more, and counts as no attempt."""
        g = "gres/gpu=8"
        first = (self.job(1, "PENDING", 1000, "Unknown", "Unknown", g, "") + self.job(2, "REQUEUED", 1000, 1010, 1020, g, g, "n1")
                 + self.job(2, "PENDING", 1020, "Unknown", "Unknown", g, "") + "c|3|3_[1-3]|a|PENDING|1000|Unknown|Unknown|gres/gpu=8|||\n")
        second = (self.job(1, "COMPLETED", 1000, 1030, 1040, g, g, "n1") + self.job(2, "REQUEUED", 1000, 1010, 1020, g, g, "n1")
                  + self.job(2, "REQUEUED", 1020, 1050, 1060, g, g, "n1") + self.job(2, "PENDING", 1060, "Unknown", "Unknown", g, "")
                  + "c|4|3_1|a|COMPLETED|1000|1030|1040|gres/gpu=8|gres/gpu=8|n2|\nc|3|3_[2-3]|a|PENDING|1000|Unknown|Unknown|gres/gpu=8|||\n")
        third = "c|3|3_3|a|RUNNING|1000|1070|Unknown|gres/gpu=8|gres/gpu=8|n3|\n"
        for jobs, of_3 in ((first + second, (16, None)), (second + first, (16, None)), (first + second + third, (8, None)), (third + second + first, (8, None))):
            self.map_text(jobs)
            found = self.rows("SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, attempt")
            self.assertEqual(found, [("1", 1, 8, 1030, 1040, "completed"), ("2", 1, 8, 1010, 1020, "preempted"), ("2", 2, 8, 1050, 1060, "preempted"),
                                     ("2", 3, 0, 1060, None, None)] + [("3", 1, 8, 1070, None, None)] * (of_3[0] == 8) + [("4", 1, 8, 1030, 1040, "completed")])
            self.assertEqual(self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"), [("1", 8, None), ("2", 8, None), ("3", *of_3), ("4", 8, None)])
        # Job 2 waits again, to the end.
        self.assertEqual(self.rows("SELECT sum(chip_us) / 8000000 FROM mpg_rollup WHERE job = '2' AND category = 'queued' AND as_of = 1100"), [(10 + 30 + 40,)])

    def test_what_ran_in_one_export_and_began_anew_in_the_next(self):
        """No export tells the end of the first attempt: it ended when the job was submitted again, or else when it started again."""
        g = "gres/gpu=8"
        runs = self.job(1, "RUNNING", 50, 100, "Unknown", g, g, "n1")
        for later, wanted in (
            (self.job(1, "COMPLETED", 300, 400, 500, g, g, "n2"), [(1, 8, 100, 300, None), (2, 8, 400, 500, "completed")]),
            (self.job(1, "PENDING", 300, "Unknown", "Unknown", g, ""), [(1, 8, 100, 300, None), (2, 0, 300, None, None)]),
            (self.job(1, "CANCELLED by 7", 300, "None", 350, g, ""), [(1, 8, 100, 300, None), (2, 0, 350, 350, "cancelled")]),
            (self.job(1, "COMPLETED", 50, 250, 500, g, g, "n1"), [(1, 8, 100, 250, None), (2, 8, 250, 500, "completed")]),
            (self.job(1, "RUNNING", 50, 100, "Unknown", g, g, "n1"), [(1, 8, 100, None, None)]),
            (self.job(2, "COMPLETED", 300, 400, 500, g, g, "n2"), [(1, 8, 100, None, None)]),
        ):
            for jobs in (runs + later, later + runs):
                self.map_text(jobs)
                self.assertEqual(self.rows("SELECT attempt, chips, start_time, end_time, outcome FROM allocations WHERE job = '1' ORDER BY attempt"), wanted, later)

    def test_events_of_exports_that_overlap(self):
        """What was open in the first export and has ended in the second ended; what both have is there once."""
        first = "c|Cluster||900|Unknown|||gres/gpu=16\nc|Cluster||900|905|slurmctld disconnect||gres/gpu=16\nc|Node|n1|950|970||DOWN|gres/gpu=8\nc|Node|n2|1050|Unknown||DOWN|gres/gpu=8\n"
        second = ("c|Cluster||900|1300|||gres/gpu=16\nc|Cluster||1300|Unknown|||gres/gpu=24\nc|Node|n1|950|970||DOWN|gres/gpu=8\n"
                  "c|Node|n2|1050|1200||DOWN|gres/gpu=8\nc|Node|n1|1050|1100||DOWN|gres/gpu=8\n")
        for events in (first, first + first):  # the cluster is not gone at the end of its disconnection
            self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3"), events)
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(16, 900, None)])
        for events in (first + second, second + first, second + second, second):
            self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3"), events)
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity ORDER BY 2"), [(16, 900, 1300), (24, 1300, None)])
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM outages ORDER BY 2, 3"), [(8, 950, 970), (8, 1050, 1100), (8, 1050, 1200)])

    def test_nodes_that_were_shown_twice(self):
        """Files of two days: the node is there once, as the later of them shows it."""
        def node(state, reason=""):
            return f"NodeName=n1 Arch=x86_64\n   State={state} CPUTot=8\n   CfgTRES=cpu=8,gres/gpu=8\n{reason}\n"
        for days, wanted in ((("IDLE", "DOWN"), [(8, 1200, None, "hw_down")]), (("DOWN", "IDLE"), [])):
            folder = self.folder_of({f"{day}.txt": node(state, f"   Reason=x [root@{1100 + 100 * day}]\n" * (state == "DOWN")) for day, state in enumerate(days)})
            self.db.execute("CREATE TEMP TABLE slurm_now AS SELECT * FROM slurm_nodes_trace(?)", (folder,))
            self.map(self.file(self.HEADER + self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3")))
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(8, 1000, None)])
            self.assertEqual(self.rows("SELECT chips, start_time, end_time, kind FROM outages"), wanted)

    def test_several_gpu_types_are_several_pools(self):
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=8", "gres/gpu=8,gres/gpu:h100=8", "n1")
            + self.job(2, "FAILED", 1000, 1000, 1100, "gres/gpu=6", "gres/gpu=6,gres/gpu:h100=4,gres/gpu:a100=2", "n[1-2]")
            + self.job(3, "FAILED", 1000, 1000, 1100, "gres/gpu=2", "gres/gpu=2", "n3"),
            "c|Cluster||900|1200|||gres/gpu=40,gres/gpu:a100=16,gres/gpu:h100=16\n",
        )
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool"), [("c/a100", "a100", 16), ("c/gpu", None, 8), ("c/h100", "h100", 16)])
        self.assertEqual(
            self.rows("SELECT job, pool, chips FROM allocations ORDER BY job, pool"),
            [("1", "c/h100", 8), ("2", "c/a100", 2), ("2", "c/h100", 4), ("3", "c/gpu", 2)],
        )
        self.assertEqual(
            self.rows("SELECT pool, sum(chip_us) / 1000000 FROM mpg_ledger WHERE category = 'untraced' GROUP BY pool"),
            [("c/a100", 200), ("c/gpu", 200), ("c/h100", 1200)],
        )

    def test_what_is_left_out_and_what_is_merged(self):
        h = "gres/gpu:h100=8,gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "cpu=4", "cpu=4", "n1")  # no GPUs
            + self.job(2, "RUNNING", 1000, 1010, "Unknown", h, h, "n1")  # in two exports: this one is the older
            + self.job(2, "COMPLETED", 1000, 1010, 1090, h, h, "n1")
            + self.job("2.batch", "COMPLETED", 1000, 1010, 1090, "", h, "n1")
            + self.job(3, "RESIZING", 1000, 1020, 1030, "gres/gpu=16", "gres/gpu=16", "n[1-2]")
            + self.job(3, "COMPLETED", 1000, 1030, 1050, "gres/gpu=16", h, "n1")
            + self.job(4, "PENDING", 1000, "Unknown", "Unknown", h, "")
            + self.job("5_[1-3]", "PENDING", 1000, "Unknown", "Unknown", h, "")
            + self.job(6, "REQUEUED", 1000, 1040, 1050, h, h, "n2")
            + self.job(6, "CANCELLED by 7", 1050, "None", 1060, h, "")
            + self.job(7, "COMPLETED", 1000, 1040, 1050, "gres/gpu=1", h, "n2", '{"phase":"training","framework":"jax","step":1}')
            + self.job(8, "COMPLETED", 1000, 1040, 1050, h, h, "n3", '["phase"]'),
        )
        self.assertEqual(
            self.rows("SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, attempt, start_time"),
            [("2", 1, 8, 1010, 1090, "completed"), ("3", 1, 16, 1020, 1030, None), ("3", 1, 8, 1030, 1050, "completed"),
             ("6", 1, 8, 1040, 1050, "preempted"), ("6", 2, 0, 1060, 1060, "cancelled"), ("7", 1, 8, 1040, 1050, "completed"),
             ("8", 1, 8, 1040, 1050, "completed")],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips, phase, framework, labels FROM jobs ORDER BY job"),
            [("2", 8, None, None, None, "{}"), ("3", 16, 8, None, None, "{}"), ("4", 8, None, None, None, "{}"),
             ("5_[1-3]", 24, None, None, None, '{"array_job":5}'), ("6", 8, None, None, None, "{}"),
             ("7", 1, 8, "training", "jax", '{"phase":"training","framework":"jax","step":1}'), ("8", 8, None, None, None, "{}")],
        )
        self.assertEqual(self.rows("SELECT * FROM capacity"), [])

    def test_several_clusters(self):
        g = "gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, g, g, "n1", cluster="a") + self.job(1, "COMPLETED", 1000, 1000, 1200, g, g, "n1", cluster="b"),
            f"a|Cluster||900|1200|||{g}\nb|Cluster||900|1300|||{g}\nb|Node|n1|1150|1250||DOWN|{g}\n",
        )
        self.assertEqual(self.rows("SELECT job, pool, attempt FROM allocations ORDER BY job"), [("a/1", "a", 1), ("b/1", "b", 1)])
        self.assertEqual(self.rows("SELECT pool, start_time, end_time FROM outages"), [("b", 1200, 1250)])

    def test_a_cluster_that_jobs_do_not_name(self):
        path = self.file("JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|1000|1000|1100|gres/gpu=8\n")
        self.map(path, self.file(self.EVENT_HEADER + "pod|Cluster||900|1200|||gres/gpu=16\n"))
        self.assertEqual(self.rows("SELECT job, pool FROM allocations"), [("1", "pod")])
        self.map(path)
        self.assertEqual(self.rows("SELECT job, pool FROM allocations"), [("1", "slurm")])


if __name__ == "__main__":
    unittest.main()
