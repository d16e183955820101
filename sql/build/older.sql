-- build/older.sql - an export of a scheduler that is older than what the tables have: it changes places with them.
--
-- The later of two exports decides what both tell, wherever they differ, and each lacks what the other tells alone. So the records of an
-- older one become those of the tables, and what the tables had comes in instead: all that follows is as if the two had been built in the
-- order of time. A part of build.sql. Reads and changes what comes in and the tables of records.sql, before outages.sql.

-- What users have put on the tables of records, which have 39 columns in all, would be lost: then the two stay where they are, and
-- windows.sql says so.
DROP TABLE IF EXISTS temp.mpg_ours;
CREATE TEMP TABLE mpg_ours AS
SELECT 1 AS ours WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_sources AS s WHERE NOT s.files OR s.source IS NULL)
  AND EXISTS (SELECT 1 FROM temp.mpg_seen AS i
              WHERE i.job IS NULL AND i.until_us < (SELECT max(o.until_us) FROM main.observed AS o WHERE o.job IS NULL))
  AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) IN ('capacity', 'outages', 'jobs',
                                                                                                  'allocations', 'observed'))
  AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema AS t CROSS JOIN pragma_foreign_key_list(t.name, 'main') AS f
                  WHERE t.type = 'table' AND lower(f.[table]) IN ('capacity', 'outages', 'jobs', 'allocations', 'observed'))
  AND (SELECT count(*) FROM (SELECT 'capacity' AS name UNION SELECT 'outages' UNION SELECT 'jobs' UNION SELECT 'allocations'
                             UNION SELECT 'observed') AS t CROSS JOIN pragma_table_info(t.name, 'main')) = 39;
-- The pools that the tables observe, if this reading is older: of each cluster that both have it tells nothing as late. A pool of
-- Kubernetes may have got another name since: then both have a pod.
DROP TABLE IF EXISTS temp.mpg_met;
CREATE TEMP TABLE mpg_met AS
SELECT i.pool, i.until_us,
       (SELECT max(o.until_us) FROM main.observed AS o
        WHERE o.job IS NULL
          AND (substr(o.pool, 1, instr(o.pool || '/', '/') - 1) = substr(i.pool, 1, instr(i.pool || '/', '/') - 1)
               OR EXISTS (SELECT 1 FROM temp.mpg_others AS n CROSS JOIN main.allocations AS a
                            ON a.job = n.job AND a.start_us = n.start_us AND a.task = n.task AND a.pool = o.pool
                          WHERE n.record = 'allocations' AND n.pool = i.pool))) AS later_us
FROM (SELECT 1 FROM temp.mpg_ours) CROSS JOIN temp.mpg_seen AS i WHERE i.job IS NULL;
DROP TABLE IF EXISTS temp.mpg_later_pools;
CREATE TEMP TABLE mpg_later_pools AS
SELECT DISTINCT o.pool FROM (SELECT 1 FROM temp.mpg_met WHERE later_us > until_us LIMIT 1) CROSS JOIN main.observed AS o
WHERE o.job IS NULL AND o.pool IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.mpg_met WHERE later_us <= until_us);
DELETE FROM temp.mpg_later_pools
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_later_pools LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t
              WHERE (t.feeds = 'SG' OR t.format = 'native') AND t.format NOT IN ('slurm', 'flux', 'kube'));
DROP TABLE temp.mpg_met;
-- Samples of an hour between those that the tables have tell pieces of records, whose other pieces may be on either side.
DELETE FROM temp.mpg_later_pools
WHERE EXISTS (SELECT 1 FROM (SELECT 1 FROM temp.mpg_later_pools LIMIT 1) CROSS JOIN temp.mpg_sources AS s
              CROSS JOIN trace_sources(s.source) AS t CROSS JOIN temp.mpg_others AS n
              WHERE t.format = 'kube' AND n.record = 'capacity' AND n.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL)
                AND EXISTS (SELECT 1 FROM main.capacity AS c WHERE c.pool = n.pool AND c.start_us < n.start_us)
                AND NOT EXISTS (SELECT 1 FROM main.capacity AS c WHERE c.pool = n.pool AND c.start_us = n.start_us));
