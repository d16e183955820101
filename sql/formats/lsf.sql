-- lsf.sql - from LSF's lsb.acct and lsb.events to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :lsf sure \A(?:#[^\n]*\n)*"(?:JOB|JGRP|QUEUE|HOST|LOG|EVENT|MBD|SBD|LOAD|QC|METRICS|LC|CPUPROFILE|SWITCH|SACT|ALERT|ADRSV|SIGACT|UNFULFILL|LEASE|MIG|CHKPNT|PRE_EXEC)\w*" "[\d.]+" \d+
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :lsf fixtures/lsf
--     .read sql/formats/lsf.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :lsf is a path, glob or folder of lsb.acct and lsb.events; :chips is what a chip is, 'gpus' (unless given) or 'slots'.
--
-- From a program that cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE lsf_records AS SELECT *, _file, _line, gpus AS held FROM lsf_trace('logdir/');
--
-- Makes the TEMP tables jobs, allocations, observed and aliases. The logs do not say what is installed: add capacity.
-- The rules are explained in docs/formats/lsf.md.

.read sql/formats/lsf/inputs.sql
.read sql/formats/lsf/attempts.sql

-- ---- 3. Jobs that grew or shrank, and ends that no record tells ----

-- A job that grew or shrank: JOB_RESIZE tells what it had until then, JOB_FINISH what it had at last, else the hosts that came or went do.
DROP TABLE IF EXISTS temp.lsf_sizes;
CREATE TEMP TABLE lsf_sizes(id, attempt, start_time, end_time, chips, unknown, _file, _line);
--@ if EXISTS (SELECT 1 FROM lsf_of_jobs WHERE event_type = 'JOB_RESIZE')
INSERT INTO lsf_sizes
WITH resized AS (
  SELECT a.id, a.attempt, a.start_time, a.end_time, a.last_held, a.held, r.gpu_req, r.held * 1.0 / r.num_hosts AS of_host,
         r.held * 1.0 / r.slots AS of_slot, z.at, s.num_hosts AS hosts, s.slots, s.hosts AS list, s.other, s._file, s._line,
         row_number() OVER (PARTITION BY a.id, a.attempt ORDER BY z.at DESC) AS from_last
  FROM (SELECT id, at, min(place) AS place FROM lsf_of_jobs WHERE event_type = 'JOB_RESIZE' GROUP BY id, at) AS z
  CROSS JOIN lsf_attempts AS a ON a.id = z.id AND z.at > a.start_time AND z.at < coalesce(a.end_time, 9e18)
  CROSS JOIN lsf_records AS s ON s.rowid = z.place CROSS JOIN lsf_records AS r ON r.rowid = a.place
),
changed AS (
  SELECT r.*, (SELECT json_group_array(DISTINCT substr(value, 1 + instr(value, '*')))
               FROM json_each(other) WHERE key BETWEEN 1 AND CAST(json_extract(other, '$[0]') AS INTEGER)) AS some,
         (SELECT total(max(1, CAST(value AS INTEGER) * (instr(value, '*') > 0)))
          FROM json_each(other) WHERE key BETWEEN 1 AND CAST(json_extract(other, '$[0]') AS INTEGER)) AS n
  FROM resized AS r
),
signed AS (
  SELECT *, (SELECT count(*) FROM json_each(some) WHERE value NOT IN (SELECT value FROM json_each(list))) AS new FROM changed
),
piece AS (
  SELECT id, attempt, at, coalesce(lag(at) OVER (PARTITION BY id, attempt ORDER BY at), start_time) AS since, at AS until,
         CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN slots WHEN gpu_req = 'task' THEN of_slot * slots
              WHEN gpu_req = 'host' THEN of_host * hosts END AS chips, held, _file, _line FROM signed
  UNION ALL
  SELECT id, attempt, at, at, end_time,
         coalesce(last_held, CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots')
                                    OR gpu_req = 'task' THEN iif(:chips IN ('cpus', 'ncpus', 'ncores', 'slots'), 1, of_slot)
                                    * (slots + iif(new > 0, n, -n))
                                  WHEN gpu_req = 'host' THEN of_host * (hosts + iif(new > 0, new, -json_array_length(some))) END), held,
         _file, _line
  FROM signed WHERE from_last = 1
)
SELECT id, attempt, since AS start_time, until AS end_time, max(coalesce(chips, held), 0) AS chips, chips IS NULL AS unknown, _file, _line
FROM piece;
UPDATE lsf_attempts SET held = s.most FROM (SELECT id, attempt, max(chips) AS most FROM lsf_sizes GROUP BY id, attempt) AS s
WHERE s.id = lsf_attempts.id AND s.attempt = lsf_attempts.attempt;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT s._file, 'info', 'resized_job', min(s._line), count(DISTINCT s.id),
       'jobs that got or gave back chips while they ran, the first ' || min(a.job)
         || ': what they got later counts as queued until they gave some back, '
       || CAST(total(iif(gave, 0, a.held - s.chips)
                       * (coalesce(s.end_time, (SELECT max(event_time) FROM lsf_records)) - s.start_time)) AS INTEGER) || ' chip-seconds'
         || iif(max(unknown), '; how much some had is not known', '')
