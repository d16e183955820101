#!/usr/bin/python3
"""driver_isql.py - answers queries.sql through unixODBC's isql: driver_isql.py EXTENSION QUERIES; see docs/clients.md.

isql prints every value as text, of NULL nothing, and of more than 300 bytes the first 300: so each column goes through
quote(), which writes literals, and rows come in pieces. A query is one line to it.
"""
import sys

from literals import Conversation, answers, split

COLUMN, ROW = (
    "\x1f",
    "\x1e",
)  # between columns and behind rows, since text may hold line breaks and any separator in print
PIECE, LONGEST = 70, 2800  # characters of a row
isql = Conversation(
    ["isql", "-b", "-v", "-c", "-x0x1f", "-k", f"Driver=SQLite3;Database=:memory:;LoadExt={sys.argv[1]}"]
)


def said_to(query):
    said = isql.ask(query, 'SELECT 1 AS "%s" WHERE 0')
    if "[ISQL]ERROR" in said:
        raise RuntimeError(said)
    return said


def ask(query):
    query = query.rstrip(";\n").replace("\n", " ")
    columns = said_to(f"SELECT * FROM ({query}) LIMIT 0").rstrip("\n").split(COLUMN)
    quoted = " || ',' || ".join(f'quote("{column}")' for column in columns)
    pieces = ", ".join(f"substr(row, {start}, {PIECE}) AS p{start}" for start in range(1, LONGEST, PIECE))
    said = said_to(f"SELECT {pieces} FROM (SELECT {quoted} || char({ord(ROW)}) AS row FROM ({query}))")
    rows = said.partition("\n")[2].replace(COLUMN, "").split(ROW + "\n")
    if rows.pop():
        raise SystemExit(f"a row is longer than {LONGEST}: {query}")
    return [f"'{column}'" for column in columns], [split(row) for row in rows]


answers(sys.argv[2], ask)
