"""The mappings of published traces in sql/formats: Philly, Helios, Acme, Alibaba's three, PAI.

The fixtures are of our own making in the true shape. What the ledger says of them is held against sums that are made here
from the files, with Python's csv and json and nothing else."""

import csv
import datetime
import glob
import json
import os
import unittest

import cases
from fleets import ROOT, bind
from scripts import script_text

PUBLIC = os.path.join(ROOT, "fixtures/public")
UTC = datetime.timezone.utc


def at(text):
    """Unix seconds; None for what is missing."""
    if text in (None, "", "None"):
        return None
    time = datetime.datetime.fromisoformat(text)
    return time.replace(tzinfo=time.tzinfo or UTC).timestamp()


def read(pattern, names=None):
    for path in sorted(glob.glob(os.path.join(PUBLIC, pattern))):
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file, names):
                yield path, {key.strip(): value.strip() for key, value in row.items()}


class Case(cases.Case):
    def map(self, name, **parameters):
        """Runs the script, its parameters as literals in their places."""
        text = bind(
            script_text(f"sql/formats/{name}.sql"),
            **{key: os.path.join(PUBLIC, path) if path else None for key, path in parameters.items()},
        )
        self.assertNotRegex("\n".join(line for line in text.split("\n") if not line.startswith("--")), r"\(:\w+")
        self.db.executescript(text)
        self.assertEqual(
            self.rows(
                "SELECT name FROM temp.sqlite_schema WHERE type = 'table' AND name NOT IN ('jobs', 'allocations', 'capacity', 'observed', 'left_out')"
            ),
            [],
        )
        self.seconds = {}
        for pool, category, us in self.rows("SELECT pool, category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2"):
            self.seconds[pool, category] = us / 1e6

    def check(self, category, expected):
        found = {pool: seconds for (pool, c), seconds in self.seconds.items() if c == category}
        self.assertEqual(set(found), set(expected))
        for pool, seconds in expected.items():
            self.assertAlmostEqual(found[pool], seconds, places=3, msg=(category, pool))

    def no_runtime_goodput(self):
        """Without steps and checkpoints nothing is said of RG and PG, least of all that they are 1."""
        self.assertEqual(
            self.rows(
                """SELECT runtime_goodput(category, chip_us), program_goodput(category, chip_us), mpg(category, chip_us),
                                             runtime_coverage(category, chip_us) FROM mpg_rollup"""
            ),
            [(None, None, None, 0.0)],
        )


def add(sums, key, value):
    sums[key] = sums.get(key, 0) + value


