-- log/stepless.sql - files without a line of a step, beside others that have some: a row says so.
--
-- Reads and changes training_lines(file, time, step), whose rowids are in the order of the lines, a file's without another's between them.
-- What a launch loaded that came to no step counts as its job's. If the option job makes all files runs of one, and one has no clock while
-- others do, nothing tells between which runs it was: its lines are left out. A part of maxtext.sql, megatron.sql and torchtitan.sql, which
-- say what the parameters are.

--@ if (SELECT file FROM training_lines ORDER BY rowid LIMIT 1) <> (SELECT file FROM training_lines ORDER BY rowid DESC LIMIT 1)
DROP TABLE IF EXISTS temp.training_stepless;
CREATE TEMP TABLE training_stepless AS
SELECT file, first, last,
       (SELECT l.time FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.time IS NOT NULL LIMIT 1) AS time
FROM training_extents
WHERE NOT EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'warning', 'no_steps', NULL, count(*),
       'logs without a line of a step, as of a launch that failed or of another rank: what they held is in no category'
         || iif(:job IS NULL OR count(time) = count(*) OR NOT EXISTS (SELECT 1 FROM training_lines WHERE time IS NOT NULL), '',
                '. What those loaded or saved that have no clock counts nowhere')
FROM training_stepless
WHERE EXISTS (SELECT 1 FROM training_lines WHERE step IS NOT NULL) AND file NOT IN (SELECT source FROM mpg_issues WHERE kind = 'no_steps')
GROUP BY NULL HAVING count(*) > 0;
DELETE FROM training_lines
WHERE :job IS NOT NULL AND EXISTS (SELECT 1 FROM training_lines WHERE time IS NOT NULL)
  AND rowid IN (SELECT l.rowid FROM training_stepless AS s CROSS JOIN training_lines AS l ON l.rowid BETWEEN s.first AND s.last
                WHERE s.time IS NULL);
DROP TABLE training_stepless;
--@ end
