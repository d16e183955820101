-- lsf/attempts.sql - records by jobs, and attempts: one a start of a job.
--
-- Reads lsf_records. Makes lsf_uses, lsf_ids, lsf_of_jobs, lsf_begun and lsf_attempts.
-- A part of lsf.sql, which says what the parameters are and runs the parts in order.

-- ---- 2. Starts and what ended them ----

-- An element of an array is a job of its own; a record of the array as a whole is that of each of its elements: train[1-10:2,15]%4.
-- A number that is given anew, once the numbers are used up, is another job's: 123#2.
DROP TABLE IF EXISTS temp.lsf_uses;
CREATE TEMP TABLE lsf_uses AS
SELECT job_id, submit_time, row_number() OVER (PARTITION BY job_id ORDER BY submit_time) AS nth
FROM (SELECT DISTINCT job_id, submit_time FROM lsf_records
      WHERE event_type IN ('JOB_NEW', 'JOB_FINISH') AND submit_time IS NOT NULL
        AND job_id IN (SELECT job_id FROM lsf_records WHERE event_type IN ('JOB_NEW', 'JOB_FINISH')
                       GROUP BY job_id HAVING max(submit_time) > min(submit_time) + 1));
CREATE INDEX temp.lsf_uses_of ON lsf_uses(job_id, submit_time);
-- The id of a job is its number; what goes by more than that is in lsf_ids, with an id below 0. Records of a job lie together, in the order
-- of their times, so that what follows sorts little; their texts are read where they are. (`at` is -9e18 if a record tells no time.)
DROP TABLE IF EXISTS temp.lsf_ids;
CREATE TEMP TABLE lsf_ids(id INTEGER PRIMARY KEY, job_id, idx, nth, job TEXT, UNIQUE (job_id, idx, nth));
DROP TABLE IF EXISTS temp.lsf_of_jobs;
CREATE TEMP TABLE lsf_of_jobs(id INTEGER, at INTEGER, place INTEGER, event_type TEXT, start_time, submit_time, j_status, outcome, held,
                              PRIMARY KEY (id, at, place)) WITHOUT ROWID;
INSERT INTO lsf_of_jobs
SELECT job_id, coalesce(event_time, -9e18), rowid, event_type, start_time, submit_time, j_status, outcome, held FROM lsf_records
WHERE event_type IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS', 'JOB_RESIZE') AND job_id > 0 AND (idx > 0) IS NOT TRUE
  AND NOT (event_type = 'JOB_NEW' AND coalesce(job_name, '') GLOB '*[[]*]*') AND job_id NOT IN (SELECT job_id FROM lsf_uses);
--@ if EXISTS (SELECT 1 FROM lsf_uses UNION ALL SELECT 1 FROM lsf_records WHERE idx > 0 OR job_id <= 0 OR job_name GLOB '*[[]*]*')
DROP TABLE IF EXISTS temp.lsf_elements;
CREATE TEMP TABLE lsf_elements AS
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
  SELECT job_id, max(0, coalesce(idx, 0)) AS idx, rowid AS place, held FROM lsf_records
  WHERE job_id IS NOT NULL AND (job_id <= 0 OR idx > 0 OR job_id IN (SELECT job_id FROM lsf_uses))
    AND event_type IN ('JOB_FINISH', 'JOB_NEW', 'JOB_START', 'JOB_STATUS', 'JOB_RESIZE')
    AND NOT (event_type = 'JOB_NEW' AND coalesce(job_name, '') GLOB '*[[]*]*')
  UNION ALL
  SELECT r.job_id, at, place, part.held FROM part CROSS JOIN lsf_records AS r ON r.rowid = place WHERE at > 0
)
SELECT r.job_id, r.idx, coalesce(u.nth, 1) AS nth, place, r.held
FROM record AS r CROSS JOIN lsf_records AS l ON l.rowid = place
LEFT JOIN lsf_uses AS u ON u.job_id = r.job_id
  AND u.nth = (SELECT max(1, coalesce(max(b.nth), 1)) FROM lsf_uses AS b
               WHERE b.job_id = r.job_id AND b.submit_time <= coalesce(l.submit_time, l.event_time));
INSERT INTO lsf_ids
SELECT -row_number() OVER (), job_id, idx, nth, job_id || CASE WHEN idx > 0 THEN '[' || idx || ']' ELSE '' END
                                                || CASE WHEN nth > 1 THEN '#' || nth ELSE '' END
