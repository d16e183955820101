-- device_views.sql - what to ask of device_activity: TEMP views over the tables of sql/device.sql.
--
--     device_time          a row a device: busy, idle, exposed communication and copies, overlap
--     device_step_time     the same for each step
--     device_overlap       time in each combination of classes at once
--     device_kernels       time by kernel, copy and set
--     device_gaps          each gap of a stream, and why it was idle;  device_idle: their sums
--     device_launches      from the host's call to the device
--     device_queue         length of each stream's queue over time;  device_queue_length: summary
--     device_op_work       FLOPs, bytes and rates of the framework's operators, by shapes; device_op_roofline: against
--                          the chip's roofline
--     device_priced        the share of compute time whose FLOPs are known
--     device_collectives   each collective over the ranks, and who came late;  device_stragglers: by rank and step
--
-- All times are integer nanoseconds, summed exactly. Waits of streams (class sync) are no work and in none of them.
-- docs/device-activity.md defines every column.
--
--@ uses device
--@ argument path :path FILES profiles: a file, glob, folder or fleet file
--@ argument chip_name :chip TEXT what the devices are, if the profile does not tell: a name or alias of mpg_chips
--@ argument step_names :step TEXT a GLOB over the program's ranges that are steps, if theirs is not among the usual names

--@ table trace_device_time device_time a row for each device: busy, idle, exposed communication and copies, overlap
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column chip TEXT - the device's name as the profiler prints it
--@ column activities BIGINT - kernels, copies and sets
--@ column first_ns BIGINT ns when the first activity began
--@ column last_ns BIGINT ns when the last one ended
--@ column span_ns BIGINT ns from the first to the last
--@ column busy_ns BIGINT ns in which at least one activity ran
--@ column idle_ns BIGINT ns in which none ran
--@ column compute_ns BIGINT ns in which computation ran
--@ column communication_ns BIGINT ns in which communication ran
--@ column memory_ns BIGINT ns in which copies or sets ran
--@ column exposed_communication_ns BIGINT ns of communication without computation
--@ column exposed_memory_ns BIGINT ns of copies or sets without computation or communication
--@ column overlap_ns BIGINT ns of communication under computation
--@ column overlap_share REAL ratio overlap_ns / communication_ns
--@ column busy_share REAL ratio busy_ns / span_ns
CREATE TEMP VIEW IF NOT EXISTS device_time AS
WITH unions AS (
  SELECT trace, rank, device, max(chip) AS chip, count(*) AS activities, min(start_ns) AS first_ns,
         max(end_ns) AS last_ns,
         interval_union(start_ns, end_ns) AS busy_ns,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'compute'), 0) AS compute_ns,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'communication'), 0) AS communication_ns,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'memory'), 0) AS memory_ns,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'memory'), 0) AS without_memory_ns
  FROM device_activity
  WHERE class <> 'sync'
  GROUP BY trace, rank, device
)
SELECT trace, rank, device, chip, activities, first_ns, last_ns, last_ns - first_ns AS span_ns, busy_ns,
       last_ns - first_ns - busy_ns AS idle_ns, compute_ns, communication_ns, memory_ns,
       without_memory_ns - compute_ns AS exposed_communication_ns,
       busy_ns - without_memory_ns AS exposed_memory_ns,
       compute_ns + communication_ns - without_memory_ns AS overlap_ns,
       1.0 * (compute_ns + communication_ns - without_memory_ns) / nullif(communication_ns, 0) AS overlap_share,
       1.0 * busy_ns / nullif(last_ns - first_ns, 0) AS busy_share
FROM unions;

-- Time by exactly which classes run at once: inclusion and exclusion over the unions.
--@ table trace_device_overlap device_overlap time in exactly each combination of classes at once; the rows add up to the busy time
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column classes TEXT - that ran at once: 'compute, communication'
--@ column ns BIGINT ns in which exactly these ran
CREATE TEMP VIEW IF NOT EXISTS device_overlap AS
WITH whole AS (
  SELECT trace, rank, device,
         interval_union(start_ns, end_ns) AS ckm,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'compute'), 0) AS c,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'communication'), 0) AS k,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'memory'), 0) AS m,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'memory'), 0) AS ck,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'communication'), 0) AS cm,
         coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'compute'), 0) AS km
  FROM device_activity WHERE class <> 'sync' GROUP BY trace, rank, device
),
parts AS (
  SELECT trace, rank, device, 'compute' AS classes, ckm - km AS ns FROM whole
  UNION ALL SELECT trace, rank, device, 'communication', ckm - cm FROM whole
  UNION ALL SELECT trace, rank, device, 'memory', ckm - ck FROM whole
  UNION ALL SELECT trace, rank, device, 'compute, communication', cm + km - m - ckm FROM whole
  UNION ALL SELECT trace, rank, device, 'compute, memory', ck + km - k - ckm FROM whole
  UNION ALL SELECT trace, rank, device, 'communication, memory', ck + cm - c - ckm FROM whole
  UNION ALL SELECT trace, rank, device, 'compute, communication, memory', c + k + m - ck - cm - km + ckm FROM whole
)
SELECT * FROM parts WHERE ns > 0;

