-- kube_state/objects.sql - nodes, pods and jobs as objects of Kubernetes, in the order of time.
--
-- Reads the tables of lives.sql and samples.sql. Makes kube_state_jobs, kube_state_ends and kube_state_objects, which kube.sql reads.
-- A part of kube_state.sql, which says what the parameters are and runs the parts in order.

-- ---- 7. The objects, in the order of time ----

DROP TABLE IF EXISTS temp.kube_state_objects;
CREATE TEMP TABLE kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind,
                                     owner_name, job, phase, reason, nodeName, pool, product,
                                     resource, chips, min_chips, allocatable, share, scheduled, ready, ready_time, finished, outcome,
                                     unschedulable, spec, conditions, labels, _file);
DROP TABLE IF EXISTS temp.kube_state_jobs;
CREATE TEMP TABLE kube_state_jobs AS -- what Kubernetes' own Jobs say of themselves
SELECT namespace, coalesce(json_extract(labels, '$.exported_job_name'), json_extract(labels, '$.job_name')) AS name, min(_file) AS _file,
       min(time) AS seen, max(time) AS last,
       max(value) FILTER (WHERE metric = 'kube_job_created') AS created,
       max(value) FILTER (WHERE metric = 'kube_job_spec_parallelism') AS parallelism,
       min(value) FILTER (WHERE metric = 'kube_job_spec_parallelism' AND value > 0) AS least,
       max(value) FILTER (WHERE metric = 'kube_job_spec_completions') AS completions,
       max(value) FILTER (WHERE metric = 'kube_job_status_completion_time') AS finished,
       max(metric = 'kube_job_complete' AND value = 1 AND json_extract(labels, '$.condition') = 'true') AS complete,
       max(metric = 'kube_job_failed' AND value = 1 AND json_extract(labels, '$.condition') = 'true') AS failed,
       min(time) FILTER (WHERE metric IN ('kube_job_complete', 'kube_job_failed') AND value = 1
                         AND json_extract(labels, '$.condition') = 'true') AS over
FROM kube_state_samples WHERE metric GLOB 'kube_job_*' GROUP BY 1, 2;
CREATE INDEX temp.kube_state_job_of ON kube_state_jobs(namespace, name);
ALTER TABLE kube_state_jobs ADD COLUMN after; -- the next scrape of the exporter that told of it last
UPDATE kube_state_jobs SET after = s.after
FROM (SELECT namespace, coalesce(json_extract(labels, '$.exported_job_name'), json_extract(labels, '$.job_name')) AS name, instance,
             max(time) AS last FROM kube_state_samples WHERE metric GLOB 'kube_job_*' GROUP BY 1, 2, 3) AS i
JOIN kube_state_scrapes AS s ON s.instance = i.instance AND s.time = i.last
WHERE i.namespace = kube_state_jobs.namespace AND i.name = kube_state_jobs.name AND i.last = kube_state_jobs.last;

CREATE INDEX temp.kube_state_life_at ON kube_state_node_lives(node, time);
CREATE INDEX temp.kube_state_owner_by ON kube_state_owners(job);
CREATE INDEX temp.kube_state_held_by ON kube_state_held(namespace, pod);
-- How a pod ended that is gone without a last phase: as its Job did, with its node, or nobody saw how.
DROP TABLE IF EXISTS temp.kube_state_ends;
CREATE TEMP TABLE kube_state_ends AS
SELECT h.*, o.kind AS owner_kind, o.owner, o.job,
       CASE WHEN end_time IS NULL THEN NULL WHEN phase = 'Succeeded' THEN 'completed'
            WHEN phase = 'Failed' THEN CASE WHEN reason IN ('Evicted', 'Preempting') THEN 'preempted'
                                            WHEN reason IN ('NodeLost', 'Shutdown', 'NodeShutdown', 'Terminated') THEN 'node_fail'
                                            WHEN reason = 'DeadlineExceeded' THEN 'timeout' ELSE 'failed' END
            WHEN j.complete THEN 'completed'
            WHEN EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.last_held AND n.ready <> 'True')
              OR (EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.last_held)
                  AND NOT EXISTS (SELECT 1 FROM kube_state_node_lives AS n WHERE n.node = h.node AND n.time = h.after_last))
              THEN 'node_fail'
            WHEN j.failed OR EXISTS (SELECT 1 FROM kube_state_held AS later JOIN kube_state_owners AS lo USING (namespace, pod)
                                     WHERE lo.job = o.job AND later.seen >= h.after_last AND o.job <> h.namespace || '/' || h.pod)
              THEN 'failed'
            ELSE 'cancelled' END AS outcome,
       end_time IS NOT NULL AND phase IS NULL AS vanished,
       -- it waited, and is gone at the next sample
       iif(start_time IS NULL, after_seen, NULL) AS left_queue
