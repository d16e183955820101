-- kube/objects.sql - the input: what is malformed, whose each object is, and the last version of every object.
--
-- Reads kube_trace and, if there are metrics, kube_state_objects. Makes kube_objects, every version of every object; kube_events;
-- kube_told and kube_covered, when something was last told; kube_last, the last version of each object.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input, and the last version of every object ----

CREATE TEMP TABLE IF NOT EXISTS kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason, nodeName, pool, product,
                                                   resource, chips, min_chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file);
CREATE TEMP TABLE IF NOT EXISTS kube_objects AS
SELECT *, _file FROM kube_trace(iif(EXISTS (SELECT 1 FROM kube_state_objects), :kube, mpg_required(:kube, ':kube')));

-- Of what metrics tell as well, the objects count: they say when.
DROP TABLE IF EXISTS temp.kube_twice;
CREATE TEMP TABLE kube_twice AS
SELECT s.rowid AS row FROM kube_state_objects AS s
WHERE EXISTS (SELECT 1 FROM kube_objects) AND (s.kind, coalesce(s.namespace, ''), s.name) IN (SELECT kind, coalesce(namespace, ''), name FROM kube_objects);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'info', 'told_twice', NULL, count(*), 'metrics of ' || min(kind || ' ' || name) || ' and others that are there as objects: the objects count'
FROM kube_state_objects WHERE rowid IN (SELECT row FROM kube_twice) GROUP BY NULL;
INSERT INTO kube_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason, nodeName, pool, product,
                         resource, chips, min_chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file)
SELECT * FROM kube_state_objects WHERE rowid NOT IN (SELECT row FROM kube_twice) ORDER BY rowid;
DROP TABLE kube_twice;
DROP TABLE kube_state_objects;

