-- log/reversed.sql - a log that has its last line first, as services that keep logs print them: it is read from its end.
--
-- Reads and changes training_lines(file, line, time, step), whose rowids are in the order of the lines, a file's without another's between
-- them. From line to line nearly all step numbers of such a file go down, and its times do not go up. Its lines are counted from its end.
-- A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_reversed;
CREATE TEMP TABLE training_reversed AS
WITH ends AS (
  SELECT 1 WHERE (SELECT step FROM training_lines WHERE step IS NOT NULL ORDER BY rowid LIMIT 1)
                 > (SELECT step FROM training_lines WHERE step IS NOT NULL ORDER BY rowid DESC LIMIT 1)
),
pairs AS (
  SELECT l.file, l.step - lag(l.step) OVER w AS ahead, l.time - lag(l.time) OVER w AS later
  FROM ends CROSS JOIN training_lines AS l WHERE l.step IS NOT NULL WINDOW w AS (PARTITION BY l.file ORDER BY l.rowid)
),
down AS (
  SELECT file FROM pairs GROUP BY file
  HAVING total(ahead < 0) > 1 AND total(ahead < 0) >= 4 * total(ahead > 0) AND total(later < 0) >= 4 * total(later > 0)
)
SELECT l.file, min(l.rowid) + max(l.rowid) AS ends, max(l.line) AS lines, count(*) AS n
FROM down CROSS JOIN training_lines AS l WHERE l.file = down.file GROUP BY l.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'reversed_lines', NULL, n, 'lines from the last to the first, as their step numbers tell: read, and counted, from the end of the file' FROM training_reversed;
UPDATE training_lines SET rowid = training_lines.rowid - r.ends, line = r.lines + 1 - line FROM training_reversed AS r WHERE r.file = training_lines.file; -- below 0, where no other is
UPDATE training_lines SET rowid = -rowid WHERE EXISTS (SELECT 1 FROM training_reversed) AND rowid < 0;
DROP TABLE training_reversed;
