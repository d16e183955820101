"""Metrics of kube-state-metrics as objects of Kubernetes: what samples say, what they cannot, and what is listed."""

import json
import os
import re
import unittest

from cases import Case
from fleets import ROOT
from test_kube_files import RESOURCES

STATE = os.path.join(ROOT, "fixtures/kube/state.json")
BEGIN = 1772355600


class KubeState(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()
        with open(STATE, encoding="utf-8") as file:
            self.answer = json.load(file)
        self.series = self.answer["data"]["result"]

    def write(self, name="state.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.answer, file)
        return path

    def pages(self):
        """The same as a page of text for each scrape, whose time is in its name, of some in milliseconds."""
        times = sorted({at for series in self.series for at, _ in series["values"]})
        for n, time in enumerate(times):
            with open(
                os.path.join(self.folder, f"kube-{time}{'000' if n % 2 else ''}.prom"), "w", encoding="utf-8"
            ) as file:
                file.write("# HELP kube_pod_info Information about pod.\n# TYPE kube_pod_info gauge\n")
                for series in self.series:
                    labels = {
                        key: value
                        for key, value in series["metric"].items()
                        if key not in ("__name__", "instance", "job")
                    }
                    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
                    file.writelines(
                        f"{series['metric']['__name__']}{{{text}}} {value}\n"
                        for at, value in series["values"]
                        if at == time
                    )
        return self.folder

    def records(self, path, record="allocations", columns="job, task, chips, start_time, end_time, outcome"):
        return self.db.execute(
            f"SELECT {columns} FROM trace_records(?) WHERE record = ? ORDER BY start_time, task, chips", (path, record)
        ).fetchall()

    def issues(self):
        return {
            kind: (count, detail)
            for kind, count, detail in self.db.execute("SELECT kind, count, detail FROM mpg_issues")
        }

    def of(self, name, **labels):
        return [
            s
            for s in self.series
            if s["metric"]["__name__"] == name and all(s["metric"].get(key) == value for key, value in labels.items())
        ]

    def test_pods(self):
        at = lambda seconds: BEGIN + seconds
        self.assertEqual(
            self.records(STATE),
            [
                ("ml/llm", "llm-0", 8, at(520), at(5340), "completed"),
                ("ml/llm", "llm-1", 8, at(1010), at(3900), "node_fail"),
                ("ml/llm", "llm-1b", 8, at(4750), at(5340), "completed"),
                ("ml/chat", "chat-7d9c5b6f4d-x2k9p", 2, at(5900), None, None),
            ],
        )
        self.assertEqual(
            self.records(STATE, "jobs", "job, chips, phase, submit_time"),
            [("ml/llm", 16, None, at(520)), ("ml/chat", None, "serving", at(5900))][::-1],
        )

    def test_nodes(self):
        self.assertEqual(
            self.records(STATE, "capacity", "pool, chip, chips, start_time, end_time"),
            [("a100-pool", "NVIDIA-A100-SXM4-80GB", 16, BEGIN, None)],
        )
        self.assertEqual(
            self.records(STATE, "outages", "chips, kind, start_time, end_time"),
            [
                (8, "hw_down", BEGIN + 3900, BEGIN + 4750),
                (1, "hw_down", BEGIN + 5400, BEGIN + 6000),
                (8, "maintenance", BEGIN + 6000, BEGIN + 6600),
            ],
        )

    def test_ends_at_the_last_sample(self):
        (held,) = self.db.execute(
            "SELECT sum(chip_us) FROM trace_rollup(?) WHERE category <> 'queued'", (STATE,)
        ).fetchone()
        self.assertEqual(held, 16 * 24 * 300 * 10**6)

    def test_pages_say_the_same(self):
        ledger = "SELECT pool, job, category, cause, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        self.assertEqual(
            self.db.execute(ledger, (STATE,)).fetchall(), self.db.execute(ledger, (self.pages(),)).fetchall()
        )

    def test_what_sampling_cannot_know_is_said(self):
        (told,) = self.db.execute(
            "SELECT json_extract(inferred, '$.interval') FROM trace_sources(?)", (STATE,)
        ).fetchone()
        self.assertIn("300 s apart", told)

    def test_without_times_of_pods(self):
        self.series[:] = [s for s in self.series if "time" not in s["metric"]["__name__"]]
        self.assertEqual(
            [row[3:5] for row in self.records(self.write())],
            [
                (BEGIN + 600, BEGIN + 5400),
                (BEGIN + 1200, BEGIN + 3900),
                (BEGIN + 4800, BEGIN + 5400),
                (BEGIN + 6000, None),
            ],
        )

    def test_a_node_that_goes_to_another_pool(self):
        """Its labels are those of the moment: from the first sample that shows others on."""
        (series,) = self.of("kube_node_labels", node="gpu-a")
        (key,) = (key for key, value in series["metric"].items() if value == "a100-pool")
        later = dict(
            series,
            metric=dict(series["metric"], **{key: "b"}),
            values=[v for v in series["values"] if v[0] >= BEGIN + 3600],
        )
        series["values"] = [v for v in series["values"] if v[0] < BEGIN + 3600]
        self.series.append(later)
        path = self.write()
        self.assertEqual(
            [("a100-pool", 8, BEGIN, BEGIN + 3600), ("a100-pool", 8, BEGIN, None), ("b", 8, BEGIN + 3600, None)],
            sorted(self.records(path, "capacity", "pool, chips, start_time, end_time"), key=str),
        )
        self.assertEqual(
            [("a100-pool", BEGIN + 520, BEGIN + 3600), ("b", BEGIN + 3600, BEGIN + 5340)],
            [
                row[2:]
                for row in self.records(path, columns="chips, task, pool, start_time, end_time")
                if row[1] == "llm-0"
            ],
        )

    def test_jobs_that_need_fewer_pods_than_run_at_once(self):
        """One pod gets on alone in a Job that has more to complete than runs at once, or that was made smaller: then what it asks for is listed."""
        partial = lambda path: self.db.execute(
            "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'partial' AND job = 'ml/llm'", (path,)
        ).fetchone()[0]
        self.assertEqual(8 * (1010 - 520) + 8 * (4750 - 3900), partial(STATE))
        label = {"job_name": "llm", "namespace": "ml", "instance": self.series[0]["metric"].get("instance")}
        times = sorted({at for s in self.series for at, _ in s["values"]})

        def told(name, *values):
            return {
                "metric": {"__name__": "kube_job_spec_" + name, **label},
                "values": [[at, str(values[0] if at < BEGIN + 3900 else values[-1])] for at in times],
            }

        plain = [s for s in self.series if not s["metric"]["__name__"].startswith("kube_job_spec_")]
        for more, expected, said in (
            ([told("parallelism", 2), told("completions", 5)], None, None),
            ([told("parallelism", 2, 1)], None, 1),
            ([told("parallelism", 2)], 8 * 490 + 8 * 850, None),
        ):
            self.series[:] = plain + more
            self.assertEqual(expected, partial(self.write()))
            self.assertEqual(said, self.issues().get("conflicting_job", (None,))[0])

    def test_the_last_shards_of_a_job(self):
        """Of 3 shards, 2 at once, the last asks for its own chip alone."""

        def told(metric, since, until, value=1, **labels):
            return {
                "metric": {"__name__": metric, "namespace": "ml", **labels},
                "values": [[BEGIN + at, str(value)] for at in range(since, until, 10)],
            }

        series = [
            told("kube_node_status_allocatable", 0, 410, 8, node="n", resource="nvidia_com_gpu", unit="integer"),
            told("kube_job_spec_parallelism", 0, 410, 2, job_name="shards"),
            told("kube_job_spec_completions", 0, 410, 3, job_name="shards"),
        ]
        for i, (since, until) in enumerate(((0, 100), (0, 200), (100, 400))):
            pod = {"pod": f"shards-{i}", "uid": f"u{i}"}
            series += [
                told(
                    "kube_pod_owner",
                    since,
                    410,
                    owner_kind="Job",
                    owner_name="shards",
                    owner_is_controller="true",
                    **pod,
                ),
                told("kube_pod_status_phase", since, until, phase="Running", **pod),
                told("kube_pod_status_phase", until, 410, phase="Succeeded", **pod),
                told(
                    "kube_pod_container_resource_requests",
                    since,
                    410,
                    node="n",
                    container="c",
                    resource="nvidia_com_gpu",
                    unit="integer",
                    **pod,
                ),
                told("kube_pod_start_time", since, 410, BEGIN + since, **pod),
                told("kube_pod_completion_time", until, 410, BEGIN + until, **pod),
            ]
        self.series[:] = series
        self.assertEqual(
            [("untraced", 600.0)],
            self.db.execute(
                "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE job = 'ml/shards' GROUP BY 1",
                (self.write(),),
            ).fetchall(),
        )

    def test_one_scrape_is_listed(self):
        """An instant query says what is there, and not for how long."""
        first = min(series["values"][0][0] for series in self.series)
        for values, said in (
            (lambda all_of: all_of, None),
            (lambda all_of: [value for value in all_of if value[0] == first], 1),
        ):
            self.series[:] = [
                {"metric": series["metric"], "values": values(series["values"])}
                for series in self.series
                if values(series["values"])
            ]
            self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.write(),)).fetchall()
            self.assertEqual(said, self.issues().get("missing_samples", (None,))[0])

    def test_a_gap_is_listed(self):
        for series in self.series:
            series["values"] = [v for v in series["values"] if not BEGIN + 1800 <= v[0] < BEGIN + 3600]
        self.assertEqual([row[3:5] for row in self.records(self.write())][1], (BEGIN + 1010, BEGIN + 3900))
        self.assertEqual(self.issues()["missing_samples"][0], 1)
        for series in (
            self.of("kube_pod_status_phase", pod="llm-1")
            + self.of("kube_pod_container_resource_requests", pod="llm-1")
            + self.of("kube_pod_owner", pod="llm-1")
        ):
            series["values"] = [v for v in series["values"] if v[0] < BEGIN + 3600]
        self.assertEqual(
            [row[3:5] for row in self.records(self.write())][1], (BEGIN + 1010, BEGIN + 1800)
        )  # one interval, not to the end of the gap

    def test_queries_that_begin_at_other_seconds(self):
        """A query for each metric begins at its second, and may have another step: each counts at the times of the finest."""
        named = lambda series: series["metric"]["__name__"]
        names = sorted({named(series) for series in self.series})
        relations = ("capacity", "outages", "allocations")
        columns = "job, pool, chips, start_time, end_time, coalesce(kind, outcome)"
        wanted = {record: self.records(self.write(), record, columns) for record in relations}
        for shift, step in ((lambda i: i % 7, 1), (lambda i: -i, 1), (lambda i: 200 * (i % 2), 1), (lambda i: 0, 2)):
            folder = self.new_folder()
            for i, name in enumerate(names):
                every = step if name.startswith("kube_node_") else 1
                found = [
                    dict(
                        one,
                        values=[
                            [at + shift(i), value] for at, value in one["values"] if (at - BEGIN) % (300 * every) == 0
                        ],
                    )
                    for one in self.series
                    if named(one) == name
                ]
                with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
                    json.dump({"status": "success", "data": {"resultType": "matrix", "result": found}}, file)
            for record in relations:
                rows = self.records(folder, record, columns)
                self.assertEqual(
                    [row[:3] + row[5:] for row in wanted[record]], [row[:3] + row[5:] for row in rows], (record, step)
                )
                for row, told in zip(rows, wanted[record]):
                    for at, right in zip(row[3:5], told[3:5]):
                        self.assertLessEqual(abs((at or 0) - (right or 0)), 300 * step)
            said = self.rows(
                "SELECT detail FROM mpg_issues WHERE kind = 'missing_samples' AND source GLOB ? || '*'", folder
            )
            self.assertIn("times of their own", said[0][0])

    def test_between_two_samples(self):
        for series in self.series:
            if series["metric"].get("pod") == "llm-1b":
                series["values"] = [v for v in series["values"] if v[0] >= BEGIN + 5400]
        self.series[:] = [
            s
            for s in self.series
            if not (
                s["metric"].get("pod") == "llm-1b"
                and (s["metric"].get("phase") == "Running" or "scheduled" in s["metric"]["__name__"])
            )
        ]
        self.assertNotIn("llm-1b", [row[1] for row in self.records(self.write())])
        self.assertEqual(self.issues()["between_samples"][0], 1)

    def test_the_same_name_again(self):
        for series in self.series:
            if series["metric"].get("pod") == "llm-1b":
                series["metric"]["pod"] = "llm-1"
        self.assertEqual(
            [row[1:5] for row in self.records(self.write())][1:3],
            [("llm-1", 8, BEGIN + 1010, BEGIN + 3900), ("llm-1", 8, BEGIN + 4750, BEGIN + 5340)],
        )
        for series in self.series:
            series["metric"].pop("uid", None)
        self.series[:] = [s for s in self.series if "time" not in s["metric"]["__name__"]]
        self.assertEqual(
            [row[3:5] for row in self.records(self.write())][1:3],
            [(BEGIN + 1200, BEGIN + 3900), (BEGIN + 4800, BEGIN + 5400)],
        )

    def test_the_same_name_again_without_a_gap(self):
        """Made anew between two samples: a later creation tells, where no uid does. Other chips than before are listed: the most counts."""

        def series(name, *values, **labels):
            return {
                "metric": {"__name__": name, "namespace": "ml", "pod": "web-0", "instance": "k", "job": "k", **labels},
                "values": [[BEGIN + 600 + 60 * i, str(value)] for i, value in enumerate(values)],
            }

        chips = lambda *values: series(
            "kube_pod_container_resource_requests", *values, resource="nvidia_com_gpu", node="n1", container="c"
        )
        for values, said in (((2,) * 6, 0), ((2, 2, 2, 1, 1, 1), 1)):
            self.series[:] = [
                chips(*values),
                series("kube_pod_status_phase", *(1,) * 6, phase="Running"),
                series("kube_pod_created", *(BEGIN + 590,) * 3, *(BEGIN + 770,) * 3),
            ]
            self.assertEqual(
                [("web-0", 2, 600, 780), ("web-0", 2, 780, None)],
                [
                    (task, chips, start - BEGIN, end and end - BEGIN)
                    for _, task, chips, start, end, _ in self.records(self.write(f"{said}.json"))
                ],
            )
            self.assertEqual(said, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'conflict'"))
            os.remove(os.path.join(self.folder, f"{said}.json"))

    def test_two_exporters_tell_it_once(self):
        before = self.records(STATE), self.records(STATE, "outages"), self.records(STATE, "capacity", "chips")
        self.series += [dict(s, metric=dict(s["metric"], instance="10.8.0.9:8080")) for s in self.series]
        path = self.write()
        self.assertEqual(
            before, (self.records(path), self.records(path, "outages"), self.records(path, "capacity", "chips"))
        )

    def test_two_servers_tell_it_once(self):
        """A pair of Prometheus that scrape one exporter by turns, as Thanos or Mimir gives them without deduplication."""
        before = self.records(STATE), self.records(STATE, "outages"), self.records(STATE, "capacity", "chips")
        for label in ("prometheus_replica", "__replica__", "replica"):
            for late in (0, 7, 150):
                with open(STATE, encoding="utf-8") as file:
                    once = json.load(file)["data"]["result"]
                self.series[:] = [dict(s, metric=dict(s["metric"], **{label: "b"})) for s in once]
                self.series += [
                    dict(
                        s,
                        metric=dict(s["metric"], **{label: "a"}),
                        values=[[at + late, value] for at, value in s["values"]],
                    )
                    for s in once
                ]
                path = self.write()
                self.assertEqual(
                    before,
                    (self.records(path), self.records(path, "outages"), self.records(path, "capacity", "chips")),
                    (label, late),
                )

    def test_shares_whose_number_nothing_tells(self):
        """Of a GPU that is shared in time a label of the node says how many shares it has."""
        for labels, expected in (("4", 0), (None, 1)):
            for series in self.series:
                if (
                    series["metric"].get("resource") == "nvidia_com_gpu"
                    and series["metric"].get("pod", "llm-1b") == "llm-1b"
                ):
                    series["metric"]["resource"] = "nvidia_com_gpu_shared"
                if series["metric"]["__name__"] == "kube_node_labels":
                    series["metric"].pop("label_nvidia_com_gpu_replicas", None)
                    series["metric"].update({"label_nvidia_com_gpu_replicas": labels} if labels else {})
            self.records(self.write())
            self.assertEqual(expected, self.issues().get("guessed_share", (0, ""))[0])

    def sampled(self, *nodes):
        """Nodes of these resources and labels, each with a pod that asks for one of a resource: chips installed and held, by node, and what is listed."""
        names = lambda text: re.sub("[^a-zA-Z0-9]", "_", text)
        told = []
        for n, (resources, labels, asked) in enumerate(nodes):
            node, pod = {"node": str(n)}, {"namespace": "ml", "pod": str(n), "uid": str(n)}
            labelled = {"label_" + names(key): value for key, value in labels.items()}
            request = {"resource": names(asked), "container": "c"}
            told += [
                ("kube_node_labels", 1, {**node, "label_agentpool": str(n), **labelled}),
                *(
                    (f"kube_node_status_{kind}", number, {**node, "resource": names(resource)})
                    for kind in ("capacity", "allocatable")
                    for resource, number in resources.items()
                ),
                ("kube_pod_container_resource_requests", 1, {**pod, **node, **request}),
                ("kube_pod_status_phase", 1, {**pod, "phase": "Running"}),
            ]
        self.answer["data"]["result"] = [
            {"metric": {"__name__": name, **metric}, "values": [[BEGIN + 60 * i, str(value)] for i in range(3)]}
            for name, value, metric in told
        ]
        path = self.write()
        query = "SELECT {}, chips FROM trace_records(?) WHERE record = ?"
        held = dict(self.db.execute(query.format("task"), (path, "allocations")))
        issues = self.issues()
        return dict(self.db.execute(query.format("pool"), (path, "capacity"))), held, issues

    def test_resources_are_those_of_objects(self):
        nodes = [({resource: 2}, {}, resource) for resource in RESOURCES]
        installed, held, issues = self.sampled(*nodes)
        self.assertEqual(installed, {str(n): round(2 * c, 5) for n, c in enumerate(RESOURCES.values()) if c})
        self.assertEqual(held, {str(n): round(c, 6) for n, c in enumerate(RESOURCES.values()) if c})
        unknown = [resource for resource, chips in RESOURCES.items() if chips is None]
        self.assertEqual(issues["uncounted_resource"][0], len(unknown), issues)
        for resource, chips in RESOURCES.items():
            if chips == 0:
                self.assertNotIn("uncounted_resource", self.sampled(({resource: 2}, {}, resource))[2], resource)

    def test_parts_of_chips_are_those_of_objects(self):
        """What labels and names of resources say of a node's devices, they say in objects and in metrics."""
        gpu, mi300x = "nvidia.com/gpu", "AMD_Instinct_MI300X_OAM"
        gke = {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}
        cases = (
            (
                {"aws.amazon.com/neuron": 16, "aws.amazon.com/neurondevice": 16},
                {},
                "aws.amazon.com/neurondevice",
                16,
                1,
            ),
            ({"aws.amazon.com/neuron": 16, "aws.amazon.com/neurondevice": 16}, {}, "aws.amazon.com/neuron", 16, 1),
            ({gpu: 4}, {"nvidia.com/gpu.product": "NVIDIA-A30-MIG-1g.6gb"}, gpu, 1, 0.25),
            ({gpu: 2}, {"nvidia.com/gpu.product": "NVIDIA-A30-MIG-2g.12gb"}, gpu, 1, 0.5),
            ({gpu: 7}, {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"}, gpu, 1, 0.142857),
            ({gpu: 4}, {"nvidia.com/gpu.product": "NVIDIA-RTX-PRO-6000-MIG-1g.24gb"}, gpu, 1, 0.25),
            ({gpu: 7}, {"nvidia.com/gpu.product": "NVIDIA-GH200-480GB-MIG-1g.24gb"}, gpu, 1, 0.142857),
            ({gpu: 7}, {**gke, "cloud.google.com/gke-gpu-partition-size": "1g.10gb"}, gpu, 1, 0.142857),
            (
                {gpu: 14},
                {
                    **gke,
                    "cloud.google.com/gke-gpu-partition-size": "1g.10gb",
                    "cloud.google.com/gke-max-shared-clients-per-gpu": "2",
                },
                gpu,
                1,
                0.071429,
            ),
            *(
                (
                    {"amd.com/gpu": 8 * parts},
                    {"amd.com/compute-memory-partition": mode, "amd.com/gpu.product-name": product},
                    "amd.com/gpu",
                    8,
                    round(1 / parts, 6),
                )
                for mode, parts, product in (
                    ("spx_nps1", 1, mi300x),
                    ("dpx_nps2", 2, mi300x),
                    ("cpx_nps4", 8, mi300x),
                    ("cpx_nps1", 6, "AMD_Instinct_MI300A"),
                    ("tpx_nps1", 3, "AMD_Instinct_MI300A"),
                )
            ),
            (
                {"gpu.intel.com/i915": 20},
                {"gpu.intel.com/device-id.0380-0bda.count": "2"},
                "gpu.intel.com/i915",
                2,
                0.1,
            ),
            ({gpu: 30}, {"karpenter.k8s.aws/instance-gpu-count": "8"}, gpu, 7.5, 0.25),
            ({gpu: 6}, {"karpenter.k8s.aws/instance-gpu-count": "8"}, gpu, 6, 1),
            ({gpu: 8}, {"karpenter.k8s.aws/instance-gpu-count": "7"}, gpu, 8, 1),
            ({gpu + ".shared": 10}, {"eks.amazonaws.com/instance-gpu-count": "1"}, gpu + ".shared", 1, 0.1),
            ({gpu: 16}, {"gpu.nvidia.com/count": "8", "nvidia.com/gpu.replicas": "2"}, gpu, 8, 0.5),
            ({gpu: 2, "nvidia.com/mig-1g.10gb": 14}, {"gpu.nvidia.com/count": "2"}, gpu, 4, 1),
        )
        installed, held, issues = self.sampled(*(case[:3] for case in cases))
        self.assertEqual(
            [(installed[str(n)], held[str(n)]) for n in range(len(cases))], [case[3:] for case in cases], cases
        )
        self.assertNotIn("guessed_share", issues)
        slices = "nvidia.com/mig-1g.24gb"
        self.assertIn("guessed_share", self.sampled(({slices: 4}, {}, slices))[2])

    def test_names_of_chips_are_those_of_objects(self):
        """By the labels of clouds that GPU feature discovery's are not on, too."""
        gpu, kind = "nvidia.com/gpu", "node.kubernetes.io/instance-type"
        cases = (
            ({"gpu.nvidia.com/model": "H100_NVLINK_80GB"}, "H100_NVLINK_80GB"),
            ({"gpu.nvidia.com/model": "H200", kind: "gd-8xh200ib-i128"}, "nvidia-h200-sxm"),
            ({"aliyun.accelerator/nvidia_name": "NVIDIA-A10", kind: "ecs.gn7i-c8g1.2xlarge"}, "NVIDIA-A10"),
            ({"beta.amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}, "AMD_Instinct_MI300X_OAM"),
            ({"machine.cluster.vke.volcengine.com/gpu-name": "NVIDIA-L20", kind: "ecs.gni3cl.11xlarge"}, "NVIDIA-L20"),
            ({"node.kubernetes.io/npu.chip.name": "910B3", kind: "physical.kat2ne.48xlarge.8"}, "910B3"),
            ({"hygon.com/dcu.name": "K100_AI", kind: "bare"}, "K100_AI"),
            ({"nebius.com/gpu-name": "H100", kind: "gpu-h100-sxm"}, "nvidia-h100-sxm"),
            ({kind: "ecs.gn7i-c8g1.2xlarge"}, "ecs.gn7i-c8g1.2xlarge"),
            ({kind: "p5.48xlarge"}, "nvidia-h100-sxm"),
        )
        self.sampled(*(({gpu: 8}, labels, gpu) for labels, _ in cases))
        chips = self.rows("SELECT chip FROM trace_records(?) WHERE record = 'capacity' ORDER BY pool", self.write())
        self.assertEqual([(chip,) for _, chip in cases], chips)

    def test_a_pod_in_two_phases_at_once(self):
        """An exporter that keeps what is gone tells two phases of one moment: listed."""
        self.records(self.write())
        self.assertNotIn("conflict", self.issues())
        running = next(s for s in self.of("kube_pod_status_phase", pod="llm-1b", phase="Running"))
        self.series.append(dict(running, metric=dict(running["metric"], phase="Failed")))
        self.records(self.write())
        self.assertIn("llm-1b in several phases at once", self.issues()["conflict"][1])

    def test_several_clusters(self):
        """Their nodes and pods may have the same names: listed."""
        for clusters, expected in (("e", 0), ("ew", 2)):
            self.series[:] = [
                dict(s, metric=dict(s["metric"], cluster=cluster))
                for cluster in clusters
                for s in self.series
                if s["metric"].get("cluster", "e") == "e"
            ]
            self.records(self.write())
            self.assertEqual(expected, self.issues().get("conflict", (0,))[0])

    def test_pods_that_reserve_gpus_for_others(self):
        """Those whose GPU they hold name no resource, so that no metric tells of them: listed."""
        for series in self.series:
            if series["metric"].get("pod") == "llm-0":
                series["metric"]["namespace"] = "kai-resource-reservation"
        self.assertNotIn("llm-0", [row[1] for row in self.records(self.write())])
        self.assertEqual(1, self.issues()["uncounted_resource"][0])

    def test_exported_labels(self):
        """What Prometheus renames where a scrape adds labels of the exporter's own pod."""
        before = self.records(STATE)
        for series in self.series:
            for label, own in (("namespace", "monitoring"), ("pod", "ksm-0"), ("node", "gpu-x"), ("container", "ksm")):
                if label in series["metric"]:
                    series["metric"]["exported_" + label] = series["metric"][label]
                    series["metric"][label] = own
        self.assertEqual(before, self.records(self.write()))

    def test_parts_and_other_chips(self):
        for series in self.of("kube_pod_container_resource_requests", pod="llm-0"):
            series["metric"]["resource"] = "nvidia_com_mig_3g_40gb"
        for series in self.of("kube_pod_container_resource_requests", pod="llm-1"):
            series["metric"]["resource"] = "huawei_com_Ascend910B4"
        for series in self.of("kube_pod_container_resource_requests", pod="llm-1b"):
            series["metric"]["resource"] = "example_com_xpu"
        rows = self.records(self.write())
        self.assertEqual([(row[1], row[2]) for row in rows][:2], [("llm-0", round(24 / 7, 6)), ("llm-1", 8)])
        self.assertEqual(len(rows), 3)
        self.assertIn("example_com_xpu", self.issues()["uncounted_resource"][1])

    def test_listed(self):
        self.of("kube_pod_owner")[0]["metric"]["__name__"] = "kube_pod_frob"
        self.of("kube_node_status_allocatable")[0]["values"][3][1] = "-1"
        self.of("kube_node_status_allocatable")[0]["values"][4][0] = 1
        self.of("kube_pod_status_phase", pod="llm-0", phase="Running")[0]["metric"]["phase"] = "Frobnicated"
        self.records(self.write())
        issues = self.issues()
        for kind in ("unknown_metric", "impossible_value", "impossible_time", "unknown_state"):
            self.assertIn(kind, issues)

    def test_objects_win(self):
        """A watch of the same cluster says when: its objects count, and metrics of others."""
        watch = {
            "type": "ADDED",
            "object": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": "llm-0",
                    "namespace": "ml",
                    "uid": "u1",
                    "resourceVersion": "9",
                    "creationTimestamp": "2026-03-01T09:08:00Z",
                    "ownerReferences": [{"kind": "Job", "name": "llm", "controller": True}],
                },
                "spec": {
                    "nodeName": "gpu-a",
                    "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}],
                },
                "status": {
                    "phase": "Running",
                    "conditions": [
                        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-01T09:08:30Z"}
                    ],
                },
            },
        }
        with open(os.path.join(self.folder, "pods.json"), "w", encoding="utf-8") as file:
            json.dump(watch, file)
        self.write()
        rows = self.records(self.folder)
        self.assertEqual([row[1] for row in rows].count("llm-0"), 1)
        self.assertEqual(rows[0][1:4], ("llm-0", 8, BEGIN + 510))
        self.assertEqual(self.issues()["told_twice"][0], 1)

    def test_what_waits_and_is_gone_asks_no_more(self):
        """A pod that never had a node, and its Job, ask until the sample that lacks them; one that waits after another failed asks since then."""

        def sampled(metric, first, last, value=1, **labels):
            values = [[BEGIN + 300 * n, str(value)] for n in range(first, last + 1)]
            return {"metric": {"__name__": metric, "namespace": "ml", **labels}, "values": values}

        def pod(name, *phases):
            last = phases[-1][2]
            which = {"pod": name, "uid": name}
            node = {"node": "n"} if phases[0][0] != "Pending" else {"node": ""}
            request = {"container": "c", "resource": "nvidia_com_gpu", "unit": "integer", **node}
            yield sampled("kube_pod_container_resource_requests", phases[0][1], last, 8, **which, **request)
            yield sampled("kube_pod_owner", phases[0][1], last, **which, owner_kind="Job", owner_name="j")
            for phase, since, until in phases:
                yield sampled("kube_pod_status_phase", since, until, **which, phase=phase)

        node = [
            sampled("kube_node_status_capacity", 0, 20, 8, node="n", resource="nvidia_com_gpu", unit="integer"),
            sampled("kube_node_status_condition", 0, 20, node="n", condition="Ready", status="true"),
        ]
        job = lambda last: [sampled("kube_job_spec_parallelism", 2, last, job_name="j")]
        for series, queued in (
            ([*pod("p", ("Pending", 2, 8))], 7 * 300),
            ([*pod("p", ("Pending", 2, 8)), *job(8)], 7 * 300),
            ([*pod("p", ("Pending", 2, 8)), *job(11)], 10 * 300),  # it made no other
            ([*pod("p", ("Pending", 2, 20)), *job(20)], 18 * 300),
            ([*pod("p", ("Running", 2, 5), ("Failed", 6, 20)), *pod("q", ("Pending", 7, 20)), *job(20)], 14 * 300),
            ([*pod("p", ("Running", 2, 5), ("Failed", 6, 20)), *pod("q", ("Pending", 7, 10)), *job(20)], 5 * 300),
        ):
            self.answer["data"]["result"] = node + series
            self.assertEqual(
                [(8 * queued,)],
                self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", self.write()),
                series,
            )
        # A shard of the exporter that is scraped every ten minutes beside one of five: what the one tells is there until its own next.
        slow = {BEGIN + 300 * n for n in range(0, 21, 2)}
        for series, queued in (
            ([*pod("p", ("Pending", 2, 8))], 8 * 300),
            ([*pod("p", ("Pending", 2, 8)), *job(8)], 8 * 300),
            ([*pod("p", ("Pending", 2, 8)), *job(12)], 12 * 300),
        ):
            of_slow = [*series, sampled("kube_pod_owner", 0, 20, pod="x", uid="x", owner_kind="Job", owner_name="x")]
            for one in of_slow:
                one["metric"]["instance"] = "slow"
                one["values"] = [(at, value) for at, value in one["values"] if at in slow]
            self.answer["data"]["result"] = node + of_slow
            self.assertEqual(
                [(8 * queued,)],
                self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", self.write()),
                series,
            )


if __name__ == "__main__":
    unittest.main()
