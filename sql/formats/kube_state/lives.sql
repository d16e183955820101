-- kube_state/lives.sql - what each sample says of nodes and pods, from when to when each was there, and whose pods they are.
--
-- Reads the tables of samples.sql. Makes kube_state_nodes, kube_state_node_lives, kube_state_requests, kube_state_pods,
-- kube_state_held and kube_state_owners.
-- A part of kube_state.sql, which says what the parameters are and runs the parts in order.

-- ---- 4. Nodes: what each sample says ----

DROP TABLE IF EXISTS temp.kube_state_told;
CREATE TEMP TABLE kube_state_told AS -- what labels say of a node's pool and devices, from when on
WITH labels AS MATERIALIZED (
  SELECT labels, coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node,
         json_extract(labels, '$.label_' || replace(replace(replace(coalesce(:pool, ''), '.', '_'), '/', '_'), '-', '_'),
                      '$.label_cloud_google_com_gke_nodepool', '$.label_eks_amazonaws_com_nodegroup',
                      '$.label_kubernetes_azure_com_agentpool',
                      '$.label_karpenter_sh_nodepool', '$.label_agentpool', '$.label_nvidia_com_gpu_product',
                      '$.label_nvidia_com_gpu_replicas', '$.label_cloud_google_com_gke_max_shared_clients_per_gpu',
                      '$.label_cloud_google_com_gke_gpu_partition_size', '$.label_amd_com_compute_memory_partition') AS words
  FROM (SELECT DISTINCT labels FROM kube_state_samples WHERE metric = 'kube_node_labels')
)
SELECT node, labels, time
FROM (SELECT *, words IS NOT lag(words) OVER (PARTITION BY node ORDER BY time) AS new
      FROM (SELECT node, time, words, max(labels) AS labels
            FROM kube_state_samples JOIN labels USING (labels) WHERE metric = 'kube_node_labels' GROUP BY node, time)) WHERE new;
CREATE UNIQUE INDEX temp.kube_state_told_of ON kube_state_told(node, time);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'guessed_share', NULL, count(DISTINCT name),
       'each ' || min(resource) || ' of ' || min(name) || iif(count(DISTINCT name) > 1, ' and others', '')
         || ' counts as a whole GPU: no label_nvidia_com_gpu_replicas of kube_node_labels says how many are one'
FROM (SELECT _file, json_extract(labels, '$.resource') AS resource,
             coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node,
             coalesce(namespace || '/', '') || pod AS name
      FROM kube_state_samples WHERE metric GLOB 'kube_pod_*container_resource_*' AND json_extract(labels, '$.resource') GLOB '*_shared'
        AND value > 0) AS kube_state_shared
WHERE NOT EXISTS (SELECT 1 FROM kube_state_told AS t
                  WHERE t.node = coalesce(nullif(kube_state_shared.node, ''), t.node)
                    AND (json_extract(t.labels, '$.label_nvidia_com_gpu_replicas') > 1 OR instr(t.labels, '_instance_gpu_count"')
                         OR instr(t.labels, '_sku_gpu_count"') OR instr(t.labels, 'label_gpu_nvidia_com_count"'))) GROUP BY NULL;
DROP TABLE IF EXISTS temp.kube_state_nodes;
CREATE TEMP TABLE kube_state_nodes AS
WITH told AS ( -- once, however many exporters tell it
  SELECT coalesce(json_extract(labels, '$.exported_node'), json_extract(labels, '$.node')) AS node, time, metric, min(instance) AS instance,
         max(value) AS value, max(value * share) AS chips,
         json_extract(labels, '$.condition') AS condition, json_extract(labels, '$.status') AS status, min(_file) AS _file
  FROM kube_state_samples LEFT JOIN kube_state_resources ON resource = json_extract(labels, '$.resource')
    AND metric GLOB 'kube_node_status_[ac]*'
  WHERE metric GLOB 'kube_node_*' GROUP BY 1, 2, 3, resource, 7, 8
)
SELECT node, min(instance) AS instance, time, sum(chips) FILTER (WHERE metric = 'kube_node_status_capacity') AS capacity,
       sum(chips) FILTER (WHERE metric = 'kube_node_status_allocatable') AS allocatable,
       max(CASE WHEN metric = 'kube_node_status_condition' AND value = 1
                  AND condition = 'Ready' THEN CASE status WHEN 'true' THEN 'True' WHEN 'false' THEN 'False'
                                                    ELSE 'Unknown' END END) AS ready,
       max(value) FILTER (WHERE metric = 'kube_node_spec_unschedulable') AS unschedulable,
       max(value) FILTER (WHERE metric = 'kube_node_created') AS created,
       min(_file) AS _file
