"""What must hold of any fleet whatever the ledger says of it, on random odd ones (random_fleets.py), of which some have a clock that was set.

MPG_FLEETS=N tries N fleets a law instead of sixty; with MPG_FULL it is a thousand.
"""

import os
import random
import unittest
from collections import Counter

import figures
import naive
import random_fleets
from fleets import (
    FORMS,
    KEY,
    as_source,
    connect,
    create_tables,
    difference,
    ledger,
    project,
    quote,
    where,
    write_csv,
    write_jsonl,
)

FULL = bool(os.environ.get("MPG_FULL"))
FLEETS = int(os.environ.get("MPG_FLEETS", 1000 if FULL else 60))
STATE = "SELECT hex(goodput_state(category, chip_us)), goodput(category, chip_us) FROM "
TIMES = ("start_time", "end_time", "submit_time", "snapshot_time", "durable_time")
FOUND = Counter()  # of each law, how many fleets


def set_clock(rng, relations):
    """A fleet in which the clock of one job's trainer is set at some instant: what it tells of later times is off by a step."""
    names = sorted({row["job"] for row in relations.get("spans", [])})
    if not names:
        return relations
    name, step = rng.choice(names), rng.choice([-30, -3, -0.001, -0.000001, 0.5, 20])
    times = [row["start_time"] for row in relations["spans"] if row["job"] == name]
    at = rng.choice(times)

    def told(row):
        moved = {key: max(0, round(row[key] + step, 6)) for key in TIMES if row.get(key) is not None and row[key] >= at}
        row = {**row, **moved}
        if row.get("end_time") is not None and row["end_time"] < row["start_time"]:
            row["end_time"] = row["start_time"]  # a trainer that measures lengths by another clock
        return row

    return {
        relation: [told(row) if relation in ("spans", "commits") and row["job"] == name else row for row in rows]
        for relation, rows in relations.items()
    }


def fleets(law, first=10**6):
    """(seed, random numbers, relations, options) of FLEETS fleets of this law's own."""
    for seed in range(first, first + FLEETS):
        rng = random.Random(f"{law} {seed}")
        relations, options = random_fleets.odd_fleet(seed)
        if rng.random() < 0.25:
            relations = set_clock(rng, relations)
        FOUND[law] += 1
        yield seed, rng, relations, options


def over_tables(relations):
    db = connect()
    create_tables(db, relations)
    return db


def as_of(relations, options):
    """Told to every part, where the whole would tell it itself."""
    return {**options, "as_of": options.get("as_of", naive.Ledger(relations).as_of / 10**6)}


