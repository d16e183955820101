-- hta.sql - the figures of HolisticTraceAnalysis (HTA), by its own rules, over device_activity: TEMP views.
--
-- Read it after sql/device.sql and a mapping. The rules, which differ from those of device_views.sql, are those of HTA
-- at commit f4d0062c, told in docs/device-activity.md. Times are whole microseconds, as HTA rounds them: a start up, an
-- end down.
--
--     hta_temporal_breakdown, hta_overlap, hta_kernel_types, hta_kernels, hta_idle, hta_launches, hta_launch_stats,
--     hta_op_kernels, hta_queue, hta_queue_length, hta_bandwidth, hta_bandwidth_summary, hta_annotations
--
--@ uses device
--@ argument path :path FILES profiles: a file, glob, folder or fleet file
--@ argument chip_name :chip TEXT what the devices are, if the profile does not tell: a name or alias of mpg_chips
--@ argument step_names :step TEXT a GLOB over the program's ranges that are steps, if theirs is not among the usual names

-- HTA reads a file of each rank. Of ranks in one file that are told by a label alone ([TP00] 70, [70] 0) it is the file with the label.
CREATE TEMP VIEW IF NOT EXISTS hta_labelled AS
SELECT rowid AS id, iif(rank IS NOT NULL, '',
                        coalesce(CASE WHEN process GLOB '[[]*] *' THEN ' ' || substr(process, 1, instr(process, ']')) END,
                                 CASE WHEN device GLOB '[[]*] *' THEN ' ' || substr(device, 1, instr(device, ']')) END, '')) AS label, *
FROM device_activity;

-- Times as HTA has them: doubles of microseconds from the start that the trace counts from.
CREATE TEMP VIEW IF NOT EXISTS hta_times AS
SELECT a.id, a.trace || a.label AS trace, a.rank, a.device, a.stream, a.kind, a.name, a.correlation, a.launch_name, a.launch_thread, a.op,
       a.gb_per_s,
       (a.start_ns - t.base_ns) / 1000 + (a.start_ns - t.base_ns) % 1000 / 1000.0 AS ts,
       (a.end_ns - a.start_ns) / 1000.0 AS dur,
       (a.launch_ns - t.base_ns) / 1000 + (a.launch_ns - t.base_ns) % 1000 / 1000.0 AS launch_ts,
       (a.launch_end_ns - a.launch_ns) / 1000.0 AS launch_dur,
       (a.op_ns - t.base_ns) / 1000 + (a.op_ns - t.base_ns) % 1000 / 1000.0 AS op_ts
FROM hta_labelled AS a JOIN device_traces AS t ON t.trace = a.trace
WHERE a.stream IS NOT NULL;

-- Where the last of several steps begins on the host. HTA leaves out what the host did from there on, and what the
-- devices did that was not launched before.
CREATE TEMP VIEW IF NOT EXISTS hta_last_step AS
SELECT a.trace || a.label AS trace, a.rank, max(s.start_ns) AS last_ns,
       ceil(max((s.start_ns - t.base_ns) / 1000 + (s.start_ns - t.base_ns) % 1000 / 1000.0)) AS last_us
FROM (SELECT DISTINCT trace, rank, label FROM hta_labelled UNION SELECT DISTINCT trace, rank, '' FROM device_activity) AS a
JOIN device_steps AS s ON s.trace = a.trace AND (s.rank IS a.rank OR s.rank IS NULL)
  AND (a.label = '' OR s.process IS NULL OR substr(' ' || s.process, 1, length(a.label)) = a.label OR a.label = ' [' || s.process || ']')
JOIN device_traces AS t ON t.trace = s.trace
WHERE s.side = 'host'
GROUP BY a.trace || a.label, a.rank HAVING count(DISTINCT s.step) > 1;

CREATE TEMP VIEW IF NOT EXISTS hta_events AS
SELECT e.trace, e.rank, e.device, e.stream, e.kind, e.name, e.correlation, e.launch_name, e.launch_thread, e.op, e.gb_per_s, e.id,
       CAST(ceil(e.ts) AS INTEGER) AS start_us, CAST(floor(e.ts + e.dur) AS INTEGER) AS end_us,
       CAST(ceil(e.launch_ts) AS INTEGER) AS launch_us, CAST(floor(e.launch_ts + e.launch_dur) AS INTEGER) AS launch_end_us,
       CAST(ceil(e.op_ts) AS INTEGER) AS op_us,
       CASE
         WHEN e.name GLOB 'nccl*Kernel*' OR e.name GLOB '*hccl*' THEN 'COMMUNICATION'
         WHEN e.name GLOB 'Memcpy*' OR e.name GLOB 'Memset*' OR e.name GLOB 'dma*' THEN 'MEMORY'
         WHEN e.kind = 'sync' OR e.name GLOB '*Sync*' OR e.name GLOB '*Memcpy*' THEN 'OTHER'
         ELSE 'COMPUTATION'
       END AS kernel_type
