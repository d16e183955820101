-- build/replaced.sql - what this reading tells anew takes the place of what the tables have.
--
-- A part of build.sql. Reads mpg_retold of retold.sql, which pairs the two, and the tables from which that was made. Changes the tables and
-- what comes in, before added.sql adds the one to the other.

-- Each takes the place of one.
DROP TABLE IF EXISTS temp.mpg_replaced;
CREATE TEMP TABLE mpg_replaced AS
SELECT r.record, was, pool FROM (SELECT record, alike, was, pool, row_number() OVER (PARTITION BY record, alike ORDER BY was) AS place
  FROM (SELECT DISTINCT record, alike, was, pool FROM temp.mpg_retold)) AS r
JOIN (SELECT record, alike, count(DISTINCT now) AS n FROM temp.mpg_retold GROUP BY record, alike) AS c USING (record, alike)
WHERE place <= n;
-- An end that the tables have stays if it came after this reading, or if an outcome proves it and this reading lacks the export that told
-- it: an earlier export has the job as running.
UPDATE temp.mpg_others
SET end_us = e.end_us, outcome = e.outcome
FROM (SELECT r.now AS id, w.end_us, w.outcome,
             w.end_us >= (SELECT max(i.until_us) FROM temp.mpg_seen AS i WHERE i.pool = r.pool_now AND i.job IS NULL) AS is_later
      FROM temp.mpg_retold AS r CROSS JOIN temp.mpg_was AS w ON w.record = r.record AND w.id = r.was
      WHERE r.record = 'allocations') AS e
WHERE e.id = mpg_others.id AND mpg_others.record = 'allocations'
  AND (mpg_others.end_us IS NULL AND e.is_later OR mpg_others.outcome IS NULL AND mpg_others.end_us < e.end_us AND e.outcome IS NOT NULL);
DELETE FROM main.allocations WHERE (job, start_us, id) IN (
  SELECT w.job, w.start_us, w.id FROM temp.mpg_replaced AS r JOIN temp.mpg_was AS w ON w.record = r.record AND w.id = r.was
  WHERE r.record = 'allocations');
-- What a Workload of Kubernetes held while its pods were not known. Once they are known, the pods tell it. Once they are gone, the
-- Workload repeats what they told, except for the end of pods that ran.
DELETE FROM main.allocations
WHERE (job, start_us, id) IN (
  SELECT o.job, o.start_us, o.id FROM (SELECT job, min(start_us) AS start_us FROM temp.mpg_new
    WHERE record = 'allocations' GROUP BY job HAVING count(task) = count(*)) AS n
  CROSS JOIN main.allocations AS o ON o.job = n.job AND o.start_us <= n.start_us AND coalesce(o.end_us, 9e18) > n.start_us
  WHERE o.task IS NULL AND o.chips > 0 AND o.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i));
DROP TABLE IF EXISTS temp.mpg_of_tasks;
CREATE TEMP TABLE mpg_of_tasks AS
SELECT n.id, n.job, n.start_us, n.end_us, n.outcome
FROM (SELECT job FROM (SELECT DISTINCT job FROM temp.mpg_new WHERE record = 'allocations' AND task IS NULL AND chips > 0) AS j
      WHERE EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = j.job AND a.task IS NOT NULL)) AS j
CROSS JOIN temp.mpg_new AS n ON n.record = 'allocations' AND n.job = j.job
WHERE n.task IS NULL AND n.chips > 0
  AND (SELECT count(*) = count(a.task) AND min(a.start_us) >= n.start_us FROM main.allocations AS a
       WHERE a.job = n.job AND max(coalesce(a.end_us, 9e18), a.start_us + 1) > n.start_us AND a.start_us <= coalesce(n.end_us, a.start_us));
