-- kube/observed.sql - until when each pool and job was observed, and what nobody saw of them.
--
-- Reads kube_objects, kube_events, kube_last, kube_told, kube_evictions, jobs, allocations and capacity. Makes the relation observed.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- Until when the cluster was observed: the last time in an object, which the heartbeats of nodes keep within minutes.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT pool, (SELECT max(at) FROM (SELECT max(told) AS at FROM kube_told UNION ALL SELECT max(at) FROM kube_events)) AS until_time
FROM (SELECT pool FROM capacity UNION SELECT pool FROM allocations)
WHERE (SELECT max(told) FROM kube_told) > 0;

-- Events that add nothing, and why; those that happened at more times than the first and the last.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH words(about, reasons, why) AS (
  VALUES ('Pod', ' Scheduled FailedScheduling WaitingForGates NotTriggerScaleUp TriggeredScaleUp Nominated ',
          'the pod itself says since when it waits and holds'),
         ('Pod',
          ' Pulling Pulled Created Started BackOff Failed Unhealthy ProbeWarning Killing FailedMount FailedAttachVolume SuccessfulAttachVolume FailedCreatePodSandBox FailedPostStartHook FailedPreStopHook SandboxChanged ErrImagePull OOMKilled ExceededGracePeriod FailedKillPod NetworkNotReady ',
          'a pod holds its chips while its containers start, end and start again, and says how they ended'),
         ('Pod', ' Preempted Preempting Evict Evicted EvictedByVPA DeadlineExceeded NodeControllerEviction NodeShutdown ',
          'it is of a time before its pod held anything'),
         ('Node', ' NodeNotReady NodeReady NodeNotSchedulable NodeSchedulable ', 'the node has no chips, or its object denies it'),
         ('Pod', ' NodeNotReady TaintManagerEviction DeviceTaintManagerEviction ', 'the node or the pod says so'),
         ('Node', ' OOMKilling SystemOOM TaskHung ', 'it names no pod, and the node is in service'),
         ('Node',
          ' NodeHasSufficientMemory NodeHasNoDiskPressure NodeHasSufficientPID NodeHasInsufficientMemory NodeHasDiskPressure NodeAllocatableEnforced Starting Rebooted RegisteredNode RemovingNode DeletingNode Shutdown InvalidDiskCapacity ImageGCFailed EvictionThresholdMet CIDRAssignmentFailed ',
          'a node is out of service while it is not ready or not schedulable')
),
unused AS (
  SELECT e.*, CASE WHEN NOT EXISTS (SELECT 1 FROM kube_last AS l
                                    WHERE l.kind = e.about AND l.name = e.name AND (e.about <> 'Pod' OR coalesce(e.uid, l.uid) = l.uid))
                     THEN 'no file has the object that they are about'
                   WHEN EXISTS (SELECT 1 FROM words AS w WHERE w.about = e.about AND instr(w.reasons, ' ' || e.reason || ' '))
                     THEN (SELECT w.why FROM words AS w WHERE w.about = e.about AND instr(w.reasons, ' ' || e.reason || ' '))
                   WHEN e.about IN ('Pod', 'Node') THEN 'mpg does not know these reasons' ELSE 'the objects themselves say so' END AS why
  FROM kube_events AS e WHERE NOT used
)
SELECT _file, 'info', 'unused_events', NULL, sum(n), 'events that add nothing: ' || group_concat(reasons || ': ' || why, '; ')
FROM (SELECT _file, why, sum(n) AS n, group_concat(about || ' ' || reason || ' (' || n || ')', ', ') AS reasons
      FROM (SELECT _file, why, coalesce(about, '?') AS about, reason, count(*) AS n
            FROM unused GROUP BY _file, why, about, reason ORDER BY about, reason) GROUP BY _file, why ORDER BY why) GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'between_samples', NULL, sum("count" - times),
       'times between the first and the last of an event, the first of node ' || min(name) || ' (' || group_concat(DISTINCT reason)
         || '): when they were, no record says'
FROM (SELECT min(_file) AS _file, min(name) AS name, min(reason) AS reason, max("count") AS "count", count(*) AS times
      FROM kube_events WHERE used AND about = 'Node' GROUP BY event HAVING max("count") > count(*))
GROUP BY _file;

-- Without nodes nothing tells when a listing was made, but the objects that came last.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'not_observed', NULL, count(*),
       'pods that run, the first ' || min(job) || ', and no heartbeat of a node that says until when: list the nodes too, or give as_of'
FROM allocations WHERE end_time IS NULL AND task IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM kube_objects WHERE kind = 'Node' AND instr(conditions, 'lastHeartbeatTime')) GROUP BY NULL;
-- Jobs that ran in pods that nobody saw.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'missing_pods', NULL, count(*),
       'jobs that ran to their end in pods that no file has, the first ' || min(job) || ': what they held counts as idle'
