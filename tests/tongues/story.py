"""story.py - what happened in a generated fleet, read from its native trace and events, for the writers of other formats.

Times are int microseconds. A run is a stretch in which a job has all that it needs: what most schedulers call an allocation.
A tongue writes what another program would have written of the story, and says as relations what can be read from that.
"""

import csv
import datetime
import os
import subprocess
from dataclasses import dataclass, field

from fleets import generator

MILLION = 10**6
OPEN = 1 << 62  # the end of what lasts beyond the trace
# When fleets begin, by their seeds; each lasts a day. Over a New Year, a 29 February, the 366th day of a year; the generator's own time.
BEGINS = ("2025-12-31T12:00:00", "2028-02-28T12:00:00", "2020-12-31T12:00:00", "2026-01-05T00:00:00")


def microseconds(text):
    """Unix seconds or ISO 8601 in UTC, as text, exactly; an empty text lasts."""
    if not text:
        return OPEN
    if "T" in text:
        text, _, fraction = text.rstrip("Z").partition(".")
        seconds = int(datetime.datetime.fromisoformat(text + "+00:00").timestamp())
    else:
        seconds, _, fraction = text.partition(".")
    return int(seconds) * MILLION + int(fraction.ljust(6, "0") or 0)


def stamp(at, form="%Y-%m-%d %H:%M:%S", digits=6):
    """A time as a log prints it, cut to so many digits of a second."""
    whole = datetime.datetime.fromtimestamp(at // MILLION, datetime.timezone.utc).strftime(form)
    return whole + (f".{at % MILLION:06d}"[: 1 + digits] if digits else "")


@dataclass
class Span:
    kind: str
    start: int
    end: int
    step: int = None
    program: str = None
    flops: float = None  # of all its executions
    executions: float = None  # of its program, whose FLOPs these are; None where they are its own


@dataclass
class Commit:
    step: int
    snapshot: int
    durable: int


@dataclass
class Run:
    """`outcome` None: still running at the end of the trace. `pieces` are (start, end, chips): several of an elastic job."""

    job: str
    attempt: int
    pool: str
    start: int
    end: int
    outcome: str
    pieces: list
    nodes: list = field(default_factory=list)  # of each piece
    spans: list = field(default_factory=list)
    commits: list = field(default_factory=list)

    @property
    def chips(self):
        return self.pieces[0][2]

    def steps(self):
        """The steps that ended: what a trainer prints a line of. One that the end of its run or a resize cut short is none."""
        whole = self.outcome == "completed"
        last = {s.step: s for s in self.spans if s.kind == "step"}
        return [
            s
            for s in self.spans
            if s.kind == "step" and s is last[s.step] and (s.end < self.end or (whole and s.end == self.end))
        ]

    def ended(self, *kinds):
        return [s for s in self.spans if s.kind in kinds and s.end < self.end]


@dataclass
class Outage:
    pool: str
    chips: int
    start: int
    end: int
    kind: str
    nodes: list = field(default_factory=list)


@dataclass
class Story:
    begin: int
    end: int
    capacity: list
    outages: list
    jobs: dict
    runs: dict  # job -> [Run]
    allocations: dict  # job -> [row]
    programs: dict  # program -> its FLOPs, as text; None where nobody knows
    truth: dict  # (job, pool, category, cause) -> chip_us
    launches: dict = field(
        default_factory=dict
    )  # job -> [Run] of its trainer, where they are not those of its scheduler

    def launched(self, job):
        return self.launches.get(job, self.runs[job])


def rows(folder, relation, later):
    """A relation of a native trace, whose times are so many microseconds later."""
    with open(os.path.join(folder, relation + ".csv"), newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    for row in read:
        for name, text in row.items():
            if name.endswith("_time") and text:
                at = microseconds(text) + later
                row[name] = f"{at // MILLION}.{at % MILLION:06d}"
    return read


def generate(folder, seed, spans="2e3"):
    """The story of the fleet that this seed gives."""
    truth, events = os.path.join(folder, "truth.csv"), os.path.join(folder, "events.csv")
    native = os.path.join(folder, "native")
    os.makedirs(native)
    subprocess.run(
        [
            generator(),
            "--seed",
            str(seed),
            "--spans",
            str(spans),
            "--format",
            "csv",
            "--out",
            native,
            "--truth",
            truth,
            "--events",
            events,
        ],
        check=True,
        capture_output=True,
    )
    later = microseconds(BEGINS[(seed - 1) % len(BEGINS)]) - microseconds(BEGINS[-1])
    capacity = rows(native, "capacity", later)
    begin = min(microseconds(r["start_time"]) for r in capacity)
    end = max(microseconds(r["end_time"]) for r in capacity if r["end_time"])
    story = Story(
        begin,
        end,
        capacity,
        [
            Outage(r["pool"], int(r["chips"]), microseconds(r["start_time"]), microseconds(r["end_time"]), r["kind"])
            for r in rows(native, "outages", later)
        ],
        {r["job"]: r for r in rows(native, "jobs", later)},
        {},
        {},
        {r["program"]: r["flops"] or None for r in rows(native, "programs", later)},
        {},
    )
    with open(truth, newline="", encoding="utf-8") as file:
        story.truth = {
            (r["job"] or None, r["pool"] or None, r["category"], r["cause"] or None): int(r["chip_us"])
            for r in csv.DictReader(file)
        }
    for row in rows(native, "allocations", later):
        story.allocations.setdefault(row["job"], []).append(row)
    with open(events, newline="", encoding="utf-8") as file:
        _read_runs(story, [dict(event, at_us=int(event["at_us"]) + later) for event in csv.DictReader(file)])
    _hand_out(story, rows(native, "spans", later), rows(native, "commits", later))
    return story


def _read_runs(story, events):
    open_runs = {}
    for event in events:
        at, job, what = event["at_us"], event["job"], event["event"]
        if what == "complete":
            open_runs[job] = Run(job, int(event["attempt"]), None, at, OPEN, None, [])
            story.runs.setdefault(job, []).append(open_runs[job])
        elif what in ("broken", "ended") and job in open_runs:
            run = open_runs.pop(job)
            run.end, run.outcome = at, event["other"] if what == "ended" else "node_fail"
    for job, runs in story.runs.items():
        held = [
            (microseconds(a["start_time"]), microseconds(a["end_time"]), float(a["chips"]), a["pool"])
            for a in story.allocations[job]
        ]
        for run in runs:
            edges = sorted({run.start, run.end} | {t for a in held for t in a[:2] if run.start < t < run.end})
            for start, end in zip(edges, edges[1:]):
                now = [a for a in held if a[0] <= start < a[1]]
                chips = sum(a[2] for a in now)
                if run.pieces and (run.pieces[-1][2] == chips or not elastic(story, job)):
                    run.pieces[-1] = (
                        run.pieces[-1][0],
                        end,
                        run.pieces[-1][2],
                    )  # a chip that died quietly is still held
                else:
                    run.pieces.append((start, end, chips))
                run.pool = now[0][3]


def elastic(story, job):
    return bool(story.jobs[job]["min_chips"])


def _hand_out(story, spans, commits):
    def run_of(job, at):
        return next((run for run in story.runs.get(job, []) if run.start <= at < run.end), None)

    for row in spans:
        start = microseconds(row["start_time"])
        run = run_of(row["job"], start)
        if run:
            flops = row["flops"] or story.programs.get(row["program"])
            times = 1 if row["flops"] else float(row["executions"] or 1)
            run.spans.append(
                Span(
                    row["kind"],
                    start,
                    microseconds(row["end_time"]),
                    int(row["step"]) if row["step"] else None,
                    row["program"] or None,
                    float(flops) * times if flops else None,
                    None if row["flops"] else times,
                )
            )
    for row in commits:
        run = run_of(row["job"], microseconds(row["snapshot_time"]))
        if run:
            run.commits.append(
                Commit(int(row["step"]), microseconds(row["snapshot_time"]), microseconds(row["durable_time"]))
            )
    for runs in story.runs.values():
        for run in runs:
            run.spans.sort(key=lambda s: (s.start, -s.end))


def pools_of(story, job):
    return {a["pool"] for a in story.allocations.get(job, [])}


def is_whole(story, job):
    """A job of whole chips in one pool: what every scheduler can say."""
    return len(pools_of(story, job)) <= 1 and all("." not in a["chips"] for a in story.allocations.get(job, []))


def rows_start(story, run, after):
    """The rows of allocations that a run begins with: those from `after` on."""
    return [
        row
        for row in story.allocations[run.job]
        if after < microseconds(row["start_time"]) <= run.start < microseconds(row["end_time"])
    ]


def rows_end(story, run):
    """The rows of allocations that a run ends with."""
    return [
        row
        for row in story.allocations[run.job]
        if microseconds(row["start_time"]) < run.end <= microseconds(row["end_time"])
    ]


def installed(story, pool):
    """The chips of a pool as [(start, chips)], each until the next."""
    rows_of = [
        (microseconds(r["start_time"]), microseconds(r["end_time"]), int(r["chips"]))
        for r in story.capacity
        if r["pool"] == pool
    ]
    starts = sorted({r[0] for r in rows_of} | {r[1] for r in rows_of if r[1] < story.end})
    return [(at, sum(chips for start, end, chips in rows_of if start <= at < end)) for at in starts]


def put_on_nodes(story, jobs):
    """Gives the pieces of runs and the outages nodes of one chip each, by number: the node that failed is the one that is out."""
    events = []
    for pool in {row["pool"] for row in story.capacity}:
        before = 0
        for at, chips in installed(story, pool):
            events.append((at, 0, pool, list(range(before + 1, chips + 1)), None, 0))
            before = chips
    for job in jobs:
        for run in story.runs.get(job, []):
            run.nodes = [[] for _ in run.pieces]
            for nodes, (start, end, chips) in zip(run.nodes, run.pieces):
                events += [(start, 3, run.pool, nodes, chips, 0), (end, 1, run.pool, nodes, None, 0)]
    for outage in story.outages:
        events += [
            (outage.start, 2, outage.pool, outage.nodes, outage.chips, 0),
            (outage.end, 1, outage.pool, outage.nodes, None, 0),
        ]
    free = {}
    for at, _, pool, nodes, count, _ in sorted(events, key=lambda e: e[:2]):
        left = free.setdefault(pool, [])
        if count is None:
            left += nodes
        elif count > len(left):
            raise AssertionError(f"of {count} nodes of {pool} at {at} only {len(left)} are free")
        else:
            nodes += left[len(left) - int(count) :]
            del left[len(left) - int(count) :]


def node_list(prefix, numbers):
    """A list of hosts as schedulers write it: n[1-3,7]."""
    ranges = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    inside = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    return f"{prefix}{inside}" if len(numbers) == 1 else f"{prefix}[{inside}]"
