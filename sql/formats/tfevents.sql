-- tfevents.sql - from TensorBoard's event files (events.out.tfevents.*) to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ needs :chips (?s)\A
--@ needs :chip (?s)\A
--@ input :events binary (?s)\A.\x00{7}.{4}(?:\x09.{8})?(?:\x10[\x80-\xff]{0,9}[\x00-\x7f])?\x1a.brain\.Event:\d
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :events fixtures/tfevents
--     .read sql/formats/tfevents.sql
--     SELECT attempt, step, seconds, loss, tflops_per_chip FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters (all but :events may be left unset): :events is a path, glob or folder; :tag is the tag whose values say
-- of steps, if it is none of those below; :chips and :chip say how many chips the job holds, and which; :pool
-- names the pool ('training'); :job makes all files runs of one job (else those of a folder are one, named after
-- it); :outcome says how the last run ended ('completed', 'failed', ...); :flops are those of one step on all chips together,
-- where no tag says a rate. A program that cannot bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a value of the tag. The rules are explained in docs/formats/tfevents.md.

-- ---- 1. The input ----

-- The tags of steps, and those by which the same trainer says TFLOP/s of a device and seconds of a step.
DROP TABLE IF EXISTS temp.tfevents_tags;
CREATE TEMP TABLE tfevents_tags(place INTEGER PRIMARY KEY, tag TEXT NOT NULL, rate TEXT, seconds TEXT, framework TEXT);
INSERT INTO tfevents_tags VALUES
  (1, 'learning/loss', 'perf/per_device_tflops_per_sec', 'perf/step_time_seconds', 'jax'),
  (2, 'lm loss', 'throughput', 'iteration-time', 'pytorch'),
  (3, 'loss_metrics/global_avg_loss', 'tflops', 'time_metrics/end_to_end(s)', 'pytorch'),
  (4, 'reduced_train_loss', NULL, NULL, 'pytorch'), (5, 'train/loss', NULL, NULL, NULL), (6, 'train_loss', NULL, NULL, NULL),
  (7, 'training/loss', NULL, NULL, NULL), (8, 'loss/train', NULL, NULL, NULL), (9, 'Loss/train', NULL, NULL, NULL),
  (10, 'train_loss_step', NULL, NULL, NULL), (11, 'loss', NULL, NULL, NULL);
DELETE FROM tfevents_tags WHERE tag <> :tag;
INSERT INTO tfevents_tags SELECT 12, :tag, NULL, NULL, NULL WHERE :tag IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tfevents_tags);

-- A file begins with an event of its own, and is observed until the last event of any kind.
DROP TABLE IF EXISTS temp.tfevents_files;
CREATE TEMP TABLE tfevents_files(file TEXT PRIMARY KEY, job TEXT, begin_time REAL, last_time REAL);
INSERT INTO tfevents_files
SELECT _file, coalesce(:job, nullif(rtrim(rtrim(_file, replace(_file, '/', '')), '/'), ''), _file),
       coalesce(min(CASE WHEN kind = 'file_version' THEN wall_time END), min(wall_time)), max(wall_time)
FROM tfevents_trace(mpg_required(:events, ':events')) WHERE wall_time > 0 GROUP BY _file;

DROP TABLE IF EXISTS temp.tfevents_values;
CREATE TEMP TABLE tfevents_values AS
SELECT _file AS file, _line AS line, wall_time AS time, step, kind, tag, value
FROM tfevents_trace(mpg_required(:events, ':events'))
WHERE kind = 'scalar' AND tag IN (SELECT tag FROM tfevents_tags UNION SELECT rate FROM tfevents_tags UNION SELECT seconds FROM tfevents_tags)
   OR kind IS NULL AND tag IN (SELECT tag FROM tfevents_tags UNION SELECT rate FROM tfevents_tags UNION SELECT seconds FROM tfevents_tags)
   OR kind = 'session_log' AND tag = 'checkpoint';
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'missing_field', min(line), count(*), 'summaries of "' || min(tag) || '" without a value: left out' FROM tfevents_values WHERE kind IS NULL GROUP BY file;
DELETE FROM tfevents_values WHERE kind IS NULL;

