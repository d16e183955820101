"""Files that no format describes: csv_trace and jsonl_trace, as table functions and as tables made over files, of one and of many. Among them are
tables of real fleets."""

import csv
import gzip
import json
import os
import shutil
import subprocess
import unittest

from fleets import ROOT
from generic import Case

SHARED = os.path.join(ROOT, "../shared/traces/fleet")


class Forms(Case):
    def test_quick_look(self):
        path = self.file('job,gpus,note\nj1,8,"a ""b"", c"\nj2,4,\n')
        self.assertEqual(
            self.rows(
                "SELECT record ->> 'job', record ->> 'gpus', typeof(record ->> 'gpus'), _line FROM csv_trace(?)", path
            ),
            [("j1", 8, "integer", 2), ("j2", 4, "integer", 3)],
        )
        self.assertEqual(
            json.loads(self.rows("SELECT record FROM csv_trace(?)", path)[0][0]),
            {"job": "j1", "gpus": 8, "note": 'a "b", c'},
        )
        path = self.file('{"job": "j1",  "n": [1, {"a": 2}]}\n', "f.jsonl")
        self.assertEqual(
            self.rows("SELECT record, record ->> '$.n[1].a', _line FROM jsonl_trace(?)", path),
            [('{"job": "j1",  "n": [1, {"a": 2}]}', 2, 1)],
        )
        self.assertEqual(
            self.rows("SELECT record FROM jsonl_trace(?, 'x $.n[1].a, job, n')", path),
            [('{"x":2,"job":"j1","n":[1, {"a": 2}]}',)],
        )

    def test_table(self):
        path = self.file("job,gpus,hours,at\nj1,8,1.5,2017-10-07 01:12:09\nj2,NA,2,\n")
        self.make("csv_trace", path, "nulls='NA', types='at TIME', zone='America/Los_Angeles'")
        self.assertEqual(self.types(), {"job": "TEXT", "gpus": "BIGINT", "hours": "REAL", "at": "REAL"})
        self.assertEqual(
            self.rows("SELECT *, _file, _line FROM t"),
            [("j1", 8, 1.5, 1507363929.0, path, 2), ("j2", None, 2.0, None, path, 3)],
        )
        self.assertEqual(
            self.rows("SELECT typeof(gpus), typeof(hours) FROM t"), [("integer", "real"), ("null", "real")]
        )
        # Twice in one statement, and once for each row of another.
        self.assertEqual(self.one("SELECT count(*) FROM t AS a, t AS b WHERE a.job <= b.job"), 3)

    def test_paths_of_json(self):
        path = self.file(
            '{"jobid": "a", "attempts": [{"n": 3, "at": {"x y": 1.5}}], "ok": true}\n{"jobid": 7, "attempts": []}\n',
            "f.jsonl",
        )
        self.make(
            "jsonl_trace",
            path,
            """columns='job $.jobid TEXT, gpus $.attempts[0].n BIGINT, "x y" $.attempts[0].at."x y", ok, all $.attempts'""",
        )
        self.assertEqual(self.types(), {"job": "TEXT", "gpus": "BIGINT", "x y": "REAL", "ok": "BIGINT", "all": "TEXT"})
        self.assertEqual(
            self.rows("SELECT * FROM t"),
            [("a", 3, 1.5, 1, '[{"n": 3, "at": {"x y": 1.5}}]'), ("7", None, None, None, "[]")],
        )
        self.make("jsonl_trace", path, "types='jobid TEXT'")
        self.assertEqual(self.rows("SELECT jobid, ok FROM t"), [("a", 1), ("7", None)])

    def test_truths_beside_numbers(self):
        """Whichever comes first: the records that types are found from are read by them."""
        for values, kind, shown in [
            (["true", "1.5"], "TEXT", ["true", "1.5"]),
            (["1.5", "true"], "TEXT", ["1.5", "true"]),
            (["true", "7", "1.5"], "TEXT", ["true", "7", "1.5"]),
            (["7", "false", "1e2"], "TEXT", ["7", "false", "1e2"]),
            (["true", "null", "7", "false"], "BIGINT", [1, None, 7, 0]),
        ]:
            with self.subTest(values=values):
                self.make("jsonl_trace", self.file("".join(f'{{"a": {v}}}\n' for v in values), "f.jsonl"))
                self.assertEqual(self.types(), {"a": kind})
                self.assertEqual(self.rows("SELECT a FROM t"), [(v,) for v in shown])

    def test_not_finite(self):
        """As Python writes a loss that diverged: NULL, and listed, by every way of reading; in a record's text, JSON all the same."""
        values = [2.5, float("nan"), float("inf"), -float("inf"), 1.5]
        records = [
            {"step": k, "loss": values[k % 5], "m": {"g": [values[k % 4], "NaN"]}, "word": "NaN"} for k in range(500)
        ]
        path = self.file("".join(map(lambda r: json.dumps(r) + "\n", records)), "f.jsonl")
        plain = [None if v - v else v for v in values]
        losses = [plain[k % 5] for k in range(500)]
        inner = [plain[k % 4] for k in range(500)]
        self.make("jsonl_trace", path, "columns='step, loss, m, word, g $.m.g[0]'")
        self.assertEqual(self.types(), {"step": "BIGINT", "loss": "REAL", "m": "TEXT", "word": "TEXT", "g": "REAL"})
        rows = self.rows("SELECT * FROM t")
        self.assertEqual(
            [(r[0], r[1], json.loads(r[2]), r[3], r[4]) for r in rows],
            [(k, losses[k], {"g": [inner[k], "NaN"]}, "NaN", inner[k]) for k in range(500)],
        )
        listed = [("warning", "not_finite", 2, 300 + 375, "NaN or an infinity: NULL")]
        issues = "SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ?"
        self.assertEqual(self.rows(issues, path), listed)
        self.assertEqual(self.one("SELECT count(*) FROM t WHERE loss > 2"), 100)
        self.assertEqual(self.one("SELECT count(*) FROM t WHERE loss IS NULL"), 300)
        self.make("jsonl_trace", path)
        self.assertEqual(self.rows("SELECT step, loss FROM t"), list(enumerate(losses)))
        self.assertEqual(self.rows(issues, path), listed)
        found = self.rows(
            "SELECT record, record ->> '$.loss', record ->> '$.m.g[0]', record ->> '$.word' FROM jsonl_trace(?)", path
        )
        self.assertEqual([r[1:] for r in found], [(losses[k], inner[k], "NaN") for k in range(500)])
        self.assertEqual(json.loads(found[1][0]), {"step": 1, "loss": None, "m": {"g": [None, "NaN"]}, "word": "NaN"})
        self.make("jsonl_rollup", path, "measures='loss, step'")
        self.assertEqual(
            self.rows("SELECT word, sum(loss), sum(step), sum(rows) FROM t GROUP BY word"),
            [("NaN", 400.0, 124750, 500)],
        )
        self.assertEqual(self.rows(issues, path), listed)
        other = self.file('{"a": 1}\n{"a": nan}\n', "g.jsonl")
        self.make("jsonl_trace", other)
        self.assertEqual(self.error("SELECT a FROM t"), f"jsonl_trace: {other}:2:8: expected null, found 'a'")

    def test_an_array_of_objects(self):
        path = self.file(json.dumps([{"a": 1, "b": "x"}, {"a": 2, "b": None}], indent=1), "f.json")
        self.make("jsonl_trace", path)
        self.assertEqual(self.rows("SELECT *, _line FROM t"), [(1, "x", 2), (2, None, 6)])

    def test_shapes_of_text(self):
        cases = [
            ("a;b\n1;2\n", "delimiter=';'", ["a", "b"], [(1, 2)]),
            ("a\tb\n1\t2\n", "delimiter=tab", ["a", "b"], [(1, 2)]),
            ("a\tb\n1\t2\n", r"delimiter='\t'", ["a", "b"], [(1, 2)]),
            ("1,x\n2,y\n", "header=no", ["c1", "c2"], [(1, "x"), (2, "y")]),
            ("1,x\n2,y\n", "names='n, \"t u\"'", ["n", "t u"], [(1, "x"), (2, "y")]),
            ("n,t\n1,x\n", "names='a,b', header=yes", ["a", "b"], [(1, "x")]),
            ('a,b\n1,"x\n', "quote=none", ["a", "b"], [(1, '"x')]),
            ("a,b\n007,1\n", "", ["a", "b"], [("007", 1)]),
            ("a,b\n,x\n, \n1,y\n", "", ["a", "b"], [(None, "x"), (None, " "), (1, "y")]),
            ("a\n1\n18446744073709551616\n", "", ["a"], [("1",), ("18446744073709551616",)]),
            (",x\n5,6\n", "", ["c1", "x"], [(5, 6)]),
            ("a,b\r\n1,2\r\n", "", ["a", "b"], [(1, 2)]),
        ]
        for text, options, names, rows in cases:
            with self.subTest(text=text, options=options):
                self.make("csv_trace", self.file(text), options)
                self.assertEqual(list(self.types()), names)
                self.assertEqual(self.rows("SELECT * FROM t"), rows)

    def test_options_as_arguments(self):
        path = self.file("1;x\n2;-\n")
        self.assertEqual(
            self.rows("SELECT record FROM csv_trace(?, ';', 'no', 'n,t', 't TEXT', '-')", path),
            [('{"n":1,"t":"x"}',), ('{"n":2,"t":null}',)],
        )
        self.assertEqual(
            self.rows("SELECT record FROM csv_trace(?) WHERE delimiter = ';' AND header = 0", path),
            [('{"c1":1,"c2":"x"}',), ('{"c1":2,"c2":"-"}',)],
        )
        self.assertEqual(
            self.rows("SELECT * FROM csv_trace(?, NULL)", path), self.rows("SELECT * FROM csv_trace(?)", path)
        )
        self.assertEqual(self.rows("SELECT * FROM csv_trace(NULL)"), [])

    def test_text_outlives_its_row(self):
        self.make("csv_trace", self.file("n,t\n1,a\n3,b\n2,c\n"))
        self.assertEqual(self.rows("SELECT max(n), t FROM t"), [(3, "b")])
        self.assertEqual(self.rows("SELECT t FROM t ORDER BY n DESC"), [("b",), ("c",), ("a",)])