FROM kube_state_held AS h JOIN kube_state_owners AS o USING (namespace, pod)
LEFT JOIN kube_state_jobs AS j ON j.namespace = h.namespace AND j.name = o.owner AND o.kind = 'Job';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'info', 'vanished_pod', NULL, count(*),
       'pods that were gone at the next sample without a last phase, such as ' || min(namespace || '/' || pod) || ': they count as '
         || outcome
FROM kube_state_ends WHERE vanished GROUP BY outcome;

-- Labels that count GPUs are of NVIDIA's or AMD's, or of Intel's; and say nothing of slices beside whole GPUs.
DROP TABLE IF EXISTS temp.kube_state_makers;
CREATE TEMP TABLE kube_state_makers AS
SELECT coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node,
       max(json_extract(labels, '$.resource') GLOB 'gpu_intel_com_*') AS intel,
       max(json_extract(labels, '$.resource') GLOB '*_mig_*') AS mig
FROM kube_state_samples WHERE metric GLOB 'kube_node_status_[ac]*' AND value > 0 AND json_extract(labels, '$.resource') IS NOT NULL
GROUP BY 1;
CREATE UNIQUE INDEX temp.kube_state_maker ON kube_state_makers(node);
INSERT INTO kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name,
                               job, phase, reason, nodeName, pool, product,
                               resource, chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec,
                               conditions, labels, _file)