-- Events are reports about objects: when something happened to one. Each is there at its first and its last time.
DROP TABLE IF EXISTS temp.kube_events;
CREATE TEMP TABLE kube_events AS
WITH told AS (
  SELECT json_extract(involvedObject, '$.kind') AS about, coalesce(json_extract(involvedObject, '$.namespace'), namespace) AS namespace, json_extract(involvedObject, '$.name') AS name,
         json_extract(involvedObject, '$.uid') AS uid, reason, message, firstTimestamp AS first, coalesce(lastTimestamp, firstTimestamp, creationTimestamp) AS last,
         coalesce("count", 1) AS "count", coalesce(kube_objects.uid, coalesce(namespace || '/', '') || kube_objects.name) AS event, _file
  FROM kube_objects WHERE kind = 'Event' AND event IS NOT 'BOOKMARK'
)
SELECT about, namespace, name, uid, reason, min(message) AS message, at, event, max("count") AS "count", min(_file) AS _file, 0 AS used
FROM (SELECT *, last AS at FROM told UNION ALL SELECT *, first FROM told WHERE first < last)
GROUP BY event, reason, at;
DELETE FROM kube_objects WHERE kind = 'Event';
CREATE INDEX temp.kube_events_about ON kube_events(about, name, at);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'missing_field', NULL, count(*), 'events without a time, a reason or an object, the first ' || min(coalesce(event, '?')) || ': they are left out'
FROM kube_events WHERE at IS NULL OR reason IS NULL OR name IS NULL GROUP BY _file;
DELETE FROM kube_events WHERE at IS NULL OR reason IS NULL OR name IS NULL;
WITH years AS (SELECT at / 31556952 AS year, count(*) AS n FROM (SELECT at FROM kube_events UNION ALL SELECT creationTimestamp FROM kube_objects WHERE creationTimestamp IS NOT NULL) GROUP BY 1),
m AS (SELECT min(year) AS year FROM (SELECT year, sum(n) OVER (ORDER BY year) AS so_far, sum(n) OVER () AS n FROM years) WHERE 2 * so_far >= n)
UPDATE kube_events SET used = -1 FROM m WHERE abs(at / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'data_loss', 'impossible_time', NULL, count(*), 'a time of event ' || min(event) || ' is more than ten years from the middle one: it is left out'
FROM kube_events WHERE used < 0 GROUP BY _file;
DELETE FROM kube_events WHERE used < 0;

UPDATE kube_objects SET uid = coalesce(namespace || '/', '') || name WHERE uid IS NULL;

-- What cannot be: a time that is more than ten years from the middle one; it counts as not told.
DROP TABLE IF EXISTS temp.kube_far;
CREATE TEMP TABLE kube_far AS
WITH years AS (SELECT creationTimestamp / 31556952 AS year, count(*) AS n FROM kube_objects WHERE creationTimestamp IS NOT NULL GROUP BY 1),
m AS (SELECT min(year) AS year FROM (SELECT year, sum(n) OVER (ORDER BY year) AS so_far, sum(n) OVER () AS n FROM years) WHERE 2 * so_far >= n)
SELECT o.rowid AS row, m.year, o._file, o.kind || ' ' || coalesce(o.namespace || '/', '') || o.name AS object
FROM kube_objects AS o, m
WHERE max(abs(coalesce(creationTimestamp / 31556952 - m.year, 0)), abs(coalesce(deletionTimestamp / 31556952 - m.year, 0)), abs(coalesce(startTime / 31556952 - m.year, 0)), abs(coalesce(completionTime / 31556952 - m.year, 0)), abs(coalesce(scheduled / 31556952 - m.year, 0)), abs(coalesce(ready_time / 31556952 - m.year, 0)), abs(coalesce(quota_reserved / 31556952 - m.year, 0)), abs(coalesce(admitted / 31556952 - m.year, 0)), abs(coalesce(pods_ready / 31556952 - m.year, 0)), abs(coalesce(evicted / 31556952 - m.year, 0)), abs(coalesce(requeued / 31556952 - m.year, 0)), abs(coalesce(started / 31556952 - m.year, 0)), abs(coalesce(finished / 31556952 - m.year, 0))) > 10
   OR (o.kind = 'Node' AND EXISTS (SELECT 1 FROM json_each(o.conditions) AS c
                                   WHERE abs(CAST(strftime('%Y', json_extract(iif(c.type = 'object', c.value, '{}'), '$.lastHeartbeatTime')) AS INTEGER) - 1970 - m.year) > 10));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', NULL, count(*), 'a time of ' || min(object) || ' is more than ten years from the middle one: it counts as not told'
FROM kube_far GROUP BY _file;
UPDATE kube_objects SET creationTimestamp = iif(abs(coalesce(creationTimestamp / 31556952 - m.year, 0)) > 10, NULL, creationTimestamp), deletionTimestamp = iif(abs(coalesce(deletionTimestamp / 31556952 - m.year, 0)) > 10, NULL, deletionTimestamp), startTime = iif(abs(coalesce(startTime / 31556952 - m.year, 0)) > 10, NULL, startTime), completionTime = iif(abs(coalesce(completionTime / 31556952 - m.year, 0)) > 10, NULL, completionTime), scheduled = iif(abs(coalesce(scheduled / 31556952 - m.year, 0)) > 10, NULL, scheduled), ready_time = iif(abs(coalesce(ready_time / 31556952 - m.year, 0)) > 10, NULL, ready_time), quota_reserved = iif(abs(coalesce(quota_reserved / 31556952 - m.year, 0)) > 10, NULL, quota_reserved), admitted = iif(abs(coalesce(admitted / 31556952 - m.year, 0)) > 10, NULL, admitted), pods_ready = iif(abs(coalesce(pods_ready / 31556952 - m.year, 0)) > 10, NULL, pods_ready), evicted = iif(abs(coalesce(evicted / 31556952 - m.year, 0)) > 10, NULL, evicted), requeued = iif(abs(coalesce(requeued / 31556952 - m.year, 0)) > 10, NULL, requeued), started = iif(abs(coalesce(started / 31556952 - m.year, 0)) > 10, NULL, started), finished = iif(abs(coalesce(finished / 31556952 - m.year, 0)) > 10, NULL, finished),
       conditions = NULL -- whose heartbeats say until when the cluster was observed
FROM kube_far AS m WHERE m.row = kube_objects.rowid;
DROP TABLE kube_far;

-- Phases of pods that Kubernetes does not have, and objects whose pods, claims or nodes are of no known kind.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', NULL, count(*), 'unknown phases of pods, taken as no end: ' || group_concat(DISTINCT phase)
FROM kube_objects WHERE kind = 'Pod' AND phase NOT IN ('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', NULL, count(*), 'nodes whose condition Ready is no True, False or Unknown, taken as not ready: ' || group_concat(DISTINCT ready)
FROM kube_objects WHERE kind = 'Node' AND ready NOT IN ('True', 'False', 'Unknown') GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_kind', NULL, count(*), 'objects that ask for chips and are of a kind that is not known: ' || group_concat(DISTINCT kind)
FROM kube_objects
WHERE (chips > 0 OR resources GLOB '*/gpu*' OR instr(spec, '.com/gpu') OR instr(spec, '/tpu"') OR instr(spec, 'resourceClaim')) AND apiVersion IN ('v1', 'batch/v1', 'apps/v1')
  AND kind NOT IN ('Pod', 'Node', 'Job', 'CronJob', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'ResourceQuota', 'LimitRange', 'PodTemplate', 'ConfigMap', 'Service',
                   'Event', 'Namespace', 'ServiceAccount', 'Secret', 'Endpoints', 'PersistentVolumeClaim', 'PersistentVolume', 'ControllerRevision', 'List', 'Binding')
GROUP BY _file;
-- An object without what says since when it is there, or a pod that has ended and does not say when.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', NULL, count(*), min(object) || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, kind || ' ' || coalesce(namespace || '/', '') || coalesce(name, '?') AS object,
             CASE WHEN kind IN ('Pod', 'Node', 'Workload') AND creationTimestamp IS NULL THEN 'creationTimestamp' WHEN name IS NULL THEN 'name'
                  WHEN kind = 'Pod' AND namespace IS NULL THEN 'namespace' WHEN kind = 'Pod' AND phase IS NULL THEN 'phase'
                  WHEN kind = 'Pod' AND phase IN ('Succeeded', 'Failed') AND finished IS NULL AND coalesce(scheduled, startTime) IS NOT NULL THEN 'end'
                  WHEN kind = 'Pod' AND phase IN ('Running', 'Succeeded') AND coalesce(scheduled, startTime) IS NULL THEN 'PodScheduled'
                  WHEN kind = 'Pod' AND scheduled IS NOT NULL AND nodeName IS NULL THEN 'nodeName' END AS field
      FROM kube_objects WHERE event IS NOT 'BOOKMARK')
WHERE field IS NOT NULL GROUP BY _file, field;

-- Fractions of GPUs by annotation (KAI scheduler, Run:ai): such a pod names no resource, and a pod of the scheduler holds the GPU
-- for it, which is nobody's job. A share by memory (gpu-memory, in MiB) is what Run:ai says, else of the memory that a label of the node
-- has, or of all nodes alike; where none does, listed. A job's pods have the annotations of its templates.
CREATE INDEX temp.kube_named ON kube_objects(namespace, name, kind);
WITH memory AS (SELECT name, CAST(json_extract(labels, '$."nvidia.com/gpu.memory"') AS REAL) AS mib FROM kube_objects WHERE kind = 'Node' AND json_extract(labels, '$."nvidia.com/gpu.memory"') > 0 GROUP BY name)
UPDATE kube_objects
SET chips = coalesce(CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL) * coalesce(CAST(json_extract(annotations, '$."gpu-fraction-num-devices"') AS INTEGER), 1),
                     nullif(CAST(json_extract(annotations, '$."runai-allocated-gpus"') AS REAL), 0),
                     round(min(1, CAST(json_extract(annotations, '$."gpu-memory"') AS REAL) / coalesce((SELECT m.mib FROM memory AS m WHERE m.name = nodeName), (SELECT CASE WHEN min(m.mib) = max(m.mib) THEN min(m.mib) END FROM memory AS m)))
                           * coalesce(CAST(json_extract(annotations, '$."gpu-fraction-num-devices"') AS INTEGER), 1), 6)), resource = 'nvidia.com/gpu'
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND (CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL) BETWEEN 1e-6 AND 1
                                                   OR (json_extract(annotations, '$."gpu-fraction"') IS NULL AND CAST(json_extract(annotations, '$."gpu-memory"') AS REAL) > 0));
