"""damages.py - damages valid traces at the level of their records, for test_mapping_damage.

A file is parts of text: records, of which each has fields, and what stands between. A damage changes one record (a field lost, twice,
negated, ...), the order or number of records, or the line ends and marks of the whole file."""

import copy
import json
import re

CENTURY_S = 3155760000


class Field:
    """A field of a record: `text` is all of it, `value` the part that tells something."""

    def __init__(self, name, before, value, after=""):
        self.name, self.before, self.value, self.after = name, before, value, after

    def text(self):
        return self.before + self.value + self.after


class Cells:
    """Records that are lines of cells between delimiters, which a line of names may head."""

    def __init__(self, delimiter, names=None):
        self.delimiter, self.names = delimiter, names

    def parse(self, text):
        lines = text.splitlines()
        head = [] if self.names else lines[:1]
        names = self.names or lines[0].split(self.delimiter)
        records = [self.cells(names, line) for line in lines[len(head) :] if line]
        return head, [record for record in records if record], "\n"

    def cells(self, names, line):
        quoted = (
            re.findall(r'(?:"[^"]*"|[^"%s])*(?:%s|$)' % ((re.escape(self.delimiter),) * 2), line)
            if self.delimiter == ","
            else None
        )
        values = (
            [part.rstrip(self.delimiter) for part in quoted][: len(names)] if quoted else line.split(self.delimiter)
        )
        rest = values[len(names) :]  # of lines whose further cells have no names here
        return [Field(name, "", value) for name, value in zip(names, values)] + (
            [Field("", "", self.delimiter.join(rest))] if rest else []
        )

    def join(self, record):
        return self.delimiter.join(field.text() for field in record)

    lost = ""  # what is left of a field that is lost: an empty cell


class Numbers(Cells):
    """Records that are lines of numbers between spaces, after comments."""

    def parse(self, text):
        lines = text.splitlines()
        head = [line for line in lines if line.startswith(";")]
        return (
            head,
            [
                [Field(name, " ", value) for name, value in zip(self.names, line.split())]
                for line in lines
                if line[:1] not in (";", "")
            ],
            "\n",
        )

    def join(self, record):
        return "".join(field.text() for field in record)

    lost = " -1"


class Words:
    """Records that are lines in which a pattern finds fields (groups: name, value); the rest stays where it is."""

    lost = ""

    def __init__(self, pattern, records="."):
        self.pattern, self.records = re.compile(pattern), re.compile(records)

    def parse(self, text):
        records = []
        for line in text.splitlines():
            record, at = [], 0
            if self.records.search(line):
                for found in self.pattern.finditer(line):
                    if found.start() > at:
                        record.append(Field("", line[at : found.start()], ""))
                    value = found.lastgroup if found.lastgroup not in (None, "name") else "value"
                    start, end = found.span(value)
                    name = found["name"] if "name" in found.groupdict() and found["name"] else value
                    record.append(
                        Field(name.strip(), line[found.start() : start], line[start:end], line[end : found.end()])
                    )
                    at = found.end()
            record.append(Field("", line[at:], ""))
            records.append(record)
        return [], records, "\n"

    def join(self, record):
        return "".join(field.text() for field in record)


class Tree:
    """Records that are the objects of the lists `lists` (keys that lead there, * for each) of a document of JSON; a field is a scalar in it."""

    lost = None

    def __init__(self, *lists, lines=False):
        self.lists, self.lines = lists, lines

    def load(self, text):
        if self.lines == "blank":
            decoder, at, found = json.JSONDecoder(), 0, []
            while at < len(text):
                value, at = decoder.raw_decode(text, at)
                found.append(value)
                while at < len(text) and text[at].isspace():
                    at += 1
            return found
        return [json.loads(line) for line in text.splitlines() if line] if self.lines else json.loads(text)

    def dump(self, document):
        return (
            "".join(json.dumps(part) + "\n" for part in document)
            if self.lines
            else json.dumps(document, indent=1) + "\n"
        )

    def all_lists(self, document):
        for path in self.lists:
            found = [document] if path or isinstance(document, list) else [[document]]
            for key in path:
                found = [
                    inner
                    for outer in found
                    for inner in (outer if key == "*" else [outer.get(key)] if isinstance(outer, dict) else [])
                    if inner is not None
                ]
            yield from found


