"""fleets.py - small fleets as Python data, the forms they are given in, and what the extension says of them."""

import contextlib
import csv
import functools
import gzip
import json
import os
import random
import re
import sqlite3
import subprocess
import tempfile
from collections import Counter

from naive_records import COLUMNS, ROOT, SINGULAR

RECORD = {relation: record for record, relation in SINGULAR.items()}


def connect(path=":memory:"):
    db = sqlite3.connect(path, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(os.path.join(ROOT, "mpg"))
    return db


# Records in few words; chips of the chip `one` do 10^12 FLOP/s, so 10^12 FLOPs are one chip-second.

ONE = {"chip": "one", "dtype": "bf16", "peak_flops": 1e12}
TWO = {"chip": "two", "dtype": "bf16", "peak_flops": 2e12}


def cap(chips, start, end=None, pool="p", chip="one"):
    return "capacity", dict(pool=pool, chip=chip, chips=chips, start_time=start, end_time=end)


def out(chips, start, end=None, kind="hw_down", pool="p"):
    return "outages", dict(pool=pool, chips=chips, start_time=start, end_time=end, kind=kind)


def job(called="j", **columns):
    return "jobs", dict(job=called, **columns)


def al(chips, start, end=None, attempt=1, task=None, pool="p", outcome=None, job="j"):
    return "allocations", dict(
        job=job, attempt=attempt, task=task, pool=pool, chips=chips, start_time=start, end_time=end, outcome=outcome
    )


def sp(kind, start, end=None, step=None, attempt=1, job="j", **columns):
    return "spans", dict(job=job, attempt=attempt, kind=kind, start_time=start, end_time=end, step=step, **columns)


def co(step, snapshot, durable, attempt=1, job="j"):
    return "commits", dict(job=job, attempt=attempt, step=step, snapshot_time=snapshot, durable_time=durable)


def pr(program, flops=None, dtype=None):
    return "programs", dict(program=program, flops=flops, dtype=dtype)


def fleet(*records):
    relations = {}
    for relation, values in records:
        relations.setdefault(relation, []).append(values)
    return relations


# The forms of the native trace


def columns_of(relation, rows):
    return [c for c in COLUMNS[relation] if any(row.get(c) is not None for row in rows)]


def cell(value):
    return repr(value) if isinstance(value, float) else value


def write_csv(folder, relations, shards=1, suffix="", rng=random):
    """One file a relation, or several into which its rows are dealt; suffix .gz or .zst compresses."""
    for relation, rows in relations.items():
        dealt = [[] for _ in range(shards)]
        for row in rows:
            dealt[rng.randrange(shards)].append(row)
        names = columns_of(relation, rows)
        for i, part in enumerate(dealt):
            path = os.path.join(folder, f"{relation}-{i}.csv" if shards > 1 else f"{relation}.csv")
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows([cell(row.get(name)) for name in names] for row in part)
            compress(path, suffix)
    return folder


def write_jsonl(folder, relations, suffix="", name="trace.jsonl", rng=None):
    """All records in one file; in a random order where there is an `rng`."""
    records = [dict(row, record=RECORD[relation]) for relation, rows in relations.items() for row in rows]
    if rng:
        rng.shuffle(records)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
    return compress(path, suffix)


def compress(path, suffix):
    if suffix == ".gz":
        with open(path, "rb") as file, gzip.open(path + ".gz", "wb") as packed:
            packed.write(file.read())
    elif suffix == ".zst":
        subprocess.check_call(["zstd", "-q", path])
    if suffix:
        os.remove(path)
    return path + suffix


def create_tables(db, relations, schema="main", temp=False):
    for relation, rows in relations.items():
        names = COLUMNS[relation]
        db.execute(f"CREATE {'TEMP ' if temp else ''}TABLE {relation}({', '.join(names)})")
        db.executemany(
            f"INSERT INTO {relation} VALUES ({', '.join('?' * len(names))})",
            [[row.get(name) for name in names] for row in rows],
        )


@contextlib.contextmanager
def as_source(relations, form):
    """(connection, FROM clause) of a fleet in one of FORMS."""
    with tempfile.TemporaryDirectory() as folder:
        db = connect()
        try:
            if form == "tables":
                create_tables(db, relations)
                yield db, "mpg_ledger"
            elif form == "jsonl":
                path = write_jsonl(folder, relations)
                yield db, "trace_ledger(%s)" % quote(path)
            else:
                write_csv(folder, relations)
                yield db, "trace_ledger(%s)" % quote(folder)
        finally:
            db.close()


FORMS = ["csv", "jsonl", "tables"]


def quote(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def bind(script, **parameters):
    """A script of sql/ with literals in place of its parameters, for executescript(), which binds none."""
    for name, value in parameters.items():
        script = re.sub(
            rf"(?<![':\w]):{name}\b", lambda _, value=value: "NULL" if value is None else quote(value), script
        )
    return script


@functools.cache
def generator():
    """The path of the generator, made where it is not there or not up to date."""
    done = subprocess.run(["make", "-s", "build/generate"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return os.path.join(ROOT, "build", "generate")


KEY = ["pool", "chip", "job", "attempt", "category", "cause", "bucket"]


def where(options):
    """Hidden arguments as constraints: `where(dict(as_of=40))` is `WHERE as_of = 40`."""
    if not options:
        return ""
    terms = []
    for name, value in options.items():
        if name == "sizes":
            value = ",".join(map(str, value))
        terms.append(f"{dict(bucket='bucket_width').get(name, name)} = {quote(value)}")
    return " WHERE " + " AND ".join(terms)


def ledger(db, source, options=None, columns=KEY):
    """What the extension says: Counter of `columns` -> chip_us, without what sums to nothing."""
    names = ", ".join(columns)
    numbers = ", ".join(str(i + 1) for i in range(len(columns)))
    rows = db.execute(f"SELECT {names}, sum(chip_us) FROM {source}{where(options or {})} GROUP BY {numbers}")
    return Counter({tuple(row[:-1]): row[-1] for row in rows if row[-1]})


def project(counter, columns):
    """A ledger summed over all but some of its columns."""
    at = [KEY.index(c) for c in columns]
    sums = Counter()
    for key, us in counter.items():
        sums[tuple(key[i] for i in at)] += us
    return Counter({k: v for k, v in sums.items() if v})


def difference(expected, found):
    """None where equal, else lines that say how not."""
    lines = [
        "%s: expected %s, found %s" % (key, expected.get(key, 0), found.get(key, 0))
        for key in sorted(set(expected) | set(found), key=repr)
        if expected.get(key, 0) != found.get(key, 0)
    ]
    return "\n".join(lines) if lines else None
