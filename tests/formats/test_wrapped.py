"""JSON in the lines of a log that something else kept: each format of such lines says the same of it as of the lines themselves."""

import json
import os
import unittest

from cases import Case
from fleets import ROOT

T = "2026-03-01T10:00:{:02}.123456789Z"


def fixture(path):
    with open(os.path.join(ROOT, "fixtures", path), encoding="utf-8") as file:
        return file.read()


def dumps(records):
    return [json.dumps(record) for record in records]


FORMATS = {
    "otlp": dumps([json.loads(fixture("otlp/finetune.json"))]),
    "goodput": fixture("goodput/ranker-7.jsonl").splitlines(),
    "kube": dumps(json.loads(fixture("kube/cluster.json"))["items"]),
    "torchtitan": dumps(
        {
            "rank": 0,
            "global_rank": 7,
            "time_us": 1772352000000000 + i * 10**6,
            "step": i // 2,
            "log_type_name": "step_end" if i % 2 else "step_start",
            "message": "{",
        }
        for i in range(20)
    ),
    "wandb": dumps(
        {"_step": i, "_timestamp": 1772352000 + 10 * i, "loss": 5 - i / 10, "note": {"a": '{"b": 1}'}} for i in range(9)
    ),
    "native": fixture("golden.jsonl").splitlines(),
    "mlflow": dumps({"key": "loss", "value": 1.0, "timestamp": 1772352000000 + 10000 * i, "step": i} for i in range(9)),
}


def pretty(lines):
    return [part for line in lines for part in json.dumps(json.loads(line), indent=2).splitlines()]


def runtime(lines, size=None):
    """As containerd and CRI-O write them, in parts of a size."""
    for i, line in enumerate(lines):
        while size and len(line) > size:
            yield f"{T.format(i % 60)} stdout P {line[:size]}"
            line = line[size:]
        yield f"{T.format(i % 60)} stdout F {line}"


def docker(lines, size=None):
    for line in lines:
        while size and len(line) > size:
            yield json.dumps({"log": line[:size], "stream": "stdout", "time": T.format(0)})
            line = line[size:]
        yield json.dumps({"log": line + "\n", "stream": "stdout", "time": T.format(0)})


def logged(lines, kind):
    """Entries of Cloud Logging."""
    return [
        {
            "insertId": f"{i:05}",
            "logName": "projects/p/logs/stdout",
            kind: line if kind == "textPayload" else json.loads(line),
            "timestamp": T.format(0),
        }
        for i, line in enumerate(lines)
    ]


WRAPPED = {
    "runtime": runtime,
    "parts": lambda lines: runtime(lines, 90),
    "pretty": lambda lines: runtime(pretty(lines)),
    "--timestamps": lambda lines: [f"{T.format(0)} {line}" for line in lines],
    "--prefix": lambda lines: [f"[pod/llm-0/main] {line}" for line in lines],
    "--prefix --timestamps": lambda lines: [f"[pod/llm-0/main] {T.format(0)} {line}" for line in lines],
    "compose": lambda lines: [f"llm-1  | {line}" for line in lines],
    "syslog": lambda lines: [f"Mar  1 10:00:00 n1 llm[77]: {line}" for line in lines],
    "short-iso": lambda lines: [f"2026-03-01T10:00:00+0000 n1 llm[77]: {line}" for line in lines],
    "srun -l": lambda lines: [f"0: {line}" for line in lines],
    "java": lambda lines: [
        part
        for line in lines
        for part in (
            "Mar 01, 2026 10:00:00 AM io.opentelemetry.exporter.logging.otlp.OtlpJsonLoggingSpanExporter export",
            f"INFO: {line}",
        )
    ],
    "logback": lambda lines: [f"10:00:00.123 [main] INFO  i.o.e.l.o.Exporter - {line}" for line in lines],
    "rank": lambda lines: [f"[rank0]: {line}" for line in lines],
    "torchrun --tee": lambda lines: [f"[default0]:{line}" for line in ["WARNING: 8 ranks", *lines]],
    "mpirun --tag-output": lambda lines: [f"[1,0]<stdout>:{line}" for line in lines],
    "Ray": lambda lines: [f"\x1b[36m(Trainer pid=71, ip=10.0.0.1)\x1b[0m {line}" for line in ["Loading", *lines]],
    "pdsh": lambda lines: [f"worker-0: {line}" for line in ["Loading", *lines]],
    "pdsh of srun -l": lambda lines: [f"gpu-node-3: 0: {line}" for line in lines],
    "text between": lambda lines: [
        "Loading {} [1/2]",
        'INFO {"lr": 1}',
        *(part for line in lines for part in (line, "W0301 slow: {", "[rank0] done")),
    ],
    "docker": docker,
    "docker's parts": lambda lines: docker(lines, 90),
    "docker, pretty": lambda lines: docker(pretty(lines)),
    "journal": lambda lines: dumps(
        {"__CURSOR": "x", "__REALTIME_TIMESTAMP": "1772352000000000", "MESSAGE": line, "_PID": "1"} for line in lines
    ),
    "cloudwatch": lambda lines: [
        json.dumps(
            {
                "events": [{"logStreamName": "s", "timestamp": 1772352000000, "message": line} for line in lines],
                "searchedLogStreams": [],
            },
            indent=4,
        )
    ],
    "fluent bit": lambda lines: dumps(
        {"date": 1772352000.1, "log": line + "\n", "kubernetes": {"pod_name": "p"}} for line in lines
    ),
    "loki": lambda lines: dumps({"labels": {"app": "x"}, "line": line, "timestamp": T.format(0)} for line in lines),
    "loki's answer": lambda lines: [
        json.dumps(
            {
                "status": "success",
                "data": {
                    "resultType": "streams",
                    "result": [
                        {
                            "stream": {"app": "x"},
                            "values": [[str(1772352000 * 10**9 + i), line] for i, line in enumerate(lines)],
                        }
                    ],
                    "stats": {},
                },
            }
        )
    ],
    "cloudwatch's query": lambda lines: [
        json.dumps(
            {
                "results": [
                    [
                        {"field": "@timestamp", "value": "2026-03-01 10:00:00.000"},
                        {"field": "@message", "value": line},
                        {"field": "@ptr", "value": "x"},
                    ]
                    for line in lines
                ],
                "status": "Complete",
            },
            indent=4,
        )
    ],
    "azure": lambda lines: [
        json.dumps(
            [
                {"LogMessage": line, "LogSource": "stdout", "PodName": "p", "TimeGenerated": T.format(0)}
                for line in lines
            ],
            indent=2,
        )
    ],
    "elastic": lambda lines: dumps({"_index": "x", "_source": {"message": line}} for line in lines),
    "splunk": lambda lines: dumps({"preview": False, "result": {"_raw": line}} for line in lines),
    "cloud logging": lambda lines: [json.dumps(logged(lines, "textPayload"), indent=2)],
    "cloud logging, JSON": lambda lines: dumps(logged(lines, "jsonPayload")),
}
# No log, but the same JSON.
WRITTEN = {
    "jq": pretty,
    "jq -s": lambda lines: [json.dumps(list(map(json.loads, lines)), indent=2)],
    "jq -cs": lambda lines: [json.dumps(list(map(json.loads, lines)))],
}


