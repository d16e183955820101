"""Sources: traces of any format, recognised, mapped and joined, in one SELECT (docs/sources.md)."""

import json
import os
import shutil
import sqlite3
import time
import unittest

from fleets import ROOT, connect
from source_files import EXPORTS, Folder


class Tables(Folder):
    FLEET = os.path.join(EXPORTS, "fleet.json")

    def test_a_native_trace_that_installs_what_the_scheduler_does(self):
        """Both count, and that is said; what it installs at other times, or in other pools, adds up."""
        self.copy("sacct.psv", "events.psv")
        for pool, start, end, listed in (
            ("pod", "10:00:00", "10:30:00", 1),
            ("pod", "09:00:00", "10:00:00", 0),
            ("other", "10:00:00", "10:30:00", 0),
        ):
            self.write(
                "capacity.csv",
                f"pool,chip,chips,start_time,end_time\n{pool},nvidia-h100-sxm,16,2026-03-02T{start}Z,2026-03-02T{end}Z\n",
            )
            self.write(
                "outages.csv",
                f"pool,chips,start_time,end_time,kind\n{pool},8,2026-03-02T{start}Z,2026-03-02T{end}Z,hw_down\n",
            )
            self.sums(self.folder)
            self.assertEqual(
                [("warning", "pod")] * listed,
                self.rows(
                    "SELECT severity, substr(detail, instr(detail, 'pool ') + 5, 3) FROM mpg_issues WHERE kind = 'conflict' AND detail LIKE '%of capacity%'"
                ),
                (pool, start),
            )

    def test_import(self):
        told = json.loads(self.one("SELECT mpg_import(?)", self.FLEET))
        self.assertEqual(
            told, {"capacity": 1, "outages": 0, "jobs": 2, "allocations": 2, "spans": 18, "commits": 2, "programs": 1}
        )
        self.assertEqual(
            self.sums(self.FLEET),
            self.db.execute("SELECT job, category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2").fetchall(),
        )
        self.assertEqual(told, json.loads(self.one("SELECT mpg_import(?)", self.FLEET)))

    def test_a_failed_import_changes_nothing(self):
        self.one("SELECT mpg_import(?)", self.FLEET)
        self.assertIn("mpg_import: trace_records: no such file: /nowhere", self.error("SELECT mpg_import('/nowhere')"))
        self.assertEqual("mpg_import: expected a path, found NULL", self.error("SELECT mpg_import(NULL)"))
        self.assertEqual(2, self.one("SELECT count(*) FROM temp.jobs"))

    def test_build_adds_what_is_new_once(self):
        added = json.loads(self.one("SELECT mpg_build(?)", self.FLEET))
        self.assertEqual((2, 18), (added["jobs"], added["spans"]))
        self.assertEqual({0}, set(json.loads(self.one("SELECT mpg_build(?)", self.FLEET)).values()))
        self.assertAlmostEqual(
            self.one("SELECT MPG FROM goodput_by_pool"),
            self.one("SELECT mpg(category, chip_us) FROM trace_rollup(?)", self.FLEET),
            12,
        )
        self.assertIn("no such file", self.error("SELECT mpg_build('/nowhere')"))
        self.assertEqual(18, self.one("SELECT count(*) FROM spans"))
        self.db.execute("BEGIN")
        self.assertIn("expected no open transaction", self.error("SELECT mpg_build(?)", self.FLEET))
        self.db.execute("ROLLBACK")

    def test_labels_of_a_fleet_file_are_columns(self):
        """As if mpg_config had named them; the sums by a label are those of the labels in the records."""
        fleet = os.path.join(ROOT, "fixtures", "fleet")
        text = json.dumps({"sources": [{"path": fleet}], "labels": ["cost_center", "team"]})
        self.one("SELECT mpg_build(?)", text)
        self.assertEqual("cost_center,team", self.one("SELECT value FROM mpg_config WHERE name = 'labels'"))
        expected = {}
        for labels, us in self.db.execute(
            "SELECT labels, sum(chip_us) FROM trace_rollup(?) WHERE job IS NOT NULL GROUP BY job", (fleet,)
        ):
            key = json.loads(labels)["cost_center"]
            expected[key] = expected.get(key, 0) + us
        self.assertGreater(len(expected), 2)
        self.assertEqual(
            expected,
            dict(self.db.execute("SELECT cost_center, sum(chip_us) FROM cells WHERE job IS NOT NULL GROUP BY 1")),
        )
        self.one("SELECT mpg_build(?)", json.dumps({"sources": [{"path": fleet}]}))  # which names none: as before
        self.assertEqual(len(expected), self.one("SELECT count(DISTINCT cost_center) FROM ledger"))
        self.assertEqual(
            self.db.execute("SELECT sum(chip_us) FROM trace_rollup(?)", (text,)).fetchall(),
            self.db.execute("SELECT sum(chip_us) FROM trace_rollup(?)", (fleet,)).fetchall(),
        )


