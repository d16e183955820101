"""The contract of SQL: every function with its arguments and properties, every table with its columns."""
import sqlite3

import formats
import table_functions
from fleets import connect, quote

DETERMINISTIC, DIRECTONLY, INNOCUOUS = 0x800, 0x80000, 0x200000
PURE = DETERMINISTIC | INNOCUOUS

GOODPUT = ["scheduling_goodput", "runtime_goodput", "program_goodput", "mpg", "mpg_lower", "runtime_coverage",
           "program_coverage", "occupancy", "mfu", "ettr", "goodput", "goodput_state"]
# (name, arguments, type: scalar, aggregate or window function, flags)
FUNCTIONS = {(name, n, "w", PURE) for name in GOODPUT for n in (1, 2, 4)} | {("goodput_merge", 1, "w", PURE)}
FUNCTIONS |= {("roofline_ideal", n, "w", INNOCUOUS) for n in (2, 3, 4)}
FUNCTIONS |= {(name, n, "s", INNOCUOUS) for name in ("roofline_seconds", "roofline_bound") for n in (2, 3, 4)}
FUNCTIONS |= {("chip_peak_flops", 1, "s", INNOCUOUS), ("chip_peak_flops", 2, "s", INNOCUOUS), ("chip_bandwidth", 1, "s", INNOCUOUS)}
FUNCTIONS |= {("chip_interconnect", 1, "s", INNOCUOUS), ("transformer_flops", 1, "s", PURE)}
FUNCTIONS |= {("interval_union", 2, "a", PURE), ("interval_overlap", 3, "a", PURE), ("all_up", 3, "a", PURE), ("peak_concurrency", 2, "a", PURE)}
FUNCTIONS |= {("job_size", 1, "s", PURE), ("job_size", 2, "s", PURE), ("time_bucket", 2, "s", PURE), ("iso_week", 1, "s", PURE),
              ("iso_week", 2, "s", PURE), ("bar", 3, "s", PURE), ("bar", 4, "s", PURE)} | {("spark", n, "w", PURE) for n in (1, 2, 3, 4)}
FUNCTIONS |= {("op_flops", 2, "s", PURE), ("op_flops", 3, "s", PURE), ("op_flops", 4, "s", PURE), ("op_bytes", 3, "s", PURE), ("op_bytes", 4, "s", PURE)}
FUNCTIONS |= {("mpg_version", 0, "s", PURE), ("mpg_debug", 0, "s", INNOCUOUS), ("mpg_uuid", 2, "s", PURE), ("mpg_required", 2, "s", PURE)}
FUNCTIONS |= {("mpg_version", 0, "s", PURE), ("mpg_debug", 0, "s", INNOCUOUS), ("mpg_uuid", 2, "s", PURE)}
FUNCTIONS |= {(name, 1, "s", DETERMINISTIC | DIRECTONLY) for name in ("mpg_import", "mpg_build")}
FUNCTIONS |= {("mpg_keep", n, "s", DETERMINISTIC | DIRECTONLY) for n in (0, 1)} | {("mpg_limit", n, "s", DETERMINISTIC | DIRECTONLY) for n in (1, 2)}

READERS = list(formats.READERS)
MADE = ["csv_trace", "jsonl_trace", "csv_rollup", "jsonl_rollup"]  # tables are made of these too, in the schema temp
TABLES = READERS + """mpg_ledger mpg_rollup mpg_timeline mpg_records
    trace_sources trace_files mpg_chips mpg_categories mpg_issues mpg_limits interval_buckets
""".split() + [table.name for table in table_functions.every()]

DIMENSIONS = """pool TEXT, chip TEXT, job TEXT, attempt BIGINT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT,
    model TEXT, size TEXT, priority TEXT, labels TEXT, category TEXT, cause TEXT"""
OPTIONS = """bucket_width hidden, since hidden, until hidden, as_of hidden, basis TEXT hidden, sizes TEXT hidden, roofline TEXT hidden,
    on_error TEXT hidden, threads hidden"""
