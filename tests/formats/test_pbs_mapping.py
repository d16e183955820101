"""PBS accounting logs: the mapping sql/formats/pbs.sql. The ledger is held against sums made by hand."""

import datetime
import json
import os
import random
import unittest

import cases
from fleets import ROOT

LOG = os.path.join(ROOT, "fixtures/pbs/accounting.log")
REAL = os.path.join(ROOT, "../shared/traces/pbs/qhist_testdata.log")
T0 = 1743440400  # 11:00:00 in Denver: the fixture's first second


OF_RELATIONS = {
    "jobs": "job, name, owner, chips, min_chips, submit_time, labels",
    "allocations": "job, attempt, pool, chips, start_time, end_time, outcome",
}
LISTED = "SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? AND line IS NOT NULL ORDER BY 1, 2, 3, 5"


def lived(pick):
    """(time, line) of thirty jobs, whose records mostly agree: some are altered, rerun, deleted or said otherwise, and some are not there."""

    def line(at, kind, number, text):
        return at, datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime(
            f"%m/%d/%Y %H:%M:%S;{kind};{number}.s;{text}\n"
        )

    for number in range(1, 31):
        at, gpus, host = T0 + pick.randrange(0, 400000), pick.choice((0, 1, 2, 4)), f"n{number % 5}"
        asked = f"Resource_List.ncpus=4 Resource_List.ngpus={gpus} Resource_List.nodect=1 Resource_List.select=1:ncpus=4:ngpus={gpus}"
        who = f"user=u{number % 3} group=g account=a jobname=j{number} queue=q ctime={at} qtime={at} etime={at}"
        odd = pick.randrange(12)
        if odd == 0:
            asked += pick.choice((" x.ngpus=two", ":gpu_type=a100_1g.5gb", " Resource_List.npus=2"))
        yield line(at + (odd == 1) * 4000, "Q", number, f"{who.replace('=q ', '=route ') if odd == 2 else who} {asked}")
        for again in range(1 + (odd == 3)):
            start = at + pick.randrange(10, 9000)
            run = f"{who} start={start} exec_host={host}/0*4 exec_vnode=({host}:ncpus=4:ngpus={gpus}) {asked} Resource_List.walltime=09:00:00"
            at = start + pick.randrange(10, 90000)
            if odd != 4:
                yield line(start, "S", number, run.replace("ngpus=1", "ngpus=3") if odd == 5 else run)
            if odd == 6:
                yield line(at - 5, pick.choice("DzrcTA"), number, "requestor=r")
            over = f"{run} session=1 end={at} Exit_status={pick.choice((0, 1, 271))} resources_used.ncpus=4 resources_used.walltime=02:00:00"
            if odd == 7:
                over = over.replace("user=", "user=x").replace(f"{host}:ncpus", f"{host}:gpu_type=h100:ncpus")
            if odd != 8:
                yield line(at, "R" if odd == 3 and not again else "E", number, over)
            if odd == 9:
                yield line(at + 3, "E", number, over.replace(f"end={at}", f"end={at + 3}"))


