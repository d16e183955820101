-- kineto/inputs.sql - the events of the traces, without what cannot be.
--
-- Reads chrome_trace and chrome_trace_info. Makes kineto_events, kineto_files, kineto_faults, kineto_marked, kineto_left_out and
-- device_marks.
-- A part of kineto.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The inputs ----

-- Events of a phase that the format does not have are of no known category. Intel's unitrace calls kernels gpu_op. A connection
-- of Ascend's is what a correlation is.
CREATE TEMP TABLE IF NOT EXISTS kineto_files AS
SELECT _file AS trace, rank, world_size, base_time_ns, devices, properties FROM chrome_trace_info(mpg_required(:trace, ':trace'));
-- After it, for what the last reading of a file finds of it is what mpg_issues keeps.
CREATE TEMP TABLE IF NOT EXISTS kineto_events AS
SELECT _file AS trace, iif(ph = 'X', iif(cat = 'gpu_op', 'kernel', lower(cat)), 'phase ' || coalesce(ph, 'none')) AS cat,
       coalesce(name, '?') AS name, start_ns, end_ns, pid, tid, step,
       iif(cat IS NULL AND ph = 'X', coalesce(correlation, nullif(nullif(json_extract(args, '$.connection_id'), 4294967295), -1)),
           correlation) AS correlation, device,
       stream, context, bytes, bandwidth_gb_s, collective, group_size, process_group, process_group_ranks, input_dims, input_type,
       concrete_inputs
FROM chrome_trace(mpg_required(:trace, ':trace'))
WHERE ph = 'X' OR (ph IS NULL AND start_ns IS NOT NULL)
  OR (ph IN ('B', 'b') AND (lower(cat) IN ('kernel', 'concurrent_kernel', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cuda_sync',
                                   'mtia_ccp_events', 'cpu_op', 'operator', 'user_annotation', 'runtime', 'driver')
                    OR lower(cat) GLOB '*_runtime' OR lower(cat) GLOB '*_driver'))
                    OR ph NOT IN ('M', 'i', 'I', 's', 't', 'f', 'b', 'n', 'e', 'B', 'E', 'C', 'R', 'P', 'N', 'O', 'D', 'S', 'T', 'p', 'F',
                                  'v', 'V', 'c', '(', ')');

-- PaddlePaddle's profiler (it numbers its spans) has words of its own, and the duration at the end of each name: such traces are read
-- again.
DROP TABLE IF EXISTS temp.kineto_paddle;
CREATE TEMP TABLE kineto_paddle AS SELECT trace FROM kineto_files WHERE json_extract(properties, '$.span_indx') IS NOT NULL;
DELETE FROM kineto_events WHERE rowid
    IN (SELECT e.rowid FROM (SELECT 1 FROM kineto_paddle LIMIT 1) CROSS JOIN kineto_events AS e
        WHERE e.trace IN (SELECT trace FROM kineto_paddle));
INSERT INTO kineto_events (trace, cat, name, start_ns, end_ns, pid, tid, step, correlation, device, stream, context, bytes, bandwidth_gb_s)
WITH told AS (
  SELECT f.trace, lower(e.cat) AS cat, coalesce(e.name, '?') AS name, rtrim(rtrim(rtrim(e.name, ']'), 'mus '), '0123456789.') AS before,
         start_ns, end_ns, pid, tid,
         json_extract(args, '$."correlation id"') AS correlation, device, stream, context, bytes, bandwidth_gb_s
  FROM kineto_paddle AS f CROSS JOIN chrome_trace(f.trace) AS e WHERE ph = 'X'
),
named AS (SELECT *, iif(before GLOB '*[[]', substr(before, 1, length(before) - 1), name) AS called FROM told)
SELECT trace,
       CASE WHEN cat GLOB '*?runtime' THEN substr(cat, 1, length(cat) - 7) || '_runtime' WHEN cat GLOB 'operator*' THEN 'cpu_op'
            WHEN cat IN ('profilestep', 'forward', 'backward', 'optimization', 'dataloader', 'communication', 'userdefined',
                         'pythonuserdefined', 'pythonop') THEN 'user_annotation' ELSE cat END,
       called, start_ns, end_ns, pid, tid, iif(cat = 'profilestep' AND called GLOB 'ProfileStep#?*', substr(called, 13), NULL), correlation,
       device, stream, context, bytes, bandwidth_gb_s
FROM named;
DROP TABLE kineto_paddle;

