-- megatron.sql - from the log of a Megatron-LM run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure iteration\s+\d+/\s*\d+ \| consumed samples:
--@ input :log sure iteration\s+\d+/\s*\d+ \|.*elapsed time per iteration \(ms\):
--@ input :log sure using world size: *\d+, data-parallel[ -]size: *\d+
--@ needs :year ^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:)[^\n]*iteration\s+\d+/
--@ needs :start (?s)\A(?!(?:-- [^\n]*\n)?(?:(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? |\d{10}\.\d{6} |(?:__CURSOR=[^\n]*\n)?[^\n]*__REALTIME_TIMESTAMP))(?>[^\di]+|(?!\d{4}-?\d\d-?\d\d[T ]\d\d:\d\d:\d\d|iteration\s+\d+/\s*\d+ \|).)*+(?:i(?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)|\z(?<=.{60000}))
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :log  fixtures/training/megatron.log
--     .param set :chip 'NVIDIA H100 80GB HBM3'
--     .read sql/formats/megatron.sql
--     SELECT step, seconds, loss, tflops_per_chip, mfu FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters (all but :log may be left unset): :log is a path, glob or folder, of a log a run; :chips and
-- :chip say, or correct, how many chips the job holds, and which; :pool names the pool ('training'); :job
-- makes all files runs of one job (else each is a job, named after its file); :outcome says how the last run
-- ended where the log does not ('completed', 'failed', ...); :start is when a log without times began (Unix
-- seconds or ISO 8601; 0), :zone the zone of its times ('UTC'); :rotated, which trace_rollup and its like
-- set, the files that may be parts of one log, and :starts, when logs began. A program that cannot bind
-- parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged iteration. The rules are explained in docs/formats/log.md.

-- ---- 1. The input: iterations, and what else takes time or makes progress safe ----

-- `spliced`: a second step, save or load in the line, looked for only if the word "iteration" and a number follow, as in all of these.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, log_group(_record, 'ms') AS told_ms, log_group(_record, 's') AS told_s,
       iif(step IS NULL, log_group(_record, 'world'), NULL) AS told_world,
       iif(step IS NULL, log_group(_record, 'loaded'), NULL) AS told_loaded,
       iif(step IS NULL, log_group(_record, 'ahead'), NULL) AS told_ahead, log_group(_record, 'tflops') AS told_tflops,
       log_group(_record, 'unit') AS told_unit,
       iif(step IS NULL, log_group(_record, 'engine_saved'), NULL) AS engine_saved,
       iif(step IS NULL, log_group(_record, 'engine_loaded'), NULL) AS engine_loaded,
       iif(step IS NULL, log_group(_record, 'timer_ms'), NULL) AS told_timer_ms,
       log_group(_record, 'loss') AS told_loss, log_group(_record, 'batch') AS told_batch,
       iif(step IS NULL, log_group(_record, 'timer'), NULL) AS told_timer,
       iif(step IS NULL, log_group(_record, 'saved'), NULL) AS told_saved,
       iif(step IS NULL, log_group(_record, 'validated'), NULL) AS told_validated,
       iif(step IS NULL, log_group(_record, 'exit'), NULL) AS told_exit,
       log_group(_record, 'steps') AS told_steps, iif(step IS NULL, log_group(_record, 'other'), NULL) AS told_other,
       nullif(max(coalesce(log_group(_record, 'skipped'), 0), coalesce(log_group(_record, 'nans'), 0),
                  typeof(log_group(_record, 'loss')) = 'text'), 0) AS told_skipped,
       log_group(_record, 'spliced') AS spliced, iif(step IS NULL, fields IS NULL, 0) AS is_tail
FROM log_trace(mpg_required(:log, ':log'), '(?x)
  (?: (?: \[ (?<time> \d{4}-\d\d-\d\d\ [\d:.]+ ) \] \s* | \[ (?<time> \d{8}\ \d\d:\d\d:\d\d ) \] \[rank- .{0,200}? | (?= \d{4}-\d\d- ) (?! .* \[\d{4}-) (?<time> \d{4}-\d\d-\d\d (?<! iveTimestamp":"\d{4}-\d\d-\d\d | iveTimestamp":\ "\d{4}-\d\d-\d\d ) [T\ ]\d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) .{0,300}? )?
      \biteration \s+ (?<step>\d+) / \s* (?<steps>\d+) \s* \|
      (?: (?= .* elapsed\ time\ per\ iteration\ \( (?: ms\): \s* (?<ms>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) | s\): \s* (?<s>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) ) (?! \s* $ ) ) )?
      (?: (?= .* (?: throughput\ per\ GPU\ \(TFLOP/s/GPU\) | approx\ flops\ per\ GPU ): \s* (?<tflops>(?> [\d.]+ (?: ,\d{3} [\d.]* )* )) (?! \s* $ ) (?: (?<unit> [KMGTPEZ] ) FLOPS )? ) )?
      (?: (?= .* consumed\ samples: \s* (?<samples>\d+) ) )? (?: (?= .* global\ batch\ size: \s* (?<batch>\d+) ) )?
      (?: (?= .* \blm [\ _-] loss: \s* (?<loss> -? (?: NAN | INF ) | [\d.E+-]+ ) ) )? (?: (?= .* skipped\ iterations: \s* (?<skipped>\d+) ) )? (?: (?= .* nan\ iterations: \s* (?<nans>\d+) ) )?
      (?(<time>) | (?: (?= .* "time(?:stamp)?"\s*:\s*"(?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) " ) )? )
    | successfully\ saved\ (?: local\  )? checkpoint\ (?: from | at )\ iteration \s+ (?<saved>\d+)
    | successfully\ loaded\ checkpoint\ .* at\ iteration \s+ (?<loaded>\d+)
    | \b valid (?: ation (?: /\S+ )? )? \ (?: loss | results )\ at\ iteration \s+ (?<validated>\d+)
    | (?<timer> save-checkpoint (?: -non-persistent )? | evaluate ) (?: \s* \.+ )? : \s* (?: \( [\d.]+ , \s* )? (?<timer_ms>(?> [\d.]+ (?: ,\d{3} [\d.]* )* ))
    | (?: using\ world\ size: \s* | \b dist_world_size= ) (?<world>\d+)
    | (?<time> \d{4}-\d\d-\d\d\ [\d:]+ ,\d+ ) \]\ \[\w+\] \s* \[ \w+ \.py: (?<other>) [^\]]* \] \s* (?: \[ [\w\ ]+ \]\ ){0,2} (?: Checkpoint\ global_step (?<engine_saved>\d+) \ is\ (?: ready\ now | begin\ to\ save )!
      | zero\ checkpoint\ saved\ \S*? \b global_step (?<engine_saved>\d+) / | (?: Loaded | End\ Load )\ checkpoint\ from\ \S*? \b global_step (?<engine_loaded>\d+) / )
    | successfully\ loaded\ (?<other>) \S*? / global_step (?<engine_loaded>\d+) /
    | (?<time> \d{4}-\d\d-\d\d\ [\d:]+ ,\d+ ) \]\ \[\w+\] \s* \[ (?: timer | logging ) \.py: (?<other>)
    | \[exiting\ program\ (?<exit> at\ iteration | after\ [\d.]+\ minutes | after\ receiving )
      (?: [^\]]{0,60} \]\ datetime:\ (?<time> \d{4}-\d\d-\d\d\ [\d:.]+ ) )?
    | \]\ datetime:\ (?<time> \d{4}-\d\d-\d\d\ [\d:.]+ ) (?<other>)
    | \bGPU\ utilization: \s* (?<ahead>[\d.]+) \s* MODEL_TFLOP/s/GPU )
  (?: (?= (?: [^i]++ | i (?! teration\s+\d ) )*+ i ) (?= .* (?: \biteration \s+ (?<spliced>\d+) / \s* \d+ \s* \| | (?<spliced> successfully\ (?: saved | loaded )\ (?: local\ )? checkpoint
    | validation\ loss\ at\ iteration ) ) ) )?',
  'last', coalesce(:zone, 'UTC'));
