-- xplane.sql - from XSpace profiles (*.xplane.pb of JAX, TensorFlow, PyTorch/XLA) to device_activity and its
-- companions (sql/device.sql).
--
--@ fills device
--@ input :trace binary \A\n(?:[\x80-\xff]{0,5}[\x00-\x7f])(?:\x08[\x80-\xff]{0,9}[\x00-\x7f])?\x12[\x05-\x7f](?:/(?:host|device):|Task Environment)
--@ input :trace name \.xplane\.pb(?:\.gz|\.zst)?$
--
--     .load ./mpg
--     .read sql/device.sql
--     .param set :trace /tmp/profile/plugins/profile/2026_01_01_00_00_00/*.xplane.pb
--     .read sql/formats/xplane.sql
--     .read sql/device_views.sql
--
-- :trace is a path, glob or folder (of nothing but such files): one of each host. :chip may be set where the profile
-- does not name the chips (a name or alias of mpg_chips), as those of GPUs do not.
--
-- From a program, which cannot bind parameters to a script, create the inputs before running it:
--
--     CREATE TEMP TABLE xplane_input AS SELECT 'profile/*.pb' AS path, 'MI355X' AS chip;
--     CREATE TEMP TABLE xplane_events AS SELECT *, _file AS trace FROM xplane_trace('profile/*.pb') WHERE start_ns IS NOT NULL;
--     CREATE TEMP TABLE xplane_devices AS SELECT *, _file AS trace FROM xplane_planes('profile/*.pb');
--
-- The inputs are dropped at the end. The rules are explained in docs/formats/xplane.md.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS xplane_input AS SELECT :trace AS path, :chip AS chip;
CREATE TEMP TABLE IF NOT EXISTS xplane_devices AS
SELECT _file AS trace, plane, stats, hostnames FROM xplane_planes((SELECT mpg_required(path, ':trace') FROM xplane_input));
-- After them, for what the last reading of a file finds of it is what mpg_issues keeps.
CREATE TEMP TABLE IF NOT EXISTS xplane_events AS
SELECT _file AS trace, plane, line, coalesce(line_display_name, line) AS line_display_name, name, display_name, start_ns, end_ns,
       group_id, step_num, hlo_op, hlo_category, tf_op, op_name, flops, bytes_accessed, correlation_id,
       memcpy_details, memset_details
FROM xplane_trace((SELECT mpg_required(path, ':trace') FROM xplane_input))
WHERE start_ns IS NOT NULL OR plane GLOB '/device:*';

DROP VIEW IF EXISTS temp.xla_events;
CREATE TEMP VIEW xla_events AS
SELECT rowid AS id, trace, plane, line, name,
       coalesce(display_name, CASE WHEN name GLOB '%* = *' THEN substr(name, 2, instr(name, ' = ') - 2) ELSE name END, '?') AS shown,
       name AS instruction, line_display_name AS thread, start_ns, end_ns, group_id, CAST(step_num AS TEXT) AS step, hlo_category,
       coalesce(op_name, nullif(tf_op, 'XlaModule:'), hlo_op) AS op, flops, bytes_accessed AS bytes, correlation_id AS correlation,
       memcpy_details AS memcpy, memset_details AS memset
FROM xplane_events WHERE rowid NOT IN (SELECT id FROM xla_left_out);
.read sql/formats/device/xla_events.sql

-- ---- 2. Devices, and when the profile began ----

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*) - 1,
       'planes of one name, ' || plane || ', in a file: they count as one device. Are they of several hosts?'
FROM xplane_devices WHERE plane GLOB '/device:*' GROUP BY trace, plane HAVING count(*) > 1;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'guessed_share', count(*),
       'slices or partitions of GPUs: each counts as a device of its own, by the name of the chip'
FROM xplane_devices
WHERE plane GLOB '/device:GPU:*'
  AND (json_extract(stats, '$.gpu_device_name') GLOB '* MIG *' -- AMD's MI300A has 228 units, MI350X and MI355X 256
    OR json_extract(stats, '$.device_vendor') = 'AMD' AND json_extract(stats, '$.core_count') BETWEEN 1 AND
      CASE 10 * json_extract(stats, '$.compute_cap_major') + json_extract(stats, '$.compute_cap_minor') WHEN 94 THEN 227
           WHEN 95 THEN 255 END)
GROUP BY trace;

-- Newer profilers count from the start of the profile, and say when that was.
DROP TABLE IF EXISTS temp.xla_traces;
CREATE TEMP TABLE xla_traces AS
WITH files AS (
  SELECT trace, json_extract(hostnames, '$[0]') AS host,
         max(CASE WHEN plane = 'Task Environment' THEN json_extract(stats, '$.profile_start_time') END) AS began
  FROM xplane_devices GROUP BY trace
)
SELECT f.trace, 'xplane' AS format, f.host,
       CASE WHEN f.began > e.last_ns AND typeof(f.began) = 'integer' THEN f.began ELSE 0 END AS base_ns
FROM files AS f LEFT JOIN (SELECT trace, max(end_ns) AS last_ns FROM xla_events GROUP BY trace) AS e ON e.trace = f.trace;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'impossible_time', 1, 'a start of the profile that no clock shows, ' || began || ': its events count as they are'
FROM (
  SELECT trace, json_extract(stats, '$.profile_start_time') AS began FROM xplane_devices WHERE plane = 'Task Environment')
WHERE typeof(began) <> 'integer' OR began <= 0;

DROP TABLE IF EXISTS temp.xla_planes;
CREATE TEMP TABLE xla_planes AS
SELECT trace, plane, coalesce(nullif(json_extract(stats, '$.device_type_string'), ''),
                              iif(json_extract(stats, '$.gpu_device_name') GLOB 'gfx[0-9]*', i.chip, NULL), -- several chips share it
                              nullif(json_extract(stats, '$.gpu_device_name'), ''), i.chip) AS chip,
       coalesce(json_extract(stats, '$.device_vendor') = 'AMD', 0) AS is_queue
FROM xplane_input AS i
CROSS JOIN (SELECT trace, plane, max(stats) AS stats FROM xplane_devices WHERE plane GLOB '/device:*' GROUP BY trace, plane);

-- ---- 3. What the devices did ----

.read sql/formats/device/xla_profile.sql

DROP TABLE temp.xplane_input;
DROP TABLE temp.xplane_events;
DROP TABLE temp.xplane_devices;
