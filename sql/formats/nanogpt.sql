-- nanogpt.sql - from the logs of nanoGPT and of its speed-run descendants to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure ^iter \d+: loss [\d.]+|^step:\d+/\d+ (?:train_loss|val_loss|train_time)
--@ needs :start (?s)\A(?!.*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\s*$))
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/training/nanogpt.log
--     .read sql/formats/nanogpt.sql
--     SELECT max(step), sum(seconds), max(average_ms) FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters (all but :log may be left unset): :log is a path, glob or folder, of a log a run; :chips and
-- :chip say, or correct, how many chips the job holds, and which; :pool names the pool ('training'); :job
-- makes all files runs of one job (else each is a job, named after its file); :outcome says how the last run
-- ended where the log does not ('completed', 'failed', ...);
-- :flops are those of one step on all chips together, which the log does not know; :start is when it began
-- (Unix seconds or ISO 8601; else the date that nvidia-smi printed, else 0), :zone the zone of that date
-- ('UTC'). A program that cannot bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged step. The rules are explained in docs/formats/log.md.

-- ---- 1. The input: "step:1/6200 train_loss:... train_time:...", or "iter 10: loss ..., time ...ms" ----

DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, fields
FROM log_trace(mpg_required(:log, ':log'), '(?x)
    ^ step: (?<step>\d+) / (?<steps>\d+) (?: \ train_loss: (?<loss>\S+) )? (?: \ val_loss: (?<val_loss>\S+) )? .*? \ train_time: (?<total_ms>\d+) ms
      (?: \ step_avg: (?<average_ms>[\d.]+|nan) ms )?
  | ^ iter\ (?<step>\d+): \ loss\ (?<loss>[^,\s]+), \ time\ (?<ms>[\d.]+) ms (?: , \ mfu\ (?<mfu>-?[\d.]+) % )?
  | ^ step\ (?<evaluated>\d+): \ train\ loss\ [^,\s]+, \ val\ loss\ (?<val_loss>\S+)
  | ^ saving\ checkpoint\ to\ (?<saved>.*)
  | ^ (?<time> (?: Mon|Tue|Wed|Thu|Fri|Sat|Sun )\ \w{3}\ [\ \d]\d\ \d\d:\d\d:\d\d\ \d{4} ) \s* $
  | ^ \| \s+ (?<gpu>\d+) \s+ (?<chip>\S.*?) \s{2,} (?: On|Off ) \s+ \|',
  'ignore', coalesce(:zone, 'UTC'));

-- Nothing recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "step:N/N" or "iter N:" of nanoGPT was found'
FROM (SELECT max(file) AS file, count(step) AS steps FROM temp.training_lines) WHERE steps = 0;

-- Several hosts that print into one log: within a run a line of a step that was told before, a few lines after it, is another
-- host's. A run ends where a program says what it runs on, where numbers go back by more than a few, and where the time of a step
-- is not that of the line before of its number.
DROP TABLE IF EXISTS temp.training_hosts;
CREATE TEMP TABLE training_hosts AS
WITH numbered AS (
  SELECT rowid AS id, file, line, step, json_extract(fields, '$.loss') IS NULL AS is_evaluation, step IS NULL AS is_marker,
         dense_rank() OVER (PARTITION BY file ORDER BY step) AS place, json_extract(fields, '$.total_ms') AS total_ms, json_extract(fields, '$.ms') AS ms
  FROM training_lines
  WHERE (step IS NOT NULL OR json_extract(fields, '$.gpu') IS NOT NULL OR time IS NOT NULL)
    AND file IN (SELECT file FROM (SELECT file, step, lag(step) OVER (PARTITION BY file ORDER BY rowid) AS before FROM training_lines WHERE step IS NOT NULL) WHERE step < before)
),
marked AS (
  SELECT *, is_marker OR coalesce(lag(place) OVER (PARTITION BY file ORDER BY id) - place > 5, 0)
            OR coalesce(abs(total_ms - lag(total_ms) OVER told) > 1000 + 0.1 * lag(total_ms) OVER told, 0) OR coalesce(ms > 100 + 2 * lag(ms) OVER told, 0) AS begins
  FROM numbered WINDOW told AS (PARTITION BY file, step, is_evaluation ORDER BY id)
),
parts AS (
  SELECT *, sum(begins) OVER (PARTITION BY file ORDER BY id) AS part FROM marked
)
SELECT id, file, line FROM (SELECT *, row_number() OVER (PARTITION BY file, part, step, is_evaluation ORDER BY id) AS nth FROM parts WHERE NOT is_marker) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_lines', min(line), count(*), 'lines of steps that were told a few lines before: left out as those of other hosts' FROM training_hosts GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_hosts);
DROP TABLE training_hosts;

