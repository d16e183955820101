"""The records of the native trace as the naive ledger has them: columns, values as they are written, its three forms, and catalogue of chips.

Times are whole microseconds, chips are millionths; Python's integers and fractions keep them exact.
"""

import csv
import gzip
import io
import json
import os
import re
import subprocess
from datetime import datetime, timedelta, timezone
from fractions import Fraction

MILLION = 10**6
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

COLUMNS = {
    "capacity": ["pool", "chip", "chips", "start_time", "end_time"],
    "outages": ["pool", "chips", "start_time", "end_time", "kind"],
    "jobs": [
        "job",
        "name",
        "owner",
        "phase",
        "framework",
        "runtime",
        "model",
        "priority",
        "chips",
        "min_chips",
        "tasks",
        "submit_time",
        "labels",
    ],
    "allocations": ["job", "attempt", "task", "pool", "chips", "start_time", "end_time", "outcome"],
    "spans": [
        "job",
        "attempt",
        "kind",
        "start_time",
        "end_time",
        "step",
        "program",
        "flops",
        "bytes",
        "dtype",
        "executions",
    ],
    "commits": ["job", "attempt", "step", "snapshot_time", "durable_time"],
    "programs": ["program", "flops", "bytes", "dtype"],
    "observed": ["pool", "until_time", "job", "chip"],
    "chips": [
        "chip",
        "dtype",
        "peak_flops",
        "hbm_bytes",
        "hbm_bytes_per_s",
        "ici_bytes_per_s",
        "tdp_w",
        "vendor",
        "year",
        "source",
    ],
}
SINGULAR = {
    "capacity": "capacity",
    "outage": "outages",
    "job": "jobs",
    "allocation": "allocations",
    "span": "spans",
    "commit": "commits",
    "program": "programs",
    "chip": "chips",
}


# Values, as they are written


def half_even(fraction):
    return round(fraction)  # of a Fraction, Python's round is exact and half to even


