-- slurm/attempts.sql - attempts, one for each row of a job that has to do with GPUs; and the pools.
--
-- Reads slurm_jobs, slurm_events and slurm_seen. Makes slurm_rows, slurm_attempts, slurm_installed, slurm_types, slurm_lists and
-- slurm_pools.
-- A part of slurm.sql, which says what the parameters are and runs the parts in order.

-- ---- 2. Attempts: one a row of sacct that is a job and has to do with GPUs ----

DROP TABLE IF EXISTS temp.slurm_rows;
CREATE TEMP TABLE slurm_rows AS
SELECT rowid AS row, JobID, array_task, array_count, state_base, Submit, Start, "End",
       coalesce(Cluster, (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_events),
                (SELECT iif(count(DISTINCT Cluster) = 1, max(Cluster), NULL) FROM slurm_jobs), 'slurm') AS cluster_name,
       coalesce(JobIDRaw, JobID) AS id,
       Start IS NOT NULL AND coalesce(state_base, '') <> 'PENDING'
         AND NOT (state_base IS 'REVOKED' AND ("End" <= Start OR coalesce(alloc_gpus, 0) = 0)) AS started,
       max(coalesce(last_update, 0), coalesce(Start + coalesce(ElapsedRaw, Elapsed) + coalesce(Suspended, 0), 0)) AS seen,
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

-- Where jobs have JobID alone, what waits of an array is 123_[2-5], another list in each export. It goes by the array's id, as with its
-- JobIDRaw, and what an export shows to have left the list waits no more.
--@ if EXISTS (SELECT 1 FROM slurm_rows WHERE NOT started AND array_task LIKE '[%')
UPDATE temp.slurm_rows SET id = (SELECT CAST(j.job_base AS TEXT) FROM slurm_jobs AS j WHERE j.rowid = slurm_rows.row)
WHERE NOT started AND array_task LIKE '[%' AND (SELECT j.JobIDRaw FROM slurm_jobs AS j WHERE j.rowid = slurm_rows.row) IS NULL;
DROP TABLE IF EXISTS temp.slurm_own;
CREATE TEMP TABLE slurm_own AS
SELECT r.JobID, r.cluster_name, r.Submit
FROM (SELECT 1 FROM slurm_rows WHERE NOT started AND array_task LIKE '[%' LIMIT 1) CROSS JOIN slurm_rows AS r
CROSS JOIN slurm_jobs AS j ON j.rowid = r.row
WHERE r.array_task NOT LIKE '[%' AND j.JobIDRaw IS NULL;
CREATE INDEX temp.slurm_own_of ON slurm_own(JobID);
DROP TABLE IF EXISTS temp.slurm_left;
CREATE TEMP TABLE slurm_left AS
WITH RECURSIVE list AS ( -- of several files
  SELECT r.row, r.cluster_name, r.id, r.Submit, trim(substr(r.array_task, 1, instr(r.array_task || '%', '%') - 1), '[]') AS tasks
  FROM slurm_rows AS r CROSS JOIN slurm_jobs AS j ON j.rowid = r.row
  WHERE NOT r.started AND r."End" IS NULL AND r.array_task LIKE '[%' AND j.JobIDRaw IS NULL AND r.array_task NOT GLOB '*...*'
    AND (SELECT _file FROM slurm_jobs ORDER BY rowid LIMIT 1) <> (SELECT _file FROM slurm_jobs ORDER BY rowid DESC LIMIT 1)
),
part(row, at, until, step) AS (
  SELECT row, CAST(value AS INTEGER), CAST(substr(value, 1 + instr(value, '-')) AS INTEGER),
         max(1, CAST(substr(value, 1 + instr(value || ':', ':')) AS INTEGER))
  FROM list CROSS JOIN json_each('["' || replace(tasks, ',', '","') || '"]')
  UNION ALL
  SELECT row, at + step, until, step FROM part WHERE at + step <= until
)
SELECT l.row, count(*) - total(EXISTS (SELECT 1 FROM slurm_own AS o
                                       WHERE o.JobID = l.id || '_' || p.at AND o.cluster_name = l.cluster_name
                                         AND coalesce(o.Submit, l.Submit) >= l.Submit)) AS n
