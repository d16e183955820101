"""rocpd.py - one story of two GPUs as rocprofv3 writes it: as its database (rocpd, schema 3) and as its JSON.

`rocpd.py FOLDER` writes the committed fixtures."""

import json
import os
import sqlite3
import sys

GUID = "0000a3f1-7c52-7d10-9b1e-5d0c1f6a2b77"
PID, HOST, CHIP = 4242, "mi300-node-1", "AMD Instinct MI300X"
BOOT = 86_400_000_000_000  # the host has been up for a day
AGENTS = [
    (0, "CPU", 0, "AMD EPYC 9654"),
    (1, "GPU", 0, CHIP),
    (2, "GPU", 1, CHIP),
]  # node, type, number of its type, product
KERNELS = {
    1: "Cijk_Alik_Bljk_BBS_BH_MT256x256x64",
    2: "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
    3: "__amd_rocclr_fillBufferAligned",
}
# The categories and names of rocprofv3, in the order of their numbers.
STRINGS = [
    ("HIP_RUNTIME_API", ["hipMemcpyAsync", "hipLaunchKernel", "hipExtLaunchKernel", "hipMemsetAsync"]),
    ("MARKER_CORE_RANGE_API", ["roctxThreadRangeA"]),
    ("KERNEL_DISPATCH", ["KERNEL_DISPATCH_COMPLETE"]),
    (
        "MEMORY_COPY",
        [
            "MEMORY_COPY_HOST_TO_HOST",
            "MEMORY_COPY_HOST_TO_DEVICE",
            "MEMORY_COPY_DEVICE_TO_HOST",
            "MEMORY_COPY_DEVICE_TO_DEVICE",
        ],
    ),
]
TABLES = {
    "metadata": "tag TEXT, value TEXT",
    "string": "string TEXT",
    "info_node": "hash BIGINT, machine_id TEXT, system_name TEXT, hostname TEXT",
    "info_process": "nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT",
    "info_thread": "nid INTEGER, pid INTEGER, tid INTEGER, name TEXT",
    "info_agent": "nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, model_name TEXT, product_name TEXT",
    "info_kernel_symbol": "nid INTEGER, pid INTEGER, code_object_id INTEGER, kernel_name TEXT, display_name TEXT",
    "event": "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, extdata JSONB DEFAULT '{}'",
    "region": 'nid INTEGER, pid INTEGER, tid INTEGER, "start" BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER',
    "kernel_dispatch": 'nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, "start" BIGINT, '
    '"end" BIGINT, region_name_id INTEGER, event_id INTEGER',
    "memory_copy": 'nid INTEGER, pid INTEGER, tid INTEGER, "start" BIGINT, "end" BIGINT, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, '
    "queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER, event_id INTEGER",
}


def story():
    """(what, GPU, name or number, thread, stream, start, end, call, bytes) in nanoseconds from BOOT: two steps of 1 ms, each a copy in, two products, an all-reduce that the
    second product hides in part, and a set. Each GPU has a thread of the one process; the second is 100 us slower."""
    for gpu in (0, 1):
        thread, late = 5000 + gpu, 100_000 * gpu
        for number in (5, 6):
            at, call = 1_000_000 + 1_200_000 * (number - 5), 100 * gpu + 10 * (number - 5)
            yield "range", gpu, f"step {number}", thread, 0, at, at + 1_000_000, call + 1, None
            yield "range", gpu, "aten::linear, seq = 7, op_id = 1", thread, 0, at + 15_000, at + 28_000, call + 2, None
            yield "range", gpu, "aten::addmm, op_id = 3, sizes = [[8192], [8192, 8192]]", thread, 0, at + 18_000, at + 27_000, call + 3, None
            for i, name in enumerate(
                ("hipMemcpyAsync", "hipLaunchKernel", "hipLaunchKernel", "hipExtLaunchKernel", "hipMemsetAsync")
            ):
                yield "call", gpu, name, thread, 0, at + 10_000 * (i + 1), at + 10_000 * (
                    i + 1
                ) + 5_500, call + 4 + i, None
            yield "copy", gpu, "MEMORY_COPY_HOST_TO_DEVICE", thread, 1, at + 20_000, at + 50_000, call + 4, 1 << 20
            yield "kernel", gpu, 1, thread, 1, at + 50_000, at + 350_000 + late, call + 5, None
            yield "kernel", gpu, 1, thread, 1, at + 350_000 + late, at + 550_000 + late, call + 6, None
            yield "kernel", gpu, 2, thread, 2, at + 400_000 + late, at + 800_000, call + 7, None
            yield "kernel", gpu, 3, thread, 1, at + 810_000, at + 812_000, call + 8, None


def place(name):
    """The kind and the operation of a name."""
    return next((kind, names.index(name)) for kind, (_, names) in enumerate(STRINGS) if name in names)


