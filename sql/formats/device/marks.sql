-- device/marks.sql - the ranges that a program marks (NVTX, roctx, mstx) without what cannot be of them.
--
-- Reads device_marks (device/step_names.sql), the ranges of one profile, and device_calls(start, "end"): calls of the host, in the same
-- nanoseconds, which it drops. Makes device_host(begin_ns, last_ns), within which the host called.
-- A part of the scripts of profiles, which say what the parameters are.

-- Calls of the host lie within a day of the middle one.
DROP TABLE IF EXISTS temp.device_host;
CREATE TEMP TABLE device_host AS
WITH all_calls AS (SELECT min(start) AS begin_ns, max("end") AS last_ns FROM device_calls),
middle AS (
  SELECT CASE WHEN last_ns - begin_ns > 86400000000000
              THEN (SELECT start FROM device_calls ORDER BY start LIMIT 1 OFFSET ((SELECT count(*) FROM device_calls) - 1) / 2) END AS at
  FROM all_calls
)
SELECT CASE WHEN at IS NULL THEN begin_ns ELSE (SELECT min(start) FROM device_calls WHERE start >= at - 86400000000000) END AS begin_ns,
       CASE WHEN at IS NULL THEN last_ns ELSE (SELECT max("end") FROM device_calls WHERE "end" <= at + 86400000000000) END AS last_ns
FROM all_calls, middle;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT m.trace, 'data_loss', 'lost_time', count(*),
       'calls of the host more than a day from the middle one: what they launched has no operator'
FROM device_calls AS c, device_host AS h, (SELECT trace FROM device_marks LIMIT 1) AS m
WHERE c.start < h.begin_ns OR c."end" > h.last_ns GROUP BY m.trace;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'end_before_start', count(*),
       'ranges that the program marks end before they start: left out; the first is "' || min(name) || '"'
FROM device_marks WHERE coalesce("end" < start, 1) GROUP BY trace;
DELETE FROM device_marks WHERE coalesce("end" < start, 1);
DROP TABLE IF EXISTS temp.device_lost;
CREATE TEMP TABLE device_lost AS
SELECT m.rowid AS id FROM device_host AS h CROSS JOIN device_marks AS m
WHERE m."end" > h.last_ns + 3600000000000 OR m.start < h.begin_ns - 86400000000000 OR m.start < 0;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'lost_time', count(*),
       'ranges that the program marks lie long before or after all that the host did: left out; the first is "' || min(name) || '"'
FROM device_marks WHERE rowid IN (SELECT id FROM device_lost) GROUP BY trace;
DELETE FROM device_marks WHERE rowid IN (SELECT id FROM device_lost);
DROP TABLE device_lost;
DROP TABLE IF EXISTS temp.device_again;
CREATE TEMP TABLE device_again AS
SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY thread, start, "end", name) AS nth FROM device_marks) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*),
       'ranges that the program marks come twice: they count once; the first is "' || min(name) || '"'
FROM device_marks WHERE rowid IN (SELECT id FROM device_again) GROUP BY trace;
DELETE FROM device_marks WHERE rowid IN (SELECT id FROM device_again);
DROP TABLE device_again;
DROP TABLE device_calls;
