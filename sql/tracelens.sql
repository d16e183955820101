-- tracelens.sql - the figures of AMD's TraceLens, by its own rules, over device_activity: TEMP views.
--
-- Read it after sql/device.sql and sql/formats/kineto.sql. Its rules, told in docs/device-activity.md: nothing is
-- rounded; only activities whose launch is in the trace count, so that what an earlier step left over does not; memset
-- is computation; communication is a name with "nccl" in it. Times are doubles of microseconds, as TraceLens adds
-- them up, and so equal to its own to the last bit.
--
--     tracelens_timeline       as gpu_timeline.csv
--     tracelens_ops            as ops_summary.csv: the time of kernels by the operator that launched them
--     tracelens_work           as GEMM.csv: FLOPs, traffic and rates of matrix products, convolutions and attention
--
--@ uses device
--@ argument path :path FILES profiles: a file, glob, folder or fleet file
--@ argument chip_name :chip TEXT what the devices are, if the profile does not tell: a name or alias of mpg_chips
--@ argument step_names :step TEXT a GLOB over the program's ranges that are steps, if theirs is not among the usual names

-- TraceLens reads a file of each rank. Of ranks in one file that are told by a label alone ([TP00] 70, [70] 0) it is the file with the
-- label.
CREATE TEMP VIEW IF NOT EXISTS tracelens_events AS
SELECT a.trace || iif(a.rank IS NOT NULL, '',
                      coalesce(CASE WHEN a.process GLOB '[[]*] *' THEN ' ' || substr(a.process, 1, instr(a.process, ']')) END,
                               CASE WHEN a.device GLOB '[[]*] *' THEN ' ' || substr(a.device, 1, instr(a.device, ']')) END, '')) AS trace,
       a.trace AS file, a.rank, a.name, a.op, a.kind, a.process, a.launch_thread,
       CASE WHEN a.kind = 'memcpy' THEN 'memcpy' WHEN lower(a.name) LIKE '%nccl%' THEN 'comm' ELSE 'comp' END AS part,
       (a.start_ns - t.base_ns) / 1000 + (a.start_ns - t.base_ns) % 1000 / 1000.0 AS ts,
       (a.start_ns - t.base_ns) / 1000 + (a.start_ns - t.base_ns) % 1000 / 1000.0 + (a.end_ns - a.start_ns) / 1000.0 AS end,
       a.launch_ns
FROM device_activity AS a JOIN device_traces AS t USING (trace)
WHERE a.launch_ns IS NOT NULL AND a.kind <> 'sync';

--@ table trace_tracelens_timeline tracelens_timeline TraceLens: as its gpu_timeline.csv
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column place BIGINT - the order of rows in that file
--@ column type TEXT - computation_time, exposed_comm_time, ...
--@ column time_ms REAL ms
--@ column percent REAL % of the total
CREATE TEMP VIEW IF NOT EXISTS tracelens_timeline AS
WITH unions AS (
  SELECT trace, rank, max(end) - min(ts) AS total, interval_union(ts, end) AS busy,
         coalesce(interval_union(ts, end) FILTER (WHERE part = 'comp'), 0.0) AS comp,
         coalesce(interval_union(ts, end) FILTER (WHERE part = 'comm'), 0.0) AS comm,
         coalesce(interval_union(ts, end) FILTER (WHERE part = 'memcpy'), 0.0) AS memcpy,
         coalesce(interval_union(ts, end) FILTER (WHERE part <> 'memcpy'), 0.0) AS comp_or_comm
  FROM tracelens_events GROUP BY trace, rank
),
rows AS (
  SELECT trace, rank, total, 1 AS place, 'computation_time' AS type, comp AS us FROM unions
  UNION ALL SELECT trace, rank, total, 2, 'exposed_comm_time', comp_or_comm - comp FROM unions
  UNION ALL SELECT trace, rank, total, 3, 'exposed_memcpy_time', busy - comp_or_comm FROM unions
  UNION ALL SELECT trace, rank, total, 4, 'busy_time', busy FROM unions
  UNION ALL SELECT trace, rank, total, 5, 'idle_time', total - busy FROM unions
  UNION ALL SELECT trace, rank, total, 6, 'total_time', total FROM unions
  UNION ALL SELECT trace, rank, total, 7, 'total_comm_time', comm FROM unions
  UNION ALL SELECT trace, rank, total, 8, 'total_memcpy_time', memcpy FROM unions
)
SELECT trace, rank, place, type, us / 1e3 AS time_ms, us / total * 100 AS percent FROM rows;

