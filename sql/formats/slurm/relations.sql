-- slurm/relations.sql - the relations capacity, jobs, allocations and outages, and until when each pool was observed.
--
-- Reads slurm_attempts, slurm_pools and slurm_events, and the user's table outage_reasons. Makes the relations, and slurm_reasons,
-- slurm_down and slurm_nodes for the outages.
-- A part of slurm.sql, which says what the parameters are and runs the parts in order.

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT pool, nullif(type, '') AS chip, chips, start_time, end_time
FROM slurm_installed JOIN slurm_pools USING (cluster_name, type);

-- A job needs what it requested. If an attempt was resized, its first row tells that, and from then on the job asks for what it holds.
-- Slurm starts a job whole: so if it granted another number (a range of nodes, whole nodes, a resize), the job is elastic down to the
-- least that it ran on. Comment may be a JSON object: its phase, framework, runtime and model are the job's, and the whole of it is in the
-- labels. Slurm stores it when an attempt ends: for one that runs, that of the attempts before counts.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH needs AS (
  SELECT rowid AS row, coalesce(nullif(req_gpus, 0) * CASE WHEN started THEN 1 ELSE coalesce(array_count, 1) END, alloc_gpus) AS chips,
         CASE WHEN started THEN nullif(alloc_gpus, 0) END AS least, CASE WHEN started THEN nullif(alloc_gpus, 0) END AS most,
         Submit AS submit_time, NULL AS comment
  FROM slurm_attempts
  WHERE NOT repeated
  UNION ALL
  SELECT max(CASE WHEN from_last = 1 THEN a.place END),
         coalesce(max(iif(piece = 1, nullif(a.req_gpus, 0) * CASE WHEN started THEN 1 ELSE coalesce(a.array_count, 1) END, NULL)),
                  max(a.alloc_gpus)),
         min(CASE WHEN started THEN nullif(a.alloc_gpus, 0) END), max(CASE WHEN started THEN nullif(a.alloc_gpus, 0) END), min(a.Submit),
         max(Comment)
  FROM (SELECT *, rowid AS place, row_number() OVER (PARTITION BY job, attempt ORDER BY coalesce(Start, "End", Submit)) AS piece
        FROM slurm_attempts WHERE repeated) AS a
  CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
  GROUP BY job
),
last AS (
  SELECT *, CASE WHEN said IS NOT NULL THEN -- of most jobs nothing
              CASE WHEN json_valid(said) THEN CASE json_type(said) WHEN 'object' THEN said END END END AS words
  FROM (SELECT a.job, j.*, n.chips, n.least, n.most, n.submit_time, coalesce(j.Comment, n.comment) AS said
        FROM needs AS n CROSS JOIN slurm_attempts AS a ON a.rowid = n.row CROSS JOIN slurm_jobs AS j ON j.rowid = a.row)
)
SELECT job,
       JobName AS name,
       Account AS owner,
       CASE WHEN said IS NOT NULL THEN json_extract(words, '$.phase') END AS phase,
       CASE WHEN said IS NOT NULL THEN json_extract(words, '$.framework') END AS framework,
       CASE WHEN said IS NOT NULL THEN json_extract(words, '$.runtime') END AS runtime,
       CASE WHEN said IS NOT NULL THEN json_extract(words, '$.model') END AS model,
       QOS AS priority,
       chips,
       CASE WHEN least <> chips OR most <> chips THEN least END AS min_chips,
       NULL AS tasks,
       submit_time,
       -- (What is not known is left out; of most jobs it is the same, and json_patch is slow.)
       CASE WHEN "User" IS NULL OR Partition IS NULL OR NNodes IS NULL
              OR coalesce("Constraints", Reservation, WCKey, array_task, words) IS NOT NULL
            THEN json_patch(
                   json_patch('{}', json_object('user', "User", 'partition', Partition, 'nodes', NNodes, 'constraints', "Constraints",
                                                'reservation', Reservation, 'wckey', WCKey,
                                                'array_job', CASE WHEN array_task IS NOT NULL THEN job_base END)),
                   coalesce(words, '{}'))
            ELSE json_object('user', "User", 'partition', Partition, 'nodes', NNodes) END AS labels
FROM last;

-- A job that never started, but ended, holds nothing at its end: that closes what it requested. One that
-- was requeued and waits holds nothing from then on: that keeps it open.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT a.job, a.attempt, NULL AS task, p.pool, t.chips, a.Start AS start_time, a."End" AS end_time,
       iif(a.state_base = 'RESIZING', 'released', a.outcome) AS outcome
