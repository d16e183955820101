"""Sources: traces of any format, recognised, mapped and joined, in one SELECT (docs/sources.md)."""

import gzip
import json
import os
import pathlib
import re
import shutil
import sqlite3
import tempfile
import time
import unittest

import formats
from cases import Case
from fleets import ROOT, connect

EXPORTS = os.path.join(ROOT, "fixtures", "exports")
SENTENCE = """SELECT pool, phase, scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us),
                     program_goodput(category, chip_us), mpg(category, chip_us)
              FROM trace_rollup(?) GROUP BY pool, phase"""

# Files of each format, and the script that they go to.
SAMPLES = {
    "slurm/sacct_jobs.psv": "slurm",
    "slurm/sacct_default.p": "slurm",
    "slurm/sacct_all_fields.psv": "slurm",
    "slurm/sacct.json": "slurm",
    "slurm/squeue.json": "slurm",
    "slurm/sacctmgr_events.psv": "slurm",
    "slurm/scontrol_nodes.txt": "slurm",
    "slurm/scontrol_reservations.txt": "slurm",
    "pbs/accounting.log": "pbs",
    "pbs/torque.log": "pbs",
    "sge/accounting": "sge",
    "sge/accounting.jsonl": "sge",
    "flux/jobs.json": "flux",
    "condor/history.json": "condor",
    "condor/queue.json": "condor",
    "lsf/lsb.acct": "lsf",
    "lsf/lsb.events": "lsf",
    "swf/small.swf": "swf",
    "kube/watch.json": "kube",
    "kube/cluster.json": "kube",
    "kube/claims.json": "kube",
    "kube/state.json": "kube",
    "goodput/ranker-7.jsonl": "goodput",
    "goodput/ranker-8.json": "goodput",
    "otlp/spans.jsonl": "otlp",
    "otlp/finetune.json": "otlp",
    "mlperf/results/pod16/toy_lm/result_0.txt": "mllog",
    "training/maxtext.log": "maxtext",
    "training/megatron.log": "megatron",
    "training/nanogpt.log": "nanogpt",
    "nvrx/ft_launcher.log": "nvrx",
    "h200/orbax.log": "maxtext",
    "training/torchtitan.log": "torchtitan",
    "hlo/decode.hlo": "hlo",
    "hlo/train_step.hlo": "hlo",
    "prometheus/dcgm.json": "dcgm",
    "prometheus/dcgm.prom": "dcgm",
    "profile/rank0.json": "kineto",
    "profile/tpu.trace.json": "xprof",
    "trainer/deepspeed.log": "trainer",
    "trainer/nemo.log": "trainer",
    "trainer/trainer_state.json": "trainer",
    "trainer/wandb-history.csv": "trainer",
    "trainer/wandb-history.jsonl": "trainer",
    "trainer/mlflow-train_loss.json": "trainer",
    "trainer/structured_logs/training.global_rank_0.20260303-100000-ABC0.jsonl": "trainer",
    "ascend/ascend_pytorch_profiler_11.db": "ascend",
    "nsys/two-gpus.sqlite": "nsys",
    "perfetto/4242_results.pftrace": "perfetto",
    "rocpd/4242_results.db": "rocpd",
    "rocpd/4242_results.json": "rocpd",
    "xplane/tpu-host-0.xplane.pb": "xplane",
    "tfevents/run-7/events.out.tfevents.1772442120.host-0.52.0.v2": "tfevents",
    "golden.jsonl": "native",
    "golden/spans.csv": "native",
    "fleet/jobs.csv": "native",
    "public/acme/trace_seren.csv": "acme",
    "public/acme/trace_kalos.csv": "acme",
    "public/alibaba-v2023/openb_pod_list.csv": "alibaba_v2023",
    "public/alibaba-v2023/openb_node_list.csv": "alibaba_v2023",
    "public/alibaba-v2025/disaggregated_DLRM_trace.csv": "alibaba_v2025",
    "public/helios/Earth/cluster_log.csv": "helios",
    "public/helios/Earth/cluster_gpu_number.csv": "helios",
    "public/pai/pai_job_duration_estimate.csv": "pai",
    "public/philly/cluster_job_log": "philly",
    "public/philly/cluster_machine_list": "philly",
    "public/alibaba-v2020/pai_task_table.csv": "alibaba_v2020",
}
SAMPLES |= {
    format.samples[0].file: name
    for name, format in formats.FORMATS.items()
    if format.gives == "fleet" and not format.mappings and name not in SAMPLES.values()
}


