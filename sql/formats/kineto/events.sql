-- kineto/events.sql - events without what cannot be, their groups, and which of them are the devices'.
--
-- Reads chrome_trace and chrome_trace_info. Makes kineto_events, kineto_files, kineto_devices, kineto_groups, kineto_parts,
-- kineto_kinds and kineto_activity.
-- A part of kineto.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The inputs ----

-- Events of a phase that the format does not have are of no known category.
CREATE TEMP TABLE IF NOT EXISTS kineto_files AS
SELECT _file AS trace, rank, world_size, base_time_ns, devices, properties FROM chrome_trace_info(mpg_required(:trace, ':trace'));
-- After it, for what the last reading of a file finds of it is what mpg_issues keeps.
CREATE TEMP TABLE IF NOT EXISTS kineto_events AS
SELECT _file AS trace, iif(ph = 'X', lower(cat), 'phase ' || coalesce(ph, 'none')) AS cat, coalesce(name, '?') AS name, start_ns, end_ns, pid, tid, step, correlation, device,
       stream, bytes, bandwidth_gb_s, collective, group_size, process_group, process_group_ranks, input_dims, input_type, concrete_inputs
FROM chrome_trace(mpg_required(:trace, ':trace'))
WHERE ph = 'X' OR (ph IS NULL AND start_ns IS NOT NULL) OR (ph = 'B' AND lower(cat) IN ('kernel', 'gpu_memcpy', 'gpu_memset', 'cpu_op', 'operator', 'user_annotation', 'cuda_runtime', 'hip_runtime')) OR ph NOT IN ('M', 'i', 'I', 's', 't', 'f', 'b', 'n', 'e', 'B', 'E', 'C', 'R', 'P', 'N', 'O', 'D', 'S', 'T', 'p', 'F', 'v', 'V', 'c', '(', ')');


-- What there is to mend, in one pass: most traces have none of it, and are not read again for each.
DROP TABLE IF EXISTS temp.kineto_faults;
CREATE TEMP TABLE kineto_faults AS
SELECT total(cat IS NULL) AS no_cat, total(name = '?') AS no_name, total(correlation = 0) AS no_call,
       total(start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns OR end_ns > 9223372036854775807 - base_ns) AS no_time,
       coalesce(max(end_ns) - min(start_ns) > 86400000000000, 0) AS far, total(name GLOB 'ProfilerStep#*') AS steps, total(cat IN ('user_annotation', 'gpu_user_annotation')) AS ranges
FROM (SELECT max(0, coalesce(max(base_time_ns), 0)) AS base_ns FROM kineto_files) CROSS JOIN kineto_events;

-- Ascend's profiler and rocprof's give the devices' events no category: the process's name says which they are. Only
-- traces that hold such events are read again, for their metadata.
DROP TABLE IF EXISTS temp.kineto_processes;
CREATE TEMP TABLE kineto_processes AS
SELECT f.trace, m.pid, max(json_extract(m.args, '$.name')) AS name
FROM (SELECT DISTINCT trace FROM kineto_faults CROSS JOIN kineto_events WHERE no_cat AND cat IS NULL) AS f CROSS JOIN chrome_trace(f.trace) AS m
WHERE m.ph = 'M' AND m.name = 'process_name'
GROUP BY 1, 2;
CREATE INDEX temp.kineto_process ON kineto_processes(trace, pid);
UPDATE kineto_events SET
  cat = CASE
          WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') AND kineto_events.name GLOB '*MEMCPY*' THEN 'gpu_memcpy'
          WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') AND kineto_events.name GLOB '*EVENT_WAIT*' THEN 'cuda_sync'
          WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') OR p.name GLOB 'GPU[0-9]*' THEN 'kernel'
          WHEN p.name IN ('CANN') THEN 'cann_runtime'
        END,
  stream = coalesce(stream, CASE WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') OR p.name GLOB 'GPU[0-9]*'
                                 THEN iif(p.name IN ('HCCL', 'Communication'), 'HCCL ' || tid, tid) END),
  -- One trace_view.json is that of one NPU.
  device = coalesce(device, CASE WHEN p.name IN ('Ascend Hardware', 'HCCL', 'Communication') THEN 0
                                 WHEN p.name GLOB 'GPU[0-9]*' THEN CAST(substr(p.name, 4) AS INTEGER) END)
