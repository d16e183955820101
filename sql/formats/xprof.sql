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

DROP TABLE IF EXISTS temp.xla_traces;
CREATE TEMP TABLE xla_traces AS SELECT DISTINCT trace, 'xprof' AS format, 0 AS base_ns, NULL AS host FROM xprof_events;
DROP TABLE IF EXISTS temp.xla_planes;
CREATE TEMP TABLE xla_planes AS
SELECT DISTINCT trace, plane, chip, 0 AS is_queue FROM xprof_input CROSS JOIN xprof_events WHERE plane GLOB '/device:*';
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
DELETE FROM xla_traces WHERE trace IN (SELECT trace FROM xprof_copies);
DROP TABLE xprof_copies;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'left_out', 1, 'a trace of a million events: XProf leaves out what is more'
FROM xprof_events GROUP BY trace HAVING count(*) >= 1000000;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(DISTINCT pid) - 1,
       'processes of one name, ' || plane || ', in a file: they count as one device. Are they of several hosts?'
FROM xprof_events WHERE plane GLOB '/device:*' GROUP BY trace, plane HAVING count(DISTINCT pid) > 1;

-- ---- 2. What the devices did ----

DROP VIEW IF EXISTS temp.xla_events;
CREATE TEMP VIEW xla_events AS
SELECT rowid AS id, trace, plane, line, name, coalesce(name, '?') AS shown,
       CASE WHEN plane GLOB '/device:*' THEN json_extract(args, '$.long_name') END AS instruction, line AS thread, start_ns, end_ns,
       json_extract(args, '$.group_id') AS group_id, step, hlo_category, coalesce(nullif(tf_op, 'XlaModule:'), hlo_op) AS op, flops, bytes,
       CASE WHEN instr(args, '"correlation_id"') > 0
            THEN nullif(CAST(json_extract(args, '$.correlation_id') AS INTEGER), 9223372036854775807) END AS correlation,
       json_extract(args, '$.memcpy_details') AS memcpy,
       coalesce(json_extract(args, '$.memset_details'), json_extract(args, '$.Memset_details')) AS memset
FROM xprof_events WHERE rowid NOT IN (SELECT id FROM xla_left_out);
.read sql/formats/device/xla_events.sql
.read sql/formats/device/xla_profile.sql

DROP TABLE temp.xprof_input;
DROP TABLE temp.xprof_events;
