-- kineto.sql - from Chrome traces of PyTorch's profiler to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ input :trace sure (?s)\A\s*\{.*"(?:deviceProperties|schemaVersion|baseTimeNanoseconds|distributedInfo)"\s*:.*"traceEvents"\s*:
--@ input :trace sure (?s)\A\s*(?:\[\s*\{|\{.*"traceEvents"\s*:\s*\[).*"cat"\s*:\s*"(?:kernel|Kernel|gpu_memcpy|cpu_op|cuda_runtime|Operator)"
--@ input :trace sure (?s)\A\s*(?:\[\s*\{|\{.*"traceEvents"\s*:\s*\[).*"name"\s*:\s*"(?:Ascend Hardware|HCCL|CANN|GPU\d+|CPU HIP API)"
--@ input :trace likely \A\s*\[\s*\{[^{}]*"ph"\s*:\s*"[A-Za-z]"
--
--     .load ./mpg
--     .read sql/device.sql
--     .param set :trace fixtures/profile/rank*.json
--     .read sql/formats/kineto.sql
--     .read sql/device_views.sql
--     SELECT * FROM device_time;
--
-- :trace is a path, glob or folder. NVIDIA, AMD, Intel and MTIA; old traces with capital categories too.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE kineto_events AS
--     SELECT _file AS trace, lower(cat) AS cat, name, start_ns, end_ns, pid, tid, step, correlation, device,
--            stream, bytes, bandwidth_gb_s, collective, group_size, input_dims, input_type, concrete_inputs
--     FROM chrome_trace('rank*.json')
--     WHERE ph = 'X';
--     CREATE TEMP TABLE kineto_files AS
--     SELECT _file AS trace, rank, world_size, base_time_ns, devices, properties FROM chrome_trace_info('rank*.json');
--
-- The inputs are dropped at the end. The rules are explained in docs/device-activity.md.

-- ---- 1. The inputs ----

-- Events of a phase that the format does not have are of no known category.
CREATE TEMP TABLE IF NOT EXISTS kineto_events AS
SELECT _file AS trace, iif(ph = 'X', lower(cat), 'phase ' || coalesce(ph, 'none')) AS cat, coalesce(name, '?') AS name, start_ns, end_ns, pid, tid, step, correlation, device,
       stream, bytes, bandwidth_gb_s, collective, group_size, input_dims, input_type, concrete_inputs
FROM chrome_trace(mpg_required(:trace, ':trace'))
WHERE ph = 'X' OR (ph IS NULL AND start_ns IS NOT NULL) OR (ph = 'B' AND lower(cat) IN ('kernel', 'gpu_memcpy', 'gpu_memset')) OR ph NOT IN ('M', 'i', 'I', 's', 't', 'f', 'b', 'n', 'e', 'B', 'E', 'C', 'R', 'P', 'N', 'O', 'D', 'S', 'T', 'p', 'F', 'v', 'V', 'c', '(', ')');

CREATE TEMP TABLE IF NOT EXISTS kineto_files AS
SELECT _file AS trace, rank, world_size, base_time_ns, devices, properties FROM chrome_trace_info(mpg_required(:trace, ':trace'));

-- Ascend's profiler and rocprof's give the devices' events no category: the process's name says which they are. Only
-- traces that hold such events are read again, for their metadata.
DROP TABLE IF EXISTS temp.kineto_processes;
CREATE TEMP TABLE kineto_processes AS
SELECT f.trace, m.pid, max(json_extract(m.args, '$.name')) AS name
FROM (SELECT DISTINCT trace FROM kineto_events WHERE cat IS NULL) AS f CROSS JOIN chrome_trace(f.trace) AS m
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
WHERE p.trace = kineto_events.trace AND p.pid = kineto_events.pid AND kineto_events.cat IS NULL;

-- What is left out, and why; mpg_issues mentions it at the end.
DROP TABLE IF EXISTS temp.kineto_left_out;
CREATE TEMP TABLE kineto_left_out (trace TEXT, severity TEXT, kind TEXT, count INTEGER, detail TEXT);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'unknown_event', count(*),
       'events without a category, of a process that is no known device: left out; the first is "' || min(name) || '"'
FROM kineto_events WHERE cat IS NULL GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'missing_field', count(*), 'events without a name: one of a device is called "?", and its category alone tells its class'
FROM kineto_events WHERE name = '?' GROUP BY trace;
INSERT INTO kineto_left_out
SELECT e.trace, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || min(e.name) || '"'
FROM kineto_events AS e JOIN kineto_files AS f USING (trace)
WHERE e.cat IS NOT NULL AND (e.start_ns IS NULL OR e.end_ns IS NULL OR e.end_ns < e.start_ns
                             OR e.end_ns > 9223372036854775807 - coalesce(f.base_time_ns, 0))
GROUP BY e.trace;
DELETE FROM kineto_events
WHERE cat IS NULL OR start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns
   OR end_ns > 9223372036854775807 - coalesce((SELECT max(base_time_ns) FROM kineto_files), 0);

-- A correlation of 0 is none.
UPDATE kineto_events SET correlation = NULL WHERE correlation = 0;

-- Before annotations had a category of their own, a step was an operator.
UPDATE kineto_events SET cat = 'user_annotation' WHERE cat IN ('cpu_op', 'operator') AND name GLOB 'ProfilerStep#*';

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

-- ---- 2. Steps and ranges ----

INSERT INTO device_ranges (trace, rank, side, thread, name, start_ns, end_ns)
SELECT e.trace, t.rank, CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END, CAST(e.tid AS TEXT), e.name,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_events AS e JOIN device_traces AS t USING (trace)
WHERE e.cat IN ('user_annotation', 'gpu_user_annotation');

INSERT INTO device_steps (trace, rank, process, side, device, step, start_ns, end_ns)
SELECT e.trace, t.rank, CASE e.cat WHEN 'user_annotation' THEN CAST(e.pid AS TEXT) END,
       CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END,
       CASE e.cat WHEN 'gpu_user_annotation' THEN CAST(e.pid AS TEXT) END, e.step,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_events AS e JOIN device_traces AS t USING (trace)
WHERE e.name GLOB 'ProfilerStep#*' AND e.cat IN ('user_annotation', 'gpu_user_annotation');

-- ---- 3. Which events are the devices' ----

-- MTIA has one category, and names say copies and waits. Of synchronisation, waits of a stream are the device's;
-- the host's own waits have no stream, or -1.
DROP TABLE IF EXISTS temp.kineto_kinds;
CREATE TEMP TABLE kineto_kinds AS
WITH names AS (
  SELECT DISTINCT cat, name,
         CASE
           WHEN cat IN ('kernel', 'concurrent_kernel') THEN 'kernel'
           WHEN cat IN ('gpu_memcpy', 'memcpy') THEN 'memcpy'
           WHEN cat IN ('gpu_memset', 'memset') THEN 'memset'
           WHEN cat = 'cuda_sync' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' AND name GLOB 'dma*' THEN 'memcpy'
           WHEN cat = 'mtia_ccp_events' AND name GLOB '*event_wait*' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' THEN 'kernel'
         END AS kind
  FROM kineto_events
)
SELECT cat, name, kind,
       (SELECT class FROM device_class_rules AS r
        WHERE n.kind GLOB r.kind AND lower(n.name) GLOB r.name ORDER BY r.priority LIMIT 1) AS class
FROM names AS n WHERE kind IS NOT NULL;
CREATE INDEX temp.kineto_kind ON kineto_kinds(cat, name);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'unknown_event', count(*), 'events of a device or of no known phase, of categories that are not known: left out; these are ' || group_concat(DISTINCT cat)
FROM kineto_events
WHERE cat GLOB 'phase *' OR (stream IS NOT NULL AND cat NOT IN (SELECT cat FROM kineto_kinds)
      AND cat NOT IN ('gpu_user_annotation', 'user_annotation', 'cpu_op', 'operator', 'overhead', 'ac2g', 'async_cpu_to_gpu', 'python_function', 'runtime', 'driver')
      AND cat NOT GLOB '*_runtime' AND cat NOT GLOB '*_driver')
GROUP BY trace;

-- A device's time that is none: 0 or a second and more before anything that the host did, an hour after it, or 0 where
-- its own call came later.
DROP TABLE IF EXISTS temp.kineto_lost;
CREATE TEMP TABLE kineto_lost AS
WITH host AS MATERIALIZED (
  SELECT trace, min(start_ns) AS begin_ns, max(end_ns) AS last_ns FROM kineto_events
  WHERE cat IN ('cpu_op', 'operator', 'user_annotation', 'runtime', 'driver') OR cat GLOB '*_runtime' OR cat GLOB '*_driver'
  GROUP BY trace
),
first AS MATERIALIZED (
  SELECT e.trace, min(e.start_ns) AS device_ns FROM kineto_events AS e JOIN kineto_kinds USING (cat, name)
  WHERE e.start_ns > 0 GROUP BY e.trace
)
SELECT e.rowid AS id, e.trace, e.name
FROM kineto_events AS e JOIN kineto_kinds USING (cat, name)
LEFT JOIN host AS h ON h.trace = e.trace LEFT JOIN first AS d ON d.trace = e.trace
WHERE e.end_ns < h.begin_ns - 1000000000 OR e.start_ns > h.last_ns + 3600000000000
   OR (e.start_ns <= 0 AND e.end_ns <= 0 AND (h.begin_ns > 0 OR d.device_ns > 1000000000))
   OR (e.start_ns <= 0 AND h.begin_ns > 1000000000);
INSERT INTO kineto_left_out
SELECT trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(name) || '"'
FROM kineto_lost GROUP BY trace;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_lost);
DROP TABLE temp.kineto_lost;
INSERT INTO kineto_left_out
SELECT f.trace, 'warning', 'no_device_event', count(*),
       'events, none of which is a device''s: of a category or dialect that is not known'
FROM kineto_files AS f JOIN kineto_events AS e USING (trace)
WHERE f.trace NOT IN (SELECT e.trace FROM kineto_events AS e JOIN kineto_kinds USING (cat, name))
GROUP BY f.trace;

-- A stream runs in order. A kernel that lasts beyond the end of the next one, which another call launched, overran:
-- it ends where that begins.
-- An activity that comes twice counts once.
DROP TABLE IF EXISTS temp.kineto_overruns;
CREATE TEMP TABLE kineto_overruns AS
WITH ordered AS (
  SELECT e.rowid AS id, e.trace, e.name, e.start_ns, e.end_ns, e.correlation, k.kind = 'kernel' AND e.stream IS NOT NULL AS is_kernel,
         lead(e.start_ns) OVER o AS next_ns, lead(e.end_ns) OVER o AS next_end_ns, lead(e.correlation) OVER o AS next, lead(e.name) OVER o AS next_name
  FROM kineto_events AS e JOIN kineto_kinds AS k USING (cat, name)
  WINDOW o AS (PARTITION BY e.trace, e.pid, e.device, e.stream, k.kind ORDER BY e.start_ns, e.end_ns, e.name, e.correlation)
)
SELECT id, trace, name, next_ns, start_ns = next_ns AND end_ns = next_end_ns AND name = next_name AND correlation IS next AS is_again FROM ordered
WHERE (is_kernel AND end_ns > next_end_ns AND next_ns > start_ns AND coalesce(next <> correlation, 1) AND end_ns - next_end_ns > next_end_ns - start_ns)
   OR (start_ns = next_ns AND end_ns = next_end_ns AND name = next_name AND correlation IS next);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(name) || '"'
FROM kineto_overruns WHERE NOT is_again GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once; the first is "' || min(name) || '"'
FROM kineto_overruns WHERE is_again GROUP BY trace;
UPDATE kineto_events SET end_ns = o.next_ns FROM kineto_overruns AS o WHERE o.id = kineto_events.rowid AND NOT o.is_again;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_overruns WHERE is_again);
DROP TABLE temp.kineto_overruns;

-- Ranks merged into one file: '[R0] 70' is process 70 of what is labelled [R0]. Correlations, devices and steps are
-- each label's own. Without labels, steps are those of the process where several mark some.
DROP TABLE IF EXISTS temp.kineto_pids;
CREATE TEMP TABLE kineto_pids AS
WITH pids AS (SELECT DISTINCT trace, pid FROM kineto_events),
several AS MATERIALIZED (
  SELECT trace FROM kineto_events WHERE cat = 'user_annotation' AND name GLOB 'ProfilerStep#*'
  GROUP BY trace HAVING count(DISTINCT pid) > 1
)
SELECT trace, pid, CASE WHEN pid GLOB '[[]*] *' THEN substr(pid, 1, instr(pid, ']')) ELSE '' END AS label,
       CASE WHEN pid GLOB '[[]*] *' THEN substr(pid, 1, instr(pid, ']'))
            WHEN trace IN several THEN CAST(pid AS TEXT) ELSE '' END AS scope
FROM pids;
CREATE INDEX temp.kineto_pid ON kineto_pids(trace, pid);
DROP TABLE IF EXISTS temp.kineto_shared;
CREATE TEMP TABLE kineto_shared AS
SELECT e.trace, e.device FROM kineto_events AS e JOIN kineto_kinds USING (cat, name)
JOIN kineto_pids AS p ON p.trace = e.trace AND p.pid = e.pid
WHERE e.device IS NOT NULL GROUP BY 1, 2 HAVING count(DISTINCT p.label) > 1;

-- ---- 4. Calls of the host ----

-- A correlation names one call. Its operator is the innermost on the same thread around it: external ids, which
-- should say, are those of correlations in traces of 2022 and before. outermost: that around an operator, beyond
-- which no search has to go back. Of 256 operators the latest end is kept, to pass over those that all ended before.
DROP TABLE IF EXISTS temp.kineto_operators;
CREATE TEMP TABLE kineto_operators AS
WITH ordered AS (
  SELECT row_number() OVER (ORDER BY trace, pid, tid, start_ns, end_ns DESC) AS id, trace, pid, tid, name, start_ns, end_ns,
         max(end_ns) OVER (PARTITION BY trace, pid, tid ORDER BY start_ns, end_ns DESC
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM kineto_events WHERE cat IN ('cpu_op', 'operator')
)
SELECT id, trace, pid, tid, name, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN id END) OVER (PARTITION BY trace, pid, tid ORDER BY id) AS outermost
FROM ordered;
CREATE UNIQUE INDEX temp.kineto_operator ON kineto_operators(id, end_ns);
CREATE INDEX temp.kineto_operator_begins ON kineto_operators(trace, pid, tid, start_ns, id);

DROP TABLE IF EXISTS temp.kineto_operator_ends;
CREATE TEMP TABLE kineto_operator_ends AS
SELECT trace, pid, tid, id / 256 AS block, max(end_ns) AS end_ns FROM kineto_operators GROUP BY 1, 2, 3, 4;
CREATE INDEX temp.kineto_operator_end ON kineto_operator_ends(trace, pid, tid, block, end_ns);

DROP TABLE IF EXISTS temp.kineto_launches;
CREATE TEMP TABLE kineto_launches AS
WITH calls AS (
  SELECT trace, correlation, min(start_ns) AS launch_ns, end_ns, name, pid, tid, label, scope
  FROM kineto_events JOIN kineto_pids USING (trace, pid)
  WHERE correlation IN (SELECT d.correlation FROM kineto_events AS d JOIN kineto_kinds USING (cat, name))
    AND (cat IN ('runtime', 'driver') OR cat GLOB '*_runtime' OR cat GLOB '*_driver')
  GROUP BY trace, label, pid, correlation
),
latest AS (
  SELECT *, (SELECT o.id FROM kineto_operators AS o
             WHERE o.trace = c.trace AND o.pid = c.pid AND o.tid = c.tid AND o.start_ns <= c.launch_ns
             ORDER BY o.start_ns DESC, o.id DESC LIMIT 1) AS latest
  FROM calls AS c
)
SELECT c.trace, c.correlation, c.launch_ns, c.end_ns AS launch_end_ns, c.name AS launch_name, CAST(c.tid AS TEXT) AS launch_thread,
       CAST(c.pid AS TEXT) AS process, c.label, c.scope, i.name AS op, i.start_ns AS op_ns
FROM latest AS c
LEFT JOIN kineto_operators AS l ON l.id = c.latest
LEFT JOIN kineto_operators AS i ON i.id = coalesce(
  (SELECT o.id FROM kineto_operators AS o
   WHERE o.id BETWEEN max(l.outermost, l.id - l.id % 256) AND l.id AND o.end_ns >= c.end_ns ORDER BY o.id DESC LIMIT 1),
  (SELECT o.id FROM kineto_operators AS o
   WHERE o.end_ns >= c.end_ns AND o.id BETWEEN l.outermost AND 255 + 256 * (
     SELECT e.block FROM kineto_operator_ends AS e
     WHERE e.trace = c.trace AND e.pid = c.pid AND e.tid = c.tid AND e.block BETWEEN l.outermost / 256 AND l.id / 256 - 1 AND e.end_ns >= c.end_ns
     ORDER BY e.block DESC LIMIT 1)
   ORDER BY o.id DESC LIMIT 1));
CREATE INDEX temp.kineto_launch ON kineto_launches(trace, label, correlation, launch_ns);

-- ---- 5. What the devices did ----

-- The step is the one of the host in which it was launched: one lookup for each call. Where no activity of a trace has
-- a stream, as with Intel's, it is what the trace lists an activity under, in place of a thread. Some of MTIA's have
-- one and some have none, which HTA leaves out. outer_ns is that of steps that overlap.
DROP TABLE IF EXISTS temp.kineto_host_steps;
CREATE TEMP TABLE kineto_host_steps AS
WITH ordered AS (
  SELECT s.trace, p.scope, s.step, s.start_ns - t.base_ns AS start_ns, s.end_ns - t.base_ns AS end_ns,
         max(s.end_ns) OVER (PARTITION BY s.trace, p.scope ORDER BY s.start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - t.base_ns AS covered
  FROM device_steps AS s JOIN device_traces AS t USING (trace)
  JOIN (SELECT DISTINCT trace, CAST(pid AS TEXT) AS process, scope FROM kineto_pids) AS p ON p.trace = s.trace AND p.process = s.process
  WHERE s.side = 'host' AND s.trace IN (SELECT trace FROM kineto_files)
)
SELECT trace, scope, step, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY trace, scope ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.kineto_host_step ON kineto_host_steps(trace, scope, start_ns);

INSERT INTO device_activity (trace, rank, process, device, chip, stream, class, kind, name, start_ns, end_ns, step,
                             correlation, launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes,
                             gb_per_s, collective, group_size)
WITH without_streams AS MATERIALIZED (
  SELECT trace FROM kineto_events JOIN kineto_kinds USING (cat, name) GROUP BY trace HAVING count(stream) = 0
)
SELECT e.trace, t.rank, l.process,
       iif((e.trace, e.device) IN (SELECT trace, device FROM kineto_shared), p.label || ' ', '') || coalesce(e.device, e.pid),
       coalesce(d.chip, s.chip),
       CAST(coalesce(e.stream, iif(e.trace IN without_streams, e.tid, NULL)) AS TEXT), k.class, k.kind,
       e.name, e.start_ns + t.base_ns, e.end_ns + t.base_ns,
       (SELECT s.step FROM kineto_host_steps AS s
        WHERE s.trace = e.trace AND s.scope = l.scope AND s.start_ns <= l.launch_ns AND l.launch_ns < s.end_ns
          AND s.start_ns >= (SELECT o.outer_ns FROM kineto_host_steps AS o
                             WHERE o.trace = e.trace AND o.scope = l.scope AND o.start_ns <= l.launch_ns ORDER BY o.start_ns DESC LIMIT 1)
        ORDER BY s.start_ns DESC LIMIT 1),
       e.correlation, l.launch_ns + t.base_ns, l.launch_end_ns + t.base_ns, l.launch_name, l.launch_thread, l.op,
       l.op_ns + t.base_ns, e.bytes, e.bandwidth_gb_s, e.collective, e.group_size
FROM kineto_events AS e
JOIN kineto_kinds AS k USING (cat, name)
JOIN device_traces AS t USING (trace)
JOIN kineto_pids AS p ON p.trace = e.trace AND p.pid IS e.pid
-- Of several calls of one correlation, in processes that no label says apart, the latest before the activity.
LEFT JOIN kineto_launches AS l ON l.rowid = coalesce(
  (SELECT c.rowid FROM kineto_launches AS c
   WHERE c.trace = e.trace AND c.label = p.label AND c.correlation = e.correlation AND c.launch_ns <= e.start_ns
   ORDER BY c.launch_ns DESC LIMIT 1),
  (SELECT c.rowid FROM kineto_launches AS c
   WHERE c.trace = e.trace AND c.label = p.label AND c.correlation = e.correlation ORDER BY c.launch_ns LIMIT 1))
LEFT JOIN kineto_devices AS d ON d.trace = e.trace AND d.device = CAST(coalesce(e.device, e.pid) AS TEXT)
LEFT JOIN kineto_alike AS s ON s.trace = e.trace
WHERE k.kind <> 'sync' OR coalesce(e.stream, -1) <> -1;

-- ---- 6. Operators with known work ----

-- One call of work may be several operators, one inside the other. It counts at the outermost of those that do it;
-- wrappers, which choose one of several ways, only where nothing inside them has a price.
DROP TABLE IF EXISTS temp.kineto_priced;
CREATE TEMP TABLE kineto_priced AS
SELECT trace, pid, tid, name, start_ns, end_ns, input_dims, input_type,
       op_flops(name, input_dims, concrete_inputs, input_type) AS flops, op_bytes(name, input_dims, input_type, concrete_inputs) AS bytes,
       name IN ('aten::linear', 'aten::matmul', 'aten::scaled_dot_product_attention', 'aten::conv1d', 'aten::conv2d',
                'aten::conv3d') AS wrapper
FROM kineto_events
WHERE cat IN ('cpu_op', 'operator') AND input_dims IS NOT NULL AND op_flops(name, input_dims, concrete_inputs, input_type) IS NOT NULL;
CREATE INDEX temp.kineto_price ON kineto_priced(trace, pid, tid, start_ns);

DROP TABLE IF EXISTS temp.kineto_counted;
CREATE TEMP TABLE kineto_counted AS
WITH ordered AS (
  SELECT *, max(end_ns) FILTER (WHERE NOT wrapper) OVER before AS covered, max(end_ns) FILTER (WHERE wrapper) OVER before AS wrapped
  FROM kineto_priced
  WINDOW before AS (PARTITION BY trace, pid, tid ORDER BY start_ns, end_ns DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT * FROM ordered AS o
WHERE coalesce(start_ns >= covered, 1)
  AND (NOT wrapper OR (coalesce(start_ns >= wrapped, 1) AND NOT EXISTS (
    SELECT 1 FROM kineto_priced AS p
    WHERE p.trace = o.trace AND p.pid = o.pid AND p.tid = o.tid AND p.start_ns BETWEEN o.start_ns AND o.end_ns AND p.end_ns <= o.end_ns
      AND NOT p.wrapper)));

INSERT INTO device_operators (trace, rank, chip, step, thread, op, shapes, dtypes, start_ns, end_ns, flops, bytes, device_ns,
                              activities)
SELECT o.trace, t.rank, max(a.chip), max(a.step), CAST(o.tid AS TEXT), o.name, o.input_dims, o.input_type, o.start_ns + t.base_ns,
       o.end_ns + t.base_ns, o.flops, o.bytes, interval_union(a.start_ns, a.end_ns), count(a.trace)
FROM kineto_counted AS o
JOIN device_traces AS t USING (trace)
LEFT JOIN device_activity AS a
  ON a.trace = o.trace AND a.launch_thread = CAST(o.tid AS TEXT) AND a.process = CAST(o.pid AS TEXT) AND a.class <> 'sync'
 AND a.launch_ns BETWEEN o.start_ns + t.base_ns AND o.end_ns + t.base_ns
GROUP BY o.rowid;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT trace, severity, kind, NULL, count, detail FROM kineto_left_out;

DROP TABLE temp.kineto_events;
DROP TABLE temp.kineto_left_out;
DROP TABLE temp.kineto_processes;
DROP TABLE temp.kineto_pids;
DROP TABLE temp.kineto_shared;
DROP TABLE temp.kineto_priced;
DROP TABLE temp.kineto_counted;
DROP TABLE temp.kineto_files;
DROP TABLE temp.kineto_devices;
DROP TABLE temp.kineto_alike;
DROP TABLE temp.kineto_launches;
DROP TABLE temp.kineto_operators;
DROP TABLE temp.kineto_operator_ends;
DROP TABLE temp.kineto_kinds;
DROP TABLE temp.kineto_host_steps;
