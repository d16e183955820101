"""MLPerf's logs: mllog_trace and the mapping sql/formats/mllog.sql.

What the table says is held against a reading of the same lines by Python's json, and the minutes to train of real
submissions against the published scores."""

import glob
import gzip
import json
import os
import shutil
import re
import sqlite3
import statistics
import subprocess
import tempfile
import unittest

import cases
from fleets import ROOT, connect

FIXTURES = sorted(glob.glob(os.path.join(ROOT, "fixtures/mlperf/results/*/*/result_*.txt")))
REAL = os.path.join(ROOT, "../shared/traces/mlperf")
OF_METADATA = "file lineno step step_num samples_count epoch_num first_epoch_num epoch_count status".split()
SHARED = unittest.skipUnless(os.path.isdir(REAL), "../shared/traces/mlperf is not here")


def record(time_ms, key, value=None, **metadata):
    return (
        ":::MLLOG "
        + json.dumps(
            {
                "namespace": "",
                "time_ms": time_ms,
                "event_type": "POINT_IN_TIME",
                "key": key,
                "value": value,
                "metadata": {"file": "t.py", "lineno": 1, **metadata},
            }
        )
        + "\n"
    )


def read_plain(path):
    """(line, prefix, object) of each record, by Python's json; and how many lines are none."""
    records, others = [], 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            prefix, found, text = line.partition(":::MLLOG")
            if found:
                records.append((number, prefix.strip() or None, json.loads(text)))
            else:
                others += 1
    return records, others


def score(paths, factor):
    minutes = []
    for path in paths:
        at = {}
        for _, _, found in read_plain(path)[0]:
            if found["key"] in ("run_start", "run_stop"):
                at[found["key"]] = found["time_ms"]
        minutes.append((at["run_stop"] - at["run_start"]) / 60000)
    return statistics.mean(sorted(minutes)[1:-1]) * factor


class Case(cases.Case):
    FILE = "result_0.txt"

    def map(self, path, system=None, chips=None, chip=None, pool=None, files=()):
        self.db.execute("CREATE TEMP TABLE mlperf_log AS SELECT *, _file, _line FROM mllog_trace(?)", (path,))
        self.db.execute("CREATE TEMP TABLE mlperf_given(system TEXT, chips REAL, chip TEXT, pool TEXT)")
        self.db.execute("INSERT INTO temp.mlperf_given VALUES (?, ?, ?, ?)", (system, chips, chip, pool))
        self.db.execute("CREATE TEMP TABLE mlperf_files(path TEXT, json TEXT)")
        for name in files:
            with open(name, encoding="utf-8") as file:
                self.db.execute("INSERT INTO temp.mlperf_files VALUES (?, ?)", (name, file.read()))
        self.script("formats/mllog.sql")

    def map_text(self, text, **given):
        self.map(self.file(text), **{"chips": 1, **given})