class Philly(Case):
    def sums(self, machines):
        with open(os.path.join(PUBLIC, "philly/cluster_job_log"), encoding="utf-8") as file:
            jobs = json.load(file)
        memory = (
            {row["machineId"]: row["single GPU mem"] for _, row in read("philly/cluster_machine_list")}
            if machines
            else {}
        )
        times = [
            at(a[key])
            for job in jobs
            for a in job["attempts"]
            if at(a["start_time"])
            for key in ("start_time", "end_time")
        ]
        last = max(filter(None, times))
        held, queued = {}, {}
        for job in jobs:
            waits = at(job["submitted_time"])
            for i, attempt in enumerate(job["attempts"]):
                start, end = at(attempt["start_time"]), at(attempt["end_time"])
                if start is None:
                    continue
                if end is None:
                    end = at(job["attempts"][i + 1]["start_time"]) if i + 1 < len(job["attempts"]) else last
                gpus = sum(len(d["gpus"]) for d in attempt["detail"])
                pool = "philly" + ("/" + memory[attempt["detail"][0]["ip"]] if machines else "")
                add(held, pool, gpus * (end - start))
                add(queued, pool, gpus * (start - waits))
                waits = end
        return held, queued, last - min(filter(None, times))

    def test_sums(self):
        self.map("philly", philly="philly/cluster_job_log", philly_machines="philly/cluster_machine_list")
        held, queued, window = self.sums(True)
        self.assertEqual(set(held), {"philly/24GB", "philly/12GB"})
        self.check("untraced", held)
        self.check("queued", queued)
        self.check(
            "idle", {"philly/24GB": 16 * window - held["philly/24GB"], "philly/12GB": 2 * window - held["philly/12GB"]}
        )
        self.no_runtime_goodput()
        self.assertEqual(
            self.rows("SELECT * FROM left_out ORDER BY job"),
            [("application_1_0005", None, "no attempt"), ("application_1_0006", 1, "no start_time")],
        )
        self.assertEqual(
            self.rows("SELECT job, attempt, outcome FROM allocations ORDER BY 1, 2"),
            [
                ("application_1_0001", 1, "failed"),
                ("application_1_0001", 2, "completed"),
                ("application_1_0002", 1, "cancelled"),
                ("application_1_0003", 1, "failed"),
                ("application_1_0003", 2, "failed"),
                ("application_1_0004", 1, None),
            ],
        )
        self.assertEqual(
            self.rows("SELECT kind FROM mpg_issues WHERE severity <> 'info' ORDER BY kind"),
            [("left_out",), ("missing_field",)],
        )

    def test_without_machines(self):
        self.map("philly", philly="philly/cluster_job_log", philly_machines=None)
        held, _, _ = self.sums(False)
        self.check("untraced", held)
        self.assertEqual(self.one("SELECT scheduling_goodput(category, chip_us) FROM mpg_rollup"), 1.0)
        self.assertIn(("no_capacity",), self.rows("SELECT kind FROM mpg_issues"))


class Helios(Case):
    def test_sums(self):
        self.map("helios", helios="helios/*/cluster_log.csv", helios_gpus="helios/*/cluster_gpu_number.csv")
        held, queued, installed = {}, {}, {}
        for path, row in read("helios/*/cluster_log.csv"):
            pool = f"{os.path.basename(os.path.dirname(path))}/{row['vc']}"
            gpus, start, end = int(row["gpu_num"]), at(row["start_time"]), at(row["end_time"])
            if gpus and start is not None:
                self.assertEqual(float(row["duration"]), end - start)
                add(held, pool, gpus * float(row["duration"]))
            if gpus:
                add(queued, pool, gpus * ((start if start is not None else end) - at(row["submit_time"])))
        for path, row in read("helios/*/cluster_gpu_number.csv"):
            for vc, gpus in row.items():
                if vc not in ("date", "total"):
                    add(installed, f"{os.path.basename(os.path.dirname(path))}/{vc}", int(gpus) * 86400)
            self.assertEqual(int(row["total"]), sum(int(v) for k, v in row.items() if k not in ("date", "total")))
        self.check("untraced", held)
        self.check("queued", {pool: seconds for pool, seconds in queued.items() if seconds})
        self.check("idle", {pool: installed[pool] - held[pool] for pool in held})
        self.no_runtime_goodput()
        self.assertEqual(
            self.rows("SELECT job, outcome, chips FROM allocations ORDER BY 1"),
            [
                ("Earth/1001", "timeout", 2),
                ("Venus/1001", "completed", 8),
                ("Venus/1002", "failed", 4),
                ("Venus/1003", "cancelled", 1),
                ("Venus/1005", "cancelled", 0),
                ("Venus/1006", "node_fail", 16),
            ],
        )

    def test_one_log_in_its_own_folder(self):
        """No folder in the path: the pools are the virtual clusters."""
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(os.path.join(PUBLIC, "helios/Earth"))
        self.db.executescript(
            bind(script_text("sql/formats/helios.sql"), helios="cluster_log.csv", helios_gpus="cluster_gpu_number.csv")
        )
        self.assertEqual(self.rows("SELECT DISTINCT pool FROM capacity UNION SELECT pool FROM allocations"), [("vcZ",)])


