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
--     SELECT 'base' AS which, NULL AS wanted, name, step, start_ns, end_ns, stream, correlation FROM chrome_trace('before.json') WHERE ...
--     UNION ALL SELECT 'test', NULL, ... FROM chrome_trace('after.json') WHERE ...;

--@ argument base :base PATH the profile before: Chrome traces of PyTorch: a file, glob or folder
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

-- An activity of a device has a stream; Intel's are only listed under a queue, in place of a thread.
CREATE TEMP TABLE IF NOT EXISTS diff_events AS
SELECT 'base' AS which, :step AS wanted, name, step, start_ns, end_ns,
       iif(cat IN ('kernel', 'gpu_memcpy', 'gpu_memset'), coalesce(stream, tid), stream) AS stream, correlation
FROM chrome_trace(mpg_required(:base, ':base')) WHERE ph = 'X' AND dur_ns >= 0 AND cat IS NOT NULL AND cat NOT IN ('Trace', 'gpu_user_annotation')
UNION ALL
SELECT 'test', :step, name, step, start_ns, end_ns,
       iif(cat IN ('kernel', 'gpu_memcpy', 'gpu_memset'), coalesce(stream, tid), stream), correlation
FROM chrome_trace(mpg_required(:test, ':test')) WHERE ph = 'X' AND dur_ns >= 0 AND cat IS NOT NULL AND cat NOT IN ('Trace', 'gpu_user_annotation');

DROP TABLE IF EXISTS temp.profile_diff;
CREATE TEMP TABLE profile_diff AS
WITH steps AS (
  SELECT which, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM diff_events
  WHERE wanted IS NOT NULL AND typeof(stream) <> 'integer' AND name = 'ProfilerStep#' || wanted
  GROUP BY which
),
host AS (
  SELECT e.* FROM diff_events AS e LEFT JOIN steps AS s USING (which)
  WHERE (typeof(e.stream) <> 'integer' OR e.stream = -1) AND (e.wanted IS NULL OR e.start_ns BETWEEN s.start_ns AND s.end_ns - 1)
),
device AS (
  SELECT * FROM diff_events AS e
  WHERE typeof(stream) = 'integer' AND stream <> -1
    AND (wanted IS NULL OR (which, correlation) IN (SELECT which, correlation FROM host WHERE correlation IS NOT NULL))
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
