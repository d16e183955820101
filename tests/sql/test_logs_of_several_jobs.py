"""One log of several jobs, and logs that only a host, a stream or a folder of a user tells apart: which job each line is of."""

import json
import os
import pathlib
import re
import unittest

from fleets import ROOT
from job_logs import Logs, SACCT, T, clock, job, maxtext, megatron, pod


class LogsOfSeveralJobs(Logs):
    """A file to which each job adds, as with sbatch --open-mode=append: its runs are of the jobs that its own lines name."""

    NAMES = ("llama", "gpt", "bert")

    def jobs(self, *times):
        return SACCT + "".join(job(5101 + i, *times[i], name=name) for i, name in enumerate(self.NAMES))

    def runs(self, head, starts, log=megatron):
        return "".join(head.format(5101 + i) + log(start, 1, 100, saves=(100,)) for i, start in enumerate(starts))

    def test_each_run_names_its_job(self):
        """In what Slurm or a script prints; at once with the next, if its own lines come in that order."""
        for head in (
            "SLURM_JOB_ID={}\n",
            "srun: job {0} queued and waiting for resources\nsrun: job {0} has been allocated resources\n",
            "Job ID: {}\n",
            "JobID {}\n",
            "SLURM_JOBID {} on n1\n",
            "NCCL INFO x\n" * 6000 + "=== job_id={} ===\n",
        ):
            for times in (((0, 1200), (1300, 2600), (2700, 4000)), ((0, 1400), (1300, 2800), (2700, 4000))):
                with self.subTest(head=head[-60:], times=times):
                    path = self.folder_of(
                        {"sacct.psv": self.jobs(*times), "train.log": self.runs(head, (60, 1360, 2760))}
                    )
                    self.assertEqual([(str(5101 + i), 1, 8000, None) for i in range(3)], self.seconds(path))
                    self.assertEqual(
                        [],
                        self.rows(
                            "SELECT kind FROM mpg_issues WHERE kind IN ('span_without_allocation', 'unmatched_log', 'ambiguous_job') AND instr(source, ?)",
                            path,
                        ),
                    )
        self.assertEqual(
            [("unmatched_lines", 6000 * 3 + 3)],
            self.rows("SELECT kind, count FROM mpg_issues WHERE instr(source, ?) AND source GLOB '*.log'", path),
        )

    def test_at_once_in_no_order(self):
        """Two ids and one run, or another order: the log is of the first that it names, as before."""
        for text in (
            "SLURM_JOB_ID=5101\nSLURM_JOB_ID=5102\n" + megatron(60, 1, 100),
            self.runs("SLURM_JOB_ID={}\n", (1360, 60)),
        ):
            path = self.folder_of({"sacct.psv": self.jobs((0, 3000), (1300, 2400), (4000, 5000)), "train.log": text})
            self.assertEqual([("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))

    def test_runs_that_reached_their_end(self):
        """Which are jobs of their own while no scheduler tells of others."""

        def log(start, first, last, saves):
            return maxtext(
                first - 1,
                last - 1,
                saves=(99,),
                prefix=lambda seconds: f"I1101 {clock(start + seconds)[11:]}.000000 1 max_logging.py:36] ",
            ).replace("steps: 1000", "steps: 100")

        for head, sacct in (
            ("SLURM_JOB_ID={}\n", self.jobs((0, 1200), (1300, 2600), (2700, 4000))),
            ("", SACCT + "".join(job(5101 + i, 1300 * i, 1300 * i + 1200) for i in range(3))),
        ):
            path = self.folder_of({"sacct.psv": sacct, "llama.log": self.runs(head, (60, 1360, 2760), log)})
            self.assertEqual([(str(5101 + i), 1, 8000, None) for i in range(3)], self.seconds(path))

    def test_tasks_of_an_array(self):
        """Which name the array's id and their number."""
        array = SACCT + "".join(
            job(f"5100_{task}", 1300 * task, 1300 * task + 1200, name=f"x{task}", raw=5101 + task) for task in range(3)
        )
        for head in (
            "SLURM_ARRAY_JOB_ID=5100\nSLURM_ARRAY_TASK_ID={}\n",
            "SLURM_ARRAY_TASK_ID={}\nSLURM_ARRAY_JOB_ID=5100\n",
        ):
            path = self.folder_of(
                {
                    "sacct.psv": array,
                    "train.log": "".join(
                        head.format(task) + megatron(60 + 1300 * task, 1, 100, saves=(100,)) for task in range(3)
                    ),
                }
            )
            self.assertEqual([(str(5101 + i), 1, 8000, None) for i in range(3)], self.seconds(path))

    def test_pods(self):
        """That each line names, or the first lines of each run; of jobs that ran at once the log is of none."""

        def prefixed(name, text):
            return "".join(f"[pod/{name}/c] {line}\n" for line in text.splitlines())

        for later in (700, 300):
            pods = {
                "apiVersion": "v1",
                "kind": "List",
                "items": [pod("a-7x2kf", 0, 600, job="a"), pod("b-9zz8p", later, 1800, job="b", node="n2")],
            }
            for how in (prefixed, lambda name, text: f"POD_NAME={name}\n" + text):
                path = self.folder_of(
                    {
                        "list.json": pods,
                        "all.log": how("a-7x2kf", megatron(60, 1, 40, saves=(40,)))
                        + how("b-9zz8p", megatron(760, 1, 60, saves=(60,))),
                    }
                )
                self.assertEqual([("ml/a", 1, 3200, None), ("ml/b", 1, 4800, None)], self.seconds(path))
        both = (
            prefixed(name, megatron(310 + i, 1, 20 + i)).splitlines(True)
            for i, name in enumerate(("a-7x2kf", "b-9zz8p"))
        )
        path = self.folder_of({"list.json": pods, "all.log": "".join(line for pair in zip(*both) for line in pair)})
        self.assertEqual([(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))
        self.seconds(path)
        self.assertEqual(
            [("its name fits more than one job: ml/a,ml/b",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path),
        )

    def test_without_a_clock(self):
        """Each run begins with the job that it names; if they are not as many, the log is of the first, and that is listed."""

        def listed(path):
            return self.rows("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path)

        fleet = self.jobs((0, 1200), (1300, 2600), (2700, 4000))
        for head in ("SLURM_JOB_ID={}\n", "Job ID: {}\n"):
            for runs in (
                [maxtext(0, 99, saves=(99,))] * 3,
                [maxtext(50 * i, 50 * i + 49, load=50 * i - 1 if i else None, saves=(50 * i + 49,)) for i in range(3)],
            ):
                path = self.folder_of(
                    {
                        "sacct.psv": fleet,
                        "train.log": "".join(head.format(5101 + i) + run for i, run in enumerate(runs)),
                    }
                )
                self.assertEqual(
                    [(str(5101 + i), 1, 80 * runs[0].count("completed step"), None) for i in range(3)],
                    self.seconds(path),
                )
                self.assertEqual([], listed(path))
            path = self.folder_of(
                {
                    "sacct.psv": fleet,
                    "train.log": head.format(5101)
                    + maxtext(0, 49)
                    + maxtext(20, 59, load=19)
                    + head.format(5102)
                    + maxtext(60, 99, load=59, saves=(99,)),
                }
            )
            self.seconds(path)
            self.assertEqual(
                [
                    (
                        "names 2 jobs, first 5101, which do not come one to a run, and its lines have no clock: all of it counts as of that one",
                    )
                ],
                listed(path),
            )

    def test_cut_into_parts(self):
        """Wherever that was: a part without an id is of a job that another part names, by its time."""
        lines = self.runs("SLURM_JOB_ID={}\n", (60, 1360, 2760)).splitlines(True)
        for cuts in ((80,), (104,), (150,), (80, 150), (150, 190), (104, 160, 208)):
            with self.subTest(cuts=cuts):
                edges = (0, *cuts, len(lines))
                parts = {
                    "train.log"
                    + (f".{len(cuts) - i}" if i < len(cuts) else ""): "".join(lines[edges[i] : edges[i + 1]])
                    for i in range(len(edges) - 1)
                }
                path = self.folder_of({"sacct.psv": self.jobs((0, 1200), (1300, 2600), (2700, 4000)), **parts})
                self.assertEqual([(str(5101 + i), 1, 8000, None) for i in range(3)], self.seconds(path))

    def test_as_people_and_launchers_write_ids(self):
        for line, wanted in (
            ("=== Running in job 5102 ===", "5102"),
            ("Job 5102 started at Sun Nov 1", "5102"),
            ("slurm job #5102", "5102"),
            ("  run_id           : 5102", "5102"),
            ("torchrun --rdzv-id=5102 --nnodes=2", "5102"),
            ("INFO: job_id: 5102, rank: 0", "5102"),
            ("SLURM_JOB_ID is 5102", "5102"),
            ("requeing job 5102...", "5102"),
            ("Submitted batch job 5102", None),
            ("Resuming job 5102", None),
            ("MASTER_PORT=5102", None),
            ("run_id 51020", None),
        ):
            with self.subTest(line):
                path = self.folder_of(
                    {
                        "sacct.psv": self.jobs((0, 1200), (0, 1200), (0, 1200)),
                        "train.log": line + "\n" + megatron(60, 1, 100),
                    }
                )
                self.assertEqual(
                    [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )

    def test_another_id_that_comes_first(self):
        """As of the job that this one goes on from, which was over then: the next id, or that in the file's name, is the one."""
        for name, text in (
            ("train.log", "previous SLURM_JOB_ID=5101\nSLURM_JOB_ID=5102\n"),
            ("slurm-5102.out", "previous SLURM_JOB_ID=5101\n"),
            ("5102/train.log", "SLURM_JOB_ID=5101\n"),
        ):
            path = self.folder_of(
                {
                    "sacct.psv": self.jobs((0, 1200), (1300, 2600), (1300, 2600)),
                    name: text + megatron(1360, 1, 100, saves=(100,)),
                }
            )
            self.assertEqual(
                [("5101", 1, None, None), ("5102", 1, 8000, None), ("5103", 1, None, None)], self.seconds(path), name
            )
            path = self.folder_of(
                {
                    "sacct.psv": self.jobs((0, 1200), (0, 1200), (0, 1200)),
                    name: text + megatron(60, 1, 100, saves=(100,)),
                }
            )  # the text's first, as before
            self.assertEqual([("5101", 1, 8000, None)], [row for row in self.seconds(path) if row[2]], name)

    def test_what_is_said_far_behind(self):
        """By the line that Slurm adds when it ends a job."""
        log = (
            megatron(60, 1, 100)
            + "NCCL INFO x\n" * 9000
            + "slurmstepd: error: *** JOB 5102 ON n1 CANCELLED AT 2026-11-01T00:20:00 DUE TO TIME LIMIT ***\n"
        )
        path = self.folder_of({"sacct.psv": self.jobs((0, 1200), (0, 1200), (0, 1200)), "train.log": log})
        self.assertEqual(
            [("5102", "by its own text")],
            self.rows(
                "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'", path
            ),
        )


class Users(Logs):
    """Jobs of one name that ran at once are of several users, or accounts: the log is of the job of the one whose folder it lies in, or who is in its name."""

    def test_whose_folder_it_is(self):
        def owned(number, start, end, user, account="nlp"):
            return job(number, start, end).replace("|ann|nlp|", f"|{user}|{account}|")

        fleet = (
            SACCT
            + owned(5101, 0, 1200, "alice")
            + owned(5102, 0, 1200, "bob", "vision")
            + owned(5103, 1300, 2500, "bob", "vision")
            + owned(5104, 1300, 2500, "alice")
        )
        for name, start, wanted in (
            ("alice/llama.out", 60, "5101"),
            ("bob/llama.out", 1360, "5103"),
            ("home/bob/exp/logs/a/llama.out", 60, "5102"),
            ("llama_alice.log", 60, "5101"),
            ("vision/llama.log", 60, "5102"),
            ("bob/llama/train.log", 1360, "5103"),
            ("carol/llama.out", 60, None),
        ):
            for folder in ("", "alice/"):  # the one who collected them
                with self.subTest(name=name, folder=folder):
                    path = self.folder_of({folder + "sacct.psv": fleet, folder + name: megatron(start, 1, 100)})
                    self.assertEqual(
                        [(None if folder and name == "alice/llama.out" else wanted,)],
                        self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path),
                    )
        path = self.folder_of(
            {
                "sacct.psv": fleet,
                "alice/llama.out": megatron(60, 1, 100, saves=(100,)) + megatron(1360, 1, 80, saves=(80,)),
                "bob/llama.out": megatron(60, 1, 90, saves=(90,)),
            }
        )
        self.assertEqual(
            [("5101", 1, 8000, None), ("5102", 1, 7200, None), ("5103", 1, None, None), ("5104", 1, 6400, None)],
            self.seconds(path),
        )

    def test_a_folder_that_tells_nothing_else(self):
        """A log in it is of the one job of its user's that has no log, held as many chips and ran from its first line to its last."""

        def owned(number, start, end, user, gpus=8):
            return job(number, start, end, name=f"x{number}", gpus=gpus).replace("|ann|", f"|{user}|")

        fleet = (
            SACCT
            + owned(5101, 0, 1200, "alice")
            + owned(5102, 0, 1200, "bob")
            + owned(5103, 1300, 2500, "bob")
            + owned(5104, 0, 1200, "alice", 4)
        )
        log = megatron(60, 1, 100)
        for files, wanted in (
            ({"alice/a.log": log}, ["5101"]),
            ({"home/bob/exp/a.log": megatron(1360, 1, 100)}, ["5103"]),
            ({"alice/rank0.log": log, "alice/rank1.log": megatron(61, 1, 100)}, ["5101", "5101"]),
            ({"alice/a.log": megatron(60, 1, 100, world=4)}, ["5104"]),
            ({"alice/a.log": megatron(60, 1, 100, world=16)}, [None]),
            ({"alice/a.log": megatron(1060, 1, 100)}, [None]),
            ({"bob/a.log": log + megatron(1360, 1, 100)}, [None]),
            ({"alice/a/x.log": log, "alice/b/x.log": megatron(61, 1, 100)}, [None, None]),
            ({"alice/a.log": log, "slurm-5101.out": megatron(62, 1, 99)}, [None, "5101"]),
            ({"carol/a.log": log}, [None]),
        ):
            with self.subTest(files=list(files), wanted=wanted):
                path = self.folder_of({"sacct.psv": fleet, **files})
                self.assertEqual(
                    [(one,) for one in wanted],
                    self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron' ORDER BY file", path),
                )
                self.seconds(path)
                self.assertEqual(
                    [(wanted.count(None),)] if None in wanted else [],
                    self.rows("SELECT count FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)", path),
                )
        self.assertEqual(
            [(None,)],
            self.rows(
                "SELECT job FROM trace_sources(?) WHERE format = 'megatron'",
                self.folder_of({"alice/sacct.psv": fleet, "alice/a.log": log}),
            ),
        )  # who collected them
        path = self.folder_of({"sacct.psv": fleet + owned(5105, 0, 1200, "alice"), "alice/a.log": log})
        self.assertEqual([(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))
        self.assertEqual(
            [("its name fits more than one job: 5101,5105",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path),
        )


class Hosts(Logs):
    """A file that is named after a host alone is of the job that held it then; if several did at once, of none."""

    def jobs(self, files, name="megatron"):
        return self.rows("SELECT job FROM trace_sources(?) WHERE format = ? ORDER BY file", self.folder_of(files), name)

    def sacct(self, *rows):
        return SACCT + "".join(
            job(number, start, end, name=f"x{number}").replace("|n1\n", f"|{nodes}\n")
            for number, start, end, nodes in rows
        )

    def test_names(self):
        fleet = self.sacct((5101, 0, 1200, "gpu-[012-013]"), (5102, 0, 1200, "gpu-014"), (5103, 1300, 2600, "gpu-012"))
        for name in (
            "gpu-012.log",
            "train-gpu-013.log",
            "logs/gpu-012/rank0.log",
            "gpu-012.pod.site.log",
            "run_gpu-013_0.out",
            "logs/gpu-013.out",
        ):
            with self.subTest(name):
                self.assertEqual([("5101",)], self.jobs({"sacct.psv": fleet, name: megatron(60, 1, 100)}))
        self.assertEqual(
            [("5101",)],
            self.jobs({"sacct.psv": fleet, "run.log": "HOSTNAME=gpu-013.pod.site\n" + megatron(60, 1, 100)}),
        )
        self.assertEqual([(None,)], self.jobs({"sacct.psv": fleet, "gpu-015.log": megatron(60, 1, 100)}))
        self.assertEqual([("5103",)], self.jobs({"sacct.psv": fleet, "gpu-014/5103.log": megatron(60, 1, 100)}))

    def test_one_after_the_other_and_at_once(self):
        path = self.folder_of(
            {
                "sacct.psv": self.sacct((5101, 0, 1200, "n[1-2]"), (5102, 0, 1200, "n3"), (5103, 1300, 2600, "n1")),
                "n1.log": megatron(60, 1, 100, saves=(100,)) + megatron(1360, 1, 90, saves=(90,)),
                "n3.log": megatron(60, 1, 80, saves=(80,)),
            }
        )
        self.assertEqual(
            [("5101", 1, 8000, None), ("5102", 1, 6400, None), ("5103", 1, 7200, None)], self.seconds(path)
        )
        shared = {
            "sacct.psv": self.sacct((5101, 0, 1200, "n1"), (5102, 600, 1200, "n1"), (5103, 1300, 2600, "n1")),
            "n1.log": megatron(60, 1, 100),
        }
        self.assertEqual([(None,)], self.jobs(shared))
        self.assertEqual(
            [("its name fits more than one job: 5101,5102",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND source GLOB '*n1.log'"),
        )
        self.assertEqual([("5101",)], self.jobs({**shared, "n1.log": megatron(60, 1, 50)}))
        requeued = self.sacct((5101, 0, 500, "n1")).replace("COMPLETED", "NODE_FAIL") + self.sacct(
            (5101, 600, 2000, "n2"), (5102, 550, 2000, "n1")
        )[len(SACCT) :].replace(f"|{T}|", f"|{T + 510}|")
        self.assertEqual(
            [("5102",), ("5101",)],
            self.jobs({"sacct.psv": requeued, "n1.log": megatron(660, 1, 100), "n2.log": megatron(661, 1, 99)}),
        )

    def test_other_schedulers(self):
        """By the nodes of pods, and what PBS, LSF, Grid Engine, HTCondor and Flux say of hosts."""
        pods = {
            "apiVersion": "v1",
            "kind": "List",
            "items": [
                pod("a-0", 0, 1200, job="a", node="ip-10-0-0-1.ec2.internal"),
                pod("b-0", 0, 1200, job="b", node="ip-10-0-0-2.ec2.internal"),
            ],
        }
        for name in ("ip-10-0-0-2.log", "ip-10-0-0-2.ec2.internal.log", "train-ip-10-0-0-2.out"):
            self.assertEqual([("ml/b",)], self.jobs({"list.json": pods, name: megatron(60, 1, 50)}))
        log = megatron(120, 1, 50).replace("2026-11-01 00", "2025-03-31 17")
        for scheduler, name, host, wanted in (
            ("pbs", "accounting.log", "n3", "102.pod"),
            ("lsf", "lsb.acct", "n3", "102"),
            ("sge", "accounting", "n2", "102"),
            ("condor", "history.json", "n2", "102.0"),
            ("flux", "jobs.json", "n1", "102"),
        ):
            with self.subTest(scheduler):
                text = pathlib.Path(ROOT, "fixtures", scheduler, name).read_text(encoding="utf-8")
                if scheduler == "flux":
                    text = text.replace('"n[1-2]"', '"n[2-3]"')
                elif scheduler == "condor":
                    text = json.dumps(
                        [
                            {**ad, "LastRemoteHost": "slot1_1@n2.pod.site"} if ad["ClusterId"] == 102 else ad
                            for ad in json.loads(text)
                        ]
                    )
                elif scheduler == "sge":
                    text = "\n".join(re.sub(r"^gpu.q:n1:(.*:102:)", r"gpu.q:n2:\1", line) for line in text.split("\n"))
                for log_name in (f"train-{host}.txt", f"{host}/out.txt"):  # the jobs are called train
                    self.assertEqual([(wanted,)], self.jobs({name: text, log_name: log}))

    def test_lists_of_hosts(self):
        """Flux writes those of a job as one text, with ranges of numbers, which may have zeros before them."""

        def listing(*nodes):
            return json.dumps(
                {
                    "jobs": [
                        {
                            "id": 101 + i,
                            "name": f"x{i}",
                            "urgency": 16,
                            "ntasks": 8,
                            "ngpus": 8,
                            "nnodes": 2,
                            "nodelist": text,
                            "state": "INACTIVE",
                            "result": "COMPLETED",
                            "t_submit": T,
                            "t_run": T,
                            "t_inactive": T + 1200,
                        }
                        for i, text in enumerate(nodes)
                    ]
                }
            )

        for nodes, found, other in (
            ("gpu[1-4,7]", ("gpu1", "gpu3", "gpu7"), ("gpu5", "gpu04", "gpu10", "gp1")),
            (
                "gpu[008-010,12-112],login1,big[3]",
                ("gpu008", "gpu010", "gpu12", "gpu100", "login1", "big3"),
                ("gpu8", "gpu011", "gpu113", "gpu0100"),
            ),
            ("n1[0-3].pod.site,n9", ("n12", "n9"), ("n1", "n2")),
            ("n1", ("n1",), ("n10",)),
            ("r[0-1]n[8-10],r[02]n[1]x,a", ("r0n8", "r1n10", "r02n1x", "a"), ("r0n7", "r2n8", "r1n010", "r02n1")),
            ("r[0-1,5]c[0-1]n[3].site,n[1-2]-ib", ("r0c1n3", "r5c0n3", "n2-ib"), ("r2c0n3", "r0c2n3", "n2", "n3-ib")),
            ("n[1-2", (), ("n1",)),
            ("r[0-1]n[1-2", (), ("r0n1",)),
            ("n[a-b]", (), ("n1",)),
        ):
            files = {f"{host}.log": megatron(60 + i, 1, 100 - i) for i, host in enumerate(found + other)}
            path = self.folder_of({"jobs.json": listing(nodes, "other[1-9]"), **files})
            self.assertEqual(
                {f"{host}.log": "101" if host in found else None for host in found + other},
                {
                    os.path.basename(file): job
                    for file, job in self.rows("SELECT file, job FROM trace_sources(?) WHERE format = 'megatron'", path)
                },
                nodes,
            )


class Streams(Logs):
    """What collects the lines of pods writes the pod beside each, which says of which job they are, in whatever file."""

    FORMS = {
        "kubectl logs --prefix": lambda pod, line, i: f"[pod/{pod}/train] {line}",
        "stern": lambda pod, line, i: f"{pod} train {line}",
        "gcloud logging read": lambda pod, line, i: json.dumps(
            {
                "insertId": str(i),
                "resource": {"labels": {"container_name": "train", "pod_name": pod}, "type": "k8s_container"},
                "textPayload": line,
                "timestamp": f"2026-11-01T00:{i // 60:02}:{i % 60:02}Z",
            }
        ),
        "fluent-bit": lambda pod, line, i: json.dumps(
            {
                "@timestamp": f"2026-11-01T00:{i // 60:02}:{i % 60:02}Z",
                "log": line + "\n",
                "kubernetes": {"pod_name": pod},
            }
        ),
        "logcli": lambda pod, line, i: f'2026-11-01T00:{i // 60:02}:{i % 60:02}Z {{app="train", pod="{pod}"}} {line}',
    }

    def job_of(self, form, *pods):
        lines = maxtext(0, 99, devices=16).splitlines()
        text = "".join(self.FORMS[form](pod, line, 60 + 2 * i) + "\n" for i, line in enumerate(lines) for pod in pods)
        items = [pod(name, 0, 1800, job=name[:-2], node=f"n{i}") for i, name in enumerate(("llm-0", "llm-1", "vit-0"))]
        return self.rows(
            "SELECT job FROM trace_sources(?) WHERE format = 'maxtext'",
            self.folder_of({"pods.json": {"apiVersion": "v1", "kind": "List", "items": items}, "all.log": text}),
        )

    def test_lines_name_their_pod(self):
        for form in self.FORMS:
            with self.subTest(form):
                self.assertEqual([("ml/vit",)], self.job_of(form, "vit-0"))
                self.assertEqual([("ml/llm",)], self.job_of(form, "llm-0", "llm-1"))
                self.assertEqual([(None,)], self.job_of(form, "other-0"))
                self.assertEqual([(None,)], self.job_of(form, "llm-0", "vit-0"))  # of several jobs

    # Pods of one job or of several, by their names alone.
    SEVERAL = (
        ("llm-7b-7x2kf", "vit-9zz8p"),
        ("llm-0", "vit-0"),
        ("a-0-x7b4t", "a-1-9zz8p", "b-0-2kf7x"),
        ("llm-worker-0", "llm-master-0", "vit-worker-0"),
        ("llm-6d4b75cb6d-7x2kf", "vit-6d4b75cb6d-9zz8p"),
    )
    ONE = (
        ("llm-7x2kf", "llm-9zz8p"),
        ("llm-0", "llm-1", "llm-12"),
        ("llm-workers-0-0-x7b4t", "llm-workers-1-0-9zz8p"),
        ("llm-master-0", "llm-worker-0"),
        ("llm-6d4b75cb6d-7x2kf", "llm-6d4b75cb6d-9zz8p"),
        ("llm-head-7x2kf", "llm-gpu-worker-9zz8p"),
        ("pre-training", "data-parallel"),
    )

    def said(self, form, pods, **files):
        """What is listed of a log to which these pods print at once, without any other file that knows them."""
        lines = [line for line in megatron(60, 1, 20, saves=(20,)).splitlines()]
        text = "".join(self.FORMS[form](pod, line, 60 + 2 * i) + "\n" for i, line in enumerate(lines) for pod in pods)
        path = self.folder_of({"all.log": text, **files})
        self.rows("SELECT count(*) FROM trace_ledger(?)", path)
        return self.rows(
            "SELECT severity, detail FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path
        )

    def test_pods_of_several_jobs_that_nothing_knows(self):
        """They count as one log, and that is listed; alone or beside jobs of other names."""
        beside = {"sacct.psv": SACCT + job(5101, 0, 1200)}
        for form in self.FORMS:
            for pods in self.SEVERAL:
                for files in {}, beside:
                    with self.subTest(form=form, pods=pods, files=list(files)):
                        ((severity, detail),) = self.said(form, pods, **files)
                        self.assertEqual("warning", severity)
                        self.assertIn(f"the pods {pods[0]} and {pods[-1]}", detail)
            for pods in self.ONE:
                with self.subTest(form=form, pods=pods):
                    self.assertEqual([], self.said(form, pods))


if __name__ == "__main__":
    unittest.main()
