"""What must hold of the build, the library, the installation and the sources themselves."""

import collections
import glob
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import formats
from fleets import ROOT, connect

MAKEFILES = [
    "Makefile",
    *(
        path
        for room in ("ext", "fixtures", "schema", "sql", "tests")
        for path in glob.glob(f"{room}/**/*.mk", root_dir=ROOT, recursive=True)
    ),
]
SOURCES = sorted(glob.glob("ext/**/*.[ch]", root_dir=ROOT, recursive=True))
FILES = sorted(
    path for path in glob.glob("ext/**/*", root_dir=ROOT, recursive=True) if os.path.isfile(os.path.join(ROOT, path))
)
FILE_LIMIT = 25_000  # bytes
FOLDER_LIMIT = 25  # files
COMMENTS = {
    **dict.fromkeys((".c", ".h"), r"/\*.*?\*/"),
    ".sql": r"--(?!@).*?$",
    **dict.fromkeys((".mk", ".awk"), r"^#.*?$"),
}
OTHERS = set(  # files that comments name and that are not of this repository
    "NAME.c NAME_table.c PERFORMANCE.md igzip_lib.h lsbatch.h math.h postgres.h pretrain.sh t.py train.py z.c".split()
)
GLIBC_LIMIT = (2, 36)  # of Debian 12, the oldest system that is built for


def output_of(*command, **options):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def version():
    return re.search(r'#define MPG_VERSION "(.*)"', text_of("ext/sqlite/connection.h"))[1]


class Library(unittest.TestCase):
    def test_exported_symbols(self):
        lines = output_of("nm", "-D", "--defined-only", "mpg.so").splitlines()
        self.assertEqual([line.split()[-1] for line in lines], ["sqlite3_mpg_init", "sqlite3_mpg_nofs_init"])

    def test_sqlite_is_reached_through_its_routine_table(self):
        """Else it would not load into a host that holds SQLite within itself, as node does."""
        names = [line.split()[-1] for line in output_of("nm", "-D", "--undefined-only", "mpg.so").splitlines()]
        self.assertEqual([name for name in names if name.startswith("sqlite3")], [])

    def test_soname_and_hardening(self):
        dynamic = output_of("readelf", "-d", "mpg.so")
        self.assertEqual(re.findall(r"soname: (.*)", dynamic), ["[mpg.so]"])
        self.assertIn("BIND_NOW", dynamic)
        self.assertNotIn("TEXTREL", dynamic)
        self.assertIn("GNU_RELRO", output_of("readelf", "-lW", "mpg.so"))
        self.assertNotRegex(output_of("readelf", "-lW", "mpg.so"), r"GNU_STACK.*RWE")

    def test_needed_libraries(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\.so", output_of("readelf", "-d", "mpg.so")))
        self.assertLessEqual(
            needed, {"libisal", "libz", "libzstd", "libuuid", "libpcre2-8", "libm", "libc", "libpthread"}
        )

    def test_oldest_glibc(self):
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output_of("objdump", "-T", "mpg.so"))
        newest = max(tuple(map(int, v)) for v in versions)
        print(f"needs glibc {newest[0]}.{newest[1]}", end=" ", flush=True)
        self.assertLessEqual(newest, GLIBC_LIMIT)

    def test_names_of_the_archive(self):
        lines = output_of("nm", "-g", "--defined-only", "libmpg.a").splitlines()
        names = [line.split()[-1] for line in lines if len(line.split()) == 3]
        self.assertEqual([n for n in names if not n.startswith("mpg_")], ["sqlite3_mpg_init", "sqlite3_mpg_nofs_init"])

    def test_no_mutable_globals(self):
        lines = output_of("objdump", "-t", "libmpg.a").splitlines()
        mutable = [line for line in lines if re.search(r" O \.(data|bss|tdata|tbss)(?!\.rel\.ro)", line)]
        self.assertEqual(mutable, [])


