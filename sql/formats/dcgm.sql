-- dcgm.sql - from accelerator metrics in Prometheus to duty cycles, to be put beside goodput.
--
--@ argument path :path FILES answers of Prometheus' HTTP API, or what exporters print: a file, glob, folder or fleet file
--@ input :prometheus sure \A(?!(?s:.*)"__name__"\s*:\s*"kube_(?:pod|node)_)\s*\[?\s*\{(?:(?s:.{0,999}?)"resultType"\s*:(?!\s*"streams")|\s*"data"\s*:\s*\{\s*"result"\s*:\s*\[\s*\{\s*"metric"\s*:|[^\n]*"resultType"\s*:(?!\s*"streams")|[^\n]*"metric"\s*:\s*\{[^\n]*"timestamps"\s*:|\s*"metric"\s*:\s*\{[^{}]*\}\s*,\s*"values?"\s*:\s*\[)
--@ input :prometheus sure \A(?=(?:#[^\n]*\n|\s)*# (?:HELP|TYPE) (?:[A-Za-z_:][\w:]*|"[A-Za-z_:][^"\n]*") )(?!(?s:.*)^kube_(?:pod|node)_\w+\{)
--@ input :prometheus sure \A(?=(?:#[^\n]*\n|\s)*(?:[A-Za-z_:][\w:]*\{(?:[A-Za-z_]\w*|"[A-Za-z_][^"\n]*")=|\{"[A-Za-z_:][^"\n]*", ?(?:[A-Za-z_]\w*|"[A-Za-z_][^"\n]*")=)"[^\n]*"\} [-+.\w]+(?: -?[\d.e+]+)?$)(?!(?s:.*)^kube_(?:pod|node)_\w+\{)
--@ input :prometheus sure \A(?=\{__name__="[A-Za-z_:])(?!(?s:.*)"kube_(?:pod|node)_)
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
--     CREATE TEMP TABLE prometheus_samples AS SELECT *, _file FROM prometheus_trace('metrics/');
--
-- Makes two TEMP tables. duty has a row for each series of a chip: who had it, what was measured, and
--     busy_s     the measure, 0 to 1, times the seconds that it stands for
--     covered_s  the seconds that samples stand for
--     missing_s  the seconds between samples that none stands for
-- so that sum(busy_s) / sum(covered_s) is the mean of any group. xid has a row for each error of a GPU.
-- A duty cycle is no goodput: nothing here goes into the ledger. docs/formats/prometheus.md says what the kinds are.

-- ---- 1. The input ----

-- Text without times, in a file with Unix seconds or milliseconds in its name: that is when it was scraped.
CREATE TEMP TABLE IF NOT EXISTS prometheus_samples AS
WITH RECURSIVE file AS (SELECT path, ' ' || substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) || ' ' AS name
                        FROM trace_files(mpg_required(:prometheus, ':prometheus'))),
place(path, name, at) AS (SELECT path, name, 1 FROM file UNION ALL SELECT path, name, at + 1 FROM place WHERE at < length(name)),
page AS MATERIALIZED (
  SELECT path, CAST(substr(name,
                           1 + max(at) FILTER (WHERE substr(name, at, 12) GLOB '[^0-9]1' || replace('.........', '.', '[0-9]') || '[^0-9]'
                                               OR substr(name, at, 15) GLOB '[^0-9]1' || replace('............', '.', '[0-9]') || '[^0-9]'),
                           10) AS INTEGER) AS seconds
  FROM place GROUP BY path
)
SELECT s.*, s._file FROM page AS p CROSS JOIN prometheus_trace(p.path) AS s WHERE p.seconds IS NULL
UNION ALL SELECT s.*, s._file FROM page AS p CROSS JOIN prometheus_trace(p.path, p.seconds) AS s WHERE p.seconds IS NOT NULL;

-- What Prometheus answers to a query that fits no series is a file without a sample. (Samples of one's own may lack _file: it is f's then.)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'warning', 'no_record', NULL, 1, 'no sample was found: did the query fit a series in that time?'
FROM (SELECT path, path AS _file FROM (SELECT 1 WHERE :prometheus IS NOT NULL) CROSS JOIN trace_files(:prometheus)) AS f
WHERE path NOT IN (SELECT _file FROM prometheus_samples);

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
  ('nvidia_smi_utilization_gpu_ratio', 'gpu_util', 1),  -- nvidia_gpu_exporter
  ('nvidia_smi_utilization_memory_ratio', 'memory_copy', 1),
  ('nvidia_smi_utilization_gpu', 'gpu_util', 0.01),  -- Telegraf
  ('nvidia_smi_utilization_memory', 'memory_copy', 0.01),
  ('nvidia_gpu_duty_cycle', 'gpu_util', 0.01),  -- nvidia_gpu_prometheus_exporter, as of jobstats and ACK
  ('npu_chip_info_utilization', 'gpu_util', 0.01),  -- Ascend's npu-exporter
  ('habanalabs_utilization', 'gpu_util', 0.01),  -- Gaudi's metric exporter
  ('mlu_utilization', 'gpu_util', 0.01),  -- Cambricon's mlu-exporter
  ('dcu_utilizationrate', 'gpu_util', 0.01),  -- Hygon's dcu-exporter
  ('duty_cycle', 'gpu_util', 0.01),  -- GKE's TPU device plugin
  ('tensorcore_utilization', 'tensor', 0.01),
  ('memory_bandwidth_utilization', 'memory', 0.01),
  ('gpu_gfx_activity', 'gpu_util', 0.01),  -- AMD, device-metrics-exporter, by default with a prefix
  ('amd_gpu_gfx_activity', 'gpu_util', 0.01),
  ('kubernetes_io:container_accelerator_duty_cycle', 'gpu_util', 0.01),  -- GKE's system metrics, in Cloud Monitoring's two spellings
  ('kubernetes_io:container_accelerator_tensorcore_utilization', 'tensor', 0.01),
  ('kubernetes_io:container_accelerator_memory_bandwidth_utilization', 'memory', 0.01),
  ('kubernetes.io/container/accelerator/duty_cycle', 'gpu_util', 0.01),
  ('kubernetes.io/container/accelerator/tensorcore_utilization', 'tensor', 0.01),
  ('kubernetes.io/container/accelerator/memory_bandwidth_utilization', 'memory', 0.01);

-- Those that know no UUID, of chips that others may tell of: no label joins the two.
DROP TABLE IF EXISTS temp.dcgm_alone;
CREATE TEMP TABLE dcgm_alone(metric, kind, scale);
INSERT INTO dcgm_alone VALUES
  ('kubernetes_io:node_accelerator_duty_cycle', 'gpu_util', 0.01),
  ('kubernetes_io:node_accelerator_tensorcore_utilization', 'tensor', 0.01),
  ('kubernetes_io:node_accelerator_memory_bandwidth_utilization', 'memory', 0.01),
  ('kubernetes.io/node/accelerator/duty_cycle', 'gpu_util', 0.01),
  ('kubernetes.io/node/accelerator/tensorcore_utilization', 'tensor', 0.01),
  ('kubernetes.io/node/accelerator/memory_bandwidth_utilization', 'memory', 0.01),
  ('ray_node_gpus_utilization', 'gpu_util', 0.01),
  ('slurm_job_utilization_gpu', 'gpu_util', 0.01),  -- slurm-job-exporter
  ('slurm_job_utilization_gpu_memory', 'memory_copy', 0.01);
DROP TABLE IF EXISTS temp.dcgm_beside;
CREATE TEMP TABLE dcgm_beside AS
SELECT metric, samples, NULL AS other
FROM (SELECT metric, count(*) AS samples FROM prometheus_samples GROUP BY metric);
UPDATE dcgm_beside
SET other = (SELECT min(b.metric) FROM dcgm_alone AS a JOIN dcgm_metrics AS m ON m.kind = a.kind
             JOIN dcgm_beside AS b ON lower(b.metric) = lower(m.metric)
             WHERE a.metric = lower(dcgm_beside.metric)
               AND (a.metric LIKE 'kube%') = (m.metric LIKE 'kube%' OR m.metric IN ('duty_cycle', 'tensorcore_utilization',
                                                                                    'memory_bandwidth_utilization')));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, sum(samples),
       'samples of ' || min(metric) || ' beside ' || other || ', which may tell of the same chips: left out: ask for one of them'
FROM dcgm_beside WHERE other IS NOT NULL GROUP BY other;
DELETE FROM prometheus_samples WHERE metric IN (SELECT metric FROM dcgm_beside WHERE other IS NOT NULL);
-- GKE's own of NVIDIA's GPUs and pods, beside an exporter's.
DROP TABLE IF EXISTS temp.dcgm_twice;
CREATE TEMP TABLE dcgm_twice AS
SELECT s.rowid AS row, s.metric, e.other
FROM (SELECT min(b.metric) AS other FROM dcgm_beside AS b JOIN dcgm_metrics AS m ON lower(m.metric) = lower(b.metric)
      WHERE m.kind = 'gpu_util' AND (m.metric LIKE 'DCGM%' OR m.metric LIKE 'nvidia%')) AS e
CROSS JOIN prometheus_samples AS s
WHERE e.other IS NOT NULL AND s.metric IN ('duty_cycle', 'kubernetes.io/container/accelerator/duty_cycle',
                                            'kubernetes_io:container_accelerator_duty_cycle')
  AND (json_extract(s.labels, '$.make') = 'nvidia' OR json_extract(s.labels, '$.accelerator_id') LIKE 'GPU-%');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, count(*),
       'samples of ' || min(metric) || ' beside ' || other || ', of GPUs of NVIDIA in both: left out: ask for one of them'
FROM dcgm_twice GROUP BY other;
DELETE FROM prometheus_samples WHERE rowid IN (SELECT row FROM dcgm_twice);
DROP TABLE dcgm_twice;
INSERT INTO dcgm_metrics SELECT * FROM dcgm_alone;
DROP TABLE dcgm_alone;
DROP TABLE dcgm_beside;

-- What cannot be: a time that is more than ten years from the middle one, or a measure of use below 0; its sample counts as nothing. (A
-- sample without a time stands for none: the reader lists it.)
DROP TABLE IF EXISTS temp.dcgm_far;
CREATE TEMP TABLE dcgm_far AS
WITH middle AS (SELECT mpg_median(CAST(time / 31556952 AS INTEGER)) AS year FROM prometheus_samples)
SELECT s.rowid AS row, 'impossible_time' AS kind, metric FROM prometheus_samples AS s, middle WHERE abs(time / 31556952 - year) > 10
UNION ALL
SELECT s.rowid, 'impossible_value', s.metric FROM prometheus_samples AS s JOIN dcgm_metrics AS m ON lower(m.metric) = lower(s.metric)
WHERE (s.value < 0 OR s.value * m.scale > 1.0001) AND s.value <= 1e9
UNION ALL -- blank: no number, or the great ones by which DCGM says that it has none
SELECT s.rowid, 'missing_samples', s.metric FROM prometheus_samples AS s
WHERE (lower(s.metric) IN (SELECT lower(metric) FROM dcgm_metrics) OR lower(s.metric) = 'dcgm_fi_dev_xid_errors')
  AND (s.value IS NULL OR abs(s.value) > 1e9);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), iif(kind = 'missing_samples', 'warning', 'data_loss'), kind, NULL, count(*),
       'samples of ' || min(metric) || CASE kind WHEN 'impossible_time' THEN ' more than ten years from the middle one'
                                            WHEN 'missing_samples' THEN ' that are blank or no number' ELSE ' below 0 or above all' END
         || ': left out'
FROM dcgm_far GROUP BY kind;
DELETE FROM prometheus_samples WHERE rowid IN (SELECT row FROM dcgm_far);
DROP TABLE dcgm_far;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'impossible_value', NULL, count(*),
       'samples of ' || s.metric || ' in fractions that are nowhere above 1, as if it were no percentage: they count as percentages'
FROM prometheus_samples AS s JOIN dcgm_metrics AS m ON lower(m.metric) = lower(s.metric) WHERE m.kind = 'gpu_util' AND m.scale = 0.01
GROUP BY s.metric HAVING max(s.value) <= 1 AND max(s.value <> CAST(s.value AS INTEGER));

-- The names as they are in the input. Some stores (AKS) make them and their labels lower-case.
DROP TABLE IF EXISTS temp.dcgm_names;
CREATE TEMP TABLE dcgm_names AS
SELECT s.metric, m.kind, m.scale,
       CASE lower(s.metric) WHEN 'dcgm_fi_dev_xid_errors' THEN 1 WHEN 'dcgm_exp_xid_errors_count' THEN 2
            WHEN 'dcgm_exp_xid_errors_total' THEN 3 ELSE 0 END AS xid, s.samples
FROM (SELECT metric, count(*) AS samples FROM prometheus_samples GROUP BY metric) AS s
     LEFT JOIN dcgm_metrics AS m ON lower(m.metric) = lower(s.metric);

-- An input with samples of which none is known, and what looks like a measure of use that is not known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'unknown_metric', NULL, coalesce(sum(samples), 0),
       'samples of metrics whose meaning is not known: left out: '
         || group_concat(coalesce(metric, 'one without a name, as that of a function or a scalar'), ', ')
FROM (SELECT metric, samples, CASE WHEN (SELECT max(kind IS NOT NULL OR xid) FROM dcgm_names) THEN 0 ELSE 1 END AS none
      FROM dcgm_names WHERE kind IS NULL AND NOT xid ORDER BY metric)
WHERE none OR metric LIKE '%accelerator%duty%' OR metric LIKE '%tensorcore%' OR metric LIKE '%core%util%' OR metric LIKE '%gpu%util%'
   OR metric LIKE '%npu%util%' OR metric LIKE '%gfx_activity%' OR metric LIKE '%mlu%util%' OR metric LIKE '%dcu%util%'
   OR metric LIKE '%gcu%us%' OR metric LIKE '%xpu%util%'
   OR metric LIKE '%utilization_gpu%' OR metric LIKE '%gpu%duty%' OR metric LIKE 'xpum_engine%' OR metric LIKE 'hl_%util%'
   OR metric LIKE 'habana%util%' OR metric LIKE '%gpu%busy%' OR metric LIKE '%tpu%duty%';

-- Where the exporter does not name its host, a label of the target may.
UPDATE prometheus_samples
SET Hostname = coalesce(nullif(json_extract(labels, '$.node'), ''), nullif(json_extract(labels, '$.nodename'), ''),
                        nullif(json_extract(labels, '$.node_name'), ''), nullif(json_extract(labels, '$.kubernetes_node'), ''),
                        nullif(json_extract(labels, '$.host'), ''))
WHERE Hostname IS NULL AND metric IN (SELECT metric FROM dcgm_names WHERE kind IS NOT NULL OR xid)
  AND nullif(json_extract(labels, '$.hostname'), '') IS NULL;

-- Where Prometheus attaches the exporter's own pod and renames the workload's, a GPU without one has the exporter's.
UPDATE prometheus_samples SET namespace = NULL, pod = NULL, container = NULL
WHERE job IN (SELECT job FROM prometheus_samples
              WHERE json_extract(labels, '$.exported_pod') <> ''
                AND metric IN (SELECT metric FROM dcgm_names WHERE kind IS NOT NULL OR xid))
  AND coalesce(json_extract(labels, '$.exported_pod'), '') = '';

-- Jobstats' exporter tells the job of a GPU as the value of a metric that has the labels of the others; 0 is none.
DROP TABLE IF EXISTS temp.dcgm_jobs;
CREATE TEMP TABLE dcgm_jobs(labels, time, job, PRIMARY KEY (labels, time)) WITHOUT ROWID;
INSERT OR IGNORE INTO dcgm_jobs
SELECT labels, time, CAST(CAST(value AS INTEGER) AS TEXT) FROM prometheus_samples
WHERE metric = 'nvidia_gpu_jobId' AND value > 0 AND time IS NOT NULL;
UPDATE prometheus_samples SET hpc_job = j.job FROM dcgm_jobs AS j
WHERE metric = 'nvidia_gpu_duty_cycle' AND j.labels = prometheus_samples.labels AND j.time = prometheus_samples.time;
DROP TABLE dcgm_jobs;

-- ---- 2. Samples, each once ----

.read sql/formats/dcgm/once.sql

-- One chip in several series of one time: pods that share it, each with all of its use, or two exporters, of which one knows the pod. And
-- chips without a UUID in several clusters, whose hosts may have the same names.
DROP TABLE IF EXISTS temp.dcgm_shared;
CREATE TEMP TABLE dcgm_shared AS
SELECT DISTINCT coalesce(uuid, host || '/' || gpu, gpu) AS chip, coalesce(host || ' ', '') || coalesce(gpu, uuid) AS name
FROM (SELECT host, gpu, uuid FROM dcgm_samples WHERE uuid IS NOT NULL OR gpu IS NOT NULL
      GROUP BY kind, host, gpu, uuid, slice, time
      HAVING count(*) > 1 AND count(DISTINCT coalesce(namespace || '/' || pod, hpc_job, '')) > 1);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, count(DISTINCT chip),
       'chips that several pods, or none and one, have at once, such as ' || min(name) || ': each of their series counts all of its use'
FROM dcgm_shared GROUP BY NULL HAVING count(*) > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, count(DISTINCT cluster),
       'clusters in one export, and chips without a UUID: those of one host and number count as one'
FROM (SELECT json_extract(labels, '$.cluster') AS cluster FROM prometheus_samples
      WHERE instr(labels, '"cluster"') AND coalesce(UUID, json_extract(labels, '$.uuid'), json_extract(labels, '$.gpu_uuid')) IS NULL
        AND metric IN (SELECT metric FROM dcgm_names WHERE kind IS NOT NULL)) GROUP BY NULL HAVING count(DISTINCT cluster) > 1;

-- ---- 3. What each sample stands for ----

-- The time until the next sample of the chip, whoever has it then; where that is more than twice the usual spacing of its kind on its
-- host, in its file or if that does not tell in all of them, something is missing, and it stands for the usual spacing, as the last one
-- does, and that of the last one of a pod at most. Without a UUID, or a host and a number, samples of other pods are of another chip.
.read sql/formats/dcgm/steps.sql

--@ table trace_duty duty how busy chips were, a row for each series of a chip: sum(busy_s) / sum(covered_s) is the mean of any group
--@ column namespace TEXT - of Kubernetes
--@ column pod TEXT - that had the chip
--@ column container TEXT - likewise
--@ column hpc_job TEXT - the job of Slurm or another scheduler
--@ column host TEXT -
--@ column gpu TEXT - its index
--@ column uuid TEXT -
--@ column slice TEXT - of a partitioned chip
--@ column chip TEXT - its model
--@ column kind TEXT - what was measured: gpu_util, sm, tensor, memory, ...
--@ column samples BIGINT samples
--@ column start_time REAL s Unix time of the first
--@ column end_time REAL s to which the last stands
--@ column spacing_s REAL s the usual time from one sample to the next
--@ column busy_s REAL s the measure, 0 to 1, times what each sample stands for
--@ column covered_s REAL s for which samples stand
--@ column missing_s REAL s between samples for which none stands
DROP TABLE IF EXISTS temp.duty;
CREATE TEMP TABLE duty AS
WITH weighed AS (
  SELECT s.*, t.step, t.same_owner, p.spacing,
         CASE WHEN t.step <= iif(t.same_owner, 2, 1) * coalesce(t.anew, p.spacing) THEN t.step ELSE p.spacing END AS stands_for
  FROM dcgm_samples AS s JOIN dcgm_steps AS t ON t.row = s.rowid LEFT JOIN dcgm_spacing AS p ON p.place = t.place AND p.file = t.file
)
SELECT namespace, pod, container, hpc_job, host, gpu, uuid, slice, chip, kind, count(*) AS samples, min(time) AS start_time,
       max(time + coalesce(stands_for, 0)) AS end_time, max(spacing) AS spacing_s,
       sum(value * stands_for) AS busy_s, sum(stands_for) AS covered_s,
       sum(iif(same_owner, coalesce(step - stands_for, 0), 0)) AS missing_s
FROM weighed
GROUP BY namespace, pod, container, hpc_job, host, gpu, uuid, slice, chip, kind;
-- Pods that share a chip in time, of which each sample names one: the exporter asks for one pod of a device. Or two exporters, of which one
-- knows the pod.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, count(DISTINCT coalesce(uuid, host || '/' || gpu)),
       'chips that pods have by turns, as if they shared them and each sample named one alone, such as '
         || min(coalesce(host || ' ', '') || coalesce(gpu, uuid)) || ': the use of all is that of the one that is named'
FROM (
  SELECT host, gpu, uuid
  FROM (SELECT s.host, s.gpu, s.uuid, min(s.time) AS first,
               max(max(s.time)) OVER (PARTITION BY chip_no ORDER BY min(s.time), owner_no
                                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM dcgm_samples AS s JOIN dcgm_steps AS t ON t.row = s.rowid WHERE s.pod IS NOT NULL GROUP BY chip_no, owner_no)
  WHERE first < before
  UNION SELECT s.host, s.gpu, s.uuid FROM dcgm_samples AS s JOIN dcgm_steps AS t ON t.row = s.rowid
  GROUP BY chip_no HAVING 3 * total(is_turn) > count(*) AND count(*) > 3)
WHERE coalesce(uuid, host || '/' || gpu) NOT IN (SELECT chip FROM dcgm_shared) GROUP BY NULL HAVING count(*) > 0;

-- ---- 4. Errors: when the code of a GPU's last XID error changes to another than 0 ----

.read sql/formats/dcgm/codes.sql
--@ table trace_xid xid errors of GPUs (XID)
--@ column time REAL s Unix time
--@ column host TEXT -
--@ column gpu TEXT - its index
--@ column uuid TEXT -
--@ column slice TEXT - of a partitioned chip
--@ column namespace TEXT - of Kubernetes
--@ column pod TEXT - that had the GPU
--@ column hpc_job TEXT - the job of Slurm or another scheduler
--@ column code BIGINT - of NVIDIA's list
DROP TABLE IF EXISTS temp.xid;
CREATE TEMP TABLE xid AS
SELECT time, host, gpu, uuid, slice, namespace, pod, hpc_job, code FROM dcgm_codes WHERE code <> 0 AND code <> before;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'info', 'earlier_xid', NULL, count(*),
       'GPUs whose first sample has the code of an error, which was before it: '
         || group_concat(coalesce(host || ' ', '') || coalesce('GPU ' || gpu || ' ', '') || code, ', ')
FROM dcgm_codes WHERE code <> 0 AND before IS NULL;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'missing_samples', NULL, count(*),
       'series with one sample, such as ' || min(kind) || ': one stands for no time' FROM duty WHERE covered_s IS NULL GROUP BY NULL;

-- ---- 5. Tables that are no longer needed ----

DROP TABLE dcgm_codes;
DROP TABLE dcgm_steps;
DROP TABLE dcgm_spacing;
DROP TABLE dcgm_files;
DROP TABLE dcgm_shared;
DROP TABLE dcgm_samples;
DROP TABLE dcgm_names;
DROP TABLE dcgm_metrics;
DROP TABLE prometheus_samples;
