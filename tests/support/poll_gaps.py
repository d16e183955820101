"""How often a statement looks at an interruption, and how far apart.

A look is a step of a small statement, which counts for SQLite's progress handler too. So one run of a statement with a handler shows
all of its looks, and they are counted. MPG_FULL: ten times and more as much input; and on a machine that does nothing else the gaps
between looks are measured, in processor time. Where the host is slow to give fresh memory they are the host's, and not judged.
"""

import functools
import mmap
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
    clock, widest, looks = time.process_time, 0.0, []

    def look():
        nonlocal last, widest
        widest = max(widest, clock() - last)
        looks.append(None)
        last = clock()

    count_alone = functools.partial(looks.append, None)  # of a million calls a second less than look() takes
    db.set_progress_handler(look if FULL else count_alone, steps)
    start = last = clock()
    rows = db.execute(sql).fetchall()
    own = len(looks) - (2 * rows[0][0] if sql.startswith("SELECT count(*)") else 0)
    return clock() - start, len(looks), own, widest, clock() - last


@functools.cache
def fresh_page():
    """Microseconds of a processor until the host has given a page: less than one mostly, 20 where tables of pages are kept by software."""
    pages, size = 16384, mmap.PAGESIZE
    with mmap.mmap(-1, pages * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        times = [time.process_time()]
        for _ in range(2):
            memory[::size] = b"x" * pages
            times.append(time.process_time())
    return 1e6 * (times[1] - times[0] - (times[2] - times[1])) / pages


class Judge(unittest.TestCase):
    def judge(self, seconds, most, *of):
        """The seconds between two looks are fewer, where the code decides and not the host."""
        if fresh_page() < 3:
            self.assertLess(seconds, most, *of)

    def judged(self):
        if FULL and fresh_page() >= 3:
            self.skipTest(
                f"gaps between looks are not judged: this host takes {fresh_page():.0f} microseconds to give a page"
            )


class Case(Judge):
    def setUp(self):
        """One processor, so one thread: how many looks several take goes by who was quicker."""
        if not FULL:
            every = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {min(every)})
            self.addCleanup(os.sched_setaffinity, 0, every)
