#!/usr/bin/python3
"""The goodput aggregates, held against sums in Python's integers and fractions."""
import json
import random
import unittest
from fractions import Fraction

from goodput_model import CATEGORIES, Case, FUNCTIONS, Model, random_time, random_wide, state_bytes


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
                state_bytes(whole) if size else None,
            )

    def test_the_golden_fleet(self):
        second = 1_000_000
        rows = [
            ("down", 8),
            ("idle", 240),
            ("partial", 44),
            ("startup", 40),
            ("restore", 20),
            ("lost", 48),
            ("stall", 80),
            ("inefficiency", 196),
            ("ideal", 124),
        ]
        for unit in [second, 1, 0.125]:
            self.db.execute("DROP TABLE IF EXISTS t")
            self.db.execute(
                "CREATE TABLE t AS SELECT json_extract(value, '$[0]') AS c, json_extract(value, '$[1]') AS t FROM json_each(?)",
                (json.dumps([(c, t * unit) for c, t in rows]),),
            )
            sg, rg, pg, mpg = self.one(
                "SELECT scheduling_goodput(c, t), runtime_goodput(c, t), program_goodput(c, t), mpg(c, t) FROM t"
            )
            self.assertEqual((sg, rg, pg, mpg), (508 / 800, 320 / 508, 124 / 320, 0.155))
            self.assertAlmostEqual(sg * rg * pg, mpg)
        wide = self.one("SELECT goodput_state(800, 508, 320, 124)")
        self.assertEqual(
            json.loads(self.one("SELECT goodput(?)", wide)),
            {
                "capacity": 800,
                "allocated": 508,
                "productive": 320,
                "ideal": 124,
                "queued": 0,
                "scheduling_goodput": 0.635,
                "runtime_goodput": 320 / 508,
                "program_goodput": 0.3875,
                "mpg": 0.155,
                "mpg_lower": 0.155,
                "runtime_coverage": 1.0,
                "program_coverage": 1.0,
                "occupancy": 0.635,
                "mfu": 124 / 508,
                "ettr": 320 / 508,
                "chip_time": {"inefficiency": 196, "ideal": 124, "scheduling": 292, "runtime": 188},
                "share": {"inefficiency": 0.245, "ideal": 0.155, "scheduling": 0.365, "runtime": 0.235},
            },
        )

    def test_the_text_of_goodput(self):
        self.assertEqual(
            self.one(
                "SELECT goodput(column1, column2) FROM (VALUES "
                "('idle', 9223372036854775807), ('idle', 3), ('ideal', 0.1), ('queued', 2.0))"
            ),
            '{"capacity":9.223372036854776e+18,"allocated":0.1,"productive":0.1,"ideal":0.1,"queued":2,'
            '"scheduling_goodput":1.0842021724855045e-20,"runtime_goodput":1.0,"program_goodput":1.0,'
            '"mpg":1.0842021724855045e-20,"mpg_lower":1.0842021724855045e-20,"runtime_coverage":1.0,'
            '"program_coverage":1.0,"occupancy":1.0842021724855045e-20,"mfu":1.0,"ettr":0.047619047619047616,'
            '"chip_time":{"idle":9223372036854775810,"ideal":0.1,"queued":2},'
            '"share":{"idle":1.0,"ideal":1.0842021724855045e-20}}',
        )
        self.assertEqual(
            self.one("SELECT goodput('queued', 7)"),
            '{"capacity":0,"allocated":0,"productive":0,"ideal":0,"queued":7,'
            '"scheduling_goodput":null,"runtime_goodput":null,"program_goodput":null,"mpg":null,'
            '"mpg_lower":null,"runtime_coverage":null,"program_coverage":null,"occupancy":null,'
            '"mfu":null,"ettr":0.0,"chip_time":{"queued":7},"share":{}}',
        )
        # The sum is not 0 but capacity is: shares are unknown.
        self.assertEqual(
            json.loads(self.one("SELECT goodput(column1, column2) FROM (VALUES ('idle', -5), ('lost', 5))"))["share"],
            {"idle": None, "lost": None},
        )


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
            self.one(
                "SELECT scheduling_goodput(10, 8, NULL, NULL), runtime_goodput(10, 8, NULL, NULL), "
                "mpg(10, 8, NULL, NULL), mpg_lower(10, 8, NULL, NULL), "
                "runtime_coverage(10, 8, NULL, NULL), ettr(10, 8, NULL, NULL)"
            ),
            (0.8, None, None, 0.0, 0.0, None),
        )
        self.assertEqual(
            self.one(
                "SELECT runtime_goodput(10, 8, 4, NULL), program_goodput(10, 8, 4, NULL), "
                "mpg(10, 8, 4, NULL), mfu(10, 8, 4, NULL), mpg_lower(10, 8, 4, NULL), "
                "program_coverage(10, 8, 4, NULL), ettr(10, 8, 4, NULL)"
            ),
            (0.5, None, None, None, 0.0, 0.0, 0.5),
        )
        # Without productive, ideal is not looked at.
        self.assertEqual(self.one("SELECT goodput_state(10, 8, NULL, 3) = goodput_state(10, 8, NULL, NULL)"), 1)
        # One untraced microsecond hides the ratio, and removing it brings the ratio back.
        rows = "(VALUES (1, 'idle', 5), (2, 'untraced', 1), (3, 'ideal', 5), (4, 'ideal', 5))"
        found = self.db.execute(f"SELECT mpg(column2, column3) OVER (ORDER BY column1 ROWS 1 PRECEDING) FROM {rows}")
        self.assertEqual([v for v, in found], [0.0, None, None, 1.0])


