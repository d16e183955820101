"""The wheel of `make wheel`, installed by pip into a bare venv; what it says of itself; and the notebook of docs, by the plain interpreter.

MPG_WRITE_DOCS=1 writes what the notebook's cells print into it."""

import base64
import csv
import glob
import hashlib
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
import zipfile

from fleets import ROOT, connect

TARGETS = ["mpg.so", "wheel"]
PYTHON = "/usr/bin/python3"
NOTEBOOK = os.path.join(ROOT, "docs", "fleet.ipynb")
FIVE = """
import sqlite3, sqlite_mpg
db = sqlite3.connect(":memory:")
sqlite_mpg.load(db)
for row in db.execute("SELECT pool, mpg_lower(category, chip_us) FROM trace_rollup('fixtures/exports') WHERE category <> 'queued' GROUP BY pool"):
    print(row)
"""
QUERY = "SELECT pool, mpg_lower(category, chip_us) FROM trace_rollup('fixtures/exports') WHERE category <> 'queued' GROUP BY pool"
CLIENTS = {
    "apsw": "import apsw, sqlite_mpg; db = apsw.Connection(':memory:'); sqlite_mpg.load(db); print(list(db.cursor().execute(QUERY)))",
    "pandas": "import pandas, sqlite3, sqlite_mpg; db = sqlite3.connect(':memory:'); sqlite_mpg.load(db); "
    "print(list(pandas.read_sql_query(QUERY, db).itertuples(index=False, name=None)))",
    "sqlalchemy": "import sqlalchemy, sqlite_mpg; engine = sqlalchemy.create_engine('sqlite://'); "
    "sqlalchemy.event.listen(engine, 'connect', lambda connection, _: sqlite_mpg.load(connection)); "
    "print([tuple(row) for row in engine.connect().execute(sqlalchemy.text(QUERY))])",
    # What datasette --load-extension does with the path.
    "datasette": "import sqlite3, sqlite_mpg; db = sqlite3.connect(':memory:', check_same_thread=False); db.enable_load_extension(True); "
    "db.execute('SELECT load_extension(?)', [sqlite_mpg.loadable_path()]); print(db.execute(QUERY).fetchall())",
}


