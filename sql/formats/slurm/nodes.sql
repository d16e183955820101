-- slurm/nodes.sql - the nodes as they are shown, and reservations: what they say beside the events.
--
-- Reads slurm_jobs, slurm_events, slurm_now and slurm_reserved. Adds to slurm_events the states of nodes and maintenance; makes slurm_seen.
-- A part of slurm.sql, which says what the parameters are and runs the parts in order.

-- A cluster has one list of resources at a time: of two rows that overlap, as after a clock that was set back, the later one counts.
DROP TABLE IF EXISTS temp.slurm_replaced;
CREATE TEMP TABLE slurm_replaced AS
SELECT row, _file, _line, Cluster, next
FROM (SELECT rowid AS row, _file, _line, Cluster, TimeEnd, lead(TimeStart) OVER (PARTITION BY Cluster ORDER BY TimeStart) AS next
      FROM slurm_events
      WHERE NodeName IS NULL AND coalesce(Event, 'Cluster') = 'Cluster' AND TimeStart IS NOT NULL AND Reason IS NOT 'slurmctld disconnect')
WHERE TimeEnd > next;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'conflict', min(_line), count(*),
       'events of cluster ' || coalesce(min(Cluster), '?') || ' that end after its next one has begun: they end as that begins'
FROM slurm_replaced GROUP BY _file;
UPDATE temp.slurm_events SET TimeEnd = r.next FROM slurm_replaced AS r WHERE r.row = slurm_events.rowid;
DROP TABLE slurm_replaced;

-- A node that was taken out of the cluster while it was out of service keeps an event without an end: it lasts until the first row of the
-- cluster whose nodes lack it.
--@ if EXISTS (SELECT 1 FROM slurm_events WHERE NodeName IS NULL GROUP BY Cluster HAVING count(DISTINCT nodes) > 1)
DROP TABLE IF EXISTS temp.slurm_registered;
CREATE TEMP TABLE slurm_registered AS
SELECT Cluster, nodes, TimeStart, lead(TimeStart) OVER (PARTITION BY Cluster ORDER BY TimeStart) AS next FROM slurm_events
WHERE NodeName IS NULL AND coalesce(Event, 'Cluster') = 'Cluster' AND nodes IS NOT NULL AND TimeStart IS NOT NULL
  AND Reason IS NOT 'slurmctld disconnect';
DROP TABLE IF EXISTS temp.slurm_members;
CREATE TEMP TABLE slurm_members AS
SELECT n.value AS node, c.Cluster, c.TimeStart, c.next FROM slurm_registered AS c CROSS JOIN json_each(c.nodes) AS n
WHERE n.value IN (SELECT NodeName FROM slurm_events WHERE NodeName IS NOT NULL);
CREATE INDEX temp.slurm_members_of ON slurm_members(node, Cluster, TimeStart);
DROP TABLE IF EXISTS temp.slurm_losses;
CREATE TEMP TABLE slurm_losses AS
SELECT m.node, m.Cluster, m.next AS at FROM slurm_members AS m
WHERE m.next IS NOT NULL AND NOT EXISTS (SELECT 1 FROM slurm_members AS n
                                         WHERE n.node = m.node AND n.Cluster = m.Cluster AND n.TimeStart = m.next);
CREATE INDEX temp.slurm_losses_of ON slurm_losses(node, Cluster, at);
DROP TABLE IF EXISTS temp.slurm_removed;
CREATE TEMP TABLE slurm_removed AS
SELECT e.rowid AS row, e._file, e._line, e.NodeName AS node,
       (SELECT min(l.at) FROM slurm_losses AS l
        WHERE l.node = e.NodeName AND l.Cluster = e.Cluster AND l.at > e.TimeStart AND l.at < coalesce(e.TimeEnd, 9e18)) AS at
