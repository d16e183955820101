-- trainer.sql - from what other trainers and trackers of runs leave to the relations of the native trace: DeepSpeed, NeMo,
-- torchtitan's structured logs, Hugging Face's trainer_state.json, Weights & Biases, MLflow, Trackio.
--
--@ source 3
--@ feeds SG RG PG
--@ fills training_steps
--@ attach tracker
--@ input :deepspeed sure (?s)\A(?=.*?(?:global_step=|\] )\d*/?\d+, (?:RunningAvg)?SamplesPerSec=)(?!.*iteration\s+\d+/\s*\d+ \|)
--@ input :deepspeed sure (?s)\A(?=.*?\] step=\d+, skipped=\d+, lr=\[)(?!.*iteration\s+\d+/\s*\d+ \|)
--@ input :nemo sure ^.*Training epoch \d+, iteration \d+/\d+ \|.*global_step: \d+
--@ input :nemo sure global_step=[\d.]+,.*train_step_timing in s=
--@ input :titan sure \A\s*\[?\s*\{(?=[^\n]*"log_type_name"\s*:)[^\n]*"time_us"\s*:
--@ input :wandb_columns sure \A\s*\{(?=[^\n]*"_timestamp"\s*:\s*[\[{])[^\n]*"_step"\s*:\s*[\[{]
--@ input :wandb sure \A\s*\[?\s*\{(?!"_wandb"|[^\n]*[,\s]"_wandb"\s*:\s*\{)(?=[^\n]*"_timestamp"\s*:)[^\n]*"_step"\s*:
--@ input :wandb_csv sure \A(?=[^\n{]*\b_timestamp\b)[^\n{]*\b_step\b
--@ input :history sure (?s)\A(?:[^\n]*\n){0,20}?\s*\[?\s*\{(?=[^{}]*"step"\s*:\s*\d)(?=[^{}]*"(?:timestamp|time|ts)"\s*:\s*(?:1\d{9}\b|"\d{4}-\d\d-\d\d[T ]))(?![^{}]*"_(?:step|timestamp)"\s*:)[^{}]*"(?:train(?:ing)?[/_])?loss"\s*:\s*-?[\dN][^{}]*\}[^{}]{0,4000}?\{[^{}]*"step"\s*:\s*\d
--@ input :mlflow sure (?s)\A\s*\{\s*"metrics"\s*:\s*\[\s*\{(?=[^}]*"timestamp"\s*:)[^}]*"key"\s*:
--@ input :mlflow sure (?s)\A\s*\[?\s*\{(?=[^{}]*"key"\s*:)(?=[^{}]*"value"\s*:)(?=[^{}]*"timestamp"\s*:\s*\d{13}\b)[^{}]*"step"\s*:
--@ input :mlflow_csv sure \Arun_id,key,value,step,timestamp\r?\n
--@ input :mlflow_run sure (?s)\A\s*\{(?=.{0,4000}?"(?:mlflow|info)"\s*:\s*\{).*"metrics"\s*:\s*\{\s*"[^"\n]+"\s*:\s*\[\s*\{[^{}]*"timestamp"\s*:\s*\d{13}\b
--@ input :values_csv sure \A,?(?:Wall time,Step,Value|step,value,timestamp)\r?\n
--@ input :steps_csv sure (?i)\A(?=(?:[^\n\t]*,)?[ "]*(?:(?:train(?:er|ing)?/)?(?:global[_ ])?step|iter(?:ation)?)s?[ "]*[,\r\n])(?=(?:[^\n\t]*,)?[ "]*(?:wall[_ ]?time|unix_?time|time(?:_?stamp)?|ts|date(?:_?time)?|(?:creat|logg)ed_at|[^\n\t,"]*loss_timestamp)[ "]*[,\r\n])(?=(?:[^\n\t]*,)?(?:[^\n\t,]*loss[^\n\t,]*|[ "]*value[ "]*)[,\r\n])(?:[^\n]*\n){1,5}?(?:[^\n]*,)?[ "]*(?:1\d{9}(?:\.\d*)?|1\d{12}|1\d{15}|1\d{18}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n,"]*)"?[,\r\n]
--@ input :steps_tsv sure (?i)\A(?=(?:[^\n]*\t)?(?:(?:train(?:er|ing)?/)?(?:global[_ ])?step|iter(?:ation)?)s?[\t\r\n])(?=(?:[^\n]*\t)?(?:wall[_ ]?time|unix_?time|time(?:_?stamp)?|ts|date(?:_?time)?|(?:creat|logg)ed_at)[\t\r\n])(?=(?:[^\n]*\t)?(?:[^\n\t]*loss[^\n\t]*|value)[\t\r\n])(?:[^\n]*\n){1,5}?(?:[^\n]*\t)?(?:1\d{9}(?:\.\d*)?|1\d{12}|1\d{15}|1\d{18}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n\t]*)[\t\r\n]
--@ input :steps_jsonl sure (?i)\A(?:[^\n]*\n){0,20}?\s*\{(?![^\n]*"_(?:step|timestamp)"\s*:)(?=[^\n]*"(?:(?:train(?:er|ing)?/)?(?:global_)?step|iter(?:ation)?)s?"\s*:\s*"?\d)(?=[^\n]*"(?:wall_?time|unix_?time|@?time(?:_?stamp)?|ts|date(?:_?time)?|(?:creat|logg)ed_at)"\s*:\s*"?(?:1\d{9}(?:\d{3}){0,3}\b|\d{4}-\d\d-\d\d[T ]))(?=[^\n]*"[^"\n]*loss[^"\n]*"\s*:\s*"?-?[\dNn])[^\n]*\n\s*\{[^\n]*\}
--@ input :comet sure (?s)\A\s*\[?\s*\{[^{}]*"metricName"\s*:[^{}]*"metricValue"\s*:
--@ input :mlflow_store sure \A\d{13} \S+ \d+(?: \S+ \w{1,36})?\r?\n(?:\d{13} \S+ \d+\s|(?![\s\S]))
--@ input :tracker_db tables ^(?:latest_metrics|idx_(?:metrics|configs)_(?:proj_)?run\w*)$
--@ input :hf sure (?s)\A\s*\{.*"log_history"\s*:\s*\[.*"step"\s*:
--@ needs :chips (?s)\A(?!.*(?:dist_world_size=\d|MEMBER: \d+/\d))
--@ needs :chip (?s)\A
--@ needs :year ^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?![^\n]*\d{4}-\d\d-\d\d[T ]\d\d:)[^\n]*(?:Training epoch \d|train_step_timing in s)
--@ needs :start (?s)\A(?!(?:-- [^\n]*\n)?(?:(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? |\d{10}\.\d{6} |(?:__CURSOR=[^\n]*\n)?[^\n]*__REALTIME_TIMESTAMP))(?!.*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|Start time ?: [\d.]+s|"time_us"|_timestamp|"timestamp"|\{[^\n]*"(?i:wall_?time|unix_?time|time(?:_?stamp)?|ts)"\s*:\s*"?1\d{9}|,timestamp\r?$|\A[^\n\[{]*[,\t][^\n\[{]*\n[^\n]*(?<![\d.-])1\d{9}(?:\d{3}){0,3}[,.\t\r\n"]|"log_history"|\A\d{13} \S+ \d+\s|\ASQLite format 3))
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :deepspeed fixtures/trainer/deepspeed.log
--     .read sql/formats/trainer.sql
--     SELECT attempt, step, seconds, executions FROM training_steps;
--     SELECT category, sum(chip_seconds) FROM mpg_rollup GROUP BY category;
--
-- Parameters: one of :deepspeed, :nemo (logs), :titan (torchtitan's structured_logs/*.jsonl), :wandb (a history as JSON Lines),
-- :wandb_columns (a column after the other, as pandas' to_json writes it), :wandb_csv (the same as CSV), :history (JSON Lines of a step,
-- a loss and a timestamp, as NeMo AutoModel's training.jsonl), :mlflow (answers of metrics/get-history), :mlflow_csv (the table of its
-- charts), :mlflow_run (run.json of mlflow-export-import), :values_csv (values of the loss as TensorBoard and Neptune make tables of
-- them), :steps_csv, :steps_tsv and :steps_jsonl (other tables of steps, with commas or tabs, and JSON Lines), :comet (metrics as Comet
-- lists them), :mlflow_store (files of its store, mlruns/*/*/metrics/NAME), :tracker_db (the database of MLflow or Trackio, attached under
-- any name), :hf (trainer_state.json), each a path, glob or folder.
-- Others may be left unset: :chips and :chip say how many chips the job holds, and which; :pool names the pool ('training'); :job makes
-- all files runs of one job (else each file is one, and of torchtitan each folder); :outcome says how the last run ended; :tag is a
-- tracker's name of the loss, if it is none of those below; :flops are those of one step on all chips together; :start is when a log
-- without times began; :zone the zone of times that name none ('UTC'). trace_rollup and its like set :rotated, the files that may be parts
-- of one log, :starts, when logs began, and :only_relations, which leaves training_steps empty. A program that cannot bind parameters to a
-- script replaces them in its text.
--
-- Makes the TEMP tables jobs, allocations, capacity, spans, commits and aliases, which mpg_ledger and mpg_rollup then
-- find, and training_steps, a row a told step. The rules are explained in docs/formats/trainer.md.

-- ---- 1. The input: when steps were over, and what else takes time or makes progress safe ----

DROP TABLE IF EXISTS temp.trainer_input;
CREATE TEMP TABLE trainer_input AS SELECT mpg_required(path, ':deepspeed') AS path
FROM (SELECT coalesce(:deepspeed, :nemo, :titan, :wandb, :wandb_columns, :wandb_csv, :history, :mlflow, :mlflow_csv, :mlflow_run,
                      :values_csv, :steps_csv, :steps_tsv, :steps_jsonl, :comet, :mlflow_store, :tracker_db, :hf) AS path);

DROP TABLE IF EXISTS temp.trainer_points;
-- run, epoch: as a tracker's record names them; part, at: of exports of one run (same_run.sql); the last line: of trackers (histories.sql)
CREATE TEMP TABLE trainer_points(file, line, job TEXT, rank, time, step, seconds, loss, tflops, begun, resumed, run, epoch, part, at,
                                 told, runtime, own, number, otherwise, evaluated, of, foreign_to, evaluation, plain);
DROP TABLE IF EXISTS temp.trainer_marks; -- kind 'saved': safe at `time`; 'completed', 'failed': over then; others are spans
CREATE TEMP TABLE trainer_marks(file, line, job TEXT, rank, kind, start_time, time, step);
DROP TABLE IF EXISTS temp.trainer_worlds;
CREATE TEMP TABLE trainer_worlds(file, line, chips);
DROP TABLE IF EXISTS temp.trainer_tail;
CREATE TEMP TABLE trainer_tail(file TEXT, time); -- until when a log goes on
DROP TABLE IF EXISTS temp.trainer_evals;
CREATE TEMP TABLE trainer_evals(file TEXT, run, start_time, time); -- evaluations of trackers

--@ if :deepspeed IS NOT NULL
-- DeepSpeed: a line every so many steps. A save blocks from "is about to be saved" to "is ready now".
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line, time, step, fields, json_extract(fields, '$.spliced') AS spliced, fields IS NULL AS is_tail
FROM log_trace(:deepspeed, '(?x) (?: \[ (?<time> \d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d (?: [,.]\d+ )? ) \] .{0,200}? )?
  (?: \b (?: epoch=\d+/micro_step=\d+/global_step= (?<step>\d+) | (?<= \]\ ) \d+/ (?<micro>\d+) ) ,\ (?: RunningAvg )? SamplesPerSec=
    | (?: Checkpoint\ (?<saving>\S+)\ is\ about\ to\ be\ saved! | \[Nebula\]\ Start\ Checkpoint\ for\ tag: (?: \w+\(tag=\x27 )? (?<saving>[^\s\x27]+) )
    | \[Nebula\]\ all\ files\ for\ (?: \w+\(tag=\x27 )? (?<staged>[^\s\x27]+) .*? \ are\ saved\ in\ tier1
    | \[Nebula\]\ Loading\ \S+\ under\ tag\  (?<fetching>)
    | \[Nebula\]\ Loaded\ \S+\ under\ tag\  (?: global_step (?<loaded>\d+) | (?<loaded_tag>\S+) )
    | Checkpoint\ (?<saved>\S+)\ is\ ready\ now!
    | Checkpoint\ (?<begun>\S+)\ is\ begin\ to\ save!
    | (?: Loading | Begin\ Load )\ checkpoint\ from\ (?: \S*? global_step (?<loading>\d+) | \S* / (?<loading_tag>[^/\s]+) / [^/\s]+ _states\.pt )
    | (?: Loaded | End\ Load )\ checkpoint\ from\ (?: \S*? global_step (?<loaded>\d+) | \S* / (?<loaded_tag>[^/\s]+) / [^/\s]+ _states\.pt )
    | Saving\ model\ checkpoint: .* / (?<model>[^/\s]+) / mp_rank_\d+_model_states
    | zero\ checkpoint\ saved .* / (?<zero>[^/\s]+) / (?: bf16_ )? zero_pp_rank_
    | Process\ (?<over>\d+)\ exits\ successfully
    | \ exits\ with\ return\ code\ =\ (?<code>-?\d+)
    | step=(?<plain>\d+),\ skipped=(?<skipped>\d+)
    | dist_world_size=(?<world>\d+) )
  (?: (?= .* (?: (?: global_step= | \]\ \d+/ ) (?<spliced>\d+) ,\ (?: RunningAvg )? SamplesPerSec= | (?<spliced> Checkpoint\ \S+\ is\ (?: about | ready )
    | Load\w+\ checkpoint\ from ) ) ) )?', 'last', coalesce(:zone, 'UTC'));

.read sql/formats/log/extents.sql
.read sql/formats/log/zoned.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
.read sql/formats/log/rotated.sql
DROP TABLE training_heads;
-- The engine of pipelines has no line of a rate beside that of the learning rate, and in older versions it counts micro steps.
UPDATE training_lines SET step = json_extract(fields, '$.plain')
WHERE file NOT IN (SELECT file FROM training_lines WHERE step IS NOT NULL) AND json_extract(fields, '$.plain') > 0; -- 0: as the engine is set up
UPDATE training_lines SET step = json_extract(fields, '$.micro')
WHERE file NOT IN (SELECT file FROM training_lines WHERE step IS NOT NULL) AND json_extract(fields, '$.micro') IS NOT NULL;
INSERT OR REPLACE INTO training_known
SELECT file, max(line) FROM training_lines
WHERE step IS NOT NULL AND file IN (SELECT file FROM training_known WHERE line IS NULL) GROUP BY file;
.read sql/formats/trainer/older.sql
.read sql/formats/log/reversed.sql
.read sql/formats/log/hour.sql
.read sql/formats/trainer/back.sql
.read sql/formats/log/start.sql

INSERT INTO trainer_points(file, line, job, time, step) SELECT file, line, file, time, step FROM training_lines WHERE step IS NOT NULL;
INSERT INTO trainer_worlds SELECT file, line, json_extract(fields, '$.world')
FROM training_lines WHERE json_extract(fields, '$.world') IS NOT NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'skipped_steps', min(line), max(json_extract(fields, '$.skipped')),
       'steps that were skipped: they count as progress' FROM training_lines WHERE json_extract(fields, '$.skipped') > 0 GROUP BY file;
-- The launcher begins a run, and says how it ended.
INSERT INTO trainer_marks(file, line, job, kind, start_time, time) SELECT file, line, file, 'init', time, time
FROM training_lines WHERE json_extract(fields, '$.world') IS NOT NULL
UNION ALL
SELECT file, line, file, iif(json_extract(fields, '$.code') <> 0, 'failed', 'completed'), time, time
FROM training_lines WHERE coalesce(json_extract(fields, '$.over'), json_extract(fields, '$.code')) IS NOT NULL AND time IS NOT NULL;
.read sql/formats/trainer/deepspeed.sql
INSERT INTO trainer_tail SELECT file, time FROM training_tail;
DROP TABLE training_tail;
DROP VIEW training_extents;
DROP TABLE training_lines;
--@ end

--@ if :nemo IS NOT NULL
-- NeMo: lines of steps have no clock. They follow the last line that has one, by what they took. `at` is where a step ends, and all else
-- begins.
DROP TABLE IF EXISTS temp.training_lines;
CREATE TEMP TABLE training_lines AS
SELECT _file AS file, _line AS line,
       iif(json_extract(fields, '$.other') IS NULL, coalesce(json_extract(fields, '$.at'), time), NULL) AS time,
       iif(json_extract(fields, '$.other') IS NULL, NULL, time) AS other_time, step, fields,
       json_extract(fields, '$.spliced') AS spliced, fields IS NULL AS is_tail
FROM log_trace(:nemo,
               '(?x) (?: ^ (?: (?: \[ [^\]\s]{1,200} \]\  )? (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) [\ \t]
      | \s* \{ (?= .* "(?: @?timestamp | time )"\s*:\s*" (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) " ) ) [^\r]{0,300}?
    | \[NeMo\ \w\ (?<time> \d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d ) .{0,200}? | ^ [^\r]{0,60}? (?= \d{4}-\d\d- ) (?! .* \[NeMo) (?<time> \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) [^\r]{0,300}? )?
  (?: Training\ epoch\ \d+ ,\ iteration\ \d+/\d+\ \| .*? global_step:\ (?<step>\d+) (?= \s* \| )
      (?: (?= .* reduced_train_loss:\ (?<loss> [\d.eE+-]+ | nan | inf ) ) )? (?: (?= .* train_step_timing\ in\ s:\ (?<seconds> (?> [\d.]+ (?: ,\d{3} [\d.]* )* ) (?: e[+-]?\d+ )? ) ) )?
      (?: (?= .* TFLOPS_per_GPU:\ (?<tflops> (?> [\d.]+ (?: ,\d{3} [\d.]* )* ) (?: e[+-]?\d+ )? ) ) )?
    | (?= reduced_train_loss= | global_step= | train_step_timing\ in\ s= ) (?= [^\r]* train_step_timing\ in\ s=(?<seconds> (?> [\d.]+ (?: ,\d{3} [\d.]* )* ) (?: e[+-]?\d+ )? ) (?= [,\ \]] ) ) (?: (?= [^\r]* reduced_train_loss=(?<loss> [\d.eE+-]+ | nan | inf ) ) )?
      (?: (?= [^\r]* TFLOPS_per_GPU=(?<tflops> [\d.]+ (?: e[+-]?\d+ )? ) ) )? [^\r]*? global_step=(?: (?<step>\d+) (?: \.0* )? (?= [,\s\]] ) | (?<rounded> [\d.]+ e\+?\d+ ) )
    | Global\ Checkpoint\ Save\ :\ Rank:\ 0\ :\ Iteration:\ (?<saving>\d+)\ :\ Start\ time:\ (?<at>[\d.]+) s\ :\ Save\ duration:\ (?<took>[\d.]+) s
    | Successfully\ saved\ checkpoint\ from\ iteration \s+ (?<saved>\d+)
    | Async\ checkpoint\ save\ for\ step\ (?<done>\d+)\ (?: [^\r]*?\ )? finalized\ successfully
    | `Trainer\.fit`\ stopped:\ `max_(?<reached>\w+)=\d+`\ reached
    | Global\ Checkpoint\ Load\ :\ Rank\ ?:\ 0\ :\ Start\ time\ ?:\ (?<at>[\d.]+) s\ :\ Time\ spent\ in\ load_checkpoint:\ (?<load>[\d.]+) s
    | MEMBER:\ \d+/(?<world>\d+) )
  (?: (?= [^\r]* (?: Training\ epoch\ \d+ ,\ iteration\ \d+/\d+\ \| [^\r]*? global_step:\ (?<spliced>\d+)
    | (?<spliced> Global\ Checkpoint\ (?: Save | Load )\ : | Successfully\ saved\ checkpoint\ from | Async\ checkpoint\ save\ for\ step ) ) ) )?
  (?(<time>) | (?: (?= .* "time(?:stamp)?"\s*:\s*"(?<time> \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d:\d\d (?: [.,]\d+ )? (?: Z | [+-]\d\d:?\d\d )? ) " ) )? )
  | ^ (?: (?: \[ [^\]\s]{1,200} \]\  )? (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) [\ \t]
      | \s* \{ (?= .* "(?: @?timestamp | time )"\s*:\s*" (?<time> \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d (?: \.\d+ )? (?: Z | [+-]\d\d:?\d\d ) ) " ) ) [^\r]{0,60}? \[NeMo\ \w\ (?<other>)
  | \[NeMo\ \w\ (?<time> \d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d ) (?<other> \ )',
               'last', coalesce(:zone, 'UTC'));

.read sql/formats/log/extents.sql
.read sql/formats/log/spliced.sql
.read sql/formats/log/tail.sql
.read sql/formats/log/stamps.sql
.read sql/formats/log/start.sql
.read sql/formats/log/rotated.sql
.read sql/formats/log/reversed.sql
.read sql/formats/log/copies.sql
.read sql/formats/log/begun.sql

-- A clock that was set back is the log's: when saves and loads began is told in Unix seconds.
UPDATE training_lines SET time = iif(json_extract(fields, '$.at') IS NULL, coalesce(time, other_time), NULL);
.read sql/formats/log/hour.sql
.read sql/formats/trainer/back.sql
UPDATE training_lines SET time = iif(other_time IS NULL, coalesce(json_extract(fields, '$.at'), time), NULL),
  other_time = iif(other_time IS NULL, NULL, time);
.read sql/formats/trainer/nemo.sql
INSERT INTO trainer_tail SELECT file, time FROM training_tail;
DROP TABLE training_tail;
DROP TABLE training_begun;
DROP VIEW training_extents;
DROP TABLE training_lines;
--@ end

--@ if :titan IS NOT NULL
.read sql/formats/trainer/titan.sql
--@ end

.read sql/formats/trainer/databases.sql
.read sql/formats/trainer/tables.sql
.read sql/formats/trainer/histories.sql
.read sql/formats/trainer/not_finite.sql
.read sql/formats/trainer/turned.sql
.read sql/formats/trainer/trackers.sql

.read sql/formats/trainer/answers.sql
.read sql/formats/trainer/ranks.sql

-- Runs that one file has, as its records name them, are jobs of their own.
DROP TABLE IF EXISTS temp.trainer_named;
CREATE TEMP TABLE trainer_named AS
SELECT file, run, line, row_number() OVER (PARTITION BY file ORDER BY id) AS nth
FROM (SELECT file, run, min(line) AS line, min(p.rowid) AS id
      FROM (SELECT 1 FROM trainer_has WHERE runs) CROSS JOIN trainer_points AS p WHERE run IS NOT NULL GROUP BY file, run);
UPDATE trainer_points SET job = trainer_points.file || '#' || nth
FROM trainer_named AS n WHERE n.file = trainer_points.file AND n.run IS trainer_points.run AND nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'run_anew', min(line), count(*),
       'runs beside the first one, as records name them: each is a job of its own, unless the option job makes them one'
FROM trainer_named WHERE nth > 1 GROUP BY file;
DROP TABLE IF EXISTS temp.aliases;
CREATE TEMP TABLE aliases AS SELECT DISTINCT CAST(iif(nth = 1, file, file || '#' || nth) AS TEXT) AS job, CAST(run AS TEXT) AS alias
FROM trainer_named WHERE run <> '' UNION SELECT CAST(job AS TEXT), CAST(run AS TEXT) FROM trainer_called WHERE run <> ''
UNION SELECT CAST(iif(nth = 1, file, file || '#' || nth) AS TEXT), CAST(t.name AS TEXT)
FROM trainer_titles AS t JOIN trainer_named USING (run);
DROP TABLE trainer_called;
DROP TABLE trainer_titles;
DROP TABLE trainer_named;

.read sql/formats/trainer/extents.sql
.read sql/formats/trainer/evaluated.sql
.read sql/formats/trainer/same_run.sql
.read sql/formats/trainer/doubts.sql

-- If ranks log into files of their own, the lowest rank counts.
UPDATE trainer_points SET job = :job WHERE :job IS NOT NULL;
UPDATE trainer_marks SET job = :job WHERE :job IS NOT NULL;
--@ if (SELECT max(ranks) FROM trainer_has)
DROP TABLE IF EXISTS temp.trainer_lowest;
CREATE TEMP TABLE trainer_lowest(of_job TEXT PRIMARY KEY, lowest);
INSERT INTO trainer_lowest SELECT job, min(rank) FROM trainer_points WHERE rank IS NOT NULL GROUP BY job;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'info', 'parallel_files', count(*), 'steps of a rank whose job has a lower one: left out'
FROM trainer_points WHERE rank > (SELECT lowest FROM trainer_lowest WHERE of_job = job) GROUP BY file;
DELETE FROM trainer_marks WHERE rank > (SELECT lowest FROM trainer_lowest WHERE of_job = job);
DELETE FROM trainer_points WHERE rank > (SELECT lowest FROM trainer_lowest WHERE of_job = job);
DROP TABLE trainer_lowest;
--@ end
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT path, 'warning', 'no_steps', 1,
       iif(coalesce(:wandb, :wandb_columns, :wandb_csv, :history, :mlflow, :mlflow_csv, :mlflow_run, :steps_csv, :steps_tsv,
                    :steps_jsonl, :comet,
                    :mlflow_store, :tracker_db) IS NULL,
           'no step with a time was found',
           coalesce('no value of "' || :tag || '" was found', 'no value of a known name of the loss was found: name it by the option tag'))
FROM trainer_input
WHERE NOT EXISTS (SELECT 1 FROM trainer_points) AND NOT EXISTS (SELECT 1 FROM trainer_untimed);

.read sql/formats/log/chips.sql
.read sql/formats/trainer/steps.sql
DROP TABLE training_chips;

-- ---- 3. The relations ----

DROP TABLE IF EXISTS temp.training_runs;
CREATE TEMP TABLE training_runs AS
SELECT r.job, attempt, 'pytorch' AS framework, chips, NULL AS chip, start_time, max(end_time, coalesce(o.ended, end_time)) AS end_time,
       o.outcome AS own_outcome
FROM (SELECT s.job, s.attempt, min(s.file) AS file, coalesce(min(s.run), '') AS run, j.chips,
             min(min(s.start_time), coalesce(min(s.begun), min(s.start_time))) AS start_time, max(s.end_time) AS end_time,
             max(s.attempt) OVER (PARTITION BY s.job, min(s.file), min(s.run)) AS last
      FROM trainer_spells AS s JOIN trainer_jobs AS j USING (job, attempt) GROUP BY s.job, s.attempt) AS r
LEFT JOIN trainer_over AS o ON o.file = r.file AND o.run = r.run AND r.attempt = r.last;
-- Marks before or after the steps of an attempt are of that attempt: it lasts from its first mark to its last.
DROP TABLE IF EXISTS temp.trainer_reach;
CREATE TEMP TABLE trainer_reach(file, attempt, first, last, PRIMARY KEY (file, attempt)) WITHOUT ROWID; -- the lines of its steps
INSERT INTO trainer_reach SELECT file, attempt, min(line), max(last_line) FROM trainer_spells GROUP BY file, attempt;
DROP TABLE IF EXISTS temp.trainer_placed;
CREATE TEMP TABLE trainer_placed AS
SELECT m.*, coalesce((SELECT max(r.attempt) FROM trainer_reach AS r WHERE r.file = m.file AND r.first <= m.line),
                     (SELECT min(r.attempt) FROM trainer_reach AS r WHERE r.file = m.file),
                     -- of a program beside
                     (SELECT max(a.attempt) FROM training_runs AS a
                      WHERE a.job = m.job AND a.start_time <= m.time AND m.rank IS NOT NULL)) AS attempt
FROM trainer_marks AS m WHERE m.time IS NOT NULL AND (m.kind = 'saved' OR m.time >= m.start_time);
-- A restore stands before the steps that follow it.
UPDATE trainer_placed SET attempt
  = coalesce((SELECT min(r.attempt) FROM trainer_reach AS r WHERE r.file = trainer_placed.file AND r.last > trainer_placed.line), attempt)
WHERE kind IN ('restore', 'init');
-- What a launch after the last step of its log tells is of no attempt, if it restored nothing.
DROP TABLE IF EXISTS temp.training_launches;
CREATE TEMP TABLE training_launches AS
SELECT m.job, m.file, min(m.line) AS line
FROM trainer_marks AS m
WHERE m.rank IS NULL AND m.kind IN ('init', 'restore') AND m.line > (SELECT max(r.last) FROM trainer_reach AS r WHERE r.file = m.file)
GROUP BY m.file HAVING max(m.kind) = 'init';
DROP TABLE trainer_reach;
CREATE UNIQUE INDEX temp.training_launches_of ON training_launches(file);
DELETE FROM trainer_placed WHERE rowid IN (
  SELECT p.rowid FROM trainer_placed AS p CROSS JOIN training_launches AS l ON l.file = p.file AND p.line >= l.line);
.read sql/formats/trainer/evals.sql
.read sql/formats/trainer/compiled.sql
DELETE FROM trainer_placed WHERE attempt IS NULL;
CREATE INDEX temp.trainer_placed_of ON trainer_placed(job, attempt);
UPDATE training_runs SET start_time
  = min(start_time, coalesce((SELECT min(coalesce(p.start_time, p.time))
                              FROM trainer_placed AS p WHERE p.job = training_runs.job AND p.attempt = training_runs.attempt), start_time)),
  end_time = max(end_time, coalesce((SELECT max(p.time) FROM trainer_placed AS p
                                     WHERE p.job = training_runs.job AND p.attempt = training_runs.attempt), end_time));
.read sql/formats/trainer/over.sql
.read sql/formats/log/held.sql

.read sql/formats/trainer/spans.sql

DROP TABLE IF EXISTS temp.commits;
CREATE TEMP TABLE commits AS
SELECT job, attempt, step, NULL AS snapshot_time, time AS durable_time FROM trainer_placed WHERE kind = 'saved' ORDER BY 1, 2, 5;

-- ---- 4. Tables that are no longer needed ----

DROP TABLE trainer_input;
DROP TABLE trainer_points;
DROP TABLE trainer_extents;
DROP TABLE trainer_even;
DROP TABLE trainer_has;
DROP TABLE trainer_marks;
DROP TABLE trainer_worlds;
DROP TABLE trainer_untimed;
DROP VIEW trainer_lasting;
DROP TABLE trainer_steps;
DROP TABLE trainer_ranges;
DROP TABLE trainer_firsts;
DROP TABLE trainer_spells;
DROP TABLE trainer_within;
DROP TABLE trainer_long;
DROP TABLE trainer_jobs;
DROP TABLE trainer_chip;
DROP TABLE training_runs;
DROP TABLE trainer_placed;
DROP TABLE trainer_over;
