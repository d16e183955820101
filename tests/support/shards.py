"""shards.py - a fleet cut into shards as docs/shards.md tells, and the tasks that reduce them."""

import os
import shutil
import subprocess
import zlib

from fleets import ROOT, generator, quote, write_csv

COMMON = ("capacity", "outages", "programs")  # relations that belong to no job
SEGMENTS = "pool, chip, phase, framework, size, bucket"
MERGE = f"INSERT INTO fleet_states SELECT {SEGMENTS}, goodput_merge(state) FROM shard_states GROUP BY {SEGMENTS}"


def shard_of(job, n):
    return zlib.crc32(job) % n


def cut(folder, relations, n):
    """Folders: the capacity alone, and n shards of the jobs, each with the capacity that names its chips."""
    parts = {"capacity": {name: rows for name, rows in relations.items() if name in ("capacity", "outages")}}
    for i in range(n):
        parts[f"jobs-{i}"] = {
            name: rows if name in COMMON + ("chips",) else [r for r in rows if shard_of(str(r["job"]).encode(), n) == i]
            for name, rows in relations.items()
        }
    for name, part in parts.items():
        os.mkdir(os.path.join(folder, name))
        write_csv(os.path.join(folder, name), part)
    return list(parts)


def cut_files(folder, source, n):
    """The same of a folder of CSV files of any size, line by line; their first column is the job, and no line break is quoted."""
    names = ["capacity"] + [f"jobs-{i}" for i in range(n)]
    for name in names:
        os.mkdir(os.path.join(folder, name))
    for file in sorted(os.listdir(source)):
        path, relation = os.path.join(source, file), file.split(".")[0]
        if relation in COMMON:
            for name in names[relation == "programs" :]:
                os.link(path, os.path.join(folder, name, file))
            continue
        outs = [open(os.path.join(folder, name, file), "wb") for name in names[1:]]
        with open(path, "rb") as lines:
            head = next(lines)
            if not head.startswith(b"job,"):
                raise ValueError(f"{path}: its first column is not the job")
            for out in outs:
                out.write(head)
            write = {}
            for line in lines:
                job = line[: line.index(b",")]
                to = write.get(job)
                if to is None:
                    to = write[job] = outs[shard_of(job, n)].write
                to(line)
        for out in outs:
            out.close()
    return names


def generate(path, spans, seed=11):
    """A folder of CSV files from the generator, and the time from which on nothing happens any more."""
    if not os.path.isdir(path):
        shutil.rmtree(path + ".partial", ignore_errors=True)
        subprocess.run(
            [generator(), "--seed", str(seed), "--spans", str(spans), "--format", "csv", "--out", path + ".partial"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        os.rename(path + ".partial", path)
    with open(os.path.join(path, "capacity.csv"), encoding="utf-8") as file:
        return max(line.rstrip("\n").rsplit(",", 1)[1] for line in list(file)[1:])


def task_command(folder, name, as_of, bucket="NULL", basis=None, path=None):
    """The command of a task, less its standard input."""
    basis = basis or ("installed" if name == "capacity" else "shard")
    path = path or os.path.join(folder, name)
    parameters = {
        "shard": quote(name),
        "path": quote(path),
        "basis": quote(basis),
        "as_of": quote(as_of),
        "bucket": bucket,
    }
    command = ["sqlite3", "-batch", "-bail", "-init", "/dev/null", "-cmd", ".load ./mpg"]
    for parameter, value in parameters.items():
        command += ["-cmd", f'.parameter set :{parameter} "{value}"']
    return command + [":memory:"]


def task(folder, name, as_of, bucket="NULL", basis=None, path=None):
    """What a task prints."""
    with open(os.path.join(ROOT, "sql/shards/task.sql")) as script:
        done = subprocess.run(
            task_command(folder, name, as_of, bucket, basis, path),
            stdin=script,
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout
