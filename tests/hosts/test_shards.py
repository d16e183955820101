#!/usr/bin/python3
"""A fleet cut into shards: the states of the parts merge to the bytes of the whole, and what would make the sum wrong is found.

MPG_SPANS=N cuts a fleet of N spans instead of a few thousand.
"""
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import naive
import random_fleets
import slurm_cluster
from fleets import ROOT, connect, quote, write_csv
from shards import COMMON, MERGE, SEGMENTS, cut, cut_files, generate, task

SPANS = int(float(os.environ.get("MPG_SPANS", 3000)))


def gathering(names):
    db = connect()
    db.executescript(open(os.path.join(ROOT, "sql/shards/merge.sql")).read())
    db.executemany("INSERT INTO shards VALUES (?)", [(name,) for name in names])
    db.commit()
    return db


class Shards(unittest.TestCase):
    def test_any_split_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("MPG_SCRATCH")) as folder:
            path = os.path.join(folder, "fleet")
            as_of = generate(path, SPANS)
            whole = (
                connect()
                .execute(
                    f"SELECT {SEGMENTS}, goodput_state(category, chip_us) FROM trace_rollup({quote(path)})"
                    f" WHERE as_of = {quote(as_of)} AND bucket_width = '1 day' GROUP BY {SEGMENTS} ORDER BY {SEGMENTS}"
                )
                .fetchall()
            )
            self.assertGreater(len(whole), 20)
            for n in (1, 2, 8, 64):
                part = os.path.join(folder, str(n))
                os.mkdir(part)
                names = cut_files(part, path, n)
                db = gathering(names)
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    for text in pool.map(lambda name: task(part, name, as_of, "'1 day'"), names):
                        db.executescript(text)
                self.assertEqual(db.execute("SELECT * FROM shard_check").fetchall(), [])
                db.execute(MERGE)
                # A group in which shards cancel out holds nothing: the whole has no such row.
                merged = db.execute(
                    f"SELECT {SEGMENTS}, state FROM fleet_states WHERE length(state) > 16 ORDER BY {SEGMENTS}"
                ).fetchall()
                self.assertEqual(merged, whole, n)
                shutil.rmtree(part)

    def test_odd_fleets(self):
        """Random fleets full of trouble, cut in three."""
        for seed in range(60):
            relations, options = random_fleets.odd_fleet(seed)
            ledger = naive.Ledger(relations)
            as_of = options.get("as_of", ledger.as_of / 10**6)
            if as_of is None or not ledger.rows:
                continue
            with tempfile.TemporaryDirectory() as folder:
                whole = os.path.join(folder, "whole")
                os.mkdir(whole)
                write_csv(whole, relations)
                db = connect()
                query = "SELECT goodput_state(category, chip_us) FROM trace_rollup({}) WHERE as_of = {} AND basis = {}"
                states = []
                for name in cut(folder, relations, 3):
                    if not os.listdir(os.path.join(folder, name)):
                        continue
                    basis = "installed" if name == "capacity" else "shard"
                    states += db.execute(
                        query.format(quote(os.path.join(folder, name)), quote(as_of), quote(basis))
                    ).fetchone()
                db.execute("CREATE TEMP TABLE s AS SELECT value FROM json_each('[]')")
                db.executemany("INSERT INTO s VALUES (?)", [(s,) for s in states])
                expected = db.execute(query.format(quote(whole), quote(as_of), "'installed'")).fetchone()[0]
                merged = db.execute("SELECT goodput_merge(value) FROM s").fetchone()[0]
                self.assertEqual(merged or b"", expected or b"", f"tests/support/random_fleets.py {seed}")


