-- mllog/further.sql - the runs that a file has one after the other.
--
-- Reads mlperf_log, whose files' further runs it names. Makes mlperf_further(name, file, since, until), and mlperf_followed(file): runs
-- after which another begins. A part of mllog.sql, which says what the parameters are.

-- A run that starts after the end of another in one file is one of its own; so is one that is set up anew after the other's blocks, which
-- has no end then. (Ranks start together: no blocks lie between their starts.)
DROP TABLE IF EXISTS temp.mlperf_further;
CREATE TEMP TABLE mlperf_further(name TEXT PRIMARY KEY, file TEXT, since, until);
INSERT INTO mlperf_further
WITH edge AS (
  SELECT _file AS file, key, time_ms, lag(key) OVER w AS before, lag(time_ms) OVER w AS before_ms, sum(key = 'run_start') OVER w AS starts
  FROM mlperf_log WHERE key IN ('run_start', 'run_stop') WINDOW w AS (PARTITION BY _file ORDER BY time_ms, _line)
),
block AS (SELECT _file AS file, key, time_ms, _line AS line FROM mlperf_log
          WHERE key IN ('block_start', 'block_stop', 'epoch_start', 'epoch_stop', 'eval_start', 'eval_stop')
            AND _file IN (SELECT file FROM edge WHERE key = 'run_start' AND before = 'run_start' AND time_ms > before_ms + 1000)),
set_up AS (
  SELECT e.file, (SELECT min(i.time_ms) FROM mlperf_log AS i WHERE i._file = e.file AND i.key = 'init_start' AND i.time_ms <= e.time_ms
                    AND i.time_ms > (SELECT max(b.time_ms) FROM block AS b
                                     WHERE b.file = e.file AND b.time_ms >= before_ms AND b.time_ms < e.time_ms)) AS time_ms
  FROM edge AS e WHERE key = 'run_start' AND before = 'run_start' AND time_ms > before_ms + 1000
),
anew AS (
  SELECT file, before_ms AS since FROM edge WHERE key = 'run_start' AND before = 'run_stop' AND starts > 1
  UNION ALL -- the other's blocks do not go on
  SELECT file, time_ms - 1 FROM set_up AS s
  WHERE (SELECT b.key LIKE '%start' FROM block AS b WHERE b.file = s.file AND b.time_ms > s.time_ms ORDER BY b.time_ms, b.line LIMIT 1)
)
SELECT file || '#' || (1 + row_number() OVER w), file, since, lead(since) OVER w
FROM anew WINDOW w AS (PARTITION BY file ORDER BY since);
UPDATE mlperf_log SET _file = n.name FROM mlperf_further AS n
WHERE EXISTS (SELECT 1 FROM mlperf_further) AND n.file = mlperf_log._file AND time_ms > n.since AND time_ms <= coalesce(n.until, time_ms);
DROP TABLE IF EXISTS temp.mlperf_followed;
CREATE TEMP TABLE mlperf_followed AS SELECT name AS file FROM mlperf_further WHERE until IS NOT NULL UNION SELECT file FROM mlperf_further;
