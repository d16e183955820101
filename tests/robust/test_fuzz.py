"""The fuzz corpora and their seeds through their targets (tests/fuzz), under the sanitizers: every third input, all where MPG_FULL is set.
Fuzzing itself is `make fuzz`."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/fuzz"))
import corpus  # noqa: E402

TARGETS = ["mpg.so", "build/asan/replay"]


class Replay(unittest.TestCase):
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

    def test_every_target_has_a_corpus(self):
        packed = [os.path.basename(path)[:-4] for path in glob.glob(f"{corpus.PACKED}/*.b64")]
        self.assertEqual(sorted(packed), corpus.targets())
        self.assertLess(sum(map(os.path.getsize, glob.glob(f"{corpus.PACKED}/*"))), 500 * 1024)
        self.assertEqual(
            re.search(r"^#define FUZZ_TARGETS.F. (.*)$", corpus.formats.c_header(), re.M)[1].split(),
            [f"F({name})" for name in corpus.targets()],
        )
        self.assertLessEqual(
            set(corpus.formats.FORMATS) - {"generic"}, set(corpus.targets())
        )  # which is read by rows, rollup and scan

    def replay(self, target):
        with tempfile.TemporaryDirectory() as folder:
            count = corpus.unpack(target, folder)
            names = sorted(os.listdir(folder))[:: 1 if os.environ.get("MPG_FULL") else 3]
            paths = "".join(f"{folder}/{name}\n" for name in names)
            done = subprocess.run(
                ["build/asan/replay", target],
                cwd=ROOT,
                input=paths,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env=dict(os.environ, TMPDIR=folder),
            )
            self.assertEqual((done.returncode, done.stdout), (0, f"{target}: {len(names)}\n"))
            self.assertGreater(count, 3)


for name in corpus.targets():
    setattr(Replay, f"test_{name}", lambda self, name=name: self.replay(name))


if __name__ == "__main__":
    unittest.main()
