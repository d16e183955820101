"""Failing allocations under the mpg.so that is shipped, in SQLite's shared library: by SQLite's allocator, and by libc's for
what libraries take. A few of them each time; with MPG_FULL every one."""
import os
import re
import sqlite3
import subprocess
import unittest

import figures
from fleets import ROOT, connect

FULL = bool(os.environ.get("MPG_FULL"))
STRIDE = {"sqlite": 1 if FULL else 151, "libc": 1}


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        done = subprocess.run(["make", "-s", "--no-print-directory", "build/memory/loaded"], cwd=ROOT, env=clean,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(done.stdout)

    def loaded(self, *arguments):
        done = subprocess.run(["build/memory/loaded", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")
        self.assertEqual((done.returncode, done.stderr[:4000]), (0, ""), done.stdout[-1000:])
        return done.stdout

    def test_statements_use_everything(self):
        used = set(self.loaded("names", os.path.join(ROOT, "mpg")).split())
        for kind in ("function", "module"):
            query = f"SELECT name FROM pragma_{kind}_list"
            added = set(connect().execute(query)) - set(sqlite3.connect(":memory:").execute(query))
            self.assertGreater(len(added), 20)
            self.assertEqual([], sorted({name for name, in added} - used), f"{kind}s that no statement of statements.h uses")

    def sweep(self, arena):
        told = self.loaded(arena, os.path.join(ROOT, "mpg"), str(STRIDE[arena]))
        points = int(re.search(r"^points (\d+)$", told, re.M)[1])
        refused = {name: int(count) for name, count in re.findall(r"^refused (\S+) (\d+)$", told, re.M)}
        if FULL:
            figures.record("memory_" + arena, {"allocations failed": points, **{f"refused to {name}": n for name, n in refused.items()}})
        return points, refused

    def test_allocations_of_sqlite(self):
        points, _ = self.sweep("sqlite")
        self.assertGreater(points, 60_000 // STRIDE["sqlite"])

    def test_allocations_of_libraries(self):
        """What is left to libc: qsort's, folders', threads'. PCRE2, zlib, ISA-L and zstd take SQLite's memory."""
        points, refused = self.sweep("libc")
        self.assertGreater(points, 40)
        self.assertEqual({"libc", "ld-linux-x86-64"}, {name.split(".")[0] for name in refused})


if __name__ == "__main__":
    unittest.main()