FROM (SELECT *, max(chips) OVER (PARTITION BY id, attempt ORDER BY start_time) > chips AS gave FROM lsf_sizes) AS s
CROSS JOIN lsf_attempts AS a ON a.id = s.id AND a.attempt = s.attempt WHERE a.held > 0 GROUP BY s._file;
--@ end

-- An end that no record tells. LSF ends a job at its run limit (an hour of grace). And what runs on a host at once is no more than jobs
-- that ended ever had there together: what one holds beyond that, since a later one started, may be another's.
DROP TABLE IF EXISTS temp.lsf_open;
CREATE TEMP TABLE lsf_open AS
SELECT a.id, a.job, a.start_time, a._file, a._line, a.held * 1.0 / r.num_hosts AS each, r.hosts
FROM lsf_attempts AS a CROSS JOIN lsf_records AS r ON r.rowid = a.place WHERE a.end_time IS NULL AND a.held > 0;
--@ if EXISTS (SELECT 1 FROM lsf_open)
DROP TABLE IF EXISTS temp.lsf_places;
CREATE TEMP TABLE lsf_places AS
SELECT h.value AS host, a.start_time, a.end_time, a.held * 1.0 / r.num_hosts AS each
FROM (SELECT 1 FROM lsf_open LIMIT 1) CROSS JOIN lsf_attempts AS a CROSS JOIN lsf_records AS r ON r.rowid = a.place
CROSS JOIN json_each(r.hosts) AS h WHERE a.held > 0;
CREATE INDEX temp.lsf_places_on ON lsf_places(host, start_time);
DROP TABLE IF EXISTS temp.lsf_most;
CREATE TEMP TABLE lsf_most AS
SELECT max(now) AS chips
FROM (SELECT sum(sum(d)) OVER (PARTITION BY host ORDER BY at) AS now
      FROM (SELECT host, start_time AS at, each AS d FROM lsf_places
            WHERE end_time > start_time UNION ALL SELECT host, end_time, -each FROM lsf_places WHERE end_time > start_time)
      GROUP BY host, at);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'the end of job ' || job || ' is not told, though ' || why || ': it runs until the last record. Is a file missing?'
FROM (SELECT o.*, CASE WHEN (SELECT min(r.run_limit) FROM lsf_of_jobs AS j CROSS JOIN lsf_records AS r ON r.rowid = j.place
                             WHERE j.id = o.id AND r.run_limit > 0) + o.start_time + 3600 < (SELECT max(event_time) FROM lsf_records)
                            THEN 'its run limit is over'
                       WHEN EXISTS (SELECT 1 FROM json_each(o.hosts) AS h
                                    CROSS JOIN lsf_places AS p ON p.host = h.value AND p.start_time > o.start_time
                                    WHERE p.end_time > p.start_time AND p.each + o.each > (SELECT chips FROM lsf_most) + 1e-6)
                         THEN 'a later job had chips of its hosts' END AS why
      FROM lsf_open AS o)
WHERE why IS NOT NULL GROUP BY _file;
DROP TABLE lsf_places;
DROP TABLE lsf_most;
--@ end
DROP TABLE lsf_open;
-- A suspended job keeps its GPUs.
--@ if EXISTS (SELECT 1 FROM lsf_of_jobs WHERE event_type = 'JOB_STATUS')
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(DISTINCT job),
       'jobs that were suspended, the first ' || min(job) || ', for ' || CAST(total(until - at) AS INTEGER)
         || ' s in all: they held their chips meanwhile ('
       || CAST(total((until - at) * held) AS INTEGER) || ' chip-seconds)'
