-- build/retold.sql - what this reading tells in another way than an earlier one: pairs it with what the tables have.
--
-- A folder of exports that is read again tells most things as before, and some in another way: an attempt has another number once the one
-- before it is exported, a pool another name once its cluster has a second type of chip, a cluster more chips or an earlier start once its
-- events are there. What nothing tells anew stays, such as records of files that are gone. A part of build.sql. Reads what comes in and
-- the tables of records.sql, before added.sql adds the one to the other.

-- A record that comes in may be one that the tables have under another id: then it is not added.
DROP TABLE IF EXISTS temp.mpg_new;
CREATE TEMP TABLE mpg_new AS
SELECT record, id, job, attempt, task, pool, substr(pool, 1, instr(pool || '/', '/') - 1) AS cluster, chip, chips, start_us, end_us, kind,
       outcome
FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS o ON o.rowid = f.row
WHERE o.id NOT IN (SELECT k.id FROM temp.mpg_known AS k); -- but for those that got the tables' id since
DROP TABLE IF EXISTS temp.mpg_was;
CREATE TEMP TABLE mpg_was AS
SELECT 'allocations' AS record, a.id, a.job, attempt, task, pool, substr(pool, 1, instr(pool || '/', '/') - 1) AS cluster, NULL AS chip,
       chips,
       a.start_us, end_us, NULL AS kind, outcome
FROM (SELECT DISTINCT job, start_us FROM temp.mpg_new WHERE record = 'allocations') AS n
CROSS JOIN main.allocations AS a ON a.job = n.job AND a.start_us = n.start_us
WHERE a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
UNION ALL
SELECT 'capacity', id, NULL, NULL, NULL, pool, NULL, chip, chips, start_us, end_us, NULL, NULL FROM main.capacity
WHERE pool IN (SELECT n.pool FROM temp.mpg_new AS n WHERE n.record = 'capacity')
  AND id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'capacity')
UNION ALL
SELECT 'outages', id, NULL, NULL, NULL, pool, NULL, NULL, chips, start_us, end_us, kind, NULL FROM main.outages
WHERE (end_us IS NULL OR (pool, start_us) IN (SELECT n.pool, n.start_us FROM temp.mpg_new AS n WHERE n.record = 'outages')
       OR (pool, end_us) IN (SELECT n.pool, n.end_us FROM temp.mpg_new AS n WHERE n.record = 'outages'))
  AND pool IN (SELECT n.pool FROM temp.mpg_new AS n WHERE n.record = 'outages')
  AND id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'outages');

-- Files of several hosts that are read one after the other may begin together and end apart: they tell the same only if this reading has
-- more of the pool that was there before. A task holds its chips once. An attempt of another number is still the same job's. A pool
-- without a type of chip is that of the cluster's type. For records that differ only in an end that was missing see ended.sql.
DROP TABLE IF EXISTS temp.mpg_again;
CREATE TEMP TABLE mpg_again AS
SELECT DISTINCT pool FROM temp.mpg_others
WHERE record IN ('capacity', 'outages', 'allocations') AND EXISTS (SELECT 1 FROM temp.mpg_was)
  AND id IN (SELECT k.id FROM temp.mpg_known AS k)
UNION -- the end of what was open
SELECT w.pool FROM temp.mpg_was AS w
JOIN temp.mpg_new AS n ON n.record = w.record AND n.job = w.job AND n.start_us = w.start_us AND n.pool = w.pool
WHERE w.record = 'allocations' AND w.end_us IS NULL AND n.end_us IS NOT NULL AND n.attempt IS w.attempt AND n.task IS w.task
  AND n.chips = w.chips
