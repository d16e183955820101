-- build/ledger.sql - the ledger of the records, and sums of it.
--
-- Reads the tables of records.sql. Makes the tables ledger, day_sums, pool_sums and job_sums.
-- A part of build.sql, which says what the inputs are and runs the parts in order.

-- ---- 2. The ledger of these records ----

--@ part asks
DROP TABLE IF EXISTS temp.mpg_did;
-- What is made: all rows; or, if `whole` is 0, those of jobs that mpg_changed has, and those of pools on days of UTC that mpg_changed_days
-- has. mpg_build says so (changed_jobs.c), and then runs no statement that drops or makes a table of the file.
CREATE TEMP TABLE IF NOT EXISTS mpg_made AS SELECT 1 AS whole;
CREATE TEMP TABLE IF NOT EXISTS mpg_changed(job TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS mpg_changed_days(pool TEXT, day BIGINT, PRIMARY KEY (pool, day)) WITHOUT ROWID;

-- What jobs did, run by run and program by program, over all pools. (This comes first: mpg_issues keeps what the last scan lists, and this
-- one lists only what it finds of jobs.)
--@ part asked
CREATE TEMP TABLE mpg_did AS
SELECT * FROM mpg_runs
WHERE bucket_width = '1 day' -- for program_ledger
  AND ((SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM temp.mpg_changed AS c))
  AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
  AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
  AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
  AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline');

-- Hour by hour. job and attempt are NULL for idle and down, attempt for queued.
-- hour and day are those of the ledger's clocks; time is the start of the hour in Unix seconds, whatever the clocks.
-- The sum of a *_us column, or of its hours, is what ratios are made of; that of chip_us has the queue in it, which is
-- no capacity. Categories are compared one by one: SQLite makes the list of an IN anew for each row of a generated
-- column.
DROP TABLE IF EXISTS main.ledger;
CREATE TABLE ledger(
  hour DATETIME, time BIGINT, pool TEXT, chip TEXT, job TEXT, attempt BIGINT, name TEXT, owner TEXT, phase TEXT,
  framework TEXT, runtime TEXT, model TEXT, size TEXT, priority TEXT, team TEXT, category TEXT, cause TEXT,
  chip_us BIGINT, intervals BIGINT,
  day DATETIME AS (substr(hour, 1, 10) || ' 00:00:00'),
  week TEXT AS (strftime('%Y', date(hour, '-3 days', 'weekday 4')) || '-W'
                || printf('%02d', (strftime('%j', date(hour, '-3 days', 'weekday 4')) - 1) / 7 + 1)),
  month TEXT AS (substr(hour, 1, 7)),
  chip_hours REAL AS (chip_us / 3.6e9),
  capacity_us BIGINT AS (iif(category <> 'queued', chip_us, 0)),
  capacity_chip_hours REAL AS (iif(category <> 'queued', chip_us / 3.6e9, 0.0)),
  allocated_us BIGINT AS (iif(category <> 'down' AND category <> 'idle' AND category <> 'partial' AND category <> 'queued', chip_us, 0)),
  allocated_chip_hours REAL AS (iif(category <> 'down' AND category <> 'idle' AND category <> 'partial'
                                    AND category <> 'queued', chip_us / 3.6e9, 0.0)),
  partial_us BIGINT AS (iif(category = 'partial', chip_us, 0)),
  partial_chip_hours REAL AS (iif(category = 'partial', chip_us / 3.6e9, 0.0)),
  untraced_us BIGINT AS (iif(category = 'untraced', chip_us, 0)),
  untraced_chip_hours REAL AS (iif(category = 'untraced', chip_us / 3.6e9, 0.0)),
  productive_us BIGINT AS (iif(category = 'ideal' OR category = 'inefficiency' OR category = 'unrated', chip_us, 0)),
  productive_chip_hours REAL AS (iif(category = 'ideal' OR category = 'inefficiency' OR category = 'unrated', chip_us / 3.6e9, 0.0)),
  unrated_us BIGINT AS (iif(category = 'unrated', chip_us, 0)),
  unrated_chip_hours REAL AS (iif(category = 'unrated', chip_us / 3.6e9, 0.0)),
  ideal_us BIGINT AS (iif(category = 'ideal', chip_us, 0)),
  ideal_chip_hours REAL AS (iif(category = 'ideal', chip_us / 3.6e9, 0.0)),
  queued_us BIGINT AS (iif(category = 'queued', chip_us, 0)),
  queued_chip_hours REAL AS (iif(category = 'queued', chip_us / 3.6e9, 0.0)));
DELETE FROM main.ledger
WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c)
   OR job IS NULL AND ((pool, time / 86400) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d)
                       OR (pool, (time + 3600) / 86400) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d));
