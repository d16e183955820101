"""Events of Kubernetes (kubectl get events) in sql/formats/kube.sql: what they say of nodes and pods that the objects do not, and that no event is left out in silence. The figures are by hand."""

import json
import unittest

from kube import G, T0, Mapped, when


class Events(Mapped):
    def event(self, about, name, reason, first, last=None, count=None, message="", space="ns", uid=None):
        """As kube-controller-manager and the kubelet write them."""
        made = {
            "kind": about,
            "name": name,
            **({"namespace": space} if about != "Node" else {}),
            **({"uid": uid} if uid else {}),
        }
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{name}.{reason}.{first}",
                "namespace": space if about != "Node" else "default",
                "uid": f"e-{name}-{reason}-{first}",
                "creationTimestamp": when(first),
                "resourceVersion": "9",
            },
            "involvedObject": made,
            "reason": reason,
            "message": message,
            "type": "Normal",
            "count": count or 1,
            "firstTimestamp": when(first),
            "lastTimestamp": when(last or first),
            "eventTime": None,
        }

    def series(self, about, name, reason, first, last, count, note=""):
        """As the scheduler writes them (events.k8s.io/v1)."""
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.{first}", "namespace": "ns", "creationTimestamp": when(first)},
            "reason": reason,
            "note": note,
            "regarding": {"kind": about, "name": name, "namespace": "ns"},
            "eventTime": when(first)[:-1] + ".123456Z",
            "series": {"count": count, "lastObservedTime": when(last)[:-1] + ".000000Z"},
            "type": "Warning",
        }

    def ready(self, name, since=0, beat=1000, ready=True, **spec):
        node = self.node(name, {G: "8"}, agentpool="a")
        node["status"]["conditions"] = [
            {"type": "Ready", "status": str(ready), "lastTransitionTime": when(since), "lastHeartbeatTime": when(beat)}
        ]
        node["spec"] = spec
        return dict(node, apiVersion="v1")

    def runs(self, name, start, end=None, **metadata):
        return self.pod(
            name,
            {G: 2},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(start), **metadata},
            status={
                "phase": "Running" if end is None else "Failed",
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                "containerStatuses": [
                    {
                        "state": (
                            {"running": {"startedAt": when(start)}}
                            if end is None
                            else {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": 137}}
                        )
                    }
                ],
            },
        )

    def outages(self):
        return self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY 2", T0)

    def issues(self, kind):
        return self.rows("SELECT count, detail FROM mpg_issues WHERE kind = ? ORDER BY detail", kind)

    def test_the_columns(self):
        path = self.file(
            [
                self.event("Pod", "p", "BackOff", 10, 70, 4, "Back-off restarting"),
                self.series("Pod", "q", "FailedScheduling", 5, 65, 3, "0/8 nodes"),
            ]
        )
        self.assertEqual(
            [
                ("BackOff", "Back-off restarting", "p", 10, 70, 4, None, "Normal"),
                ("FailedScheduling", "0/8 nodes", "q", 5, 65, 3, None, "Warning"),
            ],
            self.rows(
                "SELECT reason, message, involvedObject ->> '$.name', firstTimestamp - ?1, lastTimestamp - ?1, count, job, event_type FROM kube_trace(?2)",
                T0,
                path,
            ),
        )

    def test_nodes_that_were_not_ready_between_listings(self):
        """The object shows when it was ready again, and nothing of the times before."""
        self.map(
            self.file(
                [
                    self.ready("n", since=700),
                    self.event("Node", "n", "NodeNotReady", 100),
                    self.event("Node", "n", "NodeReady", 160),
                    self.event("Node", "n", "NodeNotReady", 600),
                ]
            )
        )
        self.assertEqual([(8, 100, 160, "hw_down"), (8, 600, 700, "hw_down")], self.outages())
        self.assertEqual([], self.rows("SELECT * FROM mpg_issues"))

    def test_nodes_that_were_removed(self):
        """One is there until its last heartbeat, and as long as a pod holds its chips, or until an event says that it was removed: what no pod holds is down since it did not answer."""

        def watch(*objects):
            self.map(
                self.file(
                    "\n".join(
                        json.dumps({"type": "DELETED" if o["metadata"].get("gone") else "ADDED", "object": o})
                        for o in objects
                    )
                )
            )
            return (
                self.rows("SELECT chips, end_time - ? FROM capacity WHERE end_time IS NOT NULL", T0),
                self.outages(),
                self.rows("SELECT DISTINCT kind FROM mpg_issues WHERE severity <> 'info'"),
            )

        def gone(node):
            node["metadata"]["gone"] = True
            return node

        other = self.ready("other", beat=4000)
        removed = self.event("Node", "n", "RemovingNode", 1600)
        drained, pod = gone(self.ready("n", beat=700)), gone(self.runs("p", 100, 900))
        self.assertEqual(([(8, 700)], [], []), watch(other, drained))
        self.assertEqual(([(8, 900)], [], []), watch(other, pod, drained))
        dead, lost = gone(self.ready("n", since=1000, beat=960, ready=False)), gone(self.runs("p", 100, 1300))
        self.assertEqual(([(8, 1000)], [], []), watch(other, dead))
        self.assertEqual(([(8, 1300)], [(6, 1000, 1300, "hw_down")], []), watch(other, lost, dead))
        self.assertEqual(
            ([(8, 1600)], [(6, 1000, 1300, "hw_down"), (8, 1300, 1600, "hw_down")], []),
            watch(other, lost, dead, removed),
        )
        self.assertEqual(([(8, 1600)], [], []), watch(other, pod, drained, removed))
        # Another one of the name was made meanwhile.
        again = self.ready("n", since=1200, beat=4000)
        again["metadata"].update(uid="again", creationTimestamp=when(1200))
        self.assertEqual([(8, 1200)], watch(other, lost, dead, again)[0])

    def test_as_exporters_of_events_write_them(self):
        """eventrouter, an exporter that leaves kind and version out, Cloud Logging's entries: they say what kubectl's do."""
        events = [self.event("Node", "n", "NodeNotReady", 100), self.event("Node", "n", "NodeReady", 160)]
        bare = [{key: value for key, value in event.items() if key not in ("kind", "apiVersion")} for event in events]
        for event in bare:
            event["involvedObject"] = {**event["involvedObject"], "apiVersion": "v1", "labels": {"a": "b"}}
        entries = [
            {
                "insertId": f"i{i}",
                "jsonPayload": event,
                "logName": "projects/p/logs/events",
                "resource": {"type": "k8s_node"},
                "timestamp": when(0),
            }
            for i, event in enumerate(events)
        ]
        for written in (
            "\n".join(map(json.dumps, bare)),
            "\n".join(json.dumps({"verb": "ADDED", "event": event}) for event in bare),
            "\n".join(map(json.dumps, entries)),
            json.dumps(entries, indent=2),
        ):
            with self.subTest(written=written[:40]):
                path = self.folder_of({"nodes.json": [self.ready("n", since=160)], "events.json": written})
                self.assertEqual([("kube",)], self.rows("SELECT DISTINCT format FROM trace_sources(?)", path))
                self.map(path)
                self.assertEqual([(8, 100, 160, "hw_down")], self.outages())

    def test_objects_and_events_of_one_outage_count_once(self):
        self.map(self.file([self.ready("n", since=600, ready=False), self.event("Node", "n", "NodeNotReady", 602)]))
        self.assertEqual([(8, 600, None, "hw_down")], self.outages())
        self.assertEqual(
            8 * 400, self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'down'")[0][0]
        )

    def test_an_object_that_denies_its_event_counts(self):
        self.map(self.file([self.ready("n", since=0, beat=1000), self.event("Node", "n", "NodeNotReady", 400)]))
        self.assertEqual([], self.outages())
        self.assertEqual(
            [(1, "events that node n was not ready, while its object says that it was: the object counts")],
            self.issues("conflict"),
        )

    def test_cordons(self):
        """Not ready within a cordon is hw_down for as long as it lasts, and maintenance before and after."""
        self.map(
            self.file(
                [
                    self.ready("n", since=300),
                    self.event("Node", "n", "NodeNotSchedulable", 100),
                    self.event("Node", "n", "NodeNotReady", 200),
                    self.event("Node", "n", "NodeReady", 300),
                    self.event("Node", "n", "NodeSchedulable", 500),
                ]
            )
        )
        self.assertEqual(
            [(8, 100, 200, "maintenance"), (8, 200, 300, "hw_down"), (8, 300, 500, "maintenance")], self.outages()
        )

    def test_a_cordon_of_objects_with_an_outage_within(self):
        taint = {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unschedulable", "timeAdded": when(100)}]}
        versions = [
            self.ready("n", beat=50),
            self.ready("n", beat=150, **taint),
            self.ready("n", since=200, beat=210, ready=False, **taint),
            self.ready("n", since=300, beat=310, **taint),
            self.ready("n", since=300, beat=500),
        ]
        for i, version in enumerate(versions):
            version["metadata"]["resourceVersion"] = str(i + 1)
        self.map(self.file(versions))
        self.assertEqual(
            [(8, 100, 200, "maintenance"), (8, 200, 300, "hw_down"), (8, 300, 500, "maintenance")], self.outages()
        )

    def test_pods_that_are_gone(self):
        """When they ended, and why, is in their events: in the objects there is but the listing that has them no more."""
        first = [self.ready("n", beat=100), *(self.runs(name, 10) for name in ("beaten", "killed", "silent", "sick"))]
        second = [self.ready("n", beat=1000), self.runs("other", 500)]
        events = [
            self.event("Pod", "beaten", "Preempted", 300, message="Preempted by pod u on node n", uid="u-beaten"),
            self.event("Pod", "beaten", "Killing", 301, message="Stopping container main"),
            self.event("Pod", "killed", "Killing", 400, message="Stopping container main"),
            self.event("Pod", "killed", "Preempted", 5, uid="another"),
            self.event("Pod", "sick", "TaintManagerEviction", 350, message="Marking for deletion Pod ns/sick"),
            self.event("Pod", "silent", "TaintManagerEviction", 350, message="Cancelling deletion of Pod ns/silent"),
            self.event(
                "Pod", "silent", "Killing", 360, message="Container main failed liveness probe, will be restarted"
            ),
        ]
        self.map(
            self.folder_of(
                {
                    "1.json": {"kind": "List", "items": first},
                    "2.json": {"kind": "List", "items": second},
                    "3.json": {"kind": "List", "items": events},
                }
            )
        )
        self.assertEqual(
            [
                ("ns/beaten", 10, 300, "preempted"),
                ("ns/killed", 10, 400, None),
                ("ns/other", 500, None, None),
                ("ns/sick", 10, 350, "node_fail"),
                ("ns/silent", 10, 100, None),
            ],
            [(row[0], *row[5:8]) for row in self.allocations()],
        )
        self.assertEqual(
            [
                (
                    3,
                    "events that add nothing: Pod Killing (1): a pod holds its chips while its containers start, end and start again, and says how they ended; "
                    "Pod Preempted (1): no file has the object that they are about; Pod TaintManagerEviction (1): the node or the pod says so",
                )
            ],
            self.issues("unused_events"),
        )

    def test_a_pod_that_failed_and_was_evicted(self):
        self.map(
            self.file(
                [
                    self.ready("n"),
                    self.runs("a", 10, 200),
                    self.runs("b", 10, 200),
                    self.event("Pod", "a", "Evicted", 199, message="The node was low on resource: memory."),
                ]
            )
        )
        self.assertEqual([("ns/a", "preempted"), ("ns/b", "failed")], [(row[0], row[7]) for row in self.allocations()])

    def test_evictions_of_workloads(self):
        """A Workload that was admitted again has no more its eviction; the event has: a new attempt begins after it."""
        w = self.workload("j", 3, ("QuotaReserved", "QuotaReserved", 400), ("Admitted", "Admitted", 400))["object"]
        del w["metadata"]["deletionTimestamp"]

        def of_job(name, start, end=None):
            return self.runs(
                name,
                start,
                end,
                ownerReferences=[{"kind": "Job", "name": "j", "controller": True}],
                deletionTimestamp=when(end) if end else None,
            )

        pods = [of_job("j-1", 10, 302), of_job("j-2", 301)]

        def attempts(*events):
            self.map(self.file([self.ready("n"), w, *pods, *events]))
            return [(row[2], row[1], row[7]) for row in self.allocations()]

        self.assertEqual([("j-1", 1, "failed"), ("j-2", 1, None)], attempts())
        self.assertEqual(
            [("j-1", 1, "preempted"), ("j-2", 2, None)],
            attempts(self.event("Workload", "w-j", "EvictedDueToPreempted", 300)),
        )

    def test_until_when_events_observe(self):
        self.map(
            self.file([self.ready("n", beat=100), self.runs("p", 10), self.event("Pod", "p", "BackOff", 20, 900, 7)])
        )
        self.assertEqual([("a", 900)], self.rows("SELECT pool, until_time - ? FROM observed", T0))

    def test_nothing_is_left_out_in_silence(self):
        """Each event is used or listed: the counts of both add up to the events."""
        words = [
            ("Pod", "p", "Scheduled"),
            ("Pod", "gone", "Scheduled"),
            ("Pod", "p", "Pulled"),
            ("Pod", "p", "Brewing"),
            ("Node", "n", "Rebooted"),
            ("Node", "cpu", "NodeNotReady"),
            ("Node", "n", "XIDError"),
            ("Job", "j", "SuccessfulCreate"),
        ]
        events = [self.event(about, name, reason, 20 + i) for i, (about, name, reason) in enumerate(words)]
        self.map(self.file([self.ready("n"), self.runs("p", 10), *events]))
        self.assertEqual(len(events), sum(row[0] for row in self.issues("unused_events")))
        listed = " ".join(row[1] for row in self.issues("unused_events"))
        self.assertEqual([], [reason for _, _, reason in words if reason not in listed])
        self.assertIn("Node XIDError (1), Pod Brewing (1): mpg does not know these reasons", listed)

    def test_damage(self):
        """An event without a time or an object, and one of another century."""
        none = self.event("Pod", "p", "Killing", 20)
        for key in ("firstTimestamp", "lastTimestamp"):
            none[key] = None
        none["metadata"]["creationTimestamp"] = None
        late = dict(
            self.event("Node", "n", "NodeNotReady", 30),
            firstTimestamp="2126-03-01T08:00:00Z",
            lastTimestamp="2126-03-01T08:00:00Z",
        )
        self.map(self.file([self.ready("n"), self.runs("p", 10), none, late]))
        self.assertEqual([], self.outages())
        self.assertEqual(
            [("impossible_time", 1), ("missing_field", 1)],
            self.rows(
                "SELECT kind, sum(count) FROM mpg_issues WHERE kind IN ('impossible_time', 'missing_field') GROUP BY kind"
            ),
        )
        self.assertEqual([("a", 1000)], self.rows("SELECT pool, until_time - ? FROM observed", T0))

    def test_times_between(self):
        """Of an event that happened five times two have a time."""
        self.map(
            self.file(
                [
                    self.ready("n", since=910),
                    self.event("Node", "n", "NodeNotReady", 100, 900, 5),
                    self.event("Node", "n", "NodeReady", 110, 910, 5),
                ]
            )
        )
        self.assertEqual([(8, 100, 110, "hw_down"), (8, 900, 910, "hw_down")], self.outages())
        self.assertEqual(
            [
                (
                    6,
                    "times between the first and the last of an event, the first of node n (NodeNotReady,NodeReady): when they were, no record says",
                )
            ],
            self.issues("between_samples"),
        )

    def test_a_watch_and_a_file_of_its_own(self):
        """kubectl get events -w -o json: each change of an event is there, and each time counts once."""
        changes = [
            self.event("Node", "n", "NodeNotReady", 100, 100, 1),
            self.event("Node", "n", "NodeNotReady", 100, 300, 2),
            self.event("Node", "n", "NodeNotReady", 100, 500, 3),
        ]
        ups = [
            self.event("Node", "n", "NodeReady", 120),
            self.event("Node", "n", "NodeReady", 320),
            self.event("Node", "n", "NodeReady", 520),
        ]
        folder = self.folder_of(
            {
                "nodes.json": {"kind": "List", "items": [self.ready("n", since=520)]},
                "events.json": "\n".join(map(json.dumps, changes + ups)),
            }
        )
        self.map(folder)
        self.assertEqual([(8, 100, 120, "hw_down"), (8, 300, 320, "hw_down"), (8, 500, 520, "hw_down")], self.outages())
        self.assertEqual(
            [("kube", 480)],
            self.rows(
                "SELECT DISTINCT format, (SELECT sum(chip_us) / 1000000 FROM trace_rollup(?1) WHERE category = 'down') FROM trace_sources(?1)",
                folder,
            ),
        )


class Evicted(Mapped):
    def test_an_evicted_pod_without_its_containers(self):
        """As the kubelet leaves it: when it ended an event says, or the condition that it was to be disrupted; a pod that was never let in has neither."""
        target = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "TerminationByKubelet",
            "lastTransitionTime": when(2000),
        }
        event = {
            "kind": "Event",
            "metadata": {"name": "e", "namespace": "ns", "creationTimestamp": when(2000)},
            "reason": "Evicted",
            "involvedObject": {"kind": "Pod", "namespace": "ns", "name": "p"},
            "lastTimestamp": when(2000),
        }
        for reason, conditions, events, end, outcome in (
            ("Evicted", [target], [], 2000, "preempted"),
            ("Evicted", [], [event], 2000, "preempted"),
            ("UnexpectedAdmissionError", [], [], 100, "failed"),
        ):
            pod = self.pod(
                "p",
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0)},
                status={"phase": "Failed", "reason": reason, "startTime": when(100), "conditions": conditions},
            )
            self.map(self.file([self.node("n", {G: "8"}, agentpool="a"), pod, *events]))
            self.assertEqual([("ns/p", 1, "p", "a", 2, 100, end, outcome)], self.allocations())

    def test_an_ended_pod_that_tells_little(self):
        """One that has ended is held no longer, though all it tells is when it was scheduled or made; and that its end is missing is listed."""
        scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": when(50)}
        for phase, deleted, conditions, at in (
            ("Failed", False, [scheduled], 50),
            ("Failed", False, [], 0),
            ("Succeeded", False, [scheduled], 50),
            ("Pending", True, [scheduled], 50),
        ):
            pod = self.pod(
                "p",
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0)},
                status={"phase": phase, "reason": "OutOfnvidia.com/gpu", "conditions": conditions},
            )
            objects = [self.node("n", {G: "8"}, agentpool="a"), pod]
            if deleted:
                objects = [{"type": "ADDED", "object": o} for o in objects] + [{"type": "DELETED", "object": pod}]
            self.map(self.file(objects))
            self.assertEqual([(at, at)], [row[5:7] for row in self.allocations()], (phase, deleted))
            self.assertEqual(1, self.one("SELECT sum(kind IN ('missing_field', 'missing_end')) > 0 FROM mpg_issues"))


if __name__ == "__main__":
    unittest.main()
