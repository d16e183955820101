"""What Hugging Face, Weights & Biases, MLflow and other trackers keep of runs: the mapping sql/formats/trainer.sql, held against sums made
by hand."""

import datetime
import json
import os
import unittest
import zoneinfo

import tfevents
from trainer_case import FIXTURES, T0, TrainerLogs


class Trackers(TrainerLogs):
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
            "lm_loss",
            "train/lm_loss",
            "train/CrossEntropyLoss",
            "train/CE loss",
        )
        times = [(i, T0 + 10 * i) for i in range(1, 6)]
        for name, options in [(name, {}) for name in names] + [
            ("grpo/loss", {"tag": "grpo/loss"}),
            ("verlust/größe", {"tag": "verlust/größe"}),  # which json.dumps escapes
            ("grpo/loss", {}),
        ]:
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
            ("lm_loss", "model_tflops_per_gpu", 200.0),
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

    def test_a_history_in_other_units(self):
        """pandas writes a time in milliseconds or finer; numbers may be texts."""
        for factor in (1000, 10**6, 10**9):
            for loss, number in ((2.5, int), ("2.5", str)):
                path = self.file(
                    "".join(
                        json.dumps({"_step": number(i), "_timestamp": (T0 + 10 * i) * factor, "loss": loss}) + "\n"
                        for i in range(1, 6)
                    ),
                    "w.jsonl",
                )
                self.assertEqual(
                    [(1, i, 10 * i - 10, 10 * i, 1, 2.5) for i in range(1, 6)], self.steps(path), (factor, loss)
                )

    def test_numbers_of_steps_that_are_texts(self):
        """A spreadsheet's 1,500 is 1500, 15/100 is 15; what is no number is none, and not the step 0 of a run begun anew."""
        for text, number in (
            ("1,500", 1500),
            ("999,500", 999500),
            ("12/100", 12),
            ("1.2e3", 1200),
            ("40.0", 40),
            ("", None),
            ("nan", None),
            ("7k", None),
        ):
            rows = [(3, 10), (text, 20), ("1,000,000", 30), ("1,000,010", 40)]
            steps = [step for step in (3, number, 10**6, 10**6 + 10) if step is not None]
            for name, form in (
                ("s.csv", lambda step, at: f'"{step}",{T0 + at},2.5\n'),
                ("w.csv", lambda step, at: f'"{step}",{T0 + at},{at},2.5\n'),
                ("s.jsonl", lambda step, at: json.dumps({"step": step, "timestamp": T0 + at, "loss": 2.5}) + "\n"),
                ("w.jsonl", lambda step, at: json.dumps({"_step": step, "_timestamp": T0 + at, "loss": 2.5}) + "\n"),
            ):
                head = {"s.csv": "step,timestamp,loss\n", "w.csv": "_step,_timestamp,_runtime,loss\n"}.get(name, "")
                path = self.file(head + "".join(form(*row) for row in rows), name)
                found = self.rows("SELECT attempt, step FROM trace_training_steps(?)", self.fleet(path))
                self.assertEqual([(1, step) for step in steps], [row for row in found], (name, text))
                self.assertEqual({} if number else {"impossible_time": 1}, self.issues(path), (name, text))

    def test_records_without_the_number_of_the_trainer_s_step(self):
        """One run's records number their steps in one way: those of the fewer are left out, or all count by the tracker's own number."""

        def of(lacking):
            path = self.file(
                "".join(
                    json.dumps(
                        {"_step": i, "_timestamp": T0 + 10 * i, "_runtime": 10 * i, "loss": 2.5}
                        | ({} if i in lacking else {"train/global_step": 100 * i})
                    )
                    + "\n"
                    for i in range(1, 8)
                ),
                "w.jsonl",
            )
            return [row[:4] for row in self.steps(path)], self.issues(path)

        self.assertEqual(([(1, i * 100, 10 * i - 10, 10 * i) for i in range(1, 8)], {}), of(()))
        self.assertEqual(
            (
                [(1, 100, 0, 10), (1, 200, 10, 20), (1, 400, 20, 40), (1, 500, 40, 50), (1, 700, 50, 70)],
                {"missing_field": 2},
            ),
            of((3, 6)),
        )
        self.assertEqual(([(1, i, 10 * i - 10, 10 * i) for i in range(1, 8)], {"missing_field": 4}), of((2, 3, 4, 6)))

    def test_what_comes_after_the_last_loss(self):
        """An evaluation at the end is of the run, and holds its chips; what another process logged of it days later is not."""
        steps = [{"_step": i, "_timestamp": T0 + 10 * i, "_runtime": 10 * i, "train/loss": 2.5} for i in range(1, 11)]
        columns = ("_step", "_timestamp", "_runtime", "train/loss", "eval/loss")
        for more, until in (
            ({}, 100),
            ({"_timestamp": T0 + 1300, "_runtime": 1300}, 1300),
            ({"_timestamp": T0 + 200000, "_runtime": 110}, 100),
            ({"_timestamp": T0 + 1300}, 100),
        ):
            rows = steps + ([{"_step": 11, "eval/loss": 2.0} | more] if more else [])
            for name, text in (
                ("w.jsonl", "".join(json.dumps(row) + "\n" for row in rows)),
                (
                    "w.csv",
                    ",".join(columns)
                    + "\n"
                    + "".join(",".join(str(row.get(name, "")) for name in columns) + "\n" for row in rows),
                ),
            ):
                path = self.file(text, name)
                sums = {"unrated": 100} | ({"unknown": until - 100} if until > 100 else {})
                self.assertEqual(sums, self.sums(self.fleet(path, outcome="completed"), 1), (name, more))

    def test_evaluations_that_say_how_long_they_took(self):
        """Hugging Face's trainer logs eval/runtime when an evaluation is over: it is no part of the step after it, nor a pause in it."""
        for keys, took in ((("eval/runtime",), 120), (("eval/a_runtime", "eval/b_runtime"), 60)):
            rows, at = [], 0
            for step in range(1, 31):
                at += 10
                rows.append(
                    {
                        "_step": len(rows),
                        "train/loss": 2.5,
                        "train/global_step": step,
                        "_timestamp": T0 + at,
                        "_runtime": at,
                    }
                )
                for key in keys if step % 10 == 0 else ():
                    at += took
                    rows.append(
                        {"_step": len(rows), "eval/loss": 2.6, key: took, "_timestamp": T0 + at, "_runtime": at}
                    )
            columns = ("_step", "_timestamp", "_runtime", "train/loss", "train/global_step", "eval/loss", *keys)
            table = [columns, *([str(row.get(name, "")) for name in columns] for row in rows)]
            for name, text in (
                ("w.jsonl", "".join(json.dumps(row) + "\n" for row in rows)),
                ("w.csv", "".join(",".join(line) + "\n" for line in table)),
            ):
                path = self.file(text, name)
                sums = self.sums(self.fleet(path, outcome="completed"), 1)
                self.assertEqual({"unrated": 300, "eval": 360}, sums, (name, keys))
                self.assertEqual({}, self.issues(path), (name, keys))

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

    def test_exports_that_overlap(self):
        """Put into one file, what both have counts once; steps that ran again have other times, and were lost."""
        rows = [(i, T0 + 10.5 * i) for i in range(1, 11)]
        history = lambda rows: "".join(json.dumps({"_step": s, "_timestamp": t, "loss": 2.5}) + "\n" for s, t in rows)
        table = lambda rows: "step,time,loss\n" + "".join(f"{s},{t},2.5\n" for s, t in rows)
        answer = lambda rows: json.dumps(
            {"metrics": [{"key": "loss", "value": 2.5, "timestamp": int(t * 1000), "step": s} for s, t in rows]}
        )
        for name, write in (("h.jsonl", history), ("t.csv", table), ("m.json", answer)):
            for first, second in ((10, 0), (6, 3), (10, 3)):
                path = self.file(write(rows[:first]) + "\n" + write(rows[second:]), name)
                told = self.rows("SELECT attempt, step, seconds FROM trace_training_steps(?)", path)
                self.assertEqual([(1, s, 10.5) for s, _ in rows], told, (name, first, second))
                self.assertEqual({"repeated_record": first - second}, self.issues(path), (name, first, second))
        again = self.file(history(rows[:6]) + history([(s, t + 500) for s, t in rows[3:]]), "h.jsonl")
        self.assertEqual(
            [(1, 6), (2, 7)], self.rows("SELECT attempt, count(*) FROM trace_training_steps(?) GROUP BY 1", again)
        )

    def test_trackers_beside_a_log(self):
        """Of one folder and time, and nothing names a job: each counts as one, which is listed. The same option job makes them one; in another folder the times of steps say so, and of another time nothing is said."""
        wandb = "".join(json.dumps({"_step": i, "_timestamp": T0 + 10 * i, "loss": 2.5}) + "\n" for i in range(1, 8))
        board = lambda late: tfevents.begin(T0 + late) + b"".join(
            tfevents.event(T0 + late + 10 * i, i, (5, [(1, tfevents.simple("train/loss", 2.5))])) for i in range(1, 8)
        )
        log = "using world size: 8\n" + "".join(
            f" [{datetime.datetime.fromtimestamp(T0 + 10 * i, datetime.timezone.utc):%Y-%m-%d %H:%M:%S}] iteration {i:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n"
            for i in range(1, 8)
        )
        for files, said in (
            ({"r/w.jsonl": wandb, "r/events.out.tfevents.1.h": board(0)}, 1),
            ({"r/w.jsonl": wandb, "r/train.log": log}, 1),
            ({"r/w.jsonl": wandb, "s/train.log": log}, 1),
            ({"r/w.jsonl": wandb, "r/events.out.tfevents.1.h": board(7200)}, 0),
        ):
            folder = self.folder_of(files)
            self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
            listed = "SELECT count(*) FROM mpg_issues WHERE kind = 'parallel_logs' AND instr(source, ?)"
            self.assertEqual(said, self.one(listed, folder), files.keys())
        folder = self.folder_of({"r/w.jsonl": wandb, "r/events.out.tfevents.1.h": board(0)})
        self.assertEqual({"unrated": 70}, self.sums(self.fleet(folder, job="j", outcome="completed"), 1))

    def test_a_state_has_no_times(self):
        path = FIXTURES + "/trainer_state.json"
        self.assertEqual(
            [(1, 10, None, None, 10, 2.5), (1, 20, None, None, 10, 2.25), (1, 30, None, None, 10, 2.0)],
            self.steps(path),
        )
        self.assertEqual(3, self.issues(path)["no_times"])
        self.assertEqual([], self.rows("SELECT * FROM trace_rollup(?)", path))

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

    def test_tables_of_steps(self):
        """Tables with a column for the step, the time and the loss under any usual name, with commas or tabs, or with a row a value, and JSON Lines; a table without a clock says what it needs."""
        utc = lambda at, form: datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime(form)
        rows = [(i, T0 + 10 * i, 5 - i / 16) for i in range(1, 6)]
        wanted = [(1, i, 10 * i - 10, 10 * i, 1, 5 - i / 16) for i in range(1, 6)]
        for head, row in (
            ("step,wall_time,loss", lambda s, t, v: f"{s},{t}.0,{v}"),
            ('"Step","Wall time","Loss"', lambda s, t, v: f'"{s}","{t}","{v}"'),
            ("\ufeff,epoch,global_step, time , train/loss,val_loss", lambda s, t, v: f"{s},0,{s}, {t}, {v},"),
            ("iteration,timestamp,train_loss", lambda s, t, v: f"{s},{utc(t, '%Y-%m-%dT%H:%M:%S.000Z')},{v}"),
            ("Iter,Training Loss,DateTime", lambda s, t, v: f"{s},{v},{utc(t, '%Y-%m-%d %H:%M:%S')}"),
            ("epoch,step,train_loss_step,created_at", lambda s, t, v: f"0,{s}.0,{v},{utc(t, '%Y-%m-%d %H:%M:%S.000')}"),
            ("step,loss,timestamp", lambda s, t, v: f"{s},{v},{t * 1000}\n{s},,{t * 1000 + 5}"),
            ("step\twall_time\tlr\tloss", lambda s, t, v: f"{s}\t{t}\t\t{v}"),
            ("step,tag,value,wall_time", lambda s, t, v: f"{s},lr,0.1,{t}\n{s},train/loss,{v},{t}"),
            ("timestamp,step,loss", lambda s, t, v: f"{utc(t, '%Y-%m-%d %H:%M:%S')} UTC,{s},{v}"),  # BigQuery's
            ("run.hash,metric.name,step,time,value", lambda s, t, v: f"a,lr,{s},{t},0.1\na,loss,{s},{t},{v}"),  # Aim's
            (
                "step,val/loss,val/loss_timestamp,train/loss,train/loss_timestamp",
                lambda s, t, v: f"{s},,,{v},{t * 1000}",
            ),
            ("run,tag,step,value,wall_time", lambda s, t, v: f"a,loss,{s},{v},{utc(t, '%Y-%m-%d %H:%M:%S.%f')}+00:00"),
        ):
            for end in ("\n", "\r\n"):
                path = self.file(end.join([head] + [row(*r) for r in rows]).replace("\n", end) + end, "steps.csv")
                self.assertEqual((wanted, {}), (self.steps(path), self.issues(path)), head)
                self.assertEqual("chips, chip", self.one("SELECT missing FROM trace_sources(?)", path), head)
        for row in (
            lambda s, t, v: {"iteration": s, "wall_time": t, "loss": v},
            lambda s, t, v: {
                "@timestamp": utc(t, "%Y-%m-%dT%H:%M:%SZ"),
                "level": "INFO",
                "global_step": str(s),
                "train_loss": str(v),
            },
            lambda s, t, v: {"ts": 1000 * t, "Iter": s, "Loss": v, "val_loss": 9.5},
            lambda s, t, v: {"time": t, "step": s, "eval": {"loss": 9.5}, "metrics": {"lr": 0.1, "loss": v}},
            lambda s, t, v: {
                "type": "metrics",
                "created_at": utc(t, "%Y-%m-%d %H:%M:%S"),
                "data": {"step": s, "train": {"loss": v}},
            },
        ):
            told = "".join(json.dumps(row(*r)) + "\n" for r in rows)
            for text in (told, 'some text\n{"config": {"lr": 1}}\n' + told):
                path = self.file(text, "steps.jsonl")
                self.assertEqual(
                    (wanted, set()), (self.steps(path), set(self.issues(path)) - {"other_lines", "unused_events"}), text
                )
                self.assertEqual("chips, chip", self.one("SELECT missing FROM trace_sources(?)", path), text)
        for told in (
            "split,step,time,loss\n" + "".join(f"train,{s},{t},{v}\nval,{s},{t + 5},9.5\n" for s, t, v in rows),
            "".join(
                json.dumps({"mode": mode, "step": s, "time": t + late, "loss": v}) + "\n"
                for s, t, v in rows
                for mode, late in (("train", 0), ("eval", 5))
            ),
            "".join(
                json.dumps({"split": split, "_step": s, "_timestamp": t + late, "loss": v}) + "\n"
                for s, t, v in rows
                for split, late in (("train", 0), ("Validation", 5))
            ),
        ):
            path = self.file(told, "split")
            self.assertEqual((wanted, {"unused_events": len(rows)}), (self.steps(path), self.issues(path)), told)
        lines = lambda head, row: head + "\n" + "".join(row(*r) + "\n" for r in rows)
        own = self.file(lines("step,time,my_loss", lambda s, t, v: f"{s},{t},{v}"), "own.csv")
        self.assertEqual(wanted, self.steps(self.fleet(own, tag="my_loss")))
        self.assertEqual(([], {"no_steps": 1}), (self.steps(own), self.issues(own)))
        two = self.file(
            lines("run,step,time,loss", lambda s, t, v: f"a,{s},{t},{v}")
            + "".join(f"b,{s},{t + 100},{v}\n" for s, t, v in rows),
            "two.csv",
        )
        self.assertEqual(
            [(5, 50), (5, 50)],
            self.rows("SELECT count(*), sum(seconds) FROM trace_training_steps(?) GROUP BY job", two),
        )
        # Appended by two processes, each of which wrote the header; and from the last row to the first.
        head, values = "step,time,loss\n", lambda n, late: "".join(f"{s},{t + late},{v}\n" for s, t, v in rows[n:])
        again = self.file(head + values(0, 0) + head + values(3, 100), "again.csv")
        self.assertEqual(
            [(1, 5, 50), (2, 2, 20)],
            self.rows("SELECT attempt, count(*), sum(seconds) FROM trace_training_steps(?) GROUP BY 1", again),
        )
        turned = self.file(head + "".join(f"{s},{t},{v}\n" for s, t, v in reversed(rows)), "turned.csv")
        self.assertEqual((wanted, {}), (self.steps(turned), self.issues(turned)))
        # A number as large as a clock beside seconds since the begin of the run.
        since = self.file(lines("step,tokens,time,loss", lambda s, t, v: f"{s},{1000000000 + s},{s}.5,{v}"), "s.csv")
        self.assertEqual(([], {"impossible_time": 5, "no_steps": 1}), (self.steps(since), self.issues(since)))
        for text in (
            lines("step,time,loss", lambda s, t, v: f"{s},{s}.5,{v}"),
            lines("step;wall_time;loss", lambda s, t, v: f"{s};{t};{v}"),
            lines("step,elapsed_s,loss", lambda s, t, v: f"{s},{s}.5,{v}"),
            lines("# run 7\nstep,wall_time,loss", lambda s, t, v: f"{s},{t},{v}"),
            lines("epoch,time,loss", lambda s, t, v: f"{s},{t},{v}"),
        ):
            self.assertEqual(
                "a table of steps that lacks a clock, or has it under another name: name its columns step,",
                self.one("SELECT substr(reason, 1, 89) FROM trace_sources(?)", self.file(text, "t.csv")),
                text,
            )

    def test_dates_without_a_zone(self):
        """The option zone is of dates that name none, in each kind of history; one that names its zone keeps it."""
        local = [(n, f"2026-07-03 10:00:{n:02}.500") for n in range(1, 4)]
        for suffix, early in (("", 7200), ("Z", 0), ("+00:00", 0)):
            rows = [(n, at + suffix) for n, at in local]
            for name, text in (
                ("h.csv", "_step,_timestamp,loss\n" + "".join(f"{n},{at},1.0\n" for n, at in rows)),
                ("h.jsonl", "".join(json.dumps({"_step": n, "_timestamp": at, "loss": 1.0}) + "\n" for n, at in rows)),
                ("c.json", {"_step": [n for n, _ in rows], "_timestamp": [at for _, at in rows], "loss": [1.0] * 3}),
                ("t.jsonl", "".join(json.dumps({"step": n, "timestamp": at, "loss": 1.0}) + "\n" for n, at in rows)),
                ("s.csv", "step,time,loss\n" + "".join(f"{n},{at},1.0\n" for n, at in rows)),
                ("v.csv", "step,value,timestamp\n" + "".join(f"{n},1.0,{at}\n" for n, at in rows)),
            ):
                path = self.file(text, name)
                for zone, shift in ((None, 0), ("Europe/Berlin", early)):
                    options = {"zone": zone} if zone else {}
                    self.assertEqual(
                        [(n, 1783072800.5 + n - shift) for n, _ in rows],
                        self.rows("SELECT step, end_time FROM trace_training_steps(?)", self.fleet(path, **options)),
                        (name, suffix, zone),
                    )

    def test_times_that_are_none(self):
        """A row whose time cannot be read is listed, and not left out in silence; numbers may be texts."""
        rows = [{"_step": n, "_timestamp": str(T0 + 10 * n), "loss": 1.0} for n in range(1, 6)]
        for time in ("soon", "", True, {"a": 1}, None):
            text = "".join(json.dumps(row | ({"_timestamp": time} if row["_step"] == 3 else {})) + "\n" for row in rows)
            path = self.file(text, "h.jsonl")
            expected = {"impossible_time": 1}
            self.assertEqual(([1, 2, 4, 5], expected), ([row[1] for row in self.steps(path)], self.issues(path)), time)
        for time in ("1/5/2026 12:00", "05.01.2026 12:00:00", "01/05/26 12:00"):
            for head in ("_step,_timestamp,loss", "Step,Wall time,Value"):
                text = f"{head}\n" + "".join(f"{n},{time},1.0\n" for n in range(1, 6))
                if head[0] == "S":
                    text = "Wall time,Step,Value\n" + "".join(f"{time},{n},1.0\n" for n in range(1, 6))
                path = self.file(text, "h.csv")
                self.assertEqual([], self.steps(path))
                self.assertEqual(5, self.issues(path).get("unread_time"), (time, head))

    def test_the_hour_that_comes_twice(self):
        """At the end of summer time the second is meant where the rows before are later; an hour later or earlier in the year is none."""
        for first in (1792890000 - 3 * 3600, 1774746000 - 3 * 3600, T0):  # the end of summer time in 2026, its begin
            times = [first + 600 * i for i in range(36)]
            zone = zoneinfo.ZoneInfo("Europe/Berlin")
            local = [f"{datetime.datetime.fromtimestamp(time, zone):%Y-%m-%d %H:%M:%S}" for time in times]
            for text in (
                "_step,_timestamp,train/loss\n" + "".join(f"{i},{time},2.5\n" for i, time in enumerate(local)),
                "step,timestamp,loss\n" + "".join(f"{i},{time},2.5\n" for i, time in enumerate(local)),
                "Wall time,Step,Value\n" + "".join(f"{time},{i},2.5\n" for i, time in enumerate(local)),
                "step,timestamp,loss\n" + "".join(f"{i},{time},2.5\n" for i, time in reversed(list(enumerate(local)))),
            ):
                path = self.file(text, "h.csv")
                fleet = self.fleet(path, zone="Europe/Berlin")
                told = self.rows("SELECT step, end_time FROM trace_training_steps(?, 'Europe/Berlin') ORDER BY 1", path)
                twice = len(local) - len(set(local))
                self.assertEqual(list(enumerate(times))[1:], told[1:], text[:200])
                self.assertEqual(twice or None, self.issues(path).get("repeated_time"))
                self.assertEqual({"unknown": 36 * 600}, self.sums(fleet, 1))

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


if __name__ == "__main__":
    unittest.main()
