"""Which job a log is of, by its name, its folder, and what its first lines say."""

import gzip
import json
import os
import pathlib
import unittest

import tfevents
from fleets import ROOT
from job_logs import NamedLogs, SACCT, T, job, megatron, pod


class Names(NamedLogs):
    """What the names of files and folders say of their job, as the options of sbatch, launchers and people make them."""

    def test_tasks_of_an_array(self):
        """Their jobs have one name; sbatch makes of %x_%a the name and the task's number. Of two arrays of one name it is that of the log's time."""

        def array(base, start):
            return "".join(
                job(f"{base}_{task}", start, start + 2400, name="sweep", raw=base + 1 + task, gpus=4)
                for task in range(3)
            )

        for name in (
            "sweep_{}.out",
            "sweep-{}.log",
            "sweep.{}.out",
            "sweep_0{}.out",
            "sweep/{}/train.log",
            "logs/sweep_{}/train.log",
        ):
            for more in ("", array(5200, 7200)):
                with self.subTest(name=name, arrays=1 + bool(more)):
                    self.assertEqual(["5101", "5102", "5103"], self.jobs(array(5100, 0) + more, name))
        self.assertEqual([None] * 3, self.jobs(array(5100, 0), "sweep_7{}.out"))
        self.assertEqual(
            [("5101,5102,5103",)],
            self.rows(
                "SELECT substr(detail, 34) FROM mpg_issues WHERE kind = 'ambiguous_job' AND source LIKE '%70.out'"
            ),
        )

    def test_ids_of_tasks_as_people_write_them(self):
        """With any sign between, padded, or a folder each. The array has the id of its last task, which may have ranks instead."""
        array = "".join(
            job(f"5100_{task}", 0, 2400, name="sweep", raw=raw, gpus=4) for task, raw in enumerate((5101, 5102, 5100))
        )
        for name in (
            "5100-{}.out",
            "slurm-5100.{}.out",
            "a_5100_00{}.log",
            "5100/{}/train.log",
            "5100/{}.log",
            "sweep-5100-{}/train.log",
            "5100_0{}_0_log.out",
        ):
            with self.subTest(name):
                self.assertEqual(["5101", "5102", "5100"], self.jobs(array, name))
        ranks = {
            f"{job}-{rank}.out": megatron(job - 5000 + rank, 1, 100, world=4)
            for job in (5100, 5101)
            for rank in range(2)
        }
        beyond = {f"5100/{rank}/out.log": megatron(60 + rank, 1, 100, world=4) for rank in range(4)}
        for files, wanted in ((ranks, {"5100", "5101"}), (beyond, {"5100"})):
            path = self.folder_of({"sacct.psv": SACCT + array, **files})
            self.assertEqual(
                {(name, name) for name in wanted},
                set(
                    self.rows(
                        "SELECT DISTINCT iif(instr(file, '5101-'), '5101', '5100'), job FROM trace_sources(?) WHERE format = 'megatron'",
                        path,
                    )
                ),
            )

    def test_as_each_scheduler_names_its_output(self):
        """LSF's arrays have their elements in their name, and %J[%I] is an id; Condor's $(Cluster) and $(Process) have any sign between; Flux writes ids with 58 letters: ƒuZZybuNNy is 6731191091817518."""
        fixtures = {
            name: pathlib.Path(ROOT, "fixtures", file).read_text(encoding="utf-8")
            for name, file in (("lsf", "lsf/lsb.acct"), ("condor", "condor/history.json"), ("flux", "flux/jobs.json"))
        }
        fixtures["flux"] = fixtures["flux"].replace('"id": 101,', '"id": 6731191091817518,')
        written = '"ClusterId": 101,\n  "Iwd": "/home/ann/exp7",\n  "Out": "logs/train.out",\n  "Err": "/dev/null",'
        fixtures["condor"] = fixtures["condor"].replace('"ClusterId": 101,', written)
        fixtures["lsf"] = fixtures["lsf"].replace('"work" "" "out.%J" ""', '"exp7" "" "logs/train.out" ""', 2)
        for scheduler, name, wanted in (
            ("lsf", "sweep.1.out", "103[1]"),
            ("lsf", "sweep_2.out", "103[2]"),
            ("lsf", "train.103[1].out", "103[1]"),
            ("condor", "job_103_1.log", "103.1"),
            ("condor", "out-103-0", "103.0"),
            ("condor", "job.101.log", "101.0"),
            ("condor", "exp7/logs/train.out", "101.0"),
            ("condor", "exp8/logs/train.out", None),
            ("lsf", "exp7/logs/train.out", "101"),
            ("lsf", "exp8/logs/train.out", None),
            ("flux", "flux-ƒuZZybuNNy.out", "6731191091817518"),
            ("flux", "flux-fuZZybuNNy.out", "6731191091817518"),
            ("flux", "flux-fuZZybuNNz.out", None),
            ("flux", "FLUX_JOB_ID=ƒuZZybuNNy", "6731191091817518"),
        ):
            with self.subTest(scheduler=scheduler, name=name):
                said = name + "\n" if "=" in name else ""
                path = self.folder_of(
                    {"export": fixtures[scheduler], "a.log" if said else name: said + megatron(60, 1, 20)}
                )
                self.assertEqual(
                    [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )

    def test_outputs_that_jobs_name(self):
        """StdOut and StdErr say which file is a job's, wherever it was copied with its folder; jobs that write one after the other into one file have a part each."""

        def jobs(*of):
            rows = [
                job(5101 + nth, start, start + 1200).rstrip("\n") + f"|{out}|{err}|/home/ann/exp{nth}\n"
                for nth, (start, out, err) in enumerate(of)
            ]
            return SACCT.rstrip("\n") + "|StdOut|StdErr|WorkDir\n" + "".join(rows)

        same = [(0, "/home/ann/a/train.log", ""), (1200, "/home/ann/a/train.log", "")]
        for name, of, wanted in (
            ("a/train.log", [(0, "/home/ann/a/train.log", ""), (0, "/home/ann/b/train.log", "")], "5101"),
            ("a/train.log", [(0, "", "/home/ann/b/train.log"), (0, "", "/home/ann/a/train.log")], "5102"),
            ("exp1/train.log", [(0, "train.log", ""), (0, "train.log", "")], "5102"),
            ("exp1/logs/train.log", [(0, "/home/ann/exp0/logs/train.log", ""), (0, "logs/train.log", "")], "5102"),
            ("exp2/logs/train.log", [(0, "/home/ann/exp0/logs/train.log", ""), (0, "logs/train.log", "")], None),
            ("a/llama-ann.log", [(0, "/home/ann/a/%x-%u.log", ""), (0, "/home/ann/a/%x-%N.log", "")], "5101"),
            ("c/train.log", [(0, "/home/ann/a/train.log", ""), (0, "/home/ann/b/train.log", "")], None),
            ("a/train.log", same, "5101"),
            ("5102/train.log", [(0, "/home/ann/5102/train.log", ""), (0, "/dev/null", "")], "5101"),
            ("ann/exp/train.log", [(0, "/home/ann/exp/train.log", ""), (0, "/home/bob/exp/train.log", "")], "5101"),
            ("b/exp/logs/train.log", [(0, "/a/x/exp/logs/train.log", ""), (0, "/b/exp/logs/train.log", "")], "5102"),
            ("exp/train.log", [(0, "/home/ann/exp/train.log", ""), (0, "/home/bob/exp/train.log", "")], None),
        ):
            with self.subTest(name=name, of=of):
                path = self.folder_of({"export/sacct.psv": jobs(*of), name: megatron(60, 1, 100)})
                sql = "SELECT job FROM trace_sources(?) WHERE format = 'megatron'"
                self.assertEqual([(wanted,)], self.rows(sql, path))
        log = megatron(60, 1, 100) + megatron(1260, 1, 100)
        path = self.folder_of({"export/sacct.psv": jobs(*same), "a/train.log": log})
        self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 8000, None)], self.seconds(path))

    def test_names_of_copies(self):
        """A link or a copy, wherever it lies and however it is packed, is the run that it was, by the name of any."""
        log, sacct = megatron(60, 1, 100), {"sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200)}
        for files, links in (
            ({"a.log": log, "slurm-5101.out": log}, {}),
            ({"a.log.gz": gzip.compress(log.encode()), "logs/slurm-5101.out": log}, {}),
            ({"slurm-5101.out": log}, {"latest.out": "slurm-5101.out"}),
            ({"runs/5101/out.log": log, "runs/5101/b.log": log, "all.log": log}, {}),
            ({"slurm-5101.out": log}, {"last/out.log": "../slurm-5101.out"}),
        ):
            path = self.folder_of({**sacct, **files})
            for link, target in links.items():
                os.makedirs(os.path.dirname(os.path.join(path, link)), exist_ok=True)
                os.symlink(target, os.path.join(path, link))
            with self.subTest(files=files.keys(), links=links):
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, None, None)], self.seconds(path))
                self.assertEqual(
                    [("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path)
                )
                self.assertEqual(
                    len(files) + len(links) - 1,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file' AND instr(source, ?) AND detail LIKE 'the same content as %'",
                        path,
                    ),
                )
        events = tfevents.begin(T + 60) + b"".join(
            tfevents.event(T + 60 + 10 * i, i, (5, [(1, tfevents.simple("loss", 8))])) for i in range(1, 101)
        )
        path = self.folder_of(
            {**sacct, "a/events.out.tfevents.1.h.5101.0": events, "b/events.out.tfevents.1.h.5101.0": events}
        )  # 5101 is a process
        self.assertEqual([(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'tfevents'", path))

    def test_letters_beyond_ascii(self):
        jobs = job(5101, 0, 3500, name="ünï cödé") + job(5102, 0, 3500, name="训练")
        for name, wanted in (
            ("ünï cödé.out", "5101"),
            ("a/ünï cödé/{}.log", "5101"),
            ("训练.log", None),
            ("训练5102.log", "5102"),
            ("ünï.log", None),
        ):  # a name of two letters is too short
            path = self.folder_of({"sacct.psv": SACCT + jobs, name.format(1): megatron(60, 1, 100)})
            self.assertEqual(
                [(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path), name
            )

    def test_signs_at_the_ends_of_names(self):
        for name in ("llama 70b (v2)", "(llama)", "run=[7]", "llama[b]", "_llama_"):
            for file in ("{}.out", "{}/train.log", "{}"):
                path = self.folder_of(
                    {
                        "sacct.psv": SACCT + job(5101, 0, 3500, name=name) + job(5102, 0, 3500, name="llama 70b"),
                        file.format(name): megatron(60, 1, 100),
                    }
                )
                self.assertEqual(
                    [("5101",)],
                    self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path),
                    file.format(name),
                )

    def test_numbers_that_are_no_ids(self):
        """The year of a date, and what programs count, set, or are called by."""
        for name, wanted in (
            ("checkpoint-500/{}.log", None),
            ("out/step_500/{}.log", None),
            ("500/checkpoint-900/{}.log", "500"),
        ):
            with self.subTest(name):
                self.assertEqual([wanted] * 3, self.jobs(job(500, 0, 3500) + job(900, 0, 3500, name="gpt"), name))
        for name, wanted in (
            ("run_2026-11-01.{}.log", None),
            ("2026-11-01_00-00-00/{}/train.log", None),
            ("2026_11_01/a{}.log", None),
            ("2026/{}.log", "2026"),
            ("slurm-2026-{}.out", "2026"),
            ("2026-11-01/2026.{}.out", "2026"),
        ):
            with self.subTest(name):
                self.assertEqual([wanted] * 3, self.jobs(job(2026, 0, 3500), name))
        worker = f"worker-{'0123456789abcdef' * 3}01234567-01000000-900.out"
        for name in (
            "seed_900.out",
            "lr=1e-4-seed=900.out",
            "iter_0000900.out",
            "epoch-900/a.out",
            "pid.900.out",
            "port_900.out",
            "gbs900_gbs-900.out",
            "tokens_900.out",
            "global_step_900_x.out",
            "train.n1.ann.log.INFO.20261101-000100.900",
            worker,
        ):
            with self.subTest(name):
                fleet = job(500, 0, 3500) + job(900, 0, 3500, name="gpt").replace("|n1\n", "|n2\n")
                self.assertEqual(["500"] * 3, self.jobs(fleet, "500/{}/" + name))  # a folder says it
                self.assertEqual(
                    ["500"] * 3 if "n1" in name else [None] * 3, self.jobs(fleet, "{}/" + name)
                )  # it names the host of that
        for own, name in (
            ("seed", "seed_900.{}.out"),
            ("my-Rank", "my-Rank-900/{}.log"),
            ("tokens", "tokens_900_{}.out"),
            ("gpt", "gpu-900.{}.out"),
        ):  # of a job whose name ends so; as people call their output
            self.assertEqual(["900"] * 3, self.jobs(job(500, 0, 3500) + job(900, 0, 3500, name=own), name))
        for name in ("seed_900/{}.log", "{}-seed_900.out"):  # the name of a job
            self.assertEqual(
                ["500"] * 3, self.jobs(job(500, 0, 3500, name="seed_900") + job(900, 0, 3500, name="gpt"), name)
            )

    def test_what_the_scheduler_prints_itself(self):
        """srun, salloc and slurmstepd name the job in its output, and LSF writes a report above it."""
        for head, tail in (
            ("srun: job 5101 queued and waiting for resources\nsrun: job 5101 has been allocated resources\n", ""),
            ("salloc: Granted job allocation 5101\n", ""),
            ("", "slurmstepd: error: *** JOB 5101 ON n1 CANCELLED AT 2026-11-01T00:20:00 DUE TO TIME LIMIT ***\n"),
            ("", "slurmstepd: error: *** STEP 5101.0 ON n1 CANCELLED AT 2026-11-01T00:20:00 ***\n"),
            ("Submitted batch job 5102\n", ""),
        ):
            self.assertEqual(
                ["5101" if "5101" in head + tail else None] * 3,
                self.jobs(
                    job(5101, 0, 3500) + job(5102, 0, 3500),
                    "train{}.log",
                    lambda i: head + megatron(60 + i, 1, 100) + tail,
                ),
                head + tail,
            )
        lsf = pathlib.Path(ROOT, "fixtures", "lsf", "lsb.acct").read_text(encoding="utf-8")
        for number in ("101", "103[2]"):
            report = f"Sender: LSF System <lsfadmin@n1>\nSubject: Job {number}: <python train.py> in cluster <c> Done\n\nJob <python train.py> was submitted from host <login1> by user <ann>.\nThe output (if any) follows:\n\n"
            self.assertEqual(
                [(number,)],
                self.rows(
                    "SELECT job FROM trace_sources(?) WHERE format = 'megatron'",
                    self.folder_of({"lsb.acct": lsf, "train.log": report + megatron(60, 1, 9)}),
                ),
            )

    def test_what_weights_and_biases_keeps_of_a_run(self):
        """Its folder has the program's output, and the job of Slurm, by which neither is called, or the host."""
        folder = "wandb/run-20261101_000000-abc123/files/"
        meta = {
            "startedAt": "2026-11-01T00:00:00Z",
            "gpu_count": 8,
            "host": "n7",
            "slurm": {"cpus_on_node": "8", "job_id": "5101", "jobid": "5101"},
        }
        for text, wanted in (
            (meta, "5101"),
            ({**meta, "slurm": {}}, None),
            ({**meta, "host": "n2.pod.site", "slurm": {}}, "5102"),
        ):
            path = self.folder_of(
                {
                    "sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200, name="gpt").replace("|n1\n", "|n2\n"),
                    folder + "output.log": megatron(60, 1, 100),
                    folder + "wandb-metadata.json": text,
                    "other/output.log": megatron(61, 1, 90),
                }
            )
            self.assertEqual(
                [(None,), (wanted,)],
                self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron' ORDER BY file", path),
            )

    def test_ids_within_words_and_names_in_other_letters(self):
        """A word that says that a job's id follows, zeros before it, and a name in letters of another size."""
        for name in (
            "job5101_{}.log",
            "JobID5101/{}.log",
            "slurm5101_{}.out",
            "j5101.{}.log",
            "job_0005101_{}.log",
            "id5101/{}.txt",
            "LLAMA_{}.log",
            "Llama/{}.out",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500, name="gpt"), name))
        for own, name in (
            ("train.sh", "train_{}.out"),
            ("pretrain_llama.sbatch", "pretrain_llama.{}.log"),
            ("llama 7b", "llama_7b-{}.log"),
            ("llama-7b", "Llama_7B/{}.log"),
            ("exp/llama.7b", "exp_llama_7b/{}.out"),
            ("gpt", "gpt/{}.log"),
            ("a_" * 20 + "b", "a_" * 20 + "b/{}.log"),
        ):
            with self.subTest(own=own, name=name):
                self.assertEqual(
                    ["5101"] * 3, self.jobs(job(5101, 0, 3500, name=own) + job(5102, 0, 3500, name="other"), name)
                )
        self.assertEqual(
            ["5101", "5102", "5103"],
            self.jobs(
                "".join(job(5101 + i, 3600 * i, 3600 * i + 3500, name="train.sh") for i in range(3)),
                "{}/train.out",
                lambda i: megatron(3600 * i + 60, 1, 100),
            ),
        )
        for own, name in (("gpt", "gpt_{}.log"), ("sh", "train.sh_{}.log"), ("train.shx", "train_{}.log")):
            self.assertEqual([None] * 3, self.jobs(job(5101, 0, 3500, name=own), name), own)
        for name in ("seed5101_{}.log", "step5101_{}.log", "5102_job5101_{}.log"):
            with self.subTest(name):
                self.assertEqual(
                    ["5102" if "5102" in name else None] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500), name)
                )

    def test_the_hidden_folder_of_hydra_s_launcher(self):
        """It keeps what each job of a sweep prints in .submitit below the sweep's folder; what else is hidden is not looked at."""
        array = "".join(job(f"5100_{task}", 0, 3500, raw=5101 + task, gpus=4) for task in range(3))
        self.assertEqual(
            ["5101", "5102", "5103"],
            self.jobs(array, "multirun/2026-11-01/00-00-30/.submitit/5100_{0}/5100_{0}_0_log.out"),
        )
        self.assertEqual([], self.jobs(array, "multirun/2026-11-01/00-00-30/.other/5100_{0}/5100_{0}_0_log.out"))

    def test_clusters_of_skypilot(self):
        """Their pods' label has the user's hash behind the name that the user, and the folder of a log, knows; of two users the time says which."""

        def cluster(name, user, start, end, node):
            one = pod(f"{name}-{user}-head", start, end, node=node)
            del one["metadata"]["ownerReferences"]
            one["metadata"].update(
                uid=name + user,
                labels={"parent": "skypilot", "skypilot-cluster-name": f"{name}-{user}"},
                annotations={"skypilot-cluster-name": name},
            )
            return one

        items = [cluster("mine", "a1b2c3d4", 0, 1200, "n1"), cluster("sky-0232-ann", "a1b2c3d4", 0, 1200, "n2")]
        for name in (
            "mine/sky-2026-11-01-00-01-00-123456/run.log",
            "mine.log",
            "mine-a1b2c3d4.log",
            "mine-a1b2c3d4-head.log",
        ):
            path = self.folder_of(
                {"list.json": {"apiVersion": "v1", "kind": "List", "items": items}, name: megatron(60, 1, 100)}
            )
            self.assertEqual(
                [("ml/mine-a1b2c3d4",)],
                self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path),
                name,
            )
        items.append(cluster("mine", "ffff0000", 1300, 2600, "n3"))
        for start, wanted in ((60, "ml/mine-a1b2c3d4"), (1360, "ml/mine-ffff0000")):
            path = self.folder_of(
                {
                    "list.json": {"apiVersion": "v1", "kind": "List", "items": items},
                    "mine/run.log": megatron(start, 1, 100),
                }
            )
            self.assertEqual([(wanted,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'megatron'", path))

    def test_folders_of_launchers(self):
        """torchrun makes RUN/attempt_N/RANK of its --log-dir; what stands above those names the job."""
        one = job(5101, 0, 3500)
        for name in (
            "5101_x8f3ab/attempt_0/{}/stdout.log",
            "logs/5101_x8f3ab/attempt_{}/0/stdout.log",
            "5101/rank_{}/out.log",
            "5101/attempt_{}/logs/out.log",
            "5101/global_rank0/{}/node_rank-0/out.log",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(one, name))
        self.assertEqual([None] * 3, self.jobs(one, "5101/a/b/{}.log"))

    def test_folders_of_launchers_without_a_scheduler(self):
        """A run's attempts are those of one job, and what a later one does again is lost; ranks are listed; a file that lies otherwise is a job of its own."""
        first, second = megatron(60, 1, 40, saves=(30,)), megatron(500, 31, 100, saves=(100,), load=30)
        tree = {"r/none_x/attempt_0/0/stderr.log": first, "r/none_x/attempt_1/0/stderr.log": second}
        for more in (
            {},
            {
                "r/none_x/attempt_0/1/stderr.log": first.replace("0.000000]", "1.000000]"),
                "r/none_x/attempt_1/1/stderr.log": second.replace("0.000000]", "1.000000]"),
            },
        ):
            path = self.folder_of(
                {
                    **tree,
                    **more,
                    "r/none_y/attempt_0/0/stdout.log": megatron(60, 1, 90, saves=(90,)),
                    "r/attempt_of_ann/x/out.log": megatron(60, 1, 80, saves=(80,)),
                }
            )
            self.assertEqual(
                [
                    ("r/attempt_of_ann/x/out.log", 1, 8 * 800, None),
                    ("r/none_x", 1, 8 * 300, 8 * 100),
                    ("r/none_x", 2, 8 * 700, None),
                    ("r/none_y", 1, 8 * 900, None),
                ],
                [(name.replace(path + "/", ""), *rest) for name, *rest in self.seconds(path)],
            )
            self.assertEqual(
                {"by the folder of its launcher", None},
                {
                    how
                    for how, in self.rows(
                        "SELECT json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'", path
                    )
                },
            )
        path = self.folder_of({**tree, "sacct.psv": SACCT + job(5101, 0, 1200)})  # beside one that does not know it
        self.assertEqual(
            [("5101", 1, None, None), ("r/none_x", 1, 8 * 300, 8 * 100), ("r/none_x", 2, 8 * 700, None)],
            sorted((name.replace(path + "/", ""), *rest) for name, *rest in self.seconds(path)),
        )
        self.assertEqual(
            [(1,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)", path)
        )
        option = json.dumps({"sources": [{"path": path + "/r/none_x", "job": "exp"}]})
        self.assertEqual(["exp", "exp"], [name for name, *_ in self.seconds(option)])

    def test_beside_a_native_trace(self):
        """Which may have no records of its jobs, only what they held. A log of none of them has chips of its own beside it, which is listed."""
        native = {
            "capacity.csv": f"pool,chip,chips,start_time,end_time\np,nvidia-h100-sxm,8,{T},{T + 1000}\n",
            "allocations.csv": "job,attempt,task,pool,chips,start_time,end_time,outcome\n"
            + f"5101,1,0,p,8,{T},{T + 1000},completed\n",
        }
        for jobs in ({}, {"jobs.csv": "job,chips\n5101,8\n"}):
            for name, chips, said in (
                ("logs/slurm-5101.out", 8, []),
                ("5101/train.log", 8, []),
                ("logs/train.log", 16, [("unmatched_log", 1)]),
            ):
                with self.subTest(name, jobs=bool(jobs)):
                    path = self.folder_of(native | jobs | {name: megatron(30, 1, 40)})
                    whole = "SELECT sum(chip_us * 1.0 / (end_time - start_time)) / 1e6 FROM trace_ledger(?1) WHERE start_time <= ?2 AND end_time > ?2"
                    self.assertAlmostEqual(chips, self.one(whole, path, T + 100), 6)
                    self.assertEqual(
                        said,
                        self.rows(
                            "SELECT kind, count FROM mpg_issues WHERE kind GLOB '*matched_log' AND instr(source, ?)",
                            path,
                        ),
                    )

    def test_a_log_that_began_days_before_its_job_does(self):
        """sacct --truncate gives a job the start of the window: the log, which lasts into it, is the job's, and what lies before is listed."""
        days = 4 * 86400
        log = megatron(30, 1, 10) + megatron(30, 11, 20).partition("\n")[2].replace("2026-11-01", "2026-11-05")
        path = self.folder_of({"sacct.psv": SACCT + job(5101, days, days + 600), "slurm-5101.out": log})
        self.assertEqual(
            [("5101", 8 * 600)],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued' GROUP BY job", path
            ),
        )
        self.assertEqual(
            8 * 100, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'unrated'", path)
        )
        listed = "SELECT kind, count FROM mpg_issues WHERE kind IN ('job_at_another_time', 'no_steps', 'span_without_allocation') AND instr(source, ?)"
        self.assertEqual([("span_without_allocation", 10)], self.rows(listed, path))
        path = self.folder_of({"sacct.psv": SACCT + job(5101, days, days + 600), "slurm-5101.out": megatron(30, 1, 10)})
        self.rows("SELECT * FROM trace_rollup(?)", path)
        self.assertEqual(
            [("job_at_another_time", 1)], self.rows(listed, path)
        )  # and not that the job's log has no step

    def test_a_log_that_began_before_the_scheduler_tells_of_anything(self):
        """An export's window begins while it runs, and nothing says that it ended: it is listed all the same, but not one that was over."""
        fleet = {
            "sacct.psv": SACCT + job(5101, 200, 3000),
            "kube.json": json.dumps({"kind": "List", "apiVersion": "v1", "items": [pod("x", 200, 3000)]}),
            "allocations.csv": f"job,pool,chips,start_time,end_time\n5101,p,8,{T + 200},{T + 3000}\n",
        }
        for name, text in fleet.items():
            for log, listed in (megatron(30, 1, 40), 1), (megatron(30, 1, 10), 0), (megatron(250, 1, 10), 1):
                with self.subTest(name, listed=listed):
                    path = self.folder_of({name: text, "logs/train.log": log})
                    self.seconds(path)
                    said = "SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_log' AND source = ?"
                    self.assertEqual(listed, self.one(said, path + "/logs/train.log"))
        header, installed = "capacity.csv", f"pool,chip,chips,start_time,end_time\np,nvidia-h100-sxm,8,{T},\n"
        runs = {
            "jobs": [
                {"job_id": 5101, "job_state": ["RUNNING"], "start_time": T + 200, "submit_time": T + 200, "nodes": "n1"}
            ]
        }
        runs["jobs"][0] |= {"tres_alloc_str": "gres/gpu=8", "tres_req_str": "gres/gpu=8", "cluster": "c"}
        runs |= {
            "last_update": T + 3000,
            "meta": {"plugin": {"type": "openapi/slurmctld"}, "slurm": {"release": "24.05.1"}},
        }
        for name, text, more in (
            (
                "allocations.csv",
                fleet["allocations.csv"],
                {header: installed},
            ),  # chips that are idle where the log had them
            ("squeue.json", json.dumps(runs), {}),  # jobs that run, until they were listed
        ):
            for log, listed in (
                (megatron(30, 1, 10), int(header in more)),
                (megatron(250, 1, 10), 1),
                (megatron(3300, 1, 10), 0),
            ):
                with self.subTest(name, listed=listed):
                    path = self.folder_of({name: text, **more, "logs/train.log": log})
                    self.seconds(path)
                    self.assertEqual(listed, self.one(said, path + "/logs/train.log"))

    def test_folders_that_programs_make(self):
        """Ray's sessions, Weights & Biases' runs, hydra's and people's dates, Lightning's versions: what stands above them names the job."""
        for name in (
            "5101/session_2026-11-01_00-00-30_123456_1/logs/worker-{}.out",
            "5101-head/session_latest/logs/job-driver-raysubmit_{}.log",
            "5101/wandb/run-20261101_00000{}-a1b2c3/files/output.log",
            "5101/wandb/offline-run-20261101_00000{}-a1b2c3/files/output.log",
            "5101/outputs/2026-11-01/00-00-3{}/train.log",
            "5101/2026/11/01/{}.log",
            "5101/lightning_logs/version_{}/train.log",
            "5101/logs/2026-11-0{}/stdout.txt",
            "5101/multirun/2026-11-01/00-00-30/{}/train.log",
        ):
            with self.subTest(name):
                self.assertEqual(["5101"] * 3, self.jobs(job(5101, 0, 3500), name))
        self.assertEqual(
            ["5101"] * 3, self.jobs(job(5101, 0, 3500) + job(5102, 0, 3500), "5102/version_5101/logs/{}.log")
        )
        self.assertEqual([None] * 3, self.jobs(job(5101, 0, 3500), "5101/session_5/logs/a/{}.log"))


if __name__ == "__main__":
    unittest.main()
