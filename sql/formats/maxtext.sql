-- maxtext.sql - from the log of a MaxText run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure completed step: \d+, seconds: [\d.]+
--@ input :log sure Config param (?:steps|run_name|model_name|base_output_directory): 
--@ input :log likely Finished (?:blocking save in [\d.]+ seconds\. Continuing|(?:asynchronous save|async_save) \(blocking|(?:save|load)(?: \([^)]*\))? in [\d.]+ seconds @ )
--@ needs :year ^(?:(?!\d{4}-\d\d-)[^\n]){0,99}?[IWEF]\d{4} \d\d:\d\d:\d\d\.\d|^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:)[^\n]*completed step: \d
--@ needs :start (?s)\A(?!(?:-- [^\n]*\n)?(?:(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? |\d{10}\.\d{6} |(?:__CURSOR=[^\n]*\n)?[^\n]*__REALTIME_TIMESTAMP))(?>[^\dcIWEF]+|(?!\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d{8} \d\d:\d\d:\d\d\]|[IWEF]\d{4} \d\d:\d\d:\d\d|completed step: \d).)*+(?:c(?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)|\z)
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
-- makes all files runs of one job (else each file is one); :outcome says how the last run
-- ended where the log does not ('failed', ...); :start is when a log without times began (Unix
-- seconds or ISO 8601; 0), :zone the zone of times that say none ('UTC'), :year the year of those without
-- one, as absl's; trace_rollup and its like set :only_relations, which leaves training_steps empty,
-- :rotated, files that may be parts of one log, and :starts, when logs began. A program that cannot bind
-- parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a step. The rules: docs/formats/log.md.

.read sql/formats/maxtext/input.sql
.read sql/formats/log/extents.sql
.read sql/formats/log/zoned.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
.read sql/formats/log/stamps.sql
.read sql/formats/log/start.sql
.read sql/formats/log/rotated.sql
.read sql/formats/log/reversed.sql
.read sql/formats/log/begun.sql
.read sql/formats/log/far.sql
.read sql/formats/log/hour.sql
.read sql/formats/maxtext/streams.sql
.read sql/formats/log/stepless.sql
.read sql/formats/maxtext/lines.sql

-- ---- 2. When things happened: by the clock of the lines, or else by adding up what they took ----

.read sql/formats/log/chips.sql

-- A run begins where a program says how it is set up, or the step numbers go back. What stands before the first belongs to it.
-- Of most lines of a step the line before is one too, and the numbers decide; windows are over the others and those beside them.
DROP TABLE IF EXISTS temp.training_near;
CREATE TEMP TABLE training_near(id INTEGER PRIMARY KEY);
INSERT INTO training_near
SELECT first FROM training_files UNION SELECT m.id + d.value FROM training_marks AS m CROSS JOIN json_each('[-1,0,1]') AS d;
DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH begins AS (
  SELECT of_file, id
  FROM (SELECT f.rowid AS of_file, l.rowid AS id, l.step, lag(l.step) OVER w AS before, lag(l.rowid) OVER w AS above, p.step AS beside
        FROM training_files AS f CROSS JOIN training_near AS n ON n.id BETWEEN f.first AND f.last
        CROSS JOIN training_lines AS l ON l.rowid = n.id
        LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
        WHERE coalesce(l.step, l.all_steps, l.all_devices, l.chip_name) IS NOT NULL WINDOW w AS (PARTITION BY f.rowid ORDER BY l.rowid))
  WHERE (step IS NULL OR beside IS NULL) AND (above IS NULL OR before IS NOT NULL AND (step IS NULL OR step <= before))
  UNION ALL
  SELECT f.rowid, l.rowid
  FROM training_files AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first + 1 AND f.last
  CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
  WHERE l.step <= p.step
),
begin AS MATERIALIZED (SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run FROM begins)
SELECT f.file, timed, coalesce(b.run, 1) AS run, f.clock, iif(coalesce(b.run, 1) = 1, f.first, b.id) AS first,
       coalesce(lead(b.id) OVER (PARTITION BY f.file ORDER BY b.run) - 1, f.last) AS last
FROM training_files AS f LEFT JOIN begin AS b ON b.of_file = f.rowid;
DROP TABLE training_near;
DROP TABLE training_files;

