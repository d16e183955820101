-- slurm.sql - from Slurm's accounting to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :sacct sure \A(?:[A-Za-z]\w*[|\t])*JobID(?:Raw)?[|\t][^\n]*\n
--@ input :sacct sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"jobs"\s*:\s*\[
--@ input :sacct sure (?s)\A\s*\{\s*"jobs"\s*:\s*\[.*"(?:job_id|association|array)"\s*:
--@ input :reservations sure \A(?=[^\n]*\b(?:UnusedWall|NodeNames|Name[|]))(?:[A-Za-z][\w ]*[|])*TimeStart[|]
--@ input :reservations sure \AReservationName=\S+ StartTime=
--@ input :reservations sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"reservations"\s*:\s*\[
--@ input :reservations sure (?s)\A\s*\{\s*"reservations"\s*:\s*\[.*"node_list"\s*:
--@ input :events sure \A(?![^\n]*\b(?:UnusedWall|NodeNames)\b)(?:[A-Za-z][\w ]*[|])*(?:TimeStart|NodeName)[|](?:[^\n]*[|])?(?:TimeEnd|TimeStart|State)[|\n]
--@ input :nodes sure \ANodeName=\S+ [^\n]*\b(?:CPUTot|Arch|State|Gres)=
--@ input :nodes sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"nodes"\s*:\s*\[\s*\{
--@ input :nodes sure (?s)\A\s*\{\s*"nodes"\s*:\s*\[.*"(?:slurmd_version|gres)"\s*:
--@ extends outage_reasons
--@ needs :zone ^[^\n]*[|]\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[|]
--@ hint \A-{40,}\n(?:Cluster|Job|User)[^\n]*Utilization => a report of sreport: export sacct and sacctmgr show event instead
--@ hint \A\s*JobID\s+JobName\s => sacct as a table for people: export it with sacct -P
--@ hint \AJobId=\d+ => scontrol show job: export sacct -P instead
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :sacct  fixtures/slurm/sacct_jobs.psv
--     .param set :events fixtures/slurm/sacctmgr_events.psv
--     .read sql/formats/slurm.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters (all but :sacct may be left unset): :sacct and :events are paths, globs or folders of
-- `sacct -P` (or its --json, or that of squeue) and `sacctmgr -P show event`; :nodes is one of
-- `scontrol show node`, for what the events do not say; :zone is the cluster's time zone, if the
-- times are local ('UTC'); :columns and :delimiter are the arguments of slurm_trace; :reservations is one of
-- `scontrol show reservation` or of `sacctmgr -P show reservation`.
--
-- From a program that cannot bind parameters to a script, create the inputs before running it:
--
--     CREATE TEMP TABLE slurm_jobs AS SELECT *, _file, _line FROM slurm_trace('sacct.psv', 'Europe/Berlin');
--     CREATE TEMP TABLE slurm_events AS SELECT *, _file, _line FROM slurm_events_trace('events.psv', 'Europe/Berlin');
--     CREATE TEMP TABLE slurm_now AS SELECT *, _file, _line FROM slurm_nodes_trace('nodes.json');
--     CREATE TEMP TABLE slurm_reserved AS SELECT *, _file, _line FROM slurm_reservations_trace('reservations.txt');
--
-- Makes the TEMP tables jobs, allocations, capacity, outages and observed, which mpg_ledger and mpg_rollup then
-- find, and which may be changed before that (a pool's chip, a job's phase), and aliases, the other names of jobs.
-- The inputs are dropped at the end. The rules are explained in docs/formats/slurm.md.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS slurm_jobs AS
SELECT Cluster, JobIDRaw, JobID, job_base, array_task, array_count, step, JobName, "User", Account, QOS, Partition,
       state_base, outcome, Submit, Start, "End", NNodes, req_gpus, alloc_gpus, req_gpu_types, alloc_gpu_types, nodes,
       Comment, "Constraints", Reservation, WCKey, NULL AS ReqTRES,
       CASE WHEN instr(replace(coalesce(nullif(AllocTRES, ''), ReqTRES), 'gres/gpu', ''), 'gres/') -- all that is asked of these, below
            THEN coalesce(nullif(AllocTRES, ''), ReqTRES) END AS AllocTRES, ElapsedRaw, Elapsed, Suspended, TimelimitRaw, last_update, _file, _line
FROM slurm_trace(mpg_required(:sacct, ':sacct'), coalesce(:zone, 'UTC'), coalesce(:columns, ''), coalesce(:delimiter, ''))
WHERE step IS NULL;

CREATE TEMP TABLE IF NOT EXISTS slurm_events AS
SELECT Cluster, Event, NodeName, TimeStart, TimeEnd, Reason, State, state_base, TRES, gpu_types, _file, _line
FROM slurm_events_trace(:events, coalesce(:zone, 'UTC'));

CREATE TEMP TABLE IF NOT EXISTS slurm_now AS
SELECT ClusterName, NodeName, State, state_base, Reason, ReasonTime, BootTime, LastBusyTime, out_of_service, gpu_types, Gres, alloc_gpus, last_update, _file, _line
FROM slurm_nodes_trace(:nodes, coalesce(:zone, 'UTC'));

CREATE TEMP TABLE IF NOT EXISTS slurm_reserved AS
SELECT Cluster, ReservationName, StartTime, EndTime, node_names, Flags, TRES, Users, Accounts, Comment, _file, _line FROM slurm_reservations_trace(:reservations, coalesce(:zone, 'UTC'));

-- What cannot be: a time that is more than ten years from the middle one, by years; its record counts as nothing.
DROP TABLE IF EXISTS temp.slurm_impossible;
CREATE TEMP TABLE slurm_impossible AS
WITH span AS (SELECT max(max(coalesce(Submit, 0), coalesce(Start, 0), coalesce("End", 0))) - min(min(coalesce(Submit, 9e18), coalesce(Start, 9e18), coalesce("End", 9e18))) AS seconds FROM slurm_jobs),
years AS (
  SELECT 'job' AS what, coalesce(Start, Submit, "End") / 31556952 AS year, count(*) AS n FROM span CROSS JOIN slurm_jobs WHERE seconds > 10 * 31556952 GROUP BY 2
  UNION ALL
  SELECT 'event', TimeStart / 31556952, count(*) FROM slurm_events GROUP BY 2
),
middle AS (
  SELECT what, min(year) AS year
  FROM (SELECT what, year, sum(n) OVER (PARTITION BY what ORDER BY year) AS so_far, sum(n) OVER (PARTITION BY what) AS n FROM years WHERE year IS NOT NULL)
  WHERE 2 * so_far >= n GROUP BY what
)
SELECT what, j.rowid AS row, _file, _line, coalesce(JobID, JobIDRaw) AS name
FROM middle AS m CROSS JOIN slurm_jobs AS j ON what = 'job'
WHERE max(abs(coalesce(Submit / 31556952 - year, 0)), abs(coalesce(Start / 31556952 - year, 0)), abs(coalesce("End" / 31556952 - year, 0))) > 10
UNION ALL
SELECT what, e.rowid, _file, _line, coalesce(NodeName, Cluster)
FROM slurm_events AS e JOIN middle AS m ON what = 'event'
WHERE max(abs(coalesce(TimeStart / 31556952 - year, 0)), abs(coalesce(TimeEnd / 31556952 - year, 0))) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of ' || what || ' ' || name || ' is more than ten years from the middle one: what tells it is left out'
FROM slurm_impossible GROUP BY _file, what;
DELETE FROM temp.slurm_jobs WHERE rowid IN (SELECT row FROM slurm_impossible WHERE what = 'job');
DELETE FROM temp.slurm_events WHERE rowid IN (SELECT row FROM slurm_impossible WHERE what = 'event');
DROP TABLE slurm_impossible;

-- Most jobs ended as jobs do and tell all of it: what may be to list or to mend is looked for among the others.
DROP TABLE IF EXISTS temp.slurm_odd;
CREATE TEMP TABLE slurm_odd AS
SELECT rowid AS row FROM slurm_jobs
WHERE (state_base IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY', 'PREEMPTED') AND "End" >= Start AND Start >= Submit
       AND (alloc_gpus > 0) = (req_gpus > 0) AND coalesce(JobIDRaw, JobID) IS NOT NULL AND Cluster IS NOT NULL AND coalesce(AllocTRES, ReqTRES) IS NULL
       AND coalesce(Suspended, 0) = 0) IS NOT TRUE;
DROP VIEW IF EXISTS temp.slurm_odd_jobs;
CREATE TEMP VIEW slurm_odd_jobs AS SELECT j.* FROM slurm_odd AS o CROSS JOIN slurm_jobs AS j ON j.rowid = o.row;

-- A state that is none of Slurm's, a job that ran and has no start, or that lacks what it held while others say it, and one that
-- started before it was submitted are counted as they stand, and listed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*), 'states that are none of Slurm''s, whose outcome is not known: ' || group_concat(DISTINCT state_base)
FROM slurm_odd_jobs
WHERE state_base NOT IN ('BOOT_FAIL', 'CANCELLED', 'COMPLETED', 'COMPLETING', 'CONFIGURING', 'DEADLINE', 'EXPEDITING', 'FAILED', 'LAUNCH_FAILED', 'NODE_FAIL',
                         'OUT_OF_MEMORY', 'PENDING', 'POWER_UP_NODE', 'PREEMPTED', 'RECONFIG_FAIL', 'REQUEUED', 'REQUEUE_FED', 'REQUEUE_HOLD', 'RESIZING', 'RESV_DEL_HOLD',
                         'REVOKED', 'RUNNING', 'SIGNALING', 'SPECIAL_EXIT', 'STAGE_OUT', 'STOPPED', 'SUSPENDED', 'TIMEOUT', 'UPDATE_DB')
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*), 'job ' || coalesce(JobID, JobIDRaw) || ' lacks ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN (Start IS NULL AND coalesce(ElapsedRaw, Elapsed) > 0) THEN 'Start'
                     WHEN "End" IS NULL AND state_base IN ('COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY', 'PREEMPTED') THEN 'End'
                     WHEN Submit IS NULL THEN 'Submit'
                     WHEN req_gpus > 0 AND coalesce(alloc_gpus, 0) = 0 AND "End" > Start THEN 'AllocTRES'
                     WHEN alloc_gpus > 0 AND coalesce(req_gpus, 0) = 0 THEN 'ReqTRES'
                     WHEN coalesce(JobIDRaw, JobID) IS NULL THEN 'JobID'
                     WHEN Cluster IS NULL THEN 'Cluster' WHEN state_base IS NULL THEN 'State' END AS field
      FROM slurm_odd_jobs)
WHERE CASE field WHEN 'Start' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE Start IS NOT NULL) WHEN 'End' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE "End" IS NOT NULL)
                 WHEN 'Submit' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE Submit IS NOT NULL) WHEN 'AllocTRES' THEN 1
                 WHEN 'ReqTRES' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE req_gpus > 0) WHEN 'Cluster' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE Cluster IS NOT NULL)
                 WHEN 'State' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE state_base IS NOT NULL) WHEN 'JobID' THEN 1 END
GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*), 'job ' || coalesce(JobID, JobIDRaw) || ' started before it was submitted: it counts as given, and asked for nothing before'
FROM slurm_odd_jobs WHERE Start < Submit GROUP BY _file;