class Wrapped(Case):
    def figures(self, lines):
        path = self.file("\n".join(lines) + "\n", "log")
        rows = self.rows(
            "SELECT job, attempt, category, cause, sum(chip_us), sum(intervals) FROM trace_rollup(?) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            path,
        )
        return [("its path" if job and job.startswith("/") else job, *row) for job, *row in rows]

    def test_every_format_in_every_wrapping(self):
        for name, lines in FORMATS.items():
            plain = self.figures(lines)
            self.assertTrue(plain)
            for how, wrap in {**WRAPPED, **WRITTEN}.items():
                with self.subTest(format=name, how=how):
                    if (name, how) != ("kube", "cloud logging, JSON"):  # there an entry's payload is an event
                        self.assertEqual(plain, self.figures(list(wrap(lines))))

    def test_steps(self):
        """The tables of steps read them as the ledger does."""
        for name in ("torchtitan", "wandb", "mlflow"):
            counted = []
            for wrap in (list, docker, WRAPPED["cloud logging, JSON"], WRAPPED["loki's answer"]):
                counted.append(
                    self.one(
                        "SELECT count(*) FROM trace_training_steps(?)",
                        self.file("\n".join(wrap(FORMATS[name])) + "\n", "log"),
                    )
                )
            self.assertEqual(counted, counted[:1] * 4, name)
            self.assertGreater(counted[0], 5)

    def test_other_lines(self):
        """Among the lines of a container are others: they are passed over, and counted."""
        lines = FORMATS["otlp"]
        for wrap in (runtime, docker, WRAPPED["cloud logging"], list):
            noisy = self.file("\n".join(wrap(["Starting {}", "", *lines, "W0301 slow"])) + "\n", "log")
            self.assertEqual(self.one("SELECT count(*) FROM otlp_trace(?)", noisy), 4)
            self.assertEqual(
                self.rows("SELECT severity, count FROM mpg_issues WHERE source = ? AND kind = 'other_lines'", noisy),
                [("info", 3)],
            )

    def test_text_behind_json(self):
        """As when a program that prints JSON Lines fails: the lines of its error are passed over, and counted."""
        trouble = [
            "Traceback (most recent call last):",
            '  File "train.py", line 7, in <module>',
            "RuntimeError: CUDA error",
        ]
        for table, name in (("otlp_trace", "otlp"), ("goodput_trace", "goodput")):
            lines = FORMATS[name]
            plain = self.file("\n".join(lines) + "\n", "log")
            rows = self.rows(f"SELECT *, _line FROM {table}(?)", plain)
            for text in (lines + trouble, lines[:1] + trouble + lines[1:], lines[:-1] + ["W0301 slow"] + lines[-1:]):
                mixed = self.file("\n".join(text) + "\n", "mixed")
                found = self.rows(f"SELECT *, _line FROM {table}(?)", mixed)
                self.assertEqual([row[:-1] for row in found], [row[:-1] for row in rows])
                self.assertEqual(
                    self.rows(
                        "SELECT severity, count FROM mpg_issues WHERE source = ? AND kind = 'other_lines'", mixed
                    ),
                    [("info", len(text) - len(lines))],
                )
            broken = self.file(
                "\n".join([lines[0], lines[-1][7:], *lines[1:]]) + "\n", "broken"
            )  # half a line is no text
            self.assertIn(":2:1: expected", self.error(f"SELECT * FROM {table}(?)", broken))

    def test_documents_behind_text(self):
        """JSON over several lines, which a bracket alone begins, in what a terminal kept."""
        for name, table in (("kube/cluster.json", "kube_trace"), ("otlp/finetune.json", "otlp_trace")):
            path = os.path.join(ROOT, "fixtures", name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for head, tail, others in (
                ("nohup: ignoring input\n", "", 1),
                ("$ kubectl get pods -o json\n\n", "\n$ exit\n", 4),
                ("W0301 08:00:00.123456 1 loader.go:221] slow\r\n", "Script done\n", 2),
            ):
                kept = self.file(head + text + tail, "kept")
                self.assertEqual(
                    self.rows(f"SELECT * FROM {table}(?)", kept), self.rows(f"SELECT * FROM {table}(?)", path)
                )
                self.assertEqual(
                    self.one("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'other_lines'", kept), others
                )

    def test_lines_keep_their_numbers(self):
        for wrap in (lambda lines: runtime(["Hello"] + lines, 900), lambda lines: docker(["Hello"] + lines, 900)):
            lines = list(wrap(FORMATS["goodput"]))
            path = self.file("\n".join(lines) + "\n", "log")
            self.assertEqual(
                [line for line, in self.rows("SELECT _line FROM goodput_trace(?)", path)],
                list(range(2, len(lines) + 1)),
            )
            for threads in (1, 4):
                self.assertEqual(
                    self.one("SELECT count(*) FROM goodput_trace(?) WHERE threads = ?", path, threads), len(lines) - 1
                )

    def test_a_log_in_the_answer_of_loki(self):
        """It is the trainer's, and no answer of Prometheus, which begins alike; also where it is one line, as a server writes it, or a cloud's is."""
        lines = fixture("training/megatron.log").splitlines()
        answer = {
            "status": "success",
            "data": {
                "resultType": "streams",
                "result": [
                    {
                        "stream": {"app": "x"},
                        "values": [[str((1772352000 + i) * 10**9), line] for i, line in enumerate(lines)],
                    }
                ],
            },
        }
        wanted = None
        for text in (
            json.dumps(answer, indent=2),
            json.dumps(answer),
            json.dumps(answer, separators=(",", ":")) + "\n",
            json.dumps(
                {"events": [{"timestamp": (1772352000 + i) * 1000, "message": line} for i, line in enumerate(lines)]}
            ),
            json.dumps([{"insertId": str(i), "textPayload": line} for i, line in enumerate(lines)]),
        ):
            path = self.file(text, "log")
            self.assertEqual(self.rows("SELECT format FROM trace_sources(?)", path), [("megatron",)])
            rows = self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1", path)
            wanted = wanted or rows
            self.assertEqual(wanted, rows)
            self.assertIn("lost", dict(rows))

    def test_a_report(self):
        path = self.file("\n".join(runtime(FORMATS["goodput"])), "log")
        self.assertEqual(
            self.rows("SELECT job, round(goodput_pct, 1) FROM goodput_report(?)", path), [("ranker-7", 27.2)]
        )

    def test_records_of_your_own_are_as_they_are(self):
        """jsonl_trace reads what is there: a record that has a text of JSON in it stays itself. Only what no record is goes."""
        record = json.dumps({"log": '{"a":1}\n', "stream": "stdout"})
        self.assertEqual(
            self.rows("SELECT record FROM jsonl_trace(?)", self.file(record + "\n", "own.jsonl")), [(record,)]
        )
        self.assertEqual(
            self.rows(
                "SELECT record, _line FROM jsonl_trace(?)",
                self.file(f'{T.format(0)} stdout F x\n{T.format(0)} stdout F {{"a":1}}\n', "own.jsonl"),
            ),
            [('{"a":1}', 2)],
        )

    def test_a_text_of_json_in_an_object(self):
        """What a program says of its end, in a pod, is no line of a log."""
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "n"},
            "spec": {},
            "status": {"message": '{"message": {"error": 1}}', "phase": "Failed"},
        }
        for objects in ([pod], [pod, pod], {"kind": "List", "items": [pod]}):
            self.assertEqual(
                set(self.rows("SELECT name, message FROM kube_trace(?)", self.file(json.dumps(objects), "pods.json"))),
                {("p", pod["status"]["message"])},
            )


if __name__ == "__main__":
    unittest.main()
