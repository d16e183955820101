"""Big inputs of the formats that mappings read, by seed, for tests/bench/formats: FILES[name](path, size), where size is jobs,
steps, rows, bytes (of a watch) or events. Shapes are those of real logs: restarts, preempted jobs, saves, several hosts.
"""

import datetime
import importlib
import json
import os
import random
import struct
import sys

BEGIN = 1767225600  # 2026-01-01
SECOND = datetime.timedelta(seconds=1)
EPOCH = datetime.datetime(1970, 1, 1)


def clock(at):
    return (EPOCH + at * SECOND).strftime("%Y-%m-%dT%H:%M:%S")


def simulated(jobs, pick):
    """(number, submitted, start, end, nodes, how it ended) of jobs of eight chips a node; one in fifty runs twice."""
    at = BEGIN
    for number in range(1, jobs + 1):
        at += pick.randrange(0, 7)
        start, nodes = at + pick.randrange(1, 600), pick.choice((1, 1, 1, 2, 4))
        for last in (False, True) if number % 50 == 0 else (True,):
            end = start + pick.randrange(60, 7200)
            yield number, at, start, end, nodes, (
                pick.choice(("ok", "ok", "ok", "failed", "cancelled")) if last else "preempted"
            )
            start = end + 300


def swf(path, jobs):
    pick = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("; Version: 2.2\n; Computer: Bench\n; UnixStartTime: %d\n; MaxProcs: 65536\n" % BEGIN)
        for number, at, start, end, nodes, how in simulated(jobs, pick):
            if how != "preempted":
                file.write(
                    "%d %d %d %d %d -1 -1 %d %d -1 %d %d %d %d %d 1 -1 -1\n"
                    % (
                        number,
                        at - BEGIN,
                        start - at,
                        end - start,
                        8 * nodes,
                        8 * nodes,
                        7200,
                        {"ok": 1, "failed": 0, "cancelled": 5}[how],
                        number % 300,
                        number % 20,
                        number % 1000,
                        number % 4,
                    )
                )


def sacct(path, jobs):
    pick = random.Random(2)
    states = {"ok": "COMPLETED", "failed": "FAILED", "cancelled": "CANCELLED by 1000", "preempted": "PREEMPTED"}
    with open(path, "w", encoding="ascii") as file:
        file.write(
            "JobIDRaw|JobID|JobName|Cluster|User|Account|QOS|Partition|State|Submit|Start|End|NNodes|ReqTRES|AllocTRES|NodeList|"
            "Constraints|Comment\n"
        )
        for number, at, start, end, nodes, how in simulated(jobs, pick):
            tres = "billing=%d,cpu=%d,gres/gpu:h100=%d,gres/gpu=%d,mem=%dG,node=%d" % (
                nodes * 96,
                nodes * 96,
                nodes * 8,
                nodes * 8,
                nodes * 900,
                nodes,
            )
            first = pick.randrange(1, 1000)
            hosts = "n%04d" % first if nodes == 1 else "n[%04d-%04d]" % (first, first + nodes - 1)
            file.write(
                "%d|%d|train-%d|pod|user%d|team%d|normal|gpu|%s|%s|%s|%s|%d|%s|%s|%s||\n"
                % (
                    number,
                    number,
                    number % 1000,
                    number % 300,
                    number % 20,
                    states[how],
                    clock(at),
                    clock(start),
                    clock(end),
                    nodes,
                    tres,
                    tres,
                    hosts,
                )
            )


