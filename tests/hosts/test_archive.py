"""The archive of `make archive`: unpacked into a folder, as somebody without root does, it loads and reports; two are alike."""

import glob
import hashlib
import os
import subprocess
import tempfile
import unittest

from fleets import ROOT

TARGETS = ["mpg.so", "archive"]


def run(*command, cwd=ROOT):
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True, env=clean).stdout


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Archive(unittest.TestCase):
    def setUp(self):
        self.path = max(glob.glob(os.path.join(ROOT, "dist", "mpg-*-linux-*.tar.gz")), key=os.path.getmtime)

    def test_unpacked(self):
        with tempfile.TemporaryDirectory() as folder:
            run("tar", "-xzf", self.path, "--strip-components=1", "-C", folder)
            self.assertEqual(
                "golden|0.155\n",
                run(
                    "sqlite3",
                    ":memory:",
                    f".load {folder}/lib/mpg",
                    "SELECT pool, mpg_lower(category, chip_us) FROM trace_rollup('fixtures/golden') WHERE category <> 'queued' GROUP BY pool",
                ),
            )
            run("sqlite3", f"{folder}/fleet.db", f".load {folder}/lib/mpg", "SELECT mpg_build('fixtures/exports')")
            self.assertIn("Where the chip-hours went", run(f"{folder}/bin/mpg-report", f"{folder}/fleet.db"))
            for name in ("LICENSE", "licences.txt", "install.md"):
                self.assertTrue(os.path.exists(f"{folder}/share/doc/mpg/{name}"))
            self.assertTrue(glob.glob(f"{folder}/share/mpg/sql/questions/*.sql"))

    def test_the_same_bytes(self):
        before = digest(self.path)
        run("make", "-s", "--no-print-directory", "archive")
        self.assertEqual(before, digest(self.path))


if __name__ == "__main__":
    unittest.main()
