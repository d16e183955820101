-- trainer/not_finite.sql - records whose loss is a bare NaN, as Python's json writes it, in JSON Lines: the reader has NULL for it.
--
-- Reads :wandb, :history, trainer_names and mpg_issues. Adds to trainer_history, whose records without a loss are none of a step.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if coalesce(:wandb, :history) IS NOT NULL AND EXISTS (SELECT 1 FROM mpg_issues WHERE kind = 'not_finite')
DROP TABLE IF EXISTS temp.trainer_bare;
CREATE TEMP TABLE trainer_bare AS SELECT source AS file FROM mpg_issues WHERE kind = 'not_finite';
INSERT INTO trainer_history(file, line, job, told, time, runtime, begun, resumed, own, number, plain, step, loss, run, rank, epoch)
SELECT file, line, file, told, time, runtime, time - runtime, 0, own, number,
       iif(json_type(record, '$._step') IS NULL, NULL, json_first(record, 'step', 'iter', 'iteration', 'iteration_step')),
       coalesce(own, number), 'NaN',
       json_first(record, 'run_id', '_run_id', 'run', 'run_name'), json_first(record, 'rank', 'global_rank'), json_first(record, 'epoch')
FROM (SELECT *, CASE WHEN clock < 1e11 THEN clock WHEN clock < 1e14 THEN clock / 1e3 WHEN clock < 1e17 THEN clock / 1e6
                     ELSE clock / 1e9 END AS time, json_first(record, '_runtime') AS runtime,
             json_first(record, 'trainer/global_step', 'train/global_step', 'training/global_step', 'global_step', 'train/step') AS own,
             json_first(record, '_step', 'step') AS number
      FROM (SELECT *, iif(typeof(told) = 'text', mpg_time(told, :zone), told) AS clock
            FROM (SELECT _file AS file, _line AS line, record, json_first(record, '_timestamp', 'timestamp', 'time', 'ts') AS told
                  FROM jsonl_trace(coalesce(:wandb, :history)) LIMIT -1)))
WHERE file IN (SELECT b.file FROM trainer_bare AS b)
  AND json_first(record, 'split', 'phase', 'mode', 'stage', 'prefix', 'type', 'kind', 'event', 'event_type') IS NULL
  AND EXISTS (SELECT 1 FROM json_each(record) AS e JOIN trainer_names AS n ON n.name = e.key
              WHERE e.type = 'null' AND typeof(n.place) = 'integer')
  AND iif((file, line) IN (SELECT h.file, h.line FROM trainer_history AS h WHERE h.line IS NOT NULL), 0, 1);
-- in the order of their lines
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS
SELECT * FROM trainer_history WHERE file IN (SELECT b.file FROM trainer_bare AS b) ORDER BY file, line, rowid;
DELETE FROM trainer_history WHERE file IN (SELECT b.file FROM trainer_bare AS b);
INSERT INTO trainer_history SELECT * FROM trainer_again ORDER BY rowid;
DROP TABLE trainer_again;
DROP TABLE trainer_bare;
--@ end
