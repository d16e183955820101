-- kube_state.sql - from metrics of kube-state-metrics (samples of Prometheus) to objects of Kubernetes as kube.sql reads them.
--
-- Runs before kube.sql, which names its input. In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :kube_state fixtures/kube/state.json
--     .read sql/formats/kube_state.sql
--     .read sql/formats/kube.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Makes the TEMP table kube_state_objects: a version of a node for each change, a row for each pod and job, as a watch would have
-- shown them. A sample says what is so at one moment. What changed between two of them is so from the later one on, unless a
-- metric of the first says when. What was before the first sample is not known, and not guessed. docs/formats/kube.md has the rules.

-- ---- 1. The input ----

-- Text without times, in a file with Unix seconds in its name: that is when it was scraped.
DROP TABLE IF EXISTS temp.kube_state_files;
CREATE TEMP TABLE kube_state_files AS
WITH RECURSIVE file AS (SELECT path, ' ' || substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) || ' ' AS name FROM trace_files(:kube_state)),
place(path, name, at) AS (SELECT path, name, 1 FROM file UNION ALL SELECT path, name, at + 1 FROM place WHERE at < length(name))
SELECT path, CAST(substr(name, 1 + max(at) FILTER (WHERE substr(name, at, 12) GLOB '[^0-9]1' || replace('.........', '.', '[0-9]') || '[^0-9]'), 10) AS INTEGER) AS time
FROM place GROUP BY path;
CREATE TEMP TABLE IF NOT EXISTS kube_state_samples AS
SELECT metric, CASE WHEN metric GLOB 'kube_*' THEN labels END AS labels, CAST(s.time AS INTEGER) AS time, value, coalesce(instance, '') AS instance, namespace, pod,
       CASE WHEN instr(labels, 'replica"') OR instr(labels, '__replica__"') OR instr(labels, '"prometheus"')
            THEN coalesce(json_extract(labels, '$.prometheus_replica'), json_extract(labels, '$.__replica__'), json_extract(labels, '$.thanos_replica'), json_extract(labels, '$.replica'), json_extract(labels, '$.prometheus')) END AS server,
       _file, _line
FROM kube_state_files AS f CROSS JOIN prometheus_trace(f.path, f.time) AS s WHERE f.time IS NOT NULL
  AND NOT (value = 0 AND metric IN ('kube_pod_status_phase', 'kube_pod_status_reason', 'kube_node_status_condition'))
UNION ALL
SELECT metric, CASE WHEN metric GLOB 'kube_*' THEN labels END, CAST(s.time AS INTEGER), value, coalesce(instance, ''), namespace, pod,
       CASE WHEN instr(labels, 'replica"') OR instr(labels, '__replica__"') OR instr(labels, '"prometheus"')
            THEN coalesce(json_extract(labels, '$.prometheus_replica'), json_extract(labels, '$.__replica__'), json_extract(labels, '$.thanos_replica'), json_extract(labels, '$.replica'), json_extract(labels, '$.prometheus')) END AS server,
       _file, _line
FROM kube_state_files AS f CROSS JOIN prometheus_trace(f.path) AS s WHERE f.time IS NULL
  AND NOT (value = 0 AND metric IN ('kube_pod_status_phase', 'kube_pod_status_reason', 'kube_node_status_condition'));
DROP TABLE kube_state_files;

-- What cannot be: a time that is more than ten years from the middle one, none at all, or less than nothing.
DROP TABLE IF EXISTS temp.kube_state_far;
CREATE TEMP TABLE kube_state_far AS
WITH years AS (SELECT time / 31556952 AS year, count(*) AS n FROM kube_state_samples WHERE time IS NOT NULL GROUP BY 1),
middle AS (SELECT min(year) AS year FROM (SELECT year, sum(n) OVER (ORDER BY year) AS so_far, sum(n) OVER () AS n FROM years) WHERE 2 * so_far >= n)
SELECT s.rowid AS row, 'impossible_time' AS kind, metric, _file, _line FROM kube_state_samples AS s, middle
WHERE abs(time / 31556952 - year) > 10 OR (value > 0 AND metric GLOB 'kube_*_time*' AND abs(value / 31556952 - year) > 10)
UNION ALL
SELECT rowid, iif(time IS NULL, 'no_time', 'impossible_value'), metric, _file, _line FROM kube_state_samples WHERE metric GLOB 'kube_*' AND (time IS NULL OR value IS NULL OR value < 0);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', kind, min(_line), count(*),
       'samples of ' || min(metric) || CASE kind WHEN 'impossible_time' THEN ' with a time more than ten years from the middle one'
                                                 WHEN 'no_time' THEN ' without a time: put Unix seconds into the name of the file' ELSE ' below 0, or without a value' END || ': left out'
FROM kube_state_far GROUP BY _file, kind;
DELETE FROM kube_state_samples WHERE rowid IN (SELECT row FROM kube_state_far);
DROP TABLE kube_state_far;

DROP TABLE IF EXISTS temp.kube_state_metrics;
CREATE TEMP TABLE kube_state_metrics(metric PRIMARY KEY);
INSERT INTO kube_state_metrics VALUES
  ('kube_node_info'), ('kube_node_labels'), ('kube_node_created'), ('kube_node_status_capacity'), ('kube_node_status_allocatable'), ('kube_node_status_condition'),
  ('kube_node_spec_unschedulable'), ('kube_pod_info'), ('kube_pod_owner'), ('kube_pod_labels'), ('kube_pod_created'), ('kube_pod_status_phase'), ('kube_pod_status_reason'),
  ('kube_pod_status_scheduled_time'), ('kube_pod_start_time'), ('kube_pod_completion_time'), ('kube_pod_deletion_timestamp'), ('kube_pod_container_resource_requests'),
  ('kube_pod_container_resource_limits'), ('kube_pod_init_container_resource_requests'), ('kube_pod_init_container_resource_limits'), ('kube_replicaset_owner'),
  ('kube_job_owner'), ('kube_job_created'), ('kube_job_spec_parallelism'), ('kube_job_spec_completions'), ('kube_job_status_completion_time'), ('kube_job_complete'), ('kube_job_failed');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'info', 'unknown_metric', NULL, sum(samples), 'samples of metrics that this mapping does not read: left out: ' || substr(group_concat(metric, ', '), 1, 300)
