-- kube.sql - from objects of Kubernetes (kubectl get -o json, kubectl get -w) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :kube sure (?s)\A\s*[\[{].*"apiVersion"\s*:\s*"(?:v1|[\w.-]+/v\d\w*)"
--@ extends outage_reasons
--@ input :kube_state sure (?s)\A\s*[\[{].*"metric"\s*:.*"__name__"\s*:\s*"kube_(?:pod|node)_
--@ input :kube_state sure (?s)\A(?:\s*#[^\n]*\n|\s)*[A-Za-z_:](?:.*^)?kube_(?:pod|node)_\w+\{
--@ uses formats/kube_state
--@ hint \AapiVersion: => objects of Kubernetes as YAML: export them with kubectl get -o json
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :kube fixtures/kube/watch.json
--     .read sql/formats/kube.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :kube is a path, glob or folder of listings and watch logs, :kube_state of metrics, for which kube_state.sql runs first
-- (one of the two may be unset); :pool may name the label of nodes
-- whose values are the pools (else the node pool's label of the cloud, or the machine type).
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE kube_objects AS SELECT *, _file FROM kube_trace('trace/');
--
-- Makes the TEMP tables capacity, outages, jobs, allocations and observed, which mpg_ledger and mpg_rollup then find, and
-- aliases, the other names of jobs.
-- The input is dropped at the end. The rules are explained in docs/formats/kube.md.

-- ---- 1. The input, and the last version of every object ----

CREATE TEMP TABLE IF NOT EXISTS kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job, phase, reason, nodeName, pool, product,
                                                   resource, chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file);
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
                         resource, chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable, spec, conditions, labels, _file)
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
-- for it, which is nobody's job. A share by memory (gpu-memory) is of a GPU whose size is unknown: listed.
UPDATE kube_objects
SET chips = CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL) * coalesce(CAST(json_extract(annotations, '$."gpu-fraction-num-devices"') AS INTEGER), 1), resource = 'nvidia.com/gpu'
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND CAST(json_extract(annotations, '$."gpu-fraction"') AS REAL) BETWEEN 1e-6 AND 1;
UPDATE kube_objects SET chips = NULL WHERE kind = 'Pod' AND namespace IN ('kai-resource-reservation', 'runai-reservation');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', NULL, count(DISTINCT uid), 'gpu-memory or gpu-fraction of ' || group_concat(DISTINCT namespace || '/' || name) || ': not counted: its share of a chip is not known'
FROM kube_objects
WHERE kind = 'Pod' AND coalesce(chips, 0) = 0 AND coalesce(json_extract(annotations, '$."gpu-memory"'), json_extract(annotations, '$."gpu-fraction"')) IS NOT NULL
GROUP BY _file;

-- Kueue's Workload for a pod, or for pods, is of the job that the pod is of.
CREATE INDEX temp.kube_named ON kube_objects(namespace, name, kind);
UPDATE kube_objects SET job = (SELECT max(p.job) FROM kube_objects AS p
                               WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod')
WHERE kind = 'Workload' AND owner_kind = 'Pod'
  AND EXISTS (SELECT 1 FROM kube_objects AS p WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod');

-- A pod that names its Workload is of the Workload's job. Pods of a RayCluster name that alone: it is of the RayJob or RayService
-- that the Workload is for, or of the RayJob itself, if it has that name and what KubeRay adds to it: five of the letters and
-- digits that Kubernetes makes names of.
UPDATE kube_objects SET job = coalesce((SELECT max(w.job) FROM kube_objects AS w
                                        WHERE w.namespace = kube_objects.namespace AND w.name = json_extract(kube_objects.annotations, '$."kueue.x-k8s.io/workload"')
                                          AND w.kind = 'Workload'), job)
WHERE kind = 'Pod' AND instr(annotations, 'kueue.x-k8s.io/workload"');
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
  SELECT rowid AS version, _file, kind, uid, event,
         max(coalesce(creationTimestamp, 0), coalesce(scheduled, 0), coalesce(ready_time, 0), coalesce(started, 0), coalesce(finished, 0),
             coalesce(admitted, 0), coalesce(evicted, 0),
             coalesce((SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER)) FROM json_each(CASE kind WHEN 'Node' THEN conditions END)), 0)) AS told
  FROM kube_objects
)
SELECT *, max(told) OVER (PARTITION BY _file ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
       row_number() OVER (PARTITION BY _file, kind, uid ORDER BY version) AS nth
FROM told;
CREATE INDEX temp.kube_told_of ON kube_told(version);

-- Listings are files without events in which nothing comes twice. One was made after the last time that its
-- objects mention.
DROP TABLE IF EXISTS temp.kube_listings;
CREATE TEMP TABLE kube_listings AS
SELECT _file, max(max(told), coalesce((SELECT max(at) FROM kube_events AS e WHERE e._file = kube_told._file), 0)) AS made
FROM kube_told GROUP BY _file HAVING max(event) IS NULL AND max(nth) = 1;

-- When the last of those was made that would show an object of a kind in a namespace: one that shows others
-- of this kind there, or in several namespaces.
DROP TABLE IF EXISTS temp.kube_covered;
CREATE TEMP TABLE kube_covered AS
WITH shown AS (
  SELECT _file, made, kind, coalesce(namespace, '') AS namespace, count(*) OVER (PARTITION BY _file, kind) AS namespaces
  FROM kube_objects JOIN kube_listings USING (_file)
  GROUP BY _file, kind, coalesce(namespace, '')
)
SELECT kind, namespace, max(made) AS made FROM shown GROUP BY kind, namespace
UNION ALL
SELECT kind, NULL, max(made) FROM shown WHERE namespaces > 1 GROUP BY kind;
CREATE INDEX temp.kube_covered_by ON kube_covered(kind, namespace);

-- What only listings show, and the last of them no more, was deleted after the last one that does.
DROP TABLE IF EXISTS temp.kube_gone;
CREATE TEMP TABLE kube_gone AS
SELECT kind, uid, max(made) AS seen
FROM kube_objects LEFT JOIN kube_listings USING (_file)
GROUP BY kind, uid
HAVING count(*) = count(made)
   AND max(made) < max((SELECT max(made) FROM (SELECT c.made FROM kube_covered AS c WHERE c.kind = kube_objects.kind AND c.namespace = coalesce(kube_objects.namespace, '')
                                               UNION ALL
                                               SELECT c.made FROM kube_covered AS c WHERE c.kind = kube_objects.kind AND c.namespace IS NULL)));
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

-- ---- 2. Devices of resource claims (DRA) ----

-- Drivers whose devices are chips, or parts of chips.
DROP TABLE IF EXISTS temp.kube_drivers;
CREATE TEMP TABLE kube_drivers(driver, resource);
INSERT INTO kube_drivers VALUES ('gpu.nvidia.com', 'nvidia.com/gpu'), ('gpu.amd.com', 'amd.com/gpu'), ('tpu.google.com', 'google.com/tpu'),
                                ('neuron.aws.com', 'aws.amazon.com/neuron'), ('gaudi.intel.com', 'habana.ai/gaudi');

-- What drivers offer: a device for each chip, and for each part that it could be cut into. A MIG device is its share of
-- compute slices, a partition of AMD's one of as many as there are. What is no more offered was. A pool counts its generations
-- anew when its slices have been deleted.
DROP TABLE IF EXISTS temp.kube_devices;
CREATE TEMP TABLE kube_devices AS
WITH devices AS (
  SELECT s.version, s.event IS 'DELETED' AS deleted, s.spec, iif(d.type = 'object', d.value, '{}') AS d
  FROM kube_last AS s, json_each(s.spec, '$.devices') AS d
  WHERE s.kind = 'ResourceSlice' AND json_extract(s.spec, '$.driver') IN (SELECT driver FROM kube_drivers)
),
offered AS (
  SELECT version, deleted, json_extract(spec, '$.driver') AS driver, json_extract(spec, '$.pool.name') AS pool, CAST(json_extract(spec, '$.pool.generation') AS INTEGER) AS generation,
         coalesce(json_extract(d, '$.nodeName'), json_extract(spec, '$.nodeName')) AS node, json_extract(d, '$.name') AS device,
         coalesce(json_extract(d, '$.attributes'), json_extract(d, '$.basic.attributes')) AS told, coalesce(json_extract(d, '$.capacity'), json_extract(d, '$.basic.capacity')) AS capacity
  FROM devices
),
named AS (
  SELECT *, rank() OVER (PARTITION BY driver, pool ORDER BY deleted, generation DESC) = 1 AS now,
         row_number() OVER (PARTITION BY driver, pool, device ORDER BY deleted, generation DESC, version DESC) AS age,
         json_extract(told, '$.type.string') AS type, coalesce(json_extract(told, '$.profile.string'), json_extract(told, '$.partitionProfile.string')) AS profile,
         coalesce(json_extract(told, '$.productName.string'), json_extract(told, '$.accelerator.string'), json_extract(told, '$.instanceType.string'), json_extract(told, '$.model.string')) AS product,
         coalesce(json_extract(told, '$."resource.kubernetes.io/pciBusID".string'), json_extract(told, '$.pcieBusID.string'), json_extract(told, '$.pciAddr.string'),
                  json_extract(told, '$.parentUUID.string'), json_extract(told, '$.uuid.string'), device) AS chip
  FROM offered
)
SELECT driver, pool, node, device, now, product, chip, CAST(json_extract(capacity, '$.shares.value') AS INTEGER) AS shares,
       CASE type WHEN 'mig' THEN CAST(profile AS INTEGER) / CASE WHEN product LIKE '%A30%' OR product LIKE '%RTX PRO%' THEN 4.0 ELSE 7.0 END
                 WHEN 'amdgpu-partition' THEN 1.0 / coalesce(CAST(json_extract(capacity, '$.partitions.value') AS INTEGER), count(*) OVER (PARTITION BY driver, pool, chip, type, profile))
                 ELSE 1 END AS chips
FROM named
WHERE age = 1;
CREATE INDEX temp.kube_device ON kube_devices(driver, pool, device);
CREATE INDEX temp.kube_devices_of ON kube_devices(node);

-- What claims were given, when they last had something. Of a device that several claims share each has what it took, else
-- an equal part. A MIG device in no slice has its size in its name, or the number that NVIDIA gives to its profile.
DROP TABLE IF EXISTS temp.kube_given;
CREATE TEMP TABLE kube_given AS
WITH claims AS (
  SELECT namespace, name, status, row_number() OVER (PARTITION BY namespace, name ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
  FROM kube_objects
  WHERE kind = 'ResourceClaim' AND event IS NOT 'BOOKMARK' AND json_array_length(status, '$.allocation.devices.results') > 0
),
given AS (
  SELECT namespace, name, iif(r.type = 'object', r.value, '{}') AS r FROM claims, json_each(status, '$.allocation.devices.results') AS r WHERE age = 1
),
results AS (
  SELECT namespace, name, r, resource, CASE WHEN json_extract(r, '$.device') GLOB 'gpu-*-mig-*' THEN substr(json_extract(r, '$.device'), instr(json_extract(r, '$.device'), '-mig-') + 5) END AS mig,
         json_extract(r, '$.shareID') IS NOT NULL AS shared, count(*) OVER (PARTITION BY driver, json_extract(r, '$.pool'), json_extract(r, '$.device')) AS claims
  FROM given JOIN kube_drivers ON driver = json_extract(r, '$.driver')
  WHERE NOT coalesce(json_extract(r, '$.adminAccess'), 0)
)
SELECT namespace, name, max(resource) AS resource,
       sum(coalesce(d.chips, CASE WHEN mig GLOB '[1-7]g*' THEN CAST(mig AS INTEGER) / 7.0
                                  WHEN mig IS NOT NULL THEN CASE CAST(mig AS INTEGER) WHEN 0 THEN 7 WHEN 5 THEN 4 WHEN 9 THEN 3 WHEN 14 THEN 2 ELSE 1 END / 7.0 ELSE 1 END)
           * CASE WHEN NOT shared THEN 1
                  ELSE coalesce(CAST(json_extract(r, '$.consumedCapacity.partitions') AS REAL), CAST(json_extract(r, '$.consumedCapacity.shares') AS REAL) / d.shares, 1.0 / claims) END) AS chips
FROM results LEFT JOIN kube_devices AS d ON d.driver = json_extract(r, '$.driver') AND d.pool = json_extract(r, '$.pool') AND d.device = json_extract(r, '$.device')
GROUP BY namespace, name;
CREATE INDEX temp.kube_given_to ON kube_given(namespace, name);

-- What claims and templates of claims ask for: chips, or all (every) of a node. The class, or what selects devices in it or in
-- the request, names the driver. NULL: it does not say which part of a chip.
DROP TABLE IF EXISTS temp.kube_asked;
CREATE TEMP TABLE kube_asked AS
WITH requests AS (
  SELECT k.kind, k.namespace, k.name, coalesce(json_extract(r.value, '$.exactly'), json_extract(r.value, '$.firstAvailable[0]'), r.value) AS r
  FROM (SELECT *, row_number() OVER (PARTITION BY kind, namespace, name ORDER BY CAST(resourceVersion AS INTEGER) DESC, version DESC) AS nth
        FROM kube_last WHERE kind IN ('ResourceClaim', 'ResourceClaimTemplate')) AS k,
       json_each(k.spec, CASE k.kind WHEN 'ResourceClaim' THEN '$.devices.requests' ELSE '$.spec.devices.requests' END) AS r
  WHERE nth = 1 AND r.type = 'object'
),
selected AS (
  SELECT *, json_extract(r, '$.deviceClassName') || coalesce(json_extract(r, '$.selectors'), '') ||
            coalesce((SELECT json_extract(c.spec, '$.selectors') FROM kube_last AS c WHERE c.kind = 'DeviceClass' AND c.name = json_extract(r, '$.deviceClassName')), '') AS words
  FROM requests
)
SELECT kind, namespace, name, max(resource) AS resource, max(driver) AS driver, max(json_extract(r, '$.allocationMode') LIKE 'all') AS every,
       CASE WHEN count(*) = count(part) THEN sum(coalesce(json_extract(r, '$.count'), 1) * part) END AS chips
FROM (SELECT *, CASE WHEN words NOT LIKE 'mig.nvidia.com%' AND words NOT GLOB '*[''"]mig[''"\]*' THEN 1
                     WHEN instr(words, '.profile') THEN nullif(CAST(ltrim(substr(words, instr(words, '.profile') + 8), ' =\"' || char(39)) AS INTEGER), 0) / 7.0 END AS part
      FROM selected JOIN kube_drivers ON instr(words, driver) OR (driver = 'gpu.nvidia.com' AND words LIKE 'mig.nvidia.com%'))
WHERE NOT coalesce(json_extract(r, '$.adminAccess'), 0)
GROUP BY kind, namespace, name;
CREATE INDEX temp.kube_asked_by ON kube_asked(namespace, name, kind);

-- Nodes without a device plugin have what their drivers offer now.
UPDATE kube_objects
SET (chips, share, product) = (SELECT count(DISTINCT driver || chip), 1,
                                      CASE WHEN kube_objects.product IS json_extract(labels, '$."node.kubernetes.io/instance-type"') THEN coalesce(max(d.product), kube_objects.product)
                                           ELSE kube_objects.product END
                               FROM kube_devices AS d WHERE d.node = kube_objects.name AND now)
WHERE kind = 'Node' AND coalesce(chips, 0) = 0 AND name IN (SELECT node FROM kube_devices WHERE now);

-- Of a pod what its claims were given, else what they ask for.
DROP TABLE IF EXISTS temp.kube_claimed;
CREATE TEMP TABLE kube_claimed AS
SELECT p.uid, p.namespace, CASE WHEN json_extract(c.value, '$.template') IS NULL THEN json_extract(c.value, '$.claim') END AS named,
       coalesce(g.resource, a.resource) AS resource,
       coalesce(g.chips, CASE WHEN every THEN (SELECT count(DISTINCT d.chip) FROM kube_devices AS d WHERE d.node = p.nodeName AND d.driver = a.driver AND now) ELSE a.chips END) AS chips
FROM kube_last AS p, json_each(p.claims) AS c
     LEFT JOIN kube_given AS g ON g.namespace = p.namespace AND g.name = json_extract(c.value, '$.claim')
     LEFT JOIN kube_asked AS a ON a.namespace = p.namespace AND a.name = coalesce(json_extract(c.value, '$.template'), json_extract(c.value, '$.claim'))
                              AND a.kind = CASE WHEN json_extract(c.value, '$.template') IS NULL THEN 'ResourceClaim' ELSE 'ResourceClaimTemplate' END
WHERE p.kind = 'Pod';
-- One that requested devices as a resource, by a name that says nothing of chips: what the claim was given that the scheduler made.
INSERT INTO kube_claimed
SELECT p.uid, p.namespace, NULL, g.resource, g.chips
FROM kube_last AS p CROSS JOIN kube_given AS g ON g.namespace = p.namespace AND g.name = json_extract(p.status, '$.extendedResourceClaimStatus.resourceClaimName')
WHERE p.kind = 'Pod' AND coalesce(p.chips, 0) = 0;
DELETE FROM kube_claimed WHERE coalesce(chips, 0) = 0;
CREATE INDEX temp.kube_claimed_by ON kube_claimed(uid);
CREATE INDEX temp.kube_claimed_as ON kube_claimed(namespace, named);
UPDATE kube_last
SET chips = round(coalesce(chips, 0) + (SELECT sum(c.chips) FROM kube_claimed AS c WHERE c.uid = kube_last.uid), 6),
    resource = coalesce(resource, (SELECT max(c.resource) FROM kube_claimed AS c WHERE c.uid = kube_last.uid))
WHERE kind = 'Pod' AND uid IN (SELECT uid FROM kube_claimed);

-- Of what makes pods what the templates ask for, as often as there are pods. How much of a claim with a name of its own is a
-- job's nothing says but the pods that hold it. (CROSS keeps the few claims before the many templates.)
DROP TABLE IF EXISTS temp.kube_every;
CREATE TEMP TABLE kube_every AS
SELECT driver, max(n) AS chips FROM (SELECT driver, count(DISTINCT chip) AS n FROM kube_devices WHERE now GROUP BY driver, node) GROUP BY driver HAVING min(n) = max(n);
UPDATE kube_asked SET chips = (SELECT e.chips FROM kube_every AS e WHERE e.driver = kube_asked.driver)
WHERE every;
UPDATE kube_last
SET (chips, min_chips, resource) = (
  SELECT nullif(coalesce(kube_last.chips, 0) + sum(a.chips * json_extract(c.value, '$.pods')), 0),
         CASE WHEN max(json_extract(c.value, '$.least')) OR kube_last.min_chips
              THEN coalesce(kube_last.min_chips, kube_last.chips, 0) + sum(a.chips * coalesce(json_extract(c.value, '$.least'), json_extract(c.value, '$.pods'))) END,
         coalesce(kube_last.resource, max(a.resource))
  FROM json_each(kube_last.claims) AS c CROSS JOIN kube_asked AS a ON a.namespace = kube_last.namespace AND a.name = json_extract(c.value, '$.template') AND a.kind = 'ResourceClaimTemplate')
WHERE kind <> 'Pod' AND claims IS NOT NULL
  AND EXISTS (SELECT 1 FROM json_each(kube_last.claims) AS c CROSS JOIN kube_asked AS a ON a.namespace = kube_last.namespace AND a.name = json_extract(c.value, '$.template') AND a.kind = 'ResourceClaimTemplate');

-- ---- 3. Nodes ----

-- GKE's names of chips, and machine types of AWS, which mpg_chips does not know. The A10G of a g5 is no A10, and GKE's P100
-- are cards, slower than an SXM2.
DROP TABLE IF EXISTS temp.kube_products;
CREATE TEMP TABLE kube_products(product, chip);
INSERT INTO kube_products VALUES
  ('nvidia-tesla-t4', 'nvidia-t4'), ('nvidia-tesla-p100', 'nvidia-p100-pcie'), ('nvidia-tesla-v100', 'nvidia-v100-sxm2-16'),
  ('nvidia-l4', 'nvidia-l4'), ('nvidia-tesla-a100', 'nvidia-a100-40-sxm4'), ('nvidia-a100-80gb', 'nvidia-a100-80-sxm4'),
  ('nvidia-h100-80gb', 'nvidia-h100-sxm'), ('nvidia-h100-mega-80gb', 'nvidia-h100-sxm'), ('nvidia-h200-141gb', 'nvidia-h200-sxm'),
  ('nvidia-rtx-pro-6000', 'nvidia-rtx-pro-6000-server'),
  ('tpu-v4-podslice', 'tpu-v4'), ('tpu-v5-lite-podslice', 'tpu-v5e'), ('tpu-v5-lite-device', 'tpu-v5e'), ('tpu-v5p-slice', 'tpu-v5p'),
  ('tpu-v6e-slice', 'tpu-v6e'), ('tpu-v6e-device', 'tpu-v6e'), ('trn1', 'aws-trainium1'), ('trn1n', 'aws-trainium1'),
  ('trn2', 'aws-trainium2'), ('trn2u', 'aws-trainium2'), ('trn3', 'aws-trainium3'), ('inf2', 'aws-inferentia2'),
  ('g4dn', 'nvidia-t4'), ('g5', 'nvidia-a10g'), ('g6', 'nvidia-l4'), ('g6e', 'nvidia-l40s'), ('g7e', 'nvidia-rtx-pro-6000-server'),
  ('p3', 'nvidia-v100-sxm2-16'), ('p3dn', 'nvidia-v100-sxm2-32'), ('p4d', 'nvidia-a100-40-sxm4'),
  ('p4de', 'nvidia-a100-80-sxm4'), ('p5', 'nvidia-h100-sxm'), ('p5e', 'nvidia-h200-sxm'), ('p5en', 'nvidia-h200-sxm'),
  ('p6-b200', 'nvidia-b200'), ('p6-b300', 'nvidia-b300'), ('p6e-gb200', 'nvidia-gb200'), ('p6e-gb300', 'nvidia-gb300'), ('p6e-gb300r', 'nvidia-gb300');

-- GPU feature discovery adds to a product how it is shared. A node's devices count as their share of a chip. Those
-- of its last version that has some are installed: without its plugin, which may end before it, a node shows none.
DROP TABLE IF EXISTS temp.kube_nodes;
CREATE TEMP TABLE kube_nodes AS
WITH versions AS (
  SELECT *, row_number() OVER (PARTITION BY uid ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
  FROM kube_objects
  WHERE kind = 'Node' AND chips > 0 AND event IS NOT 'BOOKMARK'
),
named AS (
  SELECT *, CASE WHEN instr(product, '-MIG-') THEN substr(product, 1, instr(product, '-MIG-') - 1)
                 WHEN product LIKE '%-SHARED' THEN substr(product, 1, length(product) - 7)
                 WHEN product GLOB 'ml.*.*[a-z]*' THEN substr(product, 4, instr(substr(product, 4), '.') - 1) -- SageMaker HyperPod's
                 WHEN product GLOB '*[0-9]*.*[a-z]*' THEN substr(product, 1, instr(product, '.') - 1)
                 ELSE product END AS model
  FROM versions
  WHERE age = 1
)
SELECT name AS node, uid, coalesce(json_extract(labels, '$."' || :pool || '"'), pool, 'kubernetes') AS pool, coalesce(chip, model) AS chip,
       round(chips * share, iif(abs(chips * share - round(chips * share)) < 1e-4, 0, 5)) AS chips, share, creationTimestamp AS start_time,
       (SELECT max(CAST(strftime('%s', coalesce(json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime'), json_extract(iif(type = 'object', value, '{}'), '$.lastTransitionTime'))) AS INTEGER))
        FROM kube_last AS l, json_each(l.conditions) WHERE l.kind = 'Node' AND l.uid = named.uid AND l.event = 'DELETED') AS end_time
FROM named LEFT JOIN kube_products ON kube_products.product = model;
CREATE INDEX temp.kube_node ON kube_nodes(node);

-- ---- 4. Pods that were given a node: what they hold, from then until their containers ended ----

-- What events say of an end. That of a pod that is gone or failed without a reason of its own is of them, and its time where nothing else has it.
DROP TABLE IF EXISTS temp.kube_ends;
CREATE TEMP TABLE kube_ends AS
WITH words(reason, outcome, says) AS (
  VALUES ('Preempted', 'preempted', '%'), ('Preempting', 'preempted', '%'), ('Evicted', 'preempted', '%'), ('EvictedByVPA', 'preempted', '%'), ('DeadlineExceeded', 'timeout', '%'),
         ('TaintManagerEviction', 'node_fail', '%marking for deletion%'), ('NodeControllerEviction', 'node_fail', '%'), ('NodeShutdown', 'node_fail', '%'),
         ('DeviceTaintManagerEviction', 'node_fail', '%marking for deletion%'), ('Killing', NULL, '%stopping container%')
)
SELECT p.uid, min(e.at) AS at, (SELECT w.outcome FROM kube_events AS f JOIN words AS w ON w.reason = f.reason AND coalesce(f.message, w.says) LIKE w.says
                                WHERE f.about = 'Pod' AND f.name = p.name AND f.namespace = p.namespace AND coalesce(f.uid, p.uid) = p.uid AND w.outcome IS NOT NULL
                                ORDER BY f.at DESC LIMIT 1) AS outcome
FROM kube_events AS e JOIN words AS w ON w.reason = e.reason AND coalesce(e.message, w.says) LIKE w.says
JOIN kube_last AS p ON p.kind = 'Pod' AND p.name = e.name AND p.namespace = e.namespace AND coalesce(e.uid, p.uid) = p.uid AND e.at >= coalesce(p.scheduled, p.startTime, p.started, p.creationTimestamp, e.at)
WHERE e.about = 'Pod'
GROUP BY p.uid;
CREATE UNIQUE INDEX temp.kube_ends_of ON kube_ends(uid);
UPDATE kube_events SET used = 1
WHERE about = 'Pod' AND (reason IN ('Preempted', 'Preempting', 'Evicted', 'EvictedByVPA', 'DeadlineExceeded', 'NodeControllerEviction', 'NodeShutdown')
                         OR (reason IN ('TaintManagerEviction', 'DeviceTaintManagerEviction') AND coalesce(message, '') NOT LIKE '%cancelling%') OR (reason = 'Killing' AND coalesce(message, '') LIKE '%stopping container%'))
  AND EXISTS (SELECT 1 FROM kube_last AS p JOIN kube_ends AS d ON d.uid = p.uid WHERE p.kind = 'Pod' AND p.name = kube_events.name AND p.namespace = kube_events.namespace AND coalesce(kube_events.uid, p.uid) = p.uid);

DROP TABLE IF EXISTS temp.kube_held;
CREATE TEMP TABLE kube_held AS
SELECT p.job, p.name AS task, p.uid, p.nodeName AS node,
       coalesce((SELECT pool FROM kube_nodes WHERE node = p.nodeName), json_extract(p.spec, '$.nodeSelector."cloud.google.com/gke-nodepool"'), 'kubernetes') AS pool,
       round(p.chips * coalesce((SELECT share FROM kube_nodes WHERE node = p.nodeName), 1), 6) AS chips, p.chips AS units,
       coalesce(p.scheduled, p.startTime, p.started, p.creationTimestamp) AS start_time,
       CASE
         WHEN p.phase IN ('Succeeded', 'Failed') THEN coalesce(p.finished, p.ready_time, p.deletionTimestamp, p.started, p.startTime)
         WHEN p.event = 'DELETED' THEN coalesce(p.finished, p.deletionTimestamp, d.at, p.gone, (SELECT max(coalesce(t.before, 0), t.told) FROM kube_told AS t WHERE t.version = p.version), p.ready_time, p.started, p.startTime)
       END AS end_time,
       CASE WHEN p.outcome IN ('failed', 'cancelled') OR (p.outcome IS NULL AND p.event = 'DELETED') THEN coalesce(d.outcome, p.outcome) ELSE p.outcome END AS outcome, p.deletionTimestamp
FROM kube_last AS p LEFT JOIN kube_ends AS d ON d.uid = p.uid
WHERE p.kind = 'Pod' AND p.chips > 0 AND p.nodeName IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT max(_file) FROM kube_objects AS o WHERE o.rowid = (SELECT version FROM kube_last AS l WHERE l.kind = 'Pod' AND l.uid = kube_held.uid)),
       'data_loss', 'end_before_start', NULL, 1, 'pod ' || job || ' (' || task || ') ended before it started: it holds nothing'
FROM kube_held WHERE end_time < start_time;
UPDATE kube_held SET end_time = start_time WHERE end_time < start_time;
-- What was deleted and does not say when: the last time that its watch told of before.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p._file, 'warning', 'missing_end', NULL, count(*), 'pods that were deleted, the first ' || min(p.namespace || '/' || p.name) || ', and nothing that says when: they held chips at least until the last time before in the watch'
FROM kube_last AS p JOIN kube_held USING (uid)
WHERE p.kind = 'Pod' AND p.event = 'DELETED' AND coalesce(p.phase, '') NOT IN ('Succeeded', 'Failed') AND coalesce(p.finished, p.deletionTimestamp, p.gone) IS NULL AND p.uid NOT IN (SELECT uid FROM kube_ends)
GROUP BY p._file;
-- A device plugin that shares GPUs in time calls them .shared; how many of them are one GPU the labels of the node say alone.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', NULL, count(DISTINCT uid), 'each ' || min(resource) || ' of ' || min(kind || ' ' || coalesce(namespace || '/', '') || name) || iif(count(DISTINCT uid) > 1, ' and others', '')
       || ' counts as a whole GPU: no node has the label nvidia.com/gpu.replicas'
FROM (SELECT *, kind = 'Pod' AS is_pod, max(kind = 'Pod') OVER (PARTITION BY _file) AS has_pods FROM kube_last AS l
      WHERE kind IN ('Pod', 'Node') AND chips > 0 AND resource GLOB '*.shared' AND NOT EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = coalesce(l.nodeName, iif(l.kind = 'Node', l.name, n.node)) AND n.share < 1))
WHERE is_pod = has_pods GROUP BY _file;
CREATE INDEX temp.kube_held_on ON kube_held(node);
CREATE INDEX temp.kube_held_by ON kube_held(uid);

-- A claim that several pods share counts in equal parts for those that hold it at the same time: what a pod holds changes
-- when another one comes or goes. In kube_held is the least.
DROP TABLE IF EXISTS temp.kube_shared;
CREATE TEMP TABLE kube_shared AS
SELECT c.uid, c.namespace, c.named, c.chips, h.start_time, h.end_time FROM kube_claimed AS c JOIN kube_held AS h USING (uid) WHERE c.named IS NOT NULL;
CREATE INDEX temp.kube_shared_by ON kube_shared(uid);
DROP TABLE IF EXISTS temp.kube_sharing;
CREATE TEMP TABLE kube_sharing AS
WITH steps AS (
  SELECT namespace, named, start_time AS at, 1 AS pods FROM (SELECT DISTINCT uid, namespace, named, start_time, end_time FROM kube_shared) WHERE end_time IS NOT start_time
  UNION ALL
  SELECT namespace, named, end_time, -1 FROM (SELECT DISTINCT uid, namespace, named, start_time, end_time FROM kube_shared) WHERE end_time > start_time
)
SELECT namespace, named, at, sum(sum(pods)) OVER (PARTITION BY namespace, named ORDER BY at) AS pods FROM steps GROUP BY namespace, named, at;
CREATE INDEX temp.kube_sharing_of ON kube_sharing(namespace, named, at);
DROP TABLE IF EXISTS temp.kube_parts;
CREATE TEMP TABLE kube_parts AS
WITH edges AS (
  SELECT uid, start_time AS at FROM kube_shared
  UNION
  SELECT m.uid, s.at
  FROM kube_shared AS m CROSS JOIN kube_sharing AS s ON s.namespace = m.namespace AND s.named = m.named AND s.at > m.start_time AND s.at < coalesce(m.end_time, 9e18)
),
parts AS (
  SELECT uid, at AS start_time, lead(at) OVER (PARTITION BY uid ORDER BY at) AS next FROM edges
)
SELECT uid, start_time, end_time, others, round(whole - others, 6) AS chips
FROM (
  SELECT p.uid, p.start_time, coalesce(p.next, h.end_time) AS end_time, h.chips AS whole,
         (SELECT sum(m.chips * (1 - 1.0 / max(1, coalesce((SELECT s.pods FROM kube_sharing AS s WHERE s.namespace = m.namespace AND s.named = m.named AND s.at <= p.start_time
                                                            ORDER BY s.at DESC LIMIT 1), 1))))
          FROM kube_shared AS m WHERE m.uid = p.uid) AS others
  FROM parts AS p JOIN kube_held AS h USING (uid));
CREATE INDEX temp.kube_parts_of ON kube_parts(uid);
UPDATE kube_held SET (chips, units) = (SELECT round(kube_held.chips - max(others), 6), round(kube_held.units - max(others), 6) FROM kube_parts AS p WHERE p.uid = kube_held.uid)
WHERE uid IN (SELECT uid FROM kube_parts);
UPDATE kube_last SET (chips, min_chips) = (SELECT units, iif((SELECT min(p.chips) < max(p.chips) FROM kube_parts AS p WHERE p.uid = h.uid), units, NULL)
                                           FROM kube_held AS h WHERE h.uid = kube_last.uid)
WHERE kind = 'Pod' AND uid IN (SELECT uid FROM kube_parts);
-- A pod that runs still, though its node then had more pods than chips, its deadline or deletion is an hour before the last time of its file, or its node is gone: its end is not told.
DROP TABLE IF EXISTS temp.kube_unended;
CREATE TEMP TABLE kube_unended AS
SELECT h.uid, h.node, h.start_time, h.chips, p.version, p._file, p.namespace || '/' || p.name AS pod, h.start_time + json_extract(p.spec, '$.activeDeadlineSeconds') AS due, p.deletionTimestamp AS deletion
FROM kube_held AS h JOIN kube_last AS p ON p.kind = 'Pod' AND p.uid = h.uid WHERE h.end_time IS NULL AND p.phase IN ('Running', 'Pending');
DROP TABLE IF EXISTS temp.kube_full;
CREATE TEMP TABLE kube_full AS -- the last time at which pods held more than their node has
WITH edges AS (
  SELECT node, start_time AS at, chips AS d FROM kube_held WHERE node IN (SELECT node FROM kube_unended) UNION ALL SELECT node, end_time, -chips FROM kube_held WHERE end_time IS NOT NULL AND node IN (SELECT node FROM kube_unended)
)
SELECT node, max(at) AS at FROM (SELECT node, at, sum(sum(d)) OVER (PARTITION BY node ORDER BY at) AS now FROM edges GROUP BY node, at) AS e
WHERE now > (SELECT max(n.chips) FROM kube_nodes AS n WHERE n.node = e.node) + 1e-4 GROUP BY node;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', NULL, count(*), 'pod ' || min(pod) || ' runs though ' || min(why) || ': it is held until the last time of the objects. Is the end of a watch missing?'
FROM (SELECT u.*, CASE WHEN due + 3600 < (SELECT max(told) FROM kube_told) THEN 'its deadline is over'
                       WHEN deletion + 3600 < (SELECT max(told) FROM kube_told) THEN 'it was to be deleted'
                       WHEN EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = u.node) AND NOT EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = u.node AND n.end_time IS NULL) THEN 'its node is gone'
                       WHEN EXISTS (SELECT 1 FROM kube_full AS k WHERE k.node = u.node AND k.at > u.start_time) THEN 'later pods of its node hold all its chips' END AS why
      FROM kube_unended AS u)
WHERE why IS NOT NULL GROUP BY _file;
DROP TABLE kube_full;
DROP TABLE kube_unended;

-- ---- 5. Attempts ----

DROP TABLE IF EXISTS temp.kube_evictions;
CREATE TEMP TABLE kube_evictions AS
SELECT job, evicted AS at, min(outcome) AS outcome, row_number() OVER (PARTITION BY job ORDER BY evicted) AS nth
FROM kube_objects
WHERE kind = 'Workload' AND evicted IS NOT NULL AND finished IS NULL
GROUP BY job, evicted;
-- Those that its versions do not show are in Kueue's events.
INSERT INTO kube_evictions
SELECT job, at, min(CASE WHEN e.reason GLOB '*PodsReadyTimeout' OR e.reason GLOB '*MaximumExecutionTimeExceeded' THEN 'timeout' WHEN e.reason GLOB '*NodeFailures' THEN 'node_fail'
                         WHEN e.reason GLOB '*RequeuingLimitExceeded' THEN 'failed' WHEN e.reason GLOB '*Deactivated*' OR e.reason GLOB '*InactiveWorkload*' THEN 'cancelled' ELSE 'preempted' END), 0
FROM kube_events AS e JOIN kube_last AS w ON w.kind = 'Workload' AND w.name = e.name AND w.namespace = e.namespace
WHERE e.about = 'Workload' AND e.reason GLOB 'EvictedDueTo*' AND NOT EXISTS (SELECT 1 FROM kube_evictions AS k WHERE k.job = w.job AND abs(k.at - e.at) <= 5)
GROUP BY job, at;
UPDATE kube_events SET used = 1
WHERE about = 'Workload' AND reason GLOB 'EvictedDueTo*' AND EXISTS (SELECT 1 FROM kube_last AS w WHERE w.kind = 'Workload' AND w.name = kube_events.name AND w.namespace = kube_events.namespace);
UPDATE kube_evictions SET nth = n.nth FROM (SELECT rowid AS row, row_number() OVER (PARTITION BY job ORDER BY at) AS nth FROM kube_evictions) AS n WHERE n.row = kube_evictions.rowid;
CREATE INDEX temp.kube_evicted ON kube_evictions(job, at);

-- A new one begins with the first pod after an eviction, and with one that starts when no earlier pod runs.
DROP TABLE IF EXISTS temp.kube_attempts;
CREATE TEMP TABLE kube_attempts AS
WITH counted AS (
  SELECT *, coalesce((SELECT e.nth FROM kube_evictions AS e WHERE e.job = h.job AND e.at <= h.start_time ORDER BY e.at DESC LIMIT 1), 0) AS evictions
  FROM kube_held AS h
),
compared AS (
  SELECT *,
         lag(evictions) OVER (PARTITION BY job ORDER BY start_time, task) AS evictions_before,
         max(coalesce(end_time, 9e18)) OVER (PARTITION BY job ORDER BY start_time, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS held_until
  FROM counted
)
SELECT job, task, uid, node, pool, chips, units, start_time, end_time,
       1 + sum(coalesce(start_time >= held_until OR evictions > evictions_before, 0)) OVER (PARTITION BY job ORDER BY start_time, task) AS attempt,
       CASE WHEN deletionTimestamp IS NOT NULL AND outcome IN ('cancelled', 'failed') THEN
         coalesce((SELECT e.outcome FROM kube_evictions AS e
                   WHERE e.job = c.job AND e.at >= c.start_time AND e.at <= coalesce(c.end_time, e.at) ORDER BY e.at LIMIT 1), outcome)
       ELSE outcome END AS outcome
FROM compared AS c;

-- ---- 6. Jobs ----

-- Of a job's objects the Workload says what it needs, else the object that has its name, else the one pod
-- that it is; but not the Workload of one pod of several, or of one group of a LeaderWorkerSet, nor a Deployment,
-- which says how many replicas it wants now, and not how many it wanted. Devices are worth what they are on the
-- nodes where it ran.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH of_jobs AS (
  SELECT *, CASE WHEN kind = 'Workload' THEN
                   CASE WHEN owner_kind = 'LeaderWorkerSet' OR (owner_kind = 'Pod' AND job NOT IN (namespace || '/' || name, namespace || '/' || owner_name)) THEN 3 ELSE 0 END
                 WHEN kind = 'Pod' THEN CASE WHEN namespace || '/' || name = job THEN 2 ELSE 3 END
                 WHEN namespace || '/' || name = job AND kind NOT IN ('Deployment', 'ReplicaSet') AND NOT (kind = 'StatefulSet' AND owner_kind IS 'LeaderWorkerSet') THEN 1 ELSE 3 END AS rank
  FROM kube_last
  WHERE job IN (SELECT job FROM kube_last WHERE chips > 0 AND kind <> 'Node')
    AND (kind = 'Pod' OR apiVersion IS NOT 'v1') AND coalesce(apiVersion, '') NOT LIKE 'resource.k8s.io/%' -- a Service, a claim of that name
),
best AS (
  SELECT job, min(rank) AS rank FROM of_jobs WHERE chips > 0 GROUP BY job
),
worth AS (
  SELECT job, sum(chips) / sum(units) AS share FROM kube_held GROUP BY job
),
-- An elastic job's Workload is replaced by another where the job grows, and changed where it shrinks (Kueue).
elastic AS (
  SELECT job, max(chips) AS most, min(chips) AS least
  FROM kube_objects
  WHERE kind = 'Workload' AND chips > 0 AND (quota_reserved IS NOT NULL OR finished_reason = 'WorkloadSliceReplaced')
  GROUP BY job
  HAVING max(finished_reason IS 'WorkloadSliceReplaced') OR (count(DISTINCT uid) = 1 AND min(chips) < max(chips))
  UNION ALL -- its groups come and go
  SELECT job, max(chips), min(min_chips) FROM kube_objects WHERE kind = 'LeaderWorkerSet' AND chips > 0 GROUP BY job HAVING min(chips) < max(chips)
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
         coalesce(max(CASE WHEN kind = 'Workload' AND owner_kind NOT IN ('Pod', 'AppWrapper') THEN owner_kind END), max(CASE WHEN kind = 'Pod' THEN owner_kind END),
                  max(CASE WHEN kind = 'Workload' THEN owner_kind END), max(kind)) AS of_kind
  FROM of_jobs
  GROUP BY job
)
SELECT job, substr(job, instr(job, '/') + 1) AS name, owner,
       CASE WHEN of_kind IN ('ReplicaSet', 'Deployment') THEN 'serving' END AS phase,
       CASE of_kind WHEN 'PyTorchJob' THEN 'pytorch' WHEN 'JAXJob' THEN 'jax' WHEN 'TFJob' THEN 'tensorflow' END AS framework,
       CASE WHEN of_kind LIKE 'Ray%' THEN 'ray' END AS runtime, NULL AS model, priority,
       round(chips * coalesce(share, 1), 6) AS chips, round(min_chips * coalesce(share, 1), 6) AS min_chips, NULL AS tasks, submit_time,
       json_patch('{}', json_object('kind', of_kind, 'queue', queue, 'cluster_queue', cluster_queue, 'flavor', flavor, 'resource', resource)) AS labels
FROM told LEFT JOIN asked USING (job) LEFT JOIN worth USING (job);

-- ---- 7. Allocations ----

-- Of a Workload whose pods are not known (they were removed before the listing was made): its chips, from
-- its admission until it finished or was evicted.
DROP TABLE IF EXISTS temp.kube_admitted;
CREATE TEMP TABLE kube_admitted AS
SELECT job, CASE WHEN flavor IN (SELECT pool FROM kube_nodes) OR (SELECT count(DISTINCT pool) FROM kube_nodes) <> 1 THEN coalesce(flavor, 'kubernetes')
                 ELSE (SELECT min(pool) FROM kube_nodes) END AS pool,
       chips, admitted AS start_time, coalesce(finished, evicted, CASE WHEN event = 'DELETED' THEN coalesce(deletionTimestamp, gone) END) AS end_time, outcome
FROM kube_last
WHERE kind = 'Workload' AND chips > 0 AND admitted IS NOT NULL AND job NOT IN (SELECT job FROM kube_held);

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, task, pool, coalesce(p.chips, a.chips) AS chips, coalesce(p.start_time, a.start_time) AS start_time,
       iif(p.uid IS NULL, a.end_time, p.end_time) AS end_time, outcome
FROM kube_attempts AS a LEFT JOIN kube_parts AS p ON p.uid = a.uid
UNION ALL
SELECT job, 1, NULL, pool, chips, start_time, max(start_time, end_time), outcome FROM kube_admitted;

-- What left the queue without holding anything: 0 chips at that moment, which closes what it requested. A Workload
-- that is deactivated is evicted, whether it was admitted or not, and requests nothing until it is activated again. A job
-- that ran to its end in pods that nobody saw: nothing says how long it waited and held, so it requests nothing.
INSERT INTO allocations
WITH unheld AS (
  SELECT *, coalesce(finished, deletionTimestamp, gone) AS at, event IS 'DELETED' OR finished IS NOT NULL AS over,
         CASE WHEN kind = 'Workload' AND NOT coalesce(json_extract(spec, '$.active'), 1) THEN evicted END AS deactivated,
         CASE WHEN kind NOT IN ('Pod', 'Workload') AND namespace || '/' || name = job AND outcome IN ('completed', 'failed') THEN outcome END AS ran
  FROM kube_last
  WHERE job IN (SELECT job FROM jobs) AND job NOT IN (SELECT job FROM allocations) AND kind <> 'Node'
),
ended AS (
  SELECT job, max(flavor) AS flavor, min(ran) AS ran,
         CASE WHEN min(ran) IS NOT NULL THEN min(creationTimestamp) ELSE coalesce(max(deactivated), max(at)) END AS at
  FROM unheld
  GROUP BY job
  HAVING min(over) OR min(ran) IS NOT NULL OR (max(deactivated) IS NOT NULL AND min(over OR kind <> 'Workload' OR deactivated IS NOT NULL))
)
SELECT job, 1, NULL, coalesce(flavor, 'kubernetes'), 0, at, at, coalesce(ran, 'cancelled') FROM ended WHERE at IS NOT NULL;

-- What was evicted and waits again: 0 chips from then on, which keeps its demand open.
INSERT INTO allocations
WITH latest AS (
  SELECT job, max(attempt) AS attempt, pool, max(start_time) AS start_time, max(end_time) AS end_time, max(end_time IS NULL) AS running
  FROM allocations
  GROUP BY job
)
SELECT w.job, l.attempt + 1, NULL, l.pool, 0, max(w.evicted, l.end_time), NULL, NULL
FROM kube_last AS w JOIN latest AS l USING (job)
WHERE w.kind = 'Workload' AND w.evicted IS NOT NULL AND w.finished IS NULL AND w.event IS NOT 'DELETED' AND coalesce(json_extract(w.spec, '$.active'), 1)
  AND NOT running AND w.evicted > l.start_time;

-- ---- 8. Capacity and outages ----

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT pool, chip, sum(chips) AS chips, start_time, end_time FROM kube_nodes GROUP BY pool, chip, start_time, end_time;

-- What every version of a node reported: whether it was ready, since when it was cordoned, when it was last heard of.
DROP TABLE IF EXISTS temp.kube_states;
CREATE TEMP TABLE kube_states AS
SELECT uid, name AS node, rowid AS seen, ready, ready_time, unschedulable, creationTimestamp,
       CASE WHEN chips > 0 AND allocatable < chips THEN chips - allocatable WHEN chips > 0 THEN 0
            ELSE coalesce(max(chips) OVER (PARTITION BY uid ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) END AS withdrawn,
       sum(coalesce(unschedulable, 0) = 0) OVER (PARTITION BY uid ORDER BY rowid ROWS UNBOUNDED PRECEDING) AS run,
       (SELECT CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.timeAdded')) AS INTEGER) FROM json_each(spec, '$.taints')
        WHERE json_extract(iif(type = 'object', value, '{}'), '$.key') = 'node.kubernetes.io/unschedulable') AS cordoned,
       (SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER)) FROM json_each(conditions)) AS heard
FROM kube_objects
WHERE kind = 'Node' AND uid IN (SELECT uid FROM kube_nodes);
-- A taint without its time: since the first heartbeat in a row that shows the node cordoned.
DROP TABLE IF EXISTS temp.kube_cordoned;
CREATE TEMP TABLE kube_cordoned AS
SELECT uid, run, min(coalesce(heard, creationTimestamp)) AS at, min(node) AS node, max(cordoned) AS told
FROM kube_states WHERE unschedulable = 1 GROUP BY uid, run;
UPDATE kube_states SET cordoned = c.at FROM kube_cordoned AS c
WHERE c.told IS NULL AND c.uid = kube_states.uid AND c.run = kube_states.run AND unschedulable = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'missing_field', NULL, count(*), 'node ' || min(node) || ' is cordoned and does not tell since when: it is out of service from the first heartbeat on that shows it'
FROM kube_cordoned WHERE told IS NULL AND run = 0 GROUP BY NULL HAVING count(*) > 0;
DROP TABLE kube_cordoned;
CREATE INDEX temp.kube_states_of ON kube_states(uid, unschedulable, seen);
CREATE INDEX temp.kube_states_ready ON kube_states(uid, ready, ready_time);

-- Why a node is out of service, in words: its conditions that are bad, and its taints. A table outage_reasons(pattern, kind) of the
-- user's says of which kind words are, as for slurm.sql. What a health check of the accelerators finds bad is hw_down.
CREATE TEMP TABLE IF NOT EXISTS outage_reasons(pattern TEXT, kind TEXT);
DROP TABLE IF EXISTS temp.kube_reasons;
CREATE TEMP TABLE kube_reasons AS
WITH RECURSIVE told AS (
  SELECT o.rowid AS seen, 1 AS is_condition,
         json_extract(value, '$.type') || ' ' || coalesce(json_extract(value, '$.reason'), '') || ' ' || coalesce(json_extract(value, '$.message'), '') AS words
  FROM kube_objects AS o CROSS JOIN json_each(o.conditions) AS c
  WHERE o.rowid IN (SELECT seen FROM kube_states WHERE cordoned IS NOT NULL OR ready <> 'True') AND c.type = 'object'
    AND json_extract(c.value, '$.status') = iif(json_extract(c.value, '$.type') GLOB '*Ready' OR json_extract(c.value, '$.type') GLOB '*[Hh]ealthy' AND json_extract(c.value, '$.type') NOT GLOB '*[Uu]nhealthy', 'False', 'True')
  UNION ALL
  SELECT o.rowid, 0, json_extract(value, '$.key') || ' ' || coalesce(json_extract(value, '$.value'), '')
  FROM kube_objects AS o CROSS JOIN json_each(o.spec, '$.taints') AS c
  WHERE o.rowid IN (SELECT seen FROM kube_states WHERE cordoned IS NOT NULL OR ready <> 'True') AND c.type = 'object'
),
cleaned(seen, is_condition, words, marks) AS (
  SELECT seen, is_condition, lower(words), ':;,.()[]/_-#=*!?+|"<>{}@&' || char(39, 9, 10) FROM told
  UNION ALL
  SELECT seen, is_condition, replace(words, substr(marks, 1, 1), ' '), substr(marks, 2) FROM cleaned WHERE marks <> ''
),
known(pattern, kind, place) AS (
  SELECT lower(pattern), kind, row_number() OVER () FROM outage_reasons
  UNION ALL
  SELECT column1, 'hw_down', 1000000 FROM (VALUES ('%xid%'), ('%gpu%'), ('%nvlink%'), ('%nvswitch%'), ('%accelerat%'), ('%tpu%'), ('%npu%'), ('%ecc%'), ('%hardware%'), ('%infiniband%'))
)
SELECT seen, kind, min(place) AS place
FROM cleaned JOIN known ON ' ' || words || ' ' LIKE '% ' || pattern || ' %' AND (is_condition OR place < 1000000)
WHERE marks = '' GROUP BY seen;
CREATE INDEX temp.kube_reason_of ON kube_reasons(seen);

-- What events say of nodes.
DROP TABLE IF EXISTS temp.kube_node_events;
CREATE TEMP TABLE kube_node_events AS
SELECT e.rowid AS row, e.reason, e.at, e.name AS node,
       (SELECT n.uid FROM kube_nodes AS n WHERE n.node = e.name AND coalesce(n.start_time, e.at) <= e.at ORDER BY n.start_time DESC LIMIT 1) AS uid
FROM kube_events AS e WHERE e.about = 'Node' AND e.reason IN ('NodeNotReady', 'NodeReady', 'NodeNotSchedulable', 'NodeSchedulable');
DELETE FROM kube_node_events WHERE uid IS NULL;
CREATE INDEX temp.kube_node_events_of ON kube_node_events(uid, reason, at);
UPDATE kube_events SET used = 1 WHERE rowid IN (SELECT row FROM kube_node_events);
-- A node that its object shows ready all the time that an event says that it was not: the object counts.
DROP TABLE IF EXISTS temp.kube_denied;
CREATE TEMP TABLE kube_denied AS
SELECT e.row, e.node FROM kube_node_events AS e
WHERE reason = 'NodeNotReady' AND EXISTS (SELECT 1 FROM kube_states AS s WHERE s.uid = e.uid AND s.ready = 'True' AND s.ready_time < e.at AND s.heard > e.at + 300)
  AND NOT EXISTS (SELECT 1 FROM kube_states AS s WHERE s.uid = e.uid AND s.ready_time >= e.at - 300)
  AND NOT EXISTS (SELECT 1 FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeReady' AND u.at >= e.at);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'conflict', NULL, count(*), 'events that node ' || min(node) || ' was not ready, while its object says that it was: the object counts'
FROM kube_denied GROUP BY NULL;
DELETE FROM kube_node_events WHERE row IN (SELECT row FROM kube_denied);
DROP TABLE kube_denied;

-- From the moment a node is not ready (cordoned, where its taint says since when) until it is again. Of what holds at the same time
-- not ready goes before cordoned, and objects before events.
DROP TABLE IF EXISTS temp.kube_out;
CREATE TEMP TABLE kube_out AS
SELECT uid, node, min(since) AS start_time, end_time, coalesce(max(kind), 'hw_down') AS kind, 1 AS rank
FROM (SELECT uid, node, ready_time AS since, r.kind,
             (SELECT min(up.ready_time) FROM kube_states AS up WHERE up.uid = s.uid AND up.ready = 'True' AND up.ready_time >= s.ready_time) AS end_time
      FROM kube_states AS s LEFT JOIN kube_reasons AS r USING (seen)
      WHERE ready <> 'True' AND ready_time IS NOT NULL)
GROUP BY uid, end_time
UNION ALL
SELECT uid, node, min(at), nullif(end_time, 9e18), 'hw_down', 2
FROM (SELECT uid, node, at, min(coalesce((SELECT min(u.at) FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeReady' AND u.at >= e.at), 9e18),
                                coalesce((SELECT min(up.ready_time) FROM kube_states AS up WHERE up.uid = e.uid AND up.ready = 'True' AND up.ready_time >= e.at), 9e18)) AS end_time
      FROM kube_node_events AS e WHERE reason = 'NodeNotReady')
GROUP BY uid, end_time
UNION ALL
SELECT uid, node, cordoned, (SELECT heard FROM kube_states AS later WHERE later.uid = s.uid AND later.unschedulable = 0 AND later.seen > s.seen ORDER BY later.seen LIMIT 1), kind, 3
FROM (SELECT uid, node, cordoned, max(seen) AS seen, coalesce(min(kind), 'maintenance') AS kind
      FROM kube_states LEFT JOIN kube_reasons AS r USING (seen) WHERE cordoned IS NOT NULL GROUP BY uid, cordoned) AS s
UNION ALL
SELECT uid, node, min(at), nullif(end_time, 9e18), 'maintenance', 4
FROM (SELECT uid, node, at, min(coalesce((SELECT min(u.at) FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeSchedulable' AND u.at >= e.at), 9e18),
                                coalesce((SELECT min(later.heard) FROM kube_states AS later WHERE later.uid = e.uid AND later.unschedulable = 0 AND later.heard > e.at), 9e18)) AS end_time
      FROM kube_node_events AS e WHERE reason = 'NodeNotSchedulable')
GROUP BY uid, end_time;
DROP TABLE IF EXISTS temp.kube_down;
CREATE TEMP TABLE kube_down AS
WITH deltas AS (
  SELECT uid, node, rank, kind, start_time AS at, 1 AS d FROM kube_out UNION ALL SELECT uid, node, rank, kind, end_time, -1 FROM kube_out WHERE end_time IS NOT NULL
),
steps AS (
  SELECT uid, node, rank, kind, at, sum(d) AS d
  FROM (SELECT * FROM deltas UNION ALL
        SELECT p.uid, p.node, p.rank, p.kind, e.at, 0 FROM (SELECT DISTINCT uid, node, rank, kind FROM kube_out) AS p JOIN (SELECT DISTINCT uid, at FROM deltas) AS e USING (uid))
  GROUP BY uid, rank, kind, at
),
active AS (SELECT uid, node, at, CASE WHEN sum(d) OVER (PARTITION BY uid, rank, kind ORDER BY at) > 0 THEN rank || kind END AS word FROM steps),
parts AS (SELECT uid, min(node) AS node, at, substr(min(word), 2) AS kind FROM active GROUP BY uid, at),
changes AS (SELECT *, lead(at) OVER later AS next, kind IS NOT lag(kind) OVER later AS new FROM parts WINDOW later AS (PARTITION BY uid ORDER BY at)),
runs AS (SELECT *, sum(new) OVER (PARTITION BY uid ORDER BY at ROWS UNBOUNDED PRECEDING) AS run FROM changes)
SELECT uid, node, min(at) AS start_time, iif(count(*) = count(next), max(next), NULL) AS end_time, kind FROM runs WHERE kind IS NOT NULL GROUP BY uid, run;
DROP TABLE kube_out;
DROP TABLE kube_node_events;
DROP TABLE kube_reasons;

-- What is out of service is what no pod holds: a pod on a node that does not answer holds its chips until it is
-- deleted, and Kubernetes waits for that.
DROP TABLE IF EXISTS temp.kube_occupied;
CREATE TEMP TABLE kube_occupied AS
SELECT h.node, coalesce(p.chips, h.chips) AS chips, coalesce(p.start_time, h.start_time) AS start_time, iif(p.uid IS NULL, h.end_time, p.end_time) AS end_time
FROM kube_held AS h LEFT JOIN kube_parts AS p ON p.uid = h.uid;
CREATE INDEX temp.kube_occupied_on ON kube_occupied(node);
DROP TABLE IF EXISTS temp.outages;
CREATE TEMP TABLE outages AS
WITH edges AS (
  SELECT d.rowid AS down, d.start_time AS at FROM kube_down AS d
  UNION
  SELECT d.rowid, e.at
  FROM kube_down AS d JOIN (SELECT node, start_time AS at FROM kube_occupied UNION SELECT node, end_time FROM kube_occupied) AS e USING (node)
  WHERE e.at > d.start_time AND (d.end_time IS NULL OR e.at < d.end_time)
),
parts AS (
  SELECT down, at AS start_time, lead(at) OVER (PARTITION BY down ORDER BY at) AS next FROM edges
)
SELECT n.pool, n.chips - coalesce((SELECT sum(h.chips) FROM kube_occupied AS h
                                   WHERE h.node = d.node AND h.start_time <= p.start_time AND (h.end_time IS NULL OR h.end_time > p.start_time)), 0) AS chips,
       p.start_time, coalesce(p.next, d.end_time, n.end_time) AS end_time, d.kind
FROM parts AS p JOIN kube_down AS d ON d.rowid = p.down JOIN kube_nodes AS n ON n.uid = d.uid;
DELETE FROM outages WHERE chips <= 0;

-- Chips that the device plugin has withdrawn (capacity has them, allocatable has not): from the first heartbeat that says so until
-- the first that says otherwise. What is out of service with its node is so already, and what pods hold is theirs.
DROP TABLE IF EXISTS temp.kube_withdrawn;
CREATE TEMP TABLE kube_withdrawn AS
WITH told AS (
  SELECT uid, node, withdrawn, coalesce(heard, ready_time, creationTimestamp) AS at, lag(withdrawn, 1, 0) OVER so_far AS before
  FROM kube_states
  WHERE uid IN (SELECT uid FROM kube_states WHERE withdrawn > 0)
  WINDOW so_far AS (PARTITION BY uid ORDER BY seen)
),
levels AS (
  SELECT uid, node, withdrawn, at AS start_time, lead(at) OVER (PARTITION BY uid ORDER BY at) AS end_time FROM told WHERE withdrawn <> before AND at IS NOT NULL
)
SELECT * FROM levels WHERE withdrawn > 0;
INSERT INTO outages(pool, chips, start_time, end_time, kind)
WITH edges AS (
  SELECT w.rowid AS row, w.start_time AS at FROM kube_withdrawn AS w
  UNION
  SELECT w.rowid, e.at
  FROM kube_withdrawn AS w JOIN (SELECT node, start_time AS at FROM kube_occupied UNION SELECT node, end_time FROM kube_occupied
                                 UNION SELECT node, start_time FROM kube_down UNION SELECT node, end_time FROM kube_down) AS e USING (node)
  WHERE e.at > w.start_time AND (w.end_time IS NULL OR e.at < w.end_time)
),
parts AS (
  SELECT row, at AS start_time, lead(at) OVER (PARTITION BY row ORDER BY at) AS next FROM edges
),
out_of_service AS (
  SELECT n.pool,
         min(w.withdrawn * n.share, n.chips - coalesce((SELECT sum(h.chips) FROM kube_occupied AS h
                                                        WHERE h.node = w.node AND h.start_time <= p.start_time AND (h.end_time IS NULL OR h.end_time > p.start_time)), 0)) AS chips,
         p.start_time, coalesce(p.next, w.end_time, n.end_time) AS end_time
  FROM parts AS p JOIN kube_withdrawn AS w ON w.rowid = p.row JOIN kube_nodes AS n ON n.uid = w.uid
  WHERE NOT EXISTS (SELECT 1 FROM kube_down AS d WHERE d.uid = w.uid AND d.start_time <= p.start_time AND (d.end_time IS NULL OR d.end_time > p.start_time))
)
SELECT pool, chips, start_time, end_time, 'hw_down' FROM out_of_service WHERE chips > 0 AND (end_time IS NULL OR end_time > start_time);

-- Until when the cluster was observed: the last time in an object, which the heartbeats of nodes keep within minutes.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT pool, (SELECT max(at) FROM (SELECT max(told) AS at FROM kube_told UNION ALL SELECT max(at) FROM kube_events)) AS until_time
FROM (SELECT pool FROM capacity UNION SELECT pool FROM allocations)
WHERE (SELECT max(told) FROM kube_told) > 0;

-- Events that add nothing, and why; those that happened at more times than the first and the last.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH words(about, reasons, why) AS (
  VALUES ('Pod', ' Scheduled FailedScheduling WaitingForGates NotTriggerScaleUp TriggeredScaleUp Nominated ', 'the pod itself says since when it waits and holds'),
         ('Pod', ' Pulling Pulled Created Started BackOff Failed Unhealthy ProbeWarning Killing FailedMount FailedAttachVolume SuccessfulAttachVolume FailedCreatePodSandBox FailedPostStartHook FailedPreStopHook SandboxChanged ErrImagePull OOMKilled ExceededGracePeriod FailedKillPod NetworkNotReady ', 'a pod holds its chips while its containers start, end and start again, and says how they ended'),
         ('Pod', ' Preempted Preempting Evicted EvictedByVPA DeadlineExceeded NodeControllerEviction NodeShutdown ', 'it is of a time before its pod held anything'),
         ('Node', ' NodeNotReady NodeReady NodeNotSchedulable NodeSchedulable ', 'the node has no chips, or its object denies it'),
         ('Pod', ' NodeNotReady TaintManagerEviction DeviceTaintManagerEviction ', 'the node or the pod says so'),
         ('Node', ' OOMKilling SystemOOM TaskHung ', 'it names no pod, and the node is in service'),
         ('Node', ' NodeHasSufficientMemory NodeHasNoDiskPressure NodeHasSufficientPID NodeHasInsufficientMemory NodeHasDiskPressure NodeAllocatableEnforced Starting Rebooted RegisteredNode RemovingNode DeletingNode Shutdown InvalidDiskCapacity ImageGCFailed EvictionThresholdMet CIDRAssignmentFailed ', 'a node is out of service while it is not ready or not schedulable')
),
unused AS (
  SELECT e.*, CASE WHEN NOT EXISTS (SELECT 1 FROM kube_last AS l WHERE l.kind = e.about AND l.name = e.name AND (e.about <> 'Pod' OR coalesce(e.uid, l.uid) = l.uid)) THEN 'no file has the object that they are about'
                   WHEN EXISTS (SELECT 1 FROM words AS w WHERE w.about = e.about AND instr(w.reasons, ' ' || e.reason || ' ')) THEN (SELECT w.why FROM words AS w WHERE w.about = e.about AND instr(w.reasons, ' ' || e.reason || ' '))
                   WHEN e.about IN ('Pod', 'Node') THEN 'mpg does not know these reasons' ELSE 'the objects themselves say so' END AS why
  FROM kube_events AS e WHERE NOT used
)
SELECT _file, 'info', 'unused_events', NULL, sum(n), 'events that add nothing: ' || group_concat(reasons || ': ' || why, '; ')
FROM (SELECT _file, why, sum(n) AS n, group_concat(about || ' ' || reason || ' (' || n || ')', ', ') AS reasons
      FROM (SELECT _file, why, coalesce(about, '?') AS about, reason, count(*) AS n FROM unused GROUP BY _file, why, about, reason ORDER BY about, reason) GROUP BY _file, why ORDER BY why) GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'between_samples', NULL, sum("count" - times), 'times between the first and the last of an event, the first of node ' || min(name) || ' (' || group_concat(DISTINCT reason) || '): when they were, no record says'
FROM (SELECT min(_file) AS _file, min(name) AS name, min(reason) AS reason, max("count") AS "count", count(*) AS times FROM kube_events WHERE used AND about = 'Node' GROUP BY event HAVING max("count") > count(*))
GROUP BY _file;

-- Without nodes nothing tells when a listing was made, but the objects that came last.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'not_observed', NULL, count(*), 'pods that run, the first ' || min(job) || ', and no heartbeat of a node that says until when: list the nodes too, or give as_of'
FROM allocations WHERE end_time IS NULL AND task IS NOT NULL AND NOT EXISTS (SELECT 1 FROM kube_objects WHERE kind = 'Node' AND instr(conditions, 'lastHeartbeatTime')) GROUP BY NULL;
-- Jobs that ran in pods that nobody saw: their chips look idle.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'missing_pods', NULL, count(*), 'jobs that ran to their end in pods that no file has, the first ' || min(job) || ': what they held counts as idle'
FROM (SELECT job FROM kube_last WHERE kind NOT IN ('Pod', 'Workload', 'Node') AND namespace || '/' || name = job AND outcome IN ('completed', 'failed') AND chips > 0
      AND coalesce(startTime, started, creationTimestamp) < coalesce(completionTime, finished)
      AND job NOT IN (SELECT job FROM allocations WHERE chips > 0) GROUP BY job) GROUP BY NULL;

-- ---- 9. What else a job goes by: the names of its pods, alone and with the namespace, and its objects' UIDs ----

DROP TABLE IF EXISTS temp.aliases;
CREATE TEMP TABLE aliases AS
WITH named AS MATERIALIZED (SELECT DISTINCT job, uid, kind, namespace, name FROM kube_last WHERE job IN (SELECT job FROM jobs))
SELECT job, uid AS alias FROM named WHERE uid <> job
UNION ALL
SELECT job, name FROM named WHERE kind = 'Pod'
UNION ALL
SELECT job, namespace || '/' || name FROM named WHERE kind = 'Pod' AND namespace || '/' || name <> job;

-- ---- 10. Tables that are no longer needed ----

DROP TABLE kube_withdrawn;
DROP TABLE kube_down;
DROP TABLE kube_states;
DROP TABLE kube_admitted;
DROP TABLE kube_attempts;
DROP TABLE kube_evictions;
DROP TABLE kube_occupied;
DROP TABLE kube_parts;
DROP TABLE kube_sharing;
DROP TABLE kube_shared;
DROP TABLE kube_held;
DROP TABLE kube_nodes;
DROP TABLE kube_claimed;
DROP TABLE kube_every;
DROP TABLE kube_asked;
DROP TABLE kube_given;
DROP TABLE kube_devices;
DROP TABLE kube_drivers;
DROP TABLE kube_products;
DROP TABLE kube_last;
DROP TABLE kube_anew;
DROP TABLE kube_gone;
DROP TABLE kube_covered;
DROP TABLE kube_listings;
DROP TABLE kube_told;
DROP TABLE kube_rays;
DROP TABLE kube_ends;
DROP TABLE kube_events;
DROP TABLE kube_objects;
