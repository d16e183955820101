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
