-- join/between.sql - time between two attempts of a log, of which nothing tells who held the chips. A part of join.sql and alone.sql.

-- A job that no scheduler knows asks for its chips there. If it hung before it was begun again, it held them. A few minutes are a restart.
--@ if EXISTS (SELECT 1 FROM source WHERE rank = 3)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(job), 'info', 'between_attempts', NULL, count(*),
       'more than ten minutes between attempts of a job, ' || CAST(round(sum(gap)) AS INTEGER)
         || ' s in all: they are queued, though a hang may have held the chips'
FROM (SELECT a.source, a.job, a.start_time - lag(a.end_time) OVER o AS gap, lag(a.outcome) OVER o AS outcome
      FROM all_allocations AS a JOIN source AS s USING (source)
      WHERE s.rank = 3 AND a.chips > 0 AND typeof(a.start_time) IN ('integer', 'real')
      WINDOW o AS (PARTITION BY a.source, a.job ORDER BY a.start_time, a.end_time))
WHERE gap > 600 AND coalesce(outcome, '') NOT IN ('completed', 'cancelled') GROUP BY source;
--@ end
