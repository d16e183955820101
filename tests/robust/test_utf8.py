"""What every reader lists: bytes that are no UTF-8 come out as U+FFFD, and an empty file among others is passed over."""

import os
import re
import shutil
import tempfile
import unittest

import formats
from fleets import ROOT, connect, quote

# Readers whose rows lead back to one file; those of bytes have no texts that a byte could break.
SAMPLES = [
    sample
    for sample in formats.SAMPLES
    if sample.table.endswith("_trace") and sample.table not in ("xplane_trace", "tfevents_trace", "perfetto_trace")
]
SAMPLES.append(formats.first("trace_records"))
NO_TEXTS = {"swf_trace"}  # its columns are numbers


class Empty(unittest.TestCase):
    def test_among_others(self):
        """A folder with a file that has not a byte in it: a row of mpg_issues, and the rest is read."""
        for table, name, more in (
            (sample.table, os.path.join("fixtures", sample.file), formats.more(sample)) for sample in SAMPLES
        ):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(os.path.join(ROOT, name), folder)
                call = f"{table}({quote(folder)}{more})"
                whole = connect().execute(f"SELECT count(*) FROM {call}").fetchone()
                empty = os.path.join(folder, "0" + os.path.basename(name))
                open(empty, "w", encoding="utf-8").close()
                db = connect()
                self.assertEqual(whole, db.execute(f"SELECT count(*) FROM {call}").fetchone(), table)
                kinds = db.execute("SELECT kind, severity, count FROM mpg_issues WHERE source = ?", (empty,)).fetchall()
                if table != "trace_records":
                    self.assertEqual(
                        [("empty_file", "warning", 1)], [row for row in kinds if row[0] not in ("no_match",)], table
                    )
                self.assertGreater(len(kinds), 0, table)


class Mark(unittest.TestCase):
    def test_a_byte_order_mark_changes_nothing(self):
        """As editors and spreadsheets of Windows write it: the rows, the issues, and which format the file is recognised as."""
        for sample in SAMPLES:
            with open(os.path.join(ROOT, "fixtures", sample.file), "rb") as file:
                data = file.read()
            with tempfile.TemporaryDirectory() as folder:
                path, answers = os.path.join(folder, os.path.basename(sample.file)), []
                for mark in (b"", b"\xef\xbb\xbf"):
                    with open(path, "wb") as file:
                        file.write(mark + data)
                    db = connect()
                    answers.append(
                        [
                            sorted(db.execute(sql).fetchall(), key=str)
                            for sql in (
                                f"SELECT * FROM {sample.table}({quote(path)}{formats.more(sample)})",
                                "SELECT kind, count FROM mpg_issues",
                                f"SELECT format, certainty, reason FROM trace_sources({quote(path)})",
                            )
                        ]
                    )
                self.assertEqual(*answers, sample.table)


