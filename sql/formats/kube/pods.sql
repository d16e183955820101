-- kube/pods.sql - nodes, with pool, chip and number of chips; and pods, with what they hold and from when to when.
--
-- Reads kube_objects, kube_last, kube_events, kube_products and the tables of claims. Makes kube_nodes, kube_ends, kube_held and
-- kube_parts, the shares of devices that several pods hold.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 3. Nodes ----

-- A node that went to another pool, or whose devices are shared in another way than before: each state counts from the first heartbeat
-- that shows it. A version without the label is of the pool that the next one names.
DROP TABLE IF EXISTS temp.kube_periods;
CREATE TEMP TABLE kube_periods AS
WITH labelled AS (
  SELECT rowid AS version, uid,
         coalesce(json_extract(labels, '$."' || :pool || '"'),
                  iif(json_extract(labels, '$."node.kubernetes.io/instance-type"') = pool, NULL, pool)) AS pool,
         iif(chips > 0, share || coalesce(substr(product, nullif(instr(product, '-MIG-'), 0)), ''), NULL) AS share,
         row_number() OVER (PARTITION BY uid ORDER BY CAST(resourceVersion AS INTEGER), rowid) AS nth
  FROM kube_objects WHERE kind = 'Node' AND event IS NOT 'BOOKMARK'
),
moved AS (
  SELECT * FROM labelled WHERE uid
      IN (SELECT uid FROM labelled GROUP BY uid HAVING (min(pool) < max(pool) OR min(share) < max(share)) AND count(share))
),
runs AS (
  SELECT *, count(pool) OVER later AS pools, count(pool) OVER so_far AS pools_before, count(share) OVER later AS shares,
         count(share) OVER so_far AS shares_before FROM moved
  WINDOW later AS (PARTITION BY uid ORDER BY nth DESC), so_far AS (PARTITION BY uid ORDER BY nth)
),
filled AS (
  SELECT version, uid, nth, coalesce(max(pool) OVER (PARTITION BY uid, pools), max(pool) OVER (PARTITION BY uid, pools_before)) AS pool,
         coalesce(max(share) OVER (PARTITION BY uid, shares), max(share) OVER (PARTITION BY uid, shares_before)) AS share FROM runs
)
SELECT version, uid, pool, sum(new) OVER (PARTITION BY uid ORDER BY nth) AS period, new
FROM (SELECT *, pool IS NOT lag(pool) OVER so_far OR share IS NOT lag(share) OVER so_far AS new
      FROM filled WINDOW so_far AS (PARTITION BY uid ORDER BY nth));
CREATE UNIQUE INDEX temp.kube_period_of ON kube_periods(version);

