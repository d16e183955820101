-- profile_diff.sql - what changed from one profile of a program to another: events by name, counted and summed.
--
--     .load ./mpg
--     .param set :base before.json.gz
--     .param set :test after.json.gz
--     .param set :step 1010             -- of both; unset: all of the trace
--     .read sql/profile_diff.sql
--     SELECT * FROM profile_diff WHERE change <> '=' ORDER BY abs(diff_ns) DESC;
--
-- Makes the TEMP table profile_diff, a row a name and side: 'host' are operators, annotations and calls that begin in the
-- step, 'device' is what those calls launched. change is '+' where the test has more of it, '-' where less, '=' where as
-- many. As HTA's trace diff compares them, but in nanoseconds.
--
-- From a program, which cannot bind parameters to a script, create the input before running it:
--
--     CREATE TEMP TABLE diff_events AS
--     SELECT 'base' AS which, NULL AS wanted, _file AS file, lower(cat) AS cat, name, step, start_ns, end_ns, stream, correlation,
--            device AS queue FROM chrome_trace('before.json') WHERE ...
--     UNION ALL SELECT 'test', NULL, ... FROM chrome_trace('after.json') WHERE ...;

--@ argument base :base PATH the profile before: Chrome traces of PyTorch alone: a file, glob or folder
--@ argument test :test PATH the profile after
--@ argument step :step BIGINT of both; all of the trace unless given
--@ table trace_profile_diff profile_diff what changed from one profile of a program to another: events by name, counted and summed
--@ column side TEXT - host: operators, annotations and calls that begin in the step; device: what they launched
--@ column name TEXT - of the event
--@ column base_n BIGINT events before
--@ column test_n BIGINT events after
--@ column base_ns BIGINT ns before
--@ column test_ns BIGINT ns after
--@ column diff_ns BIGINT ns test_ns - base_ns
--@ column change TEXT - +: more events after; -: fewer; =: as many

-- An activity of a device has a stream; Intel's are only listed under a queue, in place of a thread. Correlations and steps
-- are each file's own, and of ranks merged into one ('[R0] 70') each label's. A begin without its end is an event without one. queue: where
-- activities run in order, in a stream of a context of a device.
CREATE TEMP TABLE IF NOT EXISTS diff_events AS
WITH event AS (
  SELECT 'base' AS which, _file, ph, cat, name, step, start_ns, end_ns, pid, tid, device, context, stream, correlation
  FROM chrome_trace(mpg_required(:base, ':base')) WHERE ph IN ('X', 'B', 'b')
  UNION ALL
  SELECT 'test', _file, ph, cat, name, step, start_ns, end_ns, pid, tid, device, context, stream, correlation
  FROM chrome_trace(mpg_required(:test, ':test')) WHERE ph IN ('X', 'B', 'b')
)
SELECT which, :step AS wanted, _file || iif(pid GLOB '[[]*] *', substr(pid, 1, instr(pid, ']')), '') AS file, lower(cat) AS cat, name, step,
       start_ns, end_ns, iif(cat IN ('kernel', 'gpu_memcpy', 'gpu_memset'), coalesce(stream, tid), stream) AS stream, correlation,
       coalesce(pid, '') || ' ' || coalesce(device, '') || ' ' || coalesce(context, '') AS queue
