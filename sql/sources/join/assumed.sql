-- join/assumed.sql - how many chips a job of a scheduler has, whose log does not tell it: makes chips_then, and leaves all_jobs without
-- them.
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
UPDATE all_jobs SET chips = NULL, min_chips = NULL
WHERE EXISTS (SELECT 1 FROM chips_then) AND (source, job) IN (SELECT source, job FROM chips_then);
UPDATE file SET inferred = json_set(inferred, '$.chips', 'those of its job') WHERE (source, job) IN (SELECT source, job FROM chips_then);
--@ end
DROP TABLE assumed;
