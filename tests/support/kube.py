"""kube.py - objects of Kubernetes as its tests write them, the fixtures, and what sql/formats/kube.sql makes of files."""

import datetime
import os

import cases
from fleets import ROOT

WATCH = os.path.join(ROOT, "fixtures/kube/watch.json")
CLUSTER = os.path.join(ROOT, "fixtures/kube/cluster.json")
T0 = 1772352000  # 2026-03-01T08:00:00Z
G, TPU = "nvidia.com/gpu", "google.com/tpu"
NVIDIA, AMD, TPUS = "gpu.nvidia.com", "gpu.amd.com", "tpu.google.com"  # drivers of devices (DRA)


def when(seconds):
    return datetime.datetime.fromtimestamp(T0 + seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Case(cases.Case):
    FILE = "cluster.json"

    def pod(self, name="p", limits=None, **more):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "ns", "uid": "u-" + name},
            "spec": {"containers": [{"resources": {"limits": limits or {}}}]},
            "status": {},
        }
        for key, value in more.items():
            pod[key].update(value)
        return pod

    def node(self, name, capacity, **labels):
        return {
            "kind": "Node",
            "metadata": {"name": name, "uid": "u-" + name, "creationTimestamp": when(0), "labels": labels},
            "spec": {},
            "status": {"capacity": capacity, "allocatable": capacity},
        }


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
        return self.rows(
            """SELECT job, attempt, task, pool, chips, start_time - ?1, end_time - ?1, outcome FROM allocations
                            ORDER BY job, attempt, start_time, task""",
            T0,
        )

    def workload(self, name, version, *conditions, event="MODIFIED", deleted=None):
        return {
            "type": event,
            "object": {
                "kind": "Workload",
                "metadata": {
                    "name": "w-" + name,
                    "namespace": "ns",
                    "uid": "w-" + name,
                    "creationTimestamp": when(0),
                    "resourceVersion": str(version),
                    "deletionTimestamp": deleted,
                    "ownerReferences": [{"kind": "Job", "name": name, "controller": True}],
                },
                "spec": {
                    "podSets": [{"count": 1, "template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}}]
                },
                "status": {
                    "conditions": [
                        {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)}
                        for kind, reason, at in conditions
                    ]
                },
            },
        }


def attributes(**values):
    return {key: {"string": value} for key, value in values.items()}


class Claimed(Mapped):
    def object(self, kind, name, spec, status=None, version="v1", **metadata):
        space = {} if kind in ("ResourceSlice", "DeviceClass") else {"namespace": "ns"}
        return {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": kind,
            "spec": spec,
            "status": status or {},
            "metadata": {"name": name, "uid": f"{kind}/{name}", "creationTimestamp": when(0), **space, **metadata},
        }

    def slice(self, node, devices, driver=NVIDIA, generation=1, name="", **more):
        """Devices: {name: attributes} or {name: whole device}."""
        return self.object(
            "ResourceSlice",
            f"{node}-{driver}{name}",
            {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": node, "generation": generation, "resourceSliceCount": 1},
                "devices": [
                    {"name": key, **(value if "attributes" in value or "basic" in value else {"attributes": value})}
                    for key, value in devices.items()
                ],
            },
            **more,
        )

    def claim(self, name, *devices, driver=NVIDIA, node="n", spec=None, **more):
        """Devices: names, or results without what all have."""
        results = [
            {
                "driver": driver,
                "pool": node,
                "request": "r",
                **(device if isinstance(device, dict) else {"device": device}),
            }
            for device in devices
        ]
        return self.object(
            "ResourceClaim",
            name,
            spec or {},
            {"allocation": {"devices": {"results": results}}} if results else {},
            **more,
        )

    def template(self, name, *requests, **more):
        return self.object("ResourceClaimTemplate", name, {"spec": {"devices": {"requests": list(requests)}}}, **more)

    def gpus(self, count=1, **more):
        return {"name": "r", "exactly": {"deviceClassName": NVIDIA, "count": count, **more}}

    def user(self, name, claim=None, template=None, made=None, begin=0, end=100, node="n", limits=None):
        """A pod that ran on a node from begin to end."""
        reference = {
            "name": "c",
            **({"resourceClaimTemplateName": template} if template else {"resourceClaimName": claim}),
        }
        return self.pod(
            name,
            limits,
            spec={"nodeName": node, "resourceClaims": [reference]},
            metadata={"creationTimestamp": when(begin)},
            status={
                "phase": "Succeeded",
                "startTime": when(begin),
                "resourceClaimStatuses": [{"name": "c", "resourceClaimName": made}] if made else [],
                "containerStatuses": [{"state": {"terminated": {"startedAt": when(begin), "finishedAt": when(end)}}}],
            },
        )

    def held(self, *objects):
        self.map(self.file([self.node("n", {"cpu": "8"}, agentpool="a"), *objects]))
        return dict(self.rows("SELECT task, chips FROM allocations WHERE task IS NOT NULL"))

    def capacity(self):
        return self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool, chip")