UPDATE main.allocations SET end_us = max(allocations.start_us, t.end_us), outcome = t.outcome
FROM temp.mpg_of_tasks AS t
WHERE t.job = allocations.job AND allocations.start_us BETWEEN t.start_us AND t.end_us AND allocations.end_us IS NULL;
DELETE FROM temp.mpg_others WHERE record = 'allocations' AND id IN (SELECT t.id FROM temp.mpg_of_tasks AS t);
DELETE FROM temp.mpg_ids WHERE id IN (SELECT t.id FROM temp.mpg_of_tasks AS t);
DROP TABLE temp.mpg_of_tasks;
-- A job that waited for its next attempt (it holds 0 chips) waits no more if this reading has that attempt.
DELETE FROM main.allocations
WHERE (job, start_us, id) IN (
  SELECT o.job, o.start_us, o.id
  FROM (SELECT job, max(start_us) AS start_us FROM temp.mpg_new WHERE record = 'allocations' GROUP BY job) AS n
  CROSS JOIN main.allocations AS o ON o.job = n.job AND o.start_us <= n.start_us
  WHERE o.chips = 0 AND (o.end_us IS NULL OR o.outcome IS NULL) AND o.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i));
DELETE FROM main.capacity WHERE id IN (SELECT was FROM temp.mpg_replaced WHERE record = 'capacity');
DELETE FROM main.outages WHERE id IN (SELECT was FROM temp.mpg_replaced WHERE record = 'outages');
-- When a node of Kubernetes was out of service, metrics tell to a sample, objects to the second.
DROP TABLE IF EXISTS temp.mpg_close;
CREATE TEMP TABLE mpg_close AS
SELECT o.id, min(abs(o.start_us - n.start_us) + abs(o.end_us - n.end_us)) AS apart
FROM temp.mpg_new AS n CROSS JOIN main.outages AS o ON o.pool = n.pool AND o.kind = n.kind AND o.chips = n.chips
  AND abs(o.start_us - n.start_us) <= 600000000 AND abs(o.end_us - n.end_us) <= 600000000
WHERE n.record = 'outages' AND n.pool IN (SELECT g.pool FROM temp.mpg_again AS g)
  AND o.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'outages')
  AND iif((n.pool, n.start_us) IN (SELECT w.pool, w.start_us FROM temp.mpg_was AS w WHERE w.record = 'outages'), 0, 1)
GROUP BY n.id;
DELETE FROM temp.mpg_close
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_close LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
              WHERE NOT s.files OR s.source IS NULL OR (t.feeds = 'SG' OR t.format = 'native') AND t.format <> 'kube');
DELETE FROM main.outages WHERE id IN (SELECT c.id FROM temp.mpg_close AS c);
DROP TABLE temp.mpg_close;
-- If all jobs of a pool went to another, it has that one's name.
DROP TABLE IF EXISTS temp.mpg_left;
CREATE TEMP TABLE mpg_left AS
SELECT DISTINCT pool FROM temp.mpg_replaced
WHERE record = 'allocations' AND pool NOT IN (SELECT o.pool FROM temp.mpg_pools AS o)
  AND pool NOT IN (SELECT a.pool FROM main.allocations AS a);
DELETE FROM main.capacity WHERE pool IN (SELECT l.pool FROM temp.mpg_left AS l);
DELETE FROM main.outages WHERE pool IN (SELECT l.pool FROM temp.mpg_left AS l);
DELETE FROM main.observed WHERE pool IN (SELECT l.pool FROM temp.mpg_left AS l);
-- A record that was open in an earlier reading, and that this reading, which begins later, tells from its own begin on, as samples of one
-- day after the other do: both are pieces of one record. A reading that has the whole record replaces its pieces. This is only for sources
-- that say until when they observed.
DROP TABLE IF EXISTS temp.mpg_watched;
CREATE TEMP TABLE mpg_watched AS
SELECT o.pool, max(o.until_us) AS until_us,
       (SELECT max(i.until_us) FROM temp.mpg_seen AS i WHERE i.pool = o.pool) AS now_us,
       (SELECT min(n.start_us) FROM temp.mpg_others AS n
        WHERE n.record IN ('capacity', 'allocations') AND n.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL)) AS first_us
