-- kube/inputs.sql - the input: every version of every object, and what metrics tell beside objects.
--
-- Reads kube_trace and, if there are metrics, kube_state_objects. Makes kube_objects, every version of every object, and kube_beside, which
-- of them metrics tell of an object that is there as well.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS kube_state_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp,
    owner_kind, owner_name, job, phase, reason, nodeName, pool, product,
                                                   resource, chips, min_chips, allocatable, share, scheduled, ready, ready_time, finished,
                                                   outcome, unschedulable, spec, conditions, labels, _file);
CREATE TEMP TABLE IF NOT EXISTS kube_objects AS
SELECT *, _file FROM kube_trace(iif(EXISTS (SELECT 1 FROM kube_state_objects), :kube, mpg_required(:kube, ':kube')));

UPDATE kube_objects SET uid = coalesce(namespace || '/', '') || name WHERE uid IS NULL;

-- If metrics tell of an object as well, the object counts: it says when. Of the object, its last version; until when its file tells of
-- anything; and since when a watch tells of it. What metrics tell of another time counts: states of a node before a watch of it began, of
-- one that was only listed at any time, and what became of the others after their file was made. A pod of another uid, or a node of an
-- earlier time, is another one.
DROP TABLE IF EXISTS temp.kube_newest;
CREATE TEMP TABLE kube_newest AS
WITH told AS (
  SELECT o.rowid AS version, _file, kind, coalesce(namespace, '') AS namespace, name, uid, event, creationTimestamp, resourceVersion,
         finished, deletionTimestamp,
         max(coalesce(creationTimestamp, 0), coalesce(scheduled, 0), coalesce(ready_time, 0),
             coalesce((SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER))
                       FROM json_each(CASE kind WHEN 'Node' THEN conditions END)), 0)) AS told
  FROM (SELECT 1 FROM kube_state_objects LIMIT 1) CROSS JOIN kube_objects AS o WHERE event IS NOT 'BOOKMARK'
),
ranked AS (
  SELECT *, max(told) OVER (PARTITION BY _file) AS made, min(iif(event IS NULL, NULL, told)) OVER of_it AS watched,
         row_number() OVER (PARTITION BY kind, uid ORDER BY CAST(resourceVersion AS INTEGER) DESC, version DESC) AS age
  FROM told WINDOW of_it AS (PARTITION BY kind, uid)
)
SELECT * FROM ranked WHERE age = 1 AND (kind, namespace, name) IN (SELECT kind, coalesce(namespace, ''), name FROM kube_state_objects);
CREATE INDEX temp.kube_newest_of ON kube_newest(kind, namespace, name);
DROP TABLE IF EXISTS temp.kube_twice;
CREATE TEMP TABLE kube_twice AS
SELECT s.row, s.kind, s.at, (SELECT n.version FROM kube_newest AS n
                  WHERE n.kind = s.kind AND n.namespace = coalesce(s.namespace, '') AND n.name = s.name
                    AND CASE s.kind WHEN 'Node' THEN coalesce(n.creationTimestamp <= s.at, 1)
                                    WHEN 'Pod' THEN n.uid = s.uid OR s.uid GLOB s.namespace || '/*'
                                                AND coalesce(s.finished > n.creationTimestamp, 1)
                                    ELSE 1 END
                  ORDER BY n.creationTimestamp DESC LIMIT 1) AS version
FROM (SELECT rowid AS row, *, CAST(strftime('%s', json_extract(conditions, '$[0].lastHeartbeatTime')) AS INTEGER) AS at
      FROM kube_state_objects) AS s
WHERE version IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'info', 'told_twice', NULL, count(*),
       'metrics of ' || min(kind || ' ' || name)
         || ' and others that are there as objects: the objects count, and of other times the metrics'
FROM kube_state_objects WHERE rowid IN (SELECT row FROM kube_twice) GROUP BY NULL;
DROP TABLE IF EXISTS temp.kube_beside;
CREATE TEMP TABLE kube_beside AS
SELECT (SELECT coalesce(max(rowid), 0) FROM kube_objects) + row_number() OVER (ORDER BY t.row) AS version, t.row, t.version AS newest, n.uid
FROM kube_twice AS t CROSS JOIN kube_newest AS n ON n.version = t.version CROSS JOIN kube_state_objects AS s ON s.rowid = t.row
WHERE CASE t.kind WHEN 'Node' THEN iif(t.at > n.made, n.event IS NOT 'DELETED', s.event <> 'DELETED' AND coalesce(t.at < n.watched, 1))
                  ELSE s.finished > n.made AND n.finished IS NULL AND n.deletionTimestamp IS NULL AND n.event IS NOT 'DELETED' END;
INSERT INTO kube_objects SELECT o.* FROM kube_beside AS b CROSS JOIN kube_objects AS o ON o.rowid = b.newest ORDER BY b.row;
UPDATE kube_objects
SET event = iif(s.event = 'DELETED', s.event, 'MODIFIED'), _file = s._file, ready = iif(s.kind = 'Node', s.ready, kube_objects.ready),
    ready_time = iif(s.kind = 'Node', s.ready_time, kube_objects.ready_time), unschedulable = s.unschedulable,
    allocatable = iif(s.kind = 'Node', kube_objects.chips - (s.chips - coalesce(s.allocatable, s.chips)) * kube_objects.chips / s.chips,
                      kube_objects.allocatable),
    spec = iif(s.kind = 'Node', s.spec, kube_objects.spec), conditions = coalesce(s.conditions, kube_objects.conditions),
    scheduled = coalesce(kube_objects.scheduled, s.scheduled), nodeName = coalesce(kube_objects.nodeName, s.nodeName),
    finished = s.finished, outcome = s.outcome, phase = s.phase, reason = s.reason, deletionTimestamp = s.deletionTimestamp
FROM kube_beside AS b CROSS JOIN kube_state_objects AS s ON s.rowid = b.row WHERE b.version = kube_objects.rowid;
-- Versions of a node that both tell are in the order of their time.
UPDATE kube_objects SET resourceVersion = n.nth
FROM (SELECT o.rowid AS version, row_number() OVER (PARTITION BY o.uid ORDER BY coalesce(
               (SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER))
                FROM json_each(o.conditions)), o.ready_time, o.creationTimestamp), CAST(o.resourceVersion AS INTEGER), o.rowid) AS nth
      FROM kube_objects AS o WHERE kind = 'Node' AND uid IN (SELECT uid FROM kube_beside)) AS n
WHERE n.version = kube_objects.rowid;
INSERT INTO kube_objects(event, apiVersion, kind, namespace, name, uid, creationTimestamp, deletionTimestamp, owner_kind, owner_name, job,
                         phase, reason, nodeName, pool, product,
                         resource, chips, min_chips, allocatable, share, scheduled, ready, ready_time, finished, outcome, unschedulable,
                         spec, conditions, labels, _file, resourceVersion)
SELECT *, rowid FROM kube_state_objects WHERE rowid NOT IN (SELECT row FROM kube_twice) ORDER BY rowid; -- in the order of time
DROP TABLE kube_twice;
DROP TABLE kube_newest;
DROP TABLE kube_state_objects;
