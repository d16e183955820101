"""kube_tongue.py - a fleet as watches of Kubernetes tell of it: nodes, pods and Kueue's Workloads, as `kubectl get -w` prints them.

A task is a pod. Of a pool one node has most chips; each outage takes a whole node of its own. Objects tell times in whole seconds.
"""

import json
import os

from sacct_tongue import down, up
from story import MILLION, OPEN, installed, microseconds, stamp

PRODUCTS = {
    "tpu-v4": "tpu-v4-podslice",
    "tpu-v5e": "tpu-v5-lite-podslice",
    "tpu-v5p": "tpu-v5p-slice",
    "tpu-v6e": "tpu-v6e-slice",
    "nvidia-h100-sxm": "NVIDIA-H100-80GB-HBM3",
    "nvidia-a100-80-sxm4": "NVIDIA-A100-SXM4-80GB",
}
REASONS = {"preempted": "PreemptionByScheduler", "node_fail": "DeletionByTaintManager"}


def when(seconds):
    return stamp(seconds * MILLION, "%Y-%m-%dT%H:%M:%SZ", 0)


def condition(kind, at, reason="", status="True", **more):
    return {"type": kind, "status": status, "reason": reason, "lastTransitionTime": when(at), **more}


def watch_event(event, thing, version):
    """A line of `kubectl get -w -o json --output-watch-events`."""
    versioned = {**thing, "metadata": {**thing["metadata"], "resourceVersion": str(version)}}
    return json.dumps({"type": event, "object": versioned}) + "\n"


def write_watch(folder, told, since=0, until=1 << 40):
    """Of what Kube.watched() has: a watch of each kind that begins at `since`, with all that is there by then, and ends at `until`."""
    lines, there = {}, {}
    for version, (at, kind, event, thing) in enumerate(told, 1):
        lines.setdefault(kind, [])
        if since <= at < until:
            lines[kind].append(watch_event(event, thing, version))
        elif at < since:
            there[thing["metadata"]["uid"]] = (
                None if event == "DELETED" else (kind, watch_event("ADDED", thing, version))
            )
    for kind, events in lines.items():
        with open(os.path.join(folder, f"{kind}-{since}.json"), "w", encoding="utf-8") as file:
            file.writelines([line for of, line in filter(None, there.values()) if of == kind] + events)


def end_before(starts, end):
    """The second in which a pod's end is known: before those that come after it begin; None for an end that is not yet."""
    if end >= OPEN:
        return None
    return min([up(end)] + [down(start) for start in starts if start >= end])


