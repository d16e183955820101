-- mllog.sql - from the result logs of MLPerf training to the relations of the native trace.
--
--@ source 3
--@ feeds SG RG
--@ argument path :path FILES result logs of MLPerf training: a file, glob, folder or fleet file
--@ argument system_file :system TEXT the system's description (systems/NAME.json), if the logs do not lie as in a submission
--@ argument chip_count :chips REAL accelerators of a run, if the description does not tell
--@ argument chip_name :chip TEXT the accelerator, likewise
--@ argument pool_name :pool TEXT what to call the pool
--@ input :results sure (?<![^\s":>|)\]]):::MLLOG \{(?!.*"namespace\\?"\s*:\s*\\?"mlperf::logging)
--@ hint (?<![^\s":>|)\]]):::MLLOG \{.*"namespace\\?"\s*:\s*\\?"mlperf::logging => a log of MLPerf's LoadGen, which measures a server and is no job's: scrape the server's /metrics, which trace_serve_tokens reads
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :results fixtures/mlperf/results/*/*/result_*.txt
--     .read sql/formats/mllog.sql
--     SELECT * FROM mlperf_scores;
--     SELECT job, runtime_goodput(category, chip_us) FROM mpg_rollup GROUP BY job;
--
-- Parameters (all but :results may be left unset): :results is a path, glob or folder of result logs;
-- :system is the description of the system that made them (systems/NAME.json), where they do not lie
-- as in a submission (ORG/results/NAME/BENCHMARK/result_0.txt, ORG/systems/NAME.json); :chips, :chip
-- and :pool say, or correct, how many accelerators a run held, which, and the name of the pool.
--
-- A program that cannot bind parameters creates the inputs first; a file that is not in mlperf_files has no JSON:
--
--     CREATE TEMP TABLE mlperf_log AS SELECT *, _file, _line FROM mllog_trace('results/*/*/result_*.txt');
--     CREATE TEMP TABLE mlperf_given(system TEXT, chips REAL, chip TEXT, pool TEXT);
--     INSERT INTO temp.mlperf_given VALUES (NULL, 4096, 'tpu-v5e', NULL);
--     CREATE TEMP TABLE mlperf_files(path TEXT, json TEXT);
--
-- Makes the TEMP tables jobs, allocations, capacity, spans and commits, which mpg_ledger and mpg_rollup
-- then find; mlperf_runs, a row a log; and mlperf_scores, a row a benchmark of a system. The inputs are
-- dropped at the end. The rules are explained in docs/formats/mllog.md.

-- ---- 1. The inputs ----

CREATE TEMP TABLE IF NOT EXISTS mlperf_log AS
SELECT time_ms, key, value, value_number, step, step_num, samples_count, epoch_num, first_epoch_num, epoch_count, status,
       _file, _line
FROM mllog_trace(mpg_required(:results, ':results'));

.read sql/formats/mllog/far.sql
.read sql/formats/mllog/further.sql

-- What each file has, looked at once. (A file's records lie one after the other, mostly. Ranges have a key: groups by it need no sort.)
DROP TABLE IF EXISTS temp.mlperf_ranges;
CREATE TEMP TABLE mlperf_ranges(first INTEGER PRIMARY KEY, last, starts);
INSERT INTO mlperf_ranges
SELECT first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM mlperf_log)), NULL
FROM (SELECT l.rowid AS first FROM mlperf_log AS l LEFT JOIN mlperf_log AS p ON p.rowid = l.rowid - 1 WHERE p._file IS NOT l._file);
DROP TABLE IF EXISTS temp.mlperf_survey;
CREATE TEMP TABLE mlperf_survey AS
WITH summed AS (
  SELECT max(l._file) AS file, count(*) AS n, count(*) FILTER (WHERE l.key = 'run_start') AS starts,
         count(*) FILTER (WHERE l.key = 'run_stop') AS stops, max(l._line) AS line,
         min(l.time_ms) AS first_ms, max(l.time_ms) AS last_ms
  FROM mlperf_ranges AS r CROSS JOIN mlperf_log AS l ON l.rowid BETWEEN r.first AND r.last GROUP BY r.first
)
SELECT file, coalesce((SELECT n.file FROM mlperf_further AS n WHERE n.name = summed.file), file) AS path, sum(n) AS n,
       sum(starts) AS starts, sum(stops) AS stops, max(line) AS line, min(first_ms) AS first_ms, max(last_ms) AS last_ms
FROM summed GROUP BY file;
DELETE FROM mlperf_ranges;

-- A log without the start of a run is of none.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'warning', 'no_run', n, 'records of MLPerf logging, and none is "run_start"' FROM mlperf_survey WHERE starts = 0 ORDER BY file;

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT path, 'warning', 'impossible_time', n, 'times of January 1970, as if "time_ms" were seconds: they count as milliseconds'
FROM mlperf_survey WHERE first_ms >= 1000000000 AND last_ms < 10000000000 ORDER BY file;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'warning', 'no_run_stop', line, 1,
       'a run without "run_stop" counts until its last record, ' || iif(file IN mlperf_followed, 'as failed: another follows', 'and has no outcome')
FROM mlperf_survey WHERE starts > 0 AND stops = 0 ORDER BY file;

-- A file is a run. Ranks print its start at once; starts that are further apart, or after an end, are of several.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, 'warning', 'several_runs', max(_line) FILTER (WHERE key = 'run_start'), sum(key = 'run_start'),
       'starts of runs in one file, minutes apart or after an end: they count as one run, what lies between as well; give each a file of its own'
FROM mlperf_log JOIN mlperf_survey AS s ON s.file = _file WHERE key IN ('run_start', 'run_stop') GROUP BY _file
HAVING max(time_ms) FILTER (WHERE key = 'run_start') - min(time_ms) FILTER (WHERE key = 'run_start') > 60000
    OR max(time_ms) FILTER (WHERE key = 'run_start') > min(time_ms) FILTER (WHERE key = 'run_stop');

CREATE TEMP TABLE IF NOT EXISTS mlperf_given AS
SELECT (SELECT record FROM jsonl_trace(:system)) AS system, :chips AS chips, :chip AS chip, :pool AS pool;

.read sql/formats/mllog/paths.sql

CREATE TEMP TABLE IF NOT EXISTS mlperf_files AS
SELECT p.path, (SELECT record FROM jsonl_trace(f.path)) AS json
FROM (SELECT system AS path FROM mlperf_paths UNION SELECT runs || 'scaling.json' FROM mlperf_paths) AS p,
     (SELECT '' AS packed UNION ALL SELECT '.gz' UNION ALL SELECT '.zst') AS e, trace_files(p.path || e.packed) AS f;

-- ---- 2. Runs ----

-- What several ranks, or two streams, say of one moment counts once. Time decides the order, within a millisecond the line. (Those of one
-- step lie together: mllog/ahead.sql.)
DROP TABLE IF EXISTS temp.mlperf_events;
CREATE TEMP TABLE mlperf_events AS
SELECT _file AS file, time_ms, min(_line) AS line, key, value, status, step, step_num, samples_count,
       coalesce(epoch_num, first_epoch_num) AS epoch_num
FROM mlperf_log
WHERE key IN ('run_start', 'run_stop', 'init_start', 'init_stop', 'eval_start', 'eval_stop', 'block_start', 'block_stop',
              'epoch_start', 'epoch_stop', 'staging_start', 'staging_stop', 'checkpoint')
GROUP BY _file, key, step, step_num, samples_count, coalesce(epoch_num, first_epoch_num), time_ms, value, status
ORDER BY _file, key, step, step_num, samples_count, coalesce(epoch_num, first_epoch_num), time_ms, value, status;
CREATE INDEX temp.mlperf_event_of ON mlperf_events(file, key, time_ms);

.read sql/formats/mllog/ahead.sql

-- NVIDIA's mlperf-common says how many samples a block is to have, at its start and again at its stop, and not how many
-- there were so far: its "step" counts, of optimiser steps.
UPDATE mlperf_events SET step_num = coalesce(step_num, step) WHERE file IN (
  SELECT file
  FROM (SELECT file, samples_count > 0 AND (key = 'block_start' AND step = 0
               OR lag(key) OVER w = 'block_start' AND samples_count = lag(samples_count) OVER w AND step > lag(step) OVER w) AS is_length
        FROM mlperf_events WHERE key IN ('block_start', 'block_stop')
          AND file IN (SELECT file FROM mlperf_events WHERE key IN ('block_start', 'block_stop') AND step IS NOT NULL)
        WINDOW w AS (PARTITION BY file ORDER BY time_ms, line))
  WHERE is_length);

-- Keys that describe the run: the first time that each is told.
DROP TABLE IF EXISTS temp.mlperf_words;
CREATE TEMP TABLE mlperf_words AS
SELECT _file AS file, key, json_extract(value, '$') AS word, min(_line) AS line
FROM mlperf_log
WHERE value IS NOT NULL
  AND (key LIKE 'submission\_%' ESCAPE '\'
       OR key IN ('global_batch_size', 'seed', 'gradient_accumulation_steps', 'number_of_nodes', 'accelerators_per_node'))
GROUP BY _file, key;
CREATE UNIQUE INDEX temp.mlperf_word_of ON mlperf_words(file, key);
-- told once
INSERT OR IGNORE INTO mlperf_words SELECT n.name, key, word, line FROM mlperf_further AS n JOIN mlperf_words AS w ON w.file = n.file;

-- MLPerf HPC's logs tell how many accelerators a run has, of which the system may have more: one of several runs at once.
DROP TABLE IF EXISTS temp.mlperf_told;
CREATE TEMP TABLE mlperf_told(file PRIMARY KEY, chips);
INSERT INTO mlperf_told
SELECT file, n.word * a.word FROM mlperf_words AS n JOIN mlperf_words AS a USING (file)
WHERE n.key = 'number_of_nodes' AND a.key = 'accelerators_per_node' AND n.word * a.word > 0;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT s.path, 'warning', 'conflict', 1,
       'the log tells ' || CAST(t.chips AS INTEGER) || ' accelerators, and the description of the system ' || CAST(said AS INTEGER)
         || ': those of the log count'
FROM mlperf_told AS t JOIN mlperf_survey AS s USING (file) JOIN mlperf_given AS g ON g.chips IS NULL
JOIN (SELECT file, json_extract(json, '$.number_of_nodes') * json_extract(json, '$.accelerators_per_node') AS said
      FROM (SELECT p.file, coalesce(CAST(g.system AS TEXT), f.json) AS json
            FROM mlperf_paths AS p JOIN mlperf_given AS g LEFT JOIN mlperf_files AS f ON f.path = p.system)) USING (file)
WHERE said <> t.chips ORDER BY file;

--@ table trace_mlperf_runs mlperf_runs a row for each result log of MLPerf training
--@ column job TEXT - the file
--@ column runs TEXT - what the runs of a score share: the folder
--@ column organization TEXT - that submitted it
--@ column system TEXT - its name
--@ column benchmark TEXT -
--@ column division TEXT - closed or open
--@ column framework TEXT - as the description has it
--@ column pool TEXT - as given
--@ column chip TEXT - the accelerator
--@ column chips BIGINT chips accelerators of the run
--@ column global_batch_size BIGINT samples
--@ column init_start_ms BIGINT ms Unix time
--@ column run_start_ms BIGINT ms Unix time
--@ column run_stop_ms BIGINT ms Unix time
--@ column minutes REAL minutes from the start of the run to its end
--@ column status TEXT - success, aborted, ...
--@ column numbered TEXT - by what steps are counted: step_num, samples_count or epoch_num
--@ column blocks TEXT - what counts as a step: block or epoch
DROP TABLE IF EXISTS temp.mlperf_runs;
CREATE TEMP TABLE mlperf_runs(
  job TEXT PRIMARY KEY, runs TEXT, organization TEXT, system TEXT, benchmark TEXT, division TEXT, framework TEXT,
  pool TEXT, chip TEXT,
  chips INTEGER CONSTRAINT "chips are none: expected the option chips, or the description of the system beside the results, systems/NAME.json" CHECK (chips
      > 0),
  global_batch_size INTEGER,
  init_start_ms INTEGER, run_start_ms INTEGER, run_stop_ms INTEGER, minutes REAL, status TEXT, numbered TEXT, blocks TEXT
);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT f.path, 'warning', 'missing_field', NULL, count(DISTINCT f.path),
       'the description of the system lacks accelerator_model_name: which chip it has is not known'
FROM mlperf_paths AS p JOIN mlperf_given AS g JOIN mlperf_files AS f ON f.path = p.system
WHERE g.chip IS NULL AND g.system IS NULL AND coalesce(json_extract(f.json, '$.accelerator_model_name'), '') = '' GROUP BY f.path;
INSERT INTO mlperf_runs
WITH description AS (
  SELECT p.file, p.runs, coalesce(CAST(g.system AS TEXT), f.json) AS json, g.chips, g.chip, g.pool
  FROM mlperf_paths AS p JOIN mlperf_given AS g LEFT JOIN mlperf_files AS f ON f.path = p.system
),
described AS (
  SELECT file, runs, json_extract(json, '$.system_name') AS system, json_extract(json, '$.framework') AS framework, pool,
         coalesce(chip, json_extract(json, '$.accelerator_model_name')) AS chip,
         coalesce(d.chips, t.chips, json_extract(json, '$.number_of_nodes') * json_extract(json, '$.accelerators_per_node')) AS chips
  FROM description AS d LEFT JOIN mlperf_told AS t USING (file)
),
told AS (
  SELECT file,
         (SELECT min(time_ms) FROM mlperf_events AS e WHERE e.file = p.file AND key = 'init_start') AS init_start_ms,
         (SELECT min(time_ms) FROM mlperf_events AS e WHERE e.file = p.file AND key = 'run_start') AS run_start_ms,
         (SELECT max(time_ms) FROM mlperf_events AS e WHERE e.file = p.file AND key = 'run_stop') AS run_stop_ms,
         (SELECT max(lower(status)) FROM mlperf_events AS e WHERE e.file = p.file AND key = 'run_stop') AS status,
         EXISTS (SELECT 1 FROM mlperf_events AS e WHERE e.file = p.file AND key IN ('block_start', 'block_stop')) AS has_blocks,
         EXISTS (SELECT 1 FROM mlperf_events AS e WHERE e.file = p.file
                 AND key IN ('block_start', 'block_stop', 'epoch_start', 'epoch_stop') AND step_num IS NOT NULL) AS has_steps,
         EXISTS (SELECT 1 FROM mlperf_events AS e WHERE e.file = p.file
                 AND key IN ('block_start', 'block_stop', 'epoch_start', 'epoch_stop') AND samples_count IS NOT NULL) AS has_samples
  FROM mlperf_paths AS p
),
word AS (
  SELECT file,
         max(word) FILTER (WHERE key = 'submission_org') AS organization,
         max(word) FILTER (WHERE key = 'submission_platform') AS platform,
         max(word) FILTER (WHERE key = 'submission_benchmark') AS benchmark,
         max(word) FILTER (WHERE key = 'submission_division') AS division,
         max(word) FILTER (WHERE key = 'global_batch_size') AS global_batch_size
  FROM mlperf_words
  GROUP BY file
)
SELECT d.file, d.runs, organization, coalesce(d.system, platform), benchmark, division, framework,
       coalesce(d.pool, d.system, platform, 'mlperf'), chip, CAST(chips AS INTEGER), global_batch_size,
       coalesce(init_start_ms, run_start_ms), run_start_ms, run_stop_ms, (run_stop_ms - run_start_ms) / 60000.0,
       CASE WHEN run_stop_ms IS NOT NULL THEN coalesce(status, 'unknown') END,
       CASE WHEN has_steps THEN 'step_num' WHEN has_samples THEN 'samples_count' ELSE 'epoch_num' END,
       CASE WHEN has_blocks THEN 'block' ELSE 'epoch' END
FROM described AS d LEFT JOIN told USING (file) LEFT JOIN word USING (file);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT path, 'warning', 'missing_field', 1,
       'chips are unknown: the run counts as one, or as those that a scheduler gave it. Give the option chips, or the description of the system beside the results, systems/NAME.json'
FROM mlperf_runs JOIN mlperf_survey ON file = job WHERE chips IS NULL ORDER BY job;
-- A run that ended before it started has no end that is known.
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT path, 'data_loss', 'end_before_start', 1, '"run_stop" is before "run_start": the run counts as one without its end'
FROM mlperf_runs JOIN mlperf_survey ON file = job WHERE run_stop_ms < coalesce(run_start_ms, init_start_ms) ORDER BY job;
UPDATE mlperf_runs SET run_stop_ms = NULL, minutes = NULL, status = NULL WHERE run_stop_ms < coalesce(run_start_ms, init_start_ms);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT s.path, 'warning', 'conflict', count(DISTINCT lower(e.status)),
       'statuses of "run_stop" of one run, as of ranks or of two ends: it counts as ' || r.status
FROM mlperf_runs AS r JOIN mlperf_survey AS s ON s.file = r.job JOIN mlperf_events AS e ON e.file = r.job AND e.key = 'run_stop'
GROUP BY r.job HAVING min(lower(e.status)) < max(lower(e.status)) ORDER BY r.job;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT path, 'warning', 'unknown_state', 1,
       'the status of "run_stop" is neither success nor aborted: ' || status || '; the run counts as failed'
FROM mlperf_runs JOIN mlperf_survey ON file = job WHERE status NOT IN ('success', 'aborted') ORDER BY job;

-- Minutes to train: the mean of the runs without the fastest and the slowest (of 3D U-Net, the four
-- fastest and slowest), times the factor of scaling.json, if the runs have one. A run that did not reach
-- the target is the slowest there is.
--@ table trace_mlperf_scores mlperf_scores the score of each benchmark of a system
--@ column organization TEXT - that submitted it
--@ column system TEXT - its name
--@ column benchmark TEXT -
--@ column division TEXT - closed or open
--@ column chips BIGINT chips
--@ column runs BIGINT runs
--@ column successes BIGINT runs of them that reached the target
--@ column minutes REAL minutes the score: the mean without the fastest and the slowest; NULL: too many failed
DROP TABLE IF EXISTS temp.mlperf_scores;
CREATE TEMP TABLE mlperf_scores AS
WITH ranked AS (
  SELECT *, row_number() OVER (same ORDER BY status IS NOT 'success', minutes) AS place, count(*) OVER same AS n,
         iif(benchmark IS 'unet3d', 4, 1) AS left_out
  FROM mlperf_runs
  WINDOW same AS (PARTITION BY runs, benchmark)
)
SELECT organization, system, benchmark, division, chips, n AS runs, count(*) FILTER (WHERE status = 'success') AS successes,
       CASE WHEN count(*) FILTER (WHERE place BETWEEN left_out + 1 AND n - left_out AND status IS NOT 'success') = 0
            THEN avg(minutes) FILTER (WHERE place BETWEEN left_out + 1 AND n - left_out) END
         * coalesce((SELECT json_extract(json, '$.scaling_factor') FROM mlperf_files WHERE path = ranked.runs || 'scaling.json'), 1)
         AS minutes
FROM ranked
GROUP BY ranked.runs, benchmark
ORDER BY benchmark, organization, system;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, benchmark AS name, organization AS owner, 'training' AS phase, framework, NULL AS runtime, benchmark AS model,
       NULL AS priority, coalesce(chips, 1) AS chips, NULL AS min_chips, NULL AS tasks, NULL AS submit_time,
       json_patch('{}', json_object('system', system, 'division', division, 'global_batch_size', global_batch_size,
                                    'seed', (SELECT word FROM mlperf_words AS w WHERE w.file = job AND key = 'seed'))) AS labels
FROM mlperf_runs;
DROP TABLE IF EXISTS temp.assumed_chips; -- of which the scheduler may know how many chips they hold
CREATE TEMP TABLE assumed_chips AS SELECT job FROM mlperf_runs WHERE chips IS NULL;

-- Without run_stop a run still holds the system.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
SELECT job, 1 AS attempt, NULL AS task, pool, coalesce(chips, 1) AS chips, init_start_ms / 1000.0 AS start_time,
       coalesce(run_stop_ms, iif(job IN mlperf_followed, (SELECT last_ms FROM mlperf_survey WHERE file = job), NULL)) / 1000.0 AS end_time,
       CASE WHEN status = 'success' THEN 'completed' WHEN status IS NOT NULL OR job IN mlperf_followed THEN 'failed' END AS outcome
FROM mlperf_runs
WHERE init_start_ms IS NOT NULL;

-- The capacity is what is held.
DROP TABLE IF EXISTS temp.capacity;
CREATE TEMP TABLE capacity AS
SELECT a.pool, r.chip, a.chips, a.start_time, coalesce(a.end_time, s.last_ms / 1000.0) AS end_time
FROM allocations AS a JOIN mlperf_runs AS r USING (job) JOIN mlperf_survey AS s ON s.file = job;

-- Starts in a row, as ranks write them, begin one span; it ends with the last stop before the next start. Without a start the first
-- block began with the run, and the first evaluation is left out; without a stop the last one ends with the run.
-- (In the order of runs, kinds and times. What follows goes by rowid.)
DROP TABLE IF EXISTS temp.mlperf_edges;
CREATE TEMP TABLE mlperf_edges AS
WITH kinds(kind, started, stopped) AS (
  VALUES ('init', 'init_start', 'init_stop'), ('eval', 'eval_start', 'eval_stop'), ('block', 'block_start', 'block_stop'),
         ('epoch', 'epoch_start', 'epoch_stop'), ('prep', 'staging_start', 'staging_stop')
),
run AS MATERIALIZED (SELECT job, blocks, numbered, run_start_ms, row_number() OVER (ORDER BY job) AS run FROM mlperf_runs),
event AS (
  SELECT r.run, k.kind, e.time_ms, e.line, e.key = k.started AS starts,
         CASE r.numbered WHEN 'step_num' THEN step_num WHEN 'samples_count' THEN samples_count ELSE epoch_num END AS number,
         e.samples_count, e.step_num
  FROM run AS r CROSS JOIN kinds AS k CROSS JOIN mlperf_events AS e ON e.file = r.job AND e.key IN (k.started, k.stopped)
  WHERE k.kind IN ('init', 'eval', 'prep', r.blocks)
  UNION ALL
  SELECT run, blocks, run_start_ms, 0, 1, NULL, 0, 0
  FROM run AS r
  WHERE (SELECT key FROM mlperf_events AS e
         WHERE e.file = r.job AND e.key IN (r.blocks || '_start', r.blocks || '_stop')
         ORDER BY time_ms, line LIMIT 1) = r.blocks || '_stop'
)
SELECT run, kind, starts, number, samples_count, step_num, time_ms FROM event ORDER BY run, kind, time_ms, line;
.read sql/formats/mllog/unpaired.sql

INSERT INTO mlperf_ranges
SELECT first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM mlperf_edges)), starts
FROM (SELECT e.rowid AS first, e.starts AS starts -- a start that none is before, or that a stop is before; or a stop that nothing is before
      FROM mlperf_edges AS e LEFT JOIN mlperf_edges AS p ON p.rowid = e.rowid - 1
      WHERE p.kind IS NOT e.kind OR p.run <> e.run OR e.starts AND NOT p.starts);
