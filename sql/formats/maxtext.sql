-- maxtext.sql - from the log of a MaxText run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure ^.*completed step: \d+, seconds: [\d.]+
--@ input :log sure ^.*Config param (?:steps|run_name|model_name|base_output_directory): 
--@ input :log likely ^.*Finished (?:blocking save in [\d.]+ seconds\. Continuing|(?:asynchronous save|async_save) \(blocking|(?:save|load)(?: \([^)]*\))? in [\d.]+ seconds @ )
--@ needs :year ^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+
--@ needs :start (?s)\A(?!.*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\n[IWEF]\d{4} \d\d:\d\d:\d\d|\A[IWEF]\d{4} ))
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/training/maxtext.log
--     .read sql/formats/maxtext.sql
--     SELECT step, seconds, tflops_per_chip, mfu FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters (all but :log may be left unset): :log is a path, glob or folder, of a log a run; :chips and
-- :chip say, or correct, how many chips the job holds, and which; :pool names the pool ('training'); :job
-- makes all files runs of one job (else each is a job, named after its file); :outcome says how the last run
-- ended where the log does not ('completed', 'failed', ...);
-- :start is when a log without times began (Unix seconds or ISO 8601; 0), :zone the zone of times that say
-- none ('UTC'), :year the year of times that have none, as absl writes them, which need it. A program that cannot
-- bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged step. The rules are explained in docs/formats/log.md.

-- ---- 1. The input: lines of steps, evaluations, saves and the configuration ----

-- The members of `fields` become columns here, once; what follows goes by rowid where it can: logs have millions of lines.
DROP TABLE IF EXISTS temp.training_read;
CREATE TEMP TABLE training_read AS
SELECT _file AS file, _line AS source_line, time, step, json_extract(fields, '$.seconds') AS step_seconds, json_extract(fields, '$.tflops') AS tflops,
       json_extract(fields, '$.tokens') AS tokens, json_extract(fields, '$.loss') AS loss, json_extract(other, '$.eval_step') AS eval_step,
       json_extract(other, '$.eval_seconds') AS eval_seconds, json_extract(other, '$.saved') AS saved, json_extract(other, '$.saving') AS saving,
       json_extract(other, '$.blocked') AS blocked, json_extract(other, '$.finished') AS finished, json_extract(other, '$.load_seconds') AS load_seconds, json_extract(other, '$.loaded') AS loaded,
       json_extract(other, '$.steps') AS all_steps, json_extract(other, '$.devices') AS all_devices, json_extract(other, '$.chip') AS chip_name,
       iif(json_extract(fields, '$.yearless') IS NULL, 0, mpg_required(:year, ':year')) AS year -- its times would be of 1970
FROM (SELECT _file, _line, time, step, fields, iif(step IS NULL, fields, NULL) AS other
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
  'ignore', coalesce(:zone, 'UTC'), coalesce(:year, 1970)));

