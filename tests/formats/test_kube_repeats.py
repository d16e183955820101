"""Objects that are seen more than once, in the mapping sql/formats/kube.sql: the same file again, no uid to tell them apart, listings one
after the other, and a watch that began anew."""

import json
import unittest

from kube import G, T0, WATCH, Mapped, when


class Mapping(Mapped):
    def test_both_twice(self):
        """Objects that are seen again count once."""
        self.map(WATCH)
        once = (
            self.allocations(),
            self.rows("SELECT * FROM capacity"),
            self.rows("SELECT * FROM outages"),
            self.rows("SELECT * FROM jobs"),
        )
        self.map(WATCH, WATCH)
        self.assertEqual(
            once,
            (
                self.allocations(),
                self.rows("SELECT * FROM capacity"),
                self.rows("SELECT * FROM outages"),
                self.rows("SELECT * FROM jobs"),
            ),
        )

    def test_objects_without_a_uid(self):
        objects = [self.node("m", {G: "8"}, agentpool="a"), self.node("n", {G: "4"}, agentpool="a")]
        objects[1]["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": when(50)}]
        for node in "mn":
            objects.append(
                self.pod(
                    node,
                    {G: 2},
                    spec={"nodeName": node},
                    metadata={"creationTimestamp": when(0)},
                    status={
                        "phase": "Succeeded",
                        "startTime": when(0),
                        "containerStatuses": [
                            {"state": {"terminated": {"startedAt": when(0), "finishedAt": when(100)}}}
                        ],
                    },
                )
            )

        def told():
            return [
                self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5")
                for table in ("capacity", "outages", "allocations", "jobs")
            ]

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
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}
            ]
            return node

        def pod(name, start, namespace="ns", end=None, deleted=None):
            ran = (
                {"terminated": {"startedAt": when(start), "finishedAt": when(end)}}
                if end
                else {"running": {"startedAt": when(start)}}
            )
            pod = self.pod(
                name,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(start), "namespace": namespace, "deletionTimestamp": deleted},
                status={
                    "phase": "Succeeded" if end else "Running",
                    "containerStatuses": [{"state": ran}],
                    "conditions": [
                        {"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)},
                        {"type": "Ready", "status": "True", "lastTransitionTime": when(start)},
                    ],
                },
            )
            return pod

        def waits(name):
            obj = self.workload(name, 1)["object"]
            del obj["metadata"]["deletionTimestamp"]
            return obj

        first = [
            node("n", 100),
            node("gone", 90),
            pod("a", 10),
            pod("b", 20),
            pod("other", 30, "other"),
            pod("done", 5, end=50),
            pod("dying", 60, deleted=when(130)),
            waits("left"),
            waits("stays"),
        ]
        second = [node("n", 200), pod("b", 20), pod("c", 150), waits("stays")]
        third = [node("n", 300), pod("c", 150), waits("stays")]

        def told(*listings, **named):
            folder = self.folder_of(
                {f"{i}.json": {"kind": "List", "items": items} for i, items in enumerate(listings)} | named
            )
            self.map(folder)
            return [row[0:1] + row[5:7] for row in self.allocations()]

        self.assertEqual(
            told(first, second, third),
            [
                ("ns/a", 10, 100),
                ("ns/b", 20, 200),
                ("ns/c", 150, None),
                ("ns/done", 5, 50),
                ("ns/dying", 60, 130),
                ("ns/left", 100, 100),
                ("other/other", 30, None),
            ],
        )
        self.assertEqual(self.rows("SELECT chips, end_time - ? FROM capacity ORDER BY 2", T0), [(8, None), (8, 90)])
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) / 2000000 FROM mpg_rollup WHERE category = 'queued' AND job LIKE 'ns/_____' AND as_of = ? GROUP BY job",
                T0 + 500,
            ),
            [("ns/stays", 500)],
        )

        # In one file, of whole listings or of one list for each kind; a list of other kinds in between begins no listing.
        def appended(*lists):
            self.map(
                self.file(
                    "\n".join(
                        json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1) for items in lists
                    )
                )
            )
            return [row[0:1] + row[5:7] for row in self.allocations()]

        self.assertEqual(told(first, second, third), appended(first, second, third))
        split = lambda listing: [[o for o in listing if (o["kind"] == "Node") == nodes] for nodes in (True, False)]
        self.assertEqual(told(first, second, third), appended(*split(first), *split(second), *split(third)))
        self.assertEqual(
            told(first, second, third), appended(*split(first)[::-1], *split(second)[::-1], *split(third)[::-1])
        )
        self.assertEqual(told(first, third), appended(first, third))
        # In any order; one of every namespace would show them all.
        wide = [node("n", 400), pod("c", 150), pod("x", 350, "kube-system"), waits("stays")]
        self.assertEqual(
            told(wide, third, first, second),
            [
                ("kube-system/x", 350, None),
                ("ns/a", 10, 100),
                ("ns/b", 20, 200),
                ("ns/c", 150, None),
                ("ns/done", 5, 50),
                ("ns/dying", 60, 130),
                ("ns/left", 100, 100),
                ("other/other", 30, 100),
            ],
        )
        # A stream without events shows only what changes; a watch with them ended before a listing that lacks what it has.
        changes = "\n".join(map(json.dumps, [pod("a", 10), pod("b", 20), pod("a", 10)]))
        self.assertEqual(
            told([node("n", 100), pod("b", 20)], **{"watch.json": changes, "z.json": [node("n", 200), pod("c", 150)]}),
            [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 150, None)],
        )
        events = "\n".join(json.dumps({"type": "ADDED", "object": o}) for o in (pod("a", 10), pod("b", 20)))
        self.assertEqual(
            told([node("n", 100), pod("b", 20)], **{"watch.json": events, "z.json": [node("n", 200), pod("c", 150)]}),
            [("ns/a", 10, 20), ("ns/b", 20, 100), ("ns/c", 150, None)],
        )

    def test_a_watch_that_began_anew(self):
        """What is not added again was deleted meanwhile, after the last time told before."""

        def pod(event, name, version, start, ready=None):
            pod = self.pod(
                name,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(start), "resourceVersion": str(version)},
                status={
                    "phase": "Running",
                    "containerStatuses": [{"state": {"running": {"startedAt": when(start)}}}],
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}]
                    + ([{"type": "Ready", "status": "True", "lastTransitionTime": when(ready)}] if ready else []),
                },
            )
            return {"type": event, "object": pod}

        def node(event, version):
            return {
                "type": event,
                "object": self.node("n", {G: "8"}, agentpool="a")
                | {
                    "metadata": {
                        "name": "n",
                        "uid": "u-n",
                        "creationTimestamp": when(0),
                        "resourceVersion": str(version),
                    }
                },
            }

        def told(*events):
            self.map(self.file("\n".join(map(json.dumps, events))))
            return [row[0:1] + row[5:7] for row in self.allocations()]

        first = [
            node("ADDED", 1),
            pod("ADDED", "a", 2, 10),
            pod("ADDED", "b", 3, 20),
            pod("ADDED", "c", 4, 60),
            pod("MODIFIED", "a", 5, 10, 40),
        ]
        self.assertEqual(told(*first), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        # Of another kind it tells nothing.
        self.assertEqual(told(*first, node("ADDED", 1)), [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)])
        error = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version"}}
        again = [
            pod("ADDED", "e", 7, 80),
            pod("ADDED", "b", 3, 20),
            pod("ADDED", "c", 4, 60),
            pod("ADDED", "d", 8, 90),
            pod("MODIFIED", "d", 9, 90, 100),
        ]
        self.assertEqual(
            told(*first, error, *again),
            [("ns/a", 10, 60), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/d", 90, None), ("ns/e", 80, None)],
        )
        self.assertEqual(
            told(*first, *again, *again[2:]),
            [("ns/a", 10, 60), ("ns/b", 20, 100), ("ns/c", 60, None), ("ns/d", 90, None), ("ns/e", 80, 100)],
        )
        self.assertEqual(self.rows("SELECT chips, end_time FROM capacity"), [(8, None)])
        # After 410 all that is there is added, also where nothing of before is; other errors, and other kinds, say nothing of that.
        self.assertEqual(
            told(*first, error, pod("ADDED", "e", 7, 80)),
            [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/e", 80, None)],
        )
        pods = [event for event in first if event["object"]["kind"] == "Pod"]
        self.assertEqual(
            told(*pods, error, pod("ADDED", "e", 7, 80), pod("MODIFIED", "e", 9, 80, 100)),
            [("ns/a", 10, 60), ("ns/b", 20, 60), ("ns/c", 60, 60), ("ns/e", 80, None)],
        )
        other = {"type": "ERROR", "object": {"kind": "Status", "code": 500, "message": "etcdserver: request timed out"}}
        for event in (other, {"type": "ERROR", "object": {"kind": "Status", "message": "?"}}):
            self.assertEqual(
                told(*pods, event, pod("ADDED", "e", 7, 80)),
                [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/e", 80, None)],
            )
        # Twice, and nothing between: what is there is in both, wherever in them.
        e, b, c = again[:3]
        for twice, ends in (
            ([e, b, c, e, b, c], (None, None, None)),
            ([e, b, c, b, c], (80, None, None)),
            ([b, e, c, e, b, c], (None, None, None)),
            ([e, b, c, e, c], (None, 80, None)),
            ([b, c, e, b, c, e], (None, None, None)),
        ):
            self.assertEqual(
                told(*first, *twice),
                [("ns/a", 10, 60), ("ns/b", 20, ends[1]), ("ns/c", 60, ends[2]), ("ns/e", 80, ends[0])],
            )
        # It did not where what was deleted is added again, as one that a selector chooses again is; or where a listing is what came before.
        self.assertEqual(
            told(*first, pod("DELETED", "b", 5, 20), pod("ADDED", "b", 6, 20)),
            [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)],
        )
        self.assertEqual(
            told({"kind": "List", "items": [event["object"] for event in first[:4]]}, *first),
            [("ns/a", 10, None), ("ns/b", 20, None), ("ns/c", 60, None)],
        )
        self.assertEqual(
            told({"kind": "List", "items": [event["object"] for event in first[:3]]}, *first[:3], *again[1:]),
            [("ns/a", 10, 20), ("ns/b", 20, None), ("ns/c", 60, None), ("ns/d", 90, None)],
        )

    def test_lines_that_were_shipped_twice(self):
        """Who keeps a watch's lines may send some again. No watch tells a change twice, nor of what it did not add: it began anew nowhere."""

        def pod(event, name, version, start, end=None):
            state = {"startedAt": when(start)}
            state = {"running": state} if end is None else {"terminated": {**state, "finishedAt": when(end)}}
            status = {
                "phase": "Running" if end is None else "Succeeded",
                "containerStatuses": [{"state": state}],
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
            }
            metadata = {"creationTimestamp": when(start), "resourceVersion": str(version)}
            return {
                "type": event,
                "object": self.pod(name, {G: 2}, spec={"nodeName": "n"}, metadata=metadata, status=status),
            }

        watch = [
            pod("ADDED", "a", 1, 10),
            pod("ADDED", "b", 2, 20),
            pod("ADDED", "c", 3, 30),
            pod("MODIFIED", "b", 4, 20, 50),
            pod("ADDED", "d", 5, 60),
            pod("MODIFIED", "d", 6, 60, 70),
            pod("MODIFIED", "c", 7, 30, 80),
            pod("ADDED", "e", 8, 90),
        ]
        wanted = [("ns/a", 10, None), ("ns/b", 20, 50), ("ns/c", 30, 80), ("ns/d", 60, 70), ("ns/e", 90, None)]
        for sent, again in (
            (watch, 0),
            ([event for event in watch for _ in range(2)], 8),
            (watch[:6] + watch[4:], 2),
            (watch[:6] + watch[3:], 3),
        ):
            path = self.file("\n".join(map(json.dumps, sent)))
            self.map(path)
            self.assertEqual(wanted, [row[0:1] + row[5:7] for row in self.allocations()])
            self.assertEqual(
                [(again,)] if again else [],
                self.rows("SELECT count FROM mpg_issues WHERE kind = 'repeated_record' AND source = ?", path),
            )

    def test_watches_and_listings_one_after_the_other(self):
        """What a later one lacks was deleted after the one before had ended; but for what it would not show."""

        def pod(name, start, version, namespace="ns", ready=None):
            pod = self.pod(
                name,
                {G: 2},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(start), "resourceVersion": str(version), "namespace": namespace},
                status={
                    "phase": "Running",
                    "startTime": when(start),
                    "containerStatuses": [{"state": {"running": {"startedAt": when(start)}}}],
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
                },
            )
            return pod

        def made(name, start, version):  # as a watch adds it that does not begin with a list
            new = pod(name, start, version)
            new.update(spec={}, status={"phase": "Pending"})
            return new

        def watch(*pods):
            return "\n".join(json.dumps({"type": "ADDED", "object": pod}) for pod in pods)

        def listing(*pods):
            return json.dumps({"kind": "List", "apiVersion": "v1", "items": [dict(p, apiVersion="v1") for p in pods]})

        node = self.node("n", {G: "8"}, agentpool="a")
        node["status"]["conditions"] = [
            {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(900)}
        ]
        a, b, c = pod("a", 10, 2), pod("b", 20, 3), pod("c", 500, 9)
        vanished = 0
        here, gone = [("a", None), ("b", None), ("c", None)], [("a", 20), ("b", None), ("c", None)]
        for first, second, expected in (
            (watch(a, b), watch(b, c), gone),
            (watch(a, b), watch(c), here),
            (listing(a, b), watch(b, c), gone),
            (watch(a, b), listing(b, c), gone),
            (watch(a, b), watch(made("c", 500, 9)), here[:2]),
            (watch(a, b), watch(pod("c", 500, 9, "other")), here),
            (watch(a, b), watch(b, pod("c", 15, 1)), here),
            (watch(pod("c", 15, 1), b), watch(a, b), here),
            (watch(pod("c", 15, 1), b), watch(b, pod("d", 30, 4)), [("b", None), ("c", 20), ("d", None)]),
            (watch(a, b, c), watch(a, b), here),
        ):
            self.map(self.file(first), self.file(second, "later.json"), self.file(json.dumps(node), "node.json"))
            found = self.rows("SELECT task, end_time - ? FROM allocations ORDER BY 1", T0)
            self.assertEqual(found, expected, (first, second))
            ended = sum(end is not None for task, end in expected)
            vanished += ended
            self.assertEqual(
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'vanished_pod'"), vanished, (first, second)
            )

    def test_versions_without_a_number(self):
        """What strips resourceVersion, as exports for others do, leaves times: the later listing is the one that mentions later ones, whatever the files are called."""

        def node(beat, cordoned):
            node = self.node("n", {G: "8"}, agentpool="a")
            node["spec"] = (
                {
                    "unschedulable": True,
                    "taints": [
                        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": when(150)}
                    ],
                }
                if cordoned
                else {}
            )
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}
            ]
            return node

        def pod(name, end=None):
            state = (
                {"terminated": {"startedAt": when(10), "finishedAt": when(end), "exitCode": 0, "reason": "Completed"}}
                if end
                else {"running": {"startedAt": when(10)}}
            )
            return self.pod(
                name,
                {G: 8},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(5)},
                status={
                    "phase": "Succeeded" if end else "Running",
                    "containerStatuses": [{"state": state}],
                    "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(5)}],
                },
            )

        def told(**files):
            self.map(self.folder_of({name + ".json": text for name, text in files.items()}))
            return self.allocations(), self.rows("SELECT start_time - ?1, end_time - ?1, kind FROM outages", T0)

        earlier, later = {"kind": "List", "items": [node(100, False), pod("p")]}, {
            "kind": "List",
            "items": [node(200, True), pod("p", 160)],
        }
        wanted = [("ns/p", 1, "p", "a", 8, 5, 160, "completed")], [(160, None, "maintenance")]
        self.assertEqual(wanted, told(a=earlier, b=later))
        self.assertEqual(wanted, told(a=later, b=earlier))
        # Nothing but the end of a container, or a condition, tells which is later.
        for state in (
            {
                "containerStatuses": [],
                "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": when(170)}],
            },
            {},
        ):
            ended = pod("p", 170)
            ended["status"] |= state
            self.assertEqual([(170, "completed")], [row[6:] for row in told(a=ended, b=pod("p"))[0]])
        # Parts of a watch, the first of them read last.
        parts = {
            "b": [{"type": "ADDED", "object": node(100, False)}, {"type": "ADDED", "object": pod("p")}],
            "a": [{"type": "MODIFIED", "object": pod("p", 160)}, {"type": "MODIFIED", "object": node(200, True)}],
        }
        self.assertEqual(wanted, told(**{name: "\n".join(map(json.dumps, events)) for name, events in parts.items()}))
        # A number counts before times.
        for objects, number in ((earlier, "9"), (later, "10")):
            for item in objects["items"]:
                item["metadata"]["resourceVersion"] = number
        self.assertEqual(wanted, told(a=later, b=earlier))
        for item in later["items"]:
            item["metadata"]["resourceVersion"] = "8"
        self.assertEqual([("ns/p", 1, "p", "a", 8, 5, None, None)], told(a=later, b=earlier)[0])


if __name__ == "__main__":
    unittest.main()