FROM hta_times AS e LEFT JOIN hta_last_step AS l ON l.trace = e.trace AND l.rank IS e.rank
WHERE l.last_us IS NULL OR ceil(e.launch_ts) < l.last_us;

CREATE TEMP VIEW IF NOT EXISTS hta_unions AS
SELECT trace, rank, min(start_us) AS first_us, max(end_us) AS last_us,
       interval_union(start_us, max(start_us, end_us)) AS busy,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type = 'COMPUTATION'), 0) AS c,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type = 'COMMUNICATION'), 0) AS k,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type = 'MEMORY'), 0) AS m,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type IN ('COMPUTATION', 'COMMUNICATION')), 0) AS ck,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type IN ('COMPUTATION', 'MEMORY')), 0) AS cm,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type IN ('COMMUNICATION', 'MEMORY')), 0) AS km,
       coalesce(interval_union(start_us, max(start_us, end_us)) FILTER (WHERE kernel_type <> 'OTHER'), 0) AS ckm
FROM hta_events
GROUP BY trace, rank;

--@ table trace_hta_temporal_breakdown hta_temporal_breakdown HTA: idle, compute and other time of each device
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column idle_time BIGINT us
--@ column compute_time BIGINT us
--@ column non_compute_time BIGINT us busy, and no computation
--@ column kernel_time BIGINT us from the first to the last
--@ column idle_time_pctg REAL %
--@ column compute_time_pctg REAL %
--@ column non_compute_time_pctg REAL %
CREATE TEMP VIEW IF NOT EXISTS hta_temporal_breakdown AS
SELECT trace, rank, last_us - first_us - busy AS idle_time, c AS compute_time, busy - c AS non_compute_time,
       last_us - first_us AS kernel_time,
       round(100.0 * (last_us - first_us - busy) / (last_us - first_us), 2) AS idle_time_pctg,
       round(100.0 * c / (last_us - first_us), 2) AS compute_time_pctg,
       round(100.0 * (busy - c) / (last_us - first_us), 2) AS non_compute_time_pctg
FROM hta_unions;

--@ table trace_hta_overlap hta_overlap HTA: how much communication is under computation
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column comp_comm_overlap_pctg REAL % of communication
CREATE TEMP VIEW IF NOT EXISTS hta_overlap AS
SELECT trace, rank, round(100.0 * (c + k - ck) / nullif(k, 0), 2) AS comp_comm_overlap_pctg FROM hta_unions;

--@ table trace_hta_kernel_types hta_kernel_types HTA: time by type of kernel, and of their overlaps
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column kernel_type TEXT - COMPUTATION, COMMUNICATION, MEMORY, or those that overlap
--@ column sum BIGINT us
--@ column percentage REAL %
CREATE TEMP VIEW IF NOT EXISTS hta_kernel_types AS
WITH unions AS MATERIALIZED (SELECT * FROM hta_unions),
parts AS (
  SELECT trace, rank, 'COMPUTATION' AS kernel_type, ckm - km AS us FROM unions
  UNION ALL SELECT trace, rank, 'COMMUNICATION', ckm - cm FROM unions
  UNION ALL SELECT trace, rank, 'MEMORY', ckm - ck FROM unions
  UNION ALL SELECT trace, rank, 'COMPUTATION overlapping COMMUNICATION', cm + km - m - ckm FROM unions
  UNION ALL SELECT trace, rank, 'COMPUTATION overlapping MEMORY', ck + km - k - ckm FROM unions
  UNION ALL SELECT trace, rank, 'COMMUNICATION overlapping MEMORY', ck + cm - c - ckm FROM unions
  UNION ALL SELECT trace, rank, 'COMPUTATION overlapping COMMUNICATION overlapping MEMORY', c + k + m - ck - cm - km + ckm
            FROM unions
)
SELECT trace, rank, kernel_type, us AS sum, round(100.0 * us / sum(us) OVER (PARTITION BY trace, rank), 1) AS percentage
FROM parts WHERE us > 0;

