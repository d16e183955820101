"""What files kube_trace reads: lists, watches and objects in a row, ones that break off, and what it says of any other."""

import gzip
import json
import os
import re
import threading
import unittest

from cases import held
from kube import G, T0, WATCH, Case

# Chips for each: None: nobody knows, and it is listed; 0: no accelerator.
SEVENTHS = {n: int(1e6 * n / 7) / 1e6 for n in (1, 2, 3)}
RESOURCES = {
    **dict.fromkeys(
        (
            "nvidia.com/gpu",
            "nvidia.com/gpu.shared",
            "amd.com/gpu",
            "gpu.intel.com/i915",
            "gpu.intel.com/xe",
            "habana.ai/gaudi",
            "google.com/tpu",
            "aws.amazon.com/neuron",
            "aws.amazon.com/neurondevice",
            "huawei.com/Ascend910",
            "huawei.com/Ascend910B",
            "huawei.com/Ascend910B4",
            "huawei.com/Ascend910C",
            "huawei.com/Ascend310",
            "huawei.com/Ascend310P",
            "huawei.com/ascend910b3",
            "huawei.com/ascend-310",
            "huawei.com/ascend-1980",
            "cambricon.com/mlu",
            "hygon.com/dcu",
            "metax-tech.com/gpu",
            "mthreads.com/gpu",
            "kunlunxin.com/xpu",
            "iluvatar.ai/gpu",
            "iluvatar.com/gpu",
            "enflame.com/gcu",
            "birentech.com/gpu",
            "nvidia.com/mig-7g.80gb",
        ),
        1,
    ),
    "nvidia.com/mig-1g.5gb": SEVENTHS[1],
    "nvidia.com/mig-1g.10gb+me": SEVENTHS[1],
    "nvidia.com/mig-1g.5gb.shared": SEVENTHS[1],
    "nvidia.com/mig-2g.10gb": SEVENTHS[2],
    "nvidia.com/mig-3g.40gb": SEVENTHS[3],
    "nvidia.com/mig-1g.6gb": 0.25,
    "nvidia.com/mig-2g.12gb": 0.5,
    **dict.fromkeys(
        (
            "nvidia.com/A100",
            "nvidia.com/AD102GL_L40S",
            "nvidia.com/gpu-h100",
            "nvidia.com/pgpu",
            "nvidia.com/gpumem",
            "nvidia.com/gpumem-percentage",
            "nvidia.com/gpucores",
            "nvidia.com/shared-gpu",
            "alpha.kubernetes.io/nvidia-gpu",
            "amd.com/spx_nps1",
            "amd.com/cpx_nps4",
            "intel.com/gpu",
            "npu.intel.com/accel",
            "gpu.intel.com/tiles",
            "gpu.intel.com/i915_monitoring",
            "habana.ai/goya",
            "google.com/tpu-v5",
            "cloud-tpus.google.com/v2",
            "huawei.com/Ascend910-16c",
            "huawei.com/Ascend310P-4c",
            "huawei.com/Ascend910B4-memory",
            "huawei.com/ascend-310-4",
            "huawei.com/ascend-",
            "huawei.com/npu-core",
            "cambricon.com/mlu370",
            "cambricon.com/mlu.smlu.vcore",
            "cambricon.com/vmlu",
            "hygon.com/dcunum",
            "hygon.com/dcumem",
            "metax-tech.com/sgpu",
            "mthreads.com/vgpu",
            "kunlunxin.com/vxpu",
            "iluvatar.ai/vcuda-core",
            "enflame.com/vgcu",
            "vastaitech.com/va",
            "tenstorrent.com/n300",
            "furiosa.ai/rngd",
            "rebellions.ai/ATOM",
            "qualcomm.com/qaic",
            "graphcore.ai/ipu",
            "alibabacloud.com/ppu",
            "aliyun.com/gpu-mem",
            "baidu.com/xpu",
            "aws.amazon.com/neuroncore",
            "k8s.amazonaws.com/vgpu",
            "volcano.sh/vgpu-number",
            "koordinator.sh/gpu",
            "koordinator.sh/gpu-core",
            "tencent.com/vcuda-core",
            "elasticgpu.io/gpu-core",
            "nano-gpu/gpu-percent",
            "openaios.4paradigm.com/vgpu",
            "example.com/xpu",
        ),
        None,
    ),
    **dict.fromkeys(
        (
            "nvidia.com/hostdev",
            "nvidia.com/priority",
            "vpc.amazonaws.com/efa",
            "rdma/rdma_shared_device_a",
            "hugepages-2Mi",
            "devices.kubevirt.io/kvm",
            "smarter-devices/fuse",
            "openshift.io/mlxnics",
            "ephemeral-storage",
            "example.com/output",
            "example.com/input",
        ),
        0,
    ),
}


