-- build/unmatched.sql - logs that may be of a scheduler's jobs, if the one was built without the other: both count, which is listed.
--
-- A part of build.sql. Reads what comes in and the tables of records.sql, before added.sql adds the one to the other.

-- A log that is read alone is a job by itself: what the tables have is not looked through for its name.
DROP TABLE IF EXISTS temp.mpg_untraced;
CREATE TEMP TABLE mpg_untraced AS
SELECT a.job, a.start_us, a.end_us
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_others WHERE record = 'jobs' AND submit_us IS NOT NULL)
        AND EXISTS (SELECT 1 FROM temp.mpg_others WHERE record = 'jobs'))
CROSS JOIN main.jobs AS j CROSS JOIN main.allocations AS a ON a.job = j.job
WHERE j.submit_us IS NOT NULL AND a.chips > 0 AND NOT EXISTS (SELECT 1 FROM main.spans AS s WHERE s.job = j.job);
CREATE INDEX temp.mpg_untraced_at ON mpg_untraced(start_us);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'unmatched_log', NULL, count(*),
       'logs without a scheduler''s export, at a time at which untraced jobs of the tables ran, the first '
         || min(job || ' beside ' || beside)
         || ': each is a job by itself, with chips of its own. If they are of those jobs, build them with the export'
FROM (SELECT l.job, (SELECT u.job FROM temp.mpg_untraced AS u
                     WHERE u.start_us <= l.start_us + 60000000 AND coalesce(u.end_us, 9e18) > l.start_us
                     ORDER BY u.start_us DESC LIMIT 1) AS beside
      FROM (SELECT o.job, min(o.start_us) AS start_us FROM (SELECT 1 FROM temp.mpg_untraced LIMIT 1) CROSS JOIN temp.mpg_others AS o
            WHERE o.record = 'allocations' AND o.chips > 0 AND o.job NOT IN (SELECT j.job FROM main.jobs AS j)
              AND o.job NOT IN (SELECT k.job FROM temp.mpg_kept_logs AS k) GROUP BY o.job) AS l)
WHERE beside IS NOT NULL GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_untraced;

-- And the other way round: of an export that is read without the logs, whose jobs the tables have as jobs by themselves.
DROP TABLE IF EXISTS temp.mpg_untraced;
CREATE TEMP TABLE mpg_untraced AS
SELECT n.job, n.start_us, n.end_us
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM main.jobs AS j WHERE j.submit_us IS NULL)) CROSS JOIN temp.mpg_fresh AS f
CROSS JOIN temp.mpg_others AS n ON n.rowid = f.row
WHERE n.record = 'allocations' AND n.chips > 0 AND n.job NOT IN (SELECT i.job FROM temp.mpg_incoming AS i)
  AND n.id NOT IN (SELECT k.id FROM temp.mpg_known AS k)
  AND n.job IN (SELECT j.job FROM temp.mpg_others AS j WHERE j.record = 'jobs' AND j.submit_us IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM main.spans AS s WHERE s.job = n.job);
CREATE INDEX temp.mpg_untraced_at ON mpg_untraced(start_us);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'unmatched_log', NULL, count(*),
       'logs that the tables have as jobs by themselves, at a time at which untraced jobs of this export ran, the first '
         || min(job || ' beside ' || beside) || ': if they are of those jobs, build both into a new file'
FROM (SELECT l.job, (SELECT u.job FROM temp.mpg_untraced AS u
                     WHERE u.start_us <= l.start_us + 60000000 AND coalesce(u.end_us, 9e18) > l.start_us
                     ORDER BY u.start_us DESC LIMIT 1) AS beside
      FROM (SELECT a.job, min(a.start_us) AS start_us FROM (SELECT 1 FROM temp.mpg_untraced LIMIT 1) CROSS JOIN main.jobs AS j
            CROSS JOIN main.allocations AS a ON a.job = j.job
            WHERE j.submit_us IS NULL AND a.chips > 0 AND j.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.record = 'jobs')
              AND EXISTS (SELECT 1 FROM main.spans AS s WHERE s.job = j.job) GROUP BY a.job) AS l)
WHERE beside IS NOT NULL GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_untraced;
