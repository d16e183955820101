"""generic.py - tables made over files that no format describes."""
import sqlite3

import cases
from fleets import quote

REFUSED = ("a table that opens files is made in the schema temp, where no database that somebody else wrote can hold one: "
           "CREATE VIRTUAL TABLE temp.")


class Case(cases.Case):
    FILE = "f.csv"

    def make(self, module, path, options="", name="t"):
        self.db.execute(f"DROP TABLE IF EXISTS temp.{name}")
        self.db.execute(f"CREATE VIRTUAL TABLE temp.{name} USING {module}({quote(path)}{', ' if options else ''}{options})")

    def types(self, name="t"):
        return dict(self.rows("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", name))

    def refused(self, module, path, options=""):
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.make(module, path, options)
        return str(raised.exception)
