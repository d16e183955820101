"""Which job a record is of, if its own name of the job differs: trackers' runs, ids of several clusters, ids that were given anew."""

import contextlib
import json
import sqlite3
import unittest

import tfevents
from job_logs import NamedLogs, SACCT, T, job, megatron, pod


class NamesInRecords(NamedLogs):
    def test_an_event_file_of_several_jobs_is_listed_once(self):
        """By its folder, which is what its job is called: as ambiguous, and not as unmatched, too."""
        events = tfevents.begin(T + 60) + b"".join(
            tfevents.event(T + 60 + 10 * i, i, (5, [(1, tfevents.simple("train/loss", 2.0))])) for i in range(1, 100)
        )
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200),
                "llama/version_0/events.out.tfevents.1793491260.host.1.0": events,
            }
        )
        self.seconds(path)
        self.assertEqual(
            [("ambiguous_job",)],
            self.rows(
                "SELECT kind FROM mpg_issues WHERE kind IN ('ambiguous_job', 'unmatched_log') AND instr(source, ?)",
                path,
            ),
        )

    def test_the_option_job_may_be_a_name(self):
        """That of several jobs, each of which has what was written in its time; but of jobs that ran at once, none."""
        chain = "".join(job(5101 + i, 3600 * i, 3600 * i + 3500) for i in range(3))
        self.assertEqual(
            ["5101", "5102", "5103"],
            self.jobs(chain, "run{}.out", lambda i: megatron(3600 * i + 60, 1 + 100 * i, 100 + 100 * i), job="llama"),
        )
        self.assertEqual(
            [None] * 3, self.jobs("".join(job(5101 + i, 0, 3500) for i in range(2)), "run{}.out", job="llama")
        )
        self.assertEqual(3, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'ambiguous_job'"))

    def test_records_of_the_name_of_several_jobs(self):
        """What a goodput log or a span of OpenTelemetry says itself is of the job of that name or id which ran then; of jobs that ran at once it is none's."""

        def goodput(name, *runs):
            return "".join(
                json.dumps({"job_name": name, **entry}) + "\n"
                for start, end, steps in runs
                for entry in [
                    {"job_start_time": T + start},
                    *({"step_count": step, "step_start_time": T + start + 10 * i} for i, step in enumerate(steps)),
                    {"job_end_time": T + end},
                ]
            )

        chain = job(5101, 0, 500, "NODE_FAIL") + job(5102, 600, 1800)
        clusters = job(5101, 0, 500, "NODE_FAIL") + job(5101, 600, 1800, cluster="east")
        first, second = (20, 490, range(40)), (620, 1620, range(100))
        for jobs, name, runs, wanted in (
            (chain, "llama", [first, second], [("5101", True), ("5102", True)]),
            (chain, "llama", [second], [("5101", False), ("5102", True)]),
            (chain, "llama", [first], [("5101", True), ("5102", False)]),
            (clusters, "5101", [first, second], [("east/5101", True), ("pod/5101", True)]),
            (clusters, "5101", [second], [("east/5101", True), ("pod/5101", False)]),
        ):
            with self.subTest(name=name, wanted=wanted):
                path = self.folder_of({"sacct.psv": SACCT + jobs, "goodput.jsonl": goodput(name, *runs)})
                self.assertEqual(
                    wanted,
                    self.rows(
                        "SELECT job, max(category <> 'untraced') FROM trace_rollup(?) WHERE attempt IS NOT NULL GROUP BY 1",
                        path,
                    ),
                )
                self.assertEqual(
                    [],
                    self.rows(
                        "SELECT detail FROM mpg_issues WHERE kind IN ('unmatched_log', 'ambiguous_job') AND instr(source, ?)",
                        path,
                    ),
                )
        spans = [
            {
                "traceId": "1" * 32,
                "spanId": f"{i:016}",
                "name": "step",
                "startTimeUnixNano": str((T + at) * 10**9),
                "endTimeUnixNano": str((T + at + 10) * 10**9),
                "attributes": [{"key": "mpg.step", "value": {"intValue": str(i)}}],
            }
            for i, at in enumerate([*range(20, 420, 10), *range(620, 1620, 10)])
        ]
        for jobs, name, wanted in (
            (chain, "llama", ["5101", "5102"]),
            (clusters, "5101", ["east/5101", "pod/5101"]),
            (chain, "5102", ["5102"]),
        ):
            otlp = {
                "resourceSpans": [
                    {
                        "resource": {"attributes": [{"key": "mpg.job", "value": {"stringValue": name}}]},
                        "scopeSpans": [{"spans": spans}],
                    }
                ]
            }
            path = self.folder_of({"sacct.psv": SACCT + jobs, "spans.jsonl": json.dumps(otlp) + "\n"})
            self.assertEqual(
                [(job,) for job in wanted],
                self.rows(
                    "SELECT DISTINCT job FROM trace_rollup(?) WHERE category NOT IN ('untraced', 'queued') ORDER BY 1",
                    path,
                ),
            )
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1700) + job(5102, 600, 1800), "goodput.jsonl": goodput("llama", second)}
        )
        self.assertEqual(
            [("5101", False), ("5102", False), ("llama", True)],
            self.rows(
                "SELECT job, max(category <> 'untraced') FROM trace_rollup(?) WHERE attempt IS NOT NULL GROUP BY 1",
                path,
            ),
        )
        self.assertEqual(
            [("jobs of a name that several have which ran at once, first llama: 5101,5102",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path),
        )

    def test_records_that_call_their_job_by_no_name_of_it(self):
        """As a run's name in a goodput log or a span: the file's or the folder's name says which job it is, or an id in the name."""

        def goodput(name, start, end, steps):
            return "".join(
                json.dumps({"job_name": name, **entry}) + "\n"
                for entry in [
                    {"job_start_time": T + start},
                    *({"step_count": step, "step_start_time": T + start + 10 + 10 * i} for i, step in enumerate(steps)),
                    {"job_end_time": T + end},
                ]
            )

        spans = "".join(
            json.dumps(
                {
                    "resourceSpans": [
                        {
                            "resource": {"attributes": [{"key": "mpg.job", "value": {"stringValue": "exp"}}]},
                            "scopeSpans": [
                                {
                                    "spans": [
                                        {
                                            "traceId": "1" * 32,
                                            "spanId": f"{i:016}",
                                            "name": "step",
                                            "startTimeUnixNano": str((T + 60 + 10 * i) * 10**9),
                                            "endTimeUnixNano": str((T + 70 + 10 * i) * 10**9),
                                            "attributes": [{"key": "mpg.step", "value": {"intValue": str(i)}}],
                                        }
                                    ]
                                }
                            ],
                        }
                    ]
                }
            )
            + "\n"
            for i in range(100)
        )
        both = SACCT + job(5101, 0, 1200) + job(5102, 0, 1200)
        for files, wanted in (
            ({"5101/goodput.jsonl": goodput("exp", 50, 1060, range(100))}, {"5101"}),
            ({"goodput-5102.jsonl": goodput("exp", 50, 1060, range(100))}, {"5102"}),
            ({"goodput.jsonl": goodput("exp-5102", 50, 1060, range(100))}, {"5102"}),
            ({"5102/spans.jsonl": spans}, {"5102"}),
            (
                {
                    "5101/goodput.jsonl": goodput("exp-a", 50, 1060, range(100)),
                    "5102/goodput.jsonl": goodput("exp-b", 50, 1060, range(100)),
                },
                {"5101", "5102"},
            ),
            ({"goodput.jsonl": goodput("exp-7777", 50, 1060, range(100))}, {"exp-7777"}),
            ({"goodput.jsonl": goodput("exp-5101-5102", 50, 1060, range(100))}, {"exp-5101-5102"}),
        ):
            with self.subTest(wanted=wanted, files=files.keys()):
                path = self.folder_of({"sacct.psv": both, **files})
                self.assertEqual(wanted, {name for name, _, steps, _ in self.seconds(path) if steps})
                self.assertEqual(
                    [],
                    self.rows(
                        "SELECT detail FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?) AND detail NOT GLOB '*exp-7777*'",
                        path,
                    ),
                )
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 1200, "RUNNING").replace(f"|{T + 1200}|", "|Unknown|"),
                "5101/goodput.jsonl": goodput("exp", 0, 1060, range(100)).rsplit("{", 1)[0],
            }
        )  # both begin at once, and have no end yet
        self.assertEqual(["5101"], [name for name, *_ in self.seconds(path)])
        chain = {
            "sacct.psv": SACCT + job(5101, 0, 1200, "NODE_FAIL") + job(5102, 1300, 2500),
            "5101/goodput.jsonl": goodput("exp", 50, 1060, range(100)),
            "5102/goodput.jsonl": goodput("exp", 1350, 2360, range(100, 200)),
        }
        self.assertEqual(
            ["5101", "5102"], [name for name, _, steps, _ in self.seconds(self.folder_of(chain)) if steps or True]
        )
        self.assertEqual(
            0, self.one("SELECT count(*) FROM trace_rollup(?) WHERE category = 'untraced'", self.folder_of(chain))
        )

    def test_the_option_job_may_have_its_cluster(self):
        """As it must once another cluster has the id; a cluster that no export is of has a job of its own."""
        for asked, wanted in (
            ("pod/5101", "5101"),
            ("POD/5101", "5101"),
            ("west/5101", "west/5101"),
            ("pod/5102", "pod/5102"),
        ):
            self.assertEqual([wanted] * 3, self.jobs(job(5101, 0, 3500), "run{}.out", job=asked))
        self.assertEqual(
            ["east/5101"] * 3,
            self.jobs(job(5101, 0, 3500) + job(5101, 0, 3500, cluster="east"), "run{}.out", job="east/5101"),
        )

    def test_runs_that_a_tracker_names(self):
        """By a job's name or id: each is of its job, whatever the file is called; a run over several jobs of its name is of the one that ran then."""

        def tracker(key, *runs):
            return f"{key},_step,_timestamp,train/loss\n" + "".join(
                f"{run},{step},{T + start + 10 * (step - first + 1)},2.0\n"
                for run, start, first, last in runs
                for step in range(first, last + 1)
            )

        both = SACCT + job(5101, 0, 1200, name="gpt-a") + job(5102, 0, 1200, name="gpt-b")
        for name, key, runs in (
            ("runs.csv", "run", ("gpt-a", "gpt-b")),
            ("5102/runs.csv", "run_name", ("gpt-a", "gpt-b")),
            ("runs.csv", "run_id", ("5101", "5102")),
        ):
            path = self.folder_of({"sacct.psv": both, name: tracker(key, (runs[0], 60, 1, 100), (runs[1], 60, 1, 90))})
            self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 7200, None)], self.seconds(path))
        path = self.folder_of({"sacct.psv": both, "runs.csv": tracker("run", ("3f2k", 60, 1, 100), ("77", 60, 1, 90))})
        self.assertEqual([("5101", 1, None, None), ("5102", 1, None, None)], self.seconds(path)[-2:])
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 500) + job(5102, 600, 1800),
                "runs.csv": tracker("run", ("llama", 60, 1, 40), ("llama", 760, 41, 100)),
            }
        )
        self.assertEqual([("5101", 1, 8 * 400, None), ("5102", 1, 8 * 600, None)], self.seconds(path))
        option = json.dumps({"sources": [{"path": path + "/sacct.psv"}, {"path": path + "/runs.csv", "job": "5102"}]})
        self.assertEqual([("5101", 1, None, None), ("5102", 1, 8 * 600, None)], self.seconds(option))

    def test_runs_of_mlflow_s_store(self):
        """Its folders are called by ids: the run's name, which lies beside the metrics, or the folder above says the job."""
        run = "mlruns/0/0123456789abcdef0123456789abcdef/"
        loss = "".join(f"{1000 * (T + 60 + 10 * step)} 2.0 {step}\n" for step in range(1, 101))
        for files in (
            {run + "metrics/train/loss": loss, run + "meta.yaml": "artifact_uri: file:///x\nrun_name: gpt-a\n"},
            {run + "metrics/loss": loss, run + "meta.yaml": "run_name: 'exp-5101'\n"},
            {"5101/" + run + "metrics/loss": loss},
            {"5102/" + run + "metrics/loss": loss, "5102/" + run + "meta.yaml": "run_name: gpt-a\n"},
        ):
            with self.subTest(files=files.keys()):
                path = self.folder_of(
                    {"sacct.psv": SACCT + job(5101, 0, 1200, name="gpt-a") + job(5102, 0, 1200, name="gpt-b"), **files}
                )
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, None, None)], self.seconds(path))
                self.assertEqual(
                    [],
                    self.rows(
                        "SELECT detail FROM mpg_issues WHERE kind IN ('ignored_file', 'unmatched_log') AND instr(source, ?)",
                        path,
                    ),
                )
        chain = SACCT + job(5101, 0, 500, "NODE_FAIL") + job(5102, 600, 1800)
        self.assertEqual(
            ["5101", "5102"],
            [
                name
                for name, in self.rows(
                    "SELECT DISTINCT job FROM trace_rollup(?) WHERE category NOT IN ('untraced', 'queued', 'idle') ORDER BY 1",
                    self.folder_of({"sacct.psv": chain, "llama/" + run + "metrics/loss": loss}),
                )
            ],
        )

    def test_a_database_of_mlflow(self):
        """Its runs are of the jobs that they are called as, each of one of its own; chips, begin and outcome are the scheduler's."""
        path = self.folder_of(
            {
                "sacct.psv": SACCT
                + job(5101, 0, 600, name="gpt-a")
                + job(5102, 0, 1200, "FAILED", name="gpt-b")
                + job(5103, 1200, 1500, name="gpt-c")
            }
        )
        with contextlib.closing(sqlite3.connect(path + "/mlflow.db")) as db:
            db.executescript(
                'CREATE TABLE runs(run_uuid, name, status, start_time, end_time); CREATE TABLE latest_metrics(x); CREATE TABLE metrics("key", value, timestamp, run_uuid, step, is_nan)'
            )
            for run, name, first in (("0a1", "gpt-a", 0), ("0b1", "exp-5102", 300), ("0d1", "other", 3600)):
                db.execute(
                    "INSERT INTO runs VALUES (?, ?, 'FINISHED', ?, ?)",
                    (run, name, (T + first) * 1000, (T + first + 590) * 1000),
                )
                db.executemany(
                    "INSERT INTO metrics VALUES ('loss', 2.0, ?, ?, ?, 0)",
                    (((T + first + 90 + 10 * i) * 1000, run, i) for i in range(1, 51)),
                )
            db.commit()
        self.assertEqual(
            [
                (path + "/mlflow.db#3", 1, 500, None),
                ("5101", 1, 8 * 500, None),
                ("5102", 1, None, None),
                ("5103", 1, None, None),
            ],
            self.seconds(path),
        )
        self.assertEqual(
            [(8 * 500,)],
            self.rows(
                "SELECT round(sum(chip_seconds)) FROM trace_rollup(?) WHERE job = '5102' AND category = 'unknown' AND cause = 'no_checkpoint_data'",
                path,
            ),
        )

    def test_an_id_that_was_given_anew(self):
        """The log has the id alone: what it tells was in the time of the one or of the other."""
        jobs = job(77, 0, 600, name="gpt") + job(77, 1200, 2400, submit=1000)
        for log, wanted in (
            (lambda i: megatron(1260 + i, 31, 100 - i), "77#2"),
            (lambda i: megatron(60 + i, 1, 50 - i), "77"),
        ):
            self.assertEqual([wanted] * 3, self.jobs(jobs, "{}/slurm-77.out", log))
        path = self.folder_of(
            {"sacct.psv": SACCT + jobs, "slurm-77.out": megatron(60, 1, 50) + megatron(1260, 31, 100)}
        )
        self.assertEqual(
            [("77", 8 * 500), ("77#2", 8 * 700)],
            [(name, sum(filter(None, seconds))) for name, _, *seconds in self.seconds(path)],
        )

    def test_an_id_of_several_clusters(self):
        """The text says which, or the time; of a cluster that no export is of, it is none of those."""
        apart = job(5101, 0, 1200) + job(5101, 3600, 4800, cluster="east")
        at_once = job(5101, 0, 1200) + job(5101, 0, 1200, cluster="east")
        for jobs, name, said, start, wanted in (
            (apart, "slurm-5101.out", "", 3660, "east/5101"),
            (apart, "slurm-5101.out", "", 60, "pod/5101"),
            (apart, "run.log", "SLURM_JOB_ID=5101\n", 3660, "east/5101"),
            (at_once, "slurm-5101.out", "", 60, None),
            (at_once, "east-5101.out", "", 60, "east/5101"),
            (at_once, "slurm_5101_pod.out", "", 60, "pod/5101"),
            (at_once, "run.log", "SLURM_CLUSTER_NAME=east\nSLURM_JOB_ID=5101\n", 60, "east/5101"),
            (at_once, "run.log", '{"SLURM_JOBID": "5101", "SLURM_CLUSTER_NAME": "pod"}\n', 60, "pod/5101"),
            (job(5101, 0, 1200), "run.log", "SLURM_CLUSTER_NAME=pod\nSLURM_JOB_ID=5101\n", 60, "5101"),
            (job(5101, 0, 1200), "slurm-5101.out", "SLURM_CLUSTER_NAME=west\nSLURM_JOB_ID=5101\n", 60, "west/5101"),
            (job(5101, 0, 1200, cluster=""), "run.log", "SLURM_CLUSTER_NAME=pod\nSLURM_JOB_ID=5101\n", 60, "5101"),
        ):
            with self.subTest(name=name, said=said, start=start, jobs=jobs):
                path = self.folder_of({"sacct.psv": SACCT + jobs, name: said + megatron(start, 1, 100)})
                self.assertEqual(
                    [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )
                self.seconds(path)
                self.assertEqual(
                    [] if wanted and "west" not in wanted else [("unmatched_log",)] if wanted else [("ambiguous_job",)],
                    self.rows(
                        "SELECT kind FROM mpg_issues WHERE kind IN ('ambiguous_job', 'unmatched_log') AND instr(source, ?)",
                        path,
                    ),
                )

    def test_namespaces(self):
        """Two namespaces have pods and jobs of one name: the path has the namespace as well, as that of a dump of the cluster or of a node's logs; else the time says."""

        def pods(later):
            items = [
                pod("train-0", start, start + 1200, job="train", node=node)
                for start, node in ((0, "n1"), (later, "n2"))
            ]
            items[1]["metadata"].update(namespace="dev", uid="v")
            return {"apiVersion": "v1", "kind": "List", "items": items}

        for name, later, start, wanted in (
            ("ml/train-0/logs.txt", 0, 60, "ml/train"),
            ("dev/train-0/logs.txt", 0, 60, "dev/train"),
            ("train-0_dev_main-0123.log", 0, 60, "dev/train"),
            ("dev/train.log", 0, 60, "dev/train"),
            ("ml-train.log", 0, 60, "ml/train"),
            ("train-0.log", 1800, 60, "ml/train"),
            ("train-0.log", 1800, 1860, "dev/train"),
            ("train-0.log", 0, 60, None),
        ):
            with self.subTest(name=name, later=later, start=start):
                path = self.folder_of({"list.json": pods(later), name: megatron(start, 1, 100)})
                self.assertEqual(
                    [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )

    def test_many_runs_of_one_name(self):
        """Runs of a tracker, of one name that as many jobs have which ran at once: no pair is compared with each other."""

        def run(i):
            rows = ({"_step": s, "_timestamp": T + i + 30 + 10 * s, "train/loss": 3.0} for s in range(1, 5))
            return "".join(json.dumps({**row, "run_name": "llama"}) + "\n" for row in rows)

        def looks(n, name, text):
            """Whether to stop: each comes after so many steps of the connection that joins sources."""
            sacct = SACCT + "".join(job(5101 + i, i, i + 300) for i in range(n))
            path, seen = self.folder_of({"sacct.psv": sacct, **{name % i: text(i) for i in range(n)}}), []
            self.db.set_progress_handler(lambda: seen.append(1) and 0, 1)
            self.rows("SELECT sum(chip_us) FROM trace_rollup(?)", path)
            self.db.set_progress_handler(None, 0)
            return len(seen)

        few, more, many = (looks(n, "runs/x%03d.jsonl", run) for n in (50, 100, 200))
        self.assertLess(many - more, 2.5 * (more - few))

    def test_a_job_that_waits_again_held_nothing_meanwhile(self):
        """So it did not run at once with another of its name: PBS, whose logs say when it was put back."""

        def record(at, letter, number, more=""):
            start = (
                ""
                if letter == "Q"
                else f"start={T + at} exec_host=n1/0*8 exec_vnode=(n1:ngpus=8:ncpus=8) Resource_List.ngpus=8 Resource_List.nodect=1"
            )
            return f"11/01/2026 00:{at // 60:02}:00;{letter};{number}.pod;user=ann jobname=llama queue=q ctime={T} qtime={T} etime={T} {start} {more}\n"

        pbs = (
            record(60, "S", 77)
            + record(600, "R", 77, f"end={T + 600} Exit_status=-11")
            + record(1200, "S", 78)
            + record(2400, "E", 78, f"end={T + 2400} Exit_status=0")
        )
        for start, wanted in ((60, "77.pod"), (1260, "78.pod")):
            path = self.folder_of({"20261101": pbs, "llama.out": megatron(start, 1, 50)})
            self.assertEqual([(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))


if __name__ == "__main__":
    unittest.main()
