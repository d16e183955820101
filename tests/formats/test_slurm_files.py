"""The forms of a delimited export that slurm_trace reads: without a header, other delimiters and line ends, compressed, in a folder, texts with
pipes and newlines in them. Each says what the recorded file says."""

import gzip
import itertools
import os
import sqlite3
import unittest

from slurm import ALL_FIELDS, EPOCH, JOBS, PIPE, Case, expected_value, read_plain


class Shapes(Case):
    COLUMNS = "JobIDRaw, JobName, State, Start, alloc_gpus, Comment"

    def same_as_recorded(self, path, *arguments):
        marks = ", ".join("?" * (1 + len(arguments)))
        self.assertEqual(
            self.rows(f"SELECT {self.COLUMNS} FROM slurm_trace({marks})", path, *arguments),
            self.rows(f"SELECT {self.COLUMNS} FROM slurm_trace(?)", JOBS),
        )

    def text(self):
        with open(JOBS, encoding="utf-8") as file:
            return file.read()

    def test_no_header(self):
        header, _, body = self.text().partition("\n")
        path = self.file(body)
        self.same_as_recorded(path, "UTC", header.replace("|", ","))
        self.assertEqual(
            self.error("SELECT * FROM slurm_trace(?)", path).partition(", found")[0],
            f"slurm_trace: {path}:1:1: expected a header of sacct field names such as JobID|State|Start",
        )
        self.assertEqual(
            self.error("SELECT * FROM slurm_trace(?, 'UTC', 'JobID,State')", path),
            f"slurm_trace: {path}:1:5: expected 2 fields, found 28; if a field holds the delimiter |, export with another, such as "
            "--delimiter=$'\\x1f'",
        )

    def test_delimiters(self):
        for delimiter in ("\x1f", "\t", ";", "^|^", "~"):
            path = self.file(self.text().replace("|", delimiter))
            self.same_as_recorded(path)
            self.same_as_recorded(path, "UTC", "", delimiter)
        header, _, body = self.text().replace("|", "\x1f").partition("\n")
        self.same_as_recorded(self.file(body), "UTC", header.replace("\x1f", ","), "\x1f")

    def test_trailing_delimiter(self):
        self.same_as_recorded(self.file(self.text().replace("\n", "|\n")))

    def test_line_ends_and_byte_order_mark(self):
        self.same_as_recorded(self.file("\ufeff" + self.text().replace("\n", "\r\n").rstrip()))

    def test_threads_change_nothing(self):
        """Some blocks of lines, with texts that hold the delimiter, line ends and a header, and faults, looked over by several threads and by none."""
        header, _, body = self.text().partition("\n")
        odd = (
            body.replace("|llm-fail|", "|a|b|").replace("|llm-pretrain-ok|", "|two\nlines|")
            + header
            + "\n\n"
            + "1|2\n"
            + "x\0y\n"
        )
        text = (
            header
            + "\n"
            + body * 70
            + odd
            + body * 70
            + odd.replace("2026-11-21T05:52:32", "2026-03-29T02:30:00")
            + body * 20
        )
        names = header.split("|")
        last = "|".join(names[:-1]) + "|Comment\n" + body * 70  # free text in the last field
        for content, zone in (
            (text, "UTC"),
            (text, "Europe/Berlin"),
            (text.replace("\n", "|\n"), "UTC"),
            (last, "UTC"),
            (text.replace("|", "\x1f"), "UTC"),
            (text.replace("\n", "\r\n"), "UTC"),
            (text + "7|cut", "UTC"),
        ):
            path = self.file(content)
            for more in ("", " AND on_error = 'skip'"):
                found = []
                for threads in (1, 3):
                    sql = f"SELECT *, _line FROM slurm_trace(?, ?) WHERE threads = ?{more}"
                    try:
                        found.append((self.rows(sql, path, zone, threads), self.issues(path)))
                    except Exception as error:
                        found.append(str(error))
                self.assertTrue(found[0] == found[1], (zone, more))

    def test_another_header_below_the_first(self):
        """Exports of other columns in one file: the rest of a text with newlines would swallow them, for the last column is one."""
        jobs = "JobID|State|Start|AllocTRES|Comment\n1|FAILED|2026-03-01T01:00:00|gres/gpu=4|a\nnote|b\n2|FAILED|2026-03-01T01:00:00|gres/gpu=4|\n"
        narrow = "JobID|State|AllocTRES\n3|COMPLETED|gres/gpu=8\n"
        events = "Cluster|NodeName|TimeStart|TimeEnd|State|TRES|Reason\nc|n1|2026-03-01T01:00:00|2026-03-01T02:00:00|DOWN|gres/gpu=8|x\n"
        other = jobs.replace("State|Start", "Start|State").replace(
            "FAILED|2026-03-01T01:00:00", "2026-03-01T01:00:00|FAILED"
        )
        for table, first, second, records in (
            ("slurm_trace", jobs, narrow, 2),
            ("slurm_trace", narrow, jobs, 1),
            ("slurm_trace", jobs, other, 2),
            ("slurm_trace", jobs, events, 2),
            ("slurm_trace", jobs, events.replace("|", "\x1f"), 2),
            ("slurm_trace", jobs.replace("|", "\x1f"), narrow, 2),
            ("slurm_events_trace", events, jobs, 1),
            (
                "slurm_events_trace",
                events,
                "Cluster|TimeStart|TimeEnd|State|NodeName\nc|2026-03-01T03:00:00|Unknown|DOWN|n2\n",
                1,
            ),
        ):
            with self.subTest(table=table, first=first, second=second):
                path = self.file(first + second)
                line = first.count("\n") + 1
                self.assertEqual(
                    f"{table}: {path}:{line}:1: expected records with the columns of the first header, found another header: put each export into a file of its own",
                    self.error(f"SELECT count(*) FROM {table}(?)", path),
                )
                self.assertEqual(records, self.one(f"SELECT count(*) FROM {table}(?) WHERE on_error = 'skip'", path))
                skipped = "SELECT line FROM mpg_issues WHERE kind = 'skipped_record' AND source = ?"
                self.assertEqual([(line,)], self.rows(skipped, path))
        texts = jobs + "4|FAILED|2026-03-01T01:00:00|gres/gpu=4|a\nState\nStart|End\nName|of|no\n"
        self.assertEqual(3, self.one("SELECT count(*) FROM slurm_trace(?)", self.file(texts)))

    def test_events_in_any_order_of_columns(self):
        """Their export is known by its header, whatever --format asked for first."""
        row = {
            "Cluster": "pod",
            "State": "DOWN",
            "TimeEnd": "2026-11-21T06:00:00",
            "TimeStart": "2026-11-21T05:00:00",
            "Reason": "xid 79",
            "NodeName": "n1",
        }
        for columns in itertools.permutations(row):
            path = self.file("|".join(columns) + "\n" + "|".join(row[name] for name in columns) + "\n")
            self.assertEqual("slurm", self.one("SELECT format FROM trace_sources(?)", path), columns)

    def test_header_that_comes_again(self):
        path = self.file(self.text() + self.text())
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT JobIDRaw) FROM slurm_trace(?)", path), [(58, 26)])

    def test_compressed_glob_and_folder(self):
        text = self.text().encode()
        path = self.file(gzip.compress(text), "a.psv.gz")
        folder = os.path.dirname(path)
        self.same_as_recorded(path)
        self.same_as_recorded(folder)
        with open(os.path.join(folder, "b.psv"), "wb") as file:
            file.write(text)
        for of_both in (folder, folder + "/*.psv*"):
            self.assertEqual(
                self.rows("SELECT _file, count(*), min(_line), max(_line) FROM slurm_trace(?) GROUP BY _file", of_both),
                [(path, 29, 2, 30), (folder + "/b.psv", 29, 2, 30)],
            )
        self.assertEqual(self.one("SELECT count(DISTINCT rowid) FROM slurm_trace(?)", folder), 58)

    def test_pipe_in_text(self):
        self.assertEqual(
            self.rows("SELECT JobID, JobName, State, Comment FROM slurm_trace(?)", PIPE),
            [("27", "pipe|name `q`", "COMPLETED", "x|y")],
        )
        self.assertEqual(self.issues(PIPE), {"split_text": 1, "no_requeues": 1, "no_tres": 1})
        for name in ("a|b", "|", "||x", "COMPLETED|0", "1795240353|n1"):
            path = self.file(self.text().replace("llm-pretrain-ok", name))
            self.assertEqual(
                self.rows("SELECT JobName, Start, NodeList, WorkDir FROM slurm_trace(?) LIMIT 1", path),
                [(name, 1795240353, "n[1-2]", "/home/mlpod")],
            )
        path = self.file(self.text().replace("/home/mlpod|\n", "/home/mlpod|a100|h100\n", 1))
        self.assertEqual(
            self.rows('SELECT WorkDir, "Constraints" FROM slurm_trace(?) LIMIT 1', path), [("/home/mlpod", "a100|h100")]
        )

    def test_pipe_in_any_text_of_the_widest_export(self):
        """Of 109 fields, in every record: those that come back are right, the others are errors that say what to do."""
        header, records = read_plain(ALL_FIELDS)
        for field in ("JobName", "SubmitLine", "WorkDir", "Comment"):
            at = header.index(field)
            for number in (0, 1, 13, 40):
                changed = list(records[number])
                changed[at] = "/a|b" if field == "WorkDir" else "a|b"
                path = self.file("\n".join("|".join(record) for record in (header, changed)) + "\n")
                try:
                    found = self.rows(f"SELECT {field}, Start, State FROM slurm_trace(?)", path)
                except sqlite3.OperationalError as error:
                    self.assertIn("--delimiter=$'\\x1f'", str(error))
                    continue
                start = expected_value("Start", changed[header.index("Start")])
                self.assertEqual(found, [(changed[at], start, changed[header.index("State")])])

    def test_newline_in_text(self):
        header, records = read_plain(ALL_FIELDS)
        at = header.index("SubmitLine")
        texts = {1: "srun bash -c 'a &&\nb'", 2: "x\n\n\ny | wc\n\nz"}
        for number, text in texts.items():
            records[number][at] = text
        path = self.file("\n".join("|".join(record) for record in [header] + records) + "\n")
        found = self.rows("SELECT SubmitLine, _line FROM slurm_trace(?)", path)
        self.assertEqual(len(found), 62)
        self.assertEqual([row[1] for row in found[:5]], [2, 3, 5, 11, 12])
        self.assertEqual([row[0] for row in found[1:3]], list(texts.values()))
        self.assertEqual(self.issues(path), {"joined_lines": 2, "split_text": 1})

    def test_newline_in_the_last_field(self):
        path = self.file(
            "JobID|State|Start|Comment\n1|FAILED|1795240353|a\nb\n2|FAILED|1795240354|c\n1|FAILED|1795240355|\n"
        )
        self.assertEqual(
            self.rows("SELECT JobID, Comment FROM slurm_trace(?)", path), [("1", "a\nb"), ("2", "c"), ("1", None)]
        )

    def test_arguments_by_name_and_in_joins(self):
        self.assertEqual(
            self.rows("SELECT Start FROM slurm_trace WHERE path = ? AND zone = '+01:00'", JOBS)[0], (1795240353 - 3600,)
        )
        self.db.execute("CREATE TABLE paths(p, z)")
        self.db.executemany("INSERT INTO paths VALUES (?, ?)", [(JOBS, "UTC"), (EPOCH, "+05:00"), (JOBS, "-01:00")])
        self.assertEqual(
            self.rows("SELECT z, min(Start), count(*) FROM paths, slurm_trace(p, z) GROUP BY z ORDER BY z"),
            [("+05:00", 1795240353, 29), ("-01:00", 1795240353 + 3600, 29), ("UTC", 1795240353, 29)],
        )
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace WHERE path IN (?, ?)", JOBS, EPOCH), 58)
        self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?) WHERE path = ?", JOBS, EPOCH), 0)
        self.assertEqual(
            self.rows("SELECT path = ?, zone FROM slurm_trace(?, 'UTC') LIMIT 1", JOBS, JOBS), [(1, "UTC")]
        )


if __name__ == "__main__":
    unittest.main()