# Who may include whom: a folder, and the folders whose files it may include beside its own. A folder
# that is not listed is not allowed.
READ = ["read/unwrap", "read/input", "read/parse", "read/grouping", "read/rows"]
GOODPUT = ["goodput", "goodput/trace", "goodput/native", "goodput/rules", "goodput/ledger"]
PROGRAM = ["program", "program/hlo"]
MAY_INCLUDE = {
    "base": [],
    "read/glob": ["base"],
    "read/unwrap": ["base"],
    "read/input": ["base", "read/glob", "read/unwrap"],
    "read/parse": ["base", "read/input"],
    "read/grouping": ["base"],
    "read/rows": ["base", "read/unwrap", "read/input", "read/parse", "read/grouping"],
    "program": ["base", "read/parse"],
    "program/hlo": ["base", "program"],
    "goodput": ["base"],
    "goodput/packed": ["base"],
    "goodput/trace": ["base", "program", "goodput/packed"],
    "goodput/native": ["base", "read/unwrap", "read/input", "read/parse", "goodput/trace"],
    "goodput/rules": ["base", "program", "goodput", "goodput/packed", "goodput/trace"],
    "goodput/ledger": ["base", "goodput", "goodput/trace", "goodput/rules"],
    "sqlite": ["base"] + READ + PROGRAM + GOODPUT,
    "sqlite/cache": ["base", "sqlite"] + READ + GOODPUT + ["program"],
    "sqlite/reader": ["base", "sqlite"] + READ,
    "sqlite/ledger": ["base", "sqlite", "sqlite/cache", "sqlite/scripts"] + READ + GOODPUT,
    "sqlite/functions": ["base", "sqlite"] + READ + PROGRAM + GOODPUT,
    "sqlite/recognise": [
        "base",
        "sqlite",
        "read/unwrap",
        "read/input",
        "read/parse",
        "goodput/native",
    ],  # what files are, before any is read
    "sqlite/scripts": ["base", "sqlite", "sqlite/cache", "sqlite/recognise"] + READ + GOODPUT,
    "sqlite/build": ["base", "sqlite", "sqlite/recognise"] + GOODPUT,
    "postgres": ["base", "program", "sqlite/scripts"]
    + GOODPUT,  # it reads foreign traces by SQL files, in a SQLite of its own
    "package/release": [],
    "package/web": ["base", "sqlite"],
    "formats": ["base", "sqlite"],
    "": ["sqlite", "formats"],
}
# Of every folder in ext/formats; a file that SQLite's headers reach may include these too.
FORMAT_MAY_INCLUDE = ["base", "program/hlo"] + READ
TABLE_MAY_INCLUDE = ["formats", "sqlite", "sqlite/reader"]


def is_table(path):
    """Whether the file of a format is the one that SQLite's headers reach."""
    return re.search(r"_table\.[ch]$|/slurm_columns\.[ch]$|/generic/", path) is not None


def folder_of(path):
    return os.path.dirname(path)[len("ext/") :]


def includes_of(path):
    """The files of ext/ that a file includes."""
    named = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text_of(path), re.M)
    files = [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in named]
    return [file for file in files if os.path.exists(os.path.join(ROOT, file))]


def may_include(path):
    folder = folder_of(path)
    if not folder.startswith("formats/"):
        return MAY_INCLUDE.get(folder, [])
    return FORMAT_MAY_INCLUDE + (TABLE_MAY_INCLUDE if is_table(path) else [])


def calls():
    """For each .c file those whose functions it names; PostgreSQL's host is a library of its own."""
    sources = {
        path: re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.S)
        for path in SOURCES
        if path.endswith(".c") and not path.startswith("ext/postgres/")
    }
    defined = {}
    for path, text in sources.items():
        for name in re.findall(r"^(?!static\b)\w[^;{}()=]*?\b(mpg_\w+)\([^;{}]*\)\s*\{", text, re.M):
            defined[name] = path
    return {
        path: {defined[name] for name in re.findall(r"\bmpg_\w+", text) if defined.get(name, path) != path}
        for path, text in sources.items()
    }


def circle_in(graph):
    """The names along a circle, first and last the same; None where there is none."""
    done, at = set(), []

    def visit(name):
        if name in at:
            return at[at.index(name) :] + [name]
        if name in done:
            return None
        at.append(name)
        found = next(filter(None, map(visit, sorted(graph.get(name, ())))), None)
        at.pop()
        done.add(name)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


