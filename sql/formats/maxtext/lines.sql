-- maxtext/lines.sql - the input: lines of steps, evaluations, saves and the configuration.
--
-- Reads log_trace. Makes training_lines, one row for each such line, and training_files, what each file as a whole tells.
-- A part of maxtext.sql, which says what the parameters are and runs the parts in order.

-- ---- 1. The input: lines of steps, evaluations, saves and the configuration ----

-- What follows goes by rowid where it can: logs have millions of lines.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS source_line, time, step, log_group(_record, 'seconds') AS step_seconds, log_group(_record, 'tflops') AS tflops,
       log_group(_record, 'tokens') AS tokens, log_group(_record, 'loss') AS loss,
       iif(step IS NULL, log_group(_record, 'eval_step'), NULL) AS eval_step, iif(step IS NULL, log_group(_record, 'eval_seconds'), NULL) AS eval_seconds,
       iif(step IS NULL, log_group(_record, 'saved'), NULL) AS saved, iif(step IS NULL, log_group(_record, 'saving'), NULL) AS saving,
       iif(step IS NULL, log_group(_record, 'blocked'), NULL) AS blocked, iif(step IS NULL, log_group(_record, 'finished'), NULL) AS finished,
       iif(step IS NULL, log_group(_record, 'load_seconds'), NULL) AS load_seconds, iif(step IS NULL, log_group(_record, 'loaded'), NULL) AS loaded,
       iif(step IS NULL, log_group(_record, 'steps'), NULL) AS all_steps, iif(step IS NULL, log_group(_record, 'devices'), NULL) AS all_devices,
       iif(step IS NULL, log_group(_record, 'chip'), NULL) AS chip_name,
       iif(log_group(_record, 'yearless') IS NULL, 0, mpg_required(:year, ':year')) AS year -- its times would be of 1970
FROM log_trace(mpg_required(:log, ':log'), '(?x)
  (?: (?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )?
             | (?<= [IWEF]) (?<yearless>) \d{4}\ \d\d:\d\d:\d\d\.\d+ ) .{0,300}? )?
  (?: \b completed\ step:\ (?<step>\d+)
      (?: (?= .* ,\ seconds:\ (?<seconds>[\d.]+) ) )? (?: (?= .* ,\ TFLOP/s/device:\ (?<tflops>[\d.]+) ) )?
      (?: (?= .* ,\ Tokens/s/device:\ (?<tokens>[\d.]+) ) )? (?: (?= .* ,\ total_weights:\ (?<total_weights>[\d.]+) ) )?
      (?: (?= .* ,\ loss:\ (?<loss>[^,\s]+) ) )?
    | [Cc]ompleted\ eval\ step:?\ (?<eval_step>\d+) (?: ,\ seconds:\ (?<eval_seconds>[\d.]+) )?
    | [Ss]aved\ a\ checkpoint\ at\ step\ (?<saved>\d+)
    | Started\ an\ asynchronous\ checkpoint\ save\ for\ step\ (?<saving>\d+)
    | Finished\ blocking\ save\ in\ (?<blocked>[\d.]+)\ seconds
    | Finished\ (?: (?: asynchronous\ )? save | async_save ) (?: \ \([^)]*\) )? (?: \ in\ [\d.]+\ seconds\ (?: @ | to )\ | \.\ Time\ taken:\ [\d.]+s\.\ directory= )
      \S*? / (?: checkpoint_ )? (?<finished>\d+) (?: /\w+ )? \.? (?= \s | $ )
    | Finished\ (?: load | restore | restoring\ checkpoint ) (?: \ \([^)]*\) )? \ in\ (?<load_seconds>[\d.]+)\ seconds\ (?: @ | from )\ \S*? / (?: checkpoint_ )? (?<loaded>\d+)
      (?: /\w+ )? \.? (?= \s | $ )
    | Config\ param\ steps:\ (?<steps>\d+)
    | Num_devices:\ (?<devices>\d+)
    | \bTFRT\ (?<chip>TPU \ ?\w+ (?:\ lite)? ) )',
  'ignore', coalesce(:zone, 'UTC'), coalesce(:year, 1970));

-- What cannot be: a time that is more than ten years from the middle one of its log; its line counts as nothing.
DROP TABLE IF EXISTS temp.training_far;
CREATE TEMP TABLE training_far AS
WITH wide AS MATERIALIZED (SELECT file FROM training_lines WHERE (SELECT max(time) - min(time) FROM training_lines) > 315569520 GROUP BY file HAVING max(time) - min(time) > 315569520),
years AS (SELECT file, CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM training_lines WHERE time IS NOT NULL AND file IN (SELECT file FROM wide) GROUP BY 1, 2),
middle AS (
  SELECT file, min(year) AS year FROM (SELECT file, year, sum(n) OVER (PARTITION BY file ORDER BY year) AS so_far, sum(n) OVER (PARTITION BY file) AS n FROM years)
  WHERE 2 * so_far >= n GROUP BY file
)
SELECT l.rowid AS row, l.file, l.source_line AS line FROM middle AS m CROSS JOIN training_lines AS l ON l.file = m.file WHERE abs(l.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'lines whose time is more than ten years from the middle one: left out' FROM training_far GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT row FROM training_far);
DROP TABLE training_far;