FROM (SELECT DISTINCT job_id, idx, nth FROM lsf_elements WHERE job_id <= 0 OR idx > 0 OR nth > 1);
INSERT OR IGNORE INTO lsf_of_jobs
SELECT coalesce(i.id, e.job_id), coalesce(event_time, -9e18), place, event_type, start_time, submit_time, j_status, outcome, e.held
FROM lsf_elements AS e CROSS JOIN lsf_records AS r ON r.rowid = e.place
LEFT JOIN lsf_ids AS i ON i.job_id = e.job_id AND i.idx = e.idx AND i.nth = e.nth;
DROP TABLE lsf_elements;
--@ end

-- Jobs of several starts, or of one that is told twice. Most have one, and are read where they lie.
DROP TABLE IF EXISTS temp.lsf_several;
CREATE TEMP TABLE lsf_several(id INTEGER PRIMARY KEY);
INSERT INTO lsf_several
SELECT id FROM lsf_of_jobs WHERE event_type IN ('JOB_FINISH', 'JOB_START') GROUP BY id HAVING count(*) > 1;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*), 'the end of job ' || job || ' comes more than once: it counts once'
FROM (SELECT _file, _line, coalesce((SELECT i.job FROM lsf_ids AS i WHERE i.id = o.id), o.id) AS job,
             row_number() OVER (PARTITION BY o.id, o.start_time, at ORDER BY place) AS nth
      FROM lsf_several CROSS JOIN lsf_of_jobs AS o USING (id) CROSS JOIN lsf_records AS r ON r.rowid = place
      WHERE o.event_type = 'JOB_FINISH')
WHERE nth > 1 GROUP BY _file;

-- lsb.acct tells the last start of a job that has ended, lsb.events every one. A job that is back in the queue (PEND) waits again.
-- mbatchd may write a start some seconds off the time that the job's end has of it: they are one, unless it was stopped between.
DROP TABLE IF EXISTS temp.lsf_begun;
CREATE TEMP TABLE lsf_begun(place INTEGER PRIMARY KEY, begun);
INSERT INTO lsf_begun
SELECT place, begun
FROM (SELECT f.place, s.at AS begun, row_number() OVER (PARTITION BY f.place ORDER BY abs(s.at - f.start_time)) AS nth
      FROM lsf_several CROSS JOIN lsf_of_jobs AS f USING (id)
      CROSS JOIN lsf_of_jobs AS s ON s.id = f.id AND s.at BETWEEN f.start_time - 60 AND f.start_time + 60
      WHERE f.event_type = 'JOB_FINISH' AND s.event_type = 'JOB_START'
        AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs AS e
                        WHERE e.id = f.id AND e.at > s.at AND e.at < f.start_time AND e.event_type = 'JOB_STATUS' AND e.j_status & 97))
WHERE nth = 1;
DROP TABLE IF EXISTS temp.lsf_starts;
CREATE TEMP TABLE lsf_starts AS
WITH started AS (
  SELECT id, coalesce(begun, start_time) AS at, held, nullif(at, -9e18) AS ended, coalesce(outcome, 'failed') AS outcome, place
  FROM lsf_several CROSS JOIN lsf_of_jobs USING (id) LEFT JOIN lsf_begun USING (place)
  WHERE event_type = 'JOB_FINISH' AND start_time IS NOT NULL
  UNION ALL
  SELECT id, nullif(at, -9e18), held, NULL, NULL, place FROM lsf_several CROSS JOIN lsf_of_jobs USING (id) WHERE event_type = 'JOB_START'
),
grouped AS (
  SELECT id, at, max(held) AS held, max(held) FILTER (WHERE ended IS NOT NULL) AS last_held, max(ended) AS ended, max(outcome) AS outcome,
         min(place) AS place FROM started GROUP BY id, at
)
SELECT *, row_number() OVER later AS attempt, lead(at) OVER later AS next FROM grouped WINDOW later AS (PARTITION BY id ORDER BY at);
DROP TABLE IF EXISTS temp.lsf_attempts;
CREATE TEMP TABLE lsf_attempts(id INTEGER, attempt INTEGER, job TEXT, held, last_held, start_time, end_time, place, outcome, again,
                               _file, _line, PRIMARY KEY (id, attempt)) WITHOUT ROWID;
