"""How many chips LeaderWorkerSets, JobSets, TrainJobs and Ray's clusters ask for, in the mapping sql/formats/kube.sql."""

import json
import unittest

from kube import G, T0, Mapped, when
from kube_demand import Demand


class Owners(Demand):
    def test_a_job_that_was_made_again_under_its_name(self):
        """Another object of that name asks for its chips since it was made, and the one before it asks for nothing once it is gone."""
        template = {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}
        node = self.node("n", {G: "8"})
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(1000)}
        ]

        def job(uid, at, end=None, how="Complete"):
            conditions = [] if end is None else [{"type": how, "status": "True", "lastTransitionTime": when(end)}]
            return {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": "j", "namespace": "ns", "uid": uid, "creationTimestamp": when(at)},
                "spec": {"parallelism": 1, "completions": 1, "template": template},
                "status": {"conditions": conditions},
            }

        def pod(uid, owner, at, start, end=None, code=0):
            ended = {"terminated": {"exitCode": code, "finishedAt": when(end or 0)}}
            return self.pod(
                "j-" + uid,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={
                    "uid": uid,
                    "creationTimestamp": when(at),
                    "ownerReferences": [{"kind": "Job", "name": "j", "uid": owner, "controller": True}],
                },
                status={
                    "phase": "Running" if end is None else "Failed" if code else "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [] if end is None else [{"name": "c", "state": ended}],
                },
            )

        deleted = job("a", 0)
        deleted["metadata"]["deletionTimestamp"] = when(100)
        add, change, delete = ([{"type": kind, "object": 0}] for kind in ("ADDED", "MODIFIED", "DELETED"))
        event = lambda kind, told: {"type": kind[0]["type"], "object": told}
        for code, how in ((0, "Complete"), (1, "Failed")):
            gone = [
                event(add, job("a", 0)),
                event(add, pod("1", "a", 0, 0)),
                event(change, pod("1", "a", 0, 0, 200, code)),
                event(change, job("a", 0, 200, how)),
                event(delete, pod("1", "a", 0, 0, 200, code)),
                event(delete, job("a", 0, 200, how)),
            ]
            for objects, queued, held in (
                (gone + [event(add, job("b", 500)), event(add, pod("2", "b", 500, 700))], 200, 500),
                (gone + [event(add, job("b", 500))], 500, 200),
                (gone, 0, 200),
                ([job("b", 500), pod("1", "a", 0, 0, 200), pod("2", "b", 500, 700)], 200, 500),
                ([job("b", 500), pod("2", "b", 500, 700)], 200, 300),
                # of pods that nobody saw nothing says how long they waited, unless none came
                (
                    [event(add, job("a", 0)), event(delete, job("a", 0, 100, how)), event(add, job("b", 500))],
                    600 if code else 500,
                    0,
                ),
                ([event(add, job("a", 0)), event(delete, deleted), event(add, job("b", 500))], 600, 0),
            ):
                text = "\n".join(map(json.dumps, [event(add, node) if "type" in objects[0] else node, *objects]))
                sums = dict(
                    self.rows(
                        "SELECT category, sum(chip_us) / 2000000 FROM trace_rollup(?) WHERE job = 'ns/j' GROUP BY 1",
                        self.file(text, "watch.json"),
                    )
                )
                self.assertEqual((queued, held), (sums.get("queued", 0), sums.get("untraced", 0)), (how, text))

    def test_what_a_leader_worker_set_asks_for(self):
        """Replicas of a group, each with a leader and workers; one group serves. Its leaders' StatefulSet, which has its name, says less; pods alone say nothing."""

        def template(chips):
            return {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}}

        def groups(replicas, size, leader=None):
            return {
                "apiVersion": "leaderworkerset.x-k8s.io/v1",
                "kind": "LeaderWorkerSet",
                "metadata": {"name": "l", "namespace": "ns", "uid": "l", "creationTimestamp": when(0)},
                "spec": {
                    "replicas": replicas,
                    "leaderWorkerTemplate": {
                        "size": size,
                        "workerTemplate": template(8),
                        **({} if leader is None else {"leaderTemplate": template(leader)}),
                    },
                },
            }

        labels = {"leaderworkerset.sigs.k8s.io/name": "l"}
        leaders = {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {
                "name": "l",
                "namespace": "ns",
                "uid": "s",
                "creationTimestamp": when(0),
                "labels": labels,
                "ownerReferences": [{"kind": "LeaderWorkerSet", "name": "l", "controller": True}],
            },
            "spec": {"replicas": 2, "template": template(8)},
        }
        pods = [(8, 100 + 100 * group + 50 * i, 1000) for group in (0, 1) for i in (0, 1)]
        self.check_demand(groups(2, 2), pods, 32, 16, labels)
        self.check_demand(groups(1, 4), pods, 32, None, labels)
        self.check_demand(
            groups(3, 2, leader=4), [(4, 10, 900), (8, 20, 900), (4, 30, 900), (8, 40, 900)], 36, 12, labels
        )
        for owner in (leaders, None):
            self.map(
                self.file(
                    "\n".join(
                        map(
                            json.dumps,
                            [
                                self.node("n", {G: "512"}),
                                *([owner] if owner else []),
                                *(self.owned(f"p{i}", *pod[1:], pod[0], labels) for i, pod in enumerate(pods)),
                            ],
                        )
                    )
                )
            )
            self.assertEqual(self.rows("SELECT chips, min_chips FROM jobs"), [(None, None)])

    def test_what_a_job_set_asks_for(self):
        """Each of its replicated jobs as often as it says, with as many pods as run at once; all of it again after a restart."""

        def part(name, replicas, parallelism, chips, completions=None):
            return {
                "name": name,
                "replicas": replicas,
                "template": {
                    "spec": {
                        "parallelism": parallelism,
                        "completions": completions or parallelism,
                        "template": {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}},
                    }
                },
            }

        def jobset(*parts, restarts=0):
            return {
                "apiVersion": "jobset.x-k8s.io/v1alpha2",
                "kind": "JobSet",
                "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
                "spec": {"replicatedJobs": list(parts), "failurePolicy": {"maxRestarts": 3}},
                "status": {"restarts": restarts},
            }

        labels = {"jobset.sigs.k8s.io/jobset-name": "j"}
        self.check_demand(
            jobset(part("a", 1, 2, 8), part("b", 3, 1, 4)),
            [(8, 100, 1000), (8, 100, 1000), *((4, 100 + 50 * i, 1000) for i in range(3))],
            28,
            None,
            labels,
        )
        self.check_demand(
            jobset(part("driver", 1, 1, 0), part("w", 2, 2, 8), restarts=1),
            [(8, 100, 500, j == i == 0) for j in (0, 1) for i in (0, 1)]
            + [(8, 600 + 50 * i, 1000) for j in (0, 1) for i in (0, 1)],
            32,
            None,
            labels,
        )
        self.check_demand(
            jobset(part("a", 1, 1, 8), part("b", 1, 2, 8)),
            [(8, 0, 1000), (8, 600, 1000), (8, 600, 1000)],
            24,
            None,
            labels,
        )  # one after the other
        self.check_demand(
            jobset(part("w", 2, 4, 8, 2)), [(8, 0, 900)] * 4, 32, None, labels
        )  # no more than there are to complete
        self.check_demand(
            jobset(part("w", 1, 3, 8)), [(8, 0, 300, True), (8, 0, 900), (8, 0, 900), (8, 450, 900)], 24, None, labels
        )  # one pod anew
        self.check_demand(None, [(8, 0, 900)] * 4, None, None, labels)

    def test_what_a_train_job_asks_for(self):
        """Its nodes times their resources; if its runtime alone has them and its JobSet is not there, that is listed."""
        node, trainer = self.node("n", {G: "8"}), {"numNodes": 2, "resourcesPerNode": {"limits": {G: 8}}}
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(100), "lastTransitionTime": when(0)}
        ]
        for spec, rows, said in (
            ({"trainer": trainer}, [("ns/t", 16 * 90)], 0),
            ({"trainer": {"numNodes": 2}}, [], 1),
            ({"trainer": {"resourcesPerNode": {"requests": {"cpu": 8}}}}, [], 0),
        ):
            job = {
                "apiVersion": "trainer.kubeflow.org/v1alpha1",
                "kind": "TrainJob",
                "metadata": {"name": "t", "namespace": "ns", "uid": "t", "creationTimestamp": when(10)},
                "spec": spec,
                "status": {},
            }
            path = self.file(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, job]}))
            self.assertEqual(
                rows,
                self.rows(
                    "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued' GROUP BY 1", path
                ),
            )
            self.assertEqual(
                said,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'missing_field' AND source = ? AND detail LIKE 'TrainJob%'",
                    path,
                ),
            )

    def test_pods_of_ray_clusters(self):
        """A RayJob's Workload and the pods of the RayCluster that KubeRay makes for it, whose labels name the cluster alone, are one job."""

        def pod(name, cluster, start, end, **annotations):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(
                name,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={
                    "creationTimestamp": when(start),
                    "labels": {"ray.io/cluster": cluster},
                    "annotations": annotations,
                    "ownerReferences": [{"kind": "RayCluster", "name": cluster, "controller": True}],
                },
                status={
                    "phase": "Succeeded",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                    "containerStatuses": [{"state": state}],
                },
            )

        def workload(kind, name, at):
            w = self.workload(name, 1, ("Admitted", "Admitted", at), ("Finished", "Succeeded", 100))["object"]
            w["metadata"]["ownerReferences"][0]["kind"] = kind
            w["spec"]["podSets"][0]["count"] = 2
            return w

        def made(kind, name, **labels):
            return {
                "kind": kind,
                "metadata": {
                    "name": name,
                    "namespace": "ns",
                    "uid": name,
                    "creationTimestamp": when(0),
                    "labels": labels,
                },
                "spec": {},
                "status": {},
            }

        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            self.node("n", {G: "64"}, agentpool="a"),
                            workload("RayJob", "tune", 0),
                            pod("tune-h", "tune-x7k2p", 10, 40),
                            pod("tune-w", "tune-x7k2p", 10, 40),  # and again, after it failed
                            pod("tune-h2", "tune-bb2dq", 60, 100),
                            pod("tune-w2", "tune-bb2dq", 60, 100),
                            workload("RayJob", "old", 0),
                            pod("old-h", "old-raycluster-knqjp", 20, 100),
                            pod("old-w", "old-raycluster-knqjp", 20, 100),
                            workload("RayService", "chat", 0),
                            pod("chat-h", "chat-h4xvz", 30, 100),
                            pod("chat-w", "chat-h4xvz", 30, 100),
                            made("RayJob", "lab"),
                            workload("RayCluster", "lab-works", 0),
                            pod("lab-h", "lab-works", 40, 100),
                            pod("lab-w", "lab-works", 40, 100),  # of no RayJob, whatever its name
                            workload("Other", "told", 0),
                            pod("told-h", "any", 50, 100, **{"kueue.x-k8s.io/workload": "w-told"}),
                            pod("told-w", "any", 50, 100, **{"kueue.x-k8s.io/workload": "w-told"}),
                            made("RayJob", "free"),
                            made("RayCluster", "free-m8s2w", **{"ray.io/originated-from-cr-name": "free"}),
                            pod("free-w", "free-m8s2w", 60, 100),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, count(*), sum(chips), min(start_time) - ?1, max(end_time) - ?1 FROM allocations GROUP BY job, attempt",
                T0,
            ),
            [
                ("ns/chat", 1, 2, 4, 30, 100),
                ("ns/free", 1, 1, 2, 60, 100),
                ("ns/lab-works", 1, 2, 4, 40, 100),
                ("ns/old", 1, 2, 4, 20, 100),
                ("ns/told", 1, 2, 4, 50, 100),
                ("ns/tune", 1, 2, 4, 10, 40),
                ("ns/tune", 2, 2, 4, 60, 100),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, runtime FROM jobs ORDER BY job"),
            [
                ("ns/chat", 4, "ray"),
                ("ns/free", None, "ray"),
                ("ns/lab-works", 4, "ray"),
                ("ns/old", 4, "ray"),
                ("ns/told", 4, None),
                ("ns/tune", 4, "ray"),
            ],
        )

    def test_what_ray_asks_for(self):
        """A head and workers, of which the least of each group are enough; nothing where an autoscaler decides, or once Ray says that the job has ended."""

        def group(chips, **more):
            return {"template": {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}}, **more}

        cluster = {
            "headGroupSpec": group(1),
            "workerGroupSpecs": [
                group(2, replicas=3, minReplicas=1, maxReplicas=5),
                group(4, minReplicas=1, numOfHosts=2),
            ],
        }
        scaled = {**cluster, "enableInTreeAutoscaling": True}
        node = self.node("n", {G: "64"})
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(100), "lastTransitionTime": when(0)}
        ]
        ended = {"endTime": when(60), "startTime": when(10), "jobDeploymentStatus": "Complete"}

        def made(kind, spec, status=None, name="r", **labels):
            return {
                "apiVersion": "ray.io/v1",
                "kind": kind,
                "metadata": {
                    "name": name,
                    "namespace": "ns",
                    "uid": name,
                    "creationTimestamp": when(0),
                    "labels": labels,
                },
                "spec": spec,
                "status": status or {},
            }

        def pod(cluster, start):
            return self.pod(
                "p",
                {G: 2},
                spec={"nodeName": "n"},
                metadata={
                    "creationTimestamp": when(0),
                    "labels": {"ray.io/cluster": cluster},
                    "ownerReferences": [{"kind": "RayCluster", "name": cluster, "controller": True}],
                },
                status={
                    "phase": "Running",
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                },
            )

        spark = {
            "apiVersion": "sparkoperator.k8s.io/v1beta2",
            "kind": "SparkApplication",
            "metadata": {"name": "r", "namespace": "ns", "uid": "r", "creationTimestamp": when(0)},
            "spec": {"executor": {"instances": 2, "gpu": {"name": G, "quantity": 1}}},
            "status": {},
        }
        of = lambda kind, group, spec: {
            "apiVersion": group,
            "kind": kind,
            "metadata": spark["metadata"],
            "spec": spec,
            "status": {},
        }
        template = {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}
        wrapper = of("AppWrapper", "workload.codeflare.dev/v1beta2", {"components": [{"template": template}]})
        server = of(
            "InferenceService",
            "serving.kserve.io/v1beta1",
            {"predictor": {"model": {"resources": {"limits": {G: "2"}}}}},
        )
        wanted = {"resources": {"limits": {G: "2"}}}
        made_by_operators = [
            of("NIMService", "apps.nvidia.com/v1alpha1", {"replicas": 2, **wanted}),
            of("Workflow", "argoproj.io/v1alpha1", {"templates": [{"name": "a", "container": wanted}]}),
            of(
                "DynamoGraphDeployment",
                "nvidia.com/v1alpha1",
                {"services": {"w": {"resources": {"limits": {"gpu": "4"}}}}},
            ),
            of(
                "VirtualMachineInstance",
                "kubevirt.io/v1",
                {"domain": {"devices": {"gpus": [{"deviceName": "nvidia.com/GA100"}]}}},
            ),
            of("TrainingWorkload", "run.ai/v2alpha1", {"gpu": {"value": "1"}}),
        ]
        queues = [
            of("ClusterQueue", "kueue.x-k8s.io/v1beta2", {"resources": [{"name": G, "nominalQuota": "4"}]}),
            of("NodePool", "karpenter.sh/v1", {"limits": {G: "4"}, "template": {"spec": {}}}),
            of(
                "ClusterPolicy",
                "nvidia.com/v1",
                {"dcgm": {"nodeSelector": {G + ".present": "true"}, "resources": {"limits": {"cpu": "1"}}}},
            ),
            of("PodGroup", "scheduling.volcano.sh/v1beta1", {"minResources": {G: "4"}}),
            of("NIMService", "apps.nvidia.com/v1alpha1", {"resources": {"limits": {G: "0"}}}),
            of("WorkflowTemplate", "argoproj.io/v1alpha1", {"templates": [{"name": "a", "container": wanted}]}),
        ]
        named = {"ray.io/originated-from-cr-name": "r"}
        for objects, expected, listed in (
            ([made("RayCluster", cluster)], [("ns/r", 15, 11, "queued", 1500)], 0),
            ([made("RayJob", {"rayClusterSpec": cluster})], [("ns/r", 15, 11, "queued", 1500)], 0),
            ([made("RayJob", {"clusterSelector": {"ray.io/cluster": "x"}})], [], 0),
            ([made("RayJob", {"rayClusterSpec": scaled})], [], 1),
            ([made("RayCluster", scaled)], [], 1),
            ([spark], [], 1),
            ([wrapper], [], 1),
            ([{**wrapper, "status": {"phase": "Succeeded"}}], [], 0),
            ([server], [], 1),
            *(([made], [], 1) for made in made_by_operators),
            *(([queue], [], 0) for queue in queues),
            ([{**server, "kind": "ServingRuntime"}], [], 0),
            ([server, {**wrapper, "kind": "Deployment", "metadata": server["metadata"]}], [], 0),
            ([made("RayCluster", scaled), pod("r", 20)], [("ns/r", None, None, "untraced", 160)], 0),
            ([made("RayJob", {"rayClusterSpec": cluster}, {**ended, "jobStatus": "SUCCEEDED"})], [], 0),
            (
                [made("RayJob", {"rayClusterSpec": cluster}, {**ended, "jobStatus": "STOPPED"})],
                [("ns/r", 15, 11, "queued", 900)],
                0,
            ),
            (
                [
                    made("RayJob", {"rayClusterSpec": cluster}),
                    made("RayCluster", cluster, name="r-x7k2p", **named),
                    pod("r-x7k2p", 20),
                ],
                [("ns/r", 15, 11, "partial", 160), ("ns/r", 15, 11, "queued", 1500 - 160)],
                0,
            ),
            (
                [
                    made("RayJob", {"rayClusterSpec": cluster}),
                    made("RayCluster", cluster, name="r-2", **named),
                    pod("r-2", 0),
                ],
                [("ns/r", 15, 11, "partial", 200), ("ns/r", 15, 11, "queued", 1500 - 200)],
                0,
            ),
            (
                [
                    made(
                        "RayCluster",
                        {
                            **cluster,
                            "workerGroupSpecs": [group(2, replicas=3, minReplicas=0)],
                            "headGroupSpec": group(0),
                        },
                    ),
                    pod("r", 0),
                ],
                [("ns/r", 6, 0, "queued", 400), ("ns/r", 6, 0, "untraced", 200)],
                0,
            ),
        ):
            path = self.file(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, *objects]}))
            self.map(path)
            sizes = {job: sizes for job, *sizes in self.rows("SELECT job, chips, min_chips FROM jobs")}
            found = self.rows(
                "SELECT job, category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL AND as_of = ? GROUP BY 1, 2",
                when(100),
            )
            self.assertEqual(expected, [(job, *sizes[job], category, us) for job, category, us in found], objects)
            self.assertEqual(
                listed,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind = 'missing_field' AND severity = 'warning' AND detail LIKE 'objects whose%' AND source = ?",
                    path,
                ),
                objects,
            )

    def test_a_pod_that_waits_after_others_have_ended(self):
        """It asks for what its job asks for: from the bad end before it on, or since it was made if that end was good, until it is gone."""
        node = self.node("n", {G: "8"}, agentpool="a")
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastHeartbeatTime": when(1000), "lastTransitionTime": when(0)}
        ]
        owner = {"ownerReferences": [{"kind": "Job", "name": "j", "controller": True}]}
        template = {"spec": {"containers": [{"resources": {"limits": {G: 8}}}]}}

        def job(**status):
            meta = {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)}
            spec = {"parallelism": 1, "completions": 1, "template": template}
            return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec, "status": status}

        def ended(failed, **status):
            pod = self.owned("first", 10, 300, 8, {}, failed)
            pod["metadata"].update(owner)
            pod["status"].update(status)
            return pod

        def waiting(made, gone=None):
            unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            meta = {"creationTimestamp": when(made), **owner, **({"deletionTimestamp": when(gone)} if gone else {})}
            return self.pod("second", {G: 8}, metadata=meta, status={"phase": "Pending", "conditions": [unscheduled]})

        over = {"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": when(310)}]}
        for first, second, whole, queued in (
            (ended(True), waiting(320), job(), 10 + 700),
            (ended(True, reason="Evicted"), waiting(320), job(), 10 + 700),
            (ended(True), waiting(5), job(), 10 + 700),
            (ended(False), waiting(320), job(), 10 + 680),
            (ended(True), waiting(320, 500), job(), 10 + 200),
            (ended(True), None, job(), 10),
            (ended(False), waiting(5), job(**over), 10),
        ):
            watched = [("ADDED", thing) for thing in (node, whole, first, second) if thing]
            if second and "deletionTimestamp" in second["metadata"]:
                watched.append(("DELETED", second))
            for lines in ([{"type": kind, "object": thing} for kind, thing in watched],) + (
                ([thing for _, thing in watched],) if len(watched) < 5 else ()
            ):
                path = self.file("\n".join(map(json.dumps, lines)))
                self.assertEqual(
                    [(8 * queued,)],
                    self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", path),
                    lines,
                )


