-- log/far.sql - lines whose time cannot be are left out of training_lines(file, line, time).
--
-- A part of megatron.sql, torchtitan.sql and maxtext.sql, which say what the parameters are.

-- What cannot be: a time that is more than ten years from the middle one of its log; its line counts as nothing.
--@ if (SELECT max(time) - min(time) FROM training_lines) > 315569520
DROP TABLE IF EXISTS temp.training_far;
CREATE TEMP TABLE training_far AS
WITH wide AS MATERIALIZED (SELECT file FROM training_lines GROUP BY file HAVING max(time) - min(time) > 315569520),
middle AS (SELECT file, mpg_median(CAST(time / 31556952 AS INTEGER)) AS year
           FROM training_lines WHERE file IN (SELECT file FROM wide) GROUP BY file)
SELECT l.rowid AS row, l.file, l.line AS line FROM middle AS m CROSS JOIN training_lines AS l ON l.file = m.file
WHERE abs(l.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'lines whose time is more than ten years from the middle one: left out'
FROM training_far GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT row FROM training_far);
DROP TABLE training_far;
--@ end
