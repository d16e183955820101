-- device/step_names.sql - which of the ranges that a program marks are steps, by their names, and which are operators.
--
-- Reads device_marks(trace, process, thread, name, start, "end", steps) and whatever columns follow, where a thread's number is
-- that of one trace alone and `steps` is a GLOB over the names of steps, NULL for the usual ones. Makes device_ranges_seen, which is
-- device_marks with is_step, the step's number and op; drops its input.
-- A part of the scripts of profiles, which say what the parameters are.

-- A step's number stands after the word; else at the end of the name, before the slash in 7/100.
DROP TABLE IF EXISTS temp.device_ranges_seen;
CREATE TEMP TABLE device_ranges_seen AS
WITH words AS (
  SELECT rowid AS id, lower(rtrim(name, '])} ')) AS word, rtrim(rtrim(name, '])} '), '0123456789') AS before,
         ltrim(substr(name, CASE WHEN instr(lower(name), 'step') > 0 THEN instr(lower(name), 'step') + 4
                                 WHEN instr(lower(name), 'iteration') > 0 THEN instr(lower(name), 'iteration') + 9
                                 WHEN instr(lower(name), 'iter') > 0 THEN instr(lower(name), 'iter') + 4 ELSE length(name) + 1 END),
               ' #_:=[(-.') AS after
  FROM device_marks
),
numbers AS (
  SELECT id, word, coalesce(nullif(substr(after, 1, length(after) - length(ltrim(after, '0123456789'))), ''),
                            nullif(iif(before GLOB '*[0-9]/',
                                       substr(rtrim(before, '/'), length(rtrim(rtrim(before, '/'), '0123456789')) + 1),
                                       substr(word, length(before) + 1)), '')) AS number
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

-- Where nobody says which ranges are steps: none that has no number where others have one, and none inside another.
DROP TABLE IF EXISTS temp.device_no_steps;
CREATE TEMP TABLE device_no_steps AS
WITH named AS (SELECT rowid AS id, * FROM device_ranges_seen WHERE is_step AND steps IS NULL),
numbered AS (SELECT * FROM named WHERE number IS NOT NULL OR trace NOT IN (SELECT trace FROM named WHERE number IS NOT NULL))
SELECT id FROM named WHERE id NOT IN (SELECT id FROM numbered)
UNION ALL
SELECT id FROM (SELECT id, "end",
                       max("end") OVER (PARTITION BY thread
                                        ORDER BY start, "end" DESC, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
                FROM numbered)
WHERE "end" <= covered;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT trace, 'info', 'unused_events', count(*),
       'ranges that are called like steps are none: they are inside others, or have no number where others have one. step_names says which are; the first is "'
         || min(name) || '"'
FROM device_ranges_seen WHERE rowid IN (SELECT id FROM device_no_steps) GROUP BY trace;
UPDATE device_ranges_seen SET is_step = 0 WHERE rowid IN (SELECT id FROM device_no_steps);
DROP TABLE device_no_steps;
