-- rocpd.sql - from what rocprofv3 and rocprof-sys write of AMD GPUs to device_activity and its companions (sql/device.sql).
--
--@ fills device
--@ attach rocpd
--@ input :trace tables ^rocpd_kernel_dispatch
--@ input :json sure (?s)\A\s*\{\s*"rocprofiler-sdk-tool"\s*:
--
--     rocprofv3 --sys-trace --marker-trace -- python3 train.py      # HOST/PID_results.db
--
--     .load ./mpg
--     .read sql/device.sql
--     ATTACH 'file:PID_results.db?mode=ro' AS rocpd;
--     .read sql/formats/rocpd.sql
--     .read sql/device_views.sql
--     DETACH rocpd;
--
-- The database is attached under any name or opened as the main one, and is only read. Parameters, all of which may be
-- left unset: :trace, what to call it (the file's path); :json, the path of a file of --output-format json in place of a
-- database; :chip, if the trace does not name the GPUs; :step, a GLOB over the ranges of roctx that are steps
-- ('train_step*'), where theirs is not among the usual names.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE rocpd_input AS SELECT 'run 7' AS trace, NULL AS json, 'AMD Instinct MI300X' AS chip, 'train_step*' AS step;
--
-- Times are those of the trace: nanoseconds since the host booted. The inputs are dropped at the end; rocpd_left_out
-- stays and counts what has no place here. The rules are explained in docs/formats/rocpd.md.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS rocpd_input AS SELECT :trace AS trace, :json AS json, :chip AS chip, :step AS step;

DROP TABLE IF EXISTS temp.rocpd_trace;
CREATE TEMP TABLE rocpd_trace (
  trace, json, chip, step, host, db,
  CONSTRAINT "no database of rocprofv3 is attached: ATTACH 'file:PID_results.db?mode=ro' AS rocpd" CHECK (trace IS NOT NULL),
  CONSTRAINT "rocpd_kernel_dispatch: expected the columns of schema 3, agent_id and start, of a view that the database has over its tables" CHECK (json IS NOT NULL
      OR db IS NOT NULL)
);
INSERT INTO rocpd_trace (trace, json, chip, step, db)
SELECT coalesce(i.trace, i.json, CASE WHEN d.name IS NOT NULL THEN coalesce(nullif(d.file, ''), d.name) END), i.json, i.chip, i.step,
       (SELECT d.name FROM pragma_table_info('rocpd_kernel_dispatch', d.name)
        WHERE name IN ('agent_id', 'start') GROUP BY NULL HAVING count(*) = 2)
FROM rocpd_input AS i
LEFT JOIN (
  SELECT DISTINCT d.seq, d.name, d.file FROM pragma_database_list AS d JOIN pragma_table_list AS t ON t.schema = d.name
  WHERE t.name GLOB 'rocpd_kernel_dispatch*'
  ORDER BY d.seq LIMIT 1
) AS d ON i.json IS NULL;

-- A name without a schema is looked for in one database after the other, so an empty table in the last one stands in for a table that the
-- trace lacks.
ATTACH ':memory:' AS rocpd_absent;
CREATE TABLE rocpd_absent.rocpd_string (id, guid, string);
CREATE TABLE rocpd_absent.rocpd_info_node (id, guid, hostname);
CREATE TABLE rocpd_absent.rocpd_info_process (id, guid, nid, pid);
CREATE TABLE rocpd_absent.rocpd_info_thread (id, guid, tid);
CREATE TABLE rocpd_absent.rocpd_info_agent (id, guid, nid, type, type_index, absolute_index, name, product_name, extdata);
CREATE TABLE rocpd_absent.rocpd_info_kernel_symbol (id, guid, kernel_name, display_name);
CREATE TABLE rocpd_absent.rocpd_event (id, guid, category_id, stack_id, extdata);
CREATE TABLE rocpd_absent.rocpd_region (id, guid, nid, pid, tid, start, "end", name_id, event_id);
CREATE TABLE rocpd_absent.rocpd_kernel_dispatch (id, guid, nid, pid, tid, agent_id, kernel_id, queue_id, stream_id, start, "end",
    region_name_id, event_id);
CREATE TABLE rocpd_absent.rocpd_memory_copy (id, guid, nid, pid, tid, start, "end", name_id, dst_agent_id, src_agent_id, size, queue_id,
                                             stream_id, event_id);

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM rocpd_trace);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM rocpd_trace);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM rocpd_trace);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM rocpd_trace);

.read sql/formats/rocpd/records.sql

-- ---- 2. What the program marks ----

