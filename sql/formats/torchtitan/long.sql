-- torchtitan/long.sql - steps that may hold a pause, for a line stands for all since the one before it.
--
-- Reads training_steps(job, attempt, start_time, end_time, seconds, executions) and training_phases.
-- A part of torchtitan.sql, which says what the parameters are and runs the parts in order.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH each AS MATERIALIZED (
  SELECT s.*, s.seconds / executions AS each, row_number() OVER (PARTITION BY job ORDER BY s.seconds / executions) AS nth,
         count(*) OVER (PARTITION BY job) AS n
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM training_steps WHERE seconds > 60)) CROSS JOIN training_steps AS s WHERE executions > 0
),
usual AS (SELECT job AS of_job, max(each) AS usual FROM each WHERE 2 * nth <= n + 1 GROUP BY job),
long AS (
  SELECT e.*, usual, seconds - coalesce((SELECT sum(min(p.end_time, e.end_time) - max(p.start_time, e.start_time)) FROM training_phases AS p
                                         WHERE p.job = e.job AND p.attempt = e.attempt AND p.start_time < e.end_time
                                           AND p.end_time > e.start_time), 0) AS own
  FROM each AS e JOIN usual ON of_job = job
  -- the first one compiles
  WHERE each > 3 * usual AND seconds > 60 + usual
    AND EXISTS (SELECT 1 FROM training_steps AS b WHERE b.job = e.job AND b.attempt = e.attempt AND b.step < e.step)
)
SELECT job, 'warning', 'long_steps', NULL, count(*),
       'steps that took three times as long as most and a minute more, first ' || min(step) || ': a pause in them counts as progress'
FROM long WHERE own / executions > 3 * usual AND own > 60 + usual GROUP BY job;
