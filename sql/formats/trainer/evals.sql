-- trainer/evals.sql - evaluations that a tracker times, between two steps: they are none of the step that is logged next.
--
-- Reads trainer_evals and trainer_steps, fills trainer_marks.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if EXISTS (SELECT 1 FROM trainer_evals)
CREATE INDEX temp.trainer_steps_of ON trainer_steps(file, line);
INSERT INTO trainer_marks(file, line, job, kind, start_time, time)
SELECT e.file, e.line, f.job, 'eval',
       max(e.start_time, coalesce((SELECT s.end_time FROM trainer_steps AS s WHERE s.file = e.file AND s.line < e.line
                                   ORDER BY s.line DESC LIMIT 1), e.start_time)), e.time
FROM trainer_evals AS e JOIN (SELECT file, min(job) AS job FROM trainer_steps GROUP BY file) AS f USING (file);
--@ end
DROP TABLE trainer_evals;
