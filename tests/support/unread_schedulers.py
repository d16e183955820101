"""unread_schedulers.py - what schedulers, clouds and trackers print that is known and not read, and words of the reason, for test_sources_unread.py."""

SCHEDULERS = {
    "all_results.json": (
        b'{\n    "epoch": 3.0,\n    "train_loss": 1.5,\n    "train_runtime": 3600.5,\n    "train_samples_per_second": 8.1\n}',
        "results of the Hugging Face Trainer",
    ),
    "eval_results.json": (
        b'{"eval_loss": NaN, "eval_runtime": 3.5, "eval_model": "x"}',
        "results of the Hugging Face Tr",
    ),
    "neptune.csv": (b"0.0,1767225600123,2.5\n1.0,1767225610123,2.4\n", "values without a header, as Neptune saves"),
    "neptune_values.csv": (b"0,2.5,1767225600123\n1,2.4,1767225610123\n", "values without a header, as Neptune"),
    "meta.yaml": (
        b"artifact_location: file:///m/1\ncreation_time: 1767225600123\nexperiment_id: '1'\nlast_update_time: 1767225600123\nlifecycle_stage: active\nname: gpt\n",
        "what MLflow keeps of an experiment",
    ),
    "vertex.json": (
        b'[{"createTime": "2026-01-01T00:00:00Z", "jobSpec": {"workerPoolSpecs": [{"replicaCount": "1"}]}, "name": "projects/1/locations/a/customJobs/2"}]',
        "jobs of Google Batch or Vertex AI: write the records (docs/own-logs.md)",
    ),
    "google_batch.json": (
        b'[{"allocationPolicy": {"instances": []}, "name": "projects/p/locations/l/jobs/j", "status": {"state": "SUCCEEDED"}}]',
        "jobs of Google Batch or Vertex AI",
    ),
    "queued.json": (
        b'[{"name": "projects/p/locations/z/queuedResources/q", "state": {"state": "ACTIVE"}, "tpu": {"nodeSpec": [{"node": {"acceleratorType": "v5litepod-16"}}]}}]',
        "TPUs and queued resources as gcloud lists them",
    ),
    "queued.txt": (
        b"NAME  ZONE  NODE_COUNT  ACCELERATOR_TYPE  STATE\nq  us-a  1  v5litepod-16  ACTIVE\n",
        "TPUs and queued",
    ),
    "azure_ml.json": (
        b'[{"compute": "azureml:gpu", "creation_context": {"created_at": "2026-01-01"}, "experiment_name": "e", "status": "Completed"}]',
        "jobs of Azure Batch or Azure ML",
    ),
    "azure_batch.json": (
        b'[{"executionInfo": {"poolId": "p", "startTime": "x"}, "id": "j", "url": "https://a.westus.batch.azure.com/jobs/j"}]',
        "jobs of Azure Batch or Azure ML",
    ),
    "sky.json": (
        b'[{"name": "c", "launched_at": 1, "status": "UP", "autostop": -1}]',
        "clusters as SkyPilot lists them",
    ),
    "sky.txt": (
        b"Clusters\nNAME  INFRA  RESOURCES  STATUS  AUTOSTOP  LAUNCHED\nc  AWS (us)  1x(gpus=H100:8)  UP  -  1 hr ago\n",
        "clusters as SkyPilot lists them",
    ),
    "runai.csv": (
        b'"Workload","Type","Status","Project","Running/requested pods","GPU compute request"\n"a","Training","Running","p","1/1","8"\n',
        "a table of workloads of Run:ai",
    ),
    "runai.txt": (
        b"Showing jobs for project p\nNAME  STATUS  AGE  NODE  IMAGE  TYPE  PROJECT  USER  GPUs Allocated (Requested)\na  Running  1d  n1  i  Train  p  u  1 (1)\n",
        "a table of workloads of Run:ai",
    ),
    "pcluster.json": (
        b'{"instances": [{"launchTime": "2026-01-01T00:00:00Z", "instanceId": "i-1", "nodeType": "ComputeNode", "state": "running"}]}',
        "instances of AWS ParallelCluster",
    ),
    "pcs_jobcomp.log": (
        b'{"resource_id":"pcs_1","scheduler_type":"slurm","fields":{"job_id":"7","job_state":"COMPLETED"}}\n',
        "jobs as AWS PCS logs them: export sacct -P",
    ),
    "job_table.csv": (
        b'job_db_inx,mod_time,id_job,time_submit,time_start,time_end,tres_alloc\n1,2,5,1,2,3,"1=4,1001=2"\n',
        "jobs as slurmdbd's database has them: export sacct -P",
    ),
    "events_n.psv": (
        b"c||Node|n1|2026-11-21T05:00:00|2026-11-21T06:00:00|01:00:00|xid 79|DOWN|root|cpu=8,gres/gpu=8\n",
        "sacctmgr show event without a header: export it without --noheader",
    ),
    "squeue_O.psv": (b"STATE|TRES_ALLOC|JOBID\nRUNNING|gres/gpu=8|1\n", "columns of squeue: export squeue --json"),
    "squeue_O.txt": (
        b"USER                JOBID               STATE               \nann                 1                   RUNNING\n",
        "columns of squeue: export squeue --json",
    ),
    "squeue_l.txt": (
        b"Sat Nov 28 10:00:00 2026\n             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)\n",
        "a table of squeue",
    ),
    "sinfo_O.txt": (b"HOSTNAMES STATE GRES GRES_USED \nn1 idle gpu:8 gpu:0\n", "a table of sinfo"),
    "sinfo_l.txt": (
        b"Sat Nov 28 10:00:00 2026\nNODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY\nn1 1 p idle 64 2:32:1 1\n",
        "a table of sinfo",
    ),
    "sinfo_o.psv": (b"STATE|NODELIST|GRES\nidle|n1|gpu:8\n", "columns of sinfo: export scontrol show node"),
    "sstat.psv": (b"JobID|MaxRSS|AveCPU|NTasks\n12.0|1G|00:01:00|1\n", "what sstat tells of steps that run"),
    "sstat_first.psv": (b"AveCPU|AveCPUFreq|JobID|MaxRSS\n00:00:01|1K|12.0|1G\n", "what sstat tells of steps that run"),
    "sacct_rows.txt": (
        b"7\x1ftrain\x1fCANCELLED by 1000\x1f2026-11-21T05:00:00\x1f2026-11-21T06:00:00\x1fgres/gpu=8\n",
        "sacct without a header: give the options format, slurm, delimiter, and columns",
    ),
    "partitions.txt": (
        b"PartitionName=gpu\n   AllowGroups=ALL AllowAccounts=ALL\n   Nodes=g[1-4]\n   State=UP TotalCPUs=256 TotalNodes=4\n",
        "what Slurm says of its partitions or accounts",
    ),
    "partitions.json": (
        b'{\n  "partitions": [\n    {"nodes": {"configured": "g[1-4]", "total": 4}, "name": "gpu"}\n  ],\n  "meta": {"slurm": {"cluster": "c"}}\n}',
        "what Slurm says of its partitions or accounts",
    ),
    "qos.json": (
        b'{"qos": [{"name": "high"}], "meta": {"plugin": {"data_parser": "data_parser/v0.0.41"}}, "errors": []}',
        "what Slurm says of its partitions or accounts",
    ),
    "condor_q.txt": (
        b"\n\n-- Schedd: s1 : <10.0.0.1:9618?... @ 03/29/26 08:00:00\nOWNER BATCH_NAME    SUBMITTED   DONE   RUN    IDLE  TOTAL JOB_IDS\n",
        "a table of condor_q: export it with condor_q -json, and jobs that left with condor_history -json",
    ),
    "condor_history.txt": (
        b" ID     OWNER          SUBMITTED   RUN_TIME     ST COMPLETED   CMD            \n",
        "a table of condor_history: export it with condor_history -json",
    ),
    "condor_status.txt": (
        b"Name          OpSys      Arch   State     Activity LoadAv Mem   ActvtyTime\n\nslot1@n1 LINUX\n",
        "a table of condor_status: write what is installed to capacity.csv",
    ),
    "tracejob.txt": (
        b"\nJob: 501.pod\n\n03/05/2026 09:00:00  A    queue=gpu\n03/05/2026 09:00:00  S    enqueuing into gpu, state Q hop 1\n",
        "what tracejob of PBS prints of a job: copy the server's accounting logs",
    ),
    "seff.txt": (
        b"Job ID: 501\nCluster: pod\nUser/Group: ann/ml\nState: COMPLETED (exit code 0)\nCores: 1\n",
        "what seff prints of a job: export sacct -P",
    ),
    "showq.txt": (
        b"\nactive jobs------------------------\nJOBID              USERNAME      STATE PROCS   REMAINING            STARTTIME\n",
        "a table of showq, which is of one moment: copy the accounting logs of the server below it",
    ),
    "jobs_of_a_site.csv": (
        b'"JOB_NAME","SITE_JOBID","QUEUED_TIMESTAMP","START_TIMESTAMP","END_TIMESTAMP","NODES_USED"\n"7.pod","7","2026-11-21 05:00:00","2026-11-21 05:10:00","2026-11-21 06:00:00","10"\n',
        "a table of jobs of no scheduler that is known here: write its rows as allocations (docs/own-logs.md)",
    ),
    "job_info_df.csv": (
        b"job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n7,1,A10,8,1,2,0,3600,HP\n",
        "jobs of Alibaba's GPU trace of 2026, which does not say when they started: write its rows as allocations (docs/own-logs.md)",
    ),
    "pod_hourly.csv": (
        b"pod_id,workload_id,server_id,cluster_id,state_public,gpu_spec_public,gpu_request,used_gpu_hours,day,hour\na,b,c,d,Running,x,1.0,1.0,0,00\n",
        "samples by the hour of Alibaba's GPU trace of 2026, which do not say when pods started: write its rows as allocations (docs/own-logs.md)",
    ),
    "flux_queue.txt": (
        b"       JOBID QUEUE    USER     NAME       ST NTASKS NNODES     TIME INFO\n",
        "a table of flux jobs",
    ),
    "az_scheduled.json": (
        b'{"DocumentIncarnation": 1, "Events": [{"EventId": "f0", "EventStatus": "Scheduled", "EventType": "Reboot", "ResourceType": "VirtualMachine", "Resources": ["gpu_0"], "NotBefore": "Mon, 02 Mar 2026 09:00:00 GMT", "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}]}',
        "what Azure plans to do",
    ),
    "az_activity.json": (
        b'[{"caller": "x", "eventTimestamp": "2026-03-02T09:00:00Z", "operationName": {"value": "Microsoft.Compute/virtualMachines/deallocate/action"}, "resourceId": "/subscriptions/x", "status": {"value": "Succeeded"}}]',
        "what Azure logs of machines",
    ),
    "az_resourcehealth.json": (
        b'{"value": [{"id": "/subscriptions/x/providers/Microsoft.ResourceHealth/events/y", "name": "y", "properties": {"eventType": "HealthAdvisory", "impactStartTime": "2026-03-02T09:00:00Z"}}]}',
        "what Azure logs of machines",
    ),
    "gcp_ops.json": (
        b'[{"endTime": "2026-03-02T09:10:00.000-08:00", "id": "1", "insertTime": "2026-03-02T09:00:00.000-08:00", "kind": "compute#operation", "name": "systemevent-1", "operationType": "compute.instances.hostError", "status": "DONE", "targetLink": "https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/gpu-1", "user": "system", "zone": "z"}]',
        "operations of Google Cloud",
    ),
    "gke_ops.json": (
        b'[{"name": "operation-1", "operationType": "UPGRADE_NODES", "status": "DONE", "startTime": "2026-03-02T09:00:00Z", "endTime": "2026-03-02T10:00:00Z", "selfLink": "https://container.googleapis.com/v1/projects/1/zones/z/operations/o", "targetLink": "https://container.googleapis.com/v1/x"}]',
        "operations of Google Cloud",
    ),
    "aws_status.json": (
        b'{"InstanceStatuses": [{"AvailabilityZone": "a", "InstanceId": "i-1", "Events": [{"Code": "instance-retirement", "NotBefore": "2026-03-02T09:00:00Z"}], "InstanceState": {"Name": "running"}}]}',
        "machines of EC2",
    ),
    "aws_health.json": (
        b'{"events": [{"arn": "arn:aws:health:us::event/EC2/x", "service": "EC2", "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED", "startTime": "2026-03-02T09:00:00Z"}]}',
        "machines of EC2",
    ),
    "aws_instances.json": (
        b'{"Reservations": [{"Instances": [{"InstanceId": "i-1", "InstanceType": "p5.48xlarge", "LaunchTime": "2026-03-02T09:00:00Z", "State": {"Name": "running"}}]}]}',
        "machines of EC2",
    ),
    "gce_instances.json": (
        b'[{"creationTimestamp": "2026-03-02T09:00:00", "guestAccelerators": [{"acceleratorCount": 8, "acceleratorType": "nvidia-h100-80gb"}], "kind": "compute#instance", "machineType": "https://x/a3-highgpu-8g", "name": "g", "status": "RUNNING"}]',
        "machines as gcloud lists them",
    ),
    "nomad.json": (
        b'[{"ID": "a-1", "EvalID": "e", "Name": "train.t[0]", "NodeID": "n", "JobID": "train", "TaskGroup": "t", "ClientStatus": "running", "DesiredStatus": "run", "CreateTime": 1772442000000000000, "ModifyTime": 1772442900000000000, "TaskStates": {}}]',
        "allocations of Nomad",
    ),
    "yarn.json": (
        b'{"apps": {"app": [{"id": "application_1_1", "user": "a", "name": "n", "queue": "q", "state": "FINISHED", "finalStatus": "SUCCEEDED", "startedTime": 1772442000000, "finishedTime": 1772443000000, "elapsedTime": 1, "memorySeconds": 1}]}}',
        "applications of YARN",
    ),
    "raylist.txt": (
        b"======== List: 2026-03-02 09:00:00.123 ========\nStats:\n------------------------------\nTotal: 1\n\nTable:\n------------------------------\n    JOB_ID  SUBMISSION_ID  ENTRYPOINT  TYPE  STATUS\n 0  0100  raysubmit_1  python  SUBMISSION  RUNNING\n",
        "a table of Ray's state",
    ),
    "moab.events": (
        b"09:00:00 1772442000:1  job  123  JOBEND  4 4 u g 3600 Completed [gpu:1] 1772441000 1772442000 1772442000 1772443000 - - - - >= 0M >= 0M\n",
        "events of Moab",
    ),
    "bhist.txt": (
        b"Summary of time in seconds spent in various states:\nJOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n123     ann     train     10      0       100     0       0       0       110\n",
        "a summary of bhist",
    ),
    "sdiag.txt": (
        b"*******************************************************\nsdiag output at Mon Mar 02 09:00:00 2026 (1772442000)\nData since      Mon Mar 02 00:00:00 2026 (1772409600)\n*******************************************************\nServer thread count:  3\n",
        "statistics of slurmctld",
    ),
    "dstack.json": (
        b'{"project": "main", "runs": [{"id": "x", "project_name": "main", "user": "a", "submitted_at": "2026-03-02T09:00:00Z", "status": "running", "run_spec": {"run_name": "train"}, "jobs": [{"job_submissions": []}]}]}',
        "runs as dstack lists them",
    ),
    "determined.json": (
        b'[{"id": 1, "state": "COMPLETED", "startTime": "2026-03-02T09:00:00Z", "endTime": "2026-03-02T10:00:00Z", "resourcePool": "gpu", "trialIds": [1], "username": "a", "numTrials": 1}]',
        "experiments of Determined",
    ),
    "databricks.json": (
        b'{"runs": [{"job_id": 1, "run_id": 2, "start_time": 1772442000000, "end_time": 1772443000000, "state": {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS"}, "cluster_instance": {"cluster_id": "x"}}]}',
        "runs of jobs of Databricks",
    ),
    "torchelastic_events.json": (
        b'{"name": "torchelastic.worker.status.SUCCEEDED", "source": "WORKER", "timestamp": 0, "metadata": {"run_id": "r", "global_rank": 0, "group_rank": 0, "worker_id": "1", "role": "default", "hostname": "n", "state": "SUCCEEDED", "total_run_time": 10}}\n',
        "events of torchelastic's agent",
    ),
}