FROM main.observed AS o WHERE o.pool IN (SELECT i.pool FROM temp.mpg_seen AS i) GROUP BY o.pool;
-- One of another cluster whose pools have those names tells nothing again, and begins long before.
DROP TABLE IF EXISTS temp.mpg_foreign;
CREATE TEMP TABLE mpg_foreign AS
SELECT w.pool FROM temp.mpg_watched AS w
WHERE w.first_us < w.until_us - 86400000000 AND w.pool NOT IN (SELECT g.pool FROM temp.mpg_again AS g) AND w.pool NOT IN (
  SELECT DISTINCT i.pool FROM temp.mpg_others AS i
  WHERE i.record IN ('capacity', 'outages', 'allocations') AND i.pool IS NOT NULL AND EXISTS (SELECT 1 FROM temp.mpg_known)
    AND i.rowid NOT IN (SELECT f.row FROM temp.mpg_fresh AS f));
DELETE FROM temp.mpg_watched WHERE pool IN (SELECT f.pool FROM temp.mpg_foreign AS f);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'pools that the tables have, and of which this reading tells nothing again, the first ' || min(pool)
         || ': their chips count beside those, as of another cluster. If it is the same, build all exports at once'
FROM temp.mpg_foreign AS f
WHERE EXISTS (SELECT 1 FROM temp.mpg_new AS n CROSS JOIN main.capacity AS c ON c.pool = n.pool
              WHERE n.record = 'capacity' AND n.pool = f.pool AND n.start_us < coalesce(c.end_us, 9e18)
                AND c.start_us < coalesce(n.end_us, 9e18))
GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_foreign;
DROP TABLE IF EXISTS temp.mpg_cut;
CREATE TEMP TABLE mpg_cut AS
WITH w AS (
  SELECT w.*, row_number() OVER (PARTITION BY record, pool, chip, kind, chips ORDER BY start_us, id) AS place FROM temp.mpg_was AS w
  WHERE record <> 'allocations' AND end_us IS NULL AND pool IN (SELECT pool FROM temp.mpg_watched)
    AND iif((record, id) IN (SELECT record, was FROM temp.mpg_replaced), 0, 1)
    AND iif((record, pool, start_us) IN (SELECT n.record, n.pool, n.start_us FROM temp.mpg_new AS n WHERE n.pool IS NOT NULL), 0, 1)
),
n AS (
  SELECT n.*, row_number() OVER (PARTITION BY record, pool, chip, kind, chips ORDER BY start_us, id) AS place FROM temp.mpg_new AS n
    JOIN temp.mpg_watched AS o USING (pool)
  WHERE record <> 'allocations' AND (start_us = first_us OR start_us >= until_us)
)
SELECT w.record, w.id, NULL AS job, w.start_us, n.start_us AS end_us
FROM w JOIN n ON n.record = w.record AND n.pool = w.pool AND n.chip IS w.chip AND n.kind IS w.kind AND n.chips = w.chips
  AND n.place = w.place AND n.start_us > w.start_us
UNION ALL
SELECT 'allocations', a.id, a.job, a.start_us, min(n.start_us)
FROM temp.mpg_new AS n CROSS JOIN main.allocations AS a ON a.job = n.job AND a.task IS n.task AND a.pool = n.pool AND a.chips = n.chips
  AND (a.task IS NOT NULL OR a.attempt IS n.attempt)
WHERE n.record = 'allocations' AND a.chips > 0 AND a.end_us IS NULL AND n.start_us > a.start_us
  AND a.pool IN (SELECT pool FROM temp.mpg_watched)
  AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_was AS t WHERE t.record = 'allocations' AND t.id = a.id)
GROUP BY a.id;
-- Samples tell pieces; Slurm tells an event whole, and what begins later is another one, but for what its nodes tell since their first job.
DELETE FROM temp.mpg_cut
WHERE record <> 'allocations' AND end_us <> (SELECT max(w.first_us) FROM temp.mpg_watched AS w) AND EXISTS (
  SELECT 1 FROM (SELECT 1 FROM temp.mpg_cut WHERE record <> 'allocations' LIMIT 1) CROSS JOIN temp.mpg_sources AS s
  CROSS JOIN trace_sources(s.source) AS t WHERE s.files AND s.source IS NOT NULL AND t.format = 'slurm');
