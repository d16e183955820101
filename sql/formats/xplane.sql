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

-- What has no start, as a sum of events, or ends before it starts, or lies long before or after all that the host did and all steps.
DROP TABLE IF EXISTS temp.xplane_lost;
CREATE TEMP TABLE xplane_lost AS
WITH host AS MATERIALIZED (
  SELECT trace, min(start_ns) AS begin_ns, max(end_ns) AS last_ns FROM xplane_events
  WHERE (plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules')) AND end_ns >= start_ns GROUP BY trace
  UNION ALL -- of a trace without any of these, a day before and after the middle one
  SELECT trace, start_ns - 86399000000000, start_ns + 82800000000000 FROM (
    SELECT trace, start_ns, row_number() OVER (PARTITION BY trace ORDER BY start_ns) AS nth, count(*) OVER (PARTITION BY trace) AS n
    FROM xplane_events
    WHERE trace NOT IN (SELECT trace FROM xplane_events WHERE plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules')))
  WHERE nth = (n + 1) / 2
)
SELECT e.rowid AS id, trace, name, coalesce(end_ns < start_ns, 1) AS is_impossible
FROM xplane_events AS e LEFT JOIN host USING (trace)
WHERE coalesce(end_ns < start_ns, 1)
  OR (plane GLOB '/device:*' AND (end_ns > last_ns + 3600000000000
                                  OR (end_ns < begin_ns - 1800000000000 OR start_ns < 0 AND end_ns < begin_ns - 1000000000) OR start_ns <= 0
                                  AND begin_ns > 1000000000));
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', iif(is_impossible, 'impossible_time', 'lost_time'), count(*),
       'events ' || iif(is_impossible, 'without a start or that end before they start',
                        'of a device long before or after all that the host did and all steps') || ': left out; the first is "'
         || coalesce(min(name), '?') || '"'
FROM xplane_lost GROUP BY trace, is_impossible;
-- Their calls launched something (device/unseen.sql).
DROP TABLE IF EXISTS temp.xplane_timeless;
CREATE TEMP TABLE xplane_timeless AS
SELECT e.trace, correlation_id AS correlation FROM xplane_lost AS l JOIN xplane_events AS e ON e.rowid = l.id WHERE correlation_id > 0;
DELETE FROM xplane_events WHERE rowid IN (SELECT id FROM xplane_lost);
DROP TABLE xplane_lost;
DROP TABLE IF EXISTS temp.xplane_again;
CREATE TEMP TABLE xplane_again AS
SELECT id, trace, name
FROM (SELECT rowid AS id, trace, name, row_number() OVER (PARTITION BY trace, plane, line, start_ns, end_ns, name, correlation_id) AS nth
      FROM xplane_events WHERE plane GLOB '/device:*' OR step_num IS NOT NULL)
WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*),
       'events of a device, or steps of the host, that come twice count once; the first is "' || coalesce(min(name), '?') || '"'
FROM xplane_again GROUP BY trace;
DELETE FROM xplane_events WHERE rowid IN (SELECT id FROM xplane_again);
DROP TABLE xplane_again;

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
DROP TABLE IF EXISTS temp.xplane_files;
CREATE TEMP TABLE xplane_files AS
WITH files AS (
  SELECT trace, json_extract(hostnames, '$[0]') AS host,
         max(CASE WHEN plane = 'Task Environment' THEN json_extract(stats, '$.profile_start_time') END) AS began
  FROM xplane_devices GROUP BY trace
)
SELECT f.trace, f.host,
       CASE WHEN f.began > e.last_ns AND typeof(f.began) = 'integer' THEN f.began ELSE 0 END AS base_ns
FROM files AS f LEFT JOIN (SELECT trace, max(end_ns) AS last_ns FROM xplane_events GROUP BY trace) AS e ON e.trace = f.trace;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'impossible_time', 1, 'a start of the profile that no clock shows, ' || began || ': its events count as they are'
FROM (
  SELECT trace, json_extract(stats, '$.profile_start_time') AS began FROM xplane_devices WHERE plane = 'Task Environment')
WHERE typeof(began) <> 'integer' OR began <= 0;

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM xplane_files);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM xplane_files);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM xplane_files);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM xplane_files);
INSERT INTO device_traces (trace, format, base_ns, host) SELECT trace, 'xplane', base_ns, host FROM xplane_files;

