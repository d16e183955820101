-- acme.sql - from the Acme traces (Shanghai AI Laboratory, 2023) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :acme sure \Ajob_id,user,node_num,gpu_num,cpu_num,
--
-- In the sqlite3 shell, in the folder of AcmeTrace:
--
--     .load mpg
--     .param set :acme data/job_trace/trace_*.csv
--     .read sql/formats/acme.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- What it gives: SG of the clusters Seren and Kalos, with queueing, by type of work. What it cannot give: RG and PG. A log
-- of jobs knows neither steps nor checkpoints, so all-allocated time is untraced and RG, PG and MPG are NULL, not 1. That
-- most GPU-time belongs to jobs that were cancelled or failed says nothing of what their checkpoints kept.
--
-- Pools are "seren" and "kalos", from the names of the files. Their sizes (2,288 and 2,416 A100 of 80 GB) are not in
-- the trace but in the paper about it (Hu et al., NSDI '24, table 1), and are taken to be there from the first job to the
-- last. Jobs that requested no GPU are left out.
--
-- Makes the TEMP tables jobs, allocations, capacity. From a program that cannot bind parameters to a script, create
-- acme_jobs as below before running it.

-- ---- 1. The input: the two files differ in their columns ----

CREATE TEMP TABLE IF NOT EXISTS acme_jobs AS
SELECT replace(substr(name, 1, instr(name || '.', '.') - 1), 'trace_', '') AS cluster,
       json_extract(record, '$.job_id') AS job_id, json_extract(record, '$.user') AS user, json_extract(record, '$.node_num') AS node_num,
       json_extract(record, '$.gpu_num') AS gpu_num,
       json_extract(record, '$.cpu_num') AS cpu_num, json_extract(record, '$.type') AS type, json_extract(record, '$.state') AS state,
       -- Kalos tells when a job was stopped or failed as well
       json_extract(record, '$.submit_time') AS submit_time, json_extract(record, '$.start_time') AS start_time,
       coalesce(json_extract(record, '$.end_time'), json_extract(record, '$.stop_time'), json_extract(record, '$.fail_time')) AS end_time,
        file AS _file, line AS _line
FROM (SELECT record, _file AS file, _line AS line, replace(_file, rtrim(_file, replace(_file, '/', '')), '') AS name
      FROM csv_trace(mpg_required(:acme, ':acme')) WHERE nulls = 'None, NaN');

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.acme_left_out;
CREATE TEMP TABLE acme_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(substr(start_time, 1, 4) AS INTEGER), CAST(substr(submit_time, 1, 4) AS INTEGER),
                                           CAST(substr(end_time, 1, 4) AS INTEGER))) AS year
                FROM acme_jobs)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'job ' || job_id || ' is more than ten years from the middle one: its row is left out' AS detail