FROM kineto_processes AS p
WHERE (SELECT no_cat FROM kineto_faults) AND p.trace = kineto_events.trace AND p.pid = kineto_events.pid AND kineto_events.cat IS NULL;

-- What is left out, and why; mpg_issues mentions it at the end.
DROP TABLE IF EXISTS temp.kineto_left_out;
CREATE TEMP TABLE kineto_left_out (trace TEXT, severity TEXT, kind TEXT, count INTEGER, detail TEXT);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'unknown_event', count(*),
       'events without a category, of a process that is no known device: left out; the first is "' || min(name) || '"'
FROM kineto_faults CROSS JOIN kineto_events WHERE no_cat AND cat IS NULL GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'missing_field', count(*), 'events without a name: one of a device is called "?", and its category alone tells its class'
FROM kineto_faults CROSS JOIN kineto_events WHERE no_name AND name = '?' GROUP BY trace;
INSERT INTO kineto_left_out
SELECT e.trace, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || min(e.name) || '"'
FROM kineto_faults CROSS JOIN kineto_events AS e CROSS JOIN kineto_files AS f USING (trace)
WHERE no_time AND e.cat IS NOT NULL AND (e.start_ns IS NULL OR e.end_ns IS NULL OR e.end_ns < e.start_ns
                             OR e.end_ns > 9223372036854775807 - coalesce(f.base_time_ns, 0))
GROUP BY e.trace;
DELETE FROM kineto_events WHERE rowid IN (
  SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e
  WHERE (no_cat OR no_time) AND (cat IS NULL OR start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns
                                 OR end_ns > 9223372036854775807 - coalesce((SELECT max(base_time_ns) FROM kineto_files), 0)));

-- What the host did lies within a day of the middle event; where a device's time may lie, its calls say, below.
DROP TABLE IF EXISTS temp.kineto_far;
CREATE TEMP TABLE kineto_far AS
WITH middle AS MATERIALIZED (
  SELECT trace, start_ns AS at FROM (
    SELECT trace, start_ns, row_number() OVER (PARTITION BY trace ORDER BY start_ns) AS nth, count(*) OVER (PARTITION BY trace) AS n FROM kineto_faults CROSS JOIN kineto_events WHERE far)
  WHERE nth = (n + 1) / 2
)
SELECT e.rowid AS id, e.trace, e.name FROM kineto_faults CROSS JOIN middle AS m CROSS JOIN kineto_events AS e USING (trace)
WHERE far AND (e.start_ns < at - 86400000000000 OR e.end_ns > at + 86400000000000)
  AND e.cat NOT IN ('kernel', 'concurrent_kernel', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cuda_sync', 'mtia_ccp_events');
INSERT INTO kineto_left_out
SELECT trace, 'data_loss', 'lost_time', count(*), 'events of the host more than a day from the middle one: left out; the first is "' || min(name) || '"' FROM kineto_far GROUP BY trace;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_far);
DROP TABLE kineto_far;

-- A correlation of 0 is none.
UPDATE kineto_events SET correlation = NULL WHERE rowid IN (SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e WHERE no_call AND correlation = 0);

-- Before annotations had a category of their own, a step was an operator.
UPDATE kineto_events SET cat = 'user_annotation' WHERE rowid IN (
  SELECT e.rowid FROM kineto_faults CROSS JOIN kineto_events AS e WHERE steps AND cat IN ('cpu_op', 'operator') AND name GLOB 'ProfilerStep#*');

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_operators WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM kineto_files);

INSERT INTO device_traces (trace, format, rank, world_size, base_ns, host)
SELECT trace, 'kineto', rank, world_size, coalesce(base_time_ns, 0), json_extract(properties, '$.host_name') FROM kineto_files;

