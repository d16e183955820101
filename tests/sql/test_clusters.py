"""Sources of several schedulers, or of one in files with other options: clusters by themselves, and what is told twice once."""

import json
import os
import time
import unittest

from cases import Case
from fleets import connect

SACCT = "JobIDRaw|JobID|JobName|Cluster|User|Account|State|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES|NodeList\n"
EVENTS = "Cluster|Cluster Nodes|Event|NodeName|TimeStart|TimeEnd|Duration|Reason|State|User|TRES\n"


def job(number, submit, start, end, gpus=8, state="COMPLETED", cluster="c1", elapsed=None):
    """A row of sacct: times are Unix seconds, which every zone leaves as they are."""
    tres = f"cpu=8,gres/gpu={gpus}"
    return (
        "|".join(
            str(value)
            for value in (
                number,
                number,
                "train",
                cluster,
                "ann",
                "llm",
                state,
                submit,
                start,
                end or "Unknown",
                elapsed if end is None else end - start,
                tres,
                tres,
                "n1",
            )
        )
        + "\n"
    )


def installed(start, end, gpus, cluster="c1"):
    return (
        f"{cluster}|n1|Cluster||{start}|{end or 'Unknown'}|00:00:00|Cluster Registered TRES|||cpu=8,gres/gpu={gpus}\n"
    )


T = 1793491200


