-- slurm/inputs.sql - the inputs: what the four kinds of files tell, without what cannot be or is told twice.
--
-- Reads slurm_trace, slurm_events_trace, slurm_nodes_trace and slurm_reservations_trace. Makes slurm_jobs, slurm_events, slurm_now, the
-- nodes as they are shown, and slurm_reserved.
-- A part of slurm.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS slurm_jobs AS
SELECT Cluster, JobIDRaw, JobID, job_base, array_task, array_count, step, JobName, "User", Account, QOS, Partition,
       state_base, outcome, Submit, Start, "End", NNodes, req_gpus, alloc_gpus, req_gpu_types, alloc_gpu_types, nodes,
       Comment, "Constraints", Reservation, WCKey,
       -- All that is asked of these, below: words other than gpu, and numbers that are none.
       CASE WHEN req_gpus IS NULL OR instr(replace(ReqTRES, 'gres/gpu', ''), 'gres/') THEN nullif(ReqTRES, '') END AS ReqTRES,
       CASE WHEN instr(replace(coalesce(nullif(AllocTRES, ''), ReqTRES), 'gres/gpu', ''), 'gres/')
            THEN coalesce(nullif(AllocTRES, ''), ReqTRES) END AS AllocTRES,
       CASE WHEN :nodes IS NOT NULL AND coalesce(alloc_gpus, 0) = 0
              THEN coalesce(NCPUS, CAST(substr(AllocTRES, instr(AllocTRES, 'cpu=') + 4) AS INTEGER)) END AS NCPUS, ElapsedRaw, Elapsed,
       Suspended, TimelimitRaw, StdOut, StdErr, WorkDir, last_update, _file, _line
FROM slurm_trace(mpg_required(:sacct, ':sacct'), coalesce(:zone, 'UTC'), coalesce(:columns, ''), coalesce(:delimiter, ''))
WHERE step IS NULL;

CREATE TEMP TABLE IF NOT EXISTS slurm_events AS
SELECT Cluster, Event, NodeName, TimeStart, TimeEnd, Duration, Reason, State, state_base, TRES, gpu_types, nodes, _file, _line
FROM slurm_events_trace(:events, coalesce(:zone, 'UTC'));

CREATE TEMP TABLE IF NOT EXISTS slurm_now AS
SELECT ClusterName, NodeName, State, state_base, Reason, ReasonTime, BootTime, LastBusyTime, out_of_service, gpu_types, Gres, CfgTRES,
       CPUTot, alloc_gpus, last_update, _file, _line
FROM slurm_nodes_trace(:nodes, coalesce(:zone, 'UTC'));

CREATE TEMP TABLE IF NOT EXISTS slurm_reserved AS
SELECT Cluster, ReservationName, StartTime, EndTime, node_names, Flags, TRES, Users, Accounts, Comment, _file, _line
FROM slurm_reservations_trace(:reservations, coalesce(:zone, 'UTC'));

-- What cannot be: a time that is more than ten years from the middle one, by years; its record counts as nothing.
--@ if EXISTS (SELECT 1 FROM slurm_events) OR (SELECT max(max(coalesce(Submit, 0), coalesce(Start, 0), coalesce("End", 0))) - min(min(coalesce(Submit, 9e18), coalesce(Start, 9e18), coalesce("End", 9e18))) FROM slurm_jobs) > 315569520
DROP TABLE IF EXISTS temp.slurm_impossible;
CREATE TEMP TABLE slurm_impossible AS
WITH span AS (SELECT max(max(coalesce(Submit, 0), coalesce(Start, 0), coalesce("End", 0)))
                - min(min(coalesce(Submit, 9e18), coalesce(Start, 9e18), coalesce("End", 9e18))) AS seconds FROM slurm_jobs),
middle AS (
  SELECT 'job' AS what, mpg_median(coalesce(Start, Submit, "End") / 31556952) AS year
  FROM span CROSS JOIN slurm_jobs WHERE seconds > 10 * 31556952
  UNION ALL
  SELECT 'event', mpg_median(TimeStart / 31556952) FROM slurm_events
)
SELECT what, j.rowid AS row, _file, _line, coalesce(JobID, JobIDRaw) AS name
FROM middle AS m CROSS JOIN slurm_jobs AS j ON what = 'job'
WHERE max(abs(coalesce(Submit / 31556952 - year, 0)), abs(coalesce(Start / 31556952 - year, 0)), abs(coalesce("End" / 31556952 - year, 0)))
  > 10
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
--@ end

