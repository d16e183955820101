-- tfevents/times.sql - values without a number, or of a time that cannot be, are left out.
--
-- Reads and changes tfevents_told, tfevents_rate, tfevents_took, tfevents_marks and tfevents_files.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.tfevents_missing;
CREATE TEMP TABLE tfevents_missing AS
SELECT 'loss' AS role, rowid AS row, part, line FROM tfevents_told WHERE missing
UNION ALL SELECT 'rate', rowid, part, line FROM tfevents_rate WHERE missing
UNION ALL SELECT 'seconds', rowid, part, line FROM tfevents_took WHERE missing;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p.file, 'data_loss', 'missing_field', min(m.line), count(*), 'summaries of "' || min(p.tag) || '" without a value: left out'
FROM tfevents_missing AS m JOIN tfevents_parts AS p USING (part, role) GROUP BY p.file;
DELETE FROM tfevents_told WHERE rowid IN (SELECT row FROM tfevents_missing WHERE role = 'loss');
DELETE FROM tfevents_rate WHERE rowid IN (SELECT row FROM tfevents_missing WHERE role = 'rate');
DELETE FROM tfevents_took WHERE rowid IN (SELECT row FROM tfevents_missing WHERE role = 'seconds');
DROP TABLE tfevents_missing;

-- What cannot be: no time, or one that is more than ten years from the middle one of the file. This is looked at only if events lie so far
-- apart.
DROP TABLE IF EXISTS temp.tfevents_timed;
CREATE TEMP TABLE tfevents_timed(role, row, of_file, time, line);
INSERT INTO tfevents_timed SELECT 'loss', t.rowid, part / 32, time, line FROM tfevents_wide CROSS JOIN tfevents_told AS t;
INSERT INTO tfevents_timed SELECT 'rate', t.rowid, part / 32, time, line FROM tfevents_wide CROSS JOIN tfevents_rate AS t;
INSERT INTO tfevents_timed SELECT 'seconds', t.rowid, part / 32, time, line FROM tfevents_wide CROSS JOIN tfevents_took AS t;
INSERT INTO tfevents_timed SELECT 'mark', t.rowid, part / 32, time, line FROM tfevents_wide CROSS JOIN tfevents_marks AS t;
DROP TABLE IF EXISTS temp.tfevents_far;
CREATE TEMP TABLE tfevents_far AS
WITH wide AS MATERIALIZED (SELECT 1
                           FROM (SELECT min(time) AS first, max(time) AS last, count(*) > count(time) AS untimed FROM tfevents_timed)
                           WHERE untimed OR first <= 0 OR last - first > 315569520),
middle AS (SELECT of_file, mpg_median(CAST(time / 31556952 AS INTEGER)) AS year
           FROM wide CROSS JOIN tfevents_timed WHERE time > 0 GROUP BY of_file)
SELECT v.role, v.row, v.of_file, s.file, v.line
FROM wide CROSS JOIN tfevents_timed AS v JOIN tfevents_survey AS s USING (of_file) LEFT JOIN middle AS m USING (of_file)
WHERE v.time IS NULL OR v.time <= 0 OR m.year IS NULL OR abs(v.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*),
       'values without a time, or whose time is more than ten years from the middle one: left out'
FROM tfevents_far GROUP BY file;
DELETE FROM tfevents_told WHERE rowid IN (SELECT row FROM tfevents_far WHERE role = 'loss');
DELETE FROM tfevents_rate WHERE rowid IN (SELECT row FROM tfevents_far WHERE role = 'rate');
DELETE FROM tfevents_took WHERE rowid IN (SELECT row FROM tfevents_far WHERE role = 'seconds');
DELETE FROM tfevents_marks WHERE rowid IN (SELECT row FROM tfevents_far WHERE role = 'mark');
DELETE FROM tfevents_timed WHERE EXISTS (SELECT 1 FROM tfevents_far AS f WHERE f.role = tfevents_timed.role AND f.row = tfevents_timed.row);

-- The same of events of other kinds, which say when the file begins and until when it was observed.
DROP TABLE IF EXISTS temp.tfevents_observed;
CREATE TEMP TABLE tfevents_observed AS
SELECT f.of_file, f.file, v.first, v.last, abs(f.begin_time - v.first) > 315569520 AS begins_far,
       abs(f.last_time - v.last) > 315569520 AS ends_far
FROM (SELECT of_file, min(time) AS first, max(time) AS last FROM tfevents_timed GROUP BY of_file) AS v
JOIN tfevents_files AS f USING (of_file);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', NULL, 1,
       'an event of another kind is more than ten years from the values: its time counts as nothing'
FROM tfevents_observed WHERE (begins_far OR ends_far) AND file NOT IN (SELECT file FROM tfevents_far);
UPDATE tfevents_files SET begin_time = iif(begins_far, o.first, begin_time), last_time = iif(ends_far, o.last, last_time)
FROM tfevents_observed AS o WHERE o.of_file = tfevents_files.of_file AND (begins_far OR ends_far);
DROP TABLE tfevents_observed;
DROP TABLE tfevents_far;
DROP TABLE tfevents_timed;
DROP TABLE tfevents_wide;
