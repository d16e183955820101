"""Random mixes of files of all formats in one folder: each road to the ledger gives the same chip time.

Files that were not made to lie together conflict in every way: jobs of one name, pools of one name, times years apart. What is right there the
mappings' own tests say; this one asks that trace_rollup, trace_ledger, mpg_import and mpg_build, once and twice, say the same.
MPG_MIXES=500 asks more mixes, MPG_MIX=17 the one of that seed alone."""

import os
import random
import shutil
import sqlite3
import unittest

from cases import FolderCase
from fleets import ROOT, connect

MIXES = int(os.environ.get("MPG_MIXES", 20))
ONLY = os.environ.get("MPG_MIX")
BY = "pool, job, attempt, phase, category, cause"
LARGEST = 300_000  # bytes of a file: larger ones take seconds and mix no better


def files():
    """Fixtures by their path in the folder, in the order of their names."""
    found = []
    for folder, _, names in os.walk(os.path.join(ROOT, "fixtures")):
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith((".md", ".mk")) and os.path.getsize(path) < LARGEST:
                found.append(os.path.relpath(path, os.path.join(ROOT, "fixtures")))
    return sorted(found)


def chip_time(db, source, *arguments):
    """Chip-microseconds by BY; of a table or a call."""
    asked = f"SELECT {BY}, sum(chip_us) FROM {source} GROUP BY {BY} HAVING sum(chip_us) <> 0"
    return {row[:-1]: row[-1] for row in db.execute(asked, arguments)}


def said(road):
    """What a road gives, or how it fails."""
    try:
        return road()
    except sqlite3.Error as error:
        return str(error)


class Mixes(FolderCase):
    def imported(self, folder):
        db = connect()
        self.addCleanup(db.close)
        db.execute("SELECT mpg_import(?)", (folder,)).fetchall()
        return chip_time(db, "mpg_rollup")

    def built(self, folder):
        path = folder + ".db"
        db = connect(path)
        try:
            db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
            db.commit()
            return chip_time(db, "ledger")
        finally:
            db.close()

    def test_roads(self):
        names, asked = files(), 0
        for seed in [int(ONLY)] if ONLY else range(MIXES):
            rng = random.Random(seed)
            picked = rng.sample(names, rng.randrange(2, 8))
            folder = self.path(str(seed))
            for name in picked:
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(os.path.join(ROOT, "fixtures", name), path)
            with self.subTest(seed=seed, files=picked):
                rows = said(lambda: chip_time(self.db, "trace_rollup(?)", folder))
                asked += isinstance(rows, dict) and len(rows) > 0
                for road in (
                    lambda: chip_time(self.db, "trace_ledger(?)", folder),
                    lambda: self.imported(folder),
                    lambda: self.built(folder),
                    lambda: self.built(folder),
                ):
                    found = said(road)
                    if isinstance(rows, str):  # each road fails, in words that name its own function
                        self.assertIsInstance(found, str)
                    else:
                        self.assertEqual(rows, found)
        self.assertGreater(asked, 0)


if __name__ == "__main__":
    unittest.main()
