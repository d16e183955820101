-- kube_state/samples.sql - the input: samples without what cannot be or is told twice, the scrapes, and which resources are chips.
--
-- Reads prometheus_trace. Makes kube_state_samples, kube_state_scrapes, kube_state_spacing and kube_state_resources.
-- A part of kube_state.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input ----

-- Text without times, in a file with Unix seconds or milliseconds in its name: that is when it was scraped.
DROP TABLE IF EXISTS temp.kube_state_files;
CREATE TEMP TABLE kube_state_files AS
WITH RECURSIVE file AS (SELECT path, ' ' || substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) || ' ' AS name
                        FROM trace_files(:kube_state)),
place(path, name, at) AS (SELECT path, name, 1 FROM file UNION ALL SELECT path, name, at + 1 FROM place WHERE at < length(name))
SELECT path, CAST(substr(name,
                         1 + max(at) FILTER (WHERE substr(name, at, 12) GLOB '[^0-9]1' || replace('.........', '.', '[0-9]') || '[^0-9]'
                                             OR substr(name, at, 15) GLOB '[^0-9]1' || replace('............', '.', '[0-9]') || '[^0-9]'),
                         10) AS INTEGER) AS time
FROM place GROUP BY path;
CREATE TEMP TABLE IF NOT EXISTS kube_state_samples AS
SELECT metric, CASE WHEN metric GLOB 'kube_*' THEN labels END AS labels, CAST(s.time AS INTEGER) AS time, value,
       coalesce(instance, '') AS instance, namespace, pod,
       CASE WHEN instr(labels, 'replica"') OR instr(labels, '__replica__"') OR instr(labels, '"prometheus"')
            THEN coalesce(json_extract(labels, '$.prometheus_replica'), json_extract(labels, '$.__replica__'),
                          json_extract(labels, '$.thanos_replica'), json_extract(labels, '$.replica'),
                          json_extract(labels, '$.prometheus')) END AS server,
       _file, _line
FROM kube_state_files AS f CROSS JOIN prometheus_trace(f.path, f.time) AS s WHERE f.time IS NOT NULL
  AND NOT (value = 0 AND metric IN ('kube_pod_status_phase', 'kube_pod_status_reason', 'kube_node_status_condition'))
UNION ALL
SELECT metric, CASE WHEN metric GLOB 'kube_*' THEN labels END, CAST(s.time AS INTEGER), value, coalesce(instance, ''), namespace, pod,
       CASE WHEN instr(labels, 'replica"') OR instr(labels, '__replica__"') OR instr(labels, '"prometheus"')
            THEN coalesce(json_extract(labels, '$.prometheus_replica'), json_extract(labels, '$.__replica__'),
                          json_extract(labels, '$.thanos_replica'), json_extract(labels, '$.replica'),
                          json_extract(labels, '$.prometheus')) END AS server,
       _file, _line
FROM kube_state_files AS f CROSS JOIN prometheus_trace(f.path) AS s WHERE f.time IS NULL
  AND NOT (value = 0 AND metric IN ('kube_pod_status_phase', 'kube_pod_status_reason', 'kube_node_status_condition'));
DROP TABLE kube_state_files;

-- What cannot be: a time that is more than ten years from the middle one, none at all, or less than nothing.
DROP TABLE IF EXISTS temp.kube_state_far;
CREATE TEMP TABLE kube_state_far AS
WITH middle AS (SELECT mpg_median(time / 31556952) AS year FROM kube_state_samples)
SELECT s.rowid AS row, 'impossible_time' AS kind, metric, _file, _line FROM kube_state_samples AS s, middle
WHERE abs(time / 31556952 - year) > 10 OR (value > 0 AND metric GLOB 'kube_*_time*' AND abs(value / 31556952 - year) > 10)
UNION ALL
SELECT rowid, iif(time IS NULL, 'no_time', 'impossible_value'), metric, _file, _line
FROM kube_state_samples WHERE metric GLOB 'kube_*' AND (time IS NULL OR value IS NULL OR value < 0);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', kind, min(_line), count(*),
       'samples of ' || min(metric) || CASE kind WHEN 'impossible_time' THEN ' with a time more than ten years from the middle one'
                                                 WHEN 'no_time' THEN ' without a time: put Unix seconds into the name of the file'
                                            ELSE ' below 0, or without a value' END || ': left out'
