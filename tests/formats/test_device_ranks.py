"""What devices did in jobs of several ranks: which collectives are one, ranks and processes in one file, and ranks that number alike."""
import json
import unittest

from device_case import Case

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def step(number, ts, dur, pid=9, tid=9):
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": pid, "tid": tid, "ts": ts, "dur": dur}


def call(correlation, ts, pid=9, tid=9):
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": pid, "tid": tid, "ts": ts, "dur": 4, "args": {"correlation": correlation}}


def kernel(name, correlation, ts, dur, pid=0, stream=7, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": pid, "tid": stream, "ts": ts, "dur": dur, "args": {"device": 0, "stream": stream, "correlation": correlation, **args}}


class Collectives(Case):
    def ranks(self, calls, world=4):
        """A folder of traces; calls: of each rank, (duration, process group, its ranks, name) of collectives one after the other in step 1."""
        files = {}
        for rank, of_rank in calls.items():
            events = [step(1, 1000, 9000)]
            for i, (dur, group, members, name) in enumerate(of_rank, 1):
                args = {"Collective name": name} if name else {}
                if group:
                    args.update({"Process Group Name": group, "Process Group Ranks": str(members), "Group size": len(members)})
                events += [call(i, 1000 + 10 * i), kernel(NCCL, i, 2000 + 1000 * i, dur, **args)]
            files[f"rank{rank}.json"] = json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": world[rank] if isinstance(world, dict) else world}, "traceEvents": events})
        return self.folder_of(files)

    def late(self, calls, **more):
        return self.rows("SELECT rank, process_group, n, ranks, late_ns / 1000, waited_ns / 1000 FROM trace_device_collectives(?) ORDER BY 2, 3, 1", self.ranks(calls, **more))

    def test_process_groups(self):
        """Two groups at once: tensor parallel [0, 1] and [2, 3], data parallel [0, 2] and [1, 3]."""
        calls = {0: [(100, "1", [0, 1], None), (100, "3", [0, 2], None)], 1: [(60, "1", [0, 1], None), (100, "4", [1, 3], None)],
                 2: [(10, "2", [2, 3], None), (70, "3", [0, 2], None)], 3: [(500, "2", [2, 3], None), (90, "4", [1, 3], None)]}
        self.assertEqual(self.late(calls), [
            (0, "1 [0, 1]", 1, 2, 0, 40), (1, "1 [0, 1]", 1, 2, 40, 0), (2, "2 [2, 3]", 1, 2, 490, 0), (3, "2 [2, 3]", 1, 2, 0, 490),
            (0, "3 [0, 2]", 1, 2, 0, 30), (2, "3 [0, 2]", 1, 2, 30, 0), (1, "4 [1, 3]", 1, 2, 0, 10), (3, "4 [1, 3]", 1, 2, 10, 0)])

    def test_groups_of_the_same_ranks_in_another_order(self):
        both = [0, 1]
        self.assertEqual(self.late({0: [(100, "1", both, None), (30, "2", both, None)], 1: [(35, "2", both, None), (60, "1", both, None)]}), [
            (0, "1 [0, 1]", 1, 2, 0, 40), (1, "1 [0, 1]", 1, 2, 40, 0), (0, "2 [0, 1]", 1, 2, 5, 0), (1, "2 [0, 1]", 1, 2, 0, 5)])

    def test_a_rank_that_lacks_one(self):
        """Which of the two rank 1 took part in, nothing says; the step's stragglers have none of it."""
        calls = {0: [(100, None, None, None), (30, None, None, None)], 1: [(35, None, None, None)]}
        self.assertEqual(self.late(calls, world=2), [(0, None, 1, 2, None, None), (1, None, 1, 2, None, None), (0, None, 2, 2, None, None)])
        self.assertEqual(self.rows("SELECT * FROM trace_device_stragglers(?)", self.ranks(calls)), [])

    def test_more_ranks_than_the_group_has(self):
        """Groups of two that the trace does not name: of four ranks nobody can say who waited for whom."""
        self.load()
        for rank in range(4):
            self.insert(trace=f"r{rank}", rank=rank, step="1", **{"class": "communication"}, name="nccl", start_ns=0, end_ns=10 + rank, group_size=2)
        self.assertEqual(self.rows("SELECT rank, late_ns, ranks FROM device_collectives ORDER BY 1"), [(rank, None, 4) for rank in range(4)])

    def test_sends_are_no_collectives(self):
        both = [0, 1]
        self.assertEqual(self.late({0: [(100, "1", both, "send"), (30, "1", both, "allreduce")], 1: [(35, "1", both, "allreduce"), (60, "1", both, "recv")]}), [
            (0, "1 [0, 1]", 1, 2, 5, 0), (1, "1 [0, 1]", 1, 2, 0, 5)])

    def test_jobs_of_other_sizes(self):
        """Ranks of two jobs in one folder."""
        calls = {rank: [(10 * rank + 10, None, None, None)] for rank in (0, 1)}
        self.assertEqual(self.late(calls, world={0: 8, 1: 16}), [(0, None, 1, 1, 0, 0), (1, None, 1, 1, 0, 0)])


if __name__ == "__main__":
    unittest.main()