-- Kernels by name. Of more than ten names of a type, the tenth and below, and those above 80 % of the running sums
-- (the quantile of the running sums themselves), become "others": statistics of their sums.
--@ table trace_hta_kernels hta_kernels HTA: the kernels that take most, and all others
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column kernel_type TEXT - as of trace_hta_kernel_types
--@ column name TEXT - of the kernel, or others
--@ column sum BIGINT us
--@ column max BIGINT us
--@ column min BIGINT us
--@ column mean REAL us
--@ column stddev REAL us
CREATE TEMP VIEW IF NOT EXISTS hta_kernels AS
WITH sums AS (
  SELECT trace, rank, kernel_type, name, sum(end_us - start_us) AS sum, max(end_us - start_us) AS max,
         min(end_us - start_us) AS min, count(*) AS n, sum((end_us - start_us) * (end_us - start_us)) AS squares
  FROM hta_events WHERE kernel_type <> 'OTHER' GROUP BY trace, rank, kernel_type, name
),
running AS (
  SELECT *, count(*) OVER (PARTITION BY trace, rank, kernel_type) AS names,
         row_number() OVER (PARTITION BY trace, rank, kernel_type ORDER BY sum DESC, name) - 1 AS place,
         sum(sum) OVER (PARTITION BY trace, rank, kernel_type ORDER BY sum DESC, name ROWS UNBOUNDED PRECEDING) AS total
  FROM sums
),
quantile AS (
  SELECT trace, rank, kernel_type,
         max(total) FILTER (WHERE place = CAST(0.8 * (names - 1) AS INTEGER)) AS low,
         max(total) FILTER (WHERE place = CAST(0.8 * (names - 1) AS INTEGER) + 1) AS high,
         0.8 * (max(names) - 1) - CAST(0.8 * (max(names) - 1) AS INTEGER) AS part
  FROM running GROUP BY trace, rank, kernel_type
),
named AS (
  SELECT r.*, names > 10 AND (place >= 10 OR total > low + part * (coalesce(high, low) - low)) AS other
  FROM running AS r JOIN quantile AS q ON q.trace = r.trace AND q.rank IS r.rank AND q.kernel_type = r.kernel_type
)
SELECT trace, rank, kernel_type, name, sum, max, min, 1.0 * sum / n AS mean,
       CASE WHEN n > 1 THEN sqrt(max(0.0, (squares - 1.0 * sum * sum / n) / (n - 1))) ELSE 0.0 END AS stddev
FROM named WHERE NOT other AND names <= 10
UNION ALL
SELECT trace, rank, kernel_type, CASE WHEN other THEN 'others' ELSE name END, sum(sum), max(sum), min(sum),
       1.0 * sum(sum) / count(*),
       CASE WHEN count(*) > 1
            THEN sqrt(max(0.0, (sum(1.0 * sum * sum) - 1.0 * sum(sum) * sum(sum) / count(*)) / (count(*) - 1))) ELSE 0.0 END
FROM named WHERE names > 10
GROUP BY trace, rank, kernel_type, CASE WHEN other THEN 'others' ELSE name END;

-- Gaps to the end of the activity before in the stream, which may be negative; the first has none.
CREATE TEMP VIEW IF NOT EXISTS hta_gaps AS
WITH gaps AS (
  SELECT *, lag(end_us) OVER (PARTITION BY trace, rank, stream ORDER BY start_us, id) AS before_us
  FROM hta_events WHERE kind <> 'sync'
)
SELECT trace, rank, stream, start_us - before_us AS gap,
       CASE
         WHEN launch_us > before_us THEN 'host_wait'
         WHEN start_us - before_us < 30 THEN 'kernel_wait'
         ELSE 'other'
       END AS idle_category
FROM gaps;

--@ table trace_hta_idle hta_idle HTA: idle time of streams by cause
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column stream TEXT - of the device: stream, queue or line
--@ column idle_category TEXT - host_wait, kernel_wait or other
--@ column idle_time BIGINT us
--@ column idle_time_ratio REAL ratio of the stream's idle time
--@ column gaps BIGINT - how many
CREATE TEMP VIEW IF NOT EXISTS hta_idle AS
SELECT trace, rank, stream, idle_category, coalesce(sum(gap), 0) AS idle_time,
       round(1.0 * coalesce(sum(gap), 0) / nullif(sum(coalesce(sum(gap), 0)) OVER (PARTITION BY trace, rank, stream), 0), 2)
         AS idle_time_ratio,
       count(gap) AS gaps
FROM hta_gaps
GROUP BY trace, rank, stream, idle_category;