-- What cannot be: no time, or one that is more than ten years from the middle one of the file's.
DROP TABLE IF EXISTS temp.tfevents_far;
CREATE TEMP TABLE tfevents_far AS
WITH wide AS MATERIALIZED (SELECT 1 FROM (SELECT min(time) AS first, max(time) AS last, count(*) > count(time) AS untimed FROM tfevents_values) WHERE untimed OR first <= 0 OR last - first > 315569520),
years AS (SELECT file, CAST(time / 31556952 AS INTEGER) AS year, count(*) AS n FROM wide CROSS JOIN tfevents_values WHERE time > 0 GROUP BY 1, 2),
middle AS (
  SELECT file, min(year) AS year FROM (SELECT file, year, sum(n) OVER (PARTITION BY file ORDER BY year) AS so_far, sum(n) OVER (PARTITION BY file) AS n FROM years)
  WHERE 2 * so_far >= n GROUP BY file
)
SELECT v.rowid AS row, v.file, v.line FROM wide CROSS JOIN tfevents_values AS v LEFT JOIN middle AS m USING (file)
WHERE v.time IS NULL OR v.time <= 0 OR m.year IS NULL OR abs(v.time / 31556952 - m.year) > 10;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', min(line), count(*), 'values without a time, or whose time is more than ten years from the middle one: left out'
FROM tfevents_far GROUP BY file;
DELETE FROM tfevents_values WHERE rowid IN (SELECT row FROM tfevents_far);
-- The same of events of other kinds, which say when the file begins and until when it was observed.
DROP TABLE IF EXISTS temp.tfevents_observed;
CREATE TEMP TABLE tfevents_observed AS
SELECT f.file, v.first, v.last, abs(f.begin_time - v.first) > 315569520 AS begins_far, abs(f.last_time - v.last) > 315569520 AS ends_far
FROM tfevents_files AS f JOIN (SELECT file, min(time) AS first, max(time) AS last FROM tfevents_values GROUP BY file) AS v USING (file);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'data_loss', 'impossible_time', NULL, 1, 'an event of another kind is more than ten years from the values: its time counts as nothing'
FROM tfevents_observed WHERE (begins_far OR ends_far) AND file NOT IN (SELECT file FROM tfevents_far);
UPDATE tfevents_files SET begin_time = iif(begins_far, o.first, begin_time), last_time = iif(ends_far, o.last, last_time)
FROM tfevents_observed AS o WHERE o.file = tfevents_files.file AND (begins_far OR ends_far);
DROP TABLE tfevents_observed;

-- The tag of a job is the one with the most values; of several with as many, the first of the list.
DROP TABLE IF EXISTS temp.tfevents_chosen;
CREATE TEMP TABLE tfevents_chosen(job TEXT PRIMARY KEY, tag TEXT, rate TEXT, seconds TEXT, framework TEXT);
INSERT INTO tfevents_chosen
SELECT job, tag, rate, seconds, framework
FROM (SELECT f.job, t.*, row_number() OVER (PARTITION BY f.job ORDER BY count(*) DESC, t.place) AS nth
      FROM tfevents_values AS v JOIN tfevents_tags AS t USING (tag) JOIN tfevents_files AS f USING (file) GROUP BY f.job, t.place)
WHERE nth = 1;

-- A job without the tag is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'warning', 'no_steps', NULL, 1, coalesce('no value of the tag "' || :tag || '" was found', 'no known tag of steps was found: name it by the option tag')
FROM tfevents_files WHERE job NOT IN (SELECT job FROM tfevents_chosen) GROUP BY job;

-- ---- 2. Attempts ----

-- Hosts that write at the same time say the same steps: the file with the most values counts.
DROP TABLE IF EXISTS temp.tfevents_runs;
CREATE TEMP TABLE tfevents_runs AS
SELECT f.job, f.file, f.begin_time, f.last_time, min(v.time) AS first_step_time, max(v.time) AS last_step_time, count(*) AS n
FROM tfevents_files AS f JOIN tfevents_chosen AS c USING (job) JOIN tfevents_values AS v ON v.file = f.file AND v.tag = c.tag
GROUP BY f.file;
DROP TABLE IF EXISTS temp.tfevents_parallel;
CREATE TEMP TABLE tfevents_parallel AS
SELECT a.file, min(b.file) AS other, a.n FROM tfevents_runs AS a JOIN tfevents_runs AS b
  ON b.job = a.job AND b.file <> a.file AND b.first_step_time <= a.last_step_time AND a.first_step_time <= b.last_step_time
     AND (b.n > a.n OR (b.n = a.n AND b.file < a.file))
