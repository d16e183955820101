"""What jobs ask for and when it is theirs, in the mapping sql/formats/kube.sql: Kueue's Workloads, with pods and without, deactivated ones,
jobs whose pods are gone, and pods that do not wait for each other."""

import json
import os
import re
import unittest

from fleets import ROOT
from kube import G, TPU, Mapped, when


class Mapping(Mapped):
    def test_workloads_without_pods(self):
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")},
                            self.workload("done", 1, ("Admitted", "Admitted", 10), ("Finished", "Succeeded", 50)),
                            self.workload("gone", 2, event="DELETED", deleted=when(30)),
                            self.workload("waits", 3),
                            self.workload("again", 4, ("Admitted", "Admitted", 5), ("Evicted", "Preempted", 20)),
                            self.workload("runs", 5, ("Admitted", "Admitted", 40)),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.allocations(),
            [
                ("ns/again", 1, None, "a", 2, 5, 20, "preempted"),
                ("ns/again", 2, None, "a", 0, 20, None, None),
                ("ns/done", 1, None, "a", 2, 10, 50, "completed"),
                ("ns/gone", 1, None, "kubernetes", 0, 30, 30, "cancelled"),
                ("ns/runs", 1, None, "a", 2, 40, None, None),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job"),
            [("ns/again", 2 * (5 + 30)), ("ns/done", 20), ("ns/gone", 60), ("ns/runs", 80), ("ns/waits", 100)],
        )

    def test_workloads_of_several_flavors(self):
        """Each set of pods holds chips of the flavor that it was assigned."""

        def mapped(*sets):
            workload = self.workload("j", 2, ("Admitted", "Admitted", 10))
            workload["object"]["spec"]["podSets"] = [
                {
                    "name": str(n),
                    "count": count,
                    "template": {"spec": {"containers": [{"resources": {"requests": {resource: chips}}}]}},
                }
                for n, (count, resource, chips, _) in enumerate(sets)
            ]
            workload["object"]["status"]["admission"] = {
                "podSetAssignments": [
                    {
                        "name": str(n),
                        "count": count,
                        "flavors": {resource: flavor, "cpu": "other"},
                        "resourceUsage": {resource: str(count * chips), "cpu": "9"},
                    }
                    for n, (count, resource, chips, flavor) in enumerate(sets)
                ]
            }
            nodes = [self.node(name, {G: "8"}, agentpool=name) for name in "ab"]
            nodes.append(self.node("t", {TPU: "4"}, agentpool="t"))
            events = [*({"type": "ADDED", "object": node} for node in nodes), workload]
            self.map(self.file("\n".join(map(json.dumps, events))))
            self.assertEqual(self.rows("SELECT count(DISTINCT attempt), count(task) FROM allocations"), [(1, 0)])
            return self.rows("SELECT pool, chips FROM allocations ORDER BY 1")

        self.assertEqual(mapped((1, G, 8, "a"), (2, G, 8, "b")), [("a", 8), ("b", 16)])
        self.assertEqual(mapped((1, G, 8, "a"), (2, G, 4, "a")), [("a", 16)])
        self.assertEqual(mapped((1, G, 8, "a"), (1, TPU, 4, "t"), (1, G, 1, "t")), [("a", 8), ("t", 5)])

    def test_workloads_that_another_cluster_runs(self):
        """MultiKueue: a manager's Workload holds chips of the cluster that its status names, or its admission check, and none here."""
        got = {
            "admissionChecks": [{"name": "mk", "state": "Ready", "message": 'The workload got reservation on "west"'}]
        }
        for status, pool in (({}, "a"), ({"clusterName": "west"}, "west"), (got, "west")):
            workload = self.workload("j", 2, ("Admitted", "Admitted", 10), ("Finished", "Succeeded", 50))
            workload["object"]["status"].update(status)
            node = {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")}
            self.map(self.file("\n".join(map(json.dumps, (node, workload)))))
            self.assertEqual(self.allocations(), [("ns/j", 1, None, pool, 2, 10, 50, "completed")], status)

    def test_static_pods(self):
        """The kubelet makes them of files; in the API their owner is the node. Each is a job by itself."""
        owner = [{"apiVersion": "v1", "kind": "Node", "name": "n", "controller": True}]
        pods = [
            self.pod(
                name,
                {G: chips},
                metadata={"creationTimestamp": when(0), "ownerReferences": owner},
                spec={"nodeName": "n"},
                status={
                    "phase": "Running",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(10)}],
                },
            )
            for name, chips in (("serve-n", 4), ("probe-n", 1))
        ]
        self.map(self.file([self.node("n", {G: "8"}, agentpool="a"), *pods]))
        self.assertEqual(self.rows("SELECT job, chips FROM jobs ORDER BY 1"), [("ns/probe-n", 1), ("ns/serve-n", 4)])

    def versions(self, *conditions):
        """Versions of one Workload, each by its conditions: those that are not true any more begin with "-"."""
        versions = []
        for version, told in enumerate(conditions):
            w = self.workload("j", version + 1, *told)
            for condition in w["object"]["status"]["conditions"]:
                if condition["type"][0] == "-":
                    condition.update(type=condition["type"][1:], status="False")
            versions.append(w)
        return versions

    def test_workloads_that_were_admitted_again(self):
        """A watch of Workloads alone tells of each admission, until it was evicted, or until it is shown as admitted no more."""
        admitted, again, gone = (
            ("Admitted", "Admitted", 10),
            ("Admitted", "Admitted", 60),
            ("-Admitted", "NoReservation", 40),
        )
        evicted, done = ("Evicted", "Preempted", 40), ("Finished", "Succeeded", 90)
        node = {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")}
        first, second = ("ns/j", 1, None, "a", 2, 10, 40, "preempted"), ("ns/j", 2, None, "a", 2, 60, 90, "completed")
        for versions, held, queued in (
            (
                [[], [admitted], [evicted, gone], [again, ("-Evicted", "QuotaReserved", 60)], [again, done]],
                [first, second],
                60,
            ),
            ([[admitted], [admitted, evicted], [evicted, gone], [again, done]], [first, second], 60),
            ([[admitted], [again, done]], [(*first[:6], 60, "preempted"), (*second[:1], 1, *second[2:])], 20),
            ([[admitted], [gone]], [first], 20),
            ([[admitted], [evicted, gone]], [first, ("ns/j", 2, None, "a", 0, 40, None, None)], 20),
        ):
            with self.subTest(versions=versions):
                self.map(self.file("\n".join(map(json.dumps, [node, *self.versions(*versions)]))))
                self.assertEqual(self.allocations(), held)
                if queued > 20:
                    self.assertEqual(
                        self.one("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued'"), queued
                    )
        # Deleted, and nothing says when: at the last time before in the watch.
        (runs,) = self.versions([admitted])
        later = json.loads(json.dumps(node).replace("ADDED", "MODIFIED"))
        later["object"]["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": when(70)}]
        path = self.file("\n".join(map(json.dumps, [node, runs, later, runs | {"type": "DELETED"}])))
        self.map(path)
        self.assertEqual([row[5:7] for row in self.allocations()], [(10, 70)])
        self.assertEqual(self.one("SELECT count FROM mpg_issues WHERE kind = 'missing_end' AND source = ?", path), 1)
        # Only one that was admitted once has a condition Admitted that is False.
        for versions, missing in (
            ([[]], 0),
            ([[], [evicted]], 0),
            ([[evicted, gone]], 1),
            ([[admitted], [evicted, gone]], 0),
        ):
            path = self.file("\n".join(map(json.dumps, [node, *self.versions(*versions)])))
            self.map(path)
            self.assertEqual(
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'missing_pods' AND source = ?", path),
                missing,
            )

    def test_admissions_that_events_tell(self):
        """A listing has the last admission of a Workload; Kueue's events have those before, and how they ended."""

        def event(reason, at):
            return {
                "kind": "Event",
                "metadata": {
                    "name": f"{reason}{at}",
                    "namespace": "ns",
                    "uid": f"{reason}{at}",
                    "creationTimestamp": when(at),
                },
                "involvedObject": {"kind": "Workload", "namespace": "ns", "name": "w-j"},
                "reason": reason,
                "lastTimestamp": when(at),
            }

        (workload,) = self.versions([("Admitted", "Admitted", 60), ("Finished", "Succeeded", 90)])
        told = [event("Admitted", 10), event("EvictedDueToPreempted", 40), event("Admitted", 61)]
        first, second = ("ns/j", 1, None, "a", 2, 10, 40, "preempted"), ("ns/j", 2, None, "a", 2, 60, 90, "completed")
        for events, held, unused in (
            (told, [first, second], 1),
            (told[2:], [(*second[:1], 1, *second[2:])], 1),
            (told[:1], [(*first[:6], 60, "preempted"), (*second[:1], 1, *second[2:])], 0),
        ):
            path = self.file([self.node("n", {G: "8"}, agentpool="a"), workload["object"], *events])
            self.map(path)
            self.assertEqual(self.allocations(), held)
            self.assertEqual(
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'unused_events' AND source = ?", path),
                unused,
            )

    def test_admissions_whose_pods_wait(self):
        """A pod that has no node holds nothing, though its Workload was admitted; of the admission before nobody saw the pods."""
        admitted, again = ("Admitted", "Admitted", 10), ("Admitted", "Admitted", 60)
        evicted, gone = ("Evicted", "Preempted", 40), ("-Admitted", "NoReservation", 40)
        pod = self.pod(
            "j-0",
            {G: "2"},
            metadata={
                "creationTimestamp": when(61),
                "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}],
            },
        )
        runs = json.loads(json.dumps(pod))
        runs["spec"]["nodeName"] = "n"
        runs["status"] = {
            "phase": "Running",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(70)}],
        }
        first = ("ns/j", 1, None, "a", 2, 10, 40, "preempted")
        for versions, its, held in (
            ([[admitted]], pod, []),
            ([[admitted], [evicted, gone], [again]], pod, [first, ("ns/j", 2, None, "a", 0, 40, None, None)]),
            ([[admitted], [evicted, gone], [again]], runs, [first, ("ns/j", 2, "j-0", "a", 2, 70, None, None)]),
        ):
            with self.subTest(versions=versions):
                node = {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")}
                objects = [node, *self.versions(*versions), {"type": "ADDED", "object": its}]
                self.map(self.file("\n".join(map(json.dumps, objects))))
                self.assertEqual(self.allocations(), held)

    def test_workloads_that_were_admitted_with_fewer_pods(self):
        """Without pods: what was admitted, of one set or two, whatever their order."""

        def admitted(given, asked=4, others=0):
            w = self.workload("j", 1, ("Admitted", "Admitted", 10), ("Finished", "Succeeded", 50))["object"]
            pods = {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}
            w["spec"]["podSets"] = [{"name": "main", "count": asked, "minCount": 1, "template": pods}] + [
                {"name": "rest", "count": others, "template": pods}
            ] * (others > 0)
            w["status"]["admission"] = {
                "clusterQueue": "q",
                "podSetAssignments": [{"name": "rest", "count": others}] * (others > 0) + [{"name": "main", **given}],
            }
            self.map(self.file([self.node("n", {G: "16"}, agentpool="a"), w]))
            return self.rows("SELECT chips FROM allocations"), self.rows("SELECT chips, min_chips FROM jobs")

        for given, others, held in (
            ({"count": 4}, 0, 8),
            ({"count": 3}, 0, 6),
            ({"count": 1}, 0, 2),
            ({}, 0, 8),
            ({"count": 2}, 3, 10),
            ({"count": 4}, 3, 14),
        ):
            with self.subTest(given=given, others=others):
                self.assertEqual(([(held,)], [(8 + 2 * others, 2 + 2 * others)]), admitted(given, others=others))

    def test_deactivated_workloads(self):
        """A Workload that is not active asks for nothing, whatever it was evicted for, and whether it was admitted before or not."""

        def told(name, active, reason, admitted=True):
            w = self.workload(name, 1, *([("Admitted", "Admitted", 10)] if admitted else []), ("Evicted", reason, 30))
            w["object"]["spec"]["active"] = active
            return w

        def owner(name):
            return {
                "type": "ADDED",
                "object": {
                    "kind": "Job",
                    "metadata": {
                        "name": name,
                        "namespace": "ns",
                        "uid": name,
                        "creationTimestamp": when(0),
                        "resourceVersion": "1",
                    },
                    "spec": {"suspend": True},
                    "status": {},
                },
            }

        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")},
                            told("late", False, "DeactivatedDueToMaximumExecutionTimeExceeded"),
                            told("often", False, "DeactivatedDueToRequeuingLimitExceeded"),
                            told("stopped", False, "PodsReadyTimeout"),
                            told("again", True, "Deactivated"),
                            told("waits", True, "Preempted"),
                            told("never", False, "DeactivatedDueToAdmissionCheck", False),
                            owner("never"),
                            told("hopes", True, "AdmissionCheck", False),
                            owner("hopes"),
                            self.workload("runs", 2, ("Admitted", "Admitted", 100)),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job"),
            [
                ("ns/again", 2 * (10 + 70)),
                ("ns/hopes", 200),
                ("ns/late", 20),
                ("ns/never", 60),
                ("ns/often", 20),
                ("ns/runs", 200),
                ("ns/stopped", 20),
                ("ns/waits", 2 * (10 + 70)),
            ],
        )

    def test_jobs_whose_pods_are_gone(self):
        """That a job ran to its end says nothing of how long it waited; one whose time was over may have waited all the time."""

        def job(name, *conditions, **more):
            return {
                "kind": "Job",
                "metadata": {
                    "name": name,
                    "namespace": "ns",
                    "uid": name,
                    "creationTimestamp": when(0),
                    "resourceVersion": "1",
                    **more,
                },
                "spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}},
                "status": {
                    "startTime": when(1),
                    "conditions": [
                        {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)}
                        for kind, reason, at in conditions
                    ],
                },
            }

        js = {"labels": {"jobset.sigs.k8s.io/jobset-name": "js"}}
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.node("n", {G: "8"}, agentpool="a"),
                            job("done", ("Complete", "CompletionsReached", 90)),
                            job("bad", ("Failed", "BackoffLimitExceeded", 80)),
                            job("slow", ("Failed", "DeadlineExceeded", 70)),
                            job("waits"),
                            job("js-first-0", ("Complete", "CompletionsReached", 50), **js),
                            job("js-then-0", **js),
                            {
                                "kind": "JobSet",
                                "metadata": {
                                    "name": "js",
                                    "namespace": "ns",
                                    "uid": "js",
                                    "creationTimestamp": when(0),
                                    "resourceVersion": "1",
                                },
                                "spec": {
                                    "replicatedJobs": [
                                        {
                                            "replicas": 2,
                                            "template": {
                                                "spec": {
                                                    "template": {
                                                        "spec": {"containers": [{"resources": {"limits": {G: 2}}}]}
                                                    }
                                                }
                                            },
                                        }
                                    ]
                                },
                                "status": {},
                            },
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT job, chips, end_time IS NULL, outcome FROM allocations ORDER BY job"),
            [("ns/bad", 0, 0, "failed"), ("ns/done", 0, 0, "completed"), ("ns/slow", 0, 0, "cancelled")],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND as_of = ? GROUP BY job",
                when(100),
            ),
            [("ns/js", 400), ("ns/slow", 140), ("ns/waits", 200)],
        )

    def test_pods_that_do_not_wait_for_each_other(self):
        """Of a Job that has more to complete than runs at once, and of a Deployment, any pod works alone, also where Kueue admits them together."""

        def pod(name, start, end, labels, owner=()):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(
                name,
                {G: 1},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0), "labels": labels, "ownerReferences": list(owner)},
                status={
                    "phase": "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        def made(kind, name, **spec):
            return {
                "kind": kind,
                "metadata": {
                    "name": name,
                    "namespace": "ns",
                    "uid": name,
                    "creationTimestamp": when(0),
                    "resourceVersion": "1",
                },
                "spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 1}}}]}}, **spec},
                "status": {},
            }

        workload = self.workload("shards", 1, ("Admitted", "Admitted", 0), ("Finished", "Succeeded", 200))["object"]
        workload["spec"]["podSets"][0]["count"] = 2
        replica = [{"kind": "ReplicaSet", "name": "web-5d4c", "controller": True}]
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.node("n", {G: "8"}, agentpool="a"),
                            made("Job", "shards", parallelism=4, completions=6),
                            workload,
                            *(
                                pod(f"shards-{i}", 100 * (i // 4), 100 * (i // 4) + 100, {"job-name": "shards"})
                                for i in range(6)
                            ),
                            made("Deployment", "web", replicas=3),
                            *(
                                pod(f"web-5d4c-{i}", 50 * i, 200, {"pod-template-hash": "5d4c"}, replica)
                                for i in range(3)
                            ),
                            made("Job", "gang", parallelism=2, completions=2),
                            *(pod(f"gang-{i}", 0, 100 + 100 * i, {"job-name": "gang"}) for i in range(2)),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows(
                "SELECT job, category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL AND category <> 'queued' GROUP BY job, category"
            ),
            [
                ("ns/gang", "partial", 100),
                ("ns/gang", "untraced", 200),
                ("ns/shards", "untraced", 600),
                ("ns/web", "untraced", 200 + 150 + 100),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"),
            [("ns/gang", 2, None), ("ns/shards", 4, 1), ("ns/web", None, None)],
        )

    def test_the_last_shards_of_a_job(self):
        """Of 6 shards, 4 at once, it wants 3 pods once 3 have succeeded, and so on down to the last; a shard that is tried again waits for its pod."""

        def pod(name, start, end, code=0):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": code}}
            return self.pod(
                name,
                {G: 1},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(start), "labels": {"job-name": "shards"}},
                status={
                    "phase": "Failed" if code else "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        job = {
            "kind": "Job",
            "metadata": {
                "name": "shards",
                "namespace": "ns",
                "uid": "shards",
                "creationTimestamp": when(0),
                "resourceVersion": "1",
            },
            "spec": {
                "parallelism": 4,
                "completions": 6,
                "backoffLimitPerIndex": 3,
                "template": {"spec": {"containers": [{"resources": {"limits": {G: 1}}}]}},
            },
            "status": {},
        }
        whole = [pod(f"shards-{i}", 0, 100 + 10 * i) for i in range(4)] + [pod("shards-4", 100, 200)]
        for last, queued, ran in (
            ([pod("shards-5", 110, 300)], 0, 750),
            ([pod("shards-5-a", 110, 150, 1), pod("shards-5-b", 170, 300)], 20, 730),
        ):
            path = self.file([self.node("n", {G: "8"}, agentpool="a"), job, *whole, *last])
            self.assertEqual(
                {"untraced": ran} | ({"queued": queued} if queued else {}),
                dict(
                    self.rows(
                        "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE job = 'ns/shards' GROUP BY 1",
                        path,
                    )
                ),
            )

    def test_workloads_of_pods(self):
        """Kueue has a Workload for a pod alone, for a group of pods, such as those of a StatefulSet, for every pod of a Deployment, for every
        group of a LeaderWorkerSet, and one for all that an AppWrapper holds."""

        def pod(name, start, end, chips, owner=None, **labels):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(
                name,
                {G: chips},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0), "labels": labels, "ownerReferences": owner or []},
                status={
                    "phase": "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        def workload(name, owners, at, chips, count=1):
            return {
                "kind": "Workload",
                "metadata": {
                    "name": name,
                    "namespace": "ns",
                    "uid": "w-" + name,
                    "creationTimestamp": when(0),
                    "ownerReferences": owners,
                },
                "spec": {
                    "podSets": [
                        {"count": count, "template": {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}}}
                    ]
                },
                "status": {
                    "conditions": [
                        {"type": "Admitted", "status": "True", "lastTransitionTime": when(at)},
                        {"type": "Finished", "status": "True", "reason": "Succeeded", "lastTransitionTime": when(100)},
                    ]
                },
            }

        def of(kind, name, controller=True):
            return [{"kind": kind, "name": name} | ({"controller": True} if controller else {})]

        web = {"pod-template-hash": "5d4c"}
        lws = {"leaderworkerset.sigs.k8s.io/name": "lws"}
        sts = {"kueue.x-k8s.io/pod-group-name": "statefulset-db-1a2b3"}
        aw = {"workload.codeflare.dev/appwrapper": "aw", "training.kubeflow.org/job-name": "tune"}
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.node("n", {G: "64"}, agentpool="a"),
                            pod("one", 10, 100, 2),
                            workload("pod-one-3fa1c", of("Pod", "one"), 10, 2),
                            pod("g-0", 20, 100, 4, **{"kueue.x-k8s.io/pod-group-name": "g"}),
                            pod("g-1", 20, 100, 4, **{"kueue.x-k8s.io/pod-group-name": "g"}),
                            workload("g", of("Pod", "g-0", False) + of("Pod", "g-1", False), 20, 4, 2),
                            *(
                                pod(f"web-5d4c-{i}", 30 + int(i), 100, 1, of("ReplicaSet", "web-5d4c"), **web)
                                for i in "01"
                            ),
                            *(workload(f"pod-web-5d4c-{i}-aaaaa", of("Pod", f"web-5d4c-{i}"), 30, 1) for i in "01"),
                            *(pod(f"lws-{i}", 40, 100, 8, of("LeaderWorkerSet", "lws"), **lws) for i in "01"),
                            *(
                                workload(f"leaderworkerset-lws-{i}-aaaaa", of(kind, name, False), 40, 8)
                                for i, kind, name in (("0", "LeaderWorkerSet", "lws"), ("1", "Pod", "lws-1"))
                            ),
                            pod("db-0", 60, 100, 2, of("StatefulSet", "db"), **sts),
                            workload("statefulset-db-1a2b3", of("StatefulSet", "db", False), 60, 2),
                            pod("tune-master-0", 70, 100, 1, of("PyTorchJob", "tune"), **aw),
                            workload("appwrapper-aw-3fa1c", of("AppWrapper", "aw"), 70, 1),
                            workload("pod-gone-3fa1c", of("Pod", "gone"), 50, 2),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.allocations(),
            [
                ("ns/aw", 1, "tune-master-0", "a", 1, 70, 100, "completed"),
                ("ns/g", 1, "g-0", "a", 4, 20, 100, "completed"),
                ("ns/g", 1, "g-1", "a", 4, 20, 100, "completed"),
                ("ns/gone", 1, None, "a", 2, 50, 100, "completed"),
                ("ns/lws", 1, "lws-0", "a", 8, 40, 100, "completed"),
                ("ns/lws", 1, "lws-1", "a", 8, 40, 100, "completed"),
                ("ns/one", 1, "one", "a", 2, 10, 100, "completed"),
                ("ns/statefulset-db-1a2b3", 1, "db-0", "a", 2, 60, 100, "completed"),
                ("ns/web", 1, "web-5d4c-0", "a", 1, 30, 100, "completed"),
                ("ns/web", 1, "web-5d4c-1", "a", 1, 31, 100, "completed"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, phase, framework FROM jobs ORDER BY job"),
            [
                ("ns/aw", 1, None, "pytorch"),
                ("ns/g", 8, None, None),
                ("ns/gone", 2, None, None),
                ("ns/lws", None, None, None),
                ("ns/one", 2, None, None),
                ("ns/statefulset-db-1a2b3", 2, None, None),
                ("ns/web", None, "serving", None),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL GROUP BY category"
            ),
            [
                ("queued", 2 * 10 + 8 * 20 + 2 * 50 + 2 * 60 + 70),
                ("untraced", 2 * 90 + 8 * 80 + 70 + 69 + 16 * 60 + 2 * 50 + 2 * 40 + 30),
            ],
        )

    def test_nodes_that_taints_keep_empty(self):
        """Listed where no pod ran on them: not for taints of devices, nor of Kubernetes itself."""
        for key, pods, said in (
            ("site/quarantine", [], 1),
            ("site/quarantine", ["n"], 0),
            ("nvidia.com/gpu", [], 0),
            ("node.kubernetes.io/disk-pressure", [], 0),
        ):
            node = self.node("n", {G: "8"})
            node["spec"]["taints"] = [{"key": key, "effect": "NoSchedule"}]
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastHeartbeatTime": when(100), "lastTransitionTime": when(0)}
            ]
            pods = [
                self.pod(
                    "p",
                    {G: "8"},
                    metadata={"creationTimestamp": when(0)},
                    spec={"nodeName": name},
                    status={
                        "phase": "Running",
                        "startTime": when(0),
                        "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(0)}],
                    },
                )
                for name in pods
            ]
            path = self.file(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, *pods]}))
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(
                said,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'tainted_node' AND source LIKE '%' || ? || '%'", path
                ),
                (key, pods),
            )

    def test_what_is_said_of_jobs(self):
        """Pods that completed long before others of their gang, and jobs that are suspended where no queue holds them back."""

        def job(name, spec=None, **metadata):
            return {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": name, "namespace": "ns", "uid": name, "creationTimestamp": when(0), **metadata},
                "spec": {
                    "parallelism": 2,
                    "completions": 2,
                    "template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}},
                    **(spec or {}),
                },
            }

        def pod(name, end):
            return self.pod(
                f"{name}-{end}",
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0), "labels": {"job-name": name}},
                status={
                    "phase": "Succeeded",
                    "startTime": when(0),
                    "containerStatuses": [
                        {"state": {"terminated": {"startedAt": when(0), "finishedAt": when(end), "exitCode": 0}}}
                    ],
                },
            )

        queue = {"labels": {"kueue.x-k8s.io/queue-name": "q"}}
        for objects, expected in (
            ([job("j"), pod("j", 100), pod("j", 900)], {"early_end": 1}),
            ([job("j"), pod("j", 100), pod("j", 150)], {}),
            ([job("j", {"completions": 3}), pod("j", 100), pod("j", 900)], {}),
            ([job("j", {"suspend": True})], {"suspended_job": 1}),
            ([job("j", {"suspend": True}, **queue)], {}),
            ([job("j")], {}),
        ):
            path = self.file([self.node("n", {G: "8"}, agentpool="a"), *objects])
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(
                expected, {kind: n for kind, n in self.issues(path).items() if kind in ("early_end", "suspended_job")}
            )

    def test_elastic_jobs(self):
        """A Workload replaces another where the job grows, and is changed where it shrinks: it is whole with what it was admitted for."""

        def pod(name, job, start, end):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(
                name,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(start), "labels": {"job-name": job}},
                status={
                    "phase": "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        def workload(name, uid, version, count, *conditions):
            w = self.workload(
                name, version, ("QuotaReserved", "QuotaReserved", 0), ("Admitted", "Admitted", 0), *conditions
            )["object"]
            w["metadata"].update(uid=uid, name=uid)
            w["spec"]["podSets"][0]["count"] = count
            return w

        replaced = ("Finished", "WorkloadSliceReplaced", 100)
        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.node("n", {G: "64"}, agentpool="a"),
                            workload("grows", "g1", 1, 2, replaced),
                            workload("grows", "g2", 2, 3, ("Finished", "Succeeded", 200)),
                            pod("g-0", "grows", 0, 200),
                            pod("g-1", "grows", 0, 200),
                            pod("g-2", "grows", 100, 200),
                            workload("shrinks", "s", 3, 3),
                            workload("shrinks", "s", 4, 2, ("Finished", "Succeeded", 200)),
                            pod("s-0", "shrinks", 0, 200),
                            pod("s-1", "shrinks", 0, 200),
                            pod("s-2", "shrinks", 0, 100),
                            workload("fixed", "f", 5, 2, ("Finished", "Succeeded", 200)),
                            pod("f-0", "fixed", 0, 200),
                            pod("f-1", "fixed", 50, 200),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"),
            [("ns/fixed", 4, None), ("ns/grows", 6, 4), ("ns/shrinks", 6, 4)],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL AND category <> 'queued' GROUP BY 1, 2"
            ),
            [
                ("ns/fixed", "partial", 100),
                ("ns/fixed", "untraced", 600),
                ("ns/grows", "untraced", 1000),
                ("ns/shrinks", "untraced", 1000),
            ],
        )
        # A job asks for the most, also before it does: that is said. What it has given back it asks for no more.
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY 1"),
            [("ns/fixed", 100), ("ns/grows", 200)],
        )
        self.assertEqual(
            self.rows(
                "SELECT severity, count, detail LIKE '%ns/grows (4.0 to 6.0)%' FROM mpg_issues WHERE kind = 'conflicting_job'"
            ),
            [("warning", 2, 1)],
        )

    def test_replicas_of_a_deployment_as_jobs(self):
        """docs/serving.md; the sums by hand. A span of the Deployment would be of all the replicas that there are."""

        def pod(i):
            state = {"terminated": {"startedAt": when(50 * i), "finishedAt": when(200), "exitCode": 0}}
            return self.pod(
                f"web-5d4c-{i}",
                {G: 1},
                spec={"nodeName": "n"},
                metadata={
                    "creationTimestamp": when(0),
                    "labels": {"pod-template-hash": "5d4c"},
                    "ownerReferences": [{"kind": "ReplicaSet", "name": "web-5d4c", "controller": True}],
                },
                status={
                    "phase": "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(50 * i)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        def served(job):
            self.db.execute("DROP TABLE IF EXISTS temp.spans")
            self.db.execute(
                "CREATE TEMP TABLE spans AS SELECT ? AS job, 'serve' AS kind, ? AS start_time, ? AS end_time",
                (job, when(110), when(140)),
            )
            return self.rows(
                "SELECT job, name, category, cause, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category NOT IN ('idle', 'queued') GROUP BY 1, 2, 3, 4"
            )

        self.map(self.file("\n".join(map(json.dumps, [self.node("n", {G: "8"}, agentpool="a"), *map(pod, range(3))]))))
        self.assertEqual(
            served("ns/web"), [("ns/web", "web", "stall", "no_traffic", 360), ("ns/web", "web", "unrated", None, 90)]
        )
        with open(os.path.join(ROOT, "docs/serving.md"), encoding="utf-8") as page:
            script = re.search(r"```sql no-run\n(.*?)```", page.read(), re.S)[1]
        imports = "SELECT mpg_import('trace/');\n"  # the relations are there already
        self.assertTrue(script.startswith(imports), script)
        self.db.executescript(script[len(imports) :])
        self.assertEqual(
            served("ns/web/web-5d4c-1"),
            [
                ("ns/web/web-5d4c-0", "web", "untraced", None, 200),
                ("ns/web/web-5d4c-1", "web", "stall", "no_traffic", 120),
                ("ns/web/web-5d4c-1", "web", "unrated", None, 30),
                ("ns/web/web-5d4c-2", "web", "untraced", None, 100),
            ],
        )


if __name__ == "__main__":
    unittest.main()
