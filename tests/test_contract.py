"""What the extension adds to SQLite, exactly: names, arguments, flags, columns; and what it keeps hostile schemas from."""
import os
import re
import sqlite3
import tempfile
import unittest

from fleets import ROOT, al, cap, connect, fleet, quote, write_csv

DETERMINISTIC, DIRECTONLY, INNOCUOUS = 0x800, 0x80000, 0x200000
PURE = DETERMINISTIC | INNOCUOUS

GOODPUT = ["scheduling_goodput", "runtime_goodput", "program_goodput", "mpg", "mpg_lower", "runtime_coverage",
           "program_coverage", "occupancy", "mfu", "ettr", "goodput", "goodput_state"]
# (name, arguments, type: scalar, aggregate or window function, flags)
FUNCTIONS = {(name, n, "w", PURE) for name in GOODPUT for n in (1, 2, 4)} | {("goodput_merge", 1, "w", PURE)}
FUNCTIONS |= {("roofline_ideal", n, "w", PURE) for n in (2, 3, 4)}
FUNCTIONS |= {(name, n, "s", PURE) for name in ("roofline_seconds", "roofline_bound") for n in (2, 3, 4)}
FUNCTIONS |= {("chip_peak_flops", 1, "s", PURE), ("chip_peak_flops", 2, "s", PURE), ("chip_bandwidth", 1, "s", PURE)}
FUNCTIONS |= {("interval_union", 2, "a", PURE), ("interval_overlap", 3, "a", PURE), ("all_up", 3, "a", PURE), ("peak_concurrency", 2, "a", PURE)}
FUNCTIONS |= {("mpg_version", 0, "s", PURE), ("mpg_debug", 0, "s", INNOCUOUS), ("mpg_uuid", 2, "s", PURE)}
FUNCTIONS |= {("mpg_keep", n, "s", DIRECTONLY) for n in (0, 1)}

READERS = ["trace_ledger", "trace_rollup", "trace_timeline", "slurm_trace", "slurm_events_trace", "mllog_trace",
           "pbs_trace", "swf_trace", "goodput_trace", "goodput_report"]
TABLES = READERS + ["mpg_ledger", "mpg_rollup", "mpg_timeline", "mpg_chips", "mpg_categories", "mpg_issues", "interval_buckets"]

DIMENSIONS = """pool TEXT, chip TEXT, job TEXT, attempt BIGINT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT,
    model TEXT, size TEXT, priority TEXT, labels TEXT, category TEXT, cause TEXT"""
OPTIONS = """bucket_width hidden, since hidden, until hidden, as_of hidden, basis hidden, sizes hidden, roofline hidden,
    on_error hidden, threads hidden"""