DROP TABLE IF EXISTS temp.mlperf_pairs;
CREATE TEMP TABLE mlperf_pairs AS
WITH paired AS (
  SELECT max(e.run) AS run, max(e.kind) AS kind, min(time_ms) FILTER (WHERE e.starts) AS start_ms,
         max(time_ms) FILTER (WHERE NOT e.starts) AS stop_ms,
         coalesce(max(number) FILTER (WHERE NOT e.starts), max(number)) AS number,
         max(samples_count) FILTER (WHERE NOT e.starts) - min(samples_count) FILTER (WHERE e.starts) AS samples,
         max(step_num) FILTER (WHERE NOT e.starts) - min(step_num) FILTER (WHERE e.starts) AS steps
  FROM mlperf_ranges AS g CROSS JOIN mlperf_edges AS e ON e.rowid BETWEEN g.first AND g.last
  WHERE g.starts
  GROUP BY g.first
)
SELECT r.job AS file, kind, start_ms, stop_ms, number, samples, steps
FROM paired AS p CROSS JOIN (SELECT job, row_number() OVER (ORDER BY job) AS run FROM mlperf_runs) AS r ON r.run = p.run;
DROP TABLE mlperf_ranges;

-- A block (or, in a log without blocks, an epoch) is a step; it executes the benchmark's program, which
-- is one optimiser step, as often as its samples make global batches.
DROP TABLE IF EXISTS temp.spans;
CREATE TEMP TABLE spans AS
WITH counted AS (
  SELECT p.file, kind, start_ms, stop_ms, r.benchmark, r.blocks, r.run_start_ms, r.run_stop_ms,
         -- an open block tells where it began: where the one before ended
         iif(stop_ms IS NULL, max(number, 1 + coalesce((SELECT b.number FROM mlperf_pairs AS b
                                                        WHERE b.rowid = p.rowid - 1 AND b.file = p.file AND b.kind = p.kind),
                                                       number - 1)), number) AS number,
         coalesce(steps, samples / nullif(r.global_batch_size, 0)) AS executions
  FROM mlperf_pairs AS p JOIN mlperf_runs AS r ON r.job = p.file
)
SELECT file AS job, 1 AS attempt, iif(kind = blocks, 'step', kind) AS kind, start_ms / 1000.0 AS start_time,
       coalesce(stop_ms, iif(kind = 'init', run_start_ms, run_stop_ms)) / 1000.0 AS end_time,
       iif(kind = blocks, CAST(number AS INTEGER) + (number > CAST(number AS INTEGER)), NULL) AS step, -- 0.95 epochs: in the first
       iif(kind = blocks AND executions > 0, benchmark, NULL) AS program,
       NULL AS flops, NULL AS bytes, NULL AS dtype,
       iif(kind = blocks AND executions > 0, executions, NULL) AS executions