-- Most jobs ended well and have all fields: faults are looked for among the others alone.
DROP TABLE IF EXISTS temp.slurm_odd;
CREATE TEMP TABLE slurm_odd AS
SELECT rowid AS row FROM slurm_jobs
WHERE (state_base IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY', 'PREEMPTED') AND "End" >= Start
       AND Start >= Submit
       AND (alloc_gpus > 0) = (req_gpus > 0) AND NOT (alloc_gpu_types GLOB '{"":*' AND req_gpu_types NOT GLOB '*"":*')
       AND coalesce(JobIDRaw, JobID) IS NOT NULL AND Cluster IS NOT NULL AND coalesce(AllocTRES, ReqTRES) IS NULL
       AND coalesce(Suspended, 0) = 0) IS NOT TRUE
  AND NOT (last_update IS NOT NULL AND JobID IS NULL AND state_base IS NULL); -- an answer without jobs
DROP VIEW IF EXISTS temp.slurm_odd_jobs;
CREATE TEMP VIEW slurm_odd_jobs AS SELECT j.* FROM slurm_odd AS o CROSS JOIN slurm_jobs AS j ON j.rowid = o.row;

-- These count as they stand, and are listed: a state that Slurm does not have, a job that ran and has no start, a job that lacks what it
-- held while others say it, and a job that started before it was submitted.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'states that are none of Slurm''s, whose outcome is not known: ' || group_concat(DISTINCT state_base)
FROM slurm_odd_jobs
WHERE state_base NOT IN ('BOOT_FAIL', 'CANCELLED', 'COMPLETED', 'COMPLETING', 'CONFIGURING', 'DEADLINE', 'EXPEDITING', 'FAILED',
                         'LAUNCH_FAILED', 'NODE_FAIL',
                         'OUT_OF_MEMORY', 'PENDING', 'POWER_UP_NODE', 'PREEMPTED', 'RECONFIG_FAIL', 'REQUEUED', 'REQUEUE_FED',
                         'REQUEUE_HOLD', 'RESIZING', 'RESV_DEL_HOLD',
                         'REVOKED', 'RUNNING', 'SIGNALING', 'SPECIAL_EXIT', 'STAGE_OUT', 'STOPPED', 'SUSPENDED', 'TIMEOUT', 'UPDATE_DB')
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || coalesce(JobID, JobIDRaw) || ' lacks ' || field || ': it counts as far as it tells'
FROM (SELECT *, CASE WHEN Start IS NULL AND (coalesce(ElapsedRaw, Elapsed) > 0
                                             OR alloc_gpus > 0 AND last_update IS NULL AND state_base IS NOT 'PENDING'
                                             OR req_gpus > 0 AND state_base IN ('COMPLETED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY',
                                                                                'PREEMPTED', 'RUNNING', 'SUSPENDED')) THEN 'Start'
                     WHEN "End" IS NULL AND state_base
                         IN ('COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'DEADLINE', 'NODE_FAIL', 'BOOT_FAIL', 'LAUNCH_FAILED',
                             'RECONFIG_FAIL', 'OUT_OF_MEMORY', 'PREEMPTED', 'REQUEUED', 'RESIZING', 'REVOKED') THEN 'End'
                     WHEN Submit IS NULL THEN 'Submit'
                     WHEN req_gpus > 0 AND coalesce(alloc_gpus, 0) = 0 AND Start IS NOT NULL
                          AND ("End" > Start OR "End" IS NULL AND state_base IN ('RUNNING', 'SUSPENDED')) THEN 'AllocTRES'
                     WHEN alloc_gpus > 0 AND coalesce(req_gpus, 0) = 0 THEN 'ReqTRES'
                     WHEN req_gpus IS NULL AND (instr(ReqTRES, 'gres/') OR Start IS NOT NULL) THEN 'ReqTRES'
                     WHEN alloc_gpu_types GLOB '{"":*' AND alloc_gpus > 0 AND req_gpu_types NOT GLOB '*"":*' THEN 'AllocTRES' -- the type
                     WHEN coalesce(JobIDRaw, JobID) IS NULL OR JobID IS NULL AND state_base = 'PENDING' AND req_gpus > 0
                       THEN 'JobID' -- of an array how many tasks wait
                     WHEN state_base IS NULL THEN 'State'
                     WHEN Cluster IS NULL THEN 'Cluster' END AS field
      FROM slurm_odd_jobs)
