-- trainer/nemo.sql - when NeMo's steps were over, saves and restores began, by what lines took since the last one with a clock.
--
-- Reads and changes training_lines. Fills trainer_points, trainer_marks and trainer_worlds.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- A progress bar has three digits of a long number.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'missing_field', min(line), count(*),
       'steps whose number is rounded, as ' || min(json_extract(fields, '$.rounded')) || ': left out'
FROM training_lines WHERE json_extract(fields, '$.rounded') IS NOT NULL GROUP BY file;
DELETE FROM training_lines WHERE json_extract(fields, '$.rounded') IS NOT NULL;

-- Two handlers of Python's logging print each line twice: a line says once how long its step took.
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS
SELECT id, file, line, step
FROM (SELECT rowid AS id, file, line, step, step IS lag(step) OVER w AND fields = lag(fields) OVER w
             AND coalesce(json_extract(fields, '$.seconds'), json_extract(fields, '$.took'),
                          json_extract(fields, '$.load')) IS NOT NULL AS again
      FROM training_lines WINDOW w AS (PARTITION BY file ORDER BY rowid))
WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'repeated_record', min(line), count(*), 'lines that repeat the one before: they count once'
FROM trainer_again GROUP BY file;
DELETE FROM training_lines WHERE rowid IN (SELECT id FROM trainer_again);
DROP TABLE trainer_again;
INSERT INTO trainer_worlds SELECT file, line, json_extract(fields, '$.world')
FROM training_lines WHERE json_extract(fields, '$.world') IS NOT NULL;
-- Other lines with a clock, after the last that tells anything.
INSERT INTO training_tail
SELECT l.file, l.other_time
FROM (SELECT max(iif(other_time IS NULL, NULL, rowid)) AS other, max(iif(other_time IS NULL, rowid, NULL)) AS last
      FROM training_lines GROUP BY file) AS f
CROSS JOIN training_lines AS l ON l.rowid = f.other
WHERE other > last;
-- A line stands for the steps since the one before it. The first of a run stands for as many as the next, but for no more than there are up
-- to it.
DROP TABLE IF EXISTS temp.trainer_summed;
CREATE TEMP TABLE trainer_summed AS
WITH spaced AS (
  SELECT *, rowid AS id, step - lag(step) OVER w AS since, lead(step) OVER w - step AS following
  FROM training_lines WINDOW w AS (PARTITION BY file, step IS NULL ORDER BY rowid)
),
counted AS (
  SELECT *, coalesce(CASE WHEN step IS NULL THEN coalesce(json_extract(fields, '$.took'), json_extract(fields, '$.load'))
                          ELSE replace(json_extract(fields, '$.seconds'), ',', '') -- it may be 1,000.5
                            * CASE WHEN since > 0 THEN since
                                   WHEN following > 0 THEN min(following, max(1, step + (step % following = following - 1))) ELSE 1 END
                     END, 0) AS took
  FROM spaced
)
SELECT *, sum(took) OVER w AS so_far, sum(time IS NOT NULL) OVER w AS clocks, sum(other_time IS NOT NULL) OVER w AS others
FROM counted WINDOW w AS (PARTITION BY file ORDER BY id); -- a progress bar is many times one line
-- By how much the sum of what lines took is behind the clock: as much as the last line with a clock said, or more, if later ones say so.
-- Steps before the first such line end there, for a run takes its time before them; but not if that line is a restore, which is of another
-- run.
DROP TABLE IF EXISTS temp.trainer_dated;
CREATE TEMP TABLE trainer_dated AS
WITH offset_of AS MATERIALIZED (
  SELECT file, clocks, min(time - so_far + iif(step IS NULL, took, 0)) AS at, json_extract(fields, '$.load') IS NOT NULL AS loads
  FROM trainer_summed WHERE time IS NOT NULL GROUP BY file, clocks
),
other_of AS MATERIALIZED (SELECT file, clocks, others, max(other_time - so_far) OVER (PARTITION BY file, clocks ORDER BY id) AS at
                          FROM trainer_summed WHERE other_time IS NOT NULL),
first_other AS MATERIALIZED (SELECT file, at, min(others) FROM other_of GROUP BY file)
SELECT s.*, s.so_far - iif(s.step IS NULL, s.took, 0)
            + coalesce(iif(s.time IS NOT NULL, o.at, max(o.at, coalesce(m.at, o.at))), iif(f.loads, m.at, NULL), f.at, m.at, first_other.at,
                       mpg_time(:start, :zone), :start + 0, b.time, 0) AS at
FROM trainer_summed AS s LEFT JOIN offset_of AS o ON o.file = s.file AND o.clocks = s.clocks
LEFT JOIN offset_of AS f ON f.file = s.file AND f.clocks = 1
  LEFT JOIN other_of AS m ON m.file = s.file AND m.clocks = s.clocks AND m.others = s.others
LEFT JOIN first_other ON first_other.file = s.file LEFT JOIN training_begun AS b ON b.file = s.file;
DROP TABLE trainer_summed;
INSERT INTO trainer_points(file, line, job, time, step, seconds, loss, tflops)
SELECT file, line, file, max(at) OVER (PARTITION BY file ORDER BY id), step, took, json_extract(fields, '$.loss'),
       replace(json_extract(fields, '$.tflops'), ',', '') + 0 FROM trainer_dated WHERE step IS NOT NULL ORDER BY file, id;
INSERT INTO trainer_marks(file, line, job, kind, start_time, time, step)
SELECT file, line, file, 'checkpoint', at, at + json_extract(fields, '$.took'), NULL
FROM trainer_dated WHERE json_extract(fields, '$.took') IS NOT NULL
UNION ALL -- as NeMo 1 says it of asynchronous saves, with how many steps are done; those are numbered from 0
SELECT file, line, file, 'saved', NULL, at, coalesce(json_extract(fields, '$.saved'), json_extract(fields, '$.done') - 1)
FROM trainer_dated WHERE coalesce(json_extract(fields, '$.saved'), json_extract(fields, '$.done')) IS NOT NULL
UNION ALL SELECT file, line, file, 'completed', at, at, NULL
FROM trainer_dated WHERE json_extract(fields, '$.reached') IS NOT NULL
UNION ALL SELECT file, line, file, 'restore', at, at + json_extract(fields, '$.load'), NULL
FROM trainer_dated WHERE json_extract(fields, '$.load') IS NOT NULL;
DROP TABLE trainer_dated;
