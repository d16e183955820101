-- continued.sql - gives the SQL that lists logs which go on with the one beside them, perhaps (one that was rotated, or one a restart), and
-- logs that tell the same steps, as exports of one run do that overlap.
--
-- Each is a job unless the option `job` names them. So steps that a restart repeated count as done twice, and none as lost, and what two
-- tell counts twice. A log goes on with another of its folder, mapping and number of chips if it begins after its last step, with a step
-- that follows one of its steps, but not its first. tfevents.sql asks it of its own files, whose folders are runs. Logs tell the same
-- steps if two or more that one of them has in the time of the other end then as well.

SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'spans')
             AND (SELECT count(DISTINCT f.path) FROM file AS f JOIN source AS s USING (source) WHERE s.rank = 3) > 1 THEN '
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH log AS MATERIALIZED (
  SELECT DISTINCT a.job, a.source, a.chips, rtrim(a.job, replace(a.job, ''/'', '''')) AS folder
  FROM all_allocations AS a JOIN source AS s USING (source) JOIN file AS f ON f.source = a.source AND f.path = a.job
  WHERE s.rank = 3 AND s.format <> ''tfevents'' AND a.chips > 0
),
told AS MATERIALIZED (
  SELECT job, min(start_time) AS first_time, max(end_time) AS last_time, min(step) AS first_step, max(step) AS last_step, count(*) AS n
  FROM temp.spans WHERE kind = ''step'' AND step IS NOT NULL AND typeof(start_time) IN (''integer'', ''real'') AND job IN (SELECT job FROM log) GROUP BY job
),
both AS MATERIALIZED (SELECT *, min(first_step) OVER (PARTITION BY source, folder, chips) AS least FROM log JOIN told USING (job)) -- most begin with it, and follow none
SELECT job, ''warning'', ''continued_run'', NULL, 1, ''begins with step '' || first_step || '', as if it went on with '' || earlier || '': if so, give both one name by the option job''
FROM (SELECT b.job, b.first_step, a.job AS earlier, row_number() OVER (PARTITION BY b.job ORDER BY a.last_time DESC) AS nth
      FROM both AS b JOIN both AS a USING (source, folder, chips)
      WHERE b.first_step > b.least AND b.first_time >= a.last_time AND b.first_time > 1e8 AND b.first_step > a.first_step
        AND b.first_step <= a.last_step + max(1, (a.last_step - a.first_step) / max(1, a.n - 1)))
WHERE nth = 1;
CREATE TABLE spoke_beside(job PRIMARY KEY, source, tail) WITHOUT ROWID; -- logs that speak at the time of another; tail: what one has at its end the other has, if they are of one run
INSERT INTO spoke_beside
WITH log AS MATERIALIZED (SELECT a.job, min(a.source) AS source FROM all_allocations AS a JOIN source AS s USING (source) WHERE s.rank = 3 AND a.chips > 0 GROUP BY a.job),
told AS MATERIALIZED (
  SELECT job, min(start_time) AS first_time, max(end_time) AS last_time, max(step) - 10 * max(1, (max(step) - min(step)) / max(1, count(*) - 1)) AS tail
  FROM temp.spans WHERE kind = ''step'' AND step IS NOT NULL AND typeof(start_time) IN (''integer'', ''real'') AND job IN (SELECT job FROM log)
  GROUP BY job
)
SELECT job, source, tail FROM (
  SELECT *, max(last_time) OVER (ORDER BY first_time, job ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > first_time
              OR lead(first_time) OVER (ORDER BY first_time, job) < last_time AS overlaps FROM told) JOIN log USING (job) WHERE overlaps;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH late AS MATERIALIZED ( -- times of a log without a clock are counted from its first step: what steps took tells them
  SELECT job, source, step, time, seconds
  FROM (SELECT *, count(*) OVER alike AS n, min(job) OVER alike AS first
        FROM (SELECT s.job, b.source, s.step, iif(s.start_time > 1e8, s.end_time, round(s.end_time - s.start_time, 3)) AS time,
                     s.end_time - s.start_time AS seconds
              FROM temp.spans AS s CROSS JOIN spoke_beside AS b ON b.job = s.job WHERE s.kind = ''step'' AND s.step > b.tail)
        WINDOW alike AS (PARTITION BY source, step, time))
  WHERE n <= 16 OR job = first -- of many at once, as trials that were begun together, each is beside the first: not all pairs are compared
),
exactly AS (
  SELECT l.job, s.job AS other, count(*) AS n, max(l.time <> CAST(l.time AS INTEGER)) + (min(l.time) > 1e8) AS precise
  FROM (SELECT 1 FROM late LIMIT 1) CROSS JOIN temp.spans AS s CROSS JOIN late AS l
    ON l.step = s.step AND l.time = iif(s.start_time > 1e8, s.end_time, round(s.end_time - s.start_time, 3)) AND l.job <> s.job
  WHERE s.kind = ''step'' AND s.job IN (SELECT job FROM spoke_beside) GROUP BY 1, 2
),
nearly AS ( -- two programs tell a step one after the other: a log and a tracker, or two of these; one may count from 0 and the other from 1
  SELECT l.job, s.job AS other, count(*) AS n
  FROM (SELECT 1 FROM late WHERE source <> (SELECT min(source) FROM late) LIMIT 1) CROSS JOIN temp.spans AS s CROSS JOIN spoke_beside AS b ON b.job = s.job
  CROSS JOIN (SELECT late.*, CAST(time AS INTEGER) + d.value AS second, step + o.value AS other_step, o.value AS later FROM late, json_each(''[-1,0,1]'') AS d, json_each(''[-1,0,1]'') AS o WHERE time > 1e8) AS l
    ON l.other_step = s.step AND l.second = CAST(s.end_time AS INTEGER)
  WHERE s.kind = ''step'' AND l.source <> b.source AND abs(s.end_time - l.time) <= min(1, 0.25 * l.seconds)
  GROUP BY 1, 2, l.later HAVING count(*) > 4 OR count(*) > 1 AND count(*) = (SELECT count(*) FROM late AS w WHERE w.job = l.job)
)
SELECT max(job, other), ''warning'', ''parallel_logs'', NULL, max(n), ''steps that '' || min(job, other) || '' has at the same times: each log counts as a job. If they are of one run, remove one, or give both one name by the option job''
FROM (SELECT job, other, n FROM exactly WHERE n > 2 - precise UNION ALL SELECT job, other, n FROM nearly)
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.kind = ''parallel_logs'' AND i.source IN (job, other)) GROUP BY 1;
DROP TABLE spoke_beside;' ELSE '' END;
