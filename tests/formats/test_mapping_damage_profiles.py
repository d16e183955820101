"""Valid profiles of every format, damaged at the level of rows, messages and events: what devices did is as in the undamaged profile, or
mpg_issues has a row that the undamaged one has not, or a higher count. See damage_case.py."""

import collections
import unittest

import damage_case
from damage_case import Trace, ledger
from damages import Tree
from damages_binary import Database, Frames, Messages


def activity(db, path, on_error):
    """What devices did by class, the steps of the program, and the work of operators; the figures of all questions come from these."""
    figures = collections.Counter()
    for what, sql in {
        "did": "SELECT device, class, kind, count(*), sum(end_ns - start_ns), sum(bytes), sum(flops) FROM trace_device_activity(?) WHERE on_error = ? GROUP BY 1, 2, 3",
        "step": "SELECT side, step, count(*), sum(end_ns - start_ns) FROM trace_device_steps(?) WHERE on_error = ? GROUP BY 1, 2",
        "operator": "SELECT op, count(*), sum(flops), sum(device_ns) FROM trace_device_operators(?) WHERE on_error = ? GROUP BY 1",
    }.items():
        for row in db.execute(sql, (path, on_error)):
            figures[(what, *row)] += 1
    return figures


CHROME = dict(
    times={"ts": 10**6},
    words=[
        ('"cat": ?"kernel"', '"cat": "npu_kernel"'),
        ('"cat": ?"gpu_memcpy"', '"cat": "dma"'),
        ('"device": ?0', '"device": "xpu:0"'),
        ('"ph": ?"X"', '"ph": "Q"'),
    ],
)
XSPACE = {1: {3: {4: {4: {}}}, 4: {2: {5: {}}}, 5: {2: {}}, 6: {}}}
XSPACE_TIMES = {(1, 3, 3): 10**9, (1, 3, 4, 2): 10**12}
PACKETS = {1: {6: {1: {}}, 11: {4: {}}, 12: {}, 60: {3: {}, 4: {}}}}
PACKETS_TIMES = {(1, 8): 10**9}
EVENTS = {1: {5: {1: {}}}}
EVENTS_TIMES = {(1, 1): 1}
TRACES = {
    "kineto": Trace(["profile/rank0.json"], Tree(("traceEvents",)), activity, **CHROME),
    "kineto_ranks": Trace(
        ["profile/rank0.json", "profile/rank1.json"],
        Tree(("traceEvents",)),
        activity,
        damage=["profile/rank1.json"],
        **CHROME
    ),
    "xprof": Trace(
        ["profile/tpu.trace.json"],
        Tree(("traceEvents",)),
        activity,
        times={"ts": 10**6},
        words=[("XLA Ops", "XLB Ops"), ("/device:TPU", "/device:XPU")],
    ),
    "nsys": Database(
        "nsys/two-gpus.sqlite",
        activity,
        "^(?!META|StringIds)",
        words=[("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind", 99), ("TARGET_INFO_GPU", "name", "Frob 1000")],
    ),
    "nsys_names": Database("nsys/two-gpus.sqlite", activity, "^StringIds"),
    "rocpd": Database(
        "rocpd/4242_results.db",
        activity,
        "^rocpd_(?!metadata|string)",
        words=[("rocpd_info_agent_0000a3f1_7c52_7d10_9b1e_5d0c1f6a2b77", "type", "NPU")],
    ),
    "rocpd_names": Database("rocpd/4242_results.db", activity, "^rocpd_string"),
    "ascend": Database(
        "ascend/ascend_pytorch_profiler_11.db",
        activity,
        "^(?!META|STRING_IDS|sqlite)",
        times=("startNs", "endNs"),
        pairs=(("startNs", "endNs"),),
    ),
    "ascend_names": Database("ascend/ascend_pytorch_profiler_11.db", activity, "^STRING_IDS"),
    "xplane": Messages("xplane/tpu-host-0.xplane.pb", activity, XSPACE, XSPACE_TIMES),
    "perfetto": Messages("perfetto/4242_results.pftrace", activity, PACKETS, PACKETS_TIMES),
    "tfevents": Frames("tfevents/run-7/events.out.tfevents.1772442000.host-0.41.0.v2", ledger, EVENTS, EVENTS_TIMES),
}

# What no reader can see: the damaged profile is a valid one of another run. (format, kind, field): why.
NOT_NUMBERED = "events are not numbered: the profile is that of a run without it"
CALLED = "devices are called as the profile calls them"
AUTHORS = "kernels and ranges are called as their authors call them, and classed by that"
NEWER = "a field that is not known is one of a later version, by the rules of Protocol Buffers"
INVISIBLE = {(name, "record_lost", "*"): NOT_NUMBERED for name in TRACES if name != "ascend"} | {
    ("ascend", "record_lost", "[!M]*"): NOT_NUMBERED,  # a copy without its MEMCPY_INFO is seen
    ("kineto", "foreign_word", '"device": "xpu:0"'): CALLED,
    ("kineto_ranks", "foreign_word", '"device": "xpu:0"'): CALLED,
    ("kineto", "unknown_word", "name"): AUTHORS,
    ("kineto_ranks", "unknown_word", "name"): AUTHORS,
    ("kineto_ranks", "negated", "tid"): "threads have the numbers that they have",
    (
        "kineto",
        "field_lost",
        "args.Input Dims*",
    ): "an operator whose shapes make no sense has no price, and trace_device_priced shows the share",
    (
        "kineto_ranks",
        "field_lost",
        "args.Input Dims*",
    ): "an operator whose shapes make no sense has no price, and trace_device_priced shows the share",
    (
        "kineto",
        "negated",
        "args.Input Dims*",
    ): "an operator whose shapes make no sense has no price, and trace_device_priced shows the share",
    (
        "kineto_ranks",
        "negated",
        "args.Input Dims*",
    ): "an operator whose shapes make no sense has no price, and trace_device_priced shows the share",
    ("xprof", "foreign_word", "/device:XPU"): CALLED,
    ("xprof", "negated", "tid"): "a line of another number is another line",
    ("xprof", "field_lost", "name"): "a line that nothing names is none of steps",
    ("xprof", "field_lost", "ph"): "an event without a phase is no metadata: it names no line",
    ("nsys", "text_for_number", "deviceId"): CALLED,
    ("nsys_names", "unknown_word", "value"): AUTHORS,
    ("rocpd", "text_for_number", "type_index"): CALLED,
    ("rocpd_names", "unknown_word", "string"): AUTHORS,
    ("ascend", "negated", "deviceId"): CALLED,
    ("ascend", "text_for_number", "deviceId"): CALLED,
    ("xplane", "mark_lost", "*"): NEWER,
    ("xplane", "field_lost", "1/5/2/2"): "a stat that nothing names may be any",
    ("tfevents", "mark_lost", "*"): NEWER,
    ("tfevents", "unknown_word", "1/5/1/1"): "any tag is somebody's",
    ("perfetto", "mark_lost", "*"): NEWER,
    ("perfetto", "negated", "1/60/4/1"): "a thread of another process marks steps of its own",
}


class Damaged(damage_case.Damaged):
    traces = TRACES
    invisible = INVISIBLE


if __name__ == "__main__":
    unittest.main()