-- GPU feature discovery adds to a product's name how it is shared. A node's devices count as their share of a chip. Installed is the most
-- that any version has of a share and size, for a plugin that starts anew shows only those that work; of mixed slices what the last has.
DROP TABLE IF EXISTS temp.kube_nodes;
CREATE TEMP TABLE kube_nodes AS
WITH versions AS (
  SELECT *, max(iif(whole, chips, 0)) OVER (PARTITION BY uid, share, substr(product, nullif(instr(product, '-MIG-'), 0))) AS most,
         row_number() OVER (PARTITION BY uid, period ORDER BY CAST(resourceVersion AS INTEGER) DESC, version DESC) AS age
  FROM (SELECT o.*, o.rowid AS version, instr(coalesce(resources, ''), '/mig-') = 0 AS whole, coalesce(k.period, 1) AS period,
               k.pool AS place
        FROM kube_objects AS o LEFT JOIN kube_periods AS k ON k.version = o.rowid
        WHERE kind = 'Node' AND chips > 0 AND event IS NOT 'BOOKMARK')
),
named AS (
  SELECT *, iif(whole, most, chips) AS units, CASE WHEN instr(product, '-MIG-') THEN substr(product, 1, instr(product, '-MIG-') - 1)
                 WHEN product LIKE '%-SHARED' THEN substr(product, 1, length(product) - 7)
                 WHEN product GLOB 'ml.*.*[a-z]*' THEN substr(product, 4, instr(substr(product, 4), '.') - 1) -- SageMaker HyperPod's
                 WHEN product GLOB '*.*[a-z]*' AND substr(product, 1, instr(product, '.')) GLOB '*[0-9]*' THEN substr(product, 1, instr(product, '.') - 1)
                 ELSE product END AS model
  FROM versions
  WHERE age = 1
),
begun AS (SELECT k.uid, k.period, t.told AS at FROM kube_periods AS k JOIN kube_told AS t USING (version) WHERE new)
SELECT name AS node, uid, period, coalesce(place, json_extract(labels, '$."' || :pool || '"'), pool, 'kubernetes') AS pool,
       coalesce(chip, model) AS chip,
       round(units * share, iif(abs(units * share - round(units * share)) < 1e-4, 0, 5)) AS chips, share, whole, units,
       iif(period = min(period) OVER (PARTITION BY uid), creationTimestamp, b.at) AS start_time,
       iif(period = min(period) OVER (PARTITION BY uid), NULL, b.at) AS moved,
       (SELECT nullif(max(max(coalesce(CAST(strftime('%s',
                                                     json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER),
                                       0)), max(coalesce(CAST(strftime('%s',
                                                                       json_extract(iif(type = 'object', value, '{}'),
                                                                                    '$.lastTransitionTime')) AS INTEGER), 0)),
                   coalesce((SELECT min(e.at) FROM kube_events AS e
                             WHERE e.about = 'Node' AND e.reason = 'RemovingNode' AND e.name = named.name
                               AND e.at > named.creationTimestamp), 0)), 0)
        FROM kube_last AS l, json_each(l.conditions) WHERE l.kind = 'Node' AND l.uid = named.uid AND l.event = 'DELETED') AS end_time
FROM named LEFT JOIN kube_products ON model GLOB kube_products.product LEFT JOIN begun AS b USING (uid, period);
UPDATE kube_events SET used = 1
WHERE about = 'Node' AND reason = 'RemovingNode'
  AND EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = kube_events.name AND n.end_time = kube_events.at);
UPDATE kube_nodes SET end_time = n.next
FROM (SELECT rowid AS row, lead(start_time) OVER (PARTITION BY uid ORDER BY period) AS next FROM kube_nodes) AS n
WHERE n.row = kube_nodes.rowid AND next IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(_file), 'warning', 'unused_option', NULL, 1,
       'option "pool": no node has the label ' || :pool || ': pools are by the labels that the page names'
FROM kube_objects WHERE :pool IS NOT NULL AND kind = 'Node' GROUP BY NULL HAVING max(json_extract(labels, '$."' || :pool || '"')) IS NULL;
CREATE INDEX temp.kube_node ON kube_nodes(node);
CREATE UNIQUE INDEX temp.kube_node_by ON kube_nodes(uid, period);

-- A node is gone if another one of its name was made after its last heartbeat, though nothing shows its end. Two of one name that are
-- there at once are of two clusters.
UPDATE kube_nodes SET end_time = t.heard
FROM (SELECT uid, max(told) AS heard FROM kube_told WHERE kind = 'Node' GROUP BY uid) AS t
WHERE t.uid = kube_nodes.uid AND end_time IS NULL
  AND EXISTS (SELECT 1 FROM kube_nodes AS n
              WHERE n.node = kube_nodes.node AND n.uid <> kube_nodes.uid AND n.start_time >= t.heard
                AND n.start_time > kube_nodes.start_time);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'conflict', NULL, count(DISTINCT a.node),
       'nodes of one name that are there at once, the first ' || min(a.node)
         || ': each counts, and pods are on one of them. Read one cluster at a time'
FROM kube_nodes AS a JOIN kube_nodes AS b ON b.node = a.node AND b.uid > a.uid AND coalesce(b.end_time, 9e18) > coalesce(a.start_time, 0)
  AND coalesce(a.end_time, 9e18) > coalesce(b.start_time, 0) GROUP BY NULL;

-- ---- 4. Pods that were given a node: what they hold, from then until their containers ended ----

