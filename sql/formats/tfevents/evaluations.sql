-- tfevents/evaluations.sql - files of evaluations, which lie in a folder of their own beside those of the training: they are no run.
--
-- Reads and changes tfevents_survey.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

--@ if (SELECT count(*) > 1 FROM tfevents_survey)
-- As TensorFlow's Estimator has model/eval beside the files of model, Keras run/validation beside run/train, and PyTorch's add_scalars
-- run/loss_val beside run/loss_train. They have a value of a tag of steps, and begin after the training did.
DROP TABLE IF EXISTS temp.tfevents_folders;
CREATE TEMP TABLE tfevents_folders AS
SELECT of_file, file, folder, lower(substr(folder, 1 + length(above))) AS name, above, first, last, tag
FROM (SELECT s.*, rtrim(folder, replace(folder, '/', '')) AS above, t.value AS tag
      FROM (SELECT *, rtrim(rtrim(file, replace(file, '/', '')), '/') AS folder FROM tfevents_survey WHERE last > 0) AS s,
        json_each(s.tags) AS t
      WHERE t.value IN (SELECT tag FROM tfevents_tags));
CREATE INDEX temp.tfevents_folder ON tfevents_folders(folder);
DROP TABLE IF EXISTS temp.tfevents_evaluations;
CREATE TEMP TABLE tfevents_evaluations AS
WITH named AS MATERIALIZED (
  SELECT value AS name FROM json_each('["eval", "evaluation", "val", "valid", "validation", "test", "dev"]')
),
kind AS (
  SELECT f.*, above || 'train' AS beside FROM tfevents_folders AS f WHERE name IN (SELECT name FROM named) OR name GLOB 'eval[_-]*'
  UNION ALL
  SELECT f.*, substr(folder, 1, length(folder) - length(n.name)) || 'train'
  FROM tfevents_folders AS f JOIN named AS n ON substr(f.name, -1 - length(n.name)) = '_' || n.name
)
SELECT k.of_file, k.file, min(t.file) AS other
FROM kind AS k JOIN tfevents_folders AS t ON t.folder IN (k.beside, rtrim(k.above, '/')) AND t.folder <> k.folder
WHERE (t.folder <> k.beside OR t.tag = k.tag) AND k.first >= t.first - 60 AND k.first <= t.last + 86400
GROUP BY k.of_file, k.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'unused_events', NULL, 1,
       'a file of an evaluation, as its folder says, of the training in ' || other || ': it is no run'
FROM tfevents_evaluations;
DELETE FROM tfevents_survey WHERE of_file IN (SELECT of_file FROM tfevents_evaluations);
DROP TABLE tfevents_evaluations;
DROP TABLE tfevents_folders;
--@ end
