-- maxtext.sql - from the log of a MaxText run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ input :log sure ^.*completed step: \d+, seconds: [\d.]+
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
-- find, and training_steps, a row a logged step. The rules are explained in docs/training-logs.md.

-- ---- 1. The input: lines of steps, evaluations, saves and the configuration ----

DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
WITH told AS (
  SELECT _file AS file, _line AS source_line, time, step, fields,
         iif(fields ->> '$.yearless' IS NULL, 0, mpg_required(:year, ':year')) AS year -- its times would be of 1970
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
    | Finished\ save (?: \ \([^)]*\) )? \ in\ [\d.]+\ seconds\ @\ \S*? / (?<finished>\d+) (?: /\w+ )? \.? (?= \s | $ )
    | Finished\ (?: load | restore ) (?: \ \([^)]*\) )? \ in\ (?<load_seconds>[\d.]+)\ seconds\ @\ \S*? / (?<loaded>\d+) (?: /\w+ )? \.? (?= \s | $ )
    | Config\ param\ steps:\ (?<steps>\d+)
    | Num_devices:\ (?<devices>\d+)
    | \bTFRT\ (?<chip>TPU \ ?\w+ (?:\ lite)? ) )',
  'ignore', coalesce(:zone, 'UTC'), coalesce(:year, 1970))
),
timed AS (
  SELECT *, min(step IS NULL OR time IS NOT NULL) OVER (PARTITION BY file) AS timed,
         max(time) OVER (PARTITION BY file ORDER BY source_line) AS latest
  FROM told
)
-- The lines of several hosts are put in the order of their clock.
SELECT file, row_number() OVER (PARTITION BY file ORDER BY iif(timed, coalesce(time, latest), 0), source_line) AS line,
       source_line, time, step, fields, timed
FROM timed;

-- A line of a step without its fields cannot be rated, or not even be timed.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(source_line), count(*),
       'lines of steps without ' || iif(max(fields ->> '$.seconds' IS NULL), '"seconds"', '"TFLOP/s/device"')
         || ': the time of these steps is not told, or they are unrated'
FROM temp.training_lines WHERE step IS NOT NULL AND (fields ->> '$.seconds' IS NULL OR fields ->> '$.tflops' IS NULL)
GROUP BY file;

-- Nothing recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(max(file), :log), 'warning', 'no_steps', NULL, 1, 'no line "completed step:" of MaxText was found'
FROM temp.training_lines HAVING count(step) = 0;

-- With a clock, a step that is told again within ten seconds is that of another host, unless the program said in between how
-- it is set up.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT id, step, time - lag(time) OVER (PARTITION BY file, run, step ORDER BY line) < 10 AS again
        FROM (SELECT *, sum(begins) OVER (PARTITION BY file ORDER BY line) AS run
              FROM (SELECT rowid AS id, file, line, step, time,
                           step IS NULL AND coalesce(lag(step) OVER (PARTITION BY file ORDER BY line) IS NOT NULL, 0) AS begins
                    FROM temp.training_lines
                    WHERE timed AND (step IS NOT NULL OR coalesce(fields ->> '$.steps', fields ->> '$.devices') IS NOT NULL)))
        WHERE step IS NOT NULL)
  WHERE again);

-- Every host prints the step: a line that repeats the one before it at once is of no restart.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT rowid AS id, coalesce(step, fields ->> '$.eval_step') = coalesce(lag(step) OVER w, lag(fields ->> '$.eval_step') OVER w)
               AND (step IS NULL) = (lag(step) OVER w IS NULL) AND coalesce(time - lag(time) OVER w, 0) < 10 AS again
        FROM temp.training_lines WHERE coalesce(step, fields ->> '$.eval_step', fields ->> '$.steps', fields ->> '$.devices', fields ->> '$.chip') IS NOT NULL
        WINDOW w AS (PARTITION BY file ORDER BY line))
  WHERE again);

-- ---- 2. When things happened: by the clock of the lines, or else by adding up what they took ----

-- The log is of devices: of the chips of the catalogue some are of two.
DROP TABLE IF EXISTS temp.training_chips;
CREATE TEMP TABLE training_chips AS
SELECT replace(replace(replace(lower(name.value), ' ', ''), '-', ''), '_', '') AS name, max(c.devices) AS devices,
       max(iif(c.dtype = 'bf16', c.peak_flops, NULL)) AS peak_flops
FROM mpg_chips AS c, json_each(json_insert(c.aliases, '$[#]', c.chip)) AS name GROUP BY 1;
CREATE INDEX temp.training_chips_by_name ON training_chips(name);

