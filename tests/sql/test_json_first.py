#!/usr/bin/python3
"""json_first, held against coalesce(json_extract(...), ...)."""

import json
import random
import unittest

from cases import Case

VALUES = (
    None,
    True,
    False,
    0,
    -7,
    2**53 + 1,
    2**70,
    0.5,
    1e-9,
    1.5e300,
    "",
    "a",
    'é\n"',
    "\\",
    [],
    [1, [2]],
    {},
    {"a": None},
)
NAMES = ("a", "b", "loss", "train/loss", "a b", "_step")


class First(Case):
    def of(self, text, *names):
        return self.one(f"SELECT json_first(?{', ?' * len(names)})", text, *names)

    def test_as_json_extract(self):
        random.seed(31)
        found = 0
        for turn in range(3000):
            record = {name: random.choice(VALUES) for name in random.sample(NAMES, random.randrange(6))}
            text = json.dumps(record, ensure_ascii=turn % 2 == 0, indent=random.choice((None, None, 1)))
            names = random.sample(NAMES, random.randrange(1, 5))
            paths = ", ".join(f"json_extract(?1, '$.\"{name}\"')" for name in names)
            expected = self.one(f"SELECT coalesce({paths}, NULL)", text)
            first = self.of(text, *names)
            if isinstance(expected, str) and expected[:1] in ("[", "{"):
                first, expected = json.loads(first), json.loads(expected)
            self.assertEqual((type(first), first), (type(expected), expected), (text, names))
            found += first is not None
        self.assertGreater(found, 500)

    def test_names(self):
        self.assertEqual(self.of('{"a": 1}', "b", None, "a"), 1)
        self.assertIsNone(self.of('{"": 1}', None))
        self.assertEqual(self.of('{"": 1, "q\\"": 2}', "x", 'q"'), 2)
        self.assertEqual(self.of('{"": 1}', ""), 1)
        self.assertEqual(self.of('{"7": 1}', 7), 1)
        self.assertEqual(
            self.of('{"gr\\u00f6\\u00dfe": 1, "b": 2}', "größe", "b"), 1
        )  # which json_extract does not find before 3.46
        self.assertEqual(self.of('{"a": null, "a": 3, "a": 4}', "a"), 3)
        self.assertEqual(self.of('{"n125": 5}', *(f"n{i}" for i in range(126))), 5)

    def test_values(self):
        self.assertIsNone(self.of(None, "a"))
        self.assertIsNone(self.of(" {} ", "a"))
        self.assertEqual(self.of('{"a": 1e999, "b": -1e999}', "a"), float("inf"))
        self.assertEqual(self.of('{"a": 1e999, "b": -1e999}', "b"), float("-inf"))
        self.assertEqual(self.of('{"a": "\\ud83d\\ude00"}', "a"), "😀")

    def test_one_object_asked_again(self):
        """The members of the last object are remembered: also of one with many members, of a long one, and behind one that is none."""
        objects = [
            {"a": 1, "b": "x", "gr\u00f6\u00dfe": [1], "n": None},
            {f"k{i}": i for i in range(255)} | {"a": "last"},
            {f"k{i}": i for i in range(256)} | {"a": "one more"},
            {"long": "y" * 16384, "a": 2, "b": 3},
            {"a": 2.5},
            {},
        ]
        for size in (16382, 16383, 16384, 16385, 16386):  # bytes
            objects.append({"a": 7, "b": "z" * (size - len('{"a": 7, "b": ""}'))})
        asked = ", ".join(
            f"json_first(o, {names})"
            for names in ("'a'", "'b', 'a'", "'größe', 'b'", "'n', 'k255', 'k254'", "'none'", "'a'")
        )
        self.db.execute("CREATE TEMP TABLE objects(o)")
        for one in objects + objects[::-1] + [objects[0], objects[0]]:
            self.db.execute("INSERT INTO objects VALUES (?)", (json.dumps(one),))
        for a, b_a, groesse_b, n_k, none, again, text in self.rows(f"SELECT {asked}, o FROM objects"):
            one = json.loads(text)
            first = lambda *names: next((one[name] for name in names if one.get(name) is not None), None)
            self.assertEqual(
                (first("a"), first("b", "a"), first("n", "k255", "k254"), None, a), (a, b_a, n_k, none, again)
            )
            expected = first("größe", "b")
            self.assertEqual("[1]" if expected == [1] else expected, groesse_b)
        self.assertEqual(5, self.one("SELECT json_first(?, 'a')", '{"a": 5}'))
        self.assertIn("expected a JSON object", self.error("SELECT json_first(?, 'a')", '{"a": 5'))
        self.assertEqual(5, self.one("SELECT json_first(?, 'a')", '{"a": 5}'))

    def test_names_in_an_array(self):
        """As the names one by one, whether SQLite keeps them, as it does those of a text in the statement, or not."""
        random.seed(32)
        self.db.execute("CREATE TEMP TABLE records(o)")
        for _ in range(60):
            record = {
                name: random.choice(VALUES) for name in random.sample((*NAMES, 'q"', "größe"), random.randrange(6))
            }
            self.db.execute("INSERT INTO records VALUES (?)", (json.dumps(record),))
        found = 0
        for turn in range(60):
            names = random.sample((*NAMES, 'q"', "größe"), turn % 6)
            array = json.dumps(names, ensure_ascii=turn % 2 == 0, indent=random.choice((None, 1)))
            one_by_one = f"json_first(o{', ?' * len(names)})" if names else "NULL"
            expected = self.rows(f"SELECT {one_by_one} FROM records", *names)
            literal = array.replace("'", "''")
            self.assertEqual(expected, self.rows(f"SELECT json_first(o, '{literal}') FROM records"), array)
            self.assertEqual(
                expected, self.rows("SELECT json_first(o, ? || substr(o, 1, 0)) FROM records", array), array
            )
            found += sum(value is not None for value, in expected)
        self.assertGreater(found, 200)
        arrays = """SELECT group_concat(json_first('{"a": 1, "b": 2}', value)) FROM json_each('["[\\"a\\"]", "[\\"b\\"]", "b"]')"""
        self.assertEqual("1,2,2", self.one(arrays))
        many = json.dumps({f"n{i}": None for i in range(300)} | {"n300": 5})
        self.assertEqual(5, self.of(many, json.dumps([f"n{i}" for i in range(301)])))

    def test_of_the_record_of_a_reader(self):
        """What _record lends are the members that the column record has."""
        random.seed(33)
        lines = ['{"a": NaN, "b": 2}', '{"a": 1e400, "b": -Infinity, "loss": 3}', "{}", '{"a b": {"b": [NaN]}}']
        for turn in range(300):
            record = {
                name: random.choice(VALUES) for name in random.sample((*NAMES, 'q"', "größe"), random.randrange(8))
            }
            lines.append(json.dumps(record, ensure_ascii=turn % 2 == 0))
        path = self.file("".join(line + "\n" for line in lines))
        found = 0
        for _ in range(40):
            names = random.sample((*NAMES, 'q"', "größe"), random.randrange(1, 6))
            asked = ", ".join("?" * len(names))
            same = self.rows(
                f"SELECT json_first(record, {asked}), json_first(_record, {asked}), json_first(_record, ?)"
                " FROM jsonl_trace(?)",
                *names, *names, json.dumps(names), path,
            )  # fmt: skip
            self.assertEqual(len(lines), len(same))
            for of_text, of_record, by_array in same:
                self.assertEqual((type(of_text), of_text), (type(of_record), of_record), names)
                self.assertEqual(of_record, by_array, names)
                found += of_text is not None
        self.assertGreater(found, 2000)
        # It is of the row at hand alone: what is kept, or is of another reader, has no members.
        kept = "SELECT json_first(r, 'b') FROM (SELECT _record AS r FROM jsonl_trace(?) ORDER BY _line DESC)"
        self.assertEqual({(None,)}, set(self.rows(kept, path)))
        self.assertEqual(
            {(None,)}, set(self.rows("SELECT json_first(_record, 'b') FROM log_trace(?, '(?<b>\\d)')", path))
        )
        self.fails(
            "jsonl_trace: _record has all members: it goes with no columns",
            "SELECT json_first(_record, 'b') FROM jsonl_trace(?) WHERE columns = 'b'",
            path,
        )

    def test_names_that_are_no_array_of_names(self):
        for name in (
            "[",
            "[]]",
            "[a]",
            '["a"',
            '["a",]',
            '["a" "b"]',
            "[1]",
            "[null]",
            '["a"]x',
            '["a\\x"]',
            '[["a"]]',
        ):
            with self.subTest(name):
                self.assertEqual(3, self.of(json.dumps({"a": 1, name: 3}), name))

    def test_errors(self):
        for text in ("", "x", "1", "[1]", '"a"', "{", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{a:1}', '{"a":1}}', '{"a" 1}',
                     '{"a":nul}', '{"a":1 "b":2}', '{"b":[1}', '{"a":1}x'):  # fmt: skip
            with self.subTest(text):
                self.assertIn(
                    "json_first: expected a JSON object, found ", self.error("SELECT json_first(?, 'a')", text)
                )
        self.fails("json_first: expected a JSON object, found 7", "SELECT json_first(7, 'a')")
        for names in (0, 127):
            arguments = ", ".join(["'{}'"] + ["'a'"] * names)
            self.assertRegex(
                self.error(f"SELECT json_first({arguments})"),
                "expected an object and 1 to 126 names|too many arguments",
            )


if __name__ == "__main__":
    unittest.main()
