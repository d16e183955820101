-- join/parallel_logs.sql - logs that are alike, each of which counts as a job. A part of join.sql and alone.sql.

-- Logs that no scheduler knows, of as many chips from and until the same moments: those of several ranks of one job, perhaps. (A log
-- without a clock begins at 0.)
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 3)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(job), 'warning', 'parallel_logs', NULL, count(*),
       'logs with the same number of chips, begin and end as another, each counted as a job: if they are ranks of one job, read the log of one rank'
FROM (SELECT a.source, a.job, a.start_time - lag(a.start_time) OVER o AS later, abs(a.end_time - lag(a.end_time) OVER o) AS apart,
             a.end_time - a.start_time AS seconds, lag(a.job) OVER o AS other
      FROM all_allocations AS a JOIN source AS s USING (source)
      WHERE s.rank = 3 AND typeof(a.start_time) IN ('integer', 'real')
        AND a.start_time > 1e8 AND a.chips > 0
      WINDOW o AS (PARTITION BY a.source, a.chips ORDER BY a.start_time, a.end_time))
WHERE other <> job AND later <= 5 AND (apart <= 5 OR apart IS NULL) AND (seconds > 10 OR seconds IS NULL) GROUP BY source;
--@ end

-- What a tracker or TensorBoard has of a run whose log lies in the same folder: neither names a job.
--@ if (SELECT count(*) > 1 FROM source WHERE rank = 3) AND EXISTS (SELECT 1 FROM all_assumed_chips)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(job), 'warning', 'parallel_logs', NULL, count(*),
       'records and logs of one folder and time, each counted as a job: if they are of one run, give them the same option job'
FROM (SELECT job, source, assumed, start_time - lag(start_time) OVER o AS later, lag(end_time) OVER o AS before,
             start_time, lag(source) OVER o AS other, lag(assumed) OVER o AS other_assumed
      FROM (SELECT a.job, a.source, min(a.start_time) AS start_time, iif(count(a.end_time) = count(*), max(a.end_time), NULL) AS end_time,
                   max(c.job IS NOT NULL) AS assumed,
                   iif(s.format = 'tfevents', a.job, rtrim(rtrim(a.job, replace(a.job, '/', '')), '/')) AS folder
            FROM all_allocations AS a JOIN source AS s USING (source)
            LEFT JOIN all_assumed_chips AS c ON c.source = a.source AND c.job = a.job
            WHERE s.rank = 3 AND instr(a.job, '/') > 0 AND a.start_time > 1e8 AND typeof(a.start_time) IN ('integer', 'real')
            GROUP BY a.source, a.job)
      WINDOW o AS (PARTITION BY folder ORDER BY start_time, job))
WHERE other <> source AND (assumed OR other_assumed) AND later <= 600 AND (before IS NULL OR start_time < before) GROUP BY NULL;
--@ end
