#!/usr/bin/python3
"""The goodput aggregates, held against sums in Python's integers and fractions."""

import errno
import json
import locale
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import unittest
from fractions import Fraction

import cases
from fleets import ROOT, connect

CATEGORIES = [
    "down", "idle", "partial", "startup", "compile", "restore", "input", "checkpoint", "eval", "stall",
    "lost", "pending", "unknown", "untraced", "inefficiency", "unrated", "ideal", "queued",
]
SLOTS = CATEGORIES + ["scheduling", "runtime"]
RATIOS = [
    "scheduling_goodput", "runtime_goodput", "program_goodput", "mpg", "mpg_lower", "runtime_coverage",
    "program_coverage", "occupancy", "mfu", "ettr",
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
        row, = self.rows(sql, *parameters)
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
            wanted_value = (
                (state_bytes(model) if model.rows else None) if f == "goodput_state" else answers[f])
            self.assertEqual(found, wanted_value, f)


class Forms(Case):
    """Every function in every form."""

    def test_rows_of_categories(self):
        r = random.Random(1)
        self.db.execute("CREATE TABLE t(category, chip_time)")
        for size in [0, 1, 2, 5, 30, 300]:
            for subset in [CATEGORIES, ["idle", "ideal"], ["ideal"], ["queued"], CATEGORIES[:13] + ["ideal"]]:
                model = Model()
                self.db.execute("DELETE FROM t")
                for _ in range(size):
                    row = r.choice(subset), random_time(r)
                    self.db.execute("INSERT INTO t VALUES (?, ?)", row)
                    model.add(*row)
                self.agrees("SELECT {f}(category, chip_time) FROM t", (), model)

    def test_wide_rows(self):
        r = random.Random(2)
        self.db.execute("CREATE TABLE t(c, a, p, i)")
        for size in [0, 1, 2, 5, 30, 300]:
            for _ in range(4):
                model = Model()
                self.db.execute("DELETE FROM t")
                for _ in range(size):
                    row = random_wide(r)
                    self.db.execute("INSERT INTO t VALUES (?, ?, ?, ?)", row)
                    model.add_wide(*row)
                self.agrees("SELECT {f}(c, a, p, i) FROM t", (), model)

    def test_states(self):
        r = random.Random(3)
        for size in [0, 1, 2, 7]:
            whole, states = Model(), []
            for _ in range(size):
                part = Model()
                for _ in range(r.randrange(1, 20)):
                    if r.random() < 0.5:
                        part.add(r.choice(CATEGORIES), r.randrange(2**60))
                    else:
                        part.add_wide(*random_wide(r))
                part.rows = 1
                whole.merge(part)
                states.append(state_bytes(part).hex())
            rows = json.dumps(states + [None])
            sql = "SELECT {f}(unhex_(value)) FROM json_each(?)"
            self.db.create_function("unhex_", 1, lambda h: None if h is None else bytes.fromhex(h))
            self.agrees(sql, (rows,), whole)
            self.agrees(sql, (rows,), whole, ["goodput_state"])
            self.assertEqual(
                self.one("SELECT goodput_merge(unhex_(value)) FROM json_each(?)", rows),
                state_bytes(whole) if size else None)

    def test_the_golden_fleet(self):
        second = 1_000_000
        rows = [("down", 8), ("idle", 240), ("partial", 44), ("startup", 40), ("restore", 20),
                ("lost", 48), ("stall", 80), ("inefficiency", 196), ("ideal", 124)]
        for unit in [second, 1, 0.125]:
            self.db.execute("DROP TABLE IF EXISTS t")
            self.db.execute("CREATE TABLE t AS SELECT value->>0 AS c, value->>1 AS t FROM json_each(?)",
                            (json.dumps([(c, t * unit) for c, t in rows]),))
            sg, rg, pg, mpg = self.one(
                "SELECT scheduling_goodput(c, t), runtime_goodput(c, t), program_goodput(c, t), mpg(c, t) FROM t")
            self.assertEqual((sg, rg, pg, mpg), (508 / 800, 320 / 508, 124 / 320, 0.155))
            self.assertAlmostEqual(sg * rg * pg, mpg)
        wide = self.one("SELECT goodput_state(800, 508, 320, 124)")
        self.assertEqual(json.loads(self.one("SELECT goodput(?)", wide)), {
            "capacity": 800, "allocated": 508, "productive": 320, "ideal": 124, "queued": 0,
            "scheduling_goodput": 0.635, "runtime_goodput": 320 / 508, "program_goodput": 0.3875,
            "mpg": 0.155, "mpg_lower": 0.155, "runtime_coverage": 1.0, "program_coverage": 1.0,
            "occupancy": 0.635, "mfu": 124 / 508, "ettr": 320 / 508,
            "chip_time": {"inefficiency": 196, "ideal": 124, "scheduling": 292, "runtime": 188},
            "share": {"inefficiency": 0.245, "ideal": 0.155, "scheduling": 0.365, "runtime": 0.235}})

    def test_the_text_of_goodput(self):
        self.assertEqual(
            self.one("SELECT goodput(column1, column2) FROM (VALUES "
                     "('idle', 9223372036854775807), ('idle', 3), ('ideal', 0.1), ('queued', 2.0))"),
            '{"capacity":9.223372036854776e+18,"allocated":0.1,"productive":0.1,"ideal":0.1,"queued":2,'
            '"scheduling_goodput":1.0842021724855045e-20,"runtime_goodput":1.0,"program_goodput":1.0,'
            '"mpg":1.0842021724855045e-20,"mpg_lower":1.0842021724855045e-20,"runtime_coverage":1.0,'
            '"program_coverage":1.0,"occupancy":1.0842021724855045e-20,"mfu":1.0,"ettr":0.047619047619047616,'
            '"chip_time":{"idle":9223372036854775810,"ideal":0.1,"queued":2},'
            '"share":{"idle":1.0,"ideal":1.0842021724855045e-20}}')
        self.assertEqual(
            self.one("SELECT goodput('queued', 7)"),
            '{"capacity":0,"allocated":0,"productive":0,"ideal":0,"queued":7,'
            '"scheduling_goodput":null,"runtime_goodput":null,"program_goodput":null,"mpg":null,'
            '"mpg_lower":null,"runtime_coverage":null,"program_coverage":null,"occupancy":null,'
            '"mfu":null,"ettr":0.0,"chip_time":{"queued":7},"share":{}}')
        # The sum is not 0 but capacity is: shares are unknown.
        self.assertEqual(
            json.loads(self.one("SELECT goodput(column1, column2) FROM (VALUES ('idle', -5), ('lost', 5))"))["share"],
            {"idle": None, "lost": None})


class Nulls(Case):
    def test_nothing_summed_is_null(self):
        for f in FUNCTIONS:
            self.assertIsNone(self.one(f"SELECT {f}('idle', NULL)"))
            self.assertIsNone(self.one(f"SELECT {f}('idle', 1) WHERE 0"))
            self.assertIsNone(self.one(f"SELECT {f}(NULL, NULL)"))
            self.assertIsNone(self.one(f"SELECT {f}('no such', NULL)"))
            self.assertIsNone(self.one(f"SELECT {f}(NULL, NULL, NULL, NULL)"))
            self.assertIsNone(self.one(f"SELECT {f}(NULL)"))
            self.assertIsNone(self.one(f"SELECT {f}(1, 2) FILTER (WHERE 0)"))
        self.assertIsNone(self.one("SELECT goodput_merge(NULL)"))

    def test_zero_is_not_null(self):
        self.assertEqual(self.one("SELECT goodput_state('idle', 0)"), state_bytes(Model()))
        self.assertIsNone(self.one("SELECT mpg('idle', 0)"))
        self.assertEqual(self.one("SELECT mpg('idle', 1)"), 0.0)
        self.assertEqual(self.one("SELECT typeof(mpg('idle', 1))"), "real")
        self.assertIsNone(self.one("SELECT runtime_goodput('idle', 1)"))
        empty = state_bytes(Model())
        self.assertEqual(self.one("SELECT goodput_state(?)", empty), empty)
        self.assertEqual(json.loads(self.one("SELECT goodput(?)", empty))["capacity"], 0)

    def test_missing_data(self):
        self.assertEqual(
            self.one("SELECT scheduling_goodput(10, 8, NULL, NULL), runtime_goodput(10, 8, NULL, NULL), "
                     "mpg(10, 8, NULL, NULL), mpg_lower(10, 8, NULL, NULL), "
                     "runtime_coverage(10, 8, NULL, NULL), ettr(10, 8, NULL, NULL)"),
            (0.8, None, None, 0.0, 0.0, None))
        self.assertEqual(
            self.one("SELECT runtime_goodput(10, 8, 4, NULL), program_goodput(10, 8, 4, NULL), "
                     "mpg(10, 8, 4, NULL), mfu(10, 8, 4, NULL), mpg_lower(10, 8, 4, NULL), "
                     "program_coverage(10, 8, 4, NULL), ettr(10, 8, 4, NULL)"),
            (0.5, None, None, None, 0.0, 0.0, 0.5))
        # Without productive, ideal is not looked at.
        self.assertEqual(self.one("SELECT goodput_state(10, 8, NULL, 3) = goodput_state(10, 8, NULL, NULL)"), 1)
        # One untraced microsecond hides the ratio, and removing it brings the ratio back.
        rows = "(VALUES (1, 'idle', 5), (2, 'untraced', 1), (3, 'ideal', 5), (4, 'ideal', 5))"
        found = self.db.execute(
            f"SELECT mpg(column2, column3) OVER (ORDER BY column1 ROWS 1 PRECEDING) FROM {rows}")
        self.assertEqual([v for v, in found], [0.0, None, None, 1.0])


class Errors(Case):
    KNOWN = ", ".join(CATEGORIES)

    def test_categories(self):
        self.fails(f"mpg: unknown category 'prodctive'; the categories are {self.KNOWN}",
                   "SELECT mpg('prodctive', 1)")
        for name in ["", "IDLE", "idle ", " idle", "Idle", "id", "idl", "idles", "scheduling", "runtime"]:
            self.fails(f"ettr: unknown category '{name}'; the categories are {self.KNOWN}",
                       "SELECT ettr(?, 1)", name)
        self.fails(f"mpg: unknown category 'idle\\x00'; the categories are {self.KNOWN}",
                   "SELECT mpg('idle' || char(0), 1)")
        self.fails(f"mpg: unknown category '{'é' * 22}...'; the categories are {self.KNOWN}",
                   "SELECT mpg(?, 1)", "é" * 1000)
        self.fails("mpg: category is NULL", "SELECT mpg(NULL, 1)")
        self.fails("goodput: category is NULL", "SELECT goodput(NULL, 0)")
        self.fails("mpg: expected text for category, found INTEGER 5", "SELECT mpg(5, 1)")
        self.fails("mpg: expected text for category, found BLOB of 4 bytes", "SELECT mpg(x'69646c65', 1)")

    def test_numbers(self):
        self.fails("mpg: expected a number for chip_time, found TEXT 'x'", "SELECT mpg('idle', 'x')")
        self.fails("mpg: expected a number for chip_time, found TEXT '12'", "SELECT mpg('idle', '12')")
        self.fails("goodput_state: expected a number for chip_time, found BLOB of 2 bytes",
                   "SELECT goodput_state('idle', x'0102')")
        self.fails("mpg: expected a finite number, found inf", "SELECT mpg('idle', 9e999)")
        self.fails("mpg: expected a finite number, found -inf", "SELECT mpg('idle', -9e999)")
        self.fails("mpg: the sum of 'idle' would pass 2^122", "SELECT mpg('idle', 1e300)")
        self.fails("mpg: the sum of 'lost' would pass 2^122",
                   "SELECT mpg('lost', column1) FROM (VALUES (3e36), (3e36))")

    def test_wide_rows(self):
        self.fails("mpg: capacity is NULL", "SELECT mpg(NULL, 1, 1, 1)")
        self.fails("mpg: capacity is NULL", "SELECT mpg(NULL, NULL, NULL, 0)")
        self.fails("mpg: allocated is NULL", "SELECT mpg(1, NULL, 1, 1)")
        for i, name in enumerate(["capacity", "allocated", "productive", "ideal"]):
            args = ["1", "1", "1", "1"]
            args[i] = "'7'"
            self.fails(f"mfu: expected a number for {name}, found TEXT '7'", f"SELECT mfu({','.join(args)})")
            args[i] = "9e999"
            self.fails("mfu: expected a finite number, found inf", f"SELECT mfu({','.join(args)})")

    def test_states(self):
        self.fails("mpg: expected a state of goodput_state, found TEXT 'MPGS'", "SELECT mpg('MPGS')")
        self.fails("mpg: expected a state of goodput_state, found INTEGER 1", "SELECT mpg(1)")
        self.fails("mpg: expected a state of goodput_state, found REAL 0.5", "SELECT mpg(0.5)")
        self.fails('goodput_merge: not a goodput state: it does not start with "MPGS"',
                   "SELECT goodput_merge(x'')")
        self.fails('mpg: not a goodput state: it does not start with "MPGS"', "SELECT mpg(zeroblob(100))")
        self.fails("mpg: bad goodput state: 8 bytes, a state has at least 16", "SELECT mpg(x'4d50475301010000')")

        def sealed(body):
            return body + fnv1a(body)
        state = self.one("SELECT goodput_state('lost', 5)")
        self.fails("mpg: goodput state of format 2, only format 1 is known",
                   "SELECT mpg(?)", sealed(b"MPGS\x02" + state[5:-8]))
        self.fails("mpg: goodput state of definitions 9, only definitions 1 are known",
                   "SELECT mpg(?)", sealed(b"MPGS\x01\x09" + state[6:-8]))
        self.fails("mpg: bad goodput state: its checksum does not match", "SELECT mpg(?)", state + b"\0")
        self.fails("mpg: bad goodput state: 3 bytes after the last entry",
                   "SELECT mpg(?)", sealed(state[:-8] + b"abc"))
        self.fails("mpg: bad goodput state: slot 20 has no meaning",
                   "SELECT mpg(?)", sealed(state[:8] + b"\x14" + state[9:-8]))
        big = Model()
        big.sums["lost"] = Fraction(2**122 - 1)
        self.fails("mpg: the sum of 'lost' would pass 2^122", "SELECT mpg(column1) FROM (VALUES (?), (?))",
                   state_bytes(big), state_bytes(big))
        self.assertEqual(self.one("SELECT runtime_goodput(?)", state_bytes(big)), 0.0)

    def test_every_damaged_byte_is_noticed(self):
        state = self.one("SELECT goodput_state(column1, column2) FROM (VALUES "
                         "('idle', 5), ('lost', -0.5), ('ideal', 1e30), ('queued', 1))")
        for i in range(len(state)):
            for x in [1, 2, 4, 8, 16, 32, 64, 128, 255]:
                bad = bytearray(state)
                bad[i] ^= x
                with self.assertRaises(sqlite3.OperationalError):
                    self.one("SELECT goodput_state(?)", bytes(bad))
            with self.assertRaises(sqlite3.OperationalError):
                self.one("SELECT goodput_state(?)", state[:i])
        self.assertEqual(self.one("SELECT goodput_state(?)", state), state)

    def test_the_connection_goes_on(self):
        self.fails("mpg: category is NULL", "SELECT mpg(NULL, 1)")
        self.assertEqual(self.one("SELECT mpg('ideal', 1)"), 1.0)
        self.fails("wrong number of arguments to function mpg()", "SELECT mpg()")
        self.fails("wrong number of arguments to function mpg()", "SELECT mpg(1, 2, 3)")
        self.fails("wrong number of arguments to function goodput_merge()", "SELECT goodput_merge('idle', 1)")


class Exact(Case):
    def test_sums_past_64_bits(self):
        top = 2**63 - 1
        for n, v in [(5, top), (7, -top - 1)]:
            self.db.execute("DROP TABLE IF EXISTS t")
            self.db.execute("CREATE TABLE t AS SELECT ? AS v FROM json_each(?)", (v, json.dumps([0] * n)))
            found = self.one("SELECT goodput('idle', v) FROM t")
            self.assertIn(f'"capacity":{n * v},', found)
            self.assertIn(f'"chip_time":{{"idle":{n * v}}}', found)
        found = json.loads(self.one(
            "SELECT goodput(column1, 0, 0, 0) FROM (VALUES (?), (?), (?))", top, top, top))
        self.assertEqual(found["capacity"], 3 * top)
        # Merged again and again: 2^63 * 2^50.
        state = self.one("SELECT goodput_state('idle', ?)", top)
        for _ in range(50):
            state = self.one("SELECT goodput_merge(column1) FROM (VALUES (?), (?))", state, state)
        self.assertEqual(json.loads(self.one("SELECT goodput(?)", state))["capacity"], top * 2**50)

    def test_reals(self):
        r = random.Random(4)
        for _ in range(60):
            values = [r.choice([1, -1]) * r.random() * 2.0 ** r.randrange(-70, 110) for _ in range(50)]
            rows = json.dumps([v.hex() for v in values])
            self.db.create_function("real", 1, float.fromhex, deterministic=True)
            state = self.one("SELECT goodput_state('lost', real(value)) FROM json_each(?)", rows)
            model = Model()
            for v in values:
                model.add("lost", v)
            self.assertEqual(state, state_bytes(model))
            self.assertEqual(json.loads(self.one("SELECT goodput(?)", state))["capacity"],
                             float(model.sums["lost"]))
        self.assertEqual(self.one("SELECT json_extract(goodput('idle', column1), '$.capacity') "
                                  "FROM (VALUES (1e16), (1.0), (1.0), (-1e16))"), 2)

    def test_tiny_reals_are_rounded_alone(self):
        # A third of 2^-128 vanishes, two thirds become 2^-128: the same in any order and company.
        unit = 2.0 ** -128
        for v, n in [(unit / 3, 0), (unit * 2 / 3, 1), (unit / 2, 0), (unit * 1.5, 2), (5e-324, 0)]:
            model = Model()
            model.add("lost", Fraction(n, 2**128) * 3)
            self.assertEqual(self.one("SELECT goodput_state('lost', column1) FROM (VALUES (?), (?), (?))", v, v, v),
                             state_bytes(model))


class Merging(Case):
    def test_any_shards_in_any_order(self):
        r = random.Random(5)
        rows = [(i, r.choice(CATEGORIES), random_time(r)) for i in range(400)]
        self.db.execute("CREATE TABLE t(i, category, chip_time, shard)")
        self.db.executemany("INSERT INTO t VALUES (?, ?, ?, 0)", rows)
        whole = self.one("SELECT goodput_state(category, chip_time) FROM t")
        answers = self.one("SELECT goodput(category, chip_time) FROM t")
        for shards in [1, 2, 3, 10, 400]:
            self.db.execute("UPDATE t SET shard = abs(random()) % ?", (shards,))
            for order in ["shard", "-shard", "random()"]:
                states = ("SELECT goodput_state(category, chip_time) AS s FROM "
                          f"(SELECT * FROM t ORDER BY random()) GROUP BY shard ORDER BY {order}")
                self.assertEqual(self.one(f"SELECT goodput_state(s) FROM ({states})"), whole)
                self.assertEqual(self.one(f"SELECT goodput_merge(s) FROM ({states})"), whole)
                self.assertEqual(self.one(f"SELECT goodput(s) FROM ({states})"), answers)
        # In a tree, and with wide rows among them.
        self.db.execute("INSERT INTO t SELECT i, category, chip_time, 7 FROM t")
        twice = self.one("SELECT goodput_state(category, chip_time) FROM t")
        self.assertEqual(self.one("SELECT goodput_merge(column1) FROM (VALUES (?), (?))", whole, whole), twice)

    def test_states_are_values(self):
        """Equal accounts have equal bytes, so DISTINCT, =, GROUP BY and indexes work on them."""
        self.assertEqual(self.one("SELECT goodput_state('lost', 6) = goodput_state('lost', 6.0)"), 1)
        self.assertEqual(self.one(
            "SELECT count(DISTINCT s) FROM (SELECT goodput_state(column1, column2) AS s FROM (VALUES "
            "('idle', 1), ('lost', 0.25)) UNION ALL SELECT goodput_state(column1, column2) FROM (VALUES "
            "('lost', 0.5), ('lost', -0.25), ('idle', 3), ('idle', -2), ('stall', 0)))"), 1)


class Windows(Case):
    def frames(self, r, kind):
        def bound(preceding):
            n = r.randrange(4)
            return r.choice([f"{n} PRECEDING", f"{n} FOLLOWING", "CURRENT ROW",
                             "UNBOUNDED PRECEDING" if preceding else "UNBOUNDED FOLLOWING"])
        while True:
            start, end = bound(True), bound(False)
            exclude = r.choice(["", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"])
            frame = f"{kind} BETWEEN {start} AND {end}{exclude}"
            try:
                self.db.execute(f"SELECT count(*) OVER (ORDER BY k {frame}) FROM t").fetchall()
                return frame
            except sqlite3.OperationalError:
                continue  # the frame ends before it starts

    def check_windows(self, columns, args, f, frame, make):
        # group_concat over the same frame says which rows are in it; the model sums those.
        found = self.db.execute(
            f"SELECT {f}({args}) OVER w, group_concat(id) OVER w FROM t WINDOW w AS (ORDER BY k {frame})").fetchall()
        rows = {row[0]: row[1:] for row in self.db.execute(f"SELECT id, {columns} FROM t")}
        for value, ids in found:
            model = Model()
            for i in (ids or "").split(","):
                if i:
                    make(model, rows[int(i)])
            if f == "goodput_state":
                self.assertEqual(value, state_bytes(model) if model.rows else None, frame)
            elif f == "goodput":
                wanted = model.answers()[f]
                self.assertEqual(value if value is None else json.loads(value), wanted, frame)
            else:
                self.assertEqual(value, model.answers()[f], frame)

    def run_form(self, seed, columns, row, make):
        r = random.Random(seed)
        names = columns.split(", ")
        self.db.execute(f"CREATE TABLE t(id INTEGER PRIMARY KEY, k, {columns})")
        for trial in range(30):
            self.db.execute("DELETE FROM t")
            for i in range(r.randrange(1, 40)):
                self.db.execute(f"INSERT INTO t VALUES (?, ?{', ?' * len(names)})", (i, r.randrange(12), *row(r)))
            for kind in ["ROWS", "RANGE", "GROUPS"]:
                frame = self.frames(r, kind)
                for f in ["goodput_state", r.choice(RATIOS + ["goodput"])]:
                    self.check_windows(columns, columns, f, frame, make)

    def test_rows_of_categories(self):
        self.run_form(6, "category, chip_time", lambda r: (r.choice(CATEGORIES), random_time(r)),
                      lambda model, row: model.add(*row))

    def test_wide_rows(self):
        self.run_form(7, "c, a, p, i", random_wide, lambda model, row: model.add_wide(*row))

    def test_states(self):
        models = {}

        def row(r):
            if r.random() < 0.1:
                return (None,)
            model = Model()
            for _ in range(r.randrange(4)):
                model.add(r.choice(CATEGORIES), random_time(r))
            models[state_bytes(model)] = model
            return (state_bytes(model),)
        self.run_form(8, "state", row,
                      lambda model, row: model.merge(models[row[0]]) if row[0] is not None else None)

    def test_partitions_and_default_frame(self):
        self.db.execute("CREATE TABLE t(pool, k, c, v)")
        r = random.Random(9)
        for i in range(200):
            self.db.execute("INSERT INTO t VALUES (?, ?, ?, ?)",
                            (r.choice("abc"), i, r.choice(CATEGORIES), r.randrange(10**15)))
        found = self.db.execute("SELECT pool, k, goodput_state(c, v) OVER (PARTITION BY pool ORDER BY k) FROM t").fetchall()
        for pool, k, value in found[::7]:
            self.assertEqual(value, self.one(
                "SELECT goodput_state(c, v) FROM t WHERE pool = ? AND k <= ?", pool, k))

    def test_errors_in_windows(self):
        self.fails("mpg: category is NULL",
                   "SELECT mpg(column1, 1) OVER (ROWS 1 PRECEDING) FROM (VALUES ('idle'), ('lost'), (NULL))")


class InSql(Case):
    def test_contract(self):
        deterministic, innocuous, direct_only = 0x800, 0x200000, 0x80000
        expected = {(f, n) for f in FUNCTIONS for n in (1, 2, 4)} | {("goodput_merge", 1)}
        found = self.db.execute("SELECT name, narg, type, flags FROM pragma_function_list").fetchall()
        seen = set()
        for name, nargs, kind, flags in found:
            if name in FUNCTIONS + ["goodput_merge"]:
                seen.add((name, nargs))
                self.assertEqual(kind, "w", name)
                self.assertTrue(flags & deterministic and flags & innocuous and not flags & direct_only, name)
        self.assertEqual(seen, expected)

    def table(self):
        self.db.executescript("""
            CREATE TABLE ledger(pool, job, category, chip_us);
            INSERT INTO ledger VALUES
                ('a', NULL, 'idle', 50), ('a', 'j1', 'ideal', 25), ('a', 'j1', 'lost', 25),
                ('b', NULL, 'idle', 10), ('b', 'j2', 'ideal', 90), ('c', NULL, 'idle', 7);
        """)

    def test_group_filter_having(self):
        self.table()
        rows = self.db.execute("SELECT pool, mpg(category, chip_us) FROM ledger GROUP BY pool ORDER BY pool").fetchall()
        self.assertEqual(rows, [("a", 0.25), ("b", 0.9), ("c", 0.0)])
        rows = self.db.execute("SELECT pool FROM ledger GROUP BY pool HAVING mpg(category, chip_us) > 0.2 "
                               "ORDER BY mpg(category, chip_us) DESC").fetchall()
        self.assertEqual(rows, [("b",), ("a",)])
        self.assertEqual(
            self.one("SELECT mpg(category, chip_us) FILTER (WHERE pool = 'a'), "
                     "mpg(category, chip_us) FILTER (WHERE pool = 'z'), mpg(category, chip_us) FROM ledger"),
            (0.25, None, 115 / 207))
        self.assertEqual(
            self.one("SELECT group_concat(m) FROM (SELECT DISTINCT mpg(category, chip_us) AS m FROM ledger "
                     "WHERE pool <> 'c' GROUP BY pool, 1 = 1 ORDER BY 1)"), "0.25,0.9")

    def test_distinct(self):
        state = self.one("SELECT goodput_state('idle', 5)")
        self.assertEqual(
            json.loads(self.one("SELECT goodput(DISTINCT column1) FROM (VALUES (?), (?), (NULL))", state, state))["capacity"], 5)
        self.fails("DISTINCT aggregates must have exactly one argument", "SELECT mpg(DISTINCT 'idle', 5)")

    def test_many_groups_at_once(self):
        """Aggregates of different forms in one query keep apart, each with a context of its own."""
        self.db.execute("CREATE TABLE t AS WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n "
                        "WHERE i < 4999) SELECT i, i % 1000 AS g, i + 1 AS v FROM n")
        rows = self.db.execute(
            "SELECT g, mpg('ideal', v), scheduling_goodput(2 * v, v, v, v), "
            "json_extract(goodput('idle', v), '$.capacity'), sum(v) FROM t GROUP BY g").fetchall()
        self.assertEqual(len(rows), 1000)
        for _, m, sg, capacity, total in rows:
            self.assertEqual((m, sg, capacity), (1.0, 0.5, total))

    def test_correlated(self):
        self.table()
        rows = self.db.execute("SELECT pool, (SELECT mpg(category, chip_us) FROM ledger WHERE pool = o.pool) "
                               "FROM (SELECT DISTINCT pool FROM ledger) AS o ORDER BY pool").fetchall()
        self.assertEqual(rows, [("a", 0.25), ("b", 0.9), ("c", 0.0)])

    def test_untrusted_views(self):
        self.table()
        self.db.execute("CREATE VIEW v AS SELECT pool, mpg(category, chip_us) AS m FROM ledger GROUP BY pool")
        self.db.execute("PRAGMA trusted_schema = OFF")
        self.assertEqual(self.one("SELECT m FROM v WHERE pool = 'b'"), 0.9)

    def test_utf16(self):
        for encoding in ["UTF-16le", "UTF-16be"]:
            db = connect()
            db.execute(f"PRAGMA encoding = '{encoding}'")
            db.execute("CREATE TABLE t(c TEXT, v)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [("idle", 3), ("ideal", 1)])
            self.assertEqual(db.execute("SELECT mpg(c, v), json_valid(goodput(c, v)) FROM t").fetchone(), (0.25, 1))
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("SELECT mpg(c || 'é', v) FROM t").fetchall()
            self.assertTrue(str(caught.exception).startswith("mpg: unknown category 'idleé';"))
            db.close()

    def test_locale(self):
        before = locale.setlocale(locale.LC_NUMERIC)
        for name in ["de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8"]:
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
                break
            except locale.Error:
                continue
        else:
            self.skipTest("no locale with a decimal comma here")
        try:
            self.assertIn('"capacity":0.5,', self.one("SELECT goodput('idle', 0.5)"))
        finally:
            locale.setlocale(locale.LC_NUMERIC, before)

    def test_messages_under_a_locale(self):
        """A host that calls setlocale, in a process of its own: the locale is made here."""
        folder = self.new_folder()
        if not shutil.which("localedef") or not os.path.exists("/usr/share/i18n/locales/de_DE"):  # without which it makes one with a point
            self.skipTest("no localedef, or no sources of locales, here")
        subprocess.run(["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "comma")], capture_output=True, check=False)
        program = """if True:
            import locale, sys
            sys.path.insert(0, sys.argv[1])
            from fleets import connect
            locale.setlocale(locale.LC_NUMERIC, "comma")
            assert locale.localeconv()["decimal_point"] == ","
            db = connect()
            for sql in sys.argv[2:]:
                try:
                    print(db.execute(sql).fetchall())
                except Exception as error:
                    print(error)
            """
        chip = "CREATE TABLE chips AS SELECT 'one' AS chip, 'bf16' AS dtype, 1e12 AS peak_flops, 1.5 AS year"
        fleet = ("CREATE TABLE allocations AS SELECT 'j' AS job, 'p' AS pool, 1 AS chips, 0 AS start_time, 10 AS end_time, 'completed' AS outcome", "CREATE TABLE capacity AS SELECT 'p' AS pool, 'nvidia-h100-sxm' AS chip, 1 AS chips, 0 AS start_time, 10 AS end_time",
                 "CREATE TABLE spans AS SELECT 'j' AS job, 'step' AS kind, 0 AS start_time, 1 AS end_time, 1.5e15 AS flops", "SELECT count(*) > 0 FROM mpg_ledger", "SELECT detail FROM mpg_issues WHERE kind = 'above_roofline'")
        try:
            done = subprocess.run([sys.executable, "-c", program, os.path.join(ROOT, "tests"), "SELECT roofline_ideal(-1.5, 'tpu-v4')", "SELECT roofline_seconds(1e12, 1.5)", *fleet, chip, "SELECT roofline_seconds(1e12, 'one')"],
                                  env=dict(os.environ, LOCPATH=folder), capture_output=True, text=True, check=True)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            self.skipTest("an emulated processor: Python cannot start itself")
        said = [line for line in done.stdout.splitlines() if line != "[]"]
        self.assertEqual(said[:3], ["roofline_ideal: expected finite flops of at least 0, found -1.5", "roofline_seconds: expected text as chip, found 1.5", "[(1,)]"])
        self.assertIn(", up to 1.52 on ", said[3])
        self.assertIn("found 1.5", said[4])


if __name__ == "__main__":
    unittest.main()
