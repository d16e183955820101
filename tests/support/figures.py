#!/usr/bin/python3
"""Figures of test runs: kept in build/figures as they are made, and written into docs/reliability.md by this script.

A test calls record("fleets", {...}); a block of the page that begins with `<!-- figures: NAME -->` and ends with `<!-- end -->`
is made of what was recorded under that name. One without a record stays as it is: nobody runs everything every day. For the same
reason rows of SINGLE, whose first columns name what runs by itself, stay until that is recorded again; they are in the order of these.
"""
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "figures")
PAGE = os.path.join(ROOT, "docs", "reliability.md")
SINGLE = {"steps": 1, "huge": 1, "processors": 1, "roots": 1}  # columns that name a row
WIDEST = {"interrupt": 4, "long_records": 4}  # rows that the page shows of these: those with the widest gaps
BLOCK = re.compile(r"(?<=<!-- figures: )(\w+)( -->\n)(.*?)(?=<!-- end -->\n)", re.S)


def record(name, value):
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name + ".json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
    os.replace(path + ".new", path)


def recorded(name):
    try:
        with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def shown(value):
    return f"{value:,}" if isinstance(value, int) else str(value)


def widest(rows, most):
    """The rows with the widest gaps, and how many others there are."""
    ordered = sorted(rows, key=lambda row: -float(row["widest gap"].split()[0]))
    others = {name: "" for name in rows[0]} | {list(rows[0])[0]: f"{len(rows) - most} others"}
    return ordered[:most] + [others] * (len(rows) > most)


def lines(value):
    """(the head, the rows): a table of a list of objects with the same keys, a list of one object."""
    if isinstance(value, dict):
        return [], [f"- {key}: {shown(figure)}" for key, figure in value.items()]
    names = list(value[0])
    head = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return head, ["| " + " | ".join(shown(row[name]) for name in names) + " |" for row in value]


def key(row, columns):
    return tuple(cell.strip() for cell in row.split("|")[1 : 1 + columns]) or row.partition(": ")[0]


def main():
    def replaced(match):
        value = recorded(match[1])
        if not value:
            return match[0]
        if match[1] in WIDEST:
            value = widest(value, WIDEST[match[1]])
        (head, rows), columns = lines(value), SINGLE.get(match[1])
        if columns:
            of = {key(row, columns): row for row in match[3].splitlines()[len(head) :]}
            of.update((key(row, columns), row) for row in rows)
            rows = sorted(of.values(), key=lambda row: re.sub(r"\d+", lambda digits: digits[0].zfill(9), row))
        return match[1] + match[2] + "\n".join(head + rows) + "\n"

    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(BLOCK.sub(replaced, text))


if __name__ == "__main__":
    main()
