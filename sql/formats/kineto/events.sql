-- kineto/events.sql - the groups of events, what the program marks, and which events are the devices'.
--
-- Reads what inputs.sql and merged.sql make. Makes kineto_groups, kineto_parts, kineto_kinds, kineto_activity and kineto_shared.
-- A part of kineto.sql.

-- ---- 2. Groups of events: of one category and thread, each a number; steps and ranges ----

-- Correlations, devices and steps are each label's own (merged.sql). Without labels, steps are those of the process where several
-- mark some.
DROP TABLE IF EXISTS temp.kineto_groups;
CREATE TEMP TABLE kineto_groups(id INTEGER PRIMARY KEY, trace, cat, pid, tid, rank, is_device, is_call, is_operator, is_host, is_strange,
                                label_name, scope_name, file, process, thread, label, scope);
INSERT INTO kineto_groups(trace, cat, pid, tid, rank, is_device, is_call, is_operator, is_host, is_strange, label_name, scope_name, file,
                          process, thread, label, scope)
WITH several AS MATERIALIZED (
  SELECT trace FROM kineto_faults CROSS JOIN kineto_marked AS m CROSS JOIN kineto_events AS e ON e.rowid = m.id
  WHERE steps AND cat = 'user_annotation' AND step IS NOT NULL
  GROUP BY trace HAVING count(DISTINCT pid) > 1
),
labelled AS (
  SELECT e.*, l.rank, CASE WHEN label_name <> '' THEN label_name WHEN trace IN several THEN CAST(pid AS TEXT) ELSE '' END AS scope_name
  FROM kineto_each AS e JOIN kineto_labels AS l USING (trace, label_name)
)
SELECT trace, cat, pid, tid, rank, is_device, is_call, is_operator, is_operator OR is_call OR cat = 'user_annotation',
       cat GLOB 'phase *' OR NOT (is_device OR is_operator OR is_call
                                  OR cat IN ('gpu_user_annotation', 'user_annotation', 'overhead', 'ac2g', 'async_cpu_to_gpu',
                                             'python_function')),
       label_name, scope_name,
       dense_rank() OVER (ORDER BY trace), dense_rank() OVER (ORDER BY trace, pid), dense_rank() OVER (ORDER BY trace, pid, tid),
       dense_rank() OVER (ORDER BY trace, label_name), dense_rank() OVER (ORDER BY trace, scope_name)
FROM labelled;
DROP TABLE kineto_each;
CREATE INDEX temp.kineto_group ON kineto_groups(trace, cat, pid, tid);
INSERT INTO kineto_left_out
SELECT g.trace, 'warning', 'missing_field',
       (SELECT count(*) FROM kineto_events AS e WHERE e.trace = g.trace AND (e.pid IS NULL OR e.tid IS NULL)),
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
  FROM kineto_marked AS m CROSS JOIN kineto_events AS e ON e.rowid = m.id)
WHERE nth > 1;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'repeated_record', count(*),
       'ranges that the program marks come twice: they count once; the first is "' || min(name) || '"' FROM kineto_again GROUP BY trace;
DELETE FROM kineto_events WHERE rowid IN (SELECT id FROM kineto_again);
DROP TABLE kineto_again;

INSERT INTO device_ranges (trace, rank, side, thread, name, start_ns, end_ns)
SELECT e.trace, g.rank, CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END, CAST(e.tid AS TEXT), e.name,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_marked AS m CROSS JOIN kineto_events AS e ON e.rowid = m.id CROSS JOIN device_traces AS t USING (trace)
JOIN kineto_groups AS g ON g.trace = e.trace AND g.cat = e.cat AND g.pid IS e.pid AND g.tid IS e.tid;

