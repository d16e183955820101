-- alibaba_v2023.sql - from Alibaba's cluster-trace-gpu-v2023 (openb) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :openb_pods sure \Aname,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,
--@ input :openb_nodes sure \Asn,cpu_milli,memory_mib,gpu,model
--
-- In the sqlite3 shell, in the folder of the trace:
--
--     .load mpg
--     .param set :openb_pods  csv/openb_pod_list_default.csv
--     .param set :openb_nodes csv/openb_node_list_all_node.csv
--     .read sql/formats/alibaba_v2023.sql
--     SELECT scheduling_goodput(category, chip_us) FROM mpg_rollup;
--
-- What it gives: SG of the cluster, with queueing and shared GPUs (thousandths). What it cannot give: RG and PG. A list of
-- pods knows neither steps nor checkpoints nor requests served, so all-allocated time is untraced and RG, PG and MPG are
-- NULL, not 1.
--
-- There is one pool, "openb", for a pod does not say the node it ran on: the nodes' GPUs are its capacity, there from the
-- first creation to the last deletion. A pod that was running when the trace ends (its latest deletion_time) runs on; one that
-- was deleted while running is cancelled. Pods that are latency sensitive (qos LS) serve. Pods without GPUs are left out. The lists
-- named gpushare, multigpu, cpu are samples of the default one: their pods are not all that ran. Seconds count from a
-- moment that is unknown.
--
-- Makes the TEMP tables jobs, allocations, capacity. From a program that cannot bind parameters to a script, create openb_pods
-- and openb_nodes as below before running it.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS openb_pods AS
SELECT json_extract(record, '$.name') AS name, json_extract(record, '$.num_gpu') AS num_gpu,
       json_extract(record, '$.gpu_milli') AS gpu_milli, json_extract(record, '$.gpu_spec') AS gpu_spec,
       json_extract(record, '$.qos') AS qos, json_extract(record, '$.pod_phase') AS pod_phase,
       json_extract(record, '$.creation_time') AS creation_time,
       json_extract(record, '$.deletion_time') AS deletion_time, json_extract(record, '$.scheduled_time') AS scheduled_time, _file, _line
FROM csv_trace(mpg_required(:openb_pods, ':openb_pods'))
WHERE nulls = 'nan, NaN' AND types = 'num_gpu BIGINT, gpu_milli BIGINT, creation_time REAL, deletion_time REAL, scheduled_time REAL';

CREATE TEMP TABLE IF NOT EXISTS openb_nodes AS
SELECT json_extract(record, '$.gpu') AS gpu, json_extract(record, '$.model') AS model, json_extract(record, '$.sn') AS sn, _file, _line
FROM csv_trace(:openb_nodes) WHERE nulls = 'nan, NaN' AND types = 'gpu BIGINT';

-- What cannot be: a time that is more than ten years from the middle one; its row counts as nothing. What comes twice counts once.
DROP TABLE IF EXISTS temp.openb_left_out;
CREATE TEMP TABLE openb_left_out AS
WITH middle AS (SELECT mpg_median(coalesce(CAST(creation_time / 31556952 AS INTEGER), CAST(scheduled_time / 31556952 AS INTEGER),
                                           CAST(deletion_time / 31556952 AS INTEGER))) AS year
                FROM openb_pods)
SELECT t.rowid AS row, 'impossible_time' AS kind, 'data_loss' AS severity, _file, _line,
       'a time of ' || 'pod ' || name || ' is more than ten years from the middle one: its row is left out' AS detail
FROM openb_pods AS t, middle WHERE max(abs(coalesce(CAST(creation_time / 31556952 AS INTEGER) - year, 0)),
                                       abs(coalesce(CAST(scheduled_time / 31556952 AS INTEGER) - year, 0)),
                                       abs(coalesce(CAST(deletion_time / 31556952 AS INTEGER) - year, 0))) > 10
UNION ALL
SELECT row, 'repeated_record', 'warning', _file, _line, 'pod ' || name || ' comes more than once: its row counts once'
FROM (SELECT *, rowid AS row,
             row_number() OVER (PARTITION BY name, creation_time, scheduled_time
                                 ORDER BY deletion_time IS NULL, deletion_time DESC, rowid) AS nth,
             scheduled_time IS NULL AND deletion_time IS NULL
               AND count(scheduled_time) OVER (PARTITION BY name, creation_time) > 0 AS waited
      FROM openb_pods) WHERE nth > 1 OR waited;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :openb_pods, 'openb_pods'), severity, kind, min(_line), count(*), detail FROM openb_left_out GROUP BY _file, kind;
