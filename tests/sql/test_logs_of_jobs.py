"""Logs of trainers beside a scheduler: which attempt of which job each line is of, and what one trainer after the other did."""
import json
import os
import unittest

from cases import Case

T = 1793491200  # 2026-11-01 00:00:00 UTC
SACCT = "JobIDRaw|JobID|JobName|Cluster|User|Account|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
PRODUCTIVE = ("ideal", "inefficiency", "unrated")


def clock(time):
    return f"2026-11-01 {time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}"


def job(number, start, end, state="COMPLETED", name="llama", raw=None, gpus=8, submit=0):
    """A row of sacct; times are seconds since T."""
    tres = f"cpu=8,gres/gpu={gpus}"
    return "|".join(str(value) for value in (raw or number, number, name, "pod", "ann", "nlp", state, T + submit, T + start, T + end, tres, tres, "n1")) + "\n"


def megatron(start, first, last, total=100, world=8, saves=(), load=None, seconds=10):
    """Steps that begin at `start`, seconds since T."""
    lines = [f"using world size: {world}, data-parallel size: {world}"]
    if load:
        lines.append(f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {load}")
    lines.append(f"[before the start of training step] datetime: {clock(start)} ")
    for step in range(first, last + 1):
        start += seconds
        lines.append(f" [{clock(start)}.000000] iteration {step:8}/{total:8} | consumed samples: 1 | elapsed time per iteration (ms): {seconds * 1000}.0 | lm loss: 8.0E+00 |")
        if step in saves:
            lines.append(f"  successfully saved checkpoint from iteration {step:7} to /ckpt [ t 1/1, p 1/1 ]")
    return "\n".join(lines) + "\n"


def torchtitan(start, first, last, saves=(), load=None, done=False):
    lines = []

    def line(text):
        lines.append(f"[titan] {clock(start)},000 - root - INFO - {text}")
    for text in ("Starting job: toy 1B", "Building 1-D device mesh with ['dp_shard'], [8]", "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.18GiB memory"):
        line(text)
    if load:
        line(f"Loading the checkpoint from ./outputs/checkpoint/step-{load}.")
        line("Finished loading the checkpoint in 0.00 seconds.")
    line(f"Training starts at step {first}.")
    for step in range(first, last + 1):
        start += 10
        line(f"step: {step:2}  loss: 12.2431  grad_norm:  1.2040  memory: 45.23GiB(57.12%)  tps: 546  tflops: 400.00  mfu: 40.35%")
        if step in saves:
            line("Finished saving the checkpoint (or staging if async is enabled)in 0.00 seconds.")
    if done:
        line("Training completed")
    return "\n".join(lines) + "\n"


class Logs(Case):
    def seconds(self, path, by="job, attempt"):
        """Chip-seconds of what came of steps, and those lost, by job and attempt."""
        return self.rows(f"SELECT {by}, sum(chip_us) FILTER (WHERE category IN {PRODUCTIVE}) / 1000000, sum(chip_us) FILTER (WHERE category = 'lost') / 1000000 "
                         "FROM trace_rollup(?) WHERE attempt IS NOT NULL GROUP BY 1, 2", path)

    def of_one_job(self, files, **options):
        """The path of a fleet file of a folder with these files, all of which the option `job` says to be of x."""
        folder = self.folder_of(files)
        return json.dumps({"sources": [{"path": os.path.join(folder, "*.log"), "job": "x", **options}]})


class OneTrainerAfterTheOther(Logs):
    """Which log's numbers go on is the trainers' to say, whatever their formats."""

    def test_a_run_of_another_trainer_undoes_none_that_reached_its_end(self):
        first, second = megatron(0, 1, 100, saves=(100,)), torchtitan(1200, 1, 50, saves=(50,), done=True)
        for files in ({"pretrain.log": first, "sft.log": second}, {"z.log": first, "a.log": second}):
            path = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 2000), **{f"5101/{name}": text for name, text in files.items()}})
            self.assertEqual([("5101", 1, 8 * 1500, None)], self.seconds(path))
            self.assertEqual([("x", 1, 8 * 1000, None), ("x", 2, 8 * 500, None)], self.seconds(self.of_one_job(files)))

    def test_a_run_that_was_cut_off(self):
        """What the other trainer repeats is lost, as it would be in one log; and the first holds its chips no longer."""
        files = {"a.log": megatron(0, 1, 60, saves=(50,)), "b.log": torchtitan(1200, 51, 100, load=50, saves=(100,), done=True)}
        path = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 2000), **{f"5101/{name}": text for name, text in files.items()}})
        self.assertEqual([("5101", 1, 8 * 1000, 8 * 100)], self.seconds(path))
        path = self.of_one_job(files)
        self.assertEqual([("x", 1, 8 * 500, 8 * 100), ("x", 2, 8 * 500, None)], self.seconds(path))
        self.assertEqual([], self.rows("SELECT category FROM trace_rollup(?) WHERE category IN ('partial', 'unknown') GROUP BY 1", path))


if __name__ == "__main__":
    unittest.main()