INSERT INTO device_steps (trace, rank, process, side, device, step, start_ns, end_ns)
SELECT e.trace, g.rank, CASE e.cat WHEN 'user_annotation' THEN CAST(e.pid AS TEXT) END,
       CASE e.cat WHEN 'user_annotation' THEN 'host' ELSE 'device' END,
       CASE e.cat WHEN 'gpu_user_annotation' THEN CAST(e.pid AS TEXT) END, e.step,
       e.start_ns + t.base_ns, e.end_ns + t.base_ns
FROM kineto_faults CROSS JOIN kineto_marked AS m CROSS JOIN kineto_events AS e ON e.rowid = m.id
CROSS JOIN device_traces AS t USING (trace)
JOIN kineto_groups AS g ON g.trace = e.trace AND g.cat = e.cat AND g.pid IS e.pid AND g.tid IS e.tid
WHERE steps AND e.step IS NOT NULL;
DROP TABLE kineto_marked;

-- ---- 3. Which events are the devices' ----

-- MTIA has one category, and names say copies and waits. Of synchronisation, waits of a stream are the device's;
-- the host's own waits have no stream, or -1.
DROP TABLE IF EXISTS temp.kineto_kinds;
CREATE TEMP TABLE kineto_kinds AS
WITH each AS MATERIALIZED (
  SELECT DISTINCT g.cat, e.name
  FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.is_device CROSS JOIN kineto_events AS e ON e.rowid = p.id
),
names AS (
  SELECT cat, name,
         CASE
           WHEN cat = 'kernel' AND name GLOB 'Memcpy[HDP]*' THEN 'memcpy' -- as ONNX Runtime writes them
           WHEN cat IN ('kernel', 'concurrent_kernel', 'npu_task') THEN 'kernel'
           WHEN cat IN ('gpu_memcpy', 'memcpy') THEN 'memcpy'
           WHEN cat IN ('gpu_memset', 'memset') THEN 'memset'
           WHEN cat = 'cuda_sync' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' AND name GLOB 'dma*' THEN 'memcpy'
           WHEN cat = 'mtia_ccp_events' AND name GLOB '*event_wait*' THEN 'sync'
           WHEN cat = 'mtia_ccp_events' THEN 'kernel'
         END AS kind
  FROM each
)
SELECT cat, name, kind, dense_rank() OVER (ORDER BY name) AS nth, iif(cat = 'npu_task', 'compute', NULL) AS told, NULL AS class,
       NULL AS collective
FROM names WHERE kind IS NOT NULL;
CREATE INDEX temp.kineto_kind ON kineto_kinds(cat, name);
INSERT INTO kineto_left_out
SELECT e.trace, 'warning', 'unknown_event', count(*),
       'events of a device or with a correlation, or of no known phase, of categories that are not known: left out; these are '
         || group_concat(DISTINCT e.cat)
FROM (SELECT 1 FROM kineto_groups WHERE is_strange LIMIT 1) CROSS JOIN kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part
CROSS JOIN kineto_events AS e ON e.rowid = p.id
WHERE g.is_strange AND (e.cat GLOB 'phase *' OR e.stream IS NOT NULL OR e.device IS NOT NULL OR e.correlation IS NOT NULL
                        OR e.cat GLOB 'mtia_*' OR e.cat IN ('hpu_op', 'collective_comm', 'xpu_sync', 'cuda_profiler_range'))
GROUP BY e.trace;

-- The devices' events, in numbers: kind is a row of kineto_kinds.
DROP TABLE IF EXISTS temp.kineto_activity;
CREATE TEMP TABLE kineto_activity(id INTEGER PRIMARY KEY, part INTEGER, kind INTEGER, start_ns INTEGER, end_ns INTEGER, correlation, device,
                                  stream);
INSERT INTO kineto_activity
SELECT p.id, p.part, k.rowid, p.start_ns, p.end_ns, e.correlation, e.device, e.stream
FROM kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.is_device CROSS JOIN kineto_events AS e ON e.rowid = p.id
CROSS JOIN kineto_kinds AS k ON k.cat = g.cat AND k.name = e.name;