-- What cannot be: a time that is more than ten years from the middle one of its log; its line counts as nothing.
DROP TABLE IF EXISTS temp.training_far;
CREATE TEMP TABLE training_far AS
WITH wide AS MATERIALIZED (SELECT file FROM training_read GROUP BY file HAVING max(time) - min(time) > 315569520),
years AS (SELECT file, CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM training_read WHERE time IS NOT NULL AND file IN (SELECT file FROM wide) GROUP BY 1, 2),
middle AS (
  SELECT file, min(year) AS year FROM (SELECT file, year, sum(n) OVER (PARTITION BY file ORDER BY year) AS so_far, sum(n) OVER (PARTITION BY file) AS n FROM years)
  WHERE 2 * so_far >= n GROUP BY file
)
SELECT l.rowid AS row, l.file, l.source_line AS line FROM middle AS m CROSS JOIN training_read AS l ON l.file = m.file WHERE abs(l.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'lines whose time is more than ten years from the middle one: left out' FROM training_far GROUP BY file;
DELETE FROM temp.training_read WHERE rowid IN (SELECT row FROM training_far);
DROP TABLE training_far;

-- The lines of several hosts are put in the order of their clock.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
WITH source AS MATERIALIZED (
  SELECT file, min(step IS NULL OR time IS NOT NULL) AS timed, max(time IS NULL) AS partly FROM training_read GROUP BY file
),
late AS MATERIALIZED (
  SELECT id, latest
  FROM (SELECT rowid AS id, time, max(time) OVER (PARTITION BY file ORDER BY source_line) AS latest
        FROM training_read WHERE file IN (SELECT file FROM source WHERE timed AND partly))
  WHERE time IS NULL
)
SELECT r.*, timed
FROM training_read AS r CROSS JOIN source USING (file) LEFT JOIN late ON id = r.rowid
ORDER BY file, iif(timed, coalesce(time, latest), 0), source_line;
DROP TABLE training_read;

-- A line of a step without its fields cannot be rated, or not even be timed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(source_line), count(*),
       'lines of steps without ' || iif(max(step_seconds IS NULL), '"seconds"', '"TFLOP/s/device"')
         || ': the time of these steps is not told, or they are unrated'
FROM temp.training_lines WHERE step IS NOT NULL AND (step_seconds IS NULL OR tflops IS NULL)
GROUP BY file;

-- Nothing recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "completed step:" of MaxText was found'
FROM (SELECT max(file) AS file, count(step) AS steps FROM temp.training_lines) WHERE steps = 0;

-- With a clock, a step that is reported again within ten seconds is that of another host, unless the program said in between how
-- it is set up.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT id, step, time - lag(time) OVER (PARTITION BY run, step, file ORDER BY id) < 10 AS again
        FROM (SELECT *, sum(begins) OVER (ORDER BY id) AS run
              FROM (SELECT rowid AS id, file, step, time,
                           step IS NULL AND coalesce(lag(step) OVER (ORDER BY rowid) IS NOT NULL, 0) AS begins
                    FROM temp.training_lines
                    WHERE timed AND (step IS NOT NULL OR coalesce(all_steps, all_devices) IS NOT NULL)))
        WHERE step IS NOT NULL)
  WHERE again);

-- Every host prints the step: a line that repeats the one before it at once is of no restart.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT rowid AS id, file = lag(file) OVER w AND coalesce(step, eval_step) = coalesce(lag(step) OVER w, lag(eval_step) OVER w)
               AND (step IS NULL) = (lag(step) OVER w IS NULL) AND coalesce(time - lag(time) OVER w, 0) < 10 AS again
        FROM temp.training_lines WHERE coalesce(step, eval_step, all_steps, all_devices, chip_name) IS NOT NULL
        WINDOW w AS (ORDER BY rowid))
  WHERE again);

-- ---- 2. When things happened: by the clock of the lines, or else by adding up what they took ----

-- The log is of devices: of the chips of the catalogue some are of two.
DROP TABLE IF EXISTS temp.training_chips;
CREATE TEMP TABLE training_chips AS
SELECT replace(replace(replace(lower(name.value), ' ', ''), '-', ''), '_', '') AS name, max(c.devices) AS devices,
       max(iif(c.dtype = 'bf16', c.peak_flops, NULL)) AS peak_flops
FROM mpg_chips AS c, json_each(json_insert(c.aliases, '$[#]', c.chip)) AS name GROUP BY 1;
CREATE INDEX temp.training_chips_by_name ON training_chips(name);

-- A run begins where a program says how it is set up, or the step numbers go back. What stands before the first belongs to it.
DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH begin AS MATERIALIZED (
  SELECT file, id, row_number() OVER (PARTITION BY file ORDER BY id) AS run
  FROM (SELECT rowid AS id, file,
               file IS NOT lag(file) OVER w OR (lag(step) OVER w IS NOT NULL AND (step IS NULL OR step <= lag(step) OVER w)) AS begins
        FROM training_lines WHERE coalesce(step, all_steps, all_devices, chip_name) IS NOT NULL WINDOW w AS (ORDER BY rowid))
  WHERE begins
),
source AS MATERIALIZED (
  SELECT file, min(rowid) AS first, max(rowid) AS last, iif(timed, min(time), NULL) AS clock FROM training_lines GROUP BY file
)
SELECT s.file, coalesce(b.run, 1) AS run, s.clock, iif(coalesce(b.run, 1) = 1, s.first, b.id) AS first,
       coalesce(lead(b.id) OVER (PARTITION BY s.file ORDER BY b.run) - 1, s.last) AS last
FROM source AS s LEFT JOIN begin AS b USING (file);

