"""What DeepSpeed prints: the mapping sql/formats/trainer.sql, held against sums made by hand."""

import json
import os
import re
import unittest

from trainer_case import FIXTURES, T0, TrainerLogs


class DeepSpeed(TrainerLogs):
    def test_deepspeed(self):
        """Saved at step 20, broke off after 40, went on with 30: two launches, a save of 10 s each, a load of 6 s."""
        path = FIXTURES + "/deepspeed.log"
        self.assertEqual(
            [
                (1, 10, 30, 50, 10, None),
                (1, 20, 50, 70, 10, None),
                (1, 30, 70, 100, 10, None),
                (1, 40, 100, 120, 10, None),
                (2, 30, 230, 250, 10, None),
                (2, 40, 250, 270, 10, None),
                (2, 50, 270, 290, 10, None),
            ],
            self.steps(path),
        )
        self.assertEqual(
            {
                "startup": 30 + 20 + 4,
                "unrated": (120 - 30) - 50 + (290 - 230),
                "checkpoint": 10 + 10,
                "lost": (100 - 80) + 20,
                "restore": 6,
                "queued": 80,
            },
            self.sums(path, 8),
        )
        self.assertEqual({"unmatched_lines": 3, "repeated_steps": 1}, self.issues(path))

    def test_older_versions(self):
        """The rate counts micro steps, which begin anew with each launch, beside the number of the step; a save is told by its files. A log of rates alone has those numbers. Step 0 is told as the engine is set up, and is none."""
        line = lambda at, text: f"[2026-03-03 10:00:{at:02d},000] [INFO] {text}\n"
        rate = "[timer.py:{}:stop] 0/{}, {}SamplesPerSec=463.86"
        plain = "[logging.py:60:log_dist] [Rank 0] step={}, skipped=0, lr=[0.1], mom=[[0.9, 0.95]]"
        files = "runs/x/global_step20/"
        for word in ("RunningAvg", ""):
            text = line(0, "[logging.py:60:log_dist] [Rank 0] step=0, skipped=0, lr=[0.1], mom=[[0.9, 0.95]]")
            for n in (1, 2):
                text += line(10 * n, plain.format(10 * n)) + line(10 * n, rate.format(154, 80 * n, word))
            text += line(
                21, f"[logging.py:60:log_dist] [Rank 0] Saving model checkpoint: {files}mp_rank_00_model_states.pt"
            )
            for rank, at in ((5, 23), (9, 24)):
                text += line(
                    at,
                    f"[engine.py:1680:_save_zero_checkpoint] zero checkpoint saved {files}zero_pp_rank_{rank}_mp_rank_00optim_states.pt",
                )
            text += line(28, rate.format(154, 200, word)) + line(34, plain.format(30))
            path = self.file(text)
            self.assertEqual(
                [(1, 10, -0.5, 10, 10, None), (1, 20, 10, 20, 10, None), (1, 30, 20, 34, 10, None)], self.steps(path)
            )
            self.assertEqual(
                [("checkpoint", None, 21, 24), ("commits", 20, None, 24)],
                self.rows(
                    "SELECT coalesce(kind, record), step, start_time - ?2, coalesce(end_time, durable_time) - ?2 FROM trace_records(?1)"
                    " WHERE kind = 'checkpoint' OR record = 'commits' ORDER BY 1",
                    path,
                    T0,
                ),
            )
            bar = "Iteration:   0%|          | 9/10604 [00:05<1:06:31,  2.65it/s]"
            path = self.file("".join(bar + line(10 * n, rate.format(191, 10 * n, word)) for n in (1, 2, 3)))
            self.assertEqual(
                [(10, 10), (20, 20), (30, 30)],
                self.rows("SELECT step, end_time - ? FROM trace_records(?) WHERE kind = 'step'", T0, path),
            )

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
        mean = (20 + 30 + 20) / 3  # of the first launch: how long a save in it took nothing says
        wanted = {
            "startup": round(50 - mean + 20 + 4, 3),
            "unrated": round((70 - 50 + mean) + (290 - 230), 3),
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

    def test_how_a_launcher_says_that_a_run_ended(self):
        """It holds its chips until then, and what it had not saved is kept or lost; a second stage undoes nothing."""
        launch = "[2026-03-03 10:{}] [INFO] [launch.py:163:main] dist_world_size=8\n"
        step = "[2026-03-03 10:{0}] [INFO] [timer.py:260:stop] epoch=0/micro_step={1}/global_step={1}, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70\n"
        good = "[2026-03-03 10:{0}] [INFO] [launch.py:351:main] Process 4811 exits successfully.\n"
        bad = "[2026-03-03 10:{0}] [ERROR] [launch.py:325:sigkill_handler] ['python3', 'train.py'] exits with return code = {1}\n"
        run = launch.format("00:00,000") + "".join(step.format(f"01:{10 * i:02},000", i) for i in range(1, 6))
        again = launch.format("41:00,000") + "".join(step.format(f"42:{10 * i:02},000", i) for i in range(1, 4))
        for end, outcome, sums in (
            ("", None, {"unknown": 50}),
            (good.format("01:50,000"), "completed", {"unrated": 50}),
            (good.format("01:52,000") + good.format("01:55,000"), "completed", {"unrated": 50, "unknown": 5}),
            (bad.format("31:50,000", 0), "completed", {"unrated": 50, "unknown": 1800}),
            (bad.format("31:50,000", 1), "failed", {"unknown": 50 + 1800}),
            (bad.format("31:50,000", -9) + good.format("31:51,000"), "failed", {"unknown": 50 + 1801}),
        ):
            path = self.file(run + end, "log")
            self.assertEqual({"startup": 60} | sums, self.sums(path, 8), end)
            self.assertEqual(
                [(outcome,)], self.rows("SELECT outcome FROM trace_records(?) WHERE record = 'allocations'", path), end
            )
        # A hang of half an hour is no demand of a job that holds nothing.
        path = self.file(run + bad.format("31:50,000", 1) + again + good.format("42:30,000"), "log")
        self.assertEqual(
            {"startup": 120, "lost": 50, "unknown": 1800, "queued": 550, "unrated": 30}, self.sums(path, 8)
        )
        # Trained to its end, then another stage in the same log: both stay.
        path = self.file(run + good.format("01:50,000") + again + good.format("42:30,000"), "log")
        self.assertEqual({"startup": 120, "unrated": 80}, self.sums(path, 8))

    def test_how_other_lines_say_that_a_run_ended(self):
        """Of an engine that tells no rates, too, as that of pipelines."""
        launch = "[2026-03-03 10:00:00,000] [INFO] [launch.py:163:main] dist_world_size=8\n"
        rate = "[2026-03-03 10:01:{0}0,000] [INFO] [timer.py:260:stop] epoch=0/micro_step={0}/global_step={0}, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70\n"
        plain = "[2026-03-03 10:01:{0}0,000] [INFO] [logging.py:96:log_dist] [Rank 0] step={0}, skipped=0, lr=[1e-05], mom=[0.9]\n"
        for step in (rate, plain):
            run = launch + "".join(step.format(i) for i in range(1, 6))
            for end, outcome in (
                ("", None),
                (
                    "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-03-03T10:02:00 DUE TO PREEMPTION ***\n",
                    "preempted",
                ),
                ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n", "failed"),
            ):
                path = self.file(run + end, "log")
                self.assertEqual(
                    [(outcome,)],
                    self.rows("SELECT outcome FROM trace_records(?) WHERE record = 'allocations'", path),
                    end,
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

    def test_a_save_that_ends_after_a_step(self):
        """At once with the step it blocked until then; later it went on while the program trained: the step is durable then, and how long it blocked is listed as not known. Its begin says of which step it is, whatever its tag."""
        line = lambda at, text: f"[2026-03-03 10:00:{at:02d},000] [INFO] {text}\n"
        step = lambda at, n: line(
            at, f"[timer.py:1:stop] epoch=0/micro_step=1/global_step={n}, RunningAvgSamplesPerSec=1.0"
        )
        for tag in ("global_step1", "latest"):
            for end, spans, said in ((20, [("checkpoint", 12, 20)], {}), (35, [], {"missing_field": 1})):
                lines = [
                    (10, step(10, 1)),
                    (12, line(12, f"[x.py:1:f] [Torch] Checkpoint {tag} is about to be saved!")),
                ]
                lines += [(10 * n, step(10 * n, n)) for n in (2, 3, 4, 5)]
                lines += [(end, line(end, f"[x.py:1:f] [Torch] Checkpoint {tag} is ready now!"))]
                path = self.file("".join(text for _, text in sorted(lines, key=lambda row: row[0])))
                with self.subTest(tag=tag, end=end):
                    self.assertEqual(
                        spans,
                        self.rows(
                            "SELECT kind, start_time - ?2, end_time - ?2 FROM trace_records(?1) WHERE kind = 'checkpoint'",
                            path,
                            T0,
                        ),
                    )
                    self.assertEqual(
                        [(1, end)],
                        self.rows(
                            "SELECT step, durable_time - ?2 FROM trace_records(?1) WHERE record = 'commits'", path, T0
                        ),
                    )
                    self.assertEqual(
                        said, {kind: n for kind, n in self.issues(path).items() if kind.startswith("missing")}
                    )

    def test_a_step_that_is_saved_twice(self):
        """Each rank tells of a save, at once; a save long after the first, as after a restart of which nothing tells, is one of its own."""
        line = lambda at, text: f"[2026-03-03 10:{at // 60:02}:{at % 60:02},000] [INFO] {text}\n"
        step = lambda n: line(
            10 * n, f"[timer.py:1:stop] epoch=0/micro_step={n}/global_step={n}, RunningAvgSamplesPerSec=25.0"
        )
        tag = "[x.py:1:f] [Torch] Checkpoint global_step3 is {}!"

        def save(at):
            return "".join(line(at + rank, tag.format("about to be saved")) for rank in (0, 1)) + "".join(
                line(at + 4 + rank, tag.format("ready now")) for rank in (0, 1)
            )

        begins = "".join(step(n) for n in (1, 2, 3))
        for again, saves in ((37, [(30, 42)]), (600, [(30, 35), (600, 605)])):
            text = begins + save(30) + save(again) + line(again + 20, step(4).partition(" [INFO] ")[2].rstrip())
            path = self.file(text)
            spans = "SELECT start_time, end_time FROM trace_records(?) WHERE record = 'spans' AND kind = 'checkpoint' ORDER BY 1"
            self.assertEqual([(T0 + a, T0 + b) for a, b in saves], self.rows(spans, path), again)
            commits = "SELECT durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1"
            self.assertEqual([(T0 + b,) for _, b in saves], self.rows(commits, path), again)

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

    def test_a_load_without_steps_after_it(self):
        """What it loaded was kept, what is later is lost, though it is above the first step of the log."""
        with open(os.path.join(FIXTURES, "deepspeed.log"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        launch = [i for i, line in enumerate(lines) if "dist_world_size" in line][1]
        sums = self.sums(self.file("".join(lines[: launch + 3]), "log"), 8)
        self.assertEqual((40, 40, None), (sums["unrated"], sums["lost"], sums.get("pending")))

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


if __name__ == "__main__":
    unittest.main()
