"""Valid traces of schedulers, trainers and servers, damaged at the level of records: the ledger conserves, and either the figures are those
of the undamaged trace, or mpg_issues or trace_sources has a row that the undamaged trace has not, or a higher count. See damage_case.py.
"""

import collections
import sqlite3
import unittest

import damage_case
from damage_case import Trace
from damages import Cells, Numbers, Tree, Words
from scripts import script_text

PAIRS = r"(?P<name>[\w.\[\]]+)=(?P<value>\"[^\"]*\"|\S+)"


def script(db, name, **parameters):
    statement = ""
    for line in script_text("sql/" + name).splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement, parameters)
            statement = ""


def duty(db, path, _on_error):
    script(db, "formats/dcgm.sql", prometheus=path)
    rows = db.execute(
        "SELECT host, gpu, pod, kind, samples, round(busy_s, 6), round(covered_s, 6), missing_s FROM duty UNION ALL SELECT host, gpu, pod, 'xid', time, code, 0, 0 FROM xid"
    )
    return collections.Counter(rows.fetchall())


def programs(db, path, _on_error):
    script(db, "formats/hlo.sql", hlo=path, chip=None, f32=None, devices=None, table=None)
    return collections.Counter(db.execute("SELECT program, flops, bytes, dtype FROM programs").fetchall())


