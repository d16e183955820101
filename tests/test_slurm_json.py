"""Slurm's JSON and the nodes of scontrol: slurm_trace over JSON, slurm_nodes_trace, and what sql/formats/slurm.sql makes of them.

The JSON of a recorded cluster is held against the delimited exports of the same cluster, field by field, and its ledger
against sreport's figures; of slurmrestd, against the states that its README counts."""
import glob
import gzip
import json
import os
import re
import sqlite3
import threading
import unittest

from cases import Case
from fleets import ROOT
from slurm import EVENTS, FIXTURES, JOBS, SINCE, STEPS, UNTIL

SHARED = os.path.join(ROOT, "../shared/traces")
SACCT, SQUEUE, NODES = (os.path.join(FIXTURES, name) for name in ("sacct.json", "squeue.json", "scontrol_nodes.txt"))
SAME = """JobID JobIDRaw JobName Cluster Account Partition QOS Submit Eligible Start End ElapsedRaw Suspended TimelimitRaw NNodes NCPUS
    NodeList Reason Comment WorkDir Constraints DerivedExitCode job_base array_task array_count het_offset step state_base outcome alloc_gpus
    req_gpus gpu_type alloc_gpu_types req_gpu_types nodes User""".split()


def number(value):
    return {"set": value is not None, "infinite": False, "number": value or 0}


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
        self.assertEqual(self.rows("SELECT DISTINCT State FROM slurm_trace(?) WHERE job_base = 14", path), [("CANCELLED by root",)])
        self.assertEqual(self.rows("SELECT ExitCode FROM slurm_trace(?) WHERE JobID = '18_2'", path), [("0:0",)])
        self.assertEqual(self.rows("SELECT ExitCode FROM slurm_trace(?) WHERE JobID = '18_2'", JOBS), [("1:0",)])

    def test_ledger(self):
        """sreport: 3609 GPU-seconds allocated of 16512."""
        relations = {}
        for sacct in (JOBS, SHARED + "/slurm/sacct.json"):
            self.db.execute("CREATE TEMP TABLE slurm_jobs AS SELECT * FROM slurm_trace(?)", (sacct,))
            self.db.execute("CREATE TEMP TABLE slurm_events AS SELECT * FROM slurm_events_trace(?)", (EVENTS,))
            self.script("formats/slurm.sql")
            relations[sacct] = [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in ("jobs", "allocations", "capacity", "outages")]
            self.assertEqual(
                self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE since = ? AND until = ? AND pool = 'mlpod' GROUP BY 1", SINCE, UNTIL),
                [("down", 1752), ("idle", 11151), ("queued", 7242), ("untraced", 3609)])
        self.assertEqual(*relations.values())

    def test_squeue(self):
        """What the queue knew at 05:53:12: a job that runs has no end yet, and one that waits no start."""
        path = SHARED + "/slurm/squeue.json"
        self.assertEqual(self.rows("SELECT state_base, count(*), count(Start), count(\"End\") FROM slurm_trace(?) GROUP BY 1", path),
                         [("COMPLETED", 1, 1, 1), ("FAILED", 8, 8, 8), ("PENDING", 4, 0, 0), ("RUNNING", 2, 2, 0)])
        self.assertEqual(self.rows("SELECT JobID, req_gpus, alloc_gpus FROM slurm_trace(?) WHERE state_base = 'PENDING'", path),
                         [("11", 8, 0), ("13", 16, 0), ("14", 40, 0), ("15", 32, 0)])


