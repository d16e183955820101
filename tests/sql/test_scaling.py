"""test_scaling.py - what scripts of sql/ take grows with their input and not with its square: in steps of SQLite's machine, not in seconds."""

import json
import os
import re
import time
import unittest

import cases
from fleets import ROOT, connect
from scripts import script_text

SLURM = (
    "Cluster JobIDRaw JobID job_base array_task array_count step JobName User Account QOS Partition state_base outcome Submit Start End NNodes req_gpus "
    "alloc_gpus req_gpu_types alloc_gpu_types nodes Comment Constraints Reservation WCKey ReqTRES AllocTRES NCPUS ElapsedRaw Elapsed Suspended TimelimitRaw StdOut StdErr WorkDir last_update _file _line"
).split()
GRANULE = 100  # steps of which one call is told


class Case(cases.Case):
    FEW, TIMES = 60, 4

    def fill(self, name, columns, rows):
        """The input of a script, as a program makes it: rows are dicts, whatever they lack is NULL."""
        self.db.execute(
            "CREATE TEMP TABLE IF NOT EXISTS %s (%s)" % (name, ", ".join('"%s"' % column for column in columns))
        )
        self.db.executemany(
            "INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(columns))),
            [[row.get(column) for column in columns] for row in rows],
        )

    def steps(self, make, n, *scripts):
        """Taken by scripts of sql/, or statements, with the input and the parameters that make(n) makes."""
        self.db.close()
        self.db = connect()
        parameters = make(n) or {}
        calls = []
        self.db.set_progress_handler(lambda: calls.append(1) and 0, GRANULE)
        for script in scripts:
            if script.endswith(".sql"):
                unset = dict.fromkeys(re.findall(r":(\w+)", script_text(os.path.join("sql", script))))
                self.script(script, **{**unset, **parameters})
            else:
                self.rows(script)
        self.db.set_progress_handler(None, 0)
        return GRANULE * len(calls)

    def each(self, make, *scripts):
        """Steps for one more of what make() makes, once with few and once with many: the second are more where time is quadratic."""
        few, more, many = (self.steps(make, self.FEW * n, *scripts) for n in (1, 2, 2 * self.TIMES))
        return (more - few) / self.FEW, (many - more) / (self.FEW * 2 * (self.TIMES - 1))

    def grows(self, make, *scripts, most=None):
        """Linear, and of no more steps for each than `most`."""
        first, later = self.each(make, *scripts)
        self.assertLess(later, 1.1 * first)
        if most is not None:
            self.assertLess(later, most)


class Ledger(Case):
    FEW = 1000

    def test_a_pool_whose_chips_change_often(self):
        """Each time of a job looks up the chips of its pool, and not all that the pool ever had."""

        def make(n):
            self.fill(
                "capacity",
                ["pool", "chip", "chips", "start_time", "end_time"],
                (
                    {"pool": "p", "chip": f"tpu-v{3 + i % 2}", "chips": 8, "start_time": 9 * i, "end_time": 9 * i + 9}
                    for i in range(n)
                ),
            )
            self.fill(
                "allocations",
                ["job", "attempt", "pool", "chips", "start_time", "end_time"],
                (
                    {
                        "job": "j",
                        "attempt": i // 200,
                        "pool": "p",
                        "chips": 1 + i % 8,
                        "start_time": 9 * i + 1,
                        "end_time": 9 * i + 12,
                    }
                    for i in range(n)
                ),
            )

        self.grows(make, "SELECT count(*) FROM mpg_rollup")


class Build(Case):
    FEW = 200

    def test_ends_that_come_later(self):
        """An end finds the open record whose place it takes, and not all that look alike."""
        kinds = {
            "commits without a step": lambda i: dict(record="commit", job="j", snapshot_time=i, durable_time=i + 1),
            "commits of one step": lambda i: dict(
                record="commit", job="j", step=1, snapshot_time=i, durable_time=i + 1
            ),
            "spans of one time": lambda i: dict(
                record="span", job="j", kind="step", start_time=1, end_time=i + 2, step=i
            ),
            "allocations of one time": lambda i: dict(
                record="allocation", job="j", attempt=1, pool="p", chips=1, task=str(i), start_time=0, end_time=i + 2
            ),
        }
        for name, record in kinds.items():

            def make(n):
                folder = self.new_folder()
                for part in ("early", "late"):
                    with open(os.path.join(folder, part + ".jsonl"), "w", encoding="utf-8") as file:
                        for i in range(n):
                            row = record(i)
                            row.pop(
                                "" if part == "late" else "durable_time" if "durable_time" in row else "end_time", None
                            )
                            print(json.dumps(row), file=file)
                self.db.isolation_level = None
                self.rows("SELECT mpg_build(?)", os.path.join(folder, "early.jsonl"))
                self.rows("INSERT OR REPLACE INTO mpg_config VALUES ('trace', ?)", os.path.join(folder, "late.jsonl"))

            with self.subTest(name):
                self.grows(make, "SELECT mpg_build(NULL)")


