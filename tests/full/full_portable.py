"""mpg on other processors, emulated: arm64, where char has no sign and nothing of x86 is at hand, and s390x, whose words begin with
their highest byte. Unit tests, fuzz corpora, the suites that ask most of SQLite, and the clients' queries.

Debian's own packages for that processor are unpacked below build/portable, by apt with a state of its own: nothing is installed.
Needs Debian's gcc-aarch64-linux-gnu, gcc-s390x-linux-gnu and qemu-user.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import figures
import linked_trees
from fleets import ROOT
from versions import run

sys.path.insert(0, os.path.join(ROOT, "tests", "fuzz"))
import corpus  # noqa: E402

FOLDER = os.path.join(ROOT, "build", "portable")
# What Debian calls the processor: the compiler's name for it, qemu's, packages that only it has.
PROCESSORS = {"arm64": ("aarch64-linux-gnu", "aarch64", ["libisal-dev"]), "s390x": ("s390x-linux-gnu", "s390x", [])}
PACKAGES = ["python3", "libsqlite3-dev", "zlib1g-dev", "libzstd-dev", "uuid-dev", "libpcre2-dev"]
SUITES = [
    "test_sql",
    "test_release",
    "test_goodput",
    "test_goodput_sql",
    "test_intervals",
    "test_generic_forms",
    "test_generic_differential",
    "test_generic_errors",
    "test_generic_rollup",
    "test_rules_held",
    "test_rules_spans",
    "test_rules_steps",
    "test_rules_windows",
]
RELEASED = {"arm64"}  # what make release knows, beside this machine's
LONG = {
    "oom",
    "io_faults",
    "connections",
}  # unit tests that repeat what is done by allocations or calls, thousands of times


def sysroot(processor):
    """Packages for a processor with all that they need, unpacked."""
    folder = os.path.join(FOLDER, processor)
    root, archives = os.path.join(folder, "root"), os.path.join(folder, "cache", "archives")
    if os.path.exists(root):
        return root
    os.makedirs(os.path.join(folder, "state", "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(archives, "partial"), exist_ok=True)
    status = os.path.join(folder, "status")
    with open(status, "w", encoding="utf-8"):
        pass
    options = {
        "APT::Architecture": processor,
        "APT::Architectures": processor,
        "Dir::State": os.path.join(folder, "state"),
        "Dir::State::status": status,
        "Dir::Cache": os.path.join(folder, "cache"),
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    run([*apt, "update"])
    run([*apt, "install", "--download-only", "--yes", "--no-install-recommends", *PACKAGES, *PROCESSORS[processor][2]])
    for package in glob.glob(f"{archives}/*.deb"):
        run(["dpkg-deb", "-x", package, root + ".new"])
    os.rename(root + ".new", root)
    return root


class Portable(unittest.TestCase):
    maxDiff = None
    rows = []

    @classmethod
    def tearDownClass(cls):
        if cls.rows:
            figures.record("processors", cls.rows)

    def build(self, processor, root):
        """A tree as this one, built for the processor; and which unit tests; with the hostile buffers of MPG_TEST."""
        triplet, _, own = PROCESSORS[processor]
        tree = os.path.join(FOLDER, processor, "mpg")
        linked_trees.links(tree)
        make = [
            "make",
            "-s",
            "--no-print-directory",
            f"CC={triplet}-gcc --sysroot={root}",
            f"AR={triplet}-ar",
            f"ISAL={'yes' if 'libisal-dev' in own else ''}",
            "CFLAGS=-O2 -g -DMPG_TEST",
        ]
        tests = [os.path.basename(path)[5:-2] for path in sorted(glob.glob(f"{ROOT}/tests/unit/test_*.c"))]
        run(
            [
                *make,
                "-k",
                "mpg.so",
                "libmpg.a",
                "build/replay",
                *(f"build/unit/test_{name}" for name in tests if name not in LONG),
            ],
            cwd=tree,
        )
        return tree, [name for name in tests if name not in LONG]

    def release(self, processor, root, python):
        """The self-contained mpg.so of the processor, as it is released."""
        triplet, tree = PROCESSORS[processor][0], os.path.join(FOLDER, processor, "release")
        linked_trees.links(tree)
        run(
            [
                "make",
                "-s",
                "--no-print-directory",
                f"CC={triplet}-gcc --sysroot={root}",
                f"AR={triplet}-ar",
                f"OBJDUMP={triplet}-objdump",
                "ISAL=yes",
                "release",
            ],
            cwd=tree,
        )
        self.queries(python, os.path.join(tree, "build", "release", "mpg.so"))

    def attempt(self, what, step):
        """All of them are tried, whatever fails."""
        try:
            step()
        except AssertionError as error:
            self.failed.append(f"{what}: {error}")

    def replay(self, command, target, tree):
        with tempfile.TemporaryDirectory() as folder:
            count = corpus.unpack(target, folder)
            done = subprocess.run(
                command,
                cwd=tree,
                input="".join(f"{folder}/{name}\n" for name in os.listdir(folder)),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
        self.assertEqual((0, f"{target}: {count}\n"), (done.returncode, done.stdout))
        return count

    def suite(self, python, name, tree):
        with tempfile.TemporaryDirectory() as scratch:
            report = os.path.join(scratch, "report")
            run([*python, "tests/run", "--python", f"{name}.py", report], cwd=tree)
            with open(report, encoding="utf-8") as file:
                good, bad, _ = json.load(file)
        self.assertEqual(0, bad)
        return good

    def queries(self, python, library):
        with open(os.path.join(ROOT, "tests/clients/answers.jsonl"), encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
        told = run([*python, "tests/clients/driver.py", library, "tests/clients/queries.sql"], cwd=ROOT)
        self.assertEqual(list(map(repr, answers)), [repr(json.loads(line)) for line in told.splitlines()])
        self.answered = len(answers)

    def check(self, processor):
        self.failed, self.answered = [], 0
        triplet, machine, _ = PROCESSORS[processor]
        for tool in (f"{triplet}-gcc", f"qemu-{machine}", "apt-get"):
            if not shutil.which(tool):
                self.skipTest(f"no {tool} here")
        try:
            root = sysroot(processor)
        except AssertionError as error:
            raise unittest.SkipTest(f"no packages for {processor} here: {error}") from error
        tree, tests = self.build(processor, root)
        emulated = [f"qemu-{machine}", "-L", root]
        started, python = time.monotonic(), [*emulated, *glob.glob(f"{root}/usr/bin/python3.[0-9][0-9]")]
        inputs, passed = [], []
        for name in tests:
            self.attempt(f"unit/test_{name}", lambda: run([*emulated, f"build/unit/test_{name}"], cwd=tree))
        for target in corpus.targets():
            self.attempt(
                f"fuzz {target}", lambda: inputs.append(self.replay([*emulated, "build/replay", target], target, tree))
            )
        for name in SUITES:
            self.attempt(name, lambda: passed.append(self.suite(python, name, tree)))
        self.attempt("queries", lambda: self.queries(python, os.path.join(tree, "mpg")))
        if processor in RELEASED:
            self.attempt("make release", lambda: self.release(processor, root, python))
        self.assertEqual([], self.failed)
        self.rows.append(
            {
                "processor": processor,
                "unit tests": len(tests),
                "fuzz inputs": sum(inputs),
                "tests": sum(passed),
                "queries": self.answered,
            }
        )
        print(f"{processor}: {time.monotonic() - started:.0f} s", flush=True)


for arch in PROCESSORS:
    setattr(Portable, f"test_{arch}", lambda self, arch=arch: self.check(arch))


if __name__ == "__main__":
    unittest.main()
