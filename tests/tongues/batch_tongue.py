"""batch_tongue.py - a fleet as Grid Engine's accounting, Flux' listings and HTCondor's ads tell of it, a cluster for each pool.

As PBS does, they start a job whole. Grid Engine tells of what has ended alone; of Flux each attempt is a job of its own; HTCondor has an
ad for each run. What is installed is given beside them as native records.
"""

import json
import os

from lsf_tongue import Lsf
from story import MILLION


class Batch(Lsf):
    options = {}

    def write(self, folder):
        logs = {server: [] for server in self.server.values()}
        for job in self.number:
            self.records(job, logs[self.pool_of(job)])
        for number, (server, lines) in enumerate(logs.items()):
            os.makedirs(os.path.join(folder, server))
            for name, text in self.files(number, [line for _, line in sorted(lines, key=lambda line: line[0])]):
                with open(os.path.join(folder, server, name), "w", encoding="utf-8") as file:
                    file.write(text)
        self.write_native(folder)
        with open(os.path.join(folder, "fleet.json"), "w", encoding="utf-8") as file:
            json.dump(
                {
                    "sources": [
                        {"path": server, "pool": server, **self.options} for server, lines in logs.items() if lines
                    ]
                    + [{"path": "*.csv"}]
                },
                file,
            )

    def relations(self):
        found = {**self.installed(), "jobs": [], "allocations": []}
        for job in self.number:
            told = {}
            for attempt, (start, end, chips, outcome) in enumerate(self.told(job), 1):
                name, n = self.name_of(job, attempt)
                told.setdefault(name, []).append(chips)
                found["allocations"].append(
                    dict(
                        job=name,
                        attempt=n,
                        pool=self.pool_of(job),
                        chips=chips,
                        start_time=start,
                        end_time=end,
                        outcome="preempted" if outcome == "R" else outcome,
                    )
                )
            for name, held in told.items():
                found["jobs"].append(
                    dict(
                        job=name,
                        submit_time=self.submitted(job),
                        chips=max(held),
                        min_chips=min(held) if len(set(held)) > 1 else None,
                    )
                )
        return found

    def told(self, job):
        return list(self.attempts(job))

    def name_of(self, job, attempt):
        return self.name(job), attempt


class Sge(Batch):
    options = {"consumable": "JOB"}

    def told(self, job):
        return [row for row in self.attempts(job) if row[1] is not None]

    def records(self, job, lines):
        for start, end, chips, outcome in self.told(job):
            failed, status = {"R": (25, 0), "completed": (0, 0), "timeout": (37, 137)}.get(outcome, (0, 1))
            lines.append(
                (
                    end,
                    dict(
                        qname="gpu.q",
                        hostname="n1",
                        group="ml",
                        owner="ann",
                        job_name="train",
                        job_number=self.number[job],
                        account="sge",
                        submission_time=self.submitted(job),
                        start_time=start,
                        end_time=end,
                        failed=failed,
                        exit_status=status,
                        project="research",
                        department="d",
                        granted_pe="NONE",
                        slots=1,
                        task_number=0,
                        category=f"-l gpu={chips},h_rt=999999",
                    ),
                )
            )

    def files(self, number, rows):
        if number % 3 == 1:  # as the Open Cluster Scheduler writes them
            yield "accounting.jsonl", "".join(
                json.dumps({**row, **{key: row[key] * MILLION for key in row if key.endswith("_time")}}) + "\n"
                for row in rows
            )
            return
        scale = 1000 if number % 3 else 1  # UGE's milliseconds
        yield "accounting", "# Version: 8.1\n" + "".join(
            ":".join(
                str(value)
                for value in [
                    row["qname"],
                    row["hostname"],
                    row["group"],
                    row["owner"],
                    row["job_name"],
                    row["job_number"],
                    row["account"],
                    0,
                    *(row[key] * scale for key in ("submission_time", "start_time", "end_time")),
                    row["failed"],
                    row["exit_status"],
                    1.5,
                    *[0] * 17,
                    row["project"],
                    row["department"],
                    row["granted_pe"],
                    row["slots"],
                    row["task_number"],
                    0,
                    0,
                    0,
                    row["category"],
                    0,
                    "NONE",
                    0,
                    0,
                    0,
                ]
            )
            + "\n"
            for row in rows
        )


class Flux(Batch):
    def name_of(self, job, attempt):
        return str(self.number[job] * 1000 + attempt), 1

    def records(self, job, lines):
        results = {"completed": "COMPLETED", "cancelled": "CANCELED", "timeout": "TIMEOUT"}
        for attempt, (start, end, chips, outcome) in enumerate(self.told(job), 1):
            row = dict(
                id=int(self.name_of(job, attempt)[0]),
                name="train",
                username="ann",
                urgency=16,
                nnodes=chips,
                ntasks=1,
                ncores=chips,
                ngpus=chips,
                t_submit=self.submitted(job),
                t_run=start,
                state="RUN" if end is None else "INACTIVE",
            )
            if end is not None:
                row.update(t_cleanup=end, t_inactive=end, result=results.get(outcome, "FAILED"))
            lines.append((start, row))

    def files(self, number, rows):
        yield "jobs.json", json.dumps({"jobs": rows})


class Condor(Batch):
    def name(self, job):
        return f"{self.number[job]}.0"

    def records(self, job, lines):
        for start, end, chips, outcome in self.told(job):
            status = {None: 2, "R": 1, "cancelled": 3, "timeout": 5}.get(outcome, 4)
            lines.append(
                (
                    start,
                    dict(
                        ClusterId=self.number[job],
                        ProcId=0,
                        Owner="ann",
                        JobStatus=status,
                        QDate=self.submitted(job),
                        JobStartDate=start,
                        JobCurrentStartDate=start,
                        CompletionDate=end if status == 4 else 0,
                        EnteredCurrentStatus=end or start,
                        HoldReasonCode=47 if status == 5 else None,
                        ExitBySignal=False,
                        ExitCode=int(outcome != "completed"),
                        RequestGPUs=chips,
                        GPUsProvisioned=chips,
                        NumJobStarts=1,
                        ServerTime=self.story.end // MILLION,
                    ),
                )
            )

    def files(self, number, rows):
        yield "history.json", (
            json.dumps(rows, indent=1) if number % 2 else "".join(json.dumps(row) + "\n" for row in rows)
        )