DROP TABLE temp.mpg_ours;

-- What this reading has of schedulers goes into the tables,
DROP TABLE IF EXISTS temp.mpg_swapped;
CREATE TEMP TABLE mpg_swapped(row INTEGER PRIMARY KEY);
INSERT INTO temp.mpg_swapped
SELECT o.rowid FROM (SELECT 1 FROM temp.mpg_later_pools LIMIT 1) CROSS JOIN temp.mpg_others AS o
WHERE o.record IN ('capacity', 'outages', 'allocations', 'observed')
  AND o.pool IN (SELECT i.pool FROM temp.mpg_seen AS i WHERE i.job IS NULL);
INSERT OR IGNORE INTO temp.mpg_swapped
SELECT o.rowid FROM (SELECT 1 FROM temp.mpg_later_pools LIMIT 1) CROSS JOIN temp.mpg_others AS o
WHERE o.record IN ('jobs', 'observed') AND o.job IS NOT NULL
  AND (o.job IN (SELECT a.job FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS a ON a.rowid = w.row WHERE a.record = 'allocations')
       OR o.job NOT IN (SELECT a.job FROM temp.mpg_others AS a WHERE a.record = 'allocations'));
-- if any of it is new. Else its jobs are as the tables have them.
UPDATE temp.mpg_others
SET id = j.id, name = j.name, owner = j.owner, phase = j.phase, framework = j.framework, runtime = j.runtime, model = j.model,
  priority = j.priority, chips = j.chips, min_chips = j.min_chips, tasks = j.tasks, submit_us = j.submit_us, labels = j.labels
FROM main.jobs AS j
WHERE j.job = mpg_others.job AND record = 'jobs' AND mpg_others.rowid IN (SELECT row FROM temp.mpg_swapped)
  AND NOT EXISTS (SELECT 1 FROM temp.mpg_swapped AS w JOIN temp.mpg_fresh AS f USING (row));
DELETE FROM temp.mpg_swapped WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_swapped AS w JOIN temp.mpg_fresh AS f USING (row));
DELETE FROM temp.mpg_later_pools WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_swapped);
-- What the tables had of them comes in.
INSERT INTO temp.mpg_swapped_jobs
SELECT DISTINCT a.job FROM temp.mpg_later_pools AS p CROSS JOIN main.allocations AS a ON a.pool = p.pool WHERE a.job IS NOT NULL
UNION
SELECT j.job FROM (SELECT 1 FROM temp.mpg_later_pools LIMIT 1) CROSS JOIN main.jobs AS j
WHERE NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = j.job);
DROP TABLE IF EXISTS temp.mpg_later_records;
CREATE TEMP TABLE mpg_later_records AS
SELECT 'capacity' AS record, id, NULL AS job, NULL AS attempt, NULL AS kind, start_us, end_us, pool, chip, chips, NULL AS task,
       NULL AS outcome, NULL AS until_us
FROM main.capacity WHERE pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p)
UNION ALL
SELECT 'outages', id, NULL, NULL, kind, start_us, end_us, pool, NULL, chips, NULL, NULL, NULL
FROM main.outages WHERE pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p)
UNION ALL
SELECT 'allocations', id, job, attempt, NULL, start_us, end_us, pool, NULL, chips, task, outcome, NULL
FROM main.allocations WHERE pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p) OR pool IS NULL
  AND job IN (SELECT j.job FROM temp.mpg_swapped_jobs AS j)
UNION ALL
SELECT 'observed', NULL, job, NULL, NULL, NULL, NULL, pool, chip, NULL, NULL, NULL, until_us
FROM main.observed WHERE job IS NULL AND pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p)
   OR job IN (SELECT j.job FROM temp.mpg_swapped_jobs AS j);
DELETE FROM main.capacity WHERE pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p);
DELETE FROM main.outages WHERE pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p);
DELETE FROM main.allocations WHERE id IN (SELECT r.id FROM temp.mpg_later_records AS r WHERE r.record = 'allocations');
DELETE FROM main.observed WHERE job IS NULL AND pool IN (SELECT p.pool FROM temp.mpg_later_pools AS p)
   OR job IN (SELECT j.job FROM temp.mpg_swapped_jobs AS j);
