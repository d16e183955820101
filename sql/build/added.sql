-- build/added.sql - adds new records to the tables; of a log that has grown they take the place of those before.
--
-- A part of build.sql. Reads the tables of records.sql, and the TEMP tables that it made.

-- Jobs of which this reading tells as many attempts as the tables have beside them, and as long: of files that were built before with
-- another zone, pool or number of chips, say. Unless more jobs are told as before: an id is given anew, and a limit of time ends several.
DROP TABLE IF EXISTS temp.mpg_otherwise;
CREATE TEMP TABLE mpg_otherwise AS
WITH beside AS (
  SELECT job, count(*) AS n, sum(end_us - start_us) AS held_us FROM main.allocations
  WHERE chips > 0 AND end_us IS NOT NULL AND id NOT IN (SELECT o.id FROM temp.mpg_ids AS o)
  GROUP BY job
)
SELECT b.job, b.n FROM beside AS b
JOIN (SELECT job, count(*) AS n, sum(end_us - start_us) AS held_us FROM temp.mpg_others
      WHERE record = 'allocations' AND chips > 0 AND end_us IS NOT NULL AND job IN (SELECT c.job FROM beside AS c)
      GROUP BY job) AS i USING (job, n, held_us);
DELETE FROM temp.mpg_otherwise
WHERE (SELECT count(*) FROM temp.mpg_otherwise) < (
  SELECT count(DISTINCT o.job) FROM temp.mpg_others AS o
  WHERE o.record = 'allocations' AND o.id IN (SELECT k.id FROM temp.mpg_known AS k)
    AND o.job NOT IN (SELECT t.job FROM temp.mpg_otherwise AS t));

INSERT OR IGNORE INTO main.capacity(id, pool, chip, chips, start_us, end_us)
SELECT id, pool, chip, chips, start_us, end_us FROM temp.mpg_others WHERE record = 'capacity';
INSERT OR IGNORE INTO main.outages(id, pool, chips, start_us, end_us, kind)
SELECT id, pool, chips, start_us, end_us, kind FROM temp.mpg_others WHERE record = 'outages';
INSERT OR IGNORE INTO main.allocations(id, job, attempt, task, pool, chips, start_us, end_us, outcome)
SELECT id, job, attempt, task, pool, chips, start_us, end_us, outcome FROM temp.mpg_others AS o
WHERE record = 'allocations' -- most of a folder that is read again are there
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = o.job AND a.start_us = o.start_us AND a.id = o.id);
DROP VIEW IF EXISTS temp.mpg_span_ids;
CREATE TEMP VIEW mpg_span_ids AS
SELECT r.job, r.id FROM temp.mpg_sources AS s, trace_records(s.source) AS r WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans'
  AND (NOT EXISTS (SELECT 1 FROM temp.mpg_of_cluster) OR r.job NOT IN (SELECT c.job FROM temp.mpg_of_cluster AS c))
UNION ALL
SELECT c.name, r.id FROM temp.mpg_of_cluster AS c CROSS JOIN temp.mpg_sources AS s, trace_records(s.source) AS r
WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans' AND r.job = c.job
UNION ALL
SELECT CAST(coalesce((SELECT c.name FROM temp.mpg_of_cluster AS c WHERE c.job = r.job), r.job) AS TEXT), r.id
FROM temp.mpg_sources AS s, mpg_records(s.source) AS r WHERE NOT s.files AND r.record = 'spans';
-- Jobs that have the spans that they had are passed over. Ids are hashes, so as many with the same sums of their halves are the same.
UPDATE temp.mpg_incoming
SET known = job IN (SELECT k.job FROM temp.mpg_kept_logs AS k)
            OR (SELECT count(*) = n AND sum(id & 4294967295) = low AND sum(id >> 32) = high
                FROM main.spans AS s WHERE s.job = mpg_incoming.job);
