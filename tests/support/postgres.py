"""Private PostgreSQL servers for tests: nothing is installed, no port is opened, none outlives its test.

A server's programs find their libraries and extensions relative to where they lie, so a tree with copies of the programs,
links to Debian's libraries, and mpg's files beside them is a PostgreSQL of its own. Servers refuse to run as root; then
they run as nobody.
"""

import csv
import glob
import io
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOBODY = 65534
BUILD = os.path.join(ROOT, "build", "postgres")


def pg_config(what):
    return subprocess.run(["pg_config", "--" + what], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def missing():
    """Why there can be no server here, or None."""
    if shutil.which("pg_config") is None:
        return "no pg_config: PostgreSQL's server headers are not installed"
    # Debian's client package has PGXS too, so it tells nothing.
    if not os.path.exists(os.path.join(pg_config("includedir-server"), "postgres.h")):
        return "no postgres.h: postgresql-server-dev is not installed"
    if not os.path.exists(os.path.join(pg_config("bindir"), "initdb")):
        return "no initdb: the PostgreSQL server is not installed"
    return None


def as_nobody():
    if os.getuid() == 0:
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return []


class Tree:
    """The programs, with mpg among their extensions."""

    def __init__(self):
        # COPT are PGXS's last flags of the compiler.
        command = ["make", "-s", "--no-print-directory", "-C", ROOT, "postgres", "COPT=-Werror"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        self.folder = tempfile.mkdtemp(prefix="mpg-postgres-")
        os.chmod(self.folder, 0o755)
        bindir, libdir, sharedir = (pg_config(what) for what in ("bindir", "pkglibdir", "sharedir"))
        self.bin = self.folder + bindir
        shutil.copytree(bindir, self.bin)
        for source in (libdir, sharedir, os.path.join(sharedir, "extension")):
            os.makedirs(self.folder + source, exist_ok=True)
            for entry in os.listdir(source):
                if entry != "extension":
                    os.symlink(os.path.join(source, entry), os.path.join(self.folder + source, entry))
        self.add(os.path.join(BUILD, "mpg.so"), libdir)
        for path in glob.glob(os.path.join(ROOT, "ext", "postgres", "mpg*.sql")) + [
            os.path.join(ROOT, "ext", "postgres", "mpg.control")
        ]:
            self.add(path, os.path.join(sharedir, "extension"))

    def add(self, path, folder):
        target = os.path.join(self.folder + folder, os.path.basename(path))
        if os.path.lexists(target):
            os.remove(target)
        shutil.copy(path, target)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Failed(Exception):
    pass


class Server:
    """One cluster that answers on a socket in its own folder, as the user mpg."""

    def __init__(self, tree, **settings):
        self.tree = tree
        self.folder = tempfile.mkdtemp(prefix="mpg-server-")
        if os.getuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.data = os.path.join(self.folder, "data")
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": self.folder}
        try:
            self.run(["initdb", "-D", self.data, "-U", "mpg", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8"])
            settings = {"listen_addresses": "", "unix_socket_directories": self.folder, "fsync": "off", **settings}
            options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
            self.run(["pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "-o", options, "start"])
        except subprocess.CalledProcessError as error:
            raise Failed(error.stdout) from None

    def run(self, command):
        subprocess.run(
            [*as_nobody(), os.path.join(self.tree.bin, command[0]), *command[1:]],
            check=True,
            cwd="/",
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def shown(self, text, *options, database="postgres"):
        """What psql prints; Failed with the server's message."""
        done = subprocess.run(
            [
                os.path.join(self.tree.bin, "psql"),
                "-X",
                "-q",
                "-v",
                "ON_ERROR_STOP=1",
                *options,
                "-h",
                self.folder,
                "-U",
                "mpg",
                "-d",
                database,
                "-f",
                "-",
            ],
            env=self.environment,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        return done.stdout

    def sql(self, text, database="postgres"):
        """Rows of the last statement as lists of text, NULL as None."""
        rows = list(csv.reader(io.StringIO(self.shown(text, "--csv", "-P", "null=\\N", database=database))))
        return [[None if value == "\\N" else value for value in row] for row in rows[1:]]

    def stop(self):
        try:
            self.run(["pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop"])
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


def started():
    """For all tests of a module: the programs, and a server with the extension in it."""
    without = missing()
    if without:
        raise unittest.SkipTest(without)
    tree = Tree()
    unittest.addModuleCleanup(tree.remove)
    server = Server(tree)
    unittest.addModuleCleanup(server.stop)
    server.sql("CREATE EXTENSION mpg")
    return tree, server
