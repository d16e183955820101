"""The register of the tests: what each reader reads, for the suites, the benchmarks and the lists that go over all of them.

A new format is one line here and one in ext/formats/list.h; tests/test_house.py holds that both name the same ones, and that each has its
rooms. Paths are below fixtures/.
"""

import glob
import json
import os
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

LINES = "lines"  # a record is a line, or a paragraph of lines: a file that is cut off still has those before
FRAMES = "frames"  # a record has its length before it: a file that is cut off still has those before
DOCUMENT = "document"  # a file is one document: what is cut off is an error, or an issue


class Sample(NamedTuple):
    """A file that one table reads."""

    table: str
    file: str
    kind: str = LINES
    arguments: tuple = ()  # after the path
    several: str = ""  # a folder, a glob, or a file that is packed as well: what is read where one file is not wanted
    beside: tuple = ()  # files that are read with it, as one source
    head: bytes = b"\n"  # how the lines begin that are no records but tell of those that follow
    among_others: bool = False  # the reader finds its records among lines that mean nothing to it


class Format(NamedTuple):
    """A folder of ext/formats."""

    gives: str  # what its files tell of: "fleet", "profile" (of one run), "program", "metrics" or "rows"
    samples: tuple
    fixtures: str = ""  # its folder, where it has another name than the format
    mappings: tuple = ()  # its scripts in sql/formats, likewise; a text says why there is none


STEP = "step:(?<step>[0-9]+)/.*loss:(?<loss>[0-9.]+)"
MLLOG = "mlperf/results/pod16/toy_lm/result_0.txt"
TFEVENTS = "tfevents/run-7/events.out.tfevents.1772442000.host-0.41.0.v2"
PERFETTO = "perfetto/4242_results.pftrace"
XPLANE = "xplane/tpu-host-0.xplane.pb"

