"""Exports of schedulers that are read again and then tell otherwise what they told before: {name: [the files of a folder, at one time and the next]}."""

import json

T = 1795240000
JOBS = "JobID|JobIDRaw|Cluster|Account|State|Submit|Start|End|ElapsedRaw|NNodes|ReqTRES|AllocTRES|NodeList\n"
EVENTS = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n"


def job(number, state, submit, start, end, chips=8, asked=None, node="n1", kind="", raw=None):
    """A line of sacct: times in seconds from T, None as Slurm writes it."""
    times = ["Unknown" if time is None else T + time for time in (submit, start, end)]
    tres = "gres/gpu={0},gres/gpu:{1}={0}" if kind else "gres/gpu={0}"
    held = "" if start is None else tres.format(chips, kind)
    return (
        "|".join(
            map(
                str,
                (
                    number,
                    raw or number,
                    "c1",
                    "a",
                    state,
                    *times,
                    "" if start is None else (1000 if end is None else end - start),
                    1,
                    tres.format(asked or chips, kind),
                    held,
                    node,
                ),
            )
        )
        + "\n"
    )


def event(kind, node, start, end, tres, reason="", state=""):
    return (
        "|".join(map(str, ("c1", kind, node, T + start, "Unknown" if end is None else T + end, reason, state, tres)))
        + "\n"
    )


def nodes(*names):
    return "".join(
        f"NodeName={name} Arch=x86_64 CPUTot=8\n   Gres=gpu:h100:8\n   State=IDLE\n   CfgTRES=cpu=8,gres/gpu=8,gres/gpu:h100=8\n"
        for name in names
    )


DONE, OTHER = job(1, "COMPLETED", 0, 0, 5000), job(2, "COMPLETED", 0, 100, 6000, node="n2")
TYPED = event("Cluster", "", -3600, None, "gres/gpu=16,gres/gpu:h100=16")
GREW = event("Cluster", "", -3600, 8000, "gres/gpu=16,gres/gpu:h100=16") + event(
    "Cluster", "", 8000, None, "gres/gpu=24,gres/gpu:h100=16,gres/gpu:b200=8"
)
SLURM = {
    "an end that was corrected": [(DONE + OTHER, TYPED), (job(1, "COMPLETED", 0, 0, 4000) + OTHER, TYPED)],
    "an end that was corrected, of the only job": [
        (job(1, "FAILED", 0, 0, 4000), ""),
        (job(1, "COMPLETED", 0, 0, 5000), ""),
    ],
    "a type that is counted from now on": [
        (job(1, "RUNNING", 0, 0, None), event("Cluster", "", -3600, None, "gres/gpu=16")),
        (DONE + job(3, "COMPLETED", 0, 200, 500, kind="h100"), TYPED),
    ],
    "a second type": [
        (job(1, "COMPLETED", 0, 0, 5000, kind="h100") + job(2, "RUNNING", 0, 100, None, kind="h100", node="n2"), TYPED),
        (
            job(1, "COMPLETED", 0, 0, 5000, kind="h100")
            + job(2, "COMPLETED", 0, 100, 9000, kind="h100", node="n2")
            + job(3, "COMPLETED", 0, 8500, 9000, kind="b200", node="n3"),
            GREW,
        ),
    ],
    "an attempt before": [
        (job(1, "COMPLETED", 1000, 1200, 4000), ""),
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "COMPLETED", 1000, 1200, 4000), ""),
    ],
    "events of several types": [(DONE, ""), (DONE, GREW)],
    "events beside nodes": [(DONE, "", nodes("n1", "n2")), (DONE, TYPED, nodes("n1", "n2"))],
    "an earlier job beside nodes": [
        (DONE, "", nodes("n1", "n2")),
        (DONE + job(3, "COMPLETED", -5000, -5000, -1000), "", nodes("n1", "n2")),
    ],
    "a node more": [(DONE, "", nodes("n1", "n2")), (DONE, "", nodes("n1", "n2", "n3"))],
    "a reason that was set anew": [
        (DONE, TYPED + event("Node", "n2", 1000, 2000, "gres/gpu=8,gres/gpu:h100=8", "xid 79", "DOWN")),
        (DONE, TYPED + event("Node", "n2", 1000, 2500, "gres/gpu=8,gres/gpu:h100=8", "firmware", "DRAIN")),
    ],
    "a job that asks for less at last": [
        (job(1, "PENDING", 0, None, None, chips=16) + OTHER, TYPED),
        (job(1, "COMPLETED", 0, 200, 900) + OTHER, TYPED),
    ],
    "the last task of an array": [
        (job("5_[1-3]", "PENDING", 0, None, None, raw=5) + OTHER, TYPED),
        (job("5_1", "COMPLETED", 0, 100, 900, raw=6) + job("5_[2-3]", "PENDING", 0, None, None, raw=5) + OTHER, TYPED),
        (
            job("5_1", "COMPLETED", 0, 100, 900, raw=6)
            + job("5_2", "COMPLETED", 0, 100, 900, raw=7)
            + job("5_3", "COMPLETED", 0, 900, 1000, raw=5)
            + OTHER,
            TYPED,
        ),
    ],
    "a job that waited again, and runs": [
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "PENDING", 1000, None, None) + OTHER, TYPED),
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "RUNNING", 1000, 1500, None) + OTHER, TYPED),
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "COMPLETED", 1000, 1500, 3000) + OTHER, TYPED),
    ],
    "a job that waited again, and was cancelled": [
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "PENDING", 1000, None, None) + OTHER, TYPED),
        (job(1, "PREEMPTED", 0, 0, 1000) + job(1, "CANCELLED by 0", 1000, None, 4000) + OTHER, TYPED),
    ],
    "a job that held a node which was down": [
        (OTHER, TYPED + event("Node", "n1", 1000, None, "gres/gpu=8,gres/gpu:h100=8", "xid 79", "DOWN")),
        (
            job(1, "NODE_FAIL", 0, 0, 1050) + OTHER,
            TYPED + event("Node", "n1", 1000, 5000, "gres/gpu=8,gres/gpu:h100=8", "xid 79", "DOWN"),
        ),
    ],
    "a job that runs on fewer": [
        (job(1, "RUNNING", 0, 0, None, asked=16) + OTHER, TYPED),
        (
            job(1, "PREEMPTED", 0, 0, 900, asked=16) + job(1, "COMPLETED", 900, 1000, 2000, chips=4, asked=16) + OTHER,
            TYPED,
        ),
    ],
}


