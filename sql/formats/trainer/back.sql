-- trainer/back.sql - clocks that went back without a reason that log/hour.sql knows.
--
-- Reads training_lines, whose rowids are in the order of the lines, and training_back, and drops that.
-- A part of trainer.sql, which says what the parameters are.

--@ if EXISTS (SELECT 1 FROM training_back)
-- A line of a step that is there twice is listed as that.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*),
       'lines whose time is more than ten seconds before that of one above: each counts at its own time'
FROM (SELECT file, line, time, step, min(line) OVER (PARTITION BY file, time, fields) AS first,
             max(time) OVER (PARTITION BY file ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
      FROM training_lines WHERE time IS NOT NULL AND NOT is_tail AND file IN (SELECT b.file FROM training_back AS b))
WHERE latest - time > 10 AND (line = first OR step IS NULL) GROUP BY file;
--@ end
DROP TABLE training_back;
