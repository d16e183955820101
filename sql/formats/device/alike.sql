-- device/alike.sql - profiles that begin with the same kernels: two files of one profile, whose devices count twice.
--
-- Reads device_read(trace), the profiles that were read just now, and drops it. A look at the first kernels of each, for of hosts there may
-- be thousands (device/again.sql looks for those of each profile in each other).
-- A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
WITH begins AS MATERIALIZED (
  SELECT t.trace, (SELECT group_concat(device || ' ' || (start_ns - t.base_ns) || ' ' || (end_ns - start_ns) || ' ' || name)
                   FROM (SELECT device, start_ns, end_ns, name FROM device_activity AS a
                         WHERE a.trace = t.trace AND a.kind = 'kernel' ORDER BY device, start_ns LIMIT 3)) AS kernels
  FROM device_traces AS t
),
alike AS (
  SELECT trace, iif(trace = min(trace) OVER w, max(trace) OVER w, min(trace) OVER w) AS other FROM begins WHERE kernels IS NOT NULL
  WINDOW w AS (PARTITION BY kernels)
)
SELECT trace, 'warning', 'parallel_logs', 1, 'the same activities as ' || other || ': two forms of one profile count twice. Give one of the two'
FROM alike WHERE other <> trace AND trace IN (SELECT trace FROM device_read);
DROP TABLE device_read;
