-- trainer/spans.sql - spans: the steps, and what else is told of a run.
--
-- Reads trainer_lasting, training_runs, trainer_placed and trainer_firsts; drops trainer_in_order. Makes spans.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.trainer_others;
CREATE TEMP TABLE trainer_others AS
-- a step above the one that follows is of another run, as a base model's
SELECT p.job, p.attempt, kind, p.start_time, p.time AS end_time,
       CASE WHEN kind = 'restore' THEN iif(p.step > f.step AND p.start_time < f.end_time, NULL, p.step) END AS step, NULL AS flops
FROM trainer_placed AS p LEFT JOIN trainer_firsts AS f ON f.job = p.job
  AND f.attempt = p.attempt WHERE kind <> 'saved' AND p.time > p.start_time
UNION ALL -- what the log tells nothing of between an attempt's start and its first step
SELECT job, attempt, 'init', begins, start_time, NULL, NULL
FROM (SELECT job, attempt, start_time,
             max(time) OVER (PARTITION BY job, attempt ORDER BY start_time, time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS begins
      FROM (SELECT job, attempt, start_time, start_time AS time FROM training_runs
            UNION ALL SELECT job, attempt, start_time, start_time FROM trainer_firsts
            UNION ALL SELECT p.job, p.attempt, p.start_time, p.time
            FROM trainer_placed AS p JOIN trainer_firsts AS s ON s.job = p.job AND s.attempt = p.attempt
                      WHERE p.kind IN ('restore', 'init') AND p.start_time < s.start_time))
WHERE start_time > begins;
DROP TABLE IF EXISTS temp.spans;
--@ if EXISTS (SELECT 1 FROM trainer_others) OR NOT EXISTS (SELECT 1 FROM trainer_in_order)
CREATE TEMP TABLE spans AS
SELECT CAST(job AS TEXT) AS job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM trainer_lasting
UNION ALL SELECT * FROM trainer_others ORDER BY 1, 2, 4;
--@ end
-- else nothing is sorted
CREATE TEMP TABLE IF NOT EXISTS spans AS
SELECT CAST(job AS TEXT) AS job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM trainer_lasting;
DROP TABLE trainer_others;
DROP TABLE trainer_in_order;
