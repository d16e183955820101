-- trainer/extents.sql - times and steps of each file that cannot be.
--
-- Reads and changes trainer_points, reads trainer_even. Makes trainer_extents(file, first, last, earliest, latest, lowest, highest,
-- partial, timed), trainer_breaks, the points that do not go on from the one before in the same run, log and job, to a higher step, a
-- later time and line, and trainer_counted, of how many points these are.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP VIEW IF EXISTS temp.trainer_broken;
CREATE TEMP VIEW trainer_broken AS
SELECT c.rowid AS id, c.file, c.job, c.run, c.at, coalesce(c.part, c.file) AS log, p.rowid IS NULL AND c.rowid > 1 AS gap,
       c.file IS NOT p.file AS new_file, c.run IS NOT p.run AS new_run,
       p.rowid IS NULL OR c.file IS NOT p.file OR c.run IS NOT p.run OR c.job IS NOT p.job OR c.part IS NOT p.part OR c.at IS NOT p.at
         OR c.line < p.line OR c.line IS NULL AND p.line IS NOT NULL AS new_stretch,
       coalesce(p.job IS NOT c.job OR coalesce(p.part, p.file) IS NOT coalesce(c.part, c.file) OR p.run IS NOT c.run OR c.step < p.step
                  OR c.resumed, 0) AS is_head,
       coalesce(c.step < p.step, 0) AS goes_back, coalesce(c.step = p.step, 0) AS same_step,
       coalesce(c.time = p.time AND c.step > p.step, 0) AS same_time, coalesce(c.time < p.time, 0) AS is_early
FROM trainer_points AS c LEFT JOIN trainer_points AS p ON p.rowid = c.rowid - 1
WHERE p.rowid IS NULL OR c.file IS NOT p.file OR c.run IS NOT p.run OR c.job IS NOT p.job OR c.part IS NOT p.part OR c.at IS NOT p.at
   OR c.line < p.line OR c.line IS NULL AND p.line IS NOT NULL OR c.step <= p.step OR c.time <= p.time OR c.resumed;
DROP TABLE IF EXISTS temp.trainer_breaks;
CREATE TEMP TABLE trainer_breaks AS SELECT * FROM trainer_broken WHERE id IN (SELECT e.id FROM trainer_even AS e);
INSERT INTO trainer_breaks SELECT b.* FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM trainer_even)) CROSS JOIN trainer_broken AS b;
DROP TABLE IF EXISTS temp.trainer_counted;
CREATE TEMP TABLE trainer_counted AS SELECT count(*) AS n FROM trainer_points;
-- What each stretch of points of one file has.
DROP TABLE IF EXISTS temp.trainer_extents;
CREATE TEMP TABLE trainer_extents(file, first INTEGER, last INTEGER, earliest, latest, lowest, highest, partial, timed);
INSERT INTO trainer_extents(file, first, last)
SELECT file, id, coalesce(lead(id) OVER (ORDER BY id) - 1, (SELECT max(rowid) FROM trainer_points)) FROM trainer_breaks WHERE new_file;
UPDATE trainer_extents SET (earliest, latest, lowest, highest, partial, timed)
  = (SELECT min(time), max(time), min(iif(rank IS NULL, step, NULL)), max(iif(rank IS NULL, step, NULL)), max(time IS NULL OR step IS NULL),
            count(seconds)
     FROM trainer_points WHERE rowid BETWEEN first AND last)
WHERE NOT EXISTS (SELECT 1 FROM trainer_even);
UPDATE trainer_extents SET (earliest, latest, lowest, highest, partial, timed) -- where each goes on from the one before
  = (SELECT f.time, l.time, f.step, l.step, 0, 0 FROM trainer_points AS f CROSS JOIN trainer_points AS l
     WHERE f.rowid = trainer_extents.first AND l.rowid = trainer_extents.last)
WHERE EXISTS (SELECT 1 FROM trainer_even);
-- A year of 1970 is no time of a trainer: a clock in another unit.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT e.file, 'warning', 'impossible_time', min(p.line), count(*),
       'steps of January 1970, as if their times were seconds and not milliseconds: they count as written'
FROM trainer_extents AS e CROSS JOIN trainer_points AS p ON p.rowid BETWEEN e.first AND e.last
WHERE e.file IN (SELECT file FROM trainer_extents GROUP BY file HAVING min(earliest) >= 1000000 AND max(latest) < 10000000)
GROUP BY e.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT e.file, 'warning', 'unnumbered_steps', min(p.line), count(*),
       'values that all are of step ' || min(p.step) || ': they count as one. Number the steps'
FROM trainer_extents AS e CROSS JOIN trainer_points AS p ON p.rowid BETWEEN e.first AND e.last
WHERE p.rank IS NULL AND e.file IN (SELECT file FROM trainer_extents GROUP BY file HAVING min(lowest) = max(highest))
GROUP BY e.file HAVING count(*) > 1;

-- What cannot be: a step without a time, or one that is more than ten years from the middle one: where all are within nine, none is.
--@ if EXISTS (SELECT 1 FROM trainer_extents WHERE partial OR typeof(latest) = 'text') OR EXISTS (SELECT 1 FROM trainer_extents GROUP BY file HAVING max(latest) - min(earliest) > 284012568)
DROP TABLE IF EXISTS temp.trainer_far;
CREATE TEMP TABLE trainer_far AS
WITH middle AS (SELECT file, mpg_median(CAST(time / 31556952 AS INTEGER)) AS year FROM trainer_points GROUP BY file)
SELECT p.rowid AS id, p.file, p.line FROM trainer_points AS p LEFT JOIN middle AS m USING (file)
WHERE p.time IS NULL OR p.step IS NULL OR abs(p.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*),
       'steps without a time or a number, or whose time is more than ten years from the middle one: left out'
FROM trainer_far GROUP BY file;
DELETE FROM trainer_points WHERE rowid IN (SELECT id FROM trainer_far);
DROP TABLE trainer_far;
--@ end