SHAPES = {
    "ledger": DIMENSIONS + ", start_time REAL, end_time REAL, bucket TEXT, chip_us BIGINT, chip_seconds REAL",
    "rollup": DIMENSIONS + ", bucket TEXT, chip_us BIGINT, chip_seconds REAL, intervals BIGINT",
    "timeline": """job TEXT, attempt BIGINT, start_time REAL, end_time REAL, category TEXT, cause TEXT, kind TEXT, step BIGINT,
        program TEXT, pool TEXT, chip TEXT, bucket TEXT, chip_us BIGINT, chip_seconds REAL, _file TEXT, _line BIGINT""",
}
RECORDS = """record TEXT, job TEXT, attempt BIGINT, task TEXT, pool TEXT, chip TEXT, chips REAL, kind TEXT, start_time REAL,
    end_time REAL, outcome TEXT, step BIGINT, program TEXT, flops REAL, bytes REAL, dtype TEXT, executions REAL, snapshot_time REAL,
    durable_time REAL, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT, priority TEXT, labels TEXT,
    min_chips REAL, tasks BIGINT, submit_time REAL, peak_flops REAL, hbm_bytes REAL, hbm_bytes_per_s REAL, ici_bytes_per_s REAL,
    tdp_w REAL, vendor TEXT, year BIGINT, source TEXT, id BIGINT"""
