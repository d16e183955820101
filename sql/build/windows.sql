-- build/windows.sql - exports of another window of time than the tables have: what an older one tells, and what a later one lacks.
--
-- An export has the jobs of its time: attempts of days before, or what has run since, it lacks. A part of build.sql. Reads and changes
-- what comes in and the tables of records.sql, before retold.sql compares the two.

-- Pools that the tables observe for longer than this reading, which is an older export. (Logs of other schedulers do not tell again of what
-- runs.)
DROP TABLE IF EXISTS temp.mpg_older;
CREATE TEMP TABLE mpg_older AS
SELECT i.pool, max(i.until_us) AS until_us FROM temp.mpg_seen AS i WHERE i.job IS NULL AND i.until_us IS NOT NULL GROUP BY i.pool
HAVING max(i.until_us) < (SELECT max(o.until_us) FROM main.observed AS o WHERE o.pool = i.pool AND o.job IS NULL);
DELETE FROM temp.mpg_older
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_older LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
              WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native')
                AND t.format NOT IN ('slurm', 'flux', 'kube'));
-- What the tables have of a later time is not changed by what it tells first, as that a job had an attempt before.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'pools that the tables observe for longer than this reading, which tells something new of them, the first ' || min(pool)
         || ': attempts, outages and what waited may count wrongly. Build exports in the order of time, or all at once'
FROM temp.mpg_older AS w
WHERE EXISTS (SELECT 1 FROM temp.mpg_others AS n
              WHERE n.pool = w.pool
                AND (n.record = 'allocations' AND NOT EXISTS (SELECT 1 FROM main.allocations AS a
                                                              WHERE a.job = n.job AND a.start_us = n.start_us)
                     OR n.record = 'outages' AND NOT EXISTS (SELECT 1 FROM main.outages AS o
                                                             WHERE o.pool = n.pool AND o.start_us = n.start_us)))
GROUP BY NULL HAVING count(*) > 0;
-- What runs in the older export, and is missing from the later one, ended when it was seen.
DROP TABLE IF EXISTS temp.mpg_over;
CREATE TEMP TABLE mpg_over AS
SELECT n.id, n.job, w.until_us FROM temp.mpg_older AS w CROSS JOIN temp.mpg_others AS n ON n.pool = w.pool
WHERE n.record = 'allocations' AND n.end_us IS NULL AND n.chips > 0 AND n.id NOT IN (SELECT k.id FROM temp.mpg_known AS k)
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = n.job AND a.start_us = n.start_us);
UPDATE temp.mpg_others SET end_us = max(start_us, o.until_us) FROM temp.mpg_over AS o WHERE o.id = mpg_others.id AND record = 'allocations';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'lost_end', NULL, count(DISTINCT job),
       'jobs that run or wait in this reading, and are not in a later one that the tables have, the first ' || min(job)
         || ': they held or asked for chips until they were last seen'
FROM (SELECT job FROM temp.mpg_over
      UNION
      SELECT w.job FROM (SELECT 1 FROM temp.mpg_older LIMIT 1) CROSS JOIN temp.mpg_others AS w
      WHERE w.record = 'observed' AND w.job NOT IN (SELECT j.job FROM main.jobs AS j)
        AND EXISTS (SELECT 1 FROM temp.mpg_others AS j WHERE j.record = 'jobs' AND j.job = w.job AND j.chips > 0)
        AND NOT EXISTS (SELECT 1 FROM temp.mpg_others AS a WHERE a.record = 'allocations' AND a.job = w.job))
GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_over;

-- What a reading in between lacked (replaced.sql), and this one tells as before, is open again, unless another piece continues it.
UPDATE main.allocations AS a SET end_us = NULL, outcome = i.outcome
FROM (SELECT id, job, start_us, outcome FROM temp.mpg_others WHERE record = 'allocations' AND end_us IS NULL) AS i
WHERE a.job = i.job AND a.start_us = i.start_us AND a.id = i.id AND a.end_us IS NOT NULL
  AND a.pool NOT IN (SELECT o.pool FROM temp.mpg_older AS o)
  AND a.end_us < (SELECT max(s.until_us) FROM temp.mpg_seen AS s WHERE s.pool = a.pool AND s.job IS NULL)
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS k
                  WHERE k.job = a.job AND k.task IS a.task AND k.start_us = a.end_us AND k.chips = a.chips AND k.id <> a.id);
