"""Logs of trainers beside a scheduler: which attempt of which job each line is of, and what one trainer after the other did."""

import contextlib
import gzip
import json
import os
import pathlib
import re
import sqlite3
import unittest

import tfevents
from cases import Case
from fleets import ROOT, connect

T = 1793491200  # 2026-11-01 00:00:00 UTC
SACCT = "JobIDRaw|JobID|JobName|Cluster|User|Account|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
PRODUCTIVE = ("ideal", "inefficiency", "unrated")


def clock(time):
    return f"2026-11-01 {time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}"


def job(number, start, end, state="COMPLETED", name="llama", raw=None, gpus=8, submit=0, cluster="pod"):
    """A row of sacct; times are seconds since T."""
    tres = f"cpu=8,gres/gpu={gpus}"
    return (
        "|".join(
            str(value)
            for value in (
                raw or number,
                number,
                name,
                cluster,
                "ann",
                "nlp",
                state,
                T + submit,
                T + start,
                T + end,
                tres,
                tres,
                "n1",
            )
        )
        + "\n"
    )


def megatron(start, first, last, total=100, world=8, saves=(), load=None, seconds=10):
    """Steps that begin at `start`, seconds since T."""
    lines = [f"using world size: {world}, data-parallel size: {world}"]
    if load:
        lines.append(f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {load}")
    lines.append(f"[before the start of training step] datetime: {clock(start)} ")
    for step in range(first, last + 1):
        start += seconds
        lines.append(
            f" [{clock(start)}.000000] iteration {step:8}/{total:8} | consumed samples: 1 | elapsed time per iteration (ms): {seconds * 1000}.0 | lm loss: 8.0E+00 |"
        )
        if step in saves:
            lines.append(f"  successfully saved checkpoint from iteration {step:7} to /ckpt [ t 1/1, p 1/1 ]")
    return "\n".join(lines) + "\n"


def torchtitan(start, first, last, saves=(), load=None, done=False):
    lines = []

    def line(text):
        lines.append(f"[titan] {clock(start)},000 - root - INFO - {text}")

    for text in (
        "Starting job: toy 1B",
        "Building 1-D device mesh with ['dp_shard'], [8]",
        "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.18GiB memory",
    ):
        line(text)
    if load:
        line(f"Loading the checkpoint from ./outputs/checkpoint/step-{load}.")
        line("Finished loading the checkpoint in 0.00 seconds.")
    line(f"Training starts at step {first}.")
    for step in range(first, last + 1):
        start += 10
        line(
            f"step: {step:2}  loss: 12.2431  grad_norm:  1.2040  memory: 45.23GiB(57.12%)  tps: 546  tflops: 400.00  mfu: 40.35%"
        )
        if step in saves:
            line("Finished saving the checkpoint (or staging if async is enabled)in 0.00 seconds.")
    if done:
        line("Training completed")
    return "\n".join(lines) + "\n"


def maxtext(first, last, load=None, saves=(), prefix=lambda seconds: "", start=0, devices=8):
    """Steps of ten seconds, in lines that have no clock unless `prefix` gives them one."""
    lines = ["Config param steps: 1000", f"Num_devices: {devices}, shape (1, 1, {devices}, 1)"]
    lines += [f"restoring from this run's directory step {load}"] * (load is not None)
    lines = [prefix(start) + line for line in lines]
    for step in range(first, last + 1):
        start += 10
        lines.append(
            prefix(start)
            + f"completed step: {step}, seconds: 10.000, TFLOP/s/device: 125.000, Tokens/s/device: 8192.000, total_weights: 65536, loss: 9.0"
        )
        if step in saves:
            lines.append(prefix(start) + f"Saved a checkpoint at step {step}.")
    return "\n".join(lines) + "\n"


def pod(name, start, end, code=0, job="trainer", node="n1"):
    """A pod of 8 GPUs that ended; times are minutes of the first hour, in seconds."""
    at = {key: f"2026-11-01T00:{value // 60:02}:00Z" for key, value in (("start", start), ("end", end))}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": "u-" + name,
            "labels": {"batch.kubernetes.io/job-name": job},
            "creationTimestamp": at["start"],
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "j-" + job, "controller": True}
            ],
        },
        "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
        "status": {
            "phase": "Failed" if code else "Succeeded",
            "startTime": at["start"],
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at["start"]}],
            "containerStatuses": [
                {
                    "name": "c",
                    "state": {"terminated": {"exitCode": code, "startedAt": at["start"], "finishedAt": at["end"]}},
                }
            ],
        },
    }


class Logs(Case):
    def seconds(self, path, by="job, attempt"):
        """Chip-seconds of what came of steps, and those lost, by job and attempt."""
        return self.rows(
            f"SELECT {by}, sum(chip_us) FILTER (WHERE category IN {PRODUCTIVE}) / 1000000, sum(chip_us) FILTER (WHERE category = 'lost') / 1000000 "
            "FROM trace_rollup(?) WHERE attempt IS NOT NULL GROUP BY 1, 2",
            path,
        )

    def of_one_job(self, files, **options):
        """The path of a fleet file of a folder with these files, all of which the option `job` says to be of x."""
        folder = self.folder_of(files)
        return json.dumps({"sources": [{"path": os.path.join(folder, "*.log"), "job": "x", **options}]})


class OneTrainerAfterTheOther(Logs):
    """Which log's numbers go on is the trainers' to say, whatever their formats."""

    def test_a_run_of_another_trainer_undoes_none_that_reached_its_end(self):
        first, second = megatron(0, 1, 100, saves=(100,)), torchtitan(1200, 1, 50, saves=(50,), done=True)
        for files in ({"pretrain.log": first, "sft.log": second}, {"z.log": first, "a.log": second}):
            path = self.folder_of(
                {"sacct.psv": SACCT + job(5101, 0, 2000), **{f"5101/{name}": text for name, text in files.items()}}
            )
            self.assertEqual([("5101", 1, 8 * 1500, None)], self.seconds(path))
            self.assertEqual([("x", 1, 8 * 1000, None), ("x", 2, 8 * 500, None)], self.seconds(self.of_one_job(files)))

    def test_a_run_that_was_cut_off(self):
        """What the other trainer repeats is lost, as it would be in one log; and the first holds its chips no longer."""
        files = {
            "a.log": megatron(0, 1, 60, saves=(50,)),
            "b.log": torchtitan(1200, 51, 100, load=50, saves=(100,), done=True),
        }
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 2000), **{f"5101/{name}": text for name, text in files.items()}}
        )
        self.assertEqual([("5101", 1, 8 * 1000, 8 * 100)], self.seconds(path))
        path = self.of_one_job(files)
        self.assertEqual([("x", 1, 8 * 500, 8 * 100), ("x", 2, 8 * 500, None)], self.seconds(path))
        self.assertEqual(
            [],
            self.rows("SELECT category FROM trace_rollup(?) WHERE category IN ('partial', 'unknown') GROUP BY 1", path),
        )


