-- otlp/lens.sql - the spans that Megatron-Core, NeMo-RL and NVRx's ft_launcher emit by themselves (nemo-lens), as those of the
-- convention.
--
-- Reads and changes otlp_spans. A part of otlp.sql, which says what the parameters are and runs the parts in order.

-- A span that was closed by force as its process ended did not end well; but what held the chips did.
DROP TABLE IF EXISTS temp.otlp_lens;
CREATE TEMP TABLE otlp_lens AS
SELECT id, name, status, start_time, end_time,
       CASE WHEN name = 'megatron.pretrain' OR of_rl AND name GLOB '*.job' THEN 'attempt'
            WHEN json_extract(a, '$."nemo.span.truncated"') THEN NULL
            WHEN name IN ('megatron.train_step', 'megatron.train.iteration') THEN 'step'
            WHEN name = 'megatron.save_checkpoint' OR name GLOB 'megatron.checkpoint.*' AND name NOT GLOB 'megatron.checkpoint.load*'
              THEN 'checkpoint'
            WHEN name IN ('megatron.load_checkpoint', 'megatron.checkpoint.load') THEN 'restore' WHEN name = 'megatron.evaluate' THEN 'eval'
            WHEN name GLOB 'megatron.*.cuda_graph_capture' THEN 'compile'
            WHEN name = 'megatron.model_init' OR name GLOB 'megatron.startup.*' THEN 'init'
            WHEN of_rl AND name GLOB '*.step' THEN 'step' WHEN name = 'rl.checkpoint.finalize' THEN 'commit'
            WHEN of_rl AND (name GLOB '*.checkpointing' OR name GLOB '*.save_checkpoint') THEN 'checkpoint'
            WHEN of_rl AND name GLOB '*.evaluate' THEN 'eval' WHEN of_rl AND name GLOB '*.data_processing' THEN 'input'
            WHEN name = 'rl.startup' OR name GLOB 'rl.setup.*'
              OR name IN ('rl.policy.load_model', 'rl.value.load_model', 'rl.vllm.load_model') THEN 'init'
            -- a spare node waits while the others work
            WHEN coalesce(json_extract(a, '$."nv.nvrx.ftl.membership"'), json_extract(a, '$."nvrx.membership"'), 'active') <> 'active'
              THEN NULL
            WHEN name = 'nvrx.cold_start' OR name GLOB 'nv.nvrx.ftl.python.*'
              OR replace(name, 'nv.nvrx.ftl.', 'nvrx.restart.') IN ('nvrx.restart.rendezvous', 'nvrx.restart.health_check',
                                                                    'nvrx.restart.worker_launch', 'nvrx.restart.teardown')
              THEN 'init' END AS kind,
       name IN ('megatron.save_checkpoint', 'megatron.checkpoint.save')
         OR of_rl AND (name GLOB '*.checkpointing' OR name GLOB '*.save_checkpoint') AS is_save,
       CAST(coalesce(json_extract(a, '$."mpg.job"'), json_extract(a, '$."slurm.job.id"'), json_extract(a, '$."nemo.run.id"'),
                     json_extract(a, '$."nv.dl.job.uuid"')) AS TEXT) AS job,
       CAST(coalesce(json_extract(a, '$."nv.dl.rank"'), json_extract(a, '$."dl.rank"'), 0) AS INTEGER) AS rank,
       -- NeMo-RL's driver is one process of one, whatever it drives
       iif(name = 'megatron.pretrain',
           CAST(coalesce(json_extract(a, '$."nv.dl.world_size"'), json_extract(a, '$."dl.world_size"')) AS INTEGER), NULL) AS world,
       iif(json_extract(a, '$."nemo.span.truncated"'), 'failed', NULL) AS outcome,
       CAST(coalesce(json_extract(a, '$."megatron.iteration"'), json_extract(a, '$."rl.iteration"'), json_extract(a, '$."rl.step"'))
         AS INTEGER) AS step
FROM (SELECT rowid AS id, name, status, start_time, end_time, json_patch(coalesce(resource, '{}'), coalesce(attributes, '{}')) AS a,
             name GLOB 'rl.*' AND substr(name, 4, instr(substr(name, 4), '.') - 1)
               IN ('grpo', 'ppo', 'sft', 'dpo', 'rm', 'distillation', 'sc') AS of_rl -- NeMo-RL's algorithms
      FROM otlp_spans WHERE name GLOB 'megatron.*' OR name GLOB 'rl.*' OR name GLOB 'nvrx.*' OR name GLOB 'nv.nvrx.ftl.*')
WHERE json_extract(a, '$."mpg.kind"') IS NULL AND start_time IS NOT NULL;
DELETE FROM otlp_lens WHERE kind IS NULL OR job IS NULL;
-- A launcher is no rank: it goes with the lowest one that tells anything.
DROP TABLE IF EXISTS temp.otlp_lens_ranks;
CREATE TEMP TABLE otlp_lens_ranks(job TEXT PRIMARY KEY, rank) WITHOUT ROWID;
INSERT INTO otlp_lens_ranks
SELECT job, coalesce(min(iif(name GLOB 'nv*', NULL, rank)), 0) FROM otlp_lens GROUP BY job HAVING max(name GLOB 'nv*');
UPDATE otlp_lens SET rank = r.rank FROM otlp_lens_ranks AS r WHERE r.job = otlp_lens.job AND name GLOB 'nv*';
DROP TABLE otlp_lens_ranks;
CREATE INDEX temp.otlp_lens_of ON otlp_lens(job, rank, kind, start_time);
CREATE INDEX temp.otlp_lens_saves ON otlp_lens(job, rank, start_time) WHERE is_save;

