#!/usr/bin/python3
"""schema/fleet.sql, schema/import.sql and schema/native-trace.schema.json, held to the fixtures and to each other."""
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from test_generator import RELATIONS, TIMES, Record, contents, generate, micros, read_csv, read_jsonl
from test_generator import setUpModule as build_generator

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLEET_SQL = os.path.join(ROOT, "schema", "fleet.sql")
SCHEMA = os.path.join(ROOT, "schema", "native-trace.schema.json")
MILLION = 10**6


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def new_database():
    db = sqlite3.connect(":memory:")
    db.executescript(read(FLEET_SQL))
    return db


def fleet_of(db):
    """The tables, as test_generator reads files."""
    fleet = {}
    for relation in RELATIONS:
        rows = db.execute("SELECT * FROM " + relation)
        names = [d[0] for d in rows.description]
        fleet[relation] = []
        for row in rows:
            record = Record(zip(names, row))
            for column, value in record.items():
                if value is None:
                    continue
                if column in TIMES:
                    record[column] = micros(value) if isinstance(value, str) else round(value * MILLION)
                elif column in ("chips", "min_chips"):
                    record[column] = round(value * MILLION)
                elif column == "labels":
                    record[column] = json.dumps(json.loads(value), sort_keys=True)
                elif isinstance(value, int):
                    record[column] = float(value)
            fleet[relation].append(record)
    return fleet


