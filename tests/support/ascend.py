"""ascend.py - one story of an NPU as Ascend's PyTorch profiler writes it into its database.

`ascend.py FOLDER` writes the committed fixture."""

import os
import sqlite3
import sys

PID, HOST, CHIP, DEVICE, RANK = 7001, "atlas-1", "Ascend910B3", 3, 11
NOWHERE = 4294967295
AT = 1_772_440_000_000_000_000
NAME = "ascend_pytorch_profiler_11.db"
PYTHON, QUEUE = 7001, 7044  # threads
TABLES = {
    "STRING_IDS": "id INTEGER PRIMARY KEY, value TEXT",
    "TASK": "startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, "
    "streamId INTEGER, taskId INTEGER, modelId INTEGER",
    "COMPUTE_TASK_INFO": "name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, taskType INTEGER, opType INTEGER, inputShapes INTEGER",
    "COMMUNICATION_TASK_INFO": "name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER, groupName INTEGER, size INTEGER, opId INTEGER",
    "COMMUNICATION_OP": "opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER, opId INTEGER PRIMARY KEY, count NUMERIC, opType INTEGER",
    "MEMCPY_INFO": "globalTaskId INTEGER, size INTEGER, memcpyOperation INTEGER",
    "ENUM_MEMCPY_OPERATION": "id INTEGER PRIMARY KEY, name TEXT",
    "CANN_API": "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER",
    "PYTORCH_API": "startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER, type INTEGER",
    "CONNECTION_IDS": "id INTEGER, connectionId INTEGER",
    "MSTX_EVENTS": "startNs INTEGER, endNs INTEGER, eventType INTEGER, message INTEGER, globalTid INTEGER",
    "STEP_TIME": "id INTEGER, startNs INTEGER, endNs INTEGER",
    "NPU_INFO": "id INTEGER, name TEXT",
    "RANK_DEVICE_MAP": "rankId INTEGER, deviceId INTEGER",
    "HOST_INFO": "hostUid TEXT, hostName TEXT",
    "META_DATA": "name TEXT, value TEXT",
}
# What is launched in a step: (operator, outer operator, call, kind, name, stream, start, end) from the step's begin.
LAUNCHED = [
    ("aten::copy_", None, "aclrtMemcpyAsync", "copy", "host to device", 2, 30_000, 70_000),
    ("aten::mm", "aten::linear", "aclnnMatmul", "AI_CORE", "MatMulV3", 2, 70_000, 300_000),
    ("aten::add", None, "aclnnAdd", "AI_VECTOR_CORE", "MatMulAllReduceAdd", 2, 300_000, 520_000),
    ("c10d::allreduce_", None, "HcclAllReduce", "collective", "hcom_allReduce__321_0_1", 8, 400_000, 800_000),
    ("aten::mul", None, "aclnnMul", "AI_VECTOR_CORE", "Mul", 2, 810_000, 850_000),
]


def story():
    """(step, its begin, number of the launch, what) of two steps of 1 ms, 200 us apart. The call is on the thread of the task queue, the last one of a step after its end."""
    for step in (4, 5):
        at = AT + 1_200_000 * (step - 4)
        for number, what in enumerate(LAUNCHED):
            called = at + (1_000_500 if number == 4 else 20_000 + 5_000 * number)
            yield step, at, 100 * step + number, called, what


