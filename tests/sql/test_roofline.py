#!/usr/bin/python3
"""The roofline functions, held against the catalogue's CSV files and Python's own arithmetic."""

import csv
import math
import os
import random
import sqlite3
import unittest
from fractions import Fraction

from cases import Case
from fleets import ROOT

INF = float("inf")


def read(name):
    with open(os.path.join(ROOT, "schema", name), newline="") as f:
        return list(csv.DictReader(f))


def fold(name):
    return "".join(c for c in name.lower() if c not in " -_")


class RooflineTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.chips = read("chips.csv")
        cls.aliases = read("chip_aliases.csv")

    def test_every_peak_of_the_catalogue(self):
        self.assertGreater(len(self.chips), 250)
        for row in self.chips:
            peak, bandwidth = float(row["peak_flops"]), float(row["hbm_bytes_per_s"])
            chip, dtype = row["chip"], row["dtype"]
            self.assertEqual(self.one("SELECT chip_peak_flops(?, ?)", chip, dtype), peak)
            self.assertEqual(self.one("SELECT chip_bandwidth(?)", chip), bandwidth)
            flops, moved = 3.7e15, 2.9e12
            self.assertEqual(
                self.one("SELECT roofline_seconds(?, ?, ?, ?)", flops, moved, chip, dtype),
                max(flops / peak, moved / bandwidth),
            )
            self.assertEqual(
                self.one("SELECT roofline_bound(?, ?, ?, ?)", flops, moved, chip, dtype),
                "memory" if moved / bandwidth > flops / peak else "compute",
            )
            self.assertEqual(self.one("SELECT roofline_seconds(?, 0, ?, ?)", flops, chip, dtype), flops / peak)

    def test_default_dtype(self):
        by_chip = {}
        for row in self.chips:
            by_chip.setdefault(row["chip"], {})[row["dtype"]] = float(row["peak_flops"])
        self.assertEqual(len(by_chip), 80)
        self.assertEqual({"fp4"}, set(by_chip.pop("nvidia-gb10")))  # no other peak of it is published
        for chip, peaks in by_chip.items():
            expected = peaks.get("bf16", peaks.get("fp16", peaks.get("fp32")))
            self.assertIsNotNone(expected)
            for sql in (
                "SELECT chip_peak_flops(?)",
                "SELECT chip_peak_flops(?, NULL)",
                "SELECT chip_peak_flops(?, '')",
            ):
                self.assertEqual(self.one(sql, chip), expected)
            self.assertEqual(self.one("SELECT roofline_seconds(1e15, ?)", chip), 1e15 / expected)
            self.assertEqual(self.one("SELECT roofline_seconds(1e15, 0, ?, NULL)", chip), 1e15 / expected)

    def test_aliases_and_spelling(self):
        names = {}
        for row in self.chips:
            names[row["chip"]] = row["chip"]
        for row in self.aliases:
            names[row["device_name"]] = row["chip"]
        folded = {}
        for name, chip in names.items():
            self.assertEqual(folded.setdefault(fold(name), chip), chip, "two chips of one name")
            for spelling in (
                name,
                name.upper(),
                name.lower().replace("-", "_"),
                name.replace("-", " "),
                name.replace("_", "").replace("-", ""),
                f" {name} ",
            ):
                dtype = "fp4" if chip == "nvidia-gb10" else None
                self.assertEqual(
                    self.one("SELECT chip_peak_flops(?, ?)", spelling, dtype),
                    self.one("SELECT chip_peak_flops(?, ?)", chip, dtype),
                    spelling,
                )

    def test_dtype_spellings(self):
        h100 = {r["dtype"]: float(r["peak_flops"]) for r in self.chips if r["chip"] == "nvidia-h100-sxm"}
        for dtype, spellings in {
            "bf16": "BF16 bfloat16 torch.bfloat16 c10::BFloat16",
            "fp16": "f16 float16 Half jnp.float16",
            "fp32": "f32 float32 float FP32",
            "tf32": "TF32",
            "fp64": "f64 double float64",
            "fp8": "f8e4m3fn f8e5m2 float8_e4m3fn e4m3 F8E4M3FNUZ",
            "int8": "s8 u8 i8 uint8 torch.int8",
            "fp64_tensor": "FP64-Tensor fp64_matrix",
        }.items():
            for spelling in spellings.split():
                self.assertEqual(self.one("SELECT chip_peak_flops('nvidia-h100-sxm', ?)", spelling), h100[dtype])
        # One of bf16 and fp16 stands in where a chip has only the other.
        self.assertEqual(self.one("SELECT chip_peak_flops('tpu-v4', 'fp16')"), 275e12)
        self.assertEqual(self.one("SELECT chip_peak_flops('nvidia-t4', 'bf16')"), 65e12)
        self.assertEqual(self.one("SELECT chip_peak_flops('amd-mi100', 'bf16')"), 92.3e12)

    def test_null(self):
        for args in (
            "NULL, 'tpu-v4'",
            "1, NULL",
            "NULL, 1, 'tpu-v4'",
            "1, NULL, 'tpu-v4'",
            "1, 1, NULL",
            "1, 1, NULL, 'bf16'",
            "NULL, 'no such chip'",
        ):
            for f in ("roofline_seconds", "roofline_bound", "roofline_ideal"):
                self.assertIsNone(self.one(f"SELECT {f}({args})"), (f, args))
        for sql in ("chip_peak_flops(NULL)", "chip_peak_flops(NULL, 'bf16')", "chip_bandwidth(NULL)"):
            self.assertIsNone(self.one("SELECT " + sql))

    def test_bound(self):
        for flops, moved, expected in (
            (275e12, 1.2e12, "compute"),
            (275e12, 1.3e12, "memory"),
            (0, 0, "compute"),
            (0, 1, "memory"),
            (1, 0, "compute"),
        ):
            self.assertEqual(self.one("SELECT roofline_bound(?, ?, 'tpu-v4')", flops, moved), expected)
        self.assertEqual(self.one("SELECT roofline_bound(1, 'tpu-v4')"), "compute")

    def test_errors(self):
        near = "nearest: nvidia-h100-sxm, nvidia-h100-pcie, nvidia-h100-nvl"
        for f in ("roofline_seconds", "roofline_bound", "roofline_ideal"):
            self.fails(f"{f}: unknown chip 'h1000'; {near}", f"SELECT {f}(1, 'h1000')")
            self.fails(f"{f}: unknown chip 'h1000'; {near}", f"SELECT {f}(1, 1, 'h1000', 'bf16')")
            self.fails(f"{f}: unknown chip '???'; the catalogue is table mpg_chips", f"SELECT {f}(1, '???')")
            self.fails(
                f"{f}: chip 'tpu-v6e' has no peak for dtype 'fp4'; it has: bf16, int8, fp8",
                f"SELECT {f}(1, 1, 'TPU v6 lite', 'fp4')",
            )
            self.fails(f"{f}: expected finite flops of at least 0, found -1", f"SELECT {f}(-1, 'tpu-v4')")
            self.fails(f"{f}: expected finite flops of at least 0, found inf", f"SELECT {f}(?, 'tpu-v4')", INF)
            self.fails(f"{f}: expected finite bytes of at least 0, found -0.5", f"SELECT {f}(1, -0.5, 'tpu-v4')")
            self.fails(f"{f}: expected finite bytes of at least 0, found inf", f"SELECT {f}(1, ?, 'tpu-v4')", INF)
            self.fails(f"{f}: expected a number as flops, found '12'", f"SELECT {f}('12', 'tpu-v4')")
            # Three arguments are flops, bytes, chip.
            self.fails(f"{f}: expected a number as bytes, found 'tpu-v4'", f"SELECT {f}(1, 'tpu-v4', 'bf16')")
            self.fails(f"{f}: expected text as chip, found 4", f"SELECT {f}(1, 4)")
            self.fails(f"{f}: expected text as dtype, found 16", f"SELECT {f}(1, 1, 'tpu-v4', 16)")
        self.fails(f"chip_peak_flops: unknown chip 'h1000'; {near}", "SELECT chip_peak_flops('h1000')")
        self.fails(f"chip_bandwidth: unknown chip 'h1000'; {near}", "SELECT chip_bandwidth('h1000')")
        self.fails("chip_peak_flops: expected text as chip, found 1.5", "SELECT chip_peak_flops(1.5)")
        self.fails("chip_peak_flops: unknown chip ''; the catalogue is table mpg_chips", "SELECT chip_peak_flops('')")
        self.fails("wrong number of arguments to function roofline_seconds()", "SELECT roofline_seconds(1)")
        # Any bytes are a name that is not known, never a crash.
        for name in ("tpu-v4\0", "\0", "x" * 5000, b"\xff\xfe", b"\0", "é" * 40):
            with self.assertRaises(sqlite3.OperationalError):
                self.db.execute("SELECT chip_peak_flops(?)", (name,)).fetchall()

    def test_sum(self):
        random.seed(7)
        chips = [(r["chip"], r["dtype"], float(r["peak_flops"]), float(r["hbm_bytes_per_s"])) for r in self.chips]
        self.db.execute("CREATE TABLE t(i INTEGER PRIMARY KEY, flops, bytes, chip, dtype, g)")
        expected = {}
        for i in range(3000):
            chip, dtype, peak, bandwidth = random.choice(chips)
            flops, moved = 10 ** random.uniform(0, 21), 10 ** random.uniform(0, 15)
            flops = int(flops) if i % 3 == 0 and flops < 2**62 else flops
            g = random.randrange(5)
            nulls = random.randrange(12)
            row = [None if nulls == 0 else flops, None if nulls == 1 else moved, None if nulls == 2 else chip, dtype]
            self.db.execute("INSERT INTO t VALUES (NULL, ?, ?, ?, ?, ?)", (*row, g))
            if nulls > 2:
                seconds = max(flops / peak, moved / bandwidth)
                expected[g] = expected.get(g, 0) + Fraction(seconds)
        for order in ("i", "i DESC", "flops", "random()"):
            got = self.db.execute(
                f"SELECT g, roofline_ideal(flops, bytes, chip, dtype) FROM "
                f"(SELECT * FROM t ORDER BY {order}) GROUP BY g"
            ).fetchall()
            self.assertEqual(got, [(g, float(expected[g])) for g in sorted(expected)])

    def test_sum_over_nothing(self):
        self.assertIsNone(self.one("SELECT roofline_ideal(1, 'tpu-v4') WHERE 0"))
        self.assertEqual(self.one("SELECT roofline_ideal(0, 'tpu-v4')"), 0.0)
        self.fails("roofline_ideal: the sum of 'ideal' would pass 2^122", "SELECT roofline_ideal(1.7e308, 'tpu-v4')")

    def test_window(self):
        """A frame's value is that of its rows alone, however large what has left it was."""
        values = [1e9, 1e36, None, 3e9, 1e-3, 7e9, 5e35, 2e9]
        self.db.execute("CREATE TABLE t(i INTEGER PRIMARY KEY, flops)")
        self.db.executemany("INSERT INTO t(flops) VALUES (?)", [(v,) for v in values])
        got = [
            r[0]
            for r in self.db.execute("SELECT roofline_ideal(flops, 'tpu-v4') OVER (ORDER BY i ROWS 1 PRECEDING) FROM t")
        ]
        for i, value in enumerate(got):
            frame = [v for v in values[max(0, i - 1) : i + 1] if v is not None]
            expected = float(sum(Fraction(v / 275e12) for v in frame)) if frame else None
            self.assertTrue(value == expected or math.isclose(value, expected, rel_tol=1e-15), (i, value, expected))
        self.assertEqual(got[4], float(Fraction(3e9 / 275e12) + Fraction(1e-3 / 275e12)))
        self.assertEqual(
            self.rows(
                "SELECT roofline_ideal(flops, 'tpu-v4') OVER "
                "(ORDER BY i ROWS BETWEEN 9 FOLLOWING AND 10 FOLLOWING) FROM t"
            ),
            [(None,)] * len(values),
        )

    def test_innocuous_and_not_deterministic(self):
        rows = self.db.execute(
            "SELECT name, narg, type, flags FROM pragma_function_list WHERE name LIKE 'roofline%' OR name LIKE 'chip_%'"
        )
        seen = {}
        for name, narg, kind, flags in rows:
            self.assertFalse(flags & sqlite3_flag("DETERMINISTIC"), name)
            self.assertTrue(flags & sqlite3_flag("INNOCUOUS"), name)
            self.assertFalse(flags & sqlite3_flag("DIRECTONLY"), name)
            seen[name, narg] = kind
        self.assertEqual(
            seen,
            {
                ("roofline_seconds", 2): "s",
                ("roofline_seconds", 3): "s",
                ("roofline_seconds", 4): "s",
                ("roofline_bound", 2): "s",
                ("roofline_bound", 3): "s",
                ("roofline_bound", 4): "s",
                ("roofline_ideal", 2): "w",
                ("roofline_ideal", 3): "w",
                ("roofline_ideal", 4): "w",
                ("chip_peak_flops", 1): "s",
                ("chip_peak_flops", 2): "s",
                ("chip_bandwidth", 1): "s",
                ("chip_interconnect", 1): "s",
                ("chip_name", 1): "s",
            },
        )
        # So they work in views of a schema that is not trusted, and in nothing that keeps what they gave.
        self.db.executescript(
            """
            PRAGMA trusted_schema = OFF;
            CREATE TABLE runs(flops, chip);
            CREATE VIEW total AS SELECT roofline_ideal(flops, chip) AS ideal FROM runs;
            INSERT INTO runs VALUES (275e12, 'tpu-v4'), (550e12, 'TPU v4');
        """
        )
        self.assertEqual(self.one("SELECT ideal FROM total"), 3.0)
        for call in (
            "roofline_seconds(flops, chip)",
            "roofline_seconds(flops, 1, chip)",
            "roofline_seconds(flops, 1, chip, NULL)",
            "roofline_bound(flops, chip)",
            "roofline_bound(flops, 1, chip)",
            "roofline_bound(flops, 1, chip, NULL)",
            "chip_peak_flops(chip)",
            "chip_peak_flops(chip, 'bf16')",
            "chip_bandwidth(chip)",
            "chip_interconnect(chip)",
            "chip_name(chip)",
        ):
            for statement in (
                f"CREATE INDEX by_call ON runs({call})",
                f"CREATE INDEX by_flops ON runs(flops) WHERE {call} > 1",
                f"CREATE TABLE kept(flops, chip, call AS ({call}))",
                f"CREATE TABLE kept(flops, chip, call AS ({call}) STORED)",
            ):
                with self.assertRaisesRegex(sqlite3.OperationalError, "non-deterministic", msg=statement):
                    self.db.execute(statement)

    def test_a_catalogue_that_changes(self):
        self.db.executescript(
            """
            CREATE TABLE chips(chip TEXT, dtype TEXT, peak_flops REAL);
            INSERT INTO chips VALUES ('ours', 'bf16', 1e12);
            CREATE TABLE runs(id INTEGER PRIMARY KEY, flops REAL, chip TEXT, ideal AS (flops / 1e12));
            CREATE INDEX by_ideal ON runs(ideal);
            INSERT INTO runs VALUES (1, 1e12, 'ours'), (2, 3e12, 'ours');
        """
        )
        late = "SELECT id FROM runs WHERE roofline_seconds(flops, chip) >= 2"
        self.assertEqual(self.rows(late), [(2,)])
        self.db.execute("UPDATE chips SET peak_flops = 4e12")
        self.assertEqual(self.rows(late), [])
        self.assertEqual(self.rows("SELECT id FROM runs WHERE ideal >= 2"), [(2,)])
        self.assertEqual(self.one("PRAGMA integrity_check"), "ok")


def sqlite3_flag(name):
    return {"DETERMINISTIC": 0x800, "DIRECTONLY": 0x80000, "INNOCUOUS": 0x200000}[name]


if __name__ == "__main__":
    unittest.main()