class Folder(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def copy(self, *names, to=""):
        for name in names:
            os.makedirs(os.path.join(self.folder, to), exist_ok=True)
            shutil.copy(os.path.join(EXPORTS, name), os.path.join(self.folder, to))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def sums(self, path, by="job, category"):
        return self.db.execute(f"SELECT {by}, sum(chip_us) FROM trace_rollup(?) GROUP BY {by}", (path,)).fetchall()


class Recognition(Folder):
    def test_each_format_is_its_own_and_no_other(self):
        for name, expected in SAMPLES.items():
            with self.subTest(name):
                path = os.path.join(ROOT, "fixtures", name)
                rows = self.db.execute("SELECT format, reason FROM trace_sources(?)", (path,)).fetchall()
                self.assertEqual([expected], [format for format, _ in rows], rows)

    def test_records_are_those_of_the_relations(self):
        """What a mapping leaves for joining sources alone is none of them."""
        relations = {"capacity", "outages", "jobs", "allocations", "spans", "commits", "programs", "observed", "chips"}
        found = set()
        for name in SAMPLES:
            for (records,) in self.db.execute(
                "SELECT records FROM trace_sources(?) WHERE records NOT NULL", (os.path.join(ROOT, "fixtures", name),)
            ):
                self.assertLessEqual(set(json.loads(records)), relations, name)
                found |= set(json.loads(records))
        self.assertEqual(set(), relations - found - {"chips"})

    def test_every_format_has_a_sample(self):
        mappings = {
            path.stem
            for path in pathlib.Path(ROOT, "sql/formats").glob("*.sql")
            if "\n--@ input " in path.read_text(encoding="utf-8")
        }
        self.assertEqual(set(), mappings - set(SAMPLES.values()))

    def test_among_all_others_under_names_that_say_nothing(self):
        """One folder with all samples: a number is the name of each, and so it stays for all but those that go by their name alone."""
        for number, name in enumerate(SAMPLES):
            shutil.copy(os.path.join(ROOT, "fixtures", name), os.path.join(self.folder, str(number)))
        found = {
            int(os.path.basename(file)): format
            for file, format in self.db.execute("SELECT file, format FROM trace_sources(?)", (self.folder,))
        }
        self.assertEqual(len(SAMPLES), len(found))
        by_name = {
            path.stem
            for path in pathlib.Path(ROOT, "sql/formats").glob("*.sql")
            if re.search(r"(?m)^--@ input \S+ name ", path.read_text(encoding="utf-8"))
        } | {"native"}
        for number, (name, format) in enumerate(SAMPLES.items()):
            with self.subTest(name):
                self.assertIn(found[number], (format, None) if format in by_name else (format,))

    def test_no_rule_claims_the_sample_of_another(self):
        """The rules of all heads, tried here on all samples: what is sure of a file is sure of one format."""
        rules = [
            (path.stem, re.compile(pattern.encode(), re.MULTILINE))
            for path in sorted(pathlib.Path(ROOT, "sql/formats").glob("*.sql"))
            for pattern in re.findall(r"(?m)^--@ input \S+ sure (.*)$", path.read_text(encoding="utf-8"))
        ]
        self.assertGreater(len(rules), 40)
        known = 0
        for name, format in SAMPLES.items():
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                head = file.read(1 << 16)
            claims = set() if b"\0" in head else {of for of, pattern in rules if pattern.search(head)}
            with self.subTest(name):
                self.assertLessEqual(claims, {format})
            known += len(claims)
        self.assertGreater(known, 0.7 * len(SAMPLES))

    def test_other_ways_to_write_the_same(self):
        """As jq writes it, with keys in order or a line each; with another delimiter of sacct's; samples without the lines that say their type."""

        def read(name):
            with open(os.path.join(ROOT, "fixtures", name), encoding="utf-8") as file:
                return file.read()

        for name in (
            "slurm/sacct.json",
            "slurm/squeue.json",
            "prometheus/dcgm.json",
            "flux/jobs.json",
            "condor/history.json",
            "kube/cluster.json",
            "sge/accounting.jsonl",
            "goodput/ranker-7.jsonl",
            "goodput/ranker-8.json",
        ):
            documents, text = [], read(name).strip()
            while text:
                document, end = json.JSONDecoder().raw_decode(text)
                documents.append(document)
                text = text[end:].strip()
            for options in (
                {"sort_keys": True},
                {"indent": 2},
                {"sort_keys": True, "indent": "\t"},
                {"separators": (",", ":")},
            ):
                path = self.write("x.json", "\n".join(json.dumps(document, **options) for document in documents) + "\n")
                self.assertEqual(
                    [(SAMPLES[name],)], self.rows("SELECT format FROM trace_sources(?)", path), (name, options)
                )
        sacct = read("slurm/sacct_jobs.psv")
        wanted = self.sums(self.write("x.psv", sacct))
        for delimiter in ("\x1f", "\t", ";", "^|^", "~"):
            path = self.write("x.psv", sacct.replace("|", delimiter))
            self.assertEqual(
                [("slurm", "zone")], self.rows("SELECT format, missing FROM trace_sources(?)", path), delimiter
            )
            self.assertEqual(wanted, self.sums(path), delimiter)
        path = self.write(
            "x.prom",
            "".join(line for line in read("prometheus/dcgm.prom").splitlines(True) if not line.startswith("#")),
        )
        self.assertEqual([("dcgm",)], self.rows("SELECT format FROM trace_sources(?)", path))
        # Names in quotes, as Prometheus 3 writes those that have other letters.
        quoted = re.sub(
            r"(?m)^(\w+)\{", r'{"\1",', re.sub(r"(?m)^# (HELP|TYPE) (\w+)", r'# \1 "\2"', read("prometheus/dcgm.prom"))
        )
        labelled = re.sub(r"(?m)^(\w+\{)", r'\1"k8s.cluster.name"="c",', read("prometheus/dcgm.prom"))
        for text in (quoted, labelled):
            for kept in (text, "".join(line for line in text.splitlines(True) if not line.startswith("#"))):
                self.assertEqual(
                    [("dcgm",)], self.rows("SELECT format FROM trace_sources(?)", self.write("x.prom", kept)), kept[:80]
                )

    def test_packed(self):
        with open(os.path.join(EXPORTS, "sacct.psv"), "rb") as file, gzip.open(
            os.path.join(self.folder, "x.gz"), "wb"
        ) as out:
            out.write(file.read())
        self.assertEqual(
            [("slurm",)], self.db.execute("SELECT format FROM trace_sources(?)", (self.folder,)).fetchall()
        )

    def test_behind_much_that_says_nothing(self):
        """Comments and empty lines before a program or a table are no matter of how many."""
        with open(os.path.join(ROOT, "fixtures", "hlo", "decode.hlo"), encoding="utf-8") as file:
            program = file.read()
        for format, text in (
            ("hlo", "\n" * 5000 + program),
            ("hlo", "// a comment\n" * 3000 + program),
            ("swf", "; Note: a line\n" * 3000 + "; Version: 2.2\n" + "1 0 5 60 8 -1 -1 8 60 -1 1 1 1 1 1 1 -1 -1\n"),
            (
                "dcgm",
                "# a comment\n" * 3000
                + '# HELP DCGM_FI_DEV_GPU_UTIL x\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{gpu="0"} 5 1772442000000\n',
            ),
        ):
            self.assertEqual(
                [(format,)],
                self.db.execute("SELECT format FROM trace_sources(?)", (self.write("a.txt", text),)).fetchall(),
                text[:20],
            )

    def test_a_run_that_came_to_no_step(self):
        """What a trainer prints when it starts is enough to know its log."""
        for format, text in (
            ("maxtext", "Config param steps: 10\nNum_devices: 8, shape (8,)\n"),
            ("torchtitan", "[titan] 2026-03-03 10:00:00,000 - root - INFO - Starting job: toy\n"),
            ("megatron", "using world size: 8, data-parallel size: 4, context-parallel size: 1\n"),
            ("megatron", "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1\n"),
        ):
            path = self.write("a.log", text)
            self.assertEqual(
                [(format, "sure")],
                self.db.execute("SELECT format, certainty FROM trace_sources(?)", (path,)).fetchall(),
            )

    def test_what_is_no_trace_is_a_row_with_the_reason(self):
        self.copy("sacct.psv")
        self.write("notes.md", "# notes\n")
        self.write("empty.log", "")
        self.write("table.txt", "JobID           JobName  Partition\n------------ ---------- ----------\n")
        with open(os.path.join(self.folder, "picture.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\0\0")
        rows = dict(
            self.db.execute(
                "SELECT replace(file, ? || '/', ''), coalesce(format, reason) FROM trace_sources(?)",
                (self.folder, self.folder),
            )
        )
        self.assertEqual(
            rows,
            {
                "sacct.psv": "slurm",
                "notes.md": "no known format begins like this",
                "empty.log": "an empty file",
                "table.txt": "sacct as a table for people: export it with sacct -P",
                "picture.png": "no known format begins like this",
            },
        )
        self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.folder,)).fetchall()
        self.assertEqual(4, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file'"))

    def test_a_log_that_nothing_recognises(self):
        """A log may begin with a bracket, and is no broken JSON."""
        for text in ("[INFO] hello\n", "[0] hello\n", '["a"] hello\n', "hello\n"):
            with self.assertRaises(sqlite3.OperationalError) as caught:
                self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.write("a.log", text),)).fetchall()
            self.assertIn("a.log:1:1: expected JSON, or CSV in a file named after its relation", str(caught.exception))

    def test_of_two_formats_it_asks(self):
        path = self.write("numbers", " ".join(["1"] * 18) + "\n")
        self.assertEqual(
            ("swf", "likely"), self.db.execute("SELECT format, certainty FROM trace_sources(?)", (path,)).fetchone()
        )

    def test_odd_names(self):
        """A name may hold anything but a slash; one file's does not stop the others."""
        expected = self.sums(EXPORTS)
        shutil.copytree(
            EXPORTS, os.path.join(self.folder, 'a "b"\\\n\x01'), ignore=shutil.ignore_patterns("fleet.json")
        )
        self.assertEqual(expected, self.sums(self.folder))
        fleet = self.write("fleet.json", json.dumps({"sources": [{"path": "a*"}]}))
        self.assertIn("only folders match", self.error("SELECT count(*) FROM trace_rollup(?)", fleet))
        fleet = self.write("fleet.json", json.dumps({"sources": [{"path": "a*/*"}]}))
        self.assertEqual(expected, self.sums(fleet))

    def test_what_says_nothing_of_a_fleet_is_listed(self):
        self.copy("sacct.psv", "events.psv")
        shutil.copy(os.path.join(ROOT, "fixtures", "profile", "rank0.json"), self.folder)
        self.sums(self.folder)
        self.assertEqual(
            1,
            self.one(
                "SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file' AND detail LIKE 'of the format kineto,%'"
            ),
        )