def write_database(path, guid=GUID, pid=PID, host=HOST, db=None):
    """Into an open database where one is given: rocpd merges files so, with the views over all of them left to the caller."""
    out = db or sqlite3.connect(path)
    suffix = "_" + guid.replace("-", "_")
    for name, columns in TABLES.items():
        key = "" if name == "metadata" else f"guid TEXT DEFAULT '{guid}' NOT NULL, "
        out.execute(
            f'CREATE TABLE "rocpd_{name}{suffix}" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, {key}{columns})'
        )
        if db is None:
            out.execute(f'CREATE VIEW "rocpd_{name}" AS SELECT * FROM "rocpd_{name}{suffix}"')

    def add(table, **values):
        names = ", ".join(f'"{name}"' for name in values)
        return out.execute(
            f'INSERT INTO "rocpd_{table}{suffix}" ({names}) VALUES ({", ".join("?" * len(values))})',
            tuple(values.values()),
        ).lastrowid

    add("metadata", tag="schema_version", value="3")
    strings = {text: add("string", string=text) for kind, names in STRINGS for text in (kind, *names)}
    node = add("info_node", hash=1, machine_id="m", system_name="Linux", hostname=host)
    add("info_process", id=pid, nid=node, ppid=1, pid=pid, command="python3 train.py")
    for number, kind, of_type, product in AGENTS:
        add(
            "info_agent",
            id=number,
            nid=node,
            pid=pid,
            type=kind,
            absolute_index=number,
            logical_index=number,
            type_index=of_type,
            name="gfx942" if kind == "GPU" else product,
            model_name="",
            product_name=product,
        )
    for number, name in KERNELS.items():
        add("info_kernel_symbol", id=number, nid=node, pid=pid, code_object_id=1, kernel_name=name, display_name=name)
    for dispatch, (what, gpu, name, thread, stream, start, end, call, size) in enumerate(story(), 1):
        if not out.execute(f'SELECT 1 FROM "rocpd_info_thread{suffix}" WHERE id = ?', (thread,)).fetchone():
            add("info_thread", id=thread, nid=node, pid=pid, tid=thread)
        of = dict(nid=node, pid=pid, tid=thread, start=BOOT + start, end=BOOT + end)
        kind = {
            "range": "MARKER_CORE_RANGE_API",
            "call": "HIP_RUNTIME_API",
            "copy": "MEMORY_COPY",
            "kernel": "KERNEL_DISPATCH",
        }[what]
        of["event_id"] = add(
            "event",
            category_id=strings[kind],
            stack_id=call,
            parent_stack_id=0,
            correlation_id=0,
            extdata=json.dumps({"message": name}) if what == "range" else "{}",
        )
        if what in ("range", "call"):
            add("region", name_id=strings["roctxThreadRangeA" if what == "range" else name], **of)
        elif what == "copy":
            add(
                "memory_copy",
                name_id=strings[name],
                dst_agent_id=1 + gpu,
                src_agent_id=0,
                size=size,
                stream_id=stream,
                **of,
            )
        else:
            add(
                "kernel_dispatch",
                agent_id=1 + gpu,
                kernel_id=name,
                dispatch_id=dispatch,
                queue_id=stream,
                stream_id=stream,
                **of,
            )
    if db is None:
        out.commit()
        out.close()


def document():
    """What --output-format json gives: objects by handles, names by their places in lists."""
    buffers = {
        name: []
        for name in (
            "kernel_dispatch",
            "hip_api",
            "hsa_api",
            "marker_api",
            "rccl_api",
            "memory_copy",
            "memory_allocation",
        )
    }
    messages = []
    for dispatch, (what, gpu, name, thread, stream, start, end, call, size) in enumerate(story(), 1):
        kind, operation = place({"range": "roctxThreadRangeA", "kernel": "KERNEL_DISPATCH_COMPLETE"}.get(what, name))
        record = {
            "size": 64,
            "kind": kind,
            "operation": operation,
            "correlation_id": {"internal": call, "external": 0, "ancestor": 0},
            "start_timestamp": BOOT + start,
            "end_timestamp": BOOT + end,
            "thread_id": thread,
        }
        if what == "range":
            messages.append({"key": call, "value": name})
        elif what == "copy":
            record |= {
                "dst_agent_id": {"handle": 71 + gpu},
                "src_agent_id": {"handle": 70},
                "bytes": size,
                "stream_id": {"handle": stream},
            }
        elif what == "kernel":
            record |= {
                "dispatch_info": {
                    "size": 72,
                    "agent_id": {"handle": 71 + gpu},
                    "queue_id": {"handle": stream},
                    "kernel_id": name,
                    "dispatch_id": dispatch,
                },
                "stream_id": {"handle": stream},
            }
        buffers[
            {"range": "marker_api", "call": "hip_api", "copy": "memory_copy", "kernel": "kernel_dispatch"}[what]
        ].append(record)
    return {
        "rocprofiler-sdk-tool": [
            {
                "metadata": {"node": {"hostname": HOST}, "pid": PID, "command": ["python3", "train.py"]},
                "agents": [
                    {
                        "size": 312,
                        "id": {"handle": 70 + number},
                        "type": 2 if kind == "GPU" else 1,
                        "node_id": number,
                        "logical_node_id": number,
                        "logical_node_type_id": of_type,
                        "name": "gfx942" if kind == "GPU" else product,
                        "product_name": product,
                    }
                    for number, kind, of_type, product in AGENTS
                ],
                "strings": {
                    "buffer_records": [{"kind": kind, "operations": names} for kind, names in STRINGS],
                    "marker_api": messages,
                },
                "kernel_symbols": [
                    {"kernel_id": number, "kernel_name": name, "formatted_kernel_name": name}
                    for number, name in KERNELS.items()
                ],
                "buffer_records": buffers,
            }
        ]
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for file_name in (f"{PID}_results.db", f"{PID}_results.json"):
        if os.path.exists(os.path.join(folder, file_name)):
            os.remove(os.path.join(folder, file_name))
    write_database(os.path.join(folder, f"{PID}_results.db"))
    with open(os.path.join(folder, f"{PID}_results.json"), "w", encoding="utf-8") as file:
        json.dump(document(), file, indent=1)
