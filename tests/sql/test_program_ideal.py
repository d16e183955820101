"""Ideal times of programs over HLO: the script sql/formats/hlo.sql, chip by chip, and roofline_ideal, against sums by hand and published times."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from fleets import ROOT, connect
from program import HLO, SHARED, Case
from scripts import script_text

LLAMA = os.path.join(SHARED, "traces/hlo/xla_benchmarks")


class Ideal(Case):
    def script(self, hlo, chip, **more):
        values = {"hlo": hlo, "chip": chip, **more}
        script = script_text("sql/formats/hlo.sql")
        setting = "".join(f".param set :{name} {value}\n" for name, value in values.items() if value is not None)
        queries = (
            "SELECT json_group_array(json_object('program', program, 'flops', flops, 'bytes', bytes, 'dtype', dtype)) FROM programs;\n"
            "SELECT json_group_array(json_object('program', program, 'compute', compute_s, 'memory', memory_s, 'interconnect', interconnect_s)) "
            "FROM hlo_ideal;\n"
        )
        done = subprocess.run(
            ["sqlite3", "-batch", "-bail", "-init", "/dev/null", ":memory:"],
            input=".load ./mpg\n" + setting + script + queries,
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        programs, ideals = map(json.loads, done.stdout.splitlines())
        return {p.pop("program"): p for p in programs}, {i.pop("program"): i for i in ideals}

    def test_script(self):
        """Of all devices together; mixed dtypes as FLOPs of the main one that take as long."""
        programs, ideals = self.script("fixtures/hlo", "nvidia-h100-sxm")
        step = 28 * 2 * 4096 * 1024 * 4096
        self.assertEqual(
            programs["jit_train_step"], {"flops": 8 * step, "bytes": 8 * (75497472 + 67108868), "dtype": "bf16"}
        )
        self.assertAlmostEqual(ideals["jit_train_step"]["compute"], step / 989.5e12)
        self.assertAlmostEqual(ideals["jit_train_step"]["interconnect"], 4 * 2 * 2 * 7 / 8 * 2 * 1024 * 4096 / 450e9)
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        self.assertAlmostEqual(ideals["jit_fp8_step"]["compute"], (fp8 / 1979e12 + bf16 / 989.5e12) / 4)
        self.assertAlmostEqual(programs["jit_fp8_step"]["flops"] / (fp8 + 2 * bf16), 1)
        self.assertEqual(programs["jit_fp8_step"]["dtype"], "fp8")
        self.assertAlmostEqual(ideals["jit_decode"]["memory"], (536936448 + 524288) / 3350e9)

    def test_without_a_chip(self):
        """No ideal time, and an issue for each file that names the option. The other tables need no chip."""
        db = connect()
        path = os.path.join(ROOT, "fixtures/hlo/train_step.hlo")
        issues = "SELECT source, severity, kind, count, detail FROM mpg_issues WHERE kind = 'no_chip'"
        self.assertEqual(db.execute("SELECT * FROM trace_hlo_ideal(?)", (path,)).fetchall(), [])
        self.assertEqual(
            db.execute(issues).fetchall(),
            [(path, "warning", "no_chip", 1, "no ideal times: expected chip_name, or the option chip of a fleet file")],
        )
        for query in ("trace_hlo_programs(?)", "trace_hlo_flops(?)", "trace_hlo_ideal(?, 'tpu-v5p')"):
            self.assertNotEqual(db.execute(f"SELECT * FROM {query}", (path,)).fetchall(), [])
            self.assertEqual(db.execute(issues).fetchall(), [])

    def test_chips_of_several_devices(self):
        """Two devices of a tpu7x are one chip: a device, which a module is of, has half of its peak, bandwidth and links. FLOPs stay what they are."""
        step, sent = 28 * 2 * 4096 * 1024 * 4096, 4 * 2 * 2 * 7 / 8 * 2 * 1024 * 4096
        for chip in ("tpu7x", "Ironwood", "AMD_MI250X", "amd-mi250x-gcd", "tpu-v5p"):
            peak, bandwidth, links, devices = self.rows(
                "SELECT chip_peak_flops(?1, 'bf16'), chip_bandwidth(?1), chip_interconnect(?1), CASE WHEN ?1 IN ('tpu-v5p', 'amd-mi250x-gcd') THEN 1 ELSE 2 END",
                chip,
            )[0]
            programs, ideals = self.script("fixtures/hlo/train_step.hlo", chip)
            ideal = ideals["jit_train_step"]
            for found, expected in (
                (ideal["compute"], step / (peak / devices)),
                (ideal["memory"], (75497472 + 67108868) / (bandwidth / devices)),
                (ideal["interconnect"], sent / (links / devices)),
            ):
                self.assertAlmostEqual(found / expected, 1, 12, chip)
            self.assertEqual(programs["jit_train_step"]["flops"], 8 * step)
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        programs, ideals = self.script("fixtures/hlo/fp8_step.hlo", "tpu7x")
        self.assertAlmostEqual(ideals["jit_fp8_step"]["compute"] / ((fp8 / 4614e12 + bf16 / 2307e12) / 4 * 2), 1, 12)
        self.assertAlmostEqual(programs["jit_fp8_step"]["flops"] / (fp8 + 2 * bf16), 1, 12)

    def test_types_without_a_peak(self):
        """Products of integers, for which no chip has a peak, make their program unrated, and not those beside it."""
        with tempfile.TemporaryDirectory() as folder:

            def module(name, *dtypes):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(
                        f"HloModule {name}\nENTRY e {{\n"
                        + "".join(
                            f"x{i} = {d}[8,16] parameter({i})  d{i} = {d}[8,8] dot(x{i}, x{i}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}\n"
                            for i, d in enumerate(dtypes)
                        )
                        + "}\n"
                    )

            for name, dtypes in (
                ("plain", ["bf16"]),
                ("mixed", ["bf16", "s32"]),
                ("mostly", ["s32", "s32", "bf16"]),
                ("whole", ["s32"]),
                ("floats", ["f32", "bf16"]),
            ):
                module(name, *dtypes)
            one = 2 * 8 * 8 * 16
            programs, ideals = self.script(
                folder, "nvidia-h100-sxm", f32="TensorFloat_32"
            )  # as roofline_seconds takes it
            self.assertEqual(
                {
                    p: (row["flops"], row["dtype"])
                    for p, row in programs.items()
                    if p not in ("mixed", "mostly", "floats")
                },
                {"plain": (one, "bf16"), "whole": (one, "s32")},
            )
            self.assertEqual(
                [programs[p]["flops"] for p in ("mixed", "mostly")]
                + [ideals[p]["compute"] for p in ("mixed", "mostly", "whole")],
                [None] * 5,
            )
            self.assertEqual(programs["mostly"]["dtype"], "s32")
            self.assertAlmostEqual(ideals["plain"]["compute"] / (one / 989.5e12), 1)
            self.assertAlmostEqual(ideals["floats"]["compute"] / (one / 989.5e12 + one / 494.5e12), 1)

    def test_units_that_multiply_matrices(self):
        """Products of f64 and f32 take the matrix units' peak, of a chip without such units the vector units'."""
        with tempfile.TemporaryDirectory() as folder:
            for dtype in ("f64", "f32"):
                with open(os.path.join(folder, dtype + ".hlo"), "w") as file:
                    file.write(
                        f"HloModule {dtype}\nENTRY e {{\n  a = {dtype}[1024,512] parameter(0)\n"
                        f"  ROOT d = {dtype}[1024,1024] dot(a, a), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}\n}}\n"
                    )
            flops = 2 * 1024 * 1024 * 512
            for chip, f64, f32 in (
                ("nvidia-a100-80-sxm4", 19.5e12, 19.5e12),
                ("nvidia-h200-sxm", 67e12, 67e12),
                ("nvidia-b200", 37e12, 75e12),
                ("amd-mi250x", 95.7e12 / 2, 95.7e12 / 2),  # a module is of one of its two devices
                ("amd-mi300x", 163.4e12, 163.4e12),
                ("nvidia-v100-sxm2-16", 7.8e12, 15.7e12),
                ("nvidia-h800-sxm", 1e12, 67e12),
            ):
                found = dict(self.rows("SELECT program, compute_s FROM trace_hlo_ideal(?, ?)", folder, chip))
                self.assertAlmostEqual(found["f64"] / (flops / f64), 1, 9, chip)
                self.assertAlmostEqual(found["f32"] / (flops / f32), 1, 9, chip)
                rows = self.rows(
                    "SELECT module, roofline_ideal(flops, 0, ?, dtype_class) FROM hlo_trace(?) WHERE multiply IS NOT NULL GROUP BY module",
                    chip.replace("250x", "250x-gcd"),
                    folder,
                )
                for program, seconds in rows:
                    self.assertAlmostEqual(seconds / found[program], 1, 9, chip)
            vector = self.rows("SELECT compute_s FROM trace_hlo_ideal(?, 'amd-mi250x', 'fp32')", folder + "/f32.hlo")
            self.assertAlmostEqual(vector[0][0] / (flops / 23.95e12), 1, 9)
            with open(os.path.join(folder, "fleet.jsonl"), "w") as file:
                for record in (
                    {
                        "record": "capacity",
                        "pool": "p",
                        "chip": "amd-mi250x",
                        "chips": 1,
                        "start_time": 0,
                        "end_time": 1,
                    },
                    {"record": "job", "job": "j", "chips": 1},
                    {
                        "record": "allocation",
                        "job": "j",
                        "pool": "p",
                        "chips": 1,
                        "start_time": 0,
                        "end_time": 1,
                        "outcome": "completed",
                    },
                    {
                        "record": "span",
                        "job": "j",
                        "kind": "step",
                        "start_time": 0,
                        "end_time": 1,
                        "step": 1,
                        "program": "f64",
                        "executions": 10000,
                    },
                ):
                    file.write(json.dumps(record) + "\n")
            self.assertAlmostEqual(
                self.one("SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE category = 'ideal'", folder),
                10000 * flops / 95.7e12,
                5,
            )

    def test_types_without_a_peak_on_the_chip(self):
        """Those that other chips have one for: a program of today's chips, looked at for a chip of yesterday. bf16 and fp16 stand in for each other."""
        for chip in ("nvidia-a100-80-sxm4", "NVIDIA A100-SXM4-80GB"):
            programs, ideals = self.script("fixtures/hlo/fp8_step.hlo", f"'{chip}'")
            self.assertEqual((programs["jit_fp8_step"]["dtype"], programs["jit_fp8_step"]["flops"]), ("fp8", None))
            self.assertIsNone(ideals["jit_fp8_step"]["compute"])
            self.assertGreater(ideals["jit_fp8_step"]["memory"], 0)
        self.assertIsNotNone(self.script("fixtures/hlo/fp8_step.hlo", "nvidia-h100-sxm")[1]["jit_fp8_step"]["compute"])
        ideals = self.script("fixtures/hlo/train_step.hlo", "nvidia-v100-sxm2-32")[1]
        self.assertAlmostEqual(ideals["jit_train_step"]["compute"], 28 * 2 * 4096 * 1024 * 4096 / 125e12)

    def test_script_without_a_chip(self):
        """No one peak is right for a program of several dtypes: unrated, rather than wrong."""
        programs, ideals = self.script("fixtures/hlo", None)
        self.assertIsNone(programs["jit_fp8_step"]["flops"])
        self.assertEqual(programs["jit_decode"]["flops"], 4294967296)
        self.assertEqual(ideals, {})

    def test_devices(self):
        programs, _ = self.script("fixtures/hlo/decode.hlo", None, devices=4)
        self.assertEqual(programs["jit_decode"]["flops"], 4 * 4294967296)
        for devices in (0, -2):
            self.assertIn(
                "expected a value for a device_count above 0",
                self.error("SELECT * FROM trace_hlo_programs(?, 'tpu-v5p', 'fp32', ?)", HLO + "/decode.hlo", devices),
            )

    def test_roofline_over_rows(self):
        """The sum of F_d / P_d, straight over hlo_trace."""
        self.assertAlmostEqual(
            self.one(
                "SELECT roofline_ideal(flops, 0, 'nvidia-h100-sxm', dtype_class) FROM hlo_trace(?) WHERE multiply IS NOT NULL",
                HLO + "/fp8_step.hlo",
            ),
            2 * 2 * 8192 * 4096**2 / 1979e12 + 2 * 8192 * 4096 * 1024 / 989.5e12,
        )

    def test_order_of_ideals(self):
        """Per operation >= per program >= compute alone, for the same FLOPs and bytes."""
        for name in ("decode", "train_step"):
            operations, program, compute = self.rows(
                "SELECT roofline_ideal(flops, bytes, 'tpu-v5e'), roofline_seconds(sum(flops), sum(bytes), 'tpu-v5e'), roofline_seconds(sum(flops), 'tpu-v5e') "
                "FROM hlo_trace(?)",
                f"{HLO}/{name}.hlo",
            )[0]
            self.assertGreaterEqual(operations, program)
            self.assertGreaterEqual(program, compute)

    @unittest.skipUnless(os.path.exists(LLAMA), "needs ../shared/traces/hlo")
    def test_llama_405b(self):
        """24.96 s at H100's bf16, 12.56 s with the split into fp8."""
        for name, seconds in [("bf16", "24.96"), ("fp8", "12.56")]:
            _, ideals = self.script(f"{LLAMA}/hlo_llama31_405b_{name}_16x8.hlo", "nvidia-h100-sxm")
            self.assertEqual(f"{ideals['jit_train_step']['compute']:.2f}", seconds)

    @unittest.skipUnless(os.path.exists(LLAMA), "needs ../shared/traces/hlo")
    def test_llama_8b_by_hand(self):
        """Closed form of its dots: 16384 tokens of [6 x weights of the layers + 10 x unembedding]; attention is in a custom call, and so absent."""
        self.assertEqual(
            self.one("SELECT matmul_flops FROM hlo_cost(?)", f"{LLAMA}/hlo_llama31_8b_bf16_1x8.hlo"),
            16384 * (6 * 6979321856 + 10 * 525336576),
        )
        self.assertEqual(self.flops(mode="training", parameters=6979321856, tokens=16384), 16384 * 6 * 6979321856)
        self.assertEqual(
            self.flops(
                mode="forward",
                layers=32,
                width=4096,
                heads=32,
                kv_heads=8,
                ffn=14336,
                gated=True,
                vocabulary=0,
                tokens=1,
                sequence=0,
                causal=False,
            ),
            2 * 6979321856,
        )

    def test_interconnect(self):
        self.assertEqual(self.one("SELECT chip_interconnect('NVIDIA H100 80GB HBM3')"), 450e9)
        self.assertIsNone(self.one("SELECT chip_interconnect(NULL)"))
        with self.assertRaisesRegex(sqlite3.OperationalError, "^chip_interconnect: unknown chip 'h1000'"):
            self.one("SELECT chip_interconnect('h1000')")


