#!/usr/bin/python3
"""mpg_uuid against Python's uuid.uuid5."""

import os
import random
import sqlite3
import unittest
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPACES = {"dns": uuid.NAMESPACE_DNS, "url": uuid.NAMESPACE_URL, "oid": uuid.NAMESPACE_OID, "x500": uuid.NAMESPACE_X500}


def connect(encoding="UTF-8"):
    db = sqlite3.connect(":memory:")
    db.execute(f"PRAGMA encoding = '{encoding}'")
    db.enable_load_extension(True)
    db.load_extension(os.path.join(ROOT, "mpg"))
    return db


class Uuid(unittest.TestCase):
    def test_version_5(self):
        r = random.Random(1)
        for encoding in ["UTF-8", "UTF-16le", "UTF-16be"]:
            db = connect(encoding)
            for _ in range(200):
                name = "".join(r.choice("abcXYZ019-_. é€😀") for _ in range(r.randrange(40)))
                for text, space in [
                    *SPACES.items(),
                    *(
                        (f(own), own)
                        for own in [uuid.UUID(int=r.getrandbits(128))]
                        for f in [str, lambda u: "{%s}" % u, lambda u: u.urn]
                    ),
                ]:
                    found = db.execute("SELECT mpg_uuid(?, ?)", (text, name)).fetchone()[0]
                    self.assertEqual(found, str(uuid.uuid5(space, name)))
            db.close()

    def test_required(self):
        db = connect()
        self.assertEqual(
            db.execute(
                "SELECT mpg_required('a', ':log'), mpg_required(0, ':log'), mpg_required(x'', ':log')"
            ).fetchone(),
            ("a", 0, b""),
        )
        for name, found in ((":log", ":log"), (None, "an input")):
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("SELECT mpg_required(NULL, ?)", (name,)).fetchone()
            self.assertEqual(
                str(caught.exception),
                f"mpg_required: expected a value for {found}, found NULL; the script's first lines say how to set it",
            )

    def test_null_and_errors(self):
        db = connect()
        self.assertEqual(db.execute("SELECT mpg_uuid(NULL, 'a'), mpg_uuid('dns', NULL)").fetchone(), (None, None))
        for space, found in (("", "''"), ("DNS", "'DNS'"), ("nope", "'nope'"), (5, "5"), (b"dn", "'dn'")):
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("SELECT mpg_uuid(?, 'a')", (space,)).fetchone()
            self.assertEqual(
                str(caught.exception),
                f"mpg_uuid: expected a UUID, dns, url, oid or x500 as the namespace, found {found}",
            )
        db.close()


if __name__ == "__main__":
    unittest.main()
