"""XSpace files: xplane_trace and xplane_planes.

Spaces are made at random, written with their fields in any order and others between them, and what the tables say is
held against what was meant; the recorded file against a reading of it in Python."""

import gzip
import json
import math
import os
import random
import struct
import threading
import unittest

import xspace
from cases import Case, peak
from fleets import ROOT

FIXTURE = os.path.join(ROOT, "fixtures/xplane/tpu-host-0.xplane.pb")
TRACES = os.path.join(ROOT, "../shared/traces/xplane")
AMD, CORRUPT = (
    os.path.join(TRACES, name) for name in ("mi300_jax_te_fused_attn.xplane.pb", "corrupt_tpu_inference_2.xplane.pb")
)
EVENT = "plane, plane_id, line, line_id, line_display_name, name, display_name, metadata_id, timestamp_ns, offset_ps, duration_ps, occurrences"
STATS = (
    "group_id step_num step_name run_id hlo_op hlo_module program_id hlo_category tf_op op_name source flops model_flops bytes_accessed "
    "raw_bytes_accessed correlation_id device_id device_ordinal kernel_details memcpy_details memset_details nvtx_range cuda_graph_id "
    "device_offset_ps device_duration_ps"
).split()
NAMED = {"op_name": "name", "memset_details": "Memset_details"}  # in the file, where it differs


def signed(n):
    return n - 2**64 if n >> 63 else n


def fields(data, at, end):
    """(number, value, offset) of a message: an int, 8 or 4 bytes, or where a payload begins and ends."""

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < end:
        start, head = at, number()
        if head & 7 == 0:
            yield head >> 3, number(), start
        elif head & 7 == 2:
            size = number()
            yield head >> 3, (at, at + size), start
            at += size
        else:
            size = {1: 8, 5: 4}[head & 7]
            yield head >> 3, data[at : at + size], start
            at += size


def last(data, span):
    return {number: value for number, value, _ in fields(data, *span)}


def read_plain(data):
    """Planes as dictionaries, every stat as (name, value)."""
    for number, span, _ in fields(data, 0, len(data)):
        if number != 1:
            continue
        parts = [(n, v) for n, v, _ in fields(data, *span)]
        text = lambda v: data[slice(*v)].decode() if v else None
        entries = {n: {} for n in (4, 5)}
        for n, v in parts:
            if n in entries:
                entry = last(data, v)
                entries[n][entry.get(1, 0)] = entry.get(2)
        names = {k: text(last(data, v).get(2)) if v else "" for k, v in entries[5].items()}

        def stat(v):
            of, value = 0, None
            for n, x, _ in fields(data, *v):
                if n == 1:
                    of = signed(x)
                else:
                    value = {
                        2: lambda: struct.unpack("<d", x)[0],
                        3: lambda: x,
                        4: lambda: signed(x),
                        5: lambda: text(x),
                        6: lambda: data[slice(*x)],
                        7: lambda: names.get(x),
                    }[n]()
            return names.get(of), value

        def stats(v, of):
            return [stat(x) for n, x, _ in fields(data, *v) if n == of] if v else []

        single = dict(parts)
        events = {
            k: (text(last(data, v).get(2)), text(last(data, v).get(4)), stats(v, 5)) for k, v in entries[4].items()
        }
        plane = {
            "name": text(single.get(2)),
            "id": single.get(1, 0),
            "events": [],
            "stats": [stat(v) for n, v in parts if n == 6],
            "at": span[0],
        }
        for n, v in parts:
            if n == 3:
                line = last(data, v)
                for m, x, _ in fields(data, *v):
                    if m == 4:
                        event = last(data, x)
                        known = events.get(event.get(1, 0), (None, None, []))
                        own = stats(x, 4)
                        row = (
                            plane["name"],
                            plane["id"],
                            text(line.get(2)),
                            signed(line.get(1, 0)),
                            text(line.get(11)),
                            known[0],
                            known[1],
                            event.get(1, 0),
                            line.get(3, 0),
                            None if 5 in event else signed(event.get(2, 0)),
                            event.get(3, 0),
                            event.get(5),
                        )
                        plane["events"].append((x[0], row, own, [s for s in known[2] if s[0] not in dict(own)]))
        yield plane


