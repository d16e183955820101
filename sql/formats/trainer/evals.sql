-- trainer/evals.sql - evaluations that a tracker times, between two steps: they are none of the step that is logged next.
--
-- Reads trainer_evals, trainer_points and trainer_ranges, fills trainer_placed.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if EXISTS (SELECT 1 FROM trainer_evals)
INSERT INTO trainer_placed(file, job, kind, start_time, time, attempt)
SELECT e.file, coalesce(s.job, f.job), 'eval', max(e.start_time, coalesce(s.time, e.start_time)), e.time,
       (SELECT attempt FROM trainer_ranges WHERE first <= coalesce(s.rowid, f.rowid) ORDER BY first DESC LIMIT 1)
FROM (SELECT DISTINCT * FROM trainer_evals) AS e JOIN trainer_points AS f
  ON f.rowid = (SELECT rowid FROM trainer_points AS s WHERE s.file = e.file AND s.run IS e.run ORDER BY s.time LIMIT 1)
LEFT JOIN trainer_points AS s
  ON s.rowid = (SELECT rowid FROM trainer_points AS s WHERE s.file = e.file AND s.run IS e.run AND s.time <= e.time
                ORDER BY s.time DESC LIMIT 1)
GROUP BY 2, e.start_time, e.time; -- exports that overlap have one twice
--@ end
DROP TABLE trainer_evals;
