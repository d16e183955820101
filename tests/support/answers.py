"""What the tests of sql/build.sql and of the questions share: a fleet built into tables, and a question asked of it.

A question is one file of sql/questions or sql/report. Its header is parsed here too, once for the tests, the lint and the docs.
"""

import glob
import os
import re
import sqlite3

from fleets import ROOT, connect
from scripts import script_text
from table_functions import of_text

FOLDERS = ("questions", "report")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


BUILD = script_text("sql/build.sql")


def paths(folder):
    return sorted(glob.glob(f"sql/{folder}/*.sql", root_dir=ROOT))


def build(db, config):
    """Runs build.sql as any client can: a script, its inputs in mpg_config."""
    db.execute("CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT)")
    db.executemany("INSERT OR REPLACE INTO mpg_config VALUES (?, ?)", config.items())
    db.commit()
    db.executescript(BUILD)


def built(trace, path=":memory:", **config):
    """A connection without the extension to a fleet that mpg_build has made."""
    loaded = connect()
    loaded.execute("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT)")
    loaded.executemany("INSERT INTO mpg_config VALUES (?, ?)", config.items())
    loaded.commit()
    loaded.execute("SELECT mpg_build(?)", (trace,)).fetchall()
    plain = sqlite3.connect(path)
    loaded.backup(plain)
    loaded.close()
    return plain


class Question:
    """A file's header: what it is for, its inputs, its columns, its basis."""

    HEAD = re.compile(r"\A-- (\S+) - (.*)\n((?:--.*\n)+)")
    SECTION = re.compile(r"^-- (Basis|Needs): (.*)$", re.M)

    def __init__(self, path):
        self.path, self.text = path, text_of(path)
        head = self.HEAD.match(self.text)
        assert head, f"{path}: expected a header '-- NAME - purpose', then its sections"
        self.name, self.purpose = head[1], head[2]
        self.sql = self.text[head.end() :]
        self.sections = dict(self.SECTION.findall(head[3]))
        declared = of_text(path, head[3])
        self.inputs = [(parameter, text) for _, parameter, _, text in declared.arguments]
        self.columns = [(name, unit or "text", text) for name, _, unit, text in declared.columns]
        self.basis, self.needs = self.sections.get("Basis"), self.sections.get("Needs")

    @property
    def bare(self):
        """The statement without comments and the texts in it."""
        return re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"--.*", "", self.sql))

    @property
    def parameters(self):
        return sorted(set(re.findall(r":[a-z_]+", self.bare)))

    def ask(self, db, **given):
        """Rows as dicts; inputs that are not given are NULL."""
        values = {name[1:]: given.get(name[1:]) for name in self.parameters}
        assert set(given) <= set(values), given
        cursor = db.execute(self.sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


def question(name, folder="questions"):
    return Question(f"sql/{folder}/{name}.sql")