--@ table trace_tracelens_ops tracelens_ops TraceLens: as its ops_summary.csv, the time of kernels by the operator that launched them
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column name TEXT - the operator
--@ column total_direct_kernel_time REAL us
--@ column percentage REAL %
CREATE TEMP VIEW IF NOT EXISTS tracelens_ops AS
WITH sums AS (
  SELECT trace, rank, op, launch_thread, sum(end - ts) AS us FROM tracelens_events GROUP BY trace, rank, op
)
SELECT trace, rank, op AS name, us AS total_direct_kernel_time, us / sum(us) OVER (PARTITION BY trace, rank) * 100 AS percentage
FROM sums;

-- As GEMM.csv and the priced rows of unified_perf_summary.csv: by operator and shapes. MB are MiB; rates are means of the
-- rates of the calls, and not rates of the sums.
--@ table trace_tracelens_work tracelens_work TraceLens: as its GEMM.csv, FLOPs, traffic and rates of matrix products, convolutions and attention
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column name TEXT - the operator
--@ column input_dims TEXT - JSON
--@ column input_type TEXT - JSON
--@ column name_count BIGINT - calls
--@ column gflops REAL GFLOP of a call
--@ column data_moved_mb REAL MiB of a call
--@ column flops_per_byte REAL flops/byte
--@ column tb_per_s_mean REAL TB/s
--@ column tb_per_s_min REAL TB/s
--@ column tb_per_s_max REAL TB/s
--@ column tflops_per_s_mean REAL TFLOP/s
--@ column tflops_per_s_min REAL TFLOP/s
--@ column tflops_per_s_max REAL TFLOP/s
--@ column kernel_time_us_mean REAL us
--@ column kernel_time_us_min REAL us
--@ column kernel_time_us_max REAL us
--@ column kernel_time_us_sum REAL us
CREATE TEMP VIEW IF NOT EXISTS tracelens_work AS
WITH calls AS (
  SELECT max(e.trace) AS trace, o.rank, o.op, o.shapes, o.dtypes, o.flops, o.bytes, interval_union(e.ts, e.end) AS us
  FROM device_operators AS o JOIN tracelens_events AS e
    ON e.file = o.trace AND e.process IS o.process AND e.launch_thread = o.thread AND e.launch_ns BETWEEN o.start_ns AND o.end_ns
  GROUP BY o.rowid
)
SELECT trace, rank, op AS name, shapes AS input_dims, dtypes AS input_type, count(*) AS name_count, flops / 1e9 AS gflops,
       bytes / 1048576.0 AS data_moved_mb, flops / bytes AS flops_per_byte,
       avg(bytes / us / 1e6) AS tb_per_s_mean, min(bytes / us / 1e6) AS tb_per_s_min, max(bytes / us / 1e6) AS tb_per_s_max,
       avg(flops / us / 1e6) AS tflops_per_s_mean, min(flops / us / 1e6) AS tflops_per_s_min,
       max(flops / us / 1e6) AS tflops_per_s_max,
       avg(us) AS kernel_time_us_mean, min(us) AS kernel_time_us_min, max(us) AS kernel_time_us_max,
       sum(us) AS kernel_time_us_sum
FROM calls
GROUP BY trace, rank, op, shapes, dtypes, flops, bytes;
