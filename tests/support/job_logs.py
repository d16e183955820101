"""job_logs.py - logs of trainers beside a scheduler: rows of sacct, pods, and logs whose times are seconds since T."""

import json
import os

from cases import Case

T = 1793491200  # 2026-11-01 00:00:00 UTC
SACCT = "JobIDRaw|JobID|JobName|Cluster|User|Account|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
PRODUCTIVE = ("ideal", "inefficiency", "unrated")


def clock(time):
    return f"2026-11-01 {time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}"


def job(number, start, end, state="COMPLETED", name="llama", raw=None, gpus=8, submit=0, cluster="pod"):
    """A row of sacct; times are seconds since T."""
    tres = f"cpu=8,gres/gpu={gpus}"
    return (
        "|".join(
            str(value)
            for value in (
                raw or number,
                number,
                name,
                cluster,
                "ann",
                "nlp",
                state,
                T + submit,
                T + start,
                T + end,
                tres,
                tres,
                "n1",
            )
        )
        + "\n"
    )


def megatron(start, first, last, total=100, world=8, saves=(), load=None, seconds=10):
    """Steps that begin at `start`, seconds since T."""
    lines = [f"using world size: {world}, data-parallel size: {world}"]
    if load:
        lines.append(f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {load}")
    lines.append(f"[before the start of training step] datetime: {clock(start)} ")
    for step in range(first, last + 1):
        start += seconds
        lines.append(
            f" [{clock(start)}.000000] iteration {step:8}/{total:8} | consumed samples: 1 | elapsed time per iteration (ms): {seconds * 1000}.0 | lm loss: 8.0E+00 |"
        )
        if step in saves:
            lines.append(f"  successfully saved checkpoint from iteration {step:7} to /ckpt [ t 1/1, p 1/1 ]")
    return "\n".join(lines) + "\n"


def torchtitan(start, first, last, saves=(), load=None, done=False):
    lines = []

    def line(text):
        lines.append(f"[titan] {clock(start)},000 - root - INFO - {text}")

    for text in (
        "Starting job: toy 1B",
        "Building 1-D device mesh with ['dp_shard'], [8]",
        "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.18GiB memory",
    ):
        line(text)
    if load:
        line(f"Loading the checkpoint from ./outputs/checkpoint/step-{load}.")
        line("Finished loading the checkpoint in 0.00 seconds.")
    line(f"Training starts at step {first}.")
    for step in range(first, last + 1):
        start += 10
        line(
            f"step: {step:2}  loss: 12.2431  grad_norm:  1.2040  memory: 45.23GiB(57.12%)  tps: 546  tflops: 400.00  mfu: 40.35%"
        )
        if step in saves:
            line("Finished saving the checkpoint (or staging if async is enabled)in 0.00 seconds.")
    if done:
        line("Training completed")
    return "\n".join(lines) + "\n"


def maxtext(first, last, load=None, saves=(), prefix=lambda seconds: "", start=0, devices=8):
    """Steps of ten seconds, in lines that have no clock unless `prefix` gives them one."""
    lines = ["Config param steps: 1000", f"Num_devices: {devices}, shape (1, 1, {devices}, 1)"]
    lines += [f"restoring from this run's directory step {load}"] * (load is not None)
    lines = [prefix(start) + line for line in lines]
    for step in range(first, last + 1):
        start += 10
        lines.append(
            prefix(start)
            + f"completed step: {step}, seconds: 10.000, TFLOP/s/device: 125.000, Tokens/s/device: 8192.000, total_weights: 65536, loss: 9.0"
        )
        if step in saves:
            lines.append(prefix(start) + f"Saved a checkpoint at step {step}.")
    return "\n".join(lines) + "\n"


def pod(name, start, end, code=0, job="trainer", node="n1"):
    """A pod of 8 GPUs that ended; times are minutes of the first hour, in seconds."""
    at = {key: f"2026-11-01T00:{value // 60:02}:00Z" for key, value in (("start", start), ("end", end))}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": "u-" + name,
            "labels": {"batch.kubernetes.io/job-name": job},
            "creationTimestamp": at["start"],
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "j-" + job, "controller": True}
            ],
        },
        "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
        "status": {
            "phase": "Failed" if code else "Succeeded",
            "startTime": at["start"],
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at["start"]}],
            "containerStatuses": [
                {
                    "name": "c",
                    "state": {"terminated": {"exitCode": code, "startedAt": at["start"], "finishedAt": at["end"]}},
                }
            ],
        },
    }


class Logs(Case):
    def seconds(self, path, by="job, attempt"):
        """Chip-seconds of what came of steps, and those lost, by job and attempt."""
        return self.rows(
            f"SELECT {by}, sum(chip_us) FILTER (WHERE category IN {PRODUCTIVE}) / 1000000, sum(chip_us) FILTER (WHERE category = 'lost') / 1000000 "
            "FROM trace_rollup(?) WHERE attempt IS NOT NULL GROUP BY 1, 2",
            path,
        )

    def of_one_job(self, files, **options):
        """The path of a fleet file of a folder with these files, all of which the option `job` says to be of x."""
        folder = self.folder_of(files)
        return json.dumps({"sources": [{"path": os.path.join(folder, "*.log"), "job": "x", **options}]})


class NamedLogs(Logs):
    def jobs(self, sacct, name, log=None, **options):
        """The jobs of logs in files whose name has `{}` for a number, and how they were found."""
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + sacct,
                **{name.format(i): log(i) if log else megatron(60 + i, 1, 100, world=4) for i in range(3)},
            }
        )
        path = json.dumps({"sources": [{"path": folder + "/sacct.psv"}, {"path": folder, **options}]})
        return [
            job
            for job, in self.rows(
                "SELECT job FROM trace_sources(?) WHERE format = 'megatron' ORDER BY first_time, file", path
            )
        ]
