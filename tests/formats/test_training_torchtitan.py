"""Logs of TorchTitan and of nanoGPT: the mappings sql/formats/torchtitan.sql and nanogpt.sql, held against sums made by hand, and against
figures published with a log."""

import datetime
import os
import re
import unittest
import zoneinfo

from training import FIXTURES, REAL, Case


class TorchTitan(Case):
    T0 = 1772532000

    def test_fixture(self):
        """Two ranks in one log, in colour; one of them counts."""
        self.map("torchtitan", FIXTURES + "/torchtitan.log")
        self.assertEqual(
            self.rows(
                "SELECT attempt, chips, start_time - ?1, round(end_time - ?1, 3), outcome FROM allocations", self.T0
            ),
            [(1, 8, 0, 88.1, "failed"), (2, 8, 300, 352.5, "completed")],
        )
        self.assertEqual(self.rows("SELECT DISTINCT chip FROM capacity"), [("NVIDIA H100 80GB HBM3",)])
        self.assertEqual(
            self.rows(
                "SELECT attempt, step, executions, round(seconds, 3), tokens_per_s_per_chip, round(mfu_reported, 6) FROM training_steps"
            ),
            [
                (1, 1, 1, 30, 546, 0.0135),
                (1, 10, 9, 9, 16384, 0.4044),
                (1, 20, 10, 10, 16384, 0.4044),
                (1, 30, 10, 14.1, 11620, 0.2868),
                (1, 40, 10, 10, 16384, 0.4044),
                (2, 30, 10, 20, 7373, 0.182),
                (2, 40, 10, 10, 16384, 0.4044),
                (2, 50, 10, 10, 16384, 0.4044),
            ],
        )
        # The catalogue's peak is a little above the one that torchtitan takes.
        for mfu, reported in self.rows("SELECT mfu, mfu_reported FROM training_steps"):
            self.assertAlmostEqual(mfu * 989.5 / 989, reported, 3)
        self.assertEqual(
            self.rows("SELECT step, round(snapshot_time - ?1, 3), round(durable_time - ?1, 3) FROM commits", self.T0),
            [(20, 61.1, 65.1)],
        )
        first = 30 - (9 + 10 + 14.1 - 4 + 10) / 39
        self.assertEqual(
            {key: round(value, 1) for key, value in self.seconds().items()},
            {
                ("checkpoint", None): 32,
                ("compile", None): round(8 * (first + 20 - 10), 1),
                ("eval", None): 24,
                ("lost", None): round(8 * (10.1 + 10), 1),
                ("queued", None): round(8 * (300 - 88.1), 1),
                ("restore", None): 48,
                ("startup", None): 8 * (12 + 6),
                ("unknown", None): 4,
            },
        )

    def test_fields_in_any_order(self):
        """What a step does not tell is listed, and what was loaded is a restore that names its step."""
        text = "".join(
            f"[rank0]:[titan] 2026-03-03 10:00:{s:02},000 - root - INFO - {line}\n"
            for s, line in (
                (0, "Starting job: toy"),
                (1, "Loading the checkpoint from ./outputs/checkpoint/step-20."),
                (3, "Finished loading the checkpoint in 2.00 seconds."),
                (4, "Training starts at step 21."),
                (6, "step: 21  mfu: 40.44%  tflops: 400.0  tps: 16,384  loss: 7.5"),
                (8, "step: 22  grad_norm: 1.0  tps: 10"),
                (10, "step: 23  loss: 7.1  mfu: 10.0%  n_tokens_seen: 7  tflops: 100.0"),
            )
        )
        path = self.file(text)
        self.map("torchtitan", path, chips=1)
        self.assertEqual(
            self.rows("SELECT step, executions, loss, tflops_per_chip, tokens_per_s_per_chip FROM training_steps"),
            [(21, 1, 7.5, 400, 16384), (22, 1, None, None, 10), (23, 1, 7.1, 100, None)],
        )
        self.assertEqual(self.rows("SELECT step, end_time - start_time FROM spans WHERE kind = 'restore'"), [(20, 2)])
        self.assertEqual(
            self.rows("SELECT count, line FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path), [(1, 6)]
        )

    def test_of_primus(self):
        """A clock without dashes; of a rate that stands there twice in other words, the first counts."""
        path = self.file(
            "".join(
                f"[20260303 10:00:{10 + 2 * i:02d}][rank-0/8][INFO ] [--------metrics.py:400] : step: {i:2}  loss: 12.2  grad_norm:  1.2  memory: 45.23GiB(57.12%)  tps: 546  tflops: 133.3  mfu: 10.0% | "
                "iso_tps: 999  iso_tflops: 999.9  iso_mfu: 99.0%\n"
                for i in range(1, 4)
            )
        )
        self.map("torchtitan", path, chips=8)
        self.assertEqual(
            [(i, self.T0 + 10 + 2 * i, 133.3, 0.1, 546) for i in range(1, 4)],
            self.rows(
                "SELECT step, end_time, tflops_per_chip, mfu_reported, tokens_per_s_per_chip FROM training_steps"
            ),
        )

    def test_saves_of_2026(self):
        """Lines say whether a save was made or only staged; of the last step it is another line; a staged one is durable when it was written, or else when a later save is over."""

        def log(*events):
            return self.file(
                "".join(
                    f"[rank0]:[titan] 2026-03-03 10:00:{second:02},000 - torchtitan.trainer - INFO - {text}\n"
                    for second, text in events
                )
            )

        def step(n):
            return f"step: {n:2}  loss: 12.24310  grad_norm:  1.2040  memory: 45.23GiB(57.12%)  tps: 546  tflops: 13.33  mfu: N/A"

        begin = [
            (0, "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1"),
            (2, "Training starts at step 1"),
            (4, step(1)),
        ]
        saved = "SELECT step, snapshot_time - 1772532000, durable_time - 1772532000 FROM commits"
        spans = "SELECT start_time - 1772532000, end_time - 1772532000 FROM spans WHERE kind = 'checkpoint'"
        self.map(
            "torchtitan",
            log(
                *begin,
                (10, "Saving the checkpoint."),
                (13, "Finished saving the checkpoint in 3.00 seconds."),
                (20, step(10)),
                (20, "Saving the checkpoint."),
                (20, "Saving a model only checkpoint in torch.bfloat16 at last step, step 10."),
                (25, "Last step checkpoint completed in 5.00s"),
                (27, "Training completed"),
            ),
        )
        self.assertEqual(self.rows(saved), [(1, 10, 13), (10, 20, 25)])
        self.assertEqual(self.rows(spans), [(10, 13), (20, 25)])
        staged = [
            *begin,
            (10, "Staging the checkpoint."),
            (11, "Finished staging the checkpoint in 1.00 seconds."),
            (20, step(10)),
            (21, "Staging the checkpoint."),
            (22, "Finished staging the checkpoint in 1.00 seconds."),
            (30, step(20)),
        ]
        self.map("torchtitan", log(*staged))
        self.assertEqual(self.rows(saved), [(1, 10, 22)])
        self.assertEqual(self.rows(spans), [(10, 11), (21, 22)])
        written = sorted([*staged, (18, "Finished writing the checkpoint for step 5 in 8.00 seconds (async total).")])
        for ranks in (1, 8):
            self.map("torchtitan", log(*(line for line in written for _ in range(ranks))))
            self.assertEqual(set(self.rows(saved)), {(1, 10, 18)})

    def test_steps_without_a_length(self):
        """Steps within one second of a clock of seconds: nothing is lost, and a row counts them. The first of a log that lost its head took as long as most."""
        line = "[rank0]:[titan] 2026-03-03 10:00:{:02d}{} - root - INFO - step: {:2}  loss: 12.2  memory: 45.23GiB(57.12%)  tps: 546  tflops: 13.33  mfu: N/A\n"
        for text, whole, said in (
            ("".join(line.format(5 + 2 * i, ",000", i) for i in range(1, 9)), 16, 0),
            ("".join(line.format(i // 2, "", i) for i in range(2, 22)), round(9 + 9 / 19, 3), 10),
        ):
            path = self.file(text)
            self.map("torchtitan", path, chips=1, outcome="completed")
            self.assertEqual((whole, 0), (self.productive(), self.seconds().get(("lost", None), 0)))
            self.assertEqual({"end_before_start": said} if said else {}, self.issues(path))
        # Resumed with the number of the last step, which was run twice.
        self.map(
            "torchtitan",
            self.file(
                "".join(line.format(5 + 2 * i, ",000", i) for i in range(1, 9))
                + "".join(line.format(25 + 2 * i, ",000", i) for i in range(8, 11))
            ),
            chips=1,
            outcome="completed",
        )
        self.assertEqual((20, 2), (self.productive(), self.seconds().get(("lost", None))))

    def test_a_pause_is_listed(self):
        """Ten minutes between two lines are a step, and said; a save that takes as long is none of it, nor is the first step, which compiles."""
        line = lambda at, text: "[titan] {:%Y-%m-%d %H:%M:%S},000 - root - INFO - {}\n".format(
            datetime.datetime(2026, 3, 2, 9) + datetime.timedelta(seconds=at), text
        )
        step = lambda at, n: line(
            at, f"step: {n:2d}  loss:  8.0  memory: 1.0GiB(2.0%)  tps: 100  tflops: 10.0  mfu: 1.0%"
        )
        head = line(0, "Starting job: x") + line(10, "Training starts at step 1") + step(600, 1)
        for pause, saved, listed in ((600, 0, 1), (600, 595, None), (0, 0, None)):
            at = lambda n: 600 + 2 * (n - 1) + (pause if n > 5 else 0)
            path = self.file(
                head
                + "".join(
                    (
                        line(at(n) - 1, f"Finished saving the checkpoint in {saved:.2f} seconds.")
                        if saved and n == 6
                        else ""
                    )
                    + step(at(n), n)
                    for n in range(2, 12)
                )
            )
            self.map("torchtitan", path)
            self.assertEqual(
                listed, self.one("SELECT sum(count) FROM mpg_issues WHERE source = ? AND kind = 'long_steps'", path)
            )

    def test_a_pause_does_not_lengthen_the_first_step(self):
        """Of a log that lost its head: 2 s as the others, and not an hour's part."""
        for pause in (0, 3600):
            line = "[titan] {} - root - INFO - step: {:2}  loss:  7.0  memory:  1.00GiB(1.00%)  tps: 1,000  tflops: 100.0  mfu: 10.00%\n"
            at = [
                datetime.datetime(2026, 3, 2, 9, 0, 10) + datetime.timedelta(seconds=2 * n + pause * (n > 15))
                for n in range(20)
            ]
            self.map(
                "torchtitan",
                self.file("".join(line.format(t.strftime("%Y-%m-%d %H:%M:%S,000"), n + 1) for n, t in enumerate(at))),
            )
            self.assertEqual([(2.0,)], self.rows("SELECT seconds FROM training_steps WHERE step = 1"))

    def test_the_hour_that_the_clock_shows_twice(self):
        """20 steps of ten minutes over the end of daylight saving time: with the zone they are that; without, the clock goes back, which is told from the steps, and listed."""
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
        events = [
            (0, "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1"),
            (2, "Training starts at step 1"),
        ]
        events += [
            (
                2 + 600 * i,
                f"step: {i:2}  loss: 12.2  grad_norm:  1.2  memory: 45.23GiB(57.12%)  tps: 546  tflops: 13.33  mfu: N/A",
            )
            for i in range(1, 21)
        ]
        path = self.file(
            "".join(
                f"[rank0]:[titan] {datetime.datetime.fromtimestamp(1792882800 + t, zone):%Y-%m-%d %H:%M:%S},000 - root - INFO - {text}\n"
                for t, text in events
            )
        )
        self.map("torchtitan", path, zone="Europe/Berlin")
        self.assertEqual({600.0}, {round(seconds, 3) for seconds, in self.rows("SELECT seconds FROM training_steps")})
        self.map("torchtitan", path)
        self.assertEqual({600.0}, {round(seconds, 3) for seconds, in self.rows("SELECT seconds FROM training_steps")})
        self.assertEqual({"repeated_time": 1}, self.issues(path))

    def test_a_load_without_steps_after_it(self):
        """The last run loads a step and comes to none: what it loaded had been kept."""
        mesh = "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1"
        events = [(0, mesh), (2, "Training starts at step 1")] + [
            (
                4 + 2 * i,
                f"step: {i + 1:2}  loss: 12.2  grad_norm:  1.2  memory: 45.23GiB(57.12%)  tps: 546  tflops: 13.33  mfu: N/A",
            )
            for i in range(20)
        ]
        for loaded in (10, 20):
            load = [
                (100, mesh),
                (102, f"Loading the checkpoint from outputs/checkpoint/step-{loaded}."),
                (104, "Finished loading the checkpoint in 2.00 seconds."),
            ]
            self.map(
                "torchtitan",
                self.file(
                    "".join(
                        f"[rank0]:[titan] 2026-03-03 10:{s // 60:02}:{s % 60:02},000 - torchtitan.trainer - INFO - {text}\n"
                        for s, text in events + load
                    )
                ),
                outcome="failed",
            )
            seconds = self.seconds()
            self.assertEqual((8 * 2 * (20 - loaded), 16), (seconds.get(("lost", None), 0), seconds["restore", None]))

    def test_a_start_above_the_first_step(self):
        """As where lines between are lost: the first line stands for one step, and no compilation is longer than the log."""
        line = lambda s, text: f"[rank0]:[titan] 2026-03-03 10:00:{s:02},000 - root - INFO - {text}\n"
        step = (
            lambda n: f"step: {n:2}  loss: 12.2  grad_norm: 1.2  memory: 45.23GiB(57.12%)  tps: 546  tflops: 13.33  mfu: 1.0%"
        )
        for starts, executions in ((5001, 1), (11, 1), (7, 4), (10, 1)):
            text = line(0, "Starting job: toy") + line(2, f"Training starts at step {starts}.")
            path = self.file(text + "".join(line(n, step(n)) for n in range(10, 20)))
            self.map("torchtitan", path)
            self.assertEqual(executions, self.one("SELECT executions FROM training_steps WHERE step = 10"))
            self.assertLessEqual(self.one("SELECT max(end_time) - min(start_time) FROM spans"), 19)

    def test_a_run_without_steps(self):
        """It is a run of its own, which the next one's init does not reach back into."""
        text = "".join(
            f"[titan] 2026-03-03 {at} - root - INFO - {line}\n"
            for at, line in (
                ("10:00:00,000", "Starting job: toy"),
                ("11:00:00,000", "Starting job: toy"),
                ("11:00:00,500", "Starting job: toy"),
                ("11:00:10,000", "Training starts at step 1."),
                ("11:00:20,000", "step:  1  loss:  9.0  tps: 10  tflops: 100.0  mfu: 1.0%"),
            )
        )
        self.map("torchtitan", self.file(text))
        self.assertEqual(self.rows("SELECT attempt, end_time - start_time FROM spans WHERE kind = 'init'"), [(2, 10)])
        # A log of evaluations has none, and no more one whose lines have no time.
        step = "step:  1  loss:  9.0  tps: 10  tflops: 100.0  mfu: 1.0%\n"
        for text in (f"[titan] 2026-03-03 10:00:00,000 - root - INFO - validate {step}", f"[rank0]:[titan] {step}"):
            path = self.file(text)
            self.map("torchtitan", path)
            self.assertEqual(
                'no line "step: N" of torchtitan with a time was found',
                self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'no_steps'", path),
            )

    def test_ranks_without_a_name(self):
        """As srun keeps a log: every rank prints every line, and none says which it is. A restart is told by its markers, or by its pause."""
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            lines = [line.removeprefix("[rank0]:") for line in file if line.startswith("[rank0]:")]
        self.map("torchtitan", self.file("".join(lines)))
        sql = (
            "SELECT attempt, chips, start_time, end_time, outcome FROM allocations",
            "SELECT * FROM training_steps",
            "SELECT attempt, kind, start_time, end_time, step FROM spans WHERE kind <> 'checkpoint' AND kind <> 'restore'",
            "SELECT DISTINCT step FROM commits",
        )
        wanted, seconds = [self.strip(self.rows(s)) for s in sql], self.seconds()
        self.map("torchtitan", self.file("".join(line * 8 for line in lines)))
        self.assertEqual([self.strip(self.rows(s)) for s in sql], wanted)
        self.assertEqual(self.seconds(), seconds)
        steps = [line * 2 for line in lines if "step: " in line]  # what grep leaves of it
        self.map("torchtitan", self.file("".join(steps)), chips=8)
        self.assertEqual(
            self.rows("SELECT attempt, step FROM training_steps"),
            [(1, 1), (1, 10), (1, 20), (1, 30), (1, 40), (2, 30), (2, 40), (2, 50)],
        )
        self.map("torchtitan", self.file("".join(s for s in steps if "step:  1 " in s or "step: 30 " in s)), chips=8)
        self.assertEqual(self.rows("SELECT attempt, step FROM training_steps"), [(1, 1), (1, 30), (2, 30)])

    @staticmethod
    def strip(rows):
        return [tuple(v for v in row if not isinstance(v, str) or not v.endswith(".log")) for row in rows]

    def test_steps_without_a_loss(self):
        """Ranks of pipelines that do not hold the last stage print -1, others may have nan: steps as any."""
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            text = file.read()
        self.map("torchtitan", self.file(text))
        wanted = self.rows("SELECT step, start_time, end_time, flops FROM training_steps")
        for loss, value in ((" -1.0000", -1.0), ("    nan", None)):
            self.map("torchtitan", self.file(re.sub(r"loss: +[\d.]+", "loss: " + loss, text)))
            self.assertEqual(self.rows("SELECT step, start_time, end_time, flops FROM training_steps"), wanted)
            self.assertEqual(self.rows("SELECT DISTINCT loss FROM training_steps"), [(value,)])


class NanoGpt(Case):
    def test_fixture(self):
        self.map("nanogpt", FIXTURES + "/nanogpt.log", flops=1.5e14)
        start = 1772535600
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, round(end_time - ?1, 3), outcome FROM allocations", start),
            [(2, 0, 26.95, "completed")],
        )
        self.assertEqual(
            self.rows(
                "SELECT count(*), round(sum(seconds), 3), sum(step = 30 AND val_loss IS NOT NULL) FROM training_steps"
            ),
            [(30, 26.75, 1)],
        )
        others = (19 * 0.25 + 10 * 0.2) / 29
        self.assertEqual(self.seconds(), {("compile", None): round(2 * (20 - others), 3), ("startup", None): 0.4})
        self.assertEqual(self.productive(), round(2 * (26.75 - 20 + others), 3))
        self.assertAlmostEqual(
            self.one("SELECT mfu FROM training_steps WHERE step = 30"), 1.5e14 / 0.2 / 2 / 989.5e12, 9
        )

    def test_descendants(self):
        """nanochat, build-nanogpt and llm.c, whose lines have each step's time in milliseconds; nanochat numbers from 0 and says what it resumes from."""
        chat = (
            lambda n: f"step {n:05d}/00020 ({5 * n:.2f}%) | loss: 3.100000 | lrm: 1.00 | dt: {20000 if n == 0 else 2000:.2f}ms | tok/sec: 262,144 | bf16_mfu: 45.00 | epoch: 1 pq: 0 rg: 1 | total time: 0.00m\n"
        )
        head = "2026-03-02 10:00:00,123 - nanochat.common - \x1b[32mINFO\x1b[0m - Distributed world size: 8\nGPU: NVIDIA H100 80GB HBM3 | Peak FLOPS (BF16): 9.89e+14\n"
        saved = "2026-03-02 10:05:00,123 - nanochat.checkpoint_manager - \x1b[32mINFO\x1b[0m - Saved model parameters to: /x/model_000010.pt\n"
        path = self.file(
            head
            + "".join(map(chat, range(10)))
            + saved
            + "".join(map(chat, range(10, 15)))
            + head
            + "Resuming optimization from step 10\n"
            + "".join(map(chat, range(10, 20)))
        )
        self.map("nanogpt", path)
        self.assertEqual(
            [(1, 8, "failed"), (2, 8, "completed")], self.rows("SELECT attempt, chips, outcome FROM allocations")
        )
        self.assertEqual([(1, 9)], self.rows("SELECT attempt, step FROM commits"))
        self.assertEqual(
            {("compile", None): 8 * 18, ("lost", None): 8 * 5 * 2, ("unrated", None): 8 * (20 - 18 + 9 * 2 + 10 * 2)},
            self.seconds(),
        )
        self.assertEqual([(0.45,)], self.rows("SELECT DISTINCT mfu_reported FROM training_steps"))
        for line, mfu in (
            ("step {:5d} | loss: 10.955029 | lr 8.5909e-07 | norm: 15.3 | dt: 338.00ms | tok/sec: 48000.00\n", None),
            (
                "step {:4d}/10 | loss 11.009205 (+nanz)| norm 15.3432 (+nanz)| lr 8.57e-07 | 338.00 ms | 60.0% bf16 MFU | 171553 tok/s\n",
                0.6,
            ),
            ("step {:4d}/10 | train loss 4.6 | norm 1.0 | lr 1e-4 | 338.00 ms | 3000 tok/s\n", None),
            ("step {:4d}/10 | train loss 4.6 | norm 1.0 | lr 1e-4 | (338.00 ms | 3000 tok/s)\n", None),
            ("step {:4d}/10: train loss 4.36 (acc 4.36) (338.00 ms, 93305.343750 tok/s)\n", None),
            ("step {:d}: train loss 5.356189 (took 338.00 ms)\n", None),
            ("iter {:d}: loss 4.6000, time 0.338s\n", None),
            ("[rank0]: iter {:d}: loss 4.6000, time: 338.00ms, speed: 3000 toks/s/device\n", None),
            ("step {:d}, loss: 4.6, lr: 1.0e-4, norm: 1.0, dt: 338.00ms, tok/sec: 3000.00\n", None),
            ("step: {:d}, loss: 4.6, time: 338.00ms, tok/sec: 3000.00\n", None),
            ("step {:3d}: loss: 4.6 | lr: 1.0e-4 | norm: 1.0, dt: 338.00ms, tok/sec: 3000.0\n", None),
        ):
            path = self.file("".join(map(line.format, range(1, 11))))
            self.assertEqual([("nanogpt",)], self.rows("SELECT format FROM trace_sources(?)", path))
            self.map("nanogpt", path)
            self.assertEqual(
                [(n, 0.338, mfu) for n in range(1, 11)],
                self.rows("SELECT step, round(seconds, 6), mfu_reported FROM training_steps"),
            )
            self.assertEqual([("completed" if "}/10" in line else None,)], self.rows("SELECT outcome FROM allocations"))

    def test_loss_of_nan(self):
        path = self.file(
            "step:0/2 val_loss:nan train_time:100ms step_avg:nanms\nstep:1/2 train_loss:nan train_time:200ms step_avg:nanms\nstep:2/2 train_loss:3.5 train_time:300ms step_avg:nanms\n"
        )
        self.map("nanogpt", path)
        self.assertEqual(
            self.rows("SELECT step, seconds, loss, val_loss FROM training_steps"),
            [(1, 0.1, None, None), (2, 0.1, 3.5, None)],
        )

    def test_hosts_that_print_into_one_log(self):
        """One line late or three: the figures of one host, and a row that counts what was left out. A second run in the file is one."""
        with open(FIXTURES + "/nanogpt.log", encoding="utf-8") as file:
            text = file.read()
        lines = text.splitlines(True)
        first = next(i for i, line in enumerate(lines) if line.startswith("step:"))
        steps = lines[first:]
        self.map("nanogpt", self.file(text))
        whole = self.seconds(), self.productive(), self.rows("SELECT attempt, outcome FROM allocations")
        for late in (1, 2, 3):
            both = [
                line
                for i in range(len(steps) + late)
                for line in steps[i : i + 1] + (steps[i - late : i - late + 1] if i >= late else [])
            ]
            self.assertEqual(2 * len(steps), len(both))
            path = self.file("".join(lines[:first] + both))
            self.map("nanogpt", path)
            self.assertEqual(
                whole, (self.seconds(), self.productive(), self.rows("SELECT attempt, outcome FROM allocations"))
            )
            self.assertEqual(
                [("info",)],
                self.rows("SELECT severity FROM mpg_issues WHERE source = ? AND kind = 'parallel_lines'", path),
            )
        path = self.file("".join(lines + steps))
        self.map("nanogpt", path)
        self.assertEqual([(1, "completed"), (2, "completed")], self.rows("SELECT attempt, outcome FROM allocations"))
        self.assertEqual({"repeated_steps": 1, "unmatched_lines": 10}, self.issues(path))

    def test_a_resumption_a_few_lines_back(self):
        """What the program says when it resumes is no other host's: the lines since the save, and that of the save's step, are lost as a whole."""
        line = "iter {}: loss 3.0, time 100.00ms, mfu 10.0%\n"
        path = self.file(
            "".join(map(line.format, (0, 10, 20)))
            + "saving checkpoint to out\n"
            + line.format(30)
            + "Resuming training from out\n" * 2
            + "step 20: train loss 1.0, val loss 1.0\n"
            + "".join(map(line.format, (20, 30, 40)))
            + "saving checkpoint to out\n"
        )
        self.map("nanogpt", path, chips=1)
        self.assertEqual(
            [(1, 0, 30), (2, 20, 40)], self.rows("SELECT attempt, min(step), max(step) FROM training_steps GROUP BY 1")
        )
        self.assertEqual(2.0, self.seconds().get(("lost", None)))
        self.assertEqual(1, self.issues(path)["repeated_steps"])

    def test_a_resumption_at_the_last_number(self):
        """Where the program says that it resumes, or its clock begins anew, the last step was run twice; where nothing says it, the line is listed."""
        line = "iter {}: loss 3.0, time 1000.00ms, mfu 10.0%\n"
        path = self.file(
            "Initializing a new model from scratch\n"
            + "".join(map(line.format, (0, 10)))
            + "Resuming training from out\n" * 8
            + "".join(map(line.format, (10, 20)))
        )
        self.map("nanogpt", path, chips=1, outcome="completed")
        self.assertEqual(
            [(1, 0, 10, 11), (2, 10, 20, 11)],
            self.rows("SELECT attempt, min(step), max(step), sum(seconds) FROM training_steps GROUP BY 1"),
        )
        self.assertEqual((10, 12), (self.seconds().get(("lost", None)), self.productive()))
        line = "step:{}/20 train_loss:3.0 train_time:{}ms step_avg:1000.0ms\n"
        path = self.file(
            "".join(line.format(i, 1000 * i) for i in range(1, 11))
            + "".join(line.format(i, 1000 * (i - 9)) for i in range(10, 21))
        )
        self.map("nanogpt", path, chips=1)
        self.assertEqual((1, 20), (self.seconds().get(("lost", None)), self.productive()))
        line = "iter {}: loss 3.0, time 1000.00ms, mfu 10.0%\n"
        path = self.file("".join(map(line.format, (0, 1, 2, 2, 3))))
        self.map("nanogpt", path, chips=1)
        self.assertEqual({"repeated_record": 1}, self.issues(path))

    def test_the_original(self):
        path = self.file(
            "step 0: train loss 4.1938, val loss 4.2005\niter 0: loss 4.2140, time 3947.73ms, mfu -100.00%\n"
            "iter 10: loss 3.4401, time 100.00ms, mfu 0.20%\nsaving checkpoint to out\niter 20: loss 3.0300, time 110.00ms, mfu 0.21%\n"
        )
        self.map("nanogpt", path, chips=1)
        self.assertEqual(
            self.rows(
                "SELECT step, executions, round(end_time - start_time, 5), loss, mfu_reported FROM training_steps"
            ),
            [(0, 1, 3.94773, 4.214, None), (10, 10, 1, 3.4401, 0.002), (20, 10, 1.1, 3.03, 0.0021)],
        )
        self.assertEqual(self.rows("SELECT step, round(durable_time, 5) FROM commits"), [(10, 4.94773)])

    def test_the_table_of_llm_c(self):
        """It tells the device, and how many processes there are, each of one."""
        row = "| {:21} | {:50} |\n"
        step = (
            "step {:4d}/2 | loss 11.0 (+nanz)| norm 15.3 (+nanz)| lr 8.57e-07 | 1000.00 ms | 60.0% bf16 MFU | 9 tok/s\n"
        )
        self.map(
            "nanogpt",
            self.file(
                row.format("Parameter", "Value")
                + row.format("device", "NVIDIA H100 80GB HBM3")
                + row.format("peak TFlops", "989.5")
                + row.format("num_processes", "8")
                + "val loss 11.0\n"
                + step.format(1)
                + step.format(2)
            ),
        )
        self.assertEqual(
            [(1, 8, "NVIDIA H100 80GB HBM3", 2)],
            self.rows(
                "SELECT attempt, a.chips, chip, a.end_time - a.start_time FROM allocations AS a JOIN capacity USING (pool)"
            ),
        )

    def test_a_log_that_begins_with_its_first_step(self):
        """Records without losses, and without an evaluation at step 0: the clock of the program tells what the first step took, in milliseconds or seconds."""
        steps = "step:1/3 train_time:{}{u} step_avg:{}{u}\nstep:2/3 train_time:{}{u} step_avg:1{u}\nstep:3/3 train_time:{}{u} step_avg:1{u}\n"
        for text in (
            steps.format(30000, 30000, 40000, 50000, u="ms"),
            steps.format("30.000", "30.000", "40.000", "50.000", u="s"),
        ):
            path = self.file(text)
            self.assertEqual([("nanogpt",)], self.rows("SELECT format FROM trace_sources(?)", path))
            self.map("nanogpt", path)
            self.assertEqual(
                [(1, 0, 30), (2, 30, 40), (3, 40, 50)],
                self.rows("SELECT step, start_time, end_time FROM training_steps"),
            )
            self.assertEqual({}, self.issues(path))

    def test_launches_that_tell_their_dates(self):
        """A second launch in one log begins at its own date, one without a date follows it; and an evaluation beside a step without a loss is no line of another host."""
        head = "{}\n|   0  NVIDIA H100 80GB HBM3          On  |   00000000:61:00.0 Off |                    0 |\n"
        steps = (
            "".join(f"step:{n}/3 train_time:{10000 * n}ms step_avg:10000.00ms\n" for n in (1, 2, 3))
            + "step:3/3 val_loss:3.2782 train_time:30500ms step_avg:10000.00ms\n"
        )
        first, second = "Tue Mar  3 11:00:00 2026", "Tue Mar  3 13:00:00 2026"
        path = self.file(head.format(first) + steps + head.format(second) + steps + head.format("=" * 20) + steps)
        self.map("nanogpt", path)
        at = self.one("SELECT mpg_time('2026-03-03T11:00:00Z')")
        self.assertEqual(
            [(1, 0, 30.5), (2, 7200, 7230.5), (3, 7230.5, 7261)],
            self.rows("SELECT attempt, start_time - ?1, end_time - ?1 FROM allocations ORDER BY attempt", at),
        )
        self.assertEqual(
            [(1, 10), (2, 10), (3, 10.5)] * 3,
            self.rows("SELECT step, seconds FROM training_steps ORDER BY attempt, step"),
        )
        self.assertNotIn("parallel_lines", self.issues(path))

    def test_fields_between_the_loss_and_the_time(self):
        """As programs that come from nanoGPT print them; the evaluation's line may have more, too. A log of such lines without a time says so."""
        line = "iter {}: loss 2.6, lr 2.00e-05, grad_norm 2.5979, time {}ms\n"
        aside = "step 20: train loss 2.66 (PPL: 14.32, BPC: 3.84) | val loss 2.66 (PPL: 14.39, BPC: 3.85)\n"
        lines = [line.format(0, 9000), line.format(10, 1000), aside, line.format(20, 4000)]
        for prefix in ("", "node1: "):
            path = self.file("".join(prefix + text for text in lines))
            self.assertEqual([("nanogpt", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", path))
            self.map("nanogpt", path)
            self.assertEqual(
                [(0, 0, 9, 2.6), (10, 9, 19, 2.6), (20, 19, 32, 2.6)],
                self.rows("SELECT step, start_time, end_time, loss FROM training_steps"),
            )
            self.assertEqual([(3,)], self.rows("SELECT sum(end_time - start_time) FROM spans WHERE kind = 'eval'"))
        path = self.file("iter 50: loss 6.7246, lr 2.00e-04, 195.1k tok/s\n")
        self.map("nanogpt", path)
        self.assertEqual(
            'no line "step:N/N" or "iter N:" of nanoGPT with a time was found',
            self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'no_steps'", path),
        )

    def test_in_what_keeps_logs(self):
        """Nothing but a comma, an equals sign or an apostrophe may stand before a line."""
        lines = ["Initializing a new model from scratch"] + [
            f"iter {i}: loss 3.0, time 500.00ms, mfu 10.0%" for i in range(0, 50, 10)
        ]
        lines += ["saving checkpoint to out"]
        at = lambda n: f"2026-03-02T10:00:{5 * n:02}Z"
        for kept in (
            lambda n, line: f'{at(n)},"{line}"\n' if "," in line else f"{at(n)},{line}\n",
            lambda n, line: f"__REALTIME_TIMESTAMP={1772445600 + 5 * n}000000\nMESSAGE={line}\n",
            lambda n, line: f"---\ninsertId: a\ntextPayload: '{line}'\ntimestamp: '{at(n)}'\n",
        ):
            path = self.file("".join(kept(n, line) for n, line in enumerate(lines, 1)))
            self.assertEqual(
                [(41, 40, 1772445630)],
                self.rows(
                    "SELECT sum(iif(record = 'spans' AND kind = 'step', 1 + 9 * (step > 0), 0)), max(iif(record = 'commits', step, 0)), max(end_time)"
                    " FROM trace_records(?) WHERE kind = 'step' OR record = 'commits'",
                    path,
                ),
            )

    def test_an_evaluation_in_the_time_of_an_iteration(self):
        """train.py times an iteration with the evaluation and the save before it: one of a line's iterations is longer, not all."""
        line = "iter {}: loss 3.0, time {:.2f}ms, mfu 10.0%\n"
        evaluation = "step {}: train loss 3.0, val loss 3.1\nsaving checkpoint to out\n"

        def log(every, until=60, evaluations=20):
            out = ["Initializing a new model from scratch\n"]
            for i in range(until + 1):
                if i % evaluations == 0:
                    out.append(evaluation.format(i))
                if i % every == 0:
                    out.append(line.format(i, 9000 if i == 0 else 6500 if i % evaluations == 0 else 500))
            return "".join(out)

        for every in (1, 2, 5, 10):
            self.map("nanogpt", self.file(log(every)), chips=1, outcome="completed")
            found = {category: round(seconds, 3) for (category, _), seconds in self.seconds().items()}
            self.assertEqual({"compile": 8.5, "eval": 18, "unrated": 30.5}, found, every)
            rows = self.rows("SELECT sum(executions), round(sum(seconds), 3) FROM training_steps WHERE step > 0")
            self.assertEqual([(60, 30)], rows, every)
        # Each line has an evaluation: what an iteration takes is not told.
        path = self.file(log(20))
        self.map("nanogpt", path, chips=1, outcome="completed")
        self.assertEqual(3, self.issues(path).get("long_steps"))
        # The first line of a run that was resumed has its compilation too.
        path = self.file(
            log(10, 30)
            + "Resuming training from out\n"
            + evaluation.format(20)
            + line.format(20, 9000)
            + line.format(30, 500)
        )
        self.map("nanogpt", path, chips=1, outcome="completed")
        self.assertEqual(
            [(1, 1), (2, 0)],
            self.rows(
                "SELECT r.attempt, count(s.kind) FROM (SELECT 1 AS attempt UNION SELECT 2) AS r LEFT JOIN spans AS s ON s.attempt = r.attempt AND s.kind = 'eval' GROUP BY 1"
            ),
        )

    def test_the_real_log(self):
        path = REAL + "/nanogpt_2024-10-10.txt"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.map("nanogpt", path)
        # The trainer starts its clock anew after step 10, and divides by the 6190 steps since.
        self.assertEqual(
            self.rows(
                "SELECT max(step), count(*), round(1000 * sum(seconds) FILTER (WHERE step > 10)) FROM training_steps"
            ),
            [(6200, 6200, 1339067)],
        )
        self.assertEqual(
            self.rows("SELECT average_ms, round(1339067.0 / 6190, 2) FROM training_steps WHERE step = 6200"),
            [(216.33, 216.33)],
        )
        self.assertEqual(
            self.rows("SELECT chip, chips, start_time FROM capacity"), [("NVIDIA H100 80GB HBM3", 8, 1728604704)]
        )
        self.assertEqual(self.rows("SELECT outcome FROM allocations"), [("completed",)])


if __name__ == "__main__":
    unittest.main()