def leaves(node, path=()):
    """The scalars in a record, by the keys that lead there; not those of the lists of objects in it, which are records too."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict) or isinstance(value, list) and value:
            yield from leaves(value, path + (key,))
        elif not isinstance(value, list):
            yield path + (key,)


def at(node, path):
    for key in path:
        node = node[key]
    return node


def later(value, unit=None):
    """A time of a hundred years later, in the form that it has, and the unit (how many a second has), which is guessed from its size if not given; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        year = re.search(r"(19|20)(\d\d)-?\d\d", value) or re.search(r"(19|20)(\d\d)\s*$", value)
        if year and not value.isdigit():
            return value[: year.start(1)] + "21" + value[year.start(2) :]
        us = re.match(r"(\d\d/\d\d/)20(\d\d)", value)
        if us:
            return us[1] + "21" + value[us.start(2) :]
        try:
            return str(later(float(value) if "." in value else int(value), unit))
        except ValueError:
            return None
    unit = unit or (1 if value < 1e11 else 10**3 if value < 1e14 else 10**6 if value < 1e16 else 10**9)
    return value + CENTURY_S * unit


def negated(value):
    if isinstance(value, bool) or value in (None, "", 0, "0"):
        return None
    if isinstance(value, str):
        return "-" + value if re.fullmatch(r"\d[\d.,]*(?:[eE][+-]?\d+)?", value) else None
    return -value if isinstance(value, (int, float)) else None


FIELD_KINDS = ("field_lost", "field_twice", "negated", "future", "unknown_word")
RECORD_KINDS = ("record_lost", "record_twice", "record_moved", "end_before_start", "fields_reordered")
FILE_KINDS = ("cr", "crlf", "bom", "u2028")


def damage_text(text, kind, rng):
    """The line ends and marks of a whole file."""
    if kind == "cr":
        return text.replace("\n", "\r")
    if kind == "crlf":
        return text.replace("\n", "\r\n")
    if kind == "bom":
        return "\ufeff" + text
    places = [i for i, c in enumerate(text) if c == "\n"]
    place = rng.choice(places)
    return text[:place] + "\u2028" + text[place:]


class Damage:
    """What was done, in words, and the text that came of it; None where the kind does not apply."""

    def __init__(self, text, kind, field=None, note=""):
        self.text, self.kind, self.field, self.note = text, kind, field, note
        self.kinds = self.changed = None  # of issues that say so; of figures: what damage_case finds


def damaged(shape, text, kind, rng, times=(), pairs=(), words=()):
    """A Damage of `kind`. `times` are names of fields (their last key in JSON; or name: how many of its units a second has), `pairs` (start, end), `words` (pattern, word of another)."""
    if kind in FILE_KINDS:
        return Damage(damage_text(text, kind, rng), kind) if "\n" in text else None
    if kind == "foreign_word":
        fit = [(p, w) for p, w in words if re.search(p, text)]
        if not fit:
            return None
        pattern, word = rng.choice(fit)
        found = rng.choice(list(re.finditer(pattern, text)))
        once = rng.random() < 0.5
        out = text[: found.start()] + found.expand(word) + text[found.end() :] if once else re.sub(pattern, word, text)
        return Damage(out, kind, word, "%s -> %s %s" % (pattern, word, "once" if once else "all"))
    return (damaged_tree if isinstance(shape, Tree) else damaged_lines)(shape, text, kind, rng, times, pairs)