SLURM = "path TEXT hidden, zone TEXT hidden, columns TEXT hidden, delimiter TEXT hidden, on_error TEXT hidden, threads hidden, _file TEXT hidden, _line BIGINT hidden"
COLUMNS = {
    "trace_ledger": f"{SHAPES['ledger']}, path TEXT hidden, {OPTIONS}",
    "trace_rollup": f"{SHAPES['rollup']}, path TEXT hidden, {OPTIONS}, grain TEXT hidden",
    "trace_timeline": f"{SHAPES['timeline']}, path TEXT hidden, of_job TEXT hidden, {OPTIONS}",
    "mpg_ledger": f"{SHAPES['ledger']}, schema TEXT hidden, {OPTIONS}",
    "mpg_rollup": f"{SHAPES['rollup']}, schema TEXT hidden, {OPTIONS}, grain TEXT hidden",
    "mpg_timeline": f"{SHAPES['timeline']}, of_job TEXT hidden, schema TEXT hidden, {OPTIONS}",
    "trace_sources": "file TEXT, format TEXT, certainty TEXT, reason TEXT, source BIGINT, files BIGINT, records TEXT, jobs BIGINT, "
                     "first_time REAL, last_time REAL, observed_until REAL, feeds TEXT, missing TEXT, inferred TEXT, job TEXT, path TEXT hidden, on_error TEXT hidden",
    "trace_files": "path TEXT, bytes BIGINT, modified REAL, pattern TEXT hidden",
    "trace_records": f"{RECORDS}, path TEXT hidden, on_error TEXT hidden",
    "mpg_records": f"{RECORDS}, schema TEXT hidden, on_error TEXT hidden",
    "mpg_chips": """chip TEXT, vendor TEXT, year BIGINT, dtype TEXT, peak_flops REAL, hbm_bytes BIGINT, hbm_bytes_per_s REAL,
        ici_bytes_per_s REAL, tdp_w REAL, source TEXT, aliases TEXT, devices BIGINT, unit TEXT""",
    "mpg_categories": "category TEXT, layer TEXT, meaning TEXT, in_capacity BIGINT, in_allocated BIGINT, in_productive BIGINT",
    "interval_buckets": "bucket TEXT, start_time REAL, end_time REAL, seconds REAL, interval_start hidden, interval_end hidden, width hidden",
    "slurm_trace": f"""Account TEXT, AdminComment TEXT, AllocCPUS BIGINT, AllocNodes BIGINT, AllocTRES TEXT, AssocID BIGINT, AveCPU REAL,
        AveCPUFreq TEXT, AveDiskRead TEXT, AveDiskWrite TEXT, AvePages TEXT, AveRSS TEXT, AveVMSize TEXT,
        BlockID TEXT, Cluster TEXT, Comment TEXT, Constraints TEXT, ConsumedEnergy TEXT, ConsumedEnergyRaw BIGINT,
        Container TEXT, CPUTime BIGINT, CPUTimeRAW BIGINT, DBIndex BIGINT, DerivedExitCode TEXT, Elapsed BIGINT,
        ElapsedRaw BIGINT, Eligible BIGINT, End BIGINT, ExitCode TEXT, Extra TEXT, FailedNode TEXT, Flags TEXT,
        GID BIGINT, Group TEXT, JobID TEXT, JobIDRaw TEXT, JobName TEXT, Layout TEXT, Licenses TEXT, MaxDiskRead TEXT,
        MaxDiskReadNode TEXT, MaxDiskReadTask BIGINT, MaxDiskWrite TEXT, MaxDiskWriteNode TEXT,
        MaxDiskWriteTask BIGINT, MaxPages TEXT, MaxPagesNode TEXT, MaxPagesTask BIGINT, MaxRSS TEXT, MaxRSSNode TEXT,
        MaxRSSTask BIGINT, MaxVMSize TEXT, MaxVMSizeNode TEXT, MaxVMSizeTask BIGINT, McsLabel TEXT, MinCPU REAL,
        MinCPUNode TEXT, MinCPUTask BIGINT, NCPUS BIGINT, NNodes BIGINT, NodeList TEXT, NTasks BIGINT, Partition TEXT,
        Planned BIGINT, PlannedCPU BIGINT, PlannedCPURAW BIGINT, Priority BIGINT, QOS TEXT, QOSRAW BIGINT,
        QOSREQ TEXT, Reason TEXT, ReqCPUFreq TEXT, ReqCPUFreqGov TEXT, ReqCPUFreqMax TEXT, ReqCPUFreqMin TEXT,
        ReqCPUS BIGINT, ReqMem TEXT, ReqNodes BIGINT, ReqTRES TEXT, Reservation TEXT, ReservationId BIGINT,
        Reserved BIGINT, Restarts BIGINT, ResvCPU BIGINT, ResvCPURAW BIGINT, SegmentSize BIGINT, SLUID TEXT,
        Start BIGINT, State TEXT, StdErr TEXT, StdIn TEXT, StdOut TEXT, Submit BIGINT, SubmitLine TEXT,
        Suspended BIGINT, SystemComment TEXT, SystemCPU REAL, Timelimit TEXT, TimelimitRaw BIGINT, TotalCPU REAL,
        TRESUsageInAve TEXT, TRESUsageInMax TEXT, TRESUsageInMaxNode TEXT, TRESUsageInMaxTask TEXT,
        TRESUsageInMin TEXT, TRESUsageInMinNode TEXT, TRESUsageInMinTask TEXT, TRESUsageInTot TEXT,
        TRESUsageOutAve TEXT, TRESUsageOutMax TEXT, TRESUsageOutMaxNode TEXT, TRESUsageOutMaxTask TEXT,
        TRESUsageOutMin TEXT, TRESUsageOutMinNode TEXT, TRESUsageOutMinTask TEXT, TRESUsageOutTot TEXT, UID BIGINT,
        User TEXT, UserCPU REAL, WCKey TEXT, WCKeyID BIGINT, WorkDir TEXT, job_base BIGINT, array_task TEXT,
        array_count BIGINT, het_offset BIGINT, step TEXT, state_base TEXT, cancelled_by TEXT, outcome TEXT,
        alloc_gpus BIGINT, req_gpus BIGINT, gpu_type TEXT, alloc_gpu_types TEXT, req_gpu_types TEXT, nodes TEXT,
        {SLURM}""",
    "slurm_events_trace": f"""Cluster TEXT, ClusterNodes TEXT, Duration BIGINT, Event TEXT, EventRaw BIGINT, NodeName TEXT, Reason TEXT, State TEXT,
        StateRaw BIGINT, TimeEnd BIGINT, TimeStart BIGINT, TRES TEXT, User TEXT, state_base TEXT, gpus BIGINT,
        gpu_type TEXT, gpu_types TEXT,
        {SLURM}""",
    "slurm_nodes_trace": """NodeName TEXT, State TEXT, Reason TEXT, ReasonTime BIGINT, ReasonUser TEXT, Gres TEXT, GresUsed TEXT, CfgTRES TEXT,
        AllocTRES TEXT, Partitions TEXT, CPUTot BIGINT, CPUAlloc BIGINT, RealMemory BIGINT, AllocMem BIGINT, ActiveFeatures TEXT,
        BootTime BIGINT, SlurmdStartTime BIGINT, LastBusyTime BIGINT, Version TEXT, OS TEXT, Arch TEXT, Owner TEXT, Comment TEXT,
        Extra TEXT, ClusterName TEXT, state_base TEXT, out_of_service BIGINT, gpus BIGINT, gpu_type TEXT, gpu_types TEXT,
        alloc_gpus BIGINT, path TEXT hidden, zone TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "mllog_trace": """namespace TEXT, time_ms BIGINT, event_type TEXT, key TEXT, value TEXT, value_number REAL, file TEXT, lineno BIGINT,
        step BIGINT, step_num BIGINT, samples_count BIGINT, epoch_num BIGINT, first_epoch_num BIGINT, epoch_count BIGINT, status TEXT,
        metadata TEXT, prefix TEXT, path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "pbs_trace": """date_time BIGINT, record_type TEXT, id_string TEXT, message_text TEXT, user TEXT, group TEXT, account TEXT,
        project TEXT, jobname TEXT, queue TEXT, owner TEXT, requestor TEXT, resvname TEXT, resvID TEXT,
        array_indices TEXT, depend TEXT, ctime BIGINT, qtime BIGINT, etime BIGINT, start BIGINT, end BIGINT,
        exec_host TEXT, exec_vnode TEXT, exec_gpus TEXT, Resource_List.mem TEXT, Resource_List.ncpus BIGINT,
        Resource_List.ngpus BIGINT, Resource_List.nodect BIGINT, Resource_List.nodes TEXT, Resource_List.place TEXT,
        Resource_List.select TEXT, Resource_List.gpu_type TEXT, Resource_List.walltime BIGINT,
        resource_assigned.mem TEXT, resource_assigned.ncpus BIGINT, resource_assigned.ngpus BIGINT, session TEXT,
        Exit_status BIGINT, resources_used.cpupercent BIGINT, resources_used.cput BIGINT, resources_used.mem TEXT,
        resources_used.ncpus BIGINT, resources_used.ngpus BIGINT, resources_used.vmem TEXT,
        resources_used.walltime BIGINT, eligible_time BIGINT, run_count BIGINT, other TEXT, job_base BIGINT,
        array_index TEXT, server TEXT, outcome TEXT, req_gpus BIGINT, req_cpus BIGINT, alloc_gpus BIGINT,
        alloc_cpus BIGINT, gpu_type TEXT, nodes TEXT,
        path TEXT hidden, zone TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "swf_trace": """job_number BIGINT, submit_time REAL, wait_time REAL, run_time REAL, allocated_processors BIGINT,
        average_cpu_time REAL, used_memory REAL, requested_processors BIGINT, requested_time REAL,
        requested_memory REAL, status BIGINT, user_id BIGINT, group_id BIGINT, executable_number BIGINT,
        queue_number BIGINT, partition_number BIGINT, preceding_job_number BIGINT, think_time REAL,
        unix_start_time BIGINT, max_procs BIGINT, max_nodes BIGINT, computer TEXT, header TEXT, submit_unix REAL,
        start_unix REAL, end_unix REAL, outcome TEXT,
        path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "log_trace": """text TEXT, time REAL, step BIGINT, fields TEXT, path TEXT hidden, pattern TEXT hidden, unmatched TEXT hidden, zone TEXT hidden, year hidden,
        on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "kube_trace": """event TEXT, apiVersion TEXT, kind TEXT, namespace TEXT, name TEXT, uid TEXT, resourceVersion TEXT,
        creationTimestamp BIGINT, deletionTimestamp BIGINT, owner_kind TEXT, owner_name TEXT, job TEXT, queue TEXT,
        priority BIGINT, phase TEXT, reason TEXT, message TEXT, nodeName TEXT, pool TEXT, product TEXT, resource TEXT,
        chips REAL, min_chips REAL, allocatable REAL, share REAL, resources TEXT, claims TEXT, pods BIGINT, flavor TEXT,
        clusterQueue TEXT, startTime BIGINT, completionTime BIGINT, scheduled BIGINT, ready TEXT, ready_time BIGINT,
        disruption TEXT, quota_reserved BIGINT, admitted BIGINT, pods_ready BIGINT, evicted BIGINT,
        evicted_reason TEXT, requeued BIGINT, started BIGINT, finished BIGINT, finished_reason TEXT, outcome TEXT,
        exit_code BIGINT, exit_reason TEXT, restarts BIGINT, unschedulable BIGINT, suspend BIGINT, conditions TEXT,
        labels TEXT, annotations TEXT, ownerReferences TEXT, spec TEXT, status TEXT, path TEXT hidden, on_error TEXT hidden,
        _file TEXT hidden, _line BIGINT hidden""",
    "prometheus_trace": """metric TEXT, labels TEXT, time REAL, value REAL, value_text TEXT, type TEXT, job TEXT, instance TEXT, gpu TEXT,
        UUID TEXT, modelName TEXT, Hostname TEXT, namespace TEXT, pod TEXT, container TEXT, hpc_job TEXT, exemplar TEXT,
        path TEXT hidden, scrape_time hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "otlp_trace": """trace_id TEXT, span_id TEXT, parent_span_id TEXT, trace_state TEXT, name TEXT, kind TEXT, status TEXT, status_message TEXT,
        start_time REAL, end_time REAL, duration REAL, start_ns BIGINT, end_ns BIGINT, service TEXT, resource TEXT, scope TEXT,
        scope_version TEXT, scope_attributes TEXT, attributes TEXT, events TEXT, links TEXT, flags BIGINT, dropped BIGINT,
        path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "goodput_trace": """job_name TEXT, kind TEXT, edge TEXT, time REAL, event TEXT, step BIGINT, job_start_time REAL, job_end_time REAL,
        step_count BIGINT, step_start_time REAL, tpu_init_start_time REAL, tpu_init_end_time REAL,
        training_prep_start_time REAL, training_prep_end_time REAL, data_loading_start_time REAL, data_loading_end_time REAL,
        custom_badput_event_type TEXT, custom_badput_event_start_time REAL, custom_badput_event_end_time REAL,
        active_slices REAL, total_slices REAL, available_slices REAL, elastic_slice_counts_timestamp REAL,
        elastic_wait_event_type TEXT, elastic_wait_start_time REAL, elastic_wait_end_time REAL,
        elastic_reinit_start_time REAL, elastic_reinit_end_time REAL, event_type TEXT, directory TEXT,
        reached_preemption BIGINT, preemption_received_at REAL, synchronous BIGINT, wait_for_prev_start_time REAL,
        wait_for_prev_duration_secs REAL, checkpointer_blocking_start_time REAL, checkpointer_blocking_duration_secs REAL,
        get_old_steps_start_time REAL, get_old_steps_duration_secs REAL, checkpoint_manager_blocking_start_time REAL,
        checkpoint_manager_blocking_duration_secs REAL, checkpointer_start_time REAL, checkpointer_duration_secs REAL,
        checkpoint_manager_start_time REAL, checkpoint_manager_duration_secs REAL, broadcast_start_time REAL,
        broadcast_duration_secs REAL, rest TEXT, timestamp TEXT, time_ns BIGINT, insertId TEXT, duplicate BIGINT, path TEXT hidden,
        on_error TEXT hidden, threads hidden, _file TEXT hidden, _line BIGINT hidden""",
    "goodput_report": """job TEXT, goodput_pct REAL, productive_s REAL, total_job_time_s REAL, max_productive_step BIGINT,
        last_recorded_step BIGINT, disruption_count BIGINT, tpu_initialization_s REAL, training_prep_s REAL,
        program_startup_s REAL, data_loading_sync_s REAL, data_loading_async_s REAL, unproductive_checkpoint_save_time_s REAL,
        unproductive_checkpoint_restore_time_s REAL, wasted_progress_from_disruption_s REAL,
        infrastructure_recovery_from_disruption_s REAL, elastic_slice_down_s REAL, elastic_scale_up_s REAL,
        elastic_reinitialization_s REAL, other_s REAL, custom_badput_events TEXT, stepping_slice_efficiency REAL,
        available_slice_efficiency REAL, ideal_step_time_s REAL, step_times BIGINT, mean_abs_deviation_s REAL,
        max_abs_deviation_s REAL, baseline_metric_cumulative REAL, baseline_metric_interval REAL,
        abs_deviation_s_by_step TEXT, step_deviation_error TEXT, rows BIGINT, error TEXT, path TEXT hidden, query_time hidden,
        start_time hidden, end_time hidden, on_error TEXT hidden""",
    "csv_trace": """record TEXT, path TEXT hidden, delimiter TEXT hidden, header hidden, names TEXT hidden, types TEXT hidden, nulls TEXT hidden, quote TEXT hidden,
        zone TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "jsonl_trace": """record TEXT, path TEXT hidden, columns TEXT hidden, types TEXT hidden, nulls TEXT hidden, zone TEXT hidden, on_error TEXT hidden,
        _file TEXT hidden, _line BIGINT hidden""",
    "chrome_trace": """ph TEXT, name TEXT, cat TEXT, ts REAL, dur REAL, start_ns BIGINT, dur_ns BIGINT, end_ns BIGINT, pid, tid, id,
        s TEXT, bp TEXT, step TEXT, process_name TEXT, process_labels TEXT, thread_name TEXT, rank BIGINT,
        external_id BIGINT, correlation BIGINT, device BIGINT, context BIGINT, stream BIGINT, queued BIGINT,
        grid TEXT, block TEXT, shared_memory BIGINT, registers_per_thread BIGINT, blocks_per_sm REAL,
        warps_per_sm REAL, occupancy_percent REAL, bytes BIGINT, bandwidth_gb_s REAL, input_dims TEXT, input_type TEXT,
        input_strides TEXT, concrete_inputs TEXT, sequence_number BIGINT, fwd_thread_id BIGINT, python_id BIGINT,
        python_parent_id BIGINT, collective TEXT, in_nelems BIGINT, out_nelems BIGINT, dtype TEXT, group_size BIGINT,
        process_group TEXT, process_group_ranks TEXT, flops REAL, model_flops REAL, bytes_accessed BIGINT,
        raw_bytes_accessed BIGINT, hlo_category TEXT, hlo_op TEXT, hlo_module TEXT, tf_op TEXT, run_id TEXT,
        group_id BIGINT, device_offset_ps BIGINT, device_duration_ps BIGINT, args TEXT, event TEXT,
        path TEXT hidden, on_error TEXT hidden, threads hidden, _file TEXT hidden, _line BIGINT hidden""",
    "chrome_trace_info": """events BIGINT, rank BIGINT, world_size BIGINT, base_time_ns BIGINT, devices TEXT, distributed TEXT,
        properties TEXT, path TEXT hidden, on_error TEXT hidden, threads hidden, _file TEXT hidden, _line BIGINT hidden""",
    "xplane_trace": """plane TEXT, plane_id BIGINT, line TEXT, line_id BIGINT, line_display_name TEXT, name TEXT, display_name TEXT,
        metadata_id BIGINT, start_ns BIGINT, end_ns BIGINT, timestamp_ns BIGINT, offset_ps BIGINT, duration_ps BIGINT, occurrences BIGINT,
        group_id BIGINT, step_num BIGINT, step_name TEXT, run_id , hlo_op TEXT, hlo_module TEXT, program_id , hlo_category TEXT,
        tf_op TEXT, op_name TEXT, source TEXT, flops BIGINT, model_flops BIGINT, bytes_accessed BIGINT, raw_bytes_accessed BIGINT,
        correlation_id , device_id BIGINT, device_ordinal BIGINT, kernel_details TEXT, memcpy_details TEXT, memset_details TEXT,
        nvtx_range TEXT, cuda_graph_id BIGINT, device_offset_ps BIGINT, device_duration_ps BIGINT, stats TEXT, plane_stats TEXT,
        path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "xplane_planes": """plane TEXT, plane_id BIGINT, lines BIGINT, events BIGINT, event_names BIGINT, stat_names BIGINT, stats TEXT,
        hostnames TEXT, path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "tfevents_trace": """wall_time REAL, step BIGINT, kind TEXT, tag TEXT, value REAL, text TEXT, plugin TEXT, file_version TEXT,
        path TEXT hidden, on_error TEXT hidden, _file TEXT hidden, _line BIGINT hidden""",
    "hlo_trace": """module TEXT, computation TEXT, name TEXT, opcode TEXT, dtype TEXT, shape TEXT, op_name TEXT, executions BIGINT,
        trip_count BIGINT, flops BIGINT, transcendentals BIGINT, bytes BIGINT, collective_bytes BIGINT, wire_bytes BIGINT, ranks BIGINT,
        replica_groups TEXT, multiply TEXT, dtype_class TEXT, precision TEXT, custom_call_target TEXT, cost_known BIGINT, op_flops BIGINT,
        op_transcendentals BIGINT, op_bytes BIGINT, output_bytes BIGINT, operand_bytes TEXT, path TEXT hidden, on_error TEXT hidden,
        _file TEXT hidden, _line BIGINT hidden""",
    "hlo_cost": """module TEXT, entry TEXT, computations BIGINT, instructions BIGINT, flops BIGINT, matmul_flops BIGINT,
        matmul_by_dtype TEXT, transcendentals BIGINT, bytes BIGINT, parameter_bytes BIGINT, result_bytes BIGINT,
        collective_bytes BIGINT, wire_bytes BIGINT, num_partitions BIGINT, replica_count BIGINT, devices BIGINT, scope TEXT,
        scope_evidence TEXT, coverage REAL, custom_calls TEXT, unknown_costs TEXT, trip_counts TEXT, path TEXT hidden, on_error TEXT hidden,
        _file TEXT hidden, _line BIGINT hidden""",
    "csv_rollup": """record TEXT, path TEXT hidden, measures TEXT hidden, by TEXT hidden, delimiter TEXT hidden, header hidden, names TEXT hidden, types TEXT hidden,
        nulls TEXT hidden, quote TEXT hidden, zone TEXT hidden, on_error TEXT hidden, threads hidden""",
    "jsonl_rollup": """record TEXT, path TEXT hidden, measures TEXT hidden, by TEXT hidden, columns TEXT hidden, types TEXT hidden, nulls TEXT hidden, zone TEXT hidden,
        on_error TEXT hidden, threads hidden""",
    "mpg_limits": "name TEXT, value BIGINT, standard BIGINT, most BIGINT, meaning TEXT",
    "mpg_issues": "source TEXT, severity TEXT, kind TEXT, line BIGINT, count BIGINT, detail TEXT",
}
COLUMNS |= {table.name: table.declared for table in table_functions.every()}


def added(query):
    return set(connect().execute(query)) - set(sqlite3.connect(":memory:").execute(query))
