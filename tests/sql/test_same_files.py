"""The same files in another dress: packed, under other names, further down. What they say does not change, nor what is listed of them."""

import codecs
import glob
import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

from cases import Case
from fleets import ROOT
from formats import FORMATS

FULL = bool(os.environ.get("MPG_FULL"))
FIXTURES = (
    "slurm",
    "kube/watch.json",
    "kube/cluster.json",
    "kube/claims.json",
    "kube/state.json",
    "pbs",
    "lsf",
    "sge",
    "flux",
    "condor",
    "swf",
    "public/acme",
    "public/alibaba-v2020",
    "public/alibaba-v2023",
    "public/alibaba-v2025",
    "public/helios",
    "public/pai",
    "public/philly",
    "training/megatron.log",
    "training/torchtitan.log",
    "training/nanogpt.log",
    "training/maxtext.log",
    "trainer/deepspeed.log",
    "trainer/nemo.log",
    "trainer/wandb-history.jsonl",
    "trainer/wandb-history.csv",
    "trainer/structured_logs",
    "goodput",
    "otlp",
    "mlperf",
    "tfevents",
    "h100",
    "exports",
    "golden",
)
# Formats of which a file is known by its name: tables of published traces without a header, and those of the native trace. Acme's file
# names its cluster, and the folders of MLPerf the system whose description lies in another.
NAMED = {"mlperf", "public/acme", "public/alibaba-v2020", "public/helios", "public/philly", "golden"}
ROLLUP = """SELECT pool, category, cause, phase, round(sum(chip_seconds), 3) FROM trace_rollup(?)
            GROUP BY pool, category, cause, phase HAVING round(sum(chip_seconds), 3) <> 0 ORDER BY pool, category, cause, phase"""


class SameFiles(Case):
    wanted = {}  # of each fixture as it is

    def of_fixture(self, fixture):
        if fixture not in self.wanted:
            self.wanted[fixture] = self.answer(self.copy(fixture))
            self.assertTrue(self.wanted[fixture][0], fixture)
        return self.wanted[fixture]

    def answer(self, root):
        rows = self.rows(ROLLUP, root)
        return rows, self.rows(
            "SELECT kind, sum(count) FROM mpg_issues WHERE source LIKE ? || '%' GROUP BY kind ORDER BY kind", root
        )

    def copy(self, fixture, below=""):
        root = self.new_folder()
        to = os.path.join(root, below, os.path.basename(fixture))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        source = os.path.join(ROOT, "fixtures", fixture)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, to)
        return root

    def check(self, change, fixtures=FIXTURES, below=""):
        for fixture in fixtures:
            wanted = self.of_fixture(fixture)
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
        self.check(
            lambda path, _: subprocess.run(["zstd", "-q", "--rm", path], check=True),
            [name for name in FIXTURES if name != "h100"],
        )

    def test_names_in_another_order(self):
        self.check(
            lambda path, place: os.rename(
                path, os.path.join(os.path.dirname(path), f"{place:03}-{os.path.basename(path)}")
            ),
            [name for name in FIXTURES if name not in NAMED],
        )

    def test_further_down(self):
        self.check(lambda path, place: None, FIXTURES, "a/b c/ü")

    def rewrite(self, change):
        def of(path, _):
            with open(path, "rb") as file:
                text = file.read()
            with open(path, "wb") as file:
                file.write(change(text))

        return of

    TEXTS = [name for name in FIXTURES if name not in ("h100", "tfevents")]

    def test_lines_that_end_as_on_windows(self):
        self.check(self.rewrite(lambda text: codecs.BOM_UTF8 + text.replace(b"\n", b"\r\n")), self.TEXTS)

    def test_lines_that_end_as_long_ago_and_other_encodings(self):
        """The figures are the same, or mpg_issues or the error says what is wrong."""
        for change, said in (
            (lambda text: text.replace(b"\n", b"\r"), ""),
            (lambda text: text.decode().encode("utf-16"), "byte order mark of UTF-16"),
        ):
            for fixture in self.TEXTS:
                wanted, listed = self.of_fixture(fixture)
                root = self.copy(fixture)
                paths = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
                for path in paths:
                    self.rewrite(change)(path, 0)
                with self.subTest(fixture=fixture, said=said):
                    try:
                        found, issues = self.answer(root)
                    except sqlite3.Error:
                        found, issues = None, []
                    if said:
                        self.assertEqual(
                            [],
                            [
                                row
                                for row in self.rows("SELECT file, reason FROM trace_sources(?)", root)
                                if said not in row[1]
                            ],
                        )
                    self.assertTrue(found is None or found == wanted or issues != listed, (found, issues))


