-- trainer/evaluated.sql - files of evaluations beside those of the training, as their names say: they have no steps.
--
-- Reads and changes trainer_points, reads trainer_extents and trainer_marks. A part of trainer.sql, which says what the parameters are and
-- runs the parts in order.

--@ if EXISTS (SELECT 1 FROM trainer_extents WHERE file <> (SELECT file FROM trainer_extents LIMIT 1))
-- validation.jsonl beside training.jsonl, val_loss.csv beside train_loss.csv or loss.csv, TensorBoard's run-validation-tag-loss.csv beside
-- run-train-tag-loss.csv. The word is one by itself, and the evaluation begins after the training did.
DROP TABLE IF EXISTS temp.trainer_named;
CREATE TEMP TABLE trainer_named AS
SELECT file, n, line, first, last, rtrim(file, replace(file, '/', '')) AS folder,
       lower(substr(file, 1 + length(rtrim(file, replace(file, '/', ''))))) AS name
FROM (SELECT file, count(*) AS n, min(line) AS line, min(time) AS first, max(time) AS last FROM trainer_points
      WHERE rank IS NULL AND seconds IS NULL AND file NOT IN (SELECT file FROM trainer_marks) GROUP BY file);
CREATE INDEX temp.trainer_named_of ON trainer_named(folder, name);
DROP TABLE IF EXISTS temp.trainer_beside_training;
CREATE TEMP TABLE trainer_beside_training AS
WITH word AS MATERIALIZED (
  SELECT value AS word FROM json_each('["validation", "validate", "valid", "val", "evaluation", "evaluate", "eval", "test", "dev"]')
),
cut AS (
  SELECT f.*, substr(name, 1, instr(name, word) - 1) AS before, substr(name, instr(name, word) + length(word)) AS after
  FROM trainer_named AS f JOIN word ON instr(name, word) > 0
),
other AS (
  SELECT *, before || 'train' || after AS training FROM cut UNION ALL SELECT *, before || 'training' || after FROM cut
  UNION ALL SELECT *, before || substr(after, 2) FROM cut WHERE after GLOB '[_-]*' -- val_loss.csv and loss.csv
  UNION ALL SELECT *, substr(before, 1, length(before) - 1) || after FROM cut WHERE before GLOB '*[_-]'
)
SELECT o.file, o.n, o.line, min(t.file) AS beside
FROM other AS o JOIN trainer_named AS t ON t.folder = o.folder AND t.name = o.training
WHERE o.before NOT GLOB '*[a-z]' AND o.after NOT GLOB '[a-z]*' AND o.first >= t.first - 60 AND o.first <= t.last + 86400
GROUP BY o.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', line, n,
       'values of an evaluation, as the name of the file says, beside those of the training in ' || beside || ': they are no steps'
FROM trainer_beside_training;
DELETE FROM trainer_points WHERE file IN (SELECT file FROM trainer_beside_training);
DROP TABLE trainer_beside_training;
DROP TABLE trainer_named;
--@ end