FROM (SELECT coalesce(metric, 'an expression') AS metric, min(_file) AS file, count(*) AS samples FROM kube_state_samples
      WHERE metric IS NULL OR metric NOT IN (SELECT metric FROM kube_state_metrics) GROUP BY metric ORDER BY metric NOT GLOB 'kube_[np]o*', metric)
GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_metric', NULL, 1, m.metric || ' is missing: ' || m.what
FROM (SELECT 'kube_pod_status_phase' AS metric, 'pods that have ended and are still there count as held' AS what, 'kube_pod_container_resource_requests' AS other
      UNION ALL SELECT 'kube_pod_container_resource_requests', 'what pods hold is not known', 'kube_pod_status_phase'
      UNION ALL SELECT 'kube_node_status_capacity', 'what is installed is what was allocatable at most', 'kube_node_status_allocatable'
      UNION ALL SELECT 'kube_node_status_condition', 'outages of nodes are not known', 'kube_node_status_allocatable') AS m
WHERE m.other IN (SELECT metric FROM kube_state_samples) AND m.metric NOT IN (SELECT metric FROM kube_state_samples);
DELETE FROM kube_state_samples WHERE metric IS NULL OR metric NOT IN (SELECT metric FROM kube_state_metrics);
DROP TABLE kube_state_metrics;

-- Of several servers that watch one exporter at once, by a label, the one with most scrapes counts: a scrape of another counts if the first has
-- none within its usual spacing, before or after.
DROP TABLE IF EXISTS temp.kube_state_watched;
CREATE TEMP TABLE kube_state_watched AS
SELECT instance, server, time, time - lag(time) OVER (PARTITION BY instance, server ORDER BY time) AS step FROM (SELECT DISTINCT instance, coalesce(server, '') AS server, time FROM kube_state_samples);
CREATE INDEX temp.kube_state_watched_at ON kube_state_watched(instance, server, time);
DROP TABLE IF EXISTS temp.kube_state_servers;
CREATE TEMP TABLE kube_state_servers AS
SELECT instance, server, step AS spacing, row_number() OVER (PARTITION BY instance ORDER BY n DESC, server DESC) AS place
FROM (SELECT instance, server, step, row_number() OVER (PARTITION BY instance, server ORDER BY step) AS rank, count(*) OVER (PARTITION BY instance, server) AS n FROM kube_state_watched WHERE step IS NOT NULL)
WHERE rank = (n + 1) / 2;
DROP TABLE IF EXISTS temp.kube_state_again;
CREATE TEMP TABLE kube_state_again AS
SELECT DISTINCT w.instance, w.server, w.time
FROM kube_state_servers AS more CROSS JOIN kube_state_servers AS own ON own.instance = more.instance AND own.place > more.place
CROSS JOIN kube_state_watched AS w ON w.instance = own.instance AND w.server = own.server
WHERE EXISTS (SELECT 1 FROM kube_state_watched AS o WHERE o.instance = w.instance AND o.server = more.server AND o.time > w.time - more.spacing AND o.time < w.time + more.spacing);
DELETE FROM kube_state_samples WHERE EXISTS (SELECT 1 FROM kube_state_again) AND (instance, coalesce(server, ''), time) IN (SELECT instance, server, time FROM kube_state_again);
DROP TABLE kube_state_again;
DROP TABLE kube_state_servers;
DROP TABLE kube_state_watched;

-- ---- 2. The scrapes: of each exporter the times, and how far they are apart ----

DROP TABLE IF EXISTS temp.kube_state_scrapes;
CREATE TEMP TABLE kube_state_scrapes(instance, time, before, after, PRIMARY KEY (instance, time)) WITHOUT ROWID;
INSERT INTO kube_state_scrapes
WITH own AS (
  SELECT instance, time, lag(time) OVER series AS before, lead(time) OVER series AS after
  FROM (SELECT DISTINCT instance, time FROM kube_state_samples) WINDOW series AS (PARTITION BY instance ORDER BY time)
),
any_exporter AS (SELECT time, lag(time) OVER (ORDER BY time) AS before, lead(time) OVER (ORDER BY time) AS after FROM (SELECT DISTINCT time FROM own))
SELECT instance, o.time, coalesce(o.before, a.before), coalesce(o.after, a.after) FROM own AS o JOIN any_exporter AS a USING (time);
DROP TABLE IF EXISTS temp.kube_state_spacing;
CREATE TEMP TABLE kube_state_spacing AS
SELECT coalesce((SELECT step FROM (SELECT after - time AS step, row_number() OVER (ORDER BY after - time) AS rank, count(*) OVER () AS n
                                   FROM kube_state_scrapes WHERE after IS NOT NULL) WHERE rank = (n + 1) / 2), 0) AS seconds,
       min(time) AS first, max(time) AS last FROM kube_state_scrapes;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM kube_state_samples), 'warning', 'missing_samples', NULL, count(*),
       'gaps between samples, of ' || CAST(sum(after - time) AS INTEGER) || ' s in all, where they come every ' || seconds || ' s: what was the same before and after was so in between'
FROM kube_state_scrapes, kube_state_spacing WHERE after - time > 2 * seconds AND seconds > 0 GROUP BY NULL HAVING count(*) > 0;

-- ---- 3. Which resources are chips. The exporter writes all but letters and digits of a name as _ ----

