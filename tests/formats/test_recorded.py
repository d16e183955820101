"""fixtures/h200: a training step recorded on a real device, by PyTorch and by JAX, and what the machine itself measured of it.

What mpg says of the profiles is held against counts and clocks that are not mpg's, and two files of one profile against each other.
"""

import gzip
import json
import os
import statistics
import subprocess
import unittest

from cases import Case
from fleets import ROOT

FOLDER = os.path.join(ROOT, "fixtures/h200")
TORCH = os.path.join(FOLDER, "torch_eager.json.zst"), os.path.join(FOLDER, "torch_compiled.json.zst")
XPLANE, TRACE = os.path.join(FOLDER, "jax.xplane.pb.zst"), os.path.join(FOLDER, "jax.trace.json.gz")
HLO = os.path.join(FOLDER, "jax_train_step.before_optimizations.txt.zst")
with open(os.path.join(FOLDER, "facts.json"), encoding="utf-8") as file:
    FACTS = json.load(file)
WIDTH, LAYERS, VOCABULARY, BATCH, TOKENS = (FACTS["shape"][name] for name in "DLVBT")
PROFILED_STEPS = 2
PEAK = 989.5e12  # dense bf16 of an H200, FLOPs a second


def union(intervals):
    total, covered = 0, None
    for start, end in sorted(intervals):
        if covered is None or start > covered:
            covered = start
        total += max(0, end - covered)
        covered = max(covered, end)
    return total


class Torch(Case):
    def events(self, path):
        text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
        return json.loads(text)

    def test_flops_are_those_that_pytorch_counts(self):
        """PyTorch's counter takes attention as full, where it is causal: half of that is computed."""
        counted = FACTS["torch"]["flops_by_op"]
        expected = [
            ("aten::_scaled_dot_product_cudnn_attention", counted["aten._scaled_dot_product_cudnn_attention"] / 2),
            (
                "aten::_scaled_dot_product_cudnn_attention_backward",
                counted["aten._scaled_dot_product_cudnn_attention_backward"] / 2,
            ),
            ("aten::mm", counted["aten.mm"]),
        ]
        for path in TORCH:
            self.assertEqual(
                expected,
                self.rows(
                    f"SELECT op, sum(flops) / {PROFILED_STEPS} FROM trace_device_operators(?) GROUP BY op ORDER BY op",
                    path,
                ),
            )

    def test_time_by_hand(self):
        """Busy time is the union of all that the device did, by the trace's own microseconds."""
        for path in TORCH:
            trace = self.events(path)
            spans = [
                (round(e["ts"] * 1000), round(e["ts"] * 1000) + round(e["dur"] * 1000))
                for e in trace["traceEvents"]
                if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")
            ]
            count, busy = self.rows("SELECT activities, busy_ns FROM trace_device_time(?)", path)[0]
            self.assertEqual(len(spans), count)
            self.assertAlmostEqual(union(spans), busy, delta=2 * count)  # start and end of each rounded

    def test_steps_are_as_long_as_the_clock_said(self):
        """The profiler marks steps; the program timed others by itself, without a profiler."""
        for path, run in zip(TORCH, ("eager", "compiled")):
            measured = statistics.median(FACTS["torch"]["step_seconds"][run])
            for (step_ns,) in self.rows("SELECT step_ns FROM trace_device_step_time(?)", path):
                self.assertAlmostEqual(measured, step_ns / 1e9, delta=0.04 * measured)

    def test_each_kernel_was_launched(self):
        for path in TORCH:
            self.assertEqual(
                [(0,)],
                self.rows(
                    "SELECT count(*) FROM trace_device_activity(?) WHERE launch_ns IS NULL OR launch_ns > start_ns OR step IS NULL",
                    path,
                ),
            )

    def test_program_goodput(self):
        """FLOPs of the step over what the chip could have done while it ran, by hand."""
        for path, run in zip(TORCH, ("eager", "compiled")):
            ((goodput,),) = self.rows(
                """SELECT roofline_ideal(flops, 0, chip, 'bf16') / (SELECT sum(step_ns) / 1e9 FROM trace_device_step_time(?1))
                   FROM trace_device_operators(?1)""",
                path,
            )
            flops = (
                FACTS["torch"]["flops_by_op"]["aten.mm"]
                + (FACTS["torch"]["flops"] - FACTS["torch"]["flops_by_op"]["aten.mm"]) / 2
            )
            self.assertAlmostEqual(
                flops / PEAK / statistics.median(FACTS["torch"]["step_seconds"][run]), goodput, delta=0.04 * goodput
            )


