-- device/uncalled.sql - activities whose call the profile lacks, though it has others: they are of no step and no operator.
--
-- Reads device_told(trace), profiles that were read just now, and drops it.
-- A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'missing_field', count(*),
       'activities whose call the profile lacks, as where it began later or lost it: they have no operator, and no step of the host'
FROM device_told CROSS JOIN device_activity USING (trace)
WHERE kind <> 'sync' AND launch_ns IS NULL AND correlation IS NOT NULL
GROUP BY trace HAVING EXISTS (SELECT 1 FROM device_activity AS a WHERE a.trace = device_told.trace AND a.launch_ns IS NOT NULL);
DROP TABLE device_told;
