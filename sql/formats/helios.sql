-- helios.sql - from the Helios traces (SenseTime, 2020) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :helios sure \Ajob_id,user,vc,gpu_num,cpu_num,node_num,state,
--@ input :helios_gpus sure \Adate,(?:[^,\n]+,)+total$
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
-- capacity. Jobs that asked for no GPU are left out. Times are of the cluster's own clock, without a zone, and are taken as
-- they are.
--
-- Makes the TEMP tables jobs, allocations, capacity. From a program that cannot bind parameters to a script, create
-- helios_jobs and helios_gpus as below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS helios_jobs AS
SELECT rtrim(rtrim(_file, replace(_file, '/', '')), '/') AS folder, json_extract(record, '$.job_id') AS job_id, json_extract(record, '$.user') AS user,
       json_extract(record, '$.vc') AS vc, json_extract(record, '$.jobname') AS jobname, json_extract(record, '$.gpu_num') AS gpu_num, json_extract(record, '$.cpu_num') AS cpu_num,
       json_extract(record, '$.node_num') AS node_num, json_extract(record, '$.state') AS state, json_extract(record, '$.submit_time') AS submit_time,
       json_extract(record, '$.start_time') AS start_time, json_extract(record, '$.end_time') AS end_time
FROM csv_trace(mpg_required(:helios, ':helios')) WHERE nulls = 'None, NaN';

-- A row is a day: its date, the total, and a column for each virtual cluster.
CREATE TEMP TABLE IF NOT EXISTS helios_gpus AS
SELECT rtrim(rtrim(_file, replace(_file, '/', '')), '/') AS folder, json_extract(record, '$.date') AS date, vc.key AS vc, vc.value AS gpus
FROM csv_trace(:helios_gpus), json_each(record) AS vc
WHERE vc.key NOT IN ('date', 'total');

-- ---- 2. Clusters: the last part of the folder's path ----

DROP TABLE IF EXISTS temp.helios_clusters;
CREATE TEMP TABLE helios_clusters AS
SELECT DISTINCT folder, replace(folder, rtrim(folder, replace(folder, '/', '')), '') || '/' AS cluster
FROM (SELECT folder FROM helios_jobs UNION SELECT folder FROM helios_gpus);
UPDATE helios_clusters SET cluster = '' WHERE cluster = '/';

DROP TABLE IF EXISTS temp.helios_gpu_jobs;
CREATE TEMP TABLE helios_gpu_jobs AS
SELECT cluster || job_id AS job, cluster || vc AS pool, j.*
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

-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:helios, 'helios_jobs'), 'data_loss', 'end_before_start', NULL, count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT cluster || vc AS pool, NULL AS chip, gpus AS chips, date AS start_time, date(date, '+1 day') AS end_time
FROM helios_gpus JOIN helios_clusters USING (folder)
WHERE gpus > 0;

-- ---- 4. What nobody needs any more ----

DROP TABLE helios_gpu_jobs;
DROP TABLE helios_clusters;
DROP TABLE helios_gpus;
DROP TABLE helios_jobs;