DROP TABLE IF EXISTS temp.kineto_devices;
CREATE TEMP TABLE kineto_devices AS
SELECT f.trace, CAST(json_extract(d.value, '$.id') AS TEXT) AS device, nullif(json_extract(d.value, '$.name'), '') AS chip
FROM kineto_files AS f, json_each(f.devices) AS d;
CREATE INDEX temp.kineto_device ON kineto_devices(trace, device);
-- Devices that are all alike: ROCm describes them from 0 on, and counts the host's CPUs before them where they run.
DROP TABLE IF EXISTS temp.kineto_alike;
CREATE TEMP TABLE kineto_alike AS
SELECT trace, min(chip) AS chip FROM kineto_devices GROUP BY trace HAVING min(chip) = max(chip) AND count(chip) = count(*);
CREATE INDEX temp.kineto_alike_of ON kineto_alike(trace);

-- ---- 2. Groups of events: of one category and thread, each a number; steps and ranges ----

-- Ranks merged into one file: '[R0] 70' is process 70 of what is labelled [R0]. Correlations, devices and steps are
-- each label's own. Without labels, steps are those of the process where several mark some.
DROP TABLE IF EXISTS temp.kineto_groups;
CREATE TEMP TABLE kineto_groups(id INTEGER PRIMARY KEY, trace, cat, pid, tid, is_device, is_call, is_operator, is_host, is_strange, label_name, scope_name, file, process, thread, label, scope);
INSERT INTO kineto_groups(trace, cat, pid, tid, is_device, is_call, is_operator, is_host, is_strange, label_name, scope_name, file, process, thread, label, scope)
WITH each AS MATERIALIZED (SELECT DISTINCT trace, cat, pid, tid FROM kineto_events),
several AS MATERIALIZED (
  SELECT trace FROM kineto_faults CROSS JOIN kineto_events WHERE steps AND cat = 'user_annotation' AND name GLOB 'ProfilerStep#*'
  GROUP BY trace HAVING count(DISTINCT pid) > 1
),
labelled AS (
  SELECT *, cat IN ('kernel', 'concurrent_kernel', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cuda_sync', 'mtia_ccp_events') AS is_device,
         cat IN ('runtime', 'driver') OR cat GLOB '*_runtime' OR cat GLOB '*_driver' AS is_call, cat IN ('cpu_op', 'operator') AS is_operator,
         CASE WHEN pid GLOB '[[]*] *' THEN substr(pid, 1, instr(pid, ']')) ELSE '' END AS label_name,
         CASE WHEN pid GLOB '[[]*] *' THEN substr(pid, 1, instr(pid, ']'))
              WHEN trace IN several THEN CAST(pid AS TEXT) ELSE '' END AS scope_name
  FROM each
)
SELECT trace, cat, pid, tid, is_device, is_call, is_operator, is_operator OR is_call OR cat = 'user_annotation',
       cat GLOB 'phase *' OR NOT (is_device OR is_operator OR is_call OR cat IN ('gpu_user_annotation', 'user_annotation', 'overhead', 'ac2g', 'async_cpu_to_gpu', 'python_function')),
       label_name, scope_name,
       dense_rank() OVER (ORDER BY trace), dense_rank() OVER (ORDER BY trace, pid), dense_rank() OVER (ORDER BY trace, pid, tid),
       dense_rank() OVER (ORDER BY trace, label_name), dense_rank() OVER (ORDER BY trace, scope_name)
FROM labelled;
CREATE INDEX temp.kineto_group ON kineto_groups(trace, cat, pid, tid);
INSERT INTO kineto_left_out
SELECT g.trace, 'warning', 'missing_field', (SELECT count(*) FROM kineto_events AS e WHERE e.trace = g.trace AND (e.pid IS NULL OR e.tid IS NULL)),
       'events of the host without a process or thread: what they launched may lack its operator'
FROM kineto_groups AS g WHERE is_host AND (pid IS NULL OR tid IS NULL) GROUP BY g.trace;

-- What follows reads this narrow table, and an event's texts where it lies.
DROP TABLE IF EXISTS temp.kineto_parts;
CREATE TEMP TABLE kineto_parts(id INTEGER PRIMARY KEY, part INTEGER, start_ns INTEGER, end_ns INTEGER);
INSERT INTO kineto_parts
SELECT e.rowid, g.id, e.start_ns, e.end_ns
FROM kineto_events AS e CROSS JOIN kineto_groups AS g ON g.trace = e.trace AND g.cat = e.cat AND g.pid IS e.pid AND g.tid IS e.tid;

-- A range that comes twice counts once.
DROP TABLE IF EXISTS temp.kineto_again;
CREATE TEMP TABLE kineto_again AS
SELECT id, trace, name FROM (
  SELECT e.rowid AS id, trace, name, row_number() OVER (PARTITION BY trace, cat, pid, tid, start_ns, end_ns, name) AS nth
  FROM kineto_faults CROSS JOIN kineto_events AS e WHERE (ranges OR steps) AND cat IN ('user_annotation', 'gpu_user_annotation'))
WHERE nth > 1;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'repeated_record', count(*), 'ranges that the program marks come twice: they count once; the first is "' || min(name) || '"' FROM kineto_again GROUP BY trace;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_again);
DROP TABLE kineto_again;