WHERE CASE field WHEN 'ReqTRES' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE req_gpus > 0)
                 WHEN 'Cluster' THEN EXISTS (SELECT 1 FROM slurm_jobs WHERE Cluster IS NOT NULL)
             OR (SELECT count(DISTINCT Cluster) FROM slurm_events) > 1 ELSE field IS NOT NULL END
GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'no_tres', min(_line), 1, 'no job has a list of TRES, or of GPUs: nobody knows of GPUs'
FROM slurm_odd_jobs WHERE NOT EXISTS (SELECT 1 FROM slurm_jobs WHERE req_gpus IS NOT NULL OR alloc_gpus > 0)
  AND coalesce(JobID, JobIDRaw) IS NOT NULL AND _file NOT IN (SELECT source FROM mpg_issues WHERE kind = 'no_tres')
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'jobs that did not start, the first ' || min(coalesce(JobID, JobIDRaw)) || ', and no job has ReqTRES: they ask for nothing'
FROM slurm_odd_jobs
WHERE NOT EXISTS (SELECT 1 FROM slurm_jobs WHERE req_gpus IS NOT NULL) AND EXISTS (SELECT 1 FROM slurm_jobs WHERE alloc_gpus > 0)
  AND coalesce(alloc_gpus, 0) = 0 AND (Start IS NULL OR state_base = 'PENDING')
GROUP BY _file;
-- A job that ended or started without saying when ran for its Elapsed.
UPDATE temp.slurm_jobs SET Start = "End" - coalesce(ElapsedRaw, Elapsed) - coalesce(Suspended, 0)
WHERE rowid IN (SELECT row FROM slurm_odd) AND Start IS NULL AND coalesce(ElapsedRaw, Elapsed) > 0 AND state_base IS NOT 'PENDING';
UPDATE temp.slurm_jobs SET "End" = Start + coalesce(ElapsedRaw, Elapsed) + coalesce(Suspended, 0)
WHERE rowid IN (SELECT row FROM slurm_odd) AND "End" IS NULL AND coalesce(ElapsedRaw, Elapsed) >= 0
  AND state_base IN ('COMPLETED', 'CANCELLED', 'FAILED', 'TIMEOUT', 'DEADLINE', 'NODE_FAIL', 'BOOT_FAIL', 'LAUNCH_FAILED', 'RECONFIG_FAIL',
                     'OUT_OF_MEMORY', 'PREEMPTED', 'REQUEUED', 'RESIZING', 'REVOKED');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*),
       'job ' || coalesce(JobID, JobIDRaw) || ' started before it was submitted: it counts as given, and asked for nothing before'
FROM slurm_odd_jobs WHERE Start < Submit GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'arrays whose list of waiting tasks was cut, the first ' || min(JobID)
         || ': those that it names ask for chips. Export with SLURM_BITSTR_LEN=0'
FROM slurm_odd_jobs WHERE array_task GLOB '*...]' AND req_gpus > 0 GROUP BY _file;

-- Elapsed knows of no zone: if it is an hour off, the zone is another, or a clock was put forward or back meanwhile. It lacks suspensions.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'conflict', min(_line), count(*),
       'jobs whose Elapsed is ' || iif(min(off) = max(off), off || ' s', min(off) || ' to ' || max(off) || ' s')
         || ' more or less than from Start to End, the first ' || min(coalesce(JobID, JobIDRaw))
         || ': they count from Start to End. Check zone, and export Suspended'