--@ table trace_device_kernels device_kernels time by kernel, copy and set
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column class TEXT - compute, communication or memory
--@ column kind TEXT - kernel, memcpy or memset
--@ column name TEXT - of the kernel, copy or set
--@ column n BIGINT - how many
--@ column ns BIGINT ns of all of them
--@ column mean_ns REAL ns
--@ column min_ns BIGINT ns
--@ column max_ns BIGINT ns
--@ column bytes BIGINT bytes as the profile counts
--@ column flops REAL flops as the profile says
--@ column share REAL ratio ns / all of the device's
CREATE TEMP VIEW IF NOT EXISTS device_kernels AS
WITH sums AS (
  SELECT trace, rank, device, class, kind, name, count(*) AS n, sum(end_ns - start_ns) AS ns,
         min(end_ns - start_ns) AS min_ns, max(end_ns - start_ns) AS max_ns, sum(bytes) AS bytes, sum(flops) AS flops
  FROM device_activity
  WHERE class <> 'sync'
  GROUP BY trace, rank, device, class, kind, name
)
SELECT trace, rank, device, class, kind, name, n, ns, 1.0 * ns / n AS mean_ns, min_ns, max_ns, bytes, flops,
       1.0 * ns / nullif(sum(ns) OVER (PARTITION BY trace, device), 0) AS share
FROM sums;

-- ---- Steps ----

--@ table trace_device_step_time device_step_time the same for each step
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column step TEXT - its number or name; NULL: outside any
--@ column step_ns BIGINT ns of the step on the host
--@ column first_ns BIGINT ns when the first activity began
--@ column last_ns BIGINT ns when the last one ended
--@ column busy_ns BIGINT ns in which at least one activity ran
--@ column compute_ns BIGINT ns in which computation ran
--@ column communication_ns BIGINT ns in which communication ran
--@ column memory_ns BIGINT ns in which copies or sets ran
--@ column exposed_communication_ns BIGINT ns of communication without computation
--@ column exposed_memory_ns BIGINT ns of copies or sets without computation or communication
--@ column overlap_ns BIGINT ns of communication under computation
--@ column lag_ns BIGINT ns from where the step begins on the host to its first activity
--@ column activities BIGINT - kernels, copies and sets
.read sql/formats/device/steps.sql

-- ---- Idle time ----

