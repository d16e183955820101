"""Whole fleets: the golden one, generated ones, random odd ones; and what must hold of every ledger.

MPG_FLEETS=N tries N random fleets instead of a few hundred.
"""

import csv
import json
import os
import random
import subprocess
import tempfile
import unittest
from collections import Counter

import naive
import random_fleets
from fleets import (
    FORMS,
    KEY,
    ROOT,
    as_source,
    connect,
    create_tables,
    difference,
    generator,
    ledger,
    project,
    quote,
    where,
    write_csv,
    write_jsonl,
)

FLEETS = int(os.environ.get("MPG_FLEETS", 300 if os.environ.get("MPG_FULL") else 150))
GOLDEN = os.path.join(ROOT, "fixtures", "golden")
RATIOS = [
    "scheduling_goodput",
    "runtime_goodput",
    "program_goodput",
    "mpg",
    "mpg_lower",
    "runtime_coverage",
    "program_coverage",
    "occupancy",
    "mfu",
    "ettr",
]
AGGREGATES = (
    ["sum(chip_us)", "sum(chip_seconds * 0 + chip_us)"]
    + [f"{f}(category, chip_us)" for f in RATIOS]
    + ["goodput(category, chip_us)", "hex(goodput_state(category, chip_us))"]
)
DIMENSIONS = [
    "pool",
    "chip",
    "job",
    "attempt",
    "name",
    "owner",
    "phase",
    "framework",
    "runtime",
    "model",
    "size",
    "priority",
    "labels",
    "category",
    "cause",
    "bucket",
]


class Case(unittest.TestCase):
    maxDiff = None

    def check_ledger(self, expected, found, what=""):
        text = difference(expected, found)
        if text:
            self.fail(f"{what}\n{text}")

    def generate(self, folder, seed, spans, *options):
        """build/generate's fleet in folder; the path of its truth."""
        truth = os.path.join(folder, "truth.csv")
        os.makedirs(os.path.join(folder, "t"), exist_ok=True)
        subprocess.run(
            [
                os.path.join(ROOT, "build", "generate"),
                "--seed",
                str(seed),
                "--spans",
                str(spans),
                "--format",
                "csv",
                "--out",
                os.path.join(folder, "t"),
                "--truth",
                truth,
                *options,
            ],
            check=True,
            capture_output=True,
        )
        return os.path.join(folder, "t"), truth


def read_truth(path):
    """job,pool,category,cause -> chip_us"""
    with open(path, newline="") as file:
        return Counter(
            {
                (row["job"] or None, row["pool"] or None, row["category"], row["cause"] or None): int(row["chip_us"])
                for row in csv.DictReader(file)
                if int(row["chip_us"])
            }
        )


TRUTH = ("job", "pool", "category", "cause")


class Golden(Case):
    """The fleet of fixtures/golden.md, to the microsecond."""

    SOURCES = [("trace_ledger", GOLDEN), ("trace_ledger", GOLDEN + ".jsonl"), ("trace_rollup", GOLDEN)]

    def test_truth(self):
        expected = read_truth(GOLDEN + "-expected.csv")
        self.check_ledger(expected, project(naive.compute(naive.load_folder(GOLDEN)).ledger, TRUTH))
        self.check_ledger(expected, project(naive.compute(naive.load_folder(GOLDEN + ".jsonl")).ledger, TRUTH))
        db = connect()
        for table, path in self.SOURCES:
            self.check_ledger(expected, ledger(db, f"{table}({quote(path)})", columns=TRUTH), path)
        create_tables(db, naive.load_folder(GOLDEN + ".jsonl"))
        for table in ("mpg_ledger", "mpg_rollup"):
            self.check_ledger(expected, ledger(db, table, columns=TRUTH), table)

    def test_figures(self):
        """Chip-seconds by category, and the ratios, as fixtures/golden.md gives them."""
        db = connect()
        chip_s = dict(db.execute(f"SELECT category, sum(chip_us) / 1e6 FROM trace_ledger({quote(GOLDEN)}) GROUP BY 1"))
        self.assertEqual(
            (8, 240, 44, 60, 48, 80),
            (
                chip_s["down"],
                chip_s["idle"],
                chip_s["partial"],
                chip_s["startup"] + chip_s["restore"],
                chip_s["lost"],
                chip_s["stall"],
            ),
        )
        self.assertEqual(
            (320, 124), (chip_s["ideal"] + chip_s["inefficiency"] + chip_s.get("unrated", 0), chip_s["ideal"])
        )
        self.assertEqual(800, sum(v for k, v in chip_s.items() if k != "queued"))
        ratios = ", ".join(f"round({f}(category, chip_us), 4)" for f in RATIOS[:4])
        query = f"SELECT {ratios} FROM trace_rollup({quote(GOLDEN)})"
        self.assertEqual((0.635, 0.6299, 0.3875, 0.155), db.execute(query).fetchone())
        self.assertEqual((0.875, 0.6494, 0.5, 0.2841), db.execute(query + " WHERE job = 'J1'").fetchone())
        self.assertEqual((1, 0.6, 0.2, 0.12), db.execute(query + " WHERE job = 'J2'").fetchone())

    def test_conservation_in_every_bucket(self):
        db = connect()
        for width in (1, 7, 0.125, "1 minute"):
            for bucket, us in db.execute(
                f"SELECT bucket, sum(chip_us) FROM trace_rollup({quote(GOLDEN)}, ?) "
                "WHERE category <> 'queued' GROUP BY bucket",
                (width,),
            ):
                if width == 0.125:
                    self.assertEqual(1_000_000, us, bucket)
                elif width == 1:
                    self.assertEqual(8_000_000, us, bucket)