-- An event that names no cluster is of the only one that there is.
UPDATE temp.slurm_events SET Cluster = (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events) WHERE Cluster IS NULL;

-- A job that ended before it started holds nothing, and such an event counts as none. (A job that was cancelled
-- while its node was set up is written so.)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || coalesce(JobID, JobIDRaw) || ' ended before it started: it holds nothing'
FROM slurm_odd_jobs WHERE "End" < Start GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'an event of ' || coalesce(NodeName, Cluster, 'the cluster') || ' ended before it started: it is left out'
FROM slurm_events WHERE TimeEnd < TimeStart GROUP BY _file;
UPDATE temp.slurm_jobs SET "End" = Start WHERE rowid IN (SELECT row FROM slurm_odd) AND "End" < Start;
-- What slurmctld lost and slurmdbd calls running still (sacctmgr show runawayjobs): its limit passed an hour or more before it was listed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*), 'job ' || coalesce(JobID, JobIDRaw) || ' runs though its time limit is over: it is held until it was listed. Is it a runaway job?'
FROM slurm_odd_jobs
WHERE state_base IN ('RUNNING', 'COMPLETING') AND "End" IS NULL AND coalesce(ElapsedRaw, Elapsed, (SELECT max("End") FROM slurm_jobs) - Start) > TimelimitRaw * 60 + 3600
GROUP BY _file;
-- A suspended job keeps its GPUs: Slurm gives its cores to others, and not its GRES.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(*), 'jobs that were suspended, the first ' || min(coalesce(JobID, JobIDRaw)) || ', for ' || CAST(total(Suspended) AS INTEGER) || ' s in all'
       || iif(count(Suspended) < count(*), ' and a time that the export lacks', '') || ': they held their chips meanwhile (' || CAST(total(alloc_gpus * Suspended) AS INTEGER) || ' chip-seconds)'
