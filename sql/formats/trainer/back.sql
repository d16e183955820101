-- trainer/back.sql - clocks that went back without a reason that log/hour.sql knows.
--
-- Reads training_lines, whose rowids are in the order of the lines. A part of trainer.sql, which says what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*),
       'lines whose time is more than ten seconds before that of one above: each counts at its own time'
FROM (SELECT file, line, time, max(time) OVER (PARTITION BY file ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
      FROM training_lines WHERE time IS NOT NULL AND NOT is_tail)
WHERE latest - time > 10 GROUP BY file;
