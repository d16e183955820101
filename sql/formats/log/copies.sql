-- log/copies.sql - lines of steps that a log has twice, as where a collector asks for the last hour twice in one: a step that goes back, at
-- a time that it has already, is the same line again.
--
-- Reads and changes training_lines(file, line, time, step). A part of megatron.sql, torchtitan.sql and trainer.sql, which say what the
-- parameters are.

--@ if EXISTS (SELECT 1 FROM training_lines AS l JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file = l.file AND l.time < p.time)
DROP TABLE IF EXISTS temp.training_copies;
CREATE TEMP TABLE training_copies AS
SELECT DISTINCT c.id, c.file, c.line
FROM (SELECT rowid AS id, file, line, time, step, max(step) OVER w AS highest, max(time) OVER w AS latest
      FROM training_lines
      WHERE step IS NOT NULL AND time IS NOT NULL AND file IN ( -- few logs have times that go back
        SELECT l.file FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
        WHERE p.file = l.file AND l.time < p.time)
      WINDOW w AS (PARTITION BY file ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS c
CROSS JOIN training_lines AS p ON p.file = c.file AND p.time = c.time AND p.step = c.step AND p.rowid < c.id
WHERE c.step < c.highest AND c.time < c.latest;
-- The last one of them has the number and the time of the line before them.
INSERT INTO training_copies
SELECT l.rowid, l.file, l.line
FROM (SELECT max(id) AS id, file FROM training_copies GROUP BY file) AS c
CROSS JOIN training_lines AS l ON l.rowid = c.id + 1 AND l.file = c.file
CROSS JOIN training_lines AS p ON p.file = l.file AND p.time = l.time AND p.step = l.step AND p.rowid < l.rowid;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), count(*), 'lines of steps that the log has already, at the same time: they count once'
FROM training_copies GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_copies);
DROP TABLE training_copies;
--@ end