SACCT = dict(
    times=("Submit", "Start", "End", "Eligible"),
    pairs=[("Start", "End"), ("Submit", "Start")],
    words=[
        (r"gres/gpu(?=[:=])", "gres/npu"),
        (r"\|(?:COMPLETED|FAILED|RUNNING)\|", "|FROBNICATED|"),
        (r"gpu:h100", "gpu:h1000"),
    ],
)
KUBE = dict(
    times=(
        "creationTimestamp",
        "deletionTimestamp",
        "lastTransitionTime",
        "startTime",
        "finishedAt",
        "startedAt",
        "completionTime",
        "lastHeartbeatTime",
    ),
    pairs=[("startedAt", "finishedAt"), ("startTime", "completionTime"), ("creationTimestamp", "deletionTimestamp")],
    words=[
        (r"nvidia\.com/gpu\"", 'huawei.com/Ascend910B4"'),
        (r"nvidia\.com/gpu\"", 'metax-tech.com/gpu"'),
        (r"google\.com/tpu\"", 'example.com/xpu"'),
        (r'"phase": ?"(?:Succeeded|Failed|Running)"', '"phase": "Frobnicated"'),
        (r'"kind": ?"Pod"', '"kind": "Pawn"'),
    ],
)
TRACES = {
    "slurm": Trace(
        ["slurm/sacct_jobs.psv", "slurm/sacctmgr_events.psv"], Cells("|"), damage=["slurm/sacct_jobs.psv"], **SACCT
    ),
    "slurm_events": Trace(
        ["slurm/sacct_jobs.psv", "slurm/sacctmgr_events.psv"],
        Cells("|"),
        damage=["slurm/sacctmgr_events.psv"],
        times=("TimeStart", "TimeEnd"),
        pairs=[("TimeStart", "TimeEnd")],
        words=[("gres/gpu(?=[:=])", "gres/npu"), (r"\|DOWN\*?\|", "|FROBNICATED|")],
    ),
    "slurm_nodes": Trace(
        ["slurm/sacct_jobs.psv", "slurm/scontrol_nodes.txt"],
        Words(PAIRS),
        damage=["slurm/scontrol_nodes.txt"],
        times=("BootTime", "LastBusyTime"),
        words=[("State=\\w+", "State=FROBNICATED"), ("Gres=gpu", "Gres=npu"), ("gres/gpu(?=[:=])", "gres/npu")],
    ),
    "slurm_json": Trace(
        ["slurm/sacct.json"],
        Tree(("jobs",)),
        times=("start", "end", "submission"),
        pairs=[("start", "end")],
        words=[('"gres", *\\s*"name": "gpu', '"gres", "name": "npu')],
    ),
    "squeue": Trace(
        ["slurm/squeue.json"],
        Tree(("jobs",)),
        times=("start_time", "end_time", "submit_time"),
        pairs=[("start_time", "end_time")],
        words=[("gres/gpu", "gres/npu"), ("RUNNING", "FROBNICATED")],
    ),
    "pbs": Trace(
        ["pbs/accounting.log"],
        Words(r"(?P<logged>^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d)|" + PAIRS),
        times=("logged", "start", "end", "qtime", "etime"),
        pairs=[("start", "end"), ("qtime", "start")],
        words=[("ngpus", "nnpus"), (";E;", ";F;"), (r"Exit_status=\d+", "Exit_status=frob")],
    ),
    "torque": Trace(
        ["pbs/torque.log"],
        Words(r"(?P<logged>^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d)|" + PAIRS),
        times=("logged", "start", "end", "qtime"),
        pairs=[("start", "end")],
        words=[("gpus=", "npus="), (";E;", ";F;")],
    ),
    "sge": Trace(
        ["sge/accounting"],
        Cells(
            ":",
            "qname hostname group owner job_name job_number account priority submission_time start_time end_time failed exit_status".split(),
        ),
        times=("submission_time", "start_time", "end_time"),
        pairs=[("start_time", "end_time")],
        words=[("gpu=", "npu="), (":100:137:", ":frob:137:")],
    ),
    "sge_json": Trace(
        ["sge/accounting.jsonl"],
        Tree((), lines=True),
        times=("submission_time", "start_time", "end_time"),
        pairs=[("start_time", "end_time")],
        words=[("gpu=", "xpu=")],
    ),
    "flux": Trace(
        ["flux/jobs.json"],
        Tree(("jobs",)),
        times=("t_submit", "t_run", "t_cleanup", "t_inactive"),
        pairs=[("t_run", "t_inactive")],
        words=[('"result": "\\w+"', '"result": "FROB"'), ('"ngpus"', '"nnpus"'), ('"INACTIVE"', '"FROB"')],
    ),
    "condor": Trace(
        ["condor/history.json"],
        Tree(()),
        times=("QDate", "JobCurrentStartDate", "CompletionDate", "EnteredCurrentStatus"),
        pairs=[("JobCurrentStartDate", "CompletionDate")],
        words=[('"JobStatus": \\d', '"JobStatus": 9'), ('"RequestGPUs": \\d', '"RequestGPUs": "MY.Wanted"')],
    ),
    "lsf": Trace(
        ["lsf/lsb.acct", "lsf/lsb.events"],
        Words(r'(?P<logged>(?<="10.113" )\d+)|(?P<name>ngpus_physical|gmodel)=(?P<value>[\w.]+)'),
        times=("logged",),
        words=[
            ("JOB_FINISH", "JOB_FROB"),
            ("ngpus_physical", "nnpus"),
            (r'" 64 60\.0', '" 128 60.0'),
            ("JOB_START", "JOB_STOP"),
        ],
    ),
    "swf": Trace(
        ["swf/small.swf"],
        Numbers(
            " ",
            "job submit wait run procs cpu mem asked time reqmem status user group exe queue partition before think".split(),
        ),
        times=("submit", "wait", "run"),
        words=[
            (r"UnixStartTime: \d+", "UnixStartTime: soon"),
            (r"MaxProcs: +\d+", "MaxProcs: many"),
            (r"MaxNodes: +\d+", "MaxNodes: many"),
            ("UnixStartTime", "StartTime"),
            ("MaxProcs", "MaxChips"),
        ],
    ),
    "kube": Trace(["kube/cluster.json"], Tree(("items",)), **KUBE),
    "kube_claims": Trace(["kube/claims.json"], Tree(("items",)), **KUBE),
    "kube_watch": Trace(["kube/watch.json"], Tree((), lines="blank"), **KUBE),
    "kube_state": Trace(
        ["kube/state.json"],
        Tree(("data", "result"), ("data", "result", "*", "values")),
        times=(0,),
        words=[
            ("kube_pod_status_phase", "kube_pod_status_frob"),
            ("nvidia_com_gpu", "example_com_xpu"),
            ('"phase": "Running"', '"phase": "Frobnicated"'),
            ('"status": "unknown"', '"status": "frob"'),
            ("kube_node_status_capacity", "kube_node_status_frob"),
        ],
    ),
    "dcgm": Trace(
        ["prometheus/dcgm.json"],
        Tree(("data", "result"), ("data", "result", "*", "values")),
        duty,
        times=(0,),
        words=[
            ("DCGM_FI_DEV_GPU_UTIL", "npu_chip_info_frob_utilization"),
            ("DCGM_FI_DEV_GPU_UTIL", "dcgm_fi_dev_gpu_util"),
            ("DCGM_FI_DEV_XID_ERRORS", "dcgm_fi_dev_xid_errors"),
        ],
    ),
    "goodput": Trace(
        ["goodput/ranker-7.jsonl"],
        Tree((), lines=True),
        times=("job_start_time", "step_start_time", "job_end_time", "tpu_init_start_time", "tpu_init_end_time"),
        words=[
            ("step_start_time", "frob_start_time"),
            ("step_start_time", "frobnicated"),
            ("data_loading", "data_frobbing"),
        ],
    ),
    "goodput_json": Trace(
        ["goodput/ranker-8.json"],
        Tree(()),
        times=("job_start_time", "step_start_time", "job_end_time"),
        words=[("step_start_time", "frob_start_time")],
    ),
    "maxtext": Trace(
        ["training/maxtext.log"],
        Words(r"(?P<name>\b[\w/]+(?: step)?): (?P<value>[\d.]+),?"),
        times=(),
        words=[("completed step", "finished step"), ("TFLOP/s/device", "PFLOP/s/device")],
    ),
    "maxtext_clock": Trace(
        ["exports/maxtext-5101.log", "exports/sacct.psv", "exports/events.psv"],
        damage=["exports/maxtext-5101.log"],
        shape=Words(r"(?P<clock>^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+)|(?P<name>\b[\w/]+(?: step)?): (?P<value>[\d.]+),?"),
        times=("clock",),
        words=[("completed step", "finished step")],
    ),
    "megatron": Trace(
        ["training/megatron.log"],
        Words(
            r"(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)|(?P<iteration>\d+/ +\d+) \||(?P<name>[\w/() ]+): +(?P<value>[\d.E+-]+) \|?|(?P<saved>(?<=iteration) +\d+)"
        ),
        times=("clock",),
        words=[("elapsed time per iteration \\(ms\\)", "elapsed time (ms)"), ("iteration +(\\d+)/", r"step \1/")],
    ),
    "torchtitan": Trace(
        ["training/torchtitan.log"],
        Words(
            r"(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+)|(?P<name>\b\w+): +(?P<value>[\d.,]+)|(?P<seconds>[\d.]+)(?= seconds)"
        ),
        times=("clock",),
        words=[("tflops:", "pflops:"), ("step:", "iter:")],
    ),
    "nanogpt": Trace(
        ["training/nanogpt.log"],
        Words(r"(?P<name>\b\w+):(?P<value>[\d./]+)(?:ms)?"),
        words=[("train_time", "frob_time"), ("^step:|\nstep:", "\nstop:")],
    ),
    "mllog": Trace(
        ["mlperf/results/pod16/toy_lm/result_%d.txt" % i for i in range(3)] + ["mlperf/systems/pod16.json"],
        Words(r"\"(?P<name>\w+)\": (?P<value>\"[^\"]*\"|[\w.]+),?", ":::MLLOG"),
        damage=["mlperf/results/pod16/toy_lm/result_0.txt"],
        times=("time_ms",),
        words=[("run_start", "run_frob"), ("block_stop", "block_halt"), ("run_stop", "run_frob")],
    ),
    "otlp": Trace(
        ["otlp/finetune.json"],
        Tree(("resource_spans", "*", "scope_spans", "*", "spans")),
        times=("start_time_unix_nano", "end_time_unix_nano", "startTimeUnixNano", "endTimeUnixNano"),
        pairs=[("start_time_unix_nano", "end_time_unix_nano")],
        words=[('"name": ?"step"', '"name": "frob"'), ('"mpg.job"', '"mgp.job"')],
    ),
    "otlp_lines": Trace(
        ["otlp/spans.jsonl", "kube/watch.json"],
        Tree(("*", "resourceSpans", "*", "scopeSpans", "*", "spans"), lines=True),
        damage=["otlp/spans.jsonl"],
        times=("startTimeUnixNano", "endTimeUnixNano"),
        pairs=[("startTimeUnixNano", "endTimeUnixNano")],
        words=[('"name": ?"train_step"', '"name": "frob"')],
    ),
    "native_csv": Trace(
        ["golden/%s.csv" % r for r in ("allocations", "capacity", "commits", "jobs", "outages", "programs", "spans")],
        Cells(","),
        times=("start_time", "end_time", "snapshot_time", "durable_time", "submit_time"),
        pairs=[("start_time", "end_time"), ("snapshot_time", "durable_time")],
        words=[(",step,", ",frob,"), ("tpu-v4", "tpu-v400"), ("hw_down", "frob"), ("completed", "frobbed")],
    ),
    "native_jsonl": Trace(
        ["golden.jsonl"],
        Tree((), lines=True),
        times=("start_time", "end_time", "snapshot_time", "durable_time", "submit_time"),
        pairs=[("start_time", "end_time")],
        words=[('"kind": ?"step"', '"kind": "frob"'), ('"record": ?"span"', '"record": "spam"')],
    ),
    "acme": Trace(
        ["public/acme/trace_seren.csv", "public/acme/trace_kalos.csv"],
        Cells(","),
        times=("submit_time", "start_time", "end_time"),
        pairs=[("start_time", "end_time")],
        words=[("COMPLETED", "FROBNICATED"), ("gpu_num", "npu_num")],
    ),
    "philly": Trace(
        ["public/philly/cluster_job_log", "public/philly/cluster_machine_list"],
        Tree((), ("*", "attempts")),
        damage=["public/philly/cluster_job_log"],
        times=("start_time", "end_time", "submitted_time"),
        pairs=[("start_time", "end_time")],
        words=[("Pass", "Frobnicated")],
    ),
    "philly_machines": Trace(
        ["public/philly/cluster_job_log", "public/philly/cluster_machine_list"],
        Cells(","),
        damage=["public/philly/cluster_machine_list"],
    ),
    "helios": Trace(
        ["public/helios/Venus/cluster_log.csv", "public/helios/Venus/cluster_gpu_number.csv"],
        Cells(","),
        times=("submit_time", "start_time", "end_time", "date"),
        pairs=[("start_time", "end_time")],
        words=[("COMPLETED", "FROBNICATED")],
    ),
    "pai": Trace(["public/pai/pai_job_duration_estimate.csv"], Cells(","), times=("submit_time", "duration")),
    "alibaba_v2020": Trace(
        ["public/alibaba-v2020/pai_%s.csv" % t for t in ("instance_table", "job_table", "machine_spec", "task_table")],
        Cells(",", "job_name task_name inst_name worker_name inst_id status start_time end_time machine".split()),
        damage=["public/alibaba-v2020/pai_instance_table.csv"],
        times=("start_time", "end_time"),
        pairs=[("start_time", "end_time")],
        words=[("Terminated", "Frobnicated")],
    ),
    "alibaba_v2023": Trace(
        ["public/alibaba-v2023/openb_pod_list.csv", "public/alibaba-v2023/openb_node_list.csv"],
        Cells(","),
        times=("creation_time", "deletion_time", "scheduled_time"),
        pairs=[("scheduled_time", "deletion_time")],
        words=[("Succeeded", "Frobnicated")],
    ),
    "alibaba_v2025": Trace(
        ["public/alibaba-v2025/disaggregated_DLRM_trace.csv"],
        Cells(","),
        times=("creation_time", "scheduled_time", "deletion_time"),
        pairs=[("scheduled_time", "deletion_time")],
    ),
    "hlo": Trace(
        ["hlo/train_step.hlo"],
        Words(r"(?P<op>(?<=\} )\w[\w-]*(?=\())|(?P<shape>\[[\d,]+\])|(?P<name>\w+)=(?P<value>\{[\d,]*\})"),
        programs,
        words=[("dot\\(", "frob("), ("f32\\[", "f33[")],
    ),
}