DROP TABLE IF EXISTS temp.device_marks;
CREATE TEMP TABLE device_marks AS
SELECT i.trace, t.process, t.thread, r.name, r.start, r."end", i.step AS steps, r.pid, r.tid, 1 AS nests
FROM rocpd_trace AS i CROSS JOIN rocpd_regions AS r JOIN rocpd_threads AS t ON t.guid IS r.guid AND t.pid IS r.pid AND t.tid IS r.tid
WHERE (r.category GLOB '*marker*' OR r.category IN ('user', 'host', 'python')) AND r.name IS NOT NULL;
DROP TABLE IF EXISTS temp.device_calls;
CREATE TEMP TABLE device_calls AS SELECT start, "end" FROM rocpd_regions
WHERE "end" >= start AND stack IS NOT NULL AND coalesce(category, '') NOT GLOB '*marker*';
.read sql/formats/device/marks.sql
.read sql/formats/device/step_names.sql
DROP TABLE IF EXISTS temp.device_odd;
CREATE TEMP TABLE device_odd AS
SELECT 1 AS odd WHERE EXISTS (SELECT 1 FROM rocpd_string WHERE string GLOB '*[^ -~]*')
  OR EXISTS (SELECT 1 FROM rocpd_info_kernel_symbol WHERE display_name GLOB '*[^ -~]*' OR kernel_name GLOB '*[^ -~]*')
  OR EXISTS (SELECT 1 FROM device_ranges_seen WHERE name GLOB '*[^ -~]*');

INSERT INTO device_ranges (trace, side, thread, name, start_ns, end_ns)
SELECT t.trace, 'host', CAST(r.tid AS TEXT), r.name, r.start, r."end" FROM device_ranges_seen AS r, rocpd_trace AS t WHERE r.op = r.name;

-- ---- 3. Calls of the host ----

DROP VIEW IF EXISTS temp.device_host_calls;
CREATE TEMP VIEW device_host_calls AS
SELECT t.process, t.thread, r.stack AS call, min(r.start) AS start, r."end", r.name, CAST(r.tid AS TEXT) AS tid
FROM rocpd_regions AS r JOIN rocpd_threads AS t ON t.guid IS r.guid AND t.pid IS r.pid AND t.tid IS r.tid
WHERE r.stack IS NOT NULL AND coalesce(r.category, '') NOT GLOB '*marker*'
GROUP BY t.process, r.stack;
.read sql/formats/device/launches.sql

-- ---- 4. What the devices did ----

CREATE TEMP TABLE IF NOT EXISTS rocpd_left_out (trace, severity, kind, count, detail);
DELETE FROM rocpd_left_out WHERE trace IN (SELECT trace FROM rocpd_trace);

-- Launches of which nothing is there, if each kernel tells its call. What is left out below is there, without a time.
CREATE TEMP TABLE device_unseen AS
SELECT t.trace, l.process || ' ' || l.thread AS thread, l.start, l.name
FROM (SELECT trace FROM rocpd_trace WHERE (SELECT total(kind = 'kernel' AND stack IS NULL) = 0 AND count(*) > 0 FROM rocpd_activity)) AS t
CROSS JOIN device_host_launches AS l
WHERE (l.name GLOB '[ch]*Launch*Kernel*' OR l.name GLOB '[ch]*GraphLaunch*')
  AND iif((l.process, l.call) IN (SELECT h.process, a.stack FROM rocpd_activity AS a
                                  JOIN rocpd_threads AS h ON h.guid IS a.guid AND h.pid IS a.pid AND h.tid IS NULL
                                  WHERE a.stack IS NOT NULL), 0, 1)
  OR l.name GLOB '[ch]*StreamBeginCapture*' OR l.name GLOB '[ch]*StreamEndCapture*';
.read sql/formats/device/unseen.sql

INSERT INTO rocpd_left_out
SELECT t.trace, 'data_loss', 'impossible_time', count(*),
       'activities without a start or an end, or that end before they start: left out; the first is "' || min(a.name) || '"'
FROM rocpd_activity AS a, rocpd_trace AS t WHERE a.start IS NULL OR a."end" IS NULL OR a."end" < a.start GROUP BY t.trace;
DELETE FROM rocpd_activity WHERE start IS NULL OR "end" IS NULL OR "end" < start;
INSERT INTO rocpd_left_out
SELECT t.trace, 'data_loss', 'left_out', count(*), 'copies from host to host, or between agents that the trace lacks: left out'
FROM rocpd_activity AS a, rocpd_trace AS t WHERE a.agent_id IS NULL GROUP BY t.trace;
DELETE FROM rocpd_activity WHERE agent_id IS NULL;

INSERT INTO rocpd_left_out
SELECT t.trace, 'data_loss', 'impossible_value', count(*), 'bytes below 0 count as none; the first of "' || min(a.name) || '"'
FROM rocpd_activity AS a, rocpd_trace AS t WHERE a.bytes < 0 GROUP BY t.trace;
UPDATE rocpd_activity SET bytes = NULL WHERE bytes < 0;

