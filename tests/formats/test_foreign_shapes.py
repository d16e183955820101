"""Shapes that tools and clusters of others write, each with the figures that are right: what is of another tool is read, or said."""

import contextlib
import json
import os
import shutil
import sqlite3
import unittest

import kube
import rocpd
import xspace
from cases import Case
from fleets import ROOT
from kube import T0, TPU, when

STEP = dict(cat="user_annotation", pid=9, tid=9, ts=1000, dur=500)


def call(correlation, ts, name="cudaLaunchKernel", **more):
    return dict(
        dict(cat="cuda_runtime", name=name, pid=9, tid=9, ts=ts, dur=4, args={"correlation": correlation}), **more
    )


def kernel(name, correlation, ts, dur, device=0, stream=7, **more):
    return dict(
        dict(
            cat="kernel",
            name=name,
            pid=device,
            tid=stream,
            ts=ts,
            dur=dur,
            args={"device": device, "stream": stream, "correlation": correlation},
        ),
        **more,
    )


class Profiles(Case):
    TIME = "SELECT span_ns, busy_ns, idle_ns FROM trace_device_time(?)"

    def trace(self, *events):
        return self.file({"schemaVersion": 1, "traceEvents": [{"ph": "X", **event} for event in events]}, "trace.json")

    def answer(self, path, sql, *issues):
        rows = self.rows(sql, path)
        self.assertEqual(
            sorted(issues), self.rows("SELECT kind, count FROM mpg_issues WHERE source = ? ORDER BY 1", path)
        )
        return rows

    def test_ascend(self):
        """torch_npu: processes say what is the device's, times are text, events have no category."""

        def process(pid, name):
            return {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}

        path = self.file(
            [
                process(1, "Python"),
                process(2, "Ascend Hardware"),
                process(3, "HCCL"),
                {"ph": "X", **STEP, "pid": 1, "name": "ProfilerStep#4", "ts": "1767225600000000.000"},
                {
                    "ph": "X",
                    "name": "MatMulV2",
                    "pid": 2,
                    "tid": 2,
                    "ts": "1767225600000100.125",
                    "dur": 50.5,
                    "args": {"Task Type": "AI_CORE"},
                },
                {
                    "ph": "X",
                    "name": "hcom_allReduce__100_0",
                    "pid": 3,
                    "tid": 1,
                    "ts": "1767225600000200.000",
                    "dur": 80.0,
                    "args": {},
                },
            ],
            "trace_view.json",
        )
        self.assertEqual(
            [("compute", "MatMulV2", 50500), ("communication", "hcom_allReduce__100_0", 80000)],
            self.answer(
                path,
                "SELECT class, name, end_ns - start_ns FROM trace_device_activity(?) ORDER BY start_ns",
                ("missing_field", 2),
            ),
        )

    def test_unitrace_and_rocprof(self):
        """Intel's unitrace calls what a device does gpu_op, and copies by their call; rocprof numbers its processes, in some versions within their names too."""
        path = self.trace(
            dict(cat="gpu_op", name="gemm_kernel", pid=77, tid=1, ts=100, dur=50),
            dict(cat="gpu_op", name="zeCommandListAppendMemoryCopy(M2D)[4096]", pid=77, tid=1, ts=160, dur=10),
            dict(cat="cpu_op", name="zeCommandListAppendLaunchKernel", pid=5, tid=5, ts=90, dur=5),
        )
        self.assertEqual(
            [("77", "compute", 50000), ("77", "memory", 10000)],
            self.answer(
                path, "SELECT device, class, end_ns - start_ns FROM trace_device_activity(?) ORDER BY start_ns"
            ),
        )
        for host, gpu in (("CPU HIP API", "GPU0"), ("0 CPU HIP API", "2 GPU0")):
            path = self.file(
                {
                    "traceEvents": [{}]
                    + [
                        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
                        for pid, name in ((2, host), (6, gpu))
                    ]
                    + [
                        {
                            "ph": "X",
                            "name": "gemm",
                            "pid": 6,
                            "tid": 0,
                            "ts": "100",
                            "dur": "50",
                            "args": {"BeginNs": "100000", "EndNs": "150000", "dev-id": "0"},
                        }
                    ]
                },
                "results.json",
            )
            self.assertEqual(
                [("0", "gemm", 50000)],
                self.rows("SELECT device, name, end_ns - start_ns FROM trace_device_activity(?)", path),
            )

    def test_kernels_whose_time_cannot_be(self):
        lost = kernel("lost", 4, 1250, 0)
        del lost["dur"]
        path = self.trace(
            dict(STEP, name="ProfilerStep#1"),
            *(call(i, 1000 + 10 * i) for i in range(1, 5)),
            kernel("right", 1, 1100, 50),
            kernel("negative", 2, 1200, -30),
            lost,
            kernel("overflown", 3, 1300, 2**64 / 1e3),
        )
        self.assertEqual(
            [("right",)], self.answer(path, "SELECT name FROM trace_device_activity(?)", ("impossible_time", 3))
        )

    def test_a_kernel_at_0(self):
        """CUPTI lost its time: the device was not idle for sixty days."""
        day = 5184000000000
        path = self.trace(
            dict(STEP, name="ProfilerStep#3", ts=day),
            *(call(i + 1, day + 10 + 100 * i) for i in range(3)),
            kernel("a", 1, day + 20, 80),
            kernel("a", 2, day + 120, 80),
            kernel("a", 3, 0, 0),
        )
        self.assertEqual([(180000, 160000, 20000)], self.answer(path, self.TIME, ("lost_time", 1)))
        self.assertEqual(
            [("3", 160000, 20000)], self.rows("SELECT step, busy_ns, lag_ns FROM trace_device_step_time(?)", path)
        )
        self.assertEqual(
            [("a", 2, 160000, 80000)], self.rows("SELECT name, n, ns, min_ns FROM trace_device_kernels(?)", path)
        )

    def test_a_kernel_that_ends_after_the_next_of_its_stream(self):
        path = self.trace(
            dict(STEP, name="ProfilerStep#1"),
            *(call(i, 1000 + i) for i in range(4)),
            kernel("long", 0, 1020, 1600000),
            *(kernel("next", i, 1020 + 100 * i, 80) for i in range(1, 4)),
        )
        self.assertEqual([(380000, 340000, 40000)], self.answer(path, self.TIME, ("overrun_activity", 1)))
        self.assertEqual(
            [("long", 1, 100000), ("next", 3, 240000)],
            self.rows("SELECT name, n, ns FROM trace_device_kernels(?) ORDER BY name", path),
        )

    def test_ranks_merged_into_one_file(self):
        """Each rank's correlations begin anew; the label of its processes tells which is whose."""
        events = []
        for rank, step, at, op in ((0, 4, 1000, "aten::mm"), (1, 9, 3000, "aten::addmm")):
            host = dict(pid=f"[R{rank}] {70 + rank}", tid=7)
            events += [
                dict(STEP, name=f"ProfilerStep#{step}", **{**host, "ts": at}),
                dict(cat="cpu_op", name=op, ts=at + 5, dur=20, **host),
                call(11, at + 10, **host),
                kernel(f"gemm_{rank}", 11, at + 100, 50, device=rank, pid=f"[R{rank}] {rank}"),
            ]
        path = self.trace(*events)
        self.assertEqual(
            [("0", "4", "aten::mm", 90000), ("1", "9", "aten::addmm", 90000)],
            self.answer(
                path, "SELECT device, step, op, start_ns - launch_ns FROM trace_device_activity(?) ORDER BY device"
            ),
        )
        self.assertEqual(
            [("0", "4", 50000, 100000), ("1", "9", 50000, 100000)],
            self.rows("SELECT device, step, busy_ns, lag_ns FROM trace_device_step_time(?) ORDER BY device", path),
        )

    def test_names_that_are_no_text(self):
        """Bytes that are no UTF-8 in a kernel's name: U+FFFD for each, and listed."""
        events = [
            {"ph": "X", **kernel(name, i, 1100 + 100 * i, 50)} for i, name in enumerate(("gemm_??_tile", "right"))
        ]
        path = self.file(
            json.dumps({"schemaVersion": 1, "traceEvents": events}).encode().replace(b"??", b"\xff\xfe"), "trace.json"
        )
        for sql in (
            "SELECT name FROM chrome_trace(?) WHERE ph = 'X' ORDER BY ts",
            "SELECT name FROM trace_device_activity(?) ORDER BY start_ns",
        ):
            self.assertEqual([("gemm_\ufffd\ufffd_tile",), ("right",)], self.answer(path, sql, ("invalid_utf8", 2)))

    def test_communication_of_other_libraries(self):
        """Symmetric memory of PyTorch, DeepEP, FlashInfer, vLLM's own: beside a matrix product that hides none of it."""
        kernels = [
            ("void (anonymous namespace)::multimem_all_reduce_kernel<bf16, 16>(bf16*)", 100),
            ("void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<bf16, 16>(bf16*)", 50),
            ("void deep_ep::intranode::dispatch<8, 768>(int4*)", 70),
            ("void deep_ep::internode_ll::combine<true, 7168>(void*)", 70),
            ("mscclpp::allreduce7<bf16>(bf16*)", 15),
            ("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(x)", 40),
            ("void vllm::cross_device_reduce_1stage<bf16, 8>(x)", 35),
            ("void hybrid_ep::dispatch_kernel<unsigned short, 4>(x)", 10),
            ("void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8, false>(x)", 10),
            ("void uccl::internode_ll::combine<7168>(x)", 10),
            ("void cross_device_reduce_2stage<bf16, 8>(x)", 25),
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 25),
            ("nvjet_tst_128x256_64x4", 500),
        ]
        path = self.trace(
            dict(STEP, name="ProfilerStep#1"),
            *(kernel(name, i, 1100 + sum(us for _, us in kernels[:i]), us) for i, (name, us) in enumerate(kernels)),
        )
        self.assertEqual(
            [(500000, 460000, 460000)],
            self.answer(
                path, "SELECT compute_ns, communication_ns, exposed_communication_ns FROM trace_device_time(?)"
            ),
        )
        self.assertEqual(
            ["allreduce"] * 2 + [None] * 2 + ["allreduce"] * 3 + [None] * 3 + ["allreduce"] * 2 + [None],
            [
                collective
                for collective, in self.rows("SELECT collective FROM trace_device_activity(?) ORDER BY start_ns", path)
            ],
        )

    def test_kernels_by_their_names_whole_or_mangled(self):
        """Dispatch and combine of NIXL and Mooncake (https://github.com/ai-dynamo/nixl, https://github.com/kvcache-ai/Mooncake), of Perplexity, CANN and MORI;
        barriers between devices; names that a profiler leaves mangled; reductions within a block."""
        for name, of in (
            ("void a2a_dispatch_send_kernel<true, 16, 8>(unsigned long)", "communication"),
            ("void a2a_combine_recv_kernel<16, 8>(unsigned long)", "communication"),
            ("all2all_push", "communication"),
            ("MultiGpuBarrierKernelImpl", "communication"),
            ("aclnnMoeDistributeDispatchV2_MoeDistributeDispatchV2_MoeDistributeDispatchV2", "communication"),
            ("MoeDistributeCombine", "communication"),
            ("EpDispatchIntraNodeKernel_bf16", "communication"),
            ("EpCombineInterNodeV1Kernel_bf16", "communication"),
            ("void nixl_ep::ep_kernels::dispatch<false, 3, 4, 7168>(void*)", "communication"),
            ("void mooncake::combine<10, 3, 7168>(void*, void*)", "communication"),
            ("_ZN7deep_ep9intranode8dispatchILi8ELi768EEEvP4int4", "communication"),
            ("_ZN7nixl_ep10ep_kernels7combineILb1EEEvPv", "communication"),
            ("_ZN8mooncake8dispatchILb1ELi3EEEvPv", "communication"),
            ("_ZN9hybrid_ep15dispatch_kernelItLi4EEEvv", "communication"),
            ("_ZN4uccl12internode_ll7combineILi7168EEEvPv", "communication"),
            ("_ZN4c10d16symmetric_memory14barrier_kernelEPPjjii", "communication"),
            ("void block_all_reduce_sum_f32x4_f32_kernel<256>(float*, float*, int)", "compute"),
            ("void warp_all_reduce_max<float>(float*)", "compute"),
            ("void dispatch_gather_combine<4>(void*)", "compute"),
        ):
            path = self.trace(call(1, 1010), kernel(name, 1, 1030, 50))
            with self.subTest(name):
                self.assertEqual([(of,)], self.rows("SELECT class FROM trace_device_activity(?)", path))

    def test_packed_types_and_sequences(self):
        """Two values of four bits in a byte are two. Of sequences in one batch a trace has the sum of the lengths alone: no price."""
        path = self.trace(
            dict(STEP, name="ProfilerStep#1"),
            call(1, 1010),
            kernel("nvjet_fp4", 1, 1030, 50),
            dict(
                cat="cpu_op",
                name="aten::_scaled_mm",
                pid=9,
                tid=9,
                ts=1005,
                dur=20,
                args={
                    "Input Dims": [[4096, 1024], [1024, 8192]] + [[]] * 6,
                    "Input type": ["c10::Float4_e2m1fn_x2"] * 2 + ["c10::Float8_e4m3fn"] * 2 + [""] * 4,
                },
            ),
        )
        self.assertEqual(
            [("aten::_scaled_mm", 2 * 4096 * 8192 * 2048, 2748.779)],
            self.answer(path, "SELECT op, flops, round(tflop_per_s, 3) FROM trace_device_op_work(?)"),
        )
        shapes, lengths = [[1, 2048, 8, 64]] * 3, [[], [5], [5]] + [[]] * 8
        concrete = json.dumps([""] * 7 + ["512", "512", "0.", "0", "False", "", ""])
        price = "SELECT op_flops('aten::_efficient_attention_forward', ?, ?)"
        self.assertIsNone(self.one(price, json.dumps(shapes + lengths), concrete))
        self.assertEqual(4 * 2048 * 2048 * 8 * 64, self.one(price, json.dumps(shapes + [[]] * 11), concrete))

    def test_operators_that_call_themselves(self):
        """Autocast calls an operator again with inputs of another type, DTensor with this rank's part of the whole; float8's products are _scaled_mm, and those of one example under vmap bmm of all. What is inside is done."""

        def op(name, ts, dur, left, right, dtype):
            return dict(
                cat="cpu_op",
                name=name,
                pid=9,
                tid=9,
                ts=ts,
                dur=dur,
                args={"Input Dims": [left, right], "Input type": [dtype] * 2},
            )

        bf16, fp8 = "c10::BFloat16", "c10::Float8_e4m3fn"
        for outer, inner in (
            (("aten::bmm", [4, 128, 256], [4, 256, 512], "float"), ("aten::bmm", [4, 128, 256], [4, 256, 512], bf16)),
            (("aten::mm", [128, 256], [256, 4096], bf16), ("aten::mm", [128, 256], [256, 512], bf16)),
            (("aten::linear", [128, 256], [4096, 256], bf16), ("aten::linear", [128, 256], [512, 256], bf16)),
            (("aten::mm", [128, 256], [256, 512], bf16), ("aten::_scaled_mm", [128, 256], [256, 512], fp8)),
            (("aten::mm", [128, 256], [256, 512], bf16), ("aten::bmm", [4, 128, 256], [4, 256, 512], bf16)),
        ):
            name, left, right, dtype = inner
            path = self.trace(
                dict(STEP, name="ProfilerStep#1"),
                op(outer[0], 1005, 90, *outer[1:]),
                call(1, 1010),
                op(name, 1020, 60, left, right, dtype),
                call(2, 1030),
                kernel("copy", 1, 1100, 10),
                kernel("nvjet", 2, 1120, 50),
            )
            flops = 2 * 128 * 256 * 512 * (4 if len(left) == 3 else 1)
            self.assertEqual(
                [(name, json.dumps([left, right]), json.dumps([dtype] * 2), flops, 50000)],
                self.answer(path, "SELECT op, shapes, dtypes, flops, device_ns FROM trace_device_operators(?)"),
                outer,
            )
        # Of three, the innermost; one that follows is not inside.
        path = self.trace(
            dict(STEP, name="ProfilerStep#1"),
            *(
                op("aten::mm", 1005 + 10 * i, 90 - 20 * i, [128, 256], [256, 4096 >> 2 * i], dtype)
                for i, dtype in enumerate(("float", bf16, bf16))
            ),
            op("aten::mm", 1200, 20, [2, 3], [3, 5], bf16),
            call(1, 1030),
            kernel("nvjet", 1, 1120, 50),
        )
        self.assertEqual(
            [(2 * 128 * 256 * 256,), (2 * 2 * 3 * 5,)],
            self.answer(path, "SELECT flops FROM trace_device_operators(?) ORDER BY start_ns"),
        )

    def test_events_that_are_halves(self):
        """B and E in place of X: an operator, a step or a call is listed, not lost."""
        halves = [
            dict(ph=ph, cat="user_annotation", name="ProfilerStep#1", pid=9, tid=9, ts=ts)
            for ph, ts in (("B", 1000), ("E", 1500))
        ]
        self.assertEqual(
            [("gemm", None)],
            self.answer(
                self.trace(*halves, call(1, 1010), kernel("gemm", 1, 1030, 50)),
                "SELECT name, step FROM trace_device_activity(?)",
                ("impossible_time", 1),
            ),
        )
        self.assertEqual(
            [], self.answer(self.trace(), "SELECT name FROM trace_device_activity(?)", ("no_device_event", 1))
        )

    def test_two_traces_of_one_rank(self):
        """As of two jobs in a folder: their collectives are not those of two ranks."""
        events = [
            {"ph": "X", **event}
            for event in (
                dict(STEP, name="ProfilerStep#1"),
                call(1, 1010),
                kernel("ncclDevKernel_AllReduce", 1, 1030, 50),
            )
        ]
        for ranks, said in (((0, 1), []), ((0, 0), [("parallel_logs", 1)] * 2)):
            folder = self.folder_of(
                {
                    f"{i}.json": json.dumps(
                        {
                            "schemaVersion": 1,
                            "distributedInfo": {"rank": rank, "world_size": 2},
                            "mark": i,
                            "traceEvents": events,
                        }
                    )
                    for i, rank in enumerate(ranks)
                }
            )
            self.rows("SELECT * FROM trace_device_collectives(?)", folder)
            self.assertEqual(said, self.rows("SELECT kind, count FROM mpg_issues WHERE source LIKE ? || '%'", folder))

    def test_kernels_whose_names_are_lost(self):
        """A collective would count as computation: nsys without StringIds, rocpd without symbols."""
        suffix = rocpd.GUID.replace("-", "_")
        for name, change, n in (
            ("nsys/two-gpus.sqlite", "DELETE FROM StringIds", 12),
            ("rocpd/4242_results.db", f'DELETE FROM "rocpd_info_kernel_symbol_{suffix}"', 16),
        ):
            path = self.file("", os.path.basename(name))
            shutil.copy(os.path.join(ROOT, "fixtures", name), path)
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.execute(change)
                db.commit()
            self.rows("SELECT * FROM trace_device_activity(?)", path)
            self.assertEqual(
                [(n,)], self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'missing_field'", path)
            )

    def test_gpus_of_two_processes_that_nothing_tells_apart(self):
        path = self.file("", "run.sqlite")
        shutil.copy(os.path.join(ROOT, "fixtures/nsys/two-gpus.sqlite"), path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("DROP TABLE TARGET_INFO_CUDA_DEVICE")
            db.commit()
        self.rows("SELECT * FROM trace_device_activity(?)", path)
        self.assertEqual(
            [(2,)], self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'missing_field'", path)
        )

    def test_planes_of_one_name(self):
        """A file that somebody merged of two hosts: each event counts once."""

        def plane(at):
            made = xspace.Plane("/device:TPU:0", 1, [("device_type_string", "TPU v5e")])
            made.line("XLA Ops", xspace.START + at, [(made.event_name("fusion.1"), 0, 800 * xspace.US, [])])
            return made

        path = self.file(xspace.message([(1, plane(at).fields()) for at in (0, 2000000)]), "host.xplane.pb")
        self.assertEqual(
            [(2, 1600000)],
            self.answer(
                path, "SELECT count(*), sum(end_ns - start_ns) FROM trace_device_activity(?)", ("repeated_record", 1)
            ),
        )

    def test_exports_whose_tables_have_a_version(self):
        for table in (
            "CUPTI_ACTIVITY_KIND_KERNEL_V3",
            "CUPTI_ACTIVITY_KIND_KERNEL_v2",
            "CUPTI_ACTIVITY_KIND_KERNEL_EXT",
            "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
        ):
            with self.subTest(table):
                path = self.file("", "run.sqlite")
                with contextlib.closing(sqlite3.connect(path)) as db:
                    db.executescript(
                        f"""CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm_a');
                        CREATE TABLE {table} (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);
                        INSERT INTO {table} VALUES (1000, 51000, 0, 1, 7, 11, 5 << 24, 1, 1);"""
                    )
                rows = self.rows("SELECT name FROM trace_device_activity(?)", path)
                said = self.rows(
                    "SELECT severity, kind, count FROM mpg_issues WHERE source = ? AND detail LIKE ?",
                    path,
                    f"%{table}%",
                )
                self.assertEqual(([], [("data_loss", "unknown_event", 1)]), (rows, said))


class Programs(Case):
    def test_stablehlo(self):
        """What jax.jit(f).lower(x).as_text() prints, with places and without, and what other tools do: the error says how to get HLO."""
        for text in (
            '#loc1 = loc("x")\nmodule @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n}\n',
            "module {\n  func.func @main() {\n  }\n}\n",
            "module @jit_f {\n}\n",
            "// of a tool\nmodule {\n}\n",
            "#map = affine_map<(d0) -> (d0)>\nmodule {\n}\n",
            "\nmodule attributes {a = 1} {\n}\n",
            "builtin.module {\n}\n",
            "func.func @main() {\n}\n",
        ):
            with self.subTest(text):
                self.assertRegex(
                    self.error("SELECT * FROM hlo_cost(?)", self.file(text, "f.mlir")),
                    r"f.mlir:\d+:1: .*MLIR\?.*as_hlo_text",
                )


class Serving(Case):
    def test_prompts_that_others_computed(self):
        """A replica that decodes gets its prompts' keys and values from another one: what this one computed counts."""
        lines = []
        for i in range(9):
            for metric, tokens in (
                ("prompt_tokens_total{%s}", 600000),
                ('prompt_tokens_by_source_total{%s,source="local_compute"}', 0),
                ('prompt_tokens_by_source_total{%s,source="external_kv_transfer"}', 600000),
                ("generation_tokens_total{%s}", 60000),
            ):
                lines.append("vllm:%s %d %d" % (metric % 'engine="0",pod="chat-a"', i * tokens, T0 + 30 * i))
        path = self.file("# TYPE vllm:prompt_tokens_total counter\n" + "\n".join(lines) + "\n", "vllm.prom")
        prefill, decode = self.rows("SELECT sum(prefill_tokens), sum(decode_tokens) FROM trace_serve_tokens(?)", path)[
            0
        ]
        self.assertEqual((0, 480000), (prefill, decode))
        ideal = 2 * 8e9 * (prefill + decode) / self.one("SELECT chip_peak_flops('L40S', 'bf16')")
        self.assertAlmostEqual(21.2, ideal, 1)
        self.assertAlmostEqual(0.088, ideal / 240, 3)


class Goodput(Case):
    def test_an_initialisation_without_its_end(self):
        """Steps follow it, so it ended: when is not known, and that is said. One that is the last word of a log is not over."""
        steps = [{"step_count": i, "step_start_time": T0 + 10 + 10 * i} for i in range(4)]
        for rows, said in (
            ([{"tpu_init_start_time": T0 + 1}] + steps, 1),
            (steps + [{"tpu_init_start_time": T0 + 60}], None),
            ([{"tpu_init_start_time": T0 + 1}, {"tpu_init_end_time": T0 + 5}] + steps, None),
        ):
            path = self.file(
                "".join(json.dumps({"job_name": "run", **row}) + "\n" for row in [{"job_start_time": T0}] + rows),
                "goodput.jsonl",
            )
            self.rows("SELECT category FROM trace_rollup(?)", path)
            self.assertEqual(said, self.issues(path).get("missing_end"))

    def test_what_ends_with_its_job_or_before_it_started(self):
        """A job that ended left nothing open: what has no end is listed, and so is what ended before it started."""
        for name, more in (
            ("tpu_init", {}),
            ("training_prep", {}),
            ("data_loading", {}),
            ("elastic_reinit", {}),
            ("elastic_wait", {"elastic_wait_event_type": "scale_up"}),
            ("custom_badput_event", {"custom_badput_event_type": "scan"}),
        ):
            start, end = {f"{name}_start_time": T0 + 45, **more}, {f"{name}_end_time": T0 + 43, **more}
            for rows, kind in (([start], "missing_end"), ([start, end], "end_before_start")):
                steps = [{"step_count": i, "step_start_time": T0 + 10 * i} for i in range(5)]
                rows = [{"job_start_time": T0}, *steps, *rows, {"job_end_time": T0 + 50}]
                path = self.file(
                    "".join(json.dumps({"job_name": "run", **row}) + "\n" for row in rows), "goodput.jsonl"
                )
                self.assertEqual(
                    [("unrated", 50.0)],
                    self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY category", path),
                )
                said = {kind: n for kind, n in self.issues(path).items() if kind in ("missing_end", "end_before_start")}
                self.assertEqual({kind: 1}, said, (name, kind))


class Native(Case):
    """A trace of records, without capacity: what the chips of each job did, in chip-seconds."""

    def told(self, *records):
        self.path = path = self.file(
            "".join(json.dumps(dict(zip(("record", "job"), head.split()), **rest)) + "\n" for head, rest in records),
            "trace.jsonl",
        )
        rows = self.rows(
            "SELECT attempt, category, cause, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job IS NOT NULL GROUP BY 1, 2, 3",
            path,
        )
        return [tuple(v for v in row if v is not None) for row in rows], self.issues(path)

    def ratio(self, function):
        return round(
            self.one(f"SELECT {function}(category, chip_us) FROM trace_rollup(?) WHERE job IS NOT NULL", self.path), 4
        )

    def steps(self, attempt, first, start, n, seconds=10, job="j"):
        return [
            (
                f"span {job}",
                dict(
                    attempt=attempt,
                    kind="step",
                    step=first + i,
                    start_time=start + i * seconds,
                    end_time=start + (i + 1) * seconds,
                ),
            )
            for i in range(n)
        ]

    def held(self, attempt, start, end, outcome, job="j", chips=8):
        return f"allocation {job}", dict(
            attempt=attempt, pool="p", chips=chips, start_time=start, end_time=end, outcome=outcome
        )

    CAPACITY = ("capacity", dict(pool="p", chips=8, start_time=0, end_time=1000))

    def test_a_last_attempt_that_evaluates_alone(self):
        rows, issues = self.told(
            self.CAPACITY,
            ("job j", dict(chips=8, submit_time=0)),
            self.held(1, 0, 100, "failed"),
            self.held(2, 110, 150, "completed"),
            ("commit j", dict(attempt=1, step=5, snapshot_time=50, durable_time=50)),
            *self.steps(1, 1, 0, 10),
            ("span j", dict(attempt=2, kind="restore", start_time=110, end_time=115)),
            ("span j", dict(attempt=2, kind="eval", start_time=115, end_time=150)),
        )
        self.assertEqual(
            [("queued", 80), (1, "lost", 400), (1, "unrated", 400), (2, "eval", 280), (2, "restore", 40)], rows
        )
        self.assertEqual(0.3571, self.ratio("runtime_goodput"))

    def test_epochs_with_a_pause_between(self):
        """Numbers that begin anew with each epoch, and a span of any name between: half is lost by the rules, and listed."""
        rows, issues = self.told(
            self.CAPACITY,
            ("job j", dict(chips=8)),
            self.held(1, 0, 220, "completed"),
            *self.steps(1, 0, 0, 10),
            ("span j", dict(attempt=1, kind="epoch_end_sync", start_time=100, end_time=110)),
            *self.steps(1, 0, 110, 10),
        )
        self.assertEqual(
            [(1, "lost", 800), (1, "stall", "epoch_end_sync", 80), (1, "unknown", 80), (1, "unrated", 800)], rows
        )
        self.assertEqual({"repeated_steps": 1}, issues)
        self.assertEqual(0.4545, self.ratio("runtime_goodput"))

    def test_rollouts_share_the_fate_of_their_steps(self):
        def iteration(attempt, step, start):
            return [
                ("span j", dict(attempt=attempt, kind="rollout", step=step, start_time=start, end_time=start + 60)),
                *self.steps(attempt, step, start + 60, 1, 40),
            ]

        rows, issues = self.told(
            self.CAPACITY,
            self.held(1, 0, 400, "failed"),
            self.held(2, 410, 620, "completed"),
            ("commit j", dict(attempt=1, step=2, snapshot_time=200, durable_time=200)),
            *(record for i in range(4) for record in iteration(1, i + 1, 100 * i)),
            ("span j", dict(attempt=2, kind="restore", start_time=410, end_time=420)),
            *iteration(2, 3, 420),
            *iteration(2, 4, 520),
        )
        self.assertEqual([(1, "lost", 1600), (1, "unrated", 1600), (2, "restore", 80), (2, "unrated", 1600)], rows)
        self.assertEqual(0.6557, self.ratio("runtime_goodput"))
        inside = [
            ("span j", dict(attempt=1, kind="rollout", start_time=100 * i, end_time=100 * i + 60)) for i in range(4)
        ]
        rows, issues = self.told(
            self.CAPACITY,
            ("job j", dict(chips=8)),
            self.held(1, 0, 400, "completed"),
            *self.steps(1, 1, 0, 4, 100),
            *inside,
        )
        self.assertEqual(([(1, "unrated", 3200)], 1), (rows, self.ratio("runtime_goodput")))

    def test_a_replica_that_is_scaled_to_zero(self):
        """From the end of an attempt that was cancelled until the next one nobody asks for it."""
        hour = 3600
        rows, issues = self.told(
            ("capacity", dict(pool="p", chips=8, start_time=0, end_time=10 * hour)),
            ("job j", dict(phase="serving", chips=1, submit_time=0)),
            self.held(1, 0, hour, "cancelled", chips=1),
            self.held(2, 9 * hour, 10 * hour, "cancelled", chips=1),
            *(
                ("span j", dict(kind=kind, start_time=at + since, end_time=at + until))
                for at in (0, 9 * hour)
                for kind, since, until in (("restore", 0, 60), ("serve", 60, hour))
            ),
        )
        self.assertEqual(
            [(1, "restore", 60), (1, "unrated", hour - 60), (2, "restore", 60), (2, "unrated", hour - 60)], rows
        )
        self.assertEqual(({}, 0.9833), (issues, self.ratio("ettr")))


class Clusters(kube.Mapped):
    def tpu(self, name, pool):
        node = self.node(
            name, {TPU: "4"}, **{"cloud.google.com/gke-tpu-accelerator": "tpu7x", "cloud.google.com/gke-nodepool": pool}
        )
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(7200), "lastTransitionTime": when(0)}
        ]
        return node

    def replica(self, slice, i, start, end, failed=False):
        state = {"terminated": {"exitCode": int(failed), "startedAt": when(start), "finishedAt": when(end)}}
        return self.pod(
            f"ms-slice-{slice}-{i}-{start}",
            {TPU: 4},
            spec={"nodeName": f"t{slice}{i}"},
            metadata={
                "creationTimestamp": when(start),
                "labels": {"jobset.sigs.k8s.io/jobset-name": "ms"},
                "ownerReferences": [{"kind": "Job", "name": f"ms-slice-{slice}", "controller": True}],
            },
            status={
                "phase": "Failed" if failed else "Succeeded",
                "startTime": when(start),
                "containerStatuses": [{"state": state}],
            },
        )

    def test_slices_that_come_one_after_the_other(self):
        """A JobSet of two slices fails, is made anew, and its second slice comes 14 minutes after the first: partial until then, in every pod's name."""
        jobset = {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "ms", "namespace": "ns", "uid": "js", "creationTimestamp": when(0)},
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "slice",
                        "replicas": 2,
                        "template": {
                            "spec": {
                                "parallelism": 2,
                                "completions": 2,
                                "template": {"spec": {"containers": [{"resources": {"limits": {TPU: 4}}}]}},
                            }
                        },
                    }
                ]
            },
        }
        pods = [
            self.replica(s, i, *at)
            for s in (0, 1)
            for i in (0, 1)
            for at in ((600, 2400, True), (2460 + 840 * s, 7200))
        ]
        self.map(self.file([jobset, *(self.tpu(f"t{s}{i}", f"iron-{s}") for s in (0, 1) for i in (0, 1)), *pods]))
        self.assertEqual(
            [
                ("iron-0", "tpu7x", "idle", 5280),
                ("iron-0", "tpu7x", "partial", 8 * 840),
                ("iron-0", "tpu7x", "queued", 10560),
                ("iron-0", "tpu7x", "untraced", 45600),
                ("iron-1", "tpu7x", "idle", 12000),
                ("iron-1", "tpu7x", "queued", 6720),
                ("iron-1", "tpu7x", "untraced", 45600),
            ],
            self.rows("SELECT pool, chip, category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1, 2, 3"),
        )
        self.assertEqual(
            [(1, 4, "failed"), (2, 4, "completed")],
            self.rows("SELECT attempt, count(*), min(outcome) FROM allocations WHERE job = 'ns/ms' GROUP BY attempt"),
        )

    def test_a_workload_that_kept_its_quota_after_its_eviction(self):
        """Admitted, with quota, and evicted at once: it holds until the eviction and waits from then on."""
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.tpu("t00", "a"),
                            self.workload(
                                "llm",
                                5,
                                ("QuotaReserved", "QuotaReserved", 60),
                                ("Admitted", "Admitted", 60),
                                ("Evicted", "PodsReadyTimeout", 4200),
                            )["object"],
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            [(1, 2.0, 60, 4200, "timeout"), (2, 0, 4200, None, None)],
            self.rows("SELECT attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations", T0),
        )
        self.assertEqual(
            [("queued", 2 * (60 + 3000)), ("untraced", 2 * 4140)],
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job = 'ns/llm' GROUP BY 1"),
        )


