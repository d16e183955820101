"""LSF's lsb.acct and lsb.events: fields of all versions, requirements of GPUs, attempts, and what is malformed."""

import os
import sqlite3
import unittest

from cases import Case
from fleets import ROOT

LSF = os.path.join(ROOT, "fixtures/lsf")
BEGIN = 1743440400
# As version 9.11 writes a job of 8 hosts, and as version 5.1 does, which ends early.
HOSTS = " ".join(f'"16*h{i}"' for i in range(8))
USAGE = " ".join(f"h{i} 1306 0 1287486 242 0" for i in range(8))
V9 = (
    f'"JOB_FINISH" "9.11" 1389683139 404717 22025 33882739 128 1389642318 0 0 1389642771 "anon" "regular" "span[ptile=16]" "" "" "login" "/w" "" "%J.out" "%J.err" "1389642318.404717" 0 8 {HOSTS} '
    f'64 60.0 "abcde" "#!/bin/tcsh;#BSUB -R ""span[ptile=16]"";date" '
    + "0 " * 18
    + f'-1 "" "project" 0 128 "" "" 0 10725376 0 "" "" "" "" 0 "" 0 "" -1 "/p/anon" "" "" "" -1 "" "" 6160 "" 1389642771 "" "" 0 '
    f'8 {USAGE} 43200 0 8688640 "select[poe>0] order[nidx] span[ptile=16] " "" -1 "" -1 0 "" 0 0 "" 40368 "/w" 1 "18338657682652659712" 1 ""\n'
)
V5 = (
    '"JOB_FINISH" "5.1" 1089407406 699195 283 33554482 1 1089290023 0 0 1089406862 "raortega" "8nm" "" "" "" "lx" "prog" "" "/o" "/e" "1089290023.699195" 0 1 "lxb0540" 64 3.3 "" "/x" 277.21 17.28 0 0 -1 0 0 927804 '
    '87722 0 0 0 -1 0 0 0 0 0 -1 "" "default" 0 1 "" "" 0 353272 662228 "" "" ""\n'
)