-- A run that begins anew after one that reached its last step is another job: it undoes nothing. Runs of several files are in
-- the order of their clocks: names seldom sort by their numbers.
DROP TABLE IF EXISTS temp.training_attempts;
CREATE TEMP TABLE training_attempts AS
WITH summed AS (
  SELECT r.*, max(all_devices) AS devices, max(chip_name) AS chip, max(all_steps) AS steps, min(step) AS first_step, max(step) AS last_step
  FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
  GROUP BY r.rowid
),
configured AS (
  SELECT file, run, clock, first, last, first_step, last_step, coalesce(devices, max(devices) OVER f) AS devices, max(chip) OVER f AS chip,
         coalesce(steps, max(steps) OVER f) AS steps
  FROM summed WINDOW f AS (PARTITION BY file)
),
anew AS (
  SELECT *, coalesce(first_step <= lag(first_step) OVER w AND lag(last_step) OVER w = lag(steps) OVER w - 1, 0) AS is_anew
  FROM configured WINDOW w AS (PARTITION BY file ORDER BY run)
),
named AS (
  SELECT *, coalesce(:job, iif(sum(is_anew) OVER w = 0, file, file || '#' || (1 + sum(is_anew) OVER w))) AS job
  FROM anew WINDOW w AS (PARTITION BY file ORDER BY run)
)
SELECT job, dense_rank() OVER (PARTITION BY job ORDER BY clock, file, run) AS attempt, coalesce(:job, file) AS log, file, g.first, g.last, steps, chip, is_anew,
       coalesce(c.devices, 1) AS devices_per_chip, c.peak_flops, coalesce(:chips, g.devices / coalesce(c.devices, 1.0), 1) AS chips
FROM named AS g LEFT JOIN training_chips AS c ON c.name = replace(replace(replace(lower(coalesce(:chip, g.chip)), ' ', ''), '-', ''), '_', '')
ORDER BY log, clock, file, run;
DROP TABLE training_chips;
DROP TABLE training_ranges;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH anew AS (
  SELECT a.file, min(l.source_line) AS line, count(*) AS runs
  FROM training_attempts AS a CROSS JOIN training_lines AS l ON l.rowid = a.first WHERE is_anew GROUP BY a.file
)
SELECT file, 'info', 'run_anew', line, runs, 'runs that begin again after a run that reached its last step: each is a job of its own'
FROM anew WHERE :job IS NULL
UNION ALL
SELECT file, 'warning', 'run_anew', line, runs,
       'runs that begin again after a run that reached its last step: all are of one job, and all count'
FROM anew WHERE :job IS NOT NULL;

-- In the order of jobs, attempts and lines; `run` is the rowid of the attempt.
DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
SELECT a.rowid AS run, timed, iif(timed, time, NULL) AS end_time, step, coalesce(step_seconds, eval_seconds, 0) AS seconds, tflops, tokens, loss,
       eval_step, eval_seconds, saved, saving, blocked, finished, load_seconds, loaded
FROM training_attempts AS a CROSS JOIN training_lines AS l ON l.rowid BETWEEN a.first AND a.last;
UPDATE temp.training_events SET end_time = told.end_time
FROM (SELECT e.rowid AS id, iif(typeof(:start) = 'text', CAST(strftime('%s', :start) AS INTEGER), coalesce(:start, 0)) + sum(seconds) OVER (PARTITION BY log ORDER BY e.rowid) AS end_time
      FROM training_events AS e JOIN training_attempts AS a ON a.rowid = run WHERE NOT timed) AS told
WHERE id = training_events.rowid;

-- JAX dispatches ahead: a step that took longer than its lines are apart says that `seconds` are between dispatches. Spans
-- of such a run are from line to line.
DROP TABLE IF EXISTS temp.training_spanned;
CREATE TEMP TABLE training_spanned AS
WITH step AS MATERIALIZED (
  SELECT rowid AS line, run, step, timed, end_time, seconds, tflops, tokens, loss,
         iif(lag(run) OVER w = run, lag(end_time) OVER w, NULL) AS before
  FROM training_events WHERE step IS NOT NULL AND end_time IS NOT NULL WINDOW w AS (ORDER BY rowid)
),
dispatched AS (
  SELECT *, run IN (SELECT run FROM step WHERE timed AND seconds > 1.25 * (end_time - before) + 0.1) AS ahead FROM step
)
SELECT line, run, step, iif(ahead, coalesce(before, end_time - seconds), max(end_time - seconds, coalesce(before, end_time - seconds))) AS start_time,
       end_time, seconds, tflops, tokens, loss, ahead
