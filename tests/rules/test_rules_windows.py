"""Windows, sizes and repetitions (docs/rules.md, sections 8 to 10), and records that the naive computation refuses."""

import sqlite3
import unittest
from collections import Counter

import naive
from fleets import FORMS, al, as_source, cap, co, connect, create_tables, fleet, job, ledger, out, pr, project, sp
from rules_case import CHIPS, MS, POOL, Cases, Rules, steps

case = Cases()

# 8. Windows, buckets and integers

case(
    "buckets",
    [cap(2, 1800, 9000), al(1, 3000, 4000)],
    {
        ("1970-01-01 00:00:00", "idle"): 3600 - 600,
        ("1970-01-01 00:00:00", "untraced"): 600,
        ("1970-01-01 01:00:00", "idle"): 7200 - 400,
        ("1970-01-01 01:00:00", "untraced"): 400,
        ("1970-01-01 02:00:00", "idle"): 3600,
    },
    by=("bucket", "category"),
    bucket="1 hour",
)
case(
    "buckets of days",
    [cap(1, 0, 86400 * 2)],
    {("1970-01-01",): 86400, ("1970-01-02",): 86400},
    by=("bucket",),
    bucket=86400,
)
case(
    "buckets of weeks begin on Mondays",
    [cap(1, 86400 * 3, 86400 * 5)],
    {("1969-12-29",): 86400, ("1970-01-05",): 86400},
    by=("bucket",),
    bucket="1 week",
)
case(
    "buckets of months",
    [cap(1, 86400 * 30, 86400 * 60)],
    {("1970-01-01",): 86400, ("1970-02-01",): 28 * 86400, ("1970-03-01",): 86400},
    by=("bucket",),
    bucket="1 month",
)
case(
    "a window",
    [cap(2, 0, 100), al(1, 10, 40), sp("hang", 15, 35)],
    {("j", "unknown"): 5, ("j", "stall", "hang"): 10, (None, "idle"): 15},
    since=25,
    until=40,
)
case(
    "a window does not change what is decided",
    [al(1, 0, 40, outcome="failed"), co(2, 35, 36)] + steps(1, 2, 3, 4),
    {("j", "unrated"): 15, ("j", "lost"): 5},
    since=5,
    until=25,
)
case(
    "ideal time is cut in proportion",
    CHIPS + [cap(1, 0, 9), al(1, 0, 9, outcome="completed"), sp("step", 0, 9, 1, flops=1e7)],
    {("ideal",): 4 * MS, ("inefficiency",): 4 - 4 * MS},
    by=("category",),
    since=2,
    until=6,
)
case(
    "fractions are cut so that they add up",
    [al(1e-6, 0, 3), job()],
    {
        ("1970-01-01 00:00:01", "untraced"): 1 * MS,
        ("1970-01-01 00:00:02", "untraced"): 1 * MS,
        ("1970-01-01 00:00:00", "untraced"): 1 * MS,
    },
    by=("bucket", "category"),
    bucket=1,
)
case(
    "a fraction of a chip-microsecond comes with its last part",
    [al(1e-6, 0.25, 2.25), job()],
    {("1970-01-01 00:00:00.500000", "untraced"): 1 * MS, ("1970-01-01 00:00:01.500000", "untraced"): 1 * MS},
    by=("bucket", "category"),
    bucket=0.5,
)

# 10. The same record twice

