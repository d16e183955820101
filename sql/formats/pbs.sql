-- pbs.sql - from the accounting logs of PBS Pro, OpenPBS and Torque to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :pbs sure \A(?:\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];[^;\n]*;)
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :pbs  fixtures/pbs/accounting.log
--     .param set :zone America/Denver
--     .read sql/formats/pbs.sql
--     CREATE TEMP TABLE capacity AS
--       SELECT 'pod' AS pool, 'a100' AS chip, 16 AS chips, '2025-03-31T17:00Z' AS start_time, '2025-03-31T18:10Z' AS end_time;
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters (all but :pbs may be left unset): :pbs is a path, glob or folder of accounting logs; :zone
-- is the server's time zone ('UTC'); :chips is what a chip is, 'ngpus' (unless given) or
-- 'ncpus'.
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE pbs_records AS
--     SELECT *, _file, _line, req_gpus AS asked, alloc_gpus AS held FROM pbs_trace('accounting/', 'America/Denver');
--
-- Makes the TEMP tables jobs, allocations and observed, which mpg_ledger and mpg_rollup then find, and aliases, the
-- other names of jobs. An accounting
-- log does not say what is installed: add capacity (and outages) as shown above. The input is dropped
-- at the end. The rules are explained in docs/formats/pbs.md.

.read sql/formats/pbs/inputs.sql
.read sql/formats/pbs/attempts.sql

-- ---- 5. Jobs, and pools: the server, or where its jobs name several types of GPU, "server/type" ----

DROP TABLE IF EXISTS temp.pbs_jobs;
CREATE TEMP TABLE pbs_jobs(job INTEGER PRIMARY KEY, name, owner, submit_time, "user", "group", queue, project, gpu_type, least_type, server,
                           nodes, task, base, chips, least_asked);
INSERT INTO pbs_jobs
SELECT j.job, max(jobname) AS name, coalesce(max(account), max(nullif(project, '_pbs_project_default')), max("group")) AS owner,
       min(coalesce(ctime, qtime, CASE WHEN j.record_type = 'Q' THEN j.date_time END)) AS submit_time,
       max("user") AS "user", max("group") AS "group", max(queue) AS queue, max(project) AS project, max(j.gpu_type) AS gpu_type,
       min(j.gpu_type), max(j.server),
       max(CASE typeof(nodes) WHEN 'text' THEN json_array_length(nodes) ELSE nodes END) AS nodes, max(array_index) AS task,
       max(job_base) AS base,
       max(nullif(max(j.asked, 0), 0)), min(nullif(max(j.asked, 0), 0))
FROM pbs_of_jobs AS j CROSS JOIN pbs_records AS r ON r.rowid = j.place
GROUP BY j.job;
-- What a job asked for last, by its starts if it has any. (One number orders them: a start, its time, its place.)
DROP TABLE IF EXISTS temp.pbs_asked;
CREATE TEMP TABLE pbs_asked(job INTEGER PRIMARY KEY, asked, last);
INSERT INTO pbs_asked
SELECT o.job, o.asked, max((o.record_type IN ('S', 'T') OR coalesce(r.message_text IN (';QSE', ';SE'), 0)) * 4611686018427387904
                             + max(0, coalesce(CAST(o.date_time AS INTEGER), -1) + 1) * 536870912 + place)
FROM pbs_jobs AS j CROSS JOIN pbs_of_jobs AS o ON o.job = j.job CROSS JOIN pbs_records AS r ON r.rowid = o.place
WHERE j.least_asked <> j.chips AND o.asked > 0 GROUP BY o.job;
UPDATE pbs_jobs SET chips = a.asked FROM pbs_asked AS a WHERE a.job = pbs_jobs.job;
DROP TABLE pbs_asked;

