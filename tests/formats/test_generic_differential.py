"""What csv_trace and jsonl_trace say of files made at random, held against Python's csv and json modules, and equality that is tested before SQLite
sees a row against the same query on a copy of the rows in the database."""

import csv
import io
import json
import os
import random
import sqlite3
import unittest

from fleets import ROOT, quote
from generic import Case


class Differential(Case):
    ALPHABET = ["a", "B", "7", " ", ",", ";", '"', "\n", "\r\n", "é", "0", "-", ".", "x" * 70]

    def test_csv(self):
        rng = random.Random(5)
        for turn in range(60):
            width = rng.randrange(1, 7)
            rows = [
                ["".join(rng.choices(self.ALPHABET, k=rng.randrange(6))) for _ in range(width)]
                for _ in range(rng.randrange(40))
            ]
            rows = [row for row in rows if width > 1 or row[0]]
            out = io.StringIO(newline="")
            delimiter = rng.choice(",;")
            writer = csv.writer(
                out,
                delimiter=delimiter,
                lineterminator=rng.choice(["\n", "\r\n"]),
                quoting=rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
            )
            writer.writerow([f"n{i}" for i in range(width)])
            writer.writerows(rows)
            path = self.file(out.getvalue().encode(), "f.csv")
            self.make("csv_trace", path, f"delimiter='{delimiter}', types=TEXT")
            self.assertEqual(
                self.rows("SELECT * FROM t"), [tuple(value or None for value in row) for row in rows], turn
            )
            records = [
                json.loads(row[0])
                for row in self.rows("SELECT record FROM csv_trace(?, ?) WHERE types = 'TEXT'", path, delimiter)
            ]
            self.assertEqual(records, [{f"n{i}": value or None for i, value in enumerate(row)} for row in rows])

    def test_numbers(self):
        rng = random.Random(6)
        rows = [
            (
                rng.randrange(-(2**63), 2**63),
                rng.choice([rng.uniform(-1, 1) * 10 ** rng.randrange(-300, 300), float(rng.randrange(9))]),
            )
            for _ in range(500)
        ]
        self.make("csv_trace", self.file("i,r\n" + "".join(f"{i},{r!r}\n" for i, r in rows)))
        self.assertEqual(self.types(), {"i": "BIGINT", "r": "REAL"})
        self.assertEqual(self.rows("SELECT * FROM t"), rows)
        self.make("jsonl_trace", self.file("".join(json.dumps({"i": i, "r": r}) + "\n" for i, r in rows), "f.jsonl"))
        self.assertEqual(self.rows("SELECT i, r FROM t"), rows)

    def test_json(self):
        rng = random.Random(7)

        def value(depth=0):
            kind = rng.randrange(7 if depth < 3 else 5)
            if kind < 5:
                return [
                    None,
                    True,
                    rng.randrange(-(10**15), 10**15),
                    rng.random(),
                    "".join(rng.choices(self.ALPHABET, k=3)),
                ][kind]
            return (
                [value(depth + 1) for _ in range(rng.randrange(3))]
                if kind == 5
                else {k: value(depth + 1) for k in rng.sample("abc", rng.randrange(3))}
            )

        records = [{key: value() for key in rng.sample(["a", "b", "c", "d e"], 4)} for _ in range(400)]
        path = self.file("".join(json.dumps(r, ensure_ascii=rng.random() < 0.5) + "\n" for r in records), "f.jsonl")
        self.make("jsonl_trace", path, "types=TEXT")
        for name in ("a", "b", "c", "d e"):
            for record, (found,) in zip(records, self.rows(f'SELECT "{name}" FROM t'), strict=True):
                v = record[name]
                expected = v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False)
                if v is not None and not isinstance(v, str):
                    found, expected = json.loads(found), json.loads(expected)
                self.assertEqual(found, expected)
        self.assertEqual([json.loads(r) for r, in self.rows("SELECT record FROM jsonl_trace(?)", path)], records)

    def test_equality(self):
        """Tested before SQLite sees a row, and never any other rows than SQLite would find."""
        self.make(
            "csv_trace",
            self.file("t,i,r\na,1,1\nA,2,1.5\n1,1,2\nNA,,\n,3,\n007,9223372036854775807,1e300\n"),
            "types='t TEXT', nulls=NA",
        )
        self.db.execute("CREATE TABLE copy AS SELECT *, _line FROM t")
        values = [
            "'a'",
            "'A'",
            "'1'",
            "1",
            "1.0",
            "'1.0'",
            "NULL",
            "''",
            "'NA'",
            "x'61'",
            "'007'",
            "7",
            "9223372036854775807",
            "9.3e18",
            "1.5",
            "3",
            "'3'",
            "true",
        ]
        for name in "tir":
            for v in values:
                for how in (
                    f"{name} = {v}",
                    f"{name} = {v} COLLATE NOCASE",
                    f"{name} COLLATE NOCASE = {v}",
                    f"{name} IN ({v}, 'a', 3)",
                    f"{name} IS {v}",
                ):
                    self.assertEqual(
                        self.rows(f"SELECT *, _line FROM t WHERE {how} ORDER BY _line"),
                        self.rows(f"SELECT * FROM copy WHERE {how} ORDER BY _line"),
                        how,
                    )
        self.assertEqual(self.rows("SELECT _line FROM t WHERE t = '1' AND i = 1 AND r = 2"), [(4,)])
        self.assertEqual(
            self.rows("SELECT a._line, b._line FROM t AS a JOIN t AS b ON a.t = b.t AND a.i = b.i ORDER BY 1"),
            [(2, 2), (3, 3), (4, 4), (7, 7)],
        )

    def test_equality_in_utf16(self):
        db = sqlite3.connect(":memory:")
        self.addCleanup(db.close)
        db.execute("PRAGMA encoding = 'UTF-16'")
        db.enable_load_extension(True)
        db.load_extension(os.path.join(ROOT, "mpg"))
        db.execute(f"CREATE VIRTUAL TABLE temp.t USING csv_trace({quote(self.file('t' + chr(10) + 'é' + chr(10)))})")
        self.assertEqual(db.execute("SELECT t FROM t WHERE t = 'é'").fetchall(), [("é",)])


if __name__ == "__main__":
    unittest.main()
