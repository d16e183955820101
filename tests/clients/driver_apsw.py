#!/usr/bin/python3
"""driver_apsw.py - answers queries.sql through apsw: driver_apsw.py EXTENSION QUERIES; see docs/clients.md."""
import json
import sys

import apsw

db = apsw.Connection(":memory:")
db.enableloadextension(True)
db.loadextension(sys.argv[1])


def plain(value):
    return {"blob": value.hex()} if isinstance(value, bytes) else value


last = ()
with open(sys.argv[2], encoding="utf-8") as file:
    queries = file.read().split("\n-- ")[1:]
for name, query in (text.split("\n", 1) for text in queries):
    columns = []  # a cursor of apsw forgets them once it is done, and tells them of an empty result to a tracer only

    def traced(cursor, statement, bindings):
        columns[:] = [column for column, _ in cursor.getdescription()]
        return True

    cursor = db.cursor()
    cursor.setexectrace(traced)
    try:
        rows = cursor.execute(query, last if "?1" in query else ()).fetchall()
        last = rows[-1] if rows else last
        answer = {"columns": columns, "rows": [[plain(v) for v in row] for row in rows]}
    except apsw.Error as error:
        answer = {"error": str(error)}
    print(json.dumps({"name": name, **answer}, ensure_ascii=False).replace("Infinity", "1e999"))
