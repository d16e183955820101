"""Devices that several hold at once or in turn: parts of chips, and claims that pods share, in the ledger by way of sql/formats/kube.sql."""

import json
import unittest
from random import Random

from kube import AMD, G, T0, Claimed, attributes, when


class Sharing(Claimed):
    def test_parts_of_chips(self):
        slices = self.slice(
            "n",
            {
                "h": attributes(type="mig", profile="3g.40gb", productName="NVIDIA H100 80GB HBM3"),
                "a30": attributes(type="mig", profile="2g.12gb", productName="NVIDIA A30"),
                "rtx": attributes(
                    type="mig", profile="1g.24gb", productName="NVIDIA RTX PRO 6000 Blackwell Server Edition"
                ),
                "shared": {"attributes": attributes(type="gpu"), "capacity": {"shares": {"value": "10"}}},
                "whole": attributes(type="gpu"),
            },
        )
        for device, chips in (
            ("h", 3 / 7),
            ("a30", 0.5),
            ("rtx", 0.25),
            ("whole", 1),
            ({"device": "shared", "shareID": "s", "consumedCapacity": {"shares": "3"}}, 0.3),
            ({"device": "whole", "shareID": "s"}, 1),
            ("gpu-7-mig-2g20gb-14-0", 2 / 7),
            ("gpu-7-mig-19-4-1", 1 / 7),
            ("gpu-7-mig-15-0-2", 1 / 7),
            ("gpu-7-mig-14-0-2", 2 / 7),
            ("gpu-7-mig-9-0-4", 3 / 7),
            ("gpu-7-mig-5-0-4", 4 / 7),
            ("gpu-7-mig-0-0-8", 1),
            ("gpu-7", 1),
        ):
            self.assertEqual(
                self.held(slices, self.claim("c", device), self.user("p", "c")), {"p": round(chips, 6)}, device
            )
        # Who only looks holds nothing.
        self.assertEqual(
            self.held(slices, self.claim("c", {"device": "whole", "adminAccess": True}, "h"), self.user("p", "c")),
            {"p": 0.428571},
        )
        two = [self.claim(name, {"device": "whole", "shareID": name}) for name in "cd"]
        self.assertEqual(self.held(slices, *two, self.user("p", "c"), self.user("q", "d")), {"p": 0.5, "q": 0.5})
        cut = {
            f"gpu-{i}": attributes(type="amdgpu-partition", partitionProfile="cpx_nps4", pciAddr="0000:05:00.0")
            for i in range(8)
        }
        self.assertEqual(
            self.held(
                self.slice("n", cut, driver=AMD), self.claim("c", "gpu-0", "gpu-3", driver=AMD), self.user("p", "c")
            ),
            {"p": 0.25},
        )
        self.assertEqual(self.capacity()[0][2], 1)
        offered = {
            f"gpu-0-{mode}": {
                "attributes": attributes(type="amdgpu" if n == 1 else "amdgpu-partition", pciAddr="0000:05:00.0"),
                "capacity": {"partitions": {"value": str(n)}},
            }
            for mode, n in (("spx-nps1", 1), ("dpx-nps2", 2), ("cpx-nps1", 8), ("cpx-nps4", 8))
        }
        taken = {"device": "gpu-0-cpx-nps4", "shareID": "x", "consumedCapacity": {"partitions": "2"}}
        self.assertEqual(
            self.held(self.slice("n", offered, driver=AMD), self.claim("c", taken, driver=AMD), self.user("p", "c")),
            {"p": 0.25},
        )

    def test_a_pod_whose_end_was_lost(self):
        """It runs still, and later pods of its node hold all chips that the node has, or its deadline is over, or its node is gone: listed. Not a pod with which the others fit."""

        def node(heard, name="n"):
            node = {"apiVersion": "v1", **self.node(name, {G: "8"})}
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastHeartbeatTime": when(heard), "lastTransitionTime": when(0)}
            ]
            return node

        def pod(name, chips, start, end=None, **more):
            ended = (
                {}
                if end is None
                else {
                    "containerStatuses": [
                        {
                            "name": "c",
                            "state": {"terminated": {"exitCode": 0, "startedAt": when(start), "finishedAt": when(end)}},
                        }
                    ]
                }
            )
            return self.pod(
                name,
                {G: str(chips)},
                metadata={"creationTimestamp": when(start)},
                spec={"nodeName": "n", **more},
                status={"phase": "Running" if end is None else "Succeeded", "startTime": when(start), **ended},
            )

        gone = [
            {"type": "ADDED", "object": node(0)},
            {"type": "ADDED", "object": pod("a", 8, 0)},
            {"type": "DELETED", "object": node(900)},
            {"type": "ADDED", "object": node(7200, "m")},
        ]
        for objects, expected in (
            ([node(7200), pod("a", 8, 0), pod("b", 8, 100, 900)], 1),
            ([node(7200), pod("a", 4, 0), pod("b", 4, 100, 900)], 0),
            ([node(7200), pod("a", 8, 0, activeDeadlineSeconds=600)], 1),
            ([node(7200), pod("a", 8, 0, activeDeadlineSeconds=7000)], 0),
            ([node(7200), pod("a", 8, 200), pod("b", 8, 0, 100)], 0),
            (gone, 1),
            (
                [
                    node(7200),
                    {**pod("a", 8, 0), "metadata": {**pod("a", 8, 0)["metadata"], "deletionTimestamp": when(600)}},
                ],
                1,
            ),
            (
                [
                    node(900),
                    {**pod("a", 8, 0), "metadata": {**pod("a", 8, 0)["metadata"], "deletionTimestamp": when(600)}},
                ],
                0,
            ),
        ):
            path = self.file("\n".join(map(json.dumps, objects)))
            self.rows("SELECT count(*) FROM trace_rollup(?)", path)
            self.assertEqual(expected, self.issues(path).get("lost_end", 0))

    def test_shares_whose_number_nothing_tells(self):
        """GPUs shared in time, which the device plugin calls .shared: how many are one GPU is a label of the node. Without it each counts as one, which is listed."""
        shared = "nvidia.com/gpu.shared"
        for labels, pods, held, expected in (
            ({"nvidia.com/gpu.replicas": "4"}, "ab", 0.25, 0),
            ({}, "ab", 1, 2),
            (None, "ab", 1, 2),
            ({}, "", None, 1),
            ({"nvidia.com/gpu.replicas": "4"}, "", None, 0),
        ):
            nodes = [] if labels is None else [{"apiVersion": "v1", **self.node("n", {shared: "8"}, **labels)}]
            objects = nodes + [
                self.pod(
                    name,
                    {shared: "1"},
                    metadata={"creationTimestamp": when(0)},
                    spec={"nodeName": "n"},
                    status={"phase": "Running", "startTime": when(0)},
                )
                for name in pods
            ]
            path = self.file(objects)
            self.assertEqual(
                [(name, held) for name in pods],
                self.rows("SELECT task, chips FROM trace_records(?) WHERE record = 'allocations' ORDER BY 1", path),
            )
            self.assertEqual(
                [("warning", expected)] if expected else [],
                self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'guessed_share' AND source = ?", path),
            )

    def test_several_pods_of_a_claim(self):
        claim, slices = self.claim("c", "gpu-0", "gpu-1"), self.slice(
            "n", {f"gpu-{i}": attributes(type="gpu", uuid=str(i)) for i in range(2)}
        )
        self.assertEqual(self.held(slices, claim, self.user("p", "c"), self.user("q", "c")), {"p": 1, "q": 1})
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"), [("untraced", 200)]
        )
        self.assertEqual(
            self.held(slices, claim, self.user("p", "c"), self.user("q", "c", begin=100, end=200), self.user("r", "d")),
            {"p": 2, "q": 2},
        )
        # Those of one job that shares it are whole together.
        pods = [self.user(name, "c") for name in "pq"]
        for pod in pods:
            pod["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "j", "controller": True}]
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
            "spec": {
                "parallelism": 2,
                "completions": 2,
                "template": {"spec": {"containers": [{}], "resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}},
            },
            "status": {},
        }
        self.assertEqual(self.held(slices, claim, job, *pods), {"p": 1, "q": 1})
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"), [("untraced", 200)]
        )

    def test_pods_that_share_a_claim_in_turn(self):
        """Each moment is shared by those that hold the claim then: a pod that stays has all of it when the others are gone."""
        objects = [
            self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")}),
            self.claim("c", "gpu-0"),
            self.user("p", "c", end=300),
            self.user("q", "c", end=100),
            self.user("r", "c", begin=100, end=200),
            self.user("late", "c", begin=300, end=400),
            self.user("none", "c", begin=350, end=350),
        ]
        down = self.node("n", {"cpu": "8"}, agentpool="a")
        down["status"]["conditions"] = [{"type": "Ready", "status": "Unknown", "lastTransitionTime": when(50)}]
        self.map(self.file([down, *objects]))
        self.assertEqual(
            self.rows(
                "SELECT task, attempt, start_time - ?1, end_time - ?1, chips FROM allocations ORDER BY task, start_time",
                T0,
            ),
            [
                ("late", 1, 300, 400, 1),
                ("none", 1, 350, 350, 1),
                ("p", 1, 0, 100, 0.5),
                ("p", 1, 100, 200, 0.5),
                ("p", 1, 200, 300, 1),
                ("q", 1, 0, 100, 0.5),
                ("r", 1, 100, 200, 0.5),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"),
            [("ns/late", 1, None), ("ns/none", 1, None), ("ns/p", 0.5, 0.5), ("ns/q", 0.5, None), ("ns/r", 0.5, None)],
        )
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE as_of = ? GROUP BY 1", when(400)),
            [("untraced", 400)],
        )
        self.assertEqual(
            self.rows("SELECT pool, chips, start_time - ?, end_time, kind FROM outages", T0),
            [("a", 1, 400, None, "hw_down")],
        )  # held until then

    def test_sharing_second_by_second(self):
        slices = self.slice("n", {f"gpu-{i}": attributes(type="gpu", uuid=str(i)) for i in range(3)})
        claims = {"c": ["gpu-0"], "d": ["gpu-1", "gpu-2"]}
        for seed in range(20):
            random = Random(seed)
            pods = {
                f"p{i}": (random.choice("cd"), *sorted(random.sample(range(40), 2)))
                for i in range(random.randint(1, 14))
            }
            self.held(
                slices,
                *(self.claim(name, *devices) for name, devices in claims.items()),
                *(self.user(pod, claim, begin=begin, end=end) for pod, (claim, begin, end) in pods.items()),
            )
            had = {}
            for pod, chips, begin, end in self.rows(
                "SELECT task, chips, start_time - ?1, end_time - ?1 FROM allocations", T0
            ):
                had.update({(pod, second): chips for second in range(int(begin), int(end))})
            together = {
                key: sum(c == key[0] and b <= key[1] < e for c, b, e in pods.values())
                for key in ((c, s) for c in claims for s in range(40))
            }
            self.assertEqual(
                had,
                {
                    (pod, second): round(len(claims[claim]) / together[claim, second], 6)
                    for pod, (claim, begin, end) in pods.items()
                    for second in range(begin, end)
                },
                seed,
            )


if __name__ == "__main__":
    unittest.main()