-- An end that they had because a later export lacks the job, or has its next attempt alone, is not one that this reading tells.
UPDATE temp.mpg_later_records
SET end_us = coalesce(o.end_us, max(mpg_later_records.end_us, o.until_us)),
  outcome = iif(o.end_us IS NULL, mpg_later_records.outcome, o.outcome)
FROM (SELECT n.job, n.start_us, n.task, n.chips, n.end_us, n.outcome,
             (SELECT max(i.until_us) FROM temp.mpg_seen AS i WHERE i.pool = n.pool AND i.job IS NULL) AS until_us
      FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS n ON n.rowid = w.row WHERE n.record = 'allocations') AS o
WHERE mpg_later_records.record = 'allocations' AND o.job = mpg_later_records.job AND o.start_us = mpg_later_records.start_us
  AND o.task IS mpg_later_records.task AND o.chips = mpg_later_records.chips AND mpg_later_records.chips > 0
  AND (coalesce(mpg_later_records.outcome, 'cancelled') = 'cancelled' AND mpg_later_records.end_us < coalesce(o.end_us, 9e18)
       OR mpg_later_records.outcome IS NULL AND o.outcome IS NOT NULL AND mpg_later_records.end_us IS NOT NULL);
UPDATE temp.mpg_later_records SET end_us = coalesce(o.end_us, o.until_us)
FROM (SELECT n.pool, n.kind, n.start_us, n.chips, n.end_us,
             (SELECT max(i.until_us) FROM temp.mpg_seen AS i WHERE i.pool = n.pool AND i.job IS NULL) AS until_us
      FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS n ON n.rowid = w.row WHERE n.record = 'outages') AS o
WHERE mpg_later_records.record = 'outages' AND o.pool = mpg_later_records.pool AND o.kind IS mpg_later_records.kind
  AND o.start_us = mpg_later_records.start_us AND o.chips = mpg_later_records.chips
  AND mpg_later_records.end_us < coalesce(o.end_us, o.until_us);
-- Nor is that of what a cluster of Slurm had, which the next row that was known ended (replaced.sql).
UPDATE temp.mpg_later_records SET end_us = o.end_us
FROM (SELECT n.pool, n.chip, n.chips, n.start_us, n.end_us
      FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS n ON n.rowid = w.row WHERE n.record = 'capacity') AS o
WHERE mpg_later_records.record = 'capacity' AND o.pool = mpg_later_records.pool AND o.chip IS mpg_later_records.chip
  AND o.start_us = mpg_later_records.start_us AND o.chips = mpg_later_records.chips AND o.end_us < mpg_later_records.end_us
  AND EXISTS (SELECT 1 FROM temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t WHERE t.format = 'slurm');
INSERT INTO temp.mpg_others(record, id, job, attempt, kind, start_us, end_us, pool, chip, chips, task, outcome, until_us, of_tables)
SELECT record, id, job, attempt, kind, start_us, end_us, pool, chip, chips, task, outcome, until_us, 0 FROM temp.mpg_later_records;
-- What waited in an export before this one, of which the tables know no attempt, is what this one tells: the last task of an array, say.
DROP TABLE IF EXISTS temp.mpg_began;
CREATE TEMP TABLE mpg_began AS
SELECT DISTINCT o.job FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row
WHERE o.record = 'allocations' AND o.chips > 0
  AND o.job NOT IN (SELECT r.job FROM temp.mpg_later_records AS r WHERE r.record = 'allocations' AND r.chips > 0);
UPDATE temp.mpg_others SET submit_us = min(mpg_others.submit_us, j.submit_us)
FROM main.jobs AS j
WHERE record = 'jobs' AND mpg_others.rowid IN (SELECT row FROM temp.mpg_swapped)
  AND mpg_others.job IN (SELECT b.job FROM temp.mpg_began AS b) AND j.job = mpg_others.job AND j.submit_us IS NOT NULL;
