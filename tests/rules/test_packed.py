"""Packed files of many megabytes, which one thread unpacks while others read: the answers are those of the plain file, whatever
the packing and the number of threads, and where the packing is damaged there is an error, and never less."""

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest
from random import Random

from cases import FolderCase
from fleets import generator

ROWS = 30_000  # of every file: some 2 MB, twice what is unpacked ahead

SACCT = "JobID|Submit|Start|End|State|AllocTRES|NodeList\n"
RECORD = '{"ph":"X","cat":"%s","name":"k%d","pid":%d,"tid":%d,"ts":%d,"dur":%d.5,"args":{"stream":%d}}'


def csv_lines(jsonl=False):
    for i in range(ROWS):
        row = {
            "pool": "pod-%d" % (i * i % 7),
            "n": i * 7919 % 1001,
            "note": "some words of row %d with no end to them" % i,
        }
        yield json.dumps(row) + "\n" if jsonl else "%(pool)s,%(n)d,%(note)s\n" % row


def sacct_lines():
    for i in range(ROWS):
        at = "2026-03-%02dT%02d:%02d:00" % (1 + i % 28, i % 24, i % 60)
        yield "%d|%s|%s|Unknown|RUNNING|billing=8,cpu=8,gres/gpu:a100=%d|node-%d\n" % (i, at, at, 1 + i % 8, i % 99)


def chrome_events():
    return ",\n".join(
        RECORD % (("kernel", "cpu_op")[i % 2], i % 50, i % 3, i % 5, i * 10, i % 97, i % 4) for i in range(ROWS)
    )


TABLES = """CREATE VIRTUAL TABLE temp.t USING {module}_trace('{path}', threads = {threads});
CREATE VIRTUAL TABLE temp.u USING {module}_rollup('{path}', threads = {threads}, measures = 'n')"""
OF_TABLES = (
    "SELECT pool, count(*), sum(n), min(note), max(note) FROM temp.t GROUP BY pool ORDER BY pool",
    "SELECT pool, sum(rows), sum(n) FROM temp.u GROUP BY pool ORDER BY pool",
    "SELECT DISTINCT pool FROM temp.t ORDER BY 1",
)
OF_SACCT = "SELECT max(count(*)) OVER (), NodeList, sum(_line), max(Submit), count(*) FROM slurm_trace(?) WHERE threads = %d GROUP BY NodeList ORDER BY NodeList"
OF_CHROME = (
    "SELECT cat, count(*), sum(dur), max(name) FROM chrome_trace(?) WHERE threads = %d GROUP BY cat ORDER BY cat"
)


