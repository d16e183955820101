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

-- ---- 2. Starts and what ended them ----

-- An element of an array is a job of its own; a record of the array as a whole is that of each of its elements: train[1-10:2,15]%4.
-- A number that is given anew, once the numbers are used up, is another job's: 123#2.
DROP TABLE IF EXISTS temp.lsf_uses;
CREATE TEMP TABLE lsf_uses AS
SELECT job_id, submit_time, row_number() OVER (PARTITION BY job_id ORDER BY submit_time) AS nth
FROM (SELECT DISTINCT job_id, submit_time FROM lsf_records WHERE event_type IN ('JOB_NEW', 'JOB_FINISH') AND submit_time IS NOT NULL)
WHERE job_id IN (SELECT job_id FROM lsf_records WHERE event_type IN ('JOB_NEW', 'JOB_FINISH')
                 GROUP BY job_id HAVING max(submit_time) > min(submit_time) + 1);
CREATE INDEX temp.lsf_uses_of ON lsf_uses(job_id, submit_time);
DROP TABLE IF EXISTS temp.lsf_of_jobs;
CREATE TEMP TABLE lsf_of_jobs AS
WITH RECURSIVE got AS MATERIALIZED ( -- what its elements get says what they ask for
  SELECT job_id, max(held) AS held FROM lsf_records WHERE event_type IN ('JOB_START', 'JOB_FINISH') AND idx > 0 GROUP BY job_id
),
arrays AS (
  SELECT r.rowid AS place, substr(job_name, 1 + instr(job_name, '['), instr(job_name, ']') - instr(job_name, '[') - 1) AS list,
         coalesce(r.held, got.held) AS held
  FROM lsf_records AS r LEFT JOIN got ON got.job_id = r.job_id
  WHERE event_type = 'JOB_NEW' AND r.job_id IS NOT NULL AND job_name GLOB '*[[]*]*'
),
part(place, held, at, until, step) AS (
  SELECT place, held, CAST(value AS INTEGER),
         CASE WHEN instr(value, '-') THEN CAST(substr(value, 1 + instr(value, '-')) AS INTEGER) ELSE CAST(value AS INTEGER) END,
         CASE WHEN instr(value, ':') THEN max(1, CAST(substr(value, 1 + instr(value, ':')) AS INTEGER)) ELSE 1 END
  FROM arrays, json_each('["' || replace(list, ',', '","') || '"]') WHERE list NOT GLOB '*[^0-9,:-]*'
  UNION ALL
  SELECT place, held, at + step, until, step FROM part WHERE at + step <= until
),
record AS (
  SELECT job_id, coalesce(idx, 0) AS idx, rowid AS place, held FROM lsf_records
  WHERE job_id IS NOT NULL AND event_type IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS', 'JOB_RESIZE')
    AND NOT (event_type = 'JOB_NEW' AND coalesce(job_name, '') GLOB '*[[]*]*')
  UNION ALL
  SELECT r.job_id, at, place, part.held FROM part CROSS JOIN lsf_records AS r ON r.rowid = place WHERE at > 0
)
SELECT CAST(r.job_id || CASE WHEN r.idx > 0 THEN '[' || r.idx || ']' ELSE '' END
            || CASE WHEN u.nth > 1 THEN '#' || u.nth ELSE '' END AS TEXT) AS job, r.job_id, r.idx, place, event_type, event_time,
       start_time, l.submit_time, j_status, outcome, r.held, num_processors, coalesce(u.nth, 1) AS nth, _file, _line
FROM record AS r CROSS JOIN lsf_records AS l ON l.rowid = place
LEFT JOIN lsf_uses AS u ON u.job_id = r.job_id
  AND u.nth = (SELECT max(1, coalesce(max(b.nth), 1)) FROM lsf_uses AS b
               WHERE b.job_id = r.job_id AND b.submit_time <= coalesce(l.submit_time, l.event_time));
CREATE INDEX temp.lsf_of_job ON lsf_of_jobs(job, event_time);

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*), 'the end of job ' || job || ' comes more than once: it counts once'
FROM (SELECT _file, _line, job, row_number() OVER (PARTITION BY job, start_time, event_time ORDER BY place) AS nth
      FROM lsf_of_jobs WHERE event_type = 'JOB_FINISH') WHERE nth > 1 GROUP BY _file;

-- lsb.acct tells the last start of a job that has ended, lsb.events every one. A job that is back in the queue (PEND) waits again.
-- mbatchd may write a start some seconds off the time that the job's end has of it: they are one, unless it was stopped between.
DROP TABLE IF EXISTS temp.lsf_begun;
CREATE TEMP TABLE lsf_begun AS
SELECT place, begun
FROM (SELECT f.place, s.event_time AS begun, row_number() OVER (PARTITION BY f.place ORDER BY abs(s.event_time - f.start_time)) AS nth
      FROM lsf_of_jobs AS f
      CROSS JOIN lsf_of_jobs AS s ON s.job = f.job AND s.event_time BETWEEN f.start_time - 60 AND f.start_time + 60
      WHERE f.event_type = 'JOB_FINISH' AND s.event_type = 'JOB_START'
        AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs AS e
                        WHERE e.job = f.job AND e.event_time > s.event_time AND e.event_time < f.start_time
                          AND e.event_type = 'JOB_STATUS' AND e.j_status & 97))
WHERE nth = 1;
CREATE UNIQUE INDEX temp.lsf_begun_of ON lsf_begun(place);
DROP TABLE IF EXISTS temp.lsf_starts;
CREATE TEMP TABLE lsf_starts AS
WITH started AS (
  SELECT job, coalesce(begun, start_time) AS at, held, event_time AS ended, coalesce(outcome, 'failed') AS outcome, place, _file, _line
  FROM lsf_of_jobs LEFT JOIN lsf_begun USING (place) WHERE event_type = 'JOB_FINISH' AND start_time IS NOT NULL
  UNION ALL
  SELECT job, event_time, held, NULL, NULL, place, _file, _line FROM lsf_of_jobs WHERE event_type = 'JOB_START'
)
SELECT job, at, max(held) AS held, max(held) FILTER (WHERE ended IS NOT NULL) AS last_held, max(ended) AS ended, max(outcome) AS outcome,
       min(place) AS place, min(_file) AS _file, min(_line) AS _line FROM started GROUP BY job, at;
DROP TABLE IF EXISTS temp.lsf_attempts;
CREATE TEMP TABLE lsf_attempts AS
WITH ordered AS (SELECT *, row_number() OVER later AS attempt, lead(at) OVER later AS next
                 FROM lsf_starts WINDOW later AS (PARTITION BY job ORDER BY at)),
stopped AS (
  SELECT o.*, (SELECT min(s.event_time) FROM lsf_of_jobs AS s
               WHERE s.job = o.job AND s.event_type = 'JOB_STATUS' AND s.event_time >= o.at + (o.attempt > 1)
                 AND s.event_time <= coalesce(o.next, s.event_time) AND s.j_status & 97) AS stopped
  FROM ordered AS o
)
SELECT job, attempt, held, last_held, at AS start_time, coalesce(ended, stopped, next) AS end_time, place, _file, _line,
       CASE WHEN ended IS NOT NULL THEN outcome
            ELSE coalesce((SELECT max(s.outcome) FROM lsf_of_jobs AS s
                           WHERE s.job = t.job AND s.event_type = 'JOB_STATUS' AND s.event_time = t.stopped),
                          CASE WHEN coalesce(stopped, next) IS NOT NULL THEN 'preempted' END) END AS outcome,
       ended IS NULL AND stopped IS NOT NULL
         AND (SELECT max(s.j_status & 1) FROM lsf_of_jobs AS s
              WHERE s.job = t.job AND s.event_type = 'JOB_STATUS' AND s.event_time >= t.stopped) = 1 AS again
FROM stopped AS t;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM lsf_attempts WHERE end_time < start_time GROUP BY _file;
UPDATE lsf_attempts SET end_time = start_time WHERE end_time < start_time;
CREATE INDEX temp.lsf_attempts_of ON lsf_attempts(job, attempt);
-- A state of one that runs, ran or was stopped, and no start that it is of. A job that waits may exit, if it was submitted here.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(DISTINCT job),
       'the start of job ' || min(job) || ' is not told, though it ran: what it held then does not count. Is a file missing?'
FROM (SELECT s.*, (SELECT max(a.attempt) FROM lsf_attempts AS a WHERE a.job = s.job AND a.start_time <= s.event_time) AS attempt
      FROM lsf_of_jobs AS s WHERE s.event_type = 'JOB_STATUS') AS s
WHERE iif(attempt IS NULL, j_status & 92 OR j_status & 32
            AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs AS n WHERE n.job = s.job AND n.event_type IN ('JOB_NEW', 'JOB_FINISH')),
          j_status & 92 AND EXISTS (SELECT 1 FROM lsf_attempts AS a
                                    WHERE a.job = s.job AND a.attempt = s.attempt AND a.again AND a.end_time < s.event_time))