-- Spans that a trace holds more than once count once. (They are counted only if not every span was new.)
DROP TABLE IF EXISTS temp.mpg_doubles;
CREATE TEMP TABLE mpg_doubles AS SELECT 0 AS added, 0 AS incoming, 0 AS doubles;
INSERT OR IGNORE INTO main.spans(id, job, attempt, kind, start_us, end_us, step, program, flops, bytes, dtype, executions)
SELECT * FROM temp.mpg_spans WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_incoming); -- of a new file, first: see run_script
UPDATE temp.mpg_doubles SET added = changes();
INSERT OR IGNORE INTO main.spans(id, job, attempt, kind, start_us, end_us, step, program, flops, bytes, dtype, executions)
SELECT * FROM temp.mpg_spans WHERE job IN (SELECT i.job FROM temp.mpg_incoming AS i WHERE NOT known);
UPDATE temp.mpg_doubles
SET added = added + changes(),
    incoming = coalesce((SELECT sum(n * NOT known) FROM temp.mpg_incoming),
                        (SELECT count(*) FROM temp.mpg_sources AS s, trace_records(s.source) AS r
                         WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans')
                        + (SELECT count(*) FROM temp.mpg_sources AS s, mpg_records(s.source) AS r
                           WHERE NOT s.files AND r.record = 'spans'));
UPDATE temp.mpg_doubles
SET doubles = iif(EXISTS (SELECT 1 FROM temp.mpg_incoming), 0, incoming - added)
WHERE added < incoming;
DROP TABLE IF EXISTS temp.mpg_repeating; -- jobs that may hold some, for the tables have other spans of them than came in
CREATE TEMP TABLE mpg_repeating AS
SELECT job, n FROM temp.mpg_incoming AS i
WHERE NOT known AND (SELECT added < incoming FROM temp.mpg_doubles)
  AND (n, low, high) IS NOT (SELECT count(*), sum(id & 4294967295), sum(id >> 32) FROM main.spans AS s WHERE s.job = i.job);
UPDATE temp.mpg_doubles
SET doubles = (SELECT sum(n) FROM temp.mpg_repeating)
              - (SELECT count(*) FROM (SELECT 1 FROM temp.mpg_span_ids
                                       WHERE job IN (SELECT r.job FROM temp.mpg_repeating AS r) GROUP BY id))
WHERE EXISTS (SELECT 1 FROM temp.mpg_repeating);
DROP TABLE temp.mpg_repeating;
INSERT OR REPLACE INTO main.chips(chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source)
SELECT chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source
FROM temp.mpg_others WHERE record = 'chips';
-- A value wins over none, and of two the greater, as in the ledger.
INSERT INTO main.jobs(id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels)
SELECT id, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels
FROM temp.mpg_others AS o
WHERE record = 'jobs' -- most jobs of a folder that is read again are as they were
  AND NOT EXISTS (SELECT 1 FROM main.jobs AS j
                  WHERE j.job = o.job AND j.id = o.id AND j.name IS o.name AND j.owner IS o.owner AND j.phase IS o.phase
                    AND j.framework IS o.framework AND j.runtime IS o.runtime AND j.model IS o.model AND j.priority IS o.priority
                    AND j.chips IS o.chips AND j.min_chips IS o.min_chips AND j.tasks IS o.tasks AND j.submit_us IS o.submit_us
                    AND j.labels IS o.labels)
ON CONFLICT (job) DO UPDATE SET
  id = excluded.id, name = coalesce(max(name, excluded.name), name, excluded.name),
  owner = coalesce(max(owner, excluded.owner), owner, excluded.owner),
  phase = coalesce(max(phase, excluded.phase), phase, excluded.phase),
  framework = coalesce(max(framework, excluded.framework), framework, excluded.framework),
  runtime = coalesce(max(runtime, excluded.runtime), runtime, excluded.runtime),
  model = coalesce(max(model, excluded.model), model, excluded.model),
  priority = coalesce(max(priority, excluded.priority), priority, excluded.priority),
  chips = coalesce(max(chips, excluded.chips), chips, excluded.chips),
  min_chips = coalesce(max(min_chips, excluded.min_chips), min_chips, excluded.min_chips),
  tasks = coalesce(max(tasks, excluded.tasks), tasks, excluded.tasks),
  submit_us = coalesce(max(submit_us, excluded.submit_us), submit_us, excluded.submit_us),
  labels = coalesce(max(labels, excluded.labels), labels, excluded.labels);
INSERT INTO main.programs(id, program, flops, bytes, dtype)
SELECT id, program, flops, bytes, dtype FROM temp.mpg_others WHERE record = 'programs'
ON CONFLICT (program) DO UPDATE SET
  id = excluded.id, flops = coalesce(max(flops, excluded.flops), flops, excluded.flops),
  bytes = coalesce(max(bytes, excluded.bytes), bytes, excluded.bytes),
  dtype = coalesce(max(dtype, excluded.dtype), dtype, excluded.dtype);

-- A log that has grown is mapped anew as a whole. So a record of its job that an earlier reading had is deleted if this reading lacks it.
-- Jobs of logs are those that `observed` has by themselves. What a job held is deleted from the first allocation of this reading on, as its
-- log may begin before the export; what it did from the first span to the last, as a log may be gone, or a part of what it was.
DROP TABLE IF EXISTS temp.mpg_logs;
CREATE TEMP TABLE mpg_logs(job TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO temp.mpg_logs
SELECT o.job FROM main.observed AS o WHERE o.job IS NOT NULL
UNION SELECT i.job FROM temp.mpg_others AS i WHERE i.record = 'observed' AND i.job IS NOT NULL;
DROP TABLE IF EXISTS temp.mpg_grown;
CREATE TEMP TABLE mpg_grown(job TEXT PRIMARY KEY, start_us BIGINT, last_us BIGINT, held_us BIGINT, until_us BIGINT,
                            was_us BIGINT) WITHOUT ROWID; -- was_us: until when the tables had it
INSERT INTO temp.mpg_grown(job, start_us, last_us, held_us)
SELECT job, min(start_us), max(last_us), min(held_us) FROM (
  SELECT job, NULL AS start_us, NULL AS last_us, iif(chips > 0, start_us, NULL) AS held_us FROM temp.mpg_others
  WHERE record = 'allocations' AND job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w)
  UNION ALL SELECT job, start_us, coalesce(end_us, start_us), NULL FROM temp.mpg_spans WHERE EXISTS (SELECT 1 FROM temp.mpg_logs))
WHERE job IN (SELECT l.job FROM temp.mpg_logs AS l) AND job NOT IN (SELECT k.job FROM temp.mpg_kept_logs AS k)
GROUP BY job;
DROP TABLE temp.mpg_logs;
-- An older part of a log says nothing of what came later.
UPDATE temp.mpg_grown SET until_us = coalesce((SELECT e.until_us FROM temp.mpg_log_ends AS e WHERE e.job = mpg_grown.job), 9e18),
  was_us = coalesce((SELECT max(o.until_us) FROM main.observed AS o WHERE o.job = mpg_grown.job), 0);
DELETE FROM main.capacity
WHERE id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'capacity')
  AND (pool, chips, start_us) IN (
    SELECT a.pool, a.chips, a.start_us
    FROM temp.mpg_grown AS g CROSS JOIN main.allocations AS a ON a.job = g.job AND a.start_us >= g.held_us AND a.start_us < g.until_us
      AND coalesce(a.end_us, g.was_us) <= g.until_us
    WHERE g.job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w));