class Trouble(Folder):
    def test_a_bad_file_stops_nothing_but_itself(self):
        self.copy("sacct.psv", "events.psv", "job_5102.out")
        expected = self.sums(self.folder)
        bad = self.write(
            "pods.json", '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", '
        )
        self.assertEqual(expected, self.sums(self.folder))
        self.assertEqual(
            [(bad, "data_loss")],
            self.db.execute("SELECT source, severity FROM mpg_issues WHERE kind = 'unreadable_file'").fetchall(),
        )
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute("SELECT count(*) FROM trace_rollup(?) WHERE on_error = 'stop'", (self.folder,)).fetchall()
        self.assertTrue(
            str(caught.exception).startswith("trace_rollup: ") and bad in str(caught.exception), caught.exception
        )
        self.assertEqual(
            1, self.one("SELECT count(*) FROM trace_sources(?) WHERE reason LIKE 'cannot be read: %'", self.folder)
        )

    def test_what_to_give_instead_is_the_error(self):
        """Of a file alone, or the first of a folder in which nothing is read."""
        path = self.write("sacct.csv", "JobID,State,AllocTRES\n1,COMPLETED,cpu=1\n")
        for where in (path, self.folder):
            with self.assertRaisesRegex(
                sqlite3.OperationalError, "sacct.csv: expected .* found columns of sacct with commas"
            ):
                self.sums(where)

    def test_only_files_that_hold_no_fleet(self):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute(
                "SELECT count(*) FROM trace_rollup(?)", (os.path.join(EXPORTS, "train_step.hlo"),)
            ).fetchall()
        self.assertIn("expected a scheduler's records", str(caught.exception))

    def test_nothing_shows_in_the_user_s_schema(self):
        self.sums(EXPORTS)
        self.assertEqual(
            [], self.db.execute("SELECT name FROM sqlite_schema UNION SELECT name FROM sqlite_temp_schema").fetchall()
        )

    def test_the_user_s_chips(self):
        self.db.execute("CREATE TABLE chips AS SELECT 'site-chip' AS chip, 'bf16' AS dtype, 1e15 AS peak_flops")
        text = json.dumps(
            {
                "sources": [
                    {"path": os.path.join(EXPORTS, "*.psv"), "chip": "site-chip"},
                    {"path": os.path.join(EXPORTS, "*.log")},
                    {"path": os.path.join(EXPORTS, "*.out")},
                ]
            }
        )
        self.assertAlmostEqual(
            self.one("SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE category = 'ideal'", text),
            (10 * 20 * 200e12 + 4 * 25 * 150e12) * 8 / 1e15,
            3,
        )

    def test_the_user_s_reasons_of_outages(self):
        """A table outage_reasons adds to what slurm.sql knows, in the database and as a TEMP table."""
        self.copy("sacct.psv")
        self.write(
            "events.psv",
            "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\npod|Cluster||2026-03-02T10:00:00|2026-03-02T10:06:00|||gres/gpu=24\n"
            "pod|Node|n3|2026-03-02T10:01:00|2026-03-02T10:02:00|ask bob|DRAIN|gres/gpu=8\n",
        )
        for name in os.listdir(self.folder):  # old enough to be kept
            os.utime(os.path.join(self.folder, name), (1700000000, 1700000000))
        for schema, kind in (("main", "maintenance"), ("temp", "hw_down")):
            with self.subTest(schema):
                self.assertEqual(8 * 60 * 10**6, dict(self.sums(self.folder, "cause"))["drained"])
                self.db.execute(
                    f"CREATE TABLE {schema}.outage_reasons AS SELECT 'ask bob' AS pattern, '{kind}' AS kind"
                )
                self.assertEqual(8 * 60 * 10**6, dict(self.sums(self.folder, "cause"))[kind])
                self.db.execute(f"DROP TABLE {schema}.outage_reasons")

    def test_logs_of_several_ranks_are_listed(self):
        """Without a scheduler each log is a job: two of as many chips at the same time, or that tell the same steps then, may be of one job."""
        line = " [2026-03-02 09:00:{0:06.3f}] iteration {0:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"

        def log(first):
            return "using world size: 8\n" + "".join(line.format(i) for i in range(first, 21))

        for second, listed in ((1, 1), (8, 1)):
            self.write("rank0.log", log(1))
            self.write("rank7.log", "of rank 7\n" + log(second))
            self.rows("SELECT count(*) FROM trace_rollup(?)", self.folder)
            self.assertEqual(
                [(listed,)],
                self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'parallel_logs' AND severity = 'warning'"),
            )

    def test_issues_name_files(self):
        """What a script lists is of its files, and what reading its relations finds is of the path: no user knows temp.jobs."""
        philly = os.path.join(ROOT, "fixtures", "public", "philly")
        self.rows("SELECT count(*) FROM trace_records(?)", philly)
        self.rows("SELECT count(*) FROM trace_records(?)", philly)
        self.assertEqual(
            [(philly + "/cluster_job_log", 2)],
            self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'left_out'"),
        )
        for name, job in (("a.log", 1), ("b.log", 2)):
            self.write(
                name,
                f"03/31/2025 10:00:00;E;{job}.pod;user=u queue=q ctime=1743411600 qtime=1743411600 etime=1743411600 start=1743411600 end=1743411000 "
                "exec_host=n1/0 Resource_List.ngpus=2 Exit_status=0 resources_used.ngpus=2\n",
            )
        self.rows("SELECT count(*) FROM trace_ledger(?)", self.folder)
        sources = {source for source, in self.rows("SELECT source FROM mpg_issues")}
        self.assertEqual(set(), {source for source in sources if source.startswith(("temp.", "["))})
        self.assertIn(self.folder + "/a.log and 1 more", sources)

    def test_issues_of_files_that_are_gone(self):
        """Who reads a folder or a glob again is told what is there now, whether the answer is read or comes from memory; and nothing of other paths is forgotten."""
        bad = "JobID|State\n1|NOVEL|\n"
        here, other, native = (os.path.join(self.folder, name) for name in ("here", "other", "native"))
        away = os.path.join(self.folder, "away")
        for name in ("here/deep/er", "other", "native"):
            os.makedirs(os.path.join(self.folder, name))
        self.write("other/x.psv", bad)
        for name in ("a.psv", "b.psv", "deep/er/c.psv"):
            self.write("here/" + name, bad)
        for name in ("a", "b", "c"):
            self.write(
                f"native/{name}.jsonl",
                '{"record": "allocation", "job": "'
                + name
                + '", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9, "odd": 1}\n',
            )
        listed = lambda path: {
            source.replace(path, "").strip("/")
            for source, in self.rows(
                "SELECT source FROM mpg_issues WHERE source LIKE ? || '/%.%' AND source NOT LIKE '%*%'", path
            )
        }
        readings = [
            ("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", here, path)
            for path in (here, here + "/", here + "/**", here + "/**/*.psv")
        ]
        readings += [
            (f"SELECT count(*) FROM {table}(?)", native, path)
            for table in ("trace_rollup", "trace_ledger", "trace_records")
            for path in (native, native + "/*.jsonl", native + "//")
        ]
        for sql, folder, path in readings:
            self.rows("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", other)
            self.rows(sql, path)
            before = listed(folder)
            gone = min(before)
            self.assertEqual(3, len(before), (sql, path))
            os.rename(os.path.join(folder, gone), away)
            for _ in range(2):
                self.rows(sql, path)
                self.assertEqual(before - {gone}, listed(folder), (sql, path))
            os.rename(away, os.path.join(folder, gone))
            if path == native:
                time.sleep(2.1)  # old enough for the answer to stay in memory
            for _ in range(2):  # as it was: the answer may be one of before
                self.rows(sql, path)
                self.assertEqual(before, listed(folder), (sql, path))
                shutil.copy(os.path.join(folder, gone), os.path.join(folder, "zz." + gone.rpartition(".")[2]))
                self.rows(sql, path)
                self.assertTrue(any("zz" in name for name in listed(folder)))
                os.remove(os.path.join(folder, "zz." + gone.rpartition(".")[2]))
            self.rows(sql, path)
            self.assertEqual(before, listed(folder), (sql, path))
            self.assertEqual({"x.psv"}, listed(other))

    def test_errors_name_the_path(self):
        path = self.write(
            "fleet.json",
            json.dumps({"sources": [{"path": os.path.join(EXPORTS, "maxtext-5101.log"), "year": 2026, "chips": 1e15}]}),
        )
        self.assertRegex(
            self.error("SELECT count(*) FROM trace_ledger(?) WHERE on_error = 'stop'", path), rf"{path}: \w+:\d+: "
        )

    def test_kept_and_noticed(self):
        self.copy("sacct.psv", "events.psv")
        for name in os.listdir(self.folder):
            os.utime(os.path.join(self.folder, name), (1700000000, 1700000000))
        first = self.sums(self.folder)
        self.assertEqual(first, self.sums(self.folder))
        self.copy("maxtext-5101.log")
        self.assertNotEqual(first, self.sums(self.folder))
        os.remove(os.path.join(self.folder, "maxtext-5101.log"))
        self.assertEqual(first, self.sums(self.folder))

    def test_interrupted(self):
        other = connect()
        other.set_progress_handler(lambda: 1, 1)
        with self.assertRaises(sqlite3.OperationalError):
            other.execute("SELECT count(*) FROM trace_rollup(?)", (EXPORTS,)).fetchall()


if __name__ == "__main__":
    unittest.main()
