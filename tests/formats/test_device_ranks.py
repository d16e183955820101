"""What devices did in jobs of several ranks: which collectives are one, ranks and processes in one file, and ranks that number alike."""

import json
import os
import unittest

from device_case import Case
from fleets import ROOT

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def step(number, ts, dur, pid=9, tid=9):
    return {
        "ph": "X",
        "cat": "user_annotation",
        "name": f"ProfilerStep#{number}",
        "pid": pid,
        "tid": tid,
        "ts": ts,
        "dur": dur,
    }


def call(correlation, ts, pid=9, tid=9):
    return {
        "ph": "X",
        "cat": "cuda_runtime",
        "name": "cudaLaunchKernel",
        "pid": pid,
        "tid": tid,
        "ts": ts,
        "dur": 4,
        "args": {"correlation": correlation},
    }


def kernel(name, correlation, ts, dur, pid=0, stream=7, **args):
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": pid,
        "tid": stream,
        "ts": ts,
        "dur": dur,
        "args": {"device": 0, "stream": stream, "correlation": correlation, **args},
    }


class Collectives(Case):
    def ranks(self, calls, world=4):
        """A folder of traces; calls: of each rank, (duration, process group, its ranks, name) of collectives one after the other in step 1."""
        files = {}
        for rank, of_rank in calls.items():
            events = [step(1, 1000, 9000)]
            for i, (dur, group, members, name) in enumerate(of_rank, 1):
                args = {"Collective name": name} if name else {}
                if group:
                    args.update(
                        {"Process Group Name": group, "Process Group Ranks": str(members), "Group size": len(members)}
                    )
                events += [call(i, 1000 + 10 * i), kernel(NCCL, i, 2000 + 1000 * i, dur, **args)]
            files[f"rank{rank}.json"] = json.dumps(
                {
                    "schemaVersion": 1,
                    "distributedInfo": {"rank": rank, "world_size": world[rank] if isinstance(world, dict) else world},
                    "traceEvents": events,
                }
            )
        return self.folder_of(files)

    def late(self, calls, **more):
        return self.rows(
            "SELECT rank, process_group, n, ranks, late_ns / 1000, waited_ns / 1000 FROM trace_device_collectives(?) ORDER BY 2, 3, 1",
            self.ranks(calls, **more),
        )

    def test_process_groups(self):
        """Two groups at once: tensor parallel [0, 1] and [2, 3], data parallel [0, 2] and [1, 3]."""
        calls = {
            0: [(100, "1", [0, 1], None), (100, "3", [0, 2], None)],
            1: [(60, "1", [0, 1], None), (100, "4", [1, 3], None)],
            2: [(10, "2", [2, 3], None), (70, "3", [0, 2], None)],
            3: [(500, "2", [2, 3], None), (90, "4", [1, 3], None)],
        }
        self.assertEqual(
            self.late(calls),
            [
                (0, "1 [0, 1]", 1, 2, 0, 40),
                (1, "1 [0, 1]", 1, 2, 40, 0),
                (2, "2 [2, 3]", 1, 2, 490, 0),
                (3, "2 [2, 3]", 1, 2, 0, 490),
                (0, "3 [0, 2]", 1, 2, 0, 30),
                (2, "3 [0, 2]", 1, 2, 30, 0),
                (1, "4 [1, 3]", 1, 2, 0, 10),
                (3, "4 [1, 3]", 1, 2, 10, 0),
            ],
        )

    def test_groups_of_the_same_ranks_in_another_order(self):
        both = [0, 1]
        self.assertEqual(
            self.late(
                {0: [(100, "1", both, None), (30, "2", both, None)], 1: [(35, "2", both, None), (60, "1", both, None)]}
            ),
            [
                (0, "1 [0, 1]", 1, 2, 0, 40),
                (1, "1 [0, 1]", 1, 2, 40, 0),
                (0, "2 [0, 1]", 1, 2, 5, 0),
                (1, "2 [0, 1]", 1, 2, 0, 5),
            ],
        )

    def test_a_rank_that_lacks_one(self):
        """Which of the two rank 1 took part in, nothing says; the step's stragglers have none of it."""
        calls = {0: [(100, None, None, None), (30, None, None, None)], 1: [(35, None, None, None)]}
        self.assertEqual(
            self.late(calls, world=2),
            [(0, None, 1, 2, None, None), (1, None, 1, 2, None, None), (0, None, 2, 2, None, None)],
        )
        self.assertEqual(self.rows("SELECT * FROM trace_device_stragglers(?)", self.ranks(calls)), [])

    def test_profiles_without_ranks(self):
        """Of any format: Nsight's and XLA's have none."""
        kineto = self.file({"schemaVersion": 1, "traceEvents": [step(1, 1000, 9000), kernel(NCCL, 1, 2000, 10)]})
        for path, n in (
            (kineto, 1),
            (os.path.join(ROOT, "fixtures/nsys/two-gpus.sqlite"), None),
            (os.path.join(ROOT, "fixtures/xplane/tpu-host-0.xplane.pb"), None),
        ):
            n = n or self.one("SELECT count(*) FROM trace_device_activity(?) WHERE class = 'communication'", path)
            said = self.issues(path)
            for table in ("collectives", "stragglers"):
                self.assertEqual(self.rows(f"SELECT * FROM trace_device_{table}(?)", path), [])
                self.assertEqual(
                    self.issues(path), {**said, "missing_field": n + said.get("missing_field", 0)}, (path, table)
                )

    def test_two_traces_of_a_rank(self):
        """Which of them was beside those of the other rank, nothing says."""
        self.load()
        for trace, rank in (("a", 0), ("b", 0), ("c", 1)):
            self.insert(trace=trace, rank=rank, **{"class": "communication"}, name="nccl", start_ns=0, end_ns=10 + rank)
        self.assertEqual(
            self.rows("SELECT trace, late_ns, ranks FROM device_collectives ORDER BY 1"),
            [(trace, None, 2) for trace in "abc"],
        )

    def test_more_ranks_than_the_group_has(self):
        """Groups of two that the trace does not name: of four ranks nobody can say who waited for whom."""
        self.load()
        for rank in range(4):
            self.insert(
                trace=f"r{rank}",
                rank=rank,
                step="1",
                **{"class": "communication"},
                name="nccl",
                start_ns=0,
                end_ns=10 + rank,
                group_size=2,
            )
        self.assertEqual(
            self.rows("SELECT rank, late_ns, ranks FROM device_collectives ORDER BY 1"),
            [(rank, None, 4) for rank in range(4)],
        )

    def test_sends_are_no_collectives(self):
        both = [0, 1]
        self.assertEqual(
            self.late(
                {
                    0: [(100, "1", both, "send"), (30, "1", both, "allreduce")],
                    1: [(35, "1", both, "allreduce"), (60, "1", both, "recv")],
                }
            ),
            [(0, "1 [0, 1]", 1, 2, 5, 0), (1, "1 [0, 1]", 1, 2, 0, 5)],
        )

    def test_sends_that_the_kernel_s_name_alone_tells(self):
        """As in traces before the arguments of collectives: pipeline stages wait for each other, and none is late to the other's send."""
        files = {}
        for rank, (send, reduce) in enumerate(((100, 30), (60, 35))):
            events = [
                step(1, 1000, 9000),
                call(1, 1010),
                call(2, 1020),
                kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", 1, 2000, send),
                kernel("ncclKernel_AllReduce_RING_LL_Sum_float", 2, 3000, reduce),
            ]
            files[f"rank{rank}.json"] = json.dumps(
                {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}
            )
        folder = self.folder_of(files)
        self.assertEqual(
            [(0, 1, 5000, 0), (1, 1, 0, 5000)],
            self.rows("SELECT rank, n, late_ns, waited_ns FROM trace_device_collectives(?) ORDER BY rank", folder),
        )
        self.assertEqual(
            [("allreduce", 2), ("sendrecv", 2)],
            self.rows("SELECT collective, count(*) FROM trace_device_activity(?) GROUP BY 1", folder),
        )

    def test_jobs_of_other_sizes(self):
        """Ranks of two jobs in one folder."""
        calls = {rank: [(10 * rank + 10, None, None, None)] for rank in (0, 1)}
        self.assertEqual(self.late(calls, world={0: 8, 1: 16}), [(0, None, 1, 1, 0, 0), (1, None, 1, 1, 0, 0)])


