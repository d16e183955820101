"""What DeepSpeed, NeMo, torchtitan's structured logs, Hugging Face, Weights & Biases and MLflow leave: the mapping sql/formats/trainer.sql, held against
sums made by hand, and against a second computation of random runs."""

import contextlib
import datetime
import json
import os
import random
import re
import sqlite3
import unittest

import cases
import tfevents
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures/trainer")
T0 = 1772532000


class Trainer(cases.Case):
    def sums(self, path, chips):
        """Seconds of the job by category, of `chips` chips."""
        return {
            category: round(seconds / chips, 3)
            for category, seconds in self.rows(
                "SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", path
            )
        }

    def steps(self, path):
        return self.rows(
            "SELECT attempt, step, round(start_time - ?2, 3), round(end_time - ?2, 3), executions, loss FROM trace_training_steps(?1)",
            path,
            T0,
        )

    def fleet(self, path, **options):
        return json.dumps({"sources": [{"path": path} | options]})

    def test_deepspeed(self):
        """Saved at step 20, broke off after 40, went on with 30: two launches, a save of 10 s each, a load of 6 s."""
        path = FIXTURES + "/deepspeed.log"
        self.assertEqual(
            [
                (1, 10, 28, 50, 10, None),
                (1, 20, 50, 70, 10, None),
                (1, 30, 70, 100, 10, None),
                (1, 40, 100, 120, 10, None),
                (2, 30, 228, 250, 10, None),
                (2, 40, 250, 270, 10, None),
                (2, 50, 270, 290, 10, None),
            ],
            self.steps(path),
        )
        self.assertEqual(
            {
                "startup": 28 + 20 + 2,
                "unrated": (120 - 28) - 50 + (290 - 228),
                "checkpoint": 10 + 10,
                "lost": (100 - 80) + 20,
                "restore": 6,
                "queued": 80,
            },
            self.sums(path, 8),
        )
        self.assertEqual({"unmatched_lines": 3, "repeated_steps": 1}, self.issues(path))

    def test_a_newer_deepspeed(self):
        """Says when a save begins, and not when it ends: at the next step, or when the launcher sees the process end. Loads are said otherwise."""
        with open(FIXTURES + "/deepspeed.log", encoding="utf-8") as file:
            text = file.read()
        for before, after in (
            (r".*(\[Torch\] Sav|is ready now).*\n", ""),
            ("is about to be saved!", "is begin to save!"),
            ("Loading checkpoint", "Begin Load checkpoint"),
            (r"Loaded checkpoint(.*)\.\n", r"End Load checkpoint\1...\n"),
        ):
            text, count = re.subn(before, after, text)
            self.assertGreater(count, 0)
        end = "[2026-03-03 10:05:10,000] [INFO] [launch.py:367:main] Process 4811 exits successfully.\n"
        wanted = {
            "startup": 28 + 20 + 2,
            "unrated": (70 - 28) + (290 - 228),
            "lost": 120 - 70,
            "restore": 6,
            "queued": 80,
        }
        ended = self.file(text + end, "log")
        self.assertEqual(
            wanted, {category: seconds for category, seconds in self.sums(ended, 8).items() if category != "unknown"}
        )
        self.assertEqual(
            [(20, T0 + 100), (50, T0 + 310)],
            self.rows("SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1", ended),
        )
        # A save that a launch follows came to no end.
        broken = re.sub(
            r"(?s)(10:01:10,000\] \[INFO\] \S+ \[Rank 0\] \[Torch\] Checkpoint global_step20 is begin to save!\n).*?(\[2026-03-03 10:03:20)",
            r"\1\2",
            text + end,
        )
        self.assertEqual(
            [(50,)], self.rows("SELECT step FROM trace_records(?) WHERE record = 'commits'", self.file(broken, "log"))
        )

    def test_nebula(self):
        """DeepSpeed's engine that saves to memory first: that time blocks; a save is durable once the run begins the next one or ends well. What is loaded may be another save than the one asked for."""
        with open(FIXTURES + "/deepspeed.log", encoding="utf-8") as file:
            text = file.read()
        for tag in (r"\1", r"CheckpointCommitInfo(tag='\1', save_dir='ckpt', save_latest=True)"):
            nebula = text
            for before, after in (
                (r"\[Torch\] Checkpoint (\S+) is about to be saved!", f"[Nebula] Start Checkpoint for tag:{tag}"),
                (
                    r"\[Torch\] Saving (\S+)\.\.\.",
                    "[Nebula] Saving mp_rank_00_model_states.pt under tag global_step20...",
                ),
                (
                    r"\[Torch\] Checkpoint (\S+) is ready now!",
                    f"[Nebula] all files for {tag} are saved in tier1. It is ready to start persisting",
                ),
                (
                    r"Loading checkpoint from (\S+)\.\.\.",
                    r"Loading \1 under tag global_step20 from nebula path /blob...",
                ),
                (r"Loaded checkpoint from (\S+)\.\n", r"Loaded \1 under tag global_step20 from /blob.\n"),
            ):
                nebula, count = re.subn(before, after, nebula)
                self.assertGreater(count, 0)
            nebula = re.sub(r"\[Torch\] (Load(?:ing|ed) \S+ under)", r"[Nebula] \1", nebula)
            path = self.file(nebula, "log")
            whole = self.sums(FIXTURES + "/deepspeed.log", 8)
            sums = self.sums(path, 8)
            self.assertEqual(
                [whole[key] for key in ("startup", "checkpoint", "lost", "restore")],
                [sums[key] for key in ("startup", "checkpoint", "lost", "restore")],
            )
            self.assertEqual(
                {"unmatched_lines": 3, "repeated_steps": 1, "missing_end": 1}, self.issues(path)
            )  # a launch follows the first
            other = self.file(
                nebula.replace(
                    "_states.pt under tag global_step20 from /blob.", "_states.pt under tag global_step10 from /blob."
                ),
                "log",
            )
            self.assertEqual(
                [(10,)],
                self.rows("SELECT step FROM trace_records(?) WHERE record = 'spans' AND kind = 'restore'", other),
            )
            saved = f"[2026-03-03 10:04:31,000] [INFO] [logging.py:96:log_dist] [Rank 0] [Nebula] Start Checkpoint for tag:{tag}\n[2026-03-03 10:04:33,000] [INFO] [nebula.py:1:commit] [Nebula] all files for {tag} are saved in tier1. It is\n".replace(
                r"\1", "global_step40"
            )
            again = (
                nebula.replace("[2026-03-03 10:04:50", saved + "[2026-03-03 10:04:50", 1).rstrip("\n")
                + "\n[2026-03-03 10:05:10,000] [INFO] [launch.py:367:main] Process 4811 exits successfully.\n"
            )
            self.assertEqual(
                [(40, T0 + 290), (50, T0 + 310)],
                self.rows(
                    "SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1",
                    self.file(again, "log"),
                ),
            )

    def test_deepspeed_s_pipelines(self):
        """Their engine tells the step beside the learning rate, and its rate in a line without a clock: the same steps as of the other's."""
        path = FIXTURES + "/deepspeed.log"
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if "skipped=" not in line]
        told = [
            re.sub(
                r"\[timer.py.*global_step=(\d+), .*",
                r"[logging.py:107:log_dist] [Rank 0] step=\1, skipped=0, lr=[1e-05], mom=[[0.9, 0.99]]\nsteps: \1 loss: 2.5 iter time (s): 2.000 samples/sec: 32.000",
                line,
            )
            for line in lines
        ]
        pipeline = self.file("\n".join(told) + "\n", "log")
        self.assertEqual([("trainer", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", pipeline))
        self.assertEqual((self.steps(path), self.sums(path, 8)), (self.steps(pipeline), self.sums(pipeline, 8)))
        skipped = self.file("\n".join(told).replace("step=30, skipped=0", "step=30, skipped=4") + "\n", "log")
        self.assertEqual(self.sums(path, 8), self.sums(skipped, 8))
        self.assertEqual(
            [(4,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'skipped_steps' AND source = ?", skipped)
        )

    def test_pipelines_newest_first(self):
        """As Grafana and CloudWatch print a log, of either engine: it is read from its end."""
        line = "[2026-03-03 10:00:{:02d},000] [INFO] [logging.py:107:log_dist] [Rank 0] step={}, skipped=0, lr=[1e-05], mom=[[0.9, 0.99]]\n"
        lines = ["[2026-03-03 10:00:00,000] [INFO] [launch.py:1:main] dist_world_size=4\n"] + [
            line.format(10 + 4 * n, n) for n in range(1, 9)
        ]
        forward, back = self.file("".join(lines), "log"), self.file("".join(reversed(lines)), "log")
        self.assertEqual(self.steps(forward), self.steps(back))
        self.assertEqual({"reversed_lines": 9}, self.issues(back))
        self.assertEqual(self.sums(forward, 4), self.sums(back, 4))

    def test_tags_of_deepspeed(self):
        """A tag may name no step, or another number: a load is of what was saved last under it, in this log or another of its job, else of a step that is not known."""

        def said(at, text):
            return f"[2026-03-03 10:{at // 60:02d}:{at % 60:02d},000] [INFO] {text}\n"

        def run(at, first, last, *saves, load=None):
            text = said(at, "[launch.py:1:main] dist_world_size=1")
            if load:
                text += said(
                    at + 2,
                    f"[torch_checkpoint_engine.py:1:load] [Torch] Loading checkpoint from /x/{load}/mp_rank_00_model_states.pt...",
                )
                text += said(
                    at + 6,
                    f"[torch_checkpoint_engine.py:1:load] [Torch] Loaded checkpoint from /x/{load}/zero_pp_rank_0_mp_rank_00_optim_states.pt.",
                )
                at += 20
            for n in range(first, last + 1):
                at += 10
                text += said(at, f"[timer.py:1:stop] epoch=0/micro_step=1/global_step={n}, RunningAvgSamplesPerSec=1.0")
                if n in saves:
                    text += said(
                        at, f"[logging.py:1:log_dist] [Rank 0] [Torch] Checkpoint {name} is about to be saved!"
                    ) + said(at + 1, f"[x.py:1:commit] [Torch] Checkpoint {name} is ready now!")
            return text

        for tag in ("epoch1", "last.ckpt/checkpoint", "best", "7"):
            name = tag.rsplit("/", 1)[-1]
            first = run(0, 1, 10, 2, 6)
            second = run(200, 7, 9, load=tag)
            restores = (
                "SELECT step, end_time - start_time FROM trace_records(?) WHERE record = 'spans' AND kind = 'restore'"
            )
            path = self.file(first + second, "log")
            self.assertEqual([(6, 4)], self.rows(restores, path), tag)
            self.assertEqual(
                {"lost": 39, "restore": 4},
                {key: value for key, value in self.sums(path, 1).items() if key in ("lost", "restore")},
                tag,
            )
            folder = self.folder_of({"a.log": first, "b.log": second})
            self.assertEqual(
                [(6, 4)], self.rows(restores, json.dumps({"sources": [{"path": folder, "job": "j"}]})), tag
            )
            self.assertEqual([(None, 4)], self.rows(restores, folder), tag)

    def test_megatron_deepspeed_is_megatron_s(self):
        with open(FIXTURES + "/deepspeed.log", encoding="utf-8") as file:
            text = (
                file.read()
                + " iteration       10/     100 | consumed samples:          640 | elapsed time per iteration (ms): 2000.0 | lm loss: 7.0E+00 |\n"
            )
        self.assertEqual(
            [("megatron", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", self.file(text, "log"))
        )

    def test_nemo(self):
        """Saved step 4 at 20 s, durable at 30 s by the log's clock; broke off after 7, went on with 5 after a load of 5 s and a line 5 s later."""
        path = FIXTURES + "/nemo.log"
        self.assertEqual(
            [
                (1, 0, 0, 12),
                (1, 1, 12, 14),
                (1, 2, 14, 16),
                (1, 3, 16, 18),
                (1, 4, 18, 20),
                (1, 5, 24, 26),
                (1, 6, 26, 28),
                (1, 7, 30, 32),
                (2, 5, 110, 112),
                (2, 6, 112, 114),
                (2, 7, 114, 116),
                (2, 8, 116, 118),
            ],
            [row[:4] for row in self.steps(path)],
        )
        self.assertEqual(
            {
                "unrated": 20,
                "checkpoint": 4,
                "lost": 6,
                "unknown": 2,
                "queued": 68,
                "restore": 5,
                "startup": 5,
                "pending": 8,
            },
            self.sums(path, 16),
        )

    def test_every_tenth_step_of_nemo(self):
        """A line every ten steps has the mean of their times, the first of a run as well, and no clock: it follows the lines above that have one, and a restart's
        clock says nothing of the steps before it."""
        line = (
            lambda n: f"Training epoch 0, iteration {n + 1}/99 | lr: 1e-05 | global_step: {n} | reduced_train_loss: 0.5 | train_step_timing in s: 2.0\n"
        )
        said = lambda at, text: f"[NeMo I 2026-03-03 10:{at // 60:02d}:{at % 60:02d} nemo_logging:393] {text}\n"
        first = said(0, "Experiments will be logged") + said(30, "Setting up") + "".join(map(line, (9, 19, 29)))
        second = "".join(map(line, (19, 29)))
        load = said(
            205, f"Global Checkpoint Load : Rank : 0 : Start time : {T0 + 200}.0s : Time spent in load_checkpoint: 5.0s"
        )
        before = [(1, 9, 30, 50, 10, 0.5), (1, 19, 50, 70, 10, 0.5), (1, 29, 70, 90, 10, 0.5)]
        for middle, begin in ((load, 205), (load + said(210, "Setting up"), 210), (said(300, "Setting up"), 300)):
            for prefix in ("", "0: "):
                text = "".join(prefix + line for line in (first + middle + second).splitlines(True))
                self.assertEqual(
                    before + [(2, 19, begin, begin + 20, 10, 0.5), (2, 29, begin + 20, begin + 40, 10, 0.5)],
                    self.steps(self.file(text, "nemo.log")),
                    text,
                )
        save = said(
            100, f"Global Checkpoint Save : Rank: 0 : Iteration: 29 : Start time: {T0 + 100}.0s : Save duration: 4.000s"
        )
        self.assertEqual(
            [(1, 9, 40, 60, 10, 0.5), (1, 19, 60, 80, 10, 0.5), (1, 29, 80, 100, 10, 0.5)],
            self.steps(self.file(first + save, "nemo.log")),
            "set up until 40",
        )

    def test_the_progress_bar_of_nemo_1(self):
        text = (
            "".join(
                f"Epoch 0: : {n}%|#| {n}/100 [00:10<00:00, reduced_train_loss=0.5, global_step={n}.0, consumed_samples=1.0, train_step_timing in s=3.000]\r"
                for n in range(4)
            )
            + "\n"
        )
        self.assertEqual(
            [(1, 0, 0, 3, 1, 0.5), (1, 1, 3, 6, 1, 0.5), (1, 2, 6, 9, 1, 0.5), (1, 3, 9, 12, 1, 0.5)],
            self.steps(self.fleet(self.file(text, "nemo1.log"), start=T0)),
        )

    def test_long_numbers_of_nemo(self):
        """Four digits of a time or a rate, three in a bar, and a power of ten: a first step of 1058 s is no second, and step 1.23e+5 is none."""
        line = lambda n, seconds, at: (
            f"{datetime.datetime.fromtimestamp(T0 + at, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ} Training epoch 0, iteration {n}/99 | lr: 1e-05 | global_step: {n} | "
            f"reduced_train_loss: 11.9 | train_step_timing in s: {seconds} | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: 5888\n"
        )
        path = self.file(line(0, "1.058e+03", 2000) + line(1, "6.08", 2010) + line(2, "6.061", 2020), "nemo.log")
        self.assertEqual(
            [(1, 0, 942, 2000, 1, 11.9), (1, 1, 2003.92, 2010, 1, 11.9), (1, 2, 2013.939, 2020, 1, 11.9)],
            self.steps(path),
        )
        flops = [
            row[0]
            for row in self.rows("SELECT flops FROM trace_training_steps(?) ORDER BY step", self.fleet(path, chips=8))
        ]
        for seconds, told in zip((1058, 6.08, 6.061), flops):
            self.assertAlmostEqual(seconds, told / (1249e12 * 8), 3)
        bar = (
            "".join(
                f"Epoch 0: : 1%|#| {n}/300000 [00:10<00:00, reduced_train_loss=0.5, global_step={step}, consumed_samples=1.28e+5, train_step_timing in s=1.058e+3]\r"
                for n, step in ((99998, "99998.0"), (99999, "99999.0"), (123456, "1.23e+5"), (123457, "1.23e+5"))
            )
            + "\n"
        )
        path = self.file(bar, "nemo1.log")
        self.assertEqual(
            [(1, 99998, 0, 1058, 1, 0.5), (1, 99999, 1058, 2116, 1, 0.5)], self.steps(self.fleet(path, start=T0))
        )
        self.assertEqual(
            [("data_loss", 2)],
            self.rows("SELECT severity, count FROM mpg_issues WHERE source = ? AND kind = 'missing_field'", path),
        )

    def test_torchtitan(self):
        """Two ranks; each step fetches for half a second; step 4 saves for two. What follows the save is pending."""
        path = FIXTURES + "/structured_logs"
        self.assertEqual(
            [
                (1, 1, 10, 14, 1, 7.5),
                (1, 2, 14, 18, 1, 7.0),
                (1, 3, 18, 22, 1, 6.5),
                (1, 4, 22, 28, 1, 6.0),
                (1, 5, 28, 32, 1, 5.5),
            ],
            self.steps(path),
        )
        sums = self.sums(path, 2)
        self.assertEqual({"startup": 10, "input": 2.5, "checkpoint": 2, "unrated": 14, "pending": 3.5}, sums)
        rated = self.fleet(path + "/*.jsonl", chips=4, chip="nvidia-h100-sxm", outcome="completed")
        (flops,) = self.rows("SELECT sum(flops), max(mfu) FROM trace_training_steps(?)", rated)
        self.assertAlmostEqual(120e12 * 4 * 22, flops[0], delta=1e6)
        self.assertAlmostEqual(120 / 989.5, flops[1], 3)
        self.assertEqual(
            {5}, {count for _, count in self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'parallel_files'")}
        )

    def test_ranks_of_torchtitan(self):
        """The highest of the ranks that log tells how many chips there are. Rank 0 alone does not, nor do the ranks of programs beside each other."""
        text = lambda rank, source="training": self.titan(
            [(event[:4] + (event[4] | {"global_rank": rank},)) for event in self.titan_run(0, range(1, 5), ())[0]],
            source,
            rank,
        )
        for ranks, sources, chips in (
            (range(8), ["training"], 8),
            ((0, 7), ["training"], 8),
            ((0,), ["training"], None),
            (range(8), ["trainer", "generator"], None),
        ):
            folder = self.folder_of(
                {f"logs/{source}.global_rank_{rank}.jsonl": text(rank, source) for rank in ranks for source in sources}
            )
            self.assertEqual(
                [(chips or 1,)],
                self.rows("SELECT chips FROM trace_records(?) WHERE record = 'allocations'", folder),
                (ranks, sources),
            )
            self.assertEqual(
                [(3,)],
                self.rows(
                    "SELECT chips FROM trace_records(?) WHERE record = 'allocations'",
                    self.fleet(folder + "/logs", chips=3),
                ),
            )

    def titan(self, events, source="training", rank=0):
        """Records (time, name, step, milliseconds, more) as torchtitan's structured logger writes them."""
        return "".join(
            json.dumps(
                {
                    "rank": rank,
                    "source": source,
                    "time_us": round((T0 + at) * 1e6),
                    "log_type": "event",
                    "log_type_name": name,
                    "event_name": None,
                }
                | ({} if step is None else {"step": step})
                | ({} if value is None else {"value": value})
                | more
            )
            + "\n"
            for at, name, step, value, more in sorted(events, key=lambda event: event[0])
        )

    def titan_run(self, at, steps, saves, seconds=1):
        """A program that sets up for 10 s, loads for 5 s if it does not begin with step 1, and goes on by 4 s a step. A span checkpoint_save is around each."""
        events = [(at, "setup_start", None, None, {}), (at + 10, "setup_end", None, 10000, {})]
        at += 10
        if steps[0] > 1:
            events += [(at, "checkpoint_load_start", None, None, {}), (at + 5, "checkpoint_load_end", None, 5000, {})]
            at += 5
        for step in steps:
            spent, tags = (seconds, {"step_tags": ["checkpoint_save"]}) if step in saves else (0, {})
            events += [
                (at, "step_start", step, None, {}),
                (at + 4, "checkpoint_save_start", step, None, {}),
                (at + 4 + spent, "checkpoint_save_end", step, spent * 1000 + 0.01, tags),
                (at + 4 + spent, "step_end", step, None, tags),
            ]
            at += 4 + spent
        return events, at

    def test_torchtitan_saves(self):
        """Of the spans checkpoint_save those with the tag save. Step 5 was, 6 to 10 are lost; what follows the save of step 10 is pending."""
        folder = self.file("", "a/x/y").rsplit("/", 1)[0]

        def write(*files):
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
            for i, text in enumerate(files):
                with open(
                    f"{folder}/training.global_rank_0.20260303-10000{i}-AAAAA{i}.jsonl", "w", encoding="utf-8"
                ) as file:
                    file.write(text)
            return self.sums(folder, 1)

        first, end = self.titan_run(0, range(1, 11), {5})
        second, _ = self.titan_run(end + 50, range(6, 13), {10})
        self.assertEqual(
            {
                "startup": 10 + 10,
                "restore": 5,
                "checkpoint": 1 + 1,
                "unrated": 20 + 20,
                "lost": 20,
                "pending": 8,
                "queued": 50,
            },
            write(self.titan(first), self.titan(second)),
        )
        # None of them saves.
        self.assertEqual({"startup": 10, "unknown": 40}, write(self.titan(self.titan_run(0, range(1, 11), ())[0])))
        # Saved while the program goes on: a metric, which is told in a later step, says how long it took; else a save waits for the one before; else it is not over.
        event = (
            34,
            "metric_value",
            6,
            8000,
            {"event_name": "train.checkpoint_write.native_dcp.execute.async_total.latency_ms"},
        )
        for saves, more, durable in (
            ({5, 9}, [event], 5),
            ({3, 6, 9}, [event[:3] + (9000,) + event[4:]], 6),
            ({9}, [(50, "checkpoint_staging_end", 9, 800, {})], 0),
        ):
            events, _ = self.titan_run(0, range(1, 11), saves)
            sums = {"startup": 10, "checkpoint": len(saves)} | (
                {"unrated": 4 * durable, "pending": 40 - 4 * durable} if durable else {"unknown": 40}
            )
            self.assertEqual(sums, write(self.titan(events + more)), saves)
        # By a process of its own, with a log of its own.
        events, _ = self.titan_run(0, range(1, 11), {5})
        process = [
            (35, "checkpoint_write_start", 5, 1, {}),
            (45, "checkpoint_write_end", 5, 10000, {}),
            (45, "checkpoint_subprocess_barrier_end", 5, 30000, {}),
        ]
        self.assertEqual(
            {"startup": 10, "checkpoint": 1, "unrated": 20, "pending": 20},
            write(self.titan(events), self.titan(process)),
        )
        self.assertEqual(
            [(5, 45)],
            self.rows("SELECT step, durable_time - ? FROM trace_records(?) WHERE record = 'commits'", T0, folder),
        )

    def test_torchtitan_s_programs_beside_each_other(self):
        """Reinforcement learning: each program of a job has a rank 0 and tells the steps. The controller's count, and the trainer's saves."""
        controller = [
            event
            for i in range(1, 6)
            for event in (
                (10 * i, "train_step_start", i, None, {}),
                (10 * i, "wait_for_training_batch_start", i, None, {}),
                (10 * i + 6, "wait_for_training_batch_end", i, 6000, {}),
                (10 * i + 10, "train_step_end", i, 10000, {}),
            )
        ]
        trainer = [
            event
            for i in range(1, 6)
            for event in (
                (10 * i + 6, "forward_backward_start", i, None, {}),
                (10 * i + 9, "forward_backward_end", i, 3000, {}),
                (10 * i + 9, "checkpoint_save_start", i, None, {}),
                (10 * i + 9.5, "checkpoint_save_end", i, 500, {"step_tags": ["checkpoint_save"]} if i == 3 else {}),
            )
        ]
        generator = [
            event
            for i in range(1, 6)
            for event in ((10 * i, "generate_start", i, None, {}), (10 * i + 5, "generate_end", i, 5000, {}))
        ]
        folder = self.folder_of(
            {
                f"structured_logs/{source}.global_rank_0.jsonl": self.titan(events, source)
                for source, events in (("controller", controller), ("trainer", trainer), ("generator", generator))
            }
        )
        self.assertEqual([(1, i, 10 * i, 10 * i + 10, 1, None) for i in range(1, 6)], self.steps(folder))
        self.assertEqual(
            {"input": 30, "checkpoint": 0.5, "unrated": 3 * 4 - 0.5, "pending": 2 * 4}, self.sums(folder, 1)
        )
        self.assertEqual(
            [{}, {"parallel_files": 5}, {"parallel_files": 5}],
            [
                self.issues(f"{folder}/structured_logs/{source}.global_rank_0.jsonl")
                for source in ("controller", "trainer", "generator")
            ],
        )

    def test_trackers(self):
        for name, first in (("wandb-history.jsonl", 17), ("wandb-history.csv", 17), ("mlflow-train_loss.json", 17)):
            path = os.path.join(FIXTURES, name)
            self.assertEqual(
                [(1, 10 * (i + 1), first + 3 * i, 20 + 3 * i, 10, 5 - i / 4) for i in range(5)], self.steps(path), name
            )
            # Ended well, all of it counts; W&B tells when the program began.
            ended = self.sums(self.fleet(path, outcome="completed"), 1)
            self.assertEqual({"unrated": 15} | ({"startup": 17} if "wandb" in name else {}), ended)

    def test_tables_of_trackers(self):
        """A history a column after the other, as pandas' to_json writes it by itself; the table of MLflow's charts, what mlflow-export-import keeps of a run, and numbers as texts."""
        rows = [
            {"_step": i, "_timestamp": T0 + 10.5 * i, "train/loss": 5 - i / 16, "note": {"a": [i]}}
            for i in range(1, 13)
        ]
        wanted = self.steps(self.file("".join(json.dumps(row) + "\n" for row in rows), "h.jsonl"))
        self.assertEqual(12, len(wanted))
        for columns in (
            {key: {str(i): row[key] for i, row in enumerate(rows)} for key in rows[0]},
            {key: [row[key] for row in rows] for key in rows[0]},
        ):
            for text in (columns, json.dumps(columns, indent=2)):
                path = self.file(text, "h.json")
                self.assertEqual((wanted, {}), (self.steps(path), self.issues(path)))
        sparse = self.file(
            {
                "_step": {"0": 1, "1": 2, "2": 3},
                "_timestamp": {"0": T0, "1": T0 + 10, "2": T0 + 20},
                "train/loss": {"0": 1.0, "1": None, "2": 3.0},
            },
            "h.json",
        )
        self.assertEqual([3], [row[1] for row in self.steps(sparse) if row[1] > 1])
        points = [
            {"key": "train_loss", "value": 5 - i / 16, "timestamp": (T0 + 10 * i) * 1000, "step": i}
            for i in range(1, 13)
        ]
        wanted = self.steps(self.file({"metrics": points}, "m.json"))
        texts = {
            "metrics": [point | {"timestamp": str(point["timestamp"]), "step": str(point["step"])} for point in points]
        }
        chart = "run_id,key,value,step,timestamp\n" + "".join(
            f"{run},{key},{p['value']},{p['step']},{p['timestamp']}\n"
            for run, key in (("abc", "lr"), ("abc", "train_loss"))
            for p in points
        )
        kept = {
            "info": {"run_id": "abc", "status": "FINISHED"},
            "params": {"lr": "1"},
            "metrics": {
                "lr": points[:1],
                "train_loss": [{key: p[key] for key in ("value", "timestamp", "step")} for p in points],
            },
            "tags": {},
        }
        for content in (texts, chart, {"system": {"package_version": "1.1.2"}, "mlflow": kept}, kept):
            path = self.file(content, "m.x")
            self.assertEqual((wanted, {}), (self.steps(path), self.issues(path)))
            self.assertEqual("chips, chip", self.one("SELECT missing FROM trace_sources(?)", path))
        # What TensorBoard and Neptune make tables of is the metric that was chosen; Comet names it.
        values = [(p["step"], p["value"], p["timestamp"] // 1000) for p in points]
        named = [
            {
                "metricName": name,
                "metricValue": str(value),
                "timestamp": at * 1000,
                "step": step,
                "epoch": None,
                "runContext": "train",
            }
            for name in ("lr", "train_loss")
            for step, value, at in values
        ]
        for content in (
            "Wall time,Step,Value\n" + "".join(f"{at}.0,{step},{value}\n" for step, value, at in values),
            "step,value,timestamp\r\n" + "".join(f"{step},{value},{at * 1000}\r\n" for step, value, at in values),
            ",step,value,timestamp\n"
            + "".join(
                f"{i},{step}.0,{value},{datetime.datetime.fromtimestamp(at, datetime.timezone.utc):%Y-%m-%d %H:%M:%S.%f}+00:00\n"
                for i, (step, value, at) in enumerate(values)
            ),
            named,
            json.dumps(named, indent=2),
        ):
            path = self.file(content, "v.x")
            self.assertEqual((wanted, {}), (self.steps(path), self.issues(path)))
            self.assertEqual("chips, chip", self.one("SELECT missing FROM trace_sources(?)", path))
        two = self.file(
            chart + "".join(f"def,train_loss,{p['value']},{p['step']},{p['timestamp'] + 5000}\n" for p in points),
            "two.csv",
        )
        self.assertEqual(
            [(1, 12), (1, 12)],
            self.rows("SELECT max(attempt), count(*) FROM trace_training_steps(?) GROUP BY job", two),
        )

    def test_names_of_a_loss(self):
        """Each tracker knows the same names, and the option tag says another."""
        names = (
            "train/loss",
            "loss",
            "train_loss",
            "reduced_train_loss",
            "training/loss",
            "training_loss",
            "lm loss",
            "loss_metrics/global_avg_loss",
            "learning/loss",
            "loss/train",
            "Loss/train",
            "loss/train/total",
            "train_inner/loss",
            "train/policy_loss",
            "actor/pg_loss",
            "train_loss_step",
            "train/loss_step",
        )
        times = [(i, T0 + 10 * i) for i in range(1, 6)]
        for name, options in [(name, {}) for name in names] + [("grpo/loss", {"tag": "grpo/loss"}), ("grpo/loss", {})]:
            files = {
                "w.jsonl": "".join(json.dumps({"_step": i, "_timestamp": at, name: 2.5}) + "\n" for i, at in times),
                "w.csv": f"_step,_timestamp,{name}\n" + "".join(f"{i},{at},2.5\n" for i, at in times),
                "m.json": {
                    "metrics": [{"key": name, "value": 2.5, "timestamp": at * 1000, "step": i} for i, at in times]
                },
                "l.json": [
                    {"key": name, "value": 2.5, "timestamp": at * 1000, "step": i, "run_id": "r"} for i, at in times
                ],
                f"mlruns/1/r/metrics/{name}": "".join(f"{at * 1000} 2.5 {i}\n" for i, at in times),
                "events.out.tfevents.1.host": tfevents.begin(T0 + 1)
                + b"".join(tfevents.event(at, i, (5, [(1, tfevents.simple(name, 2.5))])) for i, at in times),
            }
            for file, content in files.items():
                path = self.file(content, file)
                known = name != "grpo/loss" or options
                self.assertEqual(
                    [(1, i, 10 * i, 2.5) for i in range(2, 6)] if known else [],
                    [(row[0], row[1], row[3], row[5]) for row in self.steps(self.fleet(path, **options)) if row[1] > 1],
                    (name, file),
                )
                self.assertEqual(
                    [] if known else [("name it by the option tag",)],
                    self.rows(
                        "SELECT substr(detail, -25) FROM mpg_issues WHERE source = ? AND kind = 'no_steps'", path
                    ),
                    (name, file),
                )

    def test_rates_of_trackers(self):
        """What tells the FLOP/s of a device by a name whose unit is certain rates the steps, in each tracker; what does not is listed. A step of 10 s on 4 chips at 200 TFLOP/s."""
        times = [(i, T0 + 10 * i) for i in range(1, 6)]
        options = {"chips": 4, "chip": "nvidia-h100-sxm", "outcome": "completed"}
        for loss, rate, value in (
            ("loss_metrics/global_avg_loss", "tflops", 200.0),
            ("learning/loss", "perf/per_device_tflops_per_sec", 200.0),
            ("lm loss", "throughput", 200.0),
            ("reduced_train_loss", "TFLOPS_per_GPU", 200.0),
            ("loss/train/total", "throughput/device/flops_per_sec", 200e12),
            ("train/loss", "train/device/flops_per_sec", 200e12),
            ("train/loss", "perf/tflops_per_gpu", 200.0),
            ("lm loss", "throughput/tflops/device", 200.0),
            ("lm loss", "throughput/tflops_per_device", 200.0),
        ):  # Megatron Bridge's
            metric = lambda key, value: [
                {"key": key, "value": value, "timestamp": at * 1000, "step": i, "run_id": "r"} for i, at in times
            ]
            files = {
                "w.jsonl": "".join(
                    json.dumps({"_step": i, "_timestamp": at, loss: 2.5, rate: value}) + "\n" for i, at in times
                ),
                "w.csv": f"_step,_timestamp,{loss},{rate}\n" + "".join(f"{i},{at},2.5,{value}\n" for i, at in times),
            }
            if rate not in ("perf/tflops_per_gpu", "throughput/tflops_per_device"):
                files["events.out.tfevents.1.host"] = tfevents.begin(T0) + b"".join(
                    tfevents.event(
                        at, i, (5, [(1, tfevents.simple(loss, 2.5))]), (5, [(1, tfevents.simple(rate, value))])
                    )
                    for i, at in times
                )
            if "/" in rate or rate == "TFLOPS_per_GPU":
                files |= {
                    "m.json": {"metrics": metric(loss, 2.5) + metric(rate, value)},
                    "l.json": metric(loss, 2.5) + metric(rate, value),
                }
            for name, content in files.items():
                path = self.file(content, name)
                told = self.rows(
                    "SELECT round(tflops_per_chip, 3), round(flops / 1e12), round(1000 * mfu) FROM trace_training_steps(?) WHERE step > 1",
                    self.fleet(path, **options),
                )
                self.assertEqual([(200, 200 * 4 * 10, round(200e3 / 989.5))] * 4, told, (name, rate))
                self.assertEqual({}, self.issues(path))
            if "m.json" in files:  # an answer, and a file, for each metric
                write = lambda value: "".join(f"{at * 1000} {value} {i}\n" for i, at in times)
                for content in (
                    {"m/a.json": {"metrics": metric(loss, 2.5)}, "m/b.json": {"metrics": metric(rate, value)}},
                    {f"mlruns/1/r/metrics/{loss}": write(2.5), f"mlruns/1/r/metrics/{rate}": write(value)},
                ):
                    told = self.rows(
                        "SELECT round(tflops_per_chip, 3) FROM trace_training_steps(?)",
                        self.fleet(self.folder_of(content), **options),
                    )
                    self.assertEqual([(200,)] * 5, told, rate)
        # Lightning's Weights & Biases has the rate in a record of its own, after the loss or before it.
        told = [
            [
                {"_step": 2 * i, "_timestamp": at, "trainer/global_step": i, "train/loss": 2.5},
                {
                    "_step": 2 * i + 1,
                    "_timestamp": at + 0.1,
                    "trainer/global_step": i,
                    "train/device/flops_per_sec": 200e12,
                },
            ]
            for i, at in times
        ]
        for order in (1, -1):
            path = self.file("".join(json.dumps(row) + "\n" for pair in told for row in pair[::order]), "w.jsonl")
            self.assertEqual(
                [(i, 10, 200) for i, _ in times],
                self.rows(
                    "SELECT step, round(seconds), round(tflops_per_chip) FROM trace_training_steps(?)",
                    self.fleet(path, **options),
                ),
            )
            self.assertEqual({}, self.issues(path))
        for key in ("train/mfu", "tflops", "flops_per_sec"):
            for name, text in (
                (
                    "w.jsonl",
                    "".join(
                        json.dumps({"_step": i, "_timestamp": at, "train/loss": 2.5, key: 0.4}) + "\n"
                        for i, at in times
                    ),
                ),
                ("w.csv", f"_step,_timestamp,train/loss,{key}\n" + "".join(f"{i},{at},2.5,0.4\n" for i, at in times)),
            ):
                path = self.file(text, name)
                self.assertEqual(
                    ([(None,)] * 5, {"unknown_column": 1}),
                    (self.rows("SELECT flops FROM trace_training_steps(?)", path), self.issues(path)),
                    key,
                )
                self.assertEqual(
                    {},
                    (
                        self.rows("SELECT flops FROM trace_training_steps(?)", self.fleet(path, flops=1e15)),
                        self.issues(path),
                    )[1],
                    key,
                )
        for lacking in ({}, {"throughput": None}, {"throughput": "NaN"}, {"throughput": 0}):
            path = self.file(
                "".join(
                    json.dumps(
                        {"_step": i, "_timestamp": at, "lm loss": 2.5} | ({"throughput": 200} if i != 3 else lacking)
                    )
                    + "\n"
                    for i, at in times
                ),
                "w.jsonl",
            )
            self.assertEqual(
                ([(i, i != 3) for i, _ in times], {"missing_field": 1}),
                (self.rows("SELECT step, flops IS NOT NULL FROM trace_training_steps(?)", path), self.issues(path)),
                lacking,
            )

    def test_a_run_of_mlflow_s_store(self):
        """A file for each metric: one of them says when steps were over. Two runs are two jobs."""
        values = lambda late: "".join(f"{(T0 + 10 * i + late) * 1000} {i / 4} {i}\n" for i in range(5))
        folder = self.folder_of(
            {
                "mlruns/1/a/metrics/loss": values(0),
                "mlruns/1/a/metrics/train/loss": values(1),
                "mlruns/1/a/metrics/lr": values(2),
                "mlruns/1/a/metrics/final": f"{T0 * 1000} 1.0 0\n",
                "mlruns/1/b/metrics/loss": values(3),
            }
        )
        ends = {}
        for job, end in self.rows(
            "SELECT job, end_time - ? FROM trace_training_steps(?) WHERE step > 0 ORDER BY 1, 2", T0, folder
        ):
            ends.setdefault(job[-10:], []).append(end)
        self.assertEqual({"mlruns/1/a": [11, 21, 31, 41], "mlruns/1/b": [13, 23, 33, 43]}, ends)

    def database(self, *runs):
        """MLflow's database: of each run (id, name, status, begin, end, {key: [(step, time, value)]}), in seconds after T0."""
        path = os.path.join(self.new_folder(), "mlflow.db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(
                """CREATE TABLE runs(run_uuid VARCHAR(32) PRIMARY KEY, name, status, start_time BIGINT, end_time BIGINT, lifecycle_stage); CREATE TABLE latest_metrics("key", value);
                CREATE TABLE metrics("key", value FLOAT NOT NULL, timestamp BIGINT, run_uuid, step BIGINT, is_nan BOOLEAN, PRIMARY KEY("key", timestamp, step, run_uuid, value, is_nan))"""
            )
            for run, name, status, begin, end, metrics in runs:
                db.execute(
                    "INSERT INTO runs VALUES (?, ?, ?, ?, ?, 'active')",
                    (run, name, status, (T0 + begin) * 1000, end and (T0 + end) * 1000),
                )
                db.executemany(
                    "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        (key, 0 if value != value else value, (T0 + at) * 1000, run, step, value != value)
                        for key, values in metrics.items()
                        for step, at, value in values
                    ),
                )
            db.commit()
        return path

    def test_a_database_of_mlflow(self):
        """Each run is a job, from when it began until it ended; the first known name of a loss counts, a rate of a device rates, and a run without a loss is listed."""
        steps = lambda first, n, at, value=2.5: [(first + i, at + 10 * i, value) for i in range(n)]
        nan = float("nan")
        path = self.database(
            (
                "a" * 32,
                "llm",
                "FINISHED",
                0,
                100,
                {
                    "train/loss": steps(1, 7, 30),
                    "loss": steps(1, 7, 33),
                    "lr": steps(1, 7, 30),
                    "TFLOPS_per_GPU": steps(1, 7, 31, 200.0),
                },
            ),
            ("b" * 32, "llm", "FAILED", 200, 300, {"loss": steps(1, 3, 220) + [(4, 250, nan)] + steps(3, 3, 260)}),
            ("c" * 32, "", "KILLED", 400, 450, {"loss": steps(1, 3, 420)}),
            ("d" * 32, "live", "RUNNING", 500, None, {"loss": steps(1, 3, 520)}),
            ("e" * 32, "trees", "FINISHED", 0, 9, {"auc": [(0, 5, 0.9)]}),
        )
        jobs = [path, path + "#2", path + "#3", path + "#4"]
        self.assertEqual(
            [
                (jobs[0], 1, 0, 100, "completed"),
                (jobs[1], 1, 200, 250, "failed"),
                (jobs[1], 2, 250, 300, "failed"),
                (jobs[2], 1, 400, 450, "cancelled"),
                (jobs[3], 1, 500, None, None),
            ],
            self.rows(
                "SELECT job, attempt, start_time - ?2, end_time - ?2, outcome FROM trace_records(?1) WHERE record = 'allocations' ORDER BY 1, 2",
                path,
                T0,
            ),
        )
        self.assertEqual({"run_anew": 3, "no_steps": 1, "repeated_steps": 1, "skipped_steps": 1}, self.issues(path))
        self.assertEqual(
            [(1, 20, 30)] + [(i, 10 * i + 10, 10 * i + 20) for i in range(2, 8)],
            self.rows(
                "SELECT step, start_time - ?2, end_time - ?2 FROM trace_training_steps(?1) WHERE job = ?1", path, T0
            ),
        )
        rated = self.fleet(path, chips=4, chip="nvidia-h100-sxm")
        self.assertEqual(
            [(200, 8000)] * 7,
            self.rows(
                "SELECT round(tflops_per_chip, 3), round(flops / 1e12) FROM trace_training_steps(?) WHERE tflops_per_chip IS NOT NULL",
                rated,
            ),
        )
        self.assertEqual(
            [("startup", 80), ("unknown", 40)],
            self.rows(
                "SELECT category, round(sum(chip_seconds)) FROM trace_rollup(?1) WHERE job = ?2 AND category IN ('startup', 'unknown') GROUP BY 1",
                rated,
                path,
            ),
        )
        self.assertEqual(7, self.one("SELECT count(*) FROM trace_training_steps(?)", self.fleet(path, tag="lr")))
        # Two databases are two sources, and histories beside them others; the option job makes attempts of runs.
        other = self.database(("f" * 32, "x", "FINISHED", 0, 100, {"loss": steps(1, 3, 20)}))
        history = self.file(
            "".join(json.dumps({"_step": i, "_timestamp": T0 + 10 * i, "loss": 2.5}) + "\n" for i in range(5)),
            "w.jsonl",
        )
        together = json.dumps({"sources": [{"path": name} for name in (path, history, other)]})
        self.assertEqual(
            sorted([*jobs, other, history]),
            [job for job, in self.rows("SELECT DISTINCT job FROM trace_rollup(?) ORDER BY 1", together)],
        )
        self.assertEqual(
            {(other, 3), (history, 5)},
            set(
                self.rows(
                    "SELECT job, count(*) FROM trace_training_steps(?1) WHERE job NOT GLOB ?2 || '*' GROUP BY 1",
                    together,
                    path,
                )
            ),
        )
        self.assertEqual(
            [(1, 7, "completed"), (2, 4, "failed"), (3, 3, "failed"), (4, 3, "cancelled"), (5, 3, None)],
            self.rows(
                "SELECT a.attempt, (SELECT count(*) FROM trace_training_steps(?1) AS s WHERE s.attempt = a.attempt), outcome FROM trace_records(?1) AS a WHERE record = 'allocations' AND job = 'j' ORDER BY 1",
                self.fleet(path, job="j"),
            ),
        )

    def test_a_database_of_trackio(self):
        """Each run is a job; the trainer's step goes before the tracker's. Its columns have changed: of old a project, now an id of the run."""
        for column, more in (("project_name TEXT NOT NULL, ", ("p",)), ("", ()), ("run_id TEXT NOT NULL, ", ("7f",))):
            path = os.path.join(self.new_folder(), "llm.db")
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.executescript(
                    f"CREATE TABLE metrics({column}id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL); CREATE INDEX idx_metrics_run_step ON metrics(run_name, step)"
                )
                put = lambda run, step, at, values: db.execute(
                    f"INSERT INTO metrics VALUES ({'?, ' * len(more)}NULL, ?, ?, ?, ?)",
                    more
                    + (datetime.datetime.fromtimestamp(T0 + at, datetime.timezone.utc).isoformat(), run, step, values),
                )
                for i in range(1, 6):
                    put(
                        "b",
                        2 * i,
                        20 * i,
                        json.dumps(
                            {
                                "train/loss": 2.5,
                                "train/global_step": 10 * i,
                                "perf/tflops_per_gpu": 200.0,
                                "text": {"_type": "trackio.table"},
                            }
                        ),
                    )
                    put("b", 2 * i + 1, 20 * i + 5, json.dumps({"eval/loss": 2.4, "train/global_step": 10 * i}))
                if not more:
                    for i in range(1, 5):
                        put("c", i, 30 * i, json.dumps({"loss": "NaN" if i == 3 else 2.5}))
                    put("d", 0, 9, json.dumps({"auc": 0.5}))
                db.commit()
            self.assertEqual(
                [(10 * i, max(20 * (i - 1), 0), 20 * i, 200) for i in range(1, 6)],
                self.rows(
                    "SELECT step, start_time - ?2, end_time - ?2, tflops_per_chip FROM trace_training_steps(?1) WHERE job = ?1",
                    path,
                    T0,
                ),
            )
            self.assertEqual(
                {"run_anew": 1, "no_steps": 1, "skipped_steps": 1} if not more else {}, self.issues(path), column
            )

    def test_json_lines_of_steps(self):
        """What NeMo AutoModel and many a script write: Unix times or dates, which the option zone reads if they name none; among text, and as a list."""
        stamp = lambda at, form: (
            T0 + at if form is None else datetime.datetime.fromtimestamp(T0 + at, datetime.timezone.utc).strftime(form)
        )
        steps = lambda form, key="timestamp": [
            {"step": i, "epoch": 0, key: stamp(10 * i, form), "loss": 2.5, "tps": 9.0} for i in range(1, 5)
        ]
        lines = lambda records: "".join(json.dumps(r) + "\n" for r in records)
        zoned, local = "%Y-%m-%dT%H:%M:%S.000Z", "%Y-%m-%dT%H:%M:%S"
        expected = [(i, max(10 * i - 10, 0), 10 * i) for i in range(1, 5)]
        for content in (
            lines(steps(zoned)),
            lines(steps(None, "ts")),
            lines([{"config": {"lr": 1}}, {"step": 0, "val_loss": 2.5, "timestamp": T0}, *steps(None)]),
            json.dumps(steps(zoned)),
            json.dumps(steps(local), indent=2),
            "hello\n" + lines(steps(zoned)).replace("\n", "\nsome text\n"),
            lines(steps(local, "time")),
        ):
            path = self.file(content, "training.jsonl")
            self.assertEqual(
                expected,
                self.rows("SELECT step, start_time - ?2, end_time - ?2 FROM trace_training_steps(?1)", path, T0),
                content,
            )
            shift = 5 * 3600 if stamp(10, local) + '"' in content else 0
            self.assertEqual(
                [(10 + shift,)],
                self.rows(
                    "SELECT min(end_time) - ?2 FROM trace_training_steps(?1)",
                    self.fleet(path, zone="America/New_York"),
                    T0,
                ),
                content,
            )
        meta = self.file(json.dumps({"step": 10, "loss": 2.5, "timestamp": T0}), "meta.json")  # of a checkpoint
        self.assertEqual([(None,)], self.rows("SELECT format FROM trace_sources(?)", meta))

    def test_how_runs_of_mlflow_ended(self):
        """Its store and an exported run say so, too, and when it began."""
        values = [(i, T0 + 10 * i) for i in range(2, 6)]
        for status, number, outcome in (
            ("FINISHED", 3, "completed"),
            ("FAILED", 4, "failed"),
            ("KILLED", 5, "cancelled"),
            ("RUNNING", 1, None),
        ):
            ended = outcome and (T0 + 60) * 1000
            info = {"run_id": "r", "status": status, "start_time": T0 * 1000, "end_time": ended}
            store = {
                "mlruns/0/r/metrics/loss": "".join(f"{at * 1000} 2.5 {i}\n" for i, at in values),
                "mlruns/0/r/meta.yaml": f"artifact_uri: x\nend_time: {ended or 'null'}\nrun_name: ''\nstart_time: {T0 * 1000}\nstatus: {number}\n",
            }
            for path in (
                self.folder_of(store),
                self.file(
                    {
                        "mlflow": {
                            "info": info,
                            "metrics": {
                                "loss": [{"value": 2.5, "timestamp": at * 1000, "step": i} for i, at in values]
                            },
                        }
                    },
                    "run.json",
                ),
            ):
                self.assertEqual(
                    [(0, outcome and 60, outcome)],
                    self.rows(
                        "SELECT start_time - ?2, end_time - ?2, outcome FROM trace_records(?1) WHERE record = 'allocations'",
                        path,
                        T0,
                    ),
                    (status, path),
                )
                self.assertEqual(
                    [("init", 0, 10)],
                    self.rows(
                        "SELECT kind, start_time - ?2, end_time - ?2 FROM trace_records(?1) WHERE record = 'spans' AND kind <> 'step'",
                        path,
                        T0,
                    ),
                )

    def test_a_history_in_other_units(self):
        """pandas writes a time in milliseconds or finer; numbers may be texts."""
        for factor in (1000, 10**6, 10**9):
            for loss in (2.5, "2.5"):
                path = self.file(
                    "".join(
                        json.dumps({"_step": i, "_timestamp": (T0 + 10 * i) * factor, "loss": loss}) + "\n"
                        for i in range(1, 6)
                    ),
                    "w.jsonl",
                )
                self.assertEqual(
                    [(1, i, 10 * i - 10, 10 * i, 1, 2.5) for i in range(1, 6)], self.steps(path), (factor, loss)
                )

    def test_values_that_are_no_objects(self):
        for name, key in (("mlflow-train_loss.json", "metrics"), ("trainer_state.json", "log_history")):
            with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
                whole = json.load(file)
            for strange in (7, None, [1], "{"):
                path = self.file(whole | {key: whole[key][:1] + [strange] + whole[key][1:]}, name)
                self.assertEqual(len(self.steps(os.path.join(FIXTURES, name))), len(self.steps(path)))
                self.assertEqual(1, self.issues(path)["unknown_record"])

    def test_two_trackers_of_one_job(self):
        """Each logs a step a little later than the other, or only each fifth: the one that covers more counts, and nothing ran twice."""

        def write(every, late, n=20):
            times = [(i, T0 + 100 + 10 * i + late) for i in range(every, n + 1, every)]
            wandb = "".join(
                json.dumps({"_step": i, "_timestamp": at, "_runtime": at - T0 - 90, "train/loss": 2.5}) + "\n"
                for i, at in times
            )
            mlflow = {
                "metrics": [
                    {"key": "train_loss", "value": 2.5, "timestamp": int(at * 1000), "step": i} for i, at in times
                ]
            }
            board = tfevents.begin(T0 + 95) + b"".join(
                tfevents.event(at, i, (5, [(1, tfevents.simple("train/loss", 2.5))])) for i, at in times
            )
            return {
                "wandb": self.file(wandb, "w.jsonl"),
                "mlflow": self.file(mlflow, "m.json"),
                "board": self.file(board, "events.out.tfevents.1.host"),
            }

        sacct = self.file(
            f"JobIDRaw|JobName|User|State|Submit|Start|End|ReqTRES|AllocTRES\n5|a|ann|COMPLETED|{T0}|{T0 + 50}|{T0 + 310}|gres/gpu=1|gres/gpu=1\n",
            "sacct.psv",
        )
        scheduler = {"queued": 50, "startup": 10, "unknown": 50, "unrated": 200}
        first = write(1, 0)
        for one, other, every, late in (
            ("wandb", "mlflow", 1, 2),
            ("wandb", "mlflow", 5, 2),
            ("wandb", "board", 1, 0),
            ("wandb", "board", 1, 0.5),
            ("wandb", "board", 5, 0.5),
            ("mlflow", "board", 1, 0.5),
        ):
            lesser = write(every, late)[other]
            # By themselves: 200 s of steps, after what W&B tells of the program's start.
            fleet = json.dumps(
                {
                    "sources": [
                        {"path": path, "job": "5", "chips": 1, "outcome": "completed"} for path in (first[one], lesser)
                    ]
                }
            )
            self.assertEqual(
                {"unrated": 200} | ({"startup": 10} if one == "wandb" else {}), self.sums(fleet, 1), (one, other)
            )
            self.assertEqual({"parallel_files": 20 // every}, self.issues(lesser))
            self.assertEqual(
                [],
                self.rows(
                    "SELECT kind FROM mpg_issues WHERE kind IN ('concurrent_steps', 'overlapping_attempts', 'overlapping_spans', 'repeated_steps')"
                ),
            )
            if one == "wandb":
                fleet = json.dumps(
                    {"sources": [{"path": sacct}] + [{"path": path, "job": "5"} for path in (first[one], lesser)]}
                )
                self.assertEqual(scheduler, self.sums(fleet, 1), (one, other))
        # What the lesser tells after the other has ended counts: 20 steps of the one, and 10 more.
        fleet = json.dumps(
            {
                "sources": [
                    {"path": path, "job": "5", "chips": 1, "outcome": "completed"}
                    for path in (
                        first["wandb"],
                        self.file(
                            tfevents.begin(T0 + 240)
                            + b"".join(
                                tfevents.event(T0 + 100 + 10 * i, i, (5, [(1, tfevents.simple("train/loss", 2.5))]))
                                for i in range(15, 31)
                            ),
                            "events.out.tfevents.2.host",
                        ),
                    )
                ]
            }
        )
        self.assertEqual(300, self.sums(fleet, 1)["unrated"])

    def test_a_state_has_no_times(self):
        path = FIXTURES + "/trainer_state.json"
        self.assertEqual(
            [(1, 10, None, None, 10, 2.5), (1, 20, None, None, 10, 2.25), (1, 30, None, None, 10, 2.0)],
            self.steps(path),
        )
        self.assertEqual(3, self.issues(path)["no_times"])
        self.assertEqual([], self.rows("SELECT * FROM trace_rollup(?)", path))

    def test_random_runs_beside_a_second_computation(self):
        """Histories whose steps go back now and then: what ran again is lost, but of a run that ended well nothing else is."""
        for seed in range(20):
            draw = random.Random(seed)
            at, step, rows = T0, 0, []
            for _ in range(draw.randrange(3, 40)):
                step = max(1, step - draw.randrange(1, 4)) if rows and draw.random() < 0.15 else step + 1
                at += draw.randrange(1, 9)
                rows.append({"_step": step, "_timestamp": at, "loss": 1.0})
            path = self.file("".join(json.dumps(row) + "\n" for row in rows), "history.jsonl")
            attempts, spans = 1, []
            for before, row in zip(rows, rows[1:]):
                if row["_step"] < before["_step"]:
                    attempts += 1
                elif row["_step"] > before["_step"]:
                    spans.append((attempts, row["_step"], row["_timestamp"] - before["_timestamp"]))
            told = [
                (attempt, step, seconds)
                for attempt, step, seconds in self.rows(
                    "SELECT attempt, step, round(seconds) FROM trace_training_steps(?) ORDER BY end_time", path
                )
            ]
            self.assertLessEqual(set(spans), set(told), seed)  # the first step of an attempt has a mean length
            self.assertEqual(attempts, max(attempt for attempt, *_ in told), seed)

    def test_damage(self):
        """A line without a time, one of another century: listed, and the rest counts. A loss that is no number is one of a step all the same."""
        rows = [{"_step": i, "_timestamp": T0 + 3 * i, "loss": 1.0} for i in range(10)]
        rows[4]["_timestamp"] = 5 * T0
        rows[6]["loss"] = "NaN"
        path = self.file("".join(json.dumps(row) + "\n" for row in rows), "history.jsonl")
        self.assertEqual([0, 1, 2, 3, 5, 6, 7, 8, 9], [row[1] for row in self.steps(path)])
        self.assertEqual(1, self.issues(path)["impossible_time"])
        path = self.file('{"_step": 1, "_timestamp": "soon", "loss": 1}\n', "history.jsonl")
        self.assertEqual([], self.steps(path))
        self.assertEqual(1, self.issues(path)["no_steps"])

    def test_what_trackers_tell_wrongly(self):
        """Steps out of order, without a number, in seconds, on a page of several: listed."""

        def said(name, rows):
            path = self.file(rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows), name)
            return [row[1] for row in self.steps(path)], self.issues(path)

        def mlflow(*values, **more):
            return json.dumps(
                {
                    "metrics": [{"key": "train_loss", "value": 1.0, "timestamp": at, **rest} for at, rest in values],
                    **more,
                }
            )

        self.assertEqual(
            ([1, 2, 4], {"end_before_start": 1}),
            said(
                "h.jsonl",
                [
                    {"_step": step, "_timestamp": T0 + at, "_runtime": at, "loss": 1.0}
                    for step, at in ((1, 10), (2, 20), (3, 15), (4, 40))
                ],
            ),
        )
        self.assertEqual(
            {"unnumbered_steps": 4, "repeated_record": 3, "end_before_start": 1},
            said("m.json", mlflow(*((1000 * (T0 + 10 * i), {}) for i in range(4))))[1],
        )
        self.assertEqual(
            {"impossible_time": 4}, said("m.json", mlflow(*((T0 + 10 * i, {"step": i}) for i in range(4))))[1]
        )
        self.assertEqual(
            {"partial_answer": 1},
            said("m.json", mlflow(*((1000 * (T0 + 10 * i), {"step": i}) for i in range(4)), next_page_token="x"))[1],
        )

    def test_the_first_of_every_tenth(self):
        """It stands for no more steps than there are up to it, counted from 0 or from 1; what came before is start-up."""
        for numbers, first in (
            ((1, 10, 20, 30), 1),
            ((0, 10, 20, 30), 1),
            ((10, 20, 30), 10),
            ((9, 19, 29), 10),
            ((4, 9, 14), 5),
            ((50, 60, 70), 10),
            ((0, 1, 2), 1),
            ((1, 2, 3), 1),
        ):
            text = "".join(
                json.dumps(
                    {
                        "_step": i,
                        "_timestamp": T0 + 100 + 2 * n,
                        "_runtime": 100 + 2 * n,
                        "train/global_step": n,
                        "loss": 1.0,
                    }
                )
                + "\n"
                for i, n in enumerate(numbers)
            )
            self.assertEqual(
                (1, numbers[0], 100 + 2 * (numbers[0] - first), 100 + 2 * numbers[0], first, 1.0),
                self.steps(self.file(text, "h.jsonl"))[0],
                numbers,
            )

    def test_dates_of_a_history(self):
        """pandas makes dates of _timestamp, which are UTC: they are times as numbers are."""
        for form in ("2026-03-03 10:00:{:06.3f}", "2026-03-03T10:00:{:06.3f}Z", "2026-03-03 12:00:{:06.3f}+02:00"):
            rows = [(n, form.format(2.5 * n)) for n in range(1, 6)]
            for name, text in (
                ("h.csv", "_step,_timestamp,loss\n" + "".join(f"{n},{at},1.0\n" for n, at in rows)),
                ("h.jsonl", "".join(json.dumps({"_step": n, "_timestamp": at, "loss": 1.0}) + "\n" for n, at in rows)),
            ):
                self.assertEqual(
                    [(1, n, 2.5 * (n - 1), 2.5 * n, 1, 1.0) for n in range(1, 6)],
                    self.steps(self.file(text, name)),
                    text,
                )

    def test_runs_of_one_file(self):
        """Histories put together, by turns or one after the other, whose records name their runs: no run repeats another's steps. One name for all is one run."""
        for apart in (100, 1):
            rows = sorted(
                ((run, T0 + begin + 2 * n, n) for run, begin in (("a", 0), ("b", apart)) for n in range(1, 6)),
                key=lambda row: row[1],
            )
            for key in ("run_id", "run_name"):
                for name, text in (
                    (
                        "h.jsonl",
                        "".join(
                            json.dumps({"_step": n, "_timestamp": at, "loss": 1.0, key: run}) + "\n"
                            for run, at, n in rows
                        ),
                    ),
                    (
                        "h.csv",
                        f"{key},_step,_timestamp,loss\n" + "".join(f"{run},{n},{at},1.0\n" for run, at, n in rows),
                    ),
                    (
                        "m.json",
                        json.dumps(
                            {
                                "metrics": [
                                    {"key": "loss", "value": 1.0, "timestamp": 1000 * at, "step": n, "run_id": run}
                                    for run, at, n in rows
                                ]
                            }
                        ),
                    ),
                ):
                    path = self.file(text, name)
                    self.assertEqual(
                        [(path, 1, 5, 10), (path + "#2", 1, 5, 10)],
                        self.rows(
                            "SELECT job, max(attempt), count(*), sum(end_time - start_time) FROM trace_training_steps(?) GROUP BY job ORDER BY job",
                            path,
                        ),
                    )
                    self.assertEqual(
                        ("info", 1),
                        self.rows(
                            "SELECT severity, count FROM mpg_issues WHERE source = ? AND kind = 'run_anew'", path
                        )[0],
                    )
                    if apart == 100:
                        self.assertEqual(
                            [("j", 1), ("j", 2)],
                            self.rows(
                                "SELECT DISTINCT job, attempt FROM trace_training_steps(?)", self.fleet(path, job="j")
                            ),
                        )
        path = self.file(
            "".join(
                json.dumps({"_step": n, "_timestamp": T0 + n, "loss": 1.0, "run_id": "a"}) + "\n" for n in range(1, 6)
            ),
            "h.jsonl",
        )
        self.assertEqual([(path, 5)], self.rows("SELECT job, count(*) FROM trace_training_steps(?) GROUP BY job", path))

    def test_what_trackers_tell_of_restarts(self):
        """A pause of minutes is listed. MLflow may answer by step: what was run again is seen from the times. Other trainers' names of a loss and a step."""
        at = lambda i: T0 + 10 * i + (300 if i > 20 else 0)
        for name, text in (
            (
                "h.jsonl",
                "".join(
                    json.dumps({"_step": i, "_timestamp": at(i), "_runtime": at(i) - T0, "loss": 1.0}) + "\n"
                    for i in range(1, 41)
                ),
            ),
            ("h.csv", "_step,_timestamp,loss\n" + "".join(f"{i},{at(i)},1.0\n" for i in range(1, 41))),
            (
                "m.json",
                json.dumps(
                    {
                        "metrics": [
                            {"key": "loss", "value": 1.0, "timestamp": 1000 * at(i), "step": i} for i in range(1, 41)
                        ]
                    }
                ),
            ),
        ):
            path = self.file(text, name)
            self.steps(path)
            self.assertEqual({"long_steps": 1}, self.issues(path), name)
            self.assertAlmostEqual(
                10,
                self.rows("SELECT min(end_time) - min(start_time) FROM trace_training_steps(?)", path)[0][0],
                5,
                "the first is as long as most",
            )
        again = [
            {"key": "loss", "value": 1.0, "timestamp": 1000 * (T0 + 10 * i + pause), "step": i}
            for i, pause in [(i, 0) for i in range(1, 21)] + [(i, 300) for i in range(18, 41)]
        ]
        for metrics in (again, sorted(again, key=lambda m: m["step"])):
            path = self.file(json.dumps({"metrics": metrics}), "m.json")
            self.assertEqual(
                [(1, 20), (2, 23)],
                self.rows("SELECT attempt, count(*) FROM trace_training_steps(?) GROUP BY attempt", path),
            )
            self.assertEqual(
                {"lost": 30},
                dict(
                    self.rows(
                        "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'lost' GROUP BY 1",
                        path,
                    )
                ),
            )
        for loss, number in (
            ("actor/pg_loss", "training/global_step"),
            ("train/loss", "train/step"),
            ("loss_metrics/global_avg_loss", None),
            ("loss/train/total", None),
        ):
            path = self.file(
                "".join(
                    json.dumps(
                        {"_step": i, "_timestamp": T0 + 10 * i, loss: 1.0, **({number: i + 100} if number else {})}
                    )
                    + "\n"
                    for i in range(1, 4)
                ),
                "h.jsonl",
            )
            self.assertEqual([(100 if number else 0) + i for i in range(1, 4)], [row[1] for row in self.steps(path)])
        path = self.file(
            "".join(
                json.dumps({"_step": i, "_timestamp": T0 + i, "loss": 1.0, "global_step": i // 2}) + "\n"
                for i in range(2, 8)
            ),
            "h.jsonl",
        )
        self.steps(path)
        self.assertEqual({"repeated_record": 3}, self.issues(path))

    def test_restarts_that_the_log_tells(self):
        """A launch or a restore begins an attempt, even if the next step that is told is not before the last one: what lies between is no step."""
        line = lambda at, text: f"[2026-03-03 10:{at // 60:02d}:{at % 60:02d},000] [INFO] [x.py:1:y] {text}\n"
        step = lambda at, n: line(at, f"epoch=0/micro_step={n}/global_step={n}, RunningAvgSamplesPerSec=1.0")
        launch, load = lambda at: line(at, "dist_world_size=1"), lambda at, n: line(
            at, f"[Torch] Loading checkpoint from /c/global_step{n}/m.pt..."
        ) + line(at, f"[Torch] Loaded checkpoint from /c/global_step{n}/m.pt.")
        save = lambda at, n: line(at, f"[Torch] Checkpoint global_step{n} is about to be saved!") + line(
            at + 5, f"[Torch] Checkpoint global_step{n} is ready now!"
        )
        begin = launch(0) + step(20, 10) + step(40, 20)
        for name, again, lost, productive in (
            (
                "later",
                save(40, 20) + launch(120) + load(125, 20) + step(150, 30) + step(170, 40) + save(170, 40),
                None,
                80,
            ),
            ("the same", launch(120) + load(125, 10) + step(150, 20) + step(170, 30) + save(170, 30), 20, 60),
        ):
            for prefix in ("", "[rank0]:"):
                with self.subTest(name=name, prefix=prefix):
                    path = self.file("".join(prefix + text for text in (begin + again).splitlines(True)))
                    sums = self.sums(self.fleet(path), 1)
                    self.assertEqual((lost, productive), (sums.get("lost"), sums["unrated"]))
                    self.assertEqual([(2,)], self.rows("SELECT max(attempt) FROM trace_training_steps(?)", path))

    def test_a_run_of_a_tracker_that_was_resumed(self):
        """W&B's _runtime goes on from the run before, or starts anew: where the clock gets ahead of it, nothing was trained."""
        rows = lambda first, last, at, runtime: [
            {"_step": n, "_timestamp": T0 + at + 10 * (n - first), "_runtime": runtime + 10 * (n - first), "loss": 1.0}
            for n in range(first, last)
        ]
        for runtime in (110, 15):
            path = self.file(
                "".join(json.dumps(row) + "\n" for row in rows(0, 10, 10, 10) + rows(10, 20, 3710, runtime)), "h.jsonl"
            )
            sums = self.sums(self.fleet(path, outcome="completed"), 1)
            self.assertEqual(200, sums["unrated"], sums)
            self.assertNotIn("long_steps", self.issues(path))

    def test_a_pause_that_nothing_tells(self):
        text = "".join(
            json.dumps({"_step": n, "_timestamp": T0 + 10 * n + (3600 if n >= 10 else 0), "loss": 1.0}) + "\n"
            for n in range(20)
        )
        path = self.file(text, "h.jsonl")
        self.rows("SELECT * FROM trace_rollup(?)", path)
        self.assertEqual(1, self.issues(path)["long_steps"])
        path = self.file(
            "".join(json.dumps({"_step": n, "_timestamp": T0 + 10 * n, "loss": 1.0}) + "\n" for n in range(20)),
            "h.jsonl",
        )
        self.rows("SELECT * FROM trace_rollup(?)", path)
        self.assertNotIn("long_steps", self.issues(path))

    NEMO = "Training epoch 0, iteration {0}/99 | lr: 1e-05 | global_step: {0} | reduced_train_loss: 1.0 | train_step_timing in s: 2.0\n"

    def test_a_clock_before_lines_without_one(self):
        """`kubectl logs --timestamps` says when NeMo's steps were over: a pause between them is none of them."""
        path = self.file(
            "".join(
                f"2026-03-03T10:00:{2 * n + (20 if n > 3 else 0):02d}.000000000Z " + self.NEMO.format(n)
                for n in range(1, 6)
            )
        )
        self.assertEqual(
            [(1, n, 2 * n - 2 + late, 2 * n + late, 1, 1) for n, late in ((1, 0), (2, 0), (3, 0), (4, 20), (5, 20))],
            self.steps(path),
        )

    def test_no_clock_at_all(self):
        """The option start is missed, and the scheduler's job says it."""
        text = "".join(self.NEMO.format(n) for n in range(1, 4))
        self.assertEqual([(1,)], self.rows("SELECT instr(missing, 'start') > 0 FROM trace_sources(?)", self.file(text)))
        folder = self.folder_of(
            {
                "nemo-4711.log": text,
                "sacct.psv": "JobID|State|Start|End|AllocTRES|Submit|Partition\n4711|COMPLETED|2026-03-03T10:00:00|2026-03-03T10:00:10|gres/gpu=8|2026-03-03T10:00:00|gpu\n",
            }
        )
        self.assertEqual(
            [(8 * 6.0,)], self.rows("SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'unrated'", folder)
        )

    def test_a_scheduler_beside(self):
        """A run whose file has its job's id in the name is of that job: the scheduler says what it held."""
        with open(FIXTURES + "/wandb-history.jsonl", encoding="utf-8") as file:
            history = file.read()
        folder = self.folder_of(
            {
                "run-4711.jsonl": history,
                "sacct.psv": "JobID|State|Start|End|AllocTRES|Submit|Partition\n4711|COMPLETED|2026-03-03T10:00:00|2026-03-03T10:00:40|gres/gpu=8|2026-03-03T10:00:00|gpu\n",
            }
        )
        self.assertEqual(
            [("4711", 8 * 15.0)],
            self.rows(
                "SELECT job, sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'unrated' GROUP BY job", folder
            ),
        )

    def test_recognised_among_all_others(self):
        found = {
            os.path.relpath(path, FIXTURES)
            for path, in self.rows("SELECT file FROM trace_sources('fixtures') WHERE format = 'trainer'")
            for path in [os.path.join(ROOT, path)]
        }
        here = {
            os.path.relpath(os.path.join(folder, name), FIXTURES)
            for folder, _, names in os.walk(FIXTURES)
            for name in names
        }
        self.assertEqual(here | {"../h100/hugging_face/trainer_state.json"}, found)


if __name__ == "__main__":
    unittest.main()
