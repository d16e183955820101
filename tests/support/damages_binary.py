"""damages_binary.py - damages of traces that are no text, for the suites of damage_case: rows of SQLite, fields of Protocol Buffers, frames of tfevents.

The kinds are those of damages.py, as far as a row or a message can have them."""

import os
import re
import shutil
import sqlite3
import struct

import tfevents
from damage_case import FIXTURES, Trace
from damages import CENTURY_S, Damage
from xspace import tag, varint

CENTURY_NS = CENTURY_S * 10**9


class Binary(Trace):
    """A trace of one file, made by `write(path)` where fixtures/ has it otherwise."""

    kinds = ()

    def __init__(self, file, ask, write=None, words=(), times=()):
        super().__init__([file], None, ask, words=words, times=times)
        self.kinds = type(self).kinds + (("foreign_word",) if words else ())
        self.write = write

    def place(self, folder):
        path = os.path.join(folder, os.path.basename(self.files[0]))
        if self.write:
            self.write(path)
        else:
            shutil.copy(os.path.join(FIXTURES, self.files[0]), path)
        return path


# ---- SQLite ----


class Database(Binary):
    """Rows of the tables that `tables` matches; `times` are columns in nanoseconds, `pairs` (start, end), `words` (table, column, another's word)."""

    kinds = (
        "field_lost",
        "negated",
        "future",
        "unknown_word",
        "text_for_number",
        "record_lost",
        "record_twice",
        "end_before_start",
        "table_renamed",
        "column_renamed",
    )

    def __init__(self, file, ask, tables, times=("start", "end"), pairs=(("start", "end"),), words=(), write=None):
        super().__init__(file, ask, write, words, times)
        self.tables, self.pairs = re.compile(tables), pairs

    def do_damage(self, folder, kind, rng):
        db = sqlite3.connect(os.path.join(folder, os.path.basename(self.files[0])))
        try:
            return self.changed(db, kind, rng)
        finally:
            db.commit()
            db.close()

    def changed(self, db, kind, rng):
        tables = [
            name
            for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            if self.tables.search(name)
        ]
        sizes = [min(db.execute('SELECT count(*) FROM "%s"' % table).fetchone()[0], 20) for table in tables]
        if not any(sizes):
            return None
        table = rng.choices(tables, sizes)[0]
        columns = [row[1] for row in db.execute('PRAGMA table_info("%s")' % table)]
        if kind == "foreign_word":
            table, column, word = rng.choice(self.words)
            db.execute('UPDATE "%s" SET "%s" = ?' % (table, column), (word,))
            return Damage(None, kind, column, "%s = %s" % (table, word))
        if kind == "table_renamed":
            db.execute("PRAGMA legacy_alter_table = ON")
            db.execute('ALTER TABLE "%s" RENAME TO "%s_V9"' % (table, table))
            return Damage(None, kind, None, table)
        if kind == "column_renamed":
            column = rng.choice(columns)
            db.execute("PRAGMA legacy_alter_table = ON")
            db.execute('ALTER TABLE "%s" RENAME COLUMN "%s" TO "%s_v9"' % (table, column, column))
            return Damage(None, kind, column, table)
        rows = db.execute('SELECT rowid, * FROM "%s"' % table).fetchall()
        rowid, *values = rng.choice(rows)
        return self.changed_row(db, kind, rng, (table, rowid), dict(zip(columns, values)))

    def changed_row(self, db, kind, rng, place, row):
        table, rowid = place
        note = "%s %d: %s" % (table, rowid, row)
        if kind == "record_lost":
            db.execute('DELETE FROM "%s" WHERE rowid = ?' % table, (rowid,))
            return Damage(None, kind, None, note)
        if kind == "record_twice":
            keys = {info[1] for info in db.execute('PRAGMA table_info("%s")' % table) if info[5]}
            names = [name for name in row if name not in keys]
            try:
                db.execute(
                    'INSERT INTO "%s"(%s) VALUES (%s)'
                    % (table, ", ".join('"%s"' % n for n in names), ", ".join("?" * len(names))),
                    [row[n] for n in names],
                )
            except sqlite3.IntegrityError:
                return None
            return Damage(None, kind, None, note)
        if kind == "end_before_start":
            fit = [
                (a, b) for a, b in self.pairs if row.get(a) is not None and row.get(b) is not None and row[a] != row[b]
            ]
            if not fit:
                return None
            a, b = rng.choice(fit)
            db.execute('UPDATE "%s" SET "%s" = ?, "%s" = ? WHERE rowid = ?' % (table, a, b), (row[b], row[a], rowid))
            return Damage(None, kind, a, note)
        change = {
            "field_lost": lambda name, v: None if v is None else (None,),
            "negated": lambda name, v: (-v,) if isinstance(v, (int, float)) and v else None,
            "future": lambda name, v: (v + CENTURY_NS,) if name in self.times and isinstance(v, int) else None,
            "unknown_word": lambda name, v: ("frobnicated",) if isinstance(v, str) and v else None,
            "text_for_number": lambda name, v: ("many",) if isinstance(v, (int, float)) else None,
        }[kind]
        fit = [(name, change(name, value)) for name, value in row.items() if change(name, value)]
        if not fit:
            return None
        name, new = rng.choice(fit)
        try:
            db.execute('UPDATE "%s" SET "%s" = ? WHERE rowid = ?' % (table, name), (*new, rowid))
        except sqlite3.IntegrityError:
            return None
        return Damage(None, kind, name, note)


