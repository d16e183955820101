"""versions.py - SQLite from 3.34.0 to the newest that npm has, built here; and mpg.so by several compilers.

npm's better-sqlite3 carries SQLite's source in one file, each of its releases the SQLite of its day. Nothing of it is kept in
the repository: it is fetched into build/versions once.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tarfile

import linked_trees
from fleets import ROOT

FOLDER = os.path.join(ROOT, "build", "versions")
# better-sqlite3: its SQLite. The oldest that mpg loads into, each of its minor releases after that, some with their last mending.
SQLITE = {
    "7.1.2": "3.34.0",
    "7.4.0": "3.35.2",
    "7.4.4": "3.36.0",
    "7.5.0": "3.37.2",
    "7.5.1": "3.38.2",
    "7.6.2": "3.39.1",
    "8.0.0": "3.40.0",
    "8.1.0": "3.40.1",
    "8.2.0": "3.41.0",
    "8.3.0": "3.41.2",
    "8.4.0": "3.42.0",
    "8.6.0": "3.43.0",
    "8.7.0": "3.43.1",
    "9.1.0": "3.44.0",
    "9.2.2": "3.44.2",
    "9.3.0": "3.45.0",
    "9.6.0": "3.45.3",
    "10.1.0": "3.46.0",
    "11.3.0": "3.46.1",
    "11.7.2": "3.47.2",
    "11.8.1": "3.48.0",
    "11.10.0": "3.49.2",
    "12.2.0": "3.50.2",
    "12.4.6": "3.51.0",
    "12.8.0": "3.51.3",
    "12.11.1": "3.53.2",
    "13.2.0": "3.54.1",
}
DEBUG = ("-DSQLITE_DEBUG", "-DSQLITE_ENABLE_API_ARMOR")
DEBIAN = tuple(
    "-DSQLITE_ENABLE_" + what
    for what in (
        "COLUMN_METADATA",
        "DBSTAT_VTAB",
        "FTS5",
        "MATH_FUNCTIONS",
        "PREUPDATE_HOOK",
        "RTREE",
        "SESSION",
        "JSON1",
        "DESERIALIZE",
        "STMTVTAB",
        "UNLOCK_NOTIFY",
    )
)  # what the sqlite3 shell of the system asks for
# How SQLite is built: its own asserts on, as distributions do, and for one thread.
BUILDS = {
    "debug": ("gcc", "-O0", *DEBUG),
    "gcc -O3": ("gcc", "-O3"),
    "clang -O0, one thread": ("clang", "-O0", "-DSQLITE_THREADSAFE=0", *DEBUG),
    "clang -O3, one thread": ("clang", "-O3", "-DSQLITE_THREADSAFE=0"),
}
# How mpg.so is built; None: the one at hand.
EXTENSIONS = {
    "as it is": None,
    "gcc -O0": ("gcc", "-O0"),
    "gcc -O3": ("gcc", "-O3"),
    "clang -O0": ("clang", "-O0"),
    "clang -O3": ("clang", "-O3"),
}


def name_of(text):
    return re.sub(r"\W+", "-", text).strip("-")


def run(command, **options):
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env={**clean, **options.pop("env", {})},
        **options,
    )
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def source(package):
    """The folder with sqlite3.c of a release of better-sqlite3."""
    folder = os.path.join(FOLDER, SQLITE[package])
    if not os.path.exists(os.path.join(folder, "sqlite3.c")):
        os.makedirs(folder, exist_ok=True)
        run(["npm", "pack", "--silent", f"better-sqlite3@{package}"], cwd=folder)
        archive = os.path.join(folder, f"better-sqlite3-{package}.tgz")
        with tarfile.open(archive) as outer, contextlib.ExitStack() as stack:
            names, inner = (
                outer.getnames(),
                "package/deps/sqlite3.tar.gz",
            )  # its first releases have an archive in the archive
            tar = stack.enter_context(tarfile.open(fileobj=outer.extractfile(inner))) if inner in names else outer
            for name in ("sqlite3.h", "sqlite3.c"):
                member = next(path for path in tar.getnames() if os.path.basename(path) == name)
                with tar.extractfile(member) as source_file, open(os.path.join(folder, name), "wb") as file:
                    shutil.copyfileobj(source_file, file)
        os.remove(archive)
    return folder


def library(package, build):
    """The folder with a libsqlite3.so.0, for LD_LIBRARY_PATH."""
    folder = os.path.join(source(package), name_of(build))
    path = os.path.join(folder, "libsqlite3.so.0")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        compiler, *flags = BUILDS[build]
        run(
            [
                compiler,
                *flags,
                "-w",
                "-g1",
                "-fPIC",
                "-shared",
                *DEBIAN,
                "-Wl,-soname,libsqlite3.so.0",
                "-o",
                path + ".new",
                os.path.join(source(package), "sqlite3.c"),
                "-lm",
                "-lpthread",
            ]
        )
        os.rename(path + ".new", path)
    return folder


def tree(extension):
    """A tree as this one, whose mpg.so is built another way: all else in it are links to this one."""
    if EXTENSIONS[extension] is None:
        return ROOT
    compiler, level = EXTENSIONS[extension]
    folder = os.path.join(FOLDER, "mpg-" + name_of(extension))
    linked_trees.links(folder)
    # FORTIFY_SOURCE wants an optimizer.
    run(
        ["make", "-s", "--no-print-directory", "mpg.so", f"CC={compiler}", f"CFLAGS={level} -g"]
        + (["HARDEN="] if level == "-O0" else []),
        cwd=folder,
    )
    return folder