def damaged_lines(shape, text, kind, rng, times, pairs):
    head, records, end = shape.parse(text)
    place = rng.randrange(len(records))
    record = records[place]
    named = [i for i, f in enumerate(record) if f.name and f.value != ""]
    name = None
    if kind == "record_lost":
        del records[place]
    elif kind == "record_twice":
        records.insert(place, copy.deepcopy(record))
    elif kind == "record_moved":
        records.insert(rng.randrange(len(records)), records.pop(place))
    elif kind == "end_before_start":
        found = {f.name: f for f in record}
        fit = [(found[a], found[b]) for a, b in pairs if a in found and b in found and found[a].value != found[b].value]
        if not fit:
            return None
        a, b = rng.choice(fit)
        a.value, b.value = b.value, a.value
        name = a.name
    elif kind == "fields_reordered":
        if isinstance(shape, Cells) and head:  # the columns of the file, names and all
            order = list(range(len(head[0].split(shape.delimiter))))
            rng.shuffle(order)
            names = head[0].split(shape.delimiter)
            head = [shape.delimiter.join(names[i] for i in order)]
            records = [[r[i] for i in order] if len(r) == len(order) else r for r in records]
        elif isinstance(shape, Cells) or len(named) < 2:
            return None
        else:
            mixed = [record[i] for i in named]
            rng.shuffle(mixed)
            for i, field in zip(named, mixed):
                record[i] = field
    else:
        if not named:
            return None
        i = rng.choice([i for i in named if record[i].name in times] or named if kind == "future" else named)
        field = record[i]
        name = field.name
        if kind == "field_lost":
            record[i] = Field(name, shape.lost, "")
        elif kind == "field_twice":
            record.insert(i, copy.deepcopy(field))
        else:
            value = {
                "negated": negated,
                "future": later,
                "unknown_word": lambda v: None if re.match(r"[\d.-]", v) else "frobnicated",
            }[kind](field.value)
            if value is None or kind == "future" and name not in times:
                return None
            field.value = value
    return Damage(
        end.join(head + [shape.join(r) for r in records]) + end,
        kind,
        name,
        "record %d: %s" % (place, shape.join(record)[:300]),
    )


def damaged_tree(shape, text, kind, rng, times, pairs):
    document = shape.load(text)
    lists = [found for found in shape.all_lists(document) if found]
    records = rng.choices(lists, [len(found) for found in lists])[0]
    place = rng.randrange(len(records))
    record, name = records[place], None
    paths = list(leaves(record)) if isinstance(record, (dict, list)) else []
    if kind == "record_lost":
        del records[place]
    elif kind == "record_twice":
        records.insert(place, copy.deepcopy(record))
    elif kind == "record_moved":
        records.insert(rng.randrange(len(records)), records.pop(place))
    elif kind == "end_before_start":
        by_key = {path[-1]: path for path in paths}
        fit = [
            (by_key[a], by_key[b])
            for a, b in pairs
            if a in by_key and b in by_key and at(record, by_key[a]) != at(record, by_key[b])
        ]
        if not fit:
            return None
        a, b = rng.choice(fit)
        name = a[-1]
        one, two = at(record, a[:-1]), at(record, b[:-1])
        one[a[-1]], two[b[-1]] = two[b[-1]], one[a[-1]]
    elif kind == "fields_reordered":
        if not isinstance(record, dict):
            return None
        keys = list(record.items())
        rng.shuffle(keys)
        records[place] = dict(keys)
    else:
        paths = [path for path in paths if path[-1] in times] if kind == "future" else paths
        if not paths:
            return None
        path = rng.choice(paths)
        name, holder, value = ".".join(map(str, path)), at(record, path[:-1]), at(record, path)
        if kind == "field_lost":
            del holder[path[-1]]
        elif kind == "field_twice":
            mark = "@@twice@@"
            holder[path[-1]] = mark
            again = json.dumps(str(path[-1])) + ": " + json.dumps(value)
            found = re.compile(r'%s: ?"%s"' % (re.escape(json.dumps(str(path[-1]))), mark))
            out = shape.dump(document)
            if not found.search(out):
                return None
            return Damage(found.sub(lambda _: again + ", " + again, out), kind, name, "record %d" % place)
        else:
            new = {
                "negated": negated,
                "future": lambda v: later(v, times[path[-1]] if isinstance(times, dict) else None),
                "unknown_word": lambda v: (
                    "frobnicated" if isinstance(v, str) and v and not re.match(r"[\d.-]", v) else None
                ),
            }[kind](value)
            if new is None:
                return None
            holder[path[-1]] = new
            return Damage(shape.dump(document), kind, name, "record %d: %s = %r -> %r" % (place, name, value, new))
    return Damage(shape.dump(document), kind, name, "record %d: %s" % (place, json.dumps(record)[:300]))
