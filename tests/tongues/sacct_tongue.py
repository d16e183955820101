"""sacct_tongue.py - a fleet as Slurm's accounting tells of it: `sacct -P` of its jobs, `sacctmgr -P show event` of its nodes.

A pool is a cluster, a chip is a node with one GPU. Slurm starts a job whole and counts in seconds: what a job held before its gang was
complete is nobody's, a job that lost a chip and went on has ended NODE_FAIL and begun again, and an elastic one was resized.
"""

import os

from story import MILLION, OPEN, installed, is_whole, microseconds, node_list, put_on_nodes

STATES = {
    "completed": "COMPLETED",
    "failed": "FAILED",
    "cancelled": "CANCELLED by 1001",
    "preempted": "PREEMPTED",
    "timeout": "TIMEOUT",
    "node_fail": "NODE_FAIL",
}
COLUMNS = (
    "JobIDRaw|JobID|JobName|Cluster|User|Account|State|Submit|Start|End|ElapsedRaw|NNodes|ReqTRES|AllocTRES|NodeList"
)
EVENTS = "Cluster|Cluster Nodes|Event|NodeName|TimeStart|TimeEnd|Duration|Reason|State|User|TRES"
REASONS = {"hw_down": ("DOWN", "Not responding"), "maintenance": ("DRAIN", "firmware upgrade")}


def down(at):
    return at // MILLION