FROM told WHERE node <> '' GROUP BY node, time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'unknown_state', min(_line), count(*),
       'states of nodes or phases of pods that are not known: ' || group_concat(DISTINCT coalesce(state, '?'))
FROM (SELECT _file, _line, coalesce(json_extract(labels, '$.phase'), json_extract(labels, '$.status')) AS state FROM kube_state_samples
      WHERE value = 1 AND (metric = 'kube_pod_status_phase'
                           OR (metric = 'kube_node_status_condition' AND json_extract(labels, '$.condition') = 'Ready')))
WHERE coalesce(state, '') NOT IN ('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', 'true', 'false', 'unknown')
GROUP BY NULL HAVING count(*) > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflict', NULL, count(*),
       'samples of pod ' || min(pod) || ' in several phases at once: ' || group_concat(DISTINCT phases) || ': it counts as one of them'
FROM (SELECT min(_file) AS _file, coalesce(namespace || '/', '') || pod AS pod,
             group_concat(DISTINCT json_extract(labels, '$.phase')) AS phases
      FROM kube_state_samples WHERE metric = 'kube_pod_status_phase' AND value = 1
      GROUP BY instance, namespace, pod, json_extract(labels, '$.uid'), time HAVING count(DISTINCT json_extract(labels, '$.phase')) > 1)
GROUP BY NULL HAVING count(*) > 0;
-- A node that says nothing of its state at a sample that has other nodes', or lacks what it holds.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'missing_field', NULL, count(*),
       'samples of node ' || min(node) || ' lack ' || field || ': it is as it was before'
FROM (SELECT _file, node, CASE WHEN ready IS NULL AND max(ready IS NOT NULL) OVER () THEN 'whether it is ready'
                               WHEN allocatable IS NULL AND max(allocatable IS NOT NULL) OVER (PARTITION BY node) THEN 'what is allocatable'
                               WHEN capacity IS NULL AND max(capacity IS NOT NULL) OVER (PARTITION BY node) THEN 'its capacity' END AS field
      FROM kube_state_nodes)
WHERE field IS NOT NULL GROUP BY field;

-- A node that was gone and came again is another one.
DROP TABLE IF EXISTS temp.kube_state_node_lives;
CREATE TEMP TABLE kube_state_node_lives AS
WITH stepped AS (
  SELECT n.*, s.before, s.after, lag(n.time) OVER (PARTITION BY node ORDER BY n.time) AS previous
  FROM kube_state_nodes AS n JOIN kube_state_scrapes AS s USING (instance, time)
),
lives AS (SELECT *, sum(coalesce(previous < before, 0)) OVER (PARTITION BY node ORDER BY time) AS life,
                 coalesce((SELECT max(t.time) FROM kube_state_told AS t WHERE t.node = stepped.node AND t.time <= stepped.time),
                          (SELECT min(t.time) FROM kube_state_told AS t WHERE t.node = stepped.node)) AS told FROM stepped),
levels AS (
  SELECT *, count(ready) OVER so_far AS ready_told, count(allocatable) OVER so_far AS allocatable_told,
         count(unschedulable) OVER so_far AS unschedulable_told,
         max(max(coalesce(capacity, 0), coalesce(allocatable, 0))) OVER (PARTITION BY node, life, told) AS chips
  FROM lives WINDOW so_far AS (PARTITION BY node, life ORDER BY time)
)
SELECT node, life, told, time, before, after, previous, created, _file, chips,
       first_value(ready) OVER (PARTITION BY node, life, ready_told ORDER BY time) AS ready,
       first_value(unschedulable) OVER (PARTITION BY node, life, unschedulable_told ORDER BY time) AS unschedulable,
       first_value(min(coalesce(allocatable, chips), coalesce(capacity, chips))) OVER (PARTITION BY node, life, allocatable_told
           ORDER BY time) AS allocatable
