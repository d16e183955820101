#!/usr/bin/python3
"""Writes what fuzzing did into docs/reliability.md, between its two marks: executions from tests/fuzz/runs.json, which
`make fuzz` adds to, and how many lines of a target's own files its committed corpus and seeds reach, from a build that counts
them."""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus  # noqa: E402

PAGE = "docs/reliability.md"
BEGIN, END = "<!-- made by tests/fuzz/report.py -->\n", "<!-- end -->\n"


def lines(target):
    """(reached, all) lines of the target's files, over its committed corpus and seeds."""
    for path in glob.glob("build/lines/**/*.gcda", recursive=True):
        os.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        corpus.unpack(target, folder)
        paths = "".join(f"{folder}/{name}\n" for name in os.listdir(folder))
        subprocess.run(["build/lines/replay", target], input=paths, text=True, check=True, stdout=subprocess.DEVNULL)
    reached = every = 0
    for name in corpus.FILES[target]:
        told = subprocess.run(
            ["gcov", "--json-format", "--stdout", f"build/lines/ext/{name}.gcda"],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout
        for line in told.splitlines():
            for file in json.loads(line)["files"]:
                if file["file"].endswith(f"ext/{name}.c"):
                    every += len(file["lines"])
                    reached += sum(entry["count"] > 0 for entry in file["lines"])
    return reached, every


def summary():
    """What all targets together did, and how much of their own files their committed inputs reach."""
    with open("tests/fuzz/runs.json", encoding="utf-8") as file:
        runs = json.load(file)
    shares = {}
    for target in corpus.targets():
        reached, every = lines(target)
        shares[target] = 100 * reached // max(every, 1)
    lowest, highest = min(shares, key=shares.get), max(shares, key=shares.get)
    executions, hours = sum(of["executions"] for of in runs.values()), sum(of["cpu_s"] for of in runs.values()) / 3600
    yield (
        f"{len(shares)} targets, {executions:,} executions in {hours:.1f} hours of CPU, three or four runs of the code in most of them. The committed inputs and the seeds reach from "
        f"{shares[lowest]} % (`{lowest}`) to {shares[highest]} % (`{highest}`) of the lines of a target's own files."
    )


if __name__ == "__main__":
    os.chdir(corpus.ROOT)
    subprocess.run(["make", "-s", "--no-print-directory", "build/lines/replay"], check=True)
    made = "\n".join(summary())
    with open(PAGE, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + made + "\n" + END + rest.partition(END)[2])
