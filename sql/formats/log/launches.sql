-- log/launches.sql - launches after the last step of their job, which came to none and loaded nothing that counts as a run.
--
-- Reads training_ranges(job, attempt, first, last), what each launch told as rowids of training_lines(file, line, step), and
-- training_runs(job, attempt). Makes training_launches(job, file, line). A part of megatron.sql, torchtitan.sql and nanogpt.sql, which say
-- what the parameters are.

DROP TABLE IF EXISTS temp.training_launches;
CREATE TEMP TABLE training_launches AS
WITH told AS (
  SELECT r.job, r.attempt, r.first, EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN r.first AND r.last
                                              AND l.step IS NOT NULL) AS stepped
  FROM training_ranges AS r
)
SELECT t.job, t.attempt, l.file, l.line
FROM (SELECT *, max(iif(stepped, attempt, NULL)) OVER (PARTITION BY job) AS last FROM told) AS t
CROSS JOIN training_lines AS l ON l.rowid = t.first
WHERE t.attempt > t.last;
DELETE FROM training_launches
WHERE rowid IN (SELECT a.rowid FROM training_launches AS a JOIN training_runs AS r USING (job, attempt));
