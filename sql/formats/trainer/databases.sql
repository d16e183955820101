-- trainer/databases.sql - the names of losses and rates, and what the databases of MLflow (mlflow.db) and Trackio (PROJECT.db) have of
-- them and of their runs.
--
-- Reads :tracker_db, :tag and the attached database. Makes trainer_names, trainer_evaluations (what says that a record is no step),
-- trainer_values, to which trackers.sql adds, trainer_ended, when runs began and how they ended, trainer_called and
-- trainer_titles, what they are called, and trainer_stored, of Trackio a record a row.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.trainer_names;
CREATE TEMP TABLE trainer_names AS
SELECT key AS place, value AS name FROM json_each(coalesce(json_array(:tag), '[]')) WHERE value IS NOT NULL
UNION ALL
SELECT key, value
FROM json_each('["train/loss", "loss", "train_loss", "reduced_train_loss", "training/loss", "lm loss", "loss_metrics/global_avg_loss", "learning/loss", "loss/train/total",
  "train_inner/loss", "train/policy_loss", "actor/pg_loss", "train_loss_step", "train/loss_step", "loss/train", "Loss/train", "training_loss",
  "lm_loss", "train/lm_loss", "train/CrossEntropyLoss", "train/CE loss"]')
WHERE :tag IS NULL;
INSERT INTO trainer_names VALUES (1e12, 'perf/per_device_tflops_per_sec'), (1e12, 'TFLOPS_per_GPU'), (1e12, 'perf/tflops_per_gpu'),
  (1e12, 'model_tflops_per_gpu'), (1e12, 'throughput/tflops/device'), (1e12, 'throughput/tflops_per_device'), -- Megatron Bridge's, the second where MLflow keeps it
  (1.0, 'throughput/device/flops_per_sec'), (1.0, 'train/device/flops_per_sec'), (1.0, 'device/flops_per_sec'),
  ('eval', 'eval/runtime'); -- which stands for eval_runtime and eval/NAME_runtime, too
-- What a record says of its split, in small letters, where it is no step's.
DROP TABLE IF EXISTS temp.trainer_evaluations;
CREATE TEMP TABLE trainer_evaluations(name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO trainer_evaluations VALUES ('val'), ('valid'), ('validation'), ('eval'), ('evaluation'), ('test'), ('dev'), ('validate'),
  ('evaluate'), ('val_step'), ('valid_step'), ('validation_step'), ('eval_step'), ('test_step'), ('val_epoch'), ('validation_epoch'),
  ('eval_epoch'), ('val_end'), ('validation_end'), ('eval_end');
DROP TABLE IF EXISTS temp.trainer_values; -- `place` of a rate is what its unit is in FLOP/s
CREATE TEMP TABLE trainer_values(file, line, job, time, step, value, run, place, epoch);
-- run: '' where the file or folder has one alone
DROP TABLE IF EXISTS temp.trainer_ended;
CREATE TEMP TABLE trainer_ended(job TEXT, run TEXT, begun, ended, outcome, PRIMARY KEY(job, run)) WITHOUT ROWID;
DROP TABLE IF EXISTS temp.trainer_called;
CREATE TEMP TABLE trainer_called(job TEXT, path, run);

-- A name without a schema is looked for in one database after the other: these stand in where none is attached.
ATTACH ':memory:' AS tracker_absent;
CREATE TABLE tracker_absent.runs (run_uuid, name, status, start_time, end_time);
CREATE TABLE tracker_absent.metrics ("timestamp", step);
-- Both call their table the same. A column that the one there lacks is that of `lacking`, NULL.
DROP TABLE IF EXISTS temp.trainer_stored;
CREATE TEMP TABLE trainer_stored AS
SELECT (SELECT coalesce(run_uuid, run_id, project_name || '/' || run_name, run_name) FROM metrics AS m WHERE m.rowid = r.id) AS run,
       (SELECT "key" FROM metrics AS m WHERE m.rowid = r.id) AS metric, (SELECT value FROM metrics AS m WHERE m.rowid = r.id) AS value,
       (SELECT is_nan FROM metrics AS m WHERE m.rowid = r.id) AS is_nan, r."timestamp" AS time, r.step,
       (SELECT run_name FROM metrics AS m WHERE m.rowid = r.id) AS name, (SELECT metrics FROM metrics AS m WHERE m.rowid = r.id) AS record
FROM (SELECT NULL AS run_uuid, NULL AS run_id, NULL AS project_name, NULL AS run_name, NULL AS "key", NULL AS value, NULL AS is_nan,
             NULL AS metrics) AS lacking,
  (SELECT rowid AS id, "timestamp", step FROM metrics WHERE :tracker_db IS NOT NULL) AS r
WHERE metric IS NULL OR metric GLOB 'eval[/_]*runtime' OR metric IN (SELECT name FROM trainer_names)
ORDER BY r.id;
-- Of a run's losses the first of these names counts. The value of one that is no number is 0.
DROP TABLE IF EXISTS temp.trainer_chosen;
CREATE TEMP TABLE trainer_chosen(run, "key", place, PRIMARY KEY(run, "key")) WITHOUT ROWID;
INSERT INTO trainer_chosen
SELECT run, metric, place
FROM (SELECT *, row_number() OVER (PARTITION BY run, typeof(place) ORDER BY place) AS nth
      FROM (SELECT DISTINCT run, metric, place FROM trainer_stored
            JOIN trainer_names AS n ON n.name = iif(metric GLOB 'eval[/_]*runtime', 'eval/runtime', metric)))
WHERE nth = 1 OR place = 'eval';
INSERT INTO trainer_values(file, line, job, time, step, value, run, place)
SELECT :tracker_db, NULL, :tracker_db, time / 1e3, coalesce(step, 0), iif(is_nan IN (1, 'true'), 'NaN', value), c.run, c.place
FROM trainer_stored AS s JOIN trainer_chosen AS c ON c.run = s.run AND c."key" = metric
ORDER BY min(time) OVER (PARTITION BY c.run), c.run, time, step;
DELETE FROM trainer_stored WHERE metric IS NOT NULL;
INSERT OR IGNORE INTO trainer_ended
SELECT :tracker_db, run_uuid, start_time / 1e3, end_time / 1e3,
       CASE status WHEN 'FINISHED' THEN 'completed' WHEN 'FAILED' THEN 'failed' WHEN 'KILLED' THEN 'cancelled' END
FROM runs WHERE run_uuid IN (SELECT run FROM trainer_chosen);
DROP TABLE IF EXISTS temp.trainer_titles;
CREATE TEMP TABLE trainer_titles AS
SELECT run_uuid AS run, name FROM runs WHERE run_uuid IN (SELECT run FROM trainer_chosen) AND name <> ''
UNION SELECT run, name FROM trainer_stored WHERE name <> run;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT :tracker_db, 'warning', 'no_steps', count(*),
       coalesce('runs that have values, but none of "' || :tag || '": left out',
                'runs that have values, but none of a known name of the loss: left out. Name it by the option tag')
FROM runs
WHERE +run_uuid NOT IN (SELECT run FROM trainer_chosen)
  AND +run_uuid IN (SELECT (SELECT run_uuid FROM metrics AS m WHERE m.rowid = r.id)
                   FROM (SELECT NULL AS run_uuid), (SELECT rowid AS id FROM metrics) AS r)
GROUP BY NULL;
DROP TABLE trainer_chosen;
DETACH tracker_absent;