DELETE FROM main.allocations WHERE (job, start_us, id) IN (
  SELECT a.job, a.start_us, a.id
  FROM temp.mpg_grown AS g CROSS JOIN main.allocations AS a ON a.job = g.job AND a.start_us >= g.held_us AND a.start_us < g.until_us
      AND coalesce(a.end_us, g.was_us) <= g.until_us
  WHERE g.job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w) AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
    -- an end that came after this reading stays
    AND NOT coalesce(a.end_us > (SELECT max(s.until_us) FROM temp.mpg_seen AS s WHERE s.pool = a.pool AND s.job IS NULL), 0));
DELETE FROM main.spans WHERE (job, start_us, id) IN (
  SELECT s.job, s.start_us, s.id
  FROM temp.mpg_grown AS g CROSS JOIN main.spans AS s ON s.job = g.job AND s.start_us >= g.start_us
    AND s.start_us <= g.until_us AND s.start_us < max(g.last_us, g.start_us + 1)
  WHERE s.id NOT IN (SELECT i.id FROM temp.mpg_spans AS i));
DELETE FROM main.commits WHERE (job, id) IN (
  SELECT c.job, c.id
  FROM temp.mpg_grown AS g CROSS JOIN main.commits AS c ON c.job = g.job
    AND coalesce(c.snapshot_us, c.durable_us) BETWEEN g.start_us AND min(g.until_us, g.last_us)
  WHERE c.id NOT IN (SELECT i.id FROM temp.mpg_commits AS i));