class Deleted(Mapped):
    def test_what_was_deleted_while_it_waited(self):
        """An object that a watch shows as deleted, and that does not say when, asks for chips until the last time before in the watch."""

        def node(beat):
            told = self.node("n", {G: "8"}, agentpool="a")
            told["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": when(beat)}]
            told["metadata"]["resourceVersion"] = str(beat)
            return told

        def job(uid, at, kind="Job", **more):
            template = {"spec": {"containers": [{"resources": {"limits": {G: "8"}}}]}}
            spec = {"parallelism": 1, "template": template}
            if kind != "Job":
                spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": template}}}
            return {
                "apiVersion": "batch/v1" if kind == "Job" else "kubeflow.org/v1",
                "kind": kind,
                "metadata": {"name": "j", "namespace": "ns", "uid": uid, "creationTimestamp": when(at), **more},
                "spec": spec,
            }

        def pod(name, at, **status):
            told = self.pod(name, {G: "8"}, status=status)
            told["metadata"]["creationTimestamp"] = when(at)
            if name != "p":
                told["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "j", "controller": True}]
            if status:
                told["spec"]["nodeName"] = "n"
            return told

        runs = {
            "phase": "Running",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(700)}],
        }
        failed = {
            "phase": "Failed",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(50)}],
            "containerStatuses": [
                {"state": {"terminated": {"exitCode": 1, "startedAt": when(60), "finishedAt": when(100)}}}
            ],
        }
        for waits, deleted, after, queued, listed in (
            ([job("a", 0)], job("a", 0), [], 400, 1),
            ([job("a", 0, "PyTorchJob")], job("a", 0, "PyTorchJob"), [], 400, 1),
            ([pod("p", 0)], pod("p", 0), [], 400, 1),
            ([job("a", 0)], job("a", 0, deletionTimestamp=when(350)), [], 350, 0),
            ([job("a", 0)], job("a", 0), [job("b", 600), pod("j-1", 600, **runs)], 400 + 100, 1),
            ([job("a", 0), pod("j-1", 0, **failed), pod("j-2", 110)], pod("j-2", 110), [], 50 + 300, 1),
            ([job("a", 0)], None, [], 900, 0),
        ):
            events = [("ADDED", node(10)), *(("ADDED", one) for one in waits), ("MODIFIED", node(400))]
            events += [("DELETED", deleted)] * (deleted is not None)
            events += [("ADDED", one) for one in after] + [("MODIFIED", node(900))]
            path = self.file("\n".join(json.dumps({"type": kind, "object": told}) for kind, told in events))
            self.map(path)
            self.assertEqual(
                self.one("SELECT sum(chip_us) / 8000000 FROM mpg_rollup WHERE category = 'queued'"), queued, events
            )
            self.assertEqual(
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'missing_end' AND source = ?", path), listed
            )


if __name__ == "__main__":
    unittest.main()