INSERT INTO lsf_attempts
WITH ordered AS (
  SELECT id, iif(event_type = 'JOB_START', nullif(at, -9e18), start_time) AS at, held,
         iif(event_type = 'JOB_START' OR at = -9e18, NULL, held) AS last_held,
         iif(event_type = 'JOB_START', NULL, nullif(at, -9e18)) AS ended,
         iif(event_type = 'JOB_START', NULL, coalesce(outcome, 'failed')) AS outcome, place, 1 AS attempt, NULL AS next
  FROM lsf_of_jobs
  WHERE (event_type = 'JOB_START' OR event_type = 'JOB_FINISH' AND start_time IS NOT NULL) AND id NOT IN (SELECT id FROM lsf_several)
  UNION ALL
  SELECT id, at, held, last_held, ended, outcome, place, attempt, next FROM lsf_starts
),
stopped AS (
  SELECT o.*, CASE WHEN ended IS NULL
                   THEN (SELECT min(s.at) FROM lsf_of_jobs AS s
                         WHERE s.id = o.id AND s.event_type = 'JOB_STATUS' AND s.at >= o.at + (o.attempt > 1)
                           AND s.at <= coalesce(o.next, s.at) AND s.j_status & 97) END AS stopped
  FROM ordered AS o LIMIT -1 -- else it is looked up for each column
)
SELECT id, attempt, coalesce((SELECT i.job FROM lsf_ids AS i WHERE i.id = t.id), id), held, last_held, at,
       coalesce(ended, stopped, next), place,
       CASE WHEN ended IS NOT NULL THEN outcome
            ELSE coalesce((SELECT max(s.outcome) FROM lsf_of_jobs AS s
                           WHERE s.id = t.id AND s.event_type = 'JOB_STATUS' AND s.at = t.stopped),
                          CASE WHEN coalesce(stopped, next) IS NOT NULL THEN 'preempted' END) END,
       ended IS NULL AND stopped IS NOT NULL
         AND (SELECT max(s.j_status & 1) FROM lsf_of_jobs AS s
              WHERE s.id = t.id AND s.event_type = 'JOB_STATUS' AND s.at >= t.stopped) = 1, NULL, NULL
FROM stopped AS t;
DROP TABLE lsf_starts;
DROP TABLE lsf_several;
-- Where those are that something is said of.
UPDATE lsf_attempts SET (_file, _line) = (
  SELECT min(r._file), min(r._line)
  FROM lsf_of_jobs AS o LEFT JOIN lsf_begun AS b USING (place) CROSS JOIN lsf_records AS r ON r.rowid = o.place
  WHERE o.id = lsf_attempts.id
    AND iif(o.event_type = 'JOB_START', nullif(o.at, -9e18) IS lsf_attempts.start_time,
            o.event_type = 'JOB_FINISH' AND coalesce(begun, o.start_time) = lsf_attempts.start_time))
WHERE end_time < start_time OR end_time IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM lsf_attempts WHERE end_time < start_time GROUP BY _file;
UPDATE lsf_attempts SET end_time = start_time WHERE end_time < start_time;
--@ if EXISTS (SELECT 1 FROM lsf_of_jobs WHERE event_type = 'JOB_STATUS')
-- A state of one that runs, ran or was stopped, and no start that it is of. A job that waits may exit, if it was submitted here.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'warning', 'missing_field', min(r._line), count(DISTINCT s.id),
       'the start of job ' || min(coalesce((SELECT i.job FROM lsf_ids AS i WHERE i.id = s.id), CAST(s.id AS TEXT)))
         || ' is not told, though it ran: what it held then does not count. Is a file missing?'
FROM (SELECT s.*, (SELECT max(a.attempt) FROM lsf_attempts AS a WHERE a.id = s.id AND a.start_time <= s.at) AS attempt
      FROM lsf_of_jobs AS s WHERE s.event_type = 'JOB_STATUS') AS s CROSS JOIN lsf_records AS r ON r.rowid = s.place
WHERE iif(attempt IS NULL, s.j_status & 92 OR s.j_status & 32
            AND NOT EXISTS (SELECT 1 FROM lsf_of_jobs AS n WHERE n.id = s.id AND n.event_type IN ('JOB_NEW', 'JOB_FINISH')),
          s.j_status & 92 AND EXISTS (SELECT 1 FROM lsf_attempts AS a
                                      WHERE a.id = s.id AND a.attempt = s.attempt AND a.again AND a.end_time < s.at))
GROUP BY r._file;
--@ end
