"""What kube_trace says of an object: its job, the chips it needs or offers, its pods, how and when it ended.

All columns of the fixtures are held against a reading of them in Python."""

import datetime
import json
import unittest

from kube import CLUSTER, G, T0, TPU, WATCH, Case, when


def seconds(text):
    return text and int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def read_plain(path):
    """(line, event, object) of every object of a file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        line = text.count("\n", 0, at) + 1
        if "items" in value:
            for item in value["items"]:
                yield None, None, item
        elif "object" in value:
            yield line, value["type"], value["object"]
        else:
            yield line, None, value
        at = end + len(text[end:]) - len(text[end:].lstrip())


def condition(obj, kind, key="lastTransitionTime", status="True"):
    for c in obj.get("status", {}).get("conditions", []):
        if c["type"] == kind and (status is None or c["status"] == status):
            return c.get(key)
    return None


def container_chips(spec):
    return sum(int(v) for c in spec["containers"] for k, v in c["resources"]["limits"].items() if k in (G, TPU))


def chips(obj):
    spec = obj["spec"]
    if obj["kind"] == "Node":
        return sum(int(v) for k, v in obj["status"]["capacity"].items() if k in (G, TPU))
    if obj["kind"] == "Pod":
        return container_chips(spec)
    if obj["kind"] == "Workload":
        return sum(s["count"] * container_chips(s["template"]["spec"]) for s in spec["podSets"])
    return sum(
        r["replicas"]
        * r["template"]["spec"]["parallelism"]
        * container_chips(r["template"]["spec"]["template"]["spec"])
        for r in spec["replicatedJobs"]
    )


class Files(Case):
    def compare(self, path):
        found = self.rows(
            """SELECT _line, event, apiVersion, kind, namespace, name, uid, resourceVersion, creationTimestamp, deletionTimestamp, priority, phase,
                                    nodeName, chips, scheduled, ready, admitted, evicted, evicted_reason, quota_reserved, pods_ready, requeued, disruption,
                                    started, exit_code, json(conditions), json(labels), json(spec), json(status) FROM kube_trace(?)""",
            path,
        )
        wanted = []
        for line, event, obj in read_plain(path):
            meta, spec, status = obj["metadata"], obj["spec"], obj["status"]
            state = (status.get("containerStatuses") or [{"state": {}}])[0]["state"]
            run, over = state.get("running", {}), state.get("terminated", {})
            wanted.append(
                (
                    line,
                    event,
                    obj["apiVersion"],
                    obj["kind"],
                    meta.get("namespace"),
                    meta["name"],
                    meta["uid"],
                    meta["resourceVersion"],
                    seconds(meta["creationTimestamp"]),
                    seconds(meta.get("deletionTimestamp")),
                    spec.get("priority"),
                    status.get("phase"),
                    spec.get("nodeName"),
                    float(chips(obj)) or None,
                    seconds(condition(obj, "PodScheduled")),
                    condition(obj, "Ready", "status", None),
                    seconds(condition(obj, "Admitted")),
                    seconds(condition(obj, "Evicted")),
                    condition(obj, "Evicted", "reason"),
                    seconds(condition(obj, "QuotaReserved")),
                    seconds(condition(obj, "PodsReady")),
                    seconds(condition(obj, "Requeued")),
                    condition(obj, "DisruptionTarget", "reason"),
                    seconds(run.get("startedAt") or over.get("startedAt")),
                    over.get("exitCode"),
                    *(
                        x if x is None else json.dumps(x, separators=(",", ":"))
                        for x in (status.get("conditions"), meta.get("labels"), spec, status)
                    ),
                )
            )
        if wanted[0][0] is None:
            found = [(None,) + row[1:] for row in found]
        self.assertEqual(found, wanted)
        return len(found)

    def test_fixtures(self):
        self.assertEqual(self.compare(WATCH), 27)
        self.assertEqual(self.compare(CLUSTER), 9)
        self.assertEqual(self.issues(WATCH), {})
        # Items begin where their brace is.
        with open(CLUSTER, encoding="utf-8") as file:
            starts = [i for i, line in enumerate(file, 1) if line == "    {\n"]
        self.assertEqual([row[0] for row in self.rows("SELECT _line FROM kube_trace(?)", CLUSTER)], starts)

    def test_jobs(self):
        labels = [
            ("workload.codeflare.dev/appwrapper", "aw"),
            ("jobset.sigs.k8s.io/jobset-name", "js"),
            ("training.kubeflow.org/job-name", "kf"),
            ("ray.io/originated-from-cr-name", "rj"),
            ("ray.io/cluster", "rc"),
            ("leaderworkerset.sigs.k8s.io/name", "lws"),
            ("kueue.x-k8s.io/pod-group-name", "pg"),
            ("volcano.sh/job-name", "vj"),
            ("skypilot-cluster-name", "sky"),
            ("batch.kubernetes.io/job-name", "bj"),
            ("job-name", "old"),
        ]
        rank = {"kind": "Job", "name": "owner", "controller": True}
        for i in range(len(labels)):
            pod = self.pod(metadata={"labels": dict(reversed(labels[i:])), "ownerReferences": [rank]})
            self.assertEqual(self.one("SELECT job FROM kube_trace(?)", self.file(pod)), "ns/" + labels[i][1])
        for owners, more, job in (
            ([rank], {}, "ns/owner"),
            ([{"kind": "X", "name": "first"}, rank, {"kind": "Y", "name": "last"}], {}, "ns/owner"),
            ([{"kind": "X", "name": "first"}, {"kind": "Y", "name": "last"}], {}, "ns/first"),
            ([], {}, "ns/p"),
            (
                [{"kind": "ReplicaSet", "name": "web-5d4c", "controller": True}],
                {"labels": {"pod-template-hash": "5d4c"}},
                "ns/web",
            ),
        ):
            pod = self.pod(metadata={"ownerReferences": owners, **more})
            self.assertEqual(self.one("SELECT job FROM kube_trace(?)", self.file(pod)), job)
        for owner, job in (
            ({"kind": "JobSet", "name": "js", "controller": True}, "ns/js"),
            ({"kind": "Pod", "name": "one-of-many"}, "ns/group"),
            ({"kind": "StatefulSet", "name": "web"}, "ns/group"),
            ({"kind": "Pod", "name": "alone", "controller": True}, "ns/alone"),
        ):
            self.assertEqual(
                self.one(
                    "SELECT job FROM kube_trace(?)",
                    self.file(
                        {
                            "kind": "Workload",
                            "metadata": {"name": "group", "namespace": "ns", "ownerReferences": [owner]},
                        }
                    ),
                ),
                job,
            )
        self.assertIsNone(self.one("SELECT job FROM kube_trace(?)", self.file(self.node("n", {}))))

    def test_a_pods_need(self):
        def c(n, **more):
            return {"resources": {"limits": {G: n}}, **more}

        for spec, need in (
            ({"containers": [c("1"), c("2")]}, 3),
            ({"containers": [{"resources": {"requests": {G: 4}}}]}, 4),
            ({"containers": [c("1")], "initContainers": [c("5")]}, 5),
            ({"containers": [c("4")], "initContainers": [c("1", restartPolicy="Always")]}, 5),
            ({"containers": [c("1")], "initContainers": [c("1", restartPolicy="Always"), c("6")]}, 7),
            ({"containers": [c("1")], "initContainers": [c("6"), c("1", restartPolicy="Always")]}, 6),
            ({"containers": [{"resources": {"limits": {G: "0", "cpu": "4"}}}]}, None),
            ({"containers": [{}]}, None),
        ):
            self.assertEqual(self.one("SELECT chips FROM kube_trace(?)", self.file(self.pod(spec=spec))), need, spec)
        two = self.pod(limits={"nvidia.com/mig-1g.5gb": "2", "nvidia.com/mig-3g.20gb": 1})
        self.assertEqual(
            self.rows("SELECT resource, chips, resources FROM kube_trace(?)", self.file(two)),
            [
                (
                    "nvidia.com/mig-3g.20gb",
                    0.714285,
                    '{"nvidia.com/mig-1g.5gb":0.285714,"nvidia.com/mig-3g.20gb":0.428571}',
                )
            ],
        )

    def test_what_makes_pods(self):
        template = {"spec": {"containers": [{"resources": {"limits": {G: "8"}}}]}}
        for kind, spec, told in (
            ("Job", {"parallelism": 3, "completions": 2, "template": template}, (2, 16, None)),
            ("Job", {"template": template}, (1, 8, None)),
            (
                "PyTorchJob",
                {
                    "pytorchReplicaSpecs": {
                        "Master": {"template": template},
                        "Worker": {"replicas": 3, "template": template},
                    }
                },
                (4, 32, None),
            ),
            (
                "JobSet",
                {"replicatedJobs": [{"replicas": 2, "template": {"spec": {"parallelism": 2, "template": template}}}]},
                (4, 32, None),
            ),
            ("Job", {"parallelism": 3, "completions": 7, "template": template}, (3, 24, 8)),
            ("Job", {"completions": 7, "template": template}, (1, 8, None)),
            ("Job", {"parallelism": 3, "completions": 3, "template": template}, (3, 24, None)),
            ("Job", {"parallelism": 3, "template": template}, (3, 24, None)),
            ("Deployment", {"replicas": 5, "template": template}, (5, 40, None)),
            (
                "PyTorchJob",
                {
                    "elasticPolicy": {"minReplicas": 2, "maxReplicas": 6},
                    "pytorchReplicaSpecs": {"Worker": {"replicas": 4, "template": template}},
                },
                (4, 32, 16),
            ),
            (
                "PyTorchJob",
                {
                    "elasticPolicy": {"rdzvBackend": "c10d"},
                    "pytorchReplicaSpecs": {"Worker": {"replicas": 4, "template": template}},
                },
                (4, 32, None),
            ),
            (
                "HyperPodPyTorchJob",
                {"replicaSpecs": [{"name": "pods", "replicas": 4, "spares": 2, "template": template}]},
                (4, 32, None),
            ),
            (
                "HyperPodPyTorchJob",
                {
                    "elasticPolicy": {"minReplicas": 2},
                    "replicaSpecs": [{"name": "pods", "replicas": 4, "template": template}],
                },
                (4, 32, 16),
            ),
            (
                "ElasticJob",
                {"replicaSpecs": {"worker": {"replicas": 3, "template": template}}},
                (3, 24, None),
            ),  # DLRover's
            (
                "Job",
                {
                    "minAvailable": 3,
                    "tasks": [{"replicas": 1, "template": template}, {"replicas": 2, "template": template}],
                },
                (None, None, None),
            ),  # none of batch/v1
            (
                "Workload",
                {
                    "podSets": [
                        {"count": 4, "minCount": 2, "template": template},
                        {"count": 1, "template": {"spec": {"containers": [{}]}}},
                    ]
                },
                (5, 32, 16),
            ),
            (
                "LeaderWorkerSet",
                {"replicas": 3, "leaderWorkerTemplate": {"size": 4, "workerTemplate": template}},
                (12, 96, 32),
            ),
            (
                "LeaderWorkerSet",
                {
                    "replicas": 3,
                    "leaderWorkerTemplate": {
                        "size": 4,
                        "workerTemplate": template,
                        "leaderTemplate": {"spec": {"containers": [{}]}},
                    },
                },
                (12, 72, 24),
            ),
            ("LeaderWorkerSet", {"leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}, (2, 16, None)),
            (
                "LeaderWorkerSet",
                {"replicas": 0, "leaderWorkerTemplate": {"size": 2, "workerTemplate": template}},
                (None, 0, None),
            ),
            ("LeaderWorkerSet", {"replicas": 2, "leaderWorkerTemplate": {"workerTemplate": template}}, (2, 16, 8)),
            ("LeaderWorkerSet", {"replicas": 2}, (None, None, None)),
            (
                "JobSet",
                {
                    "replicatedJobs": [
                        {"name": "driver", "template": {"spec": {"template": {"spec": {"containers": [{}]}}}}},
                        {
                            "replicas": 3,
                            "template": {"spec": {"parallelism": 4, "completions": 2, "template": template}},
                        },
                        {"replicas": 0, "template": {"spec": {"parallelism": 4, "template": template}}},
                    ]
                },
                (7, 48, None),
            ),
            ("ConfigMap", {}, (None, None, None)),
        ):
            path = self.file({"kind": kind, "metadata": {"name": "x", "namespace": "ns"}, "spec": spec})
            self.assertEqual(self.rows("SELECT pods, chips, min_chips FROM kube_trace(?)", path), [told], kind)

    def test_jobs_of_volcano(self):
        """Their tasks are sets; with fewer than all pods available those that are left out may be the greatest."""

        def job(tasks, phase="Running", **spec):
            template = {n: {"spec": {"containers": [{"resources": {"limits": {G: n}}}]}} for n in (0, 2, 8)}
            return {
                "apiVersion": "batch.volcano.sh/v1alpha1",
                "kind": "Job",
                "metadata": {"name": "x", "namespace": "ns"},
                "status": {"state": {"phase": phase, "lastTransitionTime": when(9)}},
                "spec": {
                    "schedulerName": "volcano",
                    **spec,
                    "tasks": [
                        {"name": f"t{n}", "replicas": replicas, "template": template[n]} for n, replicas in tasks
                    ],
                },
            }

        for obj, told in (
            (job([(8, 3)], minAvailable=3), (3, 24, None, None, None)),
            (job([(8, 3)], minAvailable=2), (3, 24, 16, None, None)),
            (job([(8, 3)]), (3, 24, None, None, None)),
            (job([(0, 1), (8, 2)], minAvailable=3), (3, 16, None, None, None)),
            (job([(2, 1), (8, 2)], minAvailable=2), (3, 18, 10, None, None)),
            (job([(0, 1), (8, 1)], minAvailable=1, phase="Pending"), (2, 8, 0, None, None)),
            (job([(8, 1)], "Completed"), (1, 8, None, "completed", 9)),
            (job([(8, 1)], "Failed"), (1, 8, None, "failed", 9)),
            (job([(8, 1)], "Terminated"), (1, 8, None, "failed", 9)),
            (job([(8, 1)], "Aborted"), (1, 8, None, "cancelled", 9)),
        ):
            self.assertEqual(
                self.rows(
                    "SELECT pods, chips, min_chips, outcome, finished - ? FROM kube_trace(?)", T0, self.file(obj)
                ),
                [told],
                obj,
            )

    def test_nodes(self):
        mi300x = "AMD_Instinct_MI300X_OAM"
        gke = {
            "cloud.google.com/gke-accelerator": "nvidia-l4"
        }  # whose plugin offers parts of GPUs by the name of whole ones, too
        for capacity, labels, told in (
            (
                {G: "8", "cpu": "96"},
                {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
                (8, 1, "NVIDIA-H100-80GB-HBM3"),
            ),
            (
                {G: "32"},
                {"nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "nvidia.com/gpu.replicas": "4"},
                (32, 0.25, "NVIDIA-L4-SHARED"),
            ),
            (
                {G: "56"},
                {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"},
                (56, 0.142857, "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"),
            ),
            ({G: "0", "nvidia.com/mig-3g.40gb": "2"}, {}, (0.857142, 1, None)),
            *(
                (
                    {"amd.com/gpu": str(8 * parts)},
                    {"amd.com/compute-memory-partition": mode, "amd.com/gpu.product-name": product},
                    (8 * parts, 1000000 // parts / 1e6, product),
                )
                for mode, parts, product in (
                    ("spx_nps1", 1, mi300x),
                    ("dpx_nps2", 2, mi300x),
                    ("qpx_nps4", 4, mi300x),
                    ("cpx_nps4", 8, mi300x),
                    ("cpx_nps1", 6, "AMD_Instinct_MI300A"),
                    ("tpx_nps1", 3, "AMD_Instinct_MI300A"),
                )
            ),
            ({G: "8"}, {"amd.com/compute-memory-partition": "cpx_nps4"}, (8, 1, None)),
            (
                {G: "4"},
                {
                    **gke,
                    "cloud.google.com/gke-gpu-sharing-strategy": "time-sharing",
                    "cloud.google.com/gke-max-shared-clients-per-gpu": "4",
                },
                (4, 0.25, "nvidia-l4"),
            ),
            (
                {G: "7"},
                {**gke, "cloud.google.com/gke-gpu-partition-size": "1g.5gb", "nvidia.com/gpu.replicas": "1"},
                (7, 0.142857, "nvidia-l4"),
            ),
            (
                {G: "6"},
                {
                    **gke,
                    "cloud.google.com/gke-gpu-partition-size": "3g.20gb",
                    "cloud.google.com/gke-max-shared-clients-per-gpu": "3",
                    "nvidia.com/gpu.replicas": "1",
                },
                (6, 0.142857, "nvidia-l4"),
            ),
            (
                {G: "4"},
                {"nvidia.com/gpu.product": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-MIG-1g.24gb"},
                (4, 0.25, "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-MIG-1g.24gb"),
            ),
            (
                {G: "4"},
                {
                    "cloud.google.com/gke-accelerator": "nvidia-rtx-pro-6000",
                    "cloud.google.com/gke-gpu-partition-size": "1g.24gb",
                },
                (4, 0.25, "nvidia-rtx-pro-6000"),
            ),
            (
                {G: "4"},
                {"nvidia.com/gpu.product": "NVIDIA-GH200-480GB-MIG-1g.24gb"},
                (4, 0.142857, "NVIDIA-GH200-480GB-MIG-1g.24gb"),
            ),
            (
                {G: "14"},
                {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "nvidia.com/gpu.replicas": "2"},
                (14, 0.071428, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED"),
            ),
            (
                {"aws.amazon.com/neuron": "16", "aws.amazon.com/neurondevice": "16", "aws.amazon.com/neuroncore": "32"},
                {"node.kubernetes.io/instance-type": "trn1.32xlarge"},
                (16, 1, "trn1.32xlarge"),
            ),
            ({"cpu": "4"}, {}, (None, None, None)),
        ):
            path = self.file(self.node("n", capacity, **labels))
            self.assertEqual(self.rows("SELECT chips, share, product FROM kube_trace(?)", path), [told])
            self.assertEqual(self.issues(path), {})
        node = self.node("n", {G: "8"})
        node["status"]["allocatable"] = {G: "7"}
        node["spec"]["unschedulable"] = True
        self.assertEqual(
            self.rows("SELECT chips, allocatable, unschedulable FROM kube_trace(?)", self.file(node)), [(8, 7, 1)]
        )

    def test_outcomes(self):
        def pod(phase, reason=None, disruption=None, deleted=None):
            conditions = [{"type": "DisruptionTarget", "status": "True", "reason": disruption}] if disruption else []
            return self.pod(
                status={"phase": phase, "reason": reason, "conditions": conditions},
                metadata={"deletionTimestamp": deleted},
            )

        def workload(kind, reason, message=""):
            return {
                "kind": "Workload",
                "metadata": {"name": "w", "namespace": "ns"},
                "status": {
                    "conditions": [
                        {
                            "type": kind,
                            "status": "True",
                            "reason": reason,
                            "message": message,
                            "lastTransitionTime": when(0),
                        }
                    ]
                },
            }

        def job(kind, reason):
            return {
                "kind": "Job",
                "metadata": {"name": "j", "namespace": "ns"},
                "status": {
                    "conditions": [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(0)}]
                },
            }

        for obj, outcome in (
            (pod("Running"), None),
            (pod("Pending"), None),
            (pod("Succeeded"), "completed"),
            (pod("Failed"), "failed"),
            (pod("Failed", "Evicted"), "preempted"),
            (pod("Failed", "DeadlineExceeded"), "timeout"),
            (pod("Failed", "NodeLost"), "node_fail"),
            (pod("Failed", None, "PreemptionByScheduler"), "preempted"),
            (pod("Failed", None, "DeletionByTaintManager"), "node_fail"),
            (pod("Running", None, "DeletionByDeviceTaintManager", when(1)), "node_fail"),
            (pod("Failed", "Evicted", "TerminationByKubelet"), "preempted"),
            (pod("Failed", "Terminated", "TerminationByKubelet"), "node_fail"),
            (pod("Failed", "NodeShutdown", "TerminationByKubelet"), "node_fail"),
            (pod("Failed", None, "TerminationByKubelet"), "preempted"),
            (pod("Running", None, None, when(1)), "cancelled"),
            (pod("Running", None, "EvictionByEvictionAPI", when(1)), "preempted"),
            (workload("Finished", "Succeeded"), "completed"),
            (workload("Finished", "Failed"), "failed"),
            (workload("Finished", "WorkloadSliceReplaced"), "preempted"),
            (workload("Finished", "JobFinished", "Job finished successfully"), "completed"),
            (workload("Finished", "JobFinished", "backoff limit"), "failed"),
            (workload("Evicted", "Preempted"), "preempted"),
            (workload("Evicted", "PodsReadyTimeout"), "timeout"),
            (workload("Evicted", "NodeFailures"), "node_fail"),
            (workload("Evicted", "Deactivated"), "cancelled"),
            (workload("Evicted", "DeactivatedDueToMaximumExecutionTimeExceeded"), "timeout"),
            (workload("Evicted", "DeactivatedDueToRequeuingLimitExceeded"), "failed"),
            (workload("Evicted", "DeactivatedDueToAdmissionCheck"), "cancelled"),
            (workload("Evicted", "InactiveWorkload"), "cancelled"),
            (workload("Evicted", "InactiveWorkloadAdmissionCheck"), "cancelled"),
            (workload("Evicted", "InactiveWorkloadRequeuingLimitExceeded"), "failed"),
            (workload("Evicted", "AdmissionCheck"), "preempted"),
            (workload("Admitted", "Admitted"), None),
            (job("Complete", "CompletionsReached"), "completed"),
            (job("Failed", "BackoffLimitExceeded"), "failed"),
            (job("Failed", "DeadlineExceeded"), "timeout"),
            (job("Suspended", "JobSuspended"), None),
        ):
            self.assertEqual(self.one("SELECT outcome FROM kube_trace(?)", self.file(obj)), outcome, obj)

    def test_containers(self):
        def status(*states):
            return {"containerStatuses": [{"restartCount": i, **state} for i, state in enumerate(states)]}

        def over(start, end, code, reason):
            return {
                "state": {
                    "terminated": {
                        "startedAt": when(start),
                        "finishedAt": when(end),
                        "exitCode": code,
                        "reason": reason,
                    }
                }
            }

        sql = "SELECT started - ?1, finished - ?1, exit_code, exit_reason, restarts FROM kube_trace(?2)"
        for states, told in (
            ([over(5, 9, 0, "Completed"), over(4, 8, 137, "OOMKilled")], (4, 9, 137, "OOMKilled", 1)),
            ([over(5, 9, 3, "Error"), over(4, 8, 137, "OOMKilled")], (4, 9, 3, "Error", 1)),
            (
                [over(5, 9, 0, "Completed"), {"state": {"running": {"startedAt": when(6)}}}],
                (5, None, 0, "Completed", 1),
            ),
            (
                [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": over(1, 2, 1, "Error")["state"]}],
                (1, None, None, "CrashLoopBackOff", 0),
            ),
        ):
            self.assertEqual(self.rows(sql, T0, self.file(self.pod(status=status(*states)))), [told])


if __name__ == "__main__":
    unittest.main()