class Acme(Case):
    def test_sums(self):
        self.map("acme", acme="acme/trace_*.csv")
        held, queued, times = {}, {}, {}
        for path, row in read("acme/trace_*.csv"):
            pool = os.path.basename(path)[6:-4]
            gpus, submitted, start, end = (
                int(row["gpu_num"]),
                at(row["submit_time"]),
                at(row["start_time"]),
                at(row["end_time"]),
            )
            if gpus == 0:
                continue
            if start is not None:
                add(held, pool, gpus * (end - start))
            add(queued, pool, gpus * ((start if start is not None else end) - submitted))
            times.setdefault(pool, []).extend((submitted, end))
        self.check("untraced", held)
        self.check("queued", queued)
        self.check(
            "idle",
            {
                pool: gpus * (max(times[pool]) - min(times[pool])) - held[pool]
                for pool, gpus in (("seren", 2288), ("kalos", 2416))
            },
        )
        self.no_runtime_goodput()

    def test_jobs_are_not_gpu_time(self):
        """Evaluations are most of the jobs, pretraining is where the GPUs went."""
        self.map("acme", acme="acme/trace_seren.csv")
        shares = {
            name: (jobs, time)
            for name, jobs, time in self.rows(
                """
            SELECT name, 1.0 * count(DISTINCT job) / sum(count(DISTINCT job)) OVER (), 1.0 * sum(chip_us) / sum(sum(chip_us)) OVER ()
            FROM mpg_rollup WHERE category = 'untraced' GROUP BY name"""
            )
        }
        self.assertAlmostEqual(shares["Evaluation"][0], 3 / 5)
        self.assertLess(shares["Evaluation"][1], 1e-4)
        self.assertAlmostEqual(shares["Pretrain"][0], 1 / 5)
        self.assertGreater(shares["Pretrain"][1], 0.999)


class Alibaba2020(Case):
    FILES = dict(
        pai_jobs="alibaba-v2020/pai_job_table.csv",
        pai_tasks="alibaba-v2020/pai_task_table.csv",
        pai_instances="alibaba-v2020/pai_instance_table.csv",
        pai_machines="alibaba-v2020/pai_machine_spec.csv",
    )
    TASK = "job_name task_name inst_num status start_time end_time plan_cpu plan_mem plan_gpu gpu_type".split()
    INSTANCE = "job_name task_name inst_name worker_name inst_id status start_time end_time machine".split()

    def held(self, rows):
        tasks = {(r["job_name"], r["task_name"]): r for _, r in read(self.FILES["pai_tasks"], self.TASK)}
        held = {}
        for row, instances in rows:
            task = tasks[row["job_name"], row["task_name"]]
            if not task["plan_gpu"] or not row["start_time"]:
                continue
            end = float(row["end_time"] or 2000)
            add(
                held,
                "pai/" + task["gpu_type"],
                instances * float(task["plan_gpu"]) / 100 * (end - float(row["start_time"])),
            )
        return held

    def test_by_instances(self):
        self.map("alibaba_v2020", **self.FILES)
        held = self.held((row, 1) for _, row in read(self.FILES["pai_instances"], self.INSTANCE))
        both = {pool: self.seconds[pool, "untraced"] + self.seconds[pool, "partial"] for pool in held}
        self.assertEqual(both, held)
        # The T4 job is whole from 1020 to 1990; job-c has all four from 1650 on.
        self.check("untraced", {"pai/T4": 970.0, "pai/V100": 270 + 4 * 350})
        self.check("idle", {"pai/T4": 2 * 990 - held["pai/T4"], "pai/V100": 8 * 990 - held["pai/V100"]})
        # From submission until whole; job-d still waits, in a pool that is not known yet.
        self.check(
            "queued", {"pai/T4": 1.0 * 10 + 0.5 * 10 + 0.5 * 10, "pai/V100": 30 + 4 * 100 + 2 * 50, None: 8 * 100}
        )
        self.no_runtime_goodput()
        self.assertEqual(self.rows("SELECT * FROM left_out"), [])

    def test_by_tasks(self):
        self.map("alibaba_v2020", **dict(self.FILES, pai_instances=None))
        held = self.held((row, float(row["inst_num"])) for _, row in read(self.FILES["pai_tasks"], self.TASK))
        self.check("untraced", held)
        self.assertNotIn(("pai/T4", "partial"), self.seconds)


