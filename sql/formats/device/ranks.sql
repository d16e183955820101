-- device/ranks.sql - collectives over the ranks: device_collectives and device_stragglers.
--
-- Reads device_activity and device_traces. A part of device_views.sql, which declares the columns.

-- The n-th collective of a name, group and step is the same one on every rank of the group. All end together, so the rank on which it took
-- least came last: the others waited for it. That holds whatever the ranks' clocks say. If ranks have different numbers of it, if one has
-- two traces with it, or if there are more ranks than the group has, the n-th may be another one: then nothing is said of who was late.
-- Sends and receives are between two ranks, and left out.
CREATE TEMP VIEW IF NOT EXISTS device_collectives AS
WITH numbered AS (
  SELECT a.trace, a.rank, a.device, a.step, a.name, a.process_group, a.group_size, t.world_size, a.end_ns - a.start_ns AS ns,
         row_number() OVER (calls ORDER BY a.start_ns, a.end_ns) AS n, count(*) OVER calls AS calls
  FROM device_activity AS a LEFT JOIN device_traces AS t USING (trace)
  WHERE a.class = 'communication' AND a.rank IS NOT NULL
    AND NOT (coalesce(lower(a.collective), '') GLOB 'send*' OR coalesce(lower(a.collective), '') GLOB 'recv*')
  WINDOW calls AS (PARTITION BY a.trace, a.rank, a.device, a.step, a.name, a.process_group, a.group_size)
),
apart AS (
  SELECT *, row_number() OVER (PARTITION BY step, name, process_group, group_size, world_size, rank ORDER BY n) = 1 AS is_first,
         row_number() OVER (PARTITION BY step, name, process_group, group_size, world_size, rank, device, n ORDER BY trace) > 1 AS is_again
  FROM numbered
),
counted AS (
  SELECT *, total(is_first) OVER alike AS ranks, min(calls) OVER alike = max(calls) OVER alike AND max(is_again) OVER alike = 0 AS is_same
  FROM apart
  WINDOW alike AS (PARTITION BY step, name, process_group, group_size, world_size)
)
SELECT rank, device, step, name, n, ns,
       iif(is_same AND ranks <= coalesce(group_size, ranks), ns - min(ns) OVER w, NULL) AS waited_ns,
       iif(is_same AND ranks <= coalesce(group_size, ranks), max(ns) OVER w - ns, NULL) AS late_ns,
       CAST(ranks AS INTEGER) AS ranks, trace, process_group
FROM counted
WINDOW w AS (PARTITION BY step, name, process_group, group_size, world_size, n);

CREATE TEMP VIEW IF NOT EXISTS device_stragglers AS
SELECT step, rank, count(*) AS collectives, sum(late_ns) AS late_ns, sum(waited_ns) AS waited_ns,
       rank() OVER (PARTITION BY step ORDER BY sum(late_ns) DESC) AS place
FROM device_collectives
WHERE ranks > 1 AND late_ns IS NOT NULL
GROUP BY step, rank;

-- :table is the table function that asks. By hand it is NULL.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', count(*), 'collectives of a rank that the profile does not tell: they are not compared'
FROM device_activity WHERE :table IN ('trace_device_collectives', 'trace_device_stragglers') AND class = 'communication' AND rank IS NULL
GROUP BY trace;
