#!/usr/bin/python3
"""Every reader on every other format's file, and on files that are none: one clear error that names the file, never a crash
and never rows made of nothing."""
import faulthandler
import gzip
import os
import sqlite3
import tempfile
import unittest
import zlib

import formats
from fleets import ROOT, connect
from formats import READERS

# A file of each format, of one that has several the one that is a document.
FIXTURES = {
    name: [sample.file for sample in format.samples if sample.table == format.samples[0].table][-1]
    for name, format in formats.FORMATS.items()
    if format.gives != "rows"
}
FIXTURES |= {
    "slurm": "slurm/sacct_jobs.psv",
    "prometheus": "prometheus/dcgm.json",
    "csv": "fleet/jobs.csv",
    "native": "golden.jsonl",
}
FLEETS = {"csv", "native"} | {name for name, format in formats.FORMATS.items() if format.gives == "fleet"}
# What a reader may take beside its own format: generic ones whatever has lines or objects.
OTHERS = {
    "chrome_trace_info": {"goodput_log"},  # an array of objects has no properties to tell
    "csv_trace": {"csv", "pbs", "log", "text", "html"},
    "jsonl_trace": {"native", "goodput_log", "chrome", "kube", "prometheus", "otlp"},
}
OTHER_FILES = {
    "slurm_events_trace": "slurm/sacctmgr_events.psv",
    "slurm_nodes_trace": "slurm/scontrol_nodes.txt",
    "slurm_reservations_trace": "slurm/scontrol_reservations.txt",
}  # of their format
GENERIC = {sample.table for sample in formats.FORMATS["generic"].samples}
LATER = {"csv_rollup", "jsonl_rollup", "log_trace", "trace_timeline"}  # ask for more than a path


def takes(reader):
    if reader in (sample.table for sample in formats.NATIVE):
        return FLEETS
    own = {name for name, format in formats.FORMATS.items() if reader in (sample.table for sample in format.samples)}
    return OTHERS.get(reader, set()) | (set() if reader in OTHER_FILES else own)


class WrongFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.files = {name: os.path.join(ROOT, "fixtures", path) for name, path in FIXTURES.items()}
        with open(cls.files["csv"], "rb") as file:
            cut = gzip.compress(file.read())[:2000]
        for name, content in (
            ("empty", b""),
            ("empty.gz", gzip.compress(b"")),
            ("binary", bytes(range(256)) * 40),
            ("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(300)),
            ("cut.gz", cut),
            ("text", b"hello world\nthis is a letter\n"),
            ("html", b"<!DOCTYPE html>\n<html><body>404</body></html>\n"),
        ):
            cls.files[name] = os.path.join(folder, name)
            with open(cls.files[name], "wb") as file:
                file.write(content)

    def ask(self, reader, path, more=""):
        """(rows, None) or (None, message)"""
        db = connect()
        try:
            return db.execute(f"SELECT count(*) FROM {reader}(?){more}", (path,)).fetchone()[0], None
        except sqlite3.OperationalError as error:
            return None, str(error)
        finally:
            db.close()

    def test_all(self):
        for reader in sorted(set(READERS) - LATER):
            for name, path in self.files.items():
                with self.subTest(reader=reader, file=name):
                    rows, message = self.ask(reader, path)
                    if name in takes(reader):
                        self.assertIsNone(message)
                        self.assertGreater(rows, 0)
                        continue
                    if rows is not None and reader in GENERIC and name in formats.FORMATS:
                        continue  # its lines have equally many fields
                    self.assertIsNone(rows)
                    self.assertTrue(message.startswith(f"{reader}: {path}"), message)
                    self.assertIn("expected", message)
                    self.assertEqual(message.count("expected"), 1, message)
                    self.assertNotIn("\n", message)

    def test_utf16(self):
        """What PowerShell's > makes of any text is told by name, packed or not."""
        for mark, coding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
            path, packed = (os.path.join(self.folder, f"{coding}{end}") for end in (".txt", ".txt.gz"))
            with open(self.files["slurm"], encoding="utf-8") as file, open(path, "wb") as to, open(
                packed, "wb"
            ) as other:
                text = mark + file.read().encode(coding)
                to.write(text)
                other.write(gzip.compress(text))
            for reader in sorted(set(READERS) - LATER):
                for name in (path, packed):
                    with self.subTest(reader=reader, file=name):
                        rows, message = self.ask(reader, name)
                        self.assertIsNone(rows)
                        self.assertTrue(
                            message.startswith(
                                f"{reader}: {name}:1:1: expected UTF-8, found the byte order mark of UTF-16"
                            ),
                            message,
                        )
                        # A ledger of half a trace would be plausible and wrong.
                        skipped = (None, message) if reader.startswith("trace_") else (0, None)
                        self.assertEqual(self.ask(reader, name, " WHERE on_error = 'skip'"), skipped)

    def test_own_files(self):
        """Each reader takes some file of the fixtures."""
        for reader in sorted(set(READERS) - LATER):
            paths = (
                [OTHER_FILES[reader]]
                if reader in OTHER_FILES
                else [FIXTURES[name] for name in sorted(takes(reader) & set(FIXTURES))]
            )
            self.assertTrue(paths)
            for path in paths:
                rows, message = self.ask(reader, os.path.join(ROOT, "fixtures", path))
                self.assertIsNone(message, reader)
                self.assertGreater(rows, 0, reader)

    def test_a_stream_that_breaks_within_a_document(self):
        """What was begun when the stream broke is not taken to have ended, nor waited for. The spaces make the error come while the
        document is read, and not before."""
        for reader, path, before in (
            ("kube_trace", "kube/cluster.json", b'"items": ['),
            ("prometheus_trace", "prometheus/dcgm.json", b'"result":['),
            ("otlp_trace", "otlp/finetune.json", b'"resource_spans": ['),
            ("slurm_trace", "slurm/sacct.json", b'"jobs": ['),
        ):
            with self.subTest(reader=reader):
                name = os.path.basename(path)
                with open(os.path.join(ROOT, "fixtures", path), "rb") as file:
                    begin, found, rest = file.read().partition(before)
                self.assertTrue(found, path)
                whole = os.path.join(self.folder, name + ".gz")
                with open(whole, "wb") as file:
                    file.write(gzip.compress(begin + found + b" " * (3 << 20) + rest))
                rows, message = self.ask(reader, whole)
                self.assertIsNone(message)
                self.assertGreater(rows, 0)
                cut = os.path.join(self.folder, name + "-cut.gz")
                with open(whole, "rb") as file, open(cut, "wb") as to:
                    to.write(file.read()[:2500])
                faulthandler.dump_traceback_later(60, exit=True)
                self.assertIn("truncated gzip stream", self.ask(reader, cut)[1])
                self.assertEqual(self.ask(reader, cut, " WHERE on_error = 'skip'"), (0, None))
                faulthandler.cancel_dump_traceback_later()

    def test_what_comes_before_the_damage(self):
        """Of a packed file that was cut off, or is still being written, as many rows as of what can be unpacked of it."""
        for name, reader in {
            **{name: format.samples[0].table for name, format in formats.FORMATS.items() if name in FIXTURES},
            "hlo": "hlo_cost",
            "csv": "csv_trace",
            "native": "jsonl_trace",
        }.items():
            more = formats.more(formats.first(reader)) if reader in LATER else ""
            with open(self.files[name], "rb") as file:
                packed = gzip.compress(file.read())
            for part in (2, 3, 5):
                cut, plain = (os.path.join(self.folder, f"{name}-cut-{part}{end}") for end in (".gz", ""))
                with open(cut, "wb") as file, open(plain, "wb") as to:
                    file.write(packed[: len(packed) - len(packed) // part])
                    to.write(zlib.decompressobj(31).decompress(packed[: len(packed) - len(packed) // part]))
                with self.subTest(reader=reader, part=part):
                    query = f"SELECT * FROM {reader}(?{more}) WHERE on_error = 'skip'"
                    db = connect()
                    self.addCleanup(db.close)
                    rows = db.execute(query, (cut,)).fetchall()
                    whole = db.execute(query, (plain,)).fetchall()
                    self.assertIn(rows, (whole, whole[:-1]))  # the last line of `plain` has no end, and may be read
                    self.assertIn(
                        "truncated gzip stream",
                        str(db.execute("SELECT * FROM mpg_issues WHERE source = ?", (cut,)).fetchall()),
                    )
                    if part == 5:
                        self.assertGreater(len(rows), 0 if name != "hlo" else -1)
                    self.assertIn(
                        "truncated gzip stream", self.ask(reader, cut, "")[1] if not more else "truncated gzip stream"
                    )

    def test_an_empty_file_can_be_skipped(self):
        for reader in (
            "pbs_trace",
            "swf_trace",
            "goodput_trace",
            "kube_trace",
            "csv_trace",
            "slurm_trace",
            "goodput_report",
        ):
            rows, message = self.ask(reader, self.files["empty"], " WHERE on_error = 'skip'")
            self.assertEqual((rows, message), (0, None), reader)


if __name__ == "__main__":
    unittest.main()
