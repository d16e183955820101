"""What Volcano, KAI and Run:ai write of pods that they place and evict, by way of sql/formats/kube.sql; the sums by hand."""

import json
import unittest

from kube import G, T0, Mapped, when


class Schedulers(Mapped):
    def node(self, name="n", chips=16, heard=7200, **labels):
        node = super().node(name, {G: str(chips)}, agentpool="a", **labels)
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(heard), "lastTransitionTime": when(0)}
        ]
        return node

    def runs(
        self,
        name,
        chips=0,
        start=100,
        end=None,
        deleted=None,
        annotations=None,
        labels=None,
        owner=None,
        uid="",
        conditions=(),
        node="n",
    ):
        ended = (
            {
                "phase": "Succeeded",
                "containerStatuses": [{"state": {"terminated": {"startedAt": when(start), "finishedAt": when(end)}}}],
            }
            if end
            else {"phase": "Running"}
        )
        placed = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}]
        return self.pod(
            name,
            {G: chips} if chips else {},
            spec={"nodeName": node},
            status={**ended, "conditions": placed + list(conditions)},
            metadata={
                "uid": f"u-{name}{uid}",
                "creationTimestamp": when(0 if not uid else start - 10),
                "annotations": annotations or {},
                "labels": labels or {},
                **({"deletionTimestamp": when(deleted)} if deleted else {}),
                "ownerReferences": [{"kind": owner[0], "name": owner[1], "controller": True}] if owner else [],
            },
        )

    def volcano(self, name, replicas, state="Running", at=0, **status):
        return {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": "ns", "uid": "j-" + name, "creationTimestamp": when(0)},
            "spec": {
                "minAvailable": replicas,
                "tasks": [
                    {"replicas": replicas, "template": {"spec": {"containers": [{"resources": {"limits": {G: "2"}}}]}}}
                ],
            },
            "status": {"state": {"phase": state, "lastTransitionTime": when(at)}, **status},
        }

    def event(self, kind, name, reason, at):
        return {
            "kind": "Event",
            "metadata": {"name": f"{name}.{at}", "namespace": "ns", "uid": f"e-{name}", "creationTimestamp": when(at)},
            "reason": reason,
            "message": "because of reclaim",
            "involvedObject": {"kind": kind, "namespace": "ns", "name": name},
            "firstTimestamp": when(at),
            "lastTimestamp": when(at),
        }

    def watch(self, *objects):
        self.map(self.file("\n".join(json.dumps({"type": kind, "object": o}) for kind, o in objects)))

    def ledger(self, category):
        return self.rows(
            "SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = ? AND job IS NOT NULL GROUP BY 1",
            category,
        )

    def said(self, kind, objects):
        path = self.file(objects)
        self.map(path)
        return sum(n for n, in self.rows("SELECT count FROM mpg_issues WHERE kind = ? AND source = ?", kind, path))

    def test_pods_that_a_scheduler_evicted(self):
        """By a condition or an event of the pod (Volcano), or an event of its group (KAI): they ask again at once; a pod that was deleted otherwise does not."""
        evict = [{"type": "Ready", "status": "False", "reason": "Evict", "lastTransitionTime": when(1000)}]
        group = {"pod-group-name": "pg"}
        for conditions, annotations, events, outcome in (
            (evict, {}, [], "preempted"),
            ([], {}, [self.event("Pod", f"j-w-{i}", "Evict", 1000) for i in range(2)], "preempted"),
            ([], group, [self.event("PodGroup", "pg", "Evict", 1000)], "preempted"),
            ([], group, [self.event("PodGroup", "other", "Evict", 1000)], "cancelled"),
            ([], group, [self.event("PodGroup", "pg", "Evict", 500)], "cancelled"),
            ([], {}, [], "cancelled"),
        ):
            with self.subTest(events=events, conditions=conditions):
                pods = [
                    (f"j-w-{i}", {"labels": {"volcano.sh/job-name": "j"}, "annotations": annotations}) for i in range(2)
                ]
                self.watch(
                    ("ADDED", self.node()),
                    ("ADDED", self.volcano("j", 2)),
                    *(
                        ("DELETED", self.runs(name, 2, deleted=1030, conditions=conditions, **more))
                        for name, more in pods
                    ),
                    *(("ADDED", self.runs(name, 2, 2000, uid="again", **more)) for name, more in pods),
                    *(("ADDED", event) for event in events),
                )
                self.assertEqual(
                    [(1, 1030, outcome), (2, None, None)],
                    self.rows("SELECT DISTINCT attempt, end_time - ?, outcome FROM allocations ORDER BY 1", T0),
                )
                self.assertEqual([("ns/j", 4 * (100 + (970 if outcome == "preempted" else 0)))], self.ledger("queued"))

    def test_restarts_whose_pods_are_gone(self):
        """Volcano counts how often it made all pods anew, under their names, JobSet too: what those before held is listed."""
        pods = [self.runs(f"j-w-{i}", 2, labels={"volcano.sh/job-name": "j"}) for i in range(2)]
        before = [self.runs("j-w-0", 2, 10, 20, uid="before", labels={"volcano.sh/job-name": "j"})]
        for more, expected in (({}, 0), ({"retryCount": 1}, 1), ({"retryCount": 3}, 3)):
            self.assertEqual(expected, self.said("missing_pods", [self.node(), self.volcano("j", 2, **more), *pods]))
        self.assertEqual(
            0, self.said("missing_pods", [self.node(), self.volcano("j", 2, retryCount=1), *pods, *before])
        )
        jobset = {
            "kind": "JobSet",
            "metadata": {"name": "s", "namespace": "ns", "uid": "s", "creationTimestamp": when(0)},
            "status": {"restarts": 2},
            "spec": {
                "replicatedJobs": [
                    {"template": {"spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}}}}
                ]
            },
        }
        name = "jobset.sigs.k8s.io/"
        self.assertEqual(
            1,
            self.said(
                "missing_pods",
                [
                    self.node(),
                    jobset,
                    *(
                        self.runs(
                            f"s-{i}",
                            2,
                            1000 * i,
                            1000 * i + 500,
                            labels={name + "jobset-name": "s", name + "restart-attempt": str(i)},
                        )
                        for i in (1, 2)
                    ),
                ],
            ),
        )

    def test_parts_of_gpus(self):
        """By a fraction, by memory of a GPU whose size a label of the node has, or by what Run:ai gave; of several GPUs. Without any of these it is listed."""
        size = {"nvidia.com/gpu.memory": "81920"}
        for annotations, labels, chips in (
            ({"gpu-fraction": "0.5"}, {}, 0.5),
            ({"gpu-fraction": "0.25", "gpu-fraction-num-devices": "4"}, {}, 1),
            ({"gpu-memory": "20480"}, size, 0.25),
            ({"gpu-memory": "20480", "gpu-fraction-num-devices": "2"}, size, 0.5),
            ({"gpu-memory": "20480", "runai-allocated-gpus": "0.26"}, {}, 0.26),
            ({"gpu-memory": "163840"}, size, 1),
            ({"gpu-memory": "20480"}, {}, None),
            ({"gpu-fraction": "1.5"}, size, None),
        ):
            with self.subTest(annotations=annotations):
                self.assertEqual(
                    0 if chips else 1,
                    self.said("uncounted_resource", [self.node(**labels), self.runs("p", annotations=annotations)]),
                )
                self.assertEqual([] if chips is None else [(chips,)], self.rows("SELECT chips FROM allocations"))

    def test_jobs_of_parts_of_gpus(self):
        """They ask for as many parts as they have pods, and are whole with all."""
        template = {"metadata": {"annotations": {"gpu-fraction": "0.5"}}, "spec": {"containers": [{}]}}
        pods = lambda kind: [self.runs("j-0", annotations={"gpu-fraction": "0.5"}, owner=(kind, "j"))]
        for kind, spec, chips, least in (
            ("Job", {"parallelism": 2, "completions": 2, "template": template}, 1, None),
            ("Job", {"parallelism": 2, "completions": 5, "template": template}, 1, 0.5),
            (
                "PyTorchJob",
                {
                    "pytorchReplicaSpecs": {
                        "Master": {"replicas": 1, "template": template},
                        "Worker": {"replicas": 3, "template": template},
                    }
                },
                2,
                None,
            ),
        ):
            self.map(
                self.file(
                    [
                        self.node(),
                        {
                            "apiVersion": "batch/v1",
                            "kind": kind,
                            "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
                            "spec": spec,
                        },
                        *pods(kind),
                    ]
                )
            )
            self.assertEqual([(chips, least)], self.rows("SELECT chips, min_chips FROM jobs"))
            self.assertEqual([("ns/j", 0.5 * 7100)], self.ledger("untraced" if least else "partial"))
            self.assertEqual([("ns/j", chips * 100 + (chips - 0.5) * 7100)], self.ledger("queued"))

    def test_objects_that_do_not_say_how_many_pods_they_had(self):
        """A DaemonSet has a pod for each node, a Rollout or a service of Knative as many as it wants now: what pods hold is whole, and what is missing to say more is listed."""
        template = {"spec": {"containers": [{"resources": {"limits": {G: "1"}}}]}}
        for version, kind, labels, owner, job, phase in (
            ("apps/v1", "DaemonSet", {}, ("DaemonSet", "s"), "ns/s", None),
            (
                "argoproj.io/v1alpha1",
                "Rollout",
                {"rollouts-pod-template-hash": "7d4"},
                ("ReplicaSet", "s-7d4"),
                "ns/s",
                "serving",
            ),
            (
                "serving.knative.dev/v1",
                "Service",
                {"serving.knative.dev/service": "s"},
                ("ReplicaSet", "s-00001-deployment-7d4"),
                "ns/s",
                "serving",
            ),
            ("example.org/v1", "Clique", {}, ("Clique", "s"), "ns/s", None),
        ):
            with self.subTest(kind=kind):
                maker = {
                    "apiVersion": version,
                    "kind": kind,
                    "metadata": {"name": "s", "namespace": "ns", "uid": "s", "creationTimestamp": when(0)},
                    "spec": {"template": template} if kind != "Clique" else {},
                }
                path = self.file(
                    [self.node(), maker, *(self.runs(f"s-{i}", 1, labels=labels, owner=owner) for i in range(3))]
                )
                self.map(path)
                self.assertEqual([(job, None, phase)], self.rows("SELECT job, chips, phase FROM jobs"))
                self.assertEqual(([(job, 3 * 7100)], []), (self.ledger("untraced"), self.ledger("queued")))
                self.rows("SELECT count(*) FROM trace_rollup(?)", path)
                self.assertEqual(0 if phase else 1, self.issues(path).get("missing_field", 0))

    def test_pods_that_only_a_group_holds_together(self):
        """Each is a job: listed where the group needs several."""
        for word in ("pod-group-name", "scheduling.k8s.io/group-name"):
            for least, owner, expected in ((2, None, 1), (1, None, 0), (2, ("Job", "j"), 0)):
                group = {
                    "apiVersion": "scheduling.volcano.sh/v1beta1",
                    "kind": "PodGroup",
                    "metadata": {"name": "pg", "namespace": "ns", "uid": "pg", "creationTimestamp": when(0)},
                    "spec": {"minMember": least},
                }
                path = self.file(
                    [
                        self.node(),
                        group,
                        *(self.runs(f"p-{i}", 1, annotations={word: "pg"}, owner=owner) for i in range(2)),
                    ]
                )
                self.rows("SELECT count(*) FROM trace_rollup(?)", path)
                self.assertEqual(expected, self.issues(path).get("unknown_kind", 0))

    def test_pods_that_other_schedulers_hold_together(self):
        """By a label of coscheduling, an application of YuniKorn, a Workload of Kubernetes itself."""
        tasks = {"yunikorn.apache.org/task-group-name": "w"}
        for labels, annotations, spec, owner, expected in (
            ({"scheduling.x-k8s.io/pod-group": "g"}, {}, {}, None, 1),
            ({"pod-group.scheduling.sigs.k8s.io": "g"}, {}, {}, None, 1),
            ({"scheduling.x-k8s.io/pod-group": "g"}, {}, {}, ("Job", "j"), 0),
            ({"applicationId": "app"}, tasks, {}, None, 1),
            ({"applicationId": "app"}, {}, {}, None, 0),
            ({}, {**tasks, "yunikorn.apache.org/app-id": "app"}, {}, None, 1),
            ({}, {}, {"workloadRef": {"name": "w", "podGroup": "g"}}, None, 1),
            ({}, {}, {"schedulingGroup": {"podGroupName": "g"}}, None, 1),
        ):
            pods = [self.runs(f"p-{i}", 1, annotations=annotations, owner=owner) for i in range(2)]
            for pod in pods:
                pod["metadata"].setdefault("labels", {}).update(labels)
                pod["spec"].update(spec)
            path = self.file([self.node(), *pods])
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(expected, self.issues(path).get("unknown_kind", 0), (labels, annotations, spec))

    def test_jobs_of_run_ai(self):
        """Their pods run in parallel, as those of a Job."""
        job = {
            "apiVersion": "run.ai/v1",
            "kind": "RunaiJob",
            "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
            "spec": {
                "parallelism": 2,
                "completions": 2,
                "template": {"spec": {"containers": [{"resources": {"limits": {G: "2"}}}]}},
            },
        }
        self.map(self.file([self.node(), job, *(self.runs(f"j-{i}", 2, owner=("RunaiJob", "j")) for i in range(2))]))
        self.assertEqual([("ns/j", 4 * 7100)], self.ledger("untraced"))
        self.assertEqual([("ns/j", 400)], self.ledger("queued"))


if __name__ == "__main__":
    unittest.main()