FROM kube_state_far GROUP BY _file, kind;
DELETE FROM kube_state_samples WHERE rowid IN (SELECT row FROM kube_state_far);
DROP TABLE kube_state_far;

DROP TABLE IF EXISTS temp.kube_state_metrics;
CREATE TEMP TABLE kube_state_metrics(metric PRIMARY KEY);
INSERT INTO kube_state_metrics VALUES
  ('kube_node_info'), ('kube_node_labels'), ('kube_node_created'), ('kube_node_status_capacity'), ('kube_node_status_allocatable'),
  ('kube_node_status_condition'),
  ('kube_node_spec_unschedulable'), ('kube_pod_info'), ('kube_pod_owner'), ('kube_pod_labels'), ('kube_pod_created'),
  ('kube_pod_status_phase'), ('kube_pod_status_reason'),
  ('kube_pod_status_scheduled_time'), ('kube_pod_start_time'), ('kube_pod_completion_time'), ('kube_pod_deletion_timestamp'),
  ('kube_pod_container_resource_requests'),
  ('kube_pod_container_resource_limits'), ('kube_pod_init_container_resource_requests'), ('kube_pod_init_container_resource_limits'),
  ('kube_replicaset_owner'),
  ('kube_job_owner'), ('kube_job_created'), ('kube_job_spec_parallelism'), ('kube_job_spec_completions'),
  ('kube_job_status_completion_time'), ('kube_job_complete'), ('kube_job_failed');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'info', 'unknown_metric', NULL, sum(samples),
       'samples of metrics that this mapping does not read: left out: ' || substr(group_concat(metric, ', '), 1, 300)
FROM (SELECT coalesce(metric, 'an expression') AS metric, min(_file) AS file, count(*) AS samples FROM kube_state_samples
      WHERE metric IS NULL OR metric NOT IN (SELECT metric FROM kube_state_metrics)
      GROUP BY metric ORDER BY metric NOT GLOB 'kube_[np]o*', metric)
GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_metric', NULL, 1, m.metric || ' is missing: ' || m.what
FROM (SELECT 'kube_pod_status_phase' AS metric, 'pods that have ended and are still there count as held' AS what,
             'kube_pod_container_resource_requests' AS other
      UNION ALL SELECT 'kube_pod_container_resource_requests', 'what pods hold is not known', 'kube_pod_status_phase'
      UNION ALL SELECT 'kube_node_status_capacity', 'what is installed is what was allocatable at most', 'kube_node_status_allocatable'
      UNION ALL SELECT 'kube_node_status_condition', 'outages of nodes are not known', 'kube_node_status_allocatable') AS m
WHERE m.other IN (SELECT metric FROM kube_state_samples) AND m.metric NOT IN (SELECT metric FROM kube_state_samples)
  AND replace(m.metric, 'container_resource_requests', 'container_resource_limits') NOT IN (SELECT metric FROM kube_state_samples);
DELETE FROM kube_state_samples WHERE metric IS NULL OR metric NOT IN (SELECT metric FROM kube_state_metrics);
DROP TABLE kube_state_metrics;

-- Of several servers that watch one exporter at once, by a label, the one with most scrapes counts: a scrape of another counts if the first
-- has none within its usual spacing, before or after.
DROP TABLE IF EXISTS temp.kube_state_times;
CREATE TEMP TABLE kube_state_times AS
SELECT DISTINCT instance, coalesce(server, '') AS server, metric, _file, time FROM kube_state_samples;
DROP TABLE IF EXISTS temp.kube_state_watched;
CREATE TEMP TABLE kube_state_watched AS
SELECT instance, server, time, time - lag(time) OVER (PARTITION BY instance, server ORDER BY time) AS step
FROM (SELECT DISTINCT instance, server, time FROM kube_state_times);
CREATE INDEX temp.kube_state_watched_at ON kube_state_watched(instance, server, time);
DROP TABLE IF EXISTS temp.kube_state_servers;
CREATE TEMP TABLE kube_state_servers AS
SELECT instance, server, step AS spacing, row_number() OVER (PARTITION BY instance ORDER BY n DESC, server DESC) AS place
FROM (SELECT instance, server, step, row_number() OVER (PARTITION BY instance, server ORDER BY step) AS rank,
             count(*) OVER (PARTITION BY instance, server) AS n FROM kube_state_watched WHERE step IS NOT NULL)
