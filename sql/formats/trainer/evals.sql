-- trainer/evals.sql - evaluations that a tracker times, between two steps: they are none of the step that is logged next.
--
-- Reads trainer_evals and trainer_steps, fills trainer_placed.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if EXISTS (SELECT 1 FROM trainer_evals)
CREATE INDEX temp.trainer_steps_of ON trainer_steps(file, run, end_time);
INSERT INTO trainer_placed(file, job, kind, start_time, time, attempt)
SELECT e.file, coalesce(s.job, f.job), 'eval', max(e.start_time, coalesce(s.end_time, e.start_time)), e.time, coalesce(s.attempt, f.attempt)
FROM (SELECT DISTINCT * FROM trainer_evals) AS e JOIN trainer_steps AS f
  ON f.rowid = (SELECT rowid FROM trainer_steps AS s WHERE s.file = e.file AND s.run IS e.run ORDER BY s.end_time LIMIT 1)
LEFT JOIN trainer_steps AS s
  ON s.rowid = (SELECT rowid FROM trainer_steps AS s WHERE s.file = e.file AND s.run IS e.run AND s.end_time <= e.time
                ORDER BY s.end_time DESC LIMIT 1)
GROUP BY 2, e.start_time, e.time; -- exports that overlap have one twice
--@ end
DROP TABLE trainer_evals;
