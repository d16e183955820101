-- endings.sql - gives the SQL that says until when each source observed its pools and jobs. If one source alone can say so, all its pools
-- end at one time, and little is to be done; but not if there is a table every_end, for what is stored may meet other sources later.
--
-- The records of one source prove that its fleet was observed until then, not that another's was. What is open would else go on until the
-- last record of all, weeks later perhaps:
--   - the pools of a scheduler or of a native trace that says no end itself were observed until its last record, or the last one of
--     its jobs' logs; its jobs that never started waited until then, or until the last record of their cluster's sources
--   - the job of a log that no scheduler allocates was observed until its own last record

WITH holders AS (SELECT count(*) AS n FROM source
                 WHERE rank < 3 AND coalesce(json_extract(records, '$.allocations'), 0) + coalesce(json_extract(records, '$.jobs'), 0)
                   + coalesce(json_extract(records, '$.capacity'), 0) + coalesce(json_extract(records, '$.outages'), 0) > 0),
logs AS (SELECT count(*) AS n
         FROM (SELECT 1 FROM all_allocations AS a JOIN source AS s USING (source)
               WHERE EXISTS (SELECT 1 FROM source WHERE rank = 3) AND s.rank = 3 GROUP BY a.job LIMIT 2)),
loose AS ( -- a native trace of spans alone: another source allocates their jobs, or none does
  SELECT EXISTS (SELECT 1 FROM source WHERE rank = 2 AND json_extract(records, '$.spans') > 0
                 AND coalesce(json_extract(records, '$.allocations'), 0) = 0) AS n),
own_jobs AS (SELECT DISTINCT job FROM all_jobs WHERE source IN (SELECT source FROM source WHERE rank = 3)),
strays AS ( -- logs of jobs that no source allocates, which may go on after the pools were last observed
  SELECT EXISTS (SELECT 1 FROM source WHERE rank = 3)
    AND EXISTS (SELECT job FROM own_jobs EXCEPT SELECT job FROM all_allocations WHERE job IN (SELECT job FROM own_jobs)) AS n),
said AS (SELECT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'spans') AS spans,
                EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'every_end') AS every),