SHAPES = {
    "ledger": DIMENSIONS + ", start_time REAL, end_time REAL, bucket TEXT, chip_us BIGINT, chip_seconds REAL",
    "rollup": DIMENSIONS + ", bucket TEXT, chip_us BIGINT, chip_seconds REAL, intervals BIGINT",
    "timeline": """job TEXT, attempt BIGINT, start_time REAL, end_time REAL, category TEXT, cause TEXT, kind TEXT, step BIGINT,
        program TEXT, pool TEXT, chip TEXT, bucket TEXT, chip_us BIGINT, chip_seconds REAL, _file TEXT, _line BIGINT""",
}
SLURM = "path hidden, zone hidden, columns hidden, delimiter hidden, on_error hidden, _file TEXT hidden, _line BIGINT hidden"
COLUMNS = {
    "trace_ledger": f"{SHAPES['ledger']}, path hidden, {OPTIONS}",
    "trace_rollup": f"{SHAPES['rollup']}, path hidden, {OPTIONS}",
    "trace_timeline": f"{SHAPES['timeline']}, path hidden, of_job hidden, {OPTIONS}",
    "mpg_ledger": f"{SHAPES['ledger']}, schema hidden, {OPTIONS}",
    "mpg_rollup": f"{SHAPES['rollup']}, schema hidden, {OPTIONS}",
    "mpg_timeline": f"{SHAPES['timeline']}, of_job hidden, schema hidden, {OPTIONS}",
    "mpg_chips": """chip TEXT, vendor TEXT, year BIGINT, dtype TEXT, peak_flops REAL, hbm_bytes BIGINT, hbm_bytes_per_s REAL,
        ici_bytes_per_s REAL, tdp_w REAL, source TEXT, aliases TEXT""",
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
    "mllog_trace": """namespace TEXT, time_ms BIGINT, event_type TEXT, key TEXT, value TEXT, value_number REAL, file TEXT, lineno BIGINT,
        step BIGINT, step_num BIGINT, samples_count BIGINT, epoch_num BIGINT, first_epoch_num BIGINT, epoch_count BIGINT, status TEXT,
        metadata TEXT, prefix TEXT, path hidden, on_error hidden, _file TEXT hidden, _line BIGINT hidden""",
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
        path hidden, zone hidden, on_error hidden, _file TEXT hidden, _line BIGINT hidden""",
    "swf_trace": """job_number BIGINT, submit_time REAL, wait_time REAL, run_time REAL, allocated_processors BIGINT,
        average_cpu_time REAL, used_memory REAL, requested_processors BIGINT, requested_time REAL,
        requested_memory REAL, status BIGINT, user_id BIGINT, group_id BIGINT, executable_number BIGINT,
        queue_number BIGINT, partition_number BIGINT, preceding_job_number BIGINT, think_time REAL,
        unix_start_time BIGINT, max_procs BIGINT, max_nodes BIGINT, computer TEXT, header TEXT, submit_unix REAL,
        start_unix REAL, end_unix REAL, outcome TEXT,
        path hidden, on_error hidden, _file TEXT hidden, _line BIGINT hidden""",
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
        broadcast_duration_secs REAL, rest TEXT, timestamp TEXT, time_ns BIGINT, insertId TEXT, duplicate BIGINT, path hidden,
        on_error hidden, _file TEXT hidden, _line BIGINT hidden""",
    "goodput_report": """job TEXT, goodput_pct REAL, productive_s REAL, total_job_time_s REAL, max_productive_step BIGINT,
        last_recorded_step BIGINT, disruption_count BIGINT, tpu_initialization_s REAL, training_prep_s REAL,
        program_startup_s REAL, data_loading_sync_s REAL, data_loading_async_s REAL, unproductive_checkpoint_save_time_s REAL,
        unproductive_checkpoint_restore_time_s REAL, wasted_progress_from_disruption_s REAL,
        infrastructure_recovery_from_disruption_s REAL, elastic_slice_down_s REAL, elastic_scale_up_s REAL,
        elastic_reinitialization_s REAL, other_s REAL, custom_badput_events TEXT, stepping_slice_efficiency REAL,
        available_slice_efficiency REAL, ideal_step_time_s REAL, step_times BIGINT, mean_abs_deviation_s REAL,
        max_abs_deviation_s REAL, baseline_metric_cumulative REAL, baseline_metric_interval REAL,
        abs_deviation_s_by_step TEXT, step_deviation_error TEXT, rows BIGINT, error TEXT, path hidden, query_time hidden,
        start_time hidden, end_time hidden, on_error hidden""",
    "mpg_issues": "source TEXT, severity TEXT, kind TEXT, line BIGINT, count BIGINT, detail TEXT",
}


def added(query):
    return set(connect().execute(query)) - set(sqlite3.connect(":memory:").execute(query))