-- A gap lies between an activity and the end of all before it in its stream. The cause is read off the launch of the
-- activity that ends the gap:
--   host     the host launched it when the stream was already idle: too late
--   launch   it was launched in time, and the gap is below 30 us: the cost of launching back to back
--   other    it waited for something else: another stream, a synchronisation
--   unknown  its launch is not in the trace
--@ table trace_device_gaps device_gaps each gap of a stream, and why it was idle
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process that drove the device, if a trace holds several
--@ column device TEXT - as the profiler numbers or names it
--@ column stream TEXT - of the device: stream, queue or line
--@ column step TEXT - its number or name; NULL: outside any
--@ column start_ns BIGINT ns when the activities before had ended
--@ column end_ns BIGINT ns when the next began
--@ column gap_ns BIGINT ns
--@ column cause TEXT - host: launched too late; launch: launched in time, below 30 us; other: waited for a stream or a synchronisation; unknown: no launch in the trace
--@ column name TEXT - of the activity that ended it
CREATE TEMP VIEW IF NOT EXISTS device_gaps AS
WITH before AS (
  SELECT *, max(end_ns) OVER (PARTITION BY trace, rank, process, device, stream ORDER BY start_ns, end_ns
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free_ns
  FROM device_activity WHERE class <> 'sync'
)
SELECT trace, rank, process, device, stream, step, free_ns AS start_ns, start_ns AS end_ns, start_ns - free_ns AS gap_ns,
       CASE
         WHEN launch_ns IS NULL THEN 'unknown'
         WHEN launch_ns > free_ns THEN 'host'
         WHEN start_ns - free_ns < 30000 THEN 'launch'
         ELSE 'other'
       END AS cause,
       name
FROM before WHERE start_ns > free_ns;

--@ table trace_device_idle device_idle the sums of gaps by cause
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process that drove the device, if a trace holds several
--@ column device TEXT - as the profiler numbers or names it
--@ column stream TEXT - of the device: stream, queue or line
--@ column cause TEXT - as of trace_device_gaps
--@ column gaps BIGINT - how many
--@ column idle_ns BIGINT ns
--@ column longest_ns BIGINT ns
CREATE TEMP VIEW IF NOT EXISTS device_idle AS
SELECT trace, rank, process, device, stream, cause, count(*) AS gaps, sum(gap_ns) AS idle_ns, max(gap_ns) AS longest_ns
FROM device_gaps
GROUP BY trace, rank, process, device, stream, cause;

-- ---- Launches and queues ----

--@ table trace_device_launches device_launches from the host's call to the device, a row for each launch
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column stream TEXT - of the device: stream, queue or line
--@ column step TEXT - its number or name; NULL: outside any
--@ column op TEXT - the framework's operator: aten::mm
--@ column launch_name TEXT - of the call: cudaLaunchKernel
--@ column correlation BIGINT - of call and activity
--@ column name TEXT - of the kernel, copy or set
--@ column class TEXT - compute, communication or memory
--@ column call_ns BIGINT ns that the call took
--@ column device_ns BIGINT ns that the activity took
--@ column op_delay_ns BIGINT ns from where the operator begins to the call
--@ column latency_ns BIGINT ns from the beginning of the call to the device
--@ column delay_ns BIGINT ns from its end to the device
CREATE TEMP VIEW IF NOT EXISTS device_launches AS
SELECT trace, rank, device, stream, step, op, launch_name, correlation, name, class,
       launch_end_ns - launch_ns AS call_ns, end_ns - start_ns AS device_ns,
       launch_ns - op_ns AS op_delay_ns,                   -- from where the operator begins to the call
       start_ns - launch_ns AS latency_ns,                 -- from the beginning of the call
       max(0, start_ns - launch_end_ns) AS delay_ns        -- from its end; work may begin within the call
FROM device_activity
WHERE launch_ns IS NOT NULL AND class <> 'sync';

-- One more from each call, one less where the device takes it up.
--@ table trace_device_queue device_queue work that was launched and has not begun, of each stream, over time
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process that drove the device, if a trace holds several
--@ column device TEXT - as the profiler numbers or names it
--@ column stream TEXT - of the device: stream, queue or line
--@ column at_ns BIGINT ns when it changed
--@ column change BIGINT - 1: launched; -1: begun
--@ column length BIGINT - after it
--@ column ns BIGINT ns until the next change
CREATE TEMP VIEW IF NOT EXISTS device_queue AS
WITH changes AS (
  SELECT trace, rank, process, device, stream, launch_ns AS at_ns, 1 AS change
  FROM device_activity WHERE launch_ns IS NOT NULL AND class <> 'sync'
  UNION ALL
  SELECT trace, rank, process, device, stream, start_ns, -1 FROM device_activity WHERE launch_ns IS NOT NULL AND class <> 'sync'
)
SELECT trace, rank, process, device, stream, at_ns, change,
       sum(change) OVER (PARTITION BY trace, rank, process, device, stream ORDER BY at_ns, change DESC ROWS UNBOUNDED PRECEDING) AS length,
       lead(at_ns) OVER (PARTITION BY trace, rank, process, device, stream ORDER BY at_ns, change DESC) - at_ns AS ns
FROM changes;

-- mean_length is over time: what a launch finds in front of it is length at its own moment.
--@ table trace_device_queue_length device_queue_length the length of each stream's queue
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column process TEXT - the process that drove the device, if a trace holds several
--@ column device TEXT - as the profiler numbers or names it
--@ column stream TEXT - of the device: stream, queue or line
--@ column launches BIGINT - how many
--@ column max_length BIGINT - the longest
--@ column mean_length REAL - over time
--@ column empty_ns BIGINT ns that it was empty
CREATE TEMP VIEW IF NOT EXISTS device_queue_length AS
SELECT trace, rank, process, device, stream, count(*) / 2 AS launches, max(length) AS max_length,
       1.0 * sum(length * ns) / nullif(sum(ns), 0) AS mean_length,
       coalesce(sum(ns) FILTER (WHERE length = 0), 0) AS empty_ns
FROM device_queue
GROUP BY trace, rank, process, device, stream;

-- ---- Operators ----

-- By operator and shapes: rates over the time that the devices were busy with it. TFLOP/s, GB/s, FLOPs a byte.
--@ table trace_device_op_work device_op_work FLOPs, bytes and rates of operators, by shapes
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column chip TEXT - the device's name as the profiler prints it
--@ column op TEXT - the framework's operator: aten::mm
--@ column shapes TEXT - of the operator's arguments, JSON
--@ column dtypes TEXT - of the operator's arguments, JSON
--@ column calls BIGINT - how many
--@ column flops REAL flops that were done
--@ column bytes REAL bytes the least that memory has to move
--@ column device_ns BIGINT ns that devices were busy with what it launched
--@ column activities BIGINT - kernels, copies and sets
--@ column tflop_per_s REAL TFLOP/s while devices were busy with it
--@ column gb_per_s REAL GB/s likewise
--@ column flops_per_byte REAL flops/byte
.read sql/formats/device/operators.sql

-- Time of computation by whether its FLOPs are known: of an operator that has a price and launched it, or as the
-- profile says. Rates over device_op_work and roofline shares stand for this share alone. Activities that run at
-- once count each.
--@ table trace_device_priced device_priced the share of computation whose FLOPs are known
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column chip TEXT - the device's name as the profiler prints it
--@ column activities BIGINT - that compute
--@ column compute_ns BIGINT ns sum over the activities that compute
--@ column priced_ns BIGINT ns of those whose FLOPs are known
--@ column priced_share REAL ratio priced_ns / compute_ns
CREATE TEMP VIEW IF NOT EXISTS device_priced AS
WITH launched AS (
  SELECT DISTINCT a.rowid AS id
  FROM device_operators AS o CROSS JOIN device_activity AS a
    ON a.trace = o.trace AND a.launch_thread = o.thread AND a.launch_ns BETWEEN o.start_ns AND o.end_ns AND a.process IS o.process
)
SELECT a.trace, a.rank, a.device, max(a.chip) AS chip, count(*) AS activities, sum(a.end_ns - a.start_ns) AS compute_ns,
       sum(iif(a.flops IS NOT NULL OR l.id IS NOT NULL, a.end_ns - a.start_ns, 0)) AS priced_ns,
       1.0 * sum(iif(a.flops IS NOT NULL OR l.id IS NOT NULL, a.end_ns - a.start_ns, 0))
  / nullif(sum(a.end_ns - a.start_ns), 0) AS priced_share
FROM device_activity AS a LEFT JOIN launched AS l ON l.id = a.rowid
WHERE a.class = 'compute'
GROUP BY a.trace, a.rank, a.device;

-- peak and bandwidth are those of the catalogue for the type of the operands; NULL: the chip or its rate is unknown. An
-- operator's own roofline, so it takes the traffic of its operands into account. Its share is that of the calls that
-- kept a device busy.
--@ table trace_device_op_roofline device_op_roofline operators against the chip's roofline
--@ column trace TEXT - the file
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column chip TEXT - the device's name as the profiler prints it
--@ column op TEXT - the framework's operator: aten::mm
--@ column shapes TEXT - of the operator's arguments, JSON
--@ column dtype TEXT - of the operands, as the catalogue has it: of two types the wider, of fp32 in TF32 tf32
--@ column calls BIGINT - how many
--@ column flops REAL flops that were done
--@ column bytes REAL bytes the least that memory has to move
--@ column device_ns BIGINT ns that devices were busy with what it launched
--@ column tflop_per_s REAL TFLOP/s
--@ column gb_per_s REAL GB/s
--@ column flops_per_byte REAL flops/byte
--@ column peak_tflop_per_s REAL TFLOP/s of the chip; NULL: it is unknown
--@ column roofline_ns REAL ns that the work takes at the roofline
--@ column bound TEXT - compute or memory: which roof
--@ column roofline_share REAL ratio roofline_ns / device_ns

-- ---- Ranks ----

--@ table trace_device_collectives device_collectives each collective over the ranks, and who came late; give the traces of all ranks
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column device TEXT - as the profiler numbers or names it
--@ column step TEXT - its number or name; NULL: outside any
--@ column name TEXT - of the collective's kernel
--@ column n BIGINT - the n-th of that name in the step
--@ column ns BIGINT ns that it took on this rank
--@ column waited_ns BIGINT ns that this rank waited for others; NULL: ranks have it a different number of times, or in two traces
--@ column late_ns BIGINT ns that this rank came after the first; NULL likewise
--@ column ranks BIGINT ranks that took part
--@ column trace TEXT - the file
--@ column process_group TEXT - of the collective, with its ranks; NULL: the trace does not tell
--@ table trace_device_stragglers device_stragglers who came late to collectives, by rank and step
--@ column step TEXT - its number or name; NULL: outside any
--@ column rank BIGINT - of the process in its job; NULL: the trace does not tell
--@ column collectives BIGINT - how many
--@ column late_ns BIGINT ns that the rank came late
--@ column waited_ns BIGINT ns that it waited
--@ column place BIGINT - 1: the latest of the step
.read sql/formats/device/ranks.sql
