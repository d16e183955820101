-- kube/jobs.sql - attempts and jobs.
--
-- Reads kube_objects, kube_last and kube_held. Makes kube_evictions, kube_attempts and kube_sizes, and the relation jobs.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 5. Attempts ----

DROP TABLE IF EXISTS temp.kube_evictions;
CREATE TEMP TABLE kube_evictions AS
SELECT job, evicted AS at, min(outcome) AS outcome, row_number() OVER (PARTITION BY job ORDER BY evicted) AS nth
FROM kube_objects
WHERE kind = 'Workload' AND evicted IS NOT NULL AND finished IS NULL
GROUP BY job, evicted;
-- Those that its versions do not show are in Kueue's events.
INSERT INTO kube_evictions
SELECT job, at, min(CASE WHEN e.reason GLOB '*PodsReadyTimeout' OR e.reason GLOB '*MaximumExecutionTimeExceeded' THEN 'timeout'
                         WHEN e.reason GLOB '*NodeFailures' THEN 'node_fail'
                         WHEN e.reason GLOB '*RequeuingLimitExceeded' THEN 'failed'
                         WHEN e.reason GLOB '*Deactivated*' OR e.reason GLOB '*InactiveWorkload*' THEN 'cancelled' ELSE 'preempted' END), 0
FROM kube_events AS e JOIN kube_last AS w ON w.kind = 'Workload' AND w.name = e.name AND w.namespace = e.namespace
WHERE e.about = 'Workload' AND e.reason GLOB 'EvictedDueTo*'
  AND NOT EXISTS (SELECT 1 FROM kube_evictions AS k WHERE k.job = w.job AND abs(k.at - e.at) <= 5)
GROUP BY job, at;
UPDATE kube_events SET used = 1
WHERE about = 'Workload' AND reason GLOB 'EvictedDueTo*'
  AND EXISTS (SELECT 1 FROM kube_last AS w WHERE w.kind = 'Workload' AND w.name = kube_events.name AND w.namespace = kube_events.namespace);
UPDATE kube_evictions SET nth = n.nth
FROM (SELECT rowid AS row, row_number() OVER (PARTITION BY job ORDER BY at) AS nth FROM kube_evictions) AS n
WHERE n.row = kube_evictions.rowid;
CREATE INDEX temp.kube_evicted ON kube_evictions(job, at);

