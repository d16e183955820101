"""Logs of trainers beside a scheduler: which attempt of which job each line is of, and what one trainer after the other did."""

import json
import os
import unittest

from job_logs import Logs, PRODUCTIVE, SACCT, T, clock, job, maxtext, megatron, torchtitan


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


class Ends(Logs):
    def test_a_log_that_says_otherwise_how_its_job_ended(self):
        """The scheduler's word counts, as that of a script which hides how its program failed, and that is said."""

        def listed(state, log, name="5101.log"):
            rows = job(5101, 0, 500, state="REQUEUED") + job(5101, 600, 1800, state=state)
            path = self.folder_of({"sacct.psv": SACCT + rows, name: log})
            self.seconds(path)
            return self.rows(
                "SELECT count, detail FROM mpg_issues WHERE kind = 'conflicting_job' AND severity = 'info' AND source = ?",
                os.path.join(path, name),
            )

        def says(log, state):
            return [
                (
                    1,
                    f"logs and the scheduler differ on how jobs ended, the first 5101, {log} in its log: the scheduler's {state} counts",
                )
            ]

        done = torchtitan(20, 1, 40, saves=(30,)) + torchtitan(650, 31, 100, load=30, saves=(50,), done=True)
        cut = torchtitan(20, 1, 40, saves=(30,)) + torchtitan(650, 31, 90, load=30, saves=(50,))
        for log in (done, cut):
            self.assertEqual([], listed("COMPLETED", log))
        self.assertEqual([], listed("FAILED", cut))
        for state, outcome in (("FAILED", "failed"), ("CANCELLED by 1000", "cancelled"), ("TIMEOUT", "timeout")):
            self.assertEqual(says("completed", outcome), listed(state, done))
        self.assertEqual([], listed("RUNNING", done))
        killed = f"slurmstepd: error: *** JOB 5101 ON n1 CANCELLED AT {clock(1800).replace(' ', 'T')} DUE TO TIME LIMIT ***\n"
        for state, wanted in (("TIMEOUT", []), ("FAILED", []), ("COMPLETED", says("timeout", "completed"))):
            self.assertEqual(wanted, listed(state, cut + killed))
            self.assertEqual([], listed(state, cut + killed.replace("TIME LIMIT", "PREEMPTION")))
        deepspeed = "".join(
            f"[{clock(650 + i)},000] [INFO] [timer.py:260:stop] epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec=25.0, "
            "CurrSamplesPerSec=25.7, MemAllocated=4.32GB, MaxMemAllocated=38.49GB\n"
            for i in range(10, 101, 10)
        )
        deepspeed = f"[{clock(650)},000] [INFO] [launch.py:163:main] dist_world_size=8\n" + deepspeed
        self.assertEqual([], listed("COMPLETED", deepspeed))
        killed = f"[{clock(760)},000] [ERROR] [launch.py:325:sigkill_handler] ['python', 'train.py'] exits with return code = 1\n"
        self.assertEqual([], listed("FAILED", deepspeed + killed))
        self.assertEqual(says("failed", "completed"), listed("COMPLETED", deepspeed + killed))

    def test_a_run_that_reached_its_end_in_an_attempt_that_did_not(self):
        """A requeue did its steps again, whatever the log says: the scheduler says which attempts completed."""
        logs = megatron(0, 1, 100, saves=(100,)), megatron(1200, 1, 100, saves=(100,))
        for state, lost in (("COMPLETED", None), ("REQUEUED", 8000), ("PREEMPTED", 8000), ("NODE_FAIL", 8000)):
            rows = SACCT + job(5101, 0, 1100, state=state) + job(5101, 1150, 2300, submit=1100)
            for files in ({"5101.log": "".join(logs)}, {"5101/a.log": logs[0], "5101/b.log": logs[1]}):
                found = self.seconds(self.folder_of({"sacct.psv": rows, **files}))
                done = [("5101", 1, None, 8000) if lost else ("5101", 1, 8000, None), ("5101", 2, 8000, None)]
                self.assertEqual(done, found, (state, list(files)))


class BetweenAttempts(Logs):
    def test_who_held_the_chips(self):
        """Nothing tells, and a row says so, but of a job that a scheduler knows, of minutes, and of a run that reached its end."""
        first, then = megatron(0, 1, 60, saves=(50,)), lambda at: megatron(at, 51, 100, load=50, saves=(100,))
        whole = megatron(0, 1, 100, saves=(100,))
        listed = "SELECT severity, count FROM mpg_issues WHERE kind = 'between_attempts' AND instr(source, ?)"
        for text, scheduler, wanted in (
            (first + then(2000), False, [("info", 1)]),
            (first + then(900), False, []),
            (first + then(2000), True, []),
        ):
            path = self.folder_of({"5101.log": text} | ({"sacct.psv": SACCT + job(5101, 0, 4000)} if scheduler else {}))
            self.one("SELECT count(*) FROM trace_ledger(?)", path)
            self.assertEqual(wanted, self.rows(listed, path), (scheduler, text[-200:]))
        path = self.of_one_job({"a.log": whole, "b.log": torchtitan(4000, 1, 50, saves=(50,), done=True)})
        self.assertEqual(
            [(1,), (2,)], self.rows("SELECT DISTINCT attempt FROM trace_ledger(?) WHERE attempt IS NOT NULL", path)
        )
        self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'between_attempts' AND source = 'x'"))


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

    def test_a_requeue_within_a_second(self):
        """A step that ends in the second in which the next attempt begins was done in the one before."""
        rows = job(5101, 0, 600, "NODE_FAIL") + job(5101, 600, 1800, submit=600)
        for late in (0, 0.6):
            steps = self.tracker((late, 1, 60), (660, 61, 100))
            path = self.folder_of({"sacct.psv": SACCT + rows, "5101/wandb.csv": steps})
            found = self.rows(
                "SELECT attempt, sum(chip_us) / 8e6 FROM trace_rollup(?) WHERE category = 'unrated' GROUP BY 1", path
            )
            self.assertEqual([(1, 600), (2, 460 - late)], found)
            self.assertEqual(
                [], self.rows("SELECT * FROM mpg_issues WHERE kind = 'missing_steps' AND instr(source, ?)", path)
            )

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
            ({"5101.out": megatron(61, 1, 50), "5102.out": crashed}, [("5102.out", "5102")]),
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


if __name__ == "__main__":
    unittest.main()