FROM acme_jobs AS t, middle WHERE max(abs(coalesce(CAST(substr(start_time, 1, 4) AS INTEGER) - year, 0)),
                                      abs(coalesce(CAST(substr(submit_time, 1, 4) AS INTEGER) - year, 0)),
                                      abs(coalesce(CAST(substr(end_time, 1, 4) AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, iif(before = cluster, 'repeated_record', 'duplicate_allocation'), 'warning', _file, _line,
       'job ' || job_id || iif(before = cluster, ' comes more than once: its row counts once',
                               ' is one of cluster ' || before || ' as well, after the names of the files: it counts in both')
FROM (SELECT *, rowid AS row, lag(cluster) OVER same AS before, lag(user) OVER same AS before_user, lag(end_time) OVER same AS before_end
      FROM acme_jobs
      WINDOW same AS (PARTITION BY job_id, submit_time, start_time ORDER BY cluster, end_time IS NULL, end_time DESC, rowid))
WHERE before = cluster OR before <> cluster AND start_time IS NOT NULL AND before_user = user AND before_end IS end_time
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'job ' || job_id || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row, count(start_time) OVER (PARTITION BY cluster, job_id, submit_time) AS started,
             row_number() OVER (PARTITION BY cluster, job_id, submit_time, start_time ORDER BY rowid) AS nth FROM acme_jobs)
WHERE start_time IS NULL AND end_time IS NULL AND started > 0 AND nth = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :acme, 'acme_jobs'), severity, kind, min(_line), count(*), detail FROM acme_left_out GROUP BY _file, kind;
DELETE FROM temp.acme_jobs WHERE rowid IN (SELECT row FROM acme_left_out WHERE kind <> 'duplicate_allocation');
DROP TABLE acme_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :acme, 'acme_jobs'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('job ' || job_id, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN gpu_num IS NULL OR gpu_num < 0 THEN 'number of GPUs' WHEN submit_time IS NULL THEN 'submit_time'
                     WHEN start_time IS NULL AND state IN ('COMPLETED', 'TIMEOUT', 'NODE_FAIL', 'RUNNING') THEN 'start_time'
                     WHEN end_time IS NULL AND state <> 'RUNNING' THEN 'end_time' WHEN state IS NULL THEN 'state'
                     WHEN job_id IS NULL THEN 'job_id' END AS field FROM acme_jobs) WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :acme, 'acme_jobs'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT state)
FROM acme_jobs WHERE state NOT IN ('COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'RUNNING') GROUP BY _file;

DROP TABLE IF EXISTS temp.acme_gpu_jobs;
CREATE TEMP TABLE acme_gpu_jobs AS SELECT CAST(cluster || '/' || job_id AS TEXT) AS job, * FROM acme_jobs WHERE gpu_num > 0;

-- ---- 2. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, type AS name, user AS owner,
       CASE WHEN type = 'Evaluation' THEN 'bulk_inference' WHEN type IN ('Pretrain', 'SFT', 'RLHF', 'MLLM') THEN 'training' END AS phase,
       NULL AS framework, NULL AS runtime, NULL AS model, NULL AS priority, gpu_num AS chips, NULL AS min_chips, NULL AS tasks,
       submit_time, json_object('type', type, 'nodes', node_num, 'cpus', cpu_num, 'state', state) AS labels
FROM acme_gpu_jobs;

-- A job that never started holds nothing at the moment it left, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, 1 AS attempt, NULL AS task, cluster AS pool, CASE WHEN start_time IS NULL THEN 0 ELSE gpu_num END AS chips,
       coalesce(start_time, end_time) AS start_time, end_time,
       CASE state WHEN 'COMPLETED' THEN 'completed' WHEN 'CANCELLED' THEN 'cancelled' WHEN 'FAILED' THEN 'failed'
                  WHEN 'TIMEOUT' THEN 'timeout' WHEN 'NODE_FAIL' THEN 'node_fail' END AS outcome
FROM acme_gpu_jobs
WHERE coalesce(start_time, end_time) IS NOT NULL;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(a._file, :acme, 'acme_jobs'), 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM acme_gpu_jobs AS a WHERE start_time < submit_time GROUP BY a._file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:acme, 'acme_jobs'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT cluster AS pool, 'nvidia-a100-80-sxm4' AS chip, CASE cluster WHEN 'seren' THEN 2288 ELSE 2416 END AS chips,
       (SELECT min(submit_time) FROM acme_jobs AS j WHERE j.cluster = c.cluster) AS start_time,
       (SELECT max(coalesce(max(end_time), ''), coalesce(max(start_time), ''), coalesce(max(submit_time), ''))
        FROM acme_jobs AS j WHERE j.cluster = c.cluster) AS end_time
FROM (SELECT DISTINCT cluster FROM acme_gpu_jobs) AS c
WHERE cluster IN ('seren', 'kalos');

-- Until when a cluster was observed: the last time of any of its jobs, with GPUs or without.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT cluster AS pool, max(coalesce(max(end_time), ''), coalesce(max(start_time), ''), coalesce(max(submit_time), '')) AS until_time
FROM acme_jobs WHERE cluster IN (SELECT cluster FROM acme_gpu_jobs) GROUP BY cluster HAVING until_time <> '';

-- ---- 3. Tables that are no longer needed ----

DROP TABLE acme_gpu_jobs;
DROP TABLE acme_jobs;
