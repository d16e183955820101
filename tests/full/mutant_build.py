"""Mutants built and run in build/mutants: a copy of the tree whose objects are all there, and a changed file linked into it."""

import glob
import os
import re
import resource
import subprocess
import sys

import linked_trees
from fleets import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "fuzz"))
import corpus  # noqa: E402

TREE = os.path.join(ROOT, "build", "mutants")
MAKEFILE = """include Makefile
CFLAGS = -O1
HARDEN =
WARN = -w
"""
FUZZ = ["time", "number", "names", "state", "aggregate", "interval", "ledger", "native", "hlo", "transformer", "rollup"]


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
        return subprocess.run(
            command,
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=limit,
            timeout=max(10, 10 * (seconds or 60)),
            **options,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "")


def sources():
    """What accounts: the rooms whose files are changed."""
    rooms = [
        "base",
        "read/grouping",
        "program",
        "program/hlo",
        "goodput",
        "goodput/trace",
        "goodput/rules",
        "goodput/ledger",
    ]
    return sorted(path for room in rooms for path in glob.glob(f"{ROOT}/ext/{room}/*.c"))


class Build:
    """A copy whose objects are all there, and whose tests are each a command."""

    def __init__(self):
        linked_trees.links(TREE)
        with open(os.path.join(TREE, "GNUmakefile"), "w", encoding="utf-8") as file:
            file.write(MAKEFILE)
        self.units = sorted(os.path.basename(p)[:-2] for p in glob.glob(f"{ROOT}/tests/unit/test_*.c"))
        self.make(
            "mpg.so",
            "libmpg.a",
            "build/generate",
            "build/memory/loaded",
            *[f"build/unit/{name}" for name in self.units],
        )
        self.objects, self.libs, self.sanitized = (
            self.printed("$(OBJ)"),
            self.printed("$(LIBS)"),
            self.printed("$(ASAN)"),
        )
        for name in self.units:
            self.renew(f"tests/unit/{name}.c", f"build/test/{name}.o", ["-O1", "-DCHECK_MOST_FAILURES=1"])
        for path in glob.glob(f"{ROOT}/tests/fuzz/*.c"):
            if os.path.basename(path) != "libfuzzer.c":
                self.renew(os.path.relpath(path, ROOT), f"build/test/fuzz/{os.path.basename(path)[:-2]}.o", ["-O1"])
        self.small = {}  # what MPG_TEST makes small: batches, and arrays that have no room to spare
        for path in sources():
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
        done = subprocess.run(
            ["make", "-s", "-j2", "--no-print-directory", *targets],
            cwd=TREE,
            env=clean,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
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
        return shell(
            [
                "cc",
                "-std=gnu11",
                "-fPIC",
                "-fvisibility=hidden",
                "-w",
                "-DSQLITE_CORE",
                "-DMPG_ISAL",
                "-c",
                *flags,
                "-o",
                target,
                source,
            ],
            cwd=TREE,
        )

    def renew(self, source, target, flags):
        """Compiles what is older than its source or any header."""
        made, headers = os.path.join(TREE, target), glob.glob(f"{ROOT}/ext/**/*.h", recursive=True) + glob.glob(
            f"{ROOT}/tests/**/*.h", recursive=True
        )
        if not os.path.exists(made) or os.path.getmtime(made) <= max(
            os.path.getmtime(p) for p in [os.path.join(ROOT, source), *headers]
        ):
            done = self.compile(source, target, flags)
            if done.returncode:
                raise SystemExit(done.stdout)

    def assembly(self, source, beside):
        """What is made of a file, without where it came from."""
        self.compile(source, "build/changed/code.s", ["-O2", "-S", *beside])
        with open(f"{TREE}/build/changed/code.s", encoding="utf-8") as file:
            return re.sub(r"\t\.file\t.*\n", "", file.read())

    def link_unit(self, name, mutant, flags=()):
        return (
            shell(
                [
                    "cc",
                    *flags,
                    "-o",
                    "build/test/program",
                    f"build/test/{name}.o",
                    *mutant,
                    "libmpg.a",
                    "-lsqlite3",
                    *self.libs,
                ],
                cwd=TREE,
            ).returncode
            == 0
        )

    def link_replay(self, mutant):
        parts = sorted(glob.glob(f"{TREE}/build/test/fuzz/*.o"))
        return (
            shell(
                ["cc", "-o", "build/test/replay", *parts, *mutant, "libmpg.a", "-lsqlite3", *self.libs], cwd=TREE
            ).returncode
            == 0
        )

    def link_extension(self, path, mutant):
        objects = [o for o in self.objects if o != f"build/{path[:-2]}.o"] + mutant
        return (
            shell(["cc", "-shared", "-Wl,-z,nodelete", "-o", "mpg.so", *objects, *self.libs], cwd=TREE).returncode == 0
        )

    def run(self, test, seconds=None):
        """True: passed."""
        kind, name = test
        environment = dict(os.environ, MPG_FLEETS="30", PYTHONDONTWRITEBYTECODE="1")
        if kind in ("unit", "sanitized"):
            return (
                shell(["build/test/program"], seconds, kind == "sanitized", cwd=TREE, env=environment).returncode == 0
            )
        if kind == "fuzz":
            folder = f"{TREE}/build/corpus/{name}"
            return (
                shell(
                    ["build/test/replay", name, *[f"{folder}/{n}" for n in os.listdir(folder)]],
                    seconds,
                    cwd=TREE,
                    env=environment,
                ).returncode
                == 0
            )
        if kind == "faults":
            return (
                shell(
                    ["build/memory/loaded", "sqlite", f"{TREE}/mpg", "61"], seconds, cwd=TREE, env=environment
                ).returncode
                == 0
            )
        script = f"import sys, unittest; sys.path.insert(0, 'tests/support'); import folders; unittest.main('{name}', argv=['', '-f', '-q'])"  # not the links' own tree
        return shell([sys.executable, "-c", script], seconds, cwd=TREE, env=environment).returncode == 0


class Mutant:
    """A changed file, compiled and linked as the tests ask for it."""

    def __init__(self, build, path, source):
        self.build, self.path, self.source, self.linked = build, path, source, set()
        self.object, self.sanitized = source[:-2] + ".o", f"{source[:-2]}.asan.o"
        self.beside = ["-iquote", os.path.dirname(path)]  # where its headers are
        self.compiled = (
            build.compile(source, self.object, ["-O0", *self.beside]).returncode == 0
        )  # the tests' time is that of -O0 too

    def link(self, kind, name):
        if kind == "unit":
            return self.build.link_unit(name, [self.object])
        if kind == "sanitized":
            if kind not in self.linked:
                self.build.compile(self.source, self.sanitized, [*self.build.sanitized, *self.beside])
            others = [made for source, made in self.build.small.items() if source != self.path]
            return self.build.link_unit(name, [self.sanitized, *others], ["-fsanitize=address,undefined"])
        if kind in self.linked:
            return True
        return (
            self.build.link_replay([self.object])
            if kind == "fuzz"
            else self.build.link_extension(self.path, [self.object])
        )

    def is_same(self, text):
        """Whether a compiler that thinks makes of it what it makes of the text unchanged."""
        original = os.path.join(os.path.dirname(self.source), "original.c")
        with open(os.path.join(TREE, original), "w", encoding="utf-8") as file:
            file.write(text)
        return self.build.assembly(original, self.beside) == self.build.assembly(self.source, self.beside)

    def is_noticed(self, test, seconds):
        linked = self.link(*test)
        self.linked.add(test[0])
        return not linked or not self.build.run(test, 3 * seconds + 1)
