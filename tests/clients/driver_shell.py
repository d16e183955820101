#!/usr/bin/python3
"""driver_shell.py - answers queries.sql through the sqlite3 shell: driver_shell.py EXTENSION QUERIES; see docs/clients.md."""
import sys

from literals import Conversation, answers, split

ROW = "\x1e"  # between rows, since text may have more than one line


def ask(shell, query):
    said = shell.ask(query, ".print %s")
    *lines, rest = said.split(ROW)
    if rest:
        raise RuntimeError(rest)
    return (split(lines[0]) if lines else []), [split(line) for line in lines[1:]]


shell = Conversation(["sqlite3", "-batch", "-init", "/dev/null", ":memory:"])
print(shell.ask(f".load {sys.argv[1]}\n.mode quote\n.headers on\n.separator , {ROW}", ".print %s"), end="")
answers(sys.argv[2], lambda query: ask(shell, query))