-- A run that begins anew after one that reached its last step is another job: it undoes nothing. Runs of several files are in
-- the order of their clocks: names seldom sort so.
DROP TABLE IF EXISTS temp.training_attempts;
CREATE TEMP TABLE training_attempts AS
WITH summed AS (
  SELECT r.*, (SELECT l.all_devices FROM training_marks AS m CROSS JOIN training_lines AS l ON l.rowid = m.id
               WHERE m.id BETWEEN r.first AND r.last AND l.all_devices ORDER BY m.id DESC LIMIT 1) AS devices, -- of the last launch
         (SELECT max(l.chip_name) FROM training_marks AS m CROSS JOIN training_lines AS l ON l.rowid = m.id
          WHERE m.id BETWEEN r.first AND r.last) AS chip,
         (SELECT max(l.all_steps) FROM training_marks AS m CROSS JOIN training_lines AS l ON l.rowid = m.id
          WHERE m.id BETWEEN r.first AND r.last) AS steps,
         min(step) AS first_step, max(step) AS last_step
  FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
  GROUP BY r.rowid
),
configured AS (
  SELECT file, timed, run, clock, first, last, first_step, last_step, coalesce(devices, max(devices) OVER f) AS devices,
         max(chip) OVER f AS chip,
         coalesce(steps, max(steps) OVER f) AS steps
  FROM summed WINDOW f AS (PARTITION BY file)
),
anew AS (
  SELECT *, coalesce(first_step <= lag(first_step) OVER w AND lag(last_step) OVER w = lag(steps) OVER w - 1, 0) AS is_anew
  FROM configured WINDOW w AS (PARTITION BY file ORDER BY run)
),
named AS (
  SELECT *, CAST(coalesce(:job, iif(sum(is_anew) OVER w = 0, file, file || '#' || (1 + sum(is_anew) OVER w))) AS TEXT) AS job
  FROM anew WINDOW w AS (PARTITION BY file ORDER BY run)
)
SELECT job, dense_rank() OVER (PARTITION BY job ORDER BY clock, file, run) AS attempt, coalesce(:job, file) AS log, file, timed, g.first,
       g.last, steps, g.chip, is_anew,
       coalesce(c.devices, 1) AS devices_per_chip, c.peak_flops, coalesce(:chips, g.devices / coalesce(c.devices, 1.0)) AS chips,
       g.devices / coalesce(c.devices, 1.0) AS told
FROM named AS g LEFT JOIN training_chips AS c ON c.chip = chip_name(coalesce(:chip, g.chip))
ORDER BY log, clock, file, run;
DROP TABLE training_chips;
DROP TABLE training_ranges;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH anew AS (
  SELECT a.file, min(l.line) AS line, count(*) AS runs
  FROM training_attempts AS a CROSS JOIN training_lines AS l ON l.rowid = a.first WHERE is_anew GROUP BY a.file
)
SELECT file, 'info', 'run_anew', line, runs,
       'runs that begin again after a run that reached its last step: each is a job of its own, unless a scheduler knows the job of the log'
FROM anew WHERE :job IS NULL
UNION ALL
SELECT file, 'warning', 'run_anew', line, runs,
       'runs that begin again after a run that reached its last step: all are of one job, and all count'
FROM anew WHERE :job IS NOT NULL;

-- Without a clock, a line is told when what all lines of its log up to it took is over, from when its file began, if that is told. (Loops
-- in the order of the windows: nothing is sorted.)
DROP TABLE IF EXISTS temp.training_clocks;
CREATE TEMP TABLE training_clocks(id INTEGER PRIMARY KEY, log, is_begun, end_time);
INSERT INTO training_clocks
WITH logs AS MATERIALIZED (
  SELECT min(a.rowid) AS first, max(a.rowid) AS last, b.time AS begun
  FROM training_attempts AS a LEFT JOIN training_begun AS b USING (file) GROUP BY log, iif(b.time IS NULL, NULL, file)
)
SELECT l.rowid, g.first, coalesce(:start, begun) IS NOT NULL,
       coalesce(mpg_time(:start, :zone), :start + 0, begun, 0)
                  + sum(coalesce(step_seconds, eval_seconds, 0)) OVER (PARTITION BY g.first
                      ORDER BY a.rowid, l.rowid ROWS UNBOUNDED PRECEDING)
