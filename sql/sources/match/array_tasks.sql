-- match/array_tasks.sql - ids of arrays' tasks as people write them, beside those that schedulers do: "5100-2.out", "5100_002.out",
-- "5100/2/train.log"; and ids that are part of a word.
--
-- Slurm's array has the id of one of its tasks, so what follows it may be a rank of that task. Unless "_" stands between, all numbers
-- behind the id must be tasks' then, and no other task's own id in a name. A part of match.sql: adds the words that are keys to
-- run_of_words.

CREATE TABLE task_words AS
WITH pair AS (
  SELECT file, level, words, before, CAST(words AS INTEGER) AS base,
         CAST(substr(words, 1 + length(rtrim(words, '0123456789'))) AS INTEGER) AS task
  FROM run_of_words WHERE words GLOB '[0-9]*[^0-9A-Za-z]*[0-9]' AND rtrim(rtrim(words, '0123456789'), '-_.=#+ [') NOT GLOB '*[^0-9]*'
    AND length(words) < 30
  UNION ALL
  SELECT d.file, d.level, n.words || '/' || d.words, '', CAST(n.words AS INTEGER), CAST(d.words AS INTEGER)
  FROM run_of_words AS d CROSS JOIN run_of_words AS n ON n.file = d.file AND n.level = d.level + 1
  WHERE d.alone AND d.words NOT GLOB '*[^0-9]*' AND n.words GLOB '[0-9][0-9][0-9]*' AND n.words NOT GLOB '*[^0-9]*'
)
SELECT p.*, k.key, EXISTS (SELECT 1 FROM key AS b WHERE b.key = CAST(p.base AS TEXT)) AND words NOT GLOB '*[0-9]_[0-9]*' AS is_doubtful
FROM pair AS p LEFT JOIN key AS k ON k.key IN (base || '_' || task, base || '[' || task || ']', base || '.' || task)
WHERE base > 0 AND words NOT IN (SELECT key FROM key);
DELETE FROM task_words WHERE is_doubtful AND base IN (
  SELECT base FROM task_words WHERE is_doubtful AND key IS NULL
  UNION SELECT base FROM (SELECT DISTINCT base FROM task_words WHERE is_doubtful) AS t
  CROSS JOIN key AS k ON k.key > base || '_' AND k.key < base || '`' AND k.job <> CAST(base AS TEXT)
    AND k.job IN (SELECT words FROM run_of_words));
INSERT INTO run_of_words SELECT file, level, key, before, 0 FROM task_words WHERE key IS NOT NULL;
-- And ids behind a word or zeros: "job5101.log", "slurm_0005101.out".
INSERT INTO run_of_words
SELECT file, level, id, before, 0
FROM (SELECT file, level, before, words,
             ltrim(CASE WHEN lower(words) GLOB 'job[0-9]*' THEN substr(words, 4)
                        WHEN lower(words) GLOB 'jobid[0-9]*' OR lower(words) GLOB 'slurm[0-9]*' THEN substr(words, 6)
                        WHEN lower(words) GLOB 'j[0-9]*' THEN substr(words, 2) WHEN lower(words) GLOB 'id[0-9]*' THEN substr(words, 3)
                        WHEN words GLOB '0[0-9]*' THEN words END, '0') AS id
      FROM run_of_words WHERE words GLOB '*[0-9][0-9][0-9]' AND words NOT GLOB '*[0-9]*[^0-9]*')
AS w
WHERE length(id) > 2 AND words NOT IN (SELECT key FROM key) AND id IN (SELECT key FROM key)
  AND NOT EXISTS (SELECT 1 FROM run_of_words AS o CROSS JOIN key AS k ON k.key = o.words
                  WHERE o.file = w.file AND o.level = w.level AND k.strength > 1);
DROP TABLE task_words;
