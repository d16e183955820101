-- nvrx.sql - from the log of ft_launcher (nvidia-resiliency-ext) to the relations of the native trace: how long recoveries took.
--
--@ source 3
--@ feeds RG
--@ input :log likely - Cycle: \d+ Event: \w+ Node: .* Time: \d{4}-\d\d-\d\d 
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/nvrx/ft_launcher.log
--     .read sql/formats/nvrx.sql
--     SELECT * FROM spans;
--
-- Parameters: :log is a path, glob or folder, of a log a node or of all; :job makes all files of one job (else each is a job,
-- named after its file). A program that cannot bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs and spans. Who held the chips says the scheduler, or a trainer's log of the same job. The rules are
-- explained in docs/formats/nvrx.md.

-- ---- 1. The input: the launcher's events, whose times are UTC ----

DROP TABLE IF EXISTS temp.nvrx_events;
CREATE TEMP TABLE nvrx_events AS
SELECT CAST(coalesce(:job, _file) AS TEXT) AS job, _file AS file, _line AS line, time,
       CAST(json_extract(fields, '$.cycle') AS INTEGER) AS cycle, json_extract(fields, '$.event') AS event
FROM log_trace(mpg_required(:log, ':log'),
               '(?x) - \ Cycle:\ (?<cycle>\d+)\ Event:\ (?<event>\w+)\ Node:\ .*?\ Time:\ (?<time>\d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d(?:\.\d+)?)',
               'ignore', 'UTC')
WHERE time IS NOT NULL;

-- What cannot be: a time that is more than ten years from the middle one; its event counts as nothing.
DROP TABLE IF EXISTS temp.nvrx_far;
CREATE TEMP TABLE nvrx_far AS
WITH middle AS (SELECT mpg_median(CAST(time / 31556952 AS INTEGER)) AS year FROM nvrx_events)
SELECT e.rowid AS row, file, line FROM nvrx_events AS e, middle WHERE abs(time / 31556952 - year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'events whose time is more than ten years from the middle one: left out'
FROM nvrx_far GROUP BY file;
DELETE FROM nvrx_events WHERE rowid IN (SELECT row FROM nvrx_far);
DROP TABLE nvrx_far;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unknown_event', min(line), count(*), 'events of ft_launcher that are not known: ' || group_concat(DISTINCT event)
FROM nvrx_events
WHERE event NOT IN ('failure_detected', 'worker_terminated', 'rendezvous_started', 'rendezvous_completed', 'worker_start_started',
                    'worker_start_completed',
                    'health_check_started', 'health_check_completed', 'node_eviction_detected')
GROUP BY file;

-- ---- 2. Cycles: a failure, until the last node has started its workers ----

-- Each node counts cycles, from 0 when the launcher begins. So a rendezvous of a lower cycle is of a launcher that began anew, and so is
-- one of the same cycle after its workers started. (Nodes differ by up to a second.)
DROP TABLE IF EXISTS temp.nvrx_cycles;
CREATE TEMP TABLE nvrx_cycles AS
WITH placed AS (
  SELECT *, sum(anew) OVER (PARTITION BY job ORDER BY time, file, line) AS launcher
  FROM (SELECT *, event = 'rendezvous_started'
                 AND coalesce(cycle < lag(cycle) OVER w OR cycle = lag(cycle) OVER w AND lag(event) OVER w = 'worker_start_completed'
                              AND time - lag(time) OVER w > 10, 0) AS anew
        FROM nvrx_events WINDOW w AS (PARTITION BY job ORDER BY time, file, line))
)
SELECT job, launcher, cycle, min(file) AS file, min(line) AS line, max(time) AS last_time,
       coalesce(min(time) FILTER (WHERE event = 'failure_detected'), min(time) FILTER (WHERE event = 'rendezvous_started')) AS start_time,
       max(time) FILTER (WHERE event = 'worker_start_completed') AS end_time
FROM placed GROUP BY job, launcher, cycle;

-- Workers that never started: what is told of the cycle counts.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'open_cycle', min(line), count(*),
       'cycles in which no worker started, the first is ' || min(cycle) || ': they count until their last event'
FROM nvrx_cycles WHERE start_time IS NOT NULL AND end_time IS NULL GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'open_cycle', min(line), count(*),
       'cycles of whose begin the log does not tell, the first is ' || min(cycle) || ': left out'
FROM nvrx_cycles WHERE start_time IS NULL GROUP BY file;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS SELECT DISTINCT job, 'training' AS phase FROM nvrx_events;

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, NULL AS attempt, 'init' AS kind, start_time, coalesce(end_time, last_time) AS end_time, NULL AS step
FROM nvrx_cycles WHERE start_time < coalesce(end_time, last_time) ORDER BY 1, 4;

DROP TABLE nvrx_events;
DROP TABLE nvrx_cycles;
