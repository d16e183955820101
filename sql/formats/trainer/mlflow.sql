-- trainer/mlflow.sql - the names of losses and rates, and what MLflow's database (mlflow.db) has of them and of its runs.
--
-- Reads :mlflow_db, :tag and the attached database. Makes trainer_names, trainer_values, to which trackers.sql adds, trainer_ended, when
-- runs began and how they ended, and trainer_called, what they are called.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.trainer_names;
CREATE TEMP TABLE trainer_names AS
SELECT key AS place, value AS name FROM json_each(coalesce(json_array(:tag), '[]')) WHERE value IS NOT NULL
UNION ALL
SELECT key, value
FROM json_each('["train/loss", "loss", "train_loss", "reduced_train_loss", "training/loss", "lm loss", "loss_metrics/global_avg_loss", "learning/loss", "loss/train/total",
  "train_inner/loss", "train/policy_loss", "actor/pg_loss", "train_loss_step", "train/loss_step", "loss/train", "Loss/train", "training_loss"]')
WHERE :tag IS NULL;
INSERT INTO trainer_names VALUES (1e12, 'perf/per_device_tflops_per_sec'), (1e12, 'TFLOPS_per_GPU'), (1e12, 'perf/tflops_per_gpu'),
  (1e12, 'throughput/tflops/device'), (1e12, 'throughput/tflops_per_device'), -- Megatron Bridge's, the second where MLflow keeps it
  (1.0, 'throughput/device/flops_per_sec'), (1.0, 'train/device/flops_per_sec'), (1.0, 'device/flops_per_sec');
DROP TABLE IF EXISTS temp.trainer_values; -- `place` of a rate is what its unit is in FLOP/s
CREATE TEMP TABLE trainer_values(file, line, job, time, step, value, run, place);
-- run: '' where the file or folder has one alone
DROP TABLE IF EXISTS temp.trainer_ended;
CREATE TEMP TABLE trainer_ended(job TEXT, run TEXT, begun, ended, outcome, PRIMARY KEY(job, run)) WITHOUT ROWID;
DROP TABLE IF EXISTS temp.trainer_called;
CREATE TEMP TABLE trainer_called(job TEXT, path, run);

-- A name without a schema is looked for in one database after the other: these stand in where none is attached.
ATTACH ':memory:' AS mlflow_absent;
CREATE TABLE mlflow_absent.runs (run_uuid, name, status, start_time, end_time);
CREATE TABLE mlflow_absent.metrics (run_uuid, "key", value, "timestamp", step, is_nan);
-- Of a run's losses the first of these names counts. The value of one that is no number is 0.
DROP TABLE IF EXISTS temp.trainer_chosen;
CREATE TEMP TABLE trainer_chosen(run, "key", place, PRIMARY KEY(run, "key")) WITHOUT ROWID;
INSERT INTO trainer_chosen
SELECT run, "key", place
FROM (SELECT *, row_number() OVER (PARTITION BY run, typeof(place) ORDER BY place) AS nth
      FROM (SELECT DISTINCT m.run_uuid AS run, m."key" AS "key", n.place AS place
            FROM trainer_names AS n CROSS JOIN metrics AS m ON m."key" = n.name WHERE :mlflow_db IS NOT NULL))
WHERE nth = 1;
INSERT INTO trainer_values
SELECT :mlflow_db, NULL, :mlflow_db, m."timestamp" / 1e3, coalesce(m.step, 0), iif(m.is_nan IN (1, 'true'), 'NaN', m.value), c.run, c.place
FROM metrics AS m CROSS JOIN trainer_chosen AS c ON c.run = m.run_uuid AND c."key" = m."key"
WHERE :mlflow_db IS NOT NULL AND m."key" IN (SELECT name FROM trainer_names)
ORDER BY min(m."timestamp") OVER (PARTITION BY c.run), c.run, m."timestamp", m.step;
INSERT OR IGNORE INTO trainer_ended
SELECT :mlflow_db, run_uuid, start_time / 1e3, end_time / 1e3,
       CASE status WHEN 'FINISHED' THEN 'completed' WHEN 'FAILED' THEN 'failed' WHEN 'KILLED' THEN 'cancelled' END
FROM runs WHERE run_uuid IN (SELECT run FROM trainer_chosen);
DROP TABLE IF EXISTS temp.trainer_titles;
CREATE TEMP TABLE trainer_titles AS
SELECT run_uuid AS run, name FROM runs WHERE run_uuid IN (SELECT run FROM trainer_chosen) AND name <> '';
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT :mlflow_db, 'warning', 'no_steps', count(*),
       coalesce('runs that have values, but none of "' || :tag || '": left out',
                'runs that have values, but none of a known name of the loss: left out. Name it by the option tag')
FROM runs WHERE :mlflow_db IS NOT NULL AND run_uuid IN (SELECT run_uuid FROM metrics) AND run_uuid NOT IN (SELECT run FROM trainer_chosen)
GROUP BY NULL;
DROP TABLE trainer_chosen;
DETACH mlflow_absent;