-- The first samples of a later reading tell all chips that a pool has then. What the tables have open, of another size, ends there.
DROP TABLE IF EXISTS temp.mpg_resized;
CREATE TEMP TABLE mpg_resized AS
SELECT w.id, w.start_us, o.first_us
FROM temp.mpg_watched AS o CROSS JOIN temp.mpg_was AS w ON w.pool = o.pool
WHERE w.record = 'capacity' AND w.end_us IS NULL AND w.start_us < o.first_us AND o.first_us > o.until_us
  AND w.id NOT IN (SELECT c.id FROM temp.mpg_cut AS c WHERE c.record = 'capacity')
  AND EXISTS (SELECT 1 FROM temp.mpg_new AS n
              WHERE n.record = 'capacity' AND n.pool = w.pool AND n.chip IS w.chip AND n.start_us = o.first_us)
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_others AS k
                  WHERE k.record = 'capacity' AND k.pool = w.pool
                    AND (k.start_us < o.first_us OR k.id IN (SELECT i.id FROM temp.mpg_known AS i)));
DELETE FROM temp.mpg_resized
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_resized LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t
              WHERE NOT s.files OR s.source IS NULL OR (t.feeds = 'SG' OR t.format = 'native') AND t.format <> 'kube');
INSERT INTO temp.mpg_cut SELECT 'capacity', r.id, NULL, r.start_us, r.first_us FROM temp.mpg_resized AS r;
DROP TABLE temp.mpg_resized;
-- Slurm has one row of what a cluster has at a time: the next one ends it, also where no reading tells its end.
DROP TABLE IF EXISTS temp.mpg_sizes;
CREATE TEMP TABLE mpg_sizes AS
SELECT w.id, w.pool, min(n.start_us) AS end_us, 0 AS incoming FROM temp.mpg_was AS w CROSS JOIN temp.mpg_new AS n ON n.pool = w.pool
WHERE w.record = 'capacity' AND n.record = 'capacity' AND w.end_us IS NULL AND n.start_us > w.start_us
  AND w.id NOT IN (SELECT c.id FROM temp.mpg_cut AS c WHERE c.record = 'capacity')
  AND iif((w.record, w.id) IN (SELECT r.record, r.was FROM temp.mpg_replaced AS r), 0, 1)
  AND iif((w.pool, w.start_us) IN (SELECT o.pool, o.start_us FROM temp.mpg_new AS o WHERE o.record = 'capacity'), 0, 1)
GROUP BY w.id
UNION ALL
SELECT n.id, n.pool, min(w.start_us), 1 FROM temp.mpg_new AS n CROSS JOIN temp.mpg_was AS w ON w.pool = n.pool
WHERE n.record = 'capacity' AND w.record = 'capacity' AND n.end_us IS NULL AND w.start_us > n.start_us
  AND iif((w.record, w.id) IN (SELECT r.record, r.was FROM temp.mpg_replaced AS r), 0, 1)
GROUP BY n.id;
DELETE FROM temp.mpg_sizes
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_sizes LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
              WHERE NOT s.files OR s.source IS NULL OR (t.feeds = 'SG' OR t.format = 'native') AND t.format <> 'slurm');
UPDATE main.capacity SET end_us = c.end_us FROM temp.mpg_sizes AS c WHERE NOT c.incoming AND c.id = capacity.id;
UPDATE temp.mpg_others SET end_us = c.end_us
FROM temp.mpg_sizes AS c WHERE c.incoming AND mpg_others.record = 'capacity' AND c.id = mpg_others.id;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'lost_end', NULL, count(*),
       'capacity without an end, though a later one of its pool has begun, the first of ' || min(pool)
         || ': it ends then. Export the time between'
FROM temp.mpg_sizes GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_sizes;
UPDATE main.capacity SET end_us = c.end_us FROM temp.mpg_cut AS c WHERE c.record = 'capacity' AND c.id = capacity.id;
UPDATE main.outages SET end_us = c.end_us FROM temp.mpg_cut AS c WHERE c.record = 'outages' AND c.id = outages.id;
UPDATE main.allocations SET end_us = c.end_us FROM temp.mpg_cut AS c WHERE c.record = 'allocations' AND c.job = allocations.job
  AND c.start_us = allocations.start_us AND c.id = allocations.id;
