-- match/places.sql - the names that a log may have its job's name or id in: makes place(file, level, name) and passed_over.
--
-- A part of match.sql. They are the file's own, without its endings, then those of its two folders, the nearer first. Folders that programs
-- make by themselves are none (passed_over): "5101_x2k/attempt_0/3/stdout.log", "llama/wandb/run-20261101_000000-a1/files/output.log",
-- "llama/mlruns/0/ID/metrics/loss". Behind them come the names of the file's copies, which are not read.

CREATE TABLE passed_over(pattern TEXT);
INSERT INTO passed_over VALUES ('attempt[-_.]*'), ('*rank[-_.0-9]*'), ('[0-9]'), ('[0-9][0-9]'), ('[0-9][0-9][0-9]'), -- of launchers
  ('log'), ('logs'), ('out'), ('output'), ('outputs'), ('files'), ('stdout'), ('stderr'), ('runs'), ('multirun'), ('.submitit'), ('tb'),
  ('tensorboard'), ('tb_logs'), ('lightning_logs'),
  ('version_[0-9]'), ('version_[0-9][0-9]'), ('wandb'), ('mlruns'), ('metrics'), (replace(hex(zeroblob(16)), '0', '[0-9a-f]')),
  ('latest-run'), ('*run-20[0-9][0-9][01][0-9][0-3][0-9]_*-*'), ('session_latest'), ('session_20[0-9][0-9]-*'),
  ('20[0-9][0-9]'), ('20[0-9][0-9][-_.][01][0-9][-_.][0-3][0-9]*'), ('[0-2][0-9][-_.][0-5][0-9][-_.][0-5][0-9]*'); -- and of dates
CREATE TABLE place(file INTEGER, level INTEGER, name TEXT);
INSERT INTO place
WITH RECURSIVE named_file(file, of_copy, path) AS (
  SELECT file, 0, path FROM file WHERE source IS NULL AND format IS NOT NULL
  UNION ALL
  SELECT o.file, 10 * row_number() OVER (PARTITION BY o.file ORDER BY c.file), f.path
  FROM copy AS c JOIN file AS f USING (file) JOIN file AS o ON o.path = c.original
  WHERE c.left_out AND o.source IS NULL AND o.format IS NOT NULL
),
up(file, of_copy, level, named, head, name) AS ( -- named: how many before it are none of those
  SELECT file, of_copy, 0, 0, rtrim(rtrim(path, replace(path, '/', '')), '/'), substr(path, 1 + length(rtrim(path, replace(path, '/', ''))))
  FROM named_file
  UNION ALL
  SELECT file, of_copy, level + 1, named + (level = 0 OR NOT EXISTS (SELECT 1 FROM passed_over WHERE lower(name) GLOB pattern)),
         rtrim(rtrim(head, replace(head, '/', '')), '/'), substr(head, 1 + length(rtrim(head, replace(head, '/', ''))))
  FROM up WHERE head <> '' AND level < 8 AND (named < 2 OR named = 2 AND EXISTS (SELECT 1 FROM passed_over WHERE lower(name) GLOB pattern))
)
SELECT file, of_copy + level, name FROM up
WHERE name NOT IN ('', '.', '..') AND NOT (level = 0 AND name GLOB 'module_[0-9]*.*') -- XLA numbers modules
  AND NOT (of_copy AND level = 0 AND name GLOB '*events.out.tfevents.*');
