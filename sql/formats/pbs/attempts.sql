-- pbs/attempts.sql - attempts, with ends that no record tells.
--
-- Reads pbs_records, pbs_ids and pbs_of_jobs. Makes pbs_started, pbs_attempts, pbs_pauses, pbs_kept and pbs_left.
-- A part of pbs.sql, which says what the parameters are and runs the parts in order.

-- ---- 3. Attempts: one a start of a job ----

-- S and T begin one, R ends it and the job waits again (and C, checkpointed and held), E ends it for good; A and D end one that no E
-- does. R and E (and c, e, s, u: see below) say the start, so that what began before the log is whole; except Torque's R, which ends
-- the one that runs. Where nothing ends an attempt and the job starts again, it ended then at the latest.
DROP TABLE IF EXISTS temp.pbs_stops;
CREATE TEMP TABLE pbs_stops AS
SELECT job, date_time, record_type FROM pbs_of_jobs WHERE record_type IN ('A', 'C', 'D') OR (record_type = 'R' AND start IS NULL);
CREATE INDEX temp.pbs_stopped ON pbs_stops(job, date_time);
CREATE INDEX temp.pbs_deleted ON pbs_stops(job, date_time) WHERE record_type = 'D';

DROP TABLE IF EXISTS temp.pbs_started;
CREATE TEMP TABLE pbs_started AS
SELECT job, start AS start_time,
       max(coalesce("end", date_time)) FILTER (WHERE record_type IN ('E', 'R')) AS ended,
       max(record_type = 'E') AS over,
       min(outcome) FILTER (WHERE record_type IN ('E', 'R')) AS outcome,
       max(exit_status) FILTER (WHERE record_type = 'E') AS exit_status,
       max(used_up) FILTER (WHERE record_type = 'E') AS used_up,
       max(held) AS held, max(asked) AS asked, max(gpu_type) AS gpu_type,
       min(coalesce("end", date_time)) FILTER (WHERE record_type IN ('E', 'R')) AS first_ended
FROM pbs_of_jobs
WHERE record_type IN ('S', 'T', 'E', 'R', 'c', 'e', 's', 'u') AND start IS NOT NULL
GROUP BY job, begun ORDER BY job, begun;

-- A server that starts anew, or a rerun by force, may tell an end twice.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'warning', 'repeated_record', min(r._line), count(DISTINCT s.rowid),
       'the end of job ' || r.id_string || ' comes more than once, and not at one time: the last counts'
FROM pbs_started AS s CROSS JOIN pbs_of_jobs AS o ON o.job = s.job AND o.begun = s.start_time AND o.record_type IN ('E', 'R')
CROSS JOIN pbs_records AS r ON r.rowid = o.place
WHERE s.first_ended < s.ended GROUP BY r._file;

-- Most jobs start once: only those that start again are counted.
DROP TABLE IF EXISTS temp.pbs_again;
CREATE TEMP TABLE pbs_again(id INTEGER PRIMARY KEY, attempt, next_start);
INSERT INTO pbs_again
SELECT rowid, row_number() OVER later, lead(start_time) OVER later
FROM pbs_started WHERE job IN (SELECT s.job FROM pbs_started AS s CROSS JOIN pbs_started AS p ON p.rowid = s.rowid - 1 WHERE p.job = s.job)
WINDOW later AS (PARTITION BY job ORDER BY start_time);

-- A record of the second in which an attempt began is of the one before.
DROP TABLE IF EXISTS temp.pbs_attempts;
CREATE TEMP TABLE pbs_attempts(job INTEGER, attempt INTEGER, chips, asked, gpu_type, start_time, end_time, untold, outcome, again,
                               PRIMARY KEY (job, attempt)) WITHOUT ROWID;
