-- device/xla_profile.sql - a profile of XLA, be it XProf's protobuf or its JSON, to device_activity and its companions (sql/device.sql).
--
-- Reads, and drops:
--   xla_events    a view of events less those in xla_left_out (device/xla_events.sql):
--                   id, trace, plane, line, start_ns, end_ns
--                   name           as the format has it; NULL: none
--                   shown          what to call it; '?': it has no name
--                   instruction    its HLO as text, or NULL
--                   thread         of the host, what to call its line
--                   group_id, step of the host's annotations; the step as text
--                   hlo_category, op (the framework's operator), flops, bytes
--                   correlation    of a call and what it launched
--                   memcpy, memset what the format tells of a copy or a set, or NULL
--   xla_planes    trace, plane, chip (NULL: not told), is_queue (1: a line of it holds several streams, as of AMD)
--   xla_traces    trace, format, base_ns (what is added to times), host
--   xla_timeless  of device/xla_events.sql
-- A part of xplane.sql and xprof.sql, which say what the parameters are.

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM xla_traces);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM xla_traces);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM xla_traces);
DELETE FROM device_operators WHERE trace IN (SELECT trace FROM xla_traces);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM xla_traces);
INSERT INTO device_traces (trace, format, base_ns, host) SELECT trace, format, base_ns, host FROM xla_traces;

-- ---- Steps ----

-- On TPU the device has a line of them; elsewhere the host's annotations (jax.profiler.StepTraceAnnotation) have a
-- number. A step of the device without one is that of the host in its group. A program that runs is a range of the device.
DROP TABLE IF EXISTS temp.xla_groups;
CREATE TEMP TABLE xla_groups AS
SELECT trace, group_id, min(step) AS step FROM xla_events
WHERE plane GLOB '/host:*' AND step IS NOT NULL AND group_id IS NOT NULL GROUP BY trace, group_id HAVING count(DISTINCT step) = 1;
CREATE INDEX temp.xla_group ON xla_groups(trace, group_id);

INSERT INTO device_steps (trace, side, device, step, start_ns, end_ns)
SELECT e.trace, 'device', e.plane, coalesce(e.step, g.step, e.name, '?'), e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM xla_events AS e JOIN xla_traces AS t USING (trace)
LEFT JOIN xla_groups AS g ON g.trace = e.trace AND g.group_id = e.group_id
WHERE e.plane GLOB '/device:*' AND e.line = 'Steps';
INSERT INTO device_steps (trace, side, step, start_ns, end_ns)
SELECT e.trace, 'host', e.step, e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM xla_events AS e JOIN xla_traces AS t USING (trace) WHERE e.plane GLOB '/host:*' AND e.step IS NOT NULL;
DROP TABLE xla_groups;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'conflict', count(*),
       'numbers of steps that annotations of several names have, one after the other: each number counts as one step; the first are '
         || min(names)
FROM (SELECT trace, group_concat(DISTINCT name) AS names FROM xla_events WHERE plane GLOB '/host:*' AND step IS NOT NULL
      GROUP BY trace, step HAVING min(name) <> max(name) AND max(start_ns) >= min(end_ns))
GROUP BY trace;

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT e.trace, 'device', e.plane || ' ' || e.line, e.shown, e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM xla_events AS e JOIN xla_traces AS t USING (trace) WHERE e.plane GLOB '/device:*' AND e.line = 'XLA Modules';

-- ---- Calls of the host, which GPUs have: a correlation is one of the file ----

DROP TABLE IF EXISTS temp.xla_launches;
CREATE TEMP TABLE xla_launches AS
SELECT trace, correlation, min(start_ns) AS start_ns, end_ns, name, thread
FROM xla_events WHERE plane GLOB '/host:*' AND correlation > 0 GROUP BY trace, correlation;
CREATE UNIQUE INDEX temp.xla_launch ON xla_launches(trace, correlation);

-- ---- What the devices did ----

-- Of GPUs, the streams; of TPUs, the lines of operations, less those that only hold others, by their category or, where
-- they have none, by their text or name: 'while.3'. Other lines say the same time again by step, module, operation of the
-- framework or source line: of GPUs XLA Ops too, which XProf derives from the streams.
DROP TABLE IF EXISTS temp.xla_activity;
CREATE TEMP TABLE xla_activity AS
SELECT trace, plane, line, shown AS name, instruction, start_ns, end_ns, hlo_category, op, flops, bytes, correlation, memcpy, memset,
       CASE
         WHEN memcpy IS NOT NULL OR name GLOB 'Memcpy*' THEN 'memcpy'
         WHEN memset IS NOT NULL OR name GLOB 'Memset*' THEN 'memset'
         ELSE 'kernel'
       END AS kind
