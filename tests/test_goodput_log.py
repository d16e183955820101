"""ml-goodput-measurement's job logs: goodput_trace, held against a reading of the same files in Python."""
import gzip
import json
import os
import tempfile
import unittest

from fleets import ROOT, connect

ORACLE = os.path.join(ROOT, "../shared/oracle/goodput")
FIXTURES = os.path.join(ROOT, "fixtures", "goodput")
RAW, EXPORT = (os.path.join(FIXTURES, name) for name in ("ranker-7.jsonl", "ranker-8.json"))
HAS_ORACLE = unittest.skipUnless(os.path.isdir(ORACLE), "../shared/oracle/goodput is not here")
DERIVED = ["job_name", "kind", "edge", "time", "event", "rest", "timestamp", "time_ns", "insertId", "duplicate"]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.db = connect()
        self.addCleanup(self.db.close)

    def rows(self, sql, *parameters):
        return self.db.execute(sql, parameters).fetchall()

    def error(self, sql, *parameters):
        with self.assertRaises(Exception) as caught:
            self.rows(sql, *parameters)
        return str(caught.exception)

    def file(self, text, name="log.jsonl"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def issues(self, path):
        return dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path))


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
            [("custom_event", "end", 1), ("custom_event", "start", 1), ("data_loading", "end", 2), ("data_loading", "start", 2),
             ("job", "end", 1), ("job", "start", 2), ("restore", None, 1), ("save", None, 1), ("step", "start", 25),
             ("tpu_init", "end", 2), ("tpu_init", "start", 2), ("training_prep", "end", 2), ("training_prep", "start", 2)])

    def test_an_export_says_what_it_repeats(self):
        self.assertEqual(self.rows("SELECT count(*), sum(duplicate), count(DISTINCT insertId) FROM goodput_trace(?)", EXPORT), [(41, 1, 40)])
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
        self.assertEqual(self.rows("SELECT _file LIKE '%b.json.gz', count(*), sum(duplicate) FROM goodput_trace(?) GROUP BY 1", os.path.dirname(path)),
                         [(0, 41, 1), (1, 41, 41)])

    def test_other_keys_are_kept(self):
        path = self.file('{"job_name":"a","host":"h1","step_start_time":1,"step_count":2,"deep":{"x":[1]}}\n')
        self.assertEqual(self.rows("SELECT kind, step, rest FROM goodput_trace(?)", path), [("step", 2, '{"host":"h1","deep":{"x":[1]}}')])

    def test_what_cannot_be_read(self):
        good = '{"job_name":"a","job_start_time":1}\n'
        for text, line, what in (
            ('{"job_name":"a","step_count":"x"}', 2, 'expected a whole number for "step_count", found "x"'),
            ('{"textPayload":"hello"}', 2, "expected a row of ml-goodput-measurement"),
            ("JobID|State", 2, "expected an object, found 'J'"),
            ('{"job_name":"a","job_end_time":', 2, "found end of file"),
        ):
            path = self.file(good + text)
            found = self.error("SELECT count(*) FROM goodput_trace(?)", path)
            self.assertTrue(found.startswith(f"goodput_trace: {path}:{line}:"), found)
            self.assertIn(what, found)
            self.assertEqual(self.rows("SELECT job_start_time FROM goodput_trace(?) WHERE on_error = 'skip'", path), [(1.0,)])
            self.assertEqual(self.issues(path), {"skipped_record": 1})
        self.assertEqual(self.rows("SELECT * FROM goodput_trace(?)", self.file("")), [])
        self.assertIn("1:1", self.error("SELECT * FROM goodput_trace(?)", self.file(bytes(range(256)))))


if __name__ == "__main__":
    unittest.main()
