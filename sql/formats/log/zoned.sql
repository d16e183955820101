-- log/zoned.sql - lines whose clock has no zone, and to which what kept the log, as a container's runtime, has put a time that has one.
--
-- Reads and changes training_lines(file, line, time, is_tail). Each line has the clock of its trainer, which is as fine as the other and no
-- later than it, but may be of any zone. A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_zoned;
CREATE TEMP TABLE training_zoned AS
SELECT l.file AS file, l.line AS line, l.time AS time, NULL AS kept
FROM (SELECT (SELECT t.rowid FROM training_lines AS t -- a clock is seldom far from a file's first line
              WHERE t.rowid BETWEEN b.rowid AND b.rowid + 20 AND t.file = b.file AND t.time IS NOT NULL AND NOT t.is_tail
              ORDER BY t.rowid LIMIT 1) AS id
      FROM training_lines AS b WHERE b.file IS NOT (SELECT p.file FROM training_lines AS p WHERE p.rowid = b.rowid - 1)) AS first
CROSS JOIN training_lines AS l ON l.rowid = first.id;
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_zoned);
UPDATE training_zoned SET kept = (SELECT d.time FROM log_trace(file, '(?x) ^ (?: \[ [^\]\s]{1,200} \]\  )? (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) [\ \t]
  | ^ \s* \{ .* "(?: @?timestamp | time )"\s*:\s* " (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) "', 'rows') AS d
WHERE d._line >= training_zoned.line LIMIT 1);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_said;
-- Zones differ by quarters of an hour, 13 h at most, and a line is kept within a minute; by half hours, if it was buffered for up to ten.
DELETE FROM training_zoned WHERE kept IS NULL OR abs(kept - time) > 46800;
UPDATE training_zoned SET kept = kept - time;
UPDATE training_zoned
SET kept = CASE WHEN CAST(kept + 86405 AS INTEGER) % 900 <= 65 THEN 900 * (CAST(kept + 86405 AS INTEGER) / 900) - 86400
                WHEN abs(kept) > 3000 AND CAST(kept + 86405 AS INTEGER) % 1800 <= 605
                  THEN 1800 * (CAST(kept + 86405 AS INTEGER) / 1800) - 86400 ELSE 0 END;
DELETE FROM training_zoned WHERE kept = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT z.file, 'warning', 'conflict', z.line, count(l.time),
       'lines whose clock has no zone and is ' || printf('%+g', -z.kept / 3600.0)
         || ' h from the time with a zone before it: they count at the latter''s hours'
FROM training_zoned AS z JOIN training_lines AS l ON l.file = z.file AND NOT l.is_tail GROUP BY z.file;
UPDATE training_lines SET time = time + (SELECT z.kept FROM training_zoned AS z WHERE z.file = training_lines.file)
WHERE NOT is_tail AND file IN (SELECT file FROM training_zoned);
DROP TABLE training_zoned;
