"""Nsight Systems exports: the mapping sql/formats/nsys.sql, and that of XSpace beside it, sql/formats/xplane.sql.

A recorded export is held against sums that others made of it with SQL of their own, the fixtures against what they were
made to show."""

import contextlib
import os
import shutil
import sqlite3
import unittest

import cases
import xspace
from fleets import ROOT

FIXTURE = os.path.join(ROOT, "fixtures/nsys/two-gpus.sql")
XSPACE = os.path.join(ROOT, "fixtures/xplane/tpu-host-0.xplane.pb")
RECORDED = os.path.join(ROOT, "../shared/traces/nsys/mfu_2gpu_before.sqlite")
AMD = os.path.join(ROOT, "../shared/traces/xplane/mi300_jax_te_fused_attn.xplane.pb")
EPOCH = 1_767_225_600_000_000_000


class Case(cases.Case):
    def setUp(self):
        super().setUp()
        self.script("device.sql")

    def read(self, script, **parameters):
        self.script(f"formats/{script}.sql", **{"trace": None, "chip": None, "step": None} | parameters)

    def left_behind(self):
        return self.rows("SELECT name FROM temp.sqlite_schema WHERE name GLOB 'nsys*' OR name GLOB 'xplane*'")


class Nsys(Case):
    def export(self):
        """The fixture as a file that can only be read."""
        path = self.file("", "run.sqlite")
        db = sqlite3.connect(path)
        with open(FIXTURE, encoding="utf-8") as file:
            db.executescript(file.read())
        db.close()
        os.chmod(path, 0o444)
        return path

    def attach(self, path, name="nsys"):
        self.db.execute(f"ATTACH 'file:{path}?mode=ro' AS \"{name}\"")

    def test_sums_of_a_recorded_export(self):
        """Kernels, their sum, the unions, and the span of each device: part E of the oracle."""
        if not os.path.exists(RECORDED):
            self.skipTest("../shared is not here")
        self.attach(RECORDED)
        self.read("nsys", chip="H100 SXM")
        self.assertEqual(
            self.rows(
                """SELECT device, sum(kind = 'kernel'), sum(end_ns - start_ns) FILTER (WHERE kind = 'kernel'),
                                CAST(interval_union(start_ns, end_ns) FILTER (WHERE kind = 'kernel') AS INTEGER),
                                CAST(interval_union(start_ns, end_ns) FILTER (WHERE class = 'communication') AS INTEGER),
                                CAST(interval_union(start_ns, end_ns) FILTER (WHERE class = 'compute') AS INTEGER),
                                CAST(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'sync') AS INTEGER),
                                max(end_ns) FILTER (WHERE class <> 'sync') - min(start_ns) FILTER (WHERE class <> 'sync')
                         FROM device_activity GROUP BY device"""
            ),
            [
                ("0", 1993, 270875926, 270863484, 17172652, 253690832, 273817787, 299848812),
                ("1", 2017, 264324724, 264324724, 8229100, 256095624, 267275916, 298661551),
            ],
        )
        # The kernel's launch is the call of its own process: correlations alone match 4280 times.
        kernels = "SELECT count(*) FROM nsys.CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN nsys.CUPTI_ACTIVITY_KIND_RUNTIME AS r USING (correlationId)"
        self.assertEqual(
            self.rows("SELECT count(*), count(DISTINCT process), min(chip) FROM device_activity WHERE kind = 'kernel'"),
            [(4010, 2, "H100 SXM")],
        )
        self.assertEqual(self.one(kernels), 4280)
        self.assertEqual(
            self.one("SELECT count(launch_ns) FROM device_activity WHERE kind = 'kernel'"),
            self.one(kernels + " WHERE r.globalTid >> 24 = k.globalPid >> 24"),
        )
        self.assertEqual(self.one("SELECT count(*) FROM device_activity WHERE launch_ns > start_ns"), 0)
        self.assertEqual(
            self.rows("SELECT trace, base_ns FROM device_traces"), [(os.path.realpath(RECORDED), 1779782330176752435)]
        )
        # Innermost ranges, against a search through all of them for some of the launches.
        tested = self.rows(
            """SELECT launch_ns, launch_end_ns, process, op FROM device_activity
                              WHERE launch_ns IS NOT NULL AND correlation % 97 = 0 ORDER BY launch_ns"""
        )
        self.assertGreater(len(tested), 30)
        for start, end, process, op in tested:
            inside = self.rows(
                """SELECT coalesce(text, (SELECT value FROM nsys.StringIds WHERE id = textId)) FROM nsys.NVTX_EVENTS
                                  WHERE start <= ?1 AND "end" >= ?2 AND (globalTid >> 24) & 0xffffff = ?3 ORDER BY "end" - start LIMIT 1""",
                start - 1779782330176752435,
                end - 1779782330176752435,
                int(process),
            )
            self.assertEqual(op, inside[0][0].split(", ")[0] if inside else None)

    def test_the_fixture(self):
        path = self.export()
        self.attach(path)
        for _ in range(2):  # reading it again replaces it
            self.read("nsys")
        self.assertEqual(self.left_behind(), [("nsys_left_out",)])
        self.assertEqual([row[1] for row in self.rows("PRAGMA database_list")], ["main", "temp", "nsys"])
        self.assertEqual(
            self.rows(
                """SELECT process, device, chip, stream, class, kind, substr(name, 1, 15), start_ns - ?1, end_ns - ?1, step, correlation,
                                launch_ns - ?1, launch_end_ns - launch_ns, launch_name, launch_thread, op, bytes, collective
                         FROM device_activity WHERE process = '200' AND step = '6' ORDER BY start_ns""",
                EPOCH,
            ),
            [
                (
                    "200",
                    "1",
                    "NVIDIA H100 80GB HBM3",
                    stream,
                    of,
                    kind,
                    name[:15],
                    2200000 + start,
                    2200000 + end,
                    "6",
                    10 + call,
                    2200000 + call * 10000,
                    5500,
                    launch,
                    "200",
                    op,
                    size,
                    collective,
                )
                for stream, of, kind, name, start, end, call, launch, op, size, collective in (
                    (
                        "7",
                        "memory",
                        "memcpy",
                        "Memcpy HtoD",
                        20000,
                        50000,
                        1,
                        "cudaMemcpyAsync_v3020",
                        None,
                        1048576,
                        None,
                    ),
                    (
                        "7",
                        "compute",
                        "kernel",
                        "sm90_xmma_gemm_bf16",
                        50000,
                        450000,
                        2,
                        "cudaLaunchKernelExC_v11060",
                        "aten::addmm",
                        None,
                        None,
                    ),
                    (
                        "7",
                        "sync",
                        "sync",
                        "Stream Wait Event",
                        60500,
                        61500,
                        6,
                        "cudaStreamWaitEvent_v3020",
                        None,
                        None,
                        None,
                    ),
                    (
                        "7",
                        "compute",
                        "kernel",
                        "sm90_xmma_gemm_bf16",
                        450000,
                        650000,
                        3,
                        "cudaLaunchKernelExC_v11060",
                        None,
                        None,
                        None,
                    ),
                    (
                        "20",
                        "memory",
                        "memset",
                        "Memset (Device)",
                        490000,
                        492000,
                        4,
                        "cudaMemsetAsync_v3020",
                        None,
                        4096,
                        None,
                    ),
                    (
                        "20",
                        "communication",
                        "kernel",
                        "ncclDevKernel_AllReduce",
                        500000,
                        800000,
                        5,
                        "cudaLaunchKernelExC_v11060",
                        "ncclAllReduce",
                        None,
                        "allreduce",
                    ),
                    (
                        "7",
                        "compute",
                        "kernel",
                        "CUDA graph 3",
                        800000,
                        900000,
                        7,
                        "cudaGraphLaunch_v10000",
                        "optimizer",
                        None,
                        None,
                    ),
                )
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT process, side, device, step, start_ns - ?1, end_ns - start_ns FROM device_steps ORDER BY 1, 4",
                EPOCH,
            ),
            [
                (pid, "host", None, str(5 + i), 1000000 + i * 1200000, 1000000)
                for pid in ("100", "200")
                for i in range(2)
            ],
        )
        self.assertEqual(
            self.rows("SELECT name, count(*) FROM device_ranges GROUP BY 1"),
            [("ncclAllReduce", 4), ("optimizer", 4), ("step 5", 2), ("step 6", 2)],
        )
        self.assertEqual(
            self.rows("SELECT trace, format, rank, base_ns, host FROM device_traces"),
            [(path, "nsys", None, EPOCH, "node-1")],
        )
        self.assertEqual(
            self.rows("SELECT * FROM nsys_left_out"),
            [
                (path, "activity that ends before it starts, or has no time", 1),
                (path, "NVTX range that is open at the end", 1),
            ],
        )

    def test_with_few_tables(self):
        """Kernels alone: no calls, no ranges, no names of GPUs, no epoch."""
        self.db.executescript(
            """CREATE TABLE StringIds (id INTEGER, value TEXT); INSERT INTO StringIds VALUES (5, 'gemm');
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid, demangledName);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 3, 7, 1, 1 << 48, 5), (20, 20, 3, 7, 2, 1 << 48, 6)"""
        )
        self.read("nsys", trace="mine", chip="H200")
        self.assertEqual(
            self.rows(
                "SELECT trace, device, chip, stream, class, name, start_ns, end_ns, step, launch_ns, op FROM device_activity"
            ),
            [
                ("mine", "3", "H200", "7", "compute", "gemm", 10, 20, None, None, None),
                ("mine", "3", "H200", "7", "compute", "kernel", 20, 20, None, None, None),
            ],
        )

    def test_steps_by_other_names(self):
        self.attach(self.export())
        self.read("nsys", step="opt*")
        self.assertEqual(
            self.rows("SELECT process, step, count(*) FROM device_steps GROUP BY 1, 2"),
            [(p, s, 1) for p in ("100", "200") for s in "01"],
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT name, step FROM device_activity WHERE step IS NOT NULL ORDER BY step"),
            [("CUDA graph 3", "0"), ("CUDA graph 3", "1")],
        )

    def test_several_exports(self):
        path = self.export()
        other = os.path.join(os.path.dirname(path), "other's run.sqlite")
        shutil.copy(path, other)
        for one in (path, other):
            self.db.execute('ATTACH ? AS "any name"', ("file:" + one.replace("'", "%27") + "?mode=ro",))
            self.read("nsys")
            self.db.execute('DETACH "any name"')
        self.assertEqual(
            self.rows("SELECT trace, count(*) FROM device_activity GROUP BY 1 ORDER BY 1"), [(other, 28), (path, 28)]
        )

    def test_names_that_are_no_utf_8(self):
        """Of any profile that is a database: U+FFFD for each byte or part of a letter, and a row; letters beyond ASCII stay. What is quoted of them in other issues is UTF-8 too."""
        for fixture, change in (
            (
                "nsys/two-gpus.sqlite",
                "UPDATE StringIds SET value = value || {0}; UPDATE NVTX_EVENTS SET text = text || {0} WHERE text NOT GLOB 'step*'",
            ),
            (
                "ascend/ascend_pytorch_profiler_11.db",
                "UPDATE STRING_IDS SET value = value || {0} WHERE value NOT GLOB 'ProfilerStep*'",
            ),
            (
                "rocpd/4242_results.db",
                "UPDATE \"rocpd_string_0000a3f1_7c52_7d10_9b1e_5d0c1f6a2b77\" SET string = string || {0} WHERE string NOT GLOB '*_TO_*'",
            ),
        ):
            asked = [
                "SELECT name, launch_name, op FROM trace_device_activity(?) ORDER BY start_ns, device, name",
                "SELECT name FROM trace_device_ranges(?) ORDER BY start_ns, name",
            ]
            plain = [self.rows(sql, os.path.join(ROOT, "fixtures", fixture)) for sql in asked]
            for added, shown, said in (
                ("CAST(x'e697a5ffe69701' AS TEXT)", "日\ufffd\ufffd\x01", True),
                ("'日本'", "日本", False),
            ):
                with self.subTest(fixture, added=added):
                    path = self.file("", "run.sqlite")
                    shutil.copy(os.path.join(ROOT, "fixtures", fixture), path)
                    with contextlib.closing(sqlite3.connect(path)) as db:
                        db.executescript(change.format(added))
                    found = [self.rows(sql, path) for sql in asked]
                    self.assertEqual([len(rows) for rows in plain], [len(rows) for rows in found])
                    self.assertIn(shown, "".join(str(value) for rows in found for row in rows for value in row))
                    self.assertEqual(
                        [
                            [tuple(value and value.replace(shown, "") for value in row) for row in rows]
                            for rows in found
                        ],
                        plain,
                    )
                    self.assertEqual(said, "invalid_utf8" in self.issues(path))
                    self.rows("SELECT detail FROM mpg_issues")

    def test_names_of_files(self):
        """Of any letters, in the file's name and in its folder's: databases are opened by URIs."""
        for name in ("größe 運行.sqlite", "p%41.sqlite", "what?mode=rw#x.sqlite", 'it\'s "one".sqlite', "[a] *.sqlite"):
            with self.subTest(name):
                folder = os.path.join(self.new_folder(), name.split(".")[0])
                os.mkdir(folder)
                path = os.path.join(folder, name)
                shutil.copy(self.export(), path)
                self.assertEqual(
                    [(path, 28)], self.rows("SELECT trace, count(*) FROM trace_device_activity(?) GROUP BY 1", path)
                )
                self.assertEqual([("nsys", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", path))
        for slashes in ("/", "//", "/./"):  # as where a script puts a folder and a name together
            self.assertEqual([(28,)], self.rows("SELECT count(*) FROM trace_device_activity(?)", slashes + path))

    def test_an_export_that_keeps_a_log_of_writes(self):
        """Of WAL mode, as tools leave it that opened it: it is read, and no file comes to lie beside it; with its log, it is read with what that holds."""
        path = self.file("", "run.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as db, open(FIXTURE, encoding="utf-8") as file:
            db.execute("PRAGMA journal_mode = wal")
            db.executescript(file.read())
        self.assertEqual(["run.sqlite"], os.listdir(os.path.dirname(path)))
        self.assertEqual(28, self.one("SELECT count(*) FROM trace_device_activity(?)", path))
        self.assertEqual([("nsys", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", path))
        self.assertEqual(["run.sqlite"], os.listdir(os.path.dirname(path)))
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET")
            db.commit()
            self.assertEqual(24, self.one("SELECT count(*) FROM trace_device_activity(?)", path))

    def test_without_an_export(self):
        with self.assertRaisesRegex(
            sqlite3.IntegrityError, "no Nsight Systems export is attached: ATTACH 'file:run.sqlite[?]mode=ro' AS nsys"
        ):
            self.read("nsys")
        self.attach(self.export())
        self.read("nsys")  # which the failure before does not hinder
        self.assertEqual(self.one("SELECT count(*) FROM device_activity"), 28)

    def changed(self, change):
        """The fixture with a change, as a file: what each device did, and what is listed beside what the fixture lists."""
        path = self.file("", "run.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as db:
            with open(FIXTURE, encoding="utf-8") as file:
                db.executescript(file.read() + change)
        self.path = path
        did = self.rows(
            "SELECT device, count(*), sum(class = 'communication'), count(launch_ns), count(step), count(op), min(chip) FROM trace_device_activity(?) GROUP BY 1",
            path,
        )
        issues = self.issues(path)
        if issues.get("left_out") == 2:
            issues.pop("left_out")  # of the fixture, as are four graphs that count whole
        if issues.get("missing_samples", 0) >= 4:
            issues["missing_samples"] -= 4
        return did, {kind: count for kind, count in issues.items() if count}

    WHOLE = [(device, 14, 2, 14, 14, 6, "NVIDIA H100 80GB HBM3") for device in "01"]

    def test_columns_that_a_version_lacks(self):
        """Exports have the columns of their version: what is lacking counts as empty, and what is not said otherwise is listed."""
        kernel, ranges = "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"
        self.assertEqual((self.WHOLE, {}), self.changed(f"ALTER TABLE {kernel} DROP COLUMN demangledName"))
        self.assertEqual((self.WHOLE, {}), self.changed(f"ALTER TABLE {kernel} DROP COLUMN shortName"))
        self.assertEqual(
            ([(d, 14, 2, 8, 8, 2, chip) for d, *_, chip in self.WHOLE], {"missing_field": 1}),
            self.changed(f"ALTER TABLE {kernel} DROP COLUMN correlationId"),
        )
        # and its 13 kernels have no call
        self.assertEqual({"missing_field": 13}, self.changed(f"ALTER TABLE {kernel} DROP COLUMN globalPid")[1])
        self.assertEqual(
            {"missing_field": 1},
            self.changed("ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN syncType")[1],
        )
        self.assertEqual(
            ([(d, 14, 2, 14, 14, 4, chip) for d, *_, chip in self.WHOLE], {"left_out": 6}),
            self.changed(f"ALTER TABLE {ranges} DROP COLUMN textId"),
        )
        self.assertEqual(
            (self.WHOLE, {"missing_field": 1}),
            self.changed("ALTER TABLE TARGET_INFO_SESSION_START_TIME DROP COLUMN utcEpochNs"),
        )

    def test_names_of_kernels_in_other_columns(self):
        """A name that StringIds lacks is looked for under the short and the mangled one."""
        missing = "INSERT INTO StringIds VALUES (3, '_Z4gemm'); ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN mangledName INTEGER; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 777, mangledName = 3"
        self.assertEqual((self.WHOLE, {}), self.changed(missing))
        self.assertEqual({}, self.changed(missing + ", shortName = 778")[1])
        self.assertEqual(12, self.changed(missing + ", shortName = 778, mangledName = 779")[1]["missing_field"])

    def test_collectives_by_the_names_of_kernels(self):
        """What a kernel of communication does is in its name, whoever wrote it; a sum over a tensor is none."""
        for name, collective in (
            ("ncclDevKernel_AllGather_RING_LL", "allgather"),
            ("multimem_all_reduce_kernel<bf16>", "allreduce"),
            ("mscclpp::allreduce7<bf16>", "allreduce"),
            ("reduce_scatter_push", "reduce_scatter"),
            ("all_to_all_v_kernel", "alltoall"),
            ("ncclDevKernel_SendRecv", "sendrecv"),
            ("ncclDevKernel_Reduce_Sum_f32", "reduce"),
            ("at::native::reduce_kernel<512, 1>", None),
            ("triton_per_fused_all_reduce_0", None),
        ):
            self.changed(
                f"INSERT INTO StringIds VALUES (9999, '{name}'); UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 9999"
            )
            self.assertEqual(
                [(name, collective)],
                self.rows(
                    "SELECT DISTINCT name, collective FROM trace_device_activity(?) WHERE kind = 'kernel' AND name NOT GLOB 'CUDA graph*'",
                    self.path,
                ),
            )

    def test_gpus_by_what_a_version_tells(self):
        """Early exports have TARGET_INFO_CUDA_GPU, or no TARGET_INFO_CUDA_DEVICE; some GPUs are told by their uuid alone; slices of one GPU have its number."""
        process = "SELECT device, min(chip), count(DISTINCT process) FROM trace_device_activity(?) GROUP BY 1"
        devices = "DELETE FROM TARGET_INFO_CUDA_DEVICE; INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES "
        old = "DROP TABLE TARGET_INFO_CUDA_DEVICE; DROP TABLE TARGET_INFO_GPU; CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INTEGER, name TEXT); INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'A100')"
        h100 = self.WHOLE[0][-1]
        for change, expected, said in (
            (old, [("0", "A100", 2)], {"missing_field": 2}),
            ("DROP TABLE TARGET_INFO_CUDA_DEVICE", [("0", h100, 2)], {"missing_field": 2}),
            (devices + "(NULL, 0, 100, NULL, 132), (NULL, 0, 200, NULL, 132)", [("0", h100, 2)], {"missing_field": 2}),
            (
                devices + "(0, 0, 100, 'GPU-a', 132), (1, 1, 200, 'GPU-b', 132)",
                [("0", h100, 2)],
                {"missing_field": 1},
            ),  # that of the other is not told
            (
                devices
                + "(NULL, 0, 100, 'GPU-a', 132), (NULL, 0, 200, 'GPU-b', 132), (NULL, 0, 300, 'GPU-a', 132), (NULL, 1, 300, 'GPU-b', 132)",
                [("GPU-a", h100, 1), ("GPU-b", h100, 1)],
                {},
            ),
            (
                devices + "(0, 0, 100, 'MIG-a', 42), (0, 0, 200, 'MIG-b', 42)",
                [("0 MIG-a", h100, 1), ("0 MIG-b", h100, 1)],
                {"guessed_share": 2},
            ),
        ):
            with self.subTest(change):
                self.assertEqual(said, self.changed(change)[1])
                self.assertEqual(expected, self.rows(process, self.path))

    def test_machines(self):
        """Global ids hold the machine: processes and GPUs of two have the same numbers."""
        tables = ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "SYNCHRONIZATION")
        move = "; ".join(
            f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET globalPid = (2 << 48) + (100 << 24) WHERE globalPid >> 24 & 0xffffff = 200"
            for table in tables
        )
        self.changed(
            move
            + "; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = (2 << 48) + (100 << 24) + 100 WHERE globalTid >> 24 & 0xffffff = 200; DELETE FROM TARGET_INFO_CUDA_DEVICE WHERE pid = 200"
        )
        self.assertEqual(
            [("machine 1 0", 14), ("machine 2 0", 14)],
            self.rows("SELECT device, count(launch_ns) FROM trace_device_activity(?) GROUP BY 1", self.path),
        )
        with contextlib.closing(sqlite3.connect(self.path)) as db, db:
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET globalPid = NULL")
        self.assertEqual(28, self.one("SELECT count(*) FROM trace_device_activity(?)", self.path))

    def test_a_kernel_before_its_launch(self):
        """Where the clocks of host and device differ: listed, with how far."""
        issues = self.changed(
            'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - 500000, "end" = "end" - 500000 WHERE rowid = 1'
        )[1]
        self.assertEqual(1, issues.get("conflict"), issues)

    def test_streams_of_two_contexts(self):
        """Each numbers its own: kernels that overlap are no overrun, and none ends the other's gap."""
        kernel = (
            'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName); DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; '
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
        )
        everything = "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET; DROP TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE; DROP TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; "
        rows = "({0}, {1}, 0, {2}, 7, {0}, (1 << 48) + (100 << 24), 1)"
        several = (
            everything
            + kernel
            + ", ".join(rows.format(*row) for row in ((1100, 1600, 1), (1150, 1170, 2), (1180, 1200, 2)))
        )
        self.assertNotIn("overrun_activity", self.changed(several)[1])
        self.assertEqual(
            [("7 of context 1", 500), ("7 of context 2", 20), ("7 of context 2", 20)],
            self.rows("SELECT stream, end_ns - start_ns FROM trace_device_activity(?) ORDER BY start_ns", self.path),
        )
        self.assertEqual(
            [("7 of context 2", 10)], self.rows("SELECT stream, gap_ns FROM trace_device_gaps(?)", self.path)
        )
        self.assertEqual(1, self.changed(several.replace(", 2, 7,", ", 1, 7,"))[1]["overrun_activity"])
        self.assertEqual([("7",)], self.rows("SELECT DISTINCT stream FROM trace_device_activity(?)", self.path))

    def test_times_that_are_unix_time_already(self):
        """As nsys export --ts-normalize=true writes them, beside the start of the session."""
        asked = "SELECT name, start_ns, end_ns, launch_ns, step FROM trace_device_activity(?) ORDER BY start_ns, name"
        self.changed("")
        plain, steps = self.rows(asked, self.path), self.rows(
            "SELECT step, start_ns, end_ns FROM trace_device_steps(?)", self.path
        )
        shift = "".join(
            f'UPDATE {table} SET start = start + 1767225600000000000, "end" = "end" + 1767225600000000000; '
            for table in (
                "CUPTI_ACTIVITY_KIND_KERNEL",
                "CUPTI_ACTIVITY_KIND_MEMCPY",
                "CUPTI_ACTIVITY_KIND_MEMSET",
                "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                "CUPTI_ACTIVITY_KIND_RUNTIME",
                "NVTX_EVENTS",
            )
        )
        self.assertEqual((self.WHOLE, {}), self.changed(shift))
        self.assertEqual(
            (plain, steps),
            (
                self.rows(asked, self.path),
                self.rows("SELECT step, start_ns, end_ns FROM trace_device_steps(?)", self.path),
            ),
        )

    def test_what_an_export_says_of_itself(self):
        """Events that Nsight may have lost, two starts of a session, ranges without a name, activities without an end, calls whose kernels are missing."""
        said = (
            "CREATE TABLE DIAGNOSTIC_EVENT (timestamp, severity, text, globalPid); INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 2, 'Not all CUDA events might have been collected.', (1 << 48) + (100 << 24)), "
            "(1, 2, 'Not all NVTX events might have been collected.', (1 << 48) + (999 << 24)), (1, 1, 'Number of CUDA events collected: 12.', NULL)"
        )
        self.assertEqual((self.WHOLE, {"missing_samples": 1}), self.changed(said))
        self.assertEqual(
            (self.WHOLE, {"missing_samples": 1}),
            self.changed(
                "CREATE TABLE DIAGNOSTIC_EVENT (severity, text); INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'Not all CUDA events might have been collected.')"
            ),
        )
        self.assertEqual(
            (self.WHOLE, {"conflict": 2}),
            self.changed("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1767225600000000999, '', '')"),
        )
        self.assertEqual(
            (self.WHOLE, {"left_out": 3}),
            self.changed(
                "INSERT INTO NVTX_EVENTS VALUES (1000000, 1500000, 59, NULL, (1 << 48) + (100 << 24) + 100, 777, 0)"
            ),
        )
        self.assertEqual(
            (self.WHOLE, {}), self.changed("UPDATE NVTX_EVENTS SET eventType = eventType + 11 WHERE eventType > 58")
        )  # of NVTXT
        self.assertEqual(
            {"left_out": 3},
            self.changed(
                "CREATE TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; ALTER TABLE k RENAME TO CUPTI_ACTIVITY_KIND_KERNEL; "
                'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = NULL WHERE rowid = 1'
            )[1],
        )
        self.assertEqual({"no_device_event": 12}, self.changed("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")[1])

    def test_numbers_of_steps(self):
        """A step's number is after the word, or at the end of its name; of 7/100 it is the first."""
        for name in (
            "Step: %s/100",
            "step [%s/100]",
            "Iteration %s of 100",
            "step %s (warmup)",
            "step %s loss=2.31",
            "step%s_forward_2",
            "train_step_epoch_1_batch_%s",
            "train_step [%s/100]",
        ):
            with self.subTest(name):
                rename = "; ".join(
                    f"UPDATE NVTX_EVENTS SET text = '{name % number}' WHERE text = 'step {number}'" for number in "56"
                )
                self.assertEqual((self.WHOLE, {}), self.changed(rename))
                self.assertEqual(
                    [("5",), ("6",)],
                    self.rows("SELECT DISTINCT step FROM trace_device_activity(?) ORDER BY 1", self.path),
                )
                self.assertEqual(
                    [("5", 2), ("6", 2)],
                    self.rows("SELECT step, count(*) FROM trace_device_steps(?) GROUP BY 1", self.path),
                )

    def test_numbers_that_come_again(self):
        """As of two epochs, in each of two processes: what has a number is one step."""
        again = """INSERT INTO NVTX_EVENTS SELECT start + 10000000, "end" + 10000000, eventType, text, globalTid, textId, domainId FROM NVTX_EVENTS WHERE text GLOB 'step *'"""
        self.assertEqual(
            {"repeated_steps": 4}, {kind: n for kind, n in self.changed(again)[1].items() if kind == "repeated_steps"}
        )

    def test_ranges_that_are_called_like_steps(self):
        """A step within a step, or without a number among others that have one, is none: each piece of work is of one step."""
        inside = """INSERT INTO NVTX_EVENTS SELECT start + 1000, "end" - 1000, 59, %s, globalTid, NULL, 0 FROM NVTX_EVENTS WHERE text GLOB 'step *'"""
        around = """INSERT INTO NVTX_EVENTS SELECT min(start) - 1000, max("end") + 1000, 59, 'train_steps', globalTid, NULL, 0 FROM NVTX_EVENTS WHERE text GLOB 'step *' GROUP BY globalTid"""
        for change, n in (
            (inside % "'train_step'", 4),
            (inside % "'micro step'", 0),
            (inside % "'iter ' || substr(text, 6)", 4),
            (around, 2),
        ):
            with self.subTest(change):
                self.assertEqual({"unused_events": n} if n else {}, self.changed(change)[1])
                self.assertEqual(
                    [("5", 14), ("6", 14)],
                    self.rows("SELECT step, count(*) FROM trace_device_activity(?) GROUP BY 1", self.path),
                )
                self.assertEqual(
                    [("5", 2), ("6", 2)],
                    self.rows("SELECT step, count(*) FROM trace_device_steps(?) GROUP BY 1", self.path),
                )
        self.changed(inside % "'train_step'")
        self.assertEqual(
            [("0", 14), ("1", 14)],
            self.rows("SELECT step, count(*) FROM trace_device_activity(?, NULL, 'train_step') GROUP BY 1", self.path),
        )

    def test_as_a_program_runs_it(self):
        self.attach(self.export())
        self.db.execute("CREATE TEMP TABLE nsys_input AS SELECT 'run 7' AS trace, NULL AS chip, NULL AS step")
        self.script("formats/nsys.sql")
        self.assertEqual(self.rows("SELECT trace, count(*) FROM device_activity GROUP BY 1"), [("run 7", 28)])


class XSpace(Case):
    def test_the_fixture(self):
        for _ in range(2):
            self.read("xplane", trace=XSPACE)
        self.assertEqual(self.left_behind(), [])
        self.assertEqual(
            self.rows(
                """SELECT chip, stream, class, kind, name, start_ns - ?1, end_ns - ?1, step, op, bytes, flops, collective FROM device_activity
                         WHERE device = '/device:TPU:1' AND step = '8' ORDER BY start_ns, stream""",
                EPOCH + 1_250_000,
            ),
            [
                ("TPU v5e", *row)
                for row in (
                    (
                        "XLA Ops",
                        "compute",
                        "kernel",
                        "fusion.1",
                        10000,
                        450000,
                        "8",
                        "jit(step)/dot_general",
                        402653184,
                        52e9,
                        None,
                    ),
                    (
                        "Async XLA Ops",
                        "communication",
                        "kernel",
                        "all-reduce-start.1",
                        450000,
                        860000,
                        "8",
                        None,
                        None,
                        None,
                        "allreduce",
                    ),
                    (
                        "XLA Ops",
                        "compute",
                        "kernel",
                        "fusion.2",
                        450000,
                        700000,
                        "8",
                        "jit(step)/transpose(dot_general)",
                        268435456,
                        34e9,
                        None,
                    ),
                    (
                        "XLA Ops",
                        "communication",
                        "kernel",
                        "all-reduce-done.1",
                        700000,
                        860000,
                        "8",
                        None,
                        None,
                        None,
                        "allreduce",
                    ),
                    ("XLA Ops", "compute", "kernel", "copy.5", 860000, 868000, "8", None, 8192, None, None),
                )
            ],
        )
        self.assertEqual(self.one("SELECT count(*) FROM device_activity"), 30)
        self.assertEqual(
            self.rows("SELECT side, device, count(*), min(step), max(step) FROM device_steps GROUP BY 1, 2"),
            [
                ("device", "/device:TPU:0", 3, "7", "9"),
                ("device", "/device:TPU:1", 3, "7", "9"),
                ("host", None, 3, "7", "9"),
            ],
        )
        self.assertEqual(self.rows("SELECT name, count(*) FROM device_ranges GROUP BY 1"), [("jit_step(11)", 6)])
        self.assertEqual(
            self.rows("SELECT trace, format, base_ns, host FROM device_traces"), [(XSPACE, "xplane", 0, "tpu-host-0")]
        )

    def test_lines_derived_from_streams(self):
        """XProf adds lines to the planes of GPUs that tell their streams' time again, XLA Ops among them."""
        gpu, tpu = xspace.Plane("/device:GPU:0"), xspace.Plane("/device:TPU:0")
        for plane in (gpu, tpu):
            op = plane.event_name("fusion.1")
            plane.line("XLA Ops", 1000, [(op, 0, 2000, [])], 2)
        gpu.line("Stream #13(Compute)", 1000, [(gpu.event_name("fusion_1"), 0, 2000, [])], 13)
        self.read("xplane", trace=self.file(xspace.message([(1, plane.fields()) for plane in (gpu, tpu)]), "gpu.pb"))
        self.assertEqual(
            self.rows("SELECT device, stream, name FROM device_activity ORDER BY device"),
            [("/device:GPU:0", "Stream #13(Compute)", "fusion_1"), ("/device:TPU:0", "XLA Ops", "fusion.1")],
        )

    def test_slices_beside(self):
        """A TPU fetches a part of an array while it computes: that is a copy, and hides no gap between computations."""
        tpu = xspace.Plane("/device:TPU:0")
        tpu.line(
            "XLA Ops",
            1000,
            [
                (tpu.event_name("fusion.1"), 0, 2000000, []),
                (tpu.event_name("slice-done.1"), 5000000, 1000000, [("hlo_category", "async-done", xspace.REF)]),
                (tpu.event_name("slice.2"), 6000000, 500000, []),
            ],
            2,
        )
        tpu.line(
            "Async XLA Ops",
            1000,
            [
                (tpu.event_name("slice-start.1"), 1000000, 5000000, [("hlo_category", "async-start", xspace.REF)]),
                (tpu.event_name("dynamic-update-slice-start.3"), 1000000, 500000, []),
            ],
            3,
        )
        self.read("xplane", trace=self.file(xspace.message([(1, tpu.fields())]), "tpu.pb"))
        self.assertEqual(
            self.rows("SELECT name, class FROM device_activity ORDER BY name"),
            [
                ("dynamic-update-slice-start.3", "memory"),
                ("fusion.1", "compute"),
                ("slice-done.1", "memory"),
                ("slice-start.1", "memory"),
                ("slice.2", "compute"),
            ],
        )
        self.script("device_views.sql")
        self.assertEqual(
            self.rows("SELECT busy_ns, compute_ns, memory_ns, exposed_memory_ns FROM device_time"),
            [(6500, 2500, 5000, 4000)],
        )

    def test_loops_without_a_category(self):
        """A while holds what its body does, and is told by its name where nothing tells its category."""
        tpu = xspace.Plane("/device:TPU:0")
        ops = [
            ("%while.3 = (s32[]) while(%t)", "while.3", 0, 9000000),
            ("%fusion.1 = f32[8] fusion(%p)", "fusion.1", 0, 2000000),
            ("%call = f32[8] call(%p)", "call", 2000000, 2000000),
            ("%while_fusion.7 = f32[8] fusion(%p)", "while_fusion.7", 5000000, 1000000),
            ("conditional.12", "", 7000000, 1000000),
        ]
        tpu.line("XLA Ops", 1000, [(tpu.event_name(name, shown), at, long, []) for name, shown, at, long in ops], 2)
        self.read("xplane", trace=self.file(xspace.message([(1, tpu.fields())]), "tpu.pb"))
        self.script("device_views.sql")
        self.assertEqual(
            self.rows("SELECT name FROM device_activity ORDER BY start_ns"), [("fusion.1",), ("while_fusion.7",)]
        )
        self.assertEqual(self.rows("SELECT busy_ns FROM device_time"), [(3000,)])

    def test_custom_calls_have_no_price(self):
        """XLA counts 0 FLOPs for what it cannot see into; a kernel that tells its own keeps it. The share of time with a price says so."""
        tpu = xspace.Plane("/device:TPU:0")
        ops = [
            (
                '%custom-call.1 = f32[8] custom-call(%p), custom_call_target="tpu_custom_call"',
                "attention.1",
                "custom-call",
                0,
            ),
            ("%custom-call.2 = f32[8] custom-call(%p)", "custom-call.2", "custom-call", 5000),
            ("%fusion.3 = f32[8] fusion(%p)", "fusion.3", "loop fusion", 0),
        ]
        tpu.line(
            "XLA Ops",
            1000,
            [
                (
                    tpu.event_name(
                        name, shown, [("hlo_category", category, xspace.REF), ("flops", flops, xspace.UINT)]
                    ),
                    2000000 * i,
                    1000000,
                    [],
                )
                for i, (name, shown, category, flops) in enumerate(ops)
            ],
            2,
        )
        path = self.file(xspace.message([(1, tpu.fields())]), "tpu.xplane.pb")
        self.assertEqual(
            [(None,), (5000,), (0,)], self.rows("SELECT flops FROM trace_device_activity(?) ORDER BY start_ns", path)
        )
        self.assertEqual([(3000, 2000)], self.rows("SELECT compute_ns, priced_ns FROM trace_device_priced(?)", path))

    def test_copies_that_are_called_by_their_call(self):
        """Intel's extension for TensorFlow: Level Zero's copies and sets are no computation."""
        gpu = xspace.Plane("/device:XPU:0")
        gpu.line(
            "Stream #1(Kernel)",
            1000,
            [
                (gpu.event_name(name), 1000000 * i, 1000, [])
                for i, name in enumerate(
                    (
                        "gemm_kernel",
                        "zeCommandListAppendMemoryCopy(M2D)",
                        "zeCommandListAppendMemoryFill",
                        "clEnqueueWriteBuffer",
                        "clEnqueueNDRangeKernel",
                    )
                )
            ],
            1,
        )
        self.read("xplane", trace=self.file(xspace.message([(1, gpu.fields())]), "xpu.pb"))
        self.assertEqual(
            self.rows("SELECT class FROM device_activity ORDER BY start_ns"),
            [(of,) for of in ("compute", "memory", "memory", "memory", "compute")],
        )

    def test_names_of_collectives(self):
        gpu = xspace.Plane("/device:GPU:0")
        gpu.line(
            "Stream #13(Compute)",
            1000,
            [
                (gpu.event_name(name), 1000000 * i, 1000, [])
                for i, name in enumerate(
                    (
                        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
                        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                        "ncclDevKernel_AllGather_RING_LL",
                    )
                )
            ],
            13,
        )
        self.read("xplane", trace=self.file(xspace.message([(1, gpu.fields())]), "gpu.pb"))
        self.assertEqual(
            self.rows("SELECT class, collective FROM device_activity ORDER BY start_ns"),
            [("communication", "sendrecv"), ("communication", "allreduce"), ("communication", "allgather")],
        )

    @unittest.skipUnless(os.path.exists(AMD), "../shared is not here")
    def test_a_recorded_file(self):
        """150 kernels, launched by 150 calls; relative times, told apart by the profile's start."""
        self.read("xplane", trace=AMD, chip="MI355X")
        self.assertEqual(
            self.rows(
                """SELECT count(*), count(launch_ns), min(launch_name), max(launch_name), sum(end_ns - start_ns), min(start_ns), min(class), max(class), min(chip),
                                sum(launch_ns > start_ns) FROM device_activity"""
            ),
            [
                (
                    150,
                    150,
                    "hipExtModuleLaunchKernel",
                    "hipModuleLaunchKernel",
                    self.one("SELECT sum(end_ns - start_ns) FROM xplane_trace(?) WHERE line = 'Stream #2'", AMD),
                    1779266702889805563 + 9716533018,
                    "compute",
                    "memory",
                    "MI355X",
                    0,
                )
            ],
        )
        # ROCm copies and sets with kernels of its own.
        self.assertEqual(
            self.one("SELECT count(*) FROM device_activity WHERE class = 'memory'"),
            self.one(
                "SELECT count(*) FROM xplane_trace(?) WHERE line = 'Stream #2' AND name GLOB '__amd_rocclr_[cf]*'", AMD
            ),
        )
        self.assertEqual(
            self.rows(
                "SELECT op, count(*) FROM device_activity WHERE name GLOB '*gemm_fusion_dot*' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
            )[0][0],
            "jit(loss_fn)/jvp(bsd,de->bse)/dot_general",
        )


if __name__ == "__main__":
    unittest.main()
