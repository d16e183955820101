-- dcgm/once.sql - samples of measures of use, each once: which chip each is of, and which of several series of one chip counts.
--
-- Reads prometheus_samples and dcgm_names. Makes dcgm_samples, and dcgm_files, the file of each series.
-- A part of dcgm.sql, which says what the parameters are.

-- A series is told apart by all its labels, and by its file: two servers that watch one chip, or two scrapes of one exporter, differ in a
-- label (replica, job, instance), or in nothing, and each has a file. (A table that was made without _file is of one.) A label that
-- tells a state of the chip, Telegraf's pstate, tells no series apart.
DROP TABLE IF EXISTS temp.dcgm_labels;
CREATE TEMP TABLE dcgm_labels(series INTEGER PRIMARY KEY, labels, file, UNIQUE (labels, file));
DROP TABLE IF EXISTS temp.dcgm_series;
CREATE TEMP TABLE dcgm_series(row INTEGER PRIMARY KEY, series);
INSERT OR IGNORE INTO dcgm_labels(labels, file)
SELECT labels, coalesce((SELECT _file FROM prometheus_samples WHERE rowid = row), '')
FROM (SELECT NULL AS _file) CROSS JOIN (SELECT rowid AS row,
                                               iif(instr(labels, '"pstate"'), json_remove(labels, '$.pstate'), labels) AS labels
                                        FROM prometheus_samples WHERE metric IN (SELECT metric FROM dcgm_names WHERE kind IS NOT NULL));
INSERT INTO dcgm_series
SELECT row, (SELECT series FROM dcgm_labels AS l
             WHERE l.labels = p.labels AND l.file = coalesce((SELECT _file FROM prometheus_samples WHERE rowid = row), ''))
FROM (SELECT NULL AS _file) CROSS JOIN (SELECT rowid AS row,
                                               iif(instr(labels, '"pstate"'), json_remove(labels, '$.pstate'), labels) AS labels
                                        FROM prometheus_samples WHERE metric
                                            IN (SELECT metric FROM dcgm_names WHERE kind IS NOT NULL)) AS p;
DROP TABLE IF EXISTS temp.dcgm_files;
CREATE TEMP TABLE dcgm_files(series INTEGER PRIMARY KEY, file);
INSERT INTO dcgm_files SELECT series, file FROM dcgm_labels;

-- Which chip it is, or slice of one, and whose: labels of dcgm-exporter, else of AMD's exporter, else of GKE's TPUs, of Ray and others.
-- One that is empty is none.
DROP TABLE IF EXISTS temp.dcgm_samples;
CREATE TEMP TABLE dcgm_samples AS
WITH named AS (
  SELECT kind, CAST(coalesce(Hostname, nullif(json_extract(labels, '$.hostname'), ''), instance,
                             json_extract(labels, '$.ip')) AS TEXT) AS host,
         CAST(coalesce(gpu, nullif(json_extract(labels, '$.gpu_id'), ''),
                       nullif(json_extract(labels, '$.accelerator_id'), ''), json_extract(labels, '$.GpuIndex'),
                       json_extract(labels, '$.minor_number'), json_extract(labels, '$.npuID'), json_extract(labels, '$.index'),
                       json_extract(labels, '$.id'), iif(metric LIKE 'mlu%', json_extract(labels, '$.mlu'), NULL),
                       iif(metric LIKE 'habana%', json_extract(labels, '$.device'), NULL)) AS TEXT) AS gpu,
         CAST(coalesce(UUID, nullif(json_extract(labels, '$.uuid'), ''), nullif(json_extract(labels, '$.gpu_uuid'), ''),
                       nullif(json_extract(labels, '$.vdie_id'), ''),
                       iif(metric LIKE 'dcu%', nullif(json_extract(labels, '$.device_id'), ''), NULL)) AS TEXT) AS uuid,
         coalesce(json_extract(labels, '$.GPU_I_PROFILE') || '/' || json_extract(labels, '$.GPU_I_ID'),
                  json_extract(labels, '$.gpu_i_profile') || '/' || json_extract(labels, '$.gpu_i_id'),
                  nullif(lower(json_extract(labels, '$.gpu_compute_partition_type')), 'spx') || '/'
                  || json_extract(labels, '$.gpu_partition_id')) AS slice,
         -- (card_model is mostly the number of a part)
         CAST(coalesce(modelName, nullif(json_extract(labels, '$.modelname'), ''), nullif(json_extract(labels, '$.card_series'), ''),
                       nullif(json_extract(labels, '$.card_model'), ''), nullif(json_extract(labels, '$.model'), ''),
                       json_extract(labels, '$.GpuDeviceName'), json_extract(labels, '$.gpu_type'),
                       iif(metric LIKE 'npu%', json_extract(labels, '$.model_name'), NULL),
                       iif(metric LIKE 'nvidia%' OR metric LIKE 'dcu%', json_extract(labels, '$.name'), NULL)) AS TEXT) AS chip,
         CAST(coalesce(namespace, nullif(json_extract(labels, '$.namespace_name'), ''),
                       nullif(json_extract(labels, '$.dcu_pod_namespace'), '')) AS TEXT) AS namespace,
         CAST(coalesce(pod, nullif(json_extract(labels, '$.pod_name'), ''),
                       nullif(json_extract(labels, '$.podName'), ''),
                       nullif(json_extract(labels, '$.dcu_pod_name'), '')) AS TEXT) AS pod,
         CAST(coalesce(container, nullif(json_extract(labels, '$.container_name'), ''),
                       nullif(json_extract(labels, '$.containerName'), '')) AS TEXT) AS container,
         CAST(coalesce(hpc_job, nullif(json_extract(labels, '$.job_id'), ''),
                       nullif(json_extract(labels, '$.slurmjobid'), '')) AS TEXT) AS hpc_job, time, value, scale, series
  FROM (SELECT rowid AS row, * FROM prometheus_samples) JOIN dcgm_names USING (metric) LEFT JOIN dcgm_series USING (row)
  WHERE kind IS NOT NULL AND time IS NOT NULL
)
SELECT kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, time, avg(value) * scale AS value, series
FROM named
GROUP BY kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, time, series;

