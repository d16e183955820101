-- build/renamed.sql - jobs that the tables have by another name get the one of this reading.
--
-- If a folder is of one cluster, its jobs have plain ids; if it is of several, CLUSTER/ID. So a job of the tables may come again with the
-- other form. Two names are of one job if both hold the same pool from the same time on, or wait since the same time. If one reading has
-- both names, they are two jobs. A part of build.sql. Reads what comes in and the tables of records.sql, before added.sql adds the one to
-- the other.

DROP TABLE IF EXISTS temp.mpg_renamed;
CREATE TEMP TABLE mpg_renamed(was TEXT, job TEXT, PRIMARY KEY (was, job)) WITHOUT ROWID;
INSERT INTO temp.mpg_renamed
WITH cluster AS (
  SELECT pool AS name FROM temp.mpg_pools WHERE EXISTS (SELECT 1 FROM main.jobs)
  UNION SELECT substr(pool, 1, instr(pool, '/') - 1) FROM temp.mpg_pools WHERE instr(pool, '/') AND EXISTS (SELECT 1 FROM main.jobs)
),
news AS (
  SELECT o.record, o.job, instr(o.job, '/') AS slash, o.pool, o.start_us, o.submit_us
  FROM (SELECT row FROM temp.mpg_fresh WHERE EXISTS (SELECT 1 FROM main.jobs)) AS f CROSS JOIN temp.mpg_others AS o ON o.rowid = f.row
  WHERE o.record = 'allocations'
  UNION ALL
  SELECT record, job, instr(job, '/'), pool, start_us, submit_us FROM temp.mpg_others
  WHERE record = 'jobs' AND EXISTS (SELECT 1 FROM main.jobs) AND job NOT IN (SELECT j.job FROM main.jobs AS j)
),
named AS (
  SELECT record, job, substr(job, slash + 1) AS was, pool, start_us, submit_us FROM news
  WHERE slash AND (substr(job, 1, slash - 1) IN (SELECT name FROM cluster)
                   OR rtrim(rtrim(substr(job, 1, slash - 1), '0123456789'), '-') IN (SELECT name FROM cluster)) -- the second of a name
  UNION
  SELECT n.record, n.job, c.name || '/' || n.job, n.pool, n.start_us, n.submit_us
  FROM (SELECT min(name) AS name FROM (SELECT DISTINCT substr(name, 1, instr(name || '/', '/') - 1) AS name FROM cluster)
        GROUP BY NULL HAVING count(*) = 1) AS c
  CROSS JOIN news AS n
)
SELECT a.job, n.job FROM named AS n CROSS JOIN main.allocations AS a ON a.job = n.was AND a.start_us = n.start_us AND a.pool = n.pool
WHERE n.record = 'allocations'
UNION
SELECT j.job, n.job FROM named AS n CROSS JOIN main.jobs AS j ON j.job = n.was AND j.submit_us = n.submit_us
WHERE n.record = 'jobs' AND NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = j.job);
DROP TABLE IF EXISTS temp.mpg_folder;
CREATE TEMP TABLE mpg_folder AS
SELECT source, iif(source GLOB '*[*?[]*', '', rtrim(source, replace(source, '/', ''))) AS name
FROM temp.mpg_sources WHERE files AND source IS NOT NULL;
DROP TABLE IF EXISTS temp.mpg_renamed_logs; -- that were jobs by themselves, with pools of their own, and are found to be of another
CREATE TEMP TABLE mpg_renamed_logs AS
SELECT DISTINCT j.job AS was, coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = t.job), t.job) AS job
FROM (SELECT source FROM temp.mpg_folder AS f
      -- is named after a file
      WHERE EXISTS (SELECT 1 FROM main.jobs WHERE substr(job, 1, length(f.name)) = f.name AND (f.name <> '' OR job GLOB '*.*')
                                                AND job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.job IS NOT NULL))) AS s
CROSS JOIN trace_sources(s.source) AS t
CROSS JOIN main.jobs AS j ON j.job = t.file OR (j.job > t.file || '#' AND j.job < t.file || '$')
WHERE t.job <> t.file AND j.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.job IS NOT NULL);
-- Records that call their job by a name of their own, as goodput logs do: the job is found under its other name by the time of its first
-- span.
DROP TABLE IF EXISTS temp.mpg_own_names;
CREATE TEMP TABLE mpg_own_names AS
SELECT j.job, (SELECT min(s.start_us) FROM main.spans AS s WHERE s.job = j.job) AS began
FROM (SELECT 1 FROM temp.mpg_sources WHERE files LIMIT 1) CROSS JOIN main.jobs AS j
WHERE j.job NOT GLOB '*/*' AND j.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.job IS NOT NULL) AND j.submit_us IS NULL
  AND EXISTS (SELECT 1 FROM main.spans);
