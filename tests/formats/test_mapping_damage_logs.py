"""As test_mapping_damage: logs of trainers and of what runs them, what servers count, and what stands beside a scheduler's records."""

import collections
import json
import unittest

import damage_case
from damage_case import Trace
from damages import Cells, Tree, Words
from kube import G, when

PAIRS = r"(?P<name>[\w.\[\]]+)=(?P<value>\"[^\"]*\"|\S+)"


def asked(statement):
    """The rows of a statement that takes the path and on_error, as figures."""
    return lambda db, path, on_error: collections.Counter(db.execute(statement, (path, on_error)).fetchall())


SPANS = asked(
    "SELECT job, kind, start_time, end_time, step FROM trace_records(?) WHERE on_error = ? AND record = 'spans'"
)
STEPS = asked("SELECT attempt, step, loss FROM trace_training_steps(?) WHERE on_error = ?")


def report(db, path, on_error):
    """What the library says; of what it does not see the ledger of the same log has the row."""
    rows = REPORTED(db, path, on_error)
    db.execute("SELECT sum(chip_us) FROM trace_ledger(?) WHERE on_error = ?", (path, on_error)).fetchall()
    return rows


REPORTED = asked(
    "SELECT job, round(goodput_pct, 3), round(total_job_time_s, 3), disruption_count, last_recorded_step, round(data_loading_sync_s, 3), custom_badput_events FROM goodput_report(?) WHERE on_error = ?"
)
TOKENS = asked(
    "SELECT replica, model, sum(prefill_tokens), sum(decode_tokens), sum(cached_tokens), sum(received_tokens) FROM trace_serve_tokens(?) WHERE on_error = ? GROUP BY 1, 2"
)
SCRAPE = r"(?P<metric>^\w[\w:]*)|(?P<name>\w+)=\"(?P<value>[^\"]*)\"|(?P<sample>(?<=\} )[\d.e+]+)|(?P<time>\d{10,13}$)"
RESERVED = """ReservationName=course StartTime=2026-11-21T05:40:00 EndTime=2026-11-21T05:50:00 Duration=00:10:00 Nodes=n[1-2] NodeCnt=2 CoreCnt=32 Flags=SPEC_NODES TRES=cpu=32 Users=(null)
ReservationName=patch StartTime=2026-11-21T05:56:40 EndTime=2026-11-21T05:58:10 Duration=00:01:30 Nodes=n[1-2] NodeCnt=2 CoreCnt=32 Flags=MAINT,IGNORE_JOBS,SPEC_NODES TRES=cpu=32 Users=root
ReservationName=disk StartTime=2026-11-21T06:01:20 EndTime=2026-11-21T06:01:50 Duration=00:00:30 Nodes=n3 NodeCnt=1 CoreCnt=16 Flags=MAINT,SPEC_NODES TRES=cpu=16 Users=root
"""


def node(name, since):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": "u-" + name,
            "creationTimestamp": when(0),
            "labels": {"cloud.google.com/gke-nodepool": "h100"},
        },
        "spec": {},
        "status": {
            "capacity": {G: "8"},
            "allocatable": {G: "8"},
            "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(since), "lastHeartbeatTime": when(4000)}
            ],
        },
    }


def pod(name, start, end, code):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": "u-" + name,
            "creationTimestamp": when(start - 60),
            "labels": {"batch.kubernetes.io/job-name": "train"},
        },
        "spec": {
            "nodeName": "n1" if name[-1] == "0" else "n2",
            "containers": [{"name": "c", "resources": {"limits": {G: 8}}}],
        },
        "status": {
            "phase": "Failed" if code else "Succeeded",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when(start)}],
            "containerStatuses": [
                {
                    "name": "c",
                    "state": {"terminated": {"startedAt": when(start), "finishedAt": when(end), "exitCode": code}},
                }
            ],
        },
    }


