#!/usr/bin/python3
"""driver_pandas.py - answers queries.sql through pandas' read_sql_query: driver_pandas.py EXTENSION QUERIES; see docs/clients.md."""
import json
import sqlite3
import sys

import numpy
import pandas

db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])


def plain(value):
    """What a cell of a frame holds, as Python has it: parameters have to be that, too."""
    if isinstance(value, numpy.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def shown(value):
    return {"blob": value.hex()} if isinstance(value, bytes) else value


last = ()
with open(sys.argv[2], encoding="utf-8") as file:
    queries = file.read().split("\n-- ")[1:]
for name, query in (text.split("\n", 1) for text in queries):
    try:
        # coerce_float would make reals of what is not a number yet; integers beside NULL become reals in any case.
        frame = pandas.read_sql_query(query, db, params=last if "?1" in query else None, coerce_float=False)
        rows = [[plain(frame.iloc[i, j]) for j in range(frame.shape[1])] for i in range(len(frame))]
        last = tuple(rows[-1]) if rows else last
        answer = {"columns": list(frame.columns), "rows": [[shown(v) for v in row] for row in rows]}
    except (sqlite3.Error, pandas.errors.DatabaseError) as error:
        answer = {"error": str(error)}
    print(json.dumps({"name": name, **answer}, ensure_ascii=False).replace("Infinity", "1e999"))
