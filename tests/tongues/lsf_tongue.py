"""lsf_tongue.py - a fleet as LSF's logs tell of it, a cluster for each pool: lsb.acct of jobs that ended, lsb.events of every start.

As PBS does, LSF starts a job whole and counts in seconds; what goes on after it lost its chips was requeued. What is installed or
out of service is given beside the logs as native records.
"""

import json
import os

from pbs_tongue import Pbs
from story import MILLION

ENDS = {
    "completed": (64, 0),
    "failed": (32, 0),
    "cancelled": (32, 14),
    "timeout": (32, 5),
    "R": (32, 1),
}  # jStatus, exitInfo


class Lsf(Pbs):
    def name(self, job):
        return str(self.number[job])

    def pool_of(self, job):
        return self.server[self.story.runs[job][0].pool]

    def write(self, folder, window=(0, 1 << 40), now=None):
        """The records of a window (since, until), in seconds."""
        logs = {server: {"lsb.acct": [], "lsb.events": []} for server in self.server.values()}
        for job in self.number:
            self.records(job, logs[self.pool_of(job)])
        last = self.story.end // MILLION
        for server, files in logs.items():
            files["lsb.events"].append((last, f'"MBD_DIE" "10.113" {last} "master" 1 0'))
            os.makedirs(os.path.join(folder, server), exist_ok=True)
            for name, lines in files.items():
                lines.sort(key=lambda line: line[0])
                events = name == "lsb.events"
                with open(os.path.join(folder, server, name), "w", encoding="utf-8") as file:
                    file.write("# 0\n" if events else "")
                    file.writelines(text + "\n" for text in self.told(lines, *window, events))
        self.write_native(folder)
        with open(os.path.join(folder, "fleet.json"), "w", encoding="utf-8") as file:
            json.dump({"sources": [{"path": server, "pool": server} for server in logs] + [{"path": "*.csv"}]}, file)

    def told(self, lines, since, until, events):
        """The lines of a window. Events begin with those of the jobs that were not over when the log was switched."""
        over = {}  # when a job was over
        for at, text in lines if events else []:
            kind, _, _, job, status = text.split()[:5]
            if kind == '"JOB_STATUS"':
                over[job] = at if status in ("64", "32") else 1 << 40
        for at, text in lines:
            if since <= at < until or events and at < since and over.get(text.split()[3], 1 << 40) >= since:
                yield text

    def records(self, job, logs):
        number, rows = self.number[job], list(self.attempts(job))
        submitted, wanted = self.submitted(job), self.wanted(job)
        limits = "-1 " * 12
        logs["lsb.events"].append(
            (
                submitted,
                f'"JOB_NEW" "10.113" {submitted} {number} 1001 0 {wanted} {submitted} 0 0 0 0 0 "ann" {limits}"" 0.0 18 "gpu" '
                f'"rusage[ngpus_physical=1/task]" "login" "w" "" "" "" "" "" "{submitted}.{number}" 0 "" "" "train" "run ""x""" 0 "" "research" 0 {wanted}',
            )
        )
        for start, end, chips, outcome in rows:
            asks, hosts = "select[type == any] rusage[ngpus_physical=1.00/task] ", f'1 "{chips}*h1"'
            logs["lsb.events"].append(
                (
                    start,
                    f'"JOB_START" "10.113" {start} {number} 4 0 0 60.0 {hosts} "" "" 0 "" 0 "" 0 0 -1 "" "{asks}" 0',
                )
            )
            if end is None:
                continue
            status, info = ENDS.get(outcome, ENDS["failed"])
            logs["lsb.events"].append(
                (
                    end,
                    f'"JOB_STATUS" "10.113" {end} {number} {status} 0 0 1.0 {end} 0 {int(status == 32) * 256} 0 {info}',
                )
            )
            if outcome == "R":
                logs["lsb.events"].append((end, f'"JOB_STATUS" "10.113" {end} {number} 1 0 0 0.0 0 0 0 0 0'))
                continue
            logs["lsb.acct"].append(
                (
                    end,
                    f'"JOB_FINISH" "10.113" {end} {number} 1001 0 {wanted} {submitted} 0 0 {start} "ann" "gpu" "" "" "" "login" "w" "" "" "" "{submitted}.{number}" 0 '
                    f'{hosts} {status} 60.0 "train" "run ""x""" '
                    + "0 " * 19
                    + f'"" "research" {int(status == 32) * 256} {wanted} "" "" 0 0 0 "" "" "" "" 0 "" {info} "" -1 "" "" "" "" -1 '
                    f'"" "" 0 "" {start} "" "" 0 0 7200 0 1024 "{asks}" "" -1 "" -1 0 "" 0 0 "" {end - start} "w" 0 "" 0.0 0.0 0.0 0.0 0.0 1 "h1" -1 0 0 0 0 0',
                )
            )

    def relations(self):
        """What the logs say, in the words of docs/formats/lsf.md."""
        found = {**self.installed(), "jobs": [], "allocations": []}
        for job in self.number:
            rows, name, pool = list(self.attempts(job)), self.name(job), self.pool_of(job)
            held = [row[2] for row in rows]
            found["jobs"].append(
                dict(
                    job=name,
                    submit_time=self.submitted(job),
                    chips=held[-1],
                    min_chips=min(held) if len(set(held)) > 1 else None,
                )
            )
            for attempt, (start, end, chips, outcome) in enumerate(rows, 1):
                found["allocations"].append(
                    dict(
                        job=name,
                        attempt=attempt,
                        pool=pool,
                        chips=chips,
                        start_time=start,
                        end_time=end,
                        outcome="preempted" if outcome == "R" else outcome,
                    )
                )
            if rows[-1][3] == "R":  # it waits to be started again
                found["allocations"].append(
                    dict(job=name, attempt=len(rows) + 1, pool=pool, chips=0, start_time=rows[-1][1])
                )
        return found