WITH node AS ( -- a version at its first sample, and for each change
  SELECT *, min(time) OVER life AS begun, lag(ready) OVER (PARTITION BY node, life ORDER BY time) AS was_ready,
         lag(unschedulable) OVER (PARTITION BY node, life ORDER BY time) AS was_unschedulable,
         lag(allocatable) OVER (PARTITION BY node, life ORDER BY time) AS was_allocatable,
         lag(told) OVER (PARTITION BY node, life ORDER BY time) AS was_told, max(time) OVER life AS ended
  FROM kube_state_node_lives WINDOW life AS (PARTITION BY node, life)
),
version AS (
  SELECT iif(time = begun, 'ADDED', 'MODIFIED') AS event, node, life, told, time, begun, before, created, chips, allocatable, ready,
         unschedulable, _file,
         max(iif(ready IS NOT was_ready OR time = begun, time, NULL)) OVER so_far AS ready_time,
         max(iif(unschedulable = 1 AND was_unschedulable IS NOT 1, time, NULL)) OVER so_far AS cordoned,
         time = begun OR ready IS NOT was_ready OR unschedulable IS NOT was_unschedulable OR allocatable IS NOT was_allocatable
           OR told IS NOT was_told AS changed
  FROM node WINDOW so_far AS (PARTITION BY node, life ORDER BY time)
  UNION ALL
  SELECT 'DELETED', node, life, told, iif(after - time > 2 * p.seconds AND p.seconds > 0, time + p.seconds, after), begun, before, created,
         chips, allocatable, ready, unschedulable, _file, NULL, NULL, 1
  FROM node, kube_state_spacing AS p WHERE time = ended AND after IS NOT NULL
),
object AS (
  SELECT v.*, t.labels, coalesce(json_extract(t.labels, '$.label_nvidia_com_gpu_product'),
                                 json_extract(t.labels, '$.label_amd_com_gpu_product_name'),
                                 json_extract(t.labels, '$.label_beta_amd_com_gpu_product_name'),
                                 json_extract(t.labels, '$.label_aliyun_accelerator_nvidia_name'),
                                 json_extract(t.labels, '$.label_machine_cluster_vke_volcengine_com_gpu_name'),
                                 json_extract(t.labels, '$.label_node_kubernetes_io_npu_chip_name'),
                                 json_extract(t.labels, '$.label_hygon_com_dcu_name'),
                                 json_extract(t.labels, '$.label_cloud_google_com_gke_accelerator'),
                                 json_extract(t.labels, '$.label_cloud_google_com_gke_tpu_accelerator'),
                                 json_extract(t.labels, '$.label_node_kubernetes_io_instance_type'),
                                 json_extract(t.labels, '$.label_gpu_nvidia_com_model'),
                                 json_extract(t.labels, '$.label_nebius_com_gpu_name')) AS product,
         json_extract(t.labels, '$.label_cloud_google_com_gke_gpu_partition_size') AS size,
         json_extract(t.labels, '$.label_amd_com_compute_memory_partition') AS mode,
         CAST(coalesce(json_extract(t.labels, '$.label_nvidia_com_gpu_replicas'),
                       json_extract(t.labels, '$.label_cloud_google_com_gke_max_shared_clients_per_gpu')) AS INTEGER) AS replicas,
         (SELECT s.first FROM kube_state_spacing AS s) AS window_start
  FROM version AS v LEFT JOIN kube_state_told AS t ON t.node = v.node AND t.time = v.told WHERE changed
),
-- How much of a chip a device is: as mpg_kube_product_share, mpg_kube_partitions and kube/fractions.sql have it of objects.
profiled AS (
  SELECT *, CASE WHEN profile GLOB '[1-7]g.[0-9]*gb*' THEN CAST(profile AS INTEGER) END AS slices,
         CASE WHEN profile GLOB '[1-7]g.[0-9]*gb*' THEN CAST(substr(profile, 4) AS INTEGER) END AS gigabytes
  FROM (SELECT *, iif(instr(product, '-MIG-'), substr(product, instr(product, '-MIG-') + 5), size) AS profile FROM object)
),
parted AS (
  SELECT *, coalesce(slices / iif((slices = 1 AND gigabytes = 6) OR (slices IN (2, 4) AND gigabytes IN (6 * slices, 24 * slices))
                                  OR (slices = 1 AND gigabytes = 24 AND product LIKE '%RTX-PRO-6000%'), 4.0, 7.0), 1.0)
           / CASE WHEN mode GLOB 'dpx_*' THEN 2 WHEN mode GLOB 'tpx_*' THEN 3 WHEN mode GLOB 'qpx_*' THEN 4
                  WHEN mode GLOB 'cpx_*' THEN iif(product GLOB 'AMD_Instinct_MI300A*', 6, 8) ELSE 1 END
           / iif(replicas BETWEEN 1 AND 1000, replicas, 1) AS part,
         (SELECT CAST(CASE WHEN m.intel THEN (SELECT sum(value) FROM json_each(labels)
                                              WHERE key GLOB 'label_gpu_intel_com_device_id_*_count')
                           ELSE coalesce(json_extract(labels, '$.label_karpenter_k8s_aws_instance_gpu_count'),
                                         json_extract(labels, '$.label_eks_amazonaws_com_instance_gpu_count'),
                                         json_extract(labels, '$.label_karpenter_azure_com_sku_gpu_count'),
                                         json_extract(labels, '$.label_gpu_nvidia_com_count')) END AS INTEGER)
          FROM kube_state_makers AS m WHERE m.node = profiled.node AND NOT m.mig) AS gpus
  FROM profiled
),
all_objects AS (
  SELECT event, 'v1' AS apiVersion, 'Node' AS kind, NULL AS namespace, node AS name, node || iif(life > 0, '#' || life, '') AS uid,
         iif(begun = window_start, begun,
             max(coalesce(min(created, begun), begun),
                 coalesce((SELECT min(n.before) FROM kube_state_node_lives AS n WHERE n.node = parted.node AND n.time = parted.begun),
                          begun))) AS creationTimestamp,
         NULL AS deletionTimestamp, NULL AS owner_kind, NULL AS owner_name, NULL AS job, NULL AS phase, NULL AS reason, NULL AS nodeName,
         coalesce(json_extract(labels, '$.label_' || replace(replace(replace(:pool, '.', '_'), '/', '_'), '-', '_')),
                  json_extract(labels, '$.label_cloud_google_com_gke_nodepool'),
                  json_extract(labels, '$.label_eks_amazonaws_com_nodegroup'),
                  json_extract(labels, '$.label_kubernetes_azure_com_agentpool'), json_extract(labels, '$.label_karpenter_sh_nodepool'),
                  json_extract(labels, '$.label_agentpool'),
                  json_extract(labels, '$.label_node_kubernetes_io_instance_type')) AS pool,
         product, NULL AS resource, chips, allocatable,
         iif(part = 1 AND gpus > 0 AND chips >= 2 * gpus, 1.0 / ((CAST(chips AS INTEGER) + gpus - 1) / gpus), part) AS share,
         NULL AS scheduled, ready, ready_time, NULL AS finished, NULL AS outcome, CAST(unschedulable AS INTEGER) AS unschedulable,
         CASE WHEN cordoned IS NOT NULL
                AND unschedulable = 1 THEN json_object('taints',
                                                       json_array(json_object('key', 'node.kubernetes.io/unschedulable', 'timeAdded',
                                                                              strftime('%Y-%m-%dT%H:%M:%SZ', cordoned,
                                                                                       'unixepoch')))) END AS spec,
         json_array(json_object('type', 'Ready', 'lastHeartbeatTime', strftime('%Y-%m-%dT%H:%M:%SZ', time, 'unixepoch'))) AS conditions,
         json_object('node.kubernetes.io/instance-type', json_extract(labels, '$.label_node_kubernetes_io_instance_type')) AS labels, _file,
         time
  FROM parted
  UNION ALL
  SELECT iif(vanished OR left_queue IS NOT NULL, 'DELETED', 'ADDED'), 'v1', 'Pod', e.namespace, e.pod,
         coalesce(nullif(e.uid, ''), e.namespace || '/' || e.pod) || iif(life > 0, '#' || life, ''),
         min(created_at, coalesce(start_time, created_at)), iif(vanished, end_time, left_queue), owner_kind, owner, job,
         coalesce(phase, iif(start_time IS NULL, 'Pending', 'Running')), reason,
         iif(start_time IS NULL, NULL, coalesce(nullif(e.node, ''), '?')), NULL, NULL, a.resource, round(a.chips, 6), NULL, NULL,
         start_time, NULL, NULL, end_time, outcome,
         NULL, '{}', NULL, '{}', _file, created_at
  FROM kube_state_ends AS e JOIN kube_state_asked AS a ON a.namespace = e.namespace AND a.pod = e.pod
       AND a.uid = coalesce((SELECT b.uid FROM kube_state_asked AS b WHERE b.namespace = e.namespace AND b.pod = e.pod AND b.uid = e.uid),
                            (SELECT max(b.uid) FROM kube_state_asked AS b WHERE b.namespace = e.namespace AND b.pod = e.pod))
  WHERE start_time IS NOT NULL OR over IS NULL
  UNION ALL
  SELECT 'BOOKMARK', 'v1', 'Bookmark', NULL, 'samples', 'samples', last, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         (SELECT min(_file) FROM kube_state_samples), last FROM kube_state_spacing WHERE last IS NOT NULL OR :kube_state IS NOT NULL
)
SELECT event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason,
       nodeName, pool, product, resource, chips, allocatable, share, scheduled,
       ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file
