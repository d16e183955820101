-- log/lengths.sql - how long steps took: those that may hold a pause, and what the first of a run took longer than its others, which is
-- compilation.
--
-- Reads the view training_lengths(run, job, attempt, step, start_time, end_time, own, executions), a row a line of a step, `run` a number
-- of its attempt, `own` in seconds without what else is known to lie in it. Makes training_compiled(job, attempt, start_time, seconds), and
-- drops the view.
-- A part of maxtext.sql, megatron.sql, nanogpt.sql and torchtitan.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_firsts;
CREATE TEMP TABLE training_firsts AS
SELECT run, job, attempt, start_time, min(end_time) AS end_time, own, executions, total(own) AS all_own,
       sum(iif(own > 0, executions, 0)) AS all_executions, count(*) FILTER (WHERE own > 60) AS long
FROM training_lengths GROUP BY run;
-- The first one compiles, and is none of these. All are read again only where some are long.
DROP TABLE IF EXISTS temp.training_long;
CREATE TEMP TABLE training_long AS
WITH each AS MATERIALIZED (
  SELECT run, job, step, end_time, own, executions
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM training_firsts WHERE long > 0)) CROSS JOIN training_lengths WHERE executions > 0 AND own > 0
),
usual AS (SELECT job, mpg_median(own / executions) AS usual FROM each GROUP BY job)
SELECT e.run, e.job, e.step, e.own, e.executions
FROM each AS e JOIN usual AS u USING (job) JOIN training_firsts AS f ON f.run = e.run
WHERE e.own / e.executions > 3 * usual AND e.own > 60 + usual AND e.end_time > f.end_time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, 'warning', 'long_steps', NULL, count(*),
       'steps that took three times as long as most and a minute more, first ' || min(step) || ': a pause in them counts as progress'
FROM training_long GROUP BY job;
DROP TABLE IF EXISTS temp.training_compiled;
CREATE TEMP TABLE training_compiled AS
SELECT f.job, f.attempt, f.start_time,
       f.own - f.executions * (f.all_own - f.own - coalesce(l.own, 0))
         / nullif(f.all_executions - f.executions - coalesce(l.executions, 0), 0) AS seconds
FROM training_firsts AS f LEFT JOIN (SELECT run, sum(own) AS own, sum(executions) AS executions FROM training_long GROUP BY run) AS l
  ON l.run = f.run;
DELETE FROM training_compiled WHERE coalesce(seconds <= 1e-5, 1); -- sums of times are not exact
DROP TABLE training_long;
DROP TABLE training_firsts;
DROP VIEW training_lengths;