own(sql) AS (SELECT ' -- what an open attempt of a log has for itself: of several that begin at once the nth has the nth
SELECT a.job, c.capacity
FROM (SELECT job, source, pool, chips, start_time, a.end_time, row_number() OVER (w ORDER BY a.rowid) AS nth, count(*) OVER w AS n
      FROM all_allocations AS a JOIN source AS s USING (source) WHERE s.rank = 3
      WINDOW w AS (PARTITION BY source, pool, chips, start_time)) AS a
JOIN (SELECT c.rowid AS capacity, source, pool, chips, start_time, row_number() OVER (w ORDER BY c.rowid) AS nth, count(*) OVER w AS n
      FROM all_capacity AS c JOIN source AS s USING (source) WHERE s.rank = 3
      WINDOW w AS (PARTITION BY source, pool, chips, start_time)) AS c USING (source, pool, chips, start_time, nth, n)
WHERE a.end_time IS NULL'),
in_seconds(sql) AS (SELECT ' SET time = strftime(''%s'', time) - strftime(''%S'', time) + strftime(''%f'', time) + iif(time GLOB ''*.[0-9][0-9][0-9][0-9]*'', 0.001, 0) WHERE typeof(time) = ''text'';')
SELECT iif(holders.n + logs.n + max(strays.n, loose.n) < 2 AND NOT said.every, iif(logs.n = 1, '
UPDATE all_capacity SET end_time = l.time -- the open attempt of a log in which an earlier one ended later, or that tells of something after its last step
FROM (SELECT max(time) AS time FROM (SELECT end_time AS time FROM all_capacity UNION ALL SELECT durable_time FROM all_commits' || iif(said.spans, ' UNION ALL SELECT max(end_time) FROM temp.spans', '') || ') WHERE typeof(time) IN (''integer'', ''real'')) AS l
WHERE end_time < l.time AND typeof(end_time) IN (''integer'', ''real'') AND all_capacity.rowid IN (SELECT capacity FROM (' || own.sql || '));', '
INSERT INTO temp.observed(pool, until_time) -- a pool that it does not name was observed as long as the others
SELECT NULL, max(until_time) FROM all_observed WHERE source IN (SELECT source FROM source WHERE rank < 3) GROUP BY NULL HAVING count(until_time) > 0;'), '
CREATE TABLE observed_end AS SELECT source, max(until_time) AS time FROM all_observed GROUP BY source;
-- Times are Unix seconds, or text of which SQLite has the milliseconds.
UPDATE own_record' || in_seconds.sql || '
UPDATE observed_end' || in_seconds.sql || '
CREATE TABLE source_end(source INTEGER PRIMARY KEY, time);
INSERT INTO source_end
SELECT source, max(time) FROM own_record WHERE typeof(time) IN (''integer'', ''real'') GROUP BY source;'
|| (SELECT coalesce(group_concat('
INSERT INTO source_end
SELECT ' || source || ', time FROM (SELECT max(max(start_time, coalesce(end_time, start_time))) AS time FROM temp.spans_of_' || source || ' WHERE typeof(start_time) IN (''integer'', ''real'')) WHERE time IS NOT NULL
ON CONFLICT (source) DO UPDATE SET time = max(time, excluded.time);', ''), '')
    FROM source WHERE json_extract(records, '$.spans') > 0) || '
-- time: of the last record, at which ends whatever has no end of its own; observed: the last time that any source tells.
CREATE TABLE last_of_all AS SELECT ' || iif(said.every, '9e18 AS time, 9e18 AS observed;', 'max(time) AS time, max(max(time), coalesce((SELECT max(time) FROM observed_end), 0)) AS observed FROM source_end;')
|| iif(said.spans AND holders.n > 0, '
INSERT INTO source_end -- the logs of its jobs
SELECT a.source, max(max(start_time, coalesce(end_time, start_time)))
FROM temp.spans AS s CROSS JOIN (
  SELECT job, min(source) AS source FROM all_allocations JOIN source USING (source)
  WHERE rank < 3' || iif(loose.n, '', ' AND job IN (SELECT j.job FROM all_jobs AS j JOIN source AS l ON l.source = j.source WHERE l.rank = 3)') || ' GROUP BY job) AS a ON a.job = s.job
WHERE typeof(start_time) IN (''integer'', ''real'') GROUP BY a.source
ON CONFLICT (source) DO UPDATE SET time = max(time, excluded.time);', '') || '
UPDATE source_end SET time = o.time FROM observed_end AS o WHERE o.source = source_end.source;
CREATE TABLE log_end AS SELECT source, time FROM source_end JOIN source USING (source) WHERE rank > 2;
DELETE FROM source_end WHERE source NOT IN (SELECT source FROM source WHERE rank < 3) OR time = (SELECT time FROM last_of_all);

INSERT INTO temp.observed(pool, until_time)
SELECT pool, max(time)
FROM (SELECT DISTINCT source, pool FROM all_allocations UNION SELECT DISTINCT source, pool FROM all_capacity) LEFT JOIN source_end USING (source)
WHERE pool IS NOT NULL AND pool NOT IN (SELECT pool FROM temp.observed WHERE pool IS NOT NULL AND until_time IS NOT NULL)
GROUP BY pool HAVING count(*) = count(time);
INSERT INTO temp.observed(job, until_time)
SELECT job, max(e.time)
FROM all_jobs AS j LEFT JOIN of_cluster AS c USING (source) LEFT JOIN of_cluster AS o USING (cluster) LEFT JOIN source_end AS e ON e.source = coalesce(o.source, j.source)
WHERE j.source IN (SELECT source FROM source WHERE rank < 3) AND job NOT IN (SELECT job FROM all_allocations) GROUP BY job HAVING count(*) = count(e.time);'
|| iif(said.every, '
INSERT INTO temp.observed(job, until_time) -- those of which there is a log as well
SELECT a.job, max(e.time) FROM all_allocations AS a JOIN source_end AS e USING (source)
WHERE a.job IN (SELECT j.job FROM all_jobs AS j JOIN source AS s USING (source) WHERE s.rank = 3) GROUP BY a.job;', '') || '

CREATE TABLE own_capacity AS
' || own.sql || ';
CREATE UNIQUE INDEX own_capacity_of ON own_capacity(job, capacity);
CREATE TABLE last_record AS
WITH open AS (SELECT DISTINCT a.job FROM all_allocations AS a JOIN source AS s USING (source) WHERE s.rank = 3 AND a.end_time IS NULL),
record(job, time) AS (
  SELECT job, max(start_time, coalesce(end_time, start_time)) FROM all_allocations JOIN open USING (job)
  UNION ALL SELECT job, max(coalesce(snapshot_time, durable_time), coalesce(durable_time, snapshot_time)) FROM all_commits JOIN open USING (job)
  UNION ALL SELECT a.job, c.end_time FROM own_capacity AS a JOIN all_capacity AS c ON c.rowid = a.capacity'
|| iif(said.spans, '
  UNION ALL SELECT job, max(start_time, coalesce(end_time, start_time)) FROM temp.spans WHERE job IN (SELECT job FROM open)', '') || '
)
SELECT job, max(time) AS time FROM record WHERE typeof(time) IN (''integer'', ''real'') GROUP BY job HAVING max(time) < (SELECT observed FROM last_of_all);
CREATE UNIQUE INDEX last_record_of ON last_record(job);
INSERT INTO temp.observed(job, until_time) SELECT job, time FROM last_record;
UPDATE all_capacity SET end_time = l.time FROM own_capacity AS o JOIN last_record AS l USING (job) WHERE all_capacity.rowid = o.capacity;
INSERT INTO temp.observed(pool, until_time) -- pools of logs alone, whose capacity has no end
SELECT pool, max(e.time) FROM all_capacity AS c JOIN log_end AS e USING (source)
WHERE c.end_time IS NULL AND pool NOT IN (SELECT pool FROM temp.observed WHERE pool IS NOT NULL AND until_time IS NOT NULL)
  AND pool NOT IN (SELECT pool FROM all_capacity JOIN source USING (source) WHERE rank < 3 AND pool IS NOT NULL)
GROUP BY pool HAVING max(e.time) <> (SELECT time FROM last_of_all);
')
FROM holders, logs, strays, loose, said, own, in_seconds
