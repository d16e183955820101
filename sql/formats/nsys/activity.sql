-- nsys/activity.sql - what the devices did, of Nsight's tables: without what cannot be, and without what comes twice.
--
-- Reads nsys_trace, device_host_launches, and the tables of the export or those of nsys_absent. Makes nsys_activity.
-- A part of nsys.sql, which says what the parameters are.

-- A graph that was not traced node by node is one activity. Of synchronisation, only a stream that waits for an
-- event (2) is the device's; the other kinds are the host waiting.
DROP TABLE IF EXISTS temp.nsys_activity;
CREATE TEMP TABLE nsys_activity AS
SELECT 'kernel' AS kind, k.start, k."end", k.deviceId, k.contextId, k.streamId, k.correlationId, k.globalPid >> 24 AS process,
       NULL AS bytes,
       coalesce(d.value, (SELECT value FROM StringIds WHERE id = k.shortName), (SELECT value FROM StringIds WHERE id = k.mangledName),
                'kernel') AS name
FROM (SELECT start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, mangledName
      FROM CUPTI_ACTIVITY_KIND_KERNEL AS k NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_KERNEL AS n) AS k
LEFT JOIN StringIds AS d ON d.id = k.demangledName
UNION ALL
SELECT 'kernel', start, "end", deviceId, contextId, streamId, correlationId, globalPid >> 24, NULL,
       coalesce('CUDA graph ' || graphId, 'CUDA graph')
FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS g NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS n
UNION ALL
SELECT 'memcpy', start, "end", deviceId, contextId, streamId, correlationId, globalPid >> 24, bytes,
       'Memcpy ' || CASE copyKind WHEN 1 THEN 'HtoD' WHEN 2 THEN 'DtoH' WHEN 3 THEN 'HtoA' WHEN 4 THEN 'AtoH' WHEN 5 THEN 'AtoA'
                    WHEN 6 THEN 'AtoD' WHEN 7 THEN 'DtoA' WHEN 8 THEN 'DtoD' WHEN 9 THEN 'HtoH' WHEN 10 THEN 'PtoP'
                    WHEN 11 THEN 'HtoD (Unified)' WHEN 12 THEN 'DtoH (Unified)' WHEN 13 THEN 'DtoD (Unified)' ELSE 'Unknown' END
FROM CUPTI_ACTIVITY_KIND_MEMCPY AS m NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_MEMCPY AS n
UNION ALL
SELECT 'memset', start, "end", deviceId, contextId, streamId, correlationId, globalPid >> 24, bytes, 'Memset (Device)'
FROM CUPTI_ACTIVITY_KIND_MEMSET AS m NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_MEMSET AS n
UNION ALL
SELECT 'sync', start, "end", deviceId, contextId, streamId, correlationId, globalPid >> 24, NULL, 'Stream Wait Event'
FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS s NATURAL LEFT JOIN nsys_absent.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS n WHERE syncType = 2;

-- Launches of which nothing is there, if each kernel tells its call. What is left out below is there, without a time.
CREATE TEMP TABLE device_unseen AS
SELECT t.trace, l.process || ' ' || l.thread AS thread, l.start, l.name
FROM (SELECT trace FROM nsys_trace
      WHERE (SELECT total(kind = 'kernel' AND (coalesce(correlationId, 0) = 0 OR process IS NULL)) = 0 AND count(*) > 0
             FROM nsys_activity)) AS t
CROSS JOIN device_host_launches AS l
WHERE (l.name GLOB '[ch]*Launch*Kernel*' OR l.name GLOB '[ch]*GraphLaunch*')
  AND iif((l.process, l.call) IN (SELECT process, correlationId FROM nsys_activity WHERE process + correlationId IS NOT NULL), 0, 1)
  OR l.name GLOB '[ch]*StreamBeginCapture*' OR l.name GLOB '[ch]*StreamEndCapture*';

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'data_loss', 'impossible_value', count(*), 'bytes below 0 count as none; the first of "' || min(a.name) || '"'
FROM nsys_activity AS a, nsys_trace AS t WHERE a.bytes < 0 GROUP BY t.trace;
UPDATE nsys_activity SET bytes = NULL WHERE bytes < 0;
-- A stream's number is its context's own, where a process has several on a device.
DROP TABLE IF EXISTS temp.nsys_contexts;
CREATE TEMP TABLE nsys_contexts AS
SELECT process, deviceId, streamId
FROM (SELECT DISTINCT process, deviceId, contextId, streamId FROM nsys_activity WHERE contextId IS NOT NULL AND streamId IS NOT NULL)
GROUP BY 1, 2, 3 HAVING count(*) > 1;
UPDATE nsys_activity SET streamId = streamId || ' of context ' || contextId
WHERE EXISTS (SELECT 1 FROM nsys_contexts) AND contextId IS NOT NULL
  AND EXISTS (SELECT 1 FROM nsys_contexts AS c
              WHERE c.process IS nsys_activity.process AND c.deviceId IS nsys_activity.deviceId AND c.streamId = nsys_activity.streamId);