# ---- Protocol Buffers ----


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def decode(data, tree):
    """[number, wire type, value] of each field; those that `tree` has by their number are messages: lists of the same."""
    out, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = read_varint(data, at)
        elif wire == 2:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
            value = decode(value, tree[number]) if number in tree else value
        else:
            size = 8 if wire == 1 else 4
            value, at = data[at : at + size], at + size
        out.append([number, wire, value])
    return out


def encode(fields):
    out = []
    for number, wire, value in fields:
        data = encode(value) if isinstance(value, list) else value
        out.append(tag(number, wire) + (varint(data) if wire == 0 else varint(len(data)) + data if wire == 2 else data))
    return b"".join(out)


def places(fields, tree, path=()):
    """(fields, index, path) of each message below, by the numbers that lead to it."""
    for i, (number, _, value) in enumerate(fields):
        if number in tree:
            yield fields, i, path + (number,)
            yield from places(value, tree[number], path + (number,))


class Messages(Binary):
    """Messages of the fields that `tree` leads to (number: tree of those in it). `times` has by the path of a message and the number of a field how
    many of its units a second has."""

    kinds = (
        "field_lost",
        "field_twice",
        "negated",
        "future",
        "unknown_word",
        "record_lost",
        "record_twice",
        "record_moved",
        "fields_reordered",
        "mark_lost",
    )

    def __init__(self, file, ask, tree, times=(), write=None):
        super().__init__(file, ask, write, times=dict(times))
        self.tree = tree

    def load(self, data):
        return decode(data, self.tree)

    def dump(self, fields):
        return encode(fields)

    def do_damage(self, folder, kind, rng):
        path = os.path.join(folder, os.path.basename(self.files[0]))
        with open(path, "rb") as file:
            data = file.read()
        fields = self.load(data)
        found = list(places(fields, self.tree))
        by_path = sorted({place[2] for place in found})
        chosen = rng.choice(by_path)  # of each kind of message as often
        damage = self.changed(kind, rng, rng.choice([place for place in found if place[2] == chosen]))
        out = self.dump(fields)
        if not damage or out == data:
            return None
        with open(path, "wb") as file:
            file.write(out)
        return damage

    def changed(self, kind, rng, place):
        siblings, i, path = place
        record = siblings[i][2]
        name, note = "/".join(map(str, path)), repr(record)[:300]
        if kind == "record_lost":
            del siblings[i]
        elif kind == "record_twice":
            siblings.insert(i, [siblings[i][0], 2, decode(encode(record), {})])
        elif kind == "record_moved":
            siblings.insert(rng.randrange(len(siblings)), siblings.pop(i))
        elif kind == "fields_reordered":
            rng.shuffle(record)
        elif kind == "mark_lost":  # a message that is another field's
            siblings[i][0] = 200
        else:
            changes = [
                (field, new) for field in record for new in [self.new_value(kind, path, field)] if new is not None
            ]
            if not changes:
                return None
            field, new = rng.choice(changes)
            name += "/%d" % field[0]
            if kind == "field_lost":
                record.remove(field)
            elif kind == "field_twice":
                record.insert(record.index(field), list(field))
            else:
                field[2] = new
        return Damage(None, kind, name, note)

    def new_value(self, kind, path, field):
        number, wire, value = field
        if isinstance(value, list):
            return None
        if kind in ("field_lost", "field_twice"):
            return value
        if kind == "negated":
            return (-value) & (2**64 - 1) if wire == 0 and value else None
        if kind == "unknown_word":
            return b"frobnicated" if wire == 2 and re.fullmatch(rb"[ -~]+", value) else None
        unit = self.times.get((*path, number))
        if unit is None:
            return None
        return (
            value + CENTURY_S * unit
            if wire == 0
            else struct.pack("<d", struct.unpack("<d", value)[0] + CENTURY_S * unit)
        )


class Frames(Messages):
    """Event files of TensorBoard: the frames are messages of field 1."""

    def load(self, data):
        out, at = [], 0
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            out.append([1, 2, decode(data[at + 12 : at + 12 + size], self.tree[1])])
            at += 16 + size
        return out

    def dump(self, fields):
        return b"".join(tfevents.record(encode(value) if isinstance(value, list) else value) for _, _, value in fields)
