-- xprof.sql - from the Chrome traces that XProf writes (trace.json.gz of JAX and TensorFlow) to device_activity and its
-- companions (sql/device.sql). The protobuf beside them (*.xplane.pb) has more: XProf cuts a trace.json at a million
-- events and leaves asynchronous operations out. Where there is one, read that: sql/formats/xplane.sql.
--
--@ fills device
--@ input :trace sure (?s)\A\s*\{\s*"displayTimeUnit"\s*:\s*"ns"\s*,\s*"metadata"\s*:\s*\{\s*"highres-ticks"
--@ input :trace sure (?s)\A\s*\{\s*"displayTimeUnit"\s*:\s*"ns"\s*,\s*"traceEvents"\s*:.*"name"\s*:\s*"/(?:device|host):
--
--     .load ./mpg
--     .read sql/device.sql
--     .param set :trace fixtures/profile/tpu.trace.json
--     .read sql/formats/xprof.sql
--     .read sql/device_views.sql
--
-- :trace is a path, glob or folder (of nothing but such files); :chip may say what the devices are (a name or alias of mpg_chips), which
-- these traces do not.
--
-- From a program, which cannot bind parameters to a script, create the inputs before running it:
--
--     CREATE TEMP TABLE xprof_input AS SELECT 'TPU v5e' AS chip;
--     CREATE TEMP TABLE xprof_events AS
--     SELECT _file AS trace, pid, process_name AS plane, thread_name AS line, name, start_ns, end_ns, step, hlo_category, tf_op,
--            hlo_op, flops, coalesce(bytes_accessed, raw_bytes_accessed) AS bytes, args
--     FROM chrome_trace('logs/plugins/profile/*/*.trace.json.gz') WHERE ph = 'X' AND start_ns IS NOT NULL AND dur_ns >= 0;
--
-- The inputs are dropped at the end. The rules are explained in docs/device-activity.md.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS xprof_input AS SELECT :chip AS chip;
CREATE TEMP TABLE IF NOT EXISTS xprof_events AS
SELECT _file AS trace, pid, process_name AS plane, thread_name AS line, coalesce(name, '?') AS name, start_ns, end_ns, step, hlo_category,
       tf_op,
       hlo_op, flops, coalesce(bytes_accessed, raw_bytes_accessed) AS bytes, args
FROM chrome_trace(mpg_required(:trace, ':trace'))
WHERE ph = 'X' OR (ph = 'M' AND name = 'process_name') OR (ph IS NULL AND start_ns IS NOT NULL)
  OR (ph IN ('B', 'b') AND process_name GLOB '/device:*')
  OR ph NOT IN ('M', 'i', 'I', 's', 't', 'f', 'b', 'n', 'e', 'B', 'E', 'C', 'R', 'P', 'N', 'O', 'D', 'S', 'T', 'p', 'F', 'v', 'V', 'c', '(',
                ')');

DROP TABLE IF EXISTS temp.xprof_traces;
CREATE TEMP TABLE xprof_traces AS SELECT DISTINCT trace FROM xprof_events;
DROP TABLE IF EXISTS temp.xprof_devices;
CREATE TEMP TABLE xprof_devices AS SELECT DISTINCT trace, plane
FROM xprof_events WHERE plane GLOB '/device:?*:[0-9]*' AND plane NOT GLOB '* *';
DELETE FROM xprof_events WHERE name = 'process_name' AND start_ns IS NULL;

-- JAX writes this beside the protobuf (HOST.trace.json.gz, HOST.xplane.pb), and a copy of it for Perfetto.
DROP TABLE IF EXISTS temp.xprof_copies;
CREATE TEMP TABLE xprof_copies AS
WITH others AS MATERIALIZED (
  SELECT trace, rtrim(trace, replace(trace, '/', '')) AS folder
  FROM device_traces WHERE format = 'xplane' AND trace IN (SELECT trace FROM device_activity)
  UNION ALL SELECT DISTINCT trace, rtrim(trace, replace(trace, '/', '')) FROM xprof_events WHERE trace NOT GLOB '*/perfetto_trace.json*'
)
SELECT e.trace, min(o.trace) AS other, count(*) AS n
FROM (SELECT DISTINCT trace FROM xprof_events) AS e
JOIN others AS o ON o.folder = rtrim(e.trace, replace(e.trace, '/', '')) AND o.trace <> e.trace
  AND (e.trace GLOB '*/perfetto_trace.json*'
       OR o.trace GLOB '*.xplane.pb*'
       AND substr(o.trace, 1, instr(o.trace || '.xplane.pb', '.xplane.pb'))
         = substr(e.trace, 1, instr(e.trace || '.trace.json', '.trace.json')))
GROUP BY e.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail) SELECT trace, 'info', 'ignored_file', 1,
    'a copy of what ' || other || ' says: left out' FROM xprof_copies;
DELETE FROM xprof_events WHERE trace IN (SELECT trace FROM xprof_copies);
DELETE FROM xprof_traces WHERE trace IN (SELECT trace FROM xprof_copies);
DROP TABLE xprof_copies;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'left_out', 1, 'a trace of a million events: XProf leaves out what is more'
FROM xprof_events GROUP BY trace HAVING count(*) >= 1000000;

-- What has no time or name, or comes twice.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || min(name) || '"'
FROM xprof_events WHERE start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns GROUP BY trace;
-- Their calls launched something (device/unseen.sql).
DROP TABLE IF EXISTS temp.xprof_timeless;
CREATE TEMP TABLE xprof_timeless(trace, correlation);
INSERT INTO xprof_timeless
SELECT trace, CAST(json_extract(args, '$.correlation_id') AS INTEGER) FROM xprof_events
WHERE (start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns) AND instr(args, '"correlation_id"') > 0;
DELETE FROM xprof_events WHERE start_ns IS NULL OR end_ns IS NULL OR end_ns < start_ns;
DROP TABLE IF EXISTS temp.xprof_lost;
CREATE TEMP TABLE xprof_lost AS
WITH host AS MATERIALIZED ( -- and what the device lists of steps and programs
  SELECT trace, min(start_ns) AS begin_ns, max(end_ns) AS last_ns FROM xprof_events
  WHERE plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules') GROUP BY trace
  UNION ALL -- of a trace without any of these, a day before and after the middle one
  SELECT trace, start_ns - 86399000000000, start_ns + 82800000000000 FROM (
    SELECT trace, start_ns, row_number() OVER (PARTITION BY trace ORDER BY start_ns) AS nth, count(*) OVER (PARTITION BY trace) AS n
    FROM xprof_events
    WHERE trace NOT IN (SELECT trace FROM xprof_events WHERE plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules')))
  WHERE nth = (n + 1) / 2
)
SELECT e.rowid AS id, trace, name FROM xprof_events AS e JOIN host USING (trace)
WHERE plane GLOB '/device:*' AND (end_ns > last_ns + 3600000000000
                                  OR (end_ns < begin_ns - 1800000000000 OR start_ns < 0 AND end_ns < begin_ns - 1000000000) OR start_ns <= 0
                                  AND begin_ns > 1000000000);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'lost_time', count(*),
       'events of a device long before or after all that the host did and all steps: left out; the first is "' || min(name) || '"'
FROM xprof_lost GROUP BY trace;
INSERT INTO xprof_timeless
SELECT e.trace, CAST(json_extract(args, '$.correlation_id') AS INTEGER) FROM xprof_lost AS l JOIN xprof_events AS e ON e.rowid = l.id
WHERE instr(args, '"correlation_id"') > 0;
DELETE FROM xprof_events WHERE rowid IN (SELECT id FROM xprof_lost);
DROP TABLE xprof_lost;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*), 'events of a process that has no name: left out; the first is "' || min(name) || '"'
FROM xprof_events WHERE plane IS NULL GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of processes that are called as no device is: left out; the first is ' || min(plane)
FROM xprof_events WHERE plane GLOB '?*/device:*' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', count(*), 'events without a name, called "?"' FROM xprof_events WHERE name = '?' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(DISTINCT pid) - 1,
       'processes of one name, ' || plane || ', in a file: they count as one device. Are they of several hosts?'
FROM xprof_events WHERE plane GLOB '/device:*' GROUP BY trace, plane HAVING count(DISTINCT pid) > 1;
DROP TABLE IF EXISTS temp.xprof_again;
CREATE TEMP TABLE xprof_again AS
SELECT id, trace, name
FROM (SELECT rowid AS id, trace, name, row_number() OVER (PARTITION BY trace, plane, line, start_ns, end_ns, name, args) AS nth
      FROM xprof_events WHERE plane GLOB '/device:*')
WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*), 'events of a device that come twice count once; the first is "' || min(name) || '"'
FROM xprof_again GROUP BY trace;
DELETE FROM xprof_events WHERE rowid IN (SELECT id FROM xprof_again);
DROP TABLE xprof_again;

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM xprof_traces);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM xprof_traces);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM xprof_traces);
DELETE FROM device_operators WHERE trace IN (SELECT trace FROM xprof_traces);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM xprof_traces);
INSERT INTO device_traces (trace, format) SELECT trace, 'xprof' FROM xprof_traces;