-- Numbers may be written as 5,000.0. One at the very end of a line is cut off, as where a terminal wrapped it.
UPDATE training_lines SET told_ms = replace(told_ms, ',', '') + 0, told_s = replace(told_s, ',', '') + 0,
  told_tflops = replace(told_tflops, ',', '') + 0, told_timer_ms = replace(told_timer_ms, ',', '') + 0
WHERE 'text' IN (typeof(told_ms), typeof(told_s), typeof(told_tflops), typeof(told_timer_ms));
-- GPT-NeoX chooses the unit.
UPDATE training_lines SET told_tflops = told_tflops * CASE told_unit WHEN 'K' THEN 1e-9 WHEN 'M' THEN 1e-6 WHEN 'G' THEN 1e-3
  WHEN 'P' THEN 1e3 WHEN 'E' THEN 1e6 ELSE 1e9 END WHERE told_unit <> 'T';

.read sql/formats/log/extents.sql
.read sql/formats/log/zoned.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
-- It tells the time where training is over.
INSERT INTO training_tail
SELECT l.file, l.time
FROM (SELECT max(iif(told_other IS NOT NULL AND time IS NOT NULL, rowid, NULL)) AS other, max(iif(step IS NULL, NULL, rowid)) AS last
      FROM training_lines WHERE (SELECT 1 FROM training_lines WHERE told_other IS NOT NULL LIMIT 1) GROUP BY file) AS f