class Reader(Case):
    def rows(self, text, columns):
        path = os.path.join(self.new_folder(), "lsb.acct")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.db.execute(f"SELECT {columns} FROM lsf_trace(?)", (path,)).fetchall()

    def test_versions(self):
        rows = self.rows(
            V9 + V5,
            "version, job_id, start_time, event_time, run_time, slots, num_hosts, run_limit, effective_res_req, project_name, outcome, command",
        )
        self.assertEqual(
            rows[0],
            (
                "9.11",
                404717,
                1389642771,
                1389683139,
                40368,
                128,
                8,
                43200,
                "select[poe>0] order[nidx] span[ptile=16] ",
                "project",
                "completed",
                '#!/bin/tcsh;#BSUB -R "span[ptile=16]";date',
            ),
        )
        self.assertEqual(rows[0][3] - rows[0][2], rows[0][4])  # LSF's own run time is what the two times are apart
        self.assertEqual(
            rows[1], ("5.1", 699195, 1089406862, 1089407406, None, 1, 1, None, None, "default", "completed", "/x")
        )

    def test_slots_one_by_one(self):
        self.assertEqual(
            self.rows(V9.replace("0 8 " + HOSTS, '0 4 "a" "a" "b" "b"'), "hosts, num_hosts, slots"),
            [('["a","b"]', 2, 4)],
        )
        self.assertEqual(
            self.rows(V9.replace("0 8 " + HOSTS, '0 5 "b" "a" "2*b" "c" "a"'), "hosts, num_hosts, slots"),
            [('["b","a","c"]', 3, 6)],
        )  # in no order

    def test_requirements(self):
        def gpus(requirement, hosts='2 "4*a" "4*b"'):
            line = V9.replace("0 8 " + HOSTS, "0 " + hosts).replace(
                "select[poe>0] order[nidx] span[ptile=16] ", requirement
            )
            return self.rows(line, "gpus, gpu_req, gpu_model")[0]

        for requirement, expected in {
            "select[ngpus>0] rusage[ngpus_physical=4.00] ": (8, "host", None),
            "rusage[mem=5,ngpus_physical=2:gmodel=TeslaV100_SXM2:mig=7]": (4, "host", "TeslaV100_SXM2"),
            "rusage[ngpus_physical=1/task]": (8, "task", None),
            "rusage[ngpus_physical=2/host] span[ptile=4]": (4, "host", None),
            "rusage[ngpus_excl_p=1]": (2, "host", None),
            "rusage[mem=4] rusage[ngpus_physical=0.5]": (1, "host", None),
            "select[a||b] rusage[ngpus_physical=1]": (2, "host", None),
            "1*{span[hosts=1] rusage[ngpus_physical=2:gmem=1G]} + 4*{span[ptile=1] rusage[ngpus_physical=1:gmem=10G]}": (
                6,
                "job",
                None,
            ),
            "1*{rusage[ngpus_physical=2]} + 3*{rusage[mem=1]}": (2, "job", None),
            "4*{rusage[ngpus_physical=2]}": (None, "unknown", None),
            "{rusage[ngpus_physical=2]} || {rusage[ngpus_physical=4]}@4": (None, "unknown", None),
            "rusage[ngpus_physical=x]": (None, "unknown", None),
            "rusage[ngpus_physical=1 || ngpus_physical=2]": (None, "unknown", None),
            "rusage[mem=1 || mem=2]": (None, None, None),
            "select[ngpus>0] rusage[mem=4]": (None, None, None),
        }.items():
            with self.subTest(requirement):
                self.assertEqual(gpus(requirement), expected)

    def test_malformed(self):
        for text, place, expected in (
            (V9.replace('"anon"', "anon", 1), ":1:84", "a text in quotes for user_name"),
            (V9.replace(" 22025 ", ' "x" ', 1), ":1:39", "a number for user_id"),
            (V9 + V9.replace(' "regular"', ' "regular"x', 1), ":2:100", "a blank behind a text in quotes"),
            (V9.replace("0 8 " + HOSTS, '0 99999 "a"'), ":1:", "as many hosts as follow"),
            ("JOB_FINISH 9\n", ":1:1", "a record of LSF"),
            (V9 + '"JOB_NEW" "9.11 13\n', ":2:11", "a closing quote"),
        ):
            with self.assertRaises(sqlite3.OperationalError) as raised:
                self.rows(text, "*")
            self.assertIn(place, str(raised.exception))
            self.assertIn("expected " + expected, str(raised.exception))

    def test_still_written(self):
        self.assertEqual(len(self.rows(V9 + V9[:500], "*")), 1)
        self.assertEqual(len(self.rows(V9 + V9.rstrip("\n"), "*")), 1)  # a number at its end may be cut
        self.assertEqual(self.db.execute("SELECT kind FROM mpg_issues").fetchall(), [("unfinished_record",)] * 2)


