-- trainer/extents.sql - times and steps of each file that cannot be.
--
-- Reads and changes trainer_points. Makes trainer_extents(file, first, last, earliest, latest, lowest, highest).
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- What each stretch of points of one file has.
DROP TABLE IF EXISTS temp.trainer_extents;
CREATE TEMP TABLE trainer_extents AS
SELECT *, (SELECT min(time) FROM trainer_points WHERE rowid BETWEEN first AND last) AS earliest,
       (SELECT max(time) FROM trainer_points WHERE rowid BETWEEN first AND last) AS latest,
       (SELECT min(step) FROM trainer_points WHERE rowid BETWEEN first AND last AND rank IS NULL) AS lowest,
       (SELECT max(step) FROM trainer_points WHERE rowid BETWEEN first AND last AND rank IS NULL) AS highest
FROM (SELECT file, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM trainer_points)) AS last
      FROM (SELECT c.rowid AS first, c.file FROM trainer_points AS c LEFT JOIN trainer_points AS p ON p.rowid = c.rowid - 1
            WHERE p.file IS NOT c.file));
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
--@ if EXISTS (SELECT 1 FROM trainer_points WHERE time IS NULL OR step IS NULL OR typeof(time) = 'text') OR EXISTS (SELECT 1 FROM trainer_extents GROUP BY file HAVING max(latest) - min(earliest) > 284012568)
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
