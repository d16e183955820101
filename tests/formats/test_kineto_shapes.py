"""Chrome traces of PyTorch's profiler as its backends, versions and options write them: what is right by hand, or that it is said."""

import json
import unittest

from device_case import Case, cuda_launch, event, kernel

STEP = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9, "ts": 1000, "dur": 900}


class Shapes(Case):
    def trace(self, *events):
        return self.file({"schemaVersion": 1, "traceEvents": [STEP, *events]})

    def test_ascend_s_tasks(self):
        """torch_npu: the tasks of a collective's planes lie beside the whole one, records of events are no work, and nothing ties a kernel to its call."""

        def task(pid, name, ts, dur, tid=2):
            return {
                "ph": "X",
                "name": name,
                "pid": pid,
                "tid": tid,
                "ts": f"{ts}.000",
                "dur": dur,
                "args": {"Task Type": "x"},
            }

        processes = [
            {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
            for pid, name in ((2, "Ascend Hardware"), (3, "HCCL"), (5, "Overlap Analysis"))
        ]
        planes = [
            task(3, "Notify_Wait", 1200, 30, 3),
            task(3, "Memcpy", 1230, 50, 3),
            task(3, "Reduce_Inline", 1250, 30, 4),
        ]
        events = [
            task(2, "MatMulV2", 1100, 50),
            task(2, "EVENT_RECORD", 1150, 1),
            task(2, "EVENT_WAIT", 1151, 10),
            task(2, "MEMCPY_ASYNC", 1170, 10),
            task(5, "Computing", 1100, 50),
        ]
        whole = task(3, "hcom_allReduce__100_0", 1200, 80, 1)
        for more, communication, no_work in (
            ([whole], [("communication", "hcom_allReduce__100_0", 80000)], 4),
            (
                [],
                [
                    ("communication", "HCCL Notify_Wait", 30000),
                    ("communication", "HCCL Memcpy", 50000),
                    ("communication", "HCCL Reduce_Inline", 30000),
                ],
                1,
            ),
        ):
            path = self.file([*processes, STEP, *events, *planes, *more], "trace_view.json")
            rows = self.rows(
                "SELECT class, name, end_ns - start_ns FROM trace_device_activity(?) ORDER BY start_ns, stream", path
            )
            self.assertEqual(
                rows,
                [
                    ("compute", "MatMulV2", 50000),
                    ("sync", "EVENT_WAIT", 10000),
                    ("memory", "MEMCPY_ASYNC", 10000),
                    *communication,
                ],
            )
            self.assertEqual(
                self.issues(path), {"no_work": no_work, "missing_field": 3 + len(communication), "unknown_event": 1}
            )

    def test_slices_and_partitions(self):
        """A slice's name says that it is one; a partition of AMD's has the name of the whole, and fewer compute units."""
        for name, units, listed in (
            ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16, {"guessed_share": 1}),
            ("AMD Instinct MI300X", 38, {"guessed_share": 1}),
            ("AMD Instinct MI355X", 128, {"guessed_share": 1}),
            ("AMD Instinct MI300X VF", 304, {}),
            ("AMD Instinct MI300A", 228, {}),
            ("NVIDIA H100 PCIe", 114, {}),
            ("AMD Instinct MI300X", None, {}),
        ):
            path = self.file(
                {
                    "schemaVersion": 1,
                    "deviceProperties": [{"id": 0, "name": name, "numSms": units}],
                    "traceEvents": [STEP, kernel("a", None, 1100, 50)],
                }
            )
            self.assertEqual(self.rows("SELECT chip, count(*) FROM trace_device_activity(?)", path), [(name, 1)])
            self.assertEqual(self.issues(path), listed, (name, units))

    def test_devices_that_are_described_twice(self):
        """As where somebody put traces together: an activity counts once, and two names of a device are listed."""
        for names, said in ((("A", "A"), {}), (("A", "B"), {"conflict": 1}), (("", "A"), {})):
            devices = [{"id": 0, "name": name} for name in names]
            trace = {"schemaVersion": 1, "deviceProperties": devices, "traceEvents": [kernel("gemm", 1, 1100, 50)]}
            path = self.file(trace, "t.json")
            self.assertEqual(
                [("A", 1, 50_000)], self.rows("SELECT chip, activities, busy_ns FROM trace_device_time(?)", path)
            )
            self.assertEqual(said, self.issues(path), names)

    def test_correlations_above_what_an_integer_holds(self):
        """From 2^63 on: each is of its own call, and told as the 64 bits that it is."""
        first, second = 2**63 + 5, 2**64 - 2
        calls = [
            event("cuda_runtime", f"call {i}", 1010 + 10 * i, 5, correlation=c)
            for i, c in enumerate((first, first + 1, second, second + 1))
        ]
        path = self.trace(
            *calls,
            kernel("a", first, 1100, 50),
            kernel("b", first + 1, 1200, 50),
            kernel("c", str(second), 1300, 50),
            kernel("d", second + 1, 1400, 50),
            kernel("e", 7, 1500, 50),
        )
        self.assertEqual(
            self.rows("SELECT name, launch_name, correlation FROM trace_device_activity(?) ORDER BY name", path),
            [
                ("a", "call 0", first - 2**64),
                ("b", "call 1", first + 1 - 2**64),
                ("c", "call 2", -2),
                ("d", "call 3", -1),
                ("e", None, 7),
            ],
        )
        self.assertEqual(
            self.rows("SELECT correlation FROM chrome_trace(?) WHERE name = 'b'", path), [(str(first + 1),)]
        )

    def test_categories_of_other_devices_are_listed(self):
        """MTIA's insight and others of Kineto, without a stream or a correlation too."""
        for cat in ("mtia_insight", "hpu_op", "collective_comm"):
            for args in ({}, {"device": 0}):
                path = self.trace(
                    event("cuda_runtime", "call", 1010, 5, correlation=1),
                    kernel("gemm", 1, 1100, 50),
                    event(cat, "x", 1200, 5, **args),
                )
                self.assertEqual(self.rows("SELECT name FROM trace_device_activity(?)", path), [("gemm",)])
                self.assertEqual(self.issues(path), {"unknown_event": 1}, (cat, args))

    def test_halves_of_calls(self):
        """B and E of any category that would count."""
        for cat in ("cuda_driver", "xpu_runtime", "concurrent_kernel", "Runtime"):
            for pair in ("BE", "be"):  # of a thread, and asynchronous
                halves = [dict(event(cat, "x", ts, 0, correlation=1), ph=ph) for ph, ts in zip(pair, (1010, 1015))]
                path = self.trace(*halves, kernel("gemm", 1, 1100, 50))
                rows = self.rows("SELECT name, launch_ns FROM trace_device_activity(?)", path)
                self.assertEqual(rows, [("gemm", None)])
                self.assertIn(self.issues(path), ({"unknown_event": 1}, {"impossible_time": 1}), (cat, pair))

    def test_barriers_of_symmetric_memory(self):
        names = [
            "c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(unsigned int**, int, int, int, unsigned long)",
            "void barrier_free_gemm<8>()",
        ]
        self.assertEqual(
            self.rows(
                "SELECT class FROM trace_device_activity(?) ORDER BY start_ns",
                self.trace(*(kernel(name, i, 1100 + 10 * i, 5) for i, name in enumerate(names, 1))),
            ),
            [("communication",), ("compute",)],
        )

    def test_steps_that_the_device_alone_marks(self):
        """A profile without records of the host; a stream's marks are its own."""
        marks = [
            event("gpu_user_annotation", f"ProfilerStep#{n}", ts, 300, 0, tid)
            for n, ts, tid in ((1, 1000, 7), (2, 1300, 7), (2, 1200, 20))
        ]
        other = event("kernel", "other", 1250, 10, 0, 20, device=0, stream=20, correlation=4)
        path = self.file(
            {
                "schemaVersion": 1,
                "traceEvents": [
                    *marks,
                    other,
                    *(
                        kernel(name, i, ts, 20)
                        for i, (name, ts) in enumerate((("before", 900), ("one", 1250), ("two", 1310), ("after", 1700)))
                    ),
                ],
            }
        )
        self.assertEqual(
            self.rows("SELECT name, step FROM trace_device_activity(?) ORDER BY start_ns, name", path),
            [("before", None), ("one", "1"), ("other", "2"), ("two", "2"), ("after", None)],
        )
        self.assertEqual(
            self.rows("SELECT step, activities FROM trace_device_step_time(?) ORDER BY 1", path), [("1", 1), ("2", 2)]
        )

    def test_properties_before_the_events(self):
        """A job of many ranks and groups has more of them than is looked at to tell a file's format."""
        groups = [{"pg_name": str(i), "pg_desc": "data parallel", "ranks": list(range(i, i + 16))} for i in range(4000)]
        head = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
            "distributedInfo": {"backend": "nccl", "rank": 7, "world_size": 8192, "pg_config": groups},
        }
        path = self.file({**head, "traceEvents": [STEP, kernel("gemm", 1, 1100, 50)]})
        self.assertEqual(
            [(7, "NVIDIA H200", "gemm")], self.rows("SELECT rank, chip, name FROM trace_device_activity(?)", path)
        )

    def test_numbers_that_a_tool_wrote_again(self):
        """Of languages in which each number is a REAL."""
        for base, rank in (
            ("1700000000000000000", "3"),
            ("1.7e18", "3.0"),
            ('"1700000000000000000"', '"3"'),
            ("1700000000000000000.0", "3e0"),
        ):
            path = self.file(
                '{"schemaVersion": 1, "baseTimeNanoseconds": %s, "distributedInfo": {"rank": %s, "world_size": 8.0}, "traceEvents": %s}'
                % (base, rank, json.dumps([STEP, kernel("gemm", 1, 1100, 50)]))
            )
            self.assertEqual(
                [(1700000000001100000, 3, 8)],
                self.rows(
                    "SELECT start_ns, a.rank, world_size FROM trace_device_activity(?1) AS a JOIN trace_device_traces(?1) USING (trace)",
                    path,
                ),
                base,
            )

    def test_times_that_are_unix_time_already(self):
        """As tools leave them that put traces together, beside the epoch of one of the files."""
        at = 1700000000000000
        for base, shift in ((1700000000000000000, 0), (1700000000000000000, at), (0, at)):
            events = [
                {**e, "ts": e["ts"] + shift}
                for e in (
                    STEP,
                    event("cuda_runtime", "cudaLaunchKernel", 1050, 5, correlation=1),
                    kernel("gemm", 1, 1100, 50),
                )
            ]
            path = self.file({"schemaVersion": 1, "baseTimeNanoseconds": base, "traceEvents": events})
            self.assertEqual(
                [(1700000000001100000, 1700000000001050000, "1")],
                self.rows("SELECT start_ns, launch_ns, step FROM trace_device_activity(?)", path),
                (base, shift),
            )

    def test_a_trace_and_what_a_tool_made_of_it(self):
        """As HTA's critical path beside its input: each counts, and it is said; traces of other runs are none."""
        events = [
            event("cuda_runtime", "cudaLaunchKernel", 1050, 5, correlation=1),
            kernel("gemm", 1, 1100, 50),
            kernel("relu", 2, 1200, 50),
        ]
        later = [{**e, "ts": e["ts"] + 5000} for e in events]
        whole = {"schemaVersion": 1, "traceEvents": [STEP, *events]}
        folder = self.folder_of(
            {
                "a.json": whole,
                "b_overlaid.json": {**whole, "traceEvents": [*events, event("cpu_op", "aten::mm", 1040, 20)]},
                "c.json": {**whole, "traceEvents": [STEP, *later]},
            }
        )
        self.assertEqual([(2,)] * 3, self.rows("SELECT activities FROM trace_device_time(?)", folder))
        said = self.rows("SELECT source, detail FROM mpg_issues WHERE kind = 'parallel_logs' ORDER BY source")
        self.assertEqual(
            [("a.json", "b_overlaid.json"), ("b_overlaid.json", "a.json")],
            [(source.split("/")[-1], detail.split(": two forms")[0].split("/")[-1]) for source, detail in said],
        )

    def test_copies_that_took_no_time(self):
        """Kineto writes their bandwidth as the text N/A, which is none; bytes below 0 are none and are listed."""
        rate = "memory bandwidth (GB/s)"
        copies = [
            event(
                "gpu_memcpy",
                "Memcpy HtoD",
                1000 + 100 * i,
                dur,
                0,
                7,
                device=0,
                stream=7,
                correlation=i + 1,
                bytes=size,
                **{rate: gb},
            )
            for i, (dur, size, gb) in enumerate(((10, 40000, 4.0), (0, 64, "N/A"), (10, -1, 2)))
        ]
        path = self.trace(*copies)
        self.assertEqual(
            [(40000, 4.0, "real"), (64, None, "null"), (None, 2.0, "real")],
            self.rows("SELECT bytes, gb_per_s, typeof(gb_per_s) FROM trace_device_activity(?) ORDER BY start_ns", path),
        )
        self.assertEqual({"impossible_value": 1}, self.issues(path))

    def steps(self, *names, **more):
        """A trace of a step after the other, each with a call, its kernel and the stream's mark of it."""
        events = []
        for i, around in enumerate(names):
            at = 1000 + 1000 * i
            events += [
                event("user_annotation", name, at + 10 * deep, 900 - 20 * deep) for deep, name in enumerate(around)
            ]
            events += [
                event("cuda_runtime", "cudaLaunchKernel", at + 300, 5, correlation=i + 1),
                kernel("gemm", i + 1, at + 400, 50),
                event("gpu_user_annotation", around[0], at + 400, 50, 0, 7),
            ]
        return {"schemaVersion": 1, "traceEvents": events, **more}

    def test_steps_of_other_names(self):
        """Where the program does not call the profiler's step(): annotations that are called as NVTX ranges are, or by the argument step_names."""
        asked = "SELECT step, activities, lag_ns FROM trace_device_step_time(?, NULL, ?) ORDER BY 1"
        for names in (
            ("step 5", "step 6"),
            ("train_step [5/100]", "train_step [6/100]"),
            ("Iteration 5", "Iteration 6"),
        ):
            path = self.file(self.steps(*([name, "forward"] for name in names)))
            self.assertEqual([("5", 1, 400000), ("6", 1, 400000)], self.rows(asked, path, None), names)
            self.assertEqual(
                [("5", "device", 50000), ("5", "host", 900000), ("6", "device", 50000), ("6", "host", 900000)],
                self.rows("SELECT step, side, end_ns - start_ns FROM trace_device_steps(?) ORDER BY 1, 2", path),
            )
            self.assertEqual({}, self.issues(path))
        path = self.file(self.steps(["execute_model"], ["execute_model"]))
        self.assertEqual([], self.rows(asked, path, None))
        self.assertEqual([("0", 1, 400000), ("1", 1, 400000)], self.rows(asked, path, "execute_*"))
        # The profiler's own steps count before all others, unless step_names says which do.
        path = self.file(self.steps(["ProfilerStep#7", "step 1"], ["ProfilerStep#8", "step 2"]))
        self.assertEqual([("7", 1, 400000), ("8", 1, 400000)], self.rows(asked, path, None))
        self.assertEqual([("1", 1, 390000), ("2", 1, 390000)], self.rows(asked, path, "step *"))
        self.assertEqual([("7", 1, 400000), ("8", 1, 400000)], self.rows(asked, path, "nonesuch*"))
        path = self.file(self.steps(["Optimizer.step#AdamW.step"], ["ProfilerStep#"]))  # which are none
        self.assertEqual([], self.rows(asked, path, None))

    def test_copies_among_the_kernels(self):
        """ONNX Runtime gives copies the category of kernels, streams as text, and the devices no number."""
        events = [
            dict(cat="Node", name="/MatMul_kernel_time", pid=10, tid=10, ts=600, dur=50, args={"op_name": "MatMul"}),
            *(
                dict(
                    cat="Kernel",
                    name=name,
                    pid=-1,
                    tid=-1,
                    ts=640 + 20 * i,
                    dur=10,
                    args={"stream": "13", "op_name": "MatMul"},
                )
                for i, name in enumerate(("ampere_sgemm_32x32", "MemcpyHostToDevice", "memcpy_like_kernel"))
            ),
        ]
        path = self.file([{"ph": "X", **event} for event in events])
        self.assertEqual(
            [("13", "kernel", "compute"), ("13", "memcpy", "memory"), ("13", "kernel", "compute")],
            self.rows("SELECT stream, kind, class FROM trace_device_activity(?) ORDER BY start_ns", path),
        )

    def test_steps_that_epochs_number_anew(self):
        """A number that comes again after others is one step, which is said; parts of a step and threads that mark it at once are that step."""

        def marks(*steps):
            return self.file(
                {
                    "traceEvents": [
                        dict(ph="X", cat="user_annotation", name=f"step {n}", pid=9, tid=tid, ts=ts, dur=90)
                        for n, ts, tid in steps
                    ]
                    + [cuda_launch(20, 5), kernel("k", 1, 30, 5)]
                }
            )

        for steps, said in (
            ([(0, 0, 9), (1, 100, 9), (0, 200, 9), (1, 300, 9), (2, 400, 9)], {"repeated_steps": 2}),
            ([(0, 0, 9), (0, 100, 9), (1, 200, 9), (1, 300, 9)], {}),
            ([(0, 0, 9), (0, 5, 8), (1, 100, 9), (1, 95, 8)], {}),
        ):
            path = marks(*steps)
            self.assertEqual("0", self.one("SELECT step FROM trace_device_activity(?)", path))
            self.assertEqual(said, self.issues(path))

    def test_steps_of_hta_are_the_profiler_s(self):
        """Its limit is the begin of the last step that the profiler marks."""
        launches = "SELECT count(*) FROM trace_hta_launches(?)"
        self.assertEqual(
            [1, 2],
            [
                self.one(launches, self.file(self.steps([name + "1"], [name + "2"])))
                for name in ("ProfilerStep#", "step ")
            ],
        )

    def test_traces_without_a_device_s_event(self):
        """The host alone, calls whose kernels were lost, categories that are unknown: each is said."""
        work, call = event("cpu_op", "aten::mm", 1100, 50), event(
            "cuda_runtime", "cudaLaunchKernel", 1110, 5, correlation=1
        )
        for events, words in (
            ((work,), "of the host alone: was the profile taken with"),
            ((work, call), "calls of its driver are there"),
            ((work, event("hpu_op", "mme", 1200, 50, device=0)), "of a category or dialect that is not known"),
        ):
            path = self.trace(*events)
            self.assertEqual([], self.rows("SELECT * FROM trace_device_activity(?)", path))
            self.assertIn(
                words, self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'no_device_event'", path)
            )

    def test_paddle(self):
        """PaddlePaddle's traces look like PyTorch's, and say what they say in other words; each name ends with the duration."""

        def of(cat, name, ts, dur, pid, tid, **args):
            shown = f"{dur / 1000:.3f} ms" if dur > 1000 else f"{dur:.3f} us"
            return {
                "name": f"{name}[{shown}]",
                "pid": pid,
                "tid": tid,
                "ts": ts,
                "dur": dur,
                "ph": "X",
                "cat": cat,
                "cname": "thread_state_runnable",
                "args": {"start_time": "0.000 us", "end_time": "1.000 us", **args},
            }

        events = []
        for step in (3, 4):
            at = 10000 * step
            events += [
                of("ProfileStep", f"ProfileStep#{step}", at, 9000, 70, "7(Python)"),
                of("Forward", "Forward: Linear", at + 10, 200.5, 70, "7(Python)"),
                of("Operator", "matmul dygraph", at + 20, 100, 70, "7(C++)", input_shapes={"X": [[8, 8]]}),
                of("OperatorInner", "matmul compute", at + 30, 50, 70, "7(C++)"),
                of("CudaRuntime", "cudaLaunchKernel", at + 40, 5.25, 70, "7(C++)", **{"correlation id": step}),
                of("CudaRuntime", "cudaMemcpyAsync", at + 200, 5, 70, "7(C++)", **{"correlation id": step + 10}),
                {"name": "launch", "id": step, "pid": 70, "tid": "7(C++)", "ts": at + 42, "ph": "s", "cat": "async"},
                of(
                    "Kernel",
                    "void gemm[2]",
                    at + 300,
                    1000 + step + 0.125,
                    0,
                    7,
                    device=0,
                    context=1,
                    stream=7,
                    **{"correlation id": step},
                ),
                of(
                    "Memcpy",
                    "MEMCPY_DtoH",
                    at + 2000,
                    10,
                    0,
                    7,
                    stream=7,
                    **{"correlation id": step + 10, "bytes": 4096, "memory bandwidth (GB/s)": 0.41},
                ),
            ]
        head = {
            "schemaVersion": "1.0.2",
            "displayTimeUnit": "ms",
            "span_indx": "0",
            "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
        }
        path = self.file(json.dumps({**head, "traceEvents": events + [{}], "ExtraInfo": {"Process": "70"}}))
        self.assertEqual(
            [
                ("3", "void gemm[2]", "kernel", "7", 1003125, "cudaLaunchKernel", "matmul compute", None),
                ("3", "MEMCPY_DtoH", "memcpy", "7", 10000, "cudaMemcpyAsync", None, 4096),
                ("4", "void gemm[2]", "kernel", "7", 1004125, "cudaLaunchKernel", "matmul compute", None),
                ("4", "MEMCPY_DtoH", "memcpy", "7", 10000, "cudaMemcpyAsync", None, 4096),
            ],
            self.rows(
                "SELECT step, name, kind, stream, end_ns - start_ns, launch_name, op, bytes FROM trace_device_activity(?) ORDER BY start_ns",
                path,
            ),
        )
        self.assertEqual(
            [("0", "NVIDIA A100-SXM4-80GB", 4)],
            self.rows("SELECT device, chip, activities FROM trace_device_time(?)", path),
        )
        self.assertEqual(
            [("3", 9000000, 300000), ("4", 9000000, 300000)],
            self.rows("SELECT step, step_ns, lag_ns FROM trace_device_step_time(?) ORDER BY 1", path),
        )
        self.assertEqual({}, self.issues(path))

    def test_a_kernel_before_its_launch(self):
        """Where the clocks of host and device differ: listed, with how far."""
        for start, said in ((1005, None), (990.5, "by up to 9.5 us")):
            call = event("cuda_runtime", "cudaLaunchKernel", 1000, 10, 1, 1, correlation=1)
            path = self.trace(call, kernel("k", 1, start, 50))
            self.assertEqual(
                [(round(1000 * (start - 1000)),)], self.rows("SELECT latency_ns FROM trace_device_launches(?)", path)
            )
            details = [
                detail
                for detail, in self.rows("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'conflict'", path)
            ]
            self.assertEqual(said is not None, len(details) == 1 and said in details[0], details)

    def test_streams_of_two_contexts(self):
        """Each numbers its own: kernels that overlap are no overrun, and none ends the other's gap."""
        kernels = [
            kernel("long", 1, 1100, 500, context=1),
            kernel("short", 2, 1150, 20, context=2),
            kernel("short", 3, 1180, 20, context=2),
        ]
        path = self.trace(*kernels)
        self.assertEqual(
            self.rows("SELECT stream, end_ns - start_ns FROM trace_device_activity(?) ORDER BY start_ns", path),
            [("7 of context 1", 500000), ("7 of context 2", 20000), ("7 of context 2", 20000)],
        )
        self.assertEqual(
            self.rows("SELECT stream, gap_ns FROM trace_device_gaps(?)", path), [("7 of context 2", 10000)]
        )
        self.assertEqual(self.issues(path), {})
        other = event(
            "kernel", "k", 1100, 50, 1, 7, device=1, stream=7, correlation=5, context=2
        )  # a device's own context is nothing odd
        self.assertEqual(
            self.rows("SELECT DISTINCT stream FROM trace_device_activity(?)", self.trace(kernels[0], other)), [("7",)]
        )


if __name__ == "__main__":
    unittest.main()
