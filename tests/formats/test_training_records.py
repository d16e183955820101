"""Records of steps that say more of themselves: their rank, their epoch, that they are of an evaluation. Each in JSON Lines, a table and a
history of Weights & Biases."""

import datetime
import json
import os
import unittest

from trainer_case import T0, TrainerLogs


class Records(TrainerLogs):
    def files(self, records):
        """records: (step, seconds, other fields)"""
        rows = [{"step": step, "loss": 2.5, "timestamp": T0 + at} | more for step, at, more in records]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        yield self.file(lines, "r.jsonl")
        yield self.file(lines.replace('"step"', '"iteration"').replace('"timestamp"', '"time"'), "s.jsonl")
        yield self.file(lines.replace('"step"', '"_step"').replace('"timestamp"', '"_timestamp"'), "w.jsonl")
        yield self.file(
            "\n".join(",".join(map(str, row)) for row in [rows[0], *(r.values() for r in rows)]) + "\n", "t.csv"
        )

    def check(self, records, wanted, sums, issues):
        for path in self.files(records):
            self.assertEqual(wanted, [row[:4] for row in self.steps(path)], path)
            self.assertEqual(sums, self.sums(self.fleet(path, chips=1), 1), path)
            found = self.rows(
                "SELECT kind, severity, count FROM mpg_issues WHERE source = ? AND kind <> 'unknown_column'", path
            )
            self.assertEqual(issues, sorted(found), path)

    def test_ranks(self):
        """All ranks' records in one file, interleaved or one after the other: those of the lowest count."""
        records = [(i, 10 * i + rank / 8, {"rank": rank}) for i in range(1, 11) for rank in range(4)]
        wanted = [(1, i, 10 * i - 10, 10 * i) for i in range(1, 11)]
        for order in (records, sorted(records, key=lambda record: record[2]["rank"])):
            self.check(order, wanted, {"unknown": 100}, [("parallel_files", "info", 30)])
        # A rank that is the only one, as of an adapter, says nothing.
        self.check([(i, 10 * i, {"rank": 16}) for i in range(1, 11)], wanted, {"unknown": 100}, [])

    def test_an_order_of_their_own(self):
        """The latest first, as a search engine lists them, or some before an earlier one: the figures of records in order, also of a run that went on from an earlier step."""
        whole = [(i, 10 * i, {}) for i in range(1, 21)]
        again = whole + [(i, 300 + 10 * i, {}) for i in range(11, 21)]
        swapped = [*whole[:5], whole[6], whole[5], *whole[7:15], whole[17], *whole[15:17], *whole[18:]]
        for records, others in (
            (whole, ((whole[::-1], None), (swapped, 2))),
            (again, ((again[::-1], None), (again[20:] + again[:20], 1))),
        ):
            of_records = [(self.steps(path), self.sums(self.fleet(path, chips=1), 1)) for path in self.files(records)]
            for other, listed in others:
                for (steps, sums), path in zip(of_records, self.files(other)):
                    self.assertEqual((steps, sums), (self.steps(path), self.sums(self.fleet(path, chips=1), 1)), path)
                    self.assertEqual(listed, self.issues(path).get("line_out_of_order"), (path, other))

    def test_a_clock_of_whole_seconds(self):
        """Five steps a second: those of one time are one span, of as many steps, and of as many FLOPs."""
        fine = [(i, i / 5, {}) for i in range(1, 101)]
        coarse = [(i, i // 5, {}) for i in range(1, 101)]
        options = {"chips": 1, "chip": "nvidia-h100-sxm", "flops": 1e12, "outcome": "completed"}
        ideal = lambda path: self.one(
            "SELECT round(sum(chip_seconds), 3) FROM trace_rollup(?) WHERE category = 'ideal'",
            self.fleet(path, **options),
        )
        for whole, path in zip(self.files(fine), self.files(coarse)):
            self.assertAlmostEqual(ideal(whole), ideal(path), delta=0.002, msg=path)
            self.assertEqual([5] * 19, [row[4] for row in self.steps(path)][1:-1], path)
            self.assertEqual(79, self.issues(path).get("repeated_time"), path)

    def test_many_bare_nans(self):
        """What it takes grows with the records of a run that diverged, and not with their square."""
        if os.environ.get("MPG_SANITIZED"):
            self.skipTest("blocks of a few bytes poll more often than statements step")

        def steps(n):
            records = [(i, i, {"loss": 2.5 if i < n / 2 else float("nan")}) for i in range(n)]
            *_, history, _ = self.files(records)
            asked = []
            self.db.set_progress_handler(lambda: asked.append(1) and 0, 1)
            self.one("SELECT count(*) FROM trace_records(?)", history)
            self.db.set_progress_handler(None, 0)
            return len(asked)

        few, more, many = map(steps, (1000, 2000, 4000))
        self.assertLess(many - more, 2.2 * (more - few))

    def test_a_bare_nan(self):
        """As Python's json writes a loss that diverged: the step was done, also if it is the last, and it is listed."""
        whole = [(i, 10 * i, {}) for i in range(1, 21)]
        again = whole[:15] + [(i, 300 + 10 * i, {}) for i in range(6, 13)]
        for records in (whole, again):
            for diverged in ({1}, {5, 6, 7}, {len(records) - 1}, {3, 15, len(records) - 1}):
                lost = [
                    (step, at, {"loss": float("nan")} if i in diverged else {})
                    for i, (step, at, _) in enumerate(records)
                ]
                for path, other in zip(self.files(records), self.files(lost)):
                    wanted = [row[:4] for row in self.steps(path)]
                    self.assertEqual(wanted, [row[:4] for row in self.steps(other)], (other, diverged))
                    self.assertEqual(len(diverged), self.issues(other).get("skipped_steps"), (other, diverged))

    def test_epochs(self):
        """Steps that are numbered anew in each epoch count on; after a restart they are those that were there."""
        records = [(i, 100 * epoch + 10 * (i + 1), {"epoch": epoch}) for epoch in range(3) for i in range(10)]
        wanted = [(1, i, 10 * i, 10 * i + 10) for i in range(30)]
        self.check(records, wanted, {"unknown": 300}, [("repeated_steps", "info", 2)])
        # Of the second epoch half was done when it failed, 100 s later it begins again.
        again = records[:15] + [(i, 250 + 10 * (i + 1), {"epoch": 1}) for i in range(10)]
        for path in self.files(again):
            self.assertEqual([1] * 15 + [2] * 10, [row[0] for row in self.steps(path)], path)
            self.assertEqual([*range(15), *range(10, 20)], [row[1] for row in self.steps(path)], path)
        # Numbers of the whole run stay, whatever the epoch.
        whole = [(i, 10 * i + 10, {"epoch": i // 10}) for i in range(30)]
        self.check(whole, wanted, {"unknown": 300}, [])
        back = whole[:25] + [(i, 300 + 10 * (i - 18), {"epoch": i // 10}) for i in range(18, 30)]
        for path in self.files(back):
            self.assertEqual([*range(25), *range(18, 30)], [row[1] for row in self.steps(path)], path)

    def test_evaluations(self):
        """A record of an evaluation has a loss, too, and is no step: its time is the next step's."""
        wanted = [(1, i, 10 * i - 10, 10 * i) for i in range(1, 11)]
        for key, train, told in (
            ("type", "train", "val"),
            ("kind", "training", "eval"),
            ("event", "train_step", "eval"),
            ("event_type", "train", "Validation"),
            ("split", "train", "test"),
        ):
            records = [(i, 10 * i, {key: train}) for i in range(1, 11)]
            records[5:5] = [(5, 57, {key: told})]
            records.append((10, 107, {key: told}))
            for path in self.files(records):
                self.assertEqual(wanted, [row[:4] for row in self.steps(path)], (key, path))
                found = self.rows("SELECT count FROM mpg_issues WHERE kind = 'unused_events' AND source = ?", path)
                self.assertEqual([(2,)], found, (key, path))

    def test_files_of_evaluations(self):
        """Named as those of the training beside them, but for one word: no chips are held twice for them. A file of that name by itself is a run."""
        neptune, board = "step,value,timestamp\n", "Wall time,Step,Value\n"
        records = lambda first, every: "".join(
            json.dumps({"step": n, "timestamp": T0 + first + 10 * n, "loss": 5 - n / 16}) + "\n"
            for n in range(every, 11, every)
        )
        rows = lambda head, first, every: head + "".join(
            f"{n},{5 - n / 16},{T0 + first + 10 * n}\n"
            if head == neptune
            else f"{T0 + first + 10 * n},{n},{5 - n / 16}\n"
            for n in range(every, 11, every)
        )
        for training, evaluation, write in (
            ("training.jsonl", "validation.jsonl", records),
            ("train.jsonl", "eval.jsonl", records),
            ("train_loss.csv", "val_loss.csv", lambda *a: rows(neptune, *a)),
            ("loss.csv", "loss_test.csv", lambda *a: rows(neptune, *a)),
            ("run-train-tag-loss.csv", "run-validation-tag-loss.csv", lambda *a: rows(board, *a)),
        ):
            with self.subTest(evaluation=evaluation):
                folder = self.folder_of({training: write(0, 1), evaluation: write(3, 5)})
                self.assertEqual(
                    [(f"{folder}/{training}", 100)],
                    self.rows("SELECT job, round(sum(chip_seconds)) FROM trace_ledger(?) GROUP BY 1", folder),
                )
                self.assertEqual({"unused_events": 2}, self.issues(f"{folder}/{evaluation}"))
                alone = self.folder_of({evaluation: write(3, 1)})
                self.assertEqual([(100,)], self.rows("SELECT round(sum(chip_seconds)) FROM trace_ledger(?)", alone))
        for other in ("latest.jsonl", "developed.jsonl"):  # words within others
            folder = self.folder_of({"train.jsonl": records(0, 1), other: records(3, 1)})
            self.assertEqual(2, self.one("SELECT count(DISTINCT job) FROM trace_ledger(?)", folder))

    def test_values(self):
        """Values of Aim, ClearML, Comet and MLflow: the split, the epoch, and lines in any order."""
        wanted = [(1, i, 10 * i - 10, 10 * i) for i in range(1, 11)]
        both = [
            (i, part, T0 + 10 * i + (3 if part == "val" else 0))
            for i in range(1, 11)
            for part in (["train", "val"] if i % 5 == 0 else ["train"])
        ]
        for head, row in (
            (
                "run.hash,metric.name,metric.context,step,epoch,time,value",
                "h,loss,\"{{'subset': '{1}'}}\",{0},0,{2},2.5",
            ),
            ("metric.name,metric.context,step,time,value", 'loss,"{{""subset"": ""{1}""}}",{0},{2},2.5'),
            ("iter,timestamp,value,metric,variant", "{0},{2},2.5,loss,{1}"),
        ):
            path = self.file("\n".join([head] + [row.format(*told) for told in both]) + "\n", "v.csv")
            self.assertEqual(wanted, [found[:4] for found in self.steps(path)], head)
            self.assertEqual(
                [(2,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'unused_events' AND source = ?", path)
            )
        comet = [
            {
                "metricName": "loss",
                "metricValue": "2.5",
                "timestamp": (T0 + 10 * i) * 1000,
                "step": i % 10,
                "epoch": i // 10,
            }
            for i in range(30)
        ]
        self.assertEqual([*range(30)], [found[1] for found in self.steps(self.file(json.dumps(comet), "c.json"))])
        rows = [f"abc,loss,2.5,{i},{(T0 + 10 * i) * 1000}" for i in range(10, 0, -1)]
        path = self.file("\n".join(["run_id,key,value,step,timestamp", *rows]) + "\n", "m.csv")
        self.assertEqual(wanted, [found[:4] for found in self.steps(path)])

    def test_states_of_each_checkpoint(self):
        """Each has the steps of the run so far: they count once, in the one that has most, and what a run did that went back in its own."""
        state = lambda steps, loss=2.5: json.dumps(
            {"global_step": steps[-1], "log_history": [{"step": i, "loss": loss, "epoch": 0.1} for i in steps]}
        )
        folder = self.folder_of(
            {
                "a/checkpoint-20/trainer_state.json": state([10, 20]),
                "a/checkpoint-40/trainer_state.json": state([10, 20, 30, 40]),
                "a/trainer_state.json": state([10, 20, 30, 40, 50]),
                "b/checkpoint-20/trainer_state.json": state([10, 20], 3.5),
            }
        )
        found = lambda: [
            (job.removeprefix(folder + "/"), *rest)
            for job, *rest in self.rows(
                "SELECT job, group_concat(step), sum(executions) FROM trace_training_steps(?) GROUP BY 1 ORDER BY 1",
                folder,
            )
        ]
        whole = ("a/trainer_state.json", "10,20,30,40,50", 50)
        self.assertEqual([whole, ("b/checkpoint-20/trainer_state.json", "10,20", 20)], found())
        left = "SELECT sum(count) FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)"
        self.assertEqual(6, self.one(left, folder))
        with open(folder + "/a/checkpoint-40/trainer_state.json", "w", encoding="utf-8") as file:
            file.write(state([10, 20, 30, 40]).replace('"step": 40, "loss": 2.5', '"step": 40, "loss": 3.5'))
        self.assertEqual([("a/checkpoint-40/trainer_state.json", "40", 10), whole], found()[:2])

    def test_a_process_that_goes_back(self):
        """W&B's _runtime tells that one process did both: it holds its chips once, from its begin to its end, whatever it repeats."""
        row = (
            lambda step, at: json.dumps(
                {"_step": step, "_timestamp": T0 + at, "_runtime": at, "iteration": step, "lm loss": 1.0}
            )
            + "\n"
        )
        told = [row(i, 30 + 10 * i) for i in range(1, 26)] + [row(i, 240 + 10 * i) for i in range(21, 41)]
        path = self.file("".join(told), "h.jsonl")
        self.assertEqual(
            [(1, 0, 280, "failed"), (2, 280, None, None)],
            self.rows(
                "SELECT attempt, round(start_time - ?2, 3), round(end_time - ?2, 3), outcome FROM trace_records(?1) WHERE record = 'allocations' ORDER BY 1",
                path,
                T0,
            ),
        )
        self.assertEqual({"lost": 50, "startup": 30 + 160, "unrated": 200, "unknown": 200}, self.sums(path, 1))
        self.assertEqual({"repeated_steps": 1}, self.issues(path))

    def test_two_times(self):
        """Of a table's columns of times a clock counts, and not the seconds since the begin."""
        rows = ["step,created_at,time,loss"] + [
            f"{i},{datetime.datetime.fromtimestamp(T0 + 10 * i, datetime.timezone.utc).isoformat()},{10.0 * i},2.5"
            for i in range(1, 11)
        ]
        self.assertEqual(
            [(1, i, 10 * i - 10, 10 * i) for i in range(1, 11)],
            [found[:4] for found in self.steps(self.file("\n".join(rows) + "\n", "t.csv"))],
        )


if __name__ == "__main__":
    unittest.main()