FROM xla_events
WHERE plane GLOB '/device:*'
  AND (line GLOB 'Stream #*'
       OR (line IN ('XLA Ops', 'Async XLA Ops')
           AND (trace, plane) NOT IN (SELECT trace, plane FROM xla_events WHERE line GLOB 'Stream #*' AND plane IS NOT NULL)))
  AND coalesce(hlo_category, CASE
                               WHEN instruction GLOB '%* while(*), condition=*' OR instruction GLOB '%* conditional(*), *_computation*'
                                 OR instruction GLOB '%* call(*), to_apply=*' THEN 'call' END,
               rtrim(shown, '.0123456789')) NOT IN ('while', 'conditional', 'call');
CREATE TEMP VIEW device_xla AS SELECT trace, line, name, kind FROM xla_activity;
.read sql/formats/device/xla.sql
UPDATE xla_activity SET kind = n.kind FROM device_no_kernels AS n
WHERE n.name = xla_activity.name AND line GLOB 'Stream #*' AND xla_activity.kind = 'kernel';
DELETE FROM xla_activity WHERE kind IS NULL;
DROP TABLE device_no_kernels;
-- What is on both lines of a TPU has the counts of its instruction on each: they count where it begins.
UPDATE xla_activity SET flops = NULL, bytes = NULL
WHERE line = 'Async XLA Ops' AND (trace, plane, name) IN (SELECT trace, plane, name FROM xla_activity WHERE line = 'XLA Ops');

-- Launches of which nothing is there, if each kernel tells its call.
CREATE TEMP TABLE device_unseen AS
SELECT trace, thread, start_ns AS start, name FROM xla_launches
WHERE trace IN (SELECT trace FROM xla_activity GROUP BY trace HAVING total(kind = 'kernel' AND correlation IS NULL) = 0)
  AND ((name GLOB '[ch]*Launch*Kernel*' OR name GLOB '[ch]*GraphLaunch*')
       AND iif((trace, correlation) IN (SELECT trace, correlation FROM xla_activity WHERE correlation IS NOT NULL), 0, 1)
       AND iif((trace, correlation) IN (SELECT trace, correlation FROM xla_timeless), 0, 1)
       OR name GLOB '[ch]*StreamBeginCapture*' OR name GLOB '[ch]*StreamEndCapture*');
.read sql/formats/device/unseen.sql
DROP TABLE xla_timeless;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'impossible_value', count(*), 'bytes or FLOPs below 0 count as none; the first of "' || min(name) || '"'
FROM xla_activity WHERE bytes < 0 OR flops < 0 GROUP BY trace;
UPDATE xla_activity SET bytes = iif(bytes < 0, NULL, bytes), flops = iif(flops < 0, NULL, flops) WHERE bytes < 0 OR flops < 0;