class Alibaba2023(Case):
    def test_sums(self):
        self.map(
            "alibaba_v2023",
            openb_pods="alibaba-v2023/openb_pod_list.csv",
            openb_nodes="alibaba-v2023/openb_node_list.csv",
        )
        held = queued = 0
        for _, row in read("alibaba-v2023/openb_pod_list.csv"):
            gpus = int(row["num_gpu"]) * int(row["gpu_milli"]) / 1000
            start = float(row["scheduled_time"] or row["deletion_time"])
            held += gpus * (float(row["deletion_time"]) - start)
            queued += gpus * (start - float(row["creation_time"]))
        gpus = sum(int(row["gpu"]) for _, row in read("alibaba-v2023/openb_node_list.csv"))
        self.check("untraced", {"openb": held})
        self.check("queued", {"openb": queued})
        self.check("idle", {"openb": gpus * 10000 - held})
        self.no_runtime_goodput()
        self.assertEqual(
            self.rows("SELECT outcome, count(*) FROM allocations GROUP BY 1"),
            [(None, 2), ("cancelled", 2), ("completed", 1), ("failed", 1)],
        )


class Alibaba2025(Case):
    def test_sums(self):
        self.map("alibaba_v2025", dlrm="alibaba-v2025/disaggregated_DLRM_trace.csv")
        held = queued = 0
        for _, row in read("alibaba-v2025/disaggregated_DLRM_trace.csv"):
            gpus, created, end = (
                float(row["gpu_request"]),
                float(row["creation_time"] or 0),
                float(row["deletion_time"] or 9000),
            )
            start = float(row["scheduled_time"] or (end if row["creation_time"] else 0))
            held += gpus * (end - start)
            queued += gpus * (start - created)
        self.check("untraced", {"dlrm": held})
        self.check("queued", {"dlrm": queued})
        self.no_runtime_goodput()
        self.assertEqual(self.rows("SELECT DISTINCT phase FROM jobs"), [("serving",)])


class Pai(Case):
    def test_sums(self):
        self.map("pai", pai="pai/pai_job_duration_estimate.csv")
        held, queued = {}, {}
        for _, row in read("pai/pai_job_duration_estimate.csv"):
            gpus = float(row["num_gpu"])
            if gpus:
                add(held, "pai/" + row["gpu_type"], gpus * float(row["duration"]))
                if float(row["wait_time"]):
                    add(queued, "pai/" + row["gpu_type"], gpus * float(row["wait_time"]))
        self.check("untraced", held)
        self.check("queued", queued)
        self.no_runtime_goodput()

    def test_the_sample_without_waits(self):
        with open(os.path.join(PUBLIC, "pai/pai_job_duration_estimate.csv"), encoding="utf-8") as file:
            path = self.file(
                "".join(line.rsplit(",", 1)[0] + "\n" for line in file.read().splitlines()), "pai_job_no_estimate.csv"
            )
        self.map("pai", pai=path)
        self.assertEqual(self.one("SELECT count(*) FROM allocations"), 3)
        self.check("queued", {})