def event(about, name, reason, first, last=None, count=1, message=""):
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "%s.%d" % (name, first), "namespace": "ml", "creationTimestamp": when(first)},
        "reason": reason,
        "message": message,
        "type": "Normal",
        "count": count,
        "involvedObject": {"kind": about, "name": name} | ({"namespace": "ml"} if about == "Pod" else {}),
        "firstTimestamp": when(first),
        "lastTimestamp": when(last or first),
    }


OBJECTS = [
    node("n1", 1900),
    node("n2", 0),
    pod("train-0", 100, 1500, 137),
    pod("train-1", 100, 1500, 0),
    pod("again-0", 2000, 3900, 0),
]
EVENTS = [
    event("Node", "n1", "NodeNotReady", 1600),
    event("Node", "n1", "NodeReady", 1660),
    event("Node", "n1", "NodeNotReady", 1800),
    event("Node", "n1", "NodeReady", 1900),
    event("Node", "n2", "NodeNotSchedulable", 2500),
    event("Node", "n2", "NodeSchedulable", 2700),
    event("Pod", "train-0", "Preempted", 1490, message="by another"),
    event("Pod", "again-0", "FailedScheduling", 1950, 1990, 4, "0/2 nodes are available"),
]


def listing(items):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1) + "\n"


DEEPSPEED = r"(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+)|(?P<name>\b(?:global_step|micro_step|dist_world_size))=?(?P<value>\d+)"
TITAN = "trainer/structured_logs/training.global_rank_%d.20260303-100000-ABC%d.jsonl"
TRACES = {
    "nvrx": Trace(
        ["nvrx/ft_launcher.log"],
        Words(r"Cycle: (?P<cycle>\d+)|Event: (?P<event>\w+)|(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+)"),
        SPANS,
        times=("clock",),
        words=[
            ("failure_detected", "failure_frobbed"),
            ("worker_start_completed", "worker_start_frobbed"),
            ("Cycle:", "Round:"),
        ],
    ),
    "deepspeed": Trace(
        ["trainer/deepspeed.log"],
        Words(DEEPSPEED),
        times=("clock",),
        words=[
            ("is about to be saved", "is about to be frobbed"),
            ("is ready now", "is frobbed now"),
            ("global_step=", "step="),
            ("Loaded checkpoint", "Frobbed checkpoint"),
        ],
    ),
    "nemo": Trace(
        ["trainer/nemo.log"],
        Words(
            r"(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)|(?P<name>global_step|train_step_timing in s|MEMBER|Time spent in load_checkpoint|step)[:=] ?(?P<value>[\d./]+)"
        ),
        times=("clock",),
        words=[
            ("train_step_timing in s", "train_step_timing in ms"),
            ("Successfully saved", "Successfully frobbed"),
            ("Scheduled async", "Frobbed async"),
            ("global_step:", "step:"),
        ],
    ),
    "titan": Trace(
        [TITAN % (0, 0), TITAN % (1, 1)],
        Tree((), lines=True),
        times=("time", "time_us", "time_ms"),
        words=[("step_end", "step_frob"), ("checkpoint_start", "checkpoint_frob"), ("_start", "_frob")],
    ),
    "wandb": Trace(
        ["trainer/wandb-history.jsonl"],
        Tree((), lines=True),
        times=("_timestamp",),
        words=[("_timestamp", "_time"), ("train/global_step", "train/step")],
    ),
    "wandb_csv": Trace(
        ["trainer/wandb-history.csv"],
        Cells(","),
        times=("_timestamp",),
        words=[("_timestamp", "_time"), ("train/global_step", "train/step")],
    ),
    "mlflow": Trace(
        ["trainer/mlflow-train_loss.json"],
        Tree(("metrics",)),
        times=("timestamp",),
        words=[("timestamp", "time"), ("train_loss", "frob_loss")],
    ),
    "hugging_face": Trace(
        ["trainer/trainer_state.json"],
        Tree(("log_history",)),
        STEPS,
        words=[('"step"', '"stop"'), ('"loss"', '"floss"')],
    ),
    "goodput_report": Trace(
        ["goodput/ranker-7.jsonl"],
        Tree((), lines=True),
        report,
        times=("job_start_time", "step_start_time", "job_end_time", "tpu_init_start_time", "tpu_init_end_time"),
        words=[("step_start_time", "frob_start_time"), ("data_loading", "data_frobbing")],
    ),
    "reservations": Trace(
        ["slurm/sacct_jobs.psv", "slurm/sacctmgr_events.psv"],
        Words(PAIRS),
        damage=["reservations.txt"],
        made={"reservations.txt": RESERVED},
        times=("StartTime", "EndTime"),
        pairs=[("StartTime", "EndTime")],
        words=[("MAINT", "MANT"), ("Nodes=n", "Nodes=m"), ("Flags=", "Frobs=")],
    ),
    "kube_events": Trace(
        [],
        Tree(("items",)),
        damage=["events.json"],
        made={"objects.json": listing(OBJECTS), "events.json": listing(EVENTS)},
        times=("firstTimestamp", "lastTimestamp", "creationTimestamp"),
        pairs=[("firstTimestamp", "lastTimestamp")],
        words=[
            ("NodeNotReady", "NodeNotFrobbed"),
            ("NodeReady", "NodeFrobbed"),
            ('"kind": "Node"', '"kind": "Nod"'),
            ("Preempted", "Frobbed"),
        ],
    ),
    "mlperf_system": Trace(
        ["mlperf/results/pod16/toy_lm/result_%d.txt" % i for i in range(3)] + ["mlperf/systems/pod16.json"],
        Tree(()),
        damage=["mlperf/systems/pod16.json"],
        words=[("TPU-v5e", "TPU-v500"), ('"number_of_nodes"', '"nodes"'), ("accelerators_per_node", "chips_per_node")],
    ),
    "vllm": Trace(
        ["serving/vllm.prom"],
        Words(SCRAPE),
        TOKENS,
        times=("time",),
        words=[
            ("vllm:prompt_tokens_by_source_total", "vllm:prompt_frobs_total"),
            ("vllm:generation_tokens_total", "vllm:frobs_total"),
            ("local_compute", "local_frob"),
            ("pod=", "pot="),
        ],
    ),
}

