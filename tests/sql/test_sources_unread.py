"""Files of formats that are known and not read: trace_sources and mpg_issues say what each is and what to do (sql/sources/unread.sql)."""

import bz2
import contextlib
import glob
import gzip
import io
import lzma
import os
import pickle
import re
import sqlite3
import struct
import tarfile
import tempfile
import unittest
import zipfile

from cases import Case
from fleets import ROOT
from unread_devices import DEVICES
from unread_schedulers import SCHEDULERS

SACCT = "JobID|State|Start|End|AllocTRES\n1|COMPLETED|2026-03-01T08:00:00|2026-03-01T09:00:00|gres/gpu=8\n"
STABLEHLO = "module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n  func.func public @main(%arg0: tensor<8xf32>) {\n    stablehlo.add %arg0, %arg0 : tensor<8xf32>\n"


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return out.getvalue()


def tarred():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        member = tarfile.TarInfo("sacct.psv")
        member.size = len(SACCT)
        file.addfile(member, io.BytesIO(SACCT.encode()))
    return out.getvalue()


def database(sql):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(sql)
        with open(path, "rb") as file:
            return file.read()


NSYS_STATS, ROCPROFV3, ASCEND, VTUNE = (
    "a report of nsys stats: export",
    "a table of rocprofv3: give",
    "a table of Ascend's profiler: give",
    "a report of VTune, which has sums alone",
)

