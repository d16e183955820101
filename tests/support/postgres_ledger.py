"""postgres_ledger.py - a PostgreSQL server with mpg in it, and traces in folders that it may read."""

import os
import shutil
import subprocess
import tempfile
import unittest

import postgres
from fleets import ROOT


def started():
    """For all tests of a module: the server, the folder, and the fixtures in it."""
    global folder
    _, server = postgres.started()
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    folder = scratch.name
    os.chmod(folder, 0o755)  # the server runs as somebody else, who may not look into the repository
    fixtures = os.path.join(folder, "fixtures")
    os.mkdir(fixtures)
    for name in ("exports", "fleet", "golden"):
        shutil.copytree(os.path.join(ROOT, "fixtures", name), os.path.join(fixtures, name))
    shutil.copy(os.path.join(ROOT, "fixtures", "golden.jsonl"), fixtures)
    subprocess.run(["chmod", "-R", "a+rX", fixtures], check=True)
    return server, folder, fixtures


def new_folder():
    path = tempfile.mkdtemp(dir=folder)
    os.chmod(path, 0o755)
    return path


def written(**files):
    path = new_folder()
    for name, text in files.items():
        with open(os.path.join(path, name.replace("__", ".")), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    return path