class Mapping(Case):
    def test_the_fixture(self):
        rows = self.db.execute(
            "SELECT job, attempt, chips, start_time, end_time, outcome FROM trace_records(?) WHERE record = 'allocations' ORDER BY job, attempt",
            (LSF,),
        ).fetchall()
        at = lambda seconds: None if seconds is None else BEGIN + seconds
        self.assertEqual(
            rows,
            [
                (job, attempt, chips, at(start), at(end), outcome)
                for job, attempt, chips, start, end, outcome in (
                    ("101", 1, 8, 60, 1260, "completed"),
                    ("102", 1, 4, 100, 1900, "timeout"),
                    ("103[1]", 1, 2, 1300, 2500, "completed"),
                    ("103[2]", 1, 2, 1310, 2000, "failed"),
                    ("104", 1, 0, 1500, 1500, "cancelled"),
                    ("106", 1, 4, 2010, 4100, "cancelled"),
                    ("201", 1, 8, 2520, None, None),
                    ("203", 1, 4, 4100, 5000, "preempted"),
                    ("203", 2, 4, 5600, None, None),
                )
            ],
        )
        (waits,) = self.db.execute(
            "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '202' AND category = 'queued'", (LSF,)
        ).fetchone()
        self.assertEqual(waits, 4 * (5900 - 2450))  # until the last record

    def test_events_and_accounting_are_one(self):
        folder = self.new_folder()
        with open(os.path.join(LSF, "lsb.acct"), encoding="utf-8") as file:
            acct = file.read()
        events = f'"JOB_START" "10.113" {BEGIN + 60} 101 4 0 0 60.0 2 "4*n1" "4*n2" "" "" 0 "" 0 "" 0 0 -1 "" "rusage[ngpus_physical=4.00]" 0\n"JOB_STATUS" "10.113" {BEGIN + 1260} 101 64 0 0 5.5 0 0 0 0 0\n'
        for name, text in (("lsb.acct", acct), ("lsb.events", "# 1\n" + events)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(
            self.db.execute(
                "SELECT count(*), sum(chips) FROM trace_records(?) WHERE record = 'allocations' AND job = '101'",
                (folder,),
            ).fetchone(),
            (1, 8),
        )

    def test_a_start_that_its_end_has_seconds_later(self):
        """They are one start, unless the job was stopped between."""
        with open(os.path.join(LSF, "lsb.acct"), encoding="utf-8") as file:
            acct = next(line for line in file if " 101 1001 " in line)
        for at, stops, expected in (
            (58, (), [(58, 1260, "completed")]),
            (63, (), [(63, 1260, "completed")]),
            (-9, (), [(-9, 60, "preempted"), (60, 1260, "completed")]),
            (20, (30,), [(20, 30, "preempted"), (60, 1260, "completed")]),
        ):
            events = f'"JOB_START" "10.113" {BEGIN + at} 101 4 0 0 60.0 2 "4*n1" "4*n2" "" "" 0 "" 0 "" 0 0 -1 "" "rusage[ngpus_physical=4.00]" 0\n'
            events += "".join(f'"JOB_STATUS" "10.113" {BEGIN + stop} 101 1 0 0 5.5 0 0 0 0 0\n' for stop in stops)
            events += f'"JOB_STATUS" "10.113" {BEGIN + 1258} 101 64 0 0 5.5 0 0 0 0 0\n'
            folder = self.new_folder()
            for name, text in (("lsb.acct", acct), ("lsb.events", "# 1\n" + events)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(
                [
                    (start - BEGIN, end - BEGIN, outcome)
                    for start, end, outcome in self.rows(
                        "SELECT start_time, end_time, outcome FROM trace_records(?) WHERE record = 'allocations' AND job = '101' ORDER BY start_time",
                        folder,
                    )
                ],
                expected,
            )

    def test_an_end_that_was_lost(self):
        """A job that runs on past its limit, or while a later one has chips of its hosts, is listed; one that has time left, or fits beside it, is not."""

        def new(job, limit=-1):
            return (
                f'"JOB_NEW" "10.113" {BEGIN} {job} 1001 33554450 1 {BEGIN} 0 0 0 0 0 "ann" '
                + "-1 " * 9
                + f'{limit} -1 -1 "" 0.0 18 "gpu" "" "login1" "work" "" "" "out.%J" "" "/home/ann" "1.{job}" 0 "" "" '
                '"train" "python train.py" 0 "" "research" 0 1 "" "" "" "" 0 0 0\n'
            )

        def start(job, at, *hosts, gpus=4):
            listed = " ".join(f'"{host}"' for host in hosts)
            return f'"JOB_START" "10.113" {BEGIN + at} {job} 4 0 0 60.0 {len(hosts)} {listed} "" "" 0 "" 0 "" 0 0 -1 "" "select[type == any] rusage[ngpus_physical={gpus}.00] " 0\n'

        def done(job, at):
            return f'"JOB_STATUS" "10.113" {BEGIN + at} {job} 64 0 0 5.5 {BEGIN + at} 0 0 0 0 0 0 0\n'

        for text, expected in (
            (new(1, 3600) + start(1, 0, "n1"), [(2, 1)]),
            (new(1, 36000) + start(1, 0, "n1"), []),
            (new(1) + start(1, 0, "n1"), []),
            (new(1, 3600) + start(1, 0, "n1") + done(1, 19000), []),
            (new(1) + start(1, 0, "n1", "n2") + new(2) + start(2, 200, "n2") + done(2, 900), [(2, 1)]),
            (new(1) + start(1, 0, "n1", "n2") + new(2) + start(2, 200, "n3") + done(2, 900), []),
            (
                new(1)
                + start(1, 0, "n1", gpus=2)
                + new(2)
                + start(2, 200, "n1", gpus=2)
                + done(2, 900)
                + new(3)
                + start(3, 0, "n2")
                + done(3, 900),
                [],
            ),
        ):
            path = self.file(text + f'"MBD_DIE" "10.113" {BEGIN + 20000} "lsf-master" 3 0\n', "lsb.events")
            self.rows("SELECT sum(chip_us) FROM trace_rollup(?)", path)
            self.assertEqual(
                expected,
                self.rows("SELECT line, count FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", path),
                text,
            )
        self.assertEqual(
            [3600, None],
            [
                row[0]
                for row in self.rows(
                    "SELECT run_limit FROM lsf_trace(?)", self.file(new(1, 3600) + start(1, 0, "n1"), "lsb.events")
                )
            ],
        )

    def test_suspended_jobs(self):
        """They keep their GPUs: the time is held, and said."""

        def status(at, state):
            return f'"JOB_STATUS" "10.113" {BEGIN + at} 1 {state} 0 0 5.5 0 0 0 0 0 0 0 0\n'

        start = f'"JOB_START" "10.113" {BEGIN + 10} 1 4 0 0 60.0 1 "n1" "" "" 0 "" 0 "" 0 0 -1 "" "select[type == any] rusage[ngpus_physical=4.00] " 0\n'
        for text, seconds in (
            (status(50, 16) + status(80, 4) + status(200, 8) + status(210, 4), 40),
            (status(250, 16), 50),
            (status(50, 4), None),
        ):
            path = self.file(start + text + status(300, 64), "lsb.events")
            self.assertEqual(
                4 * 290,
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", path),
            )
            rows = self.rows(
                "SELECT severity, count, detail FROM mpg_issues WHERE kind = 'suspended_job' AND source = ?", path
            )
            self.assertEqual(
                (
                    []
                    if seconds is None
                    else [
                        (
                            "info",
                            1,
                            f"jobs that were suspended, the first 1, for {seconds} s in all: they held their chips meanwhile ({4 * seconds} chip-seconds)",
                        )
                    ]
                ),
                rows,
            )

    def new(self, job, at=0, name="train", request=""):
        return (
            f'"JOB_NEW" "10.113" {BEGIN + at} {job} 1001 33554450 1 {BEGIN + at} 0 0 0 0 0 "ann" '
            + "-1 " * 12
            + f'"" 0.0 18 "gpu" "{request}" "login1" "work" "" "" "out.%J" "" "/home/ann" "1.{job}" 0 "" "" '
            f'"{name}" "python train.py" 0 "" "research" 0 1 "" "" "" "" 0 0 0\n'
        )

    def start(self, job, at, *hosts, idx=0):
        return f'"JOB_START" "10.113" {BEGIN + at} {job} 4 0 0 60.0 {self.listed(*hosts)} "" "" 0 "" {idx} "" 0 0 -1 "" "select[type == any] rusage[ngpus_physical=4.00] " 0\n'

    def status(self, job, at, state, idx=0):
        return f'"JOB_STATUS" "10.113" {BEGIN + at} {job} {state} 0 0 5.5 {BEGIN + at} 0 0 {idx} 0 0 0 0\n'

    def finish(self, job, start, end, *hosts, request="rusage[ngpus_physical=4.00]", submit=0, run=None):
        return (
            V9.replace("1389683139 404717", f"{BEGIN + end} {job}")
            .replace("1389642318 0 0 1389642771", f"{BEGIN + submit} 0 0 {BEGIN + start}")
            .replace("8 " + HOSTS, self.listed(*hosts), 1)
            .replace("select[poe>0] order[nidx] span[ptile=16] ", request)
            .replace(" 40368 ", f" {end - start if run is None else run} ")
        )

    def listed(self, *hosts):
        return " ".join([str(len(hosts)), *(f'"{host}"' for host in hosts)])

    def figures(self, *texts):
        path = self.folder_of({f"lsb.{i}": text for i, text in enumerate(texts)})
        rows = self.rows("SELECT job, category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1, 2", path)
        return rows, self.rows(
            "SELECT kind, count FROM mpg_issues WHERE source LIKE ? || '%' AND kind <> 'no_capacity' ORDER BY 1", path
        )

    def test_resized_jobs(self):
        """A record of the change tells what the job had until then, that of its end what it had at last; without one the hosts that came or went do. What it got later it asked for before, what it gave back it asks for no more."""

        def resize(at, hosts, change):
            return f'"JOB_RESIZE" "10.113" {BEGIN + at} 1 0 {BEGIN + 10} 1001 "ann" 0 {BEGIN + 10} {self.listed(*hosts)} {self.listed(*change)} 0 0\n'

        die = f'"MBD_DIE" "10.113" {BEGIN + 110} "lsf-master" 3 0\n'
        new, grown, ended = self.new(1), resize(60, ["n1"], ["n2"]), self.finish(1, 10, 110, "n1", "n2")
        for texts, held, later in (
            ([new + self.start(1, 10, "n1") + grown + self.status(1, 110, 64)], 4 * 50 + 8 * 50, 200),
            ([grown + ended], 600, 200),
            ([new + self.start(1, 10, "n1") + grown + self.status(1, 110, 64), grown + ended], 600, 200),
            ([new + self.start(1, 10, "n1", "n2") + resize(60, ["n1", "n2"], ["n2"]) + die], 8 * 50 + 4 * 50, 0),
            (
                [new + self.start(1, 10, "n1") + grown + resize(80, ["n1", "n2"], ["n1"]) + self.status(1, 110, 64)],
                200 + 160 + 120,
                200,
            ),
            (
                [
                    resize(60, ["4*n1"], ["4*n2"])
                    + self.finish(1, 10, 110, "4*n1", "4*n2", request="rusage[ngpus_physical=1/task]")
                ],
                600,
                200,
            ),
        ):
            rows, said = self.figures(*texts)
            self.assertEqual([("1", "queued", 80 + later), ("1", "untraced", held)], rows, texts)
            self.assertEqual([("resized_job", 1)], said)

    def test_elements_that_wait(self):
        """Those of an array that have not started ask for what others got, until they leave. What waits does so where nothing runs, too."""
        die = f'"MBD_DIE" "10.113" {BEGIN + 200} "lsf-master" 3 0\n'
        rows, said = self.figures(
            self.new(1, name="sweep[1-10:3,12]%2")
            + self.start(1, 10, "n1", idx=1)
            + self.status(1, 50, 32, idx=4)
            + self.status(1, 110, 64, idx=1)
            + die
        )
        self.assertEqual(
            [
                ("1[10]", "queued", 800),
                ("1[12]", "queued", 800),
                ("1[1]", "queued", 40),
                ("1[1]", "untraced", 400),
                ("1[4]", "queued", 200),
                ("1[7]", "queued", 800),
            ],
            rows,
        )
        self.assertEqual([("1", "queued", 800)], self.figures(self.new(1, request="rusage[ngpus_physical=4]") + die)[0])

    def test_states_without_their_start(self):
        """What ran holds what its start says: without one a row says so. What waits again, and leaves the queue, asks for nothing more."""
        die = f'"MBD_DIE" "10.113" {BEGIN + 1000} "lsf-master" 3 0\n'
        new = self.new(1, request="rusage[ngpus_physical=4]")
        again = new + self.start(1, 60, "n1") + self.status(1, 500, 1)
        waits = lambda seconds: [("1", "queued", 4 * seconds)]
        ran = [("1", "untraced", 4 * 440)]
        missing = [("missing_field", 1)]
        for text, rows, said in (
            (new + self.status(1, 500, 64), waits(500), missing),
            (new + self.status(1, 500, 4), waits(1000), missing),
            (new + self.status(1, 500, 32), waits(500), []),
            (self.status(2, 500, 64) + new, waits(1000), missing),
            (self.status(2, 500, 32) + new, waits(1000), missing),
            (again, waits(560) + ran, []),
            (again + self.status(1, 800, 32), waits(360) + ran, []),
            (
                again + self.finish(1, 0, 800).replace(f" {BEGIN} 0 0 {BEGIN} ", f" {BEGIN} 0 0 0 "),
                waits(360) + ran,
                [],
            ),
            (again + self.status(1, 800, 64), waits(360) + ran, missing),
            (new + self.start(1, 60, "n1") + self.status(1, 500, 64) + self.status(1, 505, 192), waits(60) + ran, []),
        ):
            self.assertEqual((rows, said), self.figures(text + die), text)

    def test_numbers_that_are_given_anew(self):
        other = self.new(1, 10**6) + self.start(1, 10**6 + 10, "n1") + self.status(1, 10**6 + 60, 64)
        for first in (self.new(1) + self.start(1, 10, "n1") + self.status(1, 110, 64), self.finish(1, 10, 110, "n1")):
            rows, said = self.figures(first, other)
            self.assertEqual(
                [("1", "queued", 40), ("1", "untraced", 400), ("1#2", "queued", 40), ("1#2", "untraced", 200)], rows
            )
        for request in ("rusage[ngpus_physical=2.00:mig=3]", "rusage[ngpus_shared=1]"):
            self.assertEqual([("guessed_share", 1)], self.figures(self.finish(1, 10, 110, "n1", request=request))[1])
        self.assertEqual([("suspended_job", 1)], self.figures(self.finish(1, 10, 1110, "n1", run=900))[1])
        self.assertEqual([("start_before_submit", 1)], self.figures(self.finish(1, 10, 1110, "n1", submit=20))[1])

    def test_slots(self):
        text = '{"sources": [{"path": "%s/lsb.acct", "chips": "slots", "pool": "farm"}]}' % LSF
        self.assertEqual(
            self.db.execute(
                "SELECT pool, chips FROM trace_records(?) WHERE record = 'allocations' AND job IN ('101', '105') ORDER BY job",
                (text,),
            ).fetchall(),
            [("farm", 8), ("farm", 1)],
        )

    def test_the_event_stream(self):
        """lsb.stream has its ends as names and values, which are not read: that is said, and which file has them."""
        with open(os.path.join(LSF, "lsb.acct"), encoding="utf-8") as file:
            text = file.read()
        pairs = (
            f'"JOB_FINISH2" "10.1" {BEGIN + 900} 901 3 "jStatus" "64" "startTime" "{BEGIN}" "endTime" "{BEGIN + 900}"\n'
        )
        for more, said in (
            (pairs, "JOB_FINISH2 (of lsb.stream: copy lsb.acct too)"),
            ('"JOB_X" "10.1" 1743440500 9\n', "JOB_X"),
        ):
            path = os.path.join(self.new_folder(), "lsb.stream")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + more)
            self.db.execute("SELECT count(*) FROM trace_ledger(?)", (path,)).fetchall()
            sql = "SELECT count, detail FROM mpg_issues WHERE kind = 'unknown_record' AND source = ?"
            self.assertEqual(
                [(1, "records of types that are not known: left out: " + said)],
                self.db.execute(sql, (path,)).fetchall(),
            )

    def test_repeated(self):
        folder = self.new_folder()
        with open(os.path.join(LSF, "lsb.acct"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(folder, "lsb.acct"), "w", encoding="utf-8") as file:
            file.write(text + text.replace("ngpus_excl_p", "nnpus"))
        ask = "SELECT sum(chip_us) FROM trace_rollup(?) WHERE category <> 'queued'"
        self.assertEqual(
            self.db.execute(ask, (folder,)).fetchone(), self.db.execute(ask, (LSF + "/lsb.acct",)).fetchone()
        )
        self.db.execute(ask, (folder,)).fetchone()
        kinds = dict(self.db.execute("SELECT kind, count FROM mpg_issues"))
        self.assertEqual((kinds["repeated_record"], kinds["uncounted_resource"]), (7, 1))


if __name__ == "__main__":
    unittest.main()