class OneRunOfTwoLogs(Logs):
    def test_a_last_step_that_lasts_until_the_end(self):
        """As in a goodput log, where a step lasts until the next: it is no step done again because another log has its end; but one that goes further is."""

        def goodput(first, last, end):
            entries = [
                {"job_start_time": T + 60},
                *({"step_count": step, "step_start_time": T + 80 + 10 * step} for step in range(first, last + 1)),
                {"job_end_time": T + end},
            ]
            return "".join(json.dumps({"job_name": "llama", **entry}) + "\n" for entry in entries)

        log = maxtext(0, 99, prefix=lambda seconds: f"I1101 {clock(80 + seconds)[11:]}.000000 1 max_logging.py:36] ")
        for last, end, wanted in (
            (99, 1180, 8 * 1000),
            (99, 1090, 8 * 1000),
            (89, 1180, 8 * 1000),
            (101, 1180, 8 * 1100),
        ):
            path = self.folder_of(
                {"sacct.psv": SACCT + job(5101, 0, 1200), "goodput.jsonl": goodput(0, last, end), "llama.log": log}
            )
            self.assertEqual([("5101", 1, wanted, None)], self.seconds(path), (last, end))
            self.assertEqual(
                [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'concurrent_steps' AND source = ?", path)
            )

    def test_a_log_of_several_jobs(self):
        """What a tracker or another log tells of one of them is told twice, though their clocks differ."""

        def tracker(start, first, last):
            return "_step,_timestamp,train/loss\n" + "".join(
                f"{step},{T + start + 10 * (step - first + 1)},2.0\n" for step in range(first, last + 1)
            )

        files = {
            "sacct.psv": SACCT + job(5101, 0, 500, "FAILED") + job(5102, 600, 1800),
            "llama.log": megatron(20, 1, 40, saves=(30,)) + megatron(620, 31, 100, saves=(100,), load=30),
        }
        for more in (
            {},
            {"5101/wandb.csv": tracker(22, 1, 40), "5102/wandb.csv": tracker(623, 31, 100)},
            {
                "slurm-5101.out": megatron(21, 1, 40, saves=(30,)),
                "slurm-5102.out": megatron(621, 31, 100, saves=(100,), load=30),
            },
        ):
            path = self.folder_of({**files, **more})
            self.assertEqual(
                [("5101", 1, 8 * 300, 8 * 100), ("5102", 1, 8 * 700, None)], self.seconds(path), more.keys()
            )
            self.assertEqual(
                110 if more else None,
                self.one("SELECT sum(count) FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)", path),
            )

    def test_a_restore_that_another_log_tells_later(self):
        """By its clock, or because it tells that only then: the step that its run does meanwhile goes on from it, and is not undone by it."""

        def ranks(log, *starts):
            return {f"5101/rank{rank}.log": log(start) for rank, start in enumerate(starts)}

        tracker = "_step,_timestamp,train/loss\n" + "".join(
            f"{step},{T + 620 + 10 * (step - 30)},2.0\n" for step in range(31, 101)
        )
        for late in (-25, -4, 1, 4, 25):
            for files in (
                ranks(lambda start: megatron(start, 31, 100, saves=(100,), load=30), 620, 620 + late),
                ranks(lambda start: torchtitan(start, 31, 100, saves=(100,), load=30, done=True), 620, 620 + late),
                {"5101/a.csv": tracker, "5101/b.log": megatron(620 + late, 31, 60, load=30)},
            ):
                with self.subTest(late=late, files=files.keys()):
                    self.assertEqual(
                        [("5101", 1, 8 * 700, None)],
                        self.seconds(self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1800), **files})),
                    )
        again = ranks(
            lambda start: megatron(start, 1, 40, saves=(30,)) + megatron(start + 420, 31, 60, saves=(60,), load=30),
            20,
            24,
        )  # it began anew soon
        self.assertEqual(
            [("5101", 1, 8 * 600, 8 * 100)],
            self.seconds(self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1800), **again})),
        )

    def test_ranks_that_end_apart(self):
        """Without a scheduler: what their job holds until the last of them is installed until then."""
        files = {
            f"{name}{late}.log": megatron(start + late, *steps)
            for name, start, steps in (("a", 60, (1, 50, 100, 8, (30,))), ("b", 760, (31, 100, 100, 8, (100,), 30)))
            for late in (0, 3)
        }
        path = self.of_one_job(files)
        self.assertEqual([("x", 1, 8 * 300, 8 * 200), ("x", 2, 8 * 700, None)], self.seconds(path))
        self.assertEqual(
            [], self.rows("SELECT sum(chip_us) FROM trace_rollup(?) WHERE category = 'idle' GROUP BY pool", path)
        )
        self.assertEqual(
            [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'oversubscribed' AND source = ?", path)
        )


class StepsAcrossAttempts(Logs):
    """A tracker's step takes the time since the value before; over a requeue that is no step's."""

    @staticmethod
    def tracker(*parts):
        return "_step,_timestamp,train/loss\n" + "".join(
            f"{step},{T + start + 10 * (step - first + 1)},2.0\n"
            for start, first, last in parts
            for step in range(first, last + 1)
        )

    def test_a_requeue(self):
        """What W&B keeps of a run that was rewound: of the steps that were done again the second time alone. A log beside it tells both."""
        requeued = {
            "sacct.psv": SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 700, 1800, submit=610),
            "5101/wandb.csv": self.tracker((60, 1, 30), (760, 31, 100)),
        }
        path = self.folder_of(requeued)
        self.assertEqual([("5101", 1, 8 * 300, None), ("5101", 2, 8 * 700, None)], self.seconds(path))
        self.assertEqual(
            [(1, "first 31")],
            self.rows(
                "SELECT count, substr(detail, instr(detail, 'first'), 8) FROM mpg_issues WHERE kind = 'missing_steps' AND instr(source, ?)",
                path,
            ),
        )
        log = megatron(60, 1, 50, saves=(30,)) + megatron(760, 31, 100, saves=(100,), load=30)
        self.assertEqual(
            [("5101", 1, 8 * 300, 8 * 200), ("5101", 2, 8 * 700, None)],
            self.seconds(self.folder_of({**requeued, "5101/out.log": log})),
        )
        path = self.folder_of(
            {**requeued, "5101/wandb.csv": self.tracker((60, 1, 30), (695, 31, 100))}
        )  # no more than fits
        self.assertEqual([("5101", 1, 8 * 300, None), ("5101", 2, 8 * 695, None)], self.seconds(path))

    def test_jobs_one_after_the_other(self):
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5102, 700, 1800),
                "llama/wandb.csv": self.tracker((60, 1, 30), (760, 31, 100)),
            }
        )
        steps = f"category IN {PRODUCTIVE} OR cause = 'no_checkpoint_data'"  # of a job that failed
        self.assertEqual(
            [("5101", 8 * 300), ("5102", 8 * 700)],
            self.rows(f"SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE {steps} GROUP BY 1", path),
        )

    def test_an_attempt_that_goes_on(self):
        """A long step in it is one: a pause, perhaps; and pods that come and go at once do not part it."""
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1800), "5101/wandb.csv": self.tracker((60, 1, 30), (760, 31, 100))}
        )
        self.assertEqual([("5101", 1, 8 * (300 + 410 + 690), None)], self.seconds(path))
        self.assertEqual(
            [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'missing_steps' AND instr(source, ?)", path)
        )


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
            self.jobs({"sacct.psv": requeued, "n1.log": megatron(660, 1, 100), "n2.log": megatron(660, 1, 99)}),
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
            ("n[1-2", (), ("n1",)),
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


class ClocksApart(Logs):
    """A node's clock is some seconds behind or ahead of the scheduler's: of a step that reaches beyond its job, at either end, the part inside counts."""

    def listed(self, path):
        return self.rows(
            "SELECT kind, count FROM mpg_issues WHERE kind IN ('span_outside_allocation', 'span_without_allocation', 'missing_steps') AND instr(source, ?)",
            path,
        )

    def test_at_both_ends(self):
        otlp = [
            {
                "traceId": "1" * 32,
                "spanId": f"{i:016}",
                "name": "step",
                "startTimeUnixNano": str((T + 55 + 10 * i) * 10**9),
                "endTimeUnixNano": str((T + 65 + 10 * i) * 10**9),
                "attributes": [{"key": "mpg.step", "value": {"intValue": str(i)}}],
            }
            for i in range(100)
        ]
        otlp = {
            "resourceSpans": [
                {
                    "resource": {"attributes": [{"key": "mpg.job", "value": {"stringValue": "llama"}}]},
                    "scopeSpans": [{"spans": otlp}],
                }
            ]
        }
        for sacct in (job(5101, 60, 1200), job(5101, 0, 1050)):
            for files in (
                {"slurm-5101.out": megatron(55, 1, 100, saves=(100,))},
                {"llama.log": torchtitan(55, 1, 100, saves=(100,), done=True)},
                {"spans.jsonl": json.dumps(otlp) + "\n"},
            ):
                with self.subTest(files=files.keys(), sacct=sacct):
                    path = self.folder_of({"sacct.psv": SACCT + sacct, **files})
                    self.assertEqual([("5101", 1, 8 * 995, None)], self.seconds(path))
                    self.assertEqual([("span_outside_allocation", 1)], self.listed(path))

    def test_records_of_your_own(self):
        """Those that name no attempt are as logs are; those that do are of that."""

        def records(start, first, last, **more):
            return "".join(
                json.dumps(
                    {
                        "record": "span",
                        "job": "5101",
                        "kind": "step",
                        "start_time": T + start + 10 * i,
                        "end_time": T + start + 10 * i + 10,
                        "step": first + i,
                        **more,
                    }
                )
                + "\n"
                for i in range(last - first + 1)
            )

        requeued = SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 700, 1800, submit=610)
        for sacct, text, wanted in (
            (SACCT + job(5101, 60, 1200), records(55, 1, 100), [(1, 995)]),
            (SACCT + job(5101, 0, 1050), records(55, 1, 100), [(1, 995)]),
            (requeued, records(10, 1, 50) + records(695, 51, 100), [(1, 500), (2, 495)]),
            (requeued, records(10, 1, 59) + records(695, 60, 100, attempt=2), [(1, 590), (2, 405)]),
            (requeued, records(595, 1, 100, attempt=1), [(1, 5)]),
        ):
            with self.subTest(sacct=len(sacct), wanted=wanted):
                path = self.folder_of({"sacct.psv": sacct, "trace.jsonl": text})
                rows = self.rows(
                    f"SELECT attempt, sum(chip_us) / 8000000 FROM trace_rollup(?) WHERE category IN {PRODUCTIVE} OR cause = 'no_checkpoint_data' OR category = 'lost' GROUP BY 1",
                    path,
                )
                self.assertEqual(wanted, rows)
                self.assertEqual(
                    [],
                    self.rows("SELECT detail FROM mpg_issues WHERE kind = 'missing_steps' AND instr(source, ?)", path),
                )

    def test_of_its_work_too(self):
        """Its FLOPs are those of the part inside."""
        log = megatron(55, 1, 100, saves=(100,)).replace(
            "| lm loss", "| throughput per GPU (TFLOP/s/GPU): 400.0 | lm loss"
        )
        for sacct in (job(5101, 60, 1200), job(5101, 0, 1050)):
            path = self.folder_of({"sacct.psv": SACCT + sacct, "slurm-5101.out": log})
            option = json.dumps(
                {"sources": [{"path": path + "/sacct.psv", "chip": "nvidia-h100-sxm"}, {"path": path + "/*.out"}]}
            )
            self.assertAlmostEqual(
                8 * 995 * 400 / 989.5,
                self.one("SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE category = 'ideal'", option),
                delta=4,
            )

    def test_later_attempts_and_jobs(self):
        """As the first: and a restore just before the attempt is its own."""
        log = megatron(65, 1, 20, saves=(10,)) + megatron(395, 11, 100, load=10, saves=(100,))
        for sacct, wanted in (
            (
                job(5101, 60, 300, "NODE_FAIL") + job(5101, 400, 1500, submit=310),
                [("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 895, None)],
            ),
            (
                job(5101, 60, 300, "NODE_FAIL") + job(5102, 400, 1500, submit=310),
                [("5101", 1, 8 * 100, 8 * 100), ("5102", 1, 8 * 895, None)],
            ),
        ):
            path = self.folder_of({"sacct.psv": SACCT + sacct, "llama.log": log})
            self.assertEqual(wanted, self.seconds(path))
            self.assertEqual([("span_outside_allocation", 1)], self.listed(path))


class Names(Logs):
    """What the names of files and folders say of their job, as the options of sbatch, launchers and people make them."""

    def jobs(self, sacct, name, log=None, **options):
        """The jobs of logs in files whose name has `{}` for a number, and how they were found."""
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + sacct,
                **{name.format(i): log(i) if log else megatron(60 + i, 1, 100, world=4) for i in range(3)},
            }
        )
        path = json.dumps({"sources": [{"path": folder + "/sacct.psv"}, {"path": folder, **options}]})
        return [
            job
            for job, in self.rows(
                "SELECT job FROM trace_sources(?) WHERE format = 'megatron' ORDER BY first_time, file", path
            )
        ]

    def test_tasks_of_an_array(self):
        """Their jobs have one name; sbatch makes of %x_%a the name and the task's number. Of two arrays of one name it is that of the log's time."""

        def array(base, start):
            return "".join(
                job(f"{base}_{task}", start, start + 2400, name="sweep", raw=base + 1 + task, gpus=4)
                for task in range(3)
            )

        for name in (
            "sweep_{}.out",
            "sweep-{}.log",
            "sweep.{}.out",
            "sweep_0{}.out",
            "sweep/{}/train.log",
            "logs/sweep_{}/train.log",
        ):
            for more in ("", array(5200, 7200)):
                with self.subTest(name=name, arrays=1 + bool(more)):
                    self.assertEqual(["5101", "5102", "5103"], self.jobs(array(5100, 0) + more, name))
        self.assertEqual([None] * 3, self.jobs(array(5100, 0), "sweep_7{}.out"))
        self.assertEqual(
            [("5101,5102,5103",)],
            self.rows(
                "SELECT substr(detail, 34) FROM mpg_issues WHERE kind = 'ambiguous_job' AND source LIKE '%70.out'"
            ),
        )

    def test_ids_of_tasks_as_people_write_them(self):
        """With any sign between, padded, or a folder each. The array has the id of its last task, which may have ranks instead."""
        array = "".join(
            job(f"5100_{task}", 0, 2400, name="sweep", raw=raw, gpus=4) for task, raw in enumerate((5101, 5102, 5100))
        )
        for name in (
            "5100-{}.out",
            "slurm-5100.{}.out",
            "a_5100_00{}.log",
            "5100/{}/train.log",
            "5100/{}.log",
            "sweep-5100-{}/train.log",
            "5100_0{}_0_log.out",
        ):
            with self.subTest(name):
                self.assertEqual(["5101", "5102", "5100"], self.jobs(array, name))
        ranks = {
            f"{job}-{rank}.out": megatron(job - 5000 + rank, 1, 100, world=4)
            for job in (5100, 5101)
            for rank in range(2)
        }
        beyond = {f"5100/{rank}/out.log": megatron(60 + rank, 1, 100, world=4) for rank in range(4)}
        for files, wanted in ((ranks, {"5100", "5101"}), (beyond, {"5100"})):
            path = self.folder_of({"sacct.psv": SACCT + array, **files})
            self.assertEqual(
                {(name, name) for name in wanted},
                set(
                    self.rows(
                        "SELECT DISTINCT iif(instr(file, '5101-'), '5101', '5100'), job FROM trace_sources(?) WHERE format = 'megatron'",
                        path,
                    )
                ),
            )

    def test_as_each_scheduler_names_its_output(self):
        """LSF's arrays have their elements in their name, and %J[%I] is an id; Condor's $(Cluster) and $(Process) have any sign between; Flux writes ids with 58 letters: ƒuZZybuNNy is 6731191091817518."""
        fixtures = {
            name: pathlib.Path(ROOT, "fixtures", file).read_text(encoding="utf-8")
            for name, file in (("lsf", "lsf/lsb.acct"), ("condor", "condor/history.json"), ("flux", "flux/jobs.json"))
        }
        fixtures["flux"] = fixtures["flux"].replace('"id": 101,', '"id": 6731191091817518,')
        for scheduler, name, wanted in (
            ("lsf", "sweep.1.out", "103[1]"),
            ("lsf", "sweep_2.out", "103[2]"),
            ("lsf", "train.103[1].out", "103[1]"),
            ("condor", "job_103_1.log", "103.1"),
            ("condor", "out-103-0", "103.0"),
            ("condor", "job.101.log", "101.0"),
            ("flux", "flux-ƒuZZybuNNy.out", "6731191091817518"),
            ("flux", "flux-fuZZybuNNy.out", "6731191091817518"),
            ("flux", "flux-fuZZybuNNz.out", None),
            ("flux", "FLUX_JOB_ID=ƒuZZybuNNy", "6731191091817518"),
        ):
            with self.subTest(scheduler=scheduler, name=name):
                said = name + "\n" if "=" in name else ""
                path = self.folder_of(
                    {"export": fixtures[scheduler], "a.log" if said else name: said + megatron(60, 1, 20)}
                )
                self.assertEqual(
                    [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )

    def test_names_of_copies(self):
        """A link or a copy, wherever it lies and however it is packed, is the run that it was, by the name of any."""
        log, sacct = megatron(60, 1, 100), {"sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200)}
        for files, links in (
            ({"a.log": log, "slurm-5101.out": log}, {}),
            ({"a.log.gz": gzip.compress(log.encode()), "logs/slurm-5101.out": log}, {}),
            ({"slurm-5101.out": log}, {"latest.out": "slurm-5101.out"}),
            ({"runs/5101/out.log": log, "runs/5101/b.log": log, "all.log": log}, {}),
            ({"slurm-5101.out": log}, {"last/out.log": "../slurm-5101.out"}),
        ):
            path = self.folder_of({**sacct, **files})
            for link, target in links.items():
                os.makedirs(os.path.dirname(os.path.join(path, link)), exist_ok=True)
                os.symlink(target, os.path.join(path, link))
            with self.subTest(files=files.keys(), links=links):
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, None, None)], self.seconds(path))
                self.assertEqual(
                    [("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )
                self.assertEqual(
                    len(files) + len(links) - 1,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file' AND instr(source, ?) AND detail LIKE 'the same content as %'",
                        path,
                    ),
                )
        events = tfevents.begin(T + 60) + b"".join(
            tfevents.event(T + 60 + 10 * i, i, (5, [(1, tfevents.simple("loss", 8))])) for i in range(1, 101)
        )
        path = self.folder_of(
            {**sacct, "a/events.out.tfevents.1.h.5101.0": events, "b/events.out.tfevents.1.h.5101.0": events}
        )  # 5101 is a process
        self.assertEqual([(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'tfevents'", path))

    def test_letters_beyond_ascii(self):
        jobs = job(5101, 0, 3500, name="ünï cödé") + job(5102, 0, 3500, name="训练")
        for name, wanted in (
            ("ünï cödé.out", "5101"),
            ("a/ünï cödé/{}.log", "5101"),
            ("训练.log", None),
            ("训练5102.log", "5102"),
            ("ünï.log", None),
        ):  # a name of two letters is too short
            path = self.folder_of({"sacct.psv": SACCT + jobs, name.format(1): megatron(60, 1, 100)})
            self.assertEqual(
                [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path), name
            )

    def test_signs_at_the_ends_of_names(self):
        for name in ("llama 70b (v2)", "(llama)", "run=[7]", "llama[b]", "_llama_"):
            for file in ("{}.out", "{}/train.log", "{}"):
                path = self.folder_of(
                    {
                        "sacct.psv": SACCT + job(5101, 0, 3500, name=name) + job(5102, 0, 3500, name="llama 70b"),
                        file.format(name): megatron(60, 1, 100),
                    }
                )
                self.assertEqual(
                    [("5101",)],
                    self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path),
                    file.format(name),
                )

    def test_numbers_that_are_no_ids(self):
        """The year of a date, and what programs count, set, or are called by."""
        for name, wanted in (
            ("checkpoint-500/{}.log", None),
            ("out/step_500/{}.log", None),
            ("500/checkpoint-900/{}.log", "500"),
        ):
            with self.subTest(name):
                self.assertEqual([wanted] * 3, self.jobs(job(500, 0, 3500) + job(900, 0, 3500, name="gpt"), name))
        for name, wanted in (
            ("run_2026-11-01.{}.log", None),
            ("2026-11-01_00-00-00/{}/train.log", None),
            ("2026_11_01/a{}.log", None),
            ("2026/{}.log", "2026"),
            ("slurm-2026-{}.out", "2026"),
            ("2026-11-01/2026.{}.out", "2026"),
        ):
            with self.subTest(name):
                self.assertEqual([wanted] * 3, self.jobs(job(2026, 0, 3500), name))
        worker = f"worker-{'0123456789abcdef' * 3}01234567-01000000-900.out"
        for name in (
            "seed_900.out",
            "lr=1e-4-seed=900.out",
            "iter_0000900.out",
            "epoch-900/a.out",
            "pid.900.out",
            "port_900.out",
            "gbs900_gbs-900.out",
            "tokens_900.out",
            "global_step_900_x.out",
            "train.n1.ann.log.INFO.20261101-000100.900",
            worker,
        ):
            with self.subTest(name):
                fleet = job(500, 0, 3500) + job(900, 0, 3500, name="gpt").replace("|n1\n", "|n2\n")
                self.assertEqual(["500"] * 3, self.jobs(fleet, "500/{}/" + name))  # a folder says it
                self.assertEqual(
                    ["500"] * 3 if "n1" in name else [None] * 3, self.jobs(fleet, "{}/" + name)
                )  # it names the host of that
        for own, name in (
            ("seed", "seed_900.{}.out"),
            ("my-Rank", "my-Rank-900/{}.log"),
            ("tokens", "tokens_900_{}.out"),
            ("gpt", "gpu-900.{}.out"),
        ):  # of a job whose name ends so; as people call their output
            self.assertEqual(["900"] * 3, self.jobs(job(500, 0, 3500) + job(900, 0, 3500, name=own), name))
        for name in ("seed_900/{}.log", "{}-seed_900.out"):  # the name of a job
            self.assertEqual(
                ["500"] * 3, self.jobs(job(500, 0, 3500, name="seed_900") + job(900, 0, 3500, name="gpt"), name)
            )

    def test_what_the_scheduler_prints_itself(self):
        """srun, salloc and slurmstepd name the job in its output, and LSF writes a report above it."""
        for head, tail in (
            ("srun: job 5101 queued and waiting for resources\nsrun: job 5101 has been allocated resources\n", ""),
            ("salloc: Granted job allocation 5101\n", ""),
            ("", "slurmstepd: error: *** JOB 5101 ON n1 CANCELLED AT 2026-11-01T00:20:00 DUE TO TIME LIMIT ***\n"),
            ("", "slurmstepd: error: *** STEP 5101.0 ON n1 CANCELLED AT 2026-11-01T00:20:00 ***\n"),
            ("Submitted batch job 5102\n", ""),
        ):
            self.assertEqual(
                ["5101" if "5101" in head + tail else None] * 3,
                self.jobs(
                    job(5101, 0, 3500) + job(5102, 0, 3500),
                    "train{}.log",
                    lambda i: head + megatron(60 + i, 1, 100) + tail,
                ),
                head + tail,
            )
        lsf = pathlib.Path(ROOT, "fixtures", "lsf", "lsb.acct").read_text(encoding="utf-8")
        for number in ("101", "103[2]"):
            report = f"Sender: LSF System <lsfadmin@n1>\nSubject: Job {number}: <python train.py> in cluster <c> Done\n\nJob <python train.py> was submitted from host <login1> by user <ann>.\nThe output (if any) follows:\n\n"
            self.assertEqual(
                [(number,)],
                self.rows(
                    "SELECT job FROM trace_sources(?) WHERE format = 'megatron'",
                    self.folder_of({"lsb.acct": lsf, "train.log": report + megatron(60, 1, 9)}),
                ),
            )

    def test_what_weights_and_biases_keeps_of_a_run(self):
        """Its folder has the program's output, and the job of Slurm, by which neither is called, or the host."""
        folder = "wandb/run-20261101_000000-abc123/files/"
        meta = {
            "startedAt": "2026-11-01T00:00:00Z",
            "gpu_count": 8,
            "host": "n7",
            "slurm": {"cpus_on_node": "8", "job_id": "5101", "jobid": "5101"},
        }
        for text, wanted in (
            (meta, "5101"),
            ({**meta, "slurm": {}}, None),
            ({**meta, "host": "n2.pod.site", "slurm": {}}, "5102"),
        ):
            path = self.folder_of(
                {
                    "sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200, name="gpt").replace("|n1\n", "|n2\n"),
                    folder + "output.log": megatron(60, 1, 100),
                    folder + "wandb-metadata.json": text,
                    "other/output.log": megatron(60, 1, 90),
                }
            )
            self.assertEqual(
                [(None,), (wanted,)],
                self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron' ORDER BY file", path),
            )

    def test_ids_within_words_and_names_in_other_letters(self):
        """A word that says that a job's id follows, zeros before it, and a name in letters of another size."""
        for name in (
            "job5101_{}.log",
            "JobID5101/{}.log",
            "slurm5101_{}.out",
            "j5101.{}.log",
            "job_0005101_{}.log",
            "id5101/{}.txt",
            "LLAMA_{}.log",
            "Llama/{}.out",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500, name="gpt"), name))
        for own, name in (
            ("train.sh", "train_{}.out"),
            ("pretrain_llama.sbatch", "pretrain_llama.{}.log"),
            ("llama 7b", "llama_7b-{}.log"),
            ("llama-7b", "Llama_7B/{}.log"),
            ("exp/llama.7b", "exp_llama_7b/{}.out"),
            ("gpt", "gpt/{}.log"),
            ("a_" * 20 + "b", "a_" * 20 + "b/{}.log"),
        ):
            with self.subTest(own=own, name=name):
                self.assertEqual(
                    ["5101"] * 3, self.jobs(job(5101, 0, 3500, name=own) + job(5102, 0, 3500, name="other"), name)
                )
        self.assertEqual(
            ["5101", "5102", "5103"],
            self.jobs(
                "".join(job(5101 + i, 3600 * i, 3600 * i + 3500, name="train.sh") for i in range(3)),
                "{}/train.out",
                lambda i: megatron(3600 * i + 60, 1, 100),
            ),
        )
        for own, name in (("gpt", "gpt_{}.log"), ("sh", "train.sh_{}.log"), ("train.shx", "train_{}.log")):
            self.assertEqual([None] * 3, self.jobs(job(5101, 0, 3500, name=own), name), own)
        for name in ("seed5101_{}.log", "step5101_{}.log", "5102_job5101_{}.log"):
            with self.subTest(name):
                self.assertEqual(
                    ["5102" if "5102" in name else None] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500), name)
                )

    def test_the_hidden_folder_of_hydra_s_launcher(self):
        """It keeps what each job of a sweep prints in .submitit below the sweep's folder; what else is hidden is not looked at."""
        array = "".join(job(f"5100_{task}", 0, 3500, raw=5101 + task, gpus=4) for task in range(3))
        self.assertEqual(
            ["5101", "5102", "5103"],
            self.jobs(array, "multirun/2026-11-01/00-00-30/.submitit/5100_{0}/5100_{0}_0_log.out"),
        )
        self.assertEqual([], self.jobs(array, "multirun/2026-11-01/00-00-30/.other/5100_{0}/5100_{0}_0_log.out"))

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
        for log, wanted in ((lambda i: megatron(1260, 31, 100 - i), "77#2"), (lambda i: megatron(60, 1, 50 - i), "77")):
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

    def test_clusters_of_skypilot(self):
        """Their pods' label has the user's hash behind the name that the user, and the folder of a log, knows; of two users the time says which."""

        def cluster(name, user, start, end, node):
            one = pod(f"{name}-{user}-head", start, end, node=node)
            del one["metadata"]["ownerReferences"]
            one["metadata"].update(
                uid=name + user,
                labels={"parent": "skypilot", "skypilot-cluster-name": f"{name}-{user}"},
                annotations={"skypilot-cluster-name": name},
            )
            return one

        items = [cluster("mine", "a1b2c3d4", 0, 1200, "n1"), cluster("sky-0232-ann", "a1b2c3d4", 0, 1200, "n2")]
        for name in (
            "mine/sky-2026-11-01-00-01-00-123456/run.log",
            "mine.log",
            "mine-a1b2c3d4.log",
            "mine-a1b2c3d4-head.log",
        ):
            path = self.folder_of(
                {"list.json": {"apiVersion": "v1", "kind": "List", "items": items}, name: megatron(60, 1, 100)}
            )
            self.assertEqual(
                [("ml/mine-a1b2c3d4",)],
                self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path),
                name,
            )
        items.append(cluster("mine", "ffff0000", 1300, 2600, "n3"))
        for start, wanted in ((60, "ml/mine-a1b2c3d4"), (1360, "ml/mine-ffff0000")):
            path = self.folder_of(
                {
                    "list.json": {"apiVersion": "v1", "kind": "List", "items": items},
                    "mine/run.log": megatron(start, 1, 100),
                }
            )
            self.assertEqual([(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))

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

    def test_folders_of_launchers(self):
        """torchrun makes RUN/attempt_N/RANK of its --log-dir; what stands above those names the job."""
        one = job(5101, 0, 3500)
        for name in (
            "5101_x8f3ab/attempt_0/{}/stdout.log",
            "logs/5101_x8f3ab/attempt_{}/0/stdout.log",
            "5101/rank_{}/out.log",
            "5101/attempt_{}/logs/out.log",
            "5101/global_rank0/{}/node_rank-0/out.log",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(one, name))
        self.assertEqual([None] * 3, self.jobs(one, "5101/a/b/{}.log"))

    def test_folders_of_launchers_without_a_scheduler(self):
        """A run's attempts are those of one job, and what a later one does again is lost; ranks are listed; a file that lies otherwise is a job of its own."""
        first, second = megatron(60, 1, 40, saves=(30,)), megatron(500, 31, 100, saves=(100,), load=30)
        tree = {"r/none_x/attempt_0/0/stderr.log": first, "r/none_x/attempt_1/0/stderr.log": second}
        for more in (
            {},
            {
                "r/none_x/attempt_0/1/stderr.log": first.replace("0.000000]", "1.000000]"),
                "r/none_x/attempt_1/1/stderr.log": second.replace("0.000000]", "1.000000]"),
            },
        ):
            path = self.folder_of(
                {
                    **tree,
                    **more,
                    "r/none_y/attempt_0/0/stdout.log": megatron(60, 1, 90, saves=(90,)),
                    "r/attempt_of_ann/x/out.log": megatron(60, 1, 80, saves=(80,)),
                }
            )
            self.assertEqual(
                [
                    ("r/attempt_of_ann/x/out.log", 1, 8 * 800, None),
                    ("r/none_x", 1, 8 * 300, 8 * 100),
                    ("r/none_x", 2, 8 * 700, None),
                    ("r/none_y", 1, 8 * 900, None),
                ],
                [(name.replace(path + "/", ""), *rest) for name, *rest in self.seconds(path)],
            )
            self.assertEqual(
                {"by the folder of its launcher", None},
                {
                    how
                    for how, in self.rows(
                        "SELECT json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'", path
                    )
                },
            )
        path = self.folder_of({**tree, "sacct.psv": SACCT + job(5101, 0, 1200)})  # beside one that does not know it
        self.assertEqual(
            [("5101", 1, None, None), ("r/none_x", 1, 8 * 300, 8 * 100), ("r/none_x", 2, 8 * 700, None)],
            sorted((name.replace(path + "/", ""), *rest) for name, *rest in self.seconds(path)),
        )
        self.assertEqual(
            [(1,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)", path)
        )
        option = json.dumps({"sources": [{"path": path + "/r/none_x", "job": "exp"}]})
        self.assertEqual(["exp", "exp"], [name for name, *_ in self.seconds(option)])

    def test_folders_that_programs_make(self):
        """Ray's sessions, Weights & Biases' runs, hydra's and people's dates, Lightning's versions: what stands above them names the job."""
        for name in (
            "5101/session_2026-11-01_00-00-30_123456_1/logs/worker-{}.out",
            "5101-head/session_latest/logs/job-driver-raysubmit_{}.log",
            "5101/wandb/run-20261101_00000{}-a1b2c3/files/output.log",
            "5101/wandb/offline-run-20261101_00000{}-a1b2c3/files/output.log",
            "5101/outputs/2026-11-01/00-00-3{}/train.log",
            "5101/2026/11/01/{}.log",
            "5101/lightning_logs/version_{}/train.log",
            "5101/logs/2026-11-0{}/stdout.txt",
            "5101/multirun/2026-11-01/00-00-30/{}/train.log",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(job(5101, 0, 3500), name))
        self.assertEqual(
            ["5101"] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500), "5102/version_5101/logs/{}.log")
        )
        self.assertEqual([None] * 3, self.jobs(job(5101, 0, 3500), "5101/session_5/logs/a/{}.log"))


