"""What the first step of a run compiles, and steps that hold a pause: of each trainer's log, held against sums made by hand."""

import datetime
import json

from each_trainer import OfEachTrainer

T0 = datetime.datetime(2026, 1, 5, 9, tzinfo=datetime.timezone.utc)


def lines_of_maxtext(took, each):
    del each
    return "Num_devices: 1\n" + "".join(f"completed step: {i}, seconds: {s:.3f}\n" for i, s in enumerate(took))


def lines_of_megatron(took, each):
    line = " [{:%Y-%m-%d %H:%M:%S}.000000] iteration {:8d}/    9000 | elapsed time per iteration (ms): {:.1f} | lm loss: 1.0E+00 |\n"
    return "using world size: 1, data-parallel size: 1\n" + "".join(
        line.format(T0 + datetime.timedelta(seconds=sum(took[: i + 1])), each * (i + 1), 1000 * s / each)
        for i, s in enumerate(took)
    )


def lines_of_torchtitan(took, each):
    line = "[titan] {:%Y-%m-%d %H:%M:%S},000 - root - INFO - {}\n"
    return (
        line.format(T0, "Starting job: x")
        + line.format(T0, "Building 1-D device mesh with ['dp'], [1]")
        + line.format(T0, "Training starts at step 1.")
        + "".join(
            line.format(
                T0 + datetime.timedelta(seconds=sum(took[: i + 1])),
                f"step: {each * (i + 1):2d}  loss:  8.0  tps: 100  tflops: 10.0",
            )
            for i, s in enumerate(took)
        )
    )


def lines_of_nanogpt(took, each):
    del each
    return "step 0: train loss 10.9, val loss 10.9\n" + "".join(
        f"iter {i}: loss 4.0, time {1000 * s:.2f}ms, mfu 20.00%\n" for i, s in enumerate(took)
    )


def lines_of_nemo(took, each):
    del each
    return (
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/1\n[NeMo I 2026-01-05 09:00:00 nemo_logging:393] Rank 0\n"
        + "".join(
            f"Training epoch 0, iteration {i}/99 | global_step: {i} | reduced_train_loss: 2.9 | train_step_timing in s: {s:.3f} |\n"
            for i, s in enumerate(took)
        )
    )


SINGLE = (lines_of_maxtext, lines_of_megatron, lines_of_torchtitan, lines_of_nanogpt, lines_of_nemo)
SEVERAL = (lines_of_megatron, lines_of_torchtitan)


