-- log/reversed.sql - a log that has its last line first, as services that keep logs print them: it is read from its end.
--
-- Reads and changes training_lines(file, line, time, step), whose rowids are in the order of the lines, a file's without another's between
-- them. From line to line nearly all step numbers of such a file go down, and its times do not go up. Its lines are counted from its end.
-- A part of the scripts of trainers' logs, which say what the parameters are.

--@ if (SELECT file FROM training_lines ORDER BY rowid LIMIT 1) <> (SELECT file FROM training_lines ORDER BY rowid DESC LIMIT 1) OR (SELECT step FROM training_lines WHERE step IS NOT NULL ORDER BY rowid LIMIT 1) > (SELECT step FROM training_lines WHERE step IS NOT NULL ORDER BY rowid DESC LIMIT 1)
DROP TABLE IF EXISTS temp.training_reversed;
CREATE TEMP TABLE training_reversed AS
WITH falling AS ( -- files that may be such
  SELECT * FROM training_extents
  WHERE (SELECT step FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND step IS NOT NULL ORDER BY l.rowid LIMIT 1)
        > (SELECT step FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND step IS NOT NULL ORDER BY l.rowid DESC LIMIT 1)
),
pairs AS (
  SELECT f.first, l.step - lag(l.step) OVER w AS ahead, l.time - lag(l.time) OVER w AS later
  FROM falling AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first AND f.last
  WHERE l.step IS NOT NULL WINDOW w AS (PARTITION BY f.first ORDER BY l.rowid)
),
down AS (
  SELECT first FROM pairs GROUP BY first
  HAVING total(ahead < 0) > 1 AND total(ahead < 0) >= 4 * total(ahead > 0) AND total(later < 0) >= 4 * total(later > 0)
)
SELECT file, first, last, (SELECT max(line) FROM training_lines AS l WHERE l.rowid BETWEEN first AND last) AS lines
FROM falling JOIN down USING (first);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'reversed_lines', NULL, lines,
       'lines from the last to the first, as their step numbers tell: read, and counted, from the end of the file' FROM training_reversed;
-- What stands above is later than all of them: its first line with a clock says until when the log goes on. That clock may be of another
-- zone than the program's.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_reversed);
DELETE FROM training_tail WHERE file IN (SELECT file FROM training_reversed);
INSERT INTO training_tail
WITH latest AS MATERIALIZED (
  SELECT l.file AS file, l.line AS line, l.time AS time
  FROM training_reversed AS r CROSS JOIN training_lines AS l
    ON l.rowid = (SELECT t.rowid FROM training_lines AS t WHERE t.rowid BETWEEN r.first AND r.last AND t.time IS NOT NULL
                  ORDER BY t.rowid LIMIT 1)
),
stamp AS MATERIALIZED (
  SELECT file, line, time, w.value AS first,
         (SELECT iif(d._line < l.line OR NOT w.value, d.time, NULL)
          FROM log_trace(l.file, '(?x) ^ (?: \s* (?: (?: \[ [^\]\s]{1,40} \] :? | \d+ : | [A-Z]{4,8} : | [\w./-]{1,40} (?= \s ) ) \s* ){0,3}? [\[("]?
    | \s* (?: \{ .* )? "(?i: [@_]?time (?: _?stamp | generated )? | asctime | date (?: _?time )? | ts ) "\s*:\s*" | timestamp:\ \x27 )
    (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? )', 'rows', coalesce(:zone, 'UTC')) AS d
          WHERE iif(w.value, d.time IS NOT NULL OR d._line >= l.line, d.time IS NOT NULL AND d._line >= l.line) LIMIT 1) AS kept
  FROM latest AS l CROSS JOIN json_each('[0,1]') AS w
)
SELECT a.file, a.kept - 900 * round((b.kept - b.time) / 900)
FROM stamp AS a JOIN stamp AS b ON b.file = a.file AND NOT b.first
WHERE a.first AND a.kept IS NOT NULL AND abs(b.kept - b.time - 900 * round((b.kept - b.time) / 900)) <= 60;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_said;
UPDATE training_lines SET rowid = training_lines.rowid - r.first - r.last, line = r.lines + 1 - line -- below 0, where no other is
FROM training_reversed AS r WHERE training_lines.rowid BETWEEN r.first AND r.last;
UPDATE training_lines SET rowid = -rowid WHERE EXISTS (SELECT 1 FROM training_reversed) AND rowid < 0;
DROP TABLE training_reversed;
--@ end
