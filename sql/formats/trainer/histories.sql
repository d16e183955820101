-- trainer/histories.sql - histories of Weights & Biases, Trackio and MLflow: a record has a loss and a time, and maybe the number of the
-- trainer's step.
--
-- Reads :wandb, :wandb_columns, :wandb_csv, :history, :tracker_db, :tag, :zone, trainer_stored and trainer_told. Makes trainer_history, of
-- the columns of trainer_points, and trainer_aside(file, line, told, runtime, run, of, foreign_to, evaluation, is_none). `told` is the time
-- as written, `own` the number of the trainer's step, `number` that of the record and `plain` another beside it; `otherwise` a record with
-- rates that are none of a chip, or 0 beside a rate that is no number; `of` 1 of :wandb and :wandb_csv, 2 of :history; `evaluation` how
-- long one took.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- A time is in seconds, or in the milliseconds, microseconds or nanoseconds of pandas, which also makes dates of them. A date may name no
-- zone: it is of :zone.
DROP TABLE IF EXISTS temp.trainer_history;
CREATE TEMP TABLE trainer_history(file, line, job TEXT, rank, time, step, seconds, loss, tflops, begun, resumed, run, epoch, part, at,
                                  told, runtime, own, number, otherwise, evaluated, of, foreign_to, evaluation, plain);
INSERT INTO trainer_history
SELECT file, line, iif(is_step, file, NULL), rank, time, coalesce(own, number), NULL, loss,
       CASE WHEN rare IS NOT NULL THEN iif(tflops + 0 > 0, tflops + 0, NULL) END, time - runtime, 0, run, epoch, NULL, NULL,
       told, runtime, own, number,
       CASE WHEN line < 100 OR rare IS NOT NULL
         THEN CASE WHEN tflops IS NULL THEN iif(line < 100, iif(record LIKE '%flops%' OR record LIKE '%mfu%', record, NULL), NULL)
                   WHEN tflops + 0 > 0 THEN NULL ELSE 0 END END,
       evaluated, of, foreign_to, evaluation, plain
