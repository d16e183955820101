-- join/assumed.sql - how many chips a job has, if its log does not tell it and its scheduler or another of its logs does: makes
-- chips_then, and leaves all_jobs without them.
--
-- The log counts as one chip, and the FLOPs of its spans are those of one: spans.sql multiplies them. A part of join.sql, where jobs have
-- their names.

CREATE TABLE assumed AS
SELECT DISTINCT a.source, coalesce(r.job, b.job, a.job) AS job
FROM all_assumed_chips AS a
LEFT JOIN renamed AS r ON r.source = a.source AND r.was = a.job
LEFT JOIN (SELECT DISTINCT source, was, job FROM by_time) AS b ON b.source = a.source AND b.was = a.job AND r.job IS NULL;
--@ if EXISTS (SELECT 1 FROM assumed)
CREATE INDEX assumed_of ON assumed(job);
INSERT INTO chips_then
WITH edge AS (
  SELECT job, at, sum(chips) AS chips FROM (
    SELECT job, start_time AS at, chips FROM (SELECT 1 FROM assumed LIMIT 1) CROSS JOIN all_allocations
    WHERE job IN (SELECT job FROM assumed) AND source IN (SELECT source FROM source WHERE rank < 3)
    UNION ALL
    SELECT job, end_time, -chips FROM (SELECT 1 FROM assumed LIMIT 1) CROSS JOIN all_allocations
    WHERE job IN (SELECT job FROM assumed) AND source IN (SELECT source FROM source WHERE rank < 3))
  WHERE typeof(at) IN ('integer', 'real') GROUP BY job, at
),
held AS (SELECT job, at, sum(chips) OVER (PARTITION BY job ORDER BY at) AS chips FROM edge)
SELECT a.source, h.job, iif(row_number() OVER (PARTITION BY a.source, h.job ORDER BY at) = 1, -9e18, at), chips
FROM (SELECT * FROM held WHERE chips > 1e-6) AS h JOIN assumed AS a ON a.job = h.job;
-- Without a scheduler each log holds chips for itself: the one chip becomes as many as another log tells.
CREATE TABLE told_by_log AS
SELECT job, max(chips) AS chips FROM all_jobs
WHERE job IN (SELECT job FROM assumed) AND iif((source, job) IN (SELECT source, job FROM assumed), 0, chips > 0)
  AND job NOT IN (SELECT job FROM chips_then) GROUP BY job;
--@ if EXISTS (SELECT 1 FROM told_by_log)
CREATE TABLE assumed_held AS
SELECT a.rowid AS row, a.source, a.pool, a.chips, a.start_time, t.chips AS told,
       row_number() OVER (PARTITION BY a.source, a.pool, a.chips, a.start_time ORDER BY coalesce(a.end_time, 9e18), a.rowid) AS nth
FROM told_by_log AS t CROSS JOIN assumed AS s USING (job) CROSS JOIN all_allocations AS a ON a.source = s.source AND a.job = s.job;
UPDATE all_capacity SET chips = h.told
FROM (SELECT c.row, h.told
      FROM (SELECT rowid AS row, source, pool, chips, start_time,
                   row_number() OVER (PARTITION BY source, pool, chips, start_time ORDER BY coalesce(end_time, 9e18), rowid) AS nth
            FROM all_capacity WHERE source IN (SELECT source FROM assumed_held)) AS c
      JOIN assumed_held AS h ON h.source = c.source AND h.pool IS c.pool AND h.chips IS c.chips AND h.start_time IS c.start_time
        AND h.nth = c.nth) AS h
WHERE h.row = all_capacity.rowid;
UPDATE all_allocations SET chips = h.told FROM assumed_held AS h WHERE h.row = all_allocations.rowid;
INSERT INTO chips_then SELECT s.source, t.job, -9e18, t.chips FROM told_by_log AS t JOIN assumed AS s USING (job);
DROP TABLE assumed_held;
--@ end
DROP TABLE told_by_log;
UPDATE all_jobs SET chips = NULL, min_chips = NULL
WHERE EXISTS (SELECT 1 FROM chips_then) AND (source, job) IN (SELECT source, job FROM chips_then);
UPDATE file SET inferred = json_set(inferred, '$.chips', 'those of its job') WHERE (source, job) IN (SELECT source, job FROM chips_then);
--@ end
DROP TABLE assumed;