FROM slurm_odd_jobs WHERE (Suspended > 0 OR state_base = 'SUSPENDED') AND alloc_gpus > 0 GROUP BY _file;
-- The end of what still runs or waits is planned.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'planned_end', min(_line), count(*), 'jobs that still run, with an End, the first ' || min(JobID) || ': it is planned, and they are held until the export was made'
FROM slurm_odd_jobs WHERE state_base IN ('RUNNING', 'SUSPENDED') AND "End" IS NOT NULL GROUP BY _file;
UPDATE temp.slurm_jobs SET "End" = NULL WHERE rowid IN (SELECT row FROM slurm_odd) AND state_base IN ('RUNNING', 'SUSPENDED') AND "End" IS NOT NULL;
DELETE FROM temp.slurm_events WHERE TimeEnd < TimeStart;

-- Resources that are no whole accelerators: parts of GPUs (shard, mps), words that are not known, and what else a cluster counts.
DROP TABLE IF EXISTS temp.slurm_others;
CREATE TEMP TABLE slurm_others AS
WITH lists AS (
  SELECT _file, _line, coalesce(nullif(AllocTRES, ''), ReqTRES) AS tres, 'jobs' AS what FROM slurm_odd_jobs
  WHERE instr(replace(coalesce(nullif(AllocTRES, ''), ReqTRES), 'gres/gpu', ''), 'gres/') AND step IS NULL
  UNION ALL
  SELECT _file, _line, TRES, iif(NodeName IS NULL, 'records of the cluster', 'events of nodes') FROM slurm_events
  WHERE instr(replace(TRES, 'gres/gpu', ''), 'gres/')
  UNION ALL -- "ascend:910b:8(S:0-1)" as "gres/ascend=8"
  SELECT _file, _line, 'gres/' || substr(entry, 1, instr(entry, ':') - 1) || '=' || max(1, CAST(substr(entry, length(rtrim(entry, '0123456789')) + 1) AS INTEGER)), 'nodes'
  FROM (SELECT n._file, n._line, substr(g.value, 1, instr(g.value || '(', '(') - 1) AS entry
        FROM slurm_now AS n, json_each('["' || replace(replace(replace(n.Gres, '"', ''), '\', ''), ',', '","') || '"]') AS g
        WHERE replace(n.Gres, 'gpu:', '') GLOB '*[a-z]:*')
  WHERE entry GLOB '[a-z]*:*'
),
counted AS (
  SELECT _file, tres, what, min(_line) AS line, count(*) AS records FROM lists GROUP BY _file, tres, what
)
SELECT _file, what, t.key AS resource, min(line) AS line, sum(records) AS records, sum(records * CAST(t.value AS INTEGER)) AS units
FROM counted, json_each('{"' || replace(replace(replace(tres, '"', ''), ',', '","'), '=', '":"') || '"}') AS t
WHERE t.key GLOB 'gres/*' AND t.key NOT GLOB 'gres/gpu*' AND instr(t.key, ':') = 0 AND substr(t.key, 6) NOT IN ('npu', 'dcu', 'tpu', 'xpu', 'hpu', 'mlu')
   OR t.key GLOB 'gres/*:*' AND substr(t.key, 6, 4) NOT IN ('gpu:', 'npu:', 'dcu:', 'tpu:', 'xpu:', 'hpu:', 'mlu:') AND NOT instr(',' || tres, ',' || substr(t.key, 1, instr(t.key, ':') - 1) || '=')
GROUP BY _file, what, t.key;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(line), coalesce(sum(records), 0),
       'only gpu, npu, dcu, tpu, xpu, hpu and mlu count as chips, and not ' || group_concat(resource || ' (' || units || ' in ' || records || ' ' || what || ')', ', ')
FROM slurm_others GROUP BY _file;
DROP TABLE slurm_others;
DROP VIEW slurm_odd_jobs;
DROP TABLE slurm_odd;

-- An event that lasted while one export was made, and one that lies in the time of two, is in both, and has
-- one start in either: the row that knows the end counts.
DELETE FROM temp.slurm_events WHERE rowid IN (
  SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY Cluster, Event, NodeName, TimeStart, Reason IS 'slurmctld disconnect'
                                                         ORDER BY TimeEnd IS NULL, TimeEnd DESC) AS place
                  FROM temp.slurm_events)
  WHERE place > 1);

-- The nodes as they are now stand in for events that were not exported. What is installed is taken to
-- have been so since the first job; a node that is out of service and has no event, since its reason was
-- set, or where it has none, since it was last busy. Of a node that comes twice the last row is of now; JSON
-- names the cluster, text does not.
DROP TABLE IF EXISTS temp.slurm_seen;
CREATE TEMP TABLE slurm_seen AS
SELECT *,
       coalesce(nullif(ClusterName, ''), (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events),
                (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs), 'slurm') AS cluster_name,
       coalesce((SELECT min(coalesce(Submit, Start)) FROM slurm_jobs), min(BootTime) OVER ()) AS since
FROM slurm_now;
CREATE INDEX temp.slurm_event_of ON slurm_events(NodeName);
DELETE FROM temp.slurm_seen WHERE rowid NOT IN (SELECT max(rowid) FROM temp.slurm_seen GROUP BY cluster_name, NodeName);
CREATE INDEX temp.slurm_seen_as ON slurm_seen(NodeName);
INSERT INTO temp.slurm_events(Cluster, Event, NodeName, TimeStart, Reason, _file, _line, state_base, gpu_types)
SELECT cluster_name, 'Node', NodeName, coalesce(ReasonTime, LastBusyTime, since), Reason, _file, _line,
       CASE WHEN '+' || State LIKE '%+DOWN%' THEN 'DOWN' WHEN State LIKE '%FAIL%' THEN 'FAIL' WHEN State LIKE '%DRAIN%' THEN 'DRAIN'
            WHEN State LIKE '%MAINT%' THEN 'MAINT' WHEN State LIKE '%POWER%' THEN 'POWERED_DOWN' ELSE state_base END, gpu_types
FROM slurm_seen AS n
WHERE out_of_service AND NOT EXISTS (SELECT 1 FROM slurm_events AS e WHERE e.NodeName = n.NodeName AND coalesce(e.Cluster, cluster_name) = cluster_name);
-- Nodes that are reserved for maintenance are out of service: nobody but the administrators may use them. What is planned after the last
-- time of the exports has not happened, and an end after it is open. Other reservations hold nothing: who may use them does not, until
-- jobs run in them.
DROP TABLE IF EXISTS temp.slurm_last;
CREATE TEMP TABLE slurm_last AS
SELECT coalesce(max(at), 9e18) AS at
FROM (SELECT nullif(max(max(coalesce("End", 0), coalesce(Start + coalesce(ElapsedRaw, Elapsed, 0), 0), coalesce(Submit, 0))), 0) AS at
      FROM slurm_jobs WHERE EXISTS (SELECT 1 FROM slurm_reserved) -- else nobody asks
      UNION ALL SELECT max(coalesce(TimeEnd, TimeStart)) FROM slurm_events UNION ALL SELECT max(TimeStart) FROM slurm_events
      UNION ALL SELECT max(ReasonTime) FROM slurm_now UNION ALL SELECT max(LastBusyTime) FROM slurm_now);
DROP TABLE IF EXISTS temp.slurm_maintained;
CREATE TEMP TABLE slurm_maintained AS
SELECT DISTINCT r.rowid AS row, r._file, r._line, ReservationName AS name, n.value AS node, StartTime AS start_time, iif(EndTime > l.at, NULL, EndTime) AS end_time, StartTime > l.at AS later, r.Comment,
       coalesce(nullif(r.Cluster, ''), (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events), (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs),
                (SELECT iif(count(DISTINCT cluster_name) = 1, max(cluster_name), NULL) FROM slurm_seen), 'slurm') AS cluster_name
FROM slurm_reserved AS r, slurm_last AS l, json_each(coalesce(r.node_names, '[]')) AS n
WHERE ',' || Flags || ',' LIKE '%,MAINT,%' AND StartTime IS NOT NULL AND coalesce(EndTime > StartTime, 1);
INSERT INTO temp.slurm_events(Cluster, Event, NodeName, TimeStart, TimeEnd, Reason, State, state_base, gpu_types, _file, _line)
SELECT cluster_name, 'Node', node, start_time, end_time, 'reservation ' || name || coalesce(' ' || Comment, ''), 'MAINT', 'MAINT', types, _file, _line
FROM (SELECT m.*, coalesce((SELECT s.gpu_types FROM slurm_seen AS s WHERE s.cluster_name = m.cluster_name AND s.NodeName = m.node),
                           (SELECT max(e.gpu_types) FROM slurm_events AS e WHERE e.NodeName = m.node AND coalesce(e.Cluster, m.cluster_name) = m.cluster_name)) AS types
      FROM slurm_maintained AS m WHERE NOT later)
WHERE types IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'warning', 'unused_reservation', min(r._line), count(*), 'reservations for maintenance whose nodes count as idle: ' || group_concat(r.ReservationName || ': ' || why, '; ')
FROM (SELECT r.*, CASE WHEN StartTime IS NULL THEN 'no start' WHEN EndTime <= StartTime THEN 'it ends before it starts' WHEN node_names IS NULL THEN 'it names no nodes (export NodeNames)'
                       ELSE (SELECT count(DISTINCT m.node) || ' nodes of which no file has the GPUs (export scontrol show node), the first ' || min(m.node) FROM slurm_maintained AS m
                             WHERE m.row = r.rowid AND NOT m.later AND NOT EXISTS (SELECT 1 FROM slurm_events AS e WHERE e.NodeName = m.node AND coalesce(e.Cluster, m.cluster_name) = m.cluster_name AND e.gpu_types IS NOT NULL)
                             GROUP BY NULL HAVING count(*) > 0) END AS why
      FROM slurm_reserved AS r WHERE ',' || Flags || ',' LIKE '%,MAINT,%') AS r
WHERE why IS NOT NULL GROUP BY r._file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'reservation', min(_line), count(*), 'reservations that hold nothing: ' || group_concat(ReservationName || ' (' || why || ')', ', ')
FROM (SELECT r.*, CASE WHEN Flags IS NULL THEN 'without Flags: export them to tell maintenance' WHEN ',' || Flags || ',' LIKE '%,MAINT,%' THEN iif(StartTime > l.at, 'maintenance, after the last time of the export', NULL)
                       ELSE coalesce('users ' || Users, 'accounts ' || Accounts, Flags) END AS why
      FROM slurm_reserved AS r, slurm_last AS l)
WHERE why IS NOT NULL GROUP BY _file;
DROP TABLE slurm_maintained;
DROP TABLE slurm_last;
DROP TABLE slurm_reserved;
INSERT INTO temp.slurm_events(Cluster, Event, TimeStart, gpu_types)
SELECT cluster_name, 'Cluster', min(since), json_group_object(type, chips)
FROM (SELECT n.cluster_name, t.key AS type, sum(t.value) AS chips, min(n.since) AS since
      FROM slurm_seen AS n, json_each(n.gpu_types) AS t GROUP BY n.cluster_name, t.key) AS s
WHERE NOT EXISTS (SELECT 1 FROM slurm_events AS e WHERE e.Cluster = s.cluster_name AND coalesce(e.Event, 'Cluster') = 'Cluster' AND e.NodeName IS NULL)
GROUP BY cluster_name;

-- ---- 2. Attempts: one a row of sacct that is a job and has to do with GPUs ----

DROP TABLE IF EXISTS temp.slurm_rows;
CREATE TEMP TABLE slurm_rows AS
SELECT rowid AS row, JobID, array_task, array_count, state_base, Submit, Start, "End",
       coalesce(Cluster, (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events),
                (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs), 'slurm') AS cluster_name,
       coalesce(JobIDRaw, JobID) AS id,
       Start IS NOT NULL AND coalesce(state_base, '') <> 'PENDING' AS started,
       0 AS repeated
FROM slurm_jobs
WHERE step IS NULL AND max(coalesce(req_gpus, 0), coalesce(alloc_gpus, 0)) > 0;

-- `sacct --array` writes each task that waits in a row of its own, all with the array's id: such a one goes by the
-- id that it started with in another export, or else by its name.
UPDATE temp.slurm_rows SET id = own.id
FROM (SELECT r.row, coalesce(begun.id, r.JobID) AS id
      FROM slurm_rows AS r
           JOIN (SELECT cluster_name, id FROM slurm_rows WHERE NOT started AND array_task NOT LIKE '[%'
                 GROUP BY cluster_name, id, Submit HAVING count(DISTINCT array_task) > 1) AS many USING (cluster_name, id)
           LEFT JOIN (SELECT cluster_name, JobID, max(id) AS id FROM slurm_rows WHERE started GROUP BY cluster_name, JobID) AS begun
             ON begun.cluster_name = r.cluster_name AND begun.JobID = r.JobID
      WHERE NOT r.started AND r.array_task NOT LIKE '[%') AS own
WHERE own.row = slurm_rows.row;

-- A job that runs while two exports are made is in both: the one that knows its end counts. One that
-- waited in the first and has started since, waits no more; of an array, what waits becomes less.
-- A resize ends a row and begins another of the same attempt. A job of a federation is in the accounting of
-- each cluster that might have run it: REVOKED, where another one did.
-- Most jobs have one row: only those of several need the windows.
DROP TABLE IF EXISTS temp.slurm_repeated;
CREATE TEMP TABLE slurm_repeated AS SELECT id, cluster_name FROM slurm_rows GROUP BY id, cluster_name HAVING count(*) > 1;
CREATE INDEX temp.slurm_repeated_of ON slurm_repeated(id, cluster_name);
UPDATE temp.slurm_rows SET repeated = 1
WHERE EXISTS (SELECT 1 FROM slurm_repeated AS r WHERE r.id IS slurm_rows.id AND r.cluster_name = slurm_rows.cluster_name);
DROP TABLE IF EXISTS temp.slurm_elsewhere;
CREATE TEMP TABLE slurm_elsewhere AS
SELECT coalesce(JobIDRaw, JobID) AS id FROM slurm_jobs
WHERE EXISTS (SELECT 1 FROM slurm_rows WHERE NOT started AND state_base = 'REVOKED') -- else nobody asks
GROUP BY 1 HAVING count(DISTINCT Cluster) > 1 AND max(state_base IS NOT 'REVOKED');
DROP TABLE IF EXISTS temp.slurm_counted;
CREATE TEMP TABLE slurm_counted AS
WITH ranked AS (
  SELECT *,
         row_number() OVER (
           PARTITION BY cluster_name, id, started, CASE WHEN started THEN Start ELSE Submit END
           ORDER BY "End" IS NULL, "End" DESC, array_count
         ) AS place,
         max(CASE WHEN started THEN Start END) OVER (PARTITION BY cluster_name, id) AS last_start
  FROM slurm_rows
  WHERE repeated
)
SELECT row, cluster_name, id, started, last_start,
       1 + coalesce(sum(coalesce(state_base, '') <> 'RESIZING') OVER (earlier ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
         AS attempt,
       row_number() OVER (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit) DESC, Submit DESC) AS from_last
FROM ranked
WHERE place = 1 AND (started OR "End" IS NOT NULL OR coalesce(Submit > last_start, 1))
  AND NOT (NOT started AND state_base IS 'REVOKED' AND id IN (SELECT id FROM slurm_elsewhere))
WINDOW earlier AS (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit), Submit);
DROP TABLE IF EXISTS temp.slurm_attempts;
CREATE TEMP TABLE slurm_attempts AS
SELECT CASE WHEN (SELECT min(cluster_name) <> max(cluster_name) FROM slurm_rows) THEN cluster_name || '/' || id ELSE id END AS job,
       attempt, from_last, last_start, cluster_name, id, started, repeated, coalesce(alloc_gpu_types, req_gpu_types, '{}') AS held_types, row,
       req_gpu_types, req_gpus, alloc_gpus, array_count, state_base, outcome, Submit, Start, "End"
FROM (SELECT row, cluster_name, id, started, 1 AS repeated, attempt, from_last, last_start FROM slurm_counted
      UNION ALL
      SELECT row, cluster_name, id, started, 0, 1, 1, CASE WHEN started THEN Start END FROM slurm_rows
      WHERE NOT repeated AND NOT (NOT started AND state_base IS 'REVOKED' AND id IN (SELECT id FROM slurm_elsewhere)))
CROSS JOIN slurm_jobs AS j ON j.rowid = row; -- the rest is read where it lies
DROP TABLE slurm_counted;
DROP TABLE slurm_elsewhere;

-- What ran when an earlier export was made, and in a later one has begun anew, has an end that neither says: a
-- requeue submits again, and a job does not run twice.
UPDATE temp.slurm_attempts SET "End" = ended
FROM (SELECT rowid AS row, CASE WHEN lead(Submit) OVER later > Start THEN lead(Submit) OVER later ELSE lead(Start) OVER later END AS ended
      FROM temp.slurm_attempts
      WHERE repeated
      WINDOW later AS (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit), Submit)) AS n