def up(at):
    return -(-at // MILLION)


def duration(seconds):
    """As Slurm writes it: 1-02:03:04."""
    days, rest = divmod(seconds, 86400)
    return (f"{days}-" if days else "") + f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def end_of(runs, n):
    """The controller ends a job itself, or learns of its end a moment later; before it begins anew."""
    end, then = runs[n].end, runs[n + 1 : n + 2]
    if end >= OPEN:
        return None
    return (
        down(end) if runs[n].outcome in ("node_fail", "preempted") else min([up(end)] + [down(r.start) for r in then])
    )


class Slurm:
    JOBS = COLUMNS

    def __init__(self, story):
        self.story = story
        pools = sorted({row["pool"] for row in story.capacity})
        self.cluster = {pool: f"c{i}" for i, pool in enumerate(pools)}
        self.chip = {row["pool"]: row["chip"] for row in story.capacity}
        self.number = {
            job: 1000 + i
            for i, job in enumerate(job for job in story.jobs if is_whole(story, job))
            if story.runs.get(job)
        }
        put_on_nodes(story, self.number)

    def pool(self, pool):
        """The pool's name in the ledger."""
        return self.cluster[pool]

    def node(self, pool, numbers):
        return node_list("n", numbers)

    def pool_of(self, job):
        return self.pool(self.story.runs[job][0].pool)

    def name(self, job):
        return f"{self.pool_of(job)}/{self.number[job]}"

    def log_name(self, job):
        return f"slurm-{self.number[job]}.out"

    def tres(self, pool, chips):
        return f"billing={int(chips)},gres/gpu={int(chips)},gres/gpu:{self.chip[pool]}={int(chips)},node={int(chips)}"

    def attempts(self, job):
        """(submitted, start, end, state, chips, nodes) of each row that sacct -D writes; None for an end that is not yet."""
        row = self.story.jobs[job]
        submitted = down(microseconds(row["submit_time"]) if row["submit_time"] else self.story.runs[job][0].start)
        runs = self.story.runs[job]
        for n, run in enumerate(runs):
            for i, (start, end, chips) in enumerate(run.pieces):
                last = i == len(run.pieces) - 1
                state = "RESIZING" if not last else STATES[run.outcome] if run.outcome else "RUNNING"
                ended = end_of(runs, n) if last else down(end)
                yield submitted, down(start), ended, state, chips, run.nodes[i]
                submitted = submitted if not last or ended is None else ended

    def write(self, folder, window=None, now=None):
        """What sacct and sacctmgr say `now`, of all of the fleet's time or of a window (since, until) of it, in seconds."""
        end = up(self.story.end)
        since, until = window or (0, end)
        now = end if now is None else now
        name = f"-{since}" if window else ""
        self.write_jobs(os.path.join(folder, f"sacct{name}"), self.job_rows(since, until, now))
        with open(os.path.join(folder, f"events{name}.psv"), "w", encoding="utf-8") as file:
            print(EVENTS, *("|".join(map(str, row)) for row in self.event_rows(since, until, now)), sep="\n", file=file)

    def write_jobs(self, path, rows):
        with open(path + ".psv", "w", encoding="utf-8") as file:
            print(self.JOBS, *("|".join(map(str, row)) for row in rows), sep="\n", file=file)

    def job_rows(self, since, until, now):
        """A job is of the windows in which it was submitted, waited or ran."""
        for job, number in self.number.items():
            row, pool = self.story.jobs[job], self.story.runs[job][0].pool
            named = number, number, row["name"].replace("|", "/"), self.cluster[pool], row["owner"], "research"
            asked = self.tres(pool, self.wanted(job))
            for submitted, start, ended, state, chips, nodes in self.attempts(job):
                held = self.tres(pool, chips), self.node(pool, nodes)
                if submitted >= until or (ended is not None and ended < since):
                    continue
                if start >= now:
                    yield *named, "PENDING", submitted, "Unknown", "Unknown", 0, int(chips), asked, "", "None assigned"
                elif ended is None or ended > now:
                    yield *named, "RUNNING", submitted, start, "Unknown", now - start, int(chips), asked, *held
                else:
                    yield *named, state, submitted, start, ended, ended - start, int(chips), asked, *held

    def event_rows(self, since, until, now):
        for cluster, nodes, event, node, start, end, *rest in self.events():
            if start < until and (end is None or end >= since):
                ended = end is not None and end <= now
                lasted = duration((end if ended else now) - start)
                yield cluster, nodes, event, node, start, end if ended else "Unknown", lasted, *rest

    def events(self):
        """The columns of an event but for how long it lasted; None for an end that is not yet."""
        for pool, cluster in self.cluster.items():
            steps = [(down(at), chips) for at, chips in installed(self.story, pool)]
            for (start, chips), (end, _) in zip(steps, steps[1:] + [(None, 0)]):
                told = "Cluster Registered TRES", "", "", self.tres(pool, chips)
                yield cluster, f"n[1-{chips}]", "Cluster", "", start, end, *told
        for outage in self.story.outages:
            state, reason = REASONS[outage.kind]
            for node in outage.nodes:
                end = None if outage.end >= OPEN else down(outage.end)
                told = reason, state, "root(0)", self.tres(outage.pool, 1)
                yield self.cluster[outage.pool], "", "Node", self.node(outage.pool, [node]), down(
                    outage.start
                ), end, *told

    def wanted(self, job):
        asked = self.story.jobs[job]["chips"]
        return float(asked) if asked else max(p[2] for run in self.story.runs[job] for p in run.pieces)

    def outages(self):
        for outage in self.story.outages:
            yield dict(
                pool=self.pool(outage.pool),
                chips=outage.chips,
                kind=outage.kind,
                start_time=down(outage.start),
                end_time=None if outage.end >= OPEN else down(outage.end),
            )

    def relations(self):
        """What the files say, in the words of docs/formats/slurm.md."""
        story, found = self.story, {"capacity": [], "outages": [], "jobs": [], "allocations": []}
        for pool in self.cluster:
            steps = [(down(at), chips) for at, chips in installed(story, pool)]
            for (start, chips), (end, _) in zip(steps, steps[1:] + [(None, 0)]):
                found["capacity"].append(
                    dict(pool=self.pool(pool), chip=self.chip[pool], chips=chips, start_time=start, end_time=end)
                )
        found["outages"] = list(self.outages())
        for job in self.number:
            rows = list(self.attempts(job))
            held, wanted = [row[4] for row in rows], self.wanted(job)
            found["jobs"].append(
                dict(
                    job=self.name(job),
                    submit_time=min(row[0] for row in rows),
                    chips=wanted,
                    min_chips=min(held) if min(held) != wanted or max(held) != wanted else None,
                )
            )
            attempt = 1
            for _, start, ended, state, chips, _ in rows:
                outcome = (
                    "released" if state == "RESIZING" else next((o for o, s in STATES.items() if s == state), None)
                )
                found["allocations"].append(
                    dict(
                        job=self.name(job),
                        attempt=attempt,
                        pool=self.pool_of(job),
                        chips=chips,
                        start_time=start,
                        end_time=ended,
                        outcome=outcome,
                    )
                )
                attempt += state != "RESIZING"
        return found