GROUP BY a.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_files', NULL, n, 'values of the same time as those of ' || other || ', which has as many or more: left out as those of another host'
FROM tfevents_parallel;
DELETE FROM tfevents_runs WHERE file IN (SELECT file FROM tfevents_parallel);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT b.file, 'warning', 'parallel_logs', NULL, b.n, 'values of the same steps, and as far apart, as those of ' || min(a.file) || ': they count as a restart; if the files are of two hosts with other clocks, read one'
FROM tfevents_runs AS a JOIN tfevents_runs AS b ON b.job = a.job AND b.n = a.n AND b.first_step_time > a.last_step_time AND abs((b.last_step_time - b.first_step_time) - (a.last_step_time - a.first_step_time)) < 0.5
WHERE a.n > 2 AND NOT EXISTS (SELECT v.step FROM tfevents_values AS v JOIN tfevents_chosen AS c ON c.job = a.job AND c.tag = v.tag WHERE v.file = b.file
                              EXCEPT SELECT v.step FROM tfevents_values AS v WHERE v.file = a.file)
GROUP BY b.file;

-- A run whose folder lies beside another's, that begins after the other's last value and whose first step follows one of its steps, but
-- not its first, goes on with it, perhaps. (A run from the start begins with the same step: the first that is logged.)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH first_value AS (
  SELECT r.job, rtrim(r.job, replace(r.job, '/', '')) AS beside, c.tag, min(r.first_step_time) AS first_time, max(r.last_step_time) AS last_time,
         min(v.step) AS first_step, max(v.step) AS last_step
  FROM tfevents_runs AS r JOIN tfevents_chosen AS c USING (job) JOIN tfevents_values AS v ON v.file = r.file AND v.tag = c.tag
  WHERE :job IS NULL AND (SELECT count(*) FROM tfevents_files) > 1 GROUP BY r.job
)
SELECT job, 'warning', 'continued_run', NULL, 1, 'begins with step ' || first_step || ', as if it went on with ' || earlier || ': if so, give both one name by the option job'
FROM (SELECT b.job, b.first_step, a.job AS earlier, row_number() OVER (PARTITION BY b.job ORDER BY a.last_time DESC) AS nth
      FROM first_value AS a JOIN first_value AS b ON b.beside = a.beside AND b.tag = a.tag AND b.first_time > a.last_time
       AND b.first_step > a.first_step AND b.first_step <= a.last_step + (a.last_step - a.first_step))
WHERE nth = 1;

-- A program that starts opens a file: each file is an attempt, and so is what follows in one where steps go back.
-- (Jobs and files by numbers: their texts would be sorted with each value.)
DROP TABLE IF EXISTS temp.tfevents_order;
CREATE TEMP TABLE tfevents_order AS
SELECT rowid AS run, dense_rank() OVER (ORDER BY job) AS of_job, row_number() OVER (ORDER BY job, begin_time, file) AS nth FROM tfevents_runs;
DROP TABLE IF EXISTS temp.tfevents_points;
CREATE TEMP TABLE tfevents_points AS
WITH ordered AS (
  SELECT o.run, o.of_job, o.nth, v.line, v.time, v.step, v.value, lag(v.step) OVER w AS step_before, lag(o.nth) OVER w AS nth_before
  FROM tfevents_order AS o CROSS JOIN tfevents_runs AS r ON r.rowid = o.run JOIN tfevents_chosen AS c USING (job) JOIN tfevents_values AS v ON v.file = r.file AND v.tag = c.tag
  WINDOW w AS (PARTITION BY o.of_job ORDER BY o.nth, v.line)
),
numbered AS (
  SELECT *, sum(nth_before IS NOT nth OR step < step_before) OVER (PARTITION BY of_job ORDER BY nth, line) AS attempt FROM ordered
),
counted AS (
  SELECT of_job, attempt, step, max(run) AS run, max(time) AS time, max(value) AS value, min(line) AS line, count(*) AS n FROM numbered GROUP BY of_job, attempt, step
)
SELECT r.job, p.attempt, r.file, p.step, p.time, p.value, p.line, r.begin_time, p.n FROM counted AS p CROSS JOIN tfevents_runs AS r ON r.rowid = p.run;
DROP TABLE tfevents_order;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH first AS (
  SELECT job, attempt, file, min(line) AS line, min(step) AS step, lag(file) OVER (PARTITION BY job ORDER BY attempt) AS file_before FROM tfevents_points GROUP BY job, attempt
)
SELECT file, 'warning', 'repeated_steps', min(line), count(*), 'steps whose number goes back within the file, first ' || min(step) || ': what was done since counts as lost'
FROM first WHERE file = file_before GROUP BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'repeated_record', min(line), sum(n - 1), 'values of a step that has one already, first ' || min(step) || ': they count as one, at the time of the last' FROM tfevents_points WHERE n > 1 GROUP BY file;