class Merged(Case):
    """Two ranks in one file: process 70 and 71, each with device 0 and stream 7."""

    def merged(self, pids, threads=(7, 7), labels=("", ""), **distributed):
        """Correlations begin anew in each rank if labels tell them apart."""
        events = []
        for rank in (0, 1):
            pid, tid, at = pids[rank], threads[rank], 1000 + 500 * rank
            other = 0 if labels[0] else 10 * rank
            work = {"Input Dims": [[64, 64], [64, 64]], "Input type": ["float", "float"]}
            events += [
                step(1, at, 400, pid, tid),
                call(1 + other, at + 10, pid, tid),
                call(2 + other, at + 20, pid, tid),
                {
                    "ph": "X",
                    "cat": "cpu_op",
                    "name": ("aten::mm", "aten::relu")[rank],
                    "pid": pid,
                    "tid": tid,
                    "ts": at + 5,
                    "dur": 30,
                    "args": work if rank == 0 else {},
                },
                kernel("gemm", 1 + other, at + 100, 50, pid=labels[rank] + "0" if labels[0] else 0),
                kernel("gemm", 2 + other, at + 250 + 200 * rank, 50, pid=labels[rank] + "0" if labels[0] else 0),
            ]
        trace = {"schemaVersion": 1, "traceEvents": events}
        if distributed:
            trace["distributedInfo"] = distributed
        return self.file(trace, "merged.json")

    def check(self, path, devices, processes, ranks):
        ask = f"SELECT {{}} FROM trace_device_{{}}('{path}') ORDER BY 1, 2"
        self.assertEqual(
            [row[:2] for row in self.rows(ask.format("device, rank, process", "activity"))],
            [(d, r) for d, r in zip(devices, ranks) for _ in (0, 1)],
        )
        self.assertEqual(
            self.rows(ask.format("device, process, gap_ns", "gaps")),
            [(devices[0], processes[0], 100000), (devices[1], processes[1], 300000)],
        )
        self.assertEqual(
            self.rows(ask.format("device, process, sum(idle_ns)", "idle").replace("ORDER", "GROUP BY 1, 2 ORDER")),
            [(devices[0], processes[0], 100000), (devices[1], processes[1], 300000)],
        )
        self.assertEqual(
            self.rows(ask.format("device, max_length, launches", "queue_length")),
            [(device, 2, 2) for device in devices],
        )
        self.assertEqual(
            self.rows(ask.format("device, step_ns, lag_ns", "step_time")),
            [(device, 400000, 100000) for device in devices],
        )
        self.assertEqual(
            self.rows(ask.format("device, busy_ns, span_ns", "time")),
            [(devices[0], 100000, 200000), (devices[1], 100000, 400000)],
        )
        # The second rank's operator has no price, though its thread has the number of the first one's.
        self.assertEqual(self.rows(ask.format("device, priced_ns", "priced")), [(devices[0], 100000), (devices[1], 0)])
        self.assertEqual(self.rows(ask.format("process, activities", "operators")), [(processes[0], 2)])

    def test_with_labels(self):
        """distributedInfo is that of the first file."""
        for labels, ranks in (
            (("[R0] ", "[R1] "), (0, 1)),
            (("[rank 2] ", "[rank 3] "), (2, 3)),
            (("[TP00-PP00] ", "[TP01-PP00] "), (None, None)),
        ):
            with self.subTest(labels):
                pids = [label + str(70 + i) for i, label in enumerate(labels)]
                path = self.merged(pids, labels=labels, rank=0, world_size=2)
                self.check(path, [label + "0" for label in labels], pids, ranks)
                self.assertEqual(self.issues(path), {})

    def test_without_labels(self):
        path = self.merged((70, 71), rank=0, world_size=2)
        self.check(path, ("[70] 0", "[71] 0"), ("70", "71"), (None, None))
        self.assertEqual(self.issues(path), {})

    def test_collectives_of_ranks_that_nothing_tells(self):
        """Of ranks with labels they are compared, of others that is said."""
        for labels, rows, said in (
            (("[R0] ", "[R1] "), [(0, 0), (1, 20000)], {}),
            (("[TP00] ", "[TP01] "), [], {"missing_field": 2}),
        ):
            events = []
            for i, label in enumerate(labels):
                events += [
                    step(1, 1000, 900, label + "7"),
                    call(1, 1010, label + "7"),
                    kernel(NCCL, 1, 1100, 50 - 20 * i, pid=label + "0"),
                ]
            path = self.file({"schemaVersion": 1, "traceEvents": events})
            self.assertEqual(self.rows("SELECT rank, late_ns FROM trace_device_collectives(?) ORDER BY 1", path), rows)
            self.assertEqual(self.issues(path), said)

    def test_tools_of_others(self):
        """HTA and TraceLens read a file of each rank: gaps, queues and shares of ranks in one file are each rank's own. Rank 1 is half a millisecond later."""
        path = self.merged(["[R0] 70", "[R1] 71"], labels=("[R0] ", "[R1] "))
        self.assertEqual(
            self.rows("SELECT rank, sum(idle_time), sum(gaps) FROM trace_hta_idle(?) GROUP BY 1", path),
            [(0, 100, 1), (1, 300, 1)],
        )
        self.assertEqual(
            self.rows("SELECT rank, count, max FROM trace_hta_queue_length(?) ORDER BY 1", path), [(0, 4, 2), (1, 4, 2)]
        )
        self.assertEqual(
            self.rows("SELECT rank, percentage FROM trace_hta_kernel_types(?) ORDER BY 1", path),
            [(0, 100.0), (1, 100.0)],
        )
        self.assertEqual(
            self.rows("SELECT rank, name, percentage FROM trace_tracelens_ops(?) ORDER BY 1", path),
            [(0, "aten::mm", 100.0), (1, "aten::relu", 100.0)],
        )
        self.assertEqual(self.rows("SELECT rank, name_count FROM trace_tracelens_work(?)", path), [(0, 1)])

    def test_tools_of_others_where_labels_are_no_numbers(self):
        """As of SGLang's merged profiles, or of processes without labels: the file is told with the label, and the ranks are apart as above."""
        for labels, pids, apart in (
            (("[TP00] ", "[TP01] "), ("[TP00] 70", "[TP01] 71"), ("[TP00]", "[TP01]")),
            (("[TP00-DP00] ", "[TP00-DP01] "), ("[TP00-DP00] 70", "[TP00-DP01] 71"), ("[TP00-DP00]", "[TP00-DP01]")),
            (("", ""), (70, 71), ("[70]", "[71]")),
        ):
            path = self.merged(pids, labels=labels)
            first, second = (f"{path} {label}" for label in apart)
            self.assertEqual(
                self.rows("SELECT trace, sum(idle_time), sum(gaps) FROM trace_hta_idle(?) GROUP BY 1", path),
                [(first, 100, 1), (second, 300, 1)],
            )
            self.assertEqual(
                self.rows("SELECT trace, idle_time, kernel_time FROM trace_hta_temporal_breakdown(?) ORDER BY 1", path),
                [(first, 100, 200), (second, 300, 400)],
            )
            self.assertEqual(
                self.rows("SELECT trace, count, max FROM trace_hta_queue_length(?) ORDER BY 1", path),
                [(first, 4, 2), (second, 4, 2)],
            )
            self.assertEqual(
                self.rows("SELECT trace, percentage FROM trace_hta_kernel_types(?) ORDER BY 1", path),
                [(first, 100.0), (second, 100.0)],
            )
            self.assertEqual(
                self.rows("SELECT trace, name, percentage FROM trace_tracelens_ops(?) ORDER BY 1", path),
                [(first, "aten::mm", 100.0), (second, "aten::relu", 100.0)],
            )
            self.assertEqual(self.rows("SELECT trace, name_count FROM trace_tracelens_work(?)", path), [(first, 1)])

    def test_correlations_that_two_processes_have(self):
        """Whose the kernels are is a guess, and one without a call is of neither."""
        events = [step(1, 1000, 900, 70), call(1, 1010, 70), call(2, 1020, 70), call(1, 1030, 71), call(3, 1040, 71)]
        events += [kernel("k", i, 1000 + 100 * i, 50) for i in (1, 2, 3, 9)]
        path = self.file({"schemaVersion": 1, "traceEvents": events})
        self.assertEqual(
            self.rows("SELECT device, process, correlation FROM trace_device_activity(?) ORDER BY 3", path),
            [("[71] 0", "71", 1), ("[70] 0", "70", 2), ("[71] 0", "71", 3), ("0", None, 9)],
        )
        # A call is left over, too.
        self.assertEqual(self.issues(path), {"conflict": 1, "missing_field": 1, "no_device_event": 1})