class HowManyChips(Logs):
    """A rate of one chip is work of all chips of the job: those that the log tells of, or else those that the scheduler gave."""

    RATE = 125e12  # FLOP/s of one chip, for ten seconds a step

    def log(self, trainer, start, first, last):
        text = (
            {"megatron": megatron, "torchtitan": torchtitan}[trainer](start, first, last)
            if trainer != "maxtext"
            else maxtext(first, last, prefix=lambda seconds: f"I{clock(start + seconds)} ", devices=8)
        )
        silent = [
            line
            for line in text.splitlines()
            if not line.startswith("using world") and "device mesh" not in line and "Num_devices" not in line
        ]
        return (
            "\n".join(silent)
            .replace("| lm loss", "| throughput per GPU (TFLOP/s/GPU): 125.0 | lm loss")
            .replace("tflops: 400.00", "tflops: 125.00")
            + "\n"
        )

    def work(self, path):
        return self.one("SELECT sum(flops) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'", path)

    def test_those_that_the_scheduler_gave(self):
        """Also if an attempt had others than the one before it; a log that is alone counts as one chip."""
        sacct = SACCT + job(5101, 0, 600, "PREEMPTED") + job(5101, 700, 1500, gpus=16)
        for trainer in ("megatron", "torchtitan", "maxtext"):
            with self.subTest(trainer=trainer):
                logs = {
                    "1/slurm-5101.out": self.log(trainer, 30, 1, 40),
                    "2/slurm-5101.out": self.log(trainer, 730, 21, 60),
                }
                path = self.folder_of({"sacct.psv": sacct, **logs})
                self.assertEqual(
                    2,
                    len(
                        self.rows(
                            "SELECT * FROM trace_sources(?) WHERE job = '5101' AND json_extract(inferred, '$.chips') = 'those of its job'",
                            path,
                        )
                    ),
                )
                self.assertAlmostEqual(self.RATE * 10 * (40 * 8 + 40 * 16), self.work(path), delta=self.RATE * 10 * 24)
                self.assertEqual(
                    [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'conflicting_job' AND source = ?", path)
                )
                self.assertAlmostEqual(
                    self.RATE * 10 * 40,
                    self.work(self.folder_of({"slurm-5101.out": logs["1/slurm-5101.out"]})),
                    delta=self.RATE * 10,
                )

    def test_which_chips_they_are(self):
        """Where no source says what is installed: those that the scheduler's option names, or else a log. Programs are rated, capacity is what is held."""
        folder = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": self.log("megatron", 30, 1, 40)}
        )
        for scheduler, trainer, chip, said in (
            ({"chip": "nvidia-h100-sxm"}, {}, "nvidia-h100-sxm", []),
            ({}, {"chip": "NVIDIA H100 80GB HBM3"}, "nvidia-h100-sxm", ["chip_inferred"]),
            ({"chip": "nvidia-a100-40-sxm4"}, {"chip": "nvidia-h100-sxm"}, "nvidia-a100-40-sxm4", ["conflict"]),
            ({"chip": "nvidia-h100-sxm"}, {"chip": "NVIDIA H100 80GB HBM3"}, "nvidia-h100-sxm", []),
            ({}, {}, None, []),
        ):
            path = json.dumps(
                {
                    "sources": [
                        {"path": folder + "/sacct.psv", **scheduler},
                        {"path": folder + "/slurm-5101.out", **trainer},
                    ]
                }
            )
            peak = (
                self.one("SELECT peak_flops FROM mpg_chips WHERE chip = ? AND dtype = 'bf16'", chip) if chip else None
            )
            for sql in ("trace_rollup(?)", "mpg_rollup", "ledger"):
                with self.subTest(chip=chip, sql=sql):
                    if sql == "mpg_rollup":
                        self.db.execute("SELECT mpg_import(?)", (path,)).fetchall()
                    rows = (
                        self.built(path)
                        if sql == "ledger"
                        else self.rows(
                            f"SELECT chip, sum(chip_us) / 1e6, sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 FROM {sql} WHERE category <> 'queued' GROUP BY 1",
                            *([path] if "?" in sql else []),
                        )
                    )
                    self.assertEqual(
                        [(chip, 4800.0, peak and round(self.RATE * 400 * 8 / peak, 3))],
                        [(found, held, ideal and round(ideal, 3)) for found, held, ideal in rows],
                    )
            self.rows("SELECT 1 FROM trace_rollup(?)", path)
            self.assertEqual(
                sorted(said + ["no_capacity"]),
                [kind for kind, in self.rows("SELECT kind FROM mpg_issues WHERE source = ? ORDER BY 1", path)],
            )
            self.assertEqual(
                None if chip else "chip", self.one("SELECT missing FROM trace_sources(?) WHERE format = 'slurm'", path)
            )

    def test_one_chip_by_two_names(self):
        """As torchtitan's log has it and an option of another log."""
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600) + job(5102, 0, 600),
                "slurm-5101.out": self.log("megatron", 30, 1, 40),
                "slurm-5102.out": self.log("torchtitan", 30, 1, 40),
            }
        )
        for chip, wanted in (("nvidia-h100-sxm", "nvidia-h100-sxm"), ("nvidia-a100-40-sxm4", None)):
            path = json.dumps(
                {
                    "sources": [
                        {"path": folder + "/*2.out"},
                        {"path": folder + "/sacct.psv"},
                        {"path": folder + "/*1.out", "chip": chip},
                    ]
                }
            )
            self.assertEqual(
                [(wanted,)], self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path)
            )
            said = self.rows(
                "SELECT count, detail LIKE '%, nvidia-a100-40-sxm4 and nvidia-h100-sxm: give it the option chip%' FROM mpg_issues WHERE kind = 'mixed_pool' AND source = ?",
                path,
            )
            self.assertEqual([] if wanted else [(1, 1)], said)

    def test_the_chip_of_an_option_without_logs(self):
        """It counts for every scheduler, alone and beside records of your own; of several options the greatest, which is listed."""
        for export in (
            "slurm/sacct_jobs.psv",
            "pbs/accounting.log",
            "lsf/lsb.acct",
            "sge/accounting",
            "condor/history.json",
            "flux/jobs.json",
            "slurm/squeue.json",
        ):
            path = json.dumps(
                {"sources": [{"path": os.path.join(ROOT, "fixtures", export), "chip": "nvidia-h100-sxm"}]}
            )
            self.assertEqual(
                [("nvidia-h100-sxm",)],
                self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path),
                export,
            )
        spans = "".join(
            json.dumps(
                {
                    "record": "span",
                    "job": "5101",
                    "kind": "step",
                    "step": i,
                    "start_time": T + 30 + 10 * i,
                    "end_time": T + 40 + 10 * i,
                    "flops": 8 * self.RATE * 10,
                }
            )
            + "\n"
            for i in range(40)
        )
        folder = self.folder_of(
            {"a.psv": SACCT + job(5101, 0, 600), "b.psv": SACCT + job(5102, 0, 600), "own.jsonl": spans}
        )
        sources = [{"path": folder + "/a.psv", "chip": "nvidia-h100-sxm"}, {"path": folder + "/own.jsonl"}]
        peak = self.one("SELECT peak_flops FROM mpg_chips WHERE chip = 'nvidia-h100-sxm' AND dtype = 'bf16'")
        self.assertEqual(
            [("nvidia-h100-sxm", 4800.0, round(self.RATE * 400 * 8 / peak, 3))],
            [(chip, held, round(ideal, 3)) for chip, held, ideal in self.built(json.dumps({"sources": sources}))],
        )
        for other, listed in (({}, []), ({"chip": "nvidia-h100-sxm"}, []), ({"chip": "nvidia-a100-40-sxm4"}, [(1,)])):
            path = json.dumps({"sources": [*sources, {"path": folder + "/b.psv", **other}]})
            self.assertEqual(
                [("nvidia-h100-sxm",)],
                self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path),
            )
            self.assertEqual(
                listed, self.rows("SELECT count FROM mpg_issues WHERE kind = 'conflict' AND source = ?", path)
            )

    def test_a_later_build_without_the_log(self):
        """It does not take the chip that the log named, nor one that the option named; another option's takes its place."""
        later = self.folder_of({"sacct.psv": SACCT + job(5102, 700, 1200)})
        for option in ({}, {"chip": "nvidia-h100-sxm"}):
            folder = self.folder_of(
                {"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": self.log("torchtitan", 30, 1, 40)}
            )
            first = json.dumps(
                {"sources": [{"path": folder + "/sacct.psv", **option}, {"path": folder + "/slurm-5101.out"}]}
            )
            self.assertEqual([("nvidia-h100-sxm", 8800.0)], [row[:2] for row in self.built(first, later)])
            self.assertEqual(
                [("nvidia-h200-sxm", 8800.0)],
                [
                    row[:2]
                    for row in self.built(
                        first, json.dumps({"sources": [{"path": later + "/sacct.psv", "chip": "nvidia-h200-sxm"}]})
                    )
                ],
            )

    def built(self, *paths):
        with contextlib.closing(connect(os.path.join(self.new_folder(), "fleet.db"))) as db:
            db.isolation_level = None
            for path in [*paths, paths[-1]]:
                db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            return db.execute(
                "SELECT chip, sum(chip_us) / 1e6, sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 FROM ledger WHERE category <> 'queued' GROUP BY 1"
            ).fetchall()

    def test_a_log_alone_lacks_the_option(self):
        """Or event files, whose rate is of one chip too; and the option chip, which Megatron-LM's and MaxText's logs do not tell."""
        events = tfevents.begin(T + 60) + b"".join(
            tfevents.event(T + 60 + 10 * i, i, (5, [(1, tfevents.simple(tag, value))]))
            for i in range(1, 101)
            for tag, value in (("lm loss", 8), ("throughput", 125), ("iteration-time", 10))
        )
        logs = {
            trainer: {"5101.log": self.log(trainer, 60, 1, 100)} for trainer in ("megatron", "torchtitan", "maxtext")
        }
        told = {
            "megatron": "using world size: 8, data-parallel size: 8\n",
            "torchtitan": "",
            "maxtext": "Num_devices: 8, shape (8,)\n",
        }
        for trainer, files in (logs | {"tfevents": {"5101/events.out.tfevents.1.h": events}}).items():
            with self.subTest(trainer=trainer):
                ask = lambda files: (
                    str(self.one("SELECT missing FROM trace_sources(?) WHERE format <> 'slurm'", files)).split(", "),
                    self.work(files) / self.RATE / 1000,
                )
                missing, work = ask(self.folder_of(files))
                self.assertEqual(["chips"] + ["chip"] * (trainer != "torchtitan"), sorted(missing, reverse=True))
                self.assertAlmostEqual(1, work, delta=0.02)
                for gpus in (8, 16):
                    missing, work = ask(self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1200, gpus=gpus), **files}))
                    self.assertNotIn("chips", missing)
                    self.assertAlmostEqual(gpus, work, delta=0.02 * gpus)
                if told.get(trainer):
                    self.assertNotIn("chips", ask(self.folder_of({"5101.log": told[trainer] + files["5101.log"]}))[0])

    def test_a_result_of_mlperf(self):
        """Its system's description is not beside the job's output."""
        record = (
            lambda at, key, **metadata: ":::MLLOG "
            + json.dumps(
                {
                    "namespace": "",
                    "time_ms": 1000 * (T + at),
                    "event_type": "INTERVAL_START",
                    "key": key,
                    "value": None,
                    "metadata": metadata,
                }
            )
            + "\n"
        )
        log = (
            record(10, "init_start")
            + record(100, "run_start")
            + record(110, "block_start", samples_count=0)
            + record(910, "block_stop", samples_count=64)
            + record(1000, "run_stop", status="success")
        )
        ask = lambda files: self.rows(
            "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE category <> 'queued' GROUP BY 1",
            self.folder_of(files),
        )
        self.assertEqual(
            [("startup", 8 * 90), ("unknown", 8 * 310), ("unrated", 8 * 800)],
            ask({"sacct.psv": SACCT + job(200, 0, 1200), "slurm-200.out": log}),
        )
        self.assertEqual([("startup", 90), ("unknown", 100), ("unrated", 800)], ask({"slurm-200.out": log}))
        twice = log + re.sub(r'"time_ms": (\d+)', lambda m: f'"time_ms": {int(m[1]) + 1100_000}', log)
        self.assertEqual(
            [("startup", 8 * 180), ("unknown", 8 * 620), ("unrated", 8 * 1600)],
            ask({"sacct.psv": SACCT + job(200, 0, 2400), "slurm-200.out": twice}),
        )
        self.assertEqual(
            "chips", self.one("SELECT missing FROM trace_sources(?)", self.folder_of({"slurm-200.out": log}))
        )

    def test_those_that_the_log_tells_of(self):
        """Or an option: then it is listed that the two differ."""
        log = self.log("megatron", 30, 1, 40)
        folder = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": log})
        option = json.dumps(
            {"sources": [{"path": folder + "/sacct.psv"}, {"path": folder + "/slurm-5101.out", "chips": 4}]}
        )
        told = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600),
                "slurm-5101.out": "using world size: 4, data-parallel size: 4\n" + log,
            }
        )
        for path in (option, told):
            self.assertAlmostEqual(self.RATE * 10 * 40 * 4, self.work(path))
            self.assertEqual(
                1, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'conflicting_job' AND source = ?", path)
            )
            self.assertEqual(0, self.one("SELECT count(*) FROM trace_sources(?) WHERE inferred LIKE '%chips%'", path))