DROP TABLE IF EXISTS temp.kube_state_resources;
CREATE TEMP TABLE kube_state_resources AS
WITH named AS (SELECT DISTINCT json_extract(labels, '$.resource') AS resource FROM kube_state_samples WHERE metric GLOB '*_resource_*' OR metric GLOB 'kube_node_status_[ac]*'),
mig AS (
  SELECT resource, CAST(substr(resource, 16) AS INTEGER) AS slices, CAST(substr(resource, 19) AS INTEGER) AS gigabytes FROM named WHERE resource GLOB 'nvidia_com_mig_[1-7]g_[0-9]*gb*'
)
SELECT resource,
       CASE WHEN resource IN ('nvidia_com_gpu', 'nvidia_com_gpu_shared', 'amd_com_gpu', 'google_com_tpu', 'aws_amazon_com_neuron', 'aws_amazon_com_neurondevice', 'habana_ai_gaudi',
                              'gpu_intel_com_i915', 'gpu_intel_com_xe', 'cambricon_com_mlu', 'hygon_com_dcu', 'metax_tech_com_gpu', 'mthreads_com_gpu', 'kunlunxin_com_xpu',
                              'iluvatar_ai_gpu', 'enflame_com_gcu') THEN 1.0
            WHEN resource GLOB 'huawei_com_Ascend[0-9]*' AND substr(resource, 12) NOT GLOB '*_*' THEN 1.0
            -- An A30's slice has 6 GB, an RTX PRO 6000's 24: of these a GPU has four.
            WHEN slices IS NOT NULL THEN slices / iif((slices = 1 AND gigabytes = 6) OR (slices IN (2, 4) AND gigabytes IN (6 * slices, 24 * slices)), 4.0, 7.0) END AS share
FROM named LEFT JOIN mig USING (resource);
CREATE UNIQUE INDEX temp.kube_state_resource ON kube_state_resources(resource);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'uncounted_resource', min(_line), count(DISTINCT coalesce(pod, json_extract(labels, '$.node'))), 'resources with no known number of chips: ' || group_concat(DISTINCT resource)
FROM (SELECT s._file, s._line, s.pod, s.labels, resource FROM kube_state_samples AS s JOIN kube_state_resources ON resource = json_extract(s.labels, '$.resource') WHERE share IS NULL AND value > 0)
WHERE resource GLOB '*gpu*' OR resource GLOB '*npu*' OR resource GLOB '*tpu*' OR resource GLOB '*xpu*' OR resource GLOB '*dcu*' OR resource GLOB '*gcu*' OR resource GLOB '*mlu*' OR resource GLOB '*hpu*'
   OR resource GLOB '*neuron*' OR resource GLOB '*gaudi*' OR resource GLOB '*scend*' OR resource GLOB '*accel*' OR resource GLOB '*_mig_*' OR resource GLOB 'amd_com_*'
GROUP BY NULL HAVING count(*) > 0;

-- ---- 4. Nodes: what each sample says ----

DROP TABLE IF EXISTS temp.kube_state_told;
CREATE TEMP TABLE kube_state_told AS -- of labels, the last that were told
SELECT coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node, labels, max(time) AS time FROM kube_state_samples WHERE metric = 'kube_node_labels' GROUP BY 1;
CREATE UNIQUE INDEX temp.kube_state_told_of ON kube_state_told(node);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'guessed_share', NULL, count(DISTINCT name), 'each ' || min(resource) || ' of ' || min(name) || iif(count(DISTINCT name) > 1, ' and others', '') || ' counts as a whole GPU: no label_nvidia_com_gpu_replicas of kube_node_labels says how many are one'
FROM (SELECT _file, json_extract(labels, '$.resource') AS resource, coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node, coalesce(namespace || '/', '') || pod AS name
      FROM kube_state_samples WHERE metric GLOB 'kube_pod_*container_resource_*' AND json_extract(labels, '$.resource') GLOB '*_shared' AND value > 0) AS kube_state_shared