def pbs(path, jobs):
    pick = random.Random(3)
    lines = []
    for number, at, start, end, nodes, how in simulated(jobs, pick):
        who = (
            "user=user%d group=team%d project=_pbs_project_default jobname=train-%d queue=gpu ctime=%d qtime=%d etime=%d"
            % (number % 300, number % 20, number % 1000, at, at, at)
        )
        asked = (
            "Resource_List.ncpus=%d Resource_List.ngpus=%d Resource_List.nodect=%d Resource_List.select=%d:ncpus=96:ngpus=8:gpu_type=a100 "
            "Resource_List.walltime=02:00:00" % (nodes * 96, nodes * 8, nodes, nodes)
        )
        first = pick.randrange(1, 1000)
        hosts = "+".join("n%d/0*96" % (first + i) for i in range(nodes))
        vnodes = "+".join("(n%d:ncpus=96:ngpus=8)" % (first + i) for i in range(nodes))
        if how == "preempted" or number % 50:
            lines.append((at, "Q", number, who + " " + asked))
        lines.append(
            (start, "S", number, "%s start=%d exec_host=%s exec_vnode=%s %s" % (who, start, hosts, vnodes, asked))
        )
        used = "Exit_status=%d resources_used.walltime=%02d:%02d:%02d" % (
            {"ok": 0, "failed": 1, "cancelled": 271, "preempted": -11}[how],
            (end - start) // 3600,
            (end - start) // 60 % 60,
            (end - start) % 60,
        )
        lines.append(
            (
                end,
                "R" if how == "preempted" else "E",
                number,
                "%s start=%d exec_host=%s exec_vnode=%s %s session=%d end=%d %s"
                % (who, start, hosts, vnodes, asked, number, end, used),
            )
        )
    lines.sort()
    with open(path, "w", encoding="ascii") as file:
        for at, kind, number, text in lines:
            file.write("%s;%s;%d.pod;%s\n" % ((EPOCH + at * SECOND).strftime("%m/%d/%Y %H:%M:%S"), kind, number, text))


def trained(steps, pick):
    """('start' | 'step' | 'save', step, clock, seconds) of a run that saves every 500 steps and is restarted every 40,000."""
    at, step, saved = float(BEGIN), 0, 0
    for i in range(steps):
        if i % 40000 == 0:
            at, step = at + 90, saved
            yield "start", step, at, 0.0
        seconds = round(2 + pick.random() / 20 + (30 if i % 40000 == 0 else 0), 3)
        at += seconds
        yield "step", step, at, seconds
        if i % 500 == 499:
            at, saved = at + 1.5, step
            yield "save", step, at, 1.5
        step += 1


def maxtext(path, steps, told=""):
    with open(path, "w", encoding="ascii") as file:
        for what, step, at, seconds in trained(steps, random.Random(4)):
            if told:
                told = "%s.%03dZ " % (clock(int(at)), at % 1 * 1000)
            if what == "start":
                file.write(
                    f"{told}Config param steps: {steps}\n{told}TFRT TPU v5\n{told}Num_devices: 256, shape (16, 16, 1, 1)\n"
                )
            elif what == "save":
                file.write(f"{told}Saved a checkpoint at step {step}.\n")
            else:
                file.write(
                    "%scompleted step: %d, seconds: %.3f, TFLOP/s/device: %.3f, Tokens/s/device: %.3f, total_weights: 65536, loss: %.3f\n"
                    % (told, step, seconds, 250 / seconds, 16384 / seconds, 10 - step / steps)
                )


def maxtext_timed(path, steps):
    maxtext(path, steps, "with a clock")


def megatron(path, steps):
    with open(path, "w", encoding="ascii") as file:
        for what, step, at, seconds in trained(steps, random.Random(5)):
            if what == "start":
                file.write("using world size: 256, data-parallel size: 32\n")
                if step:
                    file.write(
                        "  successfully loaded checkpoint from /ckpt [ t 1/2, p 1/1 ] at iteration %d\n" % (step + 1)
                    )
            elif what == "save":
                file.write(
                    "  successfully saved checkpoint from iteration %7d to /ckpt [ t 1/2, p 1/1 ]\n" % (step + 1)
                )
            else:
                file.write(
                    " [%s] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | throughput per GPU "
                    "(TFLOP/s/GPU): %.1f | learning rate: 3.000000E-05 | global batch size:   256 | lm loss: %.6E | loss scale: 1.0 | "
                    "grad norm: 1.203 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
                    % (
                        clock(int(at)).replace("T", " "),
                        step + 1,
                        steps,
                        256 * (step + 1),
                        1000 * seconds,
                        800 / seconds,
                        10 - step / steps,
                    )
                )