-- What comes twice counts once. What lies long before or after everything that the host did has a time that cannot be.
DROP TABLE IF EXISTS temp.rocpd_again;
CREATE TEMP TABLE rocpd_again AS
SELECT id FROM (SELECT rowid AS id,
                       row_number() OVER (PARTITION BY guid, pid, agent_id, queue_id, stream_id, start, "end", kind, name, stack) AS nth
                FROM rocpd_activity) WHERE nth > 1;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once'
FROM rocpd_again, rocpd_trace AS t GROUP BY t.trace;
DELETE FROM rocpd_activity WHERE rowid IN (SELECT id FROM rocpd_again);
DROP TABLE rocpd_again;
DROP TABLE IF EXISTS temp.rocpd_lost;
CREATE TEMP TABLE rocpd_lost AS -- without records of the host, a day before and after the middle one
WITH host AS (SELECT min(start) AS begin_ns, max("end") AS last_ns FROM rocpd_regions WHERE "end" >= start),
bounds AS MATERIALIZED (
  SELECT coalesce(begin_ns, middle - 86399000000000) AS begin_ns, coalesce(last_ns, middle + 82800000000000) AS last_ns
  FROM host, (SELECT CASE WHEN begin_ns IS NULL
                            THEN (SELECT start FROM rocpd_activity
                                  ORDER BY start LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM rocpd_activity)) END AS middle FROM host)
)
SELECT a.rowid AS id, a.name FROM bounds CROSS JOIN rocpd_activity AS a
WHERE a."end" > last_ns + 3600000000000 OR (a.start < begin_ns - 1800000000000 OR a.start < 0 AND a."end" < begin_ns - 1000000000)
  OR a.start <= 0 AND begin_ns > 1000000000;
INSERT INTO rocpd_left_out
SELECT t.trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(l.name) || '"'
FROM rocpd_lost AS l, rocpd_trace AS t GROUP BY t.trace;
DELETE FROM rocpd_activity WHERE rowid IN (SELECT id FROM rocpd_lost);
DROP TABLE rocpd_lost;

-- A stream runs in order within its queue. A kernel that lasts beyond the end of the next one, which another call launched, overran: it
-- ends where that begins.
DROP TABLE IF EXISTS temp.rocpd_overruns;
CREATE TEMP TABLE rocpd_overruns AS
SELECT id, name, next_start
FROM (SELECT rowid AS id, name, start, "end", stack, lead(start) OVER o AS next_start, lead("end") OVER o AS next_end,
             lead(stack) OVER o AS next_stack
      FROM rocpd_activity WHERE kind = 'kernel' WINDOW o AS (PARTITION BY guid, agent_id, queue_id, stream_id ORDER BY start, "end"))
WHERE next_start > start AND "end" > next_end AND coalesce(stack <> next_stack, 1) AND "end" - next_end > next_end - start;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their queue ended: they end where that begins; the first is "' || min(o.name) || '"'
FROM rocpd_overruns AS o, rocpd_trace AS t GROUP BY t.trace;
UPDATE rocpd_activity SET "end" = o.next_start FROM rocpd_overruns AS o WHERE o.id = rocpd_activity.rowid;
DROP TABLE rocpd_overruns;

CREATE TEMP TABLE device_names AS SELECT DISTINCT kind, name, NULL AS hlo_category, NULL AS told FROM rocpd_activity;
.read sql/formats/device/step_repeats.sql
.read sql/formats/device/classes.sql

-- Where HIP was not traced, no activity is of a stream: what runs in order is a queue.
INSERT INTO device_activity (trace, process, device, chip, stream, class, kind, name, start_ns, end_ns, step, correlation,
                             launch_ns, launch_end_ns, launch_name, launch_thread, op, op_ns, bytes, collective)
SELECT t.trace, CAST(a.pid AS TEXT), coalesce(g.device, 'agent ' || a.agent_id), coalesce(g.chip, t.chip),
       CASE WHEN n.streams > 0 OR n.queues < 2 THEN CAST(a.stream_id AS TEXT) ELSE 'queue ' || a.queue_id END,
       c.class, a.kind, a.name, a.start, a."end", l.step, a.stack, l.start, l."end", l.name, l.thread, coalesce(l.op, a.range), l.op_start,
       a.bytes, c.collective
