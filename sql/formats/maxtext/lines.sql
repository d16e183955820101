-- maxtext/lines.sql - lines in the order of their clock, each told once, and what each file as a whole tells.
--
-- Reads and changes training_lines. Makes training_files and training_marks.
-- A part of maxtext.sql, which says what the parameters are and runs the parts in order.

-- The lines of several hosts are put in the order of their clock, where they are not in it.
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
WITH source AS MATERIALIZED (
  SELECT file, min(step IS NULL OR time IS NOT NULL) AS timed, max(time IS NULL) AS partly FROM training_lines
  WHERE (SELECT max(rowid) > count(*) OR count(time) BETWEEN 1 AND count(*) - 1 FROM training_lines)
     OR EXISTS (SELECT 1 FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
                WHERE p.time > l.time OR p.file > l.file)
  GROUP BY file
),
late AS MATERIALIZED (
  SELECT id, latest
  FROM (SELECT rowid AS id, time, max(time) OVER (PARTITION BY file ORDER BY line) AS latest
        FROM training_lines WHERE file IN (SELECT file FROM source WHERE timed AND partly))
  WHERE time IS NULL
)
SELECT r.*
FROM source CROSS JOIN training_lines AS r USING (file) LEFT JOIN late ON id = r.rowid
ORDER BY r.file, iif(timed, coalesce(time, latest), 0), line;
DELETE FROM temp.training_lines WHERE rowid >= (SELECT 0 FROM training_stay LIMIT 1);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

-- What each file has, looked at once: whether its lines are timed, and whether a step comes again though the program did not say in
-- between how it is set up.
DROP TABLE IF EXISTS temp.training_survey;
CREATE TEMP TABLE training_survey AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS (SELECT file AS path, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last
           FROM begun)
SELECT path AS file, NOT EXISTS (SELECT 1 FROM training_lines AS l
                                 WHERE l.rowid BETWEEN first AND last AND l.time IS NULL AND l.step IS NOT NULL) AS timed,
       EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL) AS steps,
       (SELECT count(*) FROM training_lines AS l
        WHERE l.rowid BETWEEN first AND last AND (l.step_seconds IS NULL OR l.tflops IS NULL) AND l.step IS NOT NULL) AS unrated,
       NULL AS unrated_line, NULL AS untold,
       coalesce((SELECT 1 FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= first
                 WHERE l.rowid BETWEEN first AND last
                   AND (l.step <= p.step OR p.step IS NULL AND l.step IS NOT NULL AND l.step <= (SELECT q.step FROM training_lines AS q
                   WHERE q.rowid < l.rowid AND q.rowid >= first AND coalesce(q.step, q.all_steps, q.all_devices) IS NOT NULL
                       ORDER BY q.rowid DESC LIMIT 1)) LIMIT 1), 0) AS repeats,
       (SELECT count(eval_step) > count(DISTINCT eval_step)
        FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NULL) AS repeats_eval
FROM ranged;
UPDATE training_survey SET (unrated_line, untold) = (SELECT min(l.line), max(l.step_seconds IS NULL) FROM training_lines AS l
                                                     WHERE l.file = training_survey.file AND (l.step_seconds IS NULL OR l.tflops IS NULL)
                                                       AND l.step IS NOT NULL) WHERE unrated > 0;

-- A line of a step without its fields cannot be rated, or not even be timed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', unrated_line, unrated,
       'lines of steps without ' || iif(untold, '"seconds"', '"TFLOP/s/device"')
         || ': the time of these steps is not told, or they are unrated'
FROM training_survey WHERE unrated > 0 ORDER BY file;

-- After a step whose loss is no number the program went on: later steps may keep what it did.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), count(*), 'steps that were skipped, or whose loss is no number: they count as progress'
-- a number is less than any text
FROM training_lines WHERE loss >= '' AND step IS NOT NULL AND lower(ltrim(loss, '+-')) IN ('nan', 'inf') GROUP BY file;

-- A file in which nothing is recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "completed step:" of MaxText was found'
FROM (SELECT max(file) AS file, coalesce(sum(steps), 0) AS steps FROM training_survey) WHERE steps = 0;

-- With a clock, a step that is reported again within ten seconds is that of another host, unless the program said in between how
-- it is set up.
DROP TABLE IF EXISTS temp.training_again;
CREATE TEMP TABLE training_again AS
SELECT id
FROM (SELECT id, step, time - lag(time) OVER (PARTITION BY run, step, file ORDER BY id) < 10 AS again
      FROM (SELECT *, sum(begins) OVER (ORDER BY id) AS run
            FROM (SELECT l.rowid AS id, file, step, time,
                         step IS NULL AND coalesce(lag(step) OVER (ORDER BY l.rowid) IS NOT NULL, 0) AS begins
                  FROM (SELECT 1 FROM training_survey WHERE timed AND repeats LIMIT 1) CROSS JOIN temp.training_lines AS l
                  WHERE file IN (SELECT file FROM training_survey WHERE timed AND repeats)
                    AND (step IS NOT NULL OR coalesce(all_steps, all_devices) IS NOT NULL)))
      WHERE step IS NOT NULL)
WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_lines', min(line), count(*), 'lines that repeat one above at once: left out, as those of other hosts'
FROM training_lines WHERE rowid IN (SELECT id FROM training_again) GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_again);
DROP TABLE training_again;

-- Every host prints the step: a line that repeats the one before it at once is of no restart.
DROP TABLE IF EXISTS temp.training_again;
CREATE TEMP TABLE training_again AS
SELECT id
FROM (SELECT l.rowid AS id, file = lag(file) OVER w AND coalesce(step, eval_step) = coalesce(lag(step) OVER w, lag(eval_step) OVER w)
             AND (step IS NULL) = (lag(step) OVER w IS NULL) AND coalesce(time - lag(time) OVER w, 0) < 10 AS again
      FROM (SELECT 1 FROM training_survey WHERE repeats OR repeats_eval LIMIT 1) CROSS JOIN temp.training_lines AS l
      WHERE file IN (SELECT file FROM training_survey WHERE repeats OR repeats_eval)
        AND coalesce(step, eval_step, all_steps, all_devices, chip_name) IS NOT NULL
      WINDOW w AS (ORDER BY l.rowid))
WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_lines', min(line), count(*), 'lines that repeat one above at once: left out, as those of other hosts'
FROM training_lines WHERE rowid IN (SELECT id FROM training_again) GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_again);
DROP TABLE training_again;
CREATE TEMP TABLE training_stay AS
SELECT l.* FROM (SELECT 1 WHERE (SELECT max(rowid) FROM training_lines) > (SELECT count(*) FROM training_lines))
CROSS JOIN training_lines AS l ORDER BY l.rowid;
DELETE FROM temp.training_lines WHERE rowid >= (SELECT 0 FROM training_stay LIMIT 1);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS (SELECT file AS path, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last
           FROM begun)
SELECT path AS file, first, last, timed,
       coalesce((SELECT b.time FROM training_begun AS b WHERE b.file = path),
                (SELECT min(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN first AND last)) AS clock
FROM ranged JOIN training_survey ON file = path ORDER BY first;
DROP TABLE training_survey;

-- Lines of no step are few. Of those that lie next to each other: the line above them, which is of a step.
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, above);
INSERT INTO training_marks
SELECT id, min(id) OVER (PARTITION BY id - nth ORDER BY id) - 1
FROM (SELECT rowid AS id, row_number() OVER (ORDER BY rowid) AS nth FROM training_lines WHERE step IS NULL);
