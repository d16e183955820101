-- device/xla_events.sql - events of a profile of XLA that cannot count: without a time, at a time that cannot be, there twice.
--
-- Reads xla_events (device/xla_profile.sql), which is without those whose id is in xla_left_out. Makes that, and xla_timeless(trace,
-- correlation), of what it left out.
-- A part of xplane.sql and xprof.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.xla_left_out;
CREATE TEMP TABLE xla_left_out(id INTEGER PRIMARY KEY);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'impossible_time', count(*),
       'events without a start or an end, or that end before they start: left out; the first is "' || coalesce(min(name), '?') || '"'
FROM xla_events WHERE coalesce(end_ns < start_ns, 1) GROUP BY trace;
-- Their calls launched something (device/unseen.sql).
DROP TABLE IF EXISTS temp.xla_timeless;
CREATE TEMP TABLE xla_timeless AS
SELECT id, trace, correlation FROM xla_events WHERE coalesce(end_ns < start_ns, 1);
INSERT INTO xla_left_out SELECT id FROM xla_timeless;

-- What lies long before or after all that the host did and all steps.
DROP TABLE IF EXISTS temp.xla_lost;
CREATE TEMP TABLE xla_lost AS
WITH host AS MATERIALIZED ( -- and what the device lists of steps and programs
  SELECT trace, min(start_ns) AS begin_ns, max(end_ns) AS last_ns FROM xla_events
  WHERE plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules') GROUP BY trace
  UNION ALL -- of a trace without any of these, a day before and after the middle one
  SELECT trace, start_ns - 86399000000000, start_ns + 82800000000000 FROM (
    SELECT trace, start_ns, row_number() OVER (PARTITION BY trace ORDER BY start_ns) AS nth, count(*) OVER (PARTITION BY trace) AS n
    FROM xla_events
    WHERE trace NOT IN (SELECT trace FROM xla_events WHERE plane NOT GLOB '/device:*' OR line IN ('Steps', 'XLA Modules')))
  WHERE nth = (n + 1) / 2
)
SELECT id, trace, name, correlation FROM xla_events JOIN host USING (trace)
WHERE plane GLOB '/device:*'
  AND (end_ns > last_ns + 3600000000000
       OR (start_ns < begin_ns - 1800000000000 OR start_ns < 0 AND end_ns < begin_ns - 1000000000)
       OR start_ns <= 0 AND begin_ns > 1000000000);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'lost_time', count(*),
       'events of a device long before or after all that the host did and all steps: left out; the first is "' || coalesce(min(name), '?')
         || '"'
FROM xla_lost GROUP BY trace;
INSERT INTO xla_timeless SELECT id, trace, correlation FROM xla_lost;
INSERT INTO xla_left_out SELECT id FROM xla_lost;
DROP TABLE xla_lost;
DELETE FROM xla_timeless WHERE coalesce(correlation, 0) <= 0;

DROP TABLE IF EXISTS temp.xla_again;
CREATE TEMP TABLE xla_again AS
SELECT id, trace, name
FROM (SELECT id, trace, name, row_number() OVER (PARTITION BY trace, plane, line, start_ns, end_ns, name, correlation) AS nth
      FROM xla_events WHERE plane GLOB '/device:*' OR step IS NOT NULL)
WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*),
       'events of a device, or steps of the host, that come twice count once; the first is "' || coalesce(min(name), '?') || '"'
FROM xla_again GROUP BY trace;
INSERT INTO xla_left_out SELECT id FROM xla_again;
DROP TABLE xla_again;
