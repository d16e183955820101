"""What mappings say of one record that cannot be right: the row of mpg_issues, with its count and line."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import unittest

from cases import Case
from fleets import ROOT, connect
import xspace

FIXTURES = os.path.join(ROOT, "fixtures")


class Said(Case):
    def changed(self, fixture, change):
        """A copy of the fixture's text, which `change` makes another one."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, os.path.basename(fixture))
        shutil.copy(os.path.join(FIXTURES, fixture), path)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = change(before)
        self.assertNotEqual(before, after)
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
        return path

    def said(self, fixture, kind, change=None, ask="SELECT sum(chip_us) FROM trace_ledger(?)"):
        path = self.changed(fixture, change) if change else os.path.join(FIXTURES, fixture)
        self.db.execute(ask, (path,)).fetchall()
        return self.db.execute(
            "SELECT severity, count, line FROM mpg_issues WHERE kind = ? AND source = ?", (kind, path)
        ).fetchall()

    def only_if(self, fixture, kind, change, expected, **more):
        """The row is of the change, and not of the fixture."""
        self.assertEqual([], self.said(fixture, kind, **more))
        self.assertEqual([expected], self.said(fixture, kind, change, **more))

    def test_a_line_that_was_moved(self):
        def move(text):
            lines = text.splitlines(True)
            first = next(i for i, line in enumerate(lines) if "step:" in line)
            self.later = max(i for i, line in enumerate(lines) if "step:" in line)
            lines.insert(self.later, lines.pop(first))
            return "".join(lines)

        rows = self.said("training/torchtitan.log", "line_out_of_order", move)
        self.assertEqual([("warning", 1, self.later + 1)], rows)
        self.assertEqual([], self.said("training/torchtitan.log", "line_out_of_order"))

    def test_a_run_without_its_end(self):
        ask = "SELECT * FROM trace_mlperf_runs(?) WHERE chip_count = 16"

        def without(text):
            self.lines = text.count("\n")
            return text.replace('"run_stop"', '"run_frob"')

        rows = self.said("mlperf/results/pod16/toy_lm/result_0.txt", "no_run_stop", without, ask=ask)
        self.assertEqual([("warning", 1)], [row[:2] for row in rows])
        self.assertLessEqual(rows[0][2], self.lines)
        self.assertEqual([], self.said("mlperf/results/pod16/toy_lm/result_0.txt", "no_run_stop", ask=ask))

    def test_two_runs_in_one_file(self):
        ask = "SELECT * FROM trace_mlperf_runs(?) WHERE chip_count = 16"
        name = "mlperf/results/pod16/toy_lm/result_0.txt"
        self.assertEqual([], self.said(name, "several_runs", ask=ask))
        with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
            times = {
                key: int(time) for time, key in re.findall(r'"time_ms": (\d+).*?"key": "(run_st\w+)"', file.read())
            }
        lasted = times["run_stop"] - times["run_start"]
        # The next run hours later, and within a minute: a run of ten seconds, and another five seconds after it.
        for scale, later in ((1, 7200000), (10000 / lasted, 15000)):

            def twice(text):
                first, second = (
                    re.sub(
                        r'"time_ms": (\d+)',
                        lambda m: f'"time_ms": {times["run_start"] + int((int(m[1]) - times["run_start"]) * scale) + by}',
                        text,
                    )
                    for by in (0, later)
                )
                return first + second

            self.assertEqual([], self.said(name, "several_runs", twice, ask=ask))
        # One that has no end ends before the next begins, if not within a minute: that is of ranks.
        for later, count in ((7200000, 1), (15000, 0)):
            scale, lost = 1, lambda text: twice(text).replace('"run_stop"', '"run_frob"', 1)
            self.assertEqual([], self.said(name, "several_runs", lost, ask=ask))
            rows = self.said(name, "no_run_stop", lost, ask=ask)
            self.assertEqual([("warning", count)] * (count > 0), [row[:2] for row in rows])
        # Two hosts of one run, one log after the other.
        self.assertEqual([], self.said(name, "several_runs", lambda text: text + text, ask=ask))

    def test_a_goodput_log_of_two_hosts(self):
        """The same entries twice are those of one host, and listed; the other way round nothing stops, and what cannot be is listed."""
        ask = "SELECT attempt, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2"
        with open(os.path.join(FIXTURES, "goodput/ranker-7.jsonl"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        whole = self.rows(ask, self.file("".join(lines), "ranker-7.jsonl"))
        path = self.file("".join(line * 2 for line in lines), "ranker-7.jsonl")
        self.assertEqual(whole, self.rows(ask, path))
        self.assertEqual(len(lines), self.issues(path)["repeated_record"])
        path = self.file("".join(lines[::-1]), "ranker-7.jsonl")
        self.rows(ask, path)
        self.assertEqual(4, self.issues(path)["end_before_start"])  # an attempt, and three of its parts

    def test_a_restore_of_a_step_that_nobody_saved(self):
        self.only_if(
            "goodput/ranker-7.jsonl",
            "missing_save",
            lambda text: "".join(line for line in text.splitlines(True) if '"event_type":"save"' not in line),
            ("warning", 1, None),
        )

    def test_a_job_that_ran_without_what_it_held(self):
        def lose(text):
            lines = text.splitlines(True)
            names = lines[0].rstrip("\n").split("|")
            at = next(
                i
                for i, line in enumerate(lines)
                if i
                and line.split("|")[names.index("AllocTRES")]
                and line.split("|")[names.index("ElapsedRaw")] not in ("", "0")
            )
            cells = lines[at].split("|")
            cells[names.index("AllocTRES")] = ""
            lines[at] = "|".join(cells)
            self.line = at + 1
            return "".join(lines)

        self.assertEqual([], self.said("slurm/sacct_jobs.psv", "missing_field"))
        rows = self.said("slurm/sacct_jobs.psv", "missing_field", lose)
        self.assertEqual([("warning", 1, self.line)], rows)

    def test_an_end_that_no_record_of_pbs_tells(self):
        """The E record of a job is lost: it runs until it starts again, or past its walltime, which is said; not of a job that has time left."""
        with open(os.path.join(FIXTURES, "pbs/accounting.log"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        started = next(i for i, line in enumerate(lines) if ";S;101.pod;" in line)
        lost = [line for line in lines if ";E;101.pod;" not in line]

        def limited(walltime):
            return lambda text: "".join(
                (
                    re.sub(r"Resource_List.walltime=\S+", "Resource_List.walltime=" + walltime, line)
                    if ";101.pod;" in line
                    else line
                )
                for line in lost
            )

        late = next(line for line in lines if ";Q;109.pod;" in line).replace("11:58:20", "23:58:20")
        rows = self.said("pbs/accounting.log", "lost_end", lambda text: limited("00:10:00")(text) + late)
        self.assertEqual([("warning", 2, started + 1)], rows)  # 108, which began at 11:50, has six hours
        self.assertEqual(
            [],
            self.said(
                "pbs/accounting.log",
                "lost_end",
                lambda text: limited("72:00:00")(text) + late.replace("23:58", "18:00"),
            ),
        )
        # A second start, and no R or E before it.
        again = lines[started].replace("11:01:00", "11:59:00").replace("start=1743440460", "start=1743443940")
        rows = self.said("pbs/accounting.log", "lost_end", lambda text: "".join(lost) + again)
        self.assertEqual([("warning", 1, started + 1)], rows)
        self.assertEqual([], self.said("pbs/accounting.log", "lost_end"))

    def test_a_job_of_slurm_that_runs_past_its_limit(self):
        """A runaway job: the database has it as running long after its limit. An hour of grace, and none without a limit."""
        head = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES"
        row = "%s|%s|c|RUNNING|2026-03-01T09:00:00|2026-03-01T09:00:00|Unknown|%d|%s|gres/gpu=8|gres/gpu=8"
        for elapsed, limit, expected in (
            (86400, "60", 1),
            (7000, "60", 0),
            (86400, "UNLIMITED", 0),
            (86400, "1440", 0),
        ):
            path = self.file("\n".join((head, row % (7, 7, elapsed, limit), "")), "sacct.psv")
            self.rows("SELECT sum(chip_us) FROM trace_ledger(?)", path)
            self.assertEqual(expected, self.issues(path).get("lost_end", 0), (elapsed, limit))

    def test_jobs_of_slurm_that_were_suspended(self):
        """A suspended job keeps its GPUs: the time is held, and said."""
        head = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ElapsedRaw|Suspended|ReqTRES|AllocTRES\n"
        row = "{0}|{0}|c|{1}|1772352000|1772352000|{2}|{3}|{4}|gres/gpu={5}|gres/gpu={5}\n"
        for jobs, expected in (
            (
                [
                    (7, "COMPLETED", 1772355600, 3000, "00:10:00", 8),
                    (8, "COMPLETED", 1772355600, 3500, "00:01:40", 2),
                    (9, "COMPLETED", 1772355600, 3600, "00:00:00", 2),
                ],
                (2, 700, 5000),
            ),
            ([(9, "COMPLETED", 1772355600, 3600, "00:00:00", 2)], None),
            ([(7, "SUSPENDED", "Unknown", 1800, "00:30:00", 8)], (1, 1800, 14400)),
        ):
            path = self.file(head + "".join(row.format(*job) for job in jobs), "sacct.psv")
            held = self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", path)
            self.assertEqual(sum(3600 * job[5] for job in jobs), held)
            rows = self.rows("SELECT count, detail FROM mpg_issues WHERE kind = 'suspended_job' AND source = ?", path)
            self.assertEqual(
                (
                    []
                    if expected is None
                    else [
                        (
                            expected[0],
                            f"jobs that were suspended, the first {jobs[0][0]}, for {expected[1]} s in all: they held their chips meanwhile ({expected[2]} chip-seconds)",
                        )
                    ]
                ),
                rows,
            )

    def test_a_pod_that_ended_at_a_time_that_nothing_tells(self):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "a",
                "namespace": "ml",
                "uid": "u",
                "resourceVersion": "5",
                "creationTimestamp": "2026-03-01T09:00:00Z",
            },
            "spec": {"nodeName": "n", "containers": [{"name": "m", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]},
            "status": {"phase": "Failed", "reason": "Evicted", "startTime": "2026-03-01T09:00:00Z"},
        }
        path = self.file(json.dumps(pod), "pod.json")
        self.rows("SELECT sum(chip_us) FROM trace_ledger(?)", path)
        self.assertEqual(1, self.issues(path).get("missing_field", 0))
        pod["status"]["containerStatuses"] = [
            {
                "name": "m",
                "restartCount": 0,
                "state": {
                    "terminated": {
                        "exitCode": 137,
                        "startedAt": "2026-03-01T09:00:00Z",
                        "finishedAt": "2026-03-01T10:00:00Z",
                    }
                },
            }
        ]
        path = self.file(json.dumps(pod), "pod.json")
        self.rows("SELECT sum(chip_us) FROM trace_ledger(?)", path)
        self.assertEqual(0, self.issues(path).get("missing_field", 0))

    def test_an_instruction_twice(self):
        def twice(text):
            lines = text.splitlines(True)
            at = next(i for i, line in enumerate(lines) if " dot(" in line)
            self.line = at + 2
            return "".join(lines[: at + 1] + lines[at:])

        ask = "SELECT count(*) FROM hlo_trace(?)"
        rows = self.said("hlo/train_step.hlo", "repeated_instruction", twice, ask=ask)
        self.assertEqual([("warning", 1, self.line)], rows)
        self.assertEqual([], self.said("hlo/train_step.hlo", "repeated_instruction", ask=ask))


CHROME = {
    "another category": lambda events, i: events[i].update(cat="frob"),
    "no category": lambda events, i: events[i].pop("cat", None),
    "twice": lambda events, i: events.insert(i, dict(events[i])),
    "in the next century": lambda events, i: events[i].update(ts=events[i]["ts"] + 3155760000e6),
    "ends before it starts": lambda events, i: events[i].update(dur=-events[i]["dur"]),
    "no duration": lambda events, i: events[i].pop("dur"),
    "no start": lambda events, i: events[i].pop("ts"),
    "no phase": lambda events, i: events[i].pop("ph"),
    "another phase": lambda events, i: events[i].update(ph="Q"),
    "a begin of its own": lambda events, i: events[i].update(ph="B"),
    "before 0": lambda events, i: events[i].update(ts=-events[i]["ts"] - 1e7),
    "no name": lambda events, i: events[i].pop("name"),
    "no process": lambda events, i: events[i].pop("pid"),
}


class OneRecord(unittest.TestCase):
    """A record that lacks its id, its pool or its time counts as nothing, is listed, and never takes the others with it."""

    def ledger(self, path, stop=""):
        db = connect()
        self.addCleanup(db.close)
        sums = dict(
            db.execute(
                "SELECT job, sum(chip_us) FROM trace_ledger(?) WHERE job IS NOT NULL AND category <> 'queued'"
                + stop
                + " GROUP BY 1",
                (path,),
            ).fetchall()
        )
        return sums, sum(
            count
            for count, in db.execute(
                "SELECT count FROM mpg_issues WHERE severity = 'data_loss' AND kind IN ('skipped_record', 'missing_field')"
            )
        )

    def check(self, files, damaged, change):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for file in files:
            os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
            shutil.copy(os.path.join(FIXTURES, file), os.path.join(folder, file))
        whole, lost = self.ledger(folder)
        self.assertEqual(0, lost)
        path = os.path.join(folder, damaged)
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        after = change(text)
        self.assertNotEqual(text, after)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(after)
        rest, lost = self.ledger(folder)
        with self.subTest(damaged):
            self.assertLess(0, lost)
            self.assertLessEqual(len(whole) - 1, len(rest))
            self.assertEqual({job: us for job, us in rest.items() if job in whole and whole[job] == us}, rest)
            self.assertLessEqual(len(set(whole) - set(rest)), 1)
            self.assertRaisesRegex(
                sqlite3.Error, "expected a value, found nothing", self.ledger, folder, " AND on_error = 'stop'"
            )

    def without(self, column, row=2):
        def change(text):
            lines = text.splitlines(True)
            at = lines[0].rstrip("\r\n").split(",").index(column)
            cells = lines[row].rstrip("\r\n").split(",")
            cells[at] = ""
            lines[row] = ",".join(cells) + "\n"
            return "".join(lines)

        return change

    def test_tables(self):
        for fixture, columns in (
            ("acme/trace_seren.csv", ("job_id",)),
            ("pai/pai_job_duration_estimate.csv", ("job_id", "submit_time")),
            ("alibaba-v2023/openb_pod_list.csv", ("name",)),
            ("alibaba-v2025/disaggregated_DLRM_trace.csv", ("instance_sn",)),
        ):
            for column in columns:
                self.check(["public/" + fixture], "public/" + fixture, self.without(column))
        helios = ["public/helios/Venus/cluster_log.csv", "public/helios/Venus/cluster_gpu_number.csv"]
        self.check(helios, helios[0], self.without("vc"))

    def test_capacity(self):
        """The jobs of Helios count, though a day says not when it was."""
        helios = ["public/helios/Venus/cluster_log.csv", "public/helios/Venus/cluster_gpu_number.csv"]
        self.check(helios, helios[1], self.without("date", 1))

    def test_philly(self):
        philly = ["public/philly/cluster_job_log", "public/philly/cluster_machine_list"]
        self.check(philly, philly[0], lambda text: re.sub(r'"jobid": ?"[^"]*",?', "", text, count=1))


class Device(Case):
    """An event of a device that is damaged: the figures stay, or mpg_issues has a row more."""

    FIGURES = "SELECT device, stream, class, sum(end_ns - start_ns), count(*), min(start_ns), max(end_ns) FROM trace_device_activity(?) GROUP BY 1, 2, 3"

    def figures(self, path):
        rows = self.rows(self.FIGURES, path)
        return rows, self.issues(path)

    def right_or_said(self, whole, damaged, note):
        rows, issues = damaged
        self.assertTrue(rows == whole[0] or any(n > whole[1].get(kind, 0) for kind, n in issues.items()), note)

    def chrome(self, fixture, is_device):
        with open(os.path.join(FIXTURES, fixture), encoding="utf-8") as file:
            text = file.read()
        whole = self.figures(self.file(text, "whole.json"))
        self.assertGreater(len(whole[0]), 0)
        places = [
            i for i, event in enumerate(json.loads(text)["traceEvents"]) if event.get("ph") == "X" and is_device(event)
        ]
        for kind, change in CHROME.items():
            for i in places[:3] + places[-1:]:
                trace = json.loads(text)
                change(trace["traceEvents"], i)
                self.right_or_said(whole, self.figures(self.file(trace, "damaged.json")), (fixture, kind, i))

    def test_kineto(self):
        self.chrome("profile/rank0.json", lambda event: event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))

    def test_xprof(self):
        self.chrome("profile/tpu.trace.json", lambda event: (event["pid"], event["tid"]) == (3, 3))

    def test_nsys(self):
        with open(os.path.join(FIXTURES, "nsys/two-gpus.sql"), encoding="utf-8") as file:
            text = file.read()

        def export(change):
            path = self.file("", "run.sqlite")
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.executescript(text + change)
            return self.figures(path)

        whole = export("")
        self.assertGreater(len(whole[0]), 0)
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            for change in (
                "INSERT INTO %s SELECT * FROM %s WHERE rowid = 1",
                'UPDATE %s SET start = start + 3155760000000000000, "end" = "end" + 3155760000000000000 WHERE rowid = 1 -- %s',
                'UPDATE %s SET "end" = start - 5 WHERE rowid = 1 -- %s',
                "ALTER TABLE %s RENAME TO %s_V9",
            ):
                sql = change % (("CUPTI_ACTIVITY_KIND_" + table,) * 2)
                self.right_or_said(whole, export(sql.split(" -- ")[0] + ";"), sql)

    def test_nsys_times(self):
        """Beside the damages above: a time that was lost, and a kernel that lasts beyond the next of its stream."""
        with open(os.path.join(FIXTURES, "nsys/two-gpus.sql"), encoding="utf-8") as file:
            text = file.read()
        for kind, change in (
            ("lost_time", 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, "end" = 0 WHERE rowid = 1'),
            ("overrun_activity", 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = start + 1600000000 WHERE rowid = 1'),
            (
                "no_device_event",
                "".join(
                    f"DROP TABLE CUPTI_ACTIVITY_KIND_{table};"
                    for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "SYNCHRONIZATION")
                ),
            ),
        ):
            path = self.file("", "run.sqlite")
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.executescript(text + change)
            self.assertIn((kind, 1), self.figures(path)[1].items())

    def test_xplane(self):
        def trace(change, gpu=False):
            plane = xspace.tpu(0)
            if gpu:
                plane = xspace.Plane("/device:GPU:0")
                plane.line(
                    "Stream #7",
                    xspace.START,
                    [
                        (
                            plane.event_name("k%d" % i),
                            i * 1000 * xspace.US,
                            800 * xspace.US,
                            [("correlation_id", i + 1)],
                        )
                        for i in range(4)
                    ],
                )
            host = xspace.Plane("/host:CPU")
            host.line(
                "python3", xspace.START, [(host.event_name("train_step"), 0, 4000 * xspace.US, [("step_num", 7)])], 77
            )
            change(plane)
            return self.file(xspace.message([(1, plane.fields()), (1, host.fields())]), "host.xplane.pb")

        def event(place, change):
            def damage(plane):
                line = (
                    plane.lines[-1] if place[0] is None else next(line for line in plane.lines if (2, place[0]) in line)
                )
                at = [i for i, (number, _) in enumerate(line) if number == 4][place[1]]
                name, offset, duration = (value for _, value in line[at][1][:3])
                changed = change(name, offset, duration)
                line[at : at + 1] = [(4, [(1, n), (2, o), (3, d)] + line[at][1][3:]) for n, o, d in changed]

            return damage

        whole = self.figures(trace(lambda plane: None))
        self.assertGreater(len(whole[0]), 0)
        far = 3155760000 * 10**12
        for name, kind, change in (
            ("negative", "impossible_time", lambda n, o, d: [(n, o, -d)]),
            ("twice", "repeated_record", lambda n, o, d: [(n, o, d)] * 2),
            ("a year later", "lost_time", lambda n, o, d: [(n, o + far // 1000, d)]),
            ("an hour before", "lost_time", lambda n, o, d: [(n, o - 3600 * 10**12, d)]),
            ("a name that nobody gave", None, lambda n, o, d: [(99, o, d)]),
        ):
            for place in (0, 1, -1):
                with self.subTest(name, place=place):
                    damaged = self.figures(trace(event(("XLA Ops", place), change)))
                    if kind:
                        self.assertIn(kind, damaged[1])
                    self.right_or_said(whole, damaged, name)
        for name, change in (
            ("plane", lambda plane: setattr(plane, "name", "/dev:TPU:0")),
            ("line", lambda plane: plane.lines[2].__setitem__(1, (2, "XLA Oops"))),
        ):
            with self.subTest(name):
                self.right_or_said(whole, self.figures(trace(change)), name)
        whole = self.figures(trace(lambda plane: None, True))
        damaged = self.figures(trace(event((None, 0), lambda n, o, d: [(n, o, 10**15)]), True))
        self.assertEqual({"overrun_activity": 1}, damaged[1])
        self.assertEqual(whole[0][0][3] + 200000, damaged[0][0][3])


if __name__ == "__main__":
    unittest.main()