FROM all_objects ORDER BY time;

-- What a job needs: what its pods asked for at once, at most; of a Job as many as run in parallel, and one at least if it has more to
-- complete than that. A Deployment and a set scale at will.
INSERT INTO kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, job, chips, min_chips, finished, outcome,
                               spec, labels, _file)
WITH of_jobs AS (
  SELECT e.*, round(a.chips, 6) AS chips
  FROM kube_state_ends AS e JOIN kube_state_asked AS a ON a.namespace = e.namespace AND a.pod = e.pod AND a.uid IN (e.uid, '')
  WHERE e.owner_kind NOT IN ('ReplicaSet', 'StatefulSet', 'DaemonSet', 'Node', 'ReplicationController')
),
steps AS (
  SELECT job, iif(first_held IS NULL AND over IS NOT NULL, start_time, seen) AS at, chips
  FROM of_jobs WHERE first_held IS NOT NULL OR over IS NULL OR start_time IS NOT NULL
  UNION ALL
  SELECT job, coalesce(end_time, after_last, over, after_seen), -chips
  FROM of_jobs
  WHERE coalesce(end_time, after_last, over, after_seen) IS NOT NULL
    AND (first_held IS NOT NULL OR over IS NULL OR start_time IS NOT NULL)
),
at_once AS (SELECT job, max(chips) AS chips
            FROM (SELECT job, sum(sum(chips)) OVER (PARTITION BY job ORDER BY at) AS chips FROM steps GROUP BY job, at) GROUP BY job)
