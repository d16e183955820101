"""malformed.py - a text as a reader's input: its rows, its issues, or the error that it is refused with."""

import sqlite3

import cases


class Case(cases.FolderCase):
    FILE = "input"

    def read(self, table, text, columns="*", more="", *parameters):
        self.input = self.file(text)
        return self.rows(f"SELECT {columns} FROM {table}(?{more})", self.input, *parameters)

    def issues(self):
        return self.rows("SELECT kind, count, detail FROM mpg_issues WHERE source = ?", self.input)

    def refused(self, table, errors):
        """Each text stops the query with this error, behind the name of table and file."""
        for text, error in errors.items():
            with self.subTest(text=text):
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    self.read(table, text)
                self.assertEqual(f"{table}: {self.input}:{error}", str(raised.exception))
