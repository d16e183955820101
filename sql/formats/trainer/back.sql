-- trainer/back.sql - clocks that went back without a reason that log/hour.sql knows.
--
-- Reads training_lines, whose rowids are in the order of the lines. A part of trainer.sql, which says what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*),
       'lines whose time is more than ten seconds before that of one above: each counts at its own time'
FROM (SELECT file, line, time, fields,
             max(time) OVER (PARTITION BY file ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
      FROM training_lines WHERE time IS NOT NULL AND NOT is_tail) AS l
WHERE latest - time > 10 -- a line that is there twice is listed as that
  AND NOT EXISTS (SELECT 1 FROM training_lines AS p WHERE p.file = l.file AND p.line < l.line AND p.time = l.time AND p.fields = l.fields)
GROUP BY file;