FROM (SELECT job FROM kube_last
      WHERE kind NOT IN ('Pod', 'Workload', 'Node') AND namespace || '/' || name = job AND outcome IN ('completed', 'failed') AND chips > 0
      AND coalesce(startTime, started, creationTimestamp) < coalesce(completionTime, finished)
      AND job NOT IN (SELECT job FROM allocations WHERE chips > 0) GROUP BY job) GROUP BY NULL;
-- A Workload that was admitted once (its condition Admitted is False, and not missing), and was evicted before anything tells of it.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_pods', NULL, count(*),
       'Workloads that were evicted, and of whose admission nothing tells, the first ' || min(namespace || '/' || name)
         || ': what they held counts as idle'
FROM kube_last AS w
WHERE kind = 'Workload' AND chips > 0 AND evicted IS NOT NULL AND admitted IS NULL AND instr(conditions, '"Admitted"')
  AND NOT EXISTS (SELECT 1 FROM allocations AS a WHERE a.job = w.job AND a.chips > 0 AND a.start_time <= w.evicted) GROUP BY _file;
-- Pods that ended well before others of their gang, which is not whole from then on, whether it needs them or not.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'early_end', NULL, count(DISTINCT job),
       'jobs of which some pods completed and others went on, the first ' || min(job) || ': what those held since is partial'
FROM (SELECT a.job FROM allocations AS a JOIN jobs AS j USING (job)
      WHERE j.chips > 0 AND j.min_chips IS NULL AND a.task IS NOT NULL AND a.chips > 0 GROUP BY a.job, a.attempt
      HAVING min(a.end_time) FILTER (WHERE outcome = 'completed') + 60 < max(coalesce(a.end_time, 9e18))) GROUP BY NULL;
-- Jobs that are suspended, without a queue that holds them back.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', NULL, count(DISTINCT job),
       'jobs that are suspended and in no queue, the first ' || min(job) || ': they ask for their chips all the same'
FROM kube_last AS l WHERE l.kind NOT IN ('Pod', 'Node', 'Workload', 'CronJob') AND l.chips > 0
  AND coalesce(suspend, json_extract(spec, '$.runPolicy.suspend')) = 1 AND queue IS NULL AND namespace || '/' || name = job
  AND outcome IS NULL AND event IS NOT 'DELETED' AND NOT EXISTS (SELECT 1 FROM kube_last AS w WHERE w.kind = 'Workload' AND w.job = l.job)
GROUP BY _file;
-- Pods that a Job counts as ended and evictions that Kueue counts, of which nobody saw what was held.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_pods', NULL, sum(told - known),
       'pods of jobs that ended, evictions or restarts, which no file has, the first of ' || min(job) || ': what they held counts as idle'
FROM (SELECT j._file, j.job, coalesce(json_extract(j.status, '$.failed'), 0) + coalesce(json_extract(j.status, '$.succeeded'), 0) AS told,
             coalesce(p.n, 0) AS known
      FROM kube_last AS j LEFT JOIN (SELECT namespace, owner_name, count(*) AS n
                                     FROM kube_last WHERE kind = 'Pod' AND owner_kind = 'Job'
                                       AND (phase IN ('Succeeded', 'Failed') OR event = 'DELETED')
                                     GROUP BY namespace, owner_name) AS p ON p.owner_name = j.name AND p.namespace = j.namespace
      WHERE j.kind = 'Job' AND j.apiVersion = 'batch/v1' AND j.chips > 0
      UNION ALL
      SELECT w._file, w.job, (SELECT sum(json_extract(iif(e.type = 'object', e.value, '{}'), '$.count'))
                              FROM json_each(w.status, '$.schedulingStats.evictions') AS e),
             (SELECT count(*) FROM kube_evictions AS k WHERE k.job = w.job)
      FROM kube_last AS w WHERE w.kind = 'Workload' AND w.chips > 0
      UNION ALL -- how often all pods were made anew: Volcano gives them their names again, JobSet a number
      SELECT j._file, j.job, coalesce(json_extract(j.status, '$.retryCount'), json_extract(j.status, '$.restarts'), 0),
             (SELECT max(n) - 1 FROM (SELECT count(DISTINCT uid) AS n
                                      FROM kube_last AS p WHERE p.kind = 'Pod' AND p.job = j.job AND j.kind = 'Job' GROUP BY p.name
                                      UNION ALL SELECT count(DISTINCT coalesce(json_extract(p.labels,
                                          '$."jobset.sigs.k8s.io/restart-attempt"'), 0))
                                      FROM kube_last AS p WHERE p.kind = 'Pod' AND p.job = j.job AND j.kind = 'JobSet'))
      FROM kube_last AS j WHERE ((j.kind = 'Job' AND j.apiVersion LIKE 'batch.volcano.sh/%') OR j.kind = 'JobSet') AND j.chips > 0)
WHERE told > known AND job IN (SELECT job FROM allocations WHERE chips > 0) GROUP BY _file;