class Kube:
    def __init__(self, story):
        self.story = story
        self.pool = {pool: f"pool-{i}" for i, pool in enumerate(sorted({row["pool"] for row in story.capacity}))}
        self.chip = {row["pool"]: row["chip"] for row in story.capacity}
        self.jobs = [
            job
            for job in story.jobs
            if story.runs.get(job) and all("." not in a["chips"] for a in story.allocations[job])
        ]
        self.events = {"nodes": [], "pods": [], "workloads": []}
        self.failed = {}  # (pool, when a node of so many chips failed, chips) -> the node, and since when it was well

    def name(self, job):
        return f"ml/{job}"

    def tell(self, kind, at, event, thing):
        self.events[kind].append((at, len(self.events[kind]), event, thing))

    # ---- nodes ----

    def resource(self, pool):
        return "google.com/tpu" if self.chip[pool].startswith("tpu") else "nvidia.com/gpu"

    def node(self, pool, name, chips, created, ready, ready_at, heard, cordoned=None):
        label = (
            "cloud.google.com/gke-tpu-accelerator" if self.chip[pool].startswith("tpu") else "nvidia.com/gpu.product"
        )
        spec = {}
        if cordoned is not None:
            spec = {
                "unschedulable": True,
                "taints": [
                    {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": when(cordoned)}
                ],
            }
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "uid": name,
                "creationTimestamp": when(created),
                "labels": {"cloud.google.com/gke-nodepool": self.pool[pool], label: PRODUCTS[self.chip[pool]]},
            },
            "spec": spec,
            "status": {
                "capacity": {self.resource(pool): str(chips)},
                "allocatable": {self.resource(pool): str(chips)},
                "conditions": [
                    condition("Ready", ready_at, status="True" if ready else "Unknown", lastHeartbeatTime=when(heard))
                ],
            },
        }

    def tell_nodes(self):
        story, begin, end = self.story, down(self.story.begin), down(self.story.end)
        for pool, name in self.pool.items():
            spare = {}  # chips -> [(node, free from)]
            for n, outage in enumerate(sorted((o for o in story.outages if o.pool == pool), key=lambda o: o.start)):
                start, until = down(outage.start), None if outage.end >= OPEN else down(outage.end)
                nodes = spare.setdefault(outage.chips, [])
                free = next((i for i, (_, at) in enumerate(nodes) if at < start), None)
                node, since = (f"{name}-x{n}", begin) if free is None else nodes.pop(free)
                if free is None:
                    self.tell("nodes", begin, "ADDED", self.node(pool, node, outage.chips, begin, True, begin, begin))
                nodes.append((node, 1 << 60 if until is None else until))
                self.failed[pool, outage.start, outage.chips] = node, since
                cordon = outage.kind == "maintenance"
                changed = begin if cordon else start
                self.tell(
                    "nodes",
                    start,
                    "MODIFIED",
                    self.node(pool, node, outage.chips, begin, cordon, changed, start, start if cordon else None),
                )
                if until is not None:
                    self.tell(
                        "nodes",
                        until,
                        "MODIFIED",
                        self.node(pool, node, outage.chips, begin, True, begin if cordon else until, until),
                    )
            apart = sum(chips * len(nodes) for chips, nodes in spare.items())
            before = apart
            for n, (at, chips) in enumerate(installed(story, pool)):
                self.tell(
                    "nodes",
                    down(at),
                    "ADDED",
                    self.node(pool, f"{name}-{n}", chips - before, down(at), True, down(at), down(at)),
                )
                self.tell(
                    "nodes",
                    end,
                    "MODIFIED",
                    self.node(pool, f"{name}-{n}", chips - before, down(at), True, down(at), end),
                )
                before = chips

    # ---- pods ----

    def attempts(self, job):
        """The rows of allocations, each with its attempt: a new one begins when no pod of the job runs, or after an eviction."""
        rows = sorted(self.story.allocations[job], key=lambda a: (a["start_time"], a["task"] or ""))
        starts = sorted(microseconds(a["start_time"]) for a in rows)
        rows = [(down(microseconds(a["start_time"])), end_before(starts, microseconds(a["end_time"])), a) for a in rows]
        attempt, until, evictions = 0, -1, sorted({end for _, end, a in rows if a["outcome"] == "preempted"})
        before = None
        for start, end, a in rows:
            past = sum(at <= start for at in evictions)
            if start >= until or (before is not None and past > before):
                attempt += 1
            before, until = past, max(until, OPEN if end is None else end)
            yield attempt, start, end, a

    def tell_pods(self, job):
        name = job
        for n, (attempt, start, end, row) in enumerate(self.attempts(job)):
            pod, chips, pool = f"{name}-{n}", int(row["chips"]), row["pool"]
            failed = (pool, microseconds(row["end_time"]), chips)
            node = f"{self.pool[pool]}-0"
            if start > self.failed.get(failed, (None, OPEN))[1]:
                node, _ = self.failed.pop(failed)  # it is this pod that the node took with it
            metadata = {
                "name": pod,
                "namespace": "ml",
                "uid": f"p-{pod}",
                "creationTimestamp": when(start),
                "labels": {"batch.kubernetes.io/job-name": name},
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": f"j-{name}", "controller": True}
                ],
            }
            spec = {
                "nodeName": node,
                "containers": [
                    {"name": "train", "image": "train:1", "resources": {"limits": {self.resource(pool): str(chips)}}}
                ],
            }
            status = {
                "phase": "Running",
                "startTime": when(start),
                "conditions": [condition("PodScheduled", start)],
                "containerStatuses": [{"name": "train", "state": {"running": {"startedAt": when(start)}}}],
            }
            thing = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
            self.tell("pods", start, "ADDED", thing)
            if end is None:
                continue
            outcome = row["outcome"]
            phase = "Succeeded" if outcome == "completed" else "Running" if outcome == "cancelled" else "Failed"
            ended = {
                **status,
                "phase": phase,
                "containerStatuses": [
                    {
                        "name": "train",
                        "state": {
                            "terminated": {
                                "startedAt": when(start),
                                "finishedAt": when(end),
                                "exitCode": int(outcome != "completed"),
                            }
                        },
                    }
                ],
            }
            if outcome in REASONS:
                ended["conditions"] = [*status["conditions"], condition("DisruptionTarget", end, REASONS[outcome])]
            elif outcome == "timeout":
                ended["reason"] = "DeadlineExceeded"
            gone = {"deletionTimestamp": when(end)} if outcome in ("cancelled", "preempted", "node_fail") else {}
            self.tell(
                "pods",
                end,
                "DELETED" if gone else "MODIFIED",
                {**thing, "metadata": {**metadata, **gone}, "status": ended},
            )

    # ---- Workloads ----

    def wanted(self, job):
        """(pods, chips of each) that the job asks for: whole pods."""
        row = self.story.jobs[job]
        each = int(self.story.allocations[job][0]["chips"])
        whole = int(float(row["chips"] or 0)) or each * int(row["tasks"])
        return -(-whole // each), each

    def submitted(self, job):
        row, first = self.story.jobs[job], min(a["start_time"] for a in self.story.allocations[job])
        return down(microseconds(row["submit_time"] or first))

    def tell_workload(self, job):
        pods, each = self.wanted(job)
        submitted = self.submitted(job)
        rows = list(self.attempts(job))
        metadata = {
            "name": f"job-{job}",
            "namespace": "ml",
            "uid": f"w-{job}",
            "creationTimestamp": when(submitted),
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": f"j-{job}", "controller": True}
            ],
        }
        limits = {self.resource(rows[0][3]["pool"]): str(each)}
        spec = {
            "active": True,
            "queueName": "q",
            "podSets": [
                {
                    "name": "main",
                    "count": pods,
                    "template": {
                        "spec": {"containers": [{"name": "train", "resources": {"limits": limits, "requests": limits}}]}
                    },
                }
            ],
        }

        def tell(at, event, *conditions):
            self.tell(
                "workloads",
                at,
                event,
                {
                    "apiVersion": "kueue.x-k8s.io/v1beta1",
                    "kind": "Workload",
                    "metadata": metadata,
                    "spec": spec,
                    "status": {"conditions": list(conditions)},
                },
            )

        tell(submitted, "ADDED")
        for attempt in sorted({row[0] for row in rows}):
            of = [row for row in rows if row[0] == attempt]
            admitted = condition("Admitted", of[0][1], "Admitted")
            tell(of[0][1], "MODIFIED", condition("QuotaReserved", of[0][1], "QuotaReserved"), admitted)
            if any(end is None for _, _, end, _ in of):
                continue
            end, outcome = max(end for _, _, end, _ in of), of[-1][3]["outcome"]
            if outcome == "preempted":
                tell(
                    end,
                    "MODIFIED",
                    condition("Admitted", end, "Preempted", "False"),
                    condition("Evicted", end, "Preempted"),
                )
            elif attempt == rows[-1][0] and outcome != "node_fail":
                tell(
                    end,
                    "MODIFIED",
                    admitted,
                    condition("Finished", end, "Succeeded" if outcome == "completed" else "Failed"),
                )

    # ---- all ----

    def tell_all(self):
        self.tell_nodes()
        for job in self.jobs:
            self.tell_pods(job)
            self.tell_workload(job)

    def write(self, folder):
        self.tell_all()
        version = 0
        for kind, events in self.events.items():
            with open(os.path.join(folder, kind + ".json"), "w", encoding="utf-8") as file:
                for _, _, event, thing in sorted(events, key=lambda e: e[:2]):
                    version += 1
                    file.write(watch_event(event, thing, version))

    def watched(self, beats):
        """(time, kind, event, object) in order. Nodes are heard of at `beats`, too, as watches that end then have it."""
        self.tell_all()
        told, live, beats = [], {}, sorted(beats)

        def tell(at, kind, event, thing):
            told.append((at, kind, event, thing))
            live[thing["metadata"]["uid"]] = None if event == "DELETED" else (kind, thing)

        def hear(at):
            for kind, thing in [there for there in live.values() if there and there[0] == "nodes"]:
                conditions = [{**c, "lastHeartbeatTime": when(at)} for c in thing["status"]["conditions"]]
                tell(at, kind, "MODIFIED", {**thing, "status": {**thing["status"], "conditions": conditions}})

        events = [(at, n, kind, event, thing) for kind in self.events for at, n, event, thing in self.events[kind]]
        for at, _, *event in sorted(events, key=lambda e: e[:2]):
            while beats and beats[0] <= at:
                hear(beats.pop(0))
            tell(at, *event)
        for at in beats:
            hear(at)
        return told

    def relations(self):
        """What the files say, in the words of docs/formats/kube.md."""
        found = {"capacity": [], "outages": [], "jobs": [], "allocations": []}
        for pool, name in self.pool.items():
            before = 0
            for at, chips in installed(self.story, pool):
                found["capacity"].append(
                    dict(pool=name, chip=self.chip[pool], chips=chips - before, start_time=down(at))
                )
                before = chips
        for outage in self.story.outages:
            found["outages"].append(
                dict(
                    pool=self.pool[outage.pool],
                    chips=outage.chips,
                    kind=outage.kind,
                    start_time=down(outage.start),
                    end_time=None if outage.end >= OPEN else down(outage.end),
                )
            )
        for job in self.jobs:
            pods, each = self.wanted(job)
            found["jobs"].append(dict(job=self.name(job), submit_time=self.submitted(job), chips=pods * each))
            rows = list(self.attempts(job))
            for attempt, start, end, row in rows:
                found["allocations"].append(
                    dict(
                        job=self.name(job),
                        attempt=attempt,
                        pool=self.pool[row["pool"]],
                        chips=int(row["chips"]),
                        start_time=start,
                        end_time=end,
                        outcome=row["outcome"] or None,
                    )
                )
            attempt, _, end, row = max(rows, key=lambda r: (r[0], r[2] or OPEN))
            if row["outcome"] == "preempted" and all(r[2] for r in rows):  # it waits to be admitted again
                found["allocations"].append(
                    dict(job=self.name(job), attempt=attempt + 1, pool=self.pool[row["pool"]], chips=0, start_time=end)
                )
        return found
