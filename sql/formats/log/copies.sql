-- log/copies.sql - lines that a log has twice, as where a collector asks for the last hour twice in one.
--
-- A step whose number goes back, at a time that it has already, is a copy. A line without a step, as of a save, is a copy if it stands as
-- far from a copied step as another such line from the first one. Reads and changes training_lines(file, line, time, step), whose rowids
-- are in the order of the lines. A part of megatron.sql, nanogpt.sql, torchtitan.sql and trainer.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_falls;
CREATE TEMP TABLE training_falls AS -- few logs have times that go back
SELECT l.file FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
WHERE l.time IS NOT NULL AND p.file = l.file
  AND l.time < iif(p.time IS NOT NULL, p.time, (SELECT iif(q.file = l.file, q.time, NULL)
                                                FROM training_lines AS q
                                                WHERE q.rowid < l.rowid AND (q.file <> l.file OR q.time IS NOT NULL)
                                                ORDER BY q.rowid DESC LIMIT 1));
--@ if EXISTS (SELECT 1 FROM training_falls)
DROP TABLE IF EXISTS temp.training_copies;
CREATE TEMP TABLE training_copies(id INTEGER PRIMARY KEY, file, line, first);
INSERT INTO training_copies
SELECT c.id, c.file, c.line, min(p.rowid)
FROM (SELECT rowid AS id, file, line, time, step, max(step) OVER w AS highest, max(time) OVER w AS latest
      FROM training_lines
      WHERE step IS NOT NULL AND time IS NOT NULL AND file IN (SELECT file FROM training_falls)
      WINDOW w AS (PARTITION BY file ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS c
CROSS JOIN training_lines AS p ON p.file = c.file AND p.time = c.time AND p.step = c.step AND p.rowid < c.id
WHERE c.step < c.highest AND c.time < c.latest GROUP BY c.id;
-- The last one of them has the number and the time of the line before them.
INSERT OR IGNORE INTO training_copies
SELECT l.rowid, l.file, l.line, p.rowid
FROM (SELECT file, max(id) AS id FROM training_copies GROUP BY file) AS c
CROSS JOIN training_lines AS l ON l.file = c.file
  AND l.rowid = (SELECT n.rowid FROM training_lines AS n WHERE n.rowid > c.id AND n.step IS NOT NULL ORDER BY n.rowid LIMIT 1)
CROSS JOIN training_lines AS p ON p.file = l.file AND p.time = l.time AND p.step = l.step AND p.rowid < l.rowid;
-- Lines without a step.
INSERT OR IGNORE INTO training_copies
WITH beside AS (
  SELECT l.rowid AS id, file, line, step, max(iif(step IS NULL, NULL, l.rowid)) OVER (PARTITION BY file ORDER BY l.rowid) AS before,
         min(iif(step IS NULL, NULL, l.rowid)) OVER (PARTITION BY file ORDER BY l.rowid DESC) AS after
  FROM (SELECT 1 FROM training_copies LIMIT 1) CROSS JOIN training_lines AS l WHERE file IN (SELECT file FROM training_copies)
)
SELECT l.id, l.file, l.line, NULL
FROM beside AS l CROSS JOIN training_copies AS c ON c.id IN (l.before, l.after)
CROSS JOIN training_lines AS o ON o.rowid = l.id - (c.id - c.first)
WHERE l.step IS NULL AND o.file = l.file AND o.step IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), count(*), 'lines that the log has already, of the same steps and times: they count once'
FROM training_copies GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_copies);
DROP TABLE training_copies;
--@ end
DROP TABLE training_falls;