-- A value stands for the steps since the one before it. The first of an attempt has none: its steps took what those of the
-- attempt, or else of the job, take on the mean, and what came before them is `init`.
DROP TABLE IF EXISTS temp.tfevents_spans;
CREATE TEMP TABLE tfevents_spans AS
WITH spaced AS (
  SELECT *, lag(time) OVER w AS time_before, step - lag(step) OVER w AS executions, lead(step) OVER w - step AS executions_after,
         row_number() OVER (PARTITION BY file ORDER BY attempt, step) AS nth_of_file, lag(time) OVER (PARTITION BY job ORDER BY attempt, step) AS time_of_job
  FROM tfevents_points WINDOW w AS (PARTITION BY job, attempt ORDER BY step)
),
usual AS MATERIALIZED (
  SELECT job, max(seconds) AS seconds FROM (
    SELECT job, (time - time_before) / executions AS seconds, row_number() OVER w AS nth, count(*) OVER (PARTITION BY job) AS n FROM spaced
    WHERE time_before IS NOT NULL AND (SELECT max(time - time_before) FROM spaced) > 60
    WINDOW w AS (PARTITION BY job ORDER BY (time - time_before) / executions))
  WHERE 2 * nth <= n + 1 GROUP BY job
),
mean AS ( -- without those that may hold a pause
  SELECT s.job, attempt, sum(time - time_before) / sum(executions) AS seconds,
         sum(sum(time - time_before)) OVER (PARTITION BY s.job) / sum(sum(executions)) OVER (PARTITION BY s.job) AS seconds_of_job
  FROM spaced AS s LEFT JOIN usual AS u ON u.job = s.job
  WHERE time_before IS NOT NULL AND ((time - time_before) / executions > 3 * u.seconds AND time - time_before > 60 + u.seconds) IS NOT TRUE GROUP BY s.job, attempt
),
begun AS (
  SELECT s.*, CASE WHEN nth_of_file = 1 THEN min(begin_time, s.time) ELSE time_of_job END AS begin_of_attempt,
         coalesce(m.seconds, (SELECT max(o.seconds_of_job) FROM mean AS o WHERE o.job = s.job)) AS mean_seconds
  FROM spaced AS s LEFT JOIN mean AS m USING (job, attempt)
)
SELECT job, attempt, file, step, value, time AS end_time, time_before IS NULL AS is_first, begin_of_attempt,
       coalesce(executions, executions_after, 1) AS executions,
       coalesce(time_before, max(begin_of_attempt, time - mean_seconds * coalesce(executions_after, 1)), time) AS start_time
FROM begun;
DROP TABLE tfevents_points;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'data_loss', 'end_before_start', count(*), 'values that tell no time of their step, first of step ' || min(step) || ': not later than the one before, or the only one of an attempt: left out'
FROM tfevents_spans WHERE end_time <= start_time GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'skipped_steps', count(*), 'steps whose loss is no number: they count as progress' FROM tfevents_spans WHERE value IS NULL OR abs(value) = 9e999 GROUP BY file;
-- A value stands for all since the one before it: a pause, or a restart that opened no file, is part of a step.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
WITH each AS (SELECT job, file, step, (end_time - start_time) / executions AS seconds, end_time - start_time AS whole FROM tfevents_spans WHERE NOT is_first AND executions > 0),
usual AS (SELECT job, max(seconds) AS seconds FROM (SELECT job, seconds, row_number() OVER w AS nth, count(*) OVER (PARTITION BY job) AS n FROM each WINDOW w AS (PARTITION BY job ORDER BY seconds)) WHERE 2 * nth <= n + 1 GROUP BY job)
SELECT file, 'warning', 'long_steps', count(*), 'steps that took three times as long as most and a minute more, first ' || min(step) || ': a pause, an evaluation or a restart in them counts as progress'
FROM usual AS u CROSS JOIN each USING (job) WHERE (SELECT max(whole) FROM each) > 60 AND each.seconds > 3 * u.seconds AND whole > 60 + u.seconds GROUP BY file;

-- ---- 3. Steps ----

-- Rates are of devices: of the chips of the catalogue some are of two.
DROP TABLE IF EXISTS temp.tfevents_chip;
CREATE TEMP TABLE tfevents_chip AS
SELECT max(c.devices) AS devices, max(CASE WHEN c.dtype = 'bf16' THEN c.peak_flops END) AS peak_flops
FROM mpg_chips AS c WHERE lower(c.chip) = lower(:chip) OR EXISTS (SELECT 1 FROM json_each(c.aliases) AS a WHERE lower(a.value) = lower(:chip));