GROUP BY _file;

-- A job that grew or shrank: JOB_RESIZE tells what it had until then, JOB_FINISH what it had at last, else the hosts that came or went do.
DROP TABLE IF EXISTS temp.lsf_sizes;
CREATE TEMP TABLE lsf_sizes AS
WITH resized AS (
  SELECT a.job, a.attempt, a.start_time, a.end_time, a.last_held, a.held, r.gpu_req, r.held * 1.0 / r.num_hosts AS of_host,
         r.held * 1.0 / r.slots AS of_slot, z.event_time AS at, s.num_hosts AS hosts, s.slots, s.hosts AS list, s.other, z._file, z._line,
         row_number() OVER (PARTITION BY a.job, a.attempt ORDER BY z.event_time DESC) AS from_last
  FROM (SELECT job, event_time, min(place) AS place, _file, _line
        FROM lsf_of_jobs WHERE event_type = 'JOB_RESIZE' GROUP BY job, event_time) AS z
  CROSS JOIN lsf_attempts AS a ON a.job = z.job AND z.event_time > a.start_time AND z.event_time < coalesce(a.end_time, 9e18)
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
  SELECT job, attempt, at, coalesce(lag(at) OVER (PARTITION BY job, attempt ORDER BY at), start_time) AS since, at AS until,
         CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN slots WHEN gpu_req = 'task' THEN of_slot * slots
              WHEN gpu_req = 'host' THEN of_host * hosts END AS chips, held, _file, _line FROM signed
  UNION ALL
  SELECT job, attempt, at, at, end_time,
         coalesce(last_held, CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots')
                                    OR gpu_req = 'task' THEN iif(:chips IN ('cpus', 'ncpus', 'ncores', 'slots'), 1, of_slot)
                                    * (slots + iif(new > 0, n, -n))
                                  WHEN gpu_req = 'host' THEN of_host * (hosts + iif(new > 0, new, -json_array_length(some))) END), held,
         _file, _line
  FROM signed WHERE from_last = 1
)
SELECT job, attempt, since AS start_time, until AS end_time, max(coalesce(chips, held), 0) AS chips, chips IS NULL AS unknown, _file, _line
FROM piece;
UPDATE lsf_attempts SET held = (SELECT max(chips) FROM lsf_sizes AS s WHERE s.job = lsf_attempts.job AND s.attempt = lsf_attempts.attempt)
WHERE (job, attempt) IN (SELECT job, attempt FROM lsf_sizes);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT s._file, 'info', 'resized_job', min(s._line), count(DISTINCT s.job),
       'jobs that got or gave back chips while they ran, the first ' || min(s.job)
         || ': what they got later counts as queued until they gave some back, '
       || CAST(total(iif(gave, 0, a.held - s.chips)
                       * (coalesce(s.end_time, (SELECT max(event_time) FROM lsf_records)) - s.start_time)) AS INTEGER) || ' chip-seconds'
         || iif(max(unknown), '; how much some had is not known', '')
FROM (SELECT *, max(chips) OVER (PARTITION BY job, attempt ORDER BY start_time) > chips AS gave FROM lsf_sizes) AS s
CROSS JOIN lsf_attempts AS a ON a.job = s.job AND a.attempt = s.attempt WHERE a.held > 0 GROUP BY s._file;

-- An end that no record tells. LSF ends a job at its run limit (an hour of grace). And what runs on a host at once is no more than jobs
-- that ended ever had there together: what one holds beyond that, since a later one started, may be another's.
DROP TABLE IF EXISTS temp.lsf_open;
CREATE TEMP TABLE lsf_open AS
SELECT a.job, a.start_time, a._file, a._line, a.held * 1.0 / r.num_hosts AS each, r.hosts
FROM lsf_attempts AS a CROSS JOIN lsf_records AS r ON r.rowid = a.place WHERE a.end_time IS NULL AND a.held > 0;
DROP TABLE IF EXISTS temp.lsf_places;
CREATE TEMP TABLE lsf_places AS
SELECT h.value AS host, a.job, a.start_time, a.end_time, a.held * 1.0 / r.num_hosts AS each
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
                             WHERE j.job = o.job AND r.run_limit > 0) + o.start_time + 3600 < (SELECT max(event_time) FROM lsf_records)
                            THEN 'its run limit is over'
                       WHEN EXISTS (SELECT 1 FROM json_each(o.hosts) AS h
                                    CROSS JOIN lsf_places AS p ON p.host = h.value AND p.start_time > o.start_time
                                    WHERE p.end_time > p.start_time AND p.each + o.each > (SELECT chips FROM lsf_most) + 1e-6)
                         THEN 'a later job had chips of its hosts' END AS why
      FROM lsf_open AS o)