-- A run begins where a program says how it is set up, or the step numbers go back. Runs of several files are in the order of
-- their clocks: names seldom sort by their numbers.
DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
WITH told AS (
  SELECT file, line, time, step, fields, coalesce(fields ->> '$.seconds', fields ->> '$.eval_seconds', 0) AS seconds, timed,
         step IS NOT NULL AS is_step, coalesce(fields ->> '$.steps', fields ->> '$.devices', fields ->> '$.chip') IS NOT NULL AS is_marker
  FROM training_lines
),
begun AS (
  SELECT *, CASE WHEN is_marker THEN coalesce(lag(is_step) OVER k, 1)
                 WHEN is_step THEN coalesce(lag(is_step) OVER k AND step <= lag(step) OVER k, 1) ELSE 0 END AS begins
  FROM told WINDOW k AS (PARTITION BY file, is_marker OR is_step ORDER BY line)
),
clocked AS (
  SELECT *, max(1, sum(begins) OVER w) AS run, iif(timed, min(time) OVER (PARTITION BY file), NULL) AS clock,
         CASE WHEN timed THEN time ELSE iif(typeof(:start) = 'text', unixepoch(:start), coalesce(:start, 0)) + sum(iif(timed, 0, seconds)) OVER j END AS end_time
  FROM begun WINDOW w AS (PARTITION BY file ORDER BY line), j AS (PARTITION BY coalesce(:job, file) ORDER BY file, line)
),
configured AS (
  SELECT *, coalesce(max(fields ->> '$.devices') OVER (PARTITION BY file, run), max(fields ->> '$.devices') OVER f) AS devices, max(fields ->> '$.chip') OVER f AS chip, max(fields ->> '$.steps') OVER f AS steps
  FROM clocked WINDOW f AS (PARTITION BY file)
)
SELECT coalesce(:job, file) AS job, dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt, g.*,
       coalesce(c.devices, 1) AS devices_per_chip, c.peak_flops, coalesce(:chips, g.devices / coalesce(c.devices, 1.0), 1) AS chips
FROM configured AS g LEFT JOIN training_chips AS c ON c.name = replace(replace(replace(lower(coalesce(:chip, g.chip)), ' ', ''), '-', ''), '_', '');
DROP TABLE temp.training_chips;

DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
WITH step AS (
  SELECT *, lag(end_time) OVER (PARTITION BY job, attempt ORDER BY line) AS before
  FROM training_events WHERE step IS NOT NULL AND end_time IS NOT NULL
),
-- JAX dispatches ahead: a step that took longer than its lines are apart tells that `seconds` are between dispatches. Spans
-- of such a run are from line to line.
dispatched AS (
  SELECT *, max(timed AND seconds > 1.25 * (end_time - before) + 0.1) OVER (PARTITION BY job, attempt) AS ahead FROM step
),
spanned AS (
  SELECT *, iif(ahead, coalesce(before, end_time - seconds), max(end_time - seconds, coalesce(before, end_time - seconds))) AS start_time
  FROM dispatched
)
SELECT job, attempt, step, start_time, end_time, seconds, 1 AS executions, iif(typeof(fields ->> '$.loss') <> 'text', fields ->> '$.loss', NULL) AS loss,
       fields ->> '$.tokens' * devices_per_chip AS tokens_per_s_per_chip, fields ->> '$.tflops' * devices_per_chip AS tflops_per_chip,
       fields ->> '$.tflops' * devices_per_chip * 1e12 / peak_flops AS mfu,
       fields ->> '$.tflops' * devices_per_chip * 1e12 * seconds * chips AS flops, line, ahead
FROM spanned;

-- Most versions do not say how long evaluations took: with times it is what is left of the gap that they are in.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
WITH counted AS (
  SELECT *, sum(fields ->> '$.eval_step' IS NOT NULL AND fields ->> '$.eval_seconds' IS NULL) OVER (PARTITION BY job, attempt ORDER BY line) AS evals
  FROM training_events
),
gap AS (
  SELECT job, attempt, lag(end_time) OVER w AS start_time, end_time - seconds AS end_time, evals > lag(evals) OVER w AS evaluated
  FROM counted WHERE step IS NOT NULL AND timed WINDOW w AS (PARTITION BY job, attempt ORDER BY line)
)
SELECT job, attempt, 'eval' AS kind, end_time - seconds AS start_time, end_time
FROM training_events WHERE fields ->> '$.eval_seconds' IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT job, attempt, 'eval', start_time, end_time FROM gap WHERE evaluated AND end_time > start_time
UNION ALL
SELECT job, attempt, 'checkpoint', end_time - (fields ->> '$.blocked'), end_time
FROM training_events WHERE fields ->> '$.blocked' IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT job, attempt, 'restore', end_time - (fields ->> '$.load_seconds'), end_time
FROM training_events WHERE fields ->> '$.load_seconds' IS NOT NULL AND end_time IS NOT NULL;

