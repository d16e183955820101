"""mpg_build of a folder whose files grow: in the end its tables are those of one build, and its ledger is trace_rollup's."""

import json
import os
import shutil
import unittest

from built_case import BuiltCase
from fleets import ROOT, connect
from job_logs import SACCT as SACCT_LINES
from job_logs import T, clock, job, megatron

FULL = bool(os.environ.get("MPG_FULL"))
SACCT = "JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes|Elapsed\n77|77|p|{0}|{0}|{1}|{2}|billing=1,gres/gpu:h100=8|1|01:00:00\n"
LOGS = {
    "training/megatron.log": "2026-03-02T09:00:00",
    "training/torchtitan.log": "2026-03-03T10:00:00",
    "training/nanogpt.log": "2026-03-03T11:00:00",
    "trainer/deepspeed.log": "2026-03-03T10:00:00",
    "trainer/nemo.log": "2026-03-03T10:00:00",
    "goodput/ranker-7.jsonl": "2026-11-21T06:00:00",
}
TABLES = {
    "ledger": "category, sum(chip_us) FROM ledger GROUP BY category",
    "capacity": "pool, chips, start_us, end_us FROM capacity",
    "spans": "job, kind, start_us, end_us, step FROM spans",
    "allocations": "job, attempt, pool, chips, start_us, end_us, outcome FROM allocations",
    "commits": "job, step, durable_us FROM commits",
    "observed": "pool, job, until_us FROM observed",
}


