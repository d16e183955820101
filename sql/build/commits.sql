-- build/commits.sql - adds new commits to the table; one that is durable takes the place of the one that was not.
--
-- A part of build.sql. Reads the tables of records.sql.

-- Jobs whose commits are not those that the tables have of them. Empty if the tables have no spans. A job of another cluster may get the
-- name of one that comes in as well: then both are one.
--@ part added
DROP TABLE IF EXISTS temp.mpg_new_commits;
CREATE TEMP TABLE mpg_new_commits(job TEXT PRIMARY KEY, n BIGINT, low BIGINT, high BIGINT) WITHOUT ROWID;
INSERT INTO temp.mpg_new_commits(job, n, low, high)
SELECT CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT), r.n, r.low, r.high
FROM (SELECT job, count(*) AS n, sum(id & 4294967295) AS low, sum(id >> 32) AS high
      -- as one table: in the order of jobs
      FROM trace_records((SELECT s.source FROM temp.mpg_sources AS s WHERE s.files AND EXISTS (SELECT 1 FROM temp.mpg_incoming)))
      WHERE record = 'commits' GROUP BY job) AS r
WHERE true -- or ON would belong to a join
ON CONFLICT (job) DO UPDATE SET n = n + excluded.n, low = low + excluded.low, high = high + excluded.high;
INSERT INTO temp.mpg_new_commits(job, n, low, high)
SELECT CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT), r.n, r.low, r.high
FROM (SELECT r.job, count(*) AS n, sum(r.id & 4294967295) AS low, sum(r.id >> 32) AS high
      FROM temp.mpg_sources AS s, mpg_records(s.source) AS r
      WHERE NOT s.files AND r.record = 'commits' AND EXISTS (SELECT 1 FROM temp.mpg_incoming) GROUP BY r.job) AS r
WHERE true
ON CONFLICT (job) DO UPDATE SET n = n + excluded.n, low = low + excluded.low, high = high + excluded.high;
DELETE FROM temp.mpg_new_commits
WHERE job IN (SELECT k.job FROM temp.mpg_kept_logs AS k) OR (n, low, high) IS (SELECT count(*), sum(id & 4294967295), sum(id >> 32)
                         FROM main.commits AS c WHERE c.job = mpg_new_commits.job);
INSERT OR IGNORE INTO main.commits(id, job, step, snapshot_us, durable_us)
SELECT * FROM temp.mpg_commits
WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_incoming) OR job IN (SELECT n.job FROM temp.mpg_new_commits AS n);

DROP INDEX IF EXISTS main.commits_by_job; -- of an earlier version
DROP TABLE IF EXISTS temp.mpg_open_commits;
CREATE TEMP TABLE mpg_open_commits AS
SELECT job, step, snapshot_us, id FROM main.commits
WHERE durable_us IS NULL
  AND (NOT EXISTS (SELECT 1 FROM temp.mpg_incoming) OR job IN (SELECT n.job FROM temp.mpg_new_commits AS n));
CREATE INDEX temp.mpg_open_commits_key ON mpg_open_commits(job, step, snapshot_us, id);
DELETE FROM main.commits WHERE (job, id) IN (
  SELECT o.job, o.id
  FROM (SELECT DISTINCT job FROM temp.mpg_open_commits) AS t
  CROSS JOIN main.commits AS c ON c.job = t.job
  CROSS JOIN temp.mpg_open_commits AS o ON o.job = c.job AND o.step IS c.step AND o.snapshot_us IS c.snapshot_us
  WHERE c.durable_us IS NOT NULL);
DROP TABLE temp.mpg_open_commits;