WHERE n.row = slurm_attempts.rowid AND started AND "End" IS NULL AND ended IS NOT NULL;

-- Slurm counts GPUs by type for jobs that requested a type. Those of another job are of the type of its nodes, where
-- that is known and one: of the nodes as they are now, of their events, of the jobs that asked. A list without any
-- type is of a time when none was counted, and says nothing; what is held then is of no type, as what was installed.
DROP TABLE IF EXISTS temp.slurm_installed;
CREATE TEMP TABLE slurm_installed AS
SELECT e.Cluster AS cluster_name, t.key AS type, t.value AS chips, e.TimeStart AS start_time, e.TimeEnd AS end_time, count(*) OVER (PARTITION BY e.rowid) AS types
FROM slurm_events AS e, json_each(e.gpu_types) AS t
WHERE coalesce(e.Event, CASE WHEN e.NodeName IS NULL THEN 'Cluster' END) = 'Cluster' AND e.TimeStart IS NOT NULL
  AND e.Reason IS NOT 'slurmctld disconnect'; -- a second row of the cluster (TrackSlurmctldDown)
CREATE INDEX temp.slurm_installed_in ON slurm_installed(cluster_name, type);

DROP TABLE IF EXISTS temp.slurm_types;
CREATE TEMP TABLE slurm_types AS
WITH listed AS (
  SELECT cluster_name, NodeName AS node, gpu_types FROM slurm_seen
  UNION
  SELECT Cluster, NodeName, gpu_types FROM slurm_events WHERE NodeName IS NOT NULL
),
known AS (
  SELECT cluster_name, node, t.key AS type FROM listed, json_each(gpu_types) AS t WHERE gpu_types NOT LIKE '{"":%' OR gpu_types LIKE '%,%'
  UNION
  SELECT a.cluster_name, n.value, t.key
  FROM (SELECT 1 FROM slurm_attempts WHERE started AND instr(held_types, '"":') LIMIT 1) -- else nobody asks
  CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN json_each(j.alloc_gpu_types) AS t CROSS JOIN json_each(j.nodes) AS n
  WHERE t.key <> '' AND t.value = a.alloc_gpus
)
SELECT cluster_name, node, max(type) AS type FROM known GROUP BY cluster_name, node HAVING count(*) = 1 AND max(type) <> '';
CREATE UNIQUE INDEX temp.slurm_type_of ON slurm_types(cluster_name, node);