-- What events say of the end of a pod: the reason, if the pod is gone or failed without one of its own, and the time, if nothing else has
-- it.
DROP TABLE IF EXISTS temp.kube_ends;
CREATE TEMP TABLE kube_ends AS
WITH words(reason, outcome, says) AS (
  VALUES ('Preempted', 'preempted', '%'), ('Preempting', 'preempted', '%'), ('Evicted', 'preempted', '%'),
    ('EvictedByVPA', 'preempted', '%'), ('DeadlineExceeded', 'timeout', '%'),
         ('Evict', 'preempted', '%'), ('TaintManagerEviction', 'node_fail', '%marking for deletion%'),
    ('NodeControllerEviction', 'node_fail', '%'), ('NodeShutdown', 'node_fail', '%'),
         ('DeviceTaintManagerEviction', 'node_fail', '%marking for deletion%'), ('Killing', NULL, '%stopping container%')
)
SELECT p.uid, min(e.at) AS at,
       (SELECT w.outcome FROM kube_events AS f JOIN words AS w ON w.reason = f.reason AND coalesce(f.message, w.says) LIKE w.says
        WHERE f.about = 'Pod' AND f.name = p.name AND f.namespace = p.namespace AND coalesce(f.uid, p.uid) = p.uid AND w.outcome IS NOT NULL
        ORDER BY f.at DESC LIMIT 1) AS outcome, max(w.outcome) FILTER (WHERE e.reason = 'Evict') AS evicted
FROM (SELECT about, namespace, name, uid, reason, message, at FROM kube_events
      UNION ALL -- a group of pods that KAI or Volcano evicts: its pods that were deleted then
      SELECT 'Pod', p.namespace, p.name, p.uid, e.reason, e.message, e.at FROM kube_events AS e
      JOIN kube_last AS p ON p.kind = 'Pod' AND p.namespace = e.namespace
        AND coalesce(json_extract(p.annotations, '$."pod-group-name"'), json_extract(p.annotations, '$."scheduling.k8s.io/group-name"'))
        = e.name
       AND p.deletionTimestamp BETWEEN e.at AND e.at + 60 + coalesce(json_extract(p.spec, '$.terminationGracePeriodSeconds'), 30)
      WHERE e.about = 'PodGroup' AND e.reason = 'Evict') AS e
JOIN words AS w ON w.reason = e.reason AND coalesce(e.message, w.says) LIKE w.says
JOIN kube_last AS p ON p.kind = 'Pod' AND p.name = e.name AND p.namespace = e.namespace AND coalesce(e.uid, p.uid) = p.uid
  AND e.at >= coalesce(p.scheduled, p.startTime, p.started, p.creationTimestamp, e.at)
WHERE e.about = 'Pod'
GROUP BY p.uid;
CREATE UNIQUE INDEX temp.kube_ends_of ON kube_ends(uid);
UPDATE kube_events SET used = 1
WHERE about = 'Pod' AND (reason
                             IN ('Preempted', 'Preempting', 'Evict', 'Evicted', 'EvictedByVPA', 'DeadlineExceeded',
                                 'NodeControllerEviction', 'NodeShutdown')
                         OR (reason IN ('TaintManagerEviction', 'DeviceTaintManagerEviction')
                             AND coalesce(message, '') NOT LIKE '%cancelling%')
                             OR (reason = 'Killing' AND coalesce(message, '') LIKE '%stopping container%'))
  AND EXISTS (SELECT 1 FROM kube_last AS p JOIN kube_ends AS d ON d.uid = p.uid
              WHERE p.kind = 'Pod' AND p.name = kube_events.name AND p.namespace = kube_events.namespace
                AND coalesce(kube_events.uid, p.uid) = p.uid);
UPDATE kube_events SET used = 1
WHERE about = 'PodGroup' AND reason = 'Evict' AND EXISTS (SELECT 1 FROM kube_ends WHERE evicted IS NOT NULL);

DROP TABLE IF EXISTS temp.kube_whereabouts;
CREATE TEMP TABLE kube_whereabouts AS -- of several nodes of one name that of its time
SELECT version, coalesce((SELECT n.rowid FROM kube_nodes AS n
                          WHERE n.node = p.nodeName AND coalesce(n.start_time, 0) <= begun ORDER BY n.start_time DESC LIMIT 1),
                         (SELECT n.rowid FROM kube_nodes AS n WHERE n.node = p.nodeName ORDER BY n.start_time LIMIT 1)) AS node
