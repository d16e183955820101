"""The fleet file: what its options do, and the one error of a mistake in it."""
import json
import os
import sqlite3
import tempfile
import unittest

from cases import Case
from fleets import ROOT

EXPORTS = os.path.join(ROOT, "fixtures", "exports")


class FleetFile(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def sums(self, path):
        return self.db.execute("SELECT job, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2", (path,)).fetchall()

    def error(self, text):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute("SELECT count(*) FROM trace_rollup(?)", (text,)).fetchall()
        return str(caught.exception)

    def test_errors(self):
        for text, expected in [
                ('{"sources": [{"path": "x", "zoen": "UTC"}]}', 'source 1: unknown option "zoen"; the nearest is "zone"'),
                ('{"sources": [{"path": "x"}, {"pth": "x"}]}', 'source 2: unknown option "pth"; the nearest is "'),
                ('{"sources": [{"zone": "UTC"}]}', 'source 1: expected a "path", found none'),
                ('{"source": []}', 'expected "sources", found "source"'),
                ('{"sources": []}', 'expected an object with "sources"'),
                ('{"sources": [{"path": "x"}], "labels": "tier"}', 'expected "labels" to be a list of keys'),
                ('{"sources": [{"path": "x"}], "labels": ["a,b"]}', 'expected "labels" to be a list of keys'),
                ('{"sources": [{"path": "x"}], "labels": [1]}', 'expected "labels" to be a list of keys'),
                ('{"sources": [{"path": "x"}], "label": ["a"]}', 'expected "sources", found "label"'),
                ('{"sources": [', ':1:14: expected a value, found end of text'),
                ('{"sources": [{"path": "x"}, "y"]}', ':1:29: source 2: expected an object with a "path"'),
                ('{"sources": [{"path": "x", "path": "y"}]}', "expected a key that the object does not have yet"),
                ('{"sources": [{"path": "/nowhere/at/all"}]}', "source 1: no such file: /nowhere/at/all")]:
            with self.subTest(text):
                self.assertIn(expected, self.error(text))
                path = self.write("fleet.json", text)
                if '"path"' in text:
                    self.assertIn(expected, self.error(path))

    def test_values(self):
        """Each option that cannot be right is one error, which says where in the file it is."""
        for option, value, expected in [
                ("chips", "many", 'a number above 0, or what counts as a chip, such as gpus or slots, found "many"'), ("flops", -4, "a number above 0, found -4"), ("devices", True, "a number above 0, found true"),
                ("chips", -4, "a number above 0, or what counts as a chip, such as gpus or slots, found -4"), ("chips_per_node", 0, "a number above 0, found 0"), ("flops", "1e15 or so", "a number above 0, found"), ("year", 26, "a year from 1970 to 2261, found 26"),
                ("year", "2026", 'a year from 1970 to 2261, found "2026"'), ("start", "yesterday", "Unix seconds or a time such as"), ("format", "slrum", "a format, such as slurm"),
                ("format", "maxtext/lines", "a format, such as slurm"), ("outcome", "good", "completed, failed, cancelled"), ("zone", 1, "a time zone, such as"),
                ("pool", ["a"], "a text or a number")]:
            with self.subTest(option=option, value=value):
                path = self.write("fleet.json", '{\n  "sources": [\n    {"path": "x"},\n    {"path": "y", %s: %s}]}' % (json.dumps(option), json.dumps(value)))
                self.assertIn('%s:4:19: source 2: option "%s": expected %s' % (path, option, expected), self.error(path))
        self.assertIn(':1:30: source 1: option "zone": no time zone "Mars" in', self.error('{"sources": [{"path": "x"  , "zone": "Mars"}]}'))
        log = os.path.join(EXPORTS, "maxtext-5101.log")
        whole = self.sums(json.dumps({"sources": [{"path": log, "year": 2026}]}))
        self.assertEqual(whole, self.sums(json.dumps({"sources": [{"path": log, "year": 2026, "zone": None, "outcome": None}]})))

    def test_each_format_may_be_named(self):
        """By the name of its mapping; an input of a mapping is no option."""
        folder, names = os.path.join(ROOT, "sql", "formats"), []
        for name in os.listdir(folder):
            if name.endswith(".sql"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names += [name.removesuffix(".sql")] * ("\n--@ input " in file.read())
        self.assertGreater(len(names), 20)
        for name in ["native", *names]:
            text = json.dumps({"sources": [{"path": os.path.join(EXPORTS, "maxtext-5101.log"), "format": name}]})
            self.assertEqual([(name if name == "maxtext" else None,)], [(format if name == "maxtext" else None,) for format, in self.rows("SELECT format FROM trace_sources(?)", text)], name)
        self.assertIn('unknown option "sacct"', self.error('{"sources": [{"path": "x", "sacct": "y"}]}'))

    def test_a_job_in_the_names_of_files(self):
        """The group job of a pattern over the path; a file that does not match lacks the option; what is no pattern is the job."""
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for name in ("exp-7x-try1.log", "exp-8x-try1.log", "other.log"):
            os.makedirs(os.path.join(self.folder, "logs"), exist_ok=True)
            self.write(os.path.join("logs", name), log + f"# {name}\n")

        def jobs(pattern, path="*.log"):
            text = json.dumps({"sources": [{"path": os.path.join(self.folder, "logs", path), "job": pattern}]})
            return [tuple(row) for row in self.db.execute("SELECT DISTINCT job FROM trace_rollup(?) WHERE job IS NOT NULL ORDER BY 1", (text,))], [
                tuple(row) for row in self.db.execute("SELECT missing FROM trace_sources(?) ORDER BY file", (text,))]

        other = os.path.join(self.folder, "logs", "other.log")
        self.assertEqual(([(other,), ("7x",), ("8x",)], [(None,), (None,), ("job",)]), jobs("exp-(?<job>[0-9]+x)"))
        self.assertEqual([("7x-try",), ("8x-try",)], jobs(r"/exp-(?P<job>.+try)\d", "exp*")[0])
        self.assertEqual([("exp-7",)], jobs("exp-7")[0])
        place = f'{{"sources": [{{"path": "{self.folder}/logs", "job": %s}}]}}'
        self.assertIn('source 1: option "job": expected a group named job, (?<job>...)', self.error(place % '"exp-(?<run>.)"'))
        self.assertIn('source 1: option "job": pattern: missing ', self.error(place % '"exp-(?<job>["'))
        self.write(os.path.join("logs", "a" * 40 + ".log"), log)
        self.db.execute("SELECT mpg_limit('pattern_steps', 1000)").fetchall()
        with self.assertRaisesRegex(sqlite3.DataError, 'a{40}.log: option "job": the pattern takes more than 1000 steps'):
            self.sums(place % '"(?<job>(a+)+)$"')

    def test_what_is_missing(self):
        """A script's parameter that was not set is a file or an option to who gives a path."""
        log, events = (os.path.join(ROOT, "fixtures", name) for name in ("exports/maxtext-5101.log", "slurm/sacctmgr_events.psv"))
        self.assertEqual('trace_rollup: %s: expected the option "year", which a fleet file gives' % log, self.error(log))
        self.assertEqual('trace_rollup: %s: expected a file of slurm for "sacct" beside it, found none; trace_sources says what the others are' % events, self.error(events))

    def test_text_in_place_of_a_path(self):
        path = os.path.join(EXPORTS, "fleet.json")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace('"path": "', f'"path": "{EXPORTS}/')
        self.assertEqual(self.sums(path), self.sums(text))

    def test_options_say_what_jobs_are(self):
        text = json.dumps({"sources": [{"path": EXPORTS, "phase": "bulk_inference", "pool": "mine", "owner": "me"}]})
        self.assertEqual([("mine", "bulk_inference", "me")],
                         self.db.execute("SELECT DISTINCT pool, phase, owner FROM trace_rollup(?) WHERE job IS NOT NULL", (text,)).fetchall())


if __name__ == "__main__":
    unittest.main()