WHERE rank = (n + 1) / 2;
DROP TABLE IF EXISTS temp.kube_state_again;
CREATE TEMP TABLE kube_state_again AS
SELECT DISTINCT w.instance, w.server, w.time
FROM kube_state_servers AS more CROSS JOIN kube_state_servers AS own ON own.instance = more.instance AND own.place > more.place
CROSS JOIN kube_state_watched AS w ON w.instance = own.instance AND w.server = own.server
WHERE EXISTS (SELECT 1 FROM kube_state_watched AS o
              WHERE o.instance = w.instance AND o.server = more.server AND o.time > w.time - more.spacing
                AND o.time < w.time + more.spacing);
DELETE FROM kube_state_samples
WHERE EXISTS (SELECT 1 FROM kube_state_again)
  AND (instance, coalesce(server, ''), time) IN (SELECT instance, server, time FROM kube_state_again);
DELETE FROM kube_state_times
WHERE EXISTS (SELECT 1 FROM kube_state_again) AND (instance, server, time) IN (SELECT instance, server, time FROM kube_state_again);
DROP TABLE kube_state_again;
DROP TABLE kube_state_servers;
DROP TABLE kube_state_watched;

-- Metrics, or namespaces, that were asked for one by one may have times of their own: a query begins at its second, and may have another
-- step. Then the times of the query with the smallest step count, and those a step or more from them; at each of them every query says what
-- its last sample does, or one that is half of that step later, for as long as its own step.
DROP TABLE IF EXISTS temp.kube_state_many;
CREATE TEMP TABLE kube_state_many AS SELECT _file FROM kube_state_times GROUP BY _file HAVING min(time) < max(time);
DROP TABLE IF EXISTS temp.kube_state_asks;
CREATE TEMP TABLE kube_state_asks AS -- a query is of a metric and a file; a page of a moment is of one with the others
SELECT DISTINCT instance, metric, metric || ' ' || iif(_file IN (SELECT _file FROM kube_state_many), _file, '') AS query, time
FROM kube_state_times;
CREATE INDEX temp.kube_state_asks_of ON kube_state_asks(instance, query, time);
DROP TABLE IF EXISTS temp.kube_state_steps;
CREATE TEMP TABLE kube_state_steps AS -- of metrics that are there all the time
SELECT instance, metric, query, step, first, row_number() OVER (PARTITION BY instance ORDER BY step, n DESC, query) AS place
FROM (SELECT instance, metric, query, step, count(*) OVER q AS n, row_number() OVER (PARTITION BY instance, query ORDER BY step) AS rank,
             min(time) OVER q AS first, max(time) OVER q - min(time) OVER q AS span
      FROM (SELECT instance, metric, query, time, time - lag(time) OVER (PARTITION BY instance, query ORDER BY time) AS step
            FROM kube_state_asks
            WHERE metric GLOB 'kube_node_*' OR metric GLOB 'kube_pod_container_*' OR metric IN ('kube_pod_status_phase', 'kube_pod_owner'))
      WHERE step > 0 WINDOW q AS (PARTITION BY instance, query))