-- ---- 2. Steps and programs ----

-- Steps are a line of the device on TPU; elsewhere the host's annotations have a number. A step of the device without one is that of the
-- host in its group.
DROP TABLE IF EXISTS temp.xprof_groups;
CREATE TEMP TABLE xprof_groups AS
SELECT trace, json_extract(args, '$.group_id') AS group_id, min(step) AS step FROM xprof_events
WHERE plane GLOB '/host:*' AND step IS NOT NULL GROUP BY 1, 2 HAVING count(DISTINCT step) = 1;
INSERT INTO device_steps (trace, side, device, step, start_ns, end_ns)
SELECT e.trace, CASE WHEN plane GLOB '/device:*' THEN 'device' ELSE 'host' END,
       CASE WHEN plane GLOB '/device:*' THEN plane END, coalesce(e.step, g.step, e.name), start_ns, end_ns
FROM xprof_events AS e LEFT JOIN xprof_groups AS g ON g.trace = e.trace AND g.group_id = json_extract(e.args, '$.group_id')
WHERE (plane GLOB '/device:*' AND line = 'Steps') OR (plane GLOB '/host:*' AND e.step IS NOT NULL);
DROP TABLE xprof_groups;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'conflict', count(*),
       'numbers of steps that annotations of several names have, one after the other: each number counts as one step; the first are '
         || min(names) FROM (
  SELECT trace, group_concat(DISTINCT name) AS names FROM xprof_events WHERE plane GLOB '/host:*' AND step IS NOT NULL
  GROUP BY trace, step HAVING min(name) <> max(name) AND max(start_ns) >= min(end_ns)) GROUP BY trace;

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT trace, 'device', plane || ' ' || line, name, start_ns, end_ns
FROM xprof_events WHERE plane GLOB '/device:*' AND line = 'XLA Modules';