class Grown(BuiltCase):
    def setUp(self):
        super().setUp()
        self.root = self.new_folder()
        self.exports = os.path.join(self.root, "exports")

    def write(self, fixture, share, files=()):
        """The folder anew: the first part of the log, and other files."""
        shutil.rmtree(self.exports, ignore_errors=True)
        os.makedirs(self.exports)
        with open(os.path.join(ROOT, "fixtures", fixture), encoding="utf-8") as file:
            lines = file.readlines()
        with open(os.path.join(self.exports, "77-" + os.path.basename(fixture)), "w", encoding="utf-8") as file:
            file.writelines(lines[: int(len(lines) * share)])
        for name, text in files:
            with open(os.path.join(self.exports, name), "w", encoding="utf-8") as file:
                file.write(text)

    def build(self, db, step):
        file, *reading = step
        self.write(*reading)
        db.execute("SELECT mpg_build(?)", (os.path.join(self.exports, file) if file else self.exports,)).fetchall()

    def built(self, *readings, file=""):
        """What the tables hold after these states of the folder were built, one after the other."""
        db = self.after(self.build, [(file, *reading) for reading in readings])
        self.write(*readings[-1])
        self.assertEqual([], db.execute("SELECT * FROM issues WHERE kind = 'told_otherwise'").fetchall())
        found = {table: sorted(db.execute("SELECT " + sql).fetchall(), key=repr) for table, sql in TABLES.items()}
        return found

    def check(self, fixture, shares, before=(), after=()):
        whole = (fixture, 1, after)
        once = self.built(whole)
        self.assertEqual(
            once["ledger"],
            sorted(
                self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY category", self.exports),
                key=repr,
            ),
        )
        states = [(fixture, share, before) for share in shares]
        for state in states if FULL else ():
            with self.subTest(fixture=fixture, share=state[1]):
                self.assertEqual(once, self.built(state, whole))
        last = 1 + len(fixture) % len(shares)  # the whole comes after a part, after all parts, and again
        for parts in [states[:last]] + ([[*states, whole]] if FULL or len(shares) > 1 else []):
            with self.subTest(fixture=fixture, parts=len(parts)):
                self.assertEqual(once, self.built(*parts, whole))

    def test_a_log_that_grows(self):
        for fixture in LOGS:
            self.check(fixture, (0.3, 0.4, 0.5, 0.7, 0.8, 0.9) if FULL else (0.3, 0.5, 0.8))

    def test_pieces_of_a_log_that_no_scheduler_stands_beside(self):
        """Its head was cut off, as containers' logs are, or a later launch wrote it anew; a tracker is exported by days. The pieces hold its chips once, in any order, and each step counts once."""

        def trainer(first, last, head):
            lines = ["Config param steps: 1000", "Num_devices: 8, shape (1, 1, 8, 1)"] if head else []
            told = [f"{clock(10 * (first - 1))} {line}" for line in lines]
            for n in range(first, last + 1):
                told.append(
                    f"{clock(10 * n)} completed step: {n}, seconds: 10.000, TFLOP/s/device: 100.000,"
                    " Tokens/s/device: 8192.000, total_weights: 65536, loss: 9.0"
                )
                told += [f"{clock(10 * n)} Saved a checkpoint at step {n}."] * (n % 20 == 0)
            return "\n".join(told) + "\n"

        def tracker(first, last, _):
            lines = ({"_step": n, "_timestamp": T + 10 * n, "loss": 2} for n in range(first, last + 1))
            return "".join(json.dumps(line) + "\n" for line in lines)

        def library(first, last, head):
            lines = (
                [{"job_start_time": T}, {"tpu_init_start_time": T}, {"tpu_init_end_time": T + 5}] if first == 1 else []
            )
            lines += [{"step_count": n, "step_start_time": T + 10 * n} for n in range(first, last + 1)]
            lines += [{"job_end_time": T + 1810}] if last == 180 else []
            return "".join(json.dumps({"job_name": "r", **line}) + "\n" for line in lines)

        work = "SELECT job, category, sum(chip_us) FROM ledger WHERE category <> 'queued' GROUP BY 1, 2"
        for name, log, options in (
            ("run.log", trainer, {}),
            ("run.log", trainer, {"chips": 8}),
            ("run.jsonl", tracker, {"chips": 8, "flops": 8e15}),
            ("goodput.jsonl", library, {"chips": 8}),
        ):
            for second, head in (
                ((91, 180), True),
                ((91, 180), False),
                ((93, 180), True),
                ((51, 180), True),
                ((81, 180), False),
            ):
                if not options and not head:
                    continue
                pieces = [log(1, 90, True), log(*second, head)]
                for order in (pieces, pieces + pieces[:1], pieces[::-1]):
                    if order == pieces[::-1] and second[0] < 91:
                        continue  # the first piece tells later steps otherwise
                    with self.subTest(name=name, options=options, second=second, head=head, order=len(order)):
                        db, folder = connect(":memory:"), self.new_folder()
                        for text in order:
                            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                                file.write(text)
                            source = {"sources": [{"path": folder + "/" + name, "job": "r", "pool": "p", **options}]}
                            db.execute("SELECT mpg_build(?)", (json.dumps(source),)).fetchall()
                        held = db.execute("SELECT sum(capacity_us) / 8e6, total(partial_us) FROM cells").fetchone()
                        self.assertAlmostEqual(1800, held[0], delta=20)
                        self.assertEqual(0, held[1])
                        told = dict(row[1:] for row in db.execute(work))
                        self.assertEqual([], [category for category in told if category in ("idle", "lost", "partial")])
                        self.assertEqual(
                            [], db.execute("SELECT * FROM issues WHERE kind = 'oversubscribed'").fetchall()
                        )
                        db.close()

    def test_a_log_that_is_read_without_its_scheduler(self):
        """After a build of the export it is a job by itself, which is listed; with the export, or at another time, nothing is."""
        text = megatron(0, 1, 60)
        sacct = SACCT_LINES + job(5101, 0, 600)
        later = SACCT_LINES + job(5101, 90000, 90600)
        for first, second, listed in (
            ({"a.psv": sacct}, {"slurm-5101.out": text}, [(1,)]),
            ({"slurm-5101.out": text}, {"a.psv": sacct}, [(1,)]),
            ({"slurm-5101.out": text}, {"a.psv": sacct, "slurm-5101.out": text}, []),
            ({"slurm-5101.out": text}, {"a.psv": later}, []),
            ({"a.psv": sacct}, {"a.psv": sacct, "slurm-5101.out": text}, []),
            ({"a.psv": sacct, "slurm-5101.out": text}, {"slurm-5101.out": text}, []),
            ({"a.psv": later}, {"slurm-5101.out": text}, []),
        ):
            db = connect(":memory:")
            for files in (first, second):
                db.execute("SELECT mpg_build(?)", (self.folder_of(files),)).fetchall()
            said = "SELECT count FROM issues WHERE kind = 'unmatched_log' AND detail GLOB 'logs * at a time at which untraced jobs *'"
            self.assertEqual(listed, db.execute(said).fetchall(), (list(first), list(second)))
            db.close()

    def test_a_log_that_grows_beside_its_scheduler(self):
        """Listed as running, then as completed."""
        for fixture, start in LOGS.items():
            end = start[:11] + f"{int(start[11:13]) + 2:02}:00:00"
            self.check(
                fixture,
                (0.3, 0.5, 0.8),
                [("sacct.txt", SACCT.format(start, "Unknown", "RUNNING"))],
                [("sacct.txt", SACCT.format(start, end, "COMPLETED"))],
            )

    def test_a_log_beside_one_of_later(self):
        """The first one's job ends with its last line, before and after the second is there."""
        with open(os.path.join(ROOT, "fixtures/training/megatron.log"), encoding="utf-8") as file:
            later = file.read().replace("2026-03-02", "2026-05-02")
        self.check("training/megatron.log", (0.5, 0.7), (), [("later.log", later)])
        self.built(("training/megatron.log", 0.7, [("later.log", later)]))
        self.assertEqual(
            [],
            self.rows(
                "SELECT job FROM trace_rollup(?) WHERE category = 'idle' GROUP BY job HAVING sum(chip_us) < 0",
                self.exports,
            ),
        )

    def test_a_job_that_waits_again(self):
        """Windows of one export each: the last has but the job that waits again, which was submitted when the first says."""
        header = "JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES|NodeList\n"
        row = "{}|c|{}|{}|{}|{}|10|gres/gpu=8|{}|{}\n".format
        waits = row(1, "PENDING", 1900, "Unknown", "Unknown", "", "")
        first = row(1, "REQUEUED", 1000, 1200, 1900, "gres/gpu=8", "n1") + waits
        other = [row(i, "COMPLETED", t, t, t + 1000, "gres/gpu=8", "n2") for i, t in ((2, 3000), (3, 5000))]
        db = connect(":memory:")
        for text in (first + other[0], waits + other[1]):
            shutil.rmtree(self.exports, ignore_errors=True)
            os.makedirs(self.exports)
            with open(os.path.join(self.exports, "sacct.psv"), "w", encoding="utf-8") as file:
                file.write(header + text)
            db.execute("SELECT mpg_build(?)", (self.exports,)).fetchall()
        sql = "SELECT sum(chip_us) / 1000000 FROM ledger WHERE job = '1' AND category = 'queued'"
        self.assertEqual([(8 * (200 + 4100),)], db.execute(sql).fetchall())
        db.close()

    def test_a_second_cluster(self):
        """Its export gives the jobs of the first another name, which the records have that were there before; without it they have the first one again."""
        header = "JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|AllocTRES|NodeList\n"

        def export(cluster, *rows):
            return header + "".join(
                "{}|{}|{}|{}|{}|{}|{}|gres/gpu=8|n1\n".format(
                    number,
                    cluster,
                    "COMPLETED" if end != "Unknown" else "RUNNING" if start != "Unknown" else "PENDING",
                    submit,
                    start,
                    end,
                    500,
                )
                for number, submit, start, end in rows
            )

        done, ran, runs, waits, began = (
            (1, 1000, 1000, 2000),
            (2, 1100, 1200, 2100),
            (2, 1100, 1200, "Unknown"),
            (5, 1300, "Unknown", "Unknown"),
            (5, 1300, 2400, 2600),
        )
        other = export("c2", (1, 1000, 1000, 3000), (2, 1500, 1500, 1600))
        whole = {"a.psv": export("c1", done, ran, began), "b.psv": other}
        for listed, wanted, *readings in (
            (2, None, {"a.psv": export("c1", done, ran)}, {"a.psv": export("c1", done, ran), "b.psv": other}),
            (3, None, {"a.psv": export("c1", done, runs, waits)}, whole),  # what ran has ended, what waited has begun
            (0, None, {"a.psv": export("c1", done, runs, waits)}, whole, whole),  # as the build before has it
            (
                1,
                whole,
                {"a.psv": export("c1", done)},
                {"a.psv": export("c1", ran, began)},
                {"a.psv": export("c1", ran, began), "b.psv": other},
                whole,
            ),
            (
                1,
                None,
                {"a.psv": export("c1", waits)},
                {"a.psv": export("c1", waits, done), "b.psv": other, "c.psv": export("c2", waits)},
            ),
            (3, whole, whole, {"a.psv": export("c1", done, ran, began)}),
        ):
            with self.subTest(readings=readings):
                found = []
                for some in ([wanted or readings[-1]], readings):
                    db = connect(":memory:")
                    for files in some:
                        shutil.rmtree(self.exports, ignore_errors=True)
                        os.makedirs(self.exports)
                        for name, text in files.items():
                            with open(os.path.join(self.exports, name), "w", encoding="utf-8") as file:
                                file.write(text)
                        db.execute("SELECT mpg_build(?)", (self.exports,)).fetchall()
                    found.append(
                        [
                            db.execute(f"SELECT {sql}").fetchall()
                            for sql in (
                                "pool, job, category, sum(chip_us) FROM ledger GROUP BY 1, 2, 3",
                                "job, submit_us FROM jobs ORDER BY 1",
                                "job, start_us, end_us FROM allocations ORDER BY 1, 2",
                            )
                        ]
                    )
                    listing = db.execute(
                        "SELECT severity, count FROM mpg_issues WHERE kind = 'run_anew' AND detail LIKE 'jobs that the tables had%'"
                    ).fetchall()
                    db.close()
                if "b.psv" not in readings[-1]:
                    found[0] = [
                        sorted(
                            (*(value.replace("c1/", "") if isinstance(value, str) else value for value in row),)
                            for row in rows
                        )
                        for rows in found[0]
                    ]
                self.assertEqual(found[0], found[1])
                self.assertEqual([("info", listed)] * bool(listed), listing)

    def test_a_log_whose_job_is_known_later(self):
        """A log is a job by itself, until its scheduler's export or the option job says which it is of: then it is that one alone."""
        for fixture, start in LOGS.items():
            end = start[:11] + f"{int(start[11:13]) + 2:02}:00:00"
            for share in (0.5, 1):
                self.check(fixture, (share,), (), [("sacct.txt", SACCT.format(start, end, "COMPLETED"))])
        listed, log = SACCT.format(LOGS["trainer/nemo.log"], "2026-03-03T12:00:00", "COMPLETED"), "77-nemo.log"
        fleet = [
            [
                ("fleet.json", json.dumps({"sources": [{"path": "fine.txt"}, {"path": log, **options}]})),
                ("fine.txt", listed.replace("77", "78")),
            ]
            for options in ({}, {"job": "78"})
        ]
        once, grown = ([("trainer/nemo.log", 1, files) for files in some] for some in (fleet[1:], fleet))
        self.assertEqual(self.built(*once, file="fleet.json"), self.built(*grown, file="fleet.json"))

    def test_a_log_whose_job_a_later_export_lacks(self):
        """An export of each day takes the place of the last, and the logs stay: the log of a job of yesterday is no job by itself, also if both are built again."""
        later = SACCT.replace("77|77", "78|78").format("2026-12-24T12:00:00", "2026-12-24T13:00:00", "COMPLETED")
        for fixture, start in LOGS.items():
            with self.subTest(fixture):
                sacct = SACCT.format(start, f"{start[:11]}{int(start[11:13]) + 2:02}:00:00", "COMPLETED")
                whole = (fixture, 1, [("sacct.txt", sacct), ("later.txt", later)])
                days = [(fixture, 1, [("sacct.txt", text)]) for text in (sacct, later)]
                once, found, again, last = (
                    {name: rows for name, rows in self.built(*readings).items() if name != "observed"}
                    for readings in ([whole], days, [*days, days[1]], [days[1], whole])
                )
                self.assertEqual([], [row for row in found["allocations"] if row[0].startswith("/")])
                self.assertEqual([once] * 3, [found, again, last])
                db = self.after(self.build, [("", *reading) for reading in days])
                self.assertEqual(
                    [("info", 1)], db.execute("SELECT severity, count FROM issues WHERE kind = 'kept_log'").fetchall()
                )

    def test_a_log_that_goes_on_while_its_job_is_not_told_of(self):
        """Steps and saves that came since the last export that has the job are its own; also if an export tells of it again."""
        later = SACCT.replace("77|77", "78|78").format("2026-12-24T12:00:00", "2026-12-24T13:00:00", "COMPLETED")
        for fixture, start in LOGS.items():
            sacct = SACCT.format(start, f"{start[:11]}{int(start[11:13]) + 2:02}:00:00", "COMPLETED")
            whole = (fixture, 1, [("sacct.txt", sacct), ("later.txt", later)])
            days = [(fixture, share, [("sacct.txt", text)]) for share, text in ((0.7, sacct), (0.9, later), (1, later))]
            with self.subTest(fixture):
                once, found, again = (
                    {name: rows for name, rows in self.built(*readings).items() if name != "observed"}
                    for readings in ([whole], days, [*days, (fixture, 1, [("sacct.txt", sacct)])])
                )
                self.assertEqual([once] * 2, [found, again])

    def test_attempts_of_a_requeued_job_that_a_later_export_lacks(self):
        """They stay: the log is told anew from its begin, the scheduler's attempts from the first that is told."""
        start = LOGS["training/megatron.log"]
        rows = [
            SACCT.format(start[:11] + begin, start[:11] + end, state)
            .partition("\n")[2]
            .replace(f"|{start[:11]}{begin}|", f"|{submit}|", 1)
            for begin, end, state, submit in (
                ("09:00:00", "09:05:00", "REQUEUED", start),
                ("09:06:00", "09:09:00", "REQUEUED", start[:11] + "09:05:00"),
                ("09:10:00", "11:00:00", "COMPLETED", start[:11] + "09:09:00"),
            )
        ]
        header = SACCT.partition("\n")[0] + "\n"
        whole, window = [("sacct.txt", header + "".join(rows))], [("sacct.txt", header + rows[2])]
        once = self.built(("training/megatron.log", 1, whole))
        self.assertEqual(3, len(once["allocations"]))
        found = self.built(("training/megatron.log", 1, whole), ("training/megatron.log", 1, window))
        for table in "ledger", "spans", "commits", "capacity":
            self.assertEqual(once[table], found[table], table)
        held = [[row[3:] for row in tables["allocations"]] for tables in (once, found)]
        self.assertEqual(*held)

    def test_a_log_that_is_gone_beside_its_scheduler(self):
        """Emptied by logrotate, moved away, or cut at its begin: what it told stays, and its job is no less traced than before."""
        for fixture, start in LOGS.items():
            for state in "COMPLETED", "FAILED", "RUNNING":
                end = "Unknown" if state == "RUNNING" else f"{start[:11]}{int(start[11:13]) + 2:02}:00:00"
                sacct = [("sacct.txt", SACCT.format(start, end, state).replace("|01:00:00", "|02:00:00"))]
                with self.subTest(fixture, state=state):
                    told = {name: sql for name, sql in TABLES.items() if name != "observed"}
                    db = self.after(self.build, [("", fixture, 1, sacct)])
                    once = {
                        name: sorted(db.execute("SELECT " + sql).fetchall(), key=repr) for name, sql in told.items()
                    }
                    for gone in False, True:
                        self.write(fixture, 0, sacct)
                        if gone:
                            os.remove(os.path.join(self.exports, "77-" + os.path.basename(fixture)))
                        db.execute("SELECT mpg_build(?)", (self.exports,)).fetchall()
                        found = {
                            name: sorted(db.execute("SELECT " + sql).fetchall(), key=repr) for name, sql in told.items()
                        }
                        self.assertEqual(once, found)

    def test_a_log_beside_a_job_whose_pod_is_gone(self):
        """The Job alone, which ended, says nothing of what its pod held: that stays, and so do the steps of its log."""
        start = LOGS["training/megatron.log"]
        at = lambda time: start[:11] + time + "Z"
        meta = lambda name: {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": at("08:00:00")}
        ready = [{"type": "Ready", "status": "True", "lastHeartbeatTime": at("12:00:00")}]
        spec = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}
        owner = [{"apiVersion": "batch/v1", "kind": "Job", "name": "llm", "uid": "llm", "controller": True}]
        ended = {"terminated": {"exitCode": 0, "startedAt": at("08:59:00"), "finishedAt": at("11:00:00")}}
        placed = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at("08:58:00")}]
        status = {"phase": "Succeeded", "conditions": placed, "containerStatuses": [{"name": "c", "state": ended}]}
        done = [{"type": "Complete", "status": "True", "lastTransitionTime": at("11:00:00")}]
        node = {
            "kind": "Node",
            "metadata": meta("n1"),
            "status": {"capacity": {"nvidia.com/gpu": "8"}, "conditions": ready},
        }
        job = {
            "kind": "Job",
            "apiVersion": "batch/v1",
            "metadata": meta("llm"),
            "spec": {"parallelism": 1, "template": {"spec": spec}},
        }
        job["status"] = {"conditions": done, "startTime": at("08:58:00"), "completionTime": at("11:00:00")}
        pod = {
            "kind": "Pod",
            "metadata": meta("llm-x") | {"ownerReferences": owner},
            "spec": {**spec, "nodeName": "n1"},
            "status": status,
        }
        fleet = {"sources": [{"path": "77-megatron.log", "job": "ml/llm"}, {"path": "list.json"}]}
        states = [
            (
                "training/megatron.log",
                1,
                [("fleet.json", json.dumps(fleet)), ("list.json", json.dumps({"kind": "List", "items": items}))],
            )
            for items in ([node, job, pod], [node, job])
        ]
        once, found = (self.built(*states[:n], file="fleet.json") for n in (1, 2))
        for table in "ledger", "spans", "commits", "capacity":
            self.assertEqual(once[table], found[table], table)
        self.assertEqual(once["allocations"], [row for row in found["allocations"] if row[3] > 0])

    def test_a_log_whose_job_waits_again_in_a_later_export(self):
        """The export of a window in which a requeued job only waits: its log is no attempt with chips of its own."""
        for fixture, start in LOGS.items():
            hour = int(start[11:13])
            ran = SACCT.format(start, f"{start[:11]}{hour + 2:02}:00:00", "REQUEUED")
            waits = ran.partition("\n")[2].replace("REQUEUED", "PENDING").split("|")
            waits[3:6] = f"{start[:11]}{hour + 2:02}:00:00", "Unknown", "Unknown"
            waits = "|".join(waits).replace("|billing=1,gres/gpu:h100=8|1|01:00:00", "||1|00:00:00")
            header = SACCT.partition("\n")[0] + "|ReqTRES\n"
            first, wait = ran.partition("\n")[2].strip() + "|gres/gpu=8\n", waits.strip() + "|gres/gpu=8\n"
            other = first.replace("77|77", "78|78").replace("REQUEUED", "RUNNING").replace("01:00:00", "04:00:00", 1)
            other = other.replace(f"|{start[:11]}{hour + 2:02}:00:00|RUNNING", "|Unknown|RUNNING")
            whole, window = ([("sacct.txt", header + "".join(rows))] for rows in ([first, wait, other], [wait, other]))
            with self.subTest(fixture):
                once, found = (
                    {name: rows for name, rows in self.built(*readings).items() if name != "observed"}
                    for readings in ([(fixture, 1, whole)], [(fixture, 1, whole), (fixture, 1, window)])
                )
                self.assertEqual(once, found)

    def test_records_of_a_name_whose_job_is_known_later(self):
        """A goodput log calls its job by the name that the scheduler's export has: the job of that name alone is left."""
        sacct = (
            SACCT.format(LOGS["goodput/ranker-7.jsonl"], "2026-11-21T08:00:00", "COMPLETED")
            .replace("JobIDRaw", "JobIDRaw|JobName")
            .replace("|77|p", "|78|ranker-7|p")
            .replace("\n77", "\n78")
        )
        self.check("goodput/ranker-7.jsonl", (0.5, 1), (), [("sacct.txt", sacct)])

    def test_one_folder_after_the_other(self):
        """A cluster's export, built before another cluster's of two years later: its running job is not held until then."""
        listing = SACCT.format("2024-01-01T00:00:00", "Unknown", "RUNNING")
        path = self.folder_of({"sacct.txt": listing})
        later = self.folder_of(
            {
                "trace.jsonl": '{"record":"allocation","job":"b","pool":"q","chips":1,"start_time":"2026-01-01","end_time":"2026-01-02"}\n'
            }
        )
        db = connect(os.path.join(self.root, "two.db"))
        db.isolation_level = None
        sums = []
        for folder in (path, later):
            db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
            sums.append(db.execute("SELECT sum(chip_us) FROM ledger WHERE pool <> 'q'").fetchall())
        db.close()
        self.assertEqual([(8 * 3600 * 10**6,)], sums[0])
        self.assertEqual(sums[0], sums[1])

    def test_an_import_ends_as_the_rollup(self):
        rollup = "SELECT job, category, sum(chip_us) FROM {} GROUP BY 1, 2 ORDER BY 1, 2"
        for path in (
            "fixtures/h100",
            "fixtures/h200",
            "fixtures/kube",
            "fixtures/public",
            "fixtures/training/megatron.log",
            "fixtures/training/torchtitan.log",
        ):
            wanted = self.rows(rollup.format("trace_rollup(?)"), os.path.join(ROOT, path))
            self.rows("SELECT mpg_import(?)", os.path.join(ROOT, path))
            self.assertEqual(wanted, self.rows(rollup.format("mpg_rollup")), path)


if __name__ == "__main__":
    unittest.main()