class Many(Case):
    def test_compressed_glob_and_folder(self):
        one = self.file(gzip.compress(b"a,b\n1,x\n"), "1.csv.gz")
        folder = os.path.dirname(one)
        paths = [one]
        if shutil.which("zstd"):
            plain = self.file("a,b\n2,y\n", "2.csv")
            shutil.move(plain, folder + "/2.csv")
            subprocess.run(["zstd", "-q", "--rm", folder + "/2.csv"], check=True)
            paths.append(folder + "/2.csv.zst")
        with open(folder + "/3.csv", "w", encoding="utf-8") as file:
            file.write("a,b\n3,z\n")
        paths.append(folder + "/3.csv")
        for path in (folder, folder + "/*.csv*"):
            self.make("csv_trace", path)
            self.assertEqual(
                self.rows("SELECT _file, _line, a FROM t"), [(p, 2, int(os.path.basename(p)[0])) for p in paths]
            )

    def test_headers_that_differ(self):
        one = self.file("a,b\n1,x\n", "1.csv")
        folder = os.path.dirname(one)

        def second(text):
            with open(folder + "/2.csv", "w", encoding="utf-8") as file:
                file.write(text)
            self.make("csv_trace", folder)

        second("b,a\ny,2\n")
        self.assertEqual(self.rows("SELECT a, b FROM t"), [(1, "x"), (2, "y")])
        self.assertEqual(self.issues(folder + "/2.csv"), {})
        second("a,c,b\n3,0,z\n")
        self.assertEqual(self.rows("SELECT a, b FROM t"), [(1, "x"), (3, "z")])
        self.assertEqual(self.issues(folder + "/2.csv"), {"undeclared_column": 1})
        second("c,a\n3,0\n")
        text = f'{folder}/2.csv:1:1: expected a header with "b", which the first file has, found one of 2 names from "c" on'
        self.assertEqual(self.error("SELECT a FROM t"), "csv_trace: " + text)
        self.make("csv_trace", folder, "on_error=skip")
        self.assertEqual(self.rows("SELECT a FROM t"), [(1,)])
        self.assertEqual(
            self.rows("SELECT kind, detail FROM mpg_issues WHERE source = ?", folder + "/2.csv"),
            [("skipped_record", text)],
        )

    def test_the_quick_look_takes_each_file_as_it_is(self):
        one = self.file("a,b\n1,x\n", "1.csv")
        folder = os.path.dirname(one)
        with open(folder + "/2.csv", "w", encoding="utf-8") as file:
            file.write("b,c\n7,n/a\n8,9\n")
        self.assertEqual(
            self.rows("SELECT record FROM csv_trace(?)", folder),
            [('{"a":1,"b":"x"}',), ('{"b":7,"c":"n/a"}',), ('{"b":8,"c":"9"}',)],
        )
        self.assertEqual(self.issues(folder + "/2.csv"), {})

    def test_the_first_file_with_records_tells_the_types(self):
        one = self.file("a,b\n", "1.csv")
        folder = os.path.dirname(one)
        for name, text in (("2.csv", "a,b\n"), ("3.csv", "a,b\n1,x\n")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        self.make("csv_trace", folder)
        self.assertEqual(self.types(), {"a": "BIGINT", "b": "TEXT"})
        self.assertEqual(self.rows("SELECT * FROM t"), [(1, "x")])


class Fleets(Case):
    """Tables of real fleets, read as they are."""

    def setUp(self):
        super().setUp()
        if not os.path.isdir(SHARED):
            self.skipTest("../shared is not here")

    def test_philly(self):
        self.make("csv_trace", SHARED + "/helios_philly_node_sequence.csv", "types='time TIME'")
        self.assertEqual(self.types(), {"time": "REAL", "active": "BIGINT", "total": "BIGINT"})
        self.assertEqual(self.rows("SELECT round(avg(active), 2), count(*) FROM t"), [(312.99, 105644)])
        self.assertEqual(
            self.rows("SELECT total, count(*) FROM t GROUP BY total ORDER BY 2 DESC"),
            [(420, 102704), (552, 2880), (174, 60)],
        )
        self.make("csv_trace", SHARED + "/alibaba_philly_runtime.csv")
        with open(SHARED + "/alibaba_philly_runtime.csv", encoding="utf-8") as file:
            times = [float(row["runtime"]) for row in csv.DictReader(file)]
        self.assertEqual(self.rows("SELECT count(*), max(runtime) FROM t"), [(len(times), max(times))])

    def test_acme(self):
        """Of jobs, and of the time of GPUs: what most jobs are is not where the chips went."""
        self.make("csv_trace", SHARED + "/acme_cluster_summary.csv")
        found = self.rows(
            "SELECT id, complete_rate_gpu, complete_gpu_time / (complete_gpu_time + cancel_gpu_time + fail_gpu_time) FROM t"
        )
        self.assertEqual([row[0] for row in found], ["Seren", "Kalos", "Philly", "Helios", "PAI"])
        with open(SHARED + "/acme_cluster_summary.csv", encoding="utf-8") as file:
            for row, (_, jobs, time) in zip(csv.DictReader(file), found, strict=True):
                if row["id"] == "PAI":
                    self.assertEqual((jobs, time), (None, None))
                    continue
                self.assertAlmostEqual(time, float(row["complete_rate_gpu_time"]), delta=0.001)
                self.assertGreater(jobs - time, 0.1)


if __name__ == "__main__":
    unittest.main()
