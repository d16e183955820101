"""Logs of any trainer: attempts in several files or in one, in the order that their clocks say, and the progress bars between the lines."""

import datetime
import gzip
import json
import os
import unittest

from each_trainer import OfEachTrainer
from fleets import ROOT
from job_logs import Logs, clock, maxtext, megatron, torchtitan
from training import FIXTURES, Case

FULL = bool(os.environ.get("MPG_FULL"))


class BehindAPrefix(OfEachTrainer):
    """What another program puts before each line, or around it, changes no figure: launchers, schedulers, Ray, the runtimes of containers."""

    PREFIXES = (
        "[rank0]:",
        "[default0]:",
        "0: ",
        "[1,0]<stdout>:",
        "\x1b[36m(RayTrainWorker pid=7, ip=10.0.0.1)\x1b[0m ",
        "[pod/train-0/main] ",
        "trainer-1  | ",
        "worker-0: ",
        "INFO:root:",
        "\t",
        "\x1b[32m",
        "\x1b[2K\x1b[1G",
        "\x1b[K",
    )
    OBJECTS = (
        {"log": None, "stream": "stdout"},
        {"insertId": "a", "severity": "INFO", "textPayload": None},
    )  # Docker's and Google Cloud's, with None for the line

    def test_as_without(self):
        for nth, (log, lines) in enumerate(self.logs()):
            wanted = self.sums(self.file("".join(lines)))
            for prefix in self.PREFIXES if FULL else self.PREFIXES[nth % 2 :: 2]:  # every second with each log
                with self.subTest(log=log, prefix=prefix):
                    self.assertEqual(wanted, self.sums(self.file("".join(prefix + line for line in lines))))
            for around in self.OBJECTS:
                with self.subTest(log=log, around=around):
                    self.assertEqual(
                        wanted,
                        self.sums(
                            self.file(
                                "".join(
                                    json.dumps({key: value or line for key, value in around.items()}) + "\n"
                                    for line in lines
                                )
                            )
                        ),
                    )

    def test_nul_bytes(self):
        """A crash leaves them for what was not written yet, and copytruncate at the start, where the program believes the old lines to be."""
        for log, lines in self.logs():
            wanted = self.sums(self.file("".join(lines)))
            for where, holes in (
                ("start", {0: 50000}),
                ("between", {5: 3000}),
                ("some", {i: 1 for i in range(0, len(lines), 7)}),
            ):
                with self.subTest(log=log, where=where):
                    path = self.file("".join("\0" * holes.get(i, 0) + line for i, line in enumerate(lines)))
                    self.assertEqual(wanted, self.sums(path))
                    self.assertEqual(
                        [("data_loss", len(holes))],
                        self.rows(
                            "SELECT severity, count FROM mpg_issues WHERE kind = 'nul_bytes' AND source = ?", path
                        ),
                    )

    def test_the_last_line_first(self):
        """As Google Cloud's logging and Loki print them."""
        for log, lines in self.logs():
            with self.subTest(log=log):
                path = self.file("".join(reversed(lines)))
                self.assertEqual(self.sums(self.file("".join(lines))), self.sums(path))
                self.assertEqual(
                    [(path,)],
                    self.rows("SELECT source FROM mpg_issues WHERE kind = 'reversed_lines' AND source = ?", path),
                )
                another = ["another log\n", *lines]
                self.assertEqual(
                    self.sums(self.folder_of({"a.log": "".join(lines), "b.log": "".join(another)})),
                    self.sums(self.folder_of({"a.log": "".join(lines), "b.log": "".join(reversed(another))})),
                )

    def test_each_line_twice(self):
        """Python's logging prints a line twice if two handlers do: none takes its time twice."""
        for log, lines in self.logs():
            with self.subTest(log=log):
                self.assertEqual(
                    self.sums(self.file("".join(lines))), self.sums(self.file("".join(line * 2 for line in lines)))
                )

    def test_a_clock_before_lines_without_one(self):
        """`kubectl logs --timestamps`: where a line has a clock of its own, that one counts."""
        iteration = "iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n"
        at = 1772442000
        outer = lambda s: datetime.datetime.fromtimestamp(at + s, datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.000000000Z "
        )
        self.map(
            "megatron", self.file("".join(outer(s) + " " + iteration.format(step) for s, step in ((20, 10), (40, 20))))
        )
        self.assertEqual(
            [(at, at + 20), (at + 20, at + 40)], self.rows("SELECT start_time, end_time FROM training_steps")
        )
        for late in (0, 100, 600, 1000, 3600, 3900, -7200):  # buffered; an hour or two are of another zone
            self.map(
                "megatron",
                self.file(
                    "".join(
                        outer(s + late) + f" [2026-03-02 09:00:{s}] " + iteration.format(step)
                        for s, step in ((20, 10), (40, 20))
                    )
                ),
            )
            zone = {3600: 3600, 3900: 3600, -7200: -7200}.get(late, 0)
            self.assertEqual(
                [(at + zone, at + zone + 20), (at + zone + 20, at + zone + 40)],
                self.rows("SELECT start_time, end_time FROM training_steps"),
                late,
            )
        self.map(
            "nanogpt",
            self.file(
                "".join(
                    outer(s) + f"step:{step}/100 train_loss:3.0 train_time:{s * 1000}ms step_avg:1.0ms\n"
                    for s, step in ((20, 1), (40, 2))
                )
            ),
        )
        self.assertEqual(
            [(at, at + 20), (at + 20, at + 40)], self.rows("SELECT start_time, end_time FROM training_steps")
        )


