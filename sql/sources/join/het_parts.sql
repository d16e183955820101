-- join/het_parts.sql - a log of as many chips as all parts of Slurm's heterogeneous job held, which are jobs of their own: it is of each.
--
-- Makes het_part(source, job, part, share): of the log of a job what is of which part, by its chips. The script het.sql shares out the
-- spans. A part of join.sql.

CREATE TABLE het_part(source INTEGER, job TEXT, part TEXT, share REAL);
--@ if EXISTS (SELECT 1 FROM held WHERE rank = 3) AND EXISTS (SELECT 1 FROM all_aliases WHERE alias GLOB '[0-9]*+[0-9]*')
INSERT INTO het_part
WITH told AS MATERIALIZED (SELECT source, job, max(chips) AS chips FROM held WHERE rank = 3 GROUP BY source, job),
part AS MATERIALIZED (
  SELECT DISTINCT a.job, substr(a.alias, 1, instr(a.alias, '+') - 1) AS base
  FROM (SELECT 1 FROM told LIMIT 1) CROSS JOIN all_aliases AS a JOIN source AS s ON s.source = a.source
  WHERE s.format = 'slurm' AND a.alias GLOB '[0-9]*+[0-9]*'
),
given AS MATERIALIZED (
  SELECT job, max(chips) AS chips
  FROM (SELECT a.job, sum(a.chips) AS chips FROM all_allocations AS a
        WHERE a.job IN (SELECT job FROM part) AND a.source IN (SELECT source FROM source WHERE rank = 1) GROUP BY a.job, a.attempt)
  GROUP BY job
),
whole AS (SELECT base, sum(chips) AS chips, count(*) AS n FROM part JOIN given USING (job) GROUP BY base)
SELECT t.source, t.job, o.job, g.chips * 1.0 / w.chips
FROM told AS t JOIN part AS p ON p.job = t.job JOIN whole AS w ON w.base = p.base JOIN part AS o ON o.base = p.base
JOIN given AS g ON g.job = o.job
WHERE w.n > 1 AND t.chips = w.chips
  AND NOT EXISTS (SELECT 1 FROM told AS x JOIN part AS y ON y.job = x.job WHERE y.base = p.base AND x.job <> t.job); -- which has a log
INSERT INTO all_jobs(source, job, phase, framework, runtime, model)
SELECT j.source, h.part, j.phase, j.framework, j.runtime, j.model
FROM het_part AS h JOIN all_jobs AS j ON j.source = h.source AND j.job = h.job WHERE h.part <> h.job;
UPDATE all_jobs SET chips = NULL, min_chips = NULL WHERE (source, job) IN (SELECT source, job FROM het_part);
INSERT INTO all_commits(source, job, step, snapshot_time, durable_time)
SELECT c.source, h.part, c.step, c.snapshot_time, c.durable_time
FROM het_part AS h JOIN all_commits AS c ON c.source = h.source AND c.job = h.job WHERE h.part <> h.job;
UPDATE file SET inferred = json_set(inferred, '$.parts', 'it tells the chips of all parts of its heterogeneous job')
WHERE (source, job) IN (SELECT source, job FROM het_part);
--@ end