class LogsWithChipsOfTheirOwn(Logs):
    """Groups of torchft, or runs that share an allocation: each log tells of 8 chips of the job's 16. The steps of one count, and the FLOPs of both."""

    def ideal(self, second, name="replica_1.log", gpus=16):
        """The share of the peak that 50 steps of 10 s have, of the first log alone 400 of 989.5 TFLOP/s on half of the chips."""
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600, gpus=gpus),
                "5101/replica_0.log": torchtitan(20, 1, 50),
                "5101/" + name: second,
            }
        )
        ideal, productive = self.rows(
            "SELECT sum(chip_seconds) FILTER (WHERE category = 'ideal'), sum(chip_seconds) FROM trace_rollup(?) WHERE category IN ('ideal', 'inefficiency')",
            path,
        )[0]
        self.assertEqual(gpus * 500, round(productive))
        return round(ideal * 989.5 / 400 / 8, 1), self.rows(
            "SELECT count, detail LIKE '%left out, but for their FLOPs%' FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)",
            path,
        )

    def test_the_work_of_both(self):
        later = torchtitan(21, 1, 50)
        self.assertEqual(
            (500 + 499, [(50, 1)]), self.ideal(later)
        )  # what it does after the last step of the other is not at its time
        failed = torchtitan(21, 1, 20) + torchtitan(301, 30, 48)
        self.assertEqual((500 + 200 + 190, [(39, 1)]), self.ideal(failed))

    def test_logs_of_one_run(self):
        """Ranks that each tell of all chips, a copy, and a tracker have none of their own."""
        self.assertEqual((500, [(50, 0)]), self.ideal(torchtitan(21, 1, 50), gpus=8))
        self.assertEqual(500, self.ideal(torchtitan(20, 1, 50).replace("loss: 12.2431", "loss: 12.2430"))[0])
        self.assertEqual(
            500,
            self.ideal(
                "_step,_timestamp,train/loss,train/device/flops_per_sec\n"
                + "".join(f"{i},{T + 21 + 10 * i},2.0,4e14\n" for i in range(1, 51)),
                "w.csv",
            )[0],
        )