FROM slurm_attempts AS a CROSS JOIN slurm_lists AS t ON t.list = a.held_types
CROSS JOIN slurm_pools AS p ON p.cluster_name = a.cluster_name AND p.type = t.type
WHERE a.started
UNION ALL
SELECT a.job, a.attempt, NULL, p.pool, 0, coalesce(a."End", a.Submit), a."End", a.outcome
FROM slurm_attempts AS a
JOIN slurm_pools AS p ON p.cluster_name = a.cluster_name
 AND p.type = (SELECT min(key) FROM json_each(coalesce(a.req_gpu_types, a.held_types)))
WHERE CASE WHEN a."End" IS NOT NULL THEN NOT a.started OR a.held_types = '{}' ELSE NOT a.started AND a.last_start IS NOT NULL END;

-- A node is out of service while any of its events lasts, in any number, except what a job
-- still holds of it: a draining node works until its jobs are done. GPUs of a job are taken to lie
-- evenly on its nodes. Of several reasons the first of not_installed, hw_down, maintenance, drained, power_saving.
-- States are sacctmgr's short ones: DRNG is draining, FUTR a node that need not exist though the cluster counts
-- it; marks after a state are ~%!# for a node that has no power, goes there or comes back, $@^ for maintenance and a reboot.
--
-- What reasons say, by the words that people and Slurm write: the first row that matches counts. A pattern is of words, in lower
-- case, with % for any letters; all but letters and digits is a space in a reason. A TEMP table outage_reasons(pattern, kind) that
-- is there before has rows of its own, which come first, and whose kind counts whatever the node's state is.
CREATE TEMP TABLE IF NOT EXISTS outage_reasons(pattern TEXT, kind TEXT);
DROP TABLE IF EXISTS temp.slurm_reasons;
CREATE TEMP TABLE slurm_reasons(pattern, kind, own);
INSERT INTO slurm_reasons SELECT lower(pattern), kind, 1 FROM outage_reasons;
INSERT INTO slurm_reasons VALUES
  ('kill task fail%', 'drained', 0), ('prolog%', 'drained', 0), ('epilog%', 'drained', 0), ('job env%', 'drained', 0), -- Slurm's own
  ('launch fail%', 'drained', 0), ('batch job complete fail%', 'drained', 0), ('duplicate jobid%', 'drained', 0),
  ('no space left%', 'drained', 0), ('disk full', 'drained', 0),
  ('unexpectedly reboot%', 'hw_down', 0),
  ('%maint%', 'maintenance', 0), ('%reboot%', 'maintenance', 0), ('%upgrad%', 'maintenance', 0), ('%updat%', 'maintenance', 0),
  ('%firmware%', 'maintenance', 0), ('patching', 'maintenance', 0),
  ('reimag%', 'maintenance', 0), ('reinstall%', 'maintenance', 0),
  ('not responding', 'hw_down', 0), ('%xid%', 'hw_down', 0), ('%ecc', 'hw_down', 0), ('ecc%', 'hw_down', 0), ('%gpu%', 'hw_down', 0),
  ('sxid%', 'hw_down', 0), ('%nvlink%', 'hw_down', 0),
  ('nvswitch%', 'hw_down', 0), ('fell off the bus', 'hw_down', 0), ('row remap%', 'hw_down', 0), ('%npu%', 'hw_down', 0),
  ('tpu%', 'hw_down', 0), ('hbm%', 'hw_down', 0),
  ('hw%', 'hw_down', 0), ('%hardware%', 'hw_down', 0), ('rma', 'hw_down', 0), ('broken', 'hw_down', 0), ('dead', 'hw_down', 0),
  ('defect%', 'hw_down', 0), ('faulty', 'hw_down', 0),
  ('ib', 'hw_down', 0), ('ib0', 'hw_down', 0), ('ib1', 'hw_down', 0), ('infiniband%', 'hw_down', 0), ('hca%', 'hw_down', 0),
  ('mlx%', 'hw_down', 0), ('nic', 'hw_down', 0), ('nics', 'hw_down', 0), ('link down', 'hw_down', 0),
  ('link flap%', 'hw_down', 0), ('roce%', 'hw_down', 0), ('efa', 'hw_down', 0), ('cable%', 'hw_down', 0), ('transceiver%', 'hw_down', 0),
  ('pcie%', 'hw_down', 0), ('pci', 'hw_down', 0),
  ('%dimm%', 'hw_down', 0), ('memory err%', 'hw_down', 0), ('bad memory', 'hw_down', 0), ('low realmemory', 'hw_down', 0),
  ('mce%', 'hw_down', 0), ('machine check%', 'hw_down', 0),
  ('uncorrectable%', 'hw_down', 0), ('cpu fail%', 'hw_down', 0), ('cpu err%', 'hw_down', 0), ('bad cpu', 'hw_down', 0),
  ('psu%', 'hw_down', 0), ('power supply', 'hw_down', 0),
  ('power fail%', 'hw_down', 0), ('power loss', 'hw_down', 0), ('fan', 'hw_down', 0), ('fans', 'hw_down', 0), ('overheat%', 'hw_down', 0),
  ('thermal%', 'hw_down', 0), ('temperature', 'hw_down', 0), ('leak%', 'hw_down', 0),
  ('motherboard', 'hw_down', 0), ('mainboard', 'hw_down', 0), ('baseboard', 'hw_down', 0), ('bmc%', 'hw_down', 0), ('ssd', 'hw_down', 0),
  ('nvme%', 'hw_down', 0), ('bad disk', 'hw_down', 0),
  ('disk fail%', 'hw_down', 0), ('disk err%', 'hw_down', 0), ('i o err%', 'hw_down', 0), ('kernel panic%', 'hw_down', 0),
  ('crash%', 'hw_down', 0), ('node fail%', 'hw_down', 0),
  ('ticket%', 'drained', 0), ('%test%', 'drained', 0), ('reserved', 'drained', 0), ('mount%', 'drained', 0), ('lustre%', 'drained', 0),
  ('nfs%', 'drained', 0), ('gpfs%', 'drained', 0),
  ('filesystem%', 'drained', 0);

