"""Logs of any trainer: attempts in several files or in one, in the order that their clocks say, and the progress bars between the lines."""

import datetime
import gzip
import json
import os
import tempfile
import unittest

from fleets import ROOT
from training import FIXTURES, Case


class OfEachTrainer(Case):
    LOGS = (
        "training/maxtext.log",
        "training/megatron.log",
        "training/torchtitan.log",
        "training/nanogpt.log",
        "trainer/deepspeed.log",
        "trainer/nemo.log",
    )

    def logs(self):
        """Each log and its lines."""
        for log in self.LOGS:
            with open(os.path.join(os.path.dirname(FIXTURES), log), encoding="utf-8") as file:
                yield log, file.read().splitlines(True)

    def sums(self, path):
        return self.rows(
            "SELECT category, round(sum(chip_us) / 1e6, 3) FROM trace_ledger(?) GROUP BY 1 ORDER BY 1", path
        )


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
        for log, lines in self.logs():
            wanted = self.sums(self.file("".join(lines)))
            for prefix in self.PREFIXES:
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
                another = [*lines, "another log\n"]
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
        self.map(
            "megatron",
            self.file(
                "".join(
                    outer(s + 3600) + f" [2026-03-02 09:00:{s}] " + iteration.format(step)
                    for s, step in ((20, 10), (40, 20))
                )
            ),
        )
        self.assertEqual(
            [(at, at + 20), (at + 20, at + 40)], self.rows("SELECT start_time, end_time FROM training_steps")
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


class ClocksThatAreSet(Case):
    """40 steps of ten seconds, by a clock without a zone: steps that go on tell that it was set back. Where it was set forward the hour counts, and is listed."""

    LINES = {
        "megatron": (
            "using world size: 1, data-parallel size: 1\n",
            " [{:%Y-%m-%d %H:%M:%S}] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n",
        ),
        "torchtitan": (
            "",
            "[rank0]:[titan] {:%Y-%m-%d %H:%M:%S},000 - root - INFO - step: {:2d}  loss:  8.0  grad_norm: 1.0  memory: 1.0GiB(2.0%)  tps: 100  tflops: 10.0  mfu: 1.0%\n",
        ),
        "maxtext": (
            "Num_devices: 1\n",
            "{:%Y-%m-%d %H:%M:%S} completed step: {}, seconds: 10.000, TFLOP/s/device: 50.0, Tokens/s/device: 10.0, total_weights: 10, loss: 9.0\n",
        ),
        "trainer": (
            "",
            "[{:%Y-%m-%d %H:%M:%S},100] [INFO] [timer.py:215:stop] epoch=0/micro_step=1/global_step={}, RunningAvgSamplesPerSec=10.0, CurrSamplesPerSec=10.0\n",
        ),
    }

    def log(self, name, begin, turn):
        """A clock that turns after 20 steps."""
        head, line = self.LINES[name]
        at = lambda i: datetime.datetime.fromisoformat(begin) + datetime.timedelta(
            seconds=10 * i + (turn if i > 20 else 0)
        )
        return self.file(head + "".join(line.format(at(i), i) for i in range(1, 41)))

    def test_an_hour(self):
        for name in self.LINES:
            for begin, turn, longest, said in (
                ("2026-10-25 02:56:35", -3600, 10, "repeated_time"),
                ("2026-03-29 01:56:35", 3600, 3610, "skipped_time"),
            ):
                path = self.log(name, begin, turn)
                first, last = self.rows("SELECT min(start_time), max(end_time) FROM trace_ledger(?)", path)[0]
                told = self.rows(
                    "SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('repeated_time', 'skipped_time', 'line_out_of_order')",
                    path,
                )
                self.assertEqual([(said, 1)], told, name)
                self.assertAlmostEqual(390 + longest, last - first, delta=100, msg=name)

    def test_any_time(self):
        """A clock that is set by seconds or days, once, as steps go on: none lasts longer, and none is lost."""
        for name in self.LINES:
            for turn in (-30, -1800, -7200, -3 * 86400):
                with self.subTest(name=name, turn=turn):
                    path = self.log(name, "2026-03-02 10:00:00", turn)
                    lasted = self.rows("SELECT round(end_time - start_time, 3) FROM trace_training_steps(?)", path)
                    self.assertEqual([(10.0,)] * 40, lasted)
                    self.assertEqual(
                        [(1, 400)],
                        self.rows(
                            "SELECT count(DISTINCT attempt), round(max(end_time) - min(start_time)) FROM trace_training_steps(?)",
                            path,
                        ),
                    )
                    self.assertEqual(
                        [("repeated_time", 1)],
                        self.rows(
                            "SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('repeated_time', 'skipped_time', 'line_out_of_order')",
                            path,
                        ),
                    )

    def test_that_is_none(self):
        """Two hosts of other zones or clocks, a clock that is set back and forth, and a run from the start."""
        head, line = self.LINES["megatron"]
        begin = datetime.datetime(2026, 10, 25, 2, 56, 35)
        at = lambda i, off: line.format(begin + datetime.timedelta(seconds=10 * i + off), i)
        for text in ("".join(at(i, off) for i in range(1, 41) for off in (0, zone)) for zone in (-3600, -45)):
            path = self.file(head + text)
            self.map("megatron", path)
            self.assertEqual({"line_out_of_order"}, set(self.issues(path)) - {"parallel_lines", "end_before_start"})
        path = self.file(head + "".join(at(i, -1800 if i in (20, 30) else 0) for i in range(1, 41)))
        self.map("megatron", path)
        self.assertIn("line_out_of_order", self.issues(path))
        path = self.file(head + "".join(at(i, 0) for i in range(1, 41)) + "".join(at(i, -3600) for i in range(1, 41)))
        self.map("megatron", path)
        self.assertNotIn("repeated_time", self.issues(path))


class StepsThatDidNothing(Case):
    def test_listed(self):
        """Skipped, or with a loss that is no number: they have a number, so they are progress unless the run goes back. A row counts them."""
        megatron = "iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 | number of skipped iterations: {:3d} | number of nan iterations: {:3d} |\n"
        titan = "[rank0]:[titan] 2026-03-03 10:00:{:02d},000 - root - INFO - step: {:2d}  loss: {}  memory: 45.23GiB(57.12%)  tps: 16,384  tflops: 400.00  mfu: 40.44%\n"
        deepspeed = "[2026-03-03 10:00:{:02d},000] [INFO] [logging.py:96:log_dist] [Rank 0] step={}, skipped={}, lr=[0.1], mom=[0.9]\n[2026-03-03 10:00:{:02d},000] [INFO] [timer.py:1] epoch=0/micro_step={}/global_step={}, RunningAvgSamplesPerSec=1.0\n"
        wandb = '{{"_timestamp": {}, "_step": {}, "train/loss": {}}}\n'
        for name, text, wanted in (
            ("megatron", megatron.format(10, 2, 0) + megatron.format(20, 1, 4), 6),
            ("megatron", megatron.format(10, 0, 0) + megatron.format(20, 0, 0), None),
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
        ):
            with self.subTest(name=name, text=text[:80]):
                path = self.file(text)
                self.one("SELECT count(*) FROM trace_ledger(?)", path)
                self.assertEqual(
                    wanted,
                    self.one("SELECT sum(count) FROM mpg_issues WHERE kind = 'skipped_steps' AND source = ?", path),
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


class SeveralFiles(Case):
    """Runs of one job in a file each: without a clock they follow one another as those of one file do."""

    MAXTEXT = (
        "Num_devices: 4\nConfig param steps: 6\ncompleted step: 0, seconds: 10.0\ncompleted step: 1, seconds: 2.0\nSaved a checkpoint at step 1\ncompleted step: 2, seconds: 2.5\n",
        "Num_devices: 4\ncompleted step: 2, seconds: 9.0\ncompleted step: 3, seconds: 2.0\nCompleted eval step: 0, seconds: 1.0\ncompleted step: 4, seconds: 2.0\n",
        "Num_devices: 4\ncompleted step: 2, seconds: 8.0\n",
    )
    MEGATRON = tuple(
        "using world size: 4\n"
        + "".join(
            f" iteration {i:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
            for i in steps
        )
        for steps in ((10, 20), (20, 30), (20, 30))
    )
    NANOGPT = tuple(
        "".join(
            f"step:{i}/100 train_loss:3.0 train_time:{(i - first + 1) * 500}ms step_avg:500.0ms\n"
            for i in range(first, last)
        )
        for first, last in ((1, 9), (5, 8), (3, 6))
    )

    def relations(self):
        return [
            self.rows(sql)
            for sql in (
                "SELECT attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY 1",
                "SELECT chips, start_time, end_time FROM capacity ORDER BY 2",
                "SELECT attempt, kind, start_time, end_time, step FROM spans ORDER BY 1, 3, 2",
                "SELECT attempt, step, durable_time FROM commits ORDER BY 1, 3",
            )
        ]

    def test_as_in_one_file(self):
        for name, logs in (("maxtext", self.MAXTEXT), ("megatron", self.MEGATRON), ("nanogpt", self.NANOGPT)):
            for given in ({}, {"start": 1.7e9}, {"start": "2026-03-01 08:00:00"}):
                with self.subTest(name=name, given=given):
                    self.map(name, self.file("".join(logs)), job="run", chips=4, outcome="failed", **given)
                    wanted = self.relations()
                    allocations = wanted[0]
                    self.assertEqual(len(allocations), 3)
                    self.assertTrue(all(a[3] == b[2] for a, b in zip(allocations, allocations[1:])), allocations)
                    self.map(
                        name,
                        self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}),
                        job="run",
                        chips=4,
                        outcome="failed",
                        **given,
                    )
                    self.assertEqual(self.relations(), wanted)

    def test_a_file_with_a_date_has_its_own(self):
        logs = (self.NANOGPT[0], "Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[1], self.NANOGPT[2])
        self.map(
            "nanogpt", self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}), job="run", outcome="failed"
        )
        at = 1772442000.0
        self.assertEqual(
            self.rows("SELECT start_time, end_time FROM allocations ORDER BY attempt"),
            [(0, 4), (4, 5.5), (at, at + 1.5)],
        )

    def test_clocks_say_the_order(self):
        """Names do so only where there is no clock: 'slurm-1000.out' sorts before 'slurm-999.out'."""
        first = "2026-03-02 09:00:00"
        at = lambda s: (datetime.datetime.fromisoformat(first) + datetime.timedelta(seconds=s)).isoformat(" ")
        megatron = " [{}] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            torchtitan = file.read().splitlines(keepends=True)
        restart = next(i for i, line in enumerate(torchtitan) if "10:05:00" in line)
        for name, logs in (
            (
                "maxtext",
                [
                    "".join(f"{at(s + step)} completed step: {step}, seconds: 1.0\n" for step in range(4))
                    for s in (0, 60)
                ],
            ),
            ("megatron", ["".join(megatron.format(at(s + step), step) for step in (10, 20, 30)) for s in (0, 60)]),
            (
                "nanogpt",
                ["Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[0], "Mon Mar  2 10:00:00 2026\n" + self.NANOGPT[1]],
            ),
            ("torchtitan", ["".join(torchtitan[:restart]), "".join(torchtitan[restart:])]),
        ):
            with self.subTest(name=name):
                self.map(name, self.folder_of(dict(zip(("1.log", "2.log"), logs))), job="run", chips=8)
                wanted = self.relations()
                self.assertEqual(
                    ["failed"],
                    [outcome for _, _, _, end, outcome in wanted[0] if end is not None and outcome != "completed"],
                )
                self.map(name, self.folder_of(dict(zip(("slurm-999.out", "slurm-1000.out"), logs))), job="run", chips=8)
                self.assertEqual(wanted, self.relations())

    def test_runs_of_several_sizes(self):
        """A restart on other chips: what the smaller run did was done by a whole gang."""
        first = "".join(f"2026-03-02 09:00:{s:02d} completed step: {s}, seconds: 1.0\n" for s in range(1, 11))
        then = "".join(f"2026-03-02 09:01:{s:02d} completed step: {s + 10}, seconds: 1.0\n" for s in range(1, 11))
        for devices in ((4, 8), (8, 4)):
            logs = {f"{i}.log": f"Num_devices: {n}\n" + log for i, (n, log) in enumerate(zip(devices, (first, then)))}
            self.map("maxtext", self.folder_of(logs), job="run", outcome="completed")
            self.assertEqual(
                {key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12}
            )
            self.map("maxtext", self.file("".join(logs.values())), job="run", outcome="completed")
            self.assertEqual(
                {key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12}
            )

    def test_restarts_on_other_chips_in_one_file(self):
        """Each run says anew how many it has; one that does not has as many as the file tells of."""
        step = " iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        card = "|   {}  NVIDIA H100 80GB HBM3          On  |   00000000:26:00.0 Off |                    0 |\n"
        titan = "[rank0]:[titan] 2026-03-03 10:00:{:02d},000 - root - INFO - {}\n"
        for name, first, then, last in (
            (
                "megatron",
                "using world size: 4\n" + step.format(1),
                "using world size: 8\n" + step.format(2),
                step.format(1),
            ),
            (
                "nanogpt",
                card.format(0) + card.format(3) + "step:1/9 train_loss:3.0 train_time:500ms\n",
                card.format(7) + "step:2/9 train_loss:3.0 train_time:1000ms\n",
                "step:1/9 train_loss:3.0 train_time:500ms\n",
            ),
            (
                "torchtitan",
                titan.format(0, "Building 1-D device mesh with ['dp'], [4]") + titan.format(1, "step:  1  loss: 1.0  "),
                titan.format(2, "Building 2-D device mesh with ['dp', 'tp'], [4, 2]")
                + titan.format(3, "step:  2  loss: 1.0  "),
                titan.format(4, "step:  1  loss: 1.0  "),
            ),
        ):
            with self.subTest(name=name):
                self.map(name, self.file(first + then + last))
                self.assertEqual(
                    self.rows("SELECT attempt, chips FROM allocations ORDER BY attempt"), [(1, 4), (2, 8), (3, 8)]
                )


class WithoutAClock(Case):
    """Lines of steps that tell what each took, ten of 2 s, and not when."""

    LINES = {
        "megatron": " iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n",
        "maxtext": "completed step: {}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0\n",
        "nanogpt": "iter {}: loss 3.0, time 2000.00ms, mfu 1.00%\n",
        "trainer": "Training epoch 0, iteration {0}/99 | global_step: {0} | reduced_train_loss: 0.5 | train_step_timing in s: 2.0\n",
    }
    SACCT = "JobID|State|Start|End|AllocTRES|Submit|Partition\n4711|COMPLETED|2026-03-03T10:00:00|2026-03-03T10:01:00|gres/gpu=8|2026-03-03T10:00:00|gpu\n"
    T0 = 1772532000  # 2026-03-03T10:00:00Z

    def steps(self, name):
        return "".join(self.LINES[name].format(n) for n in range(1, 11))

    def times(self, path):
        return self.rows(
            "SELECT round(min(start_time) - ?2, 3), round(max(end_time) - ?2, 3) FROM trace_records(?1) WHERE record = 'spans' AND kind = 'step'",
            path,
            self.T0,
        )[0]

    def test_begins_at_the_first_line_that_has_one(self):
        """A launcher's or a compiler's warning, whoever started the program; what comes after the steps says nothing of their begin."""
        for name in self.LINES:
            for line, year in (
                ("2026-03-03 10:00:05.123456: W external/xla/service.cc:7] old driver", False),
                ("[2026-03-03 10:00:05,123] torch.distributed.run: [WARNING] OMP_NUM_THREADS", False),
                ("WARNING:2026-03-03 10:00:05,123:jax._src: slow", False),
                ("[rank0]:[2026-03-03 10:00:05,123] x", False),
                ("0: 2026-03-03T10:00:05.123Z INFO x", False),
                ("W0303 10:00:05.123000 140 torch/distributed/run.py:793] OMP_NUM_THREADS", True),
            ):
                text = f"hello\n{line}\n{line.replace('0:05', '0:09')}\n" + self.steps(name)
                with self.subTest(name=name, line=line):
                    alone = self.file(text)
                    self.assertEqual(
                        (5.123, 25.123),
                        self.times(json.dumps({"sources": [{"path": alone} | ({"year": 2026} if year else {})]})),
                    )
                    self.assertEqual(
                        [(3,)],
                        self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'unmatched_lines'", alone),
                    )
                    if not year or name == "maxtext":
                        self.assertEqual(
                            [(8 * 20.0,)],
                            self.rows(
                                "SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE job = '4711' AND category IN ('unrated', 'ideal', 'inefficiency')",
                                self.folder_of({"slurm-4711.out": text, "sacct.psv": self.SACCT}),
                            ),
                        )

    def test_a_time_after_the_steps(self):
        """It is not when they began: that is missed, and the scheduler's job says it."""
        for name in ("megatron", "maxtext", "nanogpt"):
            text = self.steps(name) + "[2026-03-03 10:00:50,123] torch.distributed.elastic: [ERROR] failed\n"
            self.assertEqual(
                [(1,)], self.rows("SELECT instr(missing, 'start') > 0 FROM trace_sources(?)", self.file(text)), name
            )
            self.assertEqual(
                (0, 20), self.times(self.folder_of({"slurm-4711.out": text, "sacct.psv": self.SACCT})), name
            )

    def test_a_clock_behind_the_text(self):
        """Docker's and Loki's lines of JSON have it there: a pause of 100 s is seen, and a clock of the text itself goes first."""
        for name in ("megatron", "maxtext", "trainer"):
            for text, time in (("log", "time"), ("line", "timestamp")):
                at = lambda n: datetime.datetime.fromtimestamp(
                    self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc
                ).isoformat()
                path = self.file(
                    "".join(
                        json.dumps({text: line + "\n", "stream": "stdout", time: at(n)}) + "\n"
                        for n, line in enumerate(self.steps(name).splitlines(), 1)
                    )
                )
                self.assertEqual(
                    [(20.0, 120.0)],
                    self.rows(
                        "SELECT sum(end_time - start_time), max(end_time) - min(start_time) FROM trace_training_steps(?)",
                        path,
                    ),
                    name,
                )
                self.assertEqual((0, 120), self.times(path), name)
                self.assertEqual(
                    [(0,)], self.rows("SELECT coalesce(instr(missing, 'start'), 0) FROM trace_sources(?)", path), name
                )
        own = "".join(
            json.dumps({"log": f"2026-03-03 10:00:{2 * n:02d},000 {line}\n", "time": "2026-03-04T00:00:00Z"}) + "\n"
            for n, line in enumerate(self.steps("maxtext").splitlines(), 1)
        )
        self.assertEqual((0, 20), self.times(self.file(own)))

    def test_behind_syslog_and_the_journal(self):
        """Each has a stamp of its own for a line, and a pause of 100 s is seen. Syslog's has no year: without the option it is missed, and so is no start."""

        def stamped(n):
            return datetime.datetime.fromtimestamp(self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc)

        wheres = {
            f"{date}{fraction} node1 train[123]: ": date.startswith(("%b", "<13>%b"))
            for date in (
                "%b %d %H:%M:%S",
                "%b  3 %H:%M:%S",
                "<13>%b  3 %H:%M:%S",
                "%Y-%m-%dT%H:%M:%S+0000",
                "<13>1 %Y-%m-%dT%H:%M:%SZ",
                "Tue %Y-%m-%d %H:%M:%S UTC",
                "%s",
            )
            for fraction in ("", ".000000")
            if fraction == ("" if date != "%s" else ".000000") or date.endswith("%d %H:%M:%S")
        }
        around = {
            where: (
                lambda n, line, where=where: stamped(n).strftime(where.replace("%s", str(int(stamped(n).timestamp()))))
                + line
            )
            for where in wheres
        }
        us = lambda n: str(int(stamped(n).timestamp()) * 1000000)
        around["json"] = lambda n, line: json.dumps(
            {
                "__CURSOR": "s=1",
                "__REALTIME_TIMESTAMP": us(n),
                "__MONOTONIC_TIMESTAMP": "12",
                "_PID": "7",
                "MESSAGE": line,
            }
        )
        around["MESSAGE first"] = lambda n, line: json.dumps(
            {"MESSAGE": line, "_SOURCE_REALTIME_TIMESTAMP": "1", "__REALTIME_TIMESTAMP": us(n)}
        )
        around["export"] = lambda n, line: f"__CURSOR=s=1\n__REALTIME_TIMESTAMP={us(n)}\n_PID=7\nMESSAGE={line}\n"
        for name in ("megatron", "maxtext", "trainer"):
            lines = self.steps(name).splitlines()
            for where, line_of in around.items():
                with self.subTest(name=name, where=where):
                    path = self.file("".join(line_of(n, line) + "\n" for n, line in enumerate(lines, 1)))
                    for year in ({"year": 2026}, {}):
                        fleet = json.dumps({"sources": [{"path": path} | year]})
                        needed = wheres.get(where) and not year
                        self.assertEqual(
                            [(needed or None, None)],
                            self.rows(
                                "SELECT nullif(instr(missing, 'year') > 0, 0), nullif(instr(missing, 'start') > 0, 0) FROM trace_sources(?)",
                                fleet,
                            ),
                        )
                        if not needed:
                            self.assertEqual((0, 120), self.times(fleet))

    def test_a_listing_of_google_cloud(self):
        """`gcloud logging read --format=json` writes a key a line, the latest entry first: each line's time is that of its entry, and a pause of 100 s is seen."""
        at = lambda n: datetime.datetime.fromtimestamp(self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.000000Z"
        )
        for name in ("megatron", "maxtext", "trainer"):
            entries = [
                {
                    "insertId": f"a{n}",
                    "logName": "projects/p/logs/stdout",
                    "receiveTimestamp": "2026-03-04T00:00:00Z",
                    "severity": "INFO",
                    "textPayload": line,
                    "timestamp": at(n),
                }
                for n, line in enumerate(self.steps(name).splitlines(), 1)
            ]
            for order in (1, -1):
                path = self.file(json.dumps(entries[::order], indent=2) + "\n", "listing.json")
                self.assertEqual((0, 120), self.times(path), (name, order))
                self.assertEqual(
                    [(20.0,)], self.rows("SELECT sum(end_time - start_time) FROM trace_training_steps(?)", path), name
                )
                self.assertEqual(
                    [(72,)],
                    self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'unmatched_lines'", path),
                )

    def test_a_number_beside_the_line(self):
        """What CloudWatch, Loki, Fluent Bit and loggers of JSON write for a time, in the line or in one above it; Splunk's table has a date behind the text."""
        at = lambda n: self.T0 + 2 * n + 100 * (n > 5)
        date = lambda n: datetime.datetime.fromtimestamp(at(n), datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.000+0000"
        )
        forms = {
            "aws logs": lambda n, line: "        "
            + json.dumps({"timestamp": at(n) * 1000, "message": line, "ingestionTime": 1}, indent=12)
            + ",\n",
            "aws logs, a line": lambda n, line: json.dumps(
                {"logStreamName": "s", "timestamp": at(n) * 1000, "message": line}
            )
            + "\n",
            "Loki": lambda n, line: "    " + json.dumps([str(at(n) * 10**9), line], indent=8) + ",\n",
            "Loki, a line": lambda n, line: json.dumps([str(at(n) * 10**9), line]) + ",\n",
            "Fluent Bit": lambda n, line: f'[0] kube.log: [[{at(n)}.000000000, {{}}], {{"log"=>{json.dumps(line)}}}]\n',
            "Fluent Bit's JSON": lambda n, line: json.dumps({"date": at(n) + 0.5, "log": line}) + "\n",
            "a logger": lambda n, line: json.dumps({"level": "info", "ts": at(n) + 0.25, "msg": line}) + "\n",
            "ts": lambda n, line: f"{at(n)}.0000 {line}\n",
            "Splunk": lambda n, line: f'"{line}","{date(n)}"\n',
        }
        for name in ("megatron", "maxtext", "trainer"):
            lines = list(enumerate(self.steps(name).splitlines(), 1))
            for form, entry in forms.items():
                for order in (1, -1) if name == "maxtext" else (1,):
                    with self.subTest(name=name, form=form, order=order):
                        path = self.file("".join(entry(n, line) for n, line in lines[::order]), "x.log")
                        begin, end = self.times(path)
                        self.assertEqual((0, 120), (begin // 1, end // 1))
                        self.assertEqual(
                            [(20.0,)], self.rows("SELECT sum(end_time - start_time) FROM trace_training_steps(?)", path)
                        )
                        self.assertEqual(
                            [(0, "the clock of what kept the log")],
                            self.rows(
                                "SELECT coalesce(instr(missing, 'start'), 0), json_extract(inferred, '$.start') FROM trace_sources(?)",
                                path,
                            ),
                        )

    def test_runs_of_one_job(self):
        """Each file begins by its own clock, whatever their names sort as."""
        for name in ("megatron", "maxtext", "nanogpt"):
            begin = "[2026-03-03 10:0{}:00,000] torch.distributed.run: [WARNING] x\n"
            folder = self.folder_of(
                {"b.log": begin.format(1) + self.steps(name), "a.log": begin.format(5) + self.steps(name)}
            )
            self.assertEqual(
                [(1, 60, 80), (2, 300, 320)],
                self.rows(
                    "SELECT attempt, min(start_time) - ?2, max(end_time) - ?2 FROM trace_records(?1) WHERE record = 'spans' AND kind = 'step' GROUP BY 1",
                    json.dumps({"sources": [{"path": folder, "job": "x"}]}),
                    self.T0,
                ),
                name,
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
                for n in (4000, 30000) if os.environ.get("MPG_FULL") else (9000,):
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


class Rotated(OfEachTrainer):
    """A log that was cut into parts: logrotate, the kubelet, Docker and Python's handlers leave them, and the newest has the log's name."""

    NAMES = (
        ("{}.2", "{}.1", "{}"),
        ("{}.2.gz", "{}.1.gz", "{}"),
        ("{}-20261031.gz", "{}-20261101", "{}"),
        ("{}.2026-10-31_23-00", "{}.2026-11-01_00-00", "{}"),
        ("{}.20261031-235959", "{}.20261101-120000.gz", "{}"),
        ("train.2.log", "train.1.log", "train.log"),
        ("train-2026-10-31T12-00-00.000.log", "train-2026-11-01T12-00-00.000.log", "train.log"),
    )

    def cut(self, lines, names, ends):
        """A folder of the lines cut where `ends` says, and the path of the newest part."""
        folder, start = self.enterContext(tempfile.TemporaryDirectory()), 0
        for name, end in zip(names, [*ends, len(lines)]):
            with (gzip.open if name.endswith(".gz") else open)(
                os.path.join(folder, name), "wt", encoding="utf-8"
            ) as file:
                file.write("".join(lines[start:end]))
            start = end
        return folder, os.path.join(folder, names[-1])

    def test_parts_are_one_log(self):
        """Wherever it was cut, however its parts are called: the figures are those of the whole, and a row says that it was cut."""
        for log, lines in self.logs():
            wanted = self.sums(self.file("".join(lines)))
            begins = next(i for i, line in enumerate(lines) if "step" in line or "iteration" in line)
            for i in range(1, len(lines) - begins - 2, 1 if os.environ.get("MPG_FULL") else 3):
                names = [name.format("0.log") for name in self.NAMES[i % len(self.NAMES)]]
                with self.subTest(log=log, cut=i, names=names):
                    folder, newest = self.cut(lines, names, (begins + i, (begins + i + len(lines)) // 2))
                    self.assertEqual(wanted, self.sums(folder))
                    self.assertEqual(
                        [("info", 3)],
                        self.rows(
                            "SELECT severity, count FROM mpg_issues WHERE kind = 'rotated_log' AND source = ?", newest
                        ),
                    )
                    self.assertEqual(
                        [(2,)],
                        self.rows(
                            "SELECT count(*) FROM trace_sources(?) WHERE json_extract(inferred, '$.log') = ?",
                            folder,
                            "a part of " + newest,
                        ),
                    )

    def test_begins_where_its_first_part_does(self):
        """A log whose steps have no clock begins at the first line that has one, of the oldest part: trace_sources says so."""
        with open(os.path.join(FIXTURES, "maxtext.log"), encoding="utf-8") as file:
            lines = ["2026-03-01 08:00:00,000 - INFO - a launcher\n", *file]
        for cut in (2, 15):
            folder, newest = self.cut(
                [*lines[:cut], "2026-03-05 09:00:00,000 - INFO - of another day\n", *lines[cut:]],
                ("a.log.1", "a.log"),
                (cut,),
            )
            self.assertEqual(
                1772352000.0, self.one("SELECT min(start_time) FROM trace_ledger(?) WHERE job = ?", folder, newest)
            )
            self.assertEqual(
                2,
                self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_lines' AND instr(source, ?)", folder),
            )
            self.assertEqual(
                "the first line that has a clock",
                self.one(
                    "SELECT json_extract(inferred, '$.start') FROM trace_sources(?) WHERE file = ?", folder, newest
                ),
            )

    def test_the_name_stays(self):
        """The next part changes the name of no job, for mpg_build would have two: it is that of the log itself, or of the first of files that all have a date."""
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        for names, named in (
            (("a.log.1", "a.log"), 1),
            (("a.log.2", "a.log.1", "a.log"), 2),
            (("a-20261101.log", "a-20261102.log"), 0),
            (("a-20261101.log", "a-20261102.log", "a-20261103.log"), 0),
        ):
            folder, _ = self.cut(lines, names, (6, 9)[: len(names) - 1])
            self.assertEqual(
                [(os.path.join(folder, names[named]),)],
                self.rows("SELECT DISTINCT job FROM trace_ledger(?) WHERE job IS NOT NULL", folder),
            )

    def test_the_job_is_named_in_the_first(self):
        """What only the head of a log says, its job and its chips, holds for the parts that follow, beside a scheduler too; a part may hold no step."""
        job = "JobIDRaw|JobID|JobName|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES|NodeList\n127|127|x|gpu|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:59:00|2026-03-02T09:10:00|660|gres/gpu=8|n1\n"
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = ["SLURM_JOB_ID=127\n", *file.read().splitlines(True)]
        wanted = self.sums(self.folder_of({"run.log": "".join(lines), "sacct.psv": job}))
        for cut in (1, 4, 9):
            folder, newest = self.cut(lines, ("run.log.1", "run.log"), (cut,))
            with open(os.path.join(folder, "sacct.psv"), "w", encoding="utf-8") as file:
                file.write(job)
            self.assertEqual(wanted, self.sums(folder), cut)
            self.assertEqual(
                [("127", "by a part of the same log")],
                self.rows(
                    "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE file = ?", folder, newest
                ),
            )

    def test_what_is_no_part(self):
        """Ranks at once, attempts that are counted up and two runs from the start have such names too: each file stays a log of its own."""
        later = {
            "megatron.log": ("2026-03-0", "2026-04-0"),
            "torchtitan.log": ("2026-03-0", "2026-04-0"),
            "maxtext.log": ("", ""),
            "nanogpt.log": ("Mar  3", "Apr  3"),
        }
        for name, (day, month) in later.items():
            with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
                lines = file.read().splitlines(True)
            half = len(lines) // 2
            for why, files in (
                ("ranks", (lines, [*lines, "done\n"])),
                ("attempts", (lines[half:], lines[:half])),
                ("anew", (lines, [line.replace(day, month) for line in lines] + ["done\n"])),
            ):
                folder = self.folder_of({"a.log.1": "".join(files[0]), "a.log": "".join(files[1])})
                with self.subTest(log=name, why=why):
                    self.assertEqual(
                        [(2,)],
                        self.rows(
                            "SELECT count(DISTINCT rtrim(job, '#0123456789')) FROM (SELECT iif(job LIKE '%.1', 'other', job) AS job FROM trace_ledger(?))",
                            folder,
                        ),
                    )
                    self.assertEqual(
                        [],
                        self.rows("SELECT * FROM mpg_issues WHERE kind = 'rotated_log' AND instr(source, ?)", folder),
                    )
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = [line for line in file if "saved" not in line and "datetime" not in line]
        folder = self.folder_of(
            {
                "log.127.0": "".join(line for line in lines if "iteration " not in line),
                "log.127.7": "".join(line for line in lines if "iteration " in line),
            }
        )
        self.rows("SELECT count(*) FROM trace_ledger(?)", folder)
        self.assertEqual(
            [],
            self.rows("SELECT * FROM mpg_issues WHERE kind = 'rotated_log' AND instr(source, ?)", folder),
            "the first rank and the last",
        )


class InAnotherFile(Case):
    def test_a_log_that_goes_on_in_another_file(self):
        """Each file is a job unless its name says more, and a step that was repeated is done twice: the row says so. Two runs from the start are none of it."""
        for name in ("megatron.log", "torchtitan.log"):
            with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
                lines = file.read().splitlines(True)
            for parts, listed in (
                ((lines[: len(lines) // 2], lines[len(lines) // 2 :]), [(1,)]),
                ((lines, [line.replace("2026-03-0", "2026-04-0") for line in lines]), []),
            ):
                folder = self.folder_of({name: "".join(parts[0]), "resumed.log": "".join(parts[1])})
                self.assertEqual([(2,)], self.rows("SELECT count(DISTINCT job) FROM trace_ledger(?)", folder), name)
                self.assertEqual(
                    listed,
                    self.rows(
                        "SELECT count FROM mpg_issues WHERE kind = 'continued_run' AND source = ? AND instr(detail, ?)",
                        os.path.join(folder, "resumed.log"),
                        os.path.join(folder, name),
                    ),
                    name,
                )
                together = '{"sources": [{"path": "%s", "job": "one"}]}' % folder
                self.assertEqual([(1,)], self.rows("SELECT count(DISTINCT job) FROM trace_ledger(?)", together), name)
                self.assertEqual([], self.rows("SELECT count FROM mpg_issues WHERE kind = 'continued_run'"), name)


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
            for files in ({"a.log": text}, {"a.log": text, "b.log": text + "\n"}):
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