INSERT INTO main.ledger(hour, time, pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority, team,
                        category, cause, chip_us, intervals)
SELECT hour, time, pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority, team, category, cause, chip_us,
       intervals
FROM (SELECT bucket AS hour,
             CAST(strftime('%s', bucket || coalesce((SELECT value FROM main.mpg_config WHERE name = 'offset'), '')) AS INTEGER) AS time,
             pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority,
             json_extract(CASE WHEN json_valid(labels) THEN labels END, '$.team') AS team,
             category, cause, chip_us, intervals
      FROM mpg_rollup
      WHERE bucket_width = '1 hour' || coalesce(' ' || (SELECT value FROM main.mpg_config WHERE name = 'offset'), '')
        AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
        AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
        AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
        AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline'))
WHERE (SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM temp.mpg_changed AS c)
   OR job IS NULL AND ((pool, time / 86400) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d)
                       OR (pool, (time + 3600) / 86400) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d));

-- ---- 3. Sums by day, pool and job, from which come the ratios that tools show as they are ----
-- What nobody knows is NULL, and no 0: MPG_lower too where no ideal work is known and something is not. traced and rated say how much is.

DROP TABLE IF EXISTS temp.mpg_days;
CREATE TEMP TABLE mpg_days AS
SELECT bucket AS day, pool, chip, category, chip_us
FROM mpg_rollup
WHERE bucket_width = '1 day' || coalesce(' ' || (SELECT value FROM main.mpg_config WHERE name = 'offset'), '')
  AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
  AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
  AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
  AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline');

-- What follows adds up: rows of days and pools, and rows of jobs, which have none of both.
DROP VIEW IF EXISTS temp.mpg_sums;
CREATE TEMP VIEW mpg_sums AS
SELECT *, iif(category <> 'queued', chip_us, 0) AS capacity_us,
       iif(category NOT IN ('down', 'idle', 'partial', 'queued'), chip_us, 0) AS allocated_us,
       iif(category = 'partial', chip_us, 0) AS partial_us,
       iif(category = 'untraced', chip_us, 0) AS untraced_us,
       iif(category IN ('ideal', 'inefficiency', 'unrated'), chip_us, 0) AS productive_us,
       iif(category = 'unrated', chip_us, 0) AS unrated_us,
       iif(category = 'ideal', chip_us, 0) AS ideal_us,
       iif(category = 'queued', chip_us, 0) AS queued_us
FROM (
  SELECT day, pool, chip, NULL AS job, NULL AS name, NULL AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
         NULL AS size, NULL AS labels, category, chip_us
  FROM temp.mpg_days
  UNION ALL
  SELECT NULL, NULL, NULL, job, name, owner, phase, framework, runtime, model, size, labels, category, chip_us
  FROM mpg_rollup
  WHERE job IS NOT NULL
    AND ((SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM temp.mpg_changed AS c))
    AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
    AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
    AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
    AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline')
);

