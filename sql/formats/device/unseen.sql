-- device/unseen.sql - calls that launch a kernel or a graph of which the profile has nothing: what devices did is more than it tells.
--
-- Reads device_unseen(trace, thread, start, name), such calls of profiles that have activities, and those that begin and end the capture of
-- a graph, between which a launch runs nothing; drops it.
-- A part of the scripts of profiles, which say what the parameters are.

DROP TABLE IF EXISTS temp.device_captures;
CREATE TEMP TABLE device_captures AS SELECT trace, thread, start, name FROM device_unseen WHERE name GLOB '*Capture*';
CREATE INDEX temp.device_capture ON device_captures(trace, thread, start);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'no_device_event', count(*),
       'calls launch kernels or graphs that the profile lacks: it lost them, or ended before they did. Devices were busy for longer than it tells'
FROM device_unseen AS u
WHERE name NOT GLOB '*Capture*'
  AND coalesce((SELECT c.name FROM device_captures AS c
                WHERE c.trace = u.trace AND c.thread IS u.thread AND c.start <= u.start
                ORDER BY c.start DESC LIMIT 1) NOT GLOB '*Begin*', 1)
GROUP BY trace;
DROP TABLE device_captures;
DROP TABLE device_unseen;