NATIVE = (  # the relations of a fleet, which are no format's
    Sample("trace_ledger", "golden/allocations.csv", beside=("golden/capacity.csv",), several="golden"),
    Sample("trace_rollup", "golden.jsonl", several="golden"),
    Sample("trace_timeline", "golden/allocations.csv", arguments=("J1",), several="golden"),
    Sample("trace_records", "golden.jsonl"),
)
FORMATS = {
    "slurm": Format(
        "fleet",
        (
            Sample("slurm_trace", "slurm/sacct_jobs.psv", head=b"JobID"),
            Sample("slurm_trace", "slurm/sacct.json", DOCUMENT),
            Sample("slurm_events_trace", "slurm/sacctmgr_events.psv", arguments=("Europe/Berlin",), head=b"Cluster|"),
            Sample("slurm_nodes_trace", "slurm/scontrol_nodes.txt"),
            Sample("slurm_reservations_trace", "slurm/scontrol_reservations.txt"),
        ),
    ),
    "mllog": Format("fleet", (Sample("mllog_trace", MLLOG, among_others=True),), fixtures="mlperf"),
    "pbs": Format("fleet", (Sample("pbs_trace", "pbs/accounting.log", arguments=("UTC",), several="pbs/*"),)),
    "lsf": Format("fleet", (Sample("lsf_trace", "lsf/lsb.acct", several="lsf"),)),
    "swf": Format("fleet", (Sample("swf_trace", "swf/small.swf", head=b";"),)),
    "goodput_log": Format(
        "fleet",
        (
            Sample("goodput_trace", "goodput/ranker-7.jsonl"),
            Sample("goodput_trace", "goodput/ranker-8.json", DOCUMENT),
            Sample("goodput_report", "goodput/ranker-7.jsonl", several="goodput"),
        ),
        fixtures="goodput",
        mappings=("goodput",),
    ),
    "kube": Format("fleet", (Sample("kube_trace", "kube/cluster.json", DOCUMENT),)),
    "prometheus": Format(
        "metrics",
        (
            Sample("prometheus_trace", "prometheus/dcgm.prom", several="prometheus/*", head=b"#"),
            Sample("prometheus_trace", "prometheus/dcgm.json", DOCUMENT),
        ),
        mappings=("dcgm",),
    ),
    "otlp": Format("fleet", (Sample("otlp_trace", "otlp/finetune.json", DOCUMENT),)),
    "log": Format(
        "fleet",
        (Sample("log_trace", "training/nanogpt.log", arguments=(STEP,)),),
        fixtures="training",
        mappings=("maxtext", "megatron", "nanogpt", "nvrx", "torchtitan", "trainer"),
    ),
    "chrome": Format(
        "profile",
        (
            Sample("chrome_trace", "profile/rank0.json", DOCUMENT, several="profile/*"),
            Sample("chrome_trace_info", "profile/rank0.json", DOCUMENT, several="profile"),
        ),
        fixtures="profile",
        mappings=("kineto", "xprof"),
    ),
    "xplane": Format(
        "profile",
        (
            Sample("xplane_trace", XPLANE, DOCUMENT, several="xplane"),
            Sample("xplane_planes", XPLANE, DOCUMENT, several="xplane"),
        ),
    ),
    "tfevents": Format("fleet", (Sample("tfevents_trace", TFEVENTS, FRAMES, several="tfevents"),)),
    "perfetto": Format("profile", (Sample("perfetto_trace", PERFETTO, FRAMES, several="perfetto"),)),
    "hlo": Format(
        "program",
        (
            Sample("hlo_trace", "hlo/decode.hlo", DOCUMENT),
            Sample("hlo_cost", "hlo/decode.hlo", DOCUMENT, several="hlo"),
        ),
    ),
    "generic": Format(
        "rows",
        (
            Sample("csv_trace", "golden/spans.csv", several="golden/*.csv"),
            Sample("csv_rollup", "golden/spans.csv", arguments=("step", "job")),
            Sample("jsonl_trace", "golden.jsonl"),
            Sample("jsonl_rollup", "golden.jsonl", arguments=("chips", "pool")),
        ),
        mappings="rows of any meaning: the fleet file or a query says what they are",
    ),
}

SAMPLES = NATIVE + tuple(sample for format in FORMATS.values() for sample in format.samples)
READERS = tuple(dict.fromkeys(sample.table for sample in SAMPLES))


def first(table):
    """The sample of a table that stands first."""
    return next(sample for sample in SAMPLES if sample.table == table)


def literal(value):
    return "'" + str(value).replace("'", "''") + "'"


def more(sample):
    """What follows the path in a call of the table: `, 'UTC'`."""
    return "".join(", " + literal(argument) for argument in sample.arguments)


def several(sample):
    return sample.several or sample.file


def of_kind(kind):
    return [sample for sample in SAMPLES if sample.kind == kind]


def c_header():
    """Lists for the tests in C: READER_CALLS(F) is F("table('fixtures/...', ...)") for each sample, FORMAT_CALLS(F) for the first of each format,
    and FUZZ_TARGETS(F) is F(NAME) for each file of tests/fuzz that has a fuzz_NAME."""

    def calls(samples):
        return [
            json.dumps(call)
            for call in dict.fromkeys(
                f"{sample.table}('fixtures/{several(sample)}'{more(sample)})" for sample in samples
            )
        ]

    targets = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/*.c"))):
        name = os.path.basename(path)[:-2]
        with open(path, encoding="utf-8") as file:
            targets += [name] if f"\nvoid fuzz_{name}(mpg_str" in file.read() else []
    lists = {
        "READER_CALLS": calls(SAMPLES),
        "FORMAT_CALLS": calls(format.samples[0] for format in FORMATS.values()),
        "FUZZ_TARGETS": targets,
    }
    return "".join(f"#define {name}(F) {' '.join(f'F({text})' for text in texts)}\n" for name, texts in lists.items())


if __name__ == "__main__":
    print(c_header(), end="")