-- ---- 3. What the devices did ----

-- Of TPUs the line of operations, less those that only hold others (a while holds its body), by category or name; of GPUs the streams.
-- Other lines say the same time again: of GPUs XLA Ops too, which XProf derives from the streams.
DELETE FROM xprof_events
WHERE plane GLOB '/device:*' AND line IN ('XLA Ops', 'Async XLA Ops')
  AND (trace, plane) IN (SELECT trace, plane FROM xprof_events WHERE line GLOB 'Stream #*');

-- The host's calls, which GPUs have: a correlation is one of the file.
DROP TABLE IF EXISTS temp.xprof_launches;
CREATE TEMP TABLE xprof_launches AS
SELECT trace, CAST(json_extract(args, '$.correlation_id') AS INTEGER) AS correlation, min(start_ns) AS start_ns, end_ns, name,
       line AS thread
FROM xprof_events
WHERE plane GLOB '/host:*' AND instr(args, '"correlation_id"') > 0 AND CAST(json_extract(args, '$.correlation_id') AS INTEGER) > 0
GROUP BY trace, correlation;
CREATE UNIQUE INDEX temp.xprof_launch ON xprof_launches(trace, correlation);

DROP TABLE IF EXISTS temp.xprof_activity;
CREATE TEMP TABLE xprof_activity AS
SELECT *,
       CASE WHEN memcpy IS NOT NULL OR name GLOB 'Memcpy*' THEN 'memcpy' WHEN memset IS NOT NULL OR name GLOB 'Memset*' THEN 'memset'
            ELSE 'kernel' END AS kind
