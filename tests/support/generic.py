"""generic.py - tables made over files that no format describes, and copies of their rows that what is asked of them is held against."""

import csv
import gzip
import io
import json
import os
import random
import sqlite3

import cases
from fleets import quote

REFUSED = (
    "a table that opens files is made in the schema temp, where no database that somebody else wrote can hold one: "
    "CREATE VIRTUAL TABLE temp."
)
NAMES = "pool kind n r at note".split()
TYPES = "types='pool TEXT, kind TEXT, n BIGINT, r REAL, at TIME, note TEXT'"
COLUMNS = ", ".join(NAMES)


class Case(cases.Case):
    FILE = "f.csv"

    def make(self, module, path, options="", name="t"):
        self.db.execute(f"DROP TABLE IF EXISTS temp.{name}")
        self.db.execute(
            f"CREATE VIRTUAL TABLE temp.{name} USING {module}({quote(path)}{', ' if options else ''}{options})"
        )

    def types(self, name="t"):
        return dict(self.rows("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", name))

    def refused(self, module, path, options=""):
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.make(module, path, options)
        return str(raised.exception)


class Scanned(Case):
    def records(self, rng, count, plain=False):
        odd = [] if plain else ["x,y", 'say "hi"', "two\nlines", " ", "é", "Pod-A"]
        for _ in range(count):
            yield [
                rng.choice(["pod-a", "pod-b", "", "a pool with a long name indeed"] + odd),
                rng.choice(["step", "save", "7", "007"]),
                rng.choice(["", "1", "2", "-3", str(2**53 + 1), str(-(2**63)), str(rng.randrange(1000))]),
                rng.choice(["", "0.5", "-0.0", "0", "2", "9007199254740993", str(rng.randrange(-400, 400) / 4)]),
                rng.choice(["", "2026-01-02T03:04:05Z", "1767323045.5", str(rng.randrange(10**9))]),
                rng.choice(["", "some words"] + odd),
            ]

    def csv_text(self, records, end="\n"):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator=end)
        writer.writerow(NAMES)
        writer.writerows(records)
        return out.getvalue().encode()

    def jsonl_text(self, rng, records):
        lines = []
        for i, record in enumerate(records):
            row = {
                name: None if value == "" else json.loads(value) if name in ("n", "r") else value
                for name, value in zip(NAMES, record)
            }
            if i % 7 == 0:
                row = {key: value for key, value in row.items() if value is not None}
            if i % 11 == 0:
                row = dict(sorted(row.items()))
            lines.append(json.dumps(row, ensure_ascii=i % 2 == 0, separators=[(",", ":"), (", ", ": ")][i % 3 == 0]))
        return ("\n".join(lines) + "\n").encode()

    def folder(self, files):
        """Of {name: bytes}."""
        return self.folder_of(
            {name: gzip.compress(data) if name.endswith(".gz") else data for name, data in files.items()}
        )

    def copy(self):
        self.db.execute("DROP TABLE IF EXISTS main.copy")
        self.db.execute("CREATE TABLE main.copy AS SELECT *, _file, _line, rowid AS id FROM t")

    def same(self, sql, *parameters):
        """`sql` says {t}, and {pool} or any other column where unary plus may stand."""
        for plus in ("", "+"):
            columns = {name: plus + name for name in NAMES + ["_file", "_line"]}
            found = self.rows(sql.format(t="t", id="rowid", **columns), *parameters)
            wanted = self.rows(sql.format(t="main.copy", id="id", **columns), *parameters)
            self.assertEqual(found, wanted, (sql, plus, parameters))
            self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted], sql)

    def tables(self):
        """Makes t over files of several kinds with several numbers of threads, and the copy."""
        rng = random.Random(11)
        one, two = list(self.records(rng, 900)), list(self.records(rng, 300))
        three = list(self.records(rng, 300, True))
        csv_files = self.folder(
            {"1.csv": self.csv_text(one), "2 two.csv": self.csv_text(two, "\r\n"), "3.csv.gz": self.csv_text(three)}
        )
        json_files = self.folder(
            {
                "1.jsonl": self.jsonl_text(rng, one),
                "2 two.jsonl": self.jsonl_text(rng, two),
                "3.jsonl.gz": ("[" + self.jsonl_text(rng, three).decode().strip().replace("\n", ",\n") + "]").encode(),
            }
        )
        for module, path in (("csv_trace", csv_files), ("jsonl_trace", json_files)):
            for threads in (1, 2, 5) if os.environ.get("MPG_FULL") else (1, 3):
                self.make(module, path, f"{TYPES}, threads={threads}")
                if threads == 1:
                    self.copy()
                    self.assertEqual(self.rows("SELECT count(*), count(DISTINCT _file) FROM copy"), [(1500, 3)])
                yield path
