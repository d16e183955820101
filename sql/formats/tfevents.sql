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
-- where no tag says a rate; :only_relations, which trace_rollup and its like set, leaves training_steps empty. A program that cannot bind
-- parameters to a script replaces them in its text.
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
  (4, 'reduced_train_loss', 'TFLOPS_per_GPU', NULL, 'pytorch'), (5, 'train/loss', 'train/device/flops_per_sec', NULL, NULL),
  (6, 'train_loss', 'train/device/flops_per_sec', NULL, NULL),
  (7, 'training/loss', NULL, NULL, NULL), (8, 'loss/train', NULL, NULL, NULL), (9, 'Loss/train', NULL, NULL, NULL),
  (10, 'train_loss_step', 'train/device/flops_per_sec', NULL, NULL), (11, 'loss', NULL, NULL, NULL),
  (12, 'training_loss', NULL, NULL, NULL), (13, 'train/loss_step', 'train/device/flops_per_sec', NULL, NULL),
  (14, 'loss/train/total', 'throughput/device/flops_per_sec', NULL, 'pytorch'), (15, 'train_inner/loss', NULL, NULL, 'pytorch'),
  (16, 'train/policy_loss', NULL, NULL, NULL), (17, 'actor/pg_loss', NULL, NULL, 'pytorch'),
  (18, 'batch_loss', NULL, NULL, NULL), (19, 'epoch_loss', NULL, NULL, NULL), -- Keras'
  (20, 'train/lm_loss', NULL, NULL, 'pytorch'), (21, 'lm_loss', 'model_tflops_per_gpu', NULL, 'pytorch'), -- GPT-NeoX, nanotron
  (22, 'train/CrossEntropyLoss', NULL, NULL, 'pytorch'), (23, 'train/CE loss', NULL, NULL, 'pytorch');
DELETE FROM tfevents_tags WHERE tag <> :tag;
INSERT INTO tfevents_tags SELECT 24, :tag, NULL, NULL, NULL WHERE :tag IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tfevents_tags);

.read sql/formats/tfevents/input.sql
.read sql/formats/tfevents/evaluations.sql
.read sql/formats/tfevents/values.sql
.read sql/formats/tfevents/times.sql

-- ---- 2. Attempts ----

DROP TABLE IF EXISTS temp.tfevents_breaks;
CREATE TEMP TABLE tfevents_breaks(id INTEGER PRIMARY KEY, begins, step, before, seconds);
.read sql/formats/tfevents/breaks.sql
.read sql/formats/tfevents/runs.sql
.read sql/formats/tfevents/breaks.sql

.read sql/formats/tfevents/twice.sql
.read sql/formats/tfevents/attempts.sql
.read sql/formats/tfevents/begins.sql

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'repeated_steps', min(line), count(*),
       'steps whose number goes back within the file, first ' || min(step) || ': what was done since counts as lost'
FROM (SELECT a.file, t.line, t.step, lag(a.file) OVER (PARTITION BY a.job ORDER BY a.attempt) AS file_before
      FROM tfevents_attempts AS a CROSS JOIN tfevents_told AS t ON t.rowid = a.first)
WHERE file = file_before GROUP BY file;

-- ---- 3. Steps ----

.read sql/formats/tfevents/rates.sql
.read sql/formats/tfevents/steps.sql

-- ---- 4. The relations ----

DROP TABLE IF EXISTS temp.tfevents_held;
CREATE TEMP TABLE tfevents_held AS
SELECT a.job, a.attempt, a.file, a.held_from AS start_time,
       CASE WHEN a.attempt = max(a.attempt) OVER (PARTITION BY a.file) THEN max(a.end_time, r.last_time) ELSE a.end_time END AS end_time,
       a.attempt = max(a.attempt) OVER (PARTITION BY a.job) AS is_last
FROM tfevents_attempts AS a JOIN tfevents_runs AS r ON r.file = a.file;

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, substr(job, 1 + length(rtrim(job, replace(job, '/', '')))) AS name, 'training' AS phase, framework, coalesce(:chips, 1) AS chips
FROM tfevents_chosen;
DROP TABLE IF EXISTS temp.assumed_chips; -- of which the scheduler may know how many chips they hold; rates are those of one
CREATE TEMP TABLE assumed_chips AS SELECT job FROM tfevents_chosen WHERE coalesce(:chips, :flops) IS NULL;

