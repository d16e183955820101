-- trainer/histories.sql - histories of Weights & Biases, Trackio and MLflow: a record has a loss and a time, and maybe the number of the
-- trainer's step.
--
-- Reads :wandb, :wandb_columns, :wandb_csv, :history, :tracker_db, :tag, :zone, trainer_stored and trainer_told. Makes trainer_history.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

-- A time is in seconds, or in the milliseconds, microseconds or nanoseconds of pandas, which also makes dates of them. A date may name no
-- zone: it is of :zone.
DROP TABLE IF EXISTS temp.trainer_history;
CREATE TEMP TABLE trainer_history AS
SELECT file, line, told, iif(time IS NULL, told, NULL) AS said,
       CASE WHEN time < 1e11 THEN time WHEN time < 1e14 THEN time / 1e3 WHEN time < 1e17 THEN time / 1e6 ELSE time / 1e9 END AS time,
       runtime, own, number, plain, loss, tflops,
       iif(tflops IS NULL AND line < 100 AND (record LIKE '%flops%' OR record LIKE '%mfu%'), record, NULL) AS otherwise,
       run, evaluated, rank, epoch
FROM (SELECT *, CASE typeof(told) WHEN 'text' THEN coalesce(mpg_time(told, :zone), iif(told NOT GLOB '*[^0-9.]*', told + 0, NULL))
                                  ELSE told END AS time
      FROM (SELECT _file AS file, _line AS line, record, json_first(record, '_timestamp') AS told, json_first(record, '_runtime') AS runtime,
                   json_first(record, '_step', 'step') AS number,
                   json_first(record, 'trainer/global_step', 'train/global_step', 'training/global_step', 'global_step', 'train/step') AS own,
                   iif(json_type(record, '$._step') IS NULL, NULL, json_first(record, 'step', 'iter', 'iteration', 'iteration_step')) AS plain,
                   iif(:tag IS NOT NULL, json_first(record, :tag), json_first(
                     record, 'train/loss', 'loss', 'train_loss', 'reduced_train_loss', 'training/loss', 'lm loss',
                     'loss_metrics/global_avg_loss', 'learning/loss', 'loss/train/total', 'train_inner/loss', 'train/policy_loss',
                     'actor/pg_loss', 'train_loss_step', 'train/loss_step', 'loss/train', 'Loss/train', 'training_loss', 'lm_loss',
                     'train/lm_loss', 'train/CrossEntropyLoss', 'train/CE loss')) AS loss,
                   -- TFLOP/s of a device, of names whose unit is certain.
                   iif(json_first(record, 'perf/per_device_tflops_per_sec', 'TFLOPS_per_GPU', 'perf/tflops_per_gpu',
                                  'throughput/tflops/device', 'throughput/tflops_per_device', 'throughput/device/flops_per_sec',
                                  'train/device/flops_per_sec', 'device/flops_per_sec', 'tflops', 'throughput',
                                  'model_tflops_per_gpu') IS NULL, NULL, coalesce(
                     json_first(record, 'perf/per_device_tflops_per_sec', 'TFLOPS_per_GPU', 'perf/tflops_per_gpu',
                                'throughput/tflops/device', 'throughput/tflops_per_device', 'model_tflops_per_gpu'),
                     json_first(record, 'throughput/device/flops_per_sec', 'train/device/flops_per_sec', 'device/flops_per_sec') / 1e12,
                     iif(json_first(record, 'loss_metrics/global_avg_loss') IS NULL, NULL, json_first(record, 'tflops')),
                     iif(json_first(record, 'lm loss') IS NULL, NULL, json_first(record, 'throughput')))) AS tflops,
                   iif(json_first(record, 'split', 'phase', 'mode', 'stage', 'prefix', 'type', 'kind', 'event', 'event_type') IS NULL, NULL,
                       EXISTS (SELECT 1 FROM trainer_evaluations
                               WHERE name IN (lower(json_first(record, 'split', 'phase', 'mode', 'stage', 'prefix')),
                                              lower(json_first(record, 'type')), lower(json_first(record, 'kind')),
                                              lower(json_first(record, 'event', 'event_type'))))) AS evaluated,
                   json_first(record, 'rank', 'global_rank') AS rank, json_first(record, 'epoch') AS epoch,
                   json_first(record, 'run_id', '_run_id', 'run', 'run_name') AS run
            -- Each LIMIT keeps SQLite from working out these for each place that uses them, or for each part of the union.
            FROM (SELECT * FROM (SELECT record, _file, _line FROM jsonl_trace(:wandb) UNION ALL
                    SELECT json_set(record, '$._timestamp', json_first(record, 'timestamp', 'time', 'ts')), _file, _line
                    FROM jsonl_trace(:history) UNION ALL
                    SELECT json_set(record, '$._timestamp', time, '$._step', step, '$.run_id', run), :tracker_db, NULL
                    FROM trainer_stored WHERE json_type(CASE WHEN json_valid(record) THEN record END) = 'object'
                    UNION ALL SELECT record, _file, _line FROM csv_trace(:wandb_csv) UNION ALL
                    SELECT json_set(record, '$._timestamp', time, '$._step', step, '$."' || coalesce(:tag, 'train/loss') || '"', loss,
                                    '$.run_id', run), file, line FROM trainer_told WHERE loss IS NOT NULL UNION ALL
                    SELECT json_group_object(c.key, x.value), d._file, CAST(x.key AS INTEGER) + 1
                    FROM jsonl_trace(:wandb_columns) AS d, json_each(d.record) AS c, json_each(c.value) AS x
                    WHERE c.type IN ('object', 'array') GROUP BY d._file, d._line, CAST(x.key AS INTEGER)) LIMIT -1) LIMIT -1)
      WHERE (typeof(loss) IN ('integer', 'real') OR loss GLOB '[0-9]*' OR loss GLOB '[-+.][0-9]*'
             OR loss IN ('NaN', 'nan', 'Infinity', '-Infinity', 'inf', '-inf') OR loss IS NULL AND tflops + 0 > 0));