--@ table trace_hta_launches hta_launches HTA: how long launches and their kernels took
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column correlation BIGINT - of call and kernel
--@ column name TEXT - of the kernel, copy or set
--@ column stream TEXT - of the device: stream, queue or line
--@ column cpu_duration BIGINT us of the call
--@ column gpu_duration BIGINT us of the kernel
--@ column launch_delay BIGINT us from the end of the call to the kernel
CREATE TEMP VIEW IF NOT EXISTS hta_launches AS
SELECT trace, rank, correlation, name, stream, launch_end_us - launch_us AS cpu_duration, end_us - start_us AS gpu_duration,
       max(0, start_us - launch_end_us) AS launch_delay
FROM hta_events
WHERE launch_name IN ('cudaLaunchKernel', 'cudaLaunchKernelExC', 'cudaMemcpyAsync', 'cudaMemsetAsync',
                      'runFunction - job_prep_and_submit_for_execution');

--@ table trace_hta_launch_stats hta_launch_stats HTA: sums of launches
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column rows BIGINT - launches
--@ column sum_cpu_duration BIGINT us
--@ column sum_gpu_duration BIGINT us
--@ column sum_launch_delay BIGINT us
--@ column max_launch_delay BIGINT us
CREATE TEMP VIEW IF NOT EXISTS hta_launch_stats AS
SELECT trace, rank, count(*) AS rows, sum(cpu_duration) AS sum_cpu_duration, sum(gpu_duration) AS sum_gpu_duration,
       sum(launch_delay) AS sum_launch_delay, max(launch_delay) AS max_launch_delay
FROM hta_launches
GROUP BY trace, rank;

CREATE TEMP VIEW IF NOT EXISTS hta_launched AS
SELECT * FROM hta_events
WHERE launch_name IN ('cudaLaunchKernel', 'cudaLaunchKernelExC', 'cuLaunchKernel', 'cuLaunchKernelEx', 'cudaMemcpyAsync',
                      'cudaMemsetAsync', 'runFunction - job_prep_and_submit_for_execution', 'hipLaunchKernel',
                      'hipExtModuleLaunchKernel', 'hipMemcpyAsync', 'hipMemsetAsync', 'hipMemcpyWithStream');

