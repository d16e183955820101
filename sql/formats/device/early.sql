-- device/early.sql - activities that begin before the call that launched them, as where the clocks of host and device differ.
--
-- Reads device_told(trace), profiles that were read just now.
-- A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'conflict', count(*),
       'activities that begin before the call that launched them, by up to ' || printf('%g', round(max(launch_ns - start_ns) / 1e3, 3))
         || ' us, as if the clocks of host and device differed: times from launches to devices are off by as much'
FROM device_told CROSS JOIN device_activity USING (trace) WHERE launch_ns > start_ns GROUP BY trace;