INSERT INTO temp.mpg_renamed_logs
SELECT w.job, min(n.job)
FROM (SELECT * FROM temp.mpg_own_names WHERE began IS NOT NULL) AS w
JOIN temp.mpg_incoming AS n ON n.start_us = w.began
WHERE w.job NOT IN (SELECT r.was FROM temp.mpg_renamed_logs AS r) GROUP BY w.job HAVING count(*) = 1;
DROP TABLE temp.mpg_own_names;
-- A log that was a job by itself, and whose file was packed, rotated or moved: it is found again by what it held and by the time of its
-- first span.
DROP TABLE IF EXISTS temp.mpg_gone_logs;
CREATE TEMP TABLE mpg_gone_logs AS
SELECT a.job, a.start_us, a.chips, a.pool
FROM (SELECT name FROM temp.mpg_folder WHERE EXISTS (SELECT 1 FROM main.spans)) AS f
CROSS JOIN main.jobs AS j ON substr(j.job, 1, length(f.name)) = f.name AND j.job GLOB '*.*'
  AND j.job NOT IN (SELECT i.job FROM temp.mpg_others AS i WHERE i.job IS NOT NULL)
CROSS JOIN main.allocations AS a ON a.job = j.job;
DROP TABLE IF EXISTS temp.mpg_moved_logs;
CREATE TEMP TABLE mpg_moved_logs AS
SELECT w.job AS was, n.job, (SELECT min(s.start_us) FROM main.spans AS s WHERE s.job = w.job) AS began
FROM temp.mpg_gone_logs AS w JOIN temp.mpg_others AS n ON n.start_us = w.start_us AND n.chips = w.chips AND n.pool IS w.pool
WHERE n.record = 'allocations' AND n.job GLOB '*.*' AND n.job NOT IN (SELECT j.job FROM main.jobs AS j)
GROUP BY w.job, n.job;
DELETE FROM temp.mpg_moved_logs
WHERE began IS NULL OR job IN (SELECT m.job FROM temp.mpg_moved_logs AS m GROUP BY m.job HAVING count(*) > 1);
DROP TABLE IF EXISTS temp.mpg_begun_logs; -- those that are files
CREATE TEMP TABLE mpg_begun_logs AS
SELECT i.job, i.start_us AS began FROM temp.mpg_incoming AS i WHERE i.job IN (SELECT m.job FROM temp.mpg_moved_logs AS m);
DELETE FROM temp.mpg_begun_logs
WHERE iif(job GLOB '*#[0-9]*', rtrim(rtrim(job, '0123456789'), '#'), job) NOT IN (
  SELECT t.file FROM temp.mpg_folder AS f CROSS JOIN trace_sources(f.source) AS t WHERE EXISTS (SELECT 1 FROM temp.mpg_moved_logs));
DELETE FROM temp.mpg_moved_logs
WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_begun_logs AS b WHERE b.job = mpg_moved_logs.job AND b.began = mpg_moved_logs.began);
INSERT INTO temp.mpg_renamed_logs
SELECT was, min(job) FROM temp.mpg_moved_logs WHERE was NOT IN (SELECT r.was FROM temp.mpg_renamed_logs AS r)
GROUP BY was HAVING count(*) = 1;
DROP TABLE temp.mpg_begun_logs;
DROP TABLE temp.mpg_folder;
DROP TABLE temp.mpg_gone_logs;
DROP TABLE temp.mpg_moved_logs;
INSERT OR IGNORE INTO temp.mpg_renamed SELECT was, job FROM temp.mpg_renamed_logs;
DELETE FROM temp.mpg_renamed
WHERE was IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.job IS NOT NULL AND EXISTS (SELECT 1 FROM temp.mpg_renamed));

