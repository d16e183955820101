"""Jobs of Slurm in lines of NAME=VALUE: scontrol show job, and the log of jobcomp/filetxt, beside the JSON of squeue and sacct of the same jobs."""

import datetime
import json
import os
import unittest

import slurm_cluster
from slurm import Case

NOW = 1767700000
UNIT = {
    "": "UserId={user}({uid}) GroupId=users(100) MCS_label=N/A",
    "priority": "Priority=4294901759 Nice=0 Account={account} QOS=normal",
    "state": "JobState={state} Reason={reason} Dependency=(null)",
    "requeue": "Requeue=1 Restarts={restarts} BatchFlag=1 Reboot=0 ExitCode=0:0",
    "run": "RunTime={run} TimeLimit=1-02:00:00 TimeMin=N/A",
    "submit": "SubmitTime={submit} EligibleTime={submit}",
    "accrue": "AccrueTime={submit}",
    "start": "StartTime={start} EndTime={end} Deadline=N/A",
    "partition": "Partition=gpu AllocNode:Sid=login:77",
    "requested": "ReqNodeList=(null) ExcNodeList=(null)",
    "nodes": "NodeList={nodes}",
    "count": "NumNodes={count} NumCPUs=16 NumTasks={tasks} CPUs/Task=2 ReqB:S:C:T=0:0:*:*",
    "tres": "{tres}",
    "socket": "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
    "features": "Features=(null) DelayBoot=00:00:00",
    "comment": "Comment=first try = 1 of 2",
    "command": "Command=(null)",
    "dir": "WorkDir=/home/a b",
    "power": "Power=",
    "gres": "{gres}",
}


def clock(at):
    return "Unknown" if at is None else datetime.datetime.utcfromtimestamp(at).strftime("%Y-%m-%dT%H:%M:%S")


def shown(job, line=False):
    """A job as `scontrol show job` shows it, with `line` as its -o does."""
    ids = f"JobId={job['id']}" + "".join(f" {key}={value}" for key, value in job.get("ids", ()))
    lines = [f"{ids} JobName={job['name']}"] + job.get("more", [])
    of = dict(job, submit=clock(job["submit"]), start=clock(job["start"]), end=clock(job["end"]))
    lines += [text.format(**of) for text in UNIT.values()]
    return (" ".join(lines) + " \n") if line else ("\n   ".join(lines) + "\n   \n\n")


def squeue(jobs):
    """The same as the JSON of squeue."""
    of = []
    for job in jobs:
        ids = dict(job.get("ids", ()))
        tres = dict(part.split("=", 1) for part in job["tres"].split() if part)
        gres = dict(part.split("=", 1) for part in job["gres"].split() if part)
        of.append(
            {
                "account": job["account"],
                "array_job_id": int(ids.get("ArrayJobId", 0)),
                "array_task_id": int(ids["ArrayTaskId"]) if ids.get("ArrayTaskId", "").isdigit() else None,
                "array_task_string": ids["ArrayTaskId"] if not ids.get("ArrayTaskId", "0").isdigit() else "",
                "comment": "first try = 1 of 2",
                "cpus": 16,
                "current_working_directory": "/home/a b",
                "eligible_time": job["submit"],
                "end_time": job["end"] or 0,
                "exit_code": 0,
                "group_id": 100,
                "group_name": "users",
                "het_job_id": int(ids.get("HetJobId", 0)),
                "het_job_offset": int(ids.get("HetJobOffset", 0)),
                "job_id": job["id"],
                "job_state": job["state"],
                "name": job["name"],
                "node_count": int(job["count"].partition("-")[0]),
                "nodes": "" if job["nodes"] == "(null)" else job["nodes"],
                "partition": "gpu",
                "priority": 4294901759,
                "qos": "normal",
                "restart_cnt": job["restarts"],
                "start_time": job["start"] or 0,
                "state_reason": job["reason"],
                "submit_time": job["submit"],
                "tasks": job["tasks"],
                "time_limit": 26 * 60,
                "tres_alloc_str": tres.get("AllocTRES", ""),
                "tres_per_node": gres.get("TresPerNode", ""),
                "tres_per_task": gres.get("TresPerTask", ""),
                "tres_req_str": tres.get("ReqTRES", tres.get("TRES", "")),
                "user_id": job["uid"],
                "user_name": job["user"],
            }
        )
    return json.dumps({"meta": {"Slurm": {}}, "jobs": of, "last_update": NOW})


