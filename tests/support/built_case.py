"""built_case.py - databases after builds that follow each other: of sequences that begin alike the beginning is built once."""

import sqlite3

from cases import Case
from fleets import connect


class BuiltCase(Case):
    def setUp(self):
        super().setUp()
        self.built_before = {}  # {the steps so far: a copy of the database after them}

    def after(self, build, steps):
        """A connection to the database that build(db, step) of each step leaves, closed after the test. It goes on from a copy, as another
        process would, where the first steps were done before."""
        keys = [(build, *map(repr, steps[: n + 1])) for n in range(len(steps))]
        done = max((n + 1 for n, key in enumerate(keys) if key in self.built_before), default=0)
        db = connect(":memory:")
        self.addCleanup(db.close)
        if done:
            self.built_before[keys[done - 1]].backup(db)
        for step, key in list(zip(steps, keys))[done:]:
            build(db, step)
            copy = self.built_before[key] = sqlite3.connect(":memory:")
            self.addCleanup(copy.close)
            db.backup(copy)
        return db
