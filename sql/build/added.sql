-- build/added.sql - adds new records to the tables; a record that was open gives way to the one that has its end.
--
-- A part of build.sql. Reads the tables of records.sql, and the TEMP tables that it made, which it drops.

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
CREATE TEMP TABLE mpg_grown(job TEXT PRIMARY KEY, start_us BIGINT, last_us BIGINT, held_us BIGINT) WITHOUT ROWID;
INSERT INTO temp.mpg_grown
SELECT job, min(start_us), max(last_us), min(held_us) FROM (
  SELECT job, NULL AS start_us, NULL AS last_us, iif(chips > 0, start_us, NULL) AS held_us FROM temp.mpg_others
  WHERE record = 'allocations' AND job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w)
  UNION ALL SELECT job, start_us, coalesce(end_us, start_us), NULL FROM temp.mpg_spans WHERE EXISTS (SELECT 1 FROM temp.mpg_logs))
WHERE job IN (SELECT l.job FROM temp.mpg_logs AS l) AND job NOT IN (SELECT k.job FROM temp.mpg_kept_logs AS k)
GROUP BY job;
DROP TABLE temp.mpg_logs;
ALTER TABLE temp.mpg_grown ADD COLUMN until_us BIGINT; -- an older part of a log says nothing of what came later
UPDATE temp.mpg_grown SET until_us = coalesce((SELECT e.until_us FROM temp.mpg_log_ends AS e WHERE e.job = mpg_grown.job), 9e18);
DELETE FROM main.capacity
WHERE id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'capacity')
  AND (pool, chips, start_us) IN (
    SELECT a.pool, a.chips, a.start_us
    FROM temp.mpg_grown AS g CROSS JOIN main.allocations AS a ON a.job = g.job AND a.start_us >= g.held_us AND a.start_us <= g.until_us
    WHERE g.job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w));
DELETE FROM main.allocations WHERE (job, start_us, id) IN (
  SELECT a.job, a.start_us, a.id
  FROM temp.mpg_grown AS g CROSS JOIN main.allocations AS a ON a.job = g.job AND a.start_us >= g.held_us AND a.start_us <= g.until_us
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
       OR EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = i.job AND a.start_us > i.until_us))
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

-- A record that was open when an earlier file was written, and has an end now. One reading may hold two records that differ in their end
-- alone, as of two hosts of which one is gone. So each end replaces one open record, and only if one of the two was there before this
-- reading. A task holds its chips once: there an end replaces every open record.
DELETE FROM main.capacity WHERE id IN (
  SELECT id FROM (
    SELECT id, end_us, known, row_number() OVER (PARTITION BY pool, chip, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.capacity)
    WINDOW alike AS (PARTITION BY pool, chip, chips, start_us))
  WHERE end_us IS NULL AND place <= iif(known, told, told_before));
DELETE FROM main.outages WHERE id IN (
  SELECT id FROM (
    SELECT id, end_us, known, row_number() OVER (PARTITION BY pool, kind, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.outages)
    WINDOW alike AS (PARTITION BY pool, kind, chips, start_us))
  WHERE end_us IS NULL AND place <= iif(known, told, told_before));
DELETE FROM main.allocations WHERE id IN (
  SELECT id FROM (
    SELECT id, task, end_us, known,
           row_number() OVER (PARTITION BY job, attempt, task, pool, chips, start_us, known, end_us IS NULL ORDER BY id) AS place,
           count(*) FILTER (WHERE end_us IS NOT NULL AND NOT known) OVER alike AS told,
           count(*) FILTER (WHERE end_us IS NOT NULL AND known) OVER alike AS told_before
    FROM (SELECT *, id IN (SELECT k.id FROM temp.mpg_known AS k) AS known FROM main.allocations
          WHERE (job, start_us) IN (SELECT job, start_us FROM main.allocations WHERE end_us IS NULL))
    WINDOW alike AS (PARTITION BY job, attempt, task, pool, chips, start_us))
  WHERE end_us IS NULL AND iif(task IS NULL, place <= iif(known, told, told_before), told + told_before > 0));
-- If this reading has all that the tables had of a job, and more, its values count: a job that waited may have asked for fewer chips at
-- last, or be the last task of an array.
DROP TABLE IF EXISTS temp.mpg_went_on;
CREATE TEMP TABLE mpg_went_on(job TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO temp.mpg_went_on
SELECT o.job FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS o ON o.rowid = f.row WHERE o.record = 'allocations'
UNION
SELECT job FROM temp.mpg_others AS o
WHERE record = 'jobs' AND submit_us IS NOT NULL AND EXISTS (SELECT 1 FROM temp.mpg_known)
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = o.job);
DELETE FROM temp.mpg_went_on
WHERE EXISTS (SELECT 1 FROM main.allocations AS a
              WHERE a.job = mpg_went_on.job AND a.id NOT IN (SELECT o.id FROM temp.mpg_ids AS o));
