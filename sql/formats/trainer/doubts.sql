-- trainer/doubts.sql - what is to say of the lines and records that were read, before ranks and attempts are told apart.
--
-- Reads trainer_points, trainer_has, trainer_extents, trainer_breaks, trainer_counted, trainer_marks, trainer_untimed and
-- trainer_otherwise.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- Exports that overlap, put one after the other: a step that goes back, at a time that it has already, is the same record again.
-- Few files have a step below that of the row before.
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE gap OR NOT new_file AND (new_run OR goes_back)) OR (SELECT n FROM trainer_counted) <> (SELECT count(*) FROM trainer_points)
DROP TABLE IF EXISTS temp.trainer_copies;
CREATE TEMP TABLE trainer_copies AS
SELECT DISTINCT c.id, c.file, c.line, c.step
FROM (SELECT rowid AS id, file, line, run, step, time, max(step) OVER w AS highest, max(time) OVER w AS latest
      FROM trainer_points WHERE rank IS NULL AND file NOT IN (SELECT file FROM trainer_marks)
      WINDOW w AS (PARTITION BY file, run ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS c
CROSS JOIN trainer_points AS p ON p.file = c.file AND p.step = c.step AND p.time = c.time AND p.run IS c.run AND p.rowid < c.id
WHERE c.step < c.highest AND c.time < c.latest;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), count(*),
       'records that the file has already, first of step ' || min(step) || ', as where exports overlap: they count once'
FROM trainer_copies GROUP BY file;
DELETE FROM trainer_points WHERE rowid IN (SELECT id FROM trainer_copies);
DROP TABLE trainer_copies;
--@ end

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line), count(*),
       'lines of a launch, a save or a restore without a time, or ends of saves without their begin: how long they took is not known'
FROM trainer_marks WHERE kind <> 'open' AND coalesce(iif(kind = 'saved', time, start_time), 0) = 0 GROUP BY file;
DELETE FROM trainer_marks WHERE kind = 'untimed';
DROP TABLE IF EXISTS temp.trainer_far;
CREATE TEMP TABLE trainer_far AS
SELECT m.rowid AS id, file, line
FROM trainer_marks AS m JOIN (SELECT file, avg(time) AS middle FROM trainer_points GROUP BY file) USING (file)
WHERE max(abs(coalesce(start_time, time) - middle), abs(coalesce(time, start_time) - middle)) > 315569520;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*),
       'a launch, a save or a restore whose time is more than ten years from that of the steps: left out' FROM trainer_far GROUP BY file;
DELETE FROM trainer_marks WHERE rowid IN (SELECT id FROM trainer_far);
DROP TABLE trainer_far;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_end', min(line), count(*), 'saves without their end, though steps follow: they protect nothing'
FROM trainer_marks WHERE kind = 'open' GROUP BY file;
DELETE FROM trainer_marks WHERE kind = 'open';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unknown_column', min(line), count(*),
       'values of a rate that is not of a chip, or whose unit is not certain: not read: ' || group_concat(key, ', ')
         || '. The option flops rates steps'
FROM trainer_otherwise AS f, json_each(f.otherwise) AS e
WHERE (e.key LIKE '%flops%' OR e.key LIKE '%mfu%') AND e.type IN ('integer', 'real') GROUP BY file;
DROP TABLE trainer_otherwise;

--@ if EXISTS (SELECT 1 FROM trainer_has WHERE ranks) OR EXISTS (SELECT 1 FROM trainer_extents WHERE lowest < 0) OR EXISTS (SELECT 1 FROM trainer_untimed)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'impossible_value', min(line), count(*), 'steps of a number below 0: they count as given'
FROM (SELECT file, line, step FROM trainer_points UNION ALL SELECT file, NULL, step FROM trainer_untimed) WHERE step < 0 GROUP BY file;
--@ end

-- After a step whose loss is no number the program went on: later steps may keep what it did.
--@ if (SELECT max(texts) FROM trainer_has)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), count(DISTINCT step), 'steps whose loss is no number: they count as progress'
FROM trainer_points WHERE typeof(loss) = 'text' AND loss NOT GLOB '*[0-9]*' GROUP BY file;
UPDATE trainer_points SET loss = iif(loss GLOB '*[0-9]*', loss + 0, NULL) WHERE typeof(loss) = 'text';
--@ end

-- Trackers of one job, beside each other: of values at one time those of the file that lasts longest count, or of one that lasts nearly as
-- long and tells when its program began.
DROP TABLE IF EXISTS temp.trainer_parallel;
CREATE TEMP TABLE trainer_parallel AS
WITH lasting AS (
  SELECT file, first, last, row_number() OVER (
                                               ORDER BY last - first > 0.9 * longest DESC, begun DESC, last - first DESC, n DESC,
                                                 file) AS place
  FROM (SELECT coalesce(part, file) AS file, min(time) AS first, max(time) AS last, count(*) AS n, count(begun) > 0 AS begun,
               max(max(time) - min(time)) OVER () AS longest
        FROM trainer_points WHERE :job IS NOT NULL AND rank IS NULL AND seconds IS NULL AND time > 1e8
          AND file NOT IN (SELECT file FROM trainer_marks) GROUP BY 1)
)
SELECT p.rowid AS id, p.file, p.line, min(b.file) AS other
FROM lasting AS a JOIN lasting AS b ON b.place < a.place AND b.first < a.last AND b.last > a.first
JOIN trainer_points AS p ON coalesce(p.part, p.file) = a.file
  AND (p.time BETWEEN b.first AND b.last OR min(a.last, b.last) - max(a.first, b.first) > 0.9 * (a.last - a.first))
GROUP BY p.rowid;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_files', min(line), count(*),
       'values at the time of those of ' || min(other) || ', which lasts longer: left out' FROM trainer_parallel GROUP BY file;
DELETE FROM trainer_points WHERE rowid IN (SELECT id FROM trainer_parallel);
DROP TABLE trainer_parallel;
