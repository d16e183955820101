-- join/own_chips.sql - logs of one job that tell of chips of their own, which together are those of the job: makes own_chips.
--
-- Such are those of replicas of torchft, and of runs that share an allocation. A part of join.sql, before jobs have their names.

CREATE TABLE own_chips(source INTEGER, was TEXT, job TEXT);
--@ if EXISTS (SELECT 1 FROM renamed WHERE was <> job GROUP BY job HAVING count(*) > 1)
INSERT INTO own_chips
WITH told AS MATERIALIZED (
  SELECT r.source, r.was, r.job, j.chips
  FROM (SELECT 1 FROM source WHERE rank = 1 LIMIT 1) CROSS JOIN all_jobs AS j CROSS JOIN source AS s USING (source)
  CROSS JOIN renamed AS r ON r.source = j.source AND r.was = j.job
  WHERE s.format IN ('maxtext', 'megatron', 'torchtitan', 'nanogpt') AND json_extract(s.options, '$.chips') IS NULL AND r.was <> r.job
    AND j.chips > 0 AND iif((j.source, j.job) IN (SELECT source, job FROM all_assumed_chips), 0, 1)
),
together AS MATERIALIZED (SELECT job, sum(chips) AS chips FROM told GROUP BY job HAVING count(*) > 1)
SELECT source, was, job FROM told
WHERE job IN (SELECT job FROM all_jobs WHERE source IN (SELECT source FROM source WHERE rank = 1)
              AND (job, chips) IN (SELECT job, chips FROM together));
--@ end