-- A step whose number goes back, or that took less time than the one before it had, began anew; where the log does not say that a
-- program started, its lines may be out of order, or those of several hosts.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'repeated_steps', min(line), count(*), 'steps whose number goes back, first ' || min(step) || ': what was done since counts as lost'
FROM (SELECT file, line, step, step < lag(step) OVER (PARTITION BY file ORDER BY line) AS back FROM temp.training_lines WHERE step IS NOT NULL)
WHERE back GROUP BY file;

-- ---- 2. When things happened: by adding up what they took ----

-- A run begins where a program says what it runs on, or step numbers go back. train_time is what all its
-- steps so far took; where it goes back, its clock was started anew. A line of
-- nanoGPT mentions its last iteration: the ones since the line before it are taken to be like it. Runs of several files
-- are in the order of their dates: names seldom sort by their numbers.
-- (A file's lines lie one after the other, and so do a run's: what follows goes by rowid, and its windows are over few columns.)
DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
SELECT file, min(rowid) AS first, max(rowid) AS last, :start IS NULL AND max(time IS NOT NULL) AS dated, iif(:start IS NULL, min(time), NULL) AS clock,
       max(CASE WHEN step IS NULL THEN json_extract(fields, '$.gpu') END) AS gpu, max(CASE WHEN step IS NULL THEN json_extract(fields, '$.chip') END) AS chip
FROM training_lines GROUP BY file;

DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH marked AS (
  SELECT f.rowid AS of_file, l.rowid AS id, step, step IS NULL AS is_marker
  FROM training_files AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first AND f.last
  WHERE step IS NOT NULL OR json_extract(fields, '$.gpu') IS NOT NULL
),
begun AS (
  SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run
  FROM (SELECT of_file, id,
               iif(is_marker, coalesce(lag(NOT is_marker) OVER k, 1), coalesce(lag(NOT is_marker) OVER k AND step < lag(step) OVER k, 1)) AS begins
        FROM marked WINDOW k AS (PARTITION BY of_file ORDER BY id))
  WHERE begins
),
ranged AS (
  SELECT f.rowid AS of_file, file, dated, clock, gpu, chip, coalesce(run, 1) AS run, iif(coalesce(run, 1) = 1, f.first, id) AS first,
         coalesce(lead(id) OVER (PARTITION BY f.rowid ORDER BY run) - 1, f.last) AS last
  FROM training_files AS f LEFT JOIN begun AS b ON b.of_file = f.rowid
),
told AS (
  SELECT r.*, max(CASE WHEN step IS NULL THEN json_extract(fields, '$.gpu') END) AS own_gpu
  FROM ranged AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
  GROUP BY r.of_file, r.run
)
SELECT coalesce(:job, file) AS job, dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt,
       of_file, first, last, dated, clock, coalesce(:chips, own_gpu + 1, gpu + 1, 1) AS chips, chip
FROM told ORDER BY of_file, run;

DROP TABLE IF EXISTS temp.training_counted;
CREATE TEMP TABLE training_counted(id INTEGER PRIMARY KEY, since, seconds);
INSERT INTO training_counted
SELECT id, since, CASE WHEN more IS NOT NULL THEN iif(more < 0, total_ms, more) / 1000.0 ELSE coalesce(since, 1) * ms / 1000.0 END
FROM (SELECT id, ms, total_ms, total_ms - coalesce(lag(total_ms) OVER (PARTITION BY of_file ORDER BY id), 0) AS more,
             step - lag(step) OVER (PARTITION BY range ORDER BY id) AS since
      FROM (SELECT r.rowid AS range, of_file, l.rowid AS id, step, json_extract(fields, '$.total_ms') AS total_ms, json_extract(fields, '$.ms') AS ms
            FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
            WHERE step IS NOT NULL));

DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
WITH summed AS (
  SELECT r.rowid AS range, l.rowid AS id, since, seconds,
         iif(dated, clock + coalesce(sum(seconds) OVER (PARTITION BY of_file ORDER BY l.rowid), 0),
             iif(typeof(:start) = 'text', CAST(strftime('%s', :start) AS INTEGER), coalesce(:start, 0))
               + coalesce(sum(iif(dated, 0, seconds)) OVER (PARTITION BY iif(:job IS NULL, of_file, 0) ORDER BY of_file, l.rowid), 0)) AS end_time
  FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last LEFT JOIN training_counted AS c ON c.id = l.rowid
)
SELECT r.job, r.attempt, l.*, s.since, s.seconds, s.end_time, r.chips, r.chip
FROM summed AS s CROSS JOIN training_ranges AS r ON r.rowid = range CROSS JOIN training_lines AS l ON l.rowid = s.id;

-- Both lines of a step, of training and of validation, carry the time: the later one has all of it.
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
WITH step AS (
  SELECT job, attempt, step, chips, chip, max(end_time) AS end_time, sum(seconds) AS seconds, max(since) AS since,
         max(iif(typeof(json_extract(fields, '$.loss')) <> 'text', json_extract(fields, '$.loss'), NULL)) AS loss,
         max(iif(typeof(json_extract(fields, '$.val_loss')) <> 'text', json_extract(fields, '$.val_loss'), NULL)) AS val_loss,
         max(json_extract(fields, '$.loss') IS NOT NULL) AS trained,
         max(iif(json_extract(fields, '$.average_ms') = 'nan', NULL, json_extract(fields, '$.average_ms'))) AS average_ms,
         max(iif(json_extract(fields, '$.mfu') > 0, json_extract(fields, '$.mfu'), NULL)) / 100.0 AS mfu_reported
  FROM training_events WHERE step IS NOT NULL GROUP BY job, attempt, step
),
-- Looked up once a chip, and not once a step.
peak AS MATERIALIZED (
  SELECT name, (SELECT c.peak_flops FROM mpg_chips AS c
                WHERE c.dtype = 'bf16' AND (lower(c.chip) = lower(name)
                  OR EXISTS (SELECT 1 FROM json_each(c.aliases) AS a WHERE lower(a.value) = lower(name)))) AS peak_flops
  FROM (SELECT DISTINCT coalesce(:chip, chip) AS name FROM training_events)
)
SELECT job, attempt, step, end_time - seconds AS start_time, end_time, seconds, coalesce(nullif(since, 0), 1) AS executions, loss, val_loss, average_ms,
       :flops * coalesce(nullif(since, 0), 1) / 1e12 / seconds / chips AS tflops_per_chip,
       :flops * coalesce(nullif(since, 0), 1) / seconds / chips / peak_flops AS mfu,
       mfu_reported, :flops * coalesce(nullif(since, 0), 1) AS flops
FROM step LEFT JOIN peak ON name = coalesce(:chip, chip) WHERE seconds > 0 AND (trained OR since > 0);

-- Before the first step nothing is trained. How long evaluations and saves took is in no time of the log.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
SELECT job, attempt, 'init' AS kind, end_time - seconds AS start_time, end_time FROM training_events
WHERE step = 0 AND seconds > 0 AND json_extract(fields, '$.loss') IS NULL;

DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
SELECT job, attempt, max(step) OVER (PARTITION BY job, attempt ORDER BY line) AS step, end_time AS snapshot_time, end_time AS durable_time,
       json_extract(fields, '$.saved') IS NOT NULL AS is_save
FROM training_events;
DELETE FROM temp.training_saves WHERE NOT is_save OR step IS NULL;

-- (CROSS: the steps are the outer ones, and looked up is the attempt of each.)
DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT s.job, s.attempt, e.chips, e.chip, min(e.start_time, min(s.start_time)) AS start_time, max(s.end_time) AS end_time,
       CASE WHEN max(s.step) = e.steps THEN 'completed' END AS own_outcome
FROM training_steps AS s
CROSS JOIN (SELECT job, attempt, max(chips) AS chips, max(chip) AS chip, max(json_extract(fields, '$.steps')) AS steps, min(end_time - seconds) AS start_time
            FROM training_events GROUP BY job, attempt) AS e USING (job, attempt)
GROUP BY s.job, s.attempt;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, substr(job, 1 + length(rtrim(job, replace(job, '/', '')))) AS name, 'training' AS phase, 'pytorch' AS framework,
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
  SELECT job, attempt, start_time, seconds, executions, row_number() OVER w AS place,
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

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_runs;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_events;
DROP TABLE training_counted;
DROP TABLE training_ranges;
DROP TABLE training_files;
DROP TABLE training_lines;
