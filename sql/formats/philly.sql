-- philly.sql - from the Philly trace (Microsoft, 2017) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :philly sure (?s)\A\s*\[\s*\{.*"(?:attempts|jobid|vc)"\s*:.*"(?:attempts|jobid|vc)"\s*:
--@ input :philly_machines sure \AmachineId, ?number of GPUs,
--
-- In the sqlite3 shell, in the folder of its trace-data:
--
--     .load mpg
--     .param set :philly          cluster_job_log
--     .param set :philly_machines cluster_machine_list
--     .read sql/formats/philly.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- What it gives: SG, with queueing, retries and the machines as capacity. What it cannot give: RG and PG. The trace
-- knows neither steps nor checkpoints, so all-allocated time is untraced and RG, PG and MPG are NULL, not 1. The per-minute
-- utilisation of its GPUs (cluster_gpu_util) is no goodput, and is not used.
--
-- Pools are machines of one GPU memory ("philly/24GB"), for the trace does not name the GPUs. Without :philly_machines
-- there is one pool, and what is held is its capacity. A machine is taken to be there from the first start to the last end.
-- An attempt that another one follows has failed: whether by its own fault the trace does not say. Times are of the
-- cluster's own clock (Pacific), without a zone, and are taken as they are: between zones nothing but the date would move,
-- but the hour from 1 to 2 on 2017-11-05 came twice.
--
-- Makes the TEMP tables jobs, allocations, capacity; and left_out, with what cannot be placed in time. From a program
-- that cannot bind parameters to a script, create philly_jobs and philly_machines as below before running it.

-- ---- 1. The input: one array of jobs; delimited text, whose names have spaces before them ----

CREATE TEMP TABLE IF NOT EXISTS philly_jobs AS
SELECT json_extract(record, '$.jobid') AS jobid, json_extract(record, '$.vc') AS vc, json_extract(record, '$.user') AS user,
       json_extract(record, '$.status') AS status,
       nullif(json_extract(record, '$.submitted_time'), 'None') AS submitted_time, json_extract(record, '$.attempts') AS attempts, _file,
       _line
FROM jsonl_trace(mpg_required(:philly, ':philly'));

CREATE TEMP TABLE IF NOT EXISTS philly_machines AS
SELECT json_extract(record, '$.machine') AS machine, json_extract(record, '$.gpus') AS gpus,
       trim(json_extract(record, '$.memory')) AS memory, _file, _line
FROM csv_trace(:philly_machines) WHERE header = 'yes' AND names = 'machine, gpus, memory';

-- What comes twice counts once: of exports the later.
DROP TABLE IF EXISTS temp.philly_repeated;
CREATE TEMP TABLE philly_repeated AS
SELECT row FROM (SELECT rowid AS row, row_number() OVER (PARTITION BY jobid ORDER BY
                   json_array_length(iif(json_valid(attempts), attempts, '[]')) DESC,
                   (SELECT max(json_extract(a.value, '$.end_time')) FROM json_each(iif(json_valid(attempts), attempts, '[]')) AS a
                    WHERE a.type = 'object') DESC, rowid) AS nth FROM philly_jobs)
WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'warning', 'repeated_record', min(_line), count(*),
       'job ' || jobid || ' comes more than once: what has its latest attempt counts'
FROM philly_repeated CROSS JOIN philly_jobs AS j ON j.rowid = row GROUP BY _file;
DELETE FROM temp.philly_jobs WHERE rowid IN (SELECT row FROM philly_repeated);
DROP TABLE philly_repeated;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly_machines, 'philly_machines'), 'warning', 'repeated_record', min(_line), count(*),
       'machine ' || machine || ' comes more than once: the first counts'
FROM (SELECT *, row_number() OVER (PARTITION BY machine ORDER BY rowid) AS nth FROM philly_machines) WHERE nth > 1 GROUP BY _file;
DELETE FROM temp.philly_machines WHERE rowid NOT IN (SELECT min(rowid) FROM philly_machines GROUP BY machine);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly_machines, 'philly_machines'), 'warning', 'missing_field', min(_line), count(*),
       'machine ' || coalesce(machine, '?') || ' lacks its GPUs or their memory: it counts as far as it tells'
FROM philly_machines WHERE machine IS NULL OR gpus IS NULL OR gpus < 0 OR memory IS NULL GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'warning', 'missing_field', min(_line), count(*),
       'job ' || coalesce(jobid, '?') || ' lacks its id, status, submitted_time or attempts: it counts as far as it tells'
