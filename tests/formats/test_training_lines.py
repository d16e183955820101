"""Lines of logs by a pattern: log_trace, held against Python's re, datetime and zoneinfo; and what it says of arguments and files that are wrong."""

import datetime
import gzip
import json
import os
import random
import re
import threading
import unittest

import cases
from training import FIXTURES, REAL, Case

NANOGPT = r"step:(?<step>\d+)/(?<steps>\d+) (?:train_loss:(?<loss>\S+)|val_loss:(?<val_loss>\S+)) train_time:(?<ms>\d+)ms step_avg:(?<average>\S+)ms"


def number(text):
    try:
        return json.loads(text) if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", text) else text
    except ValueError:
        return text


def read_plain(path, pattern):
    """The matched lines by Python's regular expressions: number, text, fields."""
    compiled = re.compile(pattern.replace("(?<", "(?P<"))
    with open(path, encoding="utf-8", newline="\n") as file:
        for n, line in enumerate(file.read().split("\n")[:-1], 1):
            found = compiled.search(line.removesuffix("\r"))
            if found:
                yield n, line, {name: number(text) for name, text in found.groupdict().items() if text is not None}


class Lines(Case):
    def compare(self, path, pattern):
        wanted = list(read_plain(path, pattern))
        found = [
            (n, text, json.loads(fields))
            for n, text, fields in self.rows("SELECT _line, text, fields FROM log_trace(?, ?)", path, pattern)
        ]
        self.assertEqual(found, wanted)
        return len(found)

    def test_fixtures(self):
        self.assertEqual(self.compare(FIXTURES + "/nanogpt.log", NANOGPT), 34)
        self.assertEqual(
            self.compare(
                FIXTURES + "/maxtext.log", r"completed step: (?<step>\d+), seconds: (?<s>[\d.]+),.*loss: (?<loss>\S+)"
            ),
            15,
        )
        self.assertEqual(
            self.compare(FIXTURES + "/megatron.log", r"iteration\s+(?<step>\d+).*lm loss: (?<loss>\S+)"), 8
        )

    def test_the_real_log(self):
        path = REAL + "/nanogpt_2024-10-10.txt"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.assertEqual(self.compare(path, NANOGPT), 6251)
        self.assertEqual(
            self.rows(
                """SELECT step, fields ->> '$.ms', fields ->> '$.average', fields ->> '$.val_loss' FROM log_trace(?, ?)
                                      ORDER BY rowid DESC LIMIT 1""",
                path,
                NANOGPT,
            ),
            [(6200, 1339067, 216.33, 3.2785)],
        )
        self.assertEqual(
            self.rows("SELECT kind, severity, line, count FROM mpg_issues WHERE source = ?", path),
            [("unmatched_lines", "info", 1, 585)],
        )

    def test_types(self):
        path = self.file("2026-11-21 15:01:26 step 7 x\n")
        self.assertEqual(
            self.rows(
                r"SELECT typeof(text), typeof(time), time, typeof(step), typeof(fields) FROM log_trace(?, '^(?<time>\S+ \S+) step (?<step>\d+)')",
                path,
            ),
            [("text", "real", 1795273286.0, "integer", "text")],
        )

    def test_carriage_returns(self):
        """A progress bar is redrawn after a carriage return: each state is a line, under the number of the line in the file."""
        path = self.file(
            "start\n\r1/3 step 1\r2/3 step 2\r\r3/3 step 3\r\nstep 4\r\n\r\r\n\nstep 5\rstep 6\nstep 7\rstep 8"
        )
        self.assertEqual(
            self.rows("SELECT _line, text, step FROM log_trace(?, 'step (?<step>[0-9]+)')", path),
            [
                (2, "1/3 step 1", 1),
                (2, "2/3 step 2", 2),
                (2, "3/3 step 3", 3),
                (3, "step 4", 4),
                (6, "step 5", 5),
                (6, "step 6", 6),
                (7, "step 7", 7),
            ],
        )
        self.assertEqual(
            self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ? ORDER BY kind", path),
            [("unfinished_line", 7, 1), ("unmatched_lines", 1, 2)],
        )
        bar = "".join(
            f"\rEpoch 0: :   {10 * n}%|### | {n}/10 [00:{2 * n:02d}<00:30, v_num=0, reduced_train_loss={10 - n}.00, train_step_timing in s=2.00, global_step={n}]"
            for n in range(1, 11)
        )
        path = self.file(f"start\n{bar}\ndone\n")
        self.assertEqual(
            [(10, 10, 20)],
            self.rows(
                r"SELECT count(*), max(step), sum(fields ->> '$.s') FROM log_trace(?, 'train_step_timing in s=(?<s>[\d.]+), global_step=(?<step>\d+)')",
                path,
            ),
        )
        self.assertEqual({"unmatched_lines": 2}, self.issues(path))
        bad = self.file("step 1\rstep x\r\n")
        with self.assertRaisesRegex(Exception, ':1:13: expected a whole number in group "step", found "x"'):
            self.rows("SELECT * FROM log_trace(?, 'step (?<step>.+)')", bad)

    def test_numbers(self):
        """What a program prints of a double is a number however small: leading zeros are no digits of it."""
        pick = random.Random(5)
        numbers = [pick.random() * 10.0 ** -pick.randrange(20) for _ in range(300)] + [
            0.00029999999999999997,
            5e-324,
            0.0,
        ]
        texts = [repr(v) for v in numbers] + [format(v, ".25f")[:22] for v in numbers[:50] if v < 1e-4]
        texts += ["0.00000000000000000000", "-0.00000000000000000000", "-0.00029999999999999997"]
        path = self.file("".join(f"x={text} y\n" for text in texts))
        self.assertEqual(
            self.rows(r"SELECT fields ->> '$.x', typeof(fields ->> '$.x') FROM log_trace(?, 'x=(?<x>\S+)')", path),
            [(float(text), "real") for text in texts],
        )
        for text in ("0.123456789012345678", "10.0000000000000000", "0.0000123456789012345678"):  # 18 digits and more
            self.assertEqual(
                self.rows(r"SELECT fields ->> '$.x' FROM log_trace(?, 'x=(?<x>\S+)')", self.file(f"x={text} y\n")),
                [(text,)],
            )

    def test_zones(self):
        """Against Python's zoneinfo, over the days on which the clocks change."""
        import zoneinfo

        berlin, lines, wanted = zoneinfo.ZoneInfo("Europe/Berlin"), [], []
        for hours in range(0, 24 * 400, 7):
            at = datetime.datetime(2025, 10, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=hours)
            local = at.astimezone(berlin)
            lines.append(local.strftime("%Y-%m-%d %H:%M:%S,250 x\n"))
            wanted.append((local.replace(fold=0).timestamp() + 0.25,))
        self.assertEqual(
            self.rows(
                "SELECT time FROM log_trace(?, '(?<time>.*) x', 'ignore', 'Europe/Berlin')", self.file("".join(lines))
            ),
            wanted,
        )

    def test_unmatched(self):
        path = self.file("one\nstep 1\ntwo\n")
        pattern = r"step (?<step>\d+)"
        self.assertEqual(self.rows("SELECT step, text FROM log_trace(?, ?)", path, pattern), [(1, "step 1")])
        self.assertEqual(
            self.rows("SELECT step, fields, text FROM log_trace(?, ?, 'rows')", path, pattern),
            [(None, None, "one"), (1, '{"step":1}', "step 1"), (None, None, "two")],
        )
        self.assertEqual(
            self.error("SELECT * FROM log_trace(?, ?, 'error')", path, pattern),
            f'log_trace: {path}:1:1: expected a line that matches the pattern, found "one"',
        )
        self.assertEqual(
            self.rows("SELECT step FROM log_trace(?, ?, 'error') WHERE on_error = 'skip'", path, pattern), [(1,)]
        )
        self.assertEqual(self.issues(path), {"skipped_record": 2, "unmatched_lines": 2})
        self.assertEqual(self.rows("SELECT * FROM log_trace(?, 'nothing')", path), [])
        self.assertEqual(
            self.rows(
                "SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? ORDER BY kind", path
            ),
            [
                ("warning", "no_match", 1, 1, 'no line matches the pattern; the first is "one"'),
                ("info", "unmatched_lines", 1, 3, '3 of 3 lines did not match; the first is "one"'),
            ],
        )

    def test_compressed_glob_and_folder(self):
        with open(FIXTURES + "/nanogpt.log", "rb") as file:
            text = file.read()
        path = self.file(gzip.compress(text), "a.log.gz")
        folder = os.path.dirname(path)
        with open(folder + "/b.log", "wb") as file:
            file.write(text)
        for of_both in (folder, folder + "/*.log*"):
            self.assertEqual(
                self.rows("SELECT _file, count(*), max(_line) FROM log_trace(?, ?) GROUP BY 1", of_both, NANOGPT),
                [(path, 34, 45), (folder + "/b.log", 34, 45)],
            )

    def test_golden_series(self):
        """Megatron's own JSON of a run, in which nine of ten values of one series are the text "nan"."""
        if not os.path.exists(REAL):
            self.skipTest("../shared is not here")
        with open(REAL + "/bert__bert_release__golden_values_dev_dgx_h100.json", encoding="utf-8") as file:
            text = file.read()
        times = [v for v in json.loads(text)["iteration-time"]["values"].values() if v != "nan"]
        self.assertEqual(
            self.rows(
                """SELECT count(*), sum(type = 'text' AND value = 'nan'), count(*) FILTER (WHERE type = 'real'), round(avg(value) FILTER (WHERE type = 'real'), 9)
                         FROM json_each(?, '$.iteration-time.values')""",
                text,
            ),
            [(4001, 3801, 200, round(sum(times) / 200, 9))],
        )