class Recorded(Case):
    @unittest.skipUnless(os.path.exists(AMD), "../shared is not here")
    def test_every_event_of_a_recorded_file(self):
        with open(AMD, "rb") as file:
            planes = list(read_plain(file.read()))
        wanted = [(at, *row, dict(own + known)) for plane in planes for at, row, own, known in plane["events"]]
        found = [
            (*row[:-1], json.loads(row[-1]))
            for row in self.rows(f"SELECT _line, {EVENT}, stats FROM xplane_trace(?)", AMD)
        ]
        self.assertEqual(len(found), 1992)
        self.assertEqual(found, wanted)
        found = self.rows(f"SELECT {', '.join(STATS)} FROM xplane_trace(?)", AMD)
        self.assertEqual(found, [tuple(row[-1].get(NAMED.get(name, name)) for name in STATS) for row in wanted])
        found = self.rows("SELECT plane, plane_id, events, stats, hostnames, _line FROM xplane_planes(?)", AMD)
        self.assertEqual(
            [(*row[:3], json.loads(row[3]), *row[4:]) for row in found],
            [
                (
                    p["name"],
                    p["id"],
                    len(p["events"]),
                    {k: v.decode() if isinstance(v, bytes) else v for k, v in p["stats"]},
                    '["934987a2fc2f"]',
                    p["at"],
                )
                for p in planes
            ],
        )

    @unittest.skipUnless(os.path.exists(CORRUPT), "../shared is not here")
    def test_the_corrupt_file(self):
        said = (
            f'{CORRUPT}: byte 0: expected an XSpace, which begins with a plane, found "\\x0a\ufffd\ufffd\\x06\\x08\\x02\\x12\\x0a/device:TPU:0..." '
            "(bytes EF BF BD: copied as text, which destroyed it)"
        )
        for table in ("xplane_trace", "xplane_planes"):
            self.assertEqual(self.error(f"SELECT * FROM {table}(?)", CORRUPT), f"{table}: {said}")
            self.assertEqual(self.rows(f"SELECT * FROM {table}(?) WHERE on_error = 'skip'", CORRUPT), [])
            self.assertEqual(self.issues(CORRUPT), {"skipped_record": 1})


class Made(Case):
    """What is written is known, so nothing is read to know it."""

    def value(self, rng):
        kind = rng.choice([xspace.DOUBLE, xspace.UINT, xspace.INT, xspace.TEXT, xspace.REF])
        value = {
            xspace.DOUBLE: lambda: rng.choice([0.0, -2.5, 1e300, math.inf]),
            xspace.UINT: lambda: rng.choice([0, 7, 2**63, 2**64 - 1]),
            xspace.INT: lambda: rng.choice([-1, 5, -(2**63), 2**63 - 1]),
        }.get(kind, lambda: rng.choice(["", "x", 'a"b\n', "Zürich", "12"]))()
        return value, kind

    def space(self, rng):
        """(bytes, rows of xplane_trace as far as EVENT and stats go)"""
        rows, out = [], []
        for _ in range(rng.randrange(4)):
            plane = xspace.Plane(f"/device:{rng.randrange(9)}", rng.randrange(3))
            names = []
            for i in range(rng.randrange(1, 6)):
                stats = [(key, *self.value(rng)) for key in rng.sample(STATS, rng.randrange(4))]
                names.append((plane.event_name(f"op.{i}", rng.choice(["", "short"]), stats), f"op.{i}", stats))
            for line in range(rng.randrange(4)):
                start, events = rng.choice([0, 10**18 + rng.randrange(10**9)]), []
                for _ in range(rng.randrange(6)):
                    number, name, known = rng.choice(names)
                    own = [(key, *self.value(rng)) for key in rng.sample(STATS, rng.randrange(4))]
                    offset, duration = rng.randrange(10**15), rng.randrange(10**9)
                    events.append((number, offset, duration, own))
                    told = {key: value for key, value, _ in known} | {key: value for key, value, _ in own}
                    rows.append(
                        (
                            plane.name,
                            plane.number,
                            f"line {line}",
                            line,
                            "shown" if line else None,
                            name,
                            plane.events[name][1] or None,
                            number,
                            start,
                            offset,
                            duration,
                            None,
                            {k: "inf" if v == math.inf else v for k, v in told.items()},
                        )
                    )
                plane.line(f"line {line}", start, events, line, "shown" if line else "")
            out.append((1, self.stirred(rng, plane.fields(), (3, 4))))
        return xspace.message(out), rows

    def stirred(self, rng, parts, ordered):
        """In another order, which fields of one number keep where `ordered` names it, and with fields nobody knows."""
        keys = [rng.random() for _ in parts]
        for number in ordered:
            places = [i for i, part in enumerate(parts) if part[0] == number]
            for i, key in zip(places, sorted(keys[i] for i in places)):
                keys[i] = key
        parts = [part for _, part in sorted(zip(keys, parts), key=lambda pair: pair[0])]
        for extra in ((1000, 5), (1001, 2.5), (1002, b"\0\xff")):
            parts.insert(rng.randrange(len(parts) + 1), extra)
        return [
            (n, self.stirred(rng, v, (4,)) if isinstance(v, list) and n in (3, 4, 5) and ordered == (3, 4) else v)
            for n, v in parts
        ]

    def test_random_spaces(self):
        rng = random.Random(4)
        total = 0
        for _ in range(300):
            data, wanted = self.space(rng)
            if not data:
                continue
            path = self.file(data, "t.xplane.pb")
            found = [
                (*row[:-1], json.loads(row[-1]))
                for row in self.rows(f"SELECT {EVENT}, stats FROM xplane_trace(?)", path)
            ]
            self.assertEqual(found, wanted)
            self.assertEqual(self.rows("SELECT sum(events) FROM xplane_planes(?)", path), [(len(wanted),)])
            total += len(found)
        self.assertGreater(total, 1000)

    def test_typed_columns(self):
        plane = xspace.Plane("p")
        number = plane.event_name(
            "e",
            "",
            [("flops", 2**64 - 1, xspace.UINT), ("bytes_accessed", "77"), ("hlo_op", 5), ("tf_op", "x", xspace.REF)],
        )
        plane.line(
            "l", 0, [(number, 0, 1, [("flops", 1.5), ("run_id", 2**63, xspace.UINT), ("program_id", "twelve")])]
        )
        path = self.file(xspace.message([(1, plane.fields())]))
        self.assertEqual(
            self.rows(
                "SELECT flops, bytes_accessed, hlo_op, tf_op, run_id, program_id, step_num, stats FROM xplane_trace(?)",
                path,
            ),
            [
                (
                    1.5,
                    77,
                    5,
                    "x",
                    "9223372036854775808",
                    "twelve",
                    None,
                    '{"flops":1.5,"run_id":9223372036854775808,"program_id":"twelve","bytes_accessed":"77","hlo_op":5,"tf_op":"x"}',
                )
            ],
        )

    def test_ids_of_64_bits(self):
        """Runs whose ids differ in the last bits are two, compared and joined."""
        plane = xspace.Plane("p")
        number = plane.event_name("e")
        ids = [5, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]
        plane.line(
            "l",
            0,
            [
                (number, i, 1, [(name, value, xspace.UINT) for name in ("run_id", "program_id", "correlation_id")])
                for i, value in enumerate(ids)
            ],
        )
        path = self.file(xspace.message([(1, plane.fields())]))
        for name in ("run_id", "program_id", "correlation_id"):
            self.assertEqual(self.rows(f"SELECT count(*), count(DISTINCT {name}) FROM xplane_trace(?)", path), [(5, 5)])
            self.assertEqual(
                self.rows(
                    f"SELECT count(*) FROM xplane_trace(?1) AS a JOIN xplane_trace(?1) AS b ON a.{name} = b.{name}",
                    path,
                ),
                [(5,)],
            )
            for value in ids:
                value = value if value < 2**63 else str(value)
                self.assertEqual(
                    self.rows(f"SELECT {name} FROM xplane_trace(?) WHERE {name} = ?", path, value), [(value,)]
                )

    def test_the_fixture_is_what_the_script_writes(self):
        with open(FIXTURE, "rb") as file:
            self.assertEqual(file.read(), xspace.fixture())

    def test_compressed_and_several(self):
        with open(FIXTURE, "rb") as file:
            data = file.read()
        packed = self.file(gzip.compress(data), "a.pb.gz")
        plain = self.rows("SELECT * FROM xplane_trace(?)", FIXTURE)
        self.assertEqual(self.rows("SELECT * FROM xplane_trace(?)", packed), plain)
        with open(os.path.join(os.path.dirname(packed), "b.pb"), "wb") as file:
            file.write(data)
        folder = os.path.dirname(packed)
        self.assertEqual(
            self.rows("SELECT _file, count(*) FROM xplane_trace(?) GROUP BY 1", folder),
            [(packed, len(plain)), (folder + "/b.pb", len(plain))],
        )