FROM event
WHERE coalesce(cat, '') NOT IN ('Trace', 'gpu_user_annotation')
  AND (ph = 'X' OR lower(cat) IN ('kernel', 'concurrent_kernel', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cpu_op', 'operator')
       OR lower(cat) GLOB '*_runtime' OR lower(cat) GLOB '*_driver');

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || coalesce(min(name), '') || '"'
FROM diff_events WHERE cat IS NOT NULL AND coalesce(end_ns < start_ns, 1) GROUP BY which, file;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'unknown_event', count(*),
       'events without a category are not compared; the first is "' || coalesce(min(name), '') || '"'
FROM diff_events WHERE cat IS NULL GROUP BY which, file;
DELETE FROM diff_events WHERE cat IS NULL OR coalesce(end_ns < start_ns, 1);

-- What a device did, as device_activity has it: without times that are none, each once, and an activity that lasts beyond the end of the
-- next one of its stream, which another call launched, ends where that begins.
DROP TABLE IF EXISTS temp.diff_lost;
CREATE TEMP TABLE diff_lost AS
WITH host AS MATERIALIZED (
  SELECT which, file, min(start_ns) AS begin_ns, max(end_ns) AS last_ns
  FROM diff_events WHERE typeof(stream) <> 'integer' GROUP BY which, file
)
SELECT e.rowid AS row, which, file, name FROM diff_events AS e JOIN host USING (which, file)
WHERE typeof(stream) = 'integer' AND (end_ns > last_ns + 3600000000000 OR start_ns < begin_ns - 1800000000000 OR start_ns <= 0
                                      AND (end_ns <= 0 AND begin_ns > 0 OR begin_ns > 1000000000));
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'data_loss', 'lost_time', count(*),
       'activities at 0, or long before or after all that the host did: left out; the first is "' || coalesce(min(name), '') || '"'
FROM diff_lost GROUP BY which, file;
DELETE FROM diff_events WHERE rowid IN (SELECT row FROM diff_lost);
DROP TABLE diff_lost;
DROP TABLE IF EXISTS temp.diff_next;
CREATE TEMP TABLE diff_next AS
SELECT * FROM (
  SELECT rowid AS row, which, file, name, start_ns, end_ns, cat GLOB '*kernel' AS is_kernel, correlation,
         coalesce(start_ns = lead(start_ns) OVER o AND end_ns = lead(end_ns) OVER o AND name = lead(name) OVER o
                  AND correlation IS lead(correlation) OVER o, 0) AS is_again,
         lead(start_ns) OVER o AS next_ns, lead(end_ns) OVER o AS next_end_ns, lead(correlation) OVER o AS next
  FROM diff_events WHERE typeof(stream) = 'integer' AND stream <> -1
  WINDOW o AS (PARTITION BY which, file, queue, stream, cat ORDER BY start_ns, end_ns, name, correlation))
WHERE is_again OR is_kernel AND end_ns > next_end_ns AND next_ns > start_ns AND coalesce(next <> correlation, 1)
  AND end_ns - next_end_ns > next_end_ns - start_ns;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', iif(is_again, 'repeated_record', 'overrun_activity'), count(*),
       iif(is_again, 'activities that come twice count once',
           'activities that end after the next of their stream ended: they end where that begins') || '; the first is "'
         || coalesce(min(name), '') || '"'
FROM diff_next GROUP BY which, file, is_again;
UPDATE diff_events SET end_ns = n.next_ns FROM diff_next AS n WHERE n.row = diff_events.rowid AND NOT is_again;
DELETE FROM diff_events WHERE rowid IN (SELECT row FROM diff_next WHERE is_again);
DROP TABLE diff_next;

DROP TABLE IF EXISTS temp.diff_steps;
CREATE TEMP TABLE diff_steps AS
SELECT which, file, start_ns, end_ns FROM diff_events
WHERE wanted IS NOT NULL AND typeof(stream) <> 'integer' AND name = 'ProfilerStep#' || wanted;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'missing_steps', 1, 'the step is not in this profile: nothing of it is compared'
FROM diff_events WHERE wanted IS NOT NULL AND iif((which, file) IN (SELECT which, file FROM diff_steps), 0, 1) GROUP BY which, file;

DROP TABLE IF EXISTS temp.profile_diff;
CREATE TEMP TABLE profile_diff AS
WITH host AS (
  SELECT e.* FROM diff_events AS e
  WHERE (typeof(e.stream) <> 'integer' OR e.stream = -1)
    AND (e.wanted IS NULL OR EXISTS (SELECT 1 FROM diff_steps AS s
                                     WHERE s.which = e.which AND s.file = e.file AND e.start_ns BETWEEN s.start_ns AND s.end_ns - 1))
),
device AS (
  SELECT * FROM diff_events AS e
  WHERE typeof(stream) = 'integer' AND stream <> -1
    AND (wanted IS NULL OR (which, file, correlation) IN (SELECT which, file, correlation FROM host WHERE correlation IS NOT NULL))
),
sums AS (
  SELECT 'host' AS side, name, which, end_ns - start_ns AS ns FROM host
  UNION ALL SELECT 'device', name, which, end_ns - start_ns FROM device
)
SELECT side, name, count(*) FILTER (WHERE which = 'base') AS base_n, count(*) FILTER (WHERE which = 'test') AS test_n,
       coalesce(sum(ns) FILTER (WHERE which = 'base'), 0) AS base_ns, coalesce(sum(ns) FILTER (WHERE which = 'test'), 0) AS test_ns,
       coalesce(sum(ns) FILTER (WHERE which = 'test'), 0) - coalesce(sum(ns) FILTER (WHERE which = 'base'), 0) AS diff_ns,
       CASE sign(count(*) FILTER (WHERE which = 'test') - count(*) FILTER (WHERE which = 'base'))
         WHEN 1 THEN '+' WHEN -1 THEN '-' ELSE '=' END AS change
FROM sums
GROUP BY side, name;

DROP TABLE temp.diff_events;
DROP TABLE temp.diff_steps;
