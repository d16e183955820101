"""slurm.py - the recorded exports of a Slurm cluster, a reading of them in Python, and what sql/formats/slurm.sql makes of such files."""

import datetime
import os

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures", "slurm")
JOBS, EPOCH, STEPS, ALL_FIELDS, NODUP, PIPE, EVENTS, SREPORT = (
    os.path.join(FIXTURES, name)
    for name in (
        "sacct_jobs.psv",
        "sacct_jobs_epoch.psv",
        "sacct_jobs_steps.psv",
        "sacct_all_fields.psv",
        "sacct_jobs_nodup.psv",
        "sacct_pipe_in_name.psv",
        "sacctmgr_events.psv",
        "sreport_util.psv",
    )
)
SACCT, SQUEUE, NODES = (os.path.join(FIXTURES, name) for name in ("sacct.json", "squeue.json", "scontrol_nodes.txt"))
SHARED = os.path.join(ROOT, "../shared/traces")
SINCE, UNTIL = 1795240284, 1795240800  # 05:51:24 to 06:00:00 on 2026-11-21, what sreport was asked for
DERIVED = (
    "job_base array_task array_count het_offset step state_base cancelled_by outcome alloc_gpus req_gpus gpu_type "
    "alloc_gpu_types req_gpu_types nodes last_update"
).split()


def read_plain(path):
    """The header and the records, by cutting lines at the delimiter and nothing else."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split("|") for line in file.read().splitlines()]
    return lines[0], lines[1:]


NOTHING = ("", "None", "Unknown", "N/A", "UNLIMITED", "Partition_Limit", "INVALID")
TIMES = "Eligible End Start Submit TimeStart TimeEnd".split()
CLOCKS = "AveCPU MinCPU SystemCPU TotalCPU UserCPU".split()
DURATIONS = "CPUTime Duration Elapsed Planned PlannedCPU Reserved ResvCPU Suspended".split()
COUNTS = (
    "AllocCPUS AllocNodes AssocID ConsumedEnergyRaw CPUTimeRAW DBIndex ElapsedRaw GID MaxDiskReadTask MaxDiskWriteTask "
    "MaxPagesTask MaxRSSTask MaxVMSizeTask MinCPUTask NCPUS NNodes NTasks Priority QOSRAW ReqCPUS ReqNodes ReservationId "
    "ResvCPURAW TimelimitRaw UID WCKeyID"
).split()


def seconds(text):
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + 86400 * int(days or 0)


def expected_value(name, text):
    if name not in TIMES + CLOCKS + DURATIONS + COUNTS:
        return text or None
    if text in NOTHING:
        return None
    if name in TIMES and not text.isdigit():
        return int(datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp())
    if name in CLOCKS:
        return seconds(text)
    return int(seconds(text)) if name in DURATIONS else int(text)


class Case(cases.Case):
    FILE = "sacct.psv"


class Mapped(Case):
    HEADER = "Cluster|JobIDRaw|JobID|JobName|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList|Comment\n"
    EVENT_HEADER = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n"

    def map(self, sacct, events=None, zone="UTC"):
        self.db.execute("CREATE TEMP TABLE slurm_jobs AS SELECT *, _file, _line FROM slurm_trace(?, ?)", (sacct, zone))
        self.db.execute(
            "CREATE TEMP TABLE slurm_events AS SELECT *, _file, _line FROM slurm_events_trace(?, ?)", (events, zone)
        )
        self.script("formats/slurm.sql")

    def job(self, job, state, submit, start, end, req, alloc, nodes="", comment="", cluster="c"):
        return f"{cluster}|{job}|{job}|j{job}|{state}|{submit}|{start}|{end}|{req}|{alloc}|{nodes}|{comment}\n"

    def map_text(self, jobs, events=""):
        self.map(self.file(self.HEADER + jobs), self.file(self.EVENT_HEADER + events, "events.psv"))


class WithNodes(cases.Case):
    def map(self, sacct, events=None, nodes=None, reservations=None):
        for table, function, path in (
            ("slurm_jobs", "slurm_trace", sacct),
            ("slurm_events", "slurm_events_trace", events),
            ("slurm_now", "slurm_nodes_trace", nodes),
        ):
            self.db.execute(f"CREATE TEMP TABLE {table} AS SELECT *, _file, _line FROM {function}(?)", (path,))
        self.script("formats/slurm.sql")
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'slurm%'"), [])
