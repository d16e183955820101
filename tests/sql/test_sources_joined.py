"""Sources beside each other: which job a log is of, who wins, and what fills what (docs/sources.md)."""

import gzip
import json
import os
import shutil
import tempfile
import unittest

from fleets import ROOT
from source_files import EXPORTS, Folder, SENTENCE


class Joining(Folder):
    def test_the_sentence(self):
        rows = self.db.execute(SENTENCE, (os.path.join(EXPORTS, "fleet.json"),)).fetchall()
        self.assertEqual([("pod", None), ("pod", "training")], [row[:2] for row in rows])
        # Two jobs of 8 chips over 300 s. 5101: 10 steps of 20 s, saved to the end by success. 5102: failed, 8 steps of 25 s of
        # which 4 are saved. The chip-time of each is whole numbers of seconds.
        sums = {(job, category): us for job, category, us in self.sums(os.path.join(EXPORTS, "fleet.json"))}
        second = 8 * 10**6
        self.assertEqual(sums["5101", "ideal"] + sums["5101", "inefficiency"], 200 * second)
        self.assertEqual(sums["5101", "unknown"], 100 * second)
        self.assertEqual(sums["5102", "ideal"] + sums["5102", "inefficiency"], 100 * second)
        self.assertEqual(sums["5102", "lost"], 100 * second)
        self.assertEqual(sums["5102", "unknown"], 100 * second)
        ideal = (10 * 20 * 200e12 + 4 * 25 * 150e12) * 8 / self.one("SELECT chip_peak_flops('nvidia-h100-sxm', 'bf16')")
        self.assertAlmostEqual((sums["5101", "ideal"] + sums["5102", "ideal"]) / 1e6, ideal, 3)
        capacity = sum(us for (_, category), us in sums.items() if category != "queued")
        self.assertEqual(capacity, 16 * 320 * 10**6)
        self.assertAlmostEqual(rows[1][2], 1.0)
        self.assertAlmostEqual(rows[1][3], 300 / 600)
        self.assertAlmostEqual(
            self.one("SELECT mpg(category, chip_us) FROM trace_rollup(?)", os.path.join(EXPORTS, "fleet.json")),
            ideal / (16 * 320),
        )

    def test_idle_before_the_first_job(self):
        """Capacity that an export tells from long before its first job on: of a day, and of a tenth of the time, it is listed."""
        sacct = "JobIDRaw|JobID|Cluster|Partition|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
        sacct += "7|7|c|c|COMPLETED|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-{:02}T00:00:00|1|gres/gpu=8|gres/gpu=8|n1\n"
        events = "Cluster|ClusterNodes|Event|NodeName|TimeStart|TimeEnd|Reason|State|User|TRES\n"
        events += "c|n1|Cluster||2026-{}T00:00:00|Unknown|Cluster Registered TRES|||gres/gpu=8\n"
        made = {
            "name": "n1",
            "uid": "n1",
            "creationTimestamp": "2026-09-01T00:00:00Z",
            "labels": {"cloud.google.com/gke-nodepool": "c"},
        }
        held = {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}}
        begun = {"creationTimestamp": "2026-11-01T00:00:00Z", "name": "p", "namespace": "d", "uid": "p"}
        kube = [
            {
                "kind": "Node",
                "metadata": made,
                "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}},
            },
            {
                "kind": "Pod",
                "metadata": begun,
                "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": held}]},
                "status": {"phase": "Running", "startTime": begun["creationTimestamp"]},
            },
        ]
        native = {
            "capacity.csv": "pool,chips,start_time,end_time\nc,8,2026-09-01,2026-11-02\n",
            "allocations.csv": "job,pool,chips,start_time,end_time\nj,c,8,2026-11-01,2026-11-02\n",
        }
        for files, days in (
            ({"sacct.psv": sacct.format("11"), "events.psv": events.format("09-01")}, 61),
            ({"sacct.psv": sacct.format("11"), "events.psv": events.format("10-29")}, 3),
            ({"sacct.psv": sacct.format("30"), "events.psv": events.format("10-29")}, None),
            ({"sacct.psv": sacct.format("02"), "events.psv": events.format("10-31")}, None),
            ({"kube.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": kube})}, 61),
            (native, None),
            (native | {"sacct.psv": sacct.format("11")}, None),
        ):
            with self.subTest(list(files), days=days), tempfile.TemporaryDirectory() as folder:
                for name, text in files.items():
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(text)
                self.assertGreater(
                    self.one("SELECT sum(chip_us) FROM trace_rollup(?) WHERE category = 'idle'", folder), 0
                )
                said = f"pools whose chips are idle from when they were installed to the first job of the exports, c for {days} days: if jobs were exported from later on, give since"
                self.assertEqual(
                    [(1, said)] if days else [],
                    self.rows(
                        "SELECT count, detail FROM mpg_issues WHERE kind = 'idle_before_jobs' AND instr(source, ?)",
                        folder,
                    ),
                )

    def test_names_order_and_packing_change_nothing(self):
        expected = self.sums(EXPORTS)
        self.copy("sacct.psv", "train_step.hlo", to="z")
        self.copy("events.psv", to="a/b")
        shutil.copy(os.path.join(EXPORTS, "job_5102.out"), os.path.join(self.folder, "0_5102"))
        with open(os.path.join(EXPORTS, "maxtext-5101.log"), "rb") as file, gzip.open(
            os.path.join(self.folder, "slurm-5101.out.gz"), "wb"
        ) as out:
            out.write(file.read())
        self.write("README", "nothing\n")
        self.assertEqual(expected, self.sums(self.folder))

    def test_a_timeline_leads_to_the_files(self):
        """Of a source of one file it names that, of one of several its format; a line is that of a reader, and of no mapping."""
        for path in ("exports", "training", "trainer", "h100", "slurm/sacct_jobs.psv", "training/maxtext.log"):
            path = os.path.join(ROOT, "fixtures", path)
            files, several = {}, set()
            for source, file, format, others in self.rows(
                "SELECT source, file, format, count(*) OVER (PARTITION BY source) FROM trace_sources(?) WHERE source IS NOT NULL",
                path,
            ):
                files[file] = format
                several |= {f"{path}: {format}"} if others > 1 else {file}
            found = self.rows(
                "SELECT DISTINCT _file, _line FROM trace_timeline(?) WHERE kind IS NOT NULL OR category NOT IN ('queued')",
                path,
            )
            self.assertGreater(len(found), 0)
            self.assertLessEqual({file for file, _ in found} - {None}, several)
            self.assertEqual({None}, {line for _, line in found})
            self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind = 'unknown_column'"))
        named = dict(
            self.rows(
                "SELECT DISTINCT job, _file FROM trace_timeline(?) WHERE kind = 'step'",
                os.path.join(ROOT, "fixtures/exports"),
            )
        )
        self.assertEqual(["job_5102.out", "maxtext-5101.log"], sorted(map(os.path.basename, named.values())))
        for job, file in named.items():
            self.assertIn(os.path.basename(file), {"5101": "maxtext-5101.log", "5102": "job_5102.out"}[job])
        self.assertEqual(
            *(
                self.rows(
                    f"SELECT category, sum(chip_us) FROM {table}(?) WHERE job IS NOT NULL GROUP BY 1",
                    os.path.join(ROOT, "fixtures/exports"),
                )
                for table in ("trace_timeline", "trace_rollup")
            )
        )

    def test_no_source_erases_another(self):
        """Two trainers without a scheduler: each is a job, and each keeps its spans."""
        self.copy("maxtext-5101.log", "job_5102.out")
        fleet = json.dumps({"sources": [{"path": self.folder, "year": 2026}]})
        rows = self.sums(fleet, "framework, category = 'untraced'")
        self.assertEqual([("jax", 0), ("pytorch", 0)], [row[:2] for row in rows])

    def test_year_from_the_job(self):
        row = self.db.execute(
            "SELECT missing, inferred, job FROM trace_sources(?) WHERE format = 'maxtext'", (EXPORTS,)
        ).fetchone()
        self.assertEqual((None, "5101"), (row[0], row[2]))
        self.assertEqual({"job": "by its file's name", "year": "the year in which its job ran"}, json.loads(row[1]))
        self.copy("maxtext-5101.log")
        row = self.db.execute("SELECT missing FROM trace_sources(?)", (self.folder,)).fetchone()
        self.assertEqual(("year",), row)

    def test_logs_without_a_clock_begin_with_their_jobs(self):
        """Each with its own, and all logs of a trainer are one source: a script that runs for each takes hours where they are thousands."""
        lines = {
            "maxtext": "completed step: %d, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0\n",
            "nanogpt": "iter %d: loss 3.0000, time 2000.00ms, mfu 30.00%%\n",
            "megatron": " iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 3.0E+00 |\n",
            "trainer": "Training epoch 0, iteration %d/99 | global_step: 1 | train_step_timing in s: 2.0\n",
        }
        jobs = {101 + i: "2026-03-%02dT%02d" % (1 + i, i) for i in range(12)}
        self.write(
            "sacct.psv",
            "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
            + "".join(
                f"{job}|{job}|t|c|COMPLETED|{at}:00:00|{at}:00:10|{at}:05:10|1|gres/gpu=8|gres/gpu=8|n1\n"
                for job, at in jobs.items()
            ),
        )
        for place, job in enumerate(jobs):
            name, line = list(lines.items())[place % 4]
            clock = "2026-03-%02d %02d:01:40 " % (1 + place, place) if name == "maxtext" and place == 4 else ""
            self.write(f"train-{job}.log", "".join((clock if i == 0 else "") + line % i for i in range(20)))
        found = self.db.execute(
            "SELECT format, count(DISTINCT source), count(*), sum(json_extract(inferred, '$.start') = 'the start of its job') "
            "FROM trace_sources(?) WHERE job IS NOT NULL GROUP BY format",
            (self.folder,),
        ).fetchall()
        self.assertEqual(
            [("maxtext", 1, 3, 2), ("megatron", 1, 3, 3), ("nanogpt", 1, 3, 3), ("trainer", 1, 3, 3)], found
        )
        begun = self.db.execute(
            "SELECT job, min(start_time) - CAST(strftime('%s', '2026-03-01') AS INTEGER) FROM trace_records(?) WHERE record = 'spans' GROUP BY job",
            (self.folder,),
        ).fetchall()
        expected = [(str(job), 90000 * i + (100 if i == 4 else 10)) for i, job in enumerate(jobs)]
        self.assertEqual([job for job, _ in expected], [job for job, _ in begun])
        for (job, at), (_, found) in zip(expected, begun):
            self.assertLessEqual(abs(found - at), 4, job)

    def test_times_are_numbers(self):
        """Of a source whose records have texts, too, and of one without a fraction of a second."""
        for path in ("public/philly", "public/helios", "public/acme", "slurm", "condor", "fleet"):
            with self.subTest(path):
                row = self.db.execute(
                    "SELECT group_concat(DISTINCT typeof(first_time)), group_concat(DISTINCT typeof(last_time)), min(last_time - first_time), min(first_time) "
                    "FROM trace_sources(?) WHERE source IS NOT NULL AND first_time IS NOT NULL",
                    (os.path.join(ROOT, "fixtures", path),),
                ).fetchone()
                self.assertEqual(("real", "real"), row[:2])
                self.assertGreater(row[2], 0)
                self.assertGreater(row[3], 1e9)

    def test_a_log_that_tells_when_it_began(self):
        """nvidia-smi's date is a start of the log's own, and not its job's."""
        shutil.copy(os.path.join(ROOT, "fixtures", "training", "nanogpt.log"), self.folder)
        self.assertEqual([(None,)], self.db.execute("SELECT missing FROM trace_sources(?)", (self.folder,)).fetchall())

    def test_a_log_has_another_name_of_its_job(self):
        head = "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
        times = "2026-03-02T10:00:00|2026-03-02T10:00:10|2026-03-02T10:05:10|1|gres/gpu=8|gres/gpu=8|n1"
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "trainer-0",
                "namespace": "ml",
                "uid": "0f3c-77",
                "labels": {"batch.kubernetes.io/job-name": "trainer"},
                "creationTimestamp": "2026-03-02T10:00:00Z",
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "trainer", "uid": "9", "controller": True}
                ],
            },
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
            "status": {"phase": "Running", "startTime": "2026-03-02T10:00:10Z"},
        }
        pbs = "03/02/2026 10:00:10;S;77[3].server;user=a queue=q ctime=1772445600 start=1772445610 exec_host=n1/0*8 Resource_List.ngpus=8 Resource_List.nodect=1\n"
        cases = [
            (
                "sacct.psv",
                f"{head}127|123_4|a|c|COMPLETED|{times}\n128|123_5|a|c|COMPLETED|{times}\n",
                [("slurm-123_4.out", "127"), ("slurm-123_5.out", "128")],
            ),
            (
                "sacct.psv",
                f"{head}200|200+0|a|c|COMPLETED|{times}\n201|200+1|a|c|COMPLETED|{times}\n",
                [("slurm-200+1.out", "201")],
            ),
            (
                "sacct.psv",
                f"{head}300|300|a|c|COMPLETED|{times}\n301|301|a|d|COMPLETED|{times}\n",
                [("slurm-301.out", "d/301")],
            ),
            (
                "pods.json",
                json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}),
                [("trainer-0.log", "ml/trainer"), ("0f3c-77.log", "ml/trainer")],
            ),
            ("accounting", pbs, [("train.o77.3", "77[3].server"), ("job-77_3.log", "77[3].server")]),
        ]
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for name, text, logs in cases:
            for path, job in logs:
                with self.subTest(path):
                    written = [self.write(name, text), self.write(path, log)]
                    self.assertEqual(
                        [(job,)],
                        self.db.execute(
                            "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                        ).fetchall(),
                    )
                for path in written:
                    os.remove(path)

    def test_a_log_names_its_job(self):
        """What a job prints of its environment, in the forms of the shell, of JSON, and of JSON in a string."""
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "trainer-0-x7k2p",
                "namespace": "ml",
                "uid": "0f3c-77",
                "labels": {"batch.kubernetes.io/job-name": "trainer"},
                "creationTimestamp": "2026-03-02T10:00:00Z",
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "trainer", "uid": "9", "controller": True}
                ],
            },
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
            "status": {"phase": "Running", "startTime": "2026-03-02T10:00:10Z"},
        }
        self.copy("sacct.psv", "events.psv")
        self.write("pods.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}))
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for said, job in (
            ("SLURM_JOB_ID=5102", "5102"),
            ('{"USER": "a", "SLURM_JOB_ID": "5102"}', "5102"),
            ('{"env": "{\\"SLURM_JOB_ID\\": \\"5102\\"}"}', "5102"),
            ("environ({'SLURM_JOBID': '5102', 'HOSTNAME': 'trainer-0-x7k2p'})", "5102"),
            ("HOSTNAME=trainer-0-x7k2p", "ml/trainer"),
            ('{"POD_NAME": "trainer-0-x7k2p", "HOSTNAME": "node"}', "ml/trainer"),
            ("export MY_POD_NAME='trainer-0-x7k2p'", "ml/trainer"),
            ("SLURM_JOB_ID=77", "77"),
            ("HOSTNAME=node-17", None),
            ("HOSTNAME=10-0-0-7", None),
        ):
            with self.subTest(said):
                self.write("train.log", said + "\n" + log)
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )

    def test_a_log_of_an_array_names_an_id_that_the_export_lacks(self):
        """sacct's own columns have JobID alone, 123_4, while the task prints 127; LSF's tasks print their array's id and their number."""
        line = "p|2026-03-02T09:00:00|2026-03-02T10:00:10|2026-03-02T10:05:10|COMPLETED|billing=1,gres/gpu:h100=8|1|00:05:00"
        self.write(
            "sacct.txt",
            "JobID|Partition|Submit|Start|End|State|AllocTRES|NNodes|Elapsed\n"
            + "".join(f"{job}|{line}\n" for job in ("123_4", "123_5", "9")),
        )
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        array = "SLURM_ARRAY_TASK_ID=4\nSLURM_JOB_ID=127\nSLURM_ARRAY_JOB_ID=123"
        for name, said, job in (
            ("slurm-123_4.out", "SLURM_JOB_ID=127", "123_4"),
            ("train.log", array, "123_4"),
            ("train.log", json.dumps({"SLURM_ARRAY_JOB_ID": "123", "SLURM_ARRAY_TASK_ID": "5"}), "123_5"),
            ("train.log", "SLURM_JOB_ID=127", "127"),
            ("run-9.log", "SLURM_JOB_ID=127", "127"),  # one number may be any
            ("slurm-123_4.out", "SLURM_JOB_ID=9", "9"),
            ("train.log", array.replace("127", "9"), "9"),
            ("train.log", array.replace("123", "124"), "127"),
        ):
            with self.subTest(name=name, said=said):
                path = self.write(name, said + "\n" + log)
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )
                os.remove(path)
        os.remove(os.path.join(self.folder, "sacct.txt"))
        for export, said, job in (
            ("lsf/lsb.acct", "LSB_JOBID=103\nLSB_JOBINDEX=2", "103[2]"),
            ("lsf/lsb.acct", "LSB_JOBINDEX=0\nLSB_JOBID=102", "102"),
            ("sge/accounting", "SGE_TASK_ID=1\nJOB_ID=103", "103.1"),
            ("sge/accounting", "JOB_ID=102\nSGE_TASK_ID=undefined", "102"),
        ):
            with self.subTest(export=export, said=said):
                paths = shutil.copy(os.path.join(ROOT, "fixtures", export), self.folder), self.write(
                    "train.log", said + "\n" + log
                )
                self.assertEqual(
                    [(job,)],
                    self.db.execute(
                        "SELECT job FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
                    ).fetchall(),
                )
                for path in paths:
                    os.remove(path)

    def test_ambiguous_name(self):
        self.copy("sacct.psv", "events.psv")
        shutil.copy(os.path.join(EXPORTS, "job_5102.out"), os.path.join(self.folder, "5101-5102"))
        self.sums(self.folder)
        self.assertEqual(
            [("ambiguous_job",)],
            self.db.execute(
                "SELECT kind FROM mpg_issues WHERE severity = 'warning' AND source LIKE '%5101-5102'"
            ).fetchall(),
        )

    def jobs_of_one_name(self, *times):
        """An export of jobs 11, 12, ... by the name of llama, each five minutes of 8 chips from a time of the day."""
        head = "JobIDRaw|JobID|JobName|Cluster|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList\n"
        return head + "".join(
            f"{job}|{job}|llama|c|TIMEOUT|2026-03-02T09:00:00|2026-03-02T{at}:10|2026-03-02T{at[:3]}{int(at[3:]) + 5:02}:10|1|gres/gpu=8|gres/gpu=8|n1\n"
            for job, at in enumerate(times, 11)
        )

    def log_of(self, *hours):
        """Steps of five minutes at each hour, as the log of job 5102 has them, whose steps end from 10:01:25 on."""
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            head, *lines = file.read().splitlines(keepends=True)
        return head + "".join(line.replace(" 10:0", f" {hour}:0") for hour in hours for line in lines)

    def steps_of(self, path):
        return dict(self.sums(path, "job")[1:]), dict(
            self.db.execute(
                "SELECT job, sum(chip_us) / 8000000 FROM trace_rollup(?) WHERE category IN ('unrated', 'ideal', 'inefficiency', 'lost') "
                "GROUP BY job",
                (path,),
            )
        )

    def test_a_name_of_several_jobs_and_the_time(self):
        """The job that ran when the log was written; of jobs that ran at once none."""
        self.write("sacct.psv", self.jobs_of_one_name("09:00", "10:00", "11:00"))
        self.write("llama.out", self.log_of("10"))
        self.assertEqual(
            [("12", '{"job":"by its name and its time"}')],
            self.db.execute(
                "SELECT job, inferred FROM trace_sources(?) WHERE format = 'megatron'", (self.folder,)
            ).fetchall(),
        )
        self.assertEqual(["12"], list(self.steps_of(self.folder)[1]))
        self.write("sacct.psv", self.jobs_of_one_name("10:00", "10:00", "11:00"))
        self.sums(self.folder)
        self.assertEqual(
            [("its name fits more than one job: 11,12",)],
            self.db.execute("SELECT detail FROM mpg_issues WHERE kind = 'ambiguous_job'").fetchall(),
        )

    def test_one_log_of_jobs_one_after_the_other(self):
        """Each has the steps that ran in its time, whether the log has their name or the id of the first."""
        self.write("sacct.psv", self.jobs_of_one_name("09:00", "10:00", "11:00"))
        once = self.write("12.out", self.log_of("10"))
        one = self.steps_of(self.folder)[1]["12"]
        os.remove(once)
        for name in ("llama.out", "slurm-11.out"):
            with self.subTest(name):
                path = self.write(name, self.log_of("09", "10", "11"))
                self.assertEqual({"11": one, "12": one, "13": one}, self.steps_of(self.folder)[1])
                self.assertEqual(
                    0,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind IN ('span_without_allocation', 'unmatched_log', 'ambiguous_job')"
                    ),
                )
                self.assertEqual(
                    [(None, "by the times of its records: 3 jobs")],
                    self.db.execute(
                        "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'",
                        (self.folder,),
                    ).fetchall(),
                )
                os.remove(path)

    def test_runs_that_follow_a_complete_one_in_one_job(self):
        """The scheduler sees one attempt. Neither run undoes the other, whether the log's job was found or given, and none has other chips."""
        self.write(
            "sacct.psv", self.jobs_of_one_name("10:00").replace("10:05:10", "10:25:10").replace("TIMEOUT", "COMPLETED")
        )
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            megatron = file.read().replace("/     100", "/       8")
        head, *lines = megatron.splitlines(keepends=True)
        megatron += "".join(lines).replace(" 10:0", " 10:1")
        with open(os.path.join(EXPORTS, "maxtext-5101.log"), encoding="utf-8") as file:
            head, config, *lines = file.read().splitlines(keepends=True)
        lines = [line for line in lines if "completed step" in line]
        maxtext = head + config + "".join(lines) + head + config + "".join(lines).replace(" 10:0", " 10:1")
        for text, steps, seconds in ((megatron, 16, 25), (maxtext, 20, 20)):
            for options in ({}, {"job": "11"}):
                with self.subTest(head=text[:10], options=options):
                    log = self.write("slurm-11.log" if not options else "run.log", text)
                    path = json.dumps(
                        {"sources": [{"path": os.path.join(self.folder, "sacct.psv")}, {"path": log, **options}]}
                    )
                    rows = self.sums(path, "job, category")
                    os.remove(log)
                    self.assertEqual({"11"}, {job for job, *_ in rows if job})
                    self.assertEqual(
                        steps * seconds * 8 * 10**6,
                        sum(us for _, category, us in rows if category in ("unrated", "ideal", "inefficiency")),
                    )
                    self.assertEqual([], [row for row in rows if row[1] == "lost"])

    def test_a_log_of_no_job(self):
        """Its chips count beside those of the scheduler, which is said; not if it is of another month."""
        self.copy("sacct.psv", "events.psv")
        for day, said in (("2026-03-02", 1), ("2026-04-02", 0)):
            with self.subTest(day):
                self.write("run.out", self.log_of("10").replace("2026-03-02", day))
                self.sums(self.folder)
                self.assertEqual(
                    said,
                    self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_log' AND source LIKE '%run.out'"),
                )

    def test_a_log_of_another_time(self):
        self.copy("sacct.psv", "events.psv")
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            path = self.write("job_5102.out", file.read().replace("2026-03-02", "2026-05-09"))
        self.sums(self.folder)
        self.assertEqual(1, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'job_at_another_time'"))
        given = json.dumps({"sources": [{"path": os.path.join(self.folder, "*.psv")}, {"path": path, "job": "5102"}]})
        self.sums(given)  # the option is no guess: it stays the job's, and what lies outside is listed
        self.assertEqual(
            [("span_without_allocation",)],
            self.db.execute(
                "SELECT kind FROM mpg_issues WHERE kind IN ('job_at_another_time', 'span_without_allocation', 'unmatched_log')"
            ).fetchall(),
        )

    def test_native_beside_others(self):
        self.copy("sacct.psv", "events.psv")
        for name in os.listdir(os.path.join(ROOT, "fixtures", "golden")):
            shutil.copy(os.path.join(ROOT, "fixtures", "golden", name), self.folder)
        golden = dict(
            self.db.execute(
                "SELECT category, sum(chip_us) FROM trace_rollup(?) WHERE job IN ('J1', 'J2') GROUP BY 1",
                (os.path.join(ROOT, "fixtures", "golden"),),
            )
        )
        self.assertEqual(
            golden,
            dict(
                self.db.execute(
                    "SELECT category, sum(chip_us) FROM trace_rollup(?) WHERE job IN ('J1', 'J2') GROUP BY 1",
                    (self.folder,),
                )
            ),
        )

    def test_pools_that_a_source_observes_without_a_record(self):
        """All pools of a source are observed as long as it is, beside others too: of tables that are built from it as well."""
        self.write(
            "events.psv",
            "Cluster|Cluster Nodes|Event|NodeName|TimeStart|TimeEnd|Reason|State|User|TRES\n"
            "c|n1|Cluster||1000|Unknown|Cluster Registered TRES|||gres/gpu=8\n"
            "d|m1|Cluster||1000|Unknown|Cluster Registered TRES|||gres/gpu=4\n",
        )
        self.write(  # asked 600 s after job 1 began
            "sacct.psv",
            "Cluster|JobID|State|Submit|Start|End|Elapsed|AllocTRES\nc|1|RUNNING|1000|1000|Unknown|00:10:00|gres/gpu=8\n"
            "d|2|COMPLETED|1000|1000|1100|00:01:40|gres/gpu=4\n",
        )
        swf = "; MaxProcs: 2\n; UnixStartTime: {}\n1 0 0 50 2 -1 -1 2 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
        ends = [("c", 1600.0), ("d", 1600.0)]
        for other in (None, 1000, 1500, 5000):
            if other is not None:
                self.write("other.swf", swf.format(other))
            with self.subTest(other):
                asked = "SELECT pool, max(end_time) FROM {} WHERE pool IN ('c', 'd') GROUP BY pool"
                self.assertEqual(ends, self.rows(asked.format("trace_ledger(?)"), self.folder))
                self.rows("SELECT mpg_import(?)", self.folder)
                self.assertEqual(ends, self.rows(asked.format("mpg_ledger")))

    def test_a_log_of_no_job_that_goes_on_for_longer(self):
        """It holds no chips, and says nothing of the pools of others."""
        self.copy("sacct.psv", "events.psv")
        asked = "SELECT pool, max(end_time) FROM trace_ledger(?) WHERE pool IS NOT NULL GROUP BY pool"
        alone = self.rows(asked, self.folder)
        with open(os.path.join(ROOT, "fixtures", "nvrx", "ft_launcher.log"), encoding="utf-8") as file:
            self.write("launcher.log", file.read().replace("2026-03", "2027-03"))
        self.assertEqual(alone, self.rows(asked, self.folder))

    def test_spans_of_ones_own_beside_a_scheduler(self):
        """They are a log of its jobs: what runs is observed until they end, in each way to ask. Those of no job of it say nothing."""
        self.write(
            "sacct.psv", "Cluster|JobID|State|Submit|Start|End|AllocTRES\nc|1|RUNNING|1000|1000|Unknown|gres/gpu=8\n"
        )
        asked = "SELECT max(end_time) FROM {} WHERE pool = 'c'"
        for job, end in (("1", 5000.0), ("2", None)):
            self.write("spans.csv", f"job,kind,start_time,end_time,step\n{job},step,4000,5000,1\n")
            self.rows("SELECT mpg_import(?)", self.folder)
            found = self.rows(asked.format("trace_ledger(?)"), self.folder) + self.rows(asked.format("mpg_ledger"))
            self.assertEqual([(end,)] * 2, found)

    def test_records_of_others(self):
        """What Loguru serialises has a record, which is an object: a log. A native record that is misspelt is named as one."""
        lines = [
            json.dumps(
                {
                    "text": f"x | iteration {step}/ 100 |\n",
                    "record": {
                        "message": f"iteration {step}/ 100 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.0 |",
                        "job": "a",
                        "time": {"timestamp": 1793491200 + step},
                    },
                }
            )
            for step in range(1, 9)
        ]
        log = "\n".join(lines) + "\n"
        for at, text in enumerate((log, '{"record": null, "job": "a"}', '{"record": "A", "name": "example.org"}')):
            path = self.folder_of({"run.log": text})
            self.assertNotIn("native", str(self.rows("SELECT format FROM trace_sources(?)", path)))
            self.assertEqual(
                [] if at == 0 else [("ignored_file",)],
                self.rows("SELECT DISTINCT kind FROM mpg_issues WHERE kind IN ('ignored_file', 'unreadable_file')"),
                text,
            )
        self.assertEqual(
            [(8,)], self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?)", self.folder_of({"run.log": log}))
        )
        for text in (
            '{"record":"spans","job":"a"}\n',
            '{"record" : "Job", "job":"a"}\n',
            '{"record":"x","pool":"a"}\n',
            '{"record":5,"pool":"a"}\n{"record":"job","job":"a"}\n',
        ):
            self.assertRegex(
                str(self.rows("SELECT reason FROM trace_sources(?)", self.folder_of({"run.jsonl": text}))),
                "expected a record of capacity, outage",
                text,
            )
        self.assertEqual(
            [("native",)],
            self.rows(
                "SELECT format FROM trace_sources(?)", self.folder_of({"run.json": '[{"job":"a","record":"job"}]'})
            ),
        )

    def test_programs_that_no_span_names(self):
        """HLO beside a log whose steps name no program rates nothing, which a row says; beside spans of its program it does."""
        self.copy("train_step.hlo")
        said = lambda: self.rows(
            "SELECT source FROM mpg_issues WHERE kind = 'ignored_file' AND detail GLOB '*no span names*'"
        )
        self.write("run.log", "iter 0: loss 1.0, time 10.00ms, mfu 1.0%\niter 1: loss 1.0, time 10.00ms, mfu 1.0%\n")
        self.sums(self.folder)
        self.assertEqual([(os.path.join(self.folder, "train_step.hlo"),)], said())
        program = self.one("SELECT program FROM trace_hlo_programs(?, 'nvidia-h100-sxm')", self.folder)
        self.write("spans.csv", f"job,kind,start_time,end_time,step,program\nj,step,1,2,1,{program}\n")
        self.sums(self.folder)
        self.assertEqual([], said())

    def test_a_native_trace_calls_a_job_by_its_alias(self):
        """Programs know an array's task as 123_4, Slurm's database as 127 as well; with and without records of the jobs."""
        self.write(
            "sacct.psv",
            "JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes|Elapsed\n"
            + "".join(
                f"123_{task}|{raw}|p|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T10:00:00|COMPLETED|billing=1,gres/gpu:h100=8|1|01:00:00\n"
                for task, raw in ((4, 127), (5, 128))
            ),
        )
        spans = "".join(
            f'{{"record":"span","job":"123_{task}","kind":"{kind}","start_time":"2026-03-02T{a}:00Z","end_time":"2026-03-02T{b}:00Z","step":0}}\n'
            for task in (4, 5)
            for kind, a, b in (("init", "09:00", "09:10"), ("step", "09:10", "10:00"))
        )
        for jobs in ("", '{"record":"job","job":"123_4"}\n{"record":"job","job":"123_5"}\n'):
            self.write("spans.jsonl", jobs + spans)
            self.assertEqual(
                [
                    (job, category, minutes * 60 * 8 * 10**6)
                    for job in ("127", "128")
                    for category, minutes in (("startup", 10), ("unrated", 50))
                ],
                self.rows("SELECT job, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2", self.folder),
            )
            self.assertEqual([], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'span_without_allocation'"))

    def test_a_native_trace_that_differs_from_the_scheduler(self):
        """The scheduler says who held what; what the trace says else of a job is listed."""
        self.copy("sacct.psv", "events.psv")
        right = self.sums(self.folder)
        for chips, end, said in ((8, "10:05:10", 0), (16, "10:05:10", 1), (8, "10:04:00", 1)):
            with self.subTest(chips=chips, end=end):
                self.write(
                    "allocations.csv",
                    f"job,attempt,pool,chips,start_time,end_time,outcome\n5101,1,pod,{chips},2026-03-02T10:00:10Z,2026-03-02T{end}Z,completed\n",
                )
                self.assertEqual(right, self.sums(self.folder))
                self.assertEqual(
                    said,
                    self.one(
                        "SELECT count(*) FROM mpg_issues WHERE kind = 'conflicting_job' AND detail LIKE '%job 5101 held%'"
                    ),
                )


if __name__ == "__main__":
    unittest.main()