-- A chip is the one with its UUID, whatever its host is called: of several names the last counts.
DROP TABLE dcgm_series;
DROP TABLE IF EXISTS temp.dcgm_renamed;
CREATE TEMP TABLE dcgm_renamed AS
SELECT uuid, host, max(time) FROM dcgm_samples
WHERE uuid IN (SELECT uuid FROM dcgm_samples WHERE uuid IS NOT NULL GROUP BY uuid HAVING count(DISTINCT host) > 1) GROUP BY uuid;
CREATE UNIQUE INDEX temp.dcgm_renamed_of ON dcgm_renamed(uuid);
UPDATE dcgm_samples SET host = r.host FROM dcgm_renamed AS r WHERE r.uuid = dcgm_samples.uuid;
DROP TABLE dcgm_renamed;

-- No driver measures GPU_UTIL and MEM_COPY_UTIL of a MIG device: they are 0, whatever it does.
DROP TABLE IF EXISTS temp.dcgm_unmeasured;
CREATE TEMP TABLE dcgm_unmeasured AS
SELECT rowid AS row, kind, host, gpu, slice FROM dcgm_samples
WHERE kind IN ('gpu_util', 'memory_copy') AND slice GLOB '[0-9]*g.*' AND value = 0
  AND (kind, coalesce(uuid, ''), coalesce(host, ''), coalesce(gpu, '')) NOT IN (
    SELECT kind, coalesce(uuid, ''), coalesce(host, ''), coalesce(gpu, '') FROM dcgm_samples WHERE slice GLOB '[0-9]*g.*' AND value > 0);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'missing_samples', NULL, count(*),
       'samples of ' || kind || ' of MIG devices, such as ' || min(coalesce(host || ' ', '') || coalesce(gpu || ' ', '') || slice)
         || ', of which no driver measures it, and which are 0: left out. DCGM_FI_PROF_GR_ENGINE_ACTIVE tells'
FROM dcgm_unmeasured GROUP BY kind;
DELETE FROM dcgm_samples WHERE rowid IN (SELECT row FROM dcgm_unmeasured);
DROP TABLE dcgm_unmeasured;

-- Of several series of one chip and measure that run at once the one with most samples counts: a sample of another counts if the first has
-- none within its usual spacing, before or after.
DROP TABLE IF EXISTS temp.dcgm_measured;
CREATE TEMP TABLE dcgm_measured AS
SELECT dense_rank() OVER (ORDER BY kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job) AS chip, kind, series, n, first,
       last
