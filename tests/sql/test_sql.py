"""Runs tests/sql/*.test: statements, and the rows or the error that each must give.

A file is blocks, separated by empty lines; lines that begin with # are comments. Its blocks share one
connection, into which the extension is loaded, with the repository root as the working directory. A block is

    file NAME [gzip|zstd] [cut N]     the lines that follow are the file @/NAME, in a folder of this test
                                      alone; of a compressed one the last N bytes are cut off
    setup                             the statements that follow are run, and must succeed
    STATEMENT                         one statement, the rows that it gives, as the shell's list mode shows
    ----                              them, or `error: ` and the exact text. An empty line in the result
    rows                              is written as a dot.

In statements and results @ stands for that folder. A SELECT is run in three modes, which must agree:

    i    as written
    ii   with every table of the extension in FROM replaced by a plain table of the same rows
    iii  with those copies, and all tables of the setup, in a random order

Rows are compared in order where the statement has an ORDER BY, else sorted. Comments of a block that mean something:

    # modes: i, because ...           only these modes
    # plus: COLUMN, ...               run again with these columns' constraints hidden behind a unary plus
"""

import contextlib
import glob
import gzip
import os
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from fleets import ROOT, connect

FILES = sorted(glob.glob(os.path.join(ROOT, "tests", "sql", "*.test")))
TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | [A-Za-z_][A-Za-z0-9_]* | \d[\w.]* | \s+ | .""",
    re.X | re.S,
)
ENDS_FROM = {"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "RETURNING", ";"}


def modules():
    """Names of the tables that the extension adds."""
    plain = sqlite3.connect(":memory:")
    before = {name for name, in plain.execute("SELECT name FROM pragma_module_list")}
    return {name for name, in connect().execute("SELECT name FROM pragma_module_list")} - before


class Block:
    def __init__(self, path, line, lines):
        self.place = f"{os.path.relpath(path, ROOT)}:{line}"
        self.comments = [text[1:].strip() for text in lines if text.startswith("#")]
        self.lines = [text for text in lines if not text.startswith("#")]

    def option(self, name):
        for comment in self.comments:
            if comment.startswith(name + ":"):
                return comment[len(name) + 1 :].strip()
        return None


def blocks(path):
    with open(path, encoding="utf-8") as file:
        gathered, start = [], 1
        for number, text in enumerate([*file.read().split("\n"), ""], 1):
            if text.strip():
                if not gathered:
                    start = number
                gathered.append(text)
            elif gathered:
                block = Block(path, start, gathered)
                if block.lines:
                    yield block
                gathered = []


def shown(value):
    if value is None:
        return ""
    if isinstance(value, float):
        mantissa, e, exponent = ("%.15g" % value).partition("e")
        return (mantissa if re.search("[.n]", mantissa) else mantissa + ".0") + e + exponent
    if isinstance(value, bytes):
        return "X'%s'" % value.hex().upper()
    return str(value)


def tables_in(statement, names):
    """(start, end, text) of every table of the extension that stands in FROM, with its arguments."""
    tokens = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(statement)]
    tokens = [t for t in tokens if not t[0].isspace() and not t[0].startswith(("--", "/*"))]
    found, in_from, expecting = [], [False], False
    i = 0
    while i < len(tokens):
        text, start, end = tokens[i]
        word = text.upper()
        if text == "(":
            in_from.append(expecting)  # FROM (a, b): still tables
        elif text == ")":
            in_from.pop()
            expecting = False
        elif word in ("FROM", "JOIN"):
            in_from[-1] = expecting = True
        elif word in ENDS_FROM or word in ("ON", "USING", "SELECT"):
            expecting = False
            in_from[-1] = in_from[-1] and word in ("ON", "USING")
        elif text == "," and in_from[-1]:
            expecting = True
        elif expecting:
            expecting = False
            if text.lower() in names:
                if i + 1 < len(tokens) and tokens[i + 1][0] == "(":
                    depth, i = 1, i + 1
                    while depth:
                        i += 1
                        depth += {"(": 1, ")": -1}.get(tokens[i][0], 0)
                    end = tokens[i][2]
                found.append((start, end, statement[start:end]))
        i += 1
    return found


def with_copies(db, statement, names, copies, order):
    """The statement over plain tables of the same rows; `copies` remembers those that were made."""
    result, at = [], 0
    for start, end, text in tables_in(statement, names):
        if (text, order) not in copies:
            name = f"copy_{len(copies)}"
            db.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM {text} {order}")
            copies[text, order] = name
        name = copies[text, order]
        alias = re.match(
            r"\s+(AS\s+)?(?!(?:WHERE|GROUP|ORDER|JOIN|LEFT|CROSS|INNER|NATURAL|LIMIT|HAVING|UNION|EXCEPT|INTERSECT|"
            r"WINDOW|ON|USING)\b)[A-Za-z_]",
            statement[end:],
            re.I,
        )
        result += [statement[at:start], name if alias else f"{name} AS {re.match('[A-Za-z_]+', text)[0]}"]
        at = end
    return "".join(result) + statement[at:]


class File:
    """One .test file while it runs."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp()
        self.db = connect()
        self.names = modules()
        self.rng = random.Random(path)

    def close(self):
        self.db.close()
        shutil.rmtree(self.folder)

    def write(self, header, lines):
        match = re.fullmatch(r"file (\S+)(?: (gzip|zstd))?(?: cut (\d+))?", header)
        path = os.path.join(self.folder, match[1])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = "".join(line + "\n" for line in lines).encode()
        if match[2] == "gzip":
            content = gzip.compress(content, mtime=0)
        elif match[2] == "zstd":
            content = subprocess.run(["zstd", "-cq"], input=content, capture_output=True, check=True).stdout
        with open(path, "wb") as file:
            file.write(content[: len(content) - int(match[3] or 0)])

    def run(self, statement):
        try:
            rows = ["|".join(map(shown, row)) for row in self.db.execute(statement.replace("@", self.folder))]
        except sqlite3.Error as error:
            rows = ["error: " + str(error)]
        return [line or "." for line in "\n".join(rows).replace(self.folder, "@").split("\n")] if rows else []

    def shuffle_tables(self):
        tables = self.db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        ).fetchall()
        for (name,) in tables:
            rows = self.db.execute(f'SELECT * FROM main."{name}"').fetchall()
            if rows:
                self.rng.shuffle(rows)
                self.db.execute(f'DELETE FROM main."{name}"')
                self.db.executemany(f'INSERT INTO main."{name}" VALUES ({", ".join("?" * len(rows[0]))})', rows)


