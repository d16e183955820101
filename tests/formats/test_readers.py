"""What every table over files has in common: rowids, arguments that can be read back, joins from either side, wrong arguments."""

import contextlib
import sqlite3
import unittest

import formats
from fleets import ROOT, connect

# Of each table: what it is called with.
CALLS = {
    sample.table: ["fixtures/" + formats.several(sample), *sample.arguments]
    for sample in map(formats.first, formats.READERS)
}


class Readers(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(contextlib.chdir(ROOT))

    def each(self):
        """(table, connection, its call with ?, arguments, names of its hidden arguments)"""
        for table, arguments in CALLS.items():
            db = connect()
            hidden = [
                row[1]
                for row in db.execute("SELECT * FROM pragma_table_xinfo(?)", (table,))
                if row[6] and not row[1].startswith("_")
            ]
            yield table, db, f"{table}({', '.join('?' * len(arguments))})", arguments, hidden
            db.close()

    def test_rowids(self):
        """One a row, the same when asked again."""
        for table, db, call, arguments, _ in self.each():
            found = db.execute(f"SELECT rowid FROM {call}", arguments).fetchall()
            self.assertGreater(len(found), 0)
            self.assertEqual(len(found), len(set(found)))
            self.assertEqual(found, db.execute(f"SELECT rowid FROM {call}", arguments).fetchall())
            self.assertTrue(all(isinstance(row[0], int) for row in found))

    def test_arguments_are_columns(self):
        for table, db, call, arguments, hidden in self.each():
            row = db.execute(f"SELECT {', '.join(hidden[:len(arguments)])} FROM {call} LIMIT 1", arguments).fetchone()
            self.assertEqual(arguments, list(row))

    def test_joins(self):
        """Arguments from another table, whichever stands first."""
        for table, db, call, arguments, hidden in self.each():
            expected = db.execute(f"SELECT count(*) FROM {call}", arguments).fetchone()
            db.execute(f"CREATE TEMP TABLE a({', '.join(hidden[:len(arguments)])})")
            db.executemany(f"INSERT INTO a VALUES ({', '.join('?' * len(arguments))})", [arguments, arguments])
            terms = " AND ".join(f"t.{name} = a.{name}" for name in hidden[: len(arguments)])
            for source in (f"a, {table} AS t", f"{table} AS t, a", f"a JOIN {table} AS t", f"{table} AS t JOIN a"):
                self.assertEqual(
                    (2 * expected[0],), db.execute(f"SELECT count(*) FROM {source} WHERE {terms}").fetchone(), source
                )
            # The reader outside of what it needs: said so, or as slow as it must be; no rows made up.
            try:
                self.assertEqual(
                    (2 * expected[0],),
                    db.execute(f"SELECT count(*) FROM {table} AS t CROSS JOIN a WHERE {terms}").fetchone(),
                )
            except sqlite3.OperationalError as error:
                self.assertRegex(
                    str(error),
                    "no query solution|expected a path|needs a path|takes = alone, outside OR and RIGHT or FULL JOIN",
                )

    def test_arguments_take_equality(self):
        for table, db, call, arguments, hidden in self.each():
            for name in hidden:
                for term in (
                    f"{name} > 'a'",
                    f"{name} LIKE 'fixtures%'",
                    f"{name} IS NOT NULL",
                    f"{name} IN ('fixtures/none', 'fixtures/neither')",
                ):
                    with self.assertRaises(sqlite3.DatabaseError, msg=term) as raised:
                        db.execute(f"SELECT count(*) FROM {table} WHERE {term}").fetchall()
                    self.assertNotRegex(str(raised.exception), "^(not an error|unknown error)")

    def test_null_gives_nothing(self):
        for table, db, call, arguments, _ in self.each():
            self.assertEqual([], db.execute(f"SELECT * FROM {call}", [None] * len(arguments)).fetchall())

    def test_wrong_types(self):
        for table, db, call, arguments, _ in self.each():
            for wrong in (5, 5.5, "", "fixtures/none at all", "fixtures/\0golden"):
                with self.assertRaises(sqlite3.DatabaseError, msg=repr(wrong)) as raised:
                    db.execute(f"SELECT count(*) FROM {call}", [wrong] + arguments[1:]).fetchall()
                self.assertRegex(str(raised.exception), rf"^{table}: ", repr(wrong))


if __name__ == "__main__":
    unittest.main()
