"""test_scaling.py - what scripts of sql/ take grows with their input and not with its square: in steps of SQLite's machine, not in seconds."""
import json
import os
import re
import unittest

import cases
from fleets import ROOT, connect

SLURM = ("Cluster JobIDRaw JobID job_base array_task array_count step JobName User Account QOS Partition state_base outcome Submit Start End NNodes req_gpus "
         "alloc_gpus req_gpu_types alloc_gpu_types nodes Comment Constraints Reservation WCKey").split()
GRANULE = 100  # steps of which one call is told


class Case(cases.Case):
    FEW, TIMES = 60, 4

    def fill(self, name, columns, rows):
        """The input of a script, as a program makes it: rows are dicts, whatever they lack is NULL."""
        self.db.execute("CREATE TEMP TABLE IF NOT EXISTS %s (%s)" % (name, ", ".join('"%s"' % column for column in columns)))
        self.db.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(columns))), [[row.get(column) for column in columns] for row in rows])

    def steps(self, make, n, *scripts):
        """Taken by scripts of sql/, or statements, with the input and the parameters that make(n) makes."""
        self.db.close()
        self.db = connect()
        parameters = make(n) or {}
        calls = []
        self.db.set_progress_handler(lambda: calls.append(1) and 0, GRANULE)
        for script in scripts:
            if script.endswith(".sql"):
                with open(os.path.join(ROOT, "sql", script), encoding="utf-8") as file:
                    unset = dict.fromkeys(re.findall(r":(\w+)", file.read()))
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
        self.assertLess(later, 1.5 * first)
        if most is not None:
            self.assertLess(later, most)


class Slurm(Case):
    def jobs(self, rows):
        self.fill("slurm_jobs", SLURM, ({"Cluster": "c", "JobName": "n", "state_base": "COMPLETED", "outcome": "completed", "NNodes": 1, "req_gpus": 8, "alloc_gpus": 8,
                                         "req_gpu_types": '{"h100":8}', "alloc_gpu_types": '{"h100":8}', **row} for row in rows))

    def events(self, rows):
        self.fill("slurm_events", "Cluster Event NodeName TimeStart TimeEnd Reason State state_base gpu_types".split(),
                  ({"Cluster": "c", "Event": "Node", "State": "DOWN", "state_base": "DOWN", "gpu_types": '{"h100":8}', **row} for row in rows))

    def nodes(self, rows):
        self.fill("slurm_now", "ClusterName NodeName State state_base Reason ReasonTime BootTime LastBusyTime out_of_service gpu_types".split(),
                  ({"ClusterName": "c", "State": "DOWN", "state_base": "DOWN", "ReasonTime": 5, "BootTime": 1, "out_of_service": 1, "gpu_types": '{"h100":8}', **row} for row in rows))

    def test_jobs_and_nodes_with_events(self):
        def make(n):
            self.events({"NodeName": "n%d" % i, "TimeStart": i, "TimeEnd": i + 5} for i in range(n))
            self.jobs({"JobID": str(i), "Submit": i, "Start": i, "End": i + 50, "nodes": json.dumps(["n%d" % i])} for i in range(n))
            self.nodes([])
        self.grows(make, "formats/slurm.sql")

    def test_nodes_out_of_service_and_events(self):
        def make(n):
            self.events({"NodeName": "n%d" % i, "TimeStart": i, "TimeEnd": i + 5} for i in range(n))
            self.jobs([{"JobID": "1", "Submit": 1, "Start": 2, "End": 9, "nodes": '["n1"]'}])
            self.nodes({"NodeName": "m%d" % i} for i in range(n))
        self.grows(make, "formats/slurm.sql")

    def test_jobs_without_types_and_changes_of_the_cluster(self):
        def make(n):
            self.events({"Event": "Cluster", "TimeStart": i, "TimeEnd": i + 1, "State": None, "state_base": None} for i in range(n))
            self.jobs({"JobID": str(i), "Submit": i, "Start": i, "End": i + 50, "nodes": '["n1"]', "alloc_gpu_types": '{"":8}' if i else None} for i in range(n))
            self.nodes([{"NodeName": "n1", "out_of_service": 0}])
        self.grows(make, "formats/slurm.sql")


class Training(Case):
    def lines(self, form, n, again=10**9):
        """The parameters with which a script reads n steps, and every so many of them a program that begins again."""
        return {"log": self.file("".join(form(i, i % again == 0) + "\n" for i in range(1, n + 1)))}

    def megatron(self, i, anew):
        begins = "using world size: 8\n successfully loaded checkpoint from x at iteration %d\n" % (i // 2) if anew else ""
        return begins + (" [2025-06-01 %02d:%02d:%02d] iteration %d/ 9999 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | throughput per GPU "
                         "(TFLOP/s/GPU): 400.1 | global batch size: 256 | lm loss: 3.0E+00 |" % (i // 3600, i // 60 % 60, i % 60, i))

    def torchtitan(self, i, anew):
        stamp = "[titan] 2025-06-01 %02d:%02d:%02d,000 - root - INFO - " % (i // 3600, i // 60 % 60, i % 60)
        return (stamp + "CUDA capacity: NVIDIA H100 with 79.10GiB memory\n" if i == 1 or anew else "") + stamp + "step: %d  loss:  3.0  tps: 5,000  tflops: 300.5  mfu: 30.30%%" % i

    def nanogpt(self, i, _):
        return ("|   0  NVIDIA H100 80GB HBM3          On  |\n" if i == 1 else "") + "iter %d: loss 3.0, time 100.00ms, mfu 30.00%%" % i

    def test_steps(self):  # 1,600 to 2,000, and 5,000 where the catalogue of chips was read for each
        for name in ("megatron", "torchtitan", "nanogpt"):
            with self.subTest(name):
                self.grows(lambda n, form=getattr(self, name): {"chip": "NVIDIA H100 80GB HBM3", "flops": 1e12, **self.lines(form, n)}, "formats/%s.sql" % name, most=2500)

    def test_runs(self):
        self.grows(lambda n: self.lines(self.megatron, n, 3), "formats/megatron.sql")


if __name__ == "__main__":
    unittest.main()