DROP TABLE IF EXISTS main.day_sums;
CREATE TABLE day_sums(
  day DATETIME, capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(capacity_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.day_sums_key ON day_sums(day);
DELETE FROM main.day_sums;
INSERT INTO main.day_sums(day, capacity_us, allocated_us, partial_us, untraced_us, productive_us, unrated_us, ideal_us, queued_us)
SELECT substr(day, 1, 10) || ' 00:00:00', sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us) FROM temp.mpg_sums WHERE day IS NOT NULL GROUP BY day;

DROP TABLE IF EXISTS main.pool_sums;
CREATE TABLE pool_sums(
  pool TEXT, chip TEXT, capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(capacity_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.pool_sums_key ON pool_sums(pool);
DELETE FROM main.pool_sums;
INSERT INTO main.pool_sums(pool, chip, capacity_us, allocated_us, partial_us, untraced_us, productive_us, unrated_us, ideal_us, queued_us)
SELECT pool, min(chip), sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us) FROM temp.mpg_sums WHERE pool IS NOT NULL GROUP BY pool;

-- Job by job: SG on the job's own basis, and where its chip-hours went.
DROP TABLE IF EXISTS main.job_sums;
CREATE TABLE job_sums(
  job TEXT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT, size TEXT, team TEXT,
  capacity_us BIGINT, allocated_us BIGINT, partial_us BIGINT, untraced_us BIGINT,
  productive_us BIGINT, unrated_us BIGINT, ideal_us BIGINT, queued_us BIGINT,
  held_us BIGINT AS (allocated_us + partial_us),
  lost_us BIGINT AS (allocated_us + partial_us - ideal_us - untraced_us - unrated_us),
  held_chip_hours REAL AS ((allocated_us + partial_us) / 3.6e9),
  lost_chip_hours REAL AS ((allocated_us + partial_us - ideal_us - untraced_us - unrated_us) / 3.6e9),
  capacity_chip_hours REAL AS (capacity_us / 3.6e9),
  allocated_chip_hours REAL AS (allocated_us / 3.6e9),
  partial_chip_hours REAL AS (partial_us / 3.6e9),
  untraced_chip_hours REAL AS (untraced_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  queued_chip_hours REAL AS (queued_us / 3.6e9),
  SG REAL AS (1.0 * allocated_us / nullif(allocated_us + partial_us, 0)),
  RG REAL AS (1.0 * productive_us / nullif(allocated_us - untraced_us, 0)),
  PG REAL AS (1.0 * ideal_us / nullif(productive_us - unrated_us, 0)),
  MPG REAL AS (CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(allocated_us + partial_us, 0) END),
  MPG_lower REAL AS (CASE WHEN ideal_us <> 0 OR untraced_us = 0
                            AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(allocated_us + partial_us, 0) END),
  traced REAL AS (1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0)),
  rated REAL AS (1.0 * (productive_us - unrated_us) / nullif(productive_us, 0)));
CREATE UNIQUE INDEX main.job_sums_key ON job_sums(job);
DELETE FROM main.job_sums WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c);
INSERT INTO main.job_sums(job, name, owner, phase, framework, runtime, model, size, team,
                          capacity_us, allocated_us, partial_us, untraced_us, productive_us, unrated_us, ideal_us, queued_us)
SELECT job, min(name), min(owner), min(phase), min(framework), min(runtime), min(model), min(size),
       json_extract(CASE WHEN json_valid(min(labels)) THEN min(labels) END, '$.team'),
       sum(capacity_us), sum(allocated_us), sum(partial_us), sum(untraced_us), sum(productive_us),
       sum(unrated_us), sum(ideal_us), sum(queued_us)
FROM temp.mpg_sums WHERE job IS NOT NULL GROUP BY job;

DROP VIEW temp.mpg_sums;
DROP TABLE temp.mpg_days;

-- ---- 4. What follows from the ledger and from what jobs did ----

-- Every interval of what was held or wanted without running, and of what nobody held.
DROP TABLE IF EXISTS main.waits;
CREATE TABLE waits(
  pool TEXT, job TEXT, attempt BIGINT, size TEXT, category TEXT, cause TEXT, start_us BIGINT, end_us BIGINT,
  chip_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  chip_hours REAL AS (chip_us / 3.6e9));
DELETE FROM main.waits
WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c)
   OR job IS NULL AND (pool, start_us / 86400000000) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d);
INSERT INTO main.waits(pool, job, attempt, size, category, cause, start_us, end_us, chip_us)
SELECT pool, job, attempt, size, category, cause, start_us, end_us, chip_us
FROM (SELECT pool, job, attempt, size, category, cause, CAST(round(start_time * 1e6) AS INTEGER) AS start_us,
             CAST(round(end_time * 1e6) AS INTEGER) AS end_us, chip_us
      FROM mpg_ledger
      WHERE category IN ('down', 'idle', 'partial', 'queued')
        AND as_of = (SELECT value FROM main.mpg_config WHERE name = 'as_of')
        AND sizes = (SELECT value FROM main.mpg_config WHERE name = 'sizes')
        AND basis = (SELECT value FROM main.mpg_config WHERE name = 'basis')
        AND roofline = (SELECT value FROM main.mpg_config WHERE name = 'roofline'))
WHERE (SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM temp.mpg_changed AS c)
   OR job IS NULL AND (pool, start_us / 86400000000) IN (SELECT d.pool, d.day FROM temp.mpg_changed_days AS d);

