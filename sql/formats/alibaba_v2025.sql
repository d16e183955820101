-- alibaba_v2025.sql - from Alibaba's cluster-trace-gpu-v2025 (disaggregated DLRM serving) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :dlrm sure \Ainstance_sn,role,app_name,cpu_request,
--
-- In the sqlite3 shell, in the folder of the trace:
--
--     .load mpg
--     .param set :dlrm disaggregated_DLRM_trace.csv
--     .read sql/formats/alibaba_v2025.sql
--     SELECT name, sum(chip_us) / 3.6e9 AS gpu_hours FROM mpg_rollup WHERE category = 'untraced' GROUP BY name;
--
-- What it gives: GPU-time by application, and how long instances waited for their GPUs. What it cannot give: SG against
-- installed chips (the nodes were not published: what is held is the capacity until you add a capacity table), and RG and PG:
-- whether an instance served anything while it held its GPU is not in it. RG, PG and MPG are NULL, not 1.
--
-- An instance is a job that serves. One that was there before the trace begins has no creation and scheduled time: it counts from
-- second 0, where the trace begins. One without a deletion time runs on. Instances without GPUs (role CN) are left out.
--
-- Makes the TEMP tables jobs, allocations and observed. From a program that cannot bind parameters to a script, create dlrm_instances as
-- below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS dlrm_instances AS
SELECT json_extract(record, '$.instance_sn') AS instance_sn, json_extract(record, '$.role') AS role,
       json_extract(record, '$.app_name') AS app_name, json_extract(record, '$.gpu_request') AS gpu_request,
       json_extract(record, '$.rdma_request') AS rdma_request, json_extract(record, '$.creation_time') AS creation_time,
       json_extract(record, '$.scheduled_time') AS scheduled_time,
       json_extract(record, '$.deletion_time') AS deletion_time, _file, _line
FROM csv_trace(mpg_required(:dlrm, ':dlrm')) WHERE nulls = 'nan, NaN'
  AND types = 'gpu_request REAL, creation_time REAL, scheduled_time REAL, deletion_time REAL';

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.dlrm_left_out;
CREATE TEMP TABLE dlrm_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(creation_time / 31556952 AS INTEGER), CAST(scheduled_time / 31556952 AS INTEGER),
                                           CAST(deletion_time / 31556952 AS INTEGER))) AS year
                FROM dlrm_instances)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'instance ' || instance_sn || ' is more than ten years from the middle one: its row is left out' AS detail
FROM dlrm_instances AS t, middle
WHERE max(abs(coalesce(CAST(creation_time / 31556952 AS INTEGER) - year, 0)),
          abs(coalesce(CAST(scheduled_time / 31556952 AS INTEGER) - year, 0)),
          abs(coalesce(CAST(deletion_time / 31556952 AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'instance ' || instance_sn || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY instance_sn, creation_time, scheduled_time
                                 ORDER BY deletion_time IS NULL, deletion_time DESC, rowid) AS nth,
             scheduled_time IS NULL AND deletion_time IS NULL
               AND count(scheduled_time) OVER (PARTITION BY instance_sn, creation_time) > 0 AS waited
      FROM dlrm_instances) WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :dlrm, 'dlrm_instances'), severity, kind, min(_line), count(*), detail FROM dlrm_left_out GROUP BY _file, kind;
DELETE FROM temp.dlrm_instances WHERE rowid IN (SELECT row FROM dlrm_left_out);
DROP TABLE dlrm_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :dlrm, 'dlrm_instances'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('instance ' || instance_sn, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN gpu_request IS NULL OR gpu_request < 0 THEN 'gpu_request'
                     WHEN scheduled_time IS NULL AND creation_time > 0 AND deletion_time IS NOT NULL THEN 'scheduled_time'
                     WHEN creation_time IS NULL AND scheduled_time IS NOT NULL THEN 'creation_time'
                     WHEN instance_sn IS NULL THEN 'instance_sn' END AS field FROM dlrm_instances)
WHERE field IS NOT NULL GROUP BY _file, field;

-- ---- 2. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT CAST(instance_sn AS TEXT) AS job, app_name AS name, app_name AS owner, 'serving' AS phase, NULL AS framework, NULL AS runtime,
       NULL AS model, 'LS' AS priority, gpu_request AS chips, NULL AS min_chips, NULL AS tasks, coalesce(creation_time, 0) AS submit_time,
       json_object('role', role, 'app', app_name, 'rdma_percent', rdma_request) AS labels
FROM dlrm_instances WHERE gpu_request > 0;

-- Created and deleted without having been scheduled: holds nothing at that moment, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT CAST(instance_sn AS TEXT) AS job, 1 AS attempt, NULL AS task, 'dlrm' AS pool,
       CASE WHEN scheduled_time IS NULL AND creation_time IS NOT NULL THEN 0 ELSE gpu_request END AS chips,
       CASE WHEN creation_time IS NULL THEN coalesce(scheduled_time, 0) ELSE coalesce(scheduled_time, deletion_time) END AS start_time,
       deletion_time AS end_time, CASE WHEN deletion_time IS NOT NULL THEN 'cancelled' END AS outcome
FROM dlrm_instances
WHERE gpu_request > 0 AND NOT (scheduled_time IS NULL AND creation_time IS NOT NULL AND deletion_time IS NULL);

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(a._file, :dlrm, 'dlrm_instances'), 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(instance_sn) || ' started before it was submitted: it counts as given'
FROM dlrm_instances AS a WHERE scheduled_time < creation_time GROUP BY a._file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:dlrm, 'dlrm_instances'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- Until when the cluster was observed: the last time of any instance, with GPUs or without.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT * FROM (SELECT 'dlrm' AS pool,
                      max(max(coalesce(creation_time, 0), coalesce(scheduled_time, 0), coalesce(deletion_time, 0))) AS until_time
               FROM dlrm_instances)
WHERE until_time > 0;

-- ---- 3. Tables that are no longer needed ----

DROP TABLE dlrm_instances;
