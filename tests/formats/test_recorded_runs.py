"""fixtures/h100: three trainers killed and resumed on a real device, decoding by CUDA graphs, and five programs of XLA.

What mpg says of the files is held against what the processes noted of themselves, against PyTorch's own sums, and against FLOPs by hand.
"""

import glob
import json
import os
import subprocess
import unittest

from cases import Case
from fleets import ROOT

FOLDER = os.path.join(ROOT, "fixtures/h100")
TRAINERS = {"hugging_face": "train/loss", "lightning": "train_loss", "summary_writer": "Loss/train"}
SAVED, KILLED, STEPS = 20, 34, 60
with open(os.path.join(FOLDER, "truth.jsonl"), encoding="utf-8") as file:
    TRUTH = [json.loads(line) for line in file]


def facts(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def step_ends(trainer, attempt):
    """Unix seconds by step, as the process saw each end."""
    return {
        row["step"]: row["time"]
        for row in TRUTH
        if (row["trainer"], row["attempt"], row["what"]) == (trainer, attempt, "step")
    }


class Trainers(Case):
    def fleet(self, trainer):
        """All that the trainer's event files say, as one job that completed."""
        folder = os.path.join(FOLDER, trainer, *(["runs"] if trainer == "hugging_face" else []))
        return json.dumps(
            {
                "sources": [
                    {"path": folder, "job": trainer, "chips": 1, "chip": "nvidia-h100-sxm", "outcome": "completed"}
                ]
            }
        )

    def test_each_value_was_written_after_its_step(self):
        """And before the next step ended. Lightning counts steps from 0, and saves before it writes. Its last value was not flushed before the kill."""
        for trainer, tag in TRAINERS.items():
            files = sorted(glob.glob(os.path.join(FOLDER, trainer, "**", "events.*"), recursive=True))
            self.assertEqual(2, len(files))
            for attempt, path in enumerate(files, 1):
                ends = step_ends(trainer, attempt)
                values = dict(
                    self.rows(
                        "SELECT step + ?, wall_time FROM tfevents_trace(?) WHERE tag = ?",
                        trainer == "lightning",
                        path,
                        tag,
                    )
                )
                unwritten = {KILLED} if (trainer, attempt) == ("lightning", 1) else set()
                self.assertEqual(set(ends) - unwritten, set(values), trainer)
                for step, time in values.items():
                    self.assertTrue(
                        ends[step] - 0.001 <= time <= ends.get(step + 1, ends[step] + 1), f"{trainer} {attempt} {step}"
                    )

    def test_what_the_restart_lost(self):
        """Steps from 21 on ran again in the second attempt. By the process's clock they took no less than from the end of 21 to the last
        value, and no more than from the end of 20, with the save between."""
        for trainer in TRAINERS:
            first, second = step_ends(trainer, 1), step_ends(trainer, 2)
            self.assertEqual((SAVED + 1, KILLED, STEPS), (min(second), max(first), max(second)))
            last = first[KILLED - (trainer == "lightning")]
            found = dict(
                self.rows(
                    "SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY category", self.fleet(trainer)
                )
            )
            self.assertTrue(last - first[SAVED + 1] < found["lost"] < last - first[SAVED] + 0.05, (trainer, found))
            # The first step of each attempt has none before it; the last value may come after the last save.
            (end,) = (row["time"] for row in TRUTH if (row["trainer"], row["what"]) == (trainer, "end"))
            begun = last - first[1] - second[SAVED + 1]
            self.assertTrue(
                begun + second[STEPS] < found["lost"] + found["unrated"] < begun + end + 0.15, (trainer, found)
            )

    def test_a_run_that_went_on_in_another_folder_is_listed(self):
        """Hugging Face and Lightning begin a folder for each start of the trainer; a SummaryWriter of one folder does not."""
        for trainer in TRAINERS:
            path = os.path.join(FOLDER, trainer)
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            listed = self.rows(
                "SELECT detail FROM mpg_issues WHERE kind = 'continued_run' AND source LIKE ? || '%'", path
            )
            self.assertEqual(trainer != "summary_writer", len(listed) == 1, listed)
            for (detail,) in listed:
                self.assertIn(f"begins with step {SAVED + (trainer == 'hugging_face')}", detail)

    def test_no_chips_that_nobody_has(self):
        """The first run's folder says nothing of the time after it: it holds no chip of the second run's then."""
        for trainer in TRAINERS:
            self.assertEqual(
                [],
                self.rows(
                    "SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'idle' GROUP BY pool HAVING sum(chip_seconds) < 0",
                    os.path.join(FOLDER, trainer),
                ),
            )

    def test_losses_of_state_and_events(self):
        """trainer_state.json has the losses of both attempts that survived, rounded; the event files have them all."""
        state = dict(
            self.rows(
                "SELECT step, loss FROM trace_training_steps(?)",
                os.path.join(FOLDER, "hugging_face/trainer_state.json"),
            )
        )
        events = self.rows("SELECT attempt, step, loss FROM trace_training_steps(?)", self.fleet("hugging_face"))
        self.assertEqual(list(range(1, STEPS + 1)), sorted(state))
        for attempt, step, loss in events:
            if attempt == 2 or step <= SAVED:
                self.assertAlmostEqual(state[step], loss, places=3)


class Kineto(Case):
    def test_sums_are_those_of_pytorch(self):
        """Each kernel's calls and microseconds, of those launched one by one and of those of a graph."""
        for name in ("graph", "streams"):
            path = os.path.join(FOLDER, f"torch_{name}.json.zst")
            expected = sorted((kernel, count) for kernel, count, _ in facts("graphs_facts.json")[name]["kernels"])
            found = self.rows(
                "SELECT name, count(*), sum(end_ns - start_ns) / 1000.0 FROM trace_device_activity(?) GROUP BY name",
                path,
            )
            self.assertEqual(expected, sorted((kernel, count) for kernel, count, _ in found))
            microseconds = {kernel: time for kernel, _, time in facts("graphs_facts.json")[name]["kernels"]}
            for kernel, count, time in found:
                self.assertAlmostEqual(microseconds[kernel], time, delta=0.001 * count, msg=kernel)

    def test_one_launch_of_a_graph_is_that_of_all_its_kernels(self):
        times = facts("graphs_facts.json")["graph"]["times"]
        self.assertEqual(
            [("cudaGraphLaunch", times, 21 * times)],
            self.rows(
                "SELECT launch_name, count(DISTINCT correlation), count(*) FROM trace_device_activity(?) GROUP BY launch_name",
                os.path.join(FOLDER, "torch_graph.json.zst"),
            ),
        )

    def test_busy_time_against_cuda_events(self):
        """CUDA's events were recorded around all of it. Two streams at once are busy once."""
        for name in ("graph", "streams"):
            milliseconds = facts("graphs_facts.json")[name]["milliseconds_traced"]
            ((busy, span, compute, memory),) = self.rows(
                "SELECT busy_ns / 1e6, (last_ns - first_ns) / 1e6, compute_ns / 1e6, memory_ns / 1e6 FROM trace_device_time(?)",
                os.path.join(FOLDER, f"torch_{name}.json.zst"),
            )
            self.assertLess(busy, milliseconds)
            self.assertLess(span, milliseconds)
            self.assertGreater(span, 0.85 * milliseconds)
            self.assertGreaterEqual(compute + memory, busy)


class Programs(Case):
    """FLOPs of the matrix units by hand: 2 a multiplication with its addition."""

    BY_HAND = {
        "program_scan": (8 * 2 * 4096 * 2048 * 2048, "bf16"),
        "program_attention": (2 * 2 * 8 * 16 * 2048 * 2048 * 128, "bf16"),
        "program_convolution": (
            2 * 64 * 64 * 128 * (56 * 3 - 1) ** 2,
            "bf16",
        ),  # SAME: one row and one column of the kernel's meets no input
        "program_gradient": (
            5 * 2 * 8192 * 2048 * 8192,
            "bf16",
        ),  # two products forward, three back: the input has no gradient
        "program_fp8": (2 * 4096**3, "fp8"),
    }
    PADDED = 2 * 64 * 64 * 128 * (56 * 3) ** 2  # after XLA's passes the input has its padding

    def test_flops_before_and_after_the_passes(self):
        """What XLA rewrote to calls of cuBLAS, cuDNN and a loop costs what it did before."""
        for name, (flops, dtype) in self.BY_HAND.items():
            for when in ("before", "gpu_after"):
                expected = self.PADDED if name == "program_convolution" and when == "gpu_after" else flops
                path = os.path.join(FOLDER, f"jit_{name}.{when}_optimizations.txt.zst")
                self.assertEqual(
                    [(f"jit_{name}", {dtype: expected}, 1.0)],
                    [
                        (module, json.loads(by_dtype), coverage)
                        for module, by_dtype, coverage in self.rows(
                            "SELECT module, matmul_by_dtype, coverage FROM hlo_cost(?)", path
                        )
                    ],
                )

    def test_all_flops_are_those_that_xla_counts(self):
        """Of attention, which XLA compiled without a call that it cannot see into."""
        ((flops,),) = self.rows(
            "SELECT flops FROM hlo_cost(?)",
            os.path.join(FOLDER, "jit_program_attention.gpu_after_optimizations.txt.zst"),
        )
        self.assertAlmostEqual(facts("programs_facts.json")["program_attention"]["flops_compiled"], flops, delta=1)

    def test_no_program_ran_faster_than_its_ideal(self):
        for name, (_, dtype) in self.BY_HAND.items():
            ((ideal,),) = self.rows(
                "SELECT roofline_ideal(flops, 0, 'nvidia-h100-sxm', ?) FROM trace_hlo_programs(?)",
                dtype,
                os.path.join(FOLDER, f"jit_{name}.before_optimizations.txt.zst"),
            )
            goodput = ideal / (facts("programs_facts.json")[name]["seconds_of_20"] / 20)
            self.assertTrue(0.04 < goodput < 1, (name, goodput))


class Recognition(Case):
    def test_what_is_there_is_found(self):
        found = dict(
            self.rows("SELECT format, count(*) FROM trace_sources(?) WHERE format IS NOT NULL GROUP BY format", FOLDER)
        )
        self.assertEqual({"hlo": 10, "kineto": 2, "tfevents": 6, "trainer": 1}, found)

    def test_packed_and_plain(self):
        path = os.path.join(FOLDER, "torch_graph.json.zst")
        plain = self.file(subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout.decode())
        self.assertEqual(
            self.rows("SELECT busy_ns, idle_ns FROM trace_device_time(?)", path),
            self.rows("SELECT busy_ns, idle_ns FROM trace_device_time(?)", plain),
        )


if __name__ == "__main__":
    unittest.main()