case(
    "equal jobs are one",
    [job(chips=2), job(chips=2), al(1, 0, 10)],
    {("j", "partial"): 10, ("j", "queued"): 10},
    issues={"no_capacity"},
)
case(
    "jobs are merged",
    [job(chips=2), job(chips=3), job(), al(3, 0, 10)],
    {("j", "untraced"): 30},
    issues={"no_capacity", "conflicting_job"},
)
case(
    "programs are merged",
    POOL + [pr("f", 3e12), pr("f", 4e12), pr("f"), sp("step", 0, 10, 1, program="f")],
    {("j", "ideal"): 4, ("j", "inefficiency"): 16},
    issues={"conflicting_program"},
)
case(
    "spans that repeat take no time twice",
    [al(1, 0, 20, outcome="completed")] + steps(1, 2) + steps(1, 2),
    {("j", "unrated"): 20},
    issues={"duplicate_span", "no_capacity", "unknown_job"},
)
case(
    "nor steps with all their figures",
    POOL + 2 * [sp("step", 0, 10, 1, program="f", flops=5e12, bytes=7, dtype="bf16", executions=2)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 15},
    issues={"duplicate_span"},
)
case(
    "steps that differ in one figure are two",
    POOL + [sp("step", 0, 10, 1, flops=5e12), sp("step", 0, 10, 1, flops=6e12)],
    {("j", "ideal"): 5, ("j", "inefficiency"): 15},
    issues={"concurrent_steps"},
)
case("allocations that repeat count twice", [al(1, 0, 10), al(1, 0, 10)], {("j", "untraced"): 20})
case(
    "capacity and outages too",
    [cap(1, 0, 10), cap(1, 0, 10), out(1, 0, 4), out(1, 0, 4)],
    {(None, "idle"): 12, (None, "down", "hw_down"): 8},
)
case(
    "UUIDs are compared as UUIDs",
    [
        job("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", chips=1),
        al(1, 0, 10, job="{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"),
        sp("hang", 0, 4, job="urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    ],
    {
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "stall", "hang"): 4,
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "unknown"): 6,
    },
)


@case.add_to
class Ledger(Rules):
    pass


class Sizes(unittest.TestCase):
    """9. By the chips that a job needs, or the most it ever held."""

    FLEET = fleet(
        job("a", chips=15),
        al(1, 0, 1, job="a"),
        job("b", chips=16),
        al(16, 0, 1, job="b"),
        job("c", chips=255.5),
        al(1, 0, 1, job="c"),
        job("d", chips=2047),
        al(1, 0, 1, job="d"),
        job("e", chips=2048),
        al(1, 0, 1, job="e"),
        al(100, 0, 10, job="f"),
        al(156, 5, 6, job="f"),
        al(100, 0, 10, job="g"),
        al(156, 10, 11, job="g"),
    )
    EXPECTED = dict(a="S", b="M", c="M", d="L", e="XL", f="L", g="M")
    OTHER = dict(a="M", b="M", c="L", d="XL", e="XL", f="L", g="L")

    def test_naive(self):
        for expected, options in ((self.EXPECTED, {}), (self.OTHER, {"sizes": (10, 100, 1000)})):
            jobs = naive.compute(self.FLEET, **options).jobs
            self.assertEqual(expected, {name: jobs[name]["size"] for name in expected})

    def test_extension(self):
        for form in FORMS:
            with as_source(self.FLEET, form) as (db, source):
                for clause, expected in (("", self.EXPECTED), (" WHERE sizes = '10,100,1000'", self.OTHER)):
                    rows = db.execute(f"SELECT DISTINCT job, size FROM {source}{clause}").fetchall()
                    self.assertEqual(sorted(expected.items()), sorted(rows))


class Dimensions(unittest.TestCase):
    """Of two records of a job a value wins over NULL and of two values the greater."""

    FLEET = fleet(
        job("a", name="n", owner="x", priority="1", labels='{"a":1}'),
        job("a", owner="y", phase="training"),
        al(1, 0, 1, job="a"),
        al(1, 0, 1, job="b"),
    )

    def test_dimensions(self):
        wanted = [
            ("a", "n", "y", "training", None, None, None, "1", '{"a":1}'),
            ("b", None, None, None, None, None, None, None, None),
        ]
        for form in FORMS:
            with as_source(self.FLEET, form) as (db, source):
                rows = db.execute(
                    "SELECT DISTINCT job, name, owner, phase, framework, runtime, model, priority, labels "
                    f"FROM {source} ORDER BY job"
                ).fetchall()
                self.assertEqual(wanted, rows)


def ob(until, pool="p"):
    return "observed", dict(pool=pool, until_time=until)


def ob_job(until, called="j"):
    return "observed", dict(job=called, until_time=until)


