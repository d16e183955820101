-- log/begun.sql - when a log began whose lines of steps have no clock: as :starts says, or at the first line before them that has one,
-- whosever it is.
--
-- Reads training_lines(file, line, time, step), training_untimed(file) and training_heads(log, file). Makes training_begun(file, time) and
-- source_told. A launcher's or a compiler's warning is such a line. Of a log that was rotated the first part is looked at. A part of the
-- scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_begun;
CREATE TEMP TABLE training_begun(file TEXT PRIMARY KEY, time);
--@ if EXISTS (SELECT 1 FROM training_untimed)
DELETE FROM training_untimed WHERE :start IS NOT NULL OR file IN (SELECT key FROM json_each(coalesce(:starts, '{}')));
UPDATE training_untimed SET line = NULL;
UPDATE training_untimed SET line = f.line -- of its first step: each file is gone through once
FROM (SELECT file, (SELECT l.line FROM training_lines AS l
                    WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1) AS line
      FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM training_untimed)) CROSS JOIN training_extents) AS f
WHERE f.file = training_untimed.file;
DELETE FROM training_untimed WHERE line IS NULL; -- a part of another log
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues
WHERE source IN (SELECT file FROM training_untimed UNION ALL SELECT file FROM training_heads);
INSERT INTO training_begun
SELECT file, time
FROM (SELECT u.file AS file, (SELECT iif(d._line < u.line, d.time, NULL)
        FROM log_trace(coalesce((SELECT h.file FROM training_heads AS h WHERE h.log = u.file), u.file),
                       '(?x) ^ \s* (?: (?: \[ [^\]\s]{1,40} \] :? | \d+ : | [A-Z]{4,8} : | [\w./-]{1,40} (?= \s ) ) \s* ){0,3}?
          (?: [\[(]? (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) | \[ (?<time> \d{8}\ \d\d:\d\d:\d\d ) \] | [IWEF] (?<yearless>) (?<time> \d{4}\ \d\d:\d\d:\d\d\.\d+ ) )', 'rows', coalesce(:zone, 'UTC'), coalesce(:year, 1970)) AS d
        WHERE d.time IS NOT NULL AND (:year IS NOT NULL OR log_group(d._record, 'yearless') IS NULL) OR d._line >= u.line LIMIT 1) AS time
      FROM training_untimed AS u)
WHERE time IS NOT NULL;
CREATE TEMP TABLE IF NOT EXISTS source_told(path, parameter, what, told);
INSERT INTO temp.source_told SELECT file, NULL, 'start', 'the first line that has a clock' FROM training_begun;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_said;
--@ end
INSERT INTO training_begun SELECT key, value FROM json_each(coalesce(:starts, '{}'));
DROP TABLE training_untimed;
DROP TABLE training_heads;
