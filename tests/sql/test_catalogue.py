#!/usr/bin/python3
"""mpg_chips, mpg_categories, mpg_issues, and the user's own table of chips."""

import csv
import json
import os
import sqlite3
import tempfile
import unittest

import cases
from fleets import ROOT, connect
from goodput_model import CATEGORIES

SHARED = os.path.join(ROOT, "..", "shared")
COLUMNS = (
    "chip",
    "vendor",
    "year",
    "dtype",
    "peak_flops",
    "hbm_bytes",
    "hbm_bytes_per_s",
    "ici_bytes_per_s",
    "tdp_w",
    "source",
    "aliases",
    "devices",
    "unit",
)


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


class Case(cases.Case):
    def peak(self, chip, dtype=None):
        return self.one("SELECT chip_peak_flops(?, ?)", chip, dtype)


class ChipsTest(Case):
    def test_an_a10g_is_no_a10(self):
        """It is another part, with slower matrix units."""
        self.assertEqual(self.peak("NVIDIA A10"), 125e12)
        self.assertEqual(self.peak("NVIDIA A10G"), 70e12)

    def test_peaks_by_clock(self):
        """Dense FLOPs with FP32 accumulate, of units x boost clock (MHz) x FLOPs of a unit a clock: half as many where sold for games."""
        for chip, units, mhz, flops in (
            ("nvidia-v100s-pcie", 80, 1597, 1024),
            ("nvidia-p100-pcie", 56, 1303, 256),
            ("nvidia-a30", 56, 1440, 2048),
            ("nvidia-a40", 84, 1740, 1024),
            ("nvidia-rtx-a6000", 84, 1800, 1024),
            ("nvidia-a10g", 80, 1710, 512),
            ("nvidia-rtx-3090", 82, 1695, 512),
            ("nvidia-a800-80-sxm4", 108, 1410, 2048),
            ("nvidia-a800-80-pcie", 108, 1410, 2048),
            ("nvidia-a800-40-active", 108, 1410, 2048),
            ("nvidia-l20", 92, 2520, 512),
            ("nvidia-l40", 142, 2490, 512),
            ("nvidia-rtx-6000-ada", 142, 2505, 1024),
            ("nvidia-rtx-4090", 128, 2520, 512),
            ("nvidia-h800-sxm", 132, 1830, 4096),
            ("nvidia-h800-pcie", 114, 1620, 4096),
            ("nvidia-gh200-96", 132, 1830, 4096),
            ("nvidia-gh200-144", 132, 1830, 4096),
            ("nvidia-rtx-pro-6000-workstation", 188, 2617, 1024),
            ("nvidia-rtx-pro-6000-server", 188, 2430, 1024),
            ("nvidia-rtx-5090", 170, 2407, 512),
            ("amd-mi250", 208, 1700, 1024),
            ("amd-mi300a", 228, 2100, 2048),
            ("intel-max-1550", 128, 1600, 4096),
        ):
            self.assertAlmostEqual(self.peak(chip) / (units * mhz * 1e6 * flops), 1, delta=0.01, msg=chip)

    def test_names_as_tools_print_them(self):
        """nvidia-smi, GPU feature discovery, Slurm's gres, AMD's node labeller; a name of several chips is that of none."""
        for name, chip in (
            ("NVIDIA GH200 480GB", "nvidia-gh200-96"),
            ("NVIDIA-GH200-480GB", "nvidia-gh200-96"),
            ("nvidia_gh200_120gb", "nvidia-gh200-96"),
            ("gh200", "nvidia-gh200-96"),
            ("NVIDIA-GH200-144G-HBM3e", "nvidia-gh200-144"),
            ("NVIDIA-A800-SXM4-80GB", "nvidia-a800-80-sxm4"),
            ("nvidia_a800_80gb_pcie", "nvidia-a800-80-pcie"),
            ("nvidia_h200", "nvidia-h200-sxm"),
            ("h200_nvl", "nvidia-h200-nvl"),
            ("nvidia_h800", "nvidia-h800-sxm"),
            ("NVIDIA-H800-PCIe", "nvidia-h800-pcie"),
            ("a30", "nvidia-a30"),
            ("a40", "nvidia-a40"),
            ("l40", "nvidia-l40"),
            ("l40s", "nvidia-l40s"),
            ("rtx_a6000", "nvidia-rtx-a6000"),
            ("rtx3090", "nvidia-rtx-3090"),
            ("nvidia_geforce_rtx_4090", "nvidia-rtx-4090"),
            ("rtx_5090", "nvidia-rtx-5090"),
            ("NVIDIA-RTX-6000-Ada-Generation", "nvidia-rtx-6000-ada"),
            ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "nvidia-rtx-pro-6000-server"),
            ("Tesla-P100-PCIE-16GB", "nvidia-p100-pcie"),
            ("v100s", "nvidia-v100s-pcie"),
            ("AMD_Instinct_MI250", "amd-mi250-gcd"),
            ("AMD_Instinct_MI300A", "amd-mi300a"),
            ("mi300a", "amd-mi300a"),
            ("trn3", "aws-trainium3"),
            ("AMD_Instinct_MI455X", "amd-mi455x"),
            ("Intel(R) Data Center GPU Max 1550", "intel-max-1550-tile"),
            ("ATLAS_800_A3_752T_128G_DIE", "huawei-ascend-910c-die"),
        ):
            self.assertEqual(
                (self.peak(name), self.one("SELECT chip_bandwidth(?)", name)),
                (self.peak(chip), self.one("SELECT chip_bandwidth(?)", chip)),
                name,
            )
        for name in (
            "p100",
            "v100",
            "a100",
            "a800",
            "h100",
            "h200",
            "h800",
            "a6000",
            "rtx6000",
            "quadro_rtx_6000",
            "rtx_pro_6000",
            "mi250",
        ):
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^chip_peak_flops: unknown chip '{name}'; "):
                self.peak(name)

    def test_a_chip_of_which_one_peak_is_published(self):
        """NVIDIA says of a GB10 what it does in sparse FP4: half of that is dense, and no other dtype has a peak."""
        self.assertEqual(
            (self.peak("NVIDIA GB10", "nvfp4"), self.one("SELECT chip_bandwidth('NVIDIA GB10')")), (5e14, 273e9)
        )
        self.fails(
            "chip_peak_flops: chip 'nvidia-gb10' has no peak for bf16, fp16 or fp32; it has: fp4",
            "SELECT chip_peak_flops('NVIDIA GB10')",
        )

    def test_nearest_names(self):
        """Where a tool prints a name that says too little of a chip, the error has those that it may be."""
        for name, nearest in (
            ("Ascend910B3", "huawei-ascend-910b-"),
            ("Ascend 910C", "huawei-ascend-910c"),
            ("NVIDIA H20-3e", "nvidia-h20"),
            ("MI308X", "MI300X|amd-mi30"),
            ("Max 1550", "Max 1550|max-1550"),
        ):
            self.assertRegex(
                self.error("SELECT chip_peak_flops(?)", name), f"unknown chip '{name}'; nearest: .*(?:{nearest})"
            )

    def test_virtual_functions_and_boards(self):
        """A machine of a cloud sees a whole GPU of AMD as a virtual function, and its board calls it by its form."""
        for chip in ("MI300X", "MI325X", "MI350X", "MI355X"):
            for before in ("", "Instinct ", "AMD Instinct "):
                self.assertEqual(self.peak(f"{before}{chip} VF"), self.peak(chip))
            self.assertEqual(self.peak(f"AMD Instinct {chip} OAM"), self.peak(chip))

    def test_rows_are_those_of_the_file(self):
        aliases = {}
        for row in read(os.path.join(ROOT, "schema", "chip_aliases.csv")):
            aliases.setdefault(row["chip"], []).append(row["device_name"])
        devices = {
            row["chip"]: (int(row["devices"]), row["unit"])
            for row in read(os.path.join(ROOT, "schema", "chip_devices.csv"))
        }
        expected = []
        for row in read(os.path.join(ROOT, "schema", "chips.csv")):
            number = [None if row[c] == "" else float(row[c]) for c in COLUMNS[4:9]]
            expected.append(
                (
                    row["chip"],
                    row["vendor"],
                    int(row["year"]),
                    row["dtype"],
                    *number,
                    row["source"],
                    json.dumps(aliases.get(row["chip"], []), separators=(",", ":")),
                    *devices[row["chip"]],
                )
            )
        got = self.db.execute("SELECT * FROM mpg_chips").fetchall()
        self.assertEqual(got, expected)
        self.assertEqual(
            [r[0] for r in self.db.execute("SELECT rowid FROM mpg_chips")], list(range(1, len(expected) + 1))
        )

    def test_what_a_chip_is(self):
        """Per device or per chip: a figure of a chip with several devices is that of all of them."""
        self.assertEqual(self.one("SELECT count(*) FROM mpg_chips WHERE devices IS NULL OR unit IS NULL"), 0)
        self.assertEqual(
            self.db.execute("SELECT DISTINCT chip, devices FROM mpg_chips WHERE devices > 1 ORDER BY chip").fetchall(),
            [
                ("amd-mi250", 2),
                ("amd-mi250x", 2),
                ("aws-inferentia2", 2),
                ("aws-trainium1", 2),
                ("aws-trainium2", 4),
                ("aws-trainium3", 4),
                ("huawei-ascend-910c", 2),
                ("intel-max-1550", 2),
                ("tpu-v2", 2),
                ("tpu-v3", 2),
                ("tpu7x", 2),
            ],
        )
        for chip, half in (
            ("amd-mi250", "-gcd"),
            ("amd-mi250x", "-gcd"),
            ("intel-max-1550", "-tile"),
            ("huawei-ascend-910c", "-die"),
        ):
            self.assertEqual(self.peak(chip), 2 * self.peak(chip + half))
        for chip, half in ("intel-max-1550", "-tile"), ("huawei-ascend-910c", "-die"):
            self.assertEqual(
                self.one("SELECT chip_bandwidth(?)", chip), 2 * self.one("SELECT chip_bandwidth(?)", chip + half)
            )
        self.db.execute(
            "CREATE TABLE chips AS SELECT 'tpu7x' AS chip, 'int4' AS dtype, 1e15 AS peak_flops UNION ALL SELECT 'acme', 'bf16', 1e12"
        )
        self.assertEqual(
            self.db.execute(
                "SELECT chip, devices, unit FROM mpg_chips WHERE dtype = 'int4' AND chip = 'tpu7x' OR chip = 'acme'"
            ).fetchall(),
            [("tpu7x", 2, "chip of two TensorCores; each is a device"), ("acme", None, None)],
        )

    def test_every_row_has_a_source(self):
        self.assertEqual(
            self.one("SELECT count(*) FROM mpg_chips WHERE source LIKE 'https://%'"),
            self.one("SELECT count(*) FROM mpg_chips"),
        )

    def test_file_agrees_with_the_facts(self):
        facts = os.path.join(SHARED, "oracle", "chips")
        if not os.path.isdir(facts):
            self.skipTest("no ../shared/oracle/chips")
        for name in ("chips.csv", "chip_aliases.csv"):
            ours = read(os.path.join(ROOT, "schema", name))
            missing = [row for row in read(os.path.join(facts, name)) if row not in ours]
            # An A10G is not an A10: see test_an_a10g_is_no_a10.
            self.assertEqual([], [row for row in missing if row.get("device_name") != "NVIDIA A10G"])

    def test_declaration(self):
        declared = {
            "mpg_chips": [
                (c, t)
                for c, t in zip(
                    COLUMNS, ("TEXT TEXT BIGINT TEXT REAL BIGINT REAL REAL REAL TEXT TEXT BIGINT TEXT").split()
                )
            ],
            "mpg_categories": [
                ("category", "TEXT"),
                ("layer", "TEXT"),
                ("meaning", "TEXT"),
                ("in_capacity", "BIGINT"),
                ("in_allocated", "BIGINT"),
                ("in_productive", "BIGINT"),
            ],
            "mpg_issues": [
                ("source", "TEXT"),
                ("severity", "TEXT"),
                ("kind", "TEXT"),
                ("line", "BIGINT"),
                ("count", "BIGINT"),
                ("detail", "TEXT"),
            ],
        }
        for table, columns in declared.items():
            got = self.db.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
            self.assertEqual(got, columns)
            self.db.execute(f"SELECT * FROM {table}").fetchall()
        self.assertEqual(
            self.one("SELECT group_concat(DISTINCT typeof(year) || typeof(hbm_bytes)) FROM mpg_chips"), "integerinteger"
        )

    def test_eponymous_and_read_only(self):
        for table in ("mpg_chips", "mpg_categories", "mpg_issues"):
            with self.assertRaises(sqlite3.OperationalError):
                self.db.execute(f"CREATE VIRTUAL TABLE t USING {table}")
            if table != "mpg_issues":
                with self.assertRaises(sqlite3.OperationalError):
                    self.db.execute(f"DELETE FROM {table}")
        self.db.executescript(
            """CREATE VIEW c AS SELECT * FROM mpg_chips;
                                 CREATE VIEW g AS SELECT * FROM mpg_categories;
                                 CREATE VIEW i AS SELECT * FROM mpg_issues;"""
        )
        self.assertEqual(self.one("SELECT count(*) FROM i"), 0)
        self.db.execute("PRAGMA trusted_schema = OFF")
        self.assertGreater(self.one("SELECT count(*) FROM c"), 250)
        self.assertEqual(self.one("SELECT count(*) FROM g"), 18)
        self.fails('unsafe use of virtual table "mpg_issues"', "SELECT * FROM i")

    def test_a_mapping_lists_what_it_leaves_out(self):
        row = "INSERT INTO mpg_issues(source, severity, kind, line, count, detail) "
        self.db.execute(
            row + "SELECT 'a.log', 'warning', 'unknown_event', value, 2, 'at ' || value FROM json_each('[7, 3]')"
        )
        self.db.execute(row + "VALUES ('a.log', 'info', 'empty', NULL, 0, 'none of it')")
        self.assertEqual(
            self.db.execute("SELECT * FROM mpg_issues").fetchall(),
            [("a.log", "warning", "unknown_event", 3, 4, "at 3")],
        )
        for values, error in [
            ("'a', 'bad', 'k', 1, 1, 'd'", "expected the severity"),
            ("NULL, 'info', 'k', 1, 1, 'd'", "found NULL"),
            ("'a', 'info', NULL, 1, 1, 'd'", "found NULL"),
            ("'a', 'info', 'k', 1, -1, 'd'", "expected a count"),
            ("'a', 'info', 'k', 1, 'x', 'd'", "expected a count"),
        ]:
            self.assertIn(error, self.error(row + f"VALUES ({values})"))
        self.assertIn("not updated or deleted", self.error("UPDATE mpg_issues SET count = 1"))
        self.assertEqual(self.one("SELECT sum(count) FROM mpg_issues"), 4)

    def test_joined_with_itself(self):
        n = self.one("SELECT count(*) FROM mpg_chips")
        self.assertEqual(self.one("SELECT count(*) FROM mpg_chips a JOIN mpg_chips b USING (chip, dtype)"), n)
        self.assertEqual(
            self.one("SELECT max(chip) || min(source) FROM mpg_chips"),
            max(r[0] for r in self.db.execute("SELECT chip FROM mpg_chips"))
            + min(r[0] for r in self.db.execute("SELECT source FROM mpg_chips")),
        )


