-- build/ended.sql - records that were open give way to those that have their end, and values of jobs and spans to later ones.
--
-- A part of build.sql. Reads the tables to which added.sql has added, and what came in, which it drops at the end.

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
DROP TABLE IF EXISTS temp.mpg_pieces;
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