class Options(Logs):
    """What a fleet file says of a log beside a scheduler."""

    def test_of_the_job(self):
        """The user's word comes before the scheduler's, of that job alone; what the scheduler alone knows is listed."""
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200),
                "a.log": megatron(60, 1, 100),
                "slurm-5102.out": megatron(60, 1, 90),
            }
        )
        options = {"owner": "bob", "name": "run-7", "priority": "high", "model": "llm", "phase": "finetuning"}
        path = json.dumps(
            {
                "sources": [
                    {"path": folder + "/sacct.psv"},
                    {"path": folder + "/a.log", "job": "5101", "pool": "p", "outcome": "failed", **options},
                    {"path": folder + "/*.out"},
                ]
            }
        )
        self.assertEqual(
            [
                ("5101", "bob", "run-7", "high", "llm", "finetuning", "pod"),
                ("5102", "nlp", "llama", None, None, "training", "pod"),
            ],
            self.rows(
                "SELECT DISTINCT job, owner, name, priority, model, phase, pool FROM trace_rollup(?) WHERE attempt IS NOT NULL",
                path,
            ),
        )
        self.assertEqual(
            [('option "outcome" and "pool"', 2)],
            self.rows(
                "SELECT substr(detail, 1, instr(detail, ':') - 1), count FROM mpg_issues WHERE kind = 'unused_option' AND source LIKE '%a.log'"
            ),
        )
        alone = json.dumps(
            {"sources": [{"path": folder + "/a.log", "job": "5101", "pool": "p", "outcome": "failed", **options}]}
        )
        self.assertEqual(
            [("5101", "bob", "run-7", "p")],
            self.rows("SELECT DISTINCT job, owner, name, pool FROM trace_rollup(?) WHERE attempt IS NOT NULL", alone),
        )
        self.assertEqual(
            [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'unused_option' AND source = ?", alone)
        )

    def test_a_log_of_more_chips_than_its_job_had(self):
        """What it says of FLOPs is of all, which is listed, unless those are what all parts of a heterogeneous job had."""
        for parts, world, listed in (
            ((200, 201), 24, 1),
            ((200, 201), 16, 0),
            ((200,), 16, 1),
            ((200,), 8, 0),
            ((200,), 4, 0),
        ):
            path = self.folder_of(
                {
                    "sacct.psv": SACCT + "".join(job(f"200+{i}", 0, 1200, raw=part) for i, part in enumerate(parts)),
                    "slurm-200.out": megatron(60, 1, 100, world=world),
                }
            )
            self.seconds(path)
            self.assertEqual(
                [("slurm-200.out", f"{world} where job 200 had 8")] * listed,
                self.rows(
                    f"SELECT substr(source, -13), substr(detail, instr(detail, 'of {world}') + 3, 22) FROM mpg_issues WHERE kind = 'conflicting_job' AND severity = 'warning' AND instr(source, ?)",
                    path,
                ),
            )

    def test_a_log_of_all_parts_of_a_heterogeneous_job(self):
        """Which are jobs of their own: each did its steps, with the share of the work that its chips are."""

        def row(base, part, start, end, gpus, state="COMPLETED", submit=0):
            return job(
                f"{base}+{part}", start, end, state, raw=base + part, name="het", gpus=gpus, submit=submit
            ).replace("|n1\n", f"|n{part}\n")

        def log(start, *parts, devices=16):
            return "".join(torchtitan(start + at, *more, **how) for at, more, how in parts).replace(
                "[8]", f"[{devices}]"
            )

        ran = ((0, (1, 100), {"saves": (100,), "done": True}),)
        twice = ((0, (1, 50), {"saves": (30,)}), (700, (31, 100), {"saves": (100,), "load": 30, "done": True}))
        once = SACCT + row(200, 0, 0, 1200, 8) + row(200, 1, 0, 1200, 8)
        three = SACCT + "".join(
            row(200, part, 0, 600, gpus, "NODE_FAIL") + row(200, part, 700, 1800, gpus, submit=610)
            for part, gpus in enumerate((8, 4, 4))
        )
        whole = self.rows(
            "SELECT sum(flops) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'",
            self.folder_of({"a.log": log(60, *ran)}),
        )
        for sacct, name, text, wanted in (
            (once, "slurm-200.out", log(60, *ran), [(str(200 + part), 1, 8000, None) for part in (0, 1)]),
            (once, "het.out", log(60, *ran), [(str(200 + part), 1, 8000, None) for part in (0, 1)]),
            (once, "het.out", log(60, *ran, devices=8), [("200", 1, 8000, None), ("201", 1, None, None)]),
            (once, "200+1.out", log(60, *ran, devices=8), [("200", 1, None, None), ("201", 1, 8000, None)]),
            (
                once + row(300, 0, 1300, 2500, 8) + row(300, 1, 1300, 2500, 8),
                "het/b.out",
                log(1360, *ran),
                [("200", 1, None, None), ("201", 1, None, None), ("300", 1, 8000, None), ("301", 1, 8000, None)],
            ),
            (
                three,
                "200.out",
                log(60, *twice),
                [
                    (str(200 + part), attempt, chips * seconds, lost and chips * lost)
                    for part, chips in enumerate((8, 4, 4))
                    for attempt, seconds, lost in ((1, 300, 200), (2, 700, None))
                ],
            ),
        ):
            with self.subTest(name=name, rows=sacct.count("\n"), text=text[:0]):
                path = self.folder_of({"sacct.psv": sacct, name: text})
                self.assertEqual(wanted, self.seconds(path))
                self.assertEqual(
                    [],
                    self.rows(
                        "SELECT kind, detail FROM mpg_issues WHERE kind IN ('conflicting_job', 'ambiguous_job', 'span_without_allocation', 'unmatched_log') AND instr(source, ?)",
                        path,
                    ),
                )
                if text == log(60, *ran):
                    self.assertAlmostEqual(
                        whole[0][0],
                        self.rows(
                            "SELECT sum(flops) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'", path
                        )[0][0],
                        delta=1e6,
                    )
        both = self.folder_of(
            {"sacct.psv": once, "slurm-200.out": log(60, *ran), "201.out": log(60, *ran, devices=8)}
        )  # a part that has a log
        self.assertEqual([("200", 1, 8000, None), ("201", 1, 8000, None)], self.seconds(both))

    def test_a_job_that_waited_when_it_was_exported(self):
        """Its log is newer than the export: its chips are none of the cluster's, which is said of the export."""
        waits = job(5101, 0, 1200, "PENDING").replace(f"{T}|{T + 1200}", "Unknown|Unknown")
        self.assertIn("|Unknown|Unknown|", waits)
        for text, listed in ((waits, 1), (job(5101, 0, 1200), 0)):
            path = self.folder_of(
                {"sacct.psv": SACCT + text + job(5100, 0, 30), "slurm-5101.out": megatron(60, 1, 100)}
            )
            self.seconds(path)
            self.assertEqual(
                [("sacct.psv", "first 5101")] * listed,
                self.rows(
                    "SELECT substr(source, -9), substr(detail, instr(detail, 'first'), 10) FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)",
                    path,
                ),
            )

    def test_a_job_that_came_to_no_step(self):
        """Its log is known by its first lines. That another of the format has steps does not hide it; a rank's log beside one with steps is none."""
        crashed = megatron(60, 1, 0)
        for logs, listed in (
            ({"5101.out": megatron(60, 1, 50), "5102.out": crashed}, [("5102.out", "5102")]),
            ({"5101/a.log": megatron(60, 1, 50), "5101/b.log": crashed}, []),
            ({"5101.out": maxtext(0, 50), "5102.out": maxtext(0, -1)}, [("5102.out", "5102")]),
            ({"5101.out": megatron(60, 1, 50), "5102.out": maxtext(0, -1)}, [("5102.out", "5102")]),
        ):
            path = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200, "FAILED"), **logs})
            self.seconds(path)
            rows = self.rows(
                "SELECT substr(source, -8), iif(instr(detail, 'first'), substr(detail, instr(detail, 'first') + 6, 4), '5102') FROM mpg_issues WHERE kind = 'no_steps' AND instr(source, ?)",
                path,
            )
            self.assertEqual(listed, [row for row in rows if "b.log" not in row[0]], logs.keys())


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