def write_database(path, without=()):
    out = sqlite3.connect(path)
    for name, columns in TABLES.items():
        if name not in without:
            out.execute(f"CREATE TABLE {name} ({columns})")
    strings = {}

    def text(value):
        if value not in strings:
            strings[value] = len(strings)
            out.execute("INSERT INTO STRING_IDS VALUES (?, ?)", (strings[value], value))
        return strings[value]

    def add(table, **values):
        if table not in without:
            out.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                tuple(values.values()),
            )

    def task(number, kind, start, end, stream, connection):
        add(
            "TASK",
            startNs=start,
            endNs=end,
            deviceId=DEVICE,
            connectionId=connection,
            globalTaskId=number,
            globalPid=PID,
            taskType=text(kind),
            contextId=NOWHERE,
            streamId=stream,
            taskId=number % 65536,
            modelId=NOWHERE,
        )

    for number, name in enumerate(("host to host", "host to device", "device to host", "device to device")):
        add("ENUM_MEMCPY_OPERATION", id=number, name=name)
    add("NPU_INFO", id=DEVICE, name=CHIP)
    add("RANK_DEVICE_MAP", rankId=RANK, deviceId=DEVICE)
    add("HOST_INFO", hostUid="1", hostName=HOST)
    add(
        "META_DATA",
        name="parallel_group_info",
        value='{"group_name_7": {"group_name": "dp", "group_rank": 3, "global_ranks": [3, 7, 11, 15]}}',
    )
    for step, at, number, called, (op, outer, call, kind, name, stream, start, end) in story():
        if number % 100 == 0:
            add("STEP_TIME", id=step, startNs=at, endNs=at + 1_000_000)
            add(
                "MSTX_EVENTS",
                startNs=at + 1,
                endNs=at + 900_000,
                eventType=2,
                message=text(f"batch {step + 3}"),
                globalTid=PID << 32 | PYTHON,
            )
            add(
                "MSTX_EVENTS",
                startNs=at + 7,
                endNs=at + 7,
                eventType=3,
                message=text("mark"),
                globalTid=PID << 32 | PYTHON,
            )
            task(9000 + step, "EVENT_RECORD", at + 5, at + 6, 2, NOWHERE)
            task(9100 + step, "EVENT_WAIT", at + 800_000, at + 810_000, 2, NOWHERE)
        connection = 500 + number
        # An operator has its connections by a number of its own; an outer one may have those of what it calls.
        for nth, caller in enumerate(filter(None, (outer, op))):
            of = 10 * number + nth
            add("CONNECTION_IDS", id=of, connectionId=connection)
            add(
                "PYTORCH_API",
                startNs=str(at + 1000 * (number % 100 + 1) + nth),
                endNs=str(at + 1000 * (number % 100 + 1) + 900 - nth),
                globalTid=PID << 32 | PYTHON,
                connectionId=of,
                name=text(caller),
                sequenceNumber=1,
                type=50001,
            )
        add("CONNECTION_IDS", id=10 * number + 5, connectionId=connection)
        add(
            "PYTORCH_API",
            startNs=str(called - 50),
            endNs=str(called + 900),
            globalTid=PID << 32 | QUEUE,
            connectionId=10 * number + 5,
            name=text("Dequeue@" + call),
            type=50002,
        )
        add(
            "CANN_API",
            startNs=called,
            endNs=called + 800,
            type=10000,
            globalTid=PID << 32 | QUEUE,
            connectionId=connection,
            name=text(call),
        )
        add(
            "CANN_API",
            startNs=called + 100,
            endNs=called + 700,
            type=5000,
            globalTid=PID << 32 | QUEUE,
            connectionId=connection,
            name=text("rtKernelLaunch"),
        )
        if kind == "copy":
            task(number, "MEMCPY_ASYNC", at + start, at + end, stream, connection)
            add("MEMCPY_INFO", globalTaskId=number, size=1 << 20, memcpyOperation=1)
        elif kind == "collective":
            add(
                "COMMUNICATION_OP",
                opName=text(name),
                startNs=at + start,
                endNs=at + end,
                connectionId=connection,
                groupName=text("group_name_7"),
                opId=number,
                count=4096,
                opType=text("hcom_allReduce_"),
            )
            for part, (part_kind, begin, last) in enumerate(
                (("NOTIFY_WAIT", 400_000, 600_000), ("SDMA", 600_000, 700_000), ("NOTIFY_RECORD", 790_000, 800_000))
            ):
                task(20_000 + 10 * number + part, part_kind, at + begin, at + last, stream + part % 2, connection)
                add(
                    "COMMUNICATION_TASK_INFO",
                    name=text(name),
                    globalTaskId=20_000 + 10 * number + part,
                    taskType=text(part_kind),
                    planeId=part,
                    groupName=text("group_name_7"),
                    size=4096,
                    opId=number,
                )
        else:
            task(
                number,
                "KERNEL_AICORE" if kind == "AI_CORE" else "KERNEL_AIVEC",
                at + start,
                at + end,
                stream,
                connection,
            )
            add(
                "COMPUTE_TASK_INFO",
                name=text(name),
                globalTaskId=number,
                blockDim=24,
                taskType=text(kind),
                opType=text(name.rstrip("V3")),
                inputShapes=text("8192,8192"),
            )
    out.commit()
    out.close()


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(os.path.join(folder, NAME)):
        os.remove(os.path.join(folder, NAME))
    write_database(os.path.join(folder, NAME))