-- A save within a step is of that step.
UPDATE otlp_lens SET step = (SELECT t.step FROM otlp_lens AS t
                             WHERE t.job = otlp_lens.job AND t.rank = otlp_lens.rank AND t.kind = 'step'
                               AND t.start_time <= otlp_lens.start_time ORDER BY t.start_time DESC LIMIT 1)
WHERE is_save AND step IS NULL AND name GLOB 'rl.*';
-- A step may have the number that it had before it began: then the one that follows a save has the number of the save.
DROP TABLE IF EXISTS temp.otlp_from_zero;
CREATE TEMP TABLE otlp_from_zero AS
SELECT job, rank
FROM (SELECT job, rank, step, (SELECT t.step FROM otlp_lens AS t
                               WHERE t.job = s.job AND t.rank = s.rank AND t.kind = 'step' AND t.start_time >= s.start_time
                               ORDER BY t.start_time LIMIT 1) AS next_step
      FROM otlp_lens AS s WHERE is_save)
GROUP BY job, rank HAVING 2 * sum(next_step = step) > count(next_step);
UPDATE otlp_lens SET step = step + 1 WHERE kind = 'step' AND (job, rank) IN (SELECT job, rank FROM otlp_from_zero);
DROP TABLE otlp_from_zero;
-- What was restored shows in the step that follows; before the first one it is no checkpoint of the job's own.
UPDATE otlp_lens
SET step = (SELECT t.step - 1 FROM otlp_lens AS t
            WHERE t.job = otlp_lens.job AND t.rank = otlp_lens.rank AND t.kind = 'step' AND t.start_time >= otlp_lens.start_time
            ORDER BY t.start_time LIMIT 1)
WHERE kind = 'restore';

UPDATE otlp_spans
SET attributes = json_patch(coalesce(attributes, '{}'),
                            json_object('mpg.kind', kind, 'mpg.job', job, 'mpg.rank', rank, 'mpg.chips', iif(kind = 'attempt', world, NULL),
                                        'mpg.outcome', iif(kind = 'attempt', outcome, NULL),
                                        'mpg.framework', iif(kind = 'attempt', 'megatron', NULL),
                                        'mpg.step', iif(kind IN ('step', 'restore', 'commit') AND step > 0, step, NULL)))
FROM otlp_lens AS m WHERE m.id = otlp_spans.rowid AND NOT (kind = 'attempt' AND m.name GLOB 'rl.*');

-- A save may go on behind the steps. Where nothing tells when it was over, it is whole once it is restored, the next one begins, which
-- waits for it, or training has ended.
DROP TABLE IF EXISTS temp.otlp_saves;
CREATE TEMP TABLE otlp_saves AS
SELECT job, rank, step, status, start_time,
       nullif(min(
         coalesce((SELECT s.end_time FROM otlp_lens AS r
                   WHERE r.job = s.job AND r.rank = s.rank AND r.kind = 'restore' AND r.start_time > s.start_time AND r.step = s.step
                   LIMIT 1), 9e18),
         coalesce((SELECT iif(EXISTS (SELECT 1 FROM otlp_lens AS r WHERE r.job = s.job AND r.rank = s.rank AND r.kind = 'restore'
                                      AND r.start_time BETWEEN s.start_time AND n.start_time), NULL, n.start_time)
                   FROM otlp_lens AS n WHERE n.job = s.job AND n.rank = s.rank AND n.start_time > s.start_time AND n.is_save
                   ORDER BY n.start_time LIMIT 1), 9e18),
         coalesce((SELECT max(s.end_time, min(e.end_time)) FROM otlp_lens AS e
                   WHERE e.job = s.job AND e.rank = s.rank AND e.kind = 'attempt' AND e.outcome IS NULL AND e.status IS NOT 'error'
                     AND s.start_time BETWEEN e.start_time AND e.end_time), 9e18)), 9e18) AS whole_time
FROM otlp_lens AS s WHERE is_save AND kind = 'checkpoint' AND step IS NOT NULL AND end_time IS NOT NULL
  AND job NOT IN (SELECT job FROM otlp_lens WHERE kind = 'commit');
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT (SELECT path FROM otlp_input), 'warning', 'missing_end', count(*),
       'saves that may have gone on behind the steps, and that nothing after them shows to be whole, the first of step '
         || min(step) || ' of job ' || min(job) || ': they protect nothing'
FROM (SELECT DISTINCT job, step FROM otlp_saves
      WHERE whole_time IS NULL AND rank = (SELECT min(o.rank) FROM otlp_saves AS o WHERE o.job = otlp_saves.job)) GROUP BY NULL;
INSERT INTO otlp_spans(name, status, start_time, end_time, attributes)
SELECT 'commit', status, start_time, whole_time, json_object('mpg.job', job, 'mpg.rank', rank, 'mpg.step', step) FROM otlp_saves
WHERE whole_time IS NOT NULL;
DROP TABLE otlp_saves;
DROP TABLE otlp_lens;
