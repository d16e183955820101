-- goodput.sql - from the job logs of ml-goodput-measurement to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG
--@ input :log sure (?s)\A\s*\[?\s*\{[^\n]{0,200}"job_name"\s*:.*"(?:job_start_time|tpu_init_start_time|step_start_time|job_end_time|training_prep_start_time|data_loading_start_time)"
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/goodput
--     .read sql/formats/goodput.sql
--     SELECT job, category, cause, sum(chip_seconds) FROM mpg_rollup GROUP BY job, category, cause;
--
-- Parameters: :log is a path, glob or folder; :chips how many chips every job holds (1), which the log
-- does not know; :pool names the pool ('goodput'); :job makes all logs runs of one job (else each is of the job that it
-- names). From a program that cannot bind parameters to a script, create the input before:
--
--     CREATE TEMP TABLE goodput_rows AS SELECT * FROM goodput_trace('goodput.jsonl');
--
-- Makes the TEMP tables jobs, allocations, spans and commits, which mpg_ledger and mpg_rollup then find.
-- The input is dropped at the end. The rules are explained in docs/formats/goodput_log.md.

-- ---- 1. The input, in the order of the log ----

CREATE TEMP TABLE IF NOT EXISTS goodput_rows AS
SELECT job_name, kind, edge, time, event, step, synchronous, checkpoint_manager_blocking_duration_secs,
       checkpoint_manager_duration_secs, time_ns, insertId, duplicate
FROM goodput_trace(mpg_required(:log, ':log'));

-- What cannot be: a time that is more than ten years from the middle one; its entry counts as nothing.
DROP TABLE IF EXISTS temp.goodput_far;
CREATE TEMP TABLE goodput_far AS
WITH years AS (
  SELECT CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM goodput_rows
  WHERE time IS NOT NULL AND (SELECT max(time) - min(time) FROM goodput_rows) > 315569520 GROUP BY 1
),
middle AS (SELECT min(year) AS year FROM (SELECT year, sum(n) OVER (ORDER BY year) AS so_far, sum(n) OVER () AS n FROM years) WHERE 2 * so_far >= n)
SELECT r.rowid AS row, kind FROM middle, goodput_rows AS r WHERE abs(time / 31556952 - year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'data_loss', 'impossible_time', NULL, count(*), 'entries of "' || min(kind) || '" more than ten years from the middle one: left out'
FROM goodput_far GROUP BY NULL;
DELETE FROM temp.goodput_rows WHERE rowid IN (SELECT row FROM goodput_far);
DROP TABLE goodput_far;

-- Every host of a job may write into its log: an entry that says the same again counts once.
DROP TABLE IF EXISTS temp.goodput_again;
CREATE TEMP TABLE goodput_again AS
SELECT id FROM (
  SELECT rowid AS id, time = lag(time) OVER o AND kind IS lag(kind) OVER o AND edge IS lag(edge) OVER o AND event IS lag(event) OVER o AND step IS lag(step) OVER o
                      AND checkpoint_manager_blocking_duration_secs IS lag(checkpoint_manager_blocking_duration_secs) OVER o
                      AND checkpoint_manager_duration_secs IS lag(checkpoint_manager_duration_secs) OVER o AS again
  FROM goodput_rows
  WHERE time IS NOT NULL AND coalesce(duplicate, 0) = 0 -- and looked for where the job starts twice at one moment
    AND (SELECT count(*) > count(DISTINCT job_name || ' ' || time) FROM goodput_rows WHERE kind = 'job' AND edge = 'start')
  WINDOW o AS (PARTITION BY job_name ORDER BY time, kind, edge, event, step, rowid)
) WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'repeated_record', NULL, count(*), 'entries that another entry repeats: they count once' FROM goodput_again GROUP BY NULL;
DELETE FROM temp.goodput_rows WHERE rowid IN (SELECT id FROM goodput_again);
DROP TABLE goodput_again;

-- Entries of a kind that is not known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'unknown_event', NULL, count(*), 'entries of kinds that are not known: left out'
FROM goodput_rows WHERE kind IS NULL OR kind = 'other' GROUP BY NULL;

-- Sorted once; what follows goes by rowid, from a row to the next or over a range, and not by window functions:
-- logs have millions of rows.
DROP TABLE IF EXISTS temp.goodput_ordered;
CREATE TEMP TABLE goodput_ordered AS
SELECT coalesce(:job, job_name) AS job, kind, edge, time, event, step, checkpoint_manager_blocking_duration_secs AS saved_s,
       checkpoint_manager_duration_secs AS restored_s
FROM goodput_rows
WHERE coalesce(duplicate, 0) = 0 AND time IS NOT NULL
ORDER BY coalesce(:job, job_name), time_ns, insertId, rowid;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'no_steps', NULL, 1, 'no start of a step of ml-goodput-measurement was found'
WHERE NOT EXISTS (SELECT 1 FROM goodput_ordered WHERE kind = 'step');

-- ---- 2. Attempts: every start of the job is a new one, and holds its chips until the next, or to its end ----

-- What stands before the first start belongs to it.
DROP TABLE IF EXISTS temp.goodput_attempts;
CREATE TEMP TABLE goodput_attempts AS
WITH edges AS (
  SELECT job, row_number() OVER (PARTITION BY job ORDER BY rowid) AS attempt, rowid AS place
  FROM goodput_ordered WHERE kind = 'job' AND edge = 'start'
),
ends AS (
  SELECT job, min(rowid) AS first, max(rowid) AS last FROM goodput_ordered GROUP BY job
),
ranges AS (
  SELECT n.job, coalesce(e.attempt, 1) AS attempt, iif(coalesce(e.attempt, 1) = 1, n.first, e.place) AS first,
         coalesce(lead(e.place) OVER (PARTITION BY n.job ORDER BY e.attempt) - 1, n.last) AS last
  FROM ends AS n LEFT JOIN edges AS e USING (job)
)
SELECT r.job, r.attempt, r.first, r.last, min(o.time) AS start_time, max(iif(o.kind = 'job' AND o.edge = 'end', o.time, NULL)) AS job_end,
       lead(min(o.time)) OVER (PARTITION BY r.job ORDER BY r.attempt) AS next_start
FROM ranges AS r CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN r.first AND r.last
GROUP BY r.job, r.attempt;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS SELECT DISTINCT job, job AS name, 'training' AS phase, 'jax' AS framework, coalesce(CAST(:chips AS REAL), 1) AS chips FROM goodput_attempts;
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'goodput') AS pool, coalesce(CAST(:chips AS REAL), 1) AS chips, start_time,
       min(coalesce(job_end, next_start), coalesce(next_start, job_end)) AS end_time,
       CASE WHEN next_start IS NOT NULL AND job_end IS NULL THEN 'failed' WHEN job_end IS NOT NULL THEN 'completed' END AS outcome
FROM goodput_attempts;

-- What ended before it started holds nothing: the entries are out of order, or of two clocks.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'data_loss', 'end_before_start', NULL, count(*), 'an attempt of job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time GROUP BY NULL;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- ---- 3. Steps: each lasts until the next of its attempt; the one in flight when an attempt broke off
-- is left out, for nobody knows how long it ran ----

DROP TABLE IF EXISTS temp.goodput_steps;
CREATE TEMP TABLE goodput_steps AS
SELECT a.job, a.attempt, o.step, o.time AS start_time, a.job_end
FROM goodput_attempts AS a CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN a.first AND a.last
WHERE +o.kind = 'step'
ORDER BY a.job, a.attempt, o.time, o.rowid;

DROP TABLE IF EXISTS temp.goodput_timed;
CREATE TEMP TABLE goodput_timed AS
SELECT s.job, s.attempt, s.step, s.start_time, coalesce(n.start_time, iif(s.job_end >= s.start_time, s.job_end, NULL)) AS end_time, coalesce(s.step <= p.step, 1) AS begins
FROM goodput_steps AS s
LEFT JOIN goodput_steps AS n ON n.rowid = s.rowid + 1 AND +n.job = s.job AND +n.attempt = s.attempt
LEFT JOIN goodput_steps AS p ON p.rowid = s.rowid - 1 AND +p.job = s.job AND +p.attempt = s.attempt
ORDER BY s.rowid;

-- Steps are numbered one after the other: what lies between is of entries that are lost, and so counts to the step before.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_steps', NULL, count(*), 'steps whose number is not the next one, first ' || min(n.step) || ' of job ' || min(n.job) || ': those between have no entry'
FROM goodput_timed AS p JOIN goodput_timed AS n ON n.rowid = p.rowid + 1 AND +n.job = p.job AND +n.attempt = p.attempt WHERE n.step > p.step + 1 GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'repeated_steps', NULL, count(*), 'steps whose number goes back within an attempt, first ' || min(n.step) || ' of job ' || min(n.job)
FROM goodput_timed AS p JOIN goodput_timed AS n ON n.rowid = p.rowid + 1 AND +n.job = p.job AND +n.attempt = p.attempt WHERE n.step <= p.step GROUP BY NULL;

-- A run begins with an attempt, and where step numbers go back within one. By how much its first step took
-- longer than the mean of the others it was compiled.
DROP TABLE IF EXISTS temp.goodput_runs;
CREATE TEMP TABLE goodput_runs AS
WITH ranges AS (
  SELECT rowid AS first, coalesce(lead(rowid) OVER (ORDER BY rowid) - 1, (SELECT max(rowid) FROM goodput_timed)) AS last
  FROM goodput_timed WHERE begins
)
SELECT f.job, f.attempt, f.start_time, f.end_time - f.start_time - avg(o.end_time - o.start_time) AS excess
FROM ranges AS r CROSS JOIN goodput_timed AS f ON f.rowid = r.first
CROSS JOIN goodput_timed AS o ON o.rowid BETWEEN r.first + 1 AND r.last
GROUP BY r.first;

-- ---- 4. Spans and commits ----

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
WITH edges AS (
  SELECT a.job, a.attempt, o.kind, o.event, o.edge, o.time AS start_time,
         lead(o.edge) OVER w AS next_edge, lead(o.time) OVER w AS end_time
  FROM goodput_attempts AS a CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN a.first AND a.last
  WHERE o.edge IS NOT NULL AND o.kind NOT IN ('job', 'step')
  WINDOW w AS (PARTITION BY a.job, a.attempt, o.kind, upper(o.event) ORDER BY o.rowid)
)
SELECT job, attempt, 'step' AS kind, start_time, end_time, step FROM goodput_timed WHERE end_time IS NOT NULL
UNION ALL SELECT job, attempt, 'compile', start_time, start_time + excess, NULL FROM goodput_runs WHERE excess > 0
UNION ALL SELECT job, attempt,
  CASE kind WHEN 'tpu_init' THEN 'init' WHEN 'training_prep' THEN 'prep' WHEN 'data_loading' THEN 'input' WHEN 'elastic_reinit' THEN 'init'
    ELSE CASE WHEN lower(event) LIKE 'eval%' THEN 'eval' ELSE lower(coalesce(event, kind)) END END, start_time, end_time, NULL
FROM edges WHERE edge = 'start' AND next_edge = 'end' AND end_time >= start_time
UNION ALL SELECT a.job, a.attempt, iif(o.kind = 'save', 'checkpoint', 'restore'), o.time, o.time + iif(o.kind = 'save', o.saved_s, o.restored_s), iif(o.kind = 'save', NULL, o.step)
FROM goodput_attempts AS a CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN a.first AND a.last
WHERE +o.kind IN ('save', 'restore', 'emergency_restore') AND iif(o.kind = 'save', o.saved_s, o.restored_s) IS NOT NULL;

-- A start that no end follows, or an end without its start, lasts no time.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_end', NULL, count(*), 'starts without their end, or ends without their start, first of "' || min(kind) || '": what lies between is not known'
FROM (SELECT o.kind, o.edge, lag(o.edge) OVER w AS before, lead(o.edge) OVER w AS after, lead(1, 1, 0) OVER (PARTITION BY a.job, a.attempt ORDER BY o.rowid) AS goes_on
      FROM goodput_attempts AS a CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN a.first AND a.last
      WHERE o.edge IS NOT NULL AND o.kind NOT IN ('job', 'step')
      WINDOW w AS (PARTITION BY a.job, a.attempt, o.kind, upper(o.event) ORDER BY o.rowid))
WHERE (edge = 'start' AND after IS NOT 'end' AND goes_on) OR (edge = 'end' AND before IS NOT 'start') GROUP BY NULL;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT a.job, a.attempt, o.step, o.time AS snapshot_time, o.time + coalesce(o.saved_s, 0) AS durable_time
FROM goodput_attempts AS a CROSS JOIN goodput_ordered AS o ON o.rowid BETWEEN a.first AND a.last
WHERE +o.kind = 'save';

-- What was restored was saved: an entry of the save is lost where the log mentions that step.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_save', NULL, count(*), 'restores of a step that ran here, without an entry of its save, first ' || min(o.step) || ' of job ' || min(o.job) || ': how long the save took is not known'
FROM goodput_ordered AS o
WHERE o.kind IN ('restore', 'emergency_restore') AND o.step IS NOT NULL
  AND o.step NOT IN (SELECT s.step FROM goodput_ordered AS s WHERE s.kind = 'save' AND s.step IS NOT NULL AND s.job = o.job)
  AND EXISTS (SELECT 1 FROM goodput_steps AS s WHERE s.job = o.job AND s.step = o.step AND s.start_time < o.time)
GROUP BY NULL;

DROP TABLE temp.goodput_rows;
DROP TABLE temp.goodput_ordered;
DROP TABLE temp.goodput_attempts;
DROP TABLE temp.goodput_steps;
DROP TABLE temp.goodput_timed;
DROP TABLE temp.goodput_runs;