WHERE why IS NOT NULL GROUP BY _file;
-- A suspended job keeps its GPUs.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(DISTINCT job),
       'jobs that were suspended, the first ' || min(job) || ', for ' || CAST(total(until - event_time) AS INTEGER)
         || ' s in all: they held their chips meanwhile ('
       || CAST(total((until - event_time) * held) AS INTEGER) || ' chip-seconds)'
FROM (SELECT s._file, s._line, s.job, s.event_time, a.held,
             min(coalesce((SELECT min(n.event_time) FROM lsf_of_jobs AS n
                           WHERE n.job = s.job AND n.event_time > s.event_time AND n.event_type IN ('JOB_STATUS', 'JOB_FINISH')), 9e18),
                 coalesce(a.end_time, (SELECT max(event_time) FROM lsf_records))) AS until
      FROM lsf_of_jobs AS s CROSS JOIN lsf_attempts AS a ON a.job = s.job AND s.event_time >= a.start_time
        AND s.event_time < coalesce(a.end_time, 9e18)
      WHERE s.event_type = 'JOB_STATUS' AND s.j_status & 24 AND a.held > 0)
GROUP BY _file;
-- lsb.acct tells how long a job ran, without that.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(*),
       'jobs that ran for less time than they were there, as if suspended (or their end was written late), the first ' || min(job_id)
         || ', for ' || CAST(total(event_time - start_time - run_time) AS INTEGER)
       || ' s in all: they held their chips meanwhile (' || CAST(total(held * (event_time - start_time - run_time)) AS INTEGER)
         || ' chip-seconds)'
FROM lsf_records WHERE event_type = 'JOB_FINISH' AND run_time > 0 AND event_time - start_time > run_time + 60 AND held > 0
  AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs WHERE event_type = 'JOB_STATUS') GROUP BY _file;
DROP TABLE lsf_open;
DROP TABLE lsf_places;
DROP TABLE lsf_most;

-- ---- 3. The relations ----

-- Jobs that asked for chips or got some. What a job needs is what its last start gave it, else what it asks for.
DROP TABLE IF EXISTS temp.lsf_jobs;
CREATE TEMP TABLE lsf_jobs AS
SELECT j.job, j.job_id AS base, max(j.idx) AS idx, max(j.nth) AS nth,
       coalesce((SELECT a.held FROM lsf_attempts AS a WHERE a.job = j.job AND a.held > 0 ORDER BY a.attempt DESC LIMIT 1),
                max(j.held)) AS chips,
       (SELECT min(held) FROM (SELECT held FROM lsf_attempts AS a
                               WHERE a.job = j.job AND a.held > 0
                               UNION ALL SELECT chips FROM lsf_sizes AS z WHERE z.job = j.job AND chips > 0)) AS least,
       (SELECT max(a.held) FROM lsf_attempts AS a WHERE a.job = j.job) AS most,
       min(j.submit_time) AS submit_time, max(r.job_name) AS name, max(r.project_name) AS project, max(r.user_name) AS user,
       max(r.queue) AS queue, max(r.gpu_model) AS gpu_model, max(r.num_hosts) AS hosts,
       max(r.app) AS app, max(r.job_group_name) AS job_group
FROM lsf_of_jobs AS j CROSS JOIN lsf_records AS r ON r.rowid = j.place
GROUP BY j.job HAVING max(j.held) > 0;
CREATE UNIQUE INDEX temp.lsf_jobs_of ON lsf_jobs(job);
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT j.job, coalesce(j.name, n.job_name) AS name, coalesce(j.project, n.project_name) AS owner, NULL AS phase, NULL AS framework,
       NULL AS runtime, NULL AS model, NULL AS priority, j.chips,
       CASE WHEN least <> j.chips OR most <> j.chips THEN least END AS min_chips, NULL AS tasks,
       coalesce(j.submit_time, n.submit_time) AS submit_time,
       json_patch('{}', json_object('user', coalesce(user, n.user_name), 'queue', coalesce(j.queue, n.queue), 'gpu_model', j.gpu_model,
                                    'hosts', j.hosts, 'app', j.app, 'job_group', job_group,
                                    'array_job', CASE WHEN idx > 0 THEN base END)) AS labels