class Names(unittest.TestCase):
    maxDiff = None

    def test_functions(self):
        found = {(name, narg, kind, flags & (DETERMINISTIC | DIRECTONLY | INNOCUOUS))
                 for name, narg, kind, flags in added("SELECT name, narg, type, flags FROM pragma_function_list")}
        self.assertEqual(sorted(FUNCTIONS), sorted(found))

    def test_modules(self):
        self.assertEqual(sorted(TABLES), sorted(name for name, in added("SELECT name FROM pragma_module_list")))

    def test_nothing_else(self):
        for pragma in ("pragma_collation_list", "pragma_database_list"):
            self.assertEqual(set(), {row[1] for row in added(f"SELECT * FROM {pragma}")})

    def test_columns(self):
        self.assertEqual(sorted(TABLES), sorted(COLUMNS))
        for table, columns in COLUMNS.items():
            expected = []
            for column in re.split(r",\s*", columns):
                name, _, kind = column.partition(" ")
                expected.append((name, kind.removesuffix("hidden").strip(), int(kind.endswith("hidden"))))
            found = connect().execute("SELECT name, type, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
            self.assertEqual(expected, found, table)

    def test_loaded_twice(self):
        db = connect()
        db.execute("CREATE TABLE t(c, v)")
        cursor = db.execute("SELECT mpg_version() UNION ALL SELECT 1 UNION ALL SELECT 2")
        cursor.fetchone()
        db.load_extension(os.path.join(ROOT, "mpg"))
        self.assertEqual([(1,), (2,)], cursor.fetchall())
        self.assertEqual((1.0,), db.execute("SELECT mpg('ideal', 1)").fetchone())


class Security(unittest.TestCase):
    """What a database file that somebody else wrote may do with the extension loaded."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = write_csv(cls.folder.name, fleet(cap(2, 0, 10), al(1, 0, 10)))
        cls.calls = {table: f"{table}({quote(cls.path)}{', 1' if 'timeline' in table else ''})" for table in READERS}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def connect(self, trusted):
        db = connect()
        db.execute(f"PRAGMA trusted_schema = {trusted}")
        return db

    def test_readers_in_views(self):
        for trusted in (0, 1):
            for table, call in self.calls.items():
                db = self.connect(trusted)
                db.execute(f"CREATE VIEW v AS SELECT * FROM {call}")
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("SELECT * FROM v")
                db.execute("CREATE TEMP VIEW w AS SELECT * FROM main.v")
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("SELECT * FROM w")

    def test_readers_in_triggers(self):
        for trusted in (0, 1):
            for table, call in self.calls.items():
                db = self.connect(trusted)
                db.execute("CREATE TABLE t(a)")
                db.execute(f"CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t WHERE a IN (SELECT 1 FROM {call}); END")
                with self.assertRaisesRegex(sqlite3.OperationalError, f'^unsafe use of virtual table "{table}"$'):
                    db.execute("INSERT INTO t VALUES (1)")

    def test_readers_of_ones_own(self):
        """At the top level, in common table expressions, temporary views and copies they work."""
        for trusted in (0, 1):
            db = self.connect(trusted)
            call = self.calls["trace_ledger"]
            db.execute(f"CREATE TEMP VIEW w AS SELECT * FROM {call}")
            db.execute(f"CREATE TABLE t AS SELECT * FROM {call}")
            for query in ("w", "t", call, f"(SELECT * FROM {call})"):
                self.assertEqual((20_000_000,), db.execute(f"SELECT sum(chip_us) FROM {query}").fetchone())
            self.assertEqual((20_000_000,), db.execute(f"WITH c AS (SELECT * FROM {call}) SELECT sum(chip_us) FROM c").fetchone())

    def test_functions_in_schemas(self):
        """Pure ones work everywhere, even in what nobody trusts."""
        db = self.connect(0)
        db.execute("CREATE TABLE t(category, us, peak GENERATED ALWAYS AS (chip_peak_flops(category)) VIRTUAL)")
        db.execute("CREATE INDEX i ON t(mpg_uuid('dns', category))")
        db.execute("INSERT INTO t VALUES ('tpu-v4', 1)")
        self.assertEqual((2.75e14,), db.execute("SELECT peak FROM t").fetchone())
        db.execute("CREATE VIEW v AS SELECT mpg('ideal', us) AS mpg, interval_union(0, us) AS covered FROM t")
        self.assertEqual((1.0, 1), db.execute("SELECT * FROM v").fetchone())

    def test_tables_over_the_database(self):
        """The ledger over relations reads the database alone: at home in a view that is trusted."""
        db = self.connect(1)
        db.execute("CREATE TABLE capacity(pool, chips, start_time, end_time)")
        db.execute("INSERT INTO capacity VALUES ('p', 2, 0, 10)")
        db.execute("CREATE VIEW v AS SELECT * FROM mpg_rollup")
        self.assertEqual((20_000_000,), db.execute("SELECT sum(chip_us) FROM v").fetchone())

    def test_nothing_is_opened_before_the_query_runs(self):
        db = connect()
        for table, call in self.calls.items():
            missing = call.replace(self.path, self.path + "/missing")
            self.assertGreater(len(db.execute(f"EXPLAIN SELECT * FROM {missing}").fetchall()), 0)
            self.assertGreater(len(db.execute(f"EXPLAIN QUERY PLAN SELECT * FROM {missing}").fetchall()), 0)
            db.execute(f"CREATE VIEW v_{table} AS SELECT * FROM {missing}")
            with self.assertRaisesRegex(sqlite3.OperationalError, "missing"):
                db.execute(f"SELECT * FROM {missing}").fetchall()

    def test_eponymous_only(self):
        for table in TABLES:
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^no such module: {table}$"):
                connect().execute(f"CREATE VIRTUAL TABLE x USING {table}")

    def test_read_only(self):
        for table in TABLES:
            with self.assertRaisesRegex(sqlite3.OperationalError, f"^table {table} may not be modified$"):
                connect().execute(f"DELETE FROM {table}")

    def test_a_missing_path(self):
        for table in ("trace_ledger", "trace_rollup", "trace_timeline"):
            with self.assertRaisesRegex(sqlite3.OperationalError, rf"^{table}: .*path"):
                connect().execute(f"SELECT * FROM {table}").fetchall()

    def test_a_null_argument_gives_no_rows(self):
        db = connect()
        self.assertEqual([], db.execute("SELECT * FROM trace_ledger(NULL)").fetchall())
        self.assertEqual([], db.execute("SELECT * FROM trace_rollup(NULL, '1 day')").fetchall())
        self.assertEqual([], db.execute("SELECT * FROM interval_buckets(0, NULL, 1)").fetchall())


if __name__ == "__main__":
    unittest.main()