class Mapping(cases.Case):
    FILE = "20250331"

    def map(self, path, zone="America/Denver", chips="gpus"):
        for table in ("jobs", "allocations", "capacity"):
            self.db.execute(f"DROP TABLE IF EXISTS temp.{table}")
        self.db.execute(
            f"CREATE TEMP TABLE pbs_records AS SELECT *, _file, _line, req_{chips} AS asked, alloc_{chips} AS held FROM pbs_trace(?, ?)",
            (path, zone),
        )
        self.script("formats/pbs.sql")

    def test_parts_of_gpus(self):
        """A site's number may be a fraction; GPUs of Torque that others share and slices are listed, and so is an amount that is no number."""
        text = "".join(
            self.start(n, T0, "n1/0").replace("Resource_List.ngpus=2", gpus)
            + self.end(n, T0 + 100, T0, "n1/0").replace("Resource_List.ngpus=2", gpus)
            for n, gpus in enumerate(
                (
                    "exec_vnode=(n:ngpus=0.5) Resource_List.ngpus=0.500000",
                    "exec_vnode=(n:ngpus=0.25)+(m:ngpus=0.25) Resource_List.select=2:ngpus=0.25",
                    "Resource_List.nodes=1:ppn=2:gpus=1:exclusive_process",
                    "Resource_List.nodes=1:ppn=2:gpus=1:shared",
                    "exec_vnode=(n:ngpus=1:gpu_type=A100_1g.5gb) Resource_List.ngpus=1",
                    "exec_vnode=(n:ngpus=2) Resource_List.ngpus=all",
                )
            )
        )
        path = self.file(text)
        self.assertEqual(
            [(f"{n}.s", seconds) for n, seconds in enumerate((50, 50, 100, 100, 100, 200))],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", path
            ),
        )
        self.assertEqual(
            [("guessed_share", 7, 2), ("uncounted_resource", 11, 1)],
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE kind IN ('guessed_share', 'uncounted_resource', 'missing_field') ORDER BY 1"
            ),
        )

    def test_jobs_of_no_type_or_of_several(self):
        """Where others of the server name one of several types, they are in a pool of their own: listed."""
        typed = lambda n, kind: (self.start(n, T0, f"n{n}/0") + self.end(n, T0 + 60, T0, f"n{n}/0")).replace(
            "Resource_List.ngpus=2", f"Resource_List.select={kind}"
        )
        one, other = "1:ngpus=2:gpu_type=a100", "1:ngpus=2:gpu_type=v100"
        for third, said in ((one, 0), ("2:ngpus=1", 1), ("1:ngpus=1:gpu_type=a100+1:ngpus=1:gpu_type=v100", 1)):
            path = self.file(typed(1, one) + typed(2, other) + typed(3, third))
            self.assertEqual(
                [("s/a100" if third == one else "s/gpu", 120)],
                self.rows(
                    "SELECT pool, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' AND job = '3.s' GROUP BY 1",
                    path,
                ),
            )
            self.assertEqual(
                said,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'missing_field' AND source LIKE '%' || ? || '%' AND detail LIKE '%type of GPU%'",
                    path,
                ),
            )

    def test_what_waits_and_what_is_reserved(self):
        """An older server's Q record names no resources: what did not start asks for nothing, and is listed. So are reservations with chips."""
        ran, now = self.start(1, T0, "n1/0") + self.end(1, T0 + 60, T0, "n1/0"), "03/31/2025 17:00:00;"
        for text, said in (
            (now + "Q;1.s;queue=q\n" + ran, {}),
            (now + "Q;2.s;queue=q\n" + ran, {"missing_field": 1}),
            (now + "Q;2.s;queue=q Resource_List.ncpus=4\n" + ran, {}),
            (now + "Q;2.s;queue=q\n", {}),
            (
                now + f"B;R5.s;owner=a@h start={T0} end={T0 + 900} Resource_List.select=2:ngpus=4\n" + ran,
                {"reservation": 1},
            ),
            (now + f"B;R5.s;owner=a@h start={T0} end={T0 + 900} Resource_List.select=2:ncpus=4\n" + ran, {}),
        ):
            path = self.file(text)
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(
                said,
                {
                    kind: n
                    for kind, n in self.issues(path).items()
                    if kind in ("missing_field", "reservation")
                    and (
                        "walltime"
                        not in self.one("SELECT detail FROM mpg_issues WHERE kind = ? AND source = ?", kind, path)
                    )
                },
            )

    def test_an_end_before_its_start(self):
        """It holds nothing and is listed; the other job counts."""
        line = (
            "03/31/2025 17:00:00;E;{}.s;user=a group=g jobname=j queue=q ctime=1743440000 qtime=1743440000 etime=1743440000 start=174344{} exec_host=n1/0 Resource_List.ngpus=2 "
            "Resource_List.select=1:ngpus=2 end=174344{} Exit_status=0\n"
        )
        self.map(self.file(line.format(7, 1100, 1050) + line.format(8, 1100, 1200)))
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'untraced' GROUP BY job"),
            [("8.s", 200)],
        )
        self.assertEqual(
            self.rows("SELECT severity, count, detail FROM mpg_issues WHERE kind = 'end_before_start'"),
            [("data_loss", 1, "job 7.s ended before it started: it holds nothing")],
        )

    def test_a_log_without_an_end(self):
        """What runs and what waits do so until the last record, of whatever kind: also where no job has ended, or none runs, and whatever walltime is left."""
        waits = f"03/31/2025 17:01:00;Q;2.s;user=a group=g jobname=j queue=q ctime={T0 + 60} qtime={T0 + 60} Resource_List.ngpus=2\n"
        more = "03/31/2025 18:00:00;L;license;floating license\n"
        for text, expected in (
            (
                self.start(1, T0, "n1/0", " Resource_List.walltime=99:00:00") + waits,
                [("1.s", "untraced", 2 * 3600), ("2.s", "queued", 2 * 3540)],
            ),
            (waits, [("2.s", "queued", 2 * 3540)]),
            (
                self.start(1, T0, "n1/0") + self.end(1, T0 + 90, T0, "n1/0") + waits,
                [("1.s", "untraced", 180), ("2.s", "queued", 2 * 3540)],
            ),
        ):
            path = self.file(text + more)
            self.assertEqual(
                expected,
                self.rows("SELECT job, category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1, 2", path),
            )
            self.assertEqual(
                {}, {kind: n for kind, n in self.issues(path).items() if kind not in ("no_capacity", "missing_field")}
            )

    def test_tasks_that_wait(self):
        """Those of an array that have not started ask for chips until they are deleted, or the array ends."""
        array = f"03/31/2025 17:00:00;Q;5[].s;user=a group=g jobname=j queue=q ctime={T0} qtime={T0} array_indices=0-5:2,9 Resource_List.ngpus=2\n"
        self.assertEqual(
            4, self.one("SELECT count(DISTINCT job) FROM trace_records(?)", self.file(array.replace("2,9", "2,9%3")))
        )
        begun = array.replace(";Q;", ";S;").replace("array_indices", f"etime={T0} start={T0 + 600} array_indices")
        task = (self.start("5[0]", T0 + 600, "n1/0") + self.end("5[0]", T0 + 1200, T0 + 600, "n1/0")).replace(
            f"time={T0 + 600}", f"time={T0}"
        )
        more = (
            "03/31/2025 17:30:00;D;5[2].s;requestor=a@b\n",
            "03/31/2025 17:40:00;D;5[].s;requestor=a@b\n",
            "03/31/2025 18:00:00;L;license;floating license\n",
        )
        for text, until in (
            (array + begun + task + more[0] + more[2], 3600),
            (array + task + "".join(more), 2400),
            (
                array
                + task
                + more[0]
                + self.end("5[]", T0 + 2400, T0 + 600, "n1/0").replace("exec_host=n1/0", "array_indices=0-5:2,9")
                + more[2],
                2400,
            ),
            (begun + task + more[0] + more[2], 3600),
        ):
            self.assertEqual(
                [("5[0].s", 1200), ("5[2].s", 3600), ("5[4].s", 2 * until), ("5[9].s", 2 * until)],
                self.rows(
                    "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued' GROUP BY 1",
                    self.file(text),
                ),
            )

    def test_ids_that_are_given_anew(self):
        """By the time of their creation; what does not tell it is of the job that was there."""
        day = 10 * 86400
        path = self.file(
            self.start(1, T0, "n1/0")
            + "03/31/2025 17:10:00;D;1.s;requestor=a@b\n"
            + self.start(1, T0 + day, "n1/0").replace(f"time={T0 + day}", f"time={T0 + day - 60}")
            + "04/10/2025 17:05:00;D;1.s;requestor=a@b\n"
        )
        self.assertEqual(
            [("1.s", "untraced", 1200), ("1.s#2", "queued", 120), ("1.s#2", "untraced", 600)],
            self.rows("SELECT job, category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1, 2", path),
        )

    def test_a_start_before_its_submission(self):
        path = self.file(
            self.start(1, T0, "n1/0").replace(f"time={T0}", f"time={T0 + 5}")
            + self.end(1, T0 + 60, T0, "n1/0").replace(f"time={T0}", f"time={T0 + 5}")
        )
        self.rows("SELECT count(*) FROM trace_rollup(?)", path)
        self.assertEqual(1, self.issues(path)["start_before_submit"])

    def test_a_job_that_is_checkpointed_and_held(self):
        """It ends there and waits, until it is started from its checkpoint (T)."""
        text = (
            self.start(1, T0, "n1/0")
            + "03/31/2025 17:10:00;C;1.s;Checkpointed and held\n"
            + self.start(1, T0 + 900, "n1/0").replace(";S;", ";T;")
            + self.end(1, T0 + 1500, T0 + 900, "n1/0")
        )
        self.map(self.file(text.replace(f"time={T0 + 900}", f"time={T0}")), "UTC")
        self.assertEqual(
            [("1.s", 1, 0, 600, "preempted"), ("1.s", 2, 900, 1500, "completed")],
            self.rows(
                "SELECT job, attempt, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY attempt", T0
            ),
        )
        self.assertEqual(
            [("queued", 600), ("untraced", 2400)],
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"),
        )

    def test_the_end_of_observation(self):
        """The log goes on, of jobs without GPUs and of licences: what runs, ran until then."""
        line = "03/31/2025 {}:00:00;{}\n"
        running = "S;1.s;user=a group=g jobname=j queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start=1743440400 exec_host=n1/0 Resource_List.ngpus=2"
        self.map(
            self.file(
                line.format(17, running)
                + line.format(
                    18,
                    "E;2.s;user=a group=g queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start=1743440400 "
                    "exec_host=n2/0 Resource_List.ncpus=1 end=1743444000 Exit_status=0",
                )
                + line.format(20, "L;license;floating license")
            ),
            "UTC",
        )
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"),
            [("untraced", 2 * 3 * 3600)],
        )

    def test_an_end_that_was_lost(self):
        """PBS ends a job at its walltime: one that would have run for an hour longer ended then, and is listed. Without a walltime it may run: that is listed too."""
        started = "03/31/2025 17:00:00;S;1.s;user=a group=g jobname=j queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start=1743440400 exec_host=n1/0 Resource_List.ngpus=2{}\n"
        later = "03/31/2025 {}:00:00;E;2.s;user=a group=g queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start=1743440400 exec_host=n2/0 Resource_List.ngpus=1 end={} Exit_status=0\n"
        for hour, walltime, held in (
            (21, " Resource_List.walltime=01:00:00", 3600),
            (18, " Resource_List.walltime=01:00:00", 3600),
            (19, " Resource_List.walltime=02:00:00", 7200),
            (21, "", 4 * 3600),
        ):
            path = self.file(started.format(walltime) + later.format(hour, 1743440400 + 3600 * (hour - 17)))
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(
                2 * held,
                self.one(
                    "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '1.s' AND category = 'untraced'",
                    path,
                ),
            )
            self.assertEqual(
                (int(hour == 21 and walltime != ""), int(walltime == "")),
                (self.issues(path).get("lost_end", 0), self.issues(path).get("missing_field", 0)),
            )

    def start(self, job, at, host, more="", gpus=2):
        return (
            datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S;")
            + f"S;{job}.s;user=a group=g jobname=j queue=q ctime={at} qtime={at} etime={at} start={at} exec_host={host} Resource_List.ngpus={gpus}{more}\n"
        )

    def end(self, job, at, begun, host, gpus=2):
        return (
            self.start(job, begun, host, f" end={at} Exit_status=0", gpus)
            .replace(";S;", ";E;", 1)
            .replace(
                *(
                    datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S")
                    for t in (begun, at)
                ),
                1,
            )
        )

    def test_an_end_that_was_lost_and_whose_place_another_job_has(self):
        """The server gives the number of a job on its host, or a GPU, anew only after its end: a job that runs there later says that the first ended."""
        day = 72000
        for first, second, ended in (
            ("n1/0*8+n2/0*8", "n2/0*8", True),
            ("n1/0*8", "n1/1*8", False),
            ("n1/0+n1/1", "n1/1", True),
            ("n1/0", "n11/0", False),
            ("n1/0 exec_gpus=n1-gpu/0+n1-gpu/1", "n1/0 exec_gpus=n1-gpu/2", False),
            ("n1/0 exec_gpus=n1-gpu/0+n1-gpu/1", "n1/1 exec_gpus=n1-gpu/1", True),
        ):
            for walltime in ("", " Resource_List.walltime=99:00:00"):
                with self.subTest(first=first, second=second, walltime=walltime):
                    path = self.file(
                        self.start(1, T0, first, walltime)
                        + self.start(2, T0 + 600, second)
                        + self.end(2, T0 + day, T0 + 600, second)
                    )
                    held = self.one(
                        "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '1.s' AND category = 'untraced'",
                        path,
                    )
                    self.assertEqual(2 * (600 if ended else day), held)
                    self.assertEqual(int(ended), self.issues(path).get("lost_end", 0))
                    self.assertEqual(int(walltime == "" and not ended), self.issues(path).get("missing_field", 0))

    def test_the_hour_that_the_clock_shows_twice(self):
        """A job that starts in the second of the two and is deleted in it held its chips until then: the records above say which hour is meant."""
        at = 1762071600  # 01:20 in Denver, for the second time
        local = "11/02/2025 01:{}:00;{};{}.s;"
        common = f"user=a group=g jobname=j queue=q ctime={at - 7200} qtime={at - 7200} etime={at - 7200} start={{}} exec_host=n1/0 Resource_List.ngpus=2 Resource_List.walltime=12:00:00"
        text = (
            local.format(50, "S", 1)
            + common.format(at - 1800)
            + "\n"
            + local.format(20, "S", 2)
            + common.format(at)
            + "\n"
            + local.format(40, "D", 2)
            + "requestor=a@b\n"
            + local.format(45, "A", 1)
            + "x\n"
            + "11/02/2025 04:20:00;L;license;x\n"
        )
        fleet = json.dumps({"sources": [{"path": self.file(text), "zone": "America/Denver"}]})
        self.assertEqual(
            [("1.s", 2 * (1800 + 1500)), ("2.s", 2 * 1200)],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY job",
                fleet,
            ),
        )
        self.assertEqual([], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'repeated_time'"))

    def test_an_end_that_comes_twice(self):
        """A server that starts anew, or a rerun by force, writes a second record of an end: the last counts, which is listed. That of an array as a whole is none."""
        for ends, expected in (((100,), 0), ((100, 160), 1), ((100, 100), 0)):
            path = self.file(
                self.start(1, T0, "n1/0")
                + "".join(self.end(1, T0 + end, T0, "n1/0") for end in ends)
                + self.end("2[]", T0 + 200, T0, "n1/0").replace(f"start={T0}", "start=0")
            )
            self.assertEqual(
                2 * max(ends),
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", path),
            )
            self.assertEqual(
                (expected, 0), (self.issues(path).get("repeated_record", 0), self.issues(path).get("missing_field", 0))
            )

    def test_a_day_whose_file_is_missing(self):
        """What ran when a day of the log is missing may have ended there: it is listed, whatever its walltime; and so is the day."""
        day, host = 86400, "n1/0"
        first = self.start(1, T0, host, " Resource_List.walltime=200:00:00") + self.start(
            3, T0, "n3/0", " Resource_List.walltime=200:00:00"
        )
        third = self.end(3, T0 + 2 * day + 60, T0, "n3/0") + self.start(
            2, T0 + 2 * day + 600, "n2/0", " Resource_List.walltime=200:00:00"
        )
        folder = self.folder_of({"20250331": first, "20250402": third})
        self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
        self.assertEqual(
            [(1, 1)],
            self.rows(
                "SELECT line, count FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", folder + "/20250331"
            ),
        )
        self.assertEqual(
            [("warning", 1)], self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'missing_file'")
        )
        folder = self.folder_of(
            {
                "20250331": first,
                "20250401": "".join(
                    self.start(n, T0 + day * n // 10, f"n{n}/0")
                    + self.end(n, T0 + day * n // 10 + 60, T0 + day * n // 10, f"n{n}/0")
                    for n in range(4, 20)
                ),
                "20250402": third,
            }
        )
        self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
        self.assertEqual(
            [],
            self.rows(
                "SELECT kind, count FROM mpg_issues WHERE kind IN ('lost_end', 'missing_file') AND source LIKE ? || '%'",
                folder,
            ),
        )

    def test_vnodes_without_chips(self):
        """A server whose GPUs are no resource of its vnodes: what was asked for counts, and that is listed."""
        line = (
            "03/31/2025 18:00:00;E;1.s;user=a group=g jobname=j queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start=1743440400 exec_host=n1/0*8 exec_vnode=(n1:ncpus=8) "
            "Resource_List.ngpus=2 Resource_List.select=1:ngpus=2 end=1743444000 Exit_status=0\n"
        )
        path = self.file(line)
        self.assertEqual(
            7200, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", path)
        )
        self.assertEqual(1, self.issues(path)["missing_field"])

    def test_what_cannot_be_is_listed(self):
        line = "03/31/2025 17:00:00;{};{}.s;user=a group=g jobname=j queue=q ctime=1743440400 qtime=1743440400 etime=1743440400 start={} exec_host=n1/0 {}\n"
        gpus = "Resource_List.ngpus=2 end=1743444000 Exit_status=0"
        self.map(
            self.file(
                line.format("E", 1, 1743440400, gpus)
                + line.format("E", 2, 4899200400, gpus)
                + line.format(
                    "E",
                    3,
                    1743440400,
                    "Resource_List.nnpus=8 Resource_List.select=1:nnpus=8 end=1743444000 Exit_status=0",
                )
                + line.format("J", 4, 1743440400, gpus)
            ),
            "UTC",
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'untraced' GROUP BY job"),
            [("1.s", 7200)],
        )
        self.assertEqual(
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE kind IN ('impossible_time', 'uncounted_resource', 'unknown_record') ORDER BY 1"
            ),
            [("impossible_time", 2, 1), ("uncounted_resource", 3, 1), ("unknown_record", 4, 1)],
        )

    def test_attempts(self):
        self.map(LOG)
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, pool, chips, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY job, attempt",
                T0,
            ),
            [
                ("101.pod", 1, "pod", 8, 60, 3660, "completed"),
                ("102.pod", 1, "pod", 4, 100, 700, "preempted"),
                ("102.pod", 2, "pod", 4, 900, 2900, "completed"),
                ("103.pod", 1, "pod", 0, 500, 500, "cancelled"),
                ("104.pod", 1, "pod", 2, 400, 1005, "cancelled"),
                ("105.pod", 1, "pod", 2, 1100, 2300, "timeout"),
                ("106[0].pod", 1, "pod", 1, 1020, 1620, "completed"),
                ("106[1].pod", 1, "pod", 1, 1025, 1625, "failed"),
                ("108.pod", 1, "pod", 4, 3000, None, None),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, name, owner, chips, submit_time - ?, json(labels) FROM jobs WHERE job IN ('102.pod', '106[1].pod', '109.pod') ORDER BY job",
                T0,
            ),
            [
                (
                    "102.pod",
                    "resnet",
                    "vision lab",
                    4,
                    30,
                    '{"user":"bob","group":"vision","queue":"gpu","project":"_pbs_project_default","gpu_type":"a100","nodes":1}',
                ),
                (
                    "106[1].pod",
                    "sweep",
                    "bio",
                    1,
                    1000,
                    '{"user":"dave","group":"bio","queue":"gpu","project":"_pbs_project_default","nodes":1,"array_job":106}',
                ),
                (
                    "109.pod",
                    "waiting",
                    "vision lab",
                    12,
                    3500,
                    '{"user":"bob","group":"vision","queue":"gpu","project":"_pbs_project_default"}',
                ),
            ],
        )
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'pbs%'"), [])

    def test_ledger(self):
        """Of 16 GPUs over 4200 s; the sums by hand."""
        self.map(LOG)
        self.db.execute(
            "CREATE TEMP TABLE capacity AS SELECT 'pod' AS pool, 'a100' AS chip, 16 AS chips, ? AS start_time, ? AS end_time",
            (T0, T0 + 4200),
        )
        held = 8 * 3600 + 4 * 600 + 4 * 2000 + 2 * 605 + 2 * 1200 + 600 + 600 + 4 * 1200
        waited = 8 * 60 + 4 * (70 + 200) + 32 * 300 + 2 * 100 + 2 * 800 + 20 + 25 + 4 * 10 + 12 * 700
        for table in ("mpg_ledger", "mpg_rollup"):
            self.assertEqual(
                self.rows(f"SELECT category, sum(chip_us) FROM {table} GROUP BY category"),
                [("idle", (16 * 4200 - held) * 10**6), ("queued", waited * 10**6), ("untraced", held * 10**6)],
            )
        self.assertEqual(
            self.rows(
                "SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), mpg(category, chip_us) FROM mpg_rollup"
            ),
            [(held / (16 * 4200), None, None)],
        )

    def test_the_real_log_by_processors(self):
        if not os.path.exists(REAL):
            self.skipTest("../shared is not here")
        self.map(REAL, chips="cpus")
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, end_time - start_time, outcome FROM allocations ORDER BY job, attempt"
            ),
            [
                ("4215033.casper-pbs", 1, 1, 5, "preempted"),
                ("4215033.casper-pbs", 2, 1, 4, "failed"),
                ("4215034.casper-pbs", 1, 1, 218, "completed"),
                ("4215065.casper-pbs", 1, 1, 2016, "completed"),
                ("4215265.casper-pbs", 1, 5, 23, "completed"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"),
            [("queued", 5 + 6 + 11 + 7 + 5 * 6), ("untraced", 5 + 4 + 218 + 2016 + 115)],
        )
        self.map(REAL)
        self.assertEqual(self.one("SELECT count(*) FROM allocations"), 0)  # none of them has a GPU

    def test_in_the_shell(self):
        """With parameters, as the header of the script shows it."""
        for chips, first in ((None, 8), ("ngpus", 8), ("ncpus", 16)):
            self.script("formats/pbs.sql", pbs=LOG, zone="America/Denver", chips=chips, chips_per_node=None)
            self.assertEqual(self.one("SELECT chips FROM allocations WHERE job = '101.pod'"), first)

    def test_whole_nodes(self):
        """What a node has is an option where jobs do not name their GPUs."""
        fleet = '{"sources": [{"path": "%s", "zone": "America/Denver", "chips_per_node": 4}]}' % os.path.join(
            ROOT, "fixtures/pbs/accounting.log"
        )
        self.assertEqual(
            [("101.pod", 8), ("104.pod", 4)],
            self.rows(
                "SELECT job, chips FROM trace_records(?) WHERE record = 'allocations' AND job IN ('101.pod', '104.pod')",
                fleet,
            ),
        )

    def test_odd_lives(self):
        run = "ctime={0} start={1} exec_vnode=(n:ngpus=2) Resource_List.ngpus=2"

        def at(s):
            return datetime.datetime.fromtimestamp(T0 + s, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S;")

        path = self.file(
            at(0)
            + "S;1.s;"
            + run.format(T0, T0)
            + "\n"  # aborted while it ran
            + at(50)
            + "A;1.s;\n"
            + at(60)
            + f"E;2.s;{run.format(T0 - 90, T0 - 80)} Exit_status=0 end={T0 + 60}\n"  # began before the log
            + at(70)
            + "S;3.s;"
            + run.format(T0, T0 + 70)
            + "\n"  # started again, and nothing said why
            + at(80)
            + "S;3.s;"
            + run.format(T0, T0 + 80)
            + "\n"
            + at(90)
            + f"R;3.s;{run.format(T0, T0 + 80)}\n"  # Torque: no end
            + at(95)
            + "D;3.s;requestor=x\n"  # deleted while it waited again
            + at(100)
            + "S;4.t;"
            + run.format(T0, T0 + 100)
            + " Resource_List.select=1:ngpus=2:gpu_type=V100\n"
            + at(100)
            + "S;5.t;"
            + run.format(T0, T0 + 100)
            + " Resource_List.select=1:ngpus=2:gpu_type=a100\n"
            + at(100)
            + "S;6.t;"
            + run.format(T0, T0 + 100)
            + "\n"
            + at(110)
            + f"E;4.t;{run.format(T0, T0 + 100)} Exit_status=271 resources_used.walltime=10 Resource_List.walltime=10 end={T0 + 110}\n"
        )
        self.map(path, "UTC")
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, pool, chips, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY job, attempt",
                T0,
            ),
            [
                ("1.s", 1, "s", 2, 0, 50, "cancelled"),
                ("2.s", 1, "s", 2, -80, 60, "completed"),
                ("3.s", 1, "s", 2, 70, 80, None),
                ("3.s", 2, "s", 2, 80, 90, "preempted"),
                ("3.s", 3, "s", 0, 95, 95, "cancelled"),
                ("4.t", 1, "t/v100", 2, 100, 110, "timeout"),
                ("5.t", 1, "t/a100", 2, 100, None, None),
                ("6.t", 1, "t/gpu", 2, 100, None, None),
            ],
        )

    def test_suspended_jobs(self):
        """The server gives away what a suspended job had, unless it is told to keep it: here the same two GPUs, by turns."""
        run = "ctime={0} start={1} exec_vnode=(n:ncpus=4:ngpus=2) Resource_List.ngpus=2"

        def at(s):
            return datetime.datetime.fromtimestamp(T0 + s, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S;")

        def start(job, s):
            return f"{at(s)}S;{job}.s;{run.format(T0, T0 + s)}\n"

        def end(job, s, since):
            return f"{at(s)}E;{job}.s;{run.format(T0, T0 + since)} Exit_status=0 end={T0 + s}\n"

        turns = (
            start(1, 0)
            + at(100)
            + "z;1.s;resources_used.walltime=00:01:40\n"
            + start(2, 100)
            + end(2, 160, 100)
            + at(160)
            + "r;1.s;\n"
            + at(180)
            + "z;1.s;\n"
            + at(180)
            + "r;1.s;\n"
            + at(190)
            + "z;1.s;\n"
            + at(195)
            + "z;1.s;\n"
            + at(196)
            + "r;1.s;\n"
            + end(1, 200, 0)
        )
        self.map(self.file(turns), "UTC")
        rows = "SELECT job, attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY job, attempt, start_time"
        self.assertEqual(
            self.rows(rows, T0),
            [
                ("1.s", 1, 2, 0, 100, "completed"),
                ("1.s", 1, 0, 100, 160, "completed"),
                ("1.s", 1, 2, 160, 190, "completed"),
                ("1.s", 1, 0, 190, 196, "completed"),
                ("1.s", 1, 2, 196, 200, "completed"),
                ("2.s", 1, 2, 100, 160, "completed"),
            ],
        )
        self.db.execute(
            "CREATE TEMP TABLE capacity AS SELECT 's' AS pool, 'a100' AS chip, 2 AS chips, ? AS start_time, ? AS end_time",
            (T0, T0 + 200),
        )
        self.assertEqual(
            self.rows("SELECT job, category, sum(chip_us) / 2000000 FROM mpg_rollup GROUP BY job, category"),
            [
                (None, "idle", 6),
                ("1.s", "queued", 60 + 6),
                ("1.s", "untraced", 100 + 30 + 4),
                ("2.s", "queued", 100),
                ("2.s", "untraced", 60),
            ],
        )
        self.assertEqual(self.rows("SELECT kind FROM mpg_issues WHERE kind = 'oversubscribed'"), [])
        self.script("build.sql")
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, run, (start_us - ?1) / 1000000, (end_us - ?1) / 1000000, outcome FROM runs ORDER BY 1, 2, 3",
                T0 * 1000000,
            ),
            [
                ("1.s", 1, 1, 0, 100, "preempted"),
                ("1.s", 1, 2, 160, 190, "preempted"),
                ("1.s", 1, 3, 196, 200, "completed"),
                ("2.s", 1, 1, 100, 160, "completed"),
            ],
        )
        self.map(
            self.file(
                start(3, 0)
                + at(50)
                + "z;3.s;resources_used.ncpus=4 resources_released=(n:ncpus=4)\n"
                + end(3, 90, 0)  # keeps its GPUs
                + start(4, 0)
                + at(50)
                + "z;4.s;resources_released=(n:ncpus=4:ngpus=2)\n"
                + end(4, 90, 0)  # deleted before it was resumed
                + start(5, 0)
                + at(60)
                + "z;5.s;\n"  # is suspended still
                + start(6, 0)
                + at(60)
                + "r;6.s;\n"
                + at(60)
                + "z;6.s;\n"
                + at(70)
                + f"R;6.s;{run.format(T0, T0)}\n"
                + start(6, 80)
                + at(85)
                + "r;6.s;\n"
            ),
            "UTC",
        )
        self.assertEqual(
            self.rows(rows, T0),
            [
                ("3.s", 1, 2, 0, 90, "completed"),
                ("4.s", 1, 2, 0, 50, "completed"),
                ("4.s", 1, 0, 50, 90, "completed"),
                ("5.s", 1, 2, 0, 60, None),
                ("5.s", 1, 0, 60, None, None),
                ("6.s", 1, 2, 0, 60, "preempted"),
                ("6.s", 1, 0, 60, 70, "preempted"),
                ("6.s", 2, 2, 80, None, None),
            ],
        )
        ((count, detail),) = self.rows("SELECT count, detail FROM mpg_issues WHERE kind = 'suspended_job'")
        self.assertEqual((count, detail[-36:]), (1, "3.s, for 40 s in all (80 chip-seconds)"[-36:]))

    def test_whose_a_job_is(self):
        """The project that PBS gives a job of none is no owner; and a record that lacks the account does not change it."""
        at, run = "04/01/2025 10:00:00;", f"ctime={T0} start={T0} exec_vnode=(n:ngpus=1) Resource_List.ngpus=1"
        self.map(
            self.file(
                at
                + f"S;1.s;user=u group=bio project=_pbs_project_default {run}\n"
                + at
                + f"S;2.s;user=u group=bio project=zoo {run}\n"
                + at
                + f"S;3.s;user=u group=bio account=acc project=zoo {run}\n"
                + at
                + "a;3.s;project=zoo\n"
            ),
            "UTC",
        )
        self.assertEqual(self.rows("SELECT job, owner FROM jobs"), [("1.s", "bio"), ("2.s", "zoo"), ("3.s", "acc")])

    def test_what_was_asked_for_is_altered(self):
        """What a job needs is what it started with: not what it was submitted with (qalter: a), nor what it kept of it (pbs_release_nodes: E)."""

        def at(s):
            return datetime.datetime.fromtimestamp(T0 + s, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S;")

        def run(asked, held, start):
            return f"ctime={T0} start={T0 + start} exec_vnode=(n:ngpus={held}) Resource_List.ngpus={asked}"

        self.map(
            self.file(
                at(0)
                + f"Q;1.s;ctime={T0} Resource_List.ngpus=8\n"
                + at(5)
                + "a;1.s;Resource_List.ngpus=2\n"
                + at(6)
                + "a;1.s;Resource_List.walltime=10:00:00\n"
                + at(10)
                + f"S;1.s;{run(2, 2, 10)}\n"
                + at(50)
                + f"E;1.s;{run(2, 2, 10)} end={T0 + 50} Exit_status=0\n"
                + at(10)
                + f"S;2.s;{run(8, 8, 10)}\n"
                + at(50)
                + f"E;2.s;{run(4, 4, 10)} end={T0 + 50} Exit_status=0\n"
                + at(0)
                + f"Q;3.s;ctime={T0} Resource_List.ngpus=8\n"
                + at(5)
                + "a;3.s;Resource_List.ngpus=4\n"  # waits
                + at(60)
                + f"E;4.s;{run(3, 3, -10)} end={T0 + 60} Exit_status=0\n"
            ),
            "UTC",
        )  # began before the log
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips FROM jobs"),
            [("1.s", 2, None), ("2.s", 8, None), ("3.s", 4, None), ("4.s", 3, None)],
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job"),
            [("1.s", 2 * 10), ("2.s", 8 * 10), ("3.s", 4 * 60)],
        )

    def test_an_end_that_says_again_what_came_before(self):
        """trace_records leaves out records that the end of their job repeats; what comes of the log is the same as of all its records."""
        for seed in range(12):
            with self.subTest(seed=seed):
                pick = random.Random(seed)
                path = self.file("".join(text for _, text in sorted(lived(pick), key=lambda line: line[0])))
                self.map(path, "UTC")
                expected = [self.told(f"SELECT {columns} FROM {table}") for table, columns in OF_RELATIONS.items()]
                issues = self.rows(LISTED, path)
                found = [
                    self.told(f"SELECT {columns} FROM trace_records(?) WHERE record = '{table}'", path)
                    for table, columns in OF_RELATIONS.items()
                ]
                self.assertEqual(expected, found)
                self.assertEqual(issues, self.rows(LISTED, path))

    def told(self, query, *values):
        """Rows in an order that is the same of whole numbers and others."""
        return sorted(
            ([float(v) if isinstance(v, int) else v for v in row] for row in self.rows(query, *values)), key=repr
        )

    def test_reruns_that_tell_nothing(self):
        """Torque's R has no keys, and ends the attempt that runs; what is not deleted after it waits again."""
        run = "ctime={0} start={1} exec_host=n/0 Resource_List.nodes=1:ppn=1:gpus=2"

        def at(s):
            return datetime.datetime.fromtimestamp(T0 + s, datetime.timezone.utc).strftime("%m/%d/%Y %H:%M:%S;")

        path = self.file(
            at(0)
            + "S;1.s;"
            + run.format(T0, T0)
            + "\n"  # rerun twice, and done
            + at(50)
            + "R;1.s;\n"
            + at(80)
            + "S;1.s;"
            + run.format(T0, T0 + 80)
            + "\n"
            + at(90)
            + "R;1.s;\n"
            + at(100)
            + "S;1.s;"
            + run.format(T0, T0 + 100)
            + "\n"
            + at(120)
            + f"E;1.s;{run.format(T0, T0 + 100)} Exit_status=0 end={T0 + 120}\n"
            + at(10)
            + "S;2.s;"
            + run.format(T0, T0 + 10)
            + "\n"
            + at(20)
            + "R;2.s;\n"
            + at(40)
            + "D;2.s;requestor=x\n"  # deleted while it waited
            + at(10)
            + "S;3.s;"
            + run.format(T0, T0 + 10)
            + "\n"
            + at(30)
            + "R;3.s;\n"  # waits
            + at(10)
            + "S;4.s;"
            + run.format(T0, T0 + 10)
            + "\n"
            + at(35)
            + "D;4.s;requestor=x\n"  # deleted by force: nobody says that it ended
            + at(10)
            + "S;5.s;"
            + run.format(T0, T0 + 10)
            + "\n"
            + at(35)
            + "R;5.s;\n"
            + at(36)
            + "A;5.s;\n"
        )  # aborted while it waited
        self.map(path, "UTC")
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY job, attempt",
                T0,
            ),
            [
                ("1.s", 1, 2, 0, 50, "preempted"),
                ("1.s", 2, 2, 80, 90, "preempted"),
                ("1.s", 3, 2, 100, 120, "completed"),
                ("2.s", 1, 2, 10, 20, "preempted"),
                ("2.s", 2, 0, 40, 40, "cancelled"),
                ("3.s", 1, 2, 10, 30, "preempted"),
                ("3.s", 2, 0, 30, None, None),
                ("4.s", 1, 2, 10, 35, "cancelled"),
                ("5.s", 1, 2, 10, 35, "preempted"),
                ("5.s", 2, 0, 36, 36, "cancelled"),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, category, sum(chip_us) / 2000000 FROM mpg_ledger WHERE job IS NOT NULL GROUP BY job, category"
            ),
            [
                ("1.s", "queued", 40),
                ("1.s", "untraced", 80),
                ("2.s", "queued", 30),
                ("2.s", "untraced", 10),
                ("3.s", "queued", 10 + 90),
                ("3.s", "untraced", 20),
                ("4.s", "queued", 10),
                ("4.s", "untraced", 25),
                ("5.s", "queued", 11),
                ("5.s", "untraced", 25),
            ],
        )


if __name__ == "__main__":
    unittest.main()