WITH parts AS (
  SELECT o.rowid AS row, pods AS each, json_extract(spec, '$.template.metadata.annotations') AS words, coalesce(json_extract(spec, '$.completions'), 0) > coalesce(json_extract(spec, '$.parallelism'), 1) AS one
  FROM kube_objects AS o WHERE kind <> 'Pod' AND coalesce(chips, 0) = 0 AND instr(spec, '"gpu-fraction"')
  UNION ALL
  SELECT o.rowid, coalesce(json_extract(r.value, '$.replicas'), 1), json_extract(r.value, '$.template.metadata.annotations'), 0
  FROM kube_objects AS o, json_each(o.spec) AS k, json_each(k.value) AS r WHERE kind <> 'Pod' AND coalesce(chips, 0) = 0 AND instr(spec, '"gpu-fraction"') AND k.key LIKE '%ReplicaSpecs' AND r.type = 'object'
),
known AS (
  SELECT row, each, one, CAST(json_extract(words, '$."gpu-fraction"') AS REAL) * coalesce(CAST(json_extract(words, '$."gpu-fraction-num-devices"') AS INTEGER), 1) AS chips
  FROM parts WHERE CAST(json_extract(words, '$."gpu-fraction"') AS REAL) BETWEEN 1e-6 AND 1
)
UPDATE kube_objects SET chips = s.chips, min_chips = s.least, resource = 'nvidia.com/gpu'
FROM (SELECT row, sum(chips * each) AS chips, CASE WHEN max(one) THEN max(chips) END AS least FROM known GROUP BY row) AS s WHERE s.row = kube_objects.rowid;
UPDATE kube_objects SET chips = NULL WHERE kind = 'Pod' AND namespace IN ('kai-resource-reservation', 'runai-reservation');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', NULL, count(DISTINCT uid), 'gpu-memory or gpu-fraction of ' || group_concat(DISTINCT namespace || '/' || name) || ': not counted: its share of a chip is not known'
FROM kube_objects
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND coalesce(json_extract(annotations, '$."gpu-memory"'), json_extract(annotations, '$."gpu-fraction"')) IS NOT NULL
GROUP BY _file;