DELETE FROM temp.openb_pods WHERE rowid IN (SELECT row FROM openb_left_out);
DROP TABLE openb_left_out;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :openb_pods, 'openb_pods'), 'warning', 'missing_field', min(_line), count(*),
       coalesce('pod ' || name, 'a row') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN num_gpu IS NULL OR num_gpu < 0 OR gpu_milli IS NULL OR gpu_milli < 0 THEN 'number of GPUs'
                     WHEN creation_time IS NULL THEN 'creation_time' WHEN deletion_time IS NULL THEN 'deletion_time'
                     WHEN scheduled_time IS NULL AND pod_phase IN ('Running', 'Succeeded') THEN 'scheduled_time'
                     WHEN pod_phase IS NULL THEN 'pod_phase' END AS field FROM openb_pods) WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :openb_pods, 'openb_pods'), 'warning', 'unknown_state', min(_line), count(*),
       'unknown states, taken as no outcome: ' || group_concat(DISTINCT pod_phase)
FROM openb_pods WHERE pod_phase NOT IN ('Running', 'Succeeded', 'Failed', 'Pending', 'Unknown') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :openb_nodes, 'openb_nodes'), 'warning', 'repeated_record', min(_line), count(*),
       'node ' || sn || ' comes more than once: it counts once'
FROM (SELECT *, row_number() OVER (PARTITION BY sn ORDER BY rowid) AS nth FROM openb_nodes WHERE sn IS NOT NULL)
WHERE nth > 1 GROUP BY _file;
DELETE FROM temp.openb_nodes WHERE sn IS NOT NULL AND rowid NOT IN (SELECT min(rowid) FROM openb_nodes GROUP BY sn);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(_file, :openb_nodes, 'openb_nodes'), 'warning', 'missing_field', min(_line), count(*),
       'node ' || coalesce(sn, '?') || ' lacks its number of GPUs: it counts as none'
FROM openb_nodes WHERE gpu IS NULL OR gpu < 0 GROUP BY _file;

DROP TABLE IF EXISTS temp.openb_held;
CREATE TEMP TABLE openb_held AS
SELECT *, num_gpu * gpu_milli / 1000.0 AS chips, deletion_time = (SELECT max(deletion_time) FROM openb_pods)
         AND pod_phase = 'Running' AS runs_on
FROM openb_pods WHERE num_gpu * gpu_milli > 0;

-- ---- 2. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT CAST(name AS TEXT) AS job, NULL AS name, NULL AS owner, CASE WHEN qos = 'LS' THEN 'serving' END AS phase, NULL AS framework,
       NULL AS runtime,
       NULL AS model, qos AS priority, chips, NULL AS min_chips, NULL AS tasks, creation_time AS submit_time,
       json_patch('{}', json_object('qos', qos, 'gpu_spec', gpu_spec, 'pod_phase', pod_phase)) AS labels
FROM openb_held;

-- A pod that was never scheduled holds nothing at the moment it was deleted, which closes its demand.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT CAST(name AS TEXT) AS job, 1 AS attempt, NULL AS task, 'openb' AS pool,
       CASE WHEN scheduled_time IS NULL THEN 0 ELSE chips END AS chips,
       coalesce(scheduled_time, deletion_time) AS start_time, CASE WHEN NOT coalesce(runs_on, 0) THEN deletion_time END AS end_time,
       CASE WHEN pod_phase = 'Succeeded' THEN 'completed' WHEN pod_phase = 'Failed' THEN 'failed'
            WHEN NOT runs_on THEN 'cancelled' END AS outcome
FROM openb_held
WHERE coalesce(scheduled_time, deletion_time) IS NOT NULL;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(a._file, :openb_pods, 'openb_pods'), 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(name) || ' started before it was submitted: it counts as given'
FROM openb_held AS a WHERE scheduled_time < creation_time GROUP BY a._file;
-- What ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:openb_pods, 'openb_pods'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT 'openb' AS pool, NULL AS chip, chips,
       (SELECT min(creation_time) FROM openb_pods) AS start_time, (SELECT max(deletion_time) FROM openb_pods) AS end_time
FROM (SELECT sum(gpu) AS chips FROM openb_nodes)
WHERE chips > 0;

-- ---- 3. Tables that are no longer needed ----

DROP TABLE openb_held;
DROP TABLE openb_nodes;
DROP TABLE openb_pods;
