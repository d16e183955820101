"""Model FLOPs by shape: transformer_flops against figures that others published, its modes by hand, and what it refuses."""

import csv
import json
import os
import random
import unittest

from program import SHARED, Case

FOUNDRY = os.path.join(SHARED, "oracle/mfu/llm_foundry.csv")


class Published(Case):
    """transformer_flops against figures that others published."""

    def test_palm(self):
        """arXiv 2204.02311, table 3: 46.2 %, 45.7 % without attention, at 238.3K tokens/s on 6144 TPU v4; N = 540.35e9."""
        peak = 6144 * self.one("SELECT chip_peak_flops('tpu-v4')")
        palm = dict(mode="training", parameters=540.35e9, tokens=1)
        self.assertEqual(f"{238300 * self.flops(**palm) / peak:.3f}", "0.457")
        self.assertEqual(
            f"{238300 * self.flops(**palm, layers=118, heads=48, head_dim=256, sequence=2048, causal=False) / peak:.3f}",
            "0.462",
        )

    def test_palm_by_shape(self):
        """Multi-query attention, gated feed-forward, shared embedding: the same N within its five digits."""
        shape = dict(
            mode="forward",
            layers=118,
            width=18432,
            heads=48,
            head_dim=256,
            kv_heads=1,
            ffn=4 * 18432,
            gated=True,
            vocabulary=256000,
            tokens=1,
            sequence=0,
            causal=False,
        )
        self.assertEqual(f"{self.flops(**shape) / 2 / 1e9:.2f}", "540.35")

    def test_megatron(self):
        """arXiv 2104.04473 and NVIDIA/Megatron-LM#995: 126 TFLOP/s per A100 with full recomputation."""
        shape = dict(
            mode="training",
            recompute="full",
            layers=105,
            width=20480,
            ffn=4 * 20480,
            vocabulary=50272,
            batch=1920,
            sequence=2048,
            causal=False,
        )
        self.assertEqual(round(self.flops(**shape) / 60.1 / 2240 / 1e12), 126)
        batch, s, layers, h, v = 1920, 2048, 105, 20480, 50272
        self.assertAlmostEqual(
            self.flops(**shape) / (96 * batch * s * layers * h**2 * (1 + s / (6 * h) + v / (16 * layers * h))), 1
        )
        shape["recompute"] = "none"
        self.assertAlmostEqual(
            self.flops(**shape) / (72 * batch * s * layers * h**2 * (1 + s / (6 * h) + v / (12 * layers * h))), 1
        )

    def test_maxtext(self):
        """Its documented log of deepseek2-16b: 764.67 TFLOP a step and device, 94.54 % of them with weights; 29.40 % of TPU v5p in 5.667 s.

        The weights that a token meets: latent attention, one dense layer, then 6 + 2 of 66 experts and the router. Queries and keys have 192 columns,
        values 128: on average 160."""
        attention = 2048 * 16 * 192 + 2048 * (512 + 64) + 512 * 16 * (128 + 128) + 16 * 128 * 2048
        active = 27 * attention + 3 * 2048 * 10944 + 26 * ((6 + 2) * 3 * 2048 * 1408 + 2048 * 64) + 2048 * 102400
        shape = dict(
            mode="training", parameters=active, layers=27, heads=16, head_dim=160, batch=24, sequence=2048, causal=True
        )
        total = self.flops(**shape)
        weights = self.flops(mode="training", parameters=active, tokens=24 * 2048)
        self.assertEqual((f"{total / 1e12:.2f}", f"{100 * weights / total:.2f}"), ("764.67", "94.54"))
        self.assertEqual(f"{100 * total / 5.667 / self.one('SELECT chip_peak_flops(?)', 'tpu-v5p'):.1f}", "29.4")

    @unittest.skipUnless(os.path.exists(FOUNDRY), "needs ../shared/oracle/mfu")
    def test_llm_foundry(self):
        """Measured rows of mosaicml/llm-foundry: MFU within 0.15 points, and HFU too where whole layers are recomputed."""
        shapes = {
            "125m": (12, 768),
            "350m": (24, 1024),
            "760m": (24, 1536),
            "1b": (24, 2048),
            "3b": (32, 2560),
            "7b": (32, 4096),
            "13b": (40, 5120),
            "30b": (48, 7168),
            "70b": (80, 8192),
        }
        chips = {"h100_80gb": "nvidia-h100-sxm", "a100_80gb": "nvidia-a100-80-sxm4", "a100_40gb": "nvidia-a100-40-sxm4"}
        with open(FOUNDRY, newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            layers, width = shapes[row["model"]]
            shape = dict(
                mode="training",
                parameters=float(row["params"]),
                layers=layers,
                width=width,
                sequence=int(row["seq_len"]),
                tokens=1,
                causal=False,
            )
            rate = (
                float(row["tokens_per_s"])
                / float(row["gpus"])
                / self.one("SELECT chip_peak_flops(?, 'bf16')", chips[row["gpu"]])
            )
            with self.subTest(**row):
                self.assertLess(abs(100 * rate * self.flops(**shape) - float(row["mfu_pct"])), 0.15)
                if row["hfu_pct"] != row["mfu_pct"]:
                    self.assertLess(
                        abs(100 * rate * self.flops(**shape, recompute="full") - float(row["hfu_pct"])), 0.15
                    )
        self.assertGreaterEqual(len(rows), 10)

    def test_megatron_lm(self):
        """Its num_floating_point_operations, with GQA, SwiGLU and experts; it counts no router."""
        rng = random.Random(1)
        for _ in range(50):
            layers, heads, kv, dim = rng.randint(1, 90), 64, rng.choice([1, 4, 8, 64]), rng.choice([64, 128])
            h, ffn, v, s, b, topk = (
                rng.choice([2048, 8192]),
                rng.choice([1408, 14336]),
                rng.randint(0, 128256),
                rng.choice([512, 8192]),
                7,
                rng.randint(1, 8),
            )
            gated, q = rng.random() < 0.5, heads * dim
            theirs = (
                12
                * b
                * s
                * layers
                * h**2
                * (((1 + kv / heads) + s / h) * q / h + ffn / h * topk * (1.5 if gated else 1) + v / (2 * layers * h))
            )
            ours = self.flops(
                mode="training",
                layers=layers,
                width=h,
                heads=heads,
                head_dim=dim,
                kv_heads=kv,
                ffn=ffn,
                gated=gated,
                vocabulary=v,
                experts=8,
                active_experts=topk,
                batch=b,
                sequence=s,
                causal=False,
            )
            self.assertAlmostEqual((ours - 6 * b * s * layers * h * 8) / theirs, 1)

    def test_scaling_book(self):
        """18BTDF for the gated feed-forward, 24BTDNH + 12BTTNH for attention, a layer in training (jax-ml/scaling-book, transformers.md)."""
        b, t, d, f, n, h = 3, 4096, 4096, 16384, 32, 128
        ours = self.flops(
            mode="training",
            layers=1,
            width=d,
            heads=n,
            head_dim=h,
            ffn=f,
            gated=1,
            vocabulary=0,
            batch=b,
            sequence=t,
            causal=0,
        )
        self.assertEqual(ours, 18 * b * t * d * f + 24 * b * t * d * n * h + 12 * b * t * t * n * h)


class Forms(Case):
    BASE = dict(layers=2, width=64, heads=4, ffn=256, vocabulary=1000)

    def refused(self, text, shape):
        self.fails(
            "transformer_flops: " + text,
            "SELECT transformer_flops(?)",
            shape if isinstance(shape, str) else json.dumps(shape),
        )

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
        self.assertEqual(
            self.flops(mode="decode", **self.BASE, batch=8, context=1000, tokens=5),
            sum(8 * (weights + pair * (1000 + i)) for i in range(5)),
        )
        self.assertEqual(self.flops(mode="decode", parameters=7e9, batch=8), 8 * 14e9)

    def test_experts(self):
        """DeepSeek's form: dense layers first, then some of many experts, shared ones, and a router."""
        shape = dict(
            mode="forward",
            layers=3,
            width=64,
            ffn=32,
            gated=True,
            vocabulary=0,
            experts=16,
            active_experts=4,
            shared_ffn=64,
            dense_layers=1,
            dense_ffn=512,
            tokens=1,
            sequence=0,
            causal=False,
        )
        self.assertEqual(
            self.flops(**shape), 2 * (3 * 4 * 64 * 64 + 3 * 64 * 512 + 2 * (3 * 64 * (4 * 32 + 64) + 64 * 16))
        )

    def test_nulls(self):
        self.assertIsNone(self.one("SELECT transformer_flops(NULL)"))
        self.assertEqual(self.flops(mode="forward", parameters=1, tokens=1, layers=None), 2)
        self.assertEqual(
            self.one("SELECT transformer_flops(json_object('mode', 'forward', 'parameters', 7e9, 'tokens', 10))"), 14e10
        )

    def test_errors(self):
        self.refused(
            'expected a JSON object, as in transformer_flops(\'{"mode":"training","parameters":7e9,"tokens":1e6}\')',
            "7e9",
        )
        self.refused("missing key 'mode': 'training', 'forward', 'prefill' or 'decode'", {})
        self.refused(
            "unknown key 'layer'; the keys are mode, recompute, causal, gated, parameters, layers, width, heads, kv_heads, head_dim, ffn, vocabulary, "
            "experts, active_experts, shared_ffn, dense_layers, dense_ffn, sequence, context, batch, tokens",
            {"layer": 2},
        )
        self.refused(
            "key 'mode': expected one of 'training', 'forward', 'prefill', 'decode', found train", {"mode": "train"}
        )
        self.refused("key 'layers': expected a number", {"layers": "12"})
        self.refused("key 'layers': expected a number of at least 0, found -1", {"layers": -1})
        self.refused("key 'causal': expected true or false, found 0.5", {"causal": 0.5})
        base = dict(self.BASE, mode="training", batch=2, sequence=128, causal=True)
        for key, why in [
            ("layers", "how many layers, or 'parameters' instead of the shape"),
            ("width", "of the residual stream, d_model"),
            ("ffn", "inner width of the feed-forward (of one expert)"),
            ("vocabulary", "of the unembedding; 0 leaves it out"),
            ("sequence", "tokens of one sequence"),
            ("batch", None),
            ("causal", None),
        ]:
            shape = {k: v for k, v in base.items() if k != key}
            if key == "batch":
                key, why = "tokens", "of all sequences together, or 'batch' of 'sequence'"
            if key == "causal":
                why = "true where the masked half of attention is left out, false to count all of it, as PaLM and Megatron do"
            self.refused(f"missing key '{key}': {why}", shape)
        self.refused(
            "keys 'ffn' and 'parameters' say the same: give one of them",
            dict(mode="training", parameters=1, ffn=2, tokens=1),
        )
        self.refused(
            "key 'recompute' is for mode 'training' alone",
            dict(mode="forward", recompute="full", parameters=1, tokens=1),
        )
        self.refused("key 'kv_heads': expected at most 'heads', 4", dict(base, kv_heads=8))
        self.refused("missing key 'active_experts': of the 'experts', how many a token meets", dict(base, experts=8))
        self.refused("keys 'tokens' and 'batch' say the same: give one of them", dict(base, tokens=1))
        self.refused("key 'kv_heads': expected at most 'heads', 0", dict(base, heads=0, kv_heads=0))
        self.refused(
            "missing key 'heads': which 'kv_heads' is fewer of",
            {k: v for k, v in dict(base, kv_heads=1).items() if k != "heads"},
        )
        self.refused("missing key 'experts': of which 'active_experts' are active", dict(base, active_experts=2))
        self.refused("key 'active_experts': expected at most 'experts', 8", dict(base, experts=8, active_experts=9))
        self.refused("missing key 'dense_ffn': inner width of the 'dense_layers'", dict(base, dense_layers=1))
        layers = base["layers"]
        self.refused(
            f"key 'dense_layers': expected at most 'layers', {layers}", dict(base, dense_layers=layers + 1, dense_ffn=1)
        )
        self.refused(
            "missing key 'heads': how many of 'head_dim'",
            dict(mode="training", parameters=1, layers=2, head_dim=4, sequence=8, causal=True, tokens=1),
        )
        self.refused(
            "missing key 'width': for attention, or 'heads' and 'head_dim'",
            dict(mode="training", parameters=1, layers=2, sequence=8, causal=True, tokens=1),
        )
        self.refused(
            "missing key 'layers': for the FLOPs of attention",
            dict(mode="training", parameters=1, sequence=8, causal=True, tokens=1),
        )
        for key in ("width", "heads", "head_dim", "sequence", "causal"):  # any of them asks for attention
            self.refused(
                "missing key 'layers': for the FLOPs of attention",
                {"mode": "training", "parameters": 1, "tokens": 1, key: 1},
            )
        self.refused(
            "missing key 'layers': for the FLOPs of attention", dict(mode="decode", parameters=1, batch=1, context=1)
        )
        self.refused(
            "missing key 'width': for attention, or 'heads' and 'head_dim'",
            dict(mode="training", parameters=1, tokens=1, layers=1),
        )
        self.refused("missing key 'sequence': tokens of one sequence", dict(mode="training", parameters=1, batch=1))
        self.refused("key 'context' is for mode 'decode' alone: give 'sequence'", dict(base, context=5))
        self.refused(
            "key 'sequence' is not for mode 'decode': give 'context'",
            dict(self.BASE, mode="decode", batch=1, context=5, sequence=5),
        )
        self.refused(
            "missing key 'batch': how many sequences decode at once", dict(self.BASE, mode="decode", context=5)
        )
        self.refused(
            "expected sizes whose FLOPs are a number, found infinity",
            dict(mode="training", parameters=1e300, tokens=1e300),
        )
        for fits in (
            dict(base, kv_heads=base.get("heads", 4)),
            dict(base, experts=8, active_experts=8),
            dict(base, dense_layers=layers, dense_ffn=1),
        ):
            self.assertGreater(self.flops(**fits), 0)
        self.refused(
            "missing key 'context': positions that the (first) new token attends to",
            dict(self.BASE, mode="decode", batch=1),
        )


if __name__ == "__main__":
    unittest.main()