UNION -- a scheduler has one record of an attempt: another end is a correction. Of a pod of Kubernetes that began at that second metrics
-- may have the end and objects not, or the other way round
SELECT w.pool FROM temp.mpg_was AS w
JOIN temp.mpg_new AS n ON n.record = w.record AND n.job = w.job AND n.start_us = w.start_us AND n.pool = w.pool
WHERE w.record = 'allocations' AND n.attempt IS w.attempt AND n.task IS w.task AND n.chips = w.chips
  AND (SELECT min(t.format <> 'native')
       FROM (SELECT 1 FROM temp.mpg_was LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
       WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native'))
UNION -- Slurm has one row of what a cluster has at a time
SELECT w.pool FROM temp.mpg_was AS w JOIN temp.mpg_new AS n ON n.record = w.record AND n.pool = w.pool AND n.start_us = w.start_us
WHERE w.record = 'capacity'
  AND (SELECT min(t.format = 'slurm')
       FROM (SELECT 1 FROM temp.mpg_was LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
       WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native'))
UNION SELECT pool FROM temp.mpg_out_again;
DROP TABLE temp.mpg_out_again;
-- Ends of what was open: each takes the place of that in ended.sql, and tells nothing else anew that began then.
DROP TABLE IF EXISTS temp.mpg_ended;
CREATE TEMP TABLE mpg_ended AS
WITH open AS (
  SELECT record, job, attempt, task, pool, chip, chips, start_us, kind, count(*) AS n
  FROM temp.mpg_was WHERE end_us IS NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
)
SELECT e.id
FROM (SELECT *, row_number() OVER (PARTITION BY record, job, attempt, task, pool, chip, chips, start_us, kind ORDER BY id) AS place
      FROM temp.mpg_new WHERE end_us IS NOT NULL AND EXISTS (SELECT 1 FROM open)) AS e
JOIN open AS o ON o.record = e.record AND o.pool = e.pool AND o.start_us = e.start_us AND o.chips = e.chips AND o.job IS e.job
  AND o.attempt IS e.attempt AND o.task IS e.task AND o.chip IS e.chip AND o.kind IS e.kind
WHERE e.place <= o.n;
DROP TABLE IF EXISTS temp.mpg_retold;
CREATE TEMP TABLE mpg_retold(record TEXT, alike TEXT, was BIGINT, now BIGINT, pool TEXT, pool_now TEXT);
INSERT INTO temp.mpg_retold
SELECT 'allocations', w.job || ' ' || w.start_us || coalesce(' ' || w.task, ''), w.id, n.id, w.pool, n.pool
FROM temp.mpg_was AS w JOIN temp.mpg_new AS n ON n.record = w.record AND n.job = w.job AND n.start_us = w.start_us AND n.task IS w.task
WHERE w.record = 'allocations' AND n.id NOT IN (SELECT e.id FROM temp.mpg_ended AS e)
  AND NOT (n.attempt IS w.attempt AND n.pool = w.pool AND n.chips = w.chips AND (w.end_us IS NULL OR n.end_us IS NULL))
  AND (w.task IS NOT NULL OR w.pool IN (SELECT g.pool FROM temp.mpg_again AS g) OR (n.pool = w.pool AND n.attempt IS NOT w.attempt)
       OR (w.end_us IS NOT NULL AND w.outcome IS NULL AND n.pool = w.pool -- what a reading between lacked
           AND n.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL))
       OR (n.pool <> w.pool AND n.cluster = w.cluster
           AND (w.pool IN (w.cluster, w.cluster || '/gpu') OR n.pool IN (n.cluster, n.cluster || '/gpu'))));
INSERT INTO temp.mpg_again SELECT DISTINCT pool_now FROM temp.mpg_retold;
-- Capacity and outages of one start; capacity that was there before already, and a node that was out once the job had ended that held it.
INSERT INTO temp.mpg_retold
SELECT w.record, w.pool || ' ' || w.start_us, w.id, n.id, w.pool, n.pool
FROM temp.mpg_was AS w JOIN temp.mpg_new AS n ON n.record = w.record AND n.pool = w.pool
WHERE w.record <> 'allocations' AND w.pool IN (SELECT g.pool FROM temp.mpg_again AS g)
  AND n.id NOT IN (SELECT e.id FROM temp.mpg_ended AS e)
  AND CASE WHEN n.start_us = w.start_us
             THEN NOT (n.chip IS w.chip AND n.chips = w.chips AND n.kind IS w.kind AND (w.end_us IS NULL OR n.end_us IS NULL))
           WHEN w.record = 'capacity' THEN n.start_us < w.start_us AND n.chips = w.chips AND n.end_us IS w.end_us
             AND coalesce(n.chip, w.chip, '') = coalesce(w.chip, n.chip, '')
           ELSE n.start_us > w.start_us AND coalesce(w.end_us = n.end_us, w.end_us IS NULL) AND n.chips = w.chips AND n.kind = w.kind
                AND EXISTS (SELECT 1 FROM temp.mpg_new AS h WHERE h.record = 'allocations' AND h.pool = n.pool AND h.end_us = n.start_us
                  AND h.start_us <= w.start_us) END;
DROP TABLE temp.mpg_ended;
