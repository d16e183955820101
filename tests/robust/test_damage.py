"""One byte of a file is another, and damaged records are to be skipped: a line costs no other line its row, and if it costs its own, an issue
says so."""

import os
import random
import unittest

import formats
from cases import Case
from fleets import ROOT, quote

# A row of these has the line that it comes from, and no quotes that go over several lines.
SAMPLES = [
    sample
    for format in formats.FORMATS.values()
    for sample in format.samples
    if sample.kind == formats.LINES
    and sample.table not in ("csv_trace", "csv_rollup", "jsonl_rollup", "goodput_report")
]
BYTES = b"\0\n \"'\\,;|:=#{}[]()0-\x7f\x80\xff"
TIMES = 150


class Damage(Case):
    def read(self, table, arguments, path):
        """Rows by the line of each, and how many issues, but for those of rows that are there."""
        rows = self.rows(f"SELECT _line, * FROM {table}({quote(path)}{arguments}) WHERE on_error = 'skip'")
        by_line = {}
        for row in rows:
            by_line.setdefault(row[0], []).append(row[1:])
        return by_line, sum(
            count
            for kind, count in self.issues(path).items()
            if kind not in ("no_time", b"no_time", "other_zone", b"other_zone")
        )

    def test_a_byte(self):
        self.db.text_factory = bytes  # which need not be UTF-8 then
        for sample in SAMPLES:
            table, name, head, arguments = sample.table, sample.file, sample.head, formats.more(sample)
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                lines = file.read().splitlines(keepends=True)
            path = self.file(b"".join(lines), os.path.basename(name))
            whole, issues = self.read(table, arguments, path)
            rng, told = random.Random(len(lines)), 0
            for _ in range(TIMES):
                at = rng.choice([i for i, line in enumerate(lines) if not line.startswith(head) and line.strip()])
                place, byte = rng.randrange(len(lines[at]) - 1), rng.choice(BYTES)
                damaged = lines[at][:place] + bytes([byte]) + lines[at][place + 1 :]
                if not lines[at][:place].strip() and bytes([byte]) in (b"\n", head):
                    continue  # the line has lost a blank, or is a comment
                with self.subTest(table, line=at + 1, damaged=damaged), open(path, "wb") as file:
                    file.write(b"".join(lines[:at] + [damaged] + lines[at + 1 :]))
                    file.flush()
                    rows, now = self.read(table, arguments, path)
                    more = byte == ord("\n")  # then those that follow are a line further down
                    self.assertEqual(
                        {line: row for line, row in whole.items() if line != at + 1},
                        {
                            line - (more and line > at + 1): row
                            for line, row in rows.items()
                            if line not in (at + 1, at + 1 + more)
                        },
                    )
                    if len(rows.get(at + 1, [])) < len(whole.get(at + 1, [])):
                        told += 1
                        self.assertGreater(now, issues)
            self.assertGreater(told, 0, table)


if __name__ == "__main__":
    unittest.main()