class Faults(unittest.TestCase):
    """Nothing that is missing, cut, doubled or divided goes into a sum unseen."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        relations = naive.load_folder(os.path.join(ROOT, "fixtures/golden"))
        cls.as_of = naive.Ledger(relations).as_of / 10**6
        cls.names = cut(cls.folder, relations, 2)
        cls.texts = {name: task(cls.folder, name, cls.as_of) for name in cls.names}
        cls.full = max(cls.names[1:], key=lambda name: len(cls.texts[name]))  # the golden fleet has two jobs
        cls.others = [text for name, text in cls.texts.items() if name != cls.full]

    def gathered(self, *texts):
        db = gathering(self.names)
        for text in texts:
            db.executescript(text)
        return db

    def refused(self, db, *kinds):
        self.assertEqual(sorted(kind for kind, in db.execute("SELECT kind FROM shard_check")), sorted(kinds))
        with self.assertRaisesRegex(sqlite3.IntegrityError, "shards are missing, cut short or overlap"):
            db.execute(MERGE)

    def test_all_is_well(self):
        db = self.gathered(*self.texts.values())
        db.execute(MERGE)
        self.assertEqual(
            [
                round(x, 4)
                for x in db.execute(
                    "SELECT scheduling_goodput(state), runtime_goodput(state), program_goodput(state),"
                    " mpg(state) FROM fleet_states"
                ).fetchone()
            ],
            [0.635, 0.6299, 0.3875, 0.155],
        )

    def test_a_shard_that_is_down(self):
        self.refused(self.gathered(*self.others), "missing_shard")

    def test_output_cut_short(self):
        lines = self.texts[self.full].splitlines()
        self.refused(self.gathered(*self.others, "\n".join(lines[:-2] + ["COMMIT;"])), "missing_shard")
        db = gathering(self.names)
        with self.assertRaises(sqlite3.OperationalError):
            db.executescript("\n".join(lines[:1] + [lines[1][:-9]]))

    def test_a_row_lost_on_the_way(self):
        lines = self.texts[self.full].splitlines()
        self.assertTrue(lines.pop(1).startswith("INSERT INTO shard_states"))
        self.refused(self.gathered(*self.others, "\n".join(lines)), "short_shard")

    def test_a_shard_merged_twice(self):
        db = self.gathered(*self.texts.values())
        with self.assertRaisesRegex(sqlite3.IntegrityError, "UNIQUE"):
            db.executescript(self.texts[self.full])

    def test_a_shard_that_comes_late(self):
        """After the merge nothing joins it unseen, and a second merge is a whole one."""
        db = self.gathered(*self.texts.values())
        db.execute(MERGE)
        again = task(self.folder, "jobs-2", self.as_of, path=os.path.join(self.folder, self.full))
        for text in (again, "INSERT INTO shards VALUES ('jobs-2')"):
            with self.assertRaisesRegex(sqlite3.IntegrityError, "has been merged without it"):
                db.executescript(text)
            db.execute("ROLLBACK") if db.in_transaction else None
        before = db.execute("SELECT * FROM fleet_states").fetchall()
        db.execute("DELETE FROM fleet_states")
        db.execute(MERGE)
        self.assertEqual(db.execute("SELECT * FROM fleet_states").fetchall(), before)

    def test_a_shard_under_two_names(self):
        again = task(self.folder, "jobs-2", self.as_of, path=os.path.join(self.folder, self.full))
        db = self.gathered(*self.texts.values(), again)
        divided = db.execute("SELECT count(*) FROM shard_jobs WHERE shard = 'jobs-2'").fetchone()[0]
        self.assertGreater(divided, 0)
        self.refused(db, "unexpected_shard", *["divided_job"] * divided)

    def test_a_shard_of_another_end(self):
        """As what an earlier run left behind: its jobs would end before the others do."""
        earlier = task(self.folder, self.full, self.as_of - 10)
        self.refused(self.gathered(*self.others, earlier), "another_end")

    def test_a_job_cut_apart(self):
        """Its allocations in one shard, and what stands on them in the other: spans, commits, or the commits alone."""
        relations = naive.load_folder(os.path.join(ROOT, "fixtures/golden"))
        for apart, *kinds in (
            (("jobs", "spans", "commits"), "divided_job", "divided_job", "lost_records", "lost_records"),
            (("commits",), "lost_records"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                texts = [self.texts["capacity"]]
                rest = {"jobs", "allocations", "spans"} - ({"spans"} if "spans" in apart else set())
                for i, names in enumerate((tuple(rest), apart)):
                    path = os.path.join(folder, str(i))
                    os.mkdir(path)
                    write_csv(path, {name: rows for name, rows in relations.items() if name in COMMON + names})
                    texts.append(task(folder, f"jobs-{i}", self.as_of, path=path))
                self.refused(self.gathered(*texts), *kinds)


def block(name, language="sh"):
    """A script of docs/shards.md."""
    with open(os.path.join(ROOT, "docs/shards.md"), encoding="utf-8") as file:
        return re.search(r"^```%s %s\n(.*?)^```$" % (language, re.escape(name)), file.read(), re.M | re.S)[1]


class Recipe(unittest.TestCase):
    """The scripts of docs/shards.md as they stand there."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        os.mkdir(os.path.join(self.folder, "traces"))
        relations = naive.load_folder(os.path.join(ROOT, "fixtures/fleet"))
        self.shards = cut(os.path.join(self.folder, "traces"), relations, 5)
        as_of = repr(naive.Ledger(relations).as_of / 10**6)
        clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        self.environment = dict(clean, MPG=os.path.join(ROOT, "sql"), AS_OF=as_of, LD_LIBRARY_PATH=ROOT)
        for name, language in (("task.sh", "sh"), ("merge.sh", "sh"), ("array.sbatch", "sh"), ("Makefile", "make")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(block(name, language))
            os.chmod(file.name, 0o755)

    def run_script(self, script):
        return subprocess.run(
            ["sh", "-euc", script],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def expect_goodput(self, said):
        expected = (
            connect()
            .execute(
                "SELECT pool, round(scheduling_goodput(category, chip_us), 4), round(runtime_goodput(category, chip_us), 4),"
                " round(program_goodput(category, chip_us), 4), round(mpg_lower(category, chip_us), 4)"
                " FROM trace_rollup(?) GROUP BY pool",
                (os.path.join(ROOT, "fixtures/fleet"),),
            )
            .fetchall()
        )
        self.assertEqual(
            [line.split() for line in said.splitlines()[2:]],
            [[str(v) for v in row if v is not None] for row in expected],
        )

    def break_a_shard(self):
        with open(os.path.join(self.folder, "traces", "jobs-3", "spans.csv"), "a") as file:
            file.write("no,span,at,all\n")

    def expect_refusal(self, said):
        self.assertRegex(said, r"missing_shard +jobs-3 ")
        self.assertIn("shards are missing, cut short or overlap", said)

    def test_xargs(self):
        self.assertEqual(self.run_script(block("xargs")).returncode, 0)
        self.expect_goodput(self.run_script("./merge.sh").stdout)

    def test_a_date_as_the_end(self):
        """Which .parameter would take for a difference of numbers."""
        said = {}
        for as_of in ("1767657600", "2026-01-06", "2026-01-06T00:00:00Z", "2026-01-06 02:00:00+02:00"):
            self.environment["AS_OF"] = as_of
            self.assertEqual(self.run_script("rm -rf states\n" + block("xargs")).returncode, 0)
            said[as_of] = self.run_script("./merge.sh").stdout
        self.assertRegex(said["1767657600"], r"(?m)^h100-us-west2 +0\.\d+ ")
        self.assertEqual(set(said.values()), {said["1767657600"]})

    def test_output_that_was_cut_short(self):
        """Anywhere, so that it leaves a statement or a transaction open, with other shards' output behind it."""
        self.assertEqual(self.run_script(block("xargs")).returncode, 0)
        path = os.path.join(self.folder, "states", "jobs-3.sql")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        for kept in (
            [],
            lines[:-1],
            lines[:3],
            lines[:2] + [lines[2][: lines[2].index("'") + 3]],
            lines[:-1] + ["COMM"],
        ):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(kept)
            done = self.run_script("./merge.sh")
            self.assertNotEqual(0, done.returncode)
            self.expect_refusal(done.stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.expect_goodput(self.run_script("./merge.sh").stdout)

    def test_make(self):
        line = re.search(r"^    (make -j.*)$", open(os.path.join(ROOT, "docs/shards.md")).read(), re.M)[1]
        line = re.sub(r"AS_OF=\S+", "AS_OF=$AS_OF", line)
        self.break_a_shard()
        self.assertNotEqual(self.run_script(line).returncode, 0)
        self.expect_refusal(self.run_script("./merge.sh").stdout)
        self.run_script("sed -i '$d' traces/jobs-3/spans.csv")
        again = self.run_script(line).stdout
        self.assertEqual(re.findall(r"task\.sh (\S+)", again), ["jobs-3"])
        self.expect_goodput(self.run_script("./merge.sh").stdout)
        # The next day: records are written to a file that was there, and so the folder stays as it was; then, another end.
        self.assertNotIn("task.sh", self.run_script(line).stdout)
        later = "touch -d '+2 seconds' traces/jobs-1/spans.csv\n"
        self.assertEqual(re.findall(r"task\.sh (\S+)", self.run_script(later + line).stdout), ["jobs-1"])
        self.run_script("touch traces/jobs-1/spans.csv")
        self.environment["AS_OF"] = repr(float(self.environment["AS_OF"]) + 10)
        self.assertEqual(sorted(re.findall(r"task\.sh (\S+)", self.run_script(line).stdout)), sorted(self.shards))

    def test_slurm_job_array(self):
        why = slurm_cluster.missing()
        if why and os.environ.get("MPG_SLURM"):
            self.fail(why)
        if why:
            self.skipTest(why)
        wait = 'until [ -z "$(squeue -h)" ]; do sleep 0.2; done; cat goodput.txt; scontrol show job -o\n'
        told = slurm_cluster.run(
            "set -eu\n"
            + block("submit")
            + wait
            + "echo again\nsed -i '1s/^/x/' traces/jobs-3/spans.csv; rm -r states\n"
            + block("submit")
            + wait,
            self.folder,
            self.environment,
        )
        well, broken = told.split("\nagain\n")
        jobs = well[well.index("JobId=") :].splitlines()
        self.assertEqual(len(jobs), len(self.shards) + 1)  # each shard a task of the array, and the merge
        self.assertEqual({re.search(r"JobState=(\S+)", line)[1] for line in jobs}, {"COMPLETED"})
        self.assertEqual(
            sorted(map(int, re.findall(r"ArrayTaskId=(\d+) ", well))), list(range(1, len(self.shards) + 1))
        )
        self.expect_goodput(well[re.search(r"^pool ", well, re.M).start() : well.index("JobId=")])
        self.expect_refusal(broken)
        self.assertEqual(broken.count("JobState=FAILED"), 2)  # the task, and the merge


if __name__ == "__main__":
    unittest.main()