class Laws(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        if FULL and "LD_PRELOAD" not in os.environ:  # not under another qsort (test_memory.py)
            figures.record("laws", dict(sorted(FOUND.items())))

    def check(self, expected, found, *what):
        text = difference(expected, found)
        if text:
            self.fail(f"{what}\n{text}")

    def test_a_clock_that_was_set(self):
        """The naive computation says the same, and what capacity there is is accounted for."""
        for seed, rng, relations, options in fleets("clocks"):
            relations = set_clock(rng, relations)
            expected = naive.compute(relations, **options)
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                found = ledger(db, source, options)
                self.check(expected.ledger, found, seed, options)
                if options.get("basis", "installed") == "installed":
                    columns = ["pool", "category", "bucket"]
                    held = Counter()
                    for (pool, category, bucket), us in project(found, columns).items():
                        if category != "queued":
                            held[pool, bucket] += us
                    self.check(
                        Counter({k: v for k, v in expected.capacity.items() if v}),
                        Counter({k: v for k, v in held.items() if v}),
                        seed,
                    )

    def test_order_files_and_compression(self):
        """Records in another order, dealt into other files, packed or not: the same rows and the same bytes of state."""
        for seed, rng, relations, options in fleets("order, files, compression"):
            db = over_tables(relations)
            expected = ledger(db, "mpg_ledger", options)
            state = db.execute(f"{STATE} mpg_ledger{where(options)}").fetchone()
            shuffled = {name: rng.sample(rows, len(rows)) for name, rows in relations.items()}
            with as_source({}, "csv") as (other, source):
                folder = source[len("trace_ledger('") : -len("')")]
                if rng.random() < 0.5:
                    write_csv(folder, shuffled, rng.choice([1, 2, 5]), rng.choice(["", ".gz", ".zst"]), rng)
                else:
                    write_jsonl(folder, shuffled, rng.choice(["", ".gz", ".zst"]), rng=rng)
                for table in (source, source.replace("ledger", "rollup")):
                    self.check(expected, ledger(other, table, options), seed, options)
                    self.assertEqual(
                        state, other.execute(f"{STATE} {table}{where(options)}").fetchone(), (seed, options)
                    )

    def test_widths_of_buckets(self):
        columns = [c for c in KEY if c != "bucket"]
        for seed, rng, relations, options in fleets("widths of buckets"):
            options.pop("bucket", None)
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                expected = ledger(db, source, options, columns)
                for width in rng.sample(
                    [
                        3,
                        7.5,
                        0.777777,
                        "1 minute",
                        "1 hour",
                        "1 day +05:45",
                        "1 week",
                        "1 month -03:00",
                        "1 quarter",
                        "1 year",
                    ],
                    3,
                ):
                    for table in (source, source.replace("ledger", "rollup")):
                        self.check(expected, ledger(db, table, {**options, "bucket": width}, columns), seed, width)

    def test_windows_of_time(self):
        """Cut anywhere, they add up to the whole; what one alone holds is held to the naive computation by test_fleets."""
        for seed, rng, relations, options in fleets("windows of time"):
            options.pop("since", None), options.pop("until", None)
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                expected = ledger(db, source, options)
                cuts = sorted(
                    {
                        random_fleets.Odd(seed).origin + round(rng.uniform(0, 60), 6)
                        for _ in range(rng.choice([1, 2, 4]))
                    }
                )
                edges = [None, *cuts, None]
                for table in (source, source.replace("ledger", "rollup")):
                    total = Counter()
                    for since, until in zip(edges, edges[1:]):
                        window = {k: v for k, v in (("since", since), ("until", until)) if v is not None}
                        total.update(ledger(db, table, {**options, **window}))
                    self.check(expected, Counter({k: v for k, v in total.items() if v}), seed, cuts)

    def test_another_job(self):
        """What a job did is its own: the rows of one do not change when all others are taken away."""
        for seed, rng, relations, options in fleets("another job"):
            names = sorted({row["job"] for rows in relations.values() for row in rows if row.get("job") is not None})
            if len(names) < 2:
                FOUND["another job"] -= 1
                continue
            options = as_of(relations, options)
            options.pop("basis", None)
            name = rng.choice(names)
            alone = {
                relation: [row for row in rows if row.get("job", name) == name] for relation, rows in relations.items()
            }
            columns = ", ".join(KEY + ["start_time", "end_time", "phase", "size", "chip_us"])
            terms = where(options) + f" AND job = {quote(name)} ORDER BY {columns}"
            rows = [
                over_tables(given).execute(f"SELECT {columns} FROM mpg_ledger{terms}").fetchall()
                for given in (relations, alone)
            ]
            self.assertEqual(rows[0], rows[1], (seed, name, options))

    def test_sql_windows(self):
        """An aggregate over a frame that moves, which takes rows out again, is the aggregate over the rows of the frame."""
        calls = [
            "hex(goodput_state(category, chip_us) OVER w)",
            "mpg_lower(category, chip_us) OVER w",
            "goodput(category, chip_us) OVER w",
        ]
        for seed, rng, relations, options in fleets("frames of SQL"):
            db = over_tables(relations)
            db.execute(
                f"CREATE TEMP TABLE l AS SELECT category, chip_us, row_number() OVER (ORDER BY start_time, chip_us, category, job) AS n "
                f"FROM mpg_rows{where(options)}".replace("mpg_rows", "mpg_ledger")
            )
            before, behind = rng.choice([0, 1, 2, 5]), rng.choice([0, 1, 3])
            found = db.execute(
                f"SELECT n, {', '.join(calls)} FROM l WINDOW w AS (ORDER BY n ROWS BETWEEN {before} PRECEDING AND {behind} FOLLOWING) "
                "ORDER BY n LIMIT 60"
            ).fetchall()
            plain = ", ".join(call.replace(" OVER w", "") for call in calls)
            for row in found:
                expected = db.execute(
                    f"SELECT {plain} FROM l WHERE n BETWEEN ? AND ?", (row[0] - before, row[0] + behind)
                ).fetchone()
                self.assertEqual(expected, row[1:], (seed, row[0], before, behind))


if __name__ == "__main__":
    unittest.main()
