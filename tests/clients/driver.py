#!/usr/bin/python3
"""driver.py - answers queries.sql through Python's own sqlite3. As every driver here: EXTENSION QUERIES; see docs/clients.md."""
import json
import sqlite3
import sys

db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])


def plain(value):
    return {"blob": value.hex()} if isinstance(value, bytes) else value


last = ()
with open(sys.argv[2], encoding="utf-8") as file:
    queries = file.read().split("\n-- ")[1:]
for name, query in (text.split("\n", 1) for text in queries):
    try:
        found = db.execute(query, last if "?1" in query else ())
        rows = found.fetchall()
        last = rows[-1] if rows else last
        answer = {"columns": [c[0] for c in found.description], "rows": [[plain(v) for v in row] for row in rows]}
    except sqlite3.Error as error:
        answer = {"error": str(error)}
    print(json.dumps({"name": name, **answer}, ensure_ascii=False).replace("Infinity", "1e999"))