-- Each reason once, in words.
DROP TABLE IF EXISTS temp.slurm_said;
CREATE TEMP TABLE slurm_said AS
WITH RECURSIVE cleaned(reason, words, marks) AS (
  SELECT DISTINCT Reason, lower(Reason), ':;,.()[]/_-#=*!?+|"<>{}@&' || char(39, 9)
  FROM slurm_events WHERE NodeName IS NOT NULL AND Reason <> ''
  UNION ALL
  SELECT reason, replace(words, substr(marks, 1, 1), ' '), substr(marks, 2) FROM cleaned WHERE marks <> ''
)
SELECT reason, (SELECT min(r.rowid) FROM slurm_reasons AS r WHERE ' ' || words || ' ' LIKE '% ' || r.pattern || ' %') AS matched
FROM cleaned WHERE marks = '';
CREATE UNIQUE INDEX temp.slurm_said_as ON slurm_said(reason);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT e._file, 'info', 'unknown_reason', min(e._line), count(*),
       'reasons without a row in outage_reasons, counted as drained: ' || group_concat(DISTINCT e.Reason)
FROM slurm_events AS e JOIN slurm_said AS s ON s.reason = e.Reason
WHERE s.matched IS NULL AND e.NodeName IS NOT NULL AND e.state_base GLOB 'DR[AN]*'
GROUP BY e._file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'events of nodes whose state is none that takes them out of service, counted as '
         || iif(state_base IS NULL, 'their reasons or else drained', 'hw_down') || ': ' || coalesce(group_concat(DISTINCT State), 'none')
FROM slurm_events
WHERE NodeName IS NOT NULL AND coalesce(Event, 'Node') = 'Node' AND gpu_types <> '{}' AND State NOT GLOB '*[~%!#$@^*]'
  AND NOT state_base GLOB 'D[OR]*' AND NOT state_base GLOB 'FUT*' AND NOT state_base GLOB 'FAIL*' AND state_base NOT LIKE 'POW%'
  AND state_base NOT LIKE 'MAINT%' AND state_base NOT LIKE 'REBOOT%' AND state_base NOT LIKE 'BOOT%'
  AND state_base NOT IN ('INVAL', 'ERROR')
   OR NodeName IS NOT NULL AND coalesce(Event, 'Node') = 'Node' AND gpu_types <> '{}' AND state_base IS NULL