UPDATE temp.slurm_attempts SET held_types = json_object(t.type, t.chips)
FROM (SELECT a.rowid AS row, max(k.type) AS type, (SELECT sum(value) FROM json_each(a.held_types)) AS chips, a.held_types AS held
      FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN json_each(j.nodes) AS n
           LEFT JOIN slurm_types AS k ON k.cluster_name = a.cluster_name AND k.node = n.value
      WHERE a.started AND instr(a.held_types, '"":') AND EXISTS (SELECT 1 FROM slurm_types) AND '' IN (SELECT key FROM json_each(a.held_types))
      GROUP BY a.rowid
      HAVING count(DISTINCT k.type) = 1 AND count(k.type) = count(*)) AS t
WHERE t.row = slurm_attempts.rowid AND NOT EXISTS (SELECT 1 FROM json_each(t.held) AS h WHERE h.key NOT IN ('', t.type))
  AND NOT EXISTS (SELECT 1 FROM slurm_installed AS i
                  WHERE i.cluster_name = slurm_attempts.cluster_name AND i.type = '' AND i.types = 1
                    AND i.start_time <= Start AND Start < coalesce(i.end_time, Start + 1));

-- What is held is one of few lists.
DROP TABLE IF EXISTS temp.slurm_lists;
CREATE TEMP TABLE slurm_lists AS
SELECT types AS list, t.key AS type, t.value AS chips FROM (SELECT DISTINCT held_types AS types FROM slurm_attempts) CROSS JOIN json_each(types) AS t;
CREATE INDEX temp.slurm_list_of ON slurm_lists(list);

