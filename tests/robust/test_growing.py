"""Files that are being written, as every reader sees them: whatever is there of the last record, no row is made up, and none is taken for
whole without a word.

What a reader makes of the beginning of a file is what it makes of its whole lines, with an issue that says what was left out; or it is
an error that names the file; or the last line, which some writers never end, is read, and an issue says that it has no end.
"""

import functools
import os
import random
import re
import shutil
import sqlite3
import unittest

import figures
import formats
from cases import Case
from fleets import ROOT, quote

UNFINISHED = {"unfinished_record", "unfinished_line", "unfinished_trace", "no_entry"}
PLACES = 120


@functools.lru_cache
def ends_of_events(data):
    """Where TFRecords end: a length of 8 bytes, a checksum, so many bytes, a checksum."""
    ends = [0]
    while ends[-1] < len(data):
        ends.append(ends[-1] + 16 + int.from_bytes(data[ends[-1] : ends[-1] + 8], "little"))
    return ends


@functools.lru_cache
def ends_of_packets(data):
    """Where packets of Perfetto end: a tag, a length of one or two groups of 7 bits, so many bytes."""
    ends = [0]
    while ends[-1] < len(data):
        low, high = data[ends[-1] + 1 : ends[-1] + 3]
        ends.append(ends[-1] + 2 + low if low < 128 else ends[-1] + 3 + (low & 127 | high << 7))
    return ends


ENDS = {"tfevents_trace": ends_of_events, "perfetto_trace": ends_of_packets}


class Growing(Case):
    def begin(self, sample):
        """(bytes of the file that grows, what the reader says of so many of them: rows, kinds of issues, error)."""
        folder, table = self.new_folder(), sample.table
        for name in sample.beside:
            shutil.copy(os.path.join(ROOT, "fixtures", name), folder)
        path = os.path.join(folder, os.path.basename(sample.file))
        with open(os.path.join(ROOT, "fixtures", sample.file), "rb") as file:
            data = file.read()
        source = folder if sample.beside else path

        def read(n):
            with open(path, "wb") as file:
                file.write(data[:n])
            try:
                rows = self.rows(f"SELECT * FROM {table}({quote(source)}{formats.more(sample)})")
            except sqlite3.Error as error:
                self.assertRegex(str(error), f"^{table}: .*({re.escape(path)}:|measures: )")
                return None, set(), str(error)
            return rows, set(self.issues(path)), None

        return data, read

    def places(self, data):
        """Lengths: at random, around a line end, behind paragraphs, and of what lacks little."""
        rng = random.Random(len(data))
        line = data.find(b"\n", len(data) // 2) + 1
        near = [n for at in (line, len(data)) for n in range(at - 12, at + 3)]
        near += [m.start() + 1 for m in re.finditer(rb"\n\n", data)][:20]
        return sorted({n for n in near + rng.sample(range(len(data)), min(PLACES, len(data))) if 0 < n < len(data)})

    def test_lines(self):
        sums = {"beginnings of files": 0, "their last line was left out": 0, "their last line was read": 0}
        for sample in formats.of_kind(formats.LINES):
            table, (data, read) = sample.table, self.begin(sample)
            self.assertTrue(data.endswith(b"\n"), sample.file)
            told = {"left out": 0, "read": 0}
            for n in self.places(data):
                with self.subTest(table, n=n, of=len(data), end=data[max(0, n - 30) : n]):
                    whole = data.rfind(b"\n", 0, n) + 1
                    rows, kinds, error = read(n)
                    if error is None and n == whole:
                        self.assertFalse(kinds & (UNFINISHED | {"no_line_end"}))
                    elif error is None and "no_line_end" in kinds:
                        told["read"] += 1
                    elif error is None and kinds & UNFINISHED:
                        told["left out"] += 1
                        self.assertEqual(read(whole)[0] or [], rows)  # an empty file is an error
                    elif error is None and data[n - 1 : n + 1] == b"}\n":  # an object needs no line end
                        self.assertEqual(read(n + 1)[0], rows)
                    elif error is None:  # nothing, a comment, or a line among which the reader finds its own
                        self.assertTrue(
                            whole == 0
                            or data[whole:n].strip() == b""
                            or data[whole : whole + 1] in b"#;"
                            or sample.among_others
                        )
                        self.assertEqual(read(whole)[0] or [], rows)
                    else:  # nothing of the format was there yet
                        self.assertTrue(whole == 0 or read(whole)[2] is not None or not read(whole)[0], error)
            self.assertGreater(sum(told.values()), PLACES // 2, table)
            self.assertGreater(told["left out"], 0, table)
            for what, n in zip(sums, (len(self.places(data)), told["left out"], told["read"])):
                sums[what] += n
        figures.record("growing", sums)

    def test_frames(self):
        for sample in formats.of_kind(formats.FRAMES):
            table, (data, read) = sample.table, self.begin(sample)
            rows, kinds, error = read(len(data))
            self.assertEqual((set(), None), (kinds & UNFINISHED, error))
            known = 0
            for n in range(1, len(data), 1 + len(data) // 2000):
                with self.subTest(table, n=n):
                    found, kinds, error = read(n)
                    self.assertIsNone(error)
                    self.assertEqual(rows[: len(found)], found)
                    self.assertGreaterEqual(len(found), known)
                    known = len(found)
                    self.assertTrue(kinds & UNFINISHED or n in ENDS[table](data), "no record ends here")
            self.assertGreater(known, 10)

    def test_documents(self):
        for sample in formats.of_kind(formats.DOCUMENT):
            table, (data, read) = sample.table, self.begin(sample)
            rows, kinds, error = read(len(data))
            self.assertIsNone(error)
            self.assertFalse(kinds & UNFINISHED)
            refused = 0
            for n in self.places(data):
                with self.subTest(table, n=n, of=len(data), end=data[max(0, n - 30) : n]):
                    found, kinds, error = read(n)
                    refused += error is not None
                    if (
                        error is None and found != rows and not table.startswith("xplane")
                    ):  # see docs/formats/xplane.md: nothing marks its end
                        self.assertTrue(kinds & UNFINISHED, kinds)
            if table not in ("chrome_trace", "chrome_trace_info"):
                self.assertGreater(refused, PLACES // 2, table)


if __name__ == "__main__":
    unittest.main()