class Joining(Folder):
    def test_the_sentence(self):
        rows = self.db.execute(SENTENCE, (os.path.join(EXPORTS, "fleet.json"),)).fetchall()
        self.assertEqual([("pod", None), ("pod", "training")], [row[:2] for row in rows])
        # Two jobs of 8 chips over 300 s. 5101: 10 steps of 20 s, saved to the end by success. 5102: failed, 8 steps of 25 s of
        # which 4 are saved. The chip-time of each is whole numbers of seconds.
        sums = {(job, category): us for job, category, us in self.sums(os.path.join(EXPORTS, "fleet.json"))}
        second = 8 * 10**6
        self.assertEqual(sums["5101", "ideal"] + sums["5101", "inefficiency"], 200 * second)
        self.assertEqual(sums["5101", "unknown"], 100 * second)
        self.assertEqual(sums["5102", "ideal"] + sums["5102", "inefficiency"], 100 * second)
        self.assertEqual(sums["5102", "lost"], 100 * second)
        self.assertEqual(sums["5102", "unknown"], 100 * second)
        ideal = (10 * 20 * 200e12 + 4 * 25 * 150e12) * 8 / self.one("SELECT chip_peak_flops('nvidia-h100-sxm', 'bf16')")
        self.assertAlmostEqual((sums["5101", "ideal"] + sums["5102", "ideal"]) / 1e6, ideal, 3)
        capacity = sum(us for (_, category), us in sums.items() if category != "queued")
        self.assertEqual(capacity, 16 * 320 * 10**6)
        self.assertAlmostEqual(rows[1][2], 1.0)
        self.assertAlmostEqual(rows[1][3], 300 / 600)
        self.assertAlmostEqual(
            self.one("SELECT mpg(category, chip_us) FROM trace_rollup(?)", os.path.join(EXPORTS, "fleet.json")),
            ideal / (16 * 320),
        )

    def test_names_order_and_packing_change_nothing(self):
        expected = self.sums(EXPORTS)
        self.copy("sacct.psv", "train_step.hlo", to="z")
        self.copy("events.psv", to="a/b")
        shutil.copy(os.path.join(EXPORTS, "job_5102.out"), os.path.join(self.folder, "0_5102"))
        with open(os.path.join(EXPORTS, "maxtext-5101.log"), "rb") as file, gzip.open(
            os.path.join(self.folder, "slurm-5101.out.gz"), "wb"
        ) as out:
            out.write(file.read())
        self.write("README", "nothing\n")
        self.assertEqual(expected, self.sums(self.folder))

    def test_a_timeline_leads_to_the_files(self):
        """Of a source of one file it names that, of one of several its format; a line is that of a reader, and of no mapping."""
        for path in ("exports", "training", "trainer", "h100", "slurm/sacct_jobs.psv", "training/maxtext.log"):
            path = os.path.join(ROOT, "fixtures", path)
            files, several = {}, set()
            for source, file, format, others in self.rows(
                "SELECT source, file, format, count(*) OVER (PARTITION BY source) FROM trace_sources(?) WHERE source IS NOT NULL",
                path,
            ):
                files[file] = format
                several |= {f"{path}: {format}"} if others > 1 else {file}
            found = self.rows(
                "SELECT DISTINCT _file, _line FROM trace_timeline(?) WHERE kind IS NOT NULL OR category NOT IN ('queued')",
                path,
            )
            self.assertGreater(len(found), 0)
            self.assertLessEqual({file for file, _ in found} - {None}, several)
            self.assertEqual({None}, {line for _, line in found})
            self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'unknown_column'"))
        named = dict(
            self.rows(
                "SELECT DISTINCT job, _file FROM trace_timeline(?) WHERE kind = 'step'",
                os.path.join(ROOT, "fixtures/exports"),
            )
        )
        self.assertEqual(["job_5102.out", "maxtext-5101.log"], sorted(map(os.path.basename, named.values())))
        for job, file in named.items():
            self.assertIn(os.path.basename(file), {"5101": "maxtext-5101.log", "5102": "job_5102.out"}[job])
        self.assertEqual(
            *(
                self.rows(
                    f"SELECT category, sum(chip_us) FROM {table}(?) WHERE job IS NOT NULL GROUP BY 1",
                    os.path.join(ROOT, "fixtures/exports"),
                )
                for table in ("trace_timeline", "trace_rollup")
            )
        )

    def test_no_source_erases_another(self):
        """Two trainers without a scheduler: each is a job, and each keeps its spans."""
        self.copy("maxtext-5101.log", "job_5102.out")
        fleet = json.dumps({"sources": [{"path": self.folder, "year": 2026}]})
        rows = self.sums(fleet, "framework, category = 'untraced'")
        self.assertEqual([("jax", 0), ("pytorch", 0)], [row[:2] for row in rows])

    def test_year_from_the_job(self):
        row = self.db.execute(
            "SELECT missing, inferred, job FROM trace_sources(?) WHERE format = 'maxtext'", (EXPORTS,)
        ).fetchone()
        self.assertEqual((None, "5101"), (row[0], row[2]))
        self.assertEqual({"job": "by its file's name", "year": "the year in which its job ran"}, json.loads(row[1]))
        self.copy("maxtext-5101.log")
        row = self.db.execute("SELECT missing FROM trace_sources(?)", (self.folder,)).fetchone()
        self.assertEqual(("year",), row)

    def test_logs_without_a_clock_begin_with_their_jobs(self):
        """Each with its own, and all logs of a trainer are one source: a script that runs for each takes hours where they are thousands."""
        lines = {
            "maxtext": "completed step: %d, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0\n",
            "nanogpt": "iter %d: loss 3.0000, time 2000.00ms, mfu 30.00%%\n",
            "megatron": " iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 3.0E+00 |\n",
            "trainer": "Training epoch 0, iteration %d/99 | global_step: 1 | train_step_timing in s: 2.0\n",
        }
        jobs = {101 + i: "2026-03-%02dT%02d" % (1 + i, i) for i in range(12)}
        self.write(
            "sacct.psv",
            "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
            + "".join(
                f"{job}|{job}|t|c|COMPLETED|{at}:00:00|{at}:00:10|{at}:05:10|1|gres/gpu=8|gres/gpu=8|n1\n"
                for job, at in jobs.items()
            ),
        )
        for place, job in enumerate(jobs):
            name, line = list(lines.items())[place % 4]
            clock = "2026-03-%02d %02d:01:40 " % (1 + place, place) if name == "maxtext" and place == 4 else ""
            self.write(f"train-{job}.log", "".join((clock if i == 0 else "") + line % i for i in range(20)))
        found = self.db.execute(
            "SELECT format, count(DISTINCT source), count(*), sum(json_extract(inferred, '$.start') = 'the start of its job') "
            "FROM trace_sources(?) WHERE job IS NOT NULL GROUP BY format",
            (self.folder,),
        ).fetchall()
        self.assertEqual(
            [("maxtext", 1, 3, 2), ("megatron", 1, 3, 3), ("nanogpt", 1, 3, 3), ("trainer", 1, 3, 3)], found
        )
        begun = self.db.execute(
            "SELECT job, min(start_time) - CAST(strftime('%s', '2026-03-01') AS INTEGER) FROM trace_records(?) WHERE record = 'spans' GROUP BY job",
            (self.folder,),
        ).fetchall()
        expected = [(str(job), 90000 * i + (100 if i == 4 else 10)) for i, job in enumerate(jobs)]
        self.assertEqual([job for job, _ in expected], [job for job, _ in begun])
        for (job, at), (_, found) in zip(expected, begun):
            self.assertLessEqual(abs(found - at), 4, job)

    def test_times_are_numbers(self):
        """Of a source whose records have texts, too, and of one without a fraction of a second."""
        for path in ("public/philly", "public/helios", "public/acme", "slurm", "condor", "fleet"):
            with self.subTest(path):
                row = self.db.execute(
                    "SELECT group_concat(DISTINCT typeof(first_time)), group_concat(DISTINCT typeof(last_time)), min(last_time - first_time), min(first_time) "
                    "FROM trace_sources(?) WHERE source IS NOT NULL AND first_time IS NOT NULL",
                    (os.path.join(ROOT, "fixtures", path),),
                ).fetchone()
                self.assertEqual(("real", "real"), row[:2])
                self.assertGreater(row[2], 0)
                self.assertGreater(row[3], 1e9)

    def test_a_log_that_tells_when_it_began(self):
        """nvidia-smi's date is a start of the log's own, and not its job's."""
        shutil.copy(os.path.join(ROOT, "fixtures", "training", "nanogpt.log"), self.folder)
        self.assertEqual([(None,)], self.db.execute("SELECT missing FROM trace_sources(?)", (self.folder,)).fetchall())

    def test_a_log_has_another_name_of_its_job(self):
        head = "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
        times = "2026-03-02T10:00:00|2026-03-02T10:00:10|2026-03-02T10:05:10|1|gres/gpu=8|gres/gpu=8|n1"
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "trainer-0",
                "namespace": "ml",
                "uid": "0f3c-77",
                "labels": {"batch.kubernetes.io/job-name": "trainer"},
                "creationTimestamp": "2026-03-02T10:00:00Z",
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "trainer", "uid": "9", "controller": True}
                ],
            },
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
            "status": {"phase": "Running", "startTime": "2026-03-02T10:00:10Z"},
        }
        pbs = "03/02/2026 10:00:10;S;77[3].server;user=a queue=q ctime=1772445600 start=1772445610 exec_host=n1/0*8 Resource_List.ngpus=8 Resource_List.nodect=1\n"
        cases = [
            (
                "sacct.psv",
                f"{head}127|123_4|a|c|COMPLETED|{times}\n128|123_5|a|c|COMPLETED|{times}\n",
                [("slurm-123_4.out", "127"), ("slurm-123_5.out", "128")],
            ),
            (
                "sacct.psv",
                f"{head}200|200+0|a|c|COMPLETED|{times}\n201|200+1|a|c|COMPLETED|{times}\n",
                [("slurm-200+1.out", "201")],
            ),
            (
                "sacct.psv",
                f"{head}300|300|a|c|COMPLETED|{times}\n301|301|a|d|COMPLETED|{times}\n",
                [("slurm-301.out", "d/301")],
            ),
            (
                "pods.json",
                json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}),
                [("trainer-0.log", "ml/trainer"), ("0f3c-77.log", "ml/trainer")],
            ),
            ("accounting", pbs, [("train.o77.3", "77[3].server"), ("job-77_3.log", "77[3].server")]),
        ]
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for name, text, logs in cases:
            for path, job in logs:
                with self.subTest(path):
                    written = [self.write(name, text), self.write(path, log)]
                    self.assertEqual(
                        [(job,)],
                        self.db.execute(
                            "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                        ).fetchall(),
                    )
                for path in written:
                    os.remove(path)

    def test_a_log_names_its_job(self):
        """What a job prints of its environment, in the forms of the shell, of JSON, and of JSON in a string."""
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "trainer-0-x7k2p",
                "namespace": "ml",
                "uid": "0f3c-77",
                "labels": {"batch.kubernetes.io/job-name": "trainer"},
                "creationTimestamp": "2026-03-02T10:00:00Z",
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "trainer", "uid": "9", "controller": True}
                ],
            },
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
            "status": {"phase": "Running", "startTime": "2026-03-02T10:00:10Z"},
        }
        self.copy("sacct.psv", "events.psv")
        self.write("pods.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}))
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for said, job in (
            ("SLURM_JOB_ID=5102", "5102"),
            ('{"USER": "a", "SLURM_JOB_ID": "5102"}', "5102"),
            ('{"env": "{\\"SLURM_JOB_ID\\": \\"5102\\"}"}', "5102"),
            ("environ({'SLURM_JOBID': '5102', 'HOSTNAME': 'trainer-0-x7k2p'})", "5102"),
            ("HOSTNAME=trainer-0-x7k2p", "ml/trainer"),
            ('{"POD_NAME": "trainer-0-x7k2p", "HOSTNAME": "node"}', "ml/trainer"),
            ("export MY_POD_NAME='trainer-0-x7k2p'", "ml/trainer"),
            ("SLURM_JOB_ID=77", "77"),
            ("HOSTNAME=node-17", None),
            ("HOSTNAME=10-0-0-7", None),
        ):
            with self.subTest(said):
                self.write("train.log", said + "\n" + log)
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )

    def test_a_log_of_an_array_names_an_id_that_the_export_lacks(self):
        """sacct's own columns have JobID alone, 123_4, while the task prints 127; LSF's tasks print their array's id and their number."""
        line = "p|2026-03-02T09:00:00|2026-03-02T10:00:10|2026-03-02T10:05:10|COMPLETED|billing=1,gres/gpu:h100=8|1|00:05:00"
        self.write(
            "sacct.txt",
            "JobID|Partition|Submit|Start|End|State|AllocTRES|NNodes|Elapsed\n"
            + "".join(f"{job}|{line}\n" for job in ("123_4", "123_5", "9")),
        )
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        array = "SLURM_ARRAY_TASK_ID=4\nSLURM_JOB_ID=127\nSLURM_ARRAY_JOB_ID=123"
        for name, said, job in (
            ("slurm-123_4.out", "SLURM_JOB_ID=127", "123_4"),
            ("train.log", array, "123_4"),
            ("train.log", json.dumps({"SLURM_ARRAY_JOB_ID": "123", "SLURM_ARRAY_TASK_ID": "5"}), "123_5"),
            ("train.log", "SLURM_JOB_ID=127", "127"),
            ("run-9.log", "SLURM_JOB_ID=127", "127"),  # one number may be any
            ("slurm-123_4.out", "SLURM_JOB_ID=9", "9"),
            ("train.log", array.replace("127", "9"), "9"),
            ("train.log", array.replace("123", "124"), "127"),
        ):
            with self.subTest(name=name, said=said):
                path = self.write(name, said + "\n" + log)
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )
                os.remove(path)
        os.remove(os.path.join(self.folder, "sacct.txt"))
        for export, said, job in (
            ("lsf/lsb.acct", "LSB_JOBID=103\nLSB_JOBINDEX=2", "103[2]"),
            ("lsf/lsb.acct", "LSB_JOBINDEX=0\nLSB_JOBID=102", "102"),
            ("sge/accounting", "SGE_TASK_ID=1\nJOB_ID=103", "103.1"),
            ("sge/accounting", "JOB_ID=102\nSGE_TASK_ID=undefined", "102"),
        ):
            with self.subTest(export=export, said=said):
                paths = shutil.copy(os.path.join(ROOT, "fixtures", export), self.folder), self.write(
                    "train.log", said + "\n" + log
                )
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )
                for path in paths:
                    os.remove(path)

    def test_ambiguous_name(self):
        self.copy("sacct.psv", "events.psv")
        shutil.copy(os.path.join(EXPORTS, "job_5102.out"), os.path.join(self.folder, "5101-5102"))
        self.sums(self.folder)
        self.assertEqual(
            [("ambiguous_job",)],
            self.db.execute(
                "SELECT kind FROM mpg_issues WHERE severity = 'warning' AND source LIKE '%5101-5102'"
            ).fetchall(),
        )

    def jobs_of_one_name(self, *times):
        """An export of jobs 11, 12, ... by the name of llama, each five minutes of 8 chips from a time of the day."""
        head = "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
        return head + "".join(
            f"{job}|{job}|llama|c|TIMEOUT|2026-03-02T09:00:00|2026-03-02T{at}:10|2026-03-02T{at[:3]}{int(at[3:]) + 5:02}:10|1|gres/gpu=8|gres/gpu=8|n1\n"
            for job, at in enumerate(times, 11)
        )

    def log_of(self, *hours):
        """Steps of five minutes at each hour, as the log of job 5102 has them, whose steps end from 10:01:25 on."""
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            head, *lines = file.read().splitlines(keepends=True)
        return head + "".join(line.replace(" 10:0", f" {hour}:0") for hour in hours for line in lines)

    def steps_of(self, path):
        return dict(self.sums(path, "job")[1:]), dict(
            self.db.execute(
                "SELECT job, sum(chip_us) / 8000000 FROM trace_rollup(?) WHERE category IN ('unrated', 'ideal', 'inefficiency', 'lost') "
                "GROUP BY job",
                (path,),
            )
        )

    def test_a_name_of_several_jobs_and_the_time(self):
        """The job that ran when the log was written; of jobs that ran at once none."""
        self.write("sacct.psv", self.jobs_of_one_name("09:00", "10:00", "11:00"))
        self.write("llama.out", self.log_of("10"))
        self.assertEqual(
            [("12", '{"job":"by its name and its time"}')],
            self.db.execute(
                "SELECT job, inferred FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
            ).fetchall(),
        )
        self.assertEqual(["12"], list(self.steps_of(self.folder)[1]))
        self.write("sacct.psv", self.jobs_of_one_name("10:00", "10:00", "11:00"))
        self.sums(self.folder)
        self.assertEqual(
            [("its name fits more than one job: 11,12",)],
            self.db.execute("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job'").fetchall(),
        )

    def test_one_log_of_jobs_one_after_the_other(self):
        """Each has the steps that ran in its time, whether the log has their name or the id of the first."""
        self.write("sacct.psv", self.jobs_of_one_name("09:00", "10:00", "11:00"))
        once = self.write("12.out", self.log_of("10"))
        one = self.steps_of(self.folder)[1]["12"]
        os.remove(once)
        for name in ("llama.out", "slurm-11.out"):
            with self.subTest(name):
                path = self.write(name, self.log_of("09", "10", "11"))
                self.assertEqual({"11": one, "12": one, "13": one}, self.steps_of(self.folder)[1])
                self.assertEqual(
                    0,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind IN ('span_without_allocation', 'unmatched_log', 'ambiguous_job')"
                    ),
                )
                self.assertEqual(
                    [(None, "by the times of its records: 3 jobs")],
                    self.db.execute(
                        "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'",
                        (self.folder,),
                    ).fetchall(),
                )
                os.remove(path)

    def test_runs_that_follow_a_complete_one_in_one_job(self):
        """The scheduler sees one attempt. Neither run undoes the other, whether the log's job was found or given, and none has other chips."""
        self.write(
            "sacct.psv", self.jobs_of_one_name("10:00").replace("10:05:10", "10:25:10").replace("TIMEOUT", "COMPLETED")
        )
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            megatron = file.read().replace("/     100", "/       8")
        head, *lines = megatron.splitlines(keepends=True)
        megatron += "".join(lines).replace(" 10:0", " 10:1")
        with open(os.path.join(EXPORTS, "maxtext-5101.log"), encoding="utf-8") as file:
            head, config, *lines = file.read().splitlines(keepends=True)
        lines = [line for line in lines if "completed step" in line]
        maxtext = head + config + "".join(lines) + head + config + "".join(lines).replace(" 10:0", " 10:1")
        for text, steps, seconds in ((megatron, 16, 25), (maxtext, 20, 20)):
            for options in ({}, {"job": "11"}):
                with self.subTest(head=text[:10], options=options):
                    log = self.write("slurm-11.log" if not options else "run.log", text)
                    path = json.dumps(
                        {"sources": [{"path": os.path.join(self.folder, "sacct.psv")}, {"path": log, **options}]}
                    )
                    rows = self.sums(path, "job, category")
                    os.remove(log)
                    self.assertEqual({"11"}, {job for job, *_ in rows if job})
                    self.assertEqual(
                        steps * seconds * 8 * 10**6,
                        sum(us for _, category, us in rows if category in ("unrated", "ideal", "inefficiency")),
                    )
                    self.assertEqual([], [row for row in rows if row[1] == "lost"])

    def test_a_log_of_no_job(self):
        """Its chips count beside those of the scheduler, which is said; not if it is of another month."""
        self.copy("sacct.psv", "events.psv")
        for day, said in (("2026-03-02", 1), ("2026-04-02", 0)):
            with self.subTest(day):
                self.write("run.out", self.log_of("10").replace("2026-03-02", day))
                self.sums(self.folder)
                self.assertEqual(
                    said,
                    self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_log' AND source LIKE '%run.out'"),
                )

    def test_a_log_of_another_time(self):
        self.copy("sacct.psv", "events.psv")
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            path = self.write("job_5102.out", file.read().replace("2026-03-02", "2026-05-09"))
        self.sums(self.folder)
        self.assertEqual(1, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'job_at_another_time'"))
        given = json.dumps({"sources": [{"path": os.path.join(self.folder, "*.psv")}, {"path": path, "job": "5102"}]})
        self.sums(given)  # the option is no guess: it stays the job's, and what lies outside is listed
        self.assertEqual(
            [("span_without_allocation",)],
            self.db.execute(
                "SELECT kind FROM mpg_issues WHERE kind IN ('job_at_another_time', 'span_without_allocation', 'unmatched_log')"
            ).fetchall(),
        )

    def test_native_beside_others(self):
        self.copy("sacct.psv", "events.psv")
        for name in os.listdir(os.path.join(ROOT, "fixtures", "golden")):
            shutil.copy(os.path.join(ROOT, "fixtures", "golden", name), self.folder)
        golden = dict(
            self.db.execute(
                "SELECT category, sum(chip_us) FROM trace_rollup(?) WHERE job IN ('J1', 'J2') GROUP BY 1",
                (os.path.join(ROOT, "fixtures", "golden"),),
            )
        )
        self.assertEqual(
            golden,
            dict(
                self.db.execute(
                    "SELECT category, sum(chip_us) FROM trace_rollup(?) WHERE job IN ('J1', 'J2') GROUP BY 1",
                    (self.folder,),
                )
            ),
        )

    def test_records_of_others(self):
        """What Loguru serialises has a record, which is an object: a log. A native record that is misspelt is named as one."""
        lines = [
            json.dumps(
                {
                    "text": f"x | iteration {step}/ 100 |\n",
                    "record": {
                        "message": f"iteration {step}/ 100 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.0 |",
                        "job": "a",
                        "time": {"timestamp": 1793491200 + step},
                    },
                }
            )
            for step in range(1, 9)
        ]
        log = "\n".join(lines) + "\n"
        for at, text in enumerate((log, '{"record": null, "job": "a"}', '{"record": "A", "name": "example.org"}')):
            path = self.folder_of({"run.log": text})
            self.assertNotIn("native", str(self.rows("SELECT format FROM trace_sources(?)", path)))
            self.assertEqual(
                [] if at == 0 else [("ignored_file",)],
                self.rows("SELECT DISTINCT kind FROM mpg_issues WHERE kind IN ('ignored_file', 'unreadable_file')"),
                text,
            )
        self.assertEqual(
            [(8,)], self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?)", self.folder_of({"run.log": log}))
        )
        for text in (
            '{"record":"spans","job":"a"}\n',
            '{"record" : "Job", "job":"a"}\n',
            '{"record":"x","pool":"a"}\n',
            '{"record":5,"pool":"a"}\n{"record":"job","job":"a"}\n',
        ):
            self.assertRegex(
                str(self.rows("SELECT reason FROM trace_sources(?)", self.folder_of({"run.jsonl": text}))),
                "expected a record of capacity, outage",
                text,
            )
        self.assertEqual(
            [("native",)],
            self.rows(
                "SELECT format FROM trace_sources(?)", self.folder_of({"run.json": '[{"job":"a","record":"job"}]'})
            ),
        )

    def test_a_native_trace_calls_a_job_by_its_alias(self):
        """Programs know an array's task as 123_4, Slurm's database as 127 as well; with and without records of the jobs."""
        self.write(
            "sacct.psv",
            "JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes|Elapsed\n"
            + "".join(
                f"123_{task}|{raw}|p|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T10:00:00|COMPLETED|billing=1,gres/gpu:h100=8|1|01:00:00\n"
                for task, raw in ((4, 127), (5, 128))
            ),
        )
        spans = "".join(
            f'{{"record":"span","job":"123_{task}","kind":"{kind}","start_time":"2026-03-02T{a}:00Z","end_time":"2026-03-02T{b}:00Z","step":0}}\n'
            for task in (4, 5)
            for kind, a, b in (("init", "09:00", "09:10"), ("step", "09:10", "10:00"))
        )
        for jobs in ("", '{"record":"job","job":"123_4"}\n{"record":"job","job":"123_5"}\n'):
            self.write("spans.jsonl", jobs + spans)
            self.assertEqual(
                [
                    (job, category, minutes * 60 * 8 * 10**6)
                    for job in ("127", "128")
                    for category, minutes in (("startup", 10), ("unrated", 50))
                ],
                self.rows("SELECT job, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2", self.folder),
            )
            self.assertEqual([], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'span_without_allocation'"))

    def test_a_native_trace_that_differs_from_the_scheduler(self):
        """The scheduler says who held what; what the trace says else of a job is listed."""
        self.copy("sacct.psv", "events.psv")
        right = self.sums(self.folder)
        for chips, end, said in ((8, "10:05:10", 0), (16, "10:05:10", 1), (8, "10:04:00", 1)):
            with self.subTest(chips=chips, end=end):
                self.write(
                    "allocations.csv",
                    f"job,attempt,pool,chips,start_time,end_time,outcome\n5101,1,pod,{chips},2026-03-02T10:00:10Z,2026-03-02T{end}Z,completed\n",
                )
                self.assertEqual(right, self.sums(self.folder))
                self.assertEqual(
                    said,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind = 'conflicting_job' AND detail LIKE '%job 5101 held%'"
                    ),
                )


