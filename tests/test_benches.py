#!/usr/bin/python3
"""The bench of mappings asks what it says, of small inputs: each count and each answer has rows. No time is taken."""
import importlib.machinery
import importlib.util
import os
import sqlite3
import sys
import tempfile
import unittest
from unittest import mock

from fleets import ROOT


def formats():
    """tests/bench/formats, for inputs of 1500 jobs or rows."""
    path = os.path.join(ROOT, "tests", "bench", "formats")
    loader = importlib.machinery.SourceFileLoader("bench_formats", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    with mock.patch.object(sys, "argv", [path, "1500"]):
        loader.exec_module(module)
    return module


class Formats(unittest.TestCase):
    def test_each_input_is_counted_copied_and_answered(self):
        bench = formats()
        names = []
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(bench.bench, "WORK", folder):
            for name, path, count, copy, records, mapping in bench.inputs():
                with self.subTest(input=name):
                    db = sqlite3.connect(":memory:")
                    db.enable_load_extension(True)
                    db.load_extension(os.path.join(ROOT, "mpg"))
                    counted = db.execute(count).fetchone()[0]
                    self.assertGreater(counted, 100)
                    db.execute(copy)
                    column = count[len("SELECT count(") : count.index(")")]
                    self.assertEqual(db.execute(f"SELECT count({column}) FROM copy").fetchone()[0], counted)
                    answer = db.execute(mapping).fetchall()
                    self.assertGreater(len(answer), 0)
                    if records:  # the records of a mapping say what the mapping says
                        self.assertEqual(db.execute(records).fetchall(), answer)
                    db.close()
                names.append(name)
        self.assertEqual(names, list(bench.big_files.FILES))


if __name__ == "__main__":
    unittest.main()
