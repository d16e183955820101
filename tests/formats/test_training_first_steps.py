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


SINGLE = (lines_of_maxtext, lines_of_megatron, lines_of_torchtitan, lines_of_nanogpt)
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

    def found(self, path):
        return {
            (attempt, category): round(us / 1e6, 3)
            for attempt, category, us in self.rows(
                "SELECT attempt, category, sum(chip_us) FROM trace_ledger(?) WHERE category <> 'queued' GROUP BY 1, 2",
                path,
            )
        }

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
