"""kube.py - objects of Kubernetes as its tests write them, the fixtures, and what sql/formats/kube.sql makes of files."""
import datetime
import os

import cases
from fleets import ROOT

WATCH = os.path.join(ROOT, "fixtures/kube/watch.json")
CLUSTER = os.path.join(ROOT, "fixtures/kube/cluster.json")
T0 = 1772352000  # 2026-03-01T08:00:00Z
G, TPU = "nvidia.com/gpu", "google.com/tpu"


def when(seconds):
    return datetime.datetime.fromtimestamp(T0 + seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Case(cases.Case):
    FILE = "cluster.json"

    def pod(self, name="p", limits=None, **more):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ns", "uid": "u-" + name},
               "spec": {"containers": [{"resources": {"limits": limits or {}}}]}, "status": {}}
        for key, value in more.items():
            pod[key].update(value)
        return pod

    def node(self, name, capacity, **labels):
        return {"kind": "Node", "metadata": {"name": name, "uid": "u-" + name, "creationTimestamp": when(0), "labels": labels}, "spec": {},
                "status": {"capacity": capacity, "allocatable": capacity}}


class Mapped(Case):
    def map(self, *paths, label=None):
        for table in ("jobs", "allocations", "capacity", "outages"):
            self.db.execute(f"DROP TABLE IF EXISTS temp.{table}")
        self.db.execute("CREATE TEMP TABLE kube_objects AS SELECT *, _file FROM kube_trace(?) WHERE 0", (paths[0],))
        for path in paths:
            self.db.execute("INSERT INTO kube_objects SELECT *, _file FROM kube_trace(?)", (path,))
        self.script("formats/kube.sql", kube=None, pool=label)
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'kube%'"), [])

    def allocations(self):
        return self.rows("""SELECT job, attempt, task, pool, chips, start_time - ?1, end_time - ?1, outcome FROM allocations
                            ORDER BY job, attempt, start_time, task""", T0)

    def workload(self, name, version, *conditions, event="MODIFIED", deleted=None):
        return {"type": event, "object": {
            "kind": "Workload", "metadata": {"name": "w-" + name, "namespace": "ns", "uid": "w-" + name, "creationTimestamp": when(0), "resourceVersion": str(version),
                                             "deletionTimestamp": deleted, "ownerReferences": [{"kind": "Job", "name": name, "controller": True}]},
            "spec": {"podSets": [{"count": 1, "template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}}]},
            "status": {"conditions": [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)} for kind, reason, at in conditions]}}}
