-- log/stamps.sql - lines of steps without a clock in a listing of Google Cloud's logging, whose entries have theirs some lines further down.
--
-- `gcloud logging read --format=json` writes a key a line, in the order of the alphabet. Reads and changes training_lines(file, line, time, step), whose
-- rowids are in the order of the lines, a file's without another's between them. Makes training_untimed(file): files in which no line of a step has a clock.
-- A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_untimed;
CREATE TEMP TABLE training_untimed AS
WITH RECURSIVE begins(first, file) AS (
  SELECT * FROM (SELECT rowid, file FROM training_lines ORDER BY rowid LIMIT 1)
  UNION ALL
  SELECT l.rowid, l.file
  FROM begins AS b CROSS JOIN training_lines AS l ON l.rowid = (SELECT n.rowid FROM training_lines AS n WHERE n.rowid > b.first AND n.file <> b.file ORDER BY n.rowid LIMIT 1)
),
ranged AS (SELECT file, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last FROM begins)
SELECT file, (SELECT l.line FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1) AS line
FROM ranged WHERE NOT EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL AND l.time IS NOT NULL);
DELETE FROM training_untimed WHERE line IS NULL; -- without a step
-- Another reading of a file forgets what was said of the first.
DROP TABLE IF EXISTS temp.training_said;
CREATE TEMP TABLE training_said AS SELECT * FROM mpg_issues WHERE source IN (SELECT file FROM training_untimed);
DROP TABLE IF EXISTS temp.training_listings;
CREATE TEMP TABLE training_listings AS
SELECT file FROM training_untimed AS u
WHERE (SELECT d._line < u.line FROM log_trace(u.file, '^\s+"insertId": "(?<entry>)', 'rows') AS d WHERE d.fields IS NOT NULL OR d._line >= u.line LIMIT 1);
DROP TABLE IF EXISTS temp.training_stamps;
CREATE TEMP TABLE training_stamps(file, line, time, PRIMARY KEY (file, line)) WITHOUT ROWID;
INSERT INTO training_stamps
SELECT u.file, d._line, d.time FROM training_listings AS u CROSS JOIN log_trace(u.file, '^\s+"timestamp": "(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"', 'rows') AS d WHERE d.time IS NOT NULL;
UPDATE training_lines SET time = (SELECT s.time FROM training_stamps AS s WHERE s.file = training_lines.file AND s.line > training_lines.line ORDER BY s.line LIMIT 1)
WHERE time IS NULL AND file IN (SELECT file FROM training_listings);
DELETE FROM training_untimed WHERE file IN (SELECT file FROM training_listings);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM training_said AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE training_stamps;
DROP TABLE training_listings;
DROP TABLE training_said;
