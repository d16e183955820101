-- goodput.sql - from the job logs of ml-goodput-measurement to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG
--@ input :log sure (?s)\A\s*\[?\s*\{(?:[^\n]{0,200}|.{0,6000}?"json_?[pP]ayload"\s*:\s*"?\{[^}]{0,4000}?|[^{}]{0,6000}?)\\?"(?:json_?[pP]ayload[._])?job_name\\?"\s*:.*"(?:json_?[pP]ayload[._])?(?:job|step|tpu_init|training_prep|data_loading|custom_badput_event|checkpoint_manager(?:_blocking)?)_(?:start|end)_time\\?"
--@ input :log sure \A(?=[^\n{]*\b(?:json_?[pP]ayload[._])?job_name\b)[^\n{]*\b(?:json_?[pP]ayload[._])?(?:job_start_time|tpu_init_start_time|step_start_time|job_end_time|training_prep_start_time|data_loading_start_time)\b
--@ input :log sure \A[^\n{]*\bjson_?[pP]ayload\b[^\n{]*\n(?s:.{0,2000}?)\{[^}]{0,4000}?job_name(?s:.*)"(?:job_start_time|tpu_init_start_time|step_start_time|job_end_time|training_prep_start_time|data_loading_start_time)"
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/goodput
--     .read sql/formats/goodput.sql
--     SELECT job, category, cause, sum(chip_seconds) FROM mpg_rollup GROUP BY job, category, cause;
--
-- Parameters: :log is a path, glob or folder; :chips how many chips every job holds (1), which the log
-- does not know; :pool names the pool ('goodput'); :job makes all logs runs of one job (else each is of the job that it
-- names). From a program that cannot bind parameters to a script, create the input before:
--
--     CREATE TEMP TABLE goodput_rows AS SELECT * FROM goodput_trace('goodput.jsonl');
--
-- Makes the TEMP tables jobs, allocations, spans and commits, and drops the input. docs/formats/goodput_log.md explains the rules.

-- ---- 1. The input, in the order of the log ----

CREATE TEMP TABLE IF NOT EXISTS goodput_rows AS
SELECT job_name, kind, edge, time, event, step, checkpoint_manager_blocking_duration_secs, checkpoint_manager_duration_secs, time_ns,
       insertId, duplicate
FROM goodput_trace(mpg_required(:log, ':log'));

-- What the rows have, looked at once.
DROP TABLE IF EXISTS temp.goodput_survey;
CREATE TEMP TABLE goodput_survey AS
SELECT max(time) - min(time) AS seconds,
       :job IS NULL AND count(*) FILTER (WHERE job_name <> (SELECT job_name FROM goodput_rows LIMIT 1)) > 0 AS several,
       count(*) > count(time) OR count(coalesce(time_ns, insertId, duplicate)) > 0 AS unordered,
       count(*) FILTER (WHERE time IS NULL AND kind <> 'other') AS untimed
FROM goodput_rows;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'data_loss', 'missing_field', NULL, untimed, 'entries without their time: left out'
FROM goodput_survey WHERE untimed > 0;

-- What cannot be: a time that is more than ten years from the middle one; its entry counts as nothing.
DROP TABLE IF EXISTS temp.goodput_far;
CREATE TEMP TABLE goodput_far AS
WITH middle AS (SELECT mpg_median(CAST(time / 31556952 AS INTEGER)) AS year
                FROM goodput_survey CROSS JOIN goodput_rows WHERE seconds > 315569520)
SELECT r.rowid AS row, kind FROM middle CROSS JOIN goodput_rows AS r WHERE year IS NOT NULL AND abs(time / 31556952 - year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'data_loss', 'impossible_time', NULL, count(*),
       'entries of "' || min(kind) || '" more than ten years from the middle one: left out'
FROM goodput_far GROUP BY NULL;
DELETE FROM temp.goodput_rows WHERE rowid IN (SELECT row FROM goodput_far);
DROP TABLE goodput_far;

-- Entries of anything but steps are few.
DROP TABLE IF EXISTS temp.goodput_marks;
CREATE TEMP TABLE goodput_marks(id INTEGER PRIMARY KEY, job, kind, edge, time, event, step, saved_s, restored_s);
INSERT INTO goodput_marks
SELECT rowid, coalesce(:job, job_name), kind, edge, time, event, step, checkpoint_manager_blocking_duration_secs,
       checkpoint_manager_duration_secs
FROM goodput_rows WHERE kind IS NOT 'step';

-- Every host of a job may write into its log, and exports may overlap: the same entry counts once.
DROP TABLE IF EXISTS temp.goodput_again;
CREATE TEMP TABLE goodput_again AS
SELECT id FROM (
  SELECT goodput_rows.rowid AS id, time = lag(time) OVER o AND kind IS lag(kind) OVER o AND edge IS lag(edge) OVER o
           AND event IS lag(event) OVER o AND step IS lag(step) OVER o
                      AND checkpoint_manager_blocking_duration_secs IS lag(checkpoint_manager_blocking_duration_secs) OVER o
                      AND checkpoint_manager_duration_secs IS lag(checkpoint_manager_duration_secs) OVER o AS again
  FROM (SELECT count(*) > count(DISTINCT json_array(r.job_name, m.kind, m.edge, m.event, m.step, m.time))
                 OR EXISTS (SELECT 1 FROM goodput_rows AS l CROSS JOIN goodput_rows AS p ON p.rowid = l.rowid - 1
                            WHERE l.kind = 'step' AND (l.time < p.time OR p.kind = 'step' AND l.step <= p.step)) AS any_twice
        FROM goodput_marks AS m JOIN goodput_rows AS r ON r.rowid = id WHERE m.time IS NOT NULL AND coalesce(r.duplicate, 0) = 0)
  CROSS JOIN goodput_rows
  WHERE any_twice AND time IS NOT NULL AND coalesce(duplicate, 0) = 0 -- any entry but a step's is there twice, or steps go back
  WINDOW o AS (PARTITION BY job_name ORDER BY time, kind, edge, event, step, goodput_rows.rowid)
) WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'repeated_record', NULL, count(*), 'entries that another entry repeats: they count once'
FROM goodput_again GROUP BY NULL;
DELETE FROM temp.goodput_rows WHERE rowid IN (SELECT id FROM goodput_again);
DELETE FROM temp.goodput_marks WHERE id IN (SELECT id FROM goodput_again);
DROP TABLE goodput_again;

.read sql/formats/goodput/hosts.sql

-- Entries of a kind that is not known.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'unknown_event', NULL, count(*), 'entries of kinds that are not known: left out'
FROM goodput_marks WHERE kind IS NULL OR kind = 'other' GROUP BY NULL;

-- The parts of a log may be read out of order, as log.jsonl before log.jsonl.1: one goes before another if it begins before it.
DROP TABLE IF EXISTS temp.goodput_parts;
CREATE TEMP TABLE goodput_parts AS
WITH begins AS (
  SELECT l.rowid AS first FROM (SELECT :log AS path WHERE :log IS NOT NULL) AS g
  CROSS JOIN (SELECT 1 WHERE (SELECT count(*) > 1 FROM trace_files(:log))) CROSS JOIN goodput_rows AS l
  CROSS JOIN goodput_rows AS p ON p.rowid = l.rowid - 1
  WHERE l.time + coalesce(l.checkpoint_manager_duration_secs, l.checkpoint_manager_blocking_duration_secs, 0) < p.time - 60
),
ranges AS (
  SELECT first, lead(first, 1, 9e18) OVER (ORDER BY first) - 1 AS last
  FROM (SELECT 0 AS first FROM begins UNION SELECT first FROM begins)
)
SELECT coalesce(:job, r.job_name) AS job, CAST(first AS INTEGER) AS first, last, min(r.time) AS since
FROM ranges CROSS JOIN goodput_rows AS r ON r.rowid BETWEEN first AND last GROUP BY 1, 2;
DELETE FROM temp.goodput_parts
WHERE NOT EXISTS (SELECT 1 FROM (SELECT since < lag(since) OVER (PARTITION BY job ORDER BY first) AS back FROM goodput_parts) WHERE back);
CREATE INDEX temp.goodput_parts_of ON goodput_parts(job, first);

-- In the order of jobs and of their logs: sorted where the rows do not lie so, without what has no time or came before. What follows
-- goes by rowid, from a row to the next or over a range, and not by window functions: logs have millions of rows.
UPDATE temp.goodput_survey SET unordered = 1 WHERE EXISTS (SELECT 1 FROM goodput_parts)
  OR (SELECT max(rowid) FROM goodput_rows) > (SELECT count(*) FROM goodput_rows)
  OR (several AND EXISTS (SELECT 1 FROM goodput_rows AS l CROSS JOIN goodput_rows AS p ON p.rowid = l.rowid - 1
                          WHERE p.job_name > l.job_name));
DROP TABLE IF EXISTS temp.goodput_sorted;
CREATE TEMP TABLE goodput_sorted AS
SELECT r.* FROM goodput_survey CROSS JOIN goodput_rows AS r
WHERE unordered AND coalesce(duplicate, 0) = 0 AND time IS NOT NULL
ORDER BY coalesce(:job, job_name), time_ns, insertId,
  (SELECT since FROM goodput_parts AS p WHERE p.job IS coalesce(:job, r.job_name) AND p.first <= r.rowid ORDER BY p.first DESC LIMIT 1),
  r.rowid;
DROP TABLE goodput_parts;
DELETE FROM temp.goodput_rows WHERE rowid >= (SELECT 0 FROM goodput_survey WHERE unordered);
INSERT INTO goodput_rows SELECT * FROM goodput_sorted ORDER BY rowid;
DROP TABLE goodput_sorted;
DELETE FROM goodput_marks WHERE (SELECT unordered FROM goodput_survey);
INSERT INTO goodput_marks
SELECT r.rowid, coalesce(:job, job_name), kind, edge, time, event, step, checkpoint_manager_blocking_duration_secs,
       checkpoint_manager_duration_secs
FROM goodput_survey CROSS JOIN goodput_rows AS r WHERE unordered AND kind IS NOT 'step';

-- ---- 2. Attempts: every start of the job is a new one, and holds its chips until the next, or to its end ----

.read sql/formats/goodput/ranges.sql

-- Steps in the order of their times, which mostly is that of the log. A step whose number is not the next one, or that comes more than a
-- minute later, is a break.
DROP TABLE IF EXISTS temp.goodput_steps;
CREATE TEMP TABLE goodput_steps AS
SELECT r.rowid AS run, o.step, o.time AS start_time
FROM goodput_ranges AS r CROSS JOIN goodput_rows AS o ON o.rowid BETWEEN r.first AND r.last
WHERE +o.kind = 'step';
DROP TABLE IF EXISTS temp.goodput_breaks;
CREATE TEMP TABLE goodput_breaks AS
SELECT s.rowid AS id, s.run, s.step, p.step AS before, s.run = p.run AND s.start_time < p.start_time AS goes_back,
       s.start_time - p.start_time AS seconds
FROM goodput_steps AS s CROSS JOIN goodput_steps AS p ON p.rowid = s.rowid - 1
WHERE s.step IS NOT p.step + 1 OR s.start_time NOT BETWEEN p.start_time AND p.start_time + 60 OR s.step IS NULL OR s.run <> p.run;
CREATE TEMP TABLE goodput_sorted AS
SELECT s.* FROM (SELECT max(goes_back) AS unordered FROM goodput_breaks) CROSS JOIN goodput_steps AS s
WHERE unordered ORDER BY run, start_time, s.rowid;
DELETE FROM temp.goodput_steps WHERE rowid >= (SELECT 0 FROM goodput_sorted LIMIT 1);
INSERT INTO goodput_steps SELECT * FROM goodput_sorted ORDER BY rowid;
DELETE FROM temp.goodput_breaks WHERE EXISTS (SELECT 1 FROM goodput_sorted);
INSERT INTO goodput_breaks
SELECT s.rowid, s.run, s.step, p.step, 0, s.start_time - p.start_time
FROM (SELECT 1 FROM goodput_sorted LIMIT 1) CROSS JOIN goodput_steps AS s CROSS JOIN goodput_steps AS p ON p.rowid = s.rowid - 1
WHERE s.step IS NOT p.step + 1 OR s.start_time > p.start_time + 60 OR s.step IS NULL OR s.run <> p.run;
DROP TABLE goodput_sorted;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'no_steps', NULL, 1, 'no start of a step of ml-goodput-measurement was found'
WHERE NOT EXISTS (SELECT 1 FROM goodput_steps);

DROP TABLE IF EXISTS temp.goodput_spread;
CREATE TEMP TABLE goodput_spread(run INTEGER PRIMARY KEY, first_step, last_step);
INSERT INTO goodput_spread
WITH firsts AS (
  SELECT run, min(id) AS first_step
  FROM (SELECT run, 1 AS id FROM goodput_steps WHERE rowid = 1
        UNION ALL SELECT b.run, id FROM goodput_breaks AS b CROSS JOIN goodput_steps AS p ON p.rowid = id - 1 WHERE p.run <> b.run)
  GROUP BY run
)
SELECT run, first_step, coalesce(lead(first_step) OVER (ORDER BY run) - 1, (SELECT max(rowid) FROM goodput_steps)) FROM firsts;
DROP TABLE IF EXISTS temp.goodput_attempts;
CREATE TEMP TABLE goodput_attempts AS
WITH bounds AS (
  SELECT r.job, r.attempt, r.first, r.last, f.first_step, f.last_step,
         (SELECT min(time) FROM (SELECT s.start_time AS time FROM goodput_steps AS s WHERE s.rowid = f.first_step
                                 UNION ALL SELECT m.time FROM goodput_marks AS m WHERE m.id BETWEEN r.first AND r.last)) AS start_time,
         (SELECT max(m.time) FROM goodput_marks AS m WHERE m.id BETWEEN r.first AND r.last AND m.kind = 'job' AND m.edge = 'end') AS job_end
  FROM goodput_ranges AS r LEFT JOIN goodput_spread AS f ON f.run = r.rowid
  WHERE r.first <= r.last
)
SELECT *, lead(start_time) OVER (PARTITION BY job ORDER BY attempt) AS next_start FROM bounds;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_field', NULL, count(*),
       'steps without a number (step_count): they show no restart and are unrated'
FROM goodput_steps WHERE step IS NULL GROUP BY NULL;

CREATE INDEX temp.goodput_breaks_of ON goodput_breaks(id);
DROP TABLE goodput_spread;
DROP TABLE goodput_ranges;
DROP TABLE goodput_survey;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS SELECT DISTINCT job, job AS name, 'training' AS phase, 'jax' AS framework,
                                 coalesce(CAST(:chips AS REAL), 1) AS chips FROM goodput_attempts;
DROP TABLE IF EXISTS temp.assumed_chips; -- of which the scheduler may know how many chips they hold
CREATE TEMP TABLE assumed_chips AS SELECT job FROM jobs WHERE :chips IS NULL;
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'goodput') AS pool, coalesce(CAST(:chips AS REAL), 1) AS chips, start_time,
       min(coalesce(job_end, next_start), coalesce(next_start, job_end)) AS end_time,
       CASE WHEN next_start IS NOT NULL AND job_end IS NULL THEN 'failed' WHEN job_end IS NOT NULL THEN 'completed' END AS outcome
FROM goodput_attempts;

-- A job that ended before it started holds nothing: the entries are out of order, or of two clocks.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'data_loss', 'end_before_start', NULL, count(*),
       'an attempt of job ' || min(job) || ' ended before it started: it holds nothing'
FROM allocations WHERE end_time < start_time GROUP BY NULL;
UPDATE allocations SET end_time = start_time WHERE end_time < start_time;

-- ---- 3. Steps: each lasts until the next of its attempt; the one in flight when an attempt broke off
-- is left out, for nobody knows how long it ran ----

-- Steps are numbered one after the other: what lies between is of entries that are lost, and so counts to the step before.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_steps', NULL, count(*),
       'steps whose number is not the next one, first ' || min(b.step) || ' of job ' || min(a.job) || ': those between have no entry'
FROM goodput_attempts AS a JOIN goodput_breaks AS b ON b.id > a.first_step AND b.id <= a.last_step
WHERE b.step > b.before + 1 GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'repeated_steps', NULL, count(*),
       'steps whose number goes back within an attempt, first ' || min(b.step) || ' of job ' || min(a.job)
FROM goodput_attempts AS a JOIN goodput_breaks AS b ON b.id > a.first_step AND b.id <= a.last_step WHERE b.step <= b.before GROUP BY NULL;

-- A run sets up its devices before its steps: where it does so after some, the entry of its start is lost.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_field', NULL, count(*),
       'set-ups (tpu_init) after steps of the same run, first of job ' || min(a.job)
         || ': the start of a run has no entry, and the step before lasts until its first'
FROM goodput_attempts AS a CROSS JOIN goodput_marks AS m ON m.id BETWEEN a.first AND a.last AND +m.kind = 'tpu_init' AND +m.edge = 'start'
CROSS JOIN goodput_steps AS s ON s.rowid = a.first_step
WHERE s.start_time < m.time GROUP BY NULL;

-- A step lasts until the next: a pause of which no entry tells is part of one.
DROP TABLE IF EXISTS temp.goodput_long;
CREATE TEMP TABLE goodput_long(id INTEGER PRIMARY KEY, job, seconds);
INSERT INTO goodput_long
WITH mean AS (
  SELECT a.job, first_step, last_step, (l.start_time - f.start_time) / (last_step - first_step) AS seconds
  FROM goodput_attempts AS a CROSS JOIN goodput_steps AS f ON f.rowid = first_step CROSS JOIN goodput_steps AS l ON l.rowid = last_step
  WHERE last_step > first_step
)
SELECT b.id - 1, m.job, b.seconds
FROM mean AS m CROSS JOIN goodput_breaks AS b ON b.id BETWEEN first_step + 2 AND last_step
WHERE b.seconds > max(3 * m.seconds, 60 + m.seconds);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'long_steps', NULL, count(*),
       'steps that took three times as long as the mean and a minute more, first ' || min(s.step) || ' of job ' || min(job)
         || ': a pause in them counts as progress'
FROM goodput_long AS l CROSS JOIN goodput_steps AS s ON s.rowid = l.id
WHERE NOT EXISTS (SELECT 1 FROM goodput_marks AS m WHERE m.job = l.job AND m.time BETWEEN s.start_time AND s.start_time + l.seconds)
GROUP BY NULL;

-- A run begins with an attempt, and where step numbers go back within one. The time by which its first step took longer than the mean of
-- the others, without long ones, is compilation. The others lie one after the other: together they took the time from the first begin to
-- the last end.
DROP TABLE IF EXISTS temp.goodput_runs;
CREATE TEMP TABLE goodput_runs AS
WITH begins AS (
  SELECT job, attempt, job_end, last_step, first_step AS first FROM goodput_attempts WHERE first_step IS NOT NULL
  UNION ALL
  SELECT job, attempt, job_end, last_step, b.id
  FROM goodput_attempts AS a JOIN goodput_breaks AS b ON b.id > a.first_step AND b.id <= a.last_step WHERE coalesce(b.step <= b.before, 1)
),
ranges AS (SELECT job, attempt, job_end, last_step, first,
                  coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM goodput_steps)) AS last FROM begins),
ended AS ( -- the last step of an attempt may have no end
  SELECT r.job, r.attempt, f.start_time, o.start_time AS others_start, r.first,
         iif(r.last < last_step OR job_end >= l.start_time, r.last, r.last - 1) AS last,
         CASE WHEN r.last < last_step THEN (SELECT n.start_time FROM goodput_steps AS n WHERE n.rowid = r.last + 1)
              WHEN job_end >= l.start_time THEN job_end ELSE l.start_time END AS others_end
  FROM ranges AS r CROSS JOIN goodput_steps AS f ON f.rowid = r.first CROSS JOIN goodput_steps AS o ON o.rowid = r.first + 1
  CROSS JOIN goodput_steps AS l ON l.rowid = r.last
  WHERE r.last > r.first
)
SELECT job, attempt, start_time,
       others_start - start_time
         - (others_end - others_start - (SELECT total(seconds) FROM goodput_long AS l WHERE l.id > first AND l.id <= last))
           / nullif(last - first - (SELECT count(*) FROM goodput_long AS l WHERE l.id > first AND l.id <= last), 0) AS excess
FROM ended ORDER BY first;
DROP TABLE goodput_long;

-- ---- 4. Spans and commits ----

CREATE INDEX temp.goodput_attempts_of ON goodput_attempts(job);
-- A restore of a step above the one that follows is of another run, as a base model's.
UPDATE goodput_marks SET step = NULL WHERE kind IN ('restore', 'emergency_restore') AND step > (
  SELECT s.step FROM goodput_attempts AS a CROSS JOIN goodput_steps AS s ON s.rowid BETWEEN a.first_step AND a.last_step
  WHERE a.job = goodput_marks.job AND goodput_marks.id BETWEEN a.first AND a.last AND s.start_time >= goodput_marks.time
  ORDER BY s.rowid LIMIT 1);

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
WITH edges AS (
  SELECT a.job, a.attempt, o.kind, o.event, o.edge, o.time AS start_time,
         lead(o.edge) OVER w AS next_edge, lead(o.time) OVER w AS end_time
  FROM goodput_attempts AS a CROSS JOIN goodput_marks AS o ON o.id BETWEEN a.first AND a.last
  WHERE o.edge IS NOT NULL AND o.kind <> 'job'
  WINDOW w AS (PARTITION BY a.job, a.attempt, o.kind, upper(o.event) ORDER BY o.id)
)
SELECT a.job, a.attempt, 'step' AS kind, s.start_time, coalesce(n.start_time, a.job_end) AS end_time, s.step
FROM goodput_attempts AS a CROSS JOIN goodput_steps AS s ON s.rowid BETWEEN a.first_step AND a.last_step
LEFT JOIN goodput_steps AS n ON n.rowid = s.rowid + 1 AND n.rowid <= a.last_step WHERE s.rowid < a.last_step OR a.job_end >= s.start_time
UNION ALL SELECT job, attempt, 'compile', start_time, start_time + excess, NULL FROM goodput_runs WHERE excess > 0
UNION ALL SELECT job, attempt,
  CASE kind WHEN 'tpu_init' THEN 'init' WHEN 'training_prep' THEN 'prep' WHEN 'data_loading' THEN 'input' WHEN 'elastic_reinit' THEN 'init'
    ELSE CASE WHEN lower(event) LIKE 'eval%' THEN 'eval' ELSE lower(coalesce(event, kind)) END END, start_time, end_time, NULL
FROM edges WHERE edge = 'start' AND next_edge = 'end' AND end_time >= start_time
UNION ALL SELECT a.job, a.attempt, iif(o.kind = 'save', 'checkpoint', 'restore'), o.time,
                 o.time + iif(o.kind = 'save', o.saved_s, o.restored_s), iif(o.kind = 'save', NULL, o.step)
FROM goodput_attempts AS a CROSS JOIN goodput_marks AS o ON o.id BETWEEN a.first AND a.last
WHERE o.kind IN ('save', 'restore', 'emergency_restore') AND iif(o.kind = 'save', o.saved_s, o.restored_s) IS NOT NULL;

-- A start that no end follows, or an end without its start, lasts no time; nor does what ended before it started.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), iif(back, 'data_loss', 'warning'), iif(back, 'end_before_start', 'missing_end'), NULL, count(*),
       iif(back, 'ends before their start', 'starts without their end, or ends without their start') || ', first of "' || min(kind)
         || '": what lies between is not known'
FROM (SELECT o.kind, o.edge, lag(o.edge) OVER w AS before, lead(o.edge) OVER w AS after,
             o.edge = 'end' AND lag(o.edge) OVER w = 'start' AND o.time < lag(o.time) OVER w AS back,
             lead(1, 1, 0) OVER (PARTITION BY a.job, a.attempt ORDER BY o.id)
               OR max(coalesce(a.job_end, 0), coalesce((SELECT start_time FROM goodput_steps WHERE rowid = a.last_step), 0)) > o.time
               AS goes_on
      FROM goodput_attempts AS a CROSS JOIN goodput_marks AS o ON o.id BETWEEN a.first AND a.last
      WHERE o.edge IS NOT NULL AND o.kind <> 'job'
      WINDOW w AS (PARTITION BY a.job, a.attempt, o.kind, upper(o.event) ORDER BY o.id))
WHERE iif(edge = 'start', after IS NOT 'end' AND goes_on, before IS NOT 'start' OR back) GROUP BY coalesce(back, 0);

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT a.job, a.attempt, o.step, o.time AS snapshot_time, o.time + coalesce(o.saved_s, 0) AS durable_time
FROM goodput_attempts AS a CROSS JOIN goodput_marks AS o ON o.id BETWEEN a.first AND a.last
WHERE +o.kind = 'save';

-- What was restored was saved: an entry of the save is lost where the log mentions that step.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH unsaved AS MATERIALIZED (
  SELECT job, step, time FROM goodput_marks AS o
  WHERE kind IN ('restore', 'emergency_restore') AND step IS NOT NULL
    AND (coalesce(job, ''), step) NOT
      IN (SELECT coalesce(s.job, ''), s.step FROM goodput_marks AS s WHERE s.kind = 'save' AND s.step IS NOT NULL)
),
ran AS MATERIALIZED (
  SELECT a.job, s.step, min(s.start_time) AS start_time
  FROM goodput_attempts AS a CROSS JOIN goodput_steps AS s ON s.rowid BETWEEN a.first_step AND a.last_step
  WHERE EXISTS (SELECT 1 FROM unsaved) AND s.step IN (SELECT step FROM unsaved) GROUP BY a.job, s.step
)
SELECT coalesce(:log, 'goodput_rows'), 'warning', 'missing_save', NULL, count(*),
       'restores of a step that ran here, without an entry of its save, first ' || min(o.step) || ' of job ' || min(o.job)
         || ': how long the save took is not known'
FROM unsaved AS o JOIN ran AS s ON s.job = o.job AND s.step = o.step AND s.start_time < o.time
GROUP BY NULL;

DROP TABLE temp.goodput_rows;
DROP TABLE temp.goodput_marks;
DROP TABLE temp.goodput_attempts;
DROP TABLE temp.goodput_steps;
DROP TABLE temp.goodput_breaks;
DROP TABLE temp.goodput_runs;