class EndsBeforeStarts(Case):
    OPENB = "name,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    DLRM = "instance_sn,role,app_name,gpu_request,rdma_request,creation_time,scheduled_time,deletion_time\n"
    PAI = "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user,wait_time\n"

    def test_they_hold_nothing_and_are_listed(self):
        for name, parameters, count in (
            (
                "alibaba_v2023",
                {
                    "openb_pods": self.OPENB + "a,1,1000,,LS,Succeeded,0,50,10\nb,1,1000,,LS,Succeeded,0,50,90\n",
                    "openb_nodes": None,
                },
                1,
            ),
            ("alibaba_v2025", {"dlrm": self.DLRM + "a,HN,x,1,1,0,10,50\nb,HN,x,1,1,0,90,50\n"}, 1),
            ("pai", {"pai": self.PAI + "a,1,10,1,1,T4,40,u,0\nb,1,10,1,1,T4,-5,u,0\nc,1,100,1,1,T4,0,u,-5\n"}, 2),
            (
                "alibaba_v2020",
                {
                    "pai_jobs": "a,i,u,Terminated,0.0,50.0\nb,j,u,Terminated,0.0,50.0\n",
                    "pai_instances": None,
                    "pai_machines": None,
                    "pai_tasks": "a,w,1.0,Terminated,10.0,50.0,100.0,1.0,100.0,T4\nb,w,1.0,Terminated,90.0,50.0,100.0,1.0,100.0,T4\n",
                },
                1,
            ),
        ):
            with self.subTest(name):
                files = {key: text and self.file(text, f"{key}.csv") for key, text in parameters.items()}
                self.map(name, **files)
                self.assertEqual(
                    sum(seconds for (_, category), seconds in self.seconds.items() if category == "untraced"), 40
                )
                self.assertEqual(
                    self.rows(
                        "SELECT severity, sum(count) FROM mpg_issues WHERE kind = 'end_before_start' AND source IN (SELECT value FROM json_each(?)) GROUP BY 1",
                        json.dumps(list(files.values())),
                    ),
                    [("data_loss", count)],
                )
                for table in ("jobs", "allocations", "capacity", "left_out"):
                    self.db.execute(f"DROP TABLE IF EXISTS temp.{table}")