CROSS JOIN training_lines AS l ON l.rowid = f.other
WHERE other > last;
.read sql/formats/log/stamps.sql
.read sql/formats/log/start.sql
.read sql/formats/log/rotated.sql
.read sql/formats/log/reversed.sql
.read sql/formats/log/far.sql
.read sql/formats/log/copies.sql
.read sql/formats/log/begun.sql

.read sql/formats/megatron/clock.sql
.read sql/formats/log/hour.sql
DROP TABLE training_back;
.read sql/formats/megatron/ranks.sql
.read sql/formats/log/stepless.sql

-- Files in which a time is before the one above it, and in which a line of an iteration repeats the one before it at once: there what
-- follows looks closer.
DROP TABLE IF EXISTS temp.training_survey;
CREATE TEMP TABLE training_survey AS
SELECT file,
       (SELECT max(l.time
                     < iif(l.time IS NOT NULL AND p.time IS NULL,
                           (SELECT q.time FROM training_lines AS q
                            WHERE q.rowid < l.rowid AND q.rowid >= f.first AND q.time IS NOT NULL ORDER BY q.rowid DESC LIMIT 1),
                           p.time))
        FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
        WHERE l.rowid BETWEEN f.first AND f.last) AS goes_back,
       (SELECT max(iif(l.step IS NOT NULL AND p.step IS NULL,
                       (SELECT q.step = l.step AND coalesce(l.time - q.time, 0) < 10
                        FROM training_lines AS q WHERE q.rowid < l.rowid AND q.rowid >= f.first AND q.step IS NOT NULL
                        ORDER BY q.rowid DESC LIMIT 1),
                       l.step = p.step AND coalesce(l.time - p.time, 0) < 10))
        FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
        WHERE l.rowid BETWEEN f.first AND f.last) AS repeats
FROM training_extents AS f;

-- A line of an iteration without its time is of no length; one without a rate is common, and unrated.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line), count(*),
       'lines of iterations without "elapsed time per iteration": their time is unknown'
FROM temp.training_lines WHERE step IS NOT NULL AND coalesce(told_ms, told_s) IS NULL GROUP BY file;

-- An iteration that was skipped, as its gradients were no numbers, moved nothing: it has its number, and a line has no times of each.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), sum(told_skipped),
       'steps that were skipped, or whose loss is no number: they count as progress'
FROM temp.training_lines WHERE told_skipped > 0 GROUP BY file;

-- A log's lines are in the order of its clock: one whose time is before that of the line above it was moved, or the clock was set back.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*),
       'lines whose time is before that of the line above them: they count where they stand'