FROM (SELECT version, nodeName, coalesce(scheduled, startTime, started, creationTimestamp, 0) AS begun
      FROM kube_last WHERE kind = 'Pod' AND chips > 0 AND nodeName IS NOT NULL) AS p;
CREATE UNIQUE INDEX temp.kube_whereabouts_of ON kube_whereabouts(version);
DROP TABLE IF EXISTS temp.kube_held;
CREATE TEMP TABLE kube_held AS
SELECT p.job, p.name AS task, p.uid, p.nodeName AS node,
       coalesce(n.pool, json_extract(p.spec, '$.nodeSelector."cloud.google.com/gke-nodepool"'), 'kubernetes') AS pool,
       round(p.chips * coalesce(p.share, n.share, 1), 6) AS chips, p.chips AS units,
       coalesce(p.scheduled, p.startTime, p.started, p.creationTimestamp) AS start_time,
       CASE
         WHEN p.phase IN ('Succeeded', 'Failed')
              THEN coalesce(p.finished, (SELECT max(CAST(strftime('%s', json_extract(value, '$.lastTransitionTime')) AS INTEGER))
                                         FROM json_each(p.conditions)
                                                   WHERE type = 'object' AND json_extract(value, '$.type') = 'DisruptionTarget'
                                           AND json_extract(value, '$.status') = 'True'),
                             iif(p.phase = 'Failed', d.at, NULL), p.ready_time, p.deletionTimestamp, p.started, p.startTime, p.scheduled,
                             p.creationTimestamp)
         WHEN p.deletionTimestamp IS NOT NULL AND p.finished IS NOT NULL THEN p.finished -- whatever its phase: no container starts again
         WHEN p.event = 'DELETED' THEN coalesce(p.finished, p.deletionTimestamp, d.at, p.gone,
                                                (SELECT max(coalesce(t.before, 0), t.told) FROM kube_told AS t WHERE t.version = p.version),
                                                p.ready_time, p.started, p.startTime, p.scheduled, p.creationTimestamp)
       END AS end_time,
       CASE WHEN p.outcome IN ('failed', 'cancelled')
              OR (p.outcome IS NULL AND p.event = 'DELETED') THEN coalesce(d.outcome, d.evicted, p.outcome) ELSE p.outcome END AS outcome,
       p.deletionTimestamp
FROM kube_last AS p JOIN kube_whereabouts AS w USING (version) LEFT JOIN kube_ends AS d ON d.uid = p.uid
     LEFT JOIN kube_nodes AS n ON n.rowid = w.node
WHERE p.kind = 'Pod' AND p.chips > 0 AND p.nodeName IS NOT NULL;
DROP TABLE kube_whereabouts;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT max(_file) FROM kube_objects AS o
        WHERE o.rowid = (SELECT version FROM kube_last AS l WHERE l.kind = 'Pod' AND l.uid = kube_held.uid)),
       'data_loss', 'end_before_start', NULL, 1, 'pod ' || job || ' (' || task || ') ended before it started: it holds nothing'
FROM kube_held WHERE end_time < start_time;
UPDATE kube_held SET end_time = start_time WHERE end_time < start_time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', NULL, count(*),
       'containers of pods that finished before they started, the first of ' || min(namespace || '/' || name)
         || ': the pods held chips until then'
FROM kube_last WHERE kind = 'Pod' AND chips > 0 AND finished < started AND finished >= coalesce(scheduled, startTime, finished)
GROUP BY _file;
-- A pod that was deleted and does not say when: at the last time that its watch told of before.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p._file, 'warning', 'missing_end', NULL, count(*),
       'pods that were deleted, the first ' || min(p.namespace || '/' || p.name)
         || ', and nothing that says when: they held chips at least until the last time before in the watch'
FROM kube_last AS p JOIN kube_held USING (uid)
WHERE p.kind = 'Pod' AND p.event = 'DELETED' AND coalesce(p.phase, '') NOT IN ('Succeeded', 'Failed')
  AND coalesce(p.finished, p.deletionTimestamp, p.gone) IS NULL AND p.uid NOT IN (SELECT uid FROM kube_ends)
