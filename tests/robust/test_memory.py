"""Failing allocations under the mpg.so that is shipped, in SQLite's shared library: by SQLite's allocator, and by libc's for
what libraries take. A few of them each time; with MPG_FULL every one."""

import os
import re
import sqlite3
import subprocess
import sys
import unittest

import figures
from fleets import ROOT, connect

TARGETS = ["build/memory/loaded", "build/memory/ties.so"]
FULL = bool(os.environ.get("MPG_FULL"))
STRIDE = {"sqlite": 1 if FULL else 151, "libc": 1}


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        done = subprocess.run(
            ["make", "-s", "--no-print-directory", *TARGETS],
            cwd=ROOT,
            env=clean,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise AssertionError(done.stdout)

    def loaded(self, *arguments):
        done = subprocess.run(
            ["build/memory/loaded", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self.assertEqual((done.returncode, done.stderr[:4000]), (0, ""), done.stdout[-1000:])
        return done.stdout

    def test_statements_use_everything(self):
        used = set(self.loaded("names", os.path.join(ROOT, "mpg")).split())
        for kind in ("function", "module"):
            query = f"SELECT name FROM pragma_{kind}_list"
            added = set(connect().execute(query)) - set(sqlite3.connect(":memory:").execute(query))
            self.assertGreater(len(added), 20)
            self.assertEqual(
                [], sorted({name for name, in added} - used), f"{kind}s that no statement of statements.h uses"
            )

    def sweep(self, arena):
        told = self.loaded(arena, os.path.join(ROOT, "mpg"), str(STRIDE[arena]))
        points = int(re.search(r"^points (\d+)$", told, re.M)[1])
        refused = {name: int(count) for name, count in re.findall(r"^refused (\S+) (\d+)$", told, re.M)}
        if FULL:
            told = {
                f"allocations of {arena} that failed": points,
                **{f"of them refused to {name}": n for name, n in refused.items()},
            }
            figures.record("memory", {**(figures.recorded("memory") or {}), **told})
        return points, refused

    def test_allocations_of_sqlite(self):
        points, _ = self.sweep("sqlite")
        self.assertGreater(points, 60_000 // STRIDE["sqlite"])

    @unittest.skipIf(os.environ.get("MPG_SANITIZED"), "AddressSanitizer's own allocations would fail")
    def test_allocations_of_libraries(self):
        """What is left to libc: qsort's, folders', threads'. PCRE2, zlib, ISA-L and zstd take SQLite's memory."""
        points, refused = self.sweep("libc")
        self.assertGreater(points, 40)
        self.assertEqual({"libc", "ld-linux-x86-64"}, {name.split(".")[0] for name in refused})

    def test_order_of_what_is_equal(self):
        """Suites again with a qsort that turns ties around: libc's own depends on its version, and on whether memory is left."""
        of_full = [
            "test_fleets",
            "test_rules_held",
            "test_rules_spans",
            "test_rules_steps",
            "test_rules_windows",
            "test_ledger",
            "test_kept",
            "test_generic_rollup",
            "test_goodput",
            "test_goodput_sql",
            "test_device",
            "test_device_tools",
            "test_slurm_table",
            "test_slurm_files",
            "test_slurm_contract",
            "test_slurm_zones",
            "test_slurm_mapping",
            "test_slurm_repeats",
            "test_hlo",
            "test_hlo_rules",
            "test_laws",
        ]
        for suite in ["test_sql", "test_goodput_log"] + FULL * of_full:
            script = f"import sys, unittest; sys.path.insert(0, 'tests/support'); import folders; unittest.main('{suite}', argv=['', '-q'])"
            environment = dict(
                os.environ, LD_PRELOAD=os.path.join(ROOT, "build/memory/ties.so"), MPG_FLEETS="300" if FULL else "20"
            )
            done = subprocess.run(
                [sys.executable, "-c", script],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            self.assertEqual(0, done.returncode, done.stdout[-3000:])


if __name__ == "__main__":
    unittest.main()
