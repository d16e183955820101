-- device/steps.sql - what devices did in each step: device_unions and device_step_time.
--
-- Reads device_activity and device_steps. A part of device_views.sql, which declares the columns.

-- Unions of the classes and of their pairs, from which all else follows. C compute, K communication, M memory.
CREATE TEMP VIEW IF NOT EXISTS device_unions AS
SELECT trace, rank, device, max(chip) AS chip, step, count(*) AS activities, min(start_ns) AS first_ns,
       max(end_ns) AS last_ns, iif(min(process) = max(process), min(process), NULL) AS process,
       interval_union(start_ns, end_ns) AS ckm,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'compute'), 0) AS c,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'communication'), 0) AS k,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class = 'memory'), 0) AS m,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'memory'), 0) AS ck,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'communication'), 0) AS cm,
       coalesce(interval_union(start_ns, end_ns) FILTER (WHERE class <> 'compute'), 0) AS km
FROM device_activity
WHERE class <> 'sync'
GROUP BY trace, rank, device, step;

-- A step is that of the process that drove the device, or of the device if no host marks any; of several processes that
-- nothing tells apart, all of them. One that comes twice is both.
CREATE TEMP VIEW IF NOT EXISTS device_step_time AS
WITH marks AS (
  SELECT trace, step, side, iif(side = 'host', process, device) AS whose, start_ns, end_ns
  FROM device_steps
  WHERE side = 'host' OR trace NOT IN (SELECT trace FROM device_steps WHERE side = 'host')
),
own AS MATERIALIZED (
  SELECT trace, step, side, whose, min(start_ns) AS start_ns, interval_union(start_ns, end_ns) AS ns
  FROM marks WHERE whose IS NOT NULL GROUP BY trace, step, side, whose
),
every AS MATERIALIZED (SELECT trace, step, min(start_ns) AS start_ns, interval_union(start_ns, end_ns) AS ns
                       FROM marks GROUP BY trace, step)
SELECT u.trace, u.rank, u.device, u.step, coalesce(o.ns, e.ns) AS step_ns,
       u.first_ns, u.last_ns, u.ckm AS busy_ns, u.c AS compute_ns, u.k AS communication_ns, u.m AS memory_ns,
       u.ck - u.c AS exposed_communication_ns, u.ckm - u.ck AS exposed_memory_ns, u.c + u.k - u.ck AS overlap_ns,
       u.first_ns - coalesce(o.start_ns, e.start_ns) AS lag_ns, u.activities
FROM device_unions AS u
LEFT JOIN every AS e ON e.trace = u.trace AND e.step = u.step
LEFT JOIN own AS o ON o.trace = u.trace AND o.step = u.step AND o.whose = iif(o.side = 'host', u.process, u.device)
WHERE u.step IS NOT NULL;