-- Launches of which nothing is there, if each kernel tells its call. What is left out below is there, without a time.
CREATE TEMP TABLE device_unseen AS
SELECT g.trace, g.thread, p.start_ns AS start, e.name
FROM kineto_groups AS g CROSS JOIN kineto_parts AS p ON p.part = g.id CROSS JOIN kineto_events AS e ON e.rowid = p.id
WHERE g.is_call
  AND g.trace IN (SELECT o.trace
                  FROM (SELECT part, total(k.kind = 'kernel' AND correlation IS NULL) AS n
                        FROM kineto_activity AS a CROSS JOIN kineto_kinds AS k ON k.rowid = a.kind GROUP BY part)
                  CROSS JOIN kineto_groups AS o ON o.id = part GROUP BY o.trace HAVING total(n) = 0)
  AND ((e.name GLOB '[ch]*Launch*Kernel*' OR e.name GLOB '[ch]*GraphLaunch*') AND e.correlation IS NOT NULL
       AND iif((g.label, e.correlation) IN (SELECT o.label, a.correlation
                                            FROM kineto_activity AS a CROSS JOIN kineto_groups AS o ON o.id = a.part
                                            WHERE a.correlation IS NOT NULL), 0, 1)
       AND iif((g.trace, e.correlation) IN (SELECT trace, correlation FROM kineto_timeless), 0, 1)
       OR e.name GLOB '[ch]*StreamBeginCapture*' OR e.name GLOB '[ch]*StreamEndCapture*');

-- A device's time that is none: 0 or a second and more before anything that the host did, an hour after it, or 0 where
-- its own call came later.
DROP TABLE IF EXISTS temp.kineto_lost;
CREATE TEMP TABLE kineto_lost AS
WITH span AS MATERIALIZED (
  SELECT part, min(start_ns) AS begin_ns, min(end_ns) AS first_end_ns, max(end_ns) AS last_ns,
         min(start_ns) FILTER (WHERE start_ns > 0) AS device_ns
  FROM kineto_parts GROUP BY part
),
host AS MATERIALIZED (
  SELECT g.trace, min(begin_ns) AS begin_ns, max(last_ns) AS last_ns
  FROM span CROSS JOIN kineto_groups AS g ON g.id = part WHERE is_host GROUP BY g.trace
  UNION ALL -- of a trace without a host, a day before and after the middle one
  SELECT trace, start_ns - 86399000000000, start_ns + 82800000000000 FROM (
    SELECT f.trace, p.start_ns, row_number() OVER (PARTITION BY f.trace ORDER BY p.start_ns) AS nth,
           count(*) OVER (PARTITION BY f.trace) AS n
    FROM kineto_files AS f CROSS JOIN kineto_parts AS p CROSS JOIN kineto_groups AS g ON g.id = p.part AND g.trace = f.trace
    WHERE g.is_device AND f.trace NOT IN (SELECT trace FROM kineto_groups WHERE is_host))
  WHERE nth = (n + 1) / 2
),
first AS MATERIALIZED (
  SELECT g.trace, min(device_ns) AS device_ns FROM span CROSS JOIN kineto_groups AS g ON g.id = part
  WHERE is_device AND device_ns > 0 GROUP BY g.trace
),
suspect AS MATERIALIZED ( -- groups in which an event may be lost
  SELECT g.id AS part, g.trace, h.begin_ns, h.last_ns, f.device_ns
  FROM span AS s CROSS JOIN kineto_groups AS g ON g.id = s.part LEFT JOIN host AS h ON h.trace = g.trace
  LEFT JOIN first AS f ON f.trace = g.trace
  WHERE g.is_device AND ((s.begin_ns < h.begin_ns - 1800000000000 OR s.begin_ns < 0 AND s.first_end_ns < h.begin_ns - 1000000000)
                         OR s.last_ns > h.last_ns + 3600000000000 OR s.begin_ns <= 0)
)
SELECT d.id, s.trace, (SELECT name FROM kineto_events AS e WHERE e.rowid = d.id) AS name
FROM (SELECT 1 FROM suspect LIMIT 1) CROSS JOIN kineto_activity AS d JOIN suspect AS s ON s.part = d.part
WHERE (d.start_ns < begin_ns - 1800000000000 OR d.start_ns < 0 AND d.end_ns < begin_ns - 1000000000) OR d.end_ns > last_ns + 3600000000000
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
       CASE WHEN g.trace IN (SELECT trace FROM kineto_left_out WHERE kind = 'unknown_event')
              OR NOT max(is_host) THEN 'events, none of which is a device''s: of a category or dialect that is not known'
            WHEN max(is_call)
              THEN 'events, none of which is a device''s, though calls of its driver are there: the profiler lost what devices did, or nothing was launched'
            ELSE 'events of the host alone: was the profile taken with the activities of a device?' END
