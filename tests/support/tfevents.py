"""tfevents.py - writes and reads TensorBoard's event files, byte by byte and bit by bit: the fixtures, and what the tests compare with.

`tfevents.py FOLDER` writes the committed fixture."""

import os
import struct
import sys

from xspace import message, tag, varint


class Float(float):
    """A field of 4 bytes; a float of Python is one of 8."""


def fields(values):
    """xspace's message, which knows no 4 bytes."""
    return b"".join(
        (
            tag(number, 5) + struct.pack("<f", value)
            if isinstance(value, Float)
            else (
                tag(number, 2) + varint(len(inner := fields(value))) + inner
                if isinstance(value, list)
                else message([(number, value)])
            )
        )
        for number, value in values
    )


def masked_crc(data):
    """CRC-32C as the polynomial has it, a bit at a time, and TensorFlow's mask."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def event(time, step=0, *rest):
    """rest: fields of an Event, (number, value)"""
    return record(fields([(1, float(time))] + ([(2, step)] if step else []) + list(rest)))


def begin(time, version="brain.Event:2"):
    return event(time, 0, (3, version))


def metadata(plugin):
    return (9, [(1, [(1, plugin)])])


def simple(name, value, plugin=None):
    return [(1, name), (2, Float(value))] + [metadata(plugin)] * bool(plugin)


def tensor(name, dtype, *values, shape=(), plugin=None):
    """values: fields of a TensorProto"""
    dims = [(2, [(2, [(1, size)]) for size in shape])]
    return [(1, name), (8, [(1, dtype)] + dims + list(values))] + [metadata(plugin)] * bool(plugin)


def summary(time, step, *values):
    return event(time, step, (5, [(1, value) for value in values]))


def steps(start, first, last, seconds, plugin):
    """MaxText's scalars: simple values and tensors by turns."""
    for i, step in enumerate(range(first, last + 1)):
        time = start + seconds * (i + 1)
        values = (
            ("learning/loss", 10 - step / 4),
            ("perf/per_device_tflops_per_sec", 110.0 + step),
            ("perf/step_time_seconds", seconds),
        )
        new = plugin if i == 0 else None  # writers say a tag's plugin once
        if step % 2:
            yield summary(time, step, *(simple(name, value, new) for name, value in values))
        else:
            yield summary(
                time, step, *(tensor(name, 1, (4, struct.pack("<f", value)), plugin=new) for name, value in values)
            )


START = 1_772_442_000  # 2026-03-02T09:00:00Z


def fixture():
    """A run of ten steps that breaks off after the sixth, and goes on from the fourth; and a text, a histogram and a graph beside."""
    first = [
        begin(START),
        event(START + 1, 0, (4, b"\x0a\x04node")),
        summary(START + 2, 0, tensor("config/text_summary", 7, (8, "steps: 10"), plugin="text")),
    ]
    first += steps(START + 30, 1, 6, 4.0, "scalars")
    second = [begin(START + 120)] + list(steps(START + 140, 5, 10, 4.0, "scalars"))
    second += [summary(START + 170, 10, [(1, "weights"), (5, [(1, -1.0), (2, 1.0), (3, 8.0)])])]
    return {
        f"events.out.tfevents.{START}.host-0.41.0.v2": b"".join(first),
        f"events.out.tfevents.{START + 120}.host-0.52.0.v2": b"".join(second),
    }


if __name__ == "__main__":
    folder = os.path.join(sys.argv[1], "run-7")
    os.makedirs(folder, exist_ok=True)
    for file_name, content in fixture().items():
        with open(os.path.join(folder, file_name), "wb") as file:
            file.write(content)