-- ---- 2. Steps ----

-- On TPU the device has a line of them; elsewhere the host's annotations (jax.profiler.StepTraceAnnotation) have a
-- number. A step of the device without one is that of the host in its group. A program that runs is a range of the device.
DROP TABLE IF EXISTS temp.xplane_groups;
CREATE TEMP TABLE xplane_groups AS
SELECT trace, group_id, CAST(min(step_num) AS TEXT) AS step, count(DISTINCT step_num) AS steps FROM xplane_events
WHERE plane GLOB '/host:*' AND step_num IS NOT NULL AND group_id IS NOT NULL GROUP BY trace, group_id;
CREATE INDEX temp.xplane_group ON xplane_groups(trace, group_id);

INSERT INTO device_steps (trace, side, device, step, start_ns, end_ns)
SELECT e.trace, 'device', e.plane, coalesce(CAST(e.step_num AS TEXT), g.step, e.name, '?'), e.start_ns + f.base_ns, e.end_ns + f.base_ns
FROM xplane_events AS e JOIN xplane_files AS f USING (trace)
LEFT JOIN xplane_groups AS g ON g.trace = e.trace AND g.group_id = e.group_id AND g.steps = 1
WHERE e.plane GLOB '/device:*' AND e.line = 'Steps';

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'conflict', count(*),
       'numbers of steps that annotations of several names have, one after the other: each number counts as one step; the first are '
         || min(names) FROM (
  SELECT trace, group_concat(DISTINCT name) AS names FROM xplane_events WHERE plane GLOB '/host:*' AND step_num IS NOT NULL
  GROUP BY trace, step_num HAVING min(name) <> max(name) AND max(start_ns) >= min(end_ns)) GROUP BY trace;