class Errors(Case):
    def test_arguments(self):
        path = self.file("x\n")
        usage = r"expected a path and a pattern, as in log_trace('train.log', 'step (?<step>\d+)')"
        for sql, text in (
            ("SELECT * FROM log_trace", usage),
            ("SELECT * FROM log_trace(?1)", usage),
            ("SELECT * FROM log_trace(?1, NULL)", usage),
            ("SELECT * FROM log_trace(?1, 7)", "pattern: expected a regular expression, found 7"),
            ("SELECT * FROM log_trace(?1, 'a(?<b>c')", "pattern: missing closing parenthesis, at offset 7, its end"),
            (
                "SELECT * FROM log_trace(?1, 'x', 'no')",
                "unmatched: expected 'ignore', 'rows', 'last' or 'error', found 'no'",
            ),
            (
                "SELECT * FROM log_trace(?1, 'x', 'ignore', 5)",
                "zone: expected UTC, an offset or the name of a time zone, found 5",
            ),
            (
                "SELECT * FROM log_trace(?1, 'x', 'ignore', 'UTC', 'x')",
                "year: expected a year from 1970 to 2261, found 'x'",
            ),
            (
                "SELECT * FROM log_trace(?1, 'x') WHERE on_error = 'no'",
                "on_error: expected 'stop' or 'skip', found 'no'",
            ),
        ):
            self.assertEqual(self.error(sql, *([path] if "?1" in sql else [])), "log_trace: " + text)
        self.assertEqual(self.rows("SELECT * FROM log_trace(NULL, 'x')"), [])
        self.db.execute(f"CREATE VIEW stored AS SELECT * FROM log_trace('{path}', 'x')")
        self.assertEqual(self.error("SELECT * FROM stored"), 'unsafe use of virtual table "log_trace"')

    def test_the_column_of_an_error_is_that_of_the_text(self):
        """Without what a terminal or a crash puts between the letters."""
        for line in ("a step x", "\x1b[32ma\x1b[0m step x", "\0\0a step\0 x"):
            path = self.file(line + "\n")
            self.assertEqual(
                f'log_trace: {path}:1:8: expected a whole number in group "step", found "x"',
                self.error(r"SELECT * FROM log_trace(?, 'step (?<step>\S+)')", path),
            )

    def test_broken_files(self):
        binary = self.file(bytes(range(256)) * 50)
        self.assertEqual(
            self.error("SELECT * FROM log_trace(?, 'x')", binary),
            f"log_trace: {binary}:1:1: expected text, found byte 0x00",
        )
        cut = self.file(gzip.compress(os.urandom(50000).hex().encode() + b"\nx\n" * 90000)[:-200], "cut.gz")
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM log_trace(?, 'x')", cut))
        latin = self.file("caf\u00e9 step 1\n\u00fc\n".encode("latin-1"))
        self.assertEqual(self.rows(r"SELECT step FROM log_trace(?, 'step (?<step>\d)')", latin), [(1,)])

    def test_every_letter_is_a_letter(self):
        """PCRE2's machine code once found no \\S in some letters: each of them, against Python's."""
        letters = [chr(code) for code in range(0x3A, 0x3000) if not chr(code).isspace() and not 0x7F <= code <= 0xA0]
        path = self.file("".join(f"{letter} step {i}\n" for i, letter in enumerate(letters)).encode())
        found = self.rows(
            r"SELECT step, fields ->> '$.who' FROM log_trace(?, '^(?<who>\S+) step (?<step>\d+)') ORDER BY step", path
        )
        self.assertEqual(found, list(enumerate(letters)))

    def test_a_log_that_is_being_written(self):
        with open(FIXTURES + "/nanogpt.log", encoding="utf-8") as file:
            text = file.read()
        for size in (1, 500, len(text) // 2, len(text) - 40, len(text)):
            path = self.file(text[:size])
            whole = len(list(read_plain(path, NANOGPT)))
            self.assertEqual(self.one("SELECT count(*) FROM log_trace(?, ?)", path, NANOGPT), whole)
            self.assertEqual("unfinished_line" in self.issues(path), size != len(text) and text[size - 1] != "\n")

    def test_a_catastrophic_pattern(self):
        path = self.file("a" * 5000 + "\nb\n")
        self.assertRegex(
            self.error("SELECT * FROM log_trace(?, '(?<x>(a+)+[bc])$')", path),
            f"^log_trace: {path}:1:1: the pattern takes more than 10000000 steps on this line: ",
        )
        self.assertEqual(
            self.rows("SELECT text FROM log_trace(?, '^(?<x>(a+)+[bc]|b)$') WHERE on_error = 'skip'", path), [("b",)]
        )
        self.assertEqual(self.issues(path), {"skipped_record": 1})

    def test_a_catastrophic_pattern_and_long_lines(self):
        """Of lines of 16 KiB and more the first costs its steps, and those that are as long are left out with it, or this took 15 minutes."""
        path = self.file("b 1\n" + ("a" * 20000 + "\n") * 3000 + "b 2\n" + "a" * 19000 + "\n")
        self.assertEqual(
            [(1,), (2,)], self.rows("SELECT step FROM log_trace(?, '(?<x>(a+)+[bc])$|^b (?<step>\\d+)')", path)
        )
        self.assertEqual(
            [("data_loss", 2, 3001)],
            self.rows("SELECT severity, line, count FROM mpg_issues WHERE kind = 'long_line' AND source = ?", path),
        )
        self.assertEqual(
            3003, self.one("SELECT count(*) FROM log_trace(?, '(?<x>(a+)+[bc])$|^b (?<step>\\d+)', 'rows')", path)
        )
        self.assertRegex(
            self.error("SELECT * FROM log_trace(?, '(?<x>(a+)+[bc])$|^b (?<step>\\d+)', 'error')", path),
            ":2:1: expected a line that matches the pattern",
        )

    def test_interrupt(self):
        for text, pattern in (("x\n" * 5000000, "y"), (("a" * 5000 + "\n") * 200, "(?<x>(a+)+[bc])")):
            path = self.file(text)
            timer = threading.Timer(0.1, self.db.interrupt)
            timer.start()
            self.assertEqual(
                self.error("SELECT count(*) FROM log_trace(?, ?) WHERE on_error = 'skip'", path, pattern), "interrupted"
            )
            timer.join()

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows(
                "SELECT max(step), fields ->> '$.loss', text FROM log_trace(?, ?)", FIXTURES + "/nanogpt.log", NANOGPT
            )[0][:2],
            (30, 7.9),
        )

    def test_memory_does_not_grow_with_the_file(self):
        with open(FIXTURES + "/nanogpt.log", "rb") as file:
            text = file.read()
        peaks = []
        for times in (200, 15000):
            path = self.file("")
            with open(path, "wb") as file:
                for _ in range(times):
                    file.write(text)
            self.one("SELECT sum(length(fields)) FROM log_trace(?, ?)", path, NANOGPT)
            peaks.append(cases.peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 50 MB


if __name__ == "__main__":
    unittest.main()