def microseconds(value):
    """Unix seconds, or ISO 8601 text; None stays None."""
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)):
        return half_even(Fraction(value) * MILLION)
    if re.fullmatch(r"-?[0-9.]+([eE][-+]?[0-9]+)?", value):
        return half_even(Fraction(value) * MILLION)
    m = re.fullmatch(
        r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?" r"(Z|[-+]\d\d(?::?\d\d)?)?", value
    )
    if not m:
        raise ValueError("not a time: %r" % value)
    year, month, day, hour, minute, second = (int(m[i] or 0) for i in range(1, 7))
    at = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    us = (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    us += half_even(Fraction(m[7] or 0) * MILLION)
    if m[8] and m[8] != "Z":
        digits = m[8][1:].replace(":", "").ljust(4, "0")
        east = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        us -= (east if m[8][0] == "+" else -east) * MILLION
    return us


def millionths(value):
    return None if value is None or value == "" else half_even(Fraction(value) * MILLION)


def whole(value):
    return None if value is None or value == "" else int(Fraction(value))


def real(value):
    return None if value is None or value == "" else float(value)


def text(value):
    return None if value is None or value == "" else str(value)


UUID = re.compile(r"(?:urn:uuid:)?\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?", re.I)


def job_name(value):
    value = text(value)
    found = UUID.fullmatch(value) if value is not None else None
    return found[1].lower() if found else value


CONVERT = {
    "start_time": microseconds,
    "end_time": microseconds,
    "submit_time": microseconds,
    "snapshot_time": microseconds,
    "until_time": microseconds,
    "durable_time": microseconds,
    "chips": millionths,
    "min_chips": millionths,
    "attempt": whole,
    "step": whole,
    "tasks": whole,
    "flops": real,
    "bytes": real,
    "executions": real,
    "peak_flops": real,
    "hbm_bytes_per_s": real,
    "job": job_name,
}


class Row:
    """A record with its columns as attributes."""

    def __init__(self, relation, values):
        for column in COLUMNS[relation]:
            setattr(self, column, CONVERT.get(column, text)(values.get(column)))
        self.key = tuple(getattr(self, c) for c in COLUMNS[relation])
        if getattr(self, "end_time", None) is not None and self.end_time < self.start_time:
            raise ValueError("%s ends before it starts: %r" % (relation, values))


# The three forms of the native trace


def open_text(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    if path.endswith(".zst"):
        return io.StringIO(subprocess.check_output(["zstd", "-dcq", path]).decode("utf-8"))
    return open(path, encoding="utf-8", newline="")


def load_jsonl(path, relations=None):
    relations = relations if relations is not None else {}
    with open_text(path) as f:
        content = f.read()
    if content.lstrip().startswith("["):
        records = json.loads(content)
    else:
        records = [json.loads(line) for line in content.splitlines() if line.strip()]
    for record in records:
        if isinstance(record.get("labels"), (dict, list)):
            record["labels"] = json.dumps(record["labels"], separators=(",", ":"))
        relations.setdefault(SINGULAR[record["record"]], []).append(record)
    return relations


def load_csv(path, relations=None):
    relations = relations if relations is not None else {}
    relation = re.match("[a-z]*", os.path.basename(path).lower())[0]
    with open_text(path) as f:
        relations.setdefault(relation, []).extend(csv.DictReader(f))
    return relations


def load_folder(path):
    """A folder of CSV and JSON Lines files, or one such file."""
    relations = {}
    names = [os.path.join(path, n) for n in sorted(os.listdir(path))] if os.path.isdir(path) else [path]
    for name in names:
        plain = re.sub(r"\.(gz|zst)$", "", name)
        if plain.endswith(".csv") and re.match("[a-z]*", os.path.basename(name).lower())[0] in COLUMNS:
            load_csv(name, relations)
        elif plain.endswith((".jsonl", ".json")):
            load_jsonl(name, relations)
    return relations


# The catalogue of chips


def plain(name):
    return re.sub("[ _-]+", " ", name).strip().lower()


SPELLINGS = {
    "f64": "fp64",
    "float64": "fp64",
    "f32": "fp32",
    "float32": "fp32",
    "float": "fp32",
    "f16": "fp16",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "f8e4m3fn": "fp8",
    "f8e5m2": "fp8",
    "s8": "int8",
    "u8": "int8",
}


class Chips:
    def __init__(self, extra=()):
        self.names, self.peaks, self.bandwidths = {}, {}, {}
        for folder in ("schema", "../chips/schema", "../shared/oracle/chips"):
            folder = os.path.join(ROOT, folder)
            if os.path.exists(os.path.join(folder, "chips.csv")):
                break
        with open(os.path.join(folder, "chips.csv"), newline="") as f:
            for row in csv.DictReader(f):
                self.add(row["chip"], row["dtype"], real(row["peak_flops"]), real(row["hbm_bytes_per_s"]))
        with open(os.path.join(folder, "chip_aliases.csv"), newline="") as f:
            for row in csv.DictReader(f):
                self.names[plain(list(row.values())[0])] = row["chip"]
        for row in extra:
            self.add(self.find(row.chip) or row.chip, row.dtype, row.peak_flops, row.hbm_bytes_per_s)

    def add(self, chip, dtype, peak, bandwidth):
        self.names[plain(chip)] = chip
        self.peaks.setdefault(chip, {})[dtype] = peak
        if bandwidth is not None:
            self.bandwidths[chip] = bandwidth

    def bandwidth(self, chip):
        return self.bandwidths.get(chip)

    def find(self, name):
        return None if name is None else self.names.get(plain(name))

    def peak(self, chip, dtype):
        """FLOP/s of one chip, or None."""
        peaks = self.peaks[chip]
        if dtype is None:
            dtype = "bf16" if "bf16" in peaks else "fp16" if "fp16" in peaks else "fp32"
        dtype = SPELLINGS.get(dtype.lower(), dtype.lower())
        other = {"bf16": "fp16", "fp16": "bf16"}.get(dtype)
        return peaks.get(dtype) or peaks.get(other)
