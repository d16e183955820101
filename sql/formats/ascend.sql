-- ascend.sql - from the databases of Ascend's profilers to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ attach ascend
--@ input :trace tables ^(?:COMPUTE_TASK_INFO|COMMUNICATION_TASK_INFO|CANN_API|RANK_DEVICE_MAP|NPU_INFO)$
--
--     msprof --export=on --type=db --output=PROF_000001             # msprof_*.db; of torch_npu: export_type=Db
--
--     .load ./mpg
--     .read sql/device.sql
--     ATTACH 'file:ascend_pytorch_profiler_0.db?mode=ro' AS ascend;
--     .read sql/formats/ascend.sql
--     .read sql/device_views.sql
--     DETACH ascend;
--
-- The database is attached under any name or opened as the main one, and is only read. Parameters, all of which may be
-- left unset: :trace, what to call it (the file's path); :chip, if the database does not name the NPUs; :step, a GLOB
-- over the ranges that are steps ('train_step*'), in place of the profiler's own steps.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE ascend_input AS SELECT 'run 7' AS trace, 'Ascend910B3' AS chip, 'train_step*' AS step;
--
-- Times are those of the database: nanoseconds of Unix time. The inputs are dropped at the end; ascend_left_out stays
-- and counts what has no place here. The rules are explained in docs/formats/ascend.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS ascend_input AS SELECT :trace AS trace, :chip AS chip, :step AS step;

DROP TABLE IF EXISTS temp.ascend_trace;
CREATE TEMP TABLE ascend_trace (
  trace, chip, step, host, rank,
  CONSTRAINT "no database of Ascend's profilers is attached: ATTACH 'file:ascend_pytorch_profiler_0.db?mode=ro' AS ascend" CHECK (trace IS NOT NULL)
);
INSERT INTO ascend_trace (trace, chip, step)
SELECT CASE WHEN d.name IS NOT NULL THEN coalesce(i.trace, nullif(d.file, ''), d.name) END, i.chip, i.step
FROM ascend_input AS i
LEFT JOIN (
  SELECT d.seq, d.name, d.file FROM pragma_database_list AS d JOIN pragma_table_list AS t ON t.schema = d.name
  WHERE t.name = 'STRING_IDS'
  ORDER BY d.seq LIMIT 1
) AS d;

-- A table exists only if there was something to put into it. A name without a schema is looked for in one database after the other, so an
-- empty table in the last one stands in for a table that the profile lacks. A natural join with that table gives a column of NULLs for one
-- that the profile's version lacks.
ATTACH ':memory:' AS ascend_absent;
CREATE TABLE ascend_absent.STRING_IDS (id, value);
CREATE TABLE ascend_absent.TASK (startNs, endNs, deviceId, connectionId, globalTaskId, globalPid, taskType, streamId);
CREATE TABLE ascend_absent.COMPUTE_TASK_INFO (globalTaskId, name);
CREATE TABLE ascend_absent.COMMUNICATION_TASK_INFO (globalTaskId, opId);
CREATE TABLE ascend_absent.COMMUNICATION_SCHEDULE_TASK_INFO (globalTaskId, name);
CREATE TABLE ascend_absent.COMMUNICATION_OP (opId, opName, startNs, endNs, connectionId, groupName, deviceId);
CREATE TABLE ascend_absent.MEMCPY_INFO (globalTaskId, size, memcpyOperation);
CREATE TABLE ascend_absent.ENUM_MEMCPY_OPERATION (id, name);
CREATE TABLE ascend_absent.CANN_API (startNs, endNs, globalTid, connectionId, name);
CREATE TABLE ascend_absent.PYTORCH_API (startNs, endNs, globalTid, connectionId, name, type);
CREATE TABLE ascend_absent.CONNECTION_IDS (id, connectionId);
CREATE TABLE ascend_absent.MSTX_EVENTS (startNs, endNs, message, globalTid);
CREATE TABLE ascend_absent.STEP_TIME (id, startNs, endNs);
CREATE TABLE ascend_absent.NPU_INFO (id, name);
CREATE TABLE ascend_absent.RANK_DEVICE_MAP (rankId, deviceId);
CREATE TABLE ascend_absent.HOST_INFO (hostName);
CREATE TABLE ascend_absent.META_DATA (name, value);

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM ascend_trace);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM ascend_trace);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM ascend_trace);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM ascend_trace);

