#!/usr/bin/python3
"""Do the tests notice a wrong program? `make mutants` changes what accounts (the rooms below) in one place, builds it, runs tests until one fails, and does so
again: a comparison or an operator another way, a bound or a constant off by one, a condition negated, a statement left out.

    tests/full/mutants.py [--sample N] [--seed S] [--only PATTERN]     N places of all there are, by default 300
    tests/full/mutants.py --all
    tests/full/mutants.py --again      those of the last run that no test noticed, now that there are more tests
    tests/full/mutants.py --quick --all --only ext/goodput/rules/ledger_row.c     the unit tests and corpora alone: what they leave is where to look for a hole; records nothing
    tests/full/mutants.py --so-far     what became of those that a run that was stopped had tried: a sample too, in the order of the draw

A test notices by failing, crashing, or taking three times its time. Those run that reach the changed line, the likeliest first, as many as
take --seconds together; the unit tests at last with the changed file under the sanitizers, and with the tiny buffers of MPG_TEST.
A mutant that compiles to the same code is none, and neither is one of tests/full/mutants.txt, which says of each why nobody could notice:

    ext/goodput/rules/ledger_row.c | the line | the line as it is changed | why
    * | regular expression | what stands in its place | why        of any file

Everything happens in build/mutants. Figures go to docs/reliability.md by tests/support/figures.py, what became of each to build/mutants/results.json.
"""
import argparse
import glob
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import figures  # noqa: E402
import mutant_build  # noqa: E402
from fleets import ROOT  # noqa: E402
from mutant_build import FUZZ, TREE, Build, Mutant, shell  # noqa: E402
from mutant_places import Equivalents, as_lines, changed, mutants, statement_lines  # noqa: E402

RESULTS = os.path.join(TREE, "results.json")
PYTHON = [
    "test_roofline",
    "test_program_flops",
    "test_program_ideal",
    "test_program_goodput",
    "test_catalogue",
    "test_sql",
    "test_charts",
    "test_goodput_log",
    "test_kept",
    "test_rules_held",
    "test_rules_spans",
    "test_rules_steps",
    "test_rules_windows",
    "test_release",
    "test_generic_forms",
    "test_generic_differential",
    "test_generic_errors",
    "test_intervals",
    "test_shards",
    "test_goodput",
    "test_goodput_sql",
    "test_hlo",
    "test_hlo_rules",
    "test_ledger",
    "test_generic_rollup",
    "test_fleets",
]
WEIGHT = {"unit": 0.3, "fuzz": 0.5, "python": 1, "faults": 1, "sanitized": 2}  # seconds until it runs


def digest(*paths):
    found = hashlib.sha1()
    for path in paths:
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()


def modules(name, found):
    """Adds the files of a module of tests/ and of those that it imports."""
    path = next(iter(glob.glob(f"tests/{name}.py") + glob.glob(f"tests/*/{name}.py")), None)
    if not path or path in found:
        return found
    found.append(path)
    with open(path, encoding="utf-8") as file:
        for module in re.findall(r"^\s*(?:import|from) (\w+)", file.read(), re.M):
            modules(module, found)
    return found


def sources(test):
    """What a test is made of, besides what it tests."""
    kind, name = test
    if kind == "unit":
        with open(f"tests/unit/{name}.c", encoding="utf-8") as file:
            return [
                f"tests/unit/{name}.c",
                *(f"tests/unit/{header}" for header in re.findall(r'#include "(\w+\.h)"', file.read())),
            ]
    if kind == "python":
        return modules(name, [])
    return (
        [f"tests/fuzz/{name}.c", f"tests/fuzz/corpus/{name}.b64"]
        if kind == "fuzz"
        else sorted(p for p in glob.glob("tests/memory/**", recursive=True) if os.path.isfile(p))
    )


