-- device/marks.sql - the ranges that a program marks (NVTX, roctx, mstx): what cannot be of them, which are steps, which are operators.
--
-- Reads device_marks(trace, process, thread, name, start, "end", steps) and whatever columns follow: the ranges of one profile, where
-- `steps` is a GLOB over the names of steps, NULL for the usual ones; and device_calls(start, "end"): calls of the host, in the same
-- nanoseconds. Makes device_ranges_seen, which is device_marks with is_step, the step's number and op, and
-- device_host(begin_ns, last_ns), within which the host called; drops its inputs.
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
SELECT m.trace, 'data_loss', 'lost_time', count(*), 'calls of the host more than a day from the middle one: what they launched has no operator'
FROM device_calls AS c, device_host AS h, (SELECT trace FROM device_marks LIMIT 1) AS m WHERE c.start < h.begin_ns OR c."end" > h.last_ns GROUP BY m.trace;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'end_before_start', count(*), 'ranges that the program marks end before they start: left out; the first is "' || min(name) || '"'
FROM device_marks WHERE coalesce("end" < start, 1) GROUP BY trace;
DELETE FROM device_marks WHERE coalesce("end" < start, 1);
DROP TABLE IF EXISTS temp.device_lost;
CREATE TEMP TABLE device_lost AS
SELECT m.rowid AS id FROM device_host AS h CROSS JOIN device_marks AS m
WHERE m."end" > h.last_ns + 3600000000000 OR m.start < h.begin_ns - 86400000000000 OR m.start < 0;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'data_loss', 'lost_time', count(*), 'ranges that the program marks lie long before or after all that the host did: left out; the first is "' || min(name) || '"'
FROM device_marks WHERE rowid IN (SELECT id FROM device_lost) GROUP BY trace;
DELETE FROM device_marks WHERE rowid IN (SELECT id FROM device_lost);
DROP TABLE device_lost;
DROP TABLE IF EXISTS temp.device_again;
CREATE TEMP TABLE device_again AS
SELECT id FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY thread, start, "end", name) AS nth FROM device_marks) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'warning', 'repeated_record', count(*), 'ranges that the program marks come twice: they count once; the first is "' || min(name) || '"'
FROM device_marks WHERE rowid IN (SELECT id FROM device_again) GROUP BY trace;
DELETE FROM device_marks WHERE rowid IN (SELECT id FROM device_again);
DROP TABLE device_again;

-- A step's number stands after the word; else at the end of the name, before the slash in 7/100.
DROP TABLE IF EXISTS temp.device_ranges_seen;
CREATE TEMP TABLE device_ranges_seen AS
WITH words AS (
  SELECT rowid AS id, lower(rtrim(name, '])} ')) AS word, rtrim(rtrim(name, '])} '), '0123456789') AS before,
         ltrim(substr(name, CASE WHEN instr(lower(name), 'step') > 0 THEN instr(lower(name), 'step') + 4
                                 WHEN instr(lower(name), 'iteration') > 0 THEN instr(lower(name), 'iteration') + 9
                                 WHEN instr(lower(name), 'iter') > 0 THEN instr(lower(name), 'iter') + 4 ELSE length(name) + 1 END), ' #_:=[(-.') AS after
  FROM device_marks
),
numbers AS (
  SELECT id, word, coalesce(nullif(substr(after, 1, length(after) - length(ltrim(after, '0123456789'))), ''),
                            nullif(iif(before GLOB '*[0-9]/', substr(rtrim(before, '/'), length(rtrim(rtrim(before, '/'), '0123456789')) + 1), substr(word, length(before) + 1)), '')) AS number
  FROM words
)
SELECT m.*, n.number,
       CASE WHEN steps IS NOT NULL THEN name GLOB steps
            ELSE word GLOB 'profilerstep#[0-9]*' OR word GLOB 'step[ #_:=]*[0-9]' OR word GLOB 'step[0-9]*' OR word GLOB 'step[ #:=][0-9]*'
              OR word GLOB 'train*step*' OR word GLOB 'iter*[0-9]' END AS is_step,
       -- PyTorch's emit_nvtx writes 'aten::mm, seq = 7, op_id = 12, sizes = [...]'.
       CASE WHEN name GLOB '*, seq = *' OR name GLOB '*, op_id = *' OR name GLOB '*, sizes = *'
            THEN substr(name, 1, instr(name, ', ') - 1) ELSE name END AS op
FROM device_marks AS m JOIN numbers AS n ON n.id = m.rowid;
DROP TABLE device_marks;
DROP TABLE device_calls;

-- Where nobody says which ranges are steps: none that has no number where others have one, and none inside another.
DROP TABLE IF EXISTS temp.device_no_steps;
CREATE TEMP TABLE device_no_steps AS
WITH named AS (SELECT rowid AS id, * FROM device_ranges_seen WHERE is_step AND steps IS NULL),
numbered AS (SELECT * FROM named WHERE number IS NOT NULL OR NOT EXISTS (SELECT 1 FROM named WHERE number IS NOT NULL))
SELECT id FROM named WHERE id NOT IN (SELECT id FROM numbered)
UNION ALL
SELECT id FROM (SELECT id, "end", max("end") OVER (PARTITION BY thread ORDER BY start, "end" DESC, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered FROM numbered)
WHERE "end" <= covered;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'info', 'unused_events', count(*), 'ranges that are called like steps are none: they are inside others, or have no number where others have one. step_names says which are; the first is "' || min(name) || '"'
FROM device_ranges_seen WHERE rowid IN (SELECT id FROM device_no_steps) GROUP BY trace;
UPDATE device_ranges_seen SET is_step = 0 WHERE rowid IN (SELECT id FROM device_no_steps);
DROP TABLE device_no_steps;