class InAFleet(Case):
    """Programs beside the records of who ran them, without the option chip."""

    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.file = shutil.copy(os.path.join(ROOT, "fixtures/hlo/fp8_step.hlo"), self.folder)

    def ideals(self, *pools, path=None):
        """By pool, what a thousand executions took of a job of four chips in 10 s."""
        with open(os.path.join(self.folder, "fleet.jsonl"), "w", encoding="utf-8") as file:
            for pool, chip in pools:
                for record in (
                    {"record": "capacity", "pool": pool, "chip": chip, "chips": 4, "start_time": 0, "end_time": 10},
                    {"record": "job", "job": "j" + pool, "chips": 4},
                    {
                        "record": "allocation",
                        "job": "j" + pool,
                        "pool": pool,
                        "chips": 4,
                        "start_time": 0,
                        "end_time": 10,
                        "outcome": "completed",
                    },
                    {
                        "record": "span",
                        "job": "j" + pool,
                        "kind": "step",
                        "start_time": 0,
                        "end_time": 10,
                        "step": 1,
                        "program": "jit_fp8_step",
                        "executions": 1000,
                    },
                ):
                    file.write(json.dumps(record) + "\n")
        found = self.rows(
            "SELECT pool, sum(iif(category = 'ideal', chip_us, NULL)) / 1e6 FROM trace_rollup(?) GROUP BY pool",
            path or self.folder,
        )
        return dict(found), self.rows(
            "SELECT severity, kind, count FROM mpg_issues WHERE source = ? ORDER BY kind", self.file
        )

    def test_the_one_chip_of_the_pools(self):
        """Two dtypes are FLOPs of one on that chip, by whatever name the pools have it."""
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        found, issues = self.ideals(("a", "NVIDIA H100 80GB HBM3"), ("b", "nvidia-h100-sxm"), ("c", "a site's own"))
        self.assertEqual(issues, [])
        for pool in "ab":
            self.assertAlmostEqual(found[pool], 1000 * (fp8 / 1979e12 + bf16 / 989.5e12), 5)
        self.assertIsNone(found["c"])
        self.assertEqual(
            self.rows("SELECT inferred FROM trace_sources(?) WHERE format = 'hlo'", self.folder),
            [('{"chip":"the one chip of the pools"}',)],
        )
        other = os.path.join(self.folder, "other.hlo")
        with open(other, "w", encoding="utf-8") as file:
            file.write("HloModule jit_other\nENTRY e { ROOT x = f32[] parameter(0) }\n")
        text = json.dumps(
            {
                "sources": [
                    {"path": other, "chip": "nvidia-h100-sxm"},
                    {"path": self.file},
                    {"path": os.path.join(self.folder, "fleet.jsonl")},
                ]
            }
        )
        self.assertEqual(self.ideals(("a", "nvidia-h100-sxm"), path=text), ({"a": found["a"]}, []))
        self.db.execute(
            "CREATE TABLE chips AS SELECT 'own-chip' AS chip, 'bf16' AS dtype, 1e15 AS peak_flops UNION ALL SELECT 'own-chip', 'fp8', 4e15"
        )
        self.assertAlmostEqual(self.ideals(("a", "own-chip"))[0]["a"], 1000 * (fp8 / 4e15 + bf16 / 1e15), 5)

    def test_several_chips(self):
        """Each job is rated on the chip of its pools, whose dtypes have another ratio; what a chip has no peak for is listed."""
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        found, issues = self.ideals(("a", "NVIDIA H100 80GB HBM3"), ("b", "nvidia-b200"), ("c", "amd-mi300x"))
        for pool, peaks in (("a", (1979e12, 989.5e12)), ("b", (4500e12, 2250e12)), ("c", (2614.9e12, 1307.4e12))):
            self.assertAlmostEqual(found[pool], 1000 * (fp8 / peaks[0] + bf16 / peaks[1]), 5, pool)
        self.assertEqual(issues, [])
        found, issues = self.ideals(("a", "nvidia-h100-sxm"), ("b", "nvidia-a100-80-sxm4"))
        self.assertAlmostEqual(found["a"], 1000 * (fp8 / 1979e12 + bf16 / 989.5e12), 5)
        self.assertEqual((found["b"], issues), (None, [("warning", "unknown_dtype", 1)]))

    def test_what_nothing_rates_is_listed(self):
        """Where no chip of the pools is known, and where the chip has no peak for one of the dtypes."""
        found, issues = self.ideals(("a", None))
        self.assertEqual((found["a"], issues), (None, [("warning", "no_chip", 1)]))
        found, issues = self.ideals(("a", "nvidia-a100-80-sxm4"))
        self.assertEqual((found["a"], issues), (None, [("warning", "unknown_dtype", 1)]))
        self.rows("SELECT * FROM trace_hlo_programs(?)", self.file)
        self.assertEqual(self.rows("SELECT kind FROM mpg_issues WHERE source = ?", self.file), [("no_chip",)])

    def test_the_option_comes_first(self):
        text = json.dumps(
            {
                "sources": [
                    {"path": self.file, "chip": "nvidia-b200"},
                    {"path": os.path.join(self.folder, "fleet.jsonl")},
                ]
            }
        )
        with_option = self.ideals(("a", "nvidia-h100-sxm"), path=text)[0]["a"]
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        self.assertAlmostEqual(with_option, 1000 * (fp8 / 4500e12 + bf16 / 2250e12) * 4500 / 1979, 5)
        for chip, said in (("nvidia-b200", 1), ("NVIDIA H100 80GB HBM3", 0)):  # right on that chip alone
            path = text.replace("nvidia-b200", chip)
            self.ideals(("a", "nvidia-h100-sxm"), ("b", None), path=path)
            listed = "SELECT total(count) FROM mpg_issues WHERE kind = 'conflict' AND detail LIKE '%b200%jit_fp8_step%h100-sxm%'"
            self.assertEqual(said, self.one(listed), chip)

    def test_pools_of_which_nothing_says_what_is_installed(self):
        """The option chip of their exports counts, whether all have one or each another."""
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        peaks = {"nvidia-h100-sxm": (1979e12, 989.5e12), "nvidia-b200": (4500e12, 2250e12)}
        spans = os.path.join(self.folder, "spans.jsonl")
        for chips in (("nvidia-h100-sxm", "nvidia-h100-sxm"), ("nvidia-h100-sxm", "nvidia-b200")):
            sources = [{"path": self.file}, {"path": spans}]
            with open(spans, "w", encoding="utf-8") as file:
                for n, chip in enumerate(chips):
                    path = os.path.join(self.folder, f"sacct-{n}.psv")
                    with open(path, "w", encoding="utf-8") as export:
                        export.write(
                            "JobIDRaw|JobID|Cluster|State|Submit|Start|End|AllocTRES\n"
                            + "|".join(
                                map(
                                    str,
                                    (
                                        n + 1,
                                        n + 1,
                                        f"pod{n}",
                                        "COMPLETED",
                                        *(1780000000 + seconds for seconds in (0, 0, 10)),
                                        "gres/gpu=4",
                                    ),
                                )
                            )
                            + "\n"
                        )
                    sources.append({"path": path, "chip": chip})
                    file.write(
                        json.dumps(
                            {
                                "record": "span",
                                "job": str(n + 1),
                                "kind": "step",
                                "start_time": 1780000000,
                                "end_time": 1780000010,
                                "step": 1,
                                "program": "jit_fp8_step",
                                "executions": 1000,
                            }
                        )
                        + "\n"
                    )
            found = dict(
                self.rows(
                    "SELECT pool, sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 FROM trace_rollup(?) GROUP BY pool",
                    json.dumps({"sources": sources}),
                )
            )
            for n, chip in enumerate(chips):
                self.assertAlmostEqual(
                    found[f"pod{n}"], 1000 * (fp8 / peaks[chip][0] + bf16 / peaks[chip][1]), 5, chips
                )

    def test_an_option_that_names_no_chip(self):
        """As a site's own name, or h100, which several chips share: the chip of the pools counts."""
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        other = os.path.join(self.folder, "other.hlo")
        with open(other, "w", encoding="utf-8") as file:
            file.write("HloModule jit_other\nENTRY e { ROOT x = f32[] parameter(0) }\n")
        for name in ("h100", "our GPUs"):
            text = json.dumps(
                {
                    "sources": [
                        {"path": self.file, "chip": name},
                        {"path": other},
                        {"path": os.path.join(self.folder, "fleet.jsonl")},
                    ]
                }
            )
            for pools in ((("a", "nvidia-h100-sxm"),), (("a", "nvidia-h100-sxm"), ("b", "nvidia-b200"))):
                found, issues = self.ideals(*pools, path=text)
                self.assertAlmostEqual(found["a"], 1000 * (fp8 / 1979e12 + bf16 / 989.5e12), 5)
                self.assertEqual(
                    (
                        issues,
                        self.rows(
                            "SELECT count FROM mpg_issues WHERE kind = 'unknown_chip' AND detail LIKE '%' || ? || '%'",
                            name,
                        ),
                    ),
                    ([], [(1,)]),
                )

    def test_a_chip_that_nothing_knows(self):
        """The error is of the argument, once, and not of each file."""
        self.ideals(("a", None))
        shutil.copy(os.path.join(ROOT, "fixtures/hlo/decode.hlo"), self.folder)
        self.assertRegex(
            self.error("SELECT * FROM trace_hlo_programs(?, 'h100-sxmm')", self.folder),
            r"^trace_hlo_programs: chip_name: unknown chip 'h100-sxmm'; nearest: nvidia-h100-sxm, [^:\n]*$",
        )