INSERT INTO device_ranges (trace, rank, side, thread, name, start_ns, end_ns)
SELECT e.trace, t.rank, CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END, CAST(e.tid AS TEXT), e.name,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_faults CROSS JOIN kineto_events AS e CROSS JOIN device_traces AS t USING (trace)
WHERE (ranges OR steps) AND e.cat IN ('user_annotation', 'gpu_user_annotation');

INSERT INTO device_steps (trace, rank, process, side, device, step, start_ns, end_ns)
SELECT e.trace, t.rank, CASE e.cat WHEN 'user_annotation' THEN CAST(e.pid AS TEXT) END,
       CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END,
       CASE e.cat WHEN 'gpu_user_annotation' THEN CAST(e.pid AS TEXT) END, e.step,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_faults CROSS JOIN kineto_events AS e CROSS JOIN device_traces AS t USING (trace)
WHERE steps AND e.name GLOB 'ProfilerStep#*' AND e.cat IN ('user_annotation', 'gpu_user_annotation');

-- ---- 3. Which events are the devices' ----

-- MTIA has one category, and names say copies and waits. Of synchronisation, waits of a stream are the device's;
-- the host's own waits have no stream, or -1.
DROP TABLE IF EXISTS temp.kineto_kinds;
CREATE TEMP TABLE kineto_kinds AS
WITH each AS MATERIALIZED (
  SELECT DISTINCT g.cat, e.name FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.is_device CROSS JOIN kineto_events AS e ON e.rowid = p.id
),
names AS (
  SELECT cat, name,
         CASE
           WHEN cat IN ('kernel', 'concurrent_kernel') THEN 'kernel'
           WHEN cat IN ('gpu_memcpy', 'memcpy') THEN 'memcpy'
           WHEN cat IN ('gpu_memset', 'memset') THEN 'memset'
           WHEN cat = 'cuda_sync' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' AND name GLOB 'dma*' THEN 'memcpy'
           WHEN cat = 'mtia_ccp_events' AND name GLOB '*event_wait*' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' THEN 'kernel'
         END AS kind
  FROM each
)
SELECT cat, name, kind, dense_rank() OVER (ORDER BY name) AS nth,
       (SELECT class FROM device_class_rules AS r
        WHERE n.kind GLOB r.kind AND lower(n.name) GLOB r.name ORDER BY r.priority LIMIT 1) AS class
FROM names AS n WHERE kind IS NOT NULL;
CREATE INDEX temp.kineto_kind ON kineto_kinds(cat, name);
INSERT INTO kineto_left_out
SELECT e.trace, 'warning', 'unknown_event', count(*), 'events of a device or with a correlation, or of no known phase, of categories that are not known: left out; these are ' || group_concat(DISTINCT e.cat)
FROM (SELECT 1 FROM kineto_groups WHERE is_strange LIMIT 1) CROSS JOIN kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part CROSS JOIN kineto_events AS e ON e.rowid = p.id
WHERE g.is_strange AND (e.cat GLOB 'phase *' OR e.stream IS NOT NULL OR e.correlation IS NOT NULL)
GROUP BY e.trace;

