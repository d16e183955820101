"""source_files.py - a file of each format, the script that it goes to, and a folder to put files into."""

import os
import shutil
import tempfile

import formats
from cases import Case
from fleets import ROOT

EXPORTS = os.path.join(ROOT, "fixtures", "exports")
SENTENCE = """SELECT pool, phase, scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us),
                     program_goodput(category, chip_us), mpg(category, chip_us)
              FROM trace_rollup(?) GROUP BY pool, phase"""


# Files of each format, and the script that they go to.
SAMPLES = {
    "slurm/sacct_jobs.psv": "slurm",
    "slurm/sacct_default.p": "slurm",
    "slurm/sacct_all_fields.psv": "slurm",
    "slurm/sacct.json": "slurm",
    "slurm/squeue.json": "slurm",
    "slurm/scontrol_jobs.txt": "slurm",
    "slurm/jobcomp.log": "slurm",
    "slurm/sacctmgr_events.psv": "slurm",
    "slurm/scontrol_nodes.txt": "slurm",
    "slurm/scontrol_reservations.txt": "slurm",
    "pbs/accounting.log": "pbs",
    "pbs/torque.log": "pbs",
    "sge/accounting": "sge",
    "sge/accounting.jsonl": "sge",
    "flux/jobs.json": "flux",
    "condor/history.json": "condor",
    "condor/queue.json": "condor",
    "lsf/lsb.acct": "lsf",
    "lsf/lsb.events": "lsf",
    "swf/small.swf": "swf",
    "kube/watch.json": "kube",
    "kube/cluster.json": "kube",
    "kube/claims.json": "kube",
    "kube/state.json": "kube",
    "goodput/ranker-7.jsonl": "goodput",
    "goodput/ranker-8.json": "goodput",
    "otlp/spans.jsonl": "otlp",
    "otlp/finetune.json": "otlp",
    "mlperf/results/pod16/toy_lm/result_0.txt": "mllog",
    "training/maxtext.log": "maxtext",
    "training/megatron.log": "megatron",
    "training/nanogpt.log": "nanogpt",
    "nvrx/ft_launcher.log": "nvrx",
    "h200/orbax.log": "maxtext",
    "training/torchtitan.log": "torchtitan",
    "hlo/decode.hlo": "hlo",
    "hlo/train_step.hlo": "hlo",
    "prometheus/dcgm.json": "dcgm",
    "prometheus/dcgm.prom": "dcgm",
    "profile/rank0.json": "kineto",
    "profile/tpu.trace.json": "xprof",
    "trainer/deepspeed.log": "trainer",
    "trainer/nemo.log": "trainer",
    "trainer/trainer_state.json": "trainer",
    "trainer/wandb-history.csv": "trainer",
    "trainer/wandb-history.jsonl": "trainer",
    "trainer/mlflow-train_loss.json": "trainer",
    "trainer/structured_logs/training.global_rank_0.20260303-100000-ABC0.jsonl": "trainer",
    "ascend/ascend_pytorch_profiler_11.db": "ascend",
    "nsys/two-gpus.sqlite": "nsys",
    "perfetto/4242_results.pftrace": "perfetto",
    "rocpd/4242_results.db": "rocpd",
    "rocpd/4242_results.json": "rocpd",
    "xplane/tpu-host-0.xplane.pb": "xplane",
    "tfevents/run-7/events.out.tfevents.1772442120.host-0.52.0.v2": "tfevents",
    "golden.jsonl": "native",
    "golden/spans.csv": "native",
    "fleet/jobs.csv": "native",
    "public/acme/trace_seren.csv": "acme",
    "public/acme/trace_kalos.csv": "acme",
    "public/alibaba-v2023/openb_pod_list.csv": "alibaba_v2023",
    "public/alibaba-v2023/openb_node_list.csv": "alibaba_v2023",
    "public/alibaba-v2025/disaggregated_DLRM_trace.csv": "alibaba_v2025",
    "public/helios/Earth/cluster_log.csv": "helios",
    "public/helios/Earth/cluster_gpu_number.csv": "helios",
    "public/pai/pai_job_duration_estimate.csv": "pai",
    "public/philly/cluster_job_log": "philly",
    "public/philly/cluster_machine_list": "philly",
    "public/alibaba-v2020/pai_task_table.csv": "alibaba_v2020",
}


SAMPLES |= {
    format.samples[0].file: name
    for name, format in formats.FORMATS.items()
    if format.gives == "fleet" and not format.mappings and name not in SAMPLES.values()
}


class Folder(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def copy(self, *names, to=""):
        for name in names:
            os.makedirs(os.path.join(self.folder, to), exist_ok=True)
            shutil.copy(os.path.join(EXPORTS, name), os.path.join(self.folder, to))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def sums(self, path, by="job, category"):
        return self.db.execute(f"SELECT {by}, sum(chip_us) FROM trace_rollup(?) GROUP BY {by}", (path,)).fetchall()