-- HAMi offers each GPU several times under its own name; annotations say which GPUs a node has, and what memory (MiB) and cores (%) of them a pod got.
DROP TABLE IF EXISTS temp.kube_hami;
CREATE TEMP TABLE kube_hami AS
SELECT rowid AS row, kind, CASE WHEN kind = 'Pod' THEN '["' || replace(replace(json_extract(annotations, '$."hami.io/vgpu-devices-allocated"'), ';', ''), ':', '","') || '"]' ELSE json_extract(annotations, '$."hami.io/node-nvidia-register"') END AS told
FROM kube_objects WHERE kind IN ('Pod', 'Node') AND chips > 0 AND instr(annotations, '"hami.io/');
UPDATE kube_objects SET share = round(n.gpus / chips, 6)
FROM (SELECT row, CASE WHEN json_valid(told) THEN json_array_length(told) ELSE length(told) - length(replace(told, ':', '')) END AS gpus FROM kube_hami WHERE kind = 'Node') AS n WHERE n.row = kube_objects.rowid AND share = 1 AND n.gpus > 0 AND n.gpus < chips;
WITH gpus AS (
  SELECT json_extract(g.value, '$.id') AS id, max(json_extract(g.value, '$.devmem')) AS mib
  FROM kube_hami AS h, json_each(CASE WHEN json_valid(h.told) THEN h.told ELSE '[]' END) AS g WHERE kind = 'Node' AND g.type = 'object' GROUP BY 1
),
parts AS (SELECT row, '["' || replace(d.value, ',', '","') || '"]' AS part FROM kube_hami AS h, json_each(CASE WHEN json_valid(h.told) THEN h.told ELSE '[]' END) AS d WHERE kind = 'Pod' AND instr(d.value, ','))
UPDATE kube_objects SET share = p.held / chips
FROM (SELECT row, sum(min(1, max(coalesce(json_extract(part, '$[2]') * 1.0 / mib, 0), coalesce(json_extract(part, '$[3]') / 100.0, 0)))) AS held
      FROM (SELECT row, CASE WHEN json_valid(part) THEN part ELSE '[]' END AS part FROM parts) LEFT JOIN gpus ON id = json_extract(part, '$[0]') GROUP BY row) AS p WHERE p.row = kube_objects.rowid AND held > 0;
