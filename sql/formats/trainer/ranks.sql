-- trainer/ranks.sql - of records that name their rank those of the lowest, and of records that name their epoch what number a step has in
-- the whole run.
--
-- Reads and changes trainer_points, reads trainer_has and trainer_even. A part of trainer.sql, which says what the parameters are and runs
-- the parts in order.

-- All ranks of a run do the same steps at the same time.
--@ if (SELECT max(ranks) FROM trainer_has)
DROP TABLE IF EXISTS temp.trainer_first_rank;
CREATE TEMP TABLE trainer_first_rank AS
SELECT file, run, min(rank) AS rank FROM trainer_points
WHERE typeof(rank) = 'integer' OR rank NOT GLOB '*[^0-9]*' GROUP BY file, run HAVING min(rank + 0) < max(rank + 0);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT h.file, 'info', 'parallel_files', min(h.line), count(*), 'records of a rank whose run has a lower one: left out'
FROM trainer_first_rank AS f CROSS JOIN trainer_points AS h ON h.file = f.file AND h.run IS f.run WHERE h.rank + 0 > f.rank + 0
GROUP BY h.file;
DELETE FROM trainer_points
WHERE rank IS NOT NULL AND EXISTS (SELECT 1 FROM trainer_first_rank AS f
                                   WHERE f.file = trainer_points.file AND f.run IS trainer_points.run
                                     AND trainer_points.rank + 0 > f.rank + 0);
DROP TABLE trainer_first_rank;
--@ end

-- Numbers that go back wherever the epoch goes on, and nowhere else go on with it, are those of the epoch. All epochs are as long as the
-- longest that is told.
DROP TABLE IF EXISTS temp.trainer_epoched;
CREATE TEMP TABLE trainer_epoched AS
SELECT p.rowid AS id, file, run, line, epoch + 0 AS epoch, step
FROM (SELECT 1 FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM trainer_even)) CROSS JOIN trainer_points AS p
      CROSS JOIN trainer_points AS q ON q.rowid = p.rowid - 1 WHERE p.step <= q.step AND p.epoch + 0 > q.epoch + 0 LIMIT 1)
CROSS JOIN trainer_points AS p
WHERE epoch IS NOT NULL AND epoch + 0 = CAST(epoch AS INTEGER) AND epoch NOT GLOB '*[^0-9.]*';
DROP TABLE IF EXISTS temp.trainer_epochs;
CREATE TEMP TABLE trainer_epochs AS
SELECT file, run, min(iif(epoch > before AND step <= lower, line, NULL)) AS line, total(epoch > before AND step <= lower) AS n,
       min(epoch) AS first, max(step) - min(step) + coalesce(min(iif(epoch = before AND step > lower, step - lower, NULL)), 1) AS steps
FROM (SELECT *, lag(epoch) OVER w AS before, lag(step) OVER w AS lower
      FROM trainer_epoched WINDOW w AS (PARTITION BY file, run ORDER BY id))
GROUP BY file, run HAVING total(epoch > before AND step <= lower) > 0 AND total(epoch > before AND step > lower) = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_steps', min(line), CAST(sum(n) AS INTEGER),
       'epochs in which the numbers of steps begin anew: they count on through the run'
FROM trainer_epochs GROUP BY file;
UPDATE trainer_points SET step = step + (epoch - e.first) * e.steps
FROM trainer_epochs AS e WHERE e.file = trainer_points.file AND e.run IS trainer_points.run
  AND trainer_points.rowid IN (SELECT id FROM trainer_epoched);
DROP TABLE trainer_epoched;
DROP TABLE trainer_epochs;