FROM kineto_groups AS g CROSS JOIN kineto_parts AS p ON p.part = g.id
WHERE g.trace NOT IN (SELECT trace FROM (SELECT DISTINCT part FROM kineto_activity) CROSS JOIN kineto_groups ON id = part)
  AND g.trace IN (SELECT trace FROM kineto_files)
GROUP BY g.trace;

INSERT INTO kineto_left_out
SELECT trace, 'warning', 'no_device_event', 1, 'a trace without an event of a device or of the host'
FROM kineto_files WHERE trace NOT IN (SELECT trace FROM kineto_groups);
INSERT INTO kineto_left_out
SELECT t.trace, 'warning', 'parallel_logs', 1,
       'another trace is of the same rank and step: their collectives are not compared. Is it of another job?'
FROM kineto_files AS f JOIN device_traces AS t USING (trace)
WHERE t.rank IN (SELECT DISTINCT t.rank FROM device_traces AS t JOIN device_steps AS s USING (trace)
                 WHERE t.rank IS NOT NULL GROUP BY t.rank, s.step HAVING count(DISTINCT t.trace) > 1);

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
  SELECT e.id, e.start_ns = n.start_ns AND e.end_ns = n.end_ns AND e.nth = n.nth
           AND n.correlation IS e.correlation AS is_again, n.start_ns AS next_ns,
         e.kind = 'kernel' AND e.stream IS NOT NULL AND e.end_ns > n.end_ns AND n.start_ns > e.start_ns
           AND coalesce(n.correlation <> e.correlation, 1)
           AND e.end_ns - n.end_ns > n.end_ns - e.start_ns AS is_over
  FROM kineto_sorted AS e CROSS JOIN kineto_sorted AS n ON n.rowid = e.rowid + 1
  WHERE n.start_ns < e.end_ns + (n.start_ns = e.start_ns) AND e.process = n.process AND e.device IS n.device AND e.stream IS n.stream
    AND e.kind = n.kind
)
SELECT v.id, e.trace, e.name, next_ns, is_again FROM neighbour AS v CROSS JOIN kineto_events AS e ON e.rowid = v.id
WHERE is_over OR is_again;
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
FROM (SELECT 1 FROM kineto_groups WHERE label_name <> '' LIMIT 1) CROSS JOIN kineto_activity AS d
CROSS JOIN kineto_groups AS g ON g.id = d.part
WHERE d.device IS NOT NULL AND g.pid IS NOT NULL GROUP BY 1, 2 HAVING count(DISTINCT g.label_name) > 1;
-- Of a step on a device: its device, as that of an activity.
UPDATE device_steps SET device = substr(device, instr(device, '] ') + 2)
WHERE side = 'device' AND device GLOB '[[]*] *' AND trace IN (SELECT trace FROM kineto_files)
  AND (trace, substr(device, instr(device, '] ') + 2)) NOT IN (SELECT trace, CAST(device AS TEXT) FROM kineto_shared);
DROP TABLE kineto_labels;