class Tables(Folder):
    FLEET = os.path.join(EXPORTS, "fleet.json")

    def test_a_native_trace_that_installs_what_the_scheduler_does(self):
        """Both count, and that is said; what it installs at other times, or in other pools, adds up."""
        self.copy("sacct.psv", "events.psv")
        for pool, start, end, listed in (
            ("pod", "10:00:00", "10:30:00", 1),
            ("pod", "09:00:00", "10:00:00", 0),
            ("other", "10:00:00", "10:30:00", 0),
        ):
            self.write(
                "capacity.csv",
                f"pool,chip,chips,start_time,end_time\n{pool},nvidia-h100-sxm,16,2026-03-02T{start}Z,2026-03-02T{end}Z\n",
            )
            self.write(
                "outages.csv",
                f"pool,chips,start_time,end_time,kind\n{pool},8,2026-03-02T{start}Z,2026-03-02T{end}Z,hw_down\n",
            )
            self.sums(self.folder)
            self.assertEqual(
                [("warning", "pod")] * listed,
                self.rows(
                    "SELECT severity, substr(detail, instr(detail, 'pool ') + 5, 3) FROM mpg_issues WHERE kind = 'conflict' AND detail LIKE '%of capacity%'"
                ),
                (pool, start),
            )

    def test_import(self):
        told = json.loads(self.one("SELECT mpg_import(?)", self.FLEET))
        self.assertEqual(
            told, {"capacity": 1, "outages": 0, "jobs": 2, "allocations": 2, "spans": 18, "commits": 2, "programs": 1}
        )
        self.assertEqual(
            self.sums(self.FLEET),
            self.db.execute("SELECT job, category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2").fetchall(),
        )
        self.assertEqual(told, json.loads(self.one("SELECT mpg_import(?)", self.FLEET)))

    def test_a_failed_import_changes_nothing(self):
        self.one("SELECT mpg_import(?)", self.FLEET)
        self.assertIn("mpg_import: trace_records: no such file: /nowhere", self.error("SELECT mpg_import('/nowhere')"))
        self.assertIn("mpg_required", self.error("SELECT mpg_import(NULL)"))
        self.assertEqual(2, self.one("SELECT count(*) FROM temp.jobs"))

    def test_build_adds_what_is_new_once(self):
        added = json.loads(self.one("SELECT mpg_build(?)", self.FLEET))
        self.assertEqual((2, 18), (added["jobs"], added["spans"]))
        self.assertEqual({0}, set(json.loads(self.one("SELECT mpg_build(?)", self.FLEET)).values()))
        self.assertAlmostEqual(
            self.one("SELECT MPG FROM goodput_by_pool"),
            self.one("SELECT mpg(category, chip_us) FROM trace_rollup(?)", self.FLEET),
            12,
        )
        self.assertIn("no such file", self.error("SELECT mpg_build('/nowhere')"))
        self.assertEqual(18, self.one("SELECT count(*) FROM spans"))
        self.db.execute("BEGIN")
        self.assertIn("expected no open transaction", self.error("SELECT mpg_build(?)", self.FLEET))
        self.db.execute("ROLLBACK")

    def test_labels_of_a_fleet_file_are_columns(self):
        """As if mpg_config had named them; the sums by a label are those of the labels in the records."""
        fleet = os.path.join(ROOT, "fixtures", "fleet")
        text = json.dumps({"sources": [{"path": fleet}], "labels": ["cost_center", "team"]})
        self.one("SELECT mpg_build(?)", text)
        self.assertEqual("cost_center,team", self.one("SELECT value FROM mpg_config WHERE name = 'labels'"))
        expected = {}
        for labels, us in self.db.execute(
            "SELECT labels, sum(chip_us) FROM trace_rollup(?) WHERE job IS NOT NULL GROUP BY job", (fleet,)
        ):
            key = json.loads(labels)["cost_center"]
            expected[key] = expected.get(key, 0) + us
        self.assertGreater(len(expected), 2)
        self.assertEqual(
            expected,
            dict(self.db.execute("SELECT cost_center, sum(chip_us) FROM cells WHERE job IS NOT NULL GROUP BY 1")),
        )
        self.one("SELECT mpg_build(?)", json.dumps({"sources": [{"path": fleet}]}))  # which names none: as before
        self.assertEqual(len(expected), self.one("SELECT count(DISTINCT cost_center) FROM ledger"))
        self.assertEqual(
            self.db.execute("SELECT sum(chip_us) FROM trace_rollup(?)", (text,)).fetchall(),
            self.db.execute("SELECT sum(chip_us) FROM trace_rollup(?)", (fleet,)).fetchall(),
        )


