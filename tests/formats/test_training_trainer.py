"""What NeMo and torchtitan's structured logs leave: the mapping sql/formats/trainer.sql, held against sums made by hand, and against a
second computation of random runs."""

import datetime
import glob
import itertools
import json
import os
import random
import unittest

from fleets import ROOT
from trainer_case import FIXTURES, T0, TrainerLogs


class Trainer(TrainerLogs):
    def test_nemo(self):
        """The first step took 10 s more than others. Saved step 4 at 20 s, durable at 30 s by the log's clock; broke off after 7, went on with 5 after a load of 5 s and a line 5 s later."""
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
                "compile": 10,
                "unrated": 10,
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

    def test_a_run_of_nemo_that_came_to_its_end(self):
        """Lightning's loop says that the last step is done: what was not saved is kept."""
        with open(FIXTURES + "/nemo.log", encoding="utf-8") as file:
            text = file.read()
        kept = self.sums(FIXTURES + "/nemo.log", 16)
        for end in (
            "`Trainer.fit` stopped: `max_steps=9` reached.\n",
            "[NeMo I 2026-03-03 10:01:58 rank_zero:64] `Trainer.fit` stopped: `max_epochs=1` reached.\n",
        ):
            path = self.file(text + end, "log")
            self.assertEqual(
                kept | {"unrated": kept["unrated"] + kept["pending"], "pending": None},
                self.sums(path, 16) | {"pending": self.sums(path, 16).get("pending")},
            )
            self.assertEqual(
                [("failed",), ("completed",)],
                self.rows("SELECT outcome FROM trace_records(?) WHERE record = 'allocations' ORDER BY attempt", path),
            )

    def test_a_step_of_nemo_that_is_told_twice(self):
        """By two lines that differ, as where the program began again at it: the later one counts, and a row says so."""
        line = "Training epoch 0, iteration {0}/99 | global_step: {0} | reduced_train_loss: 0.5 | train_step_timing in s: {1}\n"
        path = self.file("".join(line.format(n, s) for n, s in ((1, 2.0), (2, 2.0), (2, 30.0), (3, 2.0))), "n.log")
        self.assertEqual([1, 2, 3], [row[1] for row in self.steps(path)])
        self.assertEqual(1, self.issues(path).get("repeated_record"))

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

    def test_a_progress_bar_in_json(self):
        """Docker and Fluent Bit keep many states of a bar in one object, with their returns as escapes: each is a step."""
        states = [
            f"Epoch 0: : {n}%|#| {n}/100 [00:10<00:00, v_num=x, reduced_train_loss=0.5, global_step={n}.0, consumed_samples={n}.0, train_step_timing in s=2.000]"
            for n in range(20)
        ]
        for end in ("\n", "\r\n", "\r", ""):
            for cut in (20, 7, 1):
                entries = ["\r".join(states[i : i + cut]) + end for i in range(0, 20, cut)]
                text = "".join(
                    json.dumps({"log": entry, "time": f"2026-03-03T10:00:{min(19, i * cut + cut - 1) * 2 + 4:02}Z"})
                    + "\n"
                    for i, entry in enumerate(entries)
                )
                with self.subTest(end=end, cut=cut):
                    self.assertEqual(
                        [(20, 40, 1772532042)],
                        self.rows(
                            "SELECT count(*), sum(end_time - start_time), max(end_time) FROM trace_training_steps(?)",
                            self.file(text, "bar.log"),
                        ),
                    )

    def test_saves_of_nemo_1(self):
        """It counts the steps that are done, and numbers steps from 0: a save for step 3 has 0, 1 and 2. NeMo 2 says both."""
        clock = lambda at, text: f"[NeMo I 2026-03-03 10:{at // 60:02}:{at % 60:02} nemo_logging:393] {text}\n"
        bar = lambda n: (
            f"Epoch 0: : {n}%|#| {n}/100 [00:10<00:00, reduced_train_loss=0.5, global_step={n}.0, consumed_samples=1.0, train_step_timing in s=3.000]\n"
        )
        done = "Async checkpoint save for step 3 "
        for end in (
            "finalized successfully.",
            "(/ckpt/step=3.ckpt) finalized successfully.",
            "(/ckpt/step=3.ckpt) finalized successfully at 2026-03-03T10:00:14.123456.",
        ):
            text = (
                clock(0, "Setting up optimizers")
                + "".join(map(bar, range(3)))
                + clock(9, "Checkpoint save for step 3 started")
            )
            text += clock(11, "Scheduled async checkpoint save for /ckpt/step=3.ckpt") + bar(3) + clock(14, done + end)
            text += bar(4) + clock(20, "hello")
            for more in ("", clock(14, "Successfully saved checkpoint from iteration       2 to /ckpt/step=2.ckpt")):
                path = self.file(text.replace(clock(14, done + end), more + clock(14, done + end)), "nemo1.log")
                self.assertEqual(
                    [(2, 14 + T0)],
                    self.rows(
                        "SELECT DISTINCT step, durable_time FROM trace_records(?) WHERE record = 'commits'", path
                    ),
                )
                fleet = self.fleet(path, outcome="failed", chips=8)
                self.assertEqual({"unrated": 9, "lost": 6, "unknown": 3}, self.sums(fleet, 8))

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

    def test_a_save_of_torchtitan_that_tells_no_step(self):
        steps = [
            event
            for i in range(1, 4)
            for event in ((10 * i, "train_step_start", i, None, {}), (10 * i + 9, "train_step_end", i, 9000, {}))
        ]
        saves = [(20, "checkpoint_save_end", None, 500, {"step_tags": ["checkpoint_save"]})]
        path = self.folder_of(
            {"structured_logs/training.global_rank_0.jsonl": self.titan(sorted(steps + saves, key=lambda e: e[0]))}
        )
        self.sums(path, 1)
        self.assertEqual(1, self.issues(path + "/structured_logs/training.global_rank_0.jsonl")["missing_field"])

    def test_attempts_that_begin_at_once(self):
        """As where a line stands elsewhere. What is held, and idle, comes to the chips of the log all the same."""
        (path,) = glob.glob(FIXTURES + "/structured_logs/*rank_0*")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        for at, to in itertools.product(range(0, len(lines), 3), range(0, len(lines), 9)):
            moved = list(lines)
            moved.insert(to, moved.pop(at))
            path = self.folder_of({"structured_logs/training.global_rank_0.jsonl": "".join(moved)})
            ((sums, ends),) = self.rows(
                "SELECT sum(chip_us), max(end_time) FROM trace_ledger(?) WHERE category <> 'queued'", path
            )
            ((capacity,),) = self.rows(
                "SELECT sum(chips * (min(?, end_time) - start_time)) FROM trace_records(?) WHERE record = 'capacity'",
                ends,
                path,
            )
            self.assertAlmostEqual(capacity, sums / 10**6, places=4, msg=(at, to))

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

    def test_parts_of_a_structured_log_that_overlap(self):
        """What two files of one rank both have counts once, however the log was cut; so does what a file has twice."""
        name = "training.global_rank_0.20260303-100000-ABC0.jsonl"
        with open(os.path.join(FIXTURES, "structured_logs", name), encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        made = lambda *parts: self.folder_of(
            {f"structured_logs/{chr(97 + i)}.jsonl": "".join(part) for i, part in enumerate(parts)}
        )
        whole, third = made(lines), len(lines) // 3
        wanted = self.sums(whole, 1)
        steps = [row[:5] for row in self.steps(whole)]
        for parts in (
            (lines[: 2 * third], lines[third:]),
            (lines[third:], lines[: 2 * third]),
            (lines[: third + 6], lines[third : 2 * third + 6], lines[2 * third :]),
            (lines + lines,),
            (lines[: 2 * third] + lines[third:],),
        ):
            folder = made(*parts)
            self.assertEqual(wanted, self.sums(folder, 1), [len(part) for part in parts])
            self.assertEqual(steps, [row[:5] for row in self.steps(folder)])
            self.assertEqual(
                len(parts) - 1,
                self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'joined_log' AND source LIKE ? || '%'", folder),
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