class Slurmrestd(Shared):
    def test_states(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-jobs.json"
        self.assertEqual(dict(self.rows("SELECT state_base, count(*) FROM slurm_trace(?) GROUP BY 1", path)),
                         {"COMPLETED": 11, "CANCELLED": 9, "PENDING": 4, "TIMEOUT": 2, "FAILED": 2, "RUNNING": 2})
        self.assertEqual(dict(self.rows("SELECT outcome, count(*) FROM slurm_trace(?) GROUP BY 1", path)),
                         {"completed": 11, "cancelled": 9, None: 6, "timeout": 2, "failed": 2})
        with open(path, encoding="utf-8") as file:
            jobs = {str(job["job_id"]): job for job in json.load(file)["jobs"]}
        for job, submit, start, end, state, nodes in self.rows("SELECT JobID, Submit, Start, \"End\", state_base, NodeList FROM slurm_trace(?)", path):
            given = jobs[job]
            self.assertEqual(submit, given["submit_time"]["number"])
            began = state != "PENDING" and given["nodes"]
            self.assertEqual(start, given["start_time"]["number"] if began else None, job)
            self.assertEqual(end, given["end_time"]["number"] if state not in ("PENDING", "RUNNING") else None, job)
            self.assertEqual(nodes, given["nodes"] or None)

    def test_gpus_that_no_list_of_resources_has(self):
        found = {os.path.basename(path)[len("25.11__0.0.43__slurm-job-"):-5]: row for path, *row in
                 self.rows("SELECT _file, req_gpus, alloc_gpus, alloc_gpu_types FROM slurm_trace(?)", SHARED + "/slurmrestd/*slurm-job-gpus*.json")}
        self.assertEqual(found, {
            "gpus-completed": [4, 4, '{"":4}'], "gpus-gres": [4, 4, '{"h100":4}'], "gpus-multi-nodes": [8, 8, '{"h100":8}'],
            "gpus-multi-types": [1, 1, '{"h100":1}'], "gpus-pending": [4, 0, "{}"], "gpus-per-node": [2, 2, '{"h100":2}'],
            "gpus-per-socket": [4, 2, '{"h100":2}'], "gpus-per-task": [4, 4, '{"h100":4}'], "gpus-running": [4, 4, '{"h100":4}'],
            "gpus-type": [1, 1, '{"h100":1}']})

    def test_errors_of_the_export(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-job-unfound.json"
        self.assertEqual(self.rows("SELECT * FROM slurm_trace(?)", path), [])
        self.assertEqual(self.issues(path), {"reported_error": 1})

    def test_attempts_that_were_left_out(self):
        """Newer releases leave them out of the JSON too, without -D; of the controller they are never asked."""
        def issues(*jobs):
            path = self.file(json.dumps({"jobs": jobs}), "x.json")
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", path), len(jobs))
            return self.issues(path)
        done, other = ({"job_id": i, "cluster": "c", "state": {"current": ["COMPLETED"]}} for i in (1, 2))
        waits = {"job_id": 1, "cluster": "c", "job_state": ["PENDING"]}
        self.assertEqual([issues(done, other), issues(done, other, done), issues(done, done | {"cluster": "d"}), issues(waits), issues(waits, done), issues()],
                         [{"no_requeues": 1}, {}, {"no_requeues": 1}, {}, {"no_requeues": 1}, {}])
        self.assertEqual((self.issues(SACCT), self.issues(SQUEUE)), ({}, {}))

    def test_nodes(self):
        path = SHARED + "/slurmrestd/25.11__0.0.43__slurm-nodes.json"
        self.assertEqual(
            self.rows("SELECT NodeName, State, state_base, out_of_service, Reason, ReasonTime, ReasonUser, gpus, gpu_types FROM slurm_nodes_trace(?) WHERE NodeName IN ('cn1', 'cn4', 'gpu1', 'gpu3')", path),
            [("cn1", "DOWN", "DOWN", 1, "CPU dead", 1763377475, "slurm", 0, "{}"), ("cn4", "IDLE+DRAIN", "IDLE", 1, "ECC memory error", 1763377475, "slurm", 0, "{}"),
             ("gpu1", "IDLE", "IDLE", 0, None, None, None, 4, '{"h100":4}'), ("gpu3", "IDLE", "IDLE", 0, None, None, None, 4, '{"":4}')])

    def test_every_file_is_read(self):
        for path in glob.glob(SHARED + "/slurmrestd/*.json"):
            table = "slurm_nodes_trace" if "nodes" in path and "jobs" not in path and "multi" not in path else "slurm_trace"
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            self.assertEqual(self.one(f"SELECT count(*) FROM {table}(?)", path), len(document.get("jobs", document.get("nodes"))), path)


class Shapes(Case):
    """Small documents, in the old shape and the new one."""

    def document(self, *jobs, **members):
        return self.file(json.dumps({"meta": {}, "errors": [], "jobs": jobs} | members), "x.json")

    def job(self, **members):
        return {"job_id": 7, "name": "j", "state": {"current": "RUNNING", "reason": "None"}, "time": {"start": 1795240353, "end": 0, "submission": 1795240300},
                "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 2}], "requested": []}} | members

    def row(self, columns, job):
        return self.rows(f"SELECT {columns} FROM slurm_trace(?)", self.document(job))[0]

    def test_ids(self):
        for members, wanted in (
            ({}, ("7", "7", None, 1, None)),
            ({"array": {"job_id": 5, "task_id": 2, "task": None}}, ("5_2", "7", "2", 1, None)),
            ({"array": {"job_id": 5, "task_id": number(2), "task": ""}}, ("5_2", "7", "2", 1, None)),
            ({"array": {"job_id": 7, "task_id": number(None), "task": "1-3%2"}}, ("7_[1-3%2]", "7", "[1-3%2]", 3, None)),
            ({"array": {"job_id": 0, "task_id": number(None), "task": ""}, "het": {"job_id": 6, "job_offset": number(1)}}, ("6+1", "7", None, 1, 1)),
        ):
            self.assertEqual(self.row("JobID, JobIDRaw, array_task, array_count, het_offset", self.job(**members)), wanted)
        for members, wanted in (({"array_job_id": number(5), "array_task_id": number(0), "array_task_string": ""}, "5_0"),
                                ({"array_job_id": 5, "array_task_id": None, "array_task_string": "0-1"}, "5_[0-1]"),
                                ({"het_job_id": 6, "het_job_offset": 0}, "6+0")):
            self.assertEqual(self.row("JobID", {"job_id": 7, "job_state": ["PENDING"]} | members), (wanted,))

    def test_states(self):
        for current, by, wanted in (("COMPLETED", None, ("COMPLETED", "completed", None)), (["CANCELLED"], "ada", ("CANCELLED", "cancelled", "ada")),
                                    (["FAILED"], "ada", ("FAILED", "failed", None)), (["RUNNING", "COMPLETING"], None, ("RUNNING", None, None)),
                                    ([], None, (None, None, None))):
            self.assertEqual(self.row("state_base, outcome, cancelled_by", self.job(state={"current": current}, kill_request_user=by)), wanted)

    def test_marks_without_a_state(self):
        """slurmdbd keeps of some records a mark alone. State 0 is PENDING, which the JSON puts before it, and sacct does not."""
        for current, wanted in ((["PENDING"], ("PENDING", None)), (["PENDING", "REQUEUED"], ("REQUEUED", "preempted")), (["PENDING", "RESIZING"], ("RESIZING", None)),
                                (["PENDING", "REVOKED"], ("REVOKED", "cancelled")), (["PENDING", "SPECIAL_EXIT", "REQUEUED"], ("REQUEUED", "preempted")),
                                (["PENDING", "POWER_UP_NODE"], ("PENDING", None)), (["COMPLETED", "REQUEUED"], ("COMPLETED", "completed"))):
            self.assertEqual(self.row("state_base, outcome", self.job(state={"current": current})), wanted)
        # The controller's job waits again, but for one that runs on another cluster.
        for state, wanted in ((["PENDING", "REQUEUED"], "PENDING"), (["PENDING", "REQUEUED", "REQUEUE_HOLD"], "PENDING"), (["PENDING", "REVOKED"], "REVOKED"),
                              (["RUNNING", "RESIZING"], "RUNNING")):
            self.assertEqual(self.row("state_base", {"job_id": 7, "job_state": state}), (wanted,))

    def test_values(self):
        job = self.job(exit_code={"status": ["SIGNALED"], "return_code": number(None), "signal": {"id": number(9), "name": "KILL"}},
                       time={"start": number(1795240353), "end": number(None), "submission": 0, "limit": {"set": True, "infinite": True, "number": 0},
                             "total": {"seconds": 3, "microseconds": 250000}}, flags=["A", "B"], priority=number(5), reservation={"id": 0, "name": 0},
                       comment={"job": "a\"\u00e9\n", "system": None}, steps=[{"step": {"id": "7.batch", "name": "batch"}, "state": ["COMPLETED"]},
                                                                            {"step": {"id": {"step_id": "0"}, "name": "x"}, "state": "FAILED"}])
        self.assertEqual(self.row("ExitCode, Start, \"End\", Submit, TimelimitRaw, TotalCPU, Flags, Priority, Reservation, Comment, SystemComment, alloc_gpus, req_gpus", job),
                         ("0:9", 1795240353, None, None, None, 3.25, "A,B", 5, None, 'a"\u00e9\n', None, 2, 0))
        self.assertEqual(self.rows("SELECT JobID, JobName, step, outcome, Submit FROM slurm_trace(?)", self.document(job)),
                         [("7", "j", None, None, None), ("7.batch", "batch", "batch", "completed", None), ("7.0", "x", "0", "failed", None)])
        self.assertEqual(self.row("ExitCode", {"job_id": 1, "job_state": "FAILED", "exit_code": 256}), ("1:0",))
        self.assertEqual(self.row("ExitCode", {"job_id": 1, "job_state": "FAILED", "exit_code": 9}), ("0:9",))

    def test_gres(self):
        for members, wanted in (
            ({"tres_per_job": "gres/gpu:a100:2,gres/gpu:h100:1"}, '{"a100":2,"h100":1}'),
            ({"tres_per_node": "gres:gpu:8", "node_count": 3}, '{"":24}'),
            ({"tres_per_task": "gres/gpu=2", "tasks": number(4)}, '{"":8}'),
            ({"tres_per_node": "gres/gpu", "node_count": number(2)}, '{"":2}'),
            ({"tres_per_node": "gres/shard:4"}, "{}"),
            ({"tres_per_job": "gres/gpu:4", "tres_req_str": "cpu=1,gres/gpu=3"}, '{"":3}'),
            ({"tres_per_job": "gres/gpu:99999999999999999999,,gres/gpu:x:y"}, "{}"),
        ):
            self.assertEqual(self.row("req_gpu_types", {"job_id": 1, "job_state": "PENDING"} | members), (wanted,))
        detail = {"job_id": 1, "job_state": ["RUNNING"], "nodes": "n1", "tres_alloc_str": "cpu=1", "gres_detail": ["gpu:h100:2(IDX:0,3),gpu:a100:1(IDX:4)", "gpu:h100:1(IDX:0)"]}
        self.assertEqual(self.row("alloc_gpu_types, alloc_gpus", detail), ('{"h100":3,"a100":1}', 4))

    def test_errors(self):
        head = "expected jobs of sacct --json, squeue --json or slurmrestd (a member \"jobs\"), found members "
        for text, wanted in (
            ('{"meta": {}, "nodes": []}', ":1:1: " + head + '"meta, nodes" (nodes are read with slurm_nodes_trace)'),
            ("{}", ":1:1: " + head + '""'),
            ('{"jobs": [7]}', ":1:11: expected a job, an object"),
            ('{"jobs": [{"name": "x"}]}', ':1:1: expected a job with a number "job_id"'),
            ('{"jobs": [{"job_id": 1, "state": tru}]}', ":1:37: expected true"),
            ('{"jobs": [{"job_id": 1}', ":1:24: "),
        ):
            path = self.file(text, "x.json")
            self.assertTrue(self.error("SELECT * FROM slurm_trace(?)", path).startswith(f"slurm_trace: {path}{wanted}"), self.error("SELECT * FROM slurm_trace(?)", path))
        for text, wanted in (('{"jobs": []}', 'expected nodes of scontrol show node --json (a member "nodes"), found none'), ('{"sinfo": []}', "sinfo --json of 23.02 and later lists groups of nodes"),
                             ("PARTITION AVAIL\n", 'expected nodes of scontrol show node, such as NodeName=n1 Arch=x86_64 ..., found "PARTITION AVAIL"'),
                             ('[{"name": "n1"}]', 'expected nodes of scontrol show node, such as NodeName=n1 Arch=x86_64 ..., found "[{"name": "n1"}]"'), ('{"nodes": [{}]}', 'expected a node with a "name"')):
            self.assertIn(wanted, self.error("SELECT * FROM slurm_nodes_trace(?)", self.file(text, "x.json")))

    def test_skipped(self):
        path = self.document(self.job(), {"name": "x"}, 7, self.job(job_id=8))
        self.assertEqual(self.rows("SELECT JobID FROM slurm_trace(?) WHERE on_error = 'skip'", path), [("7",), ("8",)])
        self.assertEqual(self.issues(path), {"skipped_record": 2, "no_requeues": 1})

    def test_compressed_documents_in_a_row_and_folders(self):
        text = json.dumps({"jobs": [self.job()]})
        path = self.file(gzip.compress((text + "\n" + text).encode()), "x.json.gz")
        with open(os.path.dirname(path) + "/y.psv", "w", encoding="utf-8") as file:
            file.write("JobID|State|AllocTRES\n9|FAILED|\n9|FAILED|\n")
        self.assertEqual(self.rows("SELECT JobID FROM slurm_trace(?)", os.path.dirname(path)), [("7",), ("7",), ("9",), ("9",)])

    def test_hostile_documents(self):
        for text in ('{"jobs": [{"job_id": 1, "state": ' + "[" * 600 + "]" * 600 + "}]}", '{"jobs": [{"job_id": {"set": 1}}]}', '{"jobs": [{"job_id": 1, "job_id": 2}]}',
                     '{"jobs": {"job_id": 1}}', '{"jobs": [{"job_id": 1e400}]}', "{", '{"jobs": [' + "{}," * 100000, '{"jobs": [{"job_id": "1"}]}'):
            path = self.file(text, "x.json")
            with self.assertRaisesRegex(sqlite3.DatabaseError, "^slurm_trace: "):
                self.rows("SELECT * FROM slurm_trace(?)", path)
            if "[[[" not in text:  # too deep is a limit, which nothing passes over
                self.rows("SELECT * FROM slurm_trace(?) WHERE on_error = 'skip'", path)
        self.assertEqual(self.row("JobID, State, Start", {"job_id": 1, "state": 5, "time": [], "tres": {"allocated": {"x": 1}}, "steps": {"a": 1}}), ("1", None, None))

    def test_memory_does_not_grow_with_the_file(self):
        peaks, job = [], json.dumps(self.job(steps=[{"step": {"id": "batch"}}] * 3)) + ","
        for times in (2000, 60000):
            path = self.file('{"jobs": [' + (job * times)[:-1] + "]}", "x.json")
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", path), 4 * times)
            with open("/proc/self/status", encoding="ascii") as status:
                peaks.append(int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]))
        self.assertLess(peaks[1] - peaks[0], 40 * 1024)  # kB; the text that this test itself makes is 20 MB

    def test_interrupt(self):
        path = self.file('{"jobs": [' + (json.dumps(self.job()) + ",") * 100000 + json.dumps(self.job()) + "]}", "x.json")
        timer = threading.Timer(0.05, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM slurm_trace(?), (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)", path), "interrupted")
        timer.join()

    def test_texts_outlive_their_row(self):
        self.assertEqual(self.rows("SELECT max(Start), JobName, NodeList FROM slurm_trace(?)", SACCT), [(1795240530, "low-preemptee", "n[2-4]")])


LINES = """NodeName=n1 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUEfctv=16 CPUTot=16 CPULoad=0.60
   AvailableFeatures=(null)
   Gres=gpu:h100:8(S:0-1)
   OS=Linux 6.18 #1 SMP Owner=x
   State=IDLE+DRAIN ThreadsPerCore=1
   BootTime=2026-11-21T05:12:40 SlurmdStartTime=None
   CfgTRES=cpu=16,mem=20000M
   AllocTRES=
   Reason=xid 79: State=bad [root@2026-11-21T05:53:54]

NodeName=n2 Arch=x86_64
   State=MIXED CfgTRES=cpu=16,gres/gpu=8,gres/gpu:h100=8 AllocTRES=cpu=2,gres/gpu=2

"""


class Nodes(Case):
    def test_lines(self):
        path = self.file(LINES, "nodes.txt")
        self.assertEqual(
            self.rows("""SELECT NodeName, State, state_base, out_of_service, Reason, ReasonUser, ReasonTime, OS, Owner, CPUTot, BootTime, SlurmdStartTime, ActiveFeatures, gpus,
                         gpu_types, alloc_gpus, _line FROM slurm_nodes_trace(?)""", path),
            [("n1", "IDLE+DRAIN", "IDLE", 1, "xid 79: State=bad", "root", 1795240434, "Linux 6.18 #1 SMP", "x", 16, 1795237960, None, None, 8, '{"h100":8}', 0, 1),
             ("n2", "MIXED", "MIXED", 0, None, None, None, None, None, None, None, None, None, 8, '{"h100":8}', 2, 12)])
        self.assertEqual(self.rows("SELECT ReasonTime FROM slurm_nodes_trace(?, '+01:00')", path)[0], (1795240434 - 3600,))

    def test_one_a_line(self):
        self.assertEqual(self.rows("SELECT NodeName, State, CPUTot, RealMemory, Partitions, gpus, gpu_type, LastBusyTime FROM slurm_nodes_trace(?) LIMIT 1", NODES),
                         [("n1", "IDLE", 16, 20000, "train", 8, "h100", 1795240724)])
        self.assertEqual(self.one("SELECT count(*) FROM slurm_nodes_trace(?)", NODES), 4)

    def test_the_owner_is_nobody(self):
        """Behind it stands the one name with a "_" in it."""
        self.assertEqual(self.rows("SELECT DISTINCT Owner FROM slurm_nodes_trace(?)", NODES), [(None,)])
        path = self.file("NodeName=a State=IDLE Weight=1 Owner=ada(7) MCS_label=N/A\n", "nodes.txt")
        self.assertEqual(self.rows("SELECT Owner FROM slurm_nodes_trace(?)", path), [("ada(7)",)])

    def test_times_with_a_zone_of_their_own(self):
        """What SLURM_TIME_FORMAT may ask for: the argument is for times without one."""
        for text in ("2026-11-21T05:53:54", "2026-11-21 05:53:54", "2026-11-21T04:53:54Z", "2026-11-21T05:53:54+0100", "2026-11-21T00:53:54-04:00", "1795236834"):
            path = self.file(f"NodeName=a State=DOWN\n   BootTime={text} SlurmdStartTime=None\n   Reason=x [root@{text}]\n", "nodes.txt")
            self.assertEqual(self.rows("SELECT BootTime, ReasonTime, ReasonUser, Reason FROM slurm_nodes_trace(?, '+01:00')", path), [(1795236834, 1795236834, "root", "x")], text)

    def test_what_follows_a_reason_in_its_line(self):
        """With -o a node has one line, and more may follow its reason, which may have had several."""
        head, stamp = "NodeName=a State=DOWN CfgTRES=gres/gpu=8 ", "[root@1795240434]"
        for text, wanted in (
            (f"Reason=xid 79 {stamp}", ("xid 79", "root", 1795240434, None, None)),
            (f"Reason=xid 79 {stamp} Comment=for Ada Extra=rack=7 InstanceId=i-1 InstanceType=p5 ", ("xid 79", "root", 1795240434, "for Ada", "rack=7")),
            (f"Reason=State=bad {stamp} ReservationName=maint", ("State=bad", "root", 1795240434, None, None)),
            (f"Reason=bad {stamp}         see [ticket] 7 Comment=c", ("bad", "root", 1795240434, "c", None)),
            (f"Reason=[GPU@3] lost {stamp}", ("[GPU@3] lost", "root", 1795240434, None, None)),
            ("Reason=no [stamp] [a@b] at all Extra=e ", ("no [stamp] [a@b] at all", None, None, None, "e")),
            ("Comment=Reason=none", (None, None, None, "Reason=none", None)),
        ):
            for tail in ("\n", "\n\n", "\nNodeName=b State=IDLE\n"):
                self.assertEqual(self.rows("SELECT Reason, ReasonUser, ReasonTime, Comment, Extra FROM slurm_nodes_trace(?) LIMIT 1", self.file(head + text + tail, "x")), [wanted], text)
        lines = f"NodeName=a State=DOWN\n   Reason=see Comment=7 {stamp}\n          and Extra lines\n   Comment=Extra=x\n"
        self.assertEqual(self.rows("SELECT Reason, ReasonTime, Comment, Extra FROM slurm_nodes_trace(?)", self.file(lines, "x")), [("see Comment=7", 1795240434, "Extra=x", None)])
        lines = f"NodeName=a State=DOWN\n   CfgTRES=gres/gpu=8\n   Reason=bad {stamp}\n          was State=IDLE CfgTRES=gres/gpu=7\n"
        self.assertEqual(self.rows("SELECT State, gpus FROM slurm_nodes_trace(?)", self.file(lines, "x")), [("DOWN", 8)])

    def test_json_is_the_text(self):
        path = SHARED + "/slurm/sinfo.json"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        sql = "SELECT NodeName, State, state_base, out_of_service, Gres, CfgTRES, Partitions, CPUTot, CPUAlloc, RealMemory, BootTime, SlurmdStartTime, LastBusyTime, Version, OS, Arch, gpus, gpu_types FROM slurm_nodes_trace(?)"
        self.assertEqual(self.rows(sql, path), self.rows(sql, NODES))

    def test_old_json_states(self):
        path = self.file(json.dumps({"nodes": [{"name": "a", "state": "idle", "state_flags": ["DRAIN"], "reason": "x", "reason_changed_at": 1795240434}]}), "x.json")
        self.assertEqual(self.rows("SELECT State, out_of_service, ReasonTime, gpus FROM slurm_nodes_trace(?)", path), [("IDLE+DRAIN", 1, 1795240434, 0)])

    def test_broken(self):
        path = self.file(LINES[:-2], "x")
        self.assertEqual(self.rows("SELECT NodeName FROM slurm_nodes_trace(?)", path), [("n1",)])
        self.assertEqual(self.issues(path), {"unfinished_record": 1})
        for start in ("Nod", "NodeName=", "NodeName=n1 State=IDLE"):
            path = self.file(start, "x")
            self.assertEqual((self.rows("SELECT NodeName FROM slurm_nodes_trace(?)", path), self.issues(path)), ([], {"unfinished_record": 1}), start)
        path = self.file("NodeName=a CPUTot=x\nNodeName=b\nnonsense\nNodeName=c BootTime=noon\nNodeName=d\n", "x")
        self.assertEqual(self.error("SELECT * FROM slurm_nodes_trace(?)", path), f'slurm_nodes_trace: {path}:1:1: expected a whole number for CPUTot, found "x"')
        self.assertEqual([row for row in self.rows("SELECT NodeName FROM slurm_nodes_trace(?) WHERE on_error = 'skip'", path) if row[0] == "d"], [("d",)])


class Mapping(Case):
    def map(self, sacct, events=None, nodes=None):
        for table, function, path in (("slurm_jobs", "slurm_trace", sacct), ("slurm_events", "slurm_events_trace", events), ("slurm_now", "slurm_nodes_trace", nodes)):
            self.db.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM {function}(?)", (path,))
        self.script("formats/slurm.sql")
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'slurm%'"), [])

    def test_capacity_of_nodes(self):
        self.map(JOBS, nodes=NODES)
        self.assertEqual(self.rows("SELECT * FROM capacity"), [("mlpod", "h100", 32, 1795240352, None)])
        self.assertEqual(self.rows("SELECT * FROM outages"), [])
        self.assertEqual(self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category <> 'queued' AND since = 1795240352 AND until = ?", UNTIL), [(32 * (UNTIL - 1795240352),)])

    def test_events_come_first(self):
        self.map(JOBS, EVENTS)
        wanted = [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in ("capacity", "outages")]
        self.map(JOBS, EVENTS, NODES)
        self.assertEqual([self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in ("capacity", "outages")], wanted)

    def test_a_node_that_is_drained(self):
        """From the moment its reason was set, less what a job still holds of it."""
        self.map(JOBS, nodes=self.file(LINES, "nodes.txt"))
        self.assertEqual(self.rows("SELECT chips, start_time FROM capacity"), [(16, 1795240352)])
        held = self.rows("SELECT start_time, end_time FROM allocations WHERE job = '25'")
        self.assertEqual(self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
                         [(8, 1795240434, held[0][0], "hw_down"), (8, held[0][1], None, "hw_down")])

    def test_a_node_that_is_out_without_a_reason(self):
        """Of a reservation for maintenance, or without power: since it was last busy at the earliest, when it was in service."""
        lines = "".join(f"NodeName={name} State={state} CfgTRES=gres/gpu=8 LastBusyTime={busy} BootTime=1795240300{reason}\n" for name, state, busy, reason in (
            ("a", "IDLE+MAINTENANCE+RESERVED", 1795240500, ""), ("b", "IDLE+CLOUD+POWERED_DOWN", 1795240600, ""), ("c", "DOWN", "Unknown", ""),
            ("d", "DOWN", 1795240500, " Reason=x [root@1795240700]")))
        self.map(JOBS, nodes=self.file(lines, "nodes.txt"))
        first = self.one("SELECT min(submit_time) FROM jobs")
        self.assertEqual(self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
                         [(8, first, None, "hw_down"), (8, 1795240500, None, "maintenance"), (8, 1795240600, None, "power_saving"), (8, 1795240700, None, "hw_down")])

    def test_waiting_jobs(self):
        """squeue's pending jobs are queued from Submit to the time of the query."""
        self.map(SQUEUE)
        self.assertEqual(self.rows("SELECT job, chips FROM jobs"), [("11", 8), ("12", 24), ("13", 16)])
        self.assertEqual(self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND as_of = 1795240400 GROUP BY 1"),
                         [("11", 8 * 20), ("13", 16 * 10)])

    def test_attempts_that_were_requeued_or_resized(self):
        """As releases from 23.02 on write them."""
        def job(number, states, submit, start, end, gpus):
            held = [{"type": "gres", "name": "gpu", "count": gpus}]
            return {"job_id": number, "state": {"current": states}, "time": {"submission": submit, "start": start, "end": end}, "tres": {"allocated": held, "requested": held}}
        self.map(self.file(json.dumps({"jobs": [
            job(1, ["PENDING", "REQUEUED"], 1000, 1000, 1100, 8), job(1, ["COMPLETED"], 1100, 1200, 1300, 8),
            job(2, ["PENDING", "RESIZING"], 1000, 1000, 1050, 4), job(2, ["COMPLETED"], 1050, 1050, 1060, 2)]}), "x.json"))
        self.assertEqual(self.rows("SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, start_time"),
                         [("1", 1, 8, 1000, 1100, "preempted"), ("1", 2, 8, 1200, 1300, "completed"), ("2", 1, 4, 1000, 1050, None), ("2", 1, 2, 1050, 1060, "completed")])

    def test_no_resources_exported(self):
        path = self.file("JobIDRaw|State|Submit|Start|End\n1|COMPLETED|1795240300|1795240353|1795240369\n")
        self.map(path)
        self.assertEqual(self.one("SELECT count(*) FROM allocations"), 0)
        self.assertEqual(self.rows("SELECT severity FROM mpg_issues WHERE source = ? AND kind = 'no_tres'", path), [("warning",)])


if __name__ == "__main__":
    unittest.main()
