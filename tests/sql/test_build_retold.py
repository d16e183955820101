"""mpg_build of a scheduler's exports again, which tell otherwise what they told before: the tables are those of one build."""

import datetime
import gzip
import itertools
import json
import os
import re
import shutil
import time
import unittest

from built_case import BuiltCase
from fleets import ROOT, connect, write_jsonl
from retold import DONE, EVENTS, GREW, JOBS, OTHER, TYPED, T
from retold import event, folders, job, kube, node_object, nodes, pod_object, slurm, workload_object

LEDGER = "pool, job, category, cause, sum(chip_us) FROM ledger GROUP BY 1, 2, 3, 4"


class Retold(BuiltCase):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()

    def write(self, files):
        """The folder has these files and no others."""
        shutil.rmtree(self.folder)
        os.makedirs(self.folder)
        for name, content in files.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())

    def build(self, db, files):
        self.write(files)
        db.execute("SELECT mpg_build(?)", (self.folder,)).fetchall()

    def build_elsewhere(self, db, files):
        """In a folder of its own."""
        db.execute("SELECT mpg_build(?)", (self.folder_of(files),)).fetchall()

    def built(self, states):
        """What the tables say after a build of each state of the folder."""
        db = self.after(self.build, states)
        ((self.conflicts,),) = db.execute("SELECT total(count) FROM issues WHERE kind = 'conflict'").fetchall()
        if not self.conflicts:
            self.assertEqual([], db.execute("SELECT * FROM issues WHERE kind = 'told_otherwise'").fetchall())
        found = [
            db.execute("SELECT " + sql).fetchall()
            for sql in (
                LEDGER,
                "job, chips, min_chips, submit_us FROM jobs ORDER BY 1",
                "job, attempt, pool, start_us FROM allocations ORDER BY 1, 2, 4",
            )
        ]
        return found

    def check(self, name, states):
        with self.subTest(name):
            once = self.built(states[-1:])
            self.assertEqual(once, self.built(states))
            self.assertEqual(once, self.built(states + states[-1:]))

    def test_exports(self):
        for name, told in folders():
            self.check(name, told)

    def test_nodes_that_are_listed_anew(self):
        """What a listing has counts since the first job, also over what an earlier one had: that is listed, but not where events tell it."""
        for states, conflicts in (
            ((nodes("n1"), nodes("n1", "n2")), 1),
            ((nodes("n1", "n2"), nodes("n1")), 1),
            ((nodes("n1", "n2"), nodes("n1", "n2")), 0),
        ):
            self.built([slurm(DONE, "", told) for told in states])
            self.assertEqual(conflicts, self.conflicts)
        self.built([slurm(DONE, TYPED, nodes("n1", "n2")), slurm(DONE, GREW, nodes("n1", "n2", "n3"))])
        self.assertEqual(0, self.conflicts)

    def test_files_that_get_other_options(self):
        """Of a zone, a pool or chips that were wrong at first, what was built stays, counts beside what comes, and each build says so."""
        folder = self.new_folder()
        jobs = JOBS + "".join(job(n, "COMPLETED", 0, 600 * n, 600 * n + 300 + n) for n in range(1, 6))
        jobs = re.sub(
            r"\b17952\d{5}\b",
            lambda time: datetime.datetime.fromtimestamp(int(time[0]), datetime.timezone.utc).strftime(
                "%Y-%m-%dT%H:%M:%S"
            ),
            jobs,
        )
        for files, first, second, jobs_told in (
            ({"jobs.psv": jobs}, {"zone": "UTC"}, {"zone": "Europe/Berlin"}, 5),
            ({"jobs.psv": jobs}, {"chip": "nvidia-h100-sxm"}, {"chip": "nvidia-a100-sxm-80gb"}, 0),
            ({"a.log": "megatron.log"}, {"pool": "p"}, {"pool": "q"}, 1),
            ({"a.log": "megatron.log"}, {"chips": 8}, {"chips": 16}, 1),
            ({"a.log": "megatron.log"}, {"owner": "a"}, {"owner": "b"}, 0),
        ):
            for name, text in files.items():
                if name == "a.log":
                    shutil.copy(os.path.join(ROOT, "fixtures/training", text), os.path.join(folder, name))
                else:
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(text)
            db, fleet, (name,) = connect(), os.path.join(folder, "fleet.json"), files
            for options, told in ((first, 0), (first, 0), (second, jobs_told), (second, jobs_told)):
                with open(fleet, "w", encoding="utf-8") as file:
                    json.dump(
                        {
                            "sources": [
                                {
                                    "path": name,
                                    **({"chip": "nvidia-h100-sxm", "chips": 8, "job": "j"} if name == "a.log" else {}),
                                    **options,
                                }
                            ]
                        },
                        file,
                    )
                db.execute("SELECT mpg_build(?)", (fleet,)).fetchall()
                for issues in ("issues", "mpg_issues"):
                    self.assertEqual(
                        [("warning", told)] if told else [],
                        db.execute(f"SELECT severity, count FROM {issues} WHERE kind = 'told_otherwise'").fetchall(),
                        (options, issues),
                    )
            db.close()

    def test_pods_that_are_gone(self):
        """What the tables have of them counts, until the Workload's end, and not what it held beside."""
        for pods in ([pod_object()], [pod_object("2026-03-01T09:40:00Z")]):
            states = [
                kube(node_object("np"), workload_object(), *pods),
                kube(node_object("np", heard="10:00"), workload_object("2026-03-01T09:40:00Z")),
            ]
            once = self.built(
                [
                    kube(
                        node_object("np", heard="10:00"),
                        workload_object("2026-03-01T09:40:00Z"),
                        pod_object("2026-03-01T09:40:00Z"),
                    )
                ]
            )
            self.assertEqual(once[:2], self.built(states)[:2])
            self.assertEqual(once[:2], self.built(states + states[-1:])[:2])

    def test_windows_of_metrics(self):
        """Hours that are read one after the other: what was open goes on in the next, and all of it again is the whole."""
        with open(os.path.join(ROOT, "fixtures/kube/state.json"), encoding="utf-8") as file:
            series = json.load(file)["data"]["result"]

        def window(since, until):
            cut = [
                {"metric": one["metric"], "values": [sample for sample in one["values"] if since <= sample[0] < until]}
                for one in series
            ]
            return json.dumps(
                {"status": "success", "data": {"resultType": "matrix", "result": [one for one in cut if one["values"]]}}
            )

        begin, end = min(one["values"][0][0] for one in series), max(one["values"][-1][0] for one in series) + 1
        whole, one, two, late = (
            window(begin, end),
            window(begin, begin + 3600),
            window(begin + 3600, end),
            window(begin + 3000, end),
        )
        once = self.built([{"state.json": whole}])
        first, between, last = (window(begin + a, begin + b) for a, b in ((0, 1801), (1800, 3601), (3600, end - begin)))
        for order in itertools.permutations((first, between, last)):  # one that comes in between others is listed
            found = self.built([{"state.json": text} for text in order])[0]
            self.assertEqual(int(order[-1] == between), self.conflicts)
            if not self.conflicts:
                self.assertEqual(once[0], found)
        for states in (
            [{"1.json": one}, {"2.json": two}],
            [{"1.json": one}, {"2.json": late}],
            [{"1.json": one}, {"2.json": two}, {"2.json": two}],
            [{"1.json": one}, {"2.json": two}, {"1.json": one, "2.json": two}],
        ):
            self.assertEqual(once[0], self.built(states)[0], [list(state) for state in states])
        self.assertEqual(once[2], self.built([{"1.json": one}, {"2.json": two}, {"state.json": whole}])[2])

    def test_windows_of_exports(self):
        """Of each day the jobs that ran on it, and all events: what an outage took of a node is less what jobs of earlier days held of it, and
        an attempt that goes on counts once, though a later day lacks those before it."""
        tres = "gres/gpu=8,gres/gpu:h100=8"

        def made(text, at):  # how long a job has run when the export is made
            return text.replace("|1000|1|", f"|{at}|1|")

        first, gone = job(1, "PREEMPTED", 0, 0, 300), job(2, "COMPLETED", 0, 100, 900, node="n2")
        runs = job(1, "RUNNING", 300, 400, None)
        days = [
            (first + gone + made(runs, 1000), event("Node", "n2", 500, None, tres, "xid 79", "DRAIN")),  # until 1400
            (made(runs, 2000), event("Node", "n2", 500, None, tres, "xid 79", "DRAIN")),  # until 2400
            (made(runs, 3000), event("Node", "n2", 500, 2800, tres, "xid 79", "DRAIN")),  # until 3400
            (job(1, "COMPLETED", 300, 400, 3900) + job(3, "RUNNING", 3000, 3500, None, node="n2"),)
            + (event("Node", "n2", 500, 2800, tres, "xid 79", "DRAIN"),),  # until 4500
        ]
        days = [slurm(jobs, TYPED + events) for jobs, events in days]
        once = self.built(
            [slurm(first + gone + days[-1]["jobs.psv"][len(JOBS) :], days[-1]["events.psv"][len(EVENTS) :])]
        )
        down = sum(us for _, _, category, _, us in once[0] if category == "down")
        self.assertEqual(8 * (2800 - 900) * 10**6, down)
        for states in (
            days,
            days[:2] + days[3:],
            days[:1] + days[3:],
            [day for day in days for _ in range(2)],
            days + [slurm(first + gone + days[-1]["jobs.psv"][len(JOBS) :], days[-1]["events.psv"][len(EVENTS) :])],
        ):
            self.assertEqual(once[0], self.built(states)[0], len(states))
            self.assertEqual(once[2], self.built(states)[2], len(states))

        def listing(heard, *pods):
            node = node_object("np", heard=heard)
            node["status"]["conditions"][0].update(status="False", lastTransitionTime="2026-03-01T08:30:00Z")
            return kube(node, *pods)

        done = pod_object("2026-03-01T08:50:00Z")
        once = self.built([listing("11:00", done)])
        self.assertEqual(
            (4 * 1200 + 8 * 7800) * 10**6, sum(us for _, _, category, _, us in once[0] if category == "down")
        )
        days = [listing("09:00", done), listing("10:00"), listing("11:00")]
        for states in (days, days[:1] + days[2:], days + [listing("11:00", done)]):
            self.assertEqual(once[0], self.built(states)[0], len(states))

    def test_jobs_that_wait_and_are_not_told_of_again(self):
        """They asked for chips until they were last seen, which is listed; those that are told of again wait on."""

        def pbs(day, hour, kind, number):
            at = datetime.datetime(2026, 11, day, hour, tzinfo=datetime.timezone.utc)
            text = f"{at:%m/%d/%Y %H}:00:00;{kind};{number}.s;user=u ctime={at.timestamp():.0f} Resource_List.ngpus=8"
            return text + (
                f" start={at.timestamp():.0f} exec_host=n{number}/0 Resource_List.walltime=99:00:00\n"
                if kind == "S"
                else "\n"
            )

        first, second = pbs(21, 1, "Q", 1) + pbs(21, 1, "S", 2) + pbs(21, 5, "Q", 3), pbs(22, 1, "S", 4)
        runs, waits = job(2, "RUNNING", 0, 0, None), job(1, "PENDING", 0, None, None)
        later = runs.replace("|1000|1|", "|7000|1|")
        for states, hours, listed in (
            ([{"20261121": first}, {"20261122": second}], {"1.s": 4}, [(2,)]),
            ([{"20261121": first}, {"20261121": first, "20261122": second}], {"1.s": 24, "3.s": 20}, []),
            ([{"a.psv": JOBS + runs + waits}, {"a.psv": JOBS + later}], {"1": 1000 / 3600}, [(1,)]),
            ([{"a.psv": JOBS + runs + waits}, {"a.psv": JOBS + later + waits}], {"1": 7000 / 3600}, []),
        ):
            db = self.after(self.build_elsewhere, states)
            self.assertEqual(
                hours,
                dict(
                    db.execute(
                        "SELECT job, sum(chip_us) / 8 / 3600e6 FROM ledger WHERE category = 'queued' GROUP BY 1 HAVING sum(chip_us) > 0"
                    )
                ),
                states,
            )
            self.assertEqual(listed, db.execute("SELECT count FROM issues WHERE kind = 'lost_end'").fetchall(), states)

    def orders(self, name, states):
        """Built in any order the tables are those of the order of time: of the orders two are tried, the last first; five where MPG_FULL is set."""
        once = self.built(states)
        orders = list(itertools.permutations(states))[1:]
        tried = 5 if os.environ.get("MPG_FULL") else 2
        for order in orders[:: -max(1, len(orders) // tried)][:tried]:
            with self.subTest(name, order=[states.index(state) for state in order]):
                self.assertEqual(once, self.built(list(order)))
                self.assertEqual(name in ("a node more", "fewer chips"), self.conflicts)  # the later listing counts
        self.assertEqual(once, self.built(states[::-1] + states[:1]), name)

    def test_exports_out_of_order(self):
        """An older export tells what the later ones lack, and they all that both tell; so with a job's logs beside it."""
        for name, told in folders():
            if "jobs.psv" in told[0]:  # each is seen until later than the one before
                told = [
                    {
                        **files,
                        "jobs.psv": files["jobs.psv"] + job(90 + i, "COMPLETED", end - 9, end - 9, end, node="n9"),
                    }
                    for i, (files, end) in enumerate(zip(told, (7000, 20000, 30000)))
                ]
            if name != "nodes that come later":  # whose first export says of no pool until when it was seen
                self.orders(name, told)
        logs = [
            "".join(
                f" [{datetime.datetime.fromtimestamp(T + at + 10 * i, datetime.timezone.utc):%Y-%m-%d %H:%M:%S}.000000] iteration {i:8d}/100 | "
                "elapsed time per iteration (ms): 10000.0 | global batch size: 8 | lm loss: 5.0E+00 |\n"
                for i in range(1, n)
            )
            for at, n in ((10, 20), (1100, 60))
        ]
        first, waits = job(1, "PREEMPTED", 0, 0, 300), job(1, "PENDING", 300, None, None)
        states = [
            {**slurm(first + waits, TYPED), "slurm-1.out": logs[0]},
            {**slurm(job(1, "COMPLETED", 300, 1000, 2000), TYPED), "slurm-1.out": logs[1]},
        ]
        self.orders("logs beside", states)
        self.assertEqual(
            self.built([{**slurm(first + job(1, "COMPLETED", 300, 1000, 2000), TYPED), "slurm-1.out": "".join(logs)}]),
            self.built(states[::-1]),
        )

    def test_windows_out_of_order(self):
        tres = "gres/gpu=8,gres/gpu:h100=8"
        first, gone = job(1, "PREEMPTED", 0, 0, 300), job(2, "COMPLETED", 0, 100, 900, node="n2")
        runs, drained = job(1, "RUNNING", 300, 400, None), "xid 79|DRAIN"
        days = [
            slurm(jobs, TYPED + event("Node", "n2", 500, end, tres, *drained.split("|")))
            for jobs, end in (
                (first + gone + runs, None),
                (runs.replace("|1000|1|", "|2000|1|"), None),
                (runs.replace("|1000|1|", "|3000|1|"), 2800),
                (job(1, "COMPLETED", 300, 400, 3900) + job(3, "RUNNING", 3000, 3500, None, node="n2"), 2800),
            )
        ]
        self.orders("days of Slurm", days)

        def listing(heard, *pods):
            node = node_object("np", heard=heard)
            node["status"]["conditions"][0].update(status="False", lastTransitionTime="2026-03-01T08:30:00Z")
            return kube(node, *pods)

        self.orders(
            "listings of Kubernetes",
            [listing("09:00", pod_object("2026-03-01T08:50:00Z")), listing("10:00"), listing("11:00")],
        )

    def test_days_of_pbs_out_of_order(self):
        """A day on which an attempt runs says nothing of its end, which a later day has told."""

        def record(day, hour, kind, number, submit, start=None):
            at = 1793491200 + 86400 * day + 3600 * hour  # of November
            text = f"{datetime.datetime.fromtimestamp(at, datetime.timezone.utc):%m/%d/%Y %H:%M:%S};{kind};{number}.s;"
            if kind == "Q":
                return text + "queue=gpu\n"
            text += (
                f"user=u queue=gpu ctime={submit} start={start or at} exec_host=n{number}/0*8 Resource_List.ngpus=8 "
            )
            return text + f"Resource_List.walltime=99:00:00{'' if kind == 'S' else f' end={at} Exit_status=0'}\n"

        hour = lambda day, hour: 1793491200 + 86400 * day + 3600 * hour
        first, second, third = hour(20, 20), hour(20, 21), hour(20, 22)
        days = [
            record(20, 20, "Q", 1, first)
            + record(20, 21, "S", 1, first)
            + record(20, 21, "Q", 2, second)
            + record(20, 22, "S", 2, second),
            record(21, 1, "E", 1, first, second)
            + record(21, 2, "R", 2, second, third)
            + record(21, 3, "S", 2, second)
            + record(21, 4, "S", 3, third),
            record(22, 1, "E", 2, second, hour(21, 3)) + record(22, 2, "E", 3, third, hour(21, 4)),
        ]
        self.orders("days", [{f"2026112{i}": text} for i, text in enumerate(days, 1)])

    def test_listings_out_of_order(self):
        """What a listing between lacks, and what waited when an older one was made."""

        def flux(number, submit, run=None, end=None):
            told = {
                "id": number,
                "name": "x",
                "username": "u",
                "userid": 1,
                "t_submit": T + submit,
                "t_depend": T + submit,
            }
            told |= {"ntasks": 1, "nnodes": 1, "ncores": 8, "ngpus": 8}
            told |= {"state": "SCHED"} if run is None else {"state": "RUN", "t_run": T + run}
            ended = {"state": "INACTIVE", "t_inactive": T + (end or 0), "result": "COMPLETED", "success": True}
            return told | (ended if end else {})

        def condor(number, submit, now, run=None, end=None):
            told = {"ClusterId": number, "ProcId": 0, "Owner": "u", "QDate": T + submit, "RequestGPUs": 8}
            told |= {"JobStatus": 4 if end else 2 if run else 1, "EnteredCurrentStatus": T + (end or run or submit)}
            told |= {"JobStartDate": T + run, "JobCurrentStartDate": T + run, "GPUsProvisioned": 8} if run else {}
            return told | ({"CompletionDate": T + end, "ExitCode": 0} if end else {"ServerTime": T + now})

        second = flux(2, 0, 20, 900)
        self.orders(
            "Flux",
            [
                {"flux.json": json.dumps({"jobs": jobs})}
                for jobs in (
                    [flux(1, 0, 10), second, flux(3, 500)],
                    [flux(1, 0, 10, 2000), second, flux(3, 500, 2100), flux(4, 1500, 1600, 3000)],
                    [flux(3, 500, 2100, 4000), flux(4, 1500, 1600, 3000), flux(5, 3500, 4100, 5000)],
                )
            ],
        )
        done = [condor(1, 0, 0, 10, 2000), condor(2, 0, 0, 20, 900)]
        self.orders(
            "HTCondor",
            [
                {"queue.json": json.dumps(queue), "history.json": json.dumps(history)}
                for queue, history in (
                    ([condor(1, 0, 1000, 10), condor(3, 500, 1000)], done[1:]),
                    ([condor(3, 500, 3000, 2100)], done),
                    ([condor(9, 4100, 4200)], [condor(3, 500, 0, 2100, 4000), *done]),
                )
            ],
        )

    def test_exports_out_of_order_in_tables_of_users(self):
        """What users have put on the tables of records stays where it is, and a row says that attempts may count wrongly."""
        first, later = job(1, "PREEMPTED", 0, 0, 300) + job(2, "RUNNING", 0, 0, None), job(2, "COMPLETED", 0, 0, 5000)
        log = (
            "11/21/2026 0{0}:00:00;S;{1}.s;user=u ctime={2} start={2} exec_host=n{1}/0 Resource_List.ngpus=8 "
            "Resource_List.walltime=9:00:00\n"
        )
        logs = [log.format(hour, hour, 1795219200 + 3600 * hour) for hour in (1, 2)]
        older = [{"a.psv": JOBS + later + job(3, "RUNNING", 5000, 5000, None)}, {"a.psv": JOBS + first}]
        for states, sql, listed in (
            (older, "SELECT 1", []),
            (older, "ALTER TABLE allocations ADD COLUMN note TEXT", [(1,)]),
            (older, "CREATE TRIGGER t AFTER DELETE ON jobs BEGIN SELECT 1; END", [(1,)]),
            (older, "CREATE TABLE notes(job TEXT REFERENCES jobs(job) ON DELETE CASCADE)", [(1,)]),
            ([{"a.psv": JOBS + first}, {"a.psv": JOBS + later}], "ALTER TABLE jobs ADD COLUMN note TEXT", []),
            ([{"20261121": logs[1]}, {"20261121": logs[0]}], "ALTER TABLE jobs ADD COLUMN note TEXT", []),
        ):
            db = connect(":memory:")
            for files in states:
                db.execute("SELECT mpg_build(?)", (self.folder_of(files),)).fetchall()
                if files is states[0]:
                    db.execute(sql)
            self.assertEqual(
                listed,
                db.execute("SELECT count FROM issues WHERE kind = 'conflict' AND detail LIKE 'pools that%'").fetchall(),
                sql,
            )

    def test_what_a_later_export_lacks_beside_logs(self):
        """Logs beside a scheduler's export change nothing of what it says."""
        with open(os.path.join(ROOT, "fixtures/training/megatron.log"), encoding="utf-8") as file:
            text = file.read()
        one, other = job(1, "RUNNING", 0, 0, None), job(2, "RUNNING", 0, 500, None, node="n2")
        for beside in ({}, {"alone.log": text}):
            db = connect(":memory:")
            for jobs in (one, other):
                db.execute("SELECT mpg_build(?)", (self.folder_of({"jobs.psv": JOBS + jobs, **beside}),)).fetchall()
            self.assertEqual(
                [("1", 1000), ("2", 1000)],
                db.execute(
                    "SELECT job, sum(chip_us) / 8000000 FROM ledger WHERE category = 'untraced' GROUP BY 1"
                ).fetchall(),
            )
            self.assertEqual([(1,)], db.execute("SELECT count FROM issues WHERE kind = 'lost_end'").fetchall(), beside)
            db.close()

    def test_outages_that_a_later_window_tells_first(self):
        """Of a time that the tables have: they count, unless jobs that the window lacks may have held their chips; then a row says so."""
        tres = "gres/gpu=8,gres/gpu:h100=8"
        gone, runs = job(2, "COMPLETED", 0, 100, 900, node="n2"), job(1, "COMPLETED", 300, 1000, 3900)
        known = TYPED + event("Node", "n2", 1500, None, tres, "xid 79", "DRAIN")
        for since, until, down, listed in (
            (200, 250, 50, 1),  # job 2 ran then
            (920, 980, 60, 0),  # none did
            (200, 5000, 4800, 1),
            (920, 5000, 4080, 0),
        ):
            ends = (event("Node", "n2", 1500, 4000, tres, "xid 79", "DRAIN"),)
            later = TYPED + event("Node", "n3", since, until, tres, "bad", "DOWN") + ends[0]
            once = self.built([slurm(gone + runs, later)])
            seconds = lambda built: sum(us for _, _, category, _, us in built[0] if category == "down") / 8e6
            self.assertEqual(2500 + down, seconds(once))
            found = self.built([slurm(gone + job(1, "RUNNING", 300, 1000, None), known), slurm(runs, later)])
            if not listed:
                self.assertEqual(once[0], found[0])
            self.assertEqual(listed, self.conflicts, (since, until, seconds(found)))

    def test_what_a_later_listing_lacks(self):
        """A pod and an outage that are no more, where the listing before was overwritten, ended when they were last seen."""

        def listing(ready, heard, *pods):
            node = node_object("np", heard=heard)
            node["status"]["conditions"][0].update(status=ready, lastTransitionTime="2026-03-01T08:30:00Z")
            return kube(node, *pods)

        other = json.loads(json.dumps(pod_object()).replace('"p"', '"q"'))
        for states, held, down, listed in (
            (
                [listing("Unknown", "09:00", pod_object(), other), listing("True", "10:00", other)],
                {"ml/p": 4 * 3000, "ml/q": 4 * 6600},
                0,
                [(1,)],
            ),
            (
                [listing("Unknown", "09:00", pod_object()), listing("True", "10:00")],
                {"ml/p": 4 * 3000},
                4 * 1800,
                [(2,)],
            ),
            (
                [listing("True", "09:00", pod_object()), listing("True", "10:00", pod_object())],
                {"ml/p": 4 * 6600},
                0,
                [],
            ),
        ):
            db = self.after(self.build, states)
            self.assertEqual(
                held,
                dict(
                    db.execute(
                        "SELECT job, sum(chip_us) / 1000000 FROM ledger WHERE category <> 'queued' AND job IS NOT NULL GROUP BY 1"
                    )
                ),
            )
            self.assertEqual(
                down,
                db.execute("SELECT coalesce(sum(chip_us), 0) / 1000000 FROM ledger WHERE category = 'down'").fetchone()[
                    0
                ],
            )
            self.assertEqual(
                listed,
                db.execute(
                    "SELECT count FROM issues WHERE kind = 'lost_end' AND detail LIKE 'pods, jobs and outages that the tables had%'"
                ).fetchall(),
            )

    def test_ends_of_a_file_that_is_gone(self):
        """Of three exports the middle one has how what the first had as running ended. Built again without it, as the night after it was cleared away, they are as known before."""
        after = job(3, "RUNNING", 6000, 6000, None)

        def listed(heard, *pods):
            return kube(node_object("np", heard=heard), *pods)["list.json"]

        def pbs(day, kind, number, end=None):
            start = datetime.datetime(2026, 11, 21, 9, tzinfo=datetime.timezone.utc).timestamp() + number * 3600
            return (
                f"11/{day}/2026 09:00:00;{kind};{number}.s;user=a queue=q ctime={start:.0f} qtime={start:.0f} start={start:.0f}"
                f" exec_host=n{number}/0 Resource_List.ngpus=8" + (f" end={end} Exit_status=0\n" if end else "\n")
            )

        for files in (
            {
                "1": pbs(21, "S", 1) + pbs(21, "S", 2) + pbs(21, "E", 2, 1795264200),
                "2": pbs(22, "E", 1, 1795338000) + pbs(22, "S", 3) + pbs(22, "E", 3, 1795345200),
                "3": pbs(23, "S", 4),
            },
            {
                "1.psv": JOBS + job(1, "RUNNING", 0, 0, None) + job(4, "RUNNING", 0, 500, None, node="n2"),
                "2.psv": JOBS + DONE + job(4, "FAILED", 0, 500, 3000, node="n2"),
                "3.psv": JOBS + after,
            },
            {
                "1.json": listed("09:00", pod_object()),
                "2.json": listed("10:00", pod_object("2026-03-01T09:30:00Z")),
                "3.json": listed("11:00"),
            },
        ):
            left = {name: text for name, text in files.items() if name[0] != "2"}
            self.assertEqual(self.built([files])[0], self.built([files, left])[0])
            self.assertEqual(self.built([files])[0], self.built([files, left, left, files, left])[0])
            self.assertEqual(self.built([files])[0], self.built([left, files, left])[0])

    def test_jobs_that_a_later_export_lacks(self):
        """One that ran, where the export was overwritten, ended when last seen, unless it comes again; logs of other schedulers do not tell of it again. What is listed is what the last build found."""
        one, other = job(1, "RUNNING", 0, 0, None), job(2, "RUNNING", 0, 500, None, node="n2")
        done = job(1, "COMPLETED", 0, 0, 5000)
        for states, held, listed in (
            ([one, other], {"1": 1000, "2": 1000}, [(1,)]),
            ([one, other + done], {"1": 5000, "2": 4500}, []),
            ([one, other, other + one.replace("|1000|", "|1500|")], {"1": 1500, "2": 1000}, []),
            ([one, other, job(2, "COMPLETED", 0, 500, 5500, node="n2") + done], {"1": 5000, "2": 5000}, []),
            ([one, job(2, "COMPLETED", 0, 0, 900, node="n2")], {"1": 1000, "2": 900}, []),
            ([other, one], {"1": 1000, "2": 1000}, [(1,)]),
            ([other, one, one, other], {"1": 1000, "2": 1000}, []),
            ([other, one, other + done], {"1": 5000, "2": 4500}, []),
        ):
            db = self.after(self.build, [{"jobs.psv": JOBS + text} for text in states])
            self.assertEqual(
                held,
                dict(
                    db.execute(
                        "SELECT job, sum(chip_us) / 8000000 FROM ledger WHERE category <> 'queued' AND job IS NOT NULL GROUP BY 1"
                    )
                ),
                states,
            )
            self.assertEqual(listed, db.execute("SELECT count FROM issues WHERE kind = 'lost_end'").fetchall(), states)
        folder, db = self.new_folder(), connect(":memory:")
        for name, kind, number, since, at in (
            ("20260302", "S", 1, 1772440200, 0),
            ("20260303", "S", 2, 1772526600, 0),
            ("20260303", "E", 2, 1772526600, 1772530200),
        ):
            with open(os.path.join(folder, "log"), "a" if kind == "E" else "w", encoding="utf-8") as file:
                file.write(
                    f"0{name[5]}/0{name[7]}/2026 09:{'30' if kind == 'E' else '00'}:00;{kind};{number}.pbs;user=a queue=q ctime={since} qtime={since} etime={since} start={since} exec_host=n1/0 Resource_List.ngpus=4"
                    + (f" end={at} Exit_status=0" if kind == "E" else "")
                    + "\n"
                )
            if kind == "E" or number == 1:
                db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
        self.assertEqual(
            [("1.pbs", None)], db.execute("SELECT job, end_us FROM allocations WHERE end_us IS NULL").fetchall()
        )
        db.close()

    def test_attempts_that_a_later_export_lacks(self):
        """What the older export had is of attempts before, and the job waited since then; an id of long ago is one that was given anew."""
        first, second, third = (
            job(1, "PREEMPTED", 0, 10, 500),
            job(1, "PREEMPTED", 500, 1000, 1500),
            job(1, "COMPLETED", 1500, 2000, 2500),
        )
        runs = job(1, "RUNNING", 500, 1000, None)
        once = self.built([{"jobs.psv": JOBS + first + second + third}])
        for states in (
            [first, second, third],
            [first, runs, second + third],
            [first, second, second + third, second + third],
            [first, second + third, first + second + third],
        ):
            self.assertEqual(once[:3:2], self.built([{"jobs.psv": JOBS + text} for text in states])[:3:2], states)
        for late, state, listed in (
            (3000, "COMPLETED", []),
            (90000, "COMPLETED", [(1,)]),
            (80000, "PREEMPTED", []),
            (90000, "PREEMPTED", [(1,)]),
            (90000, "RUNNING", []),
        ):
            texts = (
                job(1, state, 0, 10, None if state == "RUNNING" else 500),
                job(1, "COMPLETED", late, late + 10, late + 500),
            )
            db = self.after(self.build, [{"jobs.psv": JOBS + text} for text in texts])
            self.assertEqual(
                listed,
                db.execute(
                    "SELECT count FROM issues WHERE kind = 'conflict' AND detail LIKE 'jobs submitted long after%'"
                ).fetchall(),
                (late, state),
            )
            if state == "COMPLETED":
                self.assertEqual(
                    8 * 10,
                    db.execute("SELECT sum(chip_us) / 1000000 FROM ledger WHERE category = 'queued'").fetchone()[0],
                )

    def test_an_id_that_was_given_anew_to_a_job_that_waits(self):
        """It is no part of the job that had the id: together they would seem to hold too few chips. A job that was requeued is."""
        head = "JobIDRaw|JobID|JobName|Partition|State|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES\n"
        ran = "101|101|old|gpu|{}|2026-01-05T08:00:00|2026-01-05T08:10:00|2026-01-05T09:10:00|3600|gres/gpu=8|gres/gpu=8\n"
        waits = "101|101|new|gpu|PENDING|{}|Unknown|Unknown|0|gres/gpu=16|\n"
        other = "103|103|x|gpu|RUNNING|2026-06-06T08:00:00|2026-06-06T08:10:00|Unknown|3600|gres/gpu=8|gres/gpu=8\n"
        for state, submitted, listed in (
            ("COMPLETED", "2026-06-06T08:00:00", 1),
            ("NODE_FAIL", "2026-06-06T08:00:00", 1),
            ("NODE_FAIL", "2026-01-05T09:10:00", 0),
        ):
            db = connect(":memory:")
            for text in (ran.format(state), waits.format(submitted) + other):
                path = self.folder_of({"jobs.psv": head + text})
                db.execute("SELECT mpg_build(?)", (path,)).fetchall()
            self.assertEqual(
                [(listed,)],
                db.execute(
                    "SELECT count(*) FROM issues WHERE kind = 'conflict' AND detail LIKE 'jobs that wait,%'"
                ).fetchall(),
                (state, submitted),
            )
            if listed:
                self.assertEqual(
                    [(8.0, "old", 0)],
                    db.execute(
                        "SELECT chips, name, (SELECT total(chip_us) FROM ledger WHERE category = 'partial') FROM jobs WHERE job = '101'"
                    ).fetchall(),
                )
            db.close()

    def test_what_comes_again(self):
        """A pod that one listing between lacks runs on; and another cluster whose pool has the same name ends nothing."""

        def listing(heard, *pods, name="a", made="2026-03-01T08:00:00Z"):
            node = node_object("np", heard=heard)
            node["metadata"].update(name=name, uid=name, creationTimestamp=made)
            return kube(node, *pods)

        once = self.built([listing("11:00", pod_object())])
        self.assertEqual(
            once, self.built([listing("09:00", pod_object()), listing("10:00"), listing("11:00", pod_object())])
        )
        ledger, _, held = self.built(
            [listing("09:00", pod_object()), listing("10:00", name="b", made="2026-02-01T08:00:00Z")]
        )
        self.assertEqual([("ml/p", 1, "np", 1772352600000000)], held)
        self.assertEqual(4 * 6600 * 10**6, sum(us for _, name, *_, us in ledger if name))
        self.assertEqual(
            8 * (2 + 28 * 24 + 2) * 3600 * 10**6, sum(us for _, _, category, _, us in ledger if category != "queued")
        )

    def test_an_id_of_another_cluster(self):
        """Built one after the other, in any order, two clusters' jobs of one id are two, as if they were built at once. A job of one submission may go to another pool."""

        def log(start, last):
            lines = ["using world size: 8, data-parallel size: 8"]
            for step in range(1, last + 1):
                at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(T + start + 10 * step))
                lines.append(
                    f" [{at}.000000] iteration {step:8}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 8.0E+00 |"
                )
            return (
                "\n".join(
                    [*lines, f"  successfully saved checkpoint from iteration {last:7} to /ckpt [ t 1/1, p 1/1 ]"]
                )
                + "\n"
            )

        waits, runs, ended = (
            job(1, state, 200, start, end).replace("|c1|", "|c2|")
            for state, start, end in (("PENDING", None, None), ("RUNNING", 300, None), ("COMPLETED", 300, 5200))
        )
        fourth = job(4, "COMPLETED", 0, 0, 9).replace("|c1|", "|c2|")
        folder, later = self.new_folder(), self.new_folder()
        paths = {}
        for name, top, text, logged in (
            ("a", folder, DONE + OTHER, log(100, 90)),
            ("b", folder, ended + fourth, log(400, 80)),
            ("waits", later, waits + fourth, ""),
            ("runs", later, runs + fourth, log(400, 50)),
        ):
            paths[name] = os.path.join(top, name)
            os.makedirs(paths[name])
            for file, lines in (("jobs.psv", JOBS + text), ("slurm-1.out", logged)):
                with open(os.path.join(paths[name], file), "w", encoding="utf-8") as out:
                    out.write(lines)
        paths["both"] = folder

        def build(db, name):
            db.execute("SELECT mpg_build(?)", (paths[name],)).fetchall()

        def built(*names):
            db = self.after(build, names)
            return db.execute(
                "SELECT pool, substr(job, 1 + instr(job, '/')), category, cause, sum(chip_us) FROM ledger GROUP BY 1, 2, 3, 4"
            ).fetchall(), [name for name, in db.execute("SELECT job FROM jobs ORDER BY 1")]

        once = built("both")[0]
        self.assertEqual(
            8 * (900 + 800) * 10**6,
            sum(us for _, name, category, _, us in once if name == "1" and category == "unrated"),
        )
        for names in (
            "a b",
            "b a",
            "a b a b",
            "a b both",
            "both a",
            "both b",
            "both a b",
            "a both b",
            "a runs b",
            "runs a b",
            "a runs both",
            "a waits b",
            "a waits runs b a",
            "waits a b",
            "waits runs a b both",
        ):
            found, jobs = built(*names.split())
            self.assertEqual(once, found, names)
            if names in ("a b", "a waits b"):
                self.assertEqual(["1", "2", "4", "c2/1"], jobs)
        for submit, cluster, listed in (
            (
                200,
                "c2",
                [
                    (
                        "ids that the tables have of another cluster, the first 1: each has a job of its own, c2/1 and so on",
                    )
                ],
            ),
            (0, "c2", []),
            (200, "c1", []),
            (200, "", []),
        ):
            texts = (
                DONE + OTHER,
                job(1, "COMPLETED", submit, 300, 5200).replace("|c1|", f"|{cluster}|")
                + fourth.replace("|c2|", f"|{cluster}|"),
            )
            db = self.after(self.build_elsewhere, [{"jobs.psv": JOBS + text} for text in texts])
            self.assertEqual(
                listed, db.execute("SELECT detail FROM issues WHERE kind = 'run_anew'").fetchall(), (submit, cluster)
            )
        db = connect(":memory:")  # of traces that do not say until when their pools were seen, that is listed
        for pool, at in (("c1", T), ("c2", T + 500)):
            path = self.new_folder()
            write_jsonl(
                path,
                {
                    "jobs": [{"job": "1", "chips": 8, "submit_time": at}],
                    "allocations": [
                        {"job": "1", "attempt": 1, "pool": pool, "chips": 8, "start_time": at, "end_time": at + 100}
                    ],
                },
            )
            db.execute("SELECT mpg_build(?)", (path,)).fetchall()
        self.assertEqual(
            [(1,)],
            db.execute(
                "SELECT count FROM issues WHERE kind = 'conflict' AND detail LIKE 'jobs whose id the tables have of another cluster, the first 1 of c2%'"
            ).fetchall(),
        )
        db.close()

    def test_logs_that_were_packed_rotated_or_moved(self):
        """A log by itself is named after its file: under another name it is the job that it was, and has grown perhaps."""
        for fixture in ("training/megatron.log", "trainer/deepspeed.log", "goodput/ranker-7.jsonl"):
            with open(os.path.join(ROOT, "fixtures", fixture), "rb") as file:
                text = file.read()
            name, half = os.path.basename(fixture), text[: text.index(b"\n", len(text) // 2) + 1]
            for before, after in (
                (half, {name + ".gz": gzip.compress(text)}),
                (text, {name + ".1": text, name: b""}),
                (half, {"archive/" + name: text}),
                (text, {"other.log": text}),
            ):
                found = []
                for states in ([after], [{name: before}, after]):
                    db = self.after(self.build, states)
                    found.append(
                        [
                            db.execute("SELECT " + sql).fetchall()
                            for sql in (
                                LEDGER,
                                "job, chips FROM jobs",
                                "job, kind, start_us, end_us FROM spans ORDER BY 1, 3, 2",
                                "pool, chips, start_us, end_us FROM capacity ORDER BY 3",
                            )
                        ]
                    )
                self.assertEqual(*found, (fixture, list(after)))

    def test_logs_that_begin_at_once(self):
        """Of two that came at the time of one that is gone nothing says which it was."""
        with open(os.path.join(ROOT, "fixtures/training/megatron.log"), encoding="utf-8") as file:
            text = file.read()
        found = self.built([{"a.log": text}, {"b.log": text, "c.log": text.replace("15360", "15361")}])
        self.assertEqual(["a.log", "b.log", "c.log"], sorted(os.path.basename(name) for name, *_ in found[1]))

    def test_what_nothing_tells_anew_stays(self):
        """The next month's export lacks an attempt, a job and the cluster's first size: all three were."""
        first = job(1, "PREEMPTED", 0, 0, 1000) + job(1, "RUNNING", 1000, 1200, None) + job(2, "COMPLETED", 0, 0, 500)
        states = [
            {"jobs.psv": JOBS + first, "events.psv": EVENTS + GREW},
            {"jobs.psv": JOBS + job(1, "COMPLETED", 1000, 1200, 4000), "events.psv": EVENTS + GREW.splitlines(True)[1]},
        ]
        ledger, _, held = self.built(states)
        self.assertEqual(
            8 * (1000 + 2800 + 500) * 10**6,
            sum(us for _, name, category, _, us in ledger if name and category == "untraced"),
        )
        self.assertEqual(
            [("1", (T + 0) * 10**6), ("1", (T + 1200) * 10**6), ("2", T * 10**6)],
            [(name, start) for name, _, _, start in held],
        )

    def test_an_end_beside_what_began_at_once(self):
        """It takes the place of what was open, and of nothing else that began then and has its end."""
        records = {
            "outages": (dict(chips=1, kind="maintenance"), [dict(kind="hw_down"), dict(chips=2), {}]),
            "allocations": (dict(job="j", attempt=1, chips=8), [dict(chips=4), dict(attempt=2), {}]),
            "capacity": (dict(chip="tpu-v4", chips=8), [dict(chips=4), {}]),
        }
        for relation, (record, others) in records.items():
            for other in others:
                same = dict(record, pool="p", start_time=100)
                ended = [dict(same, end_time=200 + i) for i in range(2)]
                that = dict(same, **other)
                db = connect(":memory:")
                for now in (ended + [that], [dict(that, end_time=900)]):
                    folder = self.new_folder()
                    told = {"capacity": [dict(pool="p", chip="tpu-v4", chips=64, start_time=0)]}
                    told[relation] = told.get(relation, []) + now
                    write_jsonl(folder, told, "", "t.jsonl")
                    db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
                with self.subTest(relation, other=other):
                    self.assertEqual(
                        [(200,), (201,), (900,)],
                        db.execute(
                            f"SELECT end_us / 1000000 FROM {relation} WHERE start_us > 0 ORDER BY end_us"
                        ).fetchall(),
                    )
                    self.assertEqual([], db.execute("SELECT * FROM issues WHERE kind = 'told_otherwise'").fetchall())
                db.close()

    def test_files_of_hosts(self):
        """Each tells its own part of a job, and its own node: read one after the other they are two."""
        db = connect(":memory:")
        for i, end in enumerate((50, 60)):
            folder = self.new_folder()
            write_jsonl(
                folder,
                {
                    "capacity": [dict(pool="p", chips=8, start_time=0, end_time=100 + i)],
                    "outages": [dict(pool="p", chips=2, start_time=70, end_time=80 + i)],
                    "allocations": [dict(job="j", attempt=1, pool="p", chips=4, start_time=0, end_time=end)],
                },
                "",
                f"{i}.jsonl",
            )
            db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
        self.assertEqual(
            [(2, 2, 2)],
            db.execute(
                "SELECT (SELECT count(*) FROM capacity), (SELECT count(*) FROM outages), (SELECT count(*) FROM allocations)"
            ).fetchall(),
        )


if __name__ == "__main__":
    unittest.main()
