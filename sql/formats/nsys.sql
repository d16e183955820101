-- nsys.sql - from an Nsight Systems export to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ attach nsys
--@ input :trace tables ^(?:CUPTI_ACTIVITY_KIND_|TARGET_INFO_|ANALYSIS_FILE)
--
--     nsys export --type sqlite --output run.sqlite run.nsys-rep
--
--     .load ./mpg
--     .read sql/device.sql
--     ATTACH 'file:run.sqlite?mode=ro' AS nsys;
--     .param set :chip nvidia-h100-sxm
--     .read sql/formats/nsys.sql
--     .read sql/device_views.sql
--     DETACH nsys;
--
-- The export is a database of its own, attached under any name or opened as the main one, and is only read. For
-- several, attach and read them one after the other. Parameters, all of which may be left unset: :trace, what to
-- call this one (the file's path); :chip, if the export does not name the GPUs (a name or alias of mpg_chips);
-- :step, a GLOB over the NVTX ranges that are steps ('train_step*'), where theirs is not among the usual names.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE nsys_input AS SELECT 'run 7' AS trace, 'nvidia-h100-sxm' AS chip, 'train_step*' AS step;
--
-- Times are the export's plus the Unix time of its start. The inputs are dropped at the end; nsys_left_out stays and
-- counts what has no place here. The rules are explained in docs/formats/nsys.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS nsys_input AS SELECT :trace AS trace, :chip AS chip, :step AS step;

DROP TABLE IF EXISTS temp.nsys_trace;
CREATE TEMP TABLE nsys_trace (
  trace, chip, step, base_ns, host,
  CONSTRAINT "no Nsight Systems export is attached: ATTACH 'file:run.sqlite?mode=ro' AS nsys" CHECK (trace IS NOT NULL)
);
INSERT INTO nsys_trace (trace, chip, step)
SELECT CASE WHEN d.name IS NOT NULL THEN coalesce(i.trace, nullif(d.file, ''), d.name) END, i.chip, i.step
FROM nsys_input AS i
LEFT JOIN (
  SELECT d.name, d.file FROM pragma_database_list AS d JOIN pragma_table_list AS t ON t.schema = d.name
  WHERE t.name = 'StringIds'
  ORDER BY d.seq LIMIT 1
) AS d;

-- An export has a table only if there was something to put into it. A name without a schema is looked for in one database after the other,
-- so an empty table in the last one stands in for a table that the export lacks. A natural join with that table gives a column of NULLs
-- for one that the export's version lacks.
ATTACH ':memory:' AS nsys_absent;
CREATE TABLE nsys_absent.StringIds (id, value);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName,
    shortName, mangledName);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_MEMCPY (start, "end", deviceId, contextId, streamId, correlationId, globalPid, bytes,
    copyKind);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_MEMSET (start, "end", deviceId, contextId, streamId, correlationId, globalPid, bytes);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, "end", deviceId, contextId, streamId, correlationId, globalPid, graphId);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
    syncType);
CREATE TABLE nsys_absent.CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId);
CREATE TABLE nsys_absent.NVTX_EVENTS (start, "end", eventType, text, textId, globalTid);
CREATE TABLE nsys_absent.TARGET_INFO_GPU (id, name);
CREATE TABLE nsys_absent.TARGET_INFO_CUDA_GPU (deviceId, name);
CREATE TABLE nsys_absent.TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid);
CREATE TABLE nsys_absent.TARGET_INFO_SESSION_START_TIME (utcEpochNs);
CREATE TABLE nsys_absent.META_DATA_CAPTURE (name, value);
CREATE TABLE nsys_absent.DIAGNOSTIC_EVENT (severity, text, globalPid);

UPDATE nsys_trace SET
  base_ns = coalesce((SELECT utcEpochNs
                      FROM TARGET_INFO_SESSION_START_TIME AS s NATURAL LEFT JOIN nsys_absent.TARGET_INFO_SESSION_START_TIME AS n LIMIT 1),
                     0),
  host = (SELECT value FROM META_DATA_CAPTURE WHERE name = 'DEVICE_DISPLAY_NAME');
-- nsys export --ts-normalize=true has added it already.
UPDATE nsys_trace SET base_ns = 0
WHERE (SELECT 2 * total(start > base_ns / 2) > count(*)
       FROM (SELECT * FROM (SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 99)
             UNION ALL SELECT * FROM (SELECT start FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 99)
              UNION ALL SELECT * FROM (SELECT start FROM CUPTI_ACTIVITY_KIND_MEMCPY LIMIT 99)));

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM nsys_trace);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM nsys_trace);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM nsys_trace);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM nsys_trace);
INSERT INTO device_traces (trace, format, base_ns, host) SELECT trace, 'nsys', base_ns, host FROM nsys_trace;

