"""One log in several files: parts that were rotated away, and a log that goes on in another file."""

import datetime
import gzip
import json
import os
import tempfile
import unittest

from each_trainer import OfEachTrainer
from training import FIXTURES, Case


class SeveralFiles(Case):
    """Runs of one job in a file each: without a clock they follow one another as those of one file do."""

    MAXTEXT = (
        "Num_devices: 4\nConfig param steps: 6\ncompleted step: 0, seconds: 10.0\ncompleted step: 1, seconds: 2.0\nSaved a checkpoint at step 1\ncompleted step: 2, seconds: 2.5\n",
        "Num_devices: 4\ncompleted step: 2, seconds: 9.0\ncompleted step: 3, seconds: 2.0\nCompleted eval step: 0, seconds: 1.0\ncompleted step: 4, seconds: 2.0\n",
        "Num_devices: 4\ncompleted step: 2, seconds: 8.0\n",
    )
    MEGATRON = tuple(
        "using world size: 4\n"
        + "".join(
            f" iteration {i:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
            for i in steps
        )
        for steps in ((10, 20), (20, 30), (20, 30))
    )
    NANOGPT = tuple(
        "".join(
            f"step:{i}/100 train_loss:3.0 train_time:{(i - first + 1) * 500}ms step_avg:500.0ms\n"
            for i in range(first, last)
        )
        for first, last in ((1, 9), (5, 8), (3, 6))
    )

    def relations(self):
        return [
            self.rows(sql)
            for sql in (
                "SELECT attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY 1",
                "SELECT chips, start_time, end_time FROM capacity ORDER BY 2",
                "SELECT attempt, kind, start_time, end_time, step FROM spans ORDER BY 1, 3, 2",
                "SELECT attempt, step, durable_time FROM commits ORDER BY 1, 3",
            )
        ]

    def test_as_in_one_file(self):
        for name, logs in (("maxtext", self.MAXTEXT), ("megatron", self.MEGATRON), ("nanogpt", self.NANOGPT)):
            for given in ({}, {"start": 1.7e9}, {"start": "2026-03-01 08:00:00"}):
                with self.subTest(name=name, given=given):
                    self.map(name, self.file("".join(logs)), job="run", chips=4, outcome="failed", **given)
                    wanted = self.relations()
                    allocations = wanted[0]
                    self.assertEqual(len(allocations), 3)
                    self.assertTrue(all(a[3] == b[2] for a, b in zip(allocations, allocations[1:])), allocations)
                    self.map(
                        name,
                        self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}),
                        job="run",
                        chips=4,
                        outcome="failed",
                        **given,
                    )
                    self.assertEqual(self.relations(), wanted)

    def test_a_file_with_a_date_has_its_own(self):
        logs = (self.NANOGPT[0], "Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[1], self.NANOGPT[2])
        self.map(
            "nanogpt", self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}), job="run", outcome="failed"
        )
        at = 1772442000.0
        self.assertEqual(
            self.rows("SELECT start_time, end_time FROM allocations ORDER BY attempt"),
            [(0, 4), (4, 5.5), (at, at + 1.5)],
        )

    def test_clocks_say_the_order(self):
        """Names do so only where there is no clock: 'slurm-1000.out' sorts before 'slurm-999.out'."""
        first = "2026-03-02 09:00:00"
        at = lambda s: (datetime.datetime.fromisoformat(first) + datetime.timedelta(seconds=s)).isoformat(" ")
        megatron = " [{}] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            torchtitan = file.read().splitlines(keepends=True)
        restart = next(i for i, line in enumerate(torchtitan) if "10:05:00" in line)
        for name, logs in (
            (
                "maxtext",
                [
                    "".join(f"{at(s + step)} completed step: {step}, seconds: 1.0\n" for step in range(4))
                    for s in (0, 60)
                ],
            ),
            ("megatron", ["".join(megatron.format(at(s + step), step) for step in (10, 20, 30)) for s in (0, 60)]),
            (
                "nanogpt",
                ["Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[0], "Mon Mar  2 10:00:00 2026\n" + self.NANOGPT[1]],
            ),
            ("torchtitan", ["".join(torchtitan[:restart]), "".join(torchtitan[restart:])]),
        ):
            with self.subTest(name=name):
                self.map(name, self.folder_of(dict(zip(("1.log", "2.log"), logs))), job="run", chips=8)
                wanted = self.relations()
                self.assertEqual(
                    ["failed"],
                    [outcome for _, _, _, end, outcome in wanted[0] if end is not None and outcome != "completed"],
                )
                self.map(name, self.folder_of(dict(zip(("slurm-999.out", "slurm-1000.out"), logs))), job="run", chips=8)
                self.assertEqual(wanted, self.relations())

    def test_runs_of_several_sizes(self):
        """A restart on other chips: what the smaller run did was done by a whole gang."""
        first = "".join(f"2026-03-02 09:00:{s:02d} completed step: {s}, seconds: 1.0\n" for s in range(1, 11))
        then = "".join(f"2026-03-02 09:01:{s:02d} completed step: {s + 10}, seconds: 1.0\n" for s in range(1, 11))
        for devices in ((4, 8), (8, 4)):
            logs = {f"{i}.log": f"Num_devices: {n}\n" + log for i, (n, log) in enumerate(zip(devices, (first, then)))}
            self.map("maxtext", self.folder_of(logs), job="run", outcome="completed")
            self.assertEqual(
                {key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12}
            )
            self.map("maxtext", self.file("".join(logs.values())), job="run", outcome="completed")
            self.assertEqual(
                {key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12}
            )

    def test_restarts_on_other_chips_in_one_file(self):
        """Each run says anew how many it has; one that does not has as many as the file tells of."""
        step = " iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        card = "|   {}  NVIDIA H100 80GB HBM3          On  |   00000000:26:00.0 Off |                    0 |\n"
        titan = "[rank0]:[titan] 2026-03-03 10:00:{:02d},000 - root - INFO - {}\n"
        for name, first, then, last in (
            (
                "megatron",
                "using world size: 4\n" + step.format(1),
                "using world size: 8\n" + step.format(2),
                step.format(1),
            ),
            (
                "nanogpt",
                card.format(0) + card.format(3) + "step:1/9 train_loss:3.0 train_time:500ms\n",
                card.format(7) + "step:2/9 train_loss:3.0 train_time:1000ms\n",
                "step:1/9 train_loss:3.0 train_time:500ms\n",
            ),
            (
                "torchtitan",
                titan.format(0, "Building 1-D device mesh with ['dp'], [4]") + titan.format(1, "step:  1  loss: 1.0  "),
                titan.format(2, "Building 2-D device mesh with ['dp', 'tp'], [4, 2]")
                + titan.format(3, "step:  2  loss: 1.0  "),
                titan.format(4, "step:  1  loss: 1.0  "),
            ),
        ):
            with self.subTest(name=name):
                self.map(name, self.file(first + then + last))
                self.assertEqual(
                    self.rows("SELECT attempt, chips FROM allocations ORDER BY attempt"), [(1, 4), (2, 8), (3, 8)]
                )


class Rotated(OfEachTrainer):
    """A log that was cut into parts: logrotate, the kubelet, Docker and Python's handlers leave them, and the newest has the log's name."""

    NAMES = (
        ("{}.2", "{}.1", "{}"),
        ("{}.2.gz", "{}.1.gz", "{}"),
        ("{}-20261031.gz", "{}-20261101", "{}"),
        ("{}.2026-10-31_23-00", "{}.2026-11-01_00-00", "{}"),
        ("{}.20261031-235959", "{}.20261101-120000.gz", "{}"),
        ("train.2.log", "train.1.log", "train.log"),
        ("train-2026-10-31T12-00-00.000.log", "train-2026-11-01T12-00-00.000.log", "train.log"),
        ("slurm-4711-20261031.out", "slurm-4711-20261101.out", "slurm-4711.out"),
        ("run_7.2026-10-31_23-00.log", "run_7.2026-11-01_00-00.log", "run_7.log"),
    )

    def cut(self, lines, names, ends):
        """A folder of the lines cut where `ends` says, and the path of the newest part."""
        folder, start = self.enterContext(tempfile.TemporaryDirectory()), 0
        for name, end in zip(names, [*ends, len(lines)]):
            with (gzip.open if name.endswith(".gz") else open)(
                os.path.join(folder, name), "wt", encoding="utf-8"
            ) as file:
                file.write("".join(lines[start:end]))
            start = end
        return folder, os.path.join(folder, names[-1])

    def test_parts_are_one_log(self):
        """Wherever it was cut, however its parts are called: the figures are those of the whole, and a row says that it was cut."""
        for log, lines in self.logs():
            wanted = self.sums(self.file("".join(lines)))
            begins = next(i for i, line in enumerate(lines) if "step" in line or "iteration" in line)
            for i in range(1, len(lines) - begins - 2, 1 if os.environ.get("MPG_FULL") else 3):
                names = [name.format("0.log") for name in self.NAMES[i % len(self.NAMES)]]
                with self.subTest(log=log, cut=i, names=names):
                    folder, newest = self.cut(lines, names, (begins + i, (begins + i + len(lines)) // 2))
                    self.assertEqual(wanted, self.sums(folder))
                    self.assertEqual(
                        [("info", 3)],
                        self.rows(
                            "SELECT severity, count FROM mpg_issues WHERE kind = 'rotated_log' AND source = ?", newest
                        ),
                    )
                    self.assertEqual(
                        [(2,)],
                        self.rows(
                            "SELECT count(*) FROM trace_sources(?) WHERE json_extract(inferred, '$.log') = ?",
                            folder,
                            "a part of " + newest,
                        ),
                    )

    def test_begins_where_its_first_part_does(self):
        """A log whose steps have no clock begins at the first line that has one, of the oldest part: trace_sources says so."""
        with open(os.path.join(FIXTURES, "maxtext.log"), encoding="utf-8") as file:
            lines = ["2026-03-01 08:00:00,000 - INFO - a launcher\n", *file]
        for cut in (2, 15):
            folder, newest = self.cut(
                [*lines[:cut], "2026-03-05 09:00:00,000 - INFO - of another day\n", *lines[cut:]],
                ("a.log.1", "a.log"),
                (cut,),
            )
            self.assertEqual(
                1772352000.0, self.one("SELECT min(start_time) FROM trace_ledger(?) WHERE job = ?", folder, newest)
            )
            self.assertEqual(
                2,
                self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_lines' AND instr(source, ?)", folder),
            )
            self.assertEqual(
                "the first line that has a clock",
                self.one(
                    "SELECT json_extract(inferred, '$.start') FROM trace_sources(?) WHERE file = ?", folder, newest
                ),
            )

    def test_the_name_stays(self):
        """The next part changes the name of no job, for mpg_build would have two: it is that of the log itself, or of the first of files that all have a date."""
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        for names, named in (
            (("a.log.1", "a.log"), 1),
            (("a.log.2", "a.log.1", "a.log"), 2),
            (("a-20261101.log", "a-20261102.log"), 0),
            (("a-20261101.log", "a-20261102.log", "a-20261103.log"), 0),
        ):
            folder, _ = self.cut(lines, names, (6, 9)[: len(names) - 1])
            self.assertEqual(
                [(os.path.join(folder, names[named]),)],
                self.rows("SELECT DISTINCT job FROM trace_ledger(?) WHERE job IS NOT NULL", folder),
            )

    def test_the_job_is_named_in_the_first(self):
        """What only the head of a log says, its job and its chips, holds for the parts that follow, beside a scheduler too; a part may hold no step."""
        job = "JobIDRaw|JobID|JobName|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES|NodeList\n127|127|x|gpu|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:59:00|2026-03-02T09:10:00|660|gres/gpu=8|n1\n"
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = ["SLURM_JOB_ID=127\n", *file.read().splitlines(True)]
        wanted = self.sums(self.folder_of({"run.log": "".join(lines), "sacct.psv": job}))
        for cut in (1, 4, 9):
            folder, newest = self.cut(lines, ("run.log.1", "run.log"), (cut,))
            with open(os.path.join(folder, "sacct.psv"), "w", encoding="utf-8") as file:
                file.write(job)
            self.assertEqual(wanted, self.sums(folder), cut)
            self.assertEqual(
                [("127", "by a part of the same log")],
                self.rows(
                    "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE file = ?", folder, newest
                ),
            )

    def test_parts_without_a_step(self):
        """A part may hold an evaluation or a save alone, be like one of another log, and lack the clock of the first: it is one all the same."""
        sacct = "JobIDRaw|JobID|JobName|State|Submit|Start|End|AllocTRES|NodeList\n" + "".join(
            f"{job}|{job}|x|{state}|{start}|{start}|{end}|gres/gpu=8|n1\n"
            for job in (127, 128)
            for state, start, end in (
                ("NODE_FAIL", "2026-03-02T08:00:00", "2026-03-02T08:10:00"),
                ("COMPLETED", "2026-03-03T08:00:00", "2026-03-03T09:00:00"),
            )
        )
        step = "step:{}/9 train_loss:3.0 train_time:{}ms step_avg:500.00ms\n"
        nanogpt = ["Tue Mar  3 08:10:00 2026\n", "|   7  NVIDIA H100 80GB HBM3  On |\n"]
        nanogpt += [step.format(n, 60000 * n) for n in range(1, 9)] + ["saving checkpoint to out\n"]
        maxtext = ["Num_devices: 8, shape (8,)\n"] + [
            f"2026-03-03T08:{10 + n}:00Z completed step: {n}, seconds: 60.000, TFLOP/s/device: 1.000\n"
            for n in range(9)
        ]
        maxtext.append("2026-03-03T08:20:00Z Completed eval step: 0, seconds: 60.000\n")
        for lines in (nanogpt, maxtext):
            logs = {"127/run.log": lines, "128/run.log": [line.replace("08:1", "08:3") for line in lines]}
            whole = self.folder_of({"sacct.psv": sacct, **{name: "".join(log) for name, log in logs.items()}})
            for cut in (2, 5, len(lines) - 1):
                files = {name + ".1": "".join(log[:cut]) for name, log in logs.items()}
                files.update({name: "".join(log[cut:]) for name, log in logs.items()})
                with self.subTest(log=lines[0], cut=cut):
                    self.assertEqual(
                        *(self.sums(folder) for folder in (whole, self.folder_of({"sacct.psv": sacct, **files})))
                    )

    def test_launched_in_the_part_above(self):
        """A restart from the first step whose launch is the end of one part: the next one begins with a step, as no log of its own does."""
        line = lambda minute, text: f"[rank0]:[titan] 2026-03-03 10:{minute:02}:00,000 - root - INFO - {text}\n"
        lines = []
        for since in (0, 20):
            lines += [
                line(since, "Building 1-D device mesh with ['dp_shard'], [4]"),
                line(since, "Training starts at step 1."),
            ]
            lines += [line(since + n, f"step:  {n}  loss:  2.7182  ") for n in range(1, 6)]
        wanted = self.sums(self.file("".join(lines)))
        for cut in (4, 9, 11):
            folder, _ = self.cut(lines, ("a.log.1", "a.log"), (cut,))
            self.assertEqual(wanted, self.sums(folder), cut)

    def test_a_part_of_a_format_that_is_given(self):
        with open(os.path.join(os.path.dirname(FIXTURES), "trainer", "nemo.log"), encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        given = lambda folder: json.dumps({"sources": [{"path": folder, "format": "trainer", "job": "x"}]})
        wanted = self.sums(given(self.folder_of({"a.log": "".join(lines)})))
        for cut in range(2, len(lines), 3):
            folder, _ = self.cut(lines, ("a.log.1", "a.log"), (cut,))
            self.assertEqual(wanted, self.sums(given(folder)), cut)

    def test_what_is_no_part(self):
        """Ranks at once, attempts that are counted up and two runs from the start have such names too: each file stays a log of its own."""
        later = {
            "megatron.log": ("2026-03-0", "2026-04-0"),
            "torchtitan.log": ("2026-03-0", "2026-04-0"),
            "maxtext.log": ("", ""),
            "nanogpt.log": ("Mar  3", "Apr  3"),
        }
        for name, (day, month) in later.items():
            with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
                lines = file.read().splitlines(True)
            half = len(lines) // 2
            for why, files in (
                ("ranks", (lines, ["\n", *lines])),
                ("attempts", (lines[half:], lines[:half])),
                ("anew", (lines, [line.replace(day, month) for line in lines] + ["done\n"])),
            ):
                folder = self.folder_of({"a.log.1": "".join(files[0]), "a.log": "".join(files[1])})
                with self.subTest(log=name, why=why):
                    self.assertEqual(
                        [(2,)],
                        self.rows(
                            "SELECT count(DISTINCT rtrim(job, '#0123456789')) FROM (SELECT iif(job LIKE '%.1', 'other', job) AS job FROM trace_ledger(?))",
                            folder,
                        ),
                    )
                    self.assertEqual(
                        [],
                        self.rows("SELECT * FROM mpg_issues WHERE kind = 'rotated_log' AND instr(source, ?)", folder),
                    )
        with open(os.path.join(FIXTURES, "megatron.log"), encoding="utf-8") as file:
            lines = [line for line in file if "saved" not in line and "datetime" not in line]
        folder = self.folder_of(
            {
                "log.127.0": "".join(line for line in lines if "iteration " not in line),
                "log.127.7": "".join(line for line in lines if "iteration " in line),
            }
        )
        self.rows("SELECT count(*) FROM trace_ledger(?)", folder)
        self.assertEqual(
            [],
            self.rows("SELECT * FROM mpg_issues WHERE kind = 'rotated_log' AND instr(source, ?)", folder),
            "the first rank and the last",
        )


class InAnotherFile(Case):
    def test_two_records_in_a_line(self):
        """Processes that write at once splice their lines: what stands behind the first record is left out, and listed, unless it is the same."""
        step = {
            "maxtext": lambda i: f"2026-03-03 10:00:{2 * i:02d} completed step: {i}, seconds: 2.000, TFLOP/s/device: 125.000, Tokens/s/device: 8192.000, total_weights: 65536, loss: 9.713",
            "megatron": lambda i: f" [2026-03-03 10:00:{2 * i:02d}.000000] iteration       {i}/      60 | consumed samples:         2560 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.041220E+01 | number of skipped iterations:   0 | number of nan iterations:   0 |",
            "torchtitan": lambda i: f"[rank0]:[titan] 2026-03-03 10:00:{2 * i:02d},000 - root - INFO - step: {i:2d}  loss:  8.0  memory: 1.00GiB(1%)  tps: 4,000  tflops: 100.0  mfu: 40.00%",
            "nemo": lambda i: f"Training epoch 0, iteration {i}/249 | lr: 1.961e-06 | global_step: {i} | reduced_train_loss: 2.900 | train_step_timing in s: 2.000",
            "nanogpt": lambda i: f"iter {i}: loss 3.2, time 2000.00ms, mfu 30.00%",
            "nanochat": lambda i: f"step {i:05d}/00100 (1.00%) | loss: 3.2 | lrm: 1.00 | dt: 2000.00ms | tok/sec: 1,000 | mfu: 30.00 | total time: 1m",
            "modded": lambda i: f"step:{i}/100 train_loss:3.2 train_time:{2000 * i}ms step_avg:2000.00ms",
            "deepspeed": lambda i: f"[2026-03-03 10:00:{2 * i:02d},000] [INFO] [timer.py:260:stop] epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec=10.0, CurrSamplesPerSec=10.0",
        }
        save = {
            "maxtext": "Saved a checkpoint at step 4.",
            "megatron": "  successfully saved checkpoint from iteration       4 to /ckpt",
            "torchtitan": "[titan] 2026-03-03 10:00:09,000 - root - INFO - Finished saving the checkpoint in 1.00 seconds.",
            "nemo": "[NeMo I 2026-03-03 10:00:09 x:1] Successfully saved checkpoint from iteration       4 to /ckpt/step=4.ckpt",
            "nanogpt": "saving checkpoint to out",
            "nanochat": "Saved model parameters to: /x/model_000004.pt",
            "modded": "saving checkpoint to out",
            "deepspeed": "[2026-03-03 10:00:09,000] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step4 is ready now!",
        }
        for name, line in step.items():
            lines = [line(i) for i in range(1, 13)]
            if name == "nemo":
                lines.insert(0, "[NeMo I 2026-03-03 10:00:00 nemo_logging:393] Rank 0 has data parallel group : [0]")
            half = lines[4][: len(lines[4]) // 2]
            for text, listed in (
                (lines, 0),
                ([*lines[:4], lines[4] + lines[5], *lines[6:]], 1),
                ([*lines[:-2], lines[-2] + lines[-1]], 1),
                ([*lines[:4], lines[4] + save[name], *lines[5:]], 1),
                ([*lines[:4], save[name] + lines[4], *lines[5:]], 1),
                ([*lines[:4], lines[4] + lines[4], *lines[5:]], 0),
                ([*lines[:4], half + lines[4], *lines[5:]], 0),
            ):
                path = self.file("\n".join(text) + "\n", name + ".log")
                self.rows("SELECT sum(chip_us) FROM trace_rollup(?)", path)
                self.assertEqual(listed, self.issues(path).get("spliced_lines", 0), (name, text))

    def test_a_log_that_goes_on_in_another_file(self):
        """Each file is a job unless its name says more, and a step that was repeated is done twice: the row says so. Two runs from the start are none of it."""
        for name in ("megatron.log", "torchtitan.log"):
            with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
                lines = file.read().splitlines(True)
            for parts, listed in (
                ((lines[: len(lines) // 2], lines[len(lines) // 2 :]), [(1,)]),
                ((lines, [line.replace("2026-03-0", "2026-04-0") for line in lines]), []),
            ):
                folder = self.folder_of({name: "".join(parts[0]), "resumed.log": "".join(parts[1])})
                self.assertEqual([(2,)], self.rows("SELECT count(DISTINCT job) FROM trace_ledger(?)", folder), name)
                self.assertEqual(
                    listed,
                    self.rows(
                        "SELECT count FROM mpg_issues WHERE kind = 'continued_run' AND source = ? AND instr(detail, ?)",
                        os.path.join(folder, "resumed.log"),
                        os.path.join(folder, name),
                    ),
                    name,
                )
                together = '{"sources": [{"path": "%s", "job": "one"}]}' % folder
                self.assertEqual([(1,)], self.rows("SELECT count(DISTINCT job) FROM trace_ledger(?)", together), name)
                self.assertEqual([], self.rows("SELECT count FROM mpg_issues WHERE kind = 'continued_run'"), name)


if __name__ == "__main__":
    unittest.main()