FROM lsf_jobs AS j LEFT JOIN (SELECT r.job_id, coalesce(u.nth, 1) AS nth, max(job_name) AS job_name, max(project_name) AS project_name,
                                     max(user_name) AS user_name, max(queue) AS queue, min(r.submit_time) AS submit_time
                              FROM lsf_records AS r LEFT JOIN lsf_uses AS u ON u.job_id = r.job_id AND u.submit_time = r.submit_time
                              WHERE event_type = 'JOB_NEW' GROUP BY 1, 2) AS n ON n.job_id = j.base AND n.nth = j.nth;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT a._file, 'warning', 'start_before_submit', min(a._line), count(*),
       'job ' || min(a.job) || ' started before it was submitted: it counts as given'
FROM jobs AS j CROSS JOIN lsf_attempts AS a ON a.job = j.job AND a.start_time < j.submit_time GROUP BY a._file;

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, NULL AS task, 'lsf' AS pool, coalesce(held, (SELECT j.chips FROM lsf_jobs AS j WHERE j.job = a.job)) AS chips,
       start_time, end_time, outcome
FROM lsf_attempts AS a WHERE job IN (SELECT job FROM lsf_jobs) AND (job, attempt) NOT IN (SELECT job, attempt FROM lsf_sizes);
INSERT INTO allocations
SELECT s.job, s.attempt, NULL, 'lsf', s.chips, s.start_time, s.end_time,
       iif(lead(s.chips) OVER (PARTITION BY s.job, s.attempt ORDER BY s.start_time) < s.chips, 'released', outcome)
FROM lsf_sizes AS s CROSS JOIN lsf_attempts AS a ON a.job = s.job AND a.attempt = s.attempt WHERE s.job IN (SELECT job FROM lsf_jobs);
-- What waits again after it ran holds nothing from then on, which keeps open what it asks for; what left the queue closes it.
INSERT INTO allocations
SELECT job, attempt, NULL, 'lsf', 0, since, until, iif(until IS NULL, NULL, 'cancelled')
FROM (SELECT job, attempt, since,
             (SELECT min(j.event_time) FROM lsf_of_jobs AS j WHERE j.job = w.job AND j.event_time > since
                AND (j.event_type = 'JOB_FINISH' OR (j.event_type = 'JOB_STATUS' AND j.j_status & 96))) AS until
      FROM (SELECT job, max(attempt) + 1 AS attempt, max(end_time) AS since FROM lsf_attempts
            WHERE job IN (SELECT job FROM lsf_jobs)
            GROUP BY job HAVING max(end_time IS NULL) = 0 AND max(attempt * 2 + again) % 2 = 1) AS w);
INSERT INTO allocations
SELECT job, 1, NULL, 'lsf', 0, max(event_time), max(event_time), 'cancelled' FROM lsf_of_jobs AS j
WHERE job IN (SELECT job FROM lsf_jobs) AND job NOT IN (SELECT job FROM lsf_attempts)
  AND (event_type = 'JOB_FINISH' OR (event_type = 'JOB_STATUS' AND j_status & 96)) GROUP BY job;

-- The cluster was observed until the last record, of any type.
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS SELECT 'lsf' AS pool, (SELECT max(event_time) FROM lsf_records) AS until_time FROM jobs LIMIT 1;

-- LSF calls a job 123, an element of an array 123[4], and its output as users want: 123_4.
DROP TABLE IF EXISTS temp.aliases;
CREATE TEMP TABLE aliases AS
SELECT job, base || mark || idx AS alias FROM lsf_jobs, (SELECT '.' AS mark UNION SELECT '_' UNION SELECT '-') WHERE idx > 0
UNION ALL
SELECT job, base || iif(idx > 0, '[' || idx || ']', '') FROM lsf_jobs WHERE nth > 1;

CREATE TEMP VIEW held_on AS SELECT a.job, r.hosts, a.start_time, a.end_time
FROM lsf_attempts AS a CROSS JOIN lsf_records AS r ON r.rowid = a.place;
.read sql/formats/log/on_hosts.sql

-- ---- 4. Tables that are no longer needed ----

DROP TABLE lsf_jobs;
DROP TABLE lsf_attempts;
DROP TABLE lsf_starts;
DROP TABLE lsf_begun;
DROP TABLE lsf_sizes;
DROP TABLE lsf_uses;
DROP TABLE lsf_of_jobs;
DROP TABLE lsf_records;