FROM (SELECT trace, plane, line, name, start_ns, end_ns, hlo_category, tf_op, hlo_op, flops, bytes,
             nullif(CAST(json_extract(args, '$.correlation_id') AS INTEGER), 9223372036854775807) AS correlation,
             json_extract(args, '$.memcpy_details') AS memcpy,
             coalesce(json_extract(args, '$.memset_details'), json_extract(args, '$.Memset_details')) AS memset
      FROM xprof_events
      WHERE plane GLOB '/device:*' AND (line GLOB 'Stream #*' OR line IN ('XLA Ops', 'Async XLA Ops'))
        AND coalesce(hlo_category, CASE WHEN json_extract(args, '$.long_name') GLOB '%* while(*), condition=*'
                                            OR json_extract(args, '$.long_name') GLOB '%* conditional(*), *_computation*'
                                            OR json_extract(args, '$.long_name') GLOB '%* call(*), to_apply=*' THEN 'call' END,
                     rtrim(name, '.0123456789')) NOT IN ('while', 'conditional', 'call'));
CREATE TEMP VIEW device_xla AS SELECT trace, line, name, kind FROM xprof_activity;
.read sql/formats/device/xla.sql
UPDATE xprof_activity SET kind = n.kind FROM device_no_kernels AS n
WHERE n.name = xprof_activity.name AND line GLOB 'Stream #*' AND xprof_activity.kind = 'kernel';
DELETE FROM xprof_activity WHERE kind IS NULL;
DROP TABLE device_no_kernels;
-- What is on both lines of a TPU has the counts of its instruction on each: they count where it begins.
UPDATE xprof_activity SET flops = NULL, bytes = NULL
WHERE line = 'Async XLA Ops' AND (trace, plane, name) IN (SELECT trace, plane, name FROM xprof_activity WHERE line = 'XLA Ops');

-- Launches of which nothing is there, if each kernel tells its call.
CREATE TEMP TABLE device_unseen AS
SELECT trace, thread, start_ns AS start, name FROM xprof_launches
WHERE trace IN (SELECT trace FROM xprof_activity GROUP BY trace HAVING total(kind = 'kernel' AND correlation IS NULL) = 0)
  AND ((name GLOB '[ch]*Launch*Kernel*' OR name GLOB '[ch]*GraphLaunch*')
       AND (trace, correlation) NOT IN (SELECT trace, correlation FROM xprof_activity WHERE correlation IS NOT NULL)
       AND (trace, correlation) NOT IN (SELECT trace, correlation FROM xprof_timeless)
       OR name GLOB '[ch]*StreamBeginCapture*' OR name GLOB '[ch]*StreamEndCapture*');
.read sql/formats/device/unseen.sql
DROP TABLE xprof_timeless;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'impossible_value', count(*), 'bytes or FLOPs below 0 count as none; the first of "' || min(name) || '"'
FROM xprof_activity WHERE bytes < 0 OR flops < 0 GROUP BY trace;
UPDATE xprof_activity SET bytes = iif(bytes < 0, NULL, bytes), flops = iif(flops < 0, NULL, flops) WHERE bytes < 0 OR flops < 0;

