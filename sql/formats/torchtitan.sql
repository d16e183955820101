-- torchtitan.sql - from the log of a torchtitan run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure ^.*\[titan\].*(?:step:|- Starting job:)
--@ input :log sure ^.*step:\s*\d+\s+(?:\x1b\[\S*?m)*\s*loss:\s*[\d.]+.*(?:mfu|tflops|tps):
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log fixtures/training/torchtitan.log
--     .read sql/formats/torchtitan.sql
--     SELECT step, seconds, tflops_per_chip, mfu, mfu_reported FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters (all but :log may be left unset): :log is a path, glob or folder, of a log a run; :chips and
-- :chip say, or correct, how many chips the job holds, and which; :pool names the pool ('training'); :job
-- makes all files runs of one job (else each is a job, named after its file); :outcome says how the last run
-- ended where the log does not ('completed', 'failed', ...);
-- :zone is the zone of its times, which are local ('UTC'). A program that cannot bind parameters to a script
-- replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged step. The rules are explained in docs/formats/log.md.

-- ---- 1. The input: of one rank, where torchrun names them ----

DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, fields, json_extract(fields, '$.rank') AS rank
FROM log_trace(mpg_required(:log, ':log'), '(?x) ^
    (?: .*? \[rank (?<rank>\d+) \] )? .*? (?<time> \d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d (?: [.,]\d+ )? ) .{0,300}?
    (?: (?<validate> validate\s+ )? (?: \e\[ [\d;]* m )? step: \s* (?<step>\d+) (?= \D | $ ) (?: (?= .* (?: \b | (?<= m ) ) loss: \s* (?<loss>[^\s\e]+) ) )?
        (?: (?= .* [tw]ps: \s* (?<tps>[\d,]+) ) )? (?: (?= .* tflops: \s* (?<tflops>[\d,.]+) ) )? (?: (?= .* mfu: \s* (?<mfu>[\d.]+) % ) )?
      | Starting\ job: (?<began>)
      | Training\ starts\ at\ step\ (?<starts>\d+)
      | (?: Saving | Staging )\ (?: the | a )\ (?: full\ | model\ only\ )? checkpoint (?<saving>)
      | Finished\ (?: saving | staging (?<staged>) )\ the\ checkpoint .*? in\ (?<saved>[\d.]+)\ seconds
      | Last\ step\ checkpoint\ completed\ in\ (?<saved>[\d.]+) s
      | Finished\ writing\ the\ checkpoint\ for\ step\ (?<written>\d+)
      | Loading\ the\ checkpoint\ from\ \S*? step- (?<from>\d+)
      | Finished\ loading\ the\ checkpoint\ in\ (?<loaded>[\d.]+)\ seconds
      | Training\ completed (?<completed>)
      | capacity:\ (?<chip>\S.*?)\ with\ [\d.]+GiB\ memory
      | device\ mesh\ with\ \[.*?\],\ \[ (?<mesh>[\d,\ ]+) \]
      | device\ mesh\ with\ parallelism:\ pp=(?<pp>\d+),\ dp_replicate=(?<replicate>\d+),\ dp_shard=(?<shard>\d+),\ cp=(?<cp>\d+),\ tp=(?<tp>\d+) )',
    'ignore', coalesce(:zone, 'UTC'));
DROP TABLE IF EXISTS temp.training_lowest;
CREATE TEMP TABLE training_lowest(file TEXT PRIMARY KEY, lowest);
INSERT INTO training_lowest SELECT file, min(rank) FROM training_lines WHERE rank IS NOT NULL GROUP BY file;
DELETE FROM temp.training_lines WHERE rank <> (SELECT lowest FROM training_lowest AS l WHERE l.file = training_lines.file);
DROP TABLE training_lowest;

-- What cannot be: a time that is more than ten years from the middle one of its log; its line counts as nothing.
DROP TABLE IF EXISTS temp.training_far;
CREATE TEMP TABLE training_far AS
WITH wide AS MATERIALIZED (SELECT file FROM training_lines GROUP BY file HAVING max(time) - min(time) > 315569520),
years AS (SELECT file, CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM training_lines WHERE time IS NOT NULL AND file IN (SELECT file FROM wide) GROUP BY 1, 2),
middle AS (
  SELECT file, min(year) AS year FROM (SELECT file, year, sum(n) OVER (PARTITION BY file ORDER BY year) AS so_far, sum(n) OVER (PARTITION BY file) AS n FROM years)
  WHERE 2 * so_far >= n GROUP BY file
)
SELECT l.rowid AS row, l.file, l.line AS line FROM middle AS m CROSS JOIN training_lines AS l ON l.file = m.file WHERE abs(l.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'lines whose time is more than ten years from the middle one: left out' FROM training_far GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT row FROM training_far);
DROP TABLE training_far;

-- A line of a step that says no FLOP/s is unrated; one of an evaluation says none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line), count(*), 'lines of steps without "tflops": these steps are unrated'
FROM temp.training_lines WHERE step IS NOT NULL AND json_extract(fields, '$.validate') IS NULL AND json_extract(fields, '$.tflops') IS NULL GROUP BY file;

-- Nothing recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "step: N" of torchtitan was found'
FROM (SELECT max(file) AS file, count(step) AS steps FROM temp.training_lines) WHERE steps = 0;

-- A log's lines are in the order of its clock: one whose time is before that of the line above it was moved, or is of another host.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*), 'lines whose time is before that of the line above them: they count where they stand'
FROM (SELECT file, line, time, max(time) OVER (PARTITION BY file ORDER BY line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest, rank FROM temp.training_lines)
WHERE latest - time > iif(rank IS NULL, 10, 1) GROUP BY file;

-- Where nothing names the ranks, each of them prints the step: a line that repeats the one before it at once is of no restart.
DELETE FROM temp.training_lines WHERE rowid IN (
  SELECT id
  FROM (SELECT rowid AS id, step = lag(step) OVER w AND json_extract(fields, '$.validate') IS lag(json_extract(fields, '$.validate')) OVER w
               AND time - lag(time) OVER w < 10 AS again
        FROM temp.training_lines WHERE step IS NOT NULL OR coalesce(json_extract(fields, '$.mesh'), json_extract(fields, '$.pp'), json_extract(fields, '$.loaded'), json_extract(fields, '$.starts')) IS NOT NULL
        WINDOW w AS (PARTITION BY file ORDER BY line))
  WHERE again);

-- ---- 2. Runs ----

-- A run begins where a program says how it is set up, or step numbers go back; also where one starts again that has not come to
-- a step (ranks start within ten seconds). Runs of several files are in the order of
-- their clocks: names seldom sort by their numbers.
-- (A file's lines lie one after the other, and so do a run's: what follows goes by rowid, and its windows are over few columns.)
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, began, starts, is_marker, chip, mesh);
INSERT INTO training_marks
WITH told AS (
  SELECT rowid AS id, json_extract(fields, '$.began') IS NOT NULL AS began, json_extract(fields, '$.starts') IS NOT NULL AS starts, json_extract(fields, '$.chip') AS chip,
         json_extract(fields, '$.loaded') IS NOT NULL AS loads, '[' || json_extract(fields, '$.mesh') || ']' AS mesh,
         json_extract(fields, '$.pp') AS pp, json_extract(fields, '$.replicate') AS replicate, json_extract(fields, '$.shard') AS shard,
         json_extract(fields, '$.cp') AS cp, json_extract(fields, '$.tp') AS tp
  FROM training_lines WHERE step IS NULL
)
SELECT id, began, starts, began OR starts OR loads OR coalesce(mesh, pp, chip) IS NOT NULL, chip,
       coalesce(pp * replicate * shard * cp * tp,
                json_extract(mesh, '$[0]') * coalesce(json_extract(mesh, '$[1]'), 1) * coalesce(json_extract(mesh, '$[2]'), 1)
                  * coalesce(json_extract(mesh, '$[3]'), 1) * coalesce(json_extract(mesh, '$[4]'), 1))
FROM told;

DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
SELECT file, min(l.rowid) AS first, max(l.rowid) AS last, min(time) AS clock, max(m.mesh) AS mesh, max(m.chip) AS chip
FROM training_lines AS l LEFT JOIN training_marks AS m ON m.id = l.rowid GROUP BY file;

DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH marked AS (
  SELECT f.rowid AS of_file, l.rowid AS id, time, step, coalesce(is_marker, 0) AS is_marker, m.id IS NULL AS is_step, coalesce(began, 0) AS began
  FROM training_files AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first AND f.last LEFT JOIN training_marks AS m ON m.id = l.rowid
  WHERE is_marker OR (step IS NOT NULL AND json_extract(fields, '$.validate') IS NULL)
),
begun AS (
  SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run
  FROM (SELECT of_file, id,
               CASE WHEN is_marker THEN coalesce(lag(is_step) OVER k, 1)
                      OR coalesce(began AND time - max(iif(began, time, NULL)) OVER (k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) >= 10, 0)
                    ELSE coalesce(lag(is_step) OVER k AND step <= lag(step) OVER k, 1) END AS begins
        FROM marked WINDOW k AS (PARTITION BY of_file ORDER BY id))
  WHERE begins
),
ranged AS (
  SELECT f.rowid AS of_file, file, clock, f.mesh AS file_mesh, chip, coalesce(run, 1) AS run, iif(coalesce(run, 1) = 1, f.first, id) AS first,
         coalesce(lead(id) OVER (PARTITION BY f.rowid ORDER BY run) - 1, f.last) AS last
  FROM training_files AS f LEFT JOIN begun AS b ON b.of_file = f.rowid
)
SELECT coalesce(:job, file) AS job, dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt, first, last,
       coalesce(:chips, (SELECT max(m.mesh) FROM training_marks AS m WHERE m.id BETWEEN first AND last), file_mesh, 1) AS chips, chip
FROM ranged ORDER BY of_file, run;

DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
SELECT r.job, r.attempt, l.*, m.id IS NULL AND json_extract(fields, '$.validate') IS NULL AS is_step, coalesce(m.starts, 0) AS starts, r.chips, r.chip
FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last LEFT JOIN training_marks AS m ON m.id = l.rowid;

-- A line stands for the steps since the line before it, or the evaluation or the start that came later.
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
WITH mark AS (
  SELECT *, lag(time) OVER w AS before, lag(iif(starts, step_started - 1, step)) OVER w AS step_before
  FROM (SELECT *, json_extract(fields, '$.starts') AS step_started FROM training_events WHERE step IS NOT NULL OR starts)
  WINDOW w AS (PARTITION BY job, attempt ORDER BY line)
),
step AS (
  SELECT *, min(coalesce(before, time), time) AS start_time FROM mark WHERE is_step -- a clock that was set back: no time
),
-- Looked up once a chip, and not once a step.
peak AS MATERIALIZED (
  SELECT name, (SELECT c.peak_flops FROM mpg_chips AS c
                WHERE c.dtype = 'bf16' AND (lower(c.chip) = lower(name)
                  OR EXISTS (SELECT 1 FROM json_each(c.aliases) AS a WHERE lower(a.value) = lower(name)))) AS peak_flops
  FROM (SELECT DISTINCT coalesce(:chip, chip) AS name FROM training_events)
)
SELECT job, attempt, step, start_time, time AS end_time, time - start_time AS seconds, coalesce(step - step_before, 1) AS executions,
       iif(typeof(json_extract(fields, '$.loss')) <> 'text', json_extract(fields, '$.loss'), NULL) AS loss, replace(json_extract(fields, '$.tps'), ',', '') + 0.0 AS tokens_per_s_per_chip,
       replace(json_extract(fields, '$.tflops'), ',', '') + 0.0 AS tflops_per_chip,
       replace(json_extract(fields, '$.tflops'), ',', '') * 1e12 / peak_flops AS mfu,
       json_extract(fields, '$.mfu') / 100.0 AS mfu_reported,
       replace(json_extract(fields, '$.tflops'), ',', '') * 1e12 * (time - start_time) * chips AS flops
FROM step LEFT JOIN peak ON name = coalesce(:chip, chip);

-- Steps in no line: a line is further from the one before it than lines mostly are.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH gap AS (
  SELECT b.job, b.step, b.step - a.step AS gap FROM training_steps AS a JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND b.job = a.job AND b.attempt = a.attempt
),
usual AS MATERIALIZED (SELECT job, gap AS usual, max(n) FROM (SELECT job, gap, count(*) AS n FROM gap GROUP BY 1, 2) GROUP BY job)
SELECT job, 'warning', 'missing_steps', NULL, count(*), 'lines of steps that come more steps after the one before than most, first step ' || min(step) || ': lines are missing'
FROM gap JOIN usual USING (job) WHERE gap > usual GROUP BY job;

-- Evaluation ends with its line; it began with the line of a step or a save before it.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
WITH mark AS (
  SELECT job, attempt, step, is_step, time, lag(time) OVER (PARTITION BY job, attempt ORDER BY line) AS before FROM training_events
)
SELECT job, attempt, 'eval' AS kind, before AS start_time, time AS end_time, NULL AS step FROM mark WHERE step IS NOT NULL AND NOT is_step AND before < time
UNION ALL
SELECT job, attempt, 'checkpoint', time - json_extract(fields, '$.saved'), time, NULL FROM training_events WHERE json_extract(fields, '$.saved') IS NOT NULL
UNION ALL
-- Which step was loaded is in the line before it.
SELECT job, attempt, 'restore', time - json_extract(fields, '$.loaded'), time, loaded
FROM (SELECT job, attempt, time, fields, max(json_extract(fields, '$.from')) OVER (PARTITION BY job, attempt ORDER BY line) AS loaded
      FROM training_events WHERE step IS NULL)
WHERE json_extract(fields, '$.loaded') IS NOT NULL
UNION ALL
SELECT job, attempt, 'init', min(time), min(iif(starts, time, NULL)), NULL FROM training_events GROUP BY job, attempt
HAVING min(iif(starts, time, NULL)) > min(time);

-- A save is of the step that was logged last, or of a later one. It counts as durable once the log says that it is over; one
-- that was staged, once it was written or, since a save waits for the one before, once a save of a later step is over.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
WITH logged AS (
  SELECT job, attempt, line, time, iif(step IS NULL, fields, '{}') AS fields, max(iif(is_step, step, NULL)) OVER (PARTITION BY job, attempt ORDER BY line) AS last_step
  FROM training_events
)
SELECT job, attempt, last_step AS step, time - json_extract(fields, '$.saved') AS snapshot_time,
       CASE WHEN json_extract(fields, '$.staged') IS NULL THEN time
            ELSE nullif(min(coalesce(min(iif(json_extract(fields, '$.written') IS NOT NULL, time, NULL)) OVER (PARTITION BY job, attempt ORDER BY line ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), 9e99),
                            coalesce(min(iif(json_extract(fields, '$.saved') IS NOT NULL, time, NULL)) OVER (PARTITION BY job, attempt ORDER BY last_step RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 9e99)), 9e99)
       END AS durable_time,
       json_extract(fields, '$.saved') IS NOT NULL AS is_save
FROM logged;
DELETE FROM temp.training_saves WHERE NOT is_save OR step IS NULL OR durable_time IS NULL;

-- (CROSS: the steps are the outer ones, and looked up is the attempt of each.)
DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT DISTINCT s.job, s.attempt, e.chips, e.chip, e.start_time, e.end_time, e.own_outcome
FROM (SELECT job, attempt FROM training_steps UNION SELECT job, attempt FROM training_phases WHERE kind = 'restore') AS s -- one that came to no step too
CROSS JOIN (SELECT job, attempt, max(chips) AS chips, max(chip) AS chip, min(time) AS start_time, max(time) AS end_time,
                   max(CASE WHEN json_extract(fields, '$.completed') IS NOT NULL THEN 'completed' END) AS own_outcome
            FROM training_events GROUP BY job, attempt) AS e USING (job, attempt);

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
SELECT job, attempt, kind, start_time, end_time, step, NULL FROM training_phases
ORDER BY 1, 2, 4;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time FROM training_saves ORDER BY job, attempt, durable_time;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_runs;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_events;
DROP TABLE training_ranges;
DROP TABLE training_files;
DROP TABLE training_marks;
DROP TABLE training_lines;