WHERE NOT EXISTS (SELECT 1 FROM kube_state_told AS t WHERE t.node = coalesce(nullif(kube_state_shared.node, ''), t.node) AND json_extract(t.labels, '$.label_nvidia_com_gpu_replicas') > 1) GROUP BY NULL;
DROP TABLE IF EXISTS temp.kube_state_nodes;
CREATE TEMP TABLE kube_state_nodes AS
WITH told AS ( -- once, however many exporters tell it
  SELECT coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node, time, metric, min(instance) AS instance, max(value) AS value, max(value * share) AS chips,
         json_extract(labels, '$.condition') AS condition, json_extract(labels, '$.status') AS status, min(_file) AS _file
  FROM kube_state_samples LEFT JOIN kube_state_resources ON resource = json_extract(labels, '$.resource') AND metric GLOB 'kube_node_status_[ac]*'
  WHERE metric GLOB 'kube_node_*' GROUP BY 1, 2, 3, resource, 7, 8
)
SELECT node, min(instance) AS instance, time, sum(chips) FILTER (WHERE metric = 'kube_node_status_capacity') AS capacity,
       sum(chips) FILTER (WHERE metric = 'kube_node_status_allocatable') AS allocatable,
       max(CASE WHEN metric = 'kube_node_status_condition' AND value = 1 AND condition = 'Ready' THEN CASE status WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' ELSE 'Unknown' END END) AS ready,
       max(value) FILTER (WHERE metric = 'kube_node_spec_unschedulable') AS unschedulable, max(value) FILTER (WHERE metric = 'kube_node_created') AS created,
       min(_file) AS _file
FROM told WHERE node <> '' GROUP BY node, time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'unknown_state', min(_line), count(*), 'states of nodes or phases of pods that are not known: ' || group_concat(DISTINCT coalesce(state, '?'))
FROM (SELECT _file, _line, coalesce(json_extract(labels, '$.phase'), json_extract(labels, '$.status')) AS state FROM kube_state_samples
      WHERE value = 1 AND (metric = 'kube_pod_status_phase' OR (metric = 'kube_node_status_condition' AND json_extract(labels, '$.condition') = 'Ready')))
WHERE coalesce(state, '') NOT IN ('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', 'true', 'false', 'unknown') GROUP BY NULL HAVING count(*) > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflict', NULL, count(*), 'samples of pod ' || min(pod) || ' in several phases at once: ' || group_concat(DISTINCT phases) || ': it counts as one of them'
FROM (SELECT min(_file) AS _file, coalesce(namespace || '/', '') || pod AS pod, group_concat(DISTINCT json_extract(labels, '$.phase')) AS phases
      FROM kube_state_samples WHERE metric = 'kube_pod_status_phase' AND value = 1 GROUP BY instance, namespace, pod, json_extract(labels, '$.uid'), time HAVING count(DISTINCT json_extract(labels, '$.phase')) > 1) GROUP BY NULL HAVING count(*) > 0;
-- A node that says nothing of its state at a sample that has other nodes', or lacks what it holds.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'missing_field', NULL, count(*), 'samples of node ' || min(node) || ' lack ' || field || ': it is as it was before'
FROM (SELECT _file, node, CASE WHEN ready IS NULL AND max(ready IS NOT NULL) OVER () THEN 'whether it is ready'
                               WHEN allocatable IS NULL AND max(allocatable IS NOT NULL) OVER (PARTITION BY node) THEN 'what is allocatable'
                               WHEN capacity IS NULL AND max(capacity IS NOT NULL) OVER (PARTITION BY node) THEN 'its capacity' END AS field FROM kube_state_nodes)
WHERE field IS NOT NULL GROUP BY field;

-- A node that was gone and came again is another one.
DROP TABLE IF EXISTS temp.kube_state_node_lives;
CREATE TEMP TABLE kube_state_node_lives AS
WITH stepped AS (
  SELECT n.*, s.before, s.after, lag(n.time) OVER (PARTITION BY node ORDER BY n.time) AS previous FROM kube_state_nodes AS n JOIN kube_state_scrapes AS s USING (instance, time)
),
lives AS (SELECT *, sum(coalesce(previous < before, 0)) OVER (PARTITION BY node ORDER BY time) AS life FROM stepped),
levels AS (
  SELECT *, count(ready) OVER so_far AS ready_told, count(allocatable) OVER so_far AS allocatable_told, count(unschedulable) OVER so_far AS unschedulable_told,
         max(max(coalesce(capacity, 0), coalesce(allocatable, 0))) OVER (PARTITION BY node, life) AS chips
  FROM lives WINDOW so_far AS (PARTITION BY node, life ORDER BY time)
)
SELECT node, life, time, before, after, previous, created, _file, chips, first_value(ready) OVER (PARTITION BY node, life, ready_told ORDER BY time) AS ready,
       first_value(unschedulable) OVER (PARTITION BY node, life, unschedulable_told ORDER BY time) AS unschedulable,
       first_value(min(coalesce(allocatable, chips), coalesce(capacity, chips))) OVER (PARTITION BY node, life, allocatable_told ORDER BY time) AS allocatable
FROM levels WHERE chips > 0;

-- ---- 5. Pods: what they request, and what each sample says ----

-- An init container's request counts where it is more than that of all others. Of chips, limits are requests.
DROP TABLE IF EXISTS temp.kube_state_requests;
CREATE TEMP TABLE kube_state_requests AS
WITH told AS (
  SELECT namespace, pod, coalesce(json_extract(labels, '$.uid'), '') AS uid, json_extract(labels, '$.resource') AS resource, metric GLOB '*init*' AS init,
         max(value * share) AS chips
  FROM kube_state_samples JOIN kube_state_resources ON resource = json_extract(labels, '$.resource')
  WHERE metric GLOB 'kube_pod_*_resource_*' AND share IS NOT NULL GROUP BY 1, 2, 3, 4, 5, coalesce(json_extract(labels, '$.exported_container'), json_extract(labels, '$.container'))
)
SELECT namespace, pod, uid, resource, max(coalesce(sum(chips) FILTER (WHERE NOT init), 0), coalesce(max(chips) FILTER (WHERE init), 0)) AS chips
FROM told GROUP BY namespace, pod, uid, resource;
DROP TABLE IF EXISTS temp.kube_state_asked;
CREATE TEMP TABLE kube_state_asked AS
SELECT namespace, pod, uid, max(resource) AS resource, sum(chips) AS chips FROM kube_state_requests GROUP BY namespace, pod, uid HAVING sum(chips) > 0;
CREATE UNIQUE INDEX temp.kube_state_asked_of ON kube_state_asked(namespace, pod, uid);

DROP TABLE IF EXISTS temp.kube_state_pods;
CREATE TEMP TABLE kube_state_pods AS
WITH told AS (
  SELECT s.*, coalesce(json_extract(labels, '$.uid'), '') AS uid FROM kube_state_samples AS s
  WHERE metric GLOB 'kube_pod_*' AND EXISTS (SELECT 1 FROM kube_state_asked AS a WHERE a.namespace = s.namespace AND a.pod = s.pod)
)
SELECT namespace, pod, uid, min(instance) AS instance, time, min(_file) AS _file,
       max(CASE WHEN metric = 'kube_pod_status_phase' AND value = 1 THEN json_extract(labels, '$.phase') END) AS phase,
       max(coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node'), '')) AS node,
       max(value) FILTER (WHERE metric = 'kube_pod_created') AS created, max(value) FILTER (WHERE metric = 'kube_pod_status_scheduled_time') AS scheduled,
       max(value) FILTER (WHERE metric = 'kube_pod_start_time') AS started, max(value) FILTER (WHERE metric = 'kube_pod_completion_time') AS finished,
       max(value) FILTER (WHERE metric = 'kube_pod_deletion_timestamp') AS deleted,
       max(CASE WHEN metric = 'kube_pod_status_reason' AND value = 1 THEN json_extract(labels, '$.reason') END) AS reason
FROM told GROUP BY namespace, pod, uid, time;
-- Some metrics may lack the uid that others have: where a pod's name has one alone, it is that.
UPDATE kube_state_pods SET uid = (SELECT max(o.uid) FROM kube_state_pods AS o WHERE o.namespace = kube_state_pods.namespace AND o.pod = kube_state_pods.pod)
WHERE uid = '' AND 1 = (SELECT count(DISTINCT nullif(o.uid, '')) FROM kube_state_pods AS o WHERE o.namespace = kube_state_pods.namespace AND o.pod = kube_state_pods.pod);

-- A pod of one uid is there from its first to its last sample; one without may be another of the same name.
DROP TABLE IF EXISTS temp.kube_state_pod_lives;
CREATE TEMP TABLE kube_state_pod_lives AS
WITH whole AS (
  SELECT namespace, pod, uid, min(instance) AS instance, time, min(_file) AS _file, max(phase) AS phase, max(node) AS node, max(created) AS created, max(scheduled) AS scheduled, max(started) AS started,
         max(finished) AS finished, max(deleted) AS deleted, max(reason) AS reason
  FROM kube_state_pods GROUP BY namespace, pod, uid, time
),
stepped AS (
  SELECT w.*, s.before, s.after, lag(w.time) OVER (PARTITION BY namespace, pod, uid ORDER BY w.time) AS previous, max(phase) OVER (PARTITION BY namespace, pod, uid) IS NULL AS phaseless,
         max(node) OVER (PARTITION BY namespace, pod, uid) AS on_node
  FROM whole AS w JOIN kube_state_scrapes AS s USING (instance, time)
)
SELECT *, sum(coalesce(uid = '' AND previous < before, 0)) OVER (PARTITION BY namespace, pod, uid ORDER BY time) AS life,
       CASE phase WHEN 'Pending' THEN node <> '' WHEN 'Running' THEN 1 WHEN 'Unknown' THEN 1 WHEN 'Succeeded' THEN 0 WHEN 'Failed' THEN 0 ELSE phaseless AND on_node <> '' END AS held
FROM stepped;

DROP TABLE IF EXISTS temp.kube_state_held;
CREATE TEMP TABLE kube_state_held AS
WITH lives AS (
  SELECT namespace, pod, uid, life, min(_file) AS _file, max(on_node) AS node, min(time) AS seen, max(time) AS last, min(time) FILTER (WHERE held) AS first_held, max(time) FILTER (WHERE held) AS last_held,
         min(time) FILTER (WHERE phase IN ('Succeeded', 'Failed')) AS over, max(phase) FILTER (WHERE phase IN ('Succeeded', 'Failed')) AS phase, max(created) AS created,
         coalesce(max(scheduled), max(started)) AS scheduled, max(finished) AS finished, max(deleted) AS deleted, max(reason) AS reason
  FROM kube_state_pod_lives GROUP BY namespace, pod, uid, life
),
around AS (
  SELECT l.*, f.before AS before_first, n.after AS after_last, v.before AS before_seen, o.before AS before_over
  FROM lives AS l LEFT JOIN kube_state_pod_lives AS f ON f.namespace = l.namespace AND f.pod = l.pod AND f.uid = l.uid AND f.time = l.first_held
       LEFT JOIN kube_state_pod_lives AS n ON n.namespace = l.namespace AND n.pod = l.pod AND n.uid = l.uid AND n.time = l.last_held
       LEFT JOIN kube_state_pod_lives AS v ON v.namespace = l.namespace AND v.pod = l.pod AND v.uid = l.uid AND v.time = l.seen
       LEFT JOIN kube_state_pod_lives AS o ON o.namespace = l.namespace AND o.pod = l.pod AND o.uid = l.uid AND o.time = l.over
)
SELECT a.*, max(coalesce(min(a.created, a.seen), a.seen), coalesce(before_seen, a.seen)) AS created_at,
       CASE WHEN first_held IS NOT NULL THEN max(min(coalesce(scheduled, first_held), first_held), coalesce(before_first, first_held))
            -- Seen only when it was over: it was held if it tells from when to when, in between two samples.
            WHEN over IS NOT NULL AND scheduled >= before_over AND finished >= scheduled AND finished <= over THEN scheduled END AS start_time,
       CASE WHEN first_held IS NULL THEN finished
            WHEN over > last_held THEN min(max(coalesce(finished, over), last_held), over)
            WHEN after_last IS NULL THEN NULL
            WHEN deleted > last_held AND deleted < after_last THEN deleted
            WHEN after_last - last_held > 2 * p.seconds AND p.seconds > 0 THEN last_held + p.seconds
            ELSE after_last END AS end_time
FROM around AS a, kube_state_spacing AS p;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'between_samples', NULL, count(*), 'pods that began and ended between two samples, such as ' || min(namespace || '/' || pod) || ': they hold nothing; export kube_pod_start_time and kube_pod_completion_time'
FROM kube_state_held WHERE start_time IS NULL AND over IS NOT NULL AND before_over IS NOT NULL AND over = seen GROUP BY NULL HAVING count(*) > 0;

-- ---- 6. Whose pods they are: the outermost job that labels name, else the owner, else the pod ----

DROP TABLE IF EXISTS temp.kube_state_owners;
CREATE TEMP TABLE kube_state_owners AS
WITH owner AS ( -- the metric of owners knows which one controls; kube_pod_info has the same of older versions
  SELECT namespace, pod, coalesce(json_extract(labels, '$.owner_kind'), json_extract(labels, '$.created_by_kind')) AS kind, coalesce(json_extract(labels, '$.owner_name'), json_extract(labels, '$.created_by_name')) AS name,
         row_number() OVER (PARTITION BY namespace, pod ORDER BY metric = 'kube_pod_owner' DESC, json_extract(labels, '$.owner_is_controller') = 'true' DESC, time DESC) AS nth
  FROM kube_state_samples WHERE metric IN ('kube_pod_owner', 'kube_pod_info') AND (namespace, pod) IN (SELECT namespace, pod FROM kube_state_held)
    AND coalesce(json_extract(labels, '$.owner_name'), json_extract(labels, '$.created_by_name'), '') NOT IN ('', '<none>')
),
sets AS (
  SELECT namespace, json_extract(labels, '$.replicaset') AS name, max(json_extract(labels, '$.owner_name')) AS above, 'ReplicaSet' AS kind FROM kube_state_samples WHERE metric = 'kube_replicaset_owner' AND json_extract(labels, '$.owner_kind') = 'Deployment' GROUP BY 1, 2
  UNION ALL
  SELECT namespace, coalesce(json_extract(labels, '$.exported_job_name'), json_extract(labels, '$.job_name')), max(json_extract(labels, '$.owner_name')), 'Job' FROM kube_state_samples
  WHERE metric = 'kube_job_owner' AND json_extract(labels, '$.owner_kind') NOT IN ('', '<none>', 'CronJob') GROUP BY 1, 2
),
labelled AS (
  SELECT namespace, pod, max(coalesce(json_extract(labels, '$.label_workload_codeflare_dev_appwrapper'), json_extract(labels, '$.label_jobset_sigs_k8s_io_jobset_name'),
                                      json_extract(labels, '$.label_training_kubeflow_org_job_name'), json_extract(labels, '$.label_ray_io_originated_from_cr_name'), json_extract(labels, '$.label_ray_io_cluster'),
                                      json_extract(labels, '$.label_leaderworkerset_sigs_k8s_io_name'), json_extract(labels, '$.label_kueue_x_k8s_io_pod_group_name'), json_extract(labels, '$.label_volcano_sh_job_name'),
                                      json_extract(labels, '$.label_batch_kubernetes_io_job_name'), json_extract(labels, '$.label_job_name'))) AS name
  FROM kube_state_samples WHERE metric = 'kube_pod_labels' AND (namespace, pod) IN (SELECT namespace, pod FROM kube_state_held) GROUP BY namespace, pod
)
SELECT p.namespace, p.pod, o.kind, o.name AS owner,
       p.namespace || '/' || coalesce(nullif(l.name, ''), s.above,
         -- A ReplicaSet of a Deployment has its name and five to ten of the letters and digits that Kubernetes makes names of.
         CASE WHEN o.kind = 'ReplicaSet' AND rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789') GLOB '?*-' AND length(o.name) - length(rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789')) BETWEEN 5 AND 10
              THEN rtrim(rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789'), '-') END,
         CASE WHEN o.kind IS NOT 'Node' THEN o.name END, p.pod) AS job
FROM (SELECT DISTINCT namespace, pod FROM kube_state_held) AS p LEFT JOIN owner AS o ON o.namespace = p.namespace AND o.pod = p.pod AND nth = 1
     LEFT JOIN sets AS s ON s.namespace = p.namespace AND s.name = o.name AND s.kind = o.kind LEFT JOIN labelled AS l ON l.namespace = p.namespace AND l.pod = p.pod;
CREATE UNIQUE INDEX temp.kube_state_owner_of ON kube_state_owners(namespace, pod);

-- ---- 7. The objects, in the order of time ----

DROP TABLE IF EXISTS temp.kube_state_objects;
CREATE TEMP TABLE kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason, nodeName, pool, product,
                                     resource, chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file);