-- A stream of a GPU runs in order (but for AMD's, where the line is a queue of several streams): a kernel that lasts beyond the end of the
-- next one, which another call launched, ends where that begins.
DROP TABLE IF EXISTS temp.xla_overruns;
CREATE TEMP TABLE xla_overruns AS
SELECT id, trace, name, next_ns FROM (
  SELECT rowid AS id, trace, name, start_ns, end_ns, correlation, lead(start_ns) OVER o AS next_ns, lead(end_ns) OVER o AS next_end_ns,
         lead(correlation) OVER o AS next
  FROM xla_activity
  WHERE kind = 'kernel' AND line GLOB 'Stream #*' AND trace NOT IN (SELECT trace FROM xla_launches WHERE name GLOB 'hip*')
    AND (trace, plane) NOT IN (SELECT trace, plane FROM xla_planes WHERE is_queue)
  WINDOW o AS (PARTITION BY trace, plane, line ORDER BY start_ns, end_ns, name, correlation)
)
WHERE end_ns > next_end_ns AND next_ns > start_ns AND coalesce(next <> correlation, 1) AND end_ns - next_end_ns > next_end_ns - start_ns;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(name) || '"'
FROM xla_overruns GROUP BY trace;
UPDATE xla_activity SET end_ns = o.next_ns FROM xla_overruns AS o WHERE o.id = xla_activity.rowid;
DROP TABLE xla_overruns;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, hlo_category, NULL AS told FROM xla_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

DROP TABLE IF EXISTS temp.xla_steps;
CREATE TEMP TABLE xla_steps AS
WITH ordered AS (
  SELECT s.trace, coalesce(s.device, '') AS device, s.step, s.start_ns - t.base_ns AS start_ns, s.end_ns - t.base_ns AS end_ns, -- '': host
         max(s.end_ns - t.base_ns) OVER (PARTITION BY s.trace, s.device
                                         ORDER BY s.start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM device_steps AS s JOIN xla_traces AS t USING (trace)
)
-- outer_ns: where the first of those that overlap begins, beyond which no search for the step of a moment has to go back.
SELECT trace, device, step, CAST(start_ns AS INTEGER) AS start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY trace, device
           ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.xla_step ON xla_steps(trace, device, start_ns);

-- The step is the one of the host in which it was launched, else the device's own.
INSERT INTO device_activity (trace, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, bytes, flops, collective)
SELECT a.trace, a.plane, p.chip, a.line, c.class, a.kind, a.name, a.start_ns + t.base_ns, a.end_ns + t.base_ns,
       coalesce((SELECT s.step FROM xla_steps AS s
                 WHERE s.trace = a.trace AND s.device = '' AND s.start_ns <= l.start_ns AND l.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xla_steps AS o
                                      WHERE o.trace = a.trace AND o.device = '' AND o.start_ns <= l.start_ns
                                      ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1),
                (SELECT s.step FROM xla_steps AS s
                 WHERE s.trace = a.trace AND s.device = a.plane AND s.start_ns <= a.start_ns AND a.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xla_steps AS o
                                      WHERE o.trace = a.trace AND o.device = a.plane AND o.start_ns <= a.start_ns
                                      ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1)),
       a.correlation, l.start_ns + t.base_ns, l.end_ns + t.base_ns, l.name, l.thread, a.op,
       -- 'kind_src:... size:4096 dest:0 async:1'
       coalesce(a.bytes, CAST(substr(a.memcpy, nullif(instr(a.memcpy, 'size:'), 0) + 5) AS INTEGER),
                CAST(substr(a.memset, nullif(instr(a.memset, 'num_bytes:'), 0) + 10) AS INTEGER)),
       -- XLA does not see into a custom call: 0 is no price. (A kernel of Pallas may say its own.)
       iif(a.flops <= 0 AND (a.hlo_category GLOB '*custom-call*' OR a.instruction GLOB '* custom-call(*' OR a.name GLOB 'custom-call*'), NULL,
           a.flops), c.collective
FROM xla_activity AS a
JOIN xla_traces AS t USING (trace)
JOIN device_classes AS c ON c.kind = a.kind AND c.name = a.name AND c.hlo_category IS a.hlo_category
LEFT JOIN xla_planes AS p ON p.trace = a.trace AND p.plane = a.plane
LEFT JOIN xla_launches AS l ON l.trace = a.trace AND l.correlation = a.correlation;

-- ---- What was left out ----

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of a device on lines that are not known: left out; these are ' || group_concat(DISTINCT coalesce(line, '?'))
FROM xla_events
WHERE plane GLOB '/device:*' AND coalesce(line, '?') NOT
    IN ('Steps', 'XLA Modules', 'XLA Ops', 'Async XLA Ops', 'XLA TraceMe', 'Launch Stats', 'Trace Context')
  AND coalesce(line, '?') NOT GLOB 'Stream #*' AND coalesce(line, '?') NOT GLOB 'Framework*'
  AND coalesce(line, '?') NOT GLOB 'TensorFlow*' AND coalesce(line, '?') NOT GLOB 'Source*' AND coalesce(line, '?') NOT GLOB 'Sparse*'
  AND coalesce(line, '?') NOT GLOB 'Host Offload*' AND coalesce(line, '?') NOT GLOB '*Scope*' AND coalesce(line, '?') NOT GLOB '*ounters*'
GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'info', 'other_spans', count(*), 'operations of SparseCores: left out'
FROM xla_events WHERE plane GLOB '/device:*' AND line GLOB 'Sparse*Core* Ops' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', count(*), 'events without a name, called "?"' FROM xla_events WHERE shown = '?' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of planes without a name, or with one that no device has: left out; the first is ' || min(coalesce(plane, name, '?'))
FROM xla_events WHERE plane IS NULL OR plane GLOB '?*/device:*' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*),
       iif(count(e.trace) = 0, 'a trace without an event', 'events, none of which is a device''s: of a plane or line that is not known')
FROM xla_traces AS t LEFT JOIN xla_events AS e USING (trace) WHERE trace NOT IN (SELECT trace FROM device_activity) GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*), 'devices without an operation: nothing is told of them; the first is ' || min(plane)
FROM xla_planes
WHERE plane GLOB '/device:?*:[0-9]*' AND plane NOT GLOB '* *' AND trace IN (SELECT trace FROM device_activity)
  AND (trace, plane) NOT IN (SELECT trace, device FROM device_activity)
GROUP BY trace;

CREATE TEMP TABLE device_told AS SELECT trace FROM xla_traces;
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM xla_traces WHERE (SELECT count(*) FROM device_traces) > 1;
.read sql/formats/device/alike.sql

DROP VIEW temp.xla_events;
DROP TABLE temp.xla_left_out;
DROP TABLE temp.xla_planes;
DROP TABLE temp.xla_traces;
DROP TABLE temp.xla_launches;
DROP TABLE temp.xla_activity;
DROP TABLE temp.xla_steps;
DROP TABLE temp.device_classes;
