#!/usr/bin/python3
"""Do the tests notice a wrong program? `make mutants` changes ext/core in one place, builds it, runs tests until one fails, and does so
again: a comparison or an operator another way, a bound or a constant off by one, a condition negated, a statement left out.

    tests/mutants.py [--sample N] [--seed S] [--only PATTERN]     N places of all there are, by default 300
    tests/mutants.py --all
    tests/mutants.py --again      those of the last run that no test noticed, now that there are more tests
    tests/mutants.py --quick --all --only ext/core/cut.c     the unit tests and corpora alone: what they leave is where to look for a hole; records nothing
    tests/mutants.py --so-far     what became of those that a run that was stopped had tried: a sample too, in the order of the draw

A test notices by failing, crashing, or taking three times its time. Those run that reach the changed line, the likeliest first, as many as
take --seconds together; the unit tests at last with the changed file under the sanitizers, and with the tiny buffers of MPG_TEST.
A mutant that compiles to the same code is none, and neither is one of tests/mutants.txt, which says of each why nobody could notice:

    ext/core/cut.c | the line | the line as it is changed | why
    * | regular expression | what stands in its place | why        of any file

Everything happens in build/mutants. Figures go to docs/reliability.md by tests/figures.py, what became of each to build/mutants/results.json.
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

import figures
import trees
from fleets import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "fuzz"))
import corpus  # noqa: E402

TREE = os.path.join(ROOT, "build", "mutants")
EQUIVALENT = os.path.join(ROOT, "tests", "mutants.txt")
RESULTS = os.path.join(TREE, "results.json")
MAKEFILE = """include Makefile
CFLAGS = -O1
HARDEN =
WARN = -w
"""
PYTHON = ["test_roofline", "test_program_flops", "test_program_ideal", "test_program_goodput", "test_catalogue", "test_sql", "test_charts", "test_goodput_log",
          "test_kept", "test_rules_held", "test_rules_spans", "test_rules_steps", "test_rules_windows", "test_release", "test_generic_forms",
          "test_generic_differential", "test_generic_errors", "test_intervals", "test_shards", "test_goodput", "test_goodput_sql", "test_hlo", "test_hlo_rules", "test_ledger", "test_generic_rollup", "test_fleets"]
FUZZ = ["time", "number", "names", "state", "aggregate", "interval", "ledger", "native", "hlo", "transformer", "rollup"]
WEIGHT = {"unit": .3, "fuzz": .5, "python": 1, "faults": 1, "sanitized": 2}  # seconds until it runs

# ---- mutants ----

TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
                     |(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)
                     |(?P<op>->|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%<>!&|^~=?:;,.(){}\[\]])|(?P<space>\s+)""", re.X | re.S | re.M)
SWAPS = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"],
         "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="], "++": ["--"], "--": ["++"]}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
TYPES = re.compile(r"(?:static|const|unsigned|struct|enum|typedef|extern|return|goto|case|default|else|do|if|for|while|switch|break|continue|"
                   r"int|char|bool|double|size_t|u?int\d+_t|mpg_\w+|void|float|long)\b")


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        if match.lastgroup not in ("space", "comment"):
            found.append((match.lastgroup, match.group(), match.start(), match.end()))
        at = match.end()
    return found