-- A process numbers the devices that it may see; the export says which of the machine's they are. Slices of one GPU
-- have its number, and an identity (uuid) of their own; so have GPUs whose number is not told. Global ids hold machine,
-- process and thread: without the lowest 24 bits a thread's is its process's.
DROP TABLE IF EXISTS temp.nsys_gpus; -- Nsight Systems before 2021.3 has TARGET_INFO_CUDA_GPU
CREATE TEMP TABLE nsys_gpus AS
SELECT id, max(name) AS name FROM (SELECT id, name FROM TARGET_INFO_GPU UNION ALL SELECT deviceId, name FROM TARGET_INFO_CUDA_GPU)
GROUP BY id;
DROP TABLE IF EXISTS temp.nsys_devices;
CREATE TEMP TABLE nsys_devices AS
WITH told AS (
  SELECT DISTINCT pid, cudaId AS cuda, gpuId AS gpu, uuid
  FROM TARGET_INFO_CUDA_DEVICE AS d NATURAL LEFT JOIN nsys_absent.TARGET_INFO_CUDA_DEVICE AS n
),
parts AS (SELECT gpu, iif(gpu IS NULL, cuda, NULL) AS cuda, count(DISTINCT uuid) AS n FROM told GROUP BY 1, 2)
SELECT d.pid, d.cuda, d.gpu IS NULL AND d.uuid IS NULL AS unsure, d.gpu IS NOT NULL AND p.n > 1 AS slice, g.name AS chip,
       CASE WHEN d.gpu IS NOT NULL THEN d.gpu || iif(p.n > 1, ' ' || coalesce(d.uuid, '?'), '')
            WHEN (SELECT max(n) FROM parts WHERE gpu IS NULL) > 1 THEN coalesce(d.uuid, CAST(d.cuda AS TEXT))
            ELSE CAST(d.cuda AS TEXT) END AS device
FROM (SELECT *, row_number() OVER (PARTITION BY pid, cuda ORDER BY gpu IS NULL, uuid IS NULL, gpu, uuid) AS nth FROM told) AS d
LEFT JOIN parts AS p ON p.gpu = d.gpu
LEFT JOIN nsys_gpus AS g ON g.id = d.gpu OR d.gpu IS NULL
  AND g.id = (SELECT min(id) FROM nsys_gpus GROUP BY NULL HAVING count(DISTINCT name) = 1)
WHERE d.nth = 1;
CREATE INDEX temp.nsys_device ON nsys_devices(pid, cuda);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'conflict', count(*), 'devices of a process of which the export tells two GPUs: the first counts'
FROM nsys_trace AS t, (SELECT 1 FROM TARGET_INFO_CUDA_DEVICE AS d NATURAL LEFT JOIN nsys_absent.TARGET_INFO_CUDA_DEVICE AS n
                       GROUP BY pid, cudaId HAVING count(DISTINCT gpuId) > 1 OR count(DISTINCT uuid) > 1) GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'conflict', count(*), 'GPUs of one number and several names, as of several machines: one name counts'
FROM nsys_trace AS t, (SELECT 1 FROM (SELECT id, name FROM TARGET_INFO_GPU UNION ALL SELECT deviceId, name FROM TARGET_INFO_CUDA_GPU)
                       GROUP BY id HAVING count(DISTINCT name) > 1) GROUP BY t.trace;

-- ---- 2. What the program marks ----

-- 59: pushed and popped on one thread; 60: started and ended anywhere. 70 and 71: the same, of a file of NVTXT.
DROP TABLE IF EXISTS temp.nsys_ranges;
CREATE TEMP TABLE nsys_ranges AS
SELECT n.globalTid, coalesce(n.text, s.value) AS name, n.start, n."end", n.eventType IN (59, 70) AS nests
FROM (SELECT globalTid, text, textId, start, "end", eventType FROM NVTX_EVENTS AS e NATURAL LEFT JOIN nsys_absent.NVTX_EVENTS AS n) AS n
LEFT JOIN StringIds AS s ON s.id = n.textId
WHERE n.eventType IN (59, 60, 70, 71);
DROP TABLE IF EXISTS temp.device_marks;
CREATE TEMP TABLE device_marks AS
SELECT t.trace, n.globalTid >> 24 AS process, n.globalTid AS thread, n.name, n.start, n."end", t.step AS steps,
       n.globalTid >> 24 & 0xffffff AS pid, n.nests