class Exact(Case):
    def test_sums_past_64_bits(self):
        top = 2**63 - 1
        for n, v in [(5, top), (7, -top - 1)]:
            self.db.execute("DROP TABLE IF EXISTS t")
            self.db.execute("CREATE TABLE t AS SELECT ? AS v FROM json_each(?)", (v, json.dumps([0] * n)))
            found = self.one("SELECT goodput('idle', v) FROM t")
            self.assertIn(f'"capacity":{n * v},', found)
            self.assertIn(f'"chip_time":{{"idle":{n * v}}}', found)
        found = json.loads(self.one("SELECT goodput(column1, 0, 0, 0) FROM (VALUES (?), (?), (?))", top, top, top))
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
            self.assertEqual(json.loads(self.one("SELECT goodput(?)", state))["capacity"], float(model.sums["lost"]))
        self.assertEqual(
            self.one(
                "SELECT json_extract(goodput('idle', column1), '$.capacity') "
                "FROM (VALUES (1e16), (1.0), (1.0), (-1e16))"
            ),
            2,
        )

    def test_tiny_reals_are_rounded_alone(self):
        # A third of 2^-128 vanishes, two thirds become 2^-128: the same in any order and company.
        unit = 2.0**-128
        for v, n in [(unit / 3, 0), (unit * 2 / 3, 1), (unit / 2, 0), (unit * 1.5, 2), (5e-324, 0)]:
            model = Model()
            model.add("lost", Fraction(n, 2**128) * 3)
            self.assertEqual(
                self.one("SELECT goodput_state('lost', column1) FROM (VALUES (?), (?), (?))", v, v, v),
                state_bytes(model),
            )


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
                states = (
                    "SELECT goodput_state(category, chip_time) AS s FROM "
                    f"(SELECT * FROM t ORDER BY random()) GROUP BY shard ORDER BY {order}"
                )
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
        self.assertEqual(
            self.one(
                "SELECT count(DISTINCT s) FROM (SELECT goodput_state(column1, column2) AS s FROM (VALUES "
                "('idle', 1), ('lost', 0.25)) UNION ALL SELECT goodput_state(column1, column2) FROM (VALUES "
                "('lost', 0.5), ('lost', -0.25), ('idle', 3), ('idle', -2), ('stall', 0)))"
            ),
            1,
        )


if __name__ == "__main__":
    unittest.main()