class Mapped(Case):
    """What devices did, of shapes that profilers write beside the usual one."""

    def plane(self, *operations, name="/device:TPU:0", line="XLA Ops"):
        """Operations are (short name, category, begin and length in us, HLO text): each on a line from START."""
        plane = xspace.Plane(name)
        events = [
            (
                plane.event_name(
                    text or f"%{short} = f32[8]{{0}} opcode(%p)",
                    short,
                    [("hlo_category", category, xspace.REF)] if category else [],
                ),
                at * xspace.US,
                long * xspace.US,
                [],
            )
            for short, category, at, long, *text in operations
            for text in [text[0] if text else None]
        ]
        plane.line(line, xspace.START, events, 3)
        return plane

    def space(self, *planes):
        return xspace.message([(1, plane.fields()) for plane in planes] + [(4, "host")])

    def did(self, path, columns):
        return self.rows(f"SELECT {columns} FROM trace_device_activity(?) ORDER BY start_ns, name", path)

    def test_what_only_holds_others(self):
        """Loops, branches and calls by category, else by their text, else by their name."""
        holders = (
            ("while.3", "while", 0, 100),
            ("while.4.remat", None, 5, 90, "%while.4.remat = (s32[], f32[8]) while(%t), condition=%c, body=%b"),
            (
                "conditional.2.clone",
                None,
                10,
                50,
                "%conditional.2.clone = f32[8] conditional(%p, %a, %b), branch_computations={%x, %y}",
            ),
            ("call.9.x", None, 65, 20, "%call.9.x = f32[8] call(%p), to_apply=%z"),
            ("call.7", None, 65, 20),
        )
        path = self.file(
            self.space(self.plane(*holders, ("fusion.1", "loop fusion", 20, 10), ("called.1", None, 70, 5))),
            "h.xplane.pb",
        )
        self.assertEqual([("fusion.1",), ("called.1",)], self.did(path, "name"))
        self.assertEqual([(15000,)], self.rows("SELECT busy_ns FROM trace_device_time(?)", path))

    def test_classes_of_instructions(self):
        wanted = (
            ("fusion.1", "all-reduce fusion", "communication", "allreduce"),
            ("all-reduce-scatter.1", "all-reduce-scatter fusion", "communication", "reduce_scatter"),
            ("async-collective-start.1", "custom fusion", "communication", None),
            ("async-collective-done.1", None, "communication", None),
            ("async_collective_fusion.4", "convolution fusion", "compute", None),
            ("all-reduce.1.remat", "convolution fusion", "compute", None),
            ("send.1", "host send", "memory", None),
            ("recv-done.2", "host recv-done", "memory", None),
            ("send.3", "send", "communication", None),
            ("ragged-all-to-all.2", None, "communication", "alltoall"),
            ("call-start.1", "async-start", "compute", None),
            ("call-done.1", "async-done", "sync", None),
            ("async-done.7", None, "sync", None),
            ("async-update.7", None, "sync", None),
            ("all-to-all-done.1", "async-done", "communication", "alltoall"),
            ("slice-done.4", "async-done", "memory", None),
            ("outfeed.1", "outfeed", "memory", None),
        )
        plane = self.plane(*((name, category, 10 * i, 5) for i, (name, category, *_) in enumerate(wanted)))
        path = self.file(self.space(plane), "h.xplane.pb")
        self.assertEqual([(name, *rest) for name, _, *rest in wanted], self.did(path, "name, class, collective"))
        events = [
            {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}},
            {"ph": "M", "pid": 3, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}},
        ]
        events += [
            {
                "ph": "X",
                "pid": 3,
                "tid": 3,
                "ts": 10 * i,
                "dur": 5,
                "name": name,
                "args": {"hlo_category": category} if category else {},
            }
            for i, (name, category, *_) in enumerate(wanted)
        ]
        path = self.file(
            '{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": %s}' % json.dumps(events),
            "t.json",
        )
        self.assertEqual([(name, *rest) for name, _, *rest in wanted], self.did(path, "name, class, collective"))

    def test_recognised_by_its_content(self):
        """Under any name, as where a browser has put (1) behind it; of a plane with a number and without."""
        with open(FIXTURE, "rb") as file:
            fixture = file.read()
        numbered = self.space(xspace.Plane("/host:CPU", 300), self.plane(("fusion.1", None, 0, 10)))
        folder = self.folder_of(
            {
                "xplane.pb": fixture,
                "h.xplane.pb (1)": fixture + self.space(self.plane(("fusion.1", None, 0, 10))),
                "H.XPLANE.PB": self.space(self.plane(("fusion.1", None, 0, 10))),
                "a": numbered,
            }
        )
        self.assertEqual(
            [("xplane", "sure", 4)],
            self.rows("SELECT format, certainty, count(*) FROM trace_sources(?) GROUP BY 1, 2", folder),
        )

    def test_steps_of_one_number_and_two_names(self):
        """As of training and evaluation: they count as one step, which is said; of annotations inside each other there is one."""
        for eval_at, said in ((200, {"conflict": 1}), (20, {})):
            host, marks = xspace.Plane("/host:CPU"), (("train", 0, 100), ("eval", eval_at, 50))
            host.line(
                "python",
                xspace.START,
                [
                    (host.event_name(name), at * xspace.US, long * xspace.US, [("step_num", 1, xspace.INT)])
                    for name, at, long in marks
                ],
            )
            events = [
                {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
                for pid, name in ((3, "/device:TPU:0"), (4, "/host:CPU"))
            ] + [{"ph": "M", "pid": 3, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}}]
            events += [
                {"ph": "X", "pid": 4, "tid": 1, "ts": at, "dur": long, "name": name, "args": {"step_num": "1"}}
                for name, at, long in marks
            ] + [{"ph": "X", "pid": 3, "tid": 3, "ts": 10, "dur": 5, "name": "fusion.1"}]
            for path in (
                self.file(self.space(host, self.plane(("fusion.1", None, 10, 5))), "h.xplane.pb"),
                self.file(
                    '{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": %s}'
                    % json.dumps(events),
                    "t.json",
                ),
            ):
                self.assertEqual(
                    [("1", 2 if said else 1)],
                    self.rows("SELECT step, count(*) FROM trace_device_steps(?) GROUP BY 1", path),
                )
                self.assertEqual(said, self.issues(path), path)

    def test_work_below_zero_is_none(self):
        """In the protobuf as in the JSON that XProf makes of it."""
        plane = xspace.Plane("/device:TPU:0")
        counts = (("fusion.1", 100, 50), ("fusion.2", -1, 50), ("fusion.3", 100, -1))
        plane.line(
            "XLA Ops",
            xspace.START,
            [
                (
                    plane.event_name(name, name, [("flops", flops, xspace.INT), ("bytes_accessed", size, xspace.INT)]),
                    10 * i * xspace.US,
                    5 * xspace.US,
                    [],
                )
                for i, (name, flops, size) in enumerate(counts)
            ],
        )
        events = [
            {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}},
            {"ph": "M", "pid": 3, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}},
        ]
        events += [
            {
                "ph": "X",
                "pid": 3,
                "tid": 3,
                "ts": 10 * i,
                "dur": 5,
                "name": name,
                "args": {"flops": str(flops), "bytes_accessed": str(size)},
            }
            for i, (name, flops, size) in enumerate(counts)
        ]
        for path in (
            self.file(self.space(plane), "h.xplane.pb"),
            self.file(
                '{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": %s}'
                % json.dumps(events),
                "t.json",
            ),
        ):
            self.assertEqual([(100.0, 50), (None, 50), (100.0, None)], self.did(path, "flops, bytes"), path)
            self.assertEqual({"impossible_value": 2}, self.issues(path))

    def test_instructions_by_their_text(self):
        """Where a profiler gives no short name: the text of the instruction has it."""
        plane = xspace.Plane("/device:TPU:0")
        texts = (
            "%all-gather-start.3 = (f32[8]{0}, f32[32]{0}) all-gather-start(%p), dimensions={0}",
            "%fusion.1 = f32[8]{0} fusion(%p), kind=kLoop",
            "%while.2 = (s32[]) while(%t), condition=%c, body=%b",
        )
        plane.line(
            "XLA Ops",
            xspace.START,
            [(plane.event_name(text), 10 * i * xspace.US, 5 * xspace.US, []) for i, text in enumerate(texts)],
        )
        gpu = xspace.Plane("/device:GPU:0")
        gpu.line(
            "Stream #7",
            xspace.START,
            [
                (gpu.event_name(f"ncclDevKernel_{name}"), (50 + 10 * i) * xspace.US, 5 * xspace.US, [])
                for i, name in enumerate(("Broadcast_RING_LL", "Reduce_Sum_f32_RING_LL"))
            ],
        )
        path = self.file(self.space(plane, gpu), "h.xplane.pb")
        self.assertEqual(
            [
                ("all-gather-start.3", "communication", "allgather"),
                ("fusion.1", "compute", None),
                ("ncclDevKernel_Broadcast_RING_LL", "communication", "broadcast"),
                ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "communication", "reduce"),
            ],
            self.did(path, "name, class, collective"),
        )

    def test_queues_of_amd_run_streams_at_once(self):
        """There a line is a queue of the hardware, which several streams share: what overlaps keeps its time."""
        for vendor, busy, said in (("AMD", 100000, {}), ("Nvidia", 20000, {"overrun_activity": 1})):
            gpu = xspace.Plane("/device:GPU:0", 0, [("device_vendor", vendor)])
            gpu.line(
                "Stream #2",
                xspace.START,
                [
                    (gpu.event_name(name), at * xspace.US, long * xspace.US, [("correlation_id", at + 1)])
                    for name, at, long in (("gemm", 0, 100), ("relu", 10, 10))
                ],
            )
            path = self.file(self.space(gpu), "h.xplane.pb")
            self.assertEqual(busy, self.one("SELECT busy_ns FROM trace_device_time(?)", path))
            self.assertEqual(said, self.issues(path))

    def test_devices_of_other_names_are_listed(self):
        path = self.file(
            self.space(
                self.plane(("fusion.1", None, 0, 10)),
                self.plane(("fusion.2", None, 0, 10), name="host-1 /device:TPU:0"),
            ),
            "h.xplane.pb",
        )
        self.assertEqual([("fusion.1",)], self.did(path, "name"))
        self.assertEqual({"unknown_event": 1}, self.issues(path))

    def test_slices_and_partitions_are_listed(self):
        """A slice's name says that it is one. AMD's profiles name no chip: a partition has fewer units than its generation."""
        amd = [("device_vendor", "AMD"), ("compute_cap_major", 9)]
        for stats, listed in (
            ([("gpu_device_name", "NVIDIA A100-SXM4-40GB MIG 3g.20gb")], {"guessed_share": 1}),
            ([("gpu_device_name", "NVIDIA A100-SXM4-40GB")], {}),
            (amd + [("compute_cap_minor", 4), ("core_count", 38)], {"guessed_share": 1}),
            (amd + [("compute_cap_minor", 4), ("core_count", 304)], {}),
            (amd + [("compute_cap_minor", 5), ("core_count", 64)], {"guessed_share": 1}),
            (amd + [("compute_cap_minor", 5), ("core_count", 256)], {}),
            (amd, {}),
        ):
            plane = xspace.Plane("/device:GPU:0", stats=stats)
            plane.line("Stream #1", xspace.START, [(plane.event_name("gemm"), 0, 10 * xspace.US, [])], 1)
            path = self.file(self.space(plane), "h.xplane.pb")
            self.assertEqual([("gemm",)], self.did(path, "name"))
            self.assertEqual(listed, self.issues(path), stats)

    def test_sums_of_events_and_sparse_cores_are_listed(self):
        plane = self.plane(("fusion.1", "loop fusion", 0, 10))
        plane.lines.append([(1, 3), (2, "XLA Ops"), (3, xspace.START), (4, [(1, 1), (5, 120), (3, 36 * xspace.US)])])
        sparse = self.plane(("embedding.1", None, 0, 50), name="/device:TPU:0 SparseCore 1", line="Sparse Core Ops")
        path = self.file(self.space(plane, sparse), "h.xplane.pb")
        self.assertEqual([("fusion.1",)], self.did(path, "name"))
        self.assertEqual({"impossible_time": 1, "other_spans": 1}, self.issues(path))

    def test_devices_without_an_operation_are_listed(self):
        """A process on one of eight GPUs has planes for all of them; a full buffer may leave the programs alone."""
        planes = [
            self.plane(("fusion.1", "loop fusion", 0, 10)),
            self.plane(("jit_f(1)", None, 0, 10), name="/device:TPU:3", line="XLA Modules"),
        ] + [
            xspace.Plane(name)
            for name in (
                "/device:TPU:1",
                "/device:TPU:2",
                "/device:TPU:0 SparseCore 0",
                "/device:CUSTOM:Megascale Trace",
            )
        ]
        path = self.file(self.space(*planes), "h.xplane.pb")
        self.assertEqual(
            [
                (
                    "no_device_event",
                    3,
                    "devices without an operation: nothing is told of them; the first is /device:TPU:1",
                )
            ],
            self.rows(
                "SELECT kind, count, detail FROM mpg_issues, (SELECT count(*) FROM trace_device_activity(?))", path
            ),
        )

    def test_steps_of_the_device_have_the_numbers_of_the_host(self):
        """A device counts its steps from 0: the group says which of the host's they are."""
        plane, host = self.plane(("fusion.1", None, 110, 80), ("fusion.2", None, 210, 80)), xspace.Plane("/host:CPU")
        plane.line(
            "Steps",
            xspace.START,
            [
                (plane.event_name(str(i)), (100 + 100 * i) * xspace.US, 100 * xspace.US, [("group_id", i)])
                for i in (0, 1)
            ],
            1,
        )
        host.line(
            "python",
            xspace.START,
            [
                (host.event_name("train"), 50 * i * xspace.US, 50 * xspace.US, [("step_num", 100 + i), ("group_id", i)])
                for i in (0, 1)
            ],
            1,
        )
        path = self.file(self.space(plane, host), "h.xplane.pb")
        self.assertEqual([("fusion.1", "100"), ("fusion.2", "101")], self.did(path, "name, step"))
        self.assertEqual(
            [("100", 50000, 80000), ("101", 50000, 80000)],
            self.rows("SELECT step, step_ns, busy_ns FROM trace_device_step_time(?) ORDER BY 1", path),
        )

    def test_a_trace_without_an_event_is_listed(self):
        path = self.file(self.space(xspace.Plane("/device:TPU:0"), xspace.Plane("/host:CPU")), "h.xplane.pb")
        self.assertEqual([], self.did(path, "name"))
        self.assertEqual({"no_device_event": 1}, self.issues(path))
        path = self.file(self.trace(), "h.trace.json")
        self.assertEqual([], self.did(path, "name"))
        self.assertEqual({"no_device_event": 1}, self.issues(path))

    def trace(self, *events, metadata=True):
        """As XProf writes JSON: operations of a TPU as (phase, line, begin and length in us)."""
        out = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}}]
        out += [
            {"ph": "M", "pid": 3, "tid": i, "name": "thread_name", "args": {"name": line}}
            for i, line in enumerate(("XLA Ops", "Async XLA Ops", "Sparse Core Ops"))
        ]
        out += [
            {"ph": phase, "pid": 3, "tid": line, "ts": at, "name": "fusion.1", "args": {}}
            | ({"dur": long} if phase == "X" else {})
            for phase, line, at, long in events
        ]
        return json.dumps(
            {"displayTimeUnit": "ns"}
            | ({"metadata": {"highres-ticks": True}} if metadata else {})
            | {"traceEvents": out + [{}]}
        )

    def test_a_profile_in_three_files_counts_once(self):
        """JAX writes HOST.xplane.pb, the same as HOST.trace.json.gz, and that again as perfetto_trace.json.gz."""
        parts = {
            "h.xplane.pb": self.space(self.plane(("fusion.1", "loop fusion", 0, 10))),
            "h.trace.json.gz": gzip.compress(self.trace(("X", 0, 0, 10)).encode()),
            "perfetto_trace.json.gz": gzip.compress(self.trace(("X", 0, 0, 10), metadata=False).encode()),
            "other.trace.json.gz": gzip.compress(self.trace(("X", 0, 0, 11)).encode()),
        }
        for present, counted in (
            (parts, {"h.xplane.pb", "other.trace.json.gz"}),
            (["h.xplane.pb", "perfetto_trace.json.gz"], {"h.xplane.pb"}),
            (["h.trace.json.gz", "perfetto_trace.json.gz"], {"h.trace.json.gz"}),
            (["perfetto_trace.json.gz"], {"perfetto_trace.json.gz"}),
        ):
            folder = self.folder_of({name: parts[name] for name in present})
            self.assertEqual(
                counted,
                {
                    os.path.basename(trace)
                    for trace, in self.rows("SELECT DISTINCT trace FROM trace_device_activity(?)", folder)
                },
            )
            self.assertEqual(
                len(present) - len(counted),
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file' AND source GLOB ? || '/*'", folder
                ),
            )

    def test_a_protobuf_without_a_device_leaves_the_json(self):
        folder = self.folder_of(
            {"h.xplane.pb": self.space(xspace.Plane("/host:CPU")), "h.trace.json": self.trace(("X", 0, 0, 10))}
        )
        self.assertEqual([("fusion.1",)], self.did(folder, "name"))

    def test_lines_of_xprofs_json(self):
        path = self.file(self.trace(("X", 0, 0, 10), ("X", 1, 5, 20), ("b", 1, 40, 5), ("X", 2, 60, 5)), "h.trace.json")
        self.assertEqual([("XLA Ops", 10000), ("Async XLA Ops", 20000)], self.did(path, "stream, end_ns - start_ns"))
        self.assertEqual([(25000,)], self.rows("SELECT busy_ns FROM trace_device_time(?)", path))
        self.assertEqual({"impossible_time": 1, "other_spans": 1}, self.issues(path))

    def test_devices_of_xprofs_json_without_an_operation_are_listed(self):
        trace = json.loads(self.trace(("X", 0, 0, 10)))
        for pid, line in ((4, "XLA Modules"), (5, None)):
            trace["traceEvents"].insert(
                0, {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": f"/device:TPU:{pid}"}}
            )
            if line:
                trace["traceEvents"] += [
                    {"ph": "M", "pid": pid, "tid": 2, "name": "thread_name", "args": {"name": line}},
                    {"ph": "X", "pid": pid, "tid": 2, "ts": 0, "dur": 10, "name": "jit_f(1)", "args": {}},
                ]
        path = self.file(trace, "h.trace.json")
        self.assertEqual([("fusion.1",)], self.did(path, "name"))
        self.assertEqual({"no_device_event": 2}, self.issues(path))

    def test_gpus_in_xprofs_json(self):
        """A kernel is of the step of the host in which it was launched; a line without a name is listed, and so are processes of one name."""

        def name(pid, text, tid=None):
            return {
                "ph": "M",
                "pid": pid,
                "name": "process_name" if tid is None else "thread_name",
                "args": {"name": text},
            } | ({} if tid is None else {"tid": tid})

        def event(text, pid, tid, at, long, **args):
            return {"ph": "X", "pid": pid, "tid": tid, "ts": at, "dur": long, "name": text, "args": args}

        events = [
            name(3, "/device:GPU:0"),
            name(3, "Stream #20(Compute)", 20),
            name(4, "/device:GPU:0"),
            name(4, "Stream #20(Compute)", 20),
            name(9, "/host:CPU"),
            name(9, "python", 1),
            event("train", 9, 1, 0, 10, step_num="3"),
            event("cuLaunchKernel", 9, 1, 1, 2, correlation_id="7"),
            event("train", 9, 1, 20, 10, step_num="4"),
            event("gemm", 3, 20, 25, 10, correlation_id="7"),
            event("relu", 4, 20, 40, 5),
            event("stray", 3, 21, 50, 5),
        ]
        path = self.file(
            '{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": %s}' % json.dumps(events),
            "t.json",
        )
        self.assertEqual(
            [("gemm", "3", "cuLaunchKernel"), ("relu", None, None)], self.did(path, "name, step, launch_name")
        )
        self.assertEqual({"unknown_event": 1, "repeated_record": 1}, self.issues(path))

    def test_a_trace_of_a_million_events_is_cut(self):
        self.script("device.sql")
        self.db.executescript(
            """CREATE TEMP TABLE xprof_input AS SELECT NULL AS chip;
            CREATE TEMP TABLE xprof_events AS
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
            SELECT 'full' AS trace, 9 AS pid, '/host:CPU' AS plane, 'python' AS line, 'f' AS name, i AS start_ns, i AS end_ns, NULL AS step, NULL AS hlo_category, NULL AS tf_op, NULL AS hlo_op, NULL AS flops, NULL AS bytes, '{}' AS args FROM n
            UNION ALL SELECT 'other', 9, '/host:CPU', 'python', 'f', 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, '{}'"""
        )
        self.script("formats/xprof.sql")
        self.assertEqual([("full", 1)], self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'left_out'"))


class Files(Case):
    def test_what_is_no_space(self):
        for text, said in (
            (
                '{"traceEvents":[]}',
                '0: expected an XSpace, which begins with a plane, found "{"traceEvents":[]}" (JSON: is it for chrome_trace?)',
            ),
            ("JobID|State\n", '0: expected an XSpace, which begins with a plane, found "JobID|State\\x0a"'),
            (b"PK\3\4" + bytes(40), '0: expected an XSpace, which begins with a plane, found "PK\\x03\\x04'),
        ):
            path = self.file(text)
            self.assertTrue(
                self.error("SELECT * FROM xplane_trace(?)", path).startswith(f"xplane_trace: {path}: byte {said}"), text
            )
        empty = self.file(xspace.message([(4, "host")]))  # a space with a host name alone
        self.assertEqual(self.rows("SELECT * FROM xplane_trace(?)", empty), [])
        self.assertEqual(self.issues(empty), {"no_planes": 1})

    def test_cut_off_anywhere(self):
        """Whole planes are told, then where the file ends; a cut between fields of the space cannot be seen."""
        data = xspace.fixture()
        ends = [0] + [value[1] for number, value, _ in fields(data, 0, len(data)) if number == 1]
        counts = [0, 21, 42, 46, 46]
        for cut in random.Random(1).sample(range(len(data)), 150):
            path = self.file(data[:cut])
            whole = sum(end <= cut for end in ends) - 1
            self.assertEqual(
                len(self.rows("SELECT * FROM xplane_trace(?) WHERE on_error = 'skip'", path)), counts[whole]
            )
            if cut not in ends and cut < ends[-1]:
                said = self.error("SELECT count(*) FROM xplane_trace(?)", path)
                self.assertRegex(
                    said,
                    r"^xplane_trace: .*: byte \d+: expected .*(end of the file|within a field)|which begins with a plane",
                    cut,
                )

    def test_skipped_events_are_counted(self):
        good = [(1, 1), (2, 5)]
        line = [(3, 7), (4, good), (4, [(1, "x")]), (4, good), (4, [(1, "y")])]
        path = self.file(xspace.message([(1, [(3, line), (4, [(1, 1), (2, [(2, "e")])])])]))
        self.assertEqual(
            self.error("SELECT * FROM xplane_trace(?)", path),
            f"xplane_trace: {path}: byte 14: expected field 1 of an XEvent with wire type 0, found 2",
        )
        self.assertEqual(
            self.rows("SELECT name, start_ns FROM xplane_trace(?) WHERE on_error = 'skip'", path), [("e", 7), ("e", 7)]
        )
        self.assertEqual(
            self.rows("SELECT kind, severity, line, count FROM mpg_issues WHERE source = ?", path),
            [("skipped_record", "data_loss", 14, 2)],
        )

    def test_arguments(self):
        self.assertEqual(
            self.error("SELECT * FROM xplane_trace"),
            "xplane_trace: expected a path, as in xplane_trace('host.xplane.pb')",
        )
        self.assertEqual(
            self.error("SELECT * FROM xplane_planes(5)"),
            "xplane_planes: expected a path, as in xplane_planes('host.xplane.pb'), found the number 5 (.param set computes what it can: write \"'2026-11'\")",
        )
        self.assertEqual(self.rows("SELECT * FROM xplane_trace(NULL)"), [])
        self.db.execute(f"CREATE VIEW stored AS SELECT * FROM xplane_trace('{FIXTURE}')")
        self.assertEqual(self.error("SELECT * FROM stored"), 'unsafe use of virtual table "xplane_trace"')

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows("SELECT max(duration_ps), plane, name, stats FROM xplane_trace(?)", FIXTURE)[0][:3],
            (1_200_000_000, "/host:CPU", "train_step"),
        )

    def large(self, events):
        plane = xspace.Plane("/device:TPU:0")
        number = plane.event_name("%fusion.1 = bf16[8192,8192] fusion(%p)", "fusion.1", [("flops", 10**12)])
        path = self.file("", "large.xplane.pb")
        event = xspace.message([(4, [(1, number), (2, 10**9), (3, 10**6), (4, plane.stat("group_id", 3))])])
        maps = xspace.message(plane.fields())
        line = xspace.tag(3, 2) + xspace.varint(len(event) * events)
        with open(path, "wb") as file:  # piece by piece: what this takes itself is in the peak, too
            file.write(xspace.tag(1, 2) + xspace.varint(len(line) + len(event) * events + len(maps)) + line)
            for _ in range(events // 1000):
                file.write(event * 1000)
            file.write(maps)
        return path

    def test_memory_does_not_grow_with_the_plane(self):
        peaks = []
        for events in (200_000, 2_000_000):
            path = self.large(events)
            self.assertEqual(
                self.rows("SELECT count(*), sum(flops) FROM xplane_trace(?)", path), [(events, events * 10**12)]
            )
            peaks.append(peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 46 MB

    def test_interrupt(self):
        path = self.large(3_000_000)
        timer = threading.Timer(0.05, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM xplane_trace(?)", path), "interrupted")
        timer.join()


if __name__ == "__main__":
    unittest.main()
