"""The fixtures in the ledger by way of sql/formats/kube.sql, held against sums made by hand; and the capacity of nodes: shared GPUs, machine
types, devices that come and go, cordons."""

import json
import re
import unittest

from kube import CLUSTER, G, T0, WATCH, Mapped, when
from scripts import script_text


class Mapping(Mapped):
    def test_the_watch(self):
        """Of 16 GPUs over 7202 s; the sums by hand."""
        self.map(WATCH)
        self.assertEqual(
            self.allocations(),
            [
                ("ml/llm", 1, "llm-0-x2x9k", "a100-pool", 8, 130, 1810, "preempted"),
                ("ml/llm", 1, "llm-1-bb7tq", "a100-pool", 8, 130, 1810, "preempted"),
                ("ml/llm", 2, "llm-0-9m4rs", "a100-pool", 8, 3010, 7200, "completed"),
                ("ml/llm", 2, "llm-1-w8dfz", "a100-pool", 8, 3010, 4500, "node_fail"),
                ("ml/llm", 2, "llm-1-k2jtv", "a100-pool", 8, 4805, 7200, "completed"),
                ("ml/urgent", 1, "urgent-0-h5kqc", "a100-pool", 8, 1820, 3000, "completed"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT pool, chips, start_time - ?1, end_time - ?1, kind FROM outages", T0),
            [("a100-pool", 8, 4500, 4800, "hw_down")],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, name, owner, priority, chips, submit_time - ?, labels ->> '$.cluster_queue' FROM jobs ORDER BY job",
                T0,
            ),
            [("ml/llm", "llm", "ml", 100, 16, 60, "shared"), ("ml/urgent", "urgent", "ml", 1000, 8, 1770, "shared")],
        )
        whole = 16 * 1680 + 16 * 1490 + 16 * 2395 + 8 * 1180
        waits = 16 * 70 + 16 * 1200 + 8 * 305 + 8 * 50
        down, partial, observed = 8 * 300, 8 * 305, 7202  # the last event, two seconds after the last pod ended
        for table in ("mpg_ledger", "mpg_rollup"):
            self.assertEqual(
                self.rows(f"SELECT category, sum(chip_us) / 1000000 FROM {table} GROUP BY category"),
                [
                    ("down", down),
                    ("idle", 16 * observed - whole - down - partial),
                    ("partial", partial),
                    ("queued", waits),
                    ("untraced", whole),
                ],
            )
        self.assertEqual(
            self.rows(
                "SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), mpg(category, chip_us) FROM mpg_rollup"
            ),
            [(whole / (16 * observed), None, None)],
        )

    def test_the_listing(self):
        self.map(CLUSTER)
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity"), [("v5e-pool", "tpu-v5e", 12)])
        self.assertEqual(
            self.allocations(),
            [
                ("ml/distill", 1, None, "v5e-pool", 4, 605, 2405, "completed"),
                ("ml/tune", 1, "tune-workers-0-0-q7", "v5e-pool", 4, 245, None, None),
                ("ml/tune", 1, "tune-workers-0-1-q7", "v5e-pool", 4, 245, 2100, "failed"),
            ],
        )
        self.assertEqual(self.rows("SELECT job, chips FROM jobs ORDER BY job"), [("ml/distill", 4), ("ml/tune", 8)])

    def test_shares(self):
        """Four pods on a GPU that four share; seven on one in seven slices; the node's capacity is what is installed."""
        objects = [
            self.node(
                "s",
                {G: "4"},
                **{"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "zone": "z"},
            ),
            self.node("m", {G: "7"}, **{"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "zone": "y"}),
        ]
        for node, n in (("s", 4), ("m", 7)):
            for i in range(n):
                objects.append(
                    self.pod(
                        f"{node}{i}",
                        {G: 1},
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
        self.map(self.file(objects), label="zone")
        self.assertEqual(
            self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool"),
            [("y", "NVIDIA-A100-SXM4-80GB", 1), ("z", "NVIDIA-L4", 1)],
        )
        self.assertEqual(
            self.rows("SELECT pool, round(sum(chips), 3), count(*) FROM allocations GROUP BY pool"),
            [("y", 1, 7), ("z", 1, 4)],
        )
        self.assertEqual(self.rows("SELECT DISTINCT round(chips, 3) FROM jobs ORDER BY 1"), [(0.143,), (0.25,)])
        self.assertEqual(
            self.rows(
                "SELECT DISTINCT pool, round(scheduling_goodput(category, chip_us), 3) FROM mpg_rollup GROUP BY pool"
            ),
            [("y", 1), ("z", 1)],
        )

    def test_devices_that_are_more_than_the_gpus_that_labels_count(self):
        """Device plugins that share GPUs, and do not say so: of Intel (-shared-dev-num), or without GPU feature discovery."""
        intel = "gpu.intel.com/i915"
        counted = {"gpu.intel.com/device-id.0380-0bda.count": "2", "gpu.intel.com/device-id.0380-0bda.present": "true"}
        for resource, devices, labels, installed, held in (
            (intel, 20, counted, 2, 0.1),
            (intel, 20, {**counted, "gpu.intel.com/device-id.0380-0bdb.count": "2"}, 4, 0.2),
            ("gpu.intel.com/xe", 2, counted, 2, 1),
            (intel, 20, {}, 20, 1),
            (G, 32, {"karpenter.k8s.aws/instance-gpu-count": "8"}, 8, 0.25),
            (G, 30, {"karpenter.k8s.aws/instance-gpu-count": "8"}, 7.5, 0.25),
            (G, 6, {"karpenter.k8s.aws/instance-gpu-count": "8"}, 6, 1),
            (intel, 8, {"gpu.intel.com/device-id.0380-0bda.count": "7"}, 8, 1),
            (G + ".shared", 10, {"eks.amazonaws.com/instance-gpu-count": "1"}, 1, 0.1),
            (G, 4, {"karpenter.azure.com/sku-gpu-count": "2"}, 2, 0.5),
            (G, 16, {"gpu.nvidia.com/count": "8"}, 8, 0.5),
            ("amd.com/gpu", 64, {"karpenter.azure.com/sku-gpu-count": "8"}, 8, 0.125),
            (G, 32, {"karpenter.k8s.aws/instance-gpu-count": "8", "nvidia.com/gpu.replicas": "2"}, 16, 0.5),
        ):
            pod = self.pod(
                "p",
                {resource: 1},
                spec={"nodeName": "n"},
                metadata={"creationTimestamp": when(0)},
                status={
                    "phase": "Succeeded",
                    "containerStatuses": [{"state": {"terminated": {"startedAt": when(0), "finishedAt": when(100)}}}],
                },
            )
            self.map(self.file([self.node("n", {resource: str(devices)}, **labels), pod]))
            self.assertEqual(
                self.rows("SELECT c.chips, a.chips, j.chips FROM capacity AS c, allocations AS a, jobs AS j"),
                [(installed, held, held)],
                (resource, devices, labels),
            )

    def test_parts_of_a_whole_node(self):
        """Sevenths in millionths add up to a little less than the GPUs that are there."""
        for gpus, parts, product, chips in (
            (8, 7, "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", 8),
            (8, 3, "NVIDIA-A100-SXM4-80GB-MIG-2g.20gb", 48 / 7),
            (16, 7, "NVIDIA-H100-MIG-1g.10gb", 16),
        ):
            self.map(self.file(self.node("n", {G: str(gpus * parts)}, **{"nvidia.com/gpu.product": product})))
            self.assertEqual(self.rows("SELECT chips FROM capacity"), [(round(chips, 5),)])

    def test_chips_by_machine_type(self):
        """Where no label says what the GPUs are: every type that is known is of a chip of the catalogue."""
        products = re.search(r"INTO kube_products VALUES(.*?);", script_text("sql/formats/kube.sql"), re.S)[1]
        known = {row[0] for row in self.rows("SELECT chip FROM mpg_chips")}
        self.assertEqual(
            [name for name, chip in re.findall(r"\('([^']+)', '([^']+)'\)", products) if chip not in known], []
        )
        amd = ["AMD_Instinct_MI300X_OAM", "AMD_Instinct_MI325_OAM"]  # as AMD's node labeller writes them
        nodes = [
            self.node(kind, {G: "4"}, **{"node.kubernetes.io/instance-type": kind})
            for kind in (
                "g5.12xlarge",
                "g6.12xlarge",
                "p4d.24xlarge",
                "g4dn.12xlarge",
                "p6-b200.48xlarge",
                "ml.p5.48xlarge",
                "ml.g5.12xlarge",
            )
        ]
        self.map(
            self.file(
                {
                    "kind": "List",
                    "items": nodes
                    + [
                        self.node("labelled", {G: "4"}, **{"nvidia.com/gpu.product": "NVIDIA-A10G"}),
                        *(self.node(name, {"amd.com/gpu": "8"}, **{"amd.com/gpu.product-name": name}) for name in amd),
                    ],
                }
            )
        )
        self.assertEqual(
            self.rows("SELECT chip, chip_peak_flops(chip, 'bf16') FROM capacity WHERE chip LIKE 'AMD%' ORDER BY chip"),
            [(amd[0], 1.3074e15), (amd[1], 1.3074e15)],
        )
        self.assertEqual(
            self.rows("SELECT chip, sum(chips) FROM capacity WHERE chip NOT LIKE 'AMD%' GROUP BY chip ORDER BY chip"),
            [
                ("NVIDIA-A10G", 4),
                ("nvidia-a100-40-sxm4", 4),
                ("nvidia-a10g", 8),
                ("nvidia-b200", 4),
                ("nvidia-h100-sxm", 4),
                ("nvidia-l4", 4),
                ("nvidia-t4", 4),
            ],
        )

    def test_labels_of_other_clouds(self):
        """CoreWeave's label counts where no machine type does, for some of its names stand for no chip; of a machine type that is not known all is kept."""
        kind, model = "node.kubernetes.io/instance-type", "gpu.nvidia.com/model"
        cases = (
            ({model: "H100_NVLINK_80GB"}, "nvidia-h100-sxm"),
            ({model: "A100_PCIE_80GB"}, "nvidia-a100-80-pcie"),
            ({model: "H200", kind: "gd-8xh200ib-i128"}, "nvidia-h200-sxm"),
            (
                {"aliyun.accelerator/nvidia_name": "NVIDIA-A100-SXM4-80GB", kind: "ecs.gn7e-c16g1.16xlarge"},
                "nvidia-a100-80-sxm4",
            ),
            ({"beta.amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}, "amd-mi300x"),
            ({"machine.cluster.vke.volcengine.com/gpu-name": "NVIDIA-L20", kind: "ecs.gni3cl.11xlarge"}, "nvidia-l20"),
            ({"nebius.com/gpu-name": "B200"}, "nvidia-b200"),
            ({"nebius.com/gpu-name": "H100", kind: "gpu-h100-sxm"}, "nvidia-h100-sxm"),
        )
        unknown = (
            ({"node.kubernetes.io/npu.chip.name": "910B3", kind: "physical.kat2ne.48xlarge.8"}, "910B3"),
            ({"hygon.com/dcu.name": "K100_AI", kind: "bare"}, "K100_AI"),
            ({kind: "ecs.gn7e-c16g1.16xlarge"}, "ecs.gn7e-c16g1.16xlarge"),
        )
        nodes = [self.node(f"n{i}", {G: "8"}, agentpool=f"a{i}", **labels) for i, (labels, _) in enumerate(cases)]
        nodes += [self.node(f"u{i}", {G: "8"}, agentpool=f"u{i}", **labels) for i, (labels, _) in enumerate(unknown)]
        self.map(self.file({"kind": "List", "items": nodes}))
        peak = "SELECT chip_peak_flops(chip, 'bf16') FROM capacity WHERE pool < 'u' ORDER BY pool"
        self.assertEqual(self.rows(peak), [(self.one("SELECT chip_peak_flops(?, 'bf16')", chip),) for _, chip in cases])
        self.assertEqual(
            self.rows("SELECT chip FROM capacity WHERE pool > 'u' ORDER BY pool"), [(chip,) for _, chip in unknown]
        )

    def test_machines_of_other_clouds(self):
        """Of Azure, Google, Oracle and CoreWeave, whose size is part of the name."""
        types = {
            "Standard_ND96isr_H100_v5": "nvidia-h100-sxm",
            "Standard_ND96is_H100_v5": "nvidia-h100-sxm",
            "Standard_NC80adis_H100_v5": "nvidia-h100-nvl",
            "Standard_ND96isr_H200_v5": "nvidia-h200-sxm",
            "Standard_ND96asr_v4": "nvidia-a100-40-sxm4",
            "Standard_ND96amsr_A100_v4": "nvidia-a100-80-sxm4",
            "Standard_NC48ads_A100_v4": "nvidia-a100-80-pcie",
            "Standard_ND128isr_NDR_GB200_v6": "nvidia-gb200",
            "Standard_ND96isr_MI300X_v5": "amd-mi300x",
            "a2-highgpu-8g": "nvidia-a100-40-sxm4",
            "a2-ultragpu-4g": "nvidia-a100-80-sxm4",
            "a3-megagpu-8g": "nvidia-h100-sxm",
            "a3-ultragpu-8g": "nvidia-h200-sxm",
            "a4-highgpu-8g": "nvidia-b200",
            "BM.GPU4.8": "nvidia-a100-40-sxm4",
            "BM.GPU.A100-v2.8": "nvidia-a100-80-sxm4",
            "BM.GPU.H100.8": "nvidia-h100-sxm",
            "gd-8xh100ib-i128": "nvidia-h100-sxm",
            "n1-standard-8": "n1-standard-8",
            "Standard_NV36ads_A10_v5": "Standard_NV36ads_A10_v5",
        }
        self.map(
            self.file(
                {
                    "kind": "List",
                    "items": [
                        self.node(kind, {G: "8"}, **{"node.kubernetes.io/instance-type": kind}) for kind in types
                    ],
                }
            )
        )
        self.assertEqual(
            sorted((kind, chip, 8) for kind, chip in types.items()),
            self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool"),
        )

    def test_a_node_that_goes_to_another_pool(self):
        """From the first heartbeat that shows it: capacity, outages and what pods hold; before it is of the pool of before. So is a node that is made anew with its name."""

        def seen(beat, pool, chips=8, uid="u-n", ready=(0, "True"), event="MODIFIED", made=0, **labels):
            node = self.node("n", {G: str(chips)}, agentpool=pool, **labels)
            node["metadata"] |= {"resourceVersion": str(beat + 1), "uid": uid, "creationTimestamp": when(made)}
            node["status"]["conditions"] = [
                {
                    "type": "Ready",
                    "status": ready[1],
                    "lastHeartbeatTime": when(beat),
                    "lastTransitionTime": when(ready[0]),
                }
            ]
            return {"type": event, "object": node}

        def ran(name, begin, end, chips=8):
            return {
                "type": "ADDED",
                "object": self.pod(
                    name,
                    {G: str(chips)},
                    spec={"nodeName": "n"},
                    metadata={"creationTimestamp": when(begin)},
                    status={
                        "phase": "Succeeded",
                        "startTime": when(begin),
                        "containerStatuses": [
                            {"state": {"terminated": {"startedAt": when(begin), "finishedAt": when(end)}}}
                        ],
                    },
                ),
            }

        def told(*objects):
            self.map(self.file("\n".join(map(json.dumps, objects))))
            return (
                self.rows(
                    "SELECT pool, chips, start_time - ?1, end_time - ?1 FROM capacity ORDER BY start_time, pool", T0
                ),
                [(task, pool, chips, *when) for _, _, task, pool, chips, *when, _ in self.allocations()],
                self.rows(
                    "SELECT pool, chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY start_time", T0
                ),
            )

        self.assertEqual(
            ([("a", 8, 0, 1200), ("b", 8, 1200, None)], [("p", "a", 8, 100, 1200), ("p", "b", 8, 1200, 3000)], []),
            told(seen(0, "a", event="ADDED"), ran("p", 100, 3000), seen(600, "a"), seen(1200, "b"), seen(3600, "b")),
        )
        # Out of service from 900 to 1500; and no plugin for a moment, after which its GPUs are shared by four.
        self.assertEqual(
            (
                [("a", 8, 0, 1200), ("b", 8, 1200, None)],
                [],
                [("a", 8, 900, 1200, "hw_down"), ("b", 8, 1200, 1500, "hw_down")],
            ),
            told(
                seen(0, "a", event="ADDED"),
                seen(900, "a", ready=(900, "Unknown")),
                seen(1200, "b", ready=(900, "Unknown")),
                seen(1500, "b", ready=(1500, "True")),
            ),
        )
        shared = {"nvidia.com/gpu.replicas": "4"}
        self.assertEqual(
            ([("a", 8, 0, 1200), ("a", 8, 1200, None)], [("p", "a", 8, 100, 1000), ("q", "a", 0.5, 1300, 2000)], []),
            told(
                seen(0, "a", event="ADDED"),
                ran("p", 100, 1000),
                seen(600, "a"),
                seen(1200, "a", 32, **shared),
                ran("q", 1300, 2000, 2),
                seen(2400, "a", 32, **shared),
            ),
        )
        self.assertEqual(
            ([("a", 8, 0, 1200), ("b", 4, 1800, None)], [("p", "a", 8, 100, 1000), ("q", "b", 4, 1900, 2000)], []),
            told(
                seen(0, "a", event="ADDED"),
                ran("p", 100, 1000),
                seen(1200, "a", event="DELETED"),
                seen(1800, "b", 4, "u-new", (1800, "True"), "ADDED", 1800),
                ran("q", 1900, 2000, 4),
                seen(2400, "b", 4, "u-new", (1800, "True"), made=1800),
            ),
        )
        # Nothing shows that it is gone, but another of its name that was made since; two that are there at once are of two clusters.
        again = lambda made: [
            seen(0, "a", event="ADDED"),
            seen(600, "a"),
            seen(max(made, 600), "a", uid="u-new", event="ADDED", made=made),
            seen(1800, "a", uid="u-new", made=made),
        ]
        self.assertEqual([("a", 8, 0, 600), ("a", 8, 900, None)], told(*again(900))[0])
        self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'conflict'"))
        self.assertEqual([("a", 8, 0, None), ("a", 8, 300, None)], told(*again(300))[0])
        self.assertEqual([("warning", 1)], self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'conflict'"))
        # The label that names the pool comes later than the node: it was never in another.
        late = seen(0, "a", event="ADDED")
        late["object"]["metadata"]["labels"] = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
        self.assertEqual([("a", 8, 0, None)], told(late, seen(600, "a"))[0])

    def test_nodes_that_lost_their_devices(self):
        """A node's device plugin may end before the node does, or not run yet where a watch ends."""

        def event(kind, name, version, gpus, beat):
            node = self.node(name, {"cpu": "8"} | ({} if gpus is None else {G: str(gpus)}), agentpool="a")
            node["metadata"]["resourceVersion"] = str(version)
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}
            ]
            return {"type": kind, "object": node}

        self.map(
            self.file(
                "\n".join(
                    map(
                        json.dumps,
                        [
                            event("ADDED", "n", 1, None, 0),
                            event("MODIFIED", "n", 2, 8, 10),
                            event("MODIFIED", "n", 3, 0, 90),
                            event("DELETED", "n", 4, 0, 100),
                            event("ADDED", "m", 5, 8, 10),
                            event("MODIFIED", "m", 6, 4, 20),
                            event("MODIFIED", "m", 7, 0, 30),
                            event("ADDED", "cpu", 8, None, 10),
                        ],
                    )
                )
            )
        )
        self.assertEqual(
            self.rows("SELECT pool, chips, start_time - ?1, end_time - ?1 FROM capacity ORDER BY chips", T0),
            [("a", 8, 0, None), ("a", 8, 0, 100)],
        )
        self.assertEqual(
            [(8, 0, 10), (4, 20, 30), (8, 30, None), (8, 90, 100)],
            self.rows("SELECT chips, start_time - ?1, end_time - ?1 FROM outages ORDER BY 2", T0),
        )

    def cordoned(self, *versions, conditions=()):
        """Outages of a node of 8 chips whose versions are (cordoned, heartbeat, time of the taint)."""
        nodes = []
        for i, (unschedulable, beat, since) in enumerate(versions):
            node = self.beat(i, 8, beat)
            taint = {
                "key": "node.kubernetes.io/unschedulable",
                "effect": "NoSchedule",
                **({"timeAdded": when(since)} if since is not None else {}),
            }
            node["spec"] = {
                "unschedulable": unschedulable,
                "taints": (
                    [
                        taint,
                        {"key": "nvidia.com/gpu", "value": "present"},
                        {"key": "example.com/quarantine", "value": "burn-in"},
                    ]
                    if unschedulable
                    else []
                ),
            }
            node["status"]["conditions"] += conditions
            nodes.append(node)
        path = self.file(nodes)
        self.map(path)
        return self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY 2", T0), self.rows(
            "SELECT kind, detail FROM mpg_issues"
        )

    def test_cordons_whose_taint_has_no_time(self):
        """From the first heartbeat that shows the node cordoned; if nothing shows it before, that is listed."""
        self.assertEqual(
            ([(8, 110, 300, "maintenance")], []),
            self.cordoned((False, 0, None), (True, 110, None), (True, 160, None), (False, 300, None)),
        )
        rows, issues = self.cordoned((True, 110, None), (True, 160, None), (False, 300, None))
        self.assertEqual([(8, 110, 300, "maintenance")], rows)
        self.assertEqual(
            [
                (
                    "missing_field",
                    "node n is cordoned and does not tell since when: it is out of service from the first heartbeat on that shows it",
                )
            ],
            issues,
        )

    def test_why_a_node_is_out_of_service(self):
        """By its conditions, and by what a table of the user's says of these and of taints."""
        for condition, kind in (
            ({"type": "GpuXidError", "status": "True"}, "hw_down"),
            ({"type": "GpuXidError", "status": "False"}, "maintenance"),
            ({"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID13Error"}, "hw_down"),
            ({"type": "AcceleratedHardwareReady", "status": "True"}, "maintenance"),
            ({"type": "GPUHealthy", "status": "True"}, "maintenance"),
            ({"type": "GPUUnhealthy", "status": "True"}, "hw_down"),
            ({"type": "DiskPressure", "status": "True"}, "maintenance"),
        ):
            with self.subTest(condition):
                self.assertEqual(
                    [(8, 100, None, kind)], self.cordoned((False, 0, None), (True, 110, 100), conditions=[condition])[0]
                )
        self.db.execute("INSERT INTO outage_reasons VALUES ('burn in', 'drained')")
        self.assertEqual(
            [(8, 100, None, "drained")],
            self.cordoned((False, 0, None), (True, 110, 100), conditions=[{"type": "GpuXidError", "status": "True"}])[
                0
            ],
        )
        path = self.file(
            [
                dict(node, apiVersion="v1")
                for node in (
                    self.beat(1, 8, 0),
                    dict(self.beat(2, 8, 200, False), spec={"taints": [{"key": "x/y", "value": "burn-in"}]}),
                    self.beat(3, 8, 300),
                )
            ]
        )
        self.assertEqual(
            [("drained",)], self.rows("SELECT DISTINCT cause FROM trace_rollup(?) WHERE category = 'down'", path)
        )

    def test_conditions_of_nodes_in_service(self):
        """A condition that blames an accelerator takes no node out of service that nobody cordoned: listed."""
        for told, listed in (
            ([("GpuXidError", "True")], 1),
            ([("AcceleratedHardwareReady", "False")], 1),
            ([("GPUHealthy", "True"), ("AcceleratedHardwareReady", "True"), ("DiskPressure", "True")], 0),
        ):
            node = {"apiVersion": "v1", **self.beat(1, 8, 100)}
            node["status"]["conditions"] += [{"type": name, "status": status} for name, status in told]
            path = self.file(node)
            self.map(path)
            self.assertEqual(self.rows("SELECT * FROM outages"), [])
            self.assertEqual(self.issues(path).get("tainted_node", 0), listed, told)

    def test_cordoned(self):
        def node(version, unschedulable, beat):
            taints = (
                [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": when(100)}]
                if unschedulable
                else []
            )
            node = self.node("n", {G: "8"}, agentpool="a")
            node["metadata"]["resourceVersion"] = str(version)
            node["spec"] = {"unschedulable": unschedulable, "taints": taints}
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}
            ]
            return node

        pod = self.pod(
            "p",
            {G: 2},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(0)},
            status={
                "phase": "Succeeded",
                "startTime": when(0),
                "containerStatuses": [{"state": {"terminated": {"startedAt": when(0), "finishedAt": when(150)}}}],
            },
        )
        self.map(self.file([node(1, False, 0), node(2, True, 110), node(3, True, 160), pod, node(4, False, 300)]))
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY 2", T0),
            [(6, 100, 150, "maintenance"), (8, 150, 300, "maintenance")],
        )

    def test_ready_and_not_in_one_second(self):
        """Of two states since one second the later version counts, whichever comes first in the files."""

        def node(version, ready, since):
            node = self.node("n", {G: "8"}, agentpool="a")
            node["metadata"]["resourceVersion"] = str(version)
            node["status"]["conditions"] = [
                {"type": "Ready", "status": ready, "lastTransitionTime": when(since), "lastHeartbeatTime": when(since)}
            ]
            return node

        for states, out in (
            ((("True", 100), ("Unknown", 100), ("True", 300)), [(100, 300)]),
            ((("Unknown", 100), ("True", 100), ("Unknown", 300)), [(300, None)]),
            ((("True", 0), ("False", 100), ("True", 100), ("False", 100), ("True", 200)), [(100, 200)]),
        ):
            nodes = [node(version, *state) for version, state in enumerate(states, 1)]
            for order in (nodes, nodes[::-1]):
                with self.subTest(states=states, first=order[0] is nodes[0]):
                    self.map(self.file(order))
                    self.assertEqual(
                        out, self.rows("SELECT start_time - ?1, end_time - ?1 FROM outages ORDER BY 1", T0)
                    )

    def beat(self, version, allocatable, beat, ready=True):
        node = self.node("n", {G: "8"}, agentpool="a")
        node["metadata"]["resourceVersion"] = str(version)
        node["status"]["allocatable"] = {G: str(allocatable)}
        node["status"]["conditions"] = [
            {
                "type": "Ready",
                "status": str(ready),
                "lastTransitionTime": when(0 if ready else beat),
                "lastHeartbeatTime": when(beat),
            }
        ]
        return node

    def holder(self, chips, start, end, **metadata):
        return self.pod(
            "p",
            {G: chips},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(start), **metadata},
            status={
                "phase": "Succeeded",
                "startTime": when(start),
                "containerStatuses": [{"state": {"terminated": {"startedAt": when(start), "finishedAt": when(end)}}}],
            },
        )

    def test_withdrawn(self):
        """What the device plugin withdraws is out of service, but for what pods hold; more and less of it, and with its node."""
        self.map(
            self.file(
                [
                    self.beat(1, 8, 0),
                    self.beat(2, 7, 100),
                    self.beat(3, 5, 200),
                    self.beat(4, 5, 250),
                    self.holder(6, 50, 220),
                    self.beat(5, 8, 300),
                ]
            )
        )
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY 2", T0),
            [(1, 100, 200, "hw_down"), (2, 200, 220, "hw_down"), (3, 220, 300, "hw_down")],
        )
        self.map(self.file([self.beat(1, 8, 0), self.beat(2, 7, 100), self.beat(3, 7, 200, False)]))
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, end_time - ?1 FROM outages ORDER BY 2", T0),
            [(1, 100, 200), (8, 200, None)],
        )

    def test_slices_of_another_size(self):
        """Twice the memory for as many slices of compute: fewer devices of the same share, from then on."""
        nodes = []
        for n, (devices, size) in enumerate(((56, "1g.10gb"), (32, "1g.20gb"), (32, "1g.20gb"))):
            nodes.append(self.beat(n + 1, devices, 100 * n))
            nodes[-1]["status"]["capacity"] = {G: str(devices)}
            nodes[-1]["metadata"]["labels"]["nvidia.com/gpu.product"] = "NVIDIA-A100-SXM4-80GB-MIG-" + size
        self.map(self.file(nodes))
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, end_time - ?1 FROM capacity ORDER BY 2", T0),
            [(8, 0, 100), (4.57142, 100, None)],
        )
        self.assertEqual(self.rows("SELECT * FROM outages"), [])

    def test_withdrawn_where_gpus_are_shared(self):
        """Of 8 GPUs in parts one is gone for a while, whether the plugin shows its devices or not."""
        shared = {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "NVIDIA-L4-SHARED"}
        sliced = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}
        for labels, each in ((shared, 4), ({"karpenter.k8s.aws/instance-gpu-count": "8"}, 4), (sliced, 7)):
            for shown, healthy in ((8, 7), (7, 7), (0, 0)):
                nodes = []
                for n, (total, well) in enumerate(((8, 8), (shown, healthy), (8, 8))):
                    node = self.beat(n + 1, well * each, 100 * n)
                    node["status"]["capacity"] = {G: str(total * each)}
                    node["metadata"]["labels"].update(labels)
                    nodes.append(node)
                self.map(self.file(nodes))
                self.assertEqual(self.rows("SELECT chips FROM capacity"), [(8,)], labels)
                self.assertEqual(
                    self.rows("SELECT round(chips, 3), start_time - ?1, end_time - ?1 FROM outages", T0),
                    [(8 - healthy, 100, 200)],
                    (labels, shown),
                )

    def test_a_withdrawn_gpu_in_the_ledger(self):
        """One of eight for half an hour, beside a pod that holds four: down, and no spare capacity."""
        self.map(
            self.file(
                [
                    self.beat(1, 8, 0),
                    self.beat(2, 7, 3600),
                    self.beat(3, 8, 5400),
                    self.beat(4, 8, 7200),
                    self.holder(4, 0, 7200),
                ]
            )
        )
        self.assertEqual(
            [("down", "hw_down", 1800), ("idle", None, 27000), ("untraced", None, 28800)],
            self.rows("SELECT category, cause, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1, 2"),
        )

    def test_devices_that_are_gone_for_a_while(self):
        """A node without its device plugin has capacity 0: its chips are out of service until they are back."""
        versions = [self.beat(1, 8, 0), self.beat(2, 0, 100), self.beat(3, 8, 300)]
        versions[1]["status"]["capacity"] = {G: "0"}
        self.map(self.file(versions))
        self.assertEqual(
            self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages", T0), [(8, 100, 300, "hw_down")]
        )

    def test_a_pod_that_was_deleted_and_does_not_say_when(self):
        """It held its chips until the last time that the watch told before, and is listed."""
        running = self.pod(
            "p",
            {G: 8},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(50)},
            status={"phase": "Running", "startTime": when(50)},
        )
        events = [
            ("ADDED", self.beat(1, 8, 0)),
            ("ADDED", running),
            ("MODIFIED", self.beat(3, 8, 600)),
            ("DELETED", running),
            ("MODIFIED", self.beat(4, 8, 900)),
        ]
        path = self.file("\n".join(json.dumps({"type": kind, "object": made}) for kind, made in events))
        self.map(path)
        self.assertEqual(self.rows("SELECT start_time - ?1, end_time - ?1 FROM allocations", T0), [(50, 600)])
        self.assertEqual(1, self.issues(path)["missing_end"])

    def test_who_tells_nothing_is_listed(self):
        """Pods that run and no node; a Job that ran, in pods that are gone."""
        self.map(
            self.file(
                self.pod(
                    "p",
                    {G: 8},
                    spec={"nodeName": "n"},
                    metadata={"creationTimestamp": when(50)},
                    status={"phase": "Running", "startTime": when(50)},
                )
            )
        )
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
            "spec": {"parallelism": 1, "template": {"spec": {"containers": [{"resources": {"limits": {G: 8}}}]}}},
            "status": {
                "startTime": when(60),
                "completionTime": when(3600),
                "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": when(3600)}],
            },
        }
        self.map(self.file([self.beat(1, 8, 7200), job]))
        self.assertEqual(
            [("not_observed", 1), ("missing_pods", 1)],
            self.rows("SELECT kind, count FROM mpg_issues WHERE kind IN ('not_observed', 'missing_pods')"),
        )

    def test_until_when_it_was_observed(self):
        """The last heartbeat, and not the last change."""
        self.map(self.file([self.beat(1, 8, 7200), self.holder(8, 50, 220)]))
        self.assertEqual(self.rows("SELECT pool, until_time - ? FROM observed", T0), [("a", 7200)])

    def test_a_listing_of_a_pod_that_runs(self):
        """It holds its chips until the listing was made, which the last heartbeat tells."""
        running = self.pod(
            "p",
            {G: 8},
            spec={"nodeName": "n"},
            metadata={"creationTimestamp": when(300)},
            status={
                "phase": "Running",
                "startTime": when(300),
                "containerStatuses": [{"state": {"running": {"startedAt": when(300)}}}],
            },
        )
        self.map(self.file([self.beat(1, 8, 7200), running]))
        self.assertEqual(
            [("idle", 2400), ("untraced", 55200)],
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"),
        )
        self.assertEqual(0.9583, self.one("SELECT round(scheduling_goodput(category, chip_us), 4) FROM mpg_rollup"))

    def test_a_pod_that_ended_before_it_started(self):
        path = self.file([self.beat(1, 8, 300), self.holder(6, 100, 50)])
        self.map(path)
        self.assertEqual(self.one("SELECT sum(chips * (end_time - start_time)) FROM allocations"), 0)
        self.assertEqual(
            self.rows("SELECT severity, kind, count FROM mpg_issues WHERE source = ?", path),
            [("data_loss", "end_before_start", 1)],
        )

    def test_fractions_by_annotation(self):
        """KAI, Run:ai: a fraction is of the pod that asks for it, and the pod that the scheduler holds the GPU with is nobody's."""
        pods = [
            self.pod(
                name,
                metadata={"namespace": name, "annotations": said},
                spec={"nodeName": "n"},
                status={"phase": "Running", "startTime": when(0)},
            )
            for name, said in (
                ("half", {"gpu-fraction": "0.5"}),
                ("two", {"gpu-fraction": "0.25", "gpu-fraction-num-devices": "2"}),
                ("mib", {"gpu-memory": "2000"}),
                ("odd", {"gpu-fraction": "many"}),
            )
        ]
        path = self.file([self.beat(1, 8, 300), *pods, self.holder(1, 0, 100, namespace="runai-reservation")])
        self.map(path)
        self.assertEqual(
            self.rows("SELECT job, chips FROM allocations ORDER BY job"), [("half/half", 0.5), ("two/two", 0.5)]
        )
        self.assertEqual(
            self.rows(
                "SELECT kind, count, detail LIKE '%mib/mib,odd/odd%' FROM mpg_issues WHERE kind <> 'missing_field' AND source = ?",
                path,
            ),
            [("uncounted_resource", 2, 1)],
        )

    def test_gpus_of_hami(self):
        """A node offers each GPU ten times; a pod holds the greater part of memory and cores of each that its annotation names. What is odd in annotations counts as if it were not there."""

        def node(told, count=20):
            made = self.node("n", {G: str(count)}, agentpool="a")
            made["metadata"]["annotations"] = {"hami.io/node-nvidia-register": told}
            return made

        def pod(name, told, count=1):
            return self.pod(
                name,
                {G: count, "nvidia.com/gpumem": "20000"},
                metadata={"annotations": {"hami.io/vgpu-devices-allocated": told}},
                spec={"nodeName": "n"},
                status={"phase": "Running", "startTime": when(0)},
            )

        registered = json.dumps(
            [{"id": f"GPU-{i}", "count": 10, "devmem": 80000, "devcore": 100, "type": "NVIDIA-A100"} for i in range(2)]
        )
        pods = [
            pod("memory", "GPU-0,NVIDIA,20000,10:;"),
            pod("cores", "GPU-0,NVIDIA,20000,50:;"),
            pod("whole", "GPU-1,NVIDIA,80000,0:;"),
            pod("two", "GPU-0,NVIDIA,8000,0:GPU-1,NVIDIA,8000,20:;;", 2),
        ]
        path = self.file([node(registered), *pods])
        self.map(path)
        self.assertEqual([("a", 2)], self.rows("SELECT pool, chips FROM capacity"))
        self.assertEqual(
            [("cores", 0.5), ("memory", 0.25), ("two", 0.3), ("whole", 1)],
            self.rows("SELECT task, chips FROM allocations ORDER BY 1"),
        )
        self.assertEqual(
            [("ns/cores", 0.5), ("ns/memory", 0.25), ("ns/two", 0.3), ("ns/whole", 1)],
            self.rows("SELECT job, chips FROM jobs ORDER BY 1"),
        )
        self.assertEqual(
            [], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'uncounted_resource' AND source = ?", path)
        )

        # Without that annotation its resources say what it asks for; without memory among them that is all of each GPU.
        def asks(name, on="n", **more):
            made = self.pod(
                name,
                {G: 1, **{"nvidia.com/" + key.replace("_", "-"): value for key, value in more.items()}},
                spec={"nodeName": on},
                status={"phase": "Running", "startTime": when(0)} if on else {"phase": "Pending"},
            )
            return made

        self.map(
            self.file(
                [
                    node(registered),
                    asks("all"),
                    asks("memory", gpumem="20000"),
                    asks("percent", gpumem_percentage=25, gpucores=30),
                    asks("cores", gpucores="50"),
                    asks("waits", None, gpumem="40000"),
                ]
            )
        )
        self.assertEqual(
            [("ns/all", 1), ("ns/cores", 1), ("ns/memory", 0.25), ("ns/percent", 0.3), ("ns/waits", 0.5)],
            self.rows("SELECT job, chips FROM jobs ORDER BY 1"),
        )
        self.assertEqual(
            [("all", 1), ("cores", 1), ("memory", 0.25), ("percent", 0.3)],
            self.rows("SELECT task, chips FROM allocations ORDER BY 1"),
        )
        # As it was written before version 2.5: memory of a GPU is not told then.
        self.map(
            self.file(
                [
                    node("GPU-0,10,80000,100,NVIDIA-A100,0,true:GPU-1,10,80000,100,NVIDIA-A100,0,true:"),
                    pod("cores", "GPU-0,NVIDIA,20000,50:;"),
                ]
            )
        )
        self.assertEqual(
            ([(2,)], [(0.5,)]), (self.rows("SELECT chips FROM capacity"), self.rows("SELECT chips FROM allocations"))
        )
        for told in ("", "[", "{}", '["', "[7, null]", '\\"', "GPU"):
            with self.subTest(told):
                self.map(self.file([node(told), pod("p", told), pod("q", told + ",NVIDIA,x,y:;")]))
                self.assertEqual(2, self.one("SELECT count(*) FROM allocations"))

    def test_owners_of_fractions(self):
        """Two notebooks share a GPU that a pod of the scheduler holds for them: half of its time is each one's."""
        pods = [
            self.holder(chips, 1800, 5400, **metadata)
            for chips, metadata in (
                (1, {"namespace": "kai-resource-reservation", "labels": {"runai-gpu-group": "g"}}),
                (0, {"namespace": "alice", "annotations": {"gpu-fraction": "0.5"}}),
                (0, {"namespace": "bob", "annotations": {"gpu-fraction": "0.5"}}),
                (1, {"namespace": "bob", "name": "full"}),
            )
        ]
        for pod in pods:
            pod["metadata"]["uid"] = "{namespace}/{name}".format_map(pod["metadata"])
            pod["spec"]["containers"][0]["resources"] = (
                {} if "annotations" in pod["metadata"] else pod["spec"]["containers"][0]["resources"]
            )
        self.map(self.file([self.beat(1, 2, 7200), *pods]))
        self.assertEqual(
            [("alice", 1800), ("bob", 5400)],
            self.rows("SELECT owner, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'untraced' GROUP BY 1"),
        )

    def test_in_the_shell(self):
        """With parameters, as the header of the script shows it."""
        self.script("formats/kube.sql", kube=WATCH, pool="cloud.google.com/gke-nodepool")
        self.assertEqual(self.one("SELECT count(*) FROM allocations WHERE pool = 'a100-pool'"), 6)


if __name__ == "__main__":
    unittest.main()