UPDATE main.jobs AS j
SET name = coalesce(i.name, j.name), owner = coalesce(i.owner, j.owner), phase = coalesce(i.phase, j.phase),
  framework = coalesce(i.framework, j.framework),
    runtime = coalesce(i.runtime, j.runtime), model = coalesce(i.model, j.model), priority = coalesce(i.priority, j.priority),
  chips = coalesce(i.chips, j.chips),
    min_chips = coalesce(i.min_chips, iif(i.chips < j.chips, NULL, j.min_chips)),
  tasks = coalesce(i.tasks, iif(i.chips < j.chips, NULL, j.tasks)),
    submit_us = coalesce(i.submit_us, j.submit_us), labels = coalesce(i.labels, j.labels)
FROM (SELECT job, max(name) AS name, max(owner) AS owner, max(phase) AS phase, max(framework) AS framework, max(runtime) AS runtime,
             max(model) AS model, max(priority) AS priority, max(chips) AS chips, max(min_chips) AS min_chips, max(tasks) AS tasks,
             max(submit_us) AS submit_us, max(labels) AS labels
      FROM temp.mpg_others WHERE record = 'jobs' AND job IN (SELECT w.job FROM temp.mpg_went_on AS w) GROUP BY job) AS i
WHERE i.job = j.job;
DROP TABLE temp.mpg_went_on;
DROP TABLE IF EXISTS temp.mpg_open_spans;
CREATE TEMP TABLE mpg_open_spans AS
SELECT s.job, start_us, kind, attempt, step, program, id
FROM (SELECT job FROM temp.mpg_incoming WHERE NOT known) AS i CROSS JOIN main.spans AS s ON s.job = i.job WHERE end_us IS NULL
UNION ALL
SELECT job, start_us, kind, attempt, step, program, id
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_incoming)) CROSS JOIN main.spans WHERE end_us IS NULL;
CREATE INDEX temp.mpg_open_spans_key ON mpg_open_spans(job, start_us, kind, attempt, step, program, id);
DELETE FROM main.spans WHERE (job, start_us, id) IN (
  SELECT o.job, o.start_us, o.id
  FROM (SELECT DISTINCT job, start_us FROM temp.mpg_open_spans) AS t
  CROSS JOIN main.spans AS c ON c.job = t.job AND c.start_us = t.start_us
  CROSS JOIN temp.mpg_open_spans AS o
    ON o.job = c.job AND o.start_us = c.start_us AND o.kind = c.kind
       AND o.attempt IS c.attempt AND o.step IS c.step AND o.program IS c.program
  WHERE c.end_us IS NOT NULL);
DROP TABLE temp.mpg_open_spans;
-- A span that an earlier reading rated before a dump of its job's own program was there: this reading's rating counts.
DROP TABLE IF EXISTS temp.mpg_rated;
CREATE TEMP TABLE mpg_rated AS
SELECT job, start_us, id, dense_rank() OVER (ORDER BY job, start_us, end_us, kind, attempt, step, program, executions) AS alike
FROM (SELECT s.*, count(*) OVER (PARTITION BY s.job, s.start_us, end_us, kind, attempt, step, program, executions) AS alike
      FROM (SELECT s.job, s.start_us -- in the order of the key: nothing is sorted
            FROM (SELECT job FROM temp.mpg_incoming AS i
                  WHERE NOT known AND n < (SELECT count(*) FROM main.spans AS s WHERE s.job = i.job)) AS i
            CROSS JOIN main.spans AS s ON s.job = i.job AND s.program IS NOT NULL GROUP BY s.job, s.start_us HAVING count(*) > 1) AS t
      CROSS JOIN main.spans AS s ON s.job = t.job AND s.start_us = t.start_us AND s.program IS NOT NULL)
WHERE alike > 1;
ALTER TABLE temp.mpg_rated ADD COLUMN now BOOLEAN;
UPDATE temp.mpg_rated SET now = id IN (SELECT i.id FROM temp.mpg_span_ids AS i);
DELETE FROM main.spans WHERE (job, start_us, id) IN (
  SELECT job, start_us, id FROM temp.mpg_rated WHERE NOT now AND alike IN (SELECT alike FROM temp.mpg_rated WHERE now));
DROP TABLE temp.mpg_rated;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'told_otherwise', NULL, count(*),
       'jobs that the tables had by another clock, in another pool or with other chips, the first ' || min(o.job)
         || ': both count. Were they built with other options? Then build into a new file'
