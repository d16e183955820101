"""Slurm's JSON as it was recorded: slurm_trace over it, and what sql/formats/slurm.sql makes of its jobs.

The JSON of a recorded cluster is held against the delimited exports of the same cluster, field by field, and its ledger
against sreport's figures; of slurmrestd, against the states that its README counts."""

import glob
import json
import os
import unittest

from cases import Case
from slurm import EVENTS, JOBS, SACCT, SHARED, SINCE, SQUEUE, STEPS, UNTIL, WithNodes

SAME = """JobID JobIDRaw JobName Cluster Account Partition QOS Submit Eligible Start End ElapsedRaw Suspended TimelimitRaw NNodes NCPUS
    NodeList Reason Comment WorkDir Constraints DerivedExitCode job_base array_task array_count het_offset step state_base outcome alloc_gpus
    req_gpus gpu_type alloc_gpu_types req_gpu_types nodes User""".split()


class Shared(Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(SHARED):
            self.skipTest("../shared is not here")


class Accounting(Shared):
    def fields(self, path, names, where="1"):
        columns = ", ".join(f'"{name}"' for name in names)
        return sorted(self.rows(f"SELECT {columns} FROM slurm_trace(?) WHERE {where}", path), key=repr)

    def test_jobs_are_those_of_the_delimited_export(self):
        path = SHARED + "/slurm/sacct.json"
        self.assertEqual(self.fields(path, SAME, "step IS NULL"), self.fields(JOBS, SAME))
        self.assertEqual(self.issues(path), {})

    def test_steps_are_too(self):
        names = "JobID JobIDRaw JobName Cluster Account Submit Eligible Start End NNodes NCPUS NodeList step state_base outcome alloc_gpus".split()
        found = self.fields(SHARED + "/slurm/sacct.json", names)
        self.assertEqual(len(found), 62)
        self.assertEqual(found, self.fields(STEPS, names))

    def test_where_the_json_differs(self):
        """Who cancelled is a name instead of a number; 22.05 forgets exit codes of jobs that failed by themselves."""
        path = SHARED + "/slurm/sacct.json"
        self.assertEqual(
            self.rows("SELECT DISTINCT State FROM slurm_trace(?) WHERE job_base = 14", path), [("CANCELLED by root",)]
        )
        self.assertEqual(self.rows("SELECT ExitCode FROM slurm_trace(?) WHERE JobID = '18_2'", path), [("0:0",)])
        self.assertEqual(self.rows("SELECT ExitCode FROM slurm_trace(?) WHERE JobID = '18_2'", JOBS), [("1:0",)])

    def test_ledger(self):
        """sreport: 3609 GPU-seconds allocated of 16512."""
        relations = {}
        for sacct in (JOBS, SHARED + "/slurm/sacct.json"):
            self.db.execute("CREATE TEMP TABLE slurm_jobs AS SELECT *, _file, _line FROM slurm_trace(?)", (sacct,))
            self.db.execute(
                "CREATE TEMP TABLE slurm_events AS SELECT *, _file, _line FROM slurm_events_trace(?)", (EVENTS,)
            )
            self.script("formats/slurm.sql")
            relations[sacct] = [
                self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4")
                for table in ("jobs", "allocations", "capacity", "outages")
            ]
            self.assertEqual(
                self.rows(
                    "SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE since = ? AND until = ? AND pool = 'mlpod' GROUP BY 1",
                    SINCE,
                    UNTIL,
                ),
                [("down", 1752), ("idle", 11151), ("queued", 7242), ("untraced", 3609)],
            )
        self.assertEqual(*relations.values())

    def test_squeue(self):
        """What the queue knew at 05:53:12: a job that runs has no end yet, and one that waits no start."""
        path = SHARED + "/slurm/squeue.json"
        self.assertEqual(
            self.rows('SELECT state_base, count(*), count(Start), count("End") FROM slurm_trace(?) GROUP BY 1', path),
            [("COMPLETED", 1, 1, 1), ("FAILED", 8, 8, 8), ("PENDING", 4, 0, 0), ("RUNNING", 2, 2, 0)],
        )
        self.assertEqual(
            self.rows("SELECT JobID, req_gpus, alloc_gpus FROM slurm_trace(?) WHERE state_base = 'PENDING'", path),
            [("11", 8, 0), ("13", 16, 0), ("14", 40, 0), ("15", 32, 0)],
        )


class Slurmrestd(Shared):
    def test_states(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-jobs.json"
        self.assertEqual(
            dict(self.rows("SELECT state_base, count(*) FROM slurm_trace(?) GROUP BY 1", path)),
            {"COMPLETED": 11, "CANCELLED": 9, "PENDING": 4, "TIMEOUT": 2, "FAILED": 2, "RUNNING": 2},
        )
        self.assertEqual(
            dict(self.rows("SELECT outcome, count(*) FROM slurm_trace(?) GROUP BY 1", path)),
            {"completed": 11, "cancelled": 9, None: 6, "timeout": 2, "failed": 2},
        )
        with open(path, encoding="utf-8") as file:
            jobs = {str(job["job_id"]): job for job in json.load(file)["jobs"]}
        for job, submit, start, end, state, nodes in self.rows(
            'SELECT JobID, Submit, Start, "End", state_base, NodeList FROM slurm_trace(?)', path
        ):
            given = jobs[job]
            self.assertEqual(submit, given["submit_time"]["number"])
            began = state != "PENDING" and given["nodes"]
            self.assertEqual(start, given["start_time"]["number"] if began else None, job)
            self.assertEqual(end, given["end_time"]["number"] if state not in ("PENDING", "RUNNING") else None, job)
            self.assertEqual(nodes, given["nodes"] or None)

    def test_gpus_that_no_list_of_resources_has(self):
        found = {
            os.path.basename(path)[len("25.11__0.0.43__slurm-job-") : -5]: row
            for path, *row in self.rows(
                "SELECT _file, req_gpus, alloc_gpus, alloc_gpu_types FROM slurm_trace(?)",
                SHARED + "/slurmrestd/*slurm-job-gpus*.json",
            )
        }
        self.assertEqual(
            found,
            {
                "gpus-completed": [4, 4, '{"":4}'],
                "gpus-gres": [4, 4, '{"h100":4}'],
                "gpus-multi-nodes": [8, 8, '{"h100":8}'],
                "gpus-multi-types": [1, 1, '{"h100":1}'],
                "gpus-pending": [4, 0, "{}"],
                "gpus-per-node": [2, 2, '{"h100":2}'],
                "gpus-per-socket": [4, 2, '{"h100":2}'],
                "gpus-per-task": [4, 4, '{"h100":4}'],
                "gpus-running": [4, 4, '{"h100":4}'],
                "gpus-type": [1, 1, '{"h100":1}'],
            },
        )

    def test_errors_of_the_export(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-job-unfound.json"
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(?)", path), [])
        self.assertEqual(self.issues(path), {"reported_error": 1})

    def test_an_answer_without_jobs(self):
        """It is Slurm's, and says why it has none."""
        answer = {
            "jobs": [],
            "last_update": {"set": True, "infinite": False, "number": 1795250000},
            "meta": {"plugin": {"type": "openapi/slurmctld"}, "slurm": {"release": "25.11.0"}},
            "errors": [{"description": "Unable to query JobId=1", "error": "Invalid job id specified"}],
        }
        path = self.file(json.dumps(answer, indent=2), "empty.json")
        self.assertEqual([("slurm",)], self.rows("SELECT format FROM trace_sources(?)", path))
        self.rows("SELECT * FROM trace_rollup(?)", path)
        self.assertEqual({"reported_error": 1, "no_record": 1}, self.issues(path))

    def test_until_when_an_answer_saw_no_jobs(self):
        """It ends what ran in the one before, and the nodes are idle until then; an error, the accounting, or two clusters say nothing so."""
        number = lambda value: {"set": True, "infinite": False, "number": value}
        runs = lambda cluster, i: {
            "job_id": i,
            "cluster": cluster,
            "job_state": ["RUNNING"],
            "submit_time": number(1795240000),
            "start_time": number(1795240000),
            "tres_alloc_str": "gres/gpu=8",
            "tres_req_str": "gres/gpu=8",
            "nodes": "n1",
        }
        answer = lambda at, *jobs, **more: json.dumps(
            {
                "meta": {"slurm": {"release": "25.11.0"}},
                "jobs": jobs,
                **({"last_update": number(at)} if at else {}),
                "errors": [],
            }
            | more
        )
        nodes = "NodeName=n1 Arch=x86_64 CPUTot=8\n   Gres=gpu:8\n   State=IDLE\n   CfgTRES=cpu=8,gres/gpu=8\n   BootTime=2026-11-21T00:00:00\n"
        ran, none = answer(1795241000, runs("c", 7)), answer(1795242000)
        self.assertEqual(
            [(None, None, None, 1795242000)],
            self.rows("SELECT JobID, State, Submit, last_update FROM slurm_trace(?)", self.file(none, "a.json")),
        )
        for later, idle, listed in (
            (none, 8000, {"lost_end": 1}),
            (none + answer(1795243000), 16000, {"lost_end": 1}),
            (answer(0), 0, {}),
            (answer(1795242000, errors=[{"error": "x"}]), 0, {}),
            (answer(1795242000, runs("c", 7)), 0, {}),
        ):
            folder = self.new_folder()
            for name, text in (("1.json", ran), ("2.json", later), ("nodes.txt", nodes)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(
                8 * 1000 if later != answer(1795242000, runs("c", 7)) else 16000,
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", folder),
                later,
            )
            self.assertEqual(
                idle,
                self.one(
                    "SELECT coalesce(sum(chip_us), 0) / 1000000 FROM trace_rollup(?) WHERE since = ? AND category = 'idle'",
                    folder,
                    "2026-11-21T05:46:40",
                ),
                later,
            )
            self.assertEqual(
                listed,
                {
                    kind: count
                    for kind, count in self.issues(os.path.join(folder, "1.json")).items()
                    if kind == "lost_end"
                },
                later,
            )
        two = self.new_folder()
        for name, text in (("1.json", answer(1795241000, runs("c", 7), runs("d", 8))), ("2.json", none)):
            with open(os.path.join(two, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(
            [("c", 8000), ("d", 8000)],
            self.rows(
                "SELECT pool, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", two
            ),
        )
        self.assertEqual({}, self.issues(os.path.join(two, "1.json")))

    def test_attempts_that_were_left_out(self):
        """Newer releases leave them out of the JSON too, without -D; of the controller they are never asked."""

        def issues(*jobs):
            path = self.file(json.dumps({"jobs": jobs}), "x.json")
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", path), len(jobs))
            return self.issues(path)

        done, other = ({"job_id": i, "cluster": "c", "state": {"current": ["COMPLETED"]}} for i in (1, 2))
        waits = {"job_id": 1, "cluster": "c", "job_state": ["PENDING"]}
        self.assertEqual(
            [
                issues(done, other),
                issues(done, other, done),
                issues(done, done | {"cluster": "d"}),
                issues(waits),
                issues(waits, done),
                issues(),
            ],
            [{"no_requeues": 1}, {}, {"no_requeues": 1}, {}, {"no_requeues": 1}, {}],
        )
        self.assertEqual((self.issues(SACCT), self.issues(SQUEUE)), ({}, {}))

    def test_nodes(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-nodes.json"
        self.assertEqual(
            self.rows(
                "SELECT NodeName, State, state_base, out_of_service, Reason, ReasonTime, ReasonUser, gpus, gpu_types FROM slurm_nodes_trace(?) WHERE NodeName IN ('cn1', 'cn4', 'gpu1', 'gpu3')",
                path,
            ),
            [
                ("cn1", "DOWN", "DOWN", 1, "CPU dead", 1763377475, "slurm", 0, "{}"),
                ("cn4", "IDLE+DRAIN", "IDLE", 1, "ECC memory error", 1763377475, "slurm", 0, "{}"),
                ("gpu1", "IDLE", "IDLE", 0, None, None, None, 4, '{"h100":4}'),
                ("gpu3", "IDLE", "IDLE", 0, None, None, None, 4, '{"":4}'),
            ],
        )

    def test_every_file_is_read(self):
        for path in glob.glob(SHARED + "/slurmrestd/*.json"):
            table = (
                "slurm_nodes_trace" if "nodes" in path and "jobs" not in path and "multi" not in path else "slurm_trace"
            )
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            self.assertEqual(
                self.one(f"SELECT count(*) FROM {table}(?)", path),
                len(document.get("jobs", document.get("nodes"))),
                path,
            )


class Mapping(WithNodes):
    def test_waiting_jobs(self):
        """squeue's pending jobs are queued from Submit to the time of the query."""
        self.map(SQUEUE)
        self.assertEqual(self.rows("SELECT job, chips FROM jobs"), [("11", 8), ("12", 24), ("13", 16)])
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND as_of = 1795240400 GROUP BY 1"
            ),
            [("11", 8 * 20), ("13", 16 * 10)],
        )

    def test_last_update_is_the_end_of_observation(self):
        """Slurm writes it after the jobs, from 0.0.39 on with the three members of a number."""
        with open(SQUEUE, encoding="utf-8") as file:
            document = json.load(file)
        until = 1795240999
        for shape in ({"set": True, "infinite": False, "number": until}, until):
            for first in (False, True):
                updated = {
                    "last_backfill": {"set": True, "infinite": False, "number": until - 30},
                    "last_update": shape,
                }
                path = self.file(
                    json.dumps(updated | document if first else document | updated, indent=1), "squeue.json"
                )
                self.assertEqual(self.rows("SELECT DISTINCT last_update FROM slurm_trace(?)", path), [(until,)])
                self.assertEqual(
                    self.rows(
                        "SELECT job, category, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job IS NOT NULL GROUP BY 1, 2",
                        path,
                    ),
                    [("11", "queued", 8 * 619), ("12", "untraced", 24 * 619), ("13", "queued", 16 * 609)],
                )
                self.assertNotIn("not_observed", self.issues(path))
        for said in ({"last_update": {"set": False, "infinite": False, "number": until}}, {"last_update": "now"}, {}):
            path = self.file(json.dumps(document | said), "squeue.json")
            self.assertEqual(self.rows("SELECT DISTINCT last_update FROM slurm_trace(?)", path), [(None,)])
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(self.issues(path)["not_observed"], 1)
        waiting = document | {"jobs": document["jobs"][2:], "last_update": until}
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job IS NOT NULL GROUP BY 1",
                self.file(json.dumps(waiting), "squeue.json"),
            ),
            [("13", 16 * 609)],
        )

    def test_accelerators_that_tres_lacks(self):
        """A site may let Slurm account for GPUs alone: gres_detail and tres_per_node have the others."""
        job = {
            "job_id": 7,
            "cluster": "c",
            "job_state": ["RUNNING"],
            "submit_time": 1795240000,
            "start_time": 1795240000,
            "node_count": 2,
            "tres_per_node": "gres/gpu:2,gres/npu:910b3:4",
            "tres_req_str": "cpu=8,gres/gpu=4",
            "tres_alloc_str": "cpu=8,gres/gpu=4",
            "gres_detail": ["gpu:2(IDX:0-1),npu:910b3:4(IDX:0-3)"] * 2,
        }
        path = self.file({"jobs": [job], "last_update": 1795240100}, "squeue.json")
        (row,) = self.rows("SELECT req_gpus, alloc_gpus, alloc_gpu_types FROM slurm_trace(?)", path)
        self.assertEqual((12, 12, {"": 4, "910b3": 8}), (row[0], row[1], json.loads(row[2])))

    def test_lists_that_an_export_left_out(self):
        """A job on nodes holds what it requested if nothing says what it holds; one that tells neither is listed, and so is an export of such jobs."""
        job = {
            "job_state": ["RUNNING"],
            "cluster": "c",
            "submit_time": 1795240000,
            "start_time": 1795240000,
            "node_count": 2,
            "nodes": "n[1-2]",
        }
        asks = {"tres_per_node": "gres/gpu:8"}
        runs, bare = job | asks | {"job_id": 7}, job | {"job_id": 8}
        waits = asks | {"job_id": 9, "cluster": "c", "job_state": ["PENDING"], "node_count": 2, "nodes": ""}
        waits = waits | {"submit_time": 1795240000}
        for jobs, held, listed in (
            ([runs, bare, waits], [("7", 1600)], ("missing_field", 1)),
            ([runs | {"tres_alloc_str": "cpu=2"}], [("7", 1600)], None),
            ([runs | {"tres_req_str": "cpu=8,gres/gpu=4,gres/gpu:h100=4"}], [("7", 400)], None),
            ([bare], [], ("no_tres", 1)),
        ):
            path = self.file({"jobs": jobs, "last_update": 1795240100}, "squeue.json")
            sql = "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1"
            self.assertEqual(held, self.rows(sql, path))
            kinds = "kind IN ('missing_field', 'no_tres')"
            self.assertEqual(
                [listed] if listed else [],
                self.rows(f"SELECT kind, count FROM mpg_issues WHERE source = ? AND {kinds}", path),
            )

    def test_array_that_waits(self):
        """sacct --json lists its tasks as the database does, in a mask; sacct and squeue --json as ranges."""

        def waiting(number, tasks, **array):
            return {
                "job_id": number,
                "cluster": "c",
                "state": {"current": ["PENDING"]},
                "array": {"job_id": number, "task": tasks, "task_id": {"set": False}} | array,
                "time": {"submission": 1000},
                "tres": {"allocated": [], "requested": [{"type": "gres", "name": "gpu", "count": 4}]},
            }

        every_other = sum(1 << task for task in range(0, 1001, 2))
        path = self.file(
            json.dumps(
                {
                    "jobs": [
                        waiting(500, "0x8E"),
                        waiting(501, "0x1"),
                        waiting(502, hex(1 << 64)),
                        waiting(503, "1-3,7"),
                        waiting(504, "0x0g"),
                        waiting(505, "0x"),
                        waiting(506, hex(every_other)),
                        waiting(507, "0x8E", task_id={"set": True, "number": 3}),
                    ]
                }
            ),
            "x.json",
        )
        self.assertEqual(
            self.rows("SELECT JobID, job_base, array_count FROM slurm_trace(?) WHERE JobIDRaw <> '506'", path),
            [
                ("500_[1-3,7]", 500, 4),
                ("501_[0]", 501, 1),
                ("502_[64]", 502, 1),
                ("503_[1-3,7]", 503, 4),
                ("504_[0x0g]", None, None),
                ("505_[0x]", None, None),
                ("507_3", 507, 1),
            ],
        )
        self.assertEqual(
            self.one("SELECT JobID FROM slurm_trace(?) WHERE array_count = 501", path),
            "506_[" + ",".join(map(str, range(0, 1001, 2))) + "]",
        )
        self.map(path)
        self.assertEqual(
            self.one(
                "SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND job = '500' AND as_of = 1010"
            ),
            4 * 4 * 10,
        )

    def test_attempts_that_were_requeued_or_resized(self):
        """As releases from 23.02 on write them."""

        def job(number, states, submit, start, end, gpus):
            held = [{"type": "gres", "name": "gpu", "count": gpus}]
            return {
                "job_id": number,
                "state": {"current": states},
                "time": {"submission": submit, "start": start, "end": end},
                "tres": {"allocated": held, "requested": held},
            }

        self.map(
            self.file(
                json.dumps(
                    {
                        "jobs": [
                            job(1, ["PENDING", "REQUEUED"], 1000, 1000, 1100, 8),
                            job(1, ["COMPLETED"], 1100, 1200, 1300, 8),
                            job(2, ["PENDING", "RESIZING"], 1000, 1000, 1050, 4),
                            job(2, ["COMPLETED"], 1050, 1050, 1060, 2),
                        ]
                    }
                ),
                "x.json",
            )
        )
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, start_time"
            ),
            [
                ("1", 1, 8, 1000, 1100, "preempted"),
                ("1", 2, 8, 1200, 1300, "completed"),
                ("2", 1, 4, 1000, 1050, "released"),
                ("2", 1, 2, 1050, 1060, "completed"),
            ],
        )

    def test_no_resources_exported(self):
        path = self.file("JobIDRaw|State|Submit|Start|End\n1|COMPLETED|1795240300|1795240353|1795240369\n")
        self.map(path)
        self.assertEqual(self.one("SELECT count(*) FROM allocations"), 0)
        self.assertEqual(
            self.rows("SELECT severity FROM mpg_issues WHERE source = ? AND kind = 'no_tres'", path), [("warning",)]
        )


if __name__ == "__main__":
    unittest.main()