FROM (SELECT *, CAST(abs("End" - Start - coalesce(ElapsedRaw, Elapsed) - coalesce(Suspended, 0)) AS INTEGER) AS off
      FROM slurm_jobs WHERE max(coalesce(req_gpus, 0), coalesce(alloc_gpus, 0)) > 0 AND "End" > Start)
WHERE off > 60
GROUP BY _file;

-- An event counts as nothing if its kind is not known, or if it lacks its node or what the node has.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', kind, min(_line), count(*),
       iif(kind = 'unknown_record', 'events that are none of Slurm''s, of which the first is ' || min(coalesce(Event, '')),
           'events of nodes that lack their NodeName or TRES') || ': left out'
FROM (SELECT *, CASE WHEN Event NOT IN ('Cluster', 'Node') THEN 'unknown_record'
                     WHEN Event = 'Node' AND NodeName IS NULL
                       OR TRES IS NULL AND NodeName IS NOT NULL AND NodeName NOT IN (SELECT NodeName FROM slurm_now)
                       THEN 'missing_field' END AS kind
      FROM slurm_events)
WHERE kind IS NOT NULL GROUP BY _file, kind;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'events of nodes, none of which has an end: they last to the end of the trace. Export End and Duration'
FROM slurm_events WHERE NodeName IS NOT NULL AND gpu_types <> '{}' GROUP BY _file HAVING max(coalesce(TimeEnd, Duration)) IS NULL;

-- An event that names no cluster is of the only one that there is: of the events, else of the jobs, else of the nodes.
UPDATE temp.slurm_events SET Cluster = nullif(coalesce((SELECT iif(min(Cluster) < max(Cluster), '', max(Cluster)) FROM slurm_events),
                                                       (SELECT iif(min(Cluster) < max(Cluster), '', max(Cluster)) FROM slurm_jobs),
                                                       (SELECT iif(min(ClusterName) < max(ClusterName), '', max(ClusterName)) FROM slurm_now
                                                        WHERE ClusterName <> ''), 'slurm'), '')
WHERE Cluster IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'missing_field', min(_line), count(*), 'events that lack their Cluster, of which there are several: left out'
FROM slurm_events WHERE Cluster IS NULL GROUP BY _file;

-- A local time that the clock showed twice may put an end before its start: it was Elapsed later.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'conflict', min(_line), count(*),
       'jobs with an Elapsed whose End is before their Start, the first ' || min(coalesce(JobID, JobIDRaw)) || ': they end Elapsed after it'
FROM slurm_odd_jobs WHERE "End" < Start AND coalesce(ElapsedRaw, Elapsed) > 0 GROUP BY _file;
UPDATE temp.slurm_jobs SET "End" = Start + coalesce(ElapsedRaw, Elapsed) + coalesce(Suspended, 0)
WHERE rowid IN (SELECT row FROM slurm_odd) AND "End" < Start AND coalesce(ElapsedRaw, Elapsed) > 0;
-- A job that ended before it started holds nothing, and such an event counts as none. (sacct says so of a job that was cancelled while its
-- node was set up.)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*),
       'job ' || coalesce(JobID, JobIDRaw) || ' ended before it started: it holds nothing'
FROM slurm_odd_jobs WHERE "End" < Start GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'conflict', min(_line), count(*),
       'events with a Duration that end before their start, the first of ' || coalesce(min(NodeName), min(Cluster), 'the cluster')
         || ': they end Duration after it'
FROM slurm_events WHERE TimeEnd < TimeStart AND Duration > 0 GROUP BY _file;
UPDATE temp.slurm_events SET TimeEnd = TimeStart + Duration WHERE TimeEnd < TimeStart AND Duration > 0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*),
       'an event of ' || coalesce(NodeName, Cluster, 'the cluster') || ' ended before it started: it is left out'
