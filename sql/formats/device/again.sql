-- device/again.sql - profiles that are there in two forms: what devices did counts twice.
--
-- Reads device_read(trace), the profiles that were read just now, and drops it. A few of their first kernels are looked for in the
-- others, at their time or, as one of the two may not know its epoch, at that on the trace's own clock.
-- A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT r.trace, 'warning', 'parallel_logs', 1, 'the same activities as ' || min(o.trace) || ': two forms of one profile count twice. Give one of the two'
FROM device_read AS r
CROSS JOIN device_activity AS a ON a.rowid IN (SELECT rowid FROM device_activity WHERE trace = r.trace AND kind = 'kernel' ORDER BY device, start_ns LIMIT 3)
CROSS JOIN device_traces AS t ON t.trace = r.trace
CROSS JOIN device_traces AS o ON o.trace <> r.trace
CROSS JOIN device_activity AS b ON b.trace = o.trace AND b.device = a.device AND b.start_ns IN (a.start_ns, a.start_ns - t.base_ns + o.base_ns)
                                AND b.end_ns - b.start_ns = a.end_ns - a.start_ns AND b.name = a.name
GROUP BY r.trace;
DROP TABLE device_read;