-- What a step took, if the trainer says it beside the rate, is without what else lies between two values.
DROP TABLE IF EXISTS temp.tfevents_rates;
CREATE TEMP TABLE tfevents_rates AS
SELECT v.file, v.step, v.time, max(CASE WHEN v.tag = c.rate THEN v.value END) AS tflops, max(CASE WHEN v.tag = c.seconds THEN v.value END) AS seconds
FROM tfevents_runs AS r JOIN tfevents_chosen AS c USING (job) JOIN tfevents_values AS v ON v.file = r.file AND v.tag IN (c.rate, c.seconds)
GROUP BY v.file, v.step;
CREATE INDEX temp.tfevents_rate_of ON tfevents_rates(file, step);

DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT s.job, s.attempt, s.step, s.start_time, s.end_time, s.end_time - s.start_time AS seconds, s.executions, s.value AS loss,
       r.tflops * coalesce(d.devices, 1) AS tflops_per_chip, r.tflops * coalesce(d.devices, 1) * 1e12 / d.peak_flops AS mfu,
       coalesce(r.tflops * coalesce(d.devices, 1) * 1e12 * coalesce(:chips, 1) * coalesce(r.seconds * s.executions, s.end_time - s.start_time),
                :flops * s.executions) AS flops
FROM tfevents_spans AS s CROSS JOIN tfevents_chip AS d LEFT JOIN tfevents_rates AS r ON r.file = s.file AND r.step = s.step
WHERE s.end_time > s.start_time;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(file) FROM tfevents_runs AS r WHERE r.job = s.job), 'warning', 'missing_field', NULL, count(*) FILTER (WHERE flops IS NULL), 'steps without TFLOP/s, though others have them: these are unrated'
FROM training_steps AS s GROUP BY job HAVING count(flops) > 0 AND count(flops) < count(*);

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.tfevents_attempts;
CREATE TEMP TABLE tfevents_attempts AS
WITH attempt AS (
  SELECT job, attempt, min(file) AS file, min(begin_of_attempt) AS start_time, max(end_time) AS end_time FROM tfevents_spans GROUP BY job, attempt
)
SELECT a.job, a.attempt, a.file, a.start_time,
       CASE WHEN a.attempt = max(a.attempt) OVER (PARTITION BY a.file) THEN max(a.end_time, r.last_time) ELSE a.end_time END AS end_time,
       a.attempt = max(a.attempt) OVER (PARTITION BY a.job) AS is_last
FROM attempt AS a JOIN tfevents_runs AS r ON r.file = a.file;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, substr(job, 1 + length(rtrim(job, replace(job, '/', '')))) AS name, 'training' AS phase, framework, coalesce(:chips, 1) AS chips
FROM tfevents_chosen;

-- A run that another one of its job follows broke off. The last one is over where :outcome says so.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'training') AS pool, coalesce(:chips, 1) AS chips, start_time,
       CASE WHEN NOT is_last OR :outcome IS NOT NULL THEN end_time END AS end_time, CASE WHEN is_last THEN :outcome ELSE 'failed' END AS outcome
FROM tfevents_attempts;

-- What is held, until the last event: event files know of nothing else.
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT coalesce(:pool, 'training') AS pool, :chip AS chip, coalesce(:chips, 1) AS chips, start_time, end_time FROM tfevents_attempts;

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, attempt, 'step' AS kind, start_time, end_time, step, flops FROM training_steps
UNION ALL
SELECT job, attempt, 'init', begin_of_attempt, start_time, NULL, NULL FROM tfevents_spans WHERE is_first AND start_time > begin_of_attempt
ORDER BY 1, 2, 4;

-- Sessions of TensorFlow 1 say their checkpoints; nothing else does.
DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT a.job, a.attempt, v.step, v.time AS snapshot_time, v.time AS durable_time
FROM tfevents_values AS v JOIN tfevents_attempts AS a ON a.file = v.file AND v.time >= a.start_time AND v.time <= a.end_time
WHERE v.kind = 'session_log' ORDER BY 1, 2, 5;

-- ---- 5. Tables that are no longer needed ----

DROP TABLE tfevents_attempts;
DROP TABLE tfevents_rates;
DROP TABLE tfevents_chip;
DROP TABLE tfevents_spans;
DROP TABLE tfevents_parallel;
DROP TABLE tfevents_runs;
DROP TABLE tfevents_chosen;
DROP TABLE tfevents_far;
DROP TABLE tfevents_values;
DROP TABLE tfevents_files;
DROP TABLE tfevents_tags;