-- The devices' events, in numbers: kind is a row of kineto_kinds.
DROP TABLE IF EXISTS temp.kineto_activity;
CREATE TEMP TABLE kineto_activity(id INTEGER PRIMARY KEY, part INTEGER, kind INTEGER, start_ns INTEGER, end_ns INTEGER, correlation, device, stream);
INSERT INTO kineto_activity
SELECT p.id, p.part, k.rowid, p.start_ns, p.end_ns, e.correlation, e.device, e.stream
FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.is_device CROSS JOIN kineto_events AS e ON e.rowid = p.id
CROSS JOIN kineto_kinds AS k ON k.cat = g.cat AND k.name = e.name;

-- A device's time that is none: 0 or a second and more before anything that the host did, an hour after it, or 0 where
-- its own call came later.
DROP TABLE IF EXISTS temp.kineto_lost;
CREATE TEMP TABLE kineto_lost AS
WITH span AS MATERIALIZED (
  SELECT part, min(start_ns) AS begin_ns, min(end_ns) AS first_end_ns, max(end_ns) AS last_ns, min(start_ns) FILTER (WHERE start_ns > 0) AS device_ns
  FROM kineto_parts GROUP BY part
),
host AS MATERIALIZED (
  SELECT g.trace, min(begin_ns) AS begin_ns, max(last_ns) AS last_ns FROM span CROSS JOIN kineto_groups AS g ON g.id = part WHERE is_host GROUP BY g.trace
  UNION ALL -- of a trace without a host, a day before and after the middle one
  SELECT trace, start_ns - 86399000000000, start_ns + 82800000000000 FROM (
    SELECT f.trace, p.start_ns, row_number() OVER (PARTITION BY f.trace ORDER BY p.start_ns) AS nth, count(*) OVER (PARTITION BY f.trace) AS n
    FROM kineto_files AS f CROSS JOIN kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.trace = f.trace
    WHERE g.is_device AND f.trace NOT IN (SELECT trace FROM kineto_groups WHERE is_host))
  WHERE nth = (n + 1) / 2
),
first AS MATERIALIZED (
  SELECT g.trace, min(device_ns) AS device_ns FROM span CROSS JOIN kineto_groups AS g ON g.id = part WHERE is_device AND device_ns > 0 GROUP BY g.trace
),
suspect AS MATERIALIZED ( -- groups in which an event may be lost
  SELECT g.id AS part, g.trace, h.begin_ns, h.last_ns, f.device_ns
  FROM span AS s CROSS JOIN kineto_groups AS g ON g.id = s.part LEFT JOIN host AS h ON h.trace = g.trace LEFT JOIN first AS f ON f.trace = g.trace
  WHERE g.is_device AND ((s.first_end_ns < h.begin_ns - 1800000000000 OR s.begin_ns < 0 AND s.first_end_ns < h.begin_ns - 1000000000) OR s.last_ns > h.last_ns + 3600000000000 OR s.begin_ns <= 0)
)
SELECT d.id, s.trace, (SELECT name FROM kineto_events AS e WHERE e.rowid = d.id) AS name
FROM (SELECT 1 FROM suspect LIMIT 1) CROSS JOIN kineto_activity AS d JOIN suspect AS s ON s.part = d.part
WHERE (d.end_ns < begin_ns - 1800000000000 OR d.start_ns < 0 AND d.end_ns < begin_ns - 1000000000) OR d.end_ns > last_ns + 3600000000000
   OR (d.start_ns <= 0 AND d.end_ns <= 0 AND (begin_ns > 0 OR device_ns > 1000000000))
   OR (d.start_ns <= 0 AND begin_ns > 1000000000);
INSERT INTO kineto_left_out
SELECT trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(name) || '"'
FROM kineto_lost GROUP BY trace;
DELETE FROM kineto_activity WHERE id IN (SELECT id FROM kineto_lost);
DELETE FROM kineto_parts WHERE id IN (SELECT id FROM kineto_lost);
DROP TABLE temp.kineto_lost;
INSERT INTO kineto_left_out
SELECT g.trace, 'warning', 'no_device_event', count(*),
       'events, none of which is a device''s: of a category or dialect that is not known'