class OfAnotherZone(Logs):
    """A container's clock is UTC's where the scheduler's is of the site, or the other way round: what would fit is said, and no other job gets the lines."""

    def listed(self, files):
        folder = self.folder_of(files)
        self.seconds(folder)
        return sorted(
            self.rows(
                "SELECT substr(source, -8, 4), substr(detail, instr(detail, 'would')) FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)",
                folder,
            )
        )

    def test_a_log_of_one_job(self):
        one = {"sacct.psv": SACCT + job(5101, 36000, 37200)}
        for hours, said in ((1, "1 hours earlier"), (-8, "8 hours later"), (5.5, "5.5 hours earlier")):
            self.assertEqual(
                [("5101", f"would be {said}: check zone, its own and the scheduler's")],
                self.listed({**one, "slurm-5101.out": megatron(36060 + int(hours * 3600), 1, 100)}),
            )
        for start, last in (
            (36060, 100),
            (36060, 150),
            (36900, 100),
            (36060, 700),
            (36060 + 2 * 3600, 700),
        ):  # within, or no shift fits
            self.assertEqual(
                [], self.listed({**one, "slurm-5101.out": megatron(start, 1, last, total=1000)}), (start, last)
            )

    def test_a_log_that_the_option_job_names(self):
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 36000, 37200),
                "a.log": megatron(36060, 1, 100),
                "b.log": megatron(36061, 1, 100),
            }
        )
        for zone, said in (
            ("UTC", []),
            ("Asia/Tokyo", [("a.log", "would be 9 hours later: check zone, its own and the scheduler's")]),
        ):
            path = json.dumps(
                {"sources": [{"path": folder + "/sacct.psv"}, {"path": folder + "/*.log", "job": "5101", "zone": zone}]}
            )
            self.seconds(path)
            self.assertEqual(
                said,
                self.rows(
                    "SELECT substr(source, -5), substr(detail, instr(detail, 'would')) FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)",
                    folder,
                ),
            )

    def test_logs_that_fit_jobs_of_other_times(self):
        """Named like several, or like a host that several held: each is a job of its own, which is listed once."""
        fleet = SACCT + job(5101, 0, 1200) + job(5102, 1300, 2600)
        path = self.folder_of(
            {"sacct.psv": fleet, "llama.log": megatron(18000, 1, 100), "n1.log": megatron(18001, 1, 99)}
        )
        self.assertEqual([], [row for row in self.seconds(path) if row[0].isdigit() and row[2]])
        self.assertEqual(
            [
                (
                    2,
                    "logs named like jobs which all ran at another time, the first like 5101: each is a job of its own. Check zone and year, theirs and the scheduler's",
                )
            ],
            self.rows(
                "SELECT count, detail FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)", path
            ),
        )

    def test_logs_of_jobs_of_one_name(self):
        """Each job has a log: an hour of the one's is not the next one's, as it would be if the first had written them all."""
        files = {
            "sacct.psv": SACCT + "".join(job(5101 + i, 7200 * i, 7200 * i + 7100) for i in range(3)),
            **{
                f"slurm-{5101 + i}.out": megatron(7200 * i + 3660, 1 + 600 * i, 600 + 600 * i, total=5000)
                for i in range(3)
            },
        }
        self.assertEqual(
            [(str(5101 + i), "would be 1 hours earlier: check zone, its own and the scheduler's") for i in range(3)],
            self.listed(files),
        )
        self.assertEqual(
            [],
            self.rows(
                "SELECT file FROM trace_sources(?) WHERE format = 'megatron' AND job IS NOT substr(file, -8, 4)",
                self.folder_of(files),
            ),
        )


