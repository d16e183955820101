"""Launches of trainers that came to no step, after the last one of their log: the run before had ended, and a row says that they held chips.
And logs of the nodes of one job of torchtitan."""

import datetime
import json
import unittest

from training import Case

BEGIN = datetime.datetime(2026, 3, 2, 9)


def clock(seconds):
    return f"{BEGIN + datetime.timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


def megatron(at, steps):
    yield "using world size: 8, data-parallel size: 8\n"
    yield f"[before the start of training step] datetime: {clock(at)} \n"
    for i in range(1, steps + 1):
        yield f" [{clock(at + 30 + 20 * i)}.000000] iteration {10 * i:8}/      90 | consumed samples: 10 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n"


def torchtitan(at, steps):
    line = lambda seconds, text: f"[rank0]:[titan] {clock(at + seconds)},000 - root - INFO - {text}\n"
    yield line(0, "Starting job: toy 1B")
    yield line(2, "Building 1-D device mesh with ['dp_shard'], [8]")
    yield line(12, "Training starts at step 1")
    for i in range(1, steps + 1):
        yield line(30 + 20 * i, f"step: {i:2}  loss:  9.0  tps: 10  tflops: 100.0  mfu: 1.0%")


def maxtext(at, steps):
    yield f"{clock(at)} Config param steps: 90\n"
    yield f"{clock(at)} Num_devices: 8, shape (8, 1)\n"
    for i in range(steps):
        yield f"{clock(at + 50 + 20 * i)} completed step: {i}, seconds: 20.000, TFLOP/s/device: 125.000, loss: 10.204\n"


def deepspeed(at, steps):
    line = lambda seconds, text: f"[{clock(at + seconds)},000] [INFO] {text}\n"
    yield line(0, "[launch.py:163:main] dist_world_size=8")
    yield line(
        5, "[logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown"
    )
    for i in range(1, steps + 1):
        yield line(
            30 + 20 * i, f"[logging.py:96:log_dist] [Rank 0] step={10 * i}, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]"
        )


def nanogpt(at, steps):
    yield f"{(BEGIN + datetime.timedelta(seconds=at)).ctime()}\n"
    yield "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:60:00.0 Off |                    0 |\n"
    for i in range(1, steps + 1):
        yield f"step:{i}/90 train_loss:10.8000 train_time:{20000 * i}ms step_avg:20000.00ms\n"


class Launches(Case):
    TRAINERS = megatron, torchtitan, maxtext, deepspeed, nanogpt

    def asked(self, path):
        return self.rows(
            "SELECT category, cause, round(sum(chip_us) / 1e6, 3) FROM trace_ledger(?) WHERE category <> 'queued' GROUP BY 1, 2 ORDER BY 1, 2",
            path,
        )

    def said(self, path):
        return self.rows("SELECT line, count FROM mpg_issues WHERE source = ? AND kind = 'no_steps'", path)

    def test_after_the_last_step(self):
        for trainer in self.TRAINERS:
            whole = [*trainer(0, 5)]
            path = self.file("".join(whole))
            ended = self.asked(json.dumps({"sources": [{"path": path, "outcome": "failed"}]}))
            for launches in (1, 2):
                again = [line for n in range(launches) for line in trainer(400 + 100 * n, 0)]
                path = self.file("".join(whole + again))
                with self.subTest(trainer=trainer.__name__, launches=launches):
                    self.assertEqual(ended, self.asked(path))
                    ((line, _),) = self.said(path)
                    self.assertIn(line - len(whole), (1, 2))  # of nanoGPT below the date

    def test_before_others(self):
        """One that a run follows is no last one."""
        for trainer in self.TRAINERS:
            path = self.file("".join([*trainer(0, 5), *trainer(400, 0), *trainer(500, 3)]))
            with self.subTest(trainer=trainer.__name__):
                self.asked(path)
                self.assertEqual([], self.said(path))


class Nodes(Case):
    """Each node's log has ranks of its own: the lowest tells the steps, and those of the others are listed."""

    def ask(self, *nodes):
        files = {
            f"node{n}.log": "".join(torchtitan(late, 5)).replace("rank0", f"rank{rank}").replace("9.0", loss)
            for n, (rank, late, loss) in enumerate(nodes)
        }
        folder = self.folder_of(files)
        jobs = self.one("SELECT count(DISTINCT job) FROM trace_ledger(?)", folder)
        listed = "SELECT substr(source, -9), count FROM mpg_issues WHERE kind = 'parallel_files' AND source GLOB ? ORDER BY 1"
        return jobs, self.rows(listed, folder + "/*")

    def test_of_one_job(self):
        self.assertEqual((1, []), self.ask((0, 0, "9.0")))
        self.assertEqual((1, [("node1.log", 5)]), self.ask((0, 0, "9.0"), (8, 2, "9.0")))
        self.assertEqual(
            (1, [("node0.log", 5), ("node2.log", 5)]), self.ask((16, 0, "9.0"), (0, 0, "9.0"), (8, 1, "9.0"))
        )

    def test_of_several_jobs(self):
        """Of another loss or time, or which all begin with rank 0."""
        for other in ((8, 0, "9.1"), (8, 600, "9.0"), (0, 1, "9.0")):
            self.assertEqual((2, []), self.ask((0, 0, "9.0"), other), other)


if __name__ == "__main__":
    unittest.main()
