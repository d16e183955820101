-- kube/capacity.sql - capacity and outages.
--
-- Reads kube_objects, kube_events, kube_last, kube_nodes, kube_held, and the user's table outage_reasons. Makes the relations capacity and
-- outages. A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 8. Capacity and outages ----

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT pool, chip, sum(chips) AS chips, start_time, end_time
FROM kube_nodes WHERE end_time IS NULL OR coalesce(start_time, end_time - 1) < end_time
GROUP BY pool, chip, start_time, end_time;

-- What every version of a node reported, in the order of the versions, whatever the order of their files: whether it was ready, since when
-- it was cordoned, when it was last heard of.
DROP TABLE IF EXISTS temp.kube_states;
CREATE TEMP TABLE kube_states AS
SELECT uid, name AS node, rowid AS seen, row_number() OVER (PARTITION BY uid ORDER BY CAST(resourceVersion AS INTEGER), rowid) AS nth,
       ready, ready_time, unschedulable, creationTimestamp,
       CASE WHEN coalesce(chips, 0) = 0 OR instr(coalesce(resources, ''), '/mig-') = 0
            THEN (SELECT iif(n.whole OR coalesce(o.chips, 0) = 0, n.units, o.chips)
                  FROM kube_nodes AS n LEFT JOIN kube_periods AS k ON k.version = o.rowid
                  WHERE n.uid = o.uid AND (n.moved IS NULL OR n.period <= k.period) ORDER BY n.period DESC LIMIT 1)
              - coalesce(min(chips, coalesce(allocatable, chips)), 0)
            ELSE max(0, chips - coalesce(allocatable, chips)) END AS withdrawn,
       sum(coalesce(unschedulable, 0) = 0) OVER (PARTITION BY uid
                                                 ORDER BY CAST(resourceVersion AS INTEGER), rowid ROWS UNBOUNDED PRECEDING) AS run,
       (SELECT CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.timeAdded')) AS INTEGER)
        FROM json_each(spec, '$.taints')
        WHERE json_extract(iif(type = 'object', value, '{}'), '$.key') = 'node.kubernetes.io/unschedulable') AS cordoned,
       (SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER))
        FROM json_each(conditions)) AS heard
FROM kube_objects AS o
WHERE kind = 'Node' AND uid IN (SELECT uid FROM kube_nodes);
-- A taint without its time: since the first heartbeat of those in a row that show the node cordoned.
DROP TABLE IF EXISTS temp.kube_cordoned;
CREATE TEMP TABLE kube_cordoned AS
SELECT uid, run, min(coalesce(heard, creationTimestamp)) AS at, min(node) AS node, max(cordoned) AS told
FROM kube_states WHERE unschedulable = 1 GROUP BY uid, run;
UPDATE kube_states SET cordoned = c.at FROM kube_cordoned AS c
WHERE c.told IS NULL AND c.uid = kube_states.uid AND c.run = kube_states.run AND unschedulable = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'missing_field', NULL, count(*),
       'node ' || min(node) || ' is cordoned and does not tell since when: it is out of service from the first heartbeat on that shows it'
FROM kube_cordoned WHERE told IS NULL AND run = 0 GROUP BY NULL HAVING count(*) > 0;
DROP TABLE kube_cordoned;
CREATE INDEX temp.kube_states_of ON kube_states(uid, unschedulable, nth);
CREATE INDEX temp.kube_states_ready ON kube_states(uid, ready, ready_time);