NOT_NUMBERED = "records are not numbered without gaps: the trace is that of a fleet without it"
INVISIBLE = {(name, "record_lost", "*"): NOT_NUMBERED for name in TRACES} | {
    ("wandb", "field_lost", "train/loss"): "a record without a loss is of other metrics",
    ("wandb_csv", "field_lost", "train/loss"): "a record without a loss is of other metrics",
    ("mlflow", "foreign_word", "frob_loss"): "a value of another key is of another metric",
    ("hugging_face", "field_lost", "loss"): "an entry without a loss is of other metrics",
    ("hugging_face", "negated", "loss"): "a loss may be below 0",
    ("nemo", "foreign_word", "Successfully frobbed"): "a save that no line calls successful is none",
    (
        "mlperf_system",
        "unknown_word",
        "accelerator_model_name",
    ): "a pool has the chip that its description names, whatever that is",
    ("nvrx", "field_twice", "clock"): "a second has as many digits as stand there",
    ("mlperf_system", "foreign_word", "TPU-v500"): "a pool has the chip that its description names, whatever that is",
    ("goodput_report", "record_moved", "*"): "the library reads entries in their order, and the ledger by their times",
    ("mlperf_system", "unknown_word", "system_name"): "pools have the names of systems, whatever these are",
    ("vllm", "foreign_word", "vllm:*"): "a server has many metrics, and a scrape may miss one",
    ("vllm", "field_twice", "metric"): "a server has many metrics, and a scrape may miss one",
    ("reservations", "future", "EndTime"): "a reservation may be planned for a hundred years",
}


class Damaged(damage_case.Damaged):
    traces = TRACES
    invisible = INVISIBLE


if __name__ == "__main__":
    unittest.main()
