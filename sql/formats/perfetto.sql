-- perfetto.sql - from Perfetto's traces (*.pftrace) to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ input :trace binary (?s)\A\n(?:[\x00-\x7f]|[\x80-\xff]{1,4}[\x00-\x7f])(?:[\x18\x32\x40\x50\x5a\x62\x68]|[\x8a\xa2\xc8\xea]\x02|[\xd0\xda\xe2]\x03|[\xb8\xca]\x05)
--@ input :trace sure (?s)\A\n(?:[\x00-\x7f]|[\x80-\xff]{1,4}[\x00-\x7f])(?:[\x8a\xa2\xc8\xea]\x02|[\xd0\xda\xe2]\x03|[\xb8\xca]\x05)
--@ input :trace name \.(?:pftrace|perfetto-trace)(?:\.gz|\.zst)?$|perfetto-trace[^/]*\.proto$
--
--     rocprofv3 --sys-trace --output-format pftrace -- python3 train.py      # PID_results.pftrace
--
--     .load ./mpg
--     .read sql/device.sql
--     .param set :trace fixtures/perfetto/*.pftrace
--     .read sql/formats/perfetto.sql
--     .read sql/device_views.sql
--     SELECT * FROM device_time;
--
-- :trace is a path, glob or folder. What is a device's is told by words: the categories of rocprofv3, rocprof-sys and
-- Kineto, and XLA's tracks of a process /device:... . Parameters that may be left unset: :chip, what the devices are; :step,
-- a GLOB over the ranges that are steps, where theirs is not among the usual names.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE perfetto_input AS SELECT 'profile/*.pftrace' AS path, 'AMD Instinct MI300X' AS chip, NULL AS step;
--
-- Times are Unix time where the trace compares its clock with REALTIME. The inputs are dropped at the end. The rules are
-- explained in docs/formats/perfetto.md.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS perfetto_input AS SELECT :trace AS path, :chip AS chip, :step AS step;

DROP TABLE IF EXISTS temp.perfetto_events;
CREATE TEMP TABLE perfetto_events AS
SELECT _file AS trace, _line AS line, kind, start_ns, end_ns, name, lower(category) AS category, track, track_uuid, parent_uuid, pid, tid,
       process, thread, flow_id, clock_ns,
       CASE WHEN kind = 'slice' THEN args END AS args
FROM perfetto_trace((SELECT mpg_required(path, ':trace') FROM perfetto_input)) WHERE kind IN ('slice', 'track', 'clock');

-- REALTIME is compared with the trace's clock now and then: the first time counts, but where it moves by more than a second, as in
-- traces of several hosts one after the other: events from there on are moved by as much.
DROP TABLE IF EXISTS temp.perfetto_clocks;
CREATE TEMP TABLE perfetto_clocks AS
WITH told AS (
  SELECT trace, line, clock_ns - start_ns AS base_ns, first_value(clock_ns - start_ns) OVER o AS first_ns,
         lag(clock_ns - start_ns) OVER o AS before_ns
  FROM perfetto_events WHERE kind = 'clock' WINDOW o AS (PARTITION BY trace ORDER BY line)
),
moves AS (SELECT trace, line, base_ns - first_ns AS moved_ns FROM told WHERE abs(base_ns - before_ns) > 1000000000)
SELECT trace, line, coalesce(lead(line) OVER (PARTITION BY trace ORDER BY line), 9223372036854775807) AS next_line, moved_ns FROM moves;
CREATE INDEX temp.perfetto_clock ON perfetto_clocks(trace, line);
UPDATE perfetto_events SET start_ns = start_ns + c.moved_ns, end_ns = end_ns + c.moved_ns
FROM perfetto_clocks AS c WHERE c.trace = perfetto_events.trace AND perfetto_events.line >= c.line AND perfetto_events.line < c.next_line
  AND kind = 'slice';

-- A track may be described after its events, and after those in it.
DROP TABLE IF EXISTS temp.perfetto_tracks;
CREATE TEMP TABLE perfetto_tracks AS
SELECT trace, track_uuid, max(parent_uuid) AS parent_uuid, max(track) AS track, max(pid) AS pid, max(tid) AS tid, max(process) AS process,
       max(thread) AS thread
FROM perfetto_events WHERE kind = 'track' GROUP BY 1, 2;
CREATE INDEX temp.perfetto_track ON perfetto_tracks(trace, track_uuid);
DROP TABLE IF EXISTS temp.perfetto_places;
CREATE TEMP TABLE perfetto_places AS
WITH RECURSIVE around AS ( -- and above all those in which it is
  SELECT trace, track_uuid, 0 AS above, parent_uuid, pid, tid, process, thread FROM perfetto_tracks
  UNION ALL
  SELECT a.trace, a.track_uuid, a.above + 1, p.parent_uuid, coalesce(a.pid, p.pid), coalesce(a.tid, p.tid), coalesce(a.process, p.process),
         coalesce(a.thread, p.thread)
  FROM around AS a CROSS JOIN perfetto_tracks AS p ON p.trace = a.trace AND p.track_uuid = a.parent_uuid WHERE a.above < 16
)
SELECT trace, track_uuid, max(above) AS above, pid, tid, process, thread FROM around GROUP BY trace, track_uuid;
CREATE UNIQUE INDEX temp.perfetto_place ON perfetto_places(trace, track_uuid);
UPDATE perfetto_events SET track = coalesce(perfetto_events.track, t.track), pid = coalesce(perfetto_events.pid, p.pid),
  tid = coalesce(perfetto_events.tid, p.tid),
       process = coalesce(perfetto_events.process, p.process), thread = coalesce(perfetto_events.thread, p.thread)
FROM perfetto_tracks AS t JOIN perfetto_places AS p USING (trace, track_uuid)
WHERE t.trace = perfetto_events.trace AND t.track_uuid = perfetto_events.track_uuid AND kind = 'slice'
  AND (perfetto_events.track IS NULL AND t.track IS NOT NULL OR perfetto_events.pid IS NULL AND p.pid IS NOT NULL
       OR perfetto_events.tid IS NULL AND p.tid IS NOT NULL OR perfetto_events.process IS NULL AND p.process IS NOT NULL
       OR perfetto_events.thread IS NULL AND p.thread IS NOT NULL);
DROP TABLE perfetto_places;

DROP TABLE IF EXISTS temp.perfetto_files;
CREATE TEMP TABLE perfetto_files AS
SELECT trace, max(base_ns) AS base_ns
FROM (SELECT DISTINCT trace, NULL AS base_ns FROM perfetto_events UNION ALL
      SELECT trace, CASE WHEN row_number() OVER (PARTITION BY trace ORDER BY line) = 1 THEN clock_ns - start_ns END
      FROM perfetto_events WHERE kind = 'clock')
GROUP BY trace;

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM perfetto_files);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM perfetto_files);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM perfetto_files);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM perfetto_files);
INSERT INTO device_traces (trace, format, base_ns) SELECT trace, 'perfetto', coalesce(base_ns, 0) FROM perfetto_files;

-- What each slice is, by the words of its category; of XLA's, by its process and its track.
DROP TABLE IF EXISTS temp.perfetto_words;
CREATE TEMP TABLE perfetto_words AS
SELECT category, process, track,
       CASE
         WHEN category GLOB '*kernel_dispatch*' OR category IN ('kernel', 'concurrent_kernel') THEN 'kernel'
         WHEN category GLOB '*memory_copy*' OR category = 'gpu_memcpy' THEN 'memcpy'
         WHEN category = 'gpu_memset' THEN 'memset'
         WHEN category = 'device_hip' THEN 'hip' -- of Omnitrace: all that a device did
         WHEN process GLOB '/device:*' AND (track IN ('XLA Ops', 'Async XLA Ops') OR track GLOB 'Stream #*') THEN 'kernel'
         WHEN process GLOB '/device:*' THEN NULL
         WHEN category GLOB '*marker*' OR category IN ('rocm_roctx', 'user', 'host', 'python', 'user_annotation', 'cpu_op') THEN 'range'
         WHEN category GLOB '*_api*' OR category GLOB '*_runtime' OR category GLOB '*_driver'
              OR category IN ('rocm_hip', 'rocm_hsa') THEN 'call'
       END AS what
FROM (SELECT DISTINCT category, process, coalesce(thread, track) AS track FROM perfetto_events WHERE kind = 'slice');
CREATE INDEX temp.perfetto_word ON perfetto_words(category, process, track);

-- Processes and threads by numbers of their own. A slice of no thread is of its track.
DROP TABLE IF EXISTS temp.perfetto_threads;
CREATE TEMP TABLE perfetto_threads AS
SELECT trace, pid, tid, own, dense_rank() OVER (ORDER BY trace, pid) AS process_id,
       dense_rank() OVER (ORDER BY trace, pid, tid, own) AS thread
FROM (SELECT DISTINCT trace, pid, tid, iif(tid IS NULL, track_uuid, NULL) AS own FROM perfetto_events WHERE kind = 'slice');
CREATE INDEX temp.perfetto_thread ON perfetto_threads(pid, tid, own, trace);
DROP TABLE IF EXISTS temp.perfetto_slices;
CREATE TEMP TABLE perfetto_slices AS
-- these hold others
SELECT e.trace, CASE WHEN e.process GLOB '/device:*' AND (rtrim(e.name, '.0123456789') IN ('while', 'conditional', 'call')
                                                          OR json_extract(e.args, '$.long_name') GLOB '%* while(*), condition=*'
                                                          OR json_extract(e.args, '$.long_name') GLOB '%* conditional(*), *_computation*'
                                                          OR json_extract(e.args, '$.long_name') GLOB '%* call(*), to_apply=*') THEN NULL
       WHEN w.what <> 'hip' THEN w.what WHEN e.name GLOB 'Copy*' THEN 'memcpy' WHEN e.name GLOB 'FillBuffer*' THEN 'memset'
                     WHEN w.what = 'hip' THEN 'kernel' END AS what, e.name, e.start_ns AS start, e.end_ns AS "end", e.track,
       coalesce(e.thread, e.track) AS place, e.pid, coalesce(CAST(e.tid AS TEXT), e.track) AS tid, e.process,
       -- a REAL may be several
       coalesce((SELECT iif(typeof(c.id) = 'real', NULL, c.id)
                 FROM (SELECT json_first(e.args, 'corr_id', 'correlation') AS id) AS c),
                e.flow_id) AS stack,
       json_first(e.args, 'agent') AS agent, json_first(e.args, 'src_agent') AS source, json_first(e.args, 'dst_agent') AS target,
       json_first(e.args, 'stream_ID', 'stream') AS stream_id, json_first(e.args, 'queue') AS queue_id,
       json_first(e.args, 'copy_bytes', 'bytes') AS bytes, json_first(e.args, 'device') AS number, t.process_id, t.thread
FROM perfetto_events AS e CROSS JOIN perfetto_threads AS t ON t.trace = e.trace AND t.pid IS e.pid AND t.tid IS e.tid
  AND t.own IS iif(e.tid IS NULL, e.track_uuid, NULL)
LEFT JOIN perfetto_words AS w ON w.category IS e.category AND w.process IS e.process AND w.track IS coalesce(e.thread, e.track)
WHERE e.kind = 'slice';
DROP TABLE IF EXISTS temp.perfetto_processes;
CREATE TEMP TABLE perfetto_processes AS SELECT DISTINCT process_id, trace FROM perfetto_threads;
DROP TABLE perfetto_threads;
DROP TABLE perfetto_events;
UPDATE perfetto_slices SET what = NULL -- of GPUs XProf derives these from the streams
WHERE process GLOB '/device:*' AND place IN ('XLA Ops', 'Async XLA Ops')
  AND (trace, process_id) IN (SELECT trace, process_id FROM perfetto_slices WHERE process GLOB '/device:*' AND place GLOB 'Stream #*');
CREATE TEMP VIEW device_xla AS
SELECT trace, place AS line, name, what AS kind FROM perfetto_slices WHERE process GLOB '/device:*' AND what = 'kernel';
.read sql/formats/device/xla.sql
UPDATE perfetto_slices SET what = coalesce(n.kind, 'none') FROM device_no_kernels AS n
WHERE n.name = perfetto_slices.name AND process GLOB '/device:*' AND place GLOB 'Stream #*' AND what = 'kernel';
DROP TABLE device_no_kernels;

-- A device is the agent that an event names, or the number in the name of its track. A copy is of the GPU that it goes to,
-- or else of the one that it comes from.
DROP TABLE IF EXISTS temp.perfetto_activity;
CREATE TEMP TABLE perfetto_activity AS
WITH gpus AS MATERIALIZED (SELECT DISTINCT trace, agent FROM perfetto_slices WHERE what = 'kernel' AND agent IS NOT NULL)
SELECT s.trace, s.what AS kind, s.start, s."end", nullif(s.stack, 0) AS stack, s.stream_id, s.queue_id, s.bytes,
       coalesce(s.name, 'kernel') AS name, s.pid, s.process_id, s.track,
       CASE WHEN s.what = 'memcpy' AND coalesce(s.target, s.source) IS NOT NULL
            THEN CASE WHEN s.target GLOB 'GPU*' OR s.name GLOB '*_TO_DEVICE'
                        OR (s.trace, s.target) IN (SELECT trace, agent FROM gpus) THEN s.target
                      WHEN s.source GLOB 'GPU*' OR s.name GLOB '*DEVICE_TO_*'
                        OR (s.trace, s.source) IN (SELECT trace, agent FROM gpus) THEN s.source END
            ELSE coalesce(s.agent, s.number, CASE WHEN s.process GLOB '/device:*' THEN s.process
                 WHEN s.track GLOB '*[[][0-9]*' THEN CAST(substr(s.track, instr(s.track, '[') + 1) AS INTEGER)
                 WHEN s.track GLOB '*[Dd]evice [0-9]*' THEN CAST(substr(s.track, instr(lower(s.track), 'device ') + 7) AS INTEGER)
                                                  ELSE s.track END, '?') END AS device
FROM perfetto_slices AS s WHERE s.what IN ('kernel', 'memcpy', 'memset', 'sync');
UPDATE perfetto_activity SET name = 'Memcpy ' || CASE
    WHEN name GLOB '*HOST_TO_DEVICE' OR name = 'CopyHostToDevice' THEN 'HtoD'
        WHEN name GLOB '*DEVICE_TO_HOST' OR name = 'CopyDeviceToHost' THEN 'DtoH'
                                                      WHEN name GLOB '*DEVICE_TO_DEVICE' OR name = 'CopyDeviceToDevice' THEN 'DtoD'
    WHEN name GLOB '*HOST_TO_HOST' THEN 'HtoH' ELSE name END
WHERE kind = 'memcpy' AND name NOT GLOB 'Memcpy*' AND name NOT GLOB 'UM_*';
UPDATE perfetto_activity SET device = substr(device, 5) WHERE device GLOB 'GPU-[0-9]*';

-- ---- 2. What the program marks ----

DROP TABLE IF EXISTS temp.device_marks;
CREATE TEMP TABLE device_marks AS
SELECT r.trace, r.process_id AS process, r.thread, r.name, r.start, r."end", i.step AS steps, r.pid, r.tid, 1 AS nests
FROM perfetto_input AS i CROSS JOIN perfetto_slices AS r WHERE r.what = 'range' AND r.name IS NOT NULL AND r."end" >= r.start;
.read sql/formats/device/step_names.sql

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT t.trace, 'host', r.tid, r.name, r.start + t.base_ns, r."end" + t.base_ns
FROM device_ranges_seen AS r JOIN device_traces AS t USING (trace) WHERE r.op = r.name;

-- ---- 3. Calls of the host ----

DROP VIEW IF EXISTS temp.device_host_calls;
CREATE TEMP VIEW device_host_calls AS
SELECT process_id AS process, thread, stack AS call, min(start) AS start, "end", name, tid FROM perfetto_slices
WHERE what = 'call' AND stack <> 0 GROUP BY process_id, stack;
.read sql/formats/device/launches.sql

-- ---- 4. What the devices did ----

-- Launches of which nothing is there, if each kernel tells its call. What is left out below is there, without a time.
CREATE TEMP TABLE device_unseen AS
SELECT p.trace, l.process || ' ' || l.thread AS thread, l.start, l.name
FROM device_host_launches AS l
JOIN perfetto_processes AS p ON p.process_id = l.process
WHERE p.trace IN (SELECT trace FROM perfetto_activity GROUP BY trace HAVING total(kind = 'kernel' AND stack IS NULL) = 0)
  AND ((l.name GLOB '[ch]*Launch*Kernel*' OR l.name GLOB '[ch]*GraphLaunch*')
       AND iif((l.process, l.call) IN (SELECT process_id, stack FROM perfetto_activity WHERE stack IS NOT NULL), 0, 1)
       OR l.name GLOB '[ch]*StreamBeginCapture*' OR l.name GLOB '[ch]*StreamEndCapture*');
.read sql/formats/device/unseen.sql

DROP TABLE IF EXISTS temp.perfetto_left_out;
CREATE TEMP TABLE perfetto_left_out (trace, severity, kind, count, detail);
INSERT INTO perfetto_left_out
SELECT trace, 'data_loss', 'left_out', count(*), 'copies from host to host: left out'
FROM perfetto_activity WHERE device IS NULL GROUP BY trace;
DELETE FROM perfetto_activity WHERE device IS NULL;
INSERT INTO perfetto_left_out
SELECT a.trace, 'data_loss', 'impossible_time', count(*),
       'activities that end before they start, or beyond what a time can be: left out; the first is "' || min(a.name) || '"'
FROM perfetto_activity AS a JOIN device_traces AS t USING (trace)
WHERE a."end" < a.start OR a."end" > 9223372036854775807 - t.base_ns GROUP BY a.trace;
DELETE FROM perfetto_activity
WHERE "end" < start OR "end" > 9223372036854775807 - (SELECT base_ns FROM device_traces AS t WHERE t.trace = perfetto_activity.trace);

INSERT INTO perfetto_left_out
SELECT trace, 'data_loss', 'impossible_value', count(*), 'bytes below 0 count as none; the first of "' || min(name) || '"'
FROM perfetto_activity WHERE bytes < 0 GROUP BY trace;
UPDATE perfetto_activity SET bytes = NULL WHERE bytes < 0;

-- What comes twice counts once. What lies long before or after everything that the host did has a time that cannot be.
DROP TABLE IF EXISTS temp.perfetto_again;
CREATE TEMP TABLE perfetto_again(id, trace);
--@ if EXISTS (SELECT 1 FROM perfetto_activity GROUP BY start, "end", stack HAVING count(*) > 1)
INSERT INTO perfetto_again
SELECT id, trace FROM (SELECT rowid AS id, trace,
                              row_number() OVER (PARTITION BY trace, device, stream_id, queue_id, track, start, "end", kind, name,
                                                 stack ORDER BY process_id, rowid) AS nth FROM perfetto_activity) WHERE nth > 1;
--@ end
INSERT INTO perfetto_left_out SELECT trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once'
FROM perfetto_again GROUP BY trace;
DELETE FROM perfetto_activity WHERE rowid IN (SELECT id FROM perfetto_again);
DROP TABLE perfetto_again;
DROP TABLE IF EXISTS temp.perfetto_lost;
CREATE TEMP TABLE perfetto_lost AS
WITH host AS MATERIALIZED (
  SELECT trace, min(start) AS begin_ns, max("end") AS last_ns FROM perfetto_slices WHERE what IN ('call', 'range') GROUP BY trace
  UNION ALL -- without any, a day before and after the middle one
  SELECT trace, start - 86399000000000, start + 82800000000000 FROM (
    SELECT trace, start, row_number() OVER (PARTITION BY trace ORDER BY start) AS nth, count(*) OVER (PARTITION BY trace) AS n
    FROM perfetto_activity
    WHERE trace NOT IN (SELECT trace FROM perfetto_slices WHERE what IN ('call', 'range')))
  WHERE nth = (n + 1) / 2
)
SELECT a.rowid AS id, a.trace, a.name FROM perfetto_activity AS a CROSS JOIN host USING (trace)
WHERE a."end" > last_ns + 3600000000000 OR (a.start < begin_ns - 1800000000000 OR a.start < 0 AND a."end" < begin_ns - 1000000000)
  OR a.start <= 0 AND begin_ns > 1000000000;
INSERT INTO perfetto_left_out
SELECT trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(name) || '"'
FROM perfetto_lost GROUP BY trace;
DELETE FROM perfetto_activity WHERE rowid IN (SELECT id FROM perfetto_lost);
DROP TABLE perfetto_lost;

DROP TABLE IF EXISTS temp.perfetto_overruns;
CREATE TEMP TABLE perfetto_overruns AS
SELECT id, a.trace, a.name, n.start AS next_start
FROM (SELECT rowid AS id, lead(rowid) OVER (PARTITION BY trace, device, queue_id, track, stream_id ORDER BY start, "end") AS next
      FROM perfetto_activity WHERE kind = 'kernel')
CROSS JOIN perfetto_activity AS a ON a.rowid = id CROSS JOIN perfetto_activity AS n ON n.rowid = next
WHERE n.start > a.start AND a."end" > n."end" AND coalesce(a.stack <> n.stack, 1) AND a."end" - n."end" > n."end" - a.start;
INSERT INTO perfetto_left_out
SELECT trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their queue ended: they end where that begins; the first is "' || min(name) || '"'
FROM perfetto_overruns GROUP BY trace;
UPDATE perfetto_activity SET "end" = o.next_start FROM perfetto_overruns AS o WHERE o.id = perfetto_activity.rowid;
DROP TABLE perfetto_overruns;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, NULL AS hlo_category, NULL AS told FROM perfetto_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

-- Where HIP was not traced, no activity is of a stream: what runs in order is a queue, or else a track.
INSERT INTO device_activity (trace, process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes, collective)
SELECT t.trace, CAST(a.pid AS TEXT), CAST(a.device AS TEXT), i.chip,
       CASE WHEN n.streams > 0 AND a.stream_id IS NOT NULL THEN CAST(a.stream_id AS TEXT)
            WHEN a.queue_id IS NOT NULL THEN 'queue ' || a.queue_id ELSE a.track END,
       c.class, a.kind, a.name, a.start + t.base_ns, a."end" + t.base_ns, l.step, a.stack, l.start + t.base_ns, l."end" + t.base_ns, l.name,
       l.thread, l.op, l.op_start + t.base_ns,
       a.bytes, c.collective
FROM perfetto_input AS i
CROSS JOIN perfetto_activity AS a
JOIN device_traces AS t USING (trace)
JOIN (SELECT trace, count(DISTINCT nullif(stream_id, 0)) AS streams FROM perfetto_activity GROUP BY trace) AS n USING (trace)
JOIN device_classes AS c USING (kind, name)
LEFT JOIN device_host_launches AS l ON l.process = a.process_id AND l.call = a.stack;

-- ---- 5. What has no place ----

INSERT INTO perfetto_left_out
SELECT c.trace, 'warning', 'conflict', count(*),
       'times at which the clock moved by more than a second: what comes after is of a later boot or another host, or the clock was set'
FROM perfetto_clocks AS c GROUP BY c.trace;
INSERT INTO perfetto_left_out
SELECT trace, 'warning', 'missing_field', sum(n),
       'processes of which the trace does not tell whether their devices of one number are one: they count as one. Were their traces put together?'
FROM (SELECT trace, count(DISTINCT pid) AS n FROM perfetto_activity GROUP BY trace, device) WHERE n > 1 GROUP BY trace;
INSERT INTO perfetto_left_out
SELECT trace, 'info', 'other_spans', count(*), 'slices that are no device''s, no call and no range: left out; categories are '
         || (SELECT coalesce(group_concat(category), 'none') FROM (SELECT DISTINCT category FROM perfetto_words WHERE what IS NULL LIMIT 8))
FROM perfetto_slices WHERE what IS NULL GROUP BY trace;
INSERT INTO perfetto_left_out
SELECT f.trace, 'warning', 'no_device_event', 1, 'a trace without a slice that is known as a device''s'
FROM perfetto_files AS f WHERE f.trace NOT IN (SELECT trace FROM perfetto_activity);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail) SELECT trace, severity, kind, NULL, count, detail
FROM perfetto_left_out;

CREATE TEMP TABLE device_told AS SELECT trace FROM perfetto_files;
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/early.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM perfetto_files WHERE EXISTS (SELECT 1 FROM device_traces WHERE format <> 'perfetto');
.read sql/formats/device/again.sql

DROP TABLE temp.perfetto_input;
DROP TABLE temp.perfetto_tracks;
DROP TABLE temp.perfetto_clocks;
DROP TABLE temp.perfetto_files;
DROP TABLE temp.perfetto_words;
DROP TABLE temp.perfetto_slices;
DROP TABLE temp.perfetto_processes;
DROP TABLE temp.perfetto_activity;
DROP TABLE temp.device_ranges_seen;
DROP TABLE temp.device_host_steps;
DROP TABLE temp.device_host_launches;
DROP TABLE temp.device_classes;
DROP TABLE temp.perfetto_left_out;
