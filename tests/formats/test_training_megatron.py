"""Logs of Megatron-LM, and of DeepSpeed: the mapping sql/formats/megatron.sql, held against sums made by hand."""

import datetime
import os
import random
import re
import unittest

from training import FIXTURES, Case


class Megatron(Case):
    T0 = 1772442000

    def test_fixture(self):
        self.map("megatron", FIXTURES + "/megatron.log", chip="h100 80gb hbm3")
        self.assertEqual(
            self.rows("SELECT attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations", self.T0),
            [(1, 8, 0, 99, "failed"), (2, 8, 240, 329, "completed")],
        )
        self.assertEqual(
            self.rows("SELECT attempt, step, executions, seconds, loss FROM training_steps WHERE step = 30"),
            [(1, 30, 10, 20, 8.80211), (2, 30, 10, 24, 8.80211)],
        )
        self.assertEqual(
            self.rows("SELECT attempt, step, durable_time - ? FROM commits", self.T0), [(1, 20, 55), (2, 40, 289)]
        )
        self.assertEqual(
            self.seconds(),
            {
                ("checkpoint", None): 80,
                ("compile", None): 8 * (30 - 20 + 24 - 20),
                ("eval", None): 32,
                ("lost", None): 320,
                ("queued", None): 8 * 141,
            },
        )
        self.assertEqual(self.productive(), 8 * 6 * 20)
        flops = 6 * 260.4e12 * 240
        self.assertAlmostEqual(
            self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"),
            flops / 989.5e12 / self.productive(),
            6,
        )

    def test_a_program_that_exits(self):
        """At an iteration or after minutes, as its options say: completed. By a signal: cancelled, or, where it goes on, as one that broke off. Without the line it still runs."""
        line = " [2026-03-02 09:{:02d}:{:02d}.000] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n"
        head, saved = (
            "using world size: 1, data-parallel size: 1\n",
            "  successfully saved checkpoint from iteration       8 to /ckpt [ t 1/1, p 1/1 ]\n",
        )
        lines = lambda at, *numbers: "".join(line.format(*divmod(at + 10 * n, 60), n) for n in numbers)
        first = head + lines(0, *range(1, 9)) + saved
        second = (
            head + "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 8\n" + lines(200, 9, 10)
        )
        for how, last, followed in (
            ("at iteration 8", "completed", "completed"),
            ("after 1.41 minutes", "completed", "completed"),
            ("after receiving SIGTERM.", "cancelled", "failed"),
            (None, None, "failed"),
        ):
            text = first + (f"[exiting program {how}] datetime: 2026-03-02 09:01:25 \n" if how else "")
            for whole, wanted in (
                (text, [(85 if last else None, last)]),
                (text + second, [(85 if last else 80, followed), (None, None)]),
            ):
                path = self.file(whole)
                self.map("megatron", path)
                self.assertEqual(
                    wanted, self.rows("SELECT end_time - ?, outcome FROM allocations ORDER BY attempt", self.T0), how
                )
                self.assertEqual(
                    {("unrated", None): 80} | ({("checkpoint", None): 5} if how else {}),
                    {key: n for key, n in self.seconds().items() if key[0] not in ("queued", "pending", "unknown")},
                    how,
                )

    def test_without_a_clock(self):
        line = " iteration {:8d}/{:8d} | consumed samples: 1 | elapsed time per iteration (ms): {:.1f} | learning rate: 1E-3 | lm loss: 1.0E+00 |\n"
        timer = "    {} ................................: (100.00, {:.2f})\n"
        path = self.file(
            "".join(
                [
                    line.format(1, 5, 4000),
                    line.format(2, 5, 1000),
                    timer.format("save-checkpoint", 3000),
                    "  successfully saved checkpoint from iteration       2 to /ckpt\n",
                    timer.format("evaluate", 500),
                    line.format(4, 5, 1000),
                    line.format(5, 5, 1000),
                ]
            )
        )
        self.map("megatron", path, chips=2, start="2026-03-02T09:00:00Z")
        self.assertEqual(
            self.rows("SELECT step, executions, start_time - ?1, end_time - ?1 FROM training_steps", self.T0),
            [(1, 1, 0, 4), (2, 1, 4, 5), (4, 2, 8.5, 10.5), (5, 1, 10.5, 11.5)],
        )
        self.assertEqual(self.rows("SELECT step, durable_time - ? FROM commits", self.T0), [(2, 8)])
        self.assertEqual(
            self.seconds(), {("checkpoint", None): 6, ("compile", None): 6, ("eval", None): 1, ("unrated", None): 2 * 5}
        )

    def test_a_clock_on_other_lines(self):
        """GPT-NeoX has DeepSpeed's clock above each iteration, old Megatron-LM a date before the first."""
        head = "[2026-03-02 09:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.9\n"
        line = (
            "[2026-03-02 09:00:{0:02d},500] [INFO] [timer.py:199:stop] epoch=0/micro_step={1}/global_step={1}, RunningAvgSamplesPerSec=1.0, CurrSamplesPerSec=1.0\n"
            " samples/sec: 1.0 | iteration {1:8d}/ 4 | elapsed time per iteration (ms): 10000.0 | learning rate: 1E-5 | approx flops per GPU: 100.0TFLOPS | lm_loss: 1.0E+1 | loss scale: 1 | number of nan iterations:   0 |\n"
        )
        path = self.file(head + "".join(line.format(at, i) for i, at in ((1, 10), (2, 20), (3, 35), (4, 45))))
        self.map("megatron", path, chips=1)
        self.assertEqual(
            [(1, 0.5, 10.5, 100), (2, 10.5, 20.5, 100), (3, 25.5, 35.5, 100), (4, 35.5, 45.5, 100)],
            self.rows("SELECT step, start_time - ?1, end_time - ?1, tflops_per_chip FROM training_steps", self.T0),
        )
        self.assertEqual([(10,)], self.rows("SELECT DISTINCT loss FROM training_steps"))
        self.assertEqual({}, {kind: n for kind, n in self.issues(path).items() if kind != "unmatched_lines"})
        for unit, of_tflops in (("GFLOPS", 1e-3), ("PFLOPS", 1e3), ("MFLOPS", 1e-6)):  # as the program chooses
            text = "".join(line.format(10 * i, i) for i in (1, 2)).replace("TFLOPS", unit)
            self.map("megatron", self.file(text, "unit.log"), chips=1)
            self.assertEqual([(100 * of_tflops,)], self.rows("SELECT DISTINCT tflops_per_chip FROM training_steps"))
        line = (
            " iteration {:8d}/ 3 | elapsed time per iteration (ms): 10000.0 | learning rate: 1E-5 | lm loss: 1.0E+1 |\n"
        )
        path = self.file(
            "[after dataloaders are built] datetime: 2026-03-02 08:59:00 \n[before the start of training step] datetime: 2026-03-02 09:00:00 \n"
            + "".join(map(line.format, (1, 2, 3)))
            + "[after training is done] datetime: 2026-03-02 09:00:40 \n"
        )
        self.map("megatron", path, chips=1)
        self.assertEqual(
            [(1, 0, 10), (2, 10, 20), (3, 20, 30)],
            self.rows("SELECT step, start_time - ?1, end_time - ?1 FROM training_steps", self.T0),
        )

    def test_saves_that_deepspeed_tells(self):
        """GPT-NeoX says nothing itself: its engine does, each rank or file by itself, and each version in its own words."""
        at = (
            lambda seconds, source, text: f"[2026-03-02 09:{seconds // 60:02d}:{seconds % 60:02d},000] [INFO] [{source}] {text}\n"
        )
        torch = "torch_checkpoint_engine.py:33:commit"
        iteration = (
            " samples/sec: 1.0 | iteration {:8d}/ 100 | elapsed time per iteration (ms): 10000.0 | lm_loss: 1.0E+1 |\n"
        )

        def log(saved, loaded):
            """Iterations 11 to 14, saves of 20 s after 12 and 14, and again from 13 on: what was done since 12 is done twice."""
            text, now = "", 0
            for steps, begins in (((11, 12, 13), 10), ((13, 14), 12)):
                text += at(now, "logging.py:96:log_dist", "[Rank 0] DeepSpeed info: version=0.9")
                text += "".join(loaded(now + n, begins) for n in (1, 2))
                now += 20
                for step in steps:
                    now += 10
                    text += at(now, "logging.py:96:log_dist", f"[Rank 0] step={step}, skipped=0, lr=[0.1]")
                    text += iteration.format(step)
                    if step % 2 == 0:
                        text += saved(now + 5, step) + saved(now + 20, step)
                        now += 20
                now += 30
            return text

        ready = lambda now, n: at(now, torch, f"[Torch] Checkpoint global_step{n} is ready now!")
        loads = lambda now, n: at(
            now, torch, f"[Torch] Loaded checkpoint from c/global_step{n}/mp_rank_00_model_states.pt."
        )
        for saved, loaded in (
            (ready, loads),
            (lambda *row: ready(*row).replace("ready now", "begin to save"), loads),
            (
                lambda now, n: at(
                    now, "engine.py:2:_save_zero", f"zero checkpoint saved c/global_step{n}/zero_pp_rank_0_states.pt"
                ),
                lambda now, n: f"  successfully loaded c/global_step{n}/mp_rank_00_model_states.pt\n",
            ),
            (  # Megatron-DeepSpeed says it itself, too
                lambda now, n: ready(now, n) + f"  successfully saved checkpoint at iteration {n:7d} to c\n",
                lambda now, n: loads(now, n) + f"  successfully loaded checkpoint from c at iteration {n}\n",
            ),
        ):
            path = self.file(log(saved, loaded))
            self.map("megatron", path, chips=1)
            self.assertEqual(
                [(1, 11), (1, 12), (1, 13), (2, 13), (2, 14)], self.rows("SELECT attempt, step FROM training_steps")
            )
            self.assertEqual({12, 14}, {step for (step,) in self.rows("SELECT step FROM commits")})
            held = {category: n for (category, _), n in self.seconds().items()}
            self.assertEqual((10, 40), (held["lost"], held["unrated"]), log(saved, loaded)[:300])
            self.assertEqual(20 if "successfully saved" in log(saved, loaded) else 40, held["checkpoint"])

    def test_evaluations_of_gpt_neox(self):
        """They have names of their own; and DeepSpeed's launcher tells the chips."""
        line = "[2026-03-02 09:{:02d}:{:02d},000] [INFO] [logging.py:96:log_dist] [Rank 0] step={}\n samples/sec: 1.0 | iteration {:8d}/ 4 | elapsed time per iteration (ms): 10000.0 | lm_loss: 1.0E+1 |\n"
        for name in ("validation results", "valid results", "validation/pile results", "validation loss"):
            text = "[2026-03-02 09:00:00,000] [INFO] [launch.py:162:main] dist_world_size=16\n" * 2
            for n in range(1, 5):
                at = 10 * n + 15 * (n > 2)
                text += line.format(at // 60, at % 60, n, n)
                text += f" {name} at iteration {n} | lm_loss value: 1.0E+01 | \n" if n == 2 else ""
            self.map("megatron", self.file(text))
            self.assertEqual(15 * 16, self.seconds()["eval", None], name)

    def test_what_follows_the_last_iteration(self):
        """A save and an evaluation there last as long as their timers say, also those of old versions, and the run goes on until then, or until the date that the log tells last."""
        clock = "[2026-03-02 09:00:{:02d}] "
        line = " {}iteration {:8d}/       3 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n"
        date = "[before the start of training step] datetime: 2026-03-02 09:00:00 \n"
        saved = "  successfully saved checkpoint from iteration       3 to /ckpt\n"
        timers = "(min, max) time across ranks (ms):\n    {} ................................: (5.00, {}.00)\n"
        for timed in (True, False):
            steps = date + "".join(line.format(clock.format(10 * n) if timed else "", n) for n in (1, 2, 3))
            for after, wanted, end in (
                (saved + timers.format("save-checkpoint", 4000), {"checkpoint": 4}, 34),
                (saved + "time (ms) | save-checkpoint: 4000.00\n", {"checkpoint": 4}, 34),
                (
                    "time (ms) | save-checkpoint: 4000.00\n" + saved + timers.format("evaluate", 2000) * 2,
                    {"checkpoint": 4, "eval": 4},
                    38,
                ),
                (saved + timers.format("save-checkpoint", 4000) + date.replace(":00 ", ":36 "), {"checkpoint": 4}, 36),
                (date.replace(":00 ", ":30 ") + saved + timers.format("save-checkpoint", 4000), {"checkpoint": 4}, 34),
            ):
                path = self.file(steps + after)
                self.map("megatron", path, chips=1)
                self.assertEqual(
                    [(0, end, "completed")],
                    self.rows("SELECT start_time - ?1, end_time - ?1, outcome FROM allocations", self.T0),
                    after,
                )
                booked = {key[0]: n for key, n in self.seconds().items() if key[0] not in ("unrated", "unknown")}
                self.assertEqual(wanted, booked, after)
                self.assertEqual(30, self.productive(), after)

    def test_launches_that_tell_their_dates(self):
        """Where iterations have no clock, each launch begins when it says, and ends when the line of its exit says. One without a date follows the one before."""
        date = "[before the start of training step] datetime: 2026-03-02 {} \n"
        steps = lambda *numbers: "".join(
            f" iteration {n:8d}/    1000 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n"
            for n in numbers
        )
        head = "using world size: 1, data-parallel-size: 1, tensor-model-parallel size: 1\n"
        load = "  successfully loaded checkpoint from /ckpt at iteration {}\n"
        leaves = "[exiting program after 1.0 minutes] datetime: 2026-03-02 {}\n"
        first = head + date.format("09:00:00") + steps(1, 2, 3) + leaves.format("09:00:45")
        second = head + load.format(3) + date.format("11:00:00") + steps(4, 5)
        self.map("megatron", self.file(first + second))
        held = "SELECT attempt, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY attempt"
        self.assertEqual([(1, 0, 45, "completed"), (2, 7200, None, None)], self.rows(held, self.T0))
        self.assertEqual(
            [(1, 0, 10), (2, 10, 20), (3, 20, 30), (4, 7200, 7210), (5, 7210, 7220)],
            self.rows("SELECT step, start_time - ?1, end_time - ?1 FROM training_steps ORDER BY step", self.T0),
        )
        self.map("megatron", self.file(first + second + head + load.format(5) + steps(6)))
        self.assertEqual(
            [(1, 0, 45, "completed"), (2, 7200, 7220, "failed"), (3, 7220, None, None)], self.rows(held, self.T0)
        )
        # The option tells when the log began, and its dates count for nothing.
        self.map("megatron", self.file(first + second), start=self.T0 - 3600)
        self.assertEqual([(1, -3600, -3570, "completed"), (2, -3570, None, None)], self.rows(held, self.T0))

    def test_start_up(self):
        """From the first date of a launch to its first iteration the program sets itself up, if both clocks are of one zone; other runs' dates are none."""
        date = "[after {} built] datetime: 2026-03-02 {} \n"
        head = "using world size: 8, data-parallel size: 8\n"

        def run(clock, first, at):
            return "".join(
                (f" [2026-03-02 {at}:{10 * i + 10:02d}] " if clock else " ")
                + f"iteration {first + i:8d}/ 99 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n"
                for i in range(3)
            )

        over = "[after training is done] datetime: 2026-03-02 09:05:00 \n"
        before = "[before the start of training step] datetime: 2026-03-02 {} \n"
        launch = (
            lambda at, begins: head
            + date.format("model is", at)
            + date.format("dataloaders are", at)
            + before.format(begins)
        )
        started = "SELECT attempt, kind, start_time - ?1, end_time - ?1 FROM spans WHERE kind = 'init' ORDER BY 1"
        held = "SELECT attempt, start_time - ?1 FROM allocations ORDER BY 1"
        for clock in (True, False):
            with self.subTest(clock=clock):
                first = launch("08:57:00", "09:00:00") + run(clock, 1, "09:00") + over
                second = launch("09:58:00", "10:00:00") + run(clock, 2, "10:00")
                self.map("megatron", self.file(first + second), chips=8)
                self.assertEqual([(1, "init", -180, 0), (2, "init", 3480, 3600)], self.rows(started, self.T0))
                self.assertEqual([(1, -180), (2, 3480)], self.rows(held, self.T0))
                self.assertEqual(
                    {("startup", None): (180 + 120) * 8}, {k: v for k, v in self.seconds().items() if k[0] == "startup"}
                )
                # without one before the first iteration, as of ranks that print none
                self.map("megatron", self.file(head + run(clock, 1, "09:00") + over), chips=8)
                self.assertEqual([], self.rows(started, self.T0))
        # clocks of two zones
        for hour in ("07", "11"):
            self.map("megatron", self.file(launch(hour + ":57:00", hour + ":59:00") + run(True, 1, "09:00")), chips=8)
            self.assertEqual([], self.rows(started, self.T0))
            self.assertEqual([(1, 0)], self.rows(held, self.T0))

    def test_a_clock_that_is_set_back_twice(self):
        """No step lasts less than nothing: the lines count where they stand, and are listed."""
        line = " [2026-03-02 09:{:02d}:00.000] iteration {:8d}/      30 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"
        path = self.file(
            "using world size: 4\n"
            + "".join(line.format(minute, i) for i, minute in ((1, 50), (2, 51), (3, 31), (4, 32), (5, 1), (6, 2)))
        )
        self.map("megatron", path)
        self.assertEqual(
            [0, 0, 1, 1, 1, 1],
            sorted(round(end - start) for start, end in self.rows("SELECT start_time, end_time FROM training_steps")),
        )
        self.assertEqual(4, self.issues(path)["line_out_of_order"])

    def test_a_load_without_steps_after_it(self):
        """The last run loads what an earlier one saved, and comes to no step: what it loaded was kept, what is later is lost. A line of a save need not be there."""
        line = " [2026-03-02 09:00:{0:06.3f}] iteration {0:8d}/      30 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"
        first = "using world size: 4\n" + "".join(line.format(i) for i in range(1, 13))
        for head in ("", "using world size: 4\n"):
            for loaded in (5, 12):
                self.map(
                    "megatron",
                    self.file(
                        first
                        + head
                        + f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {loaded}\n"
                    ),
                    outcome="failed",
                )
                self.assertEqual(
                    {("unrated", None): 4 * loaded, **({("lost", None): 4 * (12 - loaded)} if loaded < 12 else {})},
                    self.seconds(),
                )

    def test_saves_beside_training(self):
        """Asynchronous saves take the time until they are scheduled, and are safe later; local ones, which are not meant to last, are saves too."""
        line = " [2026-03-02 09:00:{:06.3f}] iteration {:8d}/{:8d} | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"
        timers = (
            "(min, max) time across ranks (ms):\n    {0} ({1:.2f}, {2:.2f})\n",
            "max time across ranks (ms):\n    {0} {2:.2f}\n",
        )
        for timer in timers:
            log = "".join(
                [
                    line.format(10, 10, 30),
                    "  scheduled an async checkpoint save at iteration      10 to /ckpt\n",
                    timer.format("save-checkpoint ................................:", 2900, 3000),
                    line.format(23, 20, 30),
                    "  successfully saved checkpoint from iteration      10 to /ckpt [ t 1/1, p 1/1 ]\n",
                    timer.format("save-checkpoint-non-persistent .................:", 490, 500),
                    "  successfully saved local checkpoint from iteration      20\n",
                    line.format(33.5, 30, 30),
                ]
            )
            for text in (log, re.sub(r" \[2026[^]]*\]", "", log)):
                self.map("megatron", self.file(text), chips=2, start="2026-03-02T09:00:00Z")
                self.assertEqual(
                    self.rows("SELECT kind, start_time - ?1, end_time - ?1 FROM spans WHERE kind <> 'step'", self.T0),
                    [("checkpoint", 10, 13), ("checkpoint", 23, 23.5)],
                )
                self.assertEqual(self.seconds(), {("checkpoint", None): 7, ("unrated", None): 60})
                self.assertEqual([step for step, in self.rows("SELECT step FROM commits")], [10, 20])
        # That the save of before is done is no word of the gap that it is said in.
        self.map(
            "megatron",
            self.file(
                "".join(
                    [
                        line.format(10, 10, 30),
                        line.format(20, 20, 30),
                        "  successfully saved checkpoint from iteration      10 to /ckpt\n",
                        " validation loss at iteration 20 | lm loss value: 1.0E+00 |\n",
                        line.format(35, 30, 30),
                    ]
                )
            ),
            chips=2,
        )
        self.assertEqual(self.seconds(), {("eval", None): 10, ("unrated", None): 60})

    def test_bridge(self):
        """Megatron Bridge has the rate on a line of its own, of the first rank, in front of the last rank's iteration."""
        line = (
            "0: Step Time : {1:.2f}s GPU utilization: {2:.1f}MODEL_TFLOP/s/GPU\n"
            "15:  [2026-03-02 09:00:{0:02d}] iteration {3:8d}/      30 | consumed samples:        25600 | elapsed time per iteration (ms): {4:.1f} | learning rate: 3.0E-05 |"
            " global batch size:   512 |{5} lm loss: 8.114214E+00 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
        )
        self.map(
            "megatron",
            self.file(
                line.format(20, 2, 0, 10, 2000, "")
                + line.format(40, 2, 663.5, 20, 2000, "")
                + "    forward-backward ...............................: (90.00, 91.00)\n"
                + line.format(50, 1, 1300.2, 30, 1000, " throughput per GPU (TFLOP/s/GPU): 1300.0 |")
            ),
            chips=16,
            chip="h100 80gb hbm3",
        )
        self.assertEqual(
            self.rows("SELECT step, seconds, tflops_per_chip FROM training_steps"),
            [(10, 20, None), (20, 20, 663.5), (30, 10, 1300)],
        )

    def test_ranks(self):
        """MindSpeed-MM prints on every rank; Megatron-LM itself on the last one, as the fixture does."""
        with open(FIXTURES + "/megatron.log", encoding="utf-8") as file:
            lines = file.readlines()
        sql = (
            "SELECT attempt, chips, start_time, end_time, outcome FROM allocations",
            "SELECT attempt, kind, start_time, end_time, step, flops FROM spans",
            "SELECT DISTINCT step, durable_time FROM commits",
        )
        for strip in (False, True):
            if strip:
                lines = [re.sub(r"^ *\[20[-\d :.]+\]", "", line) for line in lines]
            self.map("megatron", self.file("".join(lines)))
            wanted = [self.rows(s) for s in sql]
            self.map(
                "megatron",
                self.file(
                    "".join(
                        f"[Rank {rank} | Local Rank {rank}] {line}"
                        for line in lines
                        for rank in ((3, 0, 1, 2) if "iteration" in line else (0,))
                    )
                ),
            )
            self.assertEqual([self.rows(s) for s in sql], wanted)

    def test_a_clock_of_whole_seconds(self):
        """Iterations of any length, with pauses between some: what the log cuts off of each time adds up to no second of the run."""
        pick = random.Random(7)
        for longest in (0.3, 3, 9):
            now, text, ends, busy = 0.4, "using world size: 2\n", [], 0
            for step in range(1, 301):
                now += pick.choice((5, 0.7)) if pick.random() < 0.05 else 0
                seconds = round(pick.uniform(0.1, longest), 4)
                now += seconds
                busy += seconds
                ends.append(now)
                at = datetime.datetime.fromtimestamp(self.T0 + int(now), datetime.timezone.utc)
                text += f" [{at:%Y-%m-%d %H:%M:%S}] iteration {step:8d}/     300 | elapsed time per iteration (ms): {seconds * 1000:.1f} | lm loss: 1.0E+00 |\n"
            self.map("megatron", self.file(text))
            rows = self.rows("SELECT start_time - ?1, end_time - ?1, seconds FROM training_steps", self.T0)
            for (start, end, seconds), true in zip(rows, ends):
                self.assertAlmostEqual(end - start, seconds, 5)
                self.assertTrue(true - 1 < end < true + 1e-5, (end, true))
            self.assertTrue(all(a[1] < b[0] + 1e-5 for a, b in zip(rows, rows[1:])))
            found = self.seconds()
            self.assertAlmostEqual(self.productive() + found.get(("compile", None), 0), 2 * busy, 1)
            self.assertLess(abs(found[("unknown", None)] - 2 * (ends[-1] - 0.4 - busy)), 2)

    def test_a_file_for_each_rank(self):
        """The first rank tells of ranks, saves and loads, the last one of iterations: two files of one run give the figures of one log, whatever names launchers give them."""
        line = (
            lambda at, n: f" [2026-03-02 09:{at // 60:02d}:{at % 60:02d}.000000] iteration {n:8d}/     100 | consumed samples: 8 | elapsed time per iteration (ms): 1000.0 |{' throughput per GPU (TFLOP/s/GPU): 400.0 |' if rated else ''} lm loss: 1.0E+00 |\n"
        )
        rate, world = (
            "Step Time : 1.00s GPU utilization: 400.0MODEL_TFLOP/s/GPU\n",
            "using world size: 8, data-parallel size: 8\n",
        )
        saved = lambda n: f"  successfully saved checkpoint from iteration {n:7d} to /ckpt [ t 1/1, p 1/1 ]\n"
        loaded = "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 20\n"
        relations = (
            "SELECT attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY 1",
            "SELECT attempt, kind, start_time, end_time, step, flops FROM spans ORDER BY 1, 3, 2",
            "SELECT attempt, step, durable_time FROM commits ORDER BY 1, 2",
        )
        for rated in (True, False):
            ahead = "" if rated else rate
            first = [ahead + line(10, 10), ahead + line(20, 20), saved(20), ahead + line(32, 30), ahead + line(42, 40)]
            second = [loaded, ahead + line(70, 30), ahead + line(80, 40), saved(40), ahead + line(92, 50)]
            runs = [[world, *first], [world, *second]]
            of_first = lambda parts: "".join(
                part.replace(part[part.index(" [") :], "") if "iteration " in part and "consumed" in part else part
                for part in parts
            )
            of_last = lambda parts: "".join(part[part.index(" [") :] for part in parts if "consumed" in part)
            self.map("megatron", self.file("".join(runs[0] + runs[1])), job="j")
            wanted = [self.rows(relation) for relation in relations]
            self.assertEqual([(1, 20), (2, 40)], [row[:2] for row in wanted[2]])
            for names in ("attempt_{}/{}/stdout.log", "log_{}_rank{}.txt", "rank{1}_attempt{0}.txt", "log.{}.{}"):
                with self.subTest(rated=rated, names=names):
                    files = {
                        names.format(i, rank): of(run)
                        for i, run in enumerate(runs)
                        for rank, of in ((0, of_first), (7, of_last))
                    }
                    folder = self.new_folder()
                    for name, text in files.items():
                        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                            file.write(text)
                    self.map("megatron", folder, job="j")
                    self.assertEqual(wanted, [self.rows(relation) for relation in relations])
            with self.subTest(rated=rated, names="both runs in each file"):
                self.map(
                    "megatron",
                    self.folder_of(
                        {
                            "llm-master-0.log": of_first(runs[0] + runs[1]),
                            "llm-worker-2.log": of_last(runs[0] + runs[1]),
                        }
                    ),
                    job="j",
                )
                self.assertEqual(wanted, [self.rows(relation) for relation in relations])
            with self.subTest(rated=rated, names="a run that goes on from its last save"):
                third = [loaded.replace("20", "50"), ahead + line(130, 60), ahead + line(140, 70)]
                self.map("megatron", self.file("".join(runs[0] + runs[1] + [saved(50), world, *third])), job="j")
                all_three = [self.rows(relation) for relation in relations]
                self.assertEqual((3, 40), (all_three[0][-1][0], all_three[0][-1][2] - self.T0 - 80))
                self.map(
                    "megatron",
                    self.folder_of(
                        {
                            "r0.log": of_first(runs[0] + runs[1] + [saved(50), world, *third]),
                            "r7.log": of_last(runs[0] + runs[1] + third),
                        }
                    ),
                    job="j",
                )
                self.assertEqual(all_three, [self.rows(relation) for relation in relations])
            sacct = "JobID|State|Start|End|AllocTRES|Submit|Partition\n" + "".join(
                f"{job}|FAILED|2026-03-02T09:00:00|2026-03-02T09:01:00|gres/gpu=8|2026-03-02T09:00:00|gpu\n"
                for job in (77, 78)
            )
            files = {
                f"slurm-{job}-{rank}.out": f"job {job}\n" + of(runs[0])
                for job in (77, 78)
                for rank, of in ((0, of_first), (7, of_last))
            } | {"sacct.psv": sacct}
            self.assertEqual(
                [(job, 160.0) for job in ("77", "78")],
                self.rows(
                    "SELECT job, sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'lost' GROUP BY 1",
                    self.folder_of(files),
                ),
            )
        rated = True
        path = self.folder_of({"a.log": world + saved(20), "b.log": line(10, 10) + line(20, 20)})
        self.map("megatron", path)
        self.assertEqual([("no_steps",)], self.rows("SELECT kind FROM mpg_issues WHERE source = ?", path + "/a.log"))

    def test_a_first_iteration_that_counts_twice(self):
        """Newer versions print it, and have it in the mean of the next line again. By hand: a first of 60 s, others of 1 s, 10 TFLOP of each GPU an iteration."""
        line = (
            lambda at, n, each: f" [2026-03-02 09:{at // 60:02d}:{at % 60:02d}.000000] iteration {n:8d}/     100 | consumed samples: 8 | elapsed time per iteration (ms): {1000 * each:.1f} | throughput per GPU (TFLOP/s/GPU): {10 / each:.6f} | lm loss: 1.0E+00 |\n"
        )
        for loaded in (0, 20):
            head = "using world size: 8, data-parallel size: 8\n" + (
                f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {loaded}\n"
                if loaded
                else ""
            )
            for each in ((60 + 9) / 10, 1.0):
                self.map(
                    "megatron",
                    self.file(
                        head + line(60, loaded + 1, 60.0) + line(69, loaded + 10, each) + line(79, loaded + 20, 1.0)
                    ),
                )
                self.assertEqual(
                    [(1, 60, 80), (9, 9, 720), (10, 10, 800)],
                    self.rows(
                        "SELECT executions, round(end_time - start_time, 3), round(flops / 1e12, 2) FROM training_steps ORDER BY step"
                    ),
                )
                self.assertEqual(
                    [(59,)], self.rows("SELECT round(end_time - start_time, 3) FROM spans WHERE kind = 'compile'")
                )

    def test_of_primus(self):
        """Its clock has no dashes, and its lines have a value of the iteration before the mean of all."""
        line = (
            "[\x1b[32m20260302 09:00:{0:02d}\x1b[0m][\x1b[36mrank-7/8\x1b[0m][\x1b[1mINFO \x1b[0m] \x1b[1m[--------trainer.py:2560] : iteration {1}/ 100 | consumed samples: 8 | elapsed time per iteration (ms): 2000.0/2400.0 | "
            "hip mem usage/free/total/usage_ratio: 153.81GB/102.17GB/255.98GB/60.09% | throughput per GPU (TFLOP/s/GPU): 500.0/420.0 | tokens per GPU (tokens/s/GPU): 9801.4/9807.3 | lm loss: 6.5E-03 |\n"
        )
        path = self.file("".join(line.format(10 + 3 * i, i) for i in range(1, 5)))
        self.map("megatron", path, chips=8)
        self.assertEqual(
            [(i, 11 + 3 * i - 3, 13 + 3 * i - 3, 500) for i in range(1, 5)],
            self.rows(
                "SELECT step, start_time - 1772442000, end_time - 1772442000, tflops_per_chip FROM training_steps"
            ),
        )
        self.assertEqual([("chips, chip",)], self.rows("SELECT missing FROM trace_sources(?)", path))

    def test_a_load_of_another_run(self):
        """One that names a later iteration than the first is of a run that this one begins from: nothing goes on from it."""
        line = (
            lambda n: f" [2026-03-02 09:00:{n:02d}.000000] iteration {n:8d}/     100 | consumed samples: 8 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"
        )
        self.map(
            "megatron",
            self.file(
                "using world size: 1, data-parallel size: 1\n  successfully loaded checkpoint from /base [ t 1/1, p 1/1 ] at iteration 5000\n"
                + line(10)
                + line(20)
            ),
        )
        self.assertEqual(
            [(10, 10, 10), (20, 10, 10)],
            self.rows("SELECT step, executions, end_time - start_time FROM training_steps ORDER BY step"),
        )
        self.assertEqual([], self.rows("SELECT * FROM spans WHERE kind = 'restore'"))

    def test_skipped_iterations(self):
        """--iterations-to-skip runs no step and prints no line; consumed samples count on. By the clock, or by what was loaded, they took nothing."""
        line = " [2026-03-02 09:{:02d}:{:06.3f}] iteration {:8d}/      40 | throughput per GPU (TFLOP/s/GPU): 400.0 | elapsed time per iteration (ms): 5000.0 | lm loss: 1.0E+00 |\n"
        at = lambda s, step: line.format(int(s) // 60, s % 60, step)
        first = (
            "".join(at(5.25 * n, n) for n in range(1, 6))
            + "  successfully saved checkpoint from iteration       5 to /ckpt\n"
            + "".join(at(30 + 5 * n, n + 5) for n in range(1, 6))
        )
        loaded = "using world size: 8\n  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 5\n"
        self.map(
            "megatron",
            self.file("using world size: 8\n" + first + loaded + "".join(at(200 + 5 * n, n + 15) for n in range(1, 6))),
            outcome="completed",
        )
        self.assertEqual(
            self.rows(
                "SELECT step, executions, seconds, flops / 8e12 FROM training_steps WHERE attempt = 2 AND step < 18"
            ),
            [(16, 1, 5, 2000), (17, 1, 5, 2000)],
        )
        self.assertEqual(self.rows("SELECT attempt, step FROM spans WHERE kind = 'restore'"), [(2, 5)])
        # Step by step, with 2 s for the save: what was skipped is neither executed nor lost.
        first = (
            "".join(at(60 + 5 * n, n) for n in range(1, 6))
            + "  successfully saved checkpoint from iteration       5 to /ckpt\n"
            + "".join(at(87 + 5 * n, n + 5) for n in range(1, 6))
        )
        self.map(
            "megatron",
            self.file("using world size: 8\n" + first + loaded + "".join(at(230 + 5 * n, n + 15) for n in range(1, 6))),
            outcome="completed",
            chip="h100 80gb hbm3",
        )
        self.assertEqual(
            self.rows(
                "SELECT step, executions, seconds, flops / 8e12 FROM training_steps WHERE attempt = 2 AND step = 16"
            ),
            [(16, 1, 5, 2000)],
        )
        self.assertEqual(
            [(1, "checkpoint", 2), (1, "kept", 25), (1, "lost", 25), (2, "kept", 25)],
            self.rows(
                """
            SELECT attempt, iif(category IN ('ideal', 'inefficiency'), 'kept', category), round(sum(chip_us) / 8e6, 3) FROM mpg_rollup WHERE category <> 'queued' GROUP BY 1, 2"""
            ),
        )
        self.assertEqual(0.6494, self.one("SELECT round(runtime_goodput(category, chip_us), 4) FROM mpg_rollup"))
        # In the middle of a run, without a restart.
        self.map(
            "megatron",
            self.file("using world size: 8\n" + "".join(at(5 * n, n if n < 6 else n + 10) for n in range(1, 12))),
            outcome="completed",
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT executions, seconds, flops / 8e12 FROM training_steps"), [(1, 5, 2000)]
        )
        # As many as a log interval has are none that were skipped.
        self.map("megatron", self.file(loaded + "".join(at(50 * n, 10 * n) for n in range(1, 4))), outcome="completed")
        self.assertEqual(self.rows("SELECT step, executions FROM training_steps"), [(10, 5), (20, 10), (30, 10)])

    def test_lines_that_lack_their_time_are_listed(self):
        path = self.file(
            " iteration        1/      40 | elapsed time per iteration (ms): 5000.0 | lm loss: 1.0E+00 |\n iteration        2/      40 | lm loss: 1.0E+00 |\n"
        )
        self.map("megatron", path)
        self.assertEqual(
            self.rows("SELECT kind, count, line FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path),
            [("missing_field", 1, 2)],
        )
        path = self.file("completed step: 1, seconds: 2.0\n")
        self.map("megatron", path)
        self.assertEqual(self.rows("SELECT count FROM mpg_issues WHERE kind = 'no_steps' AND source = ?", path), [(1,)])

    def test_rates_that_some_lines_lack(self):
        line = " iteration        {}/      40 | elapsed time per iteration (ms): 5000.0 | throughput per GPU (TFLOP/s/GPU): {} | lm loss: 1.0E+00 |\n"
        for rates, said in (
            (("inf", "250.0", "250.0"), [(1, 1)]),
            (("250.0", "nan", "250.0"), [(1, 2)]),
            (("250.0",) * 3, []),
            (("nan",) * 3, []),
        ):
            path = self.file(
                "using world size: 8\n" + "".join(line.format(i + 1, rate) for i, rate in enumerate(rates))
            )
            self.map("megatron", path)
            self.assertEqual(
                [(n, at + 1) for n, at in said],
                self.rows("SELECT count, line FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path),
                rates,
            )

    def test_of_deepspeed(self):
        """Megatron-DeepSpeed tells seconds, and saves `at` an iteration, as Megatron-LM itself once did; torchrun names the ranks."""
        line = "[default7]: iteration {:8d}/  115311 | consumed samples: 1 | elapsed time per iteration (s): {} | global batch size:  2048 | lm loss: 2.4E+00 | TFLOPs: 149.02 |\n"
        path = self.file(
            "[default0]:using world size: 384, data-parallel-size: 8\n"
            + line.format(12693, 105.5)
            + line.format(12694, "100")
            + "[default0]:  successfully saved checkpoint at iteration   12694 to /ckpt\n"
            + line.format(12696, 100.25)
        )
        self.map("megatron", path, outcome="failed")
        self.assertEqual(
            self.rows("SELECT step, executions, start_time, end_time, seconds FROM training_steps"),
            [(12693, 1, 0, 105.5, 105.5), (12694, 1, 105.5, 205.5, 100), (12696, 2, 205.5, 406, 200.5)],
        )
        self.assertEqual(self.rows("SELECT step, durable_time FROM commits"), [(12694, 205.5)])
        self.assertEqual(self.seconds()[("lost", None)], 384 * 200.5)


if __name__ == "__main__":
    unittest.main()