-- The lines of several hosts are put in the order of their clock, where they are not in it.
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
WITH source AS MATERIALIZED (
  SELECT file, min(step IS NULL OR time IS NOT NULL) AS timed, max(time IS NULL) AS partly FROM training_lines
  WHERE (SELECT max(rowid) > count(*) OR max(time IS NULL) AND max(time IS NOT NULL) FROM training_lines)
     OR EXISTS (SELECT 1 FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.time > l.time OR p.file > l.file)
  GROUP BY file
),
late AS MATERIALIZED (
  SELECT id, latest
  FROM (SELECT rowid AS id, time, max(time) OVER (PARTITION BY file ORDER BY source_line) AS latest
        FROM training_lines WHERE file IN (SELECT file FROM source WHERE timed AND partly))
  WHERE time IS NULL
)
SELECT r.*
FROM source CROSS JOIN training_lines AS r USING (file) LEFT JOIN late ON id = r.rowid
ORDER BY r.file, iif(timed, coalesce(time, latest), 0), source_line;
DELETE FROM temp.training_lines WHERE EXISTS (SELECT 1 FROM training_stay);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

-- What each file has, once: whether its lines are timed, and whether a step comes again without that the program said how it is set up.
DROP TABLE IF EXISTS temp.training_survey;
CREATE TEMP TABLE training_survey AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS (SELECT file AS path, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last FROM begun)
SELECT f.path AS file, min(l.step IS NULL OR l.time IS NOT NULL) AS timed, count(l.step) AS steps, sum(l.step IS NOT NULL AND (l.step_seconds IS NULL OR l.tflops IS NULL)) AS unrated,
       min(iif(l.step IS NOT NULL AND (l.step_seconds IS NULL OR l.tflops IS NULL), l.source_line, NULL)) AS unrated_line, max(l.step IS NOT NULL AND l.step_seconds IS NULL) AS untold,
       max(iif(p.step IS NULL, (SELECT l.step <= q.step FROM training_lines AS q
                                WHERE q.rowid < l.rowid AND q.rowid >= f.first AND coalesce(q.step, q.all_steps, q.all_devices) IS NOT NULL ORDER BY q.rowid DESC LIMIT 1),
               l.step <= p.step)) AS repeats, count(l.eval_step) > count(DISTINCT l.eval_step) AS repeats_eval
FROM ranged AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first AND f.last LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
GROUP BY f.first, f.path;

-- A line of a step without its fields cannot be rated, or not even be timed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', unrated_line, unrated,
       'lines of steps without ' || iif(untold, '"seconds"', '"TFLOP/s/device"')
         || ': the time of these steps is not told, or they are unrated'
FROM training_survey WHERE unrated > 0 ORDER BY file;

-- What a step with a loss that is no number did, later ones may keep: nobody went back.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(source_line), count(*), 'steps that were skipped, or whose loss is no number: they count as progress'
FROM training_lines WHERE step IS NOT NULL AND lower(ltrim(loss, '+-')) IN ('nan', 'inf') GROUP BY file;

-- Nothing recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "completed step:" of MaxText was found'
FROM (SELECT max(file) AS file, coalesce(sum(steps), 0) AS steps FROM training_survey) WHERE steps = 0;

-- With a clock, a step that is reported again within ten seconds is that of another host, unless the program said in between how
-- it is set up.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT id, step, time - lag(time) OVER (PARTITION BY run, step, file ORDER BY id) < 10 AS again
        FROM (SELECT *, sum(begins) OVER (ORDER BY id) AS run
              FROM (SELECT rowid AS id, file, step, time,
                           step IS NULL AND coalesce(lag(step) OVER (ORDER BY rowid) IS NOT NULL, 0) AS begins
                    FROM temp.training_lines
                    WHERE file IN (SELECT file FROM training_survey WHERE timed AND repeats) AND (step IS NOT NULL OR coalesce(all_steps, all_devices) IS NOT NULL)))
        WHERE step IS NOT NULL)
  WHERE again);

-- Every host prints the step: a line that repeats the one before it at once is of no restart.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT rowid AS id, file = lag(file) OVER w AND coalesce(step, eval_step) = coalesce(lag(step) OVER w, lag(eval_step) OVER w)
               AND (step IS NULL) = (lag(step) OVER w IS NULL) AND coalesce(time - lag(time) OVER w, 0) < 10 AS again
        FROM temp.training_lines WHERE file IN (SELECT file FROM training_survey WHERE repeats OR repeats_eval) AND coalesce(step, eval_step, all_steps, all_devices, chip_name) IS NOT NULL
        WINDOW w AS (ORDER BY rowid))
  WHERE again);
CREATE TEMP TABLE training_stay AS
SELECT * FROM training_lines WHERE (SELECT max(rowid) FROM training_lines) > (SELECT count(*) FROM training_lines) ORDER BY rowid;
DELETE FROM temp.training_lines WHERE EXISTS (SELECT 1 FROM training_stay);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS (SELECT file AS path, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last FROM begun)
SELECT path AS file, first, last, timed, iif(timed, (SELECT min(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN first AND last), NULL) AS clock
FROM ranged JOIN training_survey ON file = path ORDER BY first;
DROP TABLE training_survey;

-- Lines of no step are few. Of those that lie next to each other: the line above them, which is of a step.
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, above);
INSERT INTO training_marks
SELECT id, min(id) OVER (PARTITION BY id - nth ORDER BY id) - 1 FROM (SELECT rowid AS id, row_number() OVER (ORDER BY rowid) AS nth FROM training_lines WHERE step IS NULL);
