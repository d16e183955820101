"""What mappings say of a record that lacks a word or has another: a row of mpg_issues that the whole trace has not. One case a kind and format."""

import os
import re
import shutil
import sqlite3
import tempfile
import unittest

from fleets import ROOT, connect

FIXTURES = os.path.join(ROOT, "fixtures")
SACCT = ["slurm/sacct_jobs.psv"]
EVENTS = SACCT + ["slurm/sacctmgr_events.psv"]
NODES = SACCT + ["slurm/scontrol_nodes.txt"]
CLAIMS = ["kube/claims.json"]
PHILLY = ["public/philly/cluster_job_log", "public/philly/cluster_machine_list"]
PAI = ["public/pai/pai_job_duration_estimate.csv"]
GOLDEN = [
    "golden/%s.csv" % relation
    for relation in ("allocations", "capacity", "commits", "jobs", "outages", "programs", "spans")
]

# What is damaged is the last file: (name, files, pattern, what stands there instead, (severity, kind, and of how many
# records, if not of one)). The first match is replaced.
CASES = [
    ("slurm: another word of two in a job", SACCT, r"gres/gpu=16", "gres/npu=16", ("warning", "mixed_pool")),
    (
        "slurm: another word in what was asked",
        SACCT,
        r"gres/gpu:h100=16,gres/gpu=16(?=[^|]*\|billing)",
        "gres/npu:h100=16,gres/npu=16",
        ("warning", "mixed_pool"),
    ),
    ("slurm: another word in an event", EVENTS, r"(?<=mem=80000M)", ",gres/npu=8", ("warning", "mixed_pool")),
    ("slurm: another word in a node", NODES, r"Gres=gpu", "Gres=npu", ("warning", "mixed_pool")),
    (
        "slurm: no type in what was held",
        SACCT,
        r"gres/gpu:h100=16,(?=[^|]*\|n\[1-2\])",
        "",
        ("warning", "missing_field"),
    ),
    (
        "slurm: a number that is none",
        ["slurm/sacct.json"],
        r'"count": ?40(?=\s)',
        '"count": -40',
        ("warning", "missing_field"),
    ),
    (
        "slurm: an event without what its node has",
        EVENTS,
        r"(?<=root\(0\)\|)billing=\S+",
        "",
        ("data_loss", "missing_field"),
    ),
    ("slurm: an event without its node", EVENTS, r"(?<=\|Node\|)n1", "", ("data_loss", "missing_field")),
    ("slurm: an event of no kind", EVENTS, r"\|Node\|", "|Nod|", ("data_loss", "unknown_record")),
    (
        "sge: an object without its task",
        ["sge/accounting.jsonl"],
        r'"task_number": 1, ',
        "",
        ("warning", "missing_field"),
    ),
    (
        "condor: a completion without a start",
        ["condor/history.json"],
        r'"CompletionDate": 0,(?s:(.*?))"JobCurrentStartDate": \d+',
        r'"CompletionDate": 1743442410,\1"JobCurrentStartDate": 0',
        ("warning", "missing_field"),
    ),
    (
        "swf: the first part below the second",
        ["swf/small.swf"],
        r"(   5   100   400   100 .*\n)(.*\n)",
        r"\2\1",
        ("warning", "line_out_of_order"),
    ),
    (
        "philly: an ended job without an end",
        ["public/philly/cluster_machine_list", "public/philly/cluster_job_log"],
        r'"end_time": "2017-10-07 05:21:00",',
        "",
        ("warning", "missing_field"),
    ),
    ("pai: no type", PAI, r",T4,", ",,", ("warning", "missing_field")),
    ("pai: a column that is none", PAI, r"wait_time", "wait", ("info", "unknown_column")),
    (
        "kube: a claim that no file has",
        CLAIMS,
        r'"name": ?"four-gpus"(?=[^{}]*\})',
        '"name": "some-gpus"',
        ("warning", "missing_field", 5),
    ),
    (
        "kube: a container that finished before it started",
        ["kube/cluster.json"],
        r'(?<="finishedAt": ")2026-03-01T08:35',
        "2026-03-01T08:04",
        ("data_loss", "end_before_start"),
    ),
    ("otlp: a span without a name", ["otlp/spans.jsonl"], r'"name":"step",', "", ("info", "other_spans")),
    (
        "otlp: a step without its number",
        ["otlp/spans.jsonl"],
        r',\{"key":"mpg.step","value":\{"intValue":"1"\}\}',
        "",
        ("warning", "missing_field"),
    ),
    (
        "otlp: a step without its FLOPs",
        ["otlp/spans.jsonl"],
        r'"mpg.flops"',
        '"mpg.flop"',
        ("warning", "missing_field"),
    ),
    (
        "native: a step without a number",
        ["golden.jsonl"],
        r'"kind": ?"step"(.*?)"step": ?3, ?',
        r'"kind": "step"\1',
        ("warning", "unnumbered_steps"),
    ),
    ("native: a number below 0", ["golden.jsonl"], r'"step": ?3\b', '"step": -3', ("warning", "impossible_value")),
    (
        "native: a time in a century",
        GOLDEN[:1] + GOLDEN[2:] + GOLDEN[1:2],
        r",100$",
        ",3155760100",
        ("warning", "impossible_time"),
    ),
]


def listed(path):
    """(severity, kind): how many."""
    db = connect()
    try:
        db.execute("SELECT sum(chip_us) FROM trace_ledger(?) WHERE on_error = 'skip'", (path,)).fetchall()
        return {
            row[:2]: row[2] for row in db.execute("SELECT severity, kind, sum(count) FROM mpg_issues GROUP BY 1, 2")
        }
    except sqlite3.Error as error:
        raise AssertionError(path) from error
    finally:
        db.close()


class Lacks(unittest.TestCase):
    def test_each_is_listed(self):
        for name, files, pattern, word, (severity, kind, *count) in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                for file in files:
                    shutil.copy(os.path.join(FIXTURES, file), folder)
                path = os.path.join(folder, os.path.basename(files[-1]))
                asked = folder if len(files) > 1 else path
                before = listed(asked)
                with open(path, encoding="utf-8") as file:
                    whole = file.read()
                text = re.sub(pattern, word, whole, count=1, flags=re.M)
                self.assertTrue(whole != text)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(
                    before.get((severity, kind), 0) + (count or [1])[0], listed(asked).get((severity, kind), 0)
                )


if __name__ == "__main__":
    unittest.main()
