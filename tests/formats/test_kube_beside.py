"""Metrics of kube-state-metrics beside objects of the same cluster: what each tells counts once, however the tables are built."""

import json
import unittest

import kube
from fleets import connect
from kube import G, T0, when

DAY, HOURS = 86400, 2


class Beside(kube.Case):
    """Two nodes of eight chips over two hours; node a is not ready from minute 30 to 45 and cordoned from 60 to 70; node b lacks two chips
    from 75 to 80, and has a pod of four from minute 5 to 100."""

    def series(self, metric, value, minutes=range(60 * HOURS), **labels):
        values = [[T0 + 60 * i, str(value(i) if callable(value) else value)] for i in minutes]
        return {"metric": {"__name__": metric, **labels}, "values": values}

    def metrics(self, uid="u-p", until=60 * HOURS):
        found, minutes = [], range(until)
        for node in "ab":
            bad = lambda i, node=node: int(node == "a" and 30 <= i < 45)
            lacks = lambda i, node=node: 8 - 2 * (node == "b" and 75 <= i < 80)
            chips = {"node": node, "resource": "nvidia_com_gpu"}
            ready = {"node": node, "condition": "Ready"}
            cordoned = lambda i, node=node: int(node == "a" and 60 <= i < 70)
            found += [
                self.series("kube_node_status_capacity", 8, minutes, **chips),
                self.series("kube_node_status_allocatable", lacks, minutes, **chips),
                self.series("kube_node_status_condition", lambda i: 1 - bad(i), minutes, status="true", **ready),
                self.series("kube_node_status_condition", bad, minutes, status="unknown", **ready),
                self.series("kube_node_spec_unschedulable", cordoned, minutes, node=node),
                self.series("kube_node_created", T0 - DAY, minutes, node=node),
                self.series("kube_node_labels", 1, minutes, node=node, label_agentpool="x"),
            ]
        pod, minutes = {"namespace": "ns", "pod": "p", "uid": uid}, range(5, min(100, until))
        asks = {"container": "c", "node": "b", "resource": "nvidia_com_gpu"}
        found += [
            self.series("kube_pod_container_resource_requests", 4, minutes, **asks, **pod),
            self.series("kube_pod_status_phase", 1, minutes, phase="Running", **pod),
            self.series("kube_pod_start_time", T0 + 300, minutes, **pod),
        ]
        return {"status": "success", "data": {"resultType": "matrix", "result": found}}

    def node_at(self, name, minute, since=-1000, ready=True, cordoned=None):
        node = self.node(name, {G: "8"}, agentpool="x")
        node["apiVersion"] = "v1"
        node["metadata"] |= {"creationTimestamp": when(-DAY), "resourceVersion": str(9000 + int(minute))}
        state = {"type": "Ready", "status": "True" if ready else "Unknown", "lastTransitionTime": when(60 * since)}
        node["status"]["conditions"] = [state | {"lastHeartbeatTime": when(60 * minute)}]
        if cordoned is not None:
            taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
            node["spec"] = {"unschedulable": True, "taints": [taint | {"timeAdded": when(60 * cordoned)}]}
        return node

    def pod_at(self, uid="u-p", scheduled=5, finished=None):
        pod = self.pod("p", {G: "4"})
        pod["metadata"] |= {"uid": uid, "resourceVersion": "7", "creationTimestamp": when(60 * scheduled)}
        pod["spec"]["nodeName"] = "b"
        told = {"type": "PodScheduled", "status": "True", "lastTransitionTime": when(60 * scheduled)}
        pod["status"] = {"phase": "Running", "conditions": [told]}
        if finished:
            ended = {"exitCode": 0, "startedAt": when(60 * scheduled), "finishedAt": when(60 * finished)}
            pod["status"] |= {
                "phase": "Succeeded",
                "containerStatuses": [{"name": "c", "state": {"terminated": ended}}],
            }
        return pod

    def listing(self, minute, *pods):
        since = 45 if minute > 45 else -1000
        return {"kind": "List", "items": [self.node_at("a", minute, since), self.node_at("b", minute), *pods]}

    def watch(self, first=0):
        """Of the nodes, from version `first` on; it knows when to the second, and does not see chips that are withdrawn."""
        versions = [
            ("ADDED", self.node_at("a", 0)),
            ("ADDED", self.node_at("b", 0)),
            ("MODIFIED", self.node_at("a", 29.5, 29.5, ready=False)),
            ("MODIFIED", self.node_at("a", 44.5, 44.5)),
            ("MODIFIED", self.node_at("a", 59.5, 44.5, cordoned=59.5)),
            ("MODIFIED", self.node_at("a", 69.5, 44.5)),
            ("MODIFIED", self.node_at("b", 119)),
            ("MODIFIED", self.node_at("a", 119, 44.5)),
        ]
        for i, (_, node) in enumerate(versions):
            node["metadata"]["resourceVersion"] = str(9000 + i)
        return "\n".join(json.dumps({"type": kind, "object": node}) for kind, node in versions[first:])

    def told(self, path):
        """Outages in minutes, capacity, and from when to when which pods held how much."""
        at = lambda column: f"(julianday({column}, 'unixepoch') - 2440587.5) * 1440 - {T0} / 60.0"
        rows = self.rows(
            f"""SELECT record, round({at('start_time')}, 2), round({at('end_time')}, 2), chips, coalesce(kind, outcome)
                FROM trace_records(?) WHERE record IN ('outages', 'allocations', 'capacity') ORDER BY 1, 2""",
            path,
        )
        return {
            record: [row[1:] for row in rows if row[0] == record] for record in ("capacity", "outages", "allocations")
        }

    def test_each_node_counts_once(self):
        """Listings show a moment, so what metrics say of other times counts; a watch knows better from its begin on."""
        exact = [(29.5, 44.5, 8, "hw_down"), (59.5, 69.5, 8, "maintenance")]
        sampled = [(30, 45, 8, "hw_down"), (60, 70, 8, "maintenance"), (75, 80, 2, "hw_down")]
        metrics = self.metrics()
        for beside, outages in (
            ({}, sampled),
            ({"now.json": self.listing(119)}, sampled),
            ({"then.json": self.listing(50)}, sampled),
            ({"then.json": self.listing(50), "now.json": self.listing(119)}, sampled),
            ({"watch.json": self.watch()}, exact),
            ({"watch.json": self.watch(3)}, [(30, 44.5, 8, "hw_down"), exact[1], sampled[2]]),
            ({"watch.json": self.watch(), "now.json": self.listing(119)}, exact),
        ):
            told = self.told(self.folder_of({"state.json": metrics, **beside}))
            self.assertEqual(outages, told["outages"], list(beside))
            self.assertEqual([16], [chips for _, _, chips, _ in told["capacity"]])
            self.assertEqual([(5, 100, 4, "cancelled")], told["allocations"])

    def test_series_that_were_asked_for_in_parts(self):
        """A query for each node, namespace or hour begins at its own second: what one has no sample of is there all the same."""
        whole = self.metrics()["data"]["result"]
        wanted = self.told(self.folder_of({"state.json": self.metrics()}))
        for parts in (lambda one, at: one["metric"].get("pod") or one["metric"]["node"], lambda one, at: at // 3600):
            found = {}
            for one in whole:
                for at, value in one["values"]:
                    found.setdefault(parts(one, at), []).append({"metric": one["metric"], "values": [[at, value]]})
            files = {}
            for i, part in enumerate(found.values()):
                moved = [
                    {**one, "values": [[at + (0, 17, -11)[i % 3], value] for at, value in one["values"]]}
                    for one in part
                ]
                files[f"{i}.json"] = {"status": "success", "data": {"resultType": "matrix", "result": moved}}
            told = self.told(self.folder_of(files))
            for record, rows in wanted.items():
                self.assertEqual([row[2:] for row in rows], [row[2:] for row in told[record]], record)
                for row, right in zip(told[record], rows):
                    for at, exact in zip(row[:2], right[:2]):
                        self.assertLessEqual(abs((at or 0) - (exact or 0)), 1.01)

    def test_a_node_that_a_watch_saw_deleted(self):
        """It is there until then, and not until the sample that lacks it."""
        watch = self.watch().split("\n")
        gone = self.node_at("a", 119.5, 44.5)
        gone["metadata"]["resourceVersion"] = "9100"
        watch.append(json.dumps({"type": "DELETED", "object": gone}))
        metrics = self.metrics(until=130)
        for one in metrics["data"]["result"]:
            if one["metric"].get("node") == "a":
                one["values"] = [value for value in one["values"] if value[0] < T0 + 60 * 119.5]
        for beside in ({}, {"state.json": metrics}):
            told = self.told(self.folder_of({"watch.json": "\n".join(watch), **beside}))
            self.assertIn((-1440, 119.5, 8, None), told["capacity"])

    def test_pods(self):
        """What became of one after it was listed, metrics say; of another uid it is another pod."""
        metrics = self.metrics()
        for pod, held in (
            (self.pod_at(), [(5, 100, 4, "cancelled")]),
            (self.pod_at(finished=45), [(5, 45, 4, "completed")]),
            (self.pod_at("u-q", scheduled=110), [(5, 100, 4, "cancelled"), (110, None, 4, None)]),
        ):
            at = 50 if pod["metadata"]["uid"] == "u-p" else 119
            told = self.told(self.folder_of({"state.json": metrics, "then.json": self.listing(at, pod)}))
            self.assertEqual(held, told["allocations"])
        gone = {"state.json": self.metrics(until=60), "then.json": self.listing(50, self.pod_at())}
        gone["now.json"] = self.listing(119, self.pod_at("u-q", scheduled=110))
        self.assertEqual(
            [(5, True), (110, False)],
            [
                (start, end is not None)
                for start, end, chips, *_ in self.told(self.folder_of(gone))["allocations"]
                if chips
            ],
        )

    def test_days_of_metrics_that_are_built_one_after_the_other(self):
        """Each knows of no time before: the tables are those of all at once, also when a job that waited was submitted."""
        metrics = self.metrics()
        pod, waits, runs = {"namespace": "ns", "pod": "late", "uid": "u-late"}, range(7, 20), range(20, 100)
        asks = {"container": "c", "resource": "nvidia_com_gpu"}
        metrics["data"]["result"] += [
            self.series("kube_pod_container_resource_requests", 2, waits, node="", **asks, **pod),
            self.series("kube_pod_container_resource_requests", 2, runs, node="b", **asks, **pod),
            self.series("kube_pod_status_phase", 1, waits, phase="Pending", **pod),
            self.series("kube_pod_status_phase", 1, runs, phase="Running", **pod),
        ]
        sums = "SELECT pool, job, category, sum(chip_us) FROM {} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        wanted = self.rows(sums.format("trace_rollup(?)"), self.folder_of({"state.json": metrics}))
        self.assertIn(("x", "ns/late", "queued", 2 * 13 * 60 * 1000000), wanted)
        for begin in range(0, 60 * HOURS, 30):
            day = range(T0 + 60 * begin, T0 + 60 * begin + 1801)
            found = [
                dict(one, values=[value for value in one["values"] if value[0] in day])
                for one in metrics["data"]["result"]
            ]
            data = {"resultType": "matrix", "result": [one for one in found if one["values"]]}
            self.one("SELECT mpg_build(?)", self.folder_of({"state.json": {"status": "success", "data": data}}))
        self.assertEqual(wanted, self.rows(sums.format("main.ledger")))

    def test_builds(self):
        """Metrics first, objects beside them or alone later, or both at once: the tables are the same. A watch of nodes alone and metrics are
        of one cluster if they tell the same outages. Objects that tell nothing again may be of another: a row says so.
        """
        folders = {
            "metrics": self.folder_of({"state.json": self.metrics()}),
            "listed": self.folder_of({"state.json": self.metrics(), "then.json": self.listing(50, self.pod_at())}),
            "listing": self.folder_of({"then.json": self.listing(50, self.pod_at())}),
        }
        folders["watch"] = self.folder_of({"watch.json": self.watch()})
        folders["watched"] = self.folder_of({"state.json": self.metrics(), "watch.json": self.watch()})
        sums = "SELECT category, cause, sum(chip_us) / 1000000 FROM main.ledger GROUP BY 1, 2"
        down = dict.fromkeys(("listed", "listing", "metrics"), (7800, 4800))
        down |= dict.fromkeys(("watched", "watch", "watch metrics"), (7200, 4800))
        for ways, lacks in (
            (("listed", "metrics listed", "listing listed", "listed listed", "metrics listing", "listing metrics"), 0),
            # the chips that a watch denies stay from the metrics
            (("watched", "metrics watched", "watch metrics", "metrics watch", "watch metrics watch"), 600),
        ):
            for way in ways:
                with self.subTest(way):
                    for (table,) in self.rows("SELECT name FROM main.sqlite_schema WHERE type = 'table'"):
                        self.db.execute(f"DROP TABLE main.{table}")
                    for (view,) in self.rows("SELECT name FROM main.sqlite_schema WHERE type = 'view'"):
                        self.db.execute(f"DROP VIEW main.{view}")
                    for name in way.split():
                        self.one("SELECT mpg_build(?)", folders[name])
                    found = {(category, cause): seconds for category, cause, seconds in self.rows(sums)}
                    hw, maintenance = down.get(way) or down[way.split()[-1]]
                    self.assertEqual(hw + lacks * (" " in way), found["down", "hw_down"])
                    self.assertEqual(maintenance, found["down", "maintenance"])
                    self.assertEqual(16 * (DAY + 119 * 60), sum(found[key] for key in found if key[0] != "queued"))
                    self.assertEqual([], self.rows("SELECT detail FROM main.issues WHERE kind = 'conflict'"))
        db = connect()
        self.addCleanup(db.close)
        quiet = {"kind": "List", "items": [self.node_at("a", 119), self.node_at("b", 119)]}
        for folder in (folders["metrics"], self.folder_of({"then.json": quiet})):
            db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
        ((count,),) = db.execute("SELECT count FROM main.issues WHERE kind = 'conflict'").fetchall()
        self.assertEqual(1, count)


if __name__ == "__main__":
    unittest.main()