class Slurm(Case):
    def jobs(self, rows):
        self.fill(
            "slurm_jobs",
            SLURM,
            (
                {
                    "_file": "f",
                    "_line": 1,
                    "Cluster": "c",
                    "JobName": "n",
                    "state_base": "COMPLETED",
                    "outcome": "completed",
                    "NNodes": 1,
                    "req_gpus": 8,
                    "alloc_gpus": 8,
                    "req_gpu_types": '{"h100":8}',
                    "alloc_gpu_types": '{"h100":8}',
                    **row,
                }
                for row in rows
            ),
        )

    def events(self, rows):
        self.fill(
            "slurm_events",
            "Cluster Event NodeName TimeStart TimeEnd Duration Reason State state_base gpu_types nodes TRES _file _line".split(),
            (
                {
                    "_file": "f",
                    "_line": 1,
                    "Cluster": "c",
                    "Event": "Node",
                    "State": "DOWN",
                    "state_base": "DOWN",
                    "gpu_types": '{"h100":8}',
                    **row,
                }
                for row in rows
            ),
        )

    def nodes(self, rows):
        self.fill(
            "slurm_now",
            "ClusterName NodeName State state_base Reason ReasonTime BootTime LastBusyTime out_of_service gpu_types TRES Gres CfgTRES CPUTot alloc_gpus last_update _file _line".split(),
            (
                {
                    "_file": "f",
                    "_line": 1,
                    "ClusterName": "c",
                    "State": "DOWN",
                    "state_base": "DOWN",
                    "ReasonTime": 5,
                    "BootTime": 1,
                    "out_of_service": 1,
                    "gpu_types": '{"h100":8}',
                    **row,
                }
                for row in rows
            ),
        )

    def test_jobs_and_nodes_with_events(self):
        def make(n):
            self.events({"NodeName": "n%d" % i, "TimeStart": i, "TimeEnd": i + 5} for i in range(n))
            self.jobs(
                {"JobID": str(i), "Submit": i, "Start": i, "End": i + 50, "nodes": json.dumps(["n%d" % i])}
                for i in range(n)
            )
            self.nodes([])

        self.grows(make, "formats/slurm.sql")

    def test_nodes_out_of_service_and_events(self):
        def make(n):
            self.events({"NodeName": "n%d" % i, "TimeStart": i, "TimeEnd": i + 5} for i in range(n))
            self.jobs([{"JobID": "1", "Submit": 1, "Start": 2, "End": 9, "nodes": '["n1"]'}])
            self.nodes({"NodeName": "m%d" % i} for i in range(n))

        self.grows(make, "formats/slurm.sql")

    def test_nodes_that_are_taken_out_of_the_cluster(self):
        def make(n):
            rows = [
                {
                    "Event": "Cluster",
                    "TimeStart": 10 * i,
                    "TimeEnd": 10 * i + 10,
                    "State": None,
                    "state_base": None,
                    "nodes": json.dumps(["n%d" % node for node in (i, i + 1)]),
                }
                for i in range(n)
            ]
            self.events(rows + [{"NodeName": "n%d" % i, "TimeStart": 10 * i + 3} for i in range(n)])
            self.jobs([{"JobID": "1", "Submit": 1, "Start": 2, "End": 9, "nodes": '["n1"]'}])
            self.nodes([])

        self.grows(make, "formats/slurm.sql")

    def test_jobs_without_types_and_changes_of_the_cluster(self):
        def make(n):
            self.events(
                {"Event": "Cluster", "TimeStart": i, "TimeEnd": i + 1, "State": None, "state_base": None}
                for i in range(n)
            )
            self.jobs(
                {
                    "JobID": str(i),
                    "Submit": i,
                    "Start": i,
                    "End": i + 50,
                    "nodes": '["n1"]',
                    "alloc_gpu_types": '{"":8}' if i else None,
                }
                for i in range(n)
            )
            self.nodes([{"NodeName": "n1", "out_of_service": 0}])

        self.grows(make, "formats/slurm.sql")


