#!/usr/bin/python3
"""Lines and branches of ext/ that the tests reach: `make coverage`, or tests/full/coverage.py [SUITE...] for some of make test's suites;
--again only counts what the last run left.

Everything is built again in build/coverage, a tree of links to this one, with gcov's counters and no optimizer; what the extension, the
static library and the hostile build of the unit tests reach is counted together; suites know by MPG_COVERAGE that it is slow. A line that cannot be reached as long as the rest
is right, a defence, says so and why: `/* unreachable: WHY */`, on that line or the one before it; neither it nor its branches count.

Of each room no less than tests/full/coverage.json says may be reached, where all suites ran; --write writes what was into that file. What
is left is listed in build/coverage/left.txt, and counted by file in docs/reliability.md (tests/support/figures.py).
"""
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import figures  # noqa: E402
import linked_trees  # noqa: E402
from fleets import ROOT  # noqa: E402

TREE = os.path.join(ROOT, "build", "coverage")
FLOOR = os.path.join(ROOT, "tests", "full", "coverage.json")
SHOWN = 8  # files of docs/reliability.md, those of which most is left
ROOMS = ["ext/base", "ext/read", "ext/program", "ext/goodput", "ext/formats", "ext/sqlite"]
# Not about what ext/ does, or about how it is built.
NOT = {
    "test_house",
    "test_clients",
    "test_postgres",
    "test_postgres_calls",
    "test_postgres_ledger",
    "test_mpg_report",
    "test_report",
    "test_report_cells",
    "test_report_page",
    "test_memory",
}
MAKEFILE = """include Makefile
CFLAGS = -O0 -g --coverage -fprofile-update=prefer-atomic
LDFLAGS = --coverage
HARDEN =
SANITIZE =
ASAN = -DSQLITE_CORE -DMPG_TEST
"""
MARK = re.compile(r"/\* unreachable: ")


def build():
    linked_trees.links(TREE)
    with open(os.path.join(TREE, "GNUmakefile"), "w", encoding="utf-8") as file:
        file.write(MAKEFILE)
    for path in glob.glob(f"{TREE}/build/**/*.gcda", recursive=True):
        os.remove(path)


def run(wanted):
    """By the runner, in the tree; its exit code."""
    names = [
        os.path.basename(p).rpartition(".")[0]
        for p in glob.glob(f"{ROOT}/tests/unit/test_*.c") + glob.glob(f"{ROOT}/tests/**/test_*.py", recursive=True)
    ]
    names = sorted(n for n in set(names) - NOT if not wanted or any(w in n for w in wanted))
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MPG_FULL")} | {
        "MPG_COVERAGE": "1"
    }
    return subprocess.run(
        [sys.executable, "tests/run", *names], cwd=TREE, env=clean, stdin=subprocess.DEVNULL
    ).returncode


def counted():
    """{file: ({line: count}, {(line, number of the branch): count})}, of all builds together."""
    files = {}
    paths = sorted(glob.glob(f"{TREE}/build/**/ext/**/*.gcda", recursive=True))
    for at in range(0, len(paths), 40):
        told = subprocess.run(
            [
                "gcov",
                "--json-format",
                "--stdout",
                "--branch-probabilities",
                *[os.path.relpath(p, TREE) for p in paths[at : at + 40]],
            ],
            cwd=TREE,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout
        for text in told.splitlines():
            for file in json.loads(text)["files"]:
                if not re.match(r"ext/(?!postgres/)\w+/[\w/]+\.c$", file["file"]):
                    continue
                lines, branches = files.setdefault(file["file"], ({}, {}))
                for line in file["lines"]:
                    n = line["line_number"]
                    lines[n] = lines.get(n, 0) + line["count"]
                    for i, branch in enumerate(line["branches"]):
                        branches[n, i] = branches.get((n, i), 0) + branch["count"]
    return files


def unmarked(path, lines, branches):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read().split("\n")
    marked = set()
    for n, line in enumerate(text, 1):
        if MARK.search(line):
            marked.add(n)
            if line.lstrip().startswith("/*"):
                marked.update(
                    range(n + 1, next((m for m in range(n + 1, len(text) + 1) if "*/" not in text[m - 1]), n + 1) + 1)
                )
    return (
        {n: c for n, c in lines.items() if n not in marked},
        {b: c for b, c in branches.items() if b[0] not in marked},
        len(marked),
    )


def main(arguments):
    if "--again" not in arguments:
        build()
    wanted = [a for a in arguments if not a.startswith("--")]
    failed = 0 if "--again" in arguments else run(wanted)
    files = counted()
    rooms, left, rows = {room: [0, 0, 0, 0] for room in ROOMS}, [], []
    for path, (lines, branches) in sorted(files.items()):
        lines, branches, _ = unmarked(path, lines, branches)
        sums = rooms["/".join(path.split("/")[:2])]
        missed = [n for n, count in lines.items() if not count]
        half = sorted({n for (n, _), count in branches.items() if not count} - set(missed))
        for i, figure in enumerate(
            (len(lines) - len(missed), len(lines), sum(c > 0 for c in branches.values()), len(branches))
        ):
            sums[i] += figure
        left += [f"{path}:{n}: not reached" for n in sorted(missed)] + [f"{path}:{n}: one way only" for n in half]
        if missed or half:
            rows.append(
                {
                    "file": path,
                    "lines not reached": len(missed),
                    "of": len(lines),
                    "branches not taken": sum(not c for c in branches.values()),
                    "of them all": len(branches),
                }
            )
    with open(os.path.join(TREE, "left.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(left) + "\n")
    found = {
        room: {"lines": round(100 * a / b, 2), "branches": round(100 * c / d, 2)}
        for room, (a, b, c, d) in rooms.items()
        if b
    }
    for room, (a, b, c, d) in rooms.items():
        print(f"{room}: {a} of {b} lines, {c} of {d} branches: {found[room]}")
    print("what is left: build/coverage/left.txt")
    if failed or wanted:
        return failed
    figures.record(
        "coverage",
        [
            {
                "room": room,
                "lines": b,
                "reached": f"{100 * a / b:.2f} %",
                "branches": d,
                "taken": f"{100 * c / d:.2f} %",
            }
            for room, (a, b, c, d) in rooms.items()
        ],
    )
    rows.sort(key=lambda r: -r["lines not reached"] - r["branches not taken"])
    others = {
        name: f"{len(rows[SHOWN:])} others" if name == "file" else sum(r[name] for r in rows[SHOWN:])
        for name in rows[0]
    }
    figures.record("coverage_left", rows[:SHOWN] + [others] * (len(rows) > SHOWN))
    if "--write" in arguments:
        with open(FLOOR, "w", encoding="utf-8") as file:
            file.write(
                json.dumps({room: {k: int(v * 10) / 10 for k, v in of.items()} for room, of in found.items()}, indent=1)
                + "\n"
            )
    with open(FLOOR, encoding="utf-8") as file:
        floor = json.load(file)
    low = [
        f"{room}: {found[room][kind]} % of {kind}, at least {least} % are asked for"
        for room, of in floor.items()
        for kind, least in of.items()
        if found[room][kind] < least
    ]
    print("\n".join(low))
    return 1 if low else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
