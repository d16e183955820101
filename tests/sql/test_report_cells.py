"""The cells in the report's page: whatever is chosen, node adds up to the same whole numbers as SQLite."""

import base64
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

from answers import built
from fleets import ROOT

sys.path.insert(0, os.path.join(ROOT, "sql", "report"))
import report_cells  # noqa: E402

SEGMENTS = ["pool", "chip", "phase", "size", "framework", "runtime", "model", "team", "owner"]
OF_JOBS = SEGMENTS[2:] + ["job"]
FIGURES = ["capacity", "allocated", "partial", "untraced", "productive", "unrated", "ideal", "queued"]
SUMS = ", ".join(f"sum({name}_us)" for name in FIGURES)
# Answers the requests of a filter each, [{filter, segment, rows, columns, cut}, ...], over the stream.
ASKS = """
import { inflate, unpack } from "%s/sql/report/cells.mjs";
import fs from "node:fs";
const { stream, requests } = JSON.parse(fs.readFileSync(0, "utf8"));
const cells = unpack(await inflate(stream));
const told = (sums) => sums && %s.map((name) => String(sums[name]));
console.log(JSON.stringify({ head: cells.head, answers: requests.map(({ filter, segment, rows, columns, cut }) => {
  cells.choose(filter);
  return {
    total: told(cells.total()),
    segment: cells.bySegment(segment).map(({ value, sums }) => [value, ...told(sums)]),
    two: cells.byTwo(rows, columns).map(({ row, column, sums }) => [row, column, ...told(sums)]),
    time: cells.byTime((at) => at.slice(0, 10)).filter(({ sums }) => sums).map(({ bucket, sums }) => [bucket, ...told(sums)]),
    cut: cells.byCut(cut).map(told),
    cause: cells.byCause().map(({ category, cause, us }) => [category, cause, String(us)]),
    jobs: cells.byJob().map(({ job, name, owner, sums }) => [job, name, owner, String(sums.held), String(sums.lost)]),
  };
}) }));
""" % (
    ROOT,
    json.dumps(FIGURES),
)


def where(filter):
    """The same filter in SQL, and its values. Whoever chooses among jobs leaves out what no job held."""
    terms = ["job IS NOT NULL"] if set(filter) & set(OF_JOBS) else []
    terms += [f"{name} IS :{name}" for name in filter if name not in ("since", "until")]
    terms += [f"+hour {sign} :{name}" for name, sign in (("since", ">="), ("until", "<")) if name in filter]
    return " AND ".join(terms or ["1"])


def random_filter(rng, db, head):
    filter = {}
    while rng.random() < 0.6:
        name = rng.choice(SEGMENTS + ["job", "job"])
        filter[name] = rng.choice(
            [
                value
                for value, in db.execute(
                    f"SELECT DISTINCT {name} FROM ledger WHERE job IS NOT NULL OR ? ORDER BY 1", (name not in OF_JOBS,)
                )
            ]
        )
        if filter[name] is None and name == "job":
            del filter[name]
    if rng.random() < 0.5:
        filter["since"], filter["until"] = sorted(rng.choices(head["times"], k=2))
    return filter


