"""Logs of MaxText: the mapping sql/formats/maxtext.sql, held against figures that its authors published with a log, and against sums made by
hand."""

import datetime
import json
import os
import re
import sqlite3
import unittest

from maxtext_logs import MaxTextLogs
from training import FIXTURES, REAL


class MaxText(MaxTextLogs):
    def test_a_step_that_lacks_its_seconds_makes_no_compilation(self):
        """A line that was cut off: its step is of no length, and no mean of the others."""
        text = (
            "Num_devices: 1\n"
            + "".join(
                f"2026-03-02 09:00:{10 * n + 10:02d} completed step: {n}, seconds: 10.0, TFLOP/s/device: 1.0, loss: 1.0\n"
                for n in range(4)
            )
            + "2026-03-02 09:00:50 completed step: 4, sec\n"
        )
        self.map("maxtext", self.file(text))
        self.assertEqual([], self.rows("SELECT * FROM spans WHERE kind = 'compile'"))

    def test_steps_at_which_a_profiler_starts_or_stops(self):
        """MaxText hides their seconds: each took the time since the line before, and is unrated."""
        line = "2026-03-02 09:00:{:02d} completed {}\n"
        text = "Num_devices: 1\nConfig param steps: 6\n" + "".join(
            line.format(
                10 + 2 * n,
                (
                    f"step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0"
                    if n not in (2, 3)
                    else f"profiler activation/deactivation step: {n}, total_weights: 1, loss: 1.0"
                ),
            )
            for n in range(6)
        )
        self.map("maxtext", self.file(text))
        self.assertEqual(
            [(n, 2.0, None if n in (2, 3) else 1.0) for n in range(6)],
            self.rows("SELECT step, end_time - start_time, tflops_per_chip FROM training_steps"),
        )
        self.assertEqual(12, self.productive())

    def test_how_a_run_stopped(self):
        """The program says that it reached its loss, or was preempted after its last save was over, or that the loss is no number. By hand, of ten steps of 2 s with a save
        of step 4, and one of step 9 that began as the program was preempted."""
        steps = [
            f"2026-03-02 09:00:{10 + 2 * n:02d} completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0\n"
            for n in range(10)
        ]
        save = "2026-03-02 09:00:{:02d} {} checkpoint {}step {}\n"
        head = (
            "Num_devices: 1\nConfig param steps: 100\n"
            + "".join(steps[:5])
            + save.format(18, "Saved a", "at ", 4)
            + "".join(steps[5:])
        )
        for last, outcome, productive, other in (
            ("Training stopped: Target loss self.config.target_eval_loss=5.6 is achieved.", "completed", 20, {}),
            ("Training stopped: Job is preempted.", "preempted", 20, {}),
            ("Aborting training due to NaN loss.", "failed", 10, {"lost": 10}),
            ("", None, 10, {"pending": 10}),
        ):
            self.map(
                "maxtext",
                self.file(
                    head
                    + (save.format(29, "Started an asynchronous", "save for ", 9) if outcome == "preempted" else "")
                    + f"2026-03-02 09:00:30 {last}\n"
                ),
            )
            self.assertEqual([(outcome,)], self.rows("SELECT outcome FROM allocations"))
            self.assertEqual(productive, self.productive())
            self.assertEqual(
                other,
                {
                    category: seconds
                    for (category, _), seconds in self.seconds().items()
                    if category in ("lost", "pending")
                },
                last,
            )

    def test_the_rate_of_old_versions(self):
        """The first of MaxText called it TFLOP/s, of a device all the same."""
        self.map(
            "maxtext",
            self.file(
                "Num_devices: 1\n"
                + "".join(f"completed step: {n}, seconds: 2.000, TFLOP/s: 3.500, loss: 1.000\n" for n in range(3))
            ),
        )
        self.assertEqual([(3.5,)] * 3, self.rows("SELECT tflops_per_chip FROM training_steps"))

    def test_steps_without_a_clock_between_lines_that_have_one(self):
        """Steps that old versions print, and what absl logs beside them: a save and a restart are at their own times, and steps come after them. By hand."""
        said = lambda at, text: f"I0302 09:{at // 60:02d}:{at % 60:02d}.000000 1 x.py:1] {text}\n"
        steps = lambda first, last: "".join(
            f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0\n" for n in range(first, last)
        )
        head = "Config param steps: 20\nNum_devices: 1\n"
        first = (
            head
            + steps(0, 4)
            + said(30, "Finished blocking save in 1.50 seconds. Continuing @ gs://x/3")
            + steps(4, 6)
            + said(33, "Finished async_save (blocking + background) in 3.00 seconds @ gs://x/3")
            + steps(6, 8)
        )
        second = head + said(310, "Finished load in 5.00 seconds @ gs://x/3") + steps(4, 6)
        wanted = [(1, n, at, at + 2) for n, at in zip(range(8), (22, 24, 26, 28, 30, 32, 34, 36))] + [
            (2, 4, 310, 312),
            (2, 5, 312, 314),
        ]
        times = "round(start_time - 1772442000, 3), round(end_time - 1772442000, 3)"
        for log, job in ((self.file(first + second), None), (self.folder_of({"b.log": first, "a.log": second}), "x")):
            self.map("maxtext", log, year=2026, job=job)
            self.assertEqual(wanted, self.rows(f"SELECT attempt, step, {times} FROM training_steps ORDER BY 1, 2"))
            self.assertEqual(
                [(1, "checkpoint", 28.5, 30), (2, "restore", 305, 310)],
                self.rows(f"SELECT attempt, kind, {times} FROM spans WHERE kind NOT IN ('step', 'compile') ORDER BY 1"),
            )
            self.assertEqual([(1, 22, 38), (2, 305, None)], self.rows(f"SELECT attempt, {times} FROM allocations"))
            self.assertEqual([(3, 34)], self.rows("SELECT step, round(durable_time - 1772442000, 3) FROM commits"))

    def test_fixture(self):
        log = FIXTURES + "/maxtext.log"
        self.map("maxtext", log)
        self.assertEqual(
            self.rows("SELECT attempt, chips, start_time, end_time, outcome FROM allocations"),
            [(1, 4, 0, 47.5, "failed"), (2, 4, 47.5, 71.5, "completed")],
        )
        self.assertEqual(self.rows("SELECT chip, chips FROM capacity"), [("TPU v5", 4)] * 2)
        self.assertEqual(self.rows("SELECT attempt, step, durable_time FROM commits"), [(1, 4, 39.1)])
        others = (2 + 2 + 1.6 + 2 + 2 + 2 + 2.4) / 7
        self.assertEqual(
            self.seconds(),
            {
                ("compile", None): round(4 * (31.5 - others) + 4 * (12 - 2), 3),
                ("eval", None): 8,
                ("lost", None): 4 * 6.4,
            },
        )
        self.assertEqual(self.productive(), round(4 * (others + 2 + 2 + 1.6 + 2 + 7 * 2), 3))
        self.assertEqual(
            self.rows("SELECT step, mfu FROM training_steps WHERE attempt = 1 AND step = 3"), [(3, 156.25 / 459)]
        )

    def test_lines_in_colour(self):
        """A terminal's colours stand before the words and after them."""
        with open(os.path.join(FIXTURES, "maxtext.log"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        sums = [
            self.rows(
                "SELECT category, sum(chip_us) FROM trace_ledger(?) GROUP BY 1",
                self.file("".join(before + line + after + "\n" for line in lines), "maxtext.log"),
            )
            for before, after in (("", ""), ("\x1b[32m", "\x1b[0m"), ("\x1b[1;36m", "\x1b[39m"))
        ]
        self.assertGreater(len(sums[0]), 2)
        self.assertEqual(sums[:1] * 3, sums)

    def test_of_primus(self):
        """A clock without dashes, as in its logs of other trainers: a pause between steps is none of theirs."""
        clock = lambda at: f"[20260303 10:{at // 60:02}:{at % 60:02}][rank-0/8][INFO ]     "
        lines = [(5, "Num_devices: 8, shape (1, 8)")] + [
            (2 * n + (64 if n > 4 else 10), self.STEP.format(n, 2, 150)) for n in range(8)
        ]
        path = self.file("".join(clock(at) + text + "\n" for at, text in lines))
        self.map("maxtext", path, outcome="completed")
        self.assertEqual(
            [(n, (64 if n > 4 else 10) + 2 * n, 2) for n in range(8)],
            self.rows("SELECT step, end_time - 1772532000, end_time - start_time FROM training_steps"),
        )
        self.assertEqual(54 + 3, self.seconds()[("unknown", None)] / 8)
        self.assertEqual([("chip",)], self.rows("SELECT missing FROM trace_sources(?)", path))

    def test_a_save_without_a_clock(self):
        """Among lines that have one it is as late as the line above it."""
        step = "2026-03-02 09:00:{:02d} completed step: {}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0\n"
        text = "Num_devices: 1\nConfig param steps: 9\n" + "".join(
            step.format(10 + 2 * n, n) + ("Saved a checkpoint at step 3.\n" if n == 3 else "") for n in range(6)
        )
        self.map("maxtext", self.file(text), outcome="failed")
        self.assertEqual([(3, 1772442016)], self.rows("SELECT step, durable_time FROM commits"))
        self.assertEqual((8, 4), (self.productive(), self.seconds()["lost", None]))

    def test_a_set_up_with_a_clock(self):
        """The program holds its chips from when it says how it is set up, in each of its runs."""
        run = lambda at, first: [(at, "Config param steps: 40"), (at + 100, "Num_devices: 8, shape (8,)")] + [
            (at + 300 + 10 * n, self.STEP.format(n, 10, 150)) for n in range(first, first + 5)
        ]
        self.map("maxtext", self.log(*run(0, 0), *run(1000, 3), head="TFRT TPU v5p\n"), year=2026)
        self.assertEqual(
            [(0, 340), (1000, 1370)],
            self.rows(
                "SELECT start_time - 1772442000, coalesce(end_time, (SELECT max(s.end_time) FROM spans AS s)) - 1772442000 FROM allocations"
            ),
        )
        self.assertEqual(8 * (290 + 320), self.seconds()["unknown", None])

    def test_several_hosts(self):
        """Every host prints every line, behind what the launcher says of it."""
        with open(FIXTURES + "/maxtext.log", encoding="utf-8") as file:
            lines = file.readlines()
        relations = (
            "SELECT attempt, chips, start_time, end_time, outcome FROM allocations",
            "SELECT chip, chips, start_time FROM capacity",
            "SELECT attempt, kind, start_time, end_time, step, flops FROM spans",
            "SELECT DISTINCT attempt, step, durable_time FROM commits",
            "SELECT attempt, step, mfu FROM training_steps",
        )
        self.map("maxtext", FIXTURES + "/maxtext.log")
        wanted = [self.rows(sql) for sql in relations]
        for prefixes in (
            ("0: ", "1: "),
            ("(run pid=7, ip=10.0.0.1) ", "(run pid=9, ip=10.0.0.2) "),
            ("", "", ""),
            ("[pod/a-0-0/jax] ",),
        ):
            self.map("maxtext", self.file("".join(prefix + line for line in lines for prefix in prefixes)))
            self.assertEqual([self.rows(sql) for sql in relations], wanted)
        # With a clock: what comes again after a pause is a restart, though nothing else says so.
        at = "2026-11-21T15:00:{:02}.5Z completed step: {}, seconds: 2.0, TFLOP/s/device: 100.0, loss: 1.5\n"
        self.map(
            "maxtext",
            self.file("".join(at.format(s, n) for s, n in ((2, 0), (2, 0), (4, 1), (5, 1), (30, 1), (32, 2)))),
            chips=8,
        )
        self.assertEqual(self.rows("SELECT attempt, step FROM training_steps"), [(1, 0), (1, 1), (2, 1), (2, 2)])

    def test_the_clock_of_a_cluster(self):
        """Behind what kubectl logs --timestamps writes the chip is found too."""
        with open(FIXTURES + "/maxtext.log", encoding="utf-8") as file:
            text = "".join(f"2026-11-21T15:{n // 60:02}:{n % 60:02}.123456789Z {line}" for n, line in enumerate(file))
        self.map("maxtext", self.file(text))
        self.assertEqual(self.rows("SELECT DISTINCT chip, chips FROM capacity"), [("TPU v5", 4)])

    def test_evaluations_without_seconds(self):
        """As MaxText prints them: a step's line comes after the next one's start, and what an evaluation took is in the seconds of the step behind it."""
        text, now, last, line = "Config param steps: 12\n", 0, 0, ""
        for step in range(13):
            now += 1
            seconds, last = now - last, now
            if (step + 1) % 5 == 0:
                for n in range(10):
                    now += 0.5
                    text += f"I0317 10:00:{now:09.6f} 125344 train.py:9] Completed eval step {n}\n"
                text += f"I0317 10:00:{now:09.6f} 125344 metric_logger.py:9] eval metrics after step: {step}, loss=9.855, total_weights=75264.0\n"
            text += f"I0317 10:00:{now:09.6f} 125344 metric_logger.py:9] {line}\n" if line else ""
            line = f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: 50.000, loss: 3.000"
        self.map("maxtext", self.file(text), chips=4, year=2026)
        self.assertEqual(self.seconds(), {("eval", None): 4 * 10, ("unrated", None): 4 * 12})
        self.assertEqual(self.rows("SELECT end_time - start_time FROM spans WHERE kind = 'eval'"), [(5,), (5,)])

    def test_names_of_chips(self):
        """As JAX writes them; on some a device is half a chip."""
        for name, devices, peak in (
            ("TPU v3", 2, 123),
            ("TPU v4", 1, 275),
            ("TPU v5 lite", 1, 197),
            ("TPU v6 lite", 1, 918),
            ("TPU7x", 2, 2307),
        ):
            self.map(
                "maxtext",
                self.file(
                    f"System Information: Jax Backend: PJRT C API\nTFRT {name}\nBuilt on Mar 4 2026 11:32:08 (1772652728) cl/878335365\n"
                    "Num_devices: 64, shape (1, 64)\ncompleted step: 4, seconds: 1.000, TFLOP/s/device: 50.000, loss: nan\n"
                ),
            )
            self.assertEqual(self.rows("SELECT chip, chips FROM capacity"), [(name, 64 // devices)])
            self.assertEqual(
                self.rows("SELECT loss, tflops_per_chip, round(mfu, 9) FROM training_steps"),
                [(None, 50 * devices, round(50 * devices / peak, 9))],
            )

    def test_a_clock_in_the_lines(self):
        """The same run with the prefixes of Python's logging and of absl: ends are told, and a pause is seen."""
        at = datetime.datetime(2026, 11, 21, 15)
        for form in (
            "%Y-%m-%d %H:%M:%S.000 I completed",
            "I%m%d %H:%M:%S.000000 140123 metric_logger.py:198] completed",
        ):
            lines = [
                (at + datetime.timedelta(seconds=s)).strftime(form)
                + f" step: {n}, seconds: 2.000, TFLOP/s/device: 100.0, loss: 1.5\n"
                for n, s in enumerate((2, 4, 6, 16, 18))
            ]
            self.map(
                "maxtext",
                self.file("".join(lines)),
                chips=8,
                chip="tpu-v5p",
                year=2026,
                outcome="completed",
                pool="p",
                job="run",
            )
            start = at.replace(tzinfo=datetime.timezone.utc).timestamp()
            self.assertEqual(
                self.rows("SELECT job, pool, chips, start_time, end_time, outcome FROM allocations"),
                [("run", "p", 8, start, start + 18, "completed")],
            )
            self.assertEqual(self.seconds(), {("unknown", None): 8 * 8})
            self.assertEqual(
                round(self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"), 6), round(100 / 459, 6)
            )

    def test_chips_of_two_devices(self):
        """MaxText counts devices, of which a TPU v3 and a tpu7x have two each: 8 of them are 4 chips, with twice the rate of one."""
        lines = "Num_devices: 8, shape (1, 1, 8, 1)\n" + "".join(
            f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 100.0, Tokens/s/device: 50.0, loss: 1.5\n"
            for n in range(4)
        )
        for log, given, chip, peak in (
            ("TFRT TPU v3\n", {}, "TPU v3", 123),
            ("", {"chip": "TPU_7X"}, "TPU_7X", 2307),
            ("", {"chip": "tpu7x", "chips": 4}, "tpu7x", 2307),
        ):
            self.map("maxtext", self.file(log + lines), outcome="completed", **given)
            self.assertEqual(
                self.rows("SELECT chip, chips FROM capacity UNION ALL SELECT NULL, chips FROM allocations"),
                [(chip, 4), (None, 4)],
            )
            self.assertEqual(
                self.rows("SELECT DISTINCT tflops_per_chip, tokens_per_s_per_chip, flops FROM training_steps"),
                [(200, 100, 2 * 8 * 100e12)],
            )
            for goodput in (
                self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"),
                self.one("SELECT avg(mfu) FROM training_steps"),
            ):
                self.assertAlmostEqual(goodput, 200 / peak, 6)

    def test_saves(self):
        step = "completed step: {}, seconds: 1.000, TFLOP/s/device: 1.0, loss: 1.5\n"
        saving = "Started an asynchronous checkpoint save for step {}\n"
        path = self.file(
            "".join(
                [
                    step.format(0),
                    saving.format(0),
                    step.format(1),
                    saving.format(1),
                    step.format(2),
                    "saved a checkpoint at step 2\n",
                    step.format(3),
                ]
            )
        )
        self.map("maxtext", path, chips=1)
        self.assertEqual(
            self.rows("SELECT step, snapshot_time, durable_time FROM commits"), [(0, 1, 2), (1, 2, 3), (2, 3, 3)]
        )
        self.assertEqual(self.seconds(), {("pending", None): 1, ("unrated", None): 3})

    def test_a_load_without_steps_after_it(self):
        """The last run loads a step and comes to none: what it loaded had been kept."""
        events = [(10 + 2 * i, self.STEP.format(i, 2, 100)) for i in range(20)] + [
            (100, "Num_devices: 8, shape (8,)"),
            (110, "Finished load in 5.00 seconds @ gs://b/ckpt/{}"),
        ]
        for loaded, lost in ((9, 8 * 20), (19, 0)):
            self.map(
                "maxtext",
                self.log(*((at, text.format(loaded) if "load" in text else text) for at, text in events)),
                year=2026,
                outcome="failed",
            )
            seconds = self.seconds()
            self.assertEqual((lost, 40), (seconds.get(("lost", None), 0), seconds["restore", None]))

    def test_saves_that_every_host_tells_of(self):
        """That another host began the same save proves nothing; the next save does, on each of them."""
        events = [(10 + 2 * i, self.STEP.format(i, 2, 100)) for i in range(12)] + [
            (20.5, "Started an asynchronous checkpoint save for step 5"),
            (28.5, "Started an asynchronous checkpoint save for step 9"),
        ]
        for hosts in (1, 2, 4):
            lines = sorted((at + 0.1 * host, text) for at, text in events for host in range(hosts))
            self.map("maxtext", self.log(*lines), year=2026, outcome="failed")
            self.assertEqual(
                [(5, 28.5)],
                [(step, round(at - 1772442000, 1)) for step, at in self.rows("SELECT step, durable_time FROM commits")],
            )

    def test_fields_in_any_order_and_between(self):
        for fields in (
            "seconds: 2.0, live slice count: 2, TFLOP/s/device: 150.0, Tokens/s/device: 7500.0, total_weights: 65536, loss: 9.5",
            "loss: 9.5, Tokens/s/device: 7500.0, lm_loss: 3.0, TFLOP/s/device: 150.0, seconds: 2.0",
            "learning_rate: 3.0e-5, seconds: 2.0, moe_lb_loss: 7, TFLOP/s/device: 150.0, Tokens/s/device: 7500.0, loss: 9.5, perplexity: 4.0",
        ):
            with self.subTest(fields=fields):
                self.map(
                    "maxtext", self.log(*((2 * n, f"completed step: {n}, {fields}") for n in range(1, 9))), year=2026
                )
                self.assertEqual(
                    self.rows(
                        "SELECT DISTINCT seconds, loss, tflops_per_chip, tokens_per_s_per_chip, flops FROM training_steps"
                    ),
                    [(2, 9.5, 150, 7500, 2.4e15)],
                )
                self.assertEqual(self.kinds(), [])

    def test_the_count_of_slices_in_between(self):
        """Elastic MaxText writes it behind the seconds: the rate and the loss are read all the same."""
        line = "completed step: {}, seconds: {:.3f}, live slice count: 2, TFLOP/s/device: {:.3f}, Tokens/s/device: 7500.000, total_weights: 65536, loss: {:.3f}, lm_loss: 9.900"
        self.map(
            "maxtext",
            self.log(
                (31, line.format(0, 30, 10, 10.871)),
                *((31 + 2 * n, line.format(n, 2, 150, 10 - n / 10)) for n in range(1, 10)),
                head="Config param steps: 10\nTFRT TPU v5p\nNum_devices: 8, shape (8,)\n",
            ),
            year=2026,
        )
        self.assertEqual(
            self.rows("SELECT step, seconds, loss, tflops_per_chip, flops FROM training_steps WHERE step IN (1, 9)"),
            [(1, 2, 9.9, 150, 2.4e15), (9, 2, 9.1, 150, 2.4e15)],
        )
        self.assertEqual(
            [("compile", 224), ("ideal", 52.3), ("inefficiency", 107.7)],
            self.rows("SELECT category, round(sum(chip_us) / 1e6, 1) FROM mpg_rollup GROUP BY 1"),
        )
        self.assertEqual(0.3268, self.one("SELECT round(program_goodput(category, chip_us), 4) FROM mpg_rollup"))

    def test_missing_fields_are_listed(self):
        lines = [
            (2 * n, self.STEP.format(n, 2, 150) if n % 2 else f"completed step: {n}, seconds: 2.0, loss: 9.5")
            for n in range(1, 8)
        ]
        self.map("maxtext", self.log(*lines), year=2026)
        self.assertEqual(self.kinds(), [("missing_field", 3)])
        self.map(
            "maxtext",
            self.log((1, "completed step: 1, TFLOP/s/device: 150.000"), (3, self.STEP.format(2, 2, 150))),
            year=2026,
        )
        self.assertEqual(self.kinds(), [("missing_field", 1)])

    def test_nothing_recognised_is_listed(self):
        self.listed = self.file("hello\niteration 1 of 2\n")
        self.map("maxtext", self.listed)
        self.assertEqual(self.kinds(), [("no_steps", 1)])

    def test_a_year_is_asked_for(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, ":year"):
            self.map("maxtext", self.log((2, self.STEP.format(0, 2, 150))))

    def test_the_last_save_before_a_failure(self):
        """Of step 19, safe 9 s after it; ten more steps are lost."""
        steps = [(3 + 2 * n + 0.6 * (n > 19), self.STEP.format(n, 2, 150)) for n in range(30)]
        orbax = [
            (41.1, "[process=0] [async] Started save checkpoint @ gs://toy/ckpt/19."),
            (41.6, "[process=0] [async] Finished blocking save in 0.50 seconds. Continuing save @ gs://toy/ckpt/19."),
            (41.6, "Started an asynchronous checkpoint save for step 19"),
            (50.6, "[process=0] [async] Finished save (blocking + background) in 9.50 seconds @ gs://toy/ckpt/19"),
        ]
        self.map("maxtext", self.log(*sorted(steps + orbax)), year=2026, outcome="failed")
        self.assertEqual([(19, 1772442050.6)], self.rows("SELECT step, round(durable_time, 3) FROM commits"))
        self.assertEqual(
            (8 * 40, 8 * 20, 8 * 0.5),
            (self.productive(), self.seconds()["lost", None], self.seconds()["checkpoint", None]),
        )
        self.assertEqual(0.66, self.one("SELECT round(runtime_goodput(category, chip_us), 2) FROM mpg_rollup"))

    def test_orbax_says_when_a_save_is_finished(self):
        steps = [(2 * n + 1.0, self.STEP.format(n, 2, 150)) for n in range(1, 6)]
        then = [(2 * n + 1.5, self.STEP.format(n, 2, 150)) for n in range(6, 10)]
        started = [
            (11.5, "[process=0] [async] Finished blocking save in 0.50 seconds. Continuing save @ gs://toy/ckpt/5.")
        ]
        maxtext = [(11.5, "Started an asynchronous checkpoint save for step 5")]
        finished = [
            (15.7, "[process=0] [async] Finished save (blocking + background) in 4.70 seconds @ gs://toy/ckpt/5")
        ]
        for events in (started + maxtext, started):
            self.map(
                "maxtext",
                self.log(*sorted(steps + events + then + finished, key=lambda event: event[0])),
                year=2026,
                outcome="failed",
            )
            self.assertEqual(
                self.rows("SELECT step, round(durable_time - (SELECT min(start_time) FROM spans), 3) FROM commits"),
                [(5, 14.7)],
            )
            self.assertEqual(self.seconds()["checkpoint", None], 4)
            self.assertEqual(self.seconds()["lost", None], 8 * 8)

    def test_orbax_alone(self):
        """What Orbax says in the log of a trainer that is not known: its saves and loads, in the words of each release, joined with who held the chips."""

        def at(second):
            return f"2026-03-02T10:{second // 60:02}:{second % 60:02}Z INFO "

        saves = [
            (
                300,
                3,
                "Continuing to save asynchronously to gs://b/{}.",
                "asynchronous save (blocking + background) in 43.00 seconds to gs://b/{}",
                40,
                340,
            ),
            (
                600,
                2,
                "Continuing save @ /ckpt/checkpoint_{}.",
                "async_save (blocking + background). Time taken: 42.161461s. directory=/ckpt/checkpoint_{}",
                50,
                640,
            ),
            (900, 2, "Continuing to write to gs://b/{}.", "save in 4.00 seconds @ gs://b/{}", 60, 903),
        ]
        for load in (
            "load in 12.50 seconds @ gs://b/30/items",
            "restoring checkpoint in 12.50 seconds from gs://b/30.",
            "load (blocking) in 12.50 seconds @ /ckpt/checkpoint_30",
        ):
            text = (
                at(30)
                + "Finished "
                + load
                + "\n"
                + "".join(
                    f"{at(began)}[process=0] Finished blocking save in {blocked}.00 seconds. {to.format(step)}\n{at(done)}Finished {of.format(step)}\n"
                    for began, blocked, to, of, step, done in saves
                )
            )
            folder = self.folder_of(
                {
                    "train-7.log": text,
                    "sacct.psv": "JobIDRaw|State|Submit|Start|End|ReqTRES|AllocTRES\ntrain-7|FAILED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:20:00|"
                    "gres/gpu=8|gres/gpu=8\n".replace("train-7", "77"),
                    "fleet.json": {"sources": [{"path": "sacct.psv"}, {"path": "train-7.log", "job": "77"}]},
                }
            )
            self.assertEqual(
                [("maxtext", "likely")],
                self.rows("SELECT format, certainty FROM trace_sources(?)", folder + "/train-7.log"),
            )
            path = folder + "/fleet.json"
            begin = 1772445600
            self.assertEqual(
                [(step, begin + done) for *_, step, done in saves],
                self.rows("SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1", path),
            )
            seconds = dict(self.rows("SELECT category, sum(chip_us) / 1e6 FROM trace_ledger(?) GROUP BY 1", path))
            self.assertEqual(
                (seconds["restore"], seconds["checkpoint"]), (8 * 12.5, 8 * sum(save[1] for save in saves))
            )
            self.assertEqual(sum(s for category, s in seconds.items() if category != "queued"), 8 * 1200)

    def test_orbax_in_what_keeps_logs(self):
        """A step's number ends at a quotation mark, a comma or a backslash, too."""
        lines = [
            "Num_devices: 8, shape (1, 8)",
            "Finished load in 3.00 seconds @ gs://toy/ckpt/4",
            *(f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0" for n in range(5, 8)),
            "Finished blocking save in 1.00 seconds. Continuing to write to gs://toy/ckpt/7.",
            "Finished asynchronous save (blocking + background) in 4.00 seconds to gs://toy/ckpt/7",
            *(f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0" for n in range(8, 10)),
        ]
        at = lambda n: f"2026-03-02T10:00:{3 * n:02}Z"
        found = set()
        for kept in (
            lambda n, line: f"{at(n)} {line}\n",
            lambda n, line: json.dumps({"log": line + "\n", "time": at(n)}) + "\n",
            lambda n, line: json.dumps({"timestamp": at(n), "message": line}) + "\n",
            lambda n, line: f'"{line}",{at(n)}\n',
            lambda n, line: f"{line},{at(n)}\n" if "," not in line else f'"{line}",{at(n)}\n',
            lambda n, line: f"{at(n)} message='{line}'\n",
        ):
            path = self.file("".join(kept(n, line) for n, line in enumerate(lines, 1)))
            found.add(
                tuple(
                    self.rows(
                        "SELECT coalesce(kind, record), step, coalesce(start_time, 0), end_time, durable_time FROM trace_records(?)"
                        " WHERE record IN ('spans', 'commits') AND coalesce(kind, '') <> 'step' ORDER BY 1, 2",
                        path,
                    )
                )
            )
        self.assertEqual([["checkpoint", "commits", "restore"]], [[row[0] for row in rows] for rows in found])
        self.assertEqual([[None, 7, 4]], [[row[1] for row in rows] for rows in found])

    def test_what_orbax_wrote(self):
        """The log of a program on an H200, by patterns of this test: four saves and a load."""
        with open(os.path.join(FIXTURES, "../h200/orbax.log"), encoding="utf-8") as file:
            text = file.read()
        saves = [
            (int(step), float(second.replace(",", ".")))
            for second, step in re.findall(r"05:38:(\d\d,\d+) .*Finished save .* @ \S+/(\d+)\n", text)
        ]
        self.assertEqual(4, len(saves))
        (load,) = re.findall(r"Finished load in ([\d.]+) seconds @ \S+/40\n", text)
        path = "fixtures/h200/orbax.log"
        self.assertEqual(
            [(step, round(second, 3)) for step, second in saves],
            self.rows(
                "SELECT step, round(durable_time - strftime('%s', '2026-11-26 05:38:00'), 3) FROM trace_records(?) WHERE record = 'commits' ORDER BY 1",
                path,
            ),
        )
        self.assertEqual(
            [(40, float(load))],
            self.rows(
                "SELECT step, round(end_time - start_time, 3) FROM trace_records(?) WHERE kind = 'restore'", path
            ),
        )
        # It came to no step: it ran from its load to the last line of its log.
        (begun,) = self.rows("SELECT min(start_time) FROM trace_records(?) WHERE kind = 'restore'", path)[0]
        last = re.findall(r"I2026-11-26 05:38:([\d,]+)", text)[-1]
        ((ended,),) = self.rows("SELECT strftime('%s', '2026-11-26 05:38:00') + ?", float(last.replace(",", ".")))
        for given in (
            path,
            json.dumps({"sources": [{"path": os.path.join(FIXTURES, "../h200/orbax.log"), "outcome": "failed"}]}),
        ):
            self.assertEqual(
                [(round(1e6 * (ended - begun)), 0)],
                self.rows(
                    "SELECT sum(chip_us), coalesce(sum(chip_us) FILTER (WHERE category = 'idle'), 0) FROM trace_rollup(?)",
                    given,
                ),
            )

    def test_a_load_names_its_step(self):
        """The run went on from there, also where it came to no step before the log ended."""
        steps = [(2 * n + 3.0, self.STEP.format(n, 2, 150)) for n in range(6)]
        load = [
            (20, "Config param steps: 9"),
            (24, "[process=0] Finished load in 3.00 seconds @ gs://toy/ckpt/2/items"),
        ]
        self.map("maxtext", self.log(*steps, *load), year=2026)
        self.assertEqual(
            self.rows("SELECT step, round(end_time - start_time, 3) FROM spans WHERE kind = 'restore'"), [(2, 3)]
        )

    def test_a_run_after_one_that_was_complete(self):
        """Two runs in one log: the second undoes nothing of the first. A restart from a save does."""

        def run(at, first, last, steps=4):
            return [(at, f"Config param steps: {steps}"), (at + 0.5, "Num_devices: 8, shape (1, 8)")] + [
                (at + 2.5 + 2 * (n - first), self.STEP.format(n, 2, 150)) for n in range(first, last)
            ]

        self.map("maxtext", self.log(*run(1, 0, 4), *run(10, 0, 4), head=""), year=2026)
        self.assertEqual(
            self.rows("SELECT substr(job, -2) = '#2', attempt, outcome FROM allocations ORDER BY 1"),
            [(0, 1, "completed"), (1, 1, "completed")],
        )
        self.assertNotIn(("lost", None), self.seconds())
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'run_anew' AND source = ?", self.listed),
            [("info", 1)],
        )
        saved = "Saved a checkpoint at step 9."
        self.map(
            "maxtext",
            self.log(*run(1, 0, 10, 10), (22.5, saved), *run(23.5, 0, 10, 10), (45, saved), head=""),
            year=2026,
            chip="TPU v5p",
        )
        self.assertEqual([("completed",)] * 2, self.rows("SELECT outcome FROM allocations"))
        self.assertEqual((320, {("unknown", None)}), (self.productive(), set(self.seconds())))
        self.assertAlmostEqual(320 / (8 * 43), self.one("SELECT runtime_goodput(category, chip_us) FROM mpg_rollup"), 2)
        self.map("maxtext", self.log(*run(1, 0, 4), *run(10, 0, 4), head=""), year=2026, job="mine")
        self.assertEqual(self.rows("SELECT attempt, outcome FROM allocations"), [(1, "completed"), (2, "completed")])
        self.assertNotIn(("lost", None), self.seconds())  # the first completed, and nothing was restored
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'run_anew' AND source = ?", self.listed),
            [("warning", 1)],
        )
        for first, last, steps in ((0, 3, 0), (0, 4, 2)):  # broke off, or went on after the end
            self.map("maxtext", self.log(*run(1, first, last), *run(10, steps, 4), head=""), year=2026)
            self.assertEqual(self.rows("SELECT attempt FROM allocations"), [(1,), (2,)])
            self.assertEqual(
                self.rows("SELECT count FROM mpg_issues WHERE kind = 'run_anew' AND source = ?", self.listed), []
            )

    def test_the_real_log(self):
        path = REAL + "/understand_logs_and_metrics.md"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.map("maxtext", path)
        self.assertEqual(
            self.rows("SELECT tflops_per_chip, round(100 * mfu, 2) FROM training_steps WHERE step = 9 AND attempt = 1"),
            [(134.924, 29.4)],
        )
        self.assertEqual(self.rows("SELECT DISTINCT chip, chips FROM capacity"), [("TPU v5", 4)])
        self.assertEqual(round(self.one("SELECT sum(seconds) FROM training_steps WHERE attempt = 1"), 3), 90.311)


if __name__ == "__main__":
    unittest.main()