class OfJobs(Case):
    """Jobs that have programs of one name, as jit_train_step, each with its own work."""

    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def module(self, path, n, name="jit_train_step"):
        """A product of n x n matrices, 2 n^3 FLOPs."""
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"HloModule {name}\nENTRY e {{\n x = bf16[{n},{n}] parameter(0)\n"
                f" ROOT d = bf16[{n},{n}] dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n"
            )
        return path

    def ideals(self, *jobs, path=None, program="jit_train_step"):
        """By job, the n of the FLOPs that a million executions on one chip have, and what is listed of programs."""
        records = [
            {
                "record": "capacity",
                "pool": "p",
                "chip": "nvidia-h100-sxm",
                "chips": len(jobs),
                "start_time": 0,
                "end_time": 10,
            }
        ]
        for job in jobs:
            records += [
                {"record": "job", "job": job, "chips": 1},
                {
                    "record": "allocation",
                    "job": job,
                    "pool": "p",
                    "chips": 1,
                    "start_time": 0,
                    "end_time": 10,
                    "outcome": "completed",
                },
                {
                    "record": "span",
                    "job": job,
                    "kind": "step",
                    "start_time": 0,
                    "end_time": 10,
                    "step": 1,
                    "program": program,
                    "executions": 1000000,
                },
            ]
        with open(os.path.join(self.folder, "fleet.jsonl"), "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))
        found = self.rows(
            "SELECT job, round(pow(sum(chip_seconds) FILTER (WHERE category = 'ideal') * 989.5e12 / 2e6, 1 / 3.0)) FROM trace_timeline(?) "
            "WHERE program = ? GROUP BY job",
            path or self.folder,
            program,
        )
        return dict(found), self.rows("SELECT kind, count FROM mpg_issues WHERE kind GLOB '*program*' ORDER BY kind")

    def test_by_their_folders(self):
        self.module("5101/hlo/module_0001.jit_train_step.before_optimizations.txt", 512)
        self.module("5102/hlo/module_0001.jit_train_step.before_optimizations.txt", 1024)
        self.assertEqual(self.ideals("5101", "5102"), ({"5101": 512, "5102": 1024}, []))
        # A third job has one of its own, which nobody dumped, or one that lies beside all.
        self.assertEqual(
            self.ideals("5101", "5102", "5103"), ({"5101": 512, "5102": 1024, "5103": None}, [("unknown_program", 1)])
        )
        self.module("train_step.hlo", 256)
        self.assertEqual(self.ideals("5101", "5102", "5103"), ({"5101": 512, "5102": 1024, "5103": 256}, []))
        # Of a job that compiled it twice, the greater counts.
        self.module("5102/hlo/module_0007.jit_train_step.before_optimizations.txt", 2048)
        self.assertEqual(self.ideals("5101", "5102"), ({"5101": 512, "5102": 2048}, [("conflicting_program", 1)]))

    def test_of_several_dtypes(self):
        """Each by its own HLO, on the chip that its pool has."""
        for n in (256, 512):
            path = self.module(f"job-{n}/module_0001.jit_train_step.before_optimizations.txt", n)
            with open(path, "a", encoding="utf-8") as file:
                file.seek(file.tell() - 2)
                file.truncate()
                file.write(
                    f" y = f8e4m3fn[{n},{n}] parameter(1)\n z = bf16[{n},{n}] dot(y, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n"
                )
        records = []
        for n, chip in ((256, "nvidia-h100-sxm"), (512, "nvidia-b200"), (0, "nvidia-b200")):
            records += [
                {"record": "capacity", "pool": f"p{n}", "chip": chip, "chips": 1, "start_time": 0, "end_time": 10},
                {"record": "job", "job": f"job-{n}", "chips": 1},
                {
                    "record": "allocation",
                    "job": f"job-{n}",
                    "pool": f"p{n}",
                    "chips": 1,
                    "start_time": 0,
                    "end_time": 10,
                    "outcome": "completed",
                },
                {
                    "record": "span",
                    "job": f"job-{n}",
                    "kind": "step",
                    "start_time": 0,
                    "end_time": 10,
                    "step": 1,
                    "program": "jit_train_step",
                    "executions": 1000000,
                },
            ]
        with open(os.path.join(self.folder, "fleet.jsonl"), "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))
        found = dict(
            self.rows(
                "SELECT job, sum(chip_seconds) FILTER (WHERE category = 'ideal') FROM trace_timeline(?) GROUP BY job",
                self.folder,
            )
        )
        self.assertAlmostEqual(found["job-256"], 2e6 * 256**3 * (1 / 989.5e12 + 1 / 1979e12), 5)
        self.assertAlmostEqual(found["job-512"], 2e6 * 512**3 * (1 / 2250e12 + 1 / 4500e12), 5)
        self.assertIsNone(found["job-0"])  # whose HLO is not there

    def test_by_the_option(self):
        text = json.dumps(
            {
                "sources": [{"path": self.module(f"{n}.hlo", n), "job": job} for job, n in (("a", 256), ("b", 512))]
                + [{"path": os.path.join(self.folder, "fleet.jsonl")}]
            }
        )
        self.assertEqual(self.ideals("a", "b", path=text), ({"a": 256, "b": 512}, []))

    def test_of_jobs_that_spans_alone_tell(self):
        """OpenTelemetry's, whose spans name the job and the program."""
        for job, n in (("exp-1", 256), ("ml/exp-2", 512)):
            self.module(f"{job}/hlo/module_0001.jit_train_step.before_optimizations.txt", n)
            spans = [
                {
                    "name": name,
                    "spanId": f"{n}{i}",
                    "startTimeUnixNano": str(10**18),
                    "endTimeUnixNano": str(10**18 + 10**10),
                    "attributes": [
                        {"key": "mpg." + key, "value": {"stringValue": value}} for key, value in more.items()
                    ],
                }
                for i, (name, more) in enumerate(
                    (
                        ("attempt", {"chips": "1", "pool": "p", "chip": "nvidia-h100-sxm"}),
                        ("step", {"step": "1", "program": "jit_train_step", "executions": "1000000"}),
                    )
                )
            ]
            with open(os.path.join(self.folder, f"{n}.json"), "w", encoding="utf-8") as file:
                json.dump(
                    {
                        "resourceSpans": [
                            {
                                "resource": {"attributes": [{"key": "mpg.job", "value": {"stringValue": job}}]},
                                "scopeSpans": [{"spans": spans}],
                            }
                        ]
                    },
                    file,
                )
        found = self.rows(
            "SELECT job, sum(chip_seconds) FROM trace_timeline(?) WHERE category = 'ideal' GROUP BY job", self.folder
        )
        self.assertEqual(
            [(job, round((seconds * 989.5e12 / 2e6) ** (1 / 3))) for job, seconds in found],
            [("exp-1", 256), ("ml/exp-2", 512)],
        )

    def test_one_program_of_several_jobs(self):
        """Of one work, whosever dump it is: it counts for all."""
        for host in ("5101", "5102"):
            self.module(f"{host}/module_0001.jit_train_step.before_optimizations.txt", 512)
        self.module("5101/module_0002.jit_eval.before_optimizations.txt", 256, "jit_eval")
        self.assertEqual(self.ideals("5101", "5102", "5103"), ({"5101": 512, "5102": 512, "5103": 512}, []))
        self.assertEqual(self.ideals("5102", program="jit_eval"), ({"5102": 256}, []))

    def test_built_one_after_the_other(self):
        """Tables that had a job's spans before another's HLO came are as those that were built at once."""

        def built():
            self.db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()
            return self.rows(
                "SELECT job, round(pow(sum(chip_us) FILTER (WHERE category = 'ideal') / 1e6 * 989.5e12 / 2e6, 1 / 3.0)), count(*) FILTER (WHERE category = 'ideal') "
                "FROM mpg_timeline GROUP BY job ORDER BY job"
            ), self.one("SELECT count(*) FROM spans")

        self.module("5101/module_0001.jit_train_step.before_optimizations.txt", 512)
        self.ideals("5101", "5102")
        self.assertEqual(built(), ([("5101", 512, 1), ("5102", 512, 1)], 2))
        other = self.module("5102/module_0001.jit_train_step.before_optimizations.txt", 1024)
        self.assertEqual(built(), ([("5101", 512, 1), ("5102", 1024, 1)], 2))
        self.module("5102/module_0002.jit_train_step.before_optimizations.txt", 2048)
        self.assertEqual(built(), ([("5101", 512, 1), ("5102", 2048, 1)], 2))
        self.db.executescript(
            "INSERT INTO spans(id, job, kind, start_us, end_us, step, program, flops) VALUES (1, '5101', 'serve', 0, 1, 0, 'p', 3), (2, '5101', 'serve', 0, 1, 0, 'p', 4)"
        )
        self.module("5101/module_0003.jit_train_step.before_optimizations.txt", 600)
        built()  # what no reading tells stays
        self.assertEqual(self.rows("DELETE FROM spans WHERE kind = 'serve' RETURNING id"), [(1,), (2,)])
        os.remove(os.path.join(self.folder, "5101/module_0003.jit_train_step.before_optimizations.txt"))
        os.remove(other)
        self.assertEqual(built(), ([("5101", 512, 1), ("5102", 2048, 1)], 2))

    def test_the_number_of_a_module_is_no_job(self):
        self.module("module_5101.jit_train_step.before_optimizations.txt", 512)
        self.module("5102/module_0001.jit_train_step.before_optimizations.txt", 1024)
        self.assertEqual(self.ideals("5101", "5102", "5103"), ({"5101": 512, "5102": 1024, "5103": 512}, []))
        self.assertEqual(
            self.rows("SELECT DISTINCT job FROM trace_sources(?) WHERE format = 'hlo' ORDER BY job", self.folder),
            [(None,), ("5102",)],
        )


if __name__ == "__main__":
    unittest.main()