INSERT INTO pbs_attempts
WITH ordered AS (
  SELECT s.*, coalesce(g.attempt, 1) AS attempt, g.next_start FROM pbs_started AS s LEFT JOIN pbs_again AS g ON g.id = s.rowid
),
known AS (
  SELECT o.*,
         CASE WHEN outcome = 'failed'
              THEN (SELECT min(d.date_time) FROM pbs_stops AS d
                    WHERE d.job = o.job AND d.record_type = 'D' AND d.date_time >= o.start_time) END AS deleted,
         CASE WHEN ended IS NULL
              THEN (SELECT min(x.date_time) FROM pbs_stops AS x
                    WHERE x.job = o.job AND x.date_time >= o.start_time + (o.attempt > 1)) END AS stopped
  FROM ordered AS o LIMIT -1 -- else they are looked up for each column
),
stopped AS (
  SELECT *,
         CASE WHEN stopped <= coalesce(next_start, stopped)
              THEN (SELECT max(x.record_type) FROM pbs_stops AS x WHERE x.job = k.job AND x.date_time = k.stopped) END AS stopped_by
  FROM known AS k
)
SELECT job, attempt, coalesce(nullif(held, 0), asked) AS chips, asked, gpu_type, start_time,
       coalesce(ended, CASE WHEN stopped_by IS NOT NULL THEN stopped END, next_start) AS end_time,
       ended IS NULL AND stopped_by IS NULL AS untold,
       CASE
         WHEN stopped_by IS NOT NULL THEN CASE WHEN stopped_by IN ('C', 'R') THEN 'preempted' ELSE 'cancelled' END
         WHEN outcome = 'failed' AND deleted <= ended THEN 'cancelled'
         WHEN outcome = 'failed' AND exit_status > 128 AND used_up THEN 'timeout'
         ELSE outcome
       END AS outcome,
       coalesce(stopped_by IN ('C', 'R'), ended IS NOT NULL AND NOT over) AS again
FROM stopped;

-- How far the server's local times are from the epoch times beside them: quarters of an hour, if :zone is another zone.
DROP TABLE IF EXISTS temp.pbs_apart;
CREATE TEMP TABLE pbs_apart AS
SELECT 900 * coalesce((SELECT quarters FROM (SELECT round((date_time - iif(record_type = 'E', "end", start)) / 900.0) AS quarters
                                             FROM pbs_records WHERE record_type IN ('S', 'E') LIMIT 1000)
                       WHERE quarters IS NOT NULL GROUP BY quarters ORDER BY count(*) DESC LIMIT 1), 0) AS seconds;

-- ---- 4. Ends that no record tells: a day's file is missing, or the server stopped ----

-- PBS ends a job at its walltime (which stands still while it is suspended); one that seems to run for an hour more ended then. The number
-- of a job on its host, and a GPU, are another job's only after its end. What ran while a day of the log is missing may have ended there.
DROP TABLE IF EXISTS temp.pbs_lost;
CREATE TEMP TABLE pbs_lost(job INTEGER, attempt INTEGER, place, start_time, due, taken, taken_by, unseen,
                           PRIMARY KEY (job, attempt)) WITHOUT ROWID;
INSERT INTO pbs_lost(job, attempt, place, start_time, due)
SELECT a.job, a.attempt, min(o.place), a.start_time,
       a.start_time + (SELECT max("Resource_List.walltime")
                       FROM pbs_of_jobs AS w CROSS JOIN pbs_records AS r ON r.rowid = w.place WHERE w.job = a.job)
FROM pbs_attempts AS a CROSS JOIN pbs_of_jobs AS o ON o.job = a.job AND o.begun = a.start_time
  AND o.record_type IN ('S', 'T', 'c', 'e', 's', 'u')
