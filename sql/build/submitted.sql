-- build/submitted.sql - when a job was submitted, if a later reading tells of a part of it alone.
--
-- A part of build.sql. Reads what comes in and the tables of records.sql, before added.sql adds the one to the other.

-- Of a job that waits again a later export may have that alone; and samples of one day know of no day before. It was submitted when the
-- tables say, unless its number may have been given anew. Of Kubernetes a name is a job, whenever it comes.
DROP TABLE IF EXISTS temp.mpg_submitted;
CREATE TEMP TABLE mpg_submitted AS
SELECT i.rowid AS row, j.submit_us AS was,
       i.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.record = 'allocations')
         AND coalesce(i.submit_us <= (SELECT max(a.end_us + iif(a.outcome IN ('preempted', 'node_fail'), 86400000000, 3600000000))
                                      FROM main.allocations AS a WHERE a.job = i.job AND a.chips > 0), 1) AS waits,
       i.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.record = 'allocations')
         AND i.submit_us > (SELECT max(coalesce(a.end_us, 9e18) + iif(a.outcome IN ('preempted', 'node_fail'), 86400000000, 3600000000))
                            FROM main.allocations AS a WHERE a.job = i.job AND a.chips > 0) AS anew, i.job
FROM temp.mpg_resubmitted AS r CROSS JOIN temp.mpg_others AS i ON i.rowid = r.row CROSS JOIN main.jobs AS j ON j.job = i.job
WHERE i.submit_us > j.submit_us;
DROP TABLE temp.mpg_resubmitted;
DROP TABLE IF EXISTS temp.mpg_formats;
CREATE TEMP TABLE mpg_formats AS
SELECT DISTINCT t.format
FROM (SELECT 1 FROM temp.mpg_submitted LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native');
UPDATE temp.mpg_others SET submit_us = w.was
FROM temp.mpg_submitted AS w
WHERE w.row = mpg_others.rowid AND EXISTS (SELECT 1 FROM temp.mpg_formats WHERE format <> 'native')
  AND (w.waits OR NOT EXISTS (SELECT 1 FROM temp.mpg_formats WHERE format <> 'kube'));
-- What waits by an id that was given anew is no part of the job that had it: together they would hold too few chips.
DELETE FROM temp.mpg_submitted
WHERE anew IS NOT 1 OR NOT EXISTS (SELECT 1 FROM temp.mpg_formats WHERE format NOT IN ('native', 'kube', 'kube_state'));
DELETE FROM temp.mpg_others WHERE rowid IN (SELECT row FROM temp.mpg_submitted);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'jobs that wait, submitted long after the end of what the tables have by their id, the first ' || min(job)
       || ': left out. Build the older and the newer files at once'
FROM temp.mpg_submitted GROUP BY NULL;
DROP TABLE temp.mpg_submitted;
DROP TABLE temp.mpg_formats;