-- A rank of -1 stands for a process that is of no job.
UPDATE ascend_trace SET
  host = (SELECT min(hostName) FROM HOST_INFO),
  rank = (SELECT min(rankId) FROM RANK_DEVICE_MAP WHERE rankId >= 0 GROUP BY NULL HAVING count(DISTINCT rankId) = 1);
INSERT INTO device_traces (trace, format, rank, base_ns, host) SELECT trace, 'ascend', rank, 0, host FROM ascend_trace;

DROP TABLE IF EXISTS temp.ascend_devices;
CREATE TEMP TABLE ascend_devices AS
SELECT d.id AS device, max(m.rankId) AS rank, max(n.name) AS chip
FROM (SELECT deviceId AS id FROM TASK UNION SELECT deviceId FROM RANK_DEVICE_MAP UNION SELECT id FROM NPU_INFO) AS d
LEFT JOIN RANK_DEVICE_MAP AS m ON m.deviceId = d.id AND m.rankId >= 0
LEFT JOIN NPU_INFO AS n ON n.id = d.id
GROUP BY d.id;
CREATE UNIQUE INDEX temp.ascend_device ON ascend_devices(device);

-- ---- 2. What the program marks ----

DROP TABLE IF EXISTS temp.device_marks;
CREATE TEMP TABLE device_marks AS
SELECT t.trace, m.globalTid >> 32 AS process, m.globalTid AS thread, s.value AS name, CAST(m.startNs AS INTEGER) AS start,
       CAST(m.endNs AS INTEGER) AS "end", t.step AS steps
FROM ascend_trace AS t CROSS JOIN MSTX_EVENTS AS m JOIN STRING_IDS AS s ON s.id = m.message
WHERE s.value IS NOT NULL AND m.endNs IS NOT m.startNs -- marks of a moment
UNION ALL
SELECT t.trace, p.globalTid >> 32, p.globalTid, s.value, CAST(p.startNs AS INTEGER), CAST(p.endNs AS INTEGER), t.step
FROM ascend_trace AS t CROSS JOIN PYTORCH_API AS p JOIN STRING_IDS AS s ON s.id = p.name
WHERE s.value GLOB 'ProfilerStep#[0-9]*' AND p.endNs IS NOT p.startNs;
DROP TABLE IF EXISTS temp.device_calls;
CREATE TEMP TABLE device_calls AS SELECT CAST(startNs AS INTEGER) AS start, CAST(endNs AS INTEGER) AS "end"
FROM CANN_API WHERE CAST(endNs AS INTEGER) >= CAST(startNs AS INTEGER);
.read sql/formats/device/marks.sql
.read sql/formats/device/step_names.sql
DROP TABLE IF EXISTS temp.device_odd;
CREATE TEMP TABLE device_odd AS
SELECT 1 AS odd WHERE EXISTS (SELECT 1 FROM STRING_IDS WHERE value GLOB '*[^ -~]*');

INSERT INTO device_ranges (trace, rank, side, thread, name, start_ns, end_ns)
SELECT t.trace, t.rank, 'host', CAST(r.thread & 0xffffffff AS TEXT), r.name, r.start, r."end"
FROM device_ranges_seen AS r, ascend_trace AS t;