DROP TABLE IF EXISTS temp.kube_state_jobs;
CREATE TEMP TABLE kube_state_jobs AS -- what Kubernetes' own Jobs say of themselves
SELECT namespace, coalesce(json_extract(labels, '$.exported_job_name'), json_extract(labels, '$.job_name')) AS name, min(_file) AS _file, min(time) AS seen,
       max(value) FILTER (WHERE metric = 'kube_job_created') AS created, max(value) FILTER (WHERE metric = 'kube_job_spec_parallelism') AS parallelism,
       max(value) FILTER (WHERE metric = 'kube_job_spec_completions') AS completions, max(value) FILTER (WHERE metric = 'kube_job_status_completion_time') AS finished,
       max(metric = 'kube_job_complete' AND value = 1 AND json_extract(labels, '$.condition') = 'true') AS complete, max(metric = 'kube_job_failed' AND value = 1 AND json_extract(labels, '$.condition') = 'true') AS failed,
       min(time) FILTER (WHERE metric IN ('kube_job_complete', 'kube_job_failed') AND value = 1 AND json_extract(labels, '$.condition') = 'true') AS over
FROM kube_state_samples WHERE metric GLOB 'kube_job_*' GROUP BY 1, 2;
CREATE INDEX temp.kube_state_job_of ON kube_state_jobs(namespace, name);

