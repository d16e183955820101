"""What rocprofv3 writes: the mapping sql/formats/rocpd.sql, of its database and of its JSON, held against the story that both tell
(tests/support/rocpd.py) and sums of it that are made here."""

import contextlib
import json
import os
import sqlite3
import unittest

import cases
import rocpd
from fleets import ROOT

DATABASE, DOCUMENT = (os.path.join(ROOT, f"fixtures/rocpd/{rocpd.PID}_results.{ending}") for ending in ("db", "json"))
COLUMNS = "process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation, launch_ns, launch_end_ns, launch_name, launch_thread, op, bytes, collective"
CLASSES = {1: "compute", 2: "communication", 3: "memory"}


def expected():
    """The story again, with plain loops: what each GPU did, in which step and call, and inside which range."""
    events = list(rocpd.story())
    ranges = [e for e in events if e[0] == "range"]
    calls = {call: e for e in events for call in [e[7]] if e[0] == "call"}
    out = []
    for what, gpu, name, _, stream, start, end, call, size in events:
        if what not in ("copy", "kernel"):
            continue
        launch = calls[call]
        around = [r for r in ranges if r[5] <= launch[5] and launch[6] <= r[6] and r[3] == launch[3]]
        step = [r[2][5:] for r in around if r[2].startswith("step ")]
        inner = sorted((r for r in around if not r[2].startswith("step ")), key=lambda r: r[6] - r[5])
        out.append(
            (
                str(rocpd.PID),
                str(gpu),
                rocpd.CHIP,
                str(stream),
                "memory" if what == "copy" else CLASSES[name],
                "memcpy" if what == "copy" else "kernel",
                "Memcpy HtoD" if what == "copy" else rocpd.KERNELS[name],
                rocpd.BOOT + start,
                rocpd.BOOT + end,
                step[0],
                call,
                rocpd.BOOT + launch[5],
                rocpd.BOOT + launch[6],
                launch[2],
                str(launch[3]),
                inner[0][2].split(", ")[0] if inner else None,
                size,
                None,
            )
        )
    return sorted(out, key=repr)


