-- kube/objects.sql - events, and what is malformed.
--
-- Reads kube_objects. Makes kube_events, and takes them out of kube_objects.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- Events report when something happened to an object. Each stands at its first time and at its last.
DROP TABLE IF EXISTS temp.kube_events;
CREATE TEMP TABLE kube_events AS
WITH told AS (
  SELECT json_extract(involvedObject, '$.kind') AS about, coalesce(json_extract(involvedObject, '$.namespace'), namespace) AS namespace,
         json_extract(involvedObject, '$.name') AS name,
         json_extract(involvedObject, '$.uid') AS uid, reason, message, firstTimestamp AS first,
         coalesce(lastTimestamp, firstTimestamp, creationTimestamp) AS last,
         coalesce("count", 1) AS "count", coalesce(kube_objects.uid, coalesce(namespace || '/', '') || kube_objects.name) AS event, _file
  FROM kube_objects WHERE kind = 'Event' AND event IS NOT 'BOOKMARK'
)
SELECT about, namespace, name, uid, reason, min(message) AS message, at, event, max("count") AS "count", min(_file) AS _file, 0 AS used
FROM (SELECT *, last AS at FROM told UNION ALL SELECT *, first FROM told WHERE first < last)
GROUP BY event, reason, at;
DELETE FROM kube_objects WHERE kind = 'Event';
CREATE INDEX temp.kube_events_about ON kube_events(about, name, at);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'missing_field', NULL, count(*),
       'events without a time, a reason or an object, the first ' || min(coalesce(event, '?')) || ': they are left out'
FROM kube_events WHERE at IS NULL OR reason IS NULL OR name IS NULL GROUP BY _file;
DELETE FROM kube_events WHERE at IS NULL OR reason IS NULL OR name IS NULL;
WITH m AS (SELECT mpg_median(at / 31556952) AS year
           FROM (SELECT at FROM kube_events UNION ALL SELECT creationTimestamp FROM kube_objects))
