"""Traces of Perfetto: perfetto_trace and the mapping sql/formats/perfetto.sql, held against a decoder of the tests' own and against the same story
as a database of rocprofv3 (tests/support/perfetto.py, rocpd.py)."""

import json
import os
import random
import unittest

import cases
import perfetto
import rocpd
from fleets import ROOT
from perfetto import BEGIN, END, INSTANT, Sequence, packet, snapshot

FIXTURE = os.path.join(ROOT, f"fixtures/perfetto/{rocpd.PID}_results.pftrace")
SLICES = "SELECT name, category, start_ns, end_ns, track_uuid, args FROM perfetto_trace(?) WHERE kind = 'slice'"


def begin(at, track, name, *rest):
    return packet((8, at), *rest, (11, [(9, BEGIN), (11, track), (23, name)]))


def end(at, track, *rest):
    return packet((8, at), *rest, (11, [(9, END), (11, track)]))


class Perfetto(cases.Case):
    FILE = "trace"

    def read(self, *packets, columns="name, start_ns, end_ns", where="kind = 'slice'"):
        self.path = self.file(b"".join(packets))
        return self.rows(f"SELECT {columns} FROM perfetto_trace(?) WHERE {where}", self.path)

    # ---- The reader ----

    def test_the_fixture_beside_another_decoder(self):
        found = perfetto.slices(perfetto.fixture())
        self.assertEqual(52, len(found))
        self.assertEqual(found, self.rows(SLICES, FIXTURE))
        self.assertEqual({}, self.issues(FIXTURE))
        self.assertEqual(
            [("clock", 1), ("counter", 1), ("instant", 1), ("slice", 52), ("track", 7)],
            self.rows("SELECT kind, count(*) FROM perfetto_trace(?) GROUP BY 1", FIXTURE),
        )
        self.assertEqual(
            [(rocpd.PID, "python3", 8, 52)],
            self.rows(
                "SELECT min(pid), max(process), min(flow_id = args ->> '$.corr_id') * 8, count(flow_id) FROM perfetto_trace(?) WHERE kind = 'slice'",
                FIXTURE,
            ),
        )
        self.assertEqual(
            [(7, 2.5)], self.rows("SELECT track_uuid, value FROM perfetto_trace(?) WHERE kind = 'counter'", FIXTURE)
        )
        self.assertEqual(
            {"note": {"why": ["end", 1, -2, 0.5, True]}},
            json.loads(self.one("SELECT args FROM perfetto_trace(?) WHERE kind = 'instant'", FIXTURE)),
        )

    def test_random_traces_beside_another_decoder(self):
        """Nested slices of several writers, with names that repeat, units of the clock, and times that go back."""
        for seed in range(25):
            draw = random.Random(seed)
            writers = [
                Sequence(2 + i, 1000 * draw.randrange(1, 10**6), draw.choice((1, 1000)))
                for i in range(draw.randrange(1, 4))
            ]
            for i, writer in enumerate(writers):
                at, depth = writer.last, 0
                for _ in range(draw.randrange(60)):
                    at = max(0, at + 1000 * draw.choice((0, 1, 5, 1000) if depth else (0, 7, -3)))
                    if depth and draw.random() < 0.5:
                        writer.event(END, at, i + 1)
                        depth -= 1
                    else:
                        writer.event(
                            BEGIN,
                            at,
                            i + 1,
                            draw.choice("abcdef"),
                            draw.choice(("x", "y", None)),
                            (
                                {draw.choice("pq"): draw.choice((1, -5, 'é"\\', 2.5, True))}
                                if draw.random() < 0.5
                                else None
                            ),
                        )
                        depth += 1
                for _ in range(depth):
                    writer.event(END, at + 1000, i + 1)
            chunks = [[out] for writer in writers for out in [b"".join(writer.out)]]
            data = b"".join(chunk for (chunk,) in chunks)
            self.assertEqual(perfetto.slices(data), self.rows(SLICES, self.file(data)), seed)

    def test_slices_that_overlap_keep_their_times(self):
        """A queue runs two kernels at once: a writer that knows the ends writes begin and end together."""
        self.assertEqual(
            [("a", 10, 30), ("b", 20, 50)], self.read(begin(10, 1, "a"), end(30, 1), begin(20, 1, "b"), end(50, 1))
        )
        self.assertEqual(
            [("inner", 20, 30), ("outer", 10, 50)],
            self.read(begin(10, 1, "outer"), begin(20, 1, "inner"), end(30, 1), end(50, 1)),
        )

    def test_ends_from_another_writer(self):
        """What one thread began and another ended, in the order of the file as chunks come, is matched by time."""
        packets = [begin(10, 1, "a"), begin(40, 1, "b"), end(20, 1), end(60, 1)]
        self.assertEqual([("a", 10, 20), ("b", 40, 60)], sorted(self.read(*packets)))
        self.assertEqual(
            [("a", 10, 20), ("b", 40, 60)], sorted(self.read(packets[2], packets[3], packets[0], packets[1]))
        )
        self.assertEqual({}, self.issues(self.path))
        self.assertEqual([("a", 10, 20)], self.read(end(5, 1), *packets[:3]))
        self.assertEqual({"unfinished_slice": 2}, self.issues(self.path))

    def test_traces_one_after_the_other(self):
        """Where a file holds several, no slice that one leaves open has an end of the next: by the names of the traces, else by their settings."""
        uuids = [perfetto.packet((89, [(1, n), (2, 2)])) for n in (1, 2)]
        config = perfetto.packet((33, [(1, [(1, 1024)])]))
        left, right = (begin(10, 1, "a"), begin(20, 1, "b"), end(30, 1)), (
            end(3000, 1),
            begin(3010, 1, "c"),
            end(3020, 1),
        )
        for first, second in (
            ([uuids[0]], [uuids[1]]),
            ([config], [config]),
            ([uuids[0], config], [uuids[1], config]),
            ([config, uuids[0]], [config, uuids[1]]),
        ):
            self.assertEqual([("b", 20, 30), ("c", 3010, 3020)], sorted(self.read(*first, *left, *second, *right)))
            self.assertEqual({"unfinished_slice": 2}, self.issues(self.path))
        for again in ([], [uuids[0]]):
            self.assertEqual(
                [("a", 10, 3000), ("b", 20, 30), ("c", 3010, 3020)],
                sorted(self.read(uuids[0], config, *left, *again, *right)),
            )
            self.assertEqual({}, self.issues(self.path))
        # What a writer tells in another order than that of time is matched within its own trace.
        found = self.read(
            uuids[0], end(20, 1), begin(10, 1, "a"), uuids[1], end(60, 1), begin(50, 1, "b"), begin(55, 1, "c")
        )
        self.assertEqual([("a", 10, 20), ("c", 55, 60)], sorted(found))
        self.assertEqual({"unfinished_slice": 1}, self.issues(self.path))

    def test_clocks(self):
        first = packet((10, 1), snapshot(c6=1000, c3=400, c1=5_000_000))
        event = [(9, INSTANT), (11, 1), (23, "x")]

        def times(*packets):
            return self.rows(
                "SELECT start_ns FROM perfetto_trace(?) WHERE kind = 'instant'", self.file(b"".join((first, *packets)))
            )

        self.assertEqual([(1500,)], times(packet((8, 1500), (11, event))))
        self.assertEqual([(1100,)], times(packet((8, 500), (58, 3), (11, event))))  # MONOTONIC
        self.assertEqual([(1007,)], times(packet((8, 5_000_007), (58, 1), (11, event))))
        own = packet((10, 9), (6, [(1, [(1, 6), (2, 2000)]), (1, [(1, 64), (2, 7), (3, 1), (4, 10)])]))
        self.assertEqual(
            [(2030,), (2050,)],
            times(own, packet((10, 9), (8, 3), (58, 64), (11, event)), packet((10, 9), (8, 2), (58, 64), (11, event))),
        )
        self.assertEqual([], times(own, packet((10, 8), (8, 3), (58, 64), (11, event))))  # of another sequence
        self.assertEqual([(1000, 5_000_000)], self.read(first, columns="start_ns, clock_ns", where="kind = 'clock'"))
        self.read(packet((8, 3), (58, 64), (11, event)), where="1")
        self.assertEqual({"unknown_clock": 1}, self.issues(self.path))

    def test_lost_packets(self):
        """Names of a sequence go with its state: after a loss nothing that needs them is read until it begins anew."""
        names = (12, [(2, [(1, 1), (2, "known")])])
        event = (11, [(9, INSTANT), (11, 1), (10, 1)])
        need = (10, 5), (13, 2)
        rows = self.read(
            packet((8, 1), *need, event),
            packet((8, 2), (10, 5), (13, 1), names, event),
            packet((8, 3), *need, event),
            packet((8, 4), *need, (42, 1), event),
            packet((8, 5), *need, event),
            packet((8, 6), (10, 5), (41, 1), event),
            packet((8, 7), *need, names, event),
            columns="start_ns, name",
            where="kind = 'instant'",
        )
        self.assertEqual([(2, "known"), (3, "known"), (6, None), (7, "known")], rows)
        self.assertEqual({"lost_packets": 3, "missing_samples": 1, "unknown_name": 1}, self.issues(self.path))

    def test_losses_that_leave_no_mark_on_events(self):
        """A writer that lost packets clears its state at once: what it lost is told by a flag alone, which the first packet of each writer has too."""

        def write(*flags):
            s = perfetto.Sequence(2, 0)
            for i, lost in enumerate(flags):
                if lost:
                    s.out.append(perfetto.packet((10, 2), (13, 1), (42, 1), (59, [(58, 6)])))
                    s.names, s.last = {}, 10**15
                s.slice(1000 * i, 1000 * i + 500, 1, "k", "kernel_dispatch", {"agent": "GPU-0"})
            return self.file(perfetto.packet((10, 2), (42, 1)) + b"".join(s.out), "t.pftrace")

        for flags, said in (((0, 0, 0), {}), ((0, 1, 0), {"missing_samples": 1}), ((0, 1, 1), {"missing_samples": 2})):
            path = write(*flags)
            self.assertEqual(3, self.one("SELECT count(*) FROM trace_device_activity(?)", path))
            self.assertEqual(said, self.issues(path), flags)

    def test_what_else_there_is(self):
        rows = self.read(
            packet((8, 1), (1, [(1, 3)])),
            packet((50, b"\x78\x9c")),
            packet((8, 9), (11, [(11, 1), (23, "no type")])),
            packet((11, [(9, INSTANT), (23, "no time")])),
            packet((8, 10), (11, [(6, [(2, ord("X")), (3, 2)]), (23, "old"), (11, 3)])),
            packet((8, 20), (11, [(9, INSTANT), (23, b"\xff"), (11, 3)])),
            columns="kind, name, start_ns, end_ns",
            where="1",
        )
        self.assertEqual([("slice", "old", 10, 2010), ("instant", "�", 20, None)], rows)
        self.assertEqual(
            {"other_packets": 2, "packed_packets": 1, "missing_field": 1, "invalid_utf8": 1}, self.issues(self.path)
        )

    def test_writers_of_2019(self):
        """A thread and no track; times in microseconds since the event before."""
        thread = packet((10, 3), (13, 1), (44, [(1, 70), (2, 71), (5, "main"), (6, 1000)]))
        rows = self.read(
            thread,
            *(
                packet((10, 3), (11, [(1, delta), (6, [(2, ord(phase))]), (23, "f")]))
                for phase, delta in (("B", 5), ("B", 1), ("E", 2), ("E", 3))
            ),
            columns="pid, tid, thread, start_ns, end_ns",
        )
        self.assertEqual([(70, 71, "main", 1_006_000, 1_008_000), (70, 71, "main", 1_005_000, 1_011_000)], rows)

    def test_damage(self):
        good = begin(10, 1, "a") + end(30, 1)
        for bad, words in (
            (b"\x0a\x02\x58\x80", "byte 2: expected a field of a TracePacket, found its end within a field"),
            (b"\x0b", "byte 0: expected a field of a Trace, found wire type 3"),
            (packet((8, 1), (11, b"\x48")), "expected a field of a TrackEvent"),
            (packet((8, 2**63), (11, [(9, BEGIN)])), "expected a time of 63 bits, found 9223372036854775808"),
        ):
            path = self.file(bad + good)
            self.assertIn(words, self.error("SELECT count(*) FROM perfetto_trace(?)", path))
            rows = self.rows("SELECT name FROM perfetto_trace(?) WHERE on_error = 'skip'", path)
            self.assertEqual(
                [] if bad == b"\x0b" else [("a",)], rows, words
            )  # where the next packet begins, nobody knows
            self.assertEqual(1, self.issues(path)["skipped_record"])
        deep = [(2, 1)]
        for _ in range(70):
            deep = [(12, deep)]
        self.assertIn(
            "debug annotations at most 64 deep",
            self.error(
                "SELECT count(*) FROM perfetto_trace(?)",
                self.file(packet((8, 1), (11, [(9, INSTANT), (4, [(10, "x"), *deep])]))),
            ),
        )

    def test_an_xspace_is_no_trace(self):
        path = os.path.join(ROOT, "fixtures/xplane/tpu-host-0.xplane.pb")
        self.assertRegex(
            self.error("SELECT count(*) FROM perfetto_trace(?)", path),
            r"expected (packets of Perfetto, found \d+ messages|a field of)",
        )

    def test_limits(self):
        self.one("SELECT mpg_limit('plane_bytes', 100000)")
        many = b"".join(begin(i, i, f"name {i}") for i in range(2000))
        self.assertRegex(
            self.error("SELECT count(*) FROM perfetto_trace(?)", self.file(many)),
            r"byte \d+: (names|tracks and open slices) of more than 100000 bytes",
        )

    # ---- The mapping ----

    def test_the_same_story_as_a_database(self):
        columns = "process, device, stream, class, kind, name, start_ns - ?2, end_ns - ?2, step, correlation, launch_ns - ?2, launch_end_ns - ?2, launch_name, launch_thread, op, op_ns - ?2, bytes, collective"
        asked = f"SELECT {columns} FROM trace_device_activity(?1) ORDER BY device, start_ns, name"
        database = os.path.join(ROOT, f"fixtures/rocpd/{rocpd.PID}_results.db")
        self.assertEqual(20, len(self.rows(asked, FIXTURE, perfetto.REAL)))
        self.assertEqual(self.rows(asked, database, rocpd.BOOT), self.rows(asked, FIXTURE, perfetto.REAL))
        self.assertEqual(
            [(FIXTURE, "perfetto", perfetto.REAL - rocpd.BOOT)],
            self.rows("SELECT trace, format, base_ns FROM trace_device_traces(?)", FIXTURE),
        )
        for table in ("steps", "ranges"):
            shape = f"SELECT name, start_ns - ?2, end_ns - ?2 FROM trace_device_{table}(?1) ORDER BY 1, 2".replace(
                "name", "step" if table == "steps" else "name"
            )
            self.assertEqual(self.rows(shape, database, rocpd.BOOT), self.rows(shape, FIXTURE, perfetto.REAL))

    def test_other_words(self):
        """XLA's tracks of a device, rocprof-sys' categories and tracks, and slices that are nothing of these."""
        s = Sequence(2, 0)
        s.track(1, process=[(1, 8), (6, "/device:TPU:1")])
        s.track(2, parent=1, thread=[(1, 8), (2, 81), (5, "XLA Ops")])
        s.track(3, parent=1, thread=[(1, 8), (2, 82), (5, "Steps")])
        s.track(4, "GPU Kernel Dispatch [3] Queue [0]")
        s.slice(10, 20, 2, "all-reduce.1")
        s.slice(10, 90, 3, "7")
        s.slice(30, 50, 4, "gemm", "rocm_kernel_dispatch")
        s.slice(60, 70, 9, "poll", "net")
        path = self.file(b"".join(s.out))
        self.assertEqual(
            [
                ("/device:TPU:1", "XLA Ops", "communication", "all-reduce.1", 10),
                ("3", "GPU Kernel Dispatch [3] Queue [0]", "compute", "gemm", 30),
            ],
            self.rows(
                "SELECT device, coalesce(stream, 'XLA Ops'), class, name, start_ns FROM trace_device_activity(?) ORDER BY start_ns",
                path,
            ),
        )
        self.assertEqual({"other_spans": 2}, self.issues(path))

    def test_what_cannot_be_is_listed(self):
        def trace(*slices):
            s = Sequence(2, 0)
            for corr in sorted({1} | {corr for _, _, corr in slices}):
                s.slice(5, 100, 1, "hipLaunchKernel", "hip_api", {"corr_id": corr})
            for start, stop, corr in slices:
                s.slice(start, stop, 5, "k", "kernel_dispatch", {"agent": "GPU-0", "queue": 1, "corr_id": corr})
            path = self.file(b"".join(s.out))
            return self.rows("SELECT start_ns, end_ns FROM trace_device_activity(?) ORDER BY 1", path), self.issues(
                path
            )

        self.assertEqual(([(10, 20)], {"repeated_record": 1}), trace((10, 20, 1), (10, 20, 1)))
        self.assertEqual(([(10, 20)], {"lost_time": 1}), trace((10, 20, 1), (3_700_000_000_000, 3_700_000_000_001, 1)))
        self.assertEqual(([(10, 20), (20, 30)], {"overrun_activity": 1}), trace((10, 80, 1), (20, 30, 2)))
        self.assertEqual(([], {"no_device_event": 1}), trace())
        self.assertEqual(([(2, 20)], {"conflict": 1}), trace((2, 20, 1)))

    def test_a_trace_without_a_slice_is_listed(self):
        """Counters or instants alone: no device, no call, no step."""

        def counter(at):
            return packet((8, at), (11, [(9, 4), (11, 7), (30, at)]))

        for packets in (
            [counter(at) for at in (10, 20, 30)],
            [packet((8, 10), (11, [(9, INSTANT), (11, 7), (23, "x")]))],
            [packet((8, 1), (1, [(1, 3)]))],
        ):
            path = self.file(b"".join(packets), "a.pftrace")
            for table in ("activity", "time"):
                self.assertEqual([], self.rows(f"SELECT * FROM trace_device_{table}(?)", path))
                self.assertEqual(1, self.issues(path).get("no_device_event"), table)

    def test_correlations_above_what_an_integer_holds(self):
        """As numbers of JSON two of them may be one."""
        s = Sequence(2, 0)
        s.slice(0, 10, 1, "first", "hip_api", {"corr_id": 2**63 + 5})
        s.slice(20, 30, 1, "second", "hip_api", {"corr_id": 2**63 + 6})
        s.slice(40, 50, 5, "k", "kernel_dispatch", {"agent": "GPU-0", "queue": 1, "corr_id": 2**63 + 6})
        self.assertNotIn(
            ("first",),
            self.rows("SELECT launch_name FROM trace_device_activity(?)", self.file(b"".join(s.out), "a.pftrace")),
        )

    # ---- Traces put together: `cat a.proto b.proto`, as tools of several processes do ----

    def of_process(self, pid, boot, first, agent="GPU-0"):
        """A trace of a process: from `first` on, a call after 1 us and its kernel of 1 us after 2 us."""
        s = Sequence(2, boot)
        s.track(10, process=[(1, pid), (6, "python3")])
        s.track(11, "queue", 10)
        s.track(12, "thread", 10, thread=[(1, pid), (2, pid)])
        s.slice(boot + first + 1000, boot + first + 1500, 12, "hipLaunchKernel", "hip_api", {"corr_id": 1})
        s.slice(
            boot + first + 2000,
            boot + first + 3000,
            11,
            "gemm",
            "kernel_dispatch",
            {"agent": agent, "queue": 1, "corr_id": 1},
        )
        return packet(snapshot(c6=boot, c1=perfetto.REAL)) + packet((89, [(1, 0)])) + b"".join(s.out)

    def test_processes_put_together(self):
        path = self.file(self.of_process(7, 10**12, 0) + self.of_process(8, 10**12, 500))
        asked = "SELECT process, device, start_ns - ?2, launch_ns - ?2 FROM trace_device_activity(?1) ORDER BY process"
        self.assertEqual([("7", "0", 2000, 1000), ("8", "0", 2500, 1500)], self.rows(asked, path, perfetto.REAL))
        self.assertEqual({"missing_field": 2}, self.issues(path))
        path = self.file(self.of_process(7, 10**12, 0) + self.of_process(8, 10**12, 500, "GPU-1"))
        self.assertEqual([("7", "0", 2000, 1000), ("8", "1", 2500, 1500)], self.rows(asked, path, perfetto.REAL))
        self.assertEqual({}, self.issues(path))

    def test_hosts_put_together(self):
        """Each has been up for another time."""
        for boot in (5 * 10**12, 10**10):
            path = self.file(self.of_process(7, 10**12, 0) + self.of_process(8, boot, 500, "GPU-1"))
            self.assertEqual(
                [("0", 2000, 3000, 1000), ("1", 2500, 3500, 1500)],
                self.rows(
                    "SELECT device, start_ns - ?2, end_ns - ?2, launch_ns - ?2 FROM trace_device_activity(?1) ORDER BY 1",
                    path,
                    perfetto.REAL,
                ),
            )
            self.assertEqual({"conflict": 1}, self.issues(path))

    def test_bytes_below_zero_are_none(self):
        s = Sequence(2, 0)
        s.track(5, "COPY GPU [0] THREAD [0] GPU")
        for at, size in ((10, 4096), (50, -1)):
            s.slice(
                at, at + 5, 5, "MEMORY_COPY_HOST_TO_DEVICE", "memory_copy", {"dst_agent": "GPU-0", "copy_bytes": size}
            )
        path = self.file(b"".join(s.out))
        self.assertEqual(
            [(4096,), (None,)], self.rows("SELECT bytes FROM trace_device_activity(?) ORDER BY start_ns", path)
        )
        self.assertEqual(1, self.issues(path)["impossible_value"])

    # ---- Names of steps ----

    def steps(self, *names):
        """A trace of a step after the other, each with a call and its kernel in it."""
        s = Sequence(2, 10**12)
        s.track(10, process=[(1, 7), (6, "python3")])
        s.track(11, "COMPUTE GPU [0] QUEUE [1] GPU", 10)
        s.track(12, "thread", 10, thread=[(1, 7), (2, 7)])
        for i, around in enumerate(names):
            at = 10**12 + 1_000_000 * i
            for deep, name in enumerate(around):
                s.event(1, at + 1000 * deep, 12, name, "marker_api")
            s.slice(at + 5000, at + 5500, 12, "hipLaunchKernel", "hip_api", {"corr_id": i + 1})
            for deep, _ in reversed(list(enumerate(around))):
                s.event(2, at + 900_000 - 1000 * deep, 12)
            s.slice(
                at + 6000, at + 7000, 11, "gemm", "kernel_dispatch", {"agent": "GPU-0", "queue": 1, "corr_id": i + 1}
            )
        return b"".join(s.out)

    def test_names_of_steps(self):
        """As in exports of Nsight: the number after the word, of 7/100 the first; a step in a step, or without a number among others, is none."""
        asked = "SELECT step, op FROM trace_device_activity(?) ORDER BY start_ns"
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
                path = self.file(self.steps(*([name % number] for number in (5, 6))))
                self.assertEqual([("5", None), ("6", None)], self.rows(asked, path))
                self.assertEqual({}, self.issues(path))
        path = self.file(self.steps(["step 5", "train_step"], ["step 6", "iter 1"], ["train_step"]))
        self.assertEqual([("5", "train_step"), ("6", "iter 1"), (None, "train_step")], self.rows(asked, path))
        self.assertEqual({"unused_events": 3}, self.issues(path))
        folder = self.folder_of(
            {"a.pftrace": self.steps(["step 5"]), "b.pftrace": self.steps(["train_step"], ["train_step"])}
        )  # each trace has its own names
        self.assertEqual(
            [("5",), ("0",), ("1",)],
            self.rows("SELECT step FROM trace_device_steps(?) ORDER BY trace, start_ns", folder),
        )

    def test_agents_by_their_number_in_the_node(self):
        """rocprofv3 calls them Agent-1 where it is not asked for the type: a GPU is told by the direction of a copy."""
        s = Sequence(2, 10**9)
        for uuid, place in (
            (11, "COMPUTE Agent [1] QUEUE [0] GPU"),
            (12, "COPY Agent [2] THREAD [0] GPU"),
            (13, "COPY Agent [0] THREAD [0] CPU"),
        ):
            s.track(uuid, place)
        s.slice(10**9 + 10, 10**9 + 20, 11, "gemm", "kernel_dispatch", {"agent": "Agent-1", "queue": 1})
        for start, track, way, source, target in (
            (30, 12, "HOST_TO_DEVICE", 0, 2),
            (50, 13, "DEVICE_TO_HOST", 2, 0),
            (70, 13, "DEVICE_TO_HOST", 1, 0),
            (90, 13, "HOST_TO_HOST", 0, 0),
        ):
            s.slice(
                10**9 + start,
                10**9 + start + 10,
                track,
                "MEMORY_COPY_" + way,
                "memory_copy",
                {"src_agent": f"Agent-{source}", "dst_agent": f"Agent-{target}", "copy_bytes": 8},
            )
        path = self.file(b"".join(s.out), "t.pftrace")
        self.assertEqual(
            [
                ("Agent-1", 10, "gemm"),
                ("Agent-1", 70, "Memcpy DtoH"),
                ("Agent-2", 30, "Memcpy HtoD"),
                ("Agent-2", 50, "Memcpy DtoH"),
            ],
            self.rows("SELECT device, start_ns - 1000000000, name FROM trace_device_activity(?) ORDER BY 1, 2", path),
        )
        self.assertEqual({"left_out": 1}, self.issues(path))

    def test_words_of_omnitrace(self):
        s = Sequence(2, 10**9)
        s.track(10, process=[(1, 7), (6, "python3")])
        s.track(11, "HIP Activity Device 0, Queue 0", 10)
        s.track(12, "thread", 10, thread=[(1, 7), (2, 8)])
        for start, track, name, category, call in (
            (5, 12, "step 3", "rocm_roctx", None),
            (6, 12, "hipLaunchKernel", "rocm_hip", 4),
            (20, 11, "gemm", "device_hip", 4),
            (60, 11, "CopyHostToDevice", "device_hip", 5),
            (80, 11, "FillBuffer", "device_hip", 6),
        ):
            s.slice(
                10**9 + start,
                10**9 + start + (90 if call is None else 10),
                track,
                name,
                category,
                {"corr_id": call} if call else None,
            )
        path = self.file(b"".join(s.out), "t.pftrace")
        self.assertEqual(
            [
                ("0", "kernel", "gemm", "3", "hipLaunchKernel"),
                ("0", "memcpy", "Memcpy HtoD", None, None),
                ("0", "memset", "FillBuffer", None, None),
            ],
            self.rows(
                "SELECT device, kind, name, step, launch_name FROM trace_device_activity(?) ORDER BY start_ns", path
            ),
        )
        self.assertEqual({"missing_field": 2}, self.issues(path))  # the two without a call

    def test_loops_of_xla_hold_their_operations(self):
        s = Sequence(2, 0)
        s.track(1, process=[(1, 8), (6, "/device:TPU:0")])
        s.track(2, parent=1, thread=[(1, 8), (2, 81), (5, "XLA Ops")])
        for start, stop, name in (
            (10, 90, "while.3"),
            (20, 30, "fusion.1"),
            (40, 50, "conditional"),
            (42, 44, "copy.2"),
        ):
            s.slice(start, stop, 2, name)
        path = self.file(b"".join(s.out), "t.pftrace")
        self.assertEqual([(2, 12)], self.rows("SELECT activities, busy_ns FROM trace_device_time(?)", path))
        self.assertEqual({"other_spans": 2}, self.issues(path))

    def test_lines_of_xla(self):
        """Operations beside others count, and of GPUs the streams, from which the line of operations is derived."""
        s = Sequence(2, 0)
        for gpu, lines in ((0, ("XLA Ops", "Async XLA Ops")), (1, ("Stream #7(Compute)", "XLA Ops"))):
            s.track(1 + 10 * gpu, process=[(1, 8 + gpu), (6, f"/device:{'TG'[gpu]}PU:0")])
            for i, line in enumerate(lines):
                s.track(2 + 10 * gpu + i, parent=1 + 10 * gpu, thread=[(1, 8 + gpu), (2, 81 + i), (5, line)])
        for track, start, stop, name in (
            (2, 10, 20, "fusion.1"),
            (3, 15, 40, "all-reduce-start.1"),
            (12, 10, 20, "gemm"),
            (13, 10, 20, "dot.1"),
        ):
            s.slice(start, stop, track, name)
        path = self.file(b"".join(s.out), "t.pftrace")
        self.assertEqual(
            [
                ("/device:GPU:0", "gemm", None),
                ("/device:TPU:0", "all-reduce-start.1", "allreduce"),
                ("/device:TPU:0", "fusion.1", None),
            ],
            self.rows("SELECT device, name, collective FROM trace_device_activity(?) ORDER BY 1, 2", path),
        )
        self.assertEqual({"other_spans": 1}, self.issues(path))

    def test_some_have_a_stream(self):
        """What has none is of its queue, or else its track: what two of them leave idle is no gap of one."""
        s = Sequence(2, 0)
        for number, name in ((5, "first"), (6, "second")):
            s.track(number, name)
        for start, track, args in (
            (10, 5, {"stream_ID": 3}),
            (20, 5, {}),
            (30, 6, {}),
            (40, 6, {"queue": 2}),
            (50, 5, {}),
        ):
            s.slice(start, start + 5, track, "k", "kernel_dispatch", {"agent": "GPU-0"} | args)
        path = self.file(b"".join(s.out), "t.pftrace")
        self.assertEqual(
            [("3",), ("first",), ("second",), ("queue 2",), ("first",)],
            self.rows("SELECT stream FROM trace_device_activity(?) ORDER BY start_ns", path),
        )
        self.assertEqual([("first", 25)], self.rows("SELECT stream, gap_ns FROM trace_device_gaps(?)", path))

    def test_streams_that_share_a_queue_run_at_once(self):
        """HIP puts its streams on four queues of the hardware: what overlaps there is of two streams, or a time that cannot be."""
        for streams, wanted in (((1, 2), [(10, 100), (20, 30)]), ((1, 1), [(10, 20), (20, 30)])):
            s = Sequence(2, 0)
            for i, (start, stop) in enumerate(((10, 100), (20, 30))):
                s.slice(
                    start,
                    stop,
                    5,
                    "gemm",
                    "kernel_dispatch",
                    {"agent": "GPU-0", "queue": 1, "stream_ID": streams[i], "corr_id": i + 1},
                )
            path = self.file(b"".join(s.out), "t.pftrace")
            self.assertEqual(
                wanted, self.rows("SELECT start_ns, end_ns FROM trace_device_activity(?) ORDER BY 1", path)
            )
            self.assertEqual(streams == (1, 1), "overrun_activity" in self.issues(path))

    def test_recognised_among_all_others(self):
        with open(FIXTURE, "rb") as file:
            data = file.read()
        folder = self.folder_of(
            {"a": data, "b.pb": data[: -len(data) // 8], "text.log": "\nI2026 nothing\n\n2 lines\n"}
        )
        self.assertEqual(
            [("a", "perfetto", "sure"), ("b.pb", "perfetto", "sure"), ("text.log", None, None)],
            [
                (os.path.basename(path), *rest)
                for path, *rest in self.rows(
                    "SELECT file, format, certainty FROM trace_sources(?) ORDER BY file", folder
                )
            ],
        )
        self.assertEqual(
            [(os.path.relpath(FIXTURE, ROOT),)],
            self.rows("SELECT file FROM trace_sources('fixtures') WHERE format = 'perfetto'"),
        )


if __name__ == "__main__":
    unittest.main()