-- ---- 3. Pools: the cluster, or where it has several types of GPU, "cluster/type" ----

DROP TABLE IF EXISTS temp.slurm_pools;
CREATE TEMP TABLE slurm_pools AS
WITH asked AS (
  SELECT cluster_name, t.key AS type FROM (SELECT DISTINCT cluster_name, held_types AS types FROM slurm_attempts) CROSS JOIN json_each(types) AS t
  UNION
  SELECT cluster_name, t.key FROM (SELECT DISTINCT cluster_name, req_gpu_types AS types FROM slurm_attempts WHERE req_gpu_types IS NOT held_types) CROSS JOIN json_each(types) AS t
  UNION
  SELECT e.Cluster, t.key FROM slurm_events AS e, json_each(e.gpu_types) AS t
),
clusters AS (
  SELECT cluster_name,
         coalesce((SELECT nullif(count(DISTINCT type) FILTER (WHERE type <> '' OR types > 1), 0) FROM slurm_installed AS i WHERE i.cluster_name = a.cluster_name),
                  (SELECT 1 FROM slurm_installed AS i WHERE i.cluster_name = a.cluster_name),
                  count(DISTINCT type)) AS types
  FROM asked AS a
  GROUP BY cluster_name
)
SELECT asked.cluster_name, asked.type,
       CASE WHEN clusters.types > 1 THEN asked.cluster_name || '/' || coalesce(nullif(asked.type, ''), 'gpu')
            ELSE asked.cluster_name END AS pool
FROM asked JOIN clusters USING (cluster_name);
CREATE UNIQUE INDEX temp.slurm_pool_of ON slurm_pools(cluster_name, type);

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT pool, nullif(type, '') AS chip, chips, start_time, end_time
FROM slurm_installed JOIN slurm_pools USING (cluster_name, type);

