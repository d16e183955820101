"""tongue_case.py - what a suite over a fleet in other formats stands on: the fleet, its files, and the ledger of what these must say.

MPG_TONGUES=N tries N fleets instead of a few.
"""

import gzip
import os
import random
import subprocess
from collections import Counter

import story
from cases import Case
from fleets import connect, create_tables
from story import MILLION

SEEDS = int(os.environ.get("MPG_TONGUES", 0))
RELATIONS = ["capacity", "outages", "jobs", "allocations", "spans", "commits", "programs"]
ENTRIES = "SELECT pool, job, category, cause, sum(chip_us) FROM {} {} GROUP BY 1, 2, 3, 4"
PRODUCTIVE = ("ideal", "inefficiency", "unrated")
SCHEDULING = ("partial", "idle", "down", "queued")


def entries(db, source, as_of=None):
    """(pool, job, category, cause) -> chip_us"""
    return Counter(
        {
            tuple(row[:4]): row[4]
            for row in db.execute(ENTRIES.format(source, "" if as_of is None else f"WHERE as_of = {as_of}"))
        }
    )


class TongueCase(Case):
    """`tell(story, folder)` writes the files and returns the relations that they tell."""

    NEAR = 10_000  # chip-microseconds that times printed in decimals may come to in a job
    FLEETS = 2
    tell = None

    def fleet(self, seed, spans="2e3"):
        """(story, folder of the files, relations)"""
        made = self.new_folder()
        told = self.generated(made, seed, spans)
        folder = os.path.join(made, "site")
        os.mkdir(folder)
        return told, folder, type(self).tell(told, folder)

    def generated(self, folder, seed, spans):
        return story.generate(folder, seed, spans)

    def seeds(self):
        return range(1, 1 + (SEEDS or self.FLEETS))

    def expected(self, relations, as_of):
        db = connect()
        try:
            create_tables(db, {name: relations.get(name, []) for name in RELATIONS})
            return entries(db, "mpg_rollup", as_of)
        finally:
            db.close()

    def found(self, path, as_of=None):
        return entries(self.db, f"trace_rollup('{path}')", as_of)

    def check_near(self, expected, found, near_of=lambda key: 0):
        far = [
            f"{key}: expected {expected[key] / 1e6}, found {found[key] / 1e6} chip-seconds"
            for key in sorted(set(expected) | set(found), key=repr)
            if abs(expected[key] - found[key]) > max(self.NEAR, near_of(key))
        ]
        self.assertEqual([], far[:20])

    def check_held(self, story, names, found, traced):
        """Every job held all that it needed for as long as the generator booked, up to a second an end; `untraced` is what has no log."""
        for job, name in names.items():
            true = Counter(
                {
                    (pool, of, category, cause): us
                    for (of, pool, category, cause), us in story.truth.items()
                    if of == job
                }
            )
            surplus = sum(us for (_, _, _, cause), us in true.items() if cause == "surplus")
            ends = second_an_end(story, job)
            held = all_allocated(found, name)
            self.assertAlmostEqual(all_allocated(true, job) + surplus, held, delta=ends, msg=name)
            self.assertEqual(0 if name in traced else held, of_jobs(found, [name], "untraced"), name)


def second_an_end(story, job):
    """The chip-microseconds that the ends of a job's allocations may be off by, in a format of whole seconds."""
    return sum(2 * MILLION * piece[2] for run in story.runs[job] for piece in run.pieces)


def has_surplus(story, job):
    """Whether the job held more than it asked for."""
    return any(of == job and cause == "surplus" for of, _, _, cause in story.truth)


def scrambled(folder, seed):
    """Moves a part of the files into other folders, packs a part of them, and puts others among them that are no traces."""
    rng = random.Random(seed)
    for place, _, names in list(os.walk(folder)):
        for name in names:
            path = os.path.join(place, name)
            if rng.random() < 0.3:
                moved = os.path.join(folder, rng.choice(["a", "z/y"]), os.path.relpath(path, folder))
                os.makedirs(os.path.dirname(moved), exist_ok=True)
                os.rename(path, moved)
                path = moved
            packing = rng.choice(["", "", ".gz", ".zst"])
            if packing == ".gz":
                with open(path, "rb") as file, gzip.open(path + ".gz", "wb") as packed:
                    packed.write(file.read())
            elif packing:
                subprocess.run(["zstd", "-q", path], check=True)
            if packing:
                os.remove(path)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("# What this is\n")
    with open(os.path.join(folder, "weights.bin"), "wb") as file:
        file.write(rng.randbytes(4096))


def of_jobs(counter, jobs, *categories):
    return sum(us for (_, job, category, _), us in counter.items() if job in jobs and category in categories)


def all_allocated(counter, job):
    return sum(us for (_, of, category, _), us in counter.items() if of == job and category not in SCHEDULING)