FROM (SELECT file, line, time, max(time) OVER (PARTITION BY file ORDER BY line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
      FROM temp.training_lines WHERE time IS NOT NULL AND file IN (SELECT file FROM training_survey WHERE goes_back))
WHERE latest - time > 10 GROUP BY file;

-- Of some descendants every rank prints the iteration: a line that repeats the one before it at once is of no restart.
DROP TABLE IF EXISTS temp.training_again;
CREATE TEMP TABLE training_again AS
SELECT id
FROM (SELECT rowid AS id, step = lag(step) OVER w AND coalesce(time - lag(time) OVER w, 0) < 10 AS again
      FROM temp.training_lines WHERE file IN (SELECT file FROM training_survey WHERE repeats)
        AND coalesce(step, told_world, told_loaded) IS NOT NULL
      WINDOW w AS (PARTITION BY file ORDER BY line))
WHERE again;
.read sql/formats/log/again.sql

DROP TABLE training_survey;

-- Megatron Bridge has the rate of an iteration on the line before it; of some models it is 0.
UPDATE temp.training_lines SET told_tflops = tflops
FROM (SELECT rowid AS id, step, lag(told_ahead) OVER (PARTITION BY file ORDER BY line) AS tflops
      FROM temp.training_lines WHERE coalesce(step, told_ahead) IS NOT NULL
        AND EXISTS (SELECT 1 FROM training_lines WHERE told_ahead IS NOT NULL)) AS told
WHERE training_lines.rowid = id AND told.step IS NOT NULL AND tflops > 0 AND told_tflops IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', min(line) FILTER (WHERE coalesce(told_tflops, 0) <= 0),
       count(*) FILTER (WHERE coalesce(told_tflops, 0) <= 0),
       'lines of iterations without TFLOP/s, or with some that are no number, though others have them: these are unrated'
FROM temp.training_lines
WHERE step IS NOT NULL AND EXISTS (SELECT 1 FROM training_lines WHERE step IS NOT NULL AND coalesce(told_tflops, 0) <= 0)
GROUP BY file HAVING total(told_tflops > 0) > 0 AND total(coalesce(told_tflops, 0) <= 0) > 0;

-- ---- 2. When things happened ----

.read sql/formats/log/chips.sql

-- A run begins where a program says how it is set up, or iterations go back. A line stands for the iterations since the
-- line before it; the first of a run, for those since the checkpoint loaded, or for as many as the next one. Runs of
-- several files are in the order of their clocks: names seldom sort by their numbers.
-- (A file's lines lie one after the other, and so do a run's: what follows goes by rowid, and its windows are over few columns.)
DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
SELECT file, first, last,
       (SELECT min(step IS NULL OR time IS NOT NULL) FROM training_lines WHERE rowid BETWEEN first AND last) AS timed,
       (SELECT min(time) FROM training_lines WHERE rowid BETWEEN first AND last) AS clock,
       (SELECT b.time FROM training_begun AS b WHERE b.file = e.file) AS begun,
       (SELECT min(time IS NULL OR time = CAST(time AS INTEGER)) FROM training_lines WHERE rowid BETWEEN first AND last) AS whole,
       (SELECT max(told_world) FROM training_lines WHERE rowid BETWEEN first AND last) AS world
FROM training_extents AS e ORDER BY file;

DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH begun AS (
  SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run
  FROM (SELECT f.rowid AS of_file, l.rowid AS id,
               iif(coalesce(p.step, p.told_world, p.told_loaded) IS NOT NULL,
                   iif(l.step IS NULL, p.step IS NOT NULL, coalesce(l.step <= p.step, 0)),
                   coalesce((SELECT iif(l.step IS NULL, q.step IS NOT NULL, coalesce(l.step <= q.step, 0)) FROM training_lines AS q
                             WHERE q.rowid < l.rowid AND q.rowid >= f.first AND coalesce(q.step, q.told_world, q.told_loaded) IS NOT NULL
                             ORDER BY q.rowid DESC LIMIT 1), 1)) AS begins
        FROM training_files AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first AND f.last
        LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
        WHERE coalesce(l.step, l.told_world, l.told_loaded) IS NOT NULL)
  WHERE begins
),
ranged AS (
  SELECT f.rowid AS of_file, file, timed, iif(timed, clock, begun) AS clock, begun, whole, world, coalesce(run, 1) AS run,
         iif(coalesce(run, 1) = 1, f.first, id) AS first,
         coalesce(lead(id) OVER (PARTITION BY f.rowid ORDER BY run) - 1, f.last) AS last
  FROM training_files AS f LEFT JOIN begun AS b ON b.of_file = f.rowid
),
told AS (
  SELECT r.*, -- a launch that tells its date, in a log of which the iterations have no clock
         iif(run > 1 AND begun IS NOT NULL AND NOT timed AND :start IS NULL,
             (SELECT d.time FROM training_dates AS d
              WHERE d.file = r.file AND d.line < (SELECT l.line FROM training_lines AS l
                                                  WHERE l.rowid BETWEEN r.first AND r.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1)
                AND d.line > (SELECT l.line FROM training_lines AS l
                              WHERE l.rowid < r.first AND l.step IS NOT NULL ORDER BY l.rowid DESC LIMIT 1)
              ORDER BY d.line DESC LIMIT 1), NULL) AS dated,
         -- of the last launch, after those that came to no iteration
         (SELECT l.told_loaded FROM training_lines AS l
          WHERE l.rowid BETWEEN r.first AND r.last AND l.told_loaded IS NOT NULL ORDER BY l.rowid DESC LIMIT 1) AS loaded,
         (SELECT l.told_world FROM training_lines AS l
          WHERE l.rowid BETWEEN r.first AND r.last AND l.told_world IS NOT NULL ORDER BY l.rowid DESC LIMIT 1) AS own_world
  FROM ranged AS r
)
SELECT CAST(coalesce(:job, file) AS TEXT) AS job,
       dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt,
       of_file, first, last, timed, begun, dated, whole, loaded,
       timed OR :start IS NULL AND iif(run = 1, begun IS NOT NULL AND file NOT IN (SELECT key FROM json_each(coalesce(:starts, '{}'))),
                                       dated IS NOT NULL) AS clocked,
       coalesce(:chips, told_chips) AS chips, told_chips
FROM (SELECT *, coalesce(own_world, world)
                  / coalesce((SELECT nullif(devices, 1) * 1.0 FROM training_chips WHERE chip = chip_name(:chip)), 1) AS told_chips
      FROM told)
ORDER BY of_file, run;
DROP TABLE IF EXISTS temp.training_told;
CREATE TEMP TABLE training_told AS SELECT job, told_chips AS chips FROM training_ranges;

.read sql/formats/megatron/counted.sql

-- A run of one line that says not where it began: whether it stands for one iteration or for all up to its own, nothing tells.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_steps', min(line), count(*),
       'runs with one line of an iteration, which counts as one iteration: how many it stands for is not told'
FROM (SELECT r.rowid AS range, file, loaded, min(line) AS line, min(step) AS step
      FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
      WHERE step IS NOT NULL GROUP BY r.rowid HAVING count(*) = 1)
WHERE loaded IS NULL AND step > 1 GROUP BY file;

.read sql/formats/megatron/events.sql

DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
WITH step AS (
  SELECT e.*, min(e.end_time, max(e.end_time - e.seconds, coalesce(p.end_time, e.end_time - e.seconds))) AS start_time
  FROM training_events AS e LEFT JOIN training_marks AS m ON m.id = e.rowid - 1
  LEFT JOIN training_events AS p ON p.rowid = coalesce(m.above, e.rowid - 1) AND +p.job = e.job AND +p.attempt = e.attempt
  WHERE e.step IS NOT NULL
),
chip AS MATERIALIZED (SELECT peak_flops, devices FROM training_chips WHERE chip = chip_name(:chip))
SELECT job, attempt, step, start_time, end_time, seconds, executions, iif(typeof(told_loss) = 'text', NULL, told_loss + 0.0) AS loss,
       told_batch * executions / seconds AS samples_per_s, told_tflops * coalesce(devices, 1) AS tflops_per_chip,
       told_tflops * coalesce(devices, 1) * 1e12 / peak_flops AS mfu,
       told_tflops * coalesce(devices, 1) * 1e12 * seconds * coalesce(chips, 1) AS flops, place, range AS run
FROM step LEFT JOIN chip ON 1;
DROP TABLE training_chips;
DROP TABLE IF EXISTS temp.training_reach;
CREATE TEMP TABLE training_reach AS -- the steps of each run
SELECT run, job, attempt, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_steps)) AS last
FROM (SELECT s.run, s.job, s.attempt, s.rowid AS first FROM training_steps AS s LEFT JOIN training_steps AS p ON p.rowid = s.rowid - 1
      WHERE p.run IS NOT s.run);

