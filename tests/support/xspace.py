"""xspace.py - writes XSpace files (*.xplane.pb) in the wire format of Protocol Buffers, for the fixtures and the tests.

A message is a list of (field number, value): an int is a varint, a float a double, text and bytes and lists (messages)
have a length. `xspace.py FOLDER` writes the committed fixture."""

import os
import struct
import sys

DOUBLE, UINT, INT, TEXT, BYTES, REF = 2, 3, 4, 5, 6, 7  # fields of an XStat


def varint(n):
    n &= 2**64 - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def tag(number, wire):
    return varint(number << 3 | wire)


def message(fields):
    out = []
    for number, value in fields:
        if isinstance(value, float):
            out.append(tag(number, 1) + struct.pack("<d", value))
        elif isinstance(value, int):
            out.append(tag(number, 0) + varint(value))
        else:
            data = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else message(value)
            out.append(tag(number, 2) + varint(len(data)) + data)
    return b"".join(out)


class Plane:
    """Gathers lines, and gives names their numbers in the order of first use."""

    def __init__(self, name, number=0, stats=()):
        self.name, self.number, self.lines = name, number, []
        self.events, self.names = {}, {}
        self.stats = [self.stat(*s) for s in stats]

    def stat(self, name, value, kind=None):
        number = self.names.setdefault(name, len(self.names) + 1)
        if kind is None:
            kind = {
                int: INT if not isinstance(value, int) or value < 0 else UINT,
                float: DOUBLE,
                str: TEXT,
                bytes: BYTES,
            }[type(value)]
        if kind == REF:
            value = self.names.setdefault(value, len(self.names) + 1)
        return [(1, number), (kind, value)]

    def event_name(self, name, display_name="", stats=()):
        """Its number; the stats are given with its first use."""
        if name not in self.events:
            self.events[name] = len(self.events) + 1, display_name, [self.stat(*s) for s in stats]
        return self.events[name][0]

    def line(self, name, timestamp_ns, events, number=0, display_name=""):
        """events: (name number, offset_ps, duration_ps, stats)"""
        fields = [(1, number), (2, name), (3, timestamp_ns)]
        for known, offset, duration, stats in events:
            fields.append((4, [(1, known), (2, offset), (3, duration)] + [(4, self.stat(*s)) for s in stats]))
        self.lines.append(fields + [(11, display_name)] * bool(display_name))

    def fields(self):
        out = [(1, self.number)] * bool(self.number) + [(2, self.name)] + [(3, line) for line in self.lines]
        for name, (number, display, stats) in self.events.items():
            inner = [(1, number), (2, name)] + [(4, display)] * bool(display) + [(5, s) for s in stats]
            out.append((4, [(1, number), (2, inner)]))
        out += [(5, [(1, number), (2, [(1, number), (2, name)])]) for name, number in self.names.items()]
        return out + [(6, s) for s in self.stats]


START = 1_767_225_600_000_000_000  # 2026-01-01T00:00:00Z in ns
US = 10**6  # ps


def tpu(number):
    """Three steps of 1 ms on a TPU: a matmul, an all-reduce that half hides behind a second one, a copy; then it waits."""
    plane = Plane(
        f"/device:TPU:{number}",
        number,
        [
            ("peak_teraflops_per_second", 197.0),
            ("peak_hbm_bw_gigabytes_per_second", 819.0),
            ("device_type_string", "TPU v5e", REF),
        ],
    )
    ops = {
        "forward": plane.event_name(
            "%fusion.1 = bf16[8192,8192]{1,0} fusion(%p.1, %p.2), kind=kOutput",
            "fusion.1",
            [
                ("hlo_category", "convolution fusion", REF),
                ("flops", 52_000_000_000, UINT),
                ("bytes_accessed", 402_653_184, UINT),
                ("program_id", 11, UINT),
                ("tf_op", "jit(step)/dot_general", REF),
            ],
        ),
        "backward": plane.event_name(
            "%fusion.2 = bf16[8192,8192]{1,0} fusion(%p.3, %p.4), kind=kOutput",
            "fusion.2",
            [
                ("hlo_category", "convolution fusion", REF),
                ("flops", 34_000_000_000, UINT),
                ("bytes_accessed", 268_435_456, UINT),
                ("program_id", 11, UINT),
                ("tf_op", "jit(step)/transpose(dot_general)", REF),
            ],
        ),
        "done": plane.event_name(
            "%all-reduce-done.1 = bf16[8192,8192]{1,0} all-reduce-done(%all-reduce-start.1)",
            "all-reduce-done.1",
            [("hlo_category", "all-reduce", REF), ("program_id", 11, UINT)],
        ),
        "copy": plane.event_name(
            "%copy.5 = f32[1024]{0} copy(%p.5)",
            "copy.5",
            [("hlo_category", "data formatting", REF), ("bytes_accessed", 8192, UINT), ("program_id", 11, UINT)],
        ),
    }
    reduce = plane.event_name(
        "%all-reduce-start.1 = bf16[8192,8192]{1,0} all-reduce-start(%fusion.1)",
        "all-reduce-start.1",
        [("hlo_category", "all-reduce", REF), ("program_id", 11, UINT)],
    )
    module = plane.event_name("jit_step(11)")
    steps, modules, line, beside = [], [], [], []
    for step in range(3):
        at, late = step * 1_250 * US, number * 40 * US  # the second chip is slower
        group = [("group_id", step, INT)]
        steps.append((plane.event_name(str(7 + step)), at, 1_000 * US, [("step_num", 7 + step, INT)] + group))
        modules.append((module, at, 1_000 * US, [("run_id", 2**63 + 5 + step, UINT)] + group))
        line += [
            (ops["forward"], at + 10 * US, 400 * US + late, group),
            (ops["backward"], at + 410 * US + late, 250 * US, group),
            (ops["done"], at + 660 * US + late, 200 * US - late, group),
            (ops["copy"], at + 860 * US + 500, 8 * US + 250, group),
        ]
        beside.append((reduce, at + 410 * US + late, 450 * US - late, group))
    plane.line("Steps", START, steps, 1)
    plane.line("XLA Modules", START, modules, 2)
    plane.line("XLA Ops", START, line, 3)
    plane.line("Async XLA Ops", START, beside, 4)
    return plane


def fixture():
    host = Plane("/host:CPU")
    step = host.event_name("train_step")
    wait = host.event_name("ThreadpoolListener::Region")
    host.line(
        "python3",
        START - 500,
        [(step, i * 1_250 * US, 1_200 * US, [("step_num", 7 + i, INT)]) for i in range(3)],
        77,
        "main thread",
    )
    host.lines.append([(1, 78), (2, "aggregated"), (3, START), (4, [(1, wait), (5, 120), (3, 36 * US)])])
    environment = Plane(
        "Task Environment", 0, [("profile_start_time", START, UINT), ("profile_stop_time", START + 4 * 10**6, UINT)]
    )
    planes = [tpu(0), tpu(1), host, environment]
    return message([(1, plane.fields()) for plane in planes] + [(3, "1 event was dropped"), (4, "tpu-host-0")])


if __name__ == "__main__":
    with open(os.path.join(sys.argv[1], "tpu-host-0.xplane.pb"), "wb") as file:
        file.write(fixture())
