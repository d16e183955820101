"""cases.py - what a suite stands on: a connection with the extension, files, and short ways to ask it and to be refused."""

import json
import os
import re
import sqlite3
import tempfile
import unittest

from fleets import connect
from scripts import script_text


def memory(field):
    if os.environ.get("MPG_SANITIZED"):
        raise unittest.SkipTest("AddressSanitizer keeps what was freed")
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(field + r":\s+(\d+)", status.read())[1])


def peak():
    """kB of memory that this process has held at most."""
    return memory("VmHWM")


def held():
    """kB of memory that it holds now."""
    return memory("VmRSS")


class Unset(dict):
    """A parameter that is not given is NULL."""

    def __missing__(self, name):
        return None


class Case(unittest.TestCase):
    maxDiff = None
    FILE = "file"  # the name of a file that is given none: readers go by content, people by names

    def setUp(self):
        self.db = connect()
        self.addCleanup(lambda: self.db.close())  # of the connection that is there in the end

    def rows(self, sql, *parameters):
        return self.db.execute(sql, parameters).fetchall()

    def dicts(self, sql, *parameters):
        cursor = self.db.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def one(self, sql, *parameters):
        """The value where the answer is a single one."""
        ((value,),) = self.rows(sql, *parameters)
        return value

    def error(self, sql, *parameters):
        with self.assertRaises(sqlite3.Error) as caught:
            self.rows(sql, *parameters)
        return str(caught.exception)

    def fails(self, text, sql, *parameters):
        self.assertEqual(text, self.error(sql, *parameters))

    def script(self, name, **parameters):
        """Runs a script of sql/: a statement at a time with its parameters, others NULL, as the shell does; or whole, all NULL, as programs do."""
        text = script_text("sql/" + name)
        if not parameters:
            self.db.executescript(text)
            return
        statement = ""
        for line in text.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self.db.execute(statement, Unset(parameters))
                statement = ""
        self.assertEqual("", statement.strip())

    def new_folder(self):
        """Empty, and gone after the test."""
        return self.enterContext(tempfile.TemporaryDirectory())

    def file(self, content, name=None):
        """The path of a file alone in its folder; of text, of bytes, or of a value as JSON."""
        name = name or self.FILE
        return os.path.join(self.folder_of({name: content}), name)

    def folder_of(self, files):
        """The path of a folder with these files, {name: content as of file()}."""
        folder = self.new_folder()
        for name, content in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(
                    content
                    if isinstance(content, bytes)
                    else (content if isinstance(content, str) else json.dumps(content)).encode()
                )
        return folder

    def issues(self, path):
        return dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path))


class FolderCase(Case):
    """All files of a test are in self.folder."""

    def setUp(self):
        super().setUp()
        self.folder = super().new_folder()

    def new_folder(self):
        return self.folder

    def path(self, name):
        return os.path.join(self.folder, name)