# What a file holds, and words of its reason: what it is, and what to do.
UNREAD = {
    "prometheus-error.json": (
        b'{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution of 11,000 points per timeseries."}',
        "an error that Prometheus answers, and why: ask again",
    ),
    "promtool.txt": (
        b'DCGM_FI_DEV_GPU_UTIL{Hostname="a", gpu="0"} =>\n87 @[1772352000]\n88 @[1772352060]\n',
        "series as promtool prints them for people: give",
    ),
    "promtool-now.txt": (b'{gpu="0"} => 87 @[1772352000]\n', "series as promtool prints them for people: give"),
    "gcloud.yaml": (
        b"---\ninsertId: k039w\njsonPayload:\n  job_end_time: 1795241510.0\n  job_name: ranker-8\nlogName: projects/example/logs/goodput_ranker-8\n",
        "entries of Cloud Logging as YAML: export",
    ),
    "monitoring.json": (
        b'[{"metric":{"labels":{"model":"m"},"type":"prometheus.googleapis.com/vllm:generation_tokens_total/counter"},"metricKind":"CUMULATIVE","points":[{"value":{"doubleValue":5}}]}]',
        "time series of Cloud Monitoring",
    ),
    "cloudwatch.json": (
        b'{"MetricDataResults": [{"Id": "m1", "Label": "x", "Timestamps": ["2026-01-01T00:00:00Z"], "Values": [5.0]}]}',
        "metrics of CloudWatch",
    ),
    "datadog.json": (
        b'{"status":"ok","res_type":"time_series","series":[{"metric":"vllm.generation_tokens.count","pointlist":[[1700000000000.0,5.0]]}]}',
        "metrics of Datadog",
    ),
    "grafana.json": (
        b'{"results":{"A":{"status":200,"frames":[{"schema":{"name":"a"}}]}}}',
        "what Grafana got of Prometheus",
    ),
    "trtllm.log": (
        b"[01/16/2026-06:20:17] [TRT-LLM] [RANK 0] [I] iter = 5559, host_step_time = 50.5ms, num_scheduled_requests: 3, states = {'num_ctx_requests': 2}\n"
        * 2,
        "the log of TensorRT-LLM: scrape",
    ),
    "llama.log": (
        b"srv  llama_server: listening on http://0.0.0.0:8080\nslot launch_slot_: id  0 | task 0 | processing task, is_child = 0\n",
        "the log of llama.cpp: scrape",
    ),
    "dynamo.log": (
        b"2025-10-21T23:22:52.381069Z  INFO dynamo_llm::entrypoint::input::http: Watching for remote model at models\n",
        "the log of Dynamo: scrape",
    ),
    "serve.log": (
        b"(ServeReplica:default:HelloWorld pid=4347) INFO 2024-12-30 23:47:44,173 default_HelloWorld 5w6y35rx 7bda8dd6-9299-42ce-b23b-ac059d03254e -- GET / 200 8.5ms\n",
        "the log of Ray Serve: scrape",
    ),
    "mlperf_log_detail.txt": (
        b':::MLLOG {"key": "loadgen_version", "value": "5.0.5", "time_ms": 0.013735, "namespace": "mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": {"is_error": false}}\n'
        * 2,
        "a log of MLPerf's LoadGen, which measures a server",
    ),
    "mlperf_log_summary.txt": (
        b"================================================\nMLPerf Results Summary\n================================================\nSUT name : PySUT\n",
        "what MLPerf's LoadGen measured of a server",
    ),
    "nccl_trace_rank_3": (
        pickle.dumps({"version": "2.10", "entries": []}),
        "the last collectives of a rank, which PyTorch's flight recorder keeps",
    ),
    "flight.json": (
        b'{"entries":[{"collective_seq_id":1,"input_dtypes":["Float"],"profiling_name":"nccl:all_reduce","time_created_ns":1724779239936775119}],"version":"2.10"}',
        "the last collectives of a rank, which PyTorch's flight recorder keeps",
    ),
    "h-pid7.log": (
        b'{"header":{"id":"0x7f","rank":0,"n_ranks":8,"nnodes":1},"metadata":{"dump_timestamp_us":1748030377748202,"pid":7},"coll_perf":{"coll":"AllReduce","coll_sn":1407}}\n',
        "collectives as NCCL's inspector tells them",
    ),
    "hlo_stats.csv": (
        b"Rank,Program id,HLO op category,HLO op name,HLO op text\n1,2,fusion,fusion.1,%fusion.1\n",
        "a table as XProf's tools make of a profile",
    ),
    "framework_op_stats.csv": (
        b'"Rank","Host/device","Operation Type","Operation Name"\n1,"Device","MatMul","a"\n',
        "a table as XProf's tools make of a profile",
    ),
    "iterations.json": (
        b'{"cpuMemUsage": 0, "iter": 1, "iterLatencyMS": 3.2, "kvCacheStats": {"maxNumBlocks": 9}}\n',
        "iterations as TensorRT-LLM tells them: scrape its /prometheus/metrics",
    ),
    "profile_export.jsonl": (
        b'{"metadata":{"session_num":1,"request_start_ns":1,"request_end_ns":2},"metrics":{"output_token_count":{"value":1,"unit":"tokens"}}}\n',
        "what a benchmark of a server measured",
    ),
    "profile_export_aiperf.json": (
        b'{"request_throughput":{"unit":"requests/sec","avg":1.5},"input_config":{"loadgen":{}}}',
        "what a benchmark of a server measured",
    ),
    "wandb-summary.json": (
        b'{"_timestamp": 1772446600.1, "_step": 99, "_runtime": 1000, "train/loss": 2.0, "_wandb": {"runtime": 1000}}',
        "the last values of a run of Weights & Biases: export its history",
    ),
    "wandb-metadata.json": (
        b'{\n  "os": "Linux-6.1", "python": "3.12", "startedAt": "2026-03-02T10:00:00.1Z",\n  "gpu_count": 8, "slurm": {"job_id": "5101"}\n}\n',
        "what Weights & Biases knows of a run's machine",
    ),
    "lightning.out": (
        "Sanity Checking: |  | 0/2\rEpoch 0:  10%|█         | 10/100 [01:40<15:00,  0.10it/s, v_num=0, train_loss=2.0]\n".encode(),
        "what Lightning's bar prints, without times: give",
    ),
    "training.csv": (b"epoch,accuracy,loss\n0,0.9,2.0\n", "a table of metrics without times"),
    "sacct_columns.txt": (
        b"JobID                      Start      State  AllocTRES \n------------ ------------------- ---------- ---------- \n5101         2026-03-02T10:00:00  COMPLETED billing=8+ \n",
        "sacct as a table for people: export it with sacct -P",
    ),
    "sacct_long.txt": (
        b"     User        JobID      State \n--------- ------------ ---------- \n      ann 5101          COMPLETED \n",
        "sacct as a table for people: export it with sacct -P",
    ),
    "events.txt": (
        b"   Cluster        NodeName           TimeStart             TimeEnd  State \n---------- --------------- ------------------- ------------------- ------ \n       pod              n1 2026-03-02T10:10:00             Unknown   DOWN \n",
        "sacctmgr as a table for people: export it with sacctmgr --parsable2",
    ),
    "resv.txt": (
        b"   Cluster            Name           TimeStart             TimeEnd UnusedWall \n---------- --------------- ------------------- ------------------- ---------- \n",
        "sacctmgr as a table for people",
    ),
    "workloads.txt": (
        b"NAMESPACE   NAME    QUEUE   RESERVED IN   ADMITTED   FINISHED   AGE\nml          llm-0   q       cq            True                  3m\n",
        "a table of kubectl for people: give -o json",
    ),
    "jobsets.txt": (
        b"NAME    TERMINALSTATE   RESTARTS   COMPLETED   SUSPENDED   AGE\nllm     Completed       2          True        false       3h\n",
        "a table of kubectl for people: give -o json",
    ),
    "sky_jobs.json": (
        b'[{"job_id": 8, "task_id": 0, "job_name": "llm", "task_name": "train", "job_duration": 1200.5, "submitted_at": 1772445600.0, "start_at": 1772445700.0, "end_at": null, "status": "RUNNING", "recovery_count": 1, "resources": "1x[H100:8]", "user_hash": "a1b2c3d4"}]',
        "jobs as SkyPilot lists them",
    ),
    "sky_queue.json": (
        b'Fetching job queue...\n[{"job_id": 1, "job_name": "sky-cmd", "submitted_at": 1772445600.0, "run_timestamp": "sky-2026-03-02-10-00-00-123456", "status": "SUCCEEDED"}]',
        "jobs as SkyPilot lists them",
    ),
    "sky_jobs.txt": (
        b"Fetching managed job statuses...\nManaged jobs\nIn progress tasks: 1 RUNNING\nID  TASK  NAME  USER  REQUESTED   SUBMITTED   TOT. DURATION  JOB DURATION  #RECOVERIES  STATUS\n8   -     llm   ann   1x[H100:8]  5 mins ago  5m 35s         5m 4s         1            RUNNING\n",
        "a table of jobs that SkyPilot prints",
    ),
    "sky_queue.txt": (
        b"Job queue of current user on cluster mine\nID  NAME  SUBMITTED    STARTED      DURATION  RESOURCES   STATUS     LOG\n1   llm   10 mins ago  10 mins ago  10m       1x[H100:8]  SUCCEEDED  ~/sky_logs/sky-2026-03-02-10-00-00-123456\n",
        "a table of jobs that SkyPilot prints",
    ),
    "runai.json": (
        b'{"next": 50, "workloads": [{"tenantId": 1, "id": "a", "name": "llm", "type": "Training", "projectName": "nlp", "phase": "Running", "createdAt": "2026-03-02T10:00:00Z", "requestedPods": {"number": 2}, "allocatedResources": {"gpu": 16}}]}',
        "workloads as Run:ai's API tells them",
    ),
    "hyperpod_nodes.json": (
        b'{\n  "ClusterNodeSummaries": [\n    {\n      "InstanceGroupName": "workers",\n      "InstanceId": "i-0a",\n      "InstanceType": "ml.p5.48xlarge",\n      "InstanceStatus": {"Status": "Running"}\n    }\n  ]\n}\n',
        "nodes or events of SageMaker HyperPod",
    ),
    "hyperpod_events.json": (
        b'{"Events": [{"EventId": "e", "ClusterArn": "arn:aws:sagemaker:us-west-2:123456789012:cluster/ab12", "ClusterName": "ml", "ResourceType": "Instance", "EventTime": "2026-03-02T10:00:00Z", "Description": "x"}]}',
        "nodes or events of SageMaker HyperPod",
    ),
    "clustermgtd": (
        b"2026-03-02 10:00:00,123 - [slurm_plugin.clustermgtd:_manage_cluster] - INFO - Managing cluster...\n",
        "what AWS ParallelCluster logs of its nodes",
    ),
    "clustermgtd.events": (
        b'{"datetime": "2026-03-02T10:00:00.000+00:00", "version": 0, "scheduler": "slurm", "cluster-name": "ml", "node-role": "HeadNode", "component": "clustermgtd", "level": "WARNING", "event-type": "unhealthy-node", "message": "x", "detail": {}}\n',
        "what AWS ParallelCluster logs of its nodes",
    ),
    "ray_jobs.json": (
        b'[{"type": "SUBMISSION", "job_id": "02000000", "submission_id": "raysubmit_x", "status": "SUCCEEDED", "entrypoint": "python train.py", "start_time": 1772445600000}]',
        "jobs as Ray tells them, without their chips: export",
    ),
    "ray_tasks.json": (
        b'[{"task_id": "a", "name": "train", "state": "FINISHED", "job_id": "02000000", "required_resources": {"GPU": 1.0}, "start_time_ms": 1772445600000}]',
        "what Ray's ray list prints",
    ),
    "server_logs": (
        b"11/01/2026 00:00:00;0100;Server@pod;Job;1.pod;enqueuing into workq, state 1 hop 1\n",
        "a log of PBS' daemons: copy the server's accounting logs",
    ),
    "mom_logs": (
        b"11/01/2026 00:00:00.123456;0008;pbs_mom;Job;1.pod;Started, pid = 7\n",
        "a log of PBS' daemons: copy the server's accounting logs",
    ),
    "reporting": (
        b"1793491200:new_job:1793491200:1:-1:NONE:train:ann:llm::defaultdepartment:sge:1024\n",
        "the reporting file of Grid Engine: copy its accounting file",
    ),
    "gke-audit.json": (
        b'[\n  {\n    "insertId": "a",\n    "logName": "projects/p/logs/cloudaudit.googleapis.com%2Factivity",\n    "protoPayload": {\n      "methodName": "io.k8s.core.v1.pods.create",\n      "request": {"apiVersion": "v1", "kind": "Pod"}\n    }\n  }\n]\n',
        "an audit log of Kubernetes in Cloud Logging, which tells of requests: record",
    ),
    "must-gather.yaml": (b"---\napiVersion: v1\nitems: []\nkind: PodList\n", "objects of Kubernetes as YAML: export"),
    "kube-client.json": (
        b'{"api_version": "v1", "items": [{"metadata": {"creation_timestamp": "2026-03-01T08:00:00+00:00", "name": "p"}}], "kind": "PodList"}\n',
        "objects of Kubernetes with keys of its Python client: export",
    ),
    "kube-go.json": (
        b'{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"p","namespace":"ns"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running"}}]}\n',
        "objects of Kubernetes without their kind, as client-go writes a list: export",
    ),
    "kube-stderr.json": (
        b'Error from server (Forbidden): pods is forbidden\nI0301 08:00:00.123456    1234 request.go:690] Waited for 1.1s due to client-side throttling\n{\n    "apiVersion": "v1",\n    "items": []\n}\n',
        "kubectl's messages, and JSON behind them: export",
    ),
    "audit.log": (
        b'{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","verb":"create","requestObject":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}}\n',
        "an audit log of Kubernetes, which tells of requests: record",
    ),
    "sacct.yaml": (
        b"%YAML 1.1\n---\nmeta:\n  Slurm:\n    version:\n      major: 23\njobs:\n- account: a\n",
        "Slurm's answer as YAML: export it with --json",
    ),
    "squeue.yaml": (b"jobs:\n- account: a\n  job_id: 1\n", "Slurm's answer as YAML: export it with --json"),
    "sinfo.json": (
        b'{"sinfo": [{"node": {"state": ["IDLE"]}}], "meta": {"Slurm": {}}}',
        "what sinfo prints: export scontrol show node --json",
    ),
    "squeue.psv": (b"JOBID|PARTITION|ST|NODELIST(REASON)\n1|p|R|n1\n", "columns of squeue: export squeue --json"),
    "sinfo.psv": (b"NODELIST|GRES|STATE\nn1|gpu:8|idle\n", "columns of sinfo: export scontrol show node"),
    "slurmctld.log": (
        b"[2026-11-01T00:00:00.123] sched: Allocate JobId=1 NodeList=n1 #CPUs=8 Partition=p\n",
        "a log of slurmctld: export sacct -P",
    ),
    "jobcomp.json": (
        b'{"jobid":1,"@submit":"2026-11-01T00:00:00","state":"COMPLETED"}\n',
        "jobs as Slurm's jobcomp writes them",
    ),
    "condor_status.json": (
        b'[{"Name": "slot1@n1", "TotalGPUs": 8, "MyType": "Machine"}]',
        "what condor_status tells of machines: write",
    ),
    "bhosts.txt": (
        b"HOST_NAME          STATUS       JL/U    MAX  NJOBS\nhost1 ok - 8 0\n",
        "a table of bhosts or lshosts: write",
    ),
    "describe.txt": (
        b"Name:             llm-0\nNamespace:        ml\n",
        "what kubectl describe prints for people: give kubectl get -o json",
    ),
    "qstat.xml": (
        b"<?xml version='1.0'?>\n<job_info xmlns:xsd=\"http://x\">\n  <queue_info>\n",
        "what qstat prints as XML",
    ),
    "pbsnodes.json": (
        b'{"timestamp": 1, "pbs_version": "2022.1", "pbs_server": "pod", "nodes": {"n1": {"state": "free"}}}',
        "what pbsnodes prints: write what is installed to capacity.csv",
    ),
    "sacct_quoted.csv": (
        "\n".join('"' + line.replace("|", '","') + '"' for line in SACCT.splitlines()).encode() + b"\n",
        "columns of sacct with commas, which its TRES have as well: export",
    ),
    "sacct_behind": (b"Welcome to the cluster\n\n$ sacct -P\n" + SACCT.encode(), "columns of sacct behind other lines"),
    "sacct.csv": (
        SACCT.replace("|", ",").encode(),
        "columns of sacct with commas, which its TRES have as well: export",
    ),
    "rows.psv": (
        SACCT.split("\n", 1)[1].replace("|COMPLETED|", "|x|COMPLETED|").encode(),
        "sacct without a header: give the options format, slurm, and columns",
    ),
    "zip": (zipped(**{"sacct.psv": SACCT}), "a zip archive: unpack"),
    "empty.zip": (zipped(), "a zip archive: unpack"),
    "npz": (zipped(**{"step_ms.npy": b"\x93NUMPY\x01\0"}), "arrays of NumPy (npz): write"),
    "pt": (zipped(**{"model/data.pkl": b"\x80\x02}q\0."}), "a checkpoint of PyTorch, which tells no times"),
    "xlsx": (
        zipped(**{"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}),
        "a workbook (xlsx): save",
    ),
    "xz": (lzma.compress(SACCT.encode()), "packed with xz: unpack"),
    "bz2": (bz2.compress(SACCT.encode()), "packed with bzip2: unpack"),
    "empty.bz2": (bz2.compress(b""), "packed with bzip2: unpack"),
    "lz4": (b"\x04\x22\x4d\x18\x64\x40\xa7" + bytes(8), "packed with lz4: unpack"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(24), "a 7z archive: unpack"),
    "tar": (tarred(), "a tar archive: unpack"),
    "parquet": (b"PAR1\x15\x04\x15\x20" + bytes(8) + b"PAR1", "Parquet: export"),
    "arrow": (b"ARROW1\0\0" + b"\xff\xff\xff\xff" + struct.pack("<i", 120), "Arrow: export"),
    "arrow_stream": (b"\xff\xff\xff\xff" + struct.pack("<i", 400) + bytes(400), "Arrow: export"),
    "feather": (b"FEA1" + bytes(16), "Arrow: export"),
    "orc": (b"ORC\x0a\x03" + bytes(8), "ORC: export"),
    "avro": (b"Obj\x01\x04\x14avro.codec", "Avro: export"),
    "h5": (b"\x89HDF\r\n\x1a\n" + bytes(16), "HDF5"),
    "npy": (b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'shape': (3,), }\n", "an array of NumPy (npy): write"),
    "pickle2": (pickle.dumps({"step": [1, 2, 3]}, 2), "a pickle of Python: write"),
    "pickle4": (pickle.dumps({"step": [1, 2, 3]}, 4), "a pickle of Python: write"),
    "pickle_list": (pickle.dumps([1, 2, 3], 3), "a pickle of Python: write"),
    "logged.hlo": (
        b"2026-03-02 10:00:00.123: W external/xla/xla/service/platform_util.cc:198] no GPU\nHloModule jit_f, entry_computation_layout={()->f32[]}\n\nENTRY main {\n",
        "HLO text with other lines before it",
    ),
    "xla_graphs.txt": (
        b"[ScheduleSyncTensorsGraph]\nTensorsGraphInfo:\n  mark_step (/a/b.py:10)\n\n## BEGIN_GRAPH\nHloModule IrToHlo.5\n\nENTRY main {\n",
        "HLO text with other lines before it",
    ),
    "jaxpr.txt": (b"{ lambda ; a:f32[4]. let b:f32[4] = mul a a in (b,) }", "a jaxpr, which is no program of XLA yet"),
    "mlirbc": (b"ML\xefR\x0dStableHLO_v1.9.3\0" + bytes(8), "StableHLO as bytecode of MLIR: convert"),
    "mlir": (STABLEHLO.encode(), "StableHLO: convert"),
    "builtin.mlir": (b"builtin." + STABLEHLO.encode(), "StableHLO: convert"),
    "generic.mlir": (
        b'"builtin.module"() ({\n  "func.func"() ({\n    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>\n',
        "StableHLO: convert",
    ),
    "aliases.mlir": (b"#map = affine_map<(d0) -> (d0)>\n" + STABLEHLO.encode(), "StableHLO: convert"),
    "module_0007.jit_f.sm_9.0_gpu_after_optimizations-buffer-assignment.txt": (
        b"BufferAssignment:\nallocation 0: size 64, parameter 0\n",
        "what XLA dumps beside",
    ),
    "module_0007.jit_f.thunk_sequence.txt": (b"000: kGemm\tgemm.1\n", "what XLA dumps beside"),
    "module_0007.jit_f.ptx": (b".version 8.1\n.target sm_90a\n", "what XLA dumps beside"),
    "qacct": (b"=" * 62 + b"\nqname        gpu.q\nhostname     node07\n", "a report of qacct of Grid Engine: copy"),
    "condor": (b"JobStatus = 4\nClusterId = 17\nProcId = 0\n", "a job history of HTCondor as ClassAds: export"),
    "utf16": (SACCT.encode("utf-16"), "the byte order mark of UTF-16 (convert it"),
    "utf16be": (b"\xfe\xff" + SACCT.encode("utf-16-be"), "the byte order mark of UTF-16 (convert it"),
    "utf16_without_mark": (SACCT.encode("utf-16-le"), "text in UTF-16: convert"),
    "utf16be_without_mark": (SACCT.encode("utf-16-be"), "text in UTF-16: convert"),
    "report1.nsys-rep": (bytes(range(256)), "a report of Nsight Systems: export"),
    "report2.jsonl": (
        b'{"Type":79,"CudaEvent":{"startNs":"140564259","endNs":"140619331","deviceId":1}}\n',
        "events of Nsight Systems as JSON Lines: export",
    ),
    "cuda_gpu_trace.csv": (
        b"Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Ctx,Strm,Name\n1134711990,661398,123,,,,,,,GPU (0),1,7,gemm\n",
        NSYS_STATS,
    ),
    "cuda_gpu_kern_sum.csv": (
        b"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n",
        NSYS_STATS,
    ),
    "gpukernsum.csv": (
        b"Processing [run.sqlite] with [gpukernsum.py]...\n\nTime(%),Total Time (ns),Instances,Average (ns),Minimum (ns),Maximum (ns),StdDev (ns),Name\n",
        NSYS_STATS,
    ),
    "cuda_gpu_trace.json": (b'[{"Start (ns)":1134711990,"Duration (ns)":661398,"CorrId":123}]', NSYS_STATS),
    "gemm.ncu-rep": (bytes(range(256)), "a report of Nsight Compute"),
    "ncu.csv": (
        b'==PROF== Connected to process 12\n"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream"\n"0","12","python3","h","gemm","1","7"\n',
        "a table of Nsight Compute",
    ),
    "et.json": (
        b'{\n  "schema": "1.1.1-chakra.0.0.4", "pid": 563677, "time": "2026-03-02 11:53:07", "start_ts": 6278907328,\n  "nodes": [\n    {\n      "id": 2, "name": "aten::mm"}]}',
        "an execution trace of PyTorch (Chakra)",
    ),
    "et_2023.json": (
        b'{\n  "schema": "1.0.1", "pid": 563677, "time": "2023-07-14 11:53:07", "start_ts": 6278907328,\n  "nodes": [\n    {\n      "name": "aten::mm", "id": 2}]}',
        "an execution trace of PyTorch (Chakra)",
    ),
    "table.txt": (
        b"-------------------------  ------------  ------------  \n                     Name    Self CPU %      Self CPU  \n-------------------------  ------------  ------------  \n"
        b"                 aten::mm         5.10%      51.000us  \n",
        "a table of PyTorch's profiler, which has sums alone",
    ),
    "memory_timeline.raw.json": (
        b"[[-1, 1, 37888, 7], [-1, 1, 512, 7], [1689330426, 0, 512, 3]]",
        "a timeline of memory of PyTorch",
    ),
    "overview_page.json": (
        b'[{"cols":[{"id":"selfTimePercent","label":"Time (%)","type":"number"}],"rows":[{"c":[{"v":0.4}]}],"p":{"device_idle_time_percent":"1.2%"}}]',
        "a table as XProf's tools make",
    ),
    "hlo_stats.json": (
        b'{"cols":[{"id":"rank","label":"Rank","type":"number"}],"rows":[]}',
        "a table as XProf's tools make",
    ),
    "op_profile.json": (
        b'{"byCategory":{"name":"by_category","metrics":{"flops":0.41}},"byProgram":{"name":"by_program"},"deviceType":"TPU v5 Lite"}',
        "a tree as XProf's tools make",
    ),
    "199_kernel_trace.csv": (
        b'"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name"\n',
        ROCPROFV3,
    ),
    "199_memory_copy_trace.csv": (
        b'"Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp"\n',
        ROCPROFV3,
    ),
    "199_hip_api_trace.csv": (
        b'"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp"\n',
        ROCPROFV3,
    ),
    "199_kernel_stats.csv": (
        b'"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n',
        ROCPROFV3,
    ),
    "out_kernel_trace.csv": (b'"Guid","Kind","Agent_Id","Queue_Id","Stream_Id"\n', ROCPROFV3),
    "rocprof.csv": (
        b'"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd"\n',
        "a table of rocprof: give",
    ),
    "fleet.db": (
        database(
            "CREATE TABLE mpg_config(name); CREATE TABLE jobs(id); CREATE TABLE ledger(hour); CREATE TABLE other(x)"
        ),
        "what mpg_build made: open that file, or ATTACH it, and ask its tables or mpg_rollup",
    ),
    "trace.rpd": (
        database("CREATE TABLE rocpd_op(id); CREATE TABLE rocpd_api(id); CREATE TABLE rocpd_string(id)"),
        "a trace of rocmProfileData: convert",
    ),
    "op_summary_1.csv": (
        b"Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us)\n",
        ASCEND,
    ),
    "kernel_details.csv": (
        b"Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n",
        ASCEND,
    ),
    "operator_details.csv": (b"Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us)\n", ASCEND),
    "step_trace_time.csv": (
        b"Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble\n",
        ASCEND,
    ),
    "unitrace.out": (
        b"=== Device Timing Summary ===\n\n                Total Execution Time (ns):           1000\n",
        "a summary of Intel's unitrace: trace",
    ),
    "vtune_gpu.csv": (
        b"Computing Task,Computing Task:Total Time,Computing Task:Average Time,Computing Task:Instance Count\n",
        VTUNE,
    ),
    "vtune.csv": (b"Function\tCPU Time\tModule\nf\t1.0\tlibx.so\n", VTUNE),
    "other.db": (
        database("CREATE TABLE runs(id); CREATE TABLE metrics(id)"),
        "a database of SQLite whose tables are of no known format: runs metrics",
    ),
    "without_wal.sqlite": (
        database("PRAGMA user_version = 3"),
        "a database of SQLite without a table: its -wal file is missing, perhaps",
    ),
    "condor_events": (
        b"000 (123.000.000) 2026-03-02 10:00:00 Job submitted from host: <1.2.3.4:9618>\n...\n001 (123.000.000) 2026-03-02 10:00:10 Job executing\n",
        "an event log of HTCondor",
    ),
    "squeue.txt": (
        b"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n              1234     train      llm      ann  R    1:02:03      1 n1\n",
        "a table of squeue",
    ),
    "sinfo.txt": (
        b"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ntrain*       up   infinite      2   idle n[1-2]\n",
        "a table of sinfo",
    ),
    "sinfo_N.txt": (b"NODELIST   NODES PARTITION STATE \nn1             1    train* idle  \n", "a table of sinfo"),
    "bjobs.txt": (
        b"JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n1234    ann     RUN   gpu        h1          n1          llm        Mar  2 10:00\n",
        "a table of bjobs",
    ),
    "bhist.txt": (
        b"Summary of time in seconds spent in various states: JOBID  USER    JOB_NAME  PEND    PSUSP   RUN     USUSP\n1234    ann     llm       5       0       60      0\n",
        "a table of bjobs or bhist",
    ),
    "bhist_l.txt": (
        b"\nJob <101>, Job Name <train>, User <ann>, Project <default>, Status <DONE>, Queue <gpu>\nMon Mar  2 09:00:00: Submitted from host <login1>\n",
        "what bjobs or bhist of LSF print",
    ),
    "bjobs.json": (
        b'{\n  "COMMAND":"bjobs",\n  "JOBS":1,\n  "RECORDS":[{"JOBID":"101","STAT":"DONE"}]\n}\n',
        "what bjobs of LSF prints, which is of one moment",
    ),
    "flux.txt": (
        b"       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n    f2Kd12 alice    train       R      1      1   5.3s n1\n",
        "a table of flux jobs",
    ),
    "qstat.json": (
        b'{\n    "timestamp":1772442000,\n    "pbs_version":"22.05.11",\n    "pbs_server":"pbs",\n    "Jobs":{"77.server":{"Job_Name":"train","job_state":"F"}}}\n',
        "what qstat of PBS prints",
    ),
    "grafana.csv": (
        b'"Time","{__name__=""DCGM_FI_DEV_GPU_UTIL"", gpu=""0""}"\n"2026-03-01 08:00:00","50"\n',
        "what Grafana shows: ask",
    ),
    "condor_events.json": (
        b'{\n    "MyType": "SubmitEvent",\n    "EventTypeNumber": 0,\n    "Cluster": 1,\n    "Proc": 0\n}\n...\n',
        "an event log of HTCondor",
    ),
    "condor_events.xml": (
        b'<c>\n    <a n="MyType"><s>SubmitEvent</s></a>\n    <a n="EventTypeNumber"><i>0</i></a>\n</c>\n',
        "an event log of HTCondor",
    ),
    "eventlog": (
        b"1700000000.123456 submit userid=1000 urgency=16 flags=0 version=1\n1700000001.1 alloc\n",
        "a job's eventlog of Flux",
    ),
    "eventlog.json": (
        b'{"timestamp":1700000000.123456,"name":"submit","context":{"userid":1000}}\n',
        "a job's eventlog of Flux",
    ),
    "eventlog.txt": (
        b"[Mar01 08:00] submit userid=1000 urgency=16 flags=0 version=1\n[  +0.01] validate\n",
        "a job's eventlog of Flux",
    ),
    "torque_jobs.xml": (b"<Jobinfo>\n<Job_Id>1.pod</Job_Id>\n<Job_Name>x</Job_Name>\n", "job logs of Torque"),
    "batch.json": (
        b'{"jobs": [{"jobArn": "arn:aws:batch:us-east-1:1:job/1", "jobName": "x", "status": "SUCCEEDED"}]}',
        "jobs of AWS Batch or SageMaker: write",
    ),
    "sagemaker.json": (
        b'{"TrainingJobSummaries": [{"TrainingJobName": "x", "CreationTime": 1700000000.1}]}',
        "jobs of AWS Batch or SageMaker: write",
    ),
    "oar.json": (
        b'{"1": {"Job_Id": 1, "assigned_network_address": ["n1"], "submissionTime": 1700000000}}',
        "jobs of OAR: write",
    ),
    "sreport.psv": (
        b"Cluster|TRES Name|Allocated|Down|PLND Down|Idle|Planned|Reported\nc1|cpu|10|0|0|20|0|30\n",
        "a report of sreport, which has sums alone",
    ),
    "sreport_user.psv": (
        b"Cluster|Login|Proper Name|Account|Used|Energy\nc1|bob|Bob|a|10|0\n",
        "a report of sreport, which has sums alone",
    ),
    "bacct.txt": (
        b"\nAccounting information about jobs that are:\n  - submitted by all users.\n",
        "what bacct of LSF prints for people",
    ),
    "condor.xml": (
        b'<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n<c>\n<a n="ClusterId"><i>101</i></a></c></classads>\n',
        "jobs of HTCondor as XML",
    ),
    "hole.log": (
        bytes(70000) + b"step 1 loss 2.0\n",
        "begins with NUL bytes, as a log that was truncated while its program wrote on: take them out with tr -d '\\000'",
    ),
    "crash.txt": (
        b"a text of a program that nobody knows here, on a node which lost its power\n" + bytes(512),
        "text with NUL bytes, as a crash leaves them: take them out with tr -d '\\000'",
    ),
    "hf.log": (
        b"  1%|          | 10/1000 [00:10<16:30,  1.00s/it]\n{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 1e-05, 'epoch': 0.1}\n",
        "what the Hugging Face Trainer prints",
    ),
    "notebook.tsv": (b"Step \tTraining Loss\n1\t2.1\n2\t2.0\n", "a table of metrics without times"),
    "metrics.csv": (b"epoch,step,train/loss,val_loss\n0,10,2.3,\n0,20,2.1,\n", "a table of metrics without times"),
    "spans.pb": (
        b"\x00\x00\x00\x2c\x0a\x2a\x0a\x1b\x0a\x19\x0a\x0cservice.name\x12\x09\x0a\x07trainer\x12\x0b\x12\x09\x2a\x04step",
        "spans or metrics of OpenTelemetry as protobuf",
    ),
    "request.pb": (
        b"\x0a\x2a\x0a\x1b\x0a\x19\x0a\x0cservice.name\x12\x09\x0a\x07trainer\x12\x0b\x12\x09\x2a\x04step",
        "spans or metrics of OpenTelemetry as protobuf",
    ),
    "keys.jsonl": (
        b'{"_step": 1, "train/loss": 2.0}\n{"_step": 2, "train/loss": 1.9}\n',
        "a history of Weights & Biases without times",
    ),
    "chart.csv": (
        b'"Step","llm-7 - train/loss","llm-7 - train/loss__MIN"\n"1","2.0","2.0"\n',
        "a chart of Weights & Biases, without times",
    ),
    "wall.csv": (
        b'"Wall Time","llm-7 - train/loss"\n"1772532000","2.0"\n',
        "a chart of Weights & Biases, without times or without steps",
    ),
    "trainer_log.jsonl": (
        b'{"current_steps": 10, "total_steps": 100, "loss": 2.0, "percentage": 10.0, "elapsed_time": "0:00:10", "remaining_time": "0:01:30"}\n',
        "what LLaMA-Factory writes of a run",
    ),
    "metrics.txt": (
        b'{"perf/step_time_seconds": 2.0, "learning/loss": 8.0, "step": 0.0}\n',
        "metrics of MaxText, without times",
    ),
    "verl.log": (
        b"(TaskRunner pid=1) step:1 - global_seqlen/min:1 - actor/pg_loss:0.1 - timing_s/gen:20.1 - timing_s/step:60.0\n",
        "what verl prints of steps, without times",
    ),
    "espnet.log": (
        b"[gpu01:0/4]2026-03-03 10:00:20 (trainer:779) INFO: 1epoch:train:1-100batch: loss=9\n",
        "what ESPnet prints of batches",
    ),
    "areal.log": (b"20260303-10:00:20 Epoch 1/10 Step 1/100 Train step 1/1000 done.\n", "what AReaL prints of steps"),
    "slime.log": (b"[2026-03-03 10:00:20] model.py:600 - step 1: {'train/loss': 0.01}\n", "what slime prints of steps"),
    "spacy.log": (
        b"E    #       LOSS NER  SCORE\n---  ------  --------  ------\n  0       0     45.90    0.03\n",
        "what spaCy prints, without times",
    ),
    "composer.log": (
        b"[batch=1/100]:\n\t Train time/batch: 1\n\t Train loss/train/total: 2.0\n",
        "what Composer prints, without times",
    ),
    "vllm.log": (
        b"INFO 03-02 09:00:00 metrics.py:341] Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 2000.0 tokens/s, Running: 10 reqs\n",
        "the log of vLLM",
    ),
    "sglang.log": (
        b"[2026-03-02 09:00:00 TP0] max_total_num_tokens=123456, context_len=8192\n[2026-03-02 09:00:01 TP0] Decode batch. #running-req: 1, #token: 2266, token usage: 0.00, "
        b"gen throughput (token/s): 3.13, #queue-req: 0\n",
        "the log of SGLang",
    ),
    "tgi.log": (
        b'2026-03-02T09:00:00.1Z stdout F {"timestamp":"2026-03-02T09:00:00.1Z","level":"INFO","message":"Warming up model","target":"text_generation_router","line_number":291}\n',
        "the log of TGI",
    ),
    "triton.log": (
        b"I0302 09:00:00.123456 1 grpc_server.cc:2513] Started GRPCInferenceService at 0.0.0.0:8001\n",
        "the log of Triton",
    ),
    "bench.json": (
        b'{"date": "20260302-090000", "backend": "vllm", "num_prompts": 9, "duration": 12.3, "completed": 9, "total_output_tokens": 200, "request_throughput": 8.1}',
        "what a benchmark of a server",
    ),
    "mlperf-0.6.txt": (b":::MLL 1560192620.663 init_start: {}\n", "an MLPerf log of v0.5 or v0.6"),
    "dllogger.json": (b'DLLL {"timestamp": "1739210331.7", "step": 16}\n', "what DLLogger writes: write step"),
    "neuron.json": (
        b'{"neuron_runtime_data":[{"pid":1,"report":{"neuroncore_counters":{"period":1.0}}}],"system_data":{}}\n',
        "what neuron-monitor prints",
    ),
    "nemo_rl.log": (
        b"========================= Step 1/1000 =========================\n  - Loss: 0.0123\n",
        "what NeMo-RL prints of steps, without times: give its event files",
    ),
    "openrlhf.log": (
        b"Train epoch [1/1]:  1%|#  | 1.0/1.0k [01:00<09:00,  6.0s/it, policy_loss=0.1, reward=0.5]\n",
        "a progress bar of tqdm, without times: give",
    ),
    "torchtune.log": (
        b"INFO:torchtune: loaded\r1|10|Loss: 2.5:  10%|#  | 10/100 [00:10<01:30,  1.0s/it]",
        "a progress bar of tqdm, without times: give",
    ),
    "ppo.log": (
        b"(Actor pid=9) Episode [1/1]:  10%|#  | 10/100 [01:00<09:00,  6.0s/it]\n",
        "a progress bar of tqdm, without times: give",
    ),
    "axolotl.log": (
        b"  0%|   | 0/100 [00:00<?, ?it/s]\r  1%|   | 1/100 [00:05<08:00,  5.05s/it]",
        "a progress bar of tqdm, without times: give",
    ),
    "keras-2.log": (
        b"Epoch 1/5\n100/100 - 10s - 100ms/step - accuracy: 0.1 - loss: 2.1\n",
        "a log of steps of no trainer that is known here",
    ),
    "timm.log": (
        b"Train: 0 [  50/1251 (  4%)]  Loss: 6.9 (6.9)  Time: 0.345s\n",
        "a log of steps of no trainer that is known here",
    ),
    "paddle.log": (
        b"[2026-03-03 10:00:00,123] [    INFO] - loss: 2.5, learning_rate: 1e-05, global_step: 10, interval_runtime: 2.0\n",
        "a log of steps of no trainer that is known here",
    ),
    "mindformers.log": (
        b"2026-03-03 10:00:00,123 - mindformers[callback.py:319] - INFO - { Epoch:[  1/  1], step:[   10/  100], loss: 2.500, per_step_time: 2000ms }\n",
        "a log of steps of no trainer that is known here",
    ),
    "mmengine.log": (
        b"2026/03/03 10:00:00 - mmengine - INFO - Iter(train) [  10/1000]  lr: 1e-05  eta: 1:00:00  time: 2.0  loss: 2.5\n",
        "a log of steps of no trainer that is known here",
    ),
    "detectron2.log": (
        b"[03/03 10:00:00 d2.utils.events]:  eta: 1:00:00  iter: 19  total_loss: 2.5  time: 0.2\n",
        "a log of steps of no trainer that is known here",
    ),
    "paxml.log": (
        b"I0303 10:00:00.123456 1 summary_utils.py:400] [PAX STATUS] step_i: 100, training loss: 2.5\n",
        "a log of steps of no trainer that is known here",
    ),
    "olmo_core.log": (
        b"2026-03-03 10:00:00.123\thost:0\tconsole_logger:62\tINFO\t[step=10/1000,epoch=1,eta=1 hour]\n    train/CE loss=2.5\n",
        "a log of steps of no trainer that is known here",
    ),
    "cycle_info.5101.0.1": (
        b'{\n  "job_id": "5101",\n  "attempt_index": 0,\n  "cycle_number": 1,\n  "cycle_start_time": "2026-03-02T10:00:00Z",\n  "cycle_end_time": ""\n}',
        "what ft_launcher of NVRx keeps of a cycle: give its log",
    ),
    "own-clock.log": (
        b"step 1, time 10:00:00, loss 5.0\nstep 2, time 10:00:10, loss 4.9\n",
        "a log of steps of no trainer that is known here",
    ),
    "own.log": (
        b"2026-03-02 09:00:00 | INFO | step 10 | loss 2.31 | lr 1e-4\n",
        "a log of steps of no trainer that is known here",
    ),
    "imagenet.log": (
        b"Epoch: [0][ 10/1000]\tTime  0.10 ( 0.20)\tData  0.01 ( 0.02)\tLoss 6.9e+00\n",
        "a log of steps of no trainer that is known here",
    ),
    "qstat_f.txt": (
        b"Job Id: 12.server\n    Job_Name = llm\n    Job_Owner = ann@h\n    job_state = R\n",
        "what qstat of PBS prints",
    ),
    "qstat.txt": (
        b"Job id            Name             User              Time Use S Queue\n----------------  ---------------- ----------------  -------- - -----\n",
        "what qstat of PBS prints",
    ),
    "qstat_sge.txt": (
        b"job-ID  prior   name       user         state submit/start at     queue\n-----\n  12 0.5 llm ann r 03/02/2026 10:00:00 gpu.q@n1\n",
        "what qstat of Grid Engine prints",
    ),
    "pods.txt": (
        b"NAME        READY   STATUS    RESTARTS   AGE\ntrainer-0   1/1     Running   0          3h\n",
        "a table of kubectl",
    ),
    "pods_A.txt": (
        b"NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE\nml          trainer-0   1/1     Running   0          3h\n",
        "a table of kubectl",
    ),
    "kubectl-events.txt": (
        b"LAST SEEN   TYPE     REASON      OBJECT          MESSAGE\n3m          Normal   Scheduled   pod/trainer-0   Successfully assigned\n",
        "a table of kubectl",
    ),
    "neuron-summary.json": (
        b'{\n "n_8d1_vnc_2": {\n  "total_time": 0.055,\n  "tensor_engine_active_time_percent": 0.479,\n  "hardware_flops": 1e12\n }\n}\n',
        "a profile of Neuron",
    ),
    "tempo.json": (
        b'{"traces":[{"traceID":"1f","rootServiceName":"t","rootTraceName":"step","startTimeUnixNano":"1772445600000000000","durationMs":10}]}',
        "what Tempo found, which are no spans",
    ),
    "otel_traces.csv": (
        b'"Timestamp","TraceId","SpanId","SpanName","SpanAttributes","Duration"\n"2026-03-02 10:00:00.000000000","1f","2","step","{\'mpg.step\':\'1\'}",1000\n',
        "spans of ClickHouse as a table",
    ),
    "chrome.json": (
        b'{"displayTimeUnit":"ns","traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"fusion.1"}]}',
        "a Chrome trace in which nothing names a device",
    ),
    "zipkin.json": (
        b'[[{"id":"2","traceId":"1f","name":"step","timestamp":1772445600000000,"duration":1000,"localEndpoint":{"serviceName":"t"}}]]',
        "traces of Zipkin",
    ),
    "run.wandb": (b":W&B\xe1\xbe\x00" + bytes(40), "a run of Weights & Biases"),
    "resiliency.log": (
        b'{"timestamp": "2026-03-01T10:00:00.492242", "job_name": "llm", "event_type": "job_started", "node_rank": 0}\n{"timestamp": "2026-03-01T10:00:29.376985", "job_name": "llm", "event_type": "checkpoint_loaded", "step": 0}\n',
        "events of AI-Hypercomputer's resiliency",
    ),
    "resiliency.json": (
        b'[\n  {\n    "insertId": "a",\n    "jsonPayload": {\n      "event_type": "checkpoint_saved",\n      "job_name": "llm",\n      "step": 500,\n      "timestamp": "2026-03-01T10:00:29.376985"\n    }\n  }\n]',
        "events of AI-Hypercomputer's resiliency",
    ),
    "tensorboard.json": (b"[[1772445600.1, 1, 2.3], [1772445610.1, 2, 2.2]]", "values of TensorBoard as JSON"),
    "mlflow-run.json": (
        b'{"run": {"info": {"run_id": "abc", "status": "FINISHED"}, "data": {"metrics": [{"key": "train_loss", "value": 4.0, "timestamp": 1772532100000, "step": 10}]}}}',
        "runs of MLflow with their last values",
    ),
    "mlflow-runs.json": (
        b'{"runs": [{"info": {"run_id": "abc"}, "data": {}}]}',
        "runs of MLflow with their last values",
    ),
    "wandb-runs.csv": (
        b'"Name","State","Notes","User","Tags","Created","Runtime","Sweep","train/loss"\n"run-1","finished","","me","","2026-03-01T10:00:00.000Z","120","","4.1"\n',
        "a table of runs of Weights & Biases",
    ),
    "pandas-table.json": (
        b'{"schema":{"fields":[{"name":"index","type":"integer"}]},"data":[{"index":0,"loss":5}]}',
        "a table as pandas writes it for itself",
    ),
    "pandas-split.json": (
        b'{"columns":["_step","_timestamp"],"index":[0,1],"data":[[0,1772532000.0],[1,1772532010.0]]}',
        "a table as pandas writes it for itself",
    ),
    "dates.csv": (
        b"step,timestamp,loss\n0,1/5/2026 12:00,5.0\n1,1/5/2026 12:01,4.0\n",
        "a table of steps whose dates may have day or month first",
    ),
    "dates-2.csv": (
        b"timestamp;step;loss\n05.01.2026 12:00:00;1;5.0\n",
        "a table of steps whose dates may have day or month first",
    ),
    "elapsed.csv": (
        b"step,time,loss\n0,0.5,5.0\n",
        "a table of steps that lacks a clock, or has it under another name: name its columns",
    ),
    "steps.csv": (
        b'"Step";"Loss";"Timestamp"\r\n"0";"5";"1772532000"\r\n',
        "a table of steps that lacks a clock, or has it under another name: name its columns",
    ),
    "t5x.log": (
        b"I0303 10:00:10.000000 140 logging_writer.py:56] [100] train/loss=2.5, timing/steps_per_second=10.0\n",
        "what CLU prints of steps (T5X, Flax): give the event files",
    ),
    "levanter.log": (
        b"2026-03-03T10:00:00 - 0 - levanter - main - INFO - start\nProgress on:train 1.00it/10.0kit rate:1.0it/s remaining:2:46:31 elapsed:00:01 postfix:loss=9.1\n",
        "a progress bar of Levanter: give the history of its tracker",
    ),
    "keras.log": (
        b"Epoch 1/3\n 10/100 [==>...........................] - ETA: 10s - loss: 0.5 - accuracy: 0.8\n",
        "what Keras' bar prints, without times",
    ),
    "keras3.log": (
        b"Epoch 1/3\n\x1b[1m10/100\x1b[0m \x1b[32m\xe2\x94\x81\xe2\x94\x81\x1b[0m\x1b[37m\xe2\x94\x81\x1b[0m \x1b[1m0s\x1b[0m 3ms/step - accuracy: 0.8 - loss: 0.5\n",
        "what Keras' bar prints, without times",
    ),
    "batches.log": (b"batch 100/500 - loss: 0.53\n", "a log of steps of no trainer that is known here"),
    "updates.log": (b"Updates: 100 loss 2.5\n", "a log of steps of no trainer that is known here"),
    "clearml.json": (
        b'{"loss": {"train": {"name": "train", "x": [1, 2, 3], "y": [2.5, 2.4, 2.3]}}}',
        "scalars as ClearML reports them",
    ),
    "trackio.json": (
        b'{"project": "llm", "run": "b", "metric": "train/loss", "values": [\n  {"step": 0, "timestamp": "2026-03-03T10:00:00+00:00", "value": 2.5}]}\n',
        "values of a metric as Trackio prints them: give its database",
    ),
    "verl.jsonl": (
        b'{"step": 1, "data": {"actor/pg_loss": 0.01, "timing_s/step": 30.2}}\n',
        "what verl's file logger writes of steps, without times",
    ),
    "logging.jsonl": (
        b'{"loss": 2.5, "train_speed(iter/s)": 0.5, "global_step/max_steps": "1/100", "percentage": "1.00%", "elapsed_time": "3s"}\n',
        "what ms-swift writes of a run",
    ),
    "progress.txt": (b"2025-02-24 17:31:25\tJob ID: 198424\t# GPUs: 8\tStarting job\n", "the progress.txt of Megatron"),
    "swanlab.csv": (
        b"step,train/acc,train/acc_timestamp\n1,0.5,1772532010000\n",
        "a table of steps in which each metric has times, as of SwanLab",
    ),
    "login.html": (b"<!DOCTYPE html>\n<html><title>Sign in</title>", "a page of HTML: a download that needed a login"),
    "pointer.psv": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n",
        "a pointer of Git LFS, not the file",
    ),
    "refused.psv": (
        b"sacct: error: slurm_persist_conn_open_without_init: failed to open\n",
        "an error of Slurm in place",
    ),
    "scontrol.txt": (
        b"slurm_load_node error: Unable to contact slurm controller (connect failure)\n",
        "an error of Slurm in place",
    ),
} | SCHEDULERS
UNREAD.update(DEVICES)


class Unread(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)

    def test_each_is_named_with_what_to_do(self):
        for name, (content, _) in UNREAD.items():
            self.write(name, content)
        rows = {
            os.path.basename(path): rest
            for path, *rest in self.db.execute(
                "SELECT file, format, certainty, reason FROM trace_sources(?)", (self.folder,)
            )
        }
        self.assertEqual(set(UNREAD), set(rows))
        for name, (_, words) in UNREAD.items():
            format, _, reason = rows[name]
            self.assertIsNone(format, name)
            self.assertIn(words, reason, name)

    def test_alone_each_is_an_error_that_says_so(self):
        for name, (content, words) in UNREAD.items():
            self.write(name, content)
            with self.subTest(name=name):
                self.assertIn(
                    words, self.error("SELECT count(*) FROM trace_rollup(?)", os.path.join(self.folder, name))
                )

    def test_beside_a_trace_each_is_listed_and_the_trace_is_read(self):
        self.write("sacct.psv", SACCT.encode())
        expected = self.db.execute(
            "SELECT category, chip_us FROM trace_rollup(?) ORDER BY 1", (self.folder,)
        ).fetchall()
        for name, (content, _) in UNREAD.items():
            self.write(name, content)
        self.assertEqual(
            expected,
            self.db.execute("SELECT category, chip_us FROM trace_rollup(?) ORDER BY 1", (self.folder,)).fetchall(),
        )
        self.assertGreater(len(expected), 0)
        listed = {
            os.path.basename(source): detail
            for source, detail in self.db.execute(
                "SELECT source, detail FROM mpg_issues WHERE kind IN ('ignored_file', 'unreadable_file')"
            )
        }
        for name, (_, words) in UNREAD.items():
            self.assertIn(words, listed.get(name, ""), name)

    def test_a_database_that_is_cut(self):
        """Half of it is no file of another kind: what was in it is lost."""
        content = database(
            "CREATE TABLE StringIds(id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start); "
            + "INSERT INTO StringIds VALUES (1, randomblob(3000));" * 9
        )
        self.write("run.sqlite", content[: len(content) // 2])
        self.write("sacct.psv", SACCT.encode())
        self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.folder,)).fetchall()
        said = "a database of SQLite: database disk image is malformed"
        self.assertEqual(
            [("data_loss", "unreadable_file", said)],
            self.rows("SELECT severity, kind, detail FROM mpg_issues WHERE source LIKE '%run.sqlite'"),
        )
        self.assertEqual(
            "cannot be read: " + said,
            self.one("SELECT reason FROM trace_sources(?) WHERE file LIKE '%run.sqlite'", self.folder),
        )

    def test_a_database_that_is_packed(self):
        self.write(
            "run.sqlite.gz",
            gzip.compress(
                database("CREATE TABLE StringIds(id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start)")
            ),
        )
        self.assertEqual(
            "cannot be read: a database of SQLite that is packed: unpack it (gzip -d, zstd -d)",
            self.one("SELECT reason FROM trace_sources(?)", self.folder),
        )

    def test_each_hint_has_its_sample(self):
        says = []
        for path in glob.glob(os.path.join(ROOT, "sql", "sources", "unread*", "")) + [
            os.path.join(ROOT, "sql/sources")
        ]:
            for name in glob.glob(os.path.join(path, "*.sql")):
                if "unread" in name:
                    with open(name, encoding="utf-8") as file:
                        says += re.findall(r"^--@ hint .* => (.*)$", file.read(), re.M)
        self.assertGreater(len(says), 20)
        for reason in says:
            self.assertTrue(any(words in reason for _, words in UNREAD.values()), reason)


if __name__ == "__main__":
    unittest.main()