DROP TABLE nsys_contexts;

-- What comes twice counts once. What lies long before or after everything that the host did has a time that cannot be.
DROP TABLE IF EXISTS temp.nsys_again;
CREATE TEMP TABLE nsys_again AS
SELECT id FROM (SELECT rowid AS id,
                       row_number() OVER (PARTITION BY process, deviceId, streamId, start, "end", kind, name, correlationId) AS nth
                FROM nsys_activity) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'repeated_record', count(*), 'activities that come twice count once'
FROM nsys_again, nsys_trace AS t GROUP BY t.trace;
DELETE FROM nsys_activity WHERE rowid IN (SELECT id FROM nsys_again);
DROP TABLE nsys_again;
DROP TABLE IF EXISTS temp.nsys_lost;
CREATE TEMP TABLE nsys_lost AS
WITH told AS MATERIALIZED (SELECT min(start) AS begin_ns, max("end") AS last_ns FROM CUPTI_ACTIVITY_KIND_RUNTIME),
host AS MATERIALIZED ( -- without calls, a day before and after the middle one
  SELECT coalesce(begin_ns, middle - 86399000000000) AS begin_ns, coalesce(last_ns, middle + 82800000000000) AS last_ns
  FROM told, (SELECT CASE WHEN begin_ns IS NULL
                            THEN (SELECT start FROM nsys_activity
                                  ORDER BY start LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM nsys_activity)) END AS middle FROM told)
)
SELECT a.rowid AS id, a.name FROM nsys_activity AS a, host AS h
WHERE a."end" > h.last_ns + 3600000000000 OR a.start <= 0 AND begin_ns > 1000000000
  OR (a.start < h.begin_ns - 1800000000000 OR a.start < 0 AND a."end" < h.begin_ns - 1000000000)
   OR (a.start <= 0 AND (SELECT l.start FROM device_host_launches AS l WHERE l.process = a.process AND l.call = a.correlationId) > 0);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || min(l.name) || '"'
FROM nsys_lost AS l, nsys_trace AS t GROUP BY t.trace;
DELETE FROM nsys_activity WHERE rowid IN (SELECT id FROM nsys_lost);
DROP TABLE nsys_lost;

-- A stream runs in order: a kernel that lasts beyond the end of the next one, which another call launched, ends where that begins.
DROP TABLE IF EXISTS temp.nsys_overruns;
CREATE TEMP TABLE nsys_overruns AS
SELECT id, name, next FROM (
  SELECT rowid AS id, name, start, "end", correlationId, lead(start) OVER o AS next, lead("end") OVER o AS next_end,
         lead(correlationId) OVER o AS next_call
  FROM nsys_activity WHERE kind = 'kernel' AND streamId IS NOT NULL AND "end" >= start
  WINDOW o AS (PARTITION BY process, deviceId, streamId ORDER BY start, "end", name, correlationId)
)
WHERE "end" > next_end AND next > start AND coalesce(nullif(next_call, 0) <> nullif(correlationId, 0), 1)
  AND "end" - next_end > next_end - start;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'overrun_activity', count(*),
       'activities that end after the next of their stream ended: they end where that begins; the first is "' || min(o.name) || '"'
FROM nsys_overruns AS o, nsys_trace AS t GROUP BY t.trace;
UPDATE nsys_activity SET "end" = o.next FROM nsys_overruns AS o WHERE o.id = nsys_activity.rowid;
DROP TABLE nsys_overruns;
