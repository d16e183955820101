"""What HLO costs, counted by hand from ext/program/hlo/hlo_opcode.h: conditionals, loops, async pairs, fusions."""

import json
import re
import unittest

from hlo_case import Case


class Rules(Case):
    def test_scope(self):
        body = "ENTRY e {{ x = f32[8] parameter(0)  ROOT y = f32[8] {} }}"
        sharding = 'custom-call(x), custom_call_target="Sharding"'
        for header, instruction, scope, evidence in [
            ("", "negate(x)", "device", "one partition"),
            (", num_partitions=4", sharding, "global", "sharding annotations"),
            (", is_scheduled=true, num_partitions=4", "negate(x)", "device", "is_scheduled"),
            (
                ", num_partitions=4",
                "fusion(x), calls={ p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }",
                "device",
                "fusions",
            ),
            (", num_partitions=4", "collective-permute(x), source_target_pairs={{0,1}}", "device", "collectives"),
            (
                ", num_partitions=4\nadd { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT s = f32[] add(p, q) }",
                "all-reduce(x), to_apply=add",
                "device",
                "collectives",
            ),
            (", num_partitions=1", sharding, "device", "one partition"),
            (", num_partitions=4", "negate(x)", "global", "several partitions"),
            ("", "negate(x), sharding={devices=[4]<=[4]}", "global", "several partitions"),
            (
                ', frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=4]>}}',
                "negate(x)",
                "global",
                "several partitions",
            ),
            (", is_scheduled=true", "negate(x), sharding={devices=[4]<=[4]}", "device", "is_scheduled"),
        ]:
            cost = self.cost(f"HloModule m{header}\n{body.format(instruction)}\n")
            self.assertEqual((cost["scope"], cost["scope_evidence"][: len(evidence)]), (scope, evidence))

    def test_conditional(self):
        """Of the branches the greatest, by each counter by itself."""
        path = self.file(
            """
            a { p = f32[4] parameter(0)  ROOT n = f32[4] negate(p) }
            b { p = f32[4] parameter(0)  m = f32[4] negate(p)  ROOT n = f32[4] negate(m) }
            c { p = f32[4] parameter(0)  m = f32[4] negate(p)  ROOT n = f32[4] exponential(m) }
            ENTRY e { i = s32[] parameter(0)  x = f32[4] parameter(1)
              ROOT c = f32[4] conditional(i, x, x, x), branch_computations={a, b, c} }"""
        )
        self.assertEqual(self.rows("SELECT flops, transcendentals, bytes FROM hlo_cost(?)", path), [(8, 4, 64)])
        self.assertEqual(
            self.rows(
                "SELECT computation, executions, flops, transcendentals FROM hlo_trace(?) WHERE name = 'n'", path
            ),
            [("a", 0, 0, 0), ("b", 1, 4, 0), ("c", 0, 0, 4)],
        )
        path = self.file(
            re.sub(r"branch_computations.*?}", "true_computation=b, false_computation=a", open(path).read())
        )
        self.assertEqual(self.one("SELECT flops FROM hlo_cost(?)", path), 8)

    def test_async(self):
        """A start counts what it calls, in its long form and its short one."""
        add = "f { p = f32[64] parameter(0)  ROOT n = f32[64] negate(p) }"
        for text in [
            add
            + "ENTRY e { x = f32[64] parameter(0)  s = ((f32[64]), f32[64], s32[]) async-start(x), calls=f  ROOT d = f32[64] async-done(s) }",
            "ENTRY e { x = f32[64] parameter(0)  s = ((f32[64]), f32[64], s32[]) negate-start(x)  ROOT d = f32[64] negate-done(s) }",
        ]:
            self.assertEqual(self.cost(text)["flops"], 64)
        cost = self.cost(
            "ENTRY e { x = f32[64] parameter(0)  s = ((f32[64]), f32[64]) all-to-all-start(x), replica_groups={{0,1,2,3}}  "
            "ROOT d = f32[64] all-to-all-done(s) }"
        )
        self.assertEqual((cost["collective_bytes"], cost["wire_bytes"], cost["coverage"]), (256, 192, 1.0))

    def test_async_results(self):
        """What a start in its short form moves and multiplies is what the same opcode does by itself."""
        text = """f {{ p = f32[64,8] parameter(0)  ROOT n = f32[64,8] negate(p) }}
            max {{ p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT m = f32[] maximum(p, q) }}
            ENTRY e {{ x = f32[64,8] parameter(0)  y = f32[8,16] parameter(1)  i = s32[] parameter(2)  z = f32[] parameter(3)  o = s32[2,1] parameter(4)
              ROOT r = {} }}"""
        gemm = '"lhs_contracting_dimensions":["1"]'
        for opcode, shape, operands, attributes in [
            ("fusion", "f32[64,8]", "x", "kind=kLoop, calls=f"),
            ("slice", "f32[4,8]", "x", "slice={[0:4], [0:8]}"),
            ("dynamic-slice", "f32[4,8]", "x, i, i", "dynamic_slice_sizes={4,8}"),
            ("transpose", "f32[8,64]{1,0}", "x", "dimensions={1,0}"),
            ("transpose", "f32[8,64]{0,1}", "x", "dimensions={1,0}"),
            (
                "gather",
                "f32[2,8]",
                "x, o",
                "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
            ),
            ("reduce-window", "f32[32,8]", "x, z", "window={size=2x1 stride=2x1}, to_apply=max"),
            (
                "custom-call",
                "f32[64,16]",
                "x, y",
                'custom_call_target="__cublas$gemm", backend_config={"dot_dimension_numbers":{' + gemm + "}}",
            ),
        ]:
            long = self.rows(
                "SELECT op_flops, op_bytes FROM hlo_trace(?) WHERE name = 'r'",
                self.file(text.format(f"{shape} {opcode}({operands}), {attributes}")),
            )
            start = f"((f32[64,8]), {shape}, u32[]) {opcode}-start({operands}), {attributes}"
            short = self.rows(
                "SELECT op_flops, op_bytes FROM hlo_trace(?) WHERE name = 'r'", self.file(text.format(start))
            )
            self.assertEqual(short, long, opcode)

    def test_custom_fusions(self):
        """A gather or scatter stands for all of a custom fusion, as it does to XLA, but not for a product in it."""
        text = """add {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }}
            f {{ p = f32[128,64] parameter(0)  i = s32[16,1] parameter(1)  u = f32[16,64] parameter(2)  w = f32[64,256] parameter(3)
              {} }}
            ENTRY e {{ p = f32[128,64] parameter(0)  i = s32[16,1] parameter(1)  u = f32[16,64] parameter(2)  w = f32[64,256] parameter(3)
              ROOT r = {} fusion(p, i, u, w), kind={}, calls=f }}"""
        gather = (
            "{}g = f32[16,64] gather(p, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, "
            "slice_sizes={{1,64}}"
        )
        scatter = (
            "{}s = f32[128,64] scatter(p, i, u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, "
            "index_vector_dim=1, to_apply=add"
        )
        dot = " ROOT d = f32[16,256] dot(g, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        rows = 4 * 16 * 64
        for inside, shape, flops, size in [
            (gather.format("ROOT "), "f32[16,64]", 0, 2 * rows + 64),
            (scatter.format("ROOT "), "f32[128,64]", 16 * 64, 3 * rows + 64),
            (gather.format("") + dot, "f32[16,256]", 2 * 16 * 64 * 256, 4 * (128 * 64 + 16 + 64 * 256 + 16 * 256)),
        ]:
            cost = self.cost(text.format(inside, shape, "kCustom"))
            self.assertEqual((cost["flops"], cost["bytes"], cost["coverage"]), (flops, size, 1), inside)
            self.assertEqual(self.cost(text.format(inside, shape, "kLoop"))["flops"], flops)

    def test_constants_that_a_loop_hands_on(self):
        """A limit or a step in the loop's own state counts as a constant, where it begins as one and the body leaves it alone."""

        def trips(
            test="compare(i, l), direction=LT",
            step="add(i, s)",
            limit="l",
            begin="constant(2)",
            end="constant(12)",
            by="s",
        ):
            text = f"""b {{ p = (s32[], s32[], s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  l = s32[] get-tuple-element(p), index=1
                s = s32[] get-tuple-element(p), index=2  x = f32[4] get-tuple-element(p), index=3
                n = s32[] {step}  m = s32[] add(l, s)  y = f32[4] negate(x)  ROOT t = (s32[], s32[], s32[], f32[4]) tuple(n, {limit}, {by}, y) }}
              c {{ p = (s32[], s32[], s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  l = s32[] get-tuple-element(p), index=1
                ROOT r = pred[] {test} }}
              ENTRY e {{ x = f32[4] parameter(0)  q = s32[] parameter(1)  begin = s32[] {begin}  end = s32[] {end}  three = s32[] constant(3)
                t = (s32[], s32[], s32[], f32[4]) tuple(begin, end, three, x)  ROOT w = (s32[], s32[], s32[], f32[4]) while(t), condition=c, body=b }}"""
            return self.rows("SELECT trip_count, cost_known FROM hlo_trace(?) WHERE name = 'w'", self.file(text))[0]

        unknown = (None, 0)
        self.assertEqual(trips(), (4, 1))  # 2, 5, 8, 11
        self.assertEqual(trips(test="compare(l, i), direction=GE"), (4, 1))
        self.assertEqual(trips(step="add(s, i)", end="constant(11)", test="compare(i, l), direction=LE"), (4, 1))
        self.assertEqual(
            trips(step="subtract(i, s)", begin="constant(12)", end="constant(2)", test="compare(i, l), direction=GT"),
            (4, 1),
        )
        self.assertEqual(trips(limit="m"), unknown)  # the body moves it
        self.assertEqual(trips(by="n"), unknown)
        self.assertEqual(trips(limit="s"), unknown)  # another element than it was
        self.assertEqual(trips(end="copy(q)"), unknown)  # whoever runs the module says
        self.assertEqual(trips(begin="copy(q)"), unknown)
        self.assertEqual(trips(step="add(l, s)"), unknown)
        self.assertEqual(trips(step="copy(i)"), unknown)  # for ever

    def test_algorithms(self):
        """An algorithm says in what a product is computed; one of several products, or none, that the operands' type counts."""
        for dtype, algorithm, found in [
            ("f32", "", "fp32_matrix"),
            ("f32", "dot_f32_f32_f32", "fp32_matrix"),
            ("f32", "dot_tf32_tf32_f32", "tf32"),
            ("f32", "dot_bf16_bf16_f32", "bf16"),
            ("f32", "dot_bf16_bf16_bf16", "bf16"),
            ("f32", "dot_f16_f16_f32", "fp16"),
            ("f32", "dot_bf16_bf16_f32_x3", "fp32_matrix"),
            ("f32", "dot_bf16_bf16_f32_x9", "fp32_matrix"),
            ("f32", "dot_tf32_tf32_f32_x3", "fp32_matrix"),
            ("bf16", "dot_f32_f32_f32", "fp32_matrix"),
            ("f8e5m2", "dot_any_f8_any_f8_f32", "fp8"),
            ("f8e4m3fn", "dot_any_f8_any_f8_f32_fast_accum", "fp8"),
            ("f64", "dot_f64_f64_f64", "fp64_matrix"),
            ("bf16", "unset", "bf16"),
            ("bf16", "dot_", "bf16"),
            ("bf16", "dot_any", "bf16"),
            ("bf16", "dot_new_new_f32", "bf16"),
        ]:
            path = self.file(
                f"ENTRY e {{ x = {dtype}[4,8] parameter(0)  ROOT d = f32[4,4] dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"
                + (f", algorithm={algorithm}" if algorithm else "")
                + " }"
            )
            self.assertEqual(
                self.rows("SELECT dtype_class, multiply, precision, flops FROM hlo_trace(?) WHERE name = 'd'", path),
                [(found, dtype, algorithm or None, 256)],
            )
            self.assertEqual(json.loads(self.one("SELECT matmul_by_dtype FROM hlo_cost(?)", path)), {found: 256})

    def test_dimensions_of_any_size(self):
        """What is done with a dimension without a bound is unknown, and no silent nothing; with a bound it counts in full."""
        text = """ENTRY e {{ x = f32[{0},16] parameter(0)  y = f32[16,4] parameter(1)
            d = f32[{0},4] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}  t = (f32[{0},4], f32[4]) tuple(d, y)
            s = f32[{0},16] custom-call(x), custom_call_target="Sharding"
            r = f32[4] reduce-precision(t)  ROOT n = f32[2] negate(y) }}"""
        path = self.file(text.format("?"))
        self.assertEqual(
            self.rows("SELECT name, cost_known FROM hlo_trace(?)", path),
            [("x", 1), ("y", 1), ("d", 0), ("t", 1), ("s", 1), ("r", 0), ("n", 1)],
        )
        self.assertEqual(
            json.loads(self.one("SELECT unknown_costs FROM hlo_cost(?)", path)), {"dot": 1, "reduce-precision": 1}
        )
        self.assertEqual(
            self.issues(path)["unknown_cost"][2],
            "d of module e (dot): a dimension without a bound: its work is not counted",
        )
        path = self.file(text.format("<=8"))
        self.assertEqual(self.rows("SELECT matmul_flops, coverage FROM hlo_cost(?)", path), [(2 * 8 * 4 * 16, 1)])

    def test_collectives(self):
        """V and what a rank sends, by the factors of nccl-tests."""
        for text, whole, wire in [
            ("f32[128] all-gather(x), replica_groups={{0,1,2,3}}, dimensions={0}", 512, 384),
            ("(f32[32], f32[128]) all-gather-start(x), replica_groups={{0,1,2,3}}, dimensions={0}", 512, 384),
            ("f32[128] all-gather(x), dimensions={0}", 512, 384),
            ("f32[32] all-reduce(x), replica_groups=[2,4]<=[8], to_apply=add", 128, 192),
            ("f32[8] reduce-scatter(x), replica_groups={{0,1,2,3}}, to_apply=add, dimensions={0}", 128, 96),
            ("f32[8] reduce-scatter(x), to_apply=add, dimensions={0}", 128, 96),
            ("f32[32] all-to-all(x), replica_groups=mesh['x'=4,'y'=2] {'x'}", 128, 96),
            (
                "f32[32] all-to-all(x), replica_groups=mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x'}, dimensions={0}",
                128,
                96,
            ),
            (
                "f32[32] all-to-all(x), replica_groups=mesh['x'=2,'y'=2], device_ids=(0,2,1,3) {'x','y'}, dimensions={0}",
                128,
                96,
            ),
            ("f32[32] all-to-all(x), replica_groups=mesh[x=4,y=2] {x}, dimensions={0}", 128, 96),
            (
                "f32[32] collective-reduce(x), replica_groups={{0,1,2,3}}, has_dynamic_root=false, to_apply=add",
                128,
                128,
            ),
            ("f32[32] collective-permute(x), source_target_pairs={{0,1},{1,0}}", 128, 128),
        ]:
            cost = self.cost(
                "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT a = f32[] add(x, y) }\n"
                "ENTRY e { x = f32[32] parameter(0)  ROOT r = " + text + " }"
            )
            self.assertEqual((cost["collective_bytes"], cost["wire_bytes"]), (whole, wire), text)

    def test_beyond_64_bits(self):
        cost = self.cost(
            "ENTRY e { x = f32[1000000000,1000000000] parameter(0)  ROOT y = f32[1000000000,1000000000] dot(x, x), "
            "lhs_contracting_dims={1}, rhs_contracting_dims={0} }"
        )
        self.assertEqual(cost["flops"], 2e27)
        self.assertIsInstance(cost["bytes"], float)

    def test_opcodes_of_2026(self):
        path = self.file(
            """add { x = f32[2] parameter(0)  c = f32[2] parameter(1)  s = f32[2] add(x, c)  ROOT t = (f32[2], f32[2]) tuple(s, s) }
            ENTRY e { x = f32[2,100] parameter(0)  c = f32[2] parameter(1)  u = u32[8] parameter(2)  a = f32[2,100] atan(x)  m = u32[8] mulhi(u, u)
            h = u32[8] shuffle(u), dimensions={0}
            ROOT s = (f32[2,100], f32[2]) scan(x, c), dimensions={1}, num_carries=1, is_associative=true, to_apply=add }"""
        )
        self.assertEqual(
            self.rows(
                "SELECT name, flops, transcendentals FROM hlo_trace(?) WHERE computation = 'e' AND opcode <> 'parameter'",
                path,
            ),
            [("a", 0, 200), ("m", 8, 0), ("h", 0, 0), ("s", 2 * 100, 0)],
        )
        self.assertEqual(self.issues(path), {})

    def test_elements_of_less_than_a_byte(self):
        """They lie packed in a device's memory, which only the layouts of optimised modules say: E(4)."""
        for dtype, elements, packed in [
            ("s4", 2, 1),
            ("u4", 2, 1),
            ("f4e2m1fn", 2, 1),
            ("s2", 4, 1),
            ("u2", 4, 1),
            ("s1", 8, 1),
            ("u1", 8, 1),
            ("pred", 1, 1),
            ("f8e8m0fnu", 1, 1),
        ]:
            size = 32 * 64 * packed // elements
            for layout in "", "{1,0}", "{1,0:E(%d)}" % (8 * packed // elements):
                cost = self.cost(
                    f"ENTRY e {{ x = {dtype}[32,64]{layout} parameter(0)  ROOT t = {dtype}[64,32] transpose(x), dimensions={{1,0}} }}"
                )
                self.assertEqual(
                    (cost["parameter_bytes"], cost["result_bytes"], cost["bytes"]),
                    (size, size, 2 * size),
                    dtype + layout,
                )
            self.assertEqual(
                self.cost(f"ENTRY e {{ ROOT x = {dtype}[3] parameter(0) }}")["parameter_bytes"], -(-3 // elements)
            )
            wide = f"ENTRY e {{ ROOT x = {dtype}[32,64]{{1,0:E(8)}} parameter(0) }}"
            self.assertEqual(self.cost(wide)["parameter_bytes"], 32 * 64, dtype)

    def test_complex_products(self):
        """A product of two complex numbers and its sum are four of real ones, in the type of their parts."""
        dot = "dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}"
        conv = "convolution(x, x), dim_labels=bf_of->bf"
        gemm = 'custom-call(x, x), custom_call_target="__cublas$gemm", backend_config={"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}'
        for instruction in dot, conv, gemm:
            for dtype, times, found in [
                ("c64", 4, "fp32_matrix"),
                ("c128", 4, "fp64_matrix"),
                ("f32", 1, "fp32_matrix"),
                ("f64", 1, "fp64_matrix"),
            ]:
                path = self.file(f"ENTRY e {{ x = {dtype}[16,8] parameter(0)  ROOT d = {dtype}[16,16] {instruction} }}")
                flops = times * 2 * 16 * 16 * 8
                self.assertEqual(
                    self.rows("SELECT multiply, dtype_class, flops FROM hlo_trace(?) WHERE name = 'd'", path),
                    [(dtype, found, flops)],
                )
                self.assertEqual(json.loads(self.one("SELECT matmul_by_dtype FROM hlo_cost(?)", path)), {found: flops})

    def test_algorithms_of_libraries(self):
        """cuBLAS's call has the algorithm of its dot in its configuration."""
        for algorithm, found in [
            ("ALG_UNSET", "fp32_matrix"),
            ("ALG_DOT_TF32_TF32_F32", "tf32"),
            ("ALG_DOT_TF32_TF32_F32_X3", "fp32_matrix"),
            ("ALG_DOT_BF16_BF16_F32", "bf16"),
            ("ALG_DOT_BF16_BF16_F32_X6", "fp32_matrix"),
            ("ALG_DOT_F32_F32_F32", "fp32_matrix"),
        ]:
            for target in "__cublas$gemm", "__cublas$lt$matmul":
                cost = self.cost(
                    f"""ENTRY e {{ x = f32[4,8] parameter(0)
                    ROOT d = (f32[4,4], s8[99]) custom-call(x, x), custom_call_target="{target}", backend_config={{"gemm_backend_config":{{"dot_dimension_numbers":
                      {{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"]}},"precision_config":{{"operand_precision":["DEFAULT","DEFAULT"],"algorithm":"{algorithm}"}}}}}} }}"""
                )
                self.assertEqual(json.loads(cost["matmul_by_dtype"]), {found: 256}, algorithm)

    def test_packed_channels(self):
        """cuDNN's convolutions of int8 have 4 or 32 channels in a dimension of their own, which the labels call "?"."""
        for vector in 4, 32:
            cost = self.cost(
                f"""ENTRY e {{ x = s8[2,{64 // vector},16,16,{vector}] parameter(0)  k = s8[128,{64 // vector},3,3,{vector}] parameter(1)
                ROOT c = (s8[2,{128 // vector},14,14,{vector}], u8[0]) custom-call(x, k), window={{size=3x3}}, dim_labels=bf01?_oi01?->bf01?, custom_call_target="__cudnn$convForward" }}"""
            )
            self.assertEqual(json.loads(cost["matmul_by_dtype"]), {"int8": 2 * 2 * 64 * 128 * (14 * 3) ** 2})

    def test_scaled_blocks(self):
        """[b, m, k] x [b, n, k] with a scale for each block of k: of JAX before optimisation, and as cuDNN's call after it."""
        path = self.file(
            """ENTRY e { a = f8e4m3fn[2,64,96] parameter(0)  b = f4e2m1fn[2,32,96] parameter(1)
            s = f8e8m0fnu[2,64,3] parameter(2)  t = f8e8m0fnu[2,32,3] parameter(3)
            x = bf16[2,64,32] custom-call(a, b, s, t), custom_call_target="__op$block_scaled_dot", backend_config={"scaled_dot_backend_config":{"lhs_batch_dimensions":["0"]}}
            ROOT y = (bf16[2,64,32], u8[0]) custom-call(a, b, s, t), custom_call_target="__cudnn$blockScaledDot" }"""
        )
        self.assertEqual(
            self.rows("SELECT multiply, dtype_class, flops FROM hlo_trace(?) WHERE opcode = 'custom-call'", path),
            [("f4e2m1fnxf8e4m3fn", "fp8", 2 * 2 * 64 * 32 * 96)] * 2,
        )
        self.assertEqual(self.issues(path), {})

    def test_grouped_products(self):
        """cuBLASLt's and hipBLASLt's for a ragged-dot: rows in groups, or, for gradients of the weights, what is contracted."""
        config = (
            'custom_call_target="__cublas$lt$groupedMatmul", backend_config={"grouped_gemm_backend_config":{"gemm_backend_config":{"alpha_real":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":["%d"]}},'
            '"ragged_dot_dimension_numbers":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["%d"]},"lhs_ragged_dimensions":["0"],"rhs_group_dimensions":[]}}}'
        )
        path = self.file(
            """ENTRY e { a = f16[101,407] parameter(0)  w = f16[2,407,400] parameter(1)  n = s32[2] parameter(2)  d = f16[101,400] parameter(3)
            x = (f16[101,400], s8[1000]) custom-call(a, w, n), %s
            g = (f16[2,407,400], s8[1000]) custom-call(a, d, n), %s
            ROOT y = f16[101,400] custom-call(a, w, n), custom_call_target="__cublas$lt$groupedMatmul" }"""
            % (config % (1, 1), config % (0, 0))
        )
        self.assertEqual(
            self.rows(
                "SELECT name, multiply, flops, bytes, cost_known FROM hlo_trace(?) WHERE opcode = 'custom-call'", path
            ),
            [(name, "f16", 2 * 101 * 407 * 400, 2 * (101 * 407 + 2 * 407 * 400 + 101 * 400) + 8, 1) for name in "xg"]
            + [("y", None, 0, 2 * (101 * 407 + 2 * 407 * 400 + 101 * 400) + 8, 0)],
        )

    def test_fused_attention(self):
        """cuDNN's: 2 B H pairs (Dqk + Dv), of a causal mask the pairs that meet, backward (3 Dqk + 2 Dv). Lengths and windows are no shape's to say."""
        b, h, kv, n, k, d, v = 2, 6, 3, 16, 48, 64, 32

        def config(mask, quoted=False, **more):
            text = json.dumps(
                {
                    "operation_queue_id": "0",
                    "cudnn_fmha_backend_config": {
                        "fmha_scale": 1,
                        "intermediate_tensor_shape": {
                            "element_type": "BF16",
                            "dimensions": [str(size) for size in (b, h, n, k)],
                            "tuple_shapes": [],
                        },
                        "mask_type": mask,
                        "sliding_window_length": more.get("window", 0),
                        "max_seg_per_batch": 1,
                    },
                },
                separators=(",", ":"),
            )
            return json.dumps(text) if quoted else text

        q, key, value, result = f"[{b},{n},{h},{d}]", f"[{b},{k},{kv},{d}]", f"[{b},{k},{kv},{v}]", f"[{b},{h},{n},{v}]"
        calls = [
            ("full", "Softmax", config("NO_MASK")),
            ("text", "SoftmaxF8", config("NO_MASK", True)),
            ("causal", "ScaleBiasSoftmaxDropout", config("CAUSAL")),
            ("back", "SoftmaxBackward", config("CAUSAL")),
            ("packed", "Softmax", config("PADDING_CAUSAL")),
            ("window", "Softmax", config("CAUSAL", window=8)),
            ("none", "Softmax", "{}"),
        ]
        lines = "".join(
            f"{name} = ({f'bf16[{b},{h},{n},{d}], bf16[{b},{h},{k},{d}], bf16[{b},{h},{k},{v}]' if name == 'back' else f'bf16{result}'}, u8[999]) custom-call(q, k, v, s, o), "
            f'custom_call_target="__cudnn$fmha{target}", backend_config={said}\n'
            for name, target, said in calls
        )
        path = self.file(
            f"ENTRY e {{ q = bf16{q} parameter(0)  k = bf16{key} parameter(1)  v = bf16{value} parameter(2)  s = f32[{b},{h},{n}] parameter(3)  o = bf16{result} parameter(4)\n"
            f"{lines} ROOT t = () tuple() }}"
        )
        met = 2 * b * h * sum(1 if j == i else 2 for i in range(n) for j in range(i + 1)) // 2
        self.assertEqual(
            dict(self.rows("SELECT name, flops FROM hlo_trace(?) WHERE opcode = 'custom-call' AND cost_known", path)),
            {
                "full": 2 * b * h * n * k * (d + v),
                "text": 2 * b * h * n * k * (d + v),
                "causal": met * (d + v),
                "back": met * (3 * d + 2 * v),
            },
        )
        read = 2 * (b * n * h * d + b * k * kv * (d + v) + b * h * n * v) + 4 * b * h * n
        self.assertEqual(
            self.rows(
                "SELECT name, bytes, dtype_class FROM hlo_trace(?) WHERE name IN ('full', 'back') ORDER BY name DESC",
                path,
            ),
            [
                ("full", read + 2 * b * h * n * v, "bf16"),
                ("back", read + 2 * (b * h * n * d + b * k * kv * (d + v)), "bf16"),
            ],
        )
        self.assertEqual({kind: said[0] for kind, said in self.issues(path).items()}, {"unknown_custom_call": 3})

    def test_products_of_transformer_engine(self):
        """(a, its scale, b, its scale, ...), each transposed or not, with dimensions of rows in front; one of a batch, or of a part of an operand, is no shape's to say."""
        calls = (
            ("plain", "f8e4m3fn[64,48]", "f8e4m3fn[48,32]", "bf16[64,32]", 64, 48, 32),
            ("rows", "bf16[2,8,48]", "bf16[32,48]", "bf16[2,8,32]", 16, 48, 32),
            ("gradient", "f8e5m2[64,48]", "f8e4m3fn[64,32]", "bf16[48,32]", 48, 64, 32),
            ("heads", "bf16[64,6,8]", "bf16[6,8,32]", "bf16[64,32]", 64, 48, 32),
            ("batch", "bf16[4,64,48]", "bf16[4,48,32]", "bf16[4,64,32]", None, None, None),
            ("part", "bf16[16,48]", "bf16[48,32]", "bf16[64,32]", None, None, None),
        )
        lines = [
            f"a{n} = {a} parameter({2 * n})  b{n} = {b} parameter({2 * n + 1})" for n, (_, a, b, *_) in enumerate(calls)
        ]
        lines += [
            f'{name} = ({out}, u8[999]) custom-call(a{n}, s, b{n}, s, s), custom_call_target="te_gemm{"_v2" if n % 2 else ""}_ffi", backend_config={{lhs_axis_boundary = 1 : i64, scaling_mode = 1 : i64}}'
            for n, (name, _, _, out, *_) in enumerate(calls)
        ]
        path = self.file("ENTRY e { s = f32[1] parameter(12)\n" + "\n".join(lines) + " ROOT t = () tuple() }")
        self.assertEqual(
            self.rows("SELECT name, flops FROM hlo_trace(?) WHERE opcode = 'custom-call' AND cost_known", path),
            [(name, 2 * m * k * n) for name, *_, m, k, n in calls if m],
        )
        self.assertEqual(
            self.rows("SELECT name, multiply, dtype_class FROM hlo_trace(?) WHERE multiply IS NOT NULL", path),
            [
                ("plain", "f8e4m3fn", "fp8"),
                ("rows", "bf16", "bf16"),
                ("gradient", "f8e4m3fnxf8e5m2", "fp8"),
                ("heads", "bf16", "bf16"),
            ],
        )
        self.assertEqual({kind: said[0] for kind, said in self.issues(path).items()}, {"unknown_custom_call": 2})

    def test_declared(self):
        """Kernels of Pallas for TPUs say their work: in JAX's JSON, which has newlines, in XLA's, or in a text before optimisation."""
        call = 'custom-call(offsets, a, w), custom_call_target="tpu_custom_call", backend_config='
        said = (
            '{"custom_call_config": {"body": "TUzvUgFN", "cost_estimate": {\n"bytes_accessed":700,\n"flops":4096,\n"remote_bytes_transferred":0,\n"transcendentals":5\n}, "needs_layout_passes": true}}',
            '{"flag_configs":[],"custom_call_config":{"body":"TUzv","cost_estimate":{"flops":"4096","transcendentals":"5","bytes_accessed":"700"}}}',
            '"{\\"custom_call_config\\": {\\"body\\": \\"TUzv\\", \\"cost_estimate\\": {\\"flops\\": 4096, \\"transcendentals\\": 5, \\"bytes_accessed\\": 700}}}"',
        )
        given = "ENTRY e { offsets = s32[9] parameter(0)  a = bf16[64,32] parameter(1)  w = s8[8,32,16] parameter(2)  "
        for config in said:
            path = self.file(given + "ROOT y = bf16[64,16] " + call + config + " }")
            self.assertEqual(
                self.rows(
                    "SELECT multiply, dtype_class, flops, transcendentals, bytes, cost_known FROM hlo_trace(?) WHERE name = 'y'",
                    path,
                ),
                [("bf16xs8", "bf16", 4096, 5, 700, 1)],
                config,
            )
            self.assertEqual(self.one("SELECT matmul_by_dtype FROM hlo_cost(?)", path), '{"bf16":4096}')
            self.assertEqual(self.issues(path), {})
        # One operand with dimensions multiplies no matrices; and what is no count is none.
        norm = 'ENTRY e { a = bf16[64,32] parameter(0)  w = bf16[32] parameter(1)  ROOT y = bf16[64,32] custom-call(a, w), custom_call_target="tpu_custom_call", backend_config='
        path = self.file(norm + said[1] + " }")
        self.assertEqual(self.rows("SELECT flops, matmul_flops FROM hlo_cost(?)", path), [(4096, 0)])
        for wrong in (
            '"flops":"-1"',
            '"flops":1e9',
            '"flops":1.5e+17',
            '"flops":99999999999999999999',
            '"flops":null',
            "",
        ):
            path = self.file(
                norm
                + said[1]
                .replace('"flops":"4096","transcendentals":"5",', wrong + ',"transcendentals":5,' if wrong else "")
                .replace(',"bytes_accessed":"700"', "")
                + " }"
            )
            self.assertEqual(
                self.rows("SELECT flops, unknown_costs FROM hlo_cost(?)", path), [(0, '{"tpu_custom_call":1}')], wrong
            )

    def test_unknown_opcode(self):
        path = self.file("ENTRY e { x = f32[4] parameter(0)  ROOT y = f32[4] frobnicate(x) }")
        self.assertEqual(
            self.rows("SELECT opcode, cost_known FROM hlo_trace(?)", path), [("parameter", 1), ("frobnicate", 0)]
        )
        self.assertEqual(
            self.issues(path), {"unknown_opcode": (1, 1, "y of module e (frobnicate): its work is not counted")}
        )

    def test_unknown_trips(self):
        path = self.file(
            "b { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }  c { p = f32[] parameter(0)  ROOT n = pred[] is-finite(p) }\n"
            "ENTRY e { x = f32[] parameter(0)  ROOT w = f32[] while(x), condition=c, body=b }"
        )
        self.assertEqual(
            self.rows("SELECT flops, trip_counts, unknown_costs FROM hlo_cost(?)", path),
            [(2, '{"w":null}', '{"while":1}')],
        )
        self.assertEqual(
            self.issues(path), {"unknown_trip_count": (1, 2, "w of module e (while): its body is counted once")}
        )


if __name__ == "__main__":
    unittest.main()