DELETE FROM main.allocations WHERE (job, start_us, id) IN (
  SELECT a.job, a.start_us, a.id
  FROM temp.mpg_new AS n CROSS JOIN main.allocations AS a ON a.job = n.job AND a.task IS n.task AND a.pool = n.pool AND a.chips = n.chips
    AND (a.task IS NOT NULL OR a.attempt IS n.attempt)
  WHERE n.record = 'allocations' AND a.start_us > n.start_us AND a.start_us < coalesce(n.end_us, 9e18)
    AND a.pool IN (SELECT pool FROM temp.mpg_watched)
    AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i));
-- What was open before, and is missing where a later reading tells of its pool, ended when it was last seen: nodes that were out of
-- service, and pods. So did jobs of Slurm and Flux, whose exports have all jobs of their time. (Logs of other schedulers do not tell again
-- of a job that runs.)
DELETE FROM temp.mpg_watched WHERE now_us <= until_us;
DROP TABLE IF EXISTS temp.mpg_gone;
CREATE TEMP TABLE mpg_gone AS
SELECT a.id, a.job, a.start_us, w.until_us
FROM (SELECT 1 FROM temp.mpg_watched LIMIT 1) CROSS JOIN main.allocations AS a CROSS JOIN temp.mpg_watched AS w ON w.pool = a.pool
WHERE a.end_us IS NULL AND a.task IS NULL AND a.job NOT IN (SELECT i.job FROM temp.mpg_others AS i WHERE i.job IS NOT NULL);
DELETE FROM temp.mpg_gone
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_gone LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
              WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native') AND t.format NOT IN ('slurm', 'flux'));
DELETE FROM temp.mpg_watched WHERE pool NOT IN (SELECT i.pool FROM temp.mpg_others AS i WHERE i.record = 'capacity');
DROP TABLE IF EXISTS temp.mpg_over;
CREATE TEMP TABLE mpg_over AS
SELECT 'outages' AS record, o.id, NULL AS job, o.start_us, w.until_us, 'an outage of ' || o.pool AS what
FROM temp.mpg_watched AS w CROSS JOIN main.outages AS o ON o.pool = w.pool
WHERE o.end_us IS NULL AND o.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'outages')
  AND iif((o.pool, o.start_us) IN (SELECT n.pool, n.start_us FROM temp.mpg_new AS n WHERE n.record = 'outages'), 0, 1)
UNION ALL
SELECT 'allocations', a.id, a.job, a.start_us, w.until_us, a.job || ' (' || a.task || ')'
FROM (SELECT 1 FROM temp.mpg_watched LIMIT 1) CROSS JOIN main.allocations AS a CROSS JOIN temp.mpg_watched AS w ON w.pool = a.pool
WHERE a.end_us IS NULL AND a.task IS NOT NULL AND a.chips > 0
  AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
  AND iif((a.job, a.start_us) IN (SELECT n.job, n.start_us FROM temp.mpg_new AS n WHERE n.record = 'allocations'), 0, 1)
UNION ALL
SELECT 'allocations', id, job, start_us, until_us, 'job ' || job FROM temp.mpg_gone;
UPDATE main.outages SET end_us = max(outages.start_us, o.until_us) FROM temp.mpg_over AS o WHERE o.record = 'outages' AND o.id = outages.id;
UPDATE main.allocations SET end_us = max(allocations.start_us, o.until_us),
  outcome = coalesce(outcome, iif(task IS NULL, NULL, 'cancelled'))
FROM temp.mpg_over AS o WHERE o.record = 'allocations' AND o.job = allocations.job AND o.start_us = allocations.start_us
  AND o.id = allocations.id;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'lost_end', NULL, count(*),
       'pods, jobs and outages that the tables had, and a later reading has no more, the first ' || min(what)
         || ': they ended when they were last seen'
FROM temp.mpg_over GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_watched;
DROP TABLE temp.mpg_cut;
DROP TABLE temp.mpg_over;
DROP TABLE temp.mpg_gone;