-- A job's attempts: from its first chip to its last; the outcome is that of the allocation that ended last
-- (of several the first of the order below), NULL while any is held.
--@ part answered
DROP TABLE IF EXISTS main.attempts;
CREATE TABLE attempts(
  job TEXT, attempt BIGINT, pool TEXT, size TEXT, chips REAL, start_us BIGINT, end_us BIGINT, outcome TEXT,
  ready_us BIGINT, held_us BIGINT, productive_us BIGINT, lost_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  ready_time DATETIME AS (datetime(ready_us / 1000000, 'unixepoch') || printf('.%06d', ready_us % 1000000)),
  held_chip_hours REAL AS (held_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
CREATE UNIQUE INDEX main.attempts_key ON attempts(job, attempt);
DELETE FROM main.attempts WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c);
INSERT INTO main.attempts(job, attempt, pool, size, chips, start_us, end_us, outcome, ready_us, held_us, productive_us, lost_us)
SELECT d.job, d.attempt,
       (SELECT a.pool FROM main.allocations AS a WHERE a.job = d.job AND a.start_us = d.start_us
          AND (a.attempt = d.attempt OR a.attempt IS NULL) ORDER BY a.pool LIMIT 1),
       (SELECT j.size FROM main.job_sums AS j WHERE j.job = d.job),
       coalesce((SELECT j.chips FROM main.jobs AS j WHERE j.job = d.job), d.chips),
       d.start_us, d.end_us,
       (SELECT CASE WHEN a.end_us <= d.end_us THEN nullif(a.outcome, 'released') END FROM main.allocations AS a
        WHERE a.job = d.job AND a.start_us >= d.start_us AND a.start_us < d.end_us AND (a.attempt = d.attempt OR a.attempt IS NULL)
        ORDER BY a.end_us IS NOT NULL, a.end_us DESC,
                 CASE a.outcome WHEN 'node_fail' THEN 1 WHEN 'preempted' THEN 2 WHEN 'timeout' THEN 3 WHEN 'failed' THEN 4
                                WHEN 'cancelled' THEN 5 WHEN 'completed' THEN 6 ELSE 7 END
        LIMIT 1),
       d.ready_us, d.held_us, d.productive_us, d.lost_us
FROM (
  SELECT job, attempt, min(start_us) AS start_us, max(end_us) AS end_us, min(start_us) FILTER (WHERE run NOT NULL) AS ready_us,
         sum(held_us) AS held_us, sum(productive_us) AS productive_us, sum(lost_us) AS lost_us, max(chips) AS chips
  FROM temp.mpg_did GROUP BY job, attempt
) AS d;

-- A row a label of a job. Those that mpg_config names in labels are columns of the ledger, too.
DROP TABLE IF EXISTS main.job_labels;
CREATE TABLE job_labels(job TEXT, key TEXT, value TEXT);
CREATE UNIQUE INDEX main.job_labels_key ON job_labels(job, key);
DELETE FROM main.job_labels WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c);
INSERT OR IGNORE INTO main.job_labels(job, key, value)
SELECT j.job, CAST(l.key AS TEXT), CAST(l.value AS TEXT)
FROM main.jobs AS j, json_each(CASE WHEN json_valid(j.labels) THEN j.labels END) AS l
WHERE json_type(CASE WHEN json_valid(j.labels) THEN j.labels END) = 'object' AND l.value IS NOT NULL
  AND ((SELECT m.whole FROM temp.mpg_made AS m) OR j.job IN (SELECT c.job FROM temp.mpg_changed AS c));