-- How a pod ended that is gone without a last phase: as its Job did, with its node, or nobody saw how.
DROP TABLE IF EXISTS temp.kube_state_ends;
CREATE TEMP TABLE kube_state_ends AS
SELECT h.*, o.kind AS owner_kind, o.owner, o.job,
       CASE WHEN end_time IS NULL THEN NULL WHEN phase = 'Succeeded' THEN 'completed'
            WHEN phase = 'Failed' THEN CASE WHEN reason IN ('Evicted', 'Preempting') THEN 'preempted' WHEN reason IN ('NodeLost', 'Shutdown', 'NodeShutdown', 'Terminated') THEN 'node_fail'
                                            WHEN reason = 'DeadlineExceeded' THEN 'timeout' ELSE 'failed' END
            WHEN j.complete THEN 'completed'
            WHEN EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.last_held AND n.ready <> 'True')
              OR (EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.last_held)
                  AND NOT EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.after_last)) THEN 'node_fail'
            WHEN j.failed OR EXISTS (SELECT 1 FROM kube_state_held AS later JOIN kube_state_owners AS lo USING (namespace, pod) WHERE lo.job = o.job AND later.seen >= h.after_last AND o.job <> h.namespace || '/' || h.pod) THEN 'failed'
            ELSE 'cancelled' END AS outcome,
       end_time IS NOT NULL AND phase IS NULL AS vanished