-- What there is to mend, in one pass: most traces have none of it, and are not read again for each.
DROP TABLE IF EXISTS temp.kineto_faults;
CREATE TEMP TABLE kineto_faults AS
SELECT count(*) FILTER (WHERE cat IS NULL) AS no_cat, count(*) FILTER (WHERE name = '?') AS no_name,
       count(*) FILTER (WHERE correlation = 0) AS no_call,
       count(*) FILTER (WHERE correlation >= '') AS long_calls, -- texts
       coalesce(min(context) <> max(context), 0) AS contexts,
       count(*) FILTER (WHERE start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns OR end_ns > 9223372036854775807 - base_ns) AS no_time,
       coalesce(max(end_ns) - min(start_ns) > 86400000000000, 0) AS far, count(step) AS steps,
       count(*) FILTER (WHERE cat IN ('user_annotation', 'gpu_user_annotation')) AS ranges,
       count(*) FILTER (WHERE bytes < 0) AS below_zero, count(*) FILTER (WHERE start_ns > 500000000000000000) AS unix,
       count(*) FILTER (WHERE bandwidth_gb_s >= '') AS no_rate -- texts
FROM (SELECT max(0, coalesce(max(base_time_ns), 0)) AS base_ns FROM kineto_files) CROSS JOIN kineto_events;

-- Ascend's profiler and rocprof's give the devices' events no category: the process's name says which they are ('GPU0', in
-- some versions '2 GPU0'), and its label which NPU. Only traces that hold such events are read again, for their metadata.
DROP TABLE IF EXISTS temp.kineto_processes;
CREATE TEMP TABLE kineto_processes AS
SELECT f.trace, m.pid, ltrim(max(json_extract(m.args, '$.name')), '0123456789 ') AS name,
       CAST(substr(max(json_extract(m.args, '$.labels')) FILTER (WHERE json_extract(m.args, '$.labels') GLOB 'NPU [0-9]*'),
                   5) AS INTEGER) AS npu
FROM (SELECT DISTINCT trace FROM kineto_faults CROSS JOIN kineto_events WHERE no_cat AND cat IS NULL) AS f
CROSS JOIN chrome_trace(f.trace) AS m
WHERE m.ph = 'M' AND m.name IN ('process_name', 'process_labels')
GROUP BY 1, 2;
CREATE INDEX temp.kineto_process ON kineto_processes(trace, pid);
-- What is left out, and why; mpg_issues mentions it at the end.
DROP TABLE IF EXISTS temp.kineto_left_out;
CREATE TEMP TABLE kineto_left_out (trace TEXT, severity TEXT, kind TEXT, count INTEGER, detail TEXT);
-- Of Ascend's NPUs a collective counts whole, as hcom_*, and not the tasks of its planes beside it; a record of an event is no work.
DROP TABLE IF EXISTS temp.kineto_whole;
CREATE TEMP TABLE kineto_whole AS
SELECT DISTINCT p.trace FROM kineto_processes AS p CROSS JOIN kineto_events AS e ON e.trace = p.trace AND e.pid = p.pid
WHERE p.name IN ('HCCL', 'Communication') AND e.cat IS NULL AND lower(e.name) GLOB 'hcom_*';
--@ if (SELECT no_cat FROM kineto_faults)
UPDATE kineto_events SET
  cat = CASE
          WHEN p.name IN ('HCCL', 'Communication') AND p.trace IN (SELECT trace FROM kineto_whole)
               AND lower(kineto_events.name) NOT GLOB 'hcom_*' THEN 'no work'
          WHEN p.name IN ('HCCL', 'Communication') OR p.name GLOB 'GPU[0-9]*' THEN 'kernel'
          WHEN p.name = 'Ascend Hardware' THEN
            CASE WHEN upper(kineto_events.name) GLOB '*MEMCPY*' OR kineto_events.name GLOB 'SDMA*' OR kineto_events.name GLOB 'PCIE_DMA*'
                   OR kineto_events.name GLOB 'Reduce_Inline*' THEN 'gpu_memcpy'
                 WHEN upper(kineto_events.name) GLOB '*EVENT_WAIT*' OR upper(kineto_events.name) GLOB 'NOTIFY_WAIT*' THEN 'cuda_sync'
                 WHEN upper(kineto_events.name)
                     IN ('EVENT_RECORD', 'NOTIFY_RECORD', 'PROFILING_ENABLE', 'PROFILING_DISABLE', 'MODEL_MAINTAINCE', 'MODEL_EXECUTE',
                         'EVENT_RESET', 'PLACE_HOLDER_SQE')
                 -- which computes, though a collective may be fused into it
                 THEN 'no work' WHEN lower(kineto_events.name) GLOB 'hcom_*' THEN 'kernel' ELSE 'npu_task' END
          WHEN p.name IN ('CANN') THEN 'cann_runtime'
        END,
  -- A task of a collective computes nothing, whatever it is called.
  name = iif(p.name IN ('HCCL', 'Communication')
             AND lower(kineto_events.name) NOT GLOB 'hcom_*', 'HCCL ' || kineto_events.name, kineto_events.name),
  stream = coalesce(stream, CASE WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') OR p.name GLOB 'GPU[0-9]*'
                                 THEN iif(p.name IN ('HCCL', 'Communication'), 'HCCL ' || tid, tid) END),
  -- Without labels, one trace_view.json is that of one NPU.
  device = coalesce(device, CASE WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') THEN coalesce(p.npu, 0)
                                 WHEN p.name GLOB 'GPU[0-9]*' THEN CAST(substr(p.name, 4) AS INTEGER) END)