FROM dispatched;

DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT job, attempt, step, start_time, end_time, seconds, 1 AS executions, iif(typeof(loss) <> 'text', loss, NULL) AS loss,
       tokens * devices_per_chip AS tokens_per_s_per_chip, tflops * devices_per_chip AS tflops_per_chip,
       tflops * devices_per_chip * 1e12 / peak_flops AS mfu, tflops * devices_per_chip * 1e12 * seconds * chips AS flops
FROM training_spanned AS s CROSS JOIN training_attempts AS a ON a.rowid = run;

-- Steps in no line: a line is further from the one before it than lines mostly are.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH gap AS (
  SELECT b.job, b.step, b.step - a.step AS gap FROM training_steps AS a JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND b.job = a.job AND b.attempt = a.attempt
),
usual AS MATERIALIZED (SELECT job, gap AS usual, max(n) FROM (SELECT job, gap, count(*) AS n FROM gap GROUP BY 1, 2) GROUP BY job)
SELECT job, 'warning', 'missing_steps', NULL, count(*), 'lines of steps that come more steps after the one before than most, first step ' || min(step) || ': lines are missing'
FROM gap JOIN usual USING (job) WHERE gap > usual GROUP BY job;

-- Most versions do not say how long evaluations took: with times it is what is left of the gap that they are in.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
WITH counted AS (
  SELECT rowid AS line, run, step, timed, end_time, seconds, sum(eval_step IS NOT NULL AND eval_seconds IS NULL) OVER (ORDER BY rowid) AS evals
  FROM training_events
  WHERE run IN (SELECT run FROM training_events WHERE eval_step IS NOT NULL AND eval_seconds IS NULL)
),
gap AS (
  SELECT run, lag(end_time) OVER w AS start_time, end_time - seconds AS end_time, evals > lag(evals) OVER w AS evaluated
  FROM counted WHERE step IS NOT NULL AND timed WINDOW w AS (PARTITION BY run ORDER BY line)
)
SELECT run, 'eval' AS kind, end_time - seconds AS start_time, end_time, NULL AS step
FROM training_events WHERE eval_seconds IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT run, 'eval', start_time, end_time, NULL FROM gap WHERE evaluated AND end_time > start_time
UNION ALL
SELECT run, 'checkpoint', end_time - blocked, end_time, NULL FROM training_events WHERE blocked IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT run, 'restore', end_time - load_seconds, end_time, loaded FROM training_events WHERE load_seconds IS NOT NULL AND end_time IS NOT NULL;

-- A save of a run that dispatches ahead lies before the line of the step: it took what this line and the next are apart from
-- the one before, less what their steps took.
INSERT INTO temp.training_phases
WITH saver AS MATERIALIZED (
  SELECT DISTINCT run FROM training_events WHERE coalesce(saved, saving) IS NOT NULL
  INTERSECT SELECT DISTINCT run FROM training_spanned WHERE ahead
  EXCEPT SELECT run FROM training_events WHERE blocked IS NOT NULL
),
mark AS (
  SELECT run, rowid AS line, NULL AS step, end_time, NULL AS start_time, 0.0 AS seconds FROM training_events
  WHERE coalesce(saved, saving) IS NOT NULL AND run IN (SELECT run FROM saver)
  UNION ALL
  SELECT run, line, step, end_time, start_time, seconds FROM training_spanned WHERE run IN (SELECT run FROM saver)
),
numbered AS (
  SELECT *, sum(step IS NULL) OVER w AS saves, max(iif(step IS NULL, end_time, NULL)) OVER w AS saved
  FROM mark WINDOW w AS (PARTITION BY run ORDER BY line)
),
gap AS (
  SELECT run, start_time, saved, saves > lag(saves) OVER w AS is_save,
         coalesce(lead(end_time) OVER w, end_time) - start_time - seconds - coalesce(lead(seconds) OVER w, 0) AS excess
  FROM numbered WHERE step IS NOT NULL WINDOW w AS (PARTITION BY run ORDER BY line)
)
SELECT run, 'checkpoint', max(start_time, saved - excess), saved, NULL FROM gap WHERE is_save AND excess > 0 AND saved > start_time;