class Jax(Case):
    def test_flops_of_the_program(self):
        """Of a transformer: 6 a weight and token, and attention over all pairs of tokens, which XLA does not know to be causal."""
        weights = LAYERS * 12 * WIDTH**2 + WIDTH * VOCABULARY
        expected = 6 * weights * BATCH * TOKENS + 12 * BATCH * TOKENS**2 * WIDTH * LAYERS
        self.assertEqual(
            [("jit_train_step", float(expected), "bf16")],
            self.rows("SELECT program, flops, dtype FROM trace_hlo_programs(?)", HLO),
        )

    def test_two_files_of_one_profile(self):
        """XProf writes the profile twice. They agree on all that both have."""
        columns = "device, stream, class, kind, name, start_ns - (SELECT min(start_ns) FROM trace_device_activity(?1)), end_ns - start_ns, op, bytes, correlation, collective"
        xplane, trace = (
            sorted(self.rows(f"SELECT {columns} FROM trace_device_activity(?1)", path), key=repr)
            for path in (XPLANE, TRACE)
        )
        self.assertEqual(1473, len(xplane))
        self.assertEqual(xplane, trace)

    def test_launches_of_both(self):
        """The host's calls that name a correlation: the JSON has none of its lines of Python."""
        launches = "SELECT name, launch_name, launch_ns - start_ns, launch_end_ns - launch_ns, launch_thread FROM trace_device_activity(?) WHERE launch_ns IS NOT NULL ORDER BY 1, 2, 3"
        trace, xplane = self.rows(launches, TRACE), self.rows(launches, XPLANE)
        self.assertGreater(len(trace), 1000)
        self.assertEqual(xplane, trace)

    def test_time_by_hand(self):
        with gzip.open(TRACE) as file:
            events = json.load(file)["traceEvents"]
        lines = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
        spans = [
            (round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000))
            for e in events
            if e.get("ph") == "X" and lines.get((e["pid"], e["tid"]), "").startswith("Stream #")
        ]
        for path in (XPLANE, TRACE):
            count, busy = self.rows("SELECT activities, busy_ns FROM trace_device_time(?)", path)[0]
            self.assertEqual(len(spans), count)
            self.assertAlmostEqual(union(spans), busy, delta=2 * count)

    def test_three_steps_took_what_the_clock_said(self):
        """Steps 6 to 8 were profiled. The program's own clock saw each begin before the device did, and end after."""
        (busy,) = self.rows("SELECT first_ns, last_ns, busy_ns FROM trace_device_time(?)", XPLANE)
        steps = [(begin, end) for step, begin, end in FACTS["jax"]["steps"] if step in (6, 7, 8)]
        self.assertLess(steps[0][0] - 0.001, busy[0] / 1e9)
        self.assertGreater(steps[2][1] + 0.001, busy[1] / 1e9)
        self.assertAlmostEqual(sum(end - begin for begin, end in steps), busy[2] / 1e9, delta=0.04 * busy[2] / 1e9)


class Folder(Case):
    def test_each_file_is_known(self):
        self.assertEqual(
            [
                ("facts.json", None),
                ("jax.trace.json.gz", "xprof"),
                ("jax.xplane.pb.zst", "xplane"),
                ("jax_train_step.before_optimizations.txt.zst", "hlo"),
                ("torch_compiled.json.zst", "kineto"),
                ("torch_eager.json.zst", "kineto"),
            ],
            [
                (os.path.basename(path), form)
                for path, form in self.rows("SELECT file, format FROM trace_sources(?) ORDER BY file", FOLDER)
                if not path.endswith((".py", ".log"))
            ],
        )


if __name__ == "__main__":
    unittest.main()