FROM counted
WHERE stop_ms IS NOT NULL OR coalesce(iif(kind = 'init', run_start_ms, run_stop_ms), start_ms) >= start_ms
ORDER BY job, start_time;

-- "checkpoint" is written when the save is done.
DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT e.file AS job, 1 AS attempt,
       CAST(CASE r.numbered WHEN 'step_num' THEN coalesce(step_num, CAST(value AS INTEGER)) WHEN 'samples_count' THEN samples_count
            ELSE epoch_num END AS INTEGER) AS step,
       NULL AS snapshot_time, time_ms / 1000.0 AS durable_time
FROM mlperf_events AS e JOIN mlperf_runs AS r ON r.job = e.file
WHERE e.key = 'checkpoint'
ORDER BY job, durable_time;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE mlperf_pairs;
DROP TABLE mlperf_edges;
DROP TABLE mlperf_survey;
DROP TABLE mlperf_words;
DROP TABLE mlperf_told;
DROP TABLE mlperf_events;
DROP TABLE mlperf_further;
DROP TABLE mlperf_followed;
-- The descriptions that were read are no strangers among the files of a fleet.
DROP TABLE IF EXISTS temp.read_beside;
CREATE TEMP TABLE read_beside AS SELECT path || packed AS path
FROM mlperf_files, (SELECT '' AS packed UNION ALL SELECT '.gz' UNION ALL SELECT '.zst');
DROP TABLE mlperf_files;
DROP TABLE mlperf_paths;
DROP TABLE mlperf_given;
DROP TABLE mlperf_log;
