"""Activities of a device whose time cannot be, in the profiles of every tool: 0 where the clock was lost, long before or after all others. They are left out and listed, with and without records of the host."""

import contextlib
import os
import shutil
import sqlite3
import unittest

import perfetto
import rocpd
import xspace
from cases import Case
from fleets import ROOT

SECOND, HOUR, DAY = 10**9, 3600 * 10**9, 86400 * 10**9
BOOT = 30 * DAY  # when the profile began, on the clock of the trace
FOUR = [(BOOT + 100000 * i, BOOT + 100000 * i + 50000) for i in range(1, 5)]
# What becomes of the last of the four, and whether that is impossible beside records of the host alone.
LOST = {
    "at 0": lambda start, end: (0, 0),
    "start at 0": lambda start, end: (0, end),
    "near 0": lambda start, end: (5, 9),
    "start near 0": lambda start, end: (5, end),
    "begins two hours before": lambda start, end: (start - 2 * HOUR, end),
    "begins two days before": lambda start, end: (start - 2 * DAY, end),
    "two hours later": lambda start, end: (start + 2 * HOUR, end + 2 * HOUR),
    "lasts two hours": lambda start, end: (start, end + 2 * HOUR),
    "two days later": lambda start, end: (start + 2 * DAY, end + 2 * DAY),
    "lasts two days": lambda start, end: (start, end + 2 * DAY),
}
ALONE = ("at 0", "start at 0", "near 0", "start near 0", "begins two days before", "two days later", "lasts two days")


