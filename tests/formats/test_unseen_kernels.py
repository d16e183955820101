"""Calls that launch kernels of which a profile has nothing, and kernels whose call it lacks, as where the profiler loses them, begins later or ends earlier: each format lists them."""

import contextlib
import json
import os
import shutil
import sqlite3
import unittest

import ascend
import cases
import perfetto
import rocpd
import xspace
from device_case import cuda_launch, event, kernel
from fleets import ROOT


class Unseen(cases.Case):
    """Of kernels that are launched, those of the given numbers are there."""

    def pftrace(self, calls, kernels):
        """A Perfetto trace of calls that launch a kernel, and of kernels, by their numbers."""
        s = perfetto.Sequence(2, 0)
        for i in calls:
            s.slice(1000 * i, 1000 * i + 500, 1, "hipLaunchKernel", "hip_api", {"corr_id": i})
        for i in kernels:
            args = {"agent": "GPU-0", "queue": 1, "corr_id": i}
            s.slice(9000 + 1000 * i, 9500 + 1000 * i, 2, "k", "kernel_dispatch", args)
        return self.file(b"".join(s.out), "t.pftrace")

    def check(self, write, launched):
        for there in (launched, launched[1:], launched[:-2]):
            with self.subTest(there=there):
                path = write(there)
                kernels = self.rows(
                    "SELECT count(*) FROM trace_device_activity(?) WHERE launch_name GLOB '*Launch*Kernel*'", path
                )
                self.assertEqual([(len(there),)], kernels)
                self.assertEqual({}, {k: n for k, n in self.issues(path).items() if k == "missing_field"})
                self.assertEqual(
                    [(len(launched) - len(there),)] * (there != launched),
                    self.rows(
                        "SELECT count FROM mpg_issues WHERE source = ? AND kind = 'no_device_event' AND severity = 'warning'",
                        path,
                    ),
                )

    def test_many(self):
        """What it takes to find them grows with the calls and not with their square."""

        def kineto(n, there):
            events = [cuda_launch(10 * i, 5, i) for i in range(n)] + [kernel("k", i, 100 + 10 * i, 5) for i in there]
            return self.file({"schemaVersion": 1, "traceEvents": events}, "t.json")

        def looks(path):
            """Whether to stop: each comes after so many steps of the connection that reads the profile."""
            seen = []
            self.db.set_progress_handler(lambda: seen.append(1) and 0, 1)
            self.rows("SELECT count(*) FROM trace_device_activity(?)", path)
            self.db.set_progress_handler(None, 0)
            return len(seen)

        for name, write in ("kineto", kineto), ("perfetto", lambda n, there: self.pftrace(range(1, n + 1), there)):
            with self.subTest(name):
                few, more, many = (looks(write(n, range(1, n, 2))) for n in (1000, 2000, 4000))
                self.assertLess(many - more, 2.2 * (more - few))

    def test_kineto(self):
        def write(there, *more, path="t.json"):
            return self.file(
                {
                    "schemaVersion": 1,
                    "traceEvents": [cuda_launch(10 * i, 5, i) for i in (1, 2, 3, 4)]
                    + [kernel("k", i, 100 + 10 * i, 5) for i in there]
                    + list(more),
                },
                path,
            )

        self.check(write, [1, 2, 3, 4])
        # What is launched while a graph is captured does not run; of a graph that is launched something is there.
        capture = [
            event("cuda_runtime", name, 12 + 10 * i, 2, correlation=20 + i)
            for i, name in enumerate(
                ("cudaStreamBeginCapture", "cudaStreamIsCapturing", "cudaStreamEndCapture", "cudaGraphLaunch")
            )
        ]
        for of_graph, said in (([kernel("k", 23, 200, 5)], {}), ([], {"no_device_event": 1})):
            path = write([1, 4], *capture, *of_graph)
            self.rows("SELECT count(*) FROM trace_device_activity(?)", path)
            self.assertEqual(said, self.issues(path))
        # A kernel without a time is there, and listed as that.
        lost = [kernel("k", 2, 0, 0), {k: v for k, v in kernel("k", 3, 130, 5).items() if k != "dur"}]
        path = write([1, 4], *lost, event("cuda_runtime", "cudaLaunchKernel", 50, 5, correlation=7))
        self.rows("SELECT count(*) FROM trace_device_activity(?)", path)
        self.assertEqual({"lost_time": 1, "impossible_time": 1, "no_device_event": 1}, self.issues(path))
        # Numbers of two ranks' calls are the same.
        folder = os.path.dirname(write([1, 2], path="ranks/r0.json"))
        write([1, 2, 3, 4], path="ranks/r1.json")
        self.rows("SELECT count(*) FROM trace_device_activity(?)", folder)
        self.assertEqual(
            [(2,)], self.rows("SELECT count FROM mpg_issues WHERE source GLOB '*ranks*' AND kind = 'no_device_event'")
        )

    def test_kernels_without_a_call(self):
        """Of those that lost theirs; where no call is there, the profile is of the device alone."""

        def kineto(calls):
            events = [cuda_launch(10 * i, 5, i) for i in calls] + [kernel("k", i, 100 + 10 * i, 5) for i in (1, 2, 3)]
            return self.file({"schemaVersion": 1, "traceEvents": events}, "t.json")

        def pftrace(calls):
            return self.pftrace(calls, (1, 2, 3))

        def nsys(calls):
            path = self.file("", "two-gpus.sqlite")
            shutil.copy(os.path.join(ROOT, "fixtures/nsys/two-gpus.sqlite"), path)
            with contextlib.closing(sqlite3.connect(path)) as db:
                kernels = "SELECT globalPid >> 24, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY globalPid, start LIMIT 3"
                calls_of = "CUPTI_ACTIVITY_KIND_RUNTIME WHERE (globalTid >> 24, correlationId)"
                some = db.execute(kernels).fetchall()
                if not calls:
                    db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME")
                for i in {1, 2, 3} - set(calls):
                    db.execute(f"DELETE FROM {calls_of} = (?, ?)", some[i - 1])
                db.commit()
            return path

        for write in (kineto, pftrace, nsys):
            for calls, wanted in (((1, 2, 3), []), ((2, 3), [(1,)]), ((2,), [(2,)]), ((), [])):
                with self.subTest(write.__name__, calls=calls):
                    path = write(calls)
                    self.rows("SELECT count(*) FROM trace_device_activity(?)", path)
                    self.assertEqual(
                        wanted,
                        self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'missing_field'", path),
                    )

    def test_nsys(self):
        launched = list(range(1, 13))

        def write(there):
            path = self.file("", "two-gpus.sqlite")
            shutil.copy(os.path.join(ROOT, "fixtures/nsys/two-gpus.sqlite"), path)
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
                names = "SELECT id FROM StringIds WHERE value GLOB 'cudaGraphLaunch*'"
                db.execute(f"DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN ({names})")
                rows = [row for (row,) in db.execute("SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 1")]
                for place, row in enumerate(rows, 1):
                    if place not in there:
                        db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?", (row,))
                db.commit()
            return path

        self.check(write, launched)

    def test_rocpd(self):
        table = '"rocpd_kernel_dispatch_%s"' % rocpd.GUID.replace("-", "_")
        own = "FROM rocpd_kernel_dispatch AS k JOIN rocpd_info_kernel_symbol AS s ON s.id = k.kernel_id AND s.display_name NOT GLOB '__amd*'"
        source = os.path.join(ROOT, "fixtures/rocpd/4242_results.db")
        with contextlib.closing(sqlite3.connect(source)) as db:
            launched = [row for (row,) in db.execute(f"SELECT k.id {own} ORDER BY 1")]

        def write(there):
            path = self.file("", "4242_results.db")
            shutil.copy(source, path)
            with contextlib.closing(sqlite3.connect(path)) as db:
                left = json.dumps([row for row in launched if row not in there])
                db.execute(f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(?))", (left,))
                db.commit()
            return path

        self.check(write, launched)

    def test_ascend(self):
        """Calls whose connection no task and no collective has; what is launched into a graph runs later, and not as that."""
        for change, lost in [
            ("", 0),
            ("DELETE FROM TASK WHERE globalTaskId IN (SELECT globalTaskId FROM COMPUTE_TASK_INFO LIMIT 3)", 3),
            # A collective counts by its operation, whatever tasks of it are there.
            ("DELETE FROM TASK WHERE globalTaskId IN (SELECT globalTaskId FROM COMMUNICATION_TASK_INFO)", 0),
            (
                "DELETE FROM COMMUNICATION_OP; DELETE FROM TASK WHERE globalTaskId IN (SELECT globalTaskId FROM COMMUNICATION_TASK_INFO)",
                2,
            ),
            # Where tasks have no call, no call tells that a task is missing.
            ("UPDATE TASK SET connectionId = 4294967295; DELETE FROM TASK WHERE rowid IN (1, 2)", 0),
            (
                """DELETE FROM TASK WHERE globalTaskId IN (SELECT globalTaskId FROM COMPUTE_TASK_INFO LIMIT 3);
                INSERT INTO STRING_IDS VALUES (9001, 'aclmdlRICaptureBegin');
                INSERT INTO CANN_API(startNs, endNs, globalTid, connectionId, name)
                SELECT 0, 1, globalTid, 4294967295, 9001 FROM CANN_API GROUP BY globalTid""",
                0,
            ),
        ]:
            path = self.file("", "msprof_20260303.db")
            os.remove(path)
            ascend.write_database(path)
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.executescript(change)
            self.rows("SELECT count(*) FROM trace_device_activity(?)", path)
            found = self.rows(
                "SELECT count FROM mpg_issues WHERE source = ? AND kind = 'no_device_event' AND severity = 'warning'",
                path,
            )
            self.assertEqual([(lost,)] * (lost > 0), found, change)

    def test_perfetto(self):
        def write(there):
            return self.pftrace((1, 2, 3, 4), there)

        self.check(write, [1, 2, 3, 4])

    def test_xplane(self):
        def write(there):
            gpu, host = xspace.Plane("/device:GPU:0", 1), xspace.Plane("/host:CPU", 2)
            gpu.line(
                "Stream #7(Compute)",
                1000,
                [(gpu.event_name("k"), 10000000 + 1000000 * i, 500000, [("correlation_id", i)]) for i in there],
                1,
            )
            host.line(
                "python",
                1000,
                [
                    (host.event_name("cuLaunchKernel"), 1000000 * i, 500000, [("correlation_id", i)])
                    for i in (1, 2, 3, 4)
                ],
                1,
            )
            return self.file(xspace.message([(1, p.fields()) for p in (gpu, host)]), "host.xplane.pb")

        self.check(write, [1, 2, 3, 4])

    def test_xprofs_json(self):
        def name(kind, pid, text, tid=0):
            return {"ph": "M", "pid": pid, "tid": tid, "name": kind, "args": {"name": text}}

        def event_of(text, pid, tid, at, call):
            return {
                "ph": "X",
                "pid": pid,
                "tid": tid,
                "ts": at,
                "dur": 5,
                "name": text,
                "args": {"correlation_id": str(call)},
            }

        def write(there):
            events = [
                name("process_name", 3, "/device:GPU:0"),
                name("thread_name", 3, "Stream #20(Compute)", 20),
                name("process_name", 9, "/host:CPU"),
                name("thread_name", 9, "python", 1),
            ]
            events += [event_of("cuLaunchKernel", 9, 1, 10 * i, i) for i in (1, 2, 3, 4)]
            events += [event_of("k", 3, 20, 100 + 10 * i, i) for i in there]
            return self.file(
                {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events}, "h.trace.json"
            )

        self.check(write, [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
