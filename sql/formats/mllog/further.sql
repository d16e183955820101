-- mllog/further.sql - the runs that a file has one after the other.
--
-- Reads mlperf_log, whose files' further runs it names. Makes mlperf_further.
-- A part of mllog.sql, which says what the parameters are.

-- A run that starts after the end of another in one file is one of its own.
DROP TABLE IF EXISTS temp.mlperf_further;
CREATE TEMP TABLE mlperf_further(name TEXT PRIMARY KEY, file TEXT, since, until);
INSERT INTO mlperf_further
WITH edge AS (
  SELECT _file AS file, key, time_ms, lag(key) OVER w AS before, lag(time_ms) OVER w AS before_ms, sum(key = 'run_start') OVER w AS starts
  FROM mlperf_log WHERE key IN ('run_start', 'run_stop') WINDOW w AS (PARTITION BY _file ORDER BY time_ms, _line)
)
SELECT file || '#' || (1 + row_number() OVER w), file, before_ms, lead(before_ms) OVER w
FROM edge WHERE key = 'run_start' AND before = 'run_stop' AND starts > 1 WINDOW w AS (PARTITION BY file ORDER BY time_ms);
UPDATE mlperf_log SET _file = n.name FROM mlperf_further AS n
WHERE EXISTS (SELECT 1 FROM mlperf_further) AND n.file = mlperf_log._file AND time_ms > n.since AND time_ms <= coalesce(n.until, time_ms);