class Table(Case):
    def compare(self, path):
        wanted = []
        plain, others = read_plain(path)
        for number, prefix, found in plain:
            metadata, value = found["metadata"], found["value"]
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            wanted.append(
                (
                    number,
                    prefix,
                    found["namespace"],
                    found["time_ms"],
                    found["event_type"],
                    found["key"],
                    value,
                    float(value) if is_number else None,
                    metadata,
                    *map(metadata.get, OF_METADATA),
                )
            )
        found = [
            (*row[:6], None if row[6] is None else json.loads(row[6]), row[7], json.loads(row[8]), *row[9:])
            for row in self.rows(
                f"SELECT _line, prefix, namespace, time_ms, event_type, key, value, value_number, metadata, "
                f"{', '.join(OF_METADATA)} FROM mllog_trace(?)",
                path,
            )
        ]
        self.assertEqual(found, wanted)
        self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted])
        self.assertEqual(self.issues(path), {"other_lines": others} if others else {})
        return len(found)

    def test_fixtures(self):
        self.assertEqual([self.compare(path) for path in FIXTURES], [37, 25, 30])

    @SHARED
    def test_real_logs(self):
        paths = sorted(glob.glob(os.path.join(REAL, "*", "*__result_*.txt")))
        self.assertEqual((len(paths), sum(map(self.compare, paths))), (33, 2688))

    def test_gzip_and_glob(self):
        with open(FIXTURES[0], "rb") as file:
            packed = self.file(gzip.compress(file.read()), "result_0.txt.gz")
        self.assertEqual(
            self.rows("SELECT *, _line FROM mllog_trace(?)", packed),
            self.rows("SELECT *, _line FROM mllog_trace(?)", FIXTURES[0]),
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT _file FROM mllog_trace(?)", os.path.dirname(FIXTURES[0]) + "/result_*"),
            [(path,) for path in FIXTURES],
        )

    def test_broken_lines(self):
        path = self.file("hello\n" + record(1, "a") + '0: :::MLLOG {"time_ms": 1, "key": }\n' + record(2, "b"))
        message = f"{path}:3:35: expected a value, found '}}'"
        self.assertEqual(self.error("SELECT * FROM mllog_trace(?)", path), f"mllog_trace: {message}")
        self.assertEqual(self.rows("SELECT key, _line FROM mllog_trace(?, 'skip')", path), [("a", 2), ("b", 4)])
        self.assertEqual(
            self.rows(
                "SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? ORDER BY kind", path
            ),
            [
                ("info", "other_lines", 1, 1, "lines without :::MLLOG were passed over"),
                ("data_loss", "skipped_record", 3, 1, message),
            ],
        )

    def test_lines_in_json(self):
        """As Docker's json-file and collectors keep a line: the records are the same."""
        lines = [
            *self.read(FIXTURES[0]),
            "0: " + record(9, "named", 'a "quoted" \\ name\t\u00e4 <b>', note="x\ny"),
            record(10, "b", {"c": [1, "2"]}),
        ]
        select = "SELECT *, _line FROM mllog_trace(?)"
        plain = self.rows(select, self.file("".join(lines)))
        self.assertGreater(len(plain), 30)
        for ascii in (True, False):
            for form in (
                lambda line: {"log": line, "stream": "stdout", "time": "2026-03-03T10:00:00.5Z"},
                lambda line: {"date": 1772532000.5, "message": line.rstrip()},
                lambda line: {"time": "x", "kubernetes": {"pod": "p"}, "line": line},
            ):
                text = "".join(
                    json.dumps(form(line), ensure_ascii=ascii).replace("<", "\\u003c") + "\n" for line in lines
                )
                path = self.file(text)
                self.assertEqual(plain, self.rows(select, path))
                self.assertEqual([("mllog",)], self.rows("SELECT format FROM trace_sources(?)", path))
        path = self.file(text[:-30])
        self.assertEqual(plain[:-1], self.rows(select, path))
        self.assertEqual(
            {"unfinished_line": 1}, {kind: count for kind, count in self.issues(path).items() if kind != "other_lines"}
        )

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.readlines()

    def test_lines_of_launchers(self):
        """torchrun, mpirun and others put who wrote it before each line, with a space after it or without."""
        for before in (
            "[default0]:",
            "[rank0]:",
            "0: ",
            "0:",
            "[1,0]<stdout>:",
            "[1,0]<stdout> ",
            "worker-0| ",
            "(pid=7)",
        ):
            path = self.file(before + record(1772532000000, "run_start") + before + record(1772532060000, "run_stop"))
            self.assertEqual([("mllog",)], self.rows("SELECT format FROM trace_sources(?)", path), before)
            self.assertEqual([("run_start",), ("run_stop",)], self.rows("SELECT key FROM mllog_trace(?)", path), before)

    def test_other_files(self):
        for text, lines in (
            (b"", 0),
            (b"a,b\n1,2\n", 2),
            (b"\x7fELF\0\0\xff\xfe", 1),
            (b'{"scaling_factor": 1.05}', 1),
        ):
            path = self.file(text)
            self.assertEqual(
                self.error("SELECT * FROM mllog_trace(?)", path),
                f'mllog_trace: {path}:1:1: expected lines with :::MLLOG {{"namespace": ..., found none in {lines} lines',
            )
        self.assertEqual(
            self.error("SELECT * FROM mllog_trace"), "mllog_trace: expected a path, as in mllog_trace('result_0.txt')"
        )
        self.assertEqual(self.rows("SELECT * FROM mllog_trace(NULL)"), [])

    def test_a_log_that_is_still_written(self):
        whole = record(1, "a") + record(2, "b")
        for n in range(len(record(1, "a")) + len(":::MLLOG"), len(whole) - 2):
            path = self.file(whole[:n])
            self.assertEqual(self.rows("SELECT key FROM mllog_trace(?)", path), [("a",)], n)
            self.assertEqual(self.issues(path), {"unfinished_line": 1})
        self.assertEqual(self.rows("SELECT key FROM mllog_trace(?)", self.file(whole[:-1])), [("a",), ("b",)])

    def test_a_damaged_stream(self):
        """What could be unpacked is read; the end is an error, told once."""
        whole = b"".join(
            (record(n, f"k{n * 7919 % 10007}") + f"noise {n * 104729 % 1000003}\n").encode() for n in range(20000)
        )
        path = self.file(gzip.compress(whole)[:-5000], "result_0.txt.gz")
        self.assertTrue(
            self.error("SELECT max(_line) FROM mllog_trace(?)", path).startswith(
                f"mllog_trace: {path}: truncated gzip stream"
            )
        )
        found = self.one("SELECT count(*) FROM mllog_trace(?, 'skip')", path)
        self.assertEqual(self.issues(path)["skipped_record"], 1)
        self.assertEqual(
            self.rows("SELECT key FROM mllog_trace(?, 'skip')", path), [(f"k{n * 7919 % 10007}",) for n in range(found)]
        )
        self.assertGreater(found, 5000)

    def test_memory_does_not_grow(self):
        line = record(1795240000000, "tracked_stats", {"throughput": 1.5}, step=1) + "noise\n" * 3
        path = self.file(line * 200_000)
        script = (
            "import re, sqlite3, sys; db = sqlite3.connect(':memory:'); db.enable_load_extension(True); db.load_extension('./mpg')\n"
            "print(db.execute('SELECT count(*), sum(step) FROM mllog_trace(?)', (sys.argv[1],)).fetchone(), "
            "re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        found = subprocess.run(
            ["/usr/bin/python3", "-c", script, path], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        counts, kilobytes = re.fullmatch(r"(.*) (\d+)\n", found).groups()
        self.assertEqual(counts, "(200000, 200000)")
        self.assertLess(int(kilobytes) * 1024, 40_000_000)
        self.assertGreater(os.path.getsize(path), 40_000_000)


@SHARED
class Published(Case):
    """Minutes to train of real submissions; unrounded against the rule worked in Python, rounded against the table of results."""

    def check(self, pattern, system, organization, benchmark, factor, chips, wanted=None):
        paths = sorted(glob.glob(os.path.join(REAL, pattern)))
        scaling = glob.glob(os.path.join(REAL, os.path.dirname(pattern), "*scaling.json"))
        with open(os.path.join(REAL, system), encoding="utf-8") as file:
            self.map(os.path.join(REAL, pattern), system=file.read(), files=scaling)
        found = self.rows("SELECT organization, benchmark, chips, runs, successes, minutes FROM mlperf_scores")
        self.assertEqual([row[:5] for row in found], [(organization, benchmark, chips, len(paths), len(paths))])
        minutes = found[0][5]
        self.assertAlmostEqual(minutes, score(paths, factor), places=9)
        if wanted is not None:
            self.assertEqual(round(minutes, 3), wanted)
        held = self.one("SELECT sum(chips * (run_stop_ms - init_start_ms)) * 1000 FROM mlperf_runs")
        self.assertEqual(self.one("SELECT sum(chip_us) FROM mpg_ledger"), held)
        self.assertEqual(self.one("SELECT scheduling_goodput(category, chip_us) FROM mpg_rollup"), 1.0)
        # Time that no span explains is milliseconds between two lines of the log.
        self.assertLess(
            self.one("SELECT sum(chip_us) FILTER (WHERE category = 'unknown') FROM mpg_rollup"), held * 2e-5
        )

    def test_gpt3_on_4096_v5e(self):
        self.check(
            "v3.1/*gpt3__result_*.txt",
            "v3.1/Google__systems__cloud-tpu-v5e-4096-PAX.json",
            "Google",
            "gpt3",
            1,
            4096,
            44.685,
        )
        # Starts that a second stream wrote once more behind the end change nothing; the first block has no start.
        self.assertEqual(
            self.rows("SELECT kind, count(*) FROM spans GROUP BY job, kind"), [("init", 1), ("step", 24)] * 3
        )
        self.assertEqual(self.rows("SELECT sum(end_time IS NULL) FROM spans"), [(0,)])

    def test_llama2_70b_lora_on_8_mi355x(self):
        self.check(
            "v5.1/*llama2_70b_lora__result_*.txt",
            "v5.1/AMD__systems__MI355X_EPYC_9575F_pytorch.json",
            "AMD",
            "llama2_70b_lora",
            1.0033670033670032,
            8,
            10.185,
        )
        self.assertEqual(
            self.one(
                "SELECT round(avg(minutes), 3) FROM (SELECT minutes FROM mlperf_runs ORDER BY minutes LIMIT 8 OFFSET 1)"
            ),
            10.151,
        )
        self.assertEqual(
            set(self.rows("SELECT kind, program, executions FROM spans")),
            {
                ("init", None, None),
                ("eval", None, None),
                ("step", "llama2_70b_lora", 192),
                ("step", "llama2_70b_lora", 48),
            },
        )

    def test_llama31_8b_on_8_mi355x(self):
        self.check(
            "v5.1/*llama31_8b__result_*.txt",
            "v5.1/AMD__systems__MI355X_EPYC_9575F_pytorch.json",
            "AMD",
            "llama31_8b",
            1.004011735824202,
            8,
        )
        # Eight ranks, one initialisation.
        self.assertEqual(
            self.rows("SELECT job, count(*) FROM spans WHERE kind = 'init' GROUP BY job HAVING count(*) <> 1"), []
        )
        self.assertEqual(
            self.one(
                "SELECT count(*) FROM mlperf_runs AS r JOIN spans AS s USING (job) WHERE kind = 'init' "
                "AND s.start_time * 1000 = init_start_ms AND s.end_time * 1000 <= run_start_ms"
            ),
            10,
        )

    def test_stable_diffusion_on_256_trillium(self):
        self.check(
            "v5.0/*result_*.txt",
            "v5.0/Google__systems__cloud-tpu-trillium-256-maxdiffusion.json",
            "Google",
            "stable_diffusion",
            1.051082251082251,
            256,
        )
        self.assertEqual(
            self.rows("SELECT step, executions FROM spans WHERE kind = 'step' GROUP BY step"),
            [(500 * n, 500) for n in range(1, 6)],
        )
        self.assertEqual(self.one("SELECT count(*) FROM commits WHERE step NOT IN (500, 1000, 1500, 2000, 2500)"), 0)


class Mapping(Case):
    def spans(self):
        return self.rows("SELECT kind, start_time, end_time, step, executions FROM spans ORDER BY start_time, kind")

    def seconds(self):
        return dict(self.rows("SELECT category, sum(chip_us) / 1e6 FROM mpg_rollup GROUP BY category"))

    def test_fixture(self):
        folder = os.path.dirname(FIXTURES[0])
        with open(os.path.join(ROOT, "fixtures/mlperf/systems/pod16.json"), encoding="utf-8") as file:
            self.map(folder + "/result_*.txt", system=file.read(), files=[folder + "/scaling.json"])
        self.assertEqual(
            self.rows("SELECT * FROM mlperf_scores"),
            [("Example", "example-pod-16", "toy_lm", "closed", 16, 3, 2, 10.2 * 1.05)],
        )
        self.assertEqual(
            self.rows("SELECT name, owner, phase, framework, model, chips, labels ->> '$.seed' FROM jobs"),
            [("toy_lm", "Example", "training", "toy", "toy_lm", 16, seed) for seed in (7, 8, 9)],
        )
        held = [
            ("example-pod-16", 16, 1795240000.1, 1795240636.0),
            ("example-pod-16", 16, 1795241200.1, 1795241872.0),
            ("example-pod-16", 16, 1795242400.1, 1795243360.0),
        ]
        self.assertEqual(self.rows("SELECT pool, chips, start_time, end_time FROM allocations"), held)
        self.assertEqual(self.rows("SELECT pool, chips, start_time, end_time FROM capacity"), held)
        self.assertEqual(self.rows("SELECT outcome FROM allocations"), [("completed",), ("completed",), ("failed",)])
        self.assertEqual(
            self.rows("SELECT step, durable_time - 1795241200 FROM commits WHERE durable_time < 1795242400"),
            [(100, 273.0), (200, 477.0)],
        )
        # Of four times 200 s the run that did not get there kept what its checkpoint of step 200 holds.
        self.assertEqual(
            self.rows("SELECT labels ->> '$.seed', category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2"),
            [
                (7, "eval", 16 * 36_000_000),
                (7, "startup", 16 * 59_900_000),
                (7, "unrated", 16 * 540_000_000),
                (8, "startup", 16 * 59_900_000),
                (8, "unrated", 16 * 612_000_000),
                (9, "eval", 16 * 100_000_000),
                (9, "lost", 16 * 400_000_000),
                (9, "startup", 16 * 59_900_000),
                (9, "unrated", 16 * 400_000_000),
            ],
        )
        self.assertEqual(
            self.rows("SELECT count(*) FROM temp.sqlite_schema WHERE name LIKE 'mlperf%'"), [(2,)]
        )  # runs and scores

    def test_the_order_of_lines_does_not_matter(self):
        lines = [
            record(1000 * t, key, **rest)
            for t, key, rest in (
                (1, "init_start", {}),
                (2, "init_stop", {}),
                (2, "run_start", {}),
                (3, "block_start", {"samples_count": 0}),
                (5, "block_stop", {"samples_count": 8}),
                (6, "eval_start", {"samples_count": 8}),
                (7, "eval_stop", {"samples_count": 8}),
                (8, "block_start", {"samples_count": 8}),
                (9, "block_stop", {"samples_count": 12}),
                (9.5, "run_stop", {"status": "success"}),
            )
        ]
        lines = [line.replace(".0,", ",") for line in lines] + [record(2000, "global_batch_size", 4)]
        wanted = [
            ("init", 1.0, 2.0, None, None),
            ("step", 3.0, 5.0, 8, 2),
            ("eval", 6.0, 7.0, None, None),
            ("step", 8.0, 9.0, 12, 1),
        ]
        for text in ("".join(lines), "".join(reversed(lines)), "".join(lines + ["again " + line for line in lines])):
            self.map_text(text)
            self.assertEqual(self.spans(), wanted)
            self.assertEqual(self.rows("SELECT minutes, init_start_ms FROM mlperf_runs"), [(7.5 / 60, 1000)])

    def test_ranks(self):
        """Starts and stops that several ranks write within a moment are one span."""
        text = "".join(
            f"{rank}: " + record(1000 * t + rank, key)
            for t, key in (
                (1, "init_start"),
                (2, "init_stop"),
                (2, "run_start"),
                (3, "epoch_start"),
                (4, "epoch_stop"),
                (5, "epoch_start"),
                (6, "epoch_stop"),
                (7, "run_stop"),
            )
            for rank in range(4)
        )
        self.map_text(text)
        self.assertEqual(
            self.spans(),
            [("init", 1.0, 2.003, None, None), ("step", 3.0, 4.003, None, None), ("step", 5.0, 6.003, None, None)],
        )

    def test_ranks_whose_clocks_differ(self):
        """Two seconds apart, in labelled lines or not: one host's begins and ends. A block that begins anew after its end is another."""
        keys = (
            (3000, "block_start", {"step_num": 0}),
            (9000, "block_stop", {"step_num": 4}),
            (9000, "eval_start", {"step_num": 4}),
            (14000, "eval_stop", {"step_num": 4}),
            (14000, "block_start", {"step_num": 4}),
            (20000, "block_stop", {"step_num": 8}),
        )
        wanted = [("step", 3.0, 9.0, 4), ("eval", 9.0, 14.0, None), ("step", 14.0, 20.0, 8)]
        for ahead, label in ((2000, "1: "), (2000, ""), (600, "1: ")):
            lines = sorted(
                [(at, record(at, key, **more)) for at, key, more in keys]
                + [(at + ahead, label + record(at + ahead, key, **more)) for at, key, more in keys]
            )
            self.map_text(
                record(1000, "run_start")
                + "".join(line for _, line in lines)
                + record(22500, "run_stop", status="success")
            )
            self.assertEqual(wanted, [row[:4] for row in self.spans()])
            self.assertEqual(
                [("info", 6)],
                self.rows(
                    "SELECT severity, count FROM mpg_issues WHERE kind = 'parallel_lines' AND source = (SELECT job FROM mlperf_runs)"
                ),
            )

    def test_epochs_are_steps_where_there_are_no_blocks(self):
        epochs = "".join(
            record(10000 * n, "epoch_start", epoch_num=n) + record(10000 * n + 9000, "epoch_stop", epoch_num=n)
            for n in (1, 2)
        )
        start, stop = record(1000, "run_start"), record(30000, "run_stop", status="success")
        self.map_text(start + epochs + stop)
        self.assertEqual(self.spans(), [("step", 10.0, 19.0, 1, None), ("step", 20.0, 29.0, 2, None)])
        self.map_text(
            start
            + record(5000, "block_start", first_epoch_num=1)
            + epochs
            + record(29500, "block_stop", first_epoch_num=1)
            + stop
        )
        self.assertEqual(self.spans(), [("step", 5.0, 29.5, 1, None)])

    def test_blocks_by_their_length(self):
        """NVIDIA's mlperf-common: samples_count is of the block, and step the optimiser's. The logs of FLUX.1, Llama 3.1 and gpt-oss are so."""
        text = (
            record(0, "submission_benchmark", "flux1") + record(0, "global_batch_size", 2048) + record(0, "run_start")
        )
        for n in range(5):
            text += record(130000 * n, "block_start", samples_count=262144, step=128 * n) + record(
                130000 * n + 120000, "block_stop", samples_count=262144, step=128 * (n + 1)
            )
            text += record(130000 * n + 120000, "eval_start", samples_count=262144 * (n + 1), step=128 * (n + 1))
            text += record(130000 * n + 129000, "eval_stop", samples_count=262144 * (n + 1), step=128 * (n + 1))
        text += record(650000, "block_start", samples_count=4096, step=640) + record(
            652000, "block_stop", samples_count=4096, step=642
        )
        self.map_text(text + record(652000, "run_stop", status="success"), chips=8)
        self.assertEqual(
            self.rows("SELECT step, executions, program, end_time - start_time FROM spans WHERE kind = 'step'"),
            [(128 * (n + 1), 128, "flux1", 120) for n in range(5)] + [(642, 2, "flux1", 2)],
        )
        self.assertEqual(self.seconds(), {"unrated": 8 * 602, "eval": 8 * 45, "unknown": 8 * 5})

        # As that of Llama 3.1 405B on 5,120 GPUs: its second block is longer than it says.
        self.map_text(
            record(0, "submission_benchmark", "llama31_405b")
            + record(0, "global_batch_size", 1280)
            + record(0, "run_start")
            + record(0, "block_start", samples_count=19200, step=0)
            + record(500000, "block_stop", samples_count=307200, step=240)
            + record(500000, "block_start", samples_count=19200, step=240)
            + record(580000, "block_stop", samples_count=38400, step=270)
            + record(580000, "run_stop", status="success", step=270)
        )
        self.assertEqual(self.rows("SELECT step, executions FROM spans"), [(240, 240), (270, 30)])

    def test_parts_of_an_epoch(self):
        """Runs of R-GAT end within their first epoch, which is the first step all the same."""
        self.map_text(
            record(0, "run_start")
            + record(0, "epoch_start", epoch_num=1)
            + record(5000, "eval_start", epoch_num=0.05)
            + record(7000, "eval_stop", epoch_num=0.05)
            + record(9000, "checkpoint", epoch_num=0.95)
            + record(10000, "epoch_stop", epoch_num=0.95)
            + record(10000, "run_stop", status="success", epoch_num=0.95)
        )
        self.assertEqual(
            self.rows("SELECT kind, step, typeof(step) FROM spans"), [("step", 1, "integer"), ("eval", None, "null")]
        )
        self.assertEqual(self.rows("SELECT step FROM commits"), [(0,)])
        self.assertEqual(self.seconds(), {"unrated": 8, "eval": 2})
        self.map_text(
            "".join(
                record(1000 * n, f"epoch_{edge}", epoch_num=number)
                for n, edge, number in (
                    (0, "start", 0),
                    (1, "stop", 1.0),
                    (1, "start", 1),
                    (2, "stop", 2),
                    (2, "start", 2),
                    (3, "stop", 2.5),
                )
            )
            + record(0, "run_start")
        )
        self.assertEqual(self.rows("SELECT step FROM spans WHERE kind = 'step'"), [(1,), (2,), (3,)])

    def test_what_lacks_an_end_or_a_start(self):
        begun = record(1000, "run_start") + record(2000, "block_start", samples_count=0)
        self.map_text(begun)
        self.assertEqual(self.spans(), [("step", 2.0, None, 0, None)])
        self.assertEqual(self.rows("SELECT start_time, end_time, outcome FROM allocations"), [(1.0, None, None)])
        self.assertEqual(self.rows("SELECT minutes, status FROM mlperf_runs"), [(None, None)])
        self.map_text(begun + record(9000, "run_stop", status="aborted"))
        self.assertEqual(self.spans(), [("step", 2.0, 9.0, 0, None)])
        self.assertEqual(self.one("SELECT outcome FROM allocations"), "failed")
        self.map_text(
            record(1000, "run_start") + record(3000, "block_stop", samples_count=8) + record(9000, "run_stop")
        )
        self.assertEqual(self.spans(), [("step", 1.0, 3.0, 8, None)])
        self.assertEqual(self.rows("SELECT status FROM mlperf_runs"), [("unknown",)])
        self.map_text(record(1000, "cache_clear"))
        self.assertEqual((self.spans(), self.rows("SELECT * FROM allocations")), ([], []))

    def test_begins_and_ends_that_lack_each_other_are_listed(self):
        """The last block of a run may be open. Of what else lacks its end or its begin, or has them the wrong way round, the time is unknown."""
        begin, end = record(0, "run_start"), record(90000, "run_stop", status="aborted")

        def pair(kind, start, stop, first, last):
            return record(start, f"{kind}_start", samples_count=first) + record(
                stop, f"{kind}_stop", samples_count=last
            )

        blocks = [pair("block", 0, 20000, 0, 64), pair("block", 30000, 50000, 64, 128)]
        evaluation = pair("eval", 20000, 30000, 64, 64)
        for middle, listed in (
            ((blocks[0], evaluation, blocks[1]), None),
            ((blocks[0], evaluation, blocks[1], record(50000, "block_start", samples_count=128)), None),
            ((pair("block", 20000, 0, 0, 64), evaluation, blocks[1]), 1),
            ((blocks[0], pair("eval", 30000, 20000, 64, 64), blocks[1], pair("eval", 50000, 60000, 128, 128)), 2),
            ((blocks[0], record(20000, "eval_start", samples_count=64), blocks[1]), 1),
            ((blocks[0], record(30000, "eval_stop", samples_count=64), blocks[1]), 1),
            ((record(0, "block_start", samples_count=0), evaluation, blocks[1]), 1),
            ((blocks[0], evaluation, record(50000, "block_stop", samples_count=128)), 1),
        ):
            path = self.file(begin + "".join(middle) + end)
            self.rows("SELECT count(*) FROM trace_ledger(?)", path)
            self.assertEqual(listed, self.issues(path).get("missing_end"), middle)

    def test_many_evaluations(self):
        """What the mapping takes grows with them, and not with their square."""

        def steps(n):
            self.db.close()
            self.db = connect()
            text = record(0, "run_start") + "".join(
                record(1000 * i + 1, "block_start", first_epoch_num=i)
                + record(1000 * i + 500, "block_stop", first_epoch_num=i)
                + record(1000 * i + 600, "eval_start", epoch_num=i)
                + record(1000 * i + 900, "eval_stop", epoch_num=i)
                for i in range(n)
            )
            asked = []
            self.db.set_progress_handler(lambda: asked.append(1) and 0, 1000)
            self.map_text(text + record(1000 * n, "run_stop", status="success"), chips=8)
            self.db.set_progress_handler(None, 0)
            return len(asked)

        few, more, many = map(steps, (500, 1000, 2000))
        self.assertLess(many - more, 2.2 * (more - few))

    def test_runs_one_after_the_other(self):
        """A job's output has as many as it did. Each is one of its own, of the system and benchmark that the first told; what ranks say twice is of one."""

        def run(at, *status):
            return "".join(
                (
                    record(at, "init_start"),
                    record(at + 500, "init_stop"),
                    2 * record(at + 600, "run_start"),
                    record(at + 700, "block_start", samples_count=0),
                    record(at + 8700, "block_stop", samples_count=64),
                    *[record(at + 9000 + 20 * rank, "run_stop", status=word) for rank, word in enumerate(status)],
                )
            )

        self.map_text(
            record(1, "submission_benchmark", "bert")
            + run(1000, "success", "success")
            + run(11000, "aborted")
            + run(61000, "success")
            + run(81000)
        )
        path = self.one("SELECT min(job) FROM jobs")
        self.assertEqual(
            [
                (path + end, "bert", minutes, status)
                for end, minutes, status in (
                    ("", 0.1403333333, "success"),
                    ("#2", 0.14, "aborted"),
                    ("#3", 0.14, "success"),
                    ("#4", None, None),
                )
            ],
            [
                (*row[:2], row[2] and round(row[2], 10), row[3])
                for row in self.rows("SELECT job, benchmark, minutes, status FROM mlperf_runs ORDER BY job")
            ],
        )
        self.assertEqual(
            [("init", start, start + 0.5) for start in (1, 11, 61, 81)]
            + [("step", start + 0.7, start + 8.7) for start in (1, 11, 61, 81)],
            self.rows("SELECT kind, start_time, end_time FROM spans ORDER BY kind, start_time"),
        )
        self.assertEqual([(4, 2)], self.rows("SELECT runs, successes FROM mlperf_scores"))
        self.assertEqual([("no_run_stop", path)], self.rows("SELECT kind, source FROM mpg_issues"))

    def test_a_run_without_an_end_before_another(self):
        """As a job that failed and was started again into one file: it ends with its last record, and the next is one of its own."""

        def run(at, end, ranks=1, blocks=3):
            return "".join(
                [ranks * record(at, "init_start"), record(at + 5000, "init_stop")]
                + [record(at + 5000 + 100 * rank, "run_start") for rank in range(ranks)]
                + [
                    record(
                        at + 6000 + 10000 * n + stop * 9000,
                        ("block_start", "block_stop")[stop],
                        samples_count=64 * (n + stop),
                    )
                    for n in range(blocks)
                    for stop in (0, 1)
                ]
                + end * [record(at + 36000, "run_stop", status="success")]
            )

        first, last = "as failed: another follows", "and has no outcome"
        for ranks in (1, 3):
            for ends, said in (
                ((0, 1), [first]),
                ((0, 0), [first, last]),
                ((0, 0, 1), [first, first]),
                ((1, 0, 1), [first]),
            ):
                with self.subTest(ranks=ranks, ends=ends):
                    self.map_text("".join(run(90000 * n, end, ranks) for n, end in enumerate(ends)))
                    self.assertEqual(
                        [
                            (90 * n, 90 * n + (36 if end else 35) if end or n < len(ends) - 1 else None, outcome)
                            for n, end in enumerate(ends)
                            for outcome in ["completed" if end else "failed" if n < len(ends) - 1 else None]
                        ],
                        self.rows("SELECT start_time, end_time, outcome FROM allocations ORDER BY 1"),
                    )
                    path = self.one("SELECT min(job) FROM jobs")
                    self.assertEqual(
                        [(len(said),)],
                        self.rows("SELECT count FROM mpg_issues WHERE kind = 'no_run_stop' AND source = ?", path),
                    )
                    self.assertEqual(
                        [], self.rows("SELECT * FROM mpg_issues WHERE kind = 'several_runs' AND source = ?", path)
                    )
                    self.assertEqual(3 * len(ends), self.one("SELECT count(*) FROM spans WHERE kind = 'step'"))
        # Two at once, or starts of ranks that are minutes apart, are one run, and that is said.
        both = sorted(
            (run(0, 0, blocks=12) + run(70000, 1)).splitlines(True), key=lambda line: json.loads(line[9:])["time_ms"]
        )
        for text in "".join(both), record(0, "init_start") + record(0, "run_start") + run(85000, 1):
            self.map_text(text)
            path = self.one("SELECT min(job) FROM jobs")
            self.assertEqual(
                [("several_runs",)],
                self.rows("SELECT kind FROM mpg_issues WHERE kind = 'several_runs' AND source = ?", path),
            )

    def test_a_run_that_broke_off(self):
        """It holds its chips until its last record, whatever that tells; a block that is still open is none of the number it began at."""
        text = (
            record(0, "init_start")
            + record(5000, "init_stop")
            + record(5000, "run_start")
            + record(5000, "block_start", samples_count=0)
            + record(25000, "block_stop", samples_count=64)
            + record(25000, "block_start", samples_count=64)
            + record(40000, "tracked_stats", samples_count=96)
        )
        path = self.file(text, "result_0.txt")
        spans = self.rows(
            "SELECT start_time, end_time, step FROM trace_records(?) WHERE kind = 'step' ORDER BY 1", path
        )
        self.assertEqual([(5, 25, 64), (25, None, 65)], spans)
        self.assertEqual(
            [("startup", 5), ("unknown", 35)],
            self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", path),
        )
        # Beside a scheduler, too, nothing was done twice.
        self.map_text(text)
        self.assertEqual([(40,)], self.rows("SELECT end_time FROM capacity"))
        self.db.execute("UPDATE allocations SET end_time = 60, outcome = 'failed'")
        self.db.execute("UPDATE capacity SET end_time = 60")
        self.assertEqual(
            [("startup", 5), ("unknown", 55)],
            self.rows("SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY 1"),
        )

    def test_what_cannot_be_of_a_run(self):
        def told(text):
            before = dict(self.rows("SELECT kind, sum(count) FROM mpg_issues GROUP BY 1"))
            self.map_text(text)
            return (
                self.rows("SELECT minutes, status FROM mlperf_runs"),
                {
                    kind: count - before.get(kind, 0)
                    for kind, count in self.rows("SELECT kind, sum(count) FROM mpg_issues GROUP BY 1")
                    if count > before.get(kind, 0)
                },
            )

        self.assertEqual(
            ([(None, None)], {"end_before_start": 1, "several_runs": 1}),
            told(record(60000, "run_start") + record(1000, "run_stop", status="success")),
        )
        self.assertEqual(
            ([(1.0, "success")], {}), told(record(0, "run_start") + record(60000, "run_stop", status="SUCCESS"))
        )
        # Ranks that do not agree, or an end after another: said, whichever comes first.
        for first, last in (("success", "aborted"), ("aborted", "success"), ("success", "SUCCESS")):
            stops = record(60000, "run_stop", status=first) + record(60001, "run_stop", status=last)
            self.assertEqual(
                {"conflict": 2} if first.lower() != last.lower() else {}, told(record(0, "run_start") + stops)[1]
            )
        for rest in ({"value": "success"}, {"status": "quality_missed"}):
            self.assertEqual({"unknown_state": 1}, told(record(0, "run_start") + record(60000, "run_stop", **rest))[1])
        run = record(0, "run_start") + record(60000, "run_stop", status="success")
        self.assertEqual(
            (told(run)[0], {"impossible_time": 1}),
            told(record(100 * 31557600000, "init_start") + run),
            "of another century",
        )
        seconds = 1772352000
        self.assertEqual(
            {"impossible_time": 2},
            told(record(seconds, "run_start") + record(seconds + 60, "run_stop", status="success"))[1],
        )

    def test_chips_must_be_known(self):
        """That none are is refused. A run whose chips nothing tells counts as one, which is listed."""
        with self.assertRaises(sqlite3.IntegrityError) as caught:
            self.map_text(record(1, "run_start"), chips=0)
        self.assertEqual(
            str(caught.exception),
            "CHECK constraint failed: chips are none: expected the option chips, or the description of the system beside the results, systems/NAME.json",
        )
        for table in ("log", "given", "files"):
            self.db.execute(f"DROP TABLE mlperf_{table}")
        for number, given in enumerate(({"chips": None}, {"chips": None, "system": '{"number_of_nodes": "4"}'}), 1):
            self.map_text(record(1, "run_start"), **given)
            self.assertEqual(
                [(1, 1, None)],
                self.rows(
                    "SELECT a.chips, j.chips, r.chips FROM allocations AS a JOIN jobs AS j USING (job) JOIN mlperf_runs AS r USING (job)"
                ),
            )
            self.assertEqual(
                number,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'missing_field' AND detail LIKE 'chips are unknown%'"
                ),
            )
        self.map_text(
            record(1, "run_start"),
            chips=8,
            chip="tpu-v6e",
            pool="p",
            system='{"number_of_nodes": 4, "accelerators_per_node": "2.0", "accelerator_model_name": "x", "system_name": "y"}',
        )
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity"), [("p", "tpu-v6e", 8)])

    def test_chips_that_the_log_tells(self):
        """Logs of MLPerf HPC tell how many accelerators a run has: of a system that has more, as for several runs at once, their own count."""
        told = record(1, "number_of_nodes", 16) + record(1, "accelerators_per_node", 4)
        system = '{"system_name": "y", "number_of_nodes": %d, "accelerators_per_node": 4}'
        for text, given, wanted in (
            (told, {"chips": None}, (64, None)),
            (told, {"chips": None, "system": system % 16}, (64, None)),
            (
                told,
                {"chips": None, "system": system % 48},
                (64, "the log tells 64 accelerators, and the description of the system 192"),
            ),
            (told, {"chips": 8, "system": system % 48}, (8, None)),
            (record(1, "number_of_nodes", 16), {"chips": None, "system": system % 2}, (8, None)),
            (told.replace('"value": 4', '"value": 0'), {"chips": None, "system": system % 2}, (8, None)),
        ):
            self.map_text(text + record(1, "run_start") + record(9, "run_stop", status="success"), **given)
            said = self.rows("SELECT kind, detail FROM mpg_issues WHERE source = (SELECT job FROM mlperf_runs)")
            said = [(kind, detail.partition(":")[0]) for kind, detail in said if "accelerator_model_name" not in detail]
            self.assertEqual(
                (self.rows("SELECT a.chips, r.chips FROM allocations AS a JOIN mlperf_runs AS r USING (job)"), said),
                ([(wanted[0], wanted[0])], [("conflict", wanted[1])] if wanted[1] else []),
            )

    def test_staging(self):
        """The data that a run of MLPerf HPC copies to its nodes first is no step, and not unknown."""
        times = (("init_start", 0), ("init_stop", 10), ("run_start", 10), ("staging_start", 12), ("staging_start", 13), ("staging_stop", 70),
                 ("staging_stop", 72), ("epoch_start", 72), ("epoch_stop", 100))  # fmt: skip
        text = "".join(record(1000 * at, key, epoch_num=1) for key, at in times)
        self.map_text(text + record(100000, "run_stop", status="success"), chips=1)
        self.assertEqual(
            self.rows("SELECT kind, start_time, end_time FROM spans ORDER BY start_time"),
            [("init", 0, 10), ("prep", 12, 72), ("step", 72, 100)],
        )

    def test_what_a_run_is_at_no_time(self):
        """Lines that submitters add at "time_ms": 0 say what the run is; begins and ends there are left out."""
        at = 1661832754000
        run = record(at, "run_start") + record(at + 60000, "run_stop", status="success") + record(at + 60001, "seed", 7)
        added = (
            record(0, "global_batch_size", 512)
            + record(0, "submission_benchmark", "bert")
            + record(0, "cache_clear", True)
        )
        for text, wanted in (
            (added + run, {}),
            (run + added, {}),
            (record(0, "block_start") + run + added, {"impossible_time": 1}),
        ):
            self.map_text(text, chips=1)
            self.assertEqual(
                self.rows("SELECT benchmark, global_batch_size, init_start_ms, minutes FROM mlperf_runs"),
                [("bert", 512, at, 1.0)],
            )
            said = self.rows("SELECT kind, count FROM mpg_issues WHERE source = (SELECT job FROM mlperf_runs)")
            self.assertEqual(dict(said), wanted)

    def test_scores(self):
        def scored(*runs, benchmark="bert"):
            self.map(
                self.folder_of(
                    {
                        f"result_{i}.txt": record(0, "submission_benchmark", benchmark)
                        + record(0, "run_start")
                        + record(60000 * minutes, "run_stop", status=status)
                        for i, (minutes, status) in enumerate(runs)
                    }
                ),
                chips=1,
            )
            return self.rows("SELECT runs, successes, minutes FROM mlperf_scores")

        good, bad = "success", "aborted"
        self.assertEqual(scored((3, good), (1, good), (2, good)), [(3, 3, 2.0)])
        self.assertEqual(scored((3, good), (1, good), (2, good), (9, good)), [(4, 4, 2.5)])
        self.assertEqual(
            scored((3, good), (1, bad), (2, good), (9, good)), [(4, 3, 6.0)]
        )  # the failed run is the slowest
        self.assertEqual(scored((3, good), (1, bad), (2, bad), (9, good)), [(4, 2, None)])
        self.assertEqual(scored((3, good), (1, good)), [(2, 2, None)])
        # Of 3D U-Net the four fastest and the four slowest do not count.
        runs = [(i * i, good) for i in range(1, 11)]
        self.assertEqual(scored(*runs, benchmark="unet3d"), [(10, 10, (25 + 36) / 2)])
        self.assertEqual(scored(*[(99, bad)] * 4, *runs[:6], benchmark="unet3d"), [(10, 6, (25 + 36) / 2)])
        self.assertEqual(scored(*[(99, bad)] * 5, *runs[:5], benchmark="unet3d"), [(10, 5, None)])
        self.assertEqual(scored(*runs[:8], benchmark="unet3d"), [(8, 8, None)])

    def test_a_log_without_a_run_is_listed(self):
        path = self.file(record(1, "cache_clear") + record(2, "init_start"))
        self.map(path, chips=1)
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'no_run' AND source = ?", path),
            [("warning", 2)],
        )