-- A save of a run that dispatches ahead lies before the line of the step: it took what this line and the next are apart from
-- the one before, less what their steps took.
INSERT INTO temp.training_phases
WITH mark AS (
  SELECT job, attempt, line, NULL AS step, end_time, NULL AS start_time, 0.0 AS seconds, 0 AS ahead FROM training_events
  WHERE coalesce(fields ->> '$.saved', fields ->> '$.saving') IS NOT NULL
  UNION ALL
  SELECT job, attempt, line, step, end_time, start_time, seconds, ahead FROM training_steps
),
numbered AS (
  SELECT *, sum(step IS NULL) OVER (PARTITION BY job, attempt ORDER BY line) AS saves,
         max(iif(step IS NULL, end_time, NULL)) OVER (PARTITION BY job, attempt ORDER BY line) AS saved
  FROM mark
),
gap AS (
  SELECT job, attempt, ahead, start_time, saved, saves > lag(saves) OVER w AS is_save,
         coalesce(lead(end_time) OVER w, end_time) - start_time - seconds - coalesce(lead(seconds) OVER w, 0) AS excess
  FROM numbered WHERE step IS NOT NULL WINDOW w AS (PARTITION BY job, attempt ORDER BY line)
)
SELECT job, attempt, 'checkpoint', max(start_time, saved - excess), saved FROM gap
WHERE is_save AND ahead AND excess > 0 AND saved > start_time
  AND (job, attempt) NOT IN (SELECT job, attempt FROM training_events WHERE fields ->> '$.blocked' IS NOT NULL);

-- A save is logged when it is done; an asynchronous one when it begins, and it is done when the next one
-- can begin, unless Orbax says when. A save before the first step is of the step that follows.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
WITH save AS (
  SELECT job, attempt, fields ->> '$.saving' IS NOT NULL AS later, coalesce(fields ->> '$.saved', fields ->> '$.saving') AS step,
         coalesce(end_time, max(end_time) OVER (PARTITION BY file ORDER BY line), min(end_time) OVER (PARTITION BY file)) AS end_time,
         line
  FROM training_events WHERE coalesce(fields ->> '$.saved', fields ->> '$.saving') IS NOT NULL
),
-- Orbax says when one is finished.
finish AS MATERIALIZED (
  SELECT job, attempt, fields ->> '$.finished' AS step, min(end_time) AS end_time
  FROM training_events WHERE fields ->> '$.finished' IS NOT NULL AND end_time IS NOT NULL GROUP BY 1, 2, 3
),
told AS (
  SELECT job, attempt, step, end_time AS snapshot_time,
         iif(later, lead(end_time) OVER (PARTITION BY job, attempt ORDER BY line), end_time) AS durable_time
  FROM save
)
SELECT job, attempt, step, t.snapshot_time, coalesce(f.end_time, t.durable_time) AS durable_time
FROM told AS t LEFT JOIN finish AS f USING (job, attempt, step)
UNION ALL
SELECT job, attempt, step, end_time, end_time FROM finish
WHERE (job, attempt, step) NOT IN (SELECT job, attempt, step FROM save);
DELETE FROM temp.training_saves WHERE durable_time IS NULL;

-- (CROSS: the steps are the outer ones, and looked up is the attempt of each.)
DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT s.job, s.attempt, e.chips, e.chip, min(s.start_time) AS start_time, max(e.end_time) AS end_time,
       CASE WHEN max(s.step) = e.steps - 1 THEN 'completed' END AS own_outcome
FROM training_steps AS s
CROSS JOIN (SELECT job, attempt, max(chips) AS chips, max(chip) AS chip, max(steps) AS steps, max(end_time) AS end_time
            FROM training_events GROUP BY job, attempt) AS e USING (job, attempt)
GROUP BY s.job, s.attempt;

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
  SELECT *, row_number() OVER w AS place,
         sum(seconds) OVER later / sum(executions) OVER later AS others
  FROM training_steps
  WINDOW w AS (PARTITION BY job, attempt ORDER BY end_time, step), later AS (w ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
)
SELECT job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM training_steps
UNION ALL
SELECT job, attempt, 'compile', start_time, start_time + seconds - others, NULL, NULL FROM first
WHERE place = 1 AND executions = 1 AND seconds > others
UNION ALL
SELECT job, attempt, kind, start_time, end_time, NULL, NULL FROM training_phases
ORDER BY 1, 2, 4;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time FROM training_saves ORDER BY job, attempt, durable_time;

-- ---- 4. What nobody needs any more ----

ALTER TABLE temp.training_steps DROP COLUMN line;
ALTER TABLE temp.training_steps DROP COLUMN ahead;

DROP TABLE training_runs;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_events;
DROP TABLE training_lines;
