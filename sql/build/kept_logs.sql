-- build/kept_logs.sql - a log whose job the tables have, and of whose job this reading tells nothing, stays that job's.
--
-- An export of each day takes the place of the last, and the logs stay where they are: a log of yesterday is a job by itself then, with
-- chips of its own beside those that its job held. So is the log of a job that was requeued, if the export shows it as one that waits.
-- It is found by its steps: the tables have them of one job, and no other of that time.
-- A part of build.sql. Takes such logs out of mpg_others, and puts them into mpg_kept_logs.

-- Logs with chips of their own, or of a pool of which nothing tells what is installed: the tables do not have them, or have their job in
-- other pools. What was submitted is no log.
DROP TABLE IF EXISTS temp.mpg_lone_pools;
CREATE TEMP TABLE mpg_lone_pools AS
SELECT DISTINCT a.job, a.pool FROM temp.mpg_others AS a
LEFT JOIN (SELECT pool, start_us, chips FROM temp.mpg_others WHERE record = 'capacity') AS c
  ON c.pool = a.pool AND c.start_us = a.start_us AND c.chips = a.chips
WHERE a.record = 'allocations' AND a.chips > 0 AND EXISTS (SELECT 1 FROM temp.mpg_incoming)
  AND (c.pool IS NOT NULL OR a.pool NOT IN (SELECT o.pool FROM temp.mpg_others AS o WHERE o.record = 'capacity' AND o.pool IS NOT NULL));
DROP TABLE IF EXISTS temp.mpg_lone_logs;
CREATE TEMP TABLE mpg_lone_logs AS
SELECT i.job, i.start_us, 1 AS by_itself FROM temp.mpg_incoming AS i
WHERE i.job NOT IN (SELECT j.job FROM main.jobs AS j) AND i.job IN (SELECT l.job FROM temp.mpg_lone_pools AS l)
  AND i.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.record = 'jobs' AND o.submit_us IS NOT NULL)
UNION ALL
SELECT i.job, i.start_us, 0 FROM temp.mpg_incoming AS i
WHERE i.job IN (SELECT l.job FROM temp.mpg_lone_pools AS l)
  AND i.job NOT IN (SELECT o.job FROM temp.mpg_others AS o
                    WHERE o.record = 'allocations' AND o.chips > 0
                      AND iif((o.job, o.pool) IN (SELECT l.job, l.pool FROM temp.mpg_lone_pools AS l), 0, 1))
  AND EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = i.job AND a.chips > 0
                AND iif((a.job, a.pool) IN (SELECT l.job, l.pool FROM temp.mpg_lone_pools AS l), 0, 1));
DROP TABLE temp.mpg_lone_pools;
CREATE INDEX temp.mpg_lone_log_at ON mpg_lone_logs(start_us);
-- A scheduler's jobs of the tables that have a span which begins as such a log does.
DROP TABLE IF EXISTS temp.mpg_begun_alike;
CREATE TEMP TABLE mpg_begun_alike AS
SELECT DISTINCT l.job, s.job AS of_job
FROM (SELECT 1 FROM temp.mpg_lone_logs LIMIT 1) CROSS JOIN main.spans AS s CROSS JOIN temp.mpg_lone_logs AS l ON l.start_us = s.start_us
WHERE iif(l.by_itself, s.job NOT IN (SELECT o.job FROM temp.mpg_others AS o WHERE o.record = 'allocations' AND o.chips > 0), s.job = l.job)
  AND s.job IN (SELECT j.job FROM main.jobs AS j WHERE j.submit_us IS NOT NULL);
DROP TABLE IF EXISTS temp.mpg_lone_steps;
CREATE TEMP TABLE mpg_lone_steps AS
SELECT r.job, CAST(round(r.start_time * 1e6) AS INTEGER) AS start_us, r.kind, r.step
FROM (SELECT DISTINCT job FROM temp.mpg_begun_alike) AS l CROSS JOIN temp.mpg_sources AS s, trace_records(s.source) AS r
WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans' AND r.job = l.job AND r.kind IN ('step', 'batch', 'serve', 'rollout');
INSERT INTO temp.mpg_kept_logs
SELECT job, min(of_job), min(n - there)
FROM (SELECT b.job, b.of_job, count(*) AS n, min(l.start_us) AS first, max(l.start_us) AS last,
             sum(EXISTS (SELECT 1 FROM main.spans AS s
                         WHERE s.job = b.of_job AND s.start_us = l.start_us AND s.kind = l.kind AND s.step IS l.step)) AS there
      FROM temp.mpg_begun_alike AS b JOIN temp.mpg_lone_steps AS l USING (job) GROUP BY b.job, b.of_job) AS b
WHERE there > 0 AND there = (SELECT count(*) FROM main.spans AS s
                             WHERE s.job = b.of_job AND s.start_us BETWEEN first AND last
                               AND s.kind IN ('step', 'batch', 'serve', 'rollout'))
GROUP BY job HAVING count(*) = 1;
DROP TABLE temp.mpg_lone_logs;
DROP TABLE temp.mpg_begun_alike;
DROP TABLE temp.mpg_lone_steps;