DROP TABLE temp.mpg_grown;
-- Spans of a log's piece are of the attempt that its job's allocations have by now (pieces.sql).
UPDATE main.spans SET attempt = (SELECT a.attempt FROM main.allocations AS a
                                 WHERE a.job = spans.job AND a.chips > 0 AND a.start_us <= spans.start_us
                                   AND coalesce(a.end_us, 9e18) > spans.start_us ORDER BY a.start_us DESC LIMIT 1)
WHERE job IN (SELECT p.job FROM temp.mpg_pieces AS p) AND attempt IS NOT NULL
  AND EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = spans.job AND a.chips > 0 AND a.start_us <= spans.start_us
                AND coalesce(a.end_us, 9e18) > spans.start_us);

-- Until when pools and jobs were observed, and the chips of pools without capacity. This reading decides for the pools and jobs that it
-- tells of. But an older export does not take back the time that a later one saw, and an export without logs takes back no chip.
DROP TABLE IF EXISTS temp.mpg_told;
CREATE TEMP TABLE mpg_told(pool TEXT PRIMARY KEY, until_us BIGINT, chip TEXT) WITHOUT ROWID;
INSERT INTO temp.mpg_told
SELECT pool, max(max(coalesce(start_us, 0), coalesce(end_us, 0), coalesce(until_us, 0))), max(chip) FILTER (WHERE record = 'observed')
FROM temp.mpg_others
WHERE record IN ('capacity', 'allocations', 'observed') AND pool IS NOT NULL AND EXISTS (SELECT 1 FROM main.observed) GROUP BY pool;
-- Jobs that wait ask until they were last seen. Exports list them again; an accounting log tells of them when they were submitted alone.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'lost_end', NULL, count(*),
       'jobs that waited, and of which this later reading tells nothing, the first ' || min(job)
         || ': they asked until they were last seen. Build days of a log that tells each event once, as PBS has, at once'
FROM main.observed AS o
WHERE job IN (SELECT j.job FROM main.jobs AS j WHERE j.chips > 0)
  AND until_us IN (SELECT p.until_us FROM main.observed AS p JOIN temp.mpg_told AS t ON t.pool = p.pool WHERE t.until_us > p.until_us)
  AND job NOT IN (SELECT i.job FROM temp.mpg_others AS i WHERE i.job IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = o.job)
GROUP BY NULL HAVING count(*) > 0;
DROP TABLE IF EXISTS temp.mpg_seen_later; -- nor that of a job, which may have waited when the older was made
CREATE TEMP TABLE mpg_seen_later(job TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO temp.mpg_seen_later
SELECT i.job FROM temp.mpg_others AS i
WHERE i.record = 'observed' AND i.job IS NOT NULL AND EXISTS (SELECT 1 FROM temp.mpg_known)
  AND (EXISTS (SELECT 1 FROM main.observed AS o WHERE o.job = i.job AND o.until_us > i.until_us)
       OR EXISTS (SELECT 1 FROM main.allocations AS a
                  WHERE a.job = i.job AND (a.start_us > i.until_us
                                           OR a.end_us > i.until_us AND a.id NOT IN (SELECT k.id FROM temp.mpg_ids AS k))))
GROUP BY i.job;
DELETE FROM main.observed
WHERE pool IN (SELECT t.pool FROM temp.mpg_told AS t
               WHERE iif(observed.chip IS NULL, coalesce(observed.until_us, 0) <= t.until_us, t.chip IS NOT NULL))
   OR job IN (SELECT i.job FROM temp.mpg_others AS i WHERE i.record IN ('jobs', 'allocations', 'observed'))
      AND job NOT IN (SELECT l.job FROM temp.mpg_seen_later AS l);
INSERT INTO main.observed(pool, job, until_us, chip)
SELECT pool, job, until_us, chip FROM temp.mpg_others
WHERE record = 'observed' AND (job IS NULL OR job NOT IN (SELECT l.job FROM temp.mpg_seen_later AS l));
DROP TABLE temp.mpg_seen_later;
DROP TABLE temp.mpg_told;
