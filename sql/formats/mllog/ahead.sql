-- mllog/ahead.sql - what hosts whose clocks are ahead tell again.
--
-- Reads mlperf_events and takes it out of them. A part of mllog.sql, which says what the parameters are.

-- Ranks begin and end a block together. One that is told again by half a second or more, before its end was, is of a host whose clock is
-- ahead: that of the first counts, for begin and end.
DROP TABLE IF EXISTS temp.mlperf_ahead;
CREATE TEMP TABLE mlperf_ahead AS
WITH twice AS MATERIALIZED ( -- where there may be any: begins or ends of one step, one after the other
  SELECT DISTINCT e.file, substr(e.key, 1, 5) AS kind FROM mlperf_events AS e CROSS JOIN mlperf_events AS p ON p.rowid = e.rowid - 1
  WHERE e.key IN ('block_start', 'block_stop', 'epoch_start', 'epoch_stop', 'eval_start', 'eval_stop')
    AND p.file = e.file AND p.key = e.key AND p.step IS e.step AND p.step_num IS e.step_num AND p.samples_count IS e.samples_count
    AND p.epoch_num IS e.epoch_num AND e.time_ms - p.time_ms BETWEEN 500 AND 30000
)
SELECT id, file, line
FROM (SELECT rowid AS id, file, line, key = lag(key) OVER w AND step IS lag(step) OVER w AND step_num IS lag(step_num) OVER w
               AND samples_count IS lag(samples_count) OVER w
               AND epoch_num IS lag(epoch_num) OVER w AND time_ms - lag(time_ms) OVER w BETWEEN 500 AND 30000 AS again
      FROM mlperf_events WHERE key IN ('block_start', 'block_stop', 'epoch_start', 'epoch_stop', 'eval_start', 'eval_stop')
        AND coalesce(step, step_num, samples_count, epoch_num) IS NOT NULL
        AND (file, substr(key, 1, 5)) IN (SELECT file, kind FROM twice)
      WINDOW w AS (PARTITION BY file, substr(key, 1, 5) ORDER BY time_ms, line))
WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'info', 'parallel_lines', min(a.line), count(*),
       'begins and ends that another line has half a second to half a minute before: left out, as those of a host whose clock is ahead'
FROM mlperf_ahead AS a JOIN mlperf_survey USING (file) GROUP BY file;
DELETE FROM mlperf_events WHERE rowid IN (SELECT id FROM mlperf_ahead);
DROP TABLE mlperf_ahead;
