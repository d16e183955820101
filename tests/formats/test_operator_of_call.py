"""test_operator_of_call.py - the operator of a call on the device is the innermost range of its thread around it: kineto.sql, nsys.sql and rocpd.sql beside a search through all ranges.

Ranges are kept by the hundred, so there are thousands: nested, that overlap, without length, and calls directly within one that has all others behind it.
"""

import json
import random

import cases

KINETO = "trace cat name start_ns end_ns pid tid step correlation device stream context bytes bandwidth_gb_s collective group_size process_group process_group_ranks input_dims input_type concrete_inputs".split()


def ranges(draw, count, overlapping):
    """(start, end) of one thread."""
    made = []

    def fill(at, end, depth):
        while at < end and len(made) < count:
            at += draw.randrange(4)
            until = min(end, at + draw.choice([0, 1, 2, 5, 20, 200, 3000])) + draw.randrange(30) * (
                overlapping and draw.random() < 0.1
            )
            made.append((at, until))
            if depth < 5 and draw.random() < 0.5:
                fill(at, until, depth + 1)
            at = max(until, at + 1)

    while len(made) < count:
        start = draw.randrange(20_000)
        made.append((start, start + 10_000))
        fill(start, start + 10_000, 0)
    return made


def called(draw, around, count):
    """(start, end) of calls of one thread, at any time and at that of a range."""
    last = max(end for _, end in around)
    starts = [
        draw.randrange(last + 5) if draw.random() < 0.7 else draw.choice(draw.choice(around)) for _ in range(count)
    ]
    return [(start, start + draw.choice([0, 0, 1, 3, 50])) for start in starts]


class Innermost(cases.Case):
    def kineto(self, operators, calls):
        events = [
            {"cat": "cpu_op", "name": f"{start}-{end}", "tid": thread, "start_ns": start, "end_ns": end}
            for thread, start, end in operators
        ]
        for i, (thread, start, end) in enumerate(calls):
            events += [
                {
                    "cat": "cuda_runtime",
                    "name": "call",
                    "tid": thread,
                    "start_ns": start,
                    "end_ns": end,
                    "correlation": i + 1,
                },
                {
                    "cat": "kernel",
                    "name": "k",
                    "tid": 7,
                    "start_ns": start,
                    "end_ns": end,
                    "stream": 7,
                    "device": 0,
                    "correlation": i + 1,
                },
            ]
        self.db.execute("CREATE TEMP TABLE kineto_events (%s)" % ", ".join(KINETO))
        self.db.executemany(
            "INSERT INTO kineto_events VALUES (%s)" % ", ".join("?" * len(KINETO)),
            [[{"trace": "t", "pid": 1, **event}.get(column) for column in KINETO] for event in events],
        )
        self.db.execute(
            "CREATE TEMP TABLE kineto_files AS SELECT 't' AS trace, NULL AS rank, NULL AS world_size, NULL AS base_time_ns, '[]' AS devices, '{}' AS properties"
        )
        self.script("formats/kineto.sql", trace=None, chip=None, step=None, table=None)

    def nsys(self, operators, calls):
        self.db.execute("ATTACH ':memory:' AS nsys")
        self.db.executescript(
            """
            CREATE TABLE nsys.StringIds (id INTEGER PRIMARY KEY, value);
            CREATE TABLE nsys.CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid, demangledName);
            CREATE TABLE nsys.CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId);
            CREATE TABLE nsys.NVTX_EVENTS (start, "end", eventType, text, textId, globalTid);"""
        )
        self.db.executemany(
            "INSERT INTO nsys.NVTX_EVENTS VALUES (?2, ?3, 59, ?2 || '-' || ?3, NULL, (1 << 24) + ?1)", operators
        )
        self.db.executemany(
            "INSERT INTO nsys.CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?3, ?4, (1 << 24) + ?2, ?1 + 1, NULL)",
            [(i, *call) for i, call in enumerate(calls)],
        )
        self.db.executemany(
            "INSERT INTO nsys.CUPTI_ACTIVITY_KIND_KERNEL VALUES (?3, ?4, 0, 7, ?1 + 1, 1 << 24, NULL)",
            [(i, *call) for i, call in enumerate(calls)],
        )
        self.script("formats/nsys.sql", trace=None, chip=None, step=None)

    def rocpd(self, operators, calls):
        self.db.execute("ATTACH ':memory:' AS rocpd")
        self.db.executescript(
            """
            CREATE TABLE rocpd.rocpd_string (id INTEGER PRIMARY KEY, guid DEFAULT 'g', string);
            INSERT INTO rocpd.rocpd_string(id, string) VALUES (1, 'MARKER_CORE_RANGE_API'), (2, 'HIP_RUNTIME_API');
            CREATE TABLE rocpd.rocpd_event (id INTEGER PRIMARY KEY, guid DEFAULT 'g', category_id, stack_id, extdata);
            CREATE TABLE rocpd.rocpd_region (guid DEFAULT 'g', nid, pid DEFAULT 1, tid, start, "end", name_id, event_id);
            CREATE TABLE rocpd.rocpd_kernel_dispatch (guid DEFAULT 'g', nid, pid DEFAULT 1, tid, agent_id DEFAULT 1, kernel_id, queue_id, stream_id, start, "end", region_name_id, event_id);"""
        )
        ranges = [(i, *one, 1, None, json.dumps({"message": f"{one[1]}-{one[2]}"})) for i, one in enumerate(operators)]
        ranges += [(len(operators) + i, *one, 2, i + 1, None) for i, one in enumerate(calls)]
        self.db.executemany(
            "INSERT INTO rocpd.rocpd_event(id, category_id, stack_id, extdata) VALUES (?1, ?5, ?6, ?7)", ranges
        )
        self.db.executemany(
            'INSERT INTO rocpd.rocpd_region(tid, start, "end", event_id) VALUES (?2, ?3, ?4, ?1)',
            [row[:4] for row in ranges],
        )
        self.db.executemany(
            'INSERT INTO rocpd.rocpd_kernel_dispatch(tid, start, "end", event_id, queue_id) VALUES (?2, ?3, ?4, ?1, ?1)',
            [row[:4] for row in ranges if row[5]],
        )
        self.script("formats/rocpd.sql", trace=None, json=None, chip=None, step=None)

    def agrees(self, read):
        found = 0
        for seed, count in enumerate((3, 700, 700, 3000, 3000)):
            draw = random.Random(seed)
            threads = {thread: ranges(draw, count, seed % 2) for thread in range(1 + 2 * (seed > 2))}
            operators = [(thread, *one) for thread, around in threads.items() for one in around]
            calls = [(thread, *one) for thread, around in threads.items() for one in called(draw, around, 200)]
            draw.shuffle(operators)
            self.db.close()
            self.setUp()
            self.script("device.sql")
            read(operators, calls)
            inside = [
                max(((start, -end) for start, end in threads[thread] if start <= at and end >= until), default=None)
                for thread, at, until in calls
            ]
            self.assertEqual(
                [None if one is None else (f"{one[0]}-{-one[1]}", one[0]) for one in inside],
                [
                    None if op is None else (op, at)
                    for op, at in self.rows("SELECT op, op_ns FROM device_activity ORDER BY correlation")
                ],
                seed,
            )
            found += sum(one is not None for one in inside)
        self.assertGreater(found, 1000)

    def test_kineto(self):
        self.agrees(self.kineto)

    def test_nsys(self):
        self.agrees(self.nsys)

    def test_rocpd(self):
        self.agrees(self.rocpd)