def a_job(number, state="RUNNING", **of):
    waits = state == "PENDING"
    told = dict(user="alice", uid=1000, account="ml", reason="None", restarts=0, run="00:00:00", count="2", tasks=16)
    when = dict(submit=NOW - 5000, start=None if waits else NOW - 3723, end=None if waits else NOW + 80000)
    where = dict(nodes="(null)" if waits else "gpu[01-02]", tres="", gres="")
    return {"id": number, "name": f"job{number}", "state": state, **told, **when, **where, **of}


JOBS = [
    a_job(10, run="01:02:03", tres="TRES=cpu=16,mem=4G,node=2,billing=16", gres="TresPerNode=gres:gpu:h100:8"),
    a_job(11, tres="ReqTRES=cpu=16,node=2,gres/gpu=16 AllocTRES=cpu=16,node=2,gres/gpu=16,gres/gpu:a100=16", gres="TresPerNode=gres/gpu:8"),
    a_job(12, "COMPLETED", end=NOW - 100, run="01:00:23", name="with a blank, k=v", tres="TRES=cpu=16,node=2,gres/gpu=4", restarts=2),
    a_job(13, "PENDING", count="2-4", reason="Nodes required for job are DOWN", gres="TresPerTask=gres:gpu:1"),
    a_job(14, "PENDING", ids=(("ArrayJobId", "14"), ("ArrayTaskId", "3-9%2"), ("ArrayTaskThrottle", "2")), gres="TresPerNode=gres:gpu:1"),
    a_job(15, ids=(("ArrayJobId", "14"), ("ArrayTaskId", "2"), ("ArrayTaskThrottle", "2")), gres="TresPerNode=gres:gpu:1"),
    a_job(16, ids=(("HetJobId", "16"), ("HetJobOffset", "0")), more=["HetJobIdSet=16-17"], gres="TresPerNode=gres:gpu:4"),
    a_job(17, ids=(("HetJobId", "16"), ("HetJobOffset", "1")), more=["HetJobIdSet=16-17"], count="1", nodes="cpu1"),
    a_job(18, "CANCELLED", start=NOW - 400, end=NOW - 400, nodes="(null)", gres="TresPerNode=gres:gpu:8"),
    a_job(19, "TIMEOUT", end=NOW - 10, tres="AllocTRES=cpu=16,node=2,gres/gpu=2", user="bob", uid=1001),
]  # fmt: skip

COMPLETED = (  # number, state, submitted, start, end, nodes, how many, chips, more
    (1, "COMPLETED", 1000, 1100, 2100, "n[1-2]", 2, 16, ""),
    (2, "FAILED", 1000, 1200, 1300, "n3", 1, 8, ""),
    (2, "PREEMPTED", 1300, 1400, 1500, "n3", 1, 8, ""),
    (3, "PENDING", 1000, 1500, 1600, "n4", 1, 8, ""),  # requeued
    (3, "NODE_FAIL", 1600, 1700, 1800, "n4", 1, 8, ""),
    (5, "TIMEOUT", 1000, 1100, 1900, "n5", 1, 4, " ArrayJobId=4 ArrayTaskId=7"),
    (6, "CANCELLED", 1000, 1500, 1500, "(null)", 0, 8, ""),
)


def completions(rows=COMPLETED, names="{}"):
    """The log of jobcomp/filetxt."""
    return "".join(
        f"JobId={number} UserId=alice(1000) GroupId=(null)(100) Name={names.format(number)} JobState={state} Partition=gpu TimeLimit=30 "
        f"StartTime={clock(NOW + start)} EndTime={clock(NOW + end)} NodeList={nodes} NodeCnt={count} ProcCnt=8 WorkDir=/home/a b "
        f"ReservationName= Tres=cpu=8,node={max(1, count)},gres/gpu={chips} Account=ml QOS=normal WcKey= Cluster=c "
        f"SubmitTime={clock(NOW + submit)} EligibleTime={clock(NOW + submit)}{more} DerivedExitCode=0:0 ExitCode=0:0 \n"
        for number, state, submit, start, end, nodes, count, chips, more in rows
    )


def accounted():
    """The same attempts as sacct -P."""
    head = (
        "Cluster|JobIDRaw|JobID|JobName|User|Account|QOS|Partition|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
    )
    return head + "".join(
        f"c|{number}|{'4_7' if more else number}|{number}|alice|ml|normal|gpu|{'REQUEUED' if state == 'PENDING' else state}|{clock(NOW + submit)}|"
        f"{clock(NOW + start) if count else 'None'}|{clock(NOW + end)}|gres/gpu={chips}|{f'gres/gpu={chips}' if count else ''}|{nodes if count else 'None assigned'}\n"
        for number, state, submit, start, end, nodes, count, chips, more in COMPLETED
    )


