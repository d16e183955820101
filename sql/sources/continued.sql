-- continued.sql - gives the SQL that lists logs which go on with the one beside them, perhaps: a log that was rotated, or one a restart.
--
-- Each is a job unless the option `job` names them. So steps that a restart repeated count as done twice, and none as lost. A log goes on
-- with another of its folder, mapping and number of chips if it begins after its last step, with a step that follows one of its steps, but
-- not its first. tfevents.sql asks it of its own files, whose folders are runs.

SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'spans')
             AND (SELECT count(DISTINCT f.path) FROM file AS f JOIN source AS s USING (source) WHERE s.rank = 3 AND s.format <> 'tfevents')
              > 1 THEN '
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
both AS MATERIALIZED (SELECT * FROM log JOIN told USING (job))
SELECT job, ''warning'', ''continued_run'', NULL, 1, ''begins with step '' || first_step || '', as if it went on with '' || earlier || '': if so, give both one name by the option job''
FROM (SELECT b.job, b.first_step, a.job AS earlier, row_number() OVER (PARTITION BY b.job ORDER BY a.last_time DESC) AS nth
      FROM both AS b JOIN both AS a USING (source, folder, chips)
      WHERE b.first_time >= a.last_time AND b.first_time > 1e8 AND b.first_step > a.first_step
        AND b.first_step <= a.last_step + max(1, (a.last_step - a.first_step) / max(1, a.n - 1)))
WHERE nth = 1' ELSE '' END;