GROUP BY p._file;
-- A device plugin that shares GPUs in time calls them .shared; how many of them are one GPU the labels of the node say alone.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', NULL, count(DISTINCT uid),
       'each ' || min(resource) || ' of ' || min(kind || ' ' || coalesce(namespace || '/', '') || name)
         || iif(count(DISTINCT uid) > 1, ' and others', '')
       || ' counts as a whole GPU: no node has the label nvidia.com/gpu.replicas'
FROM (SELECT *, kind = 'Pod' AS is_pod, max(kind = 'Pod') OVER (PARTITION BY _file) AS has_pods FROM kube_last AS l
      WHERE kind IN ('Pod', 'Node') AND chips > 0 AND resource GLOB '*.shared'
        AND NOT EXISTS (SELECT 1 FROM kube_nodes AS n
                        WHERE n.node = coalesce(l.nodeName, iif(l.kind = 'Node', l.name, n.node)) AND n.share < 1))
WHERE is_pod = has_pods GROUP BY _file;
CREATE INDEX temp.kube_held_on ON kube_held(node);
CREATE INDEX temp.kube_held_by ON kube_held(uid);
-- A node is there as long as its pods hold its chips, for its heartbeats are minutes apart, and stop when it dies.
UPDATE kube_nodes SET end_time = l.ended
FROM (SELECT n.rowid AS row, min(max(h.end_time),
                                 coalesce((SELECT min(m.start_time)
                                           FROM kube_nodes AS m WHERE m.node = n.node AND m.start_time >= n.end_time), 9e18)) AS ended
      FROM kube_nodes AS n JOIN kube_held AS h ON h.node = n.node AND h.end_time > n.end_time
        AND h.start_time BETWEEN coalesce(n.start_time, 0) AND n.end_time GROUP BY n.rowid) AS l
WHERE l.row = kube_nodes.rowid;

-- A claim that several pods share counts in equal parts for the pods that hold it at the same time: what a pod holds changes when another
-- one comes or goes. kube_held has the least of it.
DROP TABLE IF EXISTS temp.kube_shared;
CREATE TEMP TABLE kube_shared AS
SELECT c.uid, c.namespace, c.named, c.chips, h.start_time, h.end_time
FROM kube_claimed AS c JOIN kube_held AS h USING (uid) WHERE c.named IS NOT NULL;
CREATE INDEX temp.kube_shared_by ON kube_shared(uid);
DROP TABLE IF EXISTS temp.kube_sharing;
CREATE TEMP TABLE kube_sharing AS
WITH steps AS (
  SELECT namespace, named, start_time AS at, 1 AS pods FROM (SELECT DISTINCT uid, namespace, named, start_time, end_time FROM kube_shared)
  WHERE end_time IS NOT start_time
  UNION ALL
  SELECT namespace, named, end_time, -1 FROM (SELECT DISTINCT uid, namespace, named, start_time, end_time FROM kube_shared)
  WHERE end_time > start_time
)
SELECT namespace, named, at, sum(sum(pods)) OVER (PARTITION BY namespace, named ORDER BY at) AS pods
FROM steps GROUP BY namespace, named, at;
CREATE INDEX temp.kube_sharing_of ON kube_sharing(namespace, named, at);
DROP TABLE IF EXISTS temp.kube_parts;
CREATE TEMP TABLE kube_parts AS
WITH edges AS (
  SELECT uid, start_time AS at FROM kube_shared
  UNION
  SELECT m.uid, s.at
  FROM kube_shared AS m CROSS JOIN kube_sharing AS s ON s.namespace = m.namespace AND s.named = m.named AND s.at > m.start_time
    AND s.at < coalesce(m.end_time, 9e18)
),
parts AS (
  SELECT uid, at AS start_time, lead(at) OVER (PARTITION BY uid ORDER BY at) AS next FROM edges
)
SELECT uid, start_time, end_time, others, round(whole - others, 6) AS chips
FROM (
  SELECT p.uid, p.start_time, coalesce(p.next, h.end_time) AS end_time, h.chips AS whole,
         (SELECT sum(m.chips * (1 - 1.0
                                  / max(1, coalesce((SELECT s.pods
                                                     FROM kube_sharing AS s WHERE s.namespace = m.namespace AND s.named = m.named
                                                       AND s.at <= p.start_time
                                                      ORDER BY s.at DESC LIMIT 1), 1))))
          FROM kube_shared AS m WHERE m.uid = p.uid) AS others
  FROM parts AS p JOIN kube_held AS h USING (uid));