FROM philly_jobs WHERE jobid IS NULL OR status IS NULL OR submitted_time IS NULL OR attempts IS NULL GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT status)
FROM philly_jobs WHERE status NOT IN ('Pass', 'Failed', 'Killed', 'Running') GROUP BY _file;

-- ---- 2. Attempts ----

DROP TABLE IF EXISTS temp.philly_attempts;
CREATE TEMP TABLE philly_attempts AS
WITH listed AS (
  SELECT CAST(j.jobid AS TEXT) AS job, a.key + 1 AS attempt, j.status, j._file, j._line,
         nullif(json_extract(a.value, '$.start_time'), 'None') AS start_time,
         nullif(json_extract(a.value, '$.end_time'), 'None') AS end_time,
         (SELECT sum(json_array_length(d.value, '$.gpus')) FROM json_each(a.value, '$.detail') AS d) AS chips,
         json_extract(a.value, '$.detail[0].ip') AS machine,
         iif(json_array_length(a.value, '$.detail') > 1, json_extract(a.value, '$.detail'), NULL) AS detail
  FROM philly_jobs AS j, json_each(j.attempts) AS a
)
SELECT l.job, l.attempt, l._file, l._line, l.machine, m.machine IS NOT NULL AS known, l.end_time AS own_end, l.chips, l.detail,
       'philly' || coalesce('/' || m.memory, '') AS pool, l.start_time,
       coalesce(l.end_time, lead(l.start_time) OVER later) AS end_time,
       CASE WHEN lead(l.attempt) OVER later IS NOT NULL THEN 'failed'
            ELSE CASE l.status WHEN 'Pass' THEN 'completed' WHEN 'Failed' THEN 'failed' WHEN 'Killed' THEN 'cancelled' END END AS outcome
FROM listed AS l LEFT JOIN philly_machines AS m USING (machine)
WINDOW later AS (PARTITION BY l.job ORDER BY l.attempt);

-- What cannot be: a time that is more than ten years from the middle one; its attempt counts as nothing.
DROP TABLE IF EXISTS temp.philly_far;
CREATE TEMP TABLE philly_far AS
WITH middle AS (SELECT mpg_median(CAST(substr(coalesce(start_time, end_time), 1, 4) AS INTEGER)) AS year FROM philly_attempts)
SELECT a.rowid AS row, job, _file, _line FROM philly_attempts AS a, middle
WHERE max(abs(coalesce(CAST(substr(start_time, 1, 4) AS INTEGER) - year, 0)),
          abs(coalesce(CAST(substr(end_time, 1, 4) AS INTEGER) - year, 0))) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || job || ' is more than ten years from the middle one: its attempt is left out'
FROM philly_far GROUP BY _file;
DELETE FROM temp.philly_attempts WHERE rowid IN (SELECT row FROM philly_far);
UPDATE philly_jobs SET submitted_time = NULL
WHERE abs(CAST(substr(submitted_time, 1, 4) AS INTEGER) - (SELECT CAST(substr(min(start_time), 1, 4) AS INTEGER) FROM philly_attempts))
  > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'warning', 'missing_field', min(_line), count(*), what FROM (
  SELECT _file, _line, 'attempt ' || attempt || ' of job ' || job || ' lacks its start_time, or its GPUs: it is left out' AS what
  FROM philly_attempts WHERE start_time IS NULL OR coalesce(chips, 0) = 0
  UNION ALL
  SELECT _file, _line, 'attempt ' || attempt || ' of job ' || job || ' lacks its end_time: it ends with the next'
  FROM philly_attempts WHERE own_end IS NULL AND end_time IS NOT NULL
  UNION ALL
  SELECT _file, _line, 'attempt ' || attempt || ' of job ' || job || ' lacks its end_time, though the job has ended: it runs on'
  FROM philly_attempts WHERE end_time IS NULL AND outcome IS NOT NULL AND start_time IS NOT NULL AND chips > 0
  UNION ALL
  SELECT _file, _line, 'machine ' || coalesce(machine, '?') || ' of job ' || job || ' is not in the list of machines'
  FROM philly_attempts WHERE NOT known AND EXISTS (SELECT 1 FROM philly_machines)
  UNION ALL
  SELECT _file, _line, 'job ' || jobid || ' has a submitted_time that cannot be: it asked for nothing before it started'
  FROM philly_jobs WHERE submitted_time IS NULL)