SELECT 'ADDED', 'batch/v1', iif(max(owner_kind) = 'Job', 'Job', max(owner_kind)), o.namespace, substr(o.job, instr(o.job, '/') + 1),
       'job ' || o.job,
       min(max(coalesce(min(j.created), min(o.created_at)), (SELECT first FROM kube_state_spacing)), min(o.created_at),
           min(coalesce(o.start_time, o.created_at))), o.job,
       max(min(max(m.chips), coalesce(max(o.chips) * min(max(j.parallelism), coalesce(max(j.completions), max(j.parallelism))),
                                      max(m.chips))), CASE WHEN max(j.parallelism) IS NULL THEN max(m.chips)
                                                           ELSE max(o.chips) * min(max(j.parallelism),
                                                                                   coalesce(max(j.completions), max(j.parallelism))) END),
       CASE WHEN max(j.completions) > max(j.parallelism) THEN max(o.chips)
            WHEN min(j.least) < max(j.parallelism)
              AND min(j.least) < coalesce(max(j.completions), 9e18) THEN max(o.chips) * min(j.least) END,
       CASE WHEN max(j.complete) OR max(j.failed) THEN max(coalesce(j.finished, j.over))
            -- it is gone with all of its pods, which held nothing
            WHEN count(o.left_queue) = count(*)
              THEN iif(max(j.last) IS NULL, max(o.left_queue),
                       max(max(j.after, o.left_queue))) END,
       CASE WHEN max(j.complete) THEN 'completed' WHEN max(j.failed) THEN 'failed' END,
       CASE WHEN max(j.completions) > max(j.parallelism)
              THEN json_object('completions', CAST(max(j.completions) AS INTEGER), 'parallelism', CAST(max(j.parallelism) AS INTEGER))
            ELSE '{}' END, '{}', min(o._file)
FROM of_jobs AS o JOIN at_once AS m USING (job)
LEFT JOIN kube_state_jobs AS j ON j.namespace = o.namespace AND j.name = o.owner AND o.owner_kind = 'Job'
  AND o.job = j.namespace || '/' || j.name
WHERE o.job <> o.namespace || '/' || o.pod GROUP BY o.job;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflicting_job', NULL, count(*),
       'jobs whose parallelism changed, the first ' || min(namespace || '/' || name) || ' (' || CAST(least AS INTEGER) || ', '
         || CAST(parallelism AS INTEGER) || '): they ask for the most all the time, and what they do not hold of it is queued'
FROM kube_state_jobs WHERE least < parallelism AND least < coalesce(completions, 9e18)
  AND (namespace || '/' || name) IN (SELECT job FROM kube_state_objects WHERE kind = 'Job') GROUP BY NULL;