class Files(Case):
    def test_forms(self):
        a, b, c = (self.pod(name) for name in "abc")
        wrapped = [{"type": "ADDED", "object": a}, {"type": "MODIFIED", "object": b}, {"type": "DELETED", "object": c}]
        names = [("a",), ("b",), ("c",)]
        for text in (
            {"kind": "List", "items": [a, b, c]},
            {"items": [a, b, c], "kind": "List", "metadata": {"resourceVersion": "", "continue": ""}},
            [a, b, c],
            [{"kind": "List", "items": [a]}, b, {"items": [c]}],
            json.dumps(a) + json.dumps(b) + "\n\n" + json.dumps(c, indent=4),
            "\n".join(map(json.dumps, wrapped)),
            "".join(json.dumps(w, indent="\t") for w in wrapped),
            gzip.compress(json.dumps([a, b, c]).encode()),
        ):
            self.assertEqual(self.rows("SELECT name FROM kube_trace(?)", self.file(text)), names)
        # The API's own lists name the kind of their items once.
        for pod in (a, b):
            del pod["kind"]
        self.assertEqual(
            self.rows("SELECT kind, name FROM kube_trace(?)", self.file({"kind": "PodList", "items": [a, b]})),
            [("Pod", "a"), ("Pod", "b")],
        )
        # A list that some servers write of nothing.
        for empty in (
            {"kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": None},
            {"items": None, "kind": "List", "metadata": {}},
        ):
            self.assertEqual(self.rows("SELECT name FROM kube_trace(?)", self.file([empty, c])), [("c",)])
        folder = os.path.dirname(self.file({"items": [c]}, "1.json"))
        with open(os.path.join(folder, "2.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(c))
        self.assertEqual(self.one("SELECT count(*) FROM kube_trace(?)", folder), 2)

    def test_issues(self):
        path = self.file(
            json.dumps({"type": "ADDED", "object": self.pod(spec={"resourceClaims": [{"name": "gpu"}]})})
            + json.dumps(
                {
                    "type": "ERROR",
                    "object": {"kind": "Status", "code": 410, "message": "too old resource version: 1 (2)"},
                }
            )
            + '{"type": "ADDED", "obj'
        )
        self.assertEqual(self.one("SELECT count(*) FROM kube_trace(?)", path), 1)
        self.assertEqual(self.issues(path), {"resource_claims": 1, "watch_error": 1, "unfinished_record": 1})
        self.assertEqual(
            self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = 'watch_error'", path),
            "too old resource version: 1 (2)",
        )
        path = self.file(self.pod(limits={"volcano.sh/vgpu-number": 1, "nvidia.com/mig-1g.24gb": 1}))
        self.assertEqual(self.one("SELECT chips FROM kube_trace(?)", path), 0.142857)
        self.assertEqual(self.issues(path), {"uncounted_resource": 1, "guessed_share": 1})

    def test_resources_of_other_vendors(self):
        """Counted where one is a chip; else listed by name."""
        for resource, chips in RESOURCES.items():
            with self.subTest(resource):
                path = self.file(self.pod(limits={resource: 4, "cpu": 2}))
                self.assertEqual(
                    self.one("SELECT nullif(chips, 0) FROM kube_trace(?)", path), 4 * chips if chips else None
                )
                self.assertEqual(self.issues(path), {} if chips or chips == 0 else {"uncounted_resource": 1})
                path = self.file(self.node("n", {resource: "4", "cpu": "64", "rdma/hca": "63"}))
                self.assertEqual(
                    self.one("SELECT nullif(chips, 0) FROM kube_trace(?)", path), 4 * chips if chips else None
                )
                self.assertEqual(self.issues(path), {} if chips or chips == 0 else {"uncounted_resource": 1})
        path = self.file(
            self.node("n", {"nvidia.com/gpu": "8", "nvidia.com/gpumem": "640", "koordinator.sh/gpu-core": "800"})
        )
        self.assertEqual((8, {}), (self.one("SELECT chips FROM kube_trace(?)", path), self.issues(path)))


class Errors(Case):
    def test_wrong_formats(self):
        expected = "expected objects of Kubernetes as JSON (kubectl get ... -o json), found "
        for text, why in (
            ("apiVersion: v1\nitems:\n", f'1:1: {expected}"apiVersion: v1" (YAML: export with -o json)'),
            (
                "NAME   READY   STATUS\n",
                f'1:1: {expected}"NAME   READY   STATUS" (kubectl\'s table: export with -o json)',
            ),
            ("No resources found\n", f'1:1: {expected}"No resources found"'),
            (b"\0\1\2", f'1:1: {expected}"\\x00\\x01\\x02"'),
            (
                {"kind": "Status", "status": "Failure", "message": "Unauthorized", "code": 401},
                "1:1: expected objects of Kubernetes, found the API server's Status: Unauthorized",
            ),
            (
                {"status": "success", "data": {}},
                '1:1: expected an object of Kubernetes with "kind" and "metadata", found one with "status" (of Prometheus: read it with prometheus_trace)',
            ),
            (
                {"resourceSpans": []},
                '1:1: expected an object of Kubernetes with "kind" and "metadata", found one with "resourceSpans" (OTLP: read it with otlp_trace)',
            ),
            (
                {"items": [self.pod()], "metadata": {"continue": "x", "remainingItemCount": 250}},
                "1:1: expected a whole list, found one page of it (items behind it: 250): get all pages, as kubectl does, or read them with on_error = 'skip'",
            ),
            (
                {"metadata": {"continue": "x"}, "items": []},
                "1:1: expected a whole list, found one page of it (it has a continue token): get all pages, as kubectl does, or read them with on_error = 'skip'",
            ),
            ('{"items": [{"kind": "Pod"', "1:26: expected ',' or '}', found end of file"),
            ("[7]", "1:2: expected an object of Kubernetes, found another value"),
            (
                json.dumps({"items": [self.pod()]}) + "\n\n==== START logs for container c ====\nx\n",
                f'3:1: {expected}"==== START logs for container c ====" (a pod\'s log: call kubectl cluster-info dump with --output-directory)',
            ),
            (
                json.dumps({"items": [self.pod()]}) + "\nError from server (NotFound)\n",
                f'2:1: {expected}"Error from server (NotFound)" (kubectl\'s message: export its output without 2>&1)',
            ),
        ):
            path = self.file(text)
            self.assertEqual(self.error("SELECT * FROM kube_trace(?)", path), f"kube_trace: {path}:{why}")
        cut = self.file(gzip.compress(b"\x80pods" + b" " * 100000)[:-30], "cut.gz")
        self.assertRegex(
            self.error("SELECT * FROM kube_trace(?)", cut), "truncated gzip stream|expected objects of Kubernetes"
        )

    def test_skipped(self):
        good, bad = self.pod("good"), {"a": 1}
        for text, names, skipped in (
            ({"items": [bad, good, bad]}, ["good"], 2),
            ({"items": [good], "metadata": {"continue": "x"}}, ["good"], 1),
            ("\n".join([json.dumps(good), json.dumps(good)[:60], json.dumps(good)]), ["good", "good"], 1),
            (
                "\n".join([json.dumps(good, indent=2), json.dumps(good, indent=2)[:60], json.dumps(good, indent=2)]),
                ["good", "good"],
                1,
            ),
            (json.dumps(good) + "\njunk\n" + json.dumps(good), ["good", "good"], 1),
        ):
            path = self.file(text)
            self.assertEqual(
                [row[0] for row in self.rows("SELECT name FROM kube_trace(?) WHERE on_error = 'skip'", path)], names
            )
            self.assertEqual(self.issues(path), {"skipped_record": skipped})
        path = self.file("junk\n" + json.dumps(good))  # JSON after lines of text
        self.assertEqual([("good",)], self.rows("SELECT name FROM kube_trace(?)", path))
        self.assertEqual({"other_lines": 1}, self.issues(path))

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
        self.assertEqual(
            self.error("SELECT * FROM kube_trace"), "kube_trace: expected a path, as in kube_trace('cluster.json')"
        )
        self.assertEqual(self.rows("SELECT * FROM kube_trace(NULL)"), [])

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows("SELECT max(finished), name, job, resources FROM kube_trace(?)", WATCH),
            [(T0 + 7202, "job-llm-3fa1c", "ml/llm", '{"nvidia.com/gpu":16.0}')],
        )

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
            peaks.append(held())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 40 MB


if __name__ == "__main__":
    unittest.main()
