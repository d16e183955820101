"""pbs_tongue.py - a fleet as the accounting logs of PBS tell of it, a server for each pool.

PBS starts a job whole and counts in seconds. What goes on after it lost its chips was rerun (R), whatever took them. The logs do not say
what is installed or out of service: that is given beside them as native records.
"""

import csv
import os

from sacct_tongue import down, duration, end_of
from story import MILLION, OPEN, installed, is_whole, microseconds, stamp

EXIT = {"completed": 0, "failed": 1, "cancelled": 271, "timeout": -29}


class Pbs:
    def __init__(self, story):
        self.story = story
        self.server = {pool: f"s{i}" for i, pool in enumerate(sorted({row["pool"] for row in story.capacity}))}
        self.chip = {row["pool"]: row["chip"] for row in story.capacity}
        self.number = {
            job: 2000 + i
            for i, job in enumerate(job for job in story.jobs if is_whole(story, job))
            if story.runs.get(job)
        }

    def name(self, job):
        return f"{self.number[job]}.{self.server[self.story.runs[job][0].pool]}"

    def wanted(self, job):
        asked = self.story.jobs[job]["chips"]
        return int(float(asked)) if asked else int(max(p[2] for run in self.story.runs[job] for p in run.pieces))

    def submitted(self, job):
        row = self.story.jobs[job]
        return down(microseconds(row["submit_time"]) if row["submit_time"] else self.story.runs[job][0].start)

    def attempts(self, job):
        """(start, end, chips, outcome): of those that another one follows R, of one that runs None."""
        runs = self.story.runs[job]
        for n, run in enumerate(runs):
            for i, (start, end, chips) in enumerate(run.pieces):
                whole = i == len(run.pieces) - 1
                again = not whole or n < len(runs) - 1 or run.outcome in ("preempted", "node_fail")
                yield down(start), end_of(runs, n) if whole else down(end), int(chips), "R" if again else run.outcome

    def write(self, folder, window=(0, 1 << 40), now=None):
        """The records of a window (since, until), in seconds; each file goes on where it is there."""
        records = {server: [] for server in self.server.values()}
        for job in self.number:
            self.records(job, records[self.name(job).split(".")[1]])
        for server, lines in records.items():
            lines = [(at, text) for at, text in lines if window[0] <= at < window[1]]
            for day in sorted({stamp(at * MILLION, "%Y%m%d", 0) for at, _ in lines}):
                os.makedirs(os.path.join(folder, server), exist_ok=True)
                with open(os.path.join(folder, server, day), "a", encoding="utf-8") as file:
                    file.writelines(
                        text + "\n"
                        for at, text in sorted(lines, key=lambda r: r[0])
                        if stamp(at * MILLION, "%Y%m%d", 0) == day
                    )
        self.write_native(folder)

    def write_native(self, folder):
        """What is installed and out of service, as CSV."""
        for relation, columns in (
            ("capacity", "pool chip chips start_time end_time"),
            ("outages", "pool chips start_time end_time kind"),
        ):
            with open(os.path.join(folder, relation + ".csv"), "w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, columns.split())
                table.writeheader()
                table.writerows(self.installed()[relation])

    def records(self, job, lines):
        name, server = self.name(job), self.server[self.story.runs[job][0].pool]
        wanted, chip = self.wanted(job), self.chip[self.story.runs[job][0].pool]
        asked = (
            f"Resource_List.ngpus={wanted} Resource_List.nodect=1 Resource_List.select=1:ngpus={wanted}:gpu_type={chip}"
        )
        ctime, host = self.submitted(job), f"{server}n{self.number[job]}"
        common = f'user=ann group=ml account="research" project=_pbs_project_default jobname=train queue=gpu ctime={ctime} qtime={ctime} etime={ctime}'

        def record(at, kind, text):
            lines.append((at, f"{stamp(at * MILLION, '%m/%d/%Y %H:%M:%S', 0)};{kind};{name};{text}"))

        record(ctime, "Q", f"{common} {asked}")
        for start, end, chips, outcome in self.attempts(job):
            held = (
                f"{common} start={start} exec_host={host}/0*{chips} exec_vnode=({host}:ngpus={chips}) {asked} "
                f"Resource_List.walltime=96:00:00 resource_assigned.ngpus={chips}"
            )
            record(start, "S", held)
            if end is None:
                continue
            if outcome == "cancelled":
                record(end, "D", "requestor=ann@login1")
            used = f"Exit_status={EXIT.get(outcome, -11)} resources_used.walltime={duration(end - start)} run_count=1"
            record(end, "R" if outcome == "R" else "E", f"{held} session=4107 end={end} {used}")

    def installed(self):
        found = {"capacity": [], "outages": []}
        for pool, server in self.server.items():
            steps = [(down(at), chips) for at, chips in installed(self.story, pool)]
            for (start, chips), (end, _) in zip(steps, steps[1:] + [(None, 0)]):
                found["capacity"].append(
                    dict(pool=server, chip=self.chip[pool], chips=chips, start_time=start, end_time=end)
                )
        for outage in self.story.outages:
            found["outages"].append(
                dict(
                    pool=self.server[outage.pool],
                    chips=outage.chips,
                    kind=outage.kind,
                    start_time=down(outage.start),
                    end_time=None if outage.end >= OPEN else down(outage.end),
                )
            )
        return found

    def relations(self):
        """What the files say, in the words of docs/formats/pbs.md."""
        found = {**self.installed(), "jobs": [], "allocations": []}
        for job in self.number:
            rows, wanted, name = list(self.attempts(job)), self.wanted(job), self.name(job)
            pool, held = name.split(".")[1], [row[2] for row in rows]
            found["jobs"].append(
                dict(
                    job=name,
                    submit_time=self.submitted(job),
                    chips=wanted,
                    min_chips=min(held) if min(held) != wanted or max(held) != wanted else None,
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
            if rows[-1][3] == "R":  # it waits to be rerun, for as long as the log goes
                found["allocations"].append(
                    dict(job=name, attempt=len(rows) + 1, pool=pool, chips=0, start_time=rows[-1][1])
                )
        return found