def run(*command, cwd=ROOT, **environment):
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHONPATH")}
    done = subprocess.run(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**clean, **environment},
        check=False,
    )
    if done.returncode:
        raise AssertionError(
            f"{' '.join(command)[:500]} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def wheel():
    paths = glob.glob(os.path.join(ROOT, "dist", "sqlite_mpg-*.whl"))
    return max(paths, key=os.path.getmtime)


class Wheel(unittest.TestCase):
    def test_what_it_says(self):
        with zipfile.ZipFile(wheel()) as file:
            names = file.namelist()
            text = {os.path.basename(name): file.read(name).decode() for name in names if ".dist-info/" in name}
            record = list(csv.reader(io.StringIO(text["RECORD"])))
            self.assertEqual(sorted(names), sorted(row[0] for row in record))
            for name, digest, size in record:
                if not name.endswith("/RECORD"):
                    data = file.read(name)
                    self.assertEqual(int(size), len(data))
                    self.assertEqual(
                        digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                    )
        tag = re.search(r"-(py3-none-manylinux_2_28_\w+)\.whl$", wheel())[1]
        self.assertIn(f"Tag: {tag}\n", text["WHEEL"])
        version = connect().execute("SELECT mpg_version()").fetchone()[0]
        for line in ("Name: sqlite-mpg", f"Version: {version}", "License: Apache-2.0", "Requires-Python: >=3.8"):
            self.assertIn(line + "\n", text["METADATA"])
        self.assertIn("Apache", text["LICENSE"])
        self.assertIn("PCRE2", text["licences.txt"])

    def test_the_same_bytes(self):
        with open(wheel(), "rb") as file:
            before = file.read()
        run("make", "-s", "--no-print-directory", "wheel")
        with open(wheel(), "rb") as file:
            self.assertTrue(before == file.read())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            run(PYTHON, "-m", "pip", "--version")
        except AssertionError:
            raise unittest.SkipTest("no pip here") from None
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.venv = os.path.join(cls.folder.name, "venv")
        run(PYTHON, "-m", "venv", "--without-pip", cls.venv)
        cls.python = os.path.join(cls.venv, "bin", "python")
        run(PYTHON, "-m", "pip", "--python", cls.python, "install", "--quiet", "--no-index", "--no-cache-dir", wheel())
        cls.packages = glob.glob(f"{cls.venv}/lib/python3*/site-packages")[0]
        cls.expected = connect().execute(QUERY.replace("'fixtures", f"'{ROOT}/fixtures")).fetchall()

    def test_five_lines(self):
        self.assertGreater(len(self.expected), 0)
        self.assertEqual("".join(f"{row}\n" for row in self.expected), run(self.python, "-c", FIVE))

    def test_other_clients(self):
        for client, program in CLIENTS.items():
            with self.subTest(client):
                module = "sqlite3" if client == "datasette" else client
                if subprocess.run(
                    [PYTHON, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False
                ).returncode:
                    self.skipTest(f"no {client} here")
                said = run(PYTHON, "-c", f"QUERY = {QUERY!r}\n{program}", PYTHONPATH=self.packages)
                self.assertEqual(f"{self.expected}\n", said)

    def test_what_cannot_load(self):
        said = run(
            self.python, "-c", "import sqlite_mpg\ntry: sqlite_mpg.load(7)\nexcept TypeError as error: print(error)"
        )
        self.assertRegex(said, "^sqlite_mpg.load: expected a connection of sqlite3 or apsw .*, found builtins.int;")

    def test_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            run(
                self.python,
                "-c",
                "import sqlite3, sqlite_mpg; db = sqlite3.connect('fleet.db'); sqlite_mpg.load(db); "
                f"sqlite_mpg.build(db, {ROOT + '/fixtures/exports'!r})",
                cwd=folder,
            )
            run(self.python, "-m", "sqlite_mpg.report", "fleet.db", "-o", "module.html", cwd=folder)
            run(os.path.join(self.venv, "bin", "mpg-report"), "fleet.db", "-o", "script.html", cwd=folder)
            with open(f"{folder}/module.html", encoding="utf-8") as module, open(
                f"{folder}/script.html", encoding="utf-8"
            ) as script:
                page = module.read()
                self.assertEqual(page, script.read())
            self.assertIn("Where the chip-hours went", page)
            self.assertIn("class Page", page)

    def test_every_function_has_types_and_a_docstring(self):
        program = (
            "import inspect, sqlite_mpg, typing\n"
            "for name in sqlite_mpg.__all__:\n"
            "    f = getattr(sqlite_mpg, name)\n"
            "    print(name, bool(f.__doc__), set(inspect.signature(f).parameters) | {'return'} == set(typing.get_type_hints(f)))"
        )
        self.assertEqual(
            "load True True\nloadable_path True True\nbuild True True\nprogress True True\n",
            run(self.python, "-c", program),
        )
        self.assertTrue(os.path.exists(f"{self.packages}/sqlite_mpg/py.typed"))

    def test_the_notebook(self):
        """Its cells one after the other; the folder is this repository's."""
        if subprocess.run(
            [PYTHON, "-c", "import pandas, matplotlib"], stderr=subprocess.DEVNULL, check=False
        ).returncode:
            self.skipTest("no pandas or matplotlib here")
        with open(NOTEBOOK, encoding="utf-8") as file:
            notebook = json.load(file)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        with tempfile.TemporaryDirectory() as folder:
            chart = os.path.join(folder, "chart.svg")
            program = "\n".join("".join(cell["source"]) + "\nprint('----')" for cell in cells)
            said = run(
                PYTHON,
                "-c",
                program,
                cwd=os.path.join(ROOT, "docs"),
                PYTHONPATH=self.packages,
                MPG_CHART=chart,
                MPLCONFIGDIR=folder,
            )
            parts = [part.strip() for part in said.split("----\n")]
            if os.environ.get("MPG_WRITE_DOCS"):
                for cell, part in zip(cells, parts):
                    cell["outputs"] = (
                        [{"name": "stdout", "output_type": "stream", "text": (part + "\n").splitlines(keepends=True)}]
                        if part
                        else []
                    )
                with open(NOTEBOOK, "w", encoding="utf-8") as file:
                    json.dump(notebook, file, indent=1, ensure_ascii=False)
                    file.write("\n")
            stored = ["".join(line for output in cell["outputs"] for line in output["text"]).strip() for cell in cells]
            self.assertEqual(stored, parts[: len(stored)])
            with open(chart, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())


if __name__ == "__main__":
    unittest.main()
