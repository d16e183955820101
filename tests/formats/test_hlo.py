"""HLO text: hlo_trace and hlo_cost, against XLA's own unit tests, an independent count of real modules, and files as they come."""

import csv
import gzip
import json
import os
import re
import subprocess
import unittest

from fleets import ROOT, connect, quote
from hlo_case import Case
from poll_gaps import gaps

SHARED = os.path.join(os.path.dirname(ROOT), "shared")
ORACLE = os.path.join(SHARED, "oracle/hlo/hlo_expected.json")
TOTALS = os.path.join(SHARED, "oracle/hlo/reference_totals.csv")
HLO = os.path.join(ROOT, "fixtures/hlo")
DOT = 2 * 4096 * 1024 * 4096  # of fixtures/hlo/train_step.hlo, all alike


@unittest.skipUnless(os.path.exists(ORACLE), "needs ../shared/oracle/hlo")
class UnitTestsOfXla(Case):
    """What XLA's unit tests expect of HloCostAnalysis, exactly."""

    RATES = {  # (flops/s, transcendentals/s, bytes/s, least seconds of flops): see the notes of the cases
        "LatencyBoundedOptimalTime": (1024, 1024, 1024, 10),
        "LoopFusion_rates_even": (16, 4, 64, 0),
        "LoopFusion_flops_bound": (8, 4, 64, 0),
        "LoopFusion_transcendental_bound": (16, 1, 64, 0),
        "LoopFusion_bytes_bound": (16, 4, 8, 0),
    }

    def found(self, case, key, cost, rows):
        """What the tables say under a key of the oracle."""
        root = [row for row in rows if row["computation"] == cost["entry"]][-1]
        if key in ("flops", "transcendentals"):
            return cost[key]
        if key == "bytes_accessed":
            return cost["bytes"]
        if key == "flops_with_trip_count":
            return cost["flops"]
        if key == "xla_flops":  # the body and the condition once
            return sum(row["flops"] // row["executions"] for row in rows if row["executions"])
        if key == "output_bytes":
            return root["output_bytes"]
        if key == "optimal_seconds":
            flops, transcendentals, moved, latency = self.RATES[case["name"]]
            return sum(
                max(
                    row["op_flops"] / flops,
                    latency if row["op_flops"] else 0,
                    row["op_transcendentals"] / transcendentals,
                    row["op_bytes"] / moved,
                )
                for row in rows
                if row["computation"] == cost["entry"]
            )
        operand = re.fullmatch(r"operand(\d)_bytes", key)
        if operand:
            return json.loads(root["operand_bytes"])[int(operand[1])]
        name = key.removeprefix("bytes_accessed_")
        name = {"root": root["name"], "custom_call": "custom-call.1"}.get(name, name)
        return next(row["bytes"] for row in rows if row["name"] == name)

    def check(self, case, keys):
        path = self.file(case["hlo"])
        (cost,), rows = self.dicts("SELECT * FROM hlo_cost(?)", path), self.dicts("SELECT * FROM hlo_trace(?)", path)
        for key in keys:
            with self.subTest(case=case["name"], key=key):
                self.assertEqual(self.found(case, key, cost, rows), case["expect"][key])
        return cost

    def test_base(self):
        with open(ORACLE) as file:
            cases = [case for case in json.load(file)["cases"] if case["analysis"] == "base"]
        for case in cases:
            # Of 2025, where a tuple counted as its pointers; the rule of 2026 is bytes_accessed.
            self.check(case, [key for key in case["expect"] if key != "bytes_accessed_2025"])
        self.assertGreater(len(cases), 50)

    def test_libraries_of_the_gpu(self):
        """Of the GPU's own analysis the calls of cuBLAS and cuDNN are ours; its other rules are not."""
        with open(ORACLE) as file:
            cases = {case["name"]: case for case in json.load(file)["cases"]}
        self.check(cases["gpu_ConvCustomCall"], ["flops", "bytes_accessed_conv1"])
        self.assertEqual(
            self.check(cases["gpu_CublasLtMatmul_bytes"], ["bytes_accessed_custom_call"])["matmul_flops"], 2 * 100**3
        )
        base = self.check(cases["gpu_Reduce_init_reads"], [])
        expect = cases["gpu_Reduce_init_reads"]["expect"]
        self.assertEqual((base["flops"], base["bytes"]), (expect["base_flops"], expect["base_bytes_accessed"]))


@unittest.skipUnless(os.path.exists(TOTALS), "needs ../shared/oracle/hlo")
class RealModules(Case):
    """Modules of XLA's repository, against the totals of an independent counter."""

    COLUMNS = {
        "num_partitions": "num_partitions",
        "replica_count": "replica_count",
        "computations": "computations",
        "instructions": "instructions",
        "flops": "flops",
        "transcendentals": "transcendentals",
        "bytes": "bytes",
        "dot_flops": "matmul_flops",
        "coll_bytes": "collective_bytes",
        "entry_param_bytes": "parameter_bytes",
        "entry_root_bytes": "result_bytes",
    }
    # Files of several modules, which the reference could not read: how many there are, by their "HloModule".
    SEVERAL = {
        "call.hlo": 3,
        "import.hlo": 1,
        "import_async.hlo": 18,
        "import_bounded_dynamism.hlo": 6,
        "layouts_and_names.hlo": 3,
        "ragged_dot.hlo": 3,
    }

    def setUp(self):
        super().setUp()
        with open(TOTALS, newline="") as file:
            self.reference = [(os.path.join(SHARED, "traces", row["file"]), row) for row in csv.DictReader(file)]

    def test_totals(self):
        read = 0
        for path, row in self.reference:
            if row["error"]:
                continue
            cost = self.dicts("SELECT * FROM hlo_cost(?)", path)[0]
            read += 1
            with self.subTest(file=row["file"]), open(path) as file:
                columns = dict(self.COLUMNS)
                if "num_partitions=" not in file.read():  # theirs is 1 then; ours goes by the shardings
                    self.assertEqual((columns.pop("num_partitions"), row["num_partitions"]), ("num_partitions", "1"))
                self.assertEqual(
                    {name: cost[ours] for name, ours in columns.items()}, {name: int(row[name]) for name in columns}
                )
                # Loops that the entry never reaches are in ours besides.
                trips = {
                    name: None if n == "None" else int(n)
                    for name, n in (pair.split(":") for pair in row["trips"].split())
                }
                self.assertLessEqual(trips.items(), json.loads(cost["trip_counts"]).items())
        self.assertGreater(read, 20)

    def test_partitions_that_the_header_does_not_tell(self):
        """Before and after the partitioner, it is as many as their shardings are over."""
        for name, partitions, scope in [
            ("hlo_llama31_405b_bf16_16x8", 128, "device"),
            ("hlo_llama31_8b_bf16_1x8", 8, "device"),
            ("hlo_mixtral_8x7b_bf16_1x8", 8, "device"),
            ("hlo_gemma4_2b_bf16", 1, "device"),
            ("nv_maxtext_1n1g_jit_train_step_before_optimization", 8, "global"),
        ]:
            (cost,) = self.dicts(
                "SELECT * FROM hlo_cost(?)", os.path.join(SHARED, f"traces/hlo/xla_benchmarks/{name}.hlo")
            )
            self.assertEqual(
                (cost["num_partitions"], cost["devices"], cost["scope"]), (partitions, partitions, scope), name
            )

    def test_dtypes(self):
        for path, row in self.reference:
            if row["error"]:
                continue
            by_dtype = {name: int(n) for name, n in (pair.split("=") for pair in row["dot_by_dtype"].split())}
            with self.subTest(file=row["file"]):
                self.assertEqual(
                    by_dtype,
                    dict(
                        self.rows(
                            "SELECT multiply, sum(flops) FROM hlo_trace(?) WHERE flops > 0 GROUP BY multiply "
                            "HAVING multiply IS NOT NULL",
                            path,
                        )
                    ),
                )

    def test_sums_of_rows(self):
        """The rows of a module add up to the module."""
        for path, row in self.reference:
            if row["error"] or os.path.getsize(path) > 1e6:
                continue
            sums = self.rows(
                "SELECT sum(flops), sum(transcendentals), sum(bytes), sum(collective_bytes), sum(wire_bytes), count(*) FROM hlo_trace(?)",
                path,
            )
            with self.subTest(file=row["file"]):
                self.assertEqual(
                    sums,
                    self.rows(
                        "SELECT flops, transcendentals, bytes, collective_bytes, wire_bytes, instructions FROM hlo_cost(?)",
                        path,
                    ),
                )

    def test_cut_off(self):
        path, _ = next(entry for entry in self.reference if "maxtext" in entry[0])
        for table in ("hlo_cost", "hlo_trace"):
            self.assertEqual(
                self.error(f"SELECT * FROM {table}(?)", path),
                f"{table}: {path}:2001:1: expected an instruction or '}}', found end of file within "
                'the computation "fused_computation.195.clone.1" of line 1975',
            )
        self.assertEqual(self.rows("SELECT * FROM hlo_cost(?) WHERE on_error = 'skip'", path), [])
        self.assertEqual(self.issues(path)["skipped_record"][0], 1)

    def test_several_modules(self):
        for name, n in self.SEVERAL.items():
            path = os.path.join(SHARED, "traces/hlo/xla_small", name)
            with self.subTest(file=name), open(path) as file:
                self.assertEqual(len(re.findall(r"^HloModule\b", file.read(), re.M)), n)
                self.assertEqual(self.one("SELECT count(*) FROM hlo_cost(?)", path), n)

    def test_ragged_dots(self):
        path = os.path.join(SHARED, "traces/hlo/xla_small/ragged_dot.hlo")
        self.assertEqual(
            self.rows("SELECT module, flops FROM hlo_cost(?)", path),
            [
                ("ragged_dot_non_contracting", 2 * 19 * 11 * 7 * 5),
                ("ragged_dot_contracting", 2 * 11 * 7 * 19 * 5),
                ("ragged_dot_batch", 2 * 19 * 17 * 11 * 7 * 5),
            ],
        )


class Fixtures(Case):
    def test_train_step(self):
        """4 layers of 7 dots, forward, again, and backward; two all-reduces of a gradient each."""
        path = os.path.join(HLO, "train_step.hlo")
        (cost,) = self.dicts("SELECT * FROM hlo_cost(?)", path)
        self.assertEqual(cost["matmul_flops"], 4 * 7 * DOT)
        self.assertEqual(json.loads(cost["matmul_by_dtype"]), {"bf16": 4 * 7 * DOT})
        self.assertEqual(json.loads(cost["trip_counts"]), {"layers": 4, "back": 4})
        gradient = 2 * 1024 * 4096
        self.assertEqual(cost["collective_bytes"], 4 * 2 * gradient)
        self.assertEqual(cost["wire_bytes"], 4 * 2 * 2 * 7 * gradient // 8)
        self.assertEqual((cost["scope"], cost["devices"], cost["coverage"]), ("device", 8, 1.0))
        self.assertEqual(
            self.rows(
                "SELECT name, executions, op_flops, flops FROM hlo_trace(?) WHERE opcode = 'dot' AND name = 'up' ORDER BY _line",
                path,
            ),
            [("up", 4, DOT, 4 * DOT)] * 2,
        )
        # A while as a profiler sees it: its body four times, its condition five times.
        self.assertEqual(
            self.one("SELECT op_flops FROM hlo_trace(?) WHERE opcode = 'while' AND name = 'layers'", path),
            self.one(
                "SELECT sum(flops) FROM hlo_trace(?) WHERE computation IN ('forward', 'relu', 'below_layers')", path
            )
            - 4 * 4096 * 4096,
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT op_name FROM hlo_trace(?) WHERE op_name LIKE '%remat%'", path),
            [("jit(train_step)/while/body/rematted_computation/up/dot_general",)],
        )
        self.assertEqual(
            self.rows("SELECT ranks, replica_groups, count(*) FROM hlo_trace(?) WHERE ranks > 0 GROUP BY 1, 2", path),
            [(8, "[1,8]<=[8]", 2)],
        )
        self.assertEqual(self.issues(path), {})

    def test_elements_in_place(self):
        """As XLA's dumps have it since 2026: %layers#1 in place of a get-tuple-element of its own. All costs the same."""
        path, bodies = os.path.join(HLO, "train_step.hlo"), []
        with open(path) as file:
            text = file.read()
        for body in text.split("\n}\n"):
            for name, of, index in re.findall(r"^  %(\w+) = .* get-tuple-element\(%(\w+)\), index=(\d+)", body, re.M):
                body = re.sub(rf"(?<=[(,] )%{name}(?=[,)])|(?<=\()%{name}(?=[,)])", f"%{of}#{index}", body)
            bodies.append(re.sub(r"^  %\w+ = .* get-tuple-element\(.*\n", "", body, flags=re.M))
        compact = self.file("\n}\n".join(bodies))
        self.assertEqual(self.rows("SELECT * FROM hlo_cost(?)", compact), self.rows("SELECT * FROM hlo_cost(?)", path))
        self.assertEqual(
            text.count("get-tuple-element("),
            self.one("SELECT count(*) FROM hlo_trace(?) WHERE opcode = 'get-tuple-element'", compact),
        )
        self.assertGreater(
            self.one(
                "SELECT count(*) FROM hlo_trace(?) WHERE name = 'layers#1' AND dtype = 'bf16' AND shape IS NULL",
                compact,
            ),
            0,
        )
        # An element of an element, with the operand's shape before it, and a name that is used twice.
        nested = "ENTRY e { %p = (f32[9], (f32[4], f32[5])) parameter(0) %q = f32[5] add(f32[5] %p#1#1, p#1#1) ROOT t = tuple(p#1, %q, %p#0) }\n"
        self.assertEqual(
            self.rows("SELECT name, opcode, dtype, op_flops FROM hlo_trace(?)", self.file(nested)),
            [
                ("p", "parameter", "tuple", 0),
                ("p#1", "get-tuple-element", "tuple", 0),
                ("p#1#1", "get-tuple-element", "f32", 0),
                ("q", "add", "f32", 5),
                ("p#0", "get-tuple-element", "f32", 0),
                ("t", "tuple", "tuple", 0),
            ],
        )
        self.assertEqual(self.one("SELECT result_bytes FROM hlo_cost(?)", self.file(nested)), 4 * (4 + 5 + 5 + 9))

    def test_names_with_escapes(self):
        """Texts are escaped as C has it, bytes from 0x80 on in octal: a column holds what they mean."""
        name = "state['model']['wi_0']\t\"\\é\x01"
        escaped = (
            name.encode()
            .decode("latin-1")
            .replace("\\", "\\\\")
            .replace("'", "\\'")
            .replace('"', '\\"')
            .replace("\t", "\\t")
        )
        escaped = "".join(c if " " <= c < "\x7f" else "\\%03o" % ord(c) for c in escaped)
        path = self.file(
            'HloModule m\nENTRY e { p = f32[2] parameter(0), metadata={op_type="x" op_name="%s" source_line=1}\n ROOT n = f32[2] negate(p), metadata={op_name="a\\x41\\/\\8"} }\n'
            % escaped
        )
        self.assertEqual(self.rows("SELECT op_name FROM hlo_trace(?)", path), [(name,), ("aA/8",)])

    def test_applied(self):
        """Computations applied to elements never run; their work is with what applies them."""
        self.assertEqual(
            self.rows(
                "SELECT DISTINCT executions, flops FROM hlo_trace(?) WHERE computation = 'sum'",
                os.path.join(HLO, "train_step.hlo"),
            ),
            [(0, 0)],
        )

    def test_global(self):
        (cost,) = self.dicts("SELECT * FROM hlo_cost(?)", os.path.join(HLO, "fp8_step.hlo"))
        self.assertEqual((cost["scope"], cost["num_partitions"], cost["devices"]), ("global", 4, 4))
        self.assertEqual(
            json.loads(cost["matmul_by_dtype"]), {"fp8": 2 * 2 * 8192 * 4096**2, "bf16": 2 * 8192 * 4096 * 1024}
        )
        self.assertEqual(
            self.rows(
                "SELECT multiply, dtype_class FROM hlo_trace(?) WHERE multiply IS NOT NULL",
                os.path.join(HLO, "fp8_step.hlo"),
            ),
            [("f8e4m3fn", "fp8"), ("f8e4m3fnxf8e5m2", "fp8"), ("bf16", "bf16")],
        )

    def test_unknown(self):
        path = os.path.join(HLO, "decode.hlo")
        (cost,) = self.dicts("SELECT * FROM hlo_cost(?)", path)
        self.assertEqual(json.loads(cost["unknown_costs"]), {"te_fused_attn_forward_ffi": 1})
        self.assertAlmostEqual(cost["coverage"], 1 - 1 / cost["instructions"])
        self.assertEqual(cost["matmul_flops"], 2 * 8 * 4096 * (16384 * 2 + 32768))
        self.assertEqual(cost["parameter_bytes"], 2 * (8 * 4096 + 4096 * 16384 * 2 + 4096 * 32768))
        self.assertEqual(
            self.issues(path),
            {
                "unknown_custom_call": (
                    1,
                    18,
                    "attended of module jit_decode (te_fused_attn_forward_ffi): its work is not counted",
                )
            },
        )


class Files(Case):
    def test_compressed(self):
        path = os.path.join(HLO, "train_step.hlo")
        plain = self.rows("SELECT * FROM hlo_trace(?)", path)
        packed = self.path("step.hlo.gz")
        with open(path, "rb") as source, gzip.open(packed, "wb") as out:
            out.write(source.read())
        self.assertEqual(self.rows("SELECT * FROM hlo_trace(?)", packed), plain)
        subprocess.run(["zstd", "-q", path, "-o", self.path("step.hlo.zst")], check=True)
        self.assertEqual(self.rows("SELECT * FROM hlo_trace(?)", self.path("*.zst")), plain)
        self.assertEqual(self.one("SELECT count(*) FROM hlo_trace(?)", self.folder), 2 * len(plain))

    def test_folder(self):
        self.assertEqual(
            self.rows("SELECT module FROM hlo_cost(?)", HLO), [("jit_decode",), ("jit_fp8_step",), ("jit_train_step",)]
        )

    def test_places(self):
        file, line = self.rows(
            "SELECT _file, _line FROM hlo_trace(?) WHERE name = 'dw2' LIMIT 1", os.path.join(HLO, "train_step.hlo")
        )[0]
        with open(file) as text:
            self.assertRegex(text.readlines()[line - 1], r"^  %dw2 = ")

    def test_skip(self):
        """A module that cannot be read is left out, and those around it are read."""
        good = "HloModule {}\nENTRY e {{ ROOT p = f32[] parameter(0) }}\n"
        path = self.file(good.format("a") + "HloModule b\nENTRY e { x = f32[ }\n" + good.format("c"))
        self.assertEqual(
            self.error("SELECT * FROM hlo_cost(?)", path), f'hlo_cost: {path}:4:20: expected a dimension, found "}}"'
        )
        self.assertEqual(self.rows("SELECT module FROM hlo_cost(?) WHERE on_error = 'skip'", path), [("a",), ("c",)])
        self.assertEqual(self.issues(path)["skipped_record"][1], 3)

    def test_modules_in_headers(self):
        """XLA's table of how lost values are recovered holds modules as strings: they are none of the file's."""
        table = """HloModule m, num_partitions=2, origin_recovery_table={
  {"constant"} : {"constant__ovp0"},
  "
    HloModule recovery_module, entry_computation_layout={(s32[2])->s32[2]}, frontend_attributes={foo=\\"bar\\"}

    ENTRY %recovery_computation (param: s32[2]) -> s32[2] {
      ROOT %param = s32[2]{0} parameter(0)
    }


  "
}

,
debug_attributes={
  {"constant"}:({log_mode=default,callback_id=123,partitioned=true})
}

ENTRY %e () -> s32[3] {
  ROOT %c = s32[3]{0} constant({1, 1, 1}), origin={{"constant__ovp0"}}
}, execution_thread="main"
  HloModule n
ENTRY %f () -> s32[] {
  ROOT %c = s32[] constant(1)
}
"""
        self.assertEqual(
            self.rows("SELECT module, entry, num_partitions FROM hlo_cost(?)", self.file(table)),
            [("m", "e", 2), ("n", "f", 1)],
        )

    def test_wrong_format(self):
        for text, found in [
            ('{"a": 1}', '"{"a": 1}"'),
            ("job,step\n1,2\n", '"job,step"'),
            ("", "end of file"),
            (
                "module @jit_f {\n}",
                '"module @jit_f {" (MLIR? dump it with XLA_FLAGS=--xla_dump_hlo_as_text, or, of JAX, print lowered.compiler_ir("hlo").as_hlo_text())',
            ),
        ]:
            path = self.file(text)
            self.assertEqual(
                self.error("SELECT * FROM hlo_trace(?)", path),
                f'hlo_trace: {path}:1:1: expected "HloModule" or a computation of HLO text, found {found}',
            )

    DOT = """HloModule {}, num_partitions=2
        ENTRY e {{ a = f32[{},16] parameter(0)  b = f32[16,32] parameter(1)  ROOT d = f32[{},32] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}"""

    def test_stages_of_a_dump_count_once(self):
        """--xla_dump_to writes each module before and after optimisation, and after passes; of the same name there are other modules."""
        before, after = (lambda name, rows: self.DOT.format(name, rows, rows)), (
            lambda name, rows: self.DOT.format(name + ", is_scheduled=true", rows, rows)
        )
        folder = self.folder_of(
            {
                "module_0001.jit_f.before_optimizations.txt": before("jit_f", 8),
                "module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt": after("jit_f", 4),
                "module_0001.jit_f.0003.spmd.after_a.before_b.txt": before("jit_f", 6),
                "module_0002.jit_f.before_optimizations.txt": before("jit_f", 10),
                "module_0012.jit_g.tpu_after_optimizations.txt": after("jit_g", 4),
                "module_0012.jit_g.0001.fusion.after_a.before_b.txt": after("jit_g", 2),
                "module_0012.jit_g.autotune_results.pbtxt": "results { }",
                "mine_before.txt": before("jit_f", 12),
                "mine_after.txt": after("jit_f", 14),
            }
        )
        row = 2 * 16 * 32
        self.assertEqual(
            [
                ("jit_f", 8 * row),
                ("jit_f", 10 * row),
                ("jit_f", 12 * row),
                ("jit_f", 2 * 14 * row),
                ("jit_g", 2 * 4 * row),
            ],
            self.rows("SELECT program, flops FROM trace_hlo_programs(?) ORDER BY 1, 2", folder),
        )
        self.assertEqual(
            [
                ("module_0001.jit_f.0003.spmd.after_a.before_b.txt",),
                ("module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt",),
                ("module_0012.jit_g.0001.fusion.after_a.before_b.txt",),
            ],
            self.rows(
                "SELECT substr(source, length(?1) + 2) FROM mpg_issues WHERE detail GLOB 'another stage*' AND kind = 'ignored_file' ORDER BY 1",
                folder,
            ),
        )

    def test_a_stage_with_the_content_of_the_first_stands_for_it(self):
        """--xla_dump_hlo_pass_re=.* writes the module as it was written once more, where the first pipeline begins: of a folder the first of two files with one content is read."""
        before, after = self.DOT.format("jit_f", 8, 8), self.DOT.format("jit_f, is_scheduled=true", 5, 5)
        folder = self.folder_of(
            {
                "module_0001.jit_f.0000.pre-spmd-partitioner.after_pipeline-start.before_CallInliner.txt": before,
                "module_0001.jit_f.before_optimizations.txt": before,
                "module_0001.jit_f.0009.simplification.after_pipeline-start.before_algsimp.txt": self.DOT.format(
                    "jit_f", 6, 6
                ),
                "module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt": after,
            }
        )
        self.assertEqual(
            [("jit_f", 2 * 16 * 32 * 8)], self.rows("SELECT program, flops FROM trace_hlo_programs(?)", folder)
        )

    def test_a_protobuf_is_told(self):
        name, entry = b"\n\x05jit_f", b"\x12\x06main.4"
        module = name + entry + b"\x1a\x80\x02" + bytes(256)
        folder = self.folder_of(
            {
                "module_0001.jit_f.before_optimizations.hlo.pb": b"\n"
                + bytes([len(module) & 127 | 128, len(module) >> 7])
                + module
            }
        )
        self.assertEqual(
            [(None, "HLO as a protobuf")],
            self.rows("SELECT format, substr(reason, 1, 17) FROM trace_sources(?)", folder),
        )

    def test_work_is_linear(self):
        """Eight times the text takes about eight times the looks at an interruption, which go by work: in one computation and in many."""

        def one(n):
            return (
                "ENTRY e { v0 = f32[8] parameter(0)\n"
                + "".join(f" v{i} = f32[8] add(v{i - 1}, v0)\n" for i in range(1, n))
                + "}"
            )

        def many(n):
            return "c0 { p = f32[8] parameter(0) }\n" + "".join(
                f"c{i} {{ p = f32[8] parameter(0) ROOT r = f32[8] call(p), to_apply=c{i - 1} }}\n" for i in range(1, n)
            )

        for make in (one, many):
            small, large = (
                gaps(connect(), f"SELECT flops FROM hlo_cost({quote(self.file(make(n)))})", 1)[1]
                for n in (20_000, 160_000)
            )
            self.assertGreater(small, 20, make.__name__)
            self.assertLess(large, 10 * small, make.__name__)


if __name__ == "__main__":
    unittest.main()