class Observed(unittest.TestCase):
    """1. A pool's ledger ends when it was observed last. Of tables alone: files have no such record."""

    def check(self, records, expected, by=("job", "pool", "category"), issues=None, **options):
        relations = fleet(*records)
        wanted = Counter({key: seconds * 10**6 for key, seconds in expected.items()})
        result = naive.compute(relations, **options)
        self.assertEqual(wanted, project(result.ledger, by))
        with as_source(relations, "tables") as (db, source):
            for table in (source, "mpg_rollup"):
                self.assertEqual(wanted, ledger(db, table, options, by))
            kinds = {kind for kind, in db.execute("SELECT kind FROM mpg_issues")}
        self.assertEqual(issues if issues is not None else set(), result.issues)
        self.assertEqual(result.issues, kinds)

    def test_later_than_all_else(self):
        self.check([cap(2, 0), job(), al(1, 10), ob(100)], {("j", "p", "untraced"): 90, (None, "p", "idle"): 110})

    def test_earlier_than_a_planned_end(self):
        self.check(
            [cap(2, 0, 1000), out(1, 50), job(), al(1, 10), ob(100)],
            {("j", "p", "untraced"): 90, (None, "p", "idle"): 60, (None, "p", "down"): 50},
        )

    def test_as_of_overrides(self):
        self.check(
            [cap(2, 0), job(), al(1, 10), ob(100)], {("j", "p", "untraced"): 40, (None, "p", "idle"): 60}, as_of=50
        )

    def test_the_latest_counts(self):
        self.check([cap(1, 0), ob(30), ob(40), ob(20)], {(None, "p", "idle"): 40})

    def test_each_pool_has_its_own(self):
        self.check(
            [cap(1, 0), cap(1, 0, pool="q"), cap(1, 0, 70, pool="r"), ob(30), ob(100, "q")],
            {(None, "p", "idle"): 30, (None, "q", "idle"): 100, (None, "r", "idle"): 70},
        )

    def test_every_other_pool(self):
        self.check(
            [cap(1, 0), cap(1, 0, pool="q"), ob(30), ob(90, None)], {(None, "p", "idle"): 30, (None, "q", "idle"): 90}
        )

    def test_a_job_in_two_pools(self):
        """It ends with the later; of the pool that was observed less nothing is held or asked for after that."""
        self.check(
            [
                cap(1, 0),
                cap(1, 0, pool="q"),
                job(chips=2),
                al(1, 0, task="a"),
                al(1, 0, task="b", pool="q"),
                sp("init", 0, 200),
                ob(30),
                ob(50, "q"),
            ],
            {("j", "p", "startup"): 30, ("j", "q", "startup"): 30, ("j", "q", "partial"): 20},
            issues={"span_outside_allocation"},
        )

    def test_what_nobody_runs_yet(self):
        self.check(
            [cap(1, 0), job(chips=4, submit_time=10), ob(30)], {(None, "p", "idle"): 30, ("j", None, "queued"): 80}
        )

    def test_an_end_that_is_not_known_yet(self):
        self.check(
            [cap(1, 0), job(), al(1, 0, 90, outcome="completed"), sp("step", 0, 20, 1), sp("step", 20, 40, 2), ob(30)],
            {("j", "p", "unknown"): 30},
            issues={"after_observed"},
        )

    def test_capacity_that_was_not_seen_any_more(self):
        """It begins when its pool was last observed, or later: it counts nothing, and that is listed."""
        for until in 5, 3:
            self.check([cap(2, 5), ob(until)], {}, issues={"not_observed"})
        self.check([cap(2, 5), ob(6)], {(None, "p", "idle"): 2}, issues=set())

    def test_each_job_has_its_own(self):
        """It still ran when it was last observed, as one that is open at the end of the trace; its pool goes on."""
        self.check(
            [
                cap(2, 0, 90),
                job(),
                job("k"),
                al(1, 10),
                al(1, 10, job="k"),
                sp("step", 10, 20, 1),
                co(0, 5, 5),
                ob_job(30),
                ob_job(25),
            ],
            {("j", "p", "pending"): 10, ("j", "p", "unknown"): 10, ("k", "p", "untraced"): 80, (None, "p", "idle"): 80},
            issues={"as_of_ahead"},
        )

    def test_a_job_after_it_was_observed(self):
        """An attempt that began later is not there, an end that came later is not known; the pool's end counts if it is the earlier one."""
        self.check(
            [cap(1, 0, 90), job(), al(1, 10, 40, outcome="completed"), al(1, 50, 60, 2), ob_job(30)],
            {("j", "p", "untraced"): 20, (None, "p", "idle"): 70},
        )
        self.check(
            [cap(1, 0, 90), job(), al(1, 10), ob_job(30), ob(20)],
            {("j", "p", "untraced"): 10, (None, "p", "idle"): 10},
            issues=set(),
        )

    def test_a_job_that_waited_when_it_was_observed(self):
        self.check(
            [cap(1, 0, 90), job(chips=4, submit_time=10), ob_job(30)],
            {(None, "p", "idle"): 90, ("j", None, "queued"): 80},
        )

    def test_as_of_overrides_a_jobs_own(self):
        self.check(
            [cap(1, 0, 90), job(), al(1, 10), ob_job(30)],
            {("j", "p", "untraced"): 40, (None, "p", "idle"): 10},
            as_of=50,
        )

    def test_beyond_what_was_observed(self):
        self.check(
            [cap(2, 0), job(), al(1, 10, 20), al(1, 40, 50, 2), al(1, 90, 95, 3), ob(45)],
            {("j", "p", "untraced"): 15, (None, "p", "idle"): 75},
            issues={"after_observed"},
        )

    def test_a_chip_that_no_capacity_names(self):
        """By any of its names; the greatest of several. Records of capacity that name one win, and a time is no part of it."""
        told = "observed", dict(pool="p", chip="NVIDIA H100 80GB HBM3")
        held = [job(), al(2, 0, 10)]
        for records, chip, issues in (
            ([told], "nvidia-h100-sxm", {"no_capacity"}),
            ([told, ("observed", dict(pool="p", chip="b"))], "nvidia-h100-sxm", {"no_capacity"}),
            ([], None, {"no_capacity"}),
            ([told, ob(10)], "nvidia-h100-sxm", {"no_capacity"}),
            ([told, cap(2, 0, 10, chip=None)], "nvidia-h100-sxm", set()),
            ([told, cap(2, 0, 10, chip="tpu-v4")], "tpu-v4", set()),
        ):
            with self.subTest(records=records):
                self.check(
                    [*held, *records], {("p", chip, "untraced"): 20}, by=("pool", "chip", "category"), issues=issues
                )
        db = connect()
        create_tables(db, fleet(*held, told))
        for change in ("pool = NULL", "chip = NULL", "job = 'j'"):
            db.execute("BEGIN")
            db.execute(f"UPDATE observed SET {change}")
            with self.assertRaisesRegex(sqlite3.Error, "main.observed:1: .*until_time"):
                db.execute("SELECT * FROM mpg_ledger").fetchall()
            db.execute("ROLLBACK")

    def test_tables_of_others(self):
        """One without the columns is not looked at; of several schemas temp comes first."""
        db = connect()
        create_tables(db, fleet(cap(1, 0), al(1, 0, 10)))
        db.execute("CREATE TABLE observed(moon, phase)")
        db.execute("INSERT INTO observed VALUES ('p', 30)")
        self.assertEqual(db.execute("SELECT sum(chip_us) FROM mpg_ledger").fetchall(), [(10 * 10**6,)])
        db.execute("DROP TABLE observed")
        db.execute("CREATE VIEW observed AS SELECT 'p' AS pool, '1970-01-01T00:00:30Z' AS until_time")
        self.assertEqual(db.execute("SELECT sum(chip_us) FROM mpg_ledger").fetchall(), [(30 * 10**6,)])
        db.execute("CREATE TEMP TABLE observed(pool, until_time)")
        db.execute("INSERT INTO temp.observed VALUES ('p', 40)")
        self.assertEqual(db.execute("SELECT sum(chip_us) FROM mpg_ledger").fetchall(), [(40 * 10**6,)])
        self.assertEqual(
            db.execute("SELECT sum(chip_us) FROM mpg_ledger WHERE schema = 'main'").fetchall(), [(30 * 10**6,)]
        )
        self.assertEqual(
            db.execute("SELECT record FROM mpg_records ORDER BY record").fetchall(),
            [("allocations",), ("capacity",), ("observed",)],
        )
        db.execute("UPDATE temp.observed SET until_time = NULL")
        with self.assertRaisesRegex(sqlite3.Error, "temp.observed:1: .*until_time"):
            db.execute("SELECT * FROM mpg_ledger").fetchall()

    def test_alone_it_is_no_trace(self):
        db = connect()
        create_tables(db, fleet(ob(30)))
        with self.assertRaisesRegex(sqlite3.Error, "found none"):
            db.execute("SELECT * FROM mpg_ledger").fetchall()


class BadRecords(unittest.TestCase):
    def test_end_before_start(self):
        for record in (cap(1, 5, 4), out(1, 5, 4), al(1, 5, 4), sp("step", 5, 4)):
            with self.assertRaises(ValueError):
                naive.compute(fleet(record))


if __name__ == "__main__":
    unittest.main()
