"""slurm_ways.py - a fleet of one Slurm cluster whose jobs and nodes do what sacct_tongue.py's never do, and the ways to export it.

Its pools are the types of its chips. Jobs are tasks of arrays and parts of heterogeneous jobs, have steps, were suspended, wait and never
start, or are cancelled before they do and submitted anew under one name. Nodes drain while jobs hold them.
"""

import json

from sacct_tongue import COLUMNS, Slurm, down, duration, up
from story import OPEN, installed, microseconds, node_list

DRAINS = 600  # seconds for which a node drains, at most, before it is out of service
ARRAYS, PARTS, CANCELLED = (
    90000,
    5000,
    60000,
)  # what ids of arrays, of second parts and of jobs that were cancelled begin at


class Ways(Slurm):
    JOBS = COLUMNS + "|Suspended"

    def __init__(self, story):
        super().__init__(story)
        self.prefix = {pool: chr(ord("a") + i) for i, pool in enumerate(self.cluster)}
        self.cluster = {pool: "c0" for pool in self.cluster}
        self.waiting = [
            job
            for job in story.jobs
            if not story.runs.get(job) and not story.allocations.get(job) and story.jobs[job]["chips"]
        ]

    def pool(self, pool):
        return f"c0/{self.chip[pool]}"

    def node(self, pool, numbers):
        return node_list(self.prefix[pool], numbers)

    def name(self, job):
        return str(self.number[job])

    def log_name(self, job):
        number = self.number[job]
        if self.has_parts(job):
            return None  # a log of both parts is of each
        return f"slurm-{ARRAYS + number // 7}_{number % 7}.out" if self.is_task(number) else super().log_name(job)

    # ---- what becomes of jobs ----

    def is_task(self, number):
        return number % 7 < 2

    def has_parts(self, job):
        return self.number[job] % 7 == 3 and all(p[2] % 2 == 0 for run in self.story.runs[job] for p in run.pieces)

    def suspended(self, number, lasted):
        return lasted // 4 if number % 5 == 1 else 0

    def base_rows(self, since, until, now):
        """The rows of jobs as dictionaries, `tres` as (pool, asked, held)."""
        for row in super().job_rows(since, until, now):
            yield dict(zip(COLUMNS.split("|"), row), Suspended="00:00:00")

    def job_rows(self, since, until, now):
        jobs = {number: job for job, number in self.number.items()}
        for row in self.base_rows(since, until, now):
            number = row["JobIDRaw"]
            job, pool = jobs[number], self.story.runs[jobs[number]][0].pool
            if self.is_task(number):
                row["JobID"] = f"{ARRAYS + number // 7}_{number % 7}"
            rests = self.suspended(number, row["ElapsedRaw"])
            if rests and row["State"] != "PENDING":
                row.update(ElapsedRaw=row["ElapsedRaw"] - rests, Suspended=duration(rests))
                if row["State"] == "RUNNING" and number % 2:
                    row["State"] = "SUSPENDED"
            parts = [row]
            if self.has_parts(job):
                asked, held = self.tres(pool, self.wanted(job) / 2), self.tres(pool, row["NNodes"] / 2)
                whole = dict(row, ReqTRES=asked, AllocTRES=row["AllocTRES"] and held, NNodes=row["NNodes"] // 2)
                parts = [
                    dict(whole, JobID=f"{number}+{nth}", JobIDRaw=number + PARTS * nth, NodeList=nodes)
                    for nth, nodes in enumerate(self.halves(row["NodeList"]))
                ]
            for part in parts:
                yield list(part.values())
                if part["AllocTRES"]:
                    for step in self.steps(number, part):
                        yield list(step.values())
        yield from self.waiting_rows(since, until, now)

    @staticmethod
    def halves(nodes):
        """A list of nodes, cut in two: b[1-3,7] is b[1-2] and b[3,7]."""
        prefix, _, inside = nodes.partition("[")
        numbers = [
            n
            for part in inside.rstrip("]").split(",")
            if part
            for first, _, last in [part.partition("-")]
            for n in range(int(first), int(last or first) + 1)
        ]
        middle = len(numbers) // 2
        return [node_list(prefix, half) for half in (numbers[:middle], numbers[middle:])] if numbers else [nodes] * 2

    def steps(self, number, row):
        """Of salloc's jobs no batch."""
        for name in ["batch"] * (number % 3 > 0) + ["extern", "0"]:
            ids = {key: f"{row[key]}.{name}" for key in ("JobIDRaw", "JobID")}
            told = dict(JobName=name, User="", ReqTRES="", State=row["State"].split(" ")[0], Submit=row["Start"])
            yield {**row, **ids, **told}

    def waiting_rows(self, since, until, now):
        pools = list(self.cluster)
        for nth, job in enumerate(self.waiting):
            row, pool, number = self.story.jobs[job], pools[nth % len(pools)], CANCELLED + nth
            submitted, asked = down(microseconds(row["submit_time"])), int(float(row["chips"]))
            if submitted >= until:
                continue
            for state, ended, tasks, raw in self.waits(nth, submitted, number):
                if ended != "Unknown" and ended < since:
                    continue
                name = f"{raw}_[1-{tasks}]" if tasks > 1 else raw
                yield [
                    *(raw, name, row["name"].replace("|", "/"), "c0", row["owner"], "research", state, submitted),
                    *(
                        "Unknown" if ended == "Unknown" else "None",
                        ended,
                        0,
                        asked,
                        self.tres(pool, asked),
                        "",
                        "None assigned",
                    ),
                    "00:00:00",
                ]

    def waits(self, nth, submitted, number):
        """(state, end, tasks, id): one of three is an array, one was cancelled and submitted anew under one name."""
        if nth % 3 == 1:
            yield "CANCELLED by 1001", min(submitted + 300, up(self.story.end)), 1, number + 1000
        yield "PENDING", "Unknown", 3 if nth % 3 == 0 else 1, number

    # ---- what becomes of nodes ----

    def events(self):
        pools = list(self.cluster)
        steps = {pool: [(down(at), chips) for at, chips in installed(self.story, pool)] for pool in pools}
        times = sorted({at for of in steps.values() for at, _ in of})
        for start, end in zip(times, times[1:] + [None]):
            chips = {pool: next(n for at, n in of[::-1] if at <= start) for pool, of in steps.items()}
            total, types = int(sum(chips.values())), {}
            for pool, n in chips.items():
                types[self.chip[pool]] = types.get(self.chip[pool], 0) + int(n)
            told = ",".join(f"gres/gpu:{chip}={n}" for chip, n in types.items())
            nodes = ",".join(self.node(pool, range(1, int(n) + 1)) for pool, n in chips.items())
            yield "c0", nodes, "Cluster", "", start, end, "Cluster Registered TRES", "", "", f"gres/gpu={total},{told},node={total}"
        for outage, node, start, end in self.out():
            told = ("firmware upgrade", "DRAIN") if outage.kind == "maintenance" else ("Not responding", "DOWN")
            yield "c0", "", "Node", self.node(outage.pool, [node]), start, end, *told, "root(0)", self.tres(
                outage.pool, 1
            )

    def out(self):
        """(outage, node, start, end) of each node that is out of service; one for maintenance drains before."""
        before = {}
        for outage in sorted(self.story.outages, key=lambda o: o.start):
            for node in outage.nodes:
                start, end = down(outage.start), None if outage.end >= OPEN else down(outage.end)
                if outage.kind == "maintenance":
                    start = max(start - DRAINS, before.get((outage.pool, node), down(self.story.begin)))
                before[outage.pool, node] = 1 << 60 if end is None else end
                yield outage, node, start, end

    def outages(self):
        """A node is out of service but for what a job holds of it."""
        held = {}
        for job in self.number:
            for _, start, ended, _, _, nodes in self.attempts(job):
                for node in nodes:
                    held.setdefault((self.story.runs[job][0].pool, node), []).append((start, ended or 1 << 60))
        for outage, node, start, end in self.out():
            for since, until in sorted(held.get((outage.pool, node), [])) + [(1 << 60, 1 << 60)]:
                if start < min(since, end or 1 << 60):
                    ends = None if end is None and since == 1 << 60 else min(since, end or 1 << 60)
                    yield dict(pool=self.pool(outage.pool), chips=1, kind=outage.kind, start_time=start, end_time=ends)
                start = max(start, until)

    # ---- all ----

    def relations(self):
        found = super().relations()
        for job in [job for job in self.number if self.has_parts(job)]:
            for relation in ("jobs", "allocations"):
                for row in [row for row in found[relation] if row["job"] == self.name(job)]:
                    half = row["chips"] / 2
                    row.update(chips=half, **({"min_chips": row["min_chips"] / 2} if row.get("min_chips") else {}))
                    found[relation].append(dict(row, job=str(self.number[job] + PARTS)))
        pools = list(self.cluster)
        for nth, job in enumerate(self.waiting):
            row, pool = self.story.jobs[job], self.pool(pools[nth % len(pools)])
            submitted = down(microseconds(row["submit_time"]))
            for state, ended, tasks, raw in self.waits(nth, submitted, CANCELLED + nth):
                asked = int(float(row["chips"])) * tasks
                found["jobs"].append(dict(job=str(raw), submit_time=submitted, chips=asked))
                if ended != "Unknown":
                    end = dict(attempt=1, pool=pool, chips=0, start_time=ended, end_time=ended, outcome="cancelled")
                    found["allocations"].append(dict(job=str(raw), **end))
        return found


# ---- JSON ----


def counted(value):
    return {"set": value is not None, "infinite": False, "number": value or 0}


def tres(text):
    """[{"type": "gres", "name": "gpu:h100", "id": 1002, "count": 8}]"""
    entries = [entry.partition("=")[::2] for entry in text.split(",") if entry]
    return [
        {"type": name.partition("/")[0], "name": name.partition("/")[2], "id": 1, "count": int(count)}
        for name, count in entries
    ]


def as_json(row, new):
    """A job of `sacct --json`, of 22.05 or of 24.05, which writes numbers and states otherwise."""
    number = counted if new else lambda value: value
    state, _, by = row["State"].partition(" by ")
    marks = ["PENDING", "RESIZING"] if state == "RESIZING" else [state]
    base, _, task = str(row["JobID"]).partition("_")
    het, _, offset = str(row["JobID"]).partition("+")
    pending = task.strip("[]") if "[" in task else ""

    def at(key):
        return row[key] if isinstance(row[key], int) else 0

    return {
        "account": row["Account"],
        "allocation_nodes": row["NNodes"],
        "array": {
            "job_id": int(base) if task else 0,
            "task_id": number(int(task)) if task and not pending else number(None),
            "task": pending or None,
        },
        "association": {"account": row["Account"], "cluster": row["Cluster"], "partition": None, "user": row["User"]},
        "cluster": row["Cluster"],
        "het": {"job_id": int(het) if offset else 0, "job_offset": number(int(offset) if offset else None)},
        "job_id": int(row["JobIDRaw"]),
        "kill_request_user": by or None,
        "name": row["JobName"],
        "nodes": row["NodeList"],
        "state": {"current": marks if new else state, "reason": "None"},
        "steps": [],
        "time": {
            "elapsed": row["ElapsedRaw"],
            "submission": row["Submit"],
            "start": at("Start"),
            "end": at("End"),
            "suspended": seconds(row["Suspended"]),
            "limit": number(None),
        },
        "tres": {"allocated": tres(row["AllocTRES"]), "requested": tres(row["ReqTRES"])},
        "user": row["User"],
    }


def seconds(text):
    days, _, clock = text.rpartition("-")
    hours, minutes, rest = clock.split(":")
    return int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(rest)


class Json(Ways):
    new = False

    def write_jobs(self, path, rows):
        rows = [dict(zip(self.JOBS.split("|"), row)) for row in rows]
        jobs = [as_json(row, self.new) for row in rows if "." not in str(row["JobID"])]
        with open(path + ".json", "w", encoding="utf-8") as file:
            version = {"major": "24" if self.new else 22, "micro": 1, "minor": "05" if self.new else 5}
            json.dump({"meta": {"Slurm": {"version": version}}, "errors": [], "jobs": jobs}, file)


class NewJson(Json):
    new = True


def shown(ways, at):
    """What `squeue --json` says at a time, in seconds."""
    jobs = []
    for row in ways.job_rows(0, at, at):
        row = dict(zip(ways.JOBS.split("|"), row))
        if "." in str(row["JobID"]) or row["State"].split(" ")[0] not in ("PENDING", "RUNNING", "SUSPENDED"):
            continue
        told = as_json(row, False)
        jobs.append(
            {
                "job_id": told["job_id"],
                "name": told["name"],
                "cluster": told["cluster"],
                "user_name": told["user"],
                "account": told["account"],
                "job_state": row["State"],
                "submit_time": row["Submit"],
                "start_time": told["time"]["start"],
                "end_time": 0,
                "nodes": row["NodeList"] if row["AllocTRES"] else "",
                "node_count": row["NNodes"],
                "tres_req_str": row["ReqTRES"],
                "tres_alloc_str": row["AllocTRES"],
                "array_job_id": told["array"]["job_id"],
                "array_task_id": told["array"]["task_id"],
                "array_task_string": told["array"]["task"] or "",
                "het_job_id": told["het"]["job_id"],
                "het_job_offset": told["het"]["job_offset"] or 0,
            }
        )
    return json.dumps({"meta": {"Slurm": {}}, "errors": [], "jobs": jobs, "last_update": at})
