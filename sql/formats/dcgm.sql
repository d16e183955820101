-- dcgm.sql - from accelerator metrics in Prometheus to duty cycles, to be put beside goodput.
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :prometheus fixtures/prometheus/dcgm.json
--     .read sql/formats/dcgm.sql
--     SELECT pod, kind, sum(busy_s) / sum(covered_s) AS duty FROM duty GROUP BY pod, kind;
--
-- Parameter: :prometheus is a path, glob or folder of what prometheus_trace reads.
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE prometheus_samples AS SELECT * FROM prometheus_trace('metrics/');
--
-- Makes two TEMP tables. duty has a row for each series of a chip: who had it, what was measured, and
--     busy_s     the measure, 0 to 1, times the seconds that it stands for
--     covered_s  the seconds that samples stand for
--     missing_s  the seconds between samples that none stands for
-- so that sum(busy_s) / sum(covered_s) is the mean of any group. xid has a row for each error of a GPU.
-- A duty cycle is no goodput: nothing here goes into the ledger. docs/prometheus.md says what the kinds are.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS prometheus_samples AS
SELECT * FROM prometheus_trace(mpg_required(:prometheus, ':prometheus'));

DROP TABLE IF EXISTS temp.dcgm_metrics;
CREATE TEMP TABLE dcgm_metrics(metric, kind, scale);
INSERT INTO dcgm_metrics VALUES
  ('DCGM_FI_DEV_GPU_UTIL', 'gpu_util', 0.01),  -- NVIDIA, dcgm-exporter; per cent, but ratios for PROF
  ('DCGM_FI_DEV_MEM_COPY_UTIL', 'memory_copy', 0.01),
  ('DCGM_FI_PROF_GR_ENGINE_ACTIVE', 'engine', 1),
  ('DCGM_FI_PROF_SM_ACTIVE', 'sm', 1),
  ('DCGM_FI_PROF_SM_OCCUPANCY', 'sm_occupancy', 1),
  ('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', 'tensor', 1),
  ('DCGM_FI_PROF_DRAM_ACTIVE', 'memory', 1),
  ('duty_cycle', 'gpu_util', 0.01),  -- GKE's TPU device plugin
  ('tensorcore_utilization', 'tensor', 0.01),
  ('memory_bandwidth_utilization', 'memory', 0.01),
  ('gpu_gfx_activity', 'gpu_util', 0.01),  -- AMD, device-metrics-exporter, by default with a prefix
  ('amd_gpu_gfx_activity', 'gpu_util', 0.01);

-- Where Prometheus attaches the exporter's own pod and renames the workload's, a GPU without one has the exporter's.
UPDATE prometheus_samples SET namespace = NULL, pod = NULL, container = NULL
WHERE job IN (SELECT job FROM prometheus_samples
              WHERE labels ->> '$.exported_pod' <> '' AND metric IN (SELECT metric FROM dcgm_metrics UNION ALL SELECT 'DCGM_FI_DEV_XID_ERRORS'))
  AND coalesce(labels ->> '$.exported_pod', '') = '';

-- ---- 2. Samples, each once ----

-- Which chip it is, or slice of one, and whose: labels of dcgm-exporter, else of AMD's exporter, else of GKE's TPUs. One that
-- is empty is none.
DROP TABLE IF EXISTS temp.dcgm_samples;
CREATE TEMP TABLE dcgm_samples AS
WITH named AS (
  SELECT kind, coalesce(Hostname, nullif(labels ->> '$.hostname', ''), instance) AS host,
         CAST(coalesce(gpu, nullif(labels ->> '$.gpu_id', ''), nullif(labels ->> '$.accelerator_id', '')) AS TEXT) AS gpu,
         CAST(coalesce(UUID, nullif(labels ->> '$.gpu_uuid', '')) AS TEXT) AS uuid,
         coalesce(labels ->> '$.GPU_I_PROFILE' || '/' || (labels ->> '$.GPU_I_ID'),
                  nullif(lower(labels ->> '$.gpu_compute_partition_type'), 'spx') || '/' || (labels ->> '$.gpu_partition_id')) AS slice,
         CAST(coalesce(modelName, nullif(labels ->> '$.card_model', ''), nullif(labels ->> '$.model', '')) AS TEXT) AS chip, namespace, pod, container,
         CAST(coalesce(hpc_job, nullif(labels ->> '$.job_id', '')) AS TEXT) AS hpc_job, time, value, scale
  FROM prometheus_samples JOIN dcgm_metrics USING (metric)
  WHERE time IS NOT NULL AND value IS NOT NULL AND abs(value) <= 1e9
)
SELECT kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, time, avg(value) * scale AS value
FROM named
GROUP BY kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, time;

-- ---- 3. What each sample stands for ----

-- The time until the next sample of its series; where that is more than twice the usual spacing of its
-- kind on its host, something is missing, and it stands for the usual spacing, as the last one does.
DROP TABLE IF EXISTS temp.dcgm_steps;
CREATE TEMP TABLE dcgm_steps AS
SELECT *, lead(time) OVER (PARTITION BY kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job ORDER BY time) - time AS step
FROM dcgm_samples;

DROP TABLE IF EXISTS temp.duty;
CREATE TEMP TABLE duty AS
WITH ranked AS (
  SELECT kind, host, step, row_number() OVER (PARTITION BY kind, host ORDER BY step) AS rank, count(*) OVER (PARTITION BY kind, host) AS steps
  FROM dcgm_steps
  WHERE step IS NOT NULL
),
usual AS (
  SELECT kind, host, step AS spacing FROM ranked WHERE rank = (steps + 1) / 2
),
weighed AS (
  SELECT s.*, spacing, CASE WHEN step <= 2 * spacing THEN step ELSE spacing END AS stands_for
  FROM dcgm_steps AS s LEFT JOIN usual AS u ON u.kind = s.kind AND u.host IS s.host
)
SELECT namespace, pod, container, hpc_job, host, gpu, uuid, slice, chip, kind, count(*) AS samples, min(time) AS start_time,
       max(time + coalesce(stands_for, 0)) AS end_time, max(spacing) AS spacing_s,
       sum(value * stands_for) AS busy_s, sum(stands_for) AS covered_s, sum(coalesce(step - stands_for, 0)) AS missing_s
FROM weighed
GROUP BY namespace, pod, container, hpc_job, host, gpu, uuid, slice, chip, kind;

-- ---- 4. Errors: when the code of a GPU's last XID error changes to another than 0 ----

DROP TABLE IF EXISTS temp.xid;
CREATE TEMP TABLE xid AS
WITH told AS (
  SELECT *, coalesce(Hostname, nullif(labels ->> '$.hostname', ''), instance) AS host, labels ->> '$.GPU_I_PROFILE' || '/' || (labels ->> '$.GPU_I_ID') AS slice, CAST(value AS INTEGER) AS code
  FROM prometheus_samples
  WHERE metric = 'DCGM_FI_DEV_XID_ERRORS' AND value IS NOT NULL
),
codes AS (
  SELECT *, lag(code) OVER (PARTITION BY host, gpu, UUID, slice ORDER BY time) AS before FROM told
)
SELECT time, host, gpu, UUID AS uuid, slice, namespace, pod, hpc_job, code FROM codes WHERE code <> 0 AND code IS NOT before;

-- ---- 5. What nobody needs any more ----

DROP TABLE dcgm_steps;
DROP TABLE dcgm_samples;
DROP TABLE dcgm_metrics;
DROP TABLE prometheus_samples;
