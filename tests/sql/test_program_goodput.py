"""Program goodput end to end: from HLO, step times and profiles to PG by program and in the ledger, and what is said of one above 1."""

import csv
import os
import tempfile
import unittest
from decimal import Decimal

from fleets import ROOT, al, cap, connect, fleet, job, quote, sp, write_csv
from program import HLO, RUN, Case


class EndToEnd(Case):
    """From HLO and step times to PG by program, and into the ledger."""

    def setUp(self):
        super().setUp()
        for name in ("steps", "jobs"):
            with open(os.path.join(RUN, name + ".csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            setattr(self, name, rows)
            self.db.execute(f"CREATE TABLE run_{name}({', '.join(rows[0])})")
            self.db.executemany(
                f"INSERT INTO run_{name} VALUES ({', '.join('?' * len(rows[0]))})",
                [tuple(row.values()) for row in rows],
            )
        self.db.execute(
            "CREATE TEMP TABLE hlo_input AS SELECT *, _file AS file, 'nvidia-h100-sxm' AS chip, 'fp32' AS f32, NULL AS run_on FROM hlo_cost(?)",
            (HLO,),
        )
        self.script("formats/hlo.sql")
        self.db.executescript(
            """
            CREATE TEMP VIEW capacity AS
              SELECT 'h100' AS pool, 'NVIDIA H100 80GB HBM3' AS chip, 24 AS chips, min(start_time) AS start_time, max(end_time) AS end_time FROM run_jobs;
            CREATE TEMP VIEW jobs AS SELECT job, owner, chips FROM run_jobs;
            CREATE TEMP VIEW allocations AS
              SELECT job, 1 AS attempt, 'h100' AS pool, chips, start_time, end_time, 'completed' AS outcome FROM run_jobs;
            CREATE TEMP VIEW spans AS SELECT job, 1 AS attempt, 'step' AS kind, start_time, end_time, step, program FROM run_steps;"""
        )
        self.chips = {row["job"]: int(row["chips"]) for row in self.jobs}

    def by_hand(self):
        """program -> [chip-seconds, ideal chip-seconds or None]; the ledger's ideal of a span is whole microseconds"""
        step, decode = 28 * 2 * 4096 * 1024 * 4096, 4294967296
        ideal = {
            "jit_train_step": 8 * step / 989.5e12,
            "jit_decode": decode / 989.5e12,
            "jit_fp8_step": 2 * 2 * 8192 * 4096**2 / 1979e12 + 2 * 8192 * 4096 * 1024 / 989.5e12,
        }
        sums = {}
        for row in self.steps:
            at = sums.setdefault(row["program"], [0.0, 0.0])
            at[0] += self.chips[row["job"]] * float(Decimal(row["end_time"]) - Decimal(row["start_time"]))
            at[1] = None if row["program"] not in ideal else at[1] + round(1e6 * ideal[row["program"]]) / 1e6
        return sums

    def test_by_program(self):
        found = self.rows(
            """
            SELECT t.program, sum(chip_us) / 1e6, program_goodput(category, chip_us), program_coverage(category, chip_us)
            FROM (SELECT DISTINCT job FROM allocations) AS j, mpg_timeline(j.job) AS t
            WHERE t.program IS NOT NULL GROUP BY t.program ORDER BY 2 DESC"""
        )
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
        pg, coverage, lower, mpg = self.rows(
            "SELECT program_goodput(category, chip_us), program_coverage(category, chip_us), mpg_lower(category, chip_us), "
            "mpg(category, chip_us) FROM mpg_rollup"
        )[0]
        self.assertAlmostEqual(pg, sum(i for _, i in rated) / sum(s for s, _ in rated), 6)
        self.assertAlmostEqual(coverage, sum(s for s, _ in rated) / sum(s for s, _ in expected.values()), 4)
        self.assertIsNone(mpg)
        self.assertGreater(lower, 0)

    def test_above_one(self):
        """Shown as it is, never clamped, and listed with the likely cause."""
        self.assertGreater(self.one("SELECT program_goodput(category, chip_us) FROM mpg_timeline('pruned')"), 1.4)
        self.rows("SELECT count(*) FROM mpg_rollup")
        self.assertEqual(
            self.rows("SELECT severity, count, detail FROM mpg_issues WHERE kind = 'above_roofline'"),
            [
                (
                    "warning",
                    8,
                    "productive spans faster than their ideal: program goodput above 1, up to 1.45 on nvidia-h100-sxm at its given peak, fp8; likely: "
                    "FLOPs of a sparse product counted as dense, causal attention not halved, first in job pruned",
                )
            ],
        )

    def test_memory_roofline(self):
        """Decode, by parameters and results over bandwidth."""
        compute, memory = (
            self.one(f"SELECT program_goodput(category, chip_us) FROM mpg_timeline('serve'{more})")
            for more in ("", ") WHERE roofline = ('memory'")
        )
        self.assertAlmostEqual(compute, 4 / 310, 5)  # 4.34 us, in whole microseconds
        self.assertAlmostEqual(memory, round(1e6 * (536936448 + 524288) / 3350e9) / 310, 5)


class FromAProfile(Case):
    """From an XSpace profile and an HLO dump, through spans and programs, into the ledger."""

    def test_runs_of_a_program(self):
        self.db.execute(
            "CREATE TEMP TABLE hlo_input AS SELECT *, _file AS file, 'tpu-v5p' AS chip, 'fp32' AS f32, NULL AS run_on FROM hlo_cost(?)",
            (RUN + "/jit_step.hlo",),
        )
        self.script("formats/hlo.sql")
        dots = 2 * 2 * 8192 * 8192 * 512
        self.assertEqual(self.rows("SELECT program, flops, dtype FROM programs"), [("jit_step", 2 * dots, "bf16")])
        self.db.execute(
            """
            CREATE TEMP TABLE spans AS
            WITH runs AS (
              SELECT substr(name, 1, instr(name, '(') - 1) AS program, start_ns, end_ns, row_number() OVER (PARTITION BY plane ORDER BY start_ns) AS run
              FROM xplane_trace(?) WHERE line = 'XLA Modules')
            SELECT 'j' AS job, 'step' AS kind, run AS step, program, min(start_ns) / 1e9 AS start_time, max(end_ns) / 1e9 AS end_time
            FROM runs GROUP BY run""",
            (os.path.join(ROOT, "fixtures/xplane"),),
        )
        self.db.executescript(
            """
            CREATE TEMP VIEW allocations AS
              SELECT 'j' AS job, 'p' AS pool, 2 AS chips, min(start_time) AS start_time, max(end_time) AS end_time, 'completed' AS outcome FROM spans;
            CREATE TEMP VIEW capacity AS SELECT pool, 'TPU v5p' AS chip, chips, start_time, end_time FROM allocations;"""
        )
        ideal = round(1e6 * 2 * dots / 459e12)
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1"),
            [("ideal", 3 * ideal), ("inefficiency", 3 * (2000 - ideal)), ("unknown", 1000)],
        )
        self.assertAlmostEqual(self.one("SELECT mpg(category, chip_us) FROM mpg_rollup"), 3 * ideal / 7000)

    def test_instructions(self):
        """What the profiler timed and what the module says of it: the same bytes, and the FLOPs of the dot."""
        found = self.rows(
            """
            SELECT DISTINCT e.name, e.bytes_accessed = h.op_bytes, h.op_flops - e.flops
            FROM chrome_trace(?) AS e JOIN hlo_trace(?) AS h ON h.name = e.name AND h.module = e.hlo_module
            WHERE e.thread_name = 'XLA Ops' AND e.ph = 'X' ORDER BY 1""",
            os.path.join(ROOT, "fixtures/profile/tpu.trace.json"),
            RUN + "/profiled_step.hlo",
        )
        self.assertEqual(found, [("all-reduce.3", 1, 0), ("fusion.12", 1, 4096 * 2048), ("fusion.14", 1, 0)])


class AboveOne(unittest.TestCase):
    """What a program goodput above 1 is put down to, by how much it is and what it was rated at."""

    PLAIN = "productive spans faster than their ideal: program goodput above 1, up to "
    SPARSE = " FLOPs of a sparse product counted as dense, causal attention not halved"

    def detail(self, chip, times, dtype=None):
        peak = {"nvidia-h100-sxm": 989.5e12, "tpu-v4": 275e12}[chip]
        relations = fleet(
            cap(1, 0, 10, chip=chip),
            job(),
            al(1, 0, 10, outcome="completed"),
            sp("step", 0, 10, 1, flops=10 * times * peak, dtype=dtype),
        )
        with tempfile.TemporaryDirectory() as folder:
            path, db = write_csv(folder, relations), connect()
            (pg,) = db.execute(f"SELECT program_goodput(category, chip_us) FROM trace_rollup({quote(path)})").fetchone()
            self.assertAlmostEqual(pg, times / (2 if dtype == "fp8" else 1))
            return [detail for detail, in db.execute("SELECT detail FROM mpg_issues WHERE kind = 'above_roofline'")]

    def test_causes(self):
        for expected, *case in [
            (
                "1.03 on nvidia-h100-sxm at its default peak, bf16; so little may be the noise of clocks and timers",
                "nvidia-h100-sxm",
                1.03,
            ),
            (
                "1.9 on nvidia-h100-sxm at its default peak, bf16; likely: another dtype (the fp8 peak is 2 times that),"
                + self.SPARSE,
                "nvidia-h100-sxm",
                1.9,
            ),
            ("1.5 on nvidia-h100-sxm at its given peak, fp8; likely:" + self.SPARSE, "nvidia-h100-sxm", 3, "fp8"),
            (
                "1.9 on tpu-v4 at its default peak, bf16; likely: chips counted where cores or dies were meant,"
                + self.SPARSE,
                "tpu-v4",
                1.9,
            ),
            (
                "8 on tpu-v4 at its default peak, bf16; likely: FLOPs of all devices held against the time of one, executions counted twice",
                "tpu-v4",
                8,
            ),
        ]:
            self.assertEqual(self.detail(*case), [self.PLAIN + expected + ", first in job j"])
        self.assertEqual(self.detail("tpu-v4", 0.99), [])


if __name__ == "__main__":
    unittest.main()