-- A run that another one of its job follows broke off. The last one is over where :outcome says so.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, attempt, coalesce(:pool, 'training') AS pool, coalesce(:chips, 1) AS chips, start_time,
       CASE WHEN NOT is_last OR :outcome IS NOT NULL THEN end_time END AS end_time,
       CASE WHEN is_last THEN :outcome ELSE 'failed' END AS outcome
FROM tfevents_held;

-- What is held, until the last event: event files know of nothing else.
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT coalesce(:pool, 'training') AS pool, :chip AS chip, coalesce(:chips, 1) AS chips, start_time, end_time FROM tfevents_held;

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans(job TEXT, attempt, kind TEXT, start_time REAL, end_time REAL, step, flops);
INSERT INTO spans(rowid, job, attempt, kind, start_time, end_time, step, flops) -- the beginning of an attempt lies before its first step
SELECT 2 * place, job, attempt, 'step', start_time, end_time, step, flops FROM tfevents_steps;
INSERT INTO spans(rowid, job, attempt, kind, start_time, end_time)
SELECT 2 * first - 1, job, attempt, 'init', begin_of_attempt, first_start FROM tfevents_attempts WHERE first_start > begin_of_attempt;

--@ if EXISTS (SELECT 1 FROM tfevents_evals)
CREATE INDEX temp.tfevents_spans ON spans(job, attempt, end_time);
INSERT INTO spans(job, attempt, kind, start_time, end_time)
SELECT h.job, h.attempt, 'eval',
       max(v.time - v.seconds, h.start_time,
           coalesce((SELECT max(s.end_time) FROM spans AS s WHERE s.job = h.job AND s.attempt = h.attempt AND s.end_time <= v.time),
                    h.start_time)), v.time
FROM tfevents_evals AS v JOIN tfevents_held AS h ON h.file = v.file AND v.time > h.start_time AND v.time <= h.end_time;
DROP INDEX temp.tfevents_spans;
--@ end

-- Where clocks went back they are sorted, or evaluations came.
DROP TABLE IF EXISTS temp.tfevents_sorted;
CREATE TEMP TABLE tfevents_sorted AS
SELECT s.*
FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM tfevents_breaks WHERE seconds < 0 AND NOT begins AND step >= before)
        OR EXISTS (SELECT 1 FROM tfevents_attempts WHERE begin_of_attempt > time)
        OR EXISTS (SELECT 1 FROM tfevents_evals))
CROSS JOIN spans AS s ORDER BY job, attempt, start_time;
DELETE FROM spans WHERE rowid >= (SELECT 0 FROM tfevents_sorted LIMIT 1);
INSERT INTO spans SELECT * FROM tfevents_sorted ORDER BY rowid;
DROP TABLE tfevents_sorted;

-- A sum and not groups: mostly all steps have a rate, or none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(file) FROM tfevents_runs AS r WHERE r.job = s.job), 'warning', 'missing_field', NULL,
       count(*) FILTER (WHERE flops IS NULL), 'steps without TFLOP/s, though others have them: these are unrated'
FROM (SELECT count(flops) BETWEEN 1 AND count(*) - 1 AS some FROM spans WHERE kind = 'step') CROSS JOIN spans AS s
WHERE some AND kind = 'step' GROUP BY job HAVING count(flops) > 0 AND count(flops) < count(*);

-- Sessions of TensorFlow 1 say their checkpoints; nothing else does.
DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT a.job, a.attempt, v.step, v.time AS snapshot_time, v.time AS durable_time
FROM tfevents_marks AS v JOIN tfevents_held AS a ON a.file = v.file AND v.time >= a.start_time AND v.time <= a.end_time
ORDER BY 1, 2, 5;

-- ---- 5. Tables that are no longer needed ----

DROP VIEW tfevents_steps;
DROP TABLE tfevents_held;
DROP TABLE tfevents_attempts;
DROP TABLE tfevents_breaks;
DROP TABLE tfevents_gaps;
DROP TABLE tfevents_twice;
DROP TABLE tfevents_told;
DROP TABLE tfevents_rate;
DROP TABLE tfevents_took;
DROP TABLE tfevents_marks;
DROP TABLE tfevents_evals;
DROP TABLE tfevents_rebuilt;
DROP TABLE tfevents_chip;
DROP TABLE tfevents_parallel;
DROP TABLE tfevents_runs;
DROP TABLE tfevents_chosen;
DROP TABLE tfevents_parts;
DROP TABLE tfevents_files;
DROP TABLE tfevents_survey;
DROP TABLE tfevents_tags;