FROM (SELECT kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, series, count(*) AS n, min(time) AS first,
             max(time) AS last
      FROM dcgm_samples GROUP BY kind, host, gpu, uuid, slice, chip, namespace, pod, container, hpc_job, series);
DROP TABLE IF EXISTS temp.dcgm_at_once;
CREATE TEMP TABLE dcgm_at_once AS
SELECT * FROM (SELECT *, (last - first) / (n - 1) AS step,
                      max(last) OVER (PARTITION BY chip ORDER BY first, series ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM dcgm_measured WHERE n > 1)
WHERE chip IN (SELECT chip FROM (SELECT chip, first, step,
                                        max(last) OVER (PARTITION BY chip
                                                        ORDER BY first, series ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                                 FROM (SELECT *, (last - first) / (n - 1) AS step FROM dcgm_measured WHERE n > 1))
               WHERE before + step > first);
DROP TABLE dcgm_measured;
CREATE INDEX temp.dcgm_at_once_of ON dcgm_at_once(chip);
-- Hosts whose agents scrape localhost may have one name.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:prometheus, 'prometheus_samples'), 'warning', 'conflict', NULL, count(*),
       'chips without a UUID of which several targets tell at once, such as ' || min(name)
         || ': one counts. If they are of several hosts, give these a label node'
FROM (SELECT min(coalesce(s.host || ' ', '') || coalesce(s.gpu, '?')) AS name
      FROM dcgm_at_once AS o CROSS JOIN dcgm_labels AS l ON l.series = o.series
      CROSS JOIN (SELECT series, min(host) AS host, min(gpu) AS gpu FROM dcgm_samples WHERE uuid IS NULL GROUP BY series) AS s
        ON s.series = o.series
      GROUP BY o.chip
      HAVING count(DISTINCT json_remove(l.labels, '$.prometheus', '$.prometheus_replica', '$.__replica__', '$.replica', '$.thanos_replica',
                                        '$.receive', '$.cluster')) > 1) GROUP BY NULL;
DROP TABLE dcgm_labels;
CREATE INDEX temp.dcgm_at_once_as ON dcgm_at_once(series, kind);
DROP TABLE IF EXISTS temp.dcgm_spacing;
CREATE TEMP TABLE dcgm_spacing(series, kind, spacing, PRIMARY KEY (series, kind)) WITHOUT ROWID;
INSERT INTO dcgm_spacing
SELECT series, kind, step
FROM (SELECT series, kind, step, row_number() OVER (PARTITION BY series, kind ORDER BY step) AS rank,
             count(*) OVER (PARTITION BY series, kind) AS steps
      FROM (SELECT s.series, s.kind, s.time - lag(s.time) OVER (PARTITION BY s.series, s.kind ORDER BY s.time) AS step
            FROM dcgm_samples AS s WHERE (s.series, s.kind) IN (SELECT series, kind FROM dcgm_at_once)) WHERE step IS NOT NULL)
WHERE rank = (steps + 1) / 2;
DROP TABLE IF EXISTS temp.dcgm_others;
CREATE TEMP TABLE dcgm_others AS SELECT series, kind, time
FROM dcgm_samples WHERE (series, kind) IN (SELECT series, kind FROM dcgm_at_once);
CREATE INDEX temp.dcgm_others_at ON dcgm_others(series, kind, time);
DELETE FROM dcgm_samples WHERE rowid IN (
  SELECT s.rowid FROM dcgm_samples AS s CROSS JOIN dcgm_at_once AS own ON own.series = s.series AND own.kind = s.kind
  CROSS JOIN dcgm_at_once AS other ON other.chip = own.chip AND (other.n, other.series) > (own.n, own.series)
  CROSS JOIN dcgm_spacing AS p ON p.series = other.series AND p.kind = other.kind
  WHERE s.time > other.first - p.spacing AND s.time < other.last + p.spacing
    AND EXISTS (SELECT 1 FROM dcgm_others AS o
                WHERE o.series = other.series AND o.kind = other.kind AND o.time > s.time - p.spacing AND o.time < s.time + p.spacing));
DROP TABLE dcgm_others;
DROP TABLE dcgm_spacing;
DROP TABLE dcgm_at_once;
