-- helios.sql - from the Helios traces (SenseTime, 2020) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :helios sure \Ajob_id,user,vc,gpu_num,cpu_num,node_num,state,
--@ input :helios_gpus sure \Adate,(?:[^,\n]+,)+total\r?$
--
-- In the sqlite3 shell, in the folder of HeliosData:
--
--     .load mpg
--     .param set :helios      data/*/cluster_log.csv
--     .param set :helios_gpus data/*/cluster_gpu_number.csv
--     .read sql/formats/helios.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- What it gives: SG for each virtual cluster, with queueing, and the GPUs of each day as capacity. What it cannot give: RG
-- and PG. A log of Slurm jobs knows neither steps nor checkpoints, so all-allocated time is untraced and RG, PG and MPG
-- are NULL, not 1.
--
-- Pools are "Venus/vcJkd": the folder of the log, and the virtual cluster. Without :helios_gpus what is held is their
-- capacity. Jobs that requested no GPU are left out. Times are of the cluster's own clock, without a zone, and are taken as
-- they are.
--
-- Makes the TEMP tables jobs, allocations, capacity. From a program that cannot bind parameters to a script, create
-- helios_jobs and helios_gpus as below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS helios_jobs AS
SELECT rtrim(rtrim(_file, replace(_file, '/', '')), '/') AS folder, json_extract(record, '$.job_id') AS job_id,
       json_extract(record, '$.user') AS user,
       json_extract(record, '$.vc') AS vc, json_extract(record, '$.jobname') AS jobname, json_extract(record, '$.gpu_num') AS gpu_num,
       json_extract(record, '$.cpu_num') AS cpu_num,
       json_extract(record, '$.node_num') AS node_num, json_extract(record, '$.state') AS state,
       json_extract(record, '$.submit_time') AS submit_time,
       json_extract(record, '$.start_time') AS start_time, json_extract(record, '$.end_time') AS end_time, _file, _line
FROM csv_trace(mpg_required(:helios, ':helios')) WHERE nulls = 'None, NaN';

-- A row is a day: its date, the total, and a column for each virtual cluster.
CREATE TEMP TABLE IF NOT EXISTS helios_gpus AS
SELECT rtrim(rtrim(_file, replace(_file, '/', '')), '/') AS folder, json_extract(record, '$.date') AS date, vc.key AS vc, vc.value AS gpus,
       _file, _line
FROM csv_trace(:helios_gpus), json_each(record) AS vc
WHERE vc.key NOT IN ('date', 'total');

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
-- Of a job that an older export has too, and in which it waits or runs, what the later one says counts.
DROP TABLE IF EXISTS temp.helios_left_out;
CREATE TEMP TABLE helios_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(substr(start_time, 1, 4) AS INTEGER), CAST(substr(submit_time, 1, 4) AS INTEGER),
                                           CAST(substr(end_time, 1, 4) AS INTEGER))) AS year
                FROM helios_jobs)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'job ' || job_id || ' is more than ten years from the middle one: its row is left out' AS detail
FROM helios_jobs AS t, middle
WHERE max(abs(coalesce(CAST(substr(start_time, 1, 4) AS INTEGER) - year, 0)),
          abs(coalesce(CAST(substr(submit_time, 1, 4) AS INTEGER) - year, 0)),
          abs(coalesce(CAST(substr(end_time, 1, 4) AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'job ' || job_id || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row, row_number() OVER (of_it ORDER BY end_time IS NULL, end_time DESC, rowid) AS nth,
             start_time IS NULL AND end_time IS NULL AND count(start_time) OVER (PARTITION BY cluster, job_id, submit_time) > 0 AS waited
      FROM (SELECT *, rowid, replace(folder, rtrim(folder, replace(folder, '/', '')), '') AS cluster FROM helios_jobs)
      WINDOW of_it AS (PARTITION BY cluster, job_id, submit_time, start_time)) WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :helios, 'helios_jobs'), severity, kind, min(_line), count(*), detail FROM helios_left_out GROUP BY _file, kind;
DELETE FROM temp.helios_jobs WHERE rowid IN (SELECT row FROM helios_left_out);
DROP TABLE helios_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :helios, 'helios_jobs'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('job ' || job_id, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN gpu_num IS NULL OR gpu_num < 0 THEN 'number of GPUs' WHEN submit_time IS NULL THEN 'submit_time'
                     WHEN start_time IS NULL AND state IN ('COMPLETED', 'TIMEOUT', 'NODE_FAIL', 'RUNNING') THEN 'start_time'
                     WHEN end_time IS NULL AND state <> 'RUNNING' THEN 'end_time' WHEN state IS NULL THEN 'state' WHEN vc IS NULL THEN 'vc'
                     WHEN job_id IS NULL THEN 'job_id' END AS field FROM helios_jobs) WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :helios, 'helios_jobs'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT state)
FROM helios_jobs WHERE state NOT IN ('COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'RUNNING', 'SUSPENDED') GROUP BY _file;

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.helios_left_out;
CREATE TEMP TABLE helios_left_out AS
WITH middle AS (SELECT mpg_median(CAST(substr(date, 1, 4) AS INTEGER)) AS year FROM helios_gpus)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'the day ' || date || ' of ' || vc || ' is more than ten years from the middle one: its row is left out' AS detail
FROM helios_gpus AS t, middle WHERE abs(coalesce(CAST(substr(date, 1, 4) AS INTEGER) - year, 0)) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'the day ' || date || ' of ' || vc || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY replace(folder, rtrim(folder, replace(folder, '/', '')), ''), date, vc ORDER BY rowid) AS nth
      FROM helios_gpus) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :helios_gpus, 'helios_gpus'), severity, kind, min(_line), count(*), detail FROM helios_left_out GROUP BY _file, kind;