FROM (SELECT *, CASE WHEN loss <= 9e999 THEN 1 -- any number
                     WHEN loss IS NULL THEN iif(rare IS NULL, 0, coalesce(tflops + 0 > 0, 0))
                     ELSE loss GLOB '[0-9]*' OR loss GLOB '[-+.][0-9]*' OR loss IN ('NaN', 'nan', 'Infinity', '-Infinity', 'inf', '-inf')
                     END AS is_step
      FROM (SELECT *, CASE WHEN told < 1e11 THEN told WHEN told < 1e14 THEN told / 1e3 WHEN told < 1e17 THEN told / 1e6
                           WHEN typeof(told) <> 'text' THEN told / 1e9
                           ELSE CASE WHEN clock < 1e11 THEN clock WHEN clock < 1e14 THEN clock / 1e3 WHEN clock < 1e17 THEN clock / 1e6
                                     ELSE clock / 1e9 END END AS time
      FROM (SELECT *, coalesce(mpg_time(told, :zone), iif(told NOT GLOB '*[^0-9.]*', told + 0, NULL)) AS clock,
                   -- TFLOP/s of a device, of names whose unit is certain.
                   coalesce(
                     json_first(record, '["perf/per_device_tflops_per_sec", "TFLOPS_per_GPU", "perf/tflops_per_gpu",
                                          "throughput/tflops/device", "throughput/tflops_per_device", "model_tflops_per_gpu"]'),
                     json_first(record, '["throughput/device/flops_per_sec", "train/device/flops_per_sec", "device/flops_per_sec"]') / 1e12,
                     iif(json_first(record, 'loss_metrics/global_avg_loss') IS NULL, NULL, json_first(record, 'tflops')),
                     iif(json_first(record, 'lm loss') IS NULL, NULL, json_first(record, 'throughput'))) AS tflops,
                   CASE WHEN rare IS NOT NULL THEN
                     iif(json_first(record, '["split", "phase", "mode", "stage", "prefix", "type", "kind", "event", "event_type"]') IS NULL,
                       NULL, EXISTS (SELECT 1 FROM trainer_evaluations
                               WHERE name IN (lower(json_first(record, 'split', 'phase', 'mode', 'stage', 'prefix')),
                                              lower(json_first(record, 'type')), lower(json_first(record, 'kind')),
                                              lower(json_first(record, 'event', 'event_type'))))) END AS evaluated,
                   CASE WHEN rare IS NOT NULL THEN json_first(record, 'rank', 'global_rank') END AS rank,
                   CASE WHEN rare IS NOT NULL THEN json_first(record, 'epoch') END AS epoch,
                   CASE WHEN rare IS NOT NULL THEN json_first(record, '["run_id", "_run_id", "run", "run_name"]') END AS run,
                   CASE WHEN beside IS NULL THEN NULL WHEN instr(record, '"_step"') = 0 THEN NULL
                        WHEN json_type(record, '$._step') IS NOT NULL THEN beside END AS plain,
                   CASE of WHEN 1 THEN iif(told IS NULL,
                                           json_type(record, '$._timestamp') IS NULL AND json_type(record, '$._step') IS NULL, 0)
                           WHEN 2 THEN iif(instr(record, '"step"') = 0 OR tells, json_type(record, '$.step') IS NULL, 0) END AS foreign_to,
                   -- Hugging Face's eval/runtime, eval/NAME_runtime
                   iif(tells, iif(of IS NULL, NULL, (SELECT sum(e.value) FROM json_each(record) AS e
                                                     WHERE e.key GLOB 'eval[/_]*runtime' AND e.value + 0 > 0)), NULL) AS evaluation
            -- The LIMITs keep SQLite from working out these for each place that uses them, or for each part of the union.
            FROM (
              -- the most: _record lends their members, and no text is copied
              SELECT _file AS file, _line AS line, record, 1 AS of,
                json_first(_record, '_timestamp') AS told, json_first(_record, '_runtime') AS runtime,
                json_first(_record, '["_step", "step"]') AS number,
                json_first(_record,
                  '["trainer/global_step", "train/global_step", "training/global_step", "global_step", "train/step"]') AS own,
                iif(:tag IS NOT NULL, json_first(_record, json_array(:tag)), json_first(_record,
                  '["train/loss", "loss", "train_loss", "reduced_train_loss", "training/loss", "lm loss", "loss_metrics/global_avg_loss",
                    "learning/loss", "loss/train/total", "train_inner/loss", "train/policy_loss", "actor/pg_loss", "train_loss_step",
                    "train/loss_step", "loss/train", "Loss/train", "training_loss", "lm_loss", "train/lm_loss", "train/CrossEntropyLoss",
                    "train/CE loss"]')) AS loss,
                json_first(_record, '["step", "iter", "iteration", "iteration_step"]') AS beside,
                json_first(_record,
                  '["perf/per_device_tflops_per_sec", "TFLOPS_per_GPU", "perf/tflops_per_gpu", "throughput/tflops/device",
                    "throughput/tflops_per_device", "model_tflops_per_gpu", "throughput/device/flops_per_sec",
                    "train/device/flops_per_sec", "device/flops_per_sec", "tflops", "throughput", "split", "phase", "mode", "stage",
                    "prefix", "type", "kind", "event", "event_type", "rank", "global_rank", "epoch", "run_id", "_run_id", "run",
                    "run_name"]') AS rare,
                instr(record, 'eval') > 0 AS tells
              FROM jsonl_trace(:wandb)
              UNION ALL
              SELECT file, line, record, of,
                json_first(record, '_timestamp'), json_first(record, '_runtime'),
                json_first(record, '["_step", "step"]'),
                json_first(record,
                  '["trainer/global_step", "train/global_step", "training/global_step", "global_step", "train/step"]'),
                iif(:tag IS NOT NULL, json_first(record, json_array(:tag)), json_first(record,
                  '["train/loss", "loss", "train_loss", "reduced_train_loss", "training/loss", "lm loss", "loss_metrics/global_avg_loss",
                    "learning/loss", "loss/train/total", "train_inner/loss", "train/policy_loss", "actor/pg_loss", "train_loss_step",
                    "train/loss_step", "loss/train", "Loss/train", "training_loss", "lm_loss", "train/lm_loss", "train/CrossEntropyLoss",
                    "train/CE loss"]')),
                json_first(record, '["step", "iter", "iteration", "iteration_step"]'),
                json_first(record,
                  '["perf/per_device_tflops_per_sec", "TFLOPS_per_GPU", "perf/tflops_per_gpu", "throughput/tflops/device",
                    "throughput/tflops_per_device", "model_tflops_per_gpu", "throughput/device/flops_per_sec",
                    "train/device/flops_per_sec", "device/flops_per_sec", "tflops", "throughput", "split", "phase", "mode", "stage",
                    "prefix", "type", "kind", "event", "event_type", "rank", "global_rank", "epoch", "run_id", "_run_id", "run",
                    "run_name"]'),
                instr(record, 'eval') > 0
              FROM (SELECT _file AS file, _line AS line,
                           json_set(record, '$._timestamp', json_first(record, 'timestamp', 'time', 'ts')) AS record, 2 AS of
                    FROM jsonl_trace(:history) UNION ALL
                    SELECT :tracker_db, NULL, json_set(record, '$._timestamp', time, '$._step', step, '$.run_id', run), NULL
                    FROM trainer_stored WHERE json_type(CASE WHEN json_valid(record) THEN record END) = 'object'
                    UNION ALL SELECT _file, _line, record, 1 FROM csv_trace(:wandb_csv) UNION ALL
                    SELECT file, line, json_set(record, '$._timestamp', time, '$._step', step,
                                                '$."' || coalesce(:tag, 'train/loss') || '"', loss, '$.run_id', run), NULL
                    FROM trainer_told WHERE loss IS NOT NULL UNION ALL
                    SELECT d._file, CAST(x.key AS INTEGER) + 1, json_group_object(c.key, x.value), NULL
                    FROM jsonl_trace(:wandb_columns) AS d, json_each(d.record) AS c, json_each(c.value) AS x
                    WHERE c.type IN ('object', 'array') GROUP BY d._file, d._line, CAST(x.key AS INTEGER) LIMIT -1) LIMIT -1))))
WHERE is_step OR of = 1 AND told - runtime IS NOT NULL OR foreign_to OR evaluation > 0;
-- What else is logged: how long an evaluation took, when it is over; and by Weights & Biases after the last loss, as an evaluation at the
-- end: the run goes on so long.
DROP TABLE IF EXISTS temp.trainer_aside;
CREATE TEMP TABLE trainer_aside AS
SELECT file, line, told, runtime, run, of, foreign_to, evaluation, job IS NULL AS is_none FROM trainer_history
WHERE job IS NULL OR foreign_to OR evaluation IS NOT NULL;
--@ if EXISTS (SELECT 1 FROM trainer_aside WHERE is_none)
-- All others are one after the other: what follows looks at the one before.
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS SELECT * FROM trainer_history WHERE job IS NOT NULL ORDER BY rowid;
DELETE FROM trainer_history;
INSERT INTO trainer_history SELECT * FROM trainer_again ORDER BY rowid;
DROP TABLE trainer_again;
--@ end
