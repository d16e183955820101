"""How many chips a log is of, and which, where the scheduler, an option or the log itself tells."""

import contextlib
import json
import os
import re
import unittest

import tfevents
from fleets import ROOT, connect
from job_logs import Logs, SACCT, T, clock, job, maxtext, megatron, torchtitan


class HowManyChips(Logs):
    """A rate of one chip is work of all chips of the job: those that the log tells of, or else those that the scheduler gave."""

    RATE = 125e12  # FLOP/s of one chip, for ten seconds a step

    def log(self, trainer, start, first, last):
        text = (
            {"megatron": megatron, "torchtitan": torchtitan}[trainer](start, first, last)
            if trainer != "maxtext"
            else maxtext(first, last, prefix=lambda seconds: f"I{clock(start + seconds)} ", devices=8)
        )
        silent = [
            line
            for line in text.splitlines()
            if not line.startswith("using world") and "device mesh" not in line and "Num_devices" not in line
        ]
        return (
            "\n".join(silent)
            .replace("| lm loss", "| throughput per GPU (TFLOP/s/GPU): 125.0 | lm loss")
            .replace("tflops: 400.00", "tflops: 125.00")
            + "\n"
        )

    def work(self, path):
        return self.one("SELECT sum(flops) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'", path)

    def test_those_that_the_scheduler_gave(self):
        """Also if an attempt had others than the one before it; a log that is alone counts as one chip."""
        sacct = SACCT + job(5101, 0, 600, "PREEMPTED") + job(5101, 700, 1500, gpus=16)
        for trainer in ("megatron", "torchtitan", "maxtext"):
            with self.subTest(trainer=trainer):
                logs = {
                    "1/slurm-5101.out": self.log(trainer, 30, 1, 40),
                    "2/slurm-5101.out": self.log(trainer, 730, 21, 60),
                }
                path = self.folder_of({"sacct.psv": sacct, **logs})
                self.assertEqual(
                    2,
                    len(
                        self.rows(
                            "SELECT * FROM trace_sources(?) WHERE job = '5101' AND json_extract(inferred, '$.chips') = 'those of its job'",
                            path,
                        )
                    ),
                )
                self.assertAlmostEqual(self.RATE * 10 * (40 * 8 + 40 * 16), self.work(path), delta=self.RATE * 10 * 24)
                self.assertEqual(
                    [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'conflicting_job' AND source = ?", path)
                )
                self.assertAlmostEqual(
                    self.RATE * 10 * 40,
                    self.work(self.folder_of({"slurm-5101.out": logs["1/slurm-5101.out"]})),
                    delta=self.RATE * 10,
                )

    def test_which_chips_they_are(self):
        """Where no source says what is installed: those that the scheduler's option names, or else a log. Programs are rated, capacity is what is held."""
        folder = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": self.log("megatron", 30, 1, 40)}
        )
        for scheduler, trainer, chip, said in (
            ({"chip": "nvidia-h100-sxm"}, {}, "nvidia-h100-sxm", []),
            ({}, {"chip": "NVIDIA H100 80GB HBM3"}, "nvidia-h100-sxm", ["chip_inferred"]),
            ({"chip": "nvidia-a100-40-sxm4"}, {"chip": "nvidia-h100-sxm"}, "nvidia-a100-40-sxm4", ["conflict"]),
            ({"chip": "nvidia-h100-sxm"}, {"chip": "NVIDIA H100 80GB HBM3"}, "nvidia-h100-sxm", []),
            ({}, {}, None, []),
        ):
            path = json.dumps(
                {
                    "sources": [
                        {"path": folder + "/sacct.psv", **scheduler},
                        {"path": folder + "/slurm-5101.out", **trainer},
                    ]
                }
            )
            peak = (
                self.one("SELECT peak_flops FROM mpg_chips WHERE chip = ? AND dtype = 'bf16'", chip) if chip else None
            )
            for sql in ("trace_rollup(?)", "mpg_rollup", "ledger"):
                with self.subTest(chip=chip, sql=sql):
                    if sql == "mpg_rollup":
                        self.db.execute("SELECT mpg_import(?)", (path,)).fetchall()
                    rows = (
                        self.built(path)
                        if sql == "ledger"
                        else self.rows(
                            f"SELECT chip, sum(chip_us) / 1e6, sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 FROM {sql} WHERE category <> 'queued' GROUP BY 1",
                            *([path] if "?" in sql else []),
                        )
                    )
                    self.assertEqual(
                        [(chip, 4800.0, peak and round(self.RATE * 400 * 8 / peak, 3))],
                        [(found, held, ideal and round(ideal, 3)) for found, held, ideal in rows],
                    )
            self.rows("SELECT 1 FROM trace_rollup(?)", path)
            self.assertEqual(
                sorted(said + ["no_capacity"]),
                [kind for kind, in self.rows("SELECT kind FROM mpg_issues WHERE source = ? ORDER BY 1", path)],
            )
            self.assertEqual(
                None if chip else "chip", self.one("SELECT missing FROM trace_sources(?) WHERE format = 'slurm'", path)
            )

    def test_chips_that_others_say_are_installed(self):
        """A log's job holds chips of its own beside them until the log's last clock, which is listed; in the pool that its option names it holds some of them."""
        log = megatron(30, 1, 40)
        others = {
            "capacity.csv": f"pool,chip,chips,start_time,end_time\nh,nvidia-h100-sxm,8,{T},{T + 1000}\n",
            "capacity.jsonl": json.dumps(
                dict(record="capacity", pool="h", chip="nvidia-h100-sxm", chips=8, start_time="2026-11-01T00:00:00Z")
                | dict(end_time="2026-11-01T00:16:40Z")
            )
            + "\n",
        }
        held = "SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE job IS NOT NULL"
        whole = "SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE category <> 'queued'"
        listed = "SELECT count FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)"
        for name, text in others.items():
            folder = self.folder_of({name: text, "train.log": log})
            with self.subTest(name):
                self.assertEqual((3200, 8000 + 3200), (self.one(held, folder), self.one(whole, folder)))
                self.assertEqual([(1,)], self.rows(listed, folder))
            for pool, all_chips, said in (("h", 8000, []), ("other", 8000 + 3200, [(1,)])):
                sources = [{"path": f"{folder}/{name}"}, {"path": folder + "/train.log", "pool": pool}]
                path = json.dumps({"sources": sources})
                with self.subTest(name, pool=pool):
                    self.assertEqual((3200, all_chips), (self.one(held, path), self.one(whole, path)))
                    self.assertEqual(said, self.rows(listed, folder))

    def test_one_chip_by_two_names(self):
        """As torchtitan's log has it and an option of another log."""
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600) + job(5102, 0, 600),
                "slurm-5101.out": self.log("megatron", 30, 1, 40),
                "slurm-5102.out": self.log("torchtitan", 30, 1, 40),
            }
        )
        for chip, wanted in (("nvidia-h100-sxm", "nvidia-h100-sxm"), ("nvidia-a100-40-sxm4", None)):
            path = json.dumps(
                {
                    "sources": [
                        {"path": folder + "/*2.out"},
                        {"path": folder + "/sacct.psv"},
                        {"path": folder + "/*1.out", "chip": chip},
                    ]
                }
            )
            self.assertEqual(
                [(wanted,)], self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path)
            )
            said = self.rows(
                "SELECT count, detail LIKE '%, nvidia-a100-40-sxm4 and nvidia-h100-sxm: give it the option chip%' FROM mpg_issues WHERE kind = 'mixed_pool' AND source = ?",
                path,
            )
            self.assertEqual([] if wanted else [(1, 1)], said)

    def test_an_option_in_any_spelling(self):
        """Of a chip that is two devices for its runtime, a rate of one counts twice, whatever spaces, dashes and letters its name has."""
        nanogpt = "".join(f"iter {step}: loss 4.0, time 1000.00ms, mfu 40.00%\n" for step in range(20))
        logs = [os.path.join(self.folder_of({"nanogpt.log": nanogpt}), "nanogpt.log")]
        for name in ("training/megatron.log", "training/torchtitan.log", "training/maxtext.log", "tfevents"):
            logs.append(os.path.join(ROOT, "fixtures", name))
        for log in logs:
            found = set()
            for chip in ("amd-mi250x", "AMD MI250X", "Amd_Mi250x"):
                source = {"path": log, "chip": chip, "chips": 8, "start": "2026-03-01T00:00:00Z"}
                source |= {"flops": 1e15} if log == logs[0] else {}
                path = os.path.join(self.folder_of({"fleet.json": json.dumps({"sources": [source]})}), "fleet.json")
                ((mfu, rate),) = self.rows("SELECT sum(mfu), sum(tflops_per_chip) FROM trace_training_steps(?)", path)
                self.assertGreater(min(mfu, rate), 0)
                found.add((mfu, rate, self.work(path)))
            self.assertEqual(1, len(found), (log, found))

    def test_the_chip_of_an_option_without_logs(self):
        """It counts for every scheduler, alone and beside records of your own; of several options the greatest, which is listed."""
        for export in (
            "slurm/sacct_jobs.psv",
            "pbs/accounting.log",
            "lsf/lsb.acct",
            "sge/accounting",
            "condor/history.json",
            "flux/jobs.json",
            "slurm/squeue.json",
        ):
            path = json.dumps(
                {"sources": [{"path": os.path.join(ROOT, "fixtures", export), "chip": "nvidia-h100-sxm"}]}
            )
            self.assertEqual(
                [("nvidia-h100-sxm",)],
                self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path),
                export,
            )
        spans = "".join(
            json.dumps(
                {
                    "record": "span",
                    "job": "5101",
                    "kind": "step",
                    "step": i,
                    "start_time": T + 30 + 10 * i,
                    "end_time": T + 40 + 10 * i,
                    "flops": 8 * self.RATE * 10,
                }
            )
            + "\n"
            for i in range(40)
        )
        folder = self.folder_of(
            {"a.psv": SACCT + job(5101, 0, 600), "b.psv": SACCT + job(5102, 0, 600), "own.jsonl": spans}
        )
        sources = [{"path": folder + "/a.psv", "chip": "nvidia-h100-sxm"}, {"path": folder + "/own.jsonl"}]
        peak = self.one("SELECT peak_flops FROM mpg_chips WHERE chip = 'nvidia-h100-sxm' AND dtype = 'bf16'")
        self.assertEqual(
            [("nvidia-h100-sxm", 4800.0, round(self.RATE * 400 * 8 / peak, 3))],
            [(chip, held, round(ideal, 3)) for chip, held, ideal in self.built(json.dumps({"sources": sources}))],
        )
        for other, listed in (({}, []), ({"chip": "nvidia-h100-sxm"}, []), ({"chip": "nvidia-a100-40-sxm4"}, [(1,)])):
            path = json.dumps({"sources": [*sources, {"path": folder + "/b.psv", **other}]})
            self.assertEqual(
                [("nvidia-h100-sxm",)],
                self.rows("SELECT DISTINCT chip FROM trace_rollup(?) WHERE category <> 'queued'", path),
            )
            self.assertEqual(
                listed, self.rows("SELECT count FROM mpg_issues WHERE kind = 'conflict' AND source = ?", path)
            )

    def test_a_later_build_without_the_log(self):
        """It does not take the chip that the log named, nor one that the option named; another option's takes its place."""
        later = self.folder_of({"sacct.psv": SACCT + job(5102, 700, 1200)})
        for option in ({}, {"chip": "nvidia-h100-sxm"}):
            folder = self.folder_of(
                {"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": self.log("torchtitan", 30, 1, 40)}
            )
            first = json.dumps(
                {"sources": [{"path": folder + "/sacct.psv", **option}, {"path": folder + "/slurm-5101.out"}]}
            )
            self.assertEqual([("nvidia-h100-sxm", 8800.0)], [row[:2] for row in self.built(first, later)])
            self.assertEqual(
                [("nvidia-h200-sxm", 8800.0)],
                [
                    row[:2]
                    for row in self.built(
                        first, json.dumps({"sources": [{"path": later + "/sacct.psv", "chip": "nvidia-h200-sxm"}]})
                    )
                ],
            )

    def built(self, *paths):
        with contextlib.closing(connect(os.path.join(self.new_folder(), "fleet.db"))) as db:
            db.isolation_level = None
            for path in [*paths, paths[-1]]:
                db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            return db.execute(
                "SELECT chip, sum(chip_us) / 1e6, sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 FROM ledger WHERE category <> 'queued' GROUP BY 1"
            ).fetchall()

    def test_a_log_alone_lacks_the_option(self):
        """Or event files, whose rate is of one chip too; and the option chip, which Megatron-LM's and MaxText's logs do not tell."""
        events = tfevents.begin(T + 60) + b"".join(
            tfevents.event(T + 60 + 10 * i, i, (5, [(1, tfevents.simple(tag, value))]))
            for i in range(1, 101)
            for tag, value in (("lm loss", 8), ("throughput", 125), ("iteration-time", 10))
        )
        logs = {
            trainer: {"5101.log": self.log(trainer, 60, 1, 100)} for trainer in ("megatron", "torchtitan", "maxtext")
        }
        told = {
            "megatron": "using world size: 8, data-parallel size: 8\n",
            "torchtitan": "",
            "maxtext": "Num_devices: 8, shape (8,)\n",
        }
        for trainer, files in (logs | {"tfevents": {"5101/events.out.tfevents.1.h": events}}).items():
            with self.subTest(trainer=trainer):
                ask = lambda files: (
                    str(self.one("SELECT missing FROM trace_sources(?) WHERE format <> 'slurm'", files)).split(", "),
                    self.work(files) / self.RATE / 1000,
                )
                missing, work = ask(self.folder_of(files))
                self.assertEqual(["chips"] + ["chip"] * (trainer != "torchtitan"), sorted(missing, reverse=True))
                self.assertAlmostEqual(1, work, delta=0.02)
                for gpus in (8, 16):
                    missing, work = ask(self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1200, gpus=gpus), **files}))
                    self.assertNotIn("chips", missing)
                    self.assertAlmostEqual(gpus, work, delta=0.02 * gpus)
                if told.get(trainer):
                    self.assertNotIn("chips", ask(self.folder_of({"5101.log": told[trainer] + files["5101.log"]}))[0])

    def test_a_result_of_mlperf(self):
        """Its system's description is not beside the job's output."""
        record = (
            lambda at, key, **metadata: ":::MLLOG "
            + json.dumps(
                {
                    "namespace": "",
                    "time_ms": 1000 * (T + at),
                    "event_type": "INTERVAL_START",
                    "key": key,
                    "value": None,
                    "metadata": metadata,
                }
            )
            + "\n"
        )
        log = (
            record(10, "init_start")
            + record(100, "run_start")
            + record(110, "block_start", samples_count=0)
            + record(910, "block_stop", samples_count=64)
            + record(1000, "run_stop", status="success")
        )
        ask = lambda files: self.rows(
            "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE category <> 'queued' GROUP BY 1",
            self.folder_of(files),
        )
        self.assertEqual(
            [("startup", 8 * 90), ("unknown", 8 * 310), ("unrated", 8 * 800)],
            ask({"sacct.psv": SACCT + job(200, 0, 1200), "slurm-200.out": log}),
        )
        self.assertEqual([("startup", 90), ("unknown", 100), ("unrated", 800)], ask({"slurm-200.out": log}))
        twice = log + re.sub(r'"time_ms": (\d+)', lambda m: f'"time_ms": {int(m[1]) + 1100_000}', log)
        self.assertEqual(
            [("startup", 8 * 180), ("unknown", 8 * 620), ("unrated", 8 * 1600)],
            ask({"sacct.psv": SACCT + job(200, 0, 2400), "slurm-200.out": twice}),
        )
        self.assertEqual(
            "chips", self.one("SELECT missing FROM trace_sources(?)", self.folder_of({"slurm-200.out": log}))
        )

    def test_those_that_the_log_tells_of(self):
        """Or an option: then it is listed that the two differ."""
        log = self.log("megatron", 30, 1, 40)
        folder = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 600), "slurm-5101.out": log})
        option = json.dumps(
            {"sources": [{"path": folder + "/sacct.psv"}, {"path": folder + "/slurm-5101.out", "chips": 4}]}
        )
        told = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600),
                "slurm-5101.out": "using world size: 4, data-parallel size: 4\n" + log,
            }
        )
        for path in (option, told):
            self.assertAlmostEqual(self.RATE * 10 * 40 * 4, self.work(path))
            self.assertEqual(
                1, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'conflicting_job' AND source = ?", path)
            )
            self.assertEqual(0, self.one("SELECT count(*) FROM trace_sources(?) WHERE inferred LIKE '%chips%'", path))

    def test_those_that_another_log_tells_of(self):
        """Without a scheduler: a tracker and the library's log beside the trainer's own, at the same time and after it."""
        own = maxtext(1, 30, prefix=lambda seconds: f"{clock(seconds)} ", devices=8)

        def tracker(first, last, start):
            lines = (
                {"_step": n, "_timestamp": T + start + 10 * (n - first + 1), "loss": 2} for n in range(first, last + 1)
            )
            return "".join(json.dumps(line) + "\n" for line in lines)

        def library(first, last, start):
            lines = [{"job_name": "run", "job_start_time": T + start}]
            for n in range(first, last + 1):
                lines.append({"job_name": "run", "step_count": n, "step_start_time": T + start + 10 * (n - first)})
            return "".join(json.dumps(line) + "\n" for line in lines)

        for name, log in (("history.jsonl", tracker), ("goodput.jsonl", library)):
            for first, last, start in ((1, 30, 0), (11, 30, 100), (31, 90, 400), (1, 90, 0)):
                with self.subTest(name=name, first=first, last=last):
                    folder = self.folder_of({"run.log": own, name: log(first, last, start)})
                    path = json.dumps({"sources": [{"path": folder, "job": "run"}]})
                    chips = "SELECT DISTINCT chips FROM trace_records(?) WHERE record IN ('capacity', 'jobs', 'allocations')"
                    self.assertEqual([(8,)], self.rows(chips, path))
                    part = "SELECT count(*) FROM trace_rollup(?) WHERE category IN ('partial', 'idle')"
                    self.assertEqual(0, self.one(part, path))
                    said = "SELECT count(*) FROM mpg_issues WHERE detail LIKE '%differ on chips%' AND source = ?"
                    self.assertEqual(0, self.one(said, path))
                    told = "SELECT json_extract(inferred, '$.chips'), instr(coalesce(missing, ''), 'chips') FROM trace_sources(?) WHERE file LIKE ?"
                    self.assertEqual([("those of its job", 0)], self.rows(told, path, "%" + name))

    def test_a_launch_that_came_to_no_step(self):
        """Another one follows it in the log, on more chips or fewer: the steps are of the chips that it tells of."""

        def launch(trainer, chips, start, last):
            if trainer == "megatron":
                text = megatron(start, 1, last, world=chips)
            elif trainer == "maxtext":
                text = maxtext(1, last, prefix=lambda seconds: f"{clock(start + seconds)} ", devices=chips)
            else:
                text = (
                    torchtitan(start, 1, last).replace("[8]", f"[{chips}]").replace("tflops: 400.00", "tflops: 125.00")
                )
            return text.replace("| lm loss", "| throughput per GPU (TFLOP/s/GPU): 125.0 | lm loss")

        for trainer in ("megatron", "torchtitan", "maxtext"):
            for before, chips in ((64, 32), (32, 64)):
                with self.subTest(trainer=trainer, before=before):
                    path = self.file(launch(trainer, before, 30, 0) + launch(trainer, chips, 100, 10), "x.log")
                    self.assertAlmostEqual(self.RATE * 10 * 10 * chips, self.work(path))
                    held = "SELECT max(chips) FROM trace_records(?) WHERE record = 'allocations'"
                    self.assertEqual(chips, self.one(held, path))

    def test_a_load_of_a_launch_that_came_to_no_step(self):
        """The one after it went on from an older checkpoint: the first line, as of every tenth iteration, is of those since."""
        text = megatron(30, 1, 60, saves=(40, 45)) + megatron(700, 46, 45, load=45) + megatron(800, 41, 80, load=40)
        tenth = [line for line in text.splitlines(True) if not re.search(r"iteration +\d*[1-9]/", line)]
        path = self.file("".join(tenth), "x.log")
        steps = "SELECT step, end_time - start_time FROM trace_records(?) WHERE record = 'spans' AND kind = 'step' ORDER BY start_time"
        self.assertEqual((50, 100), self.rows(steps, path)[6])


if __name__ == "__main__":
    unittest.main()