CREATE TEMP VIEW training_gaps AS
SELECT b.job, b.step, b.step - a.step AS gap
FROM training_steps AS a JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND b.job = a.job AND b.attempt = a.attempt;
.read sql/formats/log/gaps.sql

.read sql/formats/megatron/phases.sql

DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT job, attempt, 'pytorch' AS framework, chips, NULL AS chip, start_time, max(end_time, coalesce(exits, 0)) AS end_time,
       -- It exits when its options say so, or by a signal: what is stopped so and goes on was none of its own will.
       CASE WHEN step = steps OR told_exit <> 'after receiving' THEN 'completed'
            WHEN told_exit IS NOT NULL AND attempt = max(attempt) OVER (PARTITION BY job) THEN 'cancelled' END AS own_outcome
FROM (SELECT h.job, h.attempt, r.chips,
             coalesce(b.time, (SELECT min(start_time) FROM training_steps WHERE rowid BETWEEN h.first AND h.last)) AS start_time,
             (SELECT max(end_time) FROM training_steps WHERE rowid BETWEEN h.first AND h.last) AS end_time,
             (SELECT max(step) FROM training_steps WHERE rowid BETWEEN h.first AND h.last) AS step,
             (SELECT max(told_steps) FROM training_lines WHERE rowid BETWEEN r.first AND r.last) AS steps,
             (SELECT max(told_exit) FROM training_lines WHERE rowid BETWEEN r.first AND r.last) AS told_exit,
             (SELECT max(time) FROM training_lines WHERE rowid BETWEEN r.first AND r.last AND r.clocked AND told_exit IS NOT NULL) AS exits
      FROM training_reach AS h CROSS JOIN training_ranges AS r ON r.rowid = h.run
      LEFT JOIN training_started AS b ON b.job = h.job AND b.attempt = h.attempt)