FROM list AS l JOIN part AS p USING (row) GROUP BY l.row;
DROP TABLE slurm_own;
UPDATE temp.slurm_jobs SET array_count = CAST(l.n AS INTEGER) FROM slurm_left AS l WHERE l.row = slurm_jobs.rowid;
UPDATE temp.slurm_rows SET array_count = CAST(l.n AS INTEGER) FROM slurm_left AS l WHERE l.row = slurm_rows.row;
DELETE FROM temp.slurm_rows WHERE array_count = 0;
DROP TABLE slurm_left;
--@ end

-- A job that runs while two exports are made is in both: the row that knows its end counts, else the later one. A job that waited in the
-- first and has started since waits no more; of an array, fewer tasks wait. A resize ends a row and begins another of the same attempt. So
-- does the edge of an export that sacct --truncate cut, or its last second, for a requeue submits again. A job of a federation is in the
-- accounting of each cluster that might have run it: as REVOKED, if another one did, with that start as its own start and end; while none
-- did, it waits in each, and asks once. Most jobs have one row: only jobs of several rows need the windows.
DROP TABLE IF EXISTS temp.slurm_repeated;
CREATE TEMP TABLE slurm_repeated AS SELECT id, cluster_name FROM slurm_rows GROUP BY id, cluster_name HAVING count(*) > 1;
CREATE INDEX temp.slurm_repeated_of ON slurm_repeated(id, cluster_name);
UPDATE temp.slurm_rows SET repeated = 1
WHERE EXISTS (SELECT 1 FROM slurm_repeated AS r WHERE r.id IS slurm_rows.id AND r.cluster_name = slurm_rows.cluster_name);
-- An id is given anew after the numbers are used up, or after the accounting was set up again. A job keeps its user. A requeue is
-- submitted when the attempt before ends, or while slurmctld still knows a job that ended, which is for minutes (MinJobAge). After
-- REQUEUED and RESIZING a job always goes on.
DROP TABLE IF EXISTS temp.slurm_anew;
CREATE TEMP TABLE slurm_anew AS
WITH told AS ( -- a row for each submission
  SELECT r.cluster_name, r.id, coalesce(r.Submit, r.Start, r."End") AS at, j."User" AS user_name, max(j.JobName) AS name,
         max(r."End") AS ended, min(r.row) AS row,
         max(coalesce(r.state_base, 'REQUEUED')
                 IN ('REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'SPECIAL_EXIT', 'RESIZING', 'REVOKED')) AS goes_on,
         max(r.state_base IN ('PREEMPTED', 'NODE_FAIL')) AS may_go_on
  FROM slurm_rows AS r CROSS JOIN slurm_jobs AS j ON j.rowid = r.row WHERE r.repeated GROUP BY 1, 2, 3, 4
),
beside AS (
  SELECT *, lag(user_name) OVER o AS user_before, lag(name) OVER o AS name_before, lag(ended) OVER o AS ended_before,
         lag(goes_on) OVER o AS went_on, lag(may_go_on) OVER o AS may_have_gone_on,
         coalesce(at < max(ended) OVER (o ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                         - iif(user_name <> lag(user_name) OVER o, 60, 3660), 0) AS at_once -- a clock that is put back shows an hour twice
  FROM told WINDOW o AS (PARTITION BY cluster_name, id ORDER BY at, row)
)
SELECT cluster_name, id, at, user_name, row,
       1 + sum(at_once OR coalesce(user_name <> '' AND user_before <> '' AND user_name <> user_before, 0)
               OR coalesce(NOT went_on AND (at > ended_before + iif(may_have_gone_on, 86400, 3600) OR at > ended_before
                                            AND NOT may_have_gone_on AND name <> name_before), 0))
         OVER (PARTITION BY cluster_name, id ORDER BY at, row ROWS UNBOUNDED PRECEDING) AS nth, at_once
FROM beside;
-- No cluster has two jobs of one id at once.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT j._file, 'warning', 'conflict', min(j._line), count(*),
       'ids that two jobs of ' || min(a.cluster_name) || ' had at once, the first ' || min(a.id)
         || ': exports of two clusters of one name count as one cluster. Give each the option pool, of its own'
FROM slurm_anew AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row WHERE a.at_once GROUP BY j._file;
DELETE FROM slurm_anew WHERE nth = 1;
CREATE INDEX temp.slurm_anew_of ON slurm_anew(id, cluster_name);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT j._file, 'info', 'run_anew', min(j._line), count(DISTINCT a.id || '#' || a.nth),
       'ids that were given anew, the first ' || min(a.id) || ': each is a job of its own, ID#2 and so on'
FROM slurm_anew AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row GROUP BY j._file;
UPDATE temp.slurm_rows SET id = id || '#' || n.nth
FROM (SELECT r.rowid AS row, a.nth
      FROM (SELECT 1 FROM slurm_anew LIMIT 1) CROSS JOIN slurm_rows AS r
      CROSS JOIN slurm_anew AS a ON a.id = r.id AND a.cluster_name = r.cluster_name AND a.at IS coalesce(r.Submit, r.Start, r."End")
      CROSS JOIN slurm_jobs AS j ON j.rowid = r.row AND j."User" IS a.user_name) AS n
WHERE n.row = slurm_rows.rowid;
DROP TABLE slurm_anew;
DROP TABLE IF EXISTS temp.slurm_elsewhere;
CREATE TEMP TABLE slurm_elsewhere AS -- rows that ask for nothing beside those of another cluster
WITH federated AS ( -- whose ids have the cluster that they were submitted to above the 26 bits of a number
  SELECT row, cluster_name, CAST(id AS TEXT) AS id, Submit FROM slurm_rows WHERE NOT started AND CAST(id AS INTEGER) >= 67108864
),
several AS (
  SELECT coalesce(JobIDRaw, JobID) AS id FROM slurm_jobs
  WHERE EXISTS (SELECT 1 FROM slurm_rows WHERE NOT started AND state_base = 'REVOKED') -- else nobody asks
  GROUP BY 1 HAVING count(DISTINCT Cluster) > 1 AND max(state_base IS NOT 'REVOKED')
)
SELECT row FROM slurm_rows WHERE NOT started AND state_base IS 'REVOKED' AND id IN (SELECT id FROM several)
UNION
SELECT row FROM (SELECT row, cluster_name > min(cluster_name) OVER (PARTITION BY id, Submit) AS later FROM federated) WHERE later;
DROP TABLE IF EXISTS temp.slurm_counted;
CREATE TEMP TABLE slurm_counted AS
WITH ranked AS (
  SELECT *,
         row_number() OVER (
           PARTITION BY cluster_name, id, started, CASE WHEN started THEN Start ELSE Submit END
           ORDER BY "End" IS NULL, "End" DESC, iif(started, NULL, array_count), seen DESC
         ) AS place,
         max(CASE WHEN started THEN Start END) OVER (PARTITION BY cluster_name, id) AS last_start
  FROM slurm_rows
  WHERE repeated
),
kept AS (
  SELECT *, coalesce(started AND lead(started) OVER earlier AND Submit = lead(Submit) OVER earlier
                     AND coalesce(lead(Start) OVER earlier - "End" BETWEEN 0 AND 1, 1), 0) AS goes_on
  FROM ranked
  WHERE place = 1 AND (started OR "End" IS NOT NULL OR coalesce(Submit > last_start, 1))
    AND row NOT IN (SELECT row FROM slurm_elsewhere)
  WINDOW earlier AS (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit), Submit)
)
SELECT row, cluster_name, id, started, last_start,
       1 + coalesce(sum(coalesce(state_base, '') <> 'RESIZING'
                        AND NOT goes_on) OVER (earlier ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
         AS attempt,
       row_number() OVER (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit) DESC, Submit DESC) AS from_last
FROM kept
WINDOW earlier AS (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit), Submit);
DROP TABLE IF EXISTS temp.slurm_attempts;
CREATE TEMP TABLE slurm_attempts AS
SELECT CAST(CASE WHEN (SELECT min(cluster_name) <> max(cluster_name) FROM slurm_rows) THEN cluster_name || '/' || id
                 ELSE id END AS TEXT) AS job,
       attempt, from_last, last_start, cluster_name, id, started, repeated, coalesce(alloc_gpu_types, req_gpu_types, '{}') AS held_types,
       row,
       req_gpu_types, req_gpus, alloc_gpus, array_count, state_base, outcome, Submit, Start, "End"
FROM (SELECT row, cluster_name, id, started, 1 AS repeated, attempt, from_last, last_start FROM slurm_counted
      UNION ALL
      SELECT row, cluster_name, id, started, 0, 1, 1, CASE WHEN started THEN Start END FROM slurm_rows
      WHERE NOT repeated AND row NOT IN (SELECT row FROM slurm_elsewhere))
CROSS JOIN slurm_jobs AS j ON j.rowid = row; -- the rest is read where it lies
DROP TABLE slurm_counted;
DROP TABLE slurm_elsewhere;

-- A job that ran when an earlier export was made, and has begun anew in a later one, has an end that neither has: a requeue submits again,
-- and a job does not run twice.
UPDATE temp.slurm_attempts SET "End" = ended
FROM (SELECT rowid AS row, CASE WHEN lead(Submit) OVER later > Start THEN lead(Submit) OVER later ELSE lead(Start) OVER later END AS ended
      FROM temp.slurm_attempts
      WHERE repeated
      WINDOW later AS (PARTITION BY cluster_name, id ORDER BY coalesce(Start, "End", Submit), Submit)) AS n
WHERE n.row = slurm_attempts.rowid AND started AND "End" IS NULL AND ended IS NOT NULL;

-- A job that runs or waits in an earlier export, and that the last listing of squeue lacks, is over: it lasts until it was last seen.
DROP TABLE IF EXISTS temp.slurm_listed;
CREATE TEMP TABLE slurm_listed AS
SELECT coalesce(Cluster, (SELECT iif(min(cluster_name) = max(cluster_name) OR j.JobID IS NOT NULL, max(cluster_name), NULL)
                          FROM slurm_rows)) AS cluster_name, max(last_update) AS at
FROM slurm_jobs AS j WHERE last_update IS NOT NULL GROUP BY 1;
DROP TABLE IF EXISTS temp.slurm_shown;
CREATE TEMP TABLE slurm_shown AS
SELECT DISTINCT r.id, r.cluster_name
FROM slurm_listed AS l CROSS JOIN slurm_rows AS r ON r.cluster_name = l.cluster_name CROSS JOIN slurm_jobs AS j ON j.rowid = r.row
WHERE j.last_update = l.at;
CREATE INDEX temp.slurm_shown_of ON slurm_shown(id, cluster_name);
DROP TABLE IF EXISTS temp.slurm_vanished;
CREATE TEMP TABLE slurm_vanished AS
WITH made AS MATERIALIZED ( -- sacct does not say when it was asked
  SELECT j._file, max(max(r.seen, coalesce(r."End", 0), coalesce(r.Submit, 0), iif(r.started, r.Start, 0))) AS at
  FROM (SELECT 1 FROM slurm_listed LIMIT 1) CROSS JOIN slurm_rows AS r CROSS JOIN slurm_jobs AS j ON j.rowid = r.row GROUP BY j._file
)
SELECT a.rowid AS row, a.job, j._file, j._line, coalesce(nullif(r.seen, 0), m.at) AS seen
FROM slurm_listed AS l CROSS JOIN slurm_attempts AS a ON a.cluster_name = l.cluster_name CROSS JOIN slurm_rows AS r ON r.row = a.row
CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
CROSS JOIN made AS m ON m._file = j._file
WHERE coalesce(nullif(r.seen, 0), m.at) < l.at AND a."End" IS NULL AND a.from_last = 1
  AND NOT EXISTS (SELECT 1 FROM slurm_shown AS s WHERE s.id = a.id AND s.cluster_name = a.cluster_name);
DROP TABLE slurm_shown;
UPDATE temp.slurm_attempts SET "End" = v.seen FROM slurm_vanished AS v WHERE v.row = slurm_attempts.rowid;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'jobs that a later listing of squeue shows no more, the first ' || min(job) || ': they ended when they were last seen. Export sacct'
FROM slurm_vanished GROUP BY _file;
DROP TABLE slurm_vanished;

-- Slurm counts GPUs by type for jobs that requested a type. The GPUs of another job are of the type of its nodes, if that is known and
-- one: by the nodes as they are now, by their events, by the jobs that asked. A list without any type is of a time when types were not
-- counted: then what is held is of no type, and so is what was installed.
DROP TABLE IF EXISTS temp.slurm_installed;
CREATE TEMP TABLE slurm_installed AS
SELECT e.Cluster AS cluster_name, t.key AS type, t.value AS chips, e.TimeStart AS start_time, e.TimeEnd AS end_time,
       count(*) OVER (PARTITION BY e.rowid) AS types
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
  CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN json_each(j.alloc_gpu_types) AS t
  CROSS JOIN json_each(j.nodes) AS n
  WHERE t.key <> '' AND t.value = a.alloc_gpus
)
SELECT cluster_name, node, max(type) AS type FROM known GROUP BY cluster_name, node HAVING count(*) = 1 AND max(type) <> '';
CREATE UNIQUE INDEX temp.slurm_type_of ON slurm_types(cluster_name, node);

UPDATE temp.slurm_attempts SET held_types = json_object(t.type, t.chips)
FROM (SELECT a.rowid AS row, max(k.type) AS type, (SELECT sum(value) FROM json_each(a.held_types)) AS chips, a.held_types AS held
      FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN json_each(j.nodes) AS n
           LEFT JOIN slurm_types AS k ON k.cluster_name = a.cluster_name AND k.node = n.value
      WHERE a.started AND instr(a.held_types, '"":') AND EXISTS (SELECT 1 FROM slurm_types)
        AND '' IN (SELECT key FROM json_each(a.held_types))
      GROUP BY a.rowid
      HAVING count(DISTINCT k.type) = 1 AND count(k.type) = count(*)) AS t
WHERE t.row = slurm_attempts.rowid AND NOT EXISTS (SELECT 1 FROM json_each(t.held) AS h WHERE h.key NOT IN ('', t.type))
  AND NOT EXISTS (SELECT 1 FROM slurm_installed AS i
                  WHERE i.cluster_name = slurm_attempts.cluster_name AND i.type = '' AND i.types = 1
                    AND i.start_time <= Start AND Start < coalesce(i.end_time, Start + 1));

-- Where its nodes are of several types, its GPUs are taken to lie evenly on them.
DROP TABLE IF EXISTS temp.slurm_spread;
CREATE TEMP TABLE slurm_spread AS
SELECT row, min(job) AS job, CASE
                                  WHEN min(chips % nodes) = 0 AND sum(n) = min(nodes)
                                    THEN json_group_object(type, chips / nodes * n) END AS types
FROM (SELECT a.rowid AS row, a.job, a.alloc_gpus AS chips, json_array_length(j.nodes) AS nodes, k.type, count(*) AS n
      FROM (SELECT 1 FROM slurm_types LIMIT 1) CROSS JOIN slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
      CROSS JOIN json_each(j.nodes) AS n
      CROSS JOIN slurm_types AS k ON k.cluster_name = a.cluster_name AND k.node = n.value
      WHERE a.started AND a.held_types GLOB '{"":*' AND instr(a.held_types, ',') = 0
        AND NOT EXISTS (SELECT 1 FROM slurm_installed AS i
                        WHERE i.cluster_name = a.cluster_name AND i.type = '' AND i.types = 1 AND i.start_time <= a.Start
                          AND a.Start < coalesce(i.end_time, a.Start + 1))
      GROUP BY a.rowid, k.type)
GROUP BY row;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT j._file, 'warning', 'missing_field', min(j._line), count(*),
       'jobs whose AllocTRES names no type, on nodes of several or of an unknown one, the first ' || min(s.job)
         || ': each node has the same part of their GPUs, and those of ' || CAST(total(types IS NULL) AS INTEGER) || ' jobs are of no type'
FROM slurm_spread AS s CROSS JOIN slurm_attempts AS a ON a.rowid = s.row CROSS JOIN slurm_jobs AS j ON j.rowid = a.row GROUP BY j._file;
UPDATE temp.slurm_attempts SET held_types = s.types FROM slurm_spread AS s WHERE s.row = slurm_attempts.rowid AND s.types IS NOT NULL;
DROP TABLE slurm_spread;

-- What is held is one of few lists.
DROP TABLE IF EXISTS temp.slurm_lists;
CREATE TEMP TABLE slurm_lists AS
SELECT types AS list, t.key AS type, t.value AS chips
FROM (SELECT DISTINCT held_types AS types FROM slurm_attempts) CROSS JOIN json_each(types) AS t;
CREATE INDEX temp.slurm_list_of ON slurm_lists(list);

-- ---- 3. Pools: the cluster, or where it has several types of GPU, "cluster/type" ----

DROP TABLE IF EXISTS temp.slurm_pools;
CREATE TEMP TABLE slurm_pools AS
WITH asked AS (
  SELECT cluster_name, t.key AS type
  FROM (SELECT DISTINCT cluster_name, held_types AS types FROM slurm_attempts) CROSS JOIN json_each(types) AS t
  UNION
  SELECT cluster_name, t.key FROM (SELECT DISTINCT cluster_name, req_gpu_types AS types
                                   FROM slurm_attempts WHERE req_gpu_types IS NOT held_types) CROSS JOIN json_each(types) AS t
  UNION
  SELECT e.Cluster, t.key FROM slurm_events AS e, json_each(e.gpu_types) AS t
),
clusters AS (
  SELECT cluster_name,
         coalesce((SELECT nullif(count(DISTINCT type) FILTER (WHERE type <> '' OR types > 1), 0)
                   FROM slurm_installed AS i WHERE i.cluster_name = a.cluster_name),
                  (SELECT 1 FROM slurm_installed AS i WHERE i.cluster_name = a.cluster_name),
                  -- who asks for any has some type
                  count(DISTINCT nullif(type, ''))
                    + EXISTS (SELECT 1 FROM slurm_attempts AS h
                              WHERE h.cluster_name = a.cluster_name AND started AND instr(held_types, '"":'))) AS types
  FROM asked AS a
  GROUP BY cluster_name
)
SELECT asked.cluster_name, asked.type,
       CASE WHEN clusters.types > 1 THEN asked.cluster_name || '/' || coalesce(nullif(asked.type, ''), 'gpu')
            ELSE asked.cluster_name END AS pool
FROM asked JOIN clusters USING (cluster_name);
CREATE UNIQUE INDEX temp.slurm_pool_of ON slurm_pools(cluster_name, type);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(_file) FROM slurm_jobs), 'warning', 'guessed_share', NULL, count(*),
       'types that are slices of GPUs (MIG), the first ' || min(type)
         || ': a slice counts as a chip of its own type, and not as its share of a GPU'
FROM slurm_pools WHERE type GLOB '*[1-7]g.[0-9]*gb*' GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', min(_line), count(*),
       'nodes with slices of GPUs (MIG) that their CfgTRES counts without a type, the first ' || min(NodeName)
         || ': each slice counts as a whole GPU'
FROM slurm_seen WHERE Gres GLOB '*[1-7]g.[0-9]*gb*' AND gpu_types GLOB '*"":*' GROUP BY _file;