-- A step is called by the number in its range's name; where there is none, they are counted from 0.
DROP TABLE IF EXISTS temp.ascend_steps;
CREATE TEMP TABLE ascend_steps AS
WITH named AS (
  SELECT process AS pid, start, "end",
         coalesce(number,
                  CAST(row_number() OVER (PARTITION BY thread, name ORDER BY start) - 1 AS TEXT)) AS step
  FROM device_ranges_seen WHERE is_step
),
told AS (
  SELECT CAST(s.id AS TEXT) AS step, CAST(s.startNs AS INTEGER) AS start, CAST(s.endNs AS INTEGER) AS "end"
  FROM STEP_TIME AS s, ascend_trace AS t WHERE t.step IS NULL
),
every AS (
  SELECT NULL AS pid, start, "end", step FROM told
  WHERE "end" >= start AND coalesce("end" < (SELECT last_ns FROM device_host) + 3600000000000, 1)
  UNION ALL SELECT pid, start, "end", step FROM named WHERE NOT EXISTS (SELECT 1 FROM told)
)
-- outer_ns: where the outermost of those that overlap begins, beyond which no search has to go back.
SELECT pid, start, "end", step, max(CASE WHEN covered IS NULL OR start >= covered THEN start END) OVER (ORDER BY start) AS outer_ns
FROM (SELECT *, max("end") OVER (ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered FROM every);
CREATE INDEX temp.ascend_step ON ascend_steps(start);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'data_loss', iif(coalesce(s.endNs < s.startNs, 1), 'end_before_start', 'lost_time'), count(*),
       'steps (STEP_TIME) that end before they start, or long after all that the host did: left out'
FROM ascend_trace AS t, STEP_TIME AS s, device_host AS h
WHERE t.step IS NULL AND (coalesce(s.endNs < s.startNs, 1) OR s.endNs >= h.last_ns + 3600000000000) GROUP BY t.trace, 3;

INSERT INTO device_steps (trace, rank, process, side, step, start_ns, end_ns)
SELECT t.trace, t.rank, CAST(s.pid AS TEXT), 'host', s.step, s.start, s."end" FROM ascend_steps AS s, ascend_trace AS t;

-- ---- 3. Calls of the host ----

-- A connection leads from the framework's operator to the call that launched, often on another thread (the task queue),
-- and to the task. Of several operators the innermost counts, which began last.
DROP TABLE IF EXISTS temp.ascend_operators;
CREATE TEMP TABLE ascend_operators AS
SELECT c.connectionId AS connection, s.value AS op, max(CAST(p.startNs AS INTEGER)) AS start
FROM (SELECT startNs, connectionId, name, type FROM PYTORCH_API AS p NATURAL LEFT JOIN ascend_absent.PYTORCH_API AS n) AS p
JOIN CONNECTION_IDS AS c ON c.id = p.connectionId
JOIN STRING_IDS AS s ON s.id = p.name
WHERE p.type = 50001 OR p.type IS NULL  -- 50002 is the task queue, 50003 Python, 50004 mstx
GROUP BY c.connectionId;
CREATE UNIQUE INDEX temp.ascend_operator ON ascend_operators(connection);

DROP TABLE IF EXISTS temp.ascend_launches;
CREATE TEMP TABLE ascend_launches AS
WITH calls AS (
  SELECT connectionId AS connection, min(CAST(startNs AS INTEGER)) AS start, CAST(endNs AS INTEGER) AS "end", globalTid, name
  FROM CANN_API WHERE connectionId IS NOT NULL AND connectionId NOT IN (-1, 4294967295) GROUP BY connectionId
)
SELECT c.connection, c.start, c."end", CAST(c.globalTid & 0xffffffff AS TEXT) AS thread, c.globalTid >> 32 AS pid,
       (SELECT value FROM STRING_IDS WHERE id = c.name) AS name, o.op, o.start AS op_start,
       (SELECT s.step FROM ascend_steps AS s
        WHERE s.start <= coalesce(o.start, c.start) AND coalesce(o.start, c.start) < s."end"
          AND s.start >= (SELECT u.outer_ns FROM ascend_steps AS u
                          WHERE u.start <= coalesce(o.start, c.start) ORDER BY u.start DESC LIMIT 1)
        ORDER BY s.start DESC LIMIT 1) AS step
FROM calls AS c LEFT JOIN ascend_operators AS o USING (connection);
CREATE UNIQUE INDEX temp.ascend_launch ON ascend_launches(connection);

-- ---- 4. What the devices did ----

-- The profiler says in tables of its own which tasks compute, copy, or are parts of a collective. part: of one that is
-- counted whole, by COMMUNICATION_OP. What remains goes by its type; a record of an event or the like is no work.
DROP TABLE IF EXISTS temp.ascend_tasks;
CREATE TEMP TABLE ascend_tasks AS
WITH told AS (
  SELECT t.startNs AS start, t.endNs AS "end", t.deviceId AS device, t.streamId AS stream, t.connectionId AS connection, t.globalPid AS pid,
         upper(replace(y.value, ' ', '_')) AS type, s.value AS name, c.globalTaskId IS NOT NULL AS computes,
         m.globalTaskId IS NOT NULL AS copies,
         m.size AS bytes, m.memcpyOperation AS operation, p.opId AS op_id, o.opId IS NOT NULL OR h.globalTaskId IS NOT NULL AS part
  FROM (SELECT startNs, endNs, deviceId, streamId, connectionId, globalPid, taskType, globalTaskId
        FROM TASK AS t NATURAL LEFT JOIN ascend_absent.TASK AS n) AS t
  LEFT JOIN STRING_IDS AS y ON y.id = t.taskType
  LEFT JOIN COMPUTE_TASK_INFO AS c ON c.globalTaskId = t.globalTaskId
  LEFT JOIN STRING_IDS AS s ON s.id = c.name
  LEFT JOIN MEMCPY_INFO AS m ON m.globalTaskId = t.globalTaskId
  LEFT JOIN (SELECT globalTaskId, min(opId) AS opId FROM COMMUNICATION_TASK_INFO GROUP BY 1) AS p ON p.globalTaskId = t.globalTaskId
  LEFT JOIN COMMUNICATION_OP AS o ON o.opId = p.opId
  LEFT JOIN COMMUNICATION_SCHEDULE_TASK_INFO AS h ON h.globalTaskId = t.globalTaskId
)
SELECT CASE
         WHEN part THEN 'part'
         WHEN computes THEN 'kernel'
         WHEN op_id IS NOT NULL THEN 'collective'
         WHEN copies OR type GLOB '*MEMCPY*' OR type GLOB 'SDMA*' OR type GLOB 'PCIE_DMA*' THEN 'memcpy'
         WHEN type GLOB '*WAIT*' THEN 'sync'
         WHEN type GLOB 'KERNEL*' OR type GLOB 'AI_*' OR type GLOB 'AI[CV]*' OR type GLOB 'MIX_*' OR type GLOB 'FFTS*' THEN 'kernel'
         ELSE 'none'
       END AS what, *
FROM told;

-- Launches of which nothing is there, if each task that computes tells its call; any task of the call, or a collective, is something.
CREATE TEMP TABLE device_unseen AS
WITH seen AS (SELECT connection FROM ascend_tasks WHERE connection IS NOT NULL
              UNION SELECT connectionId FROM COMMUNICATION_OP WHERE connectionId IS NOT NULL),
told AS (SELECT 1 FROM ascend_tasks WHERE computes
         GROUP BY NULL HAVING count(*) = total(connection IN (SELECT connection FROM ascend_launches)) AND count(*) > 0)
SELECT t.trace, l.thread, l.start, l.name
FROM ascend_trace AS t CROSS JOIN told CROSS JOIN ascend_launches AS l
WHERE (l.op IS NOT NULL OR lower(l.name) GLOB '*launch*') AND l.connection NOT IN (SELECT connection FROM seen)
UNION ALL
SELECT t.trace, CAST(c.globalTid & 0xffffffff AS TEXT), CAST(c.startNs AS INTEGER), s.value
FROM ascend_trace AS t CROSS JOIN CANN_API AS c JOIN STRING_IDS AS s ON s.id = c.name WHERE s.value GLOB '*Capture*';
.read sql/formats/device/unseen.sql

DROP TABLE IF EXISTS temp.ascend_activity;
CREATE TEMP TABLE ascend_activity AS
SELECT CASE a.what WHEN 'collective' THEN 'kernel' ELSE a.what END AS kind, a.start, a."end", a.device, CAST(a.stream AS TEXT) AS stream,
       a.connection, a.pid, a.bytes, NULL AS group_size,
       -- NULL: by the rules for names.
       CASE WHEN a.what = 'collective' THEN 'communication' WHEN a.computes THEN 'compute' END AS class,
       CASE
         WHEN a.what <> 'memcpy' THEN coalesce(a.name, a.type, 'kernel')
         ELSE 'Memcpy ' || CASE WHEN lower(e.name) GLOB 'host to device*' THEN 'HtoD' WHEN lower(e.name) GLOB 'device to host*' THEN 'DtoH'
                                WHEN lower(e.name) GLOB '*device to device*' THEN 'DtoD' WHEN lower(e.name) GLOB 'host to host*' THEN 'HtoH'
                                ELSE coalesce(e.name, a.type, 'Unknown') END
       END AS name
FROM ascend_tasks AS a LEFT JOIN ENUM_MEMCPY_OPERATION AS e ON e.id = a.operation
WHERE a.what NOT IN ('part', 'none')
UNION ALL
-- A collective is of the NPU of its parts, or of the one that it names, or of the only one that there is.
SELECT 'kernel', o.startNs, o.endNs, coalesce(p.device, o.deviceId, only_one.device), 'HCCL ' || g.number, o.connectionId, p.pid, NULL,
       g.size, 'communication', coalesce(s.value, 'hcom')
FROM (SELECT opId, opName, startNs, endNs, connectionId, groupName, deviceId
      FROM COMMUNICATION_OP AS o NATURAL LEFT JOIN ascend_absent.COMMUNICATION_OP AS n) AS o
LEFT JOIN (SELECT op_id, min(device) AS device, min(pid) AS pid FROM ascend_tasks WHERE op_id IS NOT NULL GROUP BY 1) AS p
  ON p.op_id = o.opId
LEFT JOIN (SELECT min(device) AS device FROM ascend_devices GROUP BY NULL HAVING count(*) = 1) AS only_one
LEFT JOIN STRING_IDS AS s ON s.id = o.opName
LEFT JOIN (
  SELECT n.groupName, row_number() OVER (ORDER BY n.groupName) AS number,
         (SELECT json_array_length(j.value, '$.global_ranks') FROM META_DATA AS m, json_each(m.value) AS j
          WHERE m.name = 'parallel_group_info' AND json_valid(m.value) AND j.key = v.value) AS size
  FROM (SELECT DISTINCT groupName FROM COMMUNICATION_OP) AS n LEFT JOIN STRING_IDS AS v ON v.id = n.groupName
) AS g ON g.groupName IS o.groupName;

CREATE TEMP TABLE IF NOT EXISTS ascend_left_out (trace, severity, kind, count, detail);
DELETE FROM ascend_left_out WHERE trace IN (SELECT trace FROM ascend_trace);

INSERT INTO ascend_left_out
SELECT t.trace, 'data_loss', 'impossible_time', count(*),
       'activities without a start or an end, or that end before they start: left out; the first is "' || min(a.name) || '"'
FROM ascend_activity AS a, ascend_trace AS t WHERE a.start IS NULL OR a."end" IS NULL OR a."end" < a.start GROUP BY t.trace;
DELETE FROM ascend_activity WHERE start IS NULL OR "end" IS NULL OR "end" < start;
INSERT INTO ascend_left_out
SELECT t.trace, 'data_loss', 'left_out', count(*), 'collectives without an NPU: left out; the first is "' || min(a.name) || '"'
FROM ascend_activity AS a, ascend_trace AS t WHERE a.device IS NULL GROUP BY t.trace;
DELETE FROM ascend_activity WHERE device IS NULL;

INSERT INTO ascend_left_out
SELECT t.trace, 'data_loss', 'impossible_value', count(*), 'bytes below 0 count as none; the first of "' || min(a.name) || '"'
FROM ascend_activity AS a, ascend_trace AS t WHERE a.bytes < 0 GROUP BY t.trace;
UPDATE ascend_activity SET bytes = NULL WHERE bytes < 0;

-- What comes twice counts once. What lies long before or after everything that the host did has a time that cannot be.
DROP TABLE IF EXISTS temp.ascend_again;
CREATE TEMP TABLE ascend_again AS
SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY pid, device, stream, start, "end", kind, name, connection) AS nth
                FROM ascend_activity) WHERE nth > 1;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once'