def asked(stream, requests):
    done = subprocess.run(
        ["node", "--input-type=module", "-e", ASKS],
        input=json.dumps({"stream": base64.b64encode(stream).decode(), "requests": requests}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@unittest.skipUnless(shutil.which("node"), "no node here")
class Cells(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.db = built(os.path.join(ROOT, "fixtures", "fleet"))
        # Sums beyond 2^53, and below zero; an odd category, which counts as allocated, and segments that are not those of their job.
        cls.db.execute("UPDATE ledger SET chip_us = chip_us * 5000 + rowid WHERE rowid % 3 = 0")
        cls.db.execute("UPDATE ledger SET chip_us = - chip_us WHERE rowid % 17 = 0")
        cls.db.execute("UPDATE ledger SET category = 'odd' WHERE rowid % 101 = 0 AND job IS NOT NULL")
        cls.db.execute(
            "UPDATE ledger SET phase = NULL, owner = 'ö\u2028</script>' WHERE rowid % 13 = 0 AND job IS NOT NULL"
        )
        cls.db.execute("UPDATE ledger SET pool = NULL WHERE rowid % 29 = 0")

    @classmethod
    def tearDownClass(cls):
        cls.db.close()

    def rows(self, sql, given):
        return sorted(
            (
                [str(value) if place >= texts else value for place, value in enumerate(row)]
                for texts, row in (
                    (sum(not isinstance(value, int) for value in row), row) for row in self.db.execute(sql, given)
                )
            ),
            key=str,
        )

    def check(self, most, seed, grain, folds):
        found, sums, folded = report_cells.read(self.db, "1", {}, most)
        self.assertEqual((grain, folds), (found, folded > 0))
        stream = report_cells.pack({"grain": found}, sums)
        rng = random.Random(seed)
        head = {"times": sorted({key[0] for key in sums})}
        requests = [
            dict(
                filter=filter,
                segment=rng.choice(SEGMENTS),
                rows=rng.choice(SEGMENTS),
                columns=rng.choice(SEGMENTS),
                cut=rng.choice(head["times"]),
            )
            for filter in [{}] + [random_filter(rng, self.db, head) for _ in range(20)]
        ]
        listed = {key[3] for key in sums}
        requests = [
            request
            for request in requests
            if request["filter"].get("job") is None or request["filter"]["job"] in listed
        ]
        told = asked(stream, requests)
        self.assertEqual(len(sums), told["head"]["cells"])
        for request, answer in zip(requests, told["answers"]):
            given, condition = request["filter"], where(request["filter"])
            with self.subTest(str(request)):
                total = [
                    str(value or 0)
                    for value in self.db.execute(f"SELECT {SUMS} FROM cells WHERE {condition}", given).fetchone()
                ]
                self.assertEqual(total, answer["total"])
                segment, a, b = request["segment"], request["rows"], request["columns"]
                jobs = condition + (" AND job IS NOT NULL" if segment in OF_JOBS else "")
                self.assertEqual(
                    self.rows(f"SELECT {segment}, {SUMS} FROM cells WHERE {jobs} GROUP BY 1", given),
                    sorted(answer["segment"], key=str),
                )
                self.assertEqual(
                    self.rows(
                        f"SELECT {a}, {b} AS b, {SUMS} FROM cells WHERE {condition} AND job IS NOT NULL GROUP BY {a}, {b}",
                        given,
                    ),
                    sorted(answer["two"], key=str),
                )
                self.assertEqual(
                    self.rows(f"SELECT substr(hour, 1, 10), {SUMS} FROM cells WHERE {condition} GROUP BY 1", given),
                    sorted(answer["time"], key=str),
                )
                sides = {
                    after: [str(value) for value in row]
                    for after, *row in self.db.execute(
                        f"SELECT +hour >= :cut, {SUMS} FROM cells WHERE {condition} GROUP BY 1",
                        {**given, "cut": request["cut"]},
                    )
                }
                self.assertEqual([sides.get(0), sides.get(1)], answer["cut"])
                self.assertEqual(
                    self.rows(
                        f"SELECT category, cause, sum(chip_us) FROM cells WHERE {condition} GROUP BY 1, 2", given
                    ),
                    sorted(answer["cause"], key=str),
                )
                found = {row[0]: row[3:] for row in answer["jobs"]}
                expected = {
                    job: [str(held), str(lost)]
                    for job, held, lost in self.db.execute(
                        "SELECT job, sum(allocated_us + partial_us), sum(allocated_us + partial_us - ideal_us - untraced_us - unrated_us) "
                        f"FROM cells WHERE {condition} AND job IS NOT NULL GROUP BY job",
                        given,
                    )
                }
                self.assertEqual({job: row for job, row in expected.items() if job in listed}, found)

    def test_by_hour(self):
        self.check(None, 1, "hour", False)

    def test_by_day(self):
        self.check(8000, 2, "day", False)

    def test_smallest_jobs_as_one(self):
        self.check(1500, 3, "day", True)

    def test_nothing(self):
        told = asked(
            report_cells.pack({}, {}),
            [dict(filter={"pool": "x"}, segment="pool", rows="phase", columns="size", cut="")],
        )
        self.assertEqual(
            {
                "total": ["0"] * len(FIGURES),
                "segment": [],
                "two": [],
                "time": [],
                "cut": [None, None],
                "cause": [],
                "jobs": [],
            },
            told["answers"][0],
        )


if __name__ == "__main__":
    unittest.main()