-- Why a node is out of service, in words: its conditions that are bad, and its taints. A table outage_reasons(pattern, kind) of the
-- user's says of which kind words are, as for slurm.sql. What a health check of the accelerators finds bad is hw_down.
CREATE TEMP TABLE IF NOT EXISTS outage_reasons(pattern TEXT, kind TEXT);
DROP TABLE IF EXISTS temp.kube_reasons;
CREATE TEMP TABLE kube_reasons AS
WITH RECURSIVE told AS (
  SELECT o.rowid AS seen, 1 AS is_condition,
         json_extract(value, '$.type') || ' ' || coalesce(json_extract(value, '$.reason'), '') || ' '
           || coalesce(json_extract(value, '$.message'), '') AS words
  FROM kube_objects AS o CROSS JOIN json_each(o.conditions) AS c
  WHERE o.rowid IN (SELECT seen FROM kube_states WHERE cordoned IS NOT NULL OR ready <> 'True') AND c.type = 'object'
    AND json_extract(c.value, '$.status')
    = iif(json_extract(c.value, '$.type') GLOB '*Ready' OR json_extract(c.value, '$.type') GLOB '*[Hh]ealthy'
          AND json_extract(c.value, '$.type') NOT GLOB '*[Uu]nhealthy', 'False', 'True')
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
  SELECT column1, 'hw_down', 1000000
  FROM (VALUES ('%xid%'), ('%gpu%'), ('%nvlink%'), ('%nvswitch%'), ('%accelerat%'), ('%tpu%'), ('%npu%'), ('%ecc%'), ('%hardware%'),
          ('%infiniband%'))
)
SELECT seen, kind, min(place) AS place
FROM cleaned JOIN known ON ' ' || words || ' ' LIKE '% ' || pattern || ' %' AND (is_condition OR place < 1000000)
WHERE marks = '' GROUP BY seen;
CREATE INDEX temp.kube_reason_of ON kube_reasons(seen);

-- What events say of nodes.
DROP TABLE IF EXISTS temp.kube_node_events;
CREATE TEMP TABLE kube_node_events AS
SELECT e.rowid AS row, e.reason, e.at, e.name AS node,
       (SELECT n.uid FROM kube_nodes AS n WHERE n.node = e.name AND coalesce(n.start_time, e.at) <= e.at
        ORDER BY n.start_time DESC LIMIT 1) AS uid
FROM kube_events AS e WHERE e.about = 'Node' AND e.reason IN ('NodeNotReady', 'NodeReady', 'NodeNotSchedulable', 'NodeSchedulable');
DELETE FROM kube_node_events WHERE uid IS NULL;
CREATE INDEX temp.kube_node_events_of ON kube_node_events(uid, reason, at);
UPDATE kube_events SET used = 1 WHERE rowid IN (SELECT row FROM kube_node_events);
-- If a node's object shows it ready all the time that an event says that it was not, the object counts.
DROP TABLE IF EXISTS temp.kube_denied;
CREATE TEMP TABLE kube_denied AS
SELECT e.row, e.node FROM kube_node_events AS e
WHERE reason = 'NodeNotReady'
  AND EXISTS (SELECT 1 FROM kube_states AS s WHERE s.uid = e.uid AND s.ready = 'True' AND s.ready_time < e.at AND s.heard > e.at + 300)
  AND NOT EXISTS (SELECT 1 FROM kube_states AS s WHERE s.uid = e.uid AND s.ready_time >= e.at - 300)
  AND NOT EXISTS (SELECT 1 FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeReady' AND u.at >= e.at);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'warning', 'conflict', NULL, count(*),
       'events that node ' || min(node) || ' was not ready, while its object says that it was: the object counts'
FROM kube_denied GROUP BY NULL;
DELETE FROM kube_node_events WHERE row IN (SELECT row FROM kube_denied);
DROP TABLE kube_denied;

-- Other taints keep pods away: a node on which none ran may be out of service.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:kube, 'kube_objects'), 'info', 'tainted_node', NULL, count(DISTINCT node),
       'nodes with taints and without pods, which are idle, the first ' || min(node) || ': ' || group_concat(DISTINCT key)
FROM (SELECT s.node, json_extract(iif(c.type = 'object', c.value, '{}'), '$.key') AS key,
             json_extract(iif(c.type = 'object', c.value, '{}'), '$.effect') AS effect
      FROM kube_states AS s CROSS JOIN kube_objects AS o ON o.rowid = s.seen CROSS JOIN json_each(o.spec, '$.taints') AS c
      WHERE s.cordoned IS NULL AND s.ready = 'True')
WHERE effect IN ('NoSchedule', 'NoExecute') AND key NOT GLOB 'node.kubernetes.io/*' AND key NOT GLOB '*.com/[gt]pu'
  AND node NOT IN (SELECT node FROM kube_held WHERE node IS NOT NULL) GROUP BY NULL;