FROM ascend_again, ascend_trace AS t GROUP BY t.trace;
DELETE FROM ascend_activity WHERE rowid IN (SELECT id FROM ascend_again);
DROP TABLE ascend_again;
DROP TABLE IF EXISTS temp.ascend_lost;
CREATE TEMP TABLE ascend_lost AS -- without records of the host, a day before and after the middle one
WITH host AS (SELECT min(start) AS begin_ns, max("end") AS last_ns FROM ascend_launches WHERE "end" >= start),
bounds AS MATERIALIZED (
  SELECT coalesce(begin_ns, middle - 86399000000000) AS begin_ns, coalesce(last_ns, middle + 82800000000000) AS last_ns
  FROM host, (SELECT CASE WHEN begin_ns IS NULL
                            THEN (SELECT start FROM ascend_activity
                                  ORDER BY start LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM ascend_activity)) END AS middle FROM host)
)
SELECT a.rowid AS id, a.name FROM bounds CROSS JOIN ascend_activity AS a
WHERE a."end" > last_ns + 3600000000000 OR (a.start < begin_ns - 1800000000000 OR a.start < 0 AND a."end" < begin_ns - 1000000000)
  OR a.start <= 0 AND begin_ns > 1000000000;
INSERT INTO ascend_left_out
SELECT t.trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(l.name) || '"'
FROM ascend_lost AS l, ascend_trace AS t GROUP BY t.trace;
DELETE FROM ascend_activity WHERE rowid IN (SELECT id FROM ascend_lost);
DROP TABLE ascend_lost;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, NULL AS hlo_category, class AS told FROM ascend_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