class WithoutAClock(Logs):
    """A log without a clock begins with its job. If the job began several times, each run of the log begins with an attempt."""

    ATTEMPTS = SACCT + job(5101, 0, 300, "NODE_FAIL") + job(5101, 1200, 2400, submit=310)
    FIRST, SECOND = maxtext(0, 19, saves=(9,)), maxtext(10, 99, load=9, saves=(99,))

    def steps(self, files):
        return self.seconds(self.folder_of({"sacct.psv": self.ATTEMPTS, **files}))

    def test_runs_and_attempts(self):
        for files in (
            {"slurm-5101.out": self.FIRST + self.SECOND},
            {"train_5101_0.out": self.FIRST, "train_5101_1.out": self.SECOND},
            {"5101/9.log": self.FIRST, "5101/10.log": self.SECOND},
        ):
            with self.subTest(list(files)):
                self.assertEqual([("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 900, None)], self.steps(files))
                self.assertEqual(
                    [],
                    self.rows("SELECT 1 FROM mpg_issues WHERE kind IN ('span_without_allocation', 'parallel_files')"),
                )
                self.assertEqual(
                    [("the starts of the attempts of its job",)],
                    self.rows(
                        "SELECT DISTINCT json_extract(inferred, '$.start') FROM trace_sources(?) WHERE format = 'maxtext'",
                        self.path,
                    ),
                )

    def folder_of(self, files):
        self.path = super().folder_of(files)
        return self.path

    def test_jobs_of_one_name(self):
        """Nothing says which the log is of: it is listed."""
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 1300, 2500), "llama.log": maxtext(0, 99)}
        )
        self.seconds(path)
        self.assertEqual(
            [("ambiguous_job", "its name fits more than one job: 5101,5102")],
            self.rows(
                "SELECT kind, detail FROM mpg_issues WHERE kind IN ('ambiguous_job', 'unmatched_log') AND instr(source, ?)",
                path,
            ),
        )
        path = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1200), "x.log": maxtext(0, 99)})
        self.seconds(path)
        self.assertEqual(
            [(1,)], self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)", path)
        )

    def test_a_name_with_a_date_and_a_time(self):
        """They say when it began, and so of which of several jobs it is. Of a job that is known the log must fit in what it held then."""
        two = SACCT + job(5101, 0, 1200) + job(5102, 1300, 2600)
        first, second = maxtext(1, 100, saves=(100,)), maxtext(1, 80, saves=(80,))
        for one, other in (
            ("llama_20261101_000100.log", "llama_20261101_002200.log"),
            ("llama-2026-11-01T00-01-00.log", "llama-2026-11-01T00-22-00.log"),
            ("llama/2026-11-01/00-01-00/a.log", "llama/2026-11-01/00-22-00/a.log"),
            (
                "llama/wandb/run-20261101_000100-ab/files/output.log",
                "llama/wandb/run-20261101_002200-cd/files/output.log",
            ),
            ("llama/sky-2026-11-01-00-01-00-123456/run.log", "llama/sky-2026-11-01-00-22-00-654321/run.log"),
            ("llama.20261101000100", "llama.20261101002200"),
        ):
            with self.subTest(one):
                path = self.folder_of({"sacct.psv": two, one: first, other: second})
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 6400, None)], self.seconds(path))
                self.assertEqual(
                    [(T + 60,), (T + 1320,)],
                    self.rows(
                        "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' GROUP BY job ORDER BY job",
                        path,
                    ),
                )
        zoned = json.dumps(
            {
                "sources": [
                    {"path": self.folder_of({"sacct.psv": two})},
                    {"path": self.folder_of({"llama_20261101_012200.log": second}), "zone": "Europe/Berlin"},
                ]
            }
        )
        self.assertEqual(
            [("5102", '{"start":"the time in its name","job":"by its name and its time"}')],
            self.rows("SELECT job, inferred FROM trace_sources(?) WHERE format = 'maxtext'", zoned),
        )
        began = "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans'"
        requeued = SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 700, 1900)
        for name, wanted in (
            ("5101_20261101_001300.log", 780),
            ("5101_20261101_001640.log", 0),
            ("5101_20261101_050000.log", 0),
        ):  # of the second attempt; too late for that; of no time at all
            self.assertEqual(
                [(T + wanted,)],
                self.rows(
                    began,
                    self.folder_of({"sacct.psv": requeued if wanted else SACCT + job(5101, 0, 1900), name: first}),
                ),
                name,
            )
        for name in (
            "a_20261101_000100.log",
            "a_20261101T000100Z.log",
            "a-2026-11-01T01:01:00.123456+01:00.log",
            "20261101-000100-4711.log",
        ):  # alone
            self.assertEqual([(T + 60.0,)], self.rows(began, self.folder_of({name: first})), name)
        attempts = (
            SACCT
            + job(5101, 0, 600, "NODE_FAIL")
            + job(5101, 700, 1300, "NODE_FAIL", submit=610)
            + job(5101, 2600, 4000, submit=1310)
        )
        path = self.folder_of(
            {
                "sacct.psv": attempts,
                "5101/train_20261101_000100.log": maxtext(1, 50, saves=(30,)),
                "5101/train_20261101_004500.log": maxtext(31, 100, load=30, saves=(100,)),
            }
        )
        self.assertEqual(
            [("5101", 1, 8 * 300, 8 * 200), ("5101", 2, None, None), ("5101", 3, 8 * 700, None)], self.seconds(path)
        )  # of the first attempt and the third
        for name in (
            "train.log.20261101-000500",
            "train.log-20261101_000500",
            "train.out.20261101",
        ):  # when it was rotated
            self.assertEqual(
                [("start, chip",)],
                self.rows("SELECT missing FROM trace_sources(?)", self.folder_of({name: first})),
                name,
            )
        for name in (
            "a_20261131_000100.log",
            "a_20261101_250100.log",
            "a_120261101_0001001.log",
            "a_20261101.log",
        ):  # no such day or hour, or no date
            self.assertEqual(
                [("start, chip",)],
                self.rows("SELECT missing FROM trace_sources(?)", self.folder_of({name: first})),
                name,
            )
        path = self.folder_of(
            {"20261101_000100/sacct.psv": two, "20261101_000100/llama.log": first}
        )  # when it was exported
        self.assertEqual(
            [(None, "start, chip")],
            self.rows("SELECT job, missing FROM trace_sources(?) WHERE format = 'maxtext'", path),
        )

    def test_a_name_with_a_day(self):
        """Of jobs of one name it is the one that began on that day, in the log's zone, if that is one."""
        day = 86400
        fleet = SACCT + job(5101, 600, 1900) + job(5102, day + 3600, day + 6000)
        for name in ("llama_{}.log", "{}/llama.log"):
            for apart in ("", "-", "_"):
                path = self.folder_of(
                    {
                        "sacct.psv": fleet,
                        **{
                            name.format(apart.join(("2026", "11", f"0{1 + i}"))): maxtext(1, last, saves=(last,))
                            for i, last in enumerate((100, 80))
                        },
                    }
                )
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 6400, None)], self.seconds(path))
                self.assertEqual(
                    [("by its name and the day in it", "the start of its job")] * 2,
                    self.rows(
                        "SELECT json_extract(inferred, '$.job'), json_extract(inferred, '$.start') FROM trace_sources(?) WHERE format = 'maxtext'",
                        path,
                    ),
                )
        for files in (
            {"llama_20261105.log": ""},
            {"llama_20261131.log": ""},
            {"20261101/llama.log": "", "20261101/sacct.psv": fleet},
            {"llama_20261101.log": "", "more.psv": SACCT + job(5103, 5000, 9000)},
        ):  # no such job, no such day, when it was exported, two jobs
            path = self.folder_of(
                {
                    **({} if "20261101/sacct.psv" in files else {"sacct.psv": fleet}),
                    **{name: text or maxtext(1, 100) for name, text in files.items()},
                }
            )
            self.assertEqual(
                [(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'maxtext'", path), list(files)
            )
            self.seconds(path)
            self.assertEqual(
                [(1,)],
                self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path),
            )
        zoned = json.dumps(
            {
                "sources": [
                    {
                        "path": self.folder_of(
                            {"sacct.psv": SACCT + job(5101, -1200, 1900) + job(5102, day, day + 2000)}
                        )
                    },
                    {"path": self.folder_of({"llama_20261101.log": maxtext(1, 100)}), "zone": "Europe/Berlin"},
                ]
            }
        )
        self.assertEqual([("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'maxtext'", zoned))

    def test_a_clock_whose_date_may_have_its_day_first(self):
        """03/04/2026 is of March or April: it is not read, which is listed of each such log once; what is no date is not."""
        for clock, told in (
            ("[11/01/2026 00:01:{:02}] ", "11/01/2026 00:01:10"),
            ("01.11.2026 00:01:{:02} ", "01.11.2026 00:01:10"),
            ("1/11/26 0:01:{:02} - INFO - ", "1/11/26 0:01:10"),
            ("[01/11/2026:00:01:{:02}] ", "01/11/2026:00:01:10"),
            ("[3/8, 00:01:{:02}] ", None),
            ("v1.2.10 00:01 {} ", None),
            ("2026/11/01 ", None),
            ("", None),
        ):
            for log in (
                maxtext(1, 5),
                "using world size: 8, data-parallel size: 8\n"
                + "".join(
                    f" iteration {step:8}/       5 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 8.0E+00 |\n"
                    for step in range(1, 6)
                ),
            ):
                with self.subTest(clock=clock, log=log[:20]):
                    path = self.folder_of(
                        {
                            "sacct.psv": SACCT + job(5101, 0, 1200),
                            "slurm-5101.out": "".join(
                                clock.format(10 + i) * (" 5" in line or "iteration" in line or "completed" in line)
                                + line
                                for i, line in enumerate(log.splitlines(True), -2 + log.startswith("u"))
                            ),
                        }
                    )
                    self.seconds(path)
                    listed = self.rows(
                        "SELECT count, detail FROM mpg_issues WHERE kind = 'unread_time' AND instr(source, ?)", path
                    )
                    self.assertEqual(
                        (
                            [
                                (
                                    1,
                                    f"the date of {told} may have its day first or its month: the clock of these lines is not read, so steps follow each other. Write dates as 2026-11-21",
                                )
                            ]
                            if told
                            else []
                        ),
                        listed,
                    )

    def test_fewer_runs_than_attempts(self):
        """The last ones, unless what the log tells took longer than the attempt."""
        self.assertEqual(
            [("5101", 1, None, None), ("5101", 2, 8 * 900, None)], self.steps({"slurm-5101.out": self.SECOND})
        )
        long = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 1000, "NODE_FAIL") + job(5101, 1200, 1500),
                "slurm-5101.out": self.SECOND,
            }
        )
        self.assertEqual([("5101", 1, 8 * 900, None), ("5101", 2, None, None)], self.seconds(long))
        many = self.folder_of(
            {
                "sacct.psv": SACCT + "".join(job(5101, 2000 * i, 2000 * i + 1000, "NODE_FAIL") for i in range(30)),
                "slurm-5101.out": self.SECOND,
            }
        )
        self.assertEqual(
            [("5101", attempt, 8 * 900 if attempt == 30 else None, None) for attempt in range(1, 31)],
            self.seconds(many),
        )

    def test_more_runs_than_attempts(self):
        """A launcher began anew within an attempt: where it fits."""
        files = {
            "sacct.psv": SACCT + job(5101, 0, 900, "NODE_FAIL") + job(5101, 1800, 3000),
            "slurm-5101.out": self.FIRST + maxtext(10, 39, load=9, saves=(39,)) + maxtext(40, 99, load=39, saves=(99,)),
        }
        self.assertEqual(
            [("5101", 1, 8 * 400, 8 * 100), ("5101", 2, 8 * 600, None)], self.seconds(self.folder_of(files))
        )

    def test_logs_of_one_attempt_that_go_on_with_each_other(self):
        """As those of a container that began anew in its pod, however they are called; ranks begin with one step."""
        first, second, third = (
            maxtext(1, 50, saves=(30,)),
            maxtext(31, 80, load=30, saves=(60,)),
            maxtext(61, 120, load=60, saves=(120,)),
        )
        pods = {"apiVersion": "v1", "kind": "List", "items": [pod("trainer-0-aaaaa", 0, 3000)]}
        for one, other, last in (
            ("ml_trainer-0-aaaaa_uid/c/0.log", "ml_trainer-0-aaaaa_uid/c/1.log", "ml_trainer-0-aaaaa_uid/c/2.log"),
            ("trainer/z.log", "trainer/y.log", "trainer/x.log"),
        ):
            path = self.folder_of({"list.json": pods, one: first, other: second, last: third})
            self.assertEqual([("ml/trainer", 1, 8 * (30 + 30 + 60) * 10, 8 * (20 + 20) * 10)], self.seconds(path))
            self.assertEqual(
                [(T + at,) for at in (0, 500, 1000)],
                self.rows(
                    "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' GROUP BY CAST((start_time - ?) / 500 AS INTEGER) LIMIT 3",
                    path,
                    T,
                ),
            )
            self.assertEqual(
                [], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)", path)
            )
        path = self.folder_of({"list.json": pods, "trainer-0-aaaaa.previous.log": first, "trainer-0-aaaaa.log": second})
        self.assertEqual([("ml/trainer", 1, 8 * (30 + 50) * 10, 8 * 20 * 10)], self.seconds(path))
        for files, wanted in (
            ({"trainer/0.log": first, "trainer/1.log": maxtext(1, 48)}, 500),
            ({"trainer/0.log": first, "trainer/1.log": maxtext(61, 80)}, 500),
        ):  # ranks; what does not go on
            self.assertEqual(
                [("ml/trainer", 1, 8 * wanted)],
                [row[:3] for row in self.seconds(self.folder_of({"list.json": pods, **files}))],
            )
        short = SACCT + job(5101, 0, 900)  # too short for both
        self.seconds(path := self.folder_of({"sacct.psv": short, "5101/0.log": first, "5101/1.log": second}))
        self.assertEqual(
            [(50,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)", path)
        )

    def test_logs_of_ranks(self):
        """Which tell the same steps at once: as many of them as attempts are no sign, but as many runs in each are."""
        both = self.FIRST + maxtext(10, 29, load=9, saves=(29,))
        self.assertEqual(
            [("5101", 1, 8 * 200, None), ("5101", 2, None, None)],
            self.steps(
                {
                    "log_5101_0.out": self.FIRST.replace("step 9", "step 19"),
                    "log_5101_1.out": "rank 1\n" + self.FIRST.replace("step 9", "step 19"),
                }
            ),
        )
        self.assertEqual(
            [("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 200, None)],
            self.steps({"log_5101_0.out": both, "log_5101_1.out": "rank 1\n" + both}),
        )
        self.assertEqual(
            [20, 40],
            sorted(count for count, in self.rows("SELECT count FROM mpg_issues WHERE kind = 'parallel_files'")),
        )

    def test_beside_another_log_that_has_one(self):
        """A tracker tells the same steps with their times: each is done once, and when the tracker says; what it does not tell lies behind the step before."""

        def tracker(start, first, last, every=1):
            return "_step,_timestamp,train/loss\n" + "".join(
                f"{step},{T + start + 10 * (step - first + 1)},2.0\n" for step in range(first, last + 1, every)
            )

        one = {"sacct.psv": SACCT + job(5101, 0, 1500)}
        for name, every in (("wandb.csv", 1), ("wandb.csv", 10)):
            path = self.folder_of(
                {**one, "5101/out.log": maxtext(0, 99, saves=(50, 99)), f"5101/{name}": tracker(300, 0, 99, every)}
            )
            self.assertEqual([("5101", 1, 8 * 1000, None)], self.seconds(path))
            begun, ended = self.rows(
                "SELECT min(start_time) - ?, max(end_time) - ? FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'",
                T,
                T,
                path,
            )[0]
            self.assertEqual((300, 1300), (begun, ended))
            self.assertEqual(
                0,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind IN ('repeated_steps', 'overlapping_spans') AND instr(source, ?)",
                    path,
                ),
            )
        for steps, other in ((99, 49), (49, 99)):  # another run, which comes later
            path = self.folder_of(
                {
                    "sacct.psv": SACCT + job(5101, 0, 3000),
                    "5101/out.log": maxtext(0, steps, saves=(steps,)),
                    "5101/wandb.csv": tracker(1500, 0, other),
                }
            )
            self.assertEqual(
                [(0,)],
                self.rows(
                    "SELECT min(start_time) - ? FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'", T, path
                ),
            )
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 1200, 2400),
                "5101/out.log": maxtext(0, 49, saves=(29,)) + maxtext(30, 99, load=29, saves=(99,)),
                "5101/a.csv": tracker(60, 0, 49),
                "5101/b.csv": tracker(1260, 30, 99),
            }
        )
        self.assertEqual([("5101", 1, 8 * 300, 8 * 200), ("5101", 2, 8 * 700, None)], self.seconds(path))

    def test_pods(self):
        """A log that has the name of a pod, or whose text has, begins with it."""
        pods = {
            "apiVersion": "v1",
            "kind": "List",
            "items": [pod("trainer-0-aaaaa", 0, 300, 1), pod("trainer-0-bbbbb", 1200, 2400)],
        }
        second = [("ml/trainer", 1, None, None), ("ml/trainer", 2, 8 * 900, None)]
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), second[1]],
            self.seconds(
                self.folder_of(
                    {"pods.json": pods, "trainer-0-aaaaa.log": self.FIRST, "trainer-0-bbbbb.log": self.SECOND}
                )
            ),
        )
        self.assertEqual(
            second, self.seconds(self.folder_of({"pods.json": pods, "pods/trainer-0-bbbbb/log": self.SECOND}))
        )
        self.assertEqual(
            second,
            self.seconds(self.folder_of({"pods.json": pods, "a.log": "HOSTNAME=trainer-0-bbbbb\n" + self.SECOND})),
        )
        self.assertEqual(second, self.seconds(self.folder_of({"pods.json": pods, "trainer.log": self.SECOND})))
        both = "".join(
            f"[pod/trainer-0-{name}/train] {line}\n"
            for name, log in (("aaaaa", self.FIRST), ("bbbbb", self.SECOND))
            for line in log.splitlines()
        )
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), second[1]],
            self.seconds(self.folder_of({"pods.json": pods, "all.log": both})),
        )
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), ("ml/trainer", 2, None, None)],
            self.seconds(self.folder_of({"pods.json": pods, "trainer-0-aaaaa.log": self.FIRST})),
        )


