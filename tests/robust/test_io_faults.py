"""The operating system says no, or less than was asked for: the shipped mpg.so in the system's SQLite, with a library in front of libc
that fails the n-th call that concerns a trace, for every n until none is left to fail; and files that are no files, change, or vanish.
"""

import ctypes
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cases
import figures
import formats
from fleets import ROOT, connect, quote
from test_security import Watch

LIBRARY = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NONE, EINTR_, SHORT, EIO_, EACCES_, ENOMEM_, EMFILE_ };
static char prefix[256];
static long left;
static int kind;
static unsigned char mine[1 << 16];
static DIR *folders[64];

/* Which call fails, counted from 1; 0: none. Disarming says whether there were so many. */
void fault_arm(const char *below, long at, int what) {
  strncpy(prefix, below, sizeof prefix - 1);
  left = at;
  kind = what;
}
int fault_disarm(void) {
  *prefix = 0;
  return left < 0;
}

static int is_mine(const char *path) { return *prefix && path && strncmp(path, prefix, strlen(prefix)) == 0; }
/* Whether the call at hand fails; a call that cannot fail so counts all the same. */
static int hit(int can) {
  if (left <= 0 || --left > 0)
    return 0;
  left = -1;
  if (!can)
    return 0;
  errno = kind == EINTR_ ? EINTR : kind == EIO_ ? EIO : kind == EACCES_ ? EACCES : kind == EMFILE_ ? EMFILE : ENOMEM;
  return 1;
}
static int has_errno(void) { return kind != SHORT; }
static int real_error(void) { return kind != SHORT && kind != EINTR_; }

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

static int opened(int fd) {
  if (fd >= 0 && fd < (int)sizeof mine) mine[fd] = 1;
  return fd;
}
#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, #name, const char *, int, ...); \
    va_list args; va_start(args, flags); int mode = va_arg(args, int); va_end(args); \
    if (!is_mine(path)) return real(path, flags, mode); \
    return hit(has_errno()) ? -1 : opened(real(path, flags, mode)); \
  }