class Shown(Case):
    def records(self, text, but=("last_update", "Elapsed")):
        cursor = self.db.execute("SELECT * FROM slurm_trace(?)", (self.file(text, "jobs.txt"),))
        names = [column[0] for column in cursor.description]
        return [{k: v for k, v in zip(names, row) if k not in but and v not in (None, "")} for row in cursor]

    def figures(self, text, **options):
        path = self.file(text, "jobs.txt")
        if options:
            path = self.file(json.dumps({"sources": [{"path": path, **options}]}), "fleet.json")
        return self.rows(
            "SELECT pool, job, name, owner, attempt, category, cause, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 5, 6, 7",
            path,
        )

    def test_as_the_json_of_squeue(self):
        told = self.records(squeue(JOBS))
        self.assertEqual(len(JOBS), len(told))
        self.assertEqual([16, 16, 4, 0, 0, 2, 8, 0, 0, 2], [record["alloc_gpus"] for record in told])
        for line in (False, True):
            text = "".join(shown(job, line) for job in JOBS)
            for form in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
                self.assertEqual(told, self.records(form))
        self.assertEqual([(3723,)], self.rows("SELECT Elapsed FROM slurm_trace(?) WHERE JobID = '10'", self.file(text)))

    def test_jobs_that_run(self):
        """They have run for their RunTime when they were shown, which ends the observation."""
        self.assertEqual(
            [("slurm", "10", "job10", "ml", 1, "untraced", None, 16 * 3723 * 10**6)],
            [row for row in self.figures(shown(JOBS[0])) if row[5] != "queued"],
        )

    def test_jobs_that_were_suspended(self):
        """What a job had run for when it was suspended or went on, and since when it goes on, tell how long it stood still."""
        start, on = NOW - 15000, NOW - 4200  # it ran for an hour, and runs again for 70 minutes
        job = a_job(10, submit=start, start=start, run="02:10:00", tres="AllocTRES=node=2,gres/gpu=16")
        stood = on - start - 3600
        for text in (
            shown({**job, "more": [f"SuspendTime={clock(on)} SecsPreSuspend=3600"]}),
            shown({**job, "more": [f"SuspendTime={clock(on)} SecsPreSuspend=3600"]}, True),
            squeue([job]).replace('"job_id"', f'"suspend_time": {on}, "pre_sus_time": 3600, "job_id"'),
            squeue([job]).replace(
                '"job_id"',
                f'"suspend_time": {{"set": true, "infinite": false, "number": {on}}}, "pre_sus_time": 3600, "job_id"',
            ),
        ):
            path = self.file(text, "jobs.txt")
            self.assertEqual([(stood,)], self.rows("SELECT Suspended FROM slurm_trace(?)", path))
            self.assertEqual([("untraced", 16 * 15000)], self.rows(
                "SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1", path
            ))  # fmt: skip
            self.assertIn(
                f"for {stood} s in all: they held their chips meanwhile ({16 * stood} chip-seconds)",
                self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'suspended_job'", path),
            )
        ended = shown(
            {**job, "state": "COMPLETED", "end": NOW, "more": [f"SuspendTime={clock(on)} SecsPreSuspend=3600"]}
        )
        self.assertEqual([("untraced", 16 * 15000)], self.rows(
            "SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1", self.file(ended, "jobs.txt")
        ))  # fmt: skip
        self.assertEqual([], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'conflict'"))
        for state, more in (  # it may stand still since then, never did, or says what cannot be
            ("SUSPENDED", f"SuspendTime={clock(on)} SecsPreSuspend=3600"),
            ("RUNNING", "SuspendTime=None SecsPreSuspend=0"),
            ("RUNNING", f"SuspendTime={clock(start - 1)} SecsPreSuspend=0"),
            ("RUNNING", f"SuspendTime={clock(on)} SecsPreSuspend=99999"),
            ("PENDING", f"SuspendTime={clock(on)} SecsPreSuspend=3600"),
        ):
            text = shown({**job, "state": state, "more": [more]})
            self.assertEqual(
                [(None,)], self.rows("SELECT Suspended FROM slurm_trace(?)", self.file(text)), (state, more)
            )

    def test_completions_as_sacct(self):
        log = completions()
        self.assertEqual(self.figures(accounted()), self.figures(log))
        self.assertEqual(
            ("slurm", "sure", "zone"),
            self.rows("SELECT format, certainty, missing FROM trace_sources(?)", self.file(log))[0],
        )
        self.rows("SELECT count(*) FROM slurm_trace(?)", self.file(log.replace(",gres/gpu", ",gres/tape")))
        self.assertEqual([("no_tres",)], self.rows("SELECT kind FROM mpg_issues ORDER BY listed DESC LIMIT 1"))
        hours = lambda text, zone: self.figures(text, zone=zone)
        self.assertEqual(hours(accounted(), "Europe/Berlin"), hours(log, "Europe/Berlin"))

    def test_cut_lines(self):
        """slurmctld writes 1023 bytes of a line: the next job follows in it, and no part of a number counts."""
        whole = completions(names="x" * 600).splitlines(True)
        self.assertTrue(all(len(line) < 1023 for line in whole))
        first = whole[0]
        for end in range(
            first.index("gres/gpu=16") + len("gres/gpu=1"), first.index("gres/gpu=16") + len("gres/gpu=16 Acc")
        ):
            cut = self.records(first[:end] + "".join(whole[1:]))
            self.assertEqual(self.records("".join(whole[1:])), cut[1:])
            self.assertEqual(
                first[:end].endswith(("16 ", "16 A", "16 Ac", "16 Acc")), "req_gpus" in cut[0], first[end - 20 : end]
            )
            self.assertEqual(
                1, self.one("SELECT count FROM mpg_issues WHERE kind = 'missing_field' ORDER BY listed DESC LIMIT 1")
            )

    def test_a_last_line_that_is_not_whole(self):
        text = "".join(shown(job) for job in JOBS[:2]) + shown(JOBS[2]).rstrip()[:-20]
        self.assertEqual(2, len(self.records(text)))
        self.assertEqual(
            1, self.one("SELECT count FROM mpg_issues WHERE kind = 'unfinished_record' ORDER BY listed DESC LIMIT 1")
        )
        self.assertEqual(len(COMPLETED), len(self.records(completions()[:-1])))
        self.assertEqual(len(COMPLETED) - 1, len(self.records(completions()[:-9])))

    def test_errors(self):
        good = shown(JOBS[0])
        for text, line, why in (
            (good.replace("StartTime=2026", "StartTime=soon"), 1, 'expected a time such as 2026-11-21T05:12:40 for StartTime, found "soon-'),
            (good.replace("RunTime=01:02:03", "RunTime=long"), 1, 'expected a duration such as 1-02:03:04 for RunTime, found "long"'),
            (good.replace("NumNodes=2", "NumNodes=two"), 1, 'expected a whole number for NumNodes, found "two"'),
            (good.replace("JobState=", "State="), 1, "expected a job with JobState=, found none"),
            (good + "slurm_load_jobs error: gone\n", good.count("\n") + 1, "expected a job of scontrol show job or of jobcomp/filetxt, such as JobId=1"),
            (good.replace("JobId=10", "JobId=ten"), 1, 'expected a whole number for JobId, found "ten"'),
        ):  # fmt: skip
            path = self.file(text, "bad.txt")
            error = self.error("SELECT * FROM slurm_trace(?)", path)
            self.assertIn(f"{path}:{line}:1: {why}", error)
            path = self.file(text + shown(JOBS[1]), "bad.txt")
            kept = self.rows("SELECT JobID FROM slurm_trace(?) WHERE on_error = 'skip'", path)
            self.assertEqual("11", kept[-1][0], text)
            self.assertEqual(
                1, self.one("SELECT count FROM mpg_issues WHERE kind = 'skipped_record' AND source = ?", path)
            )

    def test_a_real_slurm(self):
        """Where its programs are: what scontrol shows, in both forms, is what squeue's JSON tells."""
        if slurm_cluster.missing():
            self.skipTest(slurm_cluster.missing())
        told = slurm_cluster.run(
            "set -eu\ncd /tmp\nsbatch -Q -n1 -J 'a b=c' --comment 'x = y' -o /dev/null --wrap 'sleep 30'\n"
            "sbatch -Q -n1 -J tasks --array=1-4%1 -o /dev/null --wrap 'sleep 30'\n"
            "sbatch -Q -n1 -H -J het -o /dev/null : -n1 --wrap true\nuntil squeue -h -t R | grep -q .; do sleep 0.2; done\n"
            "squeue --json\necho cut\nscontrol show job\necho cut\nscontrol -o show job\n",
            "/tmp",
            dict(os.environ),
        )
        document, lines, line = told.split("cut\n")
        # Of these, scontrol shows others, or none.
        but = (
            "last_update",
            "Elapsed",
            "Cluster",
            "DerivedExitCode",
            "ExitCode",
            "Flags",
            "StdErr",
            "StdIn",
            "StdOut",
            "ReqTRES",
        )
        wanted = sorted(self.records(document, but), key=lambda record: record["JobIDRaw"])
        self.assertGreater(len(wanted), 3)
        for text in (lines, line):
            self.assertEqual(wanted, sorted(self.records(text, but), key=lambda record: record["JobIDRaw"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