FROM kineto_processes AS p
WHERE (SELECT no_cat FROM kineto_faults) AND p.trace = kineto_events.trace AND p.pid = kineto_events.pid AND kineto_events.cat IS NULL;
--@ end
DROP TABLE kineto_whole;
INSERT INTO kineto_left_out
SELECT trace, 'info', 'no_work', count(*),
       'tasks of an NPU that are no work, or a part of a collective that counts whole: left out; the first is "' || min(name) || '"'
FROM kineto_faults CROSS JOIN kineto_events WHERE no_cat AND cat = 'no work' GROUP BY trace;
DELETE FROM kineto_events WHERE (SELECT no_cat FROM kineto_faults) AND cat = 'no work';
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'missing_field', count(*), 'NPUs that no label tells apart count as one'
FROM kineto_processes WHERE name = 'Ascend Hardware' AND npu IS NULL GROUP BY trace HAVING count(*) > 1;
INSERT INTO kineto_left_out
SELECT p.trace, 'warning', 'missing_field', count(*),
       'activities of an NPU, which this file ties to no call: they have no step and no operator. The .db beside it has both'
FROM kineto_processes AS p CROSS JOIN kineto_events AS e ON e.trace = p.trace AND e.pid = p.pid
WHERE p.name IN ('Ascend Hardware', 'HCCL', 'Communication') AND e.correlation IS NULL GROUP BY p.trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'unknown_event', count(*),
       'events without a category, of a process that is no known device: left out; the first is "' || min(name) || '"'
FROM kineto_faults CROSS JOIN kineto_events WHERE no_cat AND cat IS NULL GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'missing_field', count(*),
       'events without a name: one of a device is called "?", and its category alone tells its class'
FROM kineto_faults CROSS JOIN kineto_events WHERE no_name AND name = '?' GROUP BY trace;
INSERT INTO kineto_left_out
SELECT e.trace, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || min(e.name) || '"'
FROM kineto_faults CROSS JOIN kineto_events AS e CROSS JOIN kineto_files AS f USING (trace)
WHERE no_time AND e.cat IS NOT NULL AND (e.start_ns IS NULL OR e.end_ns IS NULL OR e.end_ns < e.start_ns
                             OR e.end_ns > 9223372036854775807 - coalesce(f.base_time_ns, 0))
GROUP BY e.trace;
-- Their calls launched something (device/unseen.sql).
DROP TABLE IF EXISTS temp.kineto_timeless;
CREATE TEMP TABLE kineto_timeless AS
SELECT e.trace, e.correlation FROM kineto_faults CROSS JOIN kineto_events AS e
WHERE no_time AND correlation IS NOT NULL AND (start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns);
DELETE FROM kineto_events WHERE rowid IN (
  SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e
  WHERE (no_cat OR no_time) AND (cat IS NULL OR start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns
                                 OR end_ns > 9223372036854775807 - coalesce((SELECT max(base_time_ns) FROM kineto_files), 0)));

-- What the host did lies within a day of the middle event; where a device's time may lie, its calls say, below.
DROP TABLE IF EXISTS temp.kineto_far;
CREATE TEMP TABLE kineto_far AS
WITH middle AS MATERIALIZED (
  SELECT trace, start_ns AS at FROM (
    SELECT trace, start_ns, row_number() OVER (PARTITION BY trace ORDER BY start_ns) AS nth, count(*) OVER (PARTITION BY trace) AS n
    FROM kineto_faults CROSS JOIN kineto_events WHERE far)
  WHERE nth = (n + 1) / 2
)
SELECT e.rowid AS id, e.trace, e.name FROM kineto_faults CROSS JOIN middle AS m CROSS JOIN kineto_events AS e USING (trace)
WHERE far AND (e.start_ns < at - 86400000000000 OR e.end_ns > at + 86400000000000)
  AND e.cat NOT IN ('kernel', 'concurrent_kernel', 'npu_task', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cuda_sync',
                    'mtia_ccp_events');