DROP TABLE kube_hami;

-- Kueue's Workload for a pod, or for pods, is of the job that the pod is of.
UPDATE kube_objects SET job = (SELECT max(p.job) FROM kube_objects AS p
                               WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod')
WHERE kind = 'Workload' AND owner_kind = 'Pod'
  AND EXISTS (SELECT 1 FROM kube_objects AS p WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod');

-- A pod that names its Workload is of the Workload's job. Pods of a RayCluster name that alone: it is of the RayJob or RayService
-- that its object names, or that the Workload is for, or of the RayJob itself, if it has that name and what KubeRay adds to it: five of the letters and
-- digits that Kubernetes makes names of.
UPDATE kube_objects SET job = coalesce((SELECT max(w.job) FROM kube_objects AS w
                                        WHERE w.namespace = kube_objects.namespace AND w.name = json_extract(kube_objects.annotations, '$."kueue.x-k8s.io/workload"')
                                          AND w.kind = 'Workload'), job)
WHERE kind = 'Pod' AND instr(annotations, 'kueue.x-k8s.io/workload"');
UPDATE kube_objects SET job = (SELECT max(c.job) FROM kube_objects AS c WHERE c.namespace = kube_objects.namespace AND c.name = kube_objects.owner_name AND c.kind = 'RayCluster')
WHERE kind = 'Pod' AND owner_kind = 'RayCluster' AND coalesce(instr(annotations, 'kueue.x-k8s.io/workload"'), 0) = 0
  AND EXISTS (SELECT 1 FROM kube_objects AS c WHERE c.namespace = kube_objects.namespace AND c.name = kube_objects.owner_name AND c.kind = 'RayCluster');
DROP TABLE IF EXISTS temp.kube_rays;
CREATE TEMP TABLE kube_rays AS
SELECT DISTINCT job FROM kube_objects WHERE kind = 'RayJob' OR (kind = 'Workload' AND owner_kind IN ('RayJob', 'RayService'));
UPDATE kube_objects SET job = substr(job, 1, length(job) - iif(job GLOB '*-raycluster-?????', 17, 6))
WHERE 'RayCluster' IN (kind, owner_kind) AND job GLOB '*-' || replace('?????', '?', '[bcdfghjklmnpqrstvwxz2456789]')
  AND substr(job, 1, length(job) - iif(job GLOB '*-raycluster-?????', 17, 6)) IN (SELECT job FROM kube_rays);

-- The last time that each version of an object mentions, and all before it in its file; and which version it is.
DROP TABLE IF EXISTS temp.kube_told;
CREATE TEMP TABLE kube_told AS
WITH told AS (
  SELECT rowid AS version, _file, list, kind, uid, event,
         max(coalesce(creationTimestamp, 0), coalesce(scheduled, 0), coalesce(ready_time, 0), coalesce(started, 0), coalesce(finished, 0),
             coalesce(admitted, 0), coalesce(evicted, 0),
             coalesce((SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER)) FROM json_each(CASE kind WHEN 'Node' THEN conditions END)), 0)) AS told
  FROM kube_objects
)
SELECT *, max(told) OVER (PARTITION BY _file ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
       row_number() OVER (PARTITION BY _file, kind, uid ORDER BY version) AS nth, _file AS listing
FROM told;
CREATE INDEX temp.kube_told_of ON kube_told(version);

-- Listings are files without events in which nothing comes twice, and of files of several lists what stands before the next list of
-- something that was there. One was made after the last time that its objects mention.
DROP TABLE IF EXISTS temp.kube_again;
CREATE TEMP TABLE kube_again AS
SELECT _file, list, max(before) AS before
FROM (SELECT _file, list, lag(list) OVER (PARTITION BY _file, kind, uid ORDER BY version) AS before FROM kube_told
      WHERE _file IN (SELECT _file FROM kube_told GROUP BY _file HAVING max(nth) > 1 AND max(event) IS NULL AND count(list) = count(*))) GROUP BY _file, list;
CREATE INDEX temp.kube_again_of ON kube_again(_file, list);
DROP TABLE IF EXISTS temp.kube_appended;
CREATE TEMP TABLE kube_appended AS
WITH RECURSIVE begins(_file, list) AS (
  SELECT DISTINCT _file, 1 FROM kube_again UNION ALL
  SELECT b._file, (SELECT a.list FROM kube_again AS a WHERE a._file = b._file AND a.list > b.list AND a.before >= b.list ORDER BY a.list LIMIT 1) FROM begins AS b WHERE b.list IS NOT NULL
)
SELECT _file, list FROM begins WHERE list IS NOT NULL;
CREATE INDEX temp.kube_appended_of ON kube_appended(_file, list);
UPDATE kube_told SET listing = _file || '#' || (SELECT a.list FROM kube_appended AS a WHERE a._file = kube_told._file AND a.list <= kube_told.list ORDER BY a.list DESC LIMIT 1), nth = 1
WHERE _file IN (SELECT _file FROM kube_appended);
DROP TABLE kube_again;
DROP TABLE kube_appended;
DROP TABLE IF EXISTS temp.kube_listings;
CREATE TEMP TABLE kube_listings AS
SELECT listing, max(max(told), coalesce((SELECT max(at) FROM kube_events AS e WHERE e._file = kube_told.listing), 0)) AS made
FROM kube_told GROUP BY listing HAVING max(event) IS NULL AND max(nth) = 1;

-- When the last of those was made that would show an object of a kind in a namespace: one that shows others
-- of this kind there, or in several namespaces.
DROP TABLE IF EXISTS temp.kube_covered;
CREATE TEMP TABLE kube_covered AS
WITH shown AS (
  SELECT listing, made, o.kind, coalesce(namespace, '') AS namespace, count(*) OVER (PARTITION BY listing, o.kind) AS namespaces
  FROM kube_told JOIN kube_listings USING (listing) JOIN kube_objects AS o ON o.rowid = version
  GROUP BY listing, o.kind, coalesce(namespace, '')
)
SELECT kind, namespace, max(made) AS made FROM shown GROUP BY kind, namespace
UNION ALL
SELECT kind, NULL, max(made) FROM shown WHERE namespaces > 1 GROUP BY kind;
CREATE INDEX temp.kube_covered_by ON kube_covered(kind, namespace);

-- What only listings show, and the last of them no more, was deleted after the last one that does.
DROP TABLE IF EXISTS temp.kube_gone;
CREATE TEMP TABLE kube_gone AS
SELECT o.kind, o.uid, max(made) AS seen
FROM kube_told LEFT JOIN kube_listings USING (listing) JOIN kube_objects AS o ON o.rowid = version
GROUP BY o.kind, o.uid
HAVING count(*) = count(made)
   AND max(made) < max((SELECT max(made) FROM (SELECT c.made FROM kube_covered AS c WHERE c.kind = o.kind AND c.namespace = coalesce(o.namespace, '')
                                               UNION ALL
                                               SELECT c.made FROM kube_covered AS c WHERE c.kind = o.kind AND c.namespace IS NULL)));
CREATE UNIQUE INDEX temp.kube_gone_of ON kube_gone(kind, uid);

-- A watch that breaks begins anew with all that is there: it is added, also what was known and not deleted, and each
-- once. The last version before that: the one before what is added in a row (there is none before the first of a
-- watch), and of these the last that is added again in it.
DROP TABLE IF EXISTS temp.kube_anew;
CREATE TEMP TABLE kube_anew AS
WITH counted AS (
  SELECT *, sum(event <> 'ADDED') OVER so_far AS others, lag(version, 1, 0) OVER so_far AS previous,
         lag(event) OVER (PARTITION BY _file, kind, uid ORDER BY version) AS was
  FROM kube_told
  WHERE event IN ('ADDED', 'MODIFIED', 'DELETED')
  WINDOW so_far AS (PARTITION BY _file, kind ORDER BY version)
),
added AS (
  SELECT *, lead(version) OVER (PARTITION BY _file, kind, others, uid ORDER BY version) AS again FROM counted WHERE event = 'ADDED'
),
ended AS (
  SELECT _file, kind, min(previous) AS version FROM added GROUP BY _file, kind, others HAVING max(was IS NOT NULL AND was <> 'DELETED')
  UNION
  SELECT _file, kind, max(version) FROM added WHERE again IS NOT NULL GROUP BY _file, kind, others
)
SELECT e._file, e.kind, e.version, max(coalesce(t.before, 0), t.told) AS before FROM ended AS e JOIN kube_told AS t ON t.version = e.version;
CREATE INDEX temp.kube_anew_of ON kube_anew(_file, kind, version);

DROP TABLE IF EXISTS temp.kube_last;
CREATE TEMP TABLE kube_last AS
WITH versions AS ( -- narrow, as objects are wide
  SELECT rowid AS version, row_number() OVER (PARTITION BY kind, uid ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
  FROM kube_objects
  WHERE event IS NOT 'BOOKMARK'
)
SELECT o.*, v.version, v.age, NULL AS gone FROM versions AS v CROSS JOIN kube_objects AS o ON o.rowid = v.version WHERE v.age = 1;
UPDATE kube_last SET event = 'DELETED', gone = (SELECT seen FROM kube_gone AS g WHERE g.kind = kube_last.kind AND g.uid = kube_last.uid)
WHERE EXISTS (SELECT 1 FROM kube_gone AS g WHERE g.kind = kube_last.kind AND g.uid = kube_last.uid);
-- What was not added again was deleted while nobody watched.
UPDATE kube_last
SET event = 'DELETED',
    gone = (SELECT a.before FROM kube_anew AS a
            WHERE a._file = kube_last._file AND a.kind = kube_last.kind AND a.version >= kube_last.version ORDER BY a.version LIMIT 1)
WHERE event IN ('ADDED', 'MODIFIED')
  AND EXISTS (SELECT 1 FROM kube_anew AS a WHERE a._file = kube_last._file AND a.kind = kube_last.kind AND a.version >= kube_last.version);
CREATE INDEX temp.kube_last_of ON kube_last(kind, uid);
CREATE INDEX temp.kube_last_named ON kube_last(kind, name, namespace);