FROM nsys_trace AS t CROSS JOIN nsys_ranges AS n WHERE n."end" IS NOT NULL AND n.name IS NOT NULL;
DROP TABLE IF EXISTS temp.device_calls;
CREATE TEMP TABLE device_calls AS SELECT start, "end" FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE "end" >= start;
.read sql/formats/device/marks.sql
.read sql/formats/device/step_names.sql
DROP TABLE IF EXISTS temp.device_odd;
CREATE TEMP TABLE device_odd AS
SELECT 1 AS odd WHERE EXISTS (SELECT 1 FROM StringIds WHERE value GLOB '*[^ -~]*')
  OR EXISTS (SELECT 1 FROM device_ranges_seen WHERE name GLOB '*[^ -~]*');

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT t.trace, 'host', CAST(r.thread & 0xffffff AS TEXT), r.name, r.start + t.base_ns, r."end" + t.base_ns
FROM device_ranges_seen AS r, nsys_trace AS t
WHERE r.op = r.name;

-- ---- 3. Calls of the host ----

-- A correlation names a call within its process, and only there.
DROP VIEW IF EXISTS temp.device_host_calls;
CREATE TEMP VIEW device_host_calls AS
SELECT globalTid >> 24 AS process, globalTid AS thread, correlationId AS call, min(start) AS start, "end",
       (SELECT value FROM StringIds WHERE id = nameId) AS name, CAST(globalTid & 0xffffff AS TEXT) AS tid
FROM (SELECT start, "end", correlationId, nameId, globalTid
      FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_RUNTIME AS n)
WHERE correlationId > 0
GROUP BY globalTid >> 24, correlationId;
.read sql/formats/device/launches.sql

-- ---- 4. What the devices did ----

.read sql/formats/nsys/activity.sql
.read sql/formats/device/unseen.sql

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, NULL AS hlo_category, NULL AS told FROM nsys_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

INSERT INTO device_activity (trace, process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes, collective)
SELECT t.trace, CAST(a.process & 0xffffff AS TEXT),
       iif(m.n > 1, 'machine ' || coalesce(a.process >> 24, '?') || ' ', '') || coalesce(d.device, CAST(a.deviceId AS TEXT), '?'),
       coalesce(d.chip, g.name, t.chip),
       CAST(a.streamId AS TEXT), c.class, a.kind, a.name, a.start + t.base_ns, a."end" + t.base_ns, l.step, nullif(a.correlationId, 0),
       l.start + t.base_ns, l."end" + t.base_ns, l.name, l.thread, l.op, l.op_start + t.base_ns, a.bytes,
       c.collective
FROM nsys_trace AS t CROSS JOIN (SELECT count(DISTINCT process >> 24) AS n FROM nsys_activity) AS m
CROSS JOIN nsys_activity AS a
JOIN device_classes AS c USING (kind, name)
LEFT JOIN device_host_launches AS l ON l.process = a.process AND l.call = a.correlationId
LEFT JOIN nsys_devices AS d ON d.pid = a.process & 0xffffff AND d.cuda = a.deviceId
LEFT JOIN nsys_gpus AS g ON d.pid IS NULL AND g.id = a.deviceId
WHERE a."end" >= a.start;

-- ---- 5. What has no place ----

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT t.trace, 'warning', 'missing_field', NULL, count(*), 'kernels whose name the export lacks (StringIds): they count as computation'
FROM nsys_activity AS a, nsys_trace AS t WHERE a.kind = 'kernel' AND a.name = 'kernel' GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'missing_samples', count(*),
       'CUDA graphs whose kernels the profile does not list: each counts whole as computation, and so does communication in it. '
         || 'Profile with --cuda-graph-trace=node'
FROM nsys_activity AS a, nsys_trace AS t WHERE a.name GLOB 'CUDA graph*' AND a."end" >= a.start GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT t.trace, 'warning', 'missing_field', NULL, count(DISTINCT a.process),
       'processes of which the export does not tell which GPU is which (TARGET_INFO_CUDA_DEVICE): GPUs of one number count as one'
FROM nsys_trace AS t CROSS JOIN nsys_activity AS a LEFT JOIN nsys_devices AS d ON d.pid = a.process & 0xffffff AND d.cuda = a.deviceId
WHERE coalesce(d.unsure, 1) AND (SELECT count(DISTINCT process) FROM nsys_activity) > 1 GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'missing_field', count(*), 'columns that the export lacks count as empty: ' || group_concat(c.name, ', ')
FROM nsys_trace AS t, (
  SELECT k.name || '.' || n.name AS name FROM pragma_table_list AS k JOIN pragma_table_info(k.name, 'nsys_absent') AS n
  WHERE k.schema = (SELECT schema FROM pragma_table_list WHERE name = 'StringIds' AND schema <> 'nsys_absent' LIMIT 1)
    AND n.name IN ('deviceId', 'streamId', 'correlationId', 'globalPid', 'globalTid', 'eventType', 'nameId', 'bytes', 'copyKind',
                   'syncType') AND k.name <> 'DIAGNOSTIC_EVENT'
    AND n.name NOT IN (SELECT name FROM pragma_table_info(k.name, k.schema)) ORDER BY 1
) AS c GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', 1,
       'the start of the session (TARGET_INFO_SESSION_START_TIME): times are those since it, not Unix time' FROM nsys_trace