-- A new attempt begins with the first pod after an eviction, and with a pod that starts when no earlier pod runs.
DROP TABLE IF EXISTS temp.kube_attempts;
CREATE TEMP TABLE kube_attempts AS
WITH counted AS (
  SELECT *, coalesce((SELECT e.nth FROM kube_evictions AS e WHERE e.job = h.job AND e.at <= h.start_time ORDER BY e.at DESC LIMIT 1),
                     0) AS evictions
  FROM kube_held AS h
),
compared AS (
  SELECT *,
         lag(evictions) OVER (PARTITION BY job ORDER BY start_time, task) AS evictions_before,
         max(coalesce(end_time, 9e18)) OVER (PARTITION BY job
                                             ORDER BY start_time, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS held_until
  FROM counted
)
SELECT job, task, uid, node, pool, chips, units, start_time, end_time,
       1 + sum(coalesce(start_time >= held_until OR evictions > evictions_before, 0)) OVER (PARTITION BY job
           ORDER BY start_time, task) AS attempt,
       CASE WHEN deletionTimestamp IS NOT NULL AND outcome IN ('cancelled', 'failed') THEN
         coalesce((SELECT e.outcome FROM kube_evictions AS e
                   WHERE e.job = c.job AND e.at >= c.start_time AND e.at <= coalesce(c.end_time, e.at) ORDER BY e.at LIMIT 1), outcome)
       ELSE outcome END AS outcome
FROM compared AS c;

CREATE INDEX temp.kube_attempts_of ON kube_attempts(job, attempt, start_time);
-- An attempt ended as its job's own object says, if the job came to its end: pods that still ran were removed then, however they ended
-- (workers of an MPIJob whose launcher is done, or of a JobSet with another success policy).
CREATE INDEX temp.kube_last_by ON kube_last(job, kind);
DROP TABLE IF EXISTS temp.kube_tries;
CREATE TEMP TABLE kube_tries AS SELECT job, attempt, min(start_time) AS start_time, max(coalesce(end_time, 9e18)) AS end_time
FROM kube_attempts GROUP BY job, attempt;
CREATE INDEX temp.kube_tries_of ON kube_tries(job);
DROP TABLE IF EXISTS temp.kube_finals;
CREATE TEMP TABLE kube_finals AS
SELECT o.job, o.outcome, o.finished, a.attempt, a.end_time, row_number() OVER (PARTITION BY o.version ORDER BY a.attempt DESC) AS nth
FROM kube_last AS o CROSS JOIN kube_tries AS a ON a.job = o.job
  AND a.start_time BETWEEN coalesce(o.creationTimestamp, a.start_time) AND o.finished
WHERE o.outcome IN ('completed', 'failed', 'timeout') AND o.finished IS NOT NULL
  AND (o.kind = 'Workload' AND o.owner_kind IS NOT 'Pod' OR o.kind NOT IN ('Pod', 'Node', 'Workload')
       AND o.namespace || '/' || o.name = o.job);
DELETE FROM kube_finals WHERE nth > 1;
CREATE INDEX temp.kube_finals_of ON kube_finals(job, attempt);
UPDATE kube_attempts SET outcome = e.outcome FROM kube_finals AS e
WHERE e.job = kube_attempts.job AND e.attempt = kube_attempts.attempt
  AND kube_attempts.end_time >= min(e.finished, e.end_time) - iif(kube_attempts.outcome IN ('failed', 'cancelled'), 60, 0)
  AND (e.outcome = 'completed' OR kube_attempts.outcome = 'cancelled');
DROP TABLE kube_finals;
DROP TABLE kube_tries;
-- Pods that were deleted after another pod of their attempt had ended badly, and that nothing replaced before all began anew (JobSet,
-- Volcano, KubeRay).
UPDATE kube_attempts SET outcome = b.outcome
FROM (WITH cancelled AS (SELECT k.rowid AS row, k.job, k.attempt, k.start_time, k.end_time, max(k.attempt) OVER (PARTITION BY k.job) AS last
                         FROM kube_attempts AS k WHERE k.job
                             IN (SELECT job FROM kube_attempts WHERE outcome = 'cancelled' AND attempt > 0)),
      bad AS (SELECT job, outcome, end_time FROM kube_attempts WHERE outcome IN ('failed', 'node_fail', 'preempted', 'timeout')
              UNION ALL SELECT job, outcome, finished FROM kube_last
              WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND outcome IN ('failed', 'node_fail', 'preempted', 'timeout'))
      SELECT c.row, b.outcome, row_number() OVER (PARTITION BY c.row ORDER BY b.end_time, b.outcome) AS nth
      FROM cancelled AS c JOIN bad AS b ON b.job = c.job AND b.end_time BETWEEN max(c.start_time, c.end_time - 900) AND c.end_time
      WHERE c.attempt < c.last AND NOT EXISTS (SELECT 1 FROM kube_attempts AS r
                                               WHERE r.job = c.job AND r.attempt = c.attempt AND r.start_time >= b.end_time)) AS b
WHERE nth = 1 AND b.row = kube_attempts.rowid AND kube_attempts.outcome = 'cancelled';

-- ---- 6. Jobs ----

-- What a job needs is what its Workload says, else the object that has its name, else the one pod that it is. Not asked are the Workload
-- of one pod of several, or of one group of a LeaderWorkerSet; nor a Deployment and the like, which say how many replicas they want now,
-- and not how many they wanted, or (DaemonSet) nothing of that. Devices are worth what they are on the nodes where the job ran.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH of_jobs AS (
  SELECT *, CASE WHEN kind = 'Workload' THEN
                   CASE WHEN owner_kind = 'LeaderWorkerSet'
                          OR (owner_kind = 'Pod' AND job NOT IN (namespace || '/' || name, namespace || '/' || owner_name)) THEN 3
                        ELSE 0 END
                 WHEN kind = 'Pod' THEN CASE WHEN namespace || '/' || name = job THEN 2 ELSE 3 END
                 WHEN namespace || '/' || name = job
                   AND kind NOT IN ('Deployment', 'ReplicaSet', 'DaemonSet', 'ReplicationController', 'Rollout', 'Service', 'Configuration',
                                    'Revision') AND NOT (kind = 'StatefulSet' AND owner_kind IS 'LeaderWorkerSet') THEN 1 ELSE 3 END AS rank
  FROM kube_last
  WHERE job IN (SELECT job FROM kube_last WHERE chips > 0 AND kind <> 'Node')
    -- a Service, a claim of that name
    AND (kind = 'Pod' OR apiVersion IS NOT 'v1') AND coalesce(apiVersion, '') NOT LIKE 'resource.k8s.io/%'
),
best AS (
  SELECT job, min(rank) AS rank FROM of_jobs WHERE chips > 0 GROUP BY job
),
worth AS (
  SELECT job, sum(chips) / sum(units) AS share FROM kube_held GROUP BY job
  UNION ALL -- pods that wait
  SELECT job, sum(chips * share) / sum(chips) FROM kube_last
  WHERE kind = 'Pod' AND share < 1 AND chips > 0 AND job NOT IN (SELECT job FROM kube_held) GROUP BY job
),
-- An elastic job's Workload is replaced by another where the job grows, and changed where it shrinks (Kueue).
elastic AS (
  SELECT job, max(chips) AS most, min(chips) AS least
  FROM kube_objects
  WHERE kind = 'Workload' AND chips > 0 AND (quota_reserved IS NOT NULL OR finished_reason = 'WorkloadSliceReplaced')
  GROUP BY job
  HAVING max(finished_reason IS 'WorkloadSliceReplaced') OR (count(DISTINCT uid) = 1 AND min(chips) < max(chips))
  UNION ALL -- its groups come and go
  SELECT job, max(chips), min(min_chips) FROM kube_objects
  WHERE kind = 'LeaderWorkerSet' AND chips > 0 GROUP BY job HAVING min(chips) < max(chips)
  UNION ALL -- another number of pods is asked for while it is there: parallelism, replicas, workers
  SELECT job, max(chips), min(coalesce(min_chips, chips)) FROM kube_objects
  WHERE kind NOT IN ('Pod', 'Workload', 'Node', 'Deployment', 'ReplicaSet', 'DaemonSet', 'ReplicationController', 'Rollout', 'Service',
                     'Configuration', 'Revision', 'LeaderWorkerSet') AND chips > 0 AND namespace || '/' || name = job
    AND job NOT IN (SELECT job FROM kube_last WHERE kind = 'Workload' AND chips > 0 AND job IS NOT NULL)
  GROUP BY job HAVING min(chips) < max(chips) AND count(DISTINCT uid) = 1
),
asked AS (
  SELECT job, max(max(o.chips) FILTER (WHERE o.rank = best.rank), coalesce(max(most), 0)) AS chips,
         coalesce(max(min_chips) FILTER (WHERE o.rank = best.rank), max(min_chips) FILTER (WHERE o.rank = 1), max(least)) AS min_chips
  FROM of_jobs AS o JOIN best USING (job) LEFT JOIN elastic USING (job)
  WHERE best.rank < 3
  GROUP BY job
),
told AS (
  SELECT job, min(namespace) AS owner, min(creationTimestamp) AS submit_time, max(priority) AS priority,
         max(queue) AS queue, max(clusterQueue) AS cluster_queue, max(flavor) AS flavor, max(resource) AS resource,
         coalesce(max(CASE WHEN kind = 'Workload' AND owner_kind NOT IN ('Pod', 'AppWrapper') THEN owner_kind END),
                  max(CASE WHEN kind = 'Pod' THEN owner_kind END),
                  max(CASE WHEN kind = 'Workload' THEN owner_kind END), max(kind)) AS of_kind
  FROM of_jobs
  GROUP BY job
)
SELECT job, substr(job, instr(job, '/') + 1) AS name, owner,
       CASE WHEN of_kind IN ('ReplicaSet', 'Deployment') THEN 'serving' END AS phase,
       CASE of_kind WHEN 'PyTorchJob' THEN 'pytorch' WHEN 'HyperPodPyTorchJob' THEN 'pytorch' WHEN 'JAXJob' THEN 'jax'
            WHEN 'TFJob' THEN 'tensorflow' END AS framework,
       CASE WHEN of_kind LIKE 'Ray%' THEN 'ray' END AS runtime, NULL AS model, priority,
       round(chips * coalesce(share, 1), 6) AS chips, round(min_chips * coalesce(share, 1), 6) AS min_chips, NULL AS tasks, submit_time,
       json_patch('{}', json_object('kind', of_kind, 'queue', queue, 'cluster_queue', cluster_queue, 'flavor', flavor, 'resource',
                                    resource)) AS labels
FROM told LEFT JOIN asked USING (job) LEFT JOIN worth USING (job);

-- Where nothing says how many chips a job needs.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'missing_field', NULL, count(*),
       'jobs of pods whose number no object tells, the first ' || min(job)
         || ': they are whole with what they hold, and ask for nothing while they wait'
FROM jobs WHERE chips IS NULL AND phase IS NOT 'serving' GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', NULL, count(*),
       'TrainJobs that leave it to their runtime what they ask for, the first ' || min(namespace || '/' || name)
         || ', without their JobSet: they ask for nothing while they wait'
FROM kube_last AS t
WHERE kind = 'TrainJob' AND json_extract(spec, '$.trainer.resourcesPerNode') IS NULL
  AND NOT EXISTS (SELECT 1 FROM kube_last AS s WHERE s.kind IN ('JobSet', 'Workload') AND s.job = t.job) GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', NULL, count(*),
       'objects whose pods an operator makes as it sees fit, the first ' || min(kind || ' ' || namespace || '/' || name)
         || ', and which have none: they ask for nothing while they wait'
FROM kube_last AS t
WHERE (kind IN ('RayJob', 'RayCluster') AND instr(spec, '"enableInTreeAutoscaling"') AND instr(spec, '.com/') OR kind = 'SparkApplication'
       AND instr(spec, '"gpu"')
       OR apiVersion LIKE '%.%/%' AND kind NOT GLOB '*Template' AND kind NOT GLOB '*Runtime' AND kind NOT GLOB 'Cron*'
         AND kind NOT GLOB 'Scheduled*' AND kind NOT IN ('TrainJob', 'RayJob', 'RayCluster')
         AND (instr(spec, '"containers"') AND (instr(spec, '.com/gpu') OR instr(spec, '/tpu"') OR instr(spec, '/neuron')
                                               OR instr(spec, '/gaudi') OR instr(spec, '/Ascend')) -- pods, and no templates of them
              OR instr(spec, '"resources"') AND EXISTS (
                SELECT 1 FROM json_tree(t.spec) AS r
                WHERE (r.path GLOB '*.resources.limits' OR r.path GLOB '*.resources.requests') AND CAST(r.atom AS REAL) > 0
                  AND (r.key GLOB '*/gpu*' OR r.key = 'gpu' OR r.key GLOB '*/tpu' OR r.key GLOB '*/neuron*' OR r.key GLOB '*/gaudi'
                       OR r.key GLOB '*/[aA]scend*' OR r.key GLOB '*/mig-*'))
              OR apiVersion LIKE 'kubevirt.io/%' AND instr(spec, '"gpus"') OR apiVersion LIKE 'run.ai/%' AND kind GLOB '*Workload'
                AND instr(spec, '"gpu'))
         AND NOT EXISTS (SELECT 1 FROM kube_last AS s WHERE s.job = t.job AND s.version <> t.version)
         AND lower(coalesce(json_extract(status, '$.phase'), json_extract(status, '$.state'), ''))
           NOT IN ('succeeded', 'failed', 'completed', 'error', 'suspended')) AND coalesce(chips, 0) = 0 AND finished IS NULL
  AND event IS NOT 'DELETED' AND coalesce(json_extract(status, '$.applicationState.state'), '') NOT IN ('COMPLETED', 'FAILED')
  AND job NOT IN (SELECT s.job FROM kube_last AS s WHERE s.chips > 0 AND s.job IS NOT NULL) GROUP BY _file;
-- Pods that only a group holds together: of Volcano or KAI, whose groups may have one pod, of coscheduling, of YuniKorn, of Kubernetes
-- itself.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH pods AS (
  SELECT namespace, name AS pod,
         coalesce(json_extract(annotations, '$."pod-group-name"'), json_extract(annotations, '$."scheduling.k8s.io/group-name"')) AS may,
         coalesce(json_extract(labels, '$."scheduling.x-k8s.io/pod-group"'), json_extract(labels, '$."pod-group.scheduling.sigs.k8s.io"'),
                  json_extract(labels, '$."pod-group.scheduling.sigs.k8s.io/name"'),
                  CASE WHEN instr(annotations, 'yunikorn.apache.org/task-group-name')
                         THEN coalesce(json_extract(labels, '$.applicationId'), json_extract(labels, '$."yunikorn.apache.org/app-id"'),
                                       json_extract(annotations, '$."yunikorn.apache.org/app-id"')) END,
                  json_extract(spec, '$.workloadRef.name'), json_extract(spec, '$.schedulingGroup.podGroupName')) AS has
  FROM kube_last WHERE kind = 'Pod' AND chips > 0 AND job = namespace || '/' || name
    AND (instr(annotations, 'group-name') OR instr(labels, 'pod-group') OR instr(spec, '"workloadRef"') OR instr(spec, '"schedulingGroup"'))
),
named AS (
  SELECT namespace, coalesce(has, may) AS name, min(pod) AS pod, count(*) AS n FROM pods WHERE coalesce(has, may) IS NOT NULL
    AND (has IS NOT NULL OR EXISTS (SELECT 1 FROM kube_last AS g
                                    WHERE g.kind = 'PodGroup' AND g.namespace = pods.namespace AND g.name = may
                                      AND json_extract(g.spec, '$.minMember') > 1))
  GROUP BY 1, 2 HAVING count(*) > 1
)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'unknown_kind', NULL, count(*),
       'groups of pods (PodGroup) are left out, the first ' || min(namespace || '/' || name)
         || ': each of their pods is a job by itself, whole without the others'
FROM named GROUP BY NULL;
-- A job asks for one number of chips, until it gives back chips and wants no more again.
DROP TABLE IF EXISTS temp.kube_sizes;
CREATE TEMP TABLE kube_sizes AS
SELECT o.job, o.kind, min(_file) AS _file, min(o.chips) AS least, max(o.chips) AS most
FROM kube_objects AS o JOIN jobs AS j ON j.job = o.job AND j.min_chips < j.chips
WHERE o.kind NOT IN ('Pod', 'Node') AND o.chips > 0
  AND (o.kind = 'Workload' OR (o.namespace || '/' || o.name = o.job
                               AND o.job NOT IN (SELECT job FROM kube_last WHERE kind = 'Workload' AND chips > 0 AND job IS NOT NULL)))
GROUP BY o.job, o.kind HAVING min(o.chips) < max(o.chips);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'conflicting_job', NULL, count(*),
       'jobs that asked for more chips or fewer than before, the first ' || min(job || ' (' || least || ' to ' || most || ')')
         || ': they ask for the most until they have given some back for good, and what they do not hold of it is queued'
FROM kube_sizes GROUP BY NULL;
