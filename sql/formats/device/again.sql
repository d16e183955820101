-- device/again.sql - profiles that are there in two forms or copies: what devices did counts twice.
--
-- Reads device_read(trace), the profiles that were read just now, and drops it. A few of their first kernels are looked for in the
-- others, at their time or, as one of the two may not know its epoch, at that on the trace's own clock.
-- A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'parallel_logs', 1,
       'the same activities as ' || min(other) || ': two forms of one profile count twice. Give one of the two'
FROM (
  SELECT r.trace, o.trace AS other
  FROM device_read AS r
  CROSS JOIN device_activity AS a
    ON a.rowid IN (SELECT rowid FROM device_activity WHERE trace = r.trace AND kind = 'kernel' ORDER BY device, start_ns LIMIT 3)
  CROSS JOIN device_traces AS t ON t.trace = r.trace
  CROSS JOIN device_traces AS o ON o.trace <> r.trace AND (o.rank IS t.rank OR o.format <> t.format)
  CROSS JOIN device_activity AS b ON b.trace = o.trace AND b.device = a.device
    AND b.start_ns IN (a.start_ns, a.start_ns - t.base_ns + o.base_ns)
                                  AND b.end_ns - b.start_ns = a.end_ns - a.start_ns AND b.name = a.name
  GROUP BY r.trace, o.trace -- of one format all of them; another may call some otherwise
  HAVING count(DISTINCT a.rowid) = 3 OR max(o.format) <> max(t.format)
    OR count(DISTINCT a.rowid) = (SELECT count(*) FROM device_activity WHERE trace = r.trace AND kind = 'kernel')
)
GROUP BY trace;
DROP TABLE device_read;
