"""mpg_runs is the timeline, folded: held against the same sums by SQL over mpg_timeline, interval by interval."""

import os
import random
import unittest

from fleets import ROOT, al, cap, connect, create_tables, fleet, job, pr, quote, sp

# Rows of one attempt and time are one interval: of categories, and of pools.
INTERVALS = """CREATE TEMP TABLE intervals AS
SELECT job, attempt, CAST(round(start_time * 1e6) AS INTEGER) AS start_us, CAST(round(end_time * 1e6) AS INTEGER) AS end_us,
       max(kind) AS kind, max(program) AS program, max(category <> 'partial' OR cause IS NOT NULL) AS whole, sum(chip_us) AS held_us,
       sum(iif(category IN ('ideal', 'inefficiency', 'unrated'), chip_us, 0)) AS productive_us, sum(iif(category = 'ideal', chip_us, 0)) AS ideal_us,
       sum(iif(category = 'unrated', chip_us, 0)) AS unrated_us, sum(iif(category = 'lost', chip_us, 0)) AS lost_us
FROM mpg_timeline WHERE category <> 'queued' AND bucket_width = '1 day' GROUP BY job, attempt, start_time, end_time"""
SUMS = "sum(held_us), sum(productive_us), sum(ideal_us), sum(unrated_us), sum(lost_us)"
DAY = "start_us / 86400000000 - (start_us % 86400000000 < 0)"
PAIRS = [
    (
        f"SELECT job, attempt, min(start_us), max(end_us), min(start_us) FILTER (WHERE whole), max(1.0 * held_us / (end_us - start_us)), {SUMS} "
        "FROM intervals GROUP BY job, attempt",
        f"SELECT job, attempt, min(start_us), max(end_us), min(start_us) FILTER (WHERE run NOT NULL), max(chips), {SUMS} FROM runs GROUP BY job, attempt",
    ),
    (
        f"SELECT program, job, {DAY} AS day, {SUMS} FROM intervals GROUP BY program, job, day",
        f"SELECT program, job, {DAY} AS day, {SUMS} FROM runs GROUP BY program, job, day",
    ),
    (
        f"""WITH before AS (
       SELECT job, attempt, start_us, max(end_us) OVER (PARTITION BY job, attempt ORDER BY start_us, end_us
                                                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_us
       FROM intervals WHERE whole),
     begins AS (
       SELECT job, attempt, start_us, row_number() OVER attempts AS run, lead(start_us, 1, 9223372036854775807) OVER attempts AS next_us
       FROM before WHERE start_us > before_us OR before_us IS NULL WINDOW attempts AS (PARTITION BY job, attempt ORDER BY start_us)),
     made AS (
       SELECT i.job, i.attempt, run, min(i.start_us) AS start_us, max(end_us) AS end_us, max(end_us) FILTER (WHERE kind IS NOT NULL) AS last_us,
              min(i.start_us) FILTER (WHERE kind IN ('step', 'rollout', 'serve', 'batch')) AS progress_us, {SUMS}
       FROM begins AS b JOIN intervals AS i ON i.job = b.job AND i.attempt = b.attempt AND i.start_us >= b.start_us AND i.start_us < next_us AND whole
       GROUP BY i.job, i.attempt, run)
     SELECT *, coalesce((SELECT sum(i.end_us - i.start_us) FROM intervals AS i WHERE i.job = m.job AND i.attempt = m.attempt AND kind = 'restore'
                         AND i.start_us >= m.start_us AND i.start_us < coalesce(m.progress_us, m.end_us)), 0)
     FROM made AS m ORDER BY job, attempt, run""",
        f"""SELECT job, attempt, run, min(start_us), max(end_us), max(last_span_us), min(progress_us), {SUMS}, sum(restore_us)
     FROM runs WHERE run NOT NULL GROUP BY job, attempt, run""",
    ),
]


