"""Devices of resource claims (DRA) in the ledger by way of sql/formats/kube.sql: the fixture against sums made by hand, and the forms that the
API's versions and the drivers give to slices, claims and requests."""
import os
import re
import unittest
from random import Random

from fleets import ROOT
from kube import G, T0, Mapped, when

CLAIMS = os.path.join(ROOT, "fixtures/kube/claims.json")
NVIDIA, AMD, TPUS = "gpu.nvidia.com", "gpu.amd.com", "tpu.google.com"


def attributes(**values):
    return {key: {"string": value} for key, value in values.items()}


class Claims(Mapped):
    def object(self, kind, name, spec, status=None, version="v1", **metadata):
        space = {} if kind in ("ResourceSlice", "DeviceClass") else {"namespace": "ns"}
        return {"apiVersion": f"resource.k8s.io/{version}", "kind": kind, "spec": spec, "status": status or {},
                "metadata": {"name": name, "uid": f"{kind}/{name}", "creationTimestamp": when(0), **space, **metadata}}

    def slice(self, node, devices, driver=NVIDIA, generation=1, name="", **more):
        """Devices: {name: attributes} or {name: whole device}."""
        return self.object("ResourceSlice", f"{node}-{driver}{name}", {
            "driver": driver, "nodeName": node, "pool": {"name": node, "generation": generation, "resourceSliceCount": 1},
            "devices": [{"name": key, **(value if "attributes" in value or "basic" in value else {"attributes": value})} for key, value in devices.items()]}, **more)

    def claim(self, name, *devices, driver=NVIDIA, node="n", spec=None, **more):
        """Devices: names, or results without what all have."""
        results = [{"driver": driver, "pool": node, "request": "r", **(device if isinstance(device, dict) else {"device": device})} for device in devices]
        return self.object("ResourceClaim", name, spec or {}, {"allocation": {"devices": {"results": results}}} if results else {}, **more)

    def template(self, name, *requests, **more):
        return self.object("ResourceClaimTemplate", name, {"spec": {"devices": {"requests": list(requests)}}}, **more)

    def gpus(self, count=1, **more):
        return {"name": "r", "exactly": {"deviceClassName": NVIDIA, "count": count, **more}}

    def user(self, name, claim=None, template=None, made=None, begin=0, end=100, node="n", limits=None):
        """A pod that ran on a node from begin to end."""
        reference = {"name": "c", **({"resourceClaimTemplateName": template} if template else {"resourceClaimName": claim})}
        return self.pod(name, limits, spec={"nodeName": node, "resourceClaims": [reference]}, metadata={"creationTimestamp": when(begin)}, status={
            "phase": "Succeeded", "startTime": when(begin), "resourceClaimStatuses": [{"name": "c", "resourceClaimName": made}] if made else [],
            "containerStatuses": [{"state": {"terminated": {"startedAt": when(begin), "finishedAt": when(end)}}}]})

    def held(self, *objects):
        self.map(self.file([self.node("n", {"cpu": "8"}, agentpool="a"), *objects]))
        return dict(self.rows("SELECT task, chips FROM allocations WHERE task IS NOT NULL"))

    def capacity(self):
        return self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool, chip")

    def test_the_fixture(self):
        """Of 8 GPUs to the last thing that happens, 2700 s; the sums by hand."""
        self.map(CLAIMS)
        self.assertEqual(self.capacity(), [("h100", "NVIDIA H100 80GB HBM3", 8)])
        self.assertEqual(self.allocations(), [
            ("ml/notebook-a", 1, "notebook-a", "h100", .5, 600, None, None), ("ml/notebook-b", 1, "notebook-b", "h100", .5, 600, None, None),
            ("ml/small", 1, "small", "h100", .428571, 1200, None, None), ("ml/train", 1, "train-0-qj4ms", "h100", 4, 300, 2700, "completed"),
            ("ml/tune", 1, "tune", "h100", 1, 600, None, None)])
        self.assertEqual(self.rows("SELECT job, chips FROM jobs ORDER BY job"),
                         [("ml/next", 8), ("ml/notebook-a", .5), ("ml/notebook-b", .5), ("ml/small", .428571), ("ml/train", 4), ("ml/tune", 1)])
        small = 428571 * 1500
        whole = 10**6 * (2 * 1050 + 4 * 2400 + 2100) + small
        waits = 10**6 * (8 * 900 + 60) + 10**6 * 30 + 10**6 * 15 + 428571 * 60
        self.assertEqual(self.rows("SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY category"),
                         [("idle", 8 * 2700 * 10**6 - whole), ("queued", waits), ("untraced", whole)])

    def test_the_claims_of_an_object(self):
        template = {"spec": {"containers": [{}], "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}, {"name": "d", "resourceClaimName": "\"x\""}]}}
        for spec, told, issues in (
            ({"template": template}, '[{"template":"t","pods":1},{"claim":"\\"x\\"","pods":1}]', {"resource_claims": 1}),
            ({"podSets": [{"count": 4, "minCount": 2, "template": template}, {"count": 1, "template": {"spec": {"resourceClaims": [{}]}}}]},
             '[{"template":"t","pods":4,"least":2},{"claim":"\\"x\\"","pods":4,"least":2},{"pods":1}]', {"resource_claims": 2}),
            ({"template": {"spec": {"resourceClaims": []}}}, None, {}),
        ):
            path = self.file({"kind": "Workload", "metadata": {"name": "w", "namespace": "ns"}, "spec": spec})
            self.assertEqual(self.one("SELECT claims FROM kube_trace(?)", path), told)
            self.assertEqual(self.issues(path), issues)
        pod = self.user("p", template="t", made="p-c-x")
        pod["spec"]["resourceClaims"].append({"name": "later", "resourceClaimTemplateName": "u"})
        self.assertEqual(self.one("SELECT claims FROM kube_trace(?)", self.file(pod)), '[{"claim":"p-c-x","template":"t","pods":1},{"template":"u","pods":1}]')

    def test_devices_of_nodes(self):
        """A chip counts once, however it can be cut; only the newest generation of a pool is there."""
        gpu = {f"gpu-{i}": attributes(type="gpu", uuid=f"G{i}", productName="NVIDIA A100-SXM4-80GB") for i in range(2)}
        mig = {f"gpu-0-mig-{i}": attributes(type="mig", parentUUID="G0", uuid=f"M{i}", profile="1g.10gb", productName="NVIDIA A100-SXM4-80GB") for i in range(7)}
        bus = {key: {"attributes": {**value, "resource.kubernetes.io/pciBusID": {"string": "0000:18:00.0"}}} for key, value in list(gpu.items())[:1] + list(mig.items())}
        basic = {key: {"basic": {"attributes": value}} for key, value in gpu.items()}
        passed = {f"gpu-vfio-{i}": attributes(type="vfio", uuid=f"V{i}", pcieBusID=f"0000:1{i}:00.0", productName="GA100 [A100 SXM4 80GB]") for i in range(2)}
        passed |= {f"gpu-{i}": {**gpu[f"gpu-{i}"], **attributes(pcieBusID=f"0000:1{i}:00.0")} for i in range(2)}
        for devices, chips in ((gpu, 2), (gpu | mig, 2), (mig, 1), (bus, 1), (basic, 2), (passed, 2)):
            self.held(self.slice("n", devices))
            self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", chips)])
        self.held(self.slice("n", gpu | {"gpu-2": attributes(type="gpu", uuid="old")}), self.slice("n", gpu, generation=2, name="-2"))
        self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", 2)])
        # A pool that is made anew counts its generations from 1 again.
        again = self.slice("n", gpu | {"gpu-2": attributes(type="gpu", uuid="old")}, generation=7)
        self.held({"type": "ADDED", "object": again}, {"type": "DELETED", "object": again}, {"type": "ADDED", "object": self.slice("n", gpu, name="-2")})
        self.assertEqual(self.capacity(), [("a", "NVIDIA A100-SXM4-80GB", 2)])
        # Its device plugin tells of a node that has one, a network is no chip, and a slice of a node that nobody knows is none's.
        plugin = self.node("p", {G: "8"}, agentpool="a", **{"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
        self.held(plugin, self.slice("p", gpu), self.slice("n", {"eth0": attributes()}, driver="dra.net"), self.slice("elsewhere", gpu))
        self.assertEqual(self.capacity(), [("a", "NVIDIA-A100-SXM4-80GB", 8)])

    def test_what_chips_are(self):
        """By the node's label, else by its driver, else by the type of machine."""
        for labels, driver, told, chip in (
            ({"nvidia.com/gpu.product": "NVIDIA-L4"}, NVIDIA, attributes(productName="NVIDIA A100-SXM4-80GB"), "NVIDIA-L4"),
            ({"node.kubernetes.io/instance-type": "custom"}, NVIDIA, attributes(productName="NVIDIA A100-SXM4-80GB"), "NVIDIA A100-SXM4-80GB"),
            ({}, AMD, attributes(type="amdgpu", productName="AMD_Instinct_MI300X_OAM"), "AMD_Instinct_MI300X_OAM"),
            ({}, TPUS, attributes(tpuGen="v6e", accelerator="tpu-v6e-slice"), "tpu-v6e"), ({}, "neuron.aws.com", attributes(instanceType="trn2.48xlarge"), "aws-trainium2"),
            ({"node.kubernetes.io/instance-type": "p5.48xlarge"}, NVIDIA, attributes(), "nvidia-h100-sxm"),
        ):
            self.map(self.file([self.node("n", {}, agentpool="a", **labels), self.slice("n", {"d": told}, driver=driver)]))
            self.assertEqual(self.capacity(), [("a", chip, 1)])

    def test_parts_of_chips(self):
        slices = self.slice("n", {
            "h": attributes(type="mig", profile="3g.40gb", productName="NVIDIA H100 80GB HBM3"), "a30": attributes(type="mig", profile="2g.12gb", productName="NVIDIA A30"),
            "rtx": attributes(type="mig", profile="1g.24gb", productName="NVIDIA RTX PRO 6000 Blackwell Server Edition"),
            "shared": {"attributes": attributes(type="gpu"), "capacity": {"shares": {"value": "10"}}}, "whole": attributes(type="gpu")})
        for device, chips in (("h", 3 / 7), ("a30", .5), ("rtx", .25), ("whole", 1), ({"device": "shared", "shareID": "s", "consumedCapacity": {"shares": "3"}}, .3),
                              ({"device": "whole", "shareID": "s"}, 1), ("gpu-7-mig-2g20gb-14-0", 2 / 7), ("gpu-7-mig-19-4-1", 1 / 7),
                              ("gpu-7-mig-15-0-2", 1 / 7), ("gpu-7-mig-14-0-2", 2 / 7), ("gpu-7-mig-9-0-4", 3 / 7), ("gpu-7-mig-5-0-4", 4 / 7), ("gpu-7-mig-0-0-8", 1), ("gpu-7", 1)):
            self.assertEqual(self.held(slices, self.claim("c", device), self.user("p", "c")), {"p": round(chips, 6)}, device)
        # Who only looks holds nothing.
        self.assertEqual(self.held(slices, self.claim("c", {"device": "whole", "adminAccess": True}, "h"), self.user("p", "c")), {"p": .428571})
        two = [self.claim(name, {"device": "whole", "shareID": name}) for name in "cd"]
        self.assertEqual(self.held(slices, *two, self.user("p", "c"), self.user("q", "d")), {"p": .5, "q": .5})
        cut = {f"gpu-{i}": attributes(type="amdgpu-partition", partitionProfile="cpx_nps4", pciAddr="0000:05:00.0") for i in range(8)}
        self.assertEqual(self.held(self.slice("n", cut, driver=AMD), self.claim("c", "gpu-0", "gpu-3", driver=AMD), self.user("p", "c")), {"p": .25})
        self.assertEqual(self.capacity()[0][2], 1)
        offered = {f"gpu-0-{mode}": {"attributes": attributes(type="amdgpu" if n == 1 else "amdgpu-partition", pciAddr="0000:05:00.0"), "capacity": {"partitions": {"value": str(n)}}}
                   for mode, n in (("spx-nps1", 1), ("dpx-nps2", 2), ("cpx-nps1", 8), ("cpx-nps4", 8))}
        taken = {"device": "gpu-0-cpx-nps4", "shareID": "x", "consumedCapacity": {"partitions": "2"}}
        self.assertEqual(self.held(self.slice("n", offered, driver=AMD), self.claim("c", taken, driver=AMD), self.user("p", "c")), {"p": .25})

    def test_several_pods_of_a_claim(self):
        claim, slices = self.claim("c", "gpu-0", "gpu-1"), self.slice("n", {f"gpu-{i}": attributes(type="gpu", uuid=str(i)) for i in range(2)})
        self.assertEqual(self.held(slices, claim, self.user("p", "c"), self.user("q", "c")), {"p": 1, "q": 1})
        self.assertEqual(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"), [("untraced", 200)])
        self.assertEqual(self.held(slices, claim, self.user("p", "c"), self.user("q", "c", begin=100, end=200), self.user("r", "d")), {"p": 2, "q": 2})
        # Those of one job that shares it are whole together.
        pods = [self.user(name, "c") for name in "pq"]
        for pod in pods:
            pod["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "j", "controller": True}]
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)},
               "spec": {"parallelism": 2, "completions": 2, "template": {"spec": {"containers": [{}], "resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}}}, "status": {}}
        self.assertEqual(self.held(slices, claim, job, *pods), {"p": 1, "q": 1})
        self.assertEqual(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"), [("untraced", 200)])

    def test_pods_that_share_a_claim_in_turn(self):
        """Each moment is shared by those that hold the claim then: a pod that stays has all of it when the others are gone."""
        objects = [self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")}), self.claim("c", "gpu-0"), self.user("p", "c", end=300), self.user("q", "c", end=100),
                   self.user("r", "c", begin=100, end=200), self.user("late", "c", begin=300, end=400), self.user("none", "c", begin=350, end=350)]
        down = self.node("n", {"cpu": "8"}, agentpool="a")
        down["status"]["conditions"] = [{"type": "Ready", "status": "Unknown", "lastTransitionTime": when(50)}]
        self.map(self.file([down, *objects]))
        self.assertEqual(self.rows("SELECT task, attempt, start_time - ?1, end_time - ?1, chips FROM allocations ORDER BY task, start_time", T0), [
            ("late", 1, 300, 400, 1), ("none", 1, 350, 350, 1), ("p", 1, 0, 100, .5), ("p", 1, 100, 200, .5), ("p", 1, 200, 300, 1), ("q", 1, 0, 100, .5), ("r", 1, 100, 200, .5)])
        self.assertEqual(self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"),
                         [("ns/late", 1, None), ("ns/none", 1, None), ("ns/p", .5, .5), ("ns/q", .5, None), ("ns/r", .5, None)])
        self.assertEqual(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup WHERE as_of = ? GROUP BY 1", when(400)), [("untraced", 400)])
        self.assertEqual(self.rows("SELECT pool, chips, start_time - ?, end_time, kind FROM outages", T0), [("a", 1, 400, None, "hw_down")]) # held until then

    def test_sharing_second_by_second(self):
        slices = self.slice("n", {f"gpu-{i}": attributes(type="gpu", uuid=str(i)) for i in range(3)})
        claims = {"c": ["gpu-0"], "d": ["gpu-1", "gpu-2"]}
        for seed in range(20):
            random = Random(seed)
            pods = {f"p{i}": (random.choice("cd"), *sorted(random.sample(range(40), 2))) for i in range(random.randint(1, 14))}
            self.held(slices, *(self.claim(name, *devices) for name, devices in claims.items()),
                      *(self.user(pod, claim, begin=begin, end=end) for pod, (claim, begin, end) in pods.items()))
            had = {}
            for pod, chips, begin, end in self.rows("SELECT task, chips, start_time - ?1, end_time - ?1 FROM allocations", T0):
                had.update({(pod, second): chips for second in range(int(begin), int(end))})
            together = {key: sum(c == key[0] and b <= key[1] < e for c, b, e in pods.values()) for key in ((c, s) for c in claims for s in range(40))}
            self.assertEqual(had, {(pod, second): round(len(claims[claim]) / together[claim, second], 6)
                                   for pod, (claim, begin, end) in pods.items() for second in range(begin, end)}, seed)

    def test_claims_that_are_gone(self):
        """A claim made for a pod goes with it: then the template tells. One that was seen with devices had them."""
        slices, template = self.slice("n", {"gpu-0": attributes(type="gpu", uuid="0")}), self.template("t", self.gpus(3))
        self.assertEqual(self.held(slices, template, self.user("p", template="t", made="p-c")), {"p": 3})
        self.assertEqual(self.held(slices, template, self.claim("p-c"), self.user("p", template="t", made="p-c")), {"p": 3})
        self.assertEqual(self.held(slices, template, self.claim("p-c", "gpu-0"), self.user("p", template="t", made="p-c")), {"p": 1})
        older = self.template("t", self.gpus(5), uid="older", resourceVersion="1")
        self.assertEqual(self.held(slices, older, self.template("t", self.gpus(3), resourceVersion="2"), self.user("p", template="t", made="p-c")), {"p": 3})
        events = [("ADDED", self.claim("p-c", resourceVersion="1")), ("MODIFIED", self.claim("p-c", "gpu-0", resourceVersion="2")),
                  ("MODIFIED", self.claim("p-c", resourceVersion="3")), ("DELETED", self.claim("p-c", resourceVersion="4"))]
        watch = self.file([{"type": kind, "object": claim} for kind, claim in events])
        self.map(self.file([self.node("n", {}), slices, template, self.user("p", template="t", made="p-c")]), watch)
        self.assertEqual(self.rows("SELECT task, chips FROM allocations"), [("p", 1)])

    def test_requests(self):
        """What is asked for, by the driver that its class or its selectors name; a job's pods together."""
        def chosen(words):
            return {"selectors": [{"cel": {"expression": words}}]}
        fast = self.object("DeviceClass", "fast", chosen(f"device.driver == \"{NVIDIA}\" && device.attributes['{NVIDIA}'].type == 'gpu'"))
        mine = f"device.attributes['{NVIDIA}'].profile == \"2g.20gb\""
        tpus = self.slice("n", {str(i): attributes(uuid=str(i)) for i in range(4)}, driver=TPUS)
        every = {"name": "r", "exactly": {"deviceClassName": TPUS, "allocationMode": "All"}}
        for requests, chips in (
            ([self.gpus(2), self.gpus()], 3), ([{"name": "r", "deviceClassName": NVIDIA, "count": 2}], 2), ([{"name": "r", "deviceClassName": NVIDIA}], 1),
            ([{"name": "r", "firstAvailable": [{"name": "a", "deviceClassName": "fast", "count": 2}, {"name": "b", "deviceClassName": NVIDIA, "count": 4}]}], 2),
            ([{"name": "r", "exactly": {"deviceClassName": "fast", "count": 5}}], 5), ([self.gpus(4, adminAccess=True), self.gpus()], 1),
            ([{"name": "r", "exactly": {"deviceClassName": "mig.nvidia.com", "count": 2, **chosen(mine)}}], 4 / 7),
            ([{"name": "r", "exactly": {"deviceClassName": "mig.nvidia.com"}}], None), ([{"name": "r", "exactly": {"deviceClassName": "dra.net"}}, self.gpus()], 1),
            ([{"name": "r", "exactly": {"deviceClassName": "migrated.gpu.nvidia.com"}}], 1), ([{"name": "r", "exactly": {"deviceClassName": NVIDIA, **chosen("x.type == 'mig'")}}], None),
            ([every], 4), ([{"name": "r", "exactly": {"deviceClassName": "dra.net"}}], None),
        ):
            held = self.held(fast, tpus, self.template("t", *requests), self.user("p", template="t"))
            self.assertEqual(held, {} if chips is None else {"p": round(chips, 6)}, requests)
            job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "ns", "uid": "j", "creationTimestamp": when(0)}, "status": {},
                   "spec": {"parallelism": 3, "completions": 3, "template": {"spec": {"containers": [{}], "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]}}}}
            self.held(fast, tpus, self.template("t", *requests), job)
            self.assertEqual(self.rows("SELECT job, chips FROM jobs"), [] if chips is None else [("ns/j", round(3 * chips, 6))], requests)

    def test_sets_that_shrink(self):
        """Claims and resources of one job add up; so does the least of them."""
        spec = {"containers": [{"resources": {"limits": {G: 1}}}], "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]}
        workload = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "w", "namespace": "ns", "uid": "w", "creationTimestamp": when(0)}, "status": {},
                    "spec": {"podSets": [{"name": "main", "count": 4, "minCount": 2, "template": {"spec": spec}}]}}
        self.held(self.template("t", self.gpus(2)), workload)
        self.assertEqual(self.rows("SELECT chips, min_chips FROM jobs"), [(12, 6)])

    def test_devices_as_resources(self):
        """The class's own name may be asked for as a resource: the claim that the scheduler makes for it is not counted again."""
        pod = self.user("p", "c", limits={"deviceclass.resource.kubernetes.io/gpu.nvidia.com": "2"})
        del pod["spec"]["resourceClaims"]
        pod["status"]["extendedResourceClaimStatus"] = {"resourceClaimName": "p-extended", "requestMappings": []}
        self.assertEqual(self.held(self.claim("p-extended", "gpu-0", "gpu-1"), pod), {"p": 2})
        # A name that says nothing of chips is worth what the scheduler's claim was given.
        for name in ("deviceclass.resource.kubernetes.io/h100", "example.com/gpu", "deviceclass.resource.kubernetes.io/mig.nvidia.com"):
            pod["spec"]["containers"] = [{"resources": {"limits": {name: "2"}}}]
            self.assertEqual(self.held(self.claim("p-extended", "gpu-0", "gpu-1"), pod), {"p": 2}, name)
        self.assertEqual(self.held(pod), {})

    def test_the_reader_and_the_mapping_agree(self):
        """Both know the drivers, the one as classes that are asked for as resources; and both know what a MIG device is of a chip, the one by its size and
        the other by the product."""
        with open(os.path.join(ROOT, "sql/formats/kube.sql"), encoding="utf-8") as file:
            drivers = re.findall(r"'([^']+)'", re.search(r"INTO kube_drivers VALUES(.*?);", file.read(), re.S)[1])[::2]
        self.assertEqual(len(drivers), 5)
        for driver in drivers:
            self.assertEqual(self.one("SELECT chips FROM kube_trace(?)", self.file(self.pod(limits={"deviceclass.resource.kubernetes.io/" + driver: 3}))), 3, driver)
        for product, profiles in (("NVIDIA A100-SXM4-40GB", "1g.5gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"), ("NVIDIA H100 80GB HBM3", "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"),
                                  ("NVIDIA B200", "1g.23gb 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb"), ("NVIDIA A30", "1g.6gb 2g.12gb 4g.24gb"),
                                  ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "2g.48gb 4g.96gb")):
            for profile in profiles.split():
                held = self.held(self.slice("n", {"d": attributes(type="mig", profile=profile, productName=product)}), self.claim("c", "d"), self.user("p", "c"))
                counted = self.one("SELECT chips FROM kube_trace(?)", self.file(self.pod(limits={"nvidia.com/mig-" + profile: 1})))
                self.assertAlmostEqual(held["p"], counted, 5, (product, profile))

    def cluster(self, seed, claims):
        """The same random cluster, whose GPUs a device plugin hands out, or a driver by claims; of pods that have ended some claims are gone."""
        random, objects, taken = Random(seed), [], {}
        for n in range(3):
            node = self.node(f"n{n}", {"cpu": "8"} if claims else {G: "8"}, agentpool=f"pool-{n % 2}", **{"nvidia.com/gpu.product": "NVIDIA-L4"})
            objects += [node, self.slice(f"n{n}", {f"gpu-{i}": attributes(type="gpu", uuid=f"{n}-{i}") for i in range(8)}, version=random.choice(("v1", "v1beta2")))]
        for size in range(1, 5):
            objects.append(self.template(f"gpus-{size}", self.gpus(size) if random.random() < .5 else {"name": "r", "deviceClassName": NVIDIA, "count": size}))
        for j in range(random.randint(1, 6)):
            size, pods, gone = random.randint(1, 4), random.randint(1, 3), random.random() < .5
            spec = {"containers": [{"resources": {"limits": {} if claims else {G: size}}}]}
            if claims:
                spec["resourceClaims"] = [{"name": "c", "resourceClaimTemplateName": f"gpus-{size}"}]
            objects.append({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"j{j}", "namespace": "ns", "uid": f"j{j}", "creationTimestamp": when(j)}, "status": {},
                            "spec": {"parallelism": pods, "completions": pods, "template": {"spec": spec}}})
            for p in range(pods):
                name, node, begin, ends = f"j{j}-{p}", random.randrange(3), random.randint(10, 500), random.random() < .6
                state = {"startedAt": when(begin)}
                pod = self.pod(name, spec={**spec, "nodeName": f"n{node}"}, metadata={"creationTimestamp": when(j), "ownerReferences": [{"kind": "Job", "name": f"j{j}", "controller": True}]}, status={
                    "phase": "Succeeded" if ends else "Running", "startTime": when(begin), "resourceClaimStatuses": [{"name": "c", "resourceClaimName": name + "-c"}] if claims else [],
                    "containerStatuses": [{"state": {"terminated": {**state, "finishedAt": when(begin + 300)}} if ends else {"running": state}}]})
                objects.append(pod)
                first = taken[node] = taken.get(node, 0) + size
                if claims and not (ends and gone):
                    objects.append(self.claim(name + "-c", *(f"gpu-{(first + i) % 8}" for i in range(size)), node=f"n{node}"))
        random.shuffle(objects)
        return self.file(objects)

    def test_a_cluster_told_both_ways(self):
        tables = ("SELECT * FROM capacity ORDER BY pool, start_time", "SELECT * FROM jobs ORDER BY job", "SELECT * FROM allocations ORDER BY job, task",
                  "SELECT pool, job, category, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2, 3")
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
        slices, template, claim = self.slice("n", {"gpu-0": attributes(type="gpu")}), self.template("t", self.gpus()), self.claim("c", "gpu-0")
        for found in (slices["spec"]["devices"], template["spec"]["spec"]["devices"]["requests"], claim["status"]["allocation"]["devices"]["results"]):
            found += ["x", 1, None, []]
        self.map(self.file([node, slices, template, claim, self.user("p", "c"), self.user("q", template="t")]))
        self.assertEqual(self.rows("SELECT task, chips FROM allocations ORDER BY task"), [("p", 1), ("q", 1)])

    def test_other_objects_of_the_same_name(self):
        """A Service or a template that has the job's name and is older is not what was submitted."""
        pod = self.user("p", template="p", begin=50)
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "p", "namespace": "ns", "uid": "s", "creationTimestamp": when(-900)}, "spec": {}, "status": {}}
        self.held(service, self.template("p", self.gpus(), creationTimestamp=when(-500)), pod)
        self.assertEqual(self.rows("SELECT job, submit_time - ?, labels ->> '$.kind' FROM jobs", T0), [("ns/p", 50, "Pod")])


if __name__ == "__main__":
    unittest.main()