FROM levels WHERE chips > 0;

-- ---- 5. Pods: what they request, and what each sample says ----

-- An init container's request counts where it is more than that of all others. Of chips, limits are requests.
DROP TABLE IF EXISTS temp.kube_state_requests;
CREATE TEMP TABLE kube_state_requests AS
WITH told AS (
  SELECT namespace, pod, coalesce(json_extract(labels, '$.uid'), '') AS uid, json_extract(labels, '$.resource') AS resource,
         metric GLOB '*init*' AS init,
         max(value * share) AS chips
  FROM kube_state_samples JOIN kube_state_resources ON resource = json_extract(labels, '$.resource')
  WHERE metric GLOB 'kube_pod_*_resource_*' AND share IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, coalesce(json_extract(labels, '$.exported_container'), json_extract(labels, '$.container'))
)
SELECT namespace, pod, uid, resource,
       max(coalesce(sum(chips) FILTER (WHERE NOT init), 0), coalesce(max(chips) FILTER (WHERE init), 0)) AS chips
FROM told GROUP BY namespace, pod, uid, resource;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflict', NULL, count(*),
       'pods without a uid whose name asks for several numbers of chips, the first ' || min(namespace || '/' || pod)
         || ': each pod of the name counts with the most'
FROM (SELECT min(s._file) AS _file, namespace, pod
      FROM kube_state_samples AS s JOIN kube_state_resources ON resource = json_extract(labels, '$.resource')
      WHERE metric GLOB 'kube_pod_*_resource_*' AND share IS NOT NULL AND json_extract(labels, '$.uid') IS NULL
      GROUP BY namespace, pod, metric, resource, coalesce(json_extract(labels, '$.exported_container'), json_extract(labels, '$.container'))
      HAVING min(value) < max(value))
GROUP BY NULL;
DROP TABLE IF EXISTS temp.kube_state_asked;
CREATE TEMP TABLE kube_state_asked AS
SELECT namespace, pod, uid, max(resource) AS resource, sum(chips) AS chips
FROM kube_state_requests GROUP BY namespace, pod, uid HAVING sum(chips) > 0;
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
       max(value) FILTER (WHERE metric = 'kube_pod_created') AS created,
       max(value) FILTER (WHERE metric = 'kube_pod_status_scheduled_time') AS scheduled,
       max(value) FILTER (WHERE metric = 'kube_pod_start_time') AS started,
       max(value) FILTER (WHERE metric = 'kube_pod_completion_time') AS finished,
       max(value) FILTER (WHERE metric = 'kube_pod_deletion_timestamp') AS deleted,
       max(CASE WHEN metric = 'kube_pod_status_reason' AND value = 1 THEN json_extract(labels, '$.reason') END) AS reason
FROM told GROUP BY namespace, pod, uid, time;
-- Some metrics may lack the uid that others have: where a pod's name has one alone, it is that.
UPDATE kube_state_pods SET uid
  = (SELECT max(o.uid) FROM kube_state_pods AS o WHERE o.namespace = kube_state_pods.namespace AND o.pod = kube_state_pods.pod)
WHERE uid = '' AND 1 = (SELECT count(DISTINCT nullif(o.uid, ''))
                        FROM kube_state_pods AS o WHERE o.namespace = kube_state_pods.namespace AND o.pod = kube_state_pods.pod);

