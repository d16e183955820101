"""ml-goodput-measurement's job logs: goodput_trace, held against a reading of the same files in
Python, and goodput_report, against what the library itself said."""

import csv
import datetime
import gzip
import io
import json
import os
import random
import unittest

import cases
from fleets import ROOT

ORACLE = os.path.join(ROOT, "../shared/oracle/goodput")
FIXTURES = os.path.join(ROOT, "fixtures", "goodput")
RAW, EXPORT = (os.path.join(FIXTURES, name) for name in ("ranker-7.jsonl", "ranker-8.json"))
HAS_ORACLE = unittest.skipUnless(os.path.isdir(ORACLE), "../shared/oracle/goodput is not here")
DERIVED = ["job_name", "kind", "edge", "time", "event", "rest", "timestamp", "time_ns", "insertId", "duplicate"]


class Case(cases.Case):
    FILE = "log.jsonl"


def payloads(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.startswith("["):
        return [entry["jsonPayload"] for entry in json.loads(text)]
    return [json.loads(line) for line in text.splitlines()]


class Trace(Case):
    def compare(self, path):
        names = [name for name, in self.rows("SELECT name FROM pragma_table_xinfo('goodput_trace') WHERE hidden = 0")]
        fields = [name for name in names if name not in DERIVED]
        found = self.db.execute(f"SELECT {', '.join(names)} FROM goodput_trace(?)", (path,)).fetchall()
        wanted = payloads(path)
        self.assertEqual(len(found), len(wanted))
        for values, row in zip(found, wanted):
            got = dict(zip(names, values))
            expected = {name: row.get(name) for name in fields}
            if expected["step"] is None:
                expected["step"] = row.get("step_count")
            self.assertEqual({name: got[name] for name in fields}, expected)
            self.assertEqual((got["job_name"], got["rest"]), (row["job_name"], None))
            self.assertIn(got["time"], [v for k, v in row.items() if "time" in k])
            self.assertNotEqual(got["kind"], "other")
            keys = " ".join(row)
            if got["edge"] and got["kind"] != "step":
                self.assertIn(got["edge"] + "_time", keys)
                self.assertIn(got["kind"], keys.replace("custom_badput_event", "custom_event"))
        return len(found)

    def test_fixtures(self):
        self.assertEqual((self.compare(RAW), self.compare(EXPORT)), (44, 41))

    @HAS_ORACLE
    def test_every_row_of_the_oracle(self):
        total = 0
        for folder in ("cases", "gcloud_export"):
            for name in sorted(os.listdir(os.path.join(ORACLE, folder))):
                with self.subTest(name):
                    total += self.compare(os.path.join(ORACLE, folder, name))
        self.assertGreater(total, 15000)

    def test_kinds(self):
        self.assertEqual(
            self.rows("SELECT kind, edge, count(*) FROM goodput_trace(?) GROUP BY kind, edge ORDER BY kind, edge", RAW),
            [
                ("custom_event", "end", 1),
                ("custom_event", "start", 1),
                ("data_loading", "end", 2),
                ("data_loading", "start", 2),
                ("job", "end", 1),
                ("job", "start", 2),
                ("restore", None, 1),
                ("save", None, 1),
                ("step", "start", 25),
                ("tpu_init", "end", 2),
                ("tpu_init", "start", 2),
                ("training_prep", "end", 2),
                ("training_prep", "start", 2),
            ],
        )

    def test_an_export_says_what_it_repeats(self):
        self.assertEqual(
            self.rows("SELECT count(*), sum(duplicate), count(DISTINCT insertId) FROM goodput_trace(?)", EXPORT),
            [(41, 1, 40)],
        )
        self.assertEqual(self.issues(EXPORT), {"duplicate_entry": 1})
        order = self.rows("SELECT time FROM goodput_trace(?) WHERE NOT duplicate ORDER BY time_ns, insertId", EXPORT)
        self.assertEqual(order, sorted(order))

    def test_entries_repeat_across_files(self):
        with open(EXPORT, encoding="utf-8") as file:
            entries = json.load(file)
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        path = self.file(lines, "a.ndjson")
        with gzip.open(os.path.join(os.path.dirname(path), "b.json.gz"), "wt", encoding="utf-8") as file:
            file.write(lines)
        self.assertEqual(
            self.rows(
                "SELECT _file LIKE '%b.json.gz', count(*), sum(duplicate) FROM goodput_trace(?) GROUP BY 1",
                os.path.dirname(path),
            ),
            [(0, 41, 1), (1, 41, 41)],
        )

    def test_threads_change_nothing(self):
        """Raw rows and entries, with faults at every few thousand of them, read ahead in pieces and by one thread, and with every row taken as any JSON."""
        with open(EXPORT, encoding="utf-8") as file:
            entries = [json.dumps(entry) for entry in json.load(file)]
        with open(RAW, encoding="utf-8") as file:
            rows = file.read().splitlines()
        lines = (
            rows * 250
            + ['{"job_name": 5}', "{", '{"job_name": "a"} {"job_name": "b", "step_count": 1e2}']
            + entries * 60
            + ["", "[]"]
        ) * 2
        path = self.file("\n".join(lines) + "\n" + '{"job_name": "cut')
        for columns in (
            "*, _line",
            "job_name, kind, duplicate, rest",
            "count(*), sum(duplicate), max(step)",
            "count(*)",
        ):
            for more in ("", " AND on_error = 'skip'"):
                sql = f"SELECT {columns} FROM goodput_trace(?) WHERE threads = ?{more}"
                found = []
                for threads, members in ((1, 10000), (3, 10000), (2, 42)):
                    self.rows("SELECT mpg_limit('json_members', ?)", members)
                    found.append(
                        (self.rows(sql, path, threads), self.issues(path)) if more else self.error(sql, path, threads)
                    )
                self.assertEqual(found, found[:1] * 3)

    def test_groups(self):
        """GROUP BY of columns of text: handed over group by group, the same rows in the same order as SQLite's sorter gives."""
        pick = random.Random(5)
        jobs = ("a", "A", "", "\u00e9", "a\u0000b", "it's", 'esc"', "x" * 5000)
        times = (
            "job_start_time",
            "job_end_time",
            "step_start_time",
            "tpu_init_start_time",
            "data_loading_end_time",
            "elastic_reinit_end_time",
        )

        def row(i):
            made = {
                "job_name": pick.choice(jobs),
                pick.choice(times): pick.choice((i, i + 0.125, i / 7, 1e300)),
                "step_count": pick.choice((i, -1, 2**60, None)),
            }
            if i % 11 == 0:
                made = {
                    "job_name": pick.choice(jobs),
                    "custom_badput_event_type": pick.choice(jobs),
                    "custom_badput_event_start_time": i,
                }
            if i % 13 == 0:
                made = {
                    "job_name": pick.choice(jobs),
                    "event_type": pick.choice(("save", "restore", "a")),
                    "step": i,
                    "checkpointer_start_time": i / 3,
                    "synchronous": True,
                }
            if i % 17 == 0:
                made["other"] = {"i": i}
            return made

        first = self.file("".join(json.dumps(row(i)) + "\n" for i in range(400)), "a.jsonl")
        folder = os.path.dirname(first)
        entry = {"logName": "projects/p/logs/j", "severity": "INFO"}
        with open(os.path.join(folder, "b.json"), "w") as file:
            json.dump(
                [
                    {
                        **entry,
                        "jsonPayload": row(i),
                        "timestamp": "2025-01-01T00:00:%02d.5Z" % (i % 60),
                        "insertId": "i%d" % (i % 70),
                    }
                    for i in range(150)
                ],
                file,
            )
        with open(os.path.join(folder, "c.jsonl"), "w") as file:
            file.write(
                '{"job_name": "a", "step_count": 1, "step_start_time": 1}\n{"job_name" 5}\n{"job_name": "a", "step_count": 2, "step_start_time": 2}\n'
            )
        values = (
            "count(*), sum(time), min(step), max(step_count), group_concat(rowid), group_concat(coalesce(insertId, 'none')), sum(duplicate), group_concat(typeof(time)), max(event)",
            "group_concat(_line), group_concat(replace(_file, rtrim(_file, '.abcjnosl'), '')), max(timestamp), count(directory)",
            "count(*), group_concat(time_ns)",
            "1",
        )
        for threads in (1, 3):
            for keys in ("kind", "event, job_name, kind, edge", "edge, job_name"):
                for where in (
                    "1",
                    "kind = 'step'",
                    "time > 2 AND job_name <> 'a'",
                    "job_name = 'a' AND edge = 'start'",
                    "rowid %% 3 = 1",
                    "_line > 100",
                ):
                    for columns in values:
                        sql = f"SELECT {keys}, {columns} FROM goodput_trace(?, 'skip') WHERE {where} AND threads = {threads} GROUP BY %s ORDER BY %s"
                        plain = ", ".join("+" + key for key in keys.split(", "))
                        self.assertEqual(
                            self.rows(sql % (keys, keys), folder), self.rows(sql % (plain, plain), folder), sql
                        )
        self.assertEqual(self.issues(os.path.join(folder, "c.jsonl")), {"skipped_record": 1})
        descending = "SELECT kind, job_name, count(*) FROM goodput_trace(?, 'skip') GROUP BY %s ORDER BY 1 DESC, 2 DESC"
        self.assertEqual(self.rows(descending % "1, 2", first), self.rows(descending % "+kind, +job_name", first))
        plan = "EXPLAIN QUERY PLAN SELECT kind, count(*), sum(time), max(%s) FROM goodput_trace('x') WHERE threads = 2 GROUP BY kind"
        self.assertEqual([row for row in self.rows(plan % "_line") if "TEMP B-TREE" in row[3]], [])
        self.assertTrue(
            [row for row in self.rows(plan % "rest") if "TEMP B-TREE" in row[3]], "it is made of all other keys"
        )
        for key in ("kind", "+kind"):
            self.assertRegex(
                self.error(f"SELECT count(*) FROM goodput_trace(?) GROUP BY {key}", os.path.join(folder, "c.jsonl")),
                r"goodput_trace: .*c\.jsonl:2:",
            )

    def test_groups_too_many(self):
        """More rows than are gathered in memory: SQLite sorts them, and nothing else is different."""
        path = self.file(
            "".join(
                f'{{"job_name": "o\'k \u00e9 {i * 7919 % 60000} {"x" * 300}", "step_count": {i}, "step_start_time": {i}.5}}\n'
                for i in range(60000)
            )
        )
        for sql in (
            "SELECT job_name, sum(time), max(rowid), min(_line) FROM goodput_trace(?1) WHERE kind = 'step' GROUP BY %s ORDER BY 1 LIMIT 5",
            "SELECT count(*), sum(n), sum(length(job_name)) FROM (SELECT job_name, count(*) AS n, _file FROM goodput_trace(?1, 'skip') WHERE threads = 2 GROUP BY %s)",
            "SELECT kind, job_name, step_count, rowid FROM goodput_trace(?1) GROUP BY kind, %s ORDER BY 1 DESC, 2 DESC LIMIT 3 OFFSET 30000",
        ):
            self.assertEqual(self.rows(sql % "job_name", path), self.rows(sql % "+job_name", path), sql)

    def test_tables_of_bigquery(self):
        """What a sink of Cloud Logging keeps in BigQuery, as its tools write it: numbers are texts, each row has each column, and the record may be taken apart."""
        with open(RAW, encoding="utf-8") as file:
            raw = file.read()
        rows = [json.loads(line) for line in raw.splitlines()]
        keys = sorted({key for row in rows for key in row})

        def text(value):
            return (
                str(value).lower()
                if isinstance(value, bool)
                else value
                if value is None or isinstance(value, str)
                else repr(float(value))
            )

        def when(i, end=" UTC", form="%Y-%m-%d %H:%M:%S.%f"):
            return datetime.datetime.fromtimestamp(1795240000 + i, datetime.timezone.utc).strftime(form) + end

        def entries(payload, when, key="jsonPayload", id_="insertId"):
            return [
                {
                    "logName": "projects/p/logs/goodput_r",
                    "resource": {"type": "global", "labels": None},
                    key: payload(row),
                    "timestamp": when(i),
                    "receiveTimestamp": when(i),
                    id_: f"i{i:04}",
                }
                for i, row in enumerate(rows)
            ]

        def whole(row, before=""):
            return {before + key: text(row[key]) if key in row else None for key in keys}

        def lines(records):
            return "\n".join(map(json.dumps, records)) + "\n"

        def table(names, cells):
            out = io.StringIO()
            csv.writer(out).writerows([names, *cells])
            return out.getvalue()

        cells = [[text(row.get(key)) or "" for key in keys] for row in rows]
        wanted = "SELECT job_name, kind, edge, time, event, step, checkpoint_manager_blocking_duration_secs, checkpoint_manager_duration_secs, synchronous, rest FROM goodput_trace(?)"
        plain = self.file(raw)
        rolled = "SELECT attempt, category, cause, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        reported = "SELECT goodput_pct, rows FROM goodput_report(?)"
        for form, exported in {
            "bq extract": lines(
                {key: value for key, value in entry.items() if value is not None}
                for entry in entries(
                    lambda row: {
                        key: float(v) if isinstance(v, int) and not isinstance(v, bool) else v for key, v in row.items()
                    },
                    when,
                )
            ),
            "bq query --format=json": json.dumps(entries(whole, lambda i: when(i, "", "%Y-%m-%d %H:%M:%S"))),
            "--format=prettyjson": json.dumps(entries(whole, lambda i: when(i, "")), indent=2),
            "Log Analytics": lines(entries(lambda row: row, when, "json_payload", "insert_id")),
            "a text": lines(entries(json.dumps, when, "json_payload", "insert_id")),
            "columns": lines(
                {"timestamp": when(i), "insertId": f"i{i}", **whole(row, "jsonPayload_")} for i, row in enumerate(rows)
            ),
            "CSV": table(keys, cells),
            "with a mark": "\ufeff" + table(keys, cells),
            "CSV of entries": table(
                ["timestamp", "insertId", *("jsonPayload_" + key for key in keys)],
                [[when(i), f"i{i}", *row] for i, row in enumerate(cells)],
            ),
            "CSV of texts": table(
                ["insertId", "jsonPayload", "timestamp"],
                [[f"i{i}", json.dumps(row), when(i)] for i, row in enumerate(rows)],
            ),
        }.items():
            with self.subTest(form):
                path = self.file(exported, "export")
                self.assertEqual(self.rows(wanted, plain), self.rows(wanted, path))
                self.assertEqual(self.rows(rolled, plain), self.rows(rolled, path))
                self.assertEqual(self.rows(reported, plain), self.rows(reported, path))
                if "timestamp" in exported:
                    self.assertEqual(
                        self.one("SELECT time_ns FROM goodput_trace(?) ORDER BY _line LIMIT 1", path),
                        1795240000 * 10**9,
                    )
        # Newest first, as the log never is: entries say when they were.
        names, body = ["timestamp", "insertId", *keys], [[when(i), f"i{i}", *row] for i, row in enumerate(cells)]
        backwards = self.file(table(names, body[::-1] + body[:3]), "backwards.csv")
        self.assertEqual(self.rows(rolled, plain), self.rows(rolled, backwards))
        self.assertEqual(
            self.one("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'duplicate_entry'", backwards), 3
        )
        # Of a table the last cell may be cut; and a cell that is no number is refused by its place.
        cut = self.file(table(keys, cells)[:-4], "cut.csv")
        self.assertEqual(self.one("SELECT count(*) FROM goodput_trace(?)", cut), len(rows))
        self.assertEqual(self.issues(cut), {"no_line_end": 1})
        bad = self.file("job_name,job_start_time,step_start_time\na,1,\na,,x\na,,3\n", "bad.csv")
        self.fails(
            f'goodput_trace: {bad}:3:4: expected a number for "step_start_time", found "x"',
            "SELECT * FROM goodput_trace(?)",
            bad,
        )
        self.assertEqual(
            self.rows("SELECT kind, time FROM goodput_trace(?, 'skip')", bad), [("job", 1.0), ("step", 3.0)]
        )

    def test_other_keys_are_kept(self):
        path = self.file('{"job_name":"a","host":"h1","step_start_time":1,"step_count":2,"deep":{"x":[1]}}\n')
        self.assertEqual(
            self.rows("SELECT kind, step, rest FROM goodput_trace(?)", path),
            [("step", 2, '{"host":"h1","deep":{"x":[1]}}')],
        )

    def test_what_cannot_be_read(self):
        good = '{"job_name":"a","job_start_time":1}\n'
        for text, line, what in (
            ('{"job_name":"a","step_count":"x"}', 2, 'expected a whole number for "step_count", found "x"'),
            ('{"textPayload":"hello"}', 2, "expected a row of ml-goodput-measurement"),
            ("7|State", 2, "expected an object, found '7'"),
            ('{"job_name":"a","job_end_time":\n', 3, "found end of file"),
        ):
            path = self.file(good + text)
            found = self.error("SELECT count(*) FROM goodput_trace(?)", path)
            self.assertTrue(found.startswith(f"goodput_trace: {path}:{line}:"), found)
            self.assertIn(what, found)
            self.assertEqual(
                self.rows("SELECT job_start_time FROM goodput_trace(?) WHERE on_error = 'skip'", path), [(1.0,)]
            )
            self.assertEqual(self.issues(path), {"skipped_record": 1})
        self.assertIn("1:1", self.error("SELECT * FROM goodput_trace(?)", self.file(bytes(range(256)))))
        path = self.file(good + '{"job_name":"a","job_end_time":')  # still being written
        self.assertEqual(self.rows("SELECT job_start_time FROM goodput_trace(?)", path), [(1.0,)])
        self.assertEqual(self.issues(path), {"unfinished_record": 1})


class Report(Case):
    """Every figure that the library itself gave for the oracle's logs, within 1e-6."""

    def report(self, path, *arguments):
        return self.dicts(f"SELECT * FROM goodput_report(?{', ?' * len(arguments)})", path, *arguments)

    def close(self, found, wanted, what):
        self.checks += 1
        self.assertIsNotNone(found, what)
        self.assertLessEqual(abs(found - wanted), 1e-6 * max(abs(wanted), 1e-3), (what, found, wanted))

    def check_badput(self, found, wanted, what, scale=1.0):
        """`wanted` may leave out what is 0. A percentage is 0 too where it is not below 100."""
        wanted = {**{name: 0 for name in self.buckets}, **wanted}
        custom = wanted.pop("CUSTOM_BADPUT_EVENTS", {})
        got = {name.upper(): found[name.lower() + "_s"] for name in wanted}
        got_custom = json.loads(found["custom_badput_events"])
        self.assertEqual(set(got_custom), set(custom), what)
        for name, value in [*wanted.items(), *custom.items()]:
            seconds = (got if name in wanted else got_custom)[name]
            if scale != 1.0 and seconds >= found["total_job_time_s"]:
                seconds = 0
            self.close(seconds * scale, value, (what, name))

    def check_goodput(self, found, wanted, what):
        if "error" in wanted:
            self.checks += 1
            self.assertEqual(
                (found["error"], found["goodput_pct"], found["other_s"], found["custom_badput_events"]),
                (wanted["message"], None, None, None),
                what,
            )
            return
        self.assertIsNone(found["error"], what)
        for name in (
            "goodput_pct",
            "productive_s",
            "total_job_time_s",
            "max_productive_step",
            "last_recorded_step",
            "disruption_count",
            "stepping_slice_efficiency",
            "available_slice_efficiency",
        ):
            if name in wanted:
                self.close(found[name], wanted[name], (what, name))
        if "badput_s" in wanted:
            self.check_badput(found, wanted["badput_s"], what)
        self.check_badput(found, wanted["badput_pct"], what, 100 / found["total_job_time_s"])

    def check_steps(self, found, wanted, what):
        if "error" in wanted:
            self.checks += 1
            self.assertEqual((found["step_deviation_error"], found["step_times"]), (wanted["message"], None), what)
            return
        self.assertIsNone(found["step_deviation_error"], what)
        for name in (
            "ideal_step_time_s",
            "mean_abs_deviation_s",
            "max_abs_deviation_s",
            "baseline_metric_cumulative",
            "baseline_metric_interval",
        ):
            self.close(found[name], wanted[name], (what, name))
        self.assertEqual(found["step_times"], wanted["n"])
        by_step = json.loads(found["abs_deviation_s_by_step"])
        self.assertEqual(len(by_step), wanted["n"])
        for step, value in wanted.get("abs_deviation_s_by_step", {}).items():
            self.close(by_step[step], value, (what, step))

    @HAS_ORACLE
    def test_the_oracle(self):
        with open(os.path.join(ORACLE, "expected.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        self.checks = 0
        self.buckets = {name for case in cases.values() for name in case["cumulative"].get("badput_pct", {})} - {
            "CUSTOM_BADPUT_EVENTS"
        }
        self.assertEqual(len(self.buckets), 13)
        for name, case in cases.items():
            paths = [os.path.join(ORACLE, "cases", name + ".jsonl")]
            paths += [os.path.join(ORACLE, case["gcloud_export"])] if "gcloud_export" in case else []
            for path in paths:
                with self.subTest(path):
                    (found,) = self.report(path, case["query_time"])
                    self.assertEqual((found["job"], found["rows"]), (name, case["rows"]))
                    self.check_goodput(found, case["cumulative"], name)
                    self.check_steps(found, case["step_deviation"], name)
            for window in case["intervals"]:
                with self.subTest((name, window["start"])):
                    (found,) = self.report(paths[0], case["query_time"], window["start"], window["end"])
                    self.check_goodput(found, window, (name, window["start"]))
        self.assertEqual(len(cases), 25)
        self.assertGreater(self.checks, 3000)

    @HAS_ORACLE
    def test_one_broken_log_does_not_stop_a_fleet(self):
        found = self.report(os.path.join(ORACLE, "cases"))
        self.assertEqual([row["job"][:3] for row in found], [f"d{i:02}" for i in range(1, 26)])
        self.assertEqual([row["job"][:3] for row in found if row["error"] is not None], ["d23", "d24"])

    def test_exports_are_put_in_order_and_repeats_left_out(self):
        (found,) = self.report(EXPORT)
        self.assertEqual((found["rows"], found["last_recorded_step"], found["error"]), (40, 24, None))
        self.assertEqual(self.issues(EXPORT), {"duplicate_entry": 1})
        (again,) = self.report(
            self.file(
                "".join(
                    json.dumps(row) + "\n"
                    for row in sorted(
                        payloads(EXPORT)[:2] + payloads(EXPORT)[3:],
                        key=lambda r: [v for k, v in r.items() if "time" in k],
                    )
                )
            )
        )
        self.assertEqual({**again, "rows": 0}, {**found, "rows": 0})

    def test_a_log_and_an_export_of_one_job(self):
        with open(EXPORT, encoding="utf-8") as file:
            entries = json.load(file)
        path = self.file("".join(json.dumps(row) + "\n" for row in [entries[0], entries[1]["jsonPayload"]]))
        (found,) = self.report(path)
        self.assertEqual(
            found["error"], "The job has rows of a log and entries of Cloud Logging, whose order is not known."
        )

    def test_arguments(self):
        (whole,) = self.report(RAW)
        self.assertEqual(self.report(RAW, "2026-11-21T08:00:00Z"), [whole])  # the job has ended
        self.assertEqual(
            self.rows("SELECT job, error FROM goodput_report(?) WHERE start_time = 1 AND end_time = 2", RAW),
            [("ranker-7", "No rows in the window.")],
        )
        self.assertEqual(self.report(RAW, None), [whole])
        self.assertIn(
            "start_time and end_time: expected both or none",
            self.error("SELECT * FROM goodput_report(?) WHERE start_time = 1", RAW),
        )
        self.assertIn("query_time: ", self.error("SELECT * FROM goodput_report(?, 'noon')", RAW))
        self.assertIn(
            "on_error: expected 'stop' or 'skip'",
            self.error("SELECT * FROM goodput_report(?) WHERE on_error = 'x'", RAW),
        )
        self.fails(
            "goodput_report: expected a path, as in goodput_report('goodput.jsonl')", "SELECT * FROM goodput_report"
        )
        self.assertIn("no such file", self.error("SELECT * FROM goodput_report('/nowhere')"))

    def test_terms_of_or(self):
        """SQLite also asks for a plan of each of them by itself, without the path."""
        self.assertEqual(
            self.rows("SELECT job FROM goodput_report(?) WHERE job = 'ranker-7' OR \"rows\" = -1", RAW), [("ranker-7",)]
        )
        self.assertEqual(
            self.rows("SELECT job FROM goodput_report WHERE path = ? AND (job = 'x' OR goodput_pct = -1)", RAW), []
        )

    def test_what_cannot_be_read(self):
        with gzip.open(path := self.file(b"", "log.jsonl.gz"), "wb") as file:
            file.write(b"".join(self.lines(RAW)))
        with open(path, "rb") as file:
            cut = self.file(file.read()[:-20], "log.jsonl.gz")
        for table in ("goodput_report", "goodput_trace"):
            self.assertIn("truncated gzip stream", self.error(f"SELECT * FROM {table}(?)", cut))
            self.assertEqual(self.rows(f"SELECT count(*) <= 44 FROM {table}(?) WHERE on_error = 'skip'", cut), [(1,)])
            self.assertEqual(self.issues(cut), {"skipped_record": 1})

    def lines(self, path):
        with open(path, "rb") as file:
            return file.read().splitlines(keepends=True)

    def test_a_row_without_its_time(self):
        (found,) = self.report(
            self.file('{"job_name":"a","job_start_time":1}\n{"job_name":"a","step_count":1,"step_start_time":null}\n')
        )
        self.assertEqual(found["error"], "A row lacks its time.")


class Mapping(Case):
    """sql/formats/goodput.sql: what the ledger says of the oracle's logs, beside what the library says and what was simulated."""

    # Where the log does not say what the simulation knew.
    EXPLAINED = {"d07-five-disruptions-running": "never saved: its latest steps are `unknown`"}

    def map(self, path, chips=None, job=None, pool=None):
        self.script("formats/goodput.sql", log=path, chips=chips, job=job, pool=pool)

    def test_options(self):
        self.map(FIXTURES, job="mine", pool="pod")
        self.assertEqual(self.rows("SELECT job, framework FROM jobs"), [("mine", "jax")])
        self.assertEqual(self.rows("SELECT DISTINCT job, pool FROM allocations"), [("mine", "pod")])
        self.assertEqual(self.one("SELECT count(*) FROM spans WHERE job <> 'mine'"), 0)

    def test_chips_that_nothing_tells(self):
        """A job counts as one chip, which trace_sources says, unless an option or the job's scheduler tells how many it holds."""
        missing = "SELECT missing FROM trace_sources(?) WHERE format = 'goodput'"
        told = json.dumps({"sources": [{"path": RAW, "chips": 4}]})
        self.assertEqual([("chips",)], self.rows(missing, RAW))
        self.assertEqual([(None,)], self.rows(missing, told))
        scheduler = self.file(
            "job,attempt,pool,chips,start_time,end_time\nranker-7,1,pod,8,1795240800,1795241600\n", "allocations.csv"
        )
        both = json.dumps({"sources": [{"path": RAW}, {"path": scheduler}]})
        self.assertEqual([(None,)], self.rows(missing, both))
        self.assertEqual(
            [(8.0,)], self.rows("SELECT DISTINCT chips FROM trace_records(?) WHERE record = 'allocations'", both)
        )

    def test_a_log_without_steps_is_listed(self):
        path = self.file(json.dumps({"job_name": "a", "job_start_time": 5.0}) + "\n")
        self.map(path)
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'no_steps' AND source = ?", path),
            [("warning", 1)],
        )

    def test_entries_without_a_time_are_listed(self):
        path = self.file(
            '{"job_name":"a","job_start_time":1}\n{"job_name":"a","step_count":1,"step_start_time":2}\n'
            '{"job_name":"a","step_count":2,"step_start_time":3}\n'
            '{"job_name":"a","step_count":3,"step_start_time":null}\n{"job_name":"a","job_end_time":null}\n'
        )
        self.map(path)
        self.assertEqual(self.one("SELECT count(*) FROM spans WHERE kind = 'step'"), 1)
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path),
            [("data_loss", 2)],
        )

    def goodput(self, as_of):
        return self.rows(
            """SELECT 100.0 * sum(chip_us) FILTER (WHERE category IN ('ideal', 'inefficiency', 'unrated')) / sum(chip_us),
                                   sum(chip_us) / 1e6, min(chip_us) FROM mpg_ledger WHERE category <> 'queued' AND as_of = ?""",
            as_of,
        )[0]

    @HAS_ORACLE
    def test_the_oracle(self):
        with open(os.path.join(ORACLE, "expected.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        table, logs = ["| log | truth | ledger | library | |", "|---|---|---|---|---|"], 0
        for name, case in cases.items():
            if "simulated_truth" not in case:
                continue
            self.map(os.path.join(ORACLE, "cases", name + ".jsonl"))
            found, total, least = self.goodput(case["query_time"])
            truth, library = case["simulated_truth"]["goodput_pct"], case["cumulative"]["goodput_pct"]
            self.assertAlmostEqual(total, case["cumulative"]["total_job_time_s"], 4)
            self.assertGreaterEqual(least, 0)
            self.assertEqual(abs(found - truth) > 1, name in self.EXPLAINED, (name, found, truth))
            logs += 1
            if max(abs(found - truth), abs(library - truth)) > 1:  # the page has those alone
                table.append(
                    f"| {name[4:].replace('-', ' ')} | {truth:.1f} | {found:.1f} | {library:.1f} | {self.EXPLAINED.get(name, '')} |"
                )
        self.assertEqual((logs, len(table)), (13, 2 + 6))
        path = os.path.join(ROOT, "docs/formats/goodput_log.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if os.environ.get("MPG_WRITE_DOCS"):
            before, _, after = text.partition(table[0])
            with open(path, "w", encoding="utf-8") as file:
                file.write(before + "\n".join(table) + "\n" + after[after.index("\n\n") + 1 :])
        else:
            self.assertIn("\n".join(table) + "\n\n", text)

    def test_restarts_and_chips(self):
        self.map(FIXTURES, "4")
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, end_time - start_time, outcome FROM allocations ORDER BY job, attempt"
            ),
            [
                ("ranker-7", 1, 4.0, 552.0, "failed"),
                ("ranker-7", 2, 4.0, 184.0, "completed"),
                ("ranker-8", 1, 4.0, 535.0, "failed"),
                ("ranker-8", 2, 4.0, 175.0, "completed"),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, category, sum(chip_us) / 4000000 FROM mpg_rollup WHERE category IN ('lost', 'eval', 'checkpoint', 'restore', 'input') GROUP BY 1, 2"
            ),
            [
                ("ranker-7", "checkpoint", 2),
                ("ranker-7", "eval", 15),
                ("ranker-7", "input", 8),
                ("ranker-7", "lost", 40),
                ("ranker-7", "restore", 9),
                ("ranker-8", "input", 8),
            ],
        )
        self.assertEqual(self.rows("SELECT count(*) FROM temp.sqlite_schema WHERE name LIKE 'goodput%'"), [(0,)])

    def runs(self, *runs):
        """The ledger of a job whose runs are (start, end or None, times of steps, which are numbered on)."""
        lines, step = [], 0
        for start, end, steps in runs:
            lines.append({"job_start_time": start})
            for at in steps:
                lines.append({"step_count": step, "step_start_time": at})
                step += 1
            lines += [] if end is None else [{"job_end_time": end}]
        self.map(self.file("".join(json.dumps({"job_name": "a", **line}) + "\n" for line in lines)))
        return dict(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY category"))

    def test_exports_that_overlap(self):
        """Entries that a log has twice, with no id that says so, count once."""
        with open(os.path.join(FIXTURES, "ranker-7.jsonl"), encoding="utf-8") as file:
            lines = file.readlines()
        sums = lambda path: self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1 ORDER BY 1", path)
        plain = sums(self.file("".join(lines)))
        first = next(i for i, line in enumerate(lines) if "step_count" in line)
        for until, since in (
            (20, 9),
            (len(lines), 0),
            (30, 15),
            (first + 4, first + 1),
            (first + 3, first + 2),
        ):  # of steps alone, too
            path = self.file("".join(lines[:until] + lines[since:]))
            self.assertEqual(plain, sums(path), (until, since))
            self.assertEqual(
                [(until - since,)],
                self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'repeated_record'", path),
            )

    def test_parts_of_a_log(self):
        """Wherever a log was cut: also after the last line of a run's start, and where a part has a save alone, or a restore, which tells when it began."""

        def line(**fields):
            return json.dumps({"job_name": "j", **fields}) + "\n"

        T, manager = 1767225600.0, dict(directory="gs://x", synchronous=False)
        lines = [line(job_start_time=T), line(tpu_init_start_time=T), line(tpu_init_end_time=T + 90)]
        lines += [line(step_count=n, step_start_time=T + 100 + 100 * n) for n in range(3)]
        save = dict(checkpoint_manager_blocking_start_time=T + 405, checkpoint_manager_blocking_duration_secs=2.0)
        lines += [line(step=2, event_type="save", **manager, **save), line(job_start_time=T + 1000)]
        restore = dict(checkpoint_manager_start_time=T + 1010, checkpoint_manager_duration_secs=190.0)
        lines += [
            line(step_count=3, step_start_time=T + 1200),
            line(step=2, event_type="restore", **manager, **restore),
        ]
        lines += [line(step_count=n, step_start_time=T + 1000 + 100 * n) for n in range(4, 8)]
        lines += [line(job_end_time=T + 1800)]
        sums = lambda path: self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1 ORDER BY 1", path)
        whole = sums(self.folder_of({"a.jsonl": "".join(lines)}))
        for cut in range(3, len(lines)):
            for end in {cut + 1, len(lines)}:
                parts = {"a.jsonl.2": lines[:cut], "a.jsonl.1": lines[cut:end], "a.jsonl": lines[end:]}
                folder = self.folder_of({name: "".join(part) for name, part in parts.items() if part})
                self.assertEqual(whole, sums(folder), (cut, end))

    def test_hosts_that_write_beside_each_other(self):
        """Each of a job's processes records: pods begin seconds apart, steps a little. Any number of them is one job, also where it went back; what one alone repeats is a restart."""

        def run(start, first, ends):
            edges = [
                ("job_start_time", 0),
                ("tpu_init_start_time", 5),
                ("tpu_init_end_time", 25),
                ("training_prep_start_time", 26),
                ("training_prep_end_time", 46),
                ("data_loading_start_time", 47),
                ("data_loading_end_time", 50),
            ]
            return (
                [{"job_name": "r", key: start + at} for key, at in edges]
                + [
                    {"job_name": "r", "step_count": first + i, "step_start_time": start + 50 + 10 * i}
                    for i in range(20)
                ]
                + [{"job_name": "r", "job_end_time": start + 250}] * ends
            )

        def hosts(rows, n, late):
            timed = [(next(v for key, v in row.items() if "time" in key), row) for row in rows]
            shifted = [
                (
                    at + host * (4 if "job_start_time" in row else late),
                    {
                        key: v + host * (4 if "job_start_time" in row else late) if "time" in key else v
                        for key, v in row.items()
                    },
                )
                for at, row in timed
                for host in range(n)
            ]
            return [row for _, row in sorted(shifted, key=lambda pair: pair[0])]

        def sums(rows):
            path = self.file("".join(json.dumps(row) + "\n" for row in rows))
            found = {
                category: seconds
                for category, seconds in self.rows(
                    "SELECT category, sum(chip_us) / 1e6 FROM trace_rollup(?) GROUP BY 1", path
                )
            }
            return (
                found,
                self.rows("SELECT count(*) FROM trace_records(?) WHERE record = 'allocations'", path),
                {kind for kind, in self.rows("SELECT kind FROM mpg_issues WHERE source = ?", path)}
                & {"parallel_lines", "missing_end", "repeated_steps"},
            )

        twice = run(1772352000, 0, 0) + run(1772352500, 15, 1)
        for rows in (run(1772352000, 0, 1), twice):
            alone, attempts, said = sums(rows)
            self.assertEqual(set(), said)
            for n, late in ((2, 0.2), (3, 0.3), (8, 0.1)):
                found, held, said = sums(hosts(rows, n, late))
                self.assertEqual((attempts, {"parallel_lines"}), (held, said))
                self.assertEqual(set(alone), set(found))
                for category, seconds in alone.items():
                    self.assertAlmostEqual(seconds, found[category], delta=n * late * 4, msg=(n, late, category))

    def test_launches_that_fail_early_are_no_hosts(self):
        """A job that breaks off in its first step and starts again at once, again and again, ran each time, however long its steps take later."""
        rows, at = [], 1772352000

        def tell(**fields):
            rows.append({"job_name": "r"} | {key: at if value is None else value for key, value in fields.items()})

        for _ in range(5):
            tell(job_start_time=None)
            at += 20
            tell(step_count=0, step_start_time=None)
            at += 60
        tell(job_start_time=None)
        for step, took in (
            (0, 20),
            (1, 900),
            (1, 100),
            (2, 900),
        ):  # one is run again without a start, as after a reshard
            at += took
            tell(step_count=step, step_start_time=None)
        at += 900
        tell(job_end_time=None)
        path = self.file("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(
            [("completed", 1), ("failed", 5)],
            self.rows("SELECT outcome, count(*) FROM trace_records(?) WHERE record = 'allocations' GROUP BY 1", path),
        )
        self.assertEqual(
            [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'parallel_lines' AND source = ?", path)
        )

    def test_steps_that_are_run_again_after_a_reshard(self):
        """They were run each time, also in a log of which another job starts again."""
        rows = [{"job_name": "r", "job_start_time": 0}]
        for step, start in ((0, 400), (0, 5700), (0, 7100), (1, 12600), (2, 18000), (2, 18600), (2, 19100)):
            rows.append({"job_name": "r", "step_count": step, "step_start_time": start})
        rows.append({"job_name": "r", "job_end_time": 24600})
        other = [
            {"job_name": "s", **row}
            for start in (0, 1000)
            for row in ({"job_start_time": start}, {"step_count": 0, "step_start_time": start + 100})
        ]
        steps = "SELECT step, start_time - ? FROM trace_records(?) WHERE record = 'spans' AND kind = 'step' AND job = 'r' ORDER BY 2"
        for again in (0, 30000):  # and where it starts again itself
            restart = [
                {"job_name": "r", "job_start_time": 30000},
                {"job_name": "r", "step_count": 3, "step_start_time": 30100},
            ]
            told = rows + restart[: again and 2] + other
            later = [{k: v + 1772352000 if k.endswith("_time") else v for k, v in row.items()} for row in told]
            path = self.file("".join(json.dumps(row) + "\n" for row in later))
            self.assertEqual([0, 0, 0, 1, 2, 2, 2], [step for step, _ in self.rows(steps, 1772352000, path)], again)

    def test_a_run_that_ended_holds_no_chips_until_the_next(self):
        first, second = (0.0, 100.0, [0.0, 50.0]), (1000.0, 1100.0, [1000.0, 1050.0])
        # Nor does it ask for any: it is completed.
        self.assertEqual(self.runs(first, second), {"unrated": 200})
        self.assertEqual(
            self.rows("SELECT start_time, end_time, outcome FROM allocations ORDER BY attempt"),
            [(0.0, 100.0, "completed"), (1000.0, 1100.0, "completed")],
        )
        # Without its end nobody knows, and it holds them until the next begins: of its steps the last is left out, and the first proved by the resume.
        self.assertEqual(self.runs((0.0, None, [0.0, 50.0]), second), {"unrated": 150, "unknown": 950})

    def test_a_base_model(self):
        """A restore of a step above those that follow is of another run: begun again, the job goes on from none of its own steps. From a checkpoint of its own it does."""
        for restore in ("restore", "emergency_restore"):
            for loaded, first, lost in ((1000, 0, 10), (9, 0, 10), (4, 5, 5), (5, 5, 5)):
                rows = []
                for start, of, begin in ((0, 1000, 0), (200, loaded, first)):
                    rows += [
                        {"job_start_time": start},
                        {
                            "step": of,
                            "event_type": restore,
                            "checkpoint_manager_start_time": start,
                            "checkpoint_manager_duration_secs": 4.0,
                        },
                    ]
                    rows += [
                        {"step_count": n, "step_start_time": start + 10 + 2 * (n - begin)} for n in range(begin, 11)
                    ]
                path = self.file(
                    "".join(json.dumps({"job_name": "a", **row}) + "\n" for row in rows + [{"job_end_time": 300.0}])
                )
                self.map(path)
                self.assertEqual(
                    [(2 * lost,)],
                    self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'lost'"),
                    (restore, loaded),
                )
                self.assertEqual(
                    [] if loaded > 5 else [(1,)],
                    self.rows("SELECT count FROM mpg_issues WHERE kind = 'missing_save' AND source = ?", path),
                    loaded,
                )

    def test_a_pause_that_nothing_tells(self):
        """It is part of a step, and listed; what an entry explains is not."""
        at = [10.0 * i + (300 if i > 5 else 0) for i in range(20)]
        for mark, said in (([], [(1,)]), ([{"data_loading_start_time": 60.0}, {"data_loading_end_time": 350.0}], [])):
            path = self.file(
                "".join(
                    json.dumps({"job_name": "a", **line}) + "\n"
                    for line in [{"job_start_time": 0.0}]
                    + [{"step_count": i, "step_start_time": time} for i, time in enumerate(at)]
                    + mark
                    + [{"job_end_time": 510.0}]
                )
            )
            self.map(path)
            self.assertEqual(
                said, self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'long_steps'", path)
            )

    def test_a_run_whose_start_is_lost(self):
        """Its set-up comes after steps: what lies between is part of the step before, and listed."""

        def run(start, begin):
            return (
                [{"job_start_time": begin}] * start
                + [{"tpu_init_start_time": begin + 1}, {"tpu_init_end_time": begin + 9}]
                + [{"step_count": i, "step_start_time": begin + 10 + 10 * i} for i in range(5)]
            )

        for start, said in ((1, []), (0, [(1,)])):
            path = self.file(
                "".join(
                    json.dumps({"job_name": "a", **line}) + "\n"
                    for line in run(1, 0.0) + run(start, 500.0) + [{"job_end_time": 560.0}]
                )
            )
            self.map(path)
            self.assertEqual(
                said, self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'missing_field'", path)
            )

    def test_a_window_of_the_log(self):
        """It begins with steps of a run whose start the day before has: they are of an attempt before, which ends where the next begins."""
        steps = lambda first, last, begin: [
            {"step_count": i, "step_start_time": begin + 10 * (i - first)} for i in range(first, last)
        ]
        lines = steps(5, 9, 100.0) + [{"job_start_time": 500.0}] + steps(7, 12, 510.0) + [{"job_end_time": 560.0}]
        path = self.file("".join(json.dumps({"job_name": "a", **line}) + "\n" for line in lines))
        held = "SELECT attempt, start_time, end_time, outcome FROM trace_records(?) WHERE record = 'allocations'"
        self.assertEqual([(1, 100, 500, "failed"), (2, 500, 560, "completed")], self.rows(held, path))
        spent = dict(self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", path))
        self.assertEqual({"lost": 10, "unknown": 380, "unrated": 70}, spent)

    def test_a_step_after_the_end(self):
        self.assertEqual(self.runs((0.0, 70.0, [0.0, 25.0, 50.0, 75.0])), {"unrated": 70})


if __name__ == "__main__":
    unittest.main()