-- A save is logged when it is done; an asynchronous one when it begins, and it is done when the next one
-- can begin, unless Orbax says when. A save before the first step is of the step that follows.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
WITH save AS (
  SELECT run, saving IS NOT NULL AS later, coalesce(saved, saving) AS step,
         coalesce(end_time, max(end_time) OVER (PARTITION BY file ORDER BY e.rowid), min(end_time) OVER (PARTITION BY file)) AS end_time,
         e.rowid AS line
  FROM training_events AS e CROSS JOIN training_attempts AS a ON a.rowid = run WHERE coalesce(saved, saving) IS NOT NULL
),
-- Orbax says when one is finished.
finish AS MATERIALIZED (
  SELECT run, finished AS step, min(end_time) AS end_time
  FROM training_events WHERE finished IS NOT NULL AND end_time IS NOT NULL GROUP BY 1, 2
),
-- Every host says it of a save: the first line counts, and the next save is one of another step.
once AS (
  SELECT run, step, min(end_time) AS began, min(iif(later, NULL, end_time)) AS saved, min(line) AS line FROM save GROUP BY run, step
),
told AS (
  SELECT run, step, began AS snapshot_time, coalesce(saved, lead(began) OVER (PARTITION BY run ORDER BY line)) AS durable_time FROM once
)
SELECT run, step, t.snapshot_time, coalesce(f.end_time, t.durable_time) AS durable_time
FROM told AS t LEFT JOIN finish AS f USING (run, step)
UNION ALL
SELECT run, step, end_time, end_time FROM finish WHERE (run, step) NOT IN (SELECT run, step FROM save);
DELETE FROM temp.training_saves WHERE durable_time IS NULL;

DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT job, attempt, chips, chip, s.start_time, e.end_time, CASE WHEN s.last_step = steps - 1 THEN 'completed' END AS own_outcome,
       s.first, s.last, run
FROM (SELECT run, min(start_time) AS start_time, max(step) AS last_step, min(rowid) AS first, max(rowid) AS last FROM training_spanned GROUP BY run) AS s
CROSS JOIN (SELECT run, max(end_time) AS end_time FROM training_events GROUP BY run) AS e USING (run)
CROSS JOIN training_attempts AS a ON a.rowid = run
UNION ALL
-- One that loaded a checkpoint and came to no step.
SELECT job, attempt, chips, chip, min(start_time), max(end_time), NULL, NULL, NULL, run
FROM training_phases CROSS JOIN training_attempts AS a ON a.rowid = run
WHERE kind = 'restore' AND run NOT IN (SELECT run FROM training_spanned) GROUP BY run;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, substr(job, 1 + length(rtrim(job, replace(job, '/', '')))) AS name, 'training' AS phase, 'jax' AS framework,
       max(chips) AS chips, nullif(min(chips), max(chips)) AS min_chips -- a run on fewer was whole on those
FROM training_runs GROUP BY job;

-- A run that another one of its job follows broke off. The last one is over where the log, or :outcome, says so.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'training') AS pool, chips, start_time, iif(outcome IS NULL, NULL, end_time) AS end_time, outcome
FROM (SELECT *, CASE WHEN attempt < max(attempt) OVER (PARTITION BY job) THEN coalesce(own_outcome, 'failed')
                     ELSE coalesce(:outcome, own_outcome) END AS outcome
      FROM training_runs);

-- What is held: a trainer's log knows of nothing else.
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT coalesce(:pool, 'training') AS pool, coalesce(:chip, chip) AS chip, chips, start_time, end_time FROM training_runs;

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
WITH first AS (
  SELECT r.job, r.attempt, f.start_time, f.seconds - avg(o.seconds) AS excess
  FROM training_runs AS r CROSS JOIN training_spanned AS f ON f.rowid = r.first
  CROSS JOIN training_spanned AS o ON o.rowid BETWEEN r.first + 1 AND r.last
  GROUP BY r.run
)
SELECT job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM training_steps
UNION ALL
SELECT job, attempt, 'compile', start_time, start_time + excess, NULL, NULL FROM first WHERE excess > 0
UNION ALL
SELECT job, attempt, kind, start_time, end_time, step, NULL FROM training_phases JOIN training_attempts AS a ON a.rowid = run;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time FROM training_saves JOIN training_attempts AS a ON a.rowid = run
ORDER BY job, attempt, durable_time;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_runs;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_spanned;
DROP TABLE training_events;
DROP TABLE training_attempts;
DROP TABLE training_lines;