FROM kube_state_held AS h JOIN kube_state_owners AS o USING (namespace, pod) LEFT JOIN kube_state_jobs AS j ON j.namespace = h.namespace AND j.name = o.owner AND o.kind = 'Job';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'info', 'vanished_pod', NULL, count(*), 'pods that were gone at the next sample without a last phase, such as ' || min(namespace || '/' || pod) || ': they count as ' || outcome
FROM kube_state_ends WHERE vanished GROUP BY outcome;

INSERT INTO kube_state_objects
WITH node AS ( -- a version at its first sample, and for each change
  SELECT *, min(time) OVER life AS begun, lag(ready) OVER (PARTITION BY node, life ORDER BY time) AS was_ready, lag(unschedulable) OVER (PARTITION BY node, life ORDER BY time) AS was_unschedulable,
         lag(allocatable) OVER (PARTITION BY node, life ORDER BY time) AS was_allocatable, max(time) OVER life AS ended
  FROM kube_state_node_lives WINDOW life AS (PARTITION BY node, life)
),
version AS (
  SELECT iif(time = begun, 'ADDED', 'MODIFIED') AS event, node, life, time, begun, before, created, chips, allocatable, ready, unschedulable, _file,
         max(iif(ready IS NOT was_ready OR time = begun, time, NULL)) OVER so_far AS ready_time, max(iif(unschedulable = 1 AND was_unschedulable IS NOT 1, time, NULL)) OVER so_far AS cordoned,
         time = begun OR ready IS NOT was_ready OR unschedulable IS NOT was_unschedulable OR allocatable IS NOT was_allocatable AS changed
  FROM node WINDOW so_far AS (PARTITION BY node, life ORDER BY time)
  UNION ALL
  SELECT 'DELETED', node, life, iif(after - time > 2 * p.seconds AND p.seconds > 0, time + p.seconds, after), begun, before, created, chips, allocatable, ready, unschedulable, _file, NULL, NULL, 1
  FROM node, kube_state_spacing AS p WHERE time = ended AND after IS NOT NULL
),
object AS (
  SELECT v.*, t.labels, coalesce(json_extract(t.labels, '$.label_nvidia_com_gpu_product'), json_extract(t.labels, '$.label_amd_com_gpu_product_name'), json_extract(t.labels, '$.label_cloud_google_com_gke_accelerator'),
                                 json_extract(t.labels, '$.label_cloud_google_com_gke_tpu_accelerator'), json_extract(t.labels, '$.label_node_kubernetes_io_instance_type')) AS product,
         max(1, coalesce(CAST(coalesce(json_extract(t.labels, '$.label_nvidia_com_gpu_replicas'), json_extract(t.labels, '$.label_cloud_google_com_gke_max_shared_clients_per_gpu')) AS INTEGER), 1)) AS replicas,
         (SELECT s.first FROM kube_state_spacing AS s) AS window_start
  FROM version AS v LEFT JOIN kube_state_told AS t ON t.node = v.node WHERE changed
),
all_objects AS (
  SELECT event, 'v1' AS apiVersion, 'Node' AS kind, NULL AS namespace, node AS name, node || iif(life > 0, '#' || life, '') AS uid,
         iif(begun = window_start, begun, max(coalesce(min(created, begun), begun), coalesce((SELECT min(n.before) FROM kube_state_node_lives AS n WHERE n.node = object.node AND n.time = object.begun), begun))) AS creationTimestamp,
         NULL AS deletionTimestamp, NULL AS owner_kind, NULL AS owner_name, NULL AS job, NULL AS phase, NULL AS reason, NULL AS nodeName,
         coalesce(json_extract(labels, '$.label_' || replace(replace(replace(:pool, '.', '_'), '/', '_'), '-', '_')), json_extract(labels, '$.label_cloud_google_com_gke_nodepool'), json_extract(labels, '$.label_eks_amazonaws_com_nodegroup'),
                  json_extract(labels, '$.label_kubernetes_azure_com_agentpool'), json_extract(labels, '$.label_karpenter_sh_nodepool'), json_extract(labels, '$.label_agentpool'),
                  json_extract(labels, '$.label_node_kubernetes_io_instance_type')) AS pool,
         product, NULL AS resource, chips, allocatable, CASE WHEN product GLOB '*-MIG-[1-7]g.*' THEN CAST(substr(product, instr(product, '-MIG-') + 5, 1) AS INTEGER) / 7.0 ELSE 1.0 END / replicas AS share,
         NULL AS scheduled, ready, ready_time, NULL AS finished, NULL AS outcome, CAST(unschedulable AS INTEGER) AS unschedulable,
         CASE WHEN cordoned IS NOT NULL AND unschedulable = 1 THEN json_object('taints', json_array(json_object('key', 'node.kubernetes.io/unschedulable', 'timeAdded', strftime('%Y-%m-%dT%H:%M:%SZ', cordoned, 'unixepoch')))) END AS spec,
         json_array(json_object('type', 'Ready', 'lastHeartbeatTime', strftime('%Y-%m-%dT%H:%M:%SZ', time, 'unixepoch'))) AS conditions, NULL AS labels, _file, time
  FROM object
  UNION ALL
  SELECT iif(vanished, 'DELETED', 'ADDED'), 'v1', 'Pod', e.namespace, e.pod, coalesce(nullif(e.uid, ''), e.namespace || '/' || e.pod) || iif(life > 0, '#' || life, ''), min(created_at, coalesce(start_time, created_at)), iif(vanished, end_time, NULL), owner_kind, owner, job,
         coalesce(phase, iif(start_time IS NULL, 'Pending', 'Running')), reason, iif(start_time IS NULL, NULL, coalesce(nullif(e.node, ''), '?')), NULL, NULL, a.resource, round(a.chips, 6), NULL, NULL, start_time, NULL, NULL, end_time, outcome,
         NULL, '{}', NULL, '{}', _file, created_at
  FROM kube_state_ends AS e JOIN kube_state_asked AS a ON a.namespace = e.namespace AND a.pod = e.pod
       AND a.uid = coalesce((SELECT b.uid FROM kube_state_asked AS b WHERE b.namespace = e.namespace AND b.pod = e.pod AND b.uid = e.uid), (SELECT max(b.uid) FROM kube_state_asked AS b WHERE b.namespace = e.namespace AND b.pod = e.pod))
  WHERE start_time IS NOT NULL OR over IS NULL
  UNION ALL
  SELECT 'BOOKMARK', 'v1', 'Bookmark', NULL, 'samples', 'samples', last, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         (SELECT min(_file) FROM kube_state_samples), last FROM kube_state_spacing WHERE last IS NOT NULL OR :kube_state IS NOT NULL
)
SELECT event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason, nodeName, pool, product, resource, chips, allocatable, share, scheduled,
       ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file
