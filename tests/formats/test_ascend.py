"""What Ascend's profilers write: the mapping sql/formats/ascend.sql held against the story that the database tells (tests/support/ascend.py)
and sums of it that are made here."""

import contextlib
import os
import sqlite3
import unittest

import ascend
import cases
from fleets import ROOT

DATABASE = os.path.join(ROOT, "fixtures/ascend", ascend.NAME)
COLUMNS = (
    "rank, process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation, launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes, "
    "collective, group_size"
)
KINDS = {"copy": ("memory", "memcpy"), "collective": ("communication", "kernel")}


def expected():
    """The story again: what the NPU did, in which step, call and operator. A call that came after its step is of the step in which its operator began."""
    out = []
    for step, at, number, called, (op, outer, call, kind, name, stream, start, end) in ascend.story():
        of_class, what = KINDS.get(kind, ("compute", "kernel"))
        whole = kind == "collective"
        out.append(
            (
                ascend.RANK,
                str(ascend.PID),
                str(ascend.DEVICE),
                ascend.CHIP,
                "HCCL 1" if whole else str(stream),
                of_class,
                what,
                "Memcpy HtoD" if kind == "copy" else name,
                at + start,
                at + end,
                str(step),
                500 + number,
                called,
                called + 800,
                call,
                str(ascend.QUEUE),
                op,
                at + 1000 * (number % 100 + 1) + (outer is not None),
                1 << 20 if kind == "copy" else None,
                "allreduce" if whole else None,
                4 if whole else None,
            )
        )
    for step in (4, 5):
        at = ascend.AT + 1_200_000 * (step - 4)
        out.append(
            (
                ascend.RANK,
                str(ascend.PID),
                str(ascend.DEVICE),
                ascend.CHIP,
                "2",
                "sync",
                "sync",
                "EVENT_WAIT",
                at + 800_000,
                at + 810_000,
                *[None] * 11,
            )
        )
    return sorted(out, key=repr)