class Tables(unittest.TestCase):
    def test_it_runs_as_often_as_one_likes(self):
        db = new_database()
        objects = db.execute("SELECT * FROM sqlite_schema").fetchall()
        db.execute("INSERT INTO programs VALUES ('p', 1e15, NULL, 'bf16')")
        db.executescript(read(FLEET_SQL))
        self.assertEqual(db.execute("SELECT * FROM sqlite_schema").fetchall(), objects)
        self.assertEqual(db.execute("SELECT count(*) FROM programs").fetchone(), (1,))

    def test_the_columns_are_those_of_the_files(self):
        db = new_database()
        schema = json.loads(read(SCHEMA))["$defs"]
        for relation, record in list(RELATIONS.items()) + [("chips", "chip")]:
            columns = {row[1]: row[3] for row in db.execute("PRAGMA table_info(%s)" % relation)}
            self.assertEqual(set(columns) | {"record"}, set(schema[record]["properties"]), relation)
            self.assertEqual({c for c in columns if columns[c]} | {"record"}, set(schema[record]["required"]), relation)
            if relation != "chips":
                for folder in ("golden", "fleet"):
                    with open(os.path.join(ROOT, "fixtures", folder, relation + ".csv"), encoding="utf-8") as file:
                        self.assertEqual(file.readline().strip().split(","), list(columns))

    def test_the_declared_types_survive_odbc(self):
        db = new_database()
        types = {
            row[0]
            for row in db.execute(
                "SELECT c.type FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'"
            )
        }
        self.assertEqual(types, {"TEXT", "BIGINT", "REAL", "NUMERIC"})

    def test_what_is_stored_is_what_was_given(self):
        db = new_database()
        insert = "INSERT INTO spans (job, kind, start_time, end_time, attempt) VALUES ('j', 'step', ?, ?, ?)"
        for start, end, attempt in (
            (5, 5, 9007199254740993),
            (1767571200.000001, 1767571200.000002, None),
            ("2026-01-05T00:00:00.000001Z", "2026-01-05T01:00:00+01:00", 1),
            ("2026-01-05T00:00:00Z", 1767571201, 1),
            (1767571200, "2026-01-06", 1),
        ):
            db.execute(insert, (start, end, attempt))
            got = db.execute("SELECT start_time, end_time, attempt FROM spans ORDER BY rowid DESC").fetchone()
            self.assertEqual(got, (start, end, attempt))
            self.assertEqual([type(v) for v in got], [type(start), type(end), type(attempt)])
        db.execute(insert, ("1767571200.999999", "1767571203", "7"))
        got = db.execute("SELECT start_time, end_time, attempt FROM spans ORDER BY rowid DESC").fetchone()
        self.assertEqual(got, (1767571200.999999, 1767571203, 7))
        self.assertEqual(round(got[0] * MILLION), 1767571200999999)
        db.execute("INSERT INTO allocations VALUES ('j', 1, '007', 'p', '0.5', 0, NULL, NULL)")
        self.assertEqual(db.execute("SELECT task, chips FROM allocations").fetchone(), ("007", 0.5))

    def test_the_checks(self):
        db = new_database()
        good = {
            "capacity": dict(pool="p", chip="tpu-v4", chips=8, start_time=0, end_time=10),
            "outages": dict(pool="p", chips=1, start_time=0, end_time=10, kind="hw_down"),
            "jobs": dict(job="j", chips=4, min_chips=2, tasks=2, submit_time=0),
            "allocations": dict(
                job="j", attempt=1, task="0", pool="p", chips=4, start_time=0, end_time=10, outcome="failed"
            ),
            "spans": dict(
                job="j",
                attempt=1,
                kind="step",
                start_time=0,
                end_time=10,
                step=1,
                program="p",
                flops=1e9,
                dtype="bf16",
                executions=2,
            ),
            "commits": dict(job="j", attempt=1, step=1, snapshot_time=10, durable_time=12),
            "programs": dict(program="p", flops=1e9, bytes=5, dtype="bf16"),
            "chips": dict(chip="c", dtype="bf16", peak_flops=1e15),
        }
        bad = {
            "capacity": [
                dict(pool=None),
                dict(pool=""),
                dict(chips=-1),
                dict(chips="many"),
                dict(chips=None),
                dict(chips=""),
                dict(start_time=None),
                dict(start_time=""),
                dict(end_time=-1),
                dict(end_time=""),
                dict(chip=""),
            ],
            "outages": [dict(chips=-0.5), dict(end_time=-1), dict(kind=""), dict(pool=None)],
            "jobs": [
                dict(job=None),
                dict(job=""),
                dict(chips=-1),
                dict(chips="four"),
                dict(min_chips=-1),
                dict(tasks=1.5),
                dict(tasks=-1),
                dict(submit_time=""),
            ],
            "allocations": [
                dict(outcome="exploded"),
                dict(outcome=""),
                dict(chips=-1),
                dict(end_time=-1),
                dict(attempt="one"),
                dict(attempt=""),
                dict(task=""),
                dict(pool=None),
                dict(start_time=None),
            ],
            "spans": [
                dict(kind=None),
                dict(kind=""),
                dict(start_time=11),
                dict(step="x"),
                dict(step=""),
                dict(flops=-1),
                dict(flops=""),
                dict(executions=-1),
                dict(executions=""),
                dict(program=""),
                dict(dtype=""),
            ],
            "commits": [dict(job=None), dict(step="x"), dict(durable_time=""), dict(attempt=0.5)],
            "programs": [dict(program=None), dict(flops=-1), dict(bytes=-1), dict(flops="lots")],
            "chips": [
                dict(chip=None),
                dict(dtype=None),
                dict(peak_flops=0),
                dict(peak_flops=None),
                dict(peak_flops="fast"),
            ],
        }
        for relation, row in good.items():
            insert = "INSERT INTO %s (%s) VALUES (%s)" % (relation, ", ".join(row), ", ".join(":" + c for c in row))
            db.execute(insert, row)
            for change in bad[relation]:
                with self.subTest(relation=relation, change=change), self.assertRaises(sqlite3.IntegrityError):
                    db.execute(insert, {**row, **change})
            required = [c[1] for c in db.execute("PRAGMA table_info(%s)" % relation) if c[3]]
            least = {c: row[c] for c in required}
            db.execute(
                "INSERT INTO %s (%s) VALUES (%s)" % (relation, ", ".join(least), ", ".join(":" + c for c in least)),
                least,
            )

    @unittest.skipUnless(shutil.which("sqlite3"), "no sqlite3 shell")
    def test_the_fixtures_can_be_imported(self):
        for folder in ("golden", "fleet"):
            with self.subTest(folder=folder), tempfile.TemporaryDirectory() as temporary:
                path = os.path.join(temporary, "fleet.db")
                command = [
                    "sqlite3",
                    "-batch",
                    "-bail",
                    "-init",
                    os.devnull,
                    path,
                    ".read schema/fleet.sql",
                    ".cd fixtures/" + folder,
                    ".read ../../schema/import.sql",
                ]
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                db = sqlite3.connect(path)
                self.assertEqual(contents(fleet_of(db)), contents(read_csv(os.path.join(ROOT, "fixtures", folder))))
                self.assertEqual(
                    db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'import%'").fetchone(), (0,)
                )
                for relation in RELATIONS:
                    for column in [row[1] for row in db.execute("PRAGMA table_info(%s)" % relation)]:
                        empty = db.execute("SELECT count(*) FROM %s WHERE %s = ''" % (relation, column)).fetchone()
                        self.assertEqual(empty, (0,), (relation, column))
                db.close()


@unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(read(SCHEMA))
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_the_golden_fleet(self):
        records = [json.loads(line) for line in read(os.path.join(ROOT, "fixtures", "golden.jsonl")).splitlines()]
        self.assertEqual({r["record"] for r in records}, set(RELATIONS.values()))
        for record in records:
            self.validator.validate(record)

    def test_the_golden_fleet_is_the_same_in_both_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(ROOT, "fixtures", "golden.jsonl"), folder)
            self.assertEqual(contents(read_jsonl(folder)), contents(read_csv(os.path.join(ROOT, "fixtures", "golden"))))

    def test_a_generated_fleet(self):
        build_generator()
        with tempfile.TemporaryDirectory() as folder:
            generate(folder, form="jsonl", seed=2)
            counted = 0
            # The branch of each record by itself: to try all eight for every record takes a minute.
            branches = {
                name: jsonschema.Draft202012Validator({"$defs": self.schema["$defs"], "$ref": "#/$defs/" + name})
                for name in list(RELATIONS.values()) + ["chip"]
            }
            for path in glob.glob(folder + "/*.jsonl"):
                for line in read(path).splitlines():
                    record = json.loads(line)
                    branches[record["record"]].validate(record)
                    counted += 1
            self.assertGreater(counted, 1000)

    def test_what_is_refused(self):
        span = dict(record="span", job="j", kind="step", start_time=0)
        good = [
            span,
            dict(span, end_time=None, step=3, flops=1e15),
            dict(span, start_time="2026-01-05"),
            dict(span, start_time="2026-01-05 10:00:00.5+02:00"),
            dict(span, job=17),
            dict(record="chip", chip="c", dtype="bf16", peak_flops=1),
            dict(record="job", job="j", labels={"a": [1]}),
            dict(record="job", job="j", labels='{"a":1}'),
        ]
        for record in good:
            self.validator.validate(record)
        for change in (
            dict(record="spans"),
            dict(record=None),
            dict(job=None),
            dict(job=""),
            dict(kind=""),
            dict(start_time=None),
            dict(start_time="yesterday"),
            dict(start_time=1767571200000),
            dict(start_time=-1),
            dict(step=1.5),
            dict(flops="lots"),
            dict(flops=-1),
            dict(colour="red"),
            dict(attempt="one"),
        ):
            with self.subTest(change=change):
                self.assertFalse(self.validator.is_valid({**span, **change}))
        for record in (
            dict(record="allocation", job="j", pool="p", chips=1, start_time=0, outcome="exploded"),
            dict(record="capacity", pool="p", start_time=0),
            dict(record="capacity", pool="p", chips=-1, start_time=0),
            dict(record="program"),
            dict(record="job", job="j", labels=[1]),
            dict(record="chip", chip="c"),
            {},
            [],
        ):
            with self.subTest(record=record):
                self.assertFalse(self.validator.is_valid(record))


if __name__ == "__main__":
    unittest.main()
