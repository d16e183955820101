-- trainer/over.sql - how runs ended, and until when their logs go on.
--
-- Reads trainer_placed, trainer_marks, trainer_steps and trainer_tail, changes training_runs. Makes training_tails(job, attempt, time).
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- How the program's own launcher or loop says that it ended: a process that failed outweighs others that did not.
UPDATE training_runs SET own_outcome
  = coalesce(own_outcome, (SELECT max(p.kind) FROM trainer_placed AS p
                           WHERE p.job = training_runs.job AND p.attempt = training_runs.attempt AND p.kind IN ('completed', 'failed')));

-- Until when its last run goes on, if no launch follows that came to no step.
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS
SELECT s.job, s.attempt, t.time
FROM trainer_tail AS t JOIN (SELECT file, job, attempt, max(line) AS line FROM trainer_steps GROUP BY file) AS s ON s.file = t.file
LEFT JOIN (SELECT file, max(line) AS line FROM trainer_marks WHERE kind IN ('init', 'restore') GROUP BY file) AS m ON m.file = s.file
WHERE coalesce(m.line < s.line, 1);
DROP TABLE trainer_tail;
