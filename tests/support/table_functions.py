"""The table functions that SQL files declare in their heads: ext/sqlite/recognise/script.h says how."""

import glob
import os
import re

from fleets import ROOT


class Table:
    """A line "--@ table" of a script, with the arguments and columns that belong to it."""

    def __init__(self, path, name, relation, text, shared):
        self.path, self.name, self.relation, self.text = path, name, relation, text
        self.arguments, self.columns = list(shared), []  # of both: tuples of the words of their lines

    @property
    def over_files(self):
        return any(type in ("FILES", "PATH") for _, _, type, _ in self.arguments)

    @property
    def required(self):
        return [name for name, _, type, _ in self.arguments if type in ("FILES", "PATH")]

    @property
    def hidden(self):
        """(name, declared type) of the hidden columns."""
        return [(name, type if type in ("BIGINT", "REAL") else "TEXT") for name, _, type, _ in self.arguments] + (
            [("on_error", "TEXT")] if self.over_files else []
        )

    @property
    def declared(self):
        """As tests/support/contract.py has tables."""
        return ", ".join(
            [f"{name} {type}" for name, type, _, _ in self.columns]
            + [f"{name} {type} hidden".replace("  ", " ") for name, type in self.hidden]
        )


def heads(text):
    """The word and the rest of each line "--@ "."""
    return [line[4:].partition(" ")[::2] for line in text.split("\n") if line.startswith("--@ ")]


def add(table, word, rest):
    if word == "argument":
        table.arguments.append(tuple(rest.split(" ", 3)))
    elif word == "column":
        name, type, unit, text = (rest + " ").split(" ", 3)
        table.columns.append((name, type, "" if unit == "-" else unit.replace("_", " "), text.strip()))


def of_text(path, text):
    """The arguments and columns of a file that has one of each, whether it is a function or not."""
    table = Table(path, "", "-", "", [])
    for word, rest in heads(text):
        add(table, word, rest)
    return table


def of_script(path):
    tables, shared = [], Table(path, "", "-", "", [])
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for word, rest in heads(file.read()):
            if word == "table":
                tables.append(Table(path, *rest.split(" ", 2), shared.arguments))
            else:
                add(tables[-1] if tables else shared, word, rest)
    return tables


def every():
    return [
        table for path in sorted(glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True)) for table in of_script(path)
    ]


def without_outputs(text):
    """A page without what its statements give."""
    return re.sub(r"(^```sql\n.*?^```\n)(?:```\n.*?^```\n)?", r"\1", text, flags=re.M | re.S)
