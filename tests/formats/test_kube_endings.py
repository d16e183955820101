"""How pods of Kubernetes ended, and the attempts that they were of, by way of sql/formats/kube.sql; the sums by hand."""

import json
import unittest

from kube import G, T0, Mapped, when


def condition(kind, at, reason="r"):
    return {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)}


class Endings(Mapped):
    def node(self, name, chips=8):
        node = super().node(name, {G: str(chips)}, agentpool="a")
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(4000), "lastTransitionTime": when(0)}
        ]
        return node

    def ran(
        self,
        name,
        start,
        end=None,
        code=0,
        asked=None,
        grace=30,
        phase=None,
        labels=None,
        chips=8,
        disruption=None,
        **metadata,
    ):
        """A pod that ran from start to end; its deletion was asked for at `asked`."""
        state = (
            {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": code}}
            if end
            else {"running": {"startedAt": when(start)}}
        )
        deletion = {"deletionTimestamp": when(asked + grace), "deletionGracePeriodSeconds": grace} if asked else {}
        conditions = [condition("PodScheduled", start)] + (
            [condition("DisruptionTarget", asked, disruption)] if disruption else []
        )
        return self.pod(
            name,
            {G: chips} if chips else {},
            spec={"nodeName": "n" + name[-1]},
            metadata={
                "uid": f"{name}@{start}",
                "creationTimestamp": when(start),
                "labels": labels or {},
                **deletion,
                **metadata,
            },
            status={
                "phase": phase or ("Running" if not end else "Failed" if code else "Succeeded"),
                "conditions": conditions,
                "containerStatuses": [{"state": state}],
            },
        )

    def made(self, kind, name, spec, *conditions, **status):
        return {
            "apiVersion": "kubeflow.org/v1",
            "kind": kind,
            "metadata": {"name": name, "namespace": "ns", "uid": kind, "creationTimestamp": when(50)},
            "spec": spec,
            "status": {"conditions": list(conditions), **status},
        }

    def workers(self, key, pods=2, **more):
        return {
            key: {
                "Worker": {"replicas": pods, "template": {"spec": {"containers": [{"resources": {"limits": {G: 8}}}]}}},
                **more,
            }
        }

    def watch(self, *objects):
        self.map(
            self.file(
                "\n".join(
                    json.dumps({"type": "DELETED" if "deletionTimestamp" in o["metadata"] else "ADDED", "object": o})
                    for o in (self.node("n0"), self.node("n1"), *objects)
                )
            )
        )
        return self.rows("SELECT attempt, task, outcome FROM allocations ORDER BY attempt, task")

    def queued(self):
        return self.one("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued'")

    def test_a_pod_that_ended_well_as_it_was_told_to(self):
        """The kubelet calls it Succeeded; a deletion after its end changes nothing."""
        for pod, outcome in (
            (self.ran("p", 100, 1000), "completed"),
            (self.ran("p", 100, 1000, asked=1001, grace=0), "completed"),
            (self.ran("p", 100, 1000, asked=1000), "completed"),
            (self.ran("p", 100, 1010, asked=1000), "cancelled"),
            (self.ran("p", 100, 1010, asked=1000, disruption="PreemptionByScheduler"), "preempted"),
            (self.ran("p", 100, 1010, asked=1000, disruption="DeletionByTaintManager"), "node_fail"),
        ):
            self.assertEqual(outcome, self.one("SELECT outcome FROM kube_trace(?)", self.file(pod)), pod)

    def test_a_pod_whose_containers_have_ended_and_that_is_to_be_deleted(self):
        """It holds nothing any more, whatever its phase, also in a watch without events, which shows no deletion. One whose containers may start again does."""
        for phase in ("Running", "Succeeded", "Failed"):
            for asked, code, end in ((1000, 137, 1010), (1000, 0, 1010), (None, 137, None)):
                with self.subTest(phase=phase, asked=asked):
                    told = [
                        self.node("n0"),
                        self.ran("p0", 100),
                        self.ran("p0", 100, 1010, code, asked=asked, phase="Running" if asked is None else phase),
                    ]
                    self.map(self.file("\n".join(map(json.dumps, told))))
                    self.assertEqual([(end,)], self.rows("SELECT end_time - ? FROM allocations", T0))

    def test_pods_that_were_removed_as_their_job_was_done(self):
        labels = {"training.kubeflow.org/job-name": "j"}
        for code, phase in ((143, "Failed"), (0, "Running"), (0, "Succeeded")):
            for kind, key in (("MPIJob", "mpiReplicaSpecs"), ("PyTorchJob", "pytorchReplicaSpecs")):
                for ending, outcome in (
                    ([condition("Succeeded", 1000)], "completed"),
                    ([condition("Failed", 1000)], "failed"),
                    ([], "failed" if code else "cancelled"),
                ):
                    with self.subTest(kind=kind, code=code, phase=phase, outcome=outcome):
                        pods = [
                            self.ran(f"w-{i}", 100, 1020, code, asked=1001, phase=phase, labels=labels)
                            for i in range(2)
                        ]
                        self.assertEqual(
                            [(1, "w-0", outcome), (1, "w-1", outcome)],
                            self.watch(self.made(kind, "j", self.workers(key), *ending), *pods),
                        )

    def test_another_job_of_the_name(self):
        """What the first came to is of its own pods."""
        first = self.made("MPIJob", "j", self.workers("mpiReplicaSpecs"), condition("Succeeded", 1000))
        second = self.made("MPIJob", "j", self.workers("mpiReplicaSpecs"))
        second["metadata"].update(uid="second", creationTimestamp=when(2000))
        labels = {"training.kubeflow.org/job-name": "j"}
        pods = [
            self.ran(f"w-{i}", start, start + 920, 143, asked=start + 901, labels=labels)
            for start in (100, 2100)
            for i in range(2)
        ]
        self.assertEqual(
            [(1, "w-0", "completed"), (1, "w-1", "completed"), (2, "w-0", "failed"), (2, "w-1", "failed")],
            [row for row in self.watch(first, second, *pods) if row[1]],
        )

    def test_pods_that_were_removed_as_one_had_failed(self):
        """A JobSet removes all and makes them anew: it asks for them in between. What a user removes asks for nothing."""
        jobset = {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(100)},
            "spec": {
                "replicatedJobs": [
                    {
                        "replicas": 1,
                        "template": {
                            "spec": {
                                "parallelism": 2,
                                "completions": 2,
                                "template": {"spec": {"containers": [{"resources": {"limits": {G: 8}}}]}},
                            }
                        },
                    }
                ]
            },
        }
        labels = {"jobset.sigs.k8s.io/jobset-name": "j"}
        again = [self.ran(f"x-{i}", 1500, labels=labels) for i in range(2)]
        for code, phase in ((137, "Running"), (0, "Succeeded"), (0, "Running")):
            with self.subTest(code=code, phase=phase):
                failed, removed = self.ran("w-0", 100, 1000, 1, asked=1001, labels=labels), self.ran(
                    "w-1", 100, 1020, code, asked=1001, phase=phase, labels=labels
                )
                self.assertEqual(
                    [(1, "w-0", "failed"), (1, "w-1", "failed"), (2, "x-0", None), (2, "x-1", None)],
                    self.watch(jobset, failed, removed, *again),
                )
                self.assertEqual(8 * 20 + 16 * 480, self.queued())
                self.assertEqual(
                    [(1, "w-1", "cancelled"), (2, "x-0", None), (2, "x-1", None)], self.watch(jobset, removed, *again)
                )
                driver = self.ran("driver-0", 100, 1000, 1, labels=labels, chips=0)
                self.assertEqual(
                    [(1, "w-1", "failed"), (2, "x-0", None), (2, "x-1", None)],
                    self.watch(jobset, driver, removed, *again),
                )
        # One that failed and was replaced is not why the others were removed.
        anew = self.ran("y-0", 1005, 1020, 137, asked=1010, phase="Running", labels=labels)
        self.assertEqual(
            [
                (1, "w-0", "failed"),
                (1, "w-1", "cancelled"),
                (1, "y-0", "cancelled"),
                (2, "x-0", None),
                (2, "x-1", None),
            ],
            self.watch(jobset, failed, removed, anew, *again),
        )


if __name__ == "__main__":
    unittest.main()
