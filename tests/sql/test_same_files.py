"""The same files in another dress: packed, under other names, further down. What they say does not change, nor what is listed of them."""
import gzip
import os
import shutil
import subprocess
import unittest

from cases import Case
from fleets import ROOT

FIXTURES = ("slurm", "kube/watch.json", "kube/cluster.json", "kube/claims.json", "kube/state.json", "pbs", "lsf", "sge", "flux", "condor", "swf", "public/acme", "public/alibaba-v2020",
            "public/alibaba-v2023", "public/alibaba-v2025", "public/helios", "public/pai", "public/philly", "training/megatron.log", "training/torchtitan.log",
            "training/nanogpt.log", "training/maxtext.log", "trainer/deepspeed.log", "trainer/nemo.log", "trainer/wandb-history.jsonl", "trainer/wandb-history.csv",
            "trainer/structured_logs", "goodput", "otlp", "mlperf", "tfevents", "h100", "exports", "golden")
# Formats of which a file is known by its name: tables of published traces without a header, and those of the native trace. Acme's file
# names its cluster, and the folders of MLPerf the system whose description lies in another.
NAMED = {"mlperf", "public/acme", "public/alibaba-v2020", "public/helios", "public/philly", "golden"}
ROLLUP = """SELECT pool, category, cause, phase, round(sum(chip_seconds), 3) FROM trace_rollup(?)
            GROUP BY pool, category, cause, phase HAVING round(sum(chip_seconds), 3) <> 0 ORDER BY pool, category, cause, phase"""


class SameFiles(Case):
    def answer(self, root):
        rows = self.rows(ROLLUP, root)
        return rows, self.rows("SELECT kind, sum(count) FROM mpg_issues WHERE source LIKE ? || '%' GROUP BY kind ORDER BY kind", root)

    def copy(self, fixture, below=""):
        root = self.new_folder()
        to = os.path.join(root, below, os.path.basename(fixture))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        source = os.path.join(ROOT, "fixtures", fixture)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, to)
        return root

    def check(self, change, fixtures=FIXTURES, below=""):
        for fixture in fixtures:
            wanted = self.answer(self.copy(fixture))
            self.assertTrue(wanted[0], fixture)
            root = self.copy(fixture, below)
            paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
            for i, path in enumerate(paths):
                change(path, len(paths) - i)
            with self.subTest(fixture=fixture):
                self.assertEqual(wanted, self.answer(root))

    def test_gzip(self):
        def pack(path, _):
            with open(path, "rb") as file, gzip.open(path + ".gz", "wb") as to:
                shutil.copyfileobj(file, to)
            os.remove(path)
        self.check(pack, [name for name in FIXTURES if name != "h100"])  # which holds packed files

    def test_zstd(self):
        self.check(lambda path, _: subprocess.run(["zstd", "-q", "--rm", path], check=True), [name for name in FIXTURES if name != "h100"])

    def test_names_in_another_order(self):
        self.check(lambda path, place: os.rename(path, os.path.join(os.path.dirname(path), f"{place:03}-{os.path.basename(path)}")),
                   [name for name in FIXTURES if name not in NAMED])

    def test_further_down(self):
        self.check(lambda path, place: None, FIXTURES, "a/b c/ü")


if __name__ == "__main__":
    unittest.main()
