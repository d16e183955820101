-- goodput.sql - from the job logs of ml-goodput-measurement to the relations of the native trace.
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/goodput
--     .read sql/formats/goodput.sql
--     SELECT job, category, cause, sum(chip_seconds) FROM mpg_rollup GROUP BY job, category, cause;
--
-- Parameters: :log is a path, glob or folder; :chips how many chips every job holds (1), which the log
-- does not know. From a program that cannot bind parameters to a script, create the input before:
--
--     CREATE TEMP TABLE goodput_rows AS SELECT * FROM goodput_trace('goodput.jsonl');
--
-- Makes the TEMP tables jobs, allocations, spans and commits, which mpg_ledger and mpg_rollup then find.
-- The input is dropped at the end. The rules are explained in docs/goodput-log.md.

-- ---- 1. The input, in the order of the log ----

CREATE TEMP TABLE IF NOT EXISTS goodput_rows AS
SELECT job_name, kind, edge, time, event, step, synchronous, checkpoint_manager_blocking_duration_secs,
       checkpoint_manager_duration_secs, time_ns, insertId, duplicate
FROM goodput_trace(:log);

DROP TABLE IF EXISTS temp.goodput_ordered;
CREATE TEMP TABLE goodput_ordered AS
SELECT *, max(1, sum(kind = 'job' AND edge = 'start') OVER w) AS attempt, row_number() OVER w AS place
FROM goodput_rows
WHERE coalesce(duplicate, 0) = 0 AND time IS NOT NULL
WINDOW w AS (PARTITION BY job_name ORDER BY time_ns, insertId, rowid);

-- ---- 2. Attempts: every start of the job is a new one, and holds its chips until the next ----

DROP TABLE IF EXISTS temp.goodput_attempts;
CREATE TEMP TABLE goodput_attempts AS
SELECT job_name AS job, attempt, min(time) AS start_time, max(CASE WHEN kind = 'job' AND edge = 'end' THEN time END) AS job_end,
       max(time) AS last_time, lead(min(time)) OVER (PARTITION BY job_name ORDER BY attempt) AS next_start
FROM goodput_ordered GROUP BY job_name, attempt;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS SELECT DISTINCT job, job AS name, 'training' AS phase, coalesce(CAST(:chips AS REAL), 1) AS chips FROM goodput_attempts;
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, 'goodput' AS pool, coalesce(CAST(:chips AS REAL), 1) AS chips, start_time, coalesce(next_start, job_end) AS end_time,
       CASE WHEN next_start IS NOT NULL AND job_end IS NULL THEN 'failed' WHEN job_end IS NOT NULL THEN 'completed' END AS outcome
FROM goodput_attempts;

-- ---- 3. Steps: each lasts until the next of its attempt; the one in flight when an attempt broke off
-- is left out, for nobody knows how long it ran ----

DROP TABLE IF EXISTS temp.goodput_steps;
CREATE TEMP TABLE goodput_steps AS
SELECT o.job_name AS job, o.attempt, o.step, o.time AS start_time,
       coalesce(lead(o.time) OVER w, a.job_end) AS end_time,
       o.step <= lag(o.step) OVER w AS back
FROM goodput_ordered AS o JOIN goodput_attempts AS a ON a.job = o.job_name AND a.attempt = o.attempt
WHERE o.kind = 'step'
WINDOW w AS (PARTITION BY o.job_name, o.attempt ORDER BY o.time, o.place);

-- A run begins with an attempt, and where step numbers go back within one.
DROP TABLE IF EXISTS temp.goodput_runs;
CREATE TEMP TABLE goodput_runs AS
SELECT *, row_number() OVER (PARTITION BY job, attempt, run ORDER BY start_time, step) AS place,
       avg(end_time - start_time) OVER (PARTITION BY job, attempt, run ORDER BY start_time, step
         ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS others
FROM (SELECT *, sum(coalesce(back, 0)) OVER (PARTITION BY job, attempt ORDER BY start_time, step) AS run FROM goodput_steps);

-- ---- 4. Spans and commits ----

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
WITH pairs AS (
  SELECT job_name AS job, attempt, kind, event, edge, time AS start_time,
         lead(edge) OVER w AS next_edge, lead(time) OVER w AS end_time
  FROM goodput_ordered WHERE edge IS NOT NULL AND kind NOT IN ('job', 'step')
  WINDOW w AS (PARTITION BY job_name, attempt, kind, upper(event) ORDER BY place)
),
firsts AS (
  SELECT job, attempt, start_time, end_time - start_time - others AS excess FROM goodput_runs WHERE place = 1
)
SELECT job, attempt, 'step' AS kind, start_time, end_time, step FROM goodput_steps WHERE end_time IS NOT NULL
UNION ALL SELECT job, attempt, 'compile', start_time, start_time + excess, NULL FROM firsts WHERE excess > 0
UNION ALL SELECT job, attempt,
  CASE kind WHEN 'tpu_init' THEN 'init' WHEN 'training_prep' THEN 'prep' WHEN 'data_loading' THEN 'input' WHEN 'elastic_reinit' THEN 'init'
    ELSE CASE WHEN lower(event) LIKE 'eval%' THEN 'eval' ELSE lower(coalesce(event, kind)) END END, start_time, end_time, NULL
FROM pairs WHERE edge = 'start' AND next_edge = 'end' AND end_time >= start_time
UNION ALL SELECT job_name, attempt, iif(kind = 'save', 'checkpoint', 'restore'), time,
  time + iif(kind = 'save', checkpoint_manager_blocking_duration_secs, checkpoint_manager_duration_secs), NULL
FROM goodput_ordered WHERE kind IN ('save', 'restore', 'emergency_restore')
  AND iif(kind = 'save', checkpoint_manager_blocking_duration_secs, checkpoint_manager_duration_secs) IS NOT NULL;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job_name AS job, attempt, step, time AS snapshot_time, time + coalesce(checkpoint_manager_blocking_duration_secs, 0) AS durable_time
FROM goodput_ordered WHERE kind = 'save';

DROP TABLE temp.goodput_rows;
DROP TABLE temp.goodput_ordered;
DROP TABLE temp.goodput_attempts;
DROP TABLE temp.goodput_steps;
DROP TABLE temp.goodput_runs;