DROP TABLE IF EXISTS temp.mpg_kept_pools;
CREATE TEMP TABLE mpg_kept_pools AS
SELECT pool, chips, start_us, row_number() OVER (PARTITION BY pool, chips, start_us ORDER BY rowid) AS nth FROM temp.mpg_others
WHERE record = 'allocations' AND chips > 0 AND job IN (SELECT k.job FROM temp.mpg_kept_logs AS k);
DELETE FROM temp.mpg_others
WHERE rowid IN (SELECT c.place FROM (SELECT rowid AS place, pool, chips, start_us,
                                            row_number() OVER (PARTITION BY pool, chips, start_us ORDER BY rowid) AS nth
                                     FROM temp.mpg_others
                                     WHERE record = 'capacity' AND EXISTS (SELECT 1 FROM temp.mpg_kept_pools)) AS c
                JOIN temp.mpg_kept_pools USING (pool, chips, start_us, nth))
   OR job IN (SELECT k.job FROM temp.mpg_kept_logs AS k WHERE k.job <> k.of_job)
   OR record = 'allocations' AND chips > 0 AND job IN (SELECT k.job FROM temp.mpg_kept_logs AS k);
DELETE FROM temp.mpg_others -- until when a pool was observed that has nothing more
WHERE record = 'observed' AND job IS NULL AND pool IN (SELECT k.pool FROM temp.mpg_kept_pools AS k)
  AND pool NOT IN (SELECT o.pool FROM temp.mpg_others AS o WHERE o.record IN ('capacity', 'allocations') AND o.pool IS NOT NULL);
DROP TABLE temp.mpg_kept_pools;
DELETE FROM temp.mpg_log_ends WHERE job IN (SELECT k.job FROM temp.mpg_kept_logs AS k WHERE k.job <> k.of_job);
-- One that has grown is told anew as a whole; the job's attempts are the scheduler's. That of a job which waits is told when it runs.
DROP TABLE IF EXISTS temp.mpg_kept_spans;
CREATE TEMP TABLE mpg_kept_spans AS
SELECT k.job AS log, r.id, k.of_job AS job, r.kind, CAST(round(r.start_time * 1e6) AS INTEGER) AS start_us,
       CAST(round(r.end_time * 1e6) AS INTEGER) AS end_us, r.step, r.program, r.flops, r.bytes, r.dtype, r.executions
FROM temp.mpg_kept_logs AS k CROSS JOIN temp.mpg_sources AS s, trace_records(s.source) AS r
WHERE s.files AND s.source IS NOT NULL AND r.record = 'spans' AND r.job = k.job AND k.more > 0 AND k.job <> k.of_job;
DROP TABLE IF EXISTS temp.mpg_kept_commits;
CREATE TEMP TABLE mpg_kept_commits AS
SELECT k.job AS log, r.id, k.of_job AS job, r.step, CAST(round(r.snapshot_time * 1e6) AS INTEGER) AS snapshot_us,
       CAST(round(r.durable_time * 1e6) AS INTEGER) AS durable_us
FROM temp.mpg_kept_logs AS k CROSS JOIN temp.mpg_sources AS s, trace_records(s.source) AS r
WHERE s.files AND s.source IS NOT NULL AND r.record = 'commits' AND r.job = k.job AND k.more > 0 AND k.job <> k.of_job;
DROP TABLE IF EXISTS temp.mpg_kept_times;
CREATE TEMP TABLE mpg_kept_times AS
SELECT job, min(start_us) AS first, max(max(coalesce(end_us, start_us)),
                                        coalesce((SELECT max(coalesce(c.durable_us, c.snapshot_us))
                                                  FROM temp.mpg_kept_commits AS c WHERE c.log = k.log), 0)) AS last
FROM temp.mpg_kept_spans AS k GROUP BY log, job;
DELETE FROM main.spans WHERE (job, start_us, id) IN (
  SELECT s.job, s.start_us, s.id FROM temp.mpg_kept_times AS t
  CROSS JOIN main.spans AS s ON s.job = t.job AND s.start_us BETWEEN t.first AND t.last);
DELETE FROM main.commits WHERE (job, id) IN (
  SELECT c.job, c.id FROM temp.mpg_kept_times AS t CROSS JOIN main.commits AS c ON c.job = t.job
    AND coalesce(c.snapshot_us, c.durable_us) BETWEEN t.first AND t.last);
INSERT OR IGNORE INTO main.spans(id, job, kind, start_us, end_us, step, program, flops, bytes, dtype, executions)
SELECT id, job, kind, start_us, end_us, step, program, flops, bytes, dtype, executions FROM temp.mpg_kept_spans;
INSERT OR IGNORE INTO main.commits(id, job, step, snapshot_us, durable_us)
SELECT id, job, step, snapshot_us, durable_us FROM temp.mpg_kept_commits;
DROP TABLE temp.mpg_kept_times;
DROP TABLE temp.mpg_kept_spans;
DROP TABLE temp.mpg_kept_commits;
UPDATE main.observed AS o
SET until_us = max(until_us, coalesce((SELECT max(coalesce(s.end_us, s.start_us)) FROM main.spans AS s WHERE s.job = o.job), 0),
                   coalesce((SELECT max(c.durable_us) FROM main.commits AS c WHERE c.job = o.job), 0))
WHERE until_us IS NOT NULL AND job IN (SELECT k.of_job FROM temp.mpg_kept_logs AS k WHERE k.more > 0 AND k.job <> k.of_job);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'info', 'kept_log', NULL, count(*),
       'logs whose jobs this reading lacks, or has as waiting, the first ' || min(job)
         || ': by their steps they stay with jobs of the tables, the first ' || min(of_job)
FROM temp.mpg_kept_logs GROUP BY NULL;
