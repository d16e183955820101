"""chrome.py - fixtures of Chrome traces, recorded ones, and what the tables must say of a trace by Python's json and decimal arithmetic."""

import decimal
import glob
import gzip
import json
import os

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures", "profile")
RANKS = [os.path.join(FIXTURES, f"rank{rank}.json") for rank in (0, 1)]
TPU = os.path.join(FIXTURES, "tpu.trace.json")
SHARED = os.path.join(ROOT, "..", "shared", "traces")
MEMBERS = "ph name cat ts dur pid tid id s bp".split()
# Columns of args: name, how args spell it. XProf quotes numbers.
TEXTS = {
    "grid": "grid",
    "block": "block",
    "input_dims": "Input Dims",
    "input_type": "Input type",
    "input_strides": "Input Strides",
    "concrete_inputs": "Concrete Inputs",
    "collective": "Collective name",
    "dtype": "dtype",
    "process_group": "Process Group Name",
    "process_group_ranks": "Process Group Ranks",
    "hlo_category": "hlo_category",
    "hlo_op": "hlo_op",
    "hlo_module": "hlo_module",
    "tf_op": "tf_op",
    "run_id": "run_id",
}
NUMBERS = {
    "correlation": "correlation",
    "device": "device",
    "context": "context",
    "stream": "stream",
    "queued": "queued",
    "shared_memory": "shared memory",
    "registers_per_thread": "registers per thread",
    "blocks_per_sm": "blocks per SM",
    "warps_per_sm": "warps per SM",
    "occupancy_percent": "est. achieved occupancy %",
    "bandwidth_gb_s": "memory bandwidth (GB/s)",
    "sequence_number": "Sequence number",
    "fwd_thread_id": "Fwd thread id",
    "python_id": "Python id",
    "python_parent_id": "Python parent id",
    "in_nelems": "In msg nelems",
    "out_nelems": "Out msg nelems",
    "group_size": "Group size",
    "flops": "flops",
    "model_flops": "model_flops",
    "bytes_accessed": "bytes_accessed",
    "raw_bytes_accessed": "raw_bytes_accessed",
    "group_id": "group_id",
    "device_offset_ps": "device_offset_ps",
    "device_duration_ps": "device_duration_ps",
}
NAMES = {"process_name": "name", "process_labels": "labels", "thread_name": "name"}


def read_plain(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return json.load(file, parse_float=decimal.Decimal)


def plain(value):
    return float(value) if isinstance(value, decimal.Decimal) else value


def nanoseconds(value):
    if not isinstance(value, (int, decimal.Decimal)):
        return None
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def number(value):
    try:
        return float(value) if isinstance(value, str) else plain(value)
    except ValueError:
        return value  # ROCm's streams: "0x0"


def real_traces():
    return [
        path
        for pattern in ("kineto/**/*.gz", "kineto/**/*.json", "tracelens/*.gz")
        for path in sorted(glob.glob(os.path.join(SHARED, pattern), recursive=True))
        if "_et.json" not in path and "memory_timeline" not in path
    ]


decimal.getcontext().prec = 400


class Case(cases.Case):
    FILE = "trace.json"

    def check_trace(self, path):
        """Every column of every event, as Python reads the file."""
        trace = read_plain(path)
        events = [event for event in (trace if isinstance(trace, list) else trace["traceEvents"]) if event]
        names = {}
        for event in events:
            if event.get("ph") == "M" and event["name"] in NAMES:
                thread = event.get("tid") if event["name"] == "thread_name" else None
                names[event["name"], event["pid"], thread] = event["args"][NAMES[event["name"]]]
        columns = (
            MEMBERS
            + list(TEXTS)
            + list(NUMBERS)
            + list(NAMES)
            + ["start_ns", "dur_ns", "end_ns", "rank", "step", "args", "event"]
        )
        rank = trace.get("distributedInfo", {}).get("rank") if isinstance(trace, dict) else None
        count = 0
        for row, event in zip(self.db.execute(f"SELECT {', '.join(columns)} FROM chrome_trace(?)", (path,)), events):
            found = dict(zip(columns, row))
            args = event.get("args", {})
            count += 1
            for name in MEMBERS:
                self.assertEqual(found[name], plain(event.get(name)), (path, event, name))
            for name, key in TEXTS.items():
                value = args.get(key)
                self.assertEqual(
                    json.loads(found[name], parse_float=decimal.Decimal) if isinstance(value, list) else found[name],
                    value,
                )
            for name, key in NUMBERS.items():
                self.assertEqual(found[name], number(args.get(key)), (path, event, name))
            for name in NAMES:
                thread = event.get("tid") if name == "thread_name" else None
                self.assertEqual(found[name], names.get((name, event.get("pid"), thread)))
            start, dur = nanoseconds(event.get("ts")), nanoseconds(event.get("dur"))
            self.assertEqual((found["start_ns"], found["dur_ns"]), (start, dur))
            self.assertEqual(found["end_ns"], None if start is None or dur is None else start + dur)
            self.assertEqual(found["rank"], rank)
            step = event.get("name", "").removeprefix("ProfilerStep#")
            self.assertEqual(found["step"], step if step != event.get("name", "") else args.get("step_num"))
            self.assertEqual(json.loads(found["event"], parse_float=decimal.Decimal), event)
            self.assertEqual(
                None if found["args"] is None else json.loads(found["args"], parse_float=decimal.Decimal),
                event.get("args"),
            )
        self.assertEqual(count, len(events))
        return count

    def check_info(self, path):
        trace = read_plain(path)
        rest = {} if isinstance(trace, list) else {key: value for key, value in trace.items() if key != "traceEvents"}
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        distributed = rest.get("distributedInfo", {})
        row = self.rows(
            "SELECT events, rank, world_size, base_time_ns, devices, distributed, properties FROM chrome_trace_info(?)",
            path,
        )[0]
        self.assertEqual(
            row[:4],
            (
                sum(bool(event) and event.get("ph") != "M" for event in events),
                distributed.get("rank"),
                distributed.get("world_size"),
                rest.get("baseTimeNanoseconds"),
            ),
        )
        for text, wanted in zip(row[4:], (rest.get("deviceProperties"), rest.get("distributedInfo"), rest or None)):
            self.assertEqual(None if text is None else json.loads(text, parse_float=decimal.Decimal), wanted)