UPDATE main.capacity AS c SET end_us = NULL
WHERE end_us IS NOT NULL AND id IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'capacity' AND i.end_us IS NULL)
  AND c.pool NOT IN (SELECT o.pool FROM temp.mpg_older AS o)
  AND NOT EXISTS (SELECT 1 FROM main.capacity AS k
                  WHERE k.pool = c.pool AND k.chip IS c.chip AND k.chips = c.chips AND k.start_us = c.end_us);
UPDATE main.outages AS o SET end_us = NULL
WHERE end_us IS NOT NULL AND id IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'outages' AND i.end_us IS NULL)
  AND o.pool NOT IN (SELECT w.pool FROM temp.mpg_older AS w)
  AND NOT EXISTS (SELECT 1 FROM main.outages AS k
                  WHERE k.pool = o.pool AND k.kind IS o.kind AND k.chips = o.chips AND k.start_us = o.end_us);
DROP TABLE temp.mpg_older;

-- A later export may lack the earlier attempts of a job, or the job that had its id before: then it counts attempts from 1 again, and
-- attempts after a gap continue the numbers of the tables, and what goes on after a resize has that of the piece before. This is only for
-- schedulers, which say until when they observe pools. A requeue is submitted when the attempt before ends; if a job was submitted long
-- after that, its id was given anew.
DROP TABLE IF EXISTS temp.mpg_resubmitted; -- submitted later than the tables have
CREATE TEMP TABLE mpg_resubmitted AS
SELECT i.rowid AS row FROM temp.mpg_others AS i CROSS JOIN main.jobs AS j ON j.job = i.job
WHERE i.record = 'jobs' AND i.submit_us > j.submit_us;
-- A requeue of Slurm submits again when the attempt before ends: what the tables have without an end, and this reading lacks, ended then.
DROP TABLE IF EXISTS temp.mpg_requeued;
CREATE TEMP TABLE mpg_requeued AS
SELECT a.id, a.job, a.attempt, a.pool, a.start_us, i.submit_us
FROM temp.mpg_resubmitted AS r CROSS JOIN temp.mpg_others AS i ON i.rowid = r.row CROSS JOIN main.allocations AS a ON a.job = i.job
WHERE a.end_us IS NULL AND a.task IS NULL AND a.chips > 0 AND a.start_us < i.submit_us
  AND a.pool IN (SELECT o.pool FROM temp.mpg_others AS o WHERE o.record IN ('capacity', 'allocations', 'observed'))
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_others AS o WHERE o.record = 'allocations' AND o.job = a.job AND o.start_us = a.start_us);
DELETE FROM temp.mpg_requeued
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_requeued LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t
              WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native') AND t.format <> 'slurm');
UPDATE main.allocations SET end_us = r.submit_us
FROM temp.mpg_requeued AS r WHERE r.job = allocations.job AND r.start_us = allocations.start_us AND r.id = allocations.id;
INSERT OR IGNORE INTO main.allocations(id, job, attempt, pool, chips, start_us) -- and waits since then
SELECT r.id + 1, r.job, r.attempt + 1, r.pool, 0, r.submit_us FROM temp.mpg_requeued AS r
WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_others AS o WHERE o.record = 'allocations' AND o.job = r.job);
DROP TABLE temp.mpg_requeued;
DROP TABLE IF EXISTS temp.mpg_later;
CREATE TEMP TABLE mpg_later AS
SELECT n.job, max(a.attempt) - n.attempt + iif(max(a.outcome IS 'released' AND a.end_us = n.start_us), 0, 1) AS more,
       n.anew AND count(a.task) = 0
         AND max(a.end_us + iif(a.outcome IN ('preempted', 'node_fail'), 86400000000, 3600000000))
             < (SELECT min(i.submit_us) FROM temp.mpg_others AS i WHERE i.record = 'jobs' AND i.job = n.job) AS anew
FROM (SELECT job, min(start_us) AS start_us, min(attempt) AS attempt,
             count(task) = 0 AND max(id NOT IN (SELECT k.id FROM temp.mpg_known AS k)) AS anew
      FROM temp.mpg_others
      WHERE record = 'allocations' AND EXISTS (SELECT 1 FROM temp.mpg_known)
        AND pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL)
        AND job IN (SELECT o.job FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS o ON o.rowid = f.row
                    WHERE o.record = 'allocations'
                    UNION SELECT o.job FROM temp.mpg_resubmitted AS r CROSS JOIN temp.mpg_others AS o ON o.rowid = r.row)
      GROUP BY job) AS n
