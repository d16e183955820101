-- log/done.sql - what a trainer's runs did: the TEMP tables spans and commits, of training_steps(job, attempt, step, start_time,
-- end_time, seconds, executions, flops), training_phases(job, attempt, kind, start_time, end_time, step) and
-- training_saves(job, attempt, step, snapshot_time, durable_time).
--
-- A part of megatron.sql and torchtitan.sql.

-- A step without a length would be one of any time.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, 'data_loss', 'end_before_start', NULL, count(*),
       'steps of which nothing tells a time, first ' || min(step) || ': the first of a log, or not later than the one before: left out'
FROM training_steps WHERE end_time <= start_time GROUP BY job;

-- A program that prints every tenth step ends between two lines.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.job, 'warning', 'missing_steps', NULL, count(DISTINCT l.attempt),
       'runs that came further than their last line, as a save or the next load tells, the first to step ' || min(f.step)
         || ': the time of those steps is unknown, or in no category'
FROM (SELECT a.job, a.attempt, a.step
      FROM training_steps AS a LEFT JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND +b.job = a.job AND +b.attempt = a.attempt
      WHERE b.rowid IS NULL) AS l
JOIN (SELECT job, attempt, step FROM training_saves
      UNION ALL SELECT job, attempt - 1, step FROM training_phases WHERE kind = 'restore') AS f
  ON f.job = l.job AND f.attempt = l.attempt AND f.step > l.step
GROUP BY l.job;

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM training_steps WHERE end_time > start_time
UNION ALL
SELECT job, attempt, 'compile', start_time, start_time + seconds, NULL, NULL FROM training_compiled
UNION ALL
SELECT job, attempt, kind, start_time, end_time, step, NULL FROM training_phases
ORDER BY 1, 2, 4;
DROP TABLE training_compiled;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time FROM training_saves ORDER BY job, attempt, durable_time;