def mutants(path):
    """(kind, start, end, replacement) of every change to a file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    found = tokens(text)
    function, parentheses, starts = [], 0, True  # of each open brace: whether it is within a function, and not a table
    for i, (group, word, start, end) in enumerate(found):
        previous = found[i - 1] if i else ("", "", 0, 0)
        after = found[i + 1] if i + 1 < len(found) else ("", "", 0, 0)
        if word == "{":
            function.append((function[-1] if function else False) or previous[1] == ")")
            starts = parentheses == 0
            continue
        if word == "}":
            function.pop()
            starts = parentheses == 0
            continue
        parentheses += {"(": 1, ")": -1}.get(word, 0)
        if not function or not function[-1] or group in ("directive", "text"):
            starts = word == ";" and parentheses == 0
            continue
        value_before = previous[0] in ("name", "number") and previous[1] not in ("return", "case") or previous[1] in (")", "]")
        if group == "op" and word in SWAPS:
            binary = word in ("++", "--") or value_before
            spaced = text[start - 1] == " " and text[end:end + 1] in (" ", "\n")  # clang-format: a pointer's * and a sign have none
            if binary and (spaced or word in ("++", "--")):
                for other in SWAPS[word]:
                    yield "comparison" if word in COMPARISONS else "operator", start, end, other
        elif word == "!" and not value_before:
            yield "negation", start, end, ""
        elif group == "number" and re.fullmatch(r"0|[1-9]\d*", word):
            yield "constant", start, end, str(int(word) + 1)
        elif group == "name" and word in ("true", "false"):
            yield "constant", start, end, "false" if word == "true" else "true"
        elif word == "(" and previous[1] in ("if", "while") and previous[0] == "name":
            level, j = 1, i + 1
            while level:
                level += {"(": 1, ")": -1}.get(found[j][1], 0)
                j += 1
            yield "condition", end, found[j - 1][2], "!(" + text[end:found[j - 1][2]] + ")"
        if starts and group == "name" and not TYPES.match(word) or (starts and word == "*" and after[0] == "name"):
            level, j = 0, i
            while found[j][1] != ";" or level:
                level += {"(": 1, ")": -1, "{": 1, "}": -1}.get(found[j][1], 0)
                if level < 0:
                    break
                j += 1
            if level == 0 and found[j][1] == ";" and after[1] != ":":
                yield "statement", start, found[j][2], ""
        starts = parentheses == 0 and (word in (";", "else") or (word == ")" and is_control(found, i)))


def is_control(found, close):
    """Whether the parenthesis that closes here belongs to if, for or while."""
    level, i = 1, close - 1
    while i >= 0 and level:
        level += {")": 1, "(": -1}.get(found[i][1], 0)
        i -= 1
    return i >= 0 and found[i][1] in ("if", "for", "while", "switch")


def changed(text, mutant):
    _, start, end, other = mutant
    return text[:start] + other + text[end:]


def as_lines(text, mutant):
    """The line before and after, as tests/mutants.txt has them."""
    _, start, end, other = mutant
    from_, to = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    squeeze = lambda s: " ".join(s.split())  # noqa: E731
    return squeeze(text[from_:to]), squeeze(text[from_:start] + other + text[end:to])


def statement_lines(text, mutant):
    """Lines of the whole statement: gcov counts one for all of them."""
    _, start, end, _ = mutant
    from_ = max(text.rfind(c, 0, start) for c in ";{}") + 1
    to = min(at for at in (text.find(c, max(start, end - 1)) for c in ";{}") if at >= 0)
    return set(range(text.count("\n", 0, from_) + 1, text.count("\n", 0, to) + 2))


class Equivalents:
    """What tests/mutants.txt lists."""

    def __init__(self):
        self.lines, self.patterns = set(), []
        with open(EQUIVALENT, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    path, before, after, _ = [part.strip() for part in line.split(" | ")]
                    if path == "*":
                        self.patterns.append((re.compile(before), after))
                    else:
                        self.lines.add((path, before, after))

    def has(self, path, before, after):
        return (path, before, after) in self.lines or any(p.search(before) and p.sub(other, before, count=1) == after for p, other in self.patterns)


# ---- building and running ----

def shell(command, seconds=None, sanitized=False, **options):
    if sanitized:  # whose shadow is larger than any limit of the address space
        options["env"] = dict(options["env"], ASAN_OPTIONS="hard_rss_limit_mb=4096")

    def limit():
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    try:
        return subprocess.run(command, stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", preexec_fn=limit, timeout=max(10, 10 * (seconds or 60)), **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "")


class Build:
    """A copy whose objects are all there, and whose tests are each a command."""

    def __init__(self):
        trees.links(TREE)
        with open(os.path.join(TREE, "GNUmakefile"), "w", encoding="utf-8") as file:
            file.write(MAKEFILE)
        self.units = sorted(os.path.basename(p)[:-2] for p in glob.glob(f"{ROOT}/tests/unit/test_*.c"))
        self.make("mpg.so", "libmpg.a", "build/generate", "build/memory/loaded", *[f"build/unit/{name}" for name in self.units])
        self.objects, self.libs, self.sanitized = self.printed("$(OBJ)"), self.printed("$(LIBS)"), self.printed("$(ASAN)")
        for name in self.units:
            self.renew(f"tests/unit/{name}.c", f"build/test/{name}.o", ["-O1", "-DCHECK_MOST_FAILURES=1"])
        for path in glob.glob(f"{ROOT}/tests/fuzz/*.c"):
            if os.path.basename(path) != "libfuzzer.c":
                self.renew(os.path.relpath(path, ROOT), f"build/test/fuzz/{os.path.basename(path)[:-2]}.o", ["-O1"])
        self.small = {}  # what MPG_TEST makes small: batches, and arrays that have no room to spare
        for path in glob.glob(f"{ROOT}/ext/core/*.c"):
            source = os.path.relpath(path, ROOT)
            with open(path, encoding="utf-8") as file:
                if "MPG_TEST" in file.read():
                    self.small[source] = f"build/small/{os.path.basename(source)[:-2]}.o"
                    self.renew(source, self.small[source], self.sanitized)
        for target in FUZZ:
            corpus.unpack(target, f"{TREE}/build/corpus/{target}")

    @staticmethod
    def make(*targets):
        clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        done = subprocess.run(["make", "-s", "-j2", "--no-print-directory", *targets], cwd=TREE, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(done.stdout)

    @staticmethod
    def printed(what):
        """What a variable of the Makefile holds."""
        with open(os.path.join(TREE, "print.mk"), "w", encoding="utf-8") as file:
            file.write(f"include GNUmakefile\nprint:\n\t@echo {what}\n")
        return shell(["make", "-s", "--no-print-directory", "-f", "print.mk", "print"], cwd=TREE).stdout.split()

    @staticmethod
    def compile(source, target, flags):
        os.makedirs(os.path.dirname(os.path.join(TREE, target)), exist_ok=True)
        return shell(["cc", "-std=gnu11", "-fPIC", "-fvisibility=hidden", "-w", "-DSQLITE_CORE", "-DMPG_ISAL", "-c", *flags, "-o", target, source],
                     cwd=TREE)

    def renew(self, source, target, flags):
        """Compiles what is older than its source or any header."""
        made, headers = os.path.join(TREE, target), glob.glob(f"{ROOT}/ext/**/*.h", recursive=True) + glob.glob(f"{ROOT}/tests/**/*.h", recursive=True)
        if not os.path.exists(made) or os.path.getmtime(made) <= max(os.path.getmtime(p) for p in [os.path.join(ROOT, source), *headers]):
            done = self.compile(source, target, flags)
            if done.returncode:
                raise SystemExit(done.stdout)

    def assembly(self, source):
        """What is made of a file, without where it came from."""
        self.compile(source, "build/changed/code.s", ["-O2", "-S"])
        with open(f"{TREE}/build/changed/code.s", encoding="utf-8") as file:
            return re.sub(r"\t\.file\t.*\n", "", file.read())

    def link_unit(self, name, mutant, flags=()):
        return shell(["cc", *flags, "-o", "build/test/program", f"build/test/{name}.o", *mutant, "libmpg.a", "-lsqlite3", *self.libs], cwd=TREE).returncode == 0

    def link_replay(self, mutant):
        parts = sorted(glob.glob(f"{TREE}/build/test/fuzz/*.o"))
        return shell(["cc", "-o", "build/test/replay", *parts, *mutant, "libmpg.a", "-lsqlite3", *self.libs], cwd=TREE).returncode == 0

    def link_extension(self, path, mutant):
        objects = [o for o in self.objects if o != f"build/{path[:-2]}.o"] + mutant
        return shell(["cc", "-shared", "-Wl,-z,nodelete", "-o", "mpg.so", *objects, *self.libs], cwd=TREE).returncode == 0

    def run(self, test, seconds=None):
        """True: passed."""
        kind, name = test
        environment = dict(os.environ, MPG_FLEETS="30", PYTHONDONTWRITEBYTECODE="1")
        if kind in ("unit", "sanitized"):
            return shell(["build/test/program"], seconds, kind == "sanitized", cwd=TREE, env=environment).returncode == 0
        if kind == "fuzz":
            folder = f"{TREE}/build/corpus/{name}"
            return shell(["build/test/replay", name, *[f"{folder}/{n}" for n in os.listdir(folder)]], seconds, cwd=TREE, env=environment).returncode == 0
        if kind == "faults":
            return shell(["build/memory/loaded", "sqlite", f"{TREE}/mpg", "61"], seconds, cwd=TREE, env=environment).returncode == 0
        script = f"import sys, unittest; sys.path.insert(0, 'tests'); unittest.main('{name}', argv=['', '-f', '-q'])"  # not the links' own tree
        return shell([sys.executable, "-c", script], seconds, cwd=TREE, env=environment).returncode == 0


def digest(*paths):
    found = hashlib.sha1()
    for path in paths:
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()


def sources(test):
    """What a test is made of, besides what it tests."""
    kind, name = test
    if kind == "unit":
        with open(f"tests/unit/{name}.c", encoding="utf-8") as file:
            return [f"tests/unit/{name}.c", *(f"tests/unit/{header}" for header in re.findall(r'#include "(\w+\.h)"', file.read()))]
    if kind == "python":
        shared = ("cases", "fleets", "naive", "naive_jobs", "naive_records", "rules", "world", "generic", "program", "goodput_model", "hlo_case")
        return [f"tests/{name}.py", *(f"tests/{module}.py" for module in shared)]
    return [f"tests/fuzz/{name}.c", f"tests/fuzz/corpus/{name}.b64"] if kind == "fuzz" else sorted(p for p in glob.glob("tests/memory/**", recursive=True) if os.path.isfile(p))


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
        lines[test] = {file: set(of) if one["files"].get(file) == now[file] else None for file, of in one["lines"].items() if file in now and of}
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
        told = subprocess.run(["gcov", "--json-format", "--stdout", *data], cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout if data else b""
        lines = {}
        for text in told.splitlines():
            for file in json.loads(text)["files"]:
                if file["file"] in files:
                    lines[file["file"]] = [line["line_number"] for line in file["lines"] if line["count"]]
        kept[" ".join(test)] = {"key": digest(*sources(test)), "files": now, "lines": lines,
                                "seconds": used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime}
    build.libs.remove("-lgcov")


class Mutant:
    """A changed file, compiled and linked as the tests ask for it."""

    def __init__(self, build, path, source):
        self.build, self.path, self.source, self.linked = build, path, source, set()
        self.object, self.sanitized = source[:-2] + ".o", f"{source[:-2]}.asan.o"
        self.compiled = build.compile(source, self.object, ["-O0"]).returncode == 0  # the tests' time is that of -O0 too

    def link(self, kind, name):
        if kind == "unit":
            return self.build.link_unit(name, [self.object])
        if kind == "sanitized":
            if kind not in self.linked:
                self.build.compile(self.source, self.sanitized, self.build.sanitized)
            others = [made for source, made in self.build.small.items() if source != self.path]
            return self.build.link_unit(name, [self.sanitized, *others], ["-fsanitize=address,undefined"])
        if kind in self.linked:
            return True
        return self.build.link_replay([self.object]) if kind == "fuzz" else self.build.link_extension(self.path, [self.object])

    def is_same(self, text):
        """Whether a compiler that thinks makes of it what it makes of the text unchanged."""
        original = os.path.join(os.path.dirname(self.source), "original.c")
        with open(os.path.join(TREE, original), "w", encoding="utf-8") as file:
            file.write(text)
        return self.build.assembly(original) == self.build.assembly(self.source)

    def is_noticed(self, test, seconds):
        linked = self.link(*test)
        self.linked.add(test[0])
        return not linked or not self.build.run(test, 3 * seconds + 1)


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--sample", type=int, default=300)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--only", default="ext/core/")
    parse.add_argument("--seconds", type=float, default=60, help="CPU seconds of tests that a mutant gets, by what they take of the right program")
    parse.add_argument("--all", action="store_true")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--again", action="store_true")
    parse.add_argument("--so-far", action="store_true")
    parse.add_argument("--list", action="store_true", help="what would be changed, and no more")
    options = parse.parse_args()
    files = sorted(os.path.relpath(p, ROOT) for p in glob.glob(f"{ROOT}/ext/core/*.c"))
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
        for header in glob.glob(f"{ROOT}/ext/core/*.h"):  # beside it, as they are beside the file
            link = f"{TREE}/build/changed/{os.path.basename(header)}"
            if not os.path.lexists(link):
                os.symlink(header, link)
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
            tests = tests or [t for t, of in lines.items() if path in of]  # a row of a constant table is no code: gcov counts none of it
            small = path in build.small  # then other lines are reached
            tests += [("sanitized", t[1]) for t, of in lines.items() if t[0] == "unit" and path in of and (small or t in tests)]
            tests.sort(key=lambda t: (t[1] != f"test_{stem}" or t[0] != "unit", -kills.get((path, t), 0), seconds[t] + WEIGHT[t[0]]))
            if options.quick:
                tests = [t for t in tests if t[0] != "sanitized"] + [t for t in tests if t[0] == "sanitized"][:1]
            killer, left = None, options.seconds
            for test in tests:
                if seconds[test] <= left and killer is None:
                    left -= seconds[test]
                    killer = test if mutant.is_noticed(test, seconds[test]) else None
            verdict = "noticed" if killer else "do not compile, or to the same code" if mutant.is_same(text) else "survived"
            if killer:
                kills[path, killer] = kills.get((path, killer), 0) + 1
            elif verdict == "survived":
                survivors.append(f"{path}:{number} | {before} | {after} | {m[0]}{'' if tests else ', no test reaches it'}")
        results.append([path, [before, after], verdict])
        print(f"{tried}/{len(chosen)} {path}:{number} {m[0]}: {verdict}" + (f" by {' '.join(killer)}" if verdict == "noticed" else f": {before} -> {after}")
              + f" ({time.monotonic() - started:.1f} s)", flush=True)
        with open(kept_in, "w", encoding="utf-8") as file:
            json.dump(results, file)
    return told(results, len(every), survivors, options.only == "ext/core/" and not options.quick)


def told(results, places, survivors, recorded):
    """Prints the sums, and puts those of all of ext/core where tests/figures.py finds them."""
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