# What no reader can see: the damaged trace is a valid one of another fleet. (format, kind, field): why.
NOT_NUMBERED = "records are not numbered without gaps: the trace is that of a fleet without it"
INVISIBLE = {
    (name, "record_lost", "*"): NOT_NUMBERED
    for name in TRACES
    if name not in ("goodput", "goodput_json", "maxtext_clock")
}
INVISIBLE |= {
    ("goodput", "record_lost", '*"directory"*'): "saves and restores are not numbered",
    ("goodput_json", "record_lost", '*"directory"*'): "saves and restores are not numbered",
    ("philly", "field_lost", "*gpus*"): "an attempt on one GPU less is one as well",
    ("philly", "end_before_start", "*"): "an attempt without an end has a time to start: it may be the later one",
    ("philly_machines", "u2028", "*"): "a name or a memory with U+2028 in it is another one",
    ("philly_machines", "unknown_word", "*"): "pools are named after the memory of their machines, whatever it is",
    ("philly", "unknown_word", "jobid"): "jobs are called by their ids, whatever these are",
    ("alibaba_v2023", "unknown_word", "name"): "jobs are called by the names of their pods, whatever these are",
    (
        "alibaba_v2025",
        "end_before_start",
        "scheduled_time",
    ): "one that was deleted before it was scheduled is, the other way round, one that runs",
    (
        "native_csv",
        "foreign_word",
        "frob",
    ): "the cause of an outage is its kind, whatever that is, and the ledger shows it",
    ("native_csv", "field_lost", "flops"): "a program need not tell its FLOPs: the ledger shows its steps as unrated",
    ("native_jsonl", "field_lost", "flops"): "a program need not tell its FLOPs: the ledger shows its steps as unrated",
    ("alibaba_v2025", "field_lost", "*"): "an instance without its creation was there before the trace began",
    ("squeue", "end_before_start", "*"): "of a job that runs the end is what its limit makes of the start",
    ("squeue", "foreign_word", "*"): "one of the two counts of a job's GPUs says of which type they are",
    ("slurm_json", "end_before_start", "*"): "a job that waits has no start; its end is when it left",
    ("kube", "field_lost", "*"): "a job's template may ask for no chips",
    ("kube", "foreign_word", "*"): "a JobSet of which a part asks for what is no chip",
    ("kube_watch", "field_lost", "*nodepool"): "the label of a node may be taken off",
    ("kube_watch", "unknown_word", "*nodepool"): "pools have the names that their nodes' labels have",
    ("otlp", "field_twice", "*"): "a value with two members is shown as the JSON that it is",
    ("otlp", "field_lost", "attributes.0.key"): "an attempt that names no pool is in the pool otlp",
    ("otlp", "unknown_word", "attributes.0.key"): "an attempt that names no pool is in the pool otlp",
    ("otlp_lines", "field_twice", "*"): "a value with two members is shown as the JSON that it is",
    ("maxtext", "record_moved", "*"): "a line without a time is where it stands",
    ("megatron", "record_moved", "*"): "a line without a time is where it stands",
    ("torchtitan", "field_twice", "*"): "the pattern takes the later of two times in a line",
    ("native_csv", "foreign_word", ",frob,"): "any other kind of a span is a stall with that cause, by the rules",
    (
        "native_jsonl",
        "foreign_word",
        '"kind": "frob"',
    ): "any other kind of a span is a stall with that cause, by the rules",
    ("native_jsonl", "unknown_word", "kind"): "any other kind of a span or an outage is its cause, by the rules",
    ("native_csv", "unknown_word", "kind"): "any other kind of a span or an outage is its cause, by the rules",
    ("native_csv", "record_twice", "*"): "two racks of one size are two records that are alike",
    ("native_jsonl", "record_twice", "*"): "two racks of one size are two records that are alike",
    ("native_csv", "field_lost", "executions"): "a span is of one execution unless it says of how many",
    ("native_csv", "u2028", "*"): "a cause with U+2028 in it is another one",
    ("swf", "u2028", "*"): "the name of a computer with U+2028 in it is another one",
    ("goodput", "record_lost", '*"step_count": 10,*'): "the last step before a restart may not have begun",
    ("lsf", "field_lost", "ngpus_physical"): "a job may ask for no GPUs",
    ("pai", "unknown_word", "gpu_type"): "pools are named after types of GPUs, whatever these are",
    (
        "alibaba_v2025",
        "unknown_word",
        "instance_sn",
    ): "jobs are called by the names of their instances, whatever these are",
    ("flux", "negated", "id"): "a job of another id is another job",
    ("helios", "negated", "job_id"): "a job of another id is another job",
}


class Damaged(damage_case.Damaged):
    traces = TRACES
    invisible = INVISIBLE


if __name__ == "__main__":
    unittest.main()