#define OPEN_2(name) \
  int name(const char *path, int flags) { \
    REAL(int, #name, const char *, int); \
    if (!is_mine(path)) return real(path, flags); \
    return hit(has_errno()) ? -1 : opened(real(path, flags)); \
  }
OPEN(open) OPEN(open64) OPEN_2(__open_2) OPEN_2(__open64_2)

static ssize_t less(size_t n) { return (ssize_t)(n > 3 ? 3 : n > 1 ? 1 : n); }
ssize_t read(int fd, void *buf, size_t n) {
  REAL(ssize_t, "read", int, void *, size_t);
  if (fd < 0 || fd >= (int)sizeof mine || !mine[fd] || !hit(1)) return real(fd, buf, n);
  return kind == SHORT ? real(fd, buf, (size_t)less(n)) : -1;
}
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room) { return read(fd, buf, n); }
int close(int fd) {
  REAL(int, "close", int);
  int own = fd >= 0 && fd < (int)sizeof mine && mine[fd], fails = own && hit(has_errno()), code = errno, rc;
  if (own) mine[fd] = 0;
  rc = real(fd); /* Linux closes whatever it says */
  if (fails) errno = code;
  return fails ? -1 : rc;
}
#define FSTAT(name) \
  int name(int fd, struct stat *st) { \
    REAL(int, #name, int, struct stat *); \
    return fd >= 0 && fd < (int)sizeof mine && mine[fd] && hit(real_error()) ? -1 : real(fd, st); \
  }
#define STAT(name) \
  int name(const char *path, struct stat *st) { \
    REAL(int, #name, const char *, struct stat *); \
    return is_mine(path) && hit(real_error()) ? -1 : real(path, st); \
  }
FSTAT(fstat) STAT(stat) STAT(lstat)
DIR *opendir(const char *path) {
  REAL(DIR *, "opendir", const char *);
  DIR *dir;
  if (!is_mine(path)) return real(path);
  dir = hit(real_error()) ? NULL : real(path);
  for (int i = 0; dir && i < 64; i++)
    if (!folders[i]) { folders[i] = dir; break; }
  return dir;
}
struct dirent *readdir(DIR *dir) {
  REAL(struct dirent *, "readdir", DIR *);
  for (int i = 0; i < 64; i++)
    if (folders[i] == dir) return hit(real_error()) ? NULL : real(dir);
  return real(dir);
}
int closedir(DIR *dir) {
  REAL(int, "closedir", DIR *);
  for (int i = 0; i < 64; i++)
    if (folders[i] == dir) folders[i] = NULL;
  return real(dir);
}
"""
KINDS = ["", "EINTR", "short read", "EIO", "EACCES", "ENOMEM", "EMFILE"]
UNSEEN = {"EINTR", "short read"}  # these a caller never sees
WORDS = {"EIO": "Input/output error", "EACCES": "Permission denied", "EMFILE": "Too many open files"}

# What each reader says of a path: (table, what follows the path in its call).
CALLS = [(table, formats.more(formats.first(table))) for table in formats.READERS]


def sweep(folder, scans):
    """In the process with the library in front: [faults by kind, errors by kind, what went wrong]."""
    faults = ctypes.CDLL(None)
    kinds = KINDS if os.environ.get("MPG_FULL") else KINDS[:4]
    points, errors, wrong = {kind: 0 for kind in kinds[1:]}, {kind: 0 for kind in kinds[1:]}, []
    for path, sql in scans:

        def run():
            db = connect()
            try:
                return sorted(db.execute(sql).fetchall(), key=repr), None
            except MemoryError:
                return None, "out of memory"
            except sqlite3.Error as error:
                return None, str(error)
            finally:
                db.close()

        faults.fault_arm(os.fsencode(folder), 0, 0)
        expected, error = run()
        faults.fault_disarm()
        if error is not None or not expected:
            wrong.append(f"{sql}: without a fault: {error or 'no row'}")
            continue
        for kind in range(1, len(kinds)):
            n = 0
            while True:
                n += 1
                faults.fault_arm(os.fsencode(folder), n, kind)
                before = len(os.listdir("/proc/self/fd"))
                rows, error = run()
                fired = faults.fault_disarm()
                if len(os.listdir("/proc/self/fd")) != before:
                    wrong.append(f"{sql}: {KINDS[kind]} at call {n}: a file is left open")
                if not fired:
                    break
                points[KINDS[kind]] += 1
                errors[KINDS[kind]] += error is not None
                if error is None:
                    fine = rows == expected
                elif KINDS[kind] == "ENOMEM":
                    fine = error == "out of memory"
                else:
                    fine = KINDS[kind] not in UNSEEN and WORDS[KINDS[kind]] in error and folder in error
                if not fine:
                    wrong.append(f"{sql}: {KINDS[kind]} at call {n}: {error or 'wrong rows'}")
    return [points, errors, wrong]


class Preloaded(unittest.TestCase):
    def test_every_call_of_every_reader(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "faults.so")
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O1", "-w", "-o", library, "-x", "c", "-", "-ldl"],
                input=LIBRARY,
                text=True,
                check=True,
            )
            data = os.path.join(folder, "data")
            shutil.copytree(
                os.path.join(ROOT, "fixtures"), data, ignore=shutil.ignore_patterns("fleet", "generate", "*.md", "*.mk")
            )
            scans = []
            for sample in formats.SAMPLES:
                path, table, more = os.path.join(data, formats.several(sample)), sample.table, formats.more(sample)
                scans.append((path, f"SELECT * FROM {table}({quote(path)}{more})"))
                if not sample.several:
                    for name, tool in ((path + ".gz", "gzip -c"), (path + ".zst", "zstd -qc")):
                        self.assertEqual(0, os.system(f"{tool} {path} >{name}"))
                        scans.append((name, f"SELECT * FROM {table}({quote(name)}{more})"))
            for table in (
                "csv_trace",
                "jsonl_trace",
                "trace_records",
            ):  # an error of the system is no record to be skipped
                path = os.path.join(data, "golden/spans.csv" if table == "csv_trace" else "golden.jsonl")
                scans.append((path, f"SELECT * FROM {table}({quote(path)}) WHERE on_error = 'skip'"))
            done = subprocess.run(
                [sys.executable, "-m", "test_io_faults", "--sweep"],
                input=json.dumps([data, scans]),
                capture_output=True,
                text=True,
                env={
                    **os.environ,
                    "LD_PRELOAD": library,
                    "PYTHONPATH": os.pathsep.join(
                        os.path.join(ROOT, "tests", room) for room in ("support", "robust", "sql", "")
                    ),
                },
                check=False,
            )
            self.assertEqual("", done.stderr[-2000:])
            points, errors, wrong = json.loads(done.stdout)
        self.assertEqual([], wrong[:20])
        self.assertGreater(min(points.values()), 300)
        self.assertGreater(errors["EIO"], points["EIO"] // 2)  # the others: closing, and second looks
        figures.record(
            "io",
            [
                {
                    "fault, in front of libc": kind,
                    "calls that failed so": n,
                    "ended in an error that names the file": errors[kind],
                    "gave exactly the right rows": n - errors[kind],
                }
                for kind, n in points.items()
            ],
        )


class Case(cases.FolderCase):
    def errors(self, path, pattern):
        """What every reader says of a path."""
        for table, more in CALLS:
            with self.subTest(table):
                with self.assertRaisesRegex(sqlite3.OperationalError, f"^{table}: {pattern}"):
                    connect().execute(f"SELECT * FROM {table}(?{more})", (path,)).fetchall()


class NoFiles(Case):
    def test_nothing(self):
        self.errors(self.path("none"), f"no such file: {self.path('none')}$")
        self.errors(self.path("*.none"), rf"no file matches: {self.folder}/\*\.none$")
        self.errors("", "path: expected a file, folder or glob, found ''$")

    def test_paths_that_are_taken_as_they_stand(self):
        """Relative ones say where they begin; of others, what was perhaps meant."""
        here = re.escape(os.getcwd())
        for path, hint in (
            ("nowhere/at all", rf" \(from the folder {here}\)"),
            ("no*where", rf" \(from the folder {here}\)"),
            ("~/traces", r" \(~ stands for no folder here\)"),
            ("~ada", r" \(~ stands for no folder here\)"),
            ("file:///srv/traces", r" \(expected a path, no URL\)"),
            ("s3://bucket/*.csv", r" \(expected a path, no URL\)"),
            ("$HOME/traces", r" \(variables of a shell are not replaced here\)"),
            ("/srv/${USER}", r" \(variables of a shell are not replaced here\)"),
            ('"/srv/traces"', r" \(the quotes are part of the path\)"),
            ("'traces'", r" \(the quotes are part of the path\)"),
            ("/srv/traces ", r" \(a blank at an end is part of the path\)"),
            ("\n/srv/traces", r" \(a blank at an end is part of the path\)"),
            (r"C:\srv\traces", r" \(a \\ is part of a name: folders end with /\)"),
            (r"/srv/my\ traces", r" \(a \\ is part of a name: folders end with /\)"),
        ):
            self.errors(path, f"no (such file|file matches): {re.escape(path)}{hint}$")

    def test_folders(self):
        os.mkdir(self.path("empty"))
        self.errors(self.path("empty"), f"folder {self.path('empty')} holds no file$")
        self.file("", "file")
        self.errors(self.path("file/x"), f"no such file: {self.path('file/x')}$")

    def test_fifos_and_devices(self):
        os.mkfifo(self.path("fifo"))
        watch = Watch(self.path("fifo"))
        self.addCleanup(watch.close)
        self.errors(self.path("fifo"), f"{self.path('fifo')}: not a regular file$")
        self.assertEqual(0, watch.opened())
        for device in ("/dev/zero", "/dev/full", "/dev/random", "/dev/tty"):
            if os.path.exists(device):
                self.errors(device, f"{device}: (not a regular file$|cannot open: )")

    def test_sockets(self):
        import socket

        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path("socket"))
        self.errors(self.path("socket"), f"{self.path('socket')}: not a regular file$")

    def test_a_loop_of_links(self):
        os.symlink("b", self.path("a"))
        os.symlink("a", self.path("b"))
        self.errors(self.path("a"), f"{self.path('a')}: cannot stat: Too many levels of symbolic links$")

    def test_paths_that_are_none(self):
        self.errors("x" * 65536, "path: expected at most 4095 bytes, found 65536$")
        self.errors("/" * 65536, "path: expected at most 4095 bytes, found 65536$")
        self.errors("x" * 300, "x{300}: cannot stat: File name too long$")
        self.errors(self.path("a\0b"), "path: expected text, found a NUL byte$")

    def test_paths_of_other_types(self):
        for value in (1, 1.5):
            for table, more in CALLS:
                with self.subTest(table), self.assertRaisesRegex(sqlite3.OperationalError, f"^{table}: "):
                    connect().execute(f"SELECT * FROM {table}(?{more})", (value,)).fetchall()

    def test_permission(self):
        """As somebody else, where we are root, whom nothing is forbidden."""
        path = self.file("a\n1\n", "secret.csv")
        os.chmod(path, 0)
        os.mkdir(self.path("closed"), 0)
        os.chmod(self.folder, 0o755)
        shutil.copy(os.path.join(ROOT, "mpg.so"), self.path("mpg.so"))
        script = "import sqlite3, sys\n" + "\n".join(
            f"""
db = sqlite3.connect(":memory:"); db.enable_load_extension(True); db.load_extension({self.path('mpg')!r})
try: print(db.execute("SELECT * FROM {table}(?{more})", (sys.argv[1],)).fetchall())
except sqlite3.OperationalError as error: print(error)"""
            for table, more in CALLS
        )
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        for closed, pattern in (
            (path, f"{path}: cannot open: Permission denied"),
            (self.path("closed"), f"{self.path('closed')}/: cannot open the folder: Permission denied"),
            (self.path("closed/x"), f"{self.path('closed/x')}: cannot stat: Permission denied"),
        ):
            done = subprocess.run(
                [sys.executable, "-c", script, closed], cwd="/", capture_output=True, text=True, check=True, **options
            )
            self.assertEqual([f"{table}: {pattern}" for table, _ in CALLS], done.stdout.splitlines())

    def test_permission_among_others(self):
        """A file, or a folder, that may not be read: the others are, with an issue in place of its records, and `stop` stops there."""
        for name in ("mpg.so", "fixtures/pbs/accounting.log", "fixtures/slurm/sacct_jobs.psv"):
            shutil.copy(os.path.join(ROOT, name), self.folder)
        os.mkdir(self.path("lost+found"))
        shutil.move(self.path("sacct_jobs.psv"), self.path("lost+found"))
        for name in ("sacct.psv", "run.log.gz", "run.jsonl"):
            self.file("x" * 100, name)
            os.chmod(self.path(name), 0)
        os.chmod(self.path("lost+found"), 0)
        os.chmod(self.folder, 0o755)
        script = """import sqlite3, sys
db = sqlite3.connect(":memory:"); db.enable_load_extension(True); db.load_extension("./mpg")
for sql in sys.argv[1:]:
    try: print(*(str(value) for row in db.execute(sql) for value in row), sep="|")
    except sqlite3.OperationalError as error: print(error)"""
        issues = "SELECT source, severity, detail FROM mpg_issues WHERE kind IN ('unreadable_file', 'ignored_file') ORDER BY source"
        statements = (
            "SELECT count(DISTINCT job) FROM trace_rollup('.')",
            issues,
            "SELECT count(DISTINCT job) FROM trace_rollup('**')",
            "SELECT file, reason FROM trace_sources('.') WHERE format IS NULL",
            "SELECT 1 FROM trace_rollup('.') WHERE on_error = 'stop'",
            "SELECT 1 FROM trace_rollup('run*')",
            "SELECT 1 FROM trace_rollup('lost+found')",
            "SELECT 1 FROM trace_rollup('lost+found/*')",
            "SELECT count(*) FROM csv_trace('.')",
            "SELECT count(*) FROM trace_files('.')",
        )
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        done = subprocess.run(
            [sys.executable, "-c", script, *statements],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
            **options,
        )
        denied = "cannot open: Permission denied"
        closed = "cannot open the folder: Permission denied"
        listed = [
            ("./lost+found/", "data_loss", closed),
            ("./mpg.so", "info", "no known format begins like this"),
            ("./run.jsonl", "data_loss", denied),
            ("./run.log.gz", "data_loss", denied),
            ("./sacct.psv", "data_loss", denied),
        ]
        flat = lambda rows: "|".join(word for row in rows for word in row)
        got = done.stdout.splitlines()
        jobs = got.pop(0)
        self.assertGreater(int(jobs), 5)
        self.assertEqual(
            [
                flat(listed),
                jobs,
                flat((name, ("" if kind == "info" else "cannot be read: ") + why) for name, kind, why in listed),
                f"trace_rollup: ./run.jsonl: {denied}",
                f"trace_rollup: run.jsonl: {denied} (and 1 more that cannot be read)",
                f"trace_rollup: lost+found/: {closed}",
                "trace_rollup: lost+found/*: cannot stat: Permission denied",
                f"csv_trace: ./lost+found/: {closed}",
                f"trace_files: ./lost+found/: {closed}",
            ],
            got,
        )

    def test_a_file_that_vanishes(self):
        """After its name was read, and before it is opened."""
        for i in range(3):
            self.file("a\n" + "1\n" * 10, f"{i}.csv")
        rows = connect().execute(f"SELECT * FROM csv_trace({quote(self.folder)})")
        rows.fetchone()
        os.remove(self.path("2.csv"))
        with self.assertRaisesRegex(
            sqlite3.OperationalError, f"^csv_trace: {self.path('2.csv')}: cannot open: No such file or directory$"
        ):
            rows.fetchall()


class Changes(Case):
    """Files that grow, shrink or are replaced while they are read. Whatever was read was there."""

    N = 200_000

    def lines(self, table, n):
        return "id\n" * (table == "csv_trace") + "".join(
            f"{i:07}\n" if table == "csv_trace" else f'{{"id":"{i:07}"}}\n' for i in range(n)
        )

    def ids(self, rows):
        return [json.loads(row[0])["id"] for row in rows]

    def test_growth(self):
        for table in ("csv_trace", "jsonl_trace"):
            path = self.file(self.lines(table, self.N), "grows")
            rows = connect().execute(f"SELECT record FROM {table}({quote(path)})")
            found = self.ids([rows.fetchone()])
            more = self.lines(table, self.N + 1000)[os.path.getsize(path) :]
            with open(path, "a") as file:
                file.write(more[:-3])  # its last record is still being written
            found += self.ids(rows.fetchall())
            self.assertEqual([f"{i:07}" for i in range(len(found))][:-1], found[:-1])
            self.assertTrue(found[-1].startswith(f"{len(found) - 1:07}"[:5]))
            self.assertGreaterEqual(len(found), self.N)

    def test_truncation(self):
        for table in ("csv_trace", "jsonl_trace"):
            path = self.file(self.lines(table, self.N), "shrinks")
            rows = connect().execute(f"SELECT record FROM {table}({quote(path)})")
            found = self.ids([rows.fetchone()])
            os.truncate(path, os.path.getsize(path) // 2)
            found += self.ids(rows.fetchall())
            expected = [f"{i:07}" for i in range(len(found))]
            self.assertEqual(expected[:-1], found[:-1])
            if table == "csv_trace":  # whose last line needs no end
                self.assertTrue(expected[-1].startswith(found[-1]))
            else:
                self.assertEqual(expected, found)
            self.assertLess(len(found), self.N)

    def test_truncation_of_what_is_packed(self):
        path = self.file(gzip.compress(os.urandom(3_000_000).hex().encode()), "packed.gz")
        rows = connect().execute(f"SELECT length(text) FROM log_trace({quote(path)}, '(?<x>.)')")
        os.truncate(path, os.path.getsize(path) // 2)
        with self.assertRaisesRegex(sqlite3.OperationalError, "packed.gz: truncated gzip stream"):
            rows.fetchall()
            connect().execute(f"SELECT length(text) FROM log_trace({quote(path)}, '(?<x>.)')").fetchall()

    def test_replacement(self):
        """A scan goes on with the file that it opened; the next one, of the same statement, reads the other."""
        path = self.file(self.lines("csv_trace", self.N), "a.csv")
        db = connect()
        sql = f"SELECT record FROM csv_trace({quote(path)})"
        rows = db.execute(sql)
        rows.fetchone()
        os.replace(self.file("id\nother\n", "b.csv"), path)
        self.assertEqual(self.N - 1, len(rows.fetchall()))
        self.assertEqual(["other"], self.ids(db.execute(sql).fetchall()))
        joined = db.execute(f"SELECT a.record FROM csv_trace({quote(path)}) a, csv_trace({quote(path)}) b").fetchall()
        self.assertEqual(["other"], self.ids(joined))

    def test_a_writer_that_never_stops(self):
        """Growth is read to the end that there is; a writer that is quicker than the reader can be interrupted."""
        path = self.file("id\n", "endless.csv")
        stop = threading.Event()

        def write():
            with open(path, "a") as file:
                while not stop.is_set() and file.tell() < 1 << 28:
                    file.write("0000000\n" * 4096)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            db = connect()
            start = time.monotonic()
            db.set_progress_handler(lambda: time.monotonic() - start > 0.5, 100)
            try:
                db.execute(f"SELECT count(*) FROM csv_trace({quote(path)})").fetchall()
            except sqlite3.OperationalError as error:
                self.assertEqual("interrupted", str(error))
        finally:
            stop.set()
            writer.join()


if __name__ == "__main__":
    if sys.argv[1:] == ["--sweep"]:
        print(json.dumps(sweep(*json.load(sys.stdin))))
    else:
        unittest.main()