class CategoriesTest(Case):
    def test_what_counts_towards_what(self):
        scheduling = {"down", "idle", "partial"}
        productive = {"inefficiency", "unrated", "ideal"}
        rows = self.db.execute("SELECT * FROM mpg_categories").fetchall()
        self.assertEqual([r[0] for r in rows], CATEGORIES)
        for category, layer, meaning, capacity, allocated, in_productive in rows:
            self.assertEqual(capacity, int(category != "queued"), category)
            self.assertEqual(allocated, int(category != "queued" and category not in scheduling), category)
            self.assertEqual(in_productive, int(category in productive), category)
            self.assertEqual(layer == "scheduling", category in scheduling)
            self.assertTrue(meaning)


class UserTableTest(Case):
    def test_extends_and_overrides(self):
        self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.executescript(
            """
            CREATE TABLE chips(chip TEXT, dtype TEXT, peak_flops REAL);
            INSERT INTO chips VALUES ('TPU v4', 'bfloat16', 2e14), ('acme one', 'fp8', 5), ('acme one', 'posit16', 7);
        """
        )
        self.assertEqual(self.peak("tpu-v4"), 2e14)
        self.assertEqual(self.peak("tpu-v4", "int8"), 275e12)
        self.assertEqual(self.peak("ACME-One", "f8e4m3fn"), 5)
        self.assertEqual(self.peak("acme_one", "Posit16"), 7)
        self.fails(
            "chip_peak_flops: chip 'acme one' has no peak for bf16, fp16 or fp32; it has: fp8, posit16",
            "SELECT chip_peak_flops('acme one')",
        )
        self.assertIsNone(self.one("SELECT chip_bandwidth('acme one')"))
        self.fails(
            "roofline_seconds: chip 'acme one' has no bandwidth in the catalogue",
            "SELECT roofline_seconds(1, 1, 'acme one', 'fp8')",
        )
        self.assertEqual(
            self.one("SELECT roofline_seconds(1, 0, 'acme one', 'fp8')"), 0.2
        )  # no bytes take no time on any chip
        # What the override leaves out is that of the row it replaced, but for the source.
        self.assertEqual(
            self.db.execute(
                "SELECT vendor, year, peak_flops, hbm_bytes_per_s, source FROM mpg_chips "
                "WHERE chip = 'tpu-v4' AND dtype = 'bf16'"
            ).fetchall(),
            [("Google", 2021, 2e14, 1.2e12, "main.chips")],
        )
        self.assertEqual(
            self.db.execute("SELECT * FROM mpg_chips WHERE chip = 'acme one'").fetchall(),
            [
                ("acme one", None, None, "fp8", 5.0, None, None, None, None, "main.chips", "[]", None, None),
                ("acme one", None, None, "posit16", 7.0, None, None, None, None, "main.chips", "[]", None, None),
            ],
        )
        self.fails("chip_peak_flops: unknown chip 'cme one'; nearest: acme one", "SELECT chip_peak_flops('cme one')")

    def test_all_columns(self):
        self.db.execute(
            "CREATE TABLE chips(aliases, source, tdp_w, ici_bytes_per_s, hbm_bytes_per_s, hbm_bytes, "
            "peak_flops, dtype, year, vendor, chip, more)"
        )
        self.db.execute(
            "INSERT INTO chips VALUES (?, 'a talk', 5, 4, 3, 2, 1, 'bf16', 2027, 'Acme', 'a1', x'00')",
            ('["A one", "a\\"1\\"\\u00e9"]',),
        )
        self.assertEqual(
            self.db.execute("SELECT * FROM mpg_chips WHERE chip = 'a1'").fetchall(),
            [("a1", "Acme", 2027, "bf16", 1.0, 2, 3.0, 4.0, 5.0, "a talk", '["A one","a\\"1\\"é"]', None, None)],
        )
        self.assertEqual(self.peak('A"1"é'), 1)
        self.assertEqual(self.one("SELECT chip_bandwidth('a ONE')"), 3)

    def test_copy_of_the_catalogue_changes_nothing(self):
        before = self.db.execute("SELECT * FROM mpg_chips").fetchall()
        self.db.execute("CREATE TABLE chips AS SELECT * FROM mpg_chips")
        self.assertEqual(self.db.execute("SELECT * FROM mpg_chips").fetchall(), before)

    def test_text_as_import_leaves_it(self):
        self.db.execute(
            "CREATE TABLE chips(chip ANY, dtype ANY, peak_flops ANY, hbm_bytes_per_s ANY, tdp_w ANY, year ANY)"
        )
        self.db.execute("INSERT INTO chips VALUES ('a1', 'bf16', '1e15', '2.5e12', '', '2026')")
        self.assertEqual(
            self.db.execute(
                "SELECT peak_flops, hbm_bytes_per_s, tdp_w, year FROM mpg_chips " "WHERE chip = 'a1'"
            ).fetchall(),
            [(1e15, 2.5e12, None, 2026)],
        )

    def test_temp_over_main(self):
        self.db.executescript(
            """
            CREATE TABLE main.chips(chip, dtype, peak_flops);
            INSERT INTO main.chips VALUES ('a1', 'bf16', 1), ('a1', 'fp8', 2);
            CREATE TABLE temp.chips(chip, dtype, peak_flops);
            INSERT INTO temp.chips VALUES ('a1', 'bf16', 3), ('acme', 'bf16', 4);
        """
        )
        self.assertEqual([self.peak("a1"), self.peak("a1", "fp8"), self.peak("acme")], [3, 2, 4])
        self.db.execute("DROP TABLE temp.chips")
        self.assertEqual(self.peak("a1"), 1)
        self.fails(
            "chip_peak_flops: unknown chip 'quux'; the catalogue is table mpg_chips", "SELECT chip_peak_flops('quux')"
        )
        self.db.execute("DROP TABLE main.chips")
        with self.assertRaises(sqlite3.OperationalError):
            self.peak("a1")

    def test_changes_are_seen_by_the_next_statement(self):
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 1)")
        self.assertEqual(self.peak("tpu-v4"), 1)
        self.db.execute("UPDATE chips SET peak_flops = 2")
        self.assertEqual(self.peak("tpu-v4"), 2)
        # In and after a transaction, committed or not.
        self.db.execute("BEGIN")
        self.db.execute("UPDATE chips SET peak_flops = 3")
        self.assertEqual(self.peak("tpu-v4"), 3)
        self.db.execute("SAVEPOINT s")
        self.db.execute("UPDATE chips SET peak_flops = 4")
        self.assertEqual(self.peak("tpu-v4"), 4)
        self.db.execute("ROLLBACK TO s")
        self.assertEqual(self.peak("tpu-v4"), 3)
        self.db.execute("ROLLBACK")
        self.assertEqual(self.peak("tpu-v4"), 2)
        self.db.execute("DELETE FROM chips")
        self.assertEqual(self.peak("tpu-v4"), 275e12)

    def test_prepared_statement_reads_anew(self):
        """Python keeps statements: the same one, run again, sees the change."""
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        sql = "SELECT chip_peak_flops(c) FROM (SELECT 'tpu-v4' AS c)"
        self.assertEqual(self.one(sql), 275e12)
        self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 1)")
        self.assertEqual(self.one(sql), 1)

    def test_statement_keeps_what_it_read(self):
        self.db.executescript(
            """
            CREATE TABLE chips(chip, dtype, peak_flops);
            INSERT INTO chips VALUES ('tpu-v4', 'bf16', 1);
            CREATE TABLE t(i INTEGER PRIMARY KEY, c);
            INSERT INTO t(c) VALUES ('tpu-v4'), ('tpu-v4'), ('tpu-v4');
        """
        )
        seen = []
        scan = self.db.execute("SELECT chip_peak_flops(c) FROM t ORDER BY i")
        whole = self.db.execute("SELECT peak_flops FROM mpg_chips WHERE chip = 'tpu-v4' AND dtype = 'bf16'")
        for (value,) in scan:
            seen.append(value)
            self.db.execute("UPDATE chips SET peak_flops = peak_flops + 1")
            self.assertEqual(self.peak("tpu-v4"), 1 + len(seen))
        self.assertEqual(seen, [1, 1, 1])
        self.assertEqual(whole.fetchall(), [(1.0,)])
        self.assertEqual(self.peak("tpu-v4"), 4)

    def test_another_connection(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fleet.db")
            a, b = connect(path), connect(path)
            self.addCleanup(a.close)
            self.addCleanup(b.close)
            peak = "SELECT chip_peak_flops('tpu-v4')"
            self.assertEqual(a.execute(peak).fetchone(), (275e12,))
            b.executescript(
                "CREATE TABLE chips(chip, dtype, peak_flops);" "INSERT INTO chips VALUES ('tpu-v4', 'bf16', 1)"
            )
            self.assertEqual(a.execute(peak).fetchone(), (1,))
            b.execute("UPDATE chips SET peak_flops = 2")
            self.assertEqual(a.execute(peak).fetchone(), (2,))
            b.execute("DROP TABLE chips")
            self.assertEqual(a.execute(peak).fetchone(), (275e12,))

    def test_only_ordinary_tables_and_columns_count(self):
        ran = []
        self.db.create_function("evil", 1, lambda v: ran.append(v) or v, deterministic=True)
        self.db.execute("CREATE VIEW chips AS SELECT 'tpu-v4' AS chip, 'bf16' AS dtype, evil(1) AS peak_flops")
        self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.execute("DROP VIEW chips")
        self.db.execute("CREATE TABLE chips(chip, dtype, peak AS (evil(1)), peak_flops AS (evil(2)))")
        self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16')")
        ran.clear()
        self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.execute("DROP TABLE chips")
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops, vendor AS (evil(3)))")
        self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 9)")
        ran.clear()
        self.assertEqual(self.peak("tpu-v4"), 9)
        self.db.execute("DROP TABLE chips")
        self.assertEqual(ran, [])
        self.db.execute("CREATE TEMP VIEW chips AS SELECT 'tpu-v4' AS chip, 'bf16' AS dtype, evil(1) AS peak_flops")
        self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.execute("DROP VIEW temp.chips")
        if "ENABLE_FTS5" in {r[0] for r in self.db.execute("PRAGMA compile_options")}:
            self.db.execute("CREATE VIRTUAL TABLE chips USING fts5(chip, dtype, peak_flops)")
            self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 9)")
            self.assertEqual(self.peak("tpu-v4"), 275e12)

    def test_a_table_without_the_columns_is_not_ours(self):
        for columns in ("chip, dtype", "chip, peak_flops", "dtype, peak_flops", "id, name"):
            self.db.execute(f"CREATE TABLE chips({columns})")
            self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'x')")
            self.assertEqual(self.peak("tpu-v4"), 275e12)
            self.db.execute("DROP TABLE chips")
        self.db.execute("CREATE TABLE CHIPS(CHIP, Dtype, Peak_FLOPS)")
        self.db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 9)")
        self.assertEqual(self.peak("tpu-v4"), 9)

    def test_without_rowid_and_indexes(self):
        self.db.executescript(
            """
            CREATE TABLE chips(chip TEXT, dtype TEXT, peak_flops REAL, PRIMARY KEY(chip, dtype)) WITHOUT ROWID;
            INSERT INTO chips VALUES ('tpu-v4', 'bf16', 9), ('a', 'bf16', 8);
        """
        )
        self.assertEqual([self.peak("tpu-v4"), self.peak("a")], [9, 8])
        self.db.executescript(
            """
            DROP TABLE chips;
            CREATE TABLE chips(chip, dtype, peak_flops);
            CREATE INDEX x ON chips(peak_flops DESC, chip, dtype);
            INSERT INTO chips VALUES ('a', 'bf16', 2), ('A', 'bfloat16', 3), ('a', 'bf16', 1);
        """
        )
        self.assertEqual(self.peak("a"), 1, "the later row counts")

    def test_malformed_rows(self):
        good = ("a1", "bf16", 1, None, None, None, None, None, None, None, None)
        columns = (
            "chip",
            "dtype",
            "peak_flops",
            "vendor",
            "year",
            "hbm_bytes",
            "hbm_bytes_per_s",
            "ici_bytes_per_s",
            "tdp_w",
            "source",
            "aliases",
        )
        name = "expected the name of a chip, of 1 to 127 characters"
        for column, value, expected in (
            ("peak_flops", 0, "chip 'a1', dtype 'bf16': expected a positive peak_flops, found 0"),
            ("peak_flops", -1.5, "chip 'a1', dtype 'bf16': expected a positive peak_flops, found -1.5"),
            ("peak_flops", float("inf"), "chip 'a1', dtype 'bf16': expected a positive peak_flops, found inf"),
            ("peak_flops", None, "chip 'a1', dtype 'bf16': expected a positive peak_flops"),
            ("peak_flops", "fast", "expected a number as peak_flops, found 'fast'"),
            ("peak_flops", b"1", "expected a number as peak_flops, found '1'"),
            ("hbm_bytes_per_s", 0, "chip 'a1', dtype 'bf16': expected a positive hbm_bytes_per_s, found 0"),
            ("tdp_w", -1, "chip 'a1', dtype 'bf16': expected a positive tdp_w, found -1"),
            ("hbm_bytes", "80 GB", "expected a number as hbm_bytes, found '80 GB'"),
            ("year", 20.5, "expected a year, found 20.5"),
            ("year", 10000, "expected a year, found 10000"),
            ("chip", None, name),
            ("chip", "", name),
            ("chip", " - ", name),
            ("chip", "x" * 128, name),
            ("chip", 5, "expected text as chip"),
            ("chip", "a\0b", "expected text as chip"),
            ("dtype", None, "chip 'a1': expected a dtype"),
            ("dtype", b"x", "expected text as dtype"),
            ("aliases", "a one", "expected a JSON array of texts as aliases"),
            ("aliases", '{"a": "b"}', "expected a JSON array of texts as aliases"),
            ("aliases", "[1]", "expected a JSON array of texts as aliases"),
            ("aliases", '["TPU v4"]', "alias 'TPU v4' of chip 'a1' is the name of a chip"),
            ("aliases", '[""]', "chip 'a1': expected an alias of 1 to 127 characters"),
        ):
            row = dict(zip(columns, good), **{column: value})
            self.db.execute(f"CREATE TABLE chips({', '.join(columns)})")
            self.db.execute("INSERT INTO chips(chip, dtype, peak_flops) VALUES ('a0', 'bf16', 1)")
            self.db.execute(f"INSERT INTO chips VALUES ({', '.join('?' * len(columns))})", tuple(row.values()))
            text = f"main.chips: row 2: {expected}"
            self.fails(f"chip_peak_flops: {text}", "SELECT chip_peak_flops('tpu-v4')")
            self.fails(f"roofline_ideal: {text}", "SELECT roofline_ideal(1, 'tpu-v4')")
            self.fails(f"mpg_chips: {text}", "SELECT * FROM mpg_chips")
            self.assertIsNone(self.one("SELECT roofline_seconds(NULL, 'tpu-v4')"), "nothing to look up")
            self.db.execute("DROP TABLE chips")
            self.assertEqual(self.peak("tpu-v4"), 275e12)
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops, aliases)")
        self.db.execute("INSERT INTO chips VALUES ('a1', 'bf16', 1, '[\"x\",]')")
        with self.assertRaisesRegex(sqlite3.OperationalError, r"^mpg_chips: main\.chips: row 1: aliases:1:6: "):
            self.db.execute("SELECT * FROM mpg_chips").fetchall()

    def test_read_once_a_statement(self):
        """A large table of chips and many rows: reading it for each of them would take minutes."""
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        self.db.executemany("INSERT INTO chips VALUES (?, 'bf16', 1e12)", [(f"acme {i}",) for i in range(5000)])
        self.db.execute(
            "CREATE TABLE t AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 49999) "
            "SELECT i, 'ACME-' || (i % 5000) AS c FROM r"
        )
        self.assertEqual(self.one("SELECT sum(chip_peak_flops(c)) FROM t"), 5e16)
        self.assertEqual(self.one("SELECT roofline_ideal(1e12, c) FROM t"), 50000)
        self.assertEqual(self.rows("SELECT count(roofline_seconds(1e12, c)) FROM t GROUP BY i % 2"), [(25000,)] * 2)

    def test_no_error_is_left_with_the_connection(self):
        """Looking for a table that is not there must not show up as the connection's error."""
        cursor = self.db.execute("SELECT chip_peak_flops('tpu-v4')")
        cursor.fetchall()
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute("SELECT nowhere")
        self.assertEqual(str(caught.exception), "no such column: nowhere")

    def test_locked_and_closed(self):
        """A connection closes while a statement is open, and the catalogue goes with it."""
        db = connect()
        db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        db.execute("INSERT INTO chips VALUES ('tpu-v4', 'bf16', 9)")
        scan = db.execute("SELECT chip_peak_flops('tpu-' || 'v4') FROM mpg_chips")
        self.assertEqual(scan.fetchone(), (9,))
        db.close()


if __name__ == "__main__":
    unittest.main()