class Generated(Case):
    """The generator knows why every chip is where it is, and so does the ledger from the records alone."""

    @classmethod
    def setUpClass(cls):
        generator()

    def test_truth(self):
        db = connect()
        for seed, spans, options in (
            (1, 1000, ()),
            (2, 1000, ("--shuffle",)),
            (3, 3000, ("--split", "3")),
            (4, 10000, ()),
        ):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                path, truth = self.generate(folder, seed, spans, *options)
                expected = read_truth(truth)
                found = ledger(db, f"trace_ledger({quote(path)})", columns=TRUTH)
                self.check_ledger(expected, found, f"seed {seed}")
                self.check_ledger(
                    expected, ledger(db, f"trace_rollup({quote(path)})", columns=TRUTH), f"seed {seed} rolled up"
                )

    def test_naive(self):
        db = connect()
        for seed, spans in ((5, 1000), (6, 3000)):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                path, truth = self.generate(folder, seed, spans)
                relations = naive.load_folder(path)
                for options in (
                    {},
                    {"bucket": "6 hours"},
                    {"bucket": "1 day -07:30"},
                    {"bucket": 86400, "as_of": 1767571200 + 43210.5},
                    {"since": 1767571200 + 20000, "until": 1767571200 + 50000.25, "basis": "in_service"},
                ):
                    expected = naive.compute(relations, **options)
                    found = ledger(db, f"trace_ledger({quote(path)})", options)
                    self.check_ledger(expected.ledger, found, f"seed {seed} {options}")
                    if not options:
                        self.check_ledger(read_truth(truth), project(expected.ledger, TRUTH), f"seed {seed}, naive")

    def test_forms_and_order(self):
        """Shuffled, split, compressed, as JSON Lines and as tables: the same ledger, byte for byte the same state."""
        rng = random.Random(11)
        state = "SELECT hex(goodput_state(category, chip_us)), goodput(category, chip_us) FROM "
        with tempfile.TemporaryDirectory() as folder:
            path, _ = self.generate(folder, 7, 2000)
            relations = naive.load_folder(path)
            db = connect()
            expected = ledger(db, f"trace_ledger({quote(path)})")
            first = db.execute(f"{state} trace_ledger({quote(path)})").fetchone()
            for i, (suffix, shards) in enumerate((("", 1), (".gz", 1), (".zst", 3), ("", 5))):
                shuffled = {name: rng.sample(rows, len(rows)) for name, rows in relations.items()}
                other = os.path.join(folder, str(i))
                os.mkdir(other)
                write_csv(other, shuffled, shards, suffix, rng)
                lines = write_jsonl(folder, shuffled, suffix, f"lines{i}.jsonl", rng)
                for source in (other, lines, other + "/*"):
                    self.check_ledger(expected, ledger(db, f"trace_ledger({quote(source)})"), source)
                    self.assertEqual(first, db.execute(f"{state} trace_ledger({quote(source)})").fetchone(), source)
                tables = connect()
                create_tables(tables, shuffled)
                self.check_ledger(expected, ledger(tables, "mpg_ledger"), "tables")
                self.assertEqual(first, tables.execute(f"{state} mpg_ledger").fetchone())

    def test_shards(self):
        """Jobs apart, with the capacity that names their chips: each job's time is what it was together."""
        with tempfile.TemporaryDirectory() as folder:
            path, _ = self.generate(folder, 8, 2000)
            relations = naive.load_folder(path)
            db = connect()
            columns = [c for c in KEY if c not in ("attempt",)]
            expected = ledger(db, f"trace_ledger({quote(path)})", columns=columns)
            as_of = naive.Ledger(relations).as_of / 10**6
            total = Counter()
            for shard in range(4):
                part = {
                    name: [r for r in rows if "job" not in r or hash_of(r["job"]) % 4 == shard]
                    for name, rows in relations.items()
                }
                other = os.path.join(folder, str(shard))
                os.mkdir(other)
                write_csv(other, part)
                found = ledger(db, f"trace_ledger({quote(other)})", {"as_of": as_of}, columns)
                total.update({key: us for key, us in found.items() if key[columns.index("job")] is not None})
            self.check_ledger(
                Counter({k: v for k, v in expected.items() if k[columns.index("job")] is not None}), total
            )

    def test_buckets_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            path, _ = self.generate(folder, 9, 2000)
            db = connect()
            columns = [c for c in KEY if c != "bucket"]
            expected = ledger(db, f"trace_ledger({quote(path)})", columns=columns)
            for width in (3600, "1 day", "1 week", "1 month", "1 quarter +05:45", "1 year", 777.77):
                for table in ("trace_ledger", "trace_rollup"):
                    found = ledger(db, f"{table}({quote(path)})", {"bucket": width}, columns)
                    self.check_ledger(expected, found, f"{table} {width}")


def hash_of(name):
    return sum(name.encode())