class Steps(Case):
    def test_a_step_that_comes_twice(self):
        """Two cycles of a profile in one file, the second of which numbers its steps anew: a step is both, and not all that lies between."""
        path = self.file(
            {
                "schemaVersion": 1,
                "traceEvents": [
                    event
                    for at in (1000, 9000)
                    for event in (step(1, at, 300), call(at, at + 10), kernel("gemm", at, at + 100, 50))
                ],
            }
        )
        self.assertEqual(
            self.rows("SELECT step, step_ns, busy_ns, lag_ns FROM trace_device_step_time(?)", path),
            [("1", 600000, 100000, 100000)],
        )

    def test_a_step_that_two_threads_mark(self):
        """At once, the one a little longer: one step; a cycle later with the same number is another, and so is that of another process."""
        path = self.file(
            {
                "schemaVersion": 1,
                "traceEvents": [
                    step(1, 1000, 300),
                    step(1, 1010, 400, tid=10),
                    step(2, 1400, 300),
                    step(2, 1420, 10, tid=10),
                    step(1, 9000, 300),
                    step(1, 9000, 300, pid=8),
                ],
            }
        )
        self.assertEqual(
            self.rows(
                "SELECT process, step, start_ns, end_ns - start_ns FROM trace_device_steps(?) ORDER BY 1, 3", path
            ),
            [
                ("8", "1", 9000000, 300000),
                ("9", "1", 1000000, 410000),
                ("9", "2", 1400000, 300000),
                ("9", "1", 9000000, 300000),
            ],
        )

    def test_correlations_that_begin_anew(self):
        path = self.file(
            {
                "schemaVersion": 1,
                "traceEvents": [
                    event
                    for number, at in ((1, 1000), (2, 9000))
                    for event in (step(number, at, 300), call(1, at + 10), kernel("gemm", 1, at + 100, 50))
                ],
            }
        )
        self.assertEqual(
            self.rows("SELECT step, start_ns - launch_ns FROM trace_device_activity(?) ORDER BY start_ns", path),
            [("1", 90000), ("2", 90000)],
        )

    def test_calls_within_a_call_of_their_correlation(self):
        """The outermost one is the launch."""
        inner = {**call(1, 1012), "cat": "cuda_driver", "name": "cuLaunchKernel", "dur": 1}
        path = self.file(
            {"schemaVersion": 1, "traceEvents": [step(1, 1000, 300), inner, call(1, 1010), kernel("gemm", 1, 1100, 50)]}
        )
        self.assertEqual(
            self.rows("SELECT launch_name, launch_ns FROM trace_device_activity(?)", path),
            [("cudaLaunchKernel", 1010000)],
        )


if __name__ == "__main__":
    unittest.main()