def torchtitan(path, steps):
    with open(path, "w", encoding="ascii") as file:
        for what, step, at, seconds in trained(steps, random.Random(6)):
            head = "[rank0]:[titan] %s,%03d - root - INFO - " % (clock(int(at)).replace("T", " "), at % 1 * 1000)
            if what == "start":
                file.write(
                    f"{head}Starting job: bench\n{head}Building 2-D device mesh with ['dp_shard', 'tp'], [32, 8]\n"
                    f"{head}CUDA capacity: NVIDIA H100 80GB HBM3 with 79.18GiB memory\n{head}Training starts at step {step + 1}.\n"
                )
            elif what == "save":
                file.write(
                    f"{head}Saving the checkpoint (or staging if async is enabled).\n"
                    f"{head}Finished saving the checkpoint (or staging if async is enabled)in 1.50 seconds.\n"
                )
            else:
                file.write(
                    "%sstep: %2d  loss: %7.4f  grad_norm:  1.2040  memory: 45.23GiB(57.12%%)  tps: %d  tflops: %.2f  mfu: 40.44%%\n"
                    % (head, step + 1, 10 - step / steps, 8192 / seconds, 800 / seconds)
                )


def nanogpt(path, steps):
    took = 200.0
    with open(path, "w", encoding="ascii") as file:
        file.write(
            "Running pytorch 2.4.1+cu121 compiled for CUDA 12.1\nnvidia-smi:\nTue Mar  3 11:00:00 2026\n"
            "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:60:00.0 Off |                    0 |\n"
        )
        file.write(f"step:0/{steps} val_loss:10.9264 train_time:200ms step_avg:nanms\n")
        for step in range(1, steps + 1):
            took += 250
            file.write(
                "step:%d/%d train_loss:%.4f train_time:%.0fms step_avg:%.2fms\n"
                % (step, steps, 10 - step / steps, took, took / step)
            )
            if step % 1000 == 0:
                took += 900
                file.write(
                    "step:%d/%d val_loss:%.4f train_time:%.0fms step_avg:%.2fms\n"
                    % (step, steps, 10 - step / steps, took, took / step)
                )


def trainer(path, steps):
    """A history of Weights & Biases."""
    with open(path, "w", encoding="ascii") as file:
        for step in range(1, steps + 1):
            file.write(
                '{"_step": %d, "_timestamp": %.1f, "_runtime": %.1f, "train/loss": %.4f, "train/global_step": %d, "lr": 0.0001, "grad_norm": 0.5}\n'
                % (step, BEGIN + 10.5 * step, 10.5 * step, 2 + 8 / step, step)
            )


def goodput(path, rows):
    """The log of ml-goodput-measurement of a job with restarts, custom events and saves."""
    with open(path, "w", encoding="ascii") as file:

        def row(**keys):
            file.write(json.dumps({"job_name": "ranker", **keys}) + "\n")

        for what, step, at, seconds in trained(rows, random.Random(7)):
            if what == "start":
                row(job_start_time=at - 80)
                row(tpu_init_start_time=at - 79)
                row(tpu_init_end_time=at - 20)
                row(data_loading_start_time=at - 20)
                row(data_loading_end_time=at - 15)
            elif what == "save":
                row(
                    step=step,
                    event_type="save",
                    directory="gs://bucket/ranker",
                    checkpoint_manager_blocking_start_time=round(at - seconds, 3),
                    checkpoint_manager_blocking_duration_secs=seconds,
                )
            else:
                row(step_count=step, step_start_time=round(at - seconds, 6))