FROM logs AS g CROSS JOIN training_attempts AS a ON a.rowid BETWEEN g.first AND g.last
CROSS JOIN training_lines AS l ON l.rowid BETWEEN a.first AND a.last
WHERE NOT timed AND begun IS (SELECT b.time FROM training_begun AS b WHERE b.file = a.file);
-- Where lines between steps have a clock, what follows each is not before it.
DROP TABLE IF EXISTS temp.training_later;
CREATE TEMP TABLE training_later(id INTEGER PRIMARY KEY, log, run, later);
INSERT INTO training_later
SELECT c.id, c.log, a.rowid, iif(is_begun, max(0, l.time - c.end_time), l.time - c.end_time)
FROM (SELECT 1 FROM training_clocks LIMIT 1) CROSS JOIN training_attempts AS a
CROSS JOIN training_lines AS l ON l.rowid BETWEEN a.first AND a.last CROSS JOIN training_clocks AS c ON c.id = l.rowid
WHERE NOT a.timed AND l.time IS NOT NULL;
UPDATE training_clocks SET end_time = end_time + d.later
FROM (WITH earliest AS MATERIALIZED (SELECT log, later
                                     FROM (SELECT log, later, row_number() OVER (PARTITION BY log ORDER BY run, id) AS nth
                                           FROM training_later) WHERE nth = 1)
      SELECT c.id AS id, coalesce(max(w.later) OVER (PARTITION BY c.log ORDER BY a.rowid, c.id ROWS UNBOUNDED PRECEDING),
                                  iif(c.is_begun, 0, f.later)) AS later
      FROM (SELECT 1 FROM training_later LIMIT 1) CROSS JOIN training_attempts AS a
      CROSS JOIN training_clocks AS c ON c.id BETWEEN a.first AND a.last
      JOIN earliest AS f ON f.log = c.log LEFT JOIN training_later AS w ON w.id = c.id) AS d
WHERE d.id = training_clocks.id;
DROP TABLE training_later;

-- What lines of no step say, in the order of jobs, attempts and lines; `run` is the rowid of the attempt.
DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
SELECT a.rowid AS run, l.rowid AS line, timed, iif(timed, time, c.end_time) AS end_time, eval_step, eval_seconds, saved, saving, blocked,
       finished, load_seconds, loaded, ended
FROM training_attempts AS a CROSS JOIN training_marks AS m ON m.id BETWEEN a.first AND a.last
CROSS JOIN training_lines AS l ON l.rowid = m.id
LEFT JOIN training_clocks AS c ON c.id = l.rowid;

-- JAX dispatches ahead: if a step took longer than its lines are apart, `seconds` are between dispatches. Spans of such a run are from
-- line to line, and so is a step that does not tell its seconds, as those at which a profiler starts or stops.
DROP TABLE IF EXISTS temp.training_timed;
CREATE TEMP TABLE training_timed AS
SELECT l.rowid AS line, a.rowid AS run, l.step, iif(timed, l.time, c.end_time) AS end_time,
       coalesce(l.step_seconds, iif(timed, l.time - p.time, NULL), 0) AS seconds, l.tflops, l.tokens, l.loss,
       iif(timed, p.time, b.end_time) AS before, timed
FROM training_attempts AS a CROSS JOIN training_lines AS l ON l.rowid BETWEEN a.first AND a.last
LEFT JOIN training_clocks AS c ON c.id = l.rowid
LEFT JOIN training_marks AS m ON m.id = l.rowid - 1
LEFT JOIN training_lines AS p ON p.rowid = coalesce(m.above, l.rowid - 1) AND p.rowid >= a.first
LEFT JOIN training_clocks AS b ON b.id = p.rowid
WHERE l.step IS NOT NULL;
DROP TABLE IF EXISTS temp.training_ahead;
CREATE TEMP TABLE training_ahead(run INTEGER PRIMARY KEY);
INSERT INTO training_ahead
SELECT run FROM training_timed WHERE timed AND seconds > 1.25 * (end_time - before) + 0.1
UNION -- or took no time, though its line is as far from the one before as others are, as the first after a compilation or an evaluation
SELECT t.run FROM training_timed AS t CROSS JOIN training_timed AS o ON o.rowid IN (t.rowid - 1, t.rowid + 1) AND o.run = t.run
WHERE t.timed AND t.seconds < 0.1 * (t.end_time - t.before)
  AND t.end_time - t.before BETWEEN 0.5 * (o.end_time - o.before) AND 2 * (o.end_time - o.before);
DROP TABLE IF EXISTS temp.training_spanned;
CREATE TEMP TABLE training_spanned AS
SELECT line, t.run AS run, step,
       iif(a.run IS NOT NULL, coalesce(before, end_time - seconds),
           max(end_time - seconds, coalesce(before, end_time - seconds))) AS start_time,
       end_time, seconds, tflops, tokens, loss, a.run IS NOT NULL AS ahead