class Packed(FolderCase):
    def files(self):
        """(name, bytes, what to ask)"""
        yield "rows.csv", ("pool,n,note\n" + "".join(csv_lines())).encode(), "csv"
        yield "rows.jsonl", "".join(csv_lines(True)).encode(), "jsonl"
        yield "sacct.psv", (SACCT + "".join(sacct_lines())).encode(), OF_SACCT
        yield "array.json", ("[" + chrome_events() + "]").encode(), OF_CHROME
        yield "object.json", ('{"traceEvents":[' + chrome_events() + "]}").encode(), OF_CHROME

    def ask(self, what, path, threads):
        if what.startswith("SELECT"):
            return self.rows(what % threads, path)
        try:
            for statement in TABLES.format(module=what, path=path, threads=threads).split(";"):
                self.db.execute(statement)
            return [row for sql in OF_TABLES for row in self.rows(sql)]
        finally:
            self.db.execute("DROP TABLE IF EXISTS temp.t")
            self.db.execute("DROP TABLE IF EXISTS temp.u")

    def packings(self, name, data):
        yield self.file(gzip.compress(data, 1), name + ".gz")
        third = len(data) // 3  # members in a row are one file
        yield self.file(gzip.compress(data[:third], 9) + gzip.compress(data[third:], 1), "two." + name + ".gz")
        if shutil.which("zstd"):
            for level in ("-1", "-19" if len(data) < 1 << 20 else "-9"):
                path = self.file(data, "l" + level + name)
                subprocess.run(["zstd", "-q", "--rm", level, path], check=True)
                yield path + ".zst"

    def test_as_the_plain_file(self):
        for name, data, what in self.files():
            expected = self.ask(what, self.file(data, name), 1)
            self.assertGreater(len(expected), 1)
            for path in self.packings(name, data):
                for threads in (1, 2, 3):
                    self.assertEqual(expected, self.ask(what, path, threads), (path, threads))

    def test_damage(self):
        """Cut short, or changed, behind what is unpacked first: an error that says so, by any number of threads the same."""
        for name, data, what in self.files():
            for path in self.packings(name, data):
                with open(path, "rb") as file:
                    whole = file.read()
                cut, middle = len(whole) * 2 // 3, len(whole) // 2
                for damaged in (
                    whole[:cut],
                    whole[:middle] + bytes(b ^ 0x55 for b in whole[middle : middle + 64]) + whole[middle + 64 :],
                ):
                    broken = self.file(damaged, "broken." + os.path.basename(path))
                    errors = set()
                    for threads in (1, 2, 3):
                        with self.assertRaises(sqlite3.Error) as caught:
                            self.ask(what, broken, threads)
                        errors.add(
                            re.sub(r"near its byte \d+", "near its byte N", str(caught.exception))
                        )  # as near as a read is long
                    self.assertEqual(1, len(errors), errors)
                    self.assertIn(broken, errors.pop())

    def test_rows_before_damage(self):
        """As many by any number of threads, where damage is passed over."""
        data = ("pool,n,note\n" + "".join(csv_lines())).encode()
        for path in self.packings("skip.csv", data):
            with open(path, "rb") as file:
                whole = file.read()
            for at in (len(whole) // 2, len(whole) * 3 // 4):
                broken = self.file(
                    whole[:at] + bytes(b ^ 0x55 for b in whole[at : at + 64]) + whole[at + 64 :],
                    "skipped." + os.path.basename(path),
                )
                counts = self.rows("SELECT count(*) FROM csv_trace(?) WHERE on_error = 'skip'", broken)[0]
                for threads in (1, 2, 3):
                    counts += self.rows(
                        "SELECT record->>'rows' FROM csv_rollup(?, 'n') WHERE on_error = 'skip' AND threads = ?",
                        broken,
                        threads,
                    )[0]
                self.assertEqual(1, len(set(counts)), (path, counts))
                self.assertGreater(counts[0], ROWS // 10)

    def test_damage_within_a_record(self):
        """One that is malformed besides is no other record's error."""
        random = Random(1)
        data = b'pool,n\n1,2\n3,"x"y' + random.randbytes(3 << 20).replace(b"\n", b"").replace(b"\r", b"")
        path = self.file(gzip.compress(data, 1)[:-1000], "cut.csv.gz")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING csv_trace('{path}')")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.u USING csv_rollup('{path}', measures = 'n')")
        for sql in ("SELECT count(*) FROM t", "SELECT pool FROM t", "SELECT sum(n) FROM u"):
            with self.assertRaisesRegex(sqlite3.Error, "cut.csv.gz: truncated gzip stream"):
                self.rows(sql)

    def test_a_ledger(self):
        """The roll-up of a trace of which every file is packed."""
        folder = self.path("trace")
        os.mkdir(folder)
        subprocess.run(
            [generator(), "--seed", "5", "--spans", "100000", "--format", "csv", "--out", folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        question = "SELECT pool, phase, category, sum(chip_us) FROM trace_rollup(?) WHERE threads = %d GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        expected = self.rows(question % 1, folder)
        self.assertGreater(len(expected), 50)
        for file in os.listdir(folder):
            path = os.path.join(folder, file)
            if shutil.which("zstd") and file.startswith("spans"):
                subprocess.run(["zstd", "-q", "--rm", path], check=True)
            else:
                subprocess.run(["gzip", "-1", path], check=True)
        for threads in (1, 2, 3):
            self.assertEqual(expected, self.rows(question % threads, folder), threads)


if __name__ == "__main__":
    unittest.main()
