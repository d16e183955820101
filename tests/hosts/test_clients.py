"""The same thirty-one queries in every client that can load the extension, every example of docs/clients.md, and a folder
of several formats in any order and packing.

A client that is not here is skipped; with MPG_CLIENTS set, as `make test-clients` does after installing them, it is a failure.
tests/clients/answers.jsonl holds the answers, as the C API gives them to Python; MPG_WRITE_CLIENTS=1 writes it anew.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tongue_case
from fleets import ROOT

HERE = os.path.join("tests", "clients")
PYTHON = "/usr/bin/python3"
JAR = "/usr/share/java/sqlite-jdbc.jar"
NPM = os.path.join("build", "clients")
NODE24 = os.path.join(NPM, "node", "node_modules", ".bin", "node")
BUN = os.path.join(NPM, "bun", "node_modules", ".bin", "bun")

# Client: the command in front of EXTENSION and QUERIES; one that succeeds where the client is; what it cannot give.
CLIENTS = {
    "sqlite3 shell": ([PYTHON, "driver_shell.py"], ["sqlite3", "-version"]),
    "Python": ([PYTHON, "driver.py"], [PYTHON, "-c", "import sqlite3"]),
    "apsw": ([PYTHON, "driver_apsw.py"], [PYTHON, "-c", "import apsw"]),
    "pandas": ([PYTHON, "driver_pandas.py"], [PYTHON, "-c", "import pandas"]),
    "isql": ([PYTHON, "driver_isql.py"], ["sh", "-c", "isql --version && odbcinst -q -d -n SQLite3"]),
    "pyodbc": ([PYTHON, "driver_pyodbc.py"], [PYTHON, "-c", "import pyodbc; assert 'SQLite3' in pyodbc.drivers()"]),
    "JDBC": (["java", "-cp", JAR, "Driver.java"], ["sh", "-c", f"java -version && test -e {JAR}"]),
    "R": (["Rscript", "--vanilla", "driver.R"], ["Rscript", "--vanilla", "-e", "library(RSQLite); library(bit64)"]),
    "Perl": (["perl", "driver.pl"], ["perl", "-MDBD::SQLite", "-e", "1"]),
    "PHP": (
        ["php", "-d", f"sqlite3.extension_dir={ROOT}", "driver.php"],
        ["php", "-r", "exit(class_exists('SQLite3') ? 0 : 1);"],
    ),
    "Tcl": (["tclsh", "driver.tcl"], ["sh", "-c", "echo 'puts [package require sqlite3]' | tclsh | grep -q ."]),
    "Ruby": (["ruby", "driver.rb"], ["ruby", "-rsqlite3", "-e", ""]),
    "better-sqlite3": (
        ["node", "driver.mjs"],
        ["node", "-e", f"require('./{NPM}/better-sqlite3/node_modules/better-sqlite3')(':memory:')"],
    ),
    "node:sqlite": ([NODE24, "driver.mjs"], [NODE24, "-e", "require('node:sqlite')"]),
    "bun:sqlite": ([BUN, "driver.mjs"], [BUN, "--version"]),
}
# What a client makes of a value instead: {query: {column: value}}, each one told of in docs/clients.md.
INSTEAD = {
    "R": {"values": {"least": None}, "values, bound": {"minus_one": None}},  # integer64 has its NA there
    "Tcl": {"values, bound": {"characters": 12}},  # Tcl 8.6 sends a character above U+FFFF as two
}
NO_NAMES_OF_NOTHING = {"sqlite3 shell"}  # prints the columns of a row, and no row has none
REALS_BESIDE_NULL = {"pandas"}  # a column of integers with a NULL in it is of reals
DIGITS = {"pyodbc": 15}  # libsqliteodbc fetches reals as text: of so many, or of 17 where SQLite is newer
PAGE = os.path.join(ROOT, "docs", "clients.md")
EXAMPLE = re.compile(r"^```(sh|python|perl|tcl|ruby|php|r|java|js)\n(.*?)^```\n(?:```\n(.*?)^```\n)?", re.M | re.S)


def run(command, **options):
    return subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        **options,
    )


def is_here(client):
    try:
        return run(CLIENTS[client][1]).returncode == 0
    except FileNotFoundError:
        return False


def require(test, client):
    if not is_here(client):
        if os.environ.get("MPG_CLIENTS"):
            test.fail(f"{client} is not here")
        test.skipTest(f"{client} is not here: make test-clients installs it")


def ask(client, queries=os.path.join(HERE, "queries.sql")):
    """The answers of a client, in their order."""
    command = [os.path.join(HERE, part) if part[:6].lower() == "driver" else part for part in CLIENTS[client][0]]
    library = [client] if "driver.mjs" in CLIENTS[client][0] else []
    done = run([*command, os.path.join(ROOT, "mpg"), queries, *library])
    if done.returncode or done.stderr.strip():
        raise AssertionError(f"{client} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def parsed(text):
    return [json.loads(line) for line in text.splitlines()]


def rounded(client, rows):
    return (
        [[float(f"{v:.{DIGITS[client]}g}") if isinstance(v, float) else v for v in row] for row in rows]
        if client in DIGITS
        else rows
    )


def expected_of(client, answers):
    for answer in answers:
        answer = dict(answer)
        if "rows" in answer:
            instead = INSTEAD.get(client, {}).get(answer["name"], {})
            rows = [
                [instead.get(column, value) for column, value in zip(answer["columns"], row)] for row in answer["rows"]
            ]
            rows = rounded(client, rows)
            if client in REALS_BESIDE_NULL:
                columns = [
                    [float(v) if None in column and isinstance(v, int) else v for v in column] for column in zip(*rows)
                ]
                rows = [list(row) for row in zip(*columns)]
            answer["rows"] = rows
            if client in NO_NAMES_OF_NOTHING and not rows:
                answer["columns"] = []
        yield answer


def found_by(client, *queries):
    return [
        answer | {"rows": rounded(client, answer["rows"])} if "rows" in answer else answer
        for answer in parsed(ask(client, *queries))
    ]


class Clients(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, HERE, "answers.jsonl"), encoding="utf-8") as file:
            cls.answers = parsed(file.read())

    def check(self, client):
        require(self, client)
        found = found_by(client)
        self.assertEqual([answer["name"] for answer in self.answers], [answer["name"] for answer in found])
        for wanted, answer in zip(expected_of(client, self.answers), found):
            with self.subTest(wanted["name"]):
                if "error" in wanted:  # each client has words of its own around those of the extension
                    self.assertIn(wanted["error"], answer["error"])
                else:
                    self.assertEqual(repr(wanted), repr(answer))  # 1 and 1.0 are equal, and not the same

    def test_queries_ask_for_what_they_should(self):
        values = [value for answer in self.answers for row in answer.get("rows", []) for value in row]
        self.assertEqual(31, len(self.answers))
        self.assertTrue(any(answer.get("rows") == [] for answer in self.answers))
        self.assertTrue(any("error" in answer for answer in self.answers))
        for what, is_it in {
            "NULL": lambda v: v is None,
            "infinity": lambda v: v == float("inf"),
            "above 2^53": lambda v: v == 2**53 + 1,
            "UTF-8": lambda v: isinstance(v, str) and "🚀" in v,
            "blob": lambda v: isinstance(v, dict),
        }.items():
            self.assertTrue(any(map(is_it, values)), what)

    def test_answers_are_those_of_the_golden_fleet(self):
        """Whose ledger was worked out by hand."""
        with open(os.path.join(ROOT, "fixtures", "golden-expected.csv"), newline="") as file:
            truth = sorted(
                (row["job"], row["category"], row["cause"], int(row["chip_us"])) for row in csv.DictReader(file)
            )
        answer = next(a for a in self.answers if a["name"] == "categories and causes")
        self.assertEqual(
            truth, sorted((job or "", category, cause or "", us) for job, category, cause, us, _ in answer["rows"])
        )


class AnyTrace(unittest.TestCase):
    """The files of fixtures/exports under other names, in other folders, packed, and with others among them: the same rows everywhere."""

    NAME = "files of other programs"

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, HERE, "answers.jsonl"), encoding="utf-8") as file:
            cls.answer = next(answer for answer in parsed(file.read()) if answer["name"] == cls.NAME)
        with open(os.path.join(ROOT, HERE, "queries.sql"), encoding="utf-8") as file:
            cls.query = next(text for text in file.read().split("\n-- ") if text.startswith(cls.NAME))
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.queries = os.path.join(cls.folder, "queries.sql")
        with open(cls.queries, "w", encoding="utf-8") as file:
            for seed in (1, 2, 3):
                site = os.path.join(cls.folder, str(seed))
                shutil.copytree(
                    os.path.join(ROOT, "fixtures", "exports"), site, ignore=shutil.ignore_patterns("fleet.json")
                )
                tongue_case.scrambled(site, seed)
                with open(site + ".json", "w", encoding="utf-8") as fleet:
                    json.dump({"sources": [{"path": site, "chip": "nvidia-h100-sxm"}]}, fleet)
                file.write("\n-- " + cls.query.replace("fixtures/exports/fleet.json", site + ".json"))

    def check(self, client):
        require(self, client)
        found = found_by(client, self.queries)
        self.assertEqual(3, len(found))
        for answer in found:
            self.assertEqual(repr(list(expected_of(client, [self.answer]))), repr([answer]))

    def test_the_folders_are_what_they_should_be(self):
        names = [name for _, _, files in os.walk(self.folder) for name in files]
        for ending in (".gz", ".zst", ".md", ".bin"):
            self.assertTrue(any(name.endswith(ending) for name in names), ending)


class Page(unittest.TestCase):
    """A section of the page has a client's name, and its examples print what stands below them."""

    maxDiff = None
    LANGUAGES = {
        "sh": ["bash", "-e"],
        "python": [PYTHON],
        "perl": ["perl"],
        "tcl": ["tclsh"],
        "ruby": ["ruby"],
        "java": ["java", "-cp", JAR],
        "r": ["Rscript", "--vanilla"],
        "php": ["php", "-d", f"sqlite3.extension_dir={ROOT}"],
    }
    NODES = {"better-sqlite3": ["node"], "node:sqlite": [NODE24], "bun:sqlite": [BUN]}

    @staticmethod
    def sections():
        with open(PAGE, encoding="utf-8") as file:
            for section in re.split(r"^## ", file.read(), flags=re.M)[1:]:
                yield section.split("\n", 1)

    def test_every_client_has_a_section(self):
        sections = dict(self.sections())
        for client in CLIENTS:
            self.assertIn(client, sections)
            self.assertRegex(sections[client], EXAMPLE)

    def printed(self, client, language, text):
        suffix = {"java": ".java", "js": ".mjs"}.get(language, "")
        place = (
            os.path.join(ROOT, NPM, client) if client == "better-sqlite3" else None
        )  # its module is looked for from there
        with tempfile.TemporaryDirectory(dir=place) as folder:
            path = os.path.join(folder, "Example" + suffix)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = run([*(self.LANGUAGES.get(language) or self.NODES[client]), path])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def check(self, client):
        require(self, client)
        section = dict(self.sections())[client]
        written = section
        for match in EXAMPLE.finditer(section):
            found = self.printed(client, match[1], match[2]).rstrip() + "\n"
            if os.environ.get("MPG_WRITE_DOCS"):
                written = written.replace(match[0], f"```{match[1]}\n{match[2]}```\n```\n{found}```\n")
            else:
                self.assertEqual(match[3], found)
        if written != section:
            with open(PAGE, encoding="utf-8") as file:
                page = file.read()
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(page.replace(section, written))


for client in CLIENTS:
    name = "test_" + re.sub(r"\W", "_", client)
    setattr(Clients, name, lambda self, client=client: self.check(client))
    setattr(AnyTrace, name, lambda self, client=client: self.check(client))
    setattr(Page, name, lambda self, client=client: self.check(client))

if os.environ.get("MPG_WRITE_CLIENTS"):
    with open(os.path.join(ROOT, HERE, "answers.jsonl"), "w", encoding="utf-8") as answers_file:
        answers_file.write(ask("Python"))

if __name__ == "__main__":
    unittest.main()