-- The times an attempt had everything it needed. outcome: what ended it, 'gang_broken' where the attempt
-- went on, but 'preempted' where an allocation of 0 chips says that it gave back all (it was suspended), NULL at
-- the end of the trace. last_span_us: the end of the last thing that its program did;
-- progress_us: the start of its first step; restore_us: time it read checkpoints back before that.
DROP TABLE IF EXISTS main.runs;
CREATE TABLE runs(
  job TEXT, attempt BIGINT, run BIGINT, start_us BIGINT, end_us BIGINT, outcome TEXT, last_span_us BIGINT,
  progress_us BIGINT, restore_us BIGINT, held_us BIGINT, productive_us BIGINT, lost_us BIGINT,
  start_time DATETIME AS (datetime(start_us / 1000000, 'unixepoch') || printf('.%06d', start_us % 1000000)),
  end_time DATETIME AS (datetime(end_us / 1000000, 'unixepoch') || printf('.%06d', end_us % 1000000)),
  last_span_time DATETIME AS (datetime(last_span_us / 1000000, 'unixepoch') || printf('.%06d', last_span_us % 1000000)),
  progress_time DATETIME AS (datetime(progress_us / 1000000, 'unixepoch') || printf('.%06d', progress_us % 1000000)),
  held_chip_hours REAL AS (held_us / 3.6e9),
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
CREATE UNIQUE INDEX main.runs_key ON runs(job, attempt, run);
DELETE FROM main.runs WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c);
INSERT INTO main.runs(job, attempt, run, start_us, end_us, outcome, last_span_us, progress_us, restore_us, held_us, productive_us, lost_us)
SELECT job, attempt, run, min(start_us), max(end_us),
       (SELECT a.outcome FROM main.attempts AS a WHERE a.job = d.job AND a.attempt = d.attempt),
       max(last_span_us), min(progress_us), sum(restore_us), sum(held_us), sum(productive_us), sum(lost_us)
FROM temp.mpg_did AS d WHERE run NOT NULL GROUP BY job, attempt, run;
UPDATE main.runs SET
  outcome = CASE WHEN EXISTS (SELECT 1 FROM main.allocations AS a
                              WHERE a.job = runs.job AND a.attempt = runs.attempt AND a.start_us = runs.end_us AND a.chips = 0)
                 THEN 'preempted' ELSE 'gang_broken' END
WHERE ((SELECT m.whole FROM temp.mpg_made AS m) OR job IN (SELECT c.job FROM temp.mpg_changed AS c))
  AND EXISTS (SELECT 1 FROM main.runs AS r WHERE r.job = runs.job AND r.attempt = runs.attempt AND r.run > runs.run);

-- Chip-time of programs, by day of UTC.
DROP TABLE IF EXISTS main.program_ledger;
CREATE TABLE program_ledger(
  program TEXT, job TEXT, day DATETIME, productive_us BIGINT, ideal_us BIGINT, unrated_us BIGINT, lost_us BIGINT,
  productive_chip_hours REAL AS (productive_us / 3.6e9),
  ideal_chip_hours REAL AS (ideal_us / 3.6e9),
  unrated_chip_hours REAL AS (unrated_us / 3.6e9),
  lost_chip_hours REAL AS (lost_us / 3.6e9));
DELETE FROM main.program_ledger WHERE job IN (SELECT c.job FROM temp.mpg_changed AS c);
INSERT INTO main.program_ledger(program, job, day, productive_us, ideal_us, unrated_us, lost_us)
SELECT program, job, date(86400 * day, 'unixepoch') || ' 00:00:00', sum(productive_us), sum(ideal_us), sum(unrated_us), sum(lost_us)
FROM (SELECT program, job, start_us / 86400000000 - (start_us % 86400000000 < 0) AS day, productive_us, ideal_us, unrated_us, lost_us
      FROM temp.mpg_did WHERE program IS NOT NULL)
GROUP BY program, job, day;

DELETE FROM main.issues;
INSERT INTO main.issues(severity, kind, source, line, count, detail)
SELECT severity, kind, source, line, count, detail FROM mpg_issues
WHERE (source <> 'main' OR kind <> 'out_of_order') AND kind <> 'null_argument' -- main's tables are in the order of their ids
  AND listed > (SELECT r.listed FROM temp.mpg_as_read AS r) -- others are of what the connection read before
UNION ALL
SELECT 'warning', 'duplicate_span', 'main', NULL, doubles, 'spans that repeat exactly count once' FROM temp.mpg_doubles WHERE doubles > 0;
DROP TABLE temp.mpg_doubles;
DROP TABLE temp.mpg_as_read;

DROP TABLE temp.mpg_did;

CREATE INDEX IF NOT EXISTS main.ledger_by_job ON ledger(job);
CREATE INDEX IF NOT EXISTS main.attempts_by_start ON attempts(pool, start_us);
DELETE FROM main.mpg_built;
INSERT INTO main.mpg_built SELECT version, made_of FROM temp.mpg_made_of;
--@ part kept
DROP TABLE temp.mpg_made;
DROP TABLE temp.mpg_changed;
DROP TABLE temp.mpg_changed_days;
--@ part made_of
DROP VIEW temp.mpg_made_of;
DROP TABLE temp.mpg_same;