UPDATE kube_events SET used = -1 FROM m WHERE abs(at / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'data_loss', 'impossible_time', NULL, count(*),
       'a time of event ' || min(event) || ' is more than ten years from the middle one: it is left out'
FROM kube_events WHERE used < 0 GROUP BY _file;
DELETE FROM kube_events WHERE used < 0;

-- What cannot be: a time that is more than ten years from the middle one; it counts as not told.
DROP TABLE IF EXISTS temp.kube_far;
CREATE TEMP TABLE kube_far AS
WITH m AS (SELECT mpg_median(creationTimestamp / 31556952) AS year FROM kube_objects)
SELECT o.rowid AS row, m.year, o._file, o.kind || ' ' || coalesce(o.namespace || '/', '') || o.name AS object
FROM kube_objects AS o, m
WHERE max(abs(coalesce(creationTimestamp / 31556952 - m.year, 0)), abs(coalesce(deletionTimestamp / 31556952 - m.year, 0)),
          abs(coalesce(startTime / 31556952 - m.year, 0)), abs(coalesce(completionTime / 31556952 - m.year, 0)),
          abs(coalesce(scheduled / 31556952 - m.year, 0)), abs(coalesce(ready_time / 31556952 - m.year, 0)),
          abs(coalesce(quota_reserved / 31556952 - m.year, 0)), abs(coalesce(admitted / 31556952 - m.year, 0)),
          abs(coalesce(pods_ready / 31556952 - m.year, 0)), abs(coalesce(evicted / 31556952 - m.year, 0)),
          abs(coalesce(requeued / 31556952 - m.year, 0)), abs(coalesce(started / 31556952 - m.year, 0)),
          abs(coalesce(finished / 31556952 - m.year, 0))) > 10
   OR (o.kind = 'Node' AND EXISTS (SELECT 1 FROM json_each(o.conditions) AS c
                                   WHERE abs(CAST(strftime('%Y',
                                                           json_extract(iif(c.type = 'object', c.value, '{}'),
                                                                        '$.lastHeartbeatTime')) AS INTEGER) - 1970 - m.year) > 10));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', NULL, count(*),
       'a time of ' || min(object) || ' is more than ten years from the middle one: it counts as not told'
FROM kube_far GROUP BY _file;
UPDATE kube_objects SET creationTimestamp = iif(abs(coalesce(creationTimestamp / 31556952 - m.year, 0)) > 10, NULL, creationTimestamp),
  deletionTimestamp = iif(abs(coalesce(deletionTimestamp / 31556952 - m.year, 0)) > 10, NULL, deletionTimestamp),
  startTime = iif(abs(coalesce(startTime / 31556952 - m.year, 0)) > 10, NULL, startTime),
  completionTime = iif(abs(coalesce(completionTime / 31556952 - m.year, 0)) > 10, NULL, completionTime),
  scheduled = iif(abs(coalesce(scheduled / 31556952 - m.year, 0)) > 10, NULL, scheduled),
  ready_time = iif(abs(coalesce(ready_time / 31556952 - m.year, 0)) > 10, NULL, ready_time),
  quota_reserved = iif(abs(coalesce(quota_reserved / 31556952 - m.year, 0)) > 10, NULL, quota_reserved),
  admitted = iif(abs(coalesce(admitted / 31556952 - m.year, 0)) > 10, NULL, admitted),
  pods_ready = iif(abs(coalesce(pods_ready / 31556952 - m.year, 0)) > 10, NULL, pods_ready),
  evicted = iif(abs(coalesce(evicted / 31556952 - m.year, 0)) > 10, NULL, evicted),
  requeued = iif(abs(coalesce(requeued / 31556952 - m.year, 0)) > 10, NULL, requeued),
  started = iif(abs(coalesce(started / 31556952 - m.year, 0)) > 10, NULL, started),
  finished = iif(abs(coalesce(finished / 31556952 - m.year, 0)) > 10, NULL, finished),
       conditions = NULL -- whose heartbeats say until when the cluster was observed
FROM kube_far AS m WHERE m.row = kube_objects.rowid;
DROP TABLE kube_far;

-- Phases of pods that Kubernetes does not have, and objects whose pods, claims or nodes are of no known kind.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', NULL, count(*), 'unknown phases of pods, taken as no end: ' || group_concat(DISTINCT phase)
FROM kube_objects WHERE kind = 'Pod' AND phase NOT IN ('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', NULL, count(*),
       'nodes whose condition Ready is no True, False or Unknown, taken as not ready: ' || group_concat(DISTINCT ready)
FROM kube_objects WHERE kind = 'Node' AND ready NOT IN ('True', 'False', 'Unknown') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_kind', NULL, count(*),
       'objects that ask for chips and are of a kind that is not known: ' || group_concat(DISTINCT kind)
FROM kube_objects
WHERE (chips > 0 OR resources GLOB '*/gpu*' OR instr(spec, '.com/gpu') OR instr(spec, '/tpu"') OR instr(spec, 'resourceClaim'))
  AND apiVersion IN ('v1', 'batch/v1', 'apps/v1')
  AND kind NOT IN ('Pod', 'Node', 'Job', 'CronJob', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController',
                   'ResourceQuota', 'LimitRange', 'PodTemplate', 'ConfigMap', 'Service',
                   'Event', 'Namespace', 'ServiceAccount', 'Secret', 'Endpoints', 'PersistentVolumeClaim', 'PersistentVolume',
                   'ControllerRevision', 'List', 'Binding')
GROUP BY _file;
-- An object without what says since when it is there, or a pod that has ended and does not say when.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', NULL, count(*), min(object) || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, kind || ' ' || coalesce(namespace || '/', '') || coalesce(name, '?') AS object,
             CASE WHEN kind IN ('Pod', 'Node', 'Workload') AND creationTimestamp IS NULL THEN 'creationTimestamp'
                  WHEN name IS NULL THEN 'name'
                  WHEN kind = 'Pod' AND namespace IS NULL THEN 'namespace' WHEN kind = 'Pod' AND phase IS NULL THEN 'phase'
                  WHEN kind = 'Pod' AND phase IN ('Succeeded', 'Failed') AND finished IS NULL
                    AND coalesce(scheduled, startTime) IS NOT NULL THEN 'end'
                  WHEN kind = 'Pod' AND phase IN ('Running', 'Succeeded') AND coalesce(scheduled, startTime) IS NULL THEN 'PodScheduled'
                  WHEN kind = 'Pod' AND scheduled IS NOT NULL AND nodeName IS NULL THEN 'nodeName' END AS field
      FROM kube_objects WHERE event IS NOT 'BOOKMARK')
WHERE field IS NOT NULL GROUP BY _file, field;