FROM (SELECT r._file, r._line, a.job, s.at, a.held,
             min(coalesce((SELECT min(n.at) FROM lsf_of_jobs AS n
                           WHERE n.id = s.id AND n.at > s.at AND n.event_type IN ('JOB_STATUS', 'JOB_FINISH')), 9e18),
                 coalesce(a.end_time, (SELECT max(event_time) FROM lsf_records))) AS until
      FROM lsf_of_jobs AS s CROSS JOIN lsf_attempts AS a ON a.id = s.id AND s.at >= a.start_time AND s.at < coalesce(a.end_time, 9e18)
      CROSS JOIN lsf_records AS r ON r.rowid = s.place
      WHERE s.event_type = 'JOB_STATUS' AND s.j_status & 24 AND a.held > 0)
GROUP BY _file;
--@ end
-- lsb.acct tells how long a job ran, without that.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(*),
       'jobs that ran for less time than they were there, as if suspended (or their end was written late), the first ' || min(job_id)
         || ', for ' || CAST(total(event_time - start_time - run_time) AS INTEGER)
       || ' s in all: they held their chips meanwhile (' || CAST(total(held * (event_time - start_time - run_time)) AS INTEGER)
         || ' chip-seconds)'
FROM lsf_records WHERE event_type = 'JOB_FINISH' AND run_time > 0 AND event_time - start_time > run_time + 60 AND held > 0
  AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs WHERE event_type = 'JOB_STATUS') GROUP BY _file;

-- ---- 4. The relations ----

-- Jobs that asked for chips or got some. What a job needs is what its last start gave it, else what it asks for.
-- An array as a whole says what its elements do not. (Of other jobs it is among their records.)
DROP TABLE IF EXISTS temp.lsf_wholes;
CREATE TEMP TABLE lsf_wholes(job_id, nth, job_name, project_name, user_name, queue, submit_time, PRIMARY KEY (job_id, nth)) WITHOUT ROWID;
INSERT INTO lsf_wholes
SELECT r.job_id, coalesce(u.nth, 1) AS nth, max(job_name), max(project_name), max(user_name), max(queue), min(r.submit_time)
FROM lsf_records AS r LEFT JOIN lsf_uses AS u ON u.job_id = r.job_id AND u.submit_time = r.submit_time
WHERE event_type = 'JOB_NEW' AND r.job_id IS NOT NULL AND (job_name GLOB '*[[]*]*' OR r.job_id IN (SELECT job_id FROM lsf_ids))
GROUP BY r.job_id, nth;
DROP TABLE IF EXISTS temp.lsf_jobs;
CREATE TEMP TABLE lsf_jobs(id INTEGER PRIMARY KEY, job TEXT, base, idx, nth, place, last, submit_time, chips, least, most);
INSERT INTO lsf_jobs
WITH said AS (
  SELECT id, min(place) AS place, max(place) AS last, max(held) AS asked, min(submit_time) AS submit_time
  FROM lsf_of_jobs GROUP BY id HAVING max(held) > 0
),
held AS ( -- most jobs have one attempt, and keep what they got
  SELECT j.*, f.held, s.id IS NULL AND NOT EXISTS (SELECT 1 FROM lsf_sizes) AS once
  FROM said AS j LEFT JOIN lsf_attempts AS f ON f.id = j.id AND f.attempt = 1 LEFT JOIN lsf_attempts AS s ON s.id = j.id AND s.attempt = 2
)
SELECT j.id, coalesce(i.job, j.id), coalesce(i.job_id, j.id), i.idx, coalesce(i.nth, 1), place, last,
       coalesce(j.submit_time, w.submit_time),
       coalesce(iif(once, iif(j.held > 0, j.held, NULL),
                    (SELECT a.held FROM lsf_attempts AS a WHERE a.id = j.id AND a.held > 0 ORDER BY a.attempt DESC LIMIT 1)), asked),
       iif(once, iif(j.held > 0, j.held, NULL),
           (SELECT min(held) FROM (SELECT held FROM lsf_attempts AS a WHERE a.id = j.id AND a.held > 0
                                   UNION ALL SELECT chips FROM lsf_sizes AS z WHERE z.id = j.id AND chips > 0))),
       iif(once, j.held, (SELECT max(a.held) FROM lsf_attempts AS a WHERE a.id = j.id))