GROUP BY _file, state_base IS NULL;
DROP TABLE IF EXISTS temp.slurm_down;
CREATE TEMP TABLE slurm_down AS
SELECT e.Cluster AS cluster_name, e.NodeName AS node, p.pool, sum(t.value) AS chips,
       e.TimeStart AS start_time, e.TimeEnd AS end_time,
       CASE
         WHEN r.own THEN r.kind
         WHEN e.state_base GLOB 'FUT*' THEN 'not_installed'
         WHEN e.state_base LIKE 'POW%' OR (e.State GLOB '*[~%!#]' AND NOT e.state_base GLOB 'D[OR]*') THEN 'power_saving'
         WHEN e.state_base LIKE 'MAINT%' OR e.state_base LIKE 'REBOOT%' OR e.state_base LIKE 'BOOT%' OR e.State GLOB '*[$@^]'
           OR r.kind = 'maintenance' THEN 'maintenance'
         WHEN NOT e.state_base GLOB 'DR[AN]*' OR r.kind = 'hw_down' THEN 'hw_down'
         ELSE 'drained'
       END AS kind
FROM slurm_events AS e, json_each(e.gpu_types) AS t
JOIN slurm_pools AS p ON p.cluster_name = e.Cluster AND p.type = t.key
LEFT JOIN slurm_said AS w ON w.reason = e.Reason
LEFT JOIN slurm_reasons AS r ON r.rowid = w.matched
WHERE e.NodeName IS NOT NULL AND coalesce(e.Event, 'Node') = 'Node' AND e.TimeStart IS NOT NULL
GROUP BY e.rowid, p.pool;
DROP TABLE IF EXISTS temp.slurm_nodes;
CREATE TEMP TABLE slurm_nodes AS
SELECT cluster_name, node, pool, max(chips) AS installed, min(chips) AS least FROM slurm_down GROUP BY cluster_name, node, pool;
CREATE UNIQUE INDEX temp.slurm_node_of ON slurm_nodes(cluster_name, node, pool);

DROP TABLE IF EXISTS temp.outages;
CREATE TEMP TABLE outages(pool, chips, start_time, end_time, kind);
--@ if EXISTS (SELECT 1 FROM slurm_nodes)
INSERT INTO temp.outages
WITH on_node AS ( -- CROSS: a job's own nodes are looked up, and not all nodes of its cluster for each job
  SELECT a.cluster_name, n.value AS node, p.pool, a.Start AS start_time, a."End" AS end_time,
         (h.chips + h.nodes - 1) / h.nodes AS held
  FROM (SELECT a.rowid AS place, t.type, t.chips, -- GPUs of several types lie on the nodes of their type
               iif(instr(t.list, ','), coalesce(nullif((SELECT count(*) FROM json_each(j.nodes) AS n
                                                        JOIN slurm_types AS k ON k.cluster_name = a.cluster_name AND k.node = n.value
                                                        WHERE k.type = t.type), 0), json_array_length(j.nodes)),
                   json_array_length(j.nodes)) AS nodes
        FROM (SELECT 1 FROM slurm_nodes LIMIT 1) CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_lists AS t ON t.list = a.held_types
        CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
        WHERE a.started AND t.chips > 0) AS h
  CROSS JOIN slurm_attempts AS a ON a.rowid = h.place
  CROSS JOIN slurm_pools AS p ON p.cluster_name = a.cluster_name AND p.type = h.type
  CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN json_each(j.nodes) AS n
  CROSS JOIN slurm_nodes AS d ON d.cluster_name = a.cluster_name AND d.node = n.value AND d.pool = p.pool
  WHERE a.started AND h.chips > 0
),
edge AS (
  SELECT cluster_name, node, pool, start_time AS at, kind, 1 AS down, 0 AS held FROM slurm_down
  UNION ALL
  SELECT cluster_name, node, pool, end_time, kind, -1, 0 FROM slurm_down WHERE end_time IS NOT NULL
  UNION ALL
  SELECT cluster_name, node, pool, start_time, NULL, 0, held FROM on_node
  UNION ALL
  SELECT cluster_name, node, pool, end_time, NULL, 0, -held FROM on_node WHERE end_time IS NOT NULL
),
moment AS (
  SELECT cluster_name, node, pool, at,
         total(down) FILTER (WHERE kind = 'not_installed') AS not_installed,
         total(down) FILTER (WHERE kind = 'hw_down') AS hw_down,
         total(down) FILTER (WHERE kind = 'maintenance') AS maintenance,
         total(down) FILTER (WHERE kind = 'drained') AS drained,
         total(down) FILTER (WHERE kind = 'power_saving') AS power_saving,
         sum(held) AS held
  FROM edge
  GROUP BY cluster_name, node, pool, at
),
slice AS (
  SELECT cluster_name, node, pool, at AS start_time, lead(at) OVER later AS end_time,
         CASE WHEN sum(not_installed) OVER earlier > 0 THEN 'not_installed'
              WHEN sum(hw_down) OVER earlier > 0 THEN 'hw_down'
              WHEN sum(maintenance) OVER earlier > 0 THEN 'maintenance'
              WHEN sum(drained) OVER earlier > 0 THEN 'drained'
              WHEN sum(power_saving) OVER earlier > 0 THEN 'power_saving' END AS kind,
         sum(held) OVER earlier AS held
  FROM moment
  WINDOW later AS (PARTITION BY cluster_name, node, pool ORDER BY at),
         earlier AS (PARTITION BY cluster_name, node, pool ORDER BY at ROWS UNBOUNDED PRECEDING)
)
SELECT pool, has - held AS chips, start_time, end_time, kind
FROM (SELECT s.*, CASE WHEN least = installed THEN installed -- else a node that got other GPUs
                       ELSE (SELECT d.chips FROM slurm_down AS d
                             WHERE d.cluster_name = s.cluster_name AND d.node = s.node AND d.pool = s.pool AND d.start_time <= s.start_time
                             ORDER BY d.start_time DESC, d.chips DESC LIMIT 1) END AS has
      FROM slice AS s JOIN slurm_nodes USING (cluster_name, node, pool) WHERE kind IS NOT NULL)