WHERE rank = (n + 1) / 2 AND span < 1.5 * n * step AND n > 1;
DROP TABLE IF EXISTS temp.kube_state_apart;
CREATE TEMP TABLE kube_state_apart AS
SELECT instance FROM (SELECT instance, count(DISTINCT time) AS times FROM kube_state_asks GROUP BY instance)
JOIN (SELECT instance, metric, count(DISTINCT time) AS own FROM kube_state_asks GROUP BY instance, metric) USING (instance)
GROUP BY instance HAVING max(own) < max(times)
UNION SELECT instance FROM kube_state_steps GROUP BY instance, metric HAVING count(DISTINCT step || ' ' || (first % step)) > 1;
DELETE FROM kube_state_asks WHERE instance NOT IN (SELECT instance FROM kube_state_apart);
DROP TABLE IF EXISTS temp.kube_state_grid;
CREATE TEMP TABLE kube_state_grid AS
SELECT DISTINCT t.instance, t.time, s.step FROM kube_state_steps AS s JOIN kube_state_asks AS t USING (instance, query) WHERE place = 1;
CREATE INDEX temp.kube_state_grid_at ON kube_state_grid(instance, time);
INSERT INTO kube_state_grid
SELECT t.instance, min(t.time), s.step FROM kube_state_steps AS s JOIN kube_state_asks AS t USING (instance)
WHERE s.place = 1 AND NOT EXISTS (SELECT 1 FROM kube_state_grid AS g
                                  WHERE g.instance = t.instance AND g.time > t.time - s.step AND g.time < t.time + s.step)
GROUP BY t.instance, CAST(t.time / s.step AS INTEGER);
DROP TABLE IF EXISTS temp.kube_state_nearest;
CREATE TEMP TABLE kube_state_nearest AS
SELECT * FROM (
  SELECT g.instance, m.metric, m.query, g.time AS at, coalesce(s.step, g.step) - g.step / 2.0 AS reach,
         CAST((SELECT max(t.time) FROM kube_state_asks AS t
               WHERE t.instance = g.instance AND t.query = m.query AND t.time <= g.time + g.step / 2.0) AS NUMERIC) AS time
  FROM (SELECT instance, metric, query, min(time) AS first, max(time) AS last FROM kube_state_asks GROUP BY instance, query) AS m
  LEFT JOIN kube_state_steps AS s ON s.instance = m.instance AND s.query = m.query
  JOIN kube_state_grid AS g ON g.instance = m.instance AND g.time BETWEEN m.first - g.step AND m.last + coalesce(s.step, g.step))
WHERE at - time < reach;
CREATE INDEX temp.kube_state_nearest_of ON kube_state_nearest(instance, query, time);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_samples', NULL, count(DISTINCT n.metric),
       'metrics with times of their own, the first ' || min(n.metric) || ', which count at those of ' || max(s.metric)
FROM kube_state_nearest AS n JOIN kube_state_steps AS s ON s.instance = n.instance AND s.place = 1
WHERE n.at <> n.time GROUP BY NULL HAVING count(*) > 0;
DROP TABLE IF EXISTS temp.kube_state_moved;
CREATE TEMP TABLE kube_state_moved AS
SELECT s.*, n.at FROM (SELECT 1 FROM kube_state_nearest WHERE at <> time LIMIT 1) CROSS JOIN kube_state_samples AS s
CROSS JOIN kube_state_nearest AS n ON n.instance = s.instance AND n.time = s.time
  AND n.query = s.metric || ' ' || iif(s._file IN (SELECT _file FROM kube_state_many), s._file, '');
DELETE FROM kube_state_samples WHERE instance IN (SELECT instance FROM kube_state_moved);
INSERT INTO kube_state_samples(metric, labels, time, value, instance, namespace, pod, server, _file, _line)
SELECT metric, labels, at, value, instance, namespace, pod, server, _file, _line FROM kube_state_moved;
DROP TABLE kube_state_moved;
DROP TABLE kube_state_nearest;
DROP TABLE kube_state_grid;
DROP TABLE kube_state_steps;
DROP TABLE kube_state_apart;
DROP TABLE kube_state_asks;
DROP TABLE kube_state_many;
DROP TABLE kube_state_times;

-- Pods and nodes have names of their own in one cluster alone; and pods that hold GPUs for others do not say for which.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflict', NULL, count(*),
       'clusters in one export: ' || group_concat(cluster, ', ')
         || ': what has one name in several counts as one. Read one cluster at a time'
FROM (SELECT min(_file) AS _file,
             coalesce(json_extract(labels, '$.cluster'), json_extract(labels, '$.cluster_name'), json_extract(labels, '$.k8s_cluster'),
                      json_extract(labels, '$.cluster_id')) AS cluster
      FROM (SELECT labels, min(_file) AS _file FROM kube_state_samples
            WHERE metric IN ('kube_node_status_capacity', 'kube_node_status_allocatable', 'kube_pod_status_phase')
              AND instr(labels, 'cluster') GROUP BY labels) GROUP BY 2)
