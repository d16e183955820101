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
-- installed chips (it knows of no machines, so what is held is the capacity, and SG is 1 but for nothing: add a capacity
-- table), nor RG and PG: no steps, no checkpoints, not even how a job ended. They are NULL, not 1.
--
-- num_gpu is of a whole job, in GPUs, with fractions. A job without wait_time starts when it is submitted: that nothing
-- is queued is then no finding. Seconds count from a moment that is not told.
--
-- Makes the TEMP tables jobs and allocations. From a program that cannot bind parameters to a script, create pai_sample as
-- below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS pai_sample AS
SELECT json_extract(record, '$.job_id') AS job_id, json_extract(record, '$.user') AS user, json_extract(record, '$.num_gpu') AS num_gpu, json_extract(record, '$.num_inst') AS num_inst,
       json_extract(record, '$.gpu_type') AS gpu_type, json_extract(record, '$.submit_time') AS submit_time, coalesce(json_extract(record, '$.wait_time'), 0) AS wait_time,
       json_extract(record, '$.duration') AS duration
FROM csv_trace(mpg_required(:pai, ':pai'));

-- A job that started before it was submitted did not wait.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai, 'pai_sample'), 'data_loss', 'end_before_start', NULL, count(*), 'job ' || min(job_id) || ' has a wait below 0: it counts as 0'
FROM pai_sample WHERE wait_time < 0 AND num_gpu > 0;
UPDATE pai_sample SET wait_time = 0 WHERE wait_time < 0;

-- ---- 2. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job_id AS job, NULL AS name, user AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       NULL AS priority, num_gpu AS chips, NULL AS min_chips, NULL AS tasks, submit_time,
       json_object('gpu_type', gpu_type, 'instances', num_inst) AS labels
FROM pai_sample WHERE num_gpu > 0;

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job_id AS job, 1 AS attempt, NULL AS task, 'pai/' || coalesce(gpu_type, 'GPU') AS pool, num_gpu AS chips,
       submit_time + wait_time AS start_time, submit_time + wait_time + duration AS end_time, NULL AS outcome
FROM pai_sample WHERE num_gpu > 0;

-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pai, 'pai_sample'), 'data_loss', 'end_before_start', NULL, count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- ---- 3. What nobody needs any more ----

DROP TABLE pai_sample;
