-- torchtitan.sql - from the log of a torchtitan run to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ input :log sure \[titan\].*(?:step:|- Starting job:)
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
-- ended where the log does not ('completed', 'failed', ...); :zone is the zone of its times, which are local
-- ('UTC'); :rotated, which trace_rollup and its like set, the files that may be parts of one log. A program
-- that cannot bind parameters to a script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a logged step. The rules are explained in docs/formats/log.md.

-- ---- 1. The input: of one rank, where torchrun names them ----

-- What a line of no step says stays in `fields`, for such lines are few.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, log_group(_record, 'rank') AS rank,
       iif(step IS NULL, NULL, log_group(_record, 'validate') IS NOT NULL) AS validates,
       log_group(_record, 'loss') AS loss, log_group(_record, 'tps') AS tps, log_group(_record, 'tflops') AS tflops,
       log_group(_record, 'mfu') AS mfu,
       iif(step IS NULL, fields, NULL) AS fields, log_group(_record, 'spliced') AS spliced, iif(step IS NULL, fields IS NULL, 0) AS is_tail
FROM log_trace(mpg_required(:log, ':log'), '(?x) ^
    (?: (?: [^F\[]++ | F (?! inished\  ) | \[ (?! rank\d ) )*+ (?: (?<spliced> Finished\ (?: saving | loading )\ the\ checkpoint ) .*? | .*? ) \[rank (?<rank>\d+) \] )? .*? (?: (?<time> \d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d (?: [.,]\d+ )? ) | \[ (?<time> \d{8}\ \d\d:\d\d:\d\d ) \] \[rank- ) .{0,300}?
    (?: (?<validate> validate\s+ )? (?: \e\[ [\d;]* m )? step: \s* (?<step>\d+) (?= [\s\e] ) (?: (?= .* (?: \b | (?<= m ) ) loss: \s* (?<loss>[^\s\e]+) ) )?
        (?: (?= .*? [tw]ps: \s* (?<tps>[\d,]+) ) )? (?: (?= .*? tflops: \s* (?<tflops>[\d,.]+) ) )? (?: (?= .*? mfu: \s* (?<mfu>[\d.]+) % ) )?
      | Starting\ job: (?<began>)
      | Training\ starts\ at\ step\ (?<starts>\d+)
      | (?: Saving | Staging )\ (?: the | a )\ (?: full\ | model\ only\ )? checkpoint (?<saving>)
      | Finished\ (?: saving | staging (?<staged>) )\ the\ checkpoint .*? in\ (?<saved>[\d.]+)\ seconds
      | Last\ step\ checkpoint\ completed\ in\ (?<saved>[\d.]+) s
      | Finished\ writing\ the\ checkpoint\ for\ step\ (?<written>\d+)
      | Loading\ the\ checkpoint\ (?: from\ \S*? step- | at\ step\  ) (?<from>\d+)
      | Finished\ loading\ the\ checkpoint\ in\ (?<loaded>[\d.]+)\ seconds
      | Training\ completed (?<completed>)
      | capacity:\ (?<chip>\S.*?)\ with\ [\d.]+GiB\ memory
      | device\ mesh\ with\ \[.*?\],\ \[ (?<mesh>[\d,\ ]+) \]
      | device\ mesh\ with\ parallelism:\ pp=(?<pp>\d+),\ dp_replicate=(?<replicate>\d+),\ dp_shard=(?<shard>\d+),\ cp=(?<cp>\d+),\ tp=(?<tp>\d+) )
    (?: (?= .* (?: \bstep: \s* (?<spliced>\d+) \s [^\r]*? loss: | (?<spliced> Finished\ (?: saving | loading )\ the\ checkpoint ) ) ) )?',
    'last', coalesce(:zone, 'UTC'));
.read sql/formats/log/extents.sql
.read sql/formats/log/zoned.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
DROP TABLE IF EXISTS temp.training_lowest;
CREATE TEMP TABLE training_lowest(file TEXT PRIMARY KEY, lowest);
INSERT INTO training_lowest SELECT file, min(rank) FROM training_lines
WHERE rank IS NOT NULL AND (SELECT min(rank) < max(rank) FROM training_lines) GROUP BY file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l.file, 'info', 'parallel_lines', min(l.line), count(*), 'lines of ranks above the lowest: left out'
FROM training_lowest AS r JOIN training_lines AS l USING (file) WHERE l.rank <> lowest GROUP BY l.file;
DELETE FROM temp.training_lines
WHERE EXISTS (SELECT 1 FROM training_lowest) AND rank <> (SELECT lowest FROM training_lowest AS l WHERE l.file = training_lines.file);
DROP TABLE training_lowest;
.read sql/formats/torchtitan/nodes.sql

.read sql/formats/log/rotated.sql
DROP TABLE training_heads;
.read sql/formats/log/reversed.sql
.read sql/formats/log/far.sql
.read sql/formats/log/copies.sql

-- Lines that stay are numbered anew, without a gap: a file's lines lie one after the other, and so do a run's, and what follows goes by
-- rowid.
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
SELECT * FROM training_lines WHERE (SELECT max(rowid) FROM training_lines) > (SELECT count(*) FROM training_lines) ORDER BY rowid;
DELETE FROM temp.training_lines WHERE EXISTS (SELECT 1 FROM training_stay);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

.read sql/formats/log/hour.sql
DROP TABLE training_back;
.read sql/formats/log/stepless.sql

-- What each file has, once: whether times go back, and whether a line repeats the step of the one before it at once.
DROP TABLE IF EXISTS temp.training_survey;
CREATE TEMP TABLE training_survey AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS MATERIALIZED (SELECT file, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last
                        FROM begun)
SELECT file, (SELECT count(*) FROM training_lines WHERE rowid BETWEEN first AND last AND step IS NOT NULL AND NOT validates) AS steps,
       (SELECT count(*) FROM training_lines
        WHERE rowid BETWEEN first AND last AND step IS NOT NULL AND NOT validates AND tflops IS NULL) AS unrated,
       (SELECT min(line) FROM training_lines
        WHERE rowid BETWEEN first AND last AND step IS NOT NULL AND NOT validates AND tflops IS NULL) AS unrated_line,
       (SELECT max(coalesce(l.time < p.time, 1)) FROM training_lines AS l CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
        WHERE l.rowid BETWEEN f.first + 1 AND f.last) AS goes_back,
       (SELECT max(iif(l.step IS NOT NULL AND p.step IS NULL, (SELECT q.step = l.step AND l.time - q.time < 10
                         FROM training_lines AS q WHERE q.rowid < l.rowid AND q.step IS NOT NULL ORDER BY q.rowid DESC LIMIT 1),
                       p.step = l.step AND l.time - p.time < 10))
        FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 AND p.rowid >= f.first
        WHERE l.rowid BETWEEN f.first AND f.last) AS repeats
FROM ranged AS f;

-- A line of a step that says no FLOP/s is unrated; one of an evaluation says none.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'missing_field', unrated_line, unrated, 'lines of steps without "tflops": these steps are unrated'
FROM training_survey WHERE unrated > 0 ORDER BY file;

-- After a step whose loss is no number the program went on: later steps may keep what it did.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), count(*), 'steps that were skipped, or whose loss is no number: they count as progress'
FROM training_lines WHERE step IS NOT NULL AND NOT validates AND (typeof(loss) = 'text' OR abs(loss) > 1e308)
  AND lower(ltrim(loss, '+-')) IN ('nan', 'inf') GROUP BY file;

-- A file in which nothing is recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "step: N" of torchtitan with a time was found'
FROM (SELECT max(file) AS file, coalesce(sum(steps), 0) AS steps FROM training_survey) WHERE steps = 0;

-- A log's lines are in the order of its clock: one whose time is before that of the line above it was moved, or is of another host.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'line_out_of_order', min(line), count(*),
       'lines whose time is before that of the line above them: they count where they stand'
FROM (SELECT file, line, time, max(time) OVER (PARTITION BY file ORDER BY line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest,
             rank
      FROM temp.training_lines WHERE file IN (SELECT file FROM training_survey WHERE goes_back))
WHERE latest - time > iif(rank IS NULL, 10, 1) GROUP BY file;

-- If nothing names the ranks, each of them prints the step: a line that repeats the one before it at once is of no restart.
DROP TABLE IF EXISTS temp.training_again;
CREATE TEMP TABLE training_again AS
SELECT id
FROM (SELECT rowid AS id, step = lag(step) OVER w AND validates IS lag(validates) OVER w AND time - lag(time) OVER w < 10 AS again
      FROM temp.training_lines
      WHERE file IN (SELECT file FROM training_survey WHERE repeats)
        AND (step IS NOT NULL OR coalesce(json_extract(fields, '$.mesh'), json_extract(fields, '$.pp'), json_extract(fields, '$.loaded'),
                                          json_extract(fields, '$.starts')) IS NOT NULL)
      WINDOW w AS (PARTITION BY file ORDER BY line))
WHERE again;
.read sql/formats/log/again.sql
DROP TABLE training_survey;
CREATE TEMP TABLE training_stay AS
SELECT * FROM training_lines WHERE (SELECT max(rowid) FROM training_lines) > (SELECT count(*) FROM training_lines) ORDER BY rowid;
DELETE FROM temp.training_lines WHERE EXISTS (SELECT 1 FROM training_stay);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;

-- ---- 2. Runs ----

.read sql/formats/log/chips.sql

-- Lines of no step. Of those that lie next to each other: the last start up to each, or else the line of a step before them.
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, time, began, starts, is_marker, chip, mesh, saved, staged, written, loaded_from,
                                 loaded, completed, before, step_before);
INSERT INTO training_marks
WITH told AS (
  SELECT rowid AS id, time, row_number() OVER (ORDER BY rowid) AS nth, json_extract(fields, '$.began') IS NOT NULL AS began,
         json_extract(fields, '$.starts') AS starts_at,
         json_extract(fields, '$.chip') AS chip, '[' || json_extract(fields, '$.mesh') || ']' AS mesh,
         json_extract(fields, '$.pp') AS pp, json_extract(fields, '$.replicate') AS replicate, json_extract(fields, '$.shard') AS shard,
         json_extract(fields, '$.cp') AS cp, json_extract(fields, '$.tp') AS tp, json_extract(fields, '$.saved') AS saved,
         json_extract(fields, '$.staged') IS NOT NULL AS staged,
         json_extract(fields, '$.written') IS NOT NULL AS written, json_extract(fields, '$.from') AS loaded_from,
         json_extract(fields, '$.loaded') AS loaded,
         json_extract(fields, '$.completed') IS NOT NULL AS completed
  FROM training_lines WHERE step IS NULL
),
placed AS (SELECT *, max(iif(starts_at IS NULL, NULL, id)) OVER w AS last_start, min(id) OVER w - 1 AS above
           FROM told WINDOW w AS (PARTITION BY id - nth ORDER BY id))
SELECT m.id, m.time, m.began, m.starts_at IS NOT NULL, m.began OR m.starts_at IS NOT NULL OR m.loaded IS NOT NULL
         OR coalesce(m.mesh, m.pp, m.chip) IS NOT NULL, m.chip,
       coalesce(m.pp * m.replicate * m.shard * m.cp * m.tp,
                json_extract(m.mesh, '$[0]') * coalesce(json_extract(m.mesh, '$[1]'), 1) * coalesce(json_extract(m.mesh, '$[2]'), 1)
                  * coalesce(json_extract(m.mesh, '$[3]'), 1) * coalesce(json_extract(m.mesh, '$[4]'), 1)),
       m.saved, m.staged, m.written, m.loaded_from, m.loaded, m.completed, coalesce(m.last_start, m.above),
       (SELECT json_extract(l.fields, '$.starts') - 1 FROM training_lines AS l WHERE l.rowid = m.last_start)
FROM placed AS m;

DROP TABLE IF EXISTS temp.training_files;
CREATE TEMP TABLE training_files AS
WITH begun AS (
  SELECT l.rowid AS first, l.file FROM training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1 WHERE p.file IS NOT l.file
),
ranged AS (SELECT file, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM training_lines)) AS last FROM begun)
SELECT file, first, last, (SELECT min(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN first AND last) AS clock,
       (SELECT max(m.mesh) FROM training_marks AS m WHERE m.id BETWEEN first AND last) AS mesh,
       (SELECT max(m.chip) FROM training_marks AS m WHERE m.id BETWEEN first AND last) AS chip
FROM ranged ORDER BY file;

-- A run begins where a program says how it is set up, or where step numbers go back; also where a program starts again that has not come
-- to a step (ranks start within ten seconds). Runs of several files are in the order of their clocks, for names seldom sort by their
-- numbers. The line before most lines of a step is one of a step too, and the numbers decide; windows are over the others and those beside
-- them.
DROP TABLE IF EXISTS temp.training_near;
CREATE TEMP TABLE training_near(id INTEGER PRIMARY KEY);
INSERT INTO training_near
SELECT first FROM training_files
UNION SELECT m.id + d.value FROM training_marks AS m CROSS JOIN json_each('[-1,0,1]') AS d
UNION SELECT l.rowid + d.value FROM training_lines AS l CROSS JOIN json_each('[-1,0,1]') AS d WHERE l.validates;

DROP TABLE IF EXISTS temp.training_ranges;
CREATE TEMP TABLE training_ranges AS
WITH marked AS (
  SELECT f.rowid AS of_file, l.rowid AS id, l.time, l.step, coalesce(m.is_marker, 0) AS is_marker, m.id IS NULL AS is_step,
         coalesce(m.began, 0) AS began
  FROM training_files AS f CROSS JOIN training_near AS n ON n.id BETWEEN f.first AND f.last CROSS JOIN training_lines AS l ON l.rowid = n.id
  LEFT JOIN training_marks AS m ON m.id = l.rowid
  WHERE m.is_marker OR NOT l.validates
),
begins AS (
  SELECT of_file, id
  FROM (SELECT of_file, id, is_step,
               CASE WHEN is_marker THEN coalesce(lag(is_step) OVER k, 1)
                      OR coalesce(began AND time - max(iif(began, time, NULL)) OVER (k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                                    >= 10, 0)
                    ELSE coalesce(lag(is_step) OVER k AND step <= lag(step) OVER k, 1) END AS begins
        FROM marked WINDOW k AS (PARTITION BY of_file ORDER BY id)) AS k
  WHERE begins AND NOT (is_step
                        AND EXISTS (SELECT 1 FROM training_lines AS p, training_files AS f
                                    WHERE p.rowid = k.id - 1 AND NOT p.validates AND f.rowid = of_file AND p.rowid >= f.first))
  UNION ALL
  SELECT f.rowid, l.rowid
  FROM training_files AS f CROSS JOIN training_lines AS l ON l.rowid BETWEEN f.first + 1 AND f.last
  CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
  WHERE l.step <= p.step AND NOT l.validates AND NOT p.validates
),
begun AS (SELECT of_file, id, row_number() OVER (PARTITION BY of_file ORDER BY id) AS run FROM begins),
ranged AS (
  SELECT f.rowid AS of_file, file, clock, f.mesh AS file_mesh, chip, coalesce(run, 1) AS run,
         iif(coalesce(run, 1) = 1, f.first, id) AS first,
         coalesce(lead(id) OVER (PARTITION BY f.rowid ORDER BY run) - 1, f.last) AS last
  FROM training_files AS f LEFT JOIN begun AS b ON b.of_file = f.rowid
),
named AS (
  SELECT CAST(coalesce(:job, file) AS TEXT) AS job,
         dense_rank() OVER (PARTITION BY coalesce(:job, file) ORDER BY clock, file, run) AS attempt, first, last,
         coalesce((SELECT max(m.mesh) FROM training_marks AS m WHERE m.id BETWEEN first AND last), file_mesh) AS world, chip
  FROM ranged
)
-- A first step whose begin nothing tells took as long as the others on the mean, without those that may hold a pause.
SELECT *, iif((SELECT validates = 0 FROM training_lines WHERE rowid = first),
              min(start_time, max(start_time - each, lag(end_time, 1, 0) OVER (PARTITION BY job ORDER BY attempt))), NULL) AS head
FROM (SELECT n.*, peak_flops, coalesce(devices, 1) AS devices, world / coalesce(nullif(devices, 1) * 1.0, 1) AS told,
             coalesce(:chips, world / coalesce(nullif(devices, 1) * 1.0, 1)) AS chips,
             (SELECT min(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN n.first AND n.last) AS start_time,
             (SELECT max(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN n.first AND n.last) AS end_time,
             (SELECT count(iif(l.validates, NULL, l.step)) FROM training_lines AS l WHERE l.rowid BETWEEN n.first AND n.last) AS steps,
             (WITH told AS MATERIALIZED (
                SELECT b.time - a.time AS whole, b.step - a.step AS steps
                FROM training_lines AS b CROSS JOIN training_lines AS a ON a.rowid = b.rowid - 1
                WHERE b.rowid BETWEEN n.first + 1 AND n.last AND b.validates = 0 AND a.validates = 0 AND b.step > a.step
                  AND b.time >= a.time AND (SELECT validates = 0 FROM training_lines WHERE rowid = n.first)
              )
              SELECT sum(whole) / sum(steps) FROM (SELECT mpg_median(whole / steps) AS usual FROM told) CROSS JOIN told
              WHERE whole / steps <= 3 * usual OR whole <= 60 + usual) AS each
      FROM (SELECT * FROM named ORDER BY job, attempt LIMIT -1) AS n
      LEFT JOIN training_chips AS c ON c.chip = chip_name(coalesce(:chip, n.chip)) LIMIT -1);
DROP TABLE training_near;
DROP TABLE training_chips;

-- A line stands for the steps since the line before it, or the evaluation or the start that came later.
DROP TABLE IF EXISTS temp.training_steps;
CREATE TEMP TABLE training_steps AS
SELECT job, attempt, step, start_time, end_time, end_time - start_time AS seconds, executions,
       iif(typeof(loss) <> 'text', loss, NULL) AS loss, replace(tps, ',', '') * devices + 0.0 AS tokens_per_s_per_chip,
       tflops * devices + 0.0 AS tflops_per_chip, tflops * devices * 1e12 / peak_flops AS mfu, mfu / 100.0 AS mfu_reported,
       tflops * devices * 1e12 * (end_time - start_time) * coalesce(chips, 1) AS flops, run
FROM (SELECT r.rowid AS run, r.job, r.attempt, l.step,
             min(coalesce(p.time, head, l.time), l.time) AS start_time, -- a clock that was set back: no time
             l.time AS end_time, max(1, coalesce(l.step - iif(p.rowid IS NULL, NULL, coalesce(p.step, m.step_before)), 1)) AS executions,
             l.loss,
             l.tps, l.mfu,
             iif(typeof(l.tflops) = 'text', replace(l.tflops, ',', ''), l.tflops) AS tflops, r.chips, r.peak_flops, r.devices
      FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
      LEFT JOIN training_marks AS m ON m.id = l.rowid - 1
      LEFT JOIN training_lines AS p ON p.rowid = coalesce(m.before, l.rowid - 1) AND p.rowid >= r.first
      WHERE NOT l.validates);

CREATE TEMP VIEW training_gaps AS
SELECT b.job, b.step, b.step - a.step AS gap
FROM training_steps AS a JOIN training_steps AS b ON b.rowid = a.rowid + 1 AND b.job = a.job AND b.attempt = a.attempt;
.read sql/formats/log/gaps.sql

-- Evaluation ends with its line; it began with the line of a step or a save before it.
DROP TABLE IF EXISTS temp.training_phases;
CREATE TEMP TABLE training_phases AS
SELECT job, attempt, 'eval' AS kind, p.time AS start_time, l.time AS end_time, NULL AS step
FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first + 1 AND r.last
CROSS JOIN training_lines AS p ON p.rowid = l.rowid - 1
WHERE l.validates AND p.time < l.time
UNION ALL
SELECT job, attempt, 'checkpoint', time - saved, time, NULL
FROM training_ranges AS r CROSS JOIN training_marks AS m ON m.id BETWEEN r.first AND r.last WHERE saved IS NOT NULL
UNION ALL
-- Which step was loaded is in the line before it. One above the step that follows is of another run, as a base model's.
SELECT job, attempt, 'restore', time - loaded, time, iif(loaded_step > next_step, NULL, loaded_step)
FROM (SELECT job, attempt, m.time, loaded, max(loaded_from) OVER (PARTITION BY job, attempt ORDER BY id) AS loaded_step,
             iif(loaded IS NULL, NULL, (SELECT l.step FROM training_lines AS l
                                        WHERE l.rowid BETWEEN m.id AND r.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1)) AS next_step
      FROM training_ranges AS r CROSS JOIN training_marks AS m ON m.id BETWEEN r.first AND r.last)
WHERE loaded IS NOT NULL
UNION ALL
SELECT job, attempt, 'init', start_time, (SELECT min(m.time) FROM training_marks AS m WHERE m.id BETWEEN first AND last AND starts), NULL
FROM training_ranges WHERE (SELECT min(m.time) FROM training_marks AS m WHERE m.id BETWEEN first AND last AND starts) > start_time;

.read sql/formats/torchtitan/within.sql
.read sql/formats/log/lengths.sql
DROP TABLE training_saves_within;

-- A save is of the step that was logged last, or of a later one. It counts as durable when the log says that it is over. A save that was
-- staged is durable when it was written, or when a save of a later step is over, for a save waits for the one before.
DROP TABLE IF EXISTS temp.training_saves;
CREATE TEMP TABLE training_saves AS
WITH said AS ( -- and the last step between the save before and it
  SELECT job, attempt, r.rowid AS run, id, m.time, saved, staged, written,
         (SELECT l.step FROM training_lines AS l WHERE l.rowid BETWEEN max(m.after, r.first) AND m.id AND NOT l.validates
          ORDER BY l.rowid DESC LIMIT 1) AS step
  FROM training_ranges AS r CROSS JOIN (
    SELECT *, lag(id, 1, 0) OVER (ORDER BY id) + 1 AS after FROM training_marks WHERE saved IS NOT NULL OR written
  ) AS m ON m.id BETWEEN r.first AND r.last
),
logged AS ( -- the numbers of a run's steps only grow
  SELECT *, max(step) OVER (PARTITION BY run ORDER BY id) AS last_step FROM said
)
SELECT job, attempt, last_step AS step, time - saved AS snapshot_time,
       CASE WHEN NOT staged THEN time
            ELSE nullif(min(coalesce(min(iif(written, time, NULL)) OVER (PARTITION BY job, attempt
                ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), 9e99),
                            coalesce(min(iif(saved IS NOT NULL, time, NULL)) OVER (PARTITION BY job, attempt
                                ORDER BY last_step RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 9e99)), 9e99)
       END AS durable_time,
       saved IS NOT NULL AS is_save
FROM logged;
DELETE FROM temp.training_saves WHERE NOT is_save OR step IS NULL OR durable_time IS NULL;

DROP TABLE IF EXISTS temp.training_told;
CREATE TEMP TABLE training_told AS SELECT job, told AS chips FROM training_ranges;
DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT job, attempt, 'pytorch' AS framework, chips, chip, coalesce(head, start_time) AS start_time, end_time,
       iif(EXISTS (SELECT 1 FROM training_marks AS m WHERE m.id BETWEEN first AND last AND completed), 'completed', NULL) AS own_outcome
FROM training_ranges AS r
-- one that came to no step too
WHERE steps > 0 OR EXISTS (SELECT 1 FROM training_marks AS m WHERE m.id BETWEEN first AND last AND loaded IS NOT NULL)
ORDER BY job, attempt;

.read sql/formats/log/launches.sql

DROP TABLE IF EXISTS temp.training_last;
CREATE TEMP TABLE training_last AS
SELECT file, r.job, r.attempt FROM training_files AS f JOIN training_ranges AS r ON r.last = f.last;
DROP TABLE IF EXISTS temp.training_tails;
CREATE TEMP TABLE training_tails AS
SELECT job, attempt, t.time FROM training_tail AS t JOIN training_last USING (file);

-- ---- 3. The relations ----

.read sql/formats/log/held.sql
.read sql/formats/log/done.sql

-- ---- 4. Tables that are no longer needed ----

DROP TABLE training_runs;
DROP TABLE training_tail;
DROP TABLE training_saves;
DROP TABLE training_phases;
DROP TABLE training_ranges;
DROP TABLE training_files;
DROP TABLE training_marks;
DROP VIEW training_extents;
DROP TABLE training_lines;
