"""How often a statement looks at an interruption, and how far apart.

A look is a step of a small statement, which counts for SQLite's progress handler too. So one run of a statement with a handler shows
all of its looks, and they are counted. MPG_FULL: ten times and more as much input; and on a machine that does nothing else the gaps
between looks are measured, in processor time.
"""
import os
import time
import unittest

from fleets import ROOT

FULL = bool(os.environ.get("MPG_FULL"))


def text(path):
    with open(os.path.join(ROOT, "fixtures", path), encoding="utf-8") as file:
        return file.read()


def gaps(db, sql, steps):
    """Processor seconds in all, looks, those of them that SQLite does not take itself to count rows, and seconds of the widest gap
    between two and after the last: there a statement gives back its memory, which is all that is left to do."""
    clock, widest, looks = time.process_time, 0.0, 0

    def look():
        nonlocal last, widest, looks
        widest, looks = max(widest, clock() - last), looks + 1
        last = clock()
        return 0

    db.set_progress_handler(look, steps)
    start = last = clock()
    rows = db.execute(sql).fetchall()
    own = looks - (2 * rows[0][0] if sql.startswith("SELECT count(*)") else 0)
    return clock() - start, looks, own, widest, clock() - last


class Case(unittest.TestCase):
    def setUp(self):
        """One processor, so one thread: how many looks several take goes by who was quicker."""
        if not FULL:
            every = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {min(every)})
            self.addCleanup(os.sched_setaffinity, 0, every)
