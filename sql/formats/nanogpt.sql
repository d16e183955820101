-- nanogpt.sql - from the logs of nanoGPT and of its speed-run descendants to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure ^iter \d+: loss [\d.]+|^step:\d+/\d+ (?:train_loss|val_loss|train_time)
--@ input :log sure [\s:|>\])",='mGK](?:iter \d+: loss \S+,(?: (?!time\b)[^,\n]+,){0,8} time:? [\d.]+m?s\b|step:\d+/\d+ (?:train_loss|val_loss|train_time):)
--@ input :log likely ^.*\bstep:? +\d+(?:/\d+)?(?: \([^)\n]*\))?\s*[|,:]\s*(?:train )?loss:? +[^\s|,]+[^\n]*[|,()] *\(?(?:(?:dt|time): |took )?[\d.]+ ?ms\b
--@ needs :year ^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:)[^\n]*(?:iter \d+: loss |step:\d+/\d+ |step:? +\d+[/ |(,:])
--@ needs :start (?s)\A(?!(?:-- [^\n]*\n)?(?:(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? |\d{10}\.\d{6} |(?:__CURSOR=[^\n]*\n)?[^\n]*__REALTIME_TIMESTAMP))(?>[^\dsiMTWFS]+|(?!\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\s*(?:\x1b[^\n]*)?$|step:\d+/\d+ |step:? +\d+[/ |(,:]|iter \d+: loss ).)*+(?:[si](?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)|\z)
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
-- ended where the log does not ('completed', 'failed', ...); :flops are those of one step on all chips
-- together, which the log does not know; :only_relations, which trace_rollup and its like set, leaves
-- training_steps empty; they set :rotated too, the files that may be parts of one log, and :starts, when
-- logs began; :start is when those did whose steps have no clock (Unix seconds or ISO 8601; else the date that
-- nvidia-smi printed, else the first clock above the steps, else 0), :zone the zone of that date ('UTC'). A
-- program that cannot bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged step. The rules are explained in docs/formats/log.md.

.read sql/formats/nanogpt/input.sql
.read sql/formats/log/extents.sql
.read sql/formats/log/zoned.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
.read sql/formats/log/stamps.sql
.read sql/formats/log/rotated.sql
.read sql/formats/log/reversed.sql
.read sql/formats/log/copies.sql
-- Lines that stay are numbered anew, without a gap.
--@ if (SELECT max(rowid) FROM training_lines) > (SELECT count(*) FROM training_lines)
CREATE TEMP TABLE training_stay AS SELECT * FROM training_lines ORDER BY rowid;
DELETE FROM temp.training_lines;
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;
--@ end
.read sql/formats/log/begun.sql
.read sql/formats/log/start.sql

-- Where a file begins, a step's number or the clock goes back, and at lines of no step and after them: most lines are none of these.
DROP TABLE IF EXISTS temp.training_breaks;
CREATE TEMP TABLE training_breaks(id INTEGER PRIMARY KEY, of_file);
INSERT INTO training_breaks
SELECT l.rowid AS id, l.file IS NOT p.file AS of_file
FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1
WHERE l.step < p.step OR l.step IS NULL OR p.step IS NULL OR l.file IS NOT p.file OR l.total_ms < p.total_ms;

.read sql/formats/nanogpt/hosts.sql

-- Lines of no step are few. Of each: how many such lines there are up to it, and of those that lie next to each other the line before the
-- first, which is of a step, and the last one so far of a chip or a start.
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, nth, before, last_start, gpu, chip, is_save);
INSERT INTO training_marks
SELECT id, nth, min(id) OVER w - 1, max(iif(coalesce(gpu, begun) IS NULL, NULL, id)) OVER w, gpu, chip, is_save
FROM (SELECT b.id, row_number() OVER (ORDER BY b.id) AS nth, gpu, chip, is_save, begun
      FROM training_breaks AS b CROSS JOIN training_lines AS l ON l.rowid = b.id WHERE step IS NULL)
WINDOW w AS (PARTITION BY id - nth ORDER BY id);

DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
WITH begun AS (
  SELECT b.id AS first, l.file FROM training_breaks AS b CROSS JOIN training_lines AS l ON l.rowid = b.id WHERE of_file
),
ranged AS (SELECT file AS path, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last
           FROM begun),
clocked AS ( -- another program may have put its clock before the lines: that counts, whatever the option start says
  SELECT *, (SELECT time - coalesce(total_ms, ms) / 1000.0
             FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND step IS NOT NULL ORDER BY l.rowid LIMIT 1) AS clock
  FROM ranged
)
SELECT path AS file, first, last,
       iif(:start IS NULL OR clock IS NOT NULL, coalesce(max(l.time), clock, b.time), NULL) IS NOT NULL AS dated,
       iif(:start IS NULL OR clock IS NOT NULL, coalesce(min(l.time), clock, b.time), NULL) AS clock, max(m.gpu) AS gpu,
       max(m.chip) AS chip
FROM clocked AS r LEFT JOIN training_marks AS m ON m.id BETWEEN first AND last LEFT JOIN training_lines AS l ON l.rowid = m.id
LEFT JOIN training_begun AS b ON b.file = path
GROUP BY first, last, path ORDER BY first;

-- After a step whose loss is no number the program went on: later steps may keep what it did.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), count(*), 'steps that were skipped, or whose loss is no number: they count as progress'
-- a number is less than any text
FROM training_lines WHERE loss >= '' AND step IS NOT NULL AND lower(ltrim(loss, '+-')) IN ('nan', 'inf') GROUP BY file;

-- A file in which nothing is recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "step:N/N" or "iter N:" of nanoGPT with a time was found'
FROM (SELECT max(file) AS file FROM training_files) WHERE NOT EXISTS (SELECT 1 FROM training_lines WHERE step IS NOT NULL);

-- ---- 2. When things happened: by adding up what they took ----

-- A run begins where a program says what it runs on, or step numbers go back. train_time is what all its
-- steps so far took; where it goes back, its clock was started anew. A line of
-- nanoGPT mentions its last iteration: the ones since the line before it are taken to be like it. Runs of several files
-- are in the order of their dates: names seldom sort by their numbers.
DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
-- lines of a step, a chip or a start. What the one before says: the number of its step, -1 for a chip or a start, NULL if there is none
WITH marked AS (
  SELECT f.rowid AS of_file, l.rowid AS id, l.step, iif(m.last_start >= f.first, -1, p.step) AS before,
         coalesce(l.step = p.step AND l.total_ms < p.total_ms, 0) AS anew
  FROM training_files AS f CROSS JOIN training_breaks AS b ON b.id BETWEEN f.first AND f.last
  CROSS JOIN training_lines AS l ON l.rowid = b.id
  LEFT JOIN training_marks AS m ON m.id = l.rowid - 1
  LEFT JOIN training_lines AS p ON p.rowid = coalesce(m.before, l.rowid - 1) AND p.rowid >= f.first
  WHERE l.step IS NOT NULL OR l.gpu IS NOT NULL OR l.begun IS NOT NULL
),
begun AS (
  SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run
  FROM marked WHERE before IS NULL OR iif(step IS NULL, before >= 0, step < before OR anew AND before >= 0)
),
ranged AS (
  SELECT f.rowid AS of_file, file, f.first AS file_first, dated, clock, gpu, chip, coalesce(run, 1) AS run,
         iif(coalesce(run, 1) = 1, f.first, id) AS first,
         coalesce(lead(id) OVER (PARTITION BY f.rowid ORDER BY run) - 1, f.last) AS last
  FROM training_files AS f LEFT JOIN begun AS b ON b.of_file = f.rowid
)
-- Steps are numbered from one on in the order of their lines: first_step and last_step are such numbers.
SELECT CAST(coalesce(:job, file) AS TEXT) AS job,
       dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt,
       of_file, file_first, first, last,
       first - coalesce((SELECT nth FROM training_marks WHERE id < first ORDER BY id DESC LIMIT 1), 0) AS first_step,
       last - coalesce((SELECT nth FROM training_marks WHERE id <= last ORDER BY id DESC LIMIT 1), 0) AS last_step,
       coalesce(:chips, told, iif(:flops IS NULL, NULL, 1)) AS chips, chip, told
FROM (SELECT *, 1 + coalesce((SELECT max(m.gpu) FROM training_marks AS m WHERE m.id BETWEEN first AND last), gpu) AS told FROM ranged)
ORDER BY of_file, run;
DROP TABLE IF EXISTS temp.training_told;
CREATE TEMP TABLE training_told AS SELECT job, told AS chips FROM training_ranges;

-- A step whose number goes back, or that took less time than the one before it had, began anew; where the log does not say that a
-- program started, its lines may be out of order, or those of several hosts.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.file, 'warning', 'repeated_steps', min(l.line), count(*),
       'steps whose number goes back, first ' || min(l.step) || ': what was done since counts as lost'
FROM (SELECT first AS id FROM training_ranges UNION SELECT id + 1 FROM training_marks) AS c CROSS JOIN training_lines AS l ON l.rowid = c.id
LEFT JOIN training_marks AS m ON m.id = c.id - 1 JOIN training_lines AS p ON p.rowid = coalesce(m.before, c.id - 1) AND p.file = l.file
WHERE l.step < p.step GROUP BY l.file;
-- The number of the line before, again, with a time of its own: of another process of the run, or of one that was resumed there.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.file, 'warning', 'repeated_record', min(l.line), count(*),
       'lines of step ' || min(l.step)
         || ' and others that repeat the number of the one before: they count once. If a run was resumed there, it is not told'
FROM training_lines AS l JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.step = l.step AND p.file = l.file
WHERE l.ms > 0 AND p.ms > 0 GROUP BY l.file;

.read sql/formats/nanogpt/counted.sql

-- When a run's first step began: end_time = start_time + (c.so_far - seconds_before).
DROP TABLE IF EXISTS temp.training_first;
CREATE TEMP TABLE training_first(of_file INTEGER PRIMARY KEY, start_time, seconds_before);
INSERT INTO training_first
WITH summed AS (
  SELECT f.rowid AS of_file, dated, clock, coalesce(b.so_far, 0) AS seconds_before, coalesce(e.so_far, 0) - coalesce(b.so_far, 0) AS seconds
  FROM (SELECT of_file, min(first_step) AS first_step, max(last_step) AS last_step FROM training_ranges GROUP BY of_file) AS r
  CROSS JOIN training_files AS f ON f.rowid = r.of_file
  LEFT JOIN training_counted AS b ON b.rowid = r.first_step - 1
  LEFT JOIN training_counted AS e ON e.rowid = r.last_step
)
SELECT of_file, iif(dated, clock, coalesce(mpg_time(:start, :zone), :start + 0, 0)
                                  + iif(:job IS NULL, 0, coalesce(sum(iif(dated, 0, seconds)) OVER (
                                      ORDER BY of_file ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))),
       seconds_before
FROM summed;
.read sql/formats/nanogpt/clock.sql
DROP TABLE IF EXISTS temp.training_clocks;
CREATE TEMP TABLE training_clocks(range INTEGER PRIMARY KEY, start_time, seconds_before, peak_flops, flops_of_step);
INSERT INTO training_clocks
SELECT r.rowid, start_time, seconds_before,
       iif(coalesce(:chip, r.chip) IS NULL, NULL,
           (SELECT c.peak_flops FROM mpg_chips AS c
            WHERE c.dtype = 'bf16' AND c.chip = chip_name(coalesce(:chip, r.chip)))), :flops
FROM training_ranges AS r CROSS JOIN training_first USING (of_file);
DROP TABLE training_first;
-- A later run of a log begins at the date that stands above its first step; those without one follow it.
DROP TABLE IF EXISTS temp.training_dated;
CREATE TEMP TABLE training_dated AS
SELECT r.rowid AS range, r.of_file, b.so_far AS seconds_before, l.time AS start_time
FROM training_ranges AS r JOIN training_ranges AS p ON p.rowid = r.rowid - 1 AND p.of_file = r.of_file
JOIN training_files AS f ON f.rowid = r.of_file AND f.dated JOIN training_clocks AS k ON k.range = r.rowid
JOIN training_counted AS s ON s.rowid = r.first_step JOIN training_counted AS b ON b.rowid = r.first_step - 1
JOIN training_lines AS l ON l.rowid = (SELECT m.id FROM training_marks AS m CROSS JOIN training_lines AS d ON d.rowid = m.id
                                       WHERE m.id > b.id AND m.id < s.id AND d.time IS NOT NULL ORDER BY m.id DESC LIMIT 1)
WHERE l.time > k.start_time + (b.so_far - k.seconds_before) AND (SELECT time FROM training_lines WHERE rowid = s.id) IS NULL;
UPDATE training_clocks SET (start_time, seconds_before) = (d.start_time, d.seconds_before)
FROM (SELECT r.rowid AS id, max(d.range), d.start_time, d.seconds_before
      FROM training_ranges AS r JOIN training_dated AS d ON d.of_file = r.of_file AND d.range <= r.rowid GROUP BY r.rowid) AS d
WHERE d.id = training_clocks.range;
DROP TABLE training_dated;

-- Both lines of a step, of training and of validation, carry the time: the later one has all of it.
DROP TABLE IF EXISTS temp.training_twice;
CREATE TEMP TABLE training_twice(place INTEGER PRIMARY KEY); -- the first lines of such steps
INSERT INTO training_twice SELECT rowid - 1 FROM training_counted WHERE since = 0;
DROP TABLE IF EXISTS temp.training_merged;
CREATE TEMP TABLE training_merged(place INTEGER PRIMARY KEY, so_far, seconds, since, trained, loss, val_loss, average_ms, mfu);
INSERT INTO training_merged
SELECT min(c.rowid), max(c.so_far), sum(c.seconds), nullif(max(c.since), 0), max(c.trained), max(iif(typeof(loss) <> 'text', loss, NULL)),
       max(iif(typeof(val_loss) <> 'text', val_loss, NULL)),
       max(iif(average_ms = 'nan', NULL, average_ms)), max(iif(mfu > 0, mfu, NULL))
FROM (SELECT place FROM training_twice UNION SELECT place + 1 FROM training_twice) AS t
CROSS JOIN training_counted AS c ON c.rowid = t.place CROSS JOIN training_lines AS l ON l.rowid = c.id
GROUP BY c.range, c.step;

-- Before the first step nothing is trained. Only nanoGPT itself times evaluations: with the last iteration of a line.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
SELECT job, attempt, 'init' AS kind, start_time + (c.so_far - seconds_before) - c.seconds AS start_time,
       start_time + (c.so_far - seconds_before) AS end_time
FROM training_counted AS c CROSS JOIN training_ranges AS r ON r.rowid = c.range CROSS JOIN training_clocks AS k ON k.range = c.range
WHERE c.step = 0 AND c.seconds > 0 AND NOT c.trained
UNION ALL
SELECT job, attempt, 'eval', start_time + (c.so_far - seconds_before) - e.usual - e.aside,
       start_time + (c.so_far - seconds_before) - e.usual
FROM training_evaluated AS e CROSS JOIN training_counted AS c ON c.id = e.id CROSS JOIN training_ranges AS r ON r.rowid = c.range
CROSS JOIN training_clocks AS k ON k.range = c.range
WHERE e.aside > 0;

-- A save is of the step before it.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
SELECT job, attempt, c.step, start_time + (c.so_far - seconds_before) AS time
FROM training_ranges AS r CROSS JOIN training_clocks AS k ON k.range = r.rowid
CROSS JOIN training_marks AS m ON m.id BETWEEN r.first AND r.last
CROSS JOIN training_counted AS c ON c.rowid = m.id - m.nth
WHERE m.is_save AND c.range = r.rowid;

UPDATE training_counted SET (so_far, seconds, since, trained)
  = (SELECT m.so_far, m.seconds, m.since, m.trained FROM training_merged AS m WHERE m.place = training_counted.rowid)
WHERE rowid IN (SELECT place FROM training_merged);
CREATE TEMP VIEW training_gaps AS
SELECT job, c.step, c.since AS gap
FROM training_ranges AS r CROSS JOIN training_counted AS c ON c.rowid BETWEEN r.first_step AND r.last_step
WHERE c.since > 0 AND c.seconds > 0;
.read sql/formats/log/gaps.sql
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps(job TEXT, attempt, step, start_time, end_time, seconds, executions, loss, val_loss, average_ms,
                                 tflops_per_chip, mfu, mfu_reported,
                                 flops, place INTEGER PRIMARY KEY);
INSERT INTO training_steps
SELECT job, attempt, c.step, start_time + (c.so_far - seconds_before) - c.seconds, start_time + (c.so_far - seconds_before),
       c.seconds - coalesce(e.aside, 0), coalesce(c.since, 1),
       iif(m.place IS NULL, iif(typeof(l.loss) <> 'text', l.loss, NULL), m.loss),
       iif(m.place IS NULL, iif(typeof(l.val_loss) <> 'text', l.val_loss, NULL), m.val_loss),
       iif(m.place IS NULL, iif(l.average_ms = 'nan', NULL, l.average_ms), m.average_ms),
       :flops * coalesce(c.since, 1) / 1e12 / (c.seconds - coalesce(e.aside, 0)) / chips,
       :flops * coalesce(c.since, 1) / (c.seconds - coalesce(e.aside, 0)) / chips / peak_flops,
       iif(m.place IS NULL, iif(l.mfu > 0, l.mfu, NULL), m.mfu) / 100.0, :flops * coalesce(c.since, 1), c.rowid
FROM training_ranges AS r CROSS JOIN training_clocks AS k ON k.range = r.rowid
CROSS JOIN training_counted AS c ON c.rowid BETWEEN r.first_step AND r.last_step
CROSS JOIN training_lines AS l ON l.rowid = c.id LEFT JOIN training_merged AS m ON m.place = c.rowid
LEFT JOIN training_evaluated AS e ON e.id = c.id
WHERE :only_relations IS NULL AND c.since IS NOT 0 AND c.seconds > 0 AND (c.since > 0 OR c.trained);

DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
WITH told AS (
  SELECT r.rowid AS range, start_time AS clock, seconds_before,
         (SELECT start_time + (c.so_far - seconds_before) - c.seconds
          FROM training_counted AS c WHERE c.rowid BETWEEN r.first_step AND r.last_step AND c.seconds IS NOT NULL
          ORDER BY c.rowid LIMIT 1) AS start_time,
         (SELECT max(l.steps) FROM training_lines AS l WHERE l.rowid BETWEEN r.first AND r.last AND l.step IS NOT NULL) AS steps
  FROM training_ranges AS r CROSS JOIN training_clocks AS k ON k.range = r.rowid
),
summed AS ( -- the first and the last step
  SELECT r.rowid AS range,
         (SELECT c.rowid FROM training_counted AS c WHERE c.rowid BETWEEN r.first_step AND r.last_step
            AND c.since IS NOT 0 AND c.seconds > 0 AND (c.since > 0 OR c.trained) ORDER BY c.rowid LIMIT 1) AS first,
         (SELECT c.rowid FROM training_counted AS c WHERE c.rowid BETWEEN r.first_step AND r.last_step
            AND c.since IS NOT 0 AND c.seconds > 0 AND (c.since > 0 OR c.trained) ORDER BY c.rowid DESC LIMIT 1) AS last
  FROM training_ranges AS r
)
SELECT r.job, r.attempt, 'pytorch' AS framework, r.chips, r.chip,
       min(t.start_time, clock + (f.so_far - seconds_before) - f.seconds) AS start_time, clock + (l.so_far - seconds_before) AS end_time,
       CASE WHEN l.step = t.steps THEN 'completed' END AS own_outcome
FROM summed AS s CROSS JOIN training_ranges AS r ON r.rowid = s.range JOIN told AS t ON t.range = s.range
JOIN training_counted AS f ON f.rowid = s.first JOIN training_counted AS l ON l.rowid = s.last;

.read sql/formats/log/launches.sql

-- A log of which the last step has a clock goes on by that.
DROP TABLE IF EXISTS temp.training_last;
CREATE TEMP TABLE training_last AS
SELECT file, r.job, r.attempt FROM training_files AS f JOIN training_ranges AS r ON r.last = f.last;
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS
SELECT r.job, r.attempt, t.time
FROM training_tail AS t JOIN training_files AS f USING (file) JOIN training_ranges AS r ON r.of_file = f.rowid AND r.last = f.last
WHERE EXISTS (SELECT 1 FROM training_lines AS l
              WHERE l.rowid = (SELECT s.rowid FROM training_lines AS s WHERE s.rowid BETWEEN r.first AND r.last
                                 AND s.step IS NOT NULL ORDER BY s.rowid DESC LIMIT 1) AND l.time IS NOT NULL);

-- ---- 3. The relations ----

.read sql/formats/log/held.sql

DROP VIEW IF EXISTS temp.training_lengths;
CREATE TEMP VIEW training_lengths AS
SELECT r.rowid AS run, job, attempt, c.step, start_time + (c.so_far - seconds_before) - c.seconds AS start_time,
       start_time + (c.so_far - seconds_before) AS end_time, c.seconds - coalesce(e.aside, 0) AS own, coalesce(c.since, 1) AS executions
FROM training_ranges AS r CROSS JOIN training_clocks AS k ON k.range = r.rowid
CROSS JOIN training_counted AS c ON c.rowid BETWEEN r.first_step AND r.last_step LEFT JOIN training_evaluated AS e ON e.id = c.id
WHERE c.since IS NOT 0 AND c.seconds > 0 AND (c.since > 0 OR c.trained);
.read sql/formats/log/lengths.sql

DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
SELECT job, attempt, 'step' AS kind, start_time + (c.so_far - seconds_before) - c.seconds AS start_time,
       start_time + (c.so_far - seconds_before) AS end_time, c.step,
       k.flops_of_step * coalesce(c.since, 1) AS flops
FROM training_ranges AS r CROSS JOIN training_clocks AS k ON k.range = r.rowid
CROSS JOIN training_counted AS c ON c.rowid BETWEEN r.first_step AND r.last_step
WHERE c.since IS NOT 0 AND c.seconds > 0 AND (c.since > 0 OR c.trained)
UNION ALL
SELECT job, attempt, 'compile', start_time, start_time + seconds, NULL, NULL FROM training_compiled
UNION ALL
SELECT job, attempt, kind, start_time, end_time, NULL, NULL FROM training_phases;

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, time AS snapshot_time, time AS durable_time FROM training_saves;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_compiled;
DROP TABLE training_runs;
DROP TABLE training_tail;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_clocks;
DROP TABLE training_merged;
DROP TABLE training_twice;
DROP TABLE training_counted;
DROP TABLE training_evaluated;
DROP TABLE training_ranges;
DROP TABLE training_files;
DROP TABLE training_marks;
DROP TABLE training_breaks;
DROP TABLE training_begun;
DROP VIEW training_extents;
DROP TABLE training_lines;