CROSS JOIN main.allocations AS a ON a.job = n.job AND a.start_us < n.start_us
WHERE a.chips > 0 AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
GROUP BY n.job HAVING max(coalesce(a.end_us, 9e18)) <= n.start_us;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'jobs submitted long after the end of what the tables have by their id, the first ' || min(job)
       || ': both count as one. Build the older and the newer files at once'
FROM temp.mpg_later WHERE anew GROUP BY NULL;
-- Of a job of tasks, as pods that were deleted, a later export may lack attempts in the midst: those that it has keep the tables' numbers,
-- and what is new goes on after the attempts that began before it.
DROP TABLE IF EXISTS temp.mpg_numbers;
CREATE TEMP TABLE mpg_numbers AS
WITH told AS MATERIALIZED (
  SELECT o.job, o.attempt, min(o.start_us) AS start_us, max(a.attempt) AS known
  FROM (SELECT DISTINCT n.job FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS n ON n.rowid = f.row
        WHERE n.record = 'allocations' AND n.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL)
          AND (n.task IS NOT NULL -- or it waits
               OR n.chips = 0 AND EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = n.job AND a.task IS NOT NULL))
          AND EXISTS (SELECT 1 FROM main.jobs AS j WHERE j.job = n.job)) AS j
  CROSS JOIN temp.mpg_others AS o ON o.job = j.job
  LEFT JOIN main.allocations AS a ON a.job = o.job AND a.start_us <= o.start_us AND a.task IS o.task AND a.chips > 0
    AND (a.start_us = o.start_us OR coalesce(a.end_us, 9e18) > o.start_us) -- samples tell of it from the first on
  WHERE o.record = 'allocations' GROUP BY o.job, o.attempt
)
SELECT job, attempt, more
FROM (SELECT job, attempt, iif(sum(known IS NULL) OVER w = 0, more, max(0, max(more) OVER w)) AS more
      FROM (SELECT job, attempt, known,
                   coalesce(known, 1 + (SELECT max(a.attempt) FROM main.allocations AS a
                                        WHERE a.job = t.job AND a.start_us < t.start_us AND a.task IS NOT NULL AND a.chips > 0))
                     - attempt AS more
            FROM told AS t)
      WINDOW w AS (PARTITION BY job ORDER BY attempt))
WHERE more <> 0;
DELETE FROM temp.mpg_numbers
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_numbers LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t WHERE NOT s.files OR s.source IS NULL OR t.format = 'native');
DELETE FROM temp.mpg_later WHERE job IN (SELECT n.job FROM temp.mpg_numbers AS n);
UPDATE temp.mpg_others SET attempt = attempt + l.more FROM temp.mpg_later AS l
WHERE l.job = mpg_others.job AND record = 'allocations' AND l.more > 0;
UPDATE temp.mpg_others SET attempt = mpg_others.attempt + n.more
FROM temp.mpg_numbers AS n WHERE n.job = mpg_others.job AND n.attempt = mpg_others.attempt AND record = 'allocations';
DELETE FROM temp.mpg_later WHERE more <= 0;
INSERT INTO temp.mpg_later SELECT DISTINCT n.job, 0, 0 FROM temp.mpg_numbers AS n;
-- Attempts between those that the tables have, or before them, of an export that does not say that it is older: all count by their start.
DROP TABLE IF EXISTS temp.mpg_between;
CREATE TEMP TABLE mpg_between AS
SELECT DISTINCT n.job
FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS n ON n.rowid = f.row CROSS JOIN main.allocations AS a ON a.job = n.job
WHERE n.record = 'allocations' AND n.task IS NULL AND a.task IS NULL AND a.chips > 0 AND a.start_us > n.start_us
  AND a.start_us >= coalesce(n.end_us, iif(n.chips = 0, n.start_us, 9e18)) AND n.id NOT IN (SELECT k.id FROM temp.mpg_known AS k)
  AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i) AND a.pool IN (SELECT p.pool FROM temp.mpg_pools AS p);
DELETE FROM temp.mpg_between
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_between LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t
              WHERE NOT s.files OR s.source IS NULL OR (t.feeds = 'SG' OR t.format = 'native') AND t.format <> 'slurm');
DELETE FROM temp.mpg_others -- which waits no more
WHERE record = 'allocations' AND chips = 0 AND outcome IS NULL AND job IN (SELECT b.job FROM temp.mpg_between AS b)
  AND start_us <= (SELECT max(a.start_us) FROM main.allocations AS a WHERE a.job = mpg_others.job AND a.chips > 0);