-- What a job needs is what it requested. Slurm starts a job whole, so where it granted another number
-- (a range of nodes, whole nodes, a resize) the job is elastic down to the least it ran on.
-- Comment may be a JSON object: its phase, framework, runtime and model are the job's, and the whole
-- of it is in the labels. Slurm stores it when an attempt ends: of one that runs, that of those before counts.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH needs AS (
  SELECT rowid AS row, coalesce(nullif(req_gpus, 0) * CASE WHEN started THEN 1 ELSE coalesce(array_count, 1) END, alloc_gpus) AS chips,
         CASE WHEN started THEN nullif(alloc_gpus, 0) END AS least, CASE WHEN started THEN nullif(alloc_gpus, 0) END AS most,
         Submit AS submit_time, NULL AS comment
  FROM slurm_attempts
  WHERE NOT repeated
  UNION ALL
  SELECT max(CASE WHEN from_last = 1 THEN a.rowid END),
         coalesce(max(nullif(a.req_gpus, 0) * CASE WHEN started THEN 1 ELSE coalesce(a.array_count, 1) END), max(a.alloc_gpus)),
         min(CASE WHEN started THEN nullif(a.alloc_gpus, 0) END), max(CASE WHEN started THEN nullif(a.alloc_gpus, 0) END), min(a.Submit), max(Comment)
  FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
  WHERE repeated
  GROUP BY job
),
last AS (
  SELECT *, CASE WHEN json_valid(said) THEN CASE json_type(said) WHEN 'object' THEN said END END AS words
  FROM (SELECT a.job, j.*, n.chips, n.least, n.most, n.submit_time, coalesce(j.Comment, n.comment) AS said
        FROM needs AS n CROSS JOIN slurm_attempts AS a ON a.rowid = n.row CROSS JOIN slurm_jobs AS j ON j.rowid = a.row)
)
SELECT job,
       JobName AS name,
       Account AS owner,
       json_extract(words, '$.phase') AS phase,
       json_extract(words, '$.framework') AS framework,
       json_extract(words, '$.runtime') AS runtime,
       json_extract(words, '$.model') AS model,
       QOS AS priority,
       chips,
       CASE WHEN least <> chips OR most <> chips THEN least END AS min_chips,
       NULL AS tasks,
       submit_time,
       -- (What is not known is left out; of most jobs it is the same, and json_patch is slow.)
       CASE WHEN "User" IS NULL OR Partition IS NULL OR NNodes IS NULL OR coalesce("Constraints", Reservation, WCKey, array_task, words) IS NOT NULL
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
SELECT a.job, a.attempt, NULL AS task, p.pool, t.chips, a.Start AS start_time, a."End" AS end_time, a.outcome
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
-- evenly on its nodes. Of several reasons the first of hw_down, maintenance, drained, power_saving.
-- States are sacctmgr's short ones: DRNG is draining, and marks after a state are ~%! for a node that
-- has no power or goes there, $@^ for maintenance and a reboot.
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
  ('launch fail%', 'drained', 0), ('batch job complete fail%', 'drained', 0), ('duplicate jobid%', 'drained', 0), ('no space left%', 'drained', 0), ('disk full', 'drained', 0),
  ('unexpectedly reboot%', 'hw_down', 0),
  ('%maint%', 'maintenance', 0), ('%reboot%', 'maintenance', 0), ('%upgrad%', 'maintenance', 0), ('%updat%', 'maintenance', 0), ('%firmware%', 'maintenance', 0), ('patching', 'maintenance', 0),
  ('reimag%', 'maintenance', 0), ('reinstall%', 'maintenance', 0),
  ('not responding', 'hw_down', 0), ('%xid%', 'hw_down', 0), ('%ecc', 'hw_down', 0), ('ecc%', 'hw_down', 0), ('%gpu%', 'hw_down', 0), ('sxid%', 'hw_down', 0), ('%nvlink%', 'hw_down', 0),
  ('nvswitch%', 'hw_down', 0), ('fell off the bus', 'hw_down', 0), ('row remap%', 'hw_down', 0), ('%npu%', 'hw_down', 0), ('tpu%', 'hw_down', 0), ('hbm%', 'hw_down', 0),
  ('hw%', 'hw_down', 0), ('%hardware%', 'hw_down', 0), ('rma', 'hw_down', 0), ('broken', 'hw_down', 0), ('dead', 'hw_down', 0), ('defect%', 'hw_down', 0), ('faulty', 'hw_down', 0),
  ('ib', 'hw_down', 0), ('ib0', 'hw_down', 0), ('ib1', 'hw_down', 0), ('infiniband%', 'hw_down', 0), ('hca%', 'hw_down', 0), ('mlx%', 'hw_down', 0), ('nic', 'hw_down', 0), ('nics', 'hw_down', 0), ('link down', 'hw_down', 0),
  ('link flap%', 'hw_down', 0), ('roce%', 'hw_down', 0), ('efa', 'hw_down', 0), ('cable%', 'hw_down', 0), ('transceiver%', 'hw_down', 0), ('pcie%', 'hw_down', 0), ('pci', 'hw_down', 0),
  ('%dimm%', 'hw_down', 0), ('memory err%', 'hw_down', 0), ('bad memory', 'hw_down', 0), ('low realmemory', 'hw_down', 0), ('mce%', 'hw_down', 0), ('machine check%', 'hw_down', 0),
  ('uncorrectable%', 'hw_down', 0), ('cpu fail%', 'hw_down', 0), ('cpu err%', 'hw_down', 0), ('bad cpu', 'hw_down', 0), ('psu%', 'hw_down', 0), ('power supply', 'hw_down', 0),
  ('power fail%', 'hw_down', 0), ('power loss', 'hw_down', 0), ('fan', 'hw_down', 0), ('fans', 'hw_down', 0), ('overheat%', 'hw_down', 0), ('thermal%', 'hw_down', 0), ('temperature', 'hw_down', 0), ('leak%', 'hw_down', 0),
  ('motherboard', 'hw_down', 0), ('mainboard', 'hw_down', 0), ('baseboard', 'hw_down', 0), ('bmc%', 'hw_down', 0), ('ssd', 'hw_down', 0), ('nvme%', 'hw_down', 0), ('bad disk', 'hw_down', 0),
  ('disk fail%', 'hw_down', 0), ('disk err%', 'hw_down', 0), ('i o err%', 'hw_down', 0), ('kernel panic%', 'hw_down', 0), ('crash%', 'hw_down', 0), ('node fail%', 'hw_down', 0),
  ('ticket%', 'drained', 0), ('%test%', 'drained', 0), ('reserved', 'drained', 0), ('mount%', 'drained', 0), ('lustre%', 'drained', 0), ('nfs%', 'drained', 0), ('gpfs%', 'drained', 0),
  ('filesystem%', 'drained', 0);

-- Each reason once, in words.
DROP TABLE IF EXISTS temp.slurm_said;
CREATE TEMP TABLE slurm_said AS
WITH RECURSIVE cleaned(reason, words, marks) AS (
  SELECT DISTINCT Reason, lower(Reason), ':;,.()[]/_-#=*!?+|"<>{}@&' || char(39, 9) FROM slurm_events WHERE NodeName IS NOT NULL AND Reason <> ''
  UNION ALL
  SELECT reason, replace(words, substr(marks, 1, 1), ' '), substr(marks, 2) FROM cleaned WHERE marks <> ''
)
SELECT reason, (SELECT min(r.rowid) FROM slurm_reasons AS r WHERE ' ' || words || ' ' LIKE '% ' || r.pattern || ' %') AS matched
FROM cleaned WHERE marks = '';
CREATE UNIQUE INDEX temp.slurm_said_as ON slurm_said(reason);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT e._file, 'info', 'unknown_reason', min(e._line), count(*), 'reasons without a row in outage_reasons, counted as drained: ' || group_concat(DISTINCT e.Reason)
FROM slurm_events AS e JOIN slurm_said AS s ON s.reason = e.Reason
WHERE s.matched IS NULL AND e.NodeName IS NOT NULL AND e.state_base GLOB 'DR[AN]*'
GROUP BY e._file;