FROM held AS j LEFT JOIN lsf_ids AS i ON i.id = j.id
LEFT JOIN lsf_wholes AS w ON w.job_id = coalesce(i.job_id, j.id) AND w.nth = coalesce(i.nth, 1);
DROP TABLE IF EXISTS temp.lsf_told;
CREATE TEMP TABLE lsf_told(id INTEGER PRIMARY KEY, job_name, project_name, user_name, queue, gpu_model, num_hosts, app, job_group_name);
INSERT INTO lsf_told
SELECT j.id, max(job_name), max(project_name), max(user_name), max(queue), max(gpu_model), max(num_hosts), max(app), max(job_group_name)
FROM lsf_jobs AS j CROSS JOIN lsf_of_jobs AS o ON o.id = j.id CROSS JOIN lsf_records AS r ON r.rowid = o.place
WHERE j.place < last GROUP BY j.id;
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
WITH whole AS (
  SELECT j.*, coalesce(t.job_name, r.job_name, w.job_name) AS name, coalesce(t.project_name, r.project_name, w.project_name) AS project,
         coalesce(t.user_name, r.user_name, w.user_name) AS user, coalesce(t.queue, r.queue, w.queue) AS queue,
         coalesce(t.gpu_model, r.gpu_model) AS gpu_model, coalesce(t.num_hosts, r.num_hosts) AS hosts, coalesce(t.app, r.app) AS app,
         coalesce(t.job_group_name, r.job_group_name) AS job_group
  FROM lsf_jobs AS j CROSS JOIN lsf_records AS r ON r.rowid = j.place LEFT JOIN lsf_told AS t ON t.id = j.id
  LEFT JOIN lsf_wholes AS w ON w.job_id = j.base AND w.nth = j.nth
)
SELECT job, name, project AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model, NULL AS priority, chips,
       CASE WHEN least <> chips OR most <> chips THEN least END AS min_chips, NULL AS tasks, submit_time,
       -- (json_patch leaves out what is not known, but is slow.)
       CASE WHEN idx > 0 OR job_group IS NOT NULL OR user || queue || hosts IS NULL
            THEN json_patch('{}', json_object('user', user, 'queue', queue, 'gpu_model', gpu_model, 'hosts', hosts, 'app', app,
                                              'job_group', job_group, 'array_job', CASE WHEN idx > 0 THEN base END))
            WHEN gpu_model || app IS NOT NULL
            THEN json_object('user', user, 'queue', queue, 'gpu_model', gpu_model, 'hosts', hosts, 'app', app)
            WHEN app IS NOT NULL THEN json_object('user', user, 'queue', queue, 'hosts', hosts, 'app', app)
            WHEN gpu_model IS NOT NULL THEN json_object('user', user, 'queue', queue, 'gpu_model', gpu_model, 'hosts', hosts)
            ELSE json_object('user', user, 'queue', queue, 'hosts', hosts) END AS labels
FROM whole;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM (SELECT a.job, min(r._file) AS _file, min(r._line) AS _line
      FROM lsf_jobs AS j CROSS JOIN lsf_attempts AS a ON a.id = j.id AND a.start_time < j.submit_time
      CROSS JOIN lsf_of_jobs AS o ON o.id = a.id CROSS JOIN lsf_records AS r ON r.rowid = o.place
      WHERE iif(o.event_type = 'JOB_START', o.at = a.start_time,
                o.event_type = 'JOB_FINISH'
                  AND coalesce((SELECT begun FROM lsf_begun AS b WHERE b.place = o.place), o.start_time) = a.start_time)
      GROUP BY a.id, a.attempt) GROUP BY _file;

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT a.job, attempt, NULL AS task, 'lsf' AS pool, coalesce(held, j.chips) AS chips, start_time, end_time, outcome
FROM lsf_attempts AS a CROSS JOIN lsf_jobs AS j ON j.id = a.id WHERE iif((a.id, attempt) IN (SELECT id, attempt FROM lsf_sizes), 0, 1);
--@ if EXISTS (SELECT 1 FROM lsf_sizes)
INSERT INTO allocations
SELECT a.job, s.attempt, NULL, 'lsf', s.chips, s.start_time, s.end_time,
       iif(lead(s.chips) OVER (PARTITION BY s.id, s.attempt ORDER BY s.start_time) < s.chips, 'released', outcome)