-- A stream of a GPU runs in order (but for AMD's, where the line is a queue of several streams): a kernel that lasts beyond the end of the
-- next one, which another call launched, ends where that begins.
DROP TABLE IF EXISTS temp.xprof_overruns;
CREATE TEMP TABLE xprof_overruns AS
SELECT id, trace, name, next_ns FROM (
  SELECT rowid AS id, trace, name, start_ns, end_ns, correlation, lead(start_ns) OVER o AS next_ns, lead(end_ns) OVER o AS next_end_ns,
         lead(correlation) OVER o AS next
  FROM xprof_activity
  WHERE kind = 'kernel' AND line GLOB 'Stream #*' AND trace NOT IN (SELECT trace FROM xprof_launches WHERE name GLOB 'hip*')
  WINDOW o AS (PARTITION BY trace, plane, line ORDER BY start_ns, end_ns, name, correlation)
)
WHERE end_ns > next_end_ns AND next_ns > start_ns AND coalesce(next <> correlation, 1) AND end_ns - next_end_ns > next_end_ns - start_ns;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(name) || '"'
FROM xprof_overruns GROUP BY trace;
UPDATE xprof_activity SET end_ns = o.next_ns FROM xprof_overruns AS o WHERE o.id = xprof_activity.rowid;
DROP TABLE xprof_overruns;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, hlo_category, NULL AS told FROM xprof_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

DROP TABLE IF EXISTS temp.xprof_steps;
CREATE TEMP TABLE xprof_steps AS
WITH ordered AS (
  SELECT trace, coalesce(device, '') AS device, step, start_ns, end_ns, -- '': of the host
         max(end_ns) OVER (PARTITION BY trace, device ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM device_steps
)
-- outer_ns: where the first of those that overlap begins, beyond which no search for the step of a moment has to go back.
SELECT trace, device, step, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY trace, device
           ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.xprof_step ON xprof_steps(trace, device, start_ns);

-- The step is the one of the host in which it was launched, else the device's own.
INSERT INTO device_activity (trace, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, bytes, flops, collective)
SELECT a.trace, a.plane, i.chip, a.line, k.class, a.kind, a.name, a.start_ns, a.end_ns,
       coalesce((SELECT s.step FROM xprof_steps AS s
                 WHERE s.trace = a.trace AND s.device = '' AND s.start_ns <= l.start_ns AND l.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xprof_steps AS o
                                      WHERE o.trace = a.trace AND o.device = '' AND o.start_ns <= l.start_ns
                                      ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1),
                (SELECT s.step FROM xprof_steps AS s
                 WHERE s.trace = a.trace AND s.device = a.plane AND s.start_ns <= a.start_ns AND a.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xprof_steps AS o
                                      WHERE o.trace = a.trace AND o.device = a.plane AND o.start_ns <= a.start_ns
                                      ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1)),
       a.correlation, l.start_ns, l.end_ns, l.name, l.thread, coalesce(nullif(a.tf_op, 'XlaModule:'), a.hlo_op),
       -- 'kind_src:... size:4096 dest:0 async:1'
       coalesce(a.bytes, CAST(substr(a.memcpy, nullif(instr(a.memcpy, 'size:'), 0) + 5) AS INTEGER),
                CAST(substr(a.memset, nullif(instr(a.memset, 'num_bytes:'), 0) + 10) AS INTEGER)),
       -- 0 is no price
       iif(a.flops <= 0 AND (a.hlo_category GLOB '*custom-call*' OR a.name GLOB 'custom-call*'), NULL, a.flops), k.collective
FROM xprof_input AS i
CROSS JOIN xprof_activity AS a
JOIN device_classes AS k ON k.kind = a.kind AND k.name = a.name AND k.hlo_category IS a.hlo_category
LEFT JOIN xprof_launches AS l ON l.trace = a.trace AND l.correlation = a.correlation;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of a device on lines that are not known: left out; these are ' || group_concat(DISTINCT coalesce(line, '?'))
FROM xprof_events
WHERE plane GLOB '/device:*' AND coalesce(line, '?') NOT
    IN ('Steps', 'XLA Modules', 'XLA Ops', 'Async XLA Ops', 'XLA TraceMe', 'Launch Stats', 'Trace Context')
  AND coalesce(line, '?') NOT GLOB 'Stream #*' AND coalesce(line, '?') NOT GLOB 'Framework*'
  AND coalesce(line, '?') NOT GLOB 'TensorFlow*' AND coalesce(line, '?') NOT GLOB 'Source*' AND coalesce(line, '?') NOT GLOB 'Sparse*'
  AND coalesce(line, '?') NOT GLOB 'Host Offload*' AND coalesce(line, '?') NOT GLOB '*Scope*' AND coalesce(line, '?') NOT GLOB '*ounters*'
GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'info', 'other_spans', count(*), 'operations of SparseCores: left out'
FROM xprof_events WHERE plane GLOB '/device:*' AND line GLOB 'Sparse*Core* Ops' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*),
       iif(count(e.trace) = 0, 'a trace without an event', 'events, none of which is a device''s: of a process or line that is not known')
FROM xprof_traces LEFT JOIN xprof_events AS e USING (trace) WHERE trace NOT IN (SELECT trace FROM device_activity) GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*), 'devices without an operation: nothing is told of them; the first is ' || min(plane)
FROM xprof_devices WHERE trace IN (SELECT trace FROM device_activity) AND (trace, plane) NOT IN (SELECT trace, device FROM device_activity)
  AND trace IN (SELECT trace FROM xprof_traces) GROUP BY trace;

CREATE TEMP TABLE device_told AS SELECT trace FROM xprof_traces;
.read sql/formats/device/parts.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM xprof_traces WHERE (SELECT count(*) FROM device_traces) > 1;
.read sql/formats/device/alike.sql

DROP TABLE temp.xprof_input;
DROP TABLE temp.xprof_events;
DROP TABLE temp.xprof_traces;
DROP TABLE temp.xprof_devices;
DROP TABLE temp.xprof_activity;
DROP TABLE temp.xprof_launches;
DROP TABLE temp.device_classes;
DROP TABLE temp.xprof_steps;