DROP TABLE IF EXISTS temp.xplane_host_steps;
CREATE TEMP TABLE xplane_host_steps AS
WITH ordered AS (
  SELECT trace, CAST(step_num AS TEXT) AS step, start_ns, end_ns,
         max(end_ns) OVER (PARTITION BY trace ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM xplane_events WHERE plane GLOB '/host:*' AND step_num IS NOT NULL
)
-- outer_ns: where the first of those that overlap begins, beyond which no search for the step of a moment has to go back.
SELECT trace, step, start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY trace ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.xplane_host_step ON xplane_host_steps(trace, start_ns);

INSERT INTO device_steps (trace, side, step, start_ns, end_ns)
SELECT s.trace, 'host', s.step, s.start_ns + f.base_ns, s.end_ns + f.base_ns
FROM xplane_host_steps AS s JOIN xplane_files AS f USING (trace);

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT e.trace, 'device', e.plane || ' ' || e.line, coalesce(e.name, '?'), e.start_ns + f.base_ns, e.end_ns + f.base_ns
FROM xplane_events AS e JOIN xplane_files AS f USING (trace)
WHERE e.plane GLOB '/device:*' AND e.line = 'XLA Modules';

-- ---- 3. Calls of the host, which GPUs have: a correlation is one of the file ----

DROP TABLE IF EXISTS temp.xplane_launches;
CREATE TEMP TABLE xplane_launches AS
SELECT trace, correlation_id AS correlation, min(start_ns) AS start_ns, end_ns, name, line_display_name AS thread
FROM xplane_events
WHERE plane GLOB '/host:*' AND correlation_id > 0
GROUP BY trace, correlation_id;
CREATE UNIQUE INDEX temp.xplane_launch ON xplane_launches(trace, correlation);

-- ---- 4. What the devices did ----

-- Of GPUs, the streams; of TPUs, the lines of operations, less those that only hold others, by their category or, where
-- they have none, by their text or name: 'while.3'. Other lines say the
-- same time again by step, module, operation of the framework or source line: of GPUs XLA Ops too, which XProf
-- derives from the streams.
DROP TABLE IF EXISTS temp.xplane_activity;
CREATE TEMP TABLE xplane_activity AS
SELECT *, coalesce(display_name, CASE WHEN name GLOB '%* = *' THEN substr(name, 2, instr(name, ' = ') - 2) ELSE name END, '?') AS shown,
       CASE
         WHEN memcpy_details IS NOT NULL OR name GLOB 'Memcpy*' THEN 'memcpy'
         WHEN memset_details IS NOT NULL OR name GLOB 'Memset*' THEN 'memset'
         ELSE 'kernel'
       END AS kind
FROM xplane_events
WHERE plane GLOB '/device:*'
  AND (line GLOB 'Stream #*'
       OR (line IN ('XLA Ops', 'Async XLA Ops')
           AND (trace, plane) NOT IN (SELECT trace, plane FROM xplane_events WHERE line GLOB 'Stream #*')))
  AND coalesce(hlo_category, CASE
                                  WHEN name GLOB '%* while(*), condition=*' OR name GLOB '%* conditional(*), *_computation*'
                                    OR name GLOB '%* call(*), to_apply=*' THEN 'call' END,
               rtrim(coalesce(display_name, name, ''), '.0123456789')) NOT IN ('while', 'conditional', 'call');
CREATE TEMP VIEW device_xla AS SELECT trace, line, shown AS name, kind FROM xplane_activity;
.read sql/formats/device/xla.sql
UPDATE xplane_activity SET kind = n.kind FROM device_no_kernels AS n
WHERE n.name = shown AND line GLOB 'Stream #*' AND xplane_activity.kind = 'kernel';
DELETE FROM xplane_activity WHERE kind IS NULL;
DROP TABLE device_no_kernels;
-- What is on both lines of a TPU has the counts of its instruction on each: they count where it begins.
UPDATE xplane_activity SET flops = NULL, bytes_accessed = NULL
WHERE line = 'Async XLA Ops' AND (trace, plane, shown) IN (SELECT trace, plane, shown FROM xplane_activity WHERE line = 'XLA Ops');

-- Launches of which nothing is there, if each kernel tells its call.
CREATE TEMP TABLE device_unseen AS
SELECT trace, thread, start_ns AS start, name FROM xplane_launches
WHERE trace IN (SELECT trace FROM xplane_activity GROUP BY trace HAVING total(kind = 'kernel' AND correlation_id IS NULL) = 0)
  AND ((name GLOB '[ch]*Launch*Kernel*' OR name GLOB '[ch]*GraphLaunch*')
       AND (trace, correlation) NOT IN (SELECT trace, correlation_id FROM xplane_activity WHERE correlation_id IS NOT NULL)
       AND (trace, correlation) NOT IN (SELECT trace, correlation FROM xplane_timeless)
       OR name GLOB '[ch]*StreamBeginCapture*' OR name GLOB '[ch]*StreamEndCapture*');
.read sql/formats/device/unseen.sql
DROP TABLE xplane_timeless;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'impossible_value', count(*), 'bytes or FLOPs below 0 count as none; the first of "' || min(shown) || '"'
FROM xplane_activity WHERE bytes_accessed < 0 OR flops < 0 GROUP BY trace;
UPDATE xplane_activity SET bytes_accessed = iif(bytes_accessed < 0, NULL, bytes_accessed), flops = iif(flops < 0, NULL, flops)
WHERE bytes_accessed < 0 OR flops < 0;

-- A stream of a GPU runs in order (but for AMD's, where the line is a queue of several streams): a kernel that lasts beyond the end of the
-- next one, which another call launched, ends where that begins.
DROP TABLE IF EXISTS temp.xplane_overruns;
CREATE TEMP TABLE xplane_overruns AS
SELECT id, trace, shown, next_ns FROM (
  SELECT rowid AS id, trace, shown, start_ns, end_ns, correlation_id, lead(start_ns) OVER o AS next_ns, lead(end_ns) OVER o AS next_end_ns,
         lead(correlation_id) OVER o AS next
  FROM xplane_activity WHERE kind = 'kernel' AND line GLOB 'Stream #*'
    AND (trace, plane) NOT IN (SELECT trace, plane FROM xplane_devices
                               WHERE json_extract(stats, '$.device_vendor') = 'AMD' AND plane IS NOT NULL)
  WINDOW o AS (PARTITION BY trace, plane, line ORDER BY start_ns, end_ns, shown, correlation_id)
)
WHERE end_ns > next_end_ns AND next_ns > start_ns AND coalesce(next <> correlation_id, 1) AND end_ns - next_end_ns > next_end_ns - start_ns;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(shown) || '"'
FROM xplane_overruns GROUP BY trace;
UPDATE xplane_activity SET end_ns = o.next_ns FROM xplane_overruns AS o WHERE o.id = xplane_activity.rowid;
DROP TABLE xplane_overruns;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, shown AS name, hlo_category, NULL AS told FROM xplane_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

DROP TABLE IF EXISTS temp.xplane_device_steps;
CREATE TEMP TABLE xplane_device_steps AS
WITH ordered AS (
  SELECT s.trace, s.device, s.step, s.start_ns - f.base_ns AS start_ns, s.end_ns - f.base_ns AS end_ns,
         max(s.end_ns) OVER (PARTITION BY s.trace, s.device ORDER BY s.start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    - f.base_ns AS covered
  FROM device_steps AS s JOIN xplane_files AS f USING (trace) WHERE s.side = 'device'
)
SELECT trace, device, step, CAST(start_ns AS INTEGER) AS start_ns, end_ns,
       max(CASE WHEN covered IS NULL OR start_ns >= covered THEN start_ns END) OVER (PARTITION BY trace, device
           ORDER BY start_ns) AS outer_ns
FROM ordered;
CREATE INDEX temp.xplane_device_step ON xplane_device_steps(trace, device, start_ns);

-- The step is the one of the host in which it was launched, else the device's own.
INSERT INTO device_activity (trace, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, bytes, flops, collective)
SELECT a.trace, a.plane, coalesce(nullif(json_extract(d.stats, '$.device_type_string'), ''),
                                  iif(json_extract(d.stats, '$.gpu_device_name') GLOB 'gfx[0-9]*', i.chip, NULL), -- several chips share it
                                  nullif(json_extract(d.stats, '$.gpu_device_name'), ''), i.chip),
       a.line, c.class, a.kind, a.shown, a.start_ns + f.base_ns, a.end_ns + f.base_ns,
       coalesce((SELECT s.step FROM xplane_host_steps AS s
                 WHERE s.trace = a.trace AND s.start_ns <= l.start_ns AND l.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xplane_host_steps AS o
                                      WHERE o.trace = a.trace AND o.start_ns <= l.start_ns ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1),
                (SELECT s.step FROM xplane_device_steps AS s
                 WHERE s.trace = a.trace AND s.device = a.plane AND s.start_ns <= a.start_ns AND a.start_ns < s.end_ns
                   AND s.start_ns >= (SELECT o.outer_ns FROM xplane_device_steps AS o
                                      WHERE o.trace = a.trace AND o.device = a.plane AND o.start_ns <= a.start_ns
                                      ORDER BY o.start_ns DESC LIMIT 1)
                 ORDER BY s.start_ns DESC LIMIT 1)),
       a.correlation_id, l.start_ns + f.base_ns, l.end_ns + f.base_ns, l.name, l.thread,
       coalesce(a.op_name, nullif(a.tf_op, 'XlaModule:'), a.hlo_op),
       -- 'kind_src:... size:4096 dest:0 async:1'
       coalesce(a.bytes_accessed, CAST(substr(a.memcpy_details, nullif(instr(a.memcpy_details, 'size:'), 0) + 5) AS INTEGER),
                CAST(substr(a.memset_details, nullif(instr(a.memset_details, 'num_bytes:'), 0) + 10) AS INTEGER)),
       -- XLA does not see into a custom call: 0 is no price. (A kernel of Pallas may say its own.)
       iif(a.flops <= 0 AND (a.hlo_category GLOB '*custom-call*' OR a.name GLOB '* custom-call(*' OR a.shown GLOB 'custom-call*'), NULL,
           a.flops), c.collective
FROM xplane_input AS i
CROSS JOIN xplane_activity AS a
JOIN xplane_files AS f USING (trace)
JOIN device_classes AS c ON c.kind = a.kind AND c.name = a.shown AND c.hlo_category IS a.hlo_category
LEFT JOIN (SELECT trace, plane, max(stats) AS stats FROM xplane_devices GROUP BY trace, plane) AS d ON d.trace = a.trace
  AND d.plane = a.plane
LEFT JOIN xplane_launches AS l ON l.trace = a.trace AND l.correlation = a.correlation_id;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of a device on lines that are not known: left out; these are ' || group_concat(DISTINCT coalesce(line, '?'))
FROM xplane_events
WHERE plane GLOB '/device:*' AND coalesce(line, '?') NOT
    IN ('Steps', 'XLA Modules', 'XLA Ops', 'Async XLA Ops', 'XLA TraceMe', 'Launch Stats', 'Trace Context')
  AND coalesce(line, '?') NOT GLOB 'Stream #*' AND coalesce(line, '?') NOT GLOB 'Framework*'
  AND coalesce(line, '?') NOT GLOB 'TensorFlow*' AND coalesce(line, '?') NOT GLOB 'Source*' AND coalesce(line, '?') NOT GLOB 'Sparse*'
  AND coalesce(line, '?') NOT GLOB 'Host Offload*' AND coalesce(line, '?') NOT GLOB '*Scope*' AND coalesce(line, '?') NOT GLOB '*ounters*'
GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'info', 'other_spans', count(*), 'operations of SparseCores: left out'
FROM xplane_events WHERE plane GLOB '/device:*' AND line GLOB 'Sparse*Core* Ops' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'missing_field', count(*), 'events of a plane without a name: left out'
FROM xplane_events WHERE plane IS NULL GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'unknown_event', count(*),
       'events of planes that are called as no device is: left out; the first is ' || min(plane)
FROM xplane_events WHERE plane GLOB '?*/device:*' GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*),
       iif(count(e.trace) = 0, 'a trace without an event', 'events, none of which is a device''s: of a plane or line that is not known')
FROM xplane_files AS f LEFT JOIN xplane_events AS e USING (trace) WHERE trace NOT IN (SELECT trace FROM device_activity) GROUP BY trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*), 'devices without an operation: nothing is told of them; the first is ' || min(plane)
FROM xplane_devices
WHERE plane GLOB '/device:?*:[0-9]*' AND plane NOT GLOB '* *' AND trace IN (SELECT trace FROM device_activity)
  AND (trace, plane) NOT IN (SELECT trace, device FROM device_activity)
GROUP BY trace;

CREATE TEMP TABLE device_told AS SELECT trace FROM xplane_files;
.read sql/formats/device/parts.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM xplane_files WHERE (SELECT count(*) FROM device_traces) > 1;
.read sql/formats/device/alike.sql

DROP TABLE temp.xplane_input;
DROP TABLE temp.xplane_events;
DROP TABLE temp.xplane_devices;
DROP TABLE temp.xplane_files;
DROP TABLE temp.xplane_groups;
DROP TABLE temp.xplane_host_steps;
DROP TABLE temp.xplane_device_steps;
DROP TABLE temp.xplane_launches;
DROP TABLE temp.xplane_activity;
DROP TABLE temp.device_classes;