class Trouble(Folder):
    def test_a_bad_file_stops_nothing_but_itself(self):
        self.copy("sacct.psv", "events.psv", "job_5102.out")
        expected = self.sums(self.folder)
        bad = self.write(
            "pods.json", '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", '
        )
        self.assertEqual(expected, self.sums(self.folder))
        self.assertEqual(
            [(bad, "data_loss")],
            self.db.execute("SELECT source, severity FROM mpg_issues WHERE kind = 'unreadable_file'").fetchall(),
        )
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute("SELECT count(*) FROM trace_rollup(?) WHERE on_error = 'stop'", (self.folder,)).fetchall()
        self.assertTrue(
            str(caught.exception).startswith("trace_rollup: ") and bad in str(caught.exception), caught.exception
        )
        self.assertEqual(
            1, self.one("SELECT count(*) FROM trace_sources(?) WHERE reason LIKE 'cannot be read: %'", self.folder)
        )

    def test_what_to_give_instead_is_the_error(self):
        """Of a file alone, or the first of a folder in which nothing is read."""
        path = self.write("sacct.csv", "JobID,State,AllocTRES\n1,COMPLETED,cpu=1\n")
        for where in (path, self.folder):
            with self.assertRaisesRegex(
                sqlite3.OperationalError, "sacct.csv: expected .* found columns of sacct with commas"
            ):
                self.sums(where)

    def test_only_files_that_hold_no_fleet(self):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute(
                "SELECT count(*) FROM trace_rollup(?)", (os.path.join(EXPORTS, "train_step.hlo"),)
            ).fetchall()
        self.assertIn("expected a scheduler's records", str(caught.exception))

    def test_nothing_shows_in_the_user_s_schema(self):
        self.sums(EXPORTS)
        self.assertEqual(
            [], self.db.execute("SELECT name FROM sqlite_schema UNION SELECT name FROM sqlite_temp_schema").fetchall()
        )

    def test_the_user_s_chips(self):
        self.db.execute("CREATE TABLE chips AS SELECT 'site-chip' AS chip, 'bf16' AS dtype, 1e15 AS peak_flops")
        text = json.dumps(
            {
                "sources": [
                    {"path": os.path.join(EXPORTS, "*.psv"), "chip": "site-chip"},
                    {"path": os.path.join(EXPORTS, "*.log")},
                    {"path": os.path.join(EXPORTS, "*.out")},
                ]
            }
        )
        self.assertAlmostEqual(
            self.one("SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE category = 'ideal'", text),
            (10 * 20 * 200e12 + 4 * 25 * 150e12) * 8 / 1e15,
            3,
        )

    def test_the_user_s_reasons_of_outages(self):
        """A table outage_reasons adds to what slurm.sql knows, in the database and as a TEMP table."""
        self.copy("sacct.psv")
        self.write(
            "events.psv",
            "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\npod|Cluster||2026-03-02T10:00:00|2026-03-02T10:06:00|||gres/gpu=24\n"
            "pod|Node|n3|2026-03-02T10:01:00|2026-03-02T10:02:00|ask bob|DRAIN|gres/gpu=8\n",
        )
        for name in os.listdir(self.folder):  # old enough to be kept
            os.utime(os.path.join(self.folder, name), (1700000000, 1700000000))
        for schema, kind in (("main", "maintenance"), ("temp", "hw_down")):
            with self.subTest(schema):
                self.assertEqual(8 * 60 * 10**6, dict(self.sums(self.folder, "cause"))["drained"])
                self.db.execute(
                    f"CREATE TABLE {schema}.outage_reasons AS SELECT 'ask bob' AS pattern, '{kind}' AS kind"
                )
                self.assertEqual(8 * 60 * 10**6, dict(self.sums(self.folder, "cause"))[kind])
                self.db.execute(f"DROP TABLE {schema}.outage_reasons")

    def test_logs_of_several_ranks_are_listed(self):
        """Without a scheduler each log is a job: two of as many chips at the same time may be of one job."""
        line = " [2026-03-02 09:00:{0:06.3f}] iteration {0:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0E+00 |\n"

        def log(first):
            return "using world size: 8\n" + "".join(line.format(i) for i in range(first, 21))

        for second, listed in ((1, 1), (8, 0)):
            self.write("rank0.log", log(1))
            self.write("rank7.log", "of rank 7\n" + log(second))
            self.rows("SELECT count(*) FROM trace_rollup(?)", self.folder)
            self.assertEqual(
                [(listed,)],
                self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'parallel_logs' AND severity = 'warning'"),
            )

    def test_issues_name_files(self):
        """What a script lists is of its files, and what reading its relations finds is of the path: no user knows temp.jobs."""
        philly = os.path.join(ROOT, "fixtures", "public", "philly")
        self.rows("SELECT count(*) FROM trace_records(?)", philly)
        self.rows("SELECT count(*) FROM trace_records(?)", philly)
        self.assertEqual(
            [(philly + "/cluster_job_log", 2)],
            self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'left_out'"),
        )
        for name, job in (("a.log", 1), ("b.log", 2)):
            self.write(
                name,
                f"03/31/2025 10:00:00;E;{job}.pod;user=u queue=q ctime=1743411600 qtime=1743411600 etime=1743411600 start=1743411600 end=1743411000 "
                "exec_host=n1/0 Resource_List.ngpus=2 Exit_status=0 resources_used.ngpus=2\n",
            )
        self.rows("SELECT count(*) FROM trace_ledger(?)", self.folder)
        sources = {source for source, in self.rows("SELECT source FROM mpg_issues")}
        self.assertEqual(set(), {source for source in sources if source.startswith(("temp.", "["))})
        self.assertIn(self.folder + "/a.log and 1 more", sources)

    def test_issues_of_files_that_are_gone(self):
        """Who reads a folder or a glob again is told what is there now, whether the answer is read or comes from memory; and nothing of other paths is forgotten."""
        bad = "JobID|State\n1|NOVEL|\n"
        here, other, native = (os.path.join(self.folder, name) for name in ("here", "other", "native"))
        away = os.path.join(self.folder, "away")
        for name in ("here/deep/er", "other", "native"):
            os.makedirs(os.path.join(self.folder, name))
        self.write("other/x.psv", bad)
        for name in ("a.psv", "b.psv", "deep/er/c.psv"):
            self.write("here/" + name, bad)
        for name in ("a", "b", "c"):
            self.write(
                f"native/{name}.jsonl",
                '{"record": "allocation", "job": "'
                + name
                + '", "pool": "p", "chips": 1, "start_time": 0, "end_time": 9, "odd": 1}\n',
            )
        listed = lambda path: {
            source.replace(path, "").strip("/")
            for source, in self.rows(
                "SELECT source FROM mpg_issues WHERE source LIKE ? || '/%.%' AND source NOT LIKE '%*%'", path
            )
        }
        readings = [
            ("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", here, path)
            for path in (here, here + "/", here + "/**", here + "/**/*.psv")
        ]
        readings += [
            (f"SELECT count(*) FROM {table}(?)", native, path)
            for table in ("trace_rollup", "trace_ledger", "trace_records")
            for path in (native, native + "/*.jsonl", native + "//")
        ]
        for sql, folder, path in readings:
            self.rows("SELECT count(*) FROM slurm_trace(?) WHERE on_error = 'skip'", other)
            self.rows(sql, path)
            before = listed(folder)
            gone = min(before)
            self.assertEqual(3, len(before), (sql, path))
            os.rename(os.path.join(folder, gone), away)
            for _ in range(2):
                self.rows(sql, path)
                self.assertEqual(before - {gone}, listed(folder), (sql, path))
            os.rename(away, os.path.join(folder, gone))
            if path == native:
                time.sleep(2.1)  # old enough for the answer to stay in memory
            for _ in range(2):  # as it was: the answer may be one of before
                self.rows(sql, path)
                self.assertEqual(before, listed(folder), (sql, path))
                shutil.copy(os.path.join(folder, gone), os.path.join(folder, "zz." + gone.rpartition(".")[2]))
                self.rows(sql, path)
                self.assertTrue(any("zz" in name for name in listed(folder)))
                os.remove(os.path.join(folder, "zz." + gone.rpartition(".")[2]))
            self.rows(sql, path)
            self.assertEqual(before, listed(folder), (sql, path))
            self.assertEqual({"x.psv"}, listed(other))

    def test_errors_name_the_path(self):
        path = self.write(
            "fleet.json",
            json.dumps({"sources": [{"path": os.path.join(EXPORTS, "maxtext-5101.log"), "year": 2026, "chips": 1e15}]}),
        )
        self.assertRegex(
            self.error("SELECT count(*) FROM trace_ledger(?) WHERE on_error = 'stop'", path), rf"{path}: \w+:\d+: "
        )

    def test_kept_and_noticed(self):
        self.copy("sacct.psv", "events.psv")
        for name in os.listdir(self.folder):
            os.utime(os.path.join(self.folder, name), (1700000000, 1700000000))
        first = self.sums(self.folder)
        self.assertEqual(first, self.sums(self.folder))
        self.copy("maxtext-5101.log")
        self.assertNotEqual(first, self.sums(self.folder))
        os.remove(os.path.join(self.folder, "maxtext-5101.log"))
        self.assertEqual(first, self.sums(self.folder))

    def test_interrupted(self):
        other = connect()
        other.set_progress_handler(lambda: 1, 1)
        with self.assertRaises(sqlite3.OperationalError):
            other.execute("SELECT count(*) FROM trace_rollup(?)", (EXPORTS,)).fetchall()


if __name__ == "__main__":
    unittest.main()