-- These jobs get the name that this reading has. What this reading tells anew is deleted: allocations of the same start, and everything
-- from its first span on.
DROP TABLE IF EXISTS temp.mpg_renamed_held;
CREATE TEMP TABLE mpg_renamed_held AS
SELECT r.was, o.job, o.pool, o.start_us
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.mpg_renamed)) CROSS JOIN temp.mpg_others AS o
CROSS JOIN temp.mpg_renamed AS r ON r.job = o.job
WHERE o.record = 'allocations';
CREATE INDEX temp.mpg_renamed_held_of ON mpg_renamed_held(was, pool, start_us);
DELETE FROM main.capacity
WHERE (pool, chips, start_us)
    IN (SELECT a.pool, a.chips, a.start_us FROM temp.mpg_renamed_logs AS l CROSS JOIN main.allocations AS a ON a.job = l.was)
  AND id NOT IN (SELECT id FROM temp.mpg_others WHERE record = 'capacity');
DELETE FROM main.allocations WHERE job IN (SELECT was FROM temp.mpg_renamed_logs);
DELETE FROM main.allocations AS a
WHERE job IN (SELECT was FROM temp.mpg_renamed)
  AND EXISTS (SELECT 1 FROM temp.mpg_renamed_held AS h WHERE h.was = a.job AND h.pool IS a.pool AND h.start_us = a.start_us);
UPDATE main.allocations AS a
SET job = (SELECT job FROM (SELECT h.job, min(abs(h.start_us - a.start_us))
                            FROM temp.mpg_renamed_held AS h WHERE h.was = a.job AND h.pool IS a.pool))
WHERE job IN (SELECT was FROM temp.mpg_renamed)
  AND EXISTS (SELECT 1 FROM temp.mpg_renamed_held AS h WHERE h.was = a.job AND h.pool IS a.pool);
-- another cluster's
DELETE FROM temp.mpg_renamed WHERE was IN (SELECT a.job FROM main.allocations AS a WHERE a.job IN (SELECT was FROM temp.mpg_renamed));
DROP TABLE IF EXISTS temp.mpg_renamed_did;
CREATE TEMP TABLE mpg_renamed_did AS
SELECT r.was, min(s.start_us) AS start_us
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.mpg_renamed)) CROSS JOIN temp.mpg_spans AS s
CROSS JOIN temp.mpg_renamed AS r ON r.job = s.job GROUP BY r.was;
DELETE FROM main.spans AS s
WHERE job IN (SELECT was FROM temp.mpg_renamed_did) AND start_us >= (SELECT d.start_us FROM temp.mpg_renamed_did AS d WHERE d.was = s.job);
DELETE FROM main.commits AS c
WHERE job IN (SELECT was FROM temp.mpg_renamed_did)
  AND coalesce(snapshot_us, durable_us) >= (SELECT d.start_us FROM temp.mpg_renamed_did AS d WHERE d.was = c.job);
UPDATE main.spans AS s
SET job = (SELECT job FROM (SELECT h.job, min(abs(h.start_us - s.start_us)) FROM temp.mpg_renamed_held AS h WHERE h.was = s.job))
WHERE job IN (SELECT h.was FROM temp.mpg_renamed AS r CROSS JOIN temp.mpg_renamed_held AS h USING (was));
UPDATE main.commits AS c
SET job = (SELECT job FROM (SELECT h.job, min(abs(h.start_us - coalesce(c.snapshot_us, durable_us)))
                            FROM temp.mpg_renamed_held AS h WHERE h.was = c.job))
WHERE job IN (SELECT h.was FROM temp.mpg_renamed AS r CROSS JOIN temp.mpg_renamed_held AS h USING (was));
UPDATE OR IGNORE main.jobs AS j SET job = (SELECT min(r.job) FROM temp.mpg_renamed AS r WHERE r.was = j.job)
WHERE job IN (SELECT was FROM temp.mpg_renamed WHERE was NOT IN (SELECT was FROM temp.mpg_renamed_logs) GROUP BY was HAVING count(*) = 1);
DELETE FROM main.jobs WHERE job IN (SELECT was FROM temp.mpg_renamed);
DELETE FROM main.observed WHERE job IN (SELECT was FROM temp.mpg_renamed);
DROP TABLE temp.mpg_renamed_held;
DROP TABLE temp.mpg_renamed_did;
DROP TABLE temp.mpg_renamed_logs;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'info', 'run_anew', NULL, count(DISTINCT was),
       'jobs that the tables had by another name, the first ' || min(was) || ': they have the one that this reading gives, ' || min(job)
FROM temp.mpg_renamed GROUP BY NULL;
DROP TABLE temp.mpg_renamed;