WHERE held < has;
--@ end

-- ---- 5. Until when a pool was observed ----

-- A job that runs has run for its Elapsed when sacct was asked, and the JSON of squeue tells of its last change: then the export was made,
-- or when a later one tells of an end.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
WITH asked AS (
  SELECT cluster_name, max(a.Start + coalesce(ElapsedRaw, Elapsed) + coalesce(Suspended, 0)) AS until_time
  FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
  WHERE started AND a."End" IS NULL
    AND a.state_base IN ('RUNNING', 'SUSPENDED', 'COMPLETING', 'CONFIGURING', 'STOPPED', 'SIGNALING', 'STAGE_OUT', 'POWER_UP_NODE',
                         'EXPEDITING', 'UPDATE_DB')
  GROUP BY cluster_name
  UNION ALL
  SELECT cluster_name, at FROM slurm_listed
  UNION ALL -- where the nodes had allocated then what the jobs hold that run
  SELECT cluster_name, last_update
  FROM (SELECT cluster_name, max(last_update) AS last_update, sum(alloc_gpus) AS allocated FROM slurm_seen GROUP BY cluster_name) AS n
  WHERE last_update IS NOT NULL
    AND allocated = (SELECT sum((SELECT sum(chips) FROM slurm_lists AS l WHERE l.list = a.held_types))
                     FROM slurm_attempts AS a WHERE a.cluster_name = n.cluster_name AND started AND a."End" IS NULL)
),
ended AS (
  SELECT cluster_name, max("End") AS until_time FROM slurm_attempts
  WHERE cluster_name IN (SELECT cluster_name FROM asked) GROUP BY cluster_name
)
SELECT pool, max(max(a.until_time, coalesce(e.until_time, a.until_time))) AS until_time
FROM slurm_pools JOIN asked AS a USING (cluster_name) LEFT JOIN ended AS e USING (cluster_name)
WHERE a.until_time IS NOT NULL GROUP BY pool;

-- squeue, and sacct without Elapsed, do not tell when they were asked.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT j._file, 'warning', 'not_observed', min(j._line), count(*),
       'jobs that run, the first ' || min(a.job)
         || ', and nothing that says when they were listed: they are held until the last time of the trace. Export sacct with Elapsed, or give as_of'
FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
WHERE a.started AND a."End" IS NULL
  AND a.state_base IN ('RUNNING', 'SUSPENDED', 'COMPLETING', 'CONFIGURING', 'STOPPED', 'SIGNALING', 'STAGE_OUT', 'POWER_UP_NODE',
                       'EXPEDITING', 'UPDATE_DB')
  AND NOT EXISTS (SELECT 1 FROM slurm_pools AS p JOIN observed USING (pool) WHERE p.cluster_name = a.cluster_name)
GROUP BY j._file;