class Lost(Case):
    def check(self, write, launched=False):
        """write(activities, with_host) -> a path; launched: activities are of calls of the host"""
        for with_host in (True, False):
            whole = self.answer(write(FOUR, with_host))
            self.assertEqual((4, 350000, {}), whole, with_host)
            for name, change in LOST.items():
                if with_host or name in ALONE:
                    with self.subTest(name, host=with_host):
                        self.assertEqual(
                            (3, 250000, {"lost_time": 1}), self.answer(write(FOUR[:3] + [change(*FOUR[3])], with_host))
                        )
        # A host that marks late what it did, or is traced late, says nothing of the minutes before, unless its calls launch what ran then.
        self.assertEqual(
            (4, 350000, {"conflict": 4} if launched else {}),
            self.answer(write([(start - 1200 * SECOND, end - 1200 * SECOND) for start, end in FOUR], True)),
        )

    def answer(self, path):
        rows = self.rows("SELECT count(*), max(end_ns) - min(start_ns) FROM trace_device_activity(?)", path)
        said = dict(
            self.rows(
                "SELECT kind, sum(count) FROM mpg_issues WHERE source = ? AND kind NOT IN ('no_cpu_event') GROUP BY 1",
                path,
            )
        )
        return (*rows[0], said)

    def test_kineto(self):
        def write(activities, with_host):
            host = [
                {
                    "ph": "X",
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "pid": 9,
                    "tid": 9,
                    "ts": BOOT / 1e3 + 10 * i,
                    "dur": 5,
                    "args": {"correlation": i + 1},
                }
                for i in range(4)
            ]
            return self.file(
                {
                    "schemaVersion": 1,
                    "traceEvents": host * with_host
                    + [
                        {
                            "ph": "X",
                            "cat": "kernel",
                            "name": f"k{i}",
                            "pid": 0,
                            "tid": 7,
                            "ts": start / 1e3,
                            "dur": (end - start) / 1e3,
                            "args": {"device": 0, "stream": 7 + i, "correlation": i + 1},
                        }
                        for i, (start, end) in enumerate(activities)
                    ],
                },
                "trace.json",
            )

        self.check(write, launched=True)

    def test_xprof(self):
        def write(activities, with_host):
            def meta(kind, pid, name, tid=0):
                return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}

            host = [{"ph": "X", "name": "step", "pid": 9, "tid": 1, "ts": BOOT / 1e3, "dur": 400}]
            return self.file(
                {
                    "displayTimeUnit": "ns",
                    "metadata": {"highres-ticks": True},
                    "traceEvents": [
                        meta("process_name", 1, "/device:TPU:0"),
                        meta("process_name", 9, "/host:CPU"),
                        meta("thread_name", 1, "XLA Ops", 3),
                        meta("thread_name", 9, "python", 1),
                    ]
                    + host * with_host
                    + [
                        {
                            "ph": "X",
                            "name": f"fusion.{i}",
                            "pid": 1,
                            "tid": 3,
                            "ts": start / 1e3,
                            "dur": (end - start) / 1e3,
                        }
                        for i, (start, end) in enumerate(activities)
                    ],
                },
                "trace.json",
            )

        self.check(write)

    def test_xplane(self):
        def write(activities, with_host):
            plane, host = xspace.Plane("/device:TPU:0", 1), xspace.Plane("/host:CPU", 2)
            plane.line(
                "XLA Ops",
                0,
                [
                    (plane.event_name(f"fusion.{i}"), start * 1000, (end - start) * 1000, [])
                    for i, (start, end) in enumerate(activities)
                ],
            )
            host.line("python", 0, [(host.event_name("step"), BOOT * 1000, 400000 * 1000, [])])
            return self.file(xspace.message([(1, p.fields()) for p in [plane] + [host] * with_host]), "host.xplane.pb")

        self.check(write)

    def test_perfetto(self):
        def write(activities, with_host):
            s = perfetto.Sequence(2, 0)
            if with_host:
                for i in range(4):
                    s.slice(BOOT, BOOT + 400000, 1, "hipLaunchKernel", "hip_api", {"corr_id": i + 1})
            for i, (start, end) in enumerate(activities):
                s.slice(start, end, 5 + i, f"k{i}", "kernel_dispatch", {"agent": "GPU-0", "queue": i, "corr_id": i + 1})
            return self.file(b"".join(s.out), "trace.pftrace")

        self.check(write, launched=True)

    def copied(self, name, statements, *rows):
        path = self.file("", os.path.basename(name))
        shutil.copy(os.path.join(ROOT, "fixtures", name), path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            for statement in statements:
                db.execute(statement)
            for statement, values in rows:
                db.execute(statement, values)
            db.commit()
        return path

    def test_nsys(self):
        def write(activities, with_host):
            tables = [
                f"DELETE FROM CUPTI_ACTIVITY_KIND_{name}"
                for name in ("KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "GRAPH_TRACE", "RUNTIME")
            ] + ["DELETE FROM NVTX_EVENTS", "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 0"]
            rows = [
                ("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, 4096 << 24, 1, 1)", (start, end, i + 1))
                for i, (start, end) in enumerate(activities)
            ]
            host = [
                ("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, 4096 << 24, 99, 1)", (BOOT, BOOT + 400000))
            ]
            return self.copied("nsys/two-gpus.sqlite", tables, *rows + host * with_host)

        self.check(write)

    def test_rocpd(self):
        suffix = rocpd.GUID.replace("-", "_")

        def write(activities, with_host):
            kernels, regions = f'"rocpd_kernel_dispatch_{suffix}"', f'"rocpd_region_{suffix}"'
            tables = [
                f'DELETE FROM "rocpd_memory_copy_{suffix}"',
                f"DELETE FROM {kernels} WHERE id NOT IN (SELECT id FROM {kernels} ORDER BY id LIMIT 4)",
                f"UPDATE {kernels} SET queue_id = id, stream_id = 0",
                f"DELETE FROM {regions} WHERE id > (SELECT min(id) FROM {regions})",
                f'UPDATE {regions} SET "start" = {BOOT}, "end" = {BOOT + 400000}',
            ] + [f"DELETE FROM {regions}"] * (not with_host)
            rows = [
                (
                    f'UPDATE {kernels} SET "start" = ?, "end" = ? WHERE id = (SELECT id FROM {kernels} ORDER BY id LIMIT 1 OFFSET {i})',
                    times,
                )
                for i, times in enumerate(activities)
            ]
            return self.copied("rocpd/4242_results.db", tables, *rows)

        self.check(write)

    def test_ascend(self):
        def write(activities, with_host):
            tables = [
                f"DELETE FROM {name}"
                for name in (
                    "COMMUNICATION_OP",
                    "COMMUNICATION_TASK_INFO",
                    "MEMCPY_INFO",
                    "PYTORCH_API",
                    "MSTX_EVENTS",
                    "STEP_TIME",
                    "CONNECTION_IDS",
                )
            ]
            tables += [
                "DELETE FROM COMPUTE_TASK_INFO WHERE globalTaskId NOT IN (SELECT globalTaskId FROM COMPUTE_TASK_INFO ORDER BY 1 LIMIT 4)",
                "DELETE FROM TASK WHERE globalTaskId NOT IN (SELECT globalTaskId FROM COMPUTE_TASK_INFO)",
                "UPDATE TASK SET streamId = globalTaskId, connectionId = 1",
                "DELETE FROM CANN_API WHERE rowid > (SELECT min(rowid) FROM CANN_API)",
                f"UPDATE CANN_API SET connectionId = 1, startNs = {BOOT}, endNs = {BOOT + 400000}",
            ]
            rows = [
                (
                    f"UPDATE TASK SET startNs = ?, endNs = ? WHERE globalTaskId = (SELECT globalTaskId FROM TASK ORDER BY 1 LIMIT 1 OFFSET {i})",
                    times,
                )
                for i, times in enumerate(activities)
            ]
            return self.copied(
                "ascend/ascend_pytorch_profiler_11.db", tables + ["DELETE FROM CANN_API"] * (not with_host), *rows
            )

        self.check(write, launched=True)


if __name__ == "__main__":
    unittest.main()