class Clusters(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()

    def fleet(self, *sources, **files):
        """The path of a fleet file beside files, whose names have `_` for the dot."""
        for name, text in files.items():
            with open(os.path.join(self.folder, name.replace("_", ".")), "w", encoding="utf-8") as file:
                file.write(text)
        path = os.path.join(self.folder, "fleet.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"sources": sources}, file)
        return path

    def sums(self, path):
        return self.rows(
            "SELECT pool, job, category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1, 2, 3", path
        )

    def listed(self, kind):
        return self.rows(
            "SELECT severity, count, replace(detail, ? || '/', '') FROM mpg_issues WHERE kind = ?", self.folder, kind
        )

    def test_exports_of_one_cluster(self):
        """A job that ran while the first was made is in both, though zone is given for one alone; what ended later is not cut."""
        first = SACCT + job(1, T, T + 10, T + 1000) + job(2, T, T + 100, None, state="RUNNING", elapsed=1900)
        second = SACCT + job(2, T, T + 100, T + 5000) + job(3, T, T + 3000, T + 4000)
        wanted = [
            ("c1", "1", "queued", 80),
            ("c1", "1", "untraced", 7920),
            ("c1", "2", "queued", 800),
            ("c1", "2", "untraced", 39200),
            ("c1", "3", "queued", 24000),
            ("c1", "3", "untraced", 8000),
        ]
        for options in ({"zone": "UTC"}, {"phase": "training"}):
            for sources in (
                ({"path": "a.psv", **options}, {"path": "b.psv"}),
                ({"path": "b.psv", **options}, {"path": "a.psv"}),
            ):
                with self.subTest(sources=sources):
                    path = self.fleet(*sources, a_psv=first, b_psv=second)
                    self.assertEqual(wanted, self.sums(path))
                    self.assertEqual([], self.listed("after_observed") + self.listed("run_anew"))
        os.remove(path)
        self.assertEqual(wanted, self.sums(self.folder))

    def test_a_requeue_between_exports(self):
        """What ran in the first and has begun anew in the second ended between; its attempts are counted by time."""
        path = self.fleet(
            {"path": "a.psv", "phase": "training"},
            {"path": "b.psv"},
            a_psv=SACCT + job(2, T, T, None, state="RUNNING", elapsed=500),
            b_psv=SACCT + job(2, T + 900, T + 1000, T + 3000),
        )
        self.assertEqual([("c1", "2", "untraced", 24000)], self.sums(path))

    def test_a_job_that_waits_in_both(self):
        """Until the later one was made."""
        waits = f"5|5|train|c1|ann|llm|PENDING|{T}|Unknown|Unknown|0|gres/gpu=8||\n"
        for order in "ab", "ba":
            path = self.fleet(
                {"path": f"{order[0]}.psv", "phase": "x"},
                {"path": f"{order[1]}.psv"},
                a_psv=SACCT + job(1, T, T, T + 500) + waits,
                b_psv=SACCT + job(2, T, T + 500, T + 2000) + waits,
            )
            self.assertIn((None, "5", "queued", 16000), self.sums(path))

    def test_a_job_that_waits_in_the_earlier(self):
        """Until the last record of its cluster, as in one source; another cluster's later records are none of it."""
        waits = f"5|5|train|c1|ann|llm|PENDING|{T}|Unknown|Unknown|0|gres/gpu=8||\n"
        files = {
            "a_psv": SACCT + job(1, T, T, T + 500) + waits,
            "b_psv": SACCT + job(2, T, T + 500, T + 2000),
            "c_psv": SACCT + job(7, T, T, T + 9000, cluster="c2"),
        }
        for sources in (
            ({"path": "[ab].psv"},),
            ({"path": "a.psv", "phase": "x"}, {"path": "b.psv"}),
            ({"path": "b.psv", "phase": "x"}, {"path": "a.psv"}),
            ({"path": "a.psv", "phase": "x"}, {"path": "b.psv"}, {"path": "c.psv", "phase": "y"}),
        ):
            self.assertIn((None, "5", "queued", 16000), self.sums(self.fleet(*sources, **files)), sources)

    def test_capacity_counts_once(self):
        """Both exports have the events of the cluster; what one knows the end of, it has."""
        path = self.fleet(
            {"path": "a*", "phase": "training", "chip": "nvidia-h100-sxm"},
            {"path": "b*"},
            a_psv=SACCT + job(1, T, T, T + 1000),
            aa_psv=EVENTS + installed(T, None, 16),
            b_psv=SACCT + job(2, T, T + 1000, T + 2000),
            bb_psv=EVENTS + installed(T, T + 1000, 16) + installed(T + 1000, None, 24),
        )
        self.assertEqual(
            [("c1", "nvidia-h100-sxm", 16, T, T + 1000), ("c1", "nvidia-h100-sxm", 24, T + 1000, None)],
            self.rows(
                "SELECT pool, chip, chips, start_time, end_time FROM trace_records(?) WHERE record = 'capacity' ORDER BY start_time",
                path,
            ),
        )
        self.assertEqual([], self.listed("conflict"))
        path = self.fleet(
            {"path": "a*", "phase": "training"}, {"path": "b*"}, bb_psv=EVENTS + installed(T + 500, None, 16)
        )
        self.assertEqual(
            [
                ("c1", None, "idle", 40000),
                ("c1", "1", "untraced", 8000),
                ("c1", "2", "queued", 8000),
                ("c1", "2", "untraced", 8000),
            ],
            self.sums(path),
        )
        self.assertEqual(
            [
                (
                    "warning",
                    1,
                    "pools whose chips two sources with other options install at once, the first c1: they count together. Give files of one cluster the same options",
                )
            ],
            self.listed("conflict"),
        )

    def test_ids_of_several_clusters(self):
        """Each cluster counts its jobs from 1: an id that several have is a job in each, whatever the formats."""
        east, west = SACCT + job(1, T, T, T + 1000) + job(2, T, T, T + 10), SACCT + job(
            1, T + 500, T + 500, T + 2000, cluster="c2"
        ) + job(3, T, T, T + 10, cluster="c2")
        wanted = [
            ("c1", "2", "untraced", 80),
            ("c1", "c1/1", "untraced", 8000),
            ("c2", "3", "untraced", 80),
            ("c2", "c2/1", "untraced", 12000),
        ]
        path = self.fleet(
            {"path": "a.psv", "zone": "America/New_York"},
            {"path": "b.psv", "zone": "America/Los_Angeles"},
            a_psv=east,
            b_psv=west,
        )
        self.assertEqual(wanted, self.sums(path))
        self.assertEqual(
            [("info", 1, "ids that several clusters gave, the first 1: each has a job of its own, c1/1 and so on")],
            self.listed("run_anew"),
        )
        path = self.fleet({"path": "a.psv"}, {"path": "b.psv", "pool": "mine"})
        self.assertEqual(
            [(pool.replace("c2", "mine"), job.replace("c2", "mine"), *rest) for pool, job, *rest in wanted],
            self.sums(path),
        )
        swf = (
            "; UnixStartTime: {}\n; MaxProcs: 8\n; Computer: c1\n1 0 0 100 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n".format(
                T
            )
        )
        path = self.fleet({"path": "a.psv"}, {"path": "c.swf"}, c_swf=swf)
        self.assertEqual(
            [("c1", "2", "untraced", 80), ("c1", "c1-2/1", "untraced", 400), ("c1", "c1/1", "untraced", 8000)],
            [row for row in self.sums(path) if row[1]],
        )

    def test_clusters_whose_pools_have_one_name(self):
        """Flux names no cluster: sources with a job of one submission are of one, others are not. Ids of both are apart all the same."""

        def listing(*jobs):
            return json.dumps(
                {
                    "jobs": [
                        {
                            "id": number,
                            "urgency": 16,
                            "ntasks": 1,
                            "ngpus": 8,
                            "nnodes": 1,
                            "nodelist": "n1",
                            "state": "INACTIVE",
                            "result": "COMPLETED",
                            "t_submit": submit,
                            "t_run": start,
                            "t_inactive": end,
                        }
                        for number, submit, start, end in jobs
                    ]
                }
            )

        first = listing((1, T, T, T + 1000), (2, T, T + 1000, T + 2000))
        for submit, ids in ((T, ["1", "2", "3"]), (T + 7, ["1", "3", "flux-2/2", "flux/2"])):
            path = self.fleet(
                {"path": "a.json", "phase": "training"},
                {"path": "b.json"},
                a_json=first,
                b_json=listing((2, submit, T + 1000, T + 2000), (3, T, T + 2000, T + 3000)),
            )
            self.assertEqual(
                [("flux", number, "untraced", 8000) for number in ids],
                [row for row in self.sums(path) if row[2] == "untraced"],
            )

    def test_jobs_of_slurm_that_name_no_cluster(self):
        """Without the column Cluster each export may be of another cluster: one submission tells that it is not."""

        def sacct(*jobs):
            return "".join(
                "|".join(field for at, field in enumerate(line.split("|")) if at != 3) + "\n"
                for line in (SACCT + "".join(jobs)).splitlines()
            )

        first = sacct(job(1, T, T, T + 1000), job(2, T, T + 1000, T + 2000))
        for submit, ids in ((T, ["1", "2", "3"]), (T + 7, ["1", "3", "slurm-2/2", "slurm/2"])):
            path = self.fleet(
                {"path": "a.psv", "phase": "x"},
                {"path": "b.psv"},
                a_psv=first,
                b_psv=sacct(job(2, submit, T + 1000, T + 2000), job(3, T, T + 2000, T + 3000)),
            )
            self.assertEqual(
                [("slurm", number, "untraced", 8000) for number in ids],
                [row for row in self.sums(path) if row[2] == "untraced"],
            )

    def test_one_export_of_slurm_names_its_cluster(self):
        """The other has not the column: it is of that cluster if both have a submission, and else of its own."""

        def bare(*jobs):
            return "".join(
                "|".join(field for at, field in enumerate(line.split("|")) if at != 3) + "\n"
                for line in (SACCT + "".join(jobs)).splitlines()
            )

        named = SACCT + job(1, T, T, T + 1000) + job(2, T, T + 1000, T + 2000)
        for order in ((0, 1), (1, 0)):
            for submit, wanted in (
                (T, [("c1", "1", 8000), ("c1", "2", 8000), ("c1", "3", 8000)]),
                (T + 7, [("c1", "1", 8000), ("c1", "c1/2", 8000), ("slurm", "3", 8000), ("slurm", "slurm/2", 8000)]),
            ):
                sources = ({"path": "a.psv", "phase": "x"}, {"path": "b.psv"})
                path = self.fleet(
                    *(sources[at] for at in order),
                    a_psv=named,
                    b_psv=bare(job(2, submit, T + 1000, T + 2000), job(3, T, T + 2000, T + 3000)),
                )
                self.assertEqual(
                    wanted,
                    [
                        (pool, number, seconds)
                        for pool, number, category, seconds in self.sums(path)
                        if category == "untraced"
                    ],
                )

    def test_slurm_inside_of_kubernetes(self):
        """Its nodes are pods that hold the chips, or Kubernetes' own nodes: they count twice, which is listed with both pools."""

        def at(seconds):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(T + seconds))

        def pods(node, pod):
            chips = {"nvidia.com/gpu": "8"}
            return json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "List",
                    "items": [
                        {
                            "apiVersion": "v1",
                            "kind": "Node",
                            "metadata": {
                                "name": node,
                                "uid": node,
                                "creationTimestamp": at(0),
                                "labels": {"cloud.google.com/gke-nodepool": "np"},
                            },
                            "status": {
                                "capacity": chips,
                                "allocatable": chips,
                                "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": at(3600)}],
                            },
                        },
                        {
                            "apiVersion": "v1",
                            "kind": "Pod",
                            "metadata": {"name": pod, "namespace": "slurm", "uid": pod, "creationTimestamp": at(0)},
                            "spec": {
                                "nodeName": node,
                                "containers": [{"name": "slurmd", "resources": {"limits": chips}}],
                            },
                            "status": {
                                "phase": "Running",
                                "containerStatuses": [{"name": "slurmd", "state": {"running": {"startedAt": at(0)}}}],
                                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(0)}],
                            },
                        },
                    ],
                }
            )

        for node, pod, since, word in (
            ("gke-1", "n1", 0, "pods"),
            ("n1", "slurmd-x", 0, "nodes"),
            ("gke-1", "train-0", 0, None),
            ("gke-1", "n1", -5000, None),
            ("n1", "slurmd-x", -5000, None),
        ):  # or they were one after the other
            path = self.fleet(
                {"path": "*.*sv"},
                {"path": "list.txt"},
                a_psv=SACCT + job(1, T + since, T + since + 10, T + since + 1000),
                list_txt=pods(node, pod),
            )
            self.assertEqual(
                8 * 990 + 8 * 3600,
                self.one(
                    "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category NOT IN ('queued', 'idle')", path
                ),
            )
            self.assertEqual(
                (
                    [
                        (
                            "warning",
                            1,
                            f"nodes of Slurm that are {word} of Kubernetes, the first n1: their chips count twice, in pool c1 and in pool np. Leave out one of the two",
                        )
                    ]
                    if word
                    else []
                ),
                self.listed("conflict"),
            )

    def test_an_id_of_another_cluster_beside_that_name(self):
        """A second cluster's job 7 is b/7 in the tables, by which a native trace beside it calls another: both come in as one."""

        def sacct(cluster, start):
            head = "Cluster|JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes\n"
            at = f"{T + start}|{T + start}|{T + start + 4000}"
            return head + f"{cluster}|7|7|p|{at}|COMPLETED|billing=1,gres/gpu:h100=8|1\n"

        def native(*jobs):
            rows = [{"record": "capacity", "pool": "z", "chips": 8, "start_time": T}]
            for job in jobs:
                at = {"job": job, "start_time": T + 5000, "end_time": T + 5100}
                rows += [
                    {"record": "allocation", "pool": "z", "chips": 4, "attempt": 1, **at},
                    {"record": "span", "kind": "step", "step": 1, "attempt": 1, **at},
                    {"record": "commit", "job": job, "step": 1, "durable_time": T + 5100},
                ]
            return "".join(json.dumps(row) + "\n" for row in rows)

        db = connect()
        self.addCleanup(db.close)
        for files in (
            {"sacct.psv": sacct("a", 0), "native.jsonl": native("7")},
            {"sacct.psv": sacct("b", 5000), "native.jsonl": native("7", "b/7")},
        ):
            db.execute("SELECT mpg_build(?)", (self.folder_of(files),)).fetchall()
        for table in ("spans", "commits"):
            self.assertEqual(
                [("7", 1), ("b/7", 2)], db.execute(f"SELECT job, count(*) FROM {table} GROUP BY 1").fetchall(), table
            )

    def test_pods_of_a_nodeset(self):
        """slurm-operator names the pod of Slurm's node gpu-0 slurm-worker-gpu-0; a hostname of another kind says nothing, and then the NodeSet does."""

        def pods(kind):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(T))
            chips = {"nvidia.com/gpu": "8"}
            return json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "List",
                    "items": [
                        {
                            "apiVersion": "v1",
                            "kind": "Pod",
                            "metadata": {
                                "name": f"slurm-worker-gpu-{i}",
                                "namespace": "slurm",
                                "uid": f"p{i}",
                                "creationTimestamp": at,
                                "ownerReferences": [{"kind": kind, "name": "slurm-worker-gpu", "controller": True}],
                            },
                            "spec": {
                                "nodeName": f"gke-{i}",
                                "containers": [{"name": "slurmd", "resources": {"limits": chips}}],
                            },
                            "status": {
                                "phase": "Running",
                                "containerStatuses": [{"name": "slurmd", "state": {"running": {"startedAt": at}}}],
                                "conditions": [
                                    {"type": "PodScheduled", "status": "True", "lastTransitionTime": at},
                                    {"type": "Ready", "status": "True", "lastTransitionTime": at, "lastProbeTime": at},
                                ],
                            },
                        }
                        for i in range(2)
                    ],
                }
            )

        for kind, nodes, since, word in (
            ("NodeSet", "gpu-[0-1]", 0, "nodes of Slurm that are pods of Kubernetes"),
            ("NodeSet", "rdma-7", 0, "pods of a NodeSet, which are nodes of a Slurm"),
            ("NodeSet", "gpu-[0-1]", -5000, None),
            ("StatefulSet", "gpu-[0-1]", 0, None),
        ):
            path = self.fleet(
                {"path": "*.psv"},
                {"path": "list.txt"},
                a_psv=SACCT + job(1, T + since, T + since + 10, T + since + 1000).replace("|n1", f"|{nodes}"),
                list_txt=pods(kind),
            )
            self.sums(path)
            listed = [(count, detail.split(", the first")[0]) for _, count, detail in self.listed("conflict")]
            self.assertEqual([(2, word)] if word else [], listed, (kind, nodes, since))

    def test_an_export_of_what_waits_alone(self):
        """It has no pool: it is of the cluster that has one of its jobs, by the submission."""
        waits = f"5|5|train|c1|ann|llm|PENDING|{T}|Unknown|Unknown|0|gres/gpu=8||\n"
        for submit, ids in ((T, ["5"]), (T + 7, ["c1/5"])):
            for order in "ab", "ba":
                path = self.fleet(
                    {"path": f"{order[0]}.psv", "phase": "x"},
                    {"path": f"{order[1]}.psv"},
                    a_psv=SACCT + waits,
                    b_psv=SACCT + job(5, submit, T + 500, T + 2000),
                )
                self.assertEqual(ids, [job for _, job, category, _ in self.sums(path) if category == "untraced"], order)

    def test_a_job_of_three_sources(self):
        """Two of one cluster and one of another."""
        a, b = SACCT + job(1, T, T, T + 1000), SACCT + job(1, T, T, T + 1000)
        path = self.fleet(
            {"path": "a.psv", "phase": "x"},
            {"path": "b.psv"},
            {"path": "c.psv", "phase": "y"},
            a_psv=a,
            b_psv=b,
            c_psv=SACCT + job(1, T, T, T + 500, cluster="c2"),
        )
        self.assertEqual([("c1", "c1/1", "untraced", 8000), ("c2", "c2/1", "untraced", 4000)], self.sums(path))

    def test_a_log_of_an_id_of_several_clusters(self):
        """The id alone says no more which job it is; with its cluster it does."""
        log = "".join(
            f" [2026-11-01 00:{step:02}:00.000000] iteration {step:8}/     100 | consumed samples: 10 | elapsed time per iteration (ms): 60000.0 | "
            "learning rate: 3.0E-05 | global batch size: 1 | lm loss: 1.0E+00 | number of skipped iterations: 0 | number of nan iterations: 0 |\n"
            for step in range(1, 10)
        )
        files = {
            "a_psv": SACCT + job(1, T, T, T + 1000),
            "b_psv": SACCT + job(1, T, T, T + 2000, cluster="c2"),
            "run_log": log,
        }
        path = self.fleet(
            {"path": "a.psv", "zone": "UTC"}, {"path": "b.psv"}, {"path": "run.log", "job": "c2/1"}, **files
        )
        self.assertEqual([("c2/1",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))
        self.assertEqual(
            [("c1/1", 0), ("c2/1", 1)],
            self.rows(
                "SELECT job, max(category <> 'untraced') FROM trace_rollup(?) WHERE job NOT NULL GROUP BY 1", path
            ),
        )

    def test_a_log_beside_one_clusters_export(self):
        """Its folder, or one above, has the cluster's name or its export, and so decides which job of an id it is; beside both exports nothing does."""
        log = (
            "using world size: 8, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n"
            + "".join(
                f" [2026-11-01 00:{step:02}:00.000000] iteration {step:8}/     100 | consumed samples: 10 | elapsed time per iteration (ms): 60000.0 | "
                "learning rate: 3.0E-05 | global batch size: 1 | lm loss: 1.0E+00 | number of skipped iterations: 0 | number of nan iterations: 0 |\n"
                for step in range(1, 10)
            )
        )
        said = "SLURM_JOB_ID=1\n" + log
        first, second = SACCT + job(1, T, T, T + 1000), SACCT + job(1, T, T, T + 2000, cluster="c2")
        for a, b, name, text, wanted in (
            ("c1/x.psv", "c2/x.psv", "c2/run.log", said, "c2/1"),
            ("x.psv", "y.psv", "c2/slurm-1.out", log, "c2/1"),
            ("x.psv", "y.psv", "c1/1/run.log", log, "c1/1"),
            ("east/x.psv", "west/x.psv", "west/slurm-1.out", log, "c2/1"),
            ("east/x.psv", "west/x.psv", "east/logs/run.log", said, "c1/1"),
            ("east/x.psv", "west/x.psv", "west/1/run.log", log, "c2/1"),
            ("x.psv", "west/x.psv", "west/slurm-1.out", log, "c2/1"),
            ("x.psv", "y.psv", "slurm-1.out", log, None),
            ("x.psv", "y.psv", "run.log", said, None),
            ("east/x.psv", "west/x.psv", "run.log", said, None),
        ):
            folder = self.new_folder()
            for at, content in ((a, first), (b, second), (name, text)):
                os.makedirs(os.path.dirname(os.path.join(folder, at)), exist_ok=True)
                with open(os.path.join(folder, at), "w", encoding="utf-8") as file:
                    file.write(content)
            fleet = os.path.join(folder, "fleet.json")
            for sources in (
                [{"path": "**"}],
                [{"path": a, "phase": "training"}, {"path": b, "phase": "serving"}, {"path": name}],
            ):
                with self.subTest(name=name, sources=sources):
                    if len(sources) > 1:
                        with open(fleet, "w", encoding="utf-8") as file:
                            json.dump({"sources": sources}, file)
                    path = fleet if len(sources) > 1 else folder
                    found = self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                    if wanted:
                        self.assertEqual([(wanted,)], found)
                        self.assertEqual(
                            [("c1/1", wanted == "c1/1"), ("c2/1", wanted == "c2/1")],
                            self.rows(
                                "SELECT job, max(category <> 'untraced') FROM trace_rollup(?) WHERE job NOT NULL GROUP BY 1",
                                path,
                            ),
                        )
                    else:
                        self.assertNotIn(found, ([("c1/1",)], [("c2/1",)]))
                        self.sums(path)
                        self.assertIn(
                            (os.path.join(folder, name),),
                            self.rows("SELECT source FROM mpg_issues WHERE kind = 'ambiguous_job'"),
                        )

    def test_files_that_need_others(self):
        """Events and nodes are of the one source that has the jobs, unless their options say otherwise; else the error says which file it is."""
        files = {"a_psv": SACCT + job(1, T, T, T + 1000), "e_psv": EVENTS + installed("2026-11-01T00:00:00", None, 16)}
        for sources in (
            ({"path": "a.psv", "zone": "Europe/Berlin", "chip": "nvidia-h100-sxm"}, {"path": "e.psv"}),
            ({"path": "e.psv"}, {"path": "a.psv", "chip": "nvidia-h100-sxm"}),
            ({"path": "a.psv", "zone": "UTC"}, {"path": "e.psv", "chip": "nvidia-h100-sxm"}),
            (
                {"path": "a.psv", "zone": "UTC", "chip": "nvidia-h100-sxm"},
                {"path": "e.psv", "chip": "nvidia-h100-sxm", "zone": "UTC"},
            ),
        ):
            with self.subTest(sources=sources):
                path = self.fleet(*sources, **files)
                self.assertEqual(
                    [
                        ("c1", None, "idle", 8000 + 16 * 3600 * ("Berlin" in str(sources))),
                        ("c1", "1", "untraced", 8000),
                    ],
                    self.sums(path),
                )
                self.assertEqual(
                    [],
                    self.rows(
                        "SELECT file, missing FROM trace_sources(?) WHERE missing LIKE '%zone%' AND ? LIKE '%zone%'",
                        path,
                        str(sources),
                    ),
                )
                self.assertEqual(
                    [("nvidia-h100-sxm",)],
                    self.rows("SELECT chip FROM trace_records(?) WHERE record = 'capacity'", path),
                )
        path = self.fleet({"path": "a.psv", "zone": "UTC"}, {"path": "e.psv", "phase": "serving"}, **files)
        self.assertEqual(
            [("1", None)], self.rows("SELECT DISTINCT job, phase FROM trace_rollup(?) WHERE job NOT NULL", path)
        )
        self.assertEqual(
            [
                (
                    "warning",
                    1,
                    'option "phase" of e.psv says what jobs are, and it names none: give it to the source that has the jobs',
                )
            ],
            self.listed("unused_option"),
        )
        for sources in (
            ({"path": "a.psv", "zone": "UTC"}, {"path": "e.psv", "zone": "Europe/Berlin"}),
            (
                {"path": "a.psv", "chip": "nvidia-h100-sxm"},
                {"path": "b.psv", "chip": "nvidia-a100-sxm-80gb"},
                {"path": "e.psv"},
            ),
        ):
            with self.subTest(sources=sources):
                path = self.fleet(*sources, b_psv=SACCT + job(2, T, T, T + 1000), **files)
                self.assertIn(("c1", "1", "untraced", 8000), self.sums(path))
                self.assertEqual(
                    [
                        (
                            "data_loss",
                            1,
                            'expected a file of slurm for "sacct" with the same options, found a.psv with others: give both the same in the fleet file',
                        )
                    ],
                    self.listed("unreadable_file"),
                )

    def test_files_that_several_others_need(self):
        """Sources whose options say other things of their jobs are one, with the events of the cluster; each option says of its own jobs."""
        files = {
            "a_psv": SACCT + job(1, T, T, T + 1000),
            "b_psv": SACCT + job(2, T, T + 500, T + 1500),
            "e_psv": EVENTS + installed(T, None, 32),
        }
        for options in ({}, {"zone": "UTC"}):
            for own in (
                {"path": "e.psv"},
                {"path": "e.psv", "chip": "nvidia-h100-sxm"},
                {"path": "e.psv", "zone": "UTC"},
            ):
                for order in (0, 1, 2), (2, 1, 0), (1, 2, 0):
                    sources = (
                        {"path": "a.psv", "phase": "training", "model": "llm", **options},
                        {"path": "b.psv", "phase": "serving", **options},
                        own,
                    )
                    with self.subTest(sources=sources, order=order):
                        path = self.fleet(*(sources[at] for at in order), **files)
                        self.assertEqual(
                            [
                                ("c1", None, "idle", 32000),
                                ("c1", "1", "untraced", 8000),
                                ("c1", "2", "queued", 4000),
                                ("c1", "2", "untraced", 8000),
                            ],
                            self.sums(path),
                        )
                        self.assertEqual(
                            [("1", "training", "llm"), ("2", "serving", None)],
                            self.rows(
                                "SELECT job, phase, model FROM trace_records(?) WHERE record = 'jobs' ORDER BY 1", path
                            ),
                        )
        path = self.fleet({"path": "a.psv", "phase": "training"}, {"path": "b.psv"}, {"path": "e.psv", "zone": "UTC"})
        self.assertEqual(
            [("c1", 32)], self.rows("SELECT pool, chips FROM trace_records(?) WHERE record = 'capacity'", path)
        )
        path = self.fleet(
            {"path": "a.psv", "phase": "training"},
            {"path": "b.psv", "phase": "serving"},
            {"path": "e.psv"},
            a_psv=files["a_psv"],
            b_psv=SACCT + job(1, T, T + 500, T + 1500, cluster="c2"),
            e_psv=files["e_psv"] + installed(T, None, 16, "c2"),
        )
        self.assertEqual(
            [("c1/1", "training"), ("c2/1", "serving")],
            self.rows("SELECT job, phase FROM trace_records(?) WHERE record = 'jobs' ORDER BY 1", path),
        )
        self.assertEqual(
            [
                ("c1", None, "idle", 40000),
                ("c1", "c1/1", "untraced", 8000),
                ("c2", None, "idle", 16000),
                ("c2", "c2/1", "queued", 4000),
                ("c2", "c2/1", "untraced", 8000),
            ],
            self.sums(path),
        )

    def test_files_of_kubernetes_without_nodes(self):
        """Pods and Workloads are of the cluster whose nodes another source has; with nodes of their own, or options that say otherwise, they are not."""

        def node(name, pool):
            return {
                "kind": "Node",
                "apiVersion": "v1",
                "metadata": {
                    "name": name,
                    "uid": name,
                    "creationTimestamp": "2026-03-01T08:00:00Z",
                    "labels": {"team": pool, "cloud.google.com/gke-nodepool": "np"},
                },
                "status": {
                    "capacity": {"nvidia.com/gpu": "8"},
                    "allocatable": {"nvidia.com/gpu": "8"},
                    "conditions": [
                        {
                            "type": "Ready",
                            "status": "True",
                            "lastHeartbeatTime": "2026-03-01T10:00:00Z",
                            "lastTransitionTime": "2026-03-01T08:00:00Z",
                        }
                    ],
                },
            }

        def pod(name, on):
            return {
                "kind": "Pod",
                "apiVersion": "v1",
                "metadata": {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": "2026-03-01T08:00:00Z"},
                "spec": {
                    "nodeName": on,
                    "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "8"}}}],
                },
                "status": {
                    "phase": "Running",
                    "conditions": [
                        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-01T09:00:00Z"}
                    ],
                },
            }

        def listing(*items):
            return json.dumps({"kind": "List", "apiVersion": "v1", "items": items})

        files = {"n_json": listing(node("a", "red")), "p_json": listing(pod("llm", "a"))}
        for pool, option in (("red", {"pool": "team"}), ("np", {"phase": "training"})):
            for sources in (
                ({"path": "n.json", **option}, {"path": "p.json"}),
                ({"path": "p.json"}, {"path": "n.json", **option}),
            ):
                path = self.fleet(*sources, **files)
                self.assertEqual(
                    [
                        (pool, None, "idle", 28800),
                        (pool, "ml/llm", "queued", 28800),
                        (pool, "ml/llm", "untraced", 28800),
                    ],
                    self.sums(path),
                )
                self.assertEqual([], self.rows("SELECT kind, detail FROM mpg_issues"))
        path = self.fleet(
            {"path": "n.json"},
            {"path": "p.json", "phase": "training", "model": "llm"},
            {"path": "q.json", "phase": "serving"},
            q_json=listing(pod("chat", "b")),
            **files | {"n_json": listing(node("a", "x"), node("b", "x"))},
        )
        self.assertEqual(
            [("ml/chat", "serving", None, 28800), ("ml/llm", "training", "llm", 28800)],
            self.rows(
                "SELECT job, phase, model, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' AND pool = 'np' GROUP BY 1, 2, 3",
                path,
            ),
        )
        path = self.fleet({"path": "n.json", "pool": "team"}, {"path": "p.json", "pool": "zone"}, **files)
        self.assertEqual({"red", None}, {pool for pool, *_ in self.sums(path)})
        path = self.fleet(
            {"path": "n.json", "pool": "team"},
            {"path": "p.json"},
            n_json=files["n_json"],
            p_json=listing(node("b", "blue"), pod("llm", "b")),
        )
        self.assertEqual(
            {("red", None), ("np", None), ("np", "ml/llm")}, {(pool, job) for pool, job, *_ in self.sums(path)}
        )
        uid = "0a1b2c3d-0000-0000-0000-00000000000"
        for last, wanted in (
            (
                "1",
                [("np", None, "idle", 28800), ("np", "ml/llm", "queued", 28800), ("np", "ml/llm", "untraced", 28800)],
            ),
            (
                "2",
                [
                    ("np", None, "idle", 57600),
                    ("np", "np-2/ml/llm", "queued", 28800),
                    ("np", "np-2/ml/llm", "untraced", 28800),
                    ("np", "np/ml/llm", "queued", 28800),
                    ("np", "np/ml/llm", "untraced", 28800),
                ],
            ),
        ):
            pods = [pod("llm", "a") for _ in "12"]
            pods[0]["metadata"]["uid"], pods[1]["metadata"]["uid"] = uid + "1", uid + last
            path = self.fleet(
                {"path": "n.json", "phase": "training"},
                {"path": "p.json"},
                n_json=listing(node("a", "x"), pods[0]),
                p_json=listing(node("a", "x"), pods[1]),
            )
            self.assertEqual(wanted, self.sums(path), last)
        pods = [pod("llm", "a"), pod("llm", "a"), pod("old", "b")]  # a node that the second source lacks
        pods[0]["metadata"]["uid"] = pods[1]["metadata"]["uid"] = uid + "1"
        path = self.fleet(
            {"path": "n.json", "phase": "training"},
            {"path": "p.json"},
            n_json=listing(node("a", "x"), node("b", "x"), pods[0]),
            p_json=listing(node("a", "x"), pods[1], pods[2]),
        )
        self.assertEqual(
            [("np", "ml/llm", "training"), ("np", "ml/old", None)],
            self.rows("SELECT DISTINCT pool, job, phase FROM trace_rollup(?) WHERE job NOT NULL", path),
        )


if __name__ == "__main__":
    unittest.main()