FROM slurm_events AS e WHERE e.NodeName IS NOT NULL;
DELETE FROM slurm_removed WHERE at IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'events of nodes that their cluster has no more (ClusterNodes), the first of ' || min(node) || ': they end when it lost them'
FROM slurm_removed GROUP BY _file;
UPDATE temp.slurm_events SET TimeEnd = r.at FROM slurm_removed AS r WHERE r.row = slurm_events.rowid;
DROP TABLE slurm_removed;
DROP TABLE slurm_losses;
DROP TABLE slurm_members;
DROP TABLE slurm_registered;
--@ end
-- The nodes as they are now stand in for events that were not exported. What is installed now is taken to have been so since the first
-- job. A node that is out of service, and has no event since then, is so since its reason was set; without a reason, since it was last
-- busy. JSON names the cluster, text does not. If a node comes twice, the last row is of now, by the last time that its listing tells (a
-- file may have several, one after the other), and what the others tell was so until then.
DROP TABLE IF EXISTS temp.slurm_seen;
CREATE TEMP TABLE slurm_seen AS
SELECT *,
       coalesce(nullif(ClusterName, ''), (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events),
                (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs), 'slurm') AS cluster_name,
       coalesce((SELECT min(coalesce(Submit, Start)) FROM slurm_jobs), min(BootTime) OVER ()) AS since, 1 AS listing, NULL AS made