class Rocpd(cases.Case):
    def activity(self, path):
        return sorted(self.rows(f"SELECT {COLUMNS} FROM trace_device_activity(?)", path), key=repr)

    def database(self, change="", name="7_results.db", **of):
        path = self.file("", name)
        os.remove(path)
        rocpd.write_database(path, **of)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(change)
        return path

    def test_both_forms_tell_the_story(self):
        self.assertEqual(20, len(expected()))
        for path in (DATABASE, DOCUMENT):
            self.assertEqual(expected(), self.activity(path), path)
            self.assertEqual({}, self.issues(path))
            self.assertEqual(
                [(path, "rocpd", 0, rocpd.HOST)],
                self.rows("SELECT trace, format, base_ns, host FROM trace_device_traces(?)", path),
            )
            self.assertEqual(
                [("5", 1), ("6", 1)], self.rows("SELECT step, count(*) FROM trace_device_steps(?) GROUP BY 1", path)
            )
            self.assertEqual(
                [(0,)], self.rows("SELECT count(*) FROM trace_device_ranges(?) WHERE name GLOB 'aten*'", path)
            )

    def test_partitions(self):
        """Of a GPU in eight (CPX): each has the whole's name, and 38 of its 304 compute units."""
        document = rocpd.document()
        for units, listed in ((38, {"guessed_share": 2}), (304, {})):
            for agent in document["rocprofiler-sdk-tool"][0]["agents"]:
                agent["cu_count"] = units if agent["type"] == 2 else 0
            properties = json.dumps({"cu_count": units, "num_xcc": 1})
            agents = "rocpd_info_agent_" + rocpd.GUID.replace("-", "_")
            database = self.database(
                f'ALTER TABLE "{agents}" ADD COLUMN extdata; ' f"UPDATE \"{agents}\" SET extdata = '{properties}'",
                f"{units}_results.db",
            )
            for path in (self.file(document), database):
                self.assertEqual(expected(), self.activity(path), path)
                self.assertEqual(listed, self.issues(path), path)

    def test_time_of_a_device(self):
        """Busy, exposed and hidden time by sets of nanosecond stretches, as the views have it."""
        for gpu, busy, exposed, hidden in self.rows(
            "SELECT device, busy_ns, exposed_communication_ns, overlap_ns FROM trace_device_time(?)", DATABASE
        ):
            by_class = {}
            for row in expected():
                if row[1] == gpu:
                    by_class.setdefault(row[4], set()).update(
                        range((row[7] - rocpd.BOOT) // 1000, (row[8] - rocpd.BOOT) // 1000)
                    )
            self.assertEqual(
                (busy, exposed, hidden),
                (
                    1000 * len(set().union(*by_class.values())),
                    1000 * len(by_class["communication"] - by_class["compute"]),
                    1000 * len(by_class["communication"] & by_class["compute"]),
                ),
            )

    def test_recognised_among_all_others(self):
        """By what is in them, under names that say nothing; and no other file of the fixtures is of this format."""
        with open(DATABASE, "rb") as db, open(DOCUMENT, "rb") as document:
            folder = self.folder_of({"a": db.read(), "b": document.read()})
        self.assertEqual(
            [("rocpd", "sure")] * 2, self.rows("SELECT format, certainty FROM trace_sources(?) ORDER BY file", folder)
        )
        files = self.rows("SELECT file FROM trace_sources('fixtures') WHERE format = 'rocpd' ORDER BY file")
        self.assertEqual([(os.path.relpath(path, ROOT),) for path in (DATABASE, DOCUMENT)], files)

    def test_files_that_were_merged(self):
        """`rocpd merge` puts the tables of several processes into one file, and views over all of them: ids repeat."""
        path = self.file("", "merged.db")
        os.remove(path)
        guids = {"a": "11111111-0000", "b": "22222222-0000"}
        with contextlib.closing(sqlite3.connect(path)) as db:
            for host, guid in guids.items():
                rocpd.write_database(path, guid, 100 + ord(host), host, db)
            for name in rocpd.TABLES:
                db.execute(
                    f"CREATE VIEW rocpd_{name} AS "
                    + " UNION ALL ".join(
                        f'SELECT * FROM "rocpd_{name}_{guid.replace("-", "_")}"' for guid in guids.values()
                    )
                )
            db.commit()
        both = self.activity(path)
        for host in guids:
            self.assertEqual(
                expected(),
                sorted(
                    (
                        (str(rocpd.PID), row[1][2:], *row[2:])
                        for row in both
                        if row[1].startswith(host + " ") and row[0] == str(100 + ord(host))
                    ),
                    key=repr,
                ),
            )
        self.assertEqual(2 * len(expected()), len(both))

    def test_two_forms_of_one_profile(self):
        """A folder with the database and the JSON of one run has each activity twice, which is said; a profile of another run is none."""
        with open(DATABASE, "rb") as db:
            folder = self.folder_of({"7_results.db": db.read(), "7_results.json": rocpd.document()})
        self.assertEqual([(2 * len(expected()),)], self.rows("SELECT count(*) FROM trace_device_activity(?)", folder))
        self.assertEqual(
            [
                (
                    "warning",
                    "7_results.json",
                    "the same activities as "
                    + os.path.join(folder, "7_results.db")
                    + ": two forms of one profile count twice. Give one of the two",
                )
            ],
            [
                (severity, os.path.basename(source), detail)
                for severity, source, detail in self.rows(
                    "SELECT severity, source, detail FROM mpg_issues WHERE kind = 'parallel_logs'"
                )
            ],
        )
        # Perfetto's has Unix time, the others the time since the boot.
        with open(DATABASE, "rb") as db, open(
            os.path.join(ROOT, "fixtures/perfetto/4242_results.pftrace"), "rb"
        ) as trace:
            folder = self.folder_of({"7_results.db": db.read(), "7_results.pftrace": trace.read()})
        self.rows("SELECT count(*) FROM trace_device_activity(?)", folder)
        self.assertEqual(
            1,
            sum(
                self.issues(os.path.join(folder, "7_results." + form)).get("parallel_logs", 0)
                for form in ("db", "pftrace")
            ),
        )
        other = self.database(
            f'UPDATE "rocpd_kernel_dispatch_{rocpd.GUID.replace("-", "_")}" SET "start" = "start" + 1000, "end" = "end" + 1000'
        )
        with open(other, "rb") as db:
            folder = self.folder_of({"7_results.db": db.read(), "7_results.json": rocpd.document()})
        self.rows("SELECT count(*) FROM trace_device_activity(?)", folder)
        self.assertEqual({}, self.issues(os.path.join(folder, "7_results.json")))

    def test_tables_that_no_view_lists(self):
        """Two processes wrote into one file: the views are those of the first. And a database without one of its views."""
        path = self.database()
        with contextlib.closing(sqlite3.connect(path)) as db:
            rocpd.write_database(path, "22222222-0000-7d10-9b1e-5d0c1f6a2b77", 4343, rocpd.HOST, db)
            db.commit()
        self.assertEqual(expected(), self.activity(path))
        self.assertEqual(
            [("data_loss", 3)],
            self.rows("SELECT severity, count FROM mpg_issues WHERE source = ? AND kind = 'unknown_event'", path),
        )
        path = self.database("DROP VIEW rocpd_memory_copy")
        self.assertEqual(16, len(self.activity(path)))
        self.assertEqual({"unknown_event": 1}, self.issues(path))

    def test_agents_that_the_trace_lacks(self):
        """They are devices of their own, and no other GPU's: the number of an agent is not that of a GPU."""
        suffix = rocpd.GUID.replace("-", "_")
        path = self.database(f'DELETE FROM "rocpd_info_agent_{suffix}" WHERE id = 1')
        self.assertEqual(
            [("1", 10), ("agent 1", 10)],
            self.rows("SELECT device, count(*) FROM trace_device_activity(?) GROUP BY 1", path),
        )
        self.assertEqual({"missing_field": 10}, self.issues(path))
        path = self.database(f'DELETE FROM "rocpd_info_agent_{suffix}"')
        self.assertEqual(
            [("agent 1", 8), ("agent 2", 8)],
            self.rows("SELECT device, count(*) FROM trace_device_activity(?) GROUP BY 1", path),
        )
        self.assertEqual({"missing_field": 16, "left_out": 4}, self.issues(path))

    def test_agents_of_one_number(self):
        """Numbers from 2^63 on may be one in JSON: an activity counts once, of the first, and that is listed."""
        with open(DOCUMENT, encoding="utf-8") as file:
            document = json.load(file)

        def handles(value):
            if isinstance(value, dict):
                return {
                    key: {"handle": of["handle"] + 2**63}
                    if key in ("id", "agent_id", "src_agent_id", "dst_agent_id")
                    else handles(of)
                    for key, of in value.items()
                }
            return [handles(of) for of in value] if isinstance(value, list) else value

        path = self.file(handles(document), "4242_results.json")
        self.assertEqual(20, self.one("SELECT count(*) FROM trace_device_activity(?)", path))
        self.assertEqual(2, self.issues(path).get("conflict"))

    def test_records_of_unknown_kinds(self):
        document = rocpd.document()
        document["rocprofiler-sdk-tool"][0]["buffer_records"] |= {
            "warp_events": [{"kind": 1}] * 3,
            "kfd_page_fault": [{"kind": 1}],
        }
        path = self.file(document, "7_results.json")
        self.assertEqual(expected(), self.activity(path))
        self.assertEqual({"unknown_event": 3}, self.issues(path))

    def test_without_calls_and_without_hip(self):
        """--kernel-trace alone: no launches, no steps; what runs in order is a queue."""
        suffix = rocpd.GUID.replace("-", "_")
        path = self.database(
            f'DELETE FROM "rocpd_region_{suffix}"; UPDATE "rocpd_kernel_dispatch_{suffix}" SET stream_id = 0; UPDATE "rocpd_memory_copy_{suffix}" SET stream_id = 0'
        )
        found = self.rows(
            "SELECT DISTINCT stream, step, launch_ns, op FROM trace_device_activity(?) WHERE kind = 'kernel' ORDER BY 1",
            path,
        )
        self.assertEqual([("queue 1", None, None, None), ("queue 2", None, None, None)], found)

    def test_a_range_that_names_kernels(self):
        """--kernel-rename: the range in which a kernel was launched is told without any call."""
        suffix = rocpd.GUID.replace("-", "_")
        path = self.database(
            f'DELETE FROM "rocpd_region_{suffix}"; INSERT INTO "rocpd_string_{suffix}"(id, string) VALUES (900, \'forward\'); '
            f'UPDATE "rocpd_kernel_dispatch_{suffix}" SET region_name_id = 900 WHERE kernel_id = 1'
        )
        self.assertEqual(
            [("__amd_rocclr_fillBufferAligned", None), (rocpd.KERNELS[1], "forward")],
            self.rows(
                "SELECT DISTINCT name, op FROM trace_device_activity(?) WHERE class <> 'communication' AND kind = 'kernel' ORDER BY 1 DESC",
                path,
            ),
        )

    def test_what_cannot_be_is_listed(self):
        suffix = rocpd.GUID.replace("-", "_")
        kernels, copies = f'"rocpd_kernel_dispatch_{suffix}"', f'"rocpd_memory_copy_{suffix}"'
        first = f"id = (SELECT min(id) FROM {kernels})"
        for change, kind, lost in (
            (f'UPDATE {kernels} SET "end" = "start" - 1 WHERE {first}', "impossible_time", 1),
            (f'UPDATE {kernels} SET "start" = NULL WHERE {first}', "impossible_time", 1),
            (
                f'UPDATE {kernels} SET "start" = "start" + 7200000000000, "end" = "end" + 7200000000000 WHERE {first}',
                "lost_time",
                1,
            ),
            (
                f"CREATE TEMP TABLE one AS SELECT * FROM {kernels} WHERE {first}; UPDATE one SET id = 999; INSERT INTO {kernels} SELECT * FROM one",
                "repeated_record",
                0,
            ),
            (f"UPDATE {copies} SET dst_agent_id = 0", "left_out", 4),
        ):
            path = self.database(change)
            self.assertEqual(20 - lost, len(self.activity(path)), change)
            self.assertEqual([kind], list(self.issues(path)), change)
        # A kernel that outlives the next of its queue by more than that one lasted ends where that begins.
        path = self.database(f'UPDATE {kernels} SET "end" = "end" + 900000 WHERE {first}')
        self.assertEqual(expected(), self.activity(path))
        self.assertEqual({"overrun_activity": 1}, self.issues(path))
        # One that begins before its launch: the clocks differ.
        path = self.database(f'UPDATE {kernels} SET "start" = "start" - 9000000, "end" = "end" - 9000000 WHERE {first}')
        self.assertEqual(20, len(self.activity(path)))
        self.assertEqual({"conflict": 1}, self.issues(path))
        path = self.database(f"DELETE FROM {kernels}; DELETE FROM {copies}")
        self.assertEqual([], self.activity(path))
        self.assertEqual({"no_device_event": 1}, self.issues(path))

    def test_another_schema_is_an_error(self):
        suffix = rocpd.GUID.replace("-", "_")
        for change in (
            "DROP VIEW rocpd_kernel_dispatch",
            f'ALTER TABLE "rocpd_kernel_dispatch_{suffix}" RENAME COLUMN "start" TO start_id',
        ):
            self.assertIn(
                "rocpd_kernel_dispatch: expected the columns of schema 3, agent_id and start",
                self.error("SELECT * FROM trace_device_activity(?)", self.database(change)),
            )

    def test_documents_that_are_damaged(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(
            self.error("SELECT * FROM trace_device_activity(?)", self.file(text[:-200], "cut.json")), r"cut\.json:\d+:"
        )
        document = json.loads(text)
        (tool,) = document["rocprofiler-sdk-tool"]
        del tool["kernel_symbols"], tool["agents"], tool["strings"]  # names are gone, times stay
        found = self.rows(
            "SELECT sum(end_ns - start_ns), min(device), max(name) FROM trace_device_activity(?) WHERE kind = 'kernel'",
            self.file(document, "bare.json"),
        )
        self.assertEqual(
            [(sum(row[8] - row[7] for row in expected() if row[5] == "kernel"), "agent 71", "kernel")], found
        )

    def test_documents_of_one_process_and_of_none(self):
        """The list may be the object of one process; what in it is no object is listed."""
        with open(DOCUMENT, encoding="utf-8") as file:
            document = json.load(file)
        (tool,) = document["rocprofiler-sdk-tool"]
        whole, asked = self.activity(DOCUMENT), "SELECT count(*) FROM trace_device_activity(?)"
        self.assertEqual(whole, self.activity(self.file({"rocprofiler-sdk-tool": tool}, "one.json")))
        path = self.file({"rocprofiler-sdk-tool": [12, tool, "text", None]}, "several.json")
        self.assertEqual(len(whole), self.one(asked, path))
        self.assertEqual(3, self.issues(path)["unknown_record"])

    def test_correlations_above_what_an_integer_holds(self):
        """Two of them would be one REAL: neither has a call, which is said, and the ranges that the program marks stay."""
        with open(DOCUMENT, encoding="utf-8") as file:
            document = json.load(file)
        records = document["rocprofiler-sdk-tool"][0]["buffer_records"]
        kernels = len(records["kernel_dispatch"])
        for record in [*records["kernel_dispatch"], *records["hip_api"]]:
            record["correlation_id"]["internal"] += 2**63
        path = self.file(document, "large.json")
        self.assertEqual(
            (kernels, 0),
            self.rows("SELECT count(*), count(launch_ns) FROM trace_device_activity(?) WHERE kind = 'kernel'", path)[0],
        )
        self.assertEqual(kernels, self.issues(path)["missing_field"])
        self.assertEqual(
            self.rows("SELECT step, start_ns FROM trace_device_steps(?) ORDER BY 2", DOCUMENT),
            self.rows("SELECT step, start_ns FROM trace_device_steps(?) ORDER BY 2", path),
        )

    def test_as_a_program_runs_it(self):
        self.script("device.sql")
        self.db.execute(f"ATTACH 'file:{DATABASE}?mode=ro' AS \"any name\"")
        self.db.execute(
            "CREATE TEMP TABLE rocpd_input AS SELECT 'run 7' AS trace, NULL AS json, NULL AS chip, 'step 6' AS step"
        )
        self.script("formats/rocpd.sql")
        self.assertEqual([("run 7", 20)], self.rows("SELECT trace, count(*) FROM device_activity GROUP BY 1"))
        self.assertEqual([(None, 10), ("6", 10)], self.rows("SELECT step, count(*) FROM device_activity GROUP BY 1"))
        self.assertEqual(
            [("rocpd_left_out",)], self.rows("SELECT name FROM temp.sqlite_schema WHERE name GLOB 'rocpd*'")
        )

    def test_without_a_database(self):
        self.script("device.sql")
        with self.assertRaisesRegex(
            sqlite3.IntegrityError,
            "no database of rocprofv3 is attached: ATTACH 'file:PID_results.db[?]mode=ro' AS rocpd",
        ):
            self.script("formats/rocpd.sql", trace=None, json=None, chip=None, step=None)


if __name__ == "__main__":
    unittest.main()