FROM (SELECT o.job FROM temp.mpg_otherwise AS o
      WHERE o.n < (SELECT count(*) FROM main.allocations AS a WHERE a.job = o.job AND a.chips > 0 AND a.end_us IS NOT NULL)
      UNION -- or an attempt and task at once, with another start
      SELECT a.job
      FROM (SELECT DISTINCT o.job FROM temp.mpg_others AS o
            WHERE o.record = 'allocations' AND o.id NOT IN (SELECT k.id FROM temp.mpg_known AS k)) AS n
      CROSS JOIN main.allocations AS a ON a.job = n.job
      CROSS JOIN main.allocations AS b ON b.job = a.job AND b.attempt IS a.attempt AND b.task IS a.task
      WHERE a.id NOT IN (SELECT o.id FROM temp.mpg_others AS o WHERE o.record = 'allocations')
        AND b.id IN (SELECT o.id FROM temp.mpg_others AS o WHERE o.record = 'allocations')
        AND a.chips > 0 AND b.chips > 0 AND a.start_us <> b.start_us AND a.start_us < b.end_us AND b.start_us < a.end_us) AS o
GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_otherwise;

-- Whether the tables hold exactly what this reading had. If so, mpg_build accounts the records that are in memory, and does not read the
-- tables. For a new file it knows that without asking.
DROP TABLE IF EXISTS temp.mpg_as_read;
CREATE TEMP TABLE mpg_as_read AS
SELECT CASE WHEN EXISTS (SELECT 1 FROM temp.mpg_swapped_jobs) THEN 0 WHEN EXISTS (SELECT 1 FROM temp.mpg_incoming) THEN
       NOT EXISTS (SELECT 1 FROM temp.mpg_incoming AS i
                       WHERE NOT known AND (n, low, high) IS NOT (SELECT count(*), sum(id & 4294967295), sum(id >> 32)
                                                                  FROM main.spans AS s WHERE s.job = i.job))
       AND NOT EXISTS (SELECT 1 FROM temp.mpg_new_commits AS i
                       WHERE (n, low, high) IS NOT (SELECT count(*), sum(id & 4294967295), sum(id >> 32)
                                                    FROM main.commits AS c WHERE c.job = i.job))
       AND NOT EXISTS (SELECT id FROM main.capacity EXCEPT SELECT id FROM temp.mpg_others WHERE record = 'capacity')
       AND NOT EXISTS (SELECT id FROM main.outages EXCEPT SELECT id FROM temp.mpg_others WHERE record = 'outages')
       AND NOT EXISTS (SELECT id FROM main.allocations EXCEPT SELECT id FROM temp.mpg_others WHERE record = 'allocations')
       AND NOT EXISTS (SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us, labels
                       FROM main.jobs
                       EXCEPT SELECT job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks, submit_us,
                                     labels
                       FROM temp.mpg_others WHERE record = 'jobs')
       AND NOT EXISTS (SELECT program, flops, bytes, dtype FROM main.programs
                       EXCEPT SELECT program, flops, bytes, dtype FROM temp.mpg_others WHERE record = 'programs')
       AND NOT EXISTS (SELECT pool, job, until_us, chip FROM main.observed
                       EXCEPT SELECT pool, job, until_us, chip FROM temp.mpg_others WHERE record = 'observed') END AS whole,
       (SELECT min(listed) FROM temp.mpg_sources) AS listed;

--@ part dropped
DROP TABLE temp.mpg_known;
DROP TABLE IF EXISTS temp.mpg_fresh;
DROP TABLE IF EXISTS temp.mpg_ids;
DROP TABLE IF EXISTS temp.mpg_pools;
DROP TABLE IF EXISTS temp.mpg_seen;
DROP TABLE IF EXISTS temp.mpg_log_ends;
DROP TABLE IF EXISTS temp.mpg_swapped_jobs;
DROP TABLE IF EXISTS temp.mpg_kept_logs;
DROP TABLE temp.mpg_incoming;
DROP TABLE IF EXISTS temp.mpg_new_commits;
DROP VIEW IF EXISTS temp.mpg_span_ids;
DROP VIEW temp.mpg_spans;
DROP VIEW temp.mpg_commits;
DROP TABLE temp.mpg_of_cluster;
DROP TABLE temp.mpg_sources;
DROP TABLE temp.mpg_others;
DROP TABLE IF EXISTS temp.capacity;
DROP TABLE IF EXISTS temp.outages;
DROP TABLE IF EXISTS temp.jobs;
DROP TABLE IF EXISTS temp.allocations;
DROP TABLE IF EXISTS temp.spans;
DROP TABLE IF EXISTS temp.commits;
DROP TABLE IF EXISTS temp.programs;
DROP TABLE IF EXISTS temp.observed;