def node_object(label, chips=8, heard="09:00"):
    labels = {
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        **({"cloud.google.com/gke-nodepool": label} if label else {}),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a", "uid": "a", "creationTimestamp": "2026-03-01T08:00:00Z", "labels": labels},
        "status": {
            "capacity": {"nvidia.com/gpu": str(chips)},
            "allocatable": {"nvidia.com/gpu": str(chips)},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": f"2026-03-01T{heard}:00Z"}],
        },
    }


def pod_object(end=None):
    state = (
        {"terminated": {"exitCode": 0, "startedAt": "2026-03-01T08:10:00Z", "finishedAt": end}}
        if end
        else {"running": {"startedAt": "2026-03-01T08:10:00Z"}}
    )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml", "uid": "p", "creationTimestamp": "2026-03-01T08:10:00Z"},
        "spec": {"nodeName": "a", "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]},
        "status": {
            "phase": "Succeeded" if end else "Running",
            "containerStatuses": [{"name": "c", "state": state}],
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-01T08:10:00Z"}],
        },
    }


def workload_object(end=None):
    conditions = [("Admitted", "Admitted", "2026-03-01T08:05:00Z"), *([("Finished", "Succeeded", end)] if end else [])]
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": "w",
            "namespace": "ml",
            "uid": "w",
            "creationTimestamp": "2026-03-01T08:00:00Z",
            "ownerReferences": [{"kind": "Pod", "name": "p", "controller": True}],
        },
        "spec": {
            "podSets": [
                {"count": 1, "template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}
            ]
        },
        "status": {
            "conditions": [
                {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": at}
                for kind, reason, at in conditions
            ]
        },
    }


KUBE = {
    "nodes that come later": [[pod_object()], [node_object("np"), pod_object("2026-03-01T08:50:00Z")]],
    "a label that comes later": [
        [node_object(None), pod_object()],
        [node_object("np", heard="10:00"), pod_object("2026-03-01T09:50:00Z")],
    ],
    "pods that come later": [
        [node_object("np"), workload_object()],
        [node_object("np", heard="10:00"), workload_object("2026-03-01T09:50:00Z"), pod_object("2026-03-01T09:50:00Z")],
    ],
    "fewer chips": [
        [node_object("np"), pod_object()],
        [node_object("np", 7, "10:00"), pod_object("2026-03-01T09:50:00Z")],
    ],
}


def slurm(jobs, events="", *more):
    return {
        "jobs.psv": JOBS + jobs,
        **({"events.psv": EVENTS + events} if events else {}),
        **{"nodes.txt": text for text in more},
    }


def kube(*items):
    return {"list.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": items})}


def folders():
    """(name, [{file: text}, ...])"""
    for name, told in SLURM.items():
        yield name, [slurm(*state) for state in told]
    for name, told in KUBE.items():
        yield name, [kube(*items) for items in told]
