"""Files of formats that are known and not read: trace_sources and mpg_issues say what each is and what to do (sql/sources/unread.sql)."""
import bz2
import io
import lzma
import os
import pickle
import re
import struct
import tarfile
import tempfile
import unittest
import zipfile

from cases import Case
from fleets import ROOT

SACCT = "JobID|State|Start|End|AllocTRES\n1|COMPLETED|2026-03-01T08:00:00|2026-03-01T09:00:00|gres/gpu=8\n"
STABLEHLO = 'module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n  func.func public @main(%arg0: tensor<8xf32>) {\n    stablehlo.add %arg0, %arg0 : tensor<8xf32>\n'


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return out.getvalue()


def tarred():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        member = tarfile.TarInfo("sacct.psv")
        member.size = len(SACCT)
        file.addfile(member, io.BytesIO(SACCT.encode()))
    return out.getvalue()


# What a file holds, and words of its reason: what it is, and what to do.
UNREAD = {
    "zip": (zipped(**{"sacct.psv": SACCT}), "a zip archive: unpack"),
    "empty.zip": (zipped(), "a zip archive: unpack"),
    "npz": (zipped(**{"step_ms.npy": b"\x93NUMPY\x01\0"}), "arrays of NumPy (npz): write"),
    "pt": (zipped(**{"model/data.pkl": b"\x80\x02}q\0."}), "a checkpoint of PyTorch, which tells no times"),
    "xlsx": (zipped(**{"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}), "a workbook (xlsx): save"),
    "xz": (lzma.compress(SACCT.encode()), "packed with xz: unpack"),
    "bz2": (bz2.compress(SACCT.encode()), "packed with bzip2: unpack"),
    "empty.bz2": (bz2.compress(b""), "packed with bzip2: unpack"),
    "lz4": (b"\x04\x22\x4d\x18\x64\x40\xa7" + bytes(8), "packed with lz4: unpack"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(24), "a 7z archive: unpack"),
    "tar": (tarred(), "a tar archive: unpack"),
    "parquet": (b"PAR1\x15\x04\x15\x20" + bytes(8) + b"PAR1", "Parquet: export"),
    "arrow": (b"ARROW1\0\0" + b"\xff\xff\xff\xff" + struct.pack("<i", 120), "Arrow: export"),
    "arrow_stream": (b"\xff\xff\xff\xff" + struct.pack("<i", 400) + bytes(400), "Arrow: export"),
    "feather": (b"FEA1" + bytes(16), "Arrow: export"),
    "orc": (b"ORC\x0a\x03" + bytes(8), "ORC: export"),
    "avro": (b"Obj\x01\x04\x14avro.codec", "Avro: export"),
    "h5": (b"\x89HDF\r\n\x1a\n" + bytes(16), "HDF5"),
    "npy": (b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'shape': (3,), }\n", "an array of NumPy (npy): write"),
    "pickle2": (pickle.dumps({"step": [1, 2, 3]}, 2), "a pickle of Python: write"),
    "pickle4": (pickle.dumps({"step": [1, 2, 3]}, 4), "a pickle of Python: write"),
    "pickle_list": (pickle.dumps([1, 2, 3], 3), "a pickle of Python: write"),
    "mlirbc": (b"ML\xefR\x0dStableHLO_v1.9.3\0" + bytes(8), "StableHLO as bytecode of MLIR: convert"),
    "mlir": (STABLEHLO.encode(), "StableHLO: convert"),
    "qacct": (b"=" * 62 + b"\nqname        gpu.q\nhostname     node07\n", "a report of qacct of Grid Engine: copy"),
    "condor": (b'JobStatus = 4\nClusterId = 17\nProcId = 0\n', "a job history of HTCondor as ClassAds: export"),
    "utf16": (SACCT.encode("utf-16"), "the byte order mark of UTF-16 (convert it"),
    "utf16be": (b"\xfe\xff" + SACCT.encode("utf-16-be"), "the byte order mark of UTF-16 (convert it"),
    "utf16_without_mark": (SACCT.encode("utf-16-le"), "text in UTF-16: convert"),
    "utf16be_without_mark": (SACCT.encode("utf-16-be"), "text in UTF-16: convert"),
    "login.html": (b"<!DOCTYPE html>\n<html><title>Sign in</title>", "a page of HTML: a download that needed a login"),
}


class Unread(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)

    def test_each_is_named_with_what_to_do(self):
        for name, (content, _) in UNREAD.items():
            self.write(name, content)
        rows = {os.path.basename(path): rest for path, *rest in self.db.execute("SELECT file, format, certainty, reason FROM trace_sources(?)", (self.folder,))}
        self.assertEqual(set(UNREAD), set(rows))
        for name, (_, words) in UNREAD.items():
            format, _, reason = rows[name]
            self.assertIsNone(format, name)
            self.assertIn(words, reason, name)

    def test_beside_a_trace_each_is_listed_and_the_trace_is_read(self):
        self.write("sacct.psv", SACCT.encode())
        expected = self.db.execute("SELECT category, chip_us FROM trace_rollup(?) ORDER BY 1", (self.folder,)).fetchall()
        for name, (content, _) in UNREAD.items():
            self.write(name, content)
        self.assertEqual(expected, self.db.execute("SELECT category, chip_us FROM trace_rollup(?) ORDER BY 1", (self.folder,)).fetchall())
        self.assertGreater(len(expected), 0)
        listed = {os.path.basename(source): detail for source, detail in self.db.execute("SELECT source, detail FROM mpg_issues WHERE kind = 'ignored_file'")}
        for name, (_, words) in UNREAD.items():
            self.assertIn(words, listed.get(name, ""), name)

    def test_each_hint_has_its_sample(self):
        with open(os.path.join(ROOT, "sql", "sources", "unread.sql"), encoding="utf-8") as file:
            says = re.findall(r"^--@ hint .* => (.*)$", file.read(), re.M)
        self.assertGreater(len(says), 20)
        for reason in says:
            self.assertTrue(any(words in reason for _, words in UNREAD.values()), reason)


if __name__ == "__main__":
    unittest.main()