class EndOfObservation(cases.Case):
    """What still runs is held until the last event of any kind, of a job without GPUs too, and the capacity is there until then."""

    def check(self, folder, idle=None):
        rows = self.rows(
            "SELECT job, sum(chip_us) / 3600000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", folder
        )
        self.assertEqual([10], [hours for job, hours in rows if "runs" in str(job)], rows)
        kinds = "('oversubscribed', 'after_observed', 'as_of_ahead', 'unknown_state', 'missing_field')"
        self.assertEqual([], self.rows(f"SELECT kind, detail FROM mpg_issues WHERE kind IN {kinds}"))
        if idle is not None:
            self.assertEqual(
                idle, self.one("SELECT sum(chip_us) / 3600000000 FROM trace_rollup(?) WHERE category = 'idle'", folder)
            )

    def test_philly(self):
        def job(name, submitted, attempts, status="Pass"):
            return {
                "status": status,
                "vc": "v",
                "jobid": name,
                "submitted_time": submitted,
                "user": "u",
                "attempts": attempts,
            }

        held = [{"start_time": "2017-10-07 01:00:00", "end_time": None, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]
        self.check(
            self.folder_of(
                {
                    "cluster_job_log": [
                        job("runs", "2017-10-07 01:00:00", held, "Running"),
                        job("waits", "2017-10-07 11:00:00", [], "Running"),
                    ],
                    "cluster_machine_list": "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\n",
                }
            ),
            70,
        )

    JOBS = (("runs", 1, "01:00", None), ("cpu", 0, "02:00", "11:00"))

    def test_helios(self):
        rows = "".join(
            f"{name},u,v,{gpus},1,1,{'COMPLETED' if end else 'RUNNING'},2020-04-01 {start}:00,2020-04-01 {start}:00,{f'2020-04-01 {end}:00' if end else ''},1,1\n"
            for name, gpus, start, end in self.JOBS
        )
        self.check(
            self.folder_of(
                {
                    "cluster_log.csv": "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                    + rows
                }
            )
        )

    def test_acme(self):
        rows = "".join(
            f"{name},u,1,{gpus},1,Other,{'COMPLETED' if end else 'RUNNING'},2023-03-01 {start}:00+08:00,2023-03-01 {start}:00+08:00,{f'2023-03-01 {end}:00+08:00' if end else ''},1,1,1\n"
            for name, gpus, start, end in self.JOBS
        )
        self.check(
            self.folder_of(
                {
                    "trace_seren.csv": "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
                    + rows
                }
            ),
            22870,
        )

    def test_alibaba_v2020(self):
        self.check(
            self.folder_of(
                {
                    "pai_job_table.csv": "runs,i,u,Running,3600.0,\ncpu,i,u,Terminated,7200.0,39600.0\n",
                    "pai_machine_spec.csv": "m,V100,96,512,8\n",
                    "pai_task_table.csv": "runs,w,1.0,Running,3600.0,,600.0,29.3,100.0,V100\ncpu,w,1.0,Terminated,7200.0,39600.0,600.0,29.3,,CPU\n",
                }
            ),
            70,
        )


class Odd(cases.Case):
    """Rows that are odd in one way: what they hold, and what is listed."""

    def told(self, files):
        folder = self.new_folder()
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        rows = self.rows(
            "SELECT job, pool, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1, 2",
            folder,
        )
        return rows, self.rows(
            "SELECT kind, count FROM mpg_issues WHERE source LIKE ? || '%' AND kind NOT IN ('no_capacity', 'oversubscribed')",
            folder,
        )

    def philly(self, submitted, machines):
        attempt = {
            "start_time": "2017-10-07 01:00:10",
            "end_time": "2017-10-07 01:01:50",
            "detail": [{"ip": ip, "gpus": ["gpu0", "gpu1"][:n]} for ip, n in machines],
        }
        return {
            "cluster_job_log": json.dumps(
                [
                    {
                        "status": "Pass",
                        "vc": "v",
                        "jobid": "a",
                        "submitted_time": f"2017-10-07 {submitted}",
                        "user": "u",
                        "attempts": [attempt],
                    }
                ]
            ),
            "cluster_machine_list": "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\nm2,8, 24GB\nm3,2, 12GB\n",
        }

    def test_machines_of_two_kinds(self):
        self.assertEqual(
            ([("a", "philly/12GB", 100), ("a", "philly/24GB", 400)], []),
            self.told(self.philly("01:00:00", [("m1", 2), ("m3", 1), ("m2", 2)])),
        )
        self.assertEqual(([("a", "philly/24GB", 400)], []), self.told(self.philly("01:00:00", [("m1", 2), ("m2", 2)])))

    def pai(self, instances, tasks="job-a,worker,2.0,Terminated,1010.0,2000.0,400.0,29.3,50.0,T4\n"):
        return {
            "pai_job_table.csv": "job-a,inst-a,user-1,Terminated,1000.0,2000.0\njob-b,inst-b,user-1,Terminated,1000.0,2000.0\n",
            "pai_task_table.csv": tasks,
            "pai_instance_table.csv": instances,
            "pai_machine_spec.csv": "m-t4,T4,96,512,2\nm-v1,V100,96,512,8\n",
        }

    def test_tasks_and_their_instances(self):
        """A task without instances runs as a whole; a machine of another type than the task is listed."""
        one = "job-a,worker,i1,w1,inst-a,Terminated,1010.0,2000.0,m-t4\n"
        both, other = one + one.replace("i1,w1", "i2,w2"), one + one.replace("i1,w1", "i2,w2").replace("m-t4", "m-v1")
        self.assertEqual(([("job-a", "pai/T4", 990)], []), self.told(self.pai(both)))
        self.assertEqual(([("job-a", "pai/T4", 990)], [("conflict", 1)]), self.told(self.pai(other)))
        tasks = (
            self.pai("")["pai_task_table.csv"]
            + "job-b,worker,1.0,Terminated,1010.0,2000.0,400.0,29.3,100.0,T4\njob-c,worker,1.0,Waiting,,,400.0,29.3,100.0,T4\n"
        )
        self.assertEqual(
            ([("job-a", "pai/T4", 990), ("job-b", "pai/T4", 990)], [("unknown_job", 1), ("missing_field", 1)]),
            self.told(self.pai(both, tasks)),
        )
        self.assertEqual(([], [("missing_pods", 1)]), self.told(self.pai(one)))
        waits = self.pai("")["pai_task_table.csv"].replace("Terminated", "Failed")
        self.assertEqual(([], []), self.told(self.pai(one, waits)))

    def test_rows_that_are_indented(self):
        """Names are the same with spaces around them; a task of a job that its table lacks is listed."""
        names = sorted(os.listdir(os.path.join(PUBLIC, "alibaba-v2020")))
        texts = {}
        for name in names:
            with open(os.path.join(PUBLIC, "alibaba-v2020", name), encoding="utf-8") as file:
                texts[name] = file.read()
        ask = "SELECT job, pool, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2, 3"
        wanted = self.rows(ask, self.folder_of(texts))
        for name in names:
            folder = self.folder_of(texts | {name: "".join("   " + line for line in texts[name].splitlines(True))})
            self.assertEqual(wanted, self.rows(ask, folder), name)
        jobs = texts["pai_job_table.csv"].splitlines(True)
        folder = self.folder_of(texts | {"pai_job_table.csv": "".join(jobs[1:])})
        self.rows(ask, folder)
        self.assertEqual(
            2, self.one("SELECT count FROM mpg_issues WHERE kind = 'unknown_job' AND source LIKE ? || '%'", folder)
        )

    def test_exports_of_which_one_is_later(self):
        """A job that runs or waits in the earlier one counts as the later one tells it, whichever is read first."""
        helios = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
        acme = (
            "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
        )
        openb = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
        day = "2020-04-01"

        def logged(row, zone=""):
            clock = lambda at: at and f"{day} {at}:00{zone}"
            jobs = (("a", "01:00", "11:00"), ("b", "02:00", "11:30"), ("c", "03:00", "04:00"))
            now = (("a", "01:00", ""), ("b", "", ""), ("c", "03:00", "04:00"))
            return [
                "".join(row(name, clock("00:30"), clock(start), clock(end)) for name, start, end in told)
                for told in (now, jobs)
            ]

        state = lambda start, end: "COMPLETED" if end else "RUNNING" if start else "PENDING"
        mine = lambda name, submit, start, end: f"{name},u,v,1,1,1,{state(start, end)},{submit},{start},{end},1,1\n"
        theirs = (
            lambda name, submit, start, end: f"{name},u,1,1,1,Other,{state(start, end)},{submit},{start},{end},1,1,1\n"
        )

        def philly(name, submit, start, end):
            held = [{"start_time": start, "end_time": end or None, "detail": [{"ip": "m", "gpus": ["g"]}]}]
            return (
                json.dumps(
                    {
                        "status": "Pass",
                        "vc": "v",
                        "jobid": name,
                        "submitted_time": submit,
                        "user": "u",
                        "attempts": held if start else [],
                    }
                )
                + ","
            )

        pods = [
            f"a,1,1,1,1000,,LS,{phase},100,{end},200\nb,1,1,1,1000,,LS,{then}\nc,1,1,1,1000,,LS,Succeeded,100,900,300\n"
            for phase, end, then in (
                ("Running", "", "Pending,100,,"),
                ("Succeeded", "36200", "Succeeded,100,36000,1800"),
            )
        ]
        tasks = [
            "".join(f"{name},w,1.0,{told},600,29,100,V100\n" for name, told in (*more, ("c", "Terminated,300,900")))
            for more in (
                (("a", "Running,200,"), ("b", "Waiting,,")),
                (("a", "Terminated,200,36200"), ("b", "Terminated,1800,36000")),
            )
        ]
        instances = [row.replace(",w,1.0,", ",w,i,w0,i,").replace(",600,29,100,V100", ",m") for row in tasks]
        machine, jobs = "m,V100,96,512,8\n", "a,i,u,Running,100,\nb,i,u,Waiting,,\nc,i,u,Terminated,100,900\n"
        rest = [{"{}/pai_machine_spec.csv": machine, "{}/pai_job_table.csv": jobs}] * 2
        for name, exports in (
            ("helios", [{"{}/Venus/cluster_log.csv": helios + rows} for rows in logged(mine)]),
            ("acme", [{"{}/trace_seren.csv": acme + rows} for rows in logged(theirs, "+08:00")]),
            ("philly", [{"{}/cluster_job_log": f"[{rows[:-1]}]"} for rows in logged(philly)]),
            ("openb", [{"{}/openb_pod_list.csv": openb + rows} for rows in pods]),
            ("tasks", [more | {"{}/pai_task_table.csv": rows} for more, rows in zip(rest, tasks)]),
            (
                "instances",
                [
                    more | {"{}/pai_task_table.csv": task, "{}/pai_instance_table.csv": rows}
                    for more, task, rows in zip(rest, tasks, instances)
                ],
            ),
        ):
            earlier, later = exports
            placed = lambda folder, files: {key.format(folder): text for key, text in files.items()}
            once, _ = self.told(placed("b", later))
            self.assertEqual([36000, 34200], [seconds for job, _, seconds in once if job[-1] != "c"], name)
            for both in (placed("a", earlier) | placed("b", later), placed("a", later) | placed("b", earlier)):
                rows, said = self.told(both)
                self.assertEqual(once, rows, (name, list(both)))
                self.assertLessEqual({"repeated_record"}, {kind for kind, _ in said}, name)

    def test_a_job_that_was_stopped(self):
        """Kalos says when, if not in its end_time."""
        times = "2023-05-17 11:00:00+00:00,2023-05-17 11:01:00+00:00"
        text = (
            "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
            f"d1,u,1,8,8,1,1.0,Other,CANCELLED,{times},,,2023-05-17 11:11:00+00:00,600,60,1\nd2,u,1,8,8,1,1.0,Other,FAILED,{times},,2023-05-17 11:21:00+00:00,,600,60,1\n"
            f"d3,u,1,8,8,1,1.0,Other,COMPLETED,{times},2023-05-17 13:01:00+00:00,,,600,60,1\n"
        )
        self.assertEqual(
            ([("kalos/d1", "kalos", 4800), ("kalos/d2", "kalos", 9600), ("kalos/d3", "kalos", 57600)], []),
            self.told({"trace_kalos.csv": text}),
        )

    def test_starts_before_they_were_submitted(self):
        late = [("start_before_submit", 1)]
        early = "".join(f"job-a,worker,i{n},w{n},inst-a,Terminated,{990 + 5 * n}.0,2000.0,m-t4\n" for n in (1, 2))
        self.assertEqual(([("job-a", "pai/T4", 1000)], late), self.told(self.pai(early)))
        self.assertEqual(([("a", "philly/24GB", 200)], late), self.told(self.philly("01:00:20", [("m1", 2)])))
        day = "2020-04-02 00:0{}:00"
        self.assertEqual(
            ([("Venus/1", "Venus/vcX", 4800)], late),
            self.told(
                {
                    "Venus/cluster_log.csv": "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                    f"1,u,vcX,8,8,1,COMPLETED,{day.format(3)},{day.format(1)},2020-04-02 00:11:00,600,60\n"
                }
            ),
        )
        self.assertEqual(
            ([("seren/1", "seren", 4800)], late),
            self.told(
                {
                    "trace_seren.csv": "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
                    f"1,u,1,8,8,Other,COMPLETED,{day.format(3)}+08:00,{day.format(1)}+08:00,2020-04-02 00:11:00+08:00,600,60,1\n"
                }
            ),
        )
        self.assertEqual(
            ([("p", "openb", 150)], late),
            self.told(
                {
                    "openb_pod_list.csv": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np,1,1,1,1000,,LS,Succeeded,100,200,50\n"
                }
            ),
        )
        self.assertEqual(
            ([("i0", "dlrm", 150)], late),
            self.told(
                {
                    "disaggregated_DLRM_trace.csv": "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,"
                    "max_instance_per_node,creation_time,scheduled_time,deletion_time\ni0,HN,a,1,1,1,1,1,1,1,1,1,1,1,100,50,200\n"
                }
            ),
        )


if __name__ == "__main__":
    unittest.main()
