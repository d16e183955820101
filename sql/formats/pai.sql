-- pai.sql - from the jobs of PAI that its simulator replays, to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :pai sure \Ajob_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,
--
-- Beside the tables of cluster-trace-gpu-v2020 (alibaba_v2020.sql) the same cluster is known from samples of its jobs,
-- one row each: pai_job_no_estimate_100K.csv and pai_job_duration_estimate_100K.csv, with job_id, num_inst, submit_time, num_cpu,
-- num_gpu, gpu_type, duration, user, and in the second wait_time.
--
--     .load mpg
--     .param set :pai pai_job_duration_estimate_100K.csv
--     .read sql/formats/pai.sql
--     SELECT pool, sum(chip_us) / 3.6e9 AS gpu_hours FROM mpg_rollup WHERE category = 'untraced' GROUP BY pool;
--
-- What it gives: GPU-time by type of GPU and user; queueing where wait_time is there. What it cannot give: SG against
-- installed chips (it knows of no machines, so what is held is the capacity, and SG is 1 without a meaning: add a capacity
-- table), nor RG and PG: no steps, no checkpoints, not even how a job ended. They are NULL, not 1.
--
-- num_gpu is of a whole job, in GPUs, with fractions. A job without wait_time starts when it is submitted: that nothing
-- is queued is then no finding. Seconds count from a moment that is unknown.
--
-- Makes the TEMP tables jobs and allocations. From a program that cannot bind parameters to a script, create pai_sample as
-- below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS pai_sample AS
SELECT json_extract(record, '$.job_id') AS job_id, json_extract(record, '$.user') AS user, json_extract(record, '$.num_gpu') AS num_gpu,
       json_extract(record, '$.num_inst') AS num_inst,
       json_extract(record, '$.gpu_type') AS gpu_type, json_extract(record, '$.submit_time') AS submit_time,
       coalesce(json_extract(record, '$.wait_time'), 0) AS wait_time,
       json_extract(record, '$.duration') AS duration, CASE WHEN _line = 2 THEN record END AS first, _file, _line
FROM csv_trace(mpg_required(:pai, ':pai'));

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.pai_left_out;
CREATE TEMP TABLE pai_left_out AS
WITH middle AS (SELECT mpg_median(CAST(submit_time / 31556952 AS INTEGER)) AS year FROM pai_sample)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'job ' || job_id || ' is more than ten years from the middle one: its row is left out' AS detail
FROM pai_sample AS t, middle
WHERE max(abs(coalesce(submit_time / 31556952 - year, 0)), abs(wait_time) / 31556952, abs(coalesce(duration, 0)) / 31556952) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'job ' || job_id || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row, row_number() OVER (PARTITION BY job_id, submit_time, wait_time, duration ORDER BY rowid) AS nth
      FROM pai_sample) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai, 'pai_sample'), severity, kind, min(_line), count(*), detail FROM pai_left_out GROUP BY _file, kind;
DELETE FROM temp.pai_sample WHERE rowid IN (SELECT row FROM pai_left_out);
DROP TABLE pai_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai, 'pai_sample'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('job ' || job_id, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN num_gpu IS NULL OR num_gpu < 0 THEN 'num_gpu' WHEN submit_time IS NULL THEN 'submit_time'
                     WHEN duration IS NULL THEN 'duration' WHEN job_id IS NULL THEN 'job_id'
                     WHEN gpu_type IS NULL AND num_gpu > 0 THEN 'gpu_type' END AS field FROM pai_sample)
WHERE field IS NOT NULL GROUP BY _file, field;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :pai, 'pai_sample'), 'info', 'unknown_column', NULL, count(*),
       'columns that the samples of PAI do not have: ' || group_concat(key)
FROM pai_sample CROSS JOIN json_each(first)
WHERE first IS NOT NULL AND key NOT
    IN ('job_id', 'num_inst', 'submit_time', 'num_cpu', 'num_gpu', 'gpu_type', 'duration', 'user', 'wait_time') GROUP BY _file;

-- A job that started before it was submitted did not wait.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai, 'pai_sample'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job_id) || ' has a wait below 0: it counts as 0'
FROM pai_sample WHERE wait_time < 0 AND num_gpu > 0;
UPDATE pai_sample SET wait_time = 0 WHERE wait_time < 0;

-- ---- 2. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT CAST(job_id AS TEXT) AS job, NULL AS name, user AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       NULL AS priority, num_gpu AS chips, NULL AS min_chips, NULL AS tasks, submit_time,
       json_object('gpu_type', gpu_type, 'instances', num_inst) AS labels
FROM pai_sample WHERE num_gpu > 0;

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT CAST(job_id AS TEXT) AS job, 1 AS attempt, NULL AS task, 'pai/' || coalesce(gpu_type, 'GPU') AS pool, num_gpu AS chips,
       submit_time + wait_time AS start_time, submit_time + wait_time + duration AS end_time, NULL AS outcome
FROM pai_sample WHERE num_gpu > 0;

-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai, 'pai_sample'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- ---- 3. Tables that are no longer needed ----

DROP TABLE pai_sample;