-- A condition takes no node out of service that nobody cordoned.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'tainted_node', NULL, count(DISTINCT name),
       'nodes in service, though a condition blames an accelerator, the first ' || min(name) || ': ' || group_concat(DISTINCT type)
FROM (SELECT l._file, l.name, json_extract(c.value, '$.type') AS type, json_extract(c.value, '$.status') AS status,
             lower(c.value) AS words
      FROM kube_last AS l CROSS JOIN json_each(l.conditions) AS c
      WHERE l.kind = 'Node' AND l.chips > 0 AND l.event IS NOT 'DELETED' AND l.ready = 'True' AND coalesce(l.unschedulable, 0) = 0
        AND c.type = 'object')
WHERE status = iif(type GLOB '*Ready' OR type GLOB '*[Hh]ealthy' AND type NOT GLOB '*[Uu]nhealthy', 'False', 'True') AND type <> 'Ready'
  AND (words LIKE '%xid%' OR words LIKE '%gpu%' OR words LIKE '%nvlink%' OR words LIKE '%nvswitch%' OR words LIKE '%accelerat%'
       OR words LIKE '%hardware%' OR words LIKE '%infiniband%')
GROUP BY _file;

-- A node is out of service from the moment that it is not ready, or is cordoned, if its taint says since when, until it is well again. If
-- both hold at once, not ready goes before cordoned; and objects go before events.
DROP TABLE IF EXISTS temp.kube_out;
CREATE TEMP TABLE kube_out AS
SELECT uid, node, min(since) AS start_time, end_time, coalesce(max(kind), 'hw_down') AS kind, 1 AS rank
FROM (SELECT uid, node, ready_time AS since, r.kind,
             (SELECT min(up.ready_time) FROM kube_states AS up
              WHERE up.uid = s.uid AND up.ready = 'True' AND up.ready_time >= s.ready_time
                AND (up.ready_time > s.ready_time OR up.nth > s.nth)) AS end_time -- of two in one second the later version counts
      FROM kube_states AS s LEFT JOIN kube_reasons AS r USING (seen)
      WHERE ready <> 'True' AND ready_time IS NOT NULL)