DROP TABLE IF EXISTS temp.pbs_pools;
CREATE TEMP TABLE pbs_pools(job INTEGER PRIMARY KEY, pool);
INSERT INTO pbs_pools
WITH types AS MATERIALIZED (
  SELECT coalesce(server, 'pbs') AS name, count(DISTINCT lower(gpu_type)) AS types
  FROM (SELECT server, gpu_type FROM pbs_jobs
        UNION
        SELECT o.server, o.gpu_type FROM pbs_jobs AS j CROSS JOIN pbs_of_jobs AS o ON o.job = j.job WHERE j.least_type <> j.gpu_type)
  GROUP BY name
)
SELECT job, CASE WHEN types > 1 THEN t.name || '/' || coalesce(lower(gpu_type), 'gpu') ELSE t.name END AS pool
FROM pbs_jobs AS j CROSS JOIN types AS t ON t.name = coalesce(j.server, 'pbs');

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pbs, 'pbs_records'), 'warning', 'missing_field', NULL, count(*),
       'jobs that name no type of GPU, or several, while others of their server name one, such as ' || min(i.name)
         || ': they are in a pool of their own, ' || min(pool)
FROM pbs_jobs AS j CROSS JOIN pbs_pools AS p ON p.job = j.job CROSS JOIN pbs_ids AS i ON i.rowid = j.job
WHERE j.gpu_type IS NULL AND pool LIKE '%/gpu' GROUP BY NULL HAVING count(*) > 0;

-- ---- 6. The relations ----

-- A job needs what it requested when it last started, or what it requested later: it may be altered while it waits, and release nodes
-- while it runs. If it was given another number (whole nodes), it is elastic.
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH given AS ( -- most jobs start once, and keep what they got
  SELECT *, iif(once, got, (SELECT min(nullif(chips, 0))
                            FROM (SELECT chips FROM pbs_attempts AS a WHERE a.job = g.job
                                  UNION ALL SELECT chips FROM pbs_kept AS k WHERE k.job = g.job))) AS least,
         iif(once, got, (SELECT max(nullif(chips, 0)) FROM pbs_attempts AS a WHERE a.job = g.job)) AS most
  FROM (SELECT j.*, nullif(f.chips, 0) AS got, s.job IS NULL AND NOT EXISTS (SELECT 1 FROM pbs_kept) AS once
        FROM pbs_jobs AS j LEFT JOIN pbs_attempts AS f ON f.job = j.job AND f.attempt = 1
        LEFT JOIN pbs_attempts AS s ON s.job = j.job AND s.attempt = 2) AS g
)
SELECT i.name AS job, n.name, owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, NULL AS priority,
       coalesce(chips, most) AS chips,
       CASE WHEN least <> chips OR most <> chips THEN least END AS min_chips,
       NULL AS tasks, submit_time,
       -- (json_patch leaves out what is not known, but is slow.)
       CASE WHEN task IS NULL AND "user" || "group" || queue || project || gpu_type || nodes IS NOT NULL
            THEN json_object('user', "user", 'group', "group", 'queue', queue, 'project', project, 'gpu_type', gpu_type, 'nodes', nodes)
            ELSE json_patch('{}', json_object('user', "user", 'group', "group", 'queue', queue, 'project', project,
                                              'gpu_type', gpu_type, 'nodes', nodes, 'array_job',
                                              CASE WHEN task IS NOT NULL THEN base END)) END AS labels
FROM given AS n CROSS JOIN pbs_ids AS i ON i.rowid = n.job;

