"""What scripts of formats declare: a job is a text, so that `job = 801` and `job IN (SELECT 801)` find it as they do in trace_ledger."""

import os
import re
import sqlite3
import unittest

from fleets import ROOT, connect
from scripts import script_text

INPUTS = {  # a script: its parameters that are paths, below fixtures
    "acme": {"acme": "public/acme/trace_seren.csv"},
    "alibaba_v2020": {
        "pai_instances": "public/alibaba-v2020/pai_instance_table.csv",
        "pai_jobs": "public/alibaba-v2020/pai_job_table.csv",
        "pai_tasks": "public/alibaba-v2020/pai_task_table.csv",
        "pai_machines": "public/alibaba-v2020/pai_machine_spec.csv",
    },
    "alibaba_v2023": {
        "openb_pods": "public/alibaba-v2023/openb_pod_list.csv",
        "openb_nodes": "public/alibaba-v2023/openb_node_list.csv",
    },
    "alibaba_v2025": {"dlrm": "public/alibaba-v2025/disaggregated_DLRM_trace.csv"},
    "condor": {"condor": "condor/history.json"},
    "flux": {"flux": "flux/jobs.json"},
    "goodput": {"log": "goodput"},
    "helios": {
        "helios": "public/helios/Venus/cluster_log.csv",
        "helios_gpus": "public/helios/Venus/cluster_gpu_number.csv",
    },
    "kube": {"kube": "kube/cluster.json"},
    "lsf": {"lsf": "lsf"},
    "maxtext": {"log": "training/maxtext.log"},
    "megatron": {"log": "training/megatron.log"},
    "mllog": {"results": "mlperf/results/pod16/toy_lm/result_*.txt", "systems": "mlperf/systems"},
    "nanogpt": {"log": "training/nanogpt.log"},
    "nvrx": {"log": "nvrx"},
    "otlp": {"otlp": "otlp/finetune.json"},
    "pai": {"pai": "public/pai/pai_job_duration_estimate.csv"},
    "pbs": {"pbs": "pbs/accounting.log"},
    "philly": {"philly": "public/philly/cluster_job_log", "philly_machines": "public/philly/cluster_machine_list"},
    "sge": {"sge": "sge/accounting"},
    "slurm": {"sacct": "slurm/sacct_jobs.psv", "events": "slurm/sacctmgr_events.psv"},
    "swf": {"swf": "swf/small.swf"},
    "tfevents": {"events": "tfevents"},
    "torchtitan": {"log": "training/torchtitan.log"},
    "trainer": {"deepspeed": "trainer/deepspeed.log"},
}
RELATIONS = ("jobs", "allocations", "spans", "commits", "aliases")


class Types(unittest.TestCase):
    def run_script(self, name, inputs):
        db = connect()
        self.addCleanup(db.close)
        text = script_text("sql/formats/%s.sql" % name)
        given = dict.fromkeys(re.findall(r":([a-z]\w*)", text)) | {
            key: os.path.join(ROOT, "fixtures", path) for key, path in inputs.items()
        }
        statement = ""
        for line in text.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                db.execute(statement, given)
                statement = ""
        return db

    def test_a_job_is_a_text(self):
        for name, inputs in INPUTS.items():
            db, asked = self.run_script(name, inputs), 0
            for relation in RELATIONS:
                for column, declared in db.execute(
                    "SELECT name, type FROM pragma_table_info(?) WHERE name = 'job'", (relation,)
                ).fetchall():
                    self.assertEqual("TEXT", declared, (name, relation, column))
                    asked += db.execute("SELECT count(*) FROM %s" % relation).fetchone()[0]
            self.assertGreater(asked, 0, name)

    def test_a_number_finds_it(self):
        for name, job in (("slurm", 2), ("swf", 1), ("pai", 1)):
            self.assertEqual(
                [(1,)],
                self.run_script(name, INPUTS[name])
                .execute("SELECT count(*) FROM jobs WHERE job = ?", (job,))
                .fetchall(),
                name,
            )


if __name__ == "__main__":
    unittest.main()
