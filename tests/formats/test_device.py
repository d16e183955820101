"""Device activity: sql/device.sql, its mappings and its views.

The views are held against sums made in Python without intervals (a bitmap of nanoseconds) over the fixtures and over random
activities."""

import itertools
import json
import os
import random
import unittest

from device_case import Case, cuda_launch, kernel
from fleets import ROOT

RANKS = os.path.join(ROOT, "fixtures/profile/rank*.json")
CLASSES = ("compute", "communication", "memory")


def covered(intervals):
    return set(itertools.chain.from_iterable(range(start, end) for start, end in intervals))


class Views(Case):
    def check_views(self, unit):
        """device_time, device_overlap, device_step_time and device_kernels, by sets of the units of time that are covered."""
        devices = self.rows("SELECT DISTINCT trace, device FROM device_activity")
        for trace, device in devices:
            rows = self.rows(
                "SELECT class, start_ns, end_ns, step, name FROM device_activity WHERE trace = ? AND device = ? AND class <> 'sync'",
                trace,
                device,
            )
            if not rows:
                continue
            first = min(row[1] for row in rows)
            self.assertEqual({(row[1] - first) % unit for row in rows} | {(row[2] - first) % unit for row in rows}, {0})
            sets = {
                c: covered(((a - first) // unit, (b - first) // unit) for k, a, b, *_ in rows if k == c)
                for c in CLASSES
            }
            everything = set.union(*sets.values())
            c, k, m = (sets[name] for name in CLASSES)
            wanted = (
                len(rows),
                max(row[2] for row in rows) - first,
                len(everything) * unit,
                len(c) * unit,
                len(k) * unit,
                len(m) * unit,
                len((c | k) - c) * unit,
                len(everything - c - k) * unit,
                len(c & k) * unit,
            )
            found = self.rows(
                "SELECT activities, span_ns, busy_ns, compute_ns, communication_ns, memory_ns, exposed_communication_ns, "
                "exposed_memory_ns, overlap_ns FROM device_time WHERE trace = ? AND device = ?",
                trace,
                device,
            )
            self.assertEqual(found, [wanted])
            self.assertEqual(
                self.one(
                    "SELECT busy_ns + idle_ns = span_ns FROM device_time WHERE trace = ? AND device = ?", trace, device
                ),
                1,
            )
            parts = {}
            for at in everything:
                parts.setdefault(", ".join(name for name in CLASSES if at in sets[name]), []).append(at)
            self.assertEqual(
                dict(self.rows("SELECT classes, ns FROM device_overlap WHERE trace = ? AND device = ?", trace, device)),
                {name: len(at) * unit for name, at in parts.items()},
            )
            for step, *found in self.rows(
                "SELECT step, busy_ns, compute_ns, exposed_communication_ns, overlap_ns FROM device_step_time WHERE trace = ? AND device = ?",
                trace,
                device,
            ):
                c, k, m = (
                    covered(
                        ((a - first) // unit, (b - first) // unit) for x, a, b, s, _ in rows if s == step and x == name
                    )
                    for name in CLASSES
                )
                self.assertEqual(found, [len(c | k | m) * unit, len(c) * unit, len(k - c) * unit, len(c & k) * unit])
            names = {}
            for kind, start, end, _, name in rows:
                names.setdefault((kind, name), []).append(end - start)
            self.assertEqual(
                {
                    row[:2]: row[2:]
                    for row in self.rows(
                        "SELECT class, name, n, ns, min_ns, max_ns FROM device_kernels WHERE trace = ? AND device = ?",
                        trace,
                        device,
                    )
                },
                {key: (len(v), sum(v), min(v), max(v)) for key, v in names.items()},
            )

    def test_fixtures(self):
        self.load(RANKS)
        self.check_views(125)
        self.assertEqual(
            self.rows(
                "SELECT rank, chip, stream, class, count(*), count(launch_ns), count(op), count(nullif(op_ns <= launch_ns, 0)), count(step) FROM device_activity GROUP BY 1, 2, 3, 4"
            ),
            [
                (rank, "NVIDIA H100 80GB HBM3", stream, kind, n, n, n, n, n)
                for rank in (0, 1)
                for stream, kind, n in (("20", "communication", 3), ("7", "compute", 12), ("7", "memory", 6))
            ],
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT op FROM device_activity WHERE class = 'compute' ORDER BY 1"),
            [("aten::_flash_attention_forward",), ("aten::_fused_adamw_",), ("aten::addmm",), ("aten::mm",)],
        )
        self.assertEqual(self.one("SELECT min(start_ns) / 1000000000 FROM device_activity"), 1763700005)

    def test_random(self):
        pick = random.Random(17)
        self.load()
        for device in range(40):
            for _ in range(pick.choice((1, 2, 5, 30))):
                start, name = pick.randrange(200), pick.choice(CLASSES + ("sync",))
                self.insert(
                    device=str(device),
                    **{"class": name},
                    start_ns=start,
                    end_ns=start + pick.choice((0, 1, 7, 40)),
                    name=pick.choice("xyz"),
                    step=pick.choice(("1", "2", None)),
                )
        self.check_views(1)

    def test_reading_again_replaces(self):
        self.load(RANKS)
        before = [
            self.rows(f"SELECT * FROM {table}")
            for table in ("device_activity", "device_steps", "device_ranges", "device_traces")
        ]
        self.load(RANKS)
        self.assertEqual(
            [
                self.rows(f"SELECT * FROM {table}")
                for table in ("device_activity", "device_steps", "device_ranges", "device_traces")
            ],
            before,
        )
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name GLOB 'kineto*'"), [])

    def test_gaps(self):
        self.load()
        for start, end, launch in (
            (0, 10, None),
            (10, 20, 0),
            (50, 60, 30),
            (70, 80, 55),
            (60_000, 70_000, 75),
            (61_000, 62_000, 1),
            (80_000, 90_000, None),
        ):
            self.insert(stream="7", start_ns=start, end_ns=end, launch_ns=launch, launch_end_ns=launch)
        self.assertEqual(
            self.rows("SELECT start_ns, end_ns, gap_ns, cause FROM device_gaps ORDER BY 1"),
            [
                (20, 50, 30, "host"),
                (60, 70, 10, "launch"),
                (80, 60_000, 59_920, "other"),
                (70_000, 80_000, 10_000, "unknown"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT cause, gaps, idle_ns, longest_ns FROM device_idle"),
            [("host", 1, 30, 30), ("launch", 1, 10, 10), ("other", 1, 59_920, 59_920), ("unknown", 1, 10_000, 10_000)],
        )

    def test_queue(self):
        self.load()
        for launch, start in ((0, 10), (2, 20), (4, 30), (40, 45)):
            self.insert(stream="7", launch_ns=launch, launch_end_ns=launch + 1, start_ns=start, end_ns=start + 5)
        self.assertEqual(
            self.rows("SELECT at_ns, length FROM device_queue ORDER BY 1"),
            [(0, 1), (2, 2), (4, 3), (10, 2), (20, 1), (30, 0), (40, 1), (45, 0)],
        )
        self.assertEqual(
            self.rows("SELECT launches, max_length, round(mean_length * 45, 6), empty_ns FROM device_queue_length"),
            [(4, 3, 2 * 1 + 2 * 2 + 6 * 3 + 10 * 2 + 10 * 1 + 5 * 1, 10)],
        )
        self.assertEqual(
            self.rows("SELECT call_ns, latency_ns, delay_ns FROM device_launches"),
            [(1, 10, 9), (1, 18, 17), (1, 26, 25), (1, 5, 4)],
        )

    def test_stragglers(self):
        self.load()
        for rank, spans in enumerate(((100, 40), (60, 45), (90, 10))):
            for i, ns in enumerate(spans):
                self.insert(
                    trace=f"r{rank}",
                    rank=rank,
                    step="1",
                    **{"class": "communication"},
                    name="nccl",
                    start_ns=1000 * i + 7 * rank,
                    end_ns=1000 * i + 7 * rank + ns,
                )
        self.assertEqual(
            self.rows("SELECT rank, n, late_ns, waited_ns, ranks FROM device_collectives ORDER BY rank, n"),
            [
                (0, 1, 0, 40, 3),
                (0, 2, 5, 30, 3),
                (1, 1, 40, 0, 3),
                (1, 2, 0, 35, 3),
                (2, 1, 10, 30, 3),
                (2, 2, 35, 0, 3),
            ],
        )
        self.assertEqual(
            self.rows("SELECT rank, late_ns, place FROM device_stragglers ORDER BY place"),
            [(2, 45, 1), (1, 40, 2), (0, 5, 3)],
        )

    def test_operators(self):
        """Work counts once: at the outermost operator that does it, at a wrapper only where nothing inside has a price."""
        mm, sdpa = "[[64, 32], [32, 16]]", "[[1, 2, 8, 4], [1, 2, 8, 4], [1, 2, 8, 4]]"
        ops = [  # name, start, end, shapes: microseconds on one thread
            ("aten::linear", 0, 50, "[[64, 32], [16, 32]]"),
            ("aten::mm", 10, 40, mm),
            ("aten::matmul", 100, 150, mm),
            ("aten::scaled_dot_product_attention", 200, 290, sdpa),
            ("aten::_scaled_dot_product_attention_math", 210, 280, sdpa),
            ("aten::matmul", 220, 240, "[[1, 2, 8, 4], [1, 2, 4, 8]]"),
            ("aten::bmm", 225, 235, "[[2, 8, 4], [2, 4, 8]]"),
            ("aten::mm", 300, 310, mm),
            ("aten::mm", 310, 320, mm),
            ("aten::relu", 330, 340, "[[64, 16]]"),
        ]
        events = [
            {
                "ph": "X",
                "cat": "cpu_op",
                "name": name,
                "pid": 5,
                "tid": 6,
                "ts": start,
                "dur": end - start,
                "args": {"Input Dims": json.loads(shapes), "Input type": ["float"] * shapes.count("], [") + ["float"]},
            }
            for name, start, end, shapes in ops
        ]
        for i, launch in enumerate((20, 30, 120, 226, 230, 305, 312, 335)):
            events.append(
                {
                    "ph": "X",
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "pid": 5,
                    "tid": 6,
                    "ts": launch,
                    "dur": 1,
                    "args": {"correlation": i + 1},
                }
            )
            events.append(
                {
                    "ph": "X",
                    "cat": "kernel",
                    "name": "k",
                    "pid": 0,
                    "tid": 7,
                    "ts": 1000 + 10 * i,
                    "dur": 4,
                    "args": {"correlation": i + 1, "device": 0, "stream": 7},
                }
            )
        self.load(self.file(json.dumps(events), "ops.json"))
        one, attention = 2 * 64 * 32 * 16, 2 * 2 * 8 * 8 * (4 + 4)
        self.assertEqual(
            self.rows(
                "SELECT op, start_ns / 1000, flops, device_ns, activities FROM device_operators ORDER BY start_ns"
            ),
            [
                ("aten::mm", 10, one, 8000, 2),
                ("aten::matmul", 100, one, 4000, 1),
                ("aten::_scaled_dot_product_attention_math", 210, attention, 8000, 2),
                ("aten::mm", 300, one, 4000, 1),
                ("aten::mm", 310, one, 4000, 1),
            ],
        )
        self.assertEqual(
            self.rows("SELECT op FROM device_activity ORDER BY start_ns"),
            [
                (name,)
                for name in (
                    "aten::mm",
                    "aten::mm",
                    "aten::matmul",
                    "aten::bmm",
                    "aten::bmm",
                    "aten::mm",
                    "aten::mm",
                    "aten::relu",
                )
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT calls, flops, bytes, device_ns, round(tflop_per_s * 12000 * 1e3, 6) FROM device_op_work WHERE op = 'aten::mm'"
            ),
            [(3, 3 * one, 3 * 4 * (64 * 32 + 32 * 16 + 64 * 16), 16000, 3 * one * 12000 / 16000)],
        )
        self.assertEqual(self.rows("SELECT DISTINCT bound, roofline_share FROM device_op_roofline"), [(None, None)])
        self.assertEqual(
            self.rows("SELECT activities, compute_ns, priced_ns, priced_share FROM device_priced"),
            [(8, 32000, 28000, 28 / 32)],
        )

    def test_types_of_operands(self):
        """The rate is that of the two that are multiplied: not of what is added, of two types the wider, none of one that has no rate. The result has the type that
        the call asks for. [64, 32] by [32, 16]."""
        bf16, fp8, wide = "c10::BFloat16", "c10::Float8_e4m3fn", ["Scalar", "Scalar"]
        scaled = [fp8, fp8, "float", "float", "", "", "Scalar", ""]
        a, b, c = 64 * 32, 32 * 16, 64 * 16
        for name, types, concrete, dtype, nbytes in (
            ("aten::mm", [bf16, bf16], [], "bf16", 2 * (a + b + c)),
            ("aten::mm", ["struct " + bf16] * 2, [], "bf16", 2 * (a + b + c)),
            ("aten::addmm", ["float", bf16, bf16, *wide], [], "bf16", 4 * 16 + 2 * (a + b + c)),
            ("aten::mm", [fp8, bf16], [], "bf16", a + 2 * (b + c)),
            ("aten::_scaled_mm", scaled, [""] * 6 + ["15", "False"], "fp8", a + b + 2 * c),
            ("aten::_scaled_mm", scaled, [""] * 8, "fp8", None),
            ("aten::_int_mm", ["signed char"] * 2, [], "int8", a + b + 4 * c),
            ("aten::mm", ["long int", bf16], [], None, 8 * (a + c) + 2 * b),
        ):
            dims = [[16]] * (name == "aten::addmm") + [[64, 32], [32, 16]] + [[]] * 6
            events = [
                dict(
                    cat="cpu_op",
                    name=name,
                    pid=9,
                    tid=9,
                    ts=5,
                    dur=20,
                    args={"Input Dims": dims, "Input type": types, "Concrete Inputs": concrete},
                ),
                dict(cat="cuda_runtime", name="cudaLaunchKernel", pid=9, tid=9, ts=10, dur=4, args={"correlation": 1}),
                dict(
                    cat="kernel",
                    name="gemm",
                    pid=0,
                    tid=7,
                    ts=100,
                    dur=50,
                    args={"device": 0, "stream": 7, "correlation": 1},
                ),
            ]
            path = self.file(
                {
                    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                    "traceEvents": [{"ph": "X", **event} for event in events],
                }
            )
            peak = {"bf16": 989.5, "fp8": 1979, "int8": 1979, None: None}[dtype]
            self.assertEqual(
                self.rows("SELECT dtype, bytes, peak_tflop_per_s FROM trace_device_op_roofline(?)", path),
                [(dtype, nbytes, peak)],
                (name, types),
            )

    def test_products_in_tf32(self):
        """The kernel's name says whether products of fp32 are in TF32; of each way the calls of one shape are a row. The rate of fp32 would be beaten."""
        names = (
            "ampere_sgemm_128x64_nn",
            "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(...)",
            "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x16",
            "nvjet_sss_tf32_128x256_TNT",
            "nvjet_sm100_sss_128x128_32x4_2x1_h_bz_TNT",
            "cutlass_80_tensorop_s1688bf16gemm_128x64_nn",
            "gemm",
        )
        events = []
        for i, name in enumerate(names):
            work = dict(pid=9, tid=9, ts=5 + 100 * i)
            events += [
                dict(
                    work,
                    cat="cpu_op",
                    name="aten::mm",
                    dur=20,
                    args={"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["float", "float"]},
                ),
                dict(
                    work,
                    cat="cuda_runtime",
                    name="cudaLaunchKernel",
                    ts=10 + 100 * i,
                    dur=4,
                    args={"correlation": i + 1},
                ),
                dict(
                    cat="kernel",
                    name=name,
                    pid=0,
                    tid=7,
                    ts=1000 + 1000 * i,
                    dur=1000,
                    args={"device": 0, "stream": 7, "correlation": i + 1},
                ),
            ]
        path = self.file(
            {
                "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
                "traceEvents": [{"ph": "X", **event} for event in events],
            }
        )
        each = 2 * 4096**3
        self.assertEqual(
            [("fp32", 3, 19.5, round(each / 19.5e12 / 1e-3, 6)), ("tf32", 4, 156.0, round(each / 156e12 / 1e-3, 6))],
            self.rows(
                "SELECT dtype, calls, peak_tflop_per_s, round(roofline_share, 6) FROM trace_device_op_roofline(?) ORDER BY dtype",
                path,
            ),
        )
        self.assertEqual(
            [(7, 7 * each, 7000000, 7)],
            self.rows("SELECT calls, flops, device_ns, activities FROM trace_device_op_work(?)", path),
        )

    def test_products_in_xf32(self):
        """AMD's TF32, by the name that Tensile gives its kernels; a chip without a rate for it is not rated by another one."""

        def asked(name, chip):
            work = dict(pid=9, tid=9, ts=5, ph="X")
            path = self.file(
                {
                    "deviceProperties": [{"id": 0, "name": chip}],
                    "traceEvents": [
                        dict(
                            work,
                            cat="cpu_op",
                            name="aten::mm",
                            dur=20,
                            args={"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["float", "float"]},
                        ),
                        dict(
                            work,
                            cat="cuda_runtime",
                            name="hipExtModuleLaunchKernel",
                            ts=10,
                            dur=4,
                            args={"correlation": 1},
                        ),
                        kernel(name, 1, 1000, 1000),
                    ],
                }
            )
            return self.rows("SELECT dtype, peak_tflop_per_s FROM trace_device_op_roofline(?)", path)

        for name, dtype, peak in (
            ("Cijk_Ailk_Bljk_S_MX_B_Bias_HA_S_SAV_UserArgs_MT256x256x32_MI16x16x1", "tf32", 653.7),
            ("Custom_Cijk_Alik_Bljk_S_MX_B_BIAS_HA_S_SAV", "tf32", 653.7),
            ("Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT256x256x32_MI16x16x1", "fp32", 163.4),
        ):
            self.assertEqual([(dtype, peak)], asked(name, "AMD Instinct MI300X"), name)
        self.assertEqual(
            [("tf32", None)], asked("Cijk_Ailk_Bljk_S_MX_B_UserArgs_MT128x160x64_MI16x16x1", "AMD Instinct MI355X")
        )

    def test_products_of_fp4(self):
        """Two values are a byte: [4096, 8192] by [8192, 4096], with a result of bf16."""
        path = self.file(
            {
                "deviceProperties": [{"id": 0, "name": "NVIDIA B200"}],
                "traceEvents": [
                    dict(
                        ph="X",
                        cat="cpu_op",
                        name="aten::_scaled_mm",
                        pid=9,
                        tid=9,
                        ts=5,
                        dur=20,
                        args={
                            "Input Dims": [[4096, 4096], [4096, 4096]] + [[]] * 6,
                            "Input type": ["c10::Float4_e2m1fn_x2"] * 2 + [""] * 6,
                            "Concrete Inputs": [""] * 6 + ["15", "False"],
                        },
                    ),
                    cuda_launch(10, 4),
                    kernel("gemm", 1, 1000, 100),
                ],
            }
        )
        self.assertEqual(
            [("fp4", 2 * 4096 * 4096 * 8192, 4 * 4096 * 4096, 9000, round(2 * 4096 * 4096 * 8192 / 9e15 / 100e-6, 6))],
            self.rows(
                "SELECT dtype, flops, bytes, peak_tflop_per_s, round(roofline_share, 6) FROM trace_device_op_roofline(?)",
                path,
            ),
        )

    def test_products_of_the_units_for_matrices(self):
        """Of fp64 and fp32 some chips have a rate for matrices, and half of it for all else."""
        for dtype, chip, known, peak in (
            ("double", "NVIDIA H100 80GB HBM3", "fp64", 67),
            ("double", "AMD Instinct MI300X", "fp64", 163.4),
            ("float", "AMD Instinct MI250X", "fp32", 47.85),
            ("float", "NVIDIA H100 80GB HBM3", "fp32", 67),
        ):
            path = self.file(
                {
                    "deviceProperties": [{"id": 0, "name": chip}],
                    "traceEvents": [
                        dict(
                            ph="X",
                            cat="cpu_op",
                            name="aten::mm",
                            pid=9,
                            tid=9,
                            ts=5,
                            dur=20,
                            args={"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": [dtype] * 2},
                        ),
                        cuda_launch(10, 4),
                        kernel("gemm", 1, 1000, 4000),
                    ],
                }
            )
            self.assertEqual(
                [(known, peak)],
                self.rows("SELECT dtype, peak_tflop_per_s FROM trace_device_op_roofline(?)", path),
                (dtype, chip),
            )

    def test_calls_that_kept_no_device_busy(self):
        """Rates and the roofline's share are of the others; bytes that one call lacks nobody knows of all."""
        self.load()
        for device_ns, nbytes in ((1000, 4000), (None, 4000)):
            self.db.execute(
                "INSERT INTO device_operators (trace, chip, op, shapes, dtypes, start_ns, end_ns, flops, bytes, device_ns, activities) VALUES "
                "('t', 'nvidia-h100-sxm', 'aten::mm', '[]', '[\"c10::Half\", \"c10::Half\"]', 0, 1, 989.5e6, ?, ?, 1)",
                (nbytes, device_ns),
            )
        self.assertEqual(
            self.rows("SELECT calls, flops, tflop_per_s, gb_per_s, flops_per_byte FROM device_op_work"),
            [(2, 1979e6, 989.5, 4.0, 247375.0)],
        )
        self.assertEqual(self.rows("SELECT dtype, roofline_share FROM device_op_roofline"), [("fp16", 1.0)])
        self.db.execute("UPDATE device_operators SET bytes = NULL WHERE device_ns IS NULL")
        self.assertEqual(
            self.rows("SELECT bytes, gb_per_s, flops_per_byte, tflop_per_s FROM device_op_work"),
            [(None, None, None, 989.5)],
        )

    def test_rules_in_capitals(self):
        self.db.execute("CREATE TEMP TABLE device_class_rules(priority, kind, name, class)")
        self.db.execute("INSERT INTO device_class_rules VALUES (5, 'kernel', 'MyRing_*', 'communication')")
        ring = kernel("MyRing_Step", 1, 100, 50)
        self.assertEqual(
            self.rows(
                "SELECT class FROM trace_device_activity(?)", self.file({"schemaVersion": 1, "traceEvents": [ring]})
            ),
            [("communication",)],
        )

    def test_chips_that_are_numbered_otherwise(self):
        """ROCm numbers its devices from 0 where it describes them, and among all agents of the host, CPUs first, where they run. Where all
        are of one name the number does not matter."""
        kernel = {
            "ph": "X",
            "cat": "kernel",
            "name": "gemm",
            "ts": 10,
            "dur": 5,
            "pid": 2,
            "tid": 0,
            "args": {"device": 2, "stream": 0, "correlation": 1},
        }
        launch = {
            "ph": "X",
            "cat": "cuda_runtime",
            "name": "hipLaunchKernel",
            "ts": 5,
            "dur": 1,
            "pid": 9,
            "tid": 9,
            "args": {"correlation": 1},
        }
        work = {
            "ph": "X",
            "cat": "cpu_op",
            "name": "aten::mm",
            "ts": 4,
            "dur": 3,
            "pid": 9,
            "tid": 9,
            "args": {"Input Dims": [[64, 64], [64, 64]], "Input type": ["c10::BFloat16", "c10::BFloat16"]},
        }
        for names, chip in (
            (["AMD Instinct MI300X VF"], "AMD Instinct MI300X VF"),
            (["AMD Instinct MI300X"] * 8, "AMD Instinct MI300X"),
            (["a", "b"], None),
            (["a", "b", "c"], "c"),
            (["", ""], None),
            (["a", ""], None),
            ([], None),
        ):
            described = [{"id": i, "name": name} for i, name in enumerate(names)]
            self.load(path := self.file({"deviceProperties": described, "traceEvents": [work, launch, kernel]}))
            self.assertEqual(self.rows("SELECT chip FROM device_activity WHERE trace = ?", path), [(chip,)], names)
        for name, peak in (("amd_instinct MI300X-vf", 1307.4), ("nonesuch", None)):
            self.load(
                path := self.file(
                    {"deviceProperties": [{"id": 0, "name": name}], "traceEvents": [work, launch, kernel]}
                )
            )
            self.assertEqual(
                self.rows("SELECT op, chip, peak_tflop_per_s FROM device_op_roofline WHERE trace = ?", path),
                [("aten::mm", name, peak)],
            )

    def test_the_argument_names_what_the_profile_does_not(self):
        """chip_name stands where a profile names no chip, and never in place of what it says, whatever wrote it."""
        told = {
            name: "fixtures/" + name
            for name in (
                "profile/rank0.json",
                "nsys/two-gpus.sqlite",
                "rocpd/4242_results.db",
                "rocpd/4242_results.json",
                "xplane",
                "ascend",
            )
        }
        with open(os.path.join(ROOT, told["profile/rank0.json"])) as file:
            nameless = json.load(file) | {"deviceProperties": []}
        silent = {
            "kineto": self.file(nameless, "rank0.json"),
            "perfetto": "fixtures/perfetto",
            "xprof": "fixtures/profile/tpu.trace.json",
        }
        chips = "SELECT DISTINCT chip FROM trace_device_activity(?, ?)"
        for name, path in told.items():
            said = self.rows(chips, path, None)
            self.assertNotIn((None,), said, name)
            self.assertEqual(said, self.rows(chips, path, "nvidia-h200"), name)
        for name, path in silent.items():
            self.assertEqual([(None,)], self.rows(chips, path, None), name)
            self.assertEqual([("nvidia-h200",)], self.rows(chips, path, "nvidia-h200"), name)
        peak = "SELECT DISTINCT peak_tflop_per_s FROM trace_device_op_roofline(?, ?)"
        self.assertEqual(
            ([(None,)], [(989.5,)]), tuple(self.rows(peak, silent["kineto"], chip) for chip in (None, "nvidia-h200"))
        )

    def test_why_operators_have_no_rows_or_no_roofline(self):
        """A profile without shapes, one of another profiler, a chip that is not told or not known: each is listed, if operators are asked for."""
        with open(os.path.join(ROOT, "fixtures/profile/rank0.json")) as file:
            told = json.load(file)
        events = [
            {**e, "args": {k: v for k, v in e.get("args", {}).items() if k != "Input Dims"}}
            for e in told["traceEvents"]
        ]
        issues = "SELECT severity, kind, detail GLOB ? FROM mpg_issues WHERE source = ? AND kind IN ('no_flops', 'no_chip', 'unknown_chip')"
        for profile, chip, expected, said in (
            (told, None, True, None),
            (told | {"traceEvents": events}, None, False, ("no_flops", "*record_shapes=True")),
            (told | {"deviceProperties": []}, None, True, ("no_chip", "*give chip_name")),
            (
                told | {"deviceProperties": [{"id": 0, "name": "X9"}]},
                None,
                True,
                ("unknown_chip", "*'X9': give chip_name*"),
            ),
            (told | {"deviceProperties": []}, "nvidia-h200", True, None),
            ("fixtures/xplane/tpu-host-0.xplane.pb", None, False, ("no_flops", "*see flops of trace_device_activity")),
        ):
            path = profile if isinstance(profile, str) else self.file(profile, "rank0.json")
            for table in ("op_roofline", "op_work", "operators", "time"):
                rows = self.rows(f"SELECT count(*) > 0 FROM trace_device_{table}(?, ?)", path, chip)
                self.assertEqual([(expected or table == "time",)], rows, (table, said))
                asks = said and (table == "op_roofline" or said[0] == "no_flops" and table != "time")
                kind, detail = said or (None, None)
                self.assertEqual([("warning", kind, 1)] if asks else [], self.rows(issues, detail, path), (table, said))

    def test_steps_of_old_traces(self):
        """Before annotations had a category of their own a step was an operator."""

        def event(cat, name, pid, tid, ts, dur, **args):
            return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}

        for cat in ("Operator", "cpu_op"):
            events = [event(cat, "ProfilerStep#2", 5, "6", 0, 100), event(cat, "aten::mm", 5, "6", 10, 20)]
            for i, launch in enumerate((12, 50)):
                events += [
                    event("Runtime", "cudaLaunchKernel", 5, "6", launch, 3, correlation=i + 1),
                    event("Kernel", "k", 0, 7, 200 + 10 * i, 5, device=0, stream=7, correlation=i + 1),
                ]
            self.load(self.file(json.dumps(events), "old.json"))
            self.assertEqual(
                self.rows("SELECT step, op FROM device_activity ORDER BY start_ns"), [("2", "aten::mm"), ("2", None)]
            )
            self.assertEqual(
                self.rows("SELECT side, process, step, start_ns, end_ns FROM device_steps"),
                [("host", "5", "2", 0, 100000)],
            )
            self.assertEqual(self.rows("SELECT side, name FROM device_ranges"), [("host", "ProfilerStep#2")])
            for table in ("activity", "steps", "ranges", "traces"):
                self.db.execute(f"DELETE FROM device_{table}")

    def test_what_decides_a_price(self):
        """Packed types, packed sequences and windows have no price; a window of -1 is none."""
        mm, qkv = "[[4, 8], [8, 2]]", [[1, 64, 2, 8]] * 3

        def price(name, dims, concrete=None, types=None):
            return self.rows(
                "SELECT op_flops(?, ?, ?, ?)",
                name,
                json.dumps(dims) if isinstance(dims, list) else dims,
                json.dumps(concrete) if concrete else None,
                json.dumps(types) if types else None,
            )[0][0]

        self.assertEqual(price("aten::mm", mm), 128)
        for kind, flops in (
            ("c10::BFloat16", 128),
            ("c10::Float4_e2m1fn_x2", 256),
            ("c10::quint4x2", None),
            ("c10::UInt4", None),
            ("c10::Bits1x8", None),
            ("long int", 128),
            ("c10::complex<float>", 512),
            ("struct c10::complex<double>", 512),
        ):
            self.assertEqual(price("aten::mm", mm, None, [kind] * 2), flops, kind)
        for kind, flops in (("double", 136), ("c10::complex<double>", 528)):  # and the addition of a bias
            self.assertEqual(price("aten::addmm", "[[2], [4, 8], [8, 2]]", None, [kind] * 3), flops)
            self.assertEqual(price("aten::linear", "[[4, 8], [2, 8], [2]]", None, [kind] * 3), flops)
        self.assertIsNone(price("aten::mm", mm, None, ["c10::Float4_e2m1fn_x2", "c10::Half"]))
        self.assertIsNone(price("aten::_scaled_mm", mm, None, ["unsigned char"] * 2))
        dense = 2 * 2 * 64 * 64 * 16
        for left, right, flops in (("", "", dense), ("-1", "-1", dense), ("16", "0", None), ("-1", "0", None)):
            self.assertEqual(
                price("aten::_flash_attention_forward", qkv + [[]] * 12, [""] * 8 + ["False", "", "", left, right]),
                flops,
            )
        self.assertIsNone(price("aten::_flash_attention_forward", qkv + [[5], [5]], [""] * 8 + ["False"]))

    def test_queues_of_intel(self):
        """Intel's activities have no stream: the queue is the thread that the trace lists them under, and their calls are found all the same."""

        def event(cat, name, pid, tid, ts, dur, **args):
            return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}

        events = [
            event("user_annotation", "ProfilerStep#3", 5, 6, 0, 100),
            event("cpu_op", "aten::mm", 5, 6, 10, 20),
            event("xpu_runtime", "urEnqueueKernelLaunch", 5, 6, 12, 3, correlation=1),
            event("xpu_runtime", "urEnqueueUSMMemcpy", 5, 6, 40, 3, correlation=2),
            event("xpu_runtime", "urEventWait", 5, 6, 50, 30, correlation=3),
            event("kernel", "gemm_kernel", 0, 1, 20, 5, device=0, correlation=1, **{"sycl queue": 1}),
            event("gpu_memcpy", "Memcpy M2D", 0, 2, 22, 5, device=0, correlation=2, bytes=64, **{"sycl queue": 2}),
        ]
        self.load(self.file(json.dumps(events), "xpu.json"))
        self.assertEqual(
            self.rows(
                "SELECT stream, kind, name, step, launch_name, launch_ns, op FROM device_activity ORDER BY start_ns"
            ),
            [
                ("1", "kernel", "gemm_kernel", "3", "urEnqueueKernelLaunch", 12000, "aten::mm"),
                ("2", "memcpy", "Memcpy M2D", "3", "urEnqueueUSMMemcpy", 40000, None),
            ],
        )
        self.assertEqual(self.rows("SELECT * FROM device_gaps"), [])

    def test_xprof(self):
        """JAX's Chrome trace: the device's own steps, categories that tell what names do not, loops that hold their bodies."""
        with open(os.path.join(ROOT, "fixtures/profile/tpu.trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        more = {"ph": "X", "pid": 3, "tid": 3, "ts": 1500.5, "dur": 300}
        trace["traceEvents"][-1:-1] = [
            dict(more, name="while.1", args={"hlo_category": "while"}),
            dict(more, name="while.2", args={}),
            dict(more, name="fusion.99", args={"hlo_category": "all-gather"}),
            dict(more, name="step", tid=1, pid=701),
            dict(more, name="again", tid=2),
        ]
        self.script("device.sql")
        self.script("formats/xprof.sql", trace=self.file(trace, "tpu.json"), chip=None)
        self.script("device_views.sql")
        wanted = sorted(
            (event["name"], round(event["ts"] * 1000), round(float(event["args"].get("flops", 0))), step)
            for event in trace["traceEvents"]
            if event and event["ph"] == "X" and event["tid"] == 3 and "while" not in event["name"]
            for step in (("100", "101")[event["ts"] >= 1912],)
        )
        self.assertEqual(
            self.rows("SELECT name, start_ns, ifnull(flops, 0), step FROM device_activity ORDER BY 1, 2"), wanted
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT name, class FROM device_activity ORDER BY 1"),
            [
                ("all-reduce.3", "communication"),
                ("fusion.12", "compute"),
                ("fusion.14", "compute"),
                ("fusion.99", "communication"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT side, device, step, end_ns - start_ns FROM device_steps"),
            [("device", "/device:TPU:0", step, 410250) for step in ("100", "101")],
        )
        self.assertEqual(
            self.rows("SELECT step, step_ns, activities FROM device_step_time"),
            [("100", 410250, 4), ("101", 410250, 3)],
        )
        self.check_views(1)

    def test_xprof_s_custom_calls_have_no_price(self):
        with open(os.path.join(ROOT, "fixtures/profile/tpu.trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        of_device = [
            event for event in trace["traceEvents"] if event.get("ph") == "X" and (event["pid"], event["tid"]) == (3, 3)
        ]
        of_device[0]["args"].update(hlo_category="custom-call", flops="0")
        rows = self.rows(
            "SELECT flops FROM trace_device_activity(?) WHERE start_ns = (SELECT min(start_ns) FROM trace_device_activity(?1))",
            self.file(json.dumps(trace), "tpu.trace.json"),
        )
        self.assertEqual([(None,)], rows)

    def test_xprof_of_gpus(self):
        """XProf derives lines of a GPU from its streams, XLA Ops among them: the same time told again."""

        def event(tid, name, ts, **args):
            return {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": ts, "dur": 2, "args": args}

        names = ((1, "Stream #13(Compute)"), (2, "XLA Modules"), (3, "XLA Ops"), (4, "Steps"))
        trace = {
            "traceEvents": [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}}]
            + [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}} for tid, name in names]
            + [
                event(4, "7", 0),
                event(2, "jit_f", 0),
                event(3, "fusion.1", 0, hlo_op="fusion.1"),
                event(1, "fusion_1", 0, hlo_op="fusion.1"),
                event(1, "ncclDevKernel_AllReduce", 4),
            ]
        }
        self.script("device.sql")
        self.script("formats/xprof.sql", trace=self.file(trace, "gpu.json"), chip=None)
        self.assertEqual(
            self.rows("SELECT stream, name, class, start_ns FROM device_activity ORDER BY start_ns, name"),
            [
                ("Stream #13(Compute)", "fusion_1", "compute", 0),
                ("Stream #13(Compute)", "ncclDevKernel_AllReduce", "communication", 4000),
            ],
        )

    def test_class_rules(self):
        self.load()
        wanted = {
            ("kernel", "ncclDevKernel_AllReduce"): "communication",
            ("kernel", "void gemm"): "compute",
            ("memcpy", "Memcpy HtoD"): "memory",
            ("memset", "Memset (Device)"): "memory",
            ("sync", "Stream Wait Event"): "sync",
            ("kernel", "all-reduce.3"): "communication",
            ("kernel", "rcclGenericKernel"): "communication",
            ("kernel", "copy-start.1"): "memory",
            ("kernel", "copy.1"): "compute",
            ("kernel", "collective-reduce.1"): "communication",
            **{
                ("kernel", name): "communication"
                for name in ("send", "send.3", "Recv.12", "send-done.1", "recv-done", "void sendrecv_kernel<int>(int*)")
            },
            **{("kernel", name): "compute" for name in ("sender_of_tokens", "recvx", "sends", "receive_buffer_copy")},
        }
        for (kind, name), kind_of in wanted.items():
            self.assertEqual(
                self.one(
                    "SELECT class FROM device_class_rules WHERE ?1 GLOB kind AND lower(?2) GLOB name ORDER BY priority LIMIT 1",
                    kind,
                    name,
                ),
                kind_of,
            )


if __name__ == "__main__":
    unittest.main()