class ReadBeside(unittest.TestCase):
    def test_descriptions_of_a_submission(self):
        """What the mapping of MLPerf's logs reads beside them is of its format; another JSON file there is not."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        shutil.copytree(os.path.join(ROOT, "fixtures", "mlperf"), folder, dirs_exist_ok=True)
        with open(os.path.join(folder, "systems", "other.json"), "w") as file:
            file.write('{"system_name": "other"}')
        for table in ("trace_rollup", "trace_mlperf_scores"):
            db = connect()
            db.execute(f"SELECT * FROM {table}(?)", (folder,)).fetchall()
            self.assertEqual(
                db.execute("SELECT source FROM mpg_issues WHERE kind = 'ignored_file'").fetchall(),
                [(folder + "/systems/other.json",)],
                table,
            )
        rows = dict(
            (os.path.basename(file), (format, reason))
            for file, format, reason in db.execute("SELECT file, format, reason FROM trace_sources(?)", (folder,))
        )
        for name in ("pod16.json", "scaling.json"):
            self.assertEqual(rows[name], ("mllog", "read with the files that it belongs to"))
        self.assertIsNone(rows["other.json"][0])

    def test_folders_of_a_submission(self):
        """The description is found from a folder below the system's too, such as MLPerf HPC's "weak" and what a checker set aside."""
        folder = self.enterContext(tempfile.TemporaryDirectory()) + "/results/round/ORG"
        os.makedirs(folder + "/systems")
        with open(folder + "/systems/pod.json", "w") as file:
            file.write(
                '{"system_name": "pod", "number_of_nodes": 2, "accelerators_per_node": 4, "accelerator_model_name": "H100-SXM5-80GB"}'
            )
        for at, below in enumerate(("lm", "weak/lm", "strong/lm", "weak/lm/pruned_results")):
            os.makedirs(f"{folder}/results/pod/{below}")
            with open(f"{folder}/results/pod/{below}/result_1.txt", "w") as file:
                file.write(record(600000 * at, "run_start") + record(600000 * at + 60000, "run_stop", status="success"))
        db = connect()
        self.assertEqual(
            db.execute("SELECT system, chips, runs FROM trace_mlperf_runs(?) ORDER BY runs", (folder,)).fetchall(),
            [
                ("pod", 8, f"{folder}/results/pod/{below}/")
                for below in ("lm", "strong/lm", "weak/lm", "weak/lm/pruned_results")
            ],
        )
        self.assertEqual(db.execute("SELECT * FROM mpg_issues").fetchall(), [])


if __name__ == "__main__":
    unittest.main()
