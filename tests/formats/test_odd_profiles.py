"""Profiles that hold other things than kernels, copies and sets, or less of them than devices did: what is no work is none, and what is not told is listed, in each format alike."""

import contextlib
import json
import sqlite3
import unittest

import cases
import device_case
import perfetto
import xspace

GPU, TPU = "/device:GPU:0", "/device:TPU:0"


def lines_of(events):
    lines = {}
    for line, *event in events:
        lines.setdefault(line, []).append(event)
    return lines


class Odd(cases.Case):
    """Events of XLA's profiler are (line, name, begin in us, length in us, {stat: value})."""

    def protobuf(self, device, events, **stats):
        plane = xspace.Plane(device, 0, [(key, value, xspace.REF) for key, value in stats.items()])
        for number, (line, of) in enumerate(lines_of(events).items(), 1):
            plane.line(
                line,
                xspace.START,
                [
                    (plane.event_name(name), at * xspace.US, long * xspace.US, list(more[0].items()) if more else [])
                    for name, at, long, *more in of
                ],
                number,
            )
        return self.file(xspace.message([(1, plane.fields()), (4, "host")]), "h.xplane.pb")

    def trace_json(self, device, events):
        out = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": device}}]
        for number, (line, of) in enumerate(lines_of(events).items(), 1):
            out.append({"ph": "M", "pid": 3, "tid": number, "name": "thread_name", "args": {"name": line}})
            out += [
                {
                    "ph": "X",
                    "pid": 3,
                    "tid": number,
                    "ts": at,
                    "dur": long,
                    "name": name,
                    "args": {key: str(value) for key, value in (more[0] if more else {}).items()},
                }
                for name, at, long, *more in of
            ]
        head = '{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": %s}'
        return self.file(head % json.dumps(out), "h.trace.json")

    def pftrace(self, device, events):
        s = perfetto.Sequence(2, 1)
        s.track(10, process=[(1, 3), (6, device)])
        for number, (line, of) in enumerate(lines_of(events).items(), 20):
            s.track(number, line, 10, thread=[(1, 3), (2, number), (5, line)])
            for name, at, long, *more in of:
                s.slice(1000 + at * 1000, 1000 + (at + long) * 1000, number, name, None, more[0] if more else {})
        return self.file(b"".join(s.out), "h.pftrace")

    def test_calls_of_which_none_is_an_activity_s(self):
        """As where a driver gives each the number 0. Where a profile has no call at all, it was taken so."""

        def told(calls, kernels):
            events = [
                {"ph": "X", "cat": cat, "name": "k", "pid": pid, "tid": 7, "ts": at, "dur": 5, "args": args}
                for cat, pid, numbers, begin in (("cuda_runtime", 100, calls, 10), ("kernel", 0, kernels, 50))
                for at, args in enumerate(
                    ({"correlation": number, **({"device": 0, "stream": 7} if pid == 0 else {})} for number in numbers),
                    begin,
                )
            ]
            path = self.file({"schemaVersion": 1, "traceEvents": events}, "t.json")
            launched = self.rows("SELECT count(*), count(launch_ns) FROM trace_device_activity(?)", path)
            return launched, self.issues(path).get("missing_field")

        self.assertEqual(([(2, 0)], 2), told([0, 0], [0, 0]))
        self.assertEqual(([(2, 0)], 2), told([1, 2], [8, 9]))
        self.assertEqual(([(2, 1)], 1), told([1, 2], [1, 9]))
        self.assertEqual(([(2, 2)], None), told([1, 2], [1, 2]))
        self.assertEqual(([(2, 0)], None), told([], [1, 2]))

    def files_of_xla(self, device, events):
        return [form(device, events) for form in (self.protobuf, self.trace_json, self.pftrace)]

    def read_text(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def did(self, path, columns="name, class, kind"):
        return self.rows(f"SELECT {columns} FROM trace_device_activity(?) ORDER BY start_ns, name", path)

    def test_what_lies_on_streams_of_gpus(self):
        """Memory that is held and faults of pages are no work, migrations of pages are copies; a stream that waits is none."""
        events = [
            ("Stream #7(Compute)", "gemm", 100, 100, {"correlation_id": 1}),
            ("Stream #7(Compute)", "MemcpyH2D", 200, 50, {"correlation_id": 2, "memcpy_details": "size:4096"}),
            ("Stream #0(MemoryResidency)", "Memory device", 0, 900),
            ("Stream #0(MemoryResidency)", "Memory managed_static", 0, 950),
            ("Stream #268435457(UnifiedMemory)", "UM_BYTES_TRANSFER_HTOD", 300, 50),
            ("Stream #268435460(UnifiedMemory)", "UM_GPU_PAGE_FAULT", 400, 100),
            ("Stream #8(Generic)", "cuStreamWaitEvent", 600, 100),
        ]
        for path in self.files_of_xla(GPU, events):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual(
                    [
                        ("gemm", "compute", "kernel"),
                        ("MemcpyH2D", "memory", "memcpy"),
                        ("UM_BYTES_TRANSFER_HTOD", "memory", "memcpy"),
                        ("cuStreamWaitEvent", "sync", "sync"),
                    ],
                    self.did(path),
                )
                self.assertEqual(
                    [(200_000, 100_000, 100_000)],
                    self.rows("SELECT busy_ns, compute_ns, memory_ns FROM trace_device_time(?)", path),
                )
                self.assertEqual(3, self.issues(path).get("no_work"))

    def test_graphs_that_count_whole(self):
        events = [
            ("Stream #7(Compute)", "gemm", 100, 100),
            ("Stream #9(CudaGraph)", "CudaGraphExec:5", 300, 100),
            ("Stream #9(CudaGraph)", "CudaGraphExec:5", 500, 100),
        ]
        for path in self.files_of_xla(GPU, events):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual(
                    [300_000], [ns for (ns,) in self.rows("SELECT busy_ns FROM trace_device_time(?)", path)]
                )
                self.assertEqual(2, self.issues(path).get("missing_samples"))

    def test_operations_that_hold_others_by_their_text(self):
        """In the JSON it is an argument."""
        texts = (
            ("scan.3", 0, 900, "%scan.3 = (s32[], f32[8]) while(%t), condition=%c, body=%b"),
            ("closed_call.4", 100, 500, "%closed_call.4 = f32[8] call(%p), to_apply=%z"),
            ("branch.5", 300, 200, "%branch.5 = f32[8] conditional(%p, %a, %b), branch_computations={%x, %y}"),
            ("fusion.1", 350, 10, "%fusion.1 = f32[8] fusion(%p), kind=kLoop"),
        )
        events = [("XLA Ops", name, at, long, {"long_name": text}) for name, at, long, text in texts]
        for path in (self.trace_json(TPU, events), self.pftrace(TPU, events)):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual([("fusion.1", "compute", "kernel")], self.did(path))

    def test_steps_of_the_device_have_the_numbers_of_the_host_in_the_json(self):
        """As they have in the protobuf (test_xplane.py): a device counts its steps from 0, and the group says which of the host's they are."""
        trace = json.loads(
            self.read_text(self.trace_json(TPU, [("XLA Ops", f"fusion.{i}", 110 + 100 * i, 80) for i in (0, 1)]))
        )

        def steps(pid, place, at, long, name=str, **args):
            yield {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": place}}
            yield {"ph": "M", "pid": pid, "tid": 9, "name": "thread_name", "args": {"name": "Steps"}}
            for i in (0, 1):
                more = {key: str(value + i) for key, value in args.items()}
                yield {"ph": "X", "pid": pid, "tid": 9, "ts": at + long * i, "dur": long, "name": name(i), "args": more}

        trace["traceEvents"] += steps(3, TPU, 100, 100, group_id=0)
        trace["traceEvents"] += steps(4, "/host:CPU", 0, 50, lambda i: "train", step_num=100, group_id=0)
        path = self.file(json.dumps(trace), "h.trace.json")
        self.assertEqual([("fusion.0", "100"), ("fusion.1", "101")], self.did(path, "name, step"))

    def test_kernels_that_overran_in_the_json(self):
        """As in the protobuf (test_xplane.py): a stream of CUDA runs in order; where HIP launches, a line is a queue that streams share."""
        for call, busy, said in (("cuLaunchKernel", 20_000, {"overrun_activity": 1}), ("hipLaunchKernel", 100_000, {})):
            trace = json.loads(
                self.read_text(
                    self.trace_json(
                        GPU,
                        [
                            ("Stream #7(Compute)", name, at, long, {"correlation_id": at + 1})
                            for name, at, long in (("gemm", 100, 100), ("relu", 110, 10))
                        ],
                    )
                )
            )
            trace["traceEvents"] += [
                {"ph": "M", "pid": 4, "name": "process_name", "args": {"name": "/host:CPU"}},
                {"ph": "M", "pid": 4, "tid": 1, "name": "thread_name", "args": {"name": "python"}},
            ] + [
                {
                    "ph": "X",
                    "pid": 4,
                    "tid": 1,
                    "ts": i,
                    "dur": 1,
                    "name": call,
                    "args": {"correlation_id": str(at + 1)},
                }
                for i, at in enumerate((100, 110))
            ]
            path = self.file(json.dumps(trace), "h.trace.json")
            self.assertEqual([(busy,)], self.rows("SELECT busy_ns FROM trace_device_time(?)", path), call)
            self.assertEqual(said, self.issues(path), call)

    def test_work_of_asynchronous_operations_counts_once(self):
        """The compiler's counts are those of the instruction, which is on two lines: as it begins, and as long as it runs."""
        work = {"flops": 1000, "bytes_accessed": 50}
        events = [
            ("XLA Ops", "call-start.1", 0, 1, work),
            ("XLA Ops", "call-start.1", 50, 1, work),
            ("Async XLA Ops", "call-start.1", 0, 40, work),
            ("Async XLA Ops", "call-start.1", 50, 40, work),
            ("Async XLA Ops", "copy-start.2", 0, 40, {"bytes_accessed": 7}),
        ]
        for path in (self.protobuf(TPU, events), self.trace_json(TPU, events)):
            self.assertEqual(
                [("call-start.1", 4, 2000.0, 100), ("copy-start.2", 1, None, 7)],
                self.rows("SELECT name, n, flops, bytes FROM trace_device_kernels(?) ORDER BY 1", path),
                path,
            )

    def test_one_profile_in_two_files(self):
        """What devices did counts twice, where the names do not tell that one is a copy of the other."""
        events = [("XLA Ops", f"fusion.{i}", 100 * i, 50) for i in range(5)]
        other = [("XLA Ops", f"fusion.{i}", 100 * i + 1, 50) for i in range(5)]

        def content(path):
            with open(path, "rb") as file:
                return file.read()

        def listed(first, second):
            folder = self.folder_of({"one/a." + first[0]: content(first[1]), "two/b." + second[0]: content(second[1])})
            self.assertEqual(10, self.one("SELECT count(*) FROM trace_device_activity(?)", folder))
            rows = "SELECT count(*) > 0 FROM mpg_issues WHERE kind = 'parallel_logs' AND source GLOB ? || '/*'"
            return self.one(rows, folder)

        for ending, write in (("xplane.pb", self.protobuf), ("trace.json", self.trace_json)):
            each = events, events + [("Steps", "1", 0, 900)], other
            same, more, different = ((ending, write(TPU, of)) for of in each)
            self.assertEqual((1, 0), (listed(same, more), listed(same, different)), ending)

    def test_architectures_that_name_no_chip(self):
        """XLA writes what ROCm calls the agent, which several chips share: the argument says which it is."""
        for told, given, chip in (
            ("gfx942", None, "gfx942"),
            ("gfx942", "MI325X", "MI325X"),
            ("NVIDIA H100 80GB HBM3", "MI325X", "NVIDIA H100 80GB HBM3"),
        ):
            path = self.protobuf(GPU, [("Stream #7", "gemm", 0, 10)], gpu_device_name=told)
            self.assertEqual([(chip,)], self.rows("SELECT chip FROM trace_device_activity(?, ?)", path, given))

    def test_asynchronous_operations_without_their_line(self):
        """Begins and ends alone do not tell what computation hides. XProf leaves the line out of the JSON."""
        events = [
            ("XLA Ops", "all-reduce-start.1", 0, 1),
            ("XLA Ops", "fusion.1", 1, 900),
            ("XLA Ops", "all-reduce-done.1", 901, 10),
            ("XLA Ops", "copy-start", 920, 1),
        ]
        for path in self.files_of_xla(TPU, events):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual(4, len(self.did(path)))
                self.assertEqual(2, self.issues(path).get("missing_samples"))
        beside = [("Async XLA Ops", "all-reduce-start.1", 0, 911), ("Async XLA Ops", "copy-start", 920, 10)]
        for path in self.files_of_xla(TPU, events + beside):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual(6, len(self.did(path)))
                self.assertEqual({}, self.issues(path))

    def test_asynchronous_operations_that_are_called_by_no_work(self):
        """The wait for their end is none; as long as they run they count as computation, which is listed."""
        events = [("XLA Ops", "fusion.1", 0, 10), ("XLA Ops", "async-done.3", 50, 40)]
        for path in self.files_of_xla(TPU, events):
            with self.subTest(path.rpartition("/")[2]):
                self.assertEqual(
                    [(10000, 10000)], self.rows("SELECT busy_ns, compute_ns FROM trace_device_time(?)", path)
                )
                self.assertEqual({}, self.issues(path))
        for name, said in (
            ("async-start.3", 1),
            ("call-start", 1),
            ("copy-start.3", None),
            ("all-gather-start.1", None),
        ):
            for path in self.files_of_xla(TPU, events + [("Async XLA Ops", name, 20, 70)]):
                with self.subTest(name, path=path.rpartition("/")[2]):
                    self.assertEqual([(80000,)], self.rows("SELECT busy_ns FROM trace_device_time(?)", path))
                    self.assertEqual(said, self.issues(path).get("missing_samples"))

    def test_devices_that_are_a_part_of_their_chip(self):
        """Their roofline is that of the part, and who divides by the whole chip's peak is told."""
        events = [("XLA Ops", "fusion.1", 0, 900)]
        for chip, said in (
            ("TPU v3", {"guessed_share": 1}),
            ("TPU v5e", {}),
            ("TPU7x", {"guessed_share": 1}),
            ("?", {}),
        ):
            self.did(path := self.protobuf(TPU, events, device_type_string=chip))
            self.assertEqual(said, self.issues(path), chip)
        for path in (self.trace_json(TPU, events), self.pftrace(TPU, events)):
            for chip, said in (("TPU v2", 1), ("TPU v4", None), (None, None)):
                self.rows("SELECT count(*) FROM trace_device_activity(?, ?)", path, chip)
                self.assertEqual(said, self.issues(path).get("guessed_share"), (path, chip))
        call = device_case.event("cuda_runtime", "launch", 2, 1, correlation=1)
        mm = {"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}
        events = [device_case.event("cpu_op", "aten::mm", 0, 10, **mm), call, device_case.kernel("gemm", 1, 20, 1000)]
        path = self.file({"schemaVersion": 1, "traceEvents": events}, "t.json")
        answers = {}
        for chip in ("intel-max-1550", "intel-max-1550-tile"):
            answers[chip] = self.rows(
                "SELECT tflop_per_s, peak_tflop_per_s, roofline_ns, roofline_share, bound FROM trace_device_op_roofline(?, ?)",
                path,
                chip,
            )
            self.assertEqual({"guessed_share": 1} if chip == "intel-max-1550" else {}, self.issues(path))
        self.assertEqual(1, len(set(map(tuple, answers.values()))), answers)

    def test_graphs_of_which_nothing_is_there(self):
        """A call that launches a graph launches work, as one that launches a kernel: in each form."""
        kernels = [("Stream #7(Compute)", "gemm", 100 * i, 50, {"correlation_id": i}) for i in (1, 2)]
        calls = {1: "cuLaunchKernel", 2: "cuGraphLaunch", 3: "cuGraphLaunch"}

        def protobuf(called):
            gpu, host = xspace.Plane(GPU), xspace.Plane("/host:CPU")
            for plane, line, events in (
                (gpu, "Stream #7", [(n, at, long, more) for _, n, at, long, more in kernels]),
                (host, "python", [(calls[i], i, 1, {"correlation_id": i}) for i in called]),
            ):
                plane.line(
                    line,
                    xspace.START,
                    [
                        (plane.event_name(n), at * xspace.US, long * xspace.US, list(more.items()))
                        for n, at, long, more in events
                    ],
                )
            return self.file(xspace.message([(1, gpu.fields()), (1, host.fields())]), "h.xplane.pb")

        def trace_json(called):
            trace = json.loads(self.read_text(self.trace_json(GPU, kernels)))
            trace["traceEvents"] += [
                {"ph": "M", "pid": 4, "name": "process_name", "args": {"name": "/host:CPU"}},
                {"ph": "M", "pid": 4, "tid": 1, "name": "thread_name", "args": {"name": "python"}},
            ] + [
                {"ph": "X", "pid": 4, "tid": 1, "ts": i, "dur": 1, "name": calls[i], "args": {"correlation_id": str(i)}}
                for i in called
            ]
            return self.file(json.dumps(trace), "h.trace.json")

        def pftrace(called):
            s = perfetto.Sequence(2, 1)
            for i in called:
                name = calls[i].replace("cu", "hip", 1)
                s.slice(1000 * i, 1000 * i + 500, 1, name, "hip_api", {"corr_id": i})
            for _, name, at, long, more in kernels:
                args = {"agent": "GPU-0", "corr_id": more["correlation_id"]}
                s.slice(at * 1000, (at + long) * 1000, 2, name, "kernel_dispatch", args)
            return self.file(b"".join(s.out), "t.pftrace")

        for form in (protobuf, trace_json, pftrace):
            for called, said in (((1, 2), None), ((1, 2, 3), 1)):
                path = form(called)
                self.assertEqual(2, len(self.did(path)))
                self.assertEqual(said, self.issues(path).get("no_device_event"), (form, called))


class Nsys(cases.Case):
    """Exports of one process, 100, with a kernel of 100 us each time that one is asked for."""

    KERNELS = 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, streamId, correlationId, globalPid, demangledName)'

    def export(self, *statements):
        path = self.file("", "run.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(
                f"""CREATE TABLE StringIds(id, value);
                INSERT INTO StringIds VALUES (1, 'gemm');
                CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs);
                INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({xspace.START});
                {self.KERNELS};
                INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 101000, 0, 7, 1, 100 << 24, 1);
                {';'.join(statements)}"""
            )
        return path

    def busy(self, path):
        return self.rows("SELECT device, chip, busy_ns FROM trace_device_time(?) ORDER BY 1", path)

    def test_graphs_that_count_whole(self):
        """Unless they are traced node by node."""
        path = self.export(
            'CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, "end", deviceId, streamId, correlationId, globalPid, graphId)',
            "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (201000, 301000, 0, 7, 2, 100 << 24, 3), (401000, 501000, 0, 7, 3, 100 << 24, 3)",
        )
        self.assertEqual([("0", None, 300_000)], self.busy(path))
        self.assertEqual({"missing_samples": 2}, self.issues(path))

    def test_devices_of_which_two_things_are_told(self):
        """An activity counts once, whatever the export tells of its GPU."""
        gpus = "CREATE TABLE TARGET_INFO_GPU(id, name)", "INSERT INTO TARGET_INFO_GPU VALUES (0, 'H100'), (1, 'A100')"
        for told, device, said in (
            ("(0, 0, 100, 'u0'), (0, 0, 100, 'u0')", "0", {}),
            ("(0, 0, 100, NULL), (0, 0, 100, 'u0')", "0", {}),
            ("(1, 0, 100, 'u1'), (0, 0, 100, 'u0')", "0", {"conflict": 1}),
        ):
            path = self.export(
                *gpus,
                "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid, uuid)",
                f"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES {told}",
            )
            self.assertEqual([(device, "H100", 100_000)], self.busy(path), told)
            self.assertEqual(said, self.issues(path), told)

    def test_gpus_of_one_number_and_several_names(self):
        path = self.export(
            "CREATE TABLE TARGET_INFO_GPU(id, name)",
            "INSERT INTO TARGET_INFO_GPU VALUES (0, 'H100'), (0, 'A100'), (0, 'H100')",
        )
        self.assertEqual([("0", "H100", 100_000)], self.busy(path))
        self.assertEqual({"conflict": 1}, self.issues(path))


if __name__ == "__main__":
    unittest.main()