INSERT INTO device_activity (trace, rank, process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes, collective, group_size)
SELECT t.trace, d.rank, CAST(coalesce(a.pid, l.pid) AS TEXT), CAST(a.device AS TEXT), coalesce(d.chip, t.chip), a.stream, c.class, a.kind,
       a.name,
       a.start, a."end", l.step, l.connection, l.start, l."end", l.name, l.thread, l.op, l.op_start, a.bytes,
       c.collective, a.group_size
FROM ascend_trace AS t
CROSS JOIN ascend_activity AS a
JOIN device_classes AS c ON c.kind = a.kind AND c.name = a.name AND c.told IS a.class
LEFT JOIN ascend_launches AS l ON l.connection = a.connection
LEFT JOIN ascend_devices AS d ON d.device = a.device;

-- ---- 5. What has no place ----

INSERT INTO ascend_left_out
SELECT t.trace, 'data_loss', 'unknown_event', count(*), 'tables whose names are not known were not read: ' || group_concat(l.name)
FROM ascend_trace AS t, pragma_table_list AS l
WHERE l.schema = (SELECT schema FROM pragma_table_list WHERE name = 'STRING_IDS' AND schema <> 'ascend_absent' LIMIT 1)
  AND EXISTS (SELECT 1 FROM pragma_table_list AS k WHERE k.schema = 'ascend_absent' AND upper(l.name) GLOB upper(k.name) || '_V[0-9]*')
GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'missing_field', count(DISTINCT p.opId),
       'collectives (COMMUNICATION_OP) that the profile lacks: each of their tasks counts by itself'
FROM ascend_trace AS t, COMMUNICATION_TASK_INFO AS p
WHERE p.opId IS NOT NULL AND p.opId NOT IN (SELECT opId FROM COMMUNICATION_OP WHERE opId IS NOT NULL)
  AND EXISTS (SELECT 1 FROM COMMUNICATION_OP) GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'missing_field', count(*),
       'copies without a row in MEMCPY_INFO, though others have one: how many bytes they moved is not known'
FROM ascend_trace AS t, ascend_tasks AS a WHERE a.what = 'memcpy' AND NOT a.copies AND EXISTS (SELECT 1 FROM MEMCPY_INFO) GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'info', 'no_work', count(*),
       'tasks of types that are no work, or are not known: left out; the first is "' || coalesce(min(a.type), 'none') || '"'
FROM ascend_tasks AS a, ascend_trace AS t WHERE a.what = 'none' GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'missing_field', count(*), 'tasks whose name the profile lacks'
FROM ascend_activity AS a, ascend_trace AS t WHERE a.name = 'kernel' GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'parallel_logs', 1,
       'another profile is of the same rank and step: their collectives are not compared. Is it of another job?'
