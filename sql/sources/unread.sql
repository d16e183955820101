-- unread.sql - files that are known by their first bytes, and that no script reads: what each is, and what to do instead.
--
-- The reason that trace_sources gives for them. Of archives the kind inside is looked for first.

-- Archives and packings. (gzip and zstd are unpacked before anything is looked at.)
--@ hint (?s)\APK\x03\x04.{26}[^\x00\n]{1,200}?\.npy => arrays of NumPy (npz): write the records as CSV or JSON Lines
--@ hint (?s)\APK\x03\x04.{26}[^\x00\n]{1,200}?/(?:data\.pkl|byteorder) => a checkpoint of PyTorch, which tells no times
--@ hint (?s)\APK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|docProps/|xl/) => a workbook (xlsx): save the sheet as CSV
--@ hint \APK(?:\x03\x04|\x05\x06) => a zip archive: unpack it with unzip
--@ hint \A\xfd7zXZ\x00 => packed with xz: unpack it with xz -d (gzip and zstd are read as they are)
--@ hint \ABZh[1-9](?:1AY&SY|\x17rE8P\x90) => packed with bzip2: unpack it with bzip2 -d (gzip and zstd are read as they are)
--@ hint \A\x04\x22\x4d\x18 => packed with lz4: unpack it with lz4 -d (gzip and zstd are read as they are)
--@ hint \A7z\xbc\xaf\x27\x1c => a 7z archive: unpack it with 7z x
--@ hint (?s)\A.{257}ustar => a tar archive: unpack it with tar -xf

-- Tables and arrays.
--@ hint \APAR1 => Parquet: export it as CSV or JSON Lines, for instance with DuckDB
--@ hint \A(?:ARROW1\x00\x00|FEA1|\xff\xff\xff\xff[\x08-\xff][\x00-\xff]\x00\x00) => Arrow: export it as CSV or JSON Lines, for instance with DuckDB
--@ hint \AORC => ORC: export it as CSV or JSON Lines
--@ hint \AObj\x01 => Avro: export it as CSV or JSON Lines
--@ hint \A\x89HDF\r\n\x1a\n => HDF5 (Slurm's profiles, Keras' checkpoints): export the tables as CSV
--@ hint \A\x93NUMPY => an array of NumPy (npy): write the records as CSV or JSON Lines
--@ hint \A\x80[\x02-\x05](?:\x95[\x00-\xff]{8}|[}\]\x28Xcq\x8a\x8c]) => a pickle of Python: write the records as CSV or JSON Lines