def mllog(path, rows):
    """A result of MLPerf training: what one process tells of blocks, epochs and evaluations."""
    with open(path, "w", encoding="ascii") as file:
        at = BEGIN * 1000

        def row(kind, key, value=None, **more):
            file.write(
                "0: :::MLLOG "
                + json.dumps(
                    {
                        "namespace": "",
                        "time_ms": at,
                        "event_type": kind,
                        "key": key,
                        "value": value,
                        "metadata": {"file": "train.py", "lineno": 40, **more},
                    }
                )
                + "\n"
            )

        row("INTERVAL_START", "init_start")
        row("POINT_IN_TIME", "submission_benchmark", "toy_lm")
        row("POINT_IN_TIME", "submission_platform", "pod16")
        row("POINT_IN_TIME", "global_batch_size", 256)
        at += 60000
        row("INTERVAL_END", "init_stop")
        row("INTERVAL_START", "run_start")
        for block in range(rows // 6):
            row("INTERVAL_START", "block_start", samples_count=block * 256000)
            at += 20000
            row(
                "POINT_IN_TIME",
                "tracked_stats",
                {"throughput": 12800.0, "loss": 3.25},
                samples_count=(block + 1) * 256000,
            )
            row("INTERVAL_END", "block_stop", samples_count=(block + 1) * 256000)
            row("INTERVAL_START", "eval_start", samples_count=(block + 1) * 256000)
            at += 2000
            row("POINT_IN_TIME", "eval_accuracy", 4 - block * 6 / rows, samples_count=(block + 1) * 256000)
            row("INTERVAL_END", "eval_stop", samples_count=(block + 1) * 256000)
        row("INTERVAL_END", "run_stop", status="success")


def otlp(path, spans):
    """JSON Lines of a collector: a request of 200 spans a line."""
    with open(path, "w", encoding="ascii") as file:

        def told(**keys):
            return [
                {"key": "mpg." + key, "value": {"stringValue" if isinstance(v, str) else "intValue": str(v)}}
                for key, v in keys.items()
            ]

        resource = {"attributes": told(job="ml/llm", rank=0, framework="jax", model="llm-70b")}
        batch = []
        for what, step, at, seconds in trained(spans, random.Random(8)):
            name = {"start": "init", "save": "checkpoint"}.get(what, what)
            length = 60.0 if what == "start" else seconds
            if what == "start":
                batch.append(
                    {
                        "traceId": "1a" * 16,
                        "spanId": "a%015x" % (step + 1),
                        "name": "attempt",
                        "kind": 1,
                        "startTimeUnixNano": str(round((at - 70) * 1e6) * 1000),
                        "endTimeUnixNano": str(round((at + 82000) * 1e6) * 1000),
                        "attributes": told(pool="pod", chip="a100-80-sxm4", chips=256),
                    }
                )
            batch.append(
                {
                    "traceId": "1a" * 16,
                    "spanId": "%016x" % (step + 1),
                    "name": name,
                    "kind": 1,
                    "startTimeUnixNano": str(round((at - length) * 1e6) * 1000),
                    "endTimeUnixNano": str(round(at * 1e6) * 1000),
                    "attributes": (
                        told(step=step, program="train_step", flops=10**18) if what == "step" else told(step=step)
                    ),
                    "status": {},
                }
            )
            if len(batch) >= 200:
                file.write(
                    json.dumps(
                        {
                            "resourceSpans": [
                                {"resource": resource, "scopeSpans": [{"scope": {"name": "loop"}, "spans": batch}]}
                            ]
                        }
                    )
                    + "\n"
                )
                batch = []


def kineto(path, events):
    """A profile of PyTorch: steps of operators, launches and kernels on one stream."""
    with open(path, "w", encoding="ascii") as file:
        file.write(
            '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], '
            '"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8}, "traceEvents": [\n'
        )
        ts = 4203669613000
        for i in range(events // 3):
            if i % 1000 == 0:
                file.write(
                    '{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d", "pid": 100, "tid": 100, "ts": %d.001, "dur": %d.5, '
                    '"args": {"External id": %d}},\n' % (i // 1000, ts, 30 * 1000 - 10, i)
                )
            file.write(
                '{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 100, "tid": 100, "ts": %d.%03d, "dur": 20.5, "args": {"External id": %d, '
                '"Input Dims": [[768], [788, 768], [768, 768]], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]}},\n'
                % (ts, i % 1000, i)
            )
            file.write(
                '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": %d.%03d, "dur": 4.5, '
                '"args": {"External id": %d, "cbid": 211, "correlation": %d}},\n' % (ts + 5, i % 1000, i, i)
            )
            file.write(
                '{"ph": "X", "cat": "kernel", "name": "%s%d", "pid": 0, "tid": 7, "ts": %d.%03d, "dur": %d.%03d, "args": {"External id": %d, '
                '"device": 0, "stream": 7, "correlation": %d, "grid": [8, 64, 1], "block": [384, 1, 1]}},\n'
                % (
                    ("sm90_xmma_gemm_bf16_", "elementwise_kernel_", "ncclDevKernel_AllReduce_Sum_bf16_")[i % 3],
                    i % 40,
                    ts + 10,
                    i % 1000,
                    15 + i % 10,
                    i % 983,
                    i,
                    i,
                )
            )
            ts += 30
        file.write('{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": %d.001}\n]}\n' % ts)


def kube(path, size):
    """A watch of nodes and pods: each pod is added, bound, runs with heartbeats of its status, and ends."""
    pick, written, at = random.Random(9), 0, BEGIN
    with open(path, "w", encoding="ascii") as file:
        version = 1

        def event(kind, thing):
            nonlocal version, written
            version += 1
            thing["metadata"]["resourceVersion"] = str(version)
            written += file.write(json.dumps({"type": kind, "object": thing}) + "\n")

        for i in range(500):
            event(
                "ADDED",
                {
                    "apiVersion": "v1",
                    "kind": "Node",
                    "metadata": {
                        "name": f"gpu-{i}",
                        "uid": f"n-{i}",
                        "creationTimestamp": clock(at) + "Z",
                        "labels": {
                            "cloud.google.com/gke-nodepool": "a100-pool",
                            "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
                        },
                    },
                    "status": {
                        "allocatable": {"nvidia.com/gpu": "8"},
                        "capacity": {"nvidia.com/gpu": "8"},
                        "conditions": [
                            {
                                "type": "Ready",
                                "status": "True",
                                "lastTransitionTime": clock(at) + "Z",
                                "lastHeartbeatTime": clock(at) + "Z",
                            }
                        ],
                    },
                },
            )
        number = 0
        while written < size:
            number += 1
            at += pick.randrange(1, 20)
            pod = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"train-{number}-0",
                    "namespace": "ml",
                    "uid": f"p-{number}",
                    "creationTimestamp": clock(at) + "Z",
                    "labels": {"job-name": f"train-{number}", "app": "train"},
                    "ownerReferences": [
                        {
                            "apiVersion": "batch/v1",
                            "kind": "Job",
                            "name": f"train-{number}",
                            "uid": f"j-{number}",
                            "controller": True,
                        }
                    ],
                },
                "spec": {
                    "containers": [
                        {
                            "name": "train",
                            "image": "registry.example/train:1",
                            "resources": {
                                "limits": {"cpu": "80", "nvidia.com/gpu": "8"},
                                "requests": {"cpu": "80", "nvidia.com/gpu": "8"},
                            },
                        }
                    ],
                    "restartPolicy": "Never",
                },
                "status": {"phase": "Pending"},
            }
            event("ADDED", pod)
            pod["spec"]["nodeName"] = "gpu-%d" % pick.randrange(500)
            told = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": clock(at + 5) + "Z"}]
            pod["status"]["conditions"] = told
            event("MODIFIED", pod)
            pod["status"].update(
                phase="Running",
                startTime=clock(at + 6) + "Z",
                containerStatuses=[
                    {
                        "name": "train",
                        "ready": True,
                        "restartCount": 0,
                        "state": {"running": {"startedAt": clock(at + 20) + "Z"}},
                    }
                ],
            )
            event("MODIFIED", pod)
            end = at + pick.randrange(60, 7200)
            pod["status"].update(
                phase="Succeeded",
                containerStatuses=[
                    {
                        "name": "train",
                        "ready": False,
                        "restartCount": 0,
                        "state": {
                            "terminated": {
                                "exitCode": 0,
                                "reason": "Completed",
                                "startedAt": clock(at + 20) + "Z",
                                "finishedAt": clock(end) + "Z",
                            }
                        },
                    }
                ],
            )
            event("MODIFIED", pod)


def lsf(path, jobs):
    """lsb.acct: a record for each job that ended."""
    pick = random.Random(10)
    ends = {"ok": (64, 0, 0), "failed": (32, 0, 256), "cancelled": (32, 14, 256), "preempted": (32, 1, 256)}
    lines = []
    for number, at, start, end, nodes, how in simulated(jobs, pick):
        status, info, code = ends[how]
        first = pick.randrange(1, 1000)
        hosts = "%d %s" % (nodes, " ".join('"8*n%d"' % (first + i) for i in range(nodes)))
        lines.append(
            (
                end,
                '"JOB_FINISH" "10.113" %d %d 1001 33554450 %d %d 0 0 %d "user%d" "gpu" "" "" "" "login" "work" "" "out.%%J" "" "%d.%d" 0 %s %d 60.0 "train-%d" "#!/bin/bash;#BSUB -gpu ""num=8"";train" %s'
                '-1 "" "team%d" %d %d "" "" 0 108544 0 "" "" "" "" 0 "" %d "" -1 "" "" "train" "" -1 "" "" 6160 "" %d "" "" 0 0 7200 0 86016 '
                '"select[type == any] rusage[ngpus_physical=8.00/host] " "" -1 "" -1 0 "" 0 0 "" %d "work" 0 "" 0.0 0.0 0.0 0.0 0.0 %s -1 0 0 0 0 0\n'
                % (
                    end,
                    number,
                    8 * nodes,
                    at,
                    start,
                    number % 300,
                    at,
                    number,
                    hosts,
                    status,
                    number % 1000,
                    "0 " * 18,
                    number % 20,
                    code,
                    8 * nodes,
                    info,
                    start,
                    end - start,
                    hosts,
                ),
            )
        )
    lines.sort()
    with open(path, "w", encoding="ascii") as file:
        file.writelines(line for _, line in lines)


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


def tfevents(path, steps):
    """Loss, rate and seconds of each step, as MaxText writes them, and the session's checkpoints."""
    table = crc_table()

    def masked(data):
        crc = 0xFFFFFFFF
        for byte in data:
            crc = crc >> 8 ^ table[(crc ^ byte) & 255]
        crc ^= 0xFFFFFFFF
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def varint(n):
        out = b""
        while n > 127:
            out, n = out + bytes((n & 127 | 128,)), n >> 7
        return out + bytes((n,))

    def field(number, data):
        return varint(number << 3 | 2) + varint(len(data)) + data

    def record(data):
        length = struct.pack("<Q", len(data))
        return length + masked(length) + data + masked(data)

    with open(path, "wb") as file:
        file.write(record(b"\x09" + struct.pack("<d", BEGIN) + field(3, b"brain.Event:2")))
        for what, step, at, seconds in trained(steps, random.Random(11)):
            head = b"\x09" + struct.pack("<d", at) + b"\x10" + varint(step)
            if what == "step":
                for tag, value in (
                    ("learning/loss", 10 - step / steps),
                    ("perf/per_device_tflops_per_sec", 250 / seconds),
                    ("perf/step_time_seconds", seconds),
                ):
                    file.write(
                        record(head + field(5, field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))))
                    )
            elif what == "save":
                file.write(record(head + field(7, b"\x08\x03" + field(2, b"/ckpt"))))