class StepsThatDidNothing(Case):
    def test_listed(self):
        """Skipped, or with a loss that is no number: they have a number, so they are progress unless the run goes back. A row counts them."""
        megatron = "iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 | number of skipped iterations: {:3d} | number of nan iterations: {:3d} |\n"
        titan = "[rank0]:[titan] 2026-03-03 10:00:{:02d},000 - root - INFO - step: {:2d}  loss: {}  memory: 45.23GiB(57.12%)  tps: 16,384  tflops: 400.00  mfu: 40.44%\n"
        deepspeed = "[2026-03-03 10:00:{:02d},000] [INFO] [logging.py:96:log_dist] [Rank 0] step={}, skipped={}, lr=[0.1], mom=[0.9]\n[2026-03-03 10:00:{:02d},000] [INFO] [timer.py:1] epoch=0/micro_step={}/global_step={}, RunningAvgSamplesPerSec=1.0\n"
        wandb = '{{"_timestamp": {}, "_step": {}, "train/loss": {}}}\n'
        mlflow, tensorboard = "run_id,key,value,step,timestamp\n", "Wall time,Step,Value\n"
        losses = ("1.5", "nan", "2.5", "inf", "3.5")

        def comet(n, value):
            return {"metricName": "loss", "metricValue": value, "timestamp": 1772442000000 + n, "step": n}

        for name, text, wanted in (
            ("megatron", megatron.format(10, 2, 0) + megatron.format(20, 1, 4), 6),
            ("megatron", megatron.format(10, 0, 0) + megatron.format(20, 0, 0), None),
            ("megatron", megatron.format(10, 0, 0).replace("1.0E+00", "NAN") + megatron.format(20, 0, 0), 1),
            ("megatron", megatron.format(10, 0, 0) + megatron.format(20, 0, 0).replace("1.0E+00", "-INF"), 1),
            ("torchtitan", titan.format(10, 1, "3.2") + titan.format(20, 2, "nan") + titan.format(30, 3, "-inf"), 2),
            (
                "maxtext",
                "".join(
                    f"completed step: {n}, seconds: 1.0, TFLOP/s/device: 1.0, loss: {loss}\n"
                    for n, loss in enumerate(("1.0", "nan", "inf"))
                ),
                2,
            ),
            ("nanogpt", "iter 0: loss 1.0, time 10.00ms, mfu 1.0%\niter 1: loss nan, time 10.00ms, mfu 1.0%\n", 1),
            ("deepspeed", "".join(deepspeed.format(n, n, n // 10, n, n, n) for n in (10, 20, 30)), 3),
            (
                "wandb",
                "".join(wandb.format(1772442000 + n, n, loss) for n, loss in enumerate(("1.0", '"NaN"', "2.0"))),
                1,
            ),
            ("mlflow", mlflow + "".join(f"r,loss,{v},{n},{1772442000000 + n}\n" for n, v in enumerate(losses)), 2),
            ("tensorboard", tensorboard + "".join(f"{1772442000 + n},{n},{v}\n" for n, v in enumerate(losses)), 2),
            ("comet", json.dumps([comet(n, v) for n, v in enumerate(losses)]), 2),
        ):
            with self.subTest(name=name, text=text[:80]):
                path = self.file(text)
                self.one("SELECT count(*) FROM trace_ledger(?)", path)
                self.assertEqual(
                    wanted,
                    self.one("SELECT sum(count) FROM mpg_issues WHERE kind = 'skipped_steps' AND source = ?", path),
                )
                told = self.rows("SELECT loss FROM trace_training_steps(?) WHERE loss IS NOT NULL", path)
                self.assertEqual([], [loss for (loss,) in told if loss not in (1, 1.5, 2, 2.5, 3.2, 3.5)])

    def test_lines_that_are_gone(self):
        """Of a program that prints every tenth step, or each. That steps took as long as those of the next line is a guess."""
        for every in (1, 10):
            for write in (
                lambda n: f"iter {n}: loss 2.0, time 500.00ms, mfu 30.00%\n",
                lambda n: f"step:{n}/1000 train_loss:2.0 train_time:{500 * n}ms step_avg:500.00ms\n",
                lambda n: f"iteration {n}/ 1000 | consumed samples: 1 | elapsed time per iteration (ms): 500.0 | lm loss: 1.0E+00 |\n",
                lambda n: f"[titan] 2026-01-01 00:{n // 60:02}:{n % 60:02},000 - root - INFO - step: {n}  loss: 2.0  memory: 1.00GiB(1.0%)  tps: 1,000  mfu: 30.0%\n",
            ):
                steps = [every * n for n in range(1, 21)]
                for gone, listed in (([], None), (steps[8:11], 1), (steps[3:5] + steps[8:11], 2)):
                    with self.subTest(line=write(every), gone=gone):
                        path = self.file("".join(write(n) for n in steps if n not in gone))
                        self.one("SELECT count(*) FROM trace_ledger(?)", path)
                        self.assertEqual(
                            listed,
                            self.one(
                                "SELECT sum(count) FROM mpg_issues WHERE kind = 'missing_steps' AND source = ?", path
                            ),
                        )

    def test_a_run_of_one_line(self):
        """Where a run began that prints one line is told by what it loaded, or not at all."""
        line = "using world size: 2, data-parallel size: 2\n{}iteration 30/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n"
        for loaded, executions, issues in (
            ("", 1, 1),
            ("  successfully loaded checkpoint from /c [ t 1/1, p 1/1 ] at iteration 20\n", 10, None),
        ):
            path = self.file(line.format(loaded))
            self.map("megatron", path)
            self.assertEqual([(executions,)], self.rows("SELECT executions FROM training_steps"))
            self.assertEqual(
                issues, self.one("SELECT sum(count) FROM mpg_issues WHERE kind = 'missing_steps' AND source = ?", path)
            )


class BaseModels(Case):
    """A run that begins from another run's checkpoint, as of a base model, has its own steps before it: begun again, it goes on from none of them. From a checkpoint of its own it does."""

    LINES = {
        "maxtext": "{} Config param steps: 99|{} Finished load in 4.00 seconds @ gs://x/checkpoints/{n}/items|{} completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0",
        "torchtitan": "[titan] {},000 - root - INFO - Starting job: x|[titan] {},000 - root - INFO - Loading the checkpoint from /x/step-{n}.\n[titan] {},000 - root - INFO - Finished loading the checkpoint in 4.00 seconds."
        "\n[titan] {},000 - root - INFO - Training starts at step {first}|[titan] {},000 - root - INFO - step: {n}  loss:  8.0  memory: 1.0GiB(2.0%)  tps: 100  tflops: 10.0  mfu: 1.0%",
        "deepspeed": "[{},000] [INFO] [launch.py:1:main] dist_world_size=1|[{},000] [INFO] [engine.py:1:load] Loaded checkpoint from /x/global_step{n}/mp_rank_00_model_states.pt"
        "|[{},000] [INFO] [timer.py:1:stop] epoch=0/micro_step=1/global_step={n}, RunningAvgSamplesPerSec=1.0",
    }

    def test_begun_again(self):
        for name, lines in self.LINES.items():
            begin, load, step = (line + "\n" for line in lines.split("|"))

            def said(line, at, n=""):
                return line.replace("{}", f"2026-03-03 10:{at // 60:02d}:{at % 60:02d}").replace("{n}", str(n))

            def run(at, loaded, first, last):
                return (
                    said(begin, at)
                    + said(load, at + 10, loaded).replace("{first}", str(first))
                    + "".join(said(step, at + 10 + 2 * n, n) for n in range(first, last + 1))
                )

            for loaded, first, lost in ((1000, 1, 10), (10, 1, 10), (5, 6, 5)):
                path = self.file(run(0, 1000, 1, 10) + run(100, loaded, first, 12))
                self.assertEqual(
                    [(2 * lost,)],
                    self.rows("SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'lost'", path),
                    (name, loaded),
                )


AT = "2026-03-03 10:00:%02d"


class SeveralDevicesAChip(Case):
    """A rank has a device, of which an MI250X has two: 16 ranks are 8 chips, each at twice the rate that a line tells of a device. What was computed is the same.
    Of the GPUs that AMD's tools call so, each is one of the two."""

    LOGS = {
        "megatron.log": "using world size: 16, data-parallel size: 16\n"
        + "".join(
            f" [{AT % (2 * n)}.000] iteration {n}/ 9 | consumed samples: {n} | elapsed time per iteration (ms): 2000.0 | throughput per GPU (TFLOP/s/GPU): 100.0 | lm loss: 1.0E+00 |\n"
            for n in range(1, 6)
        ),
        "torchtitan.log": f"[titan] {AT % 0},000 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=16, cp=1, tp=1, ep=1\n"
        + "".join(
            f"[titan] {AT % (2 * n)},000 - root - INFO - step: {n}  loss:  8.0  memory: 1.0GiB(2.0%)  tps: 50  tflops: 100.0  mfu: 1.0%\n"
            for n in range(1, 6)
        ),
        "deepspeed.log": f"[{AT % 0},000] [INFO] [launch.py:1:main] dist_world_size=16\n"
        + "".join(
            f"[{AT % (2 * n)},000] [INFO] [timer.py:1:stop] epoch=0/micro_step=1/global_step={n}, RunningAvgSamplesPerSec=1.0\n"
            for n in range(1, 6)
        ),
        "nemo.log": f"[NeMo I {AT % 0} x:1] Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16\n"
        + "".join(
            f"Training epoch 0, iteration {n}/9 | lr: 1e-4 | global_step: {n} | reduced_train_loss: 2.5 | train_step_timing in s: 2.0 | TFLOPS_per_GPU: 100.0\n"
            for n in range(1, 6)
        ),
    }

    def test_sums(self):
        for name, text in self.LOGS.items():
            path = self.file(text, name)
            for chip, devices in ({"amd-mi250x": 2, "AMD Instinct MI250X": 1, "nvidia-h100-sxm": 1}).items():
                fleet = json.dumps(
                    {
                        "sources": [
                            {"path": path, "chip": chip, "outcome": "completed"}
                            | ({"flops": 16 * 200e12} if name == "deepspeed.log" else {})
                        ]
                    }
                )
                self.assertEqual(
                    [(16 / devices,)],
                    self.rows("SELECT DISTINCT chips FROM trace_records(?) WHERE record = 'allocations'", fleet),
                    (name, chip),
                )
                (peak,) = self.rows("SELECT chip_peak_flops(?, 'bf16')", chip)[0]
                told = self.rows(
                    "SELECT DISTINCT round(tflops_per_chip), round(1000 * mfu), round(flops / 1e12) FROM trace_training_steps(?) WHERE step > 1",
                    fleet,
                )
                rate = (None, None) if name == "deepspeed.log" else (100 * devices, round(100e15 * devices / peak))
                self.assertEqual([rate + (16 * 200,)], told, (name, chip))
                (pg,) = self.rows("SELECT program_goodput(category, chip_us) FROM trace_rollup(?)", fleet)[0]
                self.assertAlmostEqual(100e12 * devices / peak, pg, 3, (name, chip))


class Replicas(Case):
    """Groups of torchft, each of 8 chips and with a log of its own, do the steps of one job: they count once, and the message says how to count the chips of both."""

    def test_chips(self):
        folder = self.folder_of(
            {
                f"replica_{r}.log": f"[titan] {AT % 0},{r}00 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1\n[titan] {AT % 5},{r}00 - root - INFO - Training starts at step 1\n"
                + "".join(
                    f"[titan] {AT % (10 + 5 * n)},{r}00 - root - INFO - step: {n}  loss:  8.0  memory: 1.0GiB(2.0%)  tps: 50  tflops: 100.0  mfu: 1.0%\n"
                    for n in range(1, 9)
                )
                for r in (0, 1)
            }
        )
        fleet = json.dumps({"sources": [{"path": folder, "job": "j", "chips": 16, "outcome": "completed"}]})
        self.assertEqual(
            [("j", 16, round(16 * 50.1))],
            self.rows(
                "SELECT job, max(chips), (SELECT round(sum(chip_seconds)) FROM trace_rollup(?1)) FROM trace_records(?1) WHERE record = 'allocations' GROUP BY job",
                fleet,
            ),
        )
        self.assertEqual(
            [(8, 1)],
            self.rows(
                "SELECT count, detail LIKE '%give the option chips: all of them' FROM mpg_issues WHERE kind = 'parallel_files' AND source LIKE ?",
                folder + "%",
            ),
        )


class CutOff(Case):
    """A program that died as it wrote the number of a step, 1 of 12: it is none, whatever the next program appends to the line."""

    LINES = {
        "maxtext": "2026-03-03 10:{:02d}:{:02d} completed step: {}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0\n",
        "torchtitan": "[titan] 2026-03-03 10:{:02d}:{:02d},000 - root - INFO - step: {:2d}  loss:  8.0  memory: 1.0GiB(2.0%)  tps: 100  tflops: 10.0  mfu: 1.0%\n",
        "megatron": " [2026-03-03 10:{:02d}:{:02d}.000000] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n",
        "trainer": "2026-03-03T10:{:02d}:{:02d}Z Training epoch 0, iteration 1/99 | global_step: {} | reduced_train_loss: 0.5 | train_step_timing in s: 2.0\n",
        "deepspeed": "[2026-03-03 10:{:02d}:{:02d},000] [INFO] [timer.py:1:stop] epoch=0/micro_step=1/global_step={}, RunningAvgSamplesPerSec=1.0\n",
        "nanogpt": "2026-03-03T10:{:02d}:{:02d}Z iter {}: loss 3.0, time 2000.00ms, mfu 1.00%\n",
    }

    def test_within_the_number(self):
        for name, form in self.LINES.items():
            line = lambda at, n: form.format(at // 60, at % 60, n)
            first, second = "".join(line(2 * n, n) for n in range(1, 12)), "".join(
                line(100 + 2 * n, n) for n in range(3, 8)
            )
            cut = line(24, 12)[: line(24, 12).index("12", 24) + 1]
            steps = "SELECT attempt, step, end_time FROM trace_training_steps(?) ORDER BY 1, 2"
            wanted = self.rows(steps, self.file(first + "hello\n" + second))
            self.assertEqual(2, wanted[-1][0])
            for between in ("\n", "\nhello\n", "hello\n"):
                with self.subTest(name=name, between=between):
                    self.assertEqual(wanted, self.rows(steps, self.file(first + cut + between + second)))


class ComesFurther(Case):
    """A program that prints every tenth step, saves that of number 35 and dies or ends: a row says so, and no save is as long as five steps more."""

    HEADS = {
        "megatron": "using world size: 8, data-parallel size: 8\n",
        "torchtitan": "[titan] 2026-03-03 10:00:{0:02d},000 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1\n",
        "deepspeed": "[2026-03-03 10:{0:02d}:00,000] [INFO] [launch.py:152:main] dist_world_size=8\n",
    }
    SAVES = {
        "megatron": "  successfully saved checkpoint from iteration      35 to /c\n",
        "torchtitan": "[titan] 2026-03-03 10:01:14,000 - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in 4.00 seconds.\n",
        "deepspeed": "[2026-03-03 10:01:10,000] [INFO] [logging.py:96:log_dist] [Torch] Checkpoint global_step35 is about to be saved!\n"
        "[2026-03-03 10:01:14,000] [INFO] [logging.py:96:log_dist] [Torch] Checkpoint global_step35 is ready now!\n",
    }
    LOADS = {
        "megatron": "  successfully loaded checkpoint from /c at iteration 35\n",
        "torchtitan": "[titan] 2026-03-03 10:05:01,000 - root - INFO - Loading the checkpoint from /c/step-35.\n"
        "[titan] 2026-03-03 10:05:03,000 - root - INFO - Finished loading the checkpoint in 2.00 seconds.\n",
        "deepspeed": "[2026-03-03 10:05:03,000] [INFO] [x.py:1:load] [Torch] Loaded checkpoint from /c/global_step35/mp_rank_00_model_states.pt.\n",
    }

    def lines(self, name, numbers, second):
        return "".join(CutOff.LINES[name].format(*divmod(second + 2 * n, 60), n) for n in numbers)

    def further(self, name, text):
        path = self.file(text, "train.log")
        fleet = json.dumps({"sources": [{"path": path, "chips": 8}]})
        seconds = dict(self.rows("SELECT category, sum(chip_us) / 8e6 FROM trace_rollup(?) GROUP BY 1", fleet))
        return seconds.get("checkpoint"), self.rows(
            "SELECT count, substr(detail, instr(detail, 'first to'), 16) FROM mpg_issues WHERE source = ? AND kind = 'missing_steps' AND detail LIKE '%further%'",
            path,
        )

    def test_until_the_next_run(self):
        for name in self.HEADS:
            head = self.HEADS[name].format(0)
            first = head + self.lines(name, (10, 20, 30), 0) + self.SAVES[name]
            second = self.HEADS[name].format(5) + self.LOADS[name] + self.lines(name, (40, 50), 300 - 60)
            with self.subTest(name=name):
                self.assertEqual([(1, "first to step 35")], self.further(name, first + second)[1])
                whole = head + self.lines(name, (10, 20, 30, 35), 0) + self.SAVES[name]
                self.assertEqual([], self.further(name, whole + second)[1])

    def test_until_it_exits(self):
        exits = "[exiting program at iteration 35] datetime: 2026-03-03 10:01:14 \n"
        head = self.HEADS["megatron"] + self.lines("megatron", (10, 20, 30), 0) + self.SAVES["megatron"]
        self.assertEqual((4.0, [(1, "first to step 35")]), self.further("megatron", head + exits))


class GoesOn(Case):
    """A log that goes on after its last step is of a run that hangs or is torn down: it holds its chips until then."""

    LINES = CutOff.LINES
    ZONED = ("trainer", "nanogpt")
    GLOG = "[rank3]:[E303 10:30:40.250000123 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught a time-out\n"

    def log(self, name, shift=0):
        return "".join(self.LINES[name].format(*divmod(2 * n + shift, 60), n) for n in range(1, 6))

    def held(self, *logs, **more):
        """From when to when each attempt's chips were held, in seconds from 10:00:00."""
        self.paths = [self.file(text, "log") for text in logs]
        sources = [{"path": path, "chips": 8, "outcome": "failed"} | more for path in self.paths]
        return self.rows(
            """SELECT round(start_time - s.at, 2), round(end_time - s.at, 2)
               FROM (SELECT strftime('%s', '2026-03-03 10:00:00') + 0 AS at) AS s, trace_records(?) WHERE record = 'allocations' ORDER BY 1""",
            json.dumps({"sources": sources}),
        )

    def test_a_hang(self):
        for name in self.LINES:
            text = self.log(name)
            ((begin, end),) = self.held(text)
            self.assertEqual(10, end)
            zoned = name in self.ZONED
            zone, other = ("Z", "") if zoned else ("", "Z")
            for more, until in (
                (self.GLOG, 10 if zoned else 1840.25),
                ("E0303 10:30:40.250000 912 coordination_service.cc:5] Polled\n", 10 if zoned else 1840.25),
                (f"[2026-03-03 10:30:40,250{zone}] torch: [WARNING] Sending process 4 SIGTERM\n", 1840.25),
                ("[20260303 10:30:40][rank-3/8][ERROR] NCCL\n", 10 if zoned else 1840),
                ("2026-03-03T10:29:59.123456789Z stderr F " + self.GLOG, 1799.12 if zoned else 1840.25),
                ("2026-03-03T10:29:59.123456789Z stderr F Traceback\n", 1799.12 if zoned else 10),
                (f"[rank0]: 2026/03/03 10:30:40.25{zone} hangs\nTraceback (most recent call last):\n  2026\n", 1840.25),
                # the clocks of another host, of a zone beside times without one, and of another day
                ("slurmstepd: error: *** STEP 4242.0 ON node0012 CANCELLED AT 2026-03-03T10:30:40 ***\n", 10),
                (f"2026-03-03T10:30:40{other} hangs\n", 10),
                (f"2026-03-02 10:30:40{zone} before\n", 10),
                ("Traceback (most recent call last):\n", 10),
            ):
                with self.subTest(name=name, more=more):
                    self.assertEqual([(begin, until)], self.held(text + more))

    def test_a_hang_in_what_keeps_logs(self):
        """Its clock counts, before the text, beside it or in a line below, also if it is of another zone than the program's, and with the last line first."""
        kept = {
            "runtime": (lambda at, n, line: f"{at}.000000000Z stderr F {line}\n", 1),
            "prefix": (lambda at, n, line: f"[pod/p-0/main] {at}Z {line}\n", 1),
            "docker": (lambda at, n, line: json.dumps({"log": line + "\n", "time": at + ".000000001Z"}) + "\n", 1),
            "journal": (
                lambda at, n, line: json.dumps(
                    {"MESSAGE": line, "__REALTIME_TIMESTAMP": self.one("SELECT strftime('%s', ?)", at) + "000000"}
                )
                + "\n",
                1,
            ),
            "listing": (lambda at, n, line: json.dumps(self.entry(at, n, line), indent=2) + ",\n", 1),
            "listing, last first": (lambda at, n, line: json.dumps(self.entry(at, n, line), indent=2) + ",\n", -1),
            "lines, last first": (lambda at, n, line: json.dumps(self.entry(at, n, line)) + "\n", -1),
            "table, last first": (lambda at, n, line: f'{at}Z,"{line}"\n', -1),
        }
        for name in self.LINES:
            for hours in (0, 8) if name not in self.ZONED else (0,):
                lines = [(2 * n, line) for n, line in enumerate(self.log(name).splitlines(), 1)]
                plain = self.held("".join(line + "\n" for _, line in lines))
                more = [(2 * n + 600 * n, f"waits {n}") for n in range(6, 9)]
                for how, (keep, order) in kept.items():
                    entries = [
                        (
                            self.one(
                                "SELECT strftime('%Y-%m-%dT%H:%M:%S', 1772532000 + ?, 'unixepoch')",
                                second + 3600 * hours,
                            ),
                            n,
                            line,
                        )
                        for n, (second, line) in enumerate(lines + more)
                    ]
                    with self.subTest(name=name, hours=hours, how=how):
                        found = self.held("".join(keep(*entry) for entry in entries[::order]))
                        begin, end = found[0][0], round(found[-1][1])
                        self.assertIn(begin, (plain[0][0], 3600 * hours))
                        self.assertEqual(4816, end - begin)

    def entry(self, at, n, line):
        return {
            "insertId": f"a{n}",
            "receiveTimestamp": "2026-03-03T23:00:00Z",
            "textPayload": line,
            "timestamp": at + "Z",
        }

    def test_a_launch_that_came_to_nothing(self):
        """The run before it ends where its own lines do, and a row says for how long the launch held chips."""
        for i, name in enumerate(self.LINES):
            text = self.log(name)
            ((begin, _),) = self.held(text)
            zoned = name in self.ZONED
            zone = "Z" if zoned else ""
            dead = f"[2026-03-03 11:00:00,000{zone}] ImportError: no module\n"
            launches = (
                (f"[2026-03-03 10:50:00,000{zone}] torch.distributed.run: [WARNING] *****\n", 600),
                (
                    f"[2026-03-03 10:50:00,000{zone}] [INFO] [real_accelerator.py:219] Setting ds_accelerator to cuda\n",
                    600,
                ),
                ("W0303 10:50:00.000000 140 torch/distributed/run.py:792] *****\n", 600),
                ("Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16\n", 0),
            )
            hangs = ("", 10), (f"[2026-03-03 10:30:00{zone}] hangs\n", 1800), (self.GLOG, 1840.25)
            for j, (launch, seconds) in enumerate(launches):
                for k, (hang, until) in enumerate(hangs):
                    if zoned and "303 " in launch + hang:
                        continue  # clocks without a zone
                    if (i + j + k) % 2 and not FULL:
                        continue
                    with self.subTest(name=name, launch=launch, hang=hang):
                        self.assertEqual([(begin, until)], self.held(text + hang + launch + dead))
                        (row,) = self.rows(
                            "SELECT line, detail FROM mpg_issues WHERE kind = 'no_steps' AND source = ?", *self.paths
                        )
                        self.assertEqual(6 + bool(hang), row[0])
                        self.assertIn(f" {seconds} s at least", row[1])
            # its own traceback is no launch
            failed = (
                f"[2026-03-03 10:30:00{zone}] hangs\n"
                + '  File "/x/torch/distributed/run.py", line 918, in main\n'
                + dead
            )
            self.assertEqual([(begin, 3600)], self.held(text + failed))

    def test_between_two_runs(self):
        """What stands there may be of either; in a file of its own it is of the first, up to when the second begins."""
        for name in self.LINES:
            if name not in self.ZONED:
                with self.subTest(name=name):
                    first, second = self.log(name), self.log(name, 900)
                    wanted = self.held(first + second)
                    self.assertEqual([10, 910], [end for _, end in wanted])
                    self.assertEqual(wanted, self.held(first + self.GLOG + second))
                    (begin, _), (next_begin, end) = wanted
                    self.assertEqual(
                        [(begin, next_begin), (next_begin, end)], self.held(first + self.GLOG, second, job="j")
                    )


class SaysHowItEnded(Case):
    """Lines below the last step say how the run ended, where the trainer does not: then it runs no longer, and what no save has is lost."""

    STEPD = "slurmstepd: error: *** {} ON n1 CANCELLED AT 2026-03-03T10:00:30{} ***\n"
    TRACE = 'Traceback (most recent call last):\n  File "/x/train.py", line 9, in <module>\n    main()\n'
    SRUN = "srun: error: n1: task 3: {}\n"
    STOPPED = TRACE + "torch.distributed.elastic.multiprocessing.api.SignalException: Process 77 got signal: 15\n"
    ENDS = (
        (STEPD.format("JOB 123", " DUE TO TIME LIMIT"), "timeout"),
        (STEPD.format("STEP 123.0", " DUE TO TIME LIMIT") + SRUN.format("Terminated"), "timeout"),
        (STEPD.format("JOB 123", " DUE TO PREEMPTION") + STOPPED, "preempted"),
        (STEPD.format("JOB 123", " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"), "node_fail"),
        (STEPD.format("JOB 123", "") + STOPPED + SRUN.format("Exited with exit code 1"), "cancelled"),
        (STEPD.format("JOB 123", " DUE to SIGNAL Terminated"), "cancelled"),
        (STEPD.format("STEP 123.0", ""), "cancelled"),
        (STEPD.format("STEP 123.0", "") + STOPPED, "cancelled"),
        (SRUN.format("Exited with exit code 1") + STEPD.format("STEP 123.0", ""), "failed"),
        (TRACE + "RuntimeError: NCCL\n" + STEPD.format("STEP 123.0", ""), "failed"),
        (SRUN.format("Terminated"), "cancelled"),
        (SRUN.format("Out Of Memory"), "failed"),
        (SRUN.replace("task 3", "tasks 0-7").format("Exited with exit code 137"), "failed"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=123.0.\n", "failed"),
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n", "failed"),
        ("E0303 10:00:30.000000 7 torch/x/api.py:869] failed (exitcode: -9) local_rank: 0 (pid: 8)\n", "failed"),
        (TRACE + "KeyboardInterrupt\n", "cancelled"),
        (TRACE + "torch.OutOfMemoryError: CUDA out of memory.\n" + "wandb: Synced\n" * 40, "failed"),
        (TRACE.replace("Tr", "[rank3]: Tr") + "[rank3]: AssertionError\n", "failed"),
        ("Killed\n", "failed"),
        (
            "/var/spool/slurmd/job123/slurm_script: line 33: 12345 Terminated              python train.py\n",
            "cancelled",
        ),
        ("Segmentation fault (core dumped)\n", "failed"),
        ("=>> PBS: job killed: walltime 3642 exceeded limit 3600\n", "timeout"),
        # none of an end: an error that was caught, a process that ended well, and words within a line
        (TRACE + "ValueError: caught\n" + "INFO goes on\n" * 120, None),
        ("RuntimeError: told, not raised\n", None),
        (SRUN.format("Exited with exit code 0"), None),
        ("The process was Killed before\nTerminated workers: 0\n", None),
        ("", None),
    )

    def outcome(self, *logs, **more):
        self.paths = [self.file(text, "log") for text in logs]
        fleet = json.dumps({"sources": [{"path": path, "chips": 8} | more for path in self.paths]})
        self.shares = dict(self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1", fleet))
        return self.rows(
            "SELECT outcome, end_time IS NULL FROM trace_records(?) WHERE record = 'allocations' ORDER BY start_time",
            fleet,
        )

    def log(self, name, first=1, last=5, shift=0):
        return "".join(CutOff.LINES[name].format(*divmod(2 * n + shift, 60), n) for n in range(first, last + 1))

    def test_each(self):
        for name in CutOff.LINES:
            for more, outcome in self.ENDS:
                with self.subTest(name=name, more=more):
                    self.assertEqual([(outcome, outcome is None)], self.outcome(self.log(name) + more))
                    said = self.one("SELECT json_extract(inferred, '$.outcome') FROM trace_sources(?)", *self.paths)
                    self.assertEqual(outcome and f"lines below the last step: {outcome}", said)

    def test_what_comes_before_or_from_others(self):
        """A run that went on had no such end, the option counts, and the run of each file has its own."""
        timeout, failed = self.ENDS[0][0], self.SRUN.format("Exited with exit code 1")
        for name in CutOff.LINES:
            with self.subTest(name=name):
                first, second = self.log(name, 1, 11), self.log(name, 3, 7, 900)
                self.assertEqual([("failed", 0), (None, 1)], self.outcome(first + timeout + second))
                self.assertEqual([("failed", 0), ("timeout", 0)], self.outcome(first + second + timeout))
                self.assertEqual([("cancelled", 0)], self.outcome(first + timeout, outcome="cancelled"))
                self.assertEqual(
                    [("timeout", 0), ("failed", 0)], self.outcome(first + timeout, second + failed, job="j")
                )

    def test_what_no_save_has_is_lost(self):
        for name, save in (
            ("megatron", "  successfully saved checkpoint from iteration      3 to /c\n"),
            ("maxtext", "2026-03-03 10:00:06.500 Saved a checkpoint at step 3\n"),
        ):
            lines = self.log(name).splitlines(True)
            text = "".join(lines[:3]) + save + "".join(lines[3:])
            with self.subTest(name=name):
                self.outcome(text)
                self.assertEqual(({"pending"}, 0), (set(self.shares) & {"pending", "lost"}, self.shares.get("lost", 0)))
                pending = self.shares["pending"]
                self.outcome(text + self.ENDS[0][0])
                self.assertEqual((0, pending), (self.shares.get("pending", 0), self.shares["lost"]))


class NothingRecognised(Case):
    """A log in which no line is known, be it of another trainer, is a row that says so; so is one of the lines but not of steps."""

    def test_all(self):
        for name in ("maxtext", "megatron", "torchtitan", "nanogpt"):
            for text in ("hello\nworld\n", "Epoch 3: 10%|# | 1/10 [00:02<00:30, loss=9.00]\n"):
                with self.subTest(name=name, text=text):
                    path = self.file(text)
                    self.map(name, path)
                    self.assertEqual(
                        self.rows(
                            "SELECT severity, count FROM mpg_issues WHERE kind = 'no_steps' AND source = ?", path
                        ),
                        [("warning", 1)],
                    )
                    self.assertEqual(self.one("SELECT count(*) FROM allocations"), 0)


class RestartWithoutSteps(Logs):
    """A launch that loads a checkpoint and comes to no step: what it loaded was kept, in the log of what came before or in one of its own."""

    WORLD = "using world size: 8, data-parallel size: 8\n"
    LOADED = "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 10\n"
    BEFORE = f"[before the start of training step] datetime: {clock(400)} \n"

    def stamped(self, text):
        return "".join(f"{clock(400).replace(' ', 'T')}.0Z {line}\n" for line in text.splitlines())

    def trainers(self):
        """Each trainer's run of 20 steps with a save of the tenth, and the restart."""
        run = megatron(60, 1, 20, saves=(10,))
        yield "megatron", run, self.WORLD + self.LOADED + self.BEFORE
        yield "megatron in kubectl logs", run, self.stamped(self.WORLD + self.LOADED + "> building GPT model\n")
        yield "torchtitan", torchtitan(60, 1, 20, saves=(10,)), torchtitan(400, 11, 10, load=10)
        run = maxtext(1, 20, saves=(10,), start=60, prefix=lambda time: clock(time) + " ")
        loaded = f"{clock(390)} Num_devices: 8, shape (1, 1, 8, 1)\n{clock(400)} Finished load in 2.00 seconds @ gs://b/ckpt/10\n"
        yield "maxtext", run, loaded

    def sums(self, path):
        return dict(
            self.rows(
                f"SELECT iif(category IN {('ideal', 'inefficiency', 'unrated')}, 'kept', category), sum(chip_us) / 1000000 "
                "FROM trace_ledger(?) WHERE category NOT IN ('queued', 'restore', 'unknown') GROUP BY 1",
                path,
            )
        )

    def listed(self, path):
        return self.rows(
            "SELECT count, detail LIKE '%no clock%' FROM mpg_issues WHERE kind = 'no_steps' AND instr(source, ?)", path
        )

    def test_in_a_log_of_its_own(self):
        for name, run, restart in self.trainers():
            with self.subTest(name):
                wanted = {"kept": 800, "lost": 800}
                self.assertEqual(wanted, self.sums(self.of_one_job({"a.log": run + restart})))
                for files in {"a.log": run, "b.log": restart}, {"b.log": run, "a.log": restart}:
                    path = self.of_one_job(files)
                    self.assertEqual(wanted, self.sums(path))
                    self.assertEqual([(1, 0)], self.listed(os.path.dirname(json.loads(path)["sources"][0]["path"])))

    def test_without_a_clock(self):
        """Nothing tells when it was: it changes nothing, not even the number of the attempt, and that is listed."""
        run = megatron(60, 1, 20, saves=(10,))
        for files in {"a.log": run, "b.log": self.WORLD + self.LOADED}, {
            "b.log": run,
            "a.log": self.WORLD + self.LOADED,
        }:
            path = self.of_one_job(files)
            self.assertEqual({"kept": 800, "pending": 800}, self.sums(path))
            self.assertEqual([(1, 1)], self.listed(os.path.dirname(json.loads(path)["sources"][0]["path"])))
            self.assertEqual([(1,)], self.rows("SELECT DISTINCT attempt FROM trace_ledger(?)", path))

    def test_of_no_job(self):
        """Logs without a step, beside others, give nothing: one row says so for all of them."""
        for name, run, restart in self.trainers():
            with self.subTest(name):
                path = self.folder_of({"a.log": run, "b.log": restart, "c.log": "x\n" + restart})
                self.sums(path)
                self.assertEqual([(2, 0)], self.listed(path))


class ProgressBars(Case):
    """What tqdm draws over and over is one line of a log, of a megabyte and more: no mapping gives up on it, whatever stands before it."""

    def test_all(self):
        bar = "".join(
            f"\r Generating train split: {i:6d} examples [00:{i % 60:02d}, {i / 3:.2f} examples/s]"
            for i in range(20000)
        )
        steps = "SELECT attempt, step, round(start_time - begun, 3), round(end_time - begun, 3), loss FROM training_steps, (SELECT min(start_time) AS begun FROM training_steps)"
        for name in ("maxtext", "megatron", "torchtitan", "nanogpt"):
            with open(f"{FIXTURES}/{name}.log", encoding="utf-8") as file:
                lines = file.readlines()
            self.map(name, self.file("".join(lines)))
            wanted = self.rows(steps)
            for prefix in (
                "",
                "[rank0]:",
                "2026-11-21T15:00:00.5Z ",
                "[titan] 2026-11-21 15:00:00,000 - root - INFO - ",
                "0: [default0]: ",
            ):
                with self.subTest(name=name, prefix=prefix):
                    self.map(name, self.file("".join(lines[:5] + [prefix + bar + "\n"] + lines[5:])))
                    self.assertEqual(self.rows(steps), wanted)


class AfterMuchElse(OfEachTrainer):
    """What libraries print before the first step may be longer than what is looked at first: NCCL's lines of thousands of ranks, a progress bar."""

    NOISE = {
        "nccl": lambda n: "".join(
            f"node{i % 512:03d}:{i}:{i} [{i % 8}] NCCL INFO Channel {i % 32:02d}/0 : {i % 512}[0] -> {i % 511}[0] [send] via NET/IB/0/GDRDMA\n"
            for i in range(n)
        ),
        "bar": lambda n: "".join(f"\r Map: {i:6d} examples [00:{i % 60:02d}, {i / 3:.2f} examples/s]" for i in range(n))
        + "\n",
        "steps": lambda n: "".join(f"[{i % 8}] step of NCCL INFO {i:060d}\n" for i in range(n)),
    }

    def test_all(self):
        for log, lines in self.logs():
            wanted = self.sums(self.file("".join(lines)))
            for name, noise in self.NOISE.items():
                for n in (4000, 30000) if FULL else (9000,):
                    text = noise(n) + "".join(lines)
                    with self.subTest(log=log, noise=name, n=n):
                        self.assertEqual(
                            wanted, self.sums(self.file(text if name == "bar" else gzip.compress(text.encode(), 1)))
                        )


class LongLines(OfEachTrainer):
    """A line of another program may be very long: a model's configuration, a list of hosts. It costs no other line of the log."""

    LINES = {
        "letters": "x" * 60000,
        "JSON": json.dumps({f"key {i}": [i, {"a": "b" * 20}] for i in range(1500)}),
        "words": "the step of 5 " * 4000,
        "times": "2026-03-02 10:00:00 " * 3000,
    }

    def test_all(self):
        for log, lines in self.logs():
            wanted, half = self.sums(self.file("".join(lines))), len(lines) // 2
            for name, line in self.LINES.items():
                with self.subTest(log=log, line=name):
                    path = self.file("".join(lines[:half]) + line + "\n" + "".join(lines[half:]))
                    self.assertEqual(wanted, self.sums(path))
                    if name != "times":  # which every pattern looks for
                        self.assertNotIn("long_line", self.issues(path))


class OfTwoHosts(Case):
    """Logs of two hosts of one job, which the option job names: both tell all steps, and each counts once, in one job's chips."""

    def test_all(self):
        for source, year in (
            ("exports/job_5102.out", None),
            ("exports/maxtext-5101.log", 2026),
            ("training/torchtitan.log", None),
            ("training/nanogpt.log", None),
            ("trainer/deepspeed.log", None),
        ):
            with open(os.path.join(ROOT, "fixtures", source), encoding="utf-8") as file:
                text = file.read()
            sums = []
            for files in ({"a.log": text}, {"a.log": text, "b.log": "\n" + text}):
                fleet = json.dumps(
                    {
                        "sources": [
                            {"path": self.folder_of(files), "job": "7", "chips": 8, "outcome": "completed"}
                            | ({"year": year} if year else {})
                        ]
                    }
                )
                sums.append(self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1", fleet))
                said = self.rows(
                    "SELECT kind FROM mpg_issues WHERE kind IN ('parallel_files', 'overlapping_attempts', 'concurrent_steps', 'no_capacity') AND source LIKE '%' || ? || '%'",
                    json.loads(fleet)["sources"][0]["path"],
                )
                self.assertEqual([("parallel_files",)] * (len(files) - 1), said, source)
            self.assertEqual(*sums, source)


if __name__ == "__main__":
    unittest.main()