CREATE INDEX temp.kube_parts_of ON kube_parts(uid);
UPDATE kube_held SET (chips, units)
  = (SELECT round(kube_held.chips - max(others), 6), round(kube_held.units - max(others), 6)
     FROM kube_parts AS p WHERE p.uid = kube_held.uid)
WHERE uid IN (SELECT uid FROM kube_parts);
UPDATE kube_last SET (chips, min_chips)
  = (SELECT units, iif((SELECT min(p.chips) < max(p.chips) FROM kube_parts AS p WHERE p.uid = h.uid), units, NULL)
     FROM kube_held AS h WHERE h.uid = kube_last.uid)
WHERE kind = 'Pod' AND uid IN (SELECT uid FROM kube_parts);
-- A pod that seems to run still has an end that nothing tells, if its node had more pods than chips since, if its deadline or deletion is
-- an hour before the last time of its file, or if its node is gone.
DROP TABLE IF EXISTS temp.kube_unended;
CREATE TEMP TABLE kube_unended AS
SELECT h.uid, h.node, h.start_time, h.chips, p.version, p._file, p.namespace || '/' || p.name AS pod,
       h.start_time + json_extract(p.spec, '$.activeDeadlineSeconds') AS due, p.deletionTimestamp AS deletion
FROM kube_held AS h JOIN kube_last AS p ON p.kind = 'Pod' AND p.uid = h.uid WHERE h.end_time IS NULL AND p.phase IN ('Running', 'Pending');
DROP TABLE IF EXISTS temp.kube_full;
CREATE TEMP TABLE kube_full AS -- the last time at which pods held more than their node has
WITH edges AS (
  SELECT node, start_time AS at, chips AS d FROM kube_held
  WHERE node IN (SELECT node FROM kube_unended) UNION ALL
  SELECT node, end_time, -chips FROM kube_held WHERE end_time IS NOT NULL AND node IN (SELECT node FROM kube_unended)
)
SELECT node, max(at) AS at FROM (SELECT node, at, sum(sum(d)) OVER (PARTITION BY node ORDER BY at) AS now FROM edges GROUP BY node, at) AS e
WHERE now > (SELECT max(n.chips) FROM kube_nodes AS n WHERE n.node = e.node) + 1e-4 GROUP BY node;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', NULL, count(*),
       'pod ' || min(pod) || ' runs though ' || min(why)
         || ': it is held until the last time of the objects. Is the end of a watch missing?'
FROM (SELECT u.*, CASE WHEN due + 3600 < (SELECT max(told) FROM kube_told) THEN 'its deadline is over'
                       WHEN deletion + 3600 < (SELECT max(told) FROM kube_told) THEN 'it was to be deleted'
                       WHEN EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = u.node)
                         AND NOT EXISTS (SELECT 1 FROM kube_nodes AS n WHERE n.node = u.node AND n.end_time IS NULL) THEN 'its node is gone'
                       WHEN EXISTS (SELECT 1 FROM kube_full AS k WHERE k.node = u.node AND k.at > u.start_time)
                         THEN 'later pods of its node hold all its chips' END AS why
      FROM kube_unended AS u)
WHERE why IS NOT NULL GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT p._file, 'info', 'vanished_pod', NULL, count(*),
       'pods that later listings or watches show no more, the first ' || min(p.namespace || '/' || p.name)
         || ': they ended when they were last seen'
FROM kube_last AS p
WHERE p.kind = 'Pod' AND p.gone > 0 AND p.phase = 'Running' AND p.uid IN (SELECT uid FROM kube_held) GROUP BY p._file;
DROP TABLE kube_full;
DROP TABLE kube_unended;