WHERE NOT EXISTS (SELECT 1 FROM TARGET_INFO_SESSION_START_TIME AS s NATURAL LEFT JOIN nsys_absent.TARGET_INFO_SESSION_START_TIME AS n
                  WHERE utcEpochNs IS NOT NULL);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'guessed_share', count(DISTINCT d.device),
       'slices of GPUs (MIG): each counts as a device of its own, by the name of the whole GPU'
FROM nsys_trace AS t, nsys_devices AS d WHERE d.slice GROUP BY t.trace;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'conflict', count(*), 'starts of the session (TARGET_INFO_SESSION_START_TIME): the first counts'
FROM nsys_trace AS t, TARGET_INFO_SESSION_START_TIME GROUP BY t.trace HAVING count(*) > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'missing_samples', count(*), 'the profiler says that events may be missing: ' || min(d.text)
FROM nsys_trace AS t, (SELECT severity, text, globalPid FROM DIAGNOSTIC_EVENT AS d NATURAL LEFT JOIN nsys_absent.DIAGNOSTIC_EVENT AS n) AS d
WHERE d.severity IN (2, 3) AND (d.text LIKE 'not all %events%' OR d.text LIKE '%events%lost%' OR d.text LIKE '%dropped%')
  AND (d.globalPid IS NULL OR d.globalPid >> 24 IN (SELECT process FROM nsys_activity)) GROUP BY t.trace;

CREATE TEMP TABLE IF NOT EXISTS nsys_left_out (trace, what, count);
DELETE FROM nsys_left_out WHERE trace IN (SELECT trace FROM nsys_trace);
INSERT INTO nsys_left_out
SELECT t.trace, w.what, w.count
FROM nsys_trace AS t, (
  SELECT 'activity that ends before it starts, or has no time' AS what, count(*) AS count
  FROM nsys_activity WHERE coalesce("end" < start, 1)
  UNION ALL
  SELECT 'NVTX range that is open at the end', count(*) FROM nsys_ranges WHERE "end" IS NULL
  UNION ALL
  SELECT 'NVTX range whose name the export lacks', count(*) FROM nsys_ranges WHERE "end" IS NOT NULL AND name IS NULL
  UNION ALL
  SELECT 'table ' || t.name || ': its name is not known, and it was not read', 1
  FROM pragma_table_list AS t
  WHERE t.schema = (SELECT schema FROM pragma_table_list WHERE name = 'StringIds' AND schema <> 'nsys_absent' LIMIT 1)
    AND t.name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'nsys_absent')
    AND (upper(t.name) GLOB 'CUPTI_ACTIVITY_KIND_*KERNEL*' OR upper(t.name) GLOB 'CUPTI_ACTIVITY_KIND_*_V[0-9]*'
         OR upper(t.name) GLOB 'NVTX_EVENTS_*' OR upper(t.name) GLOB 'TARGET_INFO_*_V[0-9]*'
         OR (SELECT count(*) FROM pragma_table_info(t.name, t.schema) WHERE lower(name) IN ('start', 'end', 'deviceid', 'streamid')) = 4)
) AS w
WHERE w.count > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.trace, 'data_loss', iif(l.what GLOB 'table *', 'unknown_event', 'left_out'), NULL, l.count, l.what || ': left out'
FROM nsys_left_out AS l JOIN nsys_trace AS t USING (trace);

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT trace, 'warning', 'no_device_event', NULL, 1,
       'no table of kernels, copies or sets that is known has a row: was it traced with --trace=cuda?'
FROM nsys_trace WHERE trace NOT IN (SELECT trace FROM device_activity);

CREATE TEMP TABLE device_told AS SELECT trace FROM nsys_trace;
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/early.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM nsys_trace;
.read sql/formats/device/texts.sql
.read sql/formats/device/again.sql

DROP TABLE temp.nsys_input;
DROP TABLE temp.nsys_trace;
DROP TABLE temp.nsys_gpus;
DROP TABLE temp.nsys_devices;
DROP TABLE temp.nsys_ranges;
DROP TABLE temp.device_ranges_seen;
DROP TABLE temp.device_host;
DROP TABLE temp.device_host_steps;
DROP TABLE temp.device_host_launches;
DROP TABLE temp.nsys_activity;
DROP TABLE temp.device_classes;
DETACH nsys_absent;
