"""The fleets of docs/studies: the generator's books are the ledger, each switch does what it says, and pages and pictures are current.

MPG_WRITE_DOCS=1 writes the table of switches in fixtures/README.md and the pictures of docs/studies.
"""

import collections
import csv
import dataclasses
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import cases
import study_pictures
from fleets import ROOT

TARGETS = ["studies"]
POLICIES = os.path.join(ROOT, "fixtures", "generate", "policies")
SPECS = {
    os.path.basename(path)[:-5]: path for path in sorted(glob.glob(os.path.join(ROOT, "fixtures", "studies", "*.json")))
}
PAGES = sorted(glob.glob(os.path.join(ROOT, "docs", "studies", "*.md")))
SWITCHES = "<!-- switches: tests/sql/test_studies.py writes this from switches.py -->\n"
sys.path.insert(0, POLICIES)
import job  # noqa: E402
import switches  # noqa: E402


def built(name):
    return os.path.join("build", "studies", name)


def read(path):
    with open(os.path.join(ROOT, path), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def play(spec, folder):
    """Generates a fleet from a spec that is given as data; where its records, books and effects are."""
    path = os.path.join(folder, "spec.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file)
    out = os.path.join(folder, "fleet")
    subprocess.run(
        [
            sys.executable,
            POLICIES,
            path,
            "--out",
            out,
            "--truth",
            out + "-truth.csv",
            "--effects",
            out + "-effects.csv",
        ],
        check=True,
    )
    return out


def sums(rows, *columns, of="chip_us"):
    found = collections.Counter()
    for row in rows:
        found[tuple(row[column] or "" for column in columns)] += int(row[of])
    return {key: chip_us for key, chip_us in found.items() if chip_us}


class Fleets(cases.Case):
    def check_books(self, out):
        ledger = self.dicts(
            "SELECT job, pool, category, cause, sum(chip_us) AS chip_us FROM trace_rollup(?) GROUP BY 1, 2, 3, 4", out
        )
        columns = "job", "pool", "category", "cause"
        self.assertGreater(len(ledger), 7)
        self.assertEqual(sums(read(out + "-truth.csv"), *columns), sums(ledger, *columns))

    def test_books_are_the_ledger(self):
        self.assertGreater(len(SPECS), 5)
        for name in SPECS:
            with self.subTest(name):
                self.check_books(built(name))
                self.assertEqual([], self.rows("SELECT kind, count FROM mpg_issues WHERE severity <> 'info'"))

    def test_effects_are_of_the_world_that_is_told(self):
        """The side of an effect that the records tell of, by window, is the ledger between its days."""
        for name, path in SPECS.items():
            spec = switches.Spec(path)
            told = "without_us" if spec.what_if else "with_us"
            effects = read(built(name) + "-effects.csv")
            self.assertEqual(bool(spec.flips), bool(effects), name)
            for day in sorted({row["window"] for row in effects}):
                ((begin, end),) = [window for window in spec.windows if window[0] == switches.micros(day)]
                query = "SELECT pool, category, sum(chip_us) AS chip_us FROM trace_rollup(?) WHERE since = ? AND until = ? GROUP BY 1, 2"
                ledger = sums(self.dicts(query, built(name), begin / 1e6, end / 1e6), "pool", "category")
                for flip in {row["flip"] for row in effects}:
                    rows = [row for row in effects if row["flip"] == flip and row["window"] == day]
                    pools = {row["pool"] for row in rows}
                    self.assertEqual(
                        sums(rows, "pool", "category", of=told),
                        {key: us for key, us in ledger.items() if key[0] in pools},
                        (name, flip, day),
                    )

    def test_same_bytes(self):
        with open(SPECS["loops"], encoding="utf-8") as file:
            spec = json.load(file)
        with tempfile.TemporaryDirectory() as folder:
            out = play(spec, folder)
            for relation in ("spans", "allocations", "commits"):
                with open(f"{out}/{relation}.csv", "rb") as again, open(
                    os.path.join(ROOT, built("loops"), f"{relation}.csv"), "rb"
                ) as first:
                    self.assertEqual(first.read(), again.read())
            spec["seed"] += 1
            self.assertNotEqual(read(built("loops") + "-truth.csv"), read(play(spec, folder) + "-truth.csv"))


class Switches(cases.Case):
    """Each switch, alone, in a small fleet that has use for it: the books remain the ledger's, and the categories that it is about move."""

    BASE = {
        "node_fails": 60,
        "job_fails": 30,
        "input": 0.1,
        "init_node_s": 3,
        "save_every_s": 7200,
        "repair_s": 7200,
        "compile_s": 600,
        "gang": "hoard",
        "eval_every_s": 36000,
        "eval_s": 300,
    }
    WITH = {
        "snapshot_s": {"async_save": True},
        "save_delay_s": {"async_save": True},
    }  # what a switch needs to be of use
    # Switch -> its value, and of which categories there is more (+) or less (-) then.
    MOVES = {
        "gang": ("whole", "partial -"),
        "defragment": (True, ""),
        "preempt": ("saved", "lost +"),
        "claims": (3, "partial +"),
        "node_fails": (0, "down -"),
        "repair_s": (600, "down -"),
        "job_fails": (0, "restore -"),
        "recover": ("hold", "partial -"),
        "restart_s": (3600, ""),
        "spares": (8, "idle +"),
        "save_every_s": (1800, "checkpoint + lost -"),
        "save_block_s": (600, "checkpoint +"),
        "async_save": (True, "checkpoint -"),
        "snapshot_s": (60, "checkpoint -"),
        "save_delay_s": (3600, "checkpoint -"),
        "restore_s": (600, "restore +"),
        "init_s": (600, "startup +"),
        "init_node_s": (0, "startup -"),
        "single_controller": (True, "startup -"),
        "compile_s": (60, "compile -"),
        "compile_cache": (True, "compile -"),
        "ahead_of_time": (True, "compile -"),
        "search_s": (1800, "compile +"),
        "search_gain": (0.2, "ideal +"),
        "input": (0, "input -"),
        "overlap_gain": (0.2, "ideal +"),
        "compiler": ("2", ""),
        "compiler_gain": (0.2, "ideal +"),
        "compiler_spread": (0.2, ""),
        "traffic": (0.3, "stall +"),
        "eval_every_s": (0, "eval -"),
        "eval_s": (900, "eval +"),
    }

    @classmethod
    def setUpClass(cls):
        jobs = [
            {
                "chips": [8],
                "share": 2,
                "hours": [4, 12],
                "step_s": [900, 1800],
                "priority": 50,
                "phase": "bulk_inference",
            },
            {"chips": [32, 64], "share": 5, "hours": [6, 30], "step_s": [900, 1800], "programs": 5, "priority": 100},
            {"chips": [128], "share": 4, "hours": [6, 30], "step_s": [900, 1800], "priority": 200},
            {"chips": [16], "count": 1, "step_s": [3600, 3600], "phase": "serving", "priority": 300},
        ]
        flips = [
            {"name": name, "from": "2025-01-01", "pools": ["p"], "set": {name: value, **cls.WITH.get(name, {})}}
            for name, (value, _) in cls.MOVES.items()
        ]
        cls.spec = {
            "seed": 5,
            "windows": [["2025-01-01", 3]],
            "switches": cls.BASE,
            "what_if": True,
            "flips": flips,
            "pools": {"p": {"chip": "tpu-v5p", "node": 8, "chips": 512, "jobs": jobs}},
        }
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = play(cls.spec, cls.folder.name)
        cls.effects = read(cls.out + "-effects.csv")

    def test_all_are_tried(self):
        self.assertEqual([field.name for field in dataclasses.fields(switches.Switches)], list(self.MOVES))

    def test_what_moves(self):
        for name, (_, moves) in self.MOVES.items():
            rows = {
                row["category"]: (int(row["without_us"]), int(row["with_us"]))
                for row in self.effects
                if row["flip"] == name
            }
            with self.subTest(name):
                self.assertEqual(
                    *(sum(pair[i] for category, pair in rows.items() if category != "queued") for i in (0, 1)),
                    "capacity is the same",
                )
                for category, sign in zip(moves.split()[::2], moves.split()[1::2]):
                    before, after = rows[category]
                    self.assertGreater((after - before) * {"+": 1, "-": -1}[sign], 0, category)
                if name != "compiler":  # a label, which changes nothing
                    self.assertTrue(any(before != after for before, after in rows.values()))

    def world(self, chosen, folder):
        """Generates the fleet with some switches at once; its allocations by job, and its books by why."""
        out = play(dict(self.spec, what_if=False, flips=[], switches=self.BASE | chosen), folder)
        truth = read(out + "-truth.csv")
        ledger = self.dicts(
            "SELECT job, pool, category, cause, sum(chip_us) AS chip_us FROM trace_rollup(?) GROUP BY 1, 2, 3, 4", out
        )
        self.assertEqual(
            sums(truth, "job", "pool", "category", "cause"), sums(ledger, "job", "pool", "category", "cause")
        )
        by_job = collections.defaultdict(list)
        for row in read(out + "/allocations.csv"):
            by_job[row["job"]].append(
                (int(row["attempt"]), float(row["start_time"]), float(row["end_time"]), row["outcome"])
            )
        return by_job, {why for why, in sums(truth, "why")}

    def test_books_with_several_of_them(self):
        changed = {
            name: value for name, (value, _) in self.MOVES.items() if name not in ("node_fails", "job_fails", "gang")
        }
        reasons = {"start", "node_fail", "failed"}
        for chosen, why in (
            (changed, {"preempted"}),
            ({"preempt": "abrupt", "recover": "hold"}, {"preempted", "preempted_for_restart"}),
            ({"preempt": "saved", "defragment": True, "async_save": True}, {"moved", "preempted"}),
            ({"gang": "whole", "spares": 3, "recover": "hold"}, set()),
        ):
            with self.subTest(str(chosen)), tempfile.TemporaryDirectory() as folder:
                self.assertLessEqual(reasons | why, self.world(chosen, folder)[1])

    def test_a_failed_job_waits_before_it_starts_again(self):
        with tempfile.TemporaryDirectory() as folder:
            by_job, _ = self.world({"restart_s": 1800, "gang": "whole"}, folder)
            waits = [
                after[1] - before[2]
                for rows in by_job.values()
                for before, after in zip(sorted(rows), sorted(rows)[1:])
                if after[0] == before[0] + 1 and before[3] in ("failed", "node_fail")
            ]
            self.assertGreater(len(waits), 5)
            self.assertGreaterEqual(min(waits), 1800)

    def test_they_are_documented(self):
        with open(os.path.join(POLICIES, "switches.py"), encoding="utf-8") as file:
            fields = re.findall(r"^    (\w+): \w+ = (\S+)  # (.+)$", file.read(), re.M)
        self.assertEqual(
            [field.name for field in dataclasses.fields(switches.Switches)], [name for name, _, _ in fields]
        )
        unset = switches.Switches()
        table = "\n| switch | unless set | |\n|---|---|---|\n" + "".join(
            f"| `{name}` | `{json.dumps(getattr(unset, name))}` | {text} |\n" for name, _, text in fields
        )
        path = os.path.join(ROOT, "fixtures", "README.md")
        with open(path, encoding="utf-8") as file:
            page = file.read()
        written = page[: page.index(SWITCHES)] + SWITCHES + table
        if os.environ.get("MPG_WRITE_DOCS"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(written)
        else:
            self.assertEqual(written, page)


def answers(page):
    """The last answer of each output of a page, which test_docs holds to the SQL: lists of dicts, of numbers where they are."""
    with open(os.path.join(ROOT, "docs", "studies", page + ".md"), encoding="utf-8") as file:
        text = re.sub(r"^```\w.*?^```[ ]*$", "", file.read(), flags=re.M | re.S)
    return [
        [
            {name: float(cell) if re.fullmatch(r"-?[\d.]+", cell) else cell for name, cell in row.items()}
            for row in study_pictures.table(output)
        ]
        for output in study_pictures.OUTPUT.findall(text)
    ]


class Answers(cases.Case):
    """What the pages say in words of their answers, and how far an estimate may be from the truth."""

    def test_fleet(self):
        sizes, phases, flips, mix = answers("fleet")
        before, after = ({row["size"]: row[side] for row in sizes} for side in ("before", "after"))
        self.assertEqual("L", min(before, key=before.get))
        self.assertLess(before["M"], min(before["S"], before["XL"]))
        self.assertGreater(min(after.values()), 95)
        self.assertEqual(8, len(phases))
        self.assertLess(max(row["serving"] for row in phases) - min(row["serving"] for row in phases), 1)
        self.assertGreater(max(row["training"] for row in phases) - phases[0]["training"], 3)
        self.assertTrue(all(row["true_RG"] > 0 for row in flips))
        self.assertLess(max(abs(row["dRG"] - row["true_RG"]) for row in flips), 2)
        self.assertEqual(1, sum(row["dRG"] < 0 for row in flips), "one has the wrong sign")
        for name in ("mix", "SG", "RG", "PG", "new", "total"):
            self.assertAlmostEqual(mix[-1][name], sum(row[name] for row in mix[:-1]), delta=0.3)
        self.assertGreater(mix[-1]["new"], 2 * mix[-1]["total"])

    def test_compilers(self):
        (programs,), (pool,), slower, net, (cost,) = answers("compilers")
        self.assertEqual((programs["speed"], 150), (1.038, programs["programs"]))
        spec, luck, took = switches.Spec(SPECS["fleet"]), {}, collections.Counter()
        on = switches.micros("2024-01-01") // 10**6
        for number, kind in enumerate(spec.pools["v5e"]["jobs"]):
            luck.update((program[0], program[-1]) for program in job.programs_of(spec, "v5e", number, kind))
        for row in read(built("fleet") + "/spans.csv"):
            if row["program"] in luck and float(row["start_time"]) >= on:
                took[row["program"]] += float(row["end_time"]) - float(row["start_time"])
        gain = sum(seconds * (1.05 + 0.08 * luck[program]) for program, seconds in took.items()) / sum(took.values())
        self.assertAlmostEqual(gain, programs["speed"], delta=0.001)
        self.assertGreater(pool["pool_speed"], programs["speed"])
        self.assertTrue(all(row["points"] < 0 for row in slower))
        for row in net:
            self.assertTrue(row["true_RG"] < 0 < row["true_net"] < row["true_PG"], row)
            self.assertEqual("PG, paid with RG", row["verdict"])
            self.assertLess(abs(row["dnet"] - row["true_net"]), 2)
        self.assertTrue(cost["more_compilation"] > 0 and cost["more_ideal"] > 0)

    def test_metrics(self):
        rows, costs = answers("metrics")
        by = {row["pool"]: row for row in rows}
        for pool, better, metric in (
            ("hoarding", "spare", "occupancy"),
            ("redoing", "saving", "duty"),
            ("spare", "saving", "MFU"),
        ):
            self.assertGreater(by[pool][metric], by[better][metric])
            self.assertLess(by[pool]["MPG"], by[better]["MPG"])
        self.assertEqual(
            {"hoarding": "partial", "redoing": "lost", "saving": "checkpoint", "spare": "idle"},
            {row["pool"]: row["category"] for row in costs},
        )
        self.assertEqual({0.0}, {row["difference_us"] for row in costs})

    def test_efficientnet(self):
        published, played, books = answers("efficientnet")
        self.assertTrue(all(5 < row["MPG"] < 15 for row in published))
        all_cores, one_host = played
        self.assertEqual(all_cores["PG"], one_host["PG"])
        self.assertGreater(all_cores["RG"], 2 * one_host["RG"])
        self.assertAlmostEqual(64, all_cores["minutes"], delta=0.5)
        self.assertEqual(
            [(row["pool"], row["RG"], row["evaluation"]) for row in played],
            [(row["pool"], row["RG"], row["evaluation"]) for row in books],
        )

    def test_states(self):
        """GPU-seconds by state are those that were written, exactly; the shares are the published ones."""
        rows = self.dicts(
            "SELECT pool, outcome AS state, count(*) AS jobs, CAST(sum(chips * (end_time - start_time)) AS INTEGER) AS gpu_s FROM trace_records(?)"
            " WHERE record = 'allocations' GROUP BY 1, 2",
            built("published"),
        )
        found = {
            (row["pool"].replace("Saturn/vc1", "helios"), row["state"]): (row["jobs"], row["gpu_s"]) for row in rows
        }
        self.assertEqual(
            {
                (row["trace"], row["state"]): (int(row["jobs"]), int(row["gpu_s"]))
                for row in read(built("published") + "-truth.csv")
            },
            found,
        )
        shares, (waits,), _ = answers("states")
        self.assertEqual(12, len(shares))
        for row in shares:
            self.assertAlmostEqual(row["of_jobs"], row["published_jobs"], delta=0.11)
            if row["published_time"] != "":
                self.assertAlmostEqual(row["of_gpu_time"], row["published_time"], delta=0.11)

    def test_failures(self):
        (llama,), runs, sizes, _ = answers("failures")
        self.assertLess(abs(llama["RG_then"] - llama["true_then"]), 0.003)
        self.assertLess(abs(llama["failures"] - 466), 3 * 466**0.5)
        for row in runs:
            self.assertAlmostEqual(row["young_s"], row["published_best"], delta=0.01 * row["published_best"])
            self.assertLess(row["formula"], row["ETTR"])
        self.assertTrue(all(abs(row["ETTR"] - row["formula"]) < 0.011 for row in runs[:2]))
        self.assertGreater(runs[2]["ETTR"] - runs[2]["formula"], 0.05)
        for row in sizes:
            self.assertLess(abs(row["mttf_hours"] / row["by_the_rate"] - 1), 3 / row["failures"] ** 0.5, row)

    def test_what_crash_loops_destroy(self):
        """What preemptions destroyed is what the books have lost for that, to the microsecond."""
        self.db.execute("SELECT mpg_build(?)", (built("loops"),)).fetchall()
        why = sums([row for row in read(built("loops") + "-truth.csv") if row["category"] == "lost"], "why")
        found = dict(self.rows("SELECT outcome, sum(lost_us) FROM attempts GROUP BY 1 HAVING sum(lost_us) > 0"))
        self.assertEqual(
            {
                "failed": why["failed",],
                "node_fail": why["node_fail",],
                "preempted": why["preempted",] + why["preempted_for_restart",],
            },
            found,
        )
        *_, books = answers("failures")
        self.assertLess(
            why["preempted_for_restart",] / 3.6e9,
            self.one("SELECT sum(destroyed_chip_hours) FROM mpg_preemptions WHERE beneficiary_size = 'L'"),
        )
        self.assertEqual(
            {row["why"]: row["lost"] for row in books}, {reason: round(us / 3.6e9, 2) for (reason,), us in why.items()}
        )

    def test_what_if(self):
        estimates, books = answers("what-if")
        self.assertEqual(4, len(estimates))
        for row in estimates:
            self.assertLess(abs(row["error"]), 0.5, row)
            self.assertGreater(
                abs(row["truth"] - row["before"]), 2 * abs(row["error"]), "the change is larger than the error"
            )
        lost = {row["flip"]: row["with_h"] - row["without_h"] for row in books if row["category"] == "lost"}
        self.assertGreater(lost["asynchronous saves"], 0)


class Pictures(unittest.TestCase):
    maxDiff = None

    def test_a_table_is_read(self):
        self.assertEqual(
            [{"a": "x y", "b": "1.5"}, {"a": "", "b": "-2"}],
            study_pictures.table("built\n-----\n1\na    b\n---  ---\nx y  1.5\n     -2\n"),
        )

    def test_current(self):
        drawn = set()
        for page in PAGES:
            with open(page, encoding="utf-8") as file:
                text = file.read()
            for name, picture in study_pictures.pictures(text) if os.path.basename(page) != "writing.md" else ():
                path = os.path.join(os.path.dirname(page), name)
                drawn.add(path)
                if os.environ.get("MPG_WRITE_DOCS"):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(picture)
                with self.subTest(name), open(path, encoding="utf-8") as file:
                    self.assertEqual(picture, file.read())
        self.assertEqual(
            sorted(drawn), sorted(glob.glob(os.path.join(ROOT, "docs", "studies", "*.svg"))), "no picture is left over"
        )


if __name__ == "__main__":
    unittest.main()