-- What an operator launches, one after the other, how often it does so, and the delays of the first of them: from the
-- operator to the launch, and from the beginning of the launch to that of the kernel (HTA rounds both to three places).
--@ table trace_hta_op_kernels hta_op_kernels HTA: what operators launch, and the delays of the first
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column aten_op_name TEXT - the operator
--@ column kernel_sequence TEXT - what it launches, one after the other
--@ column occurrence_count BIGINT - how often
--@ column avg_aten_op_launch_delay REAL us from the operator to the launch
--@ column avg_runtime_delay REAL us from the launch to the kernel
CREATE TEMP VIEW IF NOT EXISTS hta_op_kernels AS
WITH sequences AS (
  SELECT trace, rank, op, launch_us - op_us AS op_delay, start_us - launch_us AS runtime_delay,
         group_concat(name, ' -> ') OVER (call ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS kernels,
         row_number() OVER call AS place
  FROM hta_launched WHERE op GLOB 'aten::*'
  WINDOW call AS (PARTITION BY trace, rank, launch_thread, op, op_us ORDER BY launch_us, id)
)
SELECT trace, rank, op AS aten_op_name, kernels AS kernel_sequence, count(*) AS occurrence_count,
       avg(op_delay) AS avg_aten_op_launch_delay, avg(runtime_delay) AS avg_runtime_delay
FROM sequences WHERE place = 1
GROUP BY trace, rank, op, kernels;

--@ table trace_hta_queue hta_queue HTA: the length of each stream's queue over time
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column stream TEXT - of the device: stream, queue or line
--@ column ts BIGINT us when it changed
--@ column change BIGINT - 1: launched; -1: begun
--@ column queue_length BIGINT - after it
--@ column us BIGINT us until the next change
CREATE TEMP VIEW IF NOT EXISTS hta_queue AS
WITH changes AS (
  SELECT trace, rank, stream, launch_us AS ts, 1 AS change, id FROM hta_launched
  UNION ALL SELECT trace, rank, stream, start_us, -1, id FROM hta_launched
)
SELECT trace, rank, stream, ts, change,
       sum(change) OVER (PARTITION BY trace, rank, stream ORDER BY ts, change DESC, id ROWS UNBOUNDED PRECEDING) AS queue_length,
       lead(ts) OVER (PARTITION BY trace, rank, stream ORDER BY ts, change DESC, id) - ts AS us
FROM changes;

--@ table trace_hta_queue_length hta_queue_length HTA: the length of each stream's queue
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column stream TEXT - of the device: stream, queue or line
--@ column count BIGINT - changes
--@ column mean REAL -
--@ column std REAL - standard deviation
--@ column min BIGINT -
--@ column max BIGINT -
CREATE TEMP VIEW IF NOT EXISTS hta_queue_length AS
SELECT trace, rank, stream, count(*) AS count, avg(queue_length) AS mean,
       sqrt((sum(1.0 * queue_length * queue_length) - 1.0 * sum(queue_length) * sum(queue_length) / count(*)) / (count(*) - 1)) AS std,
       min(queue_length) AS min, max(queue_length) AS max
FROM hta_queue
GROUP BY trace, rank, stream;

--@ table trace_hta_bandwidth hta_bandwidth HTA: bandwidth of copies and sets over time
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column name TEXT - Memcpy HtoD, Memset, ...
--@ column ts BIGINT us when it changed
--@ column memory_bw_gbps REAL GB/s after it
CREATE TEMP VIEW IF NOT EXISTS hta_bandwidth AS
WITH copies AS (
  SELECT trace, rank, CASE WHEN name GLOB 'Memset*' THEN 'Memset' WHEN name GLOB 'Memcpy*' THEN substr(name, 1, 11)
                           ELSE 'Memcpy Unknown' END AS name,
         start_us, start_us + CASE end_us - start_us WHEN 0 THEN 1 ELSE end_us - start_us END AS end_us, gb_per_s, id
  FROM hta_events WHERE kernel_type = 'MEMORY' AND gb_per_s IS NOT NULL
),
changes AS (
  SELECT trace, rank, name, start_us AS ts, gb_per_s AS change, id FROM copies
  UNION ALL SELECT trace, rank, name, end_us, -gb_per_s, id FROM copies
)
SELECT trace, rank, name, ts,
       max(0, sum(change) OVER (PARTITION BY trace, rank, name ORDER BY ts, change, id ROWS UNBOUNDED PRECEDING)) AS memory_bw_gbps
FROM changes;

--@ table trace_hta_bandwidth_summary hta_bandwidth_summary HTA: bandwidth of copies and sets
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column name TEXT - Memcpy HtoD, Memset, ...
--@ column count BIGINT - points above 0
--@ column mean REAL GB/s
--@ column min REAL GB/s
--@ column max REAL GB/s
CREATE TEMP VIEW IF NOT EXISTS hta_bandwidth_summary AS
SELECT trace, rank, name, count(*) AS count, avg(memory_bw_gbps) AS mean, min(memory_bw_gbps) AS min, max(memory_bw_gbps) AS max
FROM hta_bandwidth WHERE memory_bw_gbps > 0
GROUP BY trace, rank, name;

-- Time with a queue of at least so many, as SELECT stream, sum(us) FROM hta_queue WHERE queue_length >= 400 GROUP BY stream.

-- Ranges of the program that begin before its last step does on the host.
--@ table trace_hta_annotations hta_annotations HTA: time by annotation of the program
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column side TEXT - host, where it was issued, or device, where it ran
--@ column name TEXT - of the annotation
--@ column n BIGINT - how many
--@ column sum BIGINT us
--@ column max BIGINT us
--@ column min BIGINT us
--@ column mean REAL us
--@ column stddev REAL us
CREATE TEMP VIEW IF NOT EXISTS hta_annotations AS
WITH times AS (
  SELECT r.trace, r.rank, r.side, r.name,
         (r.start_ns - t.base_ns) / 1000 + (r.start_ns - t.base_ns) % 1000 / 1000.0 AS ts, (r.end_ns - r.start_ns) / 1000.0 AS dur
  FROM device_ranges AS r JOIN device_traces AS t USING (trace)
),
rounded AS (
  SELECT r.*, CAST(floor(ts + dur) - ceil(ts) AS INTEGER) AS us
  FROM times AS r LEFT JOIN hta_last_step AS l ON l.trace = r.trace AND l.rank IS r.rank
  WHERE l.last_us IS NULL OR ceil(ts) < l.last_us
)
SELECT trace, rank, side, name, count(*) AS n, sum(us) AS sum, max(us) AS max, min(us) AS min, 1.0 * sum(us) / count(*) AS mean,
       CASE WHEN count(*) > 1
            THEN sqrt(max(0.0, (sum(us * us) - 1.0 * sum(us) * sum(us) / count(*)) / (count(*) - 1))) ELSE 0.0 END AS stddev
FROM rounded
GROUP BY trace, rank, side, name;