INSERT INTO kineto_left_out
SELECT trace, 'data_loss', 'lost_time', count(*),
       'events of the host more than a day from the middle one: left out; the first is "' || min(name) || '"'
FROM kineto_far GROUP BY trace;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_far);
DROP TABLE kineto_far;

-- Of 1985 and later, events are in Unix time already, as tools leave them that put traces together: the epoch that the file tells is not
-- added.
UPDATE kineto_files SET base_time_ns = NULL
WHERE (SELECT unix FROM kineto_faults) AND base_time_ns > 0
  AND (SELECT 2 * total(e.start_ns > 500000000000000000) > count(*) FROM kineto_events AS e WHERE e.trace = kineto_files.trace);

-- A copy that took no time has the bandwidth "N/A".
UPDATE kineto_events SET bandwidth_gb_s = NULL
WHERE rowid IN (SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e WHERE no_rate AND typeof(e.bandwidth_gb_s) = 'text');
INSERT INTO kineto_left_out
SELECT trace, 'data_loss', 'impossible_value', count(*), 'bytes below 0 count as none; the first of "' || min(name) || '"'
FROM kineto_faults CROSS JOIN kineto_events WHERE below_zero AND bytes < 0 GROUP BY trace;
UPDATE kineto_events SET bytes = NULL
WHERE rowid IN (SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e WHERE below_zero AND e.bytes < 0);

-- A correlation of 0 is none.
--@ if (SELECT no_call FROM kineto_faults)
UPDATE kineto_events SET correlation = NULL
WHERE rowid IN (SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e WHERE no_call AND correlation = 0);
--@ end
-- One from 2^63 on is text: its 64 bits as a signed number are exact, and two of them never become one REAL.
--@ if (SELECT long_calls FROM kineto_faults)
UPDATE kineto_events SET correlation = (CAST(substr(correlation, 1, length(correlation) - 9) AS INTEGER) - 18446744072) * 1000000000
  + (CAST(substr(correlation, -9) AS INTEGER) - 1709551616)
WHERE (SELECT long_calls FROM kineto_faults) AND typeof(correlation) = 'text' AND length(correlation) BETWEEN 19 AND 20
  AND correlation NOT GLOB '*[^0-9]*';
--@ end

-- A stream's number is its context's own, where a device has several.
DROP TABLE IF EXISTS temp.kineto_contexts;
CREATE TEMP TABLE kineto_contexts AS
SELECT trace, pid, device, stream FROM kineto_faults CROSS JOIN kineto_events
WHERE contexts AND context IS NOT NULL AND stream IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING count(DISTINCT context) > 1;
UPDATE kineto_events SET stream = stream || ' of context ' || context
WHERE (SELECT 1 FROM kineto_contexts LIMIT 1) AND context IS NOT NULL
  AND EXISTS (SELECT 1 FROM kineto_contexts AS c
              WHERE c.trace = kineto_events.trace AND c.pid IS kineto_events.pid AND c.device IS kineto_events.device
                AND c.stream = kineto_events.stream);
DROP TABLE kineto_contexts;

-- Before annotations had a category of their own, a step was an operator.
UPDATE kineto_events SET cat = 'user_annotation' WHERE rowid IN (
  SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e
  WHERE steps AND cat IN ('cpu_op', 'operator') AND name GLOB 'ProfilerStep#*');
-- What the program marks is little of a trace.
DROP TABLE IF EXISTS temp.kineto_marked;
CREATE TEMP TABLE kineto_marked(id INTEGER PRIMARY KEY);
INSERT INTO kineto_marked
SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e
WHERE (ranges OR steps) AND cat IN ('user_annotation', 'gpu_user_annotation');
-- Where :step says which annotations are steps, or none is the profiler's, they are found by their names, as NVTX's are. (HTA knows the
-- profiler's alone.)
DROP TABLE IF EXISTS temp.device_marks;
CREATE TEMP TABLE device_marks AS
SELECT trace, pid AS process, dense_rank() OVER (ORDER BY trace, pid, tid) AS thread, name, start_ns AS start, end_ns AS "end",
       :step AS steps, e.rowid AS event
FROM kineto_faults CROSS JOIN kineto_marked AS m CROSS JOIN kineto_events AS e ON e.rowid = m.id
WHERE ranges AND cat = 'user_annotation' AND coalesce(:table, '') NOT GLOB 'trace_hta_*'
  AND CASE WHEN :step IS NULL THEN (lower(name) GLOB '*step*' OR lower(name) GLOB 'iter*')
             AND trace NOT IN (SELECT s.trace FROM kineto_marked AS n CROSS JOIN kineto_events AS s ON s.rowid = n.id
                               WHERE s.step IS NOT NULL)
           ELSE name GLOB :step END;