ORDER BY 1, 2;

.read sql/formats/log/launches.sql

DROP TABLE IF EXISTS temp.training_last;
CREATE TEMP TABLE training_last AS
SELECT file, r.job, r.attempt, r.clocked FROM training_files AS f JOIN training_ranges AS r ON r.last = f.last;
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS
SELECT job, attempt, t.time FROM training_tail AS t JOIN training_last USING (file) WHERE clocked
UNION ALL -- what its timers tell of comes before its end
SELECT job, attempt, max(end_time) FROM training_phases WHERE kind <> 'restore' GROUP BY 1, 2;

-- ---- 3. The relations ----

DROP VIEW IF EXISTS temp.training_lengths;
CREATE TEMP VIEW training_lengths AS
SELECT run, job, attempt, step, start_time, end_time, seconds AS own, executions FROM training_steps;
.read sql/formats/log/lengths.sql

.read sql/formats/log/held.sql
.read sql/formats/log/done.sql

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_runs;
DROP TABLE training_tail;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_started;
DROP TABLE training_events;
DROP TABLE training_marks;
DROP TABLE training_reach;
DROP TABLE training_counted;
DROP TABLE training_ranges;
DROP TABLE training_files;
DROP TABLE training_begun;
DROP TABLE training_dates;
DROP VIEW training_extents;
DROP TABLE training_lines;
