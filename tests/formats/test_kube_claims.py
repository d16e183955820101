"""Devices of resource claims (DRA) in the ledger by way of sql/formats/kube.sql: the fixture against sums made by hand, and the forms that the
API's versions and the drivers give to slices, claims and requests."""

import os
import re
import unittest
from random import Random

from fleets import ROOT
from kube import AMD, G, NVIDIA, T0, TPUS, Claimed, attributes, when
from scripts import script_text

CLAIMS = os.path.join(ROOT, "fixtures/kube/claims.json")


class Claims(Claimed):
    def test_the_fixture(self):
        """Of 8 GPUs to the last heartbeat of their node, 3600 s; the sums by hand."""
        self.map(CLAIMS)
        self.assertEqual(self.capacity(), [("h100", "NVIDIA H100 80GB HBM3", 8)])
        self.assertEqual(
            self.allocations(),
            [
                ("ml/notebook-a", 1, "notebook-a", "h100", 0.5, 600, None, None),
                ("ml/notebook-b", 1, "notebook-b", "h100", 0.5, 600, None, None),
                ("ml/small", 1, "small", "h100", 0.428571, 1200, None, None),
                ("ml/train", 1, "train-0-qj4ms", "h100", 4, 300, 2700, "completed"),
                ("ml/tune", 1, "tune", "h100", 1, 600, None, None),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips FROM jobs ORDER BY job"),
            [
                ("ml/next", 8),
                ("ml/notebook-a", 0.5),
                ("ml/notebook-b", 0.5),
                ("ml/small", 0.428571),
                ("ml/train", 4),
                ("ml/tune", 1),
            ],
        )
        small = 428571 * 2400
        whole = 10**6 * (2 * 1500 + 4 * 2400 + 3000) + small
        waits = 10**6 * (8 * 1800 + 60) + 10**6 * 30 + 10**6 * 15 + 428571 * 60
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY category"),
            [("idle", 8 * 3600 * 10**6 - whole), ("queued", waits), ("untraced", whole)],
        )

    def test_whether_claims_are_counted_is_said(self):
        """The reader says that chips have none of them; it is a warning only where the mapping counts none, for they are in no file."""
        slices, template, pod = (
            self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")}),
            self.template("t", self.gpus(3)),
            self.user("p", template="t", made="p-c"),
        )
        for objects, listed in (
            ([slices, template, pod], []),
            ([slices, pod], [("missing_field", 1)]),
            ([pod], [("missing_field", 1)]),
        ):
            path = self.file([self.node("n", {}), *objects])
            self.map(path)
            self.assertEqual(
                listed,
                self.rows(
                    "SELECT kind, count FROM mpg_issues WHERE source = ? AND severity <> 'info' AND kind IN ('resource_claims', 'missing_field')",
                    path,
                ),
            )
            self.assertEqual(
                [("info",)],
                self.rows("SELECT severity FROM mpg_issues WHERE source = ? AND kind = 'resource_claims'", path),
            )

    def test_the_claims_of_an_object(self):
        template = {
            "spec": {
                "containers": [{}],
                "resourceClaims": [
                    {"name": "c", "resourceClaimTemplateName": "t"},
                    {"name": "d", "resourceClaimName": '"x"'},
                ],
            }
        }
        for spec, told, issues in (
            (
                {"template": template},
                '[{"template":"t","pods":1},{"claim":"\\"x\\"","pods":1}]',
                {"resource_claims": 1},
            ),
            (
                {
                    "podSets": [
                        {"count": 4, "minCount": 2, "template": template},
                        {"count": 1, "template": {"spec": {"resourceClaims": [{}]}}},
                    ]
                },
                '[{"template":"t","pods":4,"least":2},{"claim":"\\"x\\"","pods":4,"least":2},{"pods":1}]',
                {"resource_claims": 2},
            ),
            ({"template": {"spec": {"resourceClaims": []}}}, None, {}),
        ):
            path = self.file({"kind": "Workload", "metadata": {"name": "w", "namespace": "ns"}, "spec": spec})
            self.assertEqual(self.one("SELECT claims FROM kube_trace(?)", path), told)
            self.assertEqual(self.issues(path), issues)
        pod = self.user("p", template="t", made="p-c-x")
        pod["spec"]["resourceClaims"].append({"name": "later", "resourceClaimTemplateName": "u"})
        self.assertEqual(
            self.one("SELECT claims FROM kube_trace(?)", self.file(pod)),
            '[{"claim":"p-c-x","template":"t","pods":1},{"template":"u","pods":1}]',
        )

    def test_claims_of_one_name(self):
        """A claim that was deleted and made anew: each pod had what the one of its time was given."""
        slices = self.slice("n", {f"gpu-{i}": attributes(type="gpu", uuid=f"G{i}") for i in range(4)})
        first, second = self.claim("c", "gpu-0", "gpu-1", uid="first"), self.claim(
            "c", "gpu-2", uid="second", creationTimestamp=when(150)
        )
        self.assertEqual(
            {"p": 2, "q": 1},
            self.held(slices, first, second, self.user("p", "c"), self.user("q", "c", begin=200, end=300)),
        )

    def test_all_devices_of_a_node_that_is_not_known_yet(self):
        """A pod that waits for all devices of a node asks for as many as all nodes have."""
        every = self.claim(
            "c",
            spec={
                "devices": {
                    "requests": [{"name": "r", "exactly": {"deviceClassName": NVIDIA, "allocationMode": "All"}}]
                }
            },
        )
        pod = self.user("p", "c")
        del pod["spec"]["nodeName"], pod["status"]
        self.held(self.slice("n", {f"gpu-{i}": attributes(type="gpu", uuid=f"G{i}") for i in range(4)}), every, pod)
        self.assertEqual([("ns/p", 4)], self.rows("SELECT job, chips FROM jobs"))

    def test_devices_out_of_service(self):
        """What a driver taints is down from then on, but for what pods hold; what it offers no more, and devices of drivers that nobody knows, are listed."""

        def gpu(i, *effects):
            return {
                "attributes": attributes(type="gpu", uuid=f"G{i}"),
                "taints": [{"key": "xid", "effect": effect, "timeAdded": when(at)} for effect, at in effects],
            }

        devices = {
            "gpu-0": gpu(0),
            "gpu-1": gpu(1, ("NoExecute", 60), ("NoSchedule", 30)),
            "gpu-2": gpu(2, ("None", 10)),
            "gpu-3": gpu(3, ("NoSchedule", 60)),
        }
        self.held(
            self.slice("n", devices), self.claim("c", "gpu-0", "gpu-1", "gpu-2"), self.user("p", "c", begin=80, end=100)
        )
        self.assertEqual(
            [(1, 30, 60, "hw_down"), (2, 60, 80, "hw_down"), (1, 80, 100, "hw_down"), (2, 100, None, "hw_down")],
            self.rows("SELECT chips, start_time - ?1, end_time - ?1, kind FROM outages ORDER BY start_time", T0),
        )
        self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'uncounted_resource'"))
        self.held(
            self.slice("n", devices),
            self.slice("n", {"gpu-0": gpu(0)}, generation=2, name="-2"),
            self.claim("c", "gpu-3"),
            self.claim("d", "npu-0", driver="npu.example.com"),
            self.user("p", "c"),
        )
        self.assertEqual(
            [(3,), (1,)],
            self.rows("SELECT count FROM mpg_issues WHERE kind = 'uncounted_resource' ORDER BY detail DESC"),
        )

    def test_devices_of_nodes(self):
        """A chip counts once, however it can be cut; only the newest generation of a pool is there."""
        gpu = {f"gpu-{i}": attributes(type="gpu", uuid=f"G{i}", productName="NVIDIA A100-SXM4-80GB") for i in range(2)}
        mig = {
            f"gpu-0-mig-{i}": attributes(
                type="mig", parentUUID="G0", uuid=f"M{i}", profile="1g.10gb", productName="NVIDIA A100-SXM4-80GB"
            )
            for i in range(7)
        }
        bus = {
            key: {"attributes": {**value, "resource.kubernetes.io/pciBusID": {"string": "0000:18:00.0"}}}
            for key, value in list(gpu.items())[:1] + list(mig.items())
        }
        basic = {key: {"basic": {"attributes": value}} for key, value in gpu.items()}
        passed = {
            f"gpu-vfio-{i}": attributes(
                type="vfio", uuid=f"V{i}", pcieBusID=f"0000:1{i}:00.0", productName="GA100 [A100 SXM4 80GB]"
            )
            for i in range(2)
        }
        passed |= {f"gpu-{i}": {**gpu[f"gpu-{i}"], **attributes(pcieBusID=f"0000:1{i}:00.0")} for i in range(2)}
        for devices, chips in ((gpu, 2), (gpu | mig, 2), (mig, 1), (bus, 1), (basic, 2), (passed, 2)):
            self.held(self.slice("n", devices))
            self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", chips)])
        self.held(
            self.slice("n", gpu | {"gpu-2": attributes(type="gpu", uuid="old")}),
            self.slice("n", gpu, generation=2, name="-2"),
        )
        self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", 2)])
        # A pool that is made anew counts its generations from 1 again.
        again = self.slice("n", gpu | {"gpu-2": attributes(type="gpu", uuid="old")}, generation=7)
        self.held(
            {"type": "ADDED", "object": again},
            {"type": "DELETED", "object": again},
            {"type": "ADDED", "object": self.slice("n", gpu, name="-2")},
        )
        self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", 2)])
        # Its device plugin tells of a node that has one, a network is no chip, and a slice of a node that nobody knows is none's.
        plugin = self.node("p", {G: "8"}, agentpool="a", **{"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
        self.held(
            plugin,
            self.slice("p", gpu),
            self.slice("n", {"eth0": attributes()}, driver="dra.net"),
            self.slice("elsewhere", gpu),
        )
        self.assertEqual(self.capacity(), [("a", "NVIDIA-A100-SXM4-80GB", 8)])

    def test_what_chips_are(self):
        """By the node's label, else by its driver, else by the type of machine."""
        for labels, driver, told, chip in (
            (
                {"nvidia.com/gpu.product": "NVIDIA-L4"},
                NVIDIA,
                attributes(productName="NVIDIA A100-SXM4-80GB"),
                "NVIDIA-L4",
            ),
            (
                {"node.kubernetes.io/instance-type": "custom"},
                NVIDIA,
                attributes(productName="NVIDIA A100-SXM4-80GB"),
                "NVIDIA A100-SXM4-80GB",
            ),
            ({}, AMD, attributes(type="amdgpu", productName="AMD_Instinct_MI300X_OAM"), "AMD_Instinct_MI300X_OAM"),
            ({}, TPUS, attributes(tpuGen="v6e", accelerator="tpu-v6e-slice"), "tpu-v6e"),
            ({}, "neuron.aws.com", attributes(instanceType="trn2.48xlarge"), "aws-trainium2"),
            ({"node.kubernetes.io/instance-type": "p5.48xlarge"}, NVIDIA, attributes(), "nvidia-h100-sxm"),
        ):
            self.map(
                self.file([self.node("n", {}, agentpool="a", **labels), self.slice("n", {"d": told}, driver=driver)])
            )
            self.assertEqual(self.capacity(), [("a", chip, 1)])

    def test_claims_that_are_gone(self):
        """A claim made for a pod goes with it: then the template tells. One that was seen with devices had them."""
        slices, template = self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")}), self.template(
            "t", self.gpus(3)
        )
        self.assertEqual(self.held(slices, template, self.user("p", template="t", made="p-c")), {"p": 3})
        self.assertEqual(
            self.held(slices, template, self.claim("p-c"), self.user("p", template="t", made="p-c")), {"p": 3}
        )
        self.assertEqual(
            self.held(slices, template, self.claim("p-c", "gpu-0"), self.user("p", template="t", made="p-c")), {"p": 1}
        )
        asks = self.claim("p-c", spec={"devices": {"requests": [self.gpus(4)]}})  # its template is in no file
        self.assertEqual(self.held(slices, asks, self.user("p", template="t", made="p-c")), {"p": 4})
        self.assertEqual(self.held(slices, template, asks, self.user("p", template="t", made="p-c")), {"p": 3})
        every = self.claim(
            "p-c",
            spec={
                "devices": {
                    "requests": [
                        {"name": "r", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All"}}
                    ]
                }
            },
        )
        self.assertEqual(self.held(slices, every, self.user("p", template="t", made="p-c")), {"p": 1})
        older = self.template("t", self.gpus(5), uid="older", resourceVersion="1")
        self.assertEqual(
            self.held(
                slices,
                older,
                self.template("t", self.gpus(3), resourceVersion="2"),
                self.user("p", template="t", made="p-c"),
            ),
            {"p": 3},
        )
        events = [
            ("ADDED", self.claim("p-c", resourceVersion="1")),
            ("MODIFIED", self.claim("p-c", "gpu-0", resourceVersion="2")),
            ("MODIFIED", self.claim("p-c", resourceVersion="3")),
            ("DELETED", self.claim("p-c", resourceVersion="4")),
        ]
        watch = self.file([{"type": kind, "object": claim} for kind, claim in events])
        self.map(self.file([self.node("n", {}), slices, template, self.user("p", template="t", made="p-c")]), watch)
        self.assertEqual(self.rows("SELECT task, chips FROM allocations"), [("p", 1)])

    def test_requests(self):
        """What is asked for, by the driver that its class or its selectors name; a job's pods together."""

        def chosen(words):
            return {"selectors": [{"cel": {"expression": words}}]}

        fast = self.object(
            "DeviceClass",
            "fast",
            chosen(f"device.driver == \"{NVIDIA}\" && device.attributes['{NVIDIA}'].type == 'gpu'"),
        )
        mine = f"device.attributes['{NVIDIA}'].profile == \"2g.20gb\""
        tpus = self.slice("n", {str(i): attributes(uuid=str(i)) for i in range(4)}, driver=TPUS)
        every = {"name": "r", "exactly": {"deviceClassName": TPUS, "allocationMode": "All"}}
        for requests, chips in (
            ([self.gpus(2), self.gpus()], 3),
            ([{"name": "r", "deviceClassName": NVIDIA, "count": 2}], 2),
            ([{"name": "r", "deviceClassName": NVIDIA}], 1),
            (
                [
                    {
                        "name": "r",
                        "firstAvailable": [
                            {"name": "a", "deviceClassName": "fast", "count": 2},
                            {"name": "b", "deviceClassName": NVIDIA, "count": 4},
                        ],
                    }
                ],
                2,
            ),
            ([{"name": "r", "exactly": {"deviceClassName": "fast", "count": 5}}], 5),
            ([self.gpus(4, adminAccess=True), self.gpus()], 1),
            ([{"name": "r", "exactly": {"deviceClassName": "mig.nvidia.com", "count": 2, **chosen(mine)}}], 4 / 7),
            ([{"name": "r", "exactly": {"deviceClassName": "mig.nvidia.com"}}], None),
            ([{"name": "r", "exactly": {"deviceClassName": "dra.net"}}, self.gpus()], 1),
            ([{"name": "r", "exactly": {"deviceClassName": "migrated.gpu.nvidia.com"}}], 1),
            ([{"name": "r", "exactly": {"deviceClassName": NVIDIA, **chosen("x.type == 'mig'")}}], None),
            ([every], 4),
            ([{"name": "r", "exactly": {"deviceClassName": "dra.net"}}], None),
        ):
            held = self.held(fast, tpus, self.template("t", *requests), self.user("p", template="t"))
            self.assertEqual(held, {} if chips is None else {"p": round(chips, 6)}, requests)
            job = {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
                "status": {},
                "spec": {
                    "parallelism": 3,
                    "completions": 3,
                    "template": {
                        "spec": {
                            "containers": [{}],
                            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}],
                        }
                    },
                },
            }
            self.held(fast, tpus, self.template("t", *requests), job)
            self.assertEqual(
                self.rows("SELECT job, chips FROM jobs"),
                [] if chips is None else [("ns/j", round(3 * chips, 6))],
                requests,
            )

    def test_classes_of_no_known_driver(self):
        """What is asked for through a class that no file has is listed; of a network's it is not, nor what was given."""
        of_class = lambda name: {"name": "r", "exactly": {"deviceClassName": name, "count": 4}}
        slices = self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")})
        asks = {"spec": {"devices": {"requests": [of_class("big")]}}}
        for objects, listed in (
            ([self.template("t", of_class("big")), self.user("p", template="t")], 1),
            ([self.template("t", of_class("big"), self.gpus()), self.template("u", of_class("other"))], 2),
            ([self.template("t", of_class("dra.net"), of_class("compute-domain-daemon.nvidia.com"))], 0),
            ([slices, self.claim("c", "gpu-0", **asks), self.user("p", "c")], 0),
        ):
            path = self.file([self.node("n", {}), *objects])
            self.map(path)
            found = self.one(
                "SELECT total(count) FROM mpg_issues WHERE source = ? AND kind = 'uncounted_resource'", path
            )
            self.assertEqual(listed, found)

    def test_sets_that_shrink(self):
        """Claims and resources of one job add up; so does the least of them."""
        spec = {
            "containers": [{"resources": {"limits": {G: 1}}}],
            "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}],
        }
        workload = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "Workload",
            "metadata": {"name": "w", "namespace": "ns", "uid": "w", "creationTimestamp": when(0)},
            "status": {},
            "spec": {"podSets": [{"name": "main", "count": 4, "minCount": 2, "template": {"spec": spec}}]},
        }
        self.held(self.template("t", self.gpus(2)), workload)
        self.assertEqual(self.rows("SELECT chips, min_chips FROM jobs"), [(12, 6)])

    def test_devices_as_resources(self):
        """The class's own name may be asked for as a resource: the claim that the scheduler makes for it is not counted again."""
        pod = self.user("p", "c", limits={"deviceclass.resource.kubernetes.io/gpu.nvidia.com": "2"})
        del pod["spec"]["resourceClaims"]
        pod["status"]["extendedResourceClaimStatus"] = {"resourceClaimName": "p-extended", "requestMappings": []}
        self.assertEqual(self.held(self.claim("p-extended", "gpu-0", "gpu-1"), pod), {"p": 2})
        # A name that says nothing of chips is worth what the scheduler's claim was given.
        for name in (
            "deviceclass.resource.kubernetes.io/h100",
            "example.com/gpu",
            "deviceclass.resource.kubernetes.io/mig.nvidia.com",
        ):
            pod["spec"]["containers"] = [{"resources": {"limits": {name: "2"}}}]
            self.assertEqual(self.held(self.claim("p-extended", "gpu-0", "gpu-1"), pod), {"p": 2}, name)
        self.assertEqual(self.held(pod), {})

    def test_the_reader_and_the_mapping_agree(self):
        """Both know the drivers, the one as classes that are asked for as resources; and both know what a MIG device is of a chip, the one by its size and
        the other by the product."""
        drivers = re.findall(
            r"'([^']+)'", re.search(r"INTO kube_drivers VALUES(.*?);", script_text("sql/formats/kube.sql"), re.S)[1]
        )[::2]
        self.assertEqual(len(drivers), 6)
        for driver in drivers:
            self.assertEqual(
                self.one(
                    "SELECT chips FROM kube_trace(?)",
                    self.file(self.pod(limits={"deviceclass.resource.kubernetes.io/" + driver: 3})),
                ),
                3,
                driver,
            )
        for product, profiles in (
            ("NVIDIA A100-SXM4-40GB", "1g.5gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"),
            ("NVIDIA H100 80GB HBM3", "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"),
            ("NVIDIA B200", "1g.23gb 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb"),
            ("NVIDIA A30", "1g.6gb 2g.12gb 4g.24gb"),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "2g.48gb 4g.96gb"),
        ):
            for profile in profiles.split():
                held = self.held(
                    self.slice("n", {"d": attributes(type="mig", profile=profile, productName=product)}),
                    self.claim("c", "d"),
                    self.user("p", "c"),
                )
                counted = self.one(
                    "SELECT chips FROM kube_trace(?)", self.file(self.pod(limits={"nvidia.com/mig-" + profile: 1}))
                )
                self.assertAlmostEqual(held["p"], counted, 5, (product, profile))

    def cluster(self, seed, claims):
        """The same random cluster, whose GPUs a device plugin hands out, or a driver by claims; of pods that have ended some claims are gone."""
        random, objects, taken = Random(seed), [], {}
        for n in range(3):
            node = self.node(
                f"n{n}",
                {"cpu": "8"} if claims else {G: "8"},
                agentpool=f"pool-{n % 2}",
                **{"nvidia.com/gpu.product": "NVIDIA-L4"},
            )
            objects += [
                node,
                self.slice(
                    f"n{n}",
                    {f"gpu-{i}": attributes(type="gpu", uuid=f"{n}-{i}") for i in range(8)},
                    version=random.choice(("v1", "v1beta2")),
                ),
            ]
        for size in range(1, 5):
            objects.append(
                self.template(
                    f"gpus-{size}",
                    (
                        self.gpus(size)
                        if random.random() < 0.5
                        else {"name": "r", "deviceClassName": NVIDIA, "count": size}
                    ),
                )
            )
        for j in range(random.randint(1, 6)):
            size, pods, gone = random.randint(1, 4), random.randint(1, 3), random.random() < 0.5
            spec = {"containers": [{"resources": {"limits": {} if claims else {G: size}}}]}
            if claims:
                spec["resourceClaims"] = [{"name": "c", "resourceClaimTemplateName": f"gpus-{size}"}]
            objects.append(
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "metadata": {"name": f"j{j}", "namespace": "ns", "uid": f"j{j}", "creationTimestamp": when(j)},
                    "status": {},
                    "spec": {"parallelism": pods, "completions": pods, "template": {"spec": spec}},
                }
            )
            for p in range(pods):
                name, node, begin, ends = (
                    f"j{j}-{p}",
                    random.randrange(3),
                    random.randint(10, 500),
                    random.random() < 0.6,
                )
                state = {"startedAt": when(begin)}
                pod = self.pod(
                    name,
                    spec={**spec, "nodeName": f"n{node}"},
                    metadata={
                        "creationTimestamp": when(j),
                        "ownerReferences": [{"kind": "Job", "name": f"j{j}", "controller": True}],
                    },
                    status={
                        "phase": "Succeeded" if ends else "Running",
                        "startTime": when(begin),
                        "resourceClaimStatuses": [{"name": "c", "resourceClaimName": name + "-c"}] if claims else [],
                        "containerStatuses": [
                            {
                                "state": (
                                    {"terminated": {**state, "finishedAt": when(begin + 300)}}
                                    if ends
                                    else {"running": state}
                                )
                            }
                        ],
                    },
                )
                objects.append(pod)
                first = taken[node] = taken.get(node, 0) + size
                if claims and not (ends and gone):
                    objects.append(
                        self.claim(name + "-c", *(f"gpu-{(first + i) % 8}" for i in range(size)), node=f"n{node}")
                    )
        random.shuffle(objects)
        return self.file(objects)

    def test_a_cluster_told_both_ways(self):
        tables = (
            "SELECT * FROM capacity ORDER BY pool, start_time",
            "SELECT * FROM jobs ORDER BY job",
            "SELECT * FROM allocations ORDER BY job, task",
            "SELECT pool, job, category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2, 3",
        )
        for seed in range(30):
            told = []
            for claims in (False, True):
                self.map(self.cluster(seed, claims))
                told.append([self.rows(sql) for sql in tables])
            self.assertEqual(*told, seed)

    def test_lists_of_something_else(self):
        """What is no object in a list of objects tells nothing, instead of ending the script with SQLite's "malformed JSON"."""
        node = self.node("n", {"cpu": "8"}, agentpool="a")
        node["spec"]["taints"] = node["status"]["conditions"] = ["x", 1, None, []]
        slices, template, claim = (
            self.slice("n", {"gpu-0": attributes(type="gpu")}),
            self.template("t", self.gpus()),
            self.claim("c", "gpu-0"),
        )
        for found in (
            slices["spec"]["devices"],
            template["spec"]["spec"]["devices"]["requests"],
            claim["status"]["allocation"]["devices"]["results"],
        ):
            found += ["x", 1, None, []]
        self.map(self.file([node, slices, template, claim, self.user("p", "c"), self.user("q", template="t")]))
        self.assertEqual(self.rows("SELECT task, chips FROM allocations ORDER BY task"), [("p", 1), ("q", 1)])

    def test_other_objects_of_the_same_name(self):
        """A Service or a template that has the job's name and is older is not what was submitted."""
        pod = self.user("p", template="p", begin=50)
        service = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "p", "namespace": "ns", "uid": "s", "creationTimestamp": when(-900)},
            "spec": {},
            "status": {},
        }
        self.held(service, self.template("p", self.gpus(), creationTimestamp=when(-500)), pod)
        self.assertEqual(
            self.rows("SELECT job, submit_time - ?, labels ->> '$.kind' FROM jobs", T0), [("ns/p", 50, "Pod")]
        )


if __name__ == "__main__":
    unittest.main()