class WithoutAYear(Logs):
    """A job that began in December, and its log that begins in January."""

    def test_the_year_after_the_job_began(self):
        def log(day):
            return maxtext(
                10,
                99,
                load=9,
                prefix=lambda seconds: f"I{day} 02:{seconds // 60:02}:{seconds % 60:02}.000000 140000 max_logging.py:36] ",
            )

        december = 60 * 86400 + 20 * 3600  # the 31st, 20:00
        both = (
            SACCT
            + job(5101, december, december + 10800, "NODE_FAIL")
            + job(5101, december + 6 * 3600, december + 7 * 3600)
        )
        for text, day, name, wanted in (
            (both, "0101", "slurm-5101.out", [(1, None), (2, 8 * 900)]),
            (SACCT + job(5101, december, december + 8 * 3600), "0101", "slurm-5101.out", [(1, 8 * 900)]),
            (SACCT + job(5101, december, december + 8 * 3600), "0101", "llama.out", [(1, 8 * 900)]),
            (SACCT + job(5101, december - 86400, december - 60000), "1231", "llama.out", [(1, 8 * 900)]),
        ):
            with self.subTest(name=name, day=day):
                self.assertEqual(
                    [("5101", attempt, seconds, None) for attempt, seconds in wanted],
                    self.seconds(self.folder_of({"sacct.psv": text, name: log(day)})),
                )

    def test_the_year_in_a_name(self):
        """Of a log of no job: that of the day in its name, or in its folder's, if no scheduler's export lies there. A day of January may be that of a rotation."""
        log = maxtext(0, 9, prefix=lambda seconds: f"I1101 {clock(60 + seconds)[11:]}.000000 1 max_logging.py:36] ")
        for name, found in (
            ("train_20261101_000100.log", True),
            ("train-2026-11-01.log", True),
            ("train.n1.ann.log.INFO.20261101-000100.4711", True),
            ("2026-11-01/train.log", True),
            ("train_20270101_000000.log", True),
            ("train-20270101.log", False),
            ("train.log-20261102", False),
            ("train.log", False),
        ):
            with self.subTest(name):
                path = self.folder_of({name: log, "b.log": megatron(60, 1, 5)})
                self.assertEqual(
                    [("chip", "the year in its name") if found else ("year", None)],
                    self.rows(
                        "SELECT missing, json_extract(inferred, '$.year') FROM trace_sources(?) WHERE format = 'maxtext'",
                        path,
                    ),
                )
                if found and "2026" in name:
                    self.assertEqual(
                        [(T + 60,)],
                        self.rows(
                            "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' AND job NOT GLOB '*b.log'",
                            path,
                        ),
                    )
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1200), "slurm-5101_2025-11-01.log": log}
        )  # its job's year counts first
        self.assertEqual(
            [("the year in which its job ran",)],
            self.rows("SELECT json_extract(inferred, '$.year') FROM trace_sources(?) WHERE format = 'maxtext'", path),
        )
        path = self.folder_of({"2025-11-01/sacct.psv": SACCT + job(5101, 0, 1200), "2025-11-01/x.log": log})
        self.assertEqual([("year",)], self.rows("SELECT missing FROM trace_sources(?) WHERE format = 'maxtext'", path))

    def test_jobs_of_one_name_before_and_after(self):
        december = 60 * 86400 + 20 * 3600
        jobs = SACCT + job(5101, december, december + 3600) + job(5102, december + 6 * 3600, december + 7 * 3600)
        for day, hour, wanted in (("1231", 20, "5101"), ("0101", 2, "5102")):
            log = maxtext(
                0,
                99,
                prefix=lambda seconds, at=f"I{day} {hour:02}": f"{at}:{seconds // 60:02}:{seconds % 60:02}.000000 140000 max_logging.py:36] ",
            )
            rows = self.seconds(self.folder_of({"sacct.psv": jobs, "llama.out": log}))
            self.assertEqual({wanted}, {name for name, _, productive, _ in rows if productive}, rows)


if __name__ == "__main__":
    unittest.main()
