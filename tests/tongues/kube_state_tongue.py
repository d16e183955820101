"""kube_state_tongue.py - a fleet as kube-state-metrics tells of it to Prometheus: what is so at each scrape, and nothing of what lies between.

The objects are those of kube_tongue.py. Half of the jobs' pods are exported with the times that the exporter knows of a pod, the
other half without. The first half of the scrapes is an answer of query_range, the second a page of text for each scrape.
"""

import calendar
import collections
import json
import os
import time

from kube_tongue import Kube
from sacct_tongue import down

EVERY = 600  # seconds from scrape to scrape
KEPT = 3600  # for which a pod stays after its end


def seconds(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def write_answer(path, series):
    """What query_range answers. Series are {(metric, *labels): [[time, value]]}."""
    result = [
        {"metric": {"__name__": metric, "instance": "10.0.0.1:8080", **dict(labels)}, "values": values}
        for (metric, *labels), values in series.items()
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}))


class KubeState:
    def __init__(self, story):
        self.kube = Kube(story)
        self.kube.tell_nodes()
        for job in self.kube.jobs:
            self.kube.tell_pods(job)
        self.scrapes = range(down(story.begin) + 7, down(story.end) + 1, EVERY)
        self.timed = {job for i, job in enumerate(self.kube.jobs) if i % 2}

    def samples(self, nodes, pods):
        """(metric, labels, value) of one scrape."""
        for node in nodes:
            name, labels = node["metadata"]["name"], node["metadata"]["labels"]
            (resource,) = node["status"]["capacity"]
            unit = {"node": name, "resource": resource.replace(".", "_").replace("/", "_"), "unit": "integer"}
            yield "kube_node_status_capacity", unit, node["status"]["capacity"][resource]
            yield "kube_node_status_allocatable", unit, node["status"]["allocatable"][resource]
            ready = node["status"]["conditions"][0]["status"].lower()
            for status in ("true", "false", "unknown"):
                yield "kube_node_status_condition", {"node": name, "condition": "Ready", "status": status}, int(
                    status == ready
                )
            yield "kube_node_spec_unschedulable", {"node": name}, int(bool(node["spec"].get("unschedulable")))
            yield "kube_node_labels", {
                "node": name,
                **{"label_" + "".join(c if c.isalnum() else "_" for c in key): value for key, value in labels.items()},
            }, 1
            yield "kube_node_status_capacity", {"node": name, "resource": "cpu", "unit": "core"}, 96
        for pod in pods:
            meta, status = pod["metadata"], pod["status"]
            which = {"namespace": meta["namespace"], "pod": meta["name"], "uid": meta["uid"]}
            for phase in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
                yield "kube_pod_status_phase", {**which, "phase": phase}, int(phase == status["phase"])
            ((resource, chips),) = pod["spec"]["containers"][0]["resources"]["limits"].items()
            yield "kube_pod_container_resource_requests", {
                **which,
                "container": "train",
                "node": pod["spec"]["nodeName"],
                "resource": resource.replace(".", "_").replace("/", "_"),
                "unit": "integer",
            }, chips
            owner = meta["ownerReferences"][0]
            yield "kube_pod_owner", {
                **which,
                "owner_kind": owner["kind"],
                "owner_name": owner["name"],
                "owner_is_controller": "true",
            }, 1
            if owner["name"] in self.timed:
                yield "kube_pod_status_scheduled_time", which, seconds(meta["creationTimestamp"])
                ended = status["containerStatuses"][0]["state"].get("terminated")
                if ended and status["phase"] in ("Succeeded", "Failed"):
                    yield "kube_pod_completion_time", which, seconds(ended["finishedAt"])

    def states(self):
        """Of each scrape its time, the nodes and the pods that are there."""
        told = {
            kind: collections.deque(sorted(self.kube.events[kind], key=lambda e: e[:2])) for kind in ("nodes", "pods")
        }
        now = {kind: {} for kind in told}
        for at in self.scrapes:
            for kind, events in told.items():
                while events and events[0][0] <= at:
                    when, _, event, thing = events.popleft()
                    now[kind].pop(thing["metadata"]["uid"], None)
                    if event != "DELETED":
                        now[kind][thing["metadata"]["uid"]] = when, thing
            over = [
                uid
                for uid, (when, pod) in now["pods"].items()
                if pod["status"]["phase"] in ("Succeeded", "Failed") and when + KEPT < at
            ]
            for uid in over:
                del now["pods"][uid]
            yield at, [node for _, node in now["nodes"].values()], [pod for _, pod in now["pods"].values()]

    def write(self, folder):
        series = {}
        for i, (at, nodes, pods) in enumerate(self.states()):
            if i < len(self.scrapes) // 2:
                for metric, labels, value in self.samples(nodes, pods):
                    series.setdefault((metric, *labels.items()), []).append([at, str(value)])
                continue
            with open(os.path.join(folder, f"state-{at}.prom"), "w", encoding="utf-8") as file:
                for metric, labels, value in self.samples(nodes, pods):
                    file.write(
                        metric + "{" + ",".join(f'{key}="{text}"' for key, text in labels.items()) + f"}} {value}\n"
                    )
        write_answer(os.path.join(folder, "state.json"), series)

    def write_answers(self, folders, cuts):
        """An answer of query_range in each folder: of the scrapes up to the first cut, of those from it to the second, ..."""
        answers = [{} for _ in folders]
        for at, nodes, pods in self.states():
            for metric, labels, value in self.samples(nodes, pods):
                series = answers[sum(cut <= at for cut in cuts)]
                series.setdefault((metric, *labels.items()), []).append([at, str(value)])
        for folder, series in zip(folders, answers):
            write_answer(os.path.join(folder, "state.json"), series)

    def sampled(self, at):
        """The first scrape that shows what is so from then on; None: none does."""
        step = max(0, -(-(at - self.scrapes[0]) // EVERY))
        return self.scrapes[step] if step < len(self.scrapes) else None

    def seen(self, job):
        """(start, end, row, first scrape, scrape at which it is no more) of each pod that the samples know to have held chips."""
        timed = job in self.timed
        for _, start, end, row in self.kube.attempts(job):
            since, until = self.sampled(start), None if end is None else self.sampled(end)
            ended = row["outcome"] in (
                "completed",
                "failed",
                "timeout",
            )  # by a phase that is still there at the next scrape
            if since is None or (since == until and not (timed and ended and start >= self.scrapes[0])):
                continue  # it began after the last one, or began and ended between two of them and does not say when
            yield max(start, self.scrapes[0]) if timed else since, (
                end if timed and ended and until else until
            ), row, since, until

    def relations(self):
        """What the samples say, in the words of docs/formats/kube.md."""
        kube, found = self.kube, {"capacity": [], "outages": [], "jobs": [], "allocations": []}
        for row in kube.relations()["capacity"]:
            if self.sampled(row["start_time"]) is not None:
                found["capacity"].append(dict(row, start_time=self.sampled(row["start_time"])))
        for row in kube.relations()["outages"]:
            start, end = self.sampled(row["start_time"]), row["end_time"] and self.sampled(row["end_time"])
            if start is not None and start != end:
                found["outages"].append(dict(row, start_time=start, end_time=end))
        for job in kube.jobs:
            attempt, before, edges = 0, -1, collections.Counter()
            pods = sorted(self.seen(job), key=lambda pod: (pod[0], pod[2]["task"] or ""))
            for start, end, row, since, until in pods:
                attempt += start >= before
                before = max(before, 1 << 60 if end is None else end)
                found["allocations"].append(
                    dict(
                        job=kube.name(job),
                        attempt=attempt,
                        pool=kube.pool[row["pool"]],
                        chips=int(row["chips"]),
                        start_time=start,
                        end_time=end,
                        outcome=row["outcome"] if end else None,
                    )
                )
                edges[start if since == until else since] += int(row["chips"])
                edges[end] -= int(row["chips"])
            asked, at_once = 0, 0
            for _, chips in sorted((at, chips) for at, chips in edges.items() if at):
                asked += chips
                at_once = max(at_once, asked)
            if pods:
                found["jobs"].append(
                    dict(job=kube.name(job), chips=at_once, submit_time=min(start for start, *_ in pods))
                )
        return found
