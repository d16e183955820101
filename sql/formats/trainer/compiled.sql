-- trainer/compiled.sql - compilation within a first step whose seconds the log tells: what they are above the mean of the others.
--
-- Reads trainer_steps. Fills trainer_placed. It is for NeMo alone: a step of torchtitan also holds its save and evaluation.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if :nemo IS NOT NULL
INSERT INTO trainer_placed(job, attempt, kind, start_time, time)
SELECT job, attempt, 'compile', start_time, start_time + seconds - others
FROM (SELECT job, attempt, start_time, end_time - start_time AS seconds, is_told, max(is_first),
             1.0 * (sum(end_time - start_time) - (end_time - start_time)) / (sum(executions) - executions) AS others
      FROM trainer_steps WHERE end_time > start_time GROUP BY job, attempt)
WHERE is_told AND seconds > others;
--@ end