def random_fleet(rng):
    """Gangs over two pools that are at times not whole, attempts that overlap, and spans across midnight."""
    records = [cap(16, 0, 800000), cap(16, 0, 800000, "q")]
    records += [pr(name, rng.choice([1e15, None]), "bf16") for name in "abc"]
    for name in "jkl":
        records.append(job(name, chips=rng.choice([4, 6])))
        for attempt in range(1, rng.randint(2, 5)):
            start = rng.randrange(100000, 400000, 500)
            for task in "xyz":
                for _ in range(rng.randint(1, 4)):
                    begin = start + rng.choice([0, 0, 500, 30000, 60000])
                    records.append(
                        al(
                            rng.choice([2, 2, 3]),
                            begin,
                            begin + rng.choice([2000, 20000, 90000]),
                            attempt,
                            task,
                            rng.choice("pq"),
                            job=name,
                        )
                    )
            for step in range(rng.randint(0, 12)):
                kind = rng.choice(["init", "restore", "step", "step", "step", "eval", "batch", "own"])
                begin = start + rng.randrange(0, 95000, 250)
                more = {"program": rng.choice("abc")} if kind in ("step", "batch") else {}
                records.append(
                    sp(
                        kind,
                        begin,
                        begin + rng.choice([250, 500, 40000]),
                        step if kind == "step" else None,
                        attempt,
                        name,
                        **more,
                    )
                )
    return fleet(*records)


class Runs(unittest.TestCase):
    maxDiff = None

    def compare(self, db):
        db.execute(INTERVALS)
        db.execute("CREATE TEMP TABLE runs AS SELECT * FROM mpg_runs WHERE bucket_width = '1 day'")
        for naive, folded in PAIRS:
            self.assertEqual(db.execute(naive).fetchall(), db.execute(folded).fetchall(), folded)
        self.assertEqual(
            [],
            db.execute(
                f"SELECT job, attempt, run, program, {DAY} AS day FROM runs GROUP BY 1, 2, 3, 4, 5 HAVING count(*) > 1"
            ).fetchall(),
        )
        return db.execute("SELECT count(*), max(run), sum(restore_us) FROM runs").fetchone()

    def test_of_a_fleet(self):
        db = connect()
        db.execute(f"SELECT mpg_import({quote(os.path.join(ROOT, 'fixtures', 'fleet'))})")
        self.assertGreater(self.compare(db)[0], 700)

    def test_of_any_fleet(self):
        rows = most = restores = 0
        for seed in range(60):
            with self.subTest(seed):
                db = connect()
                create_tables(db, random_fleet(random.Random(seed)))
                n, run, restore = self.compare(db)
                rows, most, restores = rows + n, max(most, run or 0), restores + (restore or 0)
        self.assertGreater(rows, 1000)
        self.assertGreater(most, 2)
        self.assertGreater(restores, 10**9)

    def test_too_much(self):
        db = connect()
        create_tables(db, fleet(cap(1e9, 0, 2e9), al(1e9, 0, 2e9)))
        with self.assertRaisesRegex(Exception, "^mpg_runs: job j: it holds more than 9 x 10.18 chip-microseconds$"):
            db.execute("SELECT * FROM mpg_runs").fetchall()

    def test_arguments(self):
        db = connect()
        create_tables(db, fleet(cap(8, 0, 100), al(8, 0, 50)))
        self.assertEqual([(50000000, 400000000)], db.execute("SELECT end_us, held_us FROM mpg_runs('main')").fetchall())
        self.assertEqual(
            [(20000000, 160000000)],
            db.execute("SELECT end_us, held_us FROM mpg_runs WHERE until = 20 AND schema = 'main'").fetchall(),
        )
        with self.assertRaisesRegex(Exception, "^mpg_runs: .*nowhere"):
            db.execute("SELECT * FROM mpg_runs('nowhere')").fetchall()


if __name__ == "__main__":
    unittest.main()
