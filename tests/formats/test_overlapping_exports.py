"""The same run told in two files, which overlap in whole or in part: it counts once where the records prove it, and else a row says so."""

import datetime
import itertools
import json
import os
import re
import unittest

import tfevents
from each_trainer import OfEachTrainer
from fleets import ROOT

ROLLUP = """SELECT category, round(sum(chip_us) / 1e6, 3) FROM trace_rollup(?) WHERE category <> 'queued'
            GROUP BY 1 HAVING sum(chip_us) <> 0 ORDER BY 1"""
T0 = 1772000000


class OverlappingExports(OfEachTrainer):
    RECORDS = ("trainer/wandb-history.jsonl", "goodput/ranker-7.jsonl", "nvrx/ft_launcher.log")

    def sums(self, path):
        return self.rows(ROLLUP, path), self.one("SELECT count(*) FROM trace_records(?) WHERE record = 'jobs'", path)

    def listed(self, folder, kind):
        return self.one("SELECT total(count) FROM mpg_issues WHERE kind = ? AND instr(source, ?)", kind, folder)

    def logs(self):
        yield from super().logs()
        for name in self.RECORDS:
            with open(os.path.join(ROOT, "fixtures", name), encoding="utf-8") as file:
                yield name, file.read().splitlines(True)

    def test_a_log_that_was_copied_while_it_was_written(self):
        """What another log begins with is that log, earlier: beside it, or in another folder. A log without a clock may be another's."""
        for log, lines in self.logs():
            whole, part = "".join(lines), "".join(lines[: 2 * len(lines) // 3])
            wanted = self.sums(self.folder_of({"run.log": whole}))
            for first, second in (("run-monday.log", "run-tuesday.log"), ("b/run.log", "a/run.log")):
                folder = self.folder_of({first: part, second: whole})
                with self.subTest(log=log, second=second):
                    if log == "training/maxtext.log":
                        self.sums(folder)
                        self.assertLess(0, self.listed(folder, "parallel_logs"))
                        self.assertEqual(0, self.listed(folder, "ignored_file"))
                        continue
                    self.assertEqual(wanted, self.sums(folder))
                    self.assertEqual(
                        [(f"the beginning of {folder}/{second}",)],
                        self.rows("SELECT reason FROM trace_sources(?) WHERE format IS NULL", folder),
                    )
                    self.assertEqual(1, self.listed(folder, "ignored_file"))

    def test_logs_that_begin_alike_up_to_their_first_time(self):
        """They are of two jobs, of which one crashed there."""
        with open(os.path.join(ROOT, "fixtures/training/megatron.log"), encoding="utf-8") as file:
            text = file.read()
        head = text[: text.rindex("\n", 0, re.search(r"\d\d:\d\d:\d\d", text).start()) + 1]
        folder = self.folder_of({"a.log": text, "b.log": head + "x" * 80 + "\n", "c.log": head})
        self.sums(folder)
        self.assertEqual(
            [], [row for row in self.rows("SELECT reason FROM trace_sources(?)", folder) if "beginning of" in row[0]]
        )

    def test_logs_that_overlap(self):
        """Each is a job, and a row says that both tell the same steps; the option job, as it advises, makes them one."""
        for log, lines in self.logs():
            if log in ("training/nanogpt.log", "nvrx/ft_launcher.log") + self.RECORDS[:2]:
                continue
            n = len(lines)
            folder = self.folder_of({"a.log": "".join(lines[: 2 * n // 3]), "b.log": "".join(lines[n // 3 :])})
            with self.subTest(log=log):
                self.assertEqual(2, self.sums(folder)[1])
                self.assertLess(0, self.listed(folder, "parallel_logs"))
                other = "".join(lines).replace("2026-03-03", "2026-03-04")  # of another day: no steps are the same
                apart = self.folder_of({"a.log": "".join(lines[: 2 * n // 3]), "b.log": other})
                self.sums(apart)
                if log not in ("training/maxtext.log", "trainer/nemo.log"):  # whose times are not all dates
                    self.assertEqual(0, self.listed(apart, "parallel_logs"))

    # Writers of what trackers export of the steps from `first` to `last`, and whether each record names its run by an id.
    EXPORTS = {
        "wandb.jsonl": lambda steps, loss=5: "".join(
            json.dumps({"_step": i, "_timestamp": T0 + 10 * i + 0.125, "train/loss": loss - i / 16}) + "\n"
            for i in steps
        ),
        "wandb.csv": lambda steps, loss=5: "_step,_timestamp,train/loss\n"
        + "".join(f"{i},{T0 + 10 * i + 0.125},{loss - i / 16}\n" for i in steps),
        "mlflow.json": lambda steps, loss=5: json.dumps(
            {
                "metrics": [
                    {
                        "key": "train_loss",
                        "value": loss - i / 16,
                        "timestamp": 1000 * (T0 + 10 * i),
                        "step": i,
                        "run_id": "0a1b2c3d" * 4,
                    }
                    for i in steps
                ]
            }
        ),
        "mlflow.csv": lambda steps, loss=5: "run_id,key,value,step,timestamp\n"
        + "".join(f"{'0a1b2c3d' * 4},train_loss,{loss - i / 16},{i},{1000 * (T0 + 10 * i)}\n" for i in steps),
        "comet.json": lambda steps, loss=5: json.dumps(
            [
                {
                    "metricName": "loss",
                    "metricValue": str(loss - i / 16),
                    "timestamp": 1000 * (T0 + 10 * i),
                    "step": i,
                    "experimentKey": "0a1b" * 8,
                }
                for i in steps
            ]
        ),
        "board.csv": lambda steps, loss=5: "Wall time,Step,Value\n"
        + "".join(f"{T0 + 10 * i + 0.125},{i},{loss - i / 16}\n" for i in steps),
        "own.csv": lambda steps, loss=5: "step,timestamp,loss\n"
        + "".join(f"{i},{T0 + 10 * i + 0.125},{loss - i / 16}\n" for i in steps),
    }

    def test_exports_of_one_run(self):
        """Of Monday and of Tuesday, or of three days: they are one job, and what two have counts once; so are the pages of a run that an id names."""
        for name, write in self.EXPORTS.items():
            wanted = self.sums(self.folder_of({name: write(range(30))}))
            self.assertEqual(1, wanted[1], name)
            cases = [((0, 20), (10, 30)), ((10, 30), (0, 20)), ((0, 15), (10, 22), (20, 30)), ((10, 15), (0, 30))]
            named = "mlflow" in name or "comet" in name
            for parts in cases + [((0, 20), (20, 30))] * named:
                folder = self.folder_of({f"{i}/{name}": write(range(*part)) for i, part in enumerate(parts)})
                with self.subTest(name=name, parts=parts):
                    self.assertEqual(wanted, self.sums(folder))
                    self.assertEqual(
                        sum(b - a for a, b in parts) - 30,
                        self.listed(folder, "joined_log"),
                        "the records that count once",
                    )
            losses = self.folder_of({f"0/{name}": write(range(30)), f"1/{name}": write(range(30), 7)})
            with self.subTest(name=name, losses="of two runs"):
                self.assertEqual(2, self.sums(losses)[1])

    @staticmethod
    def board(at, tag="train/loss"):
        """An event file that begins a second after T0, and has step i at `at(i)` seconds."""
        return tfevents.begin(T0 + 1) + b"".join(
            tfevents.event(T0 + time, i, (5, [(1, tfevents.simple(tag, 2.5))])) for i, time in at.items()
        )

    def test_two_trackers_of_one_run(self):
        """Programs tell a step one after the other, count from 0 or 1, and write into folders of their own: each counts as a job, which is listed. Where the times of steps differ by more than a second, or a quarter of a step, nothing is said."""
        for (step, late, said), first in itertools.product(
            (
                (10, lambda i: 0.25, 1),
                (10, lambda i: -0.75, 1),
                (10, lambda i: i % 2 / 2, 1),
                (10, lambda i: 3.5, 0),
                (10, lambda i: i * 0.35, 0),
                (1, lambda i: 0.2, 1),
                (1, lambda i: 0.5, 0),
            ),
            (0, 1),
        ):
            steps = range(1, 30)
            rows = [{"_step": i - 1 + first, "_timestamp": T0 + step * i, "train/loss": 2.5} for i in steps]
            folder = self.folder_of(
                {
                    "wandb/w.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
                    "runs/May01_node1/events.out.tfevents.1.h": self.board({i: step * i + late(i) for i in steps}),
                }
            )
            with self.subTest(step=step, late=late(1), first=first):
                self.assertEqual(2, self.sums(folder)[1])
                self.assertEqual(said, self.listed(folder, "parallel_logs") > 0)

    def test_a_tracker_beside_a_log_of_its_job(self):
        """A log that begins before its first step holds the job's chips then, though the tracker alone tells that step, and it tells how the job ended, though of a short run the tracker counts."""
        clock = lambda at: f"{datetime.datetime.fromtimestamp(T0 + at, datetime.timezone.utc):%Y-%m-%d %H:%M:%S},000"
        for n in (7, 40):
            lines = [(1, "Starting job: Llama 3 8B training")]
            lines += [
                (
                    30 + 10 * i,
                    f"step: {i:2}  loss:  2.5000  memory: 10.00GiB(10.00%)  tps: 1,000  tflops: 100.00  mfu: 10.00%",
                )
                for i in range(1, n + 1)
            ]
            lines += [(33 + 10 * n, "Training completed")]
            folder = self.folder_of(
                {
                    "train.log": "".join(f"[rank0]:[titan] {clock(at)} - root - INFO - {text}\n" for at, text in lines),
                    "tb/events.out.tfevents.1.h": self.board(
                        {i: 30 + 10 * i for i in range(1, n + 1)}, "loss_metrics/global_avg_loss"
                    ),
                }
            )
            sources = [{"path": folder + path, "job": "j"} for path in ("/train.log", "/tb/*")]
            with self.subTest(steps=n):
                self.assertEqual(
                    ([("startup", 29), ("unknown", 3), ("unrated", 10 * n)], 1),
                    self.sums(json.dumps({"sources": sources})),
                )

    def test_parts_of_a_goodput_log(self):
        """They are in the order of their times, whatever their names are."""
        with open(os.path.join(ROOT, "fixtures/goodput/ranker-7.jsonl"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        wanted = self.sums(self.folder_of({"log.jsonl": "".join(lines)}))
        for i, j in ((20, 20), (15, 30), (22, 22), (5, 40)):
            folder = self.folder_of({"log.jsonl.1": "".join(lines[:j]), "log.jsonl": "".join(lines[i:])})
            with self.subTest(first=i, last=j):
                self.assertEqual(wanted, self.sums(folder))
                self.assertEqual(j - i, self.listed(folder, "repeated_record"))


if __name__ == "__main__":
    unittest.main()
