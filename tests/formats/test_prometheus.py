"""Prometheus: prometheus_trace and the mapping sql/formats/dcgm.sql.

What the table says is held against a reading of the fixtures in Python, the duty cycles against means made by hand and against a
naive computation over samples with gaps."""

import gzip
import json
import math
import os
import random
import re
import statistics
import unittest

import cases
from fleets import ROOT

RANGE = os.path.join(ROOT, "fixtures/prometheus/dcgm.json")
TEXT = os.path.join(ROOT, "fixtures/prometheus/dcgm.prom")
T0 = 1772352000
LABELS = ["job", "instance", "gpu", "UUID", "modelName", "Hostname", "namespace", "pod", "container", "hpc_job"]


class Case(cases.Case):
    FILE = "metrics"

    def answer(self, *series, **more):
        return {
            "status": "success",
            "data": {
                "resultType": "matrix",
                "result": [
                    {"metric": metric, "values": [[time, str(value)] for time, value in values]}
                    for metric, values in series
                ],
            },
            **more,
        }


class Files(Case):
    def test_an_export_of_victoriametrics(self):
        """/api/v1/export: a series a line, its times behind its values, in milliseconds."""
        with open(RANGE, encoding="utf-8") as file:
            answer = json.load(file)
        lines = [
            json.dumps(
                {
                    "metric": s["metric"],
                    "values": [None if value == "NaN" else float(value) for _, value in s["values"]],
                    "timestamps": [round(time * 1000) for time, _ in s["values"]],
                }
            )
            for s in answer["data"]["result"]
        ]
        ask = "SELECT metric, labels, time, value FROM prometheus_trace(?)"
        path = self.file("\n".join(lines) + "\n", "export.jsonl")
        self.assertEqual(self.rows(ask, path), self.rows(ask, RANGE))
        duty = "SELECT * FROM trace_duty(?) ORDER BY host, gpu, pod, kind"
        self.assertEqual(self.rows(duty, path), self.rows(duty, RANGE))

    def test_a_range(self):
        with open(RANGE, encoding="utf-8") as file:
            answer = json.load(file)
        wanted = []
        for series in answer["data"]["result"]:
            labels = dict(series["metric"])
            metric = labels.pop("__name__")
            for time, value in series["values"]:
                wanted.append(
                    (metric, labels, time, float(value), value, None)
                    + tuple(labels.get("exported_" + name) or labels.get(name) for name in LABELS)
                )
        found = self.rows(
            f"SELECT metric, labels, time, value, value_text, type, {', '.join(LABELS)} FROM prometheus_trace(?)", RANGE
        )
        self.assertEqual([(row[0], json.loads(row[1])) + row[2:] for row in found], wanted)
        self.assertEqual(self.issues(RANGE), {})
        self.assertEqual(
            self.rows(
                "SELECT DISTINCT typeof(time), typeof(value), typeof(value_text), typeof(gpu) FROM prometheus_trace(?)",
                RANGE,
            ),
            [("real", "real", "text", "text")],
        )

    def test_text(self):
        found = self.rows(
            "SELECT metric, json_extract(labels, '$.UUID'), time, value, value_text, type, gpu, pod, _line FROM prometheus_trace(?, ?)",
            TEXT,
            T0,
        )
        wanted, kinds = [], {}
        with open(TEXT, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("# TYPE"):
                    kinds[line.split()[2]] = line.split()[3]
                if not line.startswith("#"):
                    metric, labels, rest = re.match(r"(\w+)\{(.*)\} (.*)", line).groups()
                    labels, parts = dict(re.findall(r'(\w+)="([^"]*)"', labels)), rest.split()
                    wanted.append(
                        (
                            metric,
                            labels["UUID"],
                            int(parts[1]) / 1000 if parts[1:] else T0,
                            None if parts[0] == "NaN" else float(parts[0]),
                            parts[0],
                            kinds[metric],
                            labels["gpu"],
                            labels.get("pod"),
                            number,
                        )
                    )
        self.assertEqual(found, wanted)
        self.assertEqual(self.rows("SELECT time FROM prometheus_trace(?) LIMIT 1", TEXT), [(None,)])

    def test_values(self):
        """NaN has no REAL in SQLite: the text keeps it. Infinities stay."""
        values = ["NaN", "+Inf", "-Inf", "0.1", "1e-320", "-0", "12345678901234567890"]
        for path in (
            self.file(self.answer(({"__name__": "x"}, list(enumerate(values))))),
            self.file("".join(f"x {v} {i}\n" for i, v in enumerate(values))),
        ):
            found = self.rows("SELECT value, value_text, time FROM prometheus_trace(?)", path)
            self.assertEqual([row[1:] for row in found], [(v, i) for i, v in enumerate(values)])
            self.assertEqual(
                [row[0] for row in found], [None, math.inf, -math.inf, 0.1, 1e-320, 0.0, 12345678901234567890.0]
            )

    def test_forms(self):
        series = {"metric": {"__name__": "x", "gpu": "0"}, "values": [[1, "2"]]}
        vector = {
            "status": "success",
            "data": {"resultType": "vector", "result": [{"metric": {"__name__": "x", "gpu": "0"}, "value": [1, "2"]}]},
        }
        row = [("x", "0", 1.0, 2.0)]
        for text in (
            self.answer((series["metric"], [(1, "2")])),
            vector,
            series,
            [series],
            {"data": vector["data"], "status": "success"},
            'x{gpu="0"} 2 1\n',
            '{"x",gpu="0"} 2 1\n# EOF',
            gzip.compress(json.dumps(vector).encode()),
        ):
            self.assertEqual(
                self.rows("SELECT metric, gpu, time, value FROM prometheus_trace(?)", self.file(text)), row
            )
        self.assertEqual(
            self.rows(
                "SELECT metric, gpu, time, value FROM prometheus_trace(?)",
                self.file(json.dumps(vector) + "\n" + json.dumps(vector, indent=1)),
            ),
            row * 2,
        )
        for kind, result, told in (
            ("scalar", [5, "6"], (5.0, 6.0, "6")),
            ("string", [5, "word"], (5.0, None, "word")),
            ("string", [5, "6"], (5.0, None, "6")),
        ):
            path = self.file({"status": "success", "data": {"resultType": kind, "result": result}})
            self.assertEqual(self.rows("SELECT time, value, value_text FROM prometheus_trace(?)", path), [told])
        self.assertEqual(self.rows("SELECT * FROM prometheus_trace(?)", self.file(self.answer())), [])

    def test_types(self):
        path = self.file(
            '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\nh 1\nhh 1\n# TYPE c counter\nc_total 1\nh_sum 1\n'
        )
        self.assertEqual(
            self.rows("SELECT metric, type FROM prometheus_trace(?)", path),
            [
                ("h_bucket", "histogram"),
                ("h_sum", "histogram"),
                ("h_count", "histogram"),
                ("h", "histogram"),
                ("hh", None),
                ("c_total", "counter"),
                ("h_sum", None),
            ],
        )
        ends = {
            "counter": ["_total", "_created"],
            "gauge": [],
            "histogram": ["_bucket", "_count", "_sum", "_created"],
            "summary": ["_count", "_sum", "_created"],
            "gaugehistogram": ["_bucket", "_gcount", "_gsum"],
            "info": ["_info"],
            "stateset": [],
            "unknown": [],
            "untyped": [],
        }
        every = sorted(set(sum(ends.values(), [])))
        for kind, own in ends.items():
            path = self.file(f"# TYPE a {kind}\na 1\n" + "".join(f"a{end} 1\n" for end in every))
            self.assertEqual(
                self.rows("SELECT metric, type FROM prometheus_trace(?)", path),
                [("a", kind)] + [("a" + end, kind if end in own else None) for end in every],
            )

    def test_issues(self):
        path = self.file(
            json.dumps(
                self.answer(({"a": "b"}, [(1, 2)]), warnings=["first", "second"], infos=["note"], isPartial=True)
            )
            + '{"status":'
        )
        self.assertEqual(self.one("SELECT count(*) FROM prometheus_trace(?)", path), 1)
        self.assertEqual(self.issues(path), {"warning": 2, "info": 1, "partial_answer": 1, "unfinished_record": 1})
        path = self.file({"status": "success", "data": {"result": [{"metric": {}, "histogram": [1, {"count": "2"}]}]}})
        self.assertEqual(self.rows("SELECT * FROM prometheus_trace(?)", path), [])
        self.assertEqual(self.issues(path), {"native_histogram": 1})
        path = self.file("up 1\nup 2")
        self.assertEqual(self.one("SELECT count(*) FROM prometheus_trace(?)", path), 1)
        self.assertEqual(self.issues(path), {"unfinished_record": 1, "no_time": 1})

    def test_samples_without_a_time(self):
        """The mapping has no place for them; which is told, where no time was given."""
        path = self.file("# TYPE up gauge\nup 1 1700000000\nup 2\nup 3\n")
        self.assertEqual(self.rows("SELECT time FROM prometheus_trace(?)", path), [(1.7e9,), (None,), (None,)])
        self.assertEqual(
            self.rows("SELECT kind, severity, line, count FROM mpg_issues WHERE source = ?", path),
            [("no_time", "warning", 3, 2)],
        )
        self.assertEqual(
            self.rows("SELECT time FROM prometheus_trace(?, 1700000060)", path),
            [(1.7e9,), (1700000060.0,), (1700000060.0,)],
        )
        self.assertEqual(self.issues(path), {})


class Errors(Case):
    def test_errors(self):
        for text, why in (
            (
                {"status": "error", "errorType": "timeout", "error": "query timed out"},
                "1:1: expected the answer to a query, found an error: timeout: query timed out",
            ),
            (
                {"apiVersion": "v1", "items": []},
                '1:1: expected an answer of Prometheus with "status" and "data", found an object with "apiVersion" (of Kubernetes: read it with kube_trace)',
            ),
            (
                {"resourceSpans": []},
                '1:1: expected an answer of Prometheus with "status" and "data", found an object with "resourceSpans" (OTLP: read it with otlp_trace)',
            ),
            (
                {"resourceMetrics": []},
                '1:1: expected an answer of Prometheus with "status" and "data", found an object with "resourceMetrics" (metrics of OTLP: let the collector\'s exporter prometheus serve them)',
            ),
            (
                {"status": "success"},
                '1:1: expected an answer of Prometheus with "data" and its "result", found none of it',
            ),
            (
                {"status": "ok", "series": [{"metric": "vllm.generation_tokens", "pointlist": [[1700000000000, 5]]}]},
                '1:1: expected an answer of Prometheus with "data" and its "result", found none of it',
            ),
            (
                {"status": "success", "data": {"activeTargets": []}},
                '1:1: expected an answer of Prometheus with "data" and its "result", found none of it',
            ),
            ('{"status":"success","data":{"result":[{"metric":{}', "1:51: expected ',' or '}', found end of file"),
            (
                "<html>\n",
                '1:1: expected an answer of Prometheus\' HTTP API or lines such as DCGM_FI_DEV_GPU_UTIL{gpu="0"} 97, found "<html>"',
            ),
            (
                b"\x7fELF\n",
                '1:1: expected an answer of Prometheus\' HTTP API or lines such as DCGM_FI_DEV_GPU_UTIL{gpu="0"} 97, found "\\x7fELF"',
            ),
        ):
            path = self.file(text)
            self.assertEqual(self.error("SELECT * FROM prometheus_trace(?)", path), f"prometheus_trace: {path}:{why}")

    def test_an_error_among_answers(self):
        """In an array, too, as jq -s makes it, an error is said."""
        answer, error = self.answer(({}, [(1, "1")])), {"status": "error", "errorType": "timeout", "error": "x"}
        for text in (
            [answer, error, answer],
            json.dumps([answer, error, answer], indent=2),
            json.dumps(answer) + json.dumps(error) + json.dumps(answer),
        ):
            path = self.file(text)
            self.assertRegex(
                self.error("SELECT * FROM prometheus_trace(?)", path),
                ": expected the answer to a query, found an error: timeout: x$",
            )
            self.assertEqual(
                self.rows("SELECT value FROM prometheus_trace(?) WHERE on_error = 'skip'", path), [(1.0,), (1.0,)]
            )
        self.assertIn(
            "found none of it",
            self.error("SELECT * FROM prometheus_trace(?)", self.file([answer, {"status": "success"}])),
        )

    def test_skipped(self):
        for text, values, skipped in (
            ("up 1 5\nup one 5\nup 3 5\n", [1, 3], 1),
            (json.dumps(self.answer(({}, [(1, 1), (2, "x"), (3, 3)]))), [1, 3], 1),
            (
                json.dumps(self.answer(({}, [(1, 1)])))
                + '\n{"status":"error"}\n{"status":"succ\n'
                + json.dumps(self.answer(({}, [(1, 4)]))),
                [1, 4],
                2,
            ),
        ):
            path = self.file(text)
            self.assertEqual(
                [row[0] for row in self.rows("SELECT value FROM prometheus_trace(?) WHERE on_error = 'skip'", path)],
                values,
            )
            self.assertEqual(self.issues(path), {"skipped_record": skipped})

    def test_arguments(self):
        self.assertEqual(
            self.error("SELECT * FROM prometheus_trace"),
            "prometheus_trace: expected a path, as in prometheus_trace('dcgm.json')",
        )
        self.assertEqual(
            self.error("SELECT * FROM prometheus_trace(?, 'now')", TEXT),
            "prometheus_trace: scrape_time: expected Unix seconds from 1970 to 2261, found 'now'",
        )
        self.assertEqual(*(self.rows(f"SELECT * FROM prometheus_trace(?{more})", TEXT) for more in (", NULL", "")))

    def test_memory_does_not_grow_with_a_series(self):
        peaks = []
        for times in (10000, 1500000):
            path = self.file("")
            with open(path, "w", encoding="ascii") as file:
                file.write('{"status":"success","data":{"result":[{"metric":{"a":"b"},"values":[[1,"0"]')
                for i in range(times):
                    file.write(f',[{T0 + i}.5,"0.25"]')
                file.write("]}]}}")
            self.assertEqual(
                self.rows("SELECT count(*), sum(value) FROM prometheus_trace(?)", path), [(times + 1, times / 4)]
            )
            peaks.append(cases.held())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 33 MB


class Mapping(Case):
    def map(self, path):
        self.db.execute("DROP TABLE IF EXISTS temp.duty")
        self.db.execute("CREATE TEMP TABLE prometheus_samples AS SELECT * FROM prometheus_trace(?)", (path,))
        self.script("formats/dcgm.sql")
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema ORDER BY name"), [("duty",), ("xid",)])

    def test_the_fixture(self):
        self.map(RANGE)
        # 97 % from five minutes after the start; a sample a minute, none between 20 and 25 minutes.
        found = self.rows(
            "SELECT samples, start_time - ?1, end_time - ?1, spacing_s, busy_s, covered_s, missing_s FROM duty WHERE pod = 'llm-0-x2x9k' AND gpu = '1' AND kind = 'gpu_util'",
            T0,
        )
        times = [t for t in range(180, 1810, 60) if not 1200 <= t < 1500]
        busy = sum(0.97 * 60 for t in times if t >= 430)
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0][:4], (len(times), 180, 1860, 60))
        self.assertAlmostEqual(found[0][4], busy, 6)
        self.assertEqual(found[0][5:], (60 * len(times), 300))
        self.assertEqual(
            self.rows("SELECT time - ?, host, gpu, pod, code FROM xid", T0), [(4440, "gpu-b", "0", "llm-1-w8dfz", 79)]
        )

    def test_answers_in_a_row(self):
        """Several answers in one file: lines, one behind the other, or an array; and series without the answer around them, as promtool and jq print them."""
        with open(RANGE, encoding="utf-8") as file:
            whole = json.load(file)
        result = whole["data"]["result"]
        parts = [
            {"status": "success", "data": {"resultType": "matrix", "result": part}} for part in (result[:5], result[5:])
        ]
        ask = "SELECT host, gpu, kind, pod, busy_s, covered_s FROM trace_duty(?) ORDER BY 1, 2, 3, 4, 5, 6"
        wanted = self.rows(ask, RANGE)
        for text in (
            "\n".join(map(json.dumps, parts)),
            "".join(map(json.dumps, parts)),
            parts,
            json.dumps(parts, indent=2),
            "".join(json.dumps(part, indent=2) for part in parts),
            [whole],
            result,
            json.dumps(result, indent=2),
            "\n".join(map(json.dumps, result)),
            whole["data"],
        ):
            path = self.file(text)
            self.assertEqual(wanted, self.rows(ask, path))
            self.assertEqual(self.one("SELECT format FROM trace_sources(?)", path), "dcgm")

    def test_gaps(self):
        random.seed(3)
        values, time = [], float(T0)
        for _ in range(400):
            values.append((time, round(random.random(), 6)))
            time += random.choice([30, 30, 30, 31, 29, 60, 300])
        self.map(
            self.file(
                self.answer(
                    ({"__name__": "DCGM_FI_PROF_SM_ACTIVE", "gpu": "0"}, values),
                    ({"__name__": "DCGM_FI_PROF_SM_ACTIVE", "gpu": "0"}, values[:50]),
                    ({"__name__": "unknown_metric"}, values),
                )
            )
        )
        steps = [b[0] - a[0] for a, b in zip(values, values[1:])]
        usual = statistics.median_low(steps)
        weights = [step if step <= 2 * usual else usual for step in steps] + [usual]
        found = self.rows("SELECT samples, spacing_s, busy_s, covered_s, missing_s FROM duty")
        self.assertEqual(found[0][:2], (400, usual))
        for mine, wanted in zip(
            found[0][2:],
            (sum(w * v for w, (_, v) in zip(weights, values)), sum(weights), sum(steps) - sum(weights[:-1])),
        ):
            self.assertAlmostEqual(mine, wanted, 6)
        self.assertEqual(len(found), 1)

    def test_exports_of_other_steps(self):
        """Each file has the spacing of its own query: a coarse one lacks nothing, beside a fine one of the same host."""

        def samples(gpu, since, step, n, value):
            return {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": gpu, "Hostname": "h"}, [
                (T0 + since + step * i, value) for i in range(n)
            ]

        folder = self.folder_of(
            {
                "fine.json": self.answer(samples("0", 0, 15, 240, 100)),
                "coarse.json": self.answer(samples("0", 3600, 60, 60, 0), samples("1", 0, 60, 120, 50)),
            }
        )
        self.assertEqual(
            [("0", 3600, 7200, 0), ("1", 3600, 7200, 0)],
            self.rows("SELECT gpu, busy_s, covered_s, missing_s FROM trace_duty(?) ORDER BY 1", folder),
        )
        # A scrape that is missing is, in each of them; a few samples alone tell no spacing.
        gap = samples("1", 0, 60, 20, 50)
        del gap[1][5:10]
        folder = self.folder_of(
            {
                "fine.json": self.answer(samples("0", 0, 15, 80, 100)),
                "coarse.json": self.answer(gap),
                "two.json": self.answer(samples("2", 0, 600, 2, 100)),
            }
        )
        self.assertEqual(
            [("0", 1200, 0), ("1", 900, 300), ("2", 30, 585)],
            self.rows("SELECT gpu, covered_s, missing_s FROM trace_duty(?) ORDER BY 1", folder),
        )

    def test_odd_samples(self):
        gpu = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0"}
        self.map(
            self.file(
                self.answer(
                    (gpu, [(T0, "NaN"), (T0 + 10, 50), (T0 + 20, "+Inf")]),
                    ({**gpu, "gpu": "1"}, [(T0, "NaN")]),
                    (
                        {"__name__": "DCGM_FI_DEV_XID_ERRORS"},
                        [(T0, 0), (T0 + 1, 31), (T0 + 2, 31), (T0 + 3, 79), (T0 + 4, 0), (T0 + 5, 79)],
                    ),
                )
            )
        )
        # One sample alone stands for no time that could be told.
        self.assertEqual(
            self.rows("SELECT gpu, samples, busy_s, covered_s, missing_s FROM duty"), [("0", 1, None, None, 0)]
        )
        self.assertEqual(self.rows("SELECT time - ?, code FROM xid", T0), [(1, 31), (3, 79), (5, 79)])

    def test_ratios_of_nvidia_smi(self):
        """nvidia_gpu_exporter has fractions, and names the GPU by its UUID alone."""
        series = {"__name__": "nvidia_smi_utilization_gpu_ratio", "uuid": "a"}
        path = self.file(self.answer((series, [(T0, 0.5), (T0 + 10, 1)])))
        self.map(path)
        self.assertEqual([("gpu_util", "a", 15, 20)], self.rows("SELECT kind, uuid, busy_s, covered_s FROM duty"))
        self.assertEqual({}, self.issues(path))

    def test_labels_of_others(self):
        """AMD's exporter and GKE's TPUs name the chip by labels of their own: each is a series, not all of a host one."""
        amd = {
            "__name__": "gpu_gfx_activity",
            "instance": "10.0.0.1:5000",
            "hostname": "mi-1",
            "card_model": "MI300X",
            "pod": "p",
            "job_id": "41",
        }
        tpu = {
            "__name__": "duty_cycle",
            "instance": "10.0.0.2:2112",
            "make": "cloud-tpu",
            "model": "tpu-v5e",
            "pod": "t",
        }
        values = [(T0, 50), (T0 + 10, 100)]
        self.map(
            self.file(
                self.answer(
                    *[
                        ({**amd, "gpu_id": str(i), "gpu_uuid": f"u{i}"}, [(t, v * i) for t, v in values])
                        for i in range(2)
                    ],
                    *[({**tpu, "accelerator_id": f"77-{i}"}, [(t, v * i) for t, v in values]) for i in range(2)],
                )
            )
        )
        self.assertEqual(
            self.rows(
                "SELECT pod, hpc_job, host, gpu, uuid, chip, kind, samples, busy_s, covered_s FROM duty ORDER BY pod, gpu"
            ),
            [
                ("p", "41", "mi-1", "0", "u0", "MI300X", "gpu_util", 2, 0, 20),
                ("p", "41", "mi-1", "1", "u1", "MI300X", "gpu_util", 2, 15, 20),
                ("t", None, "10.0.0.2:2112", "77-0", None, "tpu-v5e", "gpu_util", 2, 0, 20),
                ("t", None, "10.0.0.2:2112", "77-1", None, "tpu-v5e", "gpu_util", 2, 15, 20),
            ],
        )
        # As its exporter writes them, labels of a chip without a job are empty, which is as good as none.
        free = {**amd, "gpu_id": "0", "gpu_uuid": "", "hostname": "", "card_model": "", "pod": "", "job_id": ""}
        self.map(self.file(self.answer((free, values))))
        self.assertEqual(
            self.rows("SELECT pod, hpc_job, host, gpu, uuid, chip FROM duty"),
            [(None, None, "10.0.0.1:5000", "0", None, None)],
        )

        # The configuration that comes with AMD's exporter puts amd_ before its names. Partitions have an id of their own.
        part = {**amd, "__name__": "amd_gpu_gfx_activity", "gpu_id": "0", "gpu_compute_partition_type": "cpx"}
        self.map(
            self.file(
                self.answer(
                    *[({**part, "gpu_partition_id": str(i)}, [(t, v * i) for t, v in values]) for i in range(2)]
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT host, gpu, slice, kind, samples, busy_s, covered_s FROM duty ORDER BY slice"),
            [("mi-1", "0", "cpx/0", "gpu_util", 2, 0, 20), ("mi-1", "0", "cpx/1", "gpu_util", 2, 15, 20)],
        )

    def test_slices(self):
        """MIG devices have the GPU's number and UUID, and an id of their own: each is a series, beside that of the whole GPU."""

        def one(metric, values, slice=None, **more):
            mig = {"GPU_I_PROFILE": slice[0], "GPU_I_ID": slice[1]} if slice else {}
            return {"__name__": metric, "gpu": "0", "UUID": "GPU-1", "Hostname": "h", **mig, **more}, [
                (T0 + 10 * i, v) for i, v in enumerate(values)
            ]

        busy, codes = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_XID_ERRORS"
        self.map(
            self.file(
                self.answer(
                    one(busy, [0.5, 0.5]),
                    one(busy, [1, 1], ("3g.20gb", "1"), pod="p"),
                    one(busy, [0, 1], ("2g.10gb", "3")),
                    one(busy, [0, 0], ("1g.5gb", "9")),
                    one(codes, [0, 0, 0], ("3g.20gb", "1")),
                    one(codes, [0, 43, 43], ("2g.10gb", "3")),
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT pod, gpu, slice, samples, busy_s, covered_s FROM duty ORDER BY slice"),
            [
                (None, "0", None, 2, 10, 20),
                (None, "0", "1g.5gb/9", 2, 0, 20),
                (None, "0", "2g.10gb/3", 2, 10, 20),
                ("p", "0", "3g.20gb/1", 2, 20, 20),
            ],
        )
        self.assertEqual(self.rows("SELECT time - ?, gpu, slice, code FROM xid", T0), [(10, "0", "2g.10gb/3", 43)])

    def test_use_that_no_driver_measures(self):
        """Of MIG devices GPU_UTIL and MEM_COPY_UTIL are 0 whatever they do: that is no duty cycle."""

        def one(metric, value, slice=None, gpu="0"):
            mig = {"GPU_I_PROFILE": slice[0], "GPU_I_ID": slice[1]} if slice else {}
            return {"__name__": metric, "gpu": gpu, "UUID": "GPU-" + gpu, "Hostname": "h", **mig}, [
                (T0 + 10 * i, value) for i in range(3)
            ]

        util, busy = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
        path = self.file(
            self.answer(
                one(util, 0, ("3g.20gb", "1")),
                one("DCGM_FI_DEV_MEM_COPY_UTIL", 0, ("3g.20gb", "1")),
                one(busy, 0.5, ("3g.20gb", "1")),
                one(util, 0, gpu="1"),
                one(util, 40, ("1g.10gb", "7"), gpu="2"),
                one(util, 0, ("1g.10gb", "8"), gpu="2"),
            )
        )
        self.assertEqual(
            [("0", "engine", 15), ("1", "gpu_util", 0), ("2", "gpu_util", 0), ("2", "gpu_util", 12)],
            self.rows("SELECT gpu, kind, busy_s FROM trace_duty(?) ORDER BY 1, 3", path),
        )
        self.assertEqual({"missing_samples": 6}, self.issues(path))

    def test_names_of_other_stores(self):
        """AKS makes names and labels lower-case, Cloud Monitoring gives GKE's own: the same duty. What is not known is named and counted."""
        values = [(T0, 100), (T0 + 60, 50), (T0 + 120, 0)]
        google = {
            "accelerator_id": "0",
            "model": "tpu-v6e-slice",
            "namespace_name": "ml",
            "pod_name": "a",
            "container_name": "c",
        }
        for labels in (
            {
                "__name__": "dcgm_fi_dev_gpu_util",
                "gpu": "0",
                "hostname": "g1",
                "uuid": "GPU-1",
                "modelname": "nvidia a100",
                "namespace": "ml",
                "pod": "a",
            },
            {
                "__name__": "DCGM_FI_DEV_GPU_UTIL",
                "gpu": "0",
                "Hostname": "g1",
                "UUID": "GPU-1",
                "namespace": "ml",
                "pod": "a",
            },
            {"__name__": "kubernetes_io:container_accelerator_duty_cycle", **google},
            {"__name__": "kubernetes.io/container/accelerator/duty_cycle", **google},
        ):
            with self.subTest(labels["__name__"]):
                self.map(self.file(self.answer((labels, values))))
                self.assertEqual(
                    self.rows("SELECT namespace, pod, gpu, kind, busy_s, covered_s FROM duty"),
                    [("ml", "a", "0", "gpu_util", 90, 180)],
                )
        self.assertEqual(self.rows("SELECT * FROM mpg_issues"), [])
        self.map(
            self.file(
                self.answer(({"__name__": "npu_chip_info_frob_utilization"}, values), ({"__name__": "up"}, values))
            )
        )
        self.assertEqual(
            self.rows(
                "SELECT severity, kind, count, detail LIKE '%npu_chip_info_frob_utilization, up' FROM mpg_issues"
            ),
            [("warning", "unknown_metric", 6, 1)],
        )
        self.assertEqual(self.rows("SELECT count(*) FROM duty"), [(0,)])

    def test_a_code_that_was_there_before(self):
        """XID_ERRORS keeps the last code: at the first sample it is a state, listed and undated. A GPU whose host gets another name is the same one."""

        def codes(gpu, values, host="h", at=0):
            return {"__name__": "DCGM_FI_DEV_XID_ERRORS", "gpu": gpu, "UUID": f"GPU-{gpu}", "Hostname": host}, [
                (T0 + at + 10 * i, v) for i, v in enumerate(values)
            ]

        self.map(
            self.file(
                self.answer(
                    codes("3", [31, 31, 31]),
                    codes("4", [0, 79]),
                    codes("4", [79, 79], "renamed", 20),
                    codes("5", [31, 48]),
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT time - ?, gpu, code FROM xid ORDER BY gpu", T0), [(10, "4", 79), (10, "5", 48)]
        )
        self.assertEqual(self.rows("SELECT severity, kind, count FROM mpg_issues"), [("info", "earlier_xid", 2)])

    def test_errors_that_the_exporter_counts(self):
        """Since its start, or in a window: a count that grows is an error, also of the same code; one that is new is, if the host was watched before. They go before the last code."""

        def counted(name, gpu, xid, values, first=0):
            return {
                "__name__": "DCGM_EXP_XID_ERRORS_" + name,
                "gpu": gpu,
                "UUID": f"GPU-{gpu}",
                "Hostname": "h",
                "xid": xid,
            }, [(T0 + first + 10 * i, v) for i, v in enumerate(values)]

        util = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-0", "Hostname": "h"}, [
            (T0 + 10 * i, 50) for i in range(6)
        ]
        last = {"__name__": "DCGM_FI_DEV_XID_ERRORS", "gpu": "0", "UUID": "GPU-0", "Hostname": "h"}, [
            (T0 + 10 * i, 79 if i > 1 else 0) for i in range(6)
        ]
        ask = "SELECT time - ?, gpu, code FROM xid ORDER BY gpu, time, code"
        for listed, name in ((2, "TOTAL"), (4, "COUNT")):
            with self.subTest(name):
                self.map(
                    self.file(
                        self.answer(
                            util,
                            last,
                            counted(name, "0", "79", [1, 1, 3], 20),
                            counted(name, "0", "31", [0, 0, 1]),
                            counted(name, "1", "48", [2, 2, 2]),
                            counted(name, "2", "48", [2, 0, 0, 1]),
                        )
                    )
                )
                self.assertEqual([(20, "0", 31), (20, "0", 79), (40, "0", 79), (30, "2", 48)], self.rows(ask, T0))
                self.assertEqual(
                    [("info", "earlier_xid", listed)], self.rows("SELECT severity, kind, count FROM mpg_issues")
                )
        self.map(
            self.file(
                self.answer(util, counted("TOTAL", "0", "79", [1], 20), counted("COUNT", "0", "79", [1, 0, 1], 20))
            )
        )
        self.assertEqual([(20, "0", 79)], self.rows(ask, T0))

    def test_a_count_of_errors_that_began_anew(self):
        """With the exporter, whose count since its start falls: what it has counted since are errors. A count in a window falls as errors grow old."""
        for name, times in (("TOTAL", [10, 30, 40, 70]), ("COUNT", [10, 30, 70])):
            path = self.file(
                self.answer(
                    (
                        {
                            "__name__": "DCGM_EXP_XID_ERRORS_" + name,
                            "gpu": "0",
                            "UUID": "GPU-0",
                            "Hostname": "h",
                            "xid": "79",
                        },
                        [(T0 + 10 * i, v) for i, v in enumerate([0, 1, 1, 2, 1, 1, 0, 1])],
                    )
                )
            )
            self.assertEqual(
                [(t,) for t in times], self.rows("SELECT time - ?2 FROM trace_xid(?1) ORDER BY 1", path, T0)
            )

    def test_two_servers_that_watch_one_error(self):
        """One of the pair scraped the GPU later: at each moment of the query they differ, and the error is one."""
        for name, labels in (
            ("DCGM_FI_DEV_XID_ERRORS", {}),
            ("DCGM_EXP_XID_ERRORS_TOTAL", {"xid": "79"}),
            ("DCGM_EXP_XID_ERRORS_COUNT", {"xid": "79"}),
        ):
            some = (0, 79) if not labels else (1, 2)
            for order in ("ab", "ba"):
                pair = [
                    (
                        {"__name__": name, "gpu": "0", "UUID": "GPU-0", "Hostname": "h", "replica": replica, **labels},
                        [(T0 + 10 * i, some[i > 2 + (replica == "b")]) for i in range(6)],
                    )
                    for replica in order
                ]
                with self.subTest(name, order=order):
                    self.assertEqual(
                        [(30, 79)],
                        self.rows("SELECT time - ?2, code FROM trace_xid(?1)", self.file(self.answer(*pair)), T0),
                    )

    def test_a_gpu_is_the_one_with_its_uuid(self):
        """Its host gets another name, or two servers watch it under two: the time is not counted twice, nor cut."""

        def samples(host, since, n):
            return {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-1", "Hostname": host, "pod": "p"}, [
                (T0 + since + 10 * i, 50) for i in range(n)
            ]

        for pair in ((samples("a", 0, 6), samples("renamed", 60, 6)), (samples("a", 0, 12), samples("b", 5, 12))):
            self.map(self.file(self.answer(*pair)))
            ((*row, busy),) = self.rows("SELECT uuid, host, busy_s FROM duty")
            self.assertEqual(["GPU-1", pair[1][0]["Hostname"]], row)
            self.assertAlmostEqual(60, busy, delta=5)

    def test_two_servers_that_watch_one_gpu(self):
        """A pair of Prometheus, as Thanos gives them without deduplication, or a file of each; or two scrapes of one exporter: each second counts once, and one takes over from the other."""

        def samples(since, n, **labels):
            return {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-1", "Hostname": "h", **labels}, [
                (T0 + since + 30 * i, 50) for i in range(n)
            ]

        for label in ("prometheus_replica", "replica", "thanos_replica", "of_the_site", "instance", "job"):
            for begin, n, covered in (
                (7, 10, 300),
                (7, 9, 300),
                (300, 10, 600),
                (0, 10, 300),
                (150, 10, 450),
                (297, 10, 597),
            ):
                with self.subTest(label=label, begin=begin):
                    pair = samples(0, 10, **{label: "a"}), samples(begin, n, **{label: "b"})
                    self.map(self.file(self.answer(*pair)))
                    self.assertEqual(
                        [(covered / 2, covered, 0)],
                        self.rows("SELECT round(sum(busy_s), 1), sum(covered_s), sum(missing_s) FROM duty"),
                    )
                    folder = self.folder_of(
                        {"a.json": self.answer(samples(0, 10)), "b.json": self.answer(samples(begin, n))}
                    )
                    self.assertEqual(
                        [(covered / 2, covered, 0)],
                        self.rows(
                            "SELECT round(sum(busy_s), 1), sum(covered_s), sum(missing_s) FROM trace_duty(?)", folder
                        ),
                    )
        # What one of them missed the other has: of the one with more samples a third is missing, of the two what b missed too.
        gap = samples(0, 30, replica="a")
        del gap[1][10:20]
        self.map(self.file(self.answer(gap, samples(7, 15, replica="b"))))
        self.assertEqual([(900, 143)], self.rows("SELECT sum(covered_s) + sum(missing_s), sum(missing_s) FROM duty"))

    def test_what_cannot_be_or_has_no_name(self):
        """A share above all is listed and counts as nothing; so is a series of a function, which has no name."""
        for name, value, kind in (
            ("DCGM_FI_DEV_GPU_UTIL", 150, "impossible_value"),
            ("DCGM_FI_PROF_SM_ACTIVE", 95, "impossible_value"),
            (None, 50, "unknown_metric"),
        ):
            path = self.file(
                self.answer(({"gpu": "0", **({"__name__": name} if name else {})}, [(T0, value), (T0 + 30, value)]))
            )
            self.rows("SELECT * FROM trace_duty(?)", path)
            self.assertEqual({kind: 2}, self.issues(path))

    def test_blank_samples_are_listed(self):
        """What DCGM does not know it writes as a great number, of which an error's code is none; a stale series ends with NaN."""
        for name, values in (
            ("DCGM_FI_DEV_GPU_UTIL", (50, 9223372036854775792, 50)),
            ("DCGM_FI_DEV_GPU_UTIL", (50, 4294967295, 50)),
            ("DCGM_FI_PROF_SM_ACTIVE", (0.5, 140737488355328, 0.5)),
            ("DCGM_FI_PROF_SM_ACTIVE", (0.5, "NaN", 0.5)),
            ("DCGM_FI_PROF_SM_ACTIVE", (0.5, 0.5, "+Inf")),
            ("DCGM_FI_DEV_XID_ERRORS", (0, 2147483632, 0)),
        ):
            path = self.file(
                self.answer(
                    (
                        {"__name__": name, "gpu": "0", "UUID": "u"},
                        [(T0 + 30 * i, value) for i, value in enumerate(values)],
                    )
                )
            )
            self.assertEqual(
                [] if "XID" in name else [(0.5, 2)],
                self.rows("SELECT busy_s / covered_s, samples FROM trace_duty(?)", path),
            )
            self.assertEqual(
                [("warning", "missing_samples", 1)],
                self.rows("SELECT severity, kind, count FROM mpg_issues WHERE source = ?", path),
                values,
            )
            self.assertEqual([], self.rows("SELECT * FROM trace_xid(?)", path))

    def test_one_gpu_in_several_series_at_once(self):
        """Pods that share a GPU have each its whole use; two exporters, or two clusters without UUIDs: listed. A pod after another is not."""

        def samples(since, n, **labels):
            return {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "Hostname": "h", **labels}, [
                (T0 + since + 30 * i, 50) for i in range(n)
            ]

        unit = {"UUID": "GPU-1", "namespace": "ml"}
        for series, expected in (
            ((samples(0, 9, pod="a", **unit), samples(0, 9, pod="b", **unit)), 1),
            ((samples(0, 9, pod="a", job="x", **unit), samples(0, 9, job="y", UUID="GPU-1")), 1),
            ((samples(0, 9, pod="a", **unit), samples(270, 9, pod="b", **unit)), None),
            ((samples(0, 9, cluster="e"), samples(0, 9, cluster="w")), 2),
            ((samples(0, 9, cluster="e", UUID="GPU-1"), samples(0, 9, cluster="w", UUID="GPU-2")), None),
        ):
            path = self.file(self.answer(*series))
            self.rows("SELECT * FROM trace_duty(?)", path)
            self.assertEqual(
                {"conflict": expected} if expected else {},
                dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path)),
            )

    def test_one_gpu_whose_samples_name_pods_by_turns(self):
        """Pods that share it in time, of which the exporter names one in each sample: listed. A pod that comes after another, or again after a pause, is not."""

        def samples(pod, *steps):
            return {
                "__name__": "DCGM_FI_DEV_GPU_UTIL",
                "gpu": "0",
                "Hostname": "h",
                "UUID": "GPU-1",
                "namespace": "ml",
                "pod": pod,
            }, [(T0 + 30 * i, 50) for i in steps]

        for series, expected in (
            ((samples("a", 0, 1, 2, 5, 6, 7), samples("b", 3, 4, 8, 9)), 1),
            ((samples("a", 0, 1, 2, 3), samples("b", 4, 5, 6)), None),
            ((samples("a", 0, 1, 2, 8, 9),), None),
        ):
            path = self.file(self.answer(*series))
            self.rows("SELECT * FROM trace_duty(?)", path)
            self.assertEqual(
                {"conflict": expected} if expected else {},
                dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path)),
            )

    def test_measures_of_other_exporters_are_named(self):
        known = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "u"}
        for name in (
            "nvidia_gpu_frob_duty_cycle",
            "xpum_engine_ratio",
            "hl_utilization",
            "npu_chip_info_aicore_utilization",
            "neuroncore_utilization_ratio",
        ):
            path = self.file(self.answer((known, [(T0, 50), (T0 + 30, 50)]), ({"__name__": name}, [(T0, 1)])))
            self.rows("SELECT * FROM trace_duty(?)", path)
            self.assertEqual(
                {"unknown_metric": 1},
                dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path)),
                name,
            )

    def test_what_is_said_of_series(self):
        """One sample stands for no time; a percentage that is nowhere above 1 may be a ratio."""
        for values, said in (
            ((50,), {"missing_samples": 1}),
            ((0.5, 0.25, 1), {"impossible_value": 3}),
            ((0, 1, 1), {}),
            ((0.5, 40, 1), {}),
        ):
            path = self.file(
                "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
                + "".join(
                    f'DCGM_FI_DEV_GPU_UTIL{{gpu="0",UUID="u"}} {value} {1772352000 + 30 * i}\n'
                    for i, value in enumerate(values)
                )
            )
            self.rows("SELECT * FROM trace_duty(?)", path)
            self.assertEqual(said, dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path)), values)

    def test_pages_with_a_time_in_their_names(self):
        """What curl gets of an exporter has no times: the name of the file tells it, as of a server's and kube-state-metrics'."""
        text = (
            '# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",Hostname="h"} %d\n'
            'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-1",Hostname="h"} %d\n'
        )
        for name in ("{}.prom", "metrics-{}123.prom"):
            folder = self.folder_of({name.format(T0 + 30 * i): text % (25 * i, 79 if i == 2 else 0) for i in range(4)})
            self.assertEqual(
                [(0, 120, 45, 120, 0)],
                self.rows(
                    "SELECT start_time - ?2, end_time - ?2, busy_s, covered_s, missing_s FROM trace_duty(?1)",
                    folder,
                    T0,
                ),
            )
            self.assertEqual([(60, 79)], self.rows("SELECT time - ?2, code FROM trace_xid(?1)", folder, T0))
            self.assertEqual([], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'no_time'"))

    def test_samples_without_a_time_are_listed(self):
        path = self.file(
            '# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1"} 50\n', "metrics.prom"
        )
        self.assertEqual([], self.rows("SELECT * FROM trace_duty(?)", path))
        self.assertEqual(
            [("warning", 2, 1)],
            self.rows(
                "SELECT severity, line, count FROM mpg_issues WHERE kind = 'no_time' AND detail LIKE '%no duty cycle%'"
            ),
        )

    def test_gpus_of_nobody(self):
        """Where Prometheus attaches the exporter's own pod, a GPU without one of its own has that pod's name: it is of no pod."""
        own = {"namespace": "gpu-operator", "pod": "nvidia-dcgm-exporter-x", "container": "nvidia-dcgm-exporter"}
        used = {"exported_namespace": "ml", "exported_pod": "p", "exported_container": "c"}

        def series(metric, gpu, values, job, **labels):
            return {
                "__name__": metric,
                "gpu": gpu,
                "Hostname": "h",
                "instance": "10.0.0.1:9400",
                "job": job,
                **labels,
            }, [(T0 + 10 * i, v) for i, v in enumerate(values)]

        busy, codes = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_XID_ERRORS"
        self.map(
            self.file(
                self.answer(
                    series(busy, "0", [50, 50], "dcgm", **own, **used),
                    series(busy, "1", [0, 0], "dcgm", **own),
                    series(codes, "1", [0, 79], "dcgm", **own),
                    series(busy, "2", [1, 1], "honored", namespace="ml", pod="q", container="c"),
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT gpu, namespace, pod, container, busy_s FROM duty ORDER BY gpu"),
            [("0", "ml", "p", "c", 10), ("1", None, None, None, 0), ("2", "ml", "q", "c", 0.2)],
        )
        self.assertEqual(self.rows("SELECT gpu, namespace, pod, code FROM xid"), [("1", None, None, 79)])

    def test_an_export_of_all_metrics(self):
        """Kubernetes' and chips' in one file of any form, which is Kubernetes' for a ledger: what chips did it tells nonetheless."""
        kube = [
            ("kube_node_status_allocatable", {"node": "n1", "resource": "nvidia_com_gpu", "unit": "integer"}, 4),
            ("kube_pod_status_phase", {"namespace": "ml", "pod": "p", "uid": "u", "phase": "Running"}, 1),
            (
                "kube_pod_container_resource_requests",
                {
                    "namespace": "ml",
                    "pod": "p",
                    "uid": "u",
                    "container": "c",
                    "node": "n1",
                    "resource": "nvidia_com_gpu",
                    "unit": "integer",
                },
                2,
            ),
        ]
        chips = [
            ("DCGM_FI_DEV_GPU_UTIL", {"Hostname": "n1", "gpu": "0", "UUID": "GPU-0", "namespace": "ml", "pod": "p"}, 50)
        ]
        times = range(1772352000, 1772352300, 30)
        quoted = lambda labels: ",".join(f'{name}="{value}"' for name, value in labels.items())
        forms = {
            "json": lambda series: {
                "status": "success",
                "data": {
                    "resultType": "matrix",
                    "result": [
                        {"metric": {"__name__": metric} | labels, "values": [[time, str(value)] for time in times]}
                        for metric, labels, value in series
                    ],
                },
            },
            "text": lambda series: "".join(
                f"{metric}{{{quoted(labels)}}} {value} {time}\n" for metric, labels, value in series for time in times
            )
            + "# EOF\n",
            "dump": lambda series: "".join(
                f'{{__name__="{metric}", {quoted(labels)}}} {value} {time}000\n'
                for metric, labels, value in series
                for time in times
            ),
        }
        for name, form in forms.items():
            for series in (kube + chips, chips + kube):
                with self.subTest(form=name, first=series[0][0]):
                    path = self.file(form(series), "all.txt")
                    self.assertEqual([("kube", "SG")], self.rows("SELECT format, feeds FROM trace_sources(?)", path))
                    self.assertEqual(
                        {"untraced": 2 * 270.0, "idle": 2 * 270.0},
                        dict(self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", path)),
                    )
                    self.assertEqual(
                        [("p", 150.0, 300.0)], self.rows("SELECT pod, busy_s, covered_s FROM trace_duty(?)", path)
                    )
            apart = self.folder_of({"k.txt": form(kube), "d.txt": form(chips)})
            self.assertEqual(
                [("p", 150.0, 300.0)], self.rows("SELECT pod, busy_s, covered_s FROM trace_duty(?)", apart)
            )
            self.assertEqual(
                [], self.rows("SELECT * FROM mpg_issues WHERE kind = 'unknown_metric' AND source LIKE ? || '%'", apart)
            )

    def test_in_the_shell(self):
        self.script("formats/dcgm.sql", prometheus=RANGE)
        self.assertEqual(self.one("SELECT count(DISTINCT pod) FROM duty"), 6)


if __name__ == "__main__":
    unittest.main()
