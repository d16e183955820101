"""Kubernetes: kube_trace and the mapping sql/formats/kube.sql.

What the table says of the fixtures is held against a reading of them in Python, and the ledger against sums made by hand."""
import datetime
import gzip
import json
import os
import re
import threading
import unittest

import cases
from fleets import ROOT

WATCH = os.path.join(ROOT, "fixtures/kube/watch.json")
CLUSTER = os.path.join(ROOT, "fixtures/kube/cluster.json")
T0 = 1772352000  # 2026-03-01T08:00:00Z
G, TPU = "nvidia.com/gpu", "google.com/tpu"


def when(seconds):
    return datetime.datetime.fromtimestamp(T0 + seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


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
    return sum(r["replicas"] * r["template"]["spec"]["parallelism"] * container_chips(r["template"]["spec"]["template"]["spec"]) for r in spec["replicatedJobs"])


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


class Files(Case):
    def compare(self, path):
        found = self.rows("""SELECT _line, event, apiVersion, kind, namespace, name, uid, resourceVersion, creationTimestamp, deletionTimestamp, priority, phase,
                                    nodeName, chips, scheduled, ready, admitted, evicted, evicted_reason, quota_reserved, pods_ready, requeued, disruption,
                                    started, exit_code, json(conditions), json(labels), json(spec), json(status) FROM kube_trace(?)""", path)
        wanted = []
        for line, event, obj in read_plain(path):
            meta, spec, status = obj["metadata"], obj["spec"], obj["status"]
            state = (status.get("containerStatuses") or [{"state": {}}])[0]["state"]
            run, over = state.get("running", {}), state.get("terminated", {})
            wanted.append((
                line, event, obj["apiVersion"], obj["kind"], meta.get("namespace"), meta["name"], meta["uid"], meta["resourceVersion"],
                seconds(meta["creationTimestamp"]), seconds(meta.get("deletionTimestamp")), spec.get("priority"), status.get("phase"), spec.get("nodeName"),
                float(chips(obj)) or None, seconds(condition(obj, "PodScheduled")), condition(obj, "Ready", "status", None), seconds(condition(obj, "Admitted")),
                seconds(condition(obj, "Evicted")), condition(obj, "Evicted", "reason"), seconds(condition(obj, "QuotaReserved")),
                seconds(condition(obj, "PodsReady")), seconds(condition(obj, "Requeued")), condition(obj, "DisruptionTarget", "reason"),
                seconds(run.get("startedAt") or over.get("startedAt")), over.get("exitCode"),
                *(x if x is None else json.dumps(x, separators=(",", ":")) for x in (status.get("conditions"), meta.get("labels"), spec, status))))
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
        labels = [("workload.codeflare.dev/appwrapper", "aw"), ("jobset.sigs.k8s.io/jobset-name", "js"), ("training.kubeflow.org/job-name", "kf"), ("ray.io/originated-from-cr-name", "rj"), ("ray.io/cluster", "rc"),
                  ("leaderworkerset.sigs.k8s.io/name", "lws"), ("kueue.x-k8s.io/pod-group-name", "pg"), ("volcano.sh/job-name", "vj"),
                  ("batch.kubernetes.io/job-name", "bj"), ("job-name", "old")]
        rank = {"kind": "Job", "name": "owner", "controller": True}
        for i in range(len(labels)):
            pod = self.pod(metadata={"labels": dict(reversed(labels[i:])), "ownerReferences": [rank]})
            self.assertEqual(self.one("SELECT job FROM kube_trace(?)", self.file(pod)), "ns/" + labels[i][1])
        for owners, more, job in (
            ([rank], {}, "ns/owner"),
            ([{"kind": "X", "name": "first"}, rank, {"kind": "Y", "name": "last"}], {}, "ns/owner"),
            ([{"kind": "X", "name": "first"}, {"kind": "Y", "name": "last"}], {}, "ns/first"),
            ([], {}, "ns/p"),
            ([{"kind": "ReplicaSet", "name": "web-5d4c", "controller": True}], {"labels": {"pod-template-hash": "5d4c"}}, "ns/web"),
        ):
            pod = self.pod(metadata={"ownerReferences": owners, **more})
            self.assertEqual(self.one("SELECT job FROM kube_trace(?)", self.file(pod)), job)
        for owner, job in (({"kind": "JobSet", "name": "js", "controller": True}, "ns/js"), ({"kind": "Pod", "name": "one-of-many"}, "ns/group"),
                           ({"kind": "StatefulSet", "name": "web"}, "ns/group"),
                           ({"kind": "Pod", "name": "alone", "controller": True}, "ns/alone")):
            self.assertEqual(self.one("SELECT job FROM kube_trace(?)", self.file(
                {"kind": "Workload", "metadata": {"name": "group", "namespace": "ns", "ownerReferences": [owner]}})), job)
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
        self.assertEqual(self.rows("SELECT resource, chips, resources FROM kube_trace(?)", self.file(two)),
                         [("nvidia.com/mig-3g.20gb", 0.714285, '{"nvidia.com/mig-1g.5gb":0.285714,"nvidia.com/mig-3g.20gb":0.428571}')])

    def test_what_makes_pods(self):
        template = {"spec": {"containers": [{"resources": {"limits": {G: "8"}}}]}}
        for kind, spec, told in (
            ("Job", {"parallelism": 3, "completions": 2, "template": template}, (2, 16, None)),
            ("Job", {"template": template}, (1, 8, None)),
            ("PyTorchJob", {"pytorchReplicaSpecs": {"Master": {"template": template}, "Worker": {"replicas": 3, "template": template}}}, (4, 32, None)),
            ("JobSet", {"replicatedJobs": [{"replicas": 2, "template": {"spec": {"parallelism": 2, "template": template}}}]}, (4, 32, None)),
            ("Job", {"parallelism": 3, "completions": 7, "template": template}, (3, 24, 8)), ("Job", {"completions": 7, "template": template}, (1, 8, None)),
            ("Job", {"parallelism": 3, "completions": 3, "template": template}, (3, 24, None)), ("Job", {"parallelism": 3, "template": template}, (3, 24, None)),
            ("Deployment", {"replicas": 5, "template": template}, (5, 40, None)),
            ("Workload", {"podSets": [{"count": 4, "minCount": 2, "template": template}, {"count": 1, "template": {"spec": {"containers": [{}]}}}]}, (5, 32, 16)),
            ("ConfigMap", {}, (None, None, None)),
        ):
            path = self.file({"kind": kind, "metadata": {"name": "x", "namespace": "ns"}, "spec": spec})
            self.assertEqual(self.rows("SELECT pods, chips, min_chips FROM kube_trace(?)", path), [told], kind)

    def test_nodes(self):
        for capacity, labels, told in (
            ({G: "8", "cpu": "96"}, {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}, (8, 1, "NVIDIA-H100-80GB-HBM3")),
            ({G: "32"}, {"nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "nvidia.com/gpu.replicas": "4"}, (32, 0.25, "NVIDIA-L4-SHARED")),
            ({G: "56"}, {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}, (56, 0.142857, "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb")),
            ({G: "0", "nvidia.com/mig-3g.40gb": "2"}, {}, (0.857142, 1, None)),
            ({"aws.amazon.com/neuron": "16", "aws.amazon.com/neurondevice": "16", "aws.amazon.com/neuroncore": "32"},
             {"node.kubernetes.io/instance-type": "trn1.32xlarge"}, (16, 1, "trn1.32xlarge")),
            ({"cpu": "4"}, {}, (None, None, None)),
        ):
            path = self.file(self.node("n", capacity, **labels))
            self.assertEqual(self.rows("SELECT chips, share, product FROM kube_trace(?)", path), [told])
            self.assertEqual(self.issues(path), {})
        node = self.node("n", {G: "8"})
        node["status"]["allocatable"] = {G: "7"}
        node["spec"]["unschedulable"] = True
        self.assertEqual(self.rows("SELECT chips, allocatable, unschedulable FROM kube_trace(?)", self.file(node)), [(8, 7, 1)])

    def test_outcomes(self):
        def pod(phase, reason=None, disruption=None, deleted=None):
            conditions = [{"type": "DisruptionTarget", "status": "True", "reason": disruption}] if disruption else []
            return self.pod(status={"phase": phase, "reason": reason, "conditions": conditions}, metadata={"deletionTimestamp": deleted})
        def workload(kind, reason, message=""):
            return {"kind": "Workload", "metadata": {"name": "w", "namespace": "ns"},
                    "status": {"conditions": [{"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": when(0)}]}}
        def job(kind, reason):
            return {"kind": "Job", "metadata": {"name": "j", "namespace": "ns"},
                    "status": {"conditions": [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(0)}]}}
        for obj, outcome in (
            (pod("Running"), None), (pod("Pending"), None), (pod("Succeeded"), "completed"), (pod("Failed"), "failed"),
            (pod("Failed", "Evicted"), "preempted"), (pod("Failed", "DeadlineExceeded"), "timeout"), (pod("Failed", "NodeLost"), "node_fail"),
            (pod("Failed", None, "PreemptionByScheduler"), "preempted"), (pod("Failed", None, "DeletionByTaintManager"), "node_fail"),
            (pod("Failed", "Evicted", "TerminationByKubelet"), "preempted"), (pod("Failed", "Terminated", "TerminationByKubelet"), "node_fail"),
            (pod("Failed", "NodeShutdown", "TerminationByKubelet"), "node_fail"), (pod("Failed", None, "TerminationByKubelet"), "preempted"),
            (pod("Running", None, None, when(1)), "cancelled"), (pod("Running", None, "EvictionByEvictionAPI", when(1)), "preempted"),
            (workload("Finished", "Succeeded"), "completed"), (workload("Finished", "Failed"), "failed"),
            (workload("Finished", "JobFinished", "Job finished successfully"), "completed"), (workload("Finished", "JobFinished", "backoff limit"), "failed"),
            (workload("Evicted", "Preempted"), "preempted"), (workload("Evicted", "PodsReadyTimeout"), "timeout"), (workload("Evicted", "NodeFailures"), "node_fail"),
            (workload("Evicted", "Deactivated"), "cancelled"), (workload("Evicted", "DeactivatedDueToMaximumExecutionTimeExceeded"), "timeout"),
            (workload("Evicted", "DeactivatedDueToRequeuingLimitExceeded"), "failed"), (workload("Evicted", "DeactivatedDueToAdmissionCheck"), "cancelled"),
            (workload("Evicted", "InactiveWorkload"), "cancelled"), (workload("Evicted", "InactiveWorkloadAdmissionCheck"), "cancelled"),
            (workload("Evicted", "InactiveWorkloadRequeuingLimitExceeded"), "failed"), (workload("Evicted", "AdmissionCheck"), "preempted"), (workload("Admitted", "Admitted"), None),
            (job("Complete", "CompletionsReached"), "completed"), (job("Failed", "BackoffLimitExceeded"), "failed"), (job("Failed", "DeadlineExceeded"), "timeout"),
            (job("Suspended", "JobSuspended"), None),
        ):
            self.assertEqual(self.one("SELECT outcome FROM kube_trace(?)", self.file(obj)), outcome, obj)

    def test_containers(self):
        def status(*states):
            return {"containerStatuses": [{"restartCount": i, **state} for i, state in enumerate(states)]}
        def over(start, end, code, reason):
            return {"state": {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": code, "reason": reason}}}
        sql = "SELECT started - ?1, finished - ?1, exit_code, exit_reason, restarts FROM kube_trace(?2)"
        for states, told in (
            ([over(5, 9, 0, "Completed"), over(4, 8, 137, "OOMKilled")], (4, 9, 137, "OOMKilled", 1)),
            ([over(5, 9, 3, "Error"), over(4, 8, 137, "OOMKilled")], (4, 9, 3, "Error", 1)),
            ([over(5, 9, 0, "Completed"), {"state": {"running": {"startedAt": when(6)}}}], (5, None, 0, "Completed", 1)),
            ([{"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": over(1, 2, 1, "Error")["state"]}], (1, None, None, "CrashLoopBackOff", 0)),
        ):
            self.assertEqual(self.rows(sql, T0, self.file(self.pod(status=status(*states)))), [told])

    def test_forms(self):
        a, b, c = (self.pod(name) for name in "abc")
        wrapped = [{"type": "ADDED", "object": a}, {"type": "MODIFIED", "object": b}, {"type": "DELETED", "object": c}]
        names = [("a",), ("b",), ("c",)]
        for text in (
            {"kind": "List", "items": [a, b, c]}, {"items": [a, b, c], "kind": "List", "metadata": {"resourceVersion": "", "continue": ""}}, [a, b, c],
            [{"kind": "List", "items": [a]}, b, {"items": [c]}], json.dumps(a) + json.dumps(b) + "\n\n" + json.dumps(c, indent=4),
            "\n".join(map(json.dumps, wrapped)), "".join(json.dumps(w, indent="\t") for w in wrapped), gzip.compress(json.dumps([a, b, c]).encode()),
        ):
            self.assertEqual(self.rows("SELECT name FROM kube_trace(?)", self.file(text)), names)
        # The API's own lists name the kind of their items once.
        for pod in (a, b):
            del pod["kind"]
        self.assertEqual(self.rows("SELECT kind, name FROM kube_trace(?)", self.file({"kind": "PodList", "items": [a, b]})), [("Pod", "a"), ("Pod", "b")])
        # A list that some servers write of nothing.
        for empty in ({"kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": None}, {"items": None, "kind": "List", "metadata": {}}):
            self.assertEqual(self.rows("SELECT name FROM kube_trace(?)", self.file([empty, c])), [("c",)])
        folder = os.path.dirname(self.file({"items": [c]}, "1.json"))
        with open(os.path.join(folder, "2.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(c))
        self.assertEqual(self.one("SELECT count(*) FROM kube_trace(?)", folder), 2)

    def test_issues(self):
        path = self.file(json.dumps({"type": "ADDED", "object": self.pod(spec={"resourceClaims": [{"name": "gpu"}]})})
                         + json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version: 1 (2)"}}) + '{"type": "ADDED", "obj')
        self.assertEqual(self.one("SELECT count(*) FROM kube_trace(?)", path), 1)
        self.assertEqual(self.issues(path), {"resource_claims": 1, "watch_error": 1, "unfinished_record": 1})
        self.assertEqual(self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'watch_error'", path), "too old resource version: 1 (2)")
        path = self.file(self.pod(limits={"volcano.sh/vgpu-number": 1, "nvidia.com/mig-1g.24gb": 1}))
        self.assertEqual(self.one("SELECT chips FROM kube_trace(?)", path), 0.142857)
        self.assertEqual(self.issues(path), {"uncounted_resource": 1, "guessed_share": 1})


class Errors(Case):
    def test_wrong_formats(self):
        expected = "expected objects of Kubernetes as JSON (kubectl get ... -o json), found "
        for text, why in (
            ("apiVersion: v1\nitems:\n", f'1:1: {expected}"apiVersion: v1" (YAML: export with -o json)'),
            ("NAME   READY   STATUS\n", f'1:1: {expected}"NAME   READY   STATUS" (kubectl\'s table: export with -o json)'),
            ("No resources found\n", f'1:1: {expected}"No resources found"'),
            (b"\0\1\2", f'1:1: {expected}"\\x00\\x01\\x02"'),
            ({"kind": "Status", "status": "Failure", "message": "Unauthorized", "code": 401},
             "1:1: expected objects of Kubernetes, found the API server's Status: Unauthorized"),
            ({"status": "success", "data": {}}, '1:1: expected an object of Kubernetes with "kind" and "metadata", found one with "status" (of Prometheus: read it with prometheus_trace)'),
            ({"resourceSpans": []}, '1:1: expected an object of Kubernetes with "kind" and "metadata", found one with "resourceSpans" (OTLP: read it with otlp_trace)'),
            ({"items": [self.pod()], "metadata": {"continue": "x", "remainingItemCount": 250}},
             "1:1: expected a whole list, found a page of one (items behind it: 250): get them all, as kubectl does, or read the pages with on_error = 'skip'"),
            ({"metadata": {"continue": "x"}, "items": []},
             "1:1: expected a whole list, found a page of one (it has a continue token): get them all, as kubectl does, or read the pages with on_error = 'skip'"),
            ('{"items": [{"kind": "Pod"', "1:26: expected ',' or '}', found end of file"),
            ("[7]", "1:2: expected an object of Kubernetes, found another value"),
        ):
            path = self.file(text)
            self.assertEqual(self.error("SELECT * FROM kube_trace(?)", path), f"kube_trace: {path}:{why}")
        cut = self.file(gzip.compress(os.urandom(20) + b" " * 100000)[:-30], "cut.gz")
        self.assertRegex(self.error("SELECT * FROM kube_trace(?)", cut), "truncated gzip stream|expected objects of Kubernetes")

    def test_skipped(self):
        good, bad = self.pod("good"), {"a": 1}
        for text, names, skipped in (
            ({"items": [bad, good, bad]}, ["good"], 2),
            ({"items": [good], "metadata": {"continue": "x"}}, ["good"], 1),
            ("\n".join([json.dumps(good), json.dumps(good)[:60], json.dumps(good)]), ["good", "good"], 1),
            ("\n".join([json.dumps(good, indent=2), json.dumps(good, indent=2)[:60], json.dumps(good, indent=2)]), ["good", "good"], 1),
            ("junk\n" + json.dumps(good), ["good"], 1),
        ):
            path = self.file(text)
            self.assertEqual([row[0] for row in self.rows("SELECT name FROM kube_trace(?) WHERE on_error = 'skip'", path)], names)
            self.assertEqual(self.issues(path), {"skipped_record": skipped})

    def test_a_watch_that_is_being_written(self):
        with open(WATCH, encoding="utf-8") as file:
            text = file.read()
        ends = [m.start() + 1 for m in re.finditer(r"^}\n", text, re.M)]
        for size in (ends[0], ends[0] + 1, ends[0] + 10, ends[3] - 1, ends[3], len(text) - 3, len(text)):
            whole = sum(end <= size for end in ends)
            path = self.file(text[:size])
            self.assertEqual(self.one("SELECT count(*) FROM kube_trace(?)", path), whole)
            self.assertEqual(self.issues(path), {} if size in ends or size - 1 in ends else {"unfinished_record": 1})
        self.assertIn("found end of file", self.error("SELECT * FROM kube_trace(?)", self.file(text[:100])))

    def test_arguments(self):
        self.assertEqual(self.error("SELECT * FROM kube_trace"), "kube_trace: expected a path, as in kube_trace('cluster.json')")
        self.assertEqual(self.rows("SELECT * FROM kube_trace(NULL)"), [])

    def test_texts_outlive_their_row(self):
        self.assertEqual(self.rows("SELECT max(finished), name, job, resources FROM kube_trace(?)", WATCH),
                         [(T0 + 7202, "job-llm-3fa1c", "ml/llm", '{"nvidia.com/gpu":16.0}')])

    def test_interrupt(self):
        path = self.file(json.dumps([self.pod(limits={G: "8"})] * 200000))
        timer = threading.Timer(0.1, self.db.interrupt)
        timer.start()
        self.assertEqual(self.error("SELECT count(*) FROM kube_trace(?)", path), "interrupted")
        timer.join()

    def test_memory_does_not_grow_with_the_list(self):
        peaks = []
        item = json.dumps(self.pod(limits={G: "8"}, metadata={"annotations": {"note": "x" * 3000}}))
        for times in (300, 12000):
            path = self.file('{"apiVersion": "v1", "items": [' + ",\n".join([item] * times) + '], "kind": "List"}')
            self.assertEqual(self.rows("SELECT count(*), sum(chips) FROM kube_trace(?)", path), [(times, 8.0 * times)])
            with open("/proc/self/status", encoding="ascii") as status:
                peaks.append(int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]))
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 40 MB


class Mapping(Case):
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

    def test_the_watch(self):
        """Of 16 GPUs over 7200 s; the sums by hand."""
        self.map(WATCH)
        self.assertEqual(self.allocations(), [
            ("ml/llm", 1, "llm-0-x2x9k", "a100-pool", 8, 130, 1810, "preempted"), ("ml/llm", 1, "llm-1-bb7tq", "a100-pool", 8, 130, 1810, "preempted"),
            ("ml/llm", 2, "llm-0-9m4rs", "a100-pool", 8, 3010, 7200, "completed"), ("ml/llm", 2, "llm-1-w8dfz", "a100-pool", 8, 3010, 4500, "node_fail"),
            ("ml/llm", 2, "llm-1-k2jtv", "a100-pool", 8, 4805, 7200, "completed"), ("ml/urgent", 1, "urgent-0-h5kqc", "a100-pool", 8, 1820, 3000, "completed")])
        self.assertEqual(self.rows("SELECT pool, chips, start_time - ?1, end_time - ?1, kind FROM outages", T0), [("a100-pool", 8, 4500, 4800, "hw_down")])
        self.assertEqual(self.rows("SELECT job, name, owner, priority, chips, submit_time - ?, labels ->> '$.cluster_queue' FROM jobs ORDER BY job", T0),
                         [("ml/llm", "llm", "ml", 100, 16, 60, "shared"), ("ml/urgent", "urgent", "ml", 1000, 8, 1770, "shared")])
        whole = 16 * 1680 + 16 * 1490 + 16 * 2395 + 8 * 1180
        waits = 16 * 70 + 16 * 1200 + 8 * 305 + 8 * 50
        down, partial = 8 * 300, 8 * 305
        for table in ("mpg_ledger", "mpg_rollup"):
            self.assertEqual(self.rows(f"SELECT category, sum(chip_us) / 1000000 FROM {table} GROUP BY category"),
                             [("down", down), ("idle", 16 * 7200 - whole - down - partial), ("partial", partial), ("queued", waits), ("untraced", whole)])
        self.assertEqual(self.rows("SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), mpg(category, chip_us) FROM mpg_rollup"),
                         [(whole / (16 * 7200), None, None)])

    def test_the_listing(self):
        self.map(CLUSTER)
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity"), [("v5e-pool", "tpu-v5e", 12)])
        self.assertEqual(self.allocations(), [
            ("ml/distill", 1, None, "v5e-pool", 4, 605, 2405, "completed"), ("ml/tune", 1, "tune-workers-0-0-q7", "v5e-pool", 4, 245, None, None),
            ("ml/tune", 1, "tune-workers-0-1-q7", "v5e-pool", 4, 245, 2100, "failed")])
        self.assertEqual(self.rows("SELECT job, chips FROM jobs ORDER BY job"), [("ml/distill", 4), ("ml/tune", 8)])

    def test_both_twice(self):
        """Objects that are seen again count once."""
        self.map(WATCH)
        once = self.allocations(), self.rows("SELECT * FROM capacity"), self.rows("SELECT * FROM outages"), self.rows("SELECT * FROM jobs")
        self.map(WATCH, WATCH)
        self.assertEqual(once, (self.allocations(), self.rows("SELECT * FROM capacity"), self.rows("SELECT * FROM outages"), self.rows("SELECT * FROM jobs")))

    def test_shares(self):
        """Four pods on a GPU that four share; seven on one in seven slices; the node's capacity is what is installed."""
        objects = [self.node("s", {G: "4"}, **{"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "zone": "z"}),
                   self.node("m", {G: "7"}, **{"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "zone": "y"})]
        for node, n in (("s", 4), ("m", 7)):
            for i in range(n):
                objects.append(self.pod(f"{node}{i}", {G: 1}, spec={"nodeName": node}, metadata={"creationTimestamp": when(0)}, status={
                    "phase": "Succeeded", "startTime": when(0), "containerStatuses": [{"state": {"terminated": {"startedAt": when(0), "finishedAt": when(100)}}}]}))
        self.map(self.file(objects), label="zone")
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool"), [("y", "NVIDIA-A100-SXM4-80GB", 1), ("z", "NVIDIA-L4", 1)])
        self.assertEqual(self.rows("SELECT pool, round(sum(chips), 3), count(*) FROM allocations GROUP BY pool"), [("y", 1, 7), ("z", 1, 4)])
        self.assertEqual(self.rows("SELECT DISTINCT round(chips, 3) FROM jobs ORDER BY 1"), [(0.143,), (0.25,)])
        self.assertEqual(self.rows("SELECT DISTINCT pool, round(scheduling_goodput(category, chip_us), 3) FROM mpg_rollup GROUP BY pool"), [("y", 1), ("z", 1)])

    def test_chips_by_machine_type(self):
        """Where no label says what the GPUs are: every type that is known is of a chip of the catalogue, but for A10Gs, and P100s that are cards."""
        with open(os.path.join(ROOT, "sql/formats/kube.sql"), encoding="utf-8") as file:
            products = re.search(r"INTO kube_products VALUES(.*?);", file.read(), re.S)[1]
        known = {row[0] for row in self.rows("SELECT chip FROM mpg_chips")}
        self.assertEqual([name for name, chip in re.findall(r"\('([^']+)', '([^']+)'\)", products) if chip not in known], ["nvidia-tesla-p100", "g5"])
        amd = ["AMD_Instinct_MI300X_OAM", "AMD_Instinct_MI325_OAM"] # as AMD's node labeller writes them
        nodes = [self.node(kind, {G: "4"}, **{"node.kubernetes.io/instance-type": kind}) for kind in
                 ("g5.12xlarge", "g6.12xlarge", "p4d.24xlarge", "g4dn.12xlarge", "p6-b200.48xlarge", "ml.p5.48xlarge", "ml.g5.12xlarge")]
        self.map(self.file({"kind": "List", "items": nodes + [self.node("labelled", {G: "4"}, **{"nvidia.com/gpu.product": "NVIDIA-A10G"}),
                                                                 *(self.node(name, {"amd.com/gpu": "8"}, **{"amd.com/gpu.product-name": name}) for name in amd)]}))
        self.assertEqual(self.rows("SELECT chip, chip_peak_flops(chip, 'bf16') FROM capacity WHERE chip LIKE 'AMD%' ORDER BY chip"),
                         [(amd[0], 1.3074e15), (amd[1], 1.3074e15)])
        self.assertEqual(self.rows("SELECT chip, sum(chips) FROM capacity WHERE chip NOT LIKE 'AMD%' GROUP BY chip ORDER BY chip"),
                         [("NVIDIA-A10G", 12), ("nvidia-a100-40-sxm4", 4), ("nvidia-b200", 4), ("nvidia-h100-sxm", 4), ("nvidia-l4", 4), ("nvidia-t4", 4)])

    def workload(self, name, version, *conditions, event="MODIFIED", deleted=None):
        return {"type": event, "object": {
            "kind": "Workload", "metadata": {"name": "w-" + name, "namespace": "ns", "uid": "w-" + name, "creationTimestamp": when(0), "resourceVersion": str(version),
                                             "deletionTimestamp": deleted, "ownerReferences": [{"kind": "Job", "name": name, "controller": True}]},
            "spec": {"podSets": [{"count": 1, "template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}}]},
            "status": {"conditions": [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)} for kind, reason, at in conditions]}}}

    def test_workloads_without_pods(self):
        self.map(self.file("\n".join(map(json.dumps, [
            {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")},
            self.workload("done", 1, ("Admitted", "Admitted", 10), ("Finished", "Succeeded", 50)),
            self.workload("gone", 2, event="DELETED", deleted=when(30)),
            self.workload("waits", 3),
            self.workload("again", 4, ("Admitted", "Admitted", 5), ("Evicted", "Preempted", 20)),
            self.workload("runs", 5, ("Admitted", "Admitted", 40)),
        ]))))
        self.assertEqual(self.allocations(), [
            ("ns/again", 1, None, "a", 2, 5, 20, "preempted"), ("ns/again", 2, None, "a", 0, 20, None, None), ("ns/done", 1, None, "a", 2, 10, 50, "completed"),
            ("ns/gone", 1, None, "kubernetes", 0, 30, 30, "cancelled"), ("ns/runs", 1, None, "a", 2, 40, None, None)])
        self.assertEqual(self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job"),
                         [("ns/again", 2 * (5 + 30)), ("ns/done", 20), ("ns/gone", 60), ("ns/runs", 80), ("ns/waits", 100)])

    def test_deactivated_workloads(self):
        """A Workload that is not active asks for nothing, whatever it was evicted for, and whether it was admitted before or not."""
        def told(name, active, reason, admitted=True):
            w = self.workload(name, 1, *([("Admitted", "Admitted", 10)] if admitted else []), ("Evicted", reason, 30))
            w["object"]["spec"]["active"] = active
            return w
        def owner(name):
            return {"type": "ADDED", "object": {"kind": "Job", "metadata": {"name": name, "namespace": "ns", "uid": name, "creationTimestamp": when(0), "resourceVersion": "1"},
                                                "spec": {"suspend": True}, "status": {}}}
        self.map(self.file("\n".join(map(json.dumps, [
            {"type": "ADDED", "object": self.node("n", {G: "8"}, agentpool="a")},
            told("late", False, "DeactivatedDueToMaximumExecutionTimeExceeded"), told("often", False, "DeactivatedDueToRequeuingLimitExceeded"),
            told("stopped", False, "PodsReadyTimeout"), told("again", True, "Deactivated"), told("waits", True, "Preempted"),
            told("never", False, "DeactivatedDueToAdmissionCheck", False), owner("never"), told("hopes", True, "AdmissionCheck", False), owner("hopes"),
            self.workload("runs", 2, ("Admitted", "Admitted", 100))]))))
        self.assertEqual(self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job"), [
            ("ns/again", 2 * (10 + 70)), ("ns/hopes", 200), ("ns/late", 20), ("ns/never", 60), ("ns/often", 20), ("ns/runs", 200), ("ns/stopped", 20), ("ns/waits", 2 * (10 + 70))])

    def test_jobs_whose_pods_are_gone(self):
        """That a job ran to its end says nothing of how long it waited; one whose time was over may have waited all the time."""
        def job(name, *conditions, **more):
            return {"kind": "Job", "metadata": {"name": name, "namespace": "ns", "uid": name, "creationTimestamp": when(0), "resourceVersion": "1", **more},
                    "spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}},
                    "status": {"startTime": when(1), "conditions": [{"type": kind, "status": "True", "reason": reason, "lastTransitionTime": when(at)} for kind, reason, at in conditions]}}
        js = {"labels": {"jobset.sigs.k8s.io/jobset-name": "js"}}
        self.map(self.file("\n".join(map(json.dumps, [
            self.node("n", {G: "8"}, agentpool="a"), job("done", ("Complete", "CompletionsReached", 90)), job("bad", ("Failed", "BackoffLimitExceeded", 80)),
            job("slow", ("Failed", "DeadlineExceeded", 70)), job("waits"), job("js-first-0", ("Complete", "CompletionsReached", 50), **js), job("js-then-0", **js),
            {"kind": "JobSet", "metadata": {"name": "js", "namespace": "ns", "uid": "js", "creationTimestamp": when(0), "resourceVersion": "1"},
             "spec": {"replicatedJobs": [{"replicas": 2, "template": {"spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 2}}}]}}}}}]}, "status": {}}]))))
        self.assertEqual(self.rows("SELECT job, chips, end_time IS NULL, outcome FROM allocations ORDER BY job"),
                         [("ns/bad", 0, 0, "failed"), ("ns/done", 0, 0, "completed"), ("ns/slow", 0, 0, "cancelled")])
        self.assertEqual(self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND as_of = ? GROUP BY job", when(100)),
                         [("ns/js", 400), ("ns/slow", 140), ("ns/waits", 200)])

    def test_pods_that_do_not_wait_for_each_other(self):
        """Of a Job that has more to complete than runs at once, and of a Deployment, any pod works alone, also where Kueue admits them together."""
        def pod(name, start, end, labels, owner=()):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(name, {G: 1}, spec={"nodeName": "n"}, metadata={"creationTimestamp": when(0), "labels": labels, "ownerReferences": list(owner)}, status={
                "phase": "Succeeded", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}], "containerStatuses": [{"state": state}]})
        def made(kind, name, **spec):
            return {"kind": kind, "metadata": {"name": name, "namespace": "ns", "uid": name, "creationTimestamp": when(0), "resourceVersion": "1"},
                    "spec": {"template": {"spec": {"containers": [{"resources": {"limits": {G: 1}}}]}}, **spec}, "status": {}}
        workload = self.workload("shards", 1, ("Admitted", "Admitted", 0), ("Finished", "Succeeded", 200))["object"]
        workload["spec"]["podSets"][0]["count"] = 2
        replica = [{"kind": "ReplicaSet", "name": "web-5d4c", "controller": True}]
        self.map(self.file("\n".join(map(json.dumps, [
            self.node("n", {G: "8"}, agentpool="a"), made("Job", "shards", parallelism=4, completions=6), workload,
            *(pod(f"shards-{i}", 100 * (i // 4), 100 * (i // 4) + 100, {"job-name": "shards"}) for i in range(6)),
            made("Deployment", "web", replicas=3), *(pod(f"web-5d4c-{i}", 50 * i, 200, {"pod-template-hash": "5d4c"}, replica) for i in range(3)),
            made("Job", "gang", parallelism=2, completions=2), *(pod(f"gang-{i}", 0, 100 + 100 * i, {"job-name": "gang"}) for i in range(2))]))))
        self.assertEqual(self.rows("SELECT job, category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL AND category <> 'queued' GROUP BY job, category"), [
            ("ns/gang", "partial", 100), ("ns/gang", "untraced", 200), ("ns/shards", "untraced", 600), ("ns/web", "untraced", 200 + 150 + 100)])
        self.assertEqual(self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"), [("ns/gang", 2, None), ("ns/shards", 4, 1), ("ns/web", None, None)])

    def test_workloads_of_pods(self):
        """Kueue has a Workload for a pod alone, for a group of pods, such as those of a StatefulSet, for every pod of a Deployment, for every
        group of a LeaderWorkerSet, and one for all that an AppWrapper holds."""
        def pod(name, start, end, chips, owner=None, **labels):
            state = {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 0}}
            return self.pod(name, {G: chips}, spec={"nodeName": "n"}, metadata={"creationTimestamp": when(0), "labels": labels, "ownerReferences": owner or []}, status={
                "phase": "Succeeded", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}], "containerStatuses": [{"state": state}]})
        def workload(name, owners, at, chips, count=1):
            return {"kind": "Workload", "metadata": {"name": name, "namespace": "ns", "uid": "w-" + name, "creationTimestamp": when(0), "ownerReferences": owners},
                    "spec": {"podSets": [{"count": count, "template": {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}}}]},
                    "status": {"conditions": [{"type": "Admitted", "status": "True", "lastTransitionTime": when(at)},
                                              {"type": "Finished", "status": "True", "reason": "Succeeded", "lastTransitionTime": when(100)}]}}
        def of(kind, name, controller=True):
            return [{"kind": kind, "name": name} | ({"controller": True} if controller else {})]
        web = {"pod-template-hash": "5d4c"}
        lws = {"leaderworkerset.sigs.k8s.io/name": "lws"}
        sts = {"kueue.x-k8s.io/pod-group-name": "statefulset-db-1a2b3"}
        aw = {"workload.codeflare.dev/appwrapper": "aw", "training.kubeflow.org/job-name": "tune"}
        self.map(self.file("\n".join(map(json.dumps, [
            self.node("n", {G: "64"}, agentpool="a"),
            pod("one", 10, 100, 2), workload("pod-one-3fa1c", of("Pod", "one"), 10, 2),
            pod("g-0", 20, 100, 4, **{"kueue.x-k8s.io/pod-group-name": "g"}), pod("g-1", 20, 100, 4, **{"kueue.x-k8s.io/pod-group-name": "g"}),
            workload("g", of("Pod", "g-0", False) + of("Pod", "g-1", False), 20, 4, 2),
            *(pod(f"web-5d4c-{i}", 30 + int(i), 100, 1, of("ReplicaSet", "web-5d4c"), **web) for i in "01"),
            *(workload(f"pod-web-5d4c-{i}-aaaaa", of("Pod", f"web-5d4c-{i}"), 30, 1) for i in "01"),
            *(pod(f"lws-{i}", 40, 100, 8, of("LeaderWorkerSet", "lws"), **lws) for i in "01"),
            *(workload(f"leaderworkerset-lws-{i}-aaaaa", of(kind, name, False), 40, 8) for i, kind, name in (("0", "LeaderWorkerSet", "lws"), ("1", "Pod", "lws-1"))),
            pod("db-0", 60, 100, 2, of("StatefulSet", "db"), **sts), workload("statefulset-db-1a2b3", of("StatefulSet", "db", False), 60, 2),
            pod("tune-master-0", 70, 100, 1, of("PyTorchJob", "tune"), **aw), workload("appwrapper-aw-3fa1c", of("AppWrapper", "aw"), 70, 1),
            workload("pod-gone-3fa1c", of("Pod", "gone"), 50, 2)]))))
        self.assertEqual(self.allocations(), [
            ("ns/aw", 1, "tune-master-0", "a", 1, 70, 100, "completed"),
            ("ns/g", 1, "g-0", "a", 4, 20, 100, "completed"), ("ns/g", 1, "g-1", "a", 4, 20, 100, "completed"), ("ns/gone", 1, None, "a", 2, 50, 100, "completed"),
            ("ns/lws", 1, "lws-0", "a", 8, 40, 100, "completed"), ("ns/lws", 1, "lws-1", "a", 8, 40, 100, "completed"), ("ns/one", 1, "one", "a", 2, 10, 100, "completed"),
            ("ns/statefulset-db-1a2b3", 1, "db-0", "a", 2, 60, 100, "completed"),
            ("ns/web", 1, "web-5d4c-0", "a", 1, 30, 100, "completed"), ("ns/web", 1, "web-5d4c-1", "a", 1, 31, 100, "completed")])
        self.assertEqual(self.rows("SELECT job, chips, phase, framework FROM jobs ORDER BY job"),
                         [("ns/aw", 1, None, "pytorch"), ("ns/g", 8, None, None), ("ns/gone", 2, None, None), ("ns/lws", None, None, None), ("ns/one", 2, None, None),
                          ("ns/statefulset-db-1a2b3", 2, None, None), ("ns/web", None, "serving", None)])
        self.assertEqual(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE job IS NOT NULL GROUP BY category"),
                         [("queued", 2 * 10 + 8 * 20 + 2 * 50 + 2 * 60 + 70), ("untraced", 2 * 90 + 8 * 80 + 70 + 69 + 16 * 60 + 2 * 50 + 2 * 40 + 30)])

    def test_nodes_that_lost_their_devices(self):
        """A node's device plugin may end before the node does, or not run yet where a watch ends."""
        def event(kind, name, version, gpus, beat):
            node = self.node(name, {"cpu": "8"} | ({} if gpus is None else {G: str(gpus)}), agentpool="a")
            node["metadata"]["resourceVersion"] = str(version)
            node["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}]
            return {"type": kind, "object": node}
        self.map(self.file("\n".join(map(json.dumps, [
            event("ADDED", "n", 1, None, 0), event("MODIFIED", "n", 2, 8, 10), event("MODIFIED", "n", 3, 0, 90), event("DELETED", "n", 4, 0, 100),
            event("ADDED", "m", 5, 8, 10), event("MODIFIED", "m", 6, 4, 20), event("MODIFIED", "m", 7, 0, 30), event("ADDED", "cpu", 8, None, 10)]))))
        self.assertEqual(self.rows("SELECT pool, chips, start_time - ?1, end_time - ?1 FROM capacity ORDER BY chips", T0), [("a", 4, 0, None), ("a", 8, 0, 100)])

    def test_objects_without_a_uid(self):
        objects = [self.node("m", {G: "8"}, agentpool="a"), self.node("n", {G: "4"}, agentpool="a")]
        objects[1]["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": when(50)}]
        for node in "mn":
            objects.append(self.pod(node, {G: 2}, spec={"nodeName": node}, metadata={"creationTimestamp": when(0)}, status={
                "phase": "Succeeded", "startTime": when(0), "containerStatuses": [{"state": {"terminated": {"startedAt": when(0), "finishedAt": when(100)}}}]}))
        def told():
            return [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5") for table in ("capacity", "outages", "allocations", "jobs")]
        self.map(self.file(objects))
        wanted = told()
        self.assertEqual(self.rows("SELECT sum(chips) FROM capacity"), [(12,)])
        for o in objects:
            del o["metadata"]["uid"]
        self.map(self.file(objects))
        self.assertEqual([sum(row[2] for row in told()[0]), told()[1:]], [12, wanted[1:]])

    def test_listings_that_are_repeated(self):
        """What a listing shows no more ended after the last that does; what it would not show may still be there."""
        def node(name, beat):
            node = self.node(name, {G: "8"}, agentpool="a")
            node["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}]
            return node
        def pod(name, start, namespace="ns", end=None, deleted=None):
            ran = {"terminated": {"startedAt": when(start), "finishedAt": when(end)}} if end else {"running": {"startedAt": when(start)}}
            pod = self.pod(name, {G: 2}, spec={"nodeName": "n"}, metadata={"creationTimestamp": when(start), "namespace": namespace, "deletionTimestamp": deleted}, status={
                "phase": "Succeeded" if end else "Running", "containerStatuses": [{"state": ran}],
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}, {"type": "Ready", "status": "True", "lastTransitionTime": when(start)}]})
            return pod
        def waits(name):
            obj = self.workload(name, 1)["object"]
            del obj["metadata"]["deletionTimestamp"]
            return obj
        first = [node("n", 100), node("gone", 90), pod("a", 10), pod("b", 20), pod("other", 30, "other"), pod("done", 5, end=50), pod("dying", 60, deleted=when(130)),
                 waits("left"), waits("stays")]
        second = [node("n", 200), pod("b", 20), pod("c", 150), waits("stays")]
        third = [node("n", 300), pod("c", 150), waits("stays")]
        def told(*listings, **named):
            folder = self.folder_of({f"{i}.json": {"kind": "List", "items": items} for i, items in enumerate(listings)} | named)
            self.map(folder)
            return [row[0:1] + row[5:7] for row in self.allocations()]
        self.assertEqual(told(first, second, third), [
            ("ns/a", 10, 100), ("ns/b", 20, 200), ("ns/c", 150, None), ("ns/done", 5, 50), ("ns/dying", 60, 130), ("ns/left", 100, 100), ("other/other", 30, None)])
        self.assertEqual(self.rows("SELECT chips, end_time - ? FROM capacity ORDER BY 2", T0), [(8, None), (8, 90)])
        self.assertEqual(self.rows("SELECT job, sum(chip_us) / 2000000 FROM mpg_rollup WHERE category = 'queued' AND job LIKE 'ns/_____' AND as_of = ? GROUP BY job", T0 + 500),
                         [("ns/stays", 500)])
        # In any order; one of every namespace would show them all.
        wide = [node("n", 400), pod("c", 150), pod("x", 350, "kube-system"), waits("stays")]
        self.assertEqual(told(wide, third, first, second), [
            ("kube-system/x", 350, None), ("ns/a", 10, 100), ("ns/b", 20, 200), ("ns/c", 150, None), ("ns/done", 5, 50), ("ns/dying", 60, 130), ("ns/left", 100, 100),
            ("other/other", 30, 100)])
        # A watch tells itself; one without events shows only what changes.
        changes = "\n".join(map(json.dumps, [pod("a", 10), pod("b", 20), pod("a", 10)]))
        self.assertEqual(told([node("n", 100), pod("b", 20)], **{"watch.json": changes, "z.json": [node("n", 200), pod("c", 150)]}),
                         [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 150, None)])
        events = "\n".join(json.dumps({"type": "ADDED", "object": o}) for o in (pod("a", 10), pod("b", 20)))
        self.assertEqual(told([node("n", 100), pod("b", 20)], **{"watch.json": events, "z.json": [node("n", 200), pod("c", 150)]}),
                         [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 150, None)])

    def test_a_watch_that_began_anew(self):
        """What is not added again was deleted meanwhile, after the last time told before."""
        def pod(event, name, version, start, ready=None):
            pod = self.pod(name, {G: 2}, spec={"nodeName": "n"}, metadata={"creationTimestamp": when(start), "resourceVersion": str(version)}, status={
                "phase": "Running", "containerStatuses": [{"state": {"running": {"startedAt": when(start)}}}],
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}]
                + ([{"type": "Ready", "status": "True", "lastTransitionTime": when(ready)}] if ready else [])})
            return {"type": event, "object": pod}
        def node(event, version):
            return {"type": event, "object": self.node("n", {G: "8"}, agentpool="a") | {"metadata": {"name": "n", "uid": "u-n", "creationTimestamp": when(0), "resourceVersion": str(version)}}}
        def told(*events):
            self.map(self.file("\n".join(map(json.dumps, events))))
            return [row[0:1] + row[5:7] for row in self.allocations()]
        first = [node("ADDED", 1), pod("ADDED", "a", 2, 10), pod("ADDED", "b", 3, 20), pod("ADDED", "c", 4, 60), pod("MODIFIED", "a", 5, 10, 40)]
        self.assertEqual(told(*first), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        # Of another kind it tells nothing.
        self.assertEqual(told(*first, node("ADDED", 1)), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        error = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version"}}
        again = [pod("ADDED", "e", 7, 80), pod("ADDED", "b", 3, 20), pod("ADDED", "c", 4, 60), pod("ADDED", "d", 8, 90), pod("MODIFIED", "d", 9, 90, 100)]
        self.assertEqual(told(*first, error, *again), [("ns/a", 10, 60), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/d", 90, None), ("ns/e", 80, None)])
        self.assertEqual(told(*first, *again, *again[2:]), [("ns/a", 10, 60), ("ns/b", 20, 100), ("ns/c", 60, None), ("ns/d", 90, None), ("ns/e", 80, 100)])
        self.assertEqual(self.rows("SELECT chips, end_time FROM capacity"), [(8, None)])
        # Twice, and nothing between: what is there is in both, wherever in them.
        e, b, c = again[:3]
        for twice, ends in (([e, b, c, e, b, c], (None, None, None)), ([e, b, c, b, c], (80, None, None)), ([b, e, c, e, b, c], (None, None, None)),
                            ([e, b, c, e, c], (None, 80, None)), ([b, c, e, b, c, e], (None, None, None))):
            self.assertEqual(told(*first, *twice), [("ns/a", 10, 60), ("ns/b", 20, ends[1]), ("ns/c", 60, ends[2]), ("ns/e", 80, ends[0])])
        # It did not where what was deleted is added again, as one that a selector chooses again is; or where a listing is what came before.
        self.assertEqual(told(*first, pod("DELETED", "b", 5, 20), pod("ADDED", "b", 6, 20)), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        self.assertEqual(told({"kind": "List", "items": [event["object"] for event in first[:4]]}, *first), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        self.assertEqual(told({"kind": "List", "items": [event["object"] for event in first[:3]]}, *first[:3], *again[1:]),
                         [("ns/a", 10, 20), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/d", 90, None)])

    def test_cordoned(self):
        def node(version, unschedulable, beat):
            taints = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": when(100)}] if unschedulable else []
            node = self.node("n", {G: "8"}, agentpool="a")
            node["metadata"]["resourceVersion"] = str(version)
            node["spec"] = {"unschedulable": unschedulable, "taints": taints}
            node["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}]
            return node
        pod = self.pod("p", {G: 2}, spec={"nodeName": "n"}, metadata={"creationTimestamp": when(0)}, status={
            "phase": "Succeeded", "startTime": when(0), "containerStatuses": [{"state": {"terminated": {"startedAt": when(0), "finishedAt": when(150)}}}]})
        self.map(self.file([node(1, False, 0), node(2, True, 110), node(3, True, 160), pod, node(4, False, 300)]))
        self.assertEqual(self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY 2", T0), [(6, 100, 150, "maintenance"), (8, 150, 300, "maintenance")])

    def test_in_the_shell(self):
        """With parameters, as the header of the script shows it."""
        self.script("formats/kube.sql", kube=WATCH, pool="cloud.google.com/gke-nodepool")
        self.assertEqual(self.one("SELECT count(*) FROM allocations WHERE pool = 'a100-pool'"), 6)


if __name__ == "__main__":
    unittest.main()