def perfetto(path, events):
    """Kernels of eight streams and the calls that launched them, as rocprofv3 writes them."""
    sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
    s = importlib.import_module("perfetto").Sequence(2, BEGIN * 10**9)
    s.track(10, process=[(1, 77), (6, "python3")])
    s.track(100, "THREAD 1 (5000)", 10, thread=[(1, 77), (2, 5000)])
    for stream in range(8):
        s.track(200 + stream, f"COMPUTE GPU [1] QUEUE [{stream}] GPU", 10)
    with open(path, "wb") as file:
        for i in range(events // 2):
            at, stream = BEGIN * 10**9 + i * 20000, i % 8
            args = {"begin_ns": at, "end_ns": at + 15000, "delta_ns": 15000, "corr_id": i + 1, "tid": 5000}
            s.slice(at, at + 3000, 100, "hipLaunchKernel", "hip_api", args, flow=i + 1)
            s.slice(
                at + 4000,
                at + 19000,
                200 + stream,
                "Cijk_Ailk_Bljk_%d" % (i % 40),
                "kernel_dispatch",
                {**args, "agent": "GPU-1", "queue": stream, "stream_ID": stream},
                flow=i + 1,
            )
            file.write(b"".join(s.out))
            s.out.clear()


FILES = {
    "swf": swf,
    "sacct": sacct,
    "pbs": pbs,
    "lsf": lsf,
    "maxtext": maxtext,
    "maxtext, with a clock": maxtext_timed,
    "megatron": megatron,
    "torchtitan": torchtitan,
    "nanogpt": nanogpt,
    "trainer": trainer,
    "goodput": goodput,
    "kube": kube,
    "otlp": otlp,
    "mllog": mllog,
    "kineto": kineto,
    "tfevents": tfevents,
    "perfetto": perfetto,
}