GROUP BY uid, end_time
UNION ALL
SELECT uid, node, min(at), nullif(end_time, 9e18), 'hw_down', 2
FROM (SELECT uid, node, at, min(coalesce((SELECT min(u.at)
                                          FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeReady' AND u.at >= e.at),
                                         9e18),
                                coalesce((SELECT min(up.ready_time)
                                          FROM kube_states AS up WHERE up.uid = e.uid AND up.ready = 'True' AND up.ready_time >= e.at),
                                         9e18)) AS end_time
      FROM kube_node_events AS e WHERE reason = 'NodeNotReady')
GROUP BY uid, end_time
UNION ALL
SELECT uid, node, cordoned, (SELECT heard FROM kube_states AS later
                             WHERE later.uid = s.uid AND later.unschedulable = 0 AND later.nth > s.nth ORDER BY later.nth LIMIT 1), kind, 3
FROM (SELECT uid, node, cordoned, max(nth) AS nth, coalesce(min(kind), 'maintenance') AS kind
      FROM kube_states LEFT JOIN kube_reasons AS r USING (seen) WHERE cordoned IS NOT NULL GROUP BY uid, cordoned) AS s
UNION ALL
SELECT uid, node, min(at), nullif(end_time, 9e18), 'maintenance', 4
FROM (SELECT uid, node, at, min(coalesce((SELECT min(u.at)
                                          FROM kube_node_events AS u WHERE u.uid = e.uid AND u.reason = 'NodeSchedulable' AND u.at >= e.at),
                                         9e18),
                                coalesce((SELECT min(later.heard)
                                          FROM kube_states AS later WHERE later.uid = e.uid AND later.unschedulable = 0
                                            AND later.heard > e.at), 9e18)) AS end_time
      FROM kube_node_events AS e WHERE reason = 'NodeNotSchedulable')
GROUP BY uid, end_time;
DROP TABLE IF EXISTS temp.kube_down;
CREATE TEMP TABLE kube_down AS
WITH deltas AS (
  SELECT uid, node, rank, kind, start_time AS at, 1 AS d
  FROM kube_out UNION ALL SELECT uid, node, rank, kind, end_time, -1 FROM kube_out WHERE end_time IS NOT NULL
),
steps AS (
  SELECT uid, node, rank, kind, at, sum(d) AS d
  FROM (SELECT * FROM deltas UNION ALL
        SELECT p.uid, p.node, p.rank, p.kind, e.at, 0
        FROM (SELECT DISTINCT uid, node, rank, kind FROM kube_out) AS p JOIN (SELECT DISTINCT uid, at FROM deltas) AS e USING (uid))
  GROUP BY uid, rank, kind, at
),
active AS (SELECT uid, node, at, CASE WHEN sum(d) OVER (PARTITION BY uid, rank, kind ORDER BY at) > 0 THEN rank || kind END AS word
           FROM steps),
parts AS (SELECT uid, min(node) AS node, at, substr(min(word), 2) AS kind FROM active GROUP BY uid, at),
changes AS (SELECT *, lead(at) OVER later AS next, kind IS NOT lag(kind) OVER later AS new
            FROM parts WINDOW later AS (PARTITION BY uid ORDER BY at)),
runs AS (SELECT *, sum(new) OVER (PARTITION BY uid ORDER BY at ROWS UNBOUNDED PRECEDING) AS run FROM changes)
SELECT uid, node, min(at) AS start_time, iif(count(*) = count(next), max(next), NULL) AS end_time, kind
FROM runs WHERE kind IS NOT NULL GROUP BY uid, run;
DROP TABLE kube_out;
DROP TABLE kube_node_events;
DROP TABLE kube_reasons;

-- Out of service is what no pod holds: a pod on a node that does not answer holds its chips until it is deleted.
DROP TABLE IF EXISTS temp.kube_occupied;
CREATE TEMP TABLE kube_occupied AS
SELECT h.node, coalesce(p.chips, h.chips) AS chips, coalesce(p.start_time, h.start_time) AS start_time,
       iif(p.uid IS NULL, h.end_time, p.end_time) AS end_time
FROM kube_held AS h LEFT JOIN kube_parts AS p ON p.uid = h.uid;
CREATE INDEX temp.kube_occupied_on ON kube_occupied(node);
DROP TABLE IF EXISTS temp.outages;
CREATE TEMP TABLE outages AS
WITH edges AS (
  SELECT d.rowid AS down, d.start_time AS at FROM kube_down AS d
  UNION
  SELECT d.rowid, e.at
  FROM kube_down AS d JOIN (SELECT node, start_time AS at
                            FROM kube_occupied UNION SELECT node, end_time
                            FROM kube_occupied UNION SELECT node, start_time FROM kube_nodes WHERE moved IS NOT NULL) AS e USING (node)
  WHERE e.at > d.start_time AND (d.end_time IS NULL OR e.at < d.end_time)
),
parts AS (
  SELECT down, at AS start_time, lead(at) OVER (PARTITION BY down ORDER BY at) AS next FROM edges
)
SELECT n.pool, n.chips - coalesce((SELECT sum(h.chips) FROM kube_occupied AS h
                                   WHERE h.node = d.node AND h.start_time <= p.start_time
                                     AND (h.end_time IS NULL OR h.end_time > p.start_time)), 0) AS chips,
       p.start_time, nullif(min(coalesce(p.next, d.end_time, 9e18), coalesce(n.end_time, 9e18)), 9e18) AS end_time, d.kind
FROM parts AS p JOIN kube_down AS d ON d.rowid = p.down JOIN kube_nodes AS n ON n.rowid =
     (SELECT m.rowid FROM kube_nodes AS m WHERE m.uid = d.uid AND (m.moved IS NULL OR m.moved <= p.start_time)
      ORDER BY m.period DESC LIMIT 1);
DELETE FROM outages WHERE chips <= 0 OR end_time <= start_time;

-- Chips that the device plugin has withdrawn: `capacity` has them, `allocatable` has not. They are out of service from the first heartbeat
-- that says so until the first that says otherwise. Chips of a node that is out of service are so already, and chips that pods hold are
-- held.
DROP TABLE IF EXISTS temp.kube_withdrawn;
CREATE TEMP TABLE kube_withdrawn AS
WITH told AS (
  SELECT uid, node, withdrawn, coalesce(heard, ready_time, creationTimestamp) AS at, lag(withdrawn, 1, 0) OVER so_far AS before
  FROM kube_states
  WHERE uid IN (SELECT uid FROM kube_states WHERE withdrawn > 0)
  WINDOW so_far AS (PARTITION BY uid ORDER BY nth)
),
levels AS (
  SELECT uid, node, withdrawn, at AS start_time, lead(at) OVER (PARTITION BY uid ORDER BY at) AS end_time
  FROM told WHERE withdrawn <> before AND at IS NOT NULL
)
SELECT * FROM levels WHERE withdrawn > 0;
-- Devices of claims (DRA) that their driver taints: since the taint was added.
INSERT INTO kube_withdrawn
WITH tainted AS (
  SELECT d.node, d.driver || d.chip AS chip,
         min(CAST(strftime('%s', json_extract(iif(x.type = 'object', x.value, '{}'), '$.timeAdded')) AS INTEGER)) AS at
  FROM kube_devices AS d, json_each(d.taints) AS x
  WHERE now AND json_extract(iif(x.type = 'object', x.value, '{}'), '$.effect') IN ('NoSchedule', 'NoExecute') GROUP BY 1, 2
),
levels AS (SELECT node, at AS start_time, lead(at) OVER (PARTITION BY node ORDER BY at) AS end_time, withdrawn
           FROM (SELECT node, at, sum(count(*)) OVER (PARTITION BY node ORDER BY at) AS withdrawn
                 FROM tainted WHERE at IS NOT NULL GROUP BY node, at))
SELECT (SELECT max(n.uid) FROM kube_nodes AS n WHERE n.node = levels.node AND n.end_time IS NULL) AS uid, node, withdrawn, start_time,
       end_time FROM levels
WHERE uid IS NOT NULL AND uid NOT IN (SELECT uid FROM kube_withdrawn);
INSERT INTO outages(pool, chips, start_time, end_time, kind)
WITH edges AS (
  SELECT w.rowid AS row, w.start_time AS at FROM kube_withdrawn AS w
  UNION
  SELECT w.rowid, e.at
  FROM kube_withdrawn AS w JOIN (SELECT node, start_time AS at FROM kube_occupied UNION SELECT node, end_time FROM kube_occupied
                                 UNION SELECT node, start_time
                                 FROM kube_down UNION SELECT node, end_time
                                 FROM kube_down UNION SELECT node, start_time FROM kube_nodes WHERE moved IS NOT NULL) AS e USING (node)
  WHERE e.at > w.start_time AND (w.end_time IS NULL OR e.at < w.end_time)
),
parts AS (
  SELECT row, at AS start_time, lead(at) OVER (PARTITION BY row ORDER BY at) AS next FROM edges
),
out_of_service AS (
  SELECT n.pool,
         min(w.withdrawn * n.share, n.chips - coalesce((SELECT sum(h.chips) FROM kube_occupied AS h
                                                        WHERE h.node = w.node AND h.start_time <= p.start_time
                                                          AND (h.end_time IS NULL OR h.end_time > p.start_time)), 0)) AS chips,
         p.start_time, coalesce(p.next, w.end_time, n.end_time) AS end_time
  FROM parts AS p JOIN kube_withdrawn AS w ON w.rowid = p.row JOIN kube_nodes AS n ON n.rowid =
       (SELECT m.rowid FROM kube_nodes AS m WHERE m.uid = w.uid AND (m.moved IS NULL OR m.moved <= p.start_time)
        ORDER BY m.period DESC LIMIT 1)
  WHERE NOT EXISTS (SELECT 1 FROM kube_down AS d
                    WHERE d.uid = w.uid AND d.start_time <= p.start_time AND (d.end_time IS NULL OR d.end_time > p.start_time))
)
SELECT pool, chips, start_time, end_time, 'hw_down' FROM out_of_service WHERE chips > 0 AND (end_time IS NULL OR end_time > start_time);