GROUP BY _file, substr(what, -20);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :philly, 'philly_jobs'), 'info', 'out_of_order', min(_line), count(*),
       'attempts of job ' || job || ' that started before the one listed before them'
FROM (SELECT *, start_time < lag(start_time) OVER (PARTITION BY job ORDER BY attempt) AS back FROM philly_attempts)
WHERE back GROUP BY _file;

DROP TABLE IF EXISTS temp.left_out;
CREATE TEMP TABLE left_out AS
SELECT job, attempt, CASE WHEN start_time IS NULL THEN 'no start_time' ELSE 'no GPUs' END AS reason
FROM philly_attempts WHERE start_time IS NULL OR coalesce(chips, 0) = 0
UNION ALL
SELECT jobid, NULL, 'no attempt' FROM philly_jobs WHERE json_array_length(attempts) = 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:philly, 'philly_jobs'), 'data_loss', 'left_out', NULL, count(*),
       'attempts that cannot be placed: job ' || min(job) || ', ' || group_concat(DISTINCT reason)
FROM left_out GROUP BY NULL;
DELETE FROM philly_attempts WHERE start_time IS NULL OR coalesce(chips, 0) = 0;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT CAST(j.jobid AS TEXT) AS job, NULL AS name, j.vc AS owner, 'training' AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       NULL AS priority, max(a.chips) AS chips, CASE WHEN min(a.chips) < max(a.chips) THEN min(a.chips) END AS min_chips,
       NULL AS tasks, j.submitted_time AS submit_time,
       json_object('vc', j.vc, 'user', j.user, 'status', j.status, 'attempts', json_array_length(j.attempts)) AS labels
FROM philly_jobs AS j JOIN philly_attempts AS a ON a.job = j.jobid
GROUP BY j.jobid;

-- An attempt on machines of several pools holds chips of each.
DROP TABLE IF EXISTS temp.philly_parts;
CREATE TEMP TABLE philly_parts AS
WITH part AS (
  SELECT a.rowid AS row, 'philly' || coalesce('/' || m.memory, '') AS of_pool, sum(json_array_length(d.value, '$.gpus')) AS n
  FROM philly_attempts AS a CROSS JOIN json_each(detail) AS d LEFT JOIN philly_machines AS m ON m.machine = json_extract(d.value, '$.ip')
  WHERE detail IS NOT NULL GROUP BY 1, 2 HAVING n > 0
)
SELECT * FROM part WHERE row IN (SELECT row FROM part GROUP BY row HAVING count(*) > 1);
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, NULL AS task, pool, chips, start_time, end_time, CASE WHEN end_time IS NOT NULL THEN outcome END AS outcome
FROM philly_attempts WHERE rowid NOT IN (SELECT row FROM philly_parts)
UNION ALL
SELECT job, attempt, NULL, of_pool, n, start_time, end_time, CASE WHEN end_time IS NOT NULL THEN outcome END
FROM philly_parts CROSS JOIN philly_attempts AS a ON a.rowid = row;
DROP TABLE philly_parts;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(a._file, :philly, 'philly_jobs'), 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(a.job) || ' started before it was submitted: it counts as given'
FROM philly_attempts AS a JOIN philly_jobs AS j ON j.jobid = a.job WHERE a.start_time < j.submitted_time GROUP BY a._file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:philly, 'philly_jobs'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT 'philly/' || memory AS pool, NULL AS chip, sum(gpus) AS chips, start_time, end_time
FROM philly_machines, (SELECT min(start_time) AS start_time, max(max(start_time), max(end_time)) AS end_time FROM philly_attempts)
GROUP BY memory;

-- Until when the cluster was observed: the last time of any attempt, or of a job that was submitted.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
WITH told AS (SELECT max(at) AS until_time
              FROM (SELECT start_time AS at FROM philly_attempts
                    UNION ALL SELECT end_time FROM philly_attempts UNION ALL SELECT submitted_time FROM philly_jobs))
SELECT pool, until_time FROM (SELECT pool FROM capacity UNION SELECT pool FROM allocations), told WHERE until_time IS NOT NULL;
UPDATE capacity SET end_time = (SELECT max(until_time) FROM observed) WHERE end_time < (SELECT max(until_time) FROM observed);

-- ---- 4. Tables that are no longer needed ----

DROP TABLE philly_far;
DROP TABLE philly_attempts;
DROP TABLE philly_machines;
DROP TABLE philly_jobs;
