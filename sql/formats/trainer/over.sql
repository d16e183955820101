-- trainer/over.sql - how runs ended, until when their logs go on, and whether they came further than their last line.
--
-- Reads trainer_placed, trainer_marks, trainer_firsts, trainer_spells and trainer_tail, changes training_runs. Makes
-- training_last(file, job, attempt) and training_tails(job, attempt, time).
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- How the program's own launcher or loop says that it ended: a process that failed outweighs others that did not.
UPDATE training_runs SET own_outcome
  = coalesce(own_outcome, (SELECT max(p.kind) FROM trainer_placed AS p
                           WHERE p.job = training_runs.job AND p.attempt = training_runs.attempt AND p.kind IN ('completed', 'failed')));

DROP TABLE IF EXISTS temp.training_last;
CREATE TEMP TABLE training_last AS SELECT file, job, max(attempt) AS attempt FROM trainer_spells GROUP BY file;

-- Until when its last run goes on, if no launch follows that came to no step.
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS
SELECT s.job, s.attempt, t.time
FROM trainer_tail AS t JOIN (SELECT file, job, attempt, max(last_line) AS line FROM trainer_spells GROUP BY file) AS s ON s.file = t.file
LEFT JOIN (SELECT file, max(line) AS line FROM trainer_marks WHERE kind IN ('init', 'restore') GROUP BY file) AS m ON m.file = s.file
WHERE coalesce(m.line < s.line, 1);
DROP TABLE trainer_tail;

-- A program that prints every tenth step ends between two lines.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.job, 'warning', 'missing_steps', NULL, count(DISTINCT l.attempt),
       'runs that came further than their last line, as a save or the next load tells, the first to step ' || min(f.step)
         || ': the time of those steps is unknown, or in no category'
FROM (SELECT job, attempt, max(last_step) AS step FROM trainer_spells
      WHERE EXISTS (SELECT 1 FROM trainer_placed WHERE kind IN ('saved', 'restore') AND step IS NOT NULL) GROUP BY job, attempt) AS l
JOIN (SELECT p.job, p.attempt - (kind = 'restore') AS attempt, p.step
      FROM trainer_placed AS p LEFT JOIN trainer_firsts AS s
        ON s.job = p.job AND s.attempt = p.attempt
      WHERE kind = 'saved' OR kind = 'restore' AND p.step <= s.step) AS f
  ON f.job = l.job AND f.attempt = l.attempt AND f.step > l.step
GROUP BY l.job;
