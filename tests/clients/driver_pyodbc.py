#!/usr/bin/python3
"""driver_pyodbc.py - answers queries.sql through ODBC as its applications do, by types: driver_pyodbc.py EXTENSION QUERIES.

BigInt tells the driver to call integers 64 bits wide; see docs/clients.md.
"""
import json
import re
import sys

import pyodbc

db = pyodbc.connect(f"Driver=SQLite3;Database=:memory:;LoadExt={sys.argv[1]};BigInt=1", autocommit=True)
# As bytes of UTF-8 in both directions: as UTF-16, text with a character above U+FFFF is spoilt.
db.setdecoding(pyodbc.SQL_CHAR, encoding="utf-8")
db.setdecoding(pyodbc.SQL_WCHAR, encoding="utf-8", ctype=pyodbc.SQL_CHAR)
db.setencoding(encoding="utf-8", ctype=pyodbc.SQL_CHAR)


def plain(value):
    return {"blob": value.hex()} if isinstance(value, (bytes, bytearray)) else value


last = ()
with open(sys.argv[2], encoding="utf-8") as file:
    queries = file.read().split("\n-- ")[1:]
for name, query in (text.split("\n", 1) for text in queries):
    try:
        # ODBC has ? alone, by position.
        parameters = [last[int(n) - 1] for n in re.findall(r"\?(\d)", query)]
        found = db.execute(re.sub(r"\?\d", "?", query), *parameters)
        rows = found.fetchall()
        last = tuple(rows[-1]) if rows else last
        answer = {"columns": [c[0] for c in found.description], "rows": [[plain(v) for v in row] for row in rows]}
    except pyodbc.Error as error:
        answer = {"error": str(error)}
    print(json.dumps({"name": name, **answer}, ensure_ascii=False).replace("Infinity", "1e999"))