class FirstSteps(OfEachTrainer):
    def asked(self, text):
        """Seconds of compilation and of steps, and how many steps are listed as long."""
        path = self.file(text)
        found = dict(
            self.rows(
                "SELECT category, round(sum(chip_us) / 1e6, 3) FROM trace_ledger(?) WHERE category <> 'startup' GROUP BY 1",
                '{"sources": [{"path": "%s", "outcome": "completed"}]}' % path,
            )
        )
        compiled = found.pop("compile", 0)
        return (
            compiled,
            round(sum(found.values()), 3),
            self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'long_steps' AND source = ?", path),
        )

    def test_a_pause(self):
        """It makes the first step compile no less, and is listed: a step of ten minutes among those of 2 s."""
        for write in SINGLE:
            for took, wanted in (
                ([30] + [2] * 19, (28, 2 * 20, 0)),
                ([30] + [2] * 9 + [600] + [2] * 9, (28, 2 * 19 + 600, 1)),
                ([30] + [2] * 9 + [600] * 3 + [2] * 9, (28, 2 * 19 + 1800, 3)),
                ([2] * 9 + [600] + [2] * 9, (0, 2 * 18 + 600, 1)),
            ):
                with self.subTest(log=write.__name__, took=took):
                    self.assertEqual(wanted, self.asked(write(took, 1)))

    def test_a_pause_in_a_goodput_log(self):
        """Its steps last until the next. One that an entry explains is no pause, and makes the others no longer either."""
        for pause, saved, wanted in ((0, False, 0), (600, False, 1), (600, True, 0)):
            at, rows = 1772532000.0, [{"job_start_time": 1772532000.0}]
            for step in range(20):
                rows.append({"step_count": step, "step_start_time": at})
                if step == 10 and saved:
                    rows.append({"data_loading_start_time": at + 1})
                    rows.append({"data_loading_end_time": at + 1 + pause})
                at += 30 if step == 0 else 2 + pause if step == 10 else 2
            rows.append({"job_end_time": at})
            path = self.file("".join(json.dumps({"job_name": "a"} | row) + "\n" for row in rows))
            found = {key[1]: seconds for key, seconds in self.found(path).items()}
            self.assertEqual(28, found["compile"], (pause, saved))
            self.assertEqual(
                wanted, self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'long_steps' AND source = ?", path)
            )

    def test_a_line_of_several_steps(self):
        """The first line has the compilation too: 110 s of ten steps, where ten take 10 s."""
        for write in SEVERAL:
            with self.subTest(log=write.__name__):
                self.assertEqual((100, 60, 0), self.asked(write([110] + [10] * 5, 10)))
                self.assertEqual((100, 690, 1), self.asked(write([110] + [10] * 5 + [600] + [10] * 3, 10)))

    def deepspeed(self, at, text):
        return f"[{T0 + datetime.timedelta(seconds=at):%Y-%m-%d %H:%M:%S},000] [INFO] {text}\n"

    def steps_of_deepspeed(self, first, each, *numbers):
        return "".join(
            self.deepspeed(
                first + each * i, f"[timer.py:1:stop] epoch=0/micro_step=1/global_step={n}, RunningAvgSamplesPerSec=1.0"
            )
            for i, n in enumerate(numbers)
        )

    def save_of_deepspeed(self, at, took, number):
        text = f"[x.py:1:f] [Torch] Checkpoint global_step{number} is "
        return self.deepspeed(at, text + "about to be saved!") + self.deepspeed(at + took, text + "ready now!")

    def load_of_deepspeed(self, at, took, number):
        where = f"checkpoint from c/global_step{number}/mp_rank_00_model_states.pt."
        return self.deepspeed(at, "[x.py:1:load] [Torch] Loading " + where) + self.deepspeed(
            at + took, "[x.py:1:load] [Torch] Loaded " + where
        )

    def found(self, path):
        return {
            (attempt, category): round(us / 1e6, 3)
            for attempt, category, us in self.rows(
                "SELECT attempt, category, sum(chip_us) FROM trace_ledger(?) WHERE category <> 'queued' GROUP BY 1, 2",
                path,
            )
        }

    def test_a_save_between_lines(self):
        """Two steps a second: the first line's ten take 20 s, however long the saves between others took."""
        for save in (0, 8, 300):
            path = self.file(
                self.deepspeed(0, "[launch.py:1:main] dist_world_size=2")
                + self.steps_of_deepspeed(50, 20, 10, 20, 30)
                + self.save_of_deepspeed(90, save, 30)
                + self.steps_of_deepspeed(110 + save, 20, 40, 50)
                + self.deepspeed(130 + save, "[launch.py:1:main] Process 1 exits successfully.")
            )
            wanted = {(1, "startup"): 2 * 30, (1, "unrated"): 2 * 100}
            self.assertEqual(wanted | ({(1, "checkpoint"): 2 * save} if save else {}), self.found(path))
            self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'long_steps' AND source = ?", path))

    def test_an_evaluation_between_records(self):
        """The same of a tracker, which tells how long it took: 4 s in the time of a step of 14."""
        rows = [{"_step": i, "_timestamp": 1e9 + 10 * i + (4 if i > 5 else 0), "train/loss": 1.0} for i in range(1, 11)]
        rows.insert(5, {"_step": 5, "_timestamp": 1e9 + 54, "eval/runtime": 4.0})
        path = self.file("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(
            [(10,)], self.rows("SELECT round(seconds, 3) FROM trace_training_steps(?) WHERE step = 1", path)
        )

    def test_a_restore_before_a_slow_job_s_first_step(self):
        """A first step does not begin before the restore, though steps of the job take longer: it would count as lost."""
        path = self.file(
            self.deepspeed(0, "[launch.py:1:main] dist_world_size=1")
            + self.steps_of_deepspeed(100, 100, 1, 2)
            + self.save_of_deepspeed(200, 10, 2)
            + self.deepspeed(1000, "[launch.py:1:main] dist_world_size=1")
            + self.load_of_deepspeed(1050, 10, 2)
            + self.steps_of_deepspeed(1140, 100, 3, 4)
            + self.deepspeed(1240, "[launch.py:1:main] Process 1 exits successfully.")
        )
        self.assertEqual(
            {(1, "unrated"): 200, (1, "checkpoint"): 10, (2, "startup"): 50, (2, "restore"): 10, (2, "unrated"): 180},
            self.found(path),
        )

    def test_a_restore_between_lines(self):
        """A line every ten steps of 2 s, and a restore of step 25: the next line, of step 30, stands for five."""
        path = self.file(
            self.deepspeed(0, "[launch.py:1:main] dist_world_size=1")
            + self.steps_of_deepspeed(50, 20, 10, 20)
            + self.save_of_deepspeed(80, 5, 25)
            + self.steps_of_deepspeed(95, 20, 30, 40)
            + self.deepspeed(200, "[launch.py:1:main] dist_world_size=1")
            + self.load_of_deepspeed(210, 5, 25)
            + self.steps_of_deepspeed(230, 20, 30, 40, 50)
            + self.deepspeed(270, "[launch.py:1:main] Process 1 exits successfully.")
        )
        found = self.found(path)
        self.assertEqual((15, 50), (found[2, "startup"], found[2, "unrated"]))
        self.assertEqual(
            [(5, 10)],
            self.rows("SELECT executions, seconds FROM trace_training_steps(?) WHERE attempt = 2 AND step = 30", path),
        )

    def test_restarts_on_other_chips(self):
        """Each attempt has the chips that it says, and steps as long as its own: 8 of 2 s, then 4 of 4 s."""
        path = self.file(
            self.deepspeed(0, "[launch.py:1:main] dist_world_size=8")
            + self.steps_of_deepspeed(50, 20, 10, 20, 30)
            + self.save_of_deepspeed(90, 8, 30)
            + self.deepspeed(160, "[launch.py:1:main] dist_world_size=4")
            + self.load_of_deepspeed(170, 5, 30)
            + self.steps_of_deepspeed(230, 40, 40, 50)
            + self.deepspeed(270, "[launch.py:1:main] Process 1 exits successfully.")
        )
        self.assertEqual(
            {
                (1, "startup"): 8 * 30,
                (1, "unrated"): 8 * 60,
                (1, "checkpoint"): 8 * 8,
                (2, "startup"): 4 * 25,
                (2, "restore"): 4 * 5,
                (2, "unrated"): 4 * 80,
            },
            self.found(path),
        )
        runs = [
            lines_of_nemo([30] + [each] * 9, 1).replace("MEMBER: 1/1", f"MEMBER: 1/{chips}")
            for each, chips in ((2, 16), (4, 8))
        ]
        path = self.file(runs[0] + runs[1].replace(" 09:00:00", " 09:10:00"))
        self.assertEqual(
            {(1, "compile"): 16 * 28, (1, "lost"): 16 * 20, (2, "compile"): 8 * 26, (2, "unknown"): 8 * 40},
            self.found(path),
        )

    def test_structured_logs(self):
        """Of torchtitan: a first step of 60 s with 10 s of waiting for input, others of 4 s with 1 s of it and a save of 20 s."""
        at, out = 1772532000, []

        def record(name, step, value=None):
            out.append({"rank": 0, "source": "training", "time_us": round(at * 1e6), "log_type_name": name})
            out[-1].update(({"step": step} if step else {}) | ({"value": 1000.0 * value} if value else {}))

        for step in range(1, 11):
            record("step_start", step)
            wait, work, save = (10, 50, 0) if step == 1 else (1, 3, 20 if step == 5 else 0)
            at += wait
            record("fetch_batch_end", step, wait)
            at += work
            if save:
                at += save
                record("checkpoint_save_end", step, save)
            record("step_end", step, wait + work + save)
        path = self.file("".join(json.dumps(row) + "\n" for row in out), "training.global_rank_0.jsonl")
        self.assertEqual(
            {
                (1, "input"): 10 + 9,
                (1, "compile"): 47,
                (1, "checkpoint"): 20,
                (1, "unrated"): 5 * 3,
                (1, "pending"): 5 * 3,
            },
            self.found(path),
        )

    def test_a_save_that_ends_with_its_step(self):
        """It lies in that step and not in the next, whatever the sums of decimal seconds come to: it makes the mean of the others shorter."""
        for nth in range(40):
            at, took = (
                1_772_532_000_951 + 7 * nth,
                [30_787 + nth] + [2_101 + nth] * 4 + [2_601 + nth] + [2_101 + nth] * 4,
            )
            lines = [
                "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/1",
                f"[NeMo I 2026-03-03 10:00:05 nemo_logging:393] Global Checkpoint Load : Rank : 0 : Start time : {(at - 948) / 1000:.3f}s : Time spent in load_checkpoint: 0.948s",
            ]
            for i, ms in enumerate(took):
                at += ms
                lines.append(
                    f"Training epoch 0, iteration {i}/99 | global_step: {i} | reduced_train_loss: 2.9 | train_step_timing in s: {ms / 1000:.3f} |"
                )
                if i == 5:
                    lines.append(
                        f"[NeMo I 2026-03-03 10:01:05 nemo_logging:393] Global Checkpoint Save : Rank: 0 : Iteration: 5 : Start time: {(at - 500) / 1000:.3f}s : Save duration: 0.500s"
                    )
            with self.subTest(nth=nth):
                self.assertEqual(28.686, self.asked("".join(line + "\n" for line in lines))[0])

    def test_every_tenth_step(self):
        """A line of MaxText is of one step: that nine of ten have none is listed, though all lines are as far apart."""
        for every, listed in ((1, 0), (10, 9)):
            path = self.file("".join(f"completed step: {every * i}, seconds: 2.0\n" for i in range(10)))
            self.one("SELECT count(*) FROM trace_ledger(?)", path)
            self.assertEqual(
                listed,
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'missing_steps' AND source = ?", path),
            )

    def test_a_run_of_one_line(self):
        for write in SINGLE:
            with self.subTest(log=write.__name__):
                self.assertEqual(0, self.asked(write([30], 1))[0])