WHERE cluster <> '' GROUP BY NULL HAVING count(*) > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'uncounted_resource', NULL, count(DISTINCT pod),
       'pods that reserve GPUs, the first ' || min(namespace || '/' || pod)
         || ': which pods share these no metric tells, so they count as idle'
FROM kube_state_samples WHERE namespace IN ('kai-resource-reservation', 'runai-reservation') AND metric GLOB 'kube_pod_container_resource_*'
  AND value > 0 AND json_extract(labels, '$.resource') GLOB '*gpu*' GROUP BY NULL HAVING count(*) > 0;

-- ---- 2. The scrapes: of each exporter the times, and how far they are apart ----

DROP TABLE IF EXISTS temp.kube_state_scrapes;
CREATE TEMP TABLE kube_state_scrapes(instance, time NUMERIC, before, after, PRIMARY KEY (instance, time)) WITHOUT ROWID;
INSERT INTO kube_state_scrapes
WITH own AS (
  SELECT instance, time, lag(time) OVER series AS before, lead(time) OVER series AS after
  FROM (SELECT DISTINCT instance, time FROM kube_state_samples) WINDOW series AS (PARTITION BY instance ORDER BY time)
),
any_exporter AS (SELECT time, lag(time) OVER (ORDER BY time) AS before, lead(time) OVER (ORDER BY time) AS after
                 FROM (SELECT DISTINCT time FROM own))
SELECT instance, o.time, coalesce(o.before, a.before), coalesce(o.after, a.after) FROM own AS o JOIN any_exporter AS a USING (time);
DROP TABLE IF EXISTS temp.kube_state_spacing;
CREATE TEMP TABLE kube_state_spacing AS
SELECT coalesce((SELECT step FROM (SELECT after - time AS step, row_number() OVER (ORDER BY after - time) AS rank, count(*) OVER () AS n
                                   FROM kube_state_scrapes WHERE after IS NOT NULL) WHERE rank = (n + 1) / 2), 0) AS seconds,
       min(time) AS first, max(time) AS last FROM kube_state_scrapes;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_samples', NULL, count(*),
       'gaps between samples, of ' || CAST(sum(after - time) AS INTEGER) || ' s in all, where they come every ' || seconds
         || ' s: what was the same before and after was so in between'
FROM kube_state_scrapes, kube_state_spacing WHERE after - time > 2 * seconds AND seconds > 0 GROUP BY NULL HAVING count(*) > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_samples', NULL, 1,
       'all samples are of one time, as an instant query gives them: nothing is known to have lasted. Give a range'
FROM kube_state_spacing WHERE first = last;

-- ---- 3. Which resources are chips. The exporter writes all but letters and digits of a name as _ ----

DROP TABLE IF EXISTS temp.kube_state_resources;
CREATE TEMP TABLE kube_state_resources AS
WITH named AS (SELECT DISTINCT json_extract(labels, '$.resource') AS resource
               FROM kube_state_samples WHERE metric GLOB '*_resource_*' OR metric GLOB 'kube_node_status_[ac]*'),
