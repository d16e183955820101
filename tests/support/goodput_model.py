"""The goodput aggregates as Python's integers and fractions have them, and statements that ask for them."""

import json
from fractions import Fraction

import cases

CATEGORIES = [
    "down",
    "idle",
    "partial",
    "startup",
    "compile",
    "restore",
    "input",
    "checkpoint",
    "eval",
    "stall",
    "lost",
    "pending",
    "unknown",
    "untraced",
    "inefficiency",
    "unrated",
    "ideal",
    "queued",
]
SLOTS = CATEGORIES + ["scheduling", "runtime"]
RATIOS = [
    "scheduling_goodput",
    "runtime_goodput",
    "program_goodput",
    "mpg",
    "mpg_lower",
    "runtime_coverage",
    "program_coverage",
    "occupancy",
    "mfu",
    "ettr",
]
FUNCTIONS = RATIOS + ["goodput", "goodput_state"]


class Model:
    """What the aggregates must say, from first principles: exact sums, divided last."""

    def __init__(self):
        self.sums = dict.fromkeys(SLOTS, Fraction(0))
        self.rows = 0

    def add(self, category, chip_time):
        if chip_time is not None:
            self.sums[category] += Fraction(chip_time)
            self.rows += 1

    def add_wide(self, capacity, allocated, productive, ideal):
        if (capacity, allocated, productive, ideal) == (None,) * 4:
            return
        self.rows += 1
        self.sums["scheduling"] += Fraction(capacity) - Fraction(allocated)
        if productive is None:
            self.sums["untraced"] += Fraction(allocated)
            return
        self.sums["runtime"] += Fraction(allocated) - Fraction(productive)
        if ideal is None:
            self.sums["unrated"] += Fraction(productive)
            return
        self.sums["inefficiency"] += Fraction(productive) - Fraction(ideal)
        self.sums["ideal"] += Fraction(ideal)

    def merge(self, other):
        for slot in SLOTS:
            self.sums[slot] += other.sums[slot]
        self.rows += 1

    def answers(self):
        """name -> what SQL gives, for every ratio and for goodput (as a dictionary)."""
        if self.rows == 0:
            return dict.fromkeys(RATIOS + ["goodput"])
        s = self.sums
        capacity = sum(s.values()) - s["queued"]
        allocated = capacity - s["down"] - s["idle"] - s["partial"] - s["scheduling"]
        productive = s["inefficiency"] + s["unrated"] + s["ideal"]
        untraced, unrated, ideal = s["untraced"], s["unrated"], s["ideal"]

        def over(above, below, known=True):
            return float(above) / float(below) if known and below != 0 else None

        ratios = {
            "scheduling_goodput": over(allocated, capacity),
            "runtime_goodput": over(productive, allocated - untraced),
            "program_goodput": over(ideal, productive - unrated),
            "mpg": over(ideal, capacity, untraced == unrated == 0),
            "mpg_lower": over(ideal, capacity),
            "runtime_coverage": over(allocated - untraced, allocated),
            "program_coverage": over(productive - unrated, productive),
            "occupancy": over(allocated + s["partial"], capacity),
            "mfu": over(ideal, allocated, untraced == unrated == 0),
            "ettr": over(productive, allocated + s["partial"] + s["queued"], untraced == 0),
        }

        def number(v):
            return int(v) if v.denominator == 1 else float(v)

        seen = [slot for slot in SLOTS if s[slot] != 0]
        everything = {
            "capacity": number(capacity),
            "allocated": number(allocated),
            "productive": number(productive),
            "ideal": number(ideal),
            "queued": number(s["queued"]),
            **ratios,
            "chip_time": {slot: number(s[slot]) for slot in seen},
            "share": {slot: over(s[slot], capacity) for slot in seen if slot != "queued"},
        }
        return {**ratios, "goodput": everything}


def fnv1a(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 % 2**64
    return h.to_bytes(8, "little")


def state_bytes(model):
    """The state of a model, by the layout that account.c documents."""
    entries = []
    for slot, name in enumerate(SLOTS):
        v = model.sums[name]
        if v != 0:
            whole = v.numerator // v.denominator
            fraction = int((v - whole) * 2**128)
            entry = bytes([slot, fraction != 0]) + whole.to_bytes(16, "little", signed=True)
            entries.append(entry + (fraction.to_bytes(16, "little") if fraction else b""))
    body = b"MPGS\x01\x01" + len(entries).to_bytes(2, "little") + b"".join(entries)
    return body + fnv1a(body)


def random_time(r):
    kind = r.random()
    if kind < 0.1:
        return None
    if kind < 0.6:
        return r.choice([0, 1, -5, r.randrange(10**6), r.randrange(2**63), -r.randrange(2**40)])
    return r.choice([0.0, 0.1, -2.5, r.uniform(0, 1e6), r.uniform(-1, 1) * 2.0 ** r.randrange(-60, 90)])


def random_wide(r):
    if r.random() < 0.1:
        return (None,) * 4
    exact = r.random() < 0.5

    def value(top):
        return r.randrange(top + 1) if exact else r.uniform(0, top)

    capacity = value(10**9)
    allocated = value(int(capacity))
    productive = value(int(allocated)) if r.random() < 0.8 else None
    ideal = value(int(allocated)) if r.random() < 0.8 else None
    return capacity, allocated, productive, ideal


class Case(cases.Case):
    def one(self, sql, *parameters):
        """The value, or the row where it has several."""
        (row,) = self.rows(sql, *parameters)
        return row[0] if len(row) == 1 else row

    def agrees(self, sql, args, model, wanted=RATIOS + ["goodput", "goodput_state"]):
        """Runs sql, whose {f} is the function's name, for every function."""
        answers = model.answers()
        for f in wanted:
            found = self.one(sql.format(f=f), *args)
            if f == "goodput" and found is not None:
                self.assertEqual(self.one("SELECT json_valid(?)", found), 1)
                found = json.loads(found)
                self.assertEqual(list(found), list(answers[f]))
                self.assertEqual(list(found["chip_time"]), list(answers[f]["chip_time"]))
            wanted_value = (state_bytes(model) if model.rows else None) if f == "goodput_state" else answers[f]
            self.assertEqual(found, wanted_value, f)
