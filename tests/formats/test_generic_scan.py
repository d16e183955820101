"""Scans of csv_trace and jsonl_trace by several threads, over files of several blocks, plain records and damaged ones.

Of such files every question is put to the table over them, to the same with unary plus before its columns (which keeps comparisons from
being pushed down), and to a copy of its rows in the database: the answers must be the same, in the same order, for any number
of threads."""

import faulthandler
import gzip
import json
import os
import random
import sqlite3
import threading
import unittest

from generic import COLUMNS, TYPES, Scanned


class Blocks(Scanned):
    """Files of several blocks, a quarter of a megabyte each."""

    def test_quoted_newlines_across_blocks(self):
        rng = random.Random(13)
        records = list(self.records(rng, 30000, True))
        for i in (3000, 9000, 9001, 20000):
            records[i][5] = 'a "quoted" line,\n' * rng.choice([1, 3, 40000])
        path = self.file(self.csv_text(records))
        self.make("csv_trace", path, TYPES + ", threads=1")
        self.copy()
        wanted = [(record[0] or None, record[5] or None) for record in records]
        self.assertEqual(self.rows("SELECT pool, note FROM copy"), wanted)
        for threads in (2, 3):
            self.make("csv_trace", path, f"{TYPES}, threads={threads}")
            for sql in (
                "SELECT count(*) FROM {t}",
                "SELECT pool, note FROM {t}",
                "SELECT _line FROM {t} WHERE length({note}) > 20",
                "SELECT _line, n FROM {t} WHERE {n} BETWEEN 5 AND 9",
                "SELECT DISTINCT pool, note FROM {t}",
                "SELECT sum(n % 1000), max(note), min(_line), max(_line) FROM {t} WHERE {kind} = '7'",
            ):
                self.same(sql)

    def test_paths_into_nested_values_by_several_threads(self):
        """Values are taken apart by the threads, none of which but the owner's may ask SQLite whether to stop: it holds the connection."""
        records = [{"k": f"k{i % 5}", "n": i, "m": {"d": i % 3, "z": [i, {"q": "]" * (i % 4)}]}} for i in range(40000)]
        path = self.file("".join(json.dumps(record) + "\n" for record in records), "f.jsonl")
        wanted = sorted({(f"k{i % 5}", i % 3, "]" * (i % 4)): 0 for i in range(60)})
        faulthandler.dump_traceback_later(120, exit=True)
        for threads in (1, 2, 3):
            options = f"columns='k, n, d $.m.d, q $.m.z[1].q', threads={threads}"
            self.make("jsonl_trace", path, options)
            self.assertEqual(self.rows("SELECT k, d, q FROM t GROUP BY k, d, q ORDER BY k, d, q"), wanted)
            self.assertEqual(
                self.rows("SELECT count(*), sum(n), max(q) FROM t WHERE d = 1"),
                [(13333, sum(range(1, 40000, 3)), "]]]")],
            )
            self.db.execute("DROP TABLE IF EXISTS temp.r")
            self.db.execute(f"CREATE VIRTUAL TABLE temp.r USING jsonl_rollup('{path}', {options}, measures='n')")
            self.assertEqual(self.rows("SELECT k, d, q FROM r ORDER BY k, d, q"), wanted)
            self.assertEqual(self.one("SELECT sum(n) FROM r"), sum(range(40000)))
        faulthandler.cancel_dump_traceback_later()

    def test_an_error_comes_behind_the_rows_before_it(self):
        lines = [f"x{i % 7},{i}\n" for i in range(200000)]
        lines[150000] = "x,y\n"
        lines[170000] = "x\n"
        lines[180000] = 'x,"y\n'
        path = self.file("a,v\n" + "".join(lines))
        unfit = (
            f'{path}:150002:3: expected a whole number within 64 bits for v, found "y" '
            "(nulls='y' reads it as NULL, types='v TEXT' the column as text)"
        )
        ragged = f"{path}:170002:2: expected 2 fields, as in the header, found 1"
        for threads in (1, 2, 4):
            self.make("csv_trace", path, f"threads={threads}, types='v BIGINT'")
            for sql, rows, text in (
                ("SELECT v FROM t", 150000, unfit),
                ("SELECT a FROM t", 170000, ragged),
                ("SELECT a FROM t WHERE v >= 140000", 10000, unfit),
                ("SELECT CASE WHEN a <> 'x' THEN v END FROM t", 170000, ragged),
                ("SELECT 1 FROM t WHERE _line > 0", 170000, ragged),
            ):
                cursor, found = self.db.execute(sql), 0
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    for _ in cursor:
                        found += 1
                # Python has asked for the next row before it gives one.
                self.assertEqual((found + 1, str(raised.exception)), (rows, "csv_trace: " + text), sql)
            self.assertEqual(len(self.rows("SELECT a FROM t LIMIT 170000")), 170000)
            self.make("csv_trace", path, f"threads={threads}, types='v BIGINT', on_error=skip")
            for sql, rows, detail in (
                ("SELECT count(*), max(_line) FROM t", (199998 - 19999, 180001), ragged),
                ("SELECT count(v), max(_line) FROM t", (199997 - 19999, 180001), unfit),
                ("SELECT count(*), count(DISTINCT v) FROM t WHERE a >= 'x'", (199997 - 19999, 199997 - 19999), unfit),
            ):
                self.assertEqual(self.rows(sql), [rows], sql)
                found = self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path)
                self.assertEqual(
                    found,
                    [("skipped_record", 150002 if detail is unfit else 170002, 3 if detail is unfit else 2, detail)],
                    sql,
                )

    def test_json_of_one_array_and_of_lines(self):
        rng = random.Random(14)
        lines = self.jsonl_text(rng, self.records(rng, 9000))
        for text in (lines, b"[" + lines.strip().replace(b"\n", b",") + b"]"):
            path = self.file(text, "f.json")
            self.make("jsonl_trace", path, TYPES + ", threads=1")
            self.copy()
            self.assertEqual(self.one("SELECT count(*) FROM copy"), 9000)
            for threads in (2, 3):
                self.make("jsonl_trace", path, f"{TYPES}, threads={threads}")
                for sql in (
                    "SELECT count(*) FROM {t}",
                    f"SELECT {COLUMNS}, _line FROM {{t}}",
                    "SELECT DISTINCT pool, n FROM {t}",
                    "SELECT _line FROM {t} WHERE {pool} = 'two\nlines'",
                ):
                    self.same(sql)

    def test_what_a_damaged_file_still_gives(self):
        """With on_error=skip every whole record before the damage is there, and the damage is told."""
        text = "a,b\n" + "".join(f"{i},{i * i}\n" for i in range(300000))
        packed = gzip.compress(text.encode())
        path = self.folder({"1.csv": packed[: len(packed) * 2 // 3], "2.csv": b"a,b\n-1,-1\n"})
        first = path + "/1.csv"
        counts = []
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            cursor, found = self.db.execute("SELECT a FROM t"), 0
            with self.assertRaisesRegex(sqlite3.OperationalError, "1.csv: truncated gzip stream"):
                for _ in cursor:
                    found += 1
            self.make("csv_trace", path, f"threads={threads}, on_error=skip")
            self.assertEqual(
                self.rows("SELECT count(*), max(a), min(a) FROM t"), [(found + 2, found, -1)]
            )  # one that Python had asked for, and one of the other file
            self.assertEqual(self.issues(first), {"skipped_record": 1})
            counts.append(found)
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0], 150000)

    def test_columns_behind_the_63rd(self):
        names = [f"c{i}" for i in range(1, 81)]
        path = self.file(
            ",".join(names) + "\n" + "".join(",".join(str(i * k) for k in range(80)) + "\n" for i in range(500))
        )
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            self.copy()
            for sql in (
                "SELECT c1, c64, c80, _line FROM {t} WHERE c2 > 400",
                "SELECT c1, c70, c71 FROM {t} WHERE c70 = 690",
                "SELECT c1, c2 FROM {t} WHERE c3 = 8",
                "SELECT DISTINCT c1, c80 FROM {t}",
                "SELECT _file, _line FROM {t} WHERE c2 = 4 AND _file <> 'x'",
            ):
                self.same(sql)

    def test_interrupt_and_several_scans_at_once(self):
        path = self.file("a,v\n" + "x,1\n" * 400000)
        self.make("csv_trace", path, "threads=3")
        one, two = self.db.execute("SELECT v FROM t"), self.db.execute("SELECT a FROM t WHERE v = 1")
        for _ in range(1000):
            self.assertEqual((next(one), next(two)), ((1,), ("x",)))
        self.db.interrupt()
        with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
            list(one)
        one.close()
        two.close()
        self.assertEqual(self.one("SELECT count(*) FROM t"), 400000)
        self.assertEqual(
            self.rows("SELECT count(*) FROM t AS x JOIN (SELECT 1 UNION ALL SELECT 2) JOIN t AS y ON y.a = 'none'"),
            [(0,)],
        )

    def test_interrupt_of_what_one_thread_reads(self):
        """A large array in one line, of which no row passes: SQLite itself has nothing to do."""
        path = self.file("[" + ",".join('{"a":"x","v":1}' for _ in range(600000)) + "]", "f.json")
        self.make("jsonl_trace", path)
        for sql in (
            "SELECT count(*) FROM t AS x, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) WHERE x.a = 'y'",
            "SELECT count(*) FROM t, (SELECT 1 UNION ALL SELECT 2)",
        ):
            self.assertIn("interrupted", [self.interrupted(sql) for _ in range(5)])

    def interrupted(self, sql):
        """The error of a query that is interrupted after 20 ms; None if a busy machine let it end before."""
        timer = threading.Timer(0.02, self.db.interrupt)
        timer.start()
        try:
            self.rows(sql)
        except sqlite3.OperationalError as error:
            return str(error)
        finally:
            timer.join()

    def test_limits_that_were_lowered(self):
        """They hold for plain records, which no reader looks at, too."""
        csv_path = self.file("a,b\n" + "x,y\n" * 9 + "a text that is long,y\n")
        json_path = self.file('{"a":"x","b":"y"}\n' * 9 + '{"a":"a text that is long","b":"y"}\n', "f.jsonl")
        for module, path in (("csv_trace", csv_path), ("jsonl_trace", json_path)):
            self.make(module, path)
            self.assertEqual(self.one("SELECT count(*) FROM t"), 10)
            self.rows("SELECT mpg_limit('record_bytes', 20)")
            for sql in ("SELECT count(*) FROM t", "SELECT a FROM t", "SELECT count(*) FROM t WHERE a = 'x'"):
                with self.assertRaisesRegex(sqlite3.Error, r":1[01]:1: record of more than 20 bytes$"):
                    self.rows(sql)
            self.rows("SELECT mpg_limit('record_bytes', 67108864)")
            self.rows("SELECT mpg_limit('groups', 1)")
            self.assertEqual(self.rows("SELECT DISTINCT a, b FROM t"), [("x", "y"), ("a text that is long", "y")])
            self.rows("SELECT mpg_limit('groups', 100000000)")


class Roads(Scanned):
    """Plain records are found many at a time, others read one by one: of damaged files both roads give the same."""

    def compare(self, module, path, options):
        self.db.text_factory = bytes
        for types in ("types=TEXT", "types='a TEXT, n BIGINT, r REAL, at TIME'"):
            self.make(module, path, f"{types}, {options}, threads=1, on_error=skip")
            found = []
            for limit in (64 << 20, 1 << 20):  # with a limit below what plain records may have, none are looked for
                self.rows("SELECT mpg_limit('record_bytes', ?)", limit)
                for sql in (
                    "SELECT *, _line FROM t",
                    "SELECT count(*), sum(_line) FROM t",
                    "SELECT count(*) FROM t",
                    "SELECT a, n, r, at, rowid FROM t WHERE n >= 5 AND a <> 'x'",
                ):
                    found.append(
                        (
                            sql,
                            self.rows(sql),
                            self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path),
                        )
                    )
            self.assertEqual(found[:4], found[4:])
            self.assertGreater(len(found[0][1]), 10)
        self.rows("SELECT mpg_limit('record_bytes', ?)", 64 << 20)

    def damaged(self, rng, text, alphabet):
        data = bytearray(text.encode())
        for _ in range(len(data) // rng.choice([400, 4000])):
            at = rng.randrange(400, len(data))
            edit = rng.randrange(4)
            if edit == 0:
                del data[at]
            elif edit == 1:
                data[at:at] = rng.choice(alphabet)
            else:
                data[at : at + 1] = rng.choice(alphabet)
        return bytes(data)

    def test_json(self):
        rng = random.Random(15)
        alphabet = [c.encode() for c in '"{}[]:, 01-.eatfn\\\t\n\r\x01'] + [
            "é".encode(),
            b'""',
            b'":',
            b',"n":1',
            b"\\u0061",
            b"null",
            b"true",
            b'"a":',
            b" \n",
            b"\xff",
        ]
        for turn in range(60 if os.environ.get("MPG_FULL") else 12):
            lines = []
            for i in range(800):
                row = {
                    "a": rng.choice(["x", "", "some words", "a text that is longer than sixteen bytes", None]),
                    "n": rng.choice([1, 7, 10**17, -5, None, True, 12345678901234567890]),
                    "r": rng.choice([0.5, -1e-7, 1767891265.323983, 3, 10**16 + 0.5]),
                    "at": rng.choice([1767891265.323983, "2026-01-02", 0]),
                }
                lines.append(json.dumps(row, separators=[(",", ":"), (", ", ": ")][turn % 2]))
            self.compare(
                "jsonl_trace",
                self.file(self.damaged(rng, "\n".join(lines) + "\n" * (turn % 3), alphabet), "f.jsonl"),
                "columns='a, n, r, at'" if turn % 4 == 0 else "nulls='x'",
            )

    def test_csv(self):
        rng = random.Random(16)
        alphabet = [c.encode() for c in '",\n\r 01-.eat\0\t'] + [
            "é".encode(),
            b'""',
            b"\r\n",
            b'"a,b"',
            b"\n\n",
            b"\xff",
        ]
        for turn in range(60 if os.environ.get("MPG_FULL") else 12):
            lines = ["a,n,r,at"]
            for i in range(800):
                lines.append(
                    f"{rng.choice(['x', '', 'some words', 'a text that is longer than sixteen bytes'])},{rng.choice([1, 7, 10**17, -5, '', ' 8 '])},"
                    f"{rng.choice([0.5, -1e-7, 1767891265.323983, 3, ''])},{rng.choice([1767891265.323983, '2026-01-02', 0])}"
                )
            self.compare(
                "csv_trace",
                self.file(self.damaged(rng, "\n".join(lines) + "\n" * (turn % 3), alphabet)),
                "quote=none" if turn % 4 == 0 else "nulls='x'",
            )


class Arguments(Scanned):
    def test_threads(self):
        path = self.file("a\n1\n")
        for module in ("csv_trace", "jsonl_trace"):
            for threads, found in (("0", "0"), ("65", "65"), ("x", "'x'"), ("''", "''"), ("1.5", "'1.5'")):
                self.assertEqual(
                    self.refused(module, path, f"threads={threads}"),
                    f"{module}: threads: expected a whole number from 1 to 64, found {found}",
                )
            with self.assertRaisesRegex(sqlite3.OperationalError, "no such column: threads"):
                self.rows(f"SELECT * FROM {module}(?) WHERE threads = 1", path)


if __name__ == "__main__":
    unittest.main()