class Squeue(Case):
    def test_pairs_arrays_and_marks(self):
        """squeue --json of 24.11: a pair, an array with a step and a throttle, and marks of PENDING; job_resources is null."""

        def job(number, states, gpus=8, **more):
            running = "RUNNING" in states
            return dict(
                job_id=number,
                cluster="c",
                job_state=states,
                job_resources=None,
                submit_time={"set": True, "number": T0},
                start_time={"set": running, "number": T0 if running else 0},
                tres_req_str=f"cpu=1,gres/gpu={gpus}",
                tres_alloc_str=f"cpu=1,gres/gpu={gpus}" if running else "",
                **more,
            )

        path = self.file(
            {
                "jobs": [
                    *(
                        job(
                            21 + i,
                            ["RUNNING"],
                            het_job_id={"set": True, "number": 21},
                            het_job_offset={"set": True, "number": i},
                        )
                        for i in (0, 1)
                    ),
                    job(
                        30,
                        ["PENDING"],
                        2,
                        array_job_id={"set": True, "number": 30},
                        array_task_id={"set": False, "number": 0},
                        array_task_string="0-8:2%1",
                    ),
                    job(31, ["PENDING", "REQUEUE_HOLD"]),
                    job(32, ["PENDING", "RESV_DEL_HOLD"]),
                ]
            },
            "squeue.json",
        )
        self.assertEqual(
            [
                ("21+0", 1, 0, "RUNNING", 8, 8),
                ("21+1", 1, 1, "RUNNING", 8, 8),
                ("30_[0-8:2%1]", 5, None, "PENDING", 2, 0),
                ("31", 1, None, "PENDING", 8, 0),
                ("32", 1, None, "PENDING", 8, 0),
            ],
            self.rows("SELECT JobID, array_count, het_offset, State, req_gpus, alloc_gpus FROM slurm_trace(?)", path),
        )


if __name__ == "__main__":
    unittest.main()
