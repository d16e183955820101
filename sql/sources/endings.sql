-- endings.sql - gives the SQL that ends what logs leave open; none if there is nothing to end.
--
-- A log without a finish line is of a job that still runs, or of one that broke off. The lines of other files prove
-- that the fleet was observed for longer, not that this job was. So its allocation ends with its own last record, if that lies
-- more than an hour before the last one of all; else the job still runs, and so does its capacity. Records without a clock
-- begin at 0: there an hour says nothing. A job that a scheduler allocates has the scheduler's end.

WITH open AS (
  SELECT 1 FROM all_allocations AS a JOIN source AS s USING (source) WHERE s.rank = 3 AND a.end_time IS NULL
)
SELECT iif(NOT EXISTS (SELECT 1 FROM open)
           OR (SELECT count(*) FROM (SELECT job FROM all_allocations GROUP BY job LIMIT 2)) + (SELECT count(*) FROM source WHERE rank < 3) < 2, '', '
CREATE TABLE last_record AS
WITH open AS (
  SELECT DISTINCT a.job FROM all_allocations AS a JOIN source AS s USING (source) WHERE s.rank = 3 AND a.end_time IS NULL
),
record(job, time) AS (
  SELECT job, max(start_time, coalesce(end_time, start_time)) FROM all_allocations
  UNION ALL SELECT job, max(coalesce(snapshot_time, durable_time), coalesce(durable_time, snapshot_time)) FROM all_commits
  UNION ALL SELECT a.job, c.end_time FROM all_allocations AS a JOIN all_capacity AS c USING (source, pool, chips, start_time) WHERE c.end_time IS NOT NULL'
|| iif(EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'spans'), '
  UNION ALL SELECT job, max(start_time, coalesce(end_time, start_time)) FROM temp.spans', '') || '
),
latest AS (SELECT job, max(time) AS time FROM record WHERE typeof(time) IN (''integer'', ''real'') GROUP BY job),
until AS (
  SELECT max(time) AS time
  FROM (SELECT max(time) AS time FROM latest UNION ALL SELECT max(until_time) FROM all_observed
        UNION ALL SELECT max(coalesce(end_time, start_time)) FROM all_capacity UNION ALL SELECT max(coalesce(end_time, start_time)) FROM all_outages)
)
SELECT job, l.time, u.time AS until, l.time < 1e8 OR l.time + 3600 < u.time AS is_over
FROM open JOIN latest AS l USING (job) CROSS JOIN until AS u WHERE l.time < u.time;
CREATE UNIQUE INDEX last_record_of ON last_record(job);

UPDATE all_capacity SET end_time = iif(l.is_over, l.time, NULL) FROM all_allocations AS a, last_record AS l
WHERE a.source = all_capacity.source AND a.pool IS all_capacity.pool AND a.chips IS all_capacity.chips AND a.start_time IS all_capacity.start_time
  AND a.end_time IS NULL AND l.job = a.job;
UPDATE all_allocations SET end_time = max(l.time, all_allocations.start_time) FROM last_record AS l
WHERE all_allocations.end_time IS NULL AND l.job = all_allocations.job AND l.is_over
  AND all_allocations.source IN (SELECT source FROM source WHERE rank = 3);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, ''info'', ''log_stopped'', NULL, 1,
       ''its log has no end and stops '' || CAST(until - time AS INTEGER) || '' s before the last record of all: the job ends with it, with no outcome''
FROM last_record WHERE is_over;
')
