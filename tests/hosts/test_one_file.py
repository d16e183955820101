"""The self-contained mpg.so of `make release`: what it needs of the system, that two builds are alike, and that it answers as mpg.so does,
with ISA-L and without."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import uuid

from fleets import ROOT

TARGETS = ["mpg.so", "release"]
RELEASE = os.path.join("build", "release", "mpg.so")
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
NEWEST_GLIBC = (2, 28)  # of RHEL 8 and Debian 10
PROGRAM = """
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
for query in sys.argv[2:]:
    try:
        print(json.dumps(db.execute(query).fetchall()))
    except sqlite3.Error as error:
        print(json.dumps(str(error)))
print(json.dumps("libisal" in open("/proc/self/maps").read()))
"""


def run(*command, **environment):
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**{k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}, **environment},
    )
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def answers(library, *queries, **environment):
    """What it answers to each, and whether ISA-L is loaded after them."""
    return [
        json.loads(line) for line in run(sys.executable, "-c", PROGRAM, library, *queries, **environment).splitlines()
    ]


class WhatItNeeds(unittest.TestCase):
    def test_libraries(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", RELEASE)))
        self.assertIn("libc.so.6", needed)
        self.assertEqual(set(), needed - SYSTEM)
        loaded = {os.path.basename(name) for name in re.findall(r"^\s*(\S+)", run("ldd", RELEASE), re.M)}
        self.assertEqual(set(), loaded - SYSTEM - {"linux-vdso.so.1"})

    def test_symbols(self):
        symbols = run("objdump", "-T", RELEASE)
        newest = max(tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols))
        self.assertLessEqual(newest, NEWEST_GLIBC)
        exported = [line.split()[-1] for line in symbols.splitlines() if " g " in line]
        self.assertEqual(["sqlite3_mpg_init", "sqlite3_mpg_nofs_init"], sorted(exported))

    def test_it_is_stripped_and_hardened(self):
        sections = run("readelf", "-SW", RELEASE)
        for name in (".symtab", ".debug_info"):
            self.assertNotIn(name, sections)
        dynamic = run("readelf", "-dW", RELEASE)
        self.assertIn("BIND_NOW", dynamic)
        self.assertNotRegex(dynamic, "TEXTREL|RPATH|RUNPATH")
        self.assertNotIn(os.fsencode(ROOT), open(os.path.join(ROOT, RELEASE), "rb").read())

    def test_what_is_linked_has_its_licence_named(self):
        with open(os.path.join(ROOT, "ext/package/release.mk"), encoding="utf-8") as file:
            linked = set(re.findall(r"-l:lib([\w-]+)\.a", file.read()))
        self.assertEqual({"z", "zstd", "uuid", "pcre2-8"}, linked)
        for path in ("ext/package/release/licences.txt", "docs/install.md"):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = file.read()
            for name in ("zlib", "zstd", "PCRE2", "libuuid"):
                self.assertRegex(text, rf"\b{name}\b.*\b(Zlib|BSD)")

    def test_a_second_build_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            again = os.path.join(folder, "again.so")
            shutil.copy(os.path.join(ROOT, RELEASE), again)
            run("make", "-s", "--no-print-directory", "-W", "ext/package/release.mk", "release")
            run("cmp", again, RELEASE)


class Answers(unittest.TestCase):
    def test_queries(self):
        with open(os.path.join(ROOT, "tests/clients/answers.jsonl"), encoding="utf-8") as file:
            expected = [json.loads(line) for line in file]
        said = run(sys.executable, "tests/clients/driver.py", RELEASE, "tests/clients/queries.sql")
        self.assertEqual(list(map(repr, expected)), [repr(json.loads(line)) for line in said.splitlines()])

    def test_uuids(self):
        """The version 5 of it has a SHA-1 of its own: names up to three blocks of it, and all lengths around a block's end."""
        names = ["x" * n for n in range(190)] + ["é€😀"]
        queries = [
            "SELECT " + ", ".join(f"mpg_uuid('dns', '{name}')" for name in names[i : i + 50])
            for i in range(0, len(names), 50)
        ]
        found = [value for rows in answers(RELEASE, *queries)[:-1] for value in rows[0]]
        self.assertEqual([str(uuid.uuid5(uuid.NAMESPACE_DNS, name)) for name in names], found)

    def test_gzip_by_isal_and_by_zlib(self):
        with tempfile.TemporaryDirectory() as folder:
            row = b"2024-01-01T00:00:00Z,job,7\n"
            whole = gzip.compress(b"t,name,n\n" + row * 5000) + gzip.compress(row * 3, compresslevel=0)
            damaged = bytearray(whole)
            damaged[-40] ^= 1
            for name, packed in (("whole", whole), ("cut", whole[:-9]), ("damaged", damaged)):
                with open(f"{folder}/{name}.csv.gz", "wb") as file:
                    file.write(packed)
            queries = [
                f"SELECT count(*), sum(json_extract(record, '$.n')) FROM csv_trace('{folder}/{name}.csv.gz')"
                for name in ("whole", "cut", "damaged")
            ]
            with open(f"{folder}/libisal.so.2", "wb") as file:
                file.write(b"no library")
            by_isal, by_zlib = answers(RELEASE, *queries), answers(RELEASE, *queries, LD_LIBRARY_PATH=folder)
            self.assertFalse(by_zlib.pop())
            self.assertEqual([[5003, 5003 * 7]], by_zlib[0])
            self.assertIn("truncated gzip stream", by_zlib[1])
            self.assertIn("damaged gzip stream", by_zlib[2])
            if not by_isal.pop():
                self.skipTest("no libisal.so.2 here")
            self.assertEqual(by_zlib[:2], by_isal[:2])
            self.assertIn("damaged gzip stream", by_isal[2])


if __name__ == "__main__":
    unittest.main()