class Utf8(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_every_reader(self):
        for table, name, more in (
            (sample.table, os.path.join("fixtures", sample.file), formats.more(sample)) for sample in SAMPLES
        ):
            with open(os.path.join(ROOT, name), "rb") as file:
                data = file.read()
            words = sorted(set(re.findall(rb"[A-Za-z]{4,}", data)))
            repaired = 0
            for word in words[:: max(1, len(words) // 40)]:
                bad = data.replace(word, word[:-1] + b"\xff")
                path = self.write(os.path.basename(name), bad)
                db = connect()
                call = f"{table}({quote(path)}{more})"
                try:
                    rows = db.execute(f"SELECT * FROM {call}").fetchall()
                except Exception as error:  # a word that the format needs
                    self.assertNotIn("Could not decode", str(error), (table, word))
                    continue
                count = db.execute(
                    "SELECT count FROM mpg_issues WHERE kind = 'invalid_utf8' AND severity = 'warning' AND source = ?",
                    (path,),
                ).fetchall()
                self.assertEqual([(bad.count(b"\xff"),)], count, (table, word))
                repaired += any(isinstance(value, str) and "\ufffd" in value for row in rows for value in row)
            if table not in NO_TEXTS:
                self.assertGreater(repaired, 0, table)

    def test_what_is_replaced(self):
        """As Python's decoder does it, wherever the blocks that are read end: U+FFFD for each longest part that begins a character."""
        pieces = [
            b"plain",
            b"\xc3\xbc",
            b"\xe3\x81\x82",
            b"\xf0\x9f\x98\x80",
            b"\xff",
            b"\xfe\xff",
            b"\xc0\xaf",
            b"\xed\xa0\x80",
            b"\xe3\x81",
            b"\xf0\x9f\x98",
            b"\xf4\x90\x80\x80",
            b"\x80",
            b"\xc3",
            b"\xf8\x88\x80\x80\x80",
        ]
        lines = [a + b + c for a in pieces for b in pieces for c in (b"", b"x", a)]
        for table, text in (("log_trace", lambda line: line), ("csv_trace", lambda line: line + b",1")):
            for padding in (0, 1, 2, 3, *((1 << 20) - n for n in range(7, 11))):
                data = b"a" * padding + b",b\n" + b"".join(text(line) + b"\n" for line in lines)
                path = self.write("t", data)
                db = connect()
                if table == "log_trace":
                    found = [
                        row[0]
                        for row in db.execute(f"SELECT fields ->> '$.all' FROM log_trace({quote(path)}, '(?<all>.*)')")
                    ][1:]
                else:
                    found = [
                        row[0]
                        for row in db.execute(
                            f"SELECT (SELECT value FROM json_each(record) LIMIT 1) FROM csv_trace({quote(path)})"
                        )
                    ]
                expected = [line.decode("utf-8", "replace") for line in lines]
                self.assertEqual(expected, found, (table, padding))
                self.assertEqual(
                    [(data.decode("utf-8", "replace").count("\ufffd"),)],
                    db.execute("SELECT count FROM mpg_issues WHERE kind = 'invalid_utf8'").fetchall(),
                )

    def test_names_of_the_ledger(self):
        """Jobs and pools of the native trace, by one thread and by several."""
        path = self.write(
            "allocations.csv",
            b"job,pool,chips,start_time,end_time\n" + b"".join(b"j\xff%d,p\xc3,4,0,9\n" % i for i in range(300)),
        )
        for threads in (1, 4):
            db = connect()
            rows = db.execute(
                f"SELECT job, pool, sum(chip_seconds) FROM trace_ledger({quote(path)}) WHERE threads = {threads} AND job IS NOT NULL GROUP BY 1, 2"
            ).fetchall()
            self.assertEqual({(f"j\ufffd{i}", "p\ufffd", 36.0) for i in range(300)}, set(rows))
            self.assertEqual(
                [("invalid_utf8", 600)],
                db.execute(
                    "SELECT kind, count FROM mpg_issues WHERE severity = 'warning' AND kind = 'invalid_utf8'"
                ).fetchall(),
            )

    def test_rollups(self):
        data = b"a,b\n" + b"x\xff,1\n" * 1000 + b"\xc3\xbc,2\n"
        path = self.write("t.csv", data)
        db = connect()
        self.assertEqual(
            [("x\ufffd", 1000), ("\u00fc", 2)],
            db.execute(
                f"SELECT record ->> '$.a', record ->> '$.b' FROM csv_rollup({quote(path)}, 'b', 'a')"
            ).fetchall(),
        )
        self.assertEqual([(1000,)], db.execute("SELECT count FROM mpg_issues WHERE kind = 'invalid_utf8'").fetchall())

    def test_what_is_not_read_is_counted_too(self):
        """An array is left at what is no object: the error says so, and the count is of the file, not of what the buffer held."""
        for bad in (1, 3 << 20):
            path = self.write("t.json", b'[{"a":1},7,{"a":"' + b"x" * bad + b'\xff"}]\n')
            db = connect()
            self.assertEqual(
                [(1,)],
                db.execute(
                    f"SELECT record ->> '$.a' FROM jsonl_trace({quote(path)}) WHERE on_error = 'skip'"
                ).fetchall(),
            )
            self.assertEqual(
                [
                    ("invalid_utf8", 1, "bytes that are no UTF-8 are read as U+FFFD"),
                    ("skipped_record", 1, f"{path}:1:10: expected an object, found '7'; nothing after it is read"),
                ],
                db.execute("SELECT kind, count, detail FROM mpg_issues ORDER BY kind").fetchall(),
            )

    def test_sound_text_is_not_listed(self):
        path = self.write("t.csv", "a\n\u00fc\u3042\U0001f600\ufffd\n".encode())
        db = connect()
        self.assertEqual(
            "\u00fc\u3042\U0001f600\ufffd",
            db.execute(f"SELECT record ->> '$.a' FROM csv_trace({quote(path)})").fetchone()[0],
        )
        self.assertEqual([], db.execute("SELECT * FROM mpg_issues").fetchall())


if __name__ == "__main__":
    unittest.main()