def reached(build, files, quick):
    """{test: {file: lines, or None: any}} by gcov, and {test: CPU seconds}. What a test reached is kept until the test changes; of a file
    that has changed since it may reach any line."""
    path = os.path.join(TREE, "reached.json")
    kept = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    now = {file: digest(file) for file in files}
    tests = [("unit", n) for n in build.units if n != "test_oom"] + [("fuzz", n) for n in FUZZ]
    tests += [] if quick else [("python", n) for n in PYTHON] + [("faults", "allocations")]
    stale = [test for test in tests if kept.get(" ".join(test), {}).get("key") != digest(*sources(test))]
    if stale:
        measure(build, files, stale, kept, now)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kept, file)
    lines, seconds = {}, {}
    for test in tests:
        one = kept[" ".join(test)]
        seconds[test] = one["seconds"]
        lines[test] = {
            file: set(of) if one["files"].get(file) == now[file] else None
            for file, of in one["lines"].items()
            if file in now and of
        }
    return lines, seconds


def measure(build, files, tests, kept, now):
    objects = []
    for source in files:
        objects.append(f"build/gcov/{source[:-2]}.o")
        done = build.compile(source, objects[-1], ["-O0", "--coverage", "-fprofile-update=prefer-atomic"])
        if done.returncode:
            raise SystemExit(done.stdout)
    build.libs.append("-lgcov")
    plain = [o for o in build.objects if not os.path.exists(f"{TREE}/build/gcov/{o[6:]}")]
    shell(["cc", "-shared", "-Wl,-z,nodelete", "-o", "mpg.so", *plain, *objects, *build.libs], cwd=TREE)
    build.link_replay(objects)
    for test in tests:
        for data in glob.glob(f"{TREE}/build/gcov/**/*.gcda", recursive=True):
            os.remove(data)
        if test[0] == "unit" and not build.link_unit(test[1], objects):
            raise SystemExit(f"{test[1]} does not link")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not build.run(test):
            raise SystemExit(f"{test[1]} fails as it is")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        data = [os.path.relpath(p, TREE) for p in glob.glob(f"{TREE}/build/gcov/**/*.gcda", recursive=True)]
        told = (
            subprocess.run(
                ["gcov", "--json-format", "--stdout", *data],
                cwd=TREE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ).stdout
            if data
            else b""
        )
        lines = {}
        for text in told.splitlines():
            for file in json.loads(text)["files"]:
                if file["file"] in files:
                    lines[file["file"]] = [line["line_number"] for line in file["lines"] if line["count"]]
        kept[" ".join(test)] = {
            "key": digest(*sources(test)),
            "files": now,
            "lines": lines,
            "seconds": used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime,
        }
    build.libs.remove("-lgcov")


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--sample", type=int, default=300)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--only", default="ext/")
    parse.add_argument(
        "--seconds",
        type=float,
        default=60,
        help="CPU seconds of tests that a mutant gets, by what they take of the right program",
    )
    parse.add_argument("--all", action="store_true")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--again", action="store_true")
    parse.add_argument("--so-far", action="store_true")
    parse.add_argument("--list", action="store_true", help="what would be changed, and no more")
    options = parse.parse_args()
    files = sorted(os.path.relpath(p, ROOT) for p in mutant_build.sources())
    texts = {path: open(os.path.join(ROOT, path), encoding="utf-8").read() for path in files}
    every = [(path, m) for path in files if re.search(options.only, path) for m in mutants(path)]
    chosen = every if options.all else random.Random(options.seed).sample(every, min(options.sample, len(every)))
    before_now = []  # [file, mutant, what became of it]
    kept_in = os.path.join(TREE, "quick.json") if options.quick else RESULTS
    if options.again:
        with open(kept_in, encoding="utf-8") as file:
            kept = json.load(file)
        # A change is known by the line that it makes: places move.
        survived = {(path, *lines) for path, lines, verdict in kept if verdict == "survived"}
        chosen = [(path, m) for path, m in every if (path, *as_lines(texts[path], m)) in survived]
        before_now = [one for one in kept if one[2] != "survived"]
    if options.list:
        for path, m in chosen:
            print(path, m[0], "|", " | ".join(as_lines(texts[path], m)))
        return 0
    if options.so_far:
        with open(RESULTS, encoding="utf-8") as file:
            return told(json.load(file), len(every), [], True)
    build = Build()
    known = Equivalents()
    lines, seconds = reached(build, files, options.quick)
    seconds.update({("sanitized", t[1]): 3 * seconds[t] for t in lines if t[0] == "unit"})
    kills = {}
    results, survivors, tried = before_now, [], 0
    build.link_extension("", [])
    for path, m in chosen:
        started = time.monotonic()
        text, (before, after) = texts[path], as_lines(texts[path], m)
        number = text.count("\n", 0, m[1]) + 1
        numbers = statement_lines(text, m)
        source = f"build/changed/{os.path.basename(path)}"
        os.makedirs(f"{TREE}/build/changed", exist_ok=True)
        with open(os.path.join(TREE, source), "w", encoding="utf-8") as file:
            file.write(changed(text, m))
        tried += 1
        verdict = None
        if known.has(path, before, after):
            verdict = "listed as equivalent"
        else:
            mutant = Mutant(build, path, source)
            if not mutant.compiled:
                verdict = "do not compile, or to the same code"
        if verdict is None:
            stem = os.path.basename(path)[:-2]
            tests = [t for t, of in lines.items() if path in of and (of[path] is None or of[path] & numbers)]
            tests = tests or [
                t for t, of in lines.items() if path in of
            ]  # a row of a constant table is no code: gcov counts none of it
            small = path in build.small  # then other lines are reached
            tests += [
                ("sanitized", t[1])
                for t, of in lines.items()
                if t[0] == "unit" and path in of and (small or t in tests)
            ]
            tests.sort(
                key=lambda t: (
                    t[1] != f"test_{stem}" or t[0] != "unit",
                    -kills.get((path, t), 0),
                    seconds[t] + WEIGHT[t[0]],
                )
            )
            if options.quick:
                tests = [t for t in tests if t[0] != "sanitized"] + [t for t in tests if t[0] == "sanitized"][:1]
            killer, left = None, options.seconds
            for test in tests:
                if seconds[test] <= left and killer is None:
                    left -= seconds[test]
                    killer = test if mutant.is_noticed(test, seconds[test]) else None
            verdict = (
                "noticed" if killer else "do not compile, or to the same code" if mutant.is_same(text) else "survived"
            )
            if killer:
                kills[path, killer] = kills.get((path, killer), 0) + 1
            elif verdict == "survived":
                survivors.append(
                    f"{path}:{number} | {before} | {after} | {m[0]}{'' if tests else ', no test reaches it'}"
                )
        results.append([path, [before, after], verdict])
        print(
            f"{tried}/{len(chosen)} {path}:{number} {m[0]}: {verdict}"
            + (f" by {' '.join(killer)}" if verdict == "noticed" else f": {before} -> {after}")
            + f" ({time.monotonic() - started:.1f} s)",
            flush=True,
        )
        with open(kept_in, "w", encoding="utf-8") as file:
            json.dump(results, file)
    return told(results, len(every), survivors, options.only == "ext/" and not options.quick)


def told(results, places, survivors, recorded):
    """Prints the sums, and puts those of all rooms where tests/support/figures.py finds them."""
    verdicts = ["do not compile, or to the same code", "listed as equivalent", "noticed", "survived"]
    sums = {"places": places, "tried": len(results), **{v: sum(one[2] == v for one in results) for v in verdicts}}
    judged = max(sums["noticed"] + sums["survived"], 1)
    for file in sorted({path for path, _, verdict in results if verdict == "survived"}):
        of = [verdict for path, _, verdict in results if path == file]
        print(f"{file}: {of.count('survived')} of {of.count('noticed') + of.count('survived')} survived")
    print("\n".join(survivors))
    print(f"{sums['noticed']} of {judged} noticed: {100 * sums['noticed'] / judged:.1f} %")
    if recorded:
        figures.record("mutants", {**sums, "noticed of those that could be": f"{100 * sums['noticed'] / judged:.1f} %"})
    return 0 if sums["noticed"] >= 0.95 * judged else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
