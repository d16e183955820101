-- match/outputs.sql - logs that a scheduler says to be a job's output: makes written_as(file, job, name, jobs), of logs and jobs.
--
-- A part of match.sql. all_aliases has the path of each output behind a ">". Files are copied to other places, so the whole path need not
-- be the same. What must be the same is the file's name and its folder's; a folder like "logs" is passed over, and the one above it counts
-- ("exp7/logs/train.log"). If several outputs fit, the one with most folders in common is it. Several jobs may write one file in turn.

CREATE TABLE written_as(file INTEGER, job TEXT, name TEXT, jobs INTEGER, depth INTEGER);
--@ if EXISTS (SELECT 1 FROM all_aliases WHERE alias GLOB '>*')
CREATE TABLE written AS
WITH log AS (SELECT file, path, replace(path, rtrim(path, replace(path, '/', '')), '') AS name
             FROM file WHERE source IS NULL AND format IS NOT NULL),
output AS (SELECT DISTINCT job, substr(alias, 2) AS path FROM all_aliases JOIN source USING (source) WHERE rank = 1 AND alias GLOB '>*')
SELECT file, NULL AS job, path FROM log
UNION ALL
SELECT NULL, job, path FROM output
WHERE replace(path, rtrim(path, replace(path, '/', '')), '') IN (SELECT name FROM log);
INSERT INTO written_as
WITH RECURSIVE up(file, job, path, head, depth) AS ( -- depth: how many folders from that one on
  SELECT file, job, path, rtrim(rtrim(path, replace(path, '/', '')), '/'), 0 FROM written
  UNION ALL
  SELECT file, job, path, rtrim(rtrim(head, replace(head, '/', '')), '/'),
         iif(depth > 0, depth + 1, NOT EXISTS (SELECT 1 FROM passed_over
                                               WHERE lower(substr(head, 1 + length(rtrim(head, replace(head, '/', ''))))) GLOB pattern))
  FROM up WHERE head <> '' AND depth < 4
)
SELECT file, job, name, count(job) OVER (PARTITION BY name), depth
FROM (SELECT DISTINCT file, job, ltrim(substr(path, 1 + length(head)), '/') AS name, depth FROM up WHERE depth > 0);
DELETE FROM written_as WHERE file IS NOT NULL AND jobs = 0; -- of a log the longest name that a job has as well
DELETE FROM written_as WHERE file IS NOT NULL
  AND rowid NOT IN (SELECT row FROM (SELECT rowid AS row, max(depth) FROM written_as WHERE file IS NOT NULL GROUP BY file));
CREATE INDEX written_by ON written_as(name) WHERE job IS NOT NULL;
DROP TABLE written;
--@ end
DROP TABLE passed_over;
