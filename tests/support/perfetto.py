"""perfetto.py - writes traces of Perfetto packet by packet, and reads them with a decoder of its own: the fixture, and what the tests compare with.

`perfetto.py FOLDER` writes the committed fixture: the story of rocpd.py as `rocprofv3 --output-format pftrace` writes it.
"""

import json
import os
import struct
import sys

import rocpd
from xspace import tag, varint

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
REAL = 1_767_225_600_000_000_000  # what REALTIME showed at rocpd.BOOT
CATEGORY, NAME, ANNOTATION = 1, 2, 3


class Fixed64(int):
    """A field of 8 bytes; an int of Python is a varint."""


def fields(values):
    out = []
    for number, value in values:
        if isinstance(value, Fixed64):
            out.append(tag(number, 1) + struct.pack("<Q", value & 2**64 - 1))
        elif isinstance(value, float):
            out.append(tag(number, 1) + struct.pack("<d", value))
        elif isinstance(value, int):
            out.append(tag(number, 0) + varint(value))
        else:
            data = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else fields(value)
            out.append(tag(number, 2) + varint(len(data)) + data)
    return b"".join(out)


def packet(*values):
    return fields([(1, list(values))])


def snapshot(**clocks):
    """{"c6": nanoseconds} as clocks of a ClockSnapshot."""
    return (6, [(1, [(1, int(name[1:])), (2, at)]) for name, at in clocks.items()])


def annotation(name_field, value):
    kind = {bool: 2, float: 5, str: 6}.get(type(value), 3 if isinstance(value, int) and value >= 0 else 4)
    if isinstance(value, dict):
        return [name_field] + [(11, annotation((10, key), v)) for key, v in value.items()]
    if isinstance(value, list):
        return [name_field] + [(12, annotation((10, ""), v)) for v in value]
    return [name_field, (kind, int(value) if isinstance(value, bool) else value)]