WHERE a.end_time IS NULL AND NOT EXISTS (SELECT 1 FROM pbs_of_jobs AS z WHERE z.job = a.job AND z.record_type = 'z')
GROUP BY a.job, a.attempt;
--@ if EXISTS (SELECT 1 FROM pbs_lost)
DROP TABLE IF EXISTS temp.pbs_slots;
CREATE TEMP TABLE pbs_slots(slot, start INTEGER, id_string TEXT, PRIMARY KEY (slot, start, id_string)) WITHOUT ROWID;
INSERT OR IGNORE INTO pbs_slots
WITH hosts AS (
  SELECT start, id_string, coalesce(exec_gpus, exec_host) AS list
  FROM (SELECT 0 AS first WHERE EXISTS (SELECT 1 FROM pbs_lost)) CROSS JOIN pbs_records ON start >= first
  WHERE (record_type IN ('S', 'T') OR message_text IN (';QSE', ';SE')) AND job_base IS NOT NULL
)
SELECT CASE instr(s.value, '*') WHEN 0 THEN s.value ELSE substr(s.value, 1, instr(s.value, '*') - 1) END, start, id_string
FROM hosts CROSS JOIN json_each('["' || replace(replace(replace(list, '\', ''), '"', ''), '+', '","') || '"]') AS s
WHERE instr(s.value, '/');
CREATE INDEX temp.pbs_slots_of ON pbs_slots(id_string, start);
-- (Where two jobs of which both ends are known had one at once, the log does not number so.)
DROP TABLE IF EXISTS temp.pbs_numbered;
CREATE TEMP TABLE pbs_numbered AS
WITH own AS MATERIALIZED (
  SELECT s.slot, s.start, a.end_time
  FROM pbs_slots AS s CROSS JOIN pbs_ids AS i ON i.name = s.id_string
  CROSS JOIN pbs_attempts AS a ON a.job = i.rowid AND a.start_time = s.start
  WHERE a.end_time IS NOT NULL AND NOT a.untold LIMIT 100000
)
SELECT NOT EXISTS (SELECT 1 FROM (SELECT end_time, lead(start) OVER (PARTITION BY slot ORDER BY start) AS next FROM own)
                   WHERE next < end_time) AS anew;
UPDATE pbs_lost SET (taken, taken_by) = (
  SELECT taken, (SELECT min(l.id_string) FROM pbs_slots AS l WHERE l.slot = n.slot AND l.start = n.taken AND l.id_string <> n.id_string)
  FROM (SELECT own.slot, own.id_string, (SELECT l.start FROM pbs_slots AS l WHERE l.slot = own.slot AND l.start > own.start
                                           AND l.id_string <> own.id_string ORDER BY l.start LIMIT 1) AS taken
        FROM pbs_records AS r CROSS JOIN pbs_slots AS own ON own.start = r.start AND own.id_string = r.id_string
        WHERE r.rowid = pbs_lost.place) AS n
  WHERE taken IS NOT NULL ORDER BY taken LIMIT 1)
WHERE (SELECT anew FROM pbs_numbered);
DROP TABLE pbs_numbered;
DROP TABLE pbs_slots;
DROP TABLE IF EXISTS temp.pbs_days;
CREATE TEMP TABLE pbs_days AS -- from an hour with records to the next, if that is not of the same day or the next
SELECT hour * 3600 AS start_time, next * 3600 AS end_time
FROM (SELECT hour, lead(hour) OVER (ORDER BY hour) AS next
      FROM (SELECT DISTINCT at / 3600 AS hour
            FROM (SELECT min(start_time) AS first FROM pbs_lost)
            CROSS JOIN (SELECT date_time - seconds AS at FROM pbs_apart CROSS JOIN pbs_records UNION ALL
                        SELECT qtime FROM pbs_records WHERE message_text IN (';QSE', ';QE') UNION ALL
                        SELECT start FROM pbs_records WHERE message_text IN (';QSE', ';SE')) ON at >= first))
WHERE next - hour > 23;
UPDATE pbs_lost SET unseen = (SELECT min(d.start_time) FROM pbs_days AS d WHERE d.end_time > pbs_lost.start_time);
DROP TABLE pbs_days;
UPDATE pbs_lost SET due = NULL
WHERE due + 3600 >= (SELECT max(max(date_time) - seconds, coalesce(max("end"), 0), coalesce(max(start), 0)) FROM pbs_records, pbs_apart);
--@ end
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*), 'the end of job ' || id_string || why || '. Is a file missing?'
FROM (SELECT r._file, r._line, r.id_string, ' is not told: it runs until it starts again' AS why
      FROM pbs_attempts AS a CROSS JOIN pbs_of_jobs AS o ON o.job = a.job AND o.begun = a.start_time
        AND o.record_type IN ('S', 'T', 'c', 'e', 's', 'u') CROSS JOIN pbs_records AS r ON r.rowid = o.place
      WHERE a.untold AND a.end_time IS NOT NULL
      UNION ALL
      SELECT _file, _line, id_string,
             CASE WHEN min(coalesce(taken, 9e18), coalesce(due, 9e18)) < 9e18
                    AND coalesce(taken < due, due IS NULL) THEN ' is not told: it ended when job ' || taken_by || ' started in its place'
                  WHEN due IS NOT NULL THEN ' is not told: it ended when its walltime was over'
                  ELSE ' is not told, and the log has no record of the day after ' || strftime('%Y-%m-%dT%H:%MZ', unseen, 'unixepoch')
                    || ': it runs until the last record' END
      FROM pbs_lost CROSS JOIN pbs_records AS r ON r.rowid = place WHERE coalesce(due, taken, unseen) IS NOT NULL)
GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || id_string || ' has no walltime and no end: it runs until the last record'
FROM pbs_lost CROSS JOIN pbs_records AS r ON r.rowid = place
WHERE coalesce(due, taken, unseen) IS NULL
  AND NOT EXISTS (SELECT 1 FROM pbs_of_jobs AS w CROSS JOIN pbs_records AS l ON l.rowid = w.place
                  WHERE w.job = pbs_lost.job AND l."Resource_List.walltime" IS NOT NULL)
GROUP BY _file;
UPDATE pbs_attempts SET end_time = min(coalesce(l.due, 9e18), coalesce(l.taken, 9e18)) FROM pbs_lost AS l
WHERE l.job = pbs_attempts.job AND l.attempt = pbs_attempts.attempt AND coalesce(l.due, l.taken) IS NOT NULL;
DROP TABLE pbs_lost;
-- A file is of the day that its name says.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(path), 'warning', 'missing_file', NULL, CAST(sum(next - day - 1) AS INTEGER),
       'days without a file between others, the first after ' || date(min(day)) || ': jobs that ran then alone are not known'
FROM (SELECT path, day, lead(day) OVER (ORDER BY day) AS next
      FROM (SELECT path, julianday(substr(name, 1, 4) || '-' || substr(name, 5, 2) || '-' || substr(name, 7, 2)) AS day
            FROM (SELECT path, substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) AS name FROM trace_files(:pbs))
            WHERE name GLOB '[12][0-9][0-9][0-9][01][0-9][0-3][0-9]' || iif(instr(name, '.'), '.*', '')) GROUP BY day)
WHERE next - day BETWEEN 2 AND 31 GROUP BY NULL HAVING count(*) > 0;

-- A job that is suspended (z) gives back what it holds until it is resumed (r), or where the server's
-- restrict_res_to_release_on_suspend names resources those alone, which the record lists then.
DROP TABLE IF EXISTS temp.pbs_told;
CREATE TEMP TABLE pbs_told AS SELECT job, place, record_type, date_time FROM pbs_of_jobs WHERE record_type IN ('z', 'r');
CREATE INDEX temp.pbs_told_of ON pbs_told(job, record_type, date_time);
DROP TABLE IF EXISTS temp.pbs_suspended;
CREATE TEMP TABLE pbs_suspended AS
SELECT a.job, a.attempt, a.chips, z.date_time AS start_time, t._file, t._line, t.id_string, a.end_time AS ended,
       (SELECT min(r.date_time) FROM pbs_told AS r
        WHERE r.job = a.job AND r.record_type = 'r' AND (r.date_time, r.place) > (z.date_time, z.place)
          AND r.date_time < coalesce(a.end_time, 9e18)) AS end_time,
       coalesce(json_extract(t.other, '$.resources_released') LIKE '%:'
                || iif(:chips IN ('cpus', 'ncpus', 'ncores', 'slots'), 'ncpus', 'ngpus') || '=%', 1) AS released
FROM pbs_attempts AS a CROSS JOIN pbs_told AS z USING (job) CROSS JOIN pbs_records AS t ON t.rowid = z.place
WHERE z.record_type = 'z' AND z.date_time >= a.start_time AND z.date_time < coalesce(a.end_time, 9e18);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(DISTINCT job),
       'jobs that were suspended and kept their chips (resources_released), the first ' || min(id_string) || ', for '
         || CAST(total(until - start_time) AS INTEGER) || ' s in all (' || CAST(total(chips * (until - start_time)) AS INTEGER)
         || ' chip-seconds)'
FROM (SELECT *, coalesce(end_time, ended, (SELECT max(date_time) - seconds FROM pbs_records, pbs_apart)) AS until
      FROM pbs_suspended WHERE NOT released AND chips > 0) GROUP BY _file;
DROP TABLE IF EXISTS temp.pbs_pauses;
CREATE TEMP TABLE pbs_pauses AS
SELECT job, attempt, chips, min(start_time) AS start_time, end_time
FROM pbs_suspended
WHERE released AND start_time < coalesce(end_time, start_time + 1)
GROUP BY job, attempt, end_time;
DROP TABLE pbs_suspended;
CREATE INDEX temp.pbs_paused ON pbs_pauses(job, attempt);

-- What a job holds after it gave some of it back (c: the nodes that it keeps; s: those that were well at its start). S and E say what it
-- started with.
DROP TABLE IF EXISTS temp.pbs_kept;
CREATE TEMP TABLE pbs_kept AS
SELECT a.job, a.attempt, a.end_time, CAST(max(o.date_time - seconds, a.start_time) AS INTEGER) AS start_time,
       iif(s.held > 0, coalesce(o.held, 0), coalesce(o.asked, a.chips)) AS chips, a.chips AS before, o.place
FROM pbs_apart CROSS JOIN pbs_of_jobs AS o CROSS JOIN pbs_attempts AS a ON a.job = o.job AND a.start_time = o.begun
CROSS JOIN pbs_started AS s ON s.job = o.job AND s.start_time = o.begun
WHERE o.record_type IN ('c', 's') AND o.date_time - seconds < coalesce(a.end_time, 9e18);
CREATE INDEX temp.pbs_kept_of ON pbs_kept(job, attempt, start_time);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'info', 'resized_job', min(r._line), count(DISTINCT k.job),
       'jobs that gave back chips while they ran, the first ' || min(r.id_string) || ': what they hold no more they ask for no more, '
         || CAST(total((before - chips) * (until - start_time)) AS INTEGER) || ' chip-seconds'
FROM (SELECT *, coalesce(lead(start_time) OVER (PARTITION BY job, attempt ORDER BY start_time, place), end_time,
                         (SELECT max(date_time) - seconds FROM pbs_records, pbs_apart)) AS until FROM pbs_kept) AS k
CROSS JOIN pbs_records AS r ON r.rowid = place
WHERE chips < before GROUP BY r._file;

-- A job that leaves the queue without running (again): D by request, A by the server, M to another one.
DROP TABLE IF EXISTS temp.pbs_left;
CREATE TEMP TABLE pbs_left AS
WITH gone AS (
  SELECT job, max(date_time) AS at
  FROM pbs_of_jobs
  WHERE record_type IN ('D', 'A', 'M') OR (record_type = 'E' AND start IS NULL)
  GROUP BY job
),
last AS (
  SELECT job, max(attempt) AS attempt, max(end_time) AS ended, max(start_time) AS started, max(end_time IS NULL) AS running
  FROM pbs_attempts
  GROUP BY job
)
SELECT gone.job, coalesce(last.attempt, 0) + 1 AS attempt, at
FROM gone LEFT JOIN last USING (job)
WHERE coalesce(NOT running AND at > ended, 1);