class Kube(Case):
    def objects(self, rows):
        """Versions of objects as kube_trace gives them, of one watch unless told otherwise."""
        columns = [
            name for (name,) in self.rows("SELECT name FROM pragma_table_xinfo('kube_trace') WHERE name <> 'path'")
        ]
        self.fill(
            "kube_objects",
            columns,
            (
                {
                    "_file": "w",
                    "event": "MODIFIED",
                    "apiVersion": "v1",
                    "creationTimestamp": 1,
                    "labels": "{}",
                    "spec": "{}",
                    **row,
                }
                for row in rows
            ),
        )

    def test_node_that_stays_away(self):
        self.grows(
            lambda n: self.objects(
                {
                    "kind": "Node",
                    "name": "n",
                    "uid": "n",
                    "chips": 8,
                    "share": 1,
                    "ready": "False",
                    "ready_time": 5,
                    "unschedulable": 1,
                    "spec": json.dumps(
                        {
                            "taints": [
                                {
                                    "key": "node.kubernetes.io/unschedulable",
                                    "timeAdded": "2025-06-01T%02d:%02d:00Z" % (i // 60, i % 60),
                                }
                            ]
                        }
                    ),
                }
                for i in range(n)
            ),
            "formats/kube.sql",
        )

    def test_job_that_is_evicted_again_and_again(self):
        self.grows(
            lambda n: self.objects(
                row
                for i in range(n)
                for row in (
                    {
                        "kind": "Workload",
                        "namespace": "s",
                        "name": "w",
                        "uid": "w",
                        "job": "s/j",
                        "evicted": 10 * i + 8,
                        "chips": 8,
                    },
                    {
                        "kind": "Pod",
                        "namespace": "s",
                        "name": "p%d" % i,
                        "uid": "p%d" % i,
                        "job": "s/j",
                        "nodeName": "n",
                        "chips": 8,
                        "scheduled": 10 * i,
                        "phase": "Failed",
                        "finished": 10 * i + 8,
                    },
                )
            ),
            "formats/kube.sql",
        )

    def test_namespaces_of_listings(self):
        self.grows(
            lambda n: self.objects(
                {
                    "_file": file,
                    "event": None,
                    "kind": "Pod",
                    "namespace": "s%d" % i,
                    "name": "p",
                    "uid": "p%d" % i,
                    "chips": 8,
                    "job": "j%d" % i,
                }
                for file in "ab"
                for i in range(n)
            ),
            "formats/kube.sql",
        )

    def test_claims_of_all_devices(self):
        def make(n):
            self.objects(
                row
                for i in range(n)
                for row in (
                    {
                        "kind": "ResourceSlice",
                        "name": "s%d" % i,
                        "uid": "s%d" % i,
                        "spec": json.dumps(
                            {
                                "driver": "gpu.nvidia.com",
                                "nodeName": "n%d" % i,
                                "pool": {"name": "n%d" % i, "generation": 1},
                                "devices": [{"name": "g0"}],
                            }
                        ),
                    },
                    {
                        "kind": "ResourceClaimTemplate",
                        "namespace": "s",
                        "name": "t%d" % i,
                        "uid": "t%d" % i,
                        "spec": json.dumps(
                            {
                                "spec": {
                                    "devices": {
                                        "requests": [
                                            {
                                                "name": "r",
                                                "exactly": {
                                                    "deviceClassName": "gpu.nvidia.com",
                                                    "allocationMode": "All",
                                                },
                                            }
                                        ]
                                    }
                                }
                            }
                        ),
                    },
                )
            )

        self.grows(make, "formats/kube.sql")


class Pbs(Case):
    COLUMNS = (
        "date_time record_type id_string message_text user group account project jobname queue ctime qtime start end Resource_List.walltime "
        "resources_used.walltime Exit_status job_base array_index array_indices server outcome gpu_type nodes other Resource_List.nodes Resource_List.ncpus Resource_List.select exec_host exec_gpus _file _line asked held"
    ).split()

    def records(self, rows):
        self.fill(
            "pbs_records",
            self.COLUMNS,
            (
                {"id_string": "1", "job_base": "1", "server": "s", "asked": 4, "held": 4, "_file": "log", **row}
                for row in rows
            ),
        )

    def test_attempts_of_a_job_and_suspensions(self):
        self.grows(
            lambda n: self.records(
                row
                for t in range(0, 100 * n, 100)
                for row in (
                    {"date_time": t, "record_type": "S", "start": t},
                    {"date_time": t + 10, "record_type": "z"},
                    {"date_time": t + 20, "record_type": "r"},
                    {"date_time": t + 30, "record_type": "z"},
                    {"date_time": t + 50, "record_type": "E", "start": t, "end": t + 50},
                )
            ),
            "formats/pbs.sql",
        )

    def test_attempts_that_the_end_does_not_name(self):  # Torque's
        self.grows(
            lambda n: self.records(
                row
                for t in range(0, 100 * n, 100)
                for row in ({"date_time": t, "record_type": "S", "start": t}, {"date_time": t + 50, "record_type": "R"})
            ),
            "formats/pbs.sql",
        )

    def test_jobs_whose_end_is_lost(self):
        """On chips that go to another job a little later."""
        self.grows(
            lambda n: self.records(
                row
                for i in range(n)
                for row in (
                    {"date_time": 100 * i, "record_type": "S", "start": 100 * i},
                    {"date_time": 100 * i + 50, "record_type": "E", "start": 100 * i, "end": 100 * i + 50},
                )[: 1 + i % 2]
                for row in ({**row, "id_string": f"{i}", "job_base": f"{i}", "exec_host": "node/0*8"},)
            ),
            "formats/pbs.sql",
        )


class Lsf(Case):
    def test_jobs_of_one_log(self):
        def make(n):
            at = 1743440400
            with open(os.path.join(folder := self.new_folder(), "lsb.acct"), "w", encoding="ascii") as file:
                for i in range(1, n + 1):
                    file.write(
                        f'"JOB_FINISH" "10.113" {at + i + 90} {i} 1001 0 8 {at + i} 0 0 {at + i + 10} "ann" "gpu" "" "" "" "login" "w" "" "" "" "{i}" 0 1 "8*h{i}" 64 60.0 "train" "run" '
                        + "0 " * 19
                        + f'"" "research" 0 8 "" "" 0 0 0 "" "" "" "" 0 "" 0 "" -1 "" "" "" "" -1 "" "" 0 "" {at + i + 10} "" "" 0 0 7200 0 1024 "rusage[ngpus_physical=1.00/task] " "" -1 "" -1 0 "" 0 0 "" 80 '
                        f'"w" 0 "" 0.0 0.0 0.0 0.0 0.0 1 "h{i}" -1 0 0 0 0 0\n'
                    )
            return {"lsf": folder, "chips": None}

        self.grows(make, "formats/lsf.sql")


class Training(Case):
    def lines(self, form, n, again=10**9):
        """The parameters with which a script reads n steps, and every so many of them a program that begins again."""
        return {"log": self.file("".join(form(i, i % again == 0) + "\n" for i in range(1, n + 1)))}

    def megatron(self, i, anew):
        begins = (
            "using world size: 8\n successfully loaded checkpoint from x at iteration %d\n" % (i // 2) if anew else ""
        )
        return begins + (
            " [2025-06-01 %02d:%02d:%02d] iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | throughput per GPU "
            "(TFLOP/s/GPU): 400.1 | global batch size: 256 | lm loss: 3.0E+00 |" % (i // 3600, i // 60 % 60, i % 60, i)
        )

    def torchtitan(self, i, anew):
        stamp = time.strftime("[titan] 2025-06-01 %H:%M:%S,000 - root - INFO - ", time.gmtime(i))
        return (
            (stamp + "CUDA capacity: NVIDIA H100 with 79.10GiB memory\n" if i == 1 or anew else "")
            + stamp
            + "step: %d  loss:  3.0  tps: 5,000  tflops: 300.5  mfu: 30.30%%" % i
        )

    def nanogpt(self, i, _):
        return (
            "|   0  NVIDIA H100 80GB HBM3          On  |\n" if i == 1 else ""
        ) + "iter %d: loss 3.0, time 100.00ms, mfu 30.00%%" % i

    def test_steps(self):  # 1,600 to 2,000, and 5,000 where the catalogue of chips was read for each
        for name in ("megatron", "torchtitan", "nanogpt"):
            with self.subTest(name):
                self.grows(
                    lambda n, form=getattr(self, name): {
                        "chip": "NVIDIA H100 80GB HBM3",
                        "flops": 1e12,
                        **self.lines(form, n),
                    },
                    "formats/%s.sql" % name,
                    most=3000,
                )

    def test_steps_without_a_clock(self):
        for name, line in (
            (
                "megatron",
                " iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 3.0E+00 |",
            ),
            ("maxtext", "completed step: %d, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0"),
            ("nemo", "Training epoch 0, iteration 1/99 | global_step: %d | train_step_timing in s: 2.0"),
        ):
            with self.subTest(name):
                parameter, script = ("nemo", "trainer") if name == "nemo" else ("log", name)
                self.grows(
                    lambda n, line=line, parameter=parameter: {parameter: self.lines(lambda i, _: line % i, n)["log"]},
                    "formats/%s.sql" % script,
                    most=3500,
                )

    def test_files(self):
        """Each of a job of its own, with a checkpoint that it loads and one that no later step follows."""
        lines = {
            "megatron": self.megatron,
            "torchtitan": self.torchtitan,
            "nanogpt": self.nanogpt,
            "maxtext": lambda i, _: "completed step: %d, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0" % i,
            "trainer": lambda i, _: "Training epoch 0, iteration %d/99 | global_step: %d | train_step_timing in s: 2.0"
            % (i, i),
        }
        for name, form in lines.items():

            def make(n, form=form, name=name):
                folder = self.folder_of(
                    {
                        "%d.log" % i: "".join(form(step, step == 3) + "\n" for step in range(1, 4))
                        + (
                            "using world size: 8\n successfully loaded checkpoint from x at iteration 3\n"
                            if form == self.megatron
                            else ""
                        )
                        for i in range(n)
                    }
                )
                return {"nemo" if name == "trainer" else "log": folder}

            with self.subTest(name):
                self.grows(make, "formats/%s.sql" % name)

    def test_lines_of_no_step(self):
        """Launches, saves and evaluations with no step between them, as of a job that fails again and again; then the log appended to itself."""
        titan = "[titan] 2026-01-01 00:00:%02d - root - INFO - "
        forms = {
            "megatron": (
                " [2026-01-01 00:00:%02d] iteration %d/ 99 | elapsed time per iteration (ms): 1000.0 | lm loss: 3.0E+00 |",
                ["using world size: 8", "  successfully saved checkpoint from iteration 4 to /c"],
            ),
            "maxtext": (
                "2026-01-01 00:00:%02d completed step: %d, seconds: 1.000, TFLOP/s/device: 1.0, loss: 9.0",
                ["2026-01-01 00:00:09 Finished blocking save in 1.50 seconds. Continuing @ gs://x/4"],
            ),
            "torchtitan": (
                titan + "step: %d  loss:  5.0  tps: 1,000  tflops: 100.0  mfu: 40.0%%",
                [
                    titan % 9 + "Finished saving the checkpoint in 1.00 seconds.",
                    titan % 9 + "Loading the checkpoint at step 3.",
                ],
            ),
            "nanogpt": (
                "2026-01-01 00:00:%02d iter %d: loss 2.0, time 1000.00ms, mfu 40.0%%",
                ["saving checkpoint to out", "Initializing a new model from scratch"],
            ),
        }
        for name, (step, others) in forms.items():
            first, last = ("".join(step % (at, at) + "\n" for at in range(begin, begin + 4)) for begin in (1, 11))
            for other in others:
                for twice in (1, 2):
                    with self.subTest(name, other=other, twice=twice):
                        self.grows(
                            lambda n, text=(first, other + "\n", last), twice=twice: {
                                "log": self.file((text[0] + text[1] * (n // twice) + text[2]) * twice)
                            },
                            f"formats/{name}.sql",
                        )

    def test_jobs_of_opentelemetry(self):
        """Steps of two ranks, and some that fail."""

        def span(job, step, rank):
            attributes = {"mpg.job": job, "mpg.kind": "step", "mpg.attempt": 1, "mpg.step": step, "mpg.rank": rank}
            return {
                "traceId": "%032x" % step,
                "spanId": "%016x" % (10 * step + rank),
                "name": "step",
                "startTimeUnixNano": str(10**18 + step * 10**9),
                "endTimeUnixNano": str(10**18 + (step + 1) * 10**9),
                "status": {"code": 2 if step == 2 else 1},
                "attributes": [
                    {"key": key, "value": {"intValue": value} if isinstance(value, int) else {"stringValue": value}}
                    for key, value in attributes.items()
                ],
            }

        self.grows(
            lambda n: {
                "otlp": self.file(
                    "".join(
                        json.dumps(
                            {
                                "resourceSpans": [
                                    {
                                        "scopeSpans": [
                                            {
                                                "spans": [
                                                    span(f"j{i}", step, rank) for step in range(4) for rank in range(2)
                                                ]
                                            }
                                        ]
                                    }
                                ]
                            }
                        )
                        + "\n"
                        for i in range(n)
                    )
                )
            },
            "formats/otlp.sql",
        )

    def test_files_that_tell_all(self):
        """Copies of logs with saves, loads, evaluations and restarts: what a file tells is looked for in its own records."""
        for script, parameter, path in (
            ("maxtext", "log", "training/maxtext.log"),
            ("maxtext", "log", "h200/orbax.log"),
            ("megatron", "log", "training/megatron.log"),
            ("nanogpt", "log", "training/nanogpt.log"),
            ("torchtitan", "log", "training/torchtitan.log"),
            ("trainer", "nemo", "trainer/nemo.log"),
            ("trainer", "deepspeed", "trainer/deepspeed.log"),
            ("trainer", "mlflow", "trainer/mlflow-train_loss.json"),
            ("trainer", "wandb", "trainer/wandb-history.jsonl"),
            ("goodput", "log", "goodput/ranker-7.jsonl"),
        ):
            with open(os.path.join(ROOT, "fixtures", path), encoding="utf-8") as file:
                text = file.read()
            with self.subTest(path):
                self.grows(
                    lambda n, text=text, parameter=parameter, path=path: {
                        parameter: self.folder_of(
                            {
                                f"{i}-{os.path.basename(path)}": text.replace("ranker-7", f"ranker-{i}")
                                for i in range(n // 4)
                            }
                        )
                    },
                    "formats/%s.sql" % script,
                )

    def test_hosts_whose_clocks_differ(self):
        """By a minute, or by an hour: each line of the one falls behind the other's."""
        stamp = lambda at: time.strftime("[2025-06-%d %H:%M:%S]", time.gmtime(at))
        for apart in (60, 3600):
            form = (
                lambda i, _, apart=apart: " %s iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 3.0E+00 |"
                % (stamp(7200 + i // 2 - apart * (i % 2)), i // 2 + 1)
            )
            self.grows(lambda n, form=form: self.lines(form, n), "formats/megatron.sql", most=6000)

    def test_files_of_two_ranks(self):
        """A save after every third iteration, and a file of those."""

        def make(n):
            folder = self.folder_of(
                {
                    "r0.log": "using world size: 8, data-parallel size: 8\n"
                    + "".join(
                        "  successfully saved checkpoint from iteration %d to /c\n" % i for i in range(3, n + 1, 3)
                    ),
                    "r7.log": "".join(self.megatron(i, False) + "\n" for i in range(1, n + 1)),
                }
            )
            return {"log": folder}

        self.grows(make, "formats/megatron.sql", most=4000)

    def test_a_clock_between_steps(self):
        """MaxText's steps without one, and a save after every third that has it."""
        form = lambda i, _: "completed step: %d, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0" % i + (
            ""
            if i % 3 or i < 20
            else "\n2026-03-02 %02d:%02d:%02d Finished blocking save in 1.50 seconds. Continuing @ gs://x/%d"
            % (2 * i // 3600, 2 * i // 60 % 60, 2 * i % 60, i)
        )
        self.grows(lambda n: self.lines(form, n), "formats/maxtext.sql", most=5000)

    def test_a_clock_of_what_kept_the_log(self):
        """The journal's, alone, and a runtime's of containers before one of another zone."""
        step = (
            " iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | lm loss: 3.0E+00 |"
        )
        clock = lambda i, hours: "%02d:%02d:%02d" % (hours + i // 3600, i // 60 % 60, i % 60)
        for form in (
            lambda i, _: "__REALTIME_TIMESTAMP=%d000000\nMESSAGE=%s\n" % (1772532000 + i, step % i),
            lambda i, _: "%d.250000 node1 train[7]: %s" % (1772532000 + i, step % i),
            lambda i, _: f"2026-03-03T{clock(i, 10)}.5Z [2026-03-03 {clock(i, 18)}] {step % i}",
        ):
            self.grows(lambda n, form=form: self.lines(form, n), "formats/megatron.sql", most=6000)

    def test_runs(self):
        self.grows(lambda n: self.lines(self.megatron, n, 3), "formats/megatron.sql")


class Profiles(Case):
    """A step, what it calls and what that starts on the device, one after the other."""

    KINETO = (
        "trace cat name start_ns end_ns pid tid step correlation device stream context bytes bandwidth_gb_s collective group_size process_group process_group_ranks input_dims input_type "
        "concrete_inputs"
    ).split()
    XPLANE = (
        "trace plane line line_display_name name display_name start_ns end_ns group_id step_num hlo_op hlo_category tf_op op_name flops bytes_accessed "
        "correlation_id memcpy_details memset_details"
    ).split()

    def kineto(self, n, what):
        self.script("device.sql")
        self.fill(
            "kineto_events",
            self.KINETO,
            ({"trace": "t", "pid": 1, "tid": 1, **event} for i in range(n) for event in what(i)),
        )
        self.fill(
            "kineto_files",
            "trace rank world_size base_time_ns devices properties".split(),
            [{"trace": "t", "devices": "[]", "properties": "{}"}],
        )

    def xplane(self, rows):
        self.script("device.sql")
        self.fill("xplane_input", ["path", "chip"], [{}])
        self.fill("xplane_events", self.XPLANE, rows)
        self.fill("xplane_devices", "trace plane stats hostnames".split(), [])
        self.rows("INSERT INTO xplane_devices SELECT DISTINCT trace, plane, '{}', '[]' FROM xplane_events")

    def call(self, i, at):
        return [
            {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "start_ns": at, "end_ns": at + 5, "correlation": i},
            {
                "cat": "kernel",
                "name": "k",
                "start_ns": at + 10,
                "end_ns": at + 60,
                "pid": 0,
                "tid": 7,
                "stream": 7,
                "device": 0,
                "correlation": i,
            },
        ]

    def test_calls_outside_steps(self):
        def what(i):
            return [
                {
                    "cat": "user_annotation",
                    "name": "ProfilerStep#%d" % i,
                    "step": str(i),
                    "start_ns": i * 100,
                    "end_ns": i * 100 + 5,
                }
            ] + self.call(i, i * 100 + 20)

        self.grows(
            lambda n: self.kineto(n, what), "formats/kineto.sql", "device_views.sql", "SELECT * FROM device_step_time"
        )

    def test_calls_directly_within_a_long_operator(self):
        def make(n):
            self.kineto(
                n,
                lambda i: [{"cat": "cpu_op", "name": "aten::add", "start_ns": i * 100, "end_ns": i * 100 + 5}]
                + self.call(i, i * 100 + 20),
            )
            self.rows(
                "INSERT INTO kineto_events (trace, pid, tid, cat, name, start_ns, end_ns) VALUES ('t', 1, 1, 'cpu_op', 'main', 0, ?)",
                100 * n + 100,
            )

        self.FEW = 1000  # operators are passed over by the hundred
        self.grows(make, "formats/kineto.sql")

    def test_wrappers_of_nothing(self):
        def what(i):
            return [
                {
                    "cat": "cpu_op",
                    "name": "aten::linear",
                    "start_ns": i * 100,
                    "end_ns": i * 100 + 30,
                    "input_dims": "[[8, 64], [32, 64]]",
                    "input_type": '["float", "float"]',
                    "concrete_inputs": "[]",
                }
            ] + self.call(i, i * 100 + 20)

        self.grows(lambda n: self.kineto(n, what), "formats/kineto.sql")

    def test_ranks(self):
        """A file of each: what calls and has streams in it is looked for once."""
        with open(os.path.join(ROOT, "fixtures", "profile", "rank0.json"), encoding="utf-8") as file:
            profile = json.load(file)

        def make(n):
            self.script("device.sql")
            return {
                "trace": self.folder_of(
                    {f"rank{i}.json": json.dumps(profile | {"distributedInfo": {"rank": i}}) for i in range(n)}
                )
            }

        self.FEW = 12
        self.grows(make, "formats/kineto.sql")

    def nsys(self, n, ranges):
        """Of one thread: ranges of NVTX, and n calls, 20 ns after each hundredth."""
        self.script("device.sql")
        self.db.execute("ATTACH ':memory:' AS nsys")
        self.db.executescript(
            """
            CREATE TABLE nsys.StringIds (id INTEGER PRIMARY KEY, value);
            CREATE TABLE nsys.CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid, demangledName);
            CREATE TABLE nsys.CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId);
            CREATE TABLE nsys.NVTX_EVENTS (start, "end", eventType, text, textId, globalTid);"""
        )
        self.db.executemany("INSERT INTO nsys.NVTX_EVENTS VALUES (?, ?, 59, ?, NULL, 1 << 24)", ranges)
        self.db.executemany(
            "INSERT INTO nsys.CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100 * ?1 + 20, 100 * ?1 + 25, 1 << 24, ?1, NULL)",
            [(i + 1,) for i in range(n)],
        )
        self.db.executemany(
            "INSERT INTO nsys.CUPTI_ACTIVITY_KIND_KERNEL VALUES (100 * ?1 + 30, 100 * ?1 + 90, 0, 7, ?1, 1 << 24, NULL)",
            [(i + 1,) for i in range(n)],
        )

    def test_nsys_calls_outside_steps(self):
        self.grows(lambda n: self.nsys(n, [(100 * i, 100 * i + 5, f"step {i}") for i in range(n)]), "formats/nsys.sql")

    def test_nsys_calls_directly_within_a_long_range(self):
        self.FEW = 1000  # ranges are passed over by the hundred
        self.grows(
            lambda n: self.nsys(
                n, [(0, 100 * n + 100, "main")] + [(100 * i, 100 * i + 5, "forward") for i in range(n)]
            ),
            "formats/nsys.sql",
        )

    def test_xplane_calls_outside_steps(self):
        def make(n):
            self.xplane(
                {"trace": "t", **event}
                for i in range(n)
                for event in (
                    {
                        "plane": "/host:CPU",
                        "line": "py",
                        "name": "step",
                        "step_num": i,
                        "start_ns": 100 * i,
                        "end_ns": 100 * i + 5,
                    },
                    {
                        "plane": "/host:CPU",
                        "line": "py",
                        "name": "launch",
                        "start_ns": 100 * i + 20,
                        "end_ns": 100 * i + 25,
                        "correlation_id": i + 1,
                    },
                    {
                        "plane": "/device:GPU:0",
                        "line": "Stream #1",
                        "name": "k",
                        "start_ns": 100 * i + 30,
                        "end_ns": 100 * i + 90,
                        "correlation_id": i + 1,
                    },
                )
            )

        self.grows(make, "formats/xplane.sql")

    def test_operations_between_steps_of_the_device(self):
        def make(n):
            self.xplane(
                {"trace": "t", "plane": "/device:TPU:0", **event}
                for i in range(n)
                for event in (
                    {"line": "Steps", "name": str(i), "start_ns": 100 * i, "end_ns": 100 * i + 50},
                    {"line": "XLA Ops", "name": "fusion.1", "start_ns": 100 * i + 60, "end_ns": 100 * i + 70},
                    {"line": "XLA Ops", "name": "fusion.2", "start_ns": 100 * i + 10, "end_ns": 100 * i + 20},
                )
            )

        self.grows(make, "formats/xplane.sql", "device_views.sql", "SELECT * FROM device_step_time")

    def test_operations_between_steps_in_a_chrome_trace(self):
        def make(n):
            self.script("device.sql")
            self.fill("xprof_input", ["chip"], [{}])
            self.fill(
                "xprof_events",
                "trace pid plane line name start_ns end_ns step hlo_category tf_op hlo_op flops bytes args".split(),
                (
                    {"trace": "t", "plane": "/device:TPU:0", **event}
                    for i in range(n)
                    for event in (
                        {"line": "Steps", "name": str(i), "start_ns": 100 * i, "end_ns": 100 * i + 50},
                        {"line": "XLA Ops", "name": "fusion.1", "start_ns": 100 * i + 60, "end_ns": 100 * i + 70},
                    )
                ),
            )

        self.grows(make, "formats/xprof.sql")

    def test_hosts(self):
        self.grows(
            lambda n: self.xplane(
                {
                    "trace": str(i),
                    "plane": "/device:TPU:0",
                    "line": "XLA Ops",
                    "name": "fusion.1",
                    "start_ns": 5,
                    "end_ns": 9,
                }
                for i in range(n)
            ),
            "formats/xplane.sql",
        )

    def test_kinds_of_kernels_are_summed_once(self):  # and not for each of seven parts
        def what(i):
            return self.call(i, i * 100)

        (_, read), (_, asked) = (
            self.each(lambda n: self.kineto(n, what), "formats/kineto.sql", "hta.sql", *more)
            for more in ([], ["SELECT * FROM hta_kernel_types"])
        )
        self.assertLess(asked - read, 1000)  # 490; 3,400 where it was seven times


class Tables(Case):
    """Questions to a fleet that build.sql has made, of rows that stand in for what it finds in traces; states of shards; programs."""

    def fleet(self, n, **tables):
        self.fill(
            "capacity",
            "pool chip chips start_time end_time".split(),
            [{"pool": "p", "chips": 8, "start_time": 0, "end_time": 9}],
        )
        self.script("build.sql", trace=None)
        for table, row in tables.items():
            self.rows("DELETE FROM " + table)
            columns = row(0)
            self.db.executemany(
                "INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join(columns), ", ".join("?" * len(columns))),
                [tuple(row(i).values()) for i in range(n)],
            )

    def attempt(self, i, job="j", **columns):
        return {
            "job": job,
            "attempt": i,
            "pool": "p",
            "size": "S",
            "chips": 8,
            "start_us": 100 * i,
            "end_us": 100 * i + 90,
            "outcome": "preempted",
            **columns,
        }

    def test_compiled_again(self):
        self.grows(
            lambda n: self.fleet(
                n,
                ledger=lambda i: {
                    "hour": "2025-06-01 00:00:00",
                    "job": "j",
                    "attempt": i,
                    "category": "compile",
                    "chip_us": 5,
                },
            ),
            "questions/compile_startup.sql",
        )

    def test_commits_of_a_job_that_began_often(self):
        self.grows(
            lambda n: self.fleet(
                n,
                attempts=self.attempt,
                commits=lambda i: {"id": str(i), "job": "j", "step": i, "durable_us": 100 * i},
                runs=lambda i: {
                    "job": "j",
                    "attempt": i,
                    "run": 1,
                    "start_us": 100 * i,
                    "end_us": 100 * i + 90,
                    "outcome": "preempted",
                    "held_us": 720,
                    "lost_us": 0,
                },
            ),
            "questions/checkpoint_interval.sql",
        )

    def test_what_if(self):
        hour = 3_600_000_000
        self.grows(
            lambda n: self.fleet(
                n,
                attempts=lambda i: self.attempt(
                    1, "j%d" % i, start_us=hour * i, end_us=hour * i + 90, ready_us=hour * i
                ),
                commits=lambda i: {"id": str(i), "job": "j%d" % (i // 3), "step": i, "durable_us": hour * i + 50},
                runs=lambda i: {
                    "job": "j%d" % i,
                    "attempt": 1,
                    "run": 1,
                    "start_us": hour * i,
                    "end_us": hour * i + 90,
                    "outcome": "preempted",
                    "held_us": 720,
                    "lost_us": 0,
                },
                ledger=lambda i: {
                    "hour": "2025-06-01 00:00:00",
                    "pool": "p%d" % (i % 9),
                    "job": "j%d" % i,
                    "attempt": 1,
                    "category": "compile",
                    "chip_us": 5,
                },
                waits=lambda i: {
                    "pool": "p%d" % (i % 9),
                    "job": "j%d" % i,
                    "attempt": 1,
                    "category": "partial",
                    "start_us": hour * i + 10,
                    "end_us": hour * i + 80,
                    "chip_us": 280,
                },
            ),
            "questions/what_if.sql",
        )

    def test_preemptions(self):
        self.grows(
            lambda n: self.fleet(
                n,
                attempts=lambda i: self.attempt(i, "j%d" % i, start_us=10**8 * i, end_us=10**8 * i + 9),
                jobs=lambda i: {"id": str(i), "job": "j%d" % i, "priority": str(i % 3)},
            ),
            "questions/preemptions.sql",
        )

    def test_crash_loops(self):
        hour = 3_600_000_000
        self.grows(
            lambda n: self.fleet(
                n,
                attempts=lambda i: self.attempt(
                    i,
                    "j%d" % (i // 3),
                    start_us=hour * i,
                    end_us=hour * i + 90,
                    outcome="failed",
                    held_us=720,
                    productive_us=0,
                ),
                waits=lambda i: {
                    "pool": "p",
                    "job": "w%d" % i,
                    "category": "queued",
                    "start_us": hour * i + 10,
                    "end_us": hour * i + 80,
                    "chip_us": 560,
                },
            ),
            "questions/crash_loops.sql",
        )

    def test_queue_beside_idle_chips(self):
        self.grows(
            lambda n: self.fleet(
                n,
                waits=lambda i: {
                    "pool": "p",
                    "job": "j%d" % i if i % 2 else None,
                    "category": "queued" if i % 2 else "idle",
                    "start_us": 100 * i,
                    "end_us": 100 * i + 1000,
                    "chip_us": 1000 * (1 + i % 8),
                },
            ),
            "questions/stranded_idle.sql",
        )

    def test_shards(self):
        def make(n):
            self.script("shards/merge.sql")
            self.db.executemany("INSERT INTO shards VALUES (?)", [(str(i),) for i in range(n)])
            self.db.executemany("INSERT INTO shard_jobs VALUES (?1, ?1)", [(str(i),) for i in range(n)])
            self.db.executemany("INSERT INTO shard_done VALUES (?, 0, 1, NULL)", [(str(i),) for i in range(n)])

        self.grows(make, "SELECT * FROM shard_check")

    def test_programs(self):
        def make(n):
            return {
                "chip": "nvidia-h100-sxm",
                "hlo": self.folder_of(
                    {
                        "%d.hlo"
                        % i: """HloModule m%d
ENTRY main {
  a = bf16[8,8] parameter(0)
  ROOT d = bf16[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
                        % i
                        for i in range(n)
                    }
                ),
            }

        self.grows(make, "formats/hlo.sql")


if __name__ == "__main__":
    unittest.main()