class Sequence:
    """One writer: it numbers names at their first use, and counts time from event to event where it can, as Perfetto's library does."""

    def __init__(self, number, start, unit=1):
        self.number, self.unit, self.last, self.names, self.fresh = number, unit, start, {}, []
        self.out = [
            packet(
                (10, number),
                (13, 1),
                (59, [(58, 64)]),
                (6, [(1, [(1, 6), (2, start)]), (1, [(1, 64), (2, start // unit), (3, 1), (4, unit)])]),
            )
        ]

    def numbered(self, kind, text):
        key = kind, text
        if key not in self.names:
            self.names[key] = len([k for k in self.names if k[0] == kind]) + 1
            self.fresh.append((kind, [(1, self.names[key]), (2, text)]))
        return self.names[key]

    def track(self, uuid, name=None, parent=None, process=None, thread=None):
        self.out.append(
            packet(
                (10, self.number),
                (
                    60,
                    [(1, uuid)]
                    + [(2, name)] * (name is not None)
                    + [(5, parent)] * (parent is not None)
                    + [(3, process)] * (process is not None)
                    + [(4, thread)] * (thread is not None),
                ),
            )
        )

    def event(self, kind, at, track, name=None, category=None, args=None, flow=None, value=None):
        event = [(9, kind), (11, track)]
        event += [(10, self.numbered(NAME, text)) for text in [name] if text] + [
            (3, self.numbered(CATEGORY, text)) for text in [category] if text
        ]
        event += [(4, annotation((1, self.numbered(ANNOTATION, key)), v)) for key, v in (args or {}).items()]
        event += [(47, Fixed64(flow or 0))] * (flow is not None) + [(44 if isinstance(value, float) else 30, value)] * (
            value is not None
        )
        time = [(8, (at - self.last) // self.unit)] if at >= self.last else [(8, at), (58, 6)]
        self.last = max(at, self.last)
        fresh, self.fresh = self.fresh, []
        self.out.append(packet(*time, (10, self.number), (13, 2), *[(12, fresh)] * bool(fresh), (11, event)))

    def slice(self, start, end, *rest, **more):
        """Both at once, as a writer does that knows the end."""
        self.event(BEGIN, start, *rest, **more)
        self.event(END, end, rest[0])


def fixture():
    s = Sequence(2, rocpd.BOOT)
    first = (
        packet((89, [(1, 1), (2, 2)]))
        + packet(snapshot(c6=rocpd.BOOT, c1=REAL, c3=rocpd.BOOT - 5000))
        + packet((33, [(1, [(1, 1024)])]))
    )
    s.track(10, process=[(1, rocpd.PID), (6, "python3")])
    threads, streams = {}, {}
    for what, gpu, name, thread, stream, start, end, call, size in rocpd.story():
        if thread not in threads:
            threads[thread] = 100 + thread
            s.track(threads[thread], f"THREAD {gpu} ({thread})", 10, thread=[(1, rocpd.PID), (2, thread)])
        if what in ("copy", "kernel") and (gpu, stream) not in streams:
            streams[gpu, stream] = 2**63 + 10 * gpu + stream
            s.track(streams[gpu, stream], f"COMPUTE GPU [{gpu}] QUEUE [{stream}] GPU", 10)
        args = {
            "begin_ns": rocpd.BOOT + start,
            "end_ns": rocpd.BOOT + end,
            "delta_ns": end - start,
            "corr_id": call,
            "tid": thread,
        }
        if what == "kernel":
            args |= {"agent": f"GPU-{gpu}", "queue": stream, "stream_ID": stream}
        elif what == "copy":
            args |= {"src_agent": "CPU-0", "dst_agent": f"GPU-{gpu}", "copy_bytes": size, "stream_ID": stream}
        s.slice(
            rocpd.BOOT + start,
            rocpd.BOOT + end,
            threads[thread] if what in ("range", "call") else streams[gpu, stream],
            rocpd.KERNELS.get(name, name),
            {"range": "marker_api", "call": "hip_api", "copy": "memory_copy", "kernel": "kernel_dispatch"}[what],
            args,
            flow=call,
        )
    s.event(COUNTER, rocpd.BOOT + 4_000_000, 7, value=2.5)
    s.event(
        INSTANT,
        rocpd.BOOT + 4_100_000,
        threads[5000],
        "done",
        "marker_api",
        {"note": {"why": ["end", 1, -2, 0.5, True]}},
    )
    return first + b"".join(s.out)


# ---- The other reader ----


def parse(data):
    """[(number, value)] of a message: ints of varints, bytes of all else."""
    out, at = [], 0

    def number():
        nonlocal at
        shift = value = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            out.append((key >> 3, number()))
            continue
        size = {1: 8, 5: 4}.get(key & 7) or number()
        out.append((key >> 3, data[at : at + size]))
        at += size
    return out


def signed(n, bits=64):
    return n - (1 << bits) if n >= 1 << bits - 1 else n


def json_of(message, names):
    """The value of a DebugAnnotation."""
    values = dict(parse(message))
    if 11 in values:
        return {name_of(m, names): json_of(m, names) for n, m in parse(message) if n == 11}
    if 12 in values:
        return [json_of(m, names) for n, m in parse(message) if n == 12]
    for number, read in (
        (2, bool),
        (3, int),
        (4, signed),
        (5, lambda b: struct.unpack("<d", b)[0]),
        (6, bytes.decode),
        (7, int),
    ):
        if number in values:
            return read(values[number])
    return None


def name_of(message, names):
    values = dict(parse(message))
    return values[10].decode() if 10 in values else names.get((ANNOTATION, values.get(1)))


def slices(data):
    """(name, category, start, end, track, args) of slices whose begins and ends stand in order, of a trace with clocks as Sequence writes them."""
    last, names, open_on, found = {}, {}, {}, []
    for number, content in parse(data):
        values = dict(parse(content))
        sequence = values.get(10, 0)
        if 6 in values:
            for _, clock in parse(values[6]):
                clock = dict(parse(clock))
                if clock.get(3):
                    last[sequence] = clock[2] * clock[4], clock[4]
        for kind, message in parse(values.get(12, b"")):
            message = dict(parse(message))
            names.setdefault(sequence, {})[kind, message[1]] = message[2].decode()
        if 11 not in values:
            continue
        known = names.setdefault(sequence, {})
        at = values[8]
        if 58 not in values:
            at = last[sequence][0] + at * last[sequence][1]
            last[sequence] = at, last[sequence][1]
        event = parse(values[11])
        single = dict(event)
        if single[9] == BEGIN:
            args = {name_of(m, known): json_of(m, known) for n, m in event if n == 4}
            open_on.setdefault(single[11], []).append(
                (known.get((NAME, single.get(10))), known.get((CATEGORY, single.get(3))), at, args)
            )
        elif single[9] == END:
            name, category, start, args = open_on[single[11]].pop()
            found.append(
                (
                    name,
                    category,
                    start,
                    at,
                    signed(single[11]),
                    json.dumps(args, separators=(",", ":"), ensure_ascii=False) if args else None,
                )
            )
    return found


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    with open(os.path.join(sys.argv[1], f"{rocpd.PID}_results.pftrace"), "wb") as file:
        file.write(fixture())