FROM rocpd_trace AS t
CROSS JOIN (SELECT count(DISTINCT nullif(stream_id, 0)) AS streams, count(DISTINCT queue_id) AS queues FROM rocpd_activity) AS n
CROSS JOIN rocpd_activity AS a
JOIN device_classes AS c USING (kind, name)
JOIN rocpd_threads AS h ON h.guid IS a.guid AND h.pid IS a.pid AND h.tid IS NULL
LEFT JOIN device_host_launches AS l ON l.process = h.process AND l.call = a.stack
LEFT JOIN rocpd_agents AS g ON g.guid IS a.guid AND g.id = a.agent_id;

-- ---- 5. What has no place ----

INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'unknown_event', count(*),
       'ranges of categories that are not known, or that the trace lacks: left out; the first is "' || min(coalesce(r.category, '?')) || '"'
FROM rocpd_regions AS r, rocpd_trace AS t
WHERE coalesce(r.category, '') NOT GLOB '*marker*' AND coalesce(r.category, '') NOT GLOB '*_api*'
  AND coalesce(r.category, '') NOT IN ('user', 'host', 'python') GROUP BY t.trace;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'missing_field', count(*), 'kernels whose name the trace lacks: they count as computation'
FROM rocpd_activity AS a, rocpd_trace AS t WHERE a.kind = 'kernel' AND a.name = 'kernel' GROUP BY t.trace;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'missing_field', count(*), 'activities of agents that the trace lacks: each is a device of its own'
FROM rocpd_activity AS a CROSS JOIN rocpd_trace AS t LEFT JOIN rocpd_agents AS g ON g.guid IS a.guid AND g.id = a.agent_id
WHERE g.id IS NULL GROUP BY t.trace;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'unknown_event', sum(json_array_length(b.value)),
       'records of kinds that are not known: left out; these are ' || group_concat(DISTINCT b.key)
FROM rocpd_trace AS t, rocpd_documents AS d, json_each(d.process, '$.buffer_records') AS b
WHERE b.type = 'array' AND json_array_length(b.value) > 0
  AND b.key NOT IN ('kernel_dispatch', 'memory_copy', 'memory_allocation', 'scratch_memory') AND b.key NOT GLOB '*_api'
  AND b.key NOT GLOB 'kfd*' AND b.key NOT GLOB 'pc_sampl*'
GROUP BY t.trace;
-- Where processes wrote into one file, the views may be those of the first.
INSERT INTO rocpd_left_out
SELECT t.trace, 'data_loss', 'unknown_event', count(*), 'tables that no view lists were not read: ' || group_concat(l.name)
FROM rocpd_trace AS t, pragma_table_list AS l
WHERE l.schema = t.db AND t.json IS NULL AND l.type = 'table'
  AND (l.name GLOB 'rocpd_kernel_dispatch_*' OR l.name GLOB 'rocpd_memory_copy_*' OR l.name GLOB 'rocpd_region_*')
  AND (NOT EXISTS (SELECT 1 FROM pragma_table_list AS v
                   WHERE v.schema = l.schema AND v.name IN ('rocpd_kernel_dispatch', 'rocpd_memory_copy', 'rocpd_region')
                     AND l.name GLOB v.name || '_*')
       OR NOT EXISTS (SELECT 1 FROM rocpd_info_process AS p WHERE l.name GLOB '*_' || replace(p.guid, '-', '_')))
GROUP BY t.trace;
INSERT INTO rocpd_left_out
SELECT t.trace, 'warning', 'no_device_event', 1, 'a trace without a kernel or copy of a GPU: was it taken with --kernel-trace?'
FROM rocpd_trace AS t WHERE NOT EXISTS (SELECT 1 FROM rocpd_activity);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.trace, l.severity, l.kind, NULL, l.count, l.detail FROM rocpd_left_out AS l JOIN rocpd_trace AS t USING (trace);

CREATE TEMP TABLE device_told AS SELECT trace FROM rocpd_trace;
.read sql/formats/device/parts.sql
.read sql/formats/device/unpriced.sql
.read sql/formats/device/early.sql
.read sql/formats/device/uncalled.sql
CREATE TEMP TABLE device_read AS SELECT trace FROM rocpd_trace;
.read sql/formats/device/texts.sql
.read sql/formats/device/again.sql

DROP TABLE temp.rocpd_input;
DROP TABLE temp.rocpd_trace;
DROP TABLE temp.rocpd_documents;
DROP TABLE temp.rocpd_operations;
DROP TABLE temp.rocpd_messages;
DROP TABLE temp.rocpd_agents;
DROP TABLE temp.rocpd_regions;
DROP TABLE temp.rocpd_activity;
DROP TABLE temp.rocpd_threads;
DROP TABLE temp.device_ranges_seen;
DROP TABLE temp.device_host;
DROP TABLE temp.device_host_steps;
DROP TABLE temp.device_host_launches;
DROP TABLE temp.device_classes;
DETACH rocpd_absent;
