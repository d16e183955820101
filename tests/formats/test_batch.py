"""Grid Engine's accounting, Flux' listings and HTCondor's ads: what each says of a small cluster, and what is listed."""

import json
import os
import unittest

from cases import Case
from fleets import ROOT

BEGIN = 1743440400


class Batch(Case):
    def fixture(self, name):
        with open(os.path.join(ROOT, "fixtures", name), encoding="utf-8") as file:
            return file.read()

    def write(self, text, name="file"):
        path = os.path.join(self.new_folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def held(self, path, columns="job, attempt, chips, start_time, end_time, outcome"):
        rows = self.db.execute(
            f"SELECT {columns} FROM trace_records(?) WHERE record = 'allocations' ORDER BY job, attempt", (path,)
        ).fetchall()
        return [
            tuple(value - BEGIN if isinstance(value, float) and value > BEGIN else value for value in row)
            for row in rows
        ]

    def lost(self, path):
        self.held(path)
        return self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", path)

    def issues(self):
        return dict(self.db.execute("SELECT kind, sum(count) FROM mpg_issues GROUP BY kind"))


class GridEngine(Batch):
    def test_accounting(self):
        self.assertEqual(
            self.held(os.path.join(ROOT, "fixtures/sge/accounting")),
            [
                ("101", 1, 4, 60, 1260, "completed"),
                ("102", 1, 4, 100, 1900, "timeout"),
                ("103.1", 1, 2, 1300, 2500, "completed"),
                ("103.2", 1, 2, 1310, 2000, "failed"),
                ("104", 1, 0, 1500, 1500, "cancelled"),
                ("106", 1, 4, 2010, 3000, "preempted"),
                ("106", 2, 4, 3100, 4100, "completed"),
            ],
        )
        self.assertEqual(self.issues()["assumed_per_slot"], 4)

    def test_json_and_microseconds(self):
        self.assertEqual(
            self.held(os.path.join(ROOT, "fixtures/sge/accounting.jsonl")),
            [
                ("201", 1, 4, 4200.5, 5400, "completed"),
                ("202.1", 1, 1, 4200, 4500, "preempted"),
                ("202.1", 2, 0, 4500, None, None),
            ],
        )

    def test_options(self):
        text = '{"sources": [{"path": "%s/fixtures/sge/accounting", %s}]}'
        for option, expected in (
            ('"consumable": "JOB"', (1, 2)),
            ('"consumable": "YES"', (4, 4)),
            ('"chips": "slots"', (4, 2)),
            ('"resource": "h_vmem"', ()),
        ):
            with self.subTest(option):
                self.assertEqual(
                    tuple(row[0] for row in self.held(text % (ROOT, option), "chips") if row[0])[:2][: len(expected)],
                    expected if expected else (),
                )
        self.held(text % (ROOT, '"consumable": "JOB"'))
        self.assertNotIn("assumed_per_slot", self.issues())

    def test_milliseconds(self):
        lines = [line.split(":") for line in self.fixture("sge/accounting").splitlines() if not line.startswith("#")]
        for line in lines:
            for field in (8, 9, 10):
                line[field] += "000" if line[field] != "0" else ""
        self.assertEqual(
            self.held(self.write("".join(":".join(line) + "\n" for line in lines))),
            self.held(os.path.join(ROOT, "fixtures/sge/accounting")),
        )

    def test_slave_tasks(self):
        """Those of a parallel job count with it; that they have no submission of their own is no fault."""

        def record(host, submitted, task):
            return (
                ":".join(
                    [
                        "gpu.q",
                        host,
                        "ml",
                        "ann",
                        "j",
                        "1",
                        "sge",
                        "0",
                        str(submitted),
                        str(BEGIN + 10),
                        str(BEGIN + 100),
                        "0",
                        "0",
                    ]
                    + ["0"] * 18
                    + ["proj", "dept", "mpi", "4", "0", "1.0", "0", "0", "-l gpu=2", "0", task, "0", "0", "0"]
                )
                + "\n"
            )

        path = self.write(record("n1", BEGIN, "NONE") + record("n2", 0, "1.n2") + record("n3", 0, "2.n3"))
        self.assertEqual([("1", 1, 8, 10, 100, "completed")], self.held(path))
        self.assertNotIn("missing_field", self.issues())

    def test_requests_with_colons(self):
        """A value such as h_rt=24:00:00 stands as it was given, in a line whose fields ':' divides; what follows it in the category counts."""

        def record(number, category, task="NONE", status=0, seconds=100):
            times = [BEGIN, BEGIN + 10, BEGIN + 10 + seconds]
            head = [
                "gpu.q",
                "n1",
                "ml",
                "ann",
                "j",
                number,
                "sge",
                0,
                *times,
                0,
                status,
                *[0] * 18,
                "proj",
                "dept",
                "NONE",
            ]
            return ":".join(map(str, [*head, 1, 0, "1.0", 0, "0.0", category, "0.000000", task, "0.0", 0, 0])) + "\n"

        kept = record(1, "-l gpu=2")
        for request in ("h_rt=24:00:00,gpu=2", "gpu=2,h_rt=24:00:00", "gpu=2,h_rt=1:0:0 -pe smp 1", "h_rt=1:0:0,gpu=2"):
            path = self.write(kept + record(7, f"-U x -l {request}"))
            self.assertEqual(
                [("1", 1, 2, 10, 110, "completed"), ("7", 1, 2, 10, 110, "completed")], self.held(path), request
            )
            self.assertEqual({}, self.issues(), request)
        path = self.write(kept + record(1, "-l h_rt=24:00:00,gpu=2", "1.n2"))
        self.assertEqual([("1", 1, 2, 10, 110, "completed")], self.held(path))
        for limit, seconds, outcome in (
            ("1:00:00", 3500, "failed"),
            ("1:00:00", 3600, "timeout"),
            ("0:1:5", 65, "timeout"),
            ("0:1:5", 64, "failed"),
            ("3600", 3600, "timeout"),
        ):
            path = self.write(record(7, f"-l gpu=2,h_rt={limit}", "NONE", 137, seconds))
            self.assertEqual([("7", 1, 2, 10, 10 + seconds, outcome)], self.held(path), limit)

    def test_sites_that_request_otherwise(self):
        """Slots of a parallel environment for GPUs, and complexes of a site's own, are said with the option that counts them."""

        def record(host, number, pe, slots, category):
            head = ["gpu.q", host, "ml", "ann", "j", number, "sge", 0, BEGIN, BEGIN + 10, BEGIN + 100, 0, 0, *[0] * 18]
            return ":".join(map(str, [*head, "proj", "dept", pe, slots, 0, 1, 0, 0, category, 0, "NONE", 0])) + "\n"

        kept = record("node010. cluster", 1, "NONE", 1, "-l gpu=2")
        path = self.write(kept + record("n2", 2, "gpu-a100", 4, "-l h_rt=3600 -pe gpu-a100 4"))
        self.assertEqual([("1", 1, 2, 10, 100, "completed")], self.held(path))
        said = "SELECT group_concat(detail) FROM mpg_issues WHERE kind = ?"
        self.assertIn(
            "does not count: slots of gpu-a100 (if they are, give the option chips)",
            self.one(said, "uncounted_resource"),
        )
        path = self.write(record("n2", 2, "ompi", 4, "-l rt_F=4 -pe ompi 4"))
        self.assertEqual([], self.held(path))
        self.assertIn("give resource", self.one(said, "no_record"))
        options = '{"sources": [{"path": "%s", "resource": "rt_F", "consumable": "JOB"}]}' % path
        self.assertEqual([("2", 1, 4, 10, 100, "completed")], self.held(options))

    def test_listed(self):
        text = self.fixture("sge/accounting")
        self.held(
            self.write(
                text
                + "gpu.q:n1:ml\n"
                + text.splitlines()[-1]
                + "\n"
                + text.splitlines()[4]
                .replace("gpu=1", "npu=1")
                .replace("gpu=2", "npu=2")
                .replace(":101:", ":901:")
                .replace(":103:", ":901:")
                + "\n"
            )
        )
        issues = self.issues()
        self.assertEqual((issues["unknown_record"], issues["repeated_record"]), (1, 1))
        for count, (was, now) in enumerate(
            (("-l gpu=1", "-l vgpus=1"), (":0:0:1200:", ":x:0:1200:"), (":1743440460:", ":0:")), 1
        ):
            self.assertIn(was, text)
            self.held(self.write(text.replace(was, now, 1)))
            self.assertTrue({"uncounted_resource", "missing_field"} & set(self.issues()), (count, self.issues()))


class Flux(Batch):
    def test_listing(self):
        self.assertEqual(
            self.held(os.path.join(ROOT, "fixtures/flux")),
            [
                ("101", 1, 8, 60.25, 1260, "completed"),
                ("102", 1, 4, 100, 1900, "timeout"),
                ("103", 1, 2, 1310, 2000, "failed"),
                ("104", 1, 0, 1500, 1500, "cancelled"),
                ("106", 1, 4, 2010, 4100, "node_fail"),
                ("201", 1, 8, 2520, None, None),
            ],
        )

    def test_jobs_of_flux_that_are_no_objects(self):
        for strange in (7, None, [1]):
            listing = json.loads(self.fixture("flux/jobs.json"))
            listing["jobs"][1:1] = [strange]
            path = self.file(listing)
            self.rows("SELECT * FROM trace_rollup(?)", path)
            self.assertEqual(
                [(1,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'unknown_record' AND source = ?", path)
            )

    def test_numbers_of_states(self):
        """flux job list has numbers for them, and an exception's members beside the others; the REST API has one job in an object."""
        states = {"NEW": 1, "DEPEND": 2, "PRIORITY": 4, "SCHED": 8, "RUN": 16, "CLEANUP": 32, "INACTIVE": 64}
        results = {"COMPLETED": 1, "FAILED": 2, "CANCELED": 4, "TIMEOUT": 8}
        with open(os.path.join(ROOT, "fixtures/flux/jobs.json"), encoding="utf-8") as file:
            jobs = json.load(file)["jobs"]
        wanted = self.held(self.write(json.dumps({"jobs": jobs})))
        self.assertEqual(
            {"completed", "timeout", "failed", "cancelled", "node_fail", None}, {row[-1] for row in wanted}
        )
        for job in jobs:
            job["state"] = states[job["state"]]
            if job.get("result"):
                job["result"] = results[job["result"]]
            exception = job.pop("exception", {})
            job |= {"exception_" + key: value for key, value in exception.items()}
        for text in (
            json.dumps({"jobs": jobs}),
            "\n".join(map(json.dumps, jobs)),
            "\n".join(json.dumps({"job": job}) for job in jobs),
        ):
            self.assertEqual(wanted, self.held(self.write(text)))
            self.assertNotIn("unknown_state", self.issues())

    def test_one_job_and_two_listings(self):
        listing = json.loads(self.fixture("flux/jobs.json"))
        done = next(job for job in listing["jobs"] if job["id"] == 101)
        self.assertEqual(self.held(self.write(json.dumps(done))), [("101", 1, 8, 60.25, 1260, "completed")])
        early = {key: value for key, value in done.items() if key not in ("t_cleanup", "t_inactive", "result")} | {
            "state": "RUN"
        }
        folder = self.new_folder()
        for name, jobs in (("1.json", [done]), ("2.json", [early])):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump({"jobs": jobs}, file)
        self.assertEqual(self.held(folder), [("101", 1, 8, 60.25, 1260, "completed")])

    def test_until_when_a_listing_observes(self):
        """A job that runs tells for how long: while nothing changes, it is held to the time of the listing. Of 1000 jobs there may be more."""

        def job(number, run, **more):
            return {
                "id": number,
                "urgency": 16,
                "ntasks": 1,
                "ngpus": 8,
                "nnodes": 1,
                "nodelist": "n1",
                "state": "RUN",
                "t_submit": BEGIN,
                "t_run": BEGIN + run,
            } | more

        def sums(*files):
            folder = self.new_folder()
            for n, jobs in enumerate(files):
                with open(os.path.join(folder, f"{n}.json"), "w", encoding="utf-8") as file:
                    json.dump({"jobs": jobs}, file)
            return self.rows(
                "SELECT job, category, sum(chip_us) / 8000000 FROM trace_rollup(?) GROUP BY 1, 2 ORDER BY 1, 2", folder
            )

        self.assertEqual([("1", "untraced", 86400)], sums([job(1, 0, runtime=86400.0)]))
        self.assertEqual(
            [("1", "untraced", 100)],
            sums(
                [
                    job(
                        1,
                        0,
                        state="INACTIVE",
                        runtime=50.0,
                        t_cleanup=BEGIN + 50,
                        t_inactive=BEGIN + 100,
                        result="COMPLETED",
                    )
                ]
            ),
        )
        waits = {"id": 3, "urgency": 16, "ntasks": 1, "ngpus": 8, "nnodes": 1, "state": "SCHED", "t_submit": BEGIN}
        later = [job(2, 0, runtime=5000.0)]
        self.assertEqual(
            [("1", "untraced", 1000), ("2", "untraced", 5000), ("3", "queued", 1000)],
            sums([job(1, 0, runtime=1000.0), job(2, 0, runtime=1000.0), waits], later),
        )
        self.assertEqual([("lost_end", 2)], self.rows("SELECT kind, count FROM mpg_issues WHERE kind = 'lost_end'"))
        first = [job(1, 0, runtime=1000.0), job(2, 0, runtime=1000.0), waits]
        path = self.write("\n".join(json.dumps({"jobs": jobs}) for jobs in (first, later)))  # one appended to the other
        self.assertEqual(
            [("1", "untraced", 1000), ("2", "untraced", 5000), ("3", "queued", 1000)],
            self.rows(
                "SELECT job, category, sum(chip_us) / 8000000 FROM trace_rollup(?) GROUP BY 1, 2 ORDER BY 1, 2", path
            ),
        )
        self.assertEqual(
            [("lost_end", 2)],
            self.rows(
                "SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('lost_end', 'repeated_record')", path
            ),
        )
        self.assertEqual(
            [("1", "untraced", 5000), ("2", "untraced", 5000)], sums([job(1, 0, runtime=1000.0)], later)
        )  # of another instance
        for number, listed in ((999, 0), (1000, 1)):
            sums([job(n, n, runtime=1.0) for n in range(number)])
            self.assertEqual(listed, self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'partial_answer'")[0][0])

    def test_an_end_that_was_lost(self):
        """A job that runs in its listing past its limit, or while a later one has chips of its nodes, is listed; one that has time left, or fits beside it, is not."""

        def job(number, run, end=None, gpus=4, nodes="n1", expiration=0.0):
            times = {"t_submit": BEGIN, "t_run": BEGIN + run} | (
                {} if end is None else {"t_cleanup": BEGIN + end, "t_inactive": BEGIN + end, "result": "COMPLETED"}
            )
            return {
                "id": number,
                "urgency": 16,
                "name": "train",
                "ntasks": 1,
                "ngpus": gpus,
                "nnodes": 1,
                "nodelist": nodes,
                "expiration": expiration and BEGIN + expiration,
                "state": "RUN" if end is None else "INACTIVE",
                **times,
            }

        for jobs, expected in (
            ([job(1, 0, expiration=3600), job(2, 0, 20000, nodes="n2")], 1),
            ([job(1, 0, expiration=18000), job(2, 0, 20000, nodes="n2")], 0),
            ([job(1, 0), job(2, 0, 20000, nodes="n2")], 0),
            ([job(1, 0), job(2, 200, 900)], 1),
            ([job(1, 0), job(2, 200, 900, nodes="n2")], 0),
            ([job(1, 0, gpus=2), job(2, 200, 900, gpus=2), job(3, 0, 90, nodes="n2")], 0),
            (
                [
                    job(1, 0, gpus=1),
                    job(2, 200, 900, gpus=1),
                    job(3, 0, 90, gpus=1, nodes="n2"),
                    job(4, 0, 90, gpus=1, nodes="n2"),
                ],
                0,
            ),
            ([job(1, 200), job(2, 0, 100)], 0),
        ):
            self.assertEqual(expected, self.lost(self.write(json.dumps({"jobs": jobs}))), jobs)

    def test_without_gpus(self):
        listing = json.loads(self.fixture("flux/jobs.json"))
        for job in listing["jobs"]:
            del job["ngpus"]
        path = self.write(json.dumps(listing))
        self.assertEqual(self.held(path), [])
        self.assertEqual(self.issues()["missing_field"], 8)
        self.assertEqual(
            self.held('{"sources": [{"path": "%s", "chips_per_node": 4}]}' % path, "job, chips")[:2],
            [("101", 8), ("102", 4)],
        )

    def test_fields_that_are_empty(self):
        """JobInfo.to_dict(filtered=False) writes an empty text for what is not known: of a job that waits how many GPUs it asks for."""
        listing = json.loads(self.fixture("flux/jobs.json"))
        waits = {**listing["jobs"][0], "id": 900, "state": "SCHED", "t_run": 0.0, "t_cleanup": 0.0, "t_inactive": 0.0}
        waits |= dict.fromkeys(("ngpus", "ncores", "nnodes", "nodelist", "priority", "result", "waitstatus"), "")
        path = self.write(json.dumps({"jobs": [listing["jobs"][0], waits]}))
        sql = "SELECT job, chips, labels FROM trace_records(?) WHERE record = 'jobs' AND job = '900'"
        for options, lacks in (("", "ngpus"), (', "chips": "ncores"', "ncores"), (', "chips_per_node": 4', "nnodes")):
            fleet = '{"sources": [{"path": "%s"%s}]}' % (path, options)
            self.assertEqual(self.rows(sql, fleet), [], options)
            self.assertEqual(
                [
                    detail.split(":")[0]
                    for detail, in self.rows("SELECT detail FROM mpg_issues WHERE kind = 'missing_field'")
                ],
                ["job 900 lacks its " + lacks + (" (give the option chips_per_node)" if lacks == "ngpus" else "")],
            )
            self.assertNotIn("unknown_state", self.issues())


class Condor(Batch):
    def test_history_and_queue(self):
        self.assertEqual(
            self.held(os.path.join(ROOT, "fixtures/condor")),
            [
                ("101.0", 1, 8, 60, 1260, "completed"),
                ("102.0", 1, 4, 100, 1900, "timeout"),
                ("103.0", 1, 2, 1300, 2500, "completed"),
                ("103.1", 1, 2, 1310, 2000, "failed"),
                ("104.0", 1, 0, 1500, 1500, "cancelled"),
                ("106.0", 1, 4, 2010, 4100, "cancelled"),
                ("201.0", 1, 8, 2520, None, None),
                ("203.0", 1, 4, 4100, 5000, "preempted"),
                ("203.0", 2, 0, 5000, None, None),
            ],
        )
        self.assertEqual(self.issues()["earlier_attempts"], 1)
        self.assertEqual(
            self.db.execute(
                "SELECT DISTINCT observed_until FROM trace_sources(?)", (os.path.join(ROOT, "fixtures/condor"),)
            ).fetchall(),
            [(BEGIN + 5900,)],
        )

    def test_histories_appended_to_one_file(self):
        """condor_history -json >>history.json: an array each time."""
        whole = self.fixture("condor/history.json")
        ads = json.loads(whole)
        self.assertEqual(
            self.held(self.file(whole, "a.json")),
            self.held(self.file(json.dumps(ads[:3], indent=1) + "\n" + json.dumps(ads[3:]) + "\n[]\n", "b.json")),
        )

    def test_an_ad_for_each_run(self):
        ad = next(ad for ad in json.loads(self.fixture("condor/history.json")) if ad["ClusterId"] == 101)
        first = ad | {
            "JobCurrentStartDate": BEGIN + 10,
            "JobStatus": 2,
            "CompletionDate": 0,
            "EpochWriteDate": BEGIN + 40,
        }
        self.assertEqual(
            self.held(self.write(json.dumps(first) + "\n" + json.dumps(ad) + "\n")),
            [("101.0", 1, 8, 10, 40, "preempted"), ("101.0", 2, 8, 60, 1260, "completed")],
        )
        self.assertNotIn("earlier_attempts", self.issues())

    def test_the_ads_of_runs_alone(self):
        """The shadow writes one as its run ends, of the state that the job has then: that it runs, is suspended, or sends its output."""
        ad = {"ClusterId": 101, "ProcId": 0, "QDate": BEGIN, "RequestGPUs": 8, "NumJobStarts": 2, "JobStatus": 2}
        first = ad | {"JobCurrentStartDate": BEGIN + 10, "EpochWriteDate": BEGIN + 40}
        last = ad | {
            "JobCurrentStartDate": BEGIN + 60,
            "EpochWriteDate": BEGIN + 93,
            "ExitBySignal": False,
            "ExitCode": 0,
        }
        for before, after, second, end in (
            ({}, {"CompletionDate": BEGIN + 90}, "completed", 90),
            ({"JobStatus": 7}, {"CompletionDate": BEGIN + 90, "ExitCode": 1, "JobStatus": 6}, "failed", 90),
            ({"JobStatus": 6}, {"CompletionDate": 0}, "preempted", 93),
            ({}, {"CompletionDate": BEGIN + 30, "JobStatus": 7}, "preempted", 93),
        ):
            path = self.write(json.dumps(first | before) + "\n" + json.dumps(last | after) + "\n")
            self.assertEqual(
                self.held(path), [("101.0", 1, 8, 10, 40, "preempted"), ("101.0", 2, 8, 60, end, second)], after
            )

    def test_an_ad_for_each_run_beside_the_queue(self):
        """The ad of a run says when it ended, and the job's in the queue what became of it: it waits again, is held, or was removed."""
        ad = {
            "ClusterId": 101,
            "ProcId": 0,
            "QDate": BEGIN,
            "RequestGPUs": 8,
            "JobCurrentStartDate": BEGIN + 10,
            "NumJobStarts": 1,
        }
        run = ad | {"JobStatus": 2, "EnteredCurrentStatus": BEGIN + 10, "EpochWriteDate": BEGIN + 400}
        now = {"ServerTime": BEGIN + 1000}
        for later, after, outcome, queued in (
            (
                {"JobStatus": 1, "LastJobStatus": 2, "EnteredCurrentStatus": BEGIN + 400},
                [(0, 400, None)],
                "preempted",
                610,
            ),
            (
                {"JobStatus": 1, "LastJobStatus": 5, "EnteredCurrentStatus": BEGIN + 600},
                [(0, 400, None)],
                "preempted",
                610,
            ),
            ({"JobStatus": 5, "HoldReasonCode": 46, "EnteredCurrentStatus": BEGIN + 400}, [], "timeout", 10),
            ({"JobStatus": 5, "HoldReasonCode": 1, "EnteredCurrentStatus": BEGIN + 400}, [], "cancelled", 10),
            (
                {"JobStatus": 3, "LastJobStatus": 1, "EnteredCurrentStatus": BEGIN + 700},
                [(0, 700, 700)],
                "preempted",
                310,
            ),
        ):
            for ads in ([run, ad | later | now], [ad | later | now, run]):
                path = self.write(json.dumps(ads))
                self.assertEqual(
                    [("101.0", 1, 8, 10, 400, outcome)]
                    + [("101.0", 2, *row, "cancelled" if row[2] else None) for row in after],
                    self.held(path),
                    later,
                )
                self.assertEqual(
                    [(8 * queued,)],
                    self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", path),
                    later,
                )

    def test_an_end_that_was_lost(self):
        """A slot and a GPU are one job's at a time: an ad that runs while a later job has one of them lost its end. So did one past the time it is allowed."""
        done = next(ad for ad in json.loads(self.fixture("condor/history.json")) if ad["ClusterId"] == 101)
        running = {key: value for key, value in done.items() if key not in ("ExitCode", "ExitBySignal")} | {
            "JobStatus": 2,
            "CompletionDate": 0,
            "RemoteHost": "slot1_1@n1",
            "LastRemoteHost": "slot1_9@n9",
            "AssignedGPUs": "GPU-0,GPU-1",
            "EnteredCurrentStatus": done["JobCurrentStartDate"],
        }
        later = done | {
            "ClusterId": 900,
            "JobCurrentStartDate": done["JobCurrentStartDate"] + 600,
            "CompletionDate": done["JobCurrentStartDate"] + 9000,
        }
        for more, of_later, expected in (
            ({}, {"LastRemoteHost": "slot1_1@n1", "AssignedGPUs": "GPU-7"}, 1),
            ({}, {"LastRemoteHost": "slot1_2@n1", "AssignedGPUs": "GPU-7"}, 0),
            ({}, {"LastRemoteHost": "slot1_2@n1", "AssignedGPUs": "GPU-1"}, 1),
            ({}, {"LastRemoteHost": "slot1_2@n2", "AssignedGPUs": "GPU-1"}, 0),
            ({"AllowedExecuteDuration": 3600}, {"LastRemoteHost": "slot1_2@n2"}, 1),
            ({"AllowedJobDuration": 9000}, {"LastRemoteHost": "slot1_2@n2"}, 0),
            ({"JobCurrentStartDate": later["JobCurrentStartDate"] + 1}, {"LastRemoteHost": "slot1_1@n1"}, 0),
        ):
            self.assertEqual(
                expected, self.lost(self.write(json.dumps([running | more, later | of_later]))), (more, of_later)
            )

    def test_runs_that_ended_before_the_state_changed_last(self):
        """Removed while it was idle, or held, long after its run: that ended when it was vacated, or after its wall clock. Suspended time is held, and said."""
        done = next(ad for ad in json.loads(self.fixture("condor/history.json")) if ad["ClusterId"] == 101)
        ad = {key: value for key, value in done.items() if key not in ("ExitCode", "ExitBySignal")} | {
            "JobStatus": 3,
            "CompletionDate": 0,
            "JobCurrentStartDate": BEGIN + 60,
            "NumJobStarts": 1,
            "EnteredCurrentStatus": BEGIN + 9000,
        }
        for more, ended, lost in (
            ({"LastJobStatus": 1, "LastVacateTime": BEGIN + 500}, 500, 0),
            ({"LastJobStatus": 1, "RemoteWallClockTime": 340.0}, 400, 0),
            ({"LastJobStatus": 5, "LastRemoteWallClockTime": 40, "NumJobStarts": 7}, 100, 0),
            ({"RemoteWallClockTime": 340.0}, 400, 0),
            ({"LastJobStatus": 2, "RemoteWallClockTime": 340.0}, 9000, 0),
            ({"LastJobStatus": 1, "NumJobStarts": 7, "RemoteWallClockTime": 340.0}, 9000, 1),
        ):
            path = self.write(json.dumps([ad | more]))
            self.assertEqual(lost, self.lost(path))
            rows = self.held(path)
            self.assertEqual(
                (
                    "101.0",
                    1,
                    8,
                    60,
                    ended,
                    "preempted" if ended < 9000 and more.get("LastJobStatus") == 1 else "cancelled",
                ),
                rows[0],
            )
            self.assertEqual(
                [("101.0", 2, 0, 9000, 9000, "cancelled")] if ended < 9000 and more.get("LastJobStatus") == 1 else [],
                rows[1:],
            )
        path = self.write(json.dumps([done | {"CumulativeSuspensionTime": 100}]))
        self.held(path)
        self.assertEqual(
            [("info", 1)],
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'suspended_job' AND source = ?", path),
        )

    def test_attributes_that_were_asked_for_by_name(self):
        """Without JobCurrentStartDate and CompletionDate a job that started once ran from JobStartDate for its wall clock; what started again is not known, and waits no more."""
        ad = {
            "ClusterId": 7,
            "ProcId": 0,
            "QDate": BEGIN,
            "JobStatus": 4,
            "JobStartDate": BEGIN + 60,
            "RemoteWallClockTime": 340.0,
            "NumJobStarts": 1,
            "ExitCode": 0,
            "RequestGPUs": 2,
        }
        once = [("7.0", 1, 2, 60, 400, "completed")]
        never = [("7.0", 1, 0, BEGIN, BEGIN, "completed")]
        for more, expected, lacks in (
            ({}, once, "CompletionDate"),
            ({"CompletionDate": BEGIN + 400}, once, None),
            ({"EnteredCurrentStatus": BEGIN + 400}, once, "CompletionDate"),
            ({"CompletionDate": BEGIN + 400, "NumJobStarts": None}, once, None),
            ({"CompletionDate": BEGIN + 9000, "NumJobStarts": None}, never, "JobCurrentStartDate"),
            ({"CompletionDate": BEGIN + 9000, "NumJobStarts": 2}, never, "JobCurrentStartDate"),
            ({"JobStatus": 2, "ServerTime": BEGIN + 900}, [("7.0", 1, 2, 60, None, None)], None),
            ({"JobStatus": 2, "NumJobStarts": 3, "ServerTime": BEGIN + 900}, [], "JobCurrentStartDate"),
        ):
            path = self.write(json.dumps([ad | more]))
            self.assertEqual(expected, self.held(path), more)
            said = self.one("SELECT max(detail) FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path)
            self.assertEqual(lacks, said and said.split("lacks its ")[1].split()[0].rstrip(":"), more)
            waits = self.one("SELECT sum(chip_us) / 2000000 FROM trace_rollup(?) WHERE category = 'queued'", path)
            self.assertEqual({60: 60, BEGIN: None}[expected[0][3]] if expected else 900, waits, more)

    def test_queues_one_after_the_other(self):
        """What runs or waits in one, and a later one of its schedd has no more, was over when it was last seen, which is said; one of another schedd says nothing of it."""

        def ad(number, status, start, asked, schedd="s1"):
            return {
                "ClusterId": number,
                "ProcId": 0,
                "GlobalJobId": f"{schedd}#{number}.0#{BEGIN}",
                "JobStatus": status,
                "QDate": BEGIN,
                "JobCurrentStartDate": start and BEGIN + start,
                "NumJobStarts": int(status == 2),
                "EnteredCurrentStatus": BEGIN + start,
                "RequestGPUs": 8,
                "ServerTime": BEGIN + asked,
                "RemoteHost": f"slot1@n{number}",
            }

        first = [ad(1, 2, 10, 1000), ad(2, 2, 10, 1000), ad(3, 1, 0, 1000)]
        for schedd, expected, lost in (
            (
                "s1",
                [("1.0", 1, 8, 10, 1000, None), ("2.0", 1, 8, 10, None, None), ("3.0", 1, 0, 1000, 1000, "cancelled")],
                [("lost_end", 2)],
            ),
            ("s2", [("1.0", 1, 8, 10, None, None), ("2.0", 1, 8, 10, None, None), ("9.0", 1, 8, 10, None, None)], []),
        ):
            folder = self.new_folder()
            for name, ads in (("b.json", first), ("a.json", [ad(2 if schedd == "s1" else 9, 2, 10, 5000, schedd)])):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(ads, file)
            self.assertEqual(expected, self.held(folder))
            self.assertEqual(
                lost,
                self.rows(
                    "SELECT kind, count FROM mpg_issues WHERE kind = 'lost_end' AND source LIKE ? || '%'", folder
                ),
            )
        expected = [
            ("1.0", 1, 8, 10, 1000, None),
            ("2.0", 1, 8, 10, None, None),
            ("3.0", 1, 0, 1000, 1000, "cancelled"),
        ]
        for late, twice in (3, 1), (61, 0):
            # Answers of condor_q -jsonl, appended to one file; of one answer the times may be seconds apart.
            ads = [*first, ad(2, 2, 10, 1000 + late), ad(2, 2, 10, 5000)]
            path = self.write("".join(json.dumps(one) + "\n" for one in ads))
            self.assertEqual(expected, self.held(path), late)
            self.assertEqual(
                [("lost_end", 2)] + [("repeated_record", 1)] * twice,
                self.rows(
                    """SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('lost_end', 'repeated_record')
                       ORDER BY 1""",
                    path,
                ),
            )

    def test_chips(self):
        ad = next(ad for ad in json.loads(self.fixture("condor/history.json")) if ad["ClusterId"] == 101)
        for change, chips in (
            ({}, 8),
            ({"GPUsProvisioned": None}, 8),
            ({"GPUsProvisioned": None, "AssignedGPUs": None}, 8),
            ({"GPUsProvisioned": None, "AssignedGPUs": "a,b"}, 2),
            ({"JobUniverse": 11, "MinHosts": 4, "GPUsProvisioned": 2}, 8),
        ):
            with self.subTest(change=change):
                self.assertEqual(self.held(self.write(json.dumps(ad | change)), "chips"), [(chips,)])
        for name in ("RequestGpus", "requestgpus", "REQUESTGPUS"):  # names of attributes are of any case
            self.assertEqual(
                self.held(
                    self.write(json.dumps({key: value for key, value in ad.items() if "GPUs" not in key} | {name: 3})),
                    "chips",
                ),
                [(3,)],
            )
        self.assertEqual(
            self.held(
                self.write(json.dumps(ad | {"GPUsProvisioned": None, "AssignedGPUs": None, "RequestGPUs": "MY.Wanted"}))
            ),
            [],
        )
        self.assertEqual(self.issues()["uncounted_resource"], 1)


if __name__ == "__main__":
    unittest.main()