-- A pod of one uid is there from its first to its last sample; one without may be another of the same name, as after a gap or a new
-- creation.
DROP TABLE IF EXISTS temp.kube_state_pod_lives;
CREATE TEMP TABLE kube_state_pod_lives AS
WITH whole AS (
  SELECT namespace, pod, uid, min(instance) AS instance, time, min(_file) AS _file, max(phase) AS phase, max(node) AS node,
         max(created) AS created, max(scheduled) AS scheduled, max(started) AS started,
         max(finished) AS finished, max(deleted) AS deleted, max(reason) AS reason
  FROM kube_state_pods GROUP BY namespace, pod, uid, time
),
stepped AS (
  SELECT w.*, s.before, s.after, lag(w.time) OVER (PARTITION BY namespace, pod, uid ORDER BY w.time) AS previous,
         max(phase) OVER (PARTITION BY namespace, pod, uid) IS NULL AS phaseless,
         max(node) OVER (PARTITION BY namespace, pod, uid) AS on_node,
         max(w.created) OVER (PARTITION BY namespace, pod, uid
                              ORDER BY w.time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS created_before
  FROM whole AS w JOIN kube_state_scrapes AS s USING (instance, time)
)
SELECT *, sum(coalesce(uid = '' AND (previous < before OR created > created_before), 0)) OVER (PARTITION BY namespace, pod, uid
    ORDER BY time) AS life,
       CASE phase WHEN 'Pending' THEN node <> '' WHEN 'Running' THEN 1 WHEN 'Unknown' THEN 1 WHEN 'Succeeded' THEN 0 WHEN 'Failed' THEN 0
            ELSE phaseless AND on_node <> '' END AS held
FROM stepped;

DROP TABLE IF EXISTS temp.kube_state_held;
CREATE TEMP TABLE kube_state_held AS
WITH lives AS (
  SELECT namespace, pod, uid, life, min(_file) AS _file, coalesce(max(nullif(node, '')), max(on_node)) AS node, min(time) AS seen,
         max(time) AS last, min(time) FILTER (WHERE held) AS first_held, max(time) FILTER (WHERE held) AS last_held,
         min(time) FILTER (WHERE phase IN ('Succeeded', 'Failed')) AS over,
         max(phase) FILTER (WHERE phase IN ('Succeeded', 'Failed')) AS phase, max(created) AS created,
         coalesce(max(scheduled), max(started)) AS scheduled, max(finished) AS finished, max(deleted) AS deleted, max(reason) AS reason
  FROM kube_state_pod_lives GROUP BY namespace, pod, uid, life
),
around AS (
  SELECT l.*, f.before AS before_first, n.after AS after_last, v.before AS before_seen, o.before AS before_over, z.after AS after_seen
  FROM lives AS l LEFT JOIN kube_state_pod_lives AS f ON f.namespace = l.namespace AND f.pod = l.pod AND f.uid = l.uid
    AND f.time = l.first_held
       LEFT JOIN kube_state_pod_lives AS n ON n.namespace = l.namespace AND n.pod = l.pod AND n.uid = l.uid AND n.time = l.last_held
       LEFT JOIN kube_state_pod_lives AS v ON v.namespace = l.namespace AND v.pod = l.pod AND v.uid = l.uid AND v.time = l.seen
       LEFT JOIN kube_state_pod_lives AS o ON o.namespace = l.namespace AND o.pod = l.pod AND o.uid = l.uid AND o.time = l.over
       LEFT JOIN kube_state_pod_lives AS z ON z.namespace = l.namespace AND z.pod = l.pod AND z.uid = l.uid AND z.time = l.last
)
SELECT a.*, max(coalesce(min(a.created, a.seen), a.seen), coalesce(before_seen, a.seen)) AS created_at,
       CASE WHEN first_held IS NOT NULL THEN max(min(coalesce(scheduled, first_held), first_held), coalesce(before_first, first_held))
            -- Seen only when it was over: it was held if it tells from when to when, in between two samples.
            WHEN over IS NOT NULL AND scheduled >= before_over AND finished >= scheduled
              AND finished <= over THEN scheduled END AS start_time,
       CASE WHEN first_held IS NULL THEN finished
            WHEN over > last_held THEN min(max(coalesce(finished, over), last_held), over)
            WHEN after_last IS NULL THEN NULL
            WHEN deleted > last_held AND deleted < after_last THEN deleted
            WHEN after_last - last_held > 2 * p.seconds AND p.seconds > 0 THEN last_held + p.seconds
            ELSE after_last END AS end_time
FROM around AS a, kube_state_spacing AS p;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'between_samples', NULL, count(*),
       'pods that began and ended between two samples, such as ' || min(namespace || '/' || pod)
         || ': they hold nothing; export kube_pod_start_time and kube_pod_completion_time'
FROM kube_state_held WHERE start_time IS NULL AND over IS NOT NULL AND before_over IS NOT NULL AND over = seen
GROUP BY NULL HAVING count(*) > 0;

-- ---- 6. Whose pods they are: the outermost job that labels name, else the owner, else the pod ----

DROP TABLE IF EXISTS temp.kube_state_owners;
CREATE TEMP TABLE kube_state_owners AS
WITH owner AS ( -- the metric of owners knows which one controls; kube_pod_info has the same of older versions
  SELECT namespace, pod, coalesce(json_extract(labels, '$.owner_kind'), json_extract(labels, '$.created_by_kind')) AS kind,
         coalesce(json_extract(labels, '$.owner_name'), json_extract(labels, '$.created_by_name')) AS name,
         row_number() OVER (PARTITION BY namespace, pod
                            ORDER BY metric = 'kube_pod_owner' DESC, json_extract(labels, '$.owner_is_controller') = 'true' DESC,
                              time DESC) AS nth
  FROM kube_state_samples WHERE metric IN ('kube_pod_owner', 'kube_pod_info')
    AND (namespace, pod) IN (SELECT namespace, pod FROM kube_state_held)
    AND coalesce(json_extract(labels, '$.owner_name'), json_extract(labels, '$.created_by_name'), '') NOT IN ('', '<none>')
),
sets AS (
  SELECT namespace, json_extract(labels, '$.replicaset') AS name, max(json_extract(labels, '$.owner_name')) AS above, 'ReplicaSet' AS kind
  FROM kube_state_samples WHERE metric = 'kube_replicaset_owner' AND json_extract(labels, '$.owner_kind') = 'Deployment' GROUP BY 1, 2
  UNION ALL
  SELECT namespace, coalesce(json_extract(labels, '$.exported_job_name'), json_extract(labels, '$.job_name')),
         max(json_extract(labels, '$.owner_name')), 'Job' FROM kube_state_samples
  WHERE metric = 'kube_job_owner' AND json_extract(labels, '$.owner_kind') NOT IN ('', '<none>', 'CronJob') GROUP BY 1, 2
),
labelled AS (
  SELECT namespace, pod, max(coalesce(json_extract(labels, '$.label_workload_codeflare_dev_appwrapper'),
                                      json_extract(labels, '$.label_jobset_sigs_k8s_io_jobset_name'),
                                      json_extract(labels, '$.label_training_kubeflow_org_job_name'),
                                      json_extract(labels, '$.label_ray_io_originated_from_cr_name'),
                                      json_extract(labels, '$.label_ray_io_cluster'),
                                      json_extract(labels, '$.label_leaderworkerset_sigs_k8s_io_name'),
                                      json_extract(labels, '$.label_kueue_x_k8s_io_pod_group_name'),
                                      json_extract(labels, '$.label_volcano_sh_job_name'),
                                      json_extract(labels, '$.label_batch_kubernetes_io_job_name'),
                                      json_extract(labels, '$.label_job_name'))) AS name
  FROM kube_state_samples WHERE metric = 'kube_pod_labels' AND (namespace, pod) IN (SELECT namespace, pod FROM kube_state_held)
  GROUP BY namespace, pod
)
SELECT p.namespace, p.pod, o.kind, o.name AS owner,
       p.namespace || '/' || coalesce(nullif(l.name, ''), s.above,
         -- A ReplicaSet of a Deployment has its name and five to ten of the letters and digits that Kubernetes makes names of.
         CASE WHEN o.kind = 'ReplicaSet' AND rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789') GLOB '?*-'
                AND length(o.name) - length(rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789')) BETWEEN 5 AND 10
              THEN rtrim(rtrim(o.name, 'bcdfghjklmnpqrstvwxz2456789'), '-') END,
         CASE WHEN o.kind IS NOT 'Node' THEN o.name END, p.pod) AS job
FROM (SELECT DISTINCT namespace, pod FROM kube_state_held) AS p
LEFT JOIN owner AS o ON o.namespace = p.namespace AND o.pod = p.pod AND nth = 1
     LEFT JOIN sets AS s ON s.namespace = p.namespace AND s.name = o.name AND s.kind = o.kind
LEFT JOIN labelled AS l ON l.namespace = p.namespace AND l.pod = p.pod;
CREATE UNIQUE INDEX temp.kube_state_owner_of ON kube_state_owners(namespace, pod);