class Ascend(cases.Case):
    def activity(self, path):
        return sorted(self.rows(f"SELECT {COLUMNS} FROM trace_device_activity(?)", path), key=repr)

    def database(self, change="", without=()):
        path = self.file("", "msprof_20260303.db")
        os.remove(path)
        ascend.write_database(path, without)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(change)
        return path

    def test_the_story(self):
        self.assertEqual(12, len(expected()))
        self.assertEqual(expected(), self.activity(DATABASE))
        self.assertEqual({"no_work": 2, "conflict": 2}, self.issues(DATABASE))  # records of events; the last kernels
        self.assertEqual(
            [(DATABASE, "ascend", ascend.RANK, 0, ascend.HOST)],
            self.rows("SELECT trace, format, rank, base_ns, host FROM trace_device_traces(?)", DATABASE),
        )
        self.assertEqual(
            [("4", ascend.AT, ascend.AT + 1_000_000), ("5", ascend.AT + 1_200_000, ascend.AT + 2_200_000)],
            self.rows("SELECT step, start_ns, end_ns FROM trace_device_steps(?) ORDER BY 1", DATABASE),
        )
        self.assertEqual(
            [("batch 7", str(ascend.PYTHON)), ("batch 8", str(ascend.PYTHON))],
            self.rows("SELECT name, thread FROM trace_device_ranges(?) ORDER BY 1", DATABASE),
        )

    def test_time_of_a_device(self):
        """Busy, exposed and hidden time by sets of microseconds: the parts of a collective are not counted beside it."""
        by_class = {}
        for row in expected():
            by_class.setdefault(row[5], set()).update(range((row[8] - ascend.AT) // 1000, (row[9] - ascend.AT) // 1000))
        busy = set().union(*(by_class[name] for name in ("compute", "communication", "memory")))
        found = self.rows("SELECT busy_ns, exposed_communication_ns, overlap_ns FROM trace_device_time(?)", DATABASE)
        self.assertEqual(
            [
                (
                    1000 * len(busy),
                    1000 * len(by_class["communication"] - by_class["compute"]),
                    1000 * len(by_class["communication"] & by_class["compute"]),
                )
            ],
            found,
        )

    def test_recognised_among_all_others(self):
        with open(DATABASE, "rb") as db:
            folder = self.folder_of({"a": db.read()})
        self.assertEqual([("ascend", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", folder))
        files = self.rows("SELECT file FROM trace_sources('fixtures') WHERE format = 'ascend'")
        self.assertEqual([(os.path.relpath(DATABASE, ROOT),)], files)

    def test_what_a_lower_level_lacks(self):
        """Tables exist only where there was something to put into them: the device's time stays, what leads to the host goes."""
        whole = self.rows("SELECT class, sum(end_ns - start_ns) FROM trace_device_activity(?) GROUP BY 1", DATABASE)
        path = self.database(
            without=(
                "PYTORCH_API",
                "CONNECTION_IDS",
                "MSTX_EVENTS",
                "STEP_TIME",
                "NPU_INFO",
                "META_DATA",
                "HOST_INFO",
                "CANN_API",
            )
        )
        self.assertEqual(
            whole, self.rows("SELECT class, sum(end_ns - start_ns) FROM trace_device_activity(?) GROUP BY 1", path)
        )
        self.assertEqual(
            [(None,) * 4],
            self.rows("SELECT DISTINCT step, op, launch_ns, group_size FROM trace_device_activity(?)", path),
        )
        chip = "huawei-ascend-910b-313t"
        self.assertEqual([(chip,)], self.rows("SELECT DISTINCT chip FROM trace_device_activity(?, ?)", path, chip))
        # Without names of kernels they go by the type of their task; without whole collectives by their parts.
        path = self.database(without=("COMPUTE_TASK_INFO",))
        self.assertEqual(
            [("KERNEL_AICORE",), ("KERNEL_AIVEC",)],
            self.rows("SELECT DISTINCT name FROM trace_device_activity(?) WHERE class = 'compute' ORDER BY 1", path),
        )
        path = self.database(without=("COMMUNICATION_OP",))
        self.assertEqual(
            [(6, 2 * (200_000 + 100_000 + 10_000))],
            self.rows(
                "SELECT count(*), sum(end_ns - start_ns) FROM trace_device_activity(?) WHERE class = 'communication'",
                path,
            ),
        )
        # The only NPU of a profile is that of its collectives.
        path = self.database(without=("COMMUNICATION_TASK_INFO",))
        self.assertEqual(
            [("3", 2)],
            self.rows("SELECT device, count(*) FROM trace_device_activity(?) WHERE name GLOB 'hcom*' GROUP BY 1", path),
        )

    def test_steps(self):
        """Of the profiler; else of ranges with a usual name, or of those that the reader names."""
        self.assertEqual(
            [("7", 5), ("8", 5)],
            self.rows(
                "SELECT step, count(*) FROM trace_device_activity(?, NULL, 'batch*') WHERE step NOT NULL GROUP BY 1",
                DATABASE,
            ),
        )
        path = self.database(
            "UPDATE STRING_IDS SET value = replace(value, 'batch ', 'train_step ')", without=("STEP_TIME",)
        )
        self.assertEqual(
            [("7", 5), ("8", 5)],
            self.rows("SELECT step, count(*) FROM trace_device_activity(?) WHERE step NOT NULL GROUP BY 1", path),
        )

    def test_what_cannot_be_is_listed(self):
        for change, kind, lost in (
            ("UPDATE TASK SET endNs = startNs - 1 WHERE globalTaskId = 401", "impossible_time", 1),
            ("UPDATE TASK SET startNs = NULL WHERE globalTaskId = 401", "impossible_time", 1),
            (
                "UPDATE TASK SET startNs = startNs + 7200000000000, endNs = endNs + 7200000000000 WHERE globalTaskId = 401",
                "lost_time",
                1,
            ),
            ("INSERT INTO TASK SELECT * FROM TASK WHERE globalTaskId = 401", "repeated_record", 0),
            (
                "DELETE FROM COMMUNICATION_TASK_INFO; DELETE FROM TASK WHERE streamId > 2; UPDATE TASK SET deviceId = 5 WHERE globalTaskId = 401",
                "left_out",
                2,
            ),
        ):
            path = self.database(change)
            self.assertEqual(12 - lost, len(self.activity(path)), change)
            self.assertEqual({kind, "no_work", "conflict"}, set(self.issues(path)), change)
        path = self.database("UPDATE STRING_IDS SET value = 'QUANTUM' WHERE value = 'EVENT_WAIT'")
        self.assertEqual(10, len(self.activity(path)))
        self.assertEqual({"no_work": 4, "conflict": 2}, self.issues(path))
        path = self.database("DELETE FROM TASK; DELETE FROM COMMUNICATION_OP")
        self.assertEqual([], self.activity(path))
        self.assertEqual({"no_device_event": 1}, self.issues(path))

    def test_columns_of_other_versions(self):
        """Collectives name their NPU in later versions; earlier ones do not say which calls of PyTorch are operators."""
        two = "INSERT INTO TASK SELECT startNs, endNs, 4, 9, globalTaskId + 90000, globalPid, taskType, contextId, streamId, taskId, modelId FROM TASK WHERE globalTaskId = 401; "
        path = self.database(
            two + "ALTER TABLE COMMUNICATION_OP ADD COLUMN deviceId INTEGER; UPDATE COMMUNICATION_OP SET deviceId = 3",
            without=("COMMUNICATION_TASK_INFO",),
        )
        self.assertEqual(
            [("3", 2)],
            self.rows("SELECT device, count(*) FROM trace_device_activity(?) WHERE name GLOB 'hcom*' GROUP BY 1", path),
        )
        self.assertNotIn("left_out", self.issues(path))
        self.assertEqual(12, len(self.activity(self.database("ALTER TABLE PYTORCH_API DROP COLUMN type"))))
        path = self.database("ALTER TABLE TASK DROP COLUMN streamId")
        self.assertEqual(
            (12, None),
            self.rows(
                "SELECT count(*), max(stream) FILTER (WHERE class = 'compute') FROM trace_device_activity(?)", path
            )[0],
        )
        self.assertEqual({"missing_field": 1, "no_work": 2, "conflict": 2}, self.issues(path))

    def trace_view(self, without=(), npus=("NPU 3",)):
        """What torch_npu writes beside its database: processes say what an event is, a collective has a line of its group and its parts planes and streams, 'Overlap Analysis' tells sums."""
        events = [
            {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
            for pid, name in ((1, "Python"), (2, "CANN"))
        ]
        events += [
            {
                "ph": "X",
                "cat": "cpu_op",
                "pid": 1,
                "tid": 1,
                "name": "ProfilerStep#4",
                "ts": "1772440000000000.000",
                "dur": 1000,
            },
            {
                "ph": "X",
                "pid": 2,
                "tid": 9,
                "name": "aclnnMatmul",
                "ts": "1772440000000020.000",
                "dur": 5,
                "args": {"connection_id": 5},
            },
        ]
        for i, label in enumerate(npus):
            for pid, name in enumerate(("Ascend Hardware", "Communication", "Overlap Analysis"), 10 + 10 * i):
                events += [
                    {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}},
                    {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}},
                ]
            events += [
                {"ph": "M", "name": "thread_name", "pid": 11 + 10 * i, "tid": tid, "args": {"name": name}}
                for tid, name in ((1, "Group hcom Communication"), (2, "Plane 0"))
            ]
            for process, tid, name, start, length, args in (
                (0, 2, "MEMCPY_ASYNC", 30, 40, {}),
                (0, 2, "MatMulV3", 70, 230, {"connection_id": 5}),
                (0, 2, "MatMulAllReduceAdd", 300, 220, {"connection_id": 4294967295}),
                (0, 2, "EVENT_WAIT", 800, 10, {}),
                (0, 8, "Notify_Wait", 400, 200, {}),
                (0, 8, "Memcpy", 600, 100, {}),
                (1, 1, "hcom_allReduce__321_0_1", 400, 400, {}),
                (1, 2, "Notify_Wait", 400, 200, {}),
                (1, 2, "Memcpy", 600, 100, {}),
                (2, 0, "Computing", 70, 450, {}),
                (2, 1, "Communication", 400, 400, {}),
                (2, 2, "Communication(Not Overlapped)", 520, 280, {}),
                (2, 3, "Free", 0, 30, {}),
            ):
                if (process, tid) not in without:
                    events.append(
                        {
                            "ph": "X",
                            "pid": 10 + 10 * i + process,
                            "tid": tid,
                            "name": name,
                            "ts": f"{1772440000000000 + start}.000",
                            "dur": length,
                            "args": args,
                        }
                    )
        return self.file(events, "trace_view.json")

    def test_trace_view(self):
        """Computation is what computes; a collective counts once, whole where it is told whole."""
        time = "SELECT device, busy_ns, compute_ns, exposed_communication_ns FROM trace_device_time(?)"
        path = self.trace_view()
        self.assertEqual([("3", 770000, 450000, 280000)], self.rows(time, path))
        self.assertEqual(
            {"no_work": 2, "missing_field": 6, "unknown_event": 4}, self.issues(path)
        )  # parts of the collective; what no call launched; sums of others
        self.assertEqual(
            [("MatMulV3", "4", "aclnnMatmul")],
            self.rows("SELECT name, step, launch_name FROM trace_device_activity(?) WHERE launch_ns NOT NULL", path),
        )
        self.assertEqual(
            [("3", 770000, 450000, 280000)], self.rows(time, self.trace_view({(1, 2)}))
        )  # a level without planes: copies and waits on the stream of the collective
        path = self.trace_view({(1, 1)})  # parts alone: those of planes
        self.assertEqual([("3", 670000, 450000, 180000)], self.rows(time, path))
        self.assertEqual({"missing_field": 7, "unknown_event": 4}, self.issues(path))
        path = self.trace_view(npus=("NPU 3", "NPU 4"))
        self.assertEqual([(device, 770000, 450000, 280000) for device in "34"], self.rows(time, path))
        path = self.trace_view(npus=("NPU", "NPU"))
        self.assertEqual([("0", 770000, 450000, 280000)], self.rows(time, path))
        self.assertEqual({"missing_field": 14, "no_work": 4, "unknown_event": 8}, self.issues(path))

    def test_as_a_program_runs_it(self):
        self.script("device.sql")
        self.db.execute(f"ATTACH 'file:{DATABASE}?mode=ro' AS \"any name\"")
        self.db.execute("CREATE TEMP TABLE ascend_input AS SELECT 'run 7' AS trace, NULL AS chip, 'batch 8' AS step")
        self.script("formats/ascend.sql")
        self.assertEqual([(None, 7), ("8", 5)], self.rows("SELECT step, count(*) FROM device_activity GROUP BY 1"))
        self.assertEqual(
            [("ascend_left_out",)], self.rows("SELECT name FROM temp.sqlite_schema WHERE name GLOB 'ascend*'")
        )

    def test_without_a_database(self):
        self.script("device.sql")
        with self.assertRaisesRegex(
            sqlite3.IntegrityError,
            "no database of Ascend's profilers is attached: ATTACH 'file:ascend_pytorch_profiler_0.db[?]mode=ro' AS ascend",
        ):
            self.script("formats/ascend.sql", trace=None, chip=None, step=None)


if __name__ == "__main__":
    unittest.main()