class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(contextlib.chdir(ROOT))

    def check_block(self, file, block):
        at = block.lines.index("----") if "----" in block.lines else None
        self.assertIsNotNone(at, "a statement without ----")
        statement = "\n".join(block.lines[:at]).rstrip().rstrip(";")
        expected = block.lines[at + 1 :]
        ordered = re.search(r"\bORDER\s+BY\b", statement, re.I)

        def check(mode, statement):
            found = file.run(statement)
            wanted = expected
            if not ordered and not (expected and expected[0].startswith("error: ")):
                found, wanted = sorted(found), sorted(expected)
            self.assertEqual(wanted, found, f"mode {mode}: {statement}")

        modes = [m.strip() for m in (block.option("modes") or "i, ii, iii").split("because")[0].split(",") if m.strip()]
        check("i", statement)
        for column in filter(None, re.split(r",\s*", block.option("plus") or "")):
            changed = re.sub(
                rf"(?<![\w+.])((?:\w+\.)?{column})(\s*(?:=|<>|<|>|IN\b|IS\b|LIKE\b|BETWEEN\b))",
                r"+\1\2",
                statement,
                flags=re.I,
            )
            self.assertNotEqual(statement, changed, f"plus: {column} is not constrained")
            check("i, plus " + column, changed)
        if not re.match(r"(SELECT|WITH|VALUES)\b", statement, re.I) or (expected and expected[0].startswith("error: ")):
            return
        copies = {}
        file.db.execute("SAVEPOINT modes")
        try:
            if "ii" in modes:
                check("ii", with_copies(file.db, statement.replace("@", file.folder), file.names, copies, ""))
            if "iii" in modes:
                file.shuffle_tables()
                check(
                    "iii",
                    with_copies(file.db, statement.replace("@", file.folder), file.names, copies, "ORDER BY random()"),
                )
        finally:
            file.db.execute("ROLLBACK TO modes")
            file.db.execute("RELEASE modes")

    def check_file(self, path):
        file = File(path)
        try:
            for block in blocks(path):
                with self.subTest(block.place):
                    if block.lines[0].startswith("file "):
                        file.write(block.lines[0], block.lines[1:])
                    elif block.lines[0] == "setup":
                        file.db.executescript("\n".join(block.lines[1:]).replace("@", file.folder))
                    else:
                        self.check_block(file, block)
        finally:
            file.close()

    def test_there_are_files(self):
        self.assertGreater(len(FILES), 3)


for path in FILES:
    name = re.sub(r"\W", "_", os.path.basename(path)[:-5])
    setattr(Golden, "test_" + name, lambda self, path=path: self.check_file(path))


class Tokenizer(unittest.TestCase):
    """The runner's own: what it takes for a table of the extension."""

    def check_found(self, expected, statement):
        self.assertEqual(expected, [text for _, _, text in tables_in(statement, {"vt", "mpg_chips"})])

    def test_finds(self):
        self.check_found(["vt('a')"], "SELECT vt('x') FROM vt('a') WHERE vt = 1")
        self.check_found(["vt(1, f(2))", "mpg_chips"], "SELECT * FROM vt(1, f(2)) AS a JOIN mpg_chips USING (chip)")
        self.check_found(["vt(1)", "vt(2)"], "SELECT * FROM vt(1), (SELECT * FROM vt(2)) WHERE x IN (1, 2)")
        self.check_found(
            ["vt(1)", "vt(2)"], "WITH c AS (SELECT 1 FROM vt(1)) SELECT *, vt FROM t, vt(2) GROUP BY a, vt"
        )
        self.check_found(["mpg_chips"], "SELECT (SELECT max(a) FROM mpg_chips), vt FROM t -- FROM vt(3)")
        self.check_found([], "SELECT 'FROM vt(1)', \"vt\" FROM vtt(1)")


if __name__ == "__main__":
    unittest.main()
