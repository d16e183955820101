-- log/extents.sql - where each file begins and ends within training_lines.
--
-- Makes the view training_extents(file, first, last), of rowids. Those of training_lines(file) are in the order of the lines, a file's
-- without another's between them. A part of the scripts of trainers' logs, which say what the parameters are.

DROP VIEW IF EXISTS temp.training_extents;
CREATE TEMP VIEW training_extents AS
WITH RECURSIVE begins(first, file) AS (
  SELECT * FROM (SELECT rowid, file FROM training_lines ORDER BY rowid LIMIT 1)
  UNION ALL
  SELECT l.rowid, l.file
  FROM begins AS b CROSS JOIN training_lines AS l
    ON l.rowid = (SELECT n.rowid FROM training_lines AS n WHERE n.rowid > b.first AND n.file <> b.file ORDER BY n.rowid LIMIT 1)
  WHERE b.file <> (SELECT file FROM training_lines ORDER BY rowid DESC LIMIT 1)
)
SELECT file, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last FROM begins;
