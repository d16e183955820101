"""What HLO costs on the wire, counted by hand from docs/formats/hlo.md: collectives and manual partitions."""

import unittest

from hlo_case import Case


class Collectives(Case):
    """Ranks by the groups, by the shapes where none are written, else everybody; and the bytes on the wire."""

    ADD = "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"

    def found(self, instruction, header="", shape="f32[24]"):
        text = f"HloModule m{header}\n{self.ADD}ENTRY e {{ a = {shape} parameter(0) ROOT r = {instruction} }}\n"
        (row,) = self.dicts(
            "SELECT ranks, collective_bytes AS bytes, wire_bytes AS wire FROM hlo_trace(?) WHERE name = 'r'",
            self.file(text),
        )
        return row["ranks"], row["bytes"], row["wire"]

    def test_groups(self):
        self.assertEqual(
            (4, 96, 96 * 2 * 3 // 4), self.found("f32[24] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add")
        )
        self.assertEqual(
            (1, 96, 0),
            self.found("f32[24] all-reduce(a), replica_groups={{0},{1}}, to_apply=add", ", num_partitions=2"),
        )
        self.assertEqual(
            (1, 96, 0),
            self.found("f32[24] all-gather(a), dimensions={0}, replica_groups={{0},{1}}", ", num_partitions=2"),
        )
        self.assertEqual(
            (1, 96, 0),
            self.found(
                "f32[24] reduce-scatter(a), dimensions={0}, replica_groups={{0},{1}}, to_apply=add",
                ", num_partitions=2",
            ),
        )
        self.assertEqual(
            (2, 96, 96 // 2), self.found("f32[24] all-to-all(a), dimensions={0}, replica_groups={{0,1},{2,3}}")
        )
        self.assertEqual(
            (2, 192, 192 // 2), self.found("f32[48] all-gather(a), dimensions={0}, replica_groups={{0,1}}")
        )

    def test_shapes(self):
        self.assertEqual(
            (3, 288, 288 * 2 // 3), self.found("f32[72] all-gather(a), dimensions={0}", ", num_partitions=8")
        )
        self.assertEqual(
            (3, 96, 96 * 2 // 3),
            self.found("f32[8] reduce-scatter(a), dimensions={0}, to_apply=add", ", num_partitions=8"),
        )
        self.assertEqual(
            (8, 96, 96 * 7 // 8), self.found("f32[24] all-gather(a), dimensions={0}", ", num_partitions=8")
        )
        self.assertEqual(
            (8, 96, 96 * 7 // 8),
            self.found("f32[24] reduce-scatter(a), dimensions={0}, to_apply=add", ", num_partitions=8"),
        )

    def test_everybody(self):
        self.assertEqual(
            (8, 96, 96 * 2 * 7 // 8),
            self.found("f32[24] all-reduce(a), to_apply=add, channel_id=1", ", num_partitions=4, replica_count=2"),
        )
        both = ", num_partitions=2, replica_count=4"
        for groups in "", ", replica_groups={}":
            # Without a channel, between the replicas of each partition; with one, between all devices.
            across = f"f32[24] all-reduce(a), to_apply=add{groups}"
            self.assertEqual((4, 96, 96 * 2 * 3 // 4), self.found(across, both))
            self.assertEqual((8, 96, 96 * 2 * 7 // 8), self.found(across + ", channel_id=1", both))
            # An all-to-all with a channel is between the partitions of each replica.
            self.assertEqual((4, 96, 96 * 3 // 4), self.found(f"f32[24] all-to-all(a), dimensions={{0}}{groups}", both))
            self.assertEqual(
                (2, 96, 96 // 2), self.found(f"f32[24] all-to-all(a), dimensions={{0}}{groups}, channel_id=1", both)
            )
        self.assertEqual((1, 96, 0), self.found("f32[24] all-reduce(a), to_apply=add"))
        self.assertEqual((8, 96, 96 * 7 // 8), self.found("f32[24] all-to-all(a), dimensions={0}", ", replica_count=8"))

    def test_pairs(self):
        """All that is sent goes over the wire."""
        self.assertEqual(
            (4, 96, 96),
            self.found(
                "f32[24] collective-permute(a), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}", ", num_partitions=4"
            ),
        )

    def test_sends(self):
        """What a pipeline's permute becomes: the data goes to another device, or to the host, which is no collective."""
        text = """HloModule m, num_partitions=2
            ENTRY e { a = f32[24] parameter(0)  t = token[] after-all()  s = (f32[24], u32[], token[]) send(a, t), channel_id=1%s
              d = token[] send-done(s), channel_id=1%s  v = (f32[24], u32[], token[]) recv(t), channel_id=1%s  w = (f32[24], token[]) recv-done(v), channel_id=1%s
              ROOT r = f32[24] get-tuple-element(w), index=0 }"""
        for attribute, moved in (
            (", frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}", 96),
            (", is_host_transfer=true", 0),
        ):
            path = self.file(text % ((attribute,) * 4))
            self.assertEqual(
                [(moved, moved, 1.0)], self.rows("SELECT collective_bytes, wire_bytes, coverage FROM hlo_cost(?)", path)
            )
            self.assertEqual(
                [(moved, moved)],
                self.rows("SELECT collective_bytes, wire_bytes FROM hlo_trace(?) WHERE name = 's'", path),
            )


class ShardMap(Case):
    """What runs on every partition by itself, in a module whose other shapes are of all of them, counts for every one."""

    BODY = """
add {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }}
body {{ a = f32[2,8] parameter(0)  b = f32[8,32] parameter(1)
  d = f32[2,32] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  ROOT r = f32[2,32] all-reduce(d), replica_groups={{{{0,1}},{{2,3}},{{4,5}},{{6,7}}}}, channel_id=1, use_global_device_ids=true, to_apply=add }}
ENTRY e {{ x = f32[8,16] parameter(0)  y = f32[16,32] parameter(1)
{}
  ROOT z = f32[8,8] dot(o, o), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}} }}
"""
    GSPMD = """  x1 = f32[8,16] custom-call(x), custom_call_target="Sharding", sharding={{devices=[4,2]<=[8]}}
  x2 = f32[2,8] custom-call(x1), custom_call_target="SPMDFullToShardShape", sharding={0}
  y2 = f32[8,32] custom-call(y), custom_call_target="SPMDFullToShardShape", sharding={0}
  x3 = f32[2,8] custom-call(x2), custom_call_target="Sharding", sharding={0}
  c = f32[2,32] call(x3, y2), to_apply=body
  o = f32[8,32] custom-call(c), custom_call_target="SPMDShardToFullShape", sharding={{devices=[4,1,2]<=[8] last_tile_dim_replicate}}"""
    SHARDY = """  l = (f32[2,8], f32[8,32]) custom-call(x, y), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={{xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{{\\"a\\"}}, {{\\"b\\"}}]>, <@mesh, [{{\\"b\\"}}, {{}}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{{{0}}}>"}}
  g = f32[2,8] get-tuple-element(l), index=0
  h = f32[8,32] get-tuple-element(l), index=1
  c = f32[2,32] call(g, h), to_apply=body, frontend_attributes={{inlineable="false"}}
  o = f32[8,32] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true"""
    MESH = ', frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=4, "b"=2]>}}'

    def test_by_hand(self):
        """[8, 16] x [16, 32] over 4 x 2 partitions, and its result by itself on all together."""
        local, whole = 2 * 2 * 8 * 32, 2 * 8 * 8 * 32
        for header, call, parts in [
            (", num_partitions=8", self.GSPMD.format("{manual}"), 8),
            (self.MESH, self.SHARDY.format('\\"a\\", \\"b\\"'), 8),
            ("", self.GSPMD.format("{manual}"), 8),
            (", num_partitions=8" + self.MESH, self.SHARDY.format('\\"a\\"'), 4),
            (", num_partitions=8", self.GSPMD.format("{devices=[1,1,2,4]<=[8] last_tile_dims={manual,replicated}}"), 2),
            (", num_partitions=8", self.SHARDY.format('\\"a\\"'), 8),
        ]:  # no mesh says how many: all
            path = self.file(f"HloModule m{header}\n{self.BODY.format(call)}")
            (cost,) = self.dicts("SELECT * FROM hlo_cost(?)", path)
            self.assertEqual(
                (cost["scope"], cost["num_partitions"], cost["devices"], cost["coverage"]), ("global", 8, 8, 1)
            )
            self.assertEqual(cost["matmul_flops"], parts * local + whole)
            self.assertEqual(cost["wire_bytes"], parts * 4 * 2 * 32)  # 2 (n - 1) / n V, of 2 ranks
            self.assertEqual(
                self.rows("SELECT executions, flops FROM hlo_trace(?) WHERE name = 'd'", path), [(parts, parts * local)]
            )
            self.assertEqual(
                self.rows("SELECT executions, op_flops FROM hlo_trace(?) WHERE name = 'c' AND opcode = 'call'", path),
                [(1, parts * (local + 64))],
            )
        self.assertEqual(2 * 8 * 16 * 32, 8 * local)  # as the same product without shard_map

    def test_calls_of_all_together(self):
        """A call is of all partitions where nothing cuts what it is given; of one, where there is one."""
        for header, call in [
            (", num_partitions=8", "  c = f32[2,32] call(x, y), to_apply=body\n  o = f32[8,32] reshape(c)"),
            (", num_partitions=1", self.GSPMD.format("{manual}")),
        ]:
            path = self.file(f"HloModule m{header}\n{self.BODY.format(call)}")
            self.assertEqual(self.rows("SELECT executions FROM hlo_trace(?) WHERE name = 'd'", path), [(1,)])


class Shards(Case):
    """What one device holds of parameters and results, of shapes that are of all partitions together."""

    def held(self, entry, header=", num_partitions=8"):
        return self.cost(f"HloModule m{header}\nENTRY e {{ {entry} }}\n")["device_bytes"]

    def test_shardings(self):
        """What is replicated each device holds; what is split, its part; and where nothing is said, the least there can be."""
        n = 64 * 16 * 4
        mesh = ', num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2,"y"=4]>}}'
        shardy = 'frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [%s]>"}'
        for sharding, parts in [
            ("", 8),
            ("sharding={replicated}", 1),
            ("sharding={devices=[8,1]<=[8]}", 8),
            ("sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}", 2),
            ("sharding={devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", 2),
            ("sharding={devices=[2,2,2]<=[8] last_tile_dims={replicated}}", 4),
            ("sharding={devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}", 2),
            ("sharding={devices=[4,2]0,1,2,3,4,5,6,7}", 8),
            ("sharding={maximal device=3}", 8),
            ("sharding={mesh['x'=2,'y'=4], [{'x'}, {}]}", 2),
            ("sharding={mesh['x'=2,'y'=4], [{}, {'x','y'}]}", 8),
            ("sharding={mesh['x'=2,'y'=4], [{'y':(2)2}, {}], replicated={'x'}}", 2),
            ("sharding={mesh['x'=2,'y'=4], [{}, {}]}", 1),
            (shardy % r"{\"x\"}, {}", 2),
            (shardy % r"{\"x\", ?}, {\"y\"}", 8),
            (shardy % r"{\"y\":(1)2}, {}", 2),
            (shardy % "{}, {}", 1),
            (shardy % r"{\"z\"}, {}", 8),
        ]:
            text = f"ROOT a = f32[64,16] parameter(0){sharding and ', '}{sharding}"
            header = mesh if "sdy" in sharding else ", num_partitions=8"
            self.assertEqual(self.held(text, header), 2 * n // parts, sharding)  # as parameter and as result
            # After the partitioner shapes are of one device, whatever is written on them.
            self.assertEqual(self.held(text, header + ", is_scheduled=true"), 2 * n, sharding)

    def test_tuples(self):
        shape = "(f32[64], (f32[32]), f32[8])"
        split = "{{replicated}, /*index=1*/{devices=[8]<=[8]}, {devices=[2,4]<=[8] last_tile_dim_replicate}}"
        flat = "(f32[64], f32[32], f32[8])"
        self.assertEqual(self.held(f"ROOT a = {flat} parameter(0), sharding={split}"), 2 * 4 * (64 + 4 + 4))
        self.assertEqual(self.held(f"ROOT a = {flat} parameter(0)"), 2 * 4 * (8 + 4 + 1))
        self.assertEqual(self.held(f"ROOT a = {shape} parameter(0), sharding={{replicated}}"), 2 * 4 * (64 + 4 + 1))
        annotated = 'custom-call(a), custom_call_target="Sharding", sharding={replicated}'
        self.assertEqual(
            self.held(f"a = f32[64] parameter(0) b = f32[64] {annotated} ROOT t = (f32[64], f32[64]) tuple(a, b)"),
            4 * (8 + 8 + 64),
        )

    def test_memory_of_the_host(self):
        """What lies in the host's memory, S(5), is not read from the device's: by the layout of an array, or, before optimisation, by the header's alone."""
        n, host = 64 * 16 * 4, "f32[64,16]{1,0:T(8,128)S(5)}"
        array, entry = "f32[64,16]{1,0:T(8,128)}", "a = %s parameter(0) b = %s parameter(1) ROOT t = (%s, %s) tuple(%s)"
        for first, second, held in ((array, array, 4), (host, array, 2), (host, host, 0), (array, host, 2)):
            shapes = (first, second, first, second, "a, b")
            self.assertEqual(self.held(entry % shapes, ", is_scheduled=true"), held * n)
            plain = tuple(shape.split("{")[0] for shape in shapes[:4]) + ("a, b",)
            layout = f", entry_computation_layout={{({first}, {second})->({first}, /*index=1*/{second})}}"
            self.assertEqual(self.held(entry % plain, layout), held * n)
            self.assertEqual(self.held(entry % plain, layout + ", num_partitions=8"), held * n // 8)
            pair = f"({plain[0]}, ({plain[1]}))"
            layout = f", entry_computation_layout={{(({first}, ({second})))->({first}, ({second}))}}"
            self.assertEqual(self.held(f"ROOT t = {pair} parameter(0)", layout), held * n)
        cost = self.cost(f"HloModule m\nENTRY e {{ ROOT a = {host} parameter(0) }}\n")
        self.assertEqual((cost["parameter_bytes"], cost["result_bytes"]), (n, n))
        for layout in (
            "{}",
            "{(f32[8]{0:S(5)})}",
            "{()->f32[8]{0:S(5)}}",
            "{(x[8]{0:S(5)})->()}",
            "{(f32[8]{0:S()})->}",
        ):
            text = "ROOT a = f32[64,16]{1,0} parameter(0)"  # what does not fit the computation says nothing
            self.assertEqual(self.held(text, f", entry_computation_layout={layout}"), 2 * n, layout)

    def test_ideal(self):
        """Weights that every device has take every device the time to read them."""
        path = self.file(
            """HloModule m, num_partitions=8
            ENTRY e { x = bf16[64,1024] parameter(0), sharding={devices=[8,1]<=[8]}  w = bf16[1024,1024] parameter(1), sharding={replicated}
              ROOT d = bf16[64,1024] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[8,1]<=[8]} }"""
        )
        held = 2 * (2 * 8 * 1024 + 1024 * 1024)
        self.assertAlmostEqual(
            self.one("SELECT memory_s FROM trace_hlo_ideal(?, 'tpu-v5p')", path) / (held / 2765e9), 1, 9
        )
        self.assertEqual(self.one("SELECT bytes FROM trace_hlo_programs(?, 'tpu-v5p')", path), 8 * held)


if __name__ == "__main__":
    unittest.main()