DROP TABLE IF EXISTS temp.mpg_numbers;
CREATE TEMP TABLE mpg_numbers AS
WITH told AS (
  SELECT a.job, a.start_us, a.end_us, a.outcome FROM temp.mpg_between AS b CROSS JOIN main.allocations AS a ON a.job = b.job
  WHERE a.chips > 0 OR a.outcome IS NOT NULL
  UNION ALL
  SELECT o.job, o.start_us, o.end_us, o.outcome FROM temp.mpg_others AS o
  WHERE o.record = 'allocations' AND o.job IN (SELECT b.job FROM temp.mpg_between AS b)
),
pieces AS (
  SELECT job, start_us, max(end_us) FILTER (WHERE outcome = 'released') AS resized_us FROM told GROUP BY job, start_us
)
SELECT job, start_us, sum(begins) OVER (PARTITION BY job ORDER BY start_us) AS attempt
FROM (SELECT job, start_us, lag(resized_us) OVER (PARTITION BY job ORDER BY start_us) IS NOT start_us AS begins FROM pieces);
UPDATE temp.mpg_others SET attempt = n.attempt
FROM temp.mpg_numbers AS n WHERE n.job = mpg_others.job AND n.start_us = mpg_others.start_us AND record = 'allocations';
UPDATE main.allocations SET attempt = n.attempt
FROM temp.mpg_numbers AS n WHERE n.job = allocations.job AND n.start_us = allocations.start_us AND n.attempt IS NOT allocations.attempt;
DROP TABLE temp.mpg_numbers;
UPDATE main.jobs SET submit_us = i.submit_us
FROM (SELECT o.job, o.submit_us FROM temp.mpg_others AS o
      WHERE o.record = 'jobs' AND o.job IN (SELECT b.job FROM temp.mpg_between AS b)) AS i
WHERE i.job = jobs.job AND i.submit_us < jobs.submit_us;
INSERT INTO temp.mpg_later SELECT job, 0, 0 FROM temp.mpg_between;
DROP TABLE temp.mpg_between;
-- With the tables' number it may be what they have already: then it goes by their id.
UPDATE temp.mpg_others SET id = w.id
FROM (SELECT a.*, row_number() OVER (PARTITION BY a.job, a.attempt, a.task, a.pool, a.start_us ORDER BY a.id) AS place
      FROM temp.mpg_later AS l CROSS JOIN main.allocations AS a ON a.job = l.job) AS w
WHERE w.place = 1 AND w.job = mpg_others.job AND w.start_us = mpg_others.start_us AND w.attempt IS mpg_others.attempt
  AND w.task IS mpg_others.task AND w.pool = mpg_others.pool AND w.chips = mpg_others.chips AND w.end_us IS mpg_others.end_us
  AND w.outcome IS mpg_others.outcome AND record = 'allocations';
INSERT OR IGNORE INTO temp.mpg_ids
SELECT id FROM temp.mpg_others WHERE record = 'allocations' AND job IN (SELECT l.job FROM temp.mpg_later AS l);
-- A later export may also lack the pieces of an attempt before it was resized.
INSERT INTO temp.mpg_later
WITH changed AS MATERIALIZED (
  SELECT o.job FROM temp.mpg_others AS o CROSS JOIN main.jobs AS j ON j.job = o.job
  WHERE o.record = 'jobs' AND (o.min_chips IS NOT j.min_chips OR o.chips IS NOT j.chips) AND EXISTS (SELECT 1 FROM temp.mpg_known)
    AND o.job NOT IN (SELECT l.job FROM temp.mpg_later AS l)
)
SELECT DISTINCT n.job, 0, 0
FROM (SELECT job, min(start_us) AS start_us FROM temp.mpg_others
      WHERE record = 'allocations' AND job IN (SELECT c.job FROM changed AS c) GROUP BY job) AS n
CROSS JOIN main.allocations AS a ON a.job = n.job AND a.end_us <= n.start_us
WHERE a.chips > 0 AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
  AND a.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL);
-- The attempts before are part of when it was submitted, and of the most and the fewest chips that it held.
UPDATE temp.mpg_others
SET submit_us = coalesce(min(mpg_others.submit_us, j.submit_us), mpg_others.submit_us),
    chips = coalesce(max(mpg_others.chips, j.chips), mpg_others.chips),
    min_chips = coalesce(nullif(min(coalesce(mpg_others.min_chips, mpg_others.chips), coalesce(j.min_chips, j.chips)),
                                max(mpg_others.chips, j.chips)), mpg_others.min_chips)
FROM temp.mpg_later AS l CROSS JOIN main.jobs AS j ON j.job = l.job WHERE l.job = mpg_others.job AND record = 'jobs';
DROP TABLE temp.mpg_later;