FROM kineto_groups AS g CROSS JOIN kineto_parts AS p ON p.part = g.id
WHERE g.trace NOT IN (SELECT trace FROM (SELECT DISTINCT part FROM kineto_activity) CROSS JOIN kineto_groups ON id = part) AND g.trace IN (SELECT trace FROM kineto_files)
GROUP BY g.trace;

INSERT INTO kineto_left_out
SELECT trace, 'warning', 'no_device_event', 1, 'a trace without an event of a device or of the host' FROM kineto_files WHERE trace NOT IN (SELECT trace FROM kineto_groups);
INSERT INTO kineto_left_out
SELECT t.trace, 'warning', 'parallel_logs', 1, 'another trace is of the same rank and step: collectives take the two for two ranks. Is it of another job?'
FROM kineto_files AS f JOIN device_traces AS t USING (trace) WHERE t.rank IN (SELECT DISTINCT t.rank FROM device_traces AS t JOIN device_steps AS s USING (trace) WHERE t.rank IS NOT NULL GROUP BY t.rank, s.step HAVING count(DISTINCT t.trace) > 1);

-- A stream runs in order. A kernel that lasts beyond the end of the next one, which another call launched, overran:
-- it ends where that begins.
-- An activity that comes twice counts once.
DROP TABLE IF EXISTS temp.kineto_overruns;
DROP TABLE IF EXISTS temp.kineto_sorted;
CREATE TEMP TABLE kineto_sorted AS -- neighbours by rowid
SELECT g.process, d.device, d.stream, k.kind, d.start_ns, d.end_ns, k.nth, d.correlation, d.id
FROM kineto_activity AS d CROSS JOIN kineto_groups AS g ON g.id = d.part CROSS JOIN kineto_kinds AS k ON k.rowid = d.kind
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
CREATE TEMP TABLE kineto_overruns AS
WITH neighbour AS (
  SELECT e.id, e.start_ns = n.start_ns AND e.end_ns = n.end_ns AND e.nth = n.nth AND n.correlation IS e.correlation AS is_again, n.start_ns AS next_ns,
         e.kind = 'kernel' AND e.stream IS NOT NULL AND e.end_ns > n.end_ns AND n.start_ns > e.start_ns AND coalesce(n.correlation <> e.correlation, 1)
           AND e.end_ns - n.end_ns > n.end_ns - e.start_ns AS is_over
  FROM kineto_sorted AS e CROSS JOIN kineto_sorted AS n ON n.rowid = e.rowid + 1
  WHERE n.start_ns < e.end_ns + (n.start_ns = e.start_ns) AND e.process = n.process AND e.device IS n.device AND e.stream IS n.stream AND e.kind = n.kind
)
SELECT v.id, e.trace, e.name, next_ns, is_again FROM neighbour AS v CROSS JOIN kineto_events AS e ON e.rowid = v.id WHERE is_over OR is_again;
DROP TABLE kineto_sorted;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(name) || '"'
FROM kineto_overruns WHERE NOT is_again GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once; the first is "' || min(name) || '"'
FROM kineto_overruns WHERE is_again GROUP BY trace;
UPDATE kineto_activity SET end_ns = o.next_ns FROM kineto_overruns AS o WHERE o.id = kineto_activity.id AND NOT o.is_again;
DELETE FROM kineto_activity WHERE id IN (SELECT id FROM kineto_overruns WHERE is_again);
DROP TABLE temp.kineto_overruns;

DROP TABLE IF EXISTS temp.kineto_shared;
CREATE TEMP TABLE kineto_shared AS
SELECT g.trace, d.device
FROM (SELECT 1 FROM kineto_groups WHERE label_name <> '' LIMIT 1) CROSS JOIN kineto_activity AS d CROSS JOIN kineto_groups AS g ON g.id = d.part
WHERE d.device IS NOT NULL AND g.pid IS NOT NULL GROUP BY 1, 2 HAVING count(DISTINCT g.label_name) > 1;