FROM training_timed AS t LEFT JOIN training_ahead AS a ON a.run = t.run;
-- Lines that come at once, as the last two of a run do, or those with a clock of whole seconds: their steps share the time since the line
-- before, in the ratio of their seconds.
DROP TABLE IF EXISTS temp.training_shared;
CREATE TEMP TABLE training_shared AS
WITH once AS MATERIALIZED (
  SELECT rowid AS id, rowid - row_number() OVER (ORDER BY rowid) AS place
  FROM training_timed WHERE timed AND end_time - before < min(0.05, 0.1 * seconds)
),
member AS (SELECT id, place FROM once UNION ALL SELECT min(id) - 1, place FROM once GROUP BY place),
told AS (
  SELECT m.id, t.run IN (SELECT run FROM training_ahead) AS ahead, t.seconds, max(t.end_time) OVER g AS last,
         sum(t.seconds) OVER g AS whole,
         sum(t.seconds) OVER (PARTITION BY m.place ORDER BY m.id) AS so_far,
         first_value(t.before) OVER (PARTITION BY m.place ORDER BY m.id) AS since
  FROM member AS m CROSS JOIN training_timed AS t ON t.rowid = m.id WINDOW g AS (PARTITION BY m.place)
)
SELECT id, seconds, whole, so_far, last, coalesce(iif(ahead, since, max(since, last - whole)), last - whole) AS since FROM told;
UPDATE training_spanned SET start_time = h.since + (h.last - h.since) * (h.so_far - h.seconds) / h.whole,
  end_time = h.since + (h.last - h.since) * h.so_far / h.whole
FROM (SELECT id, seconds AS seconds, whole, so_far, last, since FROM training_shared) AS h WHERE h.id = training_spanned.rowid;
DROP TABLE training_shared;
DROP TABLE training_timed;
DROP TABLE training_clocks;

DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT job, attempt, step, start_time, end_time, seconds, 1 AS executions, iif(typeof(loss) <> 'text', loss, NULL) AS loss,
       tokens * devices_per_chip AS tokens_per_s_per_chip, tflops * devices_per_chip AS tflops_per_chip,
       tflops * devices_per_chip * 1e12 / peak_flops AS mfu, tflops * devices_per_chip * 1e12 * seconds * coalesce(chips, 1) AS flops
FROM training_spanned AS s CROSS JOIN training_attempts AS a ON a.rowid = run WHERE :only_relations IS NULL;

-- Steps without a line: a line is of one step, even if all lines are as far apart, as of every tenth step.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, 'warning', 'missing_steps', NULL, count(*),
       'lines of steps that come after a step without a line, first step ' || min(b.step)
         || ': lines are missing, and time of those steps counts elsewhere or nowhere'
FROM training_spanned AS b CROSS JOIN training_spanned AS a ON a.rowid = b.rowid - 1 AND a.run = b.run
CROSS JOIN training_attempts AS r ON r.rowid = b.run WHERE b.step > a.step + 1 GROUP BY job;

-- Most versions do not say how long evaluations took: with times it is what is left of the gap that they are in.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
WITH evaluated AS (
  SELECT DISTINCT e.run, (SELECT l.rowid FROM training_lines AS l
                          WHERE l.rowid > e.line AND l.rowid <= a.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1) AS line
  FROM training_events AS e CROSS JOIN training_attempts AS a ON a.rowid = e.run
  WHERE eval_step IS NOT NULL AND eval_seconds IS NULL AND e.timed
),
gap AS (
  SELECT e.run, (SELECT p.time FROM training_lines AS p WHERE p.rowid < e.line AND p.rowid >= a.first AND p.step IS NOT NULL
                 ORDER BY p.rowid DESC LIMIT 1) AS start_time,
         l.time - coalesce(l.step_seconds, 0) AS end_time
  FROM evaluated AS e CROSS JOIN training_attempts AS a ON a.rowid = e.run CROSS JOIN training_lines AS l ON l.rowid = e.line
)
SELECT run, 'eval' AS kind, end_time - eval_seconds AS start_time, end_time, NULL AS step
FROM training_events WHERE eval_seconds IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT run, 'eval', start_time, end_time, NULL FROM gap WHERE end_time > start_time
UNION ALL
SELECT run, 'checkpoint', end_time - blocked, end_time, NULL FROM training_events WHERE blocked IS NOT NULL AND end_time IS NOT NULL
UNION ALL
SELECT run, 'restore', e.end_time - load_seconds, e.end_time, -- a step above the one that follows is of another run, as a base model's
       iif(loaded > (SELECT l.step FROM training_lines AS l
                     WHERE l.rowid BETWEEN e.line AND a.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1), NULL, loaded)