-- A job that left the queue holds nothing at that moment: that closes its request.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
WITH changed AS (
  SELECT job, attempt FROM pbs_pauses UNION SELECT job, attempt FROM pbs_kept
),
piece AS (
  SELECT job, attempt, start_time, chips, 0 AS kept FROM pbs_attempts WHERE (job, attempt) IN (SELECT job, attempt FROM changed)
  UNION ALL
  SELECT job, attempt, start_time, 0, 0 FROM pbs_pauses
  UNION ALL
  SELECT job, attempt, end_time,
         coalesce((SELECT chips FROM pbs_kept AS k WHERE k.job = p.job AND k.attempt = p.attempt AND k.start_time <= p.end_time
                   ORDER BY k.start_time DESC, k.place DESC LIMIT 1), chips),
         EXISTS (SELECT 1 FROM pbs_kept AS k WHERE k.job = p.job AND k.attempt = p.attempt AND k.start_time <= p.end_time)
  FROM pbs_pauses AS p WHERE end_time IS NOT NULL
  UNION ALL
  SELECT job, attempt, start_time, chips, 1 FROM pbs_kept AS k
  WHERE NOT EXISTS (SELECT 1 FROM pbs_pauses AS p
                    WHERE p.job = k.job AND p.attempt = k.attempt AND p.start_time <= k.start_time
                      AND k.start_time < coalesce(p.end_time, 9e18))
),
held AS (
  SELECT job, attempt, chips, start_time, end_time, outcome FROM pbs_attempts AS a
  WHERE NOT EXISTS (SELECT 1 FROM pbs_pauses AS s WHERE s.job = a.job AND s.attempt = a.attempt)
    AND NOT EXISTS (SELECT 1 FROM pbs_kept AS k WHERE k.job = a.job AND k.attempt = a.attempt)
  UNION ALL
  SELECT p.job, p.attempt, p.chips, p.start_time,
         coalesce(lead(p.start_time) OVER later, a.end_time), iif(lead(p.kept) OVER later, 'released', a.outcome)
  FROM piece AS p JOIN pbs_attempts AS a USING (job, attempt)
  WINDOW later AS (PARTITION BY p.job, p.attempt ORDER BY p.start_time, p.chips DESC)
)
SELECT i.name AS job, attempt, NULL AS task, pool, chips, start_time, end_time, outcome
FROM held AS h CROSS JOIN pbs_ids AS i ON i.rowid = h.job CROSS JOIN pbs_pools AS p ON p.job = h.job
UNION ALL
SELECT i.name, attempt, NULL, pool, 0, at, at, 'cancelled'
FROM pbs_left AS l CROSS JOIN pbs_ids AS i ON i.rowid = l.job CROSS JOIN pbs_pools AS p ON p.job = l.job;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pbs, 'pbs_records'), 'warning', 'start_before_submit', NULL, count(DISTINCT a.job),
       'job ' || min(i.name) || ' started before it was submitted: it counts as given'
FROM pbs_jobs AS j CROSS JOIN pbs_attempts AS a ON a.job = j.job AND a.start_time < j.submit_time CROSS JOIN pbs_ids AS i ON i.rowid = j.job
GROUP BY NULL;
-- An attempt that ended before it started holds nothing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pbs, 'pbs_records'), 'data_loss', 'end_before_start', NULL, count(*),
       'job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- If a job got no chips by its vnodes, it has those that it asked for.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:pbs, 'pbs_records'), 'warning', 'missing_field', NULL, count(DISTINCT job),
       'jobs whose exec_vnode lists no chips, though they asked for some: they count with what they asked for'
FROM pbs_started WHERE held = 0 AND asked > 0 GROUP BY NULL;

-- Until when the server was observed: until the last record of its log, of whatever kind. The record's time is the server's local one; if
-- :zone is another zone, starts and ends tell the difference, which is in quarters of an hour. It counts if it is later than all that jobs
-- say.
DROP TABLE IF EXISTS temp.pbs_observed;
CREATE TEMP TABLE pbs_observed AS
WITH last AS ( -- of one server nothing is sorted
  SELECT server, 1 AS of_job, (SELECT max(date_time) FROM pbs_records) AS at FROM pbs_faults WHERE NOT of_servers AND of_jobs
  UNION ALL
  SELECT coalesce(r.server, 'pbs'), job_base IS NOT NULL, max(date_time)
  FROM pbs_faults CROSS JOIN pbs_records AS r WHERE of_servers GROUP BY 1, 2
),
servers AS (SELECT server, at FROM last WHERE of_job)
SELECT server, CAST(iif((SELECT count(*) FROM servers) = 1, (SELECT max(at) FROM last), at) - seconds AS INTEGER) AS at
FROM servers, pbs_apart;
DELETE FROM pbs_observed
WHERE at <= max((SELECT max(max(start_time), coalesce(max(end_time), 0)) FROM allocations),
                coalesce((SELECT max(submit_time) FROM jobs), 0));
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT DISTINCT pool, at AS until_time
FROM pbs_pools JOIN pbs_observed ON pool = server OR substr(pool, 1, length(server) + 1) = server || '/';