INSERT INTO temp.mpg_others(record, id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us,
                            labels, of_tables)
SELECT 'jobs', id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels, 0
FROM main.jobs
WHERE job IN (SELECT j.job FROM temp.mpg_swapped_jobs AS j) AND job NOT IN (SELECT b.job FROM temp.mpg_began AS b);
DROP TABLE temp.mpg_began;
DELETE FROM main.jobs WHERE job IN (SELECT j.job FROM temp.mpg_swapped_jobs AS j);
-- A record that both have may have got an end since. Of jobs that got another name it has another id.
UPDATE temp.mpg_others
SET id = r.id
FROM temp.mpg_later_records AS r
WHERE r.record = 'allocations' AND mpg_others.record = 'allocations' AND mpg_others.rowid IN (SELECT row FROM temp.mpg_swapped)
  AND mpg_others.job IN (SELECT c.name FROM temp.mpg_of_cluster AS c)
  AND r.job = mpg_others.job AND r.start_us = mpg_others.start_us AND r.task IS mpg_others.task AND r.pool = mpg_others.pool
  AND r.chips = mpg_others.chips AND r.end_us IS mpg_others.end_us;
UPDATE temp.mpg_others
SET attempt = r.attempt, pool = r.pool, start_us = r.start_us, end_us = r.end_us, outcome = r.outcome
FROM temp.mpg_later_records AS r
WHERE r.id = mpg_others.id AND r.record = mpg_others.record AND mpg_others.rowid IN (SELECT row FROM temp.mpg_swapped);
INSERT OR IGNORE INTO main.capacity(id, pool, chip, chips, start_us, end_us)
SELECT id, pool, chip, chips, start_us, end_us FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row
WHERE record = 'capacity';
INSERT OR IGNORE INTO main.outages(id, pool, chips, start_us, end_us, kind)
SELECT id, pool, chips, start_us, end_us, kind FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row
WHERE record = 'outages';
INSERT OR IGNORE INTO main.allocations(id, job, attempt, task, pool, chips, start_us, end_us, outcome)
SELECT id, job, attempt, task, pool, chips, start_us, end_us, outcome
FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row WHERE record = 'allocations';
INSERT OR IGNORE INTO main.jobs(id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us,
                                labels)
SELECT id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels
FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row WHERE record = 'jobs';
INSERT INTO main.observed(pool, job, until_us, chip)
SELECT pool, job, until_us, chip FROM temp.mpg_swapped AS w CROSS JOIN temp.mpg_others AS o ON o.rowid = w.row WHERE record = 'observed';
DELETE FROM temp.mpg_others WHERE rowid IN (SELECT row FROM temp.mpg_swapped);
-- What clusters.sql knew of both.
DELETE FROM temp.mpg_known WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
INSERT INTO temp.mpg_known
SELECT id FROM (SELECT id FROM main.capacity UNION SELECT id FROM main.outages UNION SELECT id FROM main.allocations)
WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
DELETE FROM temp.mpg_fresh WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
INSERT INTO temp.mpg_fresh
SELECT rowid FROM temp.mpg_others
WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped) AND record IN ('capacity', 'outages', 'allocations')
  AND id NOT IN (SELECT k.id FROM temp.mpg_known AS k);
DELETE FROM temp.mpg_ids WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
INSERT OR IGNORE INTO temp.mpg_ids
SELECT id FROM temp.mpg_others WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped) AND record = 'allocations';
DELETE FROM temp.mpg_pools WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
INSERT INTO temp.mpg_pools
SELECT DISTINCT pool FROM temp.mpg_others WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped) AND pool IS NOT NULL;
DELETE FROM temp.mpg_seen WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped);
INSERT INTO temp.mpg_seen
SELECT pool, job, until_us FROM temp.mpg_others
WHERE EXISTS (SELECT 1 FROM temp.mpg_swapped) AND record = 'observed' AND pool IS NOT NULL;
DROP TABLE temp.mpg_later_pools;
DROP TABLE temp.mpg_later_records;
DROP TABLE temp.mpg_swapped;