FROM training_events AS e JOIN training_attempts AS a ON a.rowid = run WHERE load_seconds IS NOT NULL AND e.end_time IS NOT NULL;

-- A save of a run that dispatches ahead lies before the line of its step. It took as long as this line and the next one are apart from the
-- line before, less what their steps took.
INSERT INTO temp.training_phases
WITH saver AS MATERIALIZED (
  SELECT DISTINCT run FROM training_events WHERE coalesce(saved, saving) IS NOT NULL
  INTERSECT SELECT run FROM training_ahead
  EXCEPT SELECT run FROM training_events WHERE blocked IS NOT NULL
),
mark AS (
  SELECT run, line, NULL AS step, end_time, NULL AS start_time, 0.0 AS seconds FROM training_events
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
-- can begin, or when a preempted program stops, unless Orbax says when. A save before the first step is of the step that follows.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
WITH save AS (
  SELECT run, saving IS NOT NULL AS later, coalesce(saved, saving) AS step,
         coalesce(end_time, (SELECT l.time FROM training_lines AS l -- without a clock among others
                             WHERE l.rowid < e.line AND l.rowid >= a.first AND l.time IS NOT NULL ORDER BY l.rowid DESC LIMIT 1),
                  min(end_time) OVER (PARTITION BY file)) AS end_time,
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
  SELECT run, step, began AS snapshot_time,
         coalesce(saved, lead(began) OVER (PARTITION BY run ORDER BY line),
                  (SELECT min(e.end_time) FROM training_events AS e WHERE e.run = once.run AND ended = 'preempted')) AS durable_time
  FROM once
)
SELECT run, step, t.snapshot_time, coalesce(f.end_time, t.durable_time) AS durable_time
FROM told AS t LEFT JOIN finish AS f USING (run, step)
UNION ALL
SELECT run, step, end_time, end_time FROM finish WHERE (run, step) NOT IN (SELECT run, step FROM save);
DELETE FROM temp.training_saves WHERE durable_time IS NULL;

DROP TABLE IF EXISTS temp.training_stretches;
CREATE TEMP TABLE training_stretches AS
SELECT s.run, s.rowid AS first, coalesce(lead(s.rowid) OVER (ORDER BY s.rowid) - 1, (SELECT max(rowid) FROM training_spanned)) AS last
FROM training_spanned AS s LEFT JOIN training_spanned AS p ON p.rowid = s.rowid - 1 WHERE p.run IS NOT s.run;
CREATE INDEX temp.training_phases_of ON training_phases(run);
CREATE INDEX temp.training_events_of ON training_events(run);
.read sql/formats/maxtext/runs.sql

-- ---- 3. The relations ----

.read sql/formats/log/held.sql

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT job, 'data_loss', 'end_before_start', NULL, count(*),
       'steps of which nothing tells a time, first ' || min(step) || ': the first of a log, or not later than the one before: left out'
FROM training_spanned AS s CROSS JOIN training_attempts AS a ON a.rowid = run WHERE end_time <= start_time GROUP BY job;

DROP VIEW IF EXISTS temp.training_lengths;
CREATE TEMP VIEW training_lengths AS
SELECT r.rowid AS run, job, attempt, step, start_time, end_time, seconds AS own, 1 AS executions
FROM training_stretches AS r CROSS JOIN training_attempts AS a ON a.rowid = r.run
CROSS JOIN training_spanned AS s ON s.rowid BETWEEN r.first AND r.last;
.read sql/formats/log/lengths.sql

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, attempt, 'step' AS kind, start_time, end_time, step, tflops * devices_per_chip * 1e12 * seconds * coalesce(chips, 1) AS flops
FROM training_spanned AS s CROSS JOIN training_attempts AS a ON a.rowid = run WHERE end_time > start_time
UNION ALL
SELECT job, attempt, 'compile', start_time, start_time + seconds, NULL, NULL FROM training_compiled
UNION ALL
SELECT job, attempt, kind, start_time, end_time, step, NULL FROM training_phases JOIN training_attempts AS a ON a.rowid = run;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, snapshot_time, durable_time FROM training_saves JOIN training_attempts AS a ON a.rowid = run
ORDER BY job, attempt, durable_time;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_compiled;
DROP TABLE training_runs;
DROP TABLE training_tail;
DROP TABLE training_stretches;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_spanned;
DROP TABLE training_events;
DROP TABLE training_ahead;
DROP TABLE training_marks;
DROP TABLE training_begun;
DROP TABLE training_attempts;
DROP VIEW training_extents;
DROP TABLE training_lines;