-- Traces and programs. Patterns are looked for in the first bytes, in the names of tables, and in the path.
--@ hint \A[^\n]*\.(?:nsys-rep|qdrep|qdstrm)\z => a report of Nsight Systems: export it with nsys export --type sqlite
--@ hint (?m)^\s*\{\s*"Type"\s*:\s*"?\d+"?\s*,\s*"(?:Cuda|Nvtx|TraceProcess|Osrt|ThreadName|Gpu)\w*"\s*: => events of Nsight Systems as JSON Lines: export the report with nsys export --type sqlite
--@ hint \A(?:[^\n]*\n){0,4}"?(?:Time ?\(%\)|Start ?\(\w+\))"?\s*,\s*"?(?:Total Time|Duration) ?\( => a report of nsys stats: export the profile itself with nsys export --type sqlite
--@ hint \A\s*\[\s*\{\s*"(?:Time ?\(%\)|Start ?\(\w+\))"\s*: => a report of nsys stats: export the profile itself with nsys export --type sqlite
--@ hint \A[^\n]*\.ncu-rep\z => a report of Nsight Compute, which runs kernels by themselves: it tells no time of the job
--@ hint \A"(?:Guid","Kind|Kind","(?:Agent_Id|Direction|Operation|Function)|Domain","Function|Node_Id","Logical_Node_Id|Name","Calls","TotalDurationNs)" => a table of rocprofv3: give its database (--output-format rocpd) or its JSON
--@ hint \A"?Index"?,"?KernelName"?,"?gpu-id => a table of rocprof: give the results.json of rocprof --hip-trace, or trace with rocprofv3
--@ hint (?m)^rocpd_(?:op|api)$ => a trace of rocmProfileData: convert it with its rpd2tracing.py, or trace with rocprofv3
--@ hint \A(?:Step Id,|Device_id,|Model Name,|Op Name,|Name,|Step,|OP Type,)[^\n]*(?:\(us\)|,Communication\(Not Overlapped\)) => a table of Ascend's profiler: give its database (ExportType.Db, msprof --type=db) or trace_view.json
--@ hint \A(?:[^\n]*\n){0,6}=== \w[\w ]* Timing Summary === => a summary of Intel's unitrace: trace with --chrome-kernel-logging
--@ hint \A(?:Function|Computing Task|Source Computing Task)(?:[\t,;|][^\t,;|\n]*)*(?:CPU Time|Total Time|Instance Count) => a report of VTune, which has sums alone: trace with unitrace --chrome-kernel-logging
--@ hint \AML\xefR => StableHLO as bytecode of MLIR: convert it to HLO text, or dump with XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_text

-- Other schedulers.
--@ hint \A={30,}\nqname\s => a report of qacct of Grid Engine: copy the accounting file itself

--@ hint (?m)\A000 \(\d+\.\d+\.\d+\) \d[^\n]* Job submitted from host: => an event log of HTCondor, which names no chips: export the jobs with condor_history -json
--@ hint (?s)\A\s*<\?xml.{0,400}?<classads> => jobs of HTCondor as XML: export them with condor_history -json
--@ hint (?m)^ClusterId = \d+$ => a job history of HTCondor as ClassAds: export it with condor_history -json

-- Tables that commands print for people.
--@ hint \A\s*JOBID\s+(?:PARTITION|NAME)\s[^\n]*\bNODELIST\(REASON\) => a table of squeue for people: export squeue --json
--@ hint \A(?:PARTITION|NODELIST)\s+[^\n]*\bSTATE\s => a table of sinfo for people: export scontrol show node
--@ hint \A(?:JOBID\s+USER\s+STAT\s|[^\n]*\bPEND\s+PSUSP\s+RUN\s) => a table of bjobs or bhist for people: copy lsb.acct and lsb.events
--@ hint \A\s*Job <\d+(?:\[\d+\])?>, (?:Job Name|User) < => what bjobs or bhist of LSF print for people: copy lsb.acct and lsb.events
--@ hint \A\s*\{\s*"COMMAND"\s*:\s*"b(?:jobs|hist) => what bjobs of LSF prints, which is of one moment: copy lsb.acct and lsb.events
--@ hint \A\s*JOBID\s+USER\s+NAME\s+ST\s+NTASKS\s => a table of flux jobs for people: give --json
--@ hint (?s)\A\s*\{(?=.{0,400}"pbs_version"\s*:)(?=.{0,900}"nodes"\s*:\s*\{) => what pbsnodes prints: write what is installed to capacity.csv
--@ hint (?s)\A\s*\{(?=.{0,400}"pbs_version"\s*:) => what qstat of PBS prints, which is of one moment: copy the server's accounting logs
--@ hint \A(?:Job Id:\s+\S+\n\s+Job_Name = |Job id\s+Name\s+User\s+Time Use\s) => what qstat of PBS prints, which is of one moment: copy the server's accounting logs
--@ hint \A(?:job-ID\s+prior\s+name\s|queuename\s+qtype\s) => what qstat of Grid Engine prints, which is of one moment: copy its accounting file
--@ hint (?s)\A\s*<\?xml[^\n]*\n\s*<(?:detailed_)?(?:job_info|Data)\b => what qstat prints as XML, which is of one moment: copy the accounting files
--@ hint \AJOBID\|[^\n]*\b(?:ST|STATE|NODELIST)\b => columns of squeue: export squeue --json
--@ hint \A(?:NODELIST|PARTITION|HOSTNAMES)\|[^\n]*\b(?:STATE|GRES)\b => columns of sinfo: export scontrol show node
--@ hint (?s)\A\s*\{(?=.{0,4000}?"sinfo"\s*:\s*\[) => what sinfo prints: export scontrol show node --json
--@ hint (?s)\A(?:%YAML[^\n]*\n)?(?:---\s)?\s*(?:jobs|meta|nodes|reservations|errors):\s(?=.{0,9000}?^\s*-?\s*(?:[Ss]lurm|data_parser|job_id|slurmd_version):) => Slurm's answer as YAML: export it with --json
--@ hint \A\[\d{4}-\d\d-\d\dT[\d:.]+\] (?:sched: |_?job_complete: |_slurm_rpc_|slurmctld version |backfill: |error: slurm) => a log of slurmctld: export sacct -P
--@ hint \A\s*\{(?=[^\n]*"jobid"\s*:)(?=[^\n]*"@submit"\s*:) => jobs as Slurm's jobcomp writes them, without their chips: export sacct -P
--@ hint (?s)\A\s*\[?\s*\{(?=.{0,60000}"MyType"\s*:\s*"(?:Machine|Slot|StartD)) => what condor_status tells of machines: write what is installed to capacity.csv
--@ hint \AHOST_NAME\s+(?:STATUS|type)\s => a table of bhosts or lshosts: write what is installed to capacity.csv
--@ hint \AName:\s+\S+\n(?:Namespace|Roles): => what kubectl describe prints for people: give kubectl get -o json
--@ hint \A(?:NAMESPACE\s+)?(?:NAME\s+(?:READY|STATUS)\s|LAST SEEN\s+TYPE\s) => a table of kubectl for people: give -o json
--@ hint \A(?:[^\n]*\n)?\+-+\+\n\|\s*NVIDIA-SMI\s => a table of nvidia-smi for people: export DCGM's metrics, or what the scheduler says
--@ hint (?i)\A(?:#\s*gpu\s+pwr\s|#Entity\s|timestamp, [^\n]*utilization\.gpu) => samples of nvidia-smi or dcgmi, which are of no format here: csv_trace reads tables, trace_duty DCGM's metrics in Prometheus

-- Spans and metrics of other programs.
--@ hint \A\s*\{\s*"data"\s*:\s*\[\s*\{\s*"traceID"\s*: => spans of Jaeger: let a collector of OpenTelemetry write them (exporter file, JSON)
--@ hint (?s)\A\s*\[\s*\{(?=.{0,4000}"traceId"\s*:)(?=.{0,4000}"localEndpoint"\s*:) => spans of Zipkin: let a collector of OpenTelemetry write them (exporter file, JSON)
--@ hint (?s)\A(?:\x00[\x00-\xff]{3})?\x0a(?=.{0,1000}?(?:service\.name|telemetry\.sdk\.)) => spans or metrics of OpenTelemetry as protobuf: let the collector's exporter write JSON (format: json, no compression)
--@ hint \A:W&B => a run of Weights & Biases as its client writes it: export its history by run.scan_history()
--@ hint (?m)^.*\{'(?:loss|eval_loss|train_runtime)': '?[\d.]+.*'epoch': => what the Hugging Face Trainer prints, without times: give the event files that report_to="tensorboard" writes
--@ hint \A(?=[^\n]*\bepoch\b)(?=[^\n]*\bstep\b)(?![^\n]*(?:time|second))[\w/.,-]+\n => a table of metrics without times: give TensorBoard's event files
--@ hint \A\s*\[?\s*\{(?=[^\n]*"_step"\s*:)(?![^\n]*"_timestamp"\s*:) => a history of Weights & Biases without times: export it with all keys, by run.scan_history()
--@ hint \A"?(?:Step|Relative Time \([^)"\n]*\)|(?:train/)?global_step)"?,"[^"\n]+ - [^"\n]+" => a chart of Weights & Biases, without times: export the run's history by run.scan_history()
--@ hint (?s)\A\s*\[\s*\{[^}]*"metricName"\s*:[^}]*"metricValue"\s*: => values of Comet: write CSV with the columns _step, _timestamp (Unix seconds) and loss
--@ hint \A\{"current_steps"\s*:[^\n]*"elapsed_time"\s*: => what LLaMA-Factory writes of a run, with elapsed times alone: give the event files that report_to="tensorboard" writes
--@ hint \A\{(?=[^\n]*"perf/step_time_seconds"\s*:)[^\n]*"step"\s*: => metrics of MaxText, without times: give its log or its event files
--@ hint (?m)^.*\bstep:\d+ - [\w/.()@-]+:[\d.eE+-]+ - [\w/.()@-]+: => what verl prints of steps, without times: give its event files, or the history of Weights & Biases
--@ hint (?m)^.*\[batch=\d+/\d+\]: => what Composer prints, without times: give the event files of its TensorboardLogger
--@ hint (?m)Avg prompt throughput: [\d.]+ tokens/s, Avg generation throughput: => the log of vLLM: scrape its /metrics, which trace_serve_tokens reads
--@ hint \AWall time,Step,Value\n => a table of TensorBoard for people: give its event files
--@ hint (?s)\A\s*\{.*?"traceEvents"\s*: => a Chrome trace in which nothing names a device as a known writer does: chrome_trace reads its events

-- Text that is no UTF-8 (what has a mark of UTF-16 is refused when it is opened), or no trace.
--@ hint \A(?:(?:[\t\n\r -~]\x00){8}|(?:\x00[\t\n\r -~]){8}) => text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8
--@ hint (?i)\A\s*<(?:!doctype\s+html|html) => a page of HTML: a download that needed a login, perhaps

--@ hint \A\x00{4096} => begins with NUL bytes, as a log that was truncated while its program wrote on: take them out with tr -d '\000'
--@ hint \A[\t\n\r -~]{40,}\x00 => text with NUL bytes, as a crash leaves them: take them out with tr -d '\000'

-- Of whoever wrote it.
--@ hint (?im)^.*\b(?:step|iter|iteration|epoch)\b\W{0,3}\d+\b.*\bloss\b => a log of steps of no trainer that is known here: log_trace reads it with a pattern of yours