class Rooms(unittest.TestCase):
    def test_who_may_include_whom(self):
        for path in SOURCES:
            folder = folder_of(path)
            wrong = [
                file
                for file in includes_of(path)
                if folder_of(file) != folder and folder_of(file) not in may_include(path)
            ]
            self.assertEqual(wrong, [], path)

    def test_every_folder_is_in_the_table(self):
        folders = {folder_of(path) for path in SOURCES}
        self.assertEqual([f for f in sorted(folders) if f not in MAY_INCLUDE and not f.startswith("formats/")], [])

    def test_sqlite_is_seen_by_its_own(self):
        for path in SOURCES:
            if re.search(r"#\s*include\s*<sqlite3", text_of(path)):
                self.assertTrue(
                    path in ("ext/mpg.c", "ext/mpg.h")
                    or folder_of(path).split("/")[0] == "sqlite"
                    or path.startswith("ext/formats/")
                    and is_table(path),
                    path,
                )

    def test_no_circle_between_folders(self):
        graph = {}
        for path in SOURCES:
            graph.setdefault(folder_of(path), set()).update(
                folder_of(file) for file in includes_of(path) if folder_of(file) != folder_of(path)
            )
        self.assertIsNone(circle_in(graph))

    def test_no_circle_between_headers(self):
        self.assertIsNone(circle_in({path: set(includes_of(path)) for path in SOURCES}))

    def test_no_circle_between_files_that_call_each_other(self):
        graph = calls()
        self.assertGreater(sum(map(len, graph.values())), len(graph), "calls are found at all")
        self.assertIsNone(circle_in(graph))

    def test_a_circle_is_found(self):
        self.assertEqual(circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
        self.assertIsNone(circle_in({"a": {"b", "c"}, "b": {"c"}}))


class Formats(unittest.TestCase):
    """The two registers, ext/formats/list.h and tests/formats.py, name the same formats, and each has a room wherever formats have one."""

    def registered(self):
        """{folder of ext/formats: its functions that list.h calls}"""
        listed = re.findall(r"^  X\((\w+)\)", text_of("ext/formats/list.h"), re.M)
        self.assertGreater(len(listed), 10)
        folders = {}
        for name in listed:
            homes = [
                path
                for path in SOURCES
                if path.endswith(".c") and re.search(rf"^int mpg_register_{name}\(", text_of(path), re.M)
            ]
            self.assertEqual(len(homes), 1, name)
            folders.setdefault(homes[0].split("/")[2], []).append(name)
        return folders

    def test_both_name_the_same(self):
        self.assertEqual(sorted(self.registered()), sorted(formats.FORMATS))
        self.assertEqual(
            sorted(
                {path.split("/")[2] for path in SOURCES if path.startswith("ext/formats/") and path.count("/") == 3}
            ),
            sorted(formats.FORMATS),
        )

    def test_every_reader_is_a_sample(self):
        """What takes a path and gives rows of files is a table of the register."""
        db = connect()
        tables = {name for name, in db.execute("SELECT name FROM pragma_module_list")} - {
            name for name, in sqlite3.connect(":memory:").execute("SELECT name FROM pragma_module_list")
        }
        readers = {
            name
            for name in tables
            if db.execute("SELECT 1 FROM pragma_table_xinfo(?) WHERE name = 'on_error'", (name,)).fetchone()
        }
        self.assertLessEqual(set(formats.READERS), tables)
        self.assertEqual(
            sorted(name for name in readers - set(formats.READERS) if not name.startswith(("mpg_", "trace_"))), []
        )

    def test_rooms(self):
        for name, format in formats.FORMATS.items():
            with self.subTest(name):
                self.assertIn(format.gives, ("fleet", "profile", "program", "metrics", "rows"))
                rooms = [
                    f"ext/formats/{name}",
                    f"fixtures/{format.fixtures or name}",
                    f"docs/formats/{name}.md",
                    f"tests/formats/columns/{name}.txt",
                ]
                if not isinstance(format.mappings, str):
                    rooms += [f"sql/formats/{mapping}.sql" for mapping in format.mappings or (name,)]
                self.assertEqual([room for room in rooms if not os.path.exists(os.path.join(ROOT, room))], [])
                suites = glob.glob("tests/formats/test_*.py", root_dir=ROOT)
                tables = [sample.table for sample in format.samples]
                self.assertTrue(
                    [path for path in suites if any(table in text_of(path) for table in tables)],
                    "no suite in tests/formats",
                )
                for sample in format.samples:
                    self.assertTrue(os.path.isfile(os.path.join(ROOT, "fixtures", sample.file)), sample.file)


class Loading(unittest.TestCase):
    def test_twice(self):
        db = connect()
        db.load_extension(os.path.join(ROOT, "mpg"))
        self.assertEqual(db.execute("SELECT mpg_version()").fetchone(), (version(),))

    def test_twice_while_a_statement_runs(self):
        """SQLite replaces no function meanwhile, which must not make it an error."""
        db = connect()
        running = db.execute("WITH t(n) AS (VALUES (1), (2), (3)) SELECT n, mpg_version() FROM t")
        rows = [running.fetchone()]
        db.load_extension(os.path.join(ROOT, "mpg"))
        rows += running.fetchall()
        self.assertEqual(rows, [(n, version()) for n in (1, 2, 3)])
        self.assertEqual(db.execute("SELECT mpg_version()").fetchone(), (version(),))

    def test_many_connections(self):
        first, second = connect(), connect()
        first.close()
        self.assertEqual(second.execute("SELECT mpg_version()").fetchone(), (version(),))


class Linking(unittest.TestCase):
    APPLICATION = r"""
        #include <stdio.h>
        #include <mpg.h>
        int main(void) {
          sqlite3 *db;
          sqlite3_stmt *query;
          if (sqlite3_auto_extension((void (*)(void))sqlite3_mpg_init) != SQLITE_OK ||
              sqlite3_open(":memory:", &db) != SQLITE_OK ||
              sqlite3_prepare_v2(db, "SELECT mpg_version()", -1, &query, NULL) != SQLITE_OK ||
              sqlite3_step(query) != SQLITE_ROW)
            return 1;
          puts((const char *)sqlite3_column_text(query, 0));
          sqlite3_finalize(query);
          return sqlite3_close(db);
        }"""

    def answer(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            source, program = f"{folder}/app.c", f"{folder}/app"
            with open(source, "w") as file:
                file.write(self.APPLICATION)
            output_of("cc", "-Wall", "-Wextra", "-Werror", "-o", program, source, *flags)
            return output_of(program).strip()

    def test_against_the_archive(self):
        gzip = "-lisal" if "isal_inflate" in output_of("nm", "libmpg.a") else "-lz"
        libraries = ["-lsqlite3", gzip, "-lzstd", "-luuid", "-lpcre2-8", "-lm", "-lpthread"]
        self.assertEqual(self.answer("-Iext", "libmpg.a", *libraries), version())

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config here")
    def test_against_an_installation(self):
        with tempfile.TemporaryDirectory() as folder:
            made("install", f"prefix={folder}")
            environment = dict(os.environ, PKG_CONFIG_PATH=f"{folder}/lib/pkgconfig")
            flags = output_of("pkg-config", "--cflags", "--libs", "mpg", env=environment).split()
            self.assertEqual(self.answer(*flags), version())
            self.check_merging_states(folder, flags)
            extension = output_of("pkg-config", "--variable=extension", "mpg", env=environment).strip()
            self.assertEqual(extension, f"{folder}/lib/mpg")
            self.assertTrue(os.path.exists(extension + ".so"))
            self.assertEqual(output_of("pkg-config", "--modversion", "mpg", env=environment).strip(), version())

    def check_merging_states(self, folder, flags):
        """The program of docs/states.md, over states that SQLite made."""
        source, program = f"{folder}/merge.c", f"{folder}/merge"
        with open(source, "w") as file:
            file.write(re.search(r"```c\n(.*?)```", text_of("docs/states.md"), re.S)[1])
        output_of("cc", "-Wall", "-Wextra", "-Werror", "-O2", "-o", program, source, *flags)
        states = [
            connect().execute("SELECT hex(goodput_state(?, 0.1)), hex(goodput_state(?, 10))", pair).fetchone()
            for pair in (("idle", "ideal"), ("lost", "down"))
        ]
        merged = subprocess.run(
            [program], input="\n".join(sum(states, ())), stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        expected = (
            connect()
            .execute(
                "SELECT mpg(column1, column2) FROM (VALUES ('idle', 0.1), ('ideal', 10), ('lost', 0.1), ('down', 10))"
            )
            .fetchone()[0]
        )
        self.assertEqual(float(merged), expected)
        cut = subprocess.run(
            [program], input=states[0][0][:-2], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.assertEqual((cut.returncode, cut.stderr), (1, "bad goodput state: its checksum does not match\n"))


def made(target, *settings):
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return output_of("make", "--no-print-directory", target, *settings, env=clean)


class Building(unittest.TestCase):
    def test_other_flags_build_anew(self):
        """Every object depends on build/flags: it is touched by other flags, and by nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            for path in [*MAKEFILES, "ext/package/deps.sh"]:
                os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), f"{folder}/{path}")
            other = next(name for name in ("clang", "gcc", "c99") if shutil.which(name))
            seen = []
            for settings in ([], [f"CC={other}"], ["CFLAGS=-O0"], ["CPPFLAGS=-DX"], ["LDFLAGS=-Wl,-O1"], ["ISAL="], []):
                made("-C", folder, "build/flags", *settings)
                with open(f"{folder}/build/flags", encoding="utf-8") as file:
                    seen.append(file.read())
                os.utime(f"{folder}/build/flags", (1, 1))
                made("-C", folder, "build/flags", *settings)
                self.assertEqual(os.stat(f"{folder}/build/flags").st_mtime, 1)
            self.assertEqual(seen[0], seen[-1])
            self.assertEqual(len(set(seen[:5])), 5)


class Targets(unittest.TestCase):
    OWN = {"all", "FORCE", "lint-tools", "lint-format", "fuzz-built"}  # of other targets, not for people

    def test_help_lists_all(self):
        texts = [text_of(path) for path in MAKEFILES]
        phony = {name for text in texts for names in re.findall(r"(?m)^\.PHONY: (.*)$", text) for name in names.split()}
        listed = set(re.findall(r"make ([a-z][\w-]*)", made("help")))
        self.assertEqual(phony - self.OWN, listed)

    def test_a_missing_package_is_named_in_one_line(self):
        """Each with a path in which the program is not; or a compiler that finds no header."""
        with tempfile.TemporaryDirectory() as folder:
            for name in (
                "sh",
                "make",
                "cc",
                "gcc",
                "ar",
                "sed",
                "grep",
                "cmp",
                "mkdir",
                "git",
                "uname",
                "id",
                "find",
                "sort",
                "awk",
                "cat",
                "ls",
                "tail",
                "echo",
                "rm",
            ):
                if shutil.which(name):
                    os.symlink(shutil.which(name), f"{folder}/{name}")
            for name, body in (("apt-get", "exit 1"), ("id", "echo 1000")):
                if os.path.lexists(f"{folder}/{name}"):
                    os.remove(f"{folder}/{name}")
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{body}\n")
                os.chmod(f"{folder}/{name}", 0o755)
            for what, package in (
                ("format", "clang-format"),
                ("lint", "clang-tidy"),
                ("postgres", "postgresql-server-dev"),
                ("slurm", "slurm-client"),  # slurmctld is looked for in /usr/sbin, too
                ("demo", "sqlite3"),
            ):
                done = subprocess.run(
                    ["sh", os.path.join(ROOT, "ext/package/deps.sh"), "--name", what],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    env={"PATH": folder, "PG_CONFIG": "/nowhere"},
                    check=False,
                )
                said = [line for line in done.stdout.splitlines() if "not found" not in line]
                self.assertEqual((1, 1), (done.returncode, len(said)), done.stdout)
                self.assertRegex(said[0], rf"^This needs packages that are not here: apt-get install .*\b{package}")


class Dependencies(unittest.TestCase):
    def said(self, machine, cc, compiler="exit 0"):
        """What deps.sh would install for a build, by the machine's name and a compiler that is a shell command over its source."""
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (("uname", f"echo {machine}"), ("cc", compiler), ("apt-get", "exit 1"), ("id", "echo 0")):
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{body}\n")
                os.chmod(f"{folder}/{name}", 0o755)
            done = subprocess.run(
                ["sh", os.path.join(ROOT, "ext/package/deps.sh"), "build"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PATH": folder + ":" + os.environ["PATH"], "CC": cc},
            )
            return done.stdout

    def test_a_compiler_with_options(self):
        self.assertEqual("", self.said("x86_64", "cc"))
        self.assertEqual("", self.said("x86_64", "cc -O1 -DX"))

    def test_where_there_is_no_isal(self):
        self.assertEqual("Installing libisal-dev\n", self.said("x86_64", "cc", "! grep -q isa-l"))
        self.assertEqual("", self.said("s390x", "cc", "! grep -q isa-l"))


class Installing(unittest.TestCase):
    def installed(self, folder):
        return sorted(
            os.path.relpath(p, folder) for p in glob.glob(folder + "/**", recursive=True) if not os.path.isdir(p)
        )

    def expected(self, prefix):
        library = glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True) + glob.glob(
            "sql/dashboards/*", root_dir=ROOT
        )
        library = [
            path for path in library if not re.match("sql/(sources|build|formats/[^/]+)/", path)
        ]  # the extension's own, and parts, which are within their files
        return sorted(
            [
                f"{prefix}/lib/mpg.so",
                f"{prefix}/lib/libmpg.so",
                f"{prefix}/lib/libmpg.a",
                f"{prefix}/lib/pkgconfig/mpg.pc",
                f"{prefix}/include/mpg.h",
                f"{prefix}/share/man/man7/mpg.7",
                f"{prefix}/bin/mpg-report",
                f"{prefix}/share/man/man1/mpg-report.1",
                f"{prefix}/share/mpg/report/template.html",
            ]
            + [
                f"{prefix}/share/mpg/report/{os.path.basename(path)}"
                for end in ("mjs", "py")
                for path in glob.glob(f"sql/report/*.{end}", root_dir=ROOT)
            ]
            + [f"{prefix}/include/mpg/{name}.h" for name in ("account", "base", "category", "text")]
            + [f"{prefix}/share/mpg/{path}" for path in library]
            + [
                f"{prefix}/share/mpg/schema/{name}"
                for name in ("fleet.sql", "import.sql", "fleet-file.schema.json", "native-trace.schema.json")
            ]
        )

    def test_into_a_folder_and_away_again(self):
        with tempfile.TemporaryDirectory() as folder:
            made("install", f"DESTDIR={folder}")
            self.assertEqual(self.installed(folder), self.expected("usr/local"))
            self.assertEqual(os.readlink(f"{folder}/usr/local/lib/libmpg.so"), "mpg.so")
            with open(f"{folder}/usr/local/lib/pkgconfig/mpg.pc") as file:
                text = file.read()
            self.assertIn(f"Version: {version()}\n", text)
            self.assertNotIn(folder, text)
            self.assertNotIn("@", text)
            kept = f"{folder}/usr/local/lib/of-others.so"
            open(kept, "w").close()
            made("uninstall", f"DESTDIR={folder}")
            self.assertEqual(self.installed(folder), ["usr/local/lib/of-others.so"])

    def test_prefix_says_how_to_load(self):
        with tempfile.TemporaryDirectory() as folder:
            said = made("install", f"prefix={folder}")
            self.assertEqual(said.splitlines()[-1], f"Installed. In SQLite:  .load {folder}/lib/mpg")
            db = sqlite3.connect(":memory:")
            db.enable_load_extension(True)
            db.load_extension(f"{folder}/lib/mpg")
            self.assertEqual(db.execute("SELECT mpg_version()").fetchone(), (version(),))

    def test_plain_name_where_the_loader_looks(self):
        with tempfile.TemporaryDirectory() as folder:
            made("install", f"prefix={folder}")
            program = (
                "import sqlite3; db = sqlite3.connect(':memory:'); db.enable_load_extension(True); "
                "db.load_extension('mpg'); print(*db.execute('SELECT mpg_version()').fetchone())"
            )
            said = output_of("/usr/bin/python3", "-c", program, env={"LD_LIBRARY_PATH": f"{folder}/lib"})
            self.assertEqual(said.strip(), version())


class Version(unittest.TestCase):
    def test_everywhere_the_same(self):
        self.assertRegex(version(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(connect().execute("SELECT mpg_version()").fetchone(), (version(),))
        self.assertEqual(re.search(r"^## (\S+)", text_of("docs/CHANGELOG.md"), re.M)[1], version())
        self.assertRegex(text_of("docs/mpg.7"), rf'(?m)^\.TH .*"mpg {re.escape(version())}"')


class ManPage(unittest.TestCase):
    def test_every_name_is_in_it_once(self):
        """Where a name comes twice the page has come apart, as a merge of two lists leaves it."""

        def names(db):
            return {
                row[0]
                for row in db.execute("SELECT name FROM pragma_function_list UNION SELECT name FROM pragma_module_list")
            }

        output_of("make", "-s", "build/mpg.7")
        section = (
            text_of("build/mpg.7").split(".SH FUNCTIONS")[1].split(".SH SECURITY")[0].replace("USING csv_trace", "")
        )
        said = re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", re.sub(r"(?m)^(?!\.B).*", "", section))
        for name in names(connect()) - names(sqlite3.connect(":memory:")):
            self.assertEqual(said.count(name), 1, name)


# Names of a static function that do not say what it does, and words that say so nowhere in a name.
VAGUE = set(
    """accept account add added after all append ask asked attach batch before begin bytes carry change clear collect column count cut decode
    describe digits do elements emit end enter expected fill find finish fit fits fixed fold found from gather get give given go hand has have hold
    holds inform is join keep keeps kept known label list listed load look make mark measure member mend more name need next note notice number on
    parse part pass peek piece pile place poll prepare process property push put quoted raw read remember repeat room run runs same save say see seen
    send set settle show shown since skip sort split start starts step stop stopped stops store string take tell test text together told total
    tries try two unpack until update value walk where wish word words work write wrong zone""".split()
)
VAGUE_PARTS = set("asked asks kept seen shown told walk wish".split())


def static_functions(text):
    return re.findall(
        r"^(?:MPG_\w+ )?static (?:[\w ]+?[\s*]+)(\w+)\([^;{}]*\)\s*\{", re.sub(r"/\*.*?\*/", "", text, flags=re.S), re.M
    )


def is_vague(name):
    return name in VAGUE or not VAGUE_PARTS.isdisjoint(name.split("_"))


class Names(unittest.TestCase):
    def test_a_static_function_says_what_it_does(self):
        found = {path: static_functions(text_of(path)) for path in SOURCES}
        self.assertGreater(sum(map(len, found.values())), 1500, "they are found at all")
        self.assertEqual([f"{path}: {name}" for path, names in found.items() for name in names if is_vague(name)], [])

    def test_a_vague_name_is_found(self):
        text = "static int take(void) {\n}\n\nstatic const char *find_kept(int a,\n    int b) {\n}\nstatic int mine(void);\n/* static int run(void) { */\nMPG_HOT static inline bool read_head(x *p) {\n}\n"
        self.assertEqual(static_functions(text), ["take", "find_kept", "read_head"])
        self.assertEqual(list(map(is_vague, static_functions(text))), [True, True, False])


class Mutants(unittest.TestCase):
    def test_each_line_is_in_its_file(self):
        """tests/full/mutants.txt lists changes of lines that are there."""
        lines, stale = {}, []
        for entry in text_of("tests/full/mutants.txt").splitlines():
            if entry and not entry.startswith(("#", "*")):
                path, before, _, _ = entry.split(" | ")
                if path not in lines:
                    lines[path] = {" ".join(line.split()) for line in text_of(path).splitlines()}
                if before not in lines[path]:
                    stale.append((path, before))
        self.assertGreater(len(lines), 20)
        self.assertEqual(stale, [])

    def test_make_mutants_starts(self):
        told = output_of(
            "/usr/bin/python3", "tests/full/mutants.py", "--list", "--sample", "3", "--only", "ext/base/text"
        )
        self.assertEqual([line.split(" ")[0] for line in told.splitlines()], ["ext/base/text.c"] * 3)


class Sources(unittest.TestCase):
    def test_no_file_is_too_long(self):
        sizes = {path: os.path.getsize(os.path.join(ROOT, path)) for path in SOURCES}
        self.assertEqual({path: size for path, size in sizes.items() if size > FILE_LIMIT}, {})

    def test_no_folder_holds_too_many_files(self):
        folders = collections.Counter(os.path.dirname(path) for path in FILES)
        self.assertEqual({folder: files for folder, files in folders.items() if files > FOLDER_LIMIT}, {})

    def test_no_two_files_have_one_name(self):
        """PostgreSQL's own build wants the Makefile and the names it has there."""
        names = collections.Counter(os.path.basename(path) for path in FILES if not path.startswith("ext/postgres/"))
        self.assertEqual([name for name, files in names.items() if files > 1], [])

    def test_members_of_an_environment_are_named(self):
        """A member that mpg_env gets breaks no build then."""
        texts = {
            p: text_of(p)
            for room in ("ext", "tests", "fixtures")
            for p in glob.glob(f"{room}/**/*.[ch]", root_dir=ROOT, recursive=True)
        }
        starts = [
            (path, start)
            for path, text in texts.items()
            for start in re.findall(r"\bmpg_env(?:\)| \w+ = )\{\s*([^}]{1,20})", text)
        ]
        self.assertGreater(len(starts), 15)
        self.assertEqual([(path, start) for path, start in starts if not start.startswith(".")], [])

    def test_every_file_says_what_it_is_for(self):
        for path in SOURCES:
            head = text_of(path)[:200]
            self.assertRegex(head, rf"^/\*\s*\**\s*{re.escape(os.path.basename(path))} - ")

    def test_a_comment_names_files_that_are_there(self):
        rooms = ("ext", "sql", "schema", "tests", "fixtures", "docs")
        paths = glob.glob("*", root_dir=ROOT)
        paths += [path for room in rooms for path in glob.glob(f"{room}/**/*.*", root_dir=ROOT, recursive=True)]
        names = {os.path.basename(path) for path in paths} | {"chips_data.c", "scripts_data.c"}
        found, stale = 0, []
        for path in paths:
            pattern = COMMENTS.get(os.path.splitext(path)[1])
            for comment in re.findall(pattern, text_of(path), re.S | re.M) if pattern else ():
                for name in re.findall(r"\b[\w.-]+\.(?:c|h|sql|py|md|sh|mk|awk)\b", comment):
                    found += 1
                    if name not in names | OTHERS:
                        stale.append((path, name))
        self.assertGreater(found, 1000)
        self.assertEqual(stale, [])

    def test_a_registration_is_where_its_comment_says(self):
        named = re.findall(r"^int (mpg_register_\w+)\(.*/\* (\S+) \*/$", text_of("ext/sqlite/connection.h"), re.M)
        self.assertGreater(len(named), 20)
        for function, path in named:
            self.assertIn(f"\nint {function}(", text_of(f"ext/sqlite/{path}"))

    def test_a_header_guards_itself_by_its_name(self):
        guards = {}
        for path in SOURCES:
            if path.endswith(".h"):
                guard = re.search(r"^#ifndef (MPG_\w*H)\n#define \1$", text_of(path), re.M)
                guards[path] = guard and guard[1]
        self.assertEqual(len(set(guards.values())), len(guards))
        for path, guard in guards.items():
            self.assertRegex(str(guard), rf"^MPG_(?:\w+_)?{os.path.basename(path)[:-2].upper()}_H$|^MPG_H$", path)

    def test_flags_do_not_name_the_build_host(self):
        for path in MAKEFILES:
            self.assertNotRegex(text_of(path), r"-m(arch|tune|cpu|avx|sse)", path)


if __name__ == "__main__":
    unittest.main()
