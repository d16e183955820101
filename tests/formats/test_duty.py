"""trace_duty: whoever has a chip, and however often that changes, each of its seconds is of one of them."""

import os
import random
import unittest

import cases

T0 = 1772355600


class Owners(cases.Case):
    def answer(self, *series):
        result = [
            {"metric": labels, "values": [[T0 + at, str(value)] for at, value in values]}
            for labels, values in series
            if values
        ]
        return self.file({"status": "success", "data": {"resultType": "matrix", "result": result}})

    def duty(self, *series):
        """Seconds by pod, of the first GPU; and what is listed of the file."""
        path = self.answer(*series)
        rows = self.rows(
            "SELECT pod, covered_s, busy_s, missing_s FROM trace_duty(?) WHERE gpu = '0' OR gpu IS NULL ORDER BY 1",
            path,
        )
        return {pod: tuple(of) for pod, *of in rows}, self.issues(path)

    @staticmethod
    def labels(pod=None, **more):
        gpu = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-0", "Hostname": "h"}
        return gpu | ({"pod": pod, "namespace": "ml"} if pod else {}) | more

    def test_by_turns(self):
        """Two pods, or one and none, of which each sample names one: all of them make up the time, and that they share it is listed."""
        for other in ("b", None):
            turns = [[(30 * i + at, 80) for i in range(20)] for at in (0, 15)]
            seconds, issues = self.duty((self.labels("a"), turns[0]), (self.labels(other), turns[1]))
            self.assertEqual({"a": (300, 240, 0), other: (300, 240, 0)}, seconds)
            self.assertEqual({"conflict": 1}, issues)

    def test_owners_at_random(self):
        rng = random.Random(7)
        for _ in range(40):
            owners, at = {}, 0
            times = []
            while at < 3000:
                stay = rng.choice((1, 1, 2, 5, 20))
                pod = rng.choice(("a", "b", "c", None))
                for _ in range(stay):
                    times.append(at)
                    owners.setdefault(pod, []).append((at, rng.choice((0, 50, 100))))
                    at += 30 if rng.random() < 0.95 else 150
            seconds, _ = self.duty(
                *((self.labels(pod), values) for pod, values in owners.items()),
                (self.labels(gpu="1", UUID="GPU-1"), [(at, 10) for at in range(0, 3000, 30)]),
            )
            wanted = sum(b - a if b - a <= 60 else 30 for a, b in zip(times, times[1:])) + 30
            self.assertEqual(wanted, sum(covered for covered, _, _ in seconds.values()))

    def test_an_interval_that_was_changed(self):
        """In one file, as of a server's own: samples a minute apart lack none after an hour of four a minute; three long steps do."""
        fine = [(15 * i, 100) for i in range(240)]
        seconds, issues = self.duty((self.labels("a"), fine + [(3600 + 60 * i, 0) for i in range(60)]))
        self.assertEqual(({"a": (7200 - 45, 3600, 0)}, {}), (seconds, issues))
        for long in (1, 2, 3):
            end = 3600 + 300 * long
            steps = fine + [(3600 + 300 * i, 0) for i in range(long)] + [(end + 15 * i, 0) for i in range(100)]
            seconds, issues = self.duty((self.labels("a"), steps))
            self.assertEqual(({"a": (3600 + 15 * long + 1500, 3600, 285 * long)}, {}), (seconds, issues))
        # Pods that share a chip at once are no row of steps.
        gap = [(15 * i, 50) for i in range(50)] + [(1500 + 15 * i, 50) for i in range(50)]
        seconds, _ = self.duty(*((self.labels(pod), gap) for pod in "abcde"))
        self.assertEqual({pod: (1500, 750, 750) for pod in "abcde"}, seconds)

    def test_an_owner_after_another(self):
        """A pod's time ends where that of the next begins; what lies between, if that is long, is nobody's."""
        first, second = [(30 * i, 50) for i in range(10)], [(300 + 30 * i, 50) for i in range(10)]
        seconds, issues = self.duty((self.labels("a"), first), (self.labels("b"), second))
        self.assertEqual(({"a": (300, 150, 0), "b": (300, 150, 0)}, {}), (seconds, issues))
        seconds, issues = self.duty((self.labels("a"), first), (self.labels("b"), [(at + 3600, v) for at, v in second]))
        self.assertEqual(({"a": (300, 150, 0), "b": (300, 150, 0)}, {}), (seconds, issues))

    def test_chips_that_nothing_tells_apart(self):
        """Series of pods alone, or of a number without its host, are of as many chips: none ends the time of another."""
        for more in ({"gpu": None, "UUID": None, "Hostname": None}, {"UUID": None, "Hostname": None}):
            some = [
                (
                    {k: v for k, v in self.labels(pod, **more).items() if v is not None},
                    [(30 * i + at, 50) for i in range(10)],
                )
                for pod, at in (("a", 0), ("b", 10))
            ]
            seconds, issues = self.duty(*some)
            self.assertEqual(({"a": (300, 150, 0), "b": (300, 150, 0)}, {}), (seconds, issues))

    def test_gpus_of_localhost(self):
        """Without UUID and Hostname: of hosts that another label of the target names, or listed if none does."""
        local = {"gpu": "0", "instance": "localhost:9400"}

        def told(first, second, **more):
            base = {"__name__": "DCGM_FI_DEV_GPU_UTIL", **local, **more}
            path = self.answer(
                *(
                    ({**base, **labels}, [(30 * i, use) for i in range(10)])
                    for labels, use in ((first, 100), (second, 20))
                )
            )
            return self.rows("SELECT sum(busy_s), sum(covered_s) FROM trace_duty(?)", path), self.issues(path)

        for label in ("node", "nodename", "node_name", "kubernetes_node", "host"):
            self.assertEqual(told({label: "a"}, {label: "b"}), ([(360, 600)], {}), label)
            path = self.answer(
                *(
                    ({"__name__": "DCGM_FI_DEV_XID_ERRORS", **local, label: at}, [(0, 0), (30, code)])
                    for at, code in (("a", 79), ("b", 0))
                )
            )
            self.assertEqual(self.rows("SELECT host, code FROM trace_xid(?)", path), [("a", 79)])
        for label in ("job", "of_the_site"):
            self.assertEqual(told({label: "a"}, {label: "b"}), ([(60, 300)], {"conflict": 1}), label)
        self.assertEqual(told({"replica": "a"}, {"replica": "b"})[1], {})
        self.assertEqual(told({"job": "a"}, {"job": "b"}, UUID="GPU-1")[1], {})

    def test_a_chip_that_amd_names(self):
        """Its exporter tells the series of the card, and as its model the number of a part, which no catalogue has."""
        series, part = "AMD Instinct MI300X OAM", "102-G30211-0C"
        card = {"__name__": "gpu_gfx_activity", "hostname": "mi-1", "gpu_id": "0", "card_model": part}
        for of, chip in ((series, series), ("", part)):
            path = self.answer(({**card, "card_series": of}, [(0, 50), (10, 100)]))
            self.assertEqual(self.rows("SELECT chip FROM trace_duty(?)", path), [(chip,)])
        self.assertEqual(self.one("SELECT chip_peak_flops(?) = chip_peak_flops('amd-mi300x')", series), 1)

    def test_exporters_of_clusters(self):
        """What they write of one chip, and what each calls who has it."""
        pod = {"namespace_name": "ml", "pod_name": "p", "container_name": "c"}
        nvidia = {"minor_number": "3", "name": "NVIDIA A100-SXM4-80GB", "uuid": "GPU-3"}
        telegraf = {"host": "h", "index": "3", "name": "NVIDIA A100-SXM4-80GB", "uuid": "GPU-3", "pstate": "P0"}
        slurm = {"gpu": "3", "gpu_type": "NVIDIA A100-SXM4-80GB", "slurmjobid": "41", "user": "u", "account": "a"}
        ascend = {"id": "3", "model_name": "910B3-Ascend-V1", "vdie_id": "64-00", "pcie_bus_info": "0000:C1:00.0"}
        older = {"npuID": "3", "modelName": "Ascend910B", "uuid": "64-00", "namespace": "ml", "podName": "p"}
        mlu = {"mlu": "3", "model": "MLU370-X8", "node": "n", "uuid": "m-3", "type": "mlu370", "sn": "5"}
        dcu = {
            "device_id": "T6W3",
            "minor_number": "3",
            "name": "K100_AI",
            "node": "n",
            "pcieBus_number": "0000:C1:00.0",
        }
        dcu_pod = {"dcu_pod_namespace": "ml", "dcu_pod_name": "p", "container": "c"}
        a100, at = "NVIDIA A100-SXM4-80GB", {"instance": "h:1"}
        for name, labels, expected in (
            ("nvidia_gpu_duty_cycle", {**nvidia, **at}, ("h:1", "3", "GPU-3", a100, None, None, "gpu_util")),
            (
                "nvidia_gpu_duty_cycle",
                {**nvidia, **pod, "node_name": "n"},
                ("n", "3", "GPU-3", a100, "p", None, "gpu_util"),
            ),
            ("nvidia_smi_utilization_gpu", {**telegraf, **at}, ("h", "3", "GPU-3", a100, None, None, "gpu_util")),
            ("nvidia_smi_utilization_memory", {**telegraf, **at}, ("h", "3", "GPU-3", a100, None, None, "memory_copy")),
            ("slurm_job_utilization_gpu", {**slurm, **at}, ("h:1", "3", None, a100, None, "41", "gpu_util")),
            ("slurm_job_utilization_gpu_memory", {**slurm, **at}, ("h:1", "3", None, a100, None, "41", "memory_copy")),
            (
                "npu_chip_info_utilization",
                {**ascend, **at},
                ("h:1", "3", "64-00", "910B3-Ascend-V1", None, None, "gpu_util"),
            ),
            (
                "npu_chip_info_utilization",
                {**ascend, **pod},
                (None, "3", "64-00", "910B3-Ascend-V1", "p", None, "gpu_util"),
            ),
            ("npu_chip_info_utilization", older, (None, "3", "64-00", "Ascend910B", "p", None, "gpu_util")),
            ("mlu_utilization", {**mlu, **at}, ("n", "3", "m-3", "MLU370-X8", None, None, "gpu_util")),
            ("dcu_utilizationrate", {**dcu, **dcu_pod, **at}, ("n", "3", "T6W3", "K100_AI", "p", None, "gpu_util")),
            ("dcu_utilizationrate", {**dcu, **at}, ("n", "3", "T6W3", "K100_AI", None, None, "gpu_util")),
            ("habanalabs_utilization", {"UUID": "01P4", **at}, ("h:1", None, "01P4", None, None, None, "gpu_util")),
            (
                "habanalabs_utilization",
                {"device": "accel3", **at},
                ("h:1", "accel3", None, None, None, None, "gpu_util"),
            ),
        ):
            with self.subTest(name):
                path = self.answer(({**labels, "__name__": name}, [(0, 20), (60, 80)]))
                read = "SELECT host, gpu, uuid, chip, pod, hpc_job, kind, busy_s, covered_s FROM trace_duty(?)"
                self.assertEqual([(*expected, 60, 120)], self.rows(read, path))
                self.assertEqual({}, self.issues(path))

    def test_jobs_of_jobstats(self):
        """Its exporter tells the job of a GPU as the value of a metric that has the labels of the others; 0 is none."""
        gpu = {"instance": "h:9445", "minor_number": "0", "name": "NVIDIA A100", "uuid": "GPU-0"}
        other = {**gpu, "minor_number": "1", "uuid": "GPU-1"}
        jobs = [41000001] * 4 + [0] * 2 + [41000002] * 4
        path = self.answer(
            ({**gpu, "__name__": "nvidia_gpu_duty_cycle"}, [(30 * i, 10 * i) for i in range(10)]),
            ({**gpu, "__name__": "nvidia_gpu_jobId"}, [(30 * i, f"{job:.10e}") for i, job in enumerate(jobs)]),
            ({**other, "__name__": "nvidia_gpu_duty_cycle"}, [(30 * i, 50) for i in range(10)]),
            ({**other, "__name__": "nvidia_gpu_jobId"}, [(30 * i, 0) for i in range(10)]),
        )
        self.assertEqual(
            [("0", None, 2, 27), ("0", "41000001", 4, 18), ("0", "41000002", 4, 90), ("1", None, 10, 150)],
            self.rows("SELECT gpu, hpc_job, samples, round(busy_s, 6) FROM trace_duty(?) ORDER BY 1, 2", path),
        )
        self.assertEqual({}, self.issues(path))

    def test_a_state_of_the_chip_among_its_labels(self):
        """Telegraf's pstate: samples of each state are of one series, of which none fills gaps of another."""
        labels = {"__name__": "nvidia_smi_utilization_gpu", "host": "h", "index": "0", "uuid": "GPU-0"}
        for every in (2, 3, 5):
            states = [(30 * i, "P8" if i % every else "P0") for i in range(60)]
            path = self.answer(
                *(
                    (
                        {**labels, "pstate": state},
                        [(at, 90 if state == "P0" else 10) for at, of in states if of == state],
                    )
                    for state in ("P0", "P8")
                )
            )
            busy = sum(30 * (0.9 if state == "P0" else 0.1) for _, state in states)
            self.assertEqual(
                [(60, round(busy, 6), 1800)],
                self.rows("SELECT samples, round(busy_s, 6), covered_s FROM trace_duty(?)", path),
            )
            self.assertEqual({}, self.issues(path))

    def test_chips_that_two_services_tell_of(self):
        """GKE by nodes and by containers, Ray or Slurm's jobs beside DCGM: one of them counts, and that is listed."""
        use = [(0, 20), (60, 80)]
        chip = {"accelerator_id": "77-0", "make": "tpu", "model": "tpu-v5e"}
        node = {**chip, "node_name": "gke-a"}
        pod = {**chip, "namespace_name": "ml", "pod_name": "p", "container_name": "c"}
        dcgm = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-0", "Hostname": "h", "pod": "p"}
        ray = {"GpuIndex": "0", "GpuDeviceName": "NVIDIA H100 80GB HBM3", "ip": "10.0.0.1", "SessionName": "s"}
        named = lambda name, labels: {**labels, "__name__": name}
        for metrics in ("kubernetes_io:{}_accelerator_{}", "kubernetes.io/{}/accelerator/{}"):
            for measure, kind in (
                ("duty_cycle", "gpu_util"),
                ("tensorcore_utilization", "tensor"),
                ("memory_bandwidth_utilization", "memory"),
            ):
                alone = named(metrics.format("node", measure), node)
                beside = named(metrics.format("container", measure), pod)
                self.told(alone, beside, use, (None, "gke-a", "77-0", "tpu-v5e", kind))
        alone = named("ray_node_gpus_utilization", ray)
        self.told(alone, dcgm, use, (None, "10.0.0.1", "0", ray["GpuDeviceName"], "gpu_util"))
        alone["instance"] = "10.0.0.1:8080"
        self.told(alone, dcgm, use, (None, "10.0.0.1:8080", "0", ray["GpuDeviceName"], "gpu_util"))
        jobs = {"instance": "h:1", "gpu": "0", "gpu_type": "NVIDIA H100 80GB HBM3", "slurmjobid": "41"}
        expected = (None, "h:1", "0", "NVIDIA H100 80GB HBM3", "gpu_util")
        self.told(named("slurm_job_utilization_gpu", jobs), dcgm, use, expected)
        # Of TPUs no exporter of GPUs tells.
        path = self.answer((named("kubernetes_io:node_accelerator_duty_cycle", node), use), (dcgm, use))
        self.assertEqual(
            [("0", 120), ("77-0", 120)], self.rows("SELECT gpu, covered_s FROM trace_duty(?) ORDER BY gpu", path)
        )
        self.assertEqual({}, self.issues(path))
        # GKE tells of GPUs, too, and so does its device plugin.
        gpu = {
            "accelerator_id": "GPU-0",
            "make": "nvidia",
            "model": "nvidia-h100-80gb",
            "pod_name": "q",
            "namespace_name": "ml",
        }
        for metric in (
            "duty_cycle",
            "kubernetes_io:container_accelerator_duty_cycle",
            "kubernetes.io/container/accelerator/duty_cycle",
        ):
            for other in (dcgm, {**dcgm, "__name__": "nvidia_gpu_duty_cycle"}):
                path = self.answer((named(metric, gpu), use), (other, use))
                self.assertEqual([("p", 120)], self.rows("SELECT pod, covered_s FROM trace_duty(?)", path))
                self.assertEqual({"conflict": 2}, self.issues(path))
            path = self.answer((named(metric, gpu), use))
            self.assertEqual([("q", 120)], self.rows("SELECT pod, covered_s FROM trace_duty(?)", path))
            path = self.answer((named(metric, pod), use), (dcgm, use))
            self.assertEqual([(240,)], self.rows("SELECT sum(covered_s) FROM trace_duty(?)", path))
            self.assertEqual({}, self.issues(path))
        # One of another measure tells what no other does.
        path = self.answer((alone, use), ({**dcgm, "__name__": "DCGM_FI_PROF_SM_ACTIVE"}, [(0, 0.5), (60, 0.5)]))
        self.assertEqual(
            [("gpu_util", 60, 120), ("sm", 60, 120)],
            self.rows("SELECT kind, busy_s, covered_s FROM trace_duty(?) ORDER BY kind", path),
        )
        self.assertEqual({}, self.issues(path))

    def told(self, alone, beside, use, expected):
        """What a series tells if it is alone, and that it is left out beside one that knows more."""
        read = "SELECT pod, host, gpu, chip, kind, busy_s, covered_s FROM trace_duty(?)"
        path = self.answer((alone, use))
        self.assertEqual([(*expected, 60, 120)], self.rows(read, path))
        self.assertEqual({}, self.issues(path))
        path = self.answer((alone, use), (beside, use))
        self.assertEqual([("p", 60, 120)], [(row[0], *row[-2:]) for row in self.rows(read, path)])
        self.assertEqual({"conflict": 2}, self.issues(path))

    def test_pods_that_share_a_chip_at_once(self):
        """Each has all of its use, as the exporter tells it, and that is listed."""
        seconds, issues = self.duty(*((self.labels(pod), [(30 * i, 50) for i in range(10)]) for pod in "ab"))
        self.assertEqual(({"a": (300, 150, 0), "b": (300, 150, 0)}, {"conflict": 1}), (seconds, issues))


class Empty(cases.Case):
    def test_a_file_without_a_sample(self):
        """Such as the answer to a query that fits nothing, alone or beside a file that has some."""
        answer = lambda result: {"status": "success", "data": {"resultType": "matrix", "result": result}}
        labels = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "u"}
        files = {
            "empty.json": answer([]),
            "empty.prom": "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n",
            "empty.jsonl": '{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL"},"values":[],"timestamps":[]}\n',
        }
        whole = answer([{"metric": labels, "values": [[T0, "50"], [T0 + 30, "50"]]}])
        for beside in ({}, {"whole.json": whole}):
            for table in ("trace_duty", "trace_serve_tokens"):
                folder = self.folder_of({**files, **beside})
                self.rows(f"SELECT * FROM {table}(?)", folder)
                said = self.rows(
                    "SELECT source FROM mpg_issues WHERE kind = 'no_record' AND source GLOB ?", folder + "/*"
                )
                self.assertEqual(sorted(files), sorted(os.path.basename(source) for (source,) in said), table)


if __name__ == "__main__":
    unittest.main()