mig AS (
  SELECT resource, CAST(substr(resource, 16) AS INTEGER) AS slices, CAST(substr(resource, 19) AS INTEGER) AS gigabytes
  FROM named WHERE resource GLOB 'nvidia_com_mig_[1-7]g_[0-9]*gb*'
)
SELECT resource,
       CASE WHEN resource IN ('nvidia_com_gpu', 'nvidia_com_gpu_shared', 'amd_com_gpu', 'google_com_tpu', 'aws_amazon_com_neuron',
                              'aws_amazon_com_neurondevice', 'habana_ai_gaudi',
                              'gpu_intel_com_i915', 'gpu_intel_com_xe', 'cambricon_com_mlu', 'hygon_com_dcu', 'metax_tech_com_gpu',
                              'mthreads_com_gpu', 'kunlunxin_com_xpu',
                              'iluvatar_ai_gpu', 'iluvatar_com_gpu', 'enflame_com_gcu', 'birentech_com_gpu') THEN 1.0
            WHEN resource IN ('deviceclass_resource_kubernetes_io_gpu_nvidia_com', 'deviceclass_resource_kubernetes_io_tpu_google_com',
                              'deviceclass_resource_kubernetes_io_gpu_amd_com', 'deviceclass_resource_kubernetes_io_neuron_aws_com',
                              'deviceclass_resource_kubernetes_io_gaudi_intel_com',
                              'deviceclass_resource_kubernetes_io_gpu_intel_com') THEN 1.0
            WHEN resource GLOB 'huawei_com_[Aa]scend[0-9]*' AND substr(resource, 12) NOT GLOB '*_*' THEN 1.0
            WHEN resource GLOB 'huawei_com_ascend_[0-9]*' AND substr(resource, 19) NOT GLOB '*[^0-9]*' THEN 1.0
            -- An A30's slice has 6 GB, an RTX PRO 6000's 24: of these a GPU has four.
            WHEN slices IS NOT NULL THEN slices
              / iif((slices = 1 AND gigabytes = 6) OR (slices IN (2, 4) AND gigabytes IN (6 * slices, 24 * slices)), 4.0, 7.0) END AS share
FROM named LEFT JOIN mig USING (resource);
-- The older name of the same devices: the plugin offers both.
DELETE FROM kube_state_samples
WHERE metric GLOB 'kube_node_status_[ac]*' AND json_extract(labels, '$.resource') = 'aws_amazon_com_neurondevice'
  AND (coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')), time)
    IN (SELECT coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')), time FROM kube_state_samples
        WHERE metric GLOB 'kube_node_status_[ac]*' AND json_extract(labels, '$.resource') = 'aws_amazon_com_neuron');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'guessed_share', NULL, count(*),
       resource || ' counts as 1/7 of a chip; of a GPU of 4 slices it is 1/4'
FROM kube_state_resources WHERE resource GLOB 'nvidia_com_mig_1g_24gb*' GROUP BY NULL;
CREATE UNIQUE INDEX temp.kube_state_resource ON kube_state_resources(resource);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'uncounted_resource', min(_line), count(DISTINCT coalesce(pod, json_extract(labels, '$.node'))),
       'resources with no known number of chips: ' || group_concat(DISTINCT resource)
FROM (SELECT s._file, s._line, s.pod, s.labels, resource
      FROM kube_state_samples AS s JOIN kube_state_resources ON resource = json_extract(s.labels, '$.resource')
      WHERE share IS NULL AND value > 0)
WHERE EXISTS (SELECT 1 FROM (VALUES ('gpu'), ('npu'), ('tpu'), ('xpu'), ('ppu'), ('gcu'), ('dcu'), ('mlu'), ('hpu'), ('ipu'), ('qaic'),
                             ('neuron'), ('gaudi'), ('ascend'), ('accel'))
              WHERE '_' || lower(resource) GLOB '*[^a-z]' || column1 || '*' OR '_' || lower(resource) GLOB '*[^a-z][vsp]' || column1 || '*')
  OR resource GLOB 'nvidia_com_[A-Z]*' OR resource GLOB 'nvidia_com_mig_*' OR resource GLOB 'amd_com_*' OR resource GLOB 'huawei_com_*'
  OR resource GLOB 'cambricon_com_*' OR resource GLOB 'hygon_com_*' OR resource GLOB 'metax_tech_com_*' OR resource GLOB 'mthreads_com_*'
  OR resource GLOB 'kunlunxin_com_*' OR resource GLOB 'iluvatar_ai_*' OR resource GLOB 'enflame_com_*' OR resource GLOB 'habana_ai_*'
  OR resource GLOB 'run_ai_*' OR resource GLOB 'birentech_com_*' OR resource GLOB 'vastaitech_com_*' OR resource GLOB 'tenstorrent_com_*'
  OR resource GLOB 'furiosa_ai_*' OR resource GLOB 'rebellions_ai_*' OR resource GLOB 'graphcore_ai_*' OR resource GLOB 'qualcomm_com_*'
  OR resource GLOB 'cloud_tpus_google_com_*' OR resource GLOB 'tencent_com_vcuda_*'
GROUP BY NULL HAVING count(*) > 0;