FROM all_objects ORDER BY time;

-- What a job needs: what its pods asked for at once, at most; of a Job as many as run in parallel. A Deployment and a set scale at will.
INSERT INTO kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, job, chips, finished, outcome, spec, labels, _file)
WITH of_jobs AS (
  SELECT e.*, round(a.chips, 6) AS chips FROM kube_state_ends AS e JOIN kube_state_asked AS a ON a.namespace = e.namespace AND a.pod = e.pod AND a.uid IN (e.uid, '') WHERE e.owner_kind NOT IN ('ReplicaSet', 'StatefulSet', 'DaemonSet', 'Node', 'ReplicationController')
),
steps AS (
  SELECT job, iif(first_held IS NULL AND over IS NOT NULL, start_time, seen) AS at, chips FROM of_jobs WHERE first_held IS NOT NULL OR over IS NULL OR start_time IS NOT NULL
  UNION ALL
  SELECT job, coalesce(end_time, after_last, over, (SELECT s.after FROM kube_state_scrapes AS s WHERE s.time = of_jobs.last AND s.after IS NOT NULL LIMIT 1)), -chips FROM of_jobs
  WHERE coalesce(end_time, after_last, over, (SELECT s.after FROM kube_state_scrapes AS s WHERE s.time = of_jobs.last AND s.after IS NOT NULL LIMIT 1)) IS NOT NULL
    AND (first_held IS NOT NULL OR over IS NULL OR start_time IS NOT NULL)
),
at_once AS (SELECT job, max(chips) AS chips FROM (SELECT job, sum(sum(chips)) OVER (PARTITION BY job ORDER BY at) AS chips FROM steps GROUP BY job, at) GROUP BY job)
SELECT 'ADDED', 'batch/v1', iif(max(owner_kind) = 'Job', 'Job', max(owner_kind)), o.namespace, substr(o.job, instr(o.job, '/') + 1), 'job ' || o.job,
       min(max(coalesce(min(j.created), min(o.created_at)), (SELECT first FROM kube_state_spacing)), min(o.created_at), min(coalesce(o.start_time, o.created_at))), o.job,
       max(min(max(m.chips), coalesce(max(o.chips) * min(max(j.parallelism), coalesce(max(j.completions), max(j.parallelism))), max(m.chips))), CASE WHEN max(j.parallelism) IS NULL THEN max(m.chips) ELSE max(o.chips) * min(max(j.parallelism), coalesce(max(j.completions), max(j.parallelism))) END),
       CASE WHEN max(j.complete) OR max(j.failed) THEN max(coalesce(j.finished, j.over)) END, CASE WHEN max(j.complete) THEN 'completed' WHEN max(j.failed) THEN 'failed' END, '{}', '{}', min(o._file)
FROM of_jobs AS o JOIN at_once AS m USING (job) LEFT JOIN kube_state_jobs AS j ON j.namespace = o.namespace AND j.name = o.owner AND o.owner_kind = 'Job' AND o.job = j.namespace || '/' || j.name
WHERE o.job <> o.namespace || '/' || o.pod GROUP BY o.job;

-- What the sampling cannot know.
DROP TABLE IF EXISTS temp.source_told;
CREATE TEMP TABLE source_told AS
SELECT 'kube_state' AS parameter, 'interval' AS what, 'samples ' || seconds || ' s apart: what starts and ends is known to that, what does both between two of them not at all' AS told
FROM kube_state_spacing WHERE last IS NOT NULL;

DROP TABLE kube_state_ends;
DROP TABLE kube_state_jobs;
DROP TABLE kube_state_owners;
DROP TABLE kube_state_held;
DROP TABLE kube_state_pod_lives;
DROP TABLE kube_state_pods;
DROP TABLE kube_state_asked;
DROP TABLE kube_state_requests;
DROP TABLE kube_state_node_lives;
DROP TABLE kube_state_nodes;
DROP TABLE kube_state_told;
DROP TABLE kube_state_resources;
DROP TABLE kube_state_spacing;
DROP TABLE kube_state_scrapes;
DROP TABLE kube_state_samples;