-- A job that was rerun and waits holds nothing from then on: that keeps its request open.
INSERT INTO allocations
WITH last AS (SELECT job, max(attempt) AS attempt, end_time, again FROM pbs_attempts GROUP BY job)
SELECT i.name, attempt + 1, NULL, pool, 0, end_time, NULL, NULL
FROM last AS l CROSS JOIN pbs_ids AS i ON i.rowid = l.job CROSS JOIN pbs_pools AS p ON p.job = l.job
WHERE again AND l.job NOT IN (SELECT job FROM pbs_left);

-- ---- 7. What else a job goes by: its id without the server's name, as in the names of its logs ----

-- The server writes a job's output to train.o123 and train.e123, of a task of an array to train.o123.4, Torque's to train.o123-4.
DROP TABLE IF EXISTS temp.aliases;
--@ if (SELECT count(*) FROM source) + (SELECT count(*) FROM file WHERE source IS NULL AND format IS NOT NULL) > 1
CREATE TEMP TABLE aliases AS
WITH once AS (
  SELECT i.name AS job, base, task FROM pbs_jobs AS j CROSS JOIN pbs_ids AS i ON i.rowid = j.job WHERE task IS NOT ''
),
named AS (
  SELECT job, base || coalesce('[' || task || ']', '') AS name, task IS NULL AS whole FROM once
  UNION ALL
  SELECT job, base || mark || task, 1 FROM once, (SELECT '.' AS mark UNION SELECT '-' UNION SELECT '_') WHERE task IS NOT NULL
)
SELECT job, name AS alias FROM named
UNION ALL
SELECT job, letter || name FROM named, (SELECT 'o' AS letter UNION SELECT 'e') WHERE whole;
--@ end

-- The hosts of an attempt, by its S record: "n1/0*8+n2/0*8".
DROP VIEW IF EXISTS temp.held_on;
CREATE TEMP VIEW held_on AS
SELECT i.name AS job, (SELECT json_group_array(DISTINCT substr(s.value, 1, instr(s.value || '/', '/') - 1))
                       FROM json_each('["' || replace(replace(replace(r.exec_host, '\', ''), '"', ''), '+', '","') || '"]') AS s) AS hosts,
       a.start_time, a.end_time
FROM pbs_records AS r CROSS JOIN pbs_ids AS i ON i.name = r.id_string
CROSS JOIN pbs_attempts AS a ON a.job = i.rowid AND a.start_time = r.start
WHERE (r.record_type = 'S' OR r.message_text IN (';QSE', ';SE')) AND r.exec_host IS NOT NULL;
.read sql/formats/log/on_hosts.sql

-- ---- 8. Tables that are no longer needed ----

DROP TABLE pbs_pools;
DROP TABLE pbs_observed;
DROP TABLE pbs_apart;
DROP TABLE pbs_left;
DROP TABLE pbs_jobs;
DROP TABLE pbs_told;
DROP TABLE pbs_pauses;
DROP TABLE pbs_kept;
DROP TABLE pbs_attempts;
DROP TABLE pbs_again;
DROP TABLE pbs_started;
DROP TABLE pbs_stops;
DROP TABLE pbs_of_jobs;
DROP TABLE pbs_ids;
DROP TABLE pbs_faults;
DROP TABLE pbs_records;