FROM lsf_sizes AS s CROSS JOIN lsf_attempts AS a ON a.id = s.id AND a.attempt = s.attempt WHERE s.id IN (SELECT id FROM lsf_jobs);
--@ end
--@ if EXISTS (SELECT 1 FROM lsf_attempts WHERE again)
-- What waits again after it ran holds nothing from then on, which keeps open what it asks for; what left the queue closes it.
INSERT INTO allocations
SELECT job, attempt, NULL, 'lsf', 0, since, until, iif(until IS NULL, NULL, 'cancelled')
FROM (SELECT job, attempt, since,
             (SELECT min(j.at) FROM lsf_of_jobs AS j WHERE j.id = w.id AND j.at > since
                AND (j.event_type = 'JOB_FINISH' OR (j.event_type = 'JOB_STATUS' AND j.j_status & 96))) AS until
      FROM (SELECT id, job, max(attempt) + 1 AS attempt, max(end_time) AS since FROM lsf_attempts
            WHERE id IN (SELECT id FROM lsf_attempts WHERE again) AND id IN (SELECT id FROM lsf_jobs)
            GROUP BY id HAVING max(end_time IS NULL) = 0 AND max(attempt * 2 + again) % 2 = 1) AS w);
--@ end
INSERT INTO allocations
SELECT j.job, 1, NULL, 'lsf', 0, nullif(max(at), -9e18), nullif(max(at), -9e18), 'cancelled'
FROM lsf_jobs AS j CROSS JOIN lsf_of_jobs AS o ON o.id = j.id
WHERE j.id NOT IN (SELECT id FROM lsf_attempts) AND (event_type = 'JOB_FINISH' OR (event_type = 'JOB_STATUS' AND j_status & 96))
GROUP BY j.id;

-- The cluster was observed until the last record, of any type.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS SELECT 'lsf' AS pool, (SELECT max(event_time) FROM lsf_records) AS until_time FROM jobs LIMIT 1;

-- LSF calls a job 123, an element of an array 123[4], and its output as users want: 123_4.
DROP TABLE IF EXISTS temp.aliases;
--@ if (SELECT count(*) FROM source) + (SELECT count(*) FROM file WHERE source IS NULL AND format IS NOT NULL) > 1
CREATE TEMP TABLE aliases AS
SELECT job, base || mark || idx AS alias FROM lsf_jobs, (SELECT '.' AS mark UNION SELECT '_' UNION SELECT '-') WHERE idx > 0
UNION ALL
SELECT job, base || iif(idx > 0, '[' || idx || ']', '') FROM lsf_jobs WHERE nth > 1
UNION ALL -- and the files that it writes (sources/match/outputs.sql)
SELECT DISTINCT job, '>' || iif(path GLOB '/*', path, cwd || '/' || path)
FROM (SELECT job, cwd, iif(n, out_file, err_file) AS path
      FROM lsf_jobs AS j CROSS JOIN lsf_of_jobs AS o ON o.id = j.id CROSS JOIN lsf_records AS r ON r.rowid = o.place
      CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1) WHERE coalesce(out_file, err_file) IS NOT NULL)
WHERE (path GLOB '/*' OR cwd <> '') AND path NOT GLOB '*%*' AND path NOT GLOB '/dev/*' AND path <> '';
--@ end

CREATE TEMP VIEW held_on AS SELECT a.job, r.hosts, a.start_time, a.end_time
FROM lsf_attempts AS a CROSS JOIN lsf_records AS r ON r.rowid = a.place;
.read sql/formats/log/on_hosts.sql

-- ---- 5. Tables that are no longer needed ----

DROP TABLE lsf_jobs;
DROP TABLE lsf_wholes;
DROP TABLE lsf_told;
DROP TABLE lsf_attempts;
DROP TABLE lsf_begun;
DROP TABLE lsf_sizes;
DROP TABLE lsf_uses;
DROP TABLE lsf_of_jobs;
DROP TABLE lsf_ids;
DROP TABLE lsf_records;