FROM slurm_events WHERE TimeEnd < TimeStart GROUP BY _file;
UPDATE temp.slurm_jobs SET "End" = Start WHERE rowid IN (SELECT row FROM slurm_odd) AND "End" < Start;
-- Jobs that slurmctld lost, and that slurmdbd still calls running (sacctmgr show runawayjobs): their limit passed an hour or more before
-- they were listed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'job ' || coalesce(JobID, JobIDRaw) || ' runs though its time limit is over: it is held until it was listed. Is it a runaway job?'
FROM slurm_odd_jobs
WHERE state_base IN ('RUNNING', 'COMPLETING') AND "End" IS NULL
  AND coalesce(ElapsedRaw, Elapsed, (SELECT max("End") FROM slurm_jobs) - Start) > TimelimitRaw * 60 + 3600
GROUP BY _file;
-- A suspended job keeps its GPUs: Slurm gives its cores to others, and not its GRES.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(*),
       'jobs that were suspended, the first ' || min(coalesce(JobID, JobIDRaw)) || ', for ' || CAST(total(Suspended) AS INTEGER)
         || ' s in all'
       || iif(count(Suspended) < count(*), ' and a time that the export lacks', '') || ': they held their chips meanwhile ('
         || CAST(total(alloc_gpus * Suspended) AS INTEGER) || ' chip-seconds)'
FROM slurm_odd_jobs WHERE (Suspended > 0 OR state_base = 'SUSPENDED') AND alloc_gpus > 0 GROUP BY _file;
-- The end of what still runs or waits is planned.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'planned_end', min(_line), count(*),
       'jobs that still run, with an End, the first ' || min(JobID) || ': it is planned, and they are held until the export was made'
FROM slurm_odd_jobs WHERE state_base IN ('RUNNING', 'SUSPENDED') AND "End" IS NOT NULL GROUP BY _file;
UPDATE temp.slurm_jobs SET "End" = NULL
WHERE rowid IN (SELECT row FROM slurm_odd) AND state_base IN ('RUNNING', 'SUSPENDED') AND "End" IS NOT NULL;
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
  SELECT _file, _line, 'gres/' || substr(entry, 1, instr(entry, ':') - 1) || '='
           || max(1, CAST(substr(entry, length(rtrim(entry, '0123456789')) + 1) AS INTEGER)), 'nodes'
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
WHERE t.key GLOB 'gres/*' AND t.key NOT GLOB 'gres/gpu*' AND instr(t.key, ':') = 0
  AND substr(t.key, 6) NOT IN ('npu', 'dcu', 'tpu', 'xpu', 'hpu', 'mlu')
   OR t.key GLOB 'gres/*:*' AND substr(t.key, 6, 4) NOT IN ('gpu:', 'npu:', 'dcu:', 'tpu:', 'xpu:', 'hpu:', 'mlu:')
   AND NOT instr(',' || tres, ',' || substr(t.key, 1, instr(t.key, ':') - 1) || '=')
GROUP BY _file, what, t.key;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(line), coalesce(sum(records), 0),
       'only gpu, npu, dcu, tpu, xpu, hpu and mlu count as chips, and not '
         || group_concat(resource || ' (' || units || ' in ' || records || ' ' || what || ')', ', ')
FROM slurm_others GROUP BY _file;
DROP TABLE slurm_others;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH lists AS (
  SELECT _file, _line, coalesce(AllocTRES, iif(alloc_gpus > 0, 'gres/gpu=', '')) || ','
           || coalesce(ReqTRES, iif(req_gpus > 0, 'gres/gpu=', '')) AS tres
  FROM slurm_odd_jobs WHERE coalesce(AllocTRES, ReqTRES) IS NOT NULL
  UNION ALL
  SELECT _file, _line, TRES FROM slurm_events WHERE instr(replace(TRES, 'gres/gpu', ''), 'gres/')
  UNION ALL
  SELECT _file, _line, coalesce(CfgTRES, '') || ',gres/' || replace(coalesce(Gres, ''), ',', ',gres/') FROM slurm_now
)
SELECT _file, 'warning', 'mixed_pool', min(_line), count(*),
       'records with chips of two words, first ' || min(words) || ': they count together'
FROM (SELECT _file, _line, (SELECT iif(count(*) > 1, group_concat(w.value, ' and '), NULL)
                            FROM json_each('["gpu","npu","dcu","tpu","xpu","hpu","mlu"]') AS w
                            WHERE instr(replace(tres, ':', '='), 'gres/' || w.value || '=')) AS words FROM lists)