class Odd(Case):
    """Random fleets full of trouble: what the naive computation says, and the grain law."""

    def failing(self, seed, relations, options, text):
        return f"tests/support/random_fleets.py {seed}, {options}:\n{text}"

    def test_naive(self):
        for seed in range(FLEETS):
            relations, options = random_fleets.odd_fleet(seed)
            expected = naive.compute(relations, **options)
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                text = difference(expected.ledger, ledger(db, source, options))
                if text:
                    self.fail(self.failing(seed, relations, options, text))
                rollup = source.replace("ledger", "rollup")
                text = difference(expected.ledger, ledger(db, rollup, options))
                if text:
                    self.fail(self.failing(seed, relations, options, "rolled up\n" + text))
                kinds = {kind for kind, in db.execute("SELECT kind FROM mpg_issues WHERE kind <> 'out_of_order'")}
                self.assertEqual(expected.issues, kinds, self.failing(seed, relations, options, "issues"))

    def test_conservation(self):
        for seed in range(FLEETS, FLEETS + FLEETS // 3):
            relations, options = random_fleets.odd_fleet(seed)
            options = dict(options, bucket=random.Random(seed).choice([0.5, 7, 60]))
            expected = naive.compute(relations, **options).capacity
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                found = Counter()
                for pool, bucket, us in db.execute(
                    f"SELECT pool, bucket, sum(chip_us) FROM {source}{where(options)} "
                    "AND category <> 'queued' GROUP BY 1, 2"
                ):
                    if us:
                        found[pool, bucket] = us
                text = difference(expected, found)
                if text:
                    self.fail(self.failing(seed, relations, options, text))

    def test_intervals(self):
        """Rows of the ledger lie in the trace and the window, have a length, and know their bucket."""
        for seed in range(0, FLEETS, 5):
            relations, options = random_fleets.odd_fleet(seed)
            since, until = options.get("since", 0), options.get("until", 10**10)
            with as_source(relations, "csv") as (db, source):
                for start, end, us, seconds in db.execute(
                    f"SELECT start_time, end_time, chip_us, chip_seconds FROM {source}{where(options)}"
                ):
                    self.assertLess(start, end, seed)
                    self.assertTrue(since <= start and end <= until, seed)
                    self.assertEqual(us / 10**6, seconds, seed)
                rows = db.execute(f"SELECT count(*) FROM {source}{where(options)}").fetchone()[0]
                rolled = db.execute(
                    f"SELECT coalesce(sum(intervals), 0) FROM {source.replace('ledger', 'rollup')}{where(options)}"
                ).fetchone()[0]
                self.assertEqual(rows, rolled, seed)

    def test_timelines(self):
        """One job's rows in the order of time, the same sums as its ledger, each but the queued with its evidence."""
        columns = ["pool", "chip", "job", "attempt", "category", "cause", "bucket"]
        for seed in range(0, FLEETS, 3):
            relations, options = random_fleets.odd_fleet(seed)
            with as_source(relations, FORMS[seed // 3 % 3]) as (db, source):
                whole = ledger(db, source, options)
                for name in sorted({key[2] for key in whole if key[2] is not None}):
                    timeline = source.replace("ledger", "timeline")
                    names = ", ".join(columns)
                    rows = db.execute(
                        f"SELECT start_time, {names}, chip_us, _file, _line FROM {timeline}"
                        f"{where(dict(options, of_job=name))}"
                    ).fetchall()
                    self.assertEqual(sorted(row[0] for row in rows), [row[0] for row in rows], seed)
                    found = Counter()
                    for row in rows:
                        found[row[1:-3]] += row[-3]
                        if row[5] != "queued":
                            self.assertTrue(row[-2] and row[-1], (seed, row))
                    text = difference(
                        {k: v for k, v in whole.items() if k[2] == name}, {k: v for k, v in found.items() if v}
                    )
                    if text:
                        self.fail(self.failing(seed, relations, options, f"timeline of {name}\n{text}"))

    def test_grain(self):
        """GROUP BY, WHERE and HAVING over the roll-up say what they say over the ledger."""
        rng = random.Random(5)
        for seed in range(FLEETS):
            relations, options = random_fleets.odd_fleet(seed)
            options.setdefault("bucket", 10)
            with as_source(relations, FORMS[seed % 3]) as (db, source):
                for _ in range(3):
                    query = random_query(rng, options)
                    both = [
                        sorted(db.execute(query.format(source=s)).fetchall(), key=repr)
                        for s in (source, source.replace("ledger", "rollup"))
                    ]
                    self.assertEqual(both[0], both[1], f"tests/support/random_fleets.py {seed}: {query}")

    def test_orders(self):
        """The ledger's rows are those of a plain table of them, in any order, of each kind one, by any threads, and behind a unary plus."""
        rng = random.Random(9)
        for seed in range(0, FLEETS, 2):
            relations, options = random_fleets.odd_fleet(seed)
            options.setdefault("bucket", 10)
            with as_source(relations, FORMS[seed // 2 % 3]) as (db, source):
                db.execute(f"CREATE TEMP TABLE copy AS SELECT * FROM {source}{where(options)}")
                for _ in range(4):
                    query, keys = ordered_query(rng)
                    plain = db.execute(query.format(source="copy", where="1")).fetchall()
                    for tail in (f"threads = {rng.choice([1, 2, 4])}", "threads = 1"):
                        found = db.execute(
                            query.format(source=source, where=f"{where(options)[7:]} AND {tail}")
                        ).fetchall()
                        self.assertEqual(
                            sorted(plain, key=repr),
                            sorted(found, key=repr),
                            f"tests/support/random_fleets.py {seed}: {query}",
                        )
                        self.assertEqual(
                            [row[:keys] for row in plain] if keys else [],
                            [row[:keys] for row in found] if keys else [],
                            f"tests/support/random_fleets.py {seed}: {query}",
                        )
                        query = query.replace(" AND (", " AND +(")


VALUES = {
    "pool": "p",
    "chip": "one",
    "job": "a",
    "attempt": 1,
    "owner": "ann",
    "phase": "serving",
    "framework": "jax",
    "size": "S",
    "category": "ideal",
    "cause": "hang",
    "bucket": "1970-01-01 00:00:10",
}


def random_query(rng, options):
    keys = rng.sample(DIMENSIONS, rng.choice([0, 1, 1, 2, 3, 5]))
    measures = rng.sample(AGGREGATES, rng.choice([1, 2, 4]))
    terms = where(options)[7:].split(" AND ")
    for _ in range(rng.choice([0, 0, 1, 2])):
        column = rng.choice(sorted(VALUES))
        value = quote(VALUES[column])
        plus = rng.choice(["", "+"])
        terms.append(
            rng.choice(
                [
                    f"{plus}{column} = {value}",
                    f"{column} <> {value}",
                    f"{plus}{column} IS NULL",
                    f"{column} > {value}",
                    f"{column} IN ({value}, 'q', 'stall', 2)",
                    f"({column} = {value} OR category = 'partial')",
                ]
            )
        )
    rng.shuffle(terms)
    query = f"SELECT {', '.join(keys + measures)} FROM {{source}} WHERE {' AND '.join(terms)}"
    if keys:
        query += f" GROUP BY {', '.join(keys)}"
        query += rng.choice(
            [
                "",
                " HAVING sum(chip_us) > 5000000",
                " HAVING max(category) > 'i'",
                " HAVING scheduling_goodput(category, chip_us) > 0.5",
                " ORDER BY 1 DESC",
            ]
        )
    return query


def ordered_query(rng):
    """A statement that wants rows in an order, and how many of its first columns are in that order."""
    keys = rng.sample(DIMENSIONS, rng.choice([1, 1, 2, 3, 4]))
    terms = ["{where}"]
    for _ in range(rng.choice([0, 0, 1, 2])):
        column = rng.choice(sorted(VALUES))
        time = rng.choice(["start_time", "end_time"])
        terms.append(
            "(%s)"
            % rng.choice(
                [
                    f"{column} = {quote(VALUES[column])}",
                    f"{column} IS {quote(VALUES[column])}",
                    f"{column} = 1",
                    f"{column} = 'P' COLLATE NOCASE",
                    f"{time} >= {rng.randint(0, 100)}",
                    f"{time} < {rng.random() * 200}",
                    f"{time} <= '50'",
                    f"{time} = 20",
                    f"{rng.randint(0, 50)} < {time}",
                ]
            )
        )
    columns = ", ".join(keys)
    form = rng.choice(["group", "distinct", "order", "grouped in order", "distinct in order", "distinct aggregate"])
    ordered = ", ".join(k + rng.choice(["", "", " DESC", " COLLATE NOCASE DESC", " NULLS LAST"]) for k in keys)
    where_ = " AND ".join(terms)
    if form == "group":
        return (
            f"SELECT {columns}, count(*), sum(chip_us), max(end_time) FROM {{source}} WHERE {where_} GROUP BY {columns}",
            0,
        )
    if form == "distinct":
        return f"SELECT DISTINCT {columns} FROM {{source}} WHERE {where_}", 0
    if form == "order":
        return f"SELECT {columns}, chip_us, start_time FROM {{source}} WHERE {where_} ORDER BY {ordered}", len(keys)
    if form == "grouped in order":
        return (
            f"SELECT {columns}, sum(chip_us) FROM {{source}} WHERE {where_} GROUP BY {columns} ORDER BY {ordered}",
            len(keys),
        )
    if form == "distinct in order":
        return f"SELECT DISTINCT {columns} FROM {{source}} WHERE {where_} ORDER BY {ordered}", len(keys)
    return f"SELECT count(DISTINCT {keys[0]}), min({keys[0]}) FROM {{source}} WHERE {where_}", 0


class States(Case):
    """goodput_state over parts, merged in any order and at any depth, is that over the whole: the same bytes."""

    def test_merge(self):
        rng = random.Random(3)
        for seed in range(0, FLEETS, 3):
            relations, options = random_fleets.odd_fleet(seed)
            with as_source(relations, "csv") as (db, source):
                rows = db.execute(f"SELECT category, chip_us FROM {source}{where(options)}").fetchall()
                whole = db.execute(
                    f"SELECT goodput_state(category, chip_us), goodput(category, chip_us) FROM {source}{where(options)}"
                ).fetchone()
                if not rows:
                    self.assertEqual((None, None), whole)
                    continue
                db.execute("CREATE TEMP TABLE part(shard, category, chip_us)")
                db.executemany("INSERT INTO part VALUES (?, ?, ?)", [(rng.randrange(5), *row) for row in rows])
                db.execute(
                    "CREATE TEMP TABLE state AS SELECT goodput_state(category, chip_us) AS state FROM part GROUP BY shard"
                )
                states = [s for s, in db.execute("SELECT state FROM state")]
                for _ in range(3):
                    rng.shuffle(states)
                    db.execute("DELETE FROM state")
                    cut = rng.randrange(len(states) + 1)
                    db.executemany("INSERT INTO state VALUES (?)", [(s,) for s in states[:cut]])
                    first = db.execute("SELECT goodput_merge(state) FROM state").fetchone()[0]
                    db.execute("DELETE FROM state")
                    db.executemany(
                        "INSERT INTO state VALUES (?)", [(s,) for s in states[cut:] + ([first] if first else [])]
                    )
                    self.assertEqual(
                        whole, db.execute("SELECT goodput_merge(state), goodput(state) FROM state").fetchone(), seed
                    )

    def test_ratios_are_what_they_are_called(self):
        """Against plain SQL over the sums; and goodput's JSON against the functions."""
        kinds = {
            "C": "category <> 'queued'",
            "S": "category IN ('down', 'idle', 'partial')",
            "D": "category IN ('down', 'idle')",
            "G": "category IN ('inefficiency', 'unrated', 'ideal')",
            "I": "category = 'ideal'",
            "N": "category = 'untraced'",
            "U": "category = 'unrated'",
            "Q": "category = 'queued'",
        }
        sums = ", ".join(f"coalesce(sum(chip_us) FILTER (WHERE {c}), 0)" for c in kinds.values())
        calls = ", ".join(f"{f}(category, chip_us)" for f in RATIOS)
        for seed in range(0, FLEETS, 2):
            relations, options = random_fleets.odd_fleet(seed)
            with as_source(relations, "csv") as (db, source):
                for row in db.execute(
                    f"SELECT pool, {sums}, {calls}, goodput(category, chip_us) FROM {source}{where(options)} GROUP BY pool"
                ):
                    C, S, D, G, I, N, U, Q = row[1:9]
                    A = C - S
                    missing = bool(N or U)
                    ratio = lambda a, b, unknown=False: None if unknown or b == 0 else a / b
                    expected = [
                        ratio(A, C),
                        ratio(G, A - N),
                        ratio(I, G - U),
                        ratio(I, C, missing),
                        ratio(I, C),
                        ratio(A - N, A),
                        ratio(G - U, G),
                        ratio(C - D, C),
                        ratio(I, A, missing),
                        ratio(G, C - D + Q, bool(N)),
                    ]
                    for name, a, b in zip(RATIOS, expected, row[9:-1]):
                        if a is None or b is None:
                            self.assertEqual(a, b, (seed, row[0], name))
                        else:
                            self.assertAlmostEqual(a, b, places=12, msg=(seed, row[0], name))
                    found = json.loads(row[-1])
                    self.assertIsInstance(found, dict)


if __name__ == "__main__":
    unittest.main()