class Copies(Case):
    """A file that is there twice, under another name or packed, is read once, and trace_sources says so; of the native trace, where records
    count as given, and of small tables in other folders it is listed."""

    def answer(self, root):
        return self.rows(ROLLUP, root)

    def place(self, fixture):
        root = self.new_folder()
        source, to = os.path.join(ROOT, "fixtures", fixture), os.path.join(root, fixture)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, to)
        return root

    @staticmethod
    def pack(path, to):
        with open(path, "rb") as file, gzip.open(to, "wb") as packed:
            shutil.copyfileobj(file, packed)

    def test_every_format(self):
        formats = set()
        others = tuple(
            format.samples[0].file
            for format in FORMATS.values()
            if format.gives == "fleet"
            and not {s.file.split("/")[0] for s in format.samples} & {f.split("/")[0] for f in FIXTURES}
        )
        for fixture in (
            FIXTURES
            + others
            + (
                "nvrx",
                "trainer/trainer_state.json",
                "trainer/mlflow-train_loss.json",
                "goodput/ranker-8.json",
                "slurm/squeue.json",
            )
        ):
            if fixture in ("golden", "h100"):
                continue
            root = self.place(fixture)
            wanted = self.answer(root)
            files = self.rows("SELECT file, format FROM trace_sources(?) WHERE format IS NOT NULL", root)
            formats |= {format for _, format in files}
            for path, format in files:
                stem, end = os.path.splitext(path)
                if (
                    end == ".gz" or path.endswith("state.json") and format == "kube"
                ):  # samples, which are merged by their times
                    continue
                ways = (stem + "_2" + end, shutil.copy), (stem + "_3" + end + ".gz", self.pack)
                for copy, make in ways if FULL else (ways[len(stem) % 2],):
                    make(path, copy)
                    if path.endswith("maxtext.log"):  # without a clock: of another run, perhaps
                        self.assertGreater(len(self.answer(root)), 0)
                        self.assertEqual(
                            1,
                            self.one(
                                "SELECT count(*) FROM mpg_issues WHERE kind = 'same_content' AND source IN (?, ?)",
                                path,
                                copy,
                            ),
                        )
                        os.remove(copy)
                        continue
                    with self.subTest(copy=copy):
                        self.assertEqual(wanted, self.answer(root))
                        alike = self.rows(
                            "SELECT file, reason FROM trace_sources(?) WHERE reason LIKE 'the same content as %'", root
                        )
                        if format == "alibaba_v2020" or os.path.basename(path) in (
                            "pod16.json",
                            "scaling.json",
                        ):  # known by their names alone
                            alike = [(copy, "the same content as " + path)]
                        self.assertEqual(
                            [{path, copy}], [{file, reason[len("the same content as ") :]} for file, reason in alike]
                        )
                        self.assertEqual(
                            [("ignored_file",)],
                            self.rows(
                                "SELECT kind FROM mpg_issues WHERE source = ? AND kind = 'ignored_file'", alike[0][0]
                            ),
                        )
                    os.remove(copy)
        mapped = {
            name
            for name, head in (
                (os.path.basename(path)[:-4], open(path, encoding="utf-8").read(400))
                for path in glob.glob(os.path.join(ROOT, "sql", "formats", "*.sql"))
            )
            if re.search(r"^--@ source [1-3]", head, re.M)
        }
        self.assertEqual(set(), mapped - formats)

    def test_programs_and_profiles(self):
        for fixture, table in (
            ("hlo/decode.hlo", "trace_hlo_programs"),
            ("hlo/decode.hlo", "trace_hlo_flops"),
            ("profile/rank0.json", "trace_device_time"),
            ("profile/tpu.trace.json", "trace_device_time"),
            ("rocpd/4242_results.json", "trace_device_time"),
            ("perfetto/4242_results.pftrace", "trace_device_time"),
            ("xplane/tpu-host-0.xplane.pb", "trace_device_time"),
        ):
            root = self.place(fixture)
            wanted = self.rows(f"SELECT * FROM {table}(?)", root)
            self.assertTrue(wanted, fixture)
            path = os.path.join(root, fixture)
            with self.subTest(fixture=fixture):
                shutil.copy(path, os.path.join(os.path.dirname(path), "z_" + os.path.basename(path)))
                self.assertEqual(wanted, self.rows(f"SELECT * FROM {table}(?)", root))

    def test_files_that_begin_alike(self):
        """Two logs of which one goes on are no copies, in whatever packing."""
        head = "; UnixStartTime: 1000\n; MaxProcs: 8\n"
        line = "{} {} 0 100 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
        text = head + "".join(line.format(i, i) for i in range(1, 9000))  # more than what files are recognised by
        root = self.new_folder()
        for name, more in (("a.swf", ""), ("b.swf", line.format(9000, 9000))):
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text + more)
        self.pack(os.path.join(root, "b.swf"), os.path.join(root, "c.swf.gz"))
        self.assertEqual(
            [("a.swf", "swf"), ("b.swf", "swf"), ("c.swf.gz", None)],
            [
                (os.path.basename(file), format)
                for file, format in self.rows("SELECT file, format FROM trace_sources(?)", root)
            ],
        )

    def test_exports_that_overlap(self):
        """The same log exported again after more jobs: what both have counts once, or is listed."""
        for fixture, name in (
            ("swf/small.swf", "later.swf"),
            ("public/acme/trace_seren.csv", "trace_later.csv"),
            ("public/pai/pai_job_duration_estimate.csv", "later.csv"),
            ("public/alibaba-v2023/openb_pod_list.csv", "later.csv"),
            ("public/alibaba-v2025/disaggregated_DLRM_trace.csv", "later.csv"),
            ("slurm/sacct_jobs.psv", "later.psv"),
            ("pbs/accounting.log", "later.log"),
            ("lsf/lsb.acct", "lsb.acct.1"),
            ("sge/accounting", "accounting.1"),
            ("sge/accounting.jsonl", "later.jsonl"),
            ("goodput/ranker-7.jsonl", "later.jsonl"),
            ("otlp/spans.jsonl", "later.jsonl"),
            ("kube/watch.json", "later.json"),
        ):
            root = self.place(fixture)
            path = os.path.join(root, fixture)
            if fixture.startswith("public/alibaba-v2023"):
                shutil.copy(
                    os.path.join(ROOT, "fixtures/public/alibaba-v2023/openb_node_list.csv"), os.path.dirname(path)
                )
            wanted = self.answer(root)
            listed = self.rows("SELECT kind, sum(count) FROM mpg_issues WHERE source LIKE ? || '%' GROUP BY 1", root)
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines(True)
            with open(os.path.join(os.path.dirname(path), name), "w", encoding="utf-8") as file:
                file.writelines(lines[:-2])
            with self.subTest(fixture=fixture):
                found = self.answer(root)
                now = self.rows("SELECT kind, sum(count) FROM mpg_issues WHERE source LIKE ? || '%' GROUP BY 1", root)
                kinds = {kind for kind, count in now if count > dict(listed).get(kind, 0)}
                self.assertTrue(
                    found == wanted or kinds & {"duplicate_allocation", "repeated_record"}, (kinds, found, wanted)
                )

    def test_a_small_file_of_another_folder(self):
        """Two clusters may have as many chips; only a folder that repeats another one as a whole is left out."""
        root = self.place("public/helios")
        venus, zeus = (os.path.join(root, "public/helios", name) for name in ("Venus", "Zeus"))
        wanted = dict(
            self.rows("SELECT pool, sum(chips) FROM trace_records(?) WHERE record = 'capacity' GROUP BY 1", root)
        )
        shutil.copytree(venus, zeus)
        self.assertEqual(
            wanted,
            dict(self.rows("SELECT pool, sum(chips) FROM trace_records(?) WHERE record = 'capacity' GROUP BY 1", root)),
        )
        with open(os.path.join(zeus, "cluster_log.csv"), encoding="utf-8") as file:
            lines = file.readlines()
        with open(os.path.join(zeus, "cluster_log.csv"), "w", encoding="utf-8") as file:
            file.writelines(lines[:-1])
        pools = dict(
            self.rows("SELECT pool, sum(chips) FROM trace_records(?) WHERE record = 'capacity' GROUP BY 1", root)
        )
        self.assertEqual(sorted(pools.values()), sorted([8, 40, 8, 40, 8]))
        self.assertEqual(
            1,
            self.rows(
                "SELECT count(*) FROM mpg_issues WHERE kind = 'same_content' AND detail LIKE '%cluster_gpu_number.csv%'"
            )[0][0],
        )

    def test_the_native_trace(self):
        root = self.place("golden")
        for again in range(2):
            shutil.copy(os.path.join(root, "golden/capacity.csv"), os.path.join(root, "golden/capacity-2.csv"))
            self.assertEqual(
                self.rows("SELECT sum(chips) FROM trace_records(?) WHERE record = 'capacity'", root), [(16,)]
            )
            self.assertEqual(
                self.rows("SELECT source, severity, count FROM mpg_issues WHERE kind = 'same_content'"),
                [(os.path.join(root, "golden/capacity.csv"), "warning", 1)],
                again,
            )

    def test_a_packed_file_beside_one_of_its_name(self):
        """It is that file, or was once: else it is another, as of two ranks, and both are read."""
        head = "JobIDRaw|JobID|JobName|Partition|State|Submit|Start|End|ElapsedRaw|AllocTRES\n"
        rows = [
            f"{i}|{i}|a|gpu|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:00:00|2026-03-02T09:00:00|3600|gres/gpu=1\n"
            for i in range(1, 4)
        ]
        for packed, jobs, said in (
            (rows, 3, "the same file as {}, packed"),
            (rows[:2], 3, "the beginning of {}, packed"),
            (rows + [rows[0].replace("1|1", "4|4")], 3, "{}, packed, and more: remove one"),
            ([rows[0].replace("1|1", "5|5")], 4, None),
        ):
            root = self.new_folder()
            path = os.path.join(root, "sacct.psv")
            with open(path, "w", encoding="utf-8") as file, gzip.open(path + ".gz", "wt") as other:
                file.write(head + "".join(rows))
                other.write(head + "".join(packed))
            self.assertEqual([(jobs,)], self.rows("SELECT count(DISTINCT job) FROM trace_ledger(?)", root), said)
            self.assertEqual(
                said and said.format(path),
                self.one("SELECT iif(format IS NULL, reason, NULL) FROM trace_sources(?) WHERE file LIKE '%.gz'", root),
            )
            self.assertIn(
                ("ignored_file" if said else "same_name",),
                self.rows("SELECT kind FROM mpg_issues WHERE source = ?", path + ".gz"),
            )


if __name__ == "__main__":
    unittest.main()
