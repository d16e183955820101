"""Databases of MLflow and Trackio, and how runs of trackers ended: the mapping sql/formats/trainer.sql, held against sums made by hand."""

import contextlib
import datetime
import json
import os
import sqlite3
import unittest

from trainer_case import T0, TrainerLogs


class Databases(TrainerLogs):
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

    def test_metrics_of_mlflow_s_store_that_are_equal(self):
        """What a file is called says what it holds: two metrics with the same values are no copies of each other; a run that lies there twice is one."""
        values = "".join(f"{(T0 + 10 * i) * 1000} 0.5 {i}\n" for i in range(5))
        run = {f"mlruns/1/a/metrics/{name}": values for name in ("accuracy", "loss", "train/aux")}
        longer = {"mlruns/1/a/metrics/aux": values + f"{(T0 + 50) * 1000} 0.5 5\n"}
        for files in (run, {**run, **longer}):
            folder = self.folder_of(files)
            self.assertEqual([0, 1, 2, 3, 4], [row[1] for row in self.steps(folder)])
        folder = self.folder_of({**run, **{f"old/{name}": text for name, text in run.items()}})
        self.assertEqual([0, 1, 2, 3, 4], [row[1] for row in self.steps(folder)])

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

    def test_metrics_of_mlflow_with_a_data_set(self):
        """MLflow 3 writes its name and digest behind the step."""
        for told in (
            (" corpus 1f9a3b7c",) * 5,
            ("",) * 2 + (" corpus 1f9a3b7c",) * 3,
            (" corpus 1f9a3b7c",) + ("",) * 4,
        ):
            text = "".join(f"{(T0 + 10 * i) * 1000} {i / 4} {i}{behind}\n" for i, behind in enumerate(told))
            folder = self.folder_of({"mlruns/1/a/metrics/loss": text})
            self.assertEqual(list(range(5)), [row[1] for row in self.steps(folder)], told)

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

    def test_dates_of_trackio_without_a_zone(self):
        """Early versions wrote them as the host's clock had them: the option zone says where that was."""
        path = os.path.join(self.new_folder(), "llm.db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(
                "CREATE TABLE metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL); CREATE INDEX idx_metrics_run_step ON metrics(run_name, step)"
            )
            db.executemany(
                "INSERT INTO metrics VALUES (NULL, ?, 'b', ?, '{\"loss\": 2.5}')",
                [(f"2026-07-03T10:00:0{i}.250000", i) for i in range(1, 4)],
            )
            db.commit()
        for zone, shift in (("UTC", 0), ("Europe/Berlin", 7200)):
            self.assertEqual(
                [(i, 1783072800.25 + i - shift) for i in range(1, 4)],
                self.rows("SELECT step, end_time FROM trace_training_steps(?)", self.fleet(path, zone=zone)),
            )

    def test_objects_that_are_no_records(self):
        """A logger's settings before the records, or another program's object among them: counted, wherever it stands."""
        ms = lambda i: (T0 + 10 * i) * 1000
        for name, record in (
            ("w.jsonl", lambda i: {"_step": i, "_timestamp": T0 + 10 * i, "_runtime": 10 * i, "train/loss": 2.5}),
            ("h.jsonl", lambda i: {"step": i, "loss": 2.5, "timestamp": T0 + 10 * i}),
            ("own.jsonl", lambda i: {"iteration": i, "train_loss": 2.5, "ts": T0 + 10 * i}),
            ("m.jsonl", lambda i: {"key": "loss", "value": 2.5, "step": i, "timestamp": ms(i), "run_id": "r"}),
            ("c.jsonl", lambda i: {"metricName": "loss", "metricValue": "2.5", "step": i, "timestamp": ms(i)}),
            (
                "t.jsonl",
                lambda i: {"rank": 0, "log_type_name": "step_end", "step": i, "time_us": ms(i) * 1000, "value": 1},
            ),
        ):
            records = [record(i) for i in range(1, 7)]
            if name == "t.jsonl":
                records = [
                    one | {"log_type_name": kind, "time_us": one["time_us"] - late}
                    for one in records
                    for kind, late in (("step_start", 9000000), ("step_end", 0))
                ]
            whole = self.file("".join(json.dumps(one) + "\n" for one in records), name)
            steps, said = self.steps(whole), self.issues(whole)
            self.assertEqual(6, len(steps), name)
            self.assertNotIn("unused_events", said)
            for at in (0, 3):
                text = [json.dumps(one) for one in records]
                text.insert(at, '{"settings": {"seed": 1}}')
                path = self.file("\n".join(text) + "\n", name)
                self.assertEqual(steps, self.steps(path), (name, at))
                self.assertEqual(said | {"unused_events": 1}, self.issues(path), (name, at))

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

    def test_evaluations_that_say_how_long_they_took(self):
        """Hugging Face's trainer logs eval_runtime when an evaluation is over, to each tracker: it is no part of the step after it."""
        steps, evals, at = [], [], 0
        for step in range(1, 31):
            at += 10
            steps.append((step, at))
            if step % 10 == 0:
                at += 120
                evals.append((step, at))
        milliseconds = lambda at: (T0 + at) * 1000
        for names in (("eval_runtime",), ("eval/a_runtime", "eval/b_runtime")):
            values = [("loss", i, at, 2.5) for i, at in steps] + [
                (name, i, at - 60 * (len(names) - 1 - nth), 120 / len(names))
                for nth, name in enumerate(names)
                for i, at in evals
            ]
            values.sort(key=lambda value: value[2])
            listed = [
                {"key": k, "value": v, "timestamp": milliseconds(at), "step": i, "run_id": "r"}
                for k, i, at, v in values
            ]
            rows = [{"step": i, "timestamp": T0 + at, k: v} for k, i, at, v in values]
            columns = ("step", "timestamp", "loss", *names)
            by_name = {
                name: [{"value": v, "timestamp": milliseconds(at), "step": i} for k, i, at, v in values if k == name]
                for name in ("loss", *names)
            }
            trackio = os.path.join(self.new_folder(), "llm.db")
            with contextlib.closing(sqlite3.connect(trackio)) as db:
                db.executescript(
                    "CREATE TABLE metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL); CREATE INDEX idx_metrics_run_step ON metrics(run_name, step)"
                )
                db.executemany(
                    "INSERT INTO metrics VALUES (NULL, ?, 'b', ?, ?)",
                    [
                        (
                            datetime.datetime.fromtimestamp(T0 + at, datetime.timezone.utc).isoformat(),
                            i,
                            json.dumps({k: v}),
                        )
                        for k, i, at, v in values
                    ],
                )
                db.commit()
            runs = [
                (
                    run * 32,
                    "llm",
                    "RUNNING",
                    late,
                    None,
                    {
                        name: [(i, at + late, v) for k, i, at, v in values if k == name]
                        for name in ("loss", *(names if run == "b" else ()))
                    },
                )
                for run, late in (("a", 5000), ("b", 0))
            ]
            for path in (
                self.file({"metrics": listed}, "mlflow.json"),
                self.file("".join(json.dumps(value) + "\n" for value in listed), "mlflow.jsonl"),
                self.file({"info": {"run_id": "r"}, "metrics": by_name}, "run.json"),
                self.file(
                    "run_id,key,value,step,timestamp\n"
                    + "".join(f"r,{k},{v},{i},{milliseconds(at)}\n" for k, i, at, v in values),
                    "chart.csv",
                ),
                self.file(
                    json.dumps(
                        [
                            {"metricName": k, "metricValue": str(v), "timestamp": milliseconds(at), "step": i}
                            for k, i, at, v in values
                        ]
                    ),
                    "comet.json",
                ),
                self.file("".join(json.dumps(row) + "\n" for row in rows), "history.jsonl"),
                self.file(
                    "".join(json.dumps({"ts": r.pop("timestamp")} | r) + "\n" for r in map(dict, rows)), "own.jsonl"
                ),
                self.file(
                    "".join(
                        ",".join(row) + "\n" for row in [columns, *([str(r.get(c, "")) for c in columns] for r in rows)]
                    ),
                    "wide.csv",
                ),
                self.file(
                    "step,timestamp,metric,value\n" + "".join(f"{i},{T0 + at},{k},{v}\n" for k, i, at, v in values),
                    "long.csv",
                ),
                self.file(
                    {
                        "_step": {str(n): r["step"] for n, r in enumerate(rows)},
                        "_timestamp": {str(n): r["timestamp"] for n, r in enumerate(rows)},
                    }
                    | {c: {str(n): r.get(c) for n, r in enumerate(rows)} for c in columns[2:]},
                    "columns.json",
                ),
                self.folder_of(
                    {
                        f"mlruns/0/r/metrics/{name}": "".join(
                            f"{value['timestamp']} {value['value']} {value['step']}\n" for value in by_name[name]
                        )
                        for name in by_name
                    }
                ),
                trackio,
                self.database(*runs),
            ):
                spans = self.rows(
                    "SELECT job NOT GLOB '*#2', kind, sum(end_time - start_time) FROM trace_records(?) WHERE record = 'spans' AND job NOT GLOB ? GROUP BY 1, 2",
                    path,
                    "*#2",
                )
                sums = self.rows(
                    "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE job NOT GLOB '*#2' AND category <> 'idle' GROUP BY 1",
                    self.fleet(path, outcome="completed"),
                )
                self.assertEqual(
                    [("eval", 360.0), ("unrated", 300.0)], [(c, round(s)) for c, s in sums], (names, path, spans)
                )
                self.assertEqual(
                    {"long_steps": 2} if path.endswith("mlflow.db") else {},
                    {k: n for k, n in self.issues(path).items() if k != "run_anew"},
                    (names, path),
                )


if __name__ == "__main__":
    unittest.main()