FROM ascend_trace AS t JOIN device_traces AS d USING (trace)
WHERE d.rank IN (SELECT DISTINCT t.rank FROM device_traces AS t JOIN device_steps AS s USING (trace)
                 WHERE t.rank IS NOT NULL GROUP BY t.rank, s.step HAVING count(DISTINCT t.trace) > 1);
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'missing_field', count(*), 'columns that the profile lacks count as empty: ' || group_concat(c.name, ', ')
FROM ascend_trace AS t, (
  SELECT l.name || '.' || n.name AS name FROM pragma_table_list AS l JOIN pragma_table_info(l.name, 'ascend_absent') AS n
  WHERE l.schema = (SELECT schema FROM pragma_table_list WHERE name = 'STRING_IDS' AND schema <> 'ascend_absent' LIMIT 1)
    AND l.name IN ('TASK', 'COMMUNICATION_OP') AND n.name <> 'deviceId'
    AND n.name NOT IN (SELECT name FROM pragma_table_info(l.name, l.schema)) ORDER BY 1
) AS c GROUP BY t.trace;
INSERT INTO ascend_left_out
SELECT t.trace, 'warning', 'no_device_event', 1, 'a profile without a task of an NPU: was it taken with ProfilerActivity.NPU?'
FROM ascend_trace AS t WHERE NOT EXISTS (SELECT 1 FROM ascend_activity);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.trace, l.severity, l.kind, NULL, l.count, l.detail FROM ascend_left_out AS l JOIN ascend_trace AS t USING (trace);

CREATE TEMP TABLE device_told AS SELECT trace FROM ascend_trace;
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/early.sql
DROP TABLE device_told;
CREATE TEMP TABLE device_read AS SELECT trace FROM ascend_trace;
.read sql/formats/device/texts.sql
.read sql/formats/device/again.sql

DROP TABLE temp.ascend_input;
DROP TABLE temp.ascend_trace;
DROP TABLE temp.ascend_devices;
DROP TABLE temp.device_ranges_seen;
DROP TABLE temp.device_host;
DROP TABLE temp.ascend_steps;
DROP TABLE temp.ascend_operators;
DROP TABLE temp.ascend_launches;
DROP TABLE temp.ascend_tasks;
DROP TABLE temp.ascend_activity;
DROP TABLE temp.device_classes;
DETACH ascend_absent;
