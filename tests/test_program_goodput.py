"""Program goodput end to end: model FLOPs by shape, ideal times over HLO, and PG in the ledger."""
import csv
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import unittest
from decimal import Decimal

import cases
from fleets import ROOT, al, cap, connect, fleet, job, quote, sp, write_csv

SHARED = os.path.join(os.path.dirname(ROOT), "shared")
HLO = os.path.join(ROOT, "fixtures/hlo")
RUN = os.path.join(ROOT, "fixtures/hlo-run")
FOUNDRY = os.path.join(SHARED, "oracle/mfu/llm_foundry.csv")
LLAMA = os.path.join(SHARED, "traces/hlo/xla_benchmarks")


class Case(cases.Case):
    def flops(self, **shape):
        return self.one("SELECT transformer_flops(?)", json.dumps(shape))

    def refused(self, text, shape):
        self.fails("transformer_flops: " + text, "SELECT transformer_flops(?)", shape if isinstance(shape, str) else json.dumps(shape))


class Published(Case):
    """transformer_flops against figures that others published."""

    def test_palm(self):
        """arXiv 2204.02311, table 3: 46.2 %, 45.7 % without attention, at 238.3K tokens/s on 6144 TPU v4; N = 540.35e9."""
        peak = 6144 * self.one("SELECT chip_peak_flops('tpu-v4')")
        palm = dict(mode="training", parameters=540.35e9, tokens=1)
        self.assertEqual(f"{238300 * self.flops(**palm) / peak:.3f}", "0.457")
        self.assertEqual(f"{238300 * self.flops(**palm, layers=118, heads=48, head_dim=256, sequence=2048, causal=False) / peak:.3f}", "0.462")

    def test_palm_by_shape(self):
        """Multi-query attention, gated feed-forward, shared embedding: the same N within its five digits."""
        shape = dict(mode="forward", layers=118, width=18432, heads=48, head_dim=256, kv_heads=1, ffn=4 * 18432, gated=True, vocabulary=256000, tokens=1,
                     sequence=0, causal=False)
        self.assertEqual(f"{self.flops(**shape) / 2 / 1e9:.2f}", "540.35")

    def test_megatron(self):
        """arXiv 2104.04473 and NVIDIA/Megatron-LM#995: 126 TFLOP/s per A100 with full recomputation."""
        shape = dict(mode="training", recompute="full", layers=105, width=20480, ffn=4 * 20480, vocabulary=50272, batch=1920, sequence=2048, causal=False)
        self.assertEqual(round(self.flops(**shape) / 60.1 / 2240 / 1e12), 126)
        batch, s, layers, h, v = 1920, 2048, 105, 20480, 50272
        self.assertAlmostEqual(self.flops(**shape) / (96 * batch * s * layers * h**2 * (1 + s / (6 * h) + v / (16 * layers * h))), 1)
        shape["recompute"] = "none"
        self.assertAlmostEqual(self.flops(**shape) / (72 * batch * s * layers * h**2 * (1 + s / (6 * h) + v / (12 * layers * h))), 1)

    def test_maxtext(self):
        """Its documented log of deepseek2-16b: 764.67 TFLOP a step and device, 94.54 % of them with weights; 29.40 % of TPU v5p in 5.667 s.

        The weights that a token meets: latent attention, one dense layer, then 6 + 2 of 66 experts and the router. Queries and keys have 192 columns,
        values 128: on average 160."""
        attention = 2048 * 16 * 192 + 2048 * (512 + 64) + 512 * 16 * (128 + 128) + 16 * 128 * 2048
        active = 27 * attention + 3 * 2048 * 10944 + 26 * ((6 + 2) * 3 * 2048 * 1408 + 2048 * 64) + 2048 * 102400
        shape = dict(mode="training", parameters=active, layers=27, heads=16, head_dim=160, batch=24, sequence=2048, causal=True)
        total = self.flops(**shape)
        weights = self.flops(mode="training", parameters=active, tokens=24 * 2048)
        self.assertEqual((f"{total / 1e12:.2f}", f"{100 * weights / total:.2f}"), ("764.67", "94.54"))
        self.assertEqual(f"{100 * total / 5.667 / self.one('SELECT chip_peak_flops(?)', 'tpu-v5p'):.1f}", "29.4")

    @unittest.skipUnless(os.path.exists(FOUNDRY), "needs ../shared/oracle/mfu")
    def test_llm_foundry(self):
        """Measured rows of mosaicml/llm-foundry: MFU within 0.15 points, and HFU too where whole layers are recomputed."""
        shapes = {"125m": (12, 768), "350m": (24, 1024), "760m": (24, 1536), "1b": (24, 2048), "3b": (32, 2560), "7b": (32, 4096), "13b": (40, 5120),
                  "30b": (48, 7168), "70b": (80, 8192)}
        chips = {"h100_80gb": "nvidia-h100-sxm", "a100_80gb": "nvidia-a100-80-sxm4", "a100_40gb": "nvidia-a100-40-sxm4"}
        with open(FOUNDRY, newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            layers, width = shapes[row["model"]]
            shape = dict(mode="training", parameters=float(row["params"]), layers=layers, width=width, sequence=int(row["seq_len"]), tokens=1, causal=False)
            rate = float(row["tokens_per_s"]) / float(row["gpus"]) / self.one("SELECT chip_peak_flops(?, 'bf16')", chips[row["gpu"]])
            with self.subTest(**row):
                self.assertLess(abs(100 * rate * self.flops(**shape) - float(row["mfu_pct"])), 0.15)
                if row["hfu_pct"] != row["mfu_pct"]:
                    self.assertLess(abs(100 * rate * self.flops(**shape, recompute="full") - float(row["hfu_pct"])), 0.15)
        self.assertGreaterEqual(len(rows), 10)

    def test_megatron_lm(self):
        """Its num_floating_point_operations, with GQA, SwiGLU and experts; it counts no router."""
        rng = random.Random(1)
        for _ in range(50):
            layers, heads, kv, dim = rng.randint(1, 90), 64, rng.choice([1, 4, 8, 64]), rng.choice([64, 128])
            h, ffn, v, s, b, topk = rng.choice([2048, 8192]), rng.choice([1408, 14336]), rng.randint(0, 128256), rng.choice([512, 8192]), 7, rng.randint(1, 8)
            gated, q = rng.random() < 0.5, heads * dim
            theirs = 12 * b * s * layers * h**2 * (((1 + kv / heads) + s / h) * q / h + ffn / h * topk * (1.5 if gated else 1) + v / (2 * layers * h))
            ours = self.flops(mode="training", layers=layers, width=h, heads=heads, head_dim=dim, kv_heads=kv, ffn=ffn, gated=gated, vocabulary=v, experts=8,
                              active_experts=topk, batch=b, sequence=s, causal=False)
            self.assertAlmostEqual((ours - 6 * b * s * layers * h * 8) / theirs, 1)

    def test_scaling_book(self):
        """18BTDF for the gated feed-forward, 24BTDNH + 12BTTNH for attention, a layer in training (jax-ml/scaling-book, transformers.md)."""
        b, t, d, f, n, h = 3, 4096, 4096, 16384, 32, 128
        ours = self.flops(mode="training", layers=1, width=d, heads=n, head_dim=h, ffn=f, gated=1, vocabulary=0, batch=b, sequence=t, causal=0)
        self.assertEqual(ours, 18 * b * t * d * f + 24 * b * t * d * n * h + 12 * b * t * t * n * h)


class Forms(Case):
    BASE = dict(layers=2, width=64, heads=4, ffn=256, vocabulary=1000)

    def test_modes(self):
        shape = dict(self.BASE, batch=2, sequence=128, causal=False)
        forward = self.flops(mode="forward", **shape)
        attention = 2 * 128 * 4 * 2 * 64 * 128
        self.assertEqual(self.flops(mode="prefill", **shape), forward)
        self.assertEqual(self.flops(mode="training", **shape), 3 * forward)
        self.assertEqual(self.flops(mode="training", recompute="selective", **shape), 3 * forward + attention)
        self.assertEqual(self.flops(mode="training", recompute="full", **shape), 4 * forward - 2 * 128 * 2 * 64 * 1000)
        shape["causal"] = True
        self.assertEqual(self.flops(mode="forward", **shape), forward - attention / 2)

    def test_parameters(self):
        for mode, recompute, factor in [("forward", "none", 2), ("training", "none", 6), ("training", "full", 8)]:
            self.assertEqual(self.flops(mode=mode, recompute=recompute, parameters=7e9, tokens=1000), factor * 7e12)

    def test_decode(self):
        """One token at a time: with what came before, and no half is masked."""
        weights = self.flops(mode="forward", **self.BASE, tokens=1, sequence=0, causal=False)
        pair = 4 * 2 * 64
        self.assertEqual(self.flops(mode="decode", **self.BASE, batch=8, context=1000), 8 * (weights + pair * 1000))
        self.assertEqual(self.flops(mode="decode", **self.BASE, batch=8, context=1000, tokens=5),
                         sum(8 * (weights + pair * (1000 + i)) for i in range(5)))
        self.assertEqual(self.flops(mode="decode", parameters=7e9, batch=8), 8 * 14e9)

    def test_experts(self):
        """DeepSeek's form: dense layers first, then some of many experts, shared ones, and a router."""
        shape = dict(mode="forward", layers=3, width=64, ffn=32, gated=True, vocabulary=0, experts=16, active_experts=4, shared_ffn=64, dense_layers=1,
                     dense_ffn=512, tokens=1, sequence=0, causal=False)
        self.assertEqual(self.flops(**shape), 2 * (3 * 4 * 64 * 64 + 3 * 64 * 512 + 2 * (3 * 64 * (4 * 32 + 64) + 64 * 16)))

    def test_nulls(self):
        self.assertIsNone(self.one("SELECT transformer_flops(NULL)"))
        self.assertEqual(self.flops(mode="forward", parameters=1, tokens=1, layers=None), 2)
        self.assertEqual(self.one("SELECT transformer_flops(json_object('mode', 'forward', 'parameters', 7e9, 'tokens', 10))"), 14e10)

    def test_errors(self):
        self.refused("expected a JSON object, as in transformer_flops('{\"mode\":\"training\",\"parameters\":7e9,\"tokens\":1e6}')", "7e9")
        self.refused("missing key 'mode': 'training', 'forward', 'prefill' or 'decode'", {})
        self.refused("unknown key 'layer'; the keys are mode, recompute, causal, gated, parameters, layers, width, heads, kv_heads, head_dim, ffn, vocabulary, "
                   "experts, active_experts, shared_ffn, dense_layers, dense_ffn, sequence, context, batch, tokens", {"layer": 2})
        self.refused("key 'mode': expected one of 'training', 'forward', 'prefill', 'decode', found train", {"mode": "train"})
        self.refused("key 'layers': expected a number", {"layers": "12"})
        self.refused("key 'layers': expected a number of at least 0, found -1", {"layers": -1})
        self.refused("key 'causal': expected true or false, found 0.5", {"causal": 0.5})
        base = dict(self.BASE, mode="training", batch=2, sequence=128, causal=True)
        for key, why in [("layers", "how many layers, or 'parameters' instead of the shape"), ("width", "of the residual stream, d_model"),
                         ("ffn", "inner width of the feed-forward (of one expert)"), ("vocabulary", "of the unembedding; 0 leaves it out"),
                         ("sequence", "tokens of one sequence"), ("batch", None), ("causal", None)]:
            shape = {k: v for k, v in base.items() if k != key}
            if key == "batch":
                key, why = "tokens", "of all sequences together, or 'batch' of 'sequence'"
            if key == "causal":
                why = "true where the masked half of attention is left out, false to count all of it, as PaLM and Megatron do"
            self.refused(f"missing key '{key}': {why}", shape)
        self.refused("key 'ffn' is part of what 'parameters' says: give one of them", dict(mode="training", parameters=1, ffn=2, tokens=1))
        self.refused("key 'recompute' is of mode 'training' alone", dict(mode="forward", recompute="full", parameters=1, tokens=1))
        self.refused("key 'kv_heads': expected at most 'heads', 4", dict(base, kv_heads=8))
        self.refused("missing key 'active_experts': of the 'experts', how many a token meets", dict(base, experts=8))
        self.refused("keys 'tokens' and 'batch' say the same: give one of them", dict(base, tokens=1))
        self.refused("key 'kv_heads': expected at most 'heads', 0", dict(base, heads=0, kv_heads=0))
        self.refused("missing key 'heads': which 'kv_heads' is fewer of", {k: v for k, v in dict(base, kv_heads=1).items() if k != "heads"})
        self.refused("missing key 'experts': of which 'active_experts' are active", dict(base, active_experts=2))
        self.refused("key 'active_experts': expected at most 'experts', 8", dict(base, experts=8, active_experts=9))
        self.refused("missing key 'dense_ffn': inner width of the 'dense_layers'", dict(base, dense_layers=1))
        layers = base["layers"]
        self.refused(f"key 'dense_layers': expected at most 'layers', {layers}", dict(base, dense_layers=layers + 1, dense_ffn=1))
        self.refused("missing key 'heads': how many of 'head_dim'", dict(mode="training", parameters=1, layers=2, head_dim=4, sequence=8, causal=True, tokens=1))
        self.refused("missing key 'width': for attention, or 'heads' and 'head_dim'", dict(mode="training", parameters=1, layers=2, sequence=8, causal=True, tokens=1))
        self.refused("missing key 'layers': for the FLOPs of attention", dict(mode="training", parameters=1, sequence=8, causal=True, tokens=1))
        for key in ("width", "heads", "head_dim", "sequence", "causal"):  # any of them asks for attention
            self.refused("missing key 'layers': for the FLOPs of attention", {"mode": "training", "parameters": 1, "tokens": 1, key: 1})
        self.refused("missing key 'layers': for the FLOPs of attention", dict(mode="decode", parameters=1, batch=1, context=1))
        self.refused("missing key 'width': for attention, or 'heads' and 'head_dim'", dict(mode="training", parameters=1, tokens=1, layers=1))
        self.refused("missing key 'sequence': tokens of one sequence", dict(mode="training", parameters=1, batch=1))
        self.refused("key 'context' is of mode 'decode': here it is 'sequence'", dict(base, context=5))
        self.refused("key 'sequence' is not of mode 'decode': its length is 'context'", dict(self.BASE, mode="decode", batch=1, context=5, sequence=5))
        self.refused("missing key 'batch': how many sequences decode at once", dict(self.BASE, mode="decode", context=5))
        self.refused("expected sizes whose FLOPs are a number, found infinity", dict(mode="training", parameters=1e300, tokens=1e300))
        for fits in (dict(base, kv_heads=base.get("heads", 4)), dict(base, experts=8, active_experts=8), dict(base, dense_layers=layers, dense_ffn=1)):
            self.assertGreater(self.flops(**fits), 0)
        self.refused("missing key 'context': positions that the (first) new token attends to", dict(self.BASE, mode="decode", batch=1))


class Ideal(Case):
    def script(self, hlo, chip, **more):
        values = {"hlo": hlo, "chip": chip, **more}
        with open(os.path.join(ROOT, "sql/formats/hlo.sql")) as file:
            script = file.read()
        setting = "".join(f".param set :{name} {value}\n" for name, value in values.items() if value is not None)
        queries = "SELECT json_group_array(json_object('program', program, 'flops', flops, 'bytes', bytes, 'dtype', dtype)) FROM programs;\n" \
                  "SELECT json_group_array(json_object('program', program, 'compute', compute_s, 'memory', memory_s, 'interconnect', interconnect_s)) " \
                  "FROM hlo_ideal;\n"
        done = subprocess.run(["sqlite3", "-batch", "-bail", "-init", "/dev/null", ":memory:"], input=".load ./mpg\n" + setting + script + queries, cwd=ROOT,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        programs, ideals = map(json.loads, done.stdout.splitlines())
        return {p.pop("program"): p for p in programs}, {i.pop("program"): i for i in ideals}

    def test_script(self):
        """Of all devices together; mixed dtypes as FLOPs of the main one that take as long."""
        programs, ideals = self.script("fixtures/hlo", "nvidia-h100-sxm")
        step = 28 * 2 * 4096 * 1024 * 4096
        self.assertEqual(programs["jit_train_step"], {"flops": 8 * step, "bytes": 8 * (75497472 + 67108868), "dtype": "bf16"})
        self.assertAlmostEqual(ideals["jit_train_step"]["compute"], step / 989.5e12)
        self.assertAlmostEqual(ideals["jit_train_step"]["interconnect"], 4 * 2 * 2 * 7 / 8 * 2 * 1024 * 4096 / 450e9)
        fp8, bf16 = 2 * 2 * 8192 * 4096**2, 2 * 8192 * 4096 * 1024
        self.assertAlmostEqual(ideals["jit_fp8_step"]["compute"], (fp8 / 1979e12 + bf16 / 989.5e12) / 4)
        self.assertAlmostEqual(programs["jit_fp8_step"]["flops"] / (fp8 + 2 * bf16), 1)
        self.assertEqual(programs["jit_fp8_step"]["dtype"], "fp8")
        self.assertAlmostEqual(ideals["jit_decode"]["memory"], (536936448 + 524288) / 3350e9)

    def test_chips_of_several_devices(self):
        """Two devices of a tpu7x are one chip: a device, which a module is of, has half of its peak, bandwidth and links. FLOPs stay what they are."""
        step, sent = 28 * 2 * 4096 * 1024 * 4096, 4 * 2 * 2 * 7 / 8 * 2 * 1024 * 4096
        for chip in ("tpu7x", "Ironwood", "AMD_MI250X", "amd-mi250x-gcd", "tpu-v5p"):
            peak, bandwidth, links, devices = self.rows(
                "SELECT chip_peak_flops(?1, 'bf16'), chip_bandwidth(?1), chip_interconnect(?1), CASE WHEN ?1 IN ('tpu-v5p', 'amd-mi250x-gcd') THEN 1 ELSE 2 END", chip)[0]
            programs, ideals = self.script("fixtures/hlo/train_step.hlo", chip)
            ideal = ideals["jit_train_step"]
            for found, expected in ((ideal["compute"], step / (peak / devices)), (ideal["memory"], (75497472 + 67108868) / (bandwidth / devices)),
                                    (ideal["interconnect"], sent / (links / devices))):
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
                    file.write(f"HloModule {name}\nENTRY e {{\n" + "".join(
                        f"x{i} = {d}[8,16] parameter({i})  d{i} = {d}[8,8] dot(x{i}, x{i}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}\n"
                        for i, d in enumerate(dtypes)) + "}\n")
            for name, dtypes in (("plain", ["bf16"]), ("mixed", ["bf16", "s32"]), ("mostly", ["s32", "s32", "bf16"]), ("whole", ["s32"]), ("floats", ["f32", "bf16"])):
                module(name, *dtypes)
            one = 2 * 8 * 8 * 16
            programs, ideals = self.script(folder, "nvidia-h100-sxm", f32="TensorFloat_32")  # as roofline_seconds takes it
            self.assertEqual({p: (row["flops"], row["dtype"]) for p, row in programs.items() if p not in ("mixed", "mostly", "floats")}, {"plain": (one, "bf16"), "whole": (one, "s32")})
            self.assertEqual([programs[p]["flops"] for p in ("mixed", "mostly")] + [ideals[p]["compute"] for p in ("mixed", "mostly", "whole")], [None] * 5)
            self.assertEqual(programs["mostly"]["dtype"], "s32")
            self.assertAlmostEqual(ideals["plain"]["compute"] / (one / 989.5e12), 1)
            self.assertAlmostEqual(ideals["floats"]["compute"] / (one / 989.5e12 + one / 494.5e12), 1)

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

    def test_roofline_over_rows(self):
        """The sum of F_d / P_d, straight over hlo_trace."""
        self.assertAlmostEqual(
            self.one("SELECT roofline_ideal(flops, 0, 'nvidia-h100-sxm', dtype_class) FROM hlo_trace(?) WHERE multiply IS NOT NULL", HLO + "/fp8_step.hlo"),
            2 * 2 * 8192 * 4096**2 / 1979e12 + 2 * 8192 * 4096 * 1024 / 989.5e12)

    def test_order_of_ideals(self):
        """Per operation >= per program >= compute alone, for the same FLOPs and bytes."""
        for name in ("decode", "train_step"):
            operations, program, compute = self.rows(
                "SELECT roofline_ideal(flops, bytes, 'tpu-v5e'), roofline_seconds(sum(flops), sum(bytes), 'tpu-v5e'), roofline_seconds(sum(flops), 'tpu-v5e') "
                "FROM hlo_trace(?)", f"{HLO}/{name}.hlo")[0]
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
        self.assertEqual(self.one("SELECT matmul_flops FROM hlo_cost(?)", f"{LLAMA}/hlo_llama31_8b_bf16_1x8.hlo"),
                         16384 * (6 * 6979321856 + 10 * 525336576))
        self.assertEqual(self.flops(mode="training", parameters=6979321856, tokens=16384), 16384 * 6 * 6979321856)
        self.assertEqual(self.flops(mode="forward", layers=32, width=4096, heads=32, kv_heads=8, ffn=14336, gated=True, vocabulary=0, tokens=1, sequence=0,
                                    causal=False), 2 * 6979321856)

    def test_interconnect(self):
        self.assertEqual(self.one("SELECT chip_interconnect('NVIDIA H100 80GB HBM3')"), 450e9)
        self.assertIsNone(self.one("SELECT chip_interconnect(NULL)"))
        with self.assertRaisesRegex(sqlite3.OperationalError, "^chip_interconnect: unknown chip 'h1000'"):
            self.one("SELECT chip_interconnect('h1000')")


class EndToEnd(Case):
    """From HLO and step times to PG by program, and into the ledger."""

    def setUp(self):
        super().setUp()
        for name in ("steps", "jobs"):
            with open(os.path.join(RUN, name + ".csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            setattr(self, name, rows)
            self.db.execute(f"CREATE TABLE run_{name}({', '.join(rows[0])})")
            self.db.executemany(f"INSERT INTO run_{name} VALUES ({', '.join('?' * len(rows[0]))})", [tuple(row.values()) for row in rows])
        self.db.execute("CREATE TEMP TABLE hlo_input AS SELECT *, _file AS file, 'nvidia-h100-sxm' AS chip, 'fp32' AS f32, NULL AS run_on FROM hlo_cost(?)",
                        (HLO,))
        self.script("formats/hlo.sql")
        self.db.executescript("""
            CREATE TEMP VIEW capacity AS
              SELECT 'h100' AS pool, 'NVIDIA H100 80GB HBM3' AS chip, 24 AS chips, min(start_time) AS start_time, max(end_time) AS end_time FROM run_jobs;
            CREATE TEMP VIEW jobs AS SELECT job, owner, chips FROM run_jobs;
            CREATE TEMP VIEW allocations AS
              SELECT job, 1 AS attempt, 'h100' AS pool, chips, start_time, end_time, 'completed' AS outcome FROM run_jobs;
            CREATE TEMP VIEW spans AS SELECT job, 1 AS attempt, 'step' AS kind, start_time, end_time, step, program FROM run_steps;""")
        self.chips = {row["job"]: int(row["chips"]) for row in self.jobs}

    def by_hand(self):
        """program -> [chip-seconds, ideal chip-seconds or None]; the ledger's ideal of a span is whole microseconds"""
        step, decode = 28 * 2 * 4096 * 1024 * 4096, 4294967296
        ideal = {"jit_train_step": 8 * step / 989.5e12, "jit_decode": decode / 989.5e12,
                 "jit_fp8_step": 2 * 2 * 8192 * 4096**2 / 1979e12 + 2 * 8192 * 4096 * 1024 / 989.5e12}
        sums = {}
        for row in self.steps:
            at = sums.setdefault(row["program"], [0.0, 0.0])
            at[0] += self.chips[row["job"]] * float(Decimal(row["end_time"]) - Decimal(row["start_time"]))
            at[1] = None if row["program"] not in ideal else at[1] + round(1e6 * ideal[row["program"]]) / 1e6
        return sums

    def test_by_program(self):
        found = self.rows("""
            SELECT t.program, sum(chip_us) / 1e6, program_goodput(category, chip_us), program_coverage(category, chip_us)
            FROM (SELECT DISTINCT job FROM allocations) AS j, mpg_timeline(j.job) AS t
            WHERE t.program IS NOT NULL GROUP BY t.program ORDER BY 2 DESC""")
        expected = self.by_hand()
        self.assertEqual([row[0] for row in found], ["jit_train_step", "jit_eval_step", "jit_fp8_step", "jit_decode"])
        for program, seconds, pg, coverage in found:
            spent, ideal = expected[program]
            self.assertAlmostEqual(seconds, spent, 5)
            self.assertEqual(coverage, 0.0 if ideal is None else 1.0)
            if ideal is None:
                self.assertIsNone(pg)
            else:
                self.assertAlmostEqual(pg / (ideal / spent), 1, 5)

    def test_ledger_holds_it(self):
        expected = self.by_hand()
        rated = [(spent, ideal) for spent, ideal in expected.values() if ideal is not None]
        pg, coverage, lower, mpg = self.rows("SELECT program_goodput(category, chip_us), program_coverage(category, chip_us), mpg_lower(category, chip_us), "
                                             "mpg(category, chip_us) FROM mpg_rollup")[0]
        self.assertAlmostEqual(pg, sum(i for _, i in rated) / sum(s for s, _ in rated), 6)
        self.assertAlmostEqual(coverage, sum(s for s, _ in rated) / sum(s for s, _ in expected.values()), 4)
        self.assertIsNone(mpg)
        self.assertGreater(lower, 0)

    def test_above_one(self):
        """Shown as it is, never clamped, and listed with the likely cause."""
        self.assertGreater(self.one("SELECT program_goodput(category, chip_us) FROM mpg_timeline('pruned')"), 1.4)
        self.rows("SELECT count(*) FROM mpg_rollup")
        self.assertEqual(self.rows("SELECT severity, count, detail FROM mpg_issues WHERE kind = 'above_roofline'"), [
            ("warning", 8, "productive spans faster than their ideal: program goodput above 1, up to 1.45 on nvidia-h100-sxm at its given peak, fp8; likely: "
             "FLOPs of a sparse product counted as dense, causal attention not halved, first in job pruned")])

    def test_memory_roofline(self):
        """Decode, by parameters and results over bandwidth."""
        compute, memory = (self.one(f"SELECT program_goodput(category, chip_us) FROM mpg_timeline('serve'{more})")
                           for more in ("", ") WHERE roofline = ('memory'"))
        self.assertAlmostEqual(compute, 4 / 310, 5)  # 4.34 us, in whole microseconds
        self.assertAlmostEqual(memory, round(1e6 * (536936448 + 524288) / 3350e9) / 310, 5)


class FromAProfile(Case):
    """From an XSpace profile and an HLO dump, through spans and programs, into the ledger."""

    def test_runs_of_a_program(self):
        self.db.execute("CREATE TEMP TABLE hlo_input AS SELECT *, _file AS file, 'tpu-v5p' AS chip, 'fp32' AS f32, NULL AS run_on FROM hlo_cost(?)",
                        (RUN + "/jit_step.hlo",))
        self.script("formats/hlo.sql")
        dots = 2 * 2 * 8192 * 8192 * 512
        self.assertEqual(self.rows("SELECT program, flops, dtype FROM programs"), [("jit_step", 2 * dots, "bf16")])
        self.db.execute("""
            CREATE TEMP TABLE spans AS
            WITH runs AS (
              SELECT substr(name, 1, instr(name, '(') - 1) AS program, start_ns, end_ns, row_number() OVER (PARTITION BY plane ORDER BY start_ns) AS run
              FROM xplane_trace(?) WHERE line = 'XLA Modules')
            SELECT 'j' AS job, 'step' AS kind, run AS step, program, min(start_ns) / 1e9 AS start_time, max(end_ns) / 1e9 AS end_time
            FROM runs GROUP BY run""", (os.path.join(ROOT, "fixtures/xplane"),))
        self.db.executescript("""
            CREATE TEMP VIEW allocations AS
              SELECT 'j' AS job, 'p' AS pool, 2 AS chips, min(start_time) AS start_time, max(end_time) AS end_time, 'completed' AS outcome FROM spans;
            CREATE TEMP VIEW capacity AS SELECT pool, 'TPU v5p' AS chip, chips, start_time, end_time FROM allocations;""")
        ideal = round(1e6 * 2 * dots / 459e12)
        self.assertEqual(self.rows("SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1"),
                         [("ideal", 3 * ideal), ("inefficiency", 3 * (2000 - ideal)), ("unknown", 1000)])
        self.assertAlmostEqual(self.one("SELECT mpg(category, chip_us) FROM mpg_rollup"), 3 * ideal / 7000)

    def test_instructions(self):
        """What the profiler timed and what the module says of it: the same bytes, and the FLOPs of the dot."""
        found = self.rows("""
            SELECT DISTINCT e.name, e.bytes_accessed = h.op_bytes, h.op_flops - e.flops
            FROM chrome_trace(?) AS e JOIN hlo_trace(?) AS h ON h.name = e.name AND h.module = e.hlo_module
            WHERE e.thread_name = 'XLA Ops' AND e.ph = 'X' ORDER BY 1""", os.path.join(ROOT, "fixtures/profile/tpu.trace.json"), RUN + "/profiled_step.hlo")
        self.assertEqual(found, [("all-reduce.3", 1, 0), ("fusion.12", 1, 4096 * 2048), ("fusion.14", 1, 0)])


class AboveOne(unittest.TestCase):
    """What a program goodput above 1 is put down to, by how much it is and what it was rated at."""

    PLAIN = "productive spans faster than their ideal: program goodput above 1, up to "
    SPARSE = " FLOPs of a sparse product counted as dense, causal attention not halved"

    def detail(self, chip, times, dtype=None):
        peak = {"nvidia-h100-sxm": 989.5e12, "tpu-v4": 275e12}[chip]
        relations = fleet(cap(1, 0, 10, chip=chip), job(), al(1, 0, 10, outcome="completed"), sp("step", 0, 10, 1, flops=10 * times * peak, dtype=dtype))
        with tempfile.TemporaryDirectory() as folder:
            path, db = write_csv(folder, relations), connect()
            pg, = db.execute(f"SELECT program_goodput(category, chip_us) FROM trace_rollup({quote(path)})").fetchone()
            self.assertAlmostEqual(pg, times / (2 if dtype == "fp8" else 1))
            return [detail for detail, in db.execute("SELECT detail FROM mpg_issues WHERE kind = 'above_roofline'")]

    def test_causes(self):
        for expected, *case in [
                ("1.03 on nvidia-h100-sxm at its default peak, bf16; so little may be the noise of clocks and timers", "nvidia-h100-sxm", 1.03),
                ("1.9 on nvidia-h100-sxm at its default peak, bf16; likely: another dtype (the fp8 peak is 2 times that)," + self.SPARSE, "nvidia-h100-sxm", 1.9),
                ("1.5 on nvidia-h100-sxm at its given peak, fp8; likely:" + self.SPARSE, "nvidia-h100-sxm", 3, "fp8"),
                ("1.9 on tpu-v4 at its default peak, bf16; likely: chips counted where cores or dies were meant," + self.SPARSE, "tpu-v4", 1.9),
                ("8 on tpu-v4 at its default peak, bf16; likely: FLOPs of all devices held against the time of one, executions counted twice", "tpu-v4", 8)]:
            self.assertEqual(self.detail(*case), [self.PLAIN + expected + ", first in job j"])
        self.assertEqual(self.detail("tpu-v4", 0.99), [])


if __name__ == "__main__":
    unittest.main()