WHERE words IS NOT NULL GROUP BY _file;
DROP VIEW slurm_odd_jobs;
DROP TABLE slurm_odd;

-- What was open when an export was made, and is missing from a later one of the whole cluster, ended in between: it lasts until it was
-- last seen.
DROP TABLE IF EXISTS temp.slurm_exports;
CREATE TEMP TABLE slurm_exports AS
SELECT _file, Cluster, max(coalesce(TimeEnd, TimeStart + Duration, TimeStart)) AS made, max(NodeName IS NULL) AS whole
FROM slurm_events WHERE (SELECT min(_file) < max(_file) FROM slurm_events) GROUP BY _file, Cluster;
DROP TABLE IF EXISTS temp.slurm_latest;
CREATE TEMP TABLE slurm_latest AS
SELECT e.Cluster, NodeName, TimeStart, l.made
FROM (SELECT _file, Cluster, max(made) AS made FROM slurm_exports WHERE whole GROUP BY Cluster) AS l
CROSS JOIN slurm_events AS e ON e._file = l._file AND e.Cluster = l.Cluster;
CREATE INDEX temp.slurm_latest_of ON slurm_latest(NodeName, TimeStart, Cluster);
DROP TABLE IF EXISTS temp.slurm_over;
CREATE TEMP TABLE slurm_over AS
SELECT e.rowid AS row, e._file, e._line, e.NodeName AS node, max(x.made, e.TimeStart) AS made
FROM slurm_exports AS x CROSS JOIN slurm_events AS e ON e._file = x._file AND e.Cluster = x.Cluster
WHERE x.made < (SELECT max(made) FROM slurm_latest AS l WHERE l.Cluster = x.Cluster) AND e.TimeEnd IS NULL AND e.NodeName IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM slurm_latest AS l WHERE l.NodeName = e.NodeName AND l.TimeStart = e.TimeStart AND l.Cluster = e.Cluster);
DROP TABLE slurm_latest;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'events without an end that a later export has no more, the first of ' || min(node) || ': they end when they were last seen'
FROM slurm_over GROUP BY _file;
UPDATE temp.slurm_events SET TimeEnd = o.made FROM slurm_over AS o WHERE o.row = slurm_events.rowid;
DROP TABLE slurm_over;
DROP TABLE slurm_exports;
-- An event that lasted while one export was made, or that lies in the time of two, is in both, with the same start: the row that knows the
-- end counts.
DELETE FROM temp.slurm_events WHERE rowid IN (
  SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY Cluster, Event, NodeName, TimeStart, Reason IS 'slurmctld disconnect'
                                                         ORDER BY TimeEnd IS NULL, TimeEnd DESC) AS place
                  FROM temp.slurm_events)
  WHERE place > 1);
-- Slurm ends the event of a node, or of what a cluster has, when the next one begins; and the Duration of an event that goes on lasts
-- until the export. An event without an end that contradicts either has lost it, or was exported before it ended.
DROP TABLE IF EXISTS temp.slurm_endless;
CREATE TEMP TABLE slurm_endless AS
SELECT row, _file, _line, name, coalesce(min(told, following), told, following) AS ended
FROM (SELECT rowid AS row, _file, _line, coalesce(NodeName, Cluster, 'the cluster') AS name, TimeEnd,
             iif(Duration > 0 AND TimeStart + Duration + 60
                   < max(iif(TimeEnd IS NULL, TimeStart + Duration, NULL)) OVER (PARTITION BY _file), TimeStart + Duration, NULL) AS told,
             min(TimeStart) OVER (PARTITION BY Cluster, NodeName, Reason IS 'slurmctld disconnect'
                                  ORDER BY TimeStart GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS following
      FROM slurm_events)
WHERE TimeEnd IS NULL AND coalesce(told, following) IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'events without an end, the first of ' || min(name)
         || ', though later ones of the node or cluster have begun or their Duration is over: they end then'
FROM slurm_endless GROUP BY _file;
UPDATE temp.slurm_events SET TimeEnd = e.ended FROM slurm_endless AS e WHERE e.row = slurm_events.rowid;
DROP TABLE slurm_endless;