DROP TABLE IF EXISTS temp.slurm_down;
CREATE TEMP TABLE slurm_down AS
SELECT e.Cluster AS cluster_name, e.NodeName AS node, p.pool, sum(t.value) AS chips,
       e.TimeStart AS start_time, e.TimeEnd AS end_time,
       CASE
         WHEN r.own THEN r.kind
         WHEN e.state_base LIKE 'POW%' OR (e.State GLOB '*[~%!]' AND NOT e.state_base GLOB 'D[OR]*') THEN 'power_saving'
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
SELECT cluster_name, node, pool, max(chips) AS installed FROM slurm_down GROUP BY cluster_name, node, pool;
CREATE UNIQUE INDEX temp.slurm_node_of ON slurm_nodes(cluster_name, node, pool);

DROP TABLE IF EXISTS temp.outages;
CREATE TEMP TABLE outages AS
WITH on_node AS ( -- CROSS: a job's own nodes are looked up, and not all nodes of its cluster for each job
  SELECT a.cluster_name, n.value AS node, p.pool, a.Start AS start_time, a."End" AS end_time,
         (h.chips + json_array_length(j.nodes) - 1) / json_array_length(j.nodes) AS held
  FROM (SELECT 1 FROM slurm_nodes LIMIT 1) CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_lists AS h ON h.list = a.held_types
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
         CASE WHEN sum(hw_down) OVER earlier > 0 THEN 'hw_down'
              WHEN sum(maintenance) OVER earlier > 0 THEN 'maintenance'
              WHEN sum(drained) OVER earlier > 0 THEN 'drained'
              WHEN sum(power_saving) OVER earlier > 0 THEN 'power_saving' END AS kind,
         sum(held) OVER earlier AS held
  FROM moment
  WINDOW later AS (PARTITION BY cluster_name, node, pool ORDER BY at),
         earlier AS (PARTITION BY cluster_name, node, pool ORDER BY at ROWS UNBOUNDED PRECEDING)
)
SELECT pool, installed - held AS chips, start_time, end_time, kind
FROM slice JOIN slurm_nodes USING (cluster_name, node, pool)
WHERE kind IS NOT NULL AND held < installed;

-- ---- 5. Until when a pool was observed ----

-- A job that runs has run for its Elapsed when sacct was asked, and the JSON of squeue tells of its last change: then the export was made, or
-- when a later one tells of an end.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
WITH asked AS (
  SELECT cluster_name, max(a.Start + coalesce(ElapsedRaw, Elapsed) + coalesce(Suspended, 0)) AS until_time
  FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
  WHERE started AND a."End" IS NULL AND a.state_base IN ('RUNNING', 'SUSPENDED', 'COMPLETING')
  GROUP BY cluster_name
  UNION ALL
  SELECT cluster_name, max(last_update)
  FROM (SELECT 1 FROM slurm_jobs WHERE last_update IS NOT NULL LIMIT 1) CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
  GROUP BY cluster_name
  UNION ALL -- where the nodes had allocated then what the jobs hold that run
  SELECT cluster_name, last_update FROM (SELECT cluster_name, max(last_update) AS last_update, sum(alloc_gpus) AS allocated FROM slurm_seen GROUP BY cluster_name) AS n
  WHERE last_update IS NOT NULL
    AND allocated = (SELECT sum((SELECT sum(chips) FROM slurm_lists AS l WHERE l.list = a.held_types)) FROM slurm_attempts AS a WHERE a.cluster_name = n.cluster_name AND started AND a."End" IS NULL)
),
ended AS (
  SELECT cluster_name, max("End") AS until_time FROM slurm_attempts WHERE cluster_name IN (SELECT cluster_name FROM asked) GROUP BY cluster_name
)
SELECT pool, max(max(a.until_time, coalesce(e.until_time, a.until_time))) AS until_time
FROM slurm_pools JOIN asked AS a USING (cluster_name) LEFT JOIN ended AS e USING (cluster_name) WHERE a.until_time IS NOT NULL GROUP BY pool;

-- squeue, and sacct without Elapsed, do not tell when they were asked.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT j._file, 'warning', 'not_observed', min(j._line), count(*),
       'jobs that run, the first ' || min(a.job) || ', and nothing that says when they were listed: they are held until the last time of the trace. Export sacct with Elapsed, or give as_of'
FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
WHERE a.started AND a."End" IS NULL AND a.state_base IN ('RUNNING', 'SUSPENDED', 'COMPLETING')
  AND NOT EXISTS (SELECT 1 FROM slurm_pools AS p JOIN observed USING (pool) WHERE p.cluster_name = a.cluster_name)
GROUP BY j._file;

-- ---- 6. What else a job goes by ----

-- Of a task of an array or a part of a heterogeneous job its JobID (123_4, 123+1), after which Slurm names its log; where several
-- clusters are read the plain ids as well.
DROP TABLE IF EXISTS temp.aliases;
CREATE TEMP TABLE aliases AS
SELECT job, JobID AS alias FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row WHERE JobID <> job AND JobID NOT GLOB '*_[[]*'
UNION
SELECT job, id FROM slurm_attempts WHERE id <> job;

-- ---- 7. Tables that are no longer needed ----

DROP TABLE slurm_said;
DROP TABLE slurm_reasons;
DROP TABLE slurm_nodes;
DROP TABLE slurm_down;
DROP TABLE slurm_lists;
DROP TABLE slurm_pools;
DROP TABLE slurm_installed;
DROP TABLE slurm_types;
DROP TABLE slurm_attempts;
DROP TABLE slurm_rows;
DROP TABLE slurm_repeated;
DROP TABLE slurm_events;
DROP TABLE slurm_seen;
DROP TABLE slurm_now;
DROP TABLE slurm_jobs;