DELETE FROM temp.helios_gpus WHERE rowid IN (SELECT row FROM helios_left_out);
DROP TABLE helios_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :helios_gpus, 'helios_gpus'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('the day ' || date || ' of ' || vc, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN gpus IS NULL OR gpus < 0 THEN 'number of GPUs' WHEN date IS NULL THEN 'date' END AS field FROM helios_gpus)
WHERE field IS NOT NULL GROUP BY _file, field;

-- ---- 2. Clusters: the last part of the folder's path ----

DROP TABLE IF EXISTS temp.helios_clusters;
CREATE TEMP TABLE helios_clusters AS
SELECT DISTINCT folder, replace(folder, rtrim(folder, replace(folder, '/', '')), '') || '/' AS cluster
FROM (SELECT folder FROM helios_jobs UNION SELECT folder FROM helios_gpus);
UPDATE helios_clusters SET cluster = '' WHERE cluster = '/';

DROP TABLE IF EXISTS temp.helios_gpu_jobs;
CREATE TEMP TABLE helios_gpu_jobs AS
SELECT CAST(cluster || job_id AS TEXT) AS job, cluster || vc AS pool, j.*
FROM helios_jobs AS j JOIN helios_clusters USING (folder)
WHERE gpu_num > 0;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, jobname AS name, vc AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, NULL AS priority,
       gpu_num AS chips, NULL AS min_chips, NULL AS tasks, submit_time,
       json_object('user', user, 'vc', vc, 'nodes', node_num, 'cpus', cpu_num, 'state', state) AS labels
FROM helios_gpu_jobs;

-- A job that never started holds nothing at the moment it left, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, 1 AS attempt, NULL AS task, pool, CASE WHEN start_time IS NULL THEN 0 ELSE gpu_num END AS chips,
       coalesce(start_time, end_time) AS start_time, end_time,
       CASE state WHEN 'COMPLETED' THEN 'completed' WHEN 'CANCELLED' THEN 'cancelled' WHEN 'FAILED' THEN 'failed'
                  WHEN 'TIMEOUT' THEN 'timeout' WHEN 'NODE_FAIL' THEN 'node_fail' WHEN 'SUSPENDED' THEN 'preempted' END AS outcome
FROM helios_gpu_jobs
WHERE coalesce(start_time, end_time) IS NOT NULL;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(a._file, :helios, 'helios_jobs'), 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM helios_gpu_jobs AS a WHERE start_time < submit_time GROUP BY a._file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:helios, 'helios_jobs'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT cluster || vc AS pool, NULL AS chip, gpus AS chips, date AS start_time, date(date, '+1 day') AS end_time
FROM helios_gpus JOIN helios_clusters USING (folder)
WHERE gpus > 0;

-- Until when a cluster was observed: the last time of any of its jobs, with GPUs or without, and of its list of GPUs.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
WITH told AS (
  SELECT folder, max(at) AS until_time
  FROM (SELECT folder, start_time AS at FROM helios_jobs
        UNION ALL SELECT folder, end_time FROM helios_jobs UNION ALL SELECT folder, submit_time FROM helios_jobs
        UNION ALL SELECT folder, date(date, '+1 day') || ' 00:00:00' FROM helios_gpus WHERE gpus > 0) GROUP BY folder
)
SELECT DISTINCT cluster || vc AS pool, until_time
FROM (SELECT folder, vc FROM helios_gpu_jobs UNION SELECT folder, vc FROM helios_gpus WHERE gpus > 0) JOIN helios_clusters USING (folder)
JOIN told USING (folder) WHERE until_time IS NOT NULL AND vc IS NOT NULL;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE helios_gpu_jobs;
DROP TABLE helios_clusters;
DROP TABLE helios_gpus;
DROP TABLE helios_jobs;