FROM slurm_now;
CREATE INDEX temp.slurm_event_of ON slurm_events(NodeName);
--@ if :nodes IS NOT NULL
-- Slurm counts the types that AccountingStorageTRES names; Gres has those of all nodes. If each job tells its nodes, the one type of a node
-- is that of its GPUs.
UPDATE temp.slurm_seen SET gpu_types = json_object(type, chips)
FROM (SELECT row, substr(entry, 5, instr(substr(entry, 5), ':') - 1) AS type,
             CAST(substr(entry, 5 + instr(substr(entry, 5), ':')) AS INTEGER) AS chips
      FROM (SELECT n.rowid AS row, substr(g.value, 1, instr(g.value || '(', '(') - 1) AS entry
            FROM slurm_seen AS n, json_each('["' || replace(replace(replace(n.Gres, '"', ''), '\', ''), ',', '","') || '"]') AS g
            WHERE n.gpu_types GLOB '{"":*}')
      WHERE entry = 'gpu' OR entry GLOB 'gpu:*'
      GROUP BY row HAVING count(*) = 1 AND max(entry) GLOB 'gpu:[^0-9]*:[1-9]*') AS t
WHERE t.row = slurm_seen.rowid AND slurm_seen.gpu_types = '{"":' || t.chips || '}'
  AND NOT EXISTS (SELECT 1 FROM slurm_jobs WHERE alloc_gpus > 0 AND Start IS NOT NULL AND nodes IS NULL AND alloc_gpu_types GLOB '{"":*');
UPDATE temp.slurm_seen SET listing = l.listing, made = l.made
FROM (SELECT row, dense_rank() OVER (ORDER BY _file, nth) AS listing,
             max(max(coalesce(last_update, 0), coalesce(ReasonTime, 0), coalesce(LastBusyTime, 0), coalesce(BootTime, 0)))
               OVER (PARTITION BY _file, nth) AS made
      FROM (SELECT *, max(again) OVER (PARTITION BY _file ORDER BY row) AS nth
            FROM (SELECT rowid AS row, *, row_number() OVER (PARTITION BY _file, cluster_name, NodeName ORDER BY rowid) AS again
                  FROM slurm_seen))
      WHERE EXISTS (SELECT 1 FROM slurm_seen GROUP BY cluster_name, NodeName HAVING count(*) > 1)) AS l
WHERE l.row = slurm_seen.rowid;
UPDATE temp.slurm_seen SET made = NULL WHERE EXISTS (SELECT 1 FROM slurm_seen WHERE made = 0); -- then the order of the files counts
DROP TABLE IF EXISTS temp.slurm_earlier;
CREATE TEMP TABLE slurm_earlier AS
SELECT row, place, cluster_name, NodeName, listing, made, since, gpu_types, out_of_service, Reason, State, state_base, _file, _line,
       coalesce(ReasonTime, LastBusyTime, since) AS out_since
FROM (SELECT rowid AS row, *, row_number() OVER (PARTITION BY cluster_name, NodeName ORDER BY made DESC, rowid DESC) AS place
      FROM slurm_seen);
DELETE FROM temp.slurm_seen WHERE rowid IN (SELECT row FROM slurm_earlier WHERE place > 1);
DELETE FROM temp.slurm_earlier WHERE made IS NULL;
--@ end
CREATE INDEX temp.slurm_seen_as ON slurm_seen(NodeName);
-- A job without GPUs that has all CPUs of a node keeps its GPUs from others: they are held by none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'blocked_chips', min(_line), count(*),
       'jobs without GPUs that had all CPUs of nodes with GPUs, the first ' || min(JobID) || ': those chips count as idle, '
         || CAST(total(chips * (coalesce("End", (SELECT max("End") FROM slurm_jobs)) - Start)) AS INTEGER) || ' chip-seconds'
FROM (SELECT j._file, j._line, coalesce(j.JobID, j.JobIDRaw) AS JobID, j.Start, j."End",
             total((SELECT sum(value) FROM json_each(s.gpu_types))) AS chips
      FROM (SELECT min(CPUTot) AS least FROM slurm_seen WHERE gpu_types <> '{}') AS m CROSS JOIN slurm_jobs AS j
      CROSS JOIN json_each(j.nodes) AS n LEFT JOIN slurm_seen AS s ON s.NodeName = n.value
      WHERE j.NCPUS >= m.least AND coalesce(j.alloc_gpus, 0) = 0 AND j.Start IS NOT NULL
      GROUP BY j.rowid HAVING count(s.CPUTot) = count(*) AND total(s.CPUTot) <= j.NCPUS)
WHERE chips > 0 GROUP BY _file;
INSERT INTO temp.slurm_events(Cluster, Event, NodeName, TimeStart, Reason, _file, _line, State, state_base, gpu_types)
SELECT cluster_name, 'Node', NodeName,
       max(coalesce(ReasonTime, LastBusyTime, since),
           -- what the nodes install is installed since then
           iif(EXISTS (SELECT 1 FROM slurm_events AS c
                       WHERE coalesce(c.Cluster, cluster_name) = cluster_name AND coalesce(c.Event, 'Cluster') = 'Cluster'
                         AND c.NodeName IS NULL AND c.gpu_types <> '{}'), 0, since)), Reason, _file, _line, State, state_base, gpu_types
FROM slurm_seen AS n
WHERE out_of_service AND NOT EXISTS (SELECT 1 FROM slurm_events AS e
                                     WHERE e.NodeName = n.NodeName AND coalesce(e.Cluster, cluster_name) = cluster_name
                                     -- those exported before its reason was set do not know
                                     AND coalesce(coalesce(e.TimeEnd, 9e18) > n.ReasonTime, 1));
-- Slurm may not account for GPUs, or for their types (AccountingStorageTRES), and events have TRES only if they were asked for: then the
-- nodes tell, if they have as many.
--@ if :nodes IS NOT NULL
DROP TABLE IF EXISTS temp.slurm_typed;
CREATE TEMP TABLE slurm_typed AS
SELECT cluster_name, NodeName, gpu_types, '{"":' || (SELECT sum(value) FROM json_each(gpu_types)) || '}' AS untyped
FROM slurm_seen WHERE gpu_types <> '{}'
UNION ALL
SELECT cluster_name, NULL, json_group_object(type, chips), '{"":' || sum(chips) || '}'
FROM (SELECT n.cluster_name, t.key AS type, sum(t.value) AS chips FROM slurm_seen AS n, json_each(n.gpu_types) AS t GROUP BY 1, 2)
GROUP BY cluster_name;
UPDATE temp.slurm_events SET gpu_types = t.gpu_types FROM slurm_typed AS t
WHERE t.NodeName IS slurm_events.NodeName AND t.cluster_name = coalesce(slurm_events.Cluster, t.cluster_name)
  AND CASE WHEN slurm_events.gpu_types = t.untyped THEN 1 WHEN t.NodeName IS NULL THEN 0 WHEN slurm_events.gpu_types IS NULL THEN 1
           ELSE slurm_events.gpu_types = '{}'
             AND NOT EXISTS (SELECT 1 FROM slurm_events AS e WHERE e.gpu_types <> '{}' AND e.TRES IS NOT NULL) END;
DROP TABLE slurm_typed;
--@ end
--@ if :nodes IS NOT NULL
-- A node that an earlier listing shows out of service, and a later one not, or out since later: until it was last seen so.
DROP TABLE IF EXISTS temp.slurm_mended;
CREATE TEMP TABLE slurm_mended AS
SELECT *, max(made) AS seen, count(*) AS n FROM slurm_earlier AS o
WHERE out_of_service AND NOT EXISTS (SELECT 1 FROM slurm_seen AS n
                                     WHERE n.cluster_name = o.cluster_name AND n.NodeName = o.NodeName AND n.out_of_service
                                       AND coalesce(n.ReasonTime, n.LastBusyTime, n.since) <= o.out_since)
  AND NOT EXISTS (SELECT 1 FROM slurm_events AS e
                  WHERE e.NodeName = o.NodeName AND coalesce(e.Cluster, o.cluster_name) = o.cluster_name
                    AND coalesce(e.TimeEnd, 9e18) > o.out_since AND e.TimeStart <= o.made)
GROUP BY cluster_name, NodeName, out_since;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'nodes out of service that a later listing shows in service, or out since later, the first ' || min(NodeName)
         || ': they were out until last seen so. Export sacctmgr show event'
FROM slurm_mended GROUP BY _file;
INSERT INTO temp.slurm_events(Cluster, Event, NodeName, TimeStart, TimeEnd, Reason, _file, _line, State, state_base, gpu_types)
SELECT cluster_name, 'Node', NodeName, out_since, max(seen, out_since), Reason, _file, _line, State, state_base, gpu_types
FROM slurm_mended;
DROP TABLE slurm_mended;
--@ end
-- Of a state in several words (IDLE+CLOUD+DRAIN) that which takes the node out of service.
UPDATE temp.slurm_events SET state_base
  = CASE WHEN State LIKE 'FUTURE%' THEN 'FUTURE' WHEN State LIKE '%+REBOOT_ISSUED%' THEN 'REBOOT' WHEN State LIKE '%+MAINT%' THEN 'MAINT'
         WHEN '+' || State LIKE '%+DOWN%' THEN 'DOWN'
         WHEN State LIKE '%+FAIL%' THEN 'FAIL' WHEN State LIKE '%+DRAIN%' THEN 'DRAIN'
         WHEN State LIKE '%+INVAL%' AND State NOT LIKE '%+POWER%DOWN%' THEN 'INVAL' WHEN State LIKE '%+POWER%' THEN 'POWERED_DOWN'
         ELSE state_base END
WHERE instr(State, '+') AND NodeName IS NOT NULL;
--@ if :reservations IS NOT NULL
-- Nodes that are reserved for maintenance are out of service, for only administrators may use them. A reservation that is planned after
-- the last time of the exports has not happened, and one that ends after it is open. Other reservations hold nothing: only jobs that run
-- in them do.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'reservation ' || coalesce(min(ReservationName), '?') || ' for maintenance lacks its EndTime: it lasts until the export'
FROM slurm_reserved WHERE EndTime IS NULL AND ',' || Flags || ',' LIKE '%,MAINT,%' GROUP BY _file;
DROP TABLE IF EXISTS temp.slurm_last;
CREATE TEMP TABLE slurm_last AS
SELECT coalesce(max(at), 9e18) AS at
FROM (SELECT nullif(max(max(coalesce("End", 0), coalesce(Start + coalesce(ElapsedRaw, Elapsed, 0), 0), coalesce(Submit, 0))), 0) AS at
      FROM slurm_jobs WHERE EXISTS (SELECT 1 FROM slurm_reserved) -- else nobody asks
      UNION ALL SELECT max(coalesce(TimeEnd, TimeStart)) FROM slurm_events UNION ALL SELECT max(TimeStart) FROM slurm_events
      UNION ALL SELECT max(ReasonTime) FROM slurm_now UNION ALL SELECT max(LastBusyTime) FROM slurm_now);
DROP TABLE IF EXISTS temp.slurm_maintained;
CREATE TEMP TABLE slurm_maintained AS
SELECT DISTINCT r.rowid AS row, r._file, r._line, ReservationName AS name, n.value AS node, StartTime AS start_time,
       iif(EndTime > l.at, NULL, EndTime) AS end_time, StartTime > l.at AS later, r.Comment,
       coalesce(nullif(r.Cluster, ''), (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events),
                (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs),
                (SELECT iif(count(DISTINCT cluster_name) = 1, max(cluster_name), NULL) FROM slurm_seen), 'slurm') AS cluster_name
FROM slurm_reserved AS r, slurm_last AS l, json_each(coalesce(r.node_names, '[]')) AS n
WHERE ',' || Flags || ',' LIKE '%,MAINT,%' AND StartTime IS NOT NULL AND coalesce(EndTime > StartTime, 1);
INSERT INTO temp.slurm_events(Cluster, Event, NodeName, TimeStart, TimeEnd, Reason, State, state_base, gpu_types, _file, _line)
SELECT cluster_name, 'Node', node, start_time, end_time, 'reservation ' || name || coalesce(' ' || Comment, ''), 'MAINT', 'MAINT', types,
       _file, _line
FROM (SELECT m.*, coalesce((SELECT s.gpu_types FROM slurm_seen AS s WHERE s.cluster_name = m.cluster_name AND s.NodeName = m.node),
                           (SELECT max(e.gpu_types) FROM slurm_events AS e
                            WHERE e.NodeName = m.node AND coalesce(e.Cluster, m.cluster_name) = m.cluster_name)) AS types
      FROM slurm_maintained AS m WHERE NOT later)
WHERE types IS NOT NULL;
-- A node that is shown in maintenance, and nothing else, is so from when to when its reservation says.
DELETE FROM temp.slurm_events
WHERE EXISTS (SELECT 1 FROM slurm_maintained WHERE NOT later) AND State LIKE '%+MAINT%'
  AND NOT ('+' || State LIKE '%+DOWN%' OR State LIKE '%+DRAIN%' OR State LIKE '%+FAIL%' OR State LIKE '%+REBOOT_ISSUED%')
  AND EXISTS (SELECT 1 FROM slurm_maintained AS m
              WHERE NOT m.later AND m.node = slurm_events.NodeName AND m.cluster_name = slurm_events.Cluster
                AND coalesce(m.end_time > slurm_events.TimeStart, 1));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'warning', 'unused_reservation', min(r._line), count(*),
       'reservations for maintenance whose nodes count as idle: ' || group_concat(r.ReservationName || ': ' || why, '; ')
FROM (SELECT r.*, CASE WHEN StartTime IS NULL THEN 'no start' WHEN EndTime <= StartTime THEN 'it ends before it starts'
                       WHEN node_names IS NULL THEN 'it names no nodes (export NodeNames)'
                       ELSE (SELECT count(DISTINCT m.node) || ' nodes of which no file has the GPUs (export scontrol show node), the first '
                                      || min(m.node) FROM slurm_maintained AS m
                             WHERE m.row = r.rowid AND NOT m.later
                               AND NOT EXISTS (SELECT 1 FROM slurm_events AS e
                                               WHERE e.NodeName = m.node AND coalesce(e.Cluster, m.cluster_name) = m.cluster_name
                                                 AND e.gpu_types IS NOT NULL)
                             GROUP BY NULL HAVING count(*) > 0) END AS why
      FROM slurm_reserved AS r WHERE ',' || Flags || ',' LIKE '%,MAINT,%') AS r
WHERE why IS NOT NULL GROUP BY r._file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'reservation', min(_line), count(*),
       'reservations that hold nothing: ' || group_concat(ReservationName || ' (' || why || ')', ', ')
FROM (SELECT r.*, CASE WHEN Flags IS NULL THEN 'without Flags: export them to tell maintenance'
                       WHEN ',' || Flags || ',' LIKE '%,MAINT,%'
                         THEN iif(StartTime > l.at, 'maintenance, after the last time of the export', NULL)
                       ELSE coalesce('users ' || Users, 'accounts ' || Accounts, Flags) END AS why
      FROM slurm_reserved AS r, slurm_last AS l)
WHERE why IS NOT NULL GROUP BY _file;
DROP TABLE slurm_maintained;
DROP TABLE slurm_last;
--@ end
DROP TABLE slurm_reserved;
--@ if :nodes IS NOT NULL
-- Of a node that comes in several listings, each state counts from the first that shows it; it is there until the last, and from the first
-- on, if others that have some of the same nodes lack it.
DROP TABLE IF EXISTS temp.slurm_changes;
CREATE TEMP TABLE slurm_changes AS
WITH told AS (
  SELECT cluster_name, NodeName, since, made, gpu_types, lag(gpu_types) OVER w AS before, lag(made) OVER w AS made_before,
         lead(made) OVER w AS made_after, listing
  FROM slurm_earlier WINDOW w AS (PARTITION BY cluster_name, NodeName ORDER BY made, row)
),
beside AS ( -- whether earlier or later listings have some of its nodes
  SELECT listing, max(made_before IS NOT NULL) AS earlier, max(made_after IS NOT NULL) AS later FROM told GROUP BY listing
),
edge AS (
  SELECT cluster_name, iif(made_before IS NULL AND NOT earlier, since, made) AS at, gpu_types, 1 AS d
  FROM told JOIN beside USING (listing) WHERE gpu_types IS NOT before
  UNION ALL
  SELECT cluster_name, made, before, -1 FROM told WHERE gpu_types <> before
  UNION ALL
  SELECT cluster_name, made, gpu_types, -1 FROM told JOIN beside USING (listing) WHERE made_after IS NULL AND later
),
level AS (
  SELECT cluster_name, at, k.key AS type, sum(d * k.value) AS d FROM edge CROSS JOIN json_each(gpu_types) AS k GROUP BY 1, 2, 3
),
whole AS (
  SELECT m.cluster_name, m.at, l.type, sum(l.d) AS chips
  FROM (SELECT DISTINCT cluster_name, at FROM level) AS m JOIN level AS l ON l.cluster_name = m.cluster_name AND l.at <= m.at
  GROUP BY 1, 2, 3
)
SELECT cluster_name, at, lead(at) OVER (PARTITION BY cluster_name ORDER BY at) AS next, gpu_types
FROM (SELECT cluster_name, at, json_group_object(type, CAST(chips AS INTEGER)) AS gpu_types FROM whole WHERE chips > 0 GROUP BY 1, 2);
DELETE FROM slurm_changes WHERE cluster_name IN (SELECT cluster_name FROM slurm_changes GROUP BY 1 HAVING count(*) = 1);
INSERT INTO temp.slurm_events(Cluster, Event, TimeStart, TimeEnd, gpu_types)
SELECT cluster_name, 'Cluster', at, next, gpu_types FROM slurm_changes AS s
WHERE NOT EXISTS (SELECT 1 FROM slurm_events AS e
                  WHERE e.Cluster = s.cluster_name AND coalesce(e.Event, 'Cluster') = 'Cluster' AND e.NodeName IS NULL
                    AND e.gpu_types <> '{}');
DROP TABLE slurm_changes;
DROP TABLE slurm_earlier;
--@ end
INSERT INTO temp.slurm_events(Cluster, Event, TimeStart, gpu_types)
SELECT cluster_name, 'Cluster', min(since), json_group_object(type, chips)
FROM (SELECT n.cluster_name, t.key AS type, sum(t.value) AS chips, min(n.since) AS since
      FROM slurm_seen AS n, json_each(n.gpu_types) AS t GROUP BY n.cluster_name, t.key) AS s
WHERE NOT EXISTS (SELECT 1 FROM slurm_events AS e
                  WHERE e.Cluster = s.cluster_name AND coalesce(e.Event, 'Cluster') = 'Cluster' AND e.NodeName IS NULL
                    AND e.gpu_types <> '{}')
GROUP BY cluster_name;
